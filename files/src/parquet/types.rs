//! Types of columns: texts are read as views into their pages, and copied out once their lengths are known to be harmless.

use std::slice;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray, UInt64Array, make_array,
};
use arrow_schema::{DataType, FieldRef};
use arrow_select::dictionary::garbage_collect_any_dictionary;

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

/// The first rows of an array, with the type that they are to have, and none of their texts in the pages that they were
/// read from.
pub fn owned(array: &ArrayRef, rows: usize, kind: &DataType) -> Result<ArrayRef> {
    let first = UInt64Array::from_iter_values(0..rows as u64);
    // This takes only the needed values of lists. It does not copy texts.
    let array = if rows < array.len() { &arrow_select::take::take(array, &first, None)? } else { array };
    converted(array, kind)
}

/// The array with the type that it is to have, its texts copied.
pub fn converted(array: &dyn Array, kind: &DataType) -> Result<ArrayRef> {
    let fields: &[FieldRef] = match kind {
        DataType::Utf8 => return Ok(Arc::new(array.as_string_view().iter().collect::<StringArray>())),
        DataType::LargeUtf8 => return Ok(Arc::new(array.as_string_view().iter().collect::<LargeStringArray>())),
        DataType::Utf8View => return Ok(Arc::new(array.as_string_view().gc())),
        DataType::Binary => return Ok(Arc::new(array.as_binary_view().iter().collect::<BinaryArray>())),
        DataType::LargeBinary => return Ok(Arc::new(array.as_binary_view().iter().collect::<LargeBinaryArray>())),
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
