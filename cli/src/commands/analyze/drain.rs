//! Counts, reports and writes results in order, up to the limit.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use slider_attacks_rows::job::BlockResult;

use super::directory::remove_output;
use super::outputs::TableOutput;
use super::plan::AnalyzeRun;
use super::record::OptionRecord;
use crate::commands::stream::reads_terminal;
use crate::progress::RecordCounts;
use crate::report::RunReport;
use crate::run_log::{POSITIONS, RunLog};

/// Writes the results of a run.
pub struct ResultWriter<'a, 'r> {
    run: &'a AnalyzeRun<'a>,
    /// The output that is being written. Those in a directory are opened where their inputs begin.
    output: Option<TableOutput>,
    log: RunLog<'a, 'r>,
    started: Instant,
    /// How long it took to parse, to compute, to encode and to write.
    times: [Duration; 4],
}

impl<'a, 'r> ResultWriter<'a, 'r> {
    /// Opens the output.
    pub fn new(run: &'a AnalyzeRun<'a>, report: &'a mut RunReport<'r>) -> Result<ResultWriter<'a, 'r>> {
        let (path, name) = (run.args.output.as_deref(), run.pipeline.inputs.name());
        let output = if run.outputs.is_none() { Some(TableOutput::open(run, path, name)?) } else { None };
        let in_use = reads_terminal(&run.pipeline.inputs) || output.as_ref().is_some_and(TableOutput::is_watched);
        let log = RunLog::new(&run.pipeline, report, in_use);
        Ok(ResultWriter { run, output, log, started: Instant::now(), times: [Duration::ZERO; 4] })
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
        self.log.end_early(&done);
        self.log.progress.clear();
        self.log.tally.end_messages(&self.log.progress);
        done?;
        let (name, is_limited) = (run.pipeline.inputs.name(), run.pipeline.is_limited(self.log.tally.good()));
        if let Some(output) = self.output.take().filter(|_| !self.log.all_failed()) {
            self.log.tally.check_all(&name, POSITIONS)?;
            if !is_limited {
                output.check()?;
                run.pipeline.check_condition()?;
            }
            self.finish(output)?;
        }
        if run.outputs.is_some()
            && let Err(error) = run.pipeline.check_condition()
        {
            self.log.progress.warn(&error.to_string());
        }
        if run.pipeline.limit != Some(0) && !self.log.all_failed() {
            self.log.tally.finish(&self.log.progress, &name, POSITIONS);
        }
        let is_part = is_limited || self.log.some_failed();
        run.pipeline.warnings(is_part).iter().for_each(|message| self.log.progress.warn(message));
        if self.run.args.stats {
            let positions = self.log.tally.good();
            let stats = stats(positions, self.started.elapsed(), self.times, self.run.pipeline.pool.threads());
            stats.lines().for_each(|line| self.log.progress.note(line));
        }
        self.log.check_failures(run.outputs.is_some())
    }

    /// Handles the failure of the current input. Returns the error, unless the run continues without an output for this input, or with
    /// the rows before the error if there is one output for all.
    fn fail(&mut self, error: Error) -> Result<()> {
        let has_own = self.run.outputs.is_some();
        self.log.fail(error, has_own)?;
        if has_own {
            self.output = None;
        }
        match self.run.output_of(self.log.place()) {
            Some(path) if self.run.args.overwrite => remove_output(&self.run.job, self.run.format, path),
            _ => Ok(()),
        }
    }

    /// Writes the result of a block.
    fn add(&mut self, mut result: BlockResult) -> Result<()> {
        if self.log.has_failed() {
            return Ok(());
        }
        let (origin, failure) = (result.origin.clone(), result.failure.take());
        let BlockResult { positions, nulls, left_out, .. } = result;
        let counts = RecordCounts { good: positions, nulls, left_out, ..RecordCounts::default() };
        if self.run.pipeline.goes_on && positions == 0 && failure.is_some() {
            // It has no rows, so its columns need not be those of the others.
            self.log.add(&origin, counts, &result.skipped)?;
            return origin.check(failure.as_ref()).or_else(|error| self.fail(error));
        }
        let output = match (&mut self.output, &self.run.outputs) {
            (none @ None, Some(paths)) => {
                let path = paths.get(&origin.input.index).map(|path| path.as_path());
                none.insert(TableOutput::open(self.run, path, origin.display_name())?)
            }
            (output, _) => output.as_mut().expect("it is open"),
        };
        if let Err(error) = output.check_columns(&origin) {
            return self.fail(error);
        }
        self.log.add(&origin, counts, &result.skipped)?;
        self.times.iter_mut().zip(result.times).for_each(|(sum, time)| *sum += time);
        let writing = Instant::now();
        output.write(&self.run.job, result)?;
        self.times[3] += writing.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        origin.check(failure.as_ref()).or_else(|error| self.fail(error))?;
        self.log.progress.show();
        Ok(())
    }

    /// Completes the output of an input, if it has one of its own.
    fn end_input(&mut self) -> Result<()> {
        if self.run.outputs.is_some()
            && let Some(output) = self.output.take()
        {
            let checked = self.log.check_input();
            match checked.and_then(|()| output.check()) {
                Ok(()) => self.finish(output)?,
                Err(error) => self.fail(error)?,
            }
        }
        self.log.end_input(self.run.output_of(self.log.place()));
        Ok(())
    }

    fn finish(&mut self, output: TableOutput) -> Result<()> {
        self.run.pipeline.add_columns(output.seen());
        self.run.record.iter().try_for_each(OptionRecord::keep)?;
        let writing = Instant::now();
        self.times[2] += output.finish()?;
        self.times[3] += writing.elapsed();
        Ok(())
    }
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
