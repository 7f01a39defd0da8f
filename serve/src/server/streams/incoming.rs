//! The bytes of a request: charged as they arrive, with timeouts, and decompressed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use tonic::body::Body;
use tonic::{Code, Status};

use super::coding::Unpacking;
use crate::server::connection::client::{Client, Peer};
use crate::server::limits::budget::{Budget, HeldBytes};
use crate::server::limits::patience::{Patience, Pause};
use crate::server::refusal::Refusal;

/// At most this many bytes are allocated for a message before any of it has arrived.
const FIRST_BUFFER: usize = 64 << 10;
/// Arrays begin at multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// The body of a request.
pub struct Incoming {
    body: Body,
    /// What came and was not handed on.
    pub rest: Bytes,
    /// What is left of the client's time.
    pub patience: Patience,
    /// How long a client may wait for room.
    pub most_waiting: Duration,
    charged: Option<(Budget, Client)>,
    /// Paused while the server does not read all streams of its connection.
    pub unread: Arc<Pause>,
    /// Paused while the client waits for answers.
    pub unanswered: Arc<Pause>,
    unpacking: Option<Unpacking>,
}

impl Incoming {
    /// The body of this request. A client may keep the server waiting for as long as `patience` lasts, and the server a client
    /// for `most_waiting`.
    pub fn new(request: Request<Body>, patience: Patience, most_waiting: Duration) -> Result<Incoming, Refusal> {
        let unread = request.extensions().get::<Peer>().map(|peer| peer.unread.clone());
        let unread = unread.ok_or_else(|| Refusal::unknown("peer"))?;
        Ok(Incoming {
            body: request.into_body(),
            rest: Bytes::new(),
            patience,
            most_waiting,
            charged: None,
            unread,
            unanswered: Arc::default(),
            unpacking: None,
        })
    }

    /// Charges messages to this client.
    pub fn charge(self, budget: Budget, client: Client) -> Incoming {
        Incoming { charged: Some((budget, client)), ..self }
    }

    /// Unpacks what comes.
    pub fn unpack(self, unpacking: Option<Unpacking>) -> Incoming {
        Incoming { unpacking, ..self }
    }

    /// Begins to charge a message of this length.
    pub fn begin(&self, length: u64) -> Option<HeldBytes> {
        self.charged.as_ref().map(|(budget, client)| budget.begin(client, length))
    }

    /// Sees to it that there is something in `rest`, unless the body has ended: then it is false. If it is late, `what` did not
    /// come in time.
    pub async fn fill(&mut self, what: &str) -> Result<bool, Refusal> {
        while self.rest.is_empty() {
            if let Some(unpacking) = &mut self.unpacking {
                if let Some(bytes) = unpacking.next().await? {
                    self.rest = bytes;
                    continue;
                }
                if unpacking.has_ended() {
                    return Ok(false);
                }
            }
            let late = || Refusal::late(format!("timed out waiting for {what}"));
            let pauses = [&*self.unread, &*self.unanswered];
            let part = self.patience.wait(part(&mut self.body), pauses).await.ok_or_else(late)??;
            self.patience.regain(part.as_ref().map_or(0, Bytes::len));
            match (&mut self.unpacking, part) {
                (Some(unpacking), part) => unpacking.push(part)?,
                (None, Some(bytes)) => self.rest = bytes,
                (None, None) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Waits until there is something of a message that has begun.
    pub async fn some(&mut self) -> Result<(), Refusal> {
        if !self.fill("the rest of a message").await? {
            return Err(Status::new(Code::DataLoss, "the stream is truncated within a message").into());
        }
        Ok(())
    }

    /// Holds this many bytes more of a message.
    pub async fn hold(&mut self, held: &mut Option<HeldBytes>, bytes: usize) -> Result<(), Refusal> {
        let Some(held) = held else { return Ok(()) };
        if held.try_take(bytes as u64).is_ok() {
            return Ok(());
        }
        let _unread = self.unread.during();
        Ok(held.take(bytes as u64, self.most_waiting).await?)
    }

    /// Takes what is missing of a message. What is not held yet is held as it comes.
    pub async fn take(
        &mut self,
        buffer: &mut MessageBuffer,
        held: &mut Option<HeldBytes>,
        is_held: bool,
    ) -> Result<(), Refusal> {
        while buffer.missing() > 0 {
            self.some().await?;
            let part = self.rest.split_to(self.rest.len().min(buffer.missing()));
            if !is_held {
                self.hold(held, part.len()).await?;
            }
            buffer.push(&part);
        }
        Ok(())
    }
}

/// The next bytes of a body.
async fn part(body: &mut Body) -> Result<Option<Bytes>, Refusal> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(unreadable)?.into_data()
            && !data.is_empty()
        {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The client has gone, or its chunks are malformed.
fn unreadable(status: Status) -> Refusal {
    match status.code() {
        Code::Unknown => Refusal::invalid("the body is malformed or truncated"),
        _ => Refusal { status: StatusCode::BAD_REQUEST, ..status.into() },
    }
}

/// A message that comes in parts. It is laid out so that the arrays in it begin at a multiple of [`ALIGNMENT`]. After
/// [`FIRST_BUFFER`], it has addresses for all of it; memory comes when it is written.
pub struct MessageBuffer {
    length: usize,
    bytes: Vec<u8>,
    /// Where the message begins in `bytes`.
    start: usize,
    /// Where arrays begin in a message that begins so, if that can be seen.
    arrays: fn(&[u8]) -> Option<usize>,
}

impl MessageBuffer {
    /// Room for this many bytes; those from `arrays` on are aligned.
    pub fn new(length: usize, arrays: fn(&[u8]) -> Option<usize>) -> MessageBuffer {
        MessageBuffer { length, bytes: Vec::new(), start: 0, arrays }
    }

    fn missing(&self) -> usize {
        self.length + self.start - self.bytes.len()
    }

    fn push(&mut self, part: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < part.len() {
            let came = self.bytes.len() - self.start;
            let capacity = if came + part.len() <= FIRST_BUFFER { self.length.min(FIRST_BUFFER) } else { self.length };
            let mut bytes: Vec<u8> = Vec::with_capacity(capacity + ALIGNMENT);
            let arrays = (self.arrays)(if came == 0 { part } else { &self.bytes[self.start..] });
            let start = arrays.map_or(0, |arrays| (bytes.as_ptr() as usize + arrays).wrapping_neg() % ALIGNMENT);
            bytes.resize(start, 0);
            bytes.extend_from_slice(&self.bytes[self.start..]);
            (self.bytes, self.start) = (bytes, start);
        }
        self.bytes.extend_from_slice(part);
    }

    /// The message, once nothing is missing.
    pub fn into_bytes(self) -> Bytes {
        Bytes::from(self.bytes).slice(self.start..)
    }
}
