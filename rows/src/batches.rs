//! The rows of files as Arrow record batches: those that the command's `analyze` would write.
//!
//! [`Batches`] have threads that read, parse and compute. They run ahead of the program by a few blocks of the input and two batches,
//! so memory is bounded. With [`SharedRows`], the caller's threads parse and compute.

mod next_gain;
mod shared;

use std::borrow::Cow;
use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arrow_array::RecordBatch;
use arrow_array::builder::Float64Builder;
use arrow_schema::{DataType, Field, SchemaRef};
use slider_attacks::Backend;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Integers, OnError, Plan, Product};
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::{Origin, READ_AHEAD, ReadLimits, SeenColumns};
use slider_attacks_files::compression::{is_compressed, magic};
use slider_attacks_files::counter::ByteCounter;
use slider_attacks_files::file::{InputFile, PathKind};
use slider_attacks_files::input::cannot;
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_files::moves;
use slider_attacks_files::ordered::{Ordered, Pool, SPARE, ordered, spawn};
use slider_attacks_files::sources::row_groups;
use slider_attacks_files::{Block, Input, Inputs};
use slider_attacks_formats::batch::{Parser, Records};
use slider_attacks_formats::columns::{KeptColumn, OutputValues};
use slider_attacks_formats::content::{BlockBytes, Content, FreeList, MAX_RECORD};
use slider_attacks_formats::error::Malformed;
use slider_attacks_formats::games::Games;
use slider_attacks_formats::games::fields::{CellContent, read_game};
use slider_attacks_formats::games::game_rows::GameRows;
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_formats::warnings::Warnings;
use slider_attacks_games::records::Outcome;

use crate::arrays::batch;
use crate::columns::{LINE, OutputColumns};
use crate::conditions::RowChoice;
use crate::convert::labels::{EXPECTED_RESULT, result, value};
use crate::dictionaries;
use crate::format::RowFormat;
use crate::memory::check_available;
use crate::sizes;

use next_gain::{NEXT_GAIN, next_gains};
pub use shared::{SharedRows, ThreadRows};

/// A batch with this many bytes is complete, however few rows it has.
const BATCH: usize = 32 << 20;

/// About how many rows are computed at a time, and how many bytes of text a block has. To hand a block from thread to thread takes
/// 20 microseconds or more, as they fall asleep and wake up: with 512 rows, 40 of 360 nanoseconds per row (Zen 3).
const BLOCK_ROWS: usize = 4096;
const BLOCK_BYTES: usize = 128 << 10;

/// The name that stands for all columns, and that of the column of files.
const ALL: &str = "all";
const FILE: &str = "file";

/// The columns of text whose values differ from row to row.
const OF_ROWS: [&str; 5] = ["fen", "san", "uci", "next_san", "next_uci"];

/// How many messages about malformed records are kept.
pub const MOST_MESSAGES: usize = 100;

/// The inputs, and the columns to compute.
#[derive(Clone, Debug)]
pub struct Request {
    /// The inputs. Their formats are detected from their content.
    pub inputs: Vec<Input>,
    /// Whether they are only a part of those that the caller names: then it is a warning that they lack a column, as others may have it.
    pub is_part: bool,
    /// The first column has the name of the file.
    pub with_file: bool,
    /// The format of all inputs, if they are training records that do not show it.
    pub from: Option<TrainingFormat>,
    /// The column or field with the positions or games; an exact match wins, else the first that differs in case alone.
    pub column: String,
    /// The columns to copy, or `all`; a line of FEN or EPD is one column, `fen`.
    pub keep: Vec<String>,
    /// Which games, and which of their positions.
    pub games: Games,
    /// The positions after the first move of the column `Moves`, not those before it.
    pub after_first_move: bool,
    /// Each legal move of a position gives a row, with the column `move`, and all else is that of the position after the move.
    pub each_move: bool,
    /// Which rows are taken.
    pub choice: RowChoice,
    /// There are columns of bitboards.
    pub boards: bool,
    /// The products.
    pub plan: Plan,
    /// The integers in the columns that do not belong to products.
    pub integers: Integers,
    /// How to handle malformed lines.
    pub on_error: OnError,
    /// A batch has at most this many rows, 1 or more.
    pub rows: usize,
    /// How many threads parse and compute, in addition to those that read and gather.
    pub threads: usize,
    /// The caller takes columns by their places, as a query does that needs few of many. So a column to keep may have the name of
    /// another column, and the tags of the first games of PGN are columns like those of a table: `all` includes them, and case is
    /// ignored in their names.
    pub by_place: bool,
    /// The column `result` that is kept has White's points, 1, ½ or 0, in place of text.
    pub points: bool,
    /// There is a column `next_gain` after those that are kept: what the move gains that was played from the position, by an
    /// exchange on its square. A column with the moves must be kept.
    pub next_gain: bool,
    /// The columns of text that are dictionaries, of those that are kept and `file`; or `all`, which stands for all of these except
    /// `fen` and moves. In a batch, each text of a dictionary is there once.
    pub dictionary: Vec<String>,
}

/// No inputs yet, whose column `fen` has the positions, no products, and one thread.
impl Default for Request {
    fn default() -> Request {
        Request {
            inputs: Vec::new(),
            is_part: false,
            with_file: false,
            from: None,
            column: "fen".to_owned(),
            keep: Vec::new(),
            games: Games::default(),
            after_first_move: false,
            each_move: false,
            choice: RowChoice::default(),
            boards: false,
            plan: Plan::new([Product::Maps; 0]),
            integers: Integers::Unsigned,
            on_error: OnError::Fail,
            rows: 1 << 16,
            threads: 1,
            by_place: false,
            points: false,
            next_gain: false,
            dictionary: Vec::new(),
        }
    }
}

/// The records that were malformed, but did not end the work, and other records without a row.
#[derive(Debug, Default)]
pub struct Skipped {
    /// How many malformed ones were left out.
    pub count: u64,
    /// How many positions were left out because a condition does not hold, or because of their keys.
    pub left_out: u64,
    /// The file, the line and what is wrong with it, for the first [`MOST_MESSAGES`], whether left out or null.
    pub messages: Vec<String>,
}

impl Skipped {
    /// Adds later ones.
    pub fn add(&mut self, count: u64, messages: impl IntoIterator<Item = String>) {
        self.count += count;
        let room = MOST_MESSAGES - self.messages.len();
        self.messages.extend(messages.into_iter().take(room));
    }
}

/// The next rows, or another event.
#[derive(Debug)]
pub enum NextRows {
    /// The names and types of the columns. This comes first, and once.
    Columns(SchemaRef),
    /// Some rows, perhaps none, and the records that were skipped since those before.
    Rows(RecordBatch, Skipped),
    /// There is no more.
    End,
    /// Nothing arrived within the timeout.
    NotYet,
}

/// How far the inputs have been read. Clones share it.
#[derive(Clone, Debug)]
pub struct InputProgress {
    bytes: ByteCounter,
    /// How many inputs are before the one whose rows come next.
    finished: Arc<AtomicUsize>,
    inputs: usize,
}

impl InputProgress {
    fn new(inputs: &Inputs) -> InputProgress {
        InputProgress { bytes: inputs.counter.clone(), finished: Arc::default(), inputs: inputs.count() }
    }

    /// The bytes that have been read of the files as they are, compressed or not. Reading is ahead of the rows.
    pub fn bytes(&self) -> &ByteCounter {
        &self.bytes
    }

    /// How many inputs have no more rows, as far as rows have been gathered.
    pub fn finished(&self) -> usize {
        self.finished.load(Relaxed)
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
}

/// Batches of rows, which threads of their own make. When this is dropped, the threads stop and close the files.
///
/// ```
/// use std::time::Duration;
///
/// use slider_attacks_arrow::{Plan, Product};
/// use slider_attacks_files::Input;
/// use slider_attacks_rows::batches::{Batches, NextRows, Request};
///
/// let mut batches = Batches::open(Request {
///     inputs: vec![Input::new("../tests/data/sample.epd".as_ref(), 0)],
///     keep: vec!["fen".to_owned()],
///     plan: Plan::new([Product::Maps]),
///     ..Request::default()
/// })?;
/// let mut rows = 0;
/// loop {
///     match batches.next(Duration::from_secs(1))? {
///         NextRows::Columns(schema) => assert_eq!(schema.fields().len(), 4),
///         NextRows::Rows(batch, _) => rows += batch.num_rows(),
///         NextRows::NotYet => {}
///         NextRows::End => break,
///     }
/// }
/// assert!(rows > 0);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct Batches {
    queue: Receiver<Result<NextRows>>,
    thread: Option<JoinHandle<()>>,
    /// The threads are to stop.
    stop: Arc<AtomicBool>,
    warnings: Arc<Warnings>,
    is_part: bool,
    progress: InputProgress,
    memory: usize,
}

impl Batches {
    /// Begins to read.
    ///
    /// # Errors
    ///
    /// A batch is to have no rows, a file cannot be opened, or a thread cannot be started.
    pub fn open(mut request: Request) -> Result<Batches> {
        ensure!(request.rows > 0, "a batch of 0 rows: expected 1 or more"); // otherwise there would be no last batch
        let inputs = Inputs::of(mem::take(&mut request.inputs), "")?;
        // What threads that read and gather take, a stack for each thread, and the first blocks.
        let stacks = (request.threads + 2) << 21;
        check_available((8 << 20) + stacks + request.memory(BLOCK_BYTES, BLOCK_ROWS))?;
        let (stop, warnings) = (Arc::new(AtomicBool::new(false)), Arc::<Warnings>::default());
        let (sender, queue) = sync_channel(1);
        let (progress, is_part, memory) = (InputProgress::new(&inputs), request.is_part, request.most_memory());
        let work = {
            let (stop, warnings, finished) = (stop.clone(), warnings.clone(), progress.finished.clone());
            move || {
                let mut rows = PendingRows { most: request.rows, finished, ..PendingRows::default() };
                if let Err(error) = rows.read(request, inputs, &sender, &stop, &warnings) {
                    // What came before the error is good.
                    let _ = rows.send(&sender);
                    let _ = sender.send(Err(error));
                }
            }
        };
        let thread = spawn(work)?;
        Ok(Batches { queue, thread: Some(thread), stop, warnings, is_part, progress, memory })
    }

    /// How far the inputs have been read.
    pub fn progress(&self) -> &InputProgress {
        &self.progress
    }

    /// At most how many bytes the blocks and the batches that wait take, about, apart from the stacks of threads and from what
    /// decompression, row groups of Parquet, and the keys of a selection take. Columns of long texts, and long records, take more.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// What the files lack: tags and fields to keep, and tags to compare, that none of them has; of a part, also columns that a
    /// condition compares. All of it is known after [`NextRows::End`].
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.messages(self.is_part)
    }

    /// The next rows, if they arrive within this time.
    ///
    /// # Errors
    ///
    /// A file cannot be read, has no such column, or has a malformed line, if those are not skipped. The message names the
    /// file and the line. After an error comes [`NextRows::End`].
    pub fn next(&mut self, wait: Duration) -> Result<NextRows> {
        match self.queue.recv_timeout(wait) {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) => Ok(NextRows::NotYet),
            Err(RecvTimeoutError::Disconnected) => match self.thread.take().map(JoinHandle::join) {
                Some(Err(_)) => Err(anyhow!("a worker thread panicked")),
                _ => Ok(NextRows::End),
            },
        }
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// The rows of a block.
#[derive(Debug)]
struct BlockRows {
    origin: Arc<Origin>,
    /// How many positions were read for them.
    read: usize,
    batch: RecordBatch,
    /// How many positions were left out because of their keys.
    left_out: usize,
    skipped: Vec<Malformed>,
    /// Those that are null.
    nulls: Vec<Malformed>,
    failure: Option<Malformed>,
    /// Which of the columns to keep were found.
    found: Vec<bool>,
    /// The names of the kept columns that are dictionaries in the input.
    dictionaries: Vec<String>,
}

/// A block, and its first rows, if it has any.
type StartedBlock = Result<(Option<BlockRows>, Block)>;

impl Request {
    /// The requested columns, games and positions.
    fn wanted(&self) -> Wanted {
        let rows = if self.each_move { moves::USUAL_MOVES } else { 1 };
        let wanted = Wanted {
            from: self.from,
            column: self.column.clone(),
            keep: self.keep.clone(),
            games: self.games.clone(),
            after_first_move: self.after_first_move,
            block_bytes: Some(BLOCK_BYTES / rows),
            block_rows: Some(BLOCK_ROWS / rows),
            reserved_names: if self.by_place { Vec::new() } else { self.own_names() },
            all_tags: self.by_place,
            ..Wanted::default()
        };
        self.choice.wanted(self.each_move, wanted)
    }

    /// The names of all columns but those that are kept.
    fn own_names(&self) -> Vec<String> {
        let gain = self.next_gain.then(|| NEXT_GAIN.to_owned());
        self.columns(LINE).names(self.with_file, &[]).into_iter().chain(gain).collect()
    }

    /// Starts the threads that read, parse and compute. What is left of blocks is for the caller to [work](Request::work) on.
    fn start(
        self: Arc<Request>,
        mut inputs: Inputs,
        stop: Arc<AtomicBool>,
        warnings: Arc<Warnings>,
        spare: Arc<FreeList<Positions>>,
        filter: Option<Arc<KeyFilter>>,
    ) -> Result<Ordered<StartedBlock>> {
        let pool = Arc::new(Pool::new(self.threads)?);
        inputs.advice = self.advice();
        (inputs.pool, inputs.loads_later) = (Some(pool.clone()), true);
        let wanted = Wanted { warnings, ..self.wanted() };
        let mut numbers = 0..;
        let make = move |take: &mut dyn FnMut(Result<Block>) -> ControlFlow<()>| {
            let read = inputs.read(&wanted, &mut |mut block| {
                block.filter = filter.as_ref().zip(numbers.next()).map(|(filter, number)| filter.block(number));
                Ok(if stop.load(Relaxed) { Break(()) } else { take(Ok(block)) })
            });
            read.err().map(|error| take(Err(error)));
        };
        ordered(pool, make, move |block: Result<Block>| self.first_rows(block?, &spare))
    }

    /// Fetches and cuts a block, and reads and computes its first rows, if it has any. Threads must begin with blocks in their order.
    fn first_rows(&self, mut block: Block, spare: &FreeList<Positions>) -> StartedBlock {
        check_available(self.memory(block.bytes(), 0))?;
        block.load()?;
        block.each_move = self.each_move();
        block.decide(BLOCK_ROWS, false)?;
        let rows = if block.is_finished() { None } else { Some(self.work(&mut block, spare)?) };
        Ok((rows, block))
    }

    /// Checks that inputs of this name have the columns to keep and to compare, after all of them have been read.
    ///
    /// # Errors
    ///
    /// None of them has one of these. If they are only a part, that is a warning.
    fn check(&self, seen: &SeenColumns, filter: Option<&KeyFilter>, name: &str, warnings: &Warnings) -> Result<()> {
        if !self.is_part {
            seen.check(name)?;
        }
        seen.warn(warnings);
        match filter.map_or(Ok(()), |filter| filter.check(name, warnings)) {
            Err(error) if self.is_part => warnings.add(error.to_string()),
            checked => checked?,
        }
        Ok(())
    }

    /// The advice in messages.
    fn advice(&self) -> Advice {
        if self.by_place { Advice::of_sql() } else { Advice::of_calls() }
    }

    /// If the rows are the positions after each legal move, the backend that computes these.
    fn each_move(&self) -> Option<Backend> {
        self.each_move.then(|| self.plan.computes_with())
    }

    /// Reads and computes the next rows of a block, which is not finished.
    fn work(&self, block: &mut Block, spare: &FreeList<Positions>) -> Result<BlockRows> {
        check_available(self.memory(block.bytes(), BLOCK_ROWS))?;
        let most = ReadLimits { limit: usize::MAX, enough: BLOCK_ROWS };
        block.each_move = self.each_move();
        let records = block.next(most, self.on_error, spare.take())?;
        let mut records = records.expect("the block is not finished");
        let rows = records.numbers.len();
        let kept: usize = records.kept.iter().map(|kept| kept.most_bytes(rows)).sum();
        check_available(self.memory(kept, rows))?;
        let (origin, read, mut found) = (block.origin.clone(), records.read(), Vec::new());
        records.add_found(&mut found);
        let left_out = records.select();
        if self.points {
            replace_results(&origin, &mut records)?;
        }
        let file = self.with_file.then_some(&origin.input);
        let mut names = Cow::Borrowed(origin.columns());
        if self.next_gain {
            let gains = next_gains(&self.plan, &self.column, &origin, &records)?;
            let field = Arc::new(Field::new(NEXT_GAIN, DataType::Int16, true));
            records.kept.push(KeptColumn::Array(field, Arc::new(gains)));
            names.to_mut().push(NEXT_GAIN.to_owned());
        }
        let dictionaries = names.iter().zip(&records.kept).filter(|(_, kept)| dictionaries::is_dictionary(kept));
        let dictionaries = dictionaries.map(|(name, _)| name.clone()).collect();
        self.encode(&origin, &names, &mut records)?;
        let batch = self.batch(file, LINE, &names, &mut records)?;
        spare.put(mem::take(&mut records.positions));
        let nulls = records.nulls.into_iter().map(|(_, malformed)| malformed).collect();
        let (skipped, failure) = (records.skipped, records.failure);
        Ok(BlockRows { origin, read, batch, left_out, skipped, nulls, failure, found, dictionaries })
    }

    /// About how many bytes all threads take for blocks of this many bytes and rows.
    fn memory(&self, bytes: usize, rows: usize) -> usize {
        self.block_memory(bytes, rows).saturating_mul(self.threads + 1)
    }

    /// About how many bytes a block of this many bytes and rows takes: for records, and for the columns made of them.
    fn block_memory(&self, bytes: usize, rows: usize) -> usize {
        let boards = if self.boards { 15 * size_of::<u64>() } else { 0 };
        let moves = if self.each_move { moves::MOST_BYTES } else { 0 };
        let ahead = if self.choice.selection.is_some() { READ_AHEAD } else { 0 };
        let columns = rows * (sizes::values(&self.plan) + boards);
        ahead + 4 * bytes + moves + 2 * columns
    }

    /// What [`Batches::memory`] tells.
    fn most_memory(&self) -> usize {
        /// The rows that are gathered, their copy, and the batches in the queue and before it.
        const BATCHES: usize = 4;
        let block = self.block_memory(BLOCK_BYTES, BLOCK_ROWS);
        // A batch is complete with the block that makes it large.
        block.saturating_mul(self.threads.saturating_add(SPARE + 2)).saturating_add(BATCHES * (BATCH + block))
    }

    /// Which columns a batch has. `number` is the name of the one with the numbers of the records.
    fn columns<'a>(&'a self, number: &'a str) -> OutputColumns<'a> {
        let Request { plan, each_move, on_error, .. } = self;
        let (boards, each_move, on_error) = (self.boards.then_some(self.integers), *each_move, *on_error);
        OutputColumns { number, each_move, boards, plan, on_error, format: RowFormat::Arrow }
    }

    /// Records of an input, which is the first column if there is one, as a batch, with the columns that are kept, which have
    /// these names.
    fn batch(
        &self,
        file: Option<&Input>,
        number: &str,
        names: &[String],
        records: &mut Records,
    ) -> Result<RecordBatch> {
        let rows = records.numbers.len();
        let kept = mem::take(&mut records.kept).into_iter().map(OutputValues::Kept).collect();
        let products = self.plan.values(&records.positions);
        let mut columns = self.columns(number).build(records, file, names, kept, products);
        if let Some(file) = file.filter(|_| self.dictionary.iter().any(|name| name == ALL || name == FILE)) {
            columns[0].values = OutputValues::Kept(dictionaries::repeated(FILE, &file.name(), rows));
        }
        Ok(batch(columns, rows, self.integers)?)
    }

    /// Makes dictionaries of kept columns, which have these names.
    ///
    /// # Errors
    ///
    /// A column that is named is not kept, or has no texts.
    fn encode(&self, origin: &Origin, names: &[String], records: &mut Records) -> Result<()> {
        let (rows, kept) = (records.numbers.len(), &mut records.kept);
        if let [all] = &self.dictionary[..]
            && all == ALL
        {
            let is_repeated = |name: &str| !OF_ROWS.contains(&name);
            for (name, kept) in names.iter().zip(kept).filter(|(name, _)| is_repeated(name)) {
                if let Ok(encoded) = dictionaries::encode(name, kept, rows) {
                    *kept = encoded;
                }
            }
            return Ok(());
        }
        for wanted in self.dictionary.iter().filter(|name| !(self.with_file && *name == FILE)) {
            let place = names.iter().position(|name| name == wanted);
            let place = place.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)));
            let wrong = |what: String| anyhow!("{}: dictionary: column {wanted:?} {what}", origin.display_name());
            let place = place.ok_or_else(|| wrong("is not kept".to_owned()))?;
            let encoded = dictionaries::encode(&names[place], &kept[place], rows);
            kept[place] = encoded.map_err(|kind| wrong(format!("is no text, but {kind}")))?;
        }
        Ok(())
    }
}

/// Replaces the kept results of records by White's points: none where the game had no result.
///
/// # Errors
///
/// A value is no result.
fn replace_results(origin: &Origin, records: &mut Records) -> Result<()> {
    const RESULT: &str = "result";
    let points = |outcome: Outcome| match outcome {
        Outcome::White => 1.0,
        Outcome::Draw => 0.5,
        Outcome::Black => 0.0,
    };
    for (name, kept) in origin.columns().iter().zip(&mut records.kept) {
        if name != RESULT {
            continue;
        }
        let mut found = Float64Builder::with_capacity(records.numbers.len());
        for (row, &number) in records.numbers.iter().enumerate() {
            let outcome = match value(Some(kept), row) {
                None => None,
                Some(value) => result(&value).ok_or_else(|| {
                    let what = format!("{}, found {}", EXPECTED_RESULT, value.describe());
                    anyhow!(origin.message(&Malformed { number, what: what.into(), place: None }))
                })?,
            };
            found.append_option(outcome.map(points));
        }
        let field = Arc::new(Field::new(RESULT, DataType::Float64, true));
        *kept = KeptColumn::Array(field, Arc::new(found.finish()));
    }
    Ok(())
}

/// The columns and the number of rows, from the first rows of the first input. No thread is started for it.
#[derive(Debug)]
pub struct Sample {
    /// The names and types of the columns.
    pub schema: SchemaRef,
    /// How many rows all inputs have, about: as many per row of Parquet, or else per byte, as the first block that has any. So the
    /// number is exact for rows of Parquet and records of 32 bytes that are one position each.
    pub rows: u64,
    /// The rows of the first blocks.
    pub first: Vec<RecordBatch>,
    /// Whether the columns of the input have types, as in Parquet and records. Otherwise, they are text.
    pub is_typed: bool,
}

impl Sample {
    /// How many blocks without rows are passed over.
    const BLOCKS: usize = 64;

    /// Reads the first blocks, up to one with rows. With `known_tags`, the first games of PGN must have the tags to keep.
    ///
    /// # Errors
    ///
    /// A file cannot be opened, or the first one cannot be read or lacks what is wanted.
    pub fn new(mut request: Request, known_tags: bool) -> Result<Sample> {
        let records = parquet_rows(&request.inputs);
        let mut inputs = Inputs::of(mem::take(&mut request.inputs), "")?;
        inputs.advice = request.advice();
        let (spare, total) = (FreeList::default(), inputs.counter.total().unwrap_or(0) as f64);
        let (mut schema, mut blocks, mut rows, mut bytes) = (None, 0, 0, 0.0);
        let (mut first, mut is_typed, mut read_records) = (Vec::new(), false, 0);
        // No condition chooses the rows of a sample.
        let wanted = Wanted { record_condition: None, known_tags, ..request.wanted() };
        let read = inputs.read_one(0, &wanted, &mut |mut block| {
            while !block.is_finished() {
                let batch = request.work(&mut block, &spare)?.batch;
                rows += batch.num_rows();
                schema = Some(batch.schema());
                first.push(batch);
            }
            for content in block.contents() {
                is_typed |= matches!(content, Content::Rows(..) | Content::Labelled(_));
                read_records += if let Content::Rows(rows, _) = content { rows.len() } else { 0 };
            }
            (blocks, bytes) = (blocks + 1, bytes + file_bytes(&block)?);
            Ok(if rows == 0 && blocks < Sample::BLOCKS { Continue(()) } else { Break(()) })
        });
        let Some(schema) = schema else {
            return Err(read.err().unwrap_or_else(|| anyhow!("the files have no columns")));
        };
        // Without any row, a large input is still no small table.
        let more = match records {
            Some(records) if read_records > 0 => records as f64 / read_records as f64,
            _ => total / f64::max(bytes, 1.0),
        };
        let rows = rows.max(usize::from(total > 0.0)) as f64 * more.max(1.0);
        Ok(Sample { schema, rows: rows.round() as u64, first, is_typed })
    }
}

/// How many rows these files have, if all are Parquet that can be read, and not too many to open all of them.
fn parquet_rows(inputs: &[Input]) -> Option<u64> {
    const MOST_FILES: usize = 1000;
    let rows = |input: &Input| {
        let path = input.path().filter(|path| matches!(PathKind::of(path), Ok(PathKind::File(_))))?;
        let groups = row_groups(path).ok().filter(|groups| !groups.is_empty())?;
        Some(groups.iter().map(|(rows, _)| rows).sum::<u64>())
    };
    if inputs.len() > MOST_FILES { None } else { inputs.iter().map(rows).sum() }
}

/// About how many bytes of its file a block takes.
fn file_bytes(block: &Block) -> Result<f64> {
    let path = block.origin.input.path();
    block.contents().map(|content| bytes_of(content, path)).sum()
}

fn bytes_of(content: &Content, path: Option<&Path>) -> Result<f64> {
    /// How many bytes become one, if they are compressed; and how many a position takes in a binpack.
    const COMPRESSED: f64 = 5.0;
    const POSITION: f64 = 3.0;
    Ok(match content {
        Content::Bytes(bytes) => {
            let begin = path.map(|path| InputFile::open(path).and_then(|mut file| magic(&mut file)));
            let is_compressed = begin.is_some_and(|begin| begin.is_ok_and(|begin| is_compressed(&begin)));
            bytes.len() as f64 / if is_compressed { COMPRESSED } else { 1.0 }
        }
        Content::TooLong => MAX_RECORD as f64,
        Content::Labelled(labelled) => POSITION * labelled.positions.len() as f64,
        Content::Rows(rows, _) => {
            let Some(path) = path else { return Ok(0.0) };
            let PathKind::File(length) = PathKind::of(path).with_context(|| cannot("read", path))? else {
                return Ok(0.0);
            };
            let all: u64 = row_groups(path)?.iter().map(|(rows, _)| rows).sum();
            length as f64 * rows.len() as f64 / all.max(1) as f64
        }
    })
}

/// The positions of games in a column of text, with the columns of a [`Request`]: what a file would give that has this column.
#[derive(Debug)]
pub struct GameTexts {
    request: Request,
    cells: CellContent,
}

/// The positions of some games, and what is wrong with others.
#[derive(Debug)]
pub struct GamePositions {
    /// A row for each position. The column `row` has the number of the game.
    pub batch: RecordBatch,
    /// The errors of games, by their numbers.
    pub wrong: Vec<Malformed>,
    /// Whether the last of these ends the work.
    pub has_failed: bool,
}

impl GameTexts {
    /// The name of the column with the games.
    pub const COLUMN: &str = "movetext";

    /// The settings of the request that concern files are ignored.
    ///
    /// # Errors
    ///
    /// A kept column is unknown or duplicated.
    pub fn new(mut request: Request) -> Result<GameTexts> {
        GameTexts::COLUMN.clone_into(&mut request.column);
        (request.each_move, request.choice) = (false, RowChoice::default());
        let reserved_names = ["row".to_owned()].into_iter().chain(request.wanted().reserved_names).collect();
        let wanted = Wanted { reserved_names, ..request.wanted() };
        let names = [GameTexts::COLUMN];
        (_, request.keep) = wanted.kept_of_games(&CellContent::own().collect::<Vec<_>>(), &names, 0, "a game")?;
        ensure!(!request.keep.iter().any(|name| name == GameTexts::COLUMN), "a game has no column {:?}", names[0]);
        let cells = CellContent::new(&wanted, &request.keep, true, GameTexts::COLUMN)?;
        Ok(GameTexts { request, cells })
    }

    /// The positions of games. The first game has this number. Each is a text and the position that it begins with, if it
    /// is not the usual one and no tag says it. A missing text gives none.
    ///
    /// # Errors
    ///
    /// The columns cannot be made.
    pub fn read<'t>(
        &self,
        games: impl Iterator<Item = (Option<&'t [u8]>, Option<&'t [u8]>)>,
        first: u64,
    ) -> Result<GamePositions> {
        let (request, content) = (&self.request, Content::Bytes(BlockBytes::default()));
        let mut parser =
            Parser::new(first, &content, 0, ReadLimits::all(usize::MAX), request.on_error, Positions::new());
        let CellContent::Games(columns) = &self.cells else { unreachable!("the column has this name") };
        let mut rows = GameRows::new(columns, 0);
        for ((text, start), number) in games.zip(first..) {
            if parser.is_done() {
                break;
            }
            if text.is_some() {
                rows.begin_with(number, 0);
                read_game(&mut rows, &mut parser, GameTexts::COLUMN, text, start);
            }
        }
        rows.finish(&mut parser, |_, _| Vec::new());
        let mut records = parser.records;
        let batch = request.batch(None, "row", &request.keep, &mut records)?;
        let nulls = records.nulls.into_iter().map(|(_, malformed)| malformed);
        let has_failed = records.failure.is_some();
        if let Some(Malformed { what, place: Some(place), .. }) = &mut records.failure
            && place.is_variant()
        {
            *what = format!("{what}; {} leaves out such games", Advice::of_calls().skip).into();
        }
        let wrong = records.skipped.into_iter().chain(nulls).chain(records.failure).collect();
        Ok(GamePositions { batch, wrong, has_failed })
    }
}

/// Rows on their way into a batch.
#[derive(Default)]
struct PendingRows {
    most: usize,
    /// How many inputs are before that of the rows.
    finished: Arc<AtomicUsize>,
    batches: Vec<RecordBatch>,
    /// The names of their columns that are dictionaries in the inputs.
    dictionaries: Vec<String>,
    rows: usize,
    bytes: usize,
    skipped: Skipped,
}

impl PendingRows {
    /// Reads all files, and sends their rows, until the receiver is dropped.
    fn read(
        &mut self,
        request: Request,
        inputs: Inputs,
        queue: &SyncSender<Result<NextRows>>,
        stop: &Arc<AtomicBool>,
        warnings: &Arc<Warnings>,
    ) -> Result<()> {
        let (name, count) = (inputs.name(), inputs.count());
        let mut first: Option<SchemaRef> = None;
        let mut seen = SeenColumns::default();
        let (request, spare) = (Arc::new(request), Arc::<FreeList<Positions>>::default());
        let filter = request.choice.filter(&request.plan, request.each_move, request.on_error);
        for begun in request.clone().start(inputs, stop.clone(), warnings.clone(), spare.clone(), filter.clone())? {
            let (mut begun, mut block) = begun?;
            while begun.is_some() || !block.is_finished() {
                let rows = match begun.take() {
                    Some(rows) => rows,
                    None => request.work(&mut block, &spare)?,
                };
                if stop.load(Relaxed) {
                    return Ok(());
                }
                let schema = rows.batch.schema();
                match &first {
                    Some(first) if *first != schema => {
                        bail!("{}: kept columns differ from those of earlier files", rows.origin.display_name());
                    }
                    Some(_) => {}
                    None => {
                        if queue.send(Ok(NextRows::Columns(schema.clone()))).is_err() {
                            return Ok(());
                        }
                        first = Some(schema);
                        self.dictionaries = rows.dictionaries;
                    }
                }
                self.finished.store(rows.origin.input.index as usize, Relaxed);
                seen.add(&rows.origin, rows.found, rows.read - rows.nulls.len());
                let messages = rows.skipped.iter().chain(&rows.nulls).map(|malformed| rows.origin.message(malformed));
                self.skipped.add(rows.skipped.len() as u64, messages);
                self.skipped.left_out += rows.left_out as u64;
                // Several blocks become one batch, which is a copy.
                let copy = self.bytes + rows.batch.get_array_memory_size();
                check_available(request.memory(BLOCK_BYTES, BLOCK_ROWS) + copy)?;
                if self.add(rows.batch, queue).is_break() {
                    return Ok(());
                }
                rows.origin.check(rows.failure.as_ref())?;
            }
        }
        self.finished.store(count, Relaxed);
        request.check(&seen, filter.as_deref(), &name, warnings)?;
        let _ = self.send(queue);
        Ok(())
    }

    fn add(&mut self, mut batch: RecordBatch, queue: &SyncSender<Result<NextRows>>) -> ControlFlow<()> {
        self.bytes += batch.get_array_memory_size();
        while self.rows + batch.num_rows() >= self.most {
            let fits = self.most - self.rows;
            self.batches.push(batch.slice(0, fits));
            batch = batch.slice(fits, batch.num_rows() - fits);
            self.send(queue)?;
        }
        self.rows += batch.num_rows();
        self.batches.push(batch);
        if self.bytes >= BATCH { self.send(queue) } else { Continue(()) }
    }

    /// Sends the gathered rows as one batch, and breaks if the receiver is dropped.
    fn send(&mut self, queue: &SyncSender<Result<NextRows>>) -> ControlFlow<()> {
        let (batches, mut skipped) = (mem::take(&mut self.batches), mem::take(&mut self.skipped));
        (self.rows, self.bytes) = (0, 0);
        let Some(first) = batches.first() else { return Continue(()) };
        // The texts of dictionaries may be too many for the keys of one.
        let joined =
            dictionaries::join(&first.schema(), &batches, &self.dictionaries).map_or(batches, |batch| vec![batch]);
        for batch in joined {
            queue.send(Ok(NextRows::Rows(batch, mem::take(&mut skipped)))).map_or(Break(()), Continue)?;
        }
        Continue(())
    }
}

#[test]
fn a_sample_has_the_tags_of_the_first_games_and_estimates_the_rows() {
    let request = |path: &str, by_place| Request {
        inputs: vec![Input::new(path.as_ref(), 0)],
        keep: vec!["all".to_owned()],
        rows: 1,
        by_place,
        ..Request::default()
    };
    let names =
        |sample: &Sample| -> Vec<String> { sample.schema.fields().iter().map(|field| field.name().clone()).collect() };
    let games = "../tests/data/games.pgn";
    let [some, all] = [false, true].map(|by_place| Sample::new(request(games, by_place), false).unwrap());
    assert_eq!(names(&some)[18..], ["Site", "Date", "Round", "White", "Black"]);
    assert_eq!(names(&all)[..23], names(&some));
    assert_eq!(names(&all)[23..], ["Result", "WhiteElo", "BlackElo", "SetUp", "FEN"]);
    // There are 16 positions.
    assert!((12..=20).contains(&all.rows), "{}", all.rows);
    let records = Sample::new(request("../tests/data/sample.binpack", true), false).unwrap();
    let mut batches = Batches::open(request("../tests/data/sample.binpack", true)).unwrap();
    let mut rows = 0;
    loop {
        match batches.next(Duration::from_secs(1)).unwrap() {
            NextRows::Rows(batch, _) => rows += batch.num_rows() as u64,
            NextRows::End => break,
            _ => {}
        }
    }
    assert!((rows / 3..=3 * rows).contains(&records.rows), "{} of {rows}", records.rows);
    assert!(Sample::new(request("../tests/data/nothing", true), false).is_err());
    let unknown = |known_tags| {
        let request = Request { keep: vec!["WhitElo".to_owned()], ..request(games, true) };
        Sample::new(request, known_tags).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(unknown(false), Ok(()));
    assert!(unknown(true).unwrap_err().contains("WhiteElo"));
}

#[test]
fn batches_without_rows_are_an_error_and_no_endless_work() {
    let request = |rows| Request {
        inputs: vec![Input::new("../tests/data/sample.epd".as_ref(), 0)],
        boards: true,
        rows,
        ..Request::default()
    };
    assert!(Batches::open(request(1)).is_ok());
    let error = Batches::open(request(0)).unwrap_err();
    assert_eq!(error.to_string(), "a batch of 0 rows: expected 1 or more");
}
