//! What a run reads and computes, and the threads that do it.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::{Result, ensure};
use slider_attacks::Backend;
use slider_attacks_arrow::{Plan, Product};
use slider_attacks_files::budget::{MemoryBudget, Reserved};
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::ordered::{NOT_WANTED, Pool, SPARE, in_order};
use slider_attacks_files::shards::shard;
use slider_attacks_files::wanted::{Advice, Wanted};
use slider_attacks_files::{Block, Inputs};

use super::directory::Existing;
use super::format::format;
use super::job::{BlockResult, Job};
use crate::args::{AnalyzeArgs, Shard, TableFormat};
use crate::commands::stream::SAMPLE_POSITIONS;
use crate::progress::note;

/// How many threads compute on a machine of at least as many cores, unless the command line says otherwise. More hardly
/// help, because one thread writes all results.
const DEFAULT_THREADS: usize = 32;

/// How many bytes all blocks and their results may take, by what [`Bound`](super::bound::Bound) says of each. Where blocks
/// are large, fewer threads work. `tests/memory` measures that a run stays below 200 MiB: besides these 64 MiB, it takes a
/// window of zstd of up to 128 MiB, or ranges of Parquet of 24 MiB.
const BUDGET: usize = 64 << 20;
/// The same for Parquet, whose groups of rows take memory as well: up to five of about 12 MiB.
const BUDGET_WITH_GROUPS: usize = 24 << 20;

/// How many bytes all blocks and their results may take.
fn budget(format: TableFormat) -> usize {
    if format == TableFormat::Parquet { BUDGET_WITH_GROUPS } else { BUDGET }
}

/// What a run reads, computes and writes.
pub struct Run<'a> {
    /// The command line.
    pub args: &'a AnalyzeArgs,
    /// The work on each block.
    pub job: Arc<Job>,
    wanted: Wanted,
    /// At most this many positions are read.
    pub limit: Option<usize>,
    /// What is read.
    pub inputs: Arc<Inputs>,
    /// The outputs in a directory, by the numbers of their inputs.
    pub outputs: Option<HashMap<u64, PathBuf>>,
    /// The threads that compute.
    pub pool: Arc<Pool>,
}

/// The end of an input, or the result of one of its blocks; the block, if the limit may lie in it; and their memory.
pub type Finished = Option<(BlockResult, Option<Block>, Reserved)>;

impl<'a> Run<'a> {
    /// Finds out what is to be done. `None` if nothing is left to do.
    pub fn prepare(args: &'a AnalyzeArgs, backend: Backend) -> Result<Option<Run<'a>>> {
        let format = format(args);
        let output = args.output_dir.as_deref().or(args.output.as_deref());
        let found = Discovery::new(&args.files, args.files_from.as_deref(), output)?;
        let what = if args.summary { &[Product::Counts][..] } else { &args.what };
        let plan = Plan::new(what.iter().copied()).backend(backend).through(args.through).victims(args.victims);
        let with_file = found.may_be_several && args.output_dir.is_none();
        let job = Job { plan, format, summary: args.summary, on_error: args.on_error, with_file };
        let mut wanted = Wanted {
            pairs: false,
            from: args.from,
            column: args.column.clone(),
            keep: args.keep.clone(),
            any_fields: format == TableFormat::Jsonl,
            games: args.games(),
            after_first_move: args.after_first_move,
            keeps_rows: args.on_error.keeps_rows(),
            block_bytes: None,
            block_rows: None,
            taken: job.header(&[]),
            advice: Advice::default(),
        };
        let all = found.inputs;
        let mut limit = args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut inputs = all.clone();
        if let Some(Shard { number, of }) = args.shard {
            // The games of a part cannot be told before they are counted, so its output would have no name.
            inputs = shard(&all, number, of, args.output_dir.is_none(), args.from)?;
            if inputs.is_empty() {
                note(&format!("note: shard {number}/{of} is empty"));
                // Its output has the columns of the others.
                (inputs, limit) = (all.iter().take(1).cloned().collect(), Some(0));
            }
        }
        let mut outputs = None;
        if let Some(directory) = &args.output_dir {
            if limit == Some(0) {
                return Ok(None);
            }
            let rest = Existing::new(&job, args.overwrite).outputs(&all, inputs, directory)?;
            if rest.is_empty() {
                return Ok(None);
            }
            outputs = Some(rest.iter().map(|(input, path)| (input.index, path.clone())).collect());
            inputs = rest.into_iter().map(|(input, _)| input).collect();
        }
        let inputs = Arc::new(Inputs::of(inputs, SAMPLE_POSITIONS)?);
        let most = || thread::available_parallelism().map_or(1, NonZero::get).min(DEFAULT_THREADS);
        let threads = args.threads.map_or_else(most, usize::from);
        let pool = Arc::new(Pool::new(threads)?);
        if !wanted.keep_all() {
            let each = budget(format) / (pool.threads() + SPARE);
            let bytes = job.bound().block_bytes(wanted.keep.len(), each);
            wanted.block_bytes = Some(bytes);
            wanted.block_rows = job.bound().block_rows(bytes);
        }
        Ok(Some(Run { args, job: Arc::new(job), wanted, limit, inputs, outputs, pool }))
    }

    /// Reads, parses, computes and encodes, and passes the results to `take`, in order, until it needs no more. Each input ends
    /// with `None`.
    ///
    /// # Errors
    ///
    /// The thread that reads cannot be started.
    pub fn results(&self, take: &mut dyn FnMut(Result<Finished>) -> bool) -> Result<()> {
        let budget = MemoryBudget::new(budget(self.job.format));
        let (inputs, wanted, bound) = (self.inputs.clone(), self.wanted.clone(), self.job.bound());
        let make = move |take: &mut dyn FnMut(Result<Option<(Block, Reserved)>>) -> bool| {
            let read = (0..inputs.count()).try_for_each(|place| {
                inputs.read_one(place, &wanted, &mut |block| {
                    let reserved = budget.reserve(bound.of(&block));
                    ensure!(take(Ok(Some((block, reserved)))), NOT_WANTED);
                    Ok(())
                })?;
                ensure!(take(Ok(None)), NOT_WANTED);
                Ok(())
            });
            read.err().map(|error| take(Err(error)));
        };
        let (job, limit) = (self.job.clone(), self.limit);
        let work = move |block: Result<Option<(Block, Reserved)>>| {
            let Some((block, mut reserved)) = block? else { return Ok(None) };
            let result = job.work(&block, usize::MAX);
            // The block is needed again if it contains the limit.
            let block = limit.map(|_| block);
            if block.is_none() {
                reserved.shrink(result.bytes());
            }
            Ok(Some((result, block, reserved)))
        };
        in_order(self.pool.clone(), make, work, take)
    }
}
