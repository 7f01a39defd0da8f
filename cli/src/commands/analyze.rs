//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks of a few hundred positions. A pool of threads parses, computes and encodes them. This thread
//! writes the results in order. Only a few blocks exist at a time, so memory does not grow with the input. Parquet needs
//! far larger groups of rows. They are gathered here, and the pool encodes each group.

pub mod ordered;
pub mod products;
mod summary;

use std::borrow::Cow;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::CommandFactory;
use clap::error::ErrorKind;
use memchr::memchr_iter;
use slider_attacks::Backend;

use crate::args::{AnalyzeArgs, Args, OnError, Product, TableFormat};
use crate::commands::stream::SAMPLE_POSITIONS;
use crate::progress::Progress;
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
use ordered::{Budget, Pool, Reserved, ordered};
use products::{Column, Plan, Values, names};
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
    form: Form,
    on_error: OnError,
    /// Each row begins with the name of the input.
    with_file: bool,
}

/// The form in which the products are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Csv,
    Jsonl,
    Parquet,
    Npy,
    Summary,
}

/// The result of one block.
struct Done {
    source: Arc<Source>,
    positions: u64,
    skipped: Vec<Malformed>,
    failure: Option<Malformed>,
    /// Which of the columns to keep had a value, for formats in which a column may be missing.
    found: Option<Vec<bool>>,
    encoded: Encoded,
    times: Times,
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
                _ => usize::MAX / 2,
            }
    }
}

/// How long each stage took, summed over all threads.
#[derive(Clone, Copy, Default)]
struct Times {
    parse: Duration,
    compute: Duration,
    encode: Duration,
}

impl Job {
    /// Parses, computes and encodes at most `most` positions of a block.
    fn work(&self, block: &Block, most: usize) -> Done {
        let mut clock = Instant::now();
        let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed();
        let mut parsed = read::parse(block, most, self.on_error);
        let parse = lap();
        let source = &block.source;
        let positions = parsed.lines.len() as u64;
        let (skipped, failure) = (std::mem::take(&mut parsed.skipped), parsed.failure.take());
        let found = matches!(source.layout, Layout::Json { .. }).then(|| {
            let has_value = |kept: &Kept| match kept {
                Kept::Json(cells) => (0..positions as usize).any(|row| cells.get(row).is_some()),
                _ => true,
            };
            parsed.kept.iter().map(has_value).collect()
        });
        let (encoded, compute) = if self.form == Form::Summary {
            (Encoded::Totals(Box::new(Totals::of(&parsed.positions, &self.plan))), lap())
        } else {
            let columns = self.plan.columns(&parsed.positions);
            let compute = lap();
            (self.encode(parsed, columns, source), compute)
        };
        let times = Times { parse, compute, encode: lap() };
        Done { source: source.clone(), positions, skipped, failure, found, encoded, times }
    }

    fn encode(&self, parsed: Parsed, products: Vec<Column>, source: &Source) -> Encoded {
        let rows = parsed.lines.len();
        let file = self.with_file.then(|| Values::File { name: source.name.clone(), index: source.index });
        let kept = parsed.kept.into_iter().map(Values::Kept);
        let values = file.into_iter().chain([Values::Numbers(parsed.lines)]).chain(kept);
        let names = self.header(source).into_iter().map(Cow::Owned);
        let mut columns: Vec<Column> = names.zip(values).map(|(name, values)| Column { name, values }).collect();
        columns.extend(products);
        let mut text = Vec::new();
        let cells = |row: usize| columns.iter().map(move |column| column.values.cell(row));
        match self.form {
            Form::Csv => (0..rows).for_each(|row| csv::row(cells(row), &mut text)),
            Form::Jsonl => {
                let keys = jsonl::keys(columns.iter().map(|column| &*column.name));
                (0..rows).for_each(|row| jsonl::row(&keys, cells(row), &mut text));
            }
            Form::Parquet | Form::Npy | Form::Summary => return Encoded::Columns(columns, rows),
        }
        Encoded::Text(text)
    }

    /// The most bytes that a block and its results can take. Text that may grow counts twice.
    fn bytes(&self, block: &Block) -> usize {
        let with_threats = self.plan.what.contains(&Product::Threats);
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
        let row: usize = self.plan.what.iter().map(|&product| row_bytes(product)).sum();
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
    fn header(&self, source: &Source) -> Vec<String> {
        let first = self.with_file.then_some("file").into_iter().chain(["line"]).map(str::to_owned);
        let products = self.plan.what.iter().flat_map(|&product| names(product)).map(|&name| name.to_owned());
        first.chain(source.kept.iter().cloned()).chain(products).collect()
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
        format: TableFormat,
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
            return Ok(Sink::Summary { totals: Box::new(Totals::new()), format, table: target()?, svg });
        }
        Ok(match (format, &args.output) {
            #[cfg(feature = "parquet")]
            (TableFormat::Parquet, _) => Sink::Columns(Box::new(Parquet::new(target()?, pool))),
            (TableFormat::Npy, Some(directory)) => Sink::Columns(Box::new(Arrays::new(directory)?)),
            _ => Sink::Text { target: target()?, header: format == TableFormat::Csv },
        })
    }

    fn write(&mut self, job: &Job, done: Done) -> Result<()> {
        match (self, done.encoded) {
            (Sink::Text { target, header }, Encoded::Text(text)) => {
                let mut first = Vec::new();
                if std::mem::take(header) {
                    csv::row(job.header(&done.source).iter().map(|name| Cell::from(name.as_str())), &mut first);
                }
                let parts = [first, text];
                // Rows must not wait for input that has not arrived yet.
                let written = parts.iter().try_for_each(|part| target.write_all(part)).and_then(|()| target.flush());
                written.with_context(|| target.cannot_write())
            }
            (Sink::Columns(writer), Encoded::Columns(columns, rows)) => writer.write(columns, rows),
            (Sink::Summary { totals, .. }, Encoded::Totals(more)) => {
                totals.add(&more);
                Ok(())
            }
            _ => unreachable!("sinks and forms are chosen together"),
        }
    }

    /// Writes the rest, and returns how long other threads spent encoding it.
    fn finish(self, theme: crate::args::Theme) -> Result<Duration> {
        match self {
            Sink::Text { target, .. } => Target::finish_all(vec![target])?,
            Sink::Columns(writer) => return writer.finish(),
            Sink::Summary { totals, format, mut table, svg } => {
                let mut text = Vec::new();
                totals.write(format, &mut text)?;
                table.write_all(&text).with_context(|| table.cannot_write())?;
                let mut targets = vec![table];
                if let Some(mut svg) = svg {
                    svg.write_all(totals.svg(theme).as_bytes()).with_context(|| svg.cannot_write())?;
                    targets.push(svg);
                }
                Target::finish_all(targets)?;
            }
        }
        Ok(Duration::ZERO)
    }
}

/// Runs the command.
pub fn run(args: &AnalyzeArgs, backend: Backend) -> Result<()> {
    let format = format(args);
    let form = match format {
        _ if args.summary => Form::Summary,
        TableFormat::Jsonl => Form::Jsonl,
        TableFormat::Parquet => Form::Parquet,
        TableFormat::Npy => Form::Npy,
        TableFormat::Csv | TableFormat::Table => Form::Csv,
    };
    let mut what = args.what.clone();
    what.sort_unstable();
    what.dedup();
    let plan = Plan { what, backend, through: args.through, victims: args.victims };
    let job = Arc::new(Job { plan, form, on_error: args.on_error, with_file: args.files.len() > 1 });
    let own = Source { name: String::new(), index: 0, layout: Layout::Fen, kept: Vec::new() };
    let wanted = Wanted {
        pairs: false,
        column: args.column.clone(),
        keep: args.keep.clone(),
        any_fields: form == Form::Jsonl,
        taken: job.header(&own),
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
    let progress = Progress::new(inputs.length, inputs.is_terminal || is_watched);
    let budget = if form == Form::Parquet { BUDGET_WITH_GROUPS } else { BUDGET };
    let make = {
        let (inputs, job, budget) = (inputs.clone(), job.clone(), Budget::new(budget));
        move |take: &mut dyn FnMut(Result<(Block, Reserved)>) -> bool| {
            let take_block = |block| {
                let reserved = budget.reserve(job.bytes(&block));
                take(Ok((block, reserved)))
            };
            if let Err(error) = inputs.read(&wanted, take_block) {
                take(Err(error));
            }
        }
    };
    let limit = args.limit;
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

    let (mut good, mut bad) = (0, 0);
    let mut times = Times::default();
    let mut writing = Duration::ZERO;
    let mut first: Option<Arc<Source>> = None;
    let mut found: Option<Vec<bool>> = None;
    let reached = |good| limit.is_some_and(|limit| good >= limit);
    // The limit is checked before waiting for the next result, because the input may pause. The first result has the
    // columns, even if it has no rows.
    while (first.is_none() || !reached(good))
        && let Some(result) = results.next()
    {
        let (mut done, block, _reserved) = result?;
        if let (Some(limit), Some(block)) = (limit, block)
            && done.positions >= limit - good
        {
            done = job.work(&block, usize::try_from(limit - good).unwrap_or(usize::MAX));
        }
        let source = done.source.clone();
        let first = first.get_or_insert_with(|| source.clone());
        if !Arc::ptr_eq(first, &source) && first.kept != source.kept {
            bail!("{} has different columns to keep from the files before it", source.shown());
        }
        if let Some(some) = done.found.take() {
            let found = found.get_or_insert_with(|| vec![false; some.len()]);
            found.iter_mut().zip(some).for_each(|(found, some)| *found |= some);
        }
        good += done.positions;
        bad += done.skipped.len() as u64;
        done.skipped.iter().for_each(|malformed| progress.note(&format!("skipped: {}", source.message(malformed))));
        times.parse += done.times.parse;
        times.compute += done.times.compute;
        times.encode += done.times.encode;
        let failure = done.failure.take();
        let started = Instant::now();
        sink.write(&job, done)?;
        writing += started.elapsed();
        // Only after the rows before it have been written, because they may go to a pipe.
        if let Some(failure) = failure {
            return Err(anyhow!(source.message(&failure)));
        }
        progress.set(inputs.consumed.bytes());
    }
    if let (Some(first), Some(found)) = (&first, found)
        && let Some(place) = found.iter().position(|found| !found)
        && good > 0
        && !reached(good)
    {
        bail!("no record of {} has a field {} to keep", inputs.name(), quoted(&first.kept[place]));
    }
    progress.clear();
    let finishing = Instant::now();
    times.encode += sink.finish(args.theme)?;
    writing += finishing.elapsed();

    let name = inputs.name();
    if bad > 0 {
        progress.note(&format!("{name}: skipped {bad} of {} positions: malformed", good + bad));
    } else if good == 0 && limit != Some(0) {
        progress.note(&format!("note: no positions in {name}"));
    }
    if args.stats {
        stats(good, started.elapsed(), times, writing, threads).lines().for_each(|line| progress.note(line));
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
        Some("jsonl" | "ndjson" | "json") => TableFormat::Jsonl,
        Some("csv") => TableFormat::Csv,
        Some("parquet") => TableFormat::Parquet,
        _ if args.summary => TableFormat::Table,
        _ => TableFormat::Csv,
    };
    let format = args.format.unwrap_or(suggested);
    let file = |path: &Option<PathBuf>| path.clone().filter(|path| path.as_os_str() != "-");
    let problem = match format {
        TableFormat::Parquet | TableFormat::Npy if args.summary => "a summary is written as table, csv or jsonl",
        TableFormat::Table if !args.summary => "the format table needs --summary",
        TableFormat::Parquet if cfg!(not(feature = "parquet")) => {
            "this command was built without Parquet: build it with `--features parquet`"
        }
        _ if args.svg.is_some() && file(&args.svg) == file(&args.output) => {
            "the table and the board need different files"
        }
        _ if matches!(extension.as_deref(), Some("gz" | "zst" | "bz2" | "xz" | "zip")) => {
            "the output is not compressed: write to standard output and pipe that into a compressor"
        }
        TableFormat::Csv | TableFormat::Jsonl | TableFormat::Parquet
            if matches!(extension.as_deref(), Some("npy" | "npz")) =>
        {
            "for NumPy arrays, use --format npy and name a directory"
        }
        _ if args.format.is_none()
            && matches!(extension.as_deref(), Some("tsv" | "pq" | "arrow" | "feather" | "svg")) =>
        {
            "the extension of the output is unknown: use csv, jsonl, ndjson, json or parquet, or add --format"
        }
        TableFormat::Npy if file(&args.output).is_none() => "the format npy needs a directory: use --output",
        TableFormat::Npy if !args.keep.is_empty() => "the format npy cannot hold columns to --keep",
        _ => return format,
    };
    let mut command = Args::command();
    command.build();
    let analyze = command.find_subcommand_mut("analyze").expect("it is a command");
    analyze.error(ErrorKind::ArgumentConflict, problem).exit()
}

fn stats(positions: u64, elapsed: Duration, times: Times, writing: Duration, threads: usize) -> String {
    let rate = |time: Duration| format!("{:.0}", positions as f64 / time.as_secs_f64().max(1e-9));
    let stage = |name: &str, time: Duration| {
        format!("  {name:<8} {:>9.3} s  {:>12} positions per second per thread\n", time.as_secs_f64(), rate(time))
    };
    let mut text = format!(
        "{positions} positions in {:.3} s, {} per second, {threads} threads\n",
        elapsed.as_secs_f64(),
        rate(elapsed)
    );
    text += &stage("parse", times.parse);
    text += &stage("compute", times.compute);
    text += &stage("encode", times.encode);
    text + &stage("write", writing)
}
