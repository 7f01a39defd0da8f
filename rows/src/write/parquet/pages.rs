//! Pages of one column, encoded part by part before the row group is complete.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::ZSTD_LEVEL;

/// The pages of a part of a column.
#[derive(Debug, Default)]
pub struct WrittenPages {
    bytes: Vec<u8>,
    /// The number of bytes and of rows of each page.
    pages: Vec<(usize, usize)>,
    /// How many values and nulls they have.
    values: usize,
    /// How many bytes they would take without compression.
    uncompressed: usize,
    /// The largest value, if values are indices into the dictionary 0, 1, 2, …
    largest: Option<u8>,
}

impl WrittenPages {
    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// A writer of the pages of a part.
pub struct PagesWriter<'a> {
    compressor: &'a mut Compressor<'static>,
    sink: TrackedWrite<Vec<u8>>,
    pages: WrittenPages,
}

impl PagesWriter<'_> {
    /// Begins without pages. `largest` is the largest value, if values are indices into a dictionary.
    pub fn new<'a>(compressor: &'a mut Compressor<'static>, largest: Option<u8>) -> PagesWriter<'a> {
        let pages = WrittenPages { largest, ..WrittenPages::default() };
        PagesWriter { compressor, sink: TrackedWrite::new(Vec::new()), pages }
    }

    /// Compresses and writes a page with this many rows, and this many values and nulls.
    ///
    /// # Errors
    ///
    /// The compressor fails.
    pub fn push(&mut self, page: &[u8], rows: usize, values: usize) -> Result<()> {
        let encoding = if self.pages.largest.is_some() { Encoding::RLE_DICTIONARY } else { Encoding::PLAIN };
        let bytes = self.write(page, |buf| Page::DataPage {
            buf,
            num_values: values as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })?;
        self.pages.pages.push((bytes, rows));
        self.pages.values += values;
        Ok(())
    }

    /// Compresses and writes these bytes as a page, and returns how many bytes it takes.
    fn write(&mut self, bytes: &[u8], page: impl FnOnce(Bytes) -> Page) -> Result<usize> {
        let before = self.sink.bytes_written();
        let compressed = self.compressor.compress(bytes)?;
        let page = CompressedPage::new(page(compressed.into()), bytes.len());
        self.pages.uncompressed += SerializedPageWriter::new(&mut self.sink).write_page(page)?.uncompressed_size;
        Ok(self.sink.bytes_written() - before)
    }

    /// The pages, which take no more memory than they need.
    ///
    /// # Errors
    ///
    /// None: memory can be written.
    pub fn finish(self) -> Result<WrittenPages> {
        let mut bytes = self.sink.into_inner()?;
        bytes.shrink_to_fit();
        Ok(WrittenPages { bytes, ..self.pages })
    }
}

/// Joins the parts of a column to a column chunk.
///
/// # Errors
///
/// The compressor fails.
pub fn join(column: &ColumnDescPtr, parts: &[WrittenPages]) -> Result<(Bytes, ColumnCloseResult)> {
    let largest = parts.iter().filter_map(|part| part.largest).max();
    let mut dictionary = WrittenPages::default();
    if let Some(largest) = largest {
        let mut compressor = Compressor::new(ZSTD_LEVEL)?;
        let mut writer = PagesWriter::new(&mut compressor, None);
        let entries: Vec<u8> = (0..=i32::from(largest)).flat_map(i32::to_le_bytes).collect();
        let num_values = u32::from(largest) + 1;
        writer.write(&entries, |buf| Page::DictionaryPage {
            buf,
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: true,
        })?;
        dictionary = writer.finish()?;
    }
    let mut bytes = Vec::with_capacity(dictionary.bytes() + parts.iter().map(WrittenPages::bytes).sum::<usize>());
    bytes.extend_from_slice(&dictionary.bytes);
    let (mut index, mut pages, mut rows_written) = (OffsetIndexBuilder::new(), 0, 0);
    for part in parts {
        let mut start = bytes.len();
        bytes.extend_from_slice(&part.bytes);
        for &(length, rows) in &part.pages {
            index.append_row_count(rows as i64);
            index.append_offset_and_size(start as i64, length as i32);
            start += length;
            (pages, rows_written) = (pages + 1, rows_written + rows as u64);
        }
    }

    let stats = |page_type, encoding, count| PageEncodingStats { page_type, encoding, count };
    let (encodings, page_stats) = if largest.is_some() {
        let dictionary = stats(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1);
        let data = stats(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, pages);
        (vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY], vec![dictionary, data])
    } else {
        (vec![Encoding::PLAIN, Encoding::RLE], vec![stats(PageType::DATA_PAGE, Encoding::PLAIN, pages)])
    };
    let sum = |number: fn(&WrittenPages) -> usize| parts.iter().map(number).sum::<usize>() as i64;
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_encodings(encodings)
        .set_page_encoding_stats(page_stats)
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(dictionary.uncompressed as i64 + sum(|part| part.uncompressed))
        .set_num_values(sum(|part| part.values))
        .set_data_page_offset(dictionary.bytes() as i64)
        .set_dictionary_page_offset(largest.map(|_| 0))
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: Some(index.build()),
    };
    Ok((bytes.into(), close))
}

/// The rows of blocks, one after the other: nothing for those that are null, whose places are in ascending order.
pub fn rows<'a, T: 'a>(blocks: impl Iterator<Item = (&'a [T], &'a [usize])>) -> impl Iterator<Item = Option<&'a T>> {
    blocks.flat_map(|(rows, nulls)| {
        let mut nulls = nulls.iter().peekable();
        rows.iter().enumerate().map(move |(at, row)| nulls.next_if(|&&null| null == at).is_none().then_some(row))
    })
}

/// Begins a run of packed values, this many times eight.
pub fn packed(eights: usize, out: &mut Vec<u8>) {
    varint(eights << 1 | 1, out);
}

/// Writes a run of one value, which takes at most a byte.
pub fn repeat(count: usize, value: u8, out: &mut Vec<u8>) {
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

/// Puts levels, with their length, at the end of a page.
pub fn levels(levels: &mut Vec<u8>, page: &mut Vec<u8>) {
    page.extend((levels.len() as u32).to_le_bytes());
    page.append(levels);
}

#[cfg(test)]
pub mod tests {
    use std::sync::Arc;

    use arrow_array::RecordBatch;
    use arrow_schema::{Field, Schema};
    use arrow_select::concat::concat_batches;
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::arrow::arrow_reader::{
        ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
    };
    use parquet::file::metadata::PageIndexPolicy;
    use parquet::file::writer::SerializedFileWriter;

    use super::*;

    /// Writes the parts of a column as a file, and reads it with the reader of the crate.
    pub fn round_trip(field: Field, encode: impl FnOnce(&ColumnDescPtr) -> Vec<WrittenPages>) -> RecordBatch {
        let schema = ArrowSchemaConverter::new().convert(&Schema::new(vec![field])).unwrap();
        let column = &schema.columns()[0];
        let mut file = SerializedFileWriter::new(Vec::new(), schema.root_schema_ptr(), Arc::default()).unwrap();
        let (bytes, close) = join(column, &encode(column)).unwrap();
        let mut group = file.next_row_group().unwrap();
        group.append_column(&bytes, close).unwrap();
        group.close().unwrap();
        let file = Bytes::from(file.into_inner().unwrap());
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Required);
        let reader = || ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options.clone()).unwrap();
        let read = |reader: ParquetRecordBatchReaderBuilder<Bytes>| {
            let schema = reader.schema().clone();
            let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
            concat_batches(&schema, &batches).unwrap()
        };
        let all = read(reader());
        // The index of pages leads to the last row.
        let before = all.num_rows() - 1;
        let last = RowSelection::from(vec![RowSelector::skip(before), RowSelector::select(1)]);
        assert_eq!(read(reader().with_row_selection(last)), all.slice(before, 1));
        all
    }

    /// Random numbers, with the multiplier of Knuth.
    pub fn random() -> impl FnMut() -> u64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state >> 33
        }
    }
}
