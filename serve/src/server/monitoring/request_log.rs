//! The outermost layer: numbers each request, and records its result in the metrics and the log.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body::{Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::Service;
use tracing::{debug, info};

use super::metrics::{Metrics, SUMMARIZE};
use crate::CALLS;
use crate::server::connection::client::{Client, Peer, counted};
use crate::server::http::left_out::LeftOutRows;
use crate::server::limits::rates::Rates;
use crate::server::refusal::{Protocol, Refusal};

/// The record of a request.
pub struct Record {
    number: u64,
    peer: Peer,
    start: Instant,
    /// Who asks, once that is known.
    pub client: OnceLock<Client>,
    /// The call, once it is known.
    pub call: OnceLock<&'static str>,
    batches: AtomicU64,
    rows: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    /// The rows that have no answer.
    pub left_out: LeftOutRows,
}

impl Record {
    /// Notes that results were sent.
    pub fn sent(&self, rows: u64, bytes: u64) {
        self.rows.fetch_add(rows, Relaxed);
        self.bytes_out.fetch_add(bytes, Relaxed);
    }

    /// Notes that a batch of this many bytes was answered in full.
    pub fn finished(&self, bytes: u64) {
        self.batches.fetch_add(1, Relaxed);
        self.bytes_in.fetch_add(bytes, Relaxed);
    }
}

/// The calls that are streams.
fn is_stream(call: &str) -> bool {
    call == SUMMARIZE || CALLS.iter().any(|(name, _)| *name == call)
}

/// The shared state of the layer.
pub struct RequestCounters {
    /// The metrics.
    pub metrics: Metrics,
    /// How many lines of each client are logged.
    pub lines: Rates,
    /// The number of requests so far.
    pub requests: AtomicU64,
}

/// Records the result of each request of a service.
#[derive(Clone)]
pub struct RequestRecorder<S> {
    /// The service.
    pub inner: S,
    /// The shared state.
    pub notes: Arc<RequestCounters>,
    /// The protocol, which determines how the end of a request is detected.
    pub protocol: Protocol,
}

impl<S> Service<Request<Body>> for RequestRecorder<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Some(peer) = request.extensions().get::<Peer>().cloned() else {
            let refused = self.protocol.refuse(Refusal::unknown("peer"));
            return Box::pin(async { Ok(refused) });
        };
        let record = Arc::new(Record {
            number: self.notes.requests.fetch_add(1, Relaxed) + 1,
            peer,
            start: Instant::now(),
            client: OnceLock::new(),
            call: OnceLock::new(),
            batches: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            left_out: LeftOutRows::default(),
        });
        if request.uri().path().starts_with("/grpc.health.") {
            let _ = record.call.set("health");
        }
        request.extensions_mut().insert(record.clone());
        let mut ending = RequestEnd { record, notes: self.notes.clone(), code: None };
        let protocol = self.protocol;
        let answer = self.inner.call(request);
        Box::pin(async move {
            let Ok(answer) = answer.await;
            match answer.extensions().get::<Code>() {
                // It is answered with what is there already.
                Some(&code) => ending.note(code),
                None => ending.look_at(answer.headers()),
            }
            Ok(answer.map(|body| Body::new(RecordedBody { body, ending, protocol })))
        })
    }
}

/// The body of a response, which ends with or without the status.
struct RecordedBody {
    body: Body,
    ending: RequestEnd,
    protocol: Protocol,
}

impl http_body::Body for RecordedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(trailers) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.trailers_ref()) {
            self.ending.look_at(trailers);
        }
        if self.protocol == Protocol::Http && self.ending.code.is_none() {
            match &frame {
                None => self.ending.note(Code::Ok),
                Some(Err(status)) => self.ending.note(status.code()),
                Some(Ok(_)) => {}
            }
        }
        Poll::Ready(frame)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// Records how a request ended, at the latest when it is dropped because the client has gone.
struct RequestEnd {
    record: Arc<Record>,
    notes: Arc<RequestCounters>,
    code: Option<Code>,
}

impl RequestEnd {
    fn look_at(&mut self, headers: &HeaderMap) {
        if let Some(status) = headers.get("grpc-status")
            && self.code.is_none()
        {
            self.note(Code::from_bytes(status.as_bytes()));
        }
    }

    fn note(&mut self, code: Code) {
        self.code = Some(code);
        let Record { number, peer, start, client, call, batches, rows, bytes_in, bytes_out, left_out } = &*self.record;
        let call = call.get().copied().unwrap_or("unknown");
        self.notes.metrics.requests.with_label_values(&[call, &format!("{code:?}")]).inc();
        let ms = start.elapsed().as_millis() as u64;
        let (peer, connection) = (peer.address, peer.connection);
        let unknown = Client::At(counted(peer.ip()));
        let client = client.get();
        let [batches, rows, bytes_in, bytes_out] =
            [batches, rows, bytes_in, bytes_out].map(|count| count.load(Relaxed));
        let [skipped, left_out] = left_out.counts();
        let is_stream = is_stream(call);
        if code == Code::Ok && !is_stream {
            return debug!(connection, request = number, %peer, call, ms, "request ended");
        }
        // So many lines were left out before this one, because they were too many.
        let Ok(omitted) = self.notes.lines.take(client.unwrap_or(&unknown)) else {
            return self.notes.metrics.omitted_lines.inc();
        };
        let what = if is_stream { "stream" } else { "request" };
        // No more than the code of a status: its message may have data.
        let client = client.map_or_else(|| "unknown".to_owned(), Client::to_string);
        info!(connection, request = number, %peer, client, call, batches, rows, skipped, left_out, bytes_in, bytes_out, ms,
            status = ?code, omitted, "{what} ended");
    }
}

impl Drop for RequestEnd {
    fn drop(&mut self) {
        if self.code.is_none() {
            self.note(Code::Cancelled);
        }
    }
}
