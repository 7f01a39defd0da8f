//! Python integers as squares and boards, and the words of errors.

use std::str::FromStr;

use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;
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

/// The backend with this name, or the one that fits this CPU.
pub fn backend(name: Option<&str>) -> PyResult<Backend> {
    name.map_or_else(|| Ok(Backend::active()), |name| named("backend", name))
}

/// The name of the type of `object`, for errors.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// Converts `object` to a Python integer; `None` if it is not one.
pub fn integer<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if object.is_exact_instance_of::<PyInt>() {
        return Some(object.clone());
    }
    let is_bool = object.is_instance_of::<pyo3::types::PyBool>();
    if is_bool { None } else { object.call_method0("__index__").ok() }
}

/// The package that an object comes from, as far as its type tells: `_duckdb` is `duckdb`.
pub fn engine(object: &Bound<'_, PyAny>) -> String {
    let module = object.get_type().module().map(|module| module.to_string()).unwrap_or_default();
    module.split('.').next().unwrap_or_default().trim_start_matches('_').to_owned()
}

/// The message about a lazy frame or column, which has no rows yet.
pub fn plan_of_work(object: &Bound<'_, PyAny>) -> PyResult<Option<PyErr>> {
    let says = match (engine(object).as_str(), type_name(object).as_str()) {
        ("polars", "LazyFrame") => {
            "a LazyFrame has no rows yet: call its .collect(), or use slider_attacks.polars.analyze or .attacks within it"
        }
        ("polars", "Expr") => {
            "this is an expression of Polars: slider_attacks.polars.analyze and .attacks take expressions"
        }
        ("pyspark", _) => "Spark frames and columns live on the cluster: use slider_attacks.spark",
        ("ray", "Dataset") => "Ray datasets live on the cluster: use slider_attacks.ray",
        ("dask" | "dask_expr", _) => "a collection of Dask has no rows yet: call its .compute(), or use map_partitions",
        _ => return Ok(None),
    };
    Ok(Some(type_error(says)))
}

/// An integer from 0 to 63. `place` is said after the name of what is wrong: empty, or ` at index 5`.
pub fn square(object: &Bound<'_, PyAny>, place: impl Fn() -> String) -> PyResult<Square> {
    let Some(number) = integer(object) else {
        let (kind, place) = (type_name(object), place());
        return Err(type_error(format!("squares must be integers, not {kind}{place}: a1 is 0, b1 is 1, … h8 is 63")));
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
        return Err(type_error(format!("{what} must be integers, not {kind}{place}: {advice}")));
    };
    number
        .extract::<u64>()
        .map_err(|_| value_error(format!("{number}{} is out of range: {what} have 64 bits", place())))
}
