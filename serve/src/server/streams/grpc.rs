//! Messages of gRPC in the bodies of HTTP/2, for [`Exchange`](super::exchange) and [`Flight`](crate::server::flight).
//!
//! tonic could read and write messages as well, but it copies each one, allocates the announced length, and reports errors of
//! clients as internal errors. Here, bytes are charged as they arrive, messages are laid out so that their arrays are aligned,
//! and results are written without a copy. The protocol: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.

use std::convert::Infallible;
use std::sync::Arc;

use arrow_flight::FlightDescriptor;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::stream;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http_body::Frame;
use http_body_util::StreamBody;
use prost::Message;
use tonic::Status;
use tonic::body::Body;

use super::incoming::{Incoming, MessageBuffer};
use crate::server::limits::budget::{HeldBytes, SHORT};
use crate::server::refusal::Refusal;

/// The number of bytes before a message: whether it is compressed, and its length in four bytes.
const PREFIX: usize = 5;

/// The messages in the body of a request.
pub struct Messages {
    /// The body.
    pub incoming: Incoming,
    /// The most bytes of a message.
    pub most: usize,
}

/// Refuses messages that are compressed.
pub fn check(headers: &HeaderMap) -> Result<(), Status> {
    if let Some(encoding) = headers.get("grpc-encoding").filter(|value| *value != "identity") {
        let encoding: String = encoding.to_str().unwrap_or("?").chars().take(40).collect();
        return Err(Status::unimplemented(format!("messages compressed with {encoding:?} are not supported")));
    }
    Ok(())
}

impl Messages {
    /// The messages of this body, each of at most `most` bytes.
    pub fn new(incoming: Incoming, most: usize) -> Messages {
        Messages { incoming, most }
    }

    /// The next one, and what is held for it.
    pub async fn next(&mut self) -> Result<Option<(Bytes, Option<HeldBytes>)>, Refusal> {
        let incoming = &mut self.incoming;
        if !incoming.fill("the next message").await? {
            return Ok(None);
        }
        let mut prefix = [0; PREFIX];
        for byte in &mut prefix {
            incoming.some().await?;
            *byte = incoming.rest.get_u8();
        }
        let [flag, length @ ..] = prefix;
        match flag {
            0 => {}
            1 => return Err(Status::unimplemented("compressed messages are not supported").into()),
            _ => return Err(Refusal::invalid(format!("the flags of a message: expected 0, found {flag}"))),
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > self.most {
            let most = self.most;
            return Err(Refusal::too_large(format!("a message has at most {most} bytes, found {length}")));
        }
        let mut held = incoming.begin(length as u64);
        let is_short = length as u64 <= SHORT;
        if is_short {
            incoming.hold(&mut held, length).await?;
        }
        let mut buffer = MessageBuffer::new(length, body_offset);
        incoming.take(&mut buffer, &mut held, is_short).await?;
        incoming.patience.restore();
        Ok(Some((buffer.into_bytes(), held)))
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
    /// Reads a message of Flight's data without copying its bytes. A descriptor has at most `most_descriptor` bytes.
    pub fn decode(message: &Bytes, most_descriptor: usize) -> Result<Data, Status> {
        let malformed = || Status::invalid_argument("the message is not FlightData of Arrow Flight");
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

/// What is held for something until this is dropped.
pub type Kept = Arc<dyn Send + Sync>;

/// A message of Flight's data, as it is written.
pub struct FlightAnswer {
    /// What comes before the arrays.
    pub start: Bytes,
    /// The arrays, unless they are few.
    pub body: Bytes,
    /// What both are charged, until the network has taken them.
    pub held: Option<Kept>,
}

impl FlightAnswer {
    /// The message of this header and these arrays.
    pub fn new(header: &[u8], body: Bytes) -> FlightAnswer {
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
        FlightAnswer { start: start.freeze(), body, held: None }
    }

    /// These bytes, as they are.
    pub fn plain(bytes: impl Into<Bytes>) -> FlightAnswer {
        FlightAnswer { start: bytes.into(), body: Bytes::new(), held: None }
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

/// These messages, as they are written.
pub fn written(messages: &[impl Message]) -> Bytes {
    let mut bytes = BytesMut::new();
    for message in messages {
        bytes.put_u8(0);
        bytes.put_u32(u32::try_from(message.encoded_len()).expect("it is short"));
        message.encode(&mut bytes).expect("memory grows");
    }
    bytes.freeze()
}

/// The response of these bytes.
pub fn whole(bytes: Bytes) -> Response<Body> {
    let frames = [Frame::data(bytes), Frame::trailers(trailers(Ok(())))];
    response(Body::new(StreamBody::new(stream::iter(frames.map(Ok::<_, Infallible>)))))
}

/// The response with this body.
pub fn response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// The status after the last message.
pub fn trailers(ended: Result<(), Status>) -> HeaderMap {
    let status = ended.err().unwrap_or_else(|| Status::new(tonic::Code::Ok, ""));
    let mut trailers = HeaderMap::new();
    if status.add_header(&mut trailers).is_err() {
        trailers.insert("grpc-status", HeaderValue::from_static("2"));
    }
    trailers
}
