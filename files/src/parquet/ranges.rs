//! Ranges of rows: no more rows are read at a time than fit into memory, one column after the other.

use std::sync::Arc;

use anyhow::{Result, bail};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::file::metadata::ParquetMetaData;

use super::guard::{ListPages, MAX_VALUES, PageGuard, quietly};
use super::pages::{ColumnSurvey, GroupSurvey, RANGE, survey};
use super::types::owned;
use crate::arrays::sizes;
use crate::content::MAX_RECORD;

/// The maximum number of rows of a range. Blocks are slices of a range.
const RANGE_ROWS: u64 = 1 << 16;

/// What is to be read of a file.
pub struct RangeReader {
    /// The file.
    pub guard: PageGuard,
    /// Its description.
    pub metadata: Arc<ParquetMetaData>,
    /// The columns, that of the positions first.
    pub columns: Vec<TypedColumn>,
}

/// A column to read.
pub struct TypedColumn {
    /// Its place in the file.
    pub place: usize,
    /// The type that it is to have.
    pub kind: DataType,
    /// The schema to read it with.
    pub metadata: ArrowReaderMetadata,
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

impl RangeReader {
    /// Looks at the headers of all pages of a row group.
    pub fn survey(&self, group: usize) -> Result<GroupSurvey> {
        survey(&self.guard, &self.metadata, group, self.columns.iter().map(|column| column.place))
    }

    /// Reads rows of a row group that has `rows` in all, from `from`, counted from 0: as many as fit, at least one.
    pub fn range(&self, group: usize, survey: &GroupSurvey, from: u64, rows: u64) -> Result<RowRange> {
        let mut end = rows.min(from + RANGE_ROWS);
        for &(start, stop) in &survey.too_large {
            if (start..stop).contains(&from) {
                return Ok(RowRange { too_long: stop.min(rows) - from, ..RowRange::default() });
            } else if start > from {
                end = end.min(start);
            }
        }
        let row: f64 = survey.columns.iter().map(|pages| pages.row).sum();
        let values = survey.columns.iter().map(|pages| pages.values).fold(0.0, f64::max);
        let fits = (RANGE as f64 / row.max(1.0)).min(MAX_VALUES as f64 / 4.0 / values.max(1.0)) as u64;
        let mut range = RowRange { sizes: vec![0; (end - from).min(fits.max(1)) as usize], ..RowRange::default() };
        for (place, pages) in survey.columns.iter().enumerate() {
            let before = range.sizes.clone();
            let array = loop {
                match self.column(place, group, pages, from, &mut range.sizes) {
                    Err(_) if range.sizes.len() > 1 && self.guard.watch().exceeded => {
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
    /// long, and where the rows become too many. If the first row is too long, only the sizes of such rows are left.
    fn column(
        &self,
        place: usize,
        group: usize,
        pages: &ColumnSurvey,
        from: u64,
        all: &mut Vec<usize>,
    ) -> Result<ArrayRef> {
        let column = &self.columns[place];
        let schema = self.metadata.file_metadata().schema_descr();
        self.guard.watch_lists(&pages.lists);
        let selected = vec![RowSelector::skip(from as usize), RowSelector::select(all.len())];
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.guard.clone(), column.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(ProjectionMask::roots(schema, [column.place]))
            .with_row_selection(RowSelection::from(selected))
            .with_batch_size(pages.batch.min(all.len()));
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
        pages.lists.iter().for_each(ListPages::finish_rows);
        let arrays: Vec<&dyn Array> = arrays.iter().map(|array| array.as_ref()).collect();
        Ok(arrow_select::concat::concat(&arrays)?)
    }
}
