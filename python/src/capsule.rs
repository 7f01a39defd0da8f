//! Arrow arrays in and out without a copy, through the PyCapsule interface. All its unsafe code is here.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>
//!
//! The producer of an array guarantees that non-null pointers are valid, that buffers are as long as the array needs, and that
//! nobody changes them. This module cannot check that. All other claims are checked before use: nulls are counted again, and
//! offsets, keys and views are bounds-checked.

use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatchReader, make_array, new_empty_array};
use arrow_data::transform::MutableArrayData;
use arrow_data::{ArrayData, layout};
use arrow_schema::{DataType, Field, Fields, UnionMode};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::numbers::{type_error, value_error};
use crate::work::memory_for;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The arrays that `object` offers, or `None` if it does not speak the interface. Of a table with one column, that column.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let arrays = import_columns(object, |fields| Ok((0..fields.len()).collect()))?;
    Ok(arrays.map(|arrays| arrays.into_iter().map(column).collect()))
}

/// Arrays of one type as one array: a copy, unless there is only one. Fails if it would be too long for its type.
pub fn one(arrays: &[ArrayRef]) -> PyResult<ArrayRef> {
    if let [array] = arrays {
        return Ok(array.clone());
    }
    let pieces: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let length = pieces.iter().map(|piece| piece.len()).sum();
    memory_for(pieces.iter().map(|piece| piece.get_slice_memory_size().unwrap_or(0)).sum())?;
    let mut whole = MutableArrayData::new(pieces.iter().collect(), false, length);
    for (number, piece) in pieces.iter().enumerate() {
        whole.try_extend(number, 0, piece.len()).map_err(value_error)?;
    }
    Ok(make_array(whole.freeze()))
}

/// The same as [`import`], but tables stay tables, and have only the columns that `choose` names by their places. Nobody looks at the values of
/// the others.
pub fn import_columns(
    object: &Bound<'_, PyAny>,
    choose: impl Fn(&Fields) -> PyResult<Vec<usize>>,
) -> PyResult<Option<Vec<ArrayRef>>> {
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
        let kind = kind_of(schema)?;
        let chosen = chosen(&kind, choose)?;
        vec![py.detach(|| received(array, &kind, &chosen))?]
    } else if let Some(stream) = offers("__arrow_c_stream__")? {
        let stream = stream.cast_into::<PyCapsule>()?;
        let stream = stream.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: as above.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        chunks(py, stream, choose)?
    } else {
        return Ok(None);
    };
    Ok(Some(arrays))
}

/// Which columns are wanted of arrays of this type, if they are tables.
fn chosen(kind: &DataType, choose: impl Fn(&Fields) -> PyResult<Vec<usize>>) -> PyResult<Vec<usize>> {
    if let DataType::Struct(fields) = kind { choose(fields) } else { Ok(Vec::new()) }
}

/// The arrays of a stream, which may be of any type. The stream reader of `arrow-array` takes none but record batches.
///
/// The one who offers may have threads that need the interpreter, so that it is let go meanwhile. Signals are heard.
fn chunks(
    py: Python<'_>,
    mut stream: FFI_ArrowArrayStream,
    choose: impl Fn(&Fields) -> PyResult<Vec<usize>>,
) -> PyResult<Vec<ArrayRef>> {
    let (Some(get_schema), Some(get_next), Some(_)) = (stream.get_schema, stream.get_next, stream.release) else {
        return Err(value_error("Arrow stream already consumed"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    let (from, to) = (&mut stream, &mut schema);
    // SAFETY: the stream is not released, and the schema is empty.
    if py.detach(|| unsafe { get_schema(from, to) }) != 0 {
        return Err(failure(&mut stream));
    }
    let kind = kind_of(&schema)?;
    let chosen = chosen(&kind, choose)?;
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        let (from, to) = (&mut stream, &mut array);
        // SAFETY: the stream is not released, and the array is empty.
        if py.detach(|| unsafe { get_next(from, to) }) != 0 {
            return Err(failure(&mut stream));
        }
        if array.is_released() {
            break;
        }
        chunks.push(py.detach(|| received(array, &kind, &chosen))?);
        py.check_signals()?;
    }
    if chunks.is_empty() {
        chunks.push(new_empty_array(&reduced(&kind, &chosen)));
    }
    Ok(chunks)
}

/// An error of the one who offers an array.
fn malformed(what: impl fmt::Display) -> PyErr {
    value_error(format!("malformed Arrow data: {what}"))
}

/// More elements than any memory has.
const MOST: i64 = 1 << 48;

/// How deep types may be nested.
const DEEPEST: usize = 64;

/// The type of a schema, whose claims are checked before.
fn kind_of(schema: &FFI_ArrowSchema) -> PyResult<DataType> {
    if schema.release.is_none() {
        return Err(value_error("Arrow schema already released"));
    }
    check_schema(schema, 0)?;
    DataType::try_from(schema).map_err(type_error)
}

/// Fails if reading the schema would.
fn check_schema(schema: *const FFI_ArrowSchema, depth: usize) -> PyResult<()> {
    /// The text, if there is one.
    fn text<'a>(text: *const std::ffi::c_char) -> PyResult<Option<&'a str>> {
        if text.is_null() {
            return Ok(None);
        }
        // SAFETY: it is a text that ends with a zero, as the one who offers promises. It is used only while the schema lives.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_str().map(Some).map_err(|_| malformed("a format or a name is not UTF-8"))
    }
    // SAFETY: a pointer that is not null is good, as the one who offers promises.
    let schema = unsafe { schema.as_ref() }.ok_or_else(|| malformed("a type has no schema"))?;
    let format = text(schema.format)?.ok_or_else(|| malformed("a type has no format"))?;
    text(schema.name)?;
    let children = match format {
        "+l" | "+L" | "+vl" | "+vL" | "+m" => Some(1),
        "+r" => Some(2),
        _ if format.starts_with("+w:") => Some(1),
        _ if format.starts_with('+') => None,
        _ => Some(0),
    };
    if depth > DEEPEST || !(0..=1 << 20).contains(&schema.n_children) {
        return Err(malformed(format_args!("a type {format:?} with {} children at depth {depth}", schema.n_children)));
    }
    if children.is_some_and(|children| children != schema.n_children)
        || schema.n_children > 0 && schema.children.is_null()
        || format.strip_prefix('+').unwrap_or(format).starts_with("w:-")
    {
        return Err(malformed(format_args!("a type {format:?} with {} children", schema.n_children)));
    }
    if !schema.metadata.is_null() {
        // SAFETY: metadata begin with a number of entries.
        let entries = unsafe { schema.metadata.cast::<i32>().read_unaligned() };
        if !(0..=1 << 16).contains(&entries) {
            return Err(malformed(format_args!("{entries} entries of metadata")));
        }
    }
    for at in 0..schema.n_children as usize {
        // SAFETY: there are this many, as the one who offers promises.
        let child = unsafe { schema.children.add(at).read_unaligned() };
        check_schema(child, depth + 1)?;
        // SAFETY: this has just been checked.
        let of_child = text(unsafe { (*child).format })?.unwrap_or_default();
        // SAFETY: as above.
        let columns = unsafe { (*child).n_children };
        let fits = match (format, at) {
            ("+m", _) => of_child == "+s" && columns == 2,
            ("+r", 0) => matches!(of_child, "s" | "i" | "l"),
            _ => true,
        };
        if !fits {
            return Err(malformed(format_args!("a type {format:?} of {of_child:?}")));
        }
    }
    if !schema.dictionary.is_null() {
        if !matches!(format, "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L") {
            return Err(malformed(format_args!("a dictionary with keys of type {format:?}")));
        }
        check_schema(schema.dictionary, depth + 1)?;
    }
    Ok(())
}

/// The type of a table that has only the columns at these places, or the type itself.
fn reduced(kind: &DataType, chosen: &[usize]) -> DataType {
    match kind {
        DataType::Struct(fields) => DataType::Struct(chosen.iter().map(|&at| fields[at].clone()).collect()),
        kind => kind.clone(),
    }
}

/// The array, which must be of this type. Of a table, only the columns at these places are looked at and kept.
fn received(mut array: FFI_ArrowArray, kind: &DataType, chosen: &[usize]) -> PyResult<ArrayRef> {
    if array.is_released() {
        return Err(value_error("Arrow array already consumed"));
    }
    check_array(&raw mut array, kind)?;
    // The buffers of an array without rows may be missing.
    if array.is_empty() {
        return Ok(new_empty_array(&reduced(kind, chosen)));
    }
    // SAFETY: what `check_array` has found, and what the one who offers the array promises.
    let mut data = unsafe { from_ffi_and_data_type(array, kind.clone()) }.map_err(type_error)?;
    if matches!(kind, DataType::Struct(_)) {
        let children = chosen.iter().map(|&at| data.child_data()[at].clone()).collect();
        let builder = data.into_builder().data_type(reduced(kind, chosen)).child_data(children);
        // SAFETY: the columns that are left are as they were. They are validated below.
        data = unsafe { builder.build_unchecked() };
    }
    // Numbers of any value are good. All else is looked at.
    let valid = if kind.is_primitive() { data.validate() } else { as_bytes(&data).validate_full() };
    valid.map_err(value_error)?;
    Ok(make_array(data))
}

/// Fails if importing an array of this type would rely on a claim that is wrong. Has the nulls counted again.
fn check_array(array: *mut FFI_ArrowArray, kind: &DataType) -> PyResult<()> {
    // SAFETY: a pointer that is not null is good, as the one who offers promises, and the array is ours to change.
    let array = unsafe { array.as_mut() }.ok_or_else(|| malformed("a child or a dictionary is missing"))?;
    let wrong = |what: &str, number: i64| Err(malformed(format_args!("{what} {number} of an array of {kind}")));
    if *kind == DataType::Null && array.n_buffers == 1 {
        array.n_buffers = 0; // Polars has one for a bitmap, where the interface knows none
    }
    let (length, offset, count) = (array.length, array.offset, array.n_buffers);
    if !(0..=MOST).contains(&length) {
        return wrong("length", length);
    }
    if !(0..=MOST).contains(&offset) {
        return wrong("offset", offset);
    }
    let end = offset + length;
    let layout = layout(kind);
    let mask = usize::from(layout.can_contain_null_mask);
    let needed = (mask + layout.buffers.len() + usize::from(layout.variadic)) as i64;
    if count < needed || count > needed && !layout.variadic || count > 0 && array.buffers.is_null() {
        return wrong("number of buffers", count);
    }
    // SAFETY: there are this many buffers, as has just been compared.
    let buffer = |at: usize| unsafe { array.buffers.add(at).read_unaligned() };
    if length > 0 && mask > 0 && array.null_count > 0 && buffer(0).is_null() {
        return wrong("without a bitmap, number of nulls", array.null_count);
    }
    let offsets = match kind {
        DataType::Utf8 | DataType::Binary | DataType::List(_) | DataType::Map(..) => size_of::<i32>(),
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_) => size_of::<i64>(),
        _ => 0,
    };
    if offsets > 0 && length > 0 {
        let start = buffer(1).cast::<u8>();
        if start.is_null() {
            return wrong("without offsets, length", length);
        }
        let read = |row: i64| {
            // SAFETY: there are offsets up to that of the end, as the one who offers promises.
            let place = unsafe { start.add(row as usize * offsets) };
            // SAFETY: as above.
            unsafe {
                if offsets == 4 {
                    place.cast::<i32>().read_unaligned().into()
                } else {
                    place.cast::<i64>().read_unaligned()
                }
            }
        };
        let (first, last) = (read(offset), read(end));
        if first < 0 || first > last || last > MOST {
            return wrong("last offset", last);
        }
    }
    if layout.variadic && count > needed {
        let lengths = buffer(count as usize - 1).cast::<i64>();
        // SAFETY: there is one for each buffer of text.
        let length = |at: i64| unsafe { lengths.add(at as usize).read_unaligned() };
        if lengths.is_null() || (0..count - needed).any(|at| !(0..=MOST).contains(&length(at))) {
            return wrong("lengths of texts for number of buffers", count);
        }
    }
    // The children, and how long each of them must be.
    let children: Vec<(&DataType, i64)> = match kind {
        DataType::Struct(fields) => fields.iter().map(|field| (field.data_type(), end)).collect(),
        DataType::Union(fields, mode) => {
            let least = if *mode == UnionMode::Sparse { end } else { 0 };
            fields.iter().map(|(_, field)| (field.data_type(), least)).collect()
        }
        DataType::FixedSizeList(field, size) => vec![(field.data_type(), end.saturating_mul((*size).into()))],
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => vec![(field.data_type(), 0)],
        DataType::RunEndEncoded(ends, values) => vec![(ends.data_type(), 0), (values.data_type(), 0)],
        _ => Vec::new(),
    };
    if array.n_children != children.len() as i64 || !children.is_empty() && array.children.is_null() {
        return wrong("number of children", array.n_children);
    }
    for (at, (kind, least)) in children.into_iter().enumerate() {
        // SAFETY: there are this many, as has just been compared.
        let child = unsafe { array.children.add(at).read_unaligned() };
        check_array(child, kind)?;
        // SAFETY: this has just been checked.
        let length = unsafe { (*child).length };
        if length < least {
            return wrong("too short for that: a child with length", length);
        }
    }
    if let DataType::Dictionary(_, values) = kind {
        check_array(array.dictionary, values)?;
    }
    array.null_count = -1; // unknown
    Ok(())
}

/// The same data with bytes in place of texts, whose characters nobody here relies on, and which would take time to check.
fn as_bytes(data: &ArrayData) -> ArrayData {
    let children: Vec<ArrayData> = match data.data_type() {
        DataType::Struct(_) | DataType::Dictionary(..) => data.child_data().iter().map(as_bytes).collect(),
        _ => data.child_data().to_vec(),
    };
    let kind = match data.data_type() {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(keys, _) => DataType::Dictionary(keys.clone(), Box::new(children[0].data_type().clone())),
        DataType::Struct(fields) => {
            let fields = fields.iter().zip(&children);
            DataType::Struct(
                fields.map(|(field, child)| Field::clone(field).with_data_type(child.data_type().clone())).collect(),
            )
        }
        other => other.clone(),
    };
    let data = data.clone().into_builder().data_type(kind).child_data(children);
    // SAFETY: it is made only to be validated.
    unsafe { data.build_unchecked() }
}

/// The message of the last failure of the stream.
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

/// An array for other packages. `Array` is the same for users.
#[pyclass(frozen, module = "slider_attacks._native")]
pub struct ArrowExport(pub ArrayRef);

#[pymethods]
impl ArrowExport {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        export(py, &self.0, &field(self.0.data_type()))
    }
}
