//! The stream format of Arrow: <https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format>.
//!
//! [`Decoder`](crate::Decoder) reads the content of messages, as for Flight. This module finds their boundaries, and encodes
//! results.

use arrow_array::{Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_flight::SchemaAsIpc;
use arrow_ipc as ipc;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::{DataType, Schema};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use flatbuffers::FlatBufferBuilder;

use super::grpc::{Data, FlightAnswer};
use super::incoming::{Incoming, MessageBuffer};
use crate::decode::{HEADER_BYTES, root};
use crate::server::limits::budget::{HeldBytes, SHORT};
use crate::server::refusal::Refusal;

/// The marker before the length of a header.
const CONTINUATION: u32 = 0xffff_ffff;
/// What ends a stream: a header of no bytes.
pub const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// Headers are as long as a multiple of this.
const PADDED: usize = 8;

/// The messages of a stream of Arrow in the body of a request.
pub struct Encapsulated {
    /// The body.
    pub incoming: Incoming,
    /// The most bytes of a message.
    pub most: usize,
    has_ended: bool,
}

impl Encapsulated {
    /// The messages of this body, each of at most `most` bytes.
    pub fn new(incoming: Incoming, most: usize) -> Encapsulated {
        Encapsulated { incoming, most, has_ended: false }
    }

    /// The next header with its arrays, and what is held for them.
    pub async fn next(&mut self) -> Result<Option<(Data, Option<HeldBytes>)>, Refusal> {
        let most = self.most;
        let incoming = &mut self.incoming;
        if !incoming.fill("the next message").await? {
            // It need not have an end of its own.
            return Ok(None);
        }
        if self.has_ended {
            return Err(Refusal::content("trailing bytes after the end of the Arrow stream"));
        }
        let mut length = number(incoming).await?;
        if length == CONTINUATION {
            length = number(incoming).await?;
        }
        let length = length as usize;
        if length == 0 {
            self.has_ended = true;
            return match incoming.fill("the end of the body").await? {
                true => Err(Refusal::content("trailing bytes after the end of the Arrow stream")),
                false => Ok(None),
            };
        }
        if length > HEADER_BYTES {
            return Err(Refusal::content(format!(
                "the body is not an Arrow stream: a header has at most {HEADER_BYTES} bytes, found {length}"
            )));
        }
        let mut header = MessageBuffer::new(length, |_| Some(0));
        incoming.take(&mut header, &mut None, true).await?;
        let header = header.into_bytes();
        let malformed = |what: &str| Refusal::content(format!("a header of the Arrow stream is malformed: {what}"));
        // No more than the length is read of it here.
        let body = root(&header).map_err(|what| malformed(&what))?.bodyLength();
        let body = usize::try_from(body).map_err(|_| malformed("its length is negative"))?;
        let all = length.saturating_add(body);
        if all > most {
            return Err(Refusal::too_large(format!("a message has at most {most} bytes, found {all}")));
        }
        let mut held = incoming.begin(all as u64);
        let is_short = all as u64 <= SHORT;
        incoming.hold(&mut held, if is_short { all } else { length }).await?;
        let mut arrays = MessageBuffer::new(body, |_| Some(0));
        incoming.take(&mut arrays, &mut held, is_short).await?;
        incoming.patience.restore();
        Ok(Some((Data { descriptor: None, header, body: arrays.into_bytes() }, held)))
    }
}

/// Takes a number of four bytes.
async fn number(incoming: &mut Incoming) -> Result<u32, Refusal> {
    let mut bytes = [0; 4];
    for byte in &mut bytes {
        incoming.some().await?;
        *byte = incoming.rest.get_u8();
    }
    Ok(u32::from_le_bytes(bytes))
}

/// The header in the stream format.
fn framed(header: &[u8]) -> BytesMut {
    let length = header.len().next_multiple_of(PADDED);
    let mut bytes = BytesMut::with_capacity(length + 8);
    bytes.put_u32_le(CONTINUATION);
    bytes.put_u32_le(length as u32);
    bytes.put_slice(header);
    bytes.put_bytes(0, length - header.len());
    bytes
}

/// The beginning of a stream.
pub fn schema(schema: &Schema) -> Bytes {
    let data: arrow_flight::FlightData = SchemaAsIpc::new(schema, &IpcWriteOptions::default()).into();
    framed(&data.data_header).freeze()
}

/// The batch in the stream format.
pub fn batch(batch: &RecordBatch) -> Result<FlightAnswer, Refusal> {
    let (header, body) = header_and_arrays(batch)?;
    Ok(FlightAnswer { start: framed(&header).freeze(), body, held: None })
}

/// The header of the message of a batch, and its arrays.
pub fn header_and_arrays(batch: &RecordBatch) -> Result<(Vec<u8>, Bytes), Refusal> {
    if let Some((header, values)) = message_of_integers(batch) {
        return Ok((header, Bytes::from_owner(values)));
    }
    let (mut dictionaries, options) = (DictionaryTracker::new(false), IpcWriteOptions::default());
    let encoded =
        IpcDataGenerator::default().encode(batch, &mut dictionaries, &options, &mut IpcWriteContext::default());
    let (_, message) = encoded.map_err(|_| Refusal::internal("the results cannot be written"))?;
    Ok((message.ipc_message, message.arrow_data.into()))
}

/// A batch of one column of 64-bit integers without nulls as the header of a message and its body, in which the integers
/// are not copied.
fn message_of_integers(batch: &RecordBatch) -> Option<(Vec<u8>, ScalarBuffer<u8>)> {
    let [column] = batch.columns() else { return None };
    if column.null_count() > 0 || !matches!(column.data_type(), DataType::UInt64 | DataType::Int64) {
        return None;
    }
    let data = column.to_data();
    let values = data.buffers()[0].slice_with_length(8 * data.offset(), 8 * data.len());
    let (rows, bytes) = (data.len() as i64, values.len() as i64);
    let mut builder = FlatBufferBuilder::with_capacity(256);
    // No buffer of nulls, then the values.
    let buffers = builder.create_vector(&[ipc::Buffer::new(0, 0), ipc::Buffer::new(0, bytes)]);
    let nodes = builder.create_vector(&[ipc::FieldNode::new(rows, 0)]);
    let batch = ipc::RecordBatchArgs { length: rows, nodes: Some(nodes), buffers: Some(buffers), ..Default::default() };
    let batch = ipc::RecordBatch::create(&mut builder, &batch);
    let message = ipc::MessageArgs {
        version: ipc::MetadataVersion::V5,
        header_type: ipc::MessageHeader::RecordBatch,
        header: Some(batch.as_union_value()),
        bodyLength: bytes,
        custom_metadata: None,
    };
    let message = ipc::Message::create(&mut builder, &message);
    builder.finish(message, None);
    Some((builder.finished_data().to_vec(), ScalarBuffer::from(values)))
}
