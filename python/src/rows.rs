//! Positions as callers have them: columns, tables, dictionaries and sequences become Arrow columns.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, UInt8Builder};
use arrow_array::{Array as _, ArrayRef, StructArray, UInt64Array};
use arrow_schema::Field;
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arrays::{boards, read};
use crate::capsule;
use crate::columns::one;
use crate::numbers::{square, type_error, type_name, value_error};
use crate::work::{between, memory_for, room};

/// The columns of positions that `object` has: an Arrow column of text or a table of bitboards, in pieces; a dictionary of
/// bitboards; or texts.
pub fn rows(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(arrays) = capsule::import(object)? {
        return Ok(arrays);
    }
    if let Ok(columns) = object.cast::<PyDict>() {
        return Ok(vec![table(columns)?]);
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(type_error("positions are a sequence of texts, not one text: put it into a list"));
    }
    Ok(vec![texts(object)?])
}

/// The texts of a sequence of `str`, `bytes` and `None`.
fn texts(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let mut texts = LargeBinaryBuilder::new();
    let items = object.try_iter().map_err(|_| {
        let kind = type_name(object);
        type_error(format!("positions are an Arrow column or table, a sequence of texts, or a dictionary, not {kind}"))
    })?;
    for (row, text) in items.enumerate() {
        let text = text?;
        between(object.py(), row)?;
        if row.is_power_of_two() {
            memory_for(3 * texts.values_slice().len())?; // about as many more, and a copy as the memory grows
        }
        if let Ok(text) = text.cast::<PyString>() {
            texts.append_value(text.to_str()?);
        } else if let Ok(text) = text.cast::<PyBytes>() {
            texts.append_value(text.as_bytes());
        } else if text.is_none() {
            texts.append_null();
        } else {
            return Err(type_error(format!("row {row}: positions are text, not {}", type_name(&text))));
        }
    }
    Ok(Arc::new(texts.finish()))
}

/// A table of the columns of a dictionary: Arrow columns, texts, or numbers.
fn table(columns: &Bound<'_, PyDict>) -> PyResult<ArrayRef> {
    let mut fields = Vec::new();
    for (name, column) in columns {
        let name = name.cast::<PyString>()?.to_str()?.to_owned();
        let array: ArrayRef = if let Some(arrays) = capsule::import(&column)? {
            one(&arrays)?
        } else if name == "side_to_move" || name == "castling" {
            texts(&column)?
        } else if name == "en_passant" {
            let mut numbers = UInt8Builder::new();
            for (row, number) in column.try_iter()?.enumerate() {
                let number = number?;
                between(column.py(), row)?;
                let place = || format!(" in row {row}");
                let number = (!number.is_none()).then(|| square(&number, place)).transpose()?;
                numbers.append_option(number.map(u8::from));
            }
            Arc::new(numbers.finish())
        } else {
            let boards = boards(&column, &name)?;
            if boards.ndim() != 1 {
                return Err(value_error(format!("{name} has {} dimensions, not one", boards.ndim())));
            }
            let boards = read(&boards)?;
            let mut copy = room(boards.len())?;
            copy.extend_from_slice(&boards);
            Arc::new(UInt64Array::from(copy))
        };
        fields.push((Arc::new(Field::new(name, array.data_type().clone(), true)), array));
    }
    if fields.is_empty() {
        return Err(type_error("the dictionary has no columns"));
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    StructArray::try_new(fields.into(), arrays, None).map(|table| Arc::new(table) as ArrayRef).map_err(value_error)
}

/// The rows of `range`, as slices of the pieces of a column.
pub fn slices(arrays: &[ArrayRef], range: &Range<usize>) -> Vec<ArrayRef> {
    let mut slices = Vec::new();
    let mut start = 0;
    for array in arrays {
        let (from, to) = (range.start.max(start), range.end.min(start + array.len()));
        if from < to {
            slices.push(array.slice(from - start, to - from));
        }
        start += array.len();
    }
    slices
}
