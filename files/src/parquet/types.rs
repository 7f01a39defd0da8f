//! Types of columns: texts are read as views into their pages, and copied out once their lengths are known to be harmless.

use std::slice;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::builder::GenericByteBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, ByteViewType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, ArrayRef, GenericByteViewArray, UInt64Array, make_array, new_null_array};
use arrow_schema::{DataType, FieldRef};
use arrow_select::dictionary::garbage_collect_any_dictionary;

use super::sizes::sizes;

/// The same field, its texts as views. Dictionaries are read as they are, unless the field has the positions.
pub fn with_views(field: &FieldRef, is_position: bool) -> FieldRef {
    let inner = |field| with_views(field, false);
    let kind = match field.data_type() {
        DataType::Dictionary(_, value) if is_position => value,
        kind => kind,
    };
    let kind = match kind {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::FixedSizeList(field, length) => DataType::FixedSizeList(inner(field), *length),
        DataType::Map(field, sorted) => DataType::Map(inner(field), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        other => other.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(kind))
}

/// How many bytes a null takes: as many as a value, where all values are of one size.
pub fn null_size(kind: &DataType) -> usize {
    match kind {
        DataType::FixedSizeList(field, length) => null_size(field.data_type()).saturating_mul(*length as usize),
        DataType::FixedSizeBinary(length) => *length as usize,
        DataType::Struct(fields) => {
            fields.iter().map(|field| null_size(field.data_type())).fold(0, usize::saturating_add)
        }
        kind => kind.primitive_width().unwrap_or(16),
    }
}

/// The same of the largest null, perhaps one in a list.
pub fn largest_null(kind: &DataType) -> usize {
    let inner = match kind {
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => slice::from_ref(field),
        DataType::ListView(field) | DataType::LargeListView(field) => slice::from_ref(field),
        DataType::FixedSizeList(field, _) => slice::from_ref(field),
        DataType::Struct(fields) => fields,
        _ => &[],
    };
    inner.iter().map(|field| largest_null(field.data_type())).fold(null_size(kind), usize::max)
}

/// As how many values each value of a leaf counts, if it is in a list. Adds this for each leaf. A null in the list stands
/// for `factor` values of the type.
pub fn weights(kind: &DataType, is_listed: bool, factor: u64, all: &mut Vec<u64>) {
    match kind {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => {
            weights(field.data_type(), true, 1, all);
        }
        DataType::FixedSizeList(field, length) => {
            weights(field.data_type(), is_listed, factor.saturating_mul(*length as u64), all);
        }
        DataType::Struct(fields) => fields.iter().for_each(|field| weights(field.data_type(), is_listed, factor, all)),
        kind if is_listed => all.push(1 + factor.saturating_mul(null_size(kind) as u64) / 64),
        _ => all.push(1),
    }
}

/// The first rows of an array, with the type that they are to have, and none of their texts in the pages that they were
/// read from.
pub fn owned(array: &ArrayRef, rows: usize, kind: &DataType) -> Result<ArrayRef> {
    let first = UInt64Array::from_iter_values(0..rows as u64);
    // This takes only the needed values of lists. It does not copy texts.
    let array = if rows < array.len() { &arrow_select::take::take(array, &first, None)? } else { array };
    converted(array, kind)
}

/// The texts of an array, copied into memory of the right size.
fn copied<V: ByteViewType, T: ByteArrayType<Native = V::Native>>(array: &GenericByteViewArray<V>) -> ArrayRef {
    let mut copies = GenericByteBuilder::<T>::with_capacity(array.len(), sizes(array, 0).iter().sum());
    array.iter().for_each(|text| copies.append_option(text));
    Arc::new(copies.finish())
}

/// The array with the type that it is to have, its texts copied.
pub fn converted(array: &dyn Array, kind: &DataType) -> Result<ArrayRef> {
    let fields: &[FieldRef] = match kind {
        // A column of nulls alone that is read as text.
        _ if array.data_type() == &DataType::Null => return Ok(new_null_array(kind, array.len())),
        DataType::Utf8 => return Ok(copied::<_, Utf8Type>(array.as_string_view())),
        DataType::LargeUtf8 => return Ok(copied::<_, LargeUtf8Type>(array.as_string_view())),
        DataType::Utf8View => return Ok(Arc::new(array.as_string_view().gc())),
        DataType::Binary => return Ok(copied::<_, BinaryType>(array.as_binary_view())),
        DataType::LargeBinary => return Ok(copied::<_, LargeBinaryType>(array.as_binary_view())),
        DataType::BinaryView => return Ok(Arc::new(array.as_binary_view().gc())),
        DataType::Dictionary(..) => return Ok(garbage_collect_any_dictionary(array.as_any_dictionary())?),
        DataType::List(field) | DataType::LargeList(field) => slice::from_ref(field),
        DataType::FixedSizeList(field, _) | DataType::Map(field, _) => slice::from_ref(field),
        DataType::Struct(fields) => fields,
        _ => return Ok(array.slice(0, array.len())),
    };
    let data = array.to_data();
    let children = fields.iter().zip(data.child_data());
    let children =
        children.map(|(field, child)| Ok(converted(&make_array(child.clone()), field.data_type())?.to_data()));
    let children = children.collect::<Result<_>>()?;
    Ok(make_array(data.into_builder().data_type(kind.clone()).child_data(children).build()?))
}
