//! Values of Arrow arrays from Parquet, in the text formats.

use std::fmt::Debug;
use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, downcast_dictionary_array, downcast_integer_array, downcast_temporal_array};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use super::cell::Cell;
use super::jsonl;

/// The value at a row of an array of this type.
macro_rules! at {
    ($array:ident, $row:ident, $type:ty) => {
        $array.as_primitive::<$type>().value($row)
    };
}

/// The value of a row. Numbers and truth values are those of JSON, nested values are arrays and objects of JSON, and
/// everything else is text: times are in the form of RFC 3339, those with a zone in UTC.
pub fn cell<'a>(field: &Field, array: &'a ArrayRef, row: usize) -> Cell<'a> {
    if array.is_null(row) {
        return Cell::NULL;
    }
    match array.data_type() {
        DataType::Null => Cell::NULL,
        DataType::Boolean => Cell::Json(if array.as_boolean().value(row) { "true" } else { "false" }.into()),
        kind if kind.is_numeric() => number(array, row),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Binary => text(hex(array.as_binary::<i32>().value(row), false)),
        DataType::LargeBinary => text(hex(array.as_binary::<i64>().value(row), false)),
        DataType::BinaryView => text(hex(array.as_binary_view().value(row), false)),
        DataType::FixedSizeBinary(_) => {
            let is_uuid = field.extension_type_name() == Some("arrow.uuid");
            text(hex(array.as_fixed_size_binary().value(row), is_uuid))
        }
        DataType::Duration(unit) => duration(*unit, array, row),
        DataType::Interval(unit) => interval_cell(*unit, array, row),
        kind if kind.is_temporal() => time(array, row),
        DataType::List(item) => list(item, &array.as_list::<i32>().value(row)),
        DataType::LargeList(item) => list(item, &array.as_list::<i64>().value(row)),
        DataType::ListView(item) => list(item, &array.as_list_view::<i32>().value(row)),
        DataType::LargeListView(item) => list(item, &array.as_list_view::<i64>().value(row)),
        DataType::FixedSizeList(item, _) => list(item, &array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            object(columns.map(|(field, column)| (field.name().clone(), cell(field, column, row))))
        }
        DataType::Map(entries, _) => map(entries, array, row),
        DataType::Dictionary(..) => downcast_dictionary_array!(
            array => array.key(row).map_or(Cell::NULL, |key| cell(field, array.values(), key)),
            _ => Cell::NULL
        ),
        // Parquet has no such types.
        _ => text(format!("{:?}", array.slice(row, 1))),
    }
}

/// The bytes in a row, if the array has bytes.
pub fn bytes(array: &ArrayRef, row: usize) -> Option<&[u8]> {
    match array.data_type() {
        _ if array.is_null(row) => None,
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        _ => None,
    }
}

/// The integer in a row, if the array has integers.
pub fn integer(array: &ArrayRef, row: usize) -> Option<i64> {
    downcast_integer_array!(
        array => if array.is_null(row) { None } else { i64::try_from(i128::from(array.value(row))).ok() },
        _ => None
    )
}

/// A number. Decimal ones are text.
fn number(array: &ArrayRef, row: usize) -> Cell<'static> {
    match array.data_type() {
        DataType::Float16 => float(at!(array, row, Float16Type).to_f32(), at!(array, row, Float16Type).is_finite()),
        DataType::Float32 => float(at!(array, row, Float32Type), at!(array, row, Float32Type).is_finite()),
        DataType::Float64 => float(at!(array, row, Float64Type), at!(array, row, Float64Type).is_finite()),
        DataType::Decimal32(..) => text(array.as_primitive::<Decimal32Type>().value_as_string(row)),
        DataType::Decimal64(..) => text(array.as_primitive::<Decimal64Type>().value_as_string(row)),
        DataType::Decimal128(..) => text(array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => text(array.as_primitive::<Decimal256Type>().value_as_string(row)),
        _ => downcast_integer_array!(
            array => Cell::Json(array.value(row).to_string().into()),
            _ => Cell::NULL
        ),
    }
}

fn duration(unit: TimeUnit, array: &ArrayRef, row: usize) -> Cell<'static> {
    macro_rules! duration {
        ($type:ty) => {{
            let duration = array.as_primitive::<$type>().value_as_duration(row);
            text(duration.map_or_else(|| at!(array, row, $type).to_string(), |duration| duration.to_string()))
        }};
    }
    match unit {
        TimeUnit::Second => duration!(DurationSecondType),
        TimeUnit::Millisecond => duration!(DurationMillisecondType),
        TimeUnit::Microsecond => duration!(DurationMicrosecondType),
        TimeUnit::Nanosecond => duration!(DurationNanosecondType),
    }
}

/// A date, a time of day, or both.
fn time(array: &ArrayRef, row: usize) -> Cell<'static> {
    downcast_temporal_array!(
        array => {
            let shown = match array.data_type() {
                DataType::Date32 | DataType::Date64 => array.value_as_date(row).map(|date| date.to_string()),
                DataType::Timestamp(_, zone) => {
                    let format = if zone.is_some() { "%FT%T%.fZ" } else { "%FT%T%.f" };
                    array.value_as_datetime(row).map(|time| time.format(format).to_string())
                }
                _ => array.value_as_time(row).map(|time| time.to_string()),
            };
            // Where a time is beyond the calendar, the number stands for it.
            text(shown.unwrap_or_else(|| array.value(row).to_string()))
        }
        _ => Cell::NULL
    )
}

fn interval_cell(unit: IntervalUnit, array: &ArrayRef, row: usize) -> Cell<'static> {
    match unit {
        IntervalUnit::YearMonth => interval(at!(array, row, IntervalYearMonthType), 0, 0),
        IntervalUnit::DayTime => {
            let value = at!(array, row, IntervalDayTimeType);
            interval(0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        IntervalUnit::MonthDayNano => {
            let value = at!(array, row, IntervalMonthDayNanoType);
            interval(value.months, value.days, value.nanoseconds)
        }
    }
}

/// An object whose names are the keys, as text.
fn map(entries: &Field, array: &ArrayRef, row: usize) -> Cell<'static> {
    let value = array.as_map().value(row);
    let DataType::Struct(fields) = entries.data_type() else { return Cell::NULL };
    let name = |at| match cell(&fields[0], value.column(0), at) {
        Cell::Text(name) => name.into_owned(),
        name => {
            let mut text = Vec::new();
            jsonl::value(name, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
    };
    object((0..value.len()).map(|at| (name(at), cell(&fields[1], value.column(1), at))))
}

fn text(text: String) -> Cell<'static> {
    Cell::Text(text.into())
}

/// JSON cannot represent infinity and NaN.
fn float(value: impl Debug, is_finite: bool) -> Cell<'static> {
    let shown = format!("{value:?}");
    if is_finite { Cell::Json(shown.into()) } else { text(shown) }
}

fn hex(bytes: &[u8], is_uuid: bool) -> String {
    let mut text = String::new();
    for (place, byte) in bytes.iter().enumerate() {
        let dash = if is_uuid && matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
        let _ = write!(text, "{dash}{byte:02x}");
    }
    text
}

/// A duration in ISO 8601.
fn interval(months: i32, days: i32, nanoseconds: i64) -> Cell<'static> {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (seconds, rest) = (nanoseconds.unsigned_abs() / 1_000_000_000, nanoseconds.unsigned_abs() % 1_000_000_000);
    let seconds = format!("{seconds}.{rest:09}");
    text(format!("P{months}M{days}DT{sign}{}S", seconds.trim_end_matches('0').trim_end_matches('.')))
}

fn list(item: &Field, values: &ArrayRef) -> Cell<'static> {
    nested(b"[]", (0..values.len()).map(|row| (None, cell(item, values, row))))
}

fn object<'a>(fields: impl Iterator<Item = (String, Cell<'a>)>) -> Cell<'static> {
    nested(b"{}", fields.map(|(name, cell)| (Some(name), cell)))
}

/// An array, or an object, whose values have names.
fn nested<'a>(brackets: &[u8; 2], values: impl Iterator<Item = (Option<String>, Cell<'a>)>) -> Cell<'static> {
    let mut text = vec![brackets[0]];
    for (name, cell) in values {
        if text.len() > 1 {
            text.push(b',');
        }
        if let Some(name) = name {
            jsonl::value(name.as_str().into(), &mut text);
            text.push(b':');
        }
        jsonl::value(cell, &mut text);
    }
    text.push(brackets[1]);
    json(text)
}

fn json(text: Vec<u8>) -> Cell<'static> {
    Cell::Json(String::from_utf8(text).expect("JSON is UTF-8").into())
}
