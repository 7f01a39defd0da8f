//! The survey of pages: the headers of all pages of a row group are looked at before anything is decompressed.

use std::sync::Arc;

use anyhow::{Result, ensure};
use arrow_schema::DataType;
use parquet::basic::{Encoding, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescriptor;

use super::guard::{ListCounter, MAX_VALUES};
use super::pages::{MAX_PAGE, Pages, SharedPages, SparePages};
use super::types::{null_size, weights};
use crate::file::InputFile;

/// The maximum number of bytes of a range of rows that is read at a time.
pub const RANGE: usize = 24 << 20;

/// The maximum number of rows of a range where readers stay open. The memory of such a range is used again for the next one.
pub const OPEN_ROWS: u64 = 1 << 13;

/// The most bytes of the largest pages of all leaves together, compressed and decompressed, that the readers can stay
/// open from range to range. A reader holds a dictionary and another page, so all hold at most twice as much.
const OPEN: u64 = 16 << 20;

/// How many times as long as [`RANGE`] the pages of a column may be that are read at a time, so that rows which are a bit
/// longer than the average of their row group are still read in one batch.
const SKEW: f64 = 2.0;

/// How many bytes of pages show how long the rows are. A single page can be small and have one long text.
const STRETCH: u64 = 1 << 20;

/// The most places in a row group with rows that are too large.
const MAX_GAPS: usize = 1_000;

/// The information from the page headers of a row group.
#[derive(Default)]
pub struct GroupSurvey {
    /// The rows whose pages are too large, from and to, counted from 0: in order, and apart from each other.
    pub too_large: Vec<(u64, u64)>,
    /// The columns, in the order in which they were asked for.
    pub columns: Vec<ColumnSurvey>,
    /// The readers of all columns can stay open from range to range: their pages are small, no rows are so long that few
    /// of them fit, and none has lists.
    pub stays_open: bool,
    /// How many bytes the largest pages of all leaves take together, compressed and decompressed.
    pub largest_pages: u64,
}

/// The survey of a column.
pub struct ColumnSurvey {
    /// How many bytes a row takes on average.
    pub row: f64,
    /// How many values a row has on average, if it can have many.
    pub values: f64,
    /// How many rows can be read at a time without knowing how long they are.
    pub batch: usize,
    /// The number of its first leaf.
    pub first: usize,
    /// For each leaf, what counts the values of lists, and as how many each value counts.
    pub lists: Vec<(Arc<ListCounter>, u64)>,
    /// For each leaf, the pages that several readers need.
    pub shared: Vec<Arc<SharedPages>>,
}

/// The survey of a leaf: a column without nested columns.
#[derive(Default)]
struct LeafSurvey {
    /// How many values it has.
    values: u64,
    /// How many bytes the pages take, compressed and decompressed together, and the largest of them.
    bytes: u64,
    largest: u64,
    /// The most bytes for a value of some pages in a row that take [`STRETCH`] or more.
    densest: f64,
}

/// The number of rows of a row group.
pub fn row_count(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// Looks at the headers of all pages of some columns, given by their places and types, in a row group.
pub fn survey<'a>(
    file: &Arc<InputFile>,
    metadata: &ParquetMetaData,
    group: usize,
    columns: impl Iterator<Item = (usize, &'a DataType)>,
) -> Result<GroupSurvey> {
    let (group, schema) = (metadata.row_group(group), metadata.file_metadata().schema_descr());
    let rows = row_count(group);
    let (mut found, mut has_lists) = (GroupSurvey::default(), false);
    let roots: Vec<usize> = (0..schema.num_columns()).map(|leaf| schema.get_column_root_idx(leaf)).collect();
    for (column, kind) in columns {
        let leaves = roots.partition_point(|&root| root < column)..roots.partition_point(|&root| root <= column);
        let mut leaf_weights = Vec::new();
        weights(kind, false, 1, &mut leaf_weights);
        ensure!(leaf_weights.len() == leaves.len(), "column type does not match the schema");
        let (first, lists) = (leaves.start, leaf_weights.iter().map(|&weight| (Arc::default(), weight)).collect());
        let shared = leaves.clone().map(|_| Arc::default()).collect();
        let mut all = ColumnSurvey { row: 0.0, values: 0.0, batch: usize::MAX, first, lists, shared };
        // How many bytes a row takes where the rows are longest. Texts count only: they are views, which hold their pages.
        let mut dense = 0.0;
        for (leaf, weight) in leaves.zip(leaf_weights) {
            let (chunk, description) = (group.column(leaf), schema.column(leaf));
            let is_list = description.max_rep_level() > 0;
            let list_weight = is_list.then_some(weight);
            let LeafSurvey { values: count, bytes, largest, densest } =
                survey_leaf(file, chunk, rows, list_weight, &mut found.too_large)?;
            let values = count as f64 / rows.max(1) as f64;
            all.row += width(chunk, &description, bytes, count) as f64 * values;
            // Each value of this encoding can be as long as the page.
            if chunk.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY) {
                all.batch = all.batch.min((RANGE as u64 / largest.max(1)).max(1) as usize);
            }
            if chunk.column_type() == Type::BYTE_ARRAY {
                dense += densest * values.max(1.0);
            }
            found.largest_pages += largest;
            has_lists |= is_list;
            if is_list {
                all.values += values * weight as f64;
            }
        }
        all.row = all.row.max(null_size(kind) as f64);
        all.batch = all.batch.min((SKEW * RANGE as f64 / dense).max(1.0) as usize);
        found.columns.push(all);
    }
    let is_even = found.columns.iter().all(|column| column.batch as u64 >= OPEN_ROWS);
    found.stays_open = is_even && !has_lists && found.largest_pages <= OPEN && found.too_large.is_empty();
    found.too_large.sort_unstable();
    found.too_large.dedup_by(|next, last| {
        let is_one = next.0 <= last.1;
        last.1 = if is_one { last.1.max(next.1) } else { last.1 };
        is_one
    });
    // What lies between them is read on its own, each time from the beginning of the row group.
    ensure!(found.too_large.len() <= MAX_GAPS, "row group has more than {MAX_GAPS} oversized pages");
    Ok(found)
}

/// Looks at the headers of all pages of a leaf, and adds the rows whose pages are too large. A value of a list counts as so
/// many.
fn survey_leaf(
    file: &Arc<InputFile>,
    chunk: &ColumnChunkMetaData,
    rows: u64,
    list_weight: Option<u64>,
    too_large: &mut Vec<(u64, u64)>,
) -> Result<LeafSurvey> {
    let (mut pages, mut found) = (Pages::new(file.clone(), chunk, None, SparePages::default()), LeafSurvey::default());
    // The bytes and values of the last pages. A dictionary does not count: views share it.
    let mut stretch = (0, 0);
    while let Some(page) = pages.peek()? {
        let (size, values) = (page.bytes(), page.values());
        (found.bytes, found.largest) = (found.bytes + size, found.largest.max(size));
        let is_long = list_weight.is_some_and(|weight| values.saturating_mul(weight) > MAX_VALUES);
        if size > MAX_PAGE || is_long {
            // Which rows of a list are in a page is not told, and a dictionary is needed for all.
            let is_all = list_weight.is_some() || page.is_dictionary();
            too_large.push(if is_all { (0, rows) } else { (found.values, found.values + values) });
        } else if !page.is_dictionary() {
            stretch = (stretch.0 + size, stretch.1 + values);
            if stretch.0 >= STRETCH {
                found.densest = found.densest.max(stretch.0 as f64 / stretch.1.max(1) as f64);
                stretch = (0, 0);
            }
        }
        found.values += values;
        pages.pass();
    }
    ensure!(found.values >= rows, "fewer rows than declared");
    Ok(found)
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
