//! Results in their order: counted, reported and written, up to the limit.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::job::BlockResult;
use super::outputs::{Output, Sink};
use super::plan::Run;
use crate::commands::stream::reads_terminal;
use crate::progress::{ProgressLine, Tally};

/// Takes the results of a run.
pub struct Drain<'a> {
    run: &'a Run<'a>,
    /// The output that is being written. Those in a directory are opened where their inputs begin.
    output: Option<Output>,
    progress: ProgressLine,
    tally: Tally,
    started: Instant,
    /// How long it took to parse, to compute, to encode and to write.
    times: [Duration; 4],
}

impl<'a> Drain<'a> {
    /// Opens the output.
    pub fn new(run: &'a Run<'a>) -> Result<Drain<'a>> {
        let (path, name) = (run.args.output.as_deref(), run.pipeline.inputs.name());
        let output = if run.outputs.is_none() { Some(open(run, path, name)?) } else { None };
        let in_use = reads_terminal(&run.pipeline.inputs) || output.as_ref().is_some_and(Output::is_watched);
        let (started, times) = (Instant::now(), [Duration::ZERO; 4]);
        let progress = ProgressLine::new(&run.pipeline.inputs.counter, in_use);
        Ok(Drain { run, output, progress, tally: Tally::default(), started, times })
    }

    /// Takes all results, or those up to the limit, and completes the output.
    pub fn drain(mut self) -> Result<()> {
        let (run, mut done) = (self.run, Ok(()));
        run.pipeline.run(&run.job, &mut |result| {
            done = result.and_then(|result| match result {
                Some(result) => self.add(result),
                None => self.end_input(),
            });
            done.is_ok()
        })?;
        done?;
        self.progress.clear();
        if let Some(output) = self.output.take() {
            if run.pipeline.limit.is_none_or(|limit| self.tally.good < limit) {
                output.check()?;
            }
            self.finish(output)?;
        }
        if self.run.pipeline.limit != Some(0) {
            self.tally.finish(&self.progress, &self.run.pipeline.inputs.name(), "positions");
        }
        if self.run.args.stats {
            let stats = stats(self.tally.good, self.started.elapsed(), self.times, self.run.pipeline.pool.threads());
            stats.lines().for_each(|line| self.progress.note(line));
        }
        Ok(())
    }

    /// Writes the result of a block.
    fn add(&mut self, mut result: BlockResult) -> Result<()> {
        let (origin, failure) = (result.origin.clone(), result.failure.take());
        let output = match (&mut self.output, &self.run.outputs) {
            (none @ None, Some(paths)) => {
                let path = paths.get(&origin.input.index).map(|path| path.as_path());
                none.insert(open(self.run, path, origin.shown())?)
            }
            (output, _) => output.as_mut().expect("it is open"),
        };
        self.tally.add(&self.progress, &origin, result.positions, result.nulls, &result.skipped);
        self.times.iter_mut().zip(result.times).for_each(|(sum, time)| *sum += time);
        let writing = Instant::now();
        output.write(&self.run.job, result)?;
        self.times[3] += writing.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        origin.check(failure.as_ref())?;
        self.progress.show();
        Ok(())
    }

    /// Completes the output of an input, if it has one of its own.
    fn end_input(&mut self) -> Result<()> {
        if self.run.outputs.is_some()
            && let Some(output) = self.output.take()
        {
            output.check()?;
            self.finish(output)?;
        }
        Ok(())
    }

    fn finish(&mut self, output: Output) -> Result<()> {
        let writing = Instant::now();
        self.times[2] += output.finish()?;
        self.times[3] += writing.elapsed();
        Ok(())
    }
}

fn open(run: &Run<'_>, path: Option<&Path>, name: String) -> Result<Output> {
    Ok(Output::new(Sink::open(run.args, path, run.job.format, run.pipeline.pool.clone())?, name))
}

/// What `--stats` prints. The stages are to parse, compute, encode and write.
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
