//! Products of the rows for which a condition holds, with the numbers of these rows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, UInt64Array, new_empty_array};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat;
use arrow_select::take::take;
use pyo3::prelude::*;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Integers, MOST_ERRORS, OnError, Plan, PositionArray, Product, Share, UncomputedRows};

use crate::batch::Batch;
use crate::conditions::MemoryCondition;
use crate::errors::{PythonErrors, arrow_error};
use crate::numbers::value_error;
use crate::pandas::PandasIndex;
use crate::plan::{PART, memory_for_rows};
use crate::rows::pieces;
use crate::work::{Threads, in_parts};

/// The column with the numbers of the rows that a condition has chosen.
const ROW: &str = "row";

/// Chooses rows by a condition, and computes products of these.
pub struct ChosenRows<'a> {
    /// The products.
    pub plan: &'a Plan,
    /// How to handle malformed rows.
    pub on_error: OnError,
    /// The type of the numbers of rows.
    pub integers: Integers,
    /// What holds for the rows.
    pub condition: &'a MemoryCondition,
}

/// What is left of some rows.
struct ChosenPart {
    positions: PositionArray,
    rows: Vec<u64>,
    /// Why rows are null, if that is a column.
    reasons: Option<ArrayRef>,
    errors: PythonErrors,
}

impl ChosenRows<'_> {
    /// The rows of a column for which the condition holds, with their numbers. Threads share them.
    pub fn compute(
        &self,
        py: Python<'_>,
        arrays: &[ArrayRef],
        index: PandasIndex,
        threads: &Threads,
    ) -> PyResult<Batch> {
        let rows: usize = arrays.iter().map(|array| array.len()).sum();
        if rows == 0 {
            let read = |array: &ArrayRef| PositionArray::read(array).map(drop).map_err(arrow_error);
            arrays.iter().try_for_each(read)?;
        }
        let columns = |part: Range<usize>| {
            let mut first = part.start;
            let pieces = pieces(arrays, &part, threads).into_iter().map(|rows| {
                let from = first;
                first += rows.len();
                (from, rows)
            });
            let pieces: Vec<(usize, ArrayRef)> = pieces.collect();
            let chosen = threads.map(&pieces, |(first, rows)| self.choose(rows, *first));
            chosen.into_iter().collect::<PyResult<Vec<ChosenPart>>>()
        };
        self.of_parts(py, rows, index, threads, columns)
    }

    /// The rows of positions that have been read for which the condition holds, with their numbers.
    pub fn of_positions(
        &self,
        py: Python<'_>,
        positions: &PositionArray,
        index: PandasIndex,
        threads: &Threads,
    ) -> PyResult<Batch> {
        self.of_parts(py, positions.len(), index, threads, |part| {
            let piece = threads.piece(part.len());
            let starts: Vec<usize> = part.clone().step_by(piece).collect();
            let chosen = threads.map(&starts, |&start| {
                let rows = start..part.end.min(start + piece);
                let holds = self.condition.holds(positions, rows.clone(), start);
                let rows = rows.zip(holds).filter_map(|(row, holds)| holds.then_some(row)).collect::<Vec<_>>();
                ChosenPart {
                    positions: chosen(positions, &rows),
                    rows: rows.into_iter().map(|row| row as u64).collect(),
                    reasons: None,
                    errors: PythonErrors::default(),
                }
            });
            Ok(chosen)
        })
    }

    /// Reads rows, and chooses among them. The first has this number.
    fn choose(&self, rows: &ArrayRef, first: usize) -> PyResult<ChosenPart> {
        // Rows that are left out later still count.
        let on_error = if self.on_error == OnError::Skip { OnError::Null } else { self.on_error };
        let read = PositionArray::read_with(rows, on_error).map_err(|error| arrow_error(error.after(first)))?;
        let holds = self.condition.holds(&read, 0..read.len(), first);
        let is_chosen = |row: &usize| holds[*row] || (self.on_error.keeps_rows() && read.is_null(*row));
        let rows: Vec<usize> = (0..read.len()).filter(is_chosen).collect();
        let errors: Vec<_> = read.errors().iter().map(|error| error.clone().after(first)).collect();
        let numbers = UInt64Array::from_iter_values(rows.iter().map(|&row| row as u64));
        let reasons = (self.on_error == OnError::Report).then(|| {
            let reasons = Plan::new([] as [Product; 0]).on_error(OnError::Report).batch(&read).map_err(arrow_error)?;
            take(reasons.column(0), &numbers, None).map_err(value_error)
        });
        Ok(ChosenPart {
            positions: chosen(&read, &rows),
            rows: rows.into_iter().map(|row| (first + row) as u64).collect(),
            reasons: reasons.transpose()?,
            errors: PythonErrors::new(&errors, read.error_count()),
        })
    }

    /// Computes the rows that are left of each part.
    fn of_parts(
        &self,
        py: Python<'_>,
        rows: usize,
        index: PandasIndex,
        threads: &Threads,
        parts: impl Fn(Range<usize>) -> PyResult<Vec<ChosenPart>> + Send + Sync,
    ) -> PyResult<Batch> {
        let plan =
            self.plan.clone().on_error(if self.on_error == OnError::Report { OnError::Null } else { self.on_error });
        let (mut builder, mut numbers) = (plan.builder(0), Vec::new());
        let (mut reasons, mut errors) = (Vec::new(), PythonErrors::default());
        in_parts(py, rows, threads.part(PART), |part| {
            let chosen = parts(part)?;
            let count: usize = chosen.iter().map(|part| part.rows.len()).sum();
            memory_for_rows(&plan, 2 * (builder.len() + count))?; // a copy as the memory grows
            let pieces: Vec<UncomputedRows<'_>> =
                chosen.iter().map(|part| UncomputedRows::Positions(&part.positions, 0..part.rows.len())).collect();
            let done = builder.append_shared(&pieces, |shares| threads.for_each(shares, Share::compute));
            done.map_err(arrow_error)?;
            for part in chosen {
                numbers.extend(part.rows);
                reasons.extend(part.reasons);
                errors.count += part.errors.count;
                errors.first.extend(part.errors.first.into_iter().take(MOST_ERRORS - errors.first.len()));
            }
            Ok::<_, PyErr>(())
        })??;
        let index = index.of_rows(py, numbers.iter().map(|&row| row as usize))?;
        let batch = py.detach(|| builder.finish()).map_err(arrow_error)?;
        let batch = self.with_numbers(&batch, numbers, &reasons)?;
        Ok(Batch::new(batch).with(errors).with_index(index))
    }

    /// These columns, after that of the numbers of rows, and before that of reasons.
    fn with_numbers(&self, batch: &RecordBatch, numbers: Vec<u64>, reasons: &[ArrayRef]) -> PyResult<RecordBatch> {
        let mut fields = vec![Arc::new(Field::new(ROW, self.integers.bitboard_type(), false))];
        let mut columns = vec![self.integers.bitboards(UInt64Array::from(numbers))];
        fields.extend(batch.schema().fields().iter().cloned());
        columns.extend(batch.columns().iter().cloned());
        if self.on_error == OnError::Report {
            let schema = Plan::new([] as [Product; 0]).on_error(OnError::Report).schema();
            fields.push(schema.fields()[0].clone());
            let parts: Vec<_> = reasons.iter().map(|part| part.as_ref()).collect();
            let all = if parts.is_empty() { Ok(new_empty_array(schema.field(0).data_type())) } else { concat(&parts) };
            columns.push(all.map_err(value_error)?);
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(value_error)
    }
}

/// Copies of these rows.
fn chosen(read: &PositionArray, rows: &[usize]) -> PositionArray {
    let mut some = Positions::with_capacity(rows.len());
    some.extend(rows.iter().filter_map(|&row| read.positions().get(row)));
    let nulls = read.nulls().map(|nulls| rows.iter().map(|&row| nulls.is_valid(row)).collect());
    PositionArray::from_parts(some, nulls)
}
