//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks of a few hundred positions. A pool of threads parses, computes and encodes them. This thread
//! writes the results in order. Only a few blocks exist at a time, so memory does not grow with the input. Parquet needs
//! far larger groups of rows. They are gathered here, and the pool encodes each group.

pub mod columns;
mod inputs;
pub mod ordered;
mod summary;

use std::collections::HashMap;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail, ensure};
use clap::CommandFactory;
use clap::error::ErrorKind;
use memchr::memchr_iter;
use slider_attacks::Backend;
use slider_attacks_arrow::{self as products, ColumnKind, Plan, Product};

use crate::args::{AnalyzeArgs, Args, OnError, Shard, TableFormat, WITHOUT_PARQUET};
use crate::commands::stream::SAMPLE_POSITIONS;
use crate::progress::{Progress, Tally, note};
use crate::read;
use crate::read::block::{Advice, Block, Layout, Records, SHORTEST, Source, Wanted};
use crate::read::malformed::Malformed;
use crate::read::parsed::{Parsed, Seen};
use crate::read::source::{Inputs, Part};
use crate::write::npy::{self, Arrays};
#[cfg(feature = "parquet")]
use crate::write::parquet::Parquet;
use crate::write::target::Target;
use crate::write::{Cell, ColumnWriter, csv, jsonl};
use columns::{Column, Values};
use inputs::{Found, Piece};
use ordered::{Budget, NOT_WANTED, Pool, Reserved, ordered};
use summary::Totals;

/// More threads would take memory and would not help, because one thread writes all results.
const MOST_THREADS: usize = 32;

/// How many bytes all blocks and their results may take. Where blocks are large, fewer threads work.
const BUDGET: usize = 64 << 20;
/// The same for Parquet, whose groups of rows take memory as well.
const BUDGET_WITH_GROUPS: usize = 24 << 20;

/// What the threads that compute need to know.
struct Job {
    plan: Plan,
    format: TableFormat,
    /// Instead of rows, sums over all positions are written.
    summary: bool,
    on_error: OnError,
    /// Each row begins with the name of the input.
    with_file: bool,
}

/// The result of one block.
struct Done {
    source: Arc<Source>,
    positions: usize,
    skipped: Vec<Malformed>,
    failure: Option<Malformed>,
    /// Which of the columns to keep were found. In JSON lines, one may be missing.
    found: Vec<bool>,
    encoded: Encoded,
    /// How long it took to parse, to compute and to encode it.
    times: [Duration; 3],
}

/// The products of a block in the form in which they are written.
enum Encoded {
    Text(Vec<u8>),
    Columns(Vec<Column>, usize),
    Totals(Box<Totals>),
}

impl Done {
    /// How many bytes it takes.
    fn bytes(&self) -> usize {
        let messages: usize = self.skipped.iter().map(|malformed| malformed.what.len() + 48).sum();
        messages
            + match &self.encoded {
                Encoded::Text(text) => text.capacity(),
                Encoded::Totals(_) => 0,
                Encoded::Columns(..) => usize::MAX / 2,
            }
    }
}

impl Job {
    /// Parses, computes and encodes at most `most` positions of a block.
    fn work(&self, block: &Block, most: usize) -> Done {
        let mut clock = Instant::now();
        let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed();
        let mut parsed = read::parse(block, most, self.on_error);
        let parse = lap();
        let (source, positions) = (block.source.clone(), parsed.lines.len());
        let (skipped, failure) = (std::mem::take(&mut parsed.skipped), parsed.failure.take());
        let found = parsed.kept.iter().map(|kept| kept.is_found(positions)).collect();
        let (encoded, compute) = if self.summary {
            (Encoded::Totals(Box::new(Totals::of(&parsed.positions, &self.plan))), lap())
        } else {
            let products = self.plan.values(&parsed.positions);
            let compute = lap();
            (self.encode(parsed, products, &source), compute)
        };
        Done { source, positions, skipped, failure, found, encoded, times: [parse, compute, lap()] }
    }

    fn encode(&self, parsed: Parsed, products: Vec<products::Values>, source: &Source) -> Encoded {
        let rows = parsed.lines.len();
        let file = self.with_file.then(|| Values::File { name: source.name.clone(), index: source.index });
        let kept = parsed.kept.into_iter().map(Values::Kept);
        let values = file.into_iter().chain([Values::Lines(parsed.lines)]).chain(kept);
        // All fields of JSON lines are one column, which needs no name.
        let names = self.header(&source.kept).into_iter();
        let products = self.plan.names().zip(products).map(|(name, values)| (name.to_owned(), Values::Product(values)));
        let columns = names.zip(values).chain(products).map(|(name, values)| Column { name, values });
        let columns: Vec<Column> = columns.collect();
        let mut text = Vec::new();
        let cells = |row: usize| columns.iter().map(move |column| column.values.cell(row));
        match self.format {
            TableFormat::Csv => (0..rows).for_each(|row| csv::row(cells(row), &mut text)),
            TableFormat::Jsonl => {
                let keys = jsonl::keys(columns.iter().map(|column| column.name.as_str()));
                (0..rows).for_each(|row| jsonl::row(&keys, cells(row), &mut text));
            }
            TableFormat::Parquet | TableFormat::Npy | TableFormat::Table => return Encoded::Columns(columns, rows),
        }
        Encoded::Text(text)
    }

    /// The most bytes that a block and its results can take. Text that may grow counts twice.
    fn bytes(&self, block: &Block) -> usize {
        let with_threats = self.plan.products().contains(&Product::Threats);
        let (bytes, lines, rows, threats) = match &block.records {
            Records::TooLong => (0, 1, 1, 0),
            Records::Text(text) => {
                let lines = memchr_iter(b'\n', text).count() + 1;
                let most = |letter: &u8| usize::from(THREATS[usize::from(*letter)]);
                let threats = if with_threats { text.iter().map(most).sum() } else { 0 };
                (text.len(), lines, lines.min(text.len() / SHORTEST + 1), threats)
            }
            #[cfg(feature = "parquet")]
            Records::Rows(positions, kept) => {
                let arrays = [positions].into_iter().chain(kept);
                let bytes = arrays.map(|array| array.to_data().get_slice_memory_size().unwrap_or(0)).sum();
                let rows = positions.len();
                (bytes, rows, rows, if with_threats { rows * MOST_THREATS } else { 0 })
            }
        };
        let columns = block.source.kept.len();
        // The places where the fields of a record begin.
        let width = if let Layout::Csv { width, .. } = block.source.layout { width } else { 0 };
        let row: usize = self.plan.product_columns().map(|column| row_bytes(column.kind())).sum();
        // In JSON lines, every row repeats the names.
        let names: usize = block.source.kept.iter().map(|name| name.len() + 4).sum();
        let name = if self.with_file { block.source.name.len() } else { 0 };
        6 * bytes
            + 120 * lines
            + rows * (160 + row + 16 * columns + 2 * (names + name))
            + 128 * columns
            + 32 * width
            + 32 * threats.min(rows * MOST_THREATS)
    }

    /// The names of the columns of the output.
    fn header(&self, kept: &[String]) -> Vec<String> {
        let first = self.with_file.then_some("file").into_iter().chain(["line"]).map(str::to_owned);
        first.chain(kept.iter().cloned()).chain(self.plan.names().map(str::to_owned)).collect()
    }
}

/// There cannot be more threats than 64 pieces with 8 lines each can make.
const MOST_THREATS: usize = 512;
/// How many pieces the piece of each letter can threaten.
const THREATS: [u8; 256] = {
    let mut most = [0; 256];
    let letters = b"PNBRQKpnbrqk";
    let mut at = 0;
    while at < letters.len() {
        most[letters[at] as usize] = [2, 8, 4, 4, 8, 8][at % 6];
        at += 1;
    }
    most
};

/// How many bytes the values of a column take per position, as numbers and as text.
fn row_bytes(kind: ColumnKind) -> usize {
    match kind {
        ColumnKind::Bitboard => 8 + 2 * 40,
        ColumnKind::Numbers => 64 + 2 * 200,
        _ => 40, // of threats, which are counted by themselves
    }
}

/// Where the results go.
enum Sink {
    /// CSV or JSON lines. `header` is whether a CSV header must still be written.
    Text {
        target: Target,
        header: bool,
    },
    Columns(Box<dyn ColumnWriter>),
    Summary {
        totals: Box<Totals>,
        table: Target,
        svg: Option<Target>,
    },
}

impl Sink {
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "the pool encodes only Parquet"))]
    fn open(args: &AnalyzeArgs, path: Option<&Path>, format: TableFormat, pool: Arc<Pool>) -> Result<Sink> {
        let target = || Target::open(path, format != TableFormat::Parquet);
        if args.summary {
            let svg = args.svg.as_deref().map(|path| Target::open(Some(path), true)).transpose()?;
            return Ok(Sink::Summary { totals: Box::new(Totals::new()), table: target()?, svg });
        }
        Ok(match (format, path) {
            #[cfg(feature = "parquet")]
            (TableFormat::Parquet, _) => Sink::Columns(Box::new(Parquet::new(target()?, pool))),
            (TableFormat::Npy, Some(directory)) => Sink::Columns(Box::new(Arrays::new(directory))),
            _ => Sink::Text { target: target()?, header: format == TableFormat::Csv && !args.no_header },
        })
    }

    fn write(&mut self, job: &Job, source: &Source, encoded: Encoded) -> Result<()> {
        match (self, encoded) {
            (Sink::Text { target, header }, Encoded::Text(text)) => {
                let mut first = Vec::new();
                if std::mem::take(header) {
                    csv::row(job.header(&source.kept).iter().map(|name| Cell::from(name.as_str())), &mut first);
                }
                target.put(&first)?;
                target.put(&text)?;
                // Rows must not wait for input that has not arrived yet.
                target.flush().with_context(|| target.cannot_write())?;
            }
            (Sink::Columns(writer), Encoded::Columns(columns, rows)) => writer.write(columns, rows)?,
            (Sink::Summary { totals, .. }, Encoded::Totals(more)) => totals.add(&more),
            _ => unreachable!("sinks and formats are chosen together"),
        }
        Ok(())
    }

    /// Writes the rest, and returns how long other threads spent encoding it.
    fn finish(self, args: &AnalyzeArgs, format: TableFormat) -> Result<Duration> {
        match self {
            Sink::Text { target, .. } => Target::finish_all(vec![target])?,
            Sink::Columns(writer) => return writer.finish(),
            Sink::Summary { totals, mut table, mut svg } => {
                table.put(&totals.rows(format))?;
                svg.as_mut().map_or(Ok(()), |svg| svg.put(totals.svg(args.theme).as_bytes()))?;
                Target::finish_all([table].into_iter().chain(svg).collect())?;
            }
        }
        Ok(Duration::ZERO)
    }
}

/// An output that is being written: of the run or, in a directory, of one input.
struct Output {
    sink: Sink,
    /// The name of its input or inputs in messages.
    name: String,
    seen: Seen,
}

impl Output {
    fn new(sink: Sink, name: String) -> Output {
        Output { sink, name, seen: Seen::default() }
    }

    /// Writes the results of a block.
    fn write(
        &mut self,
        job: &Job,
        source: &Arc<Source>,
        found: Vec<bool>,
        positions: usize,
        encoded: Encoded,
    ) -> Result<()> {
        if let Some(first) = &self.seen.first
            && !Arc::ptr_eq(first, source)
            && first.kept != source.kept
        {
            bail!("{} has different columns to keep from the files before it", source.shown());
        }
        self.seen.add(source, found, positions);
        self.sink.write(job, source, encoded)
    }

    /// Fails if a column to keep was in no record.
    fn check(&self) -> Result<()> {
        self.seen.check(&self.name)
    }
}

/// Runs the command.
pub fn run(args: &AnalyzeArgs, backend: Backend) -> Result<()> {
    let format = format(args);
    let found = Found::new(args)?;
    let what = if args.summary { &[Product::Counts][..] } else { &args.what };
    let plan = Plan::new(what.iter().copied()).backend(backend).through(args.through).victims(args.victims);
    let (summary, with_file) = (args.summary, found.may_be_several && args.output_dir.is_none());
    let job = Arc::new(Job { plan, format, summary, on_error: args.on_error, with_file });
    let wanted = Wanted {
        pairs: false,
        column: args.column.clone(),
        keep: args.keep.clone(),
        any_fields: format == TableFormat::Jsonl,
        taken: job.header(&[]),
        advice: Advice::default(),
    };
    let mut limit = args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut pieces = args.shard.map_or_else(|| Ok(found.whole()), |shard| found.shard(shard))?;
    if pieces.is_empty()
        && let Some(Shard { number, of }) = args.shard
    {
        note(&format!("note: shard {number}/{of} is empty"));
        // Its output has the columns of the others.
        pieces = found.whole();
        pieces.truncate(1);
        limit = Some(0);
    }
    let (parts, outputs) = match &args.output_dir {
        None => (pieces.into_iter().map(|piece| piece.part).collect(), None),
        Some(directory) => {
            let outputs = if limit == Some(0) { Vec::new() } else { outputs(args, directory, &job, &found, pieces)? };
            if outputs.is_empty() {
                return Ok(());
            }
            let paths: HashMap<u64, PathBuf> = outputs.iter().map(|(part, path)| (part.index, path.clone())).collect();
            (outputs.into_iter().map(|(part, _)| part).collect(), Some(paths))
        }
    };
    let inputs = Arc::new(Inputs::parts(parts, SAMPLE_POSITIONS)?);
    let threads = args
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS), usize::from);
    return_large_blocks();
    let pool = Arc::new(Pool::new(threads)?);
    let open =
        |path: Option<&Path>, name| Ok::<_, Error>(Output::new(Sink::open(args, path, format, pool.clone())?, name));
    // The outputs in a directory are opened where their inputs begin.
    let mut output = if outputs.is_none() { Some(open(args.output.as_deref(), inputs.name())?) } else { None };

    let started = Instant::now();
    let is_watched = matches!(&output, Some(Output { sink: Sink::Text { target, .. }, .. }) if target.is_terminal());
    let progress = Progress::new(&inputs.bar, inputs.is_terminal || is_watched);
    let budget = Budget::new(if format == TableFormat::Parquet { BUDGET_WITH_GROUPS } else { BUDGET });
    let make = {
        let (inputs, job) = (inputs.clone(), job.clone());
        // Each input ends with `None`.
        move |take: &mut dyn FnMut(Result<Option<(Block, Reserved)>>) -> bool| {
            let read = (0..inputs.count()).try_for_each(|place| {
                inputs.read_one(place, &wanted, &mut |block| {
                    let reserved = budget.reserve(job.bytes(&block));
                    ensure!(take(Ok(Some((block, reserved)))), NOT_WANTED);
                    Ok(())
                })?;
                ensure!(take(Ok(None)), NOT_WANTED);
                Ok(())
            });
            read.err().map(|error| take(Err(error)));
        }
    };
    let mut results = {
        let job = job.clone();
        ordered(pool.clone(), make, move |block: Result<Option<(Block, Reserved)>>| {
            let Some((block, mut reserved)) = block? else { return Ok(None) };
            let done = job.work(&block, usize::MAX);
            // The block is needed again if it contains the limit.
            let block = limit.map(|_| block);
            if block.is_none() {
                reserved.shrink(done.bytes());
            }
            Ok::<_, Error>(Some((done, block, reserved)))
        })
    };

    let mut tally = Tally::default();
    let mut times = [Duration::ZERO; 4];
    let rest = |tally: &Tally| limit.map(|limit| limit.saturating_sub(tally.good));
    let is_new = |output: &Option<Output>| output.as_ref().is_none_or(|output| output.seen.first.is_none());
    let finish = |output: Output, times: &mut [Duration; 4]| -> Result<()> {
        let writing = Instant::now();
        times[2] += output.sink.finish(args, format)?;
        times[3] += writing.elapsed();
        Ok(())
    };
    // The limit is checked before waiting for the next result, because the input may pause. The first result has the
    // columns, even if it has no rows.
    while (is_new(&output) || rest(&tally) != Some(0))
        && let Some(result) = results.next()
    {
        let Some((mut done, block, _reserved)) = result? else {
            if outputs.is_some()
                && let Some(output) = output.take()
            {
                output.check()?;
                finish(output, &mut times)?;
            }
            continue;
        };
        if let (Some(rest), Some(block)) = (rest(&tally), block)
            && done.positions >= rest
        {
            done = job.work(&block, rest);
        }
        let source = done.source;
        let output = match (&mut output, &outputs) {
            (none @ None, Some(paths)) => {
                none.insert(open(paths.get(&source.index).map(PathBuf::as_path), source.shown())?)
            }
            (output, _) => output.as_mut().expect("it is open"),
        };
        tally.add(&progress, &source, done.positions, &done.skipped);
        times.iter_mut().zip(done.times).for_each(|(sum, time)| *sum += time);
        let writing = Instant::now();
        output.write(&job, &source, done.found, done.positions, done.encoded)?;
        times[3] += writing.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        source.check(done.failure.as_ref())?;
        progress.show();
    }
    progress.clear();
    if let Some(output) = output {
        if rest(&tally) != Some(0) {
            output.check()?;
        }
        finish(output, &mut times)?;
    }

    if limit != Some(0) {
        tally.finish(&progress, &inputs.name(), "positions");
    }
    if args.stats {
        stats(tally.good, started.elapsed(), times, threads).lines().for_each(|line| progress.note(line));
    }
    Ok(())
}

/// The outputs in a directory that are not there yet, and says which are.
fn outputs(
    args: &AnalyzeArgs,
    directory: &Path,
    job: &Job,
    found: &Found,
    pieces: Vec<Piece>,
) -> Result<Vec<(Part, PathBuf)>> {
    let offsets = job.plan.products().contains(&Product::Threats).then(|| npy::OFFSETS.to_owned());
    let arrays: Vec<String> = job.header(&[]).into_iter().chain(offsets).collect();
    let is_done = |path: &Path| match job.format {
        _ if args.overwrite => false,
        TableFormat::Npy => npy::is_complete(path, &arrays),
        _ => path.is_file(),
    };
    let skipped =
        |input: &Path, output: &Path| note(&format!("done already: {} ({})", input.display(), output.display()));
    found.outputs(pieces, directory, ending(job.format), is_done, skipped)
}

/// How the name of an output in a directory ends. NumPy arrays have a directory of their own.
fn ending(format: TableFormat) -> &'static str {
    match format {
        TableFormat::Csv => ".csv",
        TableFormat::Jsonl => ".jsonl",
        TableFormat::Parquet => ".parquet",
        TableFormat::Npy | TableFormat::Table => "",
    }
}

/// Makes the allocator return large blocks of memory as soon as they are free. Otherwise each thread would keep some.
fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function accepts both parameters, and they affect only when memory is returned.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 20);
    }
}

/// The format of the rows: the requested one, or the one that the name of the output suggests. If there is a conflict,
/// exits with a usage message.
fn format(args: &AnalyzeArgs) -> TableFormat {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let extension = args.output.as_deref().and_then(extension);
    let suggested = match extension.as_deref() {
        Some("jsonl" | "ndjson" | "json") => Some(TableFormat::Jsonl),
        Some("csv") => Some(TableFormat::Csv),
        Some("parquet") => Some(TableFormat::Parquet),
        None | Some("txt") if args.summary => Some(TableFormat::Table),
        None => Some(TableFormat::Csv),
        Some(_) => None,
    };
    let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.as_os_str() != "-");
    let problem = match args.format.or(suggested) {
        Some(TableFormat::Parquet | TableFormat::Npy) | None if args.summary => {
            "a summary is written as table, csv or jsonl: add --format, or give the output the extension txt, csv or jsonl"
        }
        Some(TableFormat::Table) if !args.summary => "the format table needs --summary",
        Some(TableFormat::Parquet) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        _ if args.svg.is_some() && file(&args.svg) == file(&args.output) => {
            "the table and the board need different files"
        }
        _ if matches!(extension.as_deref(), Some("gz" | "zst" | "bz2" | "xz" | "zip")) => {
            "the output is not compressed: write to standard output and pipe that into a compressor"
        }
        Some(TableFormat::Npy) if file(&args.output).is_none() && args.output_dir.is_none() => {
            "the format npy needs a directory: use --output"
        }
        Some(TableFormat::Npy) if !args.keep.is_empty() => "the format npy cannot hold columns to --keep",
        Some(format) if args.no_header && format != TableFormat::Csv => "only CSV has a header to leave out",
        format if format != Some(TableFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        Some(format) => return format,
        None => "the extension of the output is unknown: use csv, jsonl, ndjson, json or parquet, or add --format",
    };
    let mut command = Args::command();
    command.build();
    let analyze = command.find_subcommand_mut("analyze").expect("it is a command");
    analyze.error(ErrorKind::ArgumentConflict, problem).exit()
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
