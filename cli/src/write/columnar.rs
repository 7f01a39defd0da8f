//! Rows as columns: Parquet, and NumPy arrays.

use std::collections::VecDeque;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, mem};

use anyhow::{Context, Result, bail};
use arrow_array::types::UInt8Type;
use arrow_array::{
    ArrayRef, FixedSizeListArray, ListArray, PrimitiveArray, RecordBatch, StringArray, StructArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Fields, Schema};
use npyz::WriterBuilder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use super::target::Target;
use super::text::text_of_json;
use crate::commands::analyze::ordered::{Awaited, Pool};
use crate::commands::analyze::products::{Column, Values};
use crate::read::block::Source;
use crate::read::parsed::{Kept, Parsed};

/// How many bytes of rows make a row group. They are encoded together by one thread, so this is what each thread holds;
/// in the file they take a tenth of it or less.
const ROW_GROUP: usize = 4 << 20;

/// The most row groups that are being encoded or wait for it: each takes some 12 MiB.
const MOST_GROUPS: usize = 6;

/// The rows of a block as Arrow has them.
pub fn batch(parsed: Parsed, columns: Vec<Column>, source: &Source, with_file: bool) -> Result<RecordBatch> {
    let rows = parsed.lines.len();
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut add = |name: &str, nullable, array: ArrayRef| {
        fields.push(Field::new(name, array.data_type().clone(), nullable));
        arrays.push(array);
    };
    if with_file {
        let names = StringArray::from_iter_values(std::iter::repeat_n(&source.name, rows));
        add("file", false, Arc::new(names));
    }
    add("line", false, Arc::new(UInt64Array::from(parsed.lines)));
    for (name, kept) in source.kept.iter().zip(parsed.kept) {
        let array = match kept {
            Kept::Array(_, array) => array,
            Kept::Text(cells) => Arc::new((0..rows).map(|row| cells.get(row)).collect::<StringArray>()),
            Kept::Json(cells) => {
                let text = |row| cells.get(row).filter(|&value| value != "null").map(|value| text_of_json(Some(value)));
                Arc::new((0..rows).map(text).collect::<StringArray>())
            }
            Kept::Fields(_) => continue, // of JSON lines, kept in JSON lines alone
        };
        add(name, true, array);
    }
    for Column { name, values } in columns {
        add(name, false, array(values)?);
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?)
}

fn array(values: Values) -> Result<ArrayRef> {
    type Bytes = PrimitiveArray<UInt8Type>;
    let item = |kind| Arc::new(Field::new("item", kind, false));
    Ok(match values {
        Values::Numbers(numbers) | Values::Boards(numbers) => Arc::new(UInt64Array::from(numbers)),
        Values::Squares(squares) => {
            let numbers = Bytes::from(squares.into_flattened());
            Arc::new(FixedSizeListArray::try_new(item(DataType::UInt8), 64, Arc::new(numbers), None)?)
        }
        Values::Threats(threats) => {
            let fields: Fields = ["attacker", "from", "to", "victim"]
                .map(|name| Field::new(name, DataType::UInt8, false))
                .into_iter()
                .collect();
            let part = |place: usize| -> ArrayRef {
                Arc::new(Bytes::from_iter_values(threats.list.iter().map(|threat| threat[place])))
            };
            let list = StructArray::try_new(fields.clone(), (0..4).map(part).collect(), None)?;
            let starts = [0].iter().chain(&threats.ends).copied();
            let lengths = starts.zip(&threats.ends).map(|(start, end)| end - start);
            let offsets = arrow_buffer::OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::try_new(item(DataType::Struct(fields)), offsets, Arc::new(list), None)?)
        }
    })
}

/// A Parquet file being written.
pub struct Parquet {
    pool: Arc<Pool>,
    target: Option<Target>,
    file: Option<(SerializedFileWriter<Target>, Arc<ArrowRowGroupWriterFactory>)>,
    schema: Option<Arc<Schema>>,
    /// The rows of the next row group, and how many bytes they take.
    rows: Vec<RecordBatch>,
    bytes: usize,
    /// The row groups before it.
    groups: VecDeque<Awaited<(RowGroup, Duration)>>,
    /// How long it took to encode them, over all threads.
    encoding: Duration,
}

impl Parquet {
    /// Nothing yet. The threads of the pool encode.
    pub fn new(target: Target, pool: Arc<Pool>) -> Parquet {
        let (rows, groups, encoding) = (Vec::new(), VecDeque::new(), Duration::ZERO);
        Parquet { pool, target: Some(target), file: None, schema: None, rows, bytes: 0, groups, encoding }
    }

    /// Writes rows, which have the columns of the first ones.
    pub fn write(&mut self, batch: RecordBatch) -> Result<()> {
        if let Some(target) = self.target.take() {
            // Bitboards are hardly ever the same twice, so a dictionary of them gains nothing.
            let boards = batch.schema_ref().fields().iter().filter(|field| *field.data_type() == DataType::UInt64);
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
                // Nobody looks for a bitboard between two others, and the smallest and largest of 64 counts tell nothing.
                .set_statistics_enabled(EnabledStatistics::None)
                // What waits for its page takes eight bytes a number.
                .set_data_page_row_count_limit(2048);
            let properties = boards.fold(properties, |properties, field| {
                properties.set_column_dictionary_enabled(ColumnPath::from(field.name().as_str()), false)
            });
            let writer = ArrowWriter::try_new(target, batch.schema(), Some(properties.build()));
            let (file, factory) = writer.and_then(ArrowWriter::into_serialized_writer).context(CANNOT_WRITE)?;
            self.schema = Some(batch.schema());
            self.file = Some((file, Arc::new(factory)));
        }
        if self.schema.as_ref() != Some(batch.schema_ref()) {
            bail!("the columns to keep have other types than in the files before");
        }
        self.bytes += batch.get_array_memory_size();
        self.rows.push(batch);
        if self.bytes >= ROW_GROUP { self.encode() } else { Ok(()) }
    }

    /// Lets a thread encode the rows at hand as a row group, and writes those that must not wait for it.
    fn encode(&mut self) -> Result<()> {
        let Some((_, factory)) = &self.file else { return Ok(()) };
        let (factory, rows) = (factory.clone(), mem::take(&mut self.rows));
        self.bytes = 0;
        if rows.iter().any(|batch| batch.num_rows() > 0) {
            self.groups.push_back(self.pool.run(move || {
                let started = Instant::now();
                (row_group(&factory, rows), started.elapsed())
            }));
        }
        self.append(MOST_GROUPS.min(self.pool.threads()))
    }

    /// Writes row groups until no more than `most` are left.
    fn append(&mut self, most: usize) -> Result<()> {
        let Some((file, _)) = &mut self.file else { return Ok(()) };
        while self.groups.len() > most
            && let Some(group) = self.groups.pop_front()
        {
            let (chunks, encoding) = group.get();
            self.encoding += encoding;
            let chunks = chunks.context(CANNOT_WRITE)?;
            let mut group = file.next_row_group().context(CANNOT_WRITE)?;
            chunks.into_iter().try_for_each(|chunk| chunk.append_to_row_group(&mut group)).context(CANNOT_WRITE)?;
            group.close().context(CANNOT_WRITE)?;
        }
        Ok(())
    }

    /// Writes the end, and tells how long the threads of the pool encoded.
    pub fn finish(mut self) -> Result<Duration> {
        self.encode()?;
        self.append(0)?;
        if let Some((file, _)) = self.file {
            file.into_inner().context(CANNOT_WRITE)?.finish()?;
        }
        Ok(self.encoding)
    }
}

const CANNOT_WRITE: &str = "cannot write the results";

/// The columns of a row group.
type RowGroup = Result<Vec<ArrowColumnChunk>, ParquetError>;

/// Encodes rows as a row group.
fn row_group(factory: &ArrowRowGroupWriterFactory, rows: Vec<RecordBatch>) -> RowGroup {
    let Some(schema) = rows.first().map(RecordBatch::schema) else { return Ok(Vec::new()) };
    // Only encryption asks for the number of the row group.
    let mut writers = factory.create_column_writers(0)?.into_iter();
    let mut chunks = Vec::new();
    // Column by column, as a writer at work holds a megabyte or more.
    for (place, field) in schema.fields().iter().enumerate() {
        let mut at_work: Vec<ArrowColumnWriter> = Vec::new();
        for batch in &rows {
            for (number, leaf) in compute_leaves(field, batch.column(place))?.iter().enumerate() {
                if number == at_work.len() {
                    at_work.extend(writers.next());
                }
                at_work[number].write(leaf)?;
            }
        }
        chunks.extend(at_work.into_iter().map(ArrowColumnWriter::close).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(chunks)
}

/// A directory of NumPy arrays being written.
pub struct Arrays {
    directory: PathBuf,
    arrays: Vec<Array>,
    threats: u64,
    /// Dropped last, when the arrays that were not finished are gone.
    _made: Made,
}

/// Directories that were made, innermost first. Those in which nothing has come to stand go again.
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        self.0.iter().for_each(|directory| drop(fs::remove_dir(directory)));
    }
}

struct Array {
    target: Target,
    descr: &'static str,
    /// How many numbers a row has, where they are more than one.
    width: Option<u64>,
    rows: u64,
}

impl Arrays {
    /// Nothing yet. The directory is made if there is none.
    pub fn new(directory: &Path) -> Result<Arrays> {
        let is_missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.exists();
        let made = Made(directory.ancestors().take_while(is_missing).map(Path::to_owned).collect());
        fs::create_dir_all(directory).with_context(|| format!("cannot make the directory {}", directory.display()))?;
        Ok(Arrays { directory: directory.to_owned(), arrays: Vec::new(), threats: 0, _made: made })
    }

    /// Writes rows: the numbers of their lines, of their files if there are several, and the columns.
    pub fn write(&mut self, columns: &[Column]) -> Result<()> {
        let is_first = self.arrays.is_empty();
        let mut place = 0;
        let mut put = |arrays: &mut Vec<Array>, name: &str, descr, width, bytes: &[u8], rows| -> Result<()> {
            if is_first {
                arrays.push(Array::new(&self.directory.join(format!("{name}.npy")), descr, width)?);
            }
            place += 1;
            arrays[place - 1].write(bytes, rows)
        };
        for Column { name, values } in columns {
            match values {
                Values::Numbers(numbers) | Values::Boards(numbers) => {
                    put(&mut self.arrays, name, "<u8", None, &little_endian(numbers.iter().copied()), numbers.len())?;
                }
                Values::Squares(squares) => {
                    put(&mut self.arrays, name, "|u1", Some(64), squares.as_flattened(), squares.len())?;
                }
                Values::Threats(threats) => {
                    put(&mut self.arrays, name, "|u1", Some(4), threats.list.as_flattened(), threats.list.len())?;
                    let before = self.threats;
                    let first = is_first.then_some(0);
                    let ends = threats.ends.iter().map(|&end| before + end as u64);
                    let offsets = little_endian(first.into_iter().chain(ends));
                    let rows = offsets.len() / size_of::<u64>();
                    put(&mut self.arrays, &format!("{name}_offsets"), "<u8", None, &offsets, rows)?;
                    self.threats += threats.list.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Gives all arrays their names, or none of them.
    pub fn finish(self) -> Result<()> {
        Target::finish_all(self.arrays.into_iter().map(Array::complete).collect::<Result<_>>()?)
    }
}

/// No array has more rows, and the elements of so many can still be told in 64 bits.
const MOST_ROWS: u64 = u64::MAX / 64;

impl Array {
    fn new(path: &Path, descr: &'static str, width: Option<u64>) -> Result<Array> {
        let mut array = Array { target: Target::file(path)?, descr, width, rows: 0 };
        // Room for the header, which is written when the number of rows is known.
        array.write(&array.header(MOST_ROWS)?, 0)?;
        Ok(array)
    }

    fn write(&mut self, bytes: &[u8], rows: usize) -> Result<()> {
        self.rows += rows as u64;
        self.target.write_all(bytes).with_context(|| self.target.cannot_write())
    }

    /// The header of so many rows.
    fn header(&self, rows: u64) -> Result<Vec<u8>> {
        let shape: Vec<u64> = [rows].into_iter().chain(self.width).collect();
        let mut header = Vec::new();
        let dtype = npyz::DType::Plain(self.descr.parse()?);
        // The numbers are written by hand, many at a time, so the writer of the header is not asked whether all came.
        if self.descr == "<u8" {
            drop(npyz::WriteOptions::<u64>::new().dtype(dtype).shape(&shape).writer(&mut header).begin_nd()?);
        } else {
            drop(npyz::WriteOptions::<u8>::new().dtype(dtype).shape(&shape).writer(&mut header).begin_nd()?);
        }
        Ok(header)
    }

    /// Writes the header.
    fn complete(mut self) -> Result<Target> {
        let header = self.header(self.rows)?;
        if header.len() != self.header(MOST_ROWS)?.len() {
            bail!("the header of an array has another length than was expected");
        }
        let cannot_write = self.target.cannot_write();
        match self.target.file_mut() {
            Some(file) => file.rewind().and_then(|()| file.write_all(&header)).context(cannot_write)?,
            None => bail!("{cannot_write}: it is not a file"),
        }
        Ok(self.target)
    }
}

fn little_endian(numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    numbers.flat_map(u64::to_le_bytes).collect()
}
