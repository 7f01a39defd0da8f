//! Column chunks of numbers per square: lists of 64 numbers below 128.
//!
//! The writer of Arrow arrays makes a repetition level, a definition level and a dictionary index of each number, one by one.
//! But the levels of lists of one length are a pattern, and small numbers are indices into the dictionary 0, 1, 2, … So
//! this writes whole runs of levels, and packs eight indices at a time.
//!
//! Source: the encodings of Apache Parquet, <https://parquet.apache.org/docs/file-format/data-pages/encodings/>.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::{PAGE_ROWS, ZSTD_LEVEL};

/// The numbers of a row.
type Row = [u8; 64];

/// The numbers of a block of rows, and which of the rows are null, in ascending order.
pub type Rows = (Vec<Row>, Arc<[usize]>);

/// Encodes the rows of these blocks as a column chunk.
///
/// # Errors
///
/// The compressor fails.
pub fn encode(column: &ColumnDescPtr, blocks: &[Rows]) -> Result<(Bytes, ColumnCloseResult)> {
    let largest =
        blocks.iter().flat_map(|(rows, _)| rows.as_flattened()).fold(0, |largest, &number| largest.max(number));
    let mut chunk =
        Chunk { compressor: Compressor::new(ZSTD_LEVEL)?, sink: TrackedWrite::new(Vec::new()), uncompressed: 0 };
    let dictionary: Vec<u8> = (0..=i32::from(largest)).flat_map(i32::to_le_bytes).collect();
    let entries = u32::from(largest) + 1;
    let buffer = |buf| Page::DictionaryPage { buf, num_values: entries, encoding: Encoding::PLAIN, is_sorted: true };
    chunk.write(&dictionary, buffer)?;
    let data_page_offset = chunk.sink.bytes_written();

    // One bit at least: not all readers know indices of none.
    let width = (u8::BITS - largest.leading_zeros()).max(1);
    let (mut pages, mut rows_written, mut num_values) = (0, 0, 0);
    let mut index = OffsetIndexBuilder::new();
    let mut builder = PageBuilder::new(column, width);
    let mut rows = blocks.iter().flat_map(|(rows, nulls)| {
        let mut nulls = nulls.iter().peekable();
        rows.iter().enumerate().map(move |(at, row)| nulls.next_if(|&&null| null == at).is_none().then_some(row))
    });
    loop {
        rows.by_ref().take(PAGE_ROWS).for_each(|row| builder.push(row));
        let (page, rows, values) = builder.finish();
        if rows == 0 {
            break;
        }
        let start = chunk.sink.bytes_written();
        chunk.write(page, |buf| Page::DataPage {
            buf,
            num_values: values as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })?;
        index.append_row_count(rows as i64);
        index.append_offset_and_size(start as i64, (chunk.sink.bytes_written() - start) as i32);
        (pages, rows_written, num_values) = (pages + 1, rows_written + rows as u64, num_values + values as i64);
    }

    let stats = |page_type, encoding, count| PageEncodingStats { page_type, encoding, count };
    let Chunk { sink, uncompressed, .. } = chunk;
    let bytes = Bytes::from(sink.into_inner()?);
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
        .set_page_encoding_stats(vec![
            stats(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1),
            stats(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, pages),
        ])
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(uncompressed)
        .set_num_values(num_values)
        .set_data_page_offset(data_page_offset as i64)
        .set_dictionary_page_offset(Some(0))
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: Some(index.build()),
    };
    Ok((bytes, close))
}

/// A column chunk being written.
struct Chunk {
    compressor: Compressor<'static>,
    sink: TrackedWrite<Vec<u8>>,
    /// How many bytes the pages would take without compression.
    uncompressed: i64,
}

impl Chunk {
    /// Compresses and writes a page of these bytes.
    fn write(&mut self, bytes: &[u8], page: impl FnOnce(Bytes) -> Page) -> Result<()> {
        let compressed = self.compressor.compress(bytes)?;
        let page = CompressedPage::new(page(compressed.into()), bytes.len());
        let written = SerializedPageWriter::new(&mut self.sink).write_page(page)?;
        self.uncompressed += written.uncompressed_size as i64;
        Ok(())
    }
}

/// A data page being put together.
struct PageBuilder {
    /// How many bits an index has.
    width: u32,
    /// The definition level of a number. That of a row that is null is 0.
    defined: u8,
    /// How many rows and levels there are.
    rows: usize,
    values: usize,
    /// The length of the last run of rows, and whether these rows are null.
    run: usize,
    run_is_null: bool,
    repetition: Vec<u8>,
    definition: Vec<u8>,
    indices: Vec<u8>,
    page: Vec<u8>,
}

impl PageBuilder {
    fn new(column: &ColumnDescPtr, width: u32) -> PageBuilder {
        PageBuilder {
            width,
            defined: column.max_def_level() as u8,
            rows: 0,
            values: 0,
            run: 0,
            run_is_null: false,
            repetition: Vec::new(),
            definition: Vec::new(),
            indices: Vec::new(),
            page: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, row: Option<&Row>) {
        if row.is_none() != self.run_is_null {
            self.end_run();
            self.run_is_null = row.is_none();
        }
        self.run += 1;
        self.rows += 1;
        if let Some(row) = row {
            pack(row, self.width, &mut self.indices);
        }
    }

    /// Writes the levels of the last run of rows.
    fn end_run(&mut self) {
        match std::mem::take(&mut self.run) {
            0 => {}
            rows if self.run_is_null => {
                self.values += rows;
                repeat(rows, 0, &mut self.repetition);
                repeat(rows, 0, &mut self.definition);
            }
            rows => {
                self.values += 64 * rows;
                // Each row begins with 0 and goes on with 1, packed eight to a byte.
                packed(8 * rows, &mut self.repetition);
                self.repetition.extend([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff].repeat(rows));
                repeat(64 * rows, self.defined, &mut self.definition);
            }
        }
    }

    /// The bytes of the page, its rows and its levels. The next page begins empty.
    fn finish(&mut self) -> (&[u8], usize, usize) {
        self.end_run();
        self.page.clear();
        for levels in [&mut self.repetition, &mut self.definition] {
            self.page.extend((levels.len() as u32).to_le_bytes());
            self.page.append(levels);
        }
        self.page.push(self.width as u8);
        if !self.indices.is_empty() {
            packed(self.indices.len() / self.width as usize, &mut self.page);
            self.page.append(&mut self.indices);
        }
        let (rows, values) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.values));
        (&self.page, rows, values)
    }
}

/// Begins a run of so many times eight packed values.
fn packed(eights: usize, out: &mut Vec<u8>) {
    varint(eights << 1 | 1, out);
}

/// Writes a run of one value, which takes at most a byte.
fn repeat(count: usize, value: u8, out: &mut Vec<u8>) {
    varint(count << 1, out);
    out.push(value);
}

fn varint(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Packs numbers of at most `width` bits, the first in the lowest bits.
#[inline]
fn pack(row: &Row, width: u32, out: &mut Vec<u8>) {
    /// Eight numbers, of which neighbours are put together: pairs, fours, eights.
    fn eight(numbers: &[u8; 8], width: u32) -> [u8; 8] {
        let bytes = u64::from_le_bytes(*numbers);
        let pairs = bytes & 0x00ff_00ff_00ff_00ff | (bytes & 0xff00_ff00_ff00_ff00) >> (8 - width);
        let fours = pairs & 0x0000_ffff_0000_ffff | (pairs & 0xffff_0000_ffff_0000) >> (16 - 2 * width);
        let eights = fours & 0x0000_0000_ffff_ffff | (fours & 0xffff_ffff_0000_0000) >> (32 - 4 * width);
        eights.to_le_bytes()
    }
    // Each eight overwrites what the one before wrote beyond its end.
    let (mut room, mut at) = ([0; 64], 0);
    for numbers in row.as_chunks::<8>().0 {
        let len = room.len().min(at + 8);
        room[at..len].copy_from_slice(&eight(numbers, width)[..len - at]);
        at += width as usize;
    }
    out.extend_from_slice(&room[..at]);
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt8Type;
    use arrow_array::{Array, RecordBatch};
    use arrow_schema::{DataType, Field, Schema};
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::arrow::arrow_reader::{
        ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
    };
    use parquet::file::metadata::PageIndexPolicy;
    use parquet::file::writer::SerializedFileWriter;

    use super::*;

    /// Writes the rows as a file of one column, and reads them with the reader of the crate.
    fn round_trip(is_nullable: bool, blocks: &[Rows]) -> Vec<Option<Row>> {
        let item = Arc::new(Field::new("item", DataType::UInt8, false));
        let field = Field::new("numbers", DataType::FixedSizeList(item, 64), is_nullable);
        let schema = ArrowSchemaConverter::new().convert(&Schema::new(vec![field])).unwrap();
        let mut file = SerializedFileWriter::new(Vec::new(), schema.root_schema_ptr(), Arc::default()).unwrap();
        let (bytes, close) = encode(&schema.columns()[0], blocks).unwrap();
        let mut group = file.next_row_group().unwrap();
        group.append_column(&bytes, close).unwrap();
        group.close().unwrap();
        let file = Bytes::from(file.into_inner().unwrap());
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Required);
        let reader = || ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options.clone()).unwrap();
        let rows = |batch: RecordBatch| -> Vec<Option<Row>> {
            let lists = batch.column(0).as_list::<i32>();
            let row = |at| lists.value(at).as_primitive::<UInt8Type>().values()[..].try_into().unwrap();
            (0..lists.len()).map(|at| lists.is_valid(at).then(|| row(at))).collect()
        };
        let read = |reader: ParquetRecordBatchReaderBuilder<Bytes>| -> Vec<Option<Row>> {
            reader.build().unwrap().flat_map(|batch| rows(batch.unwrap())).collect()
        };
        let all = read(reader());
        // The index of pages leads to the last row.
        let last = RowSelection::from(vec![RowSelector::skip(all.len() - 1), RowSelector::select(1)]);
        assert_eq!(read(reader().with_row_selection(last)), all[all.len() - 1..]);
        all
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            state >> 33
        };
        // Each number of bits, and pages that are full, nearly empty, or begin and end with rows that are null.
        for largest in [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127] {
            for lengths in [&[1][..], &[0, 3, 0], &[PAGE_ROWS], &[PAGE_ROWS - 1, 1, 1], &[500; 9]] {
                for nulls_in in [0, 1, 2, 9] {
                    let mut blocks = Vec::new();
                    for &length in lengths {
                        let rows: Vec<Row> =
                            (0..length).map(|_| std::array::from_fn(|_| (random() % (largest + 1)) as u8)).collect();
                        let nulls = (0..length).filter(|_| nulls_in > 0 && random() % nulls_in == 0).collect();
                        blocks.push((rows, nulls));
                    }
                    let expected: Vec<Option<Row>> = blocks
                        .iter()
                        .flat_map(|(rows, nulls): &Rows| {
                            rows.iter().enumerate().map(|(at, row)| (!nulls.contains(&at)).then_some(*row))
                        })
                        .collect();
                    assert!(round_trip(nulls_in > 0, &blocks) == expected, "{largest}, {lengths:?}, {nulls_in}");
                }
            }
        }
    }
}
