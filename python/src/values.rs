//! The values of Arrow arrays as Python objects, and as short text.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_schema::DataType;
use pyo3::exceptions::PyImportError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

use crate::capsule::ArrowExport;
use crate::index::memory;
use crate::numbers::type_error;
use crate::work::{between, memory_for};

/// How many rows of lists or structs are made at a time, from lists of their parts.
const CHUNK: usize = 1024;

/// The values as a list, as `to_pylist` of pyarrow gives them. Other threads run meanwhile, and signals are heard.
pub fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    fn primitive<'py, T>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>>
    where
        T: ArrowPrimitiveType<Native: IntoPyObject<'py>>,
    {
        each(py, array.as_primitive::<T>().iter())
    }
    let bytes = |bytes| PyBytes::new(py, bytes);
    match array.data_type() {
        DataType::UInt64 => primitive::<UInt64Type>(py, array),
        DataType::Int64 => primitive::<Int64Type>(py, array),
        DataType::UInt32 => primitive::<UInt32Type>(py, array),
        DataType::Int32 => primitive::<Int32Type>(py, array),
        DataType::UInt16 => primitive::<UInt16Type>(py, array),
        DataType::Int16 => primitive::<Int16Type>(py, array),
        DataType::UInt8 => primitive::<UInt8Type>(py, array),
        DataType::Int8 => primitive::<Int8Type>(py, array),
        DataType::Float64 => primitive::<Float64Type>(py, array),
        DataType::Float32 => primitive::<Float32Type>(py, array),
        DataType::Boolean => each(py, array.as_boolean().iter()),
        DataType::Utf8 => each(py, array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => each(py, array.as_string::<i64>().iter()),
        DataType::Utf8View => each(py, array.as_string_view().iter()),
        DataType::Binary => each(py, array.as_binary::<i32>().iter().map(|value| value.map(bytes))),
        DataType::LargeBinary => each(py, array.as_binary::<i64>().iter().map(|value| value.map(bytes))),
        DataType::BinaryView => each(py, array.as_binary_view().iter().map(|value| value.map(bytes))),
        DataType::FixedSizeBinary(_) => each(py, array.as_fixed_size_binary().iter().map(|value| value.map(bytes))),
        DataType::List(_) => lists(py, array.as_list::<i32>()),
        DataType::LargeList(_) => lists(py, array.as_list::<i64>()),
        &DataType::FixedSizeList(_, length) => {
            let length = length as usize;
            rows_of_items(py, array, array.as_fixed_size_list().values(), |row| row * length..(row + 1) * length)
        }
        DataType::Struct(_) => structs(py, array),
        DataType::Dictionary(keys, _) => match **keys {
            DataType::UInt64 => entries::<UInt64Type>(py, array),
            DataType::Int64 => entries::<Int64Type>(py, array),
            DataType::UInt32 => entries::<UInt32Type>(py, array),
            DataType::Int32 => entries::<Int32Type>(py, array),
            DataType::UInt16 => entries::<UInt16Type>(py, array),
            DataType::Int16 => entries::<Int16Type>(py, array),
            DataType::UInt8 => entries::<UInt8Type>(py, array),
            _ => entries::<Int8Type>(py, array),
        },
        DataType::Null => each(py, (0..array.len()).map(|_| None::<bool>)),
        other => {
            // Times and decimals of many kinds, which only columns to keep have.
            let pyarrow = py.import(intern!(py, "pyarrow")).map_err(|error| {
                if error.is_instance_of::<PyImportError>(py) {
                    type_error(format!(
                        "values of type {} become objects by pyarrow only: pip install pyarrow",
                        type_text(other)
                    ))
                } else {
                    error
                }
            })?;
            let array = pyarrow.call_method1(intern!(py, "array"), (ArrowExport(array.clone()),))?;
            Ok(array.call_method0(intern!(py, "to_pylist"))?.cast_into()?)
        }
    }
}

/// The memory of the values as objects in a list of Python, about. Objects that got no memory would end in a panic.
pub fn object_memory(array: &ArrayRef) -> usize {
    /// The bytes of a reference, of a number, of a text next to its characters, of a list and of a dictionary in addition to what they hold.
    const SIZES: [usize; 5] = [8, 32, 64, 72, 240];
    let [reference, number, text, list, dictionary] = SIZES.map(|size| size * array.len());
    let items = |values: &ArrayRef, start: usize, end: usize| list + object_memory(&values.slice(start, end - start));
    reference
        + match array.data_type() {
            DataType::Null | DataType::Boolean | DataType::UInt8 => 0, // Python has these objects already
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text + memory(array),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => text + memory(array),
            DataType::List(_) => {
                let array = array.as_list::<i32>();
                items(array.values(), array.value_offsets()[0] as usize, array.value_offsets()[array.len()] as usize)
            }
            DataType::LargeList(_) => {
                let array = array.as_list::<i64>();
                items(array.values(), array.value_offsets()[0] as usize, array.value_offsets()[array.len()] as usize)
            }
            DataType::FixedSizeList(..) => {
                let array = array.as_fixed_size_list();
                items(array.values(), 0, array.values().len())
            }
            DataType::Struct(_) => dictionary + array.as_struct().columns().iter().map(object_memory).sum::<usize>(),
            _ => number,
        }
}

/// The value of a row, which must be one of the array.
pub fn value<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    list(py, &array.slice(row, 1))?.get_item(0)
}

/// A list of these values.
fn each<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<T>>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (turn, value) in values.enumerate() {
        between(py, turn)?;
        list.append(value)?;
    }
    Ok(list)
}

fn lists<'py, O: OffsetSizeTrait>(py: Python<'py>, array: &GenericListArray<O>) -> PyResult<Bound<'py, PyList>> {
    let offsets = array.value_offsets();
    rows_of_items(py, array, array.values(), |row| offsets[row].as_usize()..offsets[row + 1].as_usize())
}

/// Lists of the items of each row.
fn rows_of_items<'py>(
    py: Python<'py>,
    array: &dyn arrow_array::Array,
    items: &ArrayRef,
    items_of: impl Fn(usize) -> Range<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let rows = PyList::empty(py);
    for first in (0..array.len()).step_by(CHUNK) {
        let end = array.len().min(first + CHUNK);
        let start = items_of(first).start;
        let items = list(py, &items.slice(start, items_of(end - 1).end - start))?;
        for row in first..end {
            between(py, 64 * row + 63)?;
            let of = items_of(row);
            rows.append(array.is_valid(row).then(|| items.get_slice(of.start - start, of.end - start)))?;
        }
    }
    Ok(rows)
}

/// Dictionaries of the fields of each row.
fn structs<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let structs = array.as_struct();
    let rows = PyList::empty(py);
    let names: Vec<_> = structs.fields().iter().map(|field| PyString::new(py, field.name())).collect();
    for first in (0..array.len()).step_by(CHUNK) {
        let length = CHUNK.min(array.len() - first);
        let fields = structs.columns().iter().map(|column| list(py, &column.slice(first, length)));
        let fields = fields.collect::<PyResult<Vec<_>>>()?;
        for row in 0..length {
            between(py, 16 * (first + row) + 15)?;
            if structs.is_null(first + row) {
                rows.append(py.None())?;
                continue;
            }
            let entries = PyDict::new(py);
            for (name, field) in names.iter().zip(&fields) {
                entries.set_item(name, field.get_item(row)?)?;
            }
            rows.append(entries)?;
        }
    }
    Ok(rows)
}

/// The dictionary entries of the rows.
fn entries<'py, K: ArrowDictionaryKeyType>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let array = array.as_dictionary::<K>();
    let rows = PyList::empty(py);
    // One row of a large dictionary is asked for more often than all of a small one.
    if array.len() < array.values().len() {
        for row in 0..array.len() {
            between(py, row)?;
            rows.append(array.key(row).map(|key| value(py, array.values(), key)).transpose()?)?;
        }
        return Ok(rows);
    }
    memory_for(size_of::<usize>() * array.values().len())?;
    let values = list(py, array.values())?;
    for row in 0..array.len() {
        between(py, row)?;
        rows.append(array.key(row).map(|key| values.get_item(key)).transpose()?)?;
    }
    Ok(rows)
}

/// The name of a type: `uint64`, `uint8[64]`, `list<{attacker: uint8, …}>`.
pub fn type_text(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "bool".into(),
        DataType::Utf8 => "string".into(),
        DataType::LargeUtf8 => "large_string".into(),
        DataType::Utf8View => "string_view".into(),
        DataType::FixedSizeList(item, length) => format!("{}[{length}]", type_text(item.data_type())),
        DataType::List(item) => format!("list<{}>", type_text(item.data_type())),
        DataType::LargeList(item) => format!("large_list<{}>", type_text(item.data_type())),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| format!("{}: {}", field.name(), type_text(field.data_type())));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        DataType::Dictionary(keys, values) => {
            format!("dictionary<{}, {}>", type_text(keys), type_text(values))
        }
        other if other.is_primitive() && !other.is_temporal() => other.to_string().to_lowercase(),
        other => other.to_string(),
    }
}

/// How many items of a list its text has.
const ITEMS: usize = 3;

/// A value as short text of one line. `boards` is whether integers are bitboards.
pub fn short(value: &Bound<'_, PyAny>, boards: bool) -> PyResult<String> {
    if value.is_none() {
        return Ok("null".into());
    }
    if boards && value.is_instance_of::<PyInt>() {
        let board = value.extract::<u64>().or_else(|_| value.extract::<i64>().map(i64::cast_unsigned))?;
        return Ok(format!("{board:#x}"));
    }
    if let Ok(items) = value.cast::<PyList>() {
        let mut texts = items.iter().take(ITEMS).map(|item| short(&item, false)).collect::<PyResult<Vec<String>>>()?;
        if items.len() > ITEMS {
            texts.push(format!("… {} more", items.len() - ITEMS));
        }
        return Ok(format!("[{}]", texts.join(", ")));
    }
    if let Ok(entries) = value.cast::<PyDict>()
        && let Some(threat) = threat(entries)?
    {
        return Ok(threat);
    }
    Ok(one_line(value.str()?.to_str()?, 24))
}

/// A threat as in `Ra1xpa7`, if these are the entries of one.
fn threat(entries: &Bound<'_, PyDict>) -> PyResult<Option<String>> {
    let mut parts = [0; 4];
    for (part, name) in parts.iter_mut().zip(["attacker", "from", "victim", "to"]) {
        let Some(Ok(number)) = entries.get_item(name)?.map(|number| number.extract::<u8>()) else { return Ok(None) };
        *part = number;
    }
    let [attacker, from, victim, to] = parts;
    let (Some(from), Some(to)) = (slider_attacks::Square::new(from), slider_attacks::Square::new(to)) else {
        return Ok(None);
    };
    let letters = [attacker, victim].iter().all(u8::is_ascii_alphabetic);
    Ok(letters.then(|| format!("{}{from}x{}{to}", char::from(attacker), char::from(victim))))
}

/// The beginning of a text, of at most this many characters, without line breaks and other controls.
pub fn one_line(text: &str, most: usize) -> String {
    let mut characters = text.chars().flat_map(|character| {
        if character.is_control() { character.escape_default().collect::<Vec<_>>() } else { vec![character] }
    });
    let line: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() { format!("{line}…") } else { line }
}
