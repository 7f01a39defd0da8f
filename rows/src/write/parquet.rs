//! Parquet files.
//!
//! A row group has far more rows than memory should hold as values. So bitboards and numbers per square, the bulk of the data,
//! are encoded part by part, and only their pages wait for the end of the group. The other columns are kept as values until
//! then.

mod boards;
mod numbers;
mod pages;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::vec;

use anyhow::{Context, Error, Result, bail};
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;
use slider_attacks::analysis::Threat;
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_files::ordered::{PendingResult, Pool};
use slider_attacks_files::parquet::sizes::size;
use slider_attacks_formats::columns::{KeptColumn, OutputColumn, OutputValues, UNKNOWN_KIND};
use zstd::bulk::Compressor;

use super::{ColumnWriter, WriteTarget};
use crate::arrays::{array, field};
use pages::WrittenPages;

/// The maximum number of rows of a row group. DuckDB writes as many, and gives a row group to one thread.
const GROUP_ROWS: usize = 122_880;

/// A row group with fewer rows ends when its pages and values take this many bytes.
const GROUP_BYTES: usize = 12 << 20;

/// The number of bytes of bitboards and numbers that one thread encodes at a time.
const PART_BYTES: usize = 2 << 20;

/// The maximum number of parts of a row group that are being encoded or waiting for it, whatever the number of threads: where
/// groups end must not depend on it.
const MAX_PARTS: usize = 4;

/// The maximum number of row groups that have ended and are not written yet, and how many bytes they take at most, unless there
/// is only one.
const MAX_GROUPS: (usize, usize) = (4, 20 << 20);

/// More columns than this are many. Each takes about 50 KiB while a row group is encoded, even if it holds one value.
const MANY_COLUMNS: usize = 256;

/// The maximum number of columns. The writer holds about 25 KiB for each of them, even if it has no rows.
const MAX_COLUMNS: usize = 4096;

/// The level of compression.
const ZSTD_LEVEL: i32 = 1;

/// The maximum number of rows of a page. Values that wait for their page take eight bytes each.
const PAGE_ROWS: usize = 2048;

/// The prefix of the names of settings in the metadata of a file.
pub const PREFIX: &str = "slider_attacks.";

/// A Parquet file being written.
pub struct Parquet<T: WriteTarget> {
    integers: Integers,
    settings: Vec<(&'static str, String)>,
    pool: Arc<Pool>,
    cannot_write: String,
    target: SharedTarget<T>,
    file: Option<(SerializedFileWriter<SharedTarget<T>>, Arc<ParquetFile>)>,
    /// The row group to which rows are added.
    group: Group,
    /// The row groups before it that are not written yet.
    ended: VecDeque<CompleteRowGroup>,
    /// How long it took to encode, over all threads.
    encoding: Duration,
}

/// What the threads that encode know of the file.
struct ParquetFile {
    integers: Integers,
    schema: Schema,
    factory: ArrowRowGroupWriterFactory,
    /// The columns of the file (several may make one field), and whether they are encoded part by part.
    leaves: Vec<(ColumnDescPtr, bool)>,
}

/// Some columns of a block, and its number of rows.
type ColumnBlock = (Vec<OutputColumn>, usize);

/// The result of a job, and how long it took.
type EncodingJob<T> = PendingResult<(Result<T, ParquetError>, Duration)>;

/// A row group to which rows are added.
#[derive(Default)]
struct Group {
    rows: usize,
    /// How many bytes its values and pages take, but for parts that are not encoded yet.
    bytes: usize,
    /// The columns that wait for the end of the group.
    values: Vec<ColumnBlock>,
    /// The columns of the next part, and how many bytes they take.
    part: Vec<Vec<OutputColumn>>,
    part_bytes: usize,
    /// The parts that are being encoded: a column each.
    parts: VecDeque<EncodingJob<Vec<WrittenPages>>>,
    /// The parts before them.
    pages: Vec<Vec<WrittenPages>>,
}

/// A row group whose rows are complete.
struct CompleteRowGroup {
    group: Group,
    /// The columns that are not encoded part by part.
    chunks: EncodingJob<Vec<ArrowColumnChunk>>,
}

impl<T: WriteTarget + 'static> Parquet<T> {
    /// Begins without rows. `settings` are the names of options and their values, which the file tells its readers. The threads of
    /// the pool encode.
    pub fn new(target: T, integers: Integers, settings: Vec<(&'static str, String)>, pool: Arc<Pool>) -> Parquet<T> {
        Parquet {
            integers,
            settings,
            pool,
            cannot_write: target.cannot_write(),
            target: SharedTarget(Arc::new(Mutex::new(target))),
            file: None,
            group: Group::default(),
            ended: VecDeque::new(),
            encoding: Duration::ZERO,
        }
    }

    fn begin(&mut self, schema: Schema, columns: &[OutputColumn]) -> Result<(), ParquetError> {
        let version = ("version", env!("CARGO_PKG_VERSION").to_owned());
        let settings = [version].into_iter().chain(mem::take(&mut self.settings));
        let settings = settings.map(|(name, value)| KeyValue::new(format!("{PREFIX}{name}"), value));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
            .set_key_value_metadata(Some(settings.collect()))
            // Of each row group. Those of pages would stay in memory until the file is complete.
            .set_statistics_enabled(EnabledStatistics::Chunk)
            // An empty dictionary takes most of what a column takes.
            .set_dictionary_enabled(columns.len() <= MANY_COLUMNS)
            .set_data_page_row_count_limit(PAGE_ROWS);
        let descriptor = ArrowSchemaConverter::new().convert(&schema)?;
        for (at, leaf) in descriptor.columns().iter().enumerate() {
            properties = match columns[descriptor.get_column_root_idx(at)].values {
                // A dictionary of numbers that all differ gains nothing.
                OutputValues::Lines(_) => properties.set_column_dictionary_enabled(leaf.path().clone(), false),
                // The smallest square that is attacked helps no search, nor does the smallest move.
                OutputValues::Product(Values::Sets(_) | Values::Moves { .. } | Values::Threats { .. }) => {
                    properties.set_column_statistics_enabled(leaf.path().clone(), EnabledStatistics::None)
                }
                _ => properties,
            };
        }
        let of_arrow = Arc::new(schema.clone());
        let writer = ArrowWriter::try_new(self.target.clone(), of_arrow, Some(properties.build()))?;
        let (file, factory) = writer.into_serialized_writer()?;
        let leaves = descriptor.columns().iter().enumerate();
        let leaves = leaves.map(|(at, leaf)| (leaf.clone(), has_pages(&columns[descriptor.get_column_root_idx(at)])));
        let format = ParquetFile { integers: self.integers, schema, factory, leaves: leaves.collect() };
        self.file = Some((file, Arc::new(format)));
        Ok(())
    }

    /// Has a thread encode the next part of the group.
    fn encode_part(&mut self) -> Result<()> {
        let (part, Some((_, format))) = (mem::take(&mut self.group.part), &self.file) else { return Ok(()) };
        self.group.part_bytes = 0;
        if !part.is_empty() {
            let format = format.clone();
            self.group.parts.push_back(self.pool.run(move || timed(|| format.pages(part))));
        }
        let encoding = self.group.take_parts(MAX_PARTS).map_err(plain).with_context(|| self.cannot_write.clone())?;
        self.encoding += encoding;
        Ok(())
    }

    /// Ends the group, has a thread encode the rest of it, and writes the groups that are too many.
    fn end_group(&mut self) -> Result<()> {
        self.encode_part()?;
        let Some((_, format)) = &self.file else { return Ok(()) };
        let mut group = mem::take(&mut self.group);
        if group.rows > 0 {
            let (format, values) = (format.clone(), mem::take(&mut group.values));
            let chunks = self.pool.run(move || timed(|| format.chunks(values)));
            self.ended.push_back(CompleteRowGroup { group, chunks });
        }
        let most = match format.schema.fields().len() / MANY_COLUMNS {
            0 => MAX_GROUPS.0,
            1..8 => 1,
            _ => 0,
        };
        self.append(most.min(self.pool.threads()))
    }

    /// Writes row groups until at most `rest` are left, and these are not too large.
    fn append(&mut self, rest: usize) -> Result<()> {
        let bytes = |ended: &CompleteRowGroup| ended.group.bytes + ended.group.parts.len() * PART_BYTES;
        while self.ended.len() > rest
            || self.ended.len() > 1 && self.ended.iter().map(bytes).sum::<usize>() > MAX_GROUPS.1
        {
            let (Some((file, format)), Some(ended)) = (&mut self.file, self.ended.pop_front()) else { break };
            let written = ended.write(file, &format.leaves);
            self.encoding += written.map_err(plain).with_context(|| self.cannot_write.clone())?;
        }
        Ok(())
    }
}

impl<T: WriteTarget + 'static> ColumnWriter for Parquet<T> {
    fn write(&mut self, columns: Vec<OutputColumn>, rows: usize) -> Result<()> {
        if columns.len() > MAX_COLUMNS {
            let found = columns.len();
            bail!("a Parquet file holds at most {MAX_COLUMNS} columns, found {found}: keep fewer, or write CSV");
        }
        let fields = columns.iter().map(|column| with_elements(field(column, self.integers)));
        let schema = Schema::new(fields.collect::<Fields>());
        match &self.file {
            None => self.begin(schema, &columns).map_err(plain).with_context(|| self.cannot_write.clone())?,
            Some((_, format)) if format.schema != schema => {
                bail!("types of kept columns differ from earlier files")
            }
            Some(_) => {}
        }
        if self.group.rows + rows > GROUP_ROWS {
            self.end_group()?;
        }
        let group_bytes = GROUP_BYTES.max(columns.len() << 14).min(2 * GROUP_BYTES);
        let (part, values): (Vec<_>, Vec<_>) = columns.into_iter().partition(has_pages);
        let bytes =
            |columns: &[OutputColumn]| -> usize { columns.iter().map(|column| bytes(&column.values, rows)).sum() };
        self.group.rows += rows;
        // Vectors have room to spare, so values take about half as much again.
        self.group.bytes += bytes(&values) * 3 / 2;
        self.group.values.push((values, rows));
        if !part.is_empty() {
            self.group.part_bytes += bytes(&part);
            self.group.part.push(part);
        }
        if self.group.part_bytes >= PART_BYTES {
            self.encode_part()?;
        }
        if self.group.bytes >= group_bytes { self.end_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Duration> {
        self.end_group()?;
        self.append(0)?;
        if let Some((mut file, _)) = self.file {
            file.finish().map_err(plain).context(self.cannot_write)?;
            drop(file);
            T::finish_all(self.target.into_inner().into_iter().collect())?;
        }
        Ok(self.encoding)
    }
}

impl Group {
    /// Waits for parts until at most `rest` are being encoded, and returns how long it took to encode them.
    fn take_parts(&mut self, rest: usize) -> Result<Duration, ParquetError> {
        let mut encoding = Duration::ZERO;
        while self.parts.len() > rest
            && let Some(part) = self.parts.pop_front()
        {
            let (pages, time) = part.get();
            let pages = pages?;
            self.bytes += pages.iter().map(WrittenPages::bytes).sum::<usize>();
            self.pages.push(pages);
            encoding += time;
        }
        Ok(encoding)
    }
}

impl CompleteRowGroup {
    /// Waits for all columns, writes them, and returns how long it took to encode those that were waited for.
    fn write<T: WriteTarget + 'static>(
        mut self,
        file: &mut SerializedFileWriter<SharedTarget<T>>,
        leaves: &[(ColumnDescPtr, bool)],
    ) -> Result<Duration, ParquetError> {
        let encoding = self.group.take_parts(0)?;
        let (chunks, time) = self.chunks.get();
        let mut chunks = chunks?.into_iter();
        let mut parts: Vec<vec::IntoIter<WrittenPages>> = self.group.pages.into_iter().map(Vec::into_iter).collect();
        let mut group = file.next_row_group()?;
        for (leaf, has_pages) in leaves {
            if *has_pages {
                let pages: Vec<WrittenPages> = parts.iter_mut().filter_map(Iterator::next).collect();
                let (bytes, close) = pages::join(leaf, &pages)?;
                drop(pages);
                group.append_column(&bytes, close)?;
            } else if let Some(chunk) = chunks.next() {
                chunk.append_to_row_group(&mut group)?;
            }
        }
        group.close()?;
        Ok(encoding + time)
    }
}

impl ParquetFile {
    /// Encodes a part: the columns that have pages, of some blocks.
    fn pages(&self, blocks: Vec<Vec<OutputColumn>>) -> Result<Vec<WrittenPages>, ParquetError> {
        let mut compressor = Compressor::new(ZSTD_LEVEL)?;
        let mut blocks: Vec<_> = blocks.into_iter().map(Vec::into_iter).collect();
        let leaves = self.leaves.iter().filter(|(_, has_pages)| *has_pages);
        let pages = leaves.map(|(leaf, _)| {
            let (mut sets, mut numbers) = (Vec::new(), Vec::new());
            for column in blocks.iter_mut().filter_map(Iterator::next) {
                let nulls = column.nulls.unwrap_or_default();
                match column.values {
                    OutputValues::Product(Values::Boards(rows)) => sets.push((rows, nulls)),
                    OutputValues::Product(Values::Numbers(rows)) => numbers.push((rows, nulls)),
                    _ => unreachable!("others have no pages"),
                }
            }
            if numbers.is_empty() {
                boards::encode(leaf, &sets, &mut compressor)
            } else {
                numbers::encode(leaf, &numbers, &mut compressor)
            }
        });
        pages.collect()
    }

    /// Encodes the columns that have no pages, of the blocks of a row group.
    fn chunks(&self, blocks: Vec<ColumnBlock>) -> Result<Vec<ArrowColumnChunk>, ParquetError> {
        // Only encryption asks for the number of the row group.
        let writers = self.factory.create_column_writers(0)?.into_iter().zip(&self.leaves);
        let mut writers = writers.filter(|(_, (_, has_pages))| !has_pages).map(|(writer, _)| writer);
        let mut chunks = Vec::new();
        let mut blocks: Vec<_> = blocks.into_iter().map(|(columns, rows)| (columns.into_iter(), rows)).collect();
        // Column by column: each writer holds a megabyte or more.
        loop {
            let columns = blocks.iter_mut().filter_map(|(columns, rows)| Some((columns.next()?, *rows)));
            let columns: Vec<(OutputColumn, usize)> = columns.collect();
            let Some((first, _)) = columns.first() else { return Ok(chunks) };
            let field = with_elements(field(first, self.integers));
            let mut at_work: Vec<ArrowColumnWriter> = Vec::new();
            for (column, rows) in columns {
                let values =
                    array(column, rows, self.integers).map_err(|error| ParquetError::External(error.into()))?;
                for (number, leaf) in compute_leaves(&field, &values)?.iter().enumerate() {
                    if number == at_work.len() {
                        at_work.extend(writers.next());
                    }
                    at_work[number].write(leaf)?;
                }
            }
            for writer in at_work {
                chunks.push(writer.close()?);
            }
        }
    }
}

/// Does the work, and says how long it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    (work(), started.elapsed())
}

/// Whether a column is encoded part by part.
fn has_pages(column: &OutputColumn) -> bool {
    matches!(column.values, OutputValues::Product(Values::Boards(_) | Values::Numbers(_)))
}

/// The same field, but the elements of its lists have the name that Parquet gives them.
fn with_elements(field: Field) -> Field {
    fn inner(field: &FieldRef) -> FieldRef {
        Arc::new(with_elements(field.as_ref().clone()))
    }
    fn element(item: &FieldRef) -> FieldRef {
        Arc::new(with_elements(item.as_ref().clone()).with_name("element"))
    }
    let kind = match field.data_type() {
        DataType::List(item) => DataType::List(element(item)),
        DataType::LargeList(item) => DataType::LargeList(element(item)),
        DataType::ListView(item) => DataType::ListView(element(item)),
        DataType::LargeListView(item) => DataType::LargeListView(element(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(element(item), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        _ => return field,
    };
    field.with_data_type(kind)
}

/// The target, shared with the writer of the file. That one would give the target back, but if it cannot write its last bytes
/// before, it tells only the text of the error.
struct SharedTarget<T>(Arc<Mutex<T>>);

impl<T> Clone for SharedTarget<T> {
    fn clone(&self) -> SharedTarget<T> {
        SharedTarget(self.0.clone())
    }
}

impl<T> SharedTarget<T> {
    /// The target, if nothing else has it.
    fn into_inner(self) -> Option<T> {
        Arc::into_inner(self.0).map(|target| target.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Write> Write for SharedTarget<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}

/// An error of the target is taken out of the Parquet error around it, which would show its text twice.
fn plain(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => {
            inner.downcast::<io::Error>().map_or_else(Error::from_boxed, |error| Error::from(*error))
        }
        other => other.into(),
    }
}

/// How many bytes values take.
fn bytes(values: &OutputValues, rows: usize) -> usize {
    match values {
        // The name is there only once.
        OutputValues::File { name, .. } => name.len(),
        OutputValues::Lines(_) | OutputValues::Product(Values::Boards(_)) => rows * size_of::<u64>(),
        OutputValues::Product(Values::Numbers(_)) => rows * 64,
        OutputValues::Product(Values::Number(_)) => rows * size_of::<u16>(),
        OutputValues::Product(Values::Sets(_)) => rows * 512,
        OutputValues::Product(Values::Moves { moves, .. }) => size_of_val(&moves[..]),
        OutputValues::Product(Values::Threats { threats, .. }) => threats.len() * size_of::<Threat>(),
        OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
        // Its texts are there only once.
        OutputValues::Kept(KeptColumn::Array(_, array)) if array.as_any_dictionary_opt().is_some() => {
            let array = array.as_any_dictionary();
            size(array.keys(), 0) + size(array.values(), size_of::<u64>())
        }
        OutputValues::Kept(KeptColumn::Numbers(_)) | OutputValues::Floats(_) => rows * size_of::<i64>(),
        OutputValues::Kept(KeptColumn::Array(_, array)) => size(array, size_of::<u64>()),
        OutputValues::Kept(KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts)) => {
            (0..rows).map(|row| texts.get(row).map_or(0, str::len) + size_of::<i32>()).sum()
        }
    }
}
