//! One stream: batches in, batches out, in order.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_flight::flight_descriptor::DescriptorType;
use arrow_flight::{FlightData, FlightDescriptor, SchemaAsIpc};
use arrow_ipc as ipc;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::DataType;
use flatbuffers::FlatBufferBuilder;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use prometheus::Histogram;
use slider_attacks::Backend;
use tokio::sync::mpsc;
use tokio::task::consume_budget;
use tonic::Status;

use super::budget::{Budget, Full, Held};
use super::client::Client;
use super::drive::Slot;
use super::grpc::{Answer, Data, Messages};
use super::meter::Record;
use super::metrics::Metrics;
use super::patience::{Excuse, Patience};
use super::pool::{FairPool, Lane, Panicked, here};
use crate::{Batch, COMMAND_BYTES, Call, Decoder, Error};

/// Messages of at most this many bytes are read where they came. To wake another thread would cost more than to copy them.
/// They take about as long to read as the largest pieces take to compute.
const READ_IN_PLACE: usize = 1 << 20;

/// A stream ends after so many messages in a row without rows.
const MESSAGES_WITHOUT_ROWS: usize = 1000;

/// What all streams share.
pub struct Exchanges {
    /// What computes.
    pub backend: Backend,
    /// Where it computes.
    pub pool: Arc<FairPool>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// The bytes that may be held.
    pub budget: Budget,
    /// How long a client may keep a stream waiting.
    pub patience: Patience,
    /// What is counted.
    pub metrics: Metrics,
}

/// The two ends of a stream.
pub struct Exchange {
    /// Who asks.
    pub client: Client,
    /// What the client sends.
    pub messages: Messages,
    /// Where it gets answers.
    pub slot: Slot,
    /// The parts of batches that are not answered yet.
    pub unanswered: Arc<Excuse>,
    /// What is known of the request.
    pub record: Arc<Record>,
}

impl From<Error> for Status {
    fn from(error: Error) -> Status {
        match error {
            Error::TooLarge(message) => Status::resource_exhausted(message),
            Error::Invalid(message) => Status::invalid_argument(message),
        }
    }
}

impl From<Full> for Status {
    fn from(full: Full) -> Status {
        let whose = match full {
            Full::Client => "this client",
            Full::All => "all clients",
        };
        Status::resource_exhausted(format!(
            "the messages and results of {whose} hold as many bytes as they may, and no room came in time"
        ))
    }
}

impl From<Panicked> for Status {
    fn from(_: Panicked) -> Status {
        Status::internal("the server failed at this request")
    }
}

/// The call that a descriptor names.
pub fn call(descriptor: &FlightDescriptor, backend: Backend) -> Result<Call, Error> {
    match (descriptor.r#type(), descriptor.path.as_slice()) {
        (DescriptorType::Cmd, _) => Call::of_command(&descriptor.cmd, backend),
        (DescriptorType::Path, [name]) => Call::named(name, backend),
        _ => Err(Error::Invalid("the descriptor: expected a path of one name, or a command".into())),
    }
}

/// What work costs, as a share of work of this size.
fn cost(size: usize, of: usize) -> u64 {
    1 + 1000 * size as u64 / of as u64
}

/// The answer to a part, which is computed meanwhile.
type Computing = BoxFuture<'static, Result<PartAnswer, Status>>;

impl Exchange {
    /// Answers the stream to its end.
    pub async fn run(self, shared: &Exchanges) -> Result<(), Status> {
        let Exchange { client, mut messages, slot, unanswered, record } = self;
        let first = messages.next().await?;
        let (first, held) = first.ok_or_else(|| Status::invalid_argument("the stream ended before its descriptor"))?;
        let data = Data::decode(&first, COMMAND_BYTES)?;
        let Some(descriptor) = &data.descriptor else {
            return Err(Status::invalid_argument("the first message has no descriptor, which says what to call"));
        };
        let call = Arc::new(call(descriptor, shared.backend)?);
        let _ = record.call.set(call.name());
        let schema: FlightData = SchemaAsIpc::new(&call.result(), &IpcWriteOptions::default()).into();
        slot.put(Answer::new(&schema.data_header, schema.data_body)).await;

        // The parts that wait to be sent, in order, are computed meanwhile: as many as there are threads, and one more.
        let (queue, mut parts) = mpsc::channel(shared.pool.threads());
        let batches = ArrivingBatches {
            messages,
            first: Some((data, held)),
            decoder: Decoder::new(call.clone(), shared.batch_rows),
            lane: Arc::new(Lane::new(shared.pool.clone())),
            seconds: shared.metrics.seconds.with_label_values(&[call.name()]),
            unanswered: &unanswered,
        };
        let asker = Asker { row_bytes: row_bytes(&call), client, call: call.clone(), budget: shared.budget.clone() };
        let mut reading = pin!(batches.hand_on(&asker, queue).fuse());
        let writing = async {
            let labels = |direction| [call.name(), direction];
            let [bytes_in, bytes_out] = ["in", "out"].map(|way| shared.metrics.bytes.with_label_values(&labels(way)));
            let rows = shared.metrics.rows.with_label_values(&[call.name()]);
            while let Some(part) = parts.recv().await {
                let part: Computing = part?;
                let PartAnswer { answer, rows: computed, finished } = part.await?;
                let bytes = answer.len() as u64;
                slot.put(answer).await;
                rows.inc_by(computed);
                bytes_out.inc_by(bytes);
                record.sent(computed, bytes);
                if let Some(bytes) = finished {
                    bytes_in.inc_by(bytes);
                    record.finished(bytes);
                }
                unanswered.end();
            }
            Ok(())
        };
        let mut writing = pin!(writing);
        tokio::select! {
            biased;
            ended = &mut writing => ended,
            () = &mut reading => writing.await,
        }
    }
}

/// Who asks for what.
struct Asker {
    client: Client,
    call: Arc<Call>,
    budget: Budget,
    /// About how many bytes a row of the result takes.
    row_bytes: u64,
}

/// About how many bytes a row of the result of a call takes. Of lists and texts, it is a guess.
fn row_bytes(call: &Call) -> u64 {
    fn width(kind: &DataType) -> u64 {
        match kind {
            DataType::FixedSizeList(of, length) => width(of.data_type()) * *length as u64,
            kind => kind.primitive_width().map_or(64, |width| width as u64),
        }
    }
    call.result().fields().iter().map(|field| width(field.data_type())).sum()
}

/// The batches of a stream.
struct ArrivingBatches<'a> {
    messages: Messages,
    first: Option<(Data, Option<Held>)>,
    decoder: Decoder,
    lane: Arc<Lane>,
    seconds: Histogram,
    /// The parts that are not sent yet.
    unanswered: &'a Excuse,
}

impl ArrivingBatches<'_> {
    /// Has all batches answered, part by part, and hands on the answers as they begin to be computed.
    async fn hand_on(mut self, asker: &Asker, queue: mpsc::Sender<Result<Computing, Status>>) {
        let unread = self.messages.unread();
        loop {
            let (batch, arrived) = match self.next().await {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(status) => {
                    let _ = queue.send(Err(status)).await;
                    return;
                }
            };
            for part in parts(&asker.call, &batch, arrived) {
                let _unread = unread.during();
                let Ok(place) = queue.reserve().await else { return };
                // What is to be sent next is computed in any case. Otherwise streams would wait for each other.
                if self.unanswered.begin() > 0
                    && let Err(full) = asker.budget.room(&asker.client, self.messages.most_waiting()).await
                {
                    place.send(Err(full.into()));
                    return;
                }
                place.send(Ok(self.compute(asker, part)));
            }
        }
    }

    fn compute(&self, asker: &Asker, part: BatchPart) -> Computing {
        let rows = part.rows.num_rows();
        let Asker { client, call, budget, row_bytes } = asker;
        let (client, call, budget) = (client.clone(), call.clone(), budget.clone());
        let answer = move || part.answer(&call, &budget, &client);
        if rows <= asker.call.few_rows() {
            let answer = here(answer).unwrap_or_else(|panicked| Err(panicked.into()));
            return std::future::ready(answer).boxed();
        }
        // Held until the result is there, so that not all parts begin while there is room for one.
        let held = asker.budget.expect(&asker.client, rows as u64 * row_bytes);
        // It begins now, and not when it is waited for.
        let answer = move || (answer(), drop(held)).0;
        let computing = self.lane.begin(cost(rows, asker.call.most_rows()), answer);
        async { computing.await? }.boxed()
    }

    async fn next(&mut self) -> Result<Option<(Batch, Arrived)>, Status> {
        for _ in 0..MESSAGES_WITHOUT_ROWS {
            // Otherwise a stream of which much has come would not let others run.
            consume_budget().await;
            let (data, held) = match self.first.take() {
                Some(first) => first,
                None => {
                    let Some((message, held)) = self.messages.next().await? else { return Ok(None) };
                    (Data::decode(&message, COMMAND_BYTES)?, held)
                }
            };
            let Data { header, body, .. } = data;
            let bytes = (header.len() + body.len()) as u64;
            let arrived = Arrived { bytes, at: Instant::now(), seconds: self.seconds.clone(), _held: held };
            let batch = if bytes <= READ_IN_PLACE as u64 {
                self.decoder.read(&header, body)
            } else {
                let (mut decoder, cost) = (self.decoder.clone(), cost(bytes as usize, READ_IN_PLACE));
                let read = move || (decoder.read(&header, body), decoder);
                let (batch, decoder) = self.lane.begin(cost, read).await?;
                self.decoder = decoder;
                batch
            };
            if let Some(batch) = batch? {
                return Ok(Some((batch, arrived)));
            }
        }
        Err(Status::invalid_argument(format!("there were {MESSAGES_WITHOUT_ROWS} messages in a row without rows")))
    }
}

/// A batch that came, until all of it is computed.
struct Arrived {
    bytes: u64,
    at: Instant,
    seconds: Histogram,
    _held: Option<Held>,
}

/// Rows of a batch that are computed together.
struct BatchPart {
    batch: u64,
    first: usize,
    rows: RecordBatch,
    is_last: bool,
    arrived: Arc<Arrived>,
}

/// The message of a part's results.
struct PartAnswer {
    answer: Answer,
    rows: u64,
    /// The bytes of the batch of which this was the last part.
    finished: Option<u64>,
}

/// Cuts a batch into parts. A batch without rows is one part.
fn parts(call: &Call, batch: &Batch, arrived: Arrived) -> impl Iterator<Item = BatchPart> + use<> {
    let (number, rows, most, arrived) = (batch.number, batch.rows.clone(), call.most_rows(), Arc::new(arrived));
    let count = rows.num_rows();
    (0..count.max(1)).step_by(most).map(move |first| {
        let end = count.min(first + most);
        let (rows, arrived) = (rows.slice(first, end - first), arrived.clone());
        BatchPart { batch: number, first, rows, is_last: end == count, arrived }
    })
}

impl BatchPart {
    fn answer(self, call: &Call, budget: &Budget, client: &Client) -> Result<PartAnswer, Status> {
        let BatchPart { batch, first, rows, is_last, arrived } = self;
        let result = call.run(&rows).map_err(|error| call.failure(batch, first, error))?;
        if is_last {
            arrived.seconds.observe(arrived.at.elapsed().as_secs_f64());
        }
        let (rows, finished) = (result.num_rows() as u64, is_last.then_some(arrived.bytes));
        Ok(PartAnswer { answer: message(&result, budget, client)?, rows, finished })
    }
}

/// A batch as a message, which holds its bytes until they are sent.
fn message(batch: &RecordBatch, budget: &Budget, client: &Client) -> Result<Answer, Status> {
    if let Some((header, values)) = message_of_integers(batch) {
        return Ok(Answer::new(&header, budget.hold(client, values)));
    }
    let (mut dictionaries, options) = (DictionaryTracker::new(false), IpcWriteOptions::default());
    let encoded =
        IpcDataGenerator::default().encode(batch, &mut dictionaries, &options, &mut IpcWriteContext::default());
    let (_, message) = encoded.map_err(|_| Status::internal("the results cannot be written"))?;
    Ok(Answer::new(&message.ipc_message, budget.hold(client, message.arrow_data)))
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
