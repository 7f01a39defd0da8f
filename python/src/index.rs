//! Indexing: one row, a slice, a mask, or the numbers of rows.

use arrow_array::{Array as _, ArrayRef, UInt64Array, make_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use arrow_select::take::take;
use numpy::{Element, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::numbers::{integer, type_error, type_name, value_error};
use crate::work::memory_for;

/// Rows that an index names.
pub enum Index {
    /// One of them, which there is.
    Row(usize),
    /// Some, in an order of their own.
    Rows(IndexRows),
}

/// Existing rows.
pub enum IndexRows {
    /// Those of a slice.
    Slice(RowSlice),
    /// Those with these numbers.
    Numbers(Vec<usize>),
}

/// A slice of existing rows.
pub struct RowSlice {
    start: usize,
    step: isize,
    length: usize,
}

impl Index {
    /// Reads an index of `what`, which has this number of rows, by the rules of Python and NumPy: negative numbers count from the
    /// end, slices may reach further than the rows, and a mask has a value for each row.
    pub fn new(index: &Bound<'_, PyAny>, length: usize, what: &str) -> PyResult<Index> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let found = slice.indices(length as isize)?;
            let start = usize::try_from(found.start).unwrap_or(0); // without rows it may be -1
            let slice = RowSlice { start, step: found.step, length: found.slicelength };
            return Ok(Index::Rows(IndexRows::Slice(slice)));
        }
        let Some(number) = integer(index) else {
            let is_array = index.is_instance_of::<PyList>() || index.hasattr(intern!(index.py(), "__array__"))?;
            let numbers = if is_array { numbers(index, length, what)? } else { None };
            return numbers.map(|numbers| Index::Rows(IndexRows::Numbers(numbers))).ok_or_else(|| {
                let kind = type_name(index);
                type_error(format!(
                    "indices of {what} must be integers, slices, masks or arrays of integers, not {kind}"
                ))
            });
        };
        let row = number.extract::<i64>().ok().and_then(|row| existing(row, length));
        row.map(Index::Row).ok_or_else(|| missing(&number, length, what))
    }
}

/// The row of this number, if there is one; negative numbers count from the end.
fn existing(number: i64, length: usize) -> Option<usize> {
    let row = if number < 0 { length.checked_add_signed(number as isize) } else { usize::try_from(number).ok() };
    row.filter(|&row| row < length)
}

fn missing(number: impl ToString, length: usize, what: &str) -> PyErr {
    PyIndexError::new_err(format!("row {} is out of range: {what} has {length} rows", number.to_string()))
}

/// The rows that a mask or an array of integers names; `None` if it is neither.
fn numbers(index: &Bound<'_, PyAny>, length: usize, what: &str) -> PyResult<Option<Vec<usize>>> {
    fn values<T: Element + Copy>(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<T>> {
        memory_for(array.len().saturating_mul(size_of::<T>() + size_of::<usize>()))?;
        let py = array.py();
        let plain = array.call_method1(intern!(py, "astype"), (numpy::dtype::<T>(py), intern!(py, "C")))?;
        Ok(plain.cast_into::<PyArray1<T>>()?.to_vec()?)
    }
    let py = index.py();
    if type_name(index) == "MaskedArray" {
        return Err(type_error("masked elements name no row: fill them with .filled(…)"));
    }
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (index,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.ndim() != 1 {
        return Err(type_error(format!("indices of {what} have one dimension, not {}", array.ndim())));
    }
    let kind = array.dtype().kind();
    if kind == b'b' {
        if array.len() != length {
            let mask = array.len();
            return Err(PyIndexError::new_err(format!("a mask of {mask} rows: {what} has {length} rows")));
        }
        // A view of other numbers as bool has bytes that are neither 0 nor 1.
        let bytes = array.call_method1(intern!(py, "view"), (numpy::dtype::<u8>(py),))?;
        let mask = values::<u8>(bytes.cast::<PyUntypedArray>()?)?;
        return Ok(Some((0..length).filter(|&row| mask[row] != 0).collect()));
    }
    let found = match kind {
        _ if array.len() == 0 => Ok(Vec::new()), // NumPy makes floats of an empty list
        b'i' => {
            let row = |row: i64| existing(row, length).ok_or_else(|| missing(row, length, what));
            values::<i64>(&array)?.into_iter().map(row).collect()
        }
        b'u' => {
            let row = |row: u64| usize::try_from(row).ok().filter(|&row| row < length);
            values::<u64>(&array)?.into_iter().map(|it| row(it).ok_or_else(|| missing(it, length, what))).collect()
        }
        _ => return Ok(None),
    };
    found.map(Some)
}

/// The bytes of the values of an array, but not of others in the same memory.
pub fn memory(array: &ArrayRef) -> usize {
    array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size())
}

impl RowSlice {
    /// The first one, if they follow each other.
    fn first_of_range(&self) -> Option<usize> {
        (self.step == 1 || self.length < 2).then_some(self.start)
    }

    /// The one at this place.
    fn row(&self, place: usize) -> usize {
        self.start.wrapping_add_signed(self.step.wrapping_mul(place as isize))
    }
}

impl IndexRows {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            IndexRows::Slice(slice) => slice.length,
            IndexRows::Numbers(numbers) => numbers.len(),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|place| match self {
            IndexRows::Slice(slice) => slice.row(place),
            IndexRows::Numbers(numbers) => numbers[place],
        })
    }

    /// These rows of an array: a copy, unless they are a slice of rows that follow each other.
    pub fn of(&self, py: Python<'_>, array: &ArrayRef) -> PyResult<ArrayRef> {
        let length = self.len();
        let start = match self {
            IndexRows::Slice(slice) => slice.first_of_range(),
            IndexRows::Numbers(numbers) => numbers.is_empty().then_some(0),
        };
        if let Some(start) = start {
            // Without rows, the start may lie behind the end.
            return Ok(array.slice(start.min(array.len() - length), length));
        }
        // Texts and lists of some rows may be as long as those of all, each as often as it is named. Others have the same length
        // everywhere.
        let all = memory(array);
        let fixed = array.data_type().is_primitive() || matches!(array.data_type(), DataType::FixedSizeList(..));
        let most =
            if fixed { all.div_ceil(array.len()) * length } else { all.saturating_mul(length.div_ceil(array.len())) };
        memory_for(most)?;
        py.detach(|| match self {
            IndexRows::Numbers(numbers) => {
                let rows = UInt64Array::from_iter_values(numbers.iter().map(|&row| row as u64));
                take(array, &rows, None).map_err(value_error)
            }
            IndexRows::Slice(_) => {
                let data = array.to_data();
                let mut some = MutableArrayData::new(vec![&data], false, length);
                for row in self.iter() {
                    some.try_extend(0, row, row + 1).map_err(value_error)?;
                }
                Ok(make_array(some.freeze()))
            }
        })
    }
}
