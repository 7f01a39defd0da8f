//! The survey of pages: the headers of all pages of a row group are looked at before anything is decompressed.

use std::sync::Arc;

use anyhow::Result;
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageReader;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use super::guard::{ListPages, MAX_VALUES, PageGuard, quietly};

/// The maximum number of bytes of a range of rows that is read at a time.
pub const RANGE: usize = 24 << 20;
/// The largest page, compressed and decompressed together, in bytes.
const MAX_PAGE: u64 = 64 << 20;

/// What the headers of the pages tell of a row group.
#[derive(Default)]
pub struct GroupSurvey {
    /// The rows whose pages are too large, from and to, counted from 0.
    pub too_large: Vec<(u64, u64)>,
    /// The columns, in the order in which they were asked for.
    pub columns: Vec<ColumnSurvey>,
}

/// The same of a column.
pub struct ColumnSurvey {
    /// How many bytes a row takes on average.
    pub row: f64,
    /// How many values a row has on average, if it can have many.
    pub values: f64,
    /// How many rows can be read at a time without knowing how long they are.
    pub batch: usize,
    /// The pages of lists.
    pub lists: Arc<Vec<ListPages>>,
}

/// The same of a leaf: a column without nested ones.
struct LeafSurvey {
    list: ListPages,
    /// How many bytes the pages take, compressed and decompressed together, and the largest of them.
    bytes: u64,
    largest: u64,
}

/// The number of rows of a row group.
pub fn row_count(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// Looks at the headers of all pages of some columns, which are named by their places, in a row group.
pub fn survey(
    guard: &PageGuard,
    metadata: &ParquetMetaData,
    group: usize,
    columns: impl Iterator<Item = usize>,
) -> Result<GroupSurvey> {
    let (group, schema) = (metadata.row_group(group), metadata.file_metadata().schema_descr());
    let rows = row_count(group);
    let mut found = GroupSurvey::default();
    for column in columns {
        let mut all = ColumnSurvey { row: 0.0, values: 0.0, batch: usize::MAX, lists: Arc::default() };
        let mut lists = Vec::new();
        for leaf in (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == column) {
            let (chunk, description) = (group.column(leaf), schema.column(leaf));
            let is_list = description.max_rep_level() > 0;
            let LeafSurvey { list, bytes, largest } = survey_leaf(guard, chunk, rows, is_list, &mut found.too_large)?;
            let values = list.values as f64 / rows.max(1) as f64;
            all.row += width(chunk, &description, bytes, list.values) as f64 * values;
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
        found.columns.push(all);
    }
    Ok(found)
}

/// Looks at the headers of all pages of a leaf, and adds the rows whose pages are too large.
fn survey_leaf(
    guard: &PageGuard,
    chunk: &ColumnChunkMetaData,
    rows: u64,
    is_list: bool,
    too_large: &mut Vec<(u64, u64)>,
) -> Result<LeafSurvey> {
    let mut reader = SerializedPageReader::new(Arc::new(guard.clone()), chunk, rows as usize, None)?;
    let (mut list, mut bytes, mut largest) = (ListPages::default(), 0, 0);
    while let Some(page) = quietly(|| reader.peek_next_page())?? {
        let (offset, size) = guard.watch().header;
        let size = size.unwrap_or(chunk.uncompressed_size().unsigned_abs());
        (bytes, largest) = (bytes + size, largest.max(size));
        let values = page.num_levels.unwrap_or(0) as u64;
        if size > MAX_PAGE || is_list && values > MAX_VALUES {
            // Which rows of a list are in a page is not told, and a dictionary is needed for all.
            let is_all = is_list || page.is_dict;
            too_large.push(if is_all { (0, rows) } else { (list.values, list.values + values) });
        }
        if is_list && list.pages.last().is_none_or(|&(_, before)| list.values - before >= MAX_VALUES / 16) {
            list.pages.push((offset, list.values));
        }
        list.values += values;
        quietly(|| reader.skip_next_page())??;
    }
    Ok(LeafSurvey { list, bytes, largest })
}

/// How many bytes a value of a leaf takes on average, by the number of values and their bytes in the file.
fn width(chunk: &ColumnChunkMetaData, leaf: &ColumnDescriptor, bytes: u64, values: u64) -> u64 {
    match chunk.column_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE | Type::INT96 => 8,
        Type::FIXED_LEN_BYTE_ARRAY => leaf.type_length().unsigned_abs().into(),
        // A text is read as a view of 16 bytes into its page.
        Type::BYTE_ARRAY => 16 + bytes / values.max(1),
    }
}
