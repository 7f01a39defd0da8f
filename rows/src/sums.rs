//! Sums of products over all positions, by square and by group.
//!
//! A block yields one summary, with its own numbering of groups. The thread that takes the results adds them up.
//!
//! | file | what it does |
//! |---|---|
//! | [`keys`] | the keys that put positions into groups |
//! | [`groups`] | the groups of a run |
//! | [`job`] | the work on one block |
//! | [`table`] | shares and means, as columns, tables, arrays and drawn boards |
//! | [`page`] | the same as a page |

pub mod groups;
pub mod job;
pub mod keys;
pub mod page;
pub mod table;

use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks_files::block::SeenColumns;

use crate::pipeline::Pipeline;
use job::{BlockSums, SumJob};
use table::Totals;

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
    let (mut read, mut seen, mut groups) = (0, SeenColumns::default(), job.groups());
    pipeline.run(job, &mut |result| {
        let Some(mut summed) = result? else { return Ok(ControlFlow::Continue(())) };
        let flow = each(&summed);
        read += summed.positions;
        seen.add(&summed.origin, mem::take(&mut summed.found), summed.positions);
        groups.add(summed.keys, &summed.summary)?;
        summed.origin.check(summed.failure.as_ref())?;
        Ok(flow)
    })?;
    if !pipeline.is_limited(read) {
        seen.check(&pipeline.inputs.name())?;
    }
    pipeline.add_columns(&seen);
    Ok(groups.totals())
}
