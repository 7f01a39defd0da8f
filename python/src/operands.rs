//! Arguments of batch calls as Arrow columns.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Datum, Scalar, UInt64Array, new_null_array};
use arrow_schema::DataType;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use rayon::prelude::*;
use slider_attacks_arrow::Error;

use crate::capsule::{self, one};
use crate::columns::Array;
use crate::errors::arrow_error;
use crate::numbers::{board, integer, square, type_error};
use crate::pandas::same_index;
use crate::work::{PART, Threads, in_parts, memory_for};

/// An argument of a batch call: a column, or a number for all rows.
pub enum Operand {
    /// An Arrow column.
    Column(ArrayRef),
    /// A number.
    Number(Scalar<ArrayRef>),
}

/// The arguments of a batch call by where they come from.
pub enum Operands<'py, const N: usize> {
    /// Arrow columns, at least one, and numbers.
    Arrow([Operand; N]),
    /// NumPy arrays and others, Arrow columns among them.
    Other([Bound<'py, PyAny>; N]),
}

impl<'py, const N: usize> Operands<'py, N> {
    /// Looks at the arguments, which have these names. `to_arrow` is whether the result is to be an Arrow array if they are.
    pub fn new(objects: [&Bound<'py, PyAny>; N], names: [&str; N], to_arrow: bool) -> PyResult<Operands<'py, N>> {
        let mut columns = [const { None }; N];
        for ((object, name), column) in objects.iter().zip(names).zip(&mut columns) {
            if object.cast::<PyUntypedArray>().is_err() {
                *column = capsule::import(object)?.map(|arrays| of_numbers(one(&arrays)?, name)).transpose()?;
            }
        }
        let others = objects.iter().copied().filter(|object| object.cast::<PyUntypedArray>().is_err());
        if others.clone().count() > 1 {
            same_index(others)?;
        }
        let is_number = |(object, column): (&&Bound<'_, PyAny>, &Option<ArrayRef>)| {
            column.is_some() || object.cast::<PyUntypedArray>().is_err() && integer(object).is_some()
        };
        let all = objects.iter().zip(&columns).all(is_number);
        if !(to_arrow && all && columns.iter().any(Option::is_some)) {
            let mut others = objects.map(Bound::clone);
            for (other, column) in others.iter_mut().zip(columns) {
                if let Some(column) = column {
                    *other = Bound::new(other.py(), Array::new(column))?.into_any();
                }
            }
            return Ok(Operands::Other(others));
        }
        let mut operands = Vec::with_capacity(N);
        for ((object, column), name) in objects.into_iter().zip(columns).zip(names) {
            operands.push(match column {
                Some(column) => Operand::Column(column),
                None => {
                    let number = match name {
                        "squares" => square(object, String::new)?.index().into(),
                        _ => board(object, name, String::new)?,
                    };
                    Operand::Number(Scalar::new(Arc::new(UInt64Array::from(vec![number]))))
                }
            });
        }
        Ok(Operands::Arrow(operands.try_into().unwrap_or_else(|_| unreachable!("there is one for each object"))))
    }
}

/// The column, which must have integers. One of nulls alone gets the type of boards.
fn of_numbers(column: ArrayRef, name: &str) -> PyResult<ArrayRef> {
    match column.data_type() {
        DataType::Null => Ok(new_null_array(&DataType::UInt64, column.len())),
        kind if kind.is_integer() => Ok(column),
        DataType::Struct(fields) => {
            let columns: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            let (first, columns) = (columns.first().unwrap_or(&"…"), columns.join(", "));
            Err(type_error(format!(
                "{name} are one column, not a table of {columns}: take one, as in table[{first:?}]"
            )))
        }
        kind => Err(type_error(format!("{name} must be integers, not a column of {kind}: cast it first"))),
    }
}

impl Operand {
    /// These rows of a column, or all of it.
    fn rows(&self, rows: Option<&Range<usize>>) -> Box<dyn Datum> {
        match self {
            Operand::Column(column) => {
                Box::new(rows.map_or_else(|| column.clone(), |rows| column.slice(rows.start, rows.len())))
            }
            Operand::Number(number) => Box::new(number.clone()),
        }
    }
}

/// The column of attack sets that `compute` makes of Arrow columns.
pub fn column<const N: usize>(
    py: Python<'_>,
    operands: &[Operand; N],
    threads: &Threads,
    compute: impl Fn([&dyn Datum; N]) -> Result<UInt64Array, Error> + Send + Sync,
) -> PyResult<Array> {
    let lengths = operands.iter().filter_map(|operand| match operand {
        Operand::Column(column) => Some(column.len()),
        Operand::Number(_) => None,
    });
    let (length, longest) = (lengths.clone().min().unwrap_or(1), lengths.max().unwrap_or(1));
    let share = |rows: Option<Range<usize>>| -> Result<ArrayRef, Error> {
        let columns = operands.each_ref().map(|operand| operand.rows(rows.as_ref()));
        match compute(columns.each_ref().map(|column| &**column)) {
            Ok(array) => Ok(Arc::new(array)),
            Err(error) => Err(error.after(rows.map_or(0, |rows| rows.start))),
        }
    };
    // Columns of different lengths are an error, which `compute` finds.
    if length != longest || length == 0 {
        return share(None).map(Array::new).map_err(arrow_error);
    }
    memory_for(length.saturating_mul(2 * size_of::<u64>()))?; // the parts, and all of it
    let most = if let Threads::Pool(pool) = threads { pool.current_num_threads() } else { 1 };
    let part = length.div_ceil(most).clamp(1 << 15, PART);
    let mut done: Vec<ArrayRef> = Vec::new();
    let step = part.saturating_mul(most);
    let outcome = in_parts(py, length, step, |rows| {
        let shares = rows.clone().step_by(part).map(|start| Some(start..rows.end.min(start + part)));
        let arrays: Vec<_> = match threads {
            Threads::Own => shares.map(share).collect(),
            Threads::Pool(pool) => {
                let shares: Vec<_> = shares.collect();
                pool.install(|| shares.into_par_iter().map(share).collect())
            }
        };
        arrays.into_iter().try_for_each(|array| {
            done.push(array?);
            Ok(())
        })
    })?;
    outcome.map_err(arrow_error)?;
    Ok(Array::new(one(&done)?))
}
