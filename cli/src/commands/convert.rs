//! `slider-attacks convert`: writes the positions of any input in another format.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks_arrow::{Integers, Plan, Product};
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::SeenColumns;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::convert::BlockJoiner;
use slider_attacks_rows::convert::games::LeftOut;
use slider_attacks_rows::convert::job::{COLUMNS, ConvertJob};
use slider_attacks_rows::convert::labels::LabelColumns;
use slider_attacks_rows::format::RecordFormat;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::write::{Output, WriteTarget};

use super::inputs::{found_for, opened, pipeline};
use super::stream::reads_terminal;
use crate::args::{Args, ConvertArgs, extension};
use crate::progress::RecordCounts;
use crate::report::RunReport;
use crate::run_log::{POSITIONS, RunLog};
use crate::settings::Settings;
use crate::target::{Target, is_watched};

/// Runs the command, with the options of its command line.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or the output cannot be
/// written. Positions before that have been written, if they go to standard output.
pub fn run(args: &ConvertArgs, backend: Backend, settings: &Settings) -> Result<()> {
    let to = format(args);
    let mut report = RunReport::begin("convert", &args.failures, settings, args.output.as_deref(), &args.read.files)?;
    let done = convert(args, to, backend, &mut report);
    report.finish(done)
}

fn convert(args: &ConvertArgs, to: RecordFormat, backend: Backend, report: &mut RunReport<'_>) -> Result<()> {
    let named = args.named();
    let job = Arc::new(ConvertJob { to, wish: LabelColumns::new(&named, &args.read.column), on_error: args.on_error });
    let move_columns = if to.has_moves() { job.wish.move_columns() } else { Default::default() };
    let shared = Wanted { move_columns, ..args.read.wanted() };
    let (inputs, limit) = found_for(&args.read, &args.failures, args.output.as_deref(), &shared)?;
    report.check_inputs(&inputs)?;
    let mut inputs = opened(inputs, &args.failures, "")?;
    inputs.advice = Advice { column: "`convert --column`", ..Advice::default() };
    let choice = args.read.choice();
    let wanted = Wanted { keep: named.keep(), optional_columns: job.wish.optional_columns(), ..args.read.wanted() };
    let wanted = choice.wanted(false, wanted);
    let needed = wanted.keep.len();
    let mut pipeline = pipeline(&args.read, (inputs, limit), wanted, &*job, to == RecordFormat::Parquet)?;
    pipeline.goes_on = args.failures.keep_going;
    pipeline.filter = choice.filter(&Plan::new([Product::Maps; 0]).backend(backend), false, args.on_error);
    // What cannot be written is found before anything is read.
    let mut output = open(args, to, &pipeline)?;
    let in_use = reads_terminal(&pipeline.inputs) || is_watched(&output);
    let mut log = RunLog::new(&pipeline, report, in_use);
    let (mut joined, mut seen) = (BlockJoiner::new(to), SeenColumns::default());
    let mut read = 0;
    let mut done = pipeline.run(&job, &mut |result| {
        match result {
            Ok(Some(_)) if log.has_failed() => {}
            Ok(Some(mut converted)) => {
                let (origin, here, failure) = (converted.origin.clone(), converted.read, converted.failure.take());
                read += here;
                let (good, left_out) = (here - converted.wrong, converted.repeated);
                let counts = RecordCounts { good, left_out, ..RecordCounts::default() };
                log.add(&origin, counts, &converted.skipped)?;
                // Only those that the command line names must be there: they come first.
                seen.add(&origin, converted.found.drain(..).take(needed).collect(), here);
                joined.add(converted, &mut |encoded| output.write(encoded))?;
                // Only after the positions before it have been written, because they may go to a pipe.
                origin.check(failure.as_ref()).or_else(|error| log.fail(error, false))?;
                log.progress.show();
            }
            end => {
                end.map(drop).or_else(|error| log.fail(error, false))?;
                joined.end_input(&mut |encoded| output.write(encoded))?;
                log.leave_unwritten(joined.left_out.all());
                log.end_input(None);
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    let rest = joined.finish(done.is_err(), &mut |encoded| output.write(encoded));
    if done.is_ok() {
        done = rest;
    }
    log.leave_unwritten(joined.left_out.all());
    log.end_early(&done);
    log.progress.clear();
    log.tally.end_messages(&log.progress);
    done?;
    if log.all_failed() {
        return log.check_failures(false);
    }
    let (name, is_limited) = (pipeline.inputs.name(), pipeline.is_limited(read));
    log.tally.check_all(&name, POSITIONS)?;
    if !is_limited {
        seen.check(&name)?;
        pipeline.check_condition()?;
    }
    pipeline.add_columns(&seen);
    output.finish()?;
    if pipeline.limit != Some(0) {
        log.tally.finish(&log.progress, &name, POSITIONS);
    }
    pipeline.warnings(is_limited || log.some_failed()).iter().for_each(|message| log.progress.warn(message));
    tell_left_out(&log, &name, joined.left_out);
    log.check_failures(false)
}

/// Tells what the format could not hold.
fn tell_left_out(log: &RunLog<'_, '_>, name: &str, left_out: LeftOut) {
    if left_out.rights > 0 {
        let count = left_out.rights;
        let lost = format!("{name}: {count} positions lost castling rights of Chess960, which a binpack cannot hold");
        log.progress.warn(&lost);
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
        let (count, all) = (left_out.all(), log.tally.good());
        log.progress.note(&format!("{name}: left out {count} of {all} positions: {}", reasons.join(", ")));
    }
}

/// The format to write: the requested one, or the one that the name of the output suggests. If there is none, exits with a
/// usage message.
fn format(args: &ConvertArgs) -> RecordFormat {
    Args::refuse_urls("convert", [&args.output], &args.failures.report);
    let extension = extension(&args.output);
    let suggested = extension.as_deref().and_then(RecordFormat::of_extension);
    let has_output = args.output.as_ref().is_some_and(|path| path.as_os_str() != "-");
    let other = args.failures.problem(args.on_error, args.output.as_deref());
    let problem = match (args.read.problem(extension.as_deref(), other), args.to.or(suggested)) {
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
