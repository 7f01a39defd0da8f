//! Sums of products over all positions, by square and by group.
//!
//! A block yields one summary, with its own numbering of groups. The thread that takes the results adds them up.
//!
//! | file | what it does |
//! |---|---|
//! | [`keys`] | the keys that put positions into groups |
//! | [`groups`] | the groups of a run |
//! | [`files`] | those that do not fit into memory |
//! | [`job`] | the work on one block |
//! | [`merge`] | sums that other runs have written |
//! | [`table`] | shares and means, as columns, tables, arrays and drawn boards |
//! | [`page`] | the same as a page |

pub mod files;
pub mod groups;
pub mod job;
pub mod keys;
pub mod merge;
pub mod page;
pub mod table;

use std::mem;
use std::ops::ControlFlow::{self, Continue};
use std::sync::Arc;

use anyhow::{Context, Error, Result};
use slider_attacks_files::block::SeenColumns;

use crate::pipeline::Pipeline;
use groups::SummedGroups;
use job::{BlockSums, SumJob};
use table::Totals;

/// What a run of [`sum_inputs`] tells its caller.
#[derive(Debug)]
pub enum SumEvent<'a> {
    /// The sums of a block.
    Block(&'a BlockSums),
    /// The input that is being read cannot be read to its end, so its sums are not added.
    Failed(Error),
    /// The input that is being read ends.
    End,
}

/// Reads and sums everything. The sums of each block are passed to `each`; if that breaks, the result has the sums so far.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or there are too many groups.
pub fn sum(
    pipeline: &Pipeline,
    job: &Arc<SumJob>,
    each: &mut dyn FnMut(&BlockSums) -> ControlFlow<()>,
) -> Result<Totals> {
    sum_inputs(pipeline, job, &mut |event| match event {
        SumEvent::Block(summed) => Ok(each(summed)),
        SumEvent::Failed(error) => Err(error),
        SumEvent::End => Ok(Continue(())),
    })?
    .totals()
}

/// The same for a run that may [go on](Pipeline::goes_on) after an input that fails, which adds nothing then. If `each` returns an
/// error, the run ends.
///
/// # Errors
///
/// There are too many groups, temporary files for them cannot be written or read, or that of `each`.
pub fn sum_inputs(
    pipeline: &Pipeline,
    job: &Arc<SumJob>,
    each: &mut dyn FnMut(SumEvent<'_>) -> Result<ControlFlow<()>>,
) -> Result<SummedGroups> {
    let limit = if pipeline.goes_on { job.limit.half() } else { job.limit };
    let no_groups = || job.groups().limited(limit, job.group_bytes());
    let (mut read, mut seen, mut groups) = (0, SeenColumns::default(), no_groups());
    // The sums of the input that is being read, as long as it may fail.
    let mut held = pipeline.goes_on.then(no_groups);
    let (mut has_failed, mut read_before) = (false, 0);
    pipeline.run(job, &mut |result| {
        let is_end = !matches!(result, Ok(Some(_)));
        let mut flow = Continue(());
        match result {
            Ok(Some(mut summed)) if !has_failed => {
                flow = each(SumEvent::Block(&summed))?;
                read += summed.positions;
                seen.add(&summed.origin, mem::take(&mut summed.found), summed.positions);
                let sums = held.as_mut().unwrap_or(&mut groups);
                let checked = sums.check(&summed.keys).with_context(|| summed.origin.display_name());
                if checked.is_ok() {
                    sums.add(summed.keys, &summed.summary)?;
                }
                if let Err(error) = checked.and_then(|()| summed.origin.check(summed.failure.as_ref())) {
                    (flow, has_failed) = (each(SumEvent::Failed(error))?, true);
                }
            }
            Err(error) if !has_failed => (flow, has_failed) = (each(SumEvent::Failed(error))?, true),
            _ => {}
        }
        if is_end {
            let sums = held.as_mut().map(|held| mem::replace(held, no_groups()));
            if has_failed {
                read = read_before;
            } else if let Some(sums) = sums {
                groups.add_all(sums)?;
            }
            read_before = read;
        }
        if is_end && flow.is_continue() {
            has_failed = false;
            flow = each(SumEvent::End)?;
        }
        Ok(flow)
    })?;
    // Those of an input in whose middle the run has ended, at the limit or because the caller needs no more.
    if let Some(sums) = held.filter(|_| !has_failed) {
        groups.add_all(sums)?;
    }
    if !pipeline.is_limited(read) {
        seen.check(&pipeline.inputs.name())?;
    }
    pipeline.add_columns(&seen);
    groups.finish()
}
