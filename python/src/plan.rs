//! What to compute: the products, the names and types of their columns, and the options that all calls have.

use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use slider_attacks_arrow::{OnError, Options, Plan, Product};
use slider_attacks_formats::fen::is_board;

use crate::numbers::{backend as backend_named, named, on_error as on_error_named, type_error, type_name, value_error};
use crate::schema::Schema;
use crate::work::memory_for;

/// The name of the columns of bitboards in `read`, which are not a product.
pub const BOARDS: &str = "boards";

/// No parameter has as many names. An iterator may have no end.
const MOST_NAMES: usize = 1 << 16;

/// A name, or several, which are the value of a parameter.
pub fn names(parameter: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(vec![name.to_str()?.to_owned()]);
    }
    let wrong = |object: &Bound<'_, PyAny>| {
        type_error(format!("{parameter} is a name or several, as in [\"a\", \"b\"], not {}", type_name(object)))
    };
    if object.is_instance_of::<PyBytes>() {
        return Err(wrong(object));
    }
    let names = object.try_iter().map_err(|_| wrong(object))?.enumerate().map(|(place, name)| {
        let name = name?;
        if place == MOST_NAMES {
            return Err(value_error(format!("{parameter} has more than {MOST_NAMES} names")));
        }
        Ok(name.cast::<PyString>().map_err(|_| wrong(&name))?.to_str()?.to_owned())
    });
    names.collect()
}

/// The product of this name.
pub fn product(name: &str) -> PyResult<Product> {
    named("what", name).map_err(|error| match name {
        BOARDS => value_error(
            "what=\"boards\": `analyze` has no bitboards, which are no product: take Positions(…).boards(), or read(…, \"boards\")",
        ),
        _ if is_board(name.as_bytes()) => value_error("what takes names of products, not FEN: put all texts into one list"),
        _ => error,
    })
}

/// The products of these names, which may have bitboards among them.
pub fn products_and_boards(names: &[String]) -> PyResult<Vec<Product>> {
    let products = names.iter().filter(|&name| name != BOARDS).map(|name| {
        named::<Product>("what", name).map_err(|_| {
            value_error(format!(
                "what={name:?}: expected one of boards, {}",
                Product::ALL.iter().map(|product| product.name()).collect::<Vec<_>>().join(", ")
            ))
        })
    });
    products.collect()
}

/// The plan of the products that `what` names: of maps, if it is `None`.
pub fn plan(
    what: Option<&Bound<'_, PyAny>>,
    integers: &str,
    options: Options,
    backend: Option<&str>,
) -> PyResult<Plan> {
    let products = match what.map(|what| what.cast::<PyString>().map_err(|_| what)) {
        None => vec![Product::Maps],
        Some(Ok(name)) => vec![product(name.to_str()?)?],
        Some(Err(several)) => names("what", several)?.iter().map(|name| product(name)).collect::<PyResult<_>>()?,
    };
    plan_of(products, integers, options, backend)
}

/// The plan of these products, with these options.
pub fn plan_of(products: Vec<Product>, integers: &str, options: Options, backend: Option<&str>) -> PyResult<Plan> {
    let plan = Plan::new(products).options(options);
    Ok(plan.integers(named("integers", integers)?).backend(backend_named(backend)?))
}

/// The number of rows that a thread reads between two looks for signals: 15 ms of work for the longest products.
pub const PART: usize = 1 << 15;

/// Fails if there is no memory for this many rows of a plan, about. Lists and reasons have as much as they need: here twice as much
/// as is usual, because parts of them grow and are joined.
pub fn memory_for_rows(plan: &Plan, rows: usize) -> PyResult<()> {
    /// So few take no more than what a call needs anyway, and the types of their columns take a microsecond.
    const FEW: usize = 16;
    if rows <= FEW { Ok(()) } else { memory_for(rows.saturating_mul(row_bytes(plan))) }
}

fn row_bytes(plan: &Plan) -> usize {
    let bytes = |kind: &DataType| match kind {
        DataType::FixedSizeList(item, length) => *length as usize * item.data_type().primitive_width().unwrap_or(1),
        DataType::List(item) if *item.data_type() == DataType::Utf8 => 700,
        DataType::List(_) => 400,
        DataType::Utf8 => 480,
        _ => 8,
    };
    plan.schema().fields().iter().map(|field| bytes(field.data_type())).sum()
}

/// The products that can be asked for, in the order of their columns in a result. Of each: its `name`; the `function` that SQL
/// engines have for it; its `definition` in one sentence; the `options` that it heeds; and its `columns`, with what each
/// holds.
///
/// >>> import slider_attacks
/// >>> [product["name"] for product in slider_attacks.products()][:3]
/// ['pieces', 'maps', 'counts']
/// >>> slider_attacks.products()[6]["columns"]["white_hanging"]
/// 'the white pieces that hang: attacked by Black, not defended by White'
#[pyfunction]
pub fn products(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |product: &Product| {
        let (entry, columns) = (PyDict::new(py), PyDict::new(py));
        for column in product.columns() {
            columns.set_item(column.name(), column.meaning())?;
        }
        entry.set_item("name", product.name())?;
        entry.set_item("function", product.function())?;
        entry.set_item("definition", product.definition())?;
        entry.set_item("options", product.options())?;
        entry.set_item("columns", columns)?;
        Ok(entry)
    };
    Product::ALL.iter().map(entry).collect()
}

/// Returns the names and types of the columns that `analyze` returns for these products: a `Schema`, which `pyarrow.schema`
/// accepts.
///
/// >>> import slider_attacks
/// >>> slider_attacks.schema(["maps", "counts"])
/// slider_attacks.Schema: 4 columns
/// white_attacks    uint64
/// black_attacks    uint64
/// white_attackers  uint8[64]
/// black_attackers  uint8[64]
/// >>> import pyarrow
/// >>> pyarrow.schema(slider_attacks.schema("maps", integers="signed")).names
/// ['white_attacks', 'black_attacks']
#[pyfunction]
#[pyo3(signature = (what=None, *, on_error="raise", integers="unsigned"),
       text_signature = "(what='maps', *, on_error='raise', integers='unsigned')")]
pub fn schema(what: Option<&Bound<'_, PyAny>>, on_error: &str, integers: &str) -> PyResult<Schema> {
    let plan = plan(what, integers, Options::default(), None)?.on_error(on_error_named(on_error, OnError::ALL)?);
    Ok(Schema::new(plan.schema().fields()))
}
