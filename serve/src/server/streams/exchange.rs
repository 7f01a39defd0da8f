//! One stream: batches in, batches out, in order.

use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_flight::flight_descriptor::DescriptorType;
use arrow_flight::{FlightData, FlightDescriptor, SchemaAsIpc};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::DataType;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use prometheus::{Histogram, IntCounter};
use slider_attacks::Backend;
use tokio::sync::mpsc;
use tokio::task::consume_budget;

use super::coding::Packing;
use super::grpc::{Data, FlightAnswer, Messages};
use super::incoming::Incoming;
use super::ipc::{Encapsulated, header_and_arrays};
use super::working_body::AnswerSlot;
use crate::server::connection::client::Client;
use crate::server::limits::budget::{Budget, ChargeKind, FullAccount, HeldBytes, USUAL};
use crate::server::limits::patience::{Patience, Pause};
use crate::server::monitoring::metrics::Metrics;
use crate::server::monitoring::request_log::Record;
use crate::server::pool::{FairPool, Lane, Panicked, catch_panics};
use crate::server::refusal::Refusal;
use crate::{COMMAND_BYTES, Call, DecodedBatch, Decoder, Error};

/// Results are answered in parts of at most this many bytes.
pub const PART_BYTES: u64 = 4 * USUAL;

/// At most this many rows are written as text where they are computed; of more, another thread writes them.
const FEW_ROWS: usize = 64;

/// A stream ends after this many messages in a row without rows.
const MESSAGES_WITHOUT_ROWS: usize = 1000;

/// The state that all streams share.
pub struct Exchanges {
    /// The backend.
    pub backend: Backend,
    /// Where it computes.
    pub pool: Arc<FairPool>,
    /// The most rows of a batch.
    pub batch_rows: usize,
    /// The bytes that may be held.
    pub budget: Budget,
    /// How long a client may keep a stream waiting.
    pub patience: Patience,
    /// The metrics.
    pub metrics: Metrics,
}

/// The two ends of a stream.
pub struct Exchange {
    /// Who asks.
    pub client: Client,
    /// Where it gets answers.
    pub slot: AnswerSlot,
    /// The parts of batches that are not answered yet.
    pub unanswered: Arc<Pause>,
    /// The record of the request.
    pub record: Arc<Record>,
}

impl From<FullAccount> for Refusal {
    fn from(full: FullAccount) -> Refusal {
        let whose = match full {
            FullAccount::Client => "this client",
            FullAccount::All => "all clients",
        };
        Refusal::busy(format!("the memory limit of {whose} is reached, and no memory became free in time"))
    }
}

impl From<Panicked> for Refusal {
    fn from(_: Panicked) -> Refusal {
        Refusal::internal("internal error")
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

/// The cost of work, relative to work of this size.
pub fn cost(size: usize, of: usize) -> u64 {
    1 + 1000 * size as u64 / of as u64
}

/// The answer to a part, which is computed meanwhile.
pub type Computing<T = PartAnswer> = BoxFuture<'static, Result<T, Refusal>>;

/// Where parts come in their order, until one is a failure.
pub type Parts<T = PartAnswer> = mpsc::Receiver<Result<Computing<T>, Refusal>>;

impl Exchange {
    /// Answers a stream of Flight to its end.
    pub async fn run(self, mut messages: Messages, shared: &Exchanges) -> Result<(), Refusal> {
        let first = messages.next().await?;
        let (first, held) = first.ok_or_else(|| Refusal::invalid("the stream ended before its descriptor"))?;
        let data = Data::decode(&first, COMMAND_BYTES)?;
        let Some(descriptor) = &data.descriptor else {
            return Err(Refusal::invalid("the first message has no descriptor that names the call"));
        };
        let call = Arc::new(call(descriptor, shared.backend)?);
        let schema: FlightData = SchemaAsIpc::new(&call.result(), &IpcWriteOptions::default()).into();
        self.slot.put(FlightAnswer::new(&schema.data_header, schema.data_body)).await;
        let arriving = IncomingMessages::Flight(messages, Some((data, held)));
        self.answer(shared, call, arriving, MESSAGES, AnswerFraming::default(), None).await
    }

    /// Answers all batches that arrive, each part by `answer`.
    pub async fn answer(
        self,
        shared: &Exchanges,
        call: Arc<Call>,
        arriving: IncomingMessages,
        answer: AnswerForm,
        ends: AnswerFraming,
        packing: Option<Packing>,
    ) -> Result<(), Refusal> {
        let Exchange { client, slot, unanswered, record } = self;
        let _ = record.call.set(call.name());
        // The parts that wait to be sent, in order, are computed meanwhile: as many as there are threads, and one more.
        let (queue, mut parts) = mpsc::channel(shared.pool.threads());
        let batches = ArrivingBatches {
            arriving,
            decoder: Decoder::new(call.clone(), shared.batch_rows),
            lane: Arc::new(Lane::new(shared.pool.clone(), client.clone())),
            seconds: shared.metrics.seconds.with_label_values(&[call.name()]),
            unanswered: &unanswered,
        };
        let row_bytes = row_bytes(&call, answer.is_text);
        let rows = ((PART_BYTES / row_bytes) as usize).clamp(1, call.most_rows());
        let mut writer = AnswerWriter::new(shared, call.name(), slot, unanswered.clone(), record, packing);
        let asker = PartRequest { row_bytes, rows, client, call, budget: shared.budget.clone(), answer };
        let mut reading = pin!(batches.hand_on(&asker, queue).fuse());
        let mut writing = pin!(writer.write_all(&mut parts, ends));
        tokio::select! {
            biased;
            ended = &mut writing => ended,
            () = &mut reading => writing.await,
        }
    }
}

/// The optional bytes before and after all answers.
#[derive(Default)]
pub struct AnswerFraming {
    /// Before the first.
    pub start: Option<Bytes>,
    /// After the last.
    pub end: Option<Bytes>,
    /// Replaces the end: a failure after an answer has begun.
    pub failure: Option<fn(&Refusal) -> Bytes>,
    /// An error just ends the body, and is no part of it.
    pub is_plain: bool,
    /// Whether all is well, after the last.
    pub check: Option<Check>,
}

/// Whether all is well.
pub type Check = Box<dyn Fn() -> Result<(), Refusal> + Send>;

/// Puts answers where they are taken, and counts them.
pub struct AnswerWriter {
    slot: AnswerSlot,
    unanswered: Arc<Pause>,
    record: Arc<Record>,
    rows: IntCounter,
    bytes_in: IntCounter,
    bytes_out: IntCounter,
    packing: Option<Packing>,
    has_begun: bool,
    /// An error just ends the body, and is no part of it.
    is_plain: bool,
}

impl AnswerWriter {
    /// Nothing is put yet.
    pub fn new(
        shared: &Exchanges,
        call: &str,
        slot: AnswerSlot,
        unanswered: Arc<Pause>,
        record: Arc<Record>,
        packing: Option<Packing>,
    ) -> AnswerWriter {
        let [bytes_in, bytes_out] = ["in", "out"].map(|way| shared.metrics.bytes.with_label_values(&[call, way]));
        let rows = shared.metrics.rows.with_label_values(&[call]);
        AnswerWriter { slot, unanswered, record, rows, bytes_in, bytes_out, packing, has_begun: false, is_plain: false }
    }

    /// Puts what the parts are answered with, in their order, and what comes before and after.
    pub async fn write_all(&mut self, parts: &mut Parts, ends: AnswerFraming) -> Result<(), Refusal> {
        let (mut start, mut ended) = (ends.start, Ok(()));
        self.is_plain = ends.is_plain;
        while let Some(part) = parts.recv().await {
            let part = match part {
                Ok(part) => part.await,
                Err(refusal) => Err(refusal),
            };
            match part {
                // Before anything was put, it is all that there is to say.
                Ok(PartAnswer { failure: Some(failure), .. }) if !self.has_begun => ended = Err(*failure),
                Ok(PartAnswer { answer, rows, finished, failure }) => {
                    if let Some(start) = start.take() {
                        self.put(FlightAnswer::plain(start), 0).await?;
                    }
                    self.put(answer, rows).await?;
                    if let Some(bytes) = finished {
                        self.took(bytes);
                    }
                    self.unanswered.end();
                    ended = failure.map_or(Ok(()), |failure| Err(*failure));
                }
                Err(refusal) => ended = Err(refusal),
            }
            if ended.is_err() {
                break;
            }
        }
        if let (Ok(()), Some(check)) = (&ended, &ends.check) {
            ended = check();
        }
        self.end(ended, start, &ends.end, ends.failure).await
    }

    /// Counts bytes that are answered.
    pub fn took(&mut self, bytes: u64) {
        self.bytes_in.inc_by(bytes);
        self.record.finished(bytes);
    }

    /// Counts rows that are answered.
    pub fn rows(&mut self, rows: u64) {
        self.rows.inc_by(rows);
        self.record.sent(rows, 0);
    }

    /// Puts the end, or the failure.
    pub async fn end(
        &mut self,
        ended: Result<(), Refusal>,
        start: Option<Bytes>,
        end: &Option<Bytes>,
        failure: Option<fn(&Refusal) -> Bytes>,
    ) -> Result<(), Refusal> {
        if let Err(refusal) = ended {
            if self.has_begun && self.is_plain {
                if let Some(failure) = failure {
                    self.put(FlightAnswer::plain(failure(&refusal)), 0).await?;
                }
                self.slot.all_taken().await;
            }
            return Err(refusal);
        }
        for bytes in start.iter().chain(end) {
            self.put(FlightAnswer::plain(bytes.clone()), 0).await?;
        }
        if let Some(packing) = &mut self.packing {
            let packed = packing.pack(None).await?;
            self.slot.put(FlightAnswer::plain(packed)).await;
        }
        Ok(())
    }

    /// Puts an answer, packed if it is to be.
    pub async fn put(&mut self, mut answer: FlightAnswer, rows: u64) -> Result<(), Refusal> {
        if let Some(packing) = &mut self.packing {
            let mut packed = packing.pack(Some(answer.start)).await?;
            if !answer.body.is_empty() {
                packed = [packed, packing.pack(Some(answer.body)).await?].concat().into();
            }
            answer = FlightAnswer { held: answer.held, ..FlightAnswer::plain(packed) };
        }
        let bytes = answer.len() as u64;
        if bytes > 0 {
            self.has_begun = true;
            self.slot.put(answer).await;
        }
        self.rows.inc_by(rows);
        self.bytes_out.inc_by(bytes);
        self.record.sent(rows, bytes);
        Ok(())
    }
}

/// The encoding of a part of the results.
#[derive(Clone, Copy)]
pub struct AnswerForm {
    /// The encoder.
    pub write: fn(&RecordBatch) -> Result<FlightAnswer, Refusal>,
    /// Whether it is text.
    pub is_text: bool,
}

/// Messages of Flight.
const MESSAGES: AnswerForm = AnswerForm { write: message, is_text: false };

/// The client and the limits of a call.
struct PartRequest {
    client: Client,
    call: Arc<Call>,
    budget: Budget,
    answer: AnswerForm,
    /// The most bytes that a row of the result takes.
    row_bytes: u64,
    /// The most rows that are answered at a time.
    rows: usize,
}

/// The most bytes that a row of the result of a call takes.
fn row_bytes(call: &Call, is_text: bool) -> u64 {
    /// The maximum number for any pieces: one on each square, with eight neighbours.
    const THREATS: u64 = 8 * 64;
    /// A reason shows a part of what is wrong.
    const REASON: u64 = 1 << 10;
    let width = |kind: &DataType| match kind {
        // 64 numbers with three digits at most.
        DataType::FixedSizeList(_, length) => *length as u64 * if is_text { 4 } else { 1 },
        // `"Qd1xpd5",`
        DataType::List(_) => THREATS * if is_text { 10 } else { 4 } + 4,
        kind => kind.primitive_width().map_or(REASON, |width| width as u64 * if is_text { 3 } else { 1 }),
    };
    let name = |name: &str| if is_text { name.len() as u64 + 4 } else { 0 };
    1 + call.result().fields().iter().map(|field| width(field.data_type()) + name(field.name())).sum::<u64>()
}

/// The messages of a stream.
pub enum IncomingMessages {
    /// Those of Flight, and the first one, if it was taken already.
    Flight(Messages, Option<(Data, Option<HeldBytes>)>),
    /// Those of a stream of Arrow.
    Ipc(Encapsulated),
}

impl IncomingMessages {
    fn incoming(&self) -> &Incoming {
        match self {
            IncomingMessages::Flight(messages, _) => &messages.incoming,
            IncomingMessages::Ipc(messages) => &messages.incoming,
        }
    }

    /// Charges what must be copied of a message of this many bytes to be read, as more bytes of that message.
    async fn copy(&mut self, held: &mut Option<HeldBytes>, bytes: u64, copied: u64) -> Result<(), Refusal> {
        let (incoming, most) = match self {
            IncomingMessages::Flight(messages, _) => (&mut messages.incoming, messages.most),
            IncomingMessages::Ipc(messages) => (&mut messages.incoming, messages.most),
        };
        let all = bytes.saturating_add(copied);
        if copied > 0 && all > most as u64 {
            return Err(Refusal::too_large(format!(
                "a message has at most {most} bytes, found {all} with copies of arrays that are not aligned to 16 bytes"
            )));
        }
        incoming.hold(held, copied as usize).await
    }

    /// The next header and its arrays.
    async fn next(&mut self) -> Result<Option<(Data, Option<HeldBytes>)>, Refusal> {
        match self {
            IncomingMessages::Flight(_, first) if first.is_some() => Ok(first.take()),
            IncomingMessages::Flight(messages, _) => {
                let Some((message, held)) = messages.next().await? else { return Ok(None) };
                Ok(Some((Data::decode(&message, COMMAND_BYTES)?, held)))
            }
            IncomingMessages::Ipc(messages) => messages.next().await,
        }
    }
}

/// The batches of a stream.
struct ArrivingBatches<'a> {
    arriving: IncomingMessages,
    decoder: Decoder,
    lane: Arc<Lane>,
    seconds: Histogram,
    /// The parts that are not sent yet.
    unanswered: &'a Pause,
}

impl ArrivingBatches<'_> {
    /// Has all batches answered, part by part, and hands on the answers as they begin to be computed.
    async fn hand_on(mut self, asker: &PartRequest, queue: mpsc::Sender<Result<Computing, Refusal>>) {
        let (unread, most_waiting) = (self.arriving.incoming().unread.clone(), self.arriving.incoming().most_waiting);
        loop {
            let (batch, arrived) = match self.next(&asker.call).await {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(refusal) => {
                    let _ = queue.send(Err(refusal)).await;
                    return;
                }
            };
            for part in parts(&batch, arrived, asker.rows) {
                let _unread = unread.during();
                let Ok(place) = queue.reserve().await else { return };
                self.unanswered.begin();
                let bytes = part.rows.num_rows() as u64 * asker.row_bytes;
                let held = match asker.budget.reserve(&asker.client, bytes, ChargeKind::Result, most_waiting).await {
                    Ok(held) => held,
                    Err(full) => {
                        place.send(Err(full.into()));
                        return;
                    }
                };
                place.send(Ok(self.compute(asker, part, held)));
            }
        }
    }

    fn compute(&self, asker: &PartRequest, part: BatchPart, held: HeldBytes) -> Computing {
        let rows = part.rows.num_rows();
        let (call, form) = (asker.call.clone(), asker.answer);
        let answer = move || {
            let mut answered = part.answer(&call, form)?;
            held.keep(answered.answer.len() as u64);
            answered.answer.held = Some(Arc::new(held));
            Ok(answered)
        };
        if rows <= if form.is_text { asker.call.few_rows().min(FEW_ROWS) } else { asker.call.few_rows() } {
            let answer = catch_panics(answer).unwrap_or_else(|panicked| Err(panicked.into()));
            return std::future::ready(answer).boxed();
        }
        // It begins now, and not when it is waited for.
        let computing = self.lane.begin(cost(rows, asker.call.most_rows()), answer);
        async { computing.await? }.boxed()
    }

    async fn next(&mut self, call: &Call) -> Result<Option<(DecodedBatch, ArrivedBatch)>, Refusal> {
        for _ in 0..MESSAGES_WITHOUT_ROWS {
            // Otherwise a stream with much buffered input would starve others.
            consume_budget().await;
            let Some((data, mut held)) = self.arriving.next().await? else { return Ok(None) };
            let Data { header, body, .. } = data;
            let bytes = (header.len() + body.len()) as u64;
            self.arriving.copy(&mut held, bytes, self.decoder.copied_bytes(&header, &body)).await?;
            let (at, seconds) = (Instant::now(), self.seconds.clone());
            let arrived = ArrivedBatch { bytes, at, seconds, _held: held };
            let few = call.few_bytes();
            let batch = if bytes <= few as u64 {
                self.decoder.read(&header, body)
            } else {
                // That takes about as long as the largest pieces take to compute.
                let (mut decoder, cost) = (self.decoder.clone(), cost(bytes as usize, few));
                let read = move || (decoder.read(&header, body), decoder);
                let (batch, decoder) = self.lane.begin(cost, read).await?;
                self.decoder = decoder;
                batch
            };
            if let Some(batch) = batch? {
                return Ok(Some((batch, arrived)));
            }
        }
        Err(Refusal::invalid(format!("{MESSAGES_WITHOUT_ROWS} consecutive messages had no rows")))
    }
}

/// A received batch, until all of it is computed.
struct ArrivedBatch {
    bytes: u64,
    at: Instant,
    seconds: Histogram,
    /// Its charge.
    _held: Option<HeldBytes>,
}

/// Rows of a batch that are computed together.
struct BatchPart {
    batch: u64,
    first: usize,
    rows: RecordBatch,
    is_last: bool,
    arrived: Arc<ArrivedBatch>,
}

/// The results of a part.
pub struct PartAnswer {
    /// The answer.
    pub answer: FlightAnswer,
    /// How many rows it has.
    pub rows: u64,
    /// The bytes of the batch, if this was its last part.
    pub finished: Option<u64>,
    /// The error after them.
    pub failure: Option<Box<Refusal>>,
}

/// Cuts a batch into parts of at most this many rows. A batch without rows is one part.
fn parts(batch: &DecodedBatch, arrived: ArrivedBatch, most: usize) -> impl Iterator<Item = BatchPart> + use<> {
    let (number, rows, arrived) = (batch.number, batch.rows.clone(), Arc::new(arrived));
    let count = rows.num_rows();
    (0..count.max(1)).step_by(most).map(move |first| {
        let end = count.min(first + most);
        let (rows, arrived) = (rows.slice(first, end - first), arrived.clone());
        BatchPart { batch: number, first, rows, is_last: end == count, arrived }
    })
}

impl BatchPart {
    fn answer(self, call: &Call, form: AnswerForm) -> Result<PartAnswer, Refusal> {
        let BatchPart { batch, first, rows, is_last, arrived } = self;
        let result = call.run(&rows).map_err(|error| {
            let refusal = Refusal::from(call.failure(batch, first, error.clone())).at("batch", batch).placed(&error);
            error.row().map_or(refusal.clone(), |row| refusal.at("row", first + row))
        })?;
        if is_last {
            arrived.seconds.observe(arrived.at.elapsed().as_secs_f64());
        }
        let (rows, finished) = (result.num_rows() as u64, is_last.then_some(arrived.bytes));
        Ok(PartAnswer { answer: (form.write)(&result)?, rows, finished, failure: None })
    }
}

/// A batch as a message of Flight.
fn message(batch: &RecordBatch) -> Result<FlightAnswer, Refusal> {
    let (header, values) = header_and_arrays(batch)?;
    Ok(FlightAnswer::new(&header, values))
}
