//! How many bytes of messages are held at a time.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use http_body::{Body, Frame};
use prometheus::IntGauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

/// The number of bytes before a message of gRPC: whether it is compressed, and its length in four bytes.
const PREFIX: usize = 5;

/// The bytes that may be held over all streams. A client waits before it may send a message beyond that.
#[derive(Clone)]
pub struct MessageBudget {
    bytes: Arc<Semaphore>,
    most_bytes_of_message: usize,
    held: IntGauge,
}

impl MessageBudget {
    /// A budget of `bytes`.
    pub fn new(bytes: usize, most_bytes_of_message: usize, held: IntGauge) -> MessageBudget {
        MessageBudget { bytes: Arc::new(Semaphore::new(bytes)), most_bytes_of_message, held }
    }
}

/// The bytes of a message, until it is dropped.
pub struct HeldMessage {
    bytes: u32,
    gauge: IntGauge,
    _permit: OwnedSemaphorePermit,
}

impl Drop for HeldMessage {
    fn drop(&mut self) {
        self.gauge.sub(self.bytes.into());
    }
}

/// The messages of a stream that have begun to come, oldest first.
#[derive(Clone, Default)]
pub struct Begun(Arc<Mutex<VecDeque<HeldMessage>>>);

impl Begun {
    /// The oldest of them, which has come in full.
    pub fn pop(&self) -> Option<HeldMessage> {
        self.0.lock().expect("nothing panics while it is locked").pop_front()
    }

    fn push(&self, held: HeldMessage) {
        self.0.lock().expect("nothing panics while it is locked").push_back(held);
    }
}

type WaitingForBytes = Pin<Box<dyn Future<Output = OwnedSemaphorePermit> + Send>>;

/// The body of a request that takes the bytes of a message from the budget before it lets the message begin. A stream
/// that waits for that holds only whole messages, which are answered without any more of it, so streams never wait for
/// each other in a circle.
pub struct Metered<B> {
    body: B,
    budget: MessageBudget,
    begun: Begun,
    /// What came and was not handed on.
    rest: Bytes,
    /// The beginning of a prefix.
    prefix: BytesMut,
    /// How many bytes of a message are still to be handed on.
    missing: usize,
    /// For this many bytes.
    waiting: Option<(u32, WaitingForBytes)>,
    /// The length of a message was not believed. All that comes is handed on, to be refused.
    is_refused: bool,
}

impl<B> Metered<B> {
    /// Meters this body.
    pub fn new(body: B, budget: MessageBudget, begun: Begun) -> Metered<B> {
        let (rest, prefix) = (Bytes::new(), BytesMut::new());
        Metered { body, budget, begun, rest, prefix, missing: 0, waiting: None, is_refused: false }
    }
}

impl<B: Body<Data = Bytes, Error = Status> + Unpin> Body for Metered<B> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        loop {
            if let Some((bytes, waiting)) = &mut this.waiting {
                let (bytes, permit) = (*bytes, ready!(waiting.as_mut().poll(context)));
                this.waiting = None;
                this.budget.held.add(bytes.into());
                this.begun.push(HeldMessage { bytes, gauge: this.budget.held.clone(), _permit: permit });
                this.missing = bytes as usize;
                return Poll::Ready(Some(Ok(Frame::data(this.prefix.split().freeze()))));
            }
            if this.rest.is_empty() {
                match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(data) => this.rest = data,
                        Err(other) => return Poll::Ready(Some(Ok(other))),
                    },
                    // The reader of messages would take an end after a prefix for the end of the message before it.
                    None if this.missing > 0 || !this.prefix.is_empty() => {
                        (this.missing, this.is_refused) = (0, true);
                        this.prefix.clear();
                        return Poll::Ready(Some(Err(Status::data_loss("the stream ended within a message"))));
                    }
                    end => return Poll::Ready(end),
                }
            } else if this.is_refused {
                return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut this.rest)))));
            } else if this.missing > 0 {
                let part = this.rest.split_to(this.missing.min(this.rest.len()));
                this.missing -= part.len();
                return Poll::Ready(Some(Ok(Frame::data(part))));
            } else {
                let part = this.rest.split_to((PREFIX - this.prefix.len()).min(this.rest.len()));
                this.prefix.extend_from_slice(&part);
                if this.prefix.len() < PREFIX {
                    continue;
                }
                let bytes = (&this.prefix[1..]).get_u32();
                if bytes as usize > this.budget.most_bytes_of_message {
                    this.is_refused = true;
                    return Poll::Ready(Some(Ok(Frame::data(this.prefix.split().freeze()))));
                }
                let budget = this.budget.bytes.clone();
                let permit = async move { budget.acquire_many_owned(bytes).await.expect("it is never closed") };
                this.waiting = Some((bytes, Box::pin(permit)));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.prefix.is_empty() && self.waiting.is_none() && self.body.is_end_stream()
    }
}
