//! Python integers as squares and boards, and the words of errors.

use std::str::FromStr;

use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyInt, PySet, PyString};
use slider_attacks::{Backend, Square};
use slider_attacks_arrow::OnError;

/// A `ValueError` with this text.
pub fn value_error(text: impl ToString) -> PyErr {
    PyValueError::new_err(text.to_string())
}

/// A `TypeError` with this text.
pub fn type_error(text: impl ToString) -> PyErr {
    PyTypeError::new_err(text.to_string())
}

/// Warns the one who has called, by the module `warnings`.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let warnings = py.import(intern!(py, "warnings"))?;
    warnings.call_method1(intern!(py, "warn"), (text, py.get_type::<PyUserWarning>())).map(drop)
}

/// The value with this name: of a slider, a side, a product.
pub fn named<T: FromStr<Err: ToString>>(parameter: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|error: T::Err| {
        let advice = match (parameter, name) {
            ("slider", "knight" | "king" | "pawn") => ". These do not slide; `analyze` takes all pieces into account",
            _ if name.to_lowercase().parse::<T>().is_ok() => ", in small letters",
            _ => "",
        };
        let error = error.to_string();
        let error = error.strip_suffix(&format!(", found {name:?}")).unwrap_or(&error);
        value_error(format!("{parameter}={name:?}: {error}{advice}"))
    })
}

/// What this name says of rows that cannot be read, if it is one of `possible`. Python calls failing `raise`.
pub fn on_error(name: &str, possible: &[OnError]) -> PyResult<OnError> {
    let name_of = |on_error: &OnError| if *on_error == OnError::Fail { "raise" } else { on_error.name() };
    possible.iter().copied().find(|on_error| name_of(on_error) == name).ok_or_else(|| {
        let names: Vec<&str> = possible.iter().map(name_of).collect();
        value_error(format!("on_error={name:?}: expected one of {}", names.join(", ")))
    })
}

/// What pieces are worth if the caller does not say it.
pub const USUAL_VALUES: &str = "1,3,3,5,9";

/// What pieces are worth, as the library reads it: a text such as "1,3,3,5,9", or five integers.
pub fn piece_values(object: &Bound<'_, PyAny>) -> PyResult<String> {
    /// More than there may be.
    const MOST: usize = 6;
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    let wrong = |object: &Bound<'_, PyAny>| {
        type_error(format!(
            "values are five integers, as in (1, 3, 3, 5, 9), or a text such as \"{USUAL_VALUES}\", not {}",
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

/// The backend with this name, or the one that fits this CPU.
pub fn backend(name: Option<&str>) -> PyResult<Backend> {
    name.map_or_else(|| Ok(Backend::active()), |name| named("backend", name))
}

/// The name of the type of `object`, for errors.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// What `object` is as a Python integer; `None` if it is not one.
pub fn integer<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if object.is_exact_instance_of::<PyInt>() {
        return Some(object.clone());
    }
    let is_bool = object.is_instance_of::<pyo3::types::PyBool>();
    if is_bool { None } else { object.call_method0("__index__").ok() }
}

/// An integer from 0 to 63. `place` is said after the name of what is wrong: empty, or ` at index 5`.
pub fn square(object: &Bound<'_, PyAny>, place: impl Fn() -> String) -> PyResult<Square> {
    let Some(number) = integer(object) else {
        let (kind, place) = (type_name(object), place());
        return Err(type_error(format!("squares are integers, not {kind}{place}: a1 is 0, b1 is 1, … h8 is 63")));
    };
    let square = number.extract::<u8>().ok().and_then(Square::new);
    square.ok_or_else(|| not_on_the_board(&number.to_string(), &place()))
}

/// The error for a number that is no square. It may be a set of squares, in the wrong place.
pub fn not_on_the_board(number: &str, place: &str) -> PyErr {
    let is_large = number.trim_start_matches('-').len() > 4;
    let advice = if is_large { ": squares are 0 to 63, and come before occs" } else { "" };
    value_error(format!("square {number}{place} is not on the board{advice}"))
}

/// An integer from 0 to 2⁶⁴ - 1, whose bits are the squares of `what`.
pub fn board(object: &Bound<'_, PyAny>, what: &str, place: impl Fn() -> String) -> PyResult<u64> {
    let Some(number) = integer(object) else {
        let (kind, place) = (type_name(object), place());
        let advice =
            if object.hasattr("occupied")? { "write board.occupied" } else { "bit i of 64 stands for square i" };
        return Err(type_error(format!("{what} are integers, not {kind}{place}: {advice}")));
    };
    number
        .extract::<u64>()
        .map_err(|_| value_error(format!("{number}{} is not from 0 to 2**64 - 1: {what} have 64 bits", place())))
}
