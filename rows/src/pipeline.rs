//! What a run reads, and the threads that work on it.
//!
//! One thread reads blocks of a few hundred positions, a pool of threads works on them, and the thread of the caller takes the
//! results in order. Only a few blocks exist at a time, so memory does not grow with the input.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use anyhow::{Result, ensure};
use slider_attacks_files::block::SeenColumns;
use slider_attacks_files::budget::{MemoryBudget, Reserved};
use slider_attacks_files::malformed::Malformed;
use slider_attacks_files::ordered::{NOT_WANTED, Pool, SPARE, in_order};
use slider_attacks_files::wanted::Wanted;
use slider_attacks_files::{Block, Inputs};

use crate::bound::Bound;

/// How many threads compute, unless the caller says otherwise: one per core, up to 32. More hardly help, because one thread
/// writes all results.
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(32)
}

/// How many bytes all blocks and their results may take, by what [`Bound`] says of each. Where blocks are large, fewer threads
/// work. `tests/memory` measures that a run stays below 200 MiB: besides these 64 MiB, it takes a window or frames of
/// zstd of up to 128 MiB, or ranges of Parquet of 24 MiB.
const BUDGET: usize = 64 << 20;
/// The same if Parquet is written, whose groups of rows take memory as well: up to five of about 12 MiB.
const BUDGET_WITH_GROUPS: usize = 24 << 20;

/// The work on one block, on the threads of the pool.
pub trait Work: Send + Sync + 'static {
    /// What becomes of a block.
    type Done: Done;

    /// The most bytes that blocks and their results can take.
    fn bound(&self) -> Bound;

    /// Does the work on at most `most` positions of a block.
    fn work(&self, block: &Block, most: usize) -> Self::Done;
}

/// The result of the work on one block.
pub trait Done: Send + 'static {
    /// How many positions were read.
    fn positions(&self) -> usize;

    /// How many bytes it takes while it waits.
    fn bytes(&self) -> usize;
}

/// How many bytes messages take.
pub fn message_bytes(messages: &[Malformed]) -> usize {
    // Besides its text, a message takes 32 bytes in a vector that may have room for twice as many.
    messages.iter().map(|malformed| malformed.what.len() + 64).sum()
}

/// The end of an input, or the result of one of its blocks; the block, if the limit may lie in it; and their memory.
type Finished<D> = Option<(D, Option<Block>, Reserved)>;

/// What is read, and the threads that work.
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
    /// The threads that work.
    pub pool: Arc<Pool>,
    budget: usize,
}

impl Pipeline {
    /// Starts so many threads. `writes_groups` is whether Parquet is written.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub fn new(
        threads: usize,
        (inputs, limit): (Inputs, Option<usize>),
        mut wanted: Wanted,
        bound: Bound,
        writes_groups: bool,
    ) -> Result<Pipeline> {
        let pool = Arc::new(Pool::new(threads)?);
        let budget = if writes_groups { BUDGET_WITH_GROUPS } else { BUDGET };
        if !wanted.keep_all() {
            let bytes = bound.block_bytes(wanted.keep.len(), budget / (pool.threads() + SPARE));
            wanted.block_bytes = Some(bytes);
            wanted.block_rows = bound.block_rows(bytes);
        }
        wanted.pool = Some(pool.clone());
        Ok(Pipeline { inputs: Arc::new(inputs), wanted, limit, is_part: false, goes_on: false, pool, budget })
    }

    /// Whether the limit has ended a run in which so many positions were read.
    pub fn is_limited(&self, read: usize) -> bool {
        self.limit.is_some_and(|limit| read >= limit)
    }

    /// Adds the columns of inputs to the warnings, which are about those that no input has.
    pub fn add_columns(&self, seen: &SeenColumns) {
        seen.warn(&self.wanted.warnings);
    }

    /// What the inputs lack, after a run; `is_part` is whether only a part of them was read.
    pub fn warnings(&self, is_part: bool) -> Vec<String> {
        if self.limit == Some(0) { Vec::new() } else { self.wanted.warnings.messages(self.is_part || is_part) }
    }

    /// Reads and works, and passes the results to `take`, in order, up to the limit or until it needs no more. Each input ends
    /// with `None`, or with an error if it cannot be read: the last one, unless the run [goes on](Pipeline::goes_on). There is
    /// at least one result.
    ///
    /// # Errors
    ///
    /// The thread that reads cannot be started.
    pub fn run<W: Work>(&self, work: &Arc<W>, take: &mut dyn FnMut(Result<Option<W::Done>>) -> bool) -> Result<()> {
        let budget = MemoryBudget::new(self.budget);
        let (inputs, wanted, bound, goes_on) = (self.inputs.clone(), self.wanted.clone(), work.bound(), self.goes_on);
        let make = move |take: &mut dyn FnMut(Result<Option<(Block, Reserved)>>) -> bool| {
            for place in 0..inputs.count() {
                let mut is_wanted = true;
                let read = inputs.read_one(place, &wanted, &mut |block| {
                    let reserved = budget.reserve(bound.of(&block));
                    is_wanted = take(Ok(Some((block, reserved))));
                    ensure!(is_wanted, NOT_WANTED);
                    Ok(())
                });
                let ends = read.is_err() && !goes_on;
                if !is_wanted || !take(read.map(|()| None)) || ends {
                    break;
                }
            }
        };
        let (worker, mut rest) = (work.clone(), self.limit);
        let is_limited = rest.is_some();
        let do_work = move |block: Result<Option<(Block, Reserved)>>| {
            let Some((block, mut reserved)) = block? else { return Ok(None) };
            let done = worker.work(&block, usize::MAX);
            // The block is needed again if it contains the limit.
            let block = is_limited.then_some(block);
            if block.is_none() {
                reserved.shrink(done.bytes());
            }
            Ok(Some((done, block, reserved)))
        };
        let mut take_result = |result: Result<Finished<W::Done>>| {
            let (mut done, block, _reserved) = match result {
                Err(error) => return take(Err(error)),
                Ok(None) => return take(Ok(None)),
                Ok(Some(finished)) => finished,
            };
            if let (Some(rest), Some(block)) = (&mut rest, block) {
                if done.positions() >= *rest {
                    done = work.work(&block, *rest);
                }
                *rest -= done.positions();
            }
            // The limit is checked before waiting for the next result, because the input may pause. The first result has the
            // columns, even if it has no rows.
            take(Ok(Some(done))) && rest != Some(0)
        };
        in_order(self.pool.clone(), make, do_work, &mut take_result)
    }
}
