//! Messages of gRPC in the bodies of HTTP/2, for [`Exchange`](super::exchange) and [`Flight`](super::flight).
//!
//! tonic reads and writes messages as well. It copies each one, reserves what a length announces, and calls the mistakes of
//! clients internal errors. Here, bytes are charged as they come, a message is laid out so that its arrays are aligned,
//! and results are written from where they were computed.
//! The protocol: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::FlightDescriptor;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::stream;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use prost::Message;
use tonic::Status;
use tonic::body::Body;

use super::budget::{Budget, Held, SHORT};
use super::client::{Client, Peer};
use super::patience::{Excuse, Patience};

/// The number of bytes before a message: whether it is compressed, and its length in four bytes.
const PREFIX: usize = 5;
/// Memory of at most this many bytes is taken for a message of which nothing came.
const FIRST_BUFFER: usize = 64 << 10;
/// Arrays begin at multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// The messages in the body of a request.
pub struct Messages {
    body: Body,
    /// What came and was not handed on.
    rest: Bytes,
    /// The most bytes of a message.
    most: usize,
    patience: Patience,
    /// How long a message may wait for room.
    most_waiting: Duration,
    charged: Option<(Budget, Client)>,
    /// Of the connection.
    unread: Arc<Excuse>,
    /// Of the stream.
    unanswered: Arc<Excuse>,
}

impl Messages {
    /// The messages of this request, each of at most `most` bytes. A client may keep the server waiting for as long as
    /// `patience` lasts, and the server a client for `most_waiting`.
    pub fn new(
        request: Request<Body>,
        most: usize,
        patience: Patience,
        most_waiting: Duration,
    ) -> Result<Messages, Status> {
        if let Some(encoding) = request.headers().get("grpc-encoding").filter(|value| *value != "identity") {
            let encoding: String = encoding.to_str().unwrap_or("?").chars().take(40).collect();
            return Err(Status::unimplemented(format!("messages compressed with {encoding:?} are not taken")));
        }
        let unread = request.extensions().get::<Peer>().map(|peer| peer.unread.clone());
        let unread = unread.ok_or_else(|| Status::internal("the peer is not known"))?;
        let body = request.into_body();
        Ok(Messages {
            body,
            rest: Bytes::new(),
            most,
            patience,
            most_waiting,
            charged: None,
            unread,
            unanswered: Arc::default(),
        })
    }

    /// Charges what comes to this client.
    pub fn charge(self, budget: Budget, client: Client) -> Messages {
        Messages { charged: Some((budget, client)), ..self }
    }

    /// What excuses the client while the server does not read all streams of its connection.
    pub fn unread(&self) -> Arc<Excuse> {
        self.unread.clone()
    }

    /// What excuses the client while it waits for answers.
    pub fn unanswered(&self) -> Arc<Excuse> {
        self.unanswered.clone()
    }

    /// How long a client waits for room at most.
    pub fn most_waiting(&self) -> Duration {
        self.most_waiting
    }

    /// The next one, and what is held for it.
    pub async fn next(&mut self) -> Result<Option<(Bytes, Option<Held>)>, Status> {
        if self.rest.is_empty() {
            match self.part().await {
                Some(Ok(Some(bytes))) => self.rest = bytes,
                Some(Ok(None)) => return Ok(None),
                Some(Err(status)) => return Err(status),
                None => return Err(Status::deadline_exceeded("the next message did not come in time")),
            }
        }
        let mut prefix = [0; PREFIX];
        for byte in &mut prefix {
            self.some().await?;
            *byte = self.rest.get_u8();
        }
        let [flag, length @ ..] = prefix;
        match flag {
            0 => {}
            1 => return Err(Status::unimplemented("compressed messages are not taken")),
            _ => return Err(Status::invalid_argument(format!("the flags of a message: expected 0, found {flag}"))),
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > self.most {
            let most = self.most;
            return Err(Status::out_of_range(format!("a message has at most {most} bytes, found {length}")));
        }
        let mut held = self.charged.as_ref().map(|(budget, client)| budget.begin(client, length as u64));
        let is_short = length as u64 <= SHORT;
        if is_short {
            self.hold(&mut held, length).await?;
        }
        let mut buffer = MessageBuffer::new(length);
        while buffer.missing() > 0 {
            self.some().await?;
            let part = self.rest.split_to(self.rest.len().min(buffer.missing()));
            if !is_short {
                self.hold(&mut held, part.len()).await?;
            }
            buffer.push(&part);
        }
        self.patience.restore();
        Ok(Some((buffer.into_bytes(), held)))
    }

    /// Waits until there is something of a message that has begun.
    async fn some(&mut self) -> Result<(), Status> {
        if self.rest.is_empty() {
            match self.part().await {
                Some(Ok(Some(bytes))) => {
                    self.patience.regain(bytes.len());
                    self.rest = bytes;
                }
                Some(Ok(None)) => return Err(Status::data_loss("the stream ended within a message")),
                Some(Err(status)) => return Err(status),
                None => return Err(Status::deadline_exceeded("the rest of a message did not come in time")),
            }
        }
        Ok(())
    }

    /// The next bytes. There are none if patience is over.
    async fn part(&mut self) -> Option<Result<Option<Bytes>, Status>> {
        self.patience.wait(part(&mut self.body), [&self.unread, &self.unanswered]).await
    }

    async fn hold(&mut self, held: &mut Option<Held>, bytes: usize) -> Result<(), Status> {
        let Some(held) = held else { return Ok(()) };
        if held.try_take(bytes as u64).is_ok() {
            return Ok(());
        }
        let _unread = self.unread.during();
        Ok(held.take(bytes as u64, self.most_waiting).await?)
    }
}

/// The next bytes of a body.
async fn part(body: &mut Body) -> Result<Option<Bytes>, Status> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data()
            && !data.is_empty()
        {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// A message that comes in parts. It is laid out so that the body of Arrow's data, which is the last field, begins at a
/// multiple of [`ALIGNMENT`]. After [`FIRST_BUFFER`], it has addresses for all of it; memory comes when it is written.
struct MessageBuffer {
    length: usize,
    bytes: Vec<u8>,
    /// Where the message begins in `bytes`.
    start: usize,
}

impl MessageBuffer {
    fn new(length: usize) -> MessageBuffer {
        MessageBuffer { length, bytes: Vec::new(), start: 0 }
    }

    fn missing(&self) -> usize {
        self.length + self.start - self.bytes.len()
    }

    fn push(&mut self, part: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < part.len() {
            let came = self.bytes.len() - self.start;
            let capacity = if came + part.len() <= FIRST_BUFFER { self.length.min(FIRST_BUFFER) } else { self.length };
            let mut bytes: Vec<u8> = Vec::with_capacity(capacity + ALIGNMENT);
            let body = if came == 0 { body_offset(part) } else { body_offset(&self.bytes[self.start..]) };
            let start = body.map_or(0, |body| (bytes.as_ptr() as usize + body).wrapping_neg() % ALIGNMENT);
            bytes.resize(start, 0);
            bytes.extend_from_slice(&self.bytes[self.start..]);
            (self.bytes, self.start) = (bytes, start);
        }
        self.bytes.extend_from_slice(part);
    }

    fn into_bytes(self) -> Bytes {
        Bytes::from(self.bytes).slice(self.start..)
    }
}

/// A message of Flight's data.
#[derive(Debug, Default)]
pub struct Data {
    /// What is called, in the first message.
    pub descriptor: Option<FlightDescriptor>,
    /// The header of a message of Arrow.
    pub header: Bytes,
    /// The arrays.
    pub body: Bytes,
}

/// The numbers of the fields of `FlightData`.
const DESCRIPTOR: u64 = 1;
const HEADER: u64 = 2;
const BODY: u64 = 1000;
/// A message has four fields. Others may come in later versions.
const MOST_FIELDS: usize = 100;

impl Data {
    /// Reads a message of Flight's data, of which it shares the bytes. A descriptor has at most `most_descriptor` bytes.
    pub fn decode(message: &Bytes, most_descriptor: usize) -> Result<Data, Status> {
        let malformed = || Status::invalid_argument("a message is no FlightData of Arrow Flight");
        let mut data = Data::default();
        let mut rest = &message[..];
        for _ in 0..MOST_FIELDS {
            if rest.is_empty() {
                return Ok(data);
            }
            let (number, content) = field(&mut rest).ok_or_else(malformed)?;
            let content = || content.map(|content| message.slice_ref(content)).ok_or_else(malformed);
            match number {
                DESCRIPTOR if data.descriptor.is_some() => return Err(malformed()),
                DESCRIPTOR => {
                    let content = content()?;
                    let length = content.len();
                    if length > most_descriptor {
                        return Err(Status::out_of_range(format!(
                            "a descriptor has at most {most_descriptor} bytes, found {length}"
                        )));
                    }
                    data.descriptor = Some(FlightDescriptor::decode(content).map_err(|_| malformed())?);
                }
                HEADER => data.header = content()?,
                BODY => data.body = content()?,
                _ => {}
            }
        }
        Err(malformed())
    }
}

/// Takes a field of a message of protobuf: its number, and its content if it has a length.
fn field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Option<&'a [u8]>)> {
    let key = number(rest)?;
    let content = match key & 7 {
        0 => number(rest).map(|_| None)?,
        1 => rest.split_off(..8).map(|_| None)?,
        2 => Some(usize::try_from(number(rest)?).ok().and_then(|length| rest.split_off(..length))?),
        5 => rest.split_off(..4).map(|_| None)?,
        _ => return None,
    };
    Some((key >> 3, content))
}

/// Takes a number of protobuf, of seven bits per byte.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *rest.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Where the body of a message of Flight's data begins, if that is in its first part.
fn body_offset(part: &[u8]) -> Option<usize> {
    let mut rest = part;
    while !rest.is_empty() {
        let before = rest;
        if let Some((number, content)) = field(&mut rest) {
            if number == BODY {
                return content.map(|content| content.as_ptr() as usize - part.as_ptr() as usize);
            }
            continue;
        }
        // It is cut off, as the body mostly is.
        rest = before;
        let is_body = number(&mut rest)? == BODY << 3 | 2;
        number(&mut rest)?;
        return is_body.then(|| part.len() - rest.len());
    }
    None
}

/// A message of Flight's data, as it is written.
pub struct Answer {
    /// What comes before the arrays.
    pub start: Bytes,
    /// The arrays, unless they are few.
    pub body: Bytes,
}

impl Answer {
    /// The message of this header and these arrays.
    pub fn new(header: &[u8], body: Bytes) -> Answer {
        /// Longer arrays are not copied.
        const COPIED: usize = 32 << 10;
        let mut start = BytesMut::with_capacity(header.len() + 32 + if body.len() <= COPIED { body.len() } else { 0 });
        start.put_bytes(0, PREFIX);
        for (number, content) in [(HEADER, header.len()), (BODY, body.len())] {
            if content > 0 {
                put_number(&mut start, number << 3 | 2);
                put_number(&mut start, content as u64);
                if number == HEADER {
                    start.put_slice(header);
                }
            }
        }
        let length = start.len() - PREFIX + body.len();
        let length = u32::try_from(length).expect("results are cut into pieces");
        start[1..PREFIX].copy_from_slice(&length.to_be_bytes());
        let body = if body.len() <= COPIED {
            start.put_slice(&body);
            Bytes::new()
        } else {
            body
        };
        Answer { start: start.freeze(), body }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.start.len() + self.body.len()
    }
}

fn put_number(bytes: &mut BytesMut, mut number: u64) {
    while number >= 0x80 {
        bytes.put_u8(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.put_u8(number as u8);
}

/// The response of these messages.
pub fn whole(messages: &[impl Message]) -> Response<Body> {
    let mut bytes = BytesMut::new();
    for message in messages {
        bytes.put_u8(0);
        bytes.put_u32(u32::try_from(message.encoded_len()).expect("it is short"));
        message.encode(&mut bytes).expect("memory grows");
    }
    let frames = [Frame::data(bytes.freeze()), Frame::trailers(trailers(Ok(())))];
    response(Body::new(StreamBody::new(stream::iter(frames.map(Ok::<_, Infallible>)))))
}

/// The response with this body.
pub fn response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// What stands after the last message: how it ended.
pub fn trailers(ended: Result<(), Status>) -> HeaderMap {
    let status = ended.err().unwrap_or_else(|| Status::new(tonic::Code::Ok, ""));
    let mut trailers = HeaderMap::new();
    if status.add_header(&mut trailers).is_err() {
        trailers.insert("grpc-status", HeaderValue::from_static("2"));
    }
    trailers
}
