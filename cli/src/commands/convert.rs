//! `slider-attacks convert`: writes the positions of any input in another format.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result};
#[cfg(feature = "parquet")]
use slider_attacks_arrow::Integers;
use slider_attacks_files::Inputs;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::{Origin, SeenColumns};
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::convert::games::{LeftOut, Stitched};
use slider_attacks_rows::convert::job::{COLUMNS, Converted, Encoded, Held, Job};
use slider_attacks_rows::convert::labels::Wish;
use slider_attacks_rows::format::RecordFormat;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::write::WriteTarget;
#[cfg(feature = "parquet")]
use slider_attacks_rows::write::{ColumnWriter, parquet::Parquet};

use super::inputs::{chosen, pipeline};
use super::stream::reads_terminal;
use crate::args::{Args, ConvertArgs};
use crate::progress::{Counts, ProgressLine, Tally};
use crate::target::Target;

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or the output cannot be
/// written. Positions before that have been written, if they go to standard output.
pub fn run(args: &ConvertArgs) -> Result<()> {
    let to = format(args);
    let found = Discovery::new(&args.read.files, args.read.files_from.as_deref(), args.output.as_deref())?;
    let (inputs, limit) = chosen(&args.read, &found.inputs, true)?;
    let mut inputs = Inputs::of(inputs, "")?;
    inputs.advice = Advice { column: "`convert --column`", ..Advice::default() };
    let named = args.named();
    let job = Arc::new(Job { to, wish: Wish::new(&named, &args.read.column), on_error: args.on_error });
    let wanted = Wanted { keep: named.keep(), if_there: job.wish.if_there(), ..args.read.wanted() };
    let needed = wanted.keep.len();
    let pipeline = pipeline(&args.read, (inputs, limit), wanted, &*job, to == RecordFormat::Parquet)?;
    // What cannot be written is found before anything is read.
    let mut sink = Sink::open(args, to, &pipeline)?;
    let in_use = reads_terminal(&pipeline.inputs) || sink.is_watched();
    let progress = ProgressLine::new(&pipeline.inputs.counter, in_use);
    let (mut tally, mut left_out, mut seen) = (Tally::default(), LeftOut::default(), SeenColumns::default());
    let (mut read, mut done) = (0, Ok(()));
    // The last position of the block before, whose move the next one has.
    let mut held: Option<(Held, Arc<Origin>)> = None;
    pipeline.run(&job, &mut |result| {
        done = result.and_then(|result| {
            let Some(Converted {
                origin,
                read: here,
                skipped,
                wrong,
                failure,
                found,
                left_out: out,
                encoded,
                arrival,
                held: last,
            }) = result
            else {
                return Ok(());
            };
            read += here;
            // A block without positions changes nothing.
            if here > 0
                && let Some((before, of)) = held.take()
            {
                let (encoded, out) = before.finish(to, arrival.filter(|_| Arc::ptr_eq(&of, &origin)));
                left_out.add(out);
                sink.write(encoded)?;
            }
            held = last.map(|last| (last, origin.clone())).or(held.take());
            tally.add(&progress, &origin, here - wrong, 0, &skipped);
            left_out.add(out);
            // Only those that the command line names must be there: they come first.
            seen.add(&origin, found.into_iter().take(needed).collect(), here);
            sink.write(encoded)?;
            // Only after the positions before it have been written, because they may go to a pipe.
            origin.check(failure.as_ref())?;
            progress.show();
            Ok(())
        });
        done.is_ok()
    })?;
    if let Some((before, _)) = held {
        let (encoded, out) = before.finish(to, None);
        left_out.add(out);
        if done.is_ok() {
            done = sink.write(encoded);
        }
    }
    tally.end_messages(&progress);
    if let Err(error) = done {
        sink.end_games()?;
        return Err(error);
    }
    progress.clear();
    let name = pipeline.inputs.name();
    tally.check(Counts::default(), &name, "positions")?;
    if !pipeline.is_limited(read) {
        seen.check(&name)?;
    }
    pipeline.add_columns(&seen);
    sink.finish()?;
    if pipeline.limit != Some(0) {
        tally.finish(&progress, &name, "positions");
    }
    pipeline.warnings(pipeline.is_limited(read)).iter().for_each(|message| progress.warn(message));
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
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let extension = output.and_then(|path| Some(path.extension()?.to_str()?.to_ascii_lowercase()));
    let suggested = match extension.as_deref() {
        Some("fen") => Some(RecordFormat::Fen),
        Some("epd") => Some(RecordFormat::Epd),
        Some("csv") => Some(RecordFormat::Csv),
        Some("jsonl" | "ndjson" | "json") => Some(RecordFormat::Jsonl),
        Some("parquet") => Some(RecordFormat::Parquet),
        Some("bulletformat") => Some(RecordFormat::Bulletformat),
        Some("marlinformat") => Some(RecordFormat::Marlinformat),
        Some("viriformat" | "vf") => Some(RecordFormat::Viriformat),
        Some("binpack") => Some(RecordFormat::Binpack),
        _ => None,
    };
    let problem = match args.to.or(suggested) {
        _ if args.read.to_ply.is_some_and(|to_ply| to_ply < args.read.from_ply) => "--to-ply is before --from-ply",
        _ if matches!(extension.as_deref(), Some("gz" | "zst" | "bz2" | "xz" | "zip")) => {
            "the output is not compressed: write to standard output and pipe that into a compressor"
        }
        Some(RecordFormat::Parquet) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        Some(format) => return format,
        None if output.is_none() => "standard output has no extension that says the format: add --to",
        None if matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "NumPy arrays have attack sets, not positions: use `analyze --format npy`"
        }
        None => {
            "the extension of the output is unknown: use fen, epd, csv, jsonl, parquet, bulletformat, marlinformat, \
             viriformat or binpack, or add --to"
        }
    };
    Args::exit("convert", problem)
}

/// Where the positions go.
enum Sink {
    /// Lines or records.
    Bytes(Target),
    /// Games, which may go on over the ends of blocks.
    Games(Target, Stitched),
    /// Column by column.
    #[cfg(feature = "parquet")]
    Columns(Box<dyn ColumnWriter>),
}

impl Sink {
    /// Opens the output file, or standard output.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "the pool encodes only Parquet"))]
    fn open(args: &ConvertArgs, to: RecordFormat, pipeline: &Pipeline) -> Result<Sink> {
        use RecordFormat::{Binpack, Csv, Epd, Fen, Jsonl, Text, Viriformat};
        let mut target = Target::open(args.output.as_deref(), matches!(to, Fen | Epd | Text | Csv | Jsonl))?;
        Ok(match to {
            #[cfg(feature = "parquet")]
            RecordFormat::Parquet => {
                let pool = pipeline.pool.clone();
                Sink::Columns(Box::new(Parquet::new(target, Integers::Signed, args.settings(), pool)))
            }
            Viriformat | Binpack => Sink::Games(target, Stitched::new(to)),
            _ => {
                if to == Csv {
                    target.put(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
                }
                Sink::Bytes(target)
            }
        })
    }

    /// Whether lines appear on a terminal.
    fn is_watched(&self) -> bool {
        matches!(self, Sink::Bytes(target) if target.is_terminal())
    }

    fn write(&mut self, encoded: Encoded) -> Result<()> {
        let (target, bytes) = match (self, encoded) {
            (Sink::Bytes(target), Encoded::Bytes(bytes)) => (target, bytes),
            (Sink::Games(target, stitched), Encoded::Games(games)) => (target, stitched.add(*games)),
            #[cfg(feature = "parquet")]
            (Sink::Columns(writer), Encoded::Columns(columns, rows)) => return writer.write(columns, rows),
            _ => unreachable!("sinks and formats are chosen together"),
        };
        target.put(&bytes)?;
        // Positions must not wait for input that has not arrived yet.
        target.flush().with_context(|| target.cannot_write())
    }

    /// Writes the games so far, before an error ends the run. Of a file, nothing appears.
    fn end_games(self) -> Result<()> {
        let Sink::Games(mut target, stitched) = self else { return Ok(()) };
        target.put(&stitched.finish())?;
        target.flush().with_context(|| target.cannot_write())
    }

    fn finish(self) -> Result<()> {
        match self {
            Sink::Bytes(target) => Target::finish_all(vec![target]),
            Sink::Games(mut target, stitched) => {
                target.put(&stitched.finish())?;
                Target::finish_all(vec![target])
            }
            #[cfg(feature = "parquet")]
            Sink::Columns(writer) => writer.finish().map(drop),
        }
    }
}
