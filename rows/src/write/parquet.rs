//! Parquet files.

mod numbers;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};
use arrow_array::cast::AsArray;
use arrow_schema::{Fields, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, ColumnPath};
use slider_attacks::analysis::Threat;
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_files::columns::{KeptColumn, OutputColumn, OutputValues, UNKNOWN_KIND};
use slider_attacks_files::ordered::{Awaited, Pool};
use slider_attacks_files::parquet::sizes::sizes;

use super::{ColumnWriter, WriteTarget};
use crate::arrays::{array, field};

/// The number of bytes of rows that make a row group. One thread encodes a row group, so each thread holds this much. In
/// the file, a row group takes a tenth of this or less.
const ROW_GROUP: usize = 4 << 20;

/// The maximum number of row groups that are being encoded or waiting for it. Each takes about 12 MiB.
const MAX_GROUPS: usize = 4;

/// More columns than this are many. Each takes about 50 KiB while a row group is encoded, even if it holds one value.
const MANY_COLUMNS: usize = 256;

/// The maximum number of columns. The writer holds about 25 KiB for each of them, even if it has no rows.
const MAX_COLUMNS: usize = 4096;

/// The level of compression.
const ZSTD_LEVEL: i32 = 1;

/// The maximum number of rows of a page. Values that wait for their page take eight bytes each.
const PAGE_ROWS: usize = 2048;

/// A Parquet file being written.
pub struct Parquet<T: WriteTarget> {
    integers: Integers,
    pool: Arc<Pool>,
    cannot_write: String,
    target: SharedTarget<T>,
    file: Option<(SerializedFileWriter<SharedTarget<T>>, Arc<ArrowRowGroupWriterFactory>)>,
    schema: Arc<Schema>,
    /// The blocks of the next row group: their columns and numbers of rows.
    blocks: Vec<(Vec<OutputColumn>, usize)>,
    /// How many bytes they take.
    bytes: usize,
    /// The row groups before it.
    groups: VecDeque<Awaited<(RowGroup, Duration)>>,
    /// How long it took to encode them, over all threads.
    encoding: Duration,
}

impl<T: WriteTarget + 'static> Parquet<T> {
    /// Begins without rows. The threads of the pool encode.
    pub fn new(target: T, integers: Integers, pool: Arc<Pool>) -> Parquet<T> {
        Parquet {
            integers,
            pool,
            cannot_write: target.cannot_write(),
            target: SharedTarget(Arc::new(Mutex::new(target))),
            file: None,
            schema: Arc::new(Schema::empty()),
            blocks: Vec::new(),
            bytes: 0,
            groups: VecDeque::new(),
            encoding: Duration::ZERO,
        }
    }

    fn begin(&mut self) -> Result<(), ParquetError> {
        // Bitboards are hardly ever the same twice, so a dictionary of them gains nothing.
        let boards = self.schema.fields().iter().filter(|field| *field.data_type() == self.integers.bitboard_type());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
            // The smallest and largest bitboard or count help no search.
            .set_statistics_enabled(EnabledStatistics::None)
            // An empty dictionary takes most of what a column takes.
            .set_dictionary_enabled(self.schema.fields().len() <= MANY_COLUMNS)
            .set_data_page_row_count_limit(PAGE_ROWS);
        let properties = boards.fold(properties, |properties, field| {
            properties.set_column_dictionary_enabled(ColumnPath::from(field.name().as_str()), false)
        });
        let writer = ArrowWriter::try_new(self.target.clone(), self.schema.clone(), Some(properties.build()))?;
        let (file, factory) = writer.into_serialized_writer()?;
        self.file = Some((file, Arc::new(factory)));
        Ok(())
    }

    /// Has a thread encode the blocks as a row group, and writes the groups that are too many.
    fn encode(&mut self) -> Result<()> {
        let Some((file, factory)) = &self.file else { return Ok(()) };
        let (factory, schema, blocks) = (factory.clone(), self.schema.clone(), mem::take(&mut self.blocks));
        let leaves = file.schema_descr().columns().to_vec();
        let integers = self.integers;
        self.bytes = 0;
        if blocks.iter().any(|(_, rows)| *rows > 0) {
            self.groups.push_back(self.pool.run(move || {
                let started = Instant::now();
                (row_group(&factory, &schema, &leaves, integers, blocks), started.elapsed())
            }));
        }
        let groups = match self.schema.fields().len() / MANY_COLUMNS {
            0 => MAX_GROUPS,
            1..8 => 1,
            _ => 0,
        };
        self.append(groups.min(self.pool.threads()))
    }

    /// Writes row groups until at most `rest` are left.
    fn append(&mut self, rest: usize) -> Result<()> {
        while self.groups.len() > rest
            && let Some((file, _)) = &mut self.file
            && let Some(group) = self.groups.pop_front()
        {
            let (chunks, encoding) = group.get();
            self.encoding += encoding;
            let written = chunks.and_then(|chunks| {
                let mut group = file.next_row_group()?;
                for chunk in chunks {
                    match chunk {
                        Chunk::Arrow(chunk) => chunk.append_to_row_group(&mut group)?,
                        Chunk::Numbers(bytes, close) => group.append_column(&bytes, close)?,
                    }
                }
                group.close()
            });
            written.map_err(plain).with_context(|| self.cannot_write.clone())?;
        }
        Ok(())
    }
}

impl<T: WriteTarget + 'static> ColumnWriter for Parquet<T> {
    fn write(&mut self, columns: Vec<OutputColumn>, rows: usize) -> Result<()> {
        if columns.len() > MAX_COLUMNS {
            let found = columns.len();
            bail!("a Parquet file takes at most {MAX_COLUMNS} columns, found {found}: keep fewer, or write CSV");
        }
        let schema = Schema::new(columns.iter().map(|column| field(column, self.integers)).collect::<Fields>());
        if self.file.is_none() {
            self.schema = Arc::new(schema);
            self.begin().map_err(plain).with_context(|| self.cannot_write.clone())?;
        } else if *self.schema != schema {
            bail!("the columns to keep have other types than in the files before");
        }
        self.bytes += columns.iter().map(|column| bytes(&column.values, rows)).sum::<usize>();
        self.blocks.push((columns, rows));
        if self.bytes >= ROW_GROUP.max(self.schema.fields().len() << 14).min(6 * ROW_GROUP) {
            self.encode()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Duration> {
        self.encode()?;
        self.append(0)?;
        if let Some((mut file, _)) = self.file {
            file.finish().map_err(plain).context(self.cannot_write)?;
            drop(file);
            T::finish_all(self.target.into_inner().into_iter().collect())?;
        }
        Ok(self.encoding)
    }
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

/// A column of a row group, encoded.
enum Chunk {
    Arrow(ArrowColumnChunk),
    Numbers(Bytes, ColumnCloseResult),
}

/// The columns of a row group.
type RowGroup = Result<Vec<Chunk>, ParquetError>;

/// Encodes blocks as a row group. `leaves` are the columns of the file, several of which may make one field.
fn row_group(
    factory: &ArrowRowGroupWriterFactory,
    schema: &Schema,
    leaves: &[ColumnDescPtr],
    integers: Integers,
    blocks: Vec<(Vec<OutputColumn>, usize)>,
) -> RowGroup {
    // Only encryption asks for the number of the row group.
    let mut writers = factory.create_column_writers(0)?.into_iter().zip(leaves);
    let mut chunks = Vec::new();
    let mut blocks: Vec<_> = blocks.into_iter().map(|(columns, rows)| (columns.into_iter(), rows)).collect();
    // Column by column: each writer holds a megabyte or more.
    for field in schema.fields() {
        let columns: Vec<(OutputColumn, usize)> =
            blocks.iter_mut().filter_map(|(columns, rows)| Some((columns.next()?, *rows))).collect();
        if columns.iter().all(|(column, _)| matches!(column.values, OutputValues::Product(Values::Numbers(_)))) {
            let Some((_, leaf)) = writers.next() else { continue };
            let rows: Vec<numbers::Rows> = columns.into_iter().filter_map(|(column, _)| numbers_of(column)).collect();
            let (bytes, close) = numbers::encode(leaf, &rows)?;
            chunks.push(Chunk::Numbers(bytes, close));
            continue;
        }
        let mut at_work: Vec<ArrowColumnWriter> = Vec::new();
        for (column, rows) in columns {
            let values = array(column, rows, integers).map_err(|error| ParquetError::External(error.into()))?;
            for (number, leaf) in compute_leaves(field, &values)?.iter().enumerate() {
                if number == at_work.len() {
                    at_work.extend(writers.next().map(|(writer, _)| writer));
                }
                at_work[number].write(leaf)?;
            }
        }
        for writer in at_work {
            chunks.push(Chunk::Arrow(writer.close()?));
        }
    }
    Ok(chunks)
}

/// The numbers per square of a column, and its rows that are null, if it has any.
fn numbers_of(column: OutputColumn) -> Option<numbers::Rows> {
    match column.values {
        OutputValues::Product(Values::Numbers(rows)) => Some((rows, column.nulls.unwrap_or_default())),
        _ => None,
    }
}

/// How many bytes values take.
fn bytes(values: &OutputValues, rows: usize) -> usize {
    match values {
        OutputValues::File { name, .. } => rows * (name.len() + size_of::<i32>()),
        OutputValues::Lines(_) | OutputValues::Product(Values::Boards(_)) => rows * size_of::<u64>(),
        OutputValues::Product(Values::Numbers(_)) => rows * 64,
        OutputValues::Product(Values::Number(_)) => rows * size_of::<u16>(),
        OutputValues::Product(Values::Threats { threats, .. }) => threats.len() * size_of::<Threat>(),
        OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
        // Its texts are there only once.
        OutputValues::Kept(KeptColumn::Array(_, array)) if array.as_any_dictionary_opt().is_some() => {
            let array = array.as_any_dictionary();
            sizes(array.keys(), 0).into_iter().chain(sizes(array.values(), size_of::<u64>())).sum()
        }
        OutputValues::Kept(KeptColumn::Numbers(_)) | OutputValues::Floats(_) => rows * size_of::<i64>(),
        OutputValues::Kept(KeptColumn::Array(_, array)) => sizes(array, size_of::<u64>()).iter().sum(),
        OutputValues::Kept(KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts)) => {
            (0..rows).map(|row| texts.get(row).map_or(0, str::len) + size_of::<i32>()).sum()
        }
    }
}
