//! One stream: batches in, batches out, in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use arrow_array::{Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_flight::{FlightData, SchemaAsIpc};
use arrow_ipc as ipc;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::DataType;
use bytes::Bytes;
use flatbuffers::FlatBufferBuilder;
use futures_util::{StreamExt, stream};
use prometheus::Histogram;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use super::flight::Flight;
use super::held::{Begun, HeldMessage};
use super::pool::{Lane, Panicked, here};
use crate::{Batch, Call, Decoder};

/// Messages of at most this many bytes are read where they came. To wake another thread would cost more than to copy them.
/// They take about as long to read as the largest pieces take to compute.
const SHORT_MESSAGE: usize = 1 << 20;

/// The two ends of a stream.
pub struct Exchange {
    /// What was taken from the budget for its messages.
    pub begun: Begun,
    /// What the client sends.
    pub input: Streaming<FlightData>,
    /// What it gets.
    pub output: mpsc::Sender<Result<FlightData, Status>>,
}

/// What work costs, as a share of work of this size.
fn cost(size: usize, of: usize) -> u64 {
    1 + 1000 * size as u64 / of as u64
}

/// What was answered.
#[derive(Debug)]
pub struct StreamTally {
    /// The call.
    pub call: &'static str,
    /// Batches that were answered in full.
    pub batches: u64,
    /// The rows of the answers.
    pub rows: u64,
    /// The bytes of these batches.
    pub bytes_in: u64,
    /// The bytes of the answers.
    pub bytes_out: u64,
}

impl Default for StreamTally {
    fn default() -> StreamTally {
        StreamTally { call: "unknown", batches: 0, rows: 0, bytes_in: 0, bytes_out: 0 }
    }
}

impl From<Panicked> for Status {
    fn from(_: Panicked) -> Status {
        Status::internal("the server failed at this request")
    }
}

impl Exchange {
    /// Answers the stream to its end.
    pub async fn run(self, flight: &Flight, tally: &mut StreamTally) -> Result<(), Status> {
        let Exchange { begun, input, output } = self;
        let progress = Arc::new(ClientSilence::new());
        let mut messages = Messages { input, begun, idle: flight.idle, progress: progress.clone() };
        let first = messages.next().await?;
        let first = first.ok_or_else(|| Status::invalid_argument("the stream ended before its descriptor"))?;
        let Some(descriptor) = &first.0.flight_descriptor else {
            return Err(Status::invalid_argument("the first message has no descriptor, which says what to call"));
        };
        let call = Arc::new(flight.call(descriptor)?);
        tally.call = call.name();
        let labels = |direction| [call.name(), direction];
        let [bytes_in, bytes_out] = ["in", "out"].map(|way| flight.metrics.bytes.with_label_values(&labels(way)));
        let rows = flight.metrics.rows.with_label_values(&[call.name()]);
        let seconds = flight.metrics.seconds.with_label_values(&[call.name()]);
        let send = async |data: FlightData| {
            // This waits for the client without a limit. `driven.rs` watches for clients that do not read their results.
            let sent = output.send(Ok(data)).await;
            progress.note();
            sent.map_err(|_| Status::cancelled("the client has gone"))
        };
        send(SchemaAsIpc::new(&call.result(), &IpcWriteOptions::default()).into()).await?;

        let decoder = Decoder::new(call.clone(), flight.batch_rows);
        let lane = Arc::new(Lane::new(flight.pool.clone()));
        let batches = ArrivingBatches { messages, first: Some(first), decoder, lane: lane.clone(), seconds };
        let batches = stream::unfold(Some(batches), |batches| async {
            let mut batches = batches?;
            match batches.next().await {
                Ok(None) => None,
                Ok(Some(batch)) => Some((Ok(batch), Some(batches))),
                Err(status) => Some((Err(status), None)),
            }
        });
        let pieces = batches.flat_map(|batch| {
            stream::iter(match batch {
                Ok((batch, arrived)) => pieces(&call, &batch, arrived).map(Ok).collect(),
                Err(status) => VecDeque::from([Err(status)]),
            })
        });
        let answer = async |piece: Result<BatchPart, Status>| {
            let (piece, call) = (piece?, call.clone());
            let rows = piece.rows.num_rows();
            if piece.is_all && rows <= call.few_rows() {
                return here(|| piece.answer(&call))?;
            }
            lane.run(cost(rows, call.most_rows()), move || piece.answer(&call)).await?
        };
        // As many at a time as there are threads, and one more to come next.
        let mut answers = std::pin::pin!(pieces.map(answer).buffered(flight.pool.threads() + 1));
        while let Some(answer) = answers.next().await {
            let PartAnswer { data, rows: answered, finished } = answer?;
            let bytes = (data.data_header.len() + data.data_body.len()) as u64;
            send(data).await?;
            (tally.rows, tally.bytes_out) = (tally.rows + answered, tally.bytes_out + bytes);
            rows.inc_by(answered);
            bytes_out.inc_by(bytes);
            if let Some(bytes) = finished {
                (tally.batches, tally.bytes_in) = (tally.batches + 1, tally.bytes_in + bytes);
                bytes_in.inc_by(bytes);
            }
        }
        Ok(())
    }
}

/// Whether a client may be silent: not if nothing is left to be answered.
struct ClientSilence {
    start: Instant,
    /// When the client last took something, in milliseconds from the start.
    last: AtomicU64,
    /// How many batches came that are not answered.
    unanswered: AtomicUsize,
}

impl ClientSilence {
    fn new() -> ClientSilence {
        ClientSilence { start: Instant::now(), last: AtomicU64::new(0), unanswered: AtomicUsize::new(0) }
    }

    fn note(&self) {
        self.last.store(self.start.elapsed().as_millis() as u64, Relaxed);
    }

    /// How long the client has had nothing to wait for.
    fn silence(&self) -> Duration {
        if self.unanswered.load(Relaxed) > 0 {
            return Duration::ZERO;
        }
        self.start.elapsed().saturating_sub(Duration::from_millis(self.last.load(Relaxed)))
    }
}

/// The messages of a stream.
struct Messages {
    input: Streaming<FlightData>,
    begun: Begun,
    idle: Duration,
    progress: Arc<ClientSilence>,
}

impl Messages {
    /// The next one, and what was taken from the budget for it.
    async fn next(&mut self) -> Result<Option<(FlightData, Option<HeldMessage>)>, Status> {
        self.progress.note();
        let mut next = std::pin::pin!(self.input.message());
        loop {
            if let Ok(message) = timeout(self.idle, &mut next).await {
                return Ok(message?.map(|message| (message, self.begun.pop())));
            }
            if self.progress.silence() >= self.idle {
                return Err(Status::deadline_exceeded("the next message did not come in time"));
            }
        }
    }
}

/// The batches of a stream.
struct ArrivingBatches {
    messages: Messages,
    first: Option<(FlightData, Option<HeldMessage>)>,
    decoder: Decoder,
    lane: Arc<Lane>,
    seconds: Histogram,
}

impl ArrivingBatches {
    async fn next(&mut self) -> Result<Option<(Batch, Arrived)>, Status> {
        loop {
            let message = match self.first.take() {
                Some(first) => Some(first),
                None => self.messages.next().await?,
            };
            let Some((message, held)) = message else { return Ok(None) };
            let FlightData { data_header: header, data_body: body, .. } = message;
            let bytes = (header.len() + body.len()) as u64;
            let arrived = Arrived::new(held, bytes, self.seconds.clone(), self.messages.progress.clone());
            let batch = if body.len() <= SHORT_MESSAGE {
                self.decoder.read(&header, body)
            } else {
                let (mut decoder, cost) = (self.decoder.clone(), cost(body.len(), SHORT_MESSAGE));
                let read = move || (decoder.read(&header, body), decoder);
                let (batch, decoder) = self.lane.run(cost, read).await?;
                self.decoder = decoder;
                batch
            };
            if let Some(batch) = batch? {
                return Ok(Some((batch, arrived)));
            }
        }
    }
}

/// A batch that came, until all of it is answered.
struct Arrived {
    bytes: u64,
    at: Instant,
    seconds: Histogram,
    progress: Arc<ClientSilence>,
    _held: Option<HeldMessage>,
}

impl Arrived {
    fn new(held: Option<HeldMessage>, bytes: u64, seconds: Histogram, progress: Arc<ClientSilence>) -> Arrived {
        progress.unanswered.fetch_add(1, Relaxed);
        Arrived { bytes, at: Instant::now(), seconds, progress, _held: held }
    }
}

impl Drop for Arrived {
    fn drop(&mut self) {
        self.progress.unanswered.fetch_sub(1, Relaxed);
        self.progress.note();
    }
}

/// Rows of a batch that are computed together.
struct BatchPart {
    batch: u64,
    first: usize,
    rows: RecordBatch,
    is_last: bool,
    /// There are no others.
    is_all: bool,
    arrived: Arc<Arrived>,
}

/// The message of a piece's results.
struct PartAnswer {
    data: FlightData,
    rows: u64,
    /// The bytes of the batch of which this was the last piece.
    finished: Option<u64>,
}

/// Cuts a batch into pieces. A batch without rows is one piece.
fn pieces(call: &Call, batch: &Batch, arrived: Arrived) -> impl Iterator<Item = BatchPart> {
    let (number, rows, most, arrived) = (batch.number, batch.rows.clone(), call.most_rows(), Arc::new(arrived));
    let count = rows.num_rows();
    (0..count.max(1)).step_by(most).map(move |first| {
        let end = count.min(first + most);
        let (rows, arrived) = (rows.slice(first, end - first), arrived.clone());
        BatchPart { batch: number, first, rows, is_last: end == count, is_all: end - first == count, arrived }
    })
}

impl BatchPart {
    fn answer(self, call: &Call) -> Result<PartAnswer, Status> {
        let BatchPart { batch, first, rows, is_last, arrived, .. } = self;
        let result = call.run(&rows).map_err(|error| call.failure(batch, first, error))?;
        if is_last {
            arrived.seconds.observe(arrived.at.elapsed().as_secs_f64());
        }
        let rows = result.num_rows() as u64;
        Ok(PartAnswer { data: message(&result)?, rows, finished: is_last.then_some(arrived.bytes) })
    }
}

/// A batch as a message.
fn message(batch: &RecordBatch) -> Result<FlightData, Status> {
    if let Some(message) = message_of_integers(batch) {
        return Ok(message);
    }
    let (mut dictionaries, options) = (DictionaryTracker::new(false), IpcWriteOptions::default());
    let encoded =
        IpcDataGenerator::default().encode(batch, &mut dictionaries, &options, &mut IpcWriteContext::default());
    let (_, message) = encoded.map_err(|_| Status::internal("the results cannot be written"))?;
    Ok(message.into())
}

/// A batch of one column of 64-bit integers without nulls as a message, in which the integers are not copied.
fn message_of_integers(batch: &RecordBatch) -> Option<FlightData> {
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
    let header = Bytes::copy_from_slice(builder.finished_data());
    Some(FlightData {
        data_header: header,
        data_body: Bytes::from_owner(ScalarBuffer::<u8>::from(values)),
        ..Default::default()
    })
}
