//! Rows that threads of the caller parse and compute, such as those of a database.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::ops::ControlFlow::{Break, Continue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Result, anyhow, bail};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use slider_attacks::position::Positions;
use slider_attacks_files::block::SeenColumns;
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_files::ordered::{Pool, SPARE, spawn};
use slider_attacks_files::{Block, Inputs};
use slider_attacks_formats::content::FreeList;
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::warnings::Warnings;

use super::{BLOCK_BYTES, BLOCK_ROWS, BlockRows, Request, StartedBlock};
use crate::memory::check_available;

/// The rows of files, which threads of the caller take, and which they parse and compute themselves. As many threads as requested work
/// at a time: where fewer take rows, as a database with one thread that keeps the order of rows, others help them. One more thread
/// finds and decompresses the blocks, for a single thread only while that one waits.
///
/// A thread alone takes rows in the order of the inputs. Several threads take blocks in order. Of several errors, the first in the
/// order of the blocks is reported, unless a thread has read further than the first rows of a large block.
///
/// ```
/// use slider_attacks_files::Input;
/// use slider_attacks_rows::batches::{Request, SharedRows, ThreadRows};
///
/// let rows = SharedRows::open(Request {
///     inputs: vec![Input::new("../tests/data/sample.epd".as_ref(), 0)],
///     keep: vec!["fen".to_owned()],
///     threads: 2,
///     ..Request::default()
/// })?;
/// let count = || -> anyhow::Result<usize> {
///     let (mut thread, mut count) = (ThreadRows::default(), 0);
///     while let Some(batch) = rows.next(&mut thread)? {
///         count += batch.num_rows();
///     }
///     Ok(count)
/// };
/// let counts = std::thread::scope(|scope| [(); 2].map(|()| scope.spawn(count)).map(|thread| thread.join().unwrap()));
/// let [some, others] = counts;
/// assert!(some? + others? > 0);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedRows {
    work: Arc<SharedWork>,
    /// The thread that finds blocks.
    finder: Option<JoinHandle<()>>,
}

/// What a thread of the caller has begun.
#[derive(Debug, Default)]
pub struct ThreadRows {
    /// Whether it has been counted.
    is_counted: bool,
    /// The number of the block, the first rows if they have not been handed over, and the block.
    block: Option<(u64, Option<BlockRows>, Block)>,
    /// The error that comes after the last rows.
    failure: Option<BlockError>,
}

/// An error, and the number of the block that has it.
#[derive(Debug)]
struct BlockError(u64, anyhow::Error);

/// What all threads share.
struct SharedWork {
    request: Request,
    /// The name and the warnings of the inputs, for messages.
    name: String,
    warnings: Arc<Warnings>,
    filter: Option<Arc<KeyFilter>>,
    spare: FreeList<Positions>,
    /// The threads that help, if there is more than one in all.
    pool: Option<Arc<Pool>>,
    state: Mutex<SharedState>,
    /// There is room for a block, or one is needed.
    is_wanted: Condvar,
    /// There is a block, or the rows of one, or there will be no more.
    is_found: Condvar,
}

#[derive(Default)]
struct SharedState {
    blocks: VecDeque<QueuedBlock>,
    /// The number of the first of these.
    first: u64,
    /// How many threads of the caller take rows, and how many help them now.
    callers: usize,
    helpers: usize,
    /// The blocks whose first rows are being computed, and the first block that is known to have an error.
    begun: Vec<u64>,
    failed: Option<u64>,
    /// How many blocks have been taken that are not finished.
    taken: usize,
    /// Without helpers: whether the only thread waits until there are blocks.
    is_waiting: bool,
    /// All blocks have been found.
    is_complete: bool,
    /// Nothing more is needed.
    is_stopped: bool,
    /// The checks that need all rows have been made.
    is_checked: bool,
    schema: Option<SchemaRef>,
    seen: SeenColumns,
}

/// A block that nobody has taken.
enum QueuedBlock {
    /// Nobody has begun with it.
    Found(Box<Block>),
    /// A thread computes its first rows.
    Begun,
    /// They are there.
    Started(Box<StartedBlock>),
}

/// What a thread of the caller does next.
enum NextWork {
    /// It begins with the block of this number, which is the next.
    Begin(u64, Box<Block>),
    /// It begins with a block that comes later.
    Help(u64, Box<Block>),
    /// It hands over the rows of the next block, which others have computed.
    Take(u64, Box<StartedBlock>),
    Wait,
    End,
}

impl SharedRows {
    /// Begins to read. Nothing is computed until a thread takes rows, or two may work.
    ///
    /// # Errors
    ///
    /// A file cannot be opened, or a thread cannot be started.
    pub fn open(mut request: Request) -> Result<SharedRows> {
        let mut inputs = Inputs::of(mem::take(&mut request.inputs), "")?;
        let stacks = (request.threads + 1) << 21;
        check_available((8 << 20) + stacks + request.memory(BLOCK_BYTES, BLOCK_ROWS))?;
        let pool = if request.threads > 1 { Some(Arc::new(Pool::new(request.threads - 1)?)) } else { None };
        inputs.advice = request.advice();
        (inputs.pool, inputs.loads_later) = (pool.clone(), true);
        let warnings = Arc::<Warnings>::default();
        let wanted = Wanted { warnings: warnings.clone(), ..request.wanted() };
        let work = Arc::new(SharedWork {
            name: inputs.name(),
            warnings,
            filter: request.choice.filter(&request.plan, request.each_move, request.on_error),
            spare: FreeList::default(),
            pool,
            state: Mutex::default(),
            is_wanted: Condvar::new(),
            is_found: Condvar::new(),
            request,
        });
        // The first blocks are found at once, for whoever comes.
        work.state().is_waiting = true;
        let finder = {
            let work = work.clone();
            spawn(move || work.find(&inputs, &wanted))?
        };
        Ok(SharedRows { work, finder: Some(finder) })
    }

    /// The next rows for a thread of the caller, at least one row. `None` if there are no more for it.
    ///
    /// # Errors
    ///
    /// A file cannot be read, has no such column, or has a malformed line, if those are not skipped. The message names the file and the
    /// line. After an error, there are no more rows.
    pub fn next(&self, thread: &mut ThreadRows) -> Result<Option<RecordBatch>> {
        let failure = match self.work.next(thread) {
            Ok(rows) => return Ok(rows),
            Err(failure) => failure,
        };
        if !self.work.is_first(&failure) {
            return Ok(None);
        }
        self.work.stop();
        Err(failure.1)
    }
}

impl Drop for SharedRows {
    /// Stops the threads. The one that finds blocks may use what the caller lends it, so it ends first.
    fn drop(&mut self) {
        self.work.stop();
        // A panic has printed its message.
        let _ = self.finder.take().map(JoinHandle::join);
    }
}

impl SharedWork {
    fn state(&self) -> MutexGuard<'_, SharedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        // Blocks that others wait for are lost, which ends the waiting.
        let blocks = mem::take(&mut state.blocks);
        state.first += blocks.len() as u64;
        drop(state);
        drop(blocks);
        self.is_wanted.notify_all();
        self.is_found.notify_all();
    }

    /// The most blocks that wait.
    fn room(&self) -> usize {
        self.request.threads + SPARE
    }

    /// Finds the blocks of all inputs.
    fn find(self: &Arc<SharedWork>, inputs: &Inputs, wanted: &Wanted) {
        let mut numbers = 0..;
        let read = catch_unwind(AssertUnwindSafe(|| {
            inputs.read(wanted, &mut |mut block| {
                block.filter = self.filter.as_ref().zip(numbers.next()).map(|(filter, number)| filter.block(number));
                Ok(if self.add(QueuedBlock::Found(Box::new(block))) { Continue(()) } else { Break(()) })
            })
        }));
        if let Err(error) = read.unwrap_or_else(|_| Err(panicked())) {
            self.add(QueuedBlock::Started(Box::new(Err(error))));
        }
        self.state().is_complete = true;
        self.is_found.notify_all();
    }

    /// Adds a block when there is room for it. Returns whether more are needed.
    fn add(self: &Arc<SharedWork>, block: QueuedBlock) -> bool {
        let mut state = self.state();
        loop {
            if state.is_stopped {
                return false;
            }
            let is_full = state.blocks.len() >= self.room();
            if is_full && self.pool.is_none() && state.is_waiting {
                state.is_waiting = false;
                self.is_found.notify_all();
            }
            // A single thread and this one do not work at the same time.
            if !is_full && (self.pool.is_some() || state.is_waiting) {
                break;
            }
            state = self.is_wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.blocks.push_back(block);
        if let Some(pool) = self.pool.as_ref().filter(|_| state.callers.max(1) + state.helpers < self.request.threads) {
            state.helpers += 1;
            let work = self.clone();
            pool.run(move || work.help());
        }
        if self.pool.is_some() {
            self.is_found.notify_all();
        }
        true
    }

    /// Begins with blocks, as long as too few threads take rows.
    fn help(&self) {
        let mut state = self.state();
        while !state.is_stopped
            && state.callers.max(1) + state.helpers <= self.request.threads
            && let Some((number, block)) = state.begin_next()
        {
            drop(state);
            let started = self.start(number, *block);
            state = self.state();
            self.put(&mut state, number, started);
        }
        state.helpers -= 1;
    }

    /// Whether no block before that of an error has one. Waits until the first rows of these have been computed.
    fn is_first(&self, &BlockError(number, _): &BlockError) -> bool {
        let waits = |state: &mut SharedState| !state.is_stopped && state.begun.iter().any(|&begun| begun < number);
        let mut state = self.is_found.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        let is_first = !state.is_stopped && state.failed.is_none_or(|failed| failed >= number);
        if is_first {
            state.is_stopped = true;
        }
        is_first
    }

    /// The first rows of the block of this number. A panic is an error.
    fn start(&self, number: u64, block: Block) -> StartedBlock {
        let started = catch_unwind(AssertUnwindSafe(|| self.request.first_rows(block, &self.spare)));
        let started = started.unwrap_or_else(|_| Err(panicked()));
        let has_failed =
            started.as_ref().map_or(true, |(rows, _)| rows.as_ref().is_some_and(|rows| rows.failure.is_some()));
        let mut state = self.state();
        state.begun.retain(|&begun| begun != number);
        if has_failed {
            state.failed = Some(state.failed.map_or(number, |failed| failed.min(number)));
        }
        drop(state);
        self.is_found.notify_all();
        started
    }

    /// Puts the first rows of the block of this number in its place, unless all has been stopped.
    fn put(&self, state: &mut SharedState, number: u64, started: StartedBlock) {
        let place = number.checked_sub(state.first).and_then(|place| state.blocks.get_mut(place as usize));
        if let Some(place) = place {
            *place = QueuedBlock::Started(Box::new(started));
        }
        self.is_found.notify_all();
    }

    fn next(&self, thread: &mut ThreadRows) -> Result<Option<RecordBatch>, BlockError> {
        if !mem::replace(&mut thread.is_counted, true) {
            self.state().callers += 1;
        }
        loop {
            if let Some(error) = thread.failure.take() {
                return Err(error);
            }
            if self.state().is_stopped {
                return Ok(None);
            }
            if let Some((number, first, block)) = &mut thread.block {
                let of_block = |error| BlockError(*number, error);
                let rows = match first.take() {
                    Some(rows) => Some(rows),
                    None if block.is_finished() => None,
                    None => Some(self.request.work(block, &self.spare).map_err(of_block)?),
                };
                if let Some(rows) = rows {
                    let (batch, failure) = self.check(rows).map_err(of_block)?;
                    thread.failure = failure.map(of_block);
                    if batch.num_rows() > 0 {
                        return Ok(Some(batch));
                    }
                    continue;
                }
                thread.block = None;
                self.state().taken -= 1;
            }
            let Some((number, started)) = self.take()? else { return Ok(None) };
            let (rows, block) = started.map_err(|error| BlockError(number, error))?;
            thread.block = Some((number, rows, block));
        }
    }

    /// Rows as they are handed over, and the error that comes after them.
    fn check(&self, rows: BlockRows) -> Result<(RecordBatch, Option<anyhow::Error>)> {
        let mut state = self.state();
        let schema = rows.batch.schema();
        if *state.schema.get_or_insert_with(|| schema.clone()) != schema {
            bail!("{}: kept columns differ from those of earlier files", rows.origin.display_name());
        }
        state.seen.add(&rows.origin, rows.found, rows.read - rows.nulls.len());
        Ok((rows.batch, rows.origin.check(rows.failure.as_ref()).err()))
    }

    /// The next block, with its first rows. `None` if there are no more for this thread.
    fn take(&self) -> Result<Option<(u64, StartedBlock)>, BlockError> {
        let mut state = self.state();
        loop {
            match state.next_work() {
                NextWork::Begin(number, block) => {
                    drop(state);
                    self.is_wanted.notify_one();
                    return Ok(Some((number, self.start(number, *block))));
                }
                NextWork::Take(number, started) => {
                    drop(state);
                    self.is_wanted.notify_one();
                    return Ok(Some((number, *started)));
                }
                NextWork::Help(number, block) => {
                    drop(state);
                    let started = self.start(number, *block);
                    state = self.state();
                    self.put(&mut state, number, started);
                }
                NextWork::Wait => {
                    if self.pool.is_none() && state.blocks.is_empty() {
                        state.is_waiting = true;
                        self.is_wanted.notify_one();
                    }
                    state = self.is_found.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                NextWork::End => {
                    return self.end(state).map(|()| None).map_err(|error| BlockError(u64::MAX, error));
                }
            }
        }
    }

    /// Checks the inputs after all rows have been handed over, once.
    fn end(&self, mut state: MutexGuard<'_, SharedState>) -> Result<()> {
        if state.is_stopped || state.taken > 0 || mem::replace(&mut state.is_checked, true) {
            return Ok(());
        }
        self.request.check(&state.seen, self.filter.as_deref(), &self.name, &self.warnings)
    }
}

impl SharedState {
    /// Takes the first block that nobody has begun with, which keeps its place, and its number.
    fn begin_next(&mut self) -> Option<(u64, Box<Block>)> {
        let place = self.blocks.iter().position(|block| matches!(block, QueuedBlock::Found(_)))?;
        let QueuedBlock::Found(block) = mem::replace(&mut self.blocks[place], QueuedBlock::Begun) else { return None };
        let number = self.first + place as u64;
        self.begun.push(number);
        Some((number, block))
    }

    /// What a thread of the caller does next. It takes the first block, unless a thread has begun with it: then it begins with a later
    /// one, which keeps its place.
    fn next_work(&mut self) -> NextWork {
        if self.is_stopped {
            return NextWork::End;
        }
        if !matches!(self.blocks.front(), None | Some(QueuedBlock::Begun)) {
            let number = self.first;
            self.first += 1;
            self.taken += 1;
            match self.blocks.pop_front() {
                Some(QueuedBlock::Found(block)) => {
                    self.begun.push(number);
                    return NextWork::Begin(number, block);
                }
                Some(QueuedBlock::Started(started)) => return NextWork::Take(number, started),
                _ => {}
            }
        }
        match self.begin_next() {
            Some((number, block)) => NextWork::Help(number, block),
            None if self.blocks.is_empty() && self.is_complete => NextWork::End,
            None => NextWork::Wait,
        }
    }
}

/// The error of a thread that panicked.
fn panicked() -> anyhow::Error {
    anyhow!("a worker thread panicked")
}

impl fmt::Debug for SharedWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWork").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process, thread};

    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt64Type;
    use slider_attacks_arrow::{Plan, Product};
    use slider_attacks_files::Input;

    use super::*;

    /// The numbers of the lines that some threads take each, or the error of one of them.
    fn lines(request: &Request, takers: usize) -> Result<Vec<Vec<u64>>> {
        let rows = SharedRows::open(request.clone()).unwrap();
        let take = || {
            let (mut thread, mut lines) = (ThreadRows::default(), Vec::new());
            while let Some(batch) = rows.next(&mut thread)? {
                lines.extend_from_slice(batch.column(0).as_primitive::<UInt64Type>().values());
            }
            Ok(lines)
        };
        thread::scope(|scope| {
            let taking: Vec<_> = (0..takers).map(|_| scope.spawn(take)).collect();
            taking.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn threads_take_each_row_once_and_report_the_first_error() {
        const LINES: u64 = 30_000;
        let path = env::temp_dir().join(format!("shared-rows-{}.epd", process::id()));
        let mut text = "4k3/8/8/8/8/8/8/R3K3 w Q -\n".repeat(LINES as usize);
        fs::write(&path, &text).unwrap();
        let request = |threads| {
            let plan = Plan::new([Product::Maps]);
            Request { inputs: vec![Input::new(&path, 0)], plan, threads, by_place: true, ..Request::default() }
        };
        for (threads, takers) in [(1, 1), (2, 1), (4, 1), (2, 2), (1, 3), (4, 3)] {
            let mut taken = lines(&request(threads), takers).unwrap().concat();
            if takers > 1 {
                taken.sort_unstable();
            }
            assert!(taken.into_iter().eq(1..=LINES), "{threads} threads, {takers} that take rows");
            // Threads end when no more is needed.
            let rows = SharedRows::open(request(threads)).unwrap();
            assert!(rows.next(&mut ThreadRows::default()).unwrap().is_some());
        }
        for line in [29_000, 15_001, 15_000] {
            let start = 27 * (line - 1);
            text.replace_range(start..start + 1, "x");
        }
        fs::write(&path, &text).unwrap();
        for (threads, takers) in [(1, 1), (3, 1), (2, 2), (4, 3), (4, 3), (4, 3)] {
            let error = lines(&request(threads), takers).unwrap_err().to_string();
            assert!(error.contains("line 15000,"), "{threads} threads, {takers} that take rows: {error}");
        }
        // After an error there are no more rows, not even of a block that a thread has begun.
        let rows = SharedRows::open(request(1)).unwrap();
        let (mut begun, mut other) = (ThreadRows::default(), ThreadRows::default());
        assert!(rows.next(&mut begun).unwrap().is_some());
        assert!(begun.block.as_ref().is_some_and(|(.., block)| !block.is_finished()));
        while rows.next(&mut other).is_ok_and(|rows| rows.is_some()) {}
        assert!(rows.next(&mut begun).unwrap().is_none());
        fs::remove_file(&path).unwrap();
    }
}
