//! `slider-attacks summarize`: sums products over all positions of any input, by square and by group.
//!
//! Blocks are read and processed as in `analyze`. The sums are written at the end.

mod sink;

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_files::Inputs;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::format::SummaryFormat;
use slider_attacks_rows::sums::job::{BlockSums, SumJob};
use slider_attacks_rows::sums::keys::Key;
use slider_attacks_rows::sums::sum;
use slider_attacks_rows::sums::table::COLUMNS;

use super::inputs::{chosen, pipeline};
use super::stream::{SAMPLE_POSITIONS, reads_terminal};
use crate::args::{Args, ONLY_CSV, SummarizeArgs, extension};
use crate::progress::{ProgressLine, RecordCounts, Tally};

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; there are too many groups; or
/// the output cannot be written. In each case, nothing is written.
pub fn run(args: &SummarizeArgs, backend: Backend) -> Result<()> {
    let format = format(args);
    let found = Discovery::new(&args.read.files, args.read.files_from.as_deref(), args.output.as_deref())?;
    let (inputs, limit) = chosen(&args.read, &found.inputs, true)?;
    let mut inputs = Inputs::of(inputs, SAMPLE_POSITIONS)?;
    inputs.advice = Advice { column: "`summarize --column`", ..Advice::default() };
    let plan = args.options.plan(args.what.iter().copied(), backend);
    let (keys, on_error, each_move) = (args.by.clone(), args.on_error, args.each_move);
    let choice = args.read.choice();
    let job = Arc::new(SumJob { plan, keys, on_error, each_move });
    let reserved_names = COLUMNS.map(str::to_owned).to_vec();
    let wanted = Wanted { keep: job.columns(), reserved_names, ..args.read.wanted() };
    let wanted = choice.wanted(each_move, wanted);
    let writes_groups = format == SummaryFormat::Parquet;
    let mut pipeline = pipeline(&args.read, (inputs, limit), wanted, &*job, writes_groups)?;
    pipeline.filter = choice.filter(&job.plan, each_move, on_error);
    // What cannot be written is found before anything is read.
    let output = sink::open(args, format, &pipeline)?;
    let progress = ProgressLine::new(&pipeline.inputs.counter, reads_terminal(&pipeline.inputs));
    let mut tally = Tally::default();
    let totals = sum(&pipeline, &job, &mut |BlockSums { origin, positions, left_out, skipped, .. }| {
        tally.add(&progress, origin, *positions, 0, skipped);
        tally.leave_out(*left_out, pipeline.filter.as_deref());
        progress.show();
        ControlFlow::Continue(())
    });
    progress.clear();
    tally.end_messages(&progress);
    let (totals, name) = (totals?, pipeline.inputs.name());
    tally.check(RecordCounts::default(), &name, "positions")?;
    if !pipeline.is_limited(tally.good()) {
        pipeline.check_condition()?;
    }
    sink::write(&totals, args, format, &pipeline.inputs, output)?;
    if pipeline.limit != Some(0) {
        tally.finish(&progress, &name, "positions");
    }
    pipeline.warnings(pipeline.is_limited(tally.good())).iter().for_each(|message| progress.warn(message));
    Ok(())
}

/// The format to write: the requested one, or the one that the name of the output suggests. If there is a conflict, exits with
/// a usage message.
fn format(args: &SummarizeArgs) -> SummaryFormat {
    Args::refuse_urls("summarize", [&args.output]);
    let extension = extension(&args.output);
    let suggested = extension.as_deref().map_or(Some(SummaryFormat::Table), SummaryFormat::of_extension);
    let has_output = args.output.as_ref().is_some_and(|path| path.as_os_str() != "-");
    let is_twice = |(place, key): (usize, &Key)| args.by[..place].iter().any(|other| other.name == key.name);
    let twice = args.by.iter().enumerate().any(is_twice).then_some("duplicate key in --by");
    let twice = twice.or(args.read.condition_problem(args.each_move));
    let problem = match (args.read.problem(extension.as_deref(), twice), args.format.or(suggested)) {
        (Some(problem), _) => problem,
        (_, Some(SummaryFormat::Parquet)) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        (_, Some(SummaryFormat::Npy)) if !has_output => "the format npy needs a directory: use --output",
        (_, format) if format != Some(SummaryFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        (_, Some(format)) if args.csv_safe && format != SummaryFormat::Csv => ONLY_CSV,
        (_, Some(format)) => return format,
        _ => "unknown output extension: use csv, jsonl, ndjson, json, parquet, svg, html or txt, or add --format",
    };
    Args::exit("summarize", problem)
}
