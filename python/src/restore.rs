//! Objects of bytes that `pickle` has written.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::batch::Batch;
use crate::columns::Array;
use crate::errors::PythonErrors;
use crate::features::{FeatureRows, Features};
use crate::numbers::{type_error, value_error};
use crate::pandas::PandasIndex;
use crate::pickle;
use crate::positions::Positions;
use crate::schema::Schema;
use crate::summary::Summary;

/// The object of this type that `pickle` has written.
#[pyfunction]
#[pyo3(signature = (kind, stream, errors, error_count, index=None, left_out=0))]
pub fn _restore<'py>(
    kind: &Bound<'py, PyType>,
    stream: &Bound<'py, PyBytes>,
    errors: Vec<(usize, String)>,
    error_count: usize,
    index: Option<Bound<'py, PyAny>>,
    left_out: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let py = kind.py();
    let index = index.map(PandasIndex::new).unwrap_or_default();
    let (schema, columns) = pickle::read(py, stream.as_bytes())?;
    if kind.is(py.get_type::<Schema>()) {
        return Ok(Bound::new(py, Schema::new(schema.fields()))?.into_any());
    }
    let columns = columns.ok_or_else(|| value_error("malformed pickle: there are no columns"))?;
    let errors = PythonErrors { first: errors, count: error_count, left_out };
    if kind.is(py.get_type::<Batch>()) {
        return Ok(Bound::new(py, Batch::new(columns).with(errors).with_index(index))?.into_any());
    }
    if kind.is(py.get_type::<Positions>()) {
        return Ok(Bound::new(py, Positions::restored(py, columns, errors, index)?)?.into_any());
    }
    if kind.is(py.get_type::<Summary>()) {
        return Ok(Bound::new(py, Summary::restored(&columns, errors)?)?.into_any());
    }
    if kind.is(py.get_type::<Features>()) {
        return Ok(Bound::new(py, Features::restored(py, &columns)?)?.into_any());
    }
    match columns.columns() {
        [column] if kind.is(py.get_type::<FeatureRows>()) => {
            Ok(Bound::new(py, FeatureRows::restored(column)?)?.into_any())
        }
        [column] if kind.is(py.get_type::<Array>()) => Ok(Bound::new(py, Array::new(column.clone()))?.into_any()),
        _ => Err(type_error(format!("malformed pickle: no {kind} has these columns"))),
    }
}
