//! The calls of Arrow Flight.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_flight::flight_descriptor::DescriptorType;
use arrow_flight::flight_service_server::FlightService;
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest, HandshakeResponse,
    PollInfo, PutResult, SchemaAsIpc, SchemaResult, Ticket,
};
use arrow_ipc::writer::IpcWriteOptions;
use futures_util::{Stream, stream};
use slider_attacks::{Backend, Cpu};
use tokio::sync::mpsc;
use tonic::{Code, Request, Response, Status, Streaming};
use tracing::info;

use super::driven::OpenStreams;
use super::exchange::{Exchange, StreamTally};
use super::guard::{Client, OpenStream, Streams};
use super::held::Begun;
use super::metrics::Metrics;
use super::pool::FairPool;
use crate::{CALLS, Call, Error};

/// Actions and what they answer.
const ACTIONS: [(&str, &str); 2] = [
    ("cpu", "What was detected about the CPU of the server, and which backend computes"),
    ("health", "The word serving"),
];

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::TooLarge(message) => Status::resource_exhausted(message),
            Error::Invalid(message) => Status::invalid_argument(message),
        }
    }
}

/// The service.
#[derive(Clone)]
pub struct Flight {
    /// What computes.
    pub backend: Backend,
    /// Where it computes.
    pub pool: Arc<FairPool>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// How long a client may be silent.
    pub idle: Duration,
    /// How many streams may be open.
    pub streams: Streams,
    /// Those that are open.
    pub watched: OpenStreams,
    /// What is counted.
    pub metrics: Metrics,
}

impl Flight {
    /// The call that a descriptor names.
    pub fn call(&self, descriptor: &FlightDescriptor) -> Result<Call, Error> {
        match (descriptor.r#type(), descriptor.path.as_slice()) {
            (DescriptorType::Cmd, _) => Call::of_command(&descriptor.cmd, self.backend),
            (DescriptorType::Path, [name]) => Call::named(name, self.backend),
            _ => Err(Error::Invalid("the descriptor: expected a path of one name, or a command".into())),
        }
    }

    fn info(&self, descriptor: FlightDescriptor) -> Result<FlightInfo, Status> {
        let call = self.call(&descriptor)?;
        let info = FlightInfo::new().with_descriptor(descriptor).try_with_schema(&call.described());
        info.map_err(|error| Status::internal(error.to_string()))
    }

    /// Counts a request that ended.
    fn ended(&self, call: &str, code: Code) {
        self.metrics.requests.with_label_values(&[call, &format!("{code:?}")]).inc();
    }

    /// The same for a request that is answered at once.
    fn answered<T>(&self, call: &str, answer: Result<T, Status>) -> Result<Response<T>, Status> {
        self.ended(call, answer.as_ref().map_or_else(Status::code, |_| Code::Ok));
        answer.map(Response::new)
    }

    /// Answers a stream, and notes how that ended.
    async fn exchange(self, open: OpenStream, client: Client, exchange: Exchange) {
        let output = exchange.output.clone();
        let mut ending =
            Ending { flight: &self, client, start: Instant::now(), tally: StreamTally::default(), code: None };
        let result = exchange.run(&self, &mut ending.tally).await;
        ending.code = Some(result.as_ref().map_or_else(Status::code, |()| Code::Ok));
        drop((ending, open));
        if let Err(status) = result {
            // A client that has gone does not read this.
            let _ = output.send(Err(status)).await;
        }
    }
}

/// Notes how a stream ended, at the latest when the client has gone and it is dropped.
struct Ending<'a> {
    flight: &'a Flight,
    client: Client,
    start: Instant,
    tally: StreamTally,
    code: Option<Code>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let StreamTally { call, batches, rows, bytes_in, bytes_out } = self.tally;
        let code = self.code.unwrap_or(Code::Cancelled);
        self.flight.ended(call, code);
        let ms = self.start.elapsed().as_millis() as u64;
        // No more than the code of a status: its message may have data.
        info!(client = %self.client, call, batches, rows, bytes_in, bytes_out, ms, status = ?code, "stream ended");
    }
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The answer to a call of Flight that this service does not have.
fn not_served<T>(name: &str) -> Result<Response<T>, Status> {
    Err(Status::unimplemented(format!("{name} is not served: DoExchange is")))
}

#[tonic::async_trait]
impl FlightService for Flight {
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListFlightsStream = Answers<FlightInfo>;
    type DoGetStream = Answers<FlightData>;
    type DoPutStream = Answers<PutResult>;
    type DoActionStream = Answers<arrow_flight::Result>;
    type ListActionsStream = Answers<ActionType>;
    type DoExchangeStream = Answers<FlightData>;

    async fn do_exchange(
        &self,
        request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        let known = |what| Status::internal(format!("the {what} of the stream is not known"));
        let client = request.extensions().get::<Client>().cloned().ok_or_else(|| known("client"))?;
        let begun = request.extensions().get::<Begun>().cloned().ok_or_else(|| known("size"))?;
        let open = self.streams.open(client.clone()).map_err(|(limit, most)| {
            self.metrics.refused.with_label_values(&[limit]).inc();
            self.ended("unknown", Code::ResourceExhausted);
            let whose = if limit == "streams" { "" } else { " of one client" };
            Status::resource_exhausted(format!("at most {most} streams{whose} are served at a time"))
        })?;
        // One message waits while another is sent. What the client does not take is not computed.
        let (output, answers) = mpsc::channel(1);
        let exchange = Exchange { begun, input: request.into_inner(), output };
        let work = Box::pin(self.clone().exchange(open, client, exchange));
        Ok(Response::new(Box::pin(self.watched.drive(work, answers))))
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Result<Response<Self::ListFlightsStream>, Status> {
        let info = |name: &str| self.info(FlightDescriptor::new_path(vec![name.to_owned()]));
        let infos: Vec<_> = CALLS.iter().map(|(name, _)| info(name)).collect();
        self.answered("list_flights", Ok(Box::pin(stream::iter(infos))))
    }

    async fn get_flight_info(&self, request: Request<FlightDescriptor>) -> Result<Response<FlightInfo>, Status> {
        self.answered("get_flight_info", self.info(request.into_inner()))
    }

    async fn get_schema(&self, request: Request<FlightDescriptor>) -> Result<Response<SchemaResult>, Status> {
        let answer = self.call(request.get_ref()).map_err(Status::from).and_then(|call| {
            let schema = SchemaAsIpc::new(&call.described(), &IpcWriteOptions::default()).try_into();
            schema.map_err(|error: arrow_schema::ArrowError| Status::internal(error.to_string()))
        });
        self.answered("get_schema", answer)
    }

    async fn do_action(&self, request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        let answer = match request.get_ref().r#type.as_str() {
            "cpu" => Ok(format!("{}\ncomputing {}\n", Cpu::detect(), self.backend)),
            "health" => Ok("serving".to_owned()),
            _ => Err(Status::invalid_argument(format!(
                "expected one of the actions {}",
                ACTIONS.map(|(name, _)| name).join(", ")
            ))),
        };
        let answer = answer.map(|text| arrow_flight::Result { body: text.into() });
        self.answered("do_action", answer.map(|answer| Box::pin(stream::iter([Ok(answer)])) as Self::DoActionStream))
    }

    async fn list_actions(&self, _: Request<Empty>) -> Result<Response<Self::ListActionsStream>, Status> {
        let action = |(name, what): (&str, &str)| Ok(ActionType { r#type: name.into(), description: what.into() });
        self.answered("list_actions", Ok(Box::pin(stream::iter(ACTIONS.map(action)))))
    }

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        not_served("Handshake")
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Result<Response<PollInfo>, Status> {
        not_served("PollFlightInfo")
    }

    async fn do_get(&self, _: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        not_served("DoGet")
    }

    async fn do_put(&self, _: Request<Streaming<FlightData>>) -> Result<Response<Self::DoPutStream>, Status> {
        not_served("DoPut")
    }
}
