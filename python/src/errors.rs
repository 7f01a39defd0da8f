//! The errors of rows, as Python objects.

use arrow_array::{Array as _, ArrayRef};
use pyo3::prelude::*;
use slider_attacks_arrow::Error;

use crate::numbers::{type_error, value_error};

/// The errors of malformed rows.
#[derive(Clone, Default)]
pub struct PythonErrors {
    /// The numbers of the first of them, and what is wrong.
    pub first: Vec<(usize, String)>,
    /// The number of all.
    pub count: usize,
    /// The number of well-formed rows that were left out because of their keys.
    pub left_out: u64,
}

impl PythonErrors {
    /// The first errors as Python has them, and the number of all.
    pub fn new(first: &[Error], count: usize) -> PythonErrors {
        let first = first.iter().filter_map(|error| error.row().map(|row| (row, error.to_string())));
        PythonErrors { first: first.collect(), count, left_out: 0 }
    }
}

/// The Python error for an error over Arrow arrays.
pub fn arrow_error(error: Error) -> PyErr {
    match error {
        Error::Type { .. } | Error::MissingColumn { .. } => type_error(error),
        error => value_error(error),
    }
}

/// The error for nulls that NumPy cannot hold.
pub fn nulls_error(array: &ArrayRef) -> PyErr {
    value_error(format!(
        "{} of {} values are null, which NumPy arrays cannot hold: say what stands for them, as in to_numpy(na_value=0) or \
         to_numpy(na_value=float(\"nan\"))",
        array.null_count(),
        array.len()
    ))
}
