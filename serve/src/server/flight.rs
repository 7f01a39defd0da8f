//! The calls of Arrow Flight, and two other gRPC services.

pub mod health;
pub mod reflection;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow_flight::{Action, ActionType, Criteria, Empty, FlightDescriptor, FlightInfo, SchemaAsIpc, SchemaResult};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::ArrowError;
use bytes::Bytes;
use futures_util::future::{BoxFuture, ready};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body::Frame;
use prost::Message;
use slider_attacks::Cpu;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

use super::connection::client::{Client, Peer, Streams};
use super::limits::budget::{ChargeKind, SINGLE};
use super::monitoring::request_log::Record;
use super::refusal::Refusal;
use super::streams::exchange::{Exchange, Exchanges, call};
use super::streams::grpc::{Messages, check, response, trailers, whole, written};
use super::streams::incoming::Incoming;
use super::streams::working_body::{AnswerSlot, Driver};
use crate::{CALLS, COMMAND_BYTES};

/// Actions and what they answer.
const ACTIONS: [(&str, &str); 2] = [
    ("cpu", "What was detected about the CPU of the server, and which backend computes"),
    ("health", "The word serving"),
];

/// The service.
#[derive(Clone)]
pub struct Flight {
    /// The state that streams share.
    pub shared: Arc<Exchanges>,
    /// How many streams may be open.
    pub streams: Streams,
    /// Those that are open.
    pub driver: Driver,
    /// How many single messages may be answered at a time.
    pub calls: Streams,
    /// The most bytes of a message of a stream.
    pub message_bytes: usize,
    /// How long a message may wait for room.
    pub most_waiting: std::time::Duration,
}

impl NamedService for Flight {
    const NAME: &'static str = "arrow.flight.protocol.FlightService";
}

impl Service<Request<Body>> for Flight {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let kind = request.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if request.method() != Method::POST || !kind.is_some_and(|kind| kind.starts_with(b"application/grpc")) {
            let mut refused = Response::new(Body::empty());
            *refused.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Box::pin(ready(Ok(refused)));
        }
        let flight = self.clone();
        Box::pin(
            async move { Ok(flight.answer(request).await.unwrap_or_else(|refusal| Status::from(refusal).into_http())) },
        )
    }
}

type CallResponse = Result<Response<Body>, Refusal>;

/// The answer to a call with a single message.
type SingleAnswer = Result<Bytes, Refusal>;

/// A description of a call repeats descriptors of at most this many bytes, and only the name of the call of longer ones.
const REPEATED: usize = 1 << 10;

impl Flight {
    async fn answer(self, request: Request<Body>) -> CallResponse {
        let path = request.uri().path().strip_prefix('/').and_then(|path| path.strip_prefix(Flight::NAME));
        let method = path.and_then(|path| path.strip_prefix('/')).unwrap_or_default().to_owned();
        if method == "DoExchange" {
            return self.exchange(request);
        }
        // Those that are answered, and their names in the metrics.
        type Calls = [(&'static str, &'static str, fn(&Flight, Bytes) -> SingleAnswer); 5];
        const ANSWERED: Calls = [
            ("ListFlights", "list_flights", Flight::list_flights),
            ("GetFlightInfo", "get_flight_info", Flight::get_flight_info),
            ("GetSchema", "get_schema", Flight::get_schema),
            ("DoAction", "do_action", Flight::do_action),
            ("ListActions", "list_actions", Flight::list_actions),
        ];
        let Some((_, name, answer)) = ANSWERED.iter().find(|(name, ..)| *name == method) else {
            let method: String = method.chars().take(40).collect();
            return Err(Status::unimplemented(format!("{method} is not supported: use DoExchange")).into());
        };
        if let Some(record) = request.extensions().get::<Arc<Record>>() {
            let _ = record.call.set(name);
        }
        let client = request.extensions().get::<Client>().cloned().ok_or_else(|| Refusal::unknown("client"))?;
        let is_cut = request.extensions().get::<Peer>().ok_or_else(|| Refusal::unknown("peer"))?.is_cut.clone();
        let open = self.calls.open(client.clone())?;
        let held = self.shared.budget.reserve(&client, SINGLE, ChargeKind::Single, self.most_waiting).await?;
        let mut messages = self.messages(request, COMMAND_BYTES)?;
        let (message, _) = messages.next().await?.ok_or_else(|| Refusal::invalid("request without a message"))?;
        let bytes = answer(&self, message)?;
        held.keep(bytes.len() as u64);
        Ok(whole(self.driver.whole(bytes, held, is_cut, open)))
    }

    fn messages(&self, request: Request<Body>, most: usize) -> Result<Messages, Refusal> {
        check(request.headers())?;
        Ok(Messages::new(Incoming::new(request, self.shared.patience.clone(), self.most_waiting)?, most))
    }

    fn exchange(self, request: Request<Body>) -> CallResponse {
        let client = request.extensions().get::<Client>().cloned().ok_or_else(|| Refusal::unknown("client"))?;
        let record = request.extensions().get::<Arc<Record>>().cloned().ok_or_else(|| Refusal::unknown("number"))?;
        let is_cut = request.extensions().get::<Peer>().ok_or_else(|| Refusal::unknown("peer"))?.is_cut.clone();
        let open = self.streams.open(client.clone())?;
        let mut messages = self.messages(request, self.message_bytes)?;
        messages.incoming = messages.incoming.charge(self.shared.budget.clone(), client.clone());
        let (slot, shared) = (AnswerSlot::default(), self.shared.clone());
        let unanswered = messages.incoming.unanswered.clone();
        let exchange = Exchange { client, slot: slot.clone(), unanswered: unanswered.clone(), record };
        let work = Box::pin(async move { exchange.run(messages, &shared).await });
        let end = |ended: Result<(), Refusal>| Some(Ok(Frame::trailers(trailers(ended.map_err(Status::from)))));
        Ok(response(Body::new(self.driver.drive(work, slot, unanswered, is_cut, open, Box::new(end)))))
    }

    fn info(&self, descriptor: FlightDescriptor) -> Result<FlightInfo, Refusal> {
        let call = call(&descriptor, self.shared.backend)?;
        let is_short = descriptor.encoded_len() <= REPEATED;
        let descriptor = if is_short { descriptor } else { FlightDescriptor::new_path(vec![call.name().to_owned()]) };
        let info = FlightInfo::new().with_descriptor(descriptor).try_with_schema(&call.described());
        info.map_err(unwritten)
    }

    fn list_flights(&self, message: Bytes) -> SingleAnswer {
        decoded::<Criteria>(message)?;
        let info = |&(name, _): &(&str, &str)| self.info(FlightDescriptor::new_path(vec![name.to_owned()]));
        Ok(written(&CALLS.iter().map(info).collect::<Result<Vec<_>, _>>()?))
    }

    fn get_flight_info(&self, message: Bytes) -> SingleAnswer {
        Ok(written(&[self.info(decoded(message)?)?]))
    }

    fn get_schema(&self, message: Bytes) -> SingleAnswer {
        let described = call(&decoded(message)?, self.shared.backend)?.described();
        let schema: SchemaResult =
            SchemaAsIpc::new(&described, &IpcWriteOptions::default()).try_into().map_err(unwritten)?;
        Ok(written(&[schema]))
    }

    fn do_action(&self, message: Bytes) -> SingleAnswer {
        let body = match decoded::<Action>(message)?.r#type.as_str() {
            "cpu" => format!("{}\ncomputing {}\n", Cpu::detect(), self.shared.backend),
            "health" => "serving".to_owned(),
            _ => {
                let names = ACTIONS.map(|(name, _)| name).join(", ");
                return Err(Refusal::invalid(format!("expected one of the actions {names}")));
            }
        };
        Ok(written(&[arrow_flight::Result { body: body.into() }]))
    }

    fn list_actions(&self, message: Bytes) -> SingleAnswer {
        decoded::<Empty>(message)?;
        Ok(written(&ACTIONS.map(|(name, what)| ActionType { r#type: name.into(), description: what.into() })))
    }
}

fn decoded<T: Message + Default>(message: Bytes) -> Result<T, Refusal> {
    T::decode(message).map_err(|error| Refusal::invalid(format!("the message of the request: {error}")))
}

fn unwritten(error: ArrowError) -> Refusal {
    Refusal::internal(error.to_string())
}
