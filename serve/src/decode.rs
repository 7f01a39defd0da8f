//! Record batches from the messages of a stream.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_buffer::bit_chunk_iterator::UnalignedBitChunk;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::RecordBatchDecoder;
use arrow_ipc::{self as ipc, Endianness, MessageHeader, root_as_message_with_opts};
use arrow_schema::{DataType, Schema, SchemaRef};
use bytes::Bytes;
use flatbuffers::{InvalidFlatbuffer, VerifierOptions};

use crate::{Call, Error};

/// The most bytes of the header of a message: with the names and types of columns, or the places of their arrays.
pub(crate) const HEADER_BYTES: usize = 256 << 10;

/// Arrays begin at multiples of this many bytes: <https://arrow.apache.org/docs/format/Columnar.html#buffer-alignment-and-padding>.
const ALIGNED: i64 = 8;

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread reads a message, so that a panic is nothing but a malformed message.
#[cfg(feature = "server")]
pub(crate) fn is_reading() -> bool {
    READING.get()
}

/// Reads the messages of one stream, in Arrow's IPC format: a schema, then batches.
///
/// Nothing that a message claims is believed: lengths, offsets and numbers of rows are checked before memory is taken
/// for them. Dictionaries and compressed batches are refused, because a small message of them can stand for much data.
#[derive(Clone, Debug)]
pub struct Decoder {
    call: Arc<Call>,
    most_rows: usize,
    schema: Option<SchemaRef>,
    batches: u64,
}

/// A batch, and its number in the stream, from 0.
#[derive(Clone, Debug)]
pub struct DecodedBatch {
    /// The number.
    pub number: u64,
    /// The rows.
    pub rows: RecordBatch,
}

/// The header of a message, or what is wrong with it.
pub(crate) fn root(header: &[u8]) -> Result<ipc::Message<'_>, String> {
    // Parts of a message may stand for many others: a text, or a table, that is referred to often.
    let options = VerifierOptions { max_depth: 16, max_tables: 1000, max_apparent_size: 1 << 20, ..Default::default() };
    root_as_message_with_opts(&options, header).map_err(|error| match error {
        InvalidFlatbuffer::TooManyTables => "there are more than 100 columns, or much metadata".to_owned(),
        error => error.to_string().lines().next().unwrap_or_default().to_owned(),
    })
}

impl Decoder {
    /// A decoder for a stream of this call, whose batches have at most `most_rows` rows.
    pub fn new(call: Arc<Call>, most_rows: usize) -> Decoder {
        Decoder { call, most_rows, schema: None, batches: 0 }
    }

    /// Reads a message: its header and what follows it. There is a batch in it, or a schema, or nothing.
    ///
    /// # Errors
    ///
    /// The message is malformed, or is refused.
    pub fn read(&mut self, header: &[u8], body: Bytes) -> Result<Option<DecodedBatch>, Error> {
        if header.is_empty() {
            return Ok(None);
        }
        // The reader of Arrow's format panics at some malformed messages.
        READING.set(true);
        let read = catch_unwind(AssertUnwindSafe(|| self.message(header, body)));
        READING.set(false);
        read.unwrap_or_else(|_| Err(self.malformed("lengths or offsets are out of bounds")))
    }

    fn message(&mut self, header: &[u8], body: Bytes) -> Result<Option<DecodedBatch>, Error> {
        if header.len() > HEADER_BYTES {
            let length = header.len();
            return Err(Error::TooLarge(format!("a header has at most {HEADER_BYTES} bytes, found {length}")));
        }
        let message = root(header).map_err(|error| self.malformed(&error))?;
        let missing = || self.malformed("the header is missing");
        match message.header_type() {
            MessageHeader::NONE => Ok(None),
            MessageHeader::Schema => {
                let schema = message.header_as_schema().ok_or_else(missing)?;
                if schema.endianness() != Endianness::Little {
                    return Err(Error::Invalid("the schema: numbers must be little-endian".into()));
                }
                if self.schema.is_some() {
                    return Err(Error::Invalid("expected one schema per stream, found another".into()));
                }
                // Before the types are converted: a name may be repeated as often as the message is long.
                if schema.fields().is_some_and(|fields| fields.len() > 100) {
                    return Err(Error::Invalid("the schema: there are more than 100 columns".into()));
                }
                self.schema = Some(self.call.reads(&fb_to_schema(schema))?);
                Ok(None)
            }
            MessageHeader::RecordBatch => {
                let number = self.batches;
                let batch = message.header_as_record_batch().ok_or_else(missing)?;
                let schema = self.schema.clone().ok_or_else(|| self.malformed("no schema before it"))?;
                let rows = usize::try_from(batch.length()).map_err(|_| self.malformed("its length is negative"))?;
                if rows > self.most_rows {
                    let most = self.most_rows;
                    return Err(Error::TooLarge(format!("batch {number}: expected at most {most} rows, found {rows}")));
                }
                if batch.compression().is_some() {
                    return Err(Error::Invalid(format!("batch {number}: compressed batches are not supported")));
                }
                self.check_nulls(&schema, batch, &body).map_err(|what| self.malformed(&what))?;
                let body = Buffer::from(body);
                let (no_dictionaries, version) = (HashMap::new(), message.version());
                let decoder = RecordBatchDecoder::try_new(&body, batch, schema, &no_dictionaries, &version);
                let rows = decoder.and_then(RecordBatchDecoder::read_record_batch);
                let rows = rows.map_err(|error| self.malformed(&error.to_string()))?;
                if Call::text_bytes(&rows) > 2 * body.len() {
                    return Err(Error::Invalid(format!("batch {number}: its text values overlap")));
                }
                self.batches += 1;
                Ok(Some(DecodedBatch { number, rows }))
            }
            other => {
                let kind = other.variant_name().unwrap_or("unknown messages");
                Err(Error::Invalid(format!("expected a schema or a batch of rows, found {kind}")))
            }
        }
    }

    /// Checks that as many rows are null as a batch says. The reader of Arrow's format believes that: with none, it does not
    /// look at the bits.
    fn check_nulls(&self, schema: &Schema, batch: ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), String> {
        let (nodes, buffers) = (batch.nodes().unwrap_or_default(), batch.buffers().unwrap_or_default());
        // The reader would copy each array that does not begin at a multiple of the length of its values.
        if let Some(buffer) = buffers.iter().find(|buffer| buffer.length() > 0 && buffer.offset() % ALIGNED != 0) {
            let offset = buffer.offset();
            return Err(format!("an array begins at byte {offset}, not a multiple of {ALIGNED}"));
        }
        let bytes = buffers.iter().fold(0_i64, |bytes, buffer| bytes.saturating_add(buffer.length()));
        if usize::try_from(bytes).is_ok_and(|bytes| bytes > body.len()) {
            return Err("its arrays overlap".to_owned());
        }
        let mut views = batch.variadicBufferCounts().into_iter().flatten();
        let mut next = 0;
        for (index, field) in schema.fields().iter().enumerate() {
            let out_of_bounds = || format!("column {}: lengths or offsets are out of bounds", field.name());
            let length = |number: i64| usize::try_from(number).map_err(|_| out_of_bounds());
            if index >= nodes.len() || next >= buffers.len() {
                return Err(format!("column {} is missing", field.name()));
            }
            let (node, bits) = (nodes.get(index), buffers.get(next));
            let (rows, start, bytes) = (length(node.length())?, length(bits.offset())?, length(bits.length())?);
            let nulls = if bytes == 0 {
                0
            } else {
                let bits = start.checked_add(bytes).and_then(|end| body.get(start..end)).ok_or_else(out_of_bounds)?;
                if rows > 8 * bits.len() {
                    return Err(out_of_bounds());
                }
                rows - UnalignedBitChunk::new(bits, 0, rows).count_ones()
            };
            if node.null_count() != nulls as i64 {
                let (name, said) = (field.name(), node.null_count());
                return Err(format!(
                    "column {name}: its validity bitmap has {nulls} nulls, but its header says {said}"
                ));
            }
            next += match field.data_type() {
                DataType::BinaryView => 2 + views.next().map(length).transpose()?.unwrap_or(0),
                DataType::Binary | DataType::LargeBinary => 3,
                _ => 2,
            };
        }
        Ok(())
    }

    /// How many bytes of a message are copied while it is read, at most: arrays that do not begin where their values can be read.
    /// The references of [`DataType::BinaryView`] need multiples of 16 bytes.
    #[cfg(feature = "server")]
    pub(crate) fn copied_bytes(&self, header: &[u8], body: &[u8]) -> u64 {
        let begin = body.as_ptr() as i64;
        let fields = self.schema.iter().flat_map(|schema| schema.fields());
        if begin % ALIGNED == 0 && fields.clone().all(|field| *field.data_type() != DataType::BinaryView) {
            return 0;
        }
        let Some(batch) = root(header).ok().and_then(|message| message.header_as_record_batch()) else { return 0 };
        let (buffers, mut views) =
            (batch.buffers().unwrap_or_default(), batch.variadicBufferCounts().into_iter().flatten());
        let (mut next, mut copied) = (0_usize, 0_u64);
        for field in fields {
            let (count, aligned) = match field.data_type() {
                DataType::BinaryView => (2 + usize::try_from(views.next().unwrap_or(0)).unwrap_or(0), 2 * ALIGNED),
                DataType::Binary | DataType::LargeBinary => (3, ALIGNED),
                _ => (2, ALIGNED),
            };
            // After the bits of the nulls, which may begin anywhere.
            if next + 1 < buffers.len() {
                let values = buffers.get(next + 1);
                let is_copied = begin.wrapping_add(values.offset()) % aligned != 0;
                copied = copied.saturating_add(if is_copied { values.length().max(0) as u64 } else { 0 });
            }
            next = next.saturating_add(count).min(buffers.len());
        }
        // What claims to be more is refused when it is read.
        copied.min(body.len() as u64)
    }

    fn malformed(&self, what: &str) -> Error {
        let what: String = what.chars().take(200).collect();
        match &self.schema {
            None => Error::Invalid(format!("the schema is malformed: {what}")),
            Some(_) => Error::Invalid(format!("batch {} is malformed: {what}", self.batches)),
        }
    }

    /// The schema by which batches are read, once it came.
    pub fn schema(&self) -> Option<&SchemaRef> {
        self.schema.as_ref()
    }
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use arrow_array::{ArrayRef, UInt8Array, UInt64Array};
    use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
    use slider_attacks::Backend;

    use super::*;

    /// Where the body of a message does not begin at a multiple of eight bytes, its arrays are copied.
    #[test]
    fn copies_are_counted() {
        let columns: [(&str, ArrayRef); 2] = [
            ("squares", Arc::new(UInt8Array::from(vec![27; 500]))),
            ("occupancies", Arc::new(UInt64Array::from(vec![5; 500]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let (generator, options) = (IpcDataGenerator::default(), IpcWriteOptions::default());
        let mut tracker = DictionaryTracker::new(false);
        let schema = generator.schema_to_bytes_with_dictionary_tracker(&batch.schema(), &mut tracker, &options);
        let encoded = generator.encode(&batch, &mut tracker, &options, &mut IpcWriteContext::default());
        let (_, message) = encoded.unwrap();
        let mut decoder = Decoder::new(Arc::new(Call::named("rook_attacks", Backend::active()).unwrap()), 500);
        assert!(decoder.read(&schema.ipc_message, Bytes::new()).unwrap().is_none());
        for (shift, expected) in [(0, 0), (8, 0), (1, 4500), (4, 4500)] {
            let mut bytes = vec![0; message.arrow_data.len() + 32];
            let start = (bytes.as_ptr() as usize).wrapping_neg() % 16 + shift;
            bytes[start..][..message.arrow_data.len()].copy_from_slice(&message.arrow_data);
            let body = Bytes::from(bytes).slice(start..start + message.arrow_data.len());
            assert_eq!(decoder.copied_bytes(&message.ipc_message, &body), expected, "{shift}");
            let read = decoder.read(&message.ipc_message, body).unwrap().unwrap();
            assert_eq!(read.rows.columns(), batch.columns(), "{shift}");
        }
    }
}
