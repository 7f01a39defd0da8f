//! What a run tells as it goes, input by input: progress, counts, failures, and the report.

use std::path::Path;

use anyhow::{Error, Result, ensure};
use slider_attacks_files::block::Origin;
use slider_attacks_formats::error::Malformed;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::write::table::grouped;

use crate::is_closed_pipe;
use crate::progress::{ProgressLine, RecordCounts, Tally};
use crate::report::RunReport;

/// The word for records in messages.
pub const POSITIONS: &str = "positions";

/// How many names of inputs the last message of a run has.
const MOST_NAMES: usize = 20;

/// The inputs of a run, as they are read.
pub struct RunLog<'a, 'r> {
    pipeline: &'a Pipeline,
    report: &'a mut RunReport<'r>,
    /// The progress line, and messages.
    pub progress: ProgressLine,
    /// The records so far.
    pub tally: Tally,
    /// The numbers of records before the input that is being read.
    before: RecordCounts,
    /// How many inputs have ended.
    ended: usize,
    /// The names of those that failed.
    failed: Vec<String>,
    /// Why the input that is being read has failed.
    failure: Option<String>,
    /// How many positions the format could not hold, before the input that is being read and by now.
    unwritten: [u64; 2],
}

impl<'a, 'r> RunLog<'a, 'r> {
    /// Nothing has been read. `in_use` is whether a terminal shows something else.
    pub fn new(pipeline: &'a Pipeline, report: &'a mut RunReport<'r>, in_use: bool) -> RunLog<'a, 'r> {
        report.begin_inputs(&pipeline.inputs);
        RunLog {
            pipeline,
            report,
            progress: ProgressLine::new(&pipeline.inputs.counter, in_use),
            tally: Tally::new(pipeline.is_part),
            before: RecordCounts::default(),
            ended: 0,
            failed: Vec::new(),
            failure: None,
            unwritten: [0; 2],
        }
    }

    /// Counts the records of a block, and reports those that were skipped.
    ///
    /// # Errors
    ///
    /// There are more errors than the run may have.
    pub fn add(&mut self, origin: &Origin, counts: RecordCounts, skipped: &[Malformed]) -> Result<()> {
        // The first one that is too many is told.
        let shown = &skipped[..skipped.len().min(self.report.room().saturating_add(1))];
        self.tally.add(&self.progress, origin, counts.good, counts.nulls, shown);
        self.tally.leave_out(counts.left_out, self.pipeline.filter.as_deref());
        self.report.add_messages(shown.iter().map(|malformed| origin.message(malformed)));
        self.report.count_errors(shown.len() + counts.nulls)
    }

    /// Whether the input that is being read has failed.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether some input has failed.
    pub fn some_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Whether all inputs have failed.
    pub fn all_failed(&self) -> bool {
        self.failed.len() == self.pipeline.inputs.count()
    }

    /// The place of the input that is being read.
    pub fn place(&self) -> usize {
        self.ended
    }

    /// The name of the input that is being read.
    pub fn name(&self) -> String {
        self.pipeline.inputs.name_of(self.ended)
    }

    /// Checks that not all records of the input that is being read were malformed, unless it is a part of a file.
    ///
    /// # Errors
    ///
    /// There is no other.
    pub fn check_input(&self) -> Result<()> {
        let input = self.pipeline.inputs.get(self.ended);
        let is_part = input.is_some_and(|input| input.part.is_some() || input.groups.is_some());
        if is_part { Ok(()) } else { self.tally.check(self.before, &self.name(), POSITIONS) }
    }

    /// The input that is being read has failed. With `is_lost`, its rows are not written and do not count.
    ///
    /// # Errors
    ///
    /// The same, unless the run goes on; or there are more errors than the run may have.
    pub fn fail(&mut self, error: Error, is_lost: bool) -> Result<()> {
        if self.has_failed() {
            return Ok(());
        }
        self.failure = Some(format!("{error:#}"));
        if !self.pipeline.goes_on {
            return Err(error);
        }
        self.pipeline.give_up(self.ended);
        self.progress.note(&format!("failed: {error:#}"));
        self.failed.push(self.name());
        if is_lost {
            self.tally.go_back(self.before);
        }
        self.report.count_errors(1)
    }

    /// So many positions so far were read but not written, because the format cannot hold them.
    pub fn leave_unwritten(&mut self, unwritten: u64) {
        self.unwritten[1] = unwritten;
    }

    /// The input that is being read ends, whose output is here if it has one of its own.
    pub fn end_input(&mut self, output: Option<&Path>) {
        let counts = self.tally.counts();
        let output = output.filter(|_| !self.has_failed());
        let (mut here, [before, after]) = (counts - self.before, self.unwritten);
        let unwritten = (after - before).min(here.good as u64) as usize;
        here.good -= unwritten;
        here.left_out += unwritten;
        self.report.end_input(output, here, self.failure.take());
        (self.before, self.unwritten[0]) = (counts, after);
        self.ended += 1;
    }

    /// The run ends early, in the middle of an input: after an error, or at the limit.
    pub fn end_early(&mut self, done: &Result<()>) {
        let counts = self.tally.counts();
        if counts != self.before || self.has_failed() {
            if let Err(error) = done
                && !is_closed_pipe(error)
            {
                self.failure.get_or_insert_with(|| format!("{error:#}"));
            }
            self.end_input(None);
        }
    }

    /// Checks that no input failed. `may_repeat` is whether the same command would read only those that did.
    ///
    /// # Errors
    ///
    /// Some failed. The message has their names.
    pub fn check_failures(&self, may_repeat: bool) -> Result<()> {
        ensure!(!self.some_failed(), "{}", failures(&self.failed, self.pipeline.inputs.count(), may_repeat));
        Ok(())
    }
}

/// The final message about failed inputs, out of `all`.
fn failures(failed: &[String], of: usize, may_repeat: bool) -> String {
    let names = failed.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = failed.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(", … and {} more", grouped(more as u64)) } else { String::new() };
    let advice = if may_repeat { "; run the same command again to retry them" } else { "" };
    format!("{} of {} files failed: {names}{more}{advice}", grouped(failed.len() as u64), grouped(of as u64))
}
