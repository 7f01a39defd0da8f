//! Ranges of rows that fit into memory, read one column after the other.

use std::iter;
use std::sync::Arc;

use anyhow::{Result, bail};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::FieldLevels;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector};
use parquet::column::page::PageIterator;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use super::guard::{MAX_VALUES, catch_panics};
use super::pages::{OneChunk, Pages, SparePages};
use super::sizes::sizes;
use super::survey::{ColumnSurvey, GroupSurvey, OPEN_ROWS, RANGE, row_count, survey};
use super::types::owned;
use crate::file::InputFile;
use slider_attacks_formats::content::MAX_RECORD;

/// The maximum number of rows of a range. Blocks are slices of a range.
const RANGE_ROWS: u64 = 1 << 16;

/// The parts of a file to read.
pub struct RangeReader {
    /// The file.
    pub file: Arc<InputFile>,
    /// Its description.
    pub metadata: Arc<ParquetMetaData>,
    /// The columns, that of the positions first.
    pub columns: Arc<[TypedColumn]>,
    /// Their readers that stay open, because the next range follows the last one.
    open: Vec<Option<OpenColumn>>,
    spare: SparePages,
    /// The maximum number of bytes of a range.
    most: usize,
    /// Whether others read rows of the same pages.
    shares_pages: bool,
}

/// A column to read.
pub struct TypedColumn {
    /// Its place in the file.
    pub place: usize,
    /// The type that it is to have.
    pub kind: DataType,
    /// How to read it.
    pub levels: FieldLevels,
}

/// The reader of a column, which has been opened for all rows of a row group, in batches of [`OPEN_ROWS`].
struct OpenColumn {
    group: usize,
    /// The next row.
    at: u64,
    reader: ParquetRecordBatchReader,
}

/// Some rows.
#[derive(Default)]
pub struct RowRange {
    /// The number of rows that were too long. If there are any, no row was read.
    pub too_long: u64,
    /// The columns.
    pub arrays: Vec<ArrayRef>,
    /// The sizes of the rows, in bytes.
    pub sizes: Vec<usize>,
}

impl RowRange {
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.too_long + self.sizes.len() as u64
    }
}

impl RangeReader {
    /// Reads these columns of a file, that of the positions first.
    pub fn new(file: Arc<InputFile>, metadata: Arc<ParquetMetaData>, columns: Vec<TypedColumn>) -> RangeReader {
        let open = columns.iter().map(|_| None).collect();
        let (columns, spare) = (columns.into(), SparePages::default());
        RangeReader { file, metadata, columns, open, spare, most: RANGE, shares_pages: false }
    }

    /// Another reader of the same, for ranges of at most this many bytes.
    pub fn again(&self, most: usize) -> RangeReader {
        RangeReader {
            file: self.file.clone(),
            metadata: self.metadata.clone(),
            columns: self.columns.clone(),
            open: self.columns.iter().map(|_| None).collect(),
            spare: self.spare.clone(),
            most,
            shares_pages: true,
        }
    }

    /// Looks at the headers of all pages of a row group.
    pub fn survey(&self, group: usize) -> Result<GroupSurvey> {
        survey(&self.file, &self.metadata, group, self.columns.iter().map(|column| (column.place, &column.kind)))
    }

    /// Reads rows of a row group that has `rows` in all, from `from`, counted from 0: as many as fit, at least one.
    pub fn range(&mut self, group: usize, survey: &GroupSurvey, from: u64, rows: u64) -> Result<RowRange> {
        let most = if survey.stays_open { OPEN_ROWS } else { RANGE_ROWS };
        let mut end = rows.min(from + most);
        let next = survey.too_large.partition_point(|&(_, stop)| stop <= from);
        if let Some(&(start, stop)) = survey.too_large.get(next) {
            if start <= from {
                return Ok(RowRange { too_long: stop.min(rows) - from, ..RowRange::default() });
            }
            end = end.min(start);
        }
        let row: f64 = survey.columns.iter().map(|pages| pages.row).sum();
        let values = survey.columns.iter().map(|pages| pages.values).fold(0.0, f64::max);
        let fits = (self.most as f64 / row.max(1.0)).min(MAX_VALUES as f64 / 4.0 / values.max(1.0)) as u64;
        let mut range = RowRange { sizes: vec![0; (end - from).min(fits.max(1)) as usize], ..RowRange::default() };
        // Such readers give batches of this size.
        let rest = (survey.stays_open && from + range.sizes.len() as u64 == end).then_some(rows - from);
        for (place, pages) in survey.columns.iter().enumerate() {
            let before = range.sizes.clone();
            let array = loop {
                match self.column(place, group, pages, from, rest, &mut range.sizes) {
                    Err(_) if range.sizes.len() > 1 && pages.lists.iter().any(|(list, _)| list.is_exceeded()) => {
                        let fewer = (range.sizes.len() / 8).max(1);
                        range.sizes = before[..fewer].to_vec();
                    }
                    array => break array?,
                }
            };
            let too_long = range.sizes.iter().take_while(|&&size| size > MAX_RECORD).count();
            if too_long > 0 {
                return Ok(RowRange { too_long: too_long as u64, ..RowRange::default() });
            }
            range.arrays.push(array);
        }
        Ok(range)
    }

    /// Reads rows of a column, and adds their sizes to those of the columns before. Ends before the first row that is too
    /// long, and where the rows become too many. If the first row is too long, only the sizes of such rows are left. If the
    /// reader can stay open, `rest` is the number of rows up to the end of the row group.
    fn column(
        &mut self,
        place: usize,
        group: usize,
        pages: &ColumnSurvey,
        from: u64,
        rest: Option<u64>,
        all: &mut Vec<usize>,
    ) -> Result<ArrayRef> {
        let most = self.most;
        let open = self.open[place].take().filter(|open| rest.is_some() && (open.group, open.at) == (group, from));
        let column = &self.columns[place];
        pages.lists.iter().for_each(|(list, _)| list.begin_rows());
        let mut reader = match open {
            Some(open) => open.reader,
            None => {
                let (select, batch) = match rest {
                    Some(rest) => (rest as usize, OPEN_ROWS as usize),
                    None => (all.len(), pages.batch.min(all.len())),
                };
                let selected = RowSelection::from(vec![RowSelector::skip(from as usize), RowSelector::select(select)]);
                let chunks = ColumnPages { reader: self, group, pages };
                let open = || {
                    ParquetRecordBatchReader::try_new_with_row_groups(&column.levels, &chunks, batch, Some(selected))
                };
                catch_panics(open)??
            }
        };
        let (mut arrays, mut row, mut sum, mut read) = (Vec::new(), 0, 0, from);
        while row < all.len() {
            let Some(batch) = catch_panics(|| reader.next())? else { bail!("fewer rows than declared") };
            let array = batch?.column(0).clone();
            read += array.len() as u64;
            let start = row;
            for size in sizes(&array, 0).into_iter().take(all.len() - start) {
                all[row] += size;
                row += 1;
            }
            let fits = |&&size: &&usize| {
                sum += size;
                size <= MAX_RECORD && sum <= most
            };
            let good = all[start..row].iter().take_while(fits).count();
            if good < row - start {
                let long = all[..row].iter().take_while(|&&size| size > MAX_RECORD).count();
                all.truncate(if start + good == 0 { long } else { start + good });
            }
            arrays.push(owned(&array, good, &column.kind)?);
        }
        pages.lists.iter().for_each(|(list, _)| list.finish_rows());
        if rest.is_some_and(|rest| read < from + rest) {
            self.open[place] = Some(OpenColumn { group, at: read, reader });
        }
        if let [array] = &arrays[..] {
            return Ok(array.clone());
        }
        let arrays: Vec<&dyn Array> = arrays.iter().map(|array| array.as_ref()).collect();
        Ok(arrow_select::concat::concat(&arrays)?)
    }
}

/// The pages of a column in a row group.
struct ColumnPages<'a> {
    reader: &'a RangeReader,
    group: usize,
    pages: &'a ColumnSurvey,
}

impl RowGroups for ColumnPages<'_> {
    fn num_rows(&self) -> usize {
        row_count(self.reader.metadata.row_group(self.group)) as usize
    }

    /// The number of a leaf is that in the column.
    fn column_chunks(&self, leaf: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let chunk = self.reader.metadata.row_group(self.group).column(self.pages.first + leaf);
        let is_list = chunk.column_descr().max_rep_level() > 0;
        let lists = is_list.then(|| self.pages.lists[leaf].clone());
        let pages = Pages::new(self.reader.file.clone(), chunk, lists, self.reader.spare.clone());
        let shared = self.reader.shares_pages.then(|| self.pages.shared[leaf].clone());
        Ok(Box::new(OneChunk(Some(pages.share(shared)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(iter::once(self.reader.metadata.row_group(self.group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.reader.metadata
    }
}
