//! The options that change products, as keywords of calls.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};
use slider_attacks::analysis::PieceValues;
use slider_attacks_arrow::{OptionKind, Options};

use crate::numbers::{integer, type_error, type_name, value_error};

/// The options that a call of this function names.
pub fn options(function: &str, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default();
    for (name, value) in keywords.into_iter().flatten() {
        let name = name.extract::<String>()?;
        let Some(option) = Options::find(&name) else {
            return Err(type_error(format!("{function}() got an unexpected keyword argument '{name}'")));
        };
        let text = match option.kind() {
            OptionKind::PieceValues => piece_values(&value)?,
            _ => value.extract::<String>().map_err(|error| of_argument(value.py(), &name, error))?,
        };
        set(&mut options, &name, &text)?;
    }
    Ok(options)
}

/// Sets an option to the value that a text has.
pub fn set(options: &mut Options, name: &str, value: &str) -> PyResult<()> {
    options.set(name, value).map_err(|error| {
        let is_large = Options::default().set(name, &value.to_lowercase()).is_ok();
        let advice = if is_large { ", in small letters" } else { "" };
        value_error(format!("{name}={value:?}: {}{advice}", error.reason()))
    })
}

/// The error for an argument of this name, in the words of errors for other arguments.
fn of_argument(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    if !error.get_type(py).is(py.get_type::<PyTypeError>()) {
        return error;
    }
    let named = type_error(format!("argument '{name}': {}", error.value(py)));
    named.set_cause(py, error.cause(py));
    named
}

/// The values of pieces: a text such as "1,3,3,5,9", or five integers.
fn piece_values(object: &Bound<'_, PyAny>) -> PyResult<String> {
    /// More than there may be.
    const MOST: usize = 6;
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    let wrong = |object: &Bound<'_, PyAny>| {
        type_error(format!(
            "values must be five integers, as in (1, 3, 3, 5, 9), or a text such as \"{}\", not {}",
            PieceValues::default(),
            type_name(object)
        ))
    };
    // The bytes of a text, keys and sets have no meaning, or no order.
    let is_set = object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>();
    if is_set || object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyDict>() {
        return Err(wrong(object));
    }
    let numbers = object.try_iter().map_err(|_| wrong(object))?.take(MOST).map(|number| {
        let number = number?;
        integer(&number).map(|number| number.to_string()).ok_or_else(|| wrong(&number))
    });
    Ok(numbers.collect::<PyResult<Vec<_>>>()?.join(","))
}
