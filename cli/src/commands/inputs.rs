//! The inputs of `analyze`, `summarize` and `convert`, from the command line.

use std::path::Path;

use anyhow::Result;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::input::Shard;
use slider_attacks_files::shards::shard;
use slider_attacks_files::{Input, Inputs};
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::pipeline::{Pipeline, Work};

use crate::args::{FailureArgs, ReadArgs};
use crate::progress::note;

/// The inputs of a run with one output for all, or those of a shard, and how many positions of them are read at most.
///
/// # Errors
///
/// An input cannot be found.
pub fn found(args: &ReadArgs, failures: &FailureArgs, output: Option<&Path>) -> Result<(Vec<Input>, Option<usize>)> {
    found_for(args, failures, output, &args.wanted())
}

/// The same for a run that reads what is wanted.
///
/// # Errors
///
/// An input cannot be found.
pub fn found_for(
    args: &ReadArgs,
    failures: &FailureArgs,
    output: Option<&Path>,
    wanted: &Wanted,
) -> Result<(Vec<Input>, Option<usize>)> {
    let find = if failures.keep_going { Discovery::unchecked } else { Discovery::new };
    part_of(args, &find(&args.files, args.files_from.as_deref(), output)?.inputs, wanted)
}

/// These inputs, or the sample if there are none. Unless the run goes on after those that fail, all can be opened.
///
/// # Errors
///
/// An input cannot be opened, or standard input is named twice.
pub fn opened(inputs: Vec<Input>, failures: &FailureArgs, sample: &'static str) -> Result<Inputs> {
    if failures.keep_going { Inputs::unchecked(inputs) } else { Inputs::of(inputs, sample) }
}

/// The inputs of a shard, or all of them, and how many positions of them are read at most.
///
/// # Errors
///
/// An input that shards are to share is not a file, or cannot be read.
pub fn chosen(args: &ReadArgs, all: &[Input]) -> Result<(Vec<Input>, Option<usize>)> {
    part_of(args, all, &args.wanted())
}

fn part_of(args: &ReadArgs, all: &[Input], wanted: &Wanted) -> Result<(Vec<Input>, Option<usize>)> {
    let limit = args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let Some(part) = args.shard else { return Ok((all.to_vec(), limit)) };
    let inputs = shard(all, part, wanted)?;
    if !inputs.is_empty() {
        return Ok((inputs, limit));
    }
    let Shard { number, of } = part;
    note(&format!("note: shard {number}/{of} is empty"));
    // Its output has the columns of the others.
    Ok((all.iter().take(1).cloned().collect(), Some(0)))
}

/// The threads that work on these inputs, which are limited to a number of positions. `writes_groups` is whether Parquet is
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
