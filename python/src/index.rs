//! Indexing: one row, or a slice.

use arrow_array::{Array as _, ArrayRef, make_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::numbers::{integer, type_name, value_error};
use crate::work::memory_for;

/// Rows that an index names.
pub enum Index {
    /// One of them, which there is.
    Row(usize),
    /// The step between them.
    Rows(RowSlice),
}

/// A slice of existing rows.
#[derive(Clone, Copy)]
pub struct RowSlice {
    start: usize,
    step: isize,
    length: usize,
}

impl Index {
    /// Reads an index of `what`, which has this number of rows, by the rules of Python: negative numbers count from the end,
    /// and slices may reach further than the rows.
    pub fn new(index: &Bound<'_, PyAny>, length: usize, what: &str) -> PyResult<Index> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let found = slice.indices(length as isize)?;
            let start = usize::try_from(found.start).unwrap_or(0); // without rows it may be -1
            return Ok(Index::Rows(RowSlice { start, step: found.step, length: found.slicelength }));
        }
        let Some(number) = integer(index) else {
            let kind = type_name(index);
            return Err(PyTypeError::new_err(format!("indices of {what} must be integers or slices, not {kind}")));
        };
        let row = number.extract::<isize>().ok();
        let row = row.and_then(|row| if row < 0 { length.checked_add_signed(row) } else { usize::try_from(row).ok() });
        let missing = || PyIndexError::new_err(format!("row {number} is out of range: {what} has {length} rows"));
        row.filter(|&row| row < length).map(Index::Row).ok_or_else(missing)
    }
}

/// The bytes of the values of an array, but not of others in the same memory.
pub fn memory(array: &ArrayRef) -> usize {
    array.to_data().get_slice_memory_size().unwrap_or_else(|_| array.get_array_memory_size())
}

impl RowSlice {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The first one, if they follow each other.
    pub fn first_of_range(&self) -> Option<usize> {
        (self.step == 1 || self.length < 2).then_some(self.start)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let RowSlice { start, step, length } = *self;
        (0..length).map(move |row| start.wrapping_add_signed(step.wrapping_mul(row as isize)))
    }

    /// These rows of an array: a copy, unless they follow each other.
    pub fn of(&self, py: Python<'_>, array: &ArrayRef) -> PyResult<ArrayRef> {
        if let Some(start) = self.first_of_range() {
            // Without rows, the start may lie behind the end.
            return Ok(array.slice(start.min(array.len() - self.length), self.length));
        }
        // Texts and lists of some rows may be as long as those of all. Others have the same length everywhere.
        let all = memory(array);
        let fixed = array.data_type().is_primitive() || matches!(array.data_type(), DataType::FixedSizeList(..));
        memory_for(if fixed { all.div_ceil(array.len()) * self.length } else { all })?;
        let data = array.to_data();
        py.detach(|| {
            let mut some = MutableArrayData::new(vec![&data], false, self.length);
            for row in self.iter() {
                some.try_extend(0, row, row + 1).map_err(value_error)?;
            }
            Ok(make_array(some.freeze()))
        })
    }
}
