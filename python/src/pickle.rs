//! Objects as bytes, for `pickle`: a stream of Arrow's IPC format, and what was wrong with rows.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::PyTypeInfo;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use slider_attacks_files::parquet::catch_panics;

use crate::errors::PythonErrors;
use crate::index::memory;
use crate::numbers::{type_error, value_error};
use crate::pandas::PandasIndex;
use crate::work::memory_for;

/// What `__reduce__` returns: these columns, or none, will be an object of this type again.
pub fn reduce<'py, T: PyTypeInfo>(
    py: Python<'py>,
    schema: &Schema,
    columns: Option<&RecordBatch>,
    errors: &PythonErrors,
    index: &PandasIndex,
) -> PyResult<Bound<'py, PyTuple>> {
    // Parts of arrays may be copied, and then all is.
    memory_for(2 * columns.map_or(0, |columns| columns.columns().iter().map(memory).sum()))?;
    let encode = || -> Result<Vec<Buffer>, ArrowError> {
        let mut encoder = StreamEncoder::try_new(schema)?;
        let mut buffers = columns.map_or_else(|| Ok(Vec::new()), |columns| encoder.encode(columns))?;
        buffers.extend(encoder.finish()?);
        Ok(buffers)
    };
    let buffers = py.detach(encode).map_err(type_error)?;
    let stream = PyBytes::new_with(py, buffers.iter().map(Buffer::len).sum(), |mut stream| {
        for buffer in &buffers {
            let (part, rest) = stream.split_at_mut(buffer.len());
            part.copy_from_slice(buffer);
            stream = rest;
        }
        Ok(())
    })?;
    let restore = py.import(intern!(py, "slider_attacks._native"))?.getattr(intern!(py, "_restore"))?;
    let PythonErrors { first, count, left_out } = errors.clone();
    (restore, (py.get_type::<T>(), stream, first, count, index.get(py), left_out)).into_pyobject(py)
}

/// The schema and the columns of a stream. Nothing that it says is believed.
pub fn read(py: Python<'_>, stream: &[u8]) -> PyResult<(SchemaRef, Option<RecordBatch>)> {
    memory_for(2 * stream.len())?;
    py.detach(|| {
        // The reader panics at some malformed streams.
        let read = catch_panics(|| {
            let (mut rest, mut decoder, mut columns) = (Buffer::from(stream), StreamDecoder::new(), None);
            while let Some(batch) = decoder.decode(&mut rest)? {
                if columns.replace(batch).is_some() {
                    return Err(ArrowError::IpcError("there are several batches".into()));
                }
            }
            decoder.finish()?;
            let schema = decoder.schema().ok_or_else(|| ArrowError::IpcError("there is no schema".into()))?;
            Ok((schema, columns))
        });
        read.map_err(|error| value_error(format!("malformed pickle: {error}")))?
            .map_err(|error| value_error(format!("malformed pickle: {error}")))
    })
}
