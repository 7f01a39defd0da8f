//! The inputs of `analyze`, `summarize` and `convert`, from the command line.

use anyhow::Result;
use slider_attacks_files::input::Shard;
use slider_attacks_files::shards::shard;
use slider_attacks_files::{Input, Inputs};
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::pipeline::{Pipeline, Work};

use crate::args::ReadArgs;
use crate::progress::note;

/// The inputs of a shard, or all of them, and how many positions of them are read at most. With `cuts_games`, PGN is cut before
/// games.
///
/// # Errors
///
/// An input that shards are to share is not a file, or cannot be read.
pub fn chosen(args: &ReadArgs, all: &[Input], cuts_games: bool) -> Result<(Vec<Input>, Option<usize>)> {
    let limit = args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let Some(Shard { number, of }) = args.shard else { return Ok((all.to_vec(), limit)) };
    let inputs = shard(all, number, of, cuts_games, args.from)?;
    if !inputs.is_empty() {
        return Ok((inputs, limit));
    }
    note(&format!("note: shard {number}/{of} is empty"));
    // Its output has the columns of the others.
    Ok((all.iter().take(1).cloned().collect(), Some(0)))
}

/// The threads that work on these inputs, of which the limit is a number of positions. `writes_groups` is whether Parquet is
/// written.
///
/// # Errors
///
/// No thread can be started.
pub fn pipeline(
    args: &ReadArgs,
    inputs: (Inputs, Option<usize>),
    wanted: Wanted,
    work: &impl Work,
    writes_groups: bool,
) -> Result<Pipeline> {
    let mut pipeline = Pipeline::new(args.threads(), inputs, wanted, work, writes_groups)?;
    pipeline.is_part = args.shard.is_some();
    Ok(pipeline)
}
