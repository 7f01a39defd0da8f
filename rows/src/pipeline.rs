//! The inputs of a run, and the threads that process them.
//!
//! A pool of threads fetches, cuts, parses and processes blocks of a few thousand positions; the caller's thread takes the
//! results in order. Only a few blocks exist at a time, and the size of each result is limited: the caller's thread processes
//! the rest of such a block. So memory is bounded for any input.

use std::num::NonZero;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_files::block::{BlockPlace, SeenColumns};
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_files::moves::USUAL_MOVES;
use slider_attacks_files::ordered::{Pool, ResultSender, SPARE, in_order};
use slider_attacks_files::{Block, Inputs};
use slider_attacks_formats::cut::READ;
use slider_attacks_formats::error::Malformed;
use slider_attacks_formats::request::Wanted;

/// How many threads compute, unless the caller says otherwise: one per core, up to 32. More hardly help, because one thread
/// writes all results.
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(32)
}

/// How many bytes the results of all blocks may take that wait for their turn. `tests/memory` measures that a run stays below 200 MiB:
/// besides these 28 MiB, it takes what threads work on, and a window or frames of zstd of up to 128 MiB, or ranges of Parquet of
/// 24 MiB.
const WAITING: usize = 28 << 20;
/// The same if Parquet is written, whose row groups take memory as well: up to 12 MiB for the one that grows, and 20 MiB for those that
/// are being encoded.
const WAITING_WITH_GROUPS: usize = 24 << 20;
/// The number of threads that share this, even if there are fewer.
const MANY_THREADS: usize = 32;
/// The most bytes that a single result may take while it waits.
const MOST_WAITING: usize = 2 << 20;

/// The largest blocks of text; the larger ones if results do not grow with them. To hand a block from thread to thread takes 10 to 40
/// microseconds.
const LARGEST: [usize; 2] = [256 << 10, 1 << 20];
/// How many positions of a large block are read at a time before it is known which of them are taken.
const LARGE_ROWS: usize = 8;
/// The length of a usual line.
pub const LINE: usize = 64;

/// How many rows are left out before a result ends, where even its first part is limited: nothing else bounds its time.
const MOST_LEFT_OUT: usize = 1 << 10;

/// The limits of the size of a result.
#[derive(Clone, Copy, Debug)]
pub struct ResultLimits {
    /// The work stops once the result has this many bytes.
    pub bytes: usize,
    /// The result is taken immediately: its first part may be larger.
    pub is_next: bool,
    /// The most bytes that even the first part may take. If its first unit takes more, the work says so, and does nothing.
    pub most: usize,
}

impl ResultLimits {
    /// Whether a result ends because this many rows were left out.
    pub fn has_left_out(&self, rows: usize) -> bool {
        self.most < usize::MAX && rows >= MOST_LEFT_OUT
    }

    /// Room for this many bytes.
    pub const fn new(bytes: usize, is_next: bool) -> ResultLimits {
        ResultLimits { bytes, is_next, most: usize::MAX }
    }
}

/// The work on a block, on the threads of the pool.
pub trait Work: Send + Sync + 'static {
    /// The result of a block.
    type Output: Send + 'static;

    /// About how many bytes the result of a row takes, without what is kept of it. A block has as many lines as there is room for.
    fn row_bytes(&self) -> usize;

    /// If the rows are the positions after each legal move, the backend that computes these.
    fn each_move(&self) -> Option<Backend> {
        None
    }

    /// About how many rows a position has.
    fn position_rows(&self) -> usize {
        if self.each_move().is_some() { USUAL_MOVES } else { 1 }
    }

    /// Works on the next positions of a block, at most `limit`, until all are done or the result takes all of the room. What is left of
    /// the block is worked on when the result has been taken.
    ///
    /// # Errors
    ///
    /// The block cannot be read.
    fn work(&self, block: &mut Block, limit: usize, room: ResultLimits) -> Result<Self::Output>;

    /// How many positions were read for a result.
    fn positions(done: &Self::Output) -> usize;
}

/// How many bytes messages take.
pub fn message_bytes(messages: &[Malformed]) -> usize {
    // Besides its text, a message takes 32 bytes in a vector that may have room for twice as many.
    messages.iter().map(|malformed| malformed.what.len() + 64).sum()
}

/// A message from the threads.
enum Finished<D> {
    /// A block, with its results so far.
    Block(Result<Box<(Option<D>, Block)>>),
    /// The end of an input, which cannot be read to its end if this is an error.
    End(Result<()>),
}

/// The inputs, and the threads.
pub struct Pipeline {
    /// The inputs.
    pub inputs: Arc<Inputs>,
    wanted: Wanted,
    /// At most this many positions are read.
    pub limit: Option<usize>,
    /// Whether the inputs are only a part of those that the caller names.
    pub is_part: bool,
    /// Whether the inputs after one that cannot be read are read nevertheless.
    pub goes_on: bool,
    /// Whether the limit does not count positions of inputs that are given up, because the caller drops their results.
    pub drops_failed: bool,
    /// How many inputs have ended or been given up.
    given_up: Arc<AtomicUsize>,
    /// Which positions are taken, if not all. The limit counts these. It is for one run. One with a set of keys must not go on after an
    /// error.
    pub filter: Option<Arc<KeyFilter>>,
    /// The threads that work.
    pub pool: Arc<Pool>,
    room: usize,
}

impl Pipeline {
    /// Starts this many threads. `writes_groups` is whether Parquet is written.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn new(
        threads: usize,
        (mut inputs, limit): (Inputs, Option<usize>),
        mut wanted: Wanted,
        work: &impl Work,
        writes_groups: bool,
    ) -> Result<Pipeline> {
        /// About how many bytes a value takes that is kept.
        const KEPT: usize = 32;
        let pool = Arc::new(Pool::new(threads)?);
        let waiting = if writes_groups { WAITING_WITH_GROUPS } else { WAITING };
        // Where row groups end depends on this, and must not depend on the number of threads.
        let sharing = if writes_groups { pool.threads().max(MANY_THREADS) } else { pool.threads() };
        let room = (waiting / (sharing + SPARE)).min(MOST_WAITING);
        let kept = if wanted.keep_all() { 4 * LINE } else { KEPT * wanted.keep.len() };
        let rows = work.position_rows();
        let lines = room / (work.row_bytes() + kept).max(1) / rows;
        let (least, largest) = (READ / rows, LARGEST[usize::from(work.row_bytes() == 0)]);
        wanted.block_bytes.get_or_insert((LINE * lines).clamp(least, largest));
        wanted.block_rows.get_or_insert(lines.clamp(least / LINE, LARGEST[0] / LINE));
        (inputs.pool, inputs.loads_later) = (Some(pool.clone()), true);
        let inputs = Arc::new(inputs);
        let given_up = Arc::default();
        let (is_part, goes_on, drops_failed) = (false, false, false);
        Ok(Pipeline { inputs, wanted, limit, is_part, goes_on, drops_failed, given_up, filter: None, pool, room })
    }

    /// Whether the limit has ended a run in which this many positions were read.
    pub fn is_limited(&self, read: usize) -> bool {
        self.limit.is_some_and(|limit| read >= limit)
    }

    /// Adds the columns of inputs to the warnings, which are about those that no input has.
    pub fn add_columns(&self, seen: &SeenColumns) {
        seen.warn(&self.wanted.warnings);
    }

    /// Checks that the inputs have what the condition compares, after a run that has read all of them. If they are only a part, that
    /// becomes a warning, because others may have it.
    ///
    /// # Errors
    ///
    /// None of them has a column that it names.
    pub fn check_condition(&self) -> Result<()> {
        let (name, warnings) = (self.inputs.name(), &self.wanted.warnings);
        let Some(Err(error)) = self.filter.as_ref().map(|filter| filter.check(&name, warnings)) else { return Ok(()) };
        if !self.is_part {
            return Err(error);
        }
        warnings.add(error.to_string());
        Ok(())
    }

    /// The warnings about missing names after a run; `is_part` tells whether only a part of the inputs was read.
    pub fn warnings(&self, is_part: bool) -> Vec<String> {
        if self.limit == Some(0) { Vec::new() } else { self.wanted.warnings.messages(self.is_part || is_part) }
    }

    /// Gives up the input at this place, because one of its records is wrong: no more of it is read, and results that are on their
    /// way are dropped.
    pub fn give_up(&self, place: usize) {
        self.given_up.fetch_max(place + 1, Relaxed);
    }

    fn is_given_up(&self, place: usize) -> bool {
        self.given_up.load(Relaxed) > place
    }

    /// Reads and works, and passes the results to `take`, in order, up to the limit or until it needs no more. Each input ends
    /// with `None`, or with an error if it cannot be read: the last one, unless the run [goes on](Pipeline::goes_on). There is
    /// at least one result.
    ///
    /// # Errors
    ///
    /// The thread that reads cannot be started, or `take` fails.
    pub fn run<W: Work>(
        &self,
        work: &Arc<W>,
        take: &mut dyn FnMut(Result<Option<W::Output>>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let (inputs, wanted, goes_on) = (self.inputs.clone(), self.wanted.clone(), self.goes_on);
        let (filter, mut numbers, given_up) = (self.filter.clone(), 0.., self.given_up.clone());
        let make = move |take: &mut dyn FnMut(Result<Option<Block>>) -> ControlFlow<()>| {
            for place in 0..inputs.count() {
                let is_given_up = || given_up.load(Relaxed) > place;
                let read = inputs.read_one(place, &wanted, &mut |mut block| {
                    if is_given_up() {
                        return Ok(Break(()));
                    }
                    block.filter = filter.as_ref().zip(numbers.next()).map(|(filter, number)| filter.block(number));
                    Ok(take(Ok(Some(block))))
                });
                let is_more = matches!(read, Ok(Continue(()))) || goes_on && (read.is_err() || is_given_up());
                if take(read.map(|_| None)).is_break() || !is_more {
                    break;
                }
            }
        };
        let (worker, bytes) = (work.clone(), self.room);
        // A block of more bytes has units that are as large: one at a time is worked on, when its turn has come.
        let large = 2 * self.wanted.block_bytes.unwrap_or(READ).max(LARGEST[0]);
        let begin = move |block: &mut Block, is_large: bool| {
            block.each_move = worker.each_move();
            if block.is_finished() || is_large {
                block.decide(LARGE_ROWS, is_large)?;
                return Ok(None);
            }
            let done = worker.work(block, usize::MAX, ResultLimits::new(bytes, false))?;
            // It may begin with what takes more than there is room for.
            let has_begun = block.is_finished() || block.place() != BlockPlace::default();
            Ok(Some(done).filter(|_| has_begun))
        };
        let pool = self.pool.clone();
        let do_work = move |block: Result<Option<Block>>, sender: ResultSender<Finished<W::Output>>| {
            let mut block = match block {
                Ok(Some(block)) => block,
                end => return sender.send(Finished::End(end.map(drop))),
            };
            let send = |done: Result<_>, mut block: Block| {
                block.suspends = false;
                sender.send(Finished::Block(done.map(|done| Box::new((done, block)))));
            };
            block.suspends = true;
            if let Err(error) = block.load() {
                return send(Err(error), block);
            }
            let is_large = block.is_large(large);
            let done = begin(&mut block, is_large);
            if done.is_ok() && block.is_pending() {
                // The thread goes on with other blocks.
                let begin = begin.clone();
                block.when_decided(&pool, move |mut block| send(begin(&mut block, is_large), block));
            } else {
                send(done, block);
            }
        };
        let (mut rest, mut has_failed, mut ended) = (self.limit, false, Ok(()));
        // The place of the input whose results are taken, and what the limit left for it.
        let (mut place, mut rest_before) = (0, rest);
        let mut take_result = |result: Finished<W::Output>| {
            let (mut done, mut block) = match result {
                // An input that could not be read has ended with the first error.
                Finished::Block(_) if has_failed || self.is_given_up(place) => return Ok(Continue(())),
                Finished::End(end) => {
                    let has_ended = std::mem::take(&mut has_failed);
                    let flow = if has_ended { Continue(()) } else { take(end.map(|()| None))? };
                    if self.drops_failed && self.is_given_up(place) {
                        rest = rest_before;
                    }
                    (place, rest_before) = (place + 1, rest);
                    return Ok(flow);
                }
                Finished::Block(Err(error)) => {
                    has_failed = true;
                    return take(Err(error));
                }
                Finished::Block(Ok(begun)) => *begun,
            };
            if done.as_ref().is_some_and(|done| rest.is_some_and(|rest| W::positions(done) >= rest)) {
                // The limit lies in it.
                (done, _) = (None, block.go_back(BlockPlace::default()));
            }
            while done.is_some() || !block.is_finished() {
                let room = ResultLimits::new(bytes, true);
                let next = done.take().map_or_else(|| work.work(&mut block, rest.unwrap_or(usize::MAX), room), Ok);
                has_failed = next.is_err();
                let positions = next.as_ref().map_or(0, W::positions);
                rest.iter_mut().for_each(|rest| *rest = rest.saturating_sub(positions));
                let flow = take(next.map(Some))?;
                if has_failed || flow.is_break() || self.drops_failed && self.is_given_up(place) {
                    return Ok(flow);
                }
                // The limit is checked before waiting for the next result, because the input may pause. The first result has the
                // columns, even if it has no rows.
                if rest == Some(0) {
                    return Ok(Break(()));
                }
                if self.is_given_up(place) {
                    return Ok(flow);
                }
            }
            Ok(Continue(()))
        };
        let mut take_result = |result| {
            take_result(result).unwrap_or_else(|error| {
                ended = Err(error);
                Break(())
            })
        };
        in_order(self.pool.clone(), make, do_work, &mut take_result)?;
        ended
    }
}
