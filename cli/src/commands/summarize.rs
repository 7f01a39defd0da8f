//! `slider-attacks summarize`: sums products over all positions of any input, by square and by group.
//!
//! Blocks are read and processed as in `analyze`. The sums are written at the end.

mod merge;
mod sink;

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::format::SummaryFormat;
use slider_attacks_rows::sums::groups::GroupLimit;
use slider_attacks_rows::sums::job::{BlockSums, SumJob};
use slider_attacks_rows::sums::keys::Key;
use slider_attacks_rows::sums::table::COLUMNS;
use slider_attacks_rows::sums::{SumEvent, sum_inputs};

use super::inputs::{found, opened, pipeline};
use super::stream::{SAMPLE_POSITIONS, reads_terminal};
use crate::args::{Args, ONLY_CSV, SummarizeArgs, extension};
use crate::progress::RecordCounts;
use crate::report::RunReport;
use crate::run_log::{POSITIONS, RunLog};
use crate::settings::Settings;

/// The names under which Parquet records the options of a run, and the part of the positions that it has read.
const OPTIONS: &str = "options";
const SHARD: &str = "shard";
const KEY_SHARD: &str = "key_shard";

/// Runs the command, with the options of its command line.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; there are too many groups; or
/// the output cannot be written. In each case, nothing is written, unless the run is to go on after inputs that fail.
pub fn run(args: &SummarizeArgs, backend: Backend, settings: &Settings) -> Result<()> {
    let format = format(args);
    if args.merge {
        return merge::run(args, format, &job(args, format, backend), settings);
    }
    let mut report = RunReport::begin("summarize", &args.failures, settings, args.output.as_deref(), &args.read.files)?;
    let done = summarize(args, format, backend, settings, &mut report);
    report.finish(done)
}

fn summarize(
    args: &SummarizeArgs,
    format: SummaryFormat,
    backend: Backend,
    settings: &Settings,
    report: &mut RunReport<'_>,
) -> Result<()> {
    let (inputs, limit) = found(&args.read, &args.failures, args.output.as_deref())?;
    report.check_inputs(&inputs)?;
    let mut inputs = opened(inputs, &args.failures, SAMPLE_POSITIONS)?;
    inputs.advice = Advice { column: "`summarize --column`", ..Advice::default() };
    let choice = args.read.choice();
    let job = Arc::new(job(args, format, backend));
    let (on_error, each_move) = (job.on_error, job.each_move);
    let reserved_names = COLUMNS.map(str::to_owned).to_vec();
    let wanted = Wanted { keep: job.columns(), reserved_names, ..args.read.wanted() };
    let wanted = choice.wanted(each_move, wanted);
    let writes_groups = format == SummaryFormat::Parquet;
    let mut pipeline = pipeline(&args.read, (inputs, limit), wanted, &*job, writes_groups)?;
    (pipeline.goes_on, pipeline.drops_failed) = (args.failures.keep_going, true);
    pipeline.filter = choice.filter(&job.plan, each_move, on_error);
    // What cannot be written is found before anything is read.
    let output = sink::open(args, format, settings, pipeline.pool.clone())?;
    let mut log = RunLog::new(&pipeline, report, reads_terminal(&pipeline.inputs));
    let totals = sum_inputs(&pipeline, &job, &mut |event| {
        match event {
            SumEvent::Block(BlockSums { origin, positions, left_out, skipped, .. }) => {
                let counts = RecordCounts { good: *positions, left_out: *left_out, ..RecordCounts::default() };
                log.add(origin, counts, skipped)?;
                log.progress.show();
            }
            SumEvent::Failed(error) => log.fail(error, true)?,
            SumEvent::End => log.end_input(None),
        }
        Ok(ControlFlow::Continue(()))
    });
    let (totals, done) = totals.map_or_else(|error| (None, Err(error)), |totals| (Some(totals), Ok(())));
    log.end_early(&done);
    log.progress.clear();
    log.tally.end_messages(&log.progress);
    done?;
    let (name, is_limited) = (pipeline.inputs.name(), pipeline.is_limited(log.tally.good()));
    log.tally.check_all(&name, POSITIONS)?;
    if !is_limited {
        pipeline.check_condition()?;
    }
    if let Some(totals) = totals.filter(|_| !log.all_failed()) {
        sink::write(totals, args, format, &pipeline.inputs, output)?;
    }
    if pipeline.limit != Some(0) && !log.all_failed() {
        log.tally.finish(&log.progress, &name, POSITIONS);
    }
    let is_part = is_limited || log.some_failed();
    pipeline.warnings(is_part).iter().for_each(|message| log.progress.warn(message));
    log.check_failures(false)
}

/// What is summed, and how.
fn job(args: &SummarizeArgs, format: SummaryFormat, backend: Backend) -> SumJob {
    let plan = args.options.plan(args.what.iter().copied(), backend);
    let (keys, on_error, each_move) = (args.by.clone(), args.on_error, args.each_move);
    SumJob { plan, keys, on_error, each_move, limit: group_limit(args, format) }
}

/// How many groups there may be: boards are drawn of a limited number.
fn group_limit(args: &SummarizeArgs, format: SummaryFormat) -> GroupLimit {
    match format {
        SummaryFormat::Svg | SummaryFormat::Html => {
            GroupLimit::Count("; the formats table, csv, jsonl, parquet and npy may have any number of groups")
        }
        _ => GroupLimit::Files(args.group_memory),
    }
}

/// The format to write: the requested one, or the one that the name of the output suggests. If there is a conflict, exits with
/// a usage message.
fn format(args: &SummarizeArgs) -> SummaryFormat {
    Args::refuse_urls("summarize", [&args.output], &args.failures.report);
    let extension = extension(&args.output);
    let suggested = extension.as_deref().map_or(Some(SummaryFormat::Table), SummaryFormat::of_extension);
    let is_twice = |(place, key): (usize, &Key)| args.by[..place].iter().any(|other| other.name == key.name);
    let twice = args.by.iter().enumerate().any(is_twice).then_some("duplicate key in --by");
    let twice = twice.or(args.read.condition_problem(args.each_move));
    let twice = twice.or(args.failures.problem(args.on_error, args.output.as_deref()));
    let no_directory = Args::npy_problem(args.output.as_deref());
    let problem = match (args.read.problem(extension.as_deref(), twice), args.format.or(suggested)) {
        (Some(problem), _) => problem,
        (_, Some(SummaryFormat::Parquet)) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        (_, Some(SummaryFormat::Npy)) if no_directory.is_some() => no_directory.unwrap_or_default(),
        (_, format) if format != Some(SummaryFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        (_, Some(format)) if args.csv_safe && format != SummaryFormat::Csv => ONLY_CSV,
        (_, Some(format)) => return format,
        _ => "unknown output extension: use csv, jsonl, ndjson, json, parquet, svg, html or txt, or add --format",
    };
    Args::exit("summarize", problem)
}
