//! Arrow arrays in and out without a copy, by the PyCapsule interface: all unsafe code of it is here.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatchReader, make_array};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::numbers::{type_error, value_error};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The arrays that `object` offers, or `None` if it does not speak the interface. Of a table with one column, that column.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let py = object.py();
    let offers = |name: &str| {
        let Some(offer) = object.getattr_opt(name)? else { return Ok(None) };
        match offer.call0() {
            // A Series of pandas needs pyarrow for this. Without it, it is a NumPy array all the same.
            Err(error) if error.is_instance_of::<PyImportError>(py) && object.hasattr("__array__")? => Ok(None),
            offered => offered.map(Some),
        }
    };
    let arrays = if let Some(pair) = offers("__arrow_c_array__")? {
        let (schema, array) = pair.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: capsules of these names hold such structures. Taking an array leaves a released one behind, which the
        // capsule passes over when it is dropped.
        let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
        vec![received(array, schema)?]
    } else if let Some(stream) = offers("__arrow_c_stream__")? {
        let stream = stream.cast_into::<PyCapsule>()?;
        let stream = stream.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: as above.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        // The one who offers may have threads that need the interpreter.
        py.detach(|| chunks(stream))?
    } else {
        return Ok(None);
    };
    Ok(Some(arrays.into_iter().map(column).collect()))
}

/// The arrays of a stream, which may be of any type. The stream reader of `arrow-array` takes none but record batches.
fn chunks(mut stream: FFI_ArrowArrayStream) -> PyResult<Vec<ArrayRef>> {
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(value_error("the Arrow stream has been read before"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, and the schema is empty.
    if unsafe { get_schema(&raw mut stream, &raw mut schema) } != 0 {
        return Err(failure(&mut stream));
    }
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and the array is empty.
        if unsafe { get_next(&raw mut stream, &raw mut array) } != 0 {
            return Err(failure(&mut stream));
        }
        if array.is_released() {
            break;
        }
        chunks.push(received(array, &schema)?);
    }
    if chunks.is_empty() {
        let kind = DataType::try_from(&schema).map_err(type_error)?;
        chunks.push(arrow_array::new_empty_array(&kind));
    }
    Ok(chunks)
}

/// The array, which must be of this schema.
fn received(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<ArrayRef> {
    if array.is_released() {
        return Err(value_error("the Arrow array has been taken before"));
    }
    // SAFETY: the object that offers an array with a schema by the interface promises that they belong together.
    let data = unsafe { from_ffi(array, schema) }.map_err(type_error)?;
    // The number and the length of its buffers, without a look at all values. The import of an array without rows leaves out
    // what its offsets point to.
    if !data.is_empty() {
        data.validate().map_err(value_error)?;
    }
    Ok(make_array(data))
}

/// What the stream says about its last failure.
fn failure(stream: &mut FFI_ArrowArrayStream) -> PyErr {
    let text = stream.get_last_error.and_then(|get_last_error| {
        // SAFETY: the stream is not released. The text lives until its next call.
        let text = unsafe { get_last_error(stream) };
        // SAFETY: the interface says that this is a text that ends with a zero, or null.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    value_error(text.unwrap_or_else(|| "the Arrow stream failed".to_owned()))
}

/// The column of a table that has no other, or the array itself.
fn column(array: ArrayRef) -> ArrayRef {
    match array.as_struct_opt() {
        Some(table) if table.num_columns() == 1 && table.null_count() == 0 => table.column(0).clone(),
        _ => array,
    }
}

/// The pair of capsules that `__arrow_c_array__` returns.
pub fn export<'py>(py: Python<'py>, array: &dyn Array, field: &Field) -> PyResult<Bound<'py, PyTuple>> {
    let array = FFI_ArrowArray::new(&array.to_data());
    PyTuple::new(py, [export_schema(py, field)?, PyCapsule::new_with_value(py, array, ARRAY)?])
}

/// The capsule that `__arrow_c_schema__` returns.
pub fn export_schema<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(field).map_err(type_error)?, SCHEMA)
}

/// The capsule that `__arrow_c_stream__` returns.
pub fn export_stream<'py>(
    py: Python<'py>,
    batches: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), STREAM)
}

/// A field for an array of this type, without a name.
pub fn field(kind: &DataType) -> Arc<Field> {
    Arc::new(Field::new("", kind.clone(), true))
}
