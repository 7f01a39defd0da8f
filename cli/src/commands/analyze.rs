//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks of a few hundred positions. A pool of threads parses, computes and encodes them. This thread
//! writes the results in order. Only a few blocks exist at a time, so memory does not grow with the input. Parquet needs
//! far larger groups of rows. They are gathered here, and the pool encodes each group.

pub mod columns;
pub mod ordered;
mod summary;

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::CommandFactory;
use clap::error::ErrorKind;
use memchr::memchr_iter;
use slider_attacks::Backend;
use slider_attacks_arrow::{self as products, Plan, Product};

use crate::args::{AnalyzeArgs, Args, OnError, TableFormat, WITHOUT_PARQUET};
use crate::commands::stream::SAMPLE_POSITIONS;
use crate::progress::{Progress, Tally};
use crate::read;
use crate::read::block::{Block, Layout, Records, Source, Wanted};
use crate::read::malformed::{Malformed, quoted};
use crate::read::parsed::{Kept, Parsed};
use crate::read::source::Inputs;
use crate::write::npy::Arrays;
#[cfg(feature = "parquet")]
use crate::write::parquet::Parquet;
use crate::write::target::Target;
use crate::write::{Cell, ColumnWriter, csv, jsonl};
use columns::{Column, Values};
use ordered::{Budget, Pool, Reserved, ordered};
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
        let is_found = |kept: &Kept| match kept {
            Kept::Json(cells) => (0..positions).any(|row| cells.get(row).is_some()),
            _ => true,
        };
        let found = parsed.kept.iter().map(is_found).collect();
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
        let row: usize = self.plan.products().iter().map(|&product| row_bytes(product)).sum();
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

/// The number of bytes of the shortest position.
const SHORTEST: usize = 23;
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

/// How many bytes the values of a product take per position, as numbers and as text.
fn row_bytes(product: Product) -> usize {
    match product {
        Product::Maps | Product::Xrays | Product::Hanging => 2 * (8 + 2 * 40),
        Product::Counts => 2 * (64 + 2 * 200),
        Product::Mobility => 64 + 2 * 200,
        Product::Pins => 4 * (8 + 2 * 40),
        Product::Threats => 40,
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
    fn open(args: &AnalyzeArgs, format: TableFormat, pool: Arc<Pool>) -> Result<Sink> {
        let target = || Target::open(args.output.as_deref(), format != TableFormat::Parquet);
        if args.summary {
            let svg = args.svg.as_deref().map(|path| Target::open(Some(path), true)).transpose()?;
            return Ok(Sink::Summary { totals: Box::new(Totals::new()), table: target()?, svg });
        }
        Ok(match (format, &args.output) {
            #[cfg(feature = "parquet")]
            (TableFormat::Parquet, _) => Sink::Columns(Box::new(Parquet::new(target()?, pool))),
            (TableFormat::Npy, Some(directory)) => Sink::Columns(Box::new(Arrays::new(directory))),
            _ => Sink::Text { target: target()?, header: format == TableFormat::Csv },
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

/// Runs the command.
pub fn run(args: &AnalyzeArgs, backend: Backend) -> Result<()> {
    let format = format(args);
    let what = if args.summary { &[Product::Counts][..] } else { &args.what };
    let plan = Plan::new(what.iter().copied()).backend(backend).through(args.through).victims(args.victims);
    let (summary, with_file) = (args.summary, args.files.len() > 1);
    let job = Arc::new(Job { plan, format, summary, on_error: args.on_error, with_file });
    let wanted = Wanted {
        pairs: false,
        column: args.column.clone(),
        keep: args.keep.clone(),
        any_fields: format == TableFormat::Jsonl,
        taken: job.header(&[]),
    };
    let inputs = Arc::new(Inputs::new(&args.files, SAMPLE_POSITIONS)?);
    let threads = args
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS), usize::from);
    return_large_blocks();
    let pool = Arc::new(Pool::new(threads)?);
    let mut sink = Sink::open(args, format, pool.clone())?;

    let started = Instant::now();
    let is_watched = matches!(&sink, Sink::Text { target, .. } if target.is_terminal());
    let progress = Progress::new(&inputs.bar, inputs.is_terminal || is_watched);
    let budget = Budget::new(if format == TableFormat::Parquet { BUDGET_WITH_GROUPS } else { BUDGET });
    let make = {
        let (inputs, job) = (inputs.clone(), job.clone());
        move |take: &mut dyn FnMut(Result<(Block, Reserved)>) -> bool| {
            let read = inputs.read(&wanted, &mut |block| {
                let reserved = budget.reserve(job.bytes(&block));
                ensure!(take(Ok((block, reserved))), "nobody waits for more");
                Ok(())
            });
            read.err().map(|error| take(Err(error)));
        }
    };
    let limit = args.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut results = {
        let job = job.clone();
        ordered(pool, make, move |block: Result<(Block, Reserved)>| {
            let (block, mut reserved) = block?;
            let done = job.work(&block, usize::MAX);
            // The block is needed again if it contains the limit.
            let block = limit.map(|_| block);
            if block.is_none() {
                reserved.shrink(done.bytes());
            }
            Ok::<_, anyhow::Error>((done, block, reserved))
        })
    };

    let mut tally = Tally::default();
    let mut times = [Duration::ZERO; 4];
    let mut first: Option<Arc<Source>> = None;
    let mut found = Vec::new();
    let rest = |tally: &Tally| limit.map(|limit| limit.saturating_sub(tally.good));
    // The limit is checked before waiting for the next result, because the input may pause. The first result has the
    // columns, even if it has no rows.
    while (first.is_none() || rest(&tally) != Some(0))
        && let Some(result) = results.next()
    {
        let (mut done, block, _reserved) = result?;
        if let (Some(rest), Some(block)) = (rest(&tally), block)
            && done.positions >= rest
        {
            done = job.work(&block, rest);
        }
        let source = done.source;
        let first = first.get_or_insert_with(|| source.clone());
        if !Arc::ptr_eq(first, &source) && first.kept != source.kept {
            bail!("{} has different columns to keep from the files before it", source.shown());
        }
        found.resize(done.found.len(), false);
        found.iter_mut().zip(done.found).for_each(|(found, more)| *found |= more);
        tally.add(&progress, &source, done.positions, &done.skipped);
        times.iter_mut().zip(done.times).for_each(|(sum, time)| *sum += time);
        let writing = Instant::now();
        sink.write(&job, &source, done.encoded)?;
        times[3] += writing.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        source.check(done.failure.as_ref())?;
        progress.show();
    }
    if let (Some(first), Some(place)) = (&first, found.iter().position(|found| !found))
        && tally.good > 0
        && rest(&tally) != Some(0)
    {
        bail!("no record of {} has a field {} to keep", inputs.name(), quoted(&first.kept[place]));
    }
    progress.clear();
    let writing = Instant::now();
    times[2] += sink.finish(args, format)?;
    times[3] += writing.elapsed();

    if limit != Some(0) {
        tally.finish(&progress, &inputs.name(), "positions");
    }
    if args.stats {
        stats(tally.good, started.elapsed(), times, threads).lines().for_each(|line| progress.note(line));
    }
    Ok(())
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
        Some(TableFormat::Npy) if file(&args.output).is_none() => "the format npy needs a directory: use --output",
        Some(TableFormat::Npy) if !args.keep.is_empty() => "the format npy cannot hold columns to --keep",
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
