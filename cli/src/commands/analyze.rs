//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks. A thread pool parses, computes and encodes them. The calling thread writes the results in order.
//! Row groups of Parquet are far larger than blocks: they are gathered here, and the pool encodes each group.
//!
//! A run is prepared, and its results are drained:
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | prepares: what is read and computed |
//! | `format`, `directory` | the format of the rows, and the outputs in a directory that are there already |
//! | `record` | the options of the outputs in a directory |
//! | `drain`, `outputs` | results in order, and where they go |

mod directory;
mod drain;
mod format;
mod outputs;
mod plan;
mod record;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_rows::format::TableFormat;

use crate::args::AnalyzeArgs;
use crate::report::RunReport;
use crate::settings::Settings;
use drain::ResultWriter;
use plan::AnalyzeRun;

/// Runs the command, with the options of its command line.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or an output or the report cannot be
/// written. Rows before that have been written, if they go to standard output.
pub fn run(args: &AnalyzeArgs, backend: Backend, settings: &Settings) -> Result<()> {
    let format = format::format(args);
    let mut report = RunReport::begin("analyze", &args.failures, settings, args.output.as_deref(), &args.read.files)?;
    let done = analyze(args, format, backend, settings, &mut report);
    report.finish(done)
}

fn analyze(
    args: &AnalyzeArgs,
    format: TableFormat,
    backend: Backend,
    settings: &Settings,
    report: &mut RunReport<'_>,
) -> Result<()> {
    let Some(run) = AnalyzeRun::prepare(args, format, backend, settings, report)? else { return Ok(()) };
    // What cannot be written is found before anything is read.
    let drain = ResultWriter::new(&run, report)?;
    drain.drain()
}
