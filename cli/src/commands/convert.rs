//! `slider-attacks convert`: writes the positions of any input in another format.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_arrow::{Integers, Plan, Product};
use slider_attacks_files::Inputs;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::SeenColumns;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::convert::BlockJoiner;
use slider_attacks_rows::convert::job::{COLUMNS, ConvertJob};
use slider_attacks_rows::convert::labels::LabelColumns;
use slider_attacks_rows::format::RecordFormat;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::write::{Output, WriteTarget};

use super::inputs::{chosen, pipeline};
use super::stream::reads_terminal;
use crate::args::{Args, ConvertArgs, extension};
use crate::progress::{ProgressLine, RecordCounts, Tally};
use crate::target::{Target, is_watched};

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or the output cannot be
/// written. Positions before that have been written, if they go to standard output.
pub fn run(args: &ConvertArgs, backend: Backend) -> Result<()> {
    let to = format(args);
    let found = Discovery::new(&args.read.files, args.read.files_from.as_deref(), args.output.as_deref())?;
    let (inputs, limit) = chosen(&args.read, &found.inputs, true)?;
    let mut inputs = Inputs::of(inputs, "")?;
    inputs.advice = Advice { column: "`convert --column`", ..Advice::default() };
    let named = args.named();
    let job = Arc::new(ConvertJob { to, wish: LabelColumns::new(&named, &args.read.column), on_error: args.on_error });
    let choice = args.read.choice();
    let wanted = Wanted { keep: named.keep(), optional_columns: job.wish.optional_columns(), ..args.read.wanted() };
    let wanted = choice.wanted(false, wanted);
    let needed = wanted.keep.len();
    let mut pipeline = pipeline(&args.read, (inputs, limit), wanted, &*job, to == RecordFormat::Parquet)?;
    pipeline.filter = choice.filter(&Plan::new([Product::Maps; 0]).backend(backend), false, args.on_error);
    // What cannot be written is found before anything is read.
    let mut output = open(args, to, &pipeline)?;
    let progress = ProgressLine::new(&pipeline.inputs.counter, reads_terminal(&pipeline.inputs) || is_watched(&output));
    let (mut tally, mut joined, mut seen) = (Tally::default(), BlockJoiner::new(to), SeenColumns::default());
    let mut read = 0;
    let mut done = pipeline.run(&job, &mut |result| {
        let Some(mut converted) = result? else { return Ok(ControlFlow::Continue(())) };
        let (origin, here, failure) = (converted.origin.clone(), converted.read, converted.failure.take());
        read += here;
        tally.add(&progress, &origin, here - converted.wrong, 0, &converted.skipped);
        tally.leave_out(converted.repeated, pipeline.filter.as_deref());
        // Only those that the command line names must be there: they come first.
        seen.add(&origin, converted.found.drain(..).take(needed).collect(), here);
        joined.add(converted, &mut |encoded| output.write(encoded))?;
        // Only after the positions before it have been written, because they may go to a pipe.
        origin.check(failure.as_ref())?;
        progress.show();
        Ok(ControlFlow::Continue(()))
    });
    let rest = joined.finish(done.is_err(), &mut |encoded| output.write(encoded));
    if done.is_ok() {
        done = rest;
    }
    tally.end_messages(&progress);
    done?;
    progress.clear();
    let name = pipeline.inputs.name();
    tally.check(RecordCounts::default(), &name, "positions")?;
    if !pipeline.is_limited(read) {
        seen.check(&name)?;
        pipeline.check_condition()?;
    }
    pipeline.add_columns(&seen);
    output.finish()?;
    if pipeline.limit != Some(0) {
        tally.finish(&progress, &name, "positions");
    }
    pipeline.warnings(pipeline.is_limited(read)).iter().for_each(|message| progress.warn(message));
    let left_out = joined.left_out;
    if left_out.rights > 0 {
        let count = left_out.rights;
        progress
            .warn(&format!("{name}: {count} positions lost castling rights of Chess960, which a binpack cannot hold"));
    }
    if left_out.all() > 0 {
        let reasons = [
            ("without a score", left_out.score),
            ("without a result", left_out.result),
            ("without a move", left_out.played),
            ("with castling that only Chess960 has", left_out.castling),
        ];
        let reasons = reasons.into_iter().filter(|(_, count)| *count > 0);
        let reasons: Vec<String> = reasons.map(|(what, count)| format!("{count} {what}")).collect();
        let (count, all) = (left_out.all(), tally.good());
        progress.note(&format!("{name}: left out {count} of {all} positions: {}", reasons.join(", ")));
    }
    Ok(())
}

/// The format to write: the requested one, or the one that the name of the output suggests. If there is none, exits with a
/// usage message.
fn format(args: &ConvertArgs) -> RecordFormat {
    Args::refuse_urls("convert", [&args.output]);
    let extension = extension(&args.output);
    let suggested = extension.as_deref().and_then(RecordFormat::of_extension);
    let has_output = args.output.as_ref().is_some_and(|path| path.as_os_str() != "-");
    let problem = match (args.read.problem(extension.as_deref(), None), args.to.or(suggested)) {
        (Some(problem), _) => problem,
        (_, Some(RecordFormat::Parquet)) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        (_, Some(format)) => return format,
        _ if !has_output => "cannot infer the format from standard output: add --to",
        _ if matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "NumPy arrays have attack sets, not positions: use `analyze --format npy`"
        }
        _ => {
            "unknown output extension: use fen, epd, csv, jsonl, parquet, bulletformat, marlinformat, \
             viriformat or binpack, or add --to"
        }
    };
    Args::exit("convert", problem)
}

/// Opens the output file, or standard output.
fn open(args: &ConvertArgs, to: RecordFormat, pipeline: &Pipeline) -> Result<Output<Target>> {
    use RecordFormat::{Csv, Epd, Fen, Jsonl, Parquet, Text};
    let mut target = Target::open(args.output.as_deref(), matches!(to, Fen | Epd | Text | Csv | Jsonl))?;
    match to {
        Parquet => return Output::parquet(target, Integers::Signed, args.settings(), pipeline.pool.clone()),
        Csv => target.put(format!("{}\n", COLUMNS.join(",")).as_bytes())?,
        _ => {}
    }
    Ok(Output::Bytes(target))
}
