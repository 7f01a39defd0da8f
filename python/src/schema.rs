//! The names and types of columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};

use crate::errors::PythonErrors;
use crate::pandas::PandasIndex;
use crate::values::{one_line, type_text};
use crate::{capsule, pickle};

/// The names and types of columns: an immutable object with `__arrow_c_schema__`, which `pyarrow.schema` accepts.
///
/// `len(schema)` is the number of columns. Iteration yields their names, and `==` compares the names, types and order of the
/// columns.
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

/// The field for a table of these columns.
pub fn struct_field(columns: &Fields) -> Arc<Field> {
    Arc::new(Field::new("", DataType::Struct(columns.clone()), false))
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
            &PythonErrors::default(),
            &PandasIndex::default(),
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.0)
    }
}
