//! Counts, reports and writes results in order, up to the limit.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, ensure};
use slider_attacks_rows::job::BlockResult;
use slider_attacks_rows::write::table::grouped;

use super::outputs::TableOutput;
use super::plan::AnalyzeRun;
use crate::commands::stream::reads_terminal;
use crate::progress::{ProgressLine, RecordCounts, Tally};

/// Writes the results of a run.
pub struct ResultWriter<'a> {
    run: &'a AnalyzeRun<'a>,
    /// The output that is being written. Those in a directory are opened where their inputs begin.
    output: Option<TableOutput>,
    progress: ProgressLine,
    tally: Tally,
    /// The numbers of records before the input that is being read.
    before: RecordCounts,
    /// How many inputs have ended, and the names of those that failed.
    ended: usize,
    failed: Vec<String>,
    /// Whether the input that is being read has failed.
    has_failed: bool,
    started: Instant,
    /// How long it took to parse, to compute, to encode and to write.
    times: [Duration; 4],
}

impl<'a> ResultWriter<'a> {
    /// Opens the output.
    pub fn new(run: &'a AnalyzeRun<'a>) -> Result<ResultWriter<'a>> {
        let (path, name) = (run.args.output.as_deref(), run.pipeline.inputs.name());
        let output = if run.outputs.is_none() { Some(TableOutput::open(run, path, name)?) } else { None };
        let in_use = reads_terminal(&run.pipeline.inputs) || output.as_ref().is_some_and(TableOutput::is_watched);
        let (started, times) = (Instant::now(), [Duration::ZERO; 4]);
        let progress = ProgressLine::new(&run.pipeline.inputs.counter, in_use);
        Ok(ResultWriter {
            run,
            output,
            progress,
            tally: Tally::default(),
            before: RecordCounts::default(),
            ended: 0,
            failed: Vec::new(),
            has_failed: false,
            started,
            times,
        })
    }

    /// Takes all results, or those up to the limit, and completes the output.
    pub fn drain(mut self) -> Result<()> {
        let run = self.run;
        let done = run.pipeline.run(&run.job, &mut |result| {
            match result {
                Ok(Some(result)) => self.add(result),
                Ok(None) => self.end_input(),
                Err(error) => self.fail(error).and_then(|()| self.end_input()),
            }
            .map(ControlFlow::Continue)
        });
        self.progress.clear();
        self.tally.end_messages(&self.progress);
        done?;
        let name = run.pipeline.inputs.name();
        if let Some(output) = self.output.take() {
            self.tally.check(self.before, &name, POSITIONS)?;
            if !run.pipeline.is_limited(self.tally.good()) {
                output.check()?;
                run.pipeline.check_condition()?;
            }
            self.finish(output)?;
        }
        if run.outputs.is_some()
            && let Err(error) = run.pipeline.check_condition()
        {
            self.progress.warn(&error.to_string());
        }
        let some_done = self.failed.len() < run.pipeline.inputs.count();
        if run.pipeline.limit != Some(0) && some_done {
            self.tally.finish(&self.progress, &name, POSITIONS);
        }
        let is_part = run.pipeline.is_limited(self.tally.good()) || !self.failed.is_empty();
        run.pipeline.warnings(is_part).iter().for_each(|message| self.progress.warn(message));
        if self.run.args.stats {
            let stats = stats(self.tally.good(), self.started.elapsed(), self.times, self.run.pipeline.pool.threads());
            stats.lines().for_each(|line| self.progress.note(line));
        }
        ensure!(self.failed.is_empty(), "{}", failures(&self.failed, run.pipeline.inputs.count()));
        Ok(())
    }

    /// Handles the failure of the current input. Returns the error, unless the run continues without an output for this input.
    fn fail(&mut self, error: Error) -> Result<()> {
        if !self.run.pipeline.goes_on {
            return Err(error);
        }
        if !self.has_failed {
            self.has_failed = true;
            self.progress.note(&format!("failed: {error:#}"));
            self.failed.push(self.run.pipeline.inputs.name_of(self.ended));
            self.tally.go_back(self.before);
        }
        self.output = None;
        Ok(())
    }

    /// Writes the result of a block.
    fn add(&mut self, mut result: BlockResult) -> Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let (origin, failure) = (result.origin.clone(), result.failure.take());
        let output = match (&mut self.output, &self.run.outputs) {
            (none @ None, Some(paths)) => {
                let path = paths.get(&origin.input.index).map(|path| path.as_path());
                none.insert(TableOutput::open(self.run, path, origin.display_name())?)
            }
            (output, _) => output.as_mut().expect("it is open"),
        };
        self.tally.add(&self.progress, &origin, result.positions, result.nulls, &result.skipped);
        self.tally.leave_out(result.left_out, self.run.pipeline.filter.as_deref());
        self.times.iter_mut().zip(result.times).for_each(|(sum, time)| *sum += time);
        let writing = Instant::now();
        output.write(&self.run.job, result)?;
        self.times[3] += writing.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        origin.check(failure.as_ref()).or_else(|error| self.fail(error))?;
        self.progress.show();
        Ok(())
    }

    /// Completes the output of an input, if it has one of its own.
    fn end_input(&mut self) -> Result<()> {
        if self.run.outputs.is_some()
            && let Some(output) = self.output.take()
        {
            let name = self.run.pipeline.inputs.name_of(self.ended);
            match self.tally.check(self.before, &name, POSITIONS).and_then(|()| output.check()) {
                Ok(()) => self.finish(output)?,
                Err(error) => self.fail(error)?,
            }
        }
        self.ended += 1;
        if self.run.outputs.is_some() {
            self.before = self.tally.counts();
        }
        self.has_failed = false;
        Ok(())
    }

    fn finish(&mut self, output: TableOutput) -> Result<()> {
        self.run.pipeline.add_columns(output.seen());
        let writing = Instant::now();
        self.times[2] += output.finish()?;
        self.times[3] += writing.elapsed();
        Ok(())
    }
}

/// The word for records in messages.
const POSITIONS: &str = "positions";

/// How many names of inputs the last message of a run has.
const MOST_NAMES: usize = 20;

/// The final message about failed inputs, out of `all`.
fn failures(failed: &[String], of: usize) -> String {
    let names = failed.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = failed.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(", … and {} more", grouped(more as u64)) } else { String::new() };
    format!(
        "{} of {} files failed: {names}{more}; run the same command again to retry them",
        grouped(failed.len() as u64),
        grouped(of as u64)
    )
}

/// The output of `--stats`. The stages are parsing, computing, encoding and writing.
fn stats(positions: usize, elapsed: Duration, times: [Duration; 4], threads: usize) -> String {
    let rate = |time: Duration| format!("{:.0}", positions as f64 / time.as_secs_f64().max(1e-9));
    let seconds = elapsed.as_secs_f64();
    let mut text =
        format!("{positions} positions in {seconds:.3} s, {} per second, {threads} threads\n", rate(elapsed));
    for (name, time) in ["parse", "compute", "encode", "write"].into_iter().zip(times) {
        let (seconds, rate) = (time.as_secs_f64(), rate(time));
        text += &format!("  {name:<8} {seconds:>9.3} s  {rate:>12} positions per second per thread\n");
    }
    text
}
