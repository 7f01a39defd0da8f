//! Parquet: reads only the columns that are needed, and no more of them at a time than fits into memory.
//!
//! A few kilobytes of Parquet can stand for gigabytes of values: pages are compressed, values repeat, and one row can hold
//! a list of millions. So the headers of all pages are examined first. Rows in pages that are too large are malformed. The
//! others are read in ranges, one column after the other. Texts are read as views into their pages, and copied out once
//! their lengths are known to be harmless.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, OffsetSizeTrait, StringArray, UInt64Array,
    make_array, new_empty_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use arrow_select::dictionary::garbage_collect_any_dictionary;
use bytes::Bytes;
use indicatif::ProgressBar;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::block::{Block, Layout, MAX_RECORD, Records, Source, Take, Wanted};
use super::malformed::{printable, quoted};
use super::parsed::{Kept, Reading};
use super::source::{Part, cannot};

/// The maximum number of rows of a block: about as many positions as a block of text has.
const ROWS: usize = 512;
/// The maximum number of bytes of the rows of a block, unless it is a single row.
const BLOCK: usize = 512 << 10;
/// The maximum numbers of rows and bytes of a range. Blocks are slices of a range.
const RANGE_ROWS: u64 = 1 << 16;
const RANGE: usize = 24 << 20;
/// The largest page, compressed and decompressed together.
const MAX_PAGE: u64 = 64 << 20;
/// The largest number of values of a row, or of a page of lists.
const MAX_VALUES: u64 = 1 << 20;
/// The largest description of a file that is read, in bytes.
const MAX_FOOTER: u64 = 16 << 20;

/// Opens a file and reads its description.
fn open(file: File) -> Result<(Guard, ArrowReaderMetadata)> {
    let length = file.metadata()?.len();
    let guard = Guard { file: Arc::new(file), watch: Arc::default() };
    let mut footer = Vec::new();
    guard.file.get_read(length.saturating_sub(8)).and_then(|mut end| Ok(end.read_to_end(&mut footer)?))?;
    let footer = footer.first_chunk().map_or(0, |&size| u32::from_le_bytes(size));
    if u64::from(footer) > MAX_FOOTER && u64::from(footer) < length {
        bail!("its footer has {footer} bytes, at most {MAX_FOOTER} are read");
    }
    let metadata = quietly(|| ArrowReaderMetadata::load(&guard, ArrowReaderOptions::new()))??;
    Ok((guard, metadata))
}

/// The number of rows and of compressed bytes of each row group.
pub fn row_groups(path: &Path, file: File) -> Result<Vec<(u64, u64)>> {
    let (_, metadata) = open(file).with_context(|| cannot_read(path))?;
    let sizes = |group: &RowGroupMetaData| (row_count(group), u64::try_from(group.compressed_size()).unwrap_or(0));
    Ok(metadata.metadata().row_groups().iter().map(sizes).collect())
}

fn cannot_read(path: &Path) -> String {
    format!("{} as Parquet", cannot("read", path))
}

/// The number of rows of a row group.
fn row_count(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// Reads a file, or some row groups of it.
pub fn read(part: &Part, file: File, wanted: &Wanted, bar: &ProgressBar, take: Take<'_>) -> Result<()> {
    let name = part.path.display().to_string();
    let name = name.as_str();
    let cannot_read = || cannot_read(&part.path);
    let length = file.metadata().with_context(cannot_read)?.len();
    let before = bar.position();
    let (guard, metadata) = open(file).with_context(cannot_read)?;
    let fields = metadata.schema().fields().clone();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let column = wanted.find(&names).ok_or_else(|| wanted.missing(&names, name))?;
    let (kept, kept_names) = wanted.kept(&names, name)?;
    let with_views = |is_position| -> Result<ArrowReaderMetadata> {
        let views: Fields = fields.iter().map(|field| with_views(field, is_position)).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(views)));
        let metadata = quietly(|| ArrowReaderMetadata::try_new(metadata.metadata().clone(), options));
        metadata.and_then(|done| Ok(done?)).with_context(cannot_read)
    };
    let metadata = with_views(true)?;
    let kind = match metadata.schema().field(column).data_type() {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        found => bail!("{}, column {}: expected text, found {found}", printable(name), quoted(names[column])),
    };
    let mut columns = vec![Column { place: column, kind, metadata }];
    let metadata = with_views(false)?;
    columns.extend(kept.iter().map(|&place| {
        let kind = fields[place].data_type().clone();
        Column { place, kind, metadata: metadata.clone() }
    }));
    let layout = Layout::Parquet {
        name: names[column].to_owned(),
        kept: kept.iter().map(|&place| fields[place].clone()).collect(),
    };
    let source = Arc::new(Source { name: name.to_owned(), index: part.index, layout, kept: kept_names });
    let table = Table { guard, metadata: metadata.metadata().clone(), columns };
    let all = table.metadata.row_groups();
    let groups = part.groups.clone().unwrap_or(0..all.len());
    let Some(wanted) = all.get(groups.clone()) else { bail!("{}: it has fewer row groups than before", cannot_read()) };
    let sum = wanted.iter().map(row_count).sum::<u64>().max(1);
    let start = 1 + all[..groups.start].iter().map(row_count).sum::<u64>();
    let (mut first, mut is_first) = (start, true);
    for group in groups {
        let chunks = table.chunks(group).with_context(cannot_read)?;
        let rows = row_count(&all[group]);
        let mut at = 0;
        while at < rows {
            let range = table.range(group, &chunks, at, rows).with_context(cannot_read)?;
            is_first = false;
            for _ in 0..range.too_long {
                take(Block { source: source.clone(), first, records: Records::TooLong })?;
                first += 1;
            }
            let mut done = 0;
            while done < range.sizes.len() {
                let mut bytes = 0;
                let fits = |&&size: &&usize| {
                    bytes += size;
                    bytes <= BLOCK
                };
                let next = range.sizes[done..].iter().take(ROWS).take_while(fits).count().max(1);
                let mut slices = range.arrays.iter().map(|array| match array.slice(done, next) {
                    // Of a dictionary, a block has only what it needs.
                    slice if matches!(slice.data_type(), DataType::Dictionary(..)) => {
                        converted(&slice, slice.data_type())
                    }
                    slice => Ok(slice),
                });
                let positions = slices.next().expect("the first column has them")?;
                let records = Records::Rows(positions, slices.collect::<Result<_>>()?);
                take(Block { source: source.clone(), first, records })?;
                (done, first) = (done + next, first + next as u64);
            }
            at += range.too_long + range.sizes.len() as u64;
            // Which bytes were read is not told, so they are taken to be spread evenly over the rows.
            let share = (first - start) as f64 / sum as f64;
            bar.set_position(before + (length as f64 * share) as u64);
        }
    }
    // The columns to keep are told even if there are no rows.
    if is_first {
        let records = Records::Rows(new_empty_array(&table.columns[0].kind), empty(&source));
        take(Block { source, first, records })?;
    }
    Ok(())
}

/// Reads the rows of a block, whose column of positions has this name.
pub fn rows(reading: &mut Reading<'_>, name: &str, fields: &Fields) {
    let (first, none) = (reading.block.first, empty(&reading.block.source));
    let (positions, kept) = match &reading.block.records {
        Records::Rows(positions, kept) => (Some(positions), kept),
        _ => (None, &none),
    };
    let length = positions.map_or(0, |positions| positions.len());
    for row in 0..length {
        if reading.is_done() {
            break;
        }
        let text = positions.filter(|positions| positions.is_valid(row)).map(|positions| match positions.data_type() {
            DataType::Binary => positions.as_binary::<i32>().value(row),
            _ => positions.as_string::<i32>().value(row).as_bytes(),
        });
        let number = first + row as u64;
        match text {
            Some(text) => _ = reading.push(text, number, Some(name)),
            None => reading.malformed(number, format_args!("field {}, expected a position, found null", quoted(name))),
        }
    }
    let rows: UInt64Array = reading.parsed.lines.iter().map(|line| line - first).collect();
    let keep = |array: &ArrayRef| {
        let all = rows.len() == array.len();
        if all { array.clone() } else { arrow_select::take::take(array, &rows, None).expect("rows exist") }
    };
    reading.parsed.kept =
        fields.iter().zip(kept).map(|(field, array)| Kept::Array(field.clone(), keep(array))).collect();
}

/// The columns to keep of no rows.
fn empty(source: &Source) -> Vec<ArrayRef> {
    match &source.layout {
        Layout::Parquet { kept, .. } => kept.iter().map(|field| new_empty_array(field.data_type())).collect(),
        _ => Vec::new(),
    }
}

/// The same field, its texts as views. Dictionaries are read as they are, unless the field has the positions.
fn with_views(field: &FieldRef, is_position: bool) -> FieldRef {
    let inner = |field| with_views(field, false);
    let kind = match field.data_type() {
        DataType::Dictionary(_, value) if is_position => value,
        kind => kind,
    };
    let kind = match kind {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(inner(field), *length),
        DataType::Map(field, sorted) => DataType::Map(inner(field), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        other => other.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(kind))
}

/// The first rows of an array, with the type that they are to have, and none of their texts in the pages that they were
/// read from.
fn owned(array: &ArrayRef, rows: usize, kind: &DataType) -> Result<ArrayRef> {
    let first = UInt64Array::from_iter_values(0..rows as u64);
    // This takes only the needed values of lists. It does not copy texts.
    let array = if rows < array.len() { &arrow_select::take::take(array, &first, None)? } else { array };
    converted(array, kind)
}

/// The array with the type that it is to have, its texts copied.
fn converted(array: &dyn Array, kind: &DataType) -> Result<ArrayRef> {
    let fields: &[FieldRef] = match kind {
        DataType::Utf8 => return Ok(Arc::new(array.as_string_view().iter().collect::<StringArray>())),
        DataType::LargeUtf8 => return Ok(Arc::new(array.as_string_view().iter().collect::<LargeStringArray>())),
        DataType::Utf8View => return Ok(Arc::new(array.as_string_view().gc())),
        DataType::Binary => return Ok(Arc::new(array.as_binary_view().iter().collect::<BinaryArray>())),
        DataType::LargeBinary => return Ok(Arc::new(array.as_binary_view().iter().collect::<LargeBinaryArray>())),
        DataType::BinaryView => return Ok(Arc::new(array.as_binary_view().gc())),
        DataType::Dictionary(..) => return Ok(garbage_collect_any_dictionary(array.as_any_dictionary())?),
        DataType::List(field) | DataType::LargeList(field) => slice::from_ref(field),
        DataType::FixedSizeList(field, _) | DataType::Map(field, _) => slice::from_ref(field),
        DataType::Struct(fields) => fields,
        _ => return Ok(array.slice(0, array.len())),
    };
    let data = array.to_data();
    let children = fields.iter().zip(data.child_data());
    let children =
        children.map(|(field, child)| Ok(converted(&make_array(child.clone()), field.data_type())?.to_data()));
    let children = children.collect::<Result<_>>()?;
    Ok(make_array(data.into_builder().data_type(kind.clone()).child_data(children).build()?))
}

/// How many bytes the values of each row take, and `each` for every row and every value of a list.
pub fn sizes(array: &dyn Array, each: usize) -> Vec<usize> {
    fn sums<T: OffsetSizeTrait>(offsets: &OffsetBuffer<T>, values: &dyn Array, each: usize) -> Vec<usize> {
        // Blocks are slices of larger arrays, of which only their part counts.
        let (start, end) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
        let mut sizes = sizes(&values.slice(start, end - start), each).into_iter();
        offsets.lengths().map(|length| sizes.by_ref().take(length).sum()).collect()
    }
    let mut sizes = match array.data_type() {
        // The length of a text is the lower half of its view.
        DataType::Utf8View => array.as_string_view().views().iter().map(|&view| view as u32 as usize).collect(),
        DataType::BinaryView => array.as_binary_view().views().iter().map(|&view| view as u32 as usize).collect(),
        DataType::List(_) => sums(array.as_list::<i32>().offsets(), array.as_list::<i32>().values(), each),
        DataType::LargeList(_) => sums(array.as_list::<i64>().offsets(), array.as_list::<i64>().values(), each),
        DataType::Map(..) => sums(array.as_map().offsets(), array.as_map().entries(), each),
        DataType::FixedSizeList(_, length) => {
            let (sizes, length) = (sizes(array.as_fixed_size_list().values(), each), *length as usize);
            (0..array.len()).map(|row| sizes[row * length..][..length].iter().sum()).collect()
        }
        DataType::Struct(_) => {
            let mut sum = vec![0; array.len()];
            for column in array.as_struct().columns() {
                sum.iter_mut().zip(sizes(column, each)).for_each(|(sum, size)| *sum += size);
            }
            sum
        }
        // All rows are null, if there are any.
        DataType::Dictionary(..) if array.as_any_dictionary().values().is_empty() => vec![0; array.len()],
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let (keys, sizes) = (array.normalized_keys(), sizes(array.values(), each));
            keys.into_iter().map(|key| sizes.get(key).copied().unwrap_or(0)).collect()
        }
        DataType::Utf8 => array.as_string::<i32>().offsets().lengths().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().lengths().collect(),
        DataType::Binary => array.as_binary::<i32>().offsets().lengths().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().offsets().lengths().collect(),
        DataType::FixedSizeBinary(width) => vec![*width as usize; array.len()],
        kind => vec![kind.primitive_width().unwrap_or(1); array.len()],
    };
    sizes.iter_mut().for_each(|size| *size += each);
    sizes
}

/// What is to be read of a file.
struct Table {
    guard: Guard,
    metadata: Arc<ParquetMetaData>,
    /// The columns, that of the positions first.
    columns: Vec<Column>,
}

/// A column to read.
struct Column {
    /// Its place in the file.
    place: usize,
    /// The type that it is to have.
    kind: DataType,
    /// The schema to read it with.
    metadata: ArrowReaderMetadata,
}

/// What the headers of the pages tell of a part of a file.
#[derive(Default)]
struct Chunks {
    /// The rows whose pages are too large, from and to.
    too_large: Vec<(u64, u64)>,
    columns: Vec<Chunk>,
}

/// The same of a column.
#[derive(Default)]
struct Chunk {
    /// How many bytes a row takes on average.
    row: f64,
    /// How many values a row has on average, if it can have many.
    values: f64,
    /// How many rows can be read at a time without knowing how long they are.
    batch: usize,
    /// The pages of lists.
    lists: Arc<Vec<List>>,
}

/// The pages of a leaf with lists, whose rows can end in any page.
#[derive(Default)]
struct List {
    /// Where pages begin, and how many values there are before them; several small pages count as one.
    pages: Vec<(u64, u64)>,
    /// How many values there are.
    values: u64,
    /// How many of them had been read after the rows before, and have been now.
    before: AtomicU64,
    read: AtomicU64,
}

/// Some rows.
#[derive(Default)]
struct Range {
    /// So many rows were too long, and none was read.
    too_long: u64,
    arrays: Vec<ArrayRef>,
    /// The sizes of the rows.
    sizes: Vec<usize>,
}

impl Table {
    /// Looks at the headers of all pages of a row group.
    fn chunks(&self, group: usize) -> Result<Chunks> {
        let (group, schema) = (self.metadata.row_group(group), self.metadata.file_metadata().schema_descr());
        let rows = row_count(group);
        let mut chunks = Chunks::default();
        for &Column { place: column, .. } in &self.columns {
            let mut all = Chunk { batch: usize::MAX, ..Chunk::default() };
            let mut lists = Vec::new();
            for leaf in (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == column) {
                let (chunk, is_list) = (group.column(leaf), schema.column(leaf).max_rep_level() > 0);
                let mut reader = SerializedPageReader::new(Arc::new(self.guard.clone()), chunk, rows as usize, None)?;
                let (mut list, mut bytes, mut largest) = (List::default(), 0, 0);
                while let Some(page) = quietly(|| reader.peek_next_page())?? {
                    let (offset, size) = self.guard.watch().header;
                    let size = size.unwrap_or(chunk.uncompressed_size().unsigned_abs());
                    (bytes, largest) = (bytes + size, largest.max(size));
                    let values = page.num_levels.unwrap_or(0) as u64;
                    if size > MAX_PAGE || is_list && values > MAX_VALUES {
                        // Which rows of a list are in a page is not told, and a dictionary is needed for all.
                        let is_all = is_list || page.is_dict;
                        chunks.too_large.push(if is_all { (0, rows) } else { (list.values, list.values + values) });
                    }
                    if is_list && list.pages.last().is_none_or(|&(_, before)| list.values - before >= MAX_VALUES / 16) {
                        list.pages.push((offset, list.values));
                    }
                    list.values += values;
                    quietly(|| reader.skip_next_page())??;
                }
                let width = match chunk.column_type() {
                    Type::BOOLEAN => 1,
                    Type::INT32 | Type::FLOAT => 4,
                    Type::INT64 | Type::DOUBLE | Type::INT96 => 8,
                    Type::FIXED_LEN_BYTE_ARRAY => schema.column(leaf).type_length().unsigned_abs().into(),
                    Type::BYTE_ARRAY => 16 + bytes / list.values.max(1),
                };
                let values = list.values as f64 / rows.max(1) as f64;
                all.row += width as f64 * values;
                // Each value of this encoding can be as long as the page.
                if chunk.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY) {
                    all.batch = all.batch.min((RANGE as u64 / largest.max(1)).max(1) as usize);
                }
                if is_list {
                    all.values += values;
                    lists.push(list);
                }
            }
            all.lists = Arc::new(lists);
            chunks.columns.push(all);
        }
        Ok(chunks)
    }

    /// Reads some rows of a row group of so many rows.
    fn range(&self, group: usize, chunks: &Chunks, from: u64, rows: u64) -> Result<Range> {
        let mut end = rows.min(from + RANGE_ROWS);
        for &(start, stop) in &chunks.too_large {
            if (start..stop).contains(&from) {
                return Ok(Range { too_long: stop.min(rows) - from, ..Range::default() });
            } else if start > from {
                end = end.min(start);
            }
        }
        let row: f64 = chunks.columns.iter().map(|chunk| chunk.row).sum();
        let values = chunks.columns.iter().map(|chunk| chunk.values).fold(0.0, f64::max);
        let fits = (RANGE as f64 / row.max(1.0)).min(MAX_VALUES as f64 / 4.0 / values.max(1.0)) as u64;
        let mut range = Range { sizes: vec![0; (end - from).min(fits.max(1)) as usize], ..Range::default() };
        for (place, chunk) in chunks.columns.iter().enumerate() {
            let before = range.sizes.clone();
            let array = loop {
                match self.column(place, group, chunk, from, &mut range.sizes) {
                    Err(_) if range.sizes.len() > 1 && self.guard.watch().exceeded => {
                        let fewer = (range.sizes.len() / 8).max(1);
                        range.sizes = before[..fewer].to_vec();
                    }
                    array => break array?,
                }
            };
            let too_long = range.sizes.iter().take_while(|&&size| size > MAX_RECORD).count();
            if too_long > 0 {
                return Ok(Range { too_long: too_long as u64, ..Range::default() });
            }
            range.arrays.push(array);
        }
        Ok(range)
    }

    /// Reads rows of a column, and adds their sizes to those of the columns before. Ends before the first row that is too
    /// long, and where the rows become too many. If the first row is too long, only the sizes of such rows are left.
    fn column(&self, place: usize, group: usize, chunk: &Chunk, from: u64, all: &mut Vec<usize>) -> Result<ArrayRef> {
        let column = &self.columns[place];
        let schema = self.metadata.file_metadata().schema_descr();
        self.guard.watch_lists(&chunk.lists);
        let selected = vec![RowSelector::skip(from as usize), RowSelector::select(all.len())];
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.guard.clone(), column.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(ProjectionMask::roots(schema, [column.place]))
            .with_row_selection(RowSelection::from(selected))
            .with_batch_size(chunk.batch.min(all.len()));
        let mut reader = quietly(|| builder.build())??;
        let (mut arrays, mut row, mut sum) = (Vec::new(), 0, 0);
        while row < all.len() {
            let Some(batch) = quietly(|| reader.next())? else { bail!("it has fewer rows than it says") };
            let array = batch?.column(0).clone();
            let start = row;
            for size in sizes(&array, 0).into_iter().take(all.len() - start) {
                all[row] += size;
                row += 1;
            }
            let fits = |&&size: &&usize| {
                sum += size;
                size <= MAX_RECORD && sum <= RANGE
            };
            let good = all[start..row].iter().take_while(fits).count();
            if good < row - start {
                let long = all[..row].iter().take_while(|&&size| size > MAX_RECORD).count();
                all.truncate(if start + good == 0 { long } else { start + good });
            }
            arrays.push(owned(&array, good, &column.kind)?);
        }
        chunk.lists.iter().for_each(|list| list.before.store(list.read.load(Relaxed), Relaxed));
        let arrays: Vec<&dyn Array> = arrays.iter().map(|array| array.as_ref()).collect();
        Ok(arrow_select::concat::concat(&arrays)?)
    }
}

/// A file, and what is asked of it.
#[derive(Clone)]
struct Guard {
    file: Arc<File>,
    watch: Arc<Mutex<Watch>>,
}

#[derive(Default)]
struct Watch {
    /// Where the last header of a page was, and how many bytes the page takes, compressed and decompressed together.
    header: (u64, Option<u64>),
    /// Lists being read.
    lists: Arc<Vec<List>>,
    /// Too many values of them were asked for.
    exceeded: bool,
}

impl Guard {
    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what is read of these lists from now on.
    fn watch_lists(&self, lists: &Arc<Vec<List>>) {
        let mut watch = self.watch();
        (watch.lists, watch.exceeded) = (lists.clone(), false);
    }
}

impl Length for Guard {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Guard {
    type T = io::Chain<Cursor<Vec<u8>>, <File as ChunkReader>::T>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let (mut read, mut head) = (self.file.get_read(start)?, Vec::new());
        read.by_ref().take(32).read_to_end(&mut head)?;
        self.watch().header = (start, page_size(&head));
        Ok(Cursor::new(head).chain(read))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut watch = self.watch();
        let begins = |list: &&List| list.pages.first().is_some_and(|&(offset, _)| offset <= start);
        if let Some(list) = watch.lists.iter().filter(begins).max_by_key(|list| list.pages[0].0) {
            let next = list.pages.partition_point(|&(offset, _)| offset <= start);
            let read = list.pages.get(next).map_or(list.values, |&(_, before)| before);
            list.read.fetch_max(read, Relaxed);
            if read > list.before.load(Relaxed) + MAX_VALUES + MAX_VALUES / 16 {
                watch.exceeded = true;
                return Err(ParquetError::General(format!("a row has more than {MAX_VALUES} values")));
            }
        }
        self.file.get_bytes(start, length)
    }
}

/// How many bytes a page takes, compressed and decompressed together: the second and third number of its header, which
/// is a struct in Thrift's compact protocol. See <https://parquet.apache.org/docs/file-format/>.
fn page_size(mut header: &[u8]) -> Option<u64> {
    let mut number = || {
        // The next field, a number of 32 bits.
        header = header.strip_prefix(b"\x15")?;
        let end = header.iter().position(|&byte| byte < 0x80)?;
        let digits = header[..=end].iter().rev();
        let zigzag = digits.fold(0_u64, |number, &byte| number << 7 | u64::from(byte & 0x7f));
        header = &header[end + 1..];
        Some(zigzag >> 1)
    };
    number()?;
    Some(number()? + number()?)
}

/// Does what may panic without a word of it: the readers of some encodings do so where lengths are wrong.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                hook(info)
            }
        }));
    });
    QUIET.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| anyhow!("it is damaged"));
    QUIET.set(false);
    done
}
