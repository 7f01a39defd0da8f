//! What to compute: the products, the names and types of their columns, and the options that all calls have.

use std::sync::Arc;

use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyString};
use slider_attacks_arrow::{OnError, Plan, Product};

use crate::capsule;
use crate::columns::struct_field;
use crate::numbers::{backend as backend_named, named, on_error as on_error_named};

/// A name, or several.
pub fn names(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(vec![name.to_str()?.to_owned()]);
    }
    object.try_iter()?.map(|name| Ok(name?.cast::<PyString>()?.to_str()?.to_owned())).collect()
}

/// The plan of the products that `what` names: of maps, if it is `None`.
pub fn plan(
    what: Option<&Bound<'_, PyAny>>,
    integers: &str,
    through: &str,
    victims: &str,
    backend: Option<&str>,
) -> PyResult<Plan> {
    let names = what.map_or_else(|| Ok(vec!["maps".to_owned()]), names)?;
    let products = names.iter().map(|name| named("what", name)).collect::<PyResult<Vec<_>>>()?;
    plan_of(products, integers, through, victims, backend)
}

/// The plan of these products.
pub fn plan_of(
    products: Vec<Product>,
    integers: &str,
    through: &str,
    victims: &str,
    backend: Option<&str>,
) -> PyResult<Plan> {
    let plan = Plan::new(products).integers(named("integers", integers)?).backend(backend_named(backend)?);
    Ok(plan.through(named("through", through)?).victims(named("victims", victims)?))
}

/// The products that can be asked for, in the order of their columns in a result. Of each: its `name`; the `function` that SQL
/// engines have for it; its `definition` in one sentence; the `option` that it heeds, or None; and its `columns`, with what each
/// holds.
///
/// >>> import slider_attacks
/// >>> [product["name"] for product in slider_attacks.products()][:3]
/// ['maps', 'counts', 'mobility']
/// >>> slider_attacks.products()[0]["columns"]
/// {'white_attacks': 'the squares that White attacks', 'black_attacks': 'the squares that Black attacks'}
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
        entry.set_item("option", product.option())?;
        entry.set_item("columns", columns)?;
        Ok(entry)
    };
    Product::ALL.iter().map(entry).collect()
}

/// The names and types of the columns that `analyze` returns for these products: an object with `__arrow_c_schema__`, which
/// `pyarrow.schema` takes.
///
/// >>> import slider_attacks
/// >>> import pyarrow
/// >>> pyarrow.schema(slider_attacks.schema("maps", integers="signed")).names
/// ['white_attacks', 'black_attacks']
#[pyfunction]
#[pyo3(signature = (what=None, *, on_error="raise", integers="unsigned"),
       text_signature = "(what=('maps',), *, on_error='raise', integers='unsigned')")]
pub fn schema(what: Option<&Bound<'_, PyAny>>, on_error: &str, integers: &str) -> PyResult<Schema> {
    let plan = plan(what, integers, "any", "enemy", None)?.on_error(on_error_named(on_error, OnError::ALL)?);
    Ok(Schema(struct_field(plan.schema().fields())))
}

/// The names and types of columns.
#[pyclass(frozen, module = "slider_attacks")]
pub struct Schema(pub Arc<Field>);

#[pymethods]
impl Schema {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.0)
    }
}
