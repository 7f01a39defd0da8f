//! What to compute: the products, the names and types of their columns, and the options that all calls have.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyString, PyTuple};
use slider_attacks_arrow::{OnError, Plan, Product};
use slider_attacks_files::fen::is_board;

use crate::batch::{Errors, struct_field};
use crate::numbers::{backend as backend_named, named, on_error as on_error_named, type_error, type_name, value_error};
use crate::pandas::PandasIndex;
use crate::values::{one_line, type_text};
use crate::{capsule, pickle};

/// What `read` calls the columns of bitboards, which are no product.
pub const BOARDS: &str = "boards";

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
    let names = object.try_iter().map_err(|_| wrong(object))?.map(|name| {
        let name = name?;
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
        _ if is_board(name.as_bytes()) => value_error("what is a name of products, not FEN: put all texts into one list"),
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
    options: [&str; 4],
    backend: Option<&str>,
) -> PyResult<Plan> {
    let names = what.map_or_else(|| Ok(vec!["maps".to_owned()]), |what| names("what", what))?;
    let products = names.iter().map(|name| product(name)).collect::<PyResult<Vec<_>>>()?;
    plan_of(products, integers, options, backend)
}

/// The plan of these products, with the values of `through`, `victims`, `values` and `pinned`.
pub fn plan_of(products: Vec<Product>, integers: &str, options: [&str; 4], backend: Option<&str>) -> PyResult<Plan> {
    let plan = Plan::new(products).integers(named("integers", integers)?).backend(backend_named(backend)?);
    let [through, victims, values, pinned] = options;
    let plan = plan.through(named("through", through)?).victims(named("victims", victims)?);
    Ok(plan.piece_values(named("values", values)?).pinned(named("pinned", pinned)?))
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

/// The names and types of the columns that `analyze` returns for these products: a `Schema`, which `pyarrow.schema` takes.
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
    let plan = plan(what, integers, ["any", "enemy", "1,3,3,5,9", "capture"], None)?
        .on_error(on_error_named(on_error, OnError::ALL)?);
    Ok(Schema::new(plan.schema().fields()))
}

/// The names and types of columns: an object with `__arrow_c_schema__`, which `pyarrow.schema` takes. It never changes.
///
/// `len(schema)` is the number of columns. A loop gives their names, and `==` tells whether the columns of two schemas have the
/// same names and types in the same order.
///
/// >>> import slider_attacks
/// >>> schema = slider_attacks.schema("counts")
/// >>> len(schema), list(schema), schema.types
/// (2, ['white_attackers', 'black_attackers'], ['uint8[64]', 'uint8[64]'])
#[pyclass(frozen, eq, hash, module = "slider_attacks")]
#[derive(PartialEq, Eq, Hash)]
pub struct Schema(Arc<Field>);

impl Schema {
    /// The schema of these columns.
    pub fn new(columns: &Fields) -> Schema {
        Schema(struct_field(columns))
    }

    fn fields(&self) -> &Fields {
        let DataType::Struct(fields) = self.0.data_type() else { unreachable!("`new` makes a struct") };
        fields
    }
}

#[pymethods]
impl Schema {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, as text: those of Arrow, and `uint8[64]` for lists of 64.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.fields().iter().map(|field| type_text(field.data_type())).collect()
    }

    fn __len__(&self) -> usize {
        self.fields().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.names().into_pyobject(py)?.try_iter()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<&str>().is_ok_and(|name| self.fields().find(name).is_some())
    }

    fn __repr__(&self) -> String {
        let names: Vec<String> = self.fields().iter().map(|field| one_line(field.name(), 40)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let lines =
            names.iter().zip(self.types()).map(|(name, kind)| format!("\n{name:width$}  {}", one_line(&kind, 200)));
        let columns = if names.len() == 1 { "column" } else { "columns" };
        format!("slider_attacks.Schema: {} {columns}{}", names.len(), lines.collect::<String>())
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo; // it never changes
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickle::reduce::<Schema>(
            py,
            &arrow_schema::Schema::new(self.fields().clone()),
            None,
            &Errors::default(),
            &PandasIndex::default(),
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.0)
    }
}
