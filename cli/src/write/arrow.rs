//! Values of Arrow arrays, which come from Parquet, as the formats that are text show them.

use std::fmt::Debug;
use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_duration, as_time};
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, downcast_dictionary_array};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use super::{Cell, jsonl};

/// The value of a row. Numbers and truth values are those of JSON, nested values are arrays and objects of JSON, and
/// everything else is text: times are in the form of RFC 3339, those with a zone in UTC.
pub fn cell<'a>(field: &Field, array: &'a ArrayRef, row: usize) -> Cell<'a> {
    macro_rules! at {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row)
        };
    }
    macro_rules! number {
        ($type:ty) => {
            Cell::Json(at!($type).to_string().into())
        };
    }
    macro_rules! decimal {
        ($type:ty, $precision:expr, $scale:expr) => {
            text(<$type>::format_decimal(at!($type), *$precision, *$scale))
        };
    }
    // Where a time is beyond the calendar, the number stands for it.
    macro_rules! time {
        ($convert:ident, $type:ty, $format:expr) => {
            text($convert::<$type>(i64::from(at!($type))).map_or_else(|| at!($type).to_string(), $format))
        };
    }
    macro_rules! timestamp {
        ($type:ty, $zone:expr) => {
            time!(as_datetime, $type, |time| {
                time.format(if $zone.is_some() { "%FT%T%.fZ" } else { "%FT%T%.f" }).to_string()
            })
        };
    }
    if array.is_null(row) {
        return Cell::NULL;
    }
    match array.data_type() {
        DataType::Null => Cell::NULL,
        DataType::Boolean => Cell::Json(if array.as_boolean().value(row) { "true" } else { "false" }.into()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => Cell::Number(at!(UInt64Type)),
        DataType::Float16 => float(at!(Float16Type).to_f32(), at!(Float16Type).is_finite()),
        DataType::Float32 => float(at!(Float32Type), at!(Float32Type).is_finite()),
        DataType::Float64 => float(at!(Float64Type), at!(Float64Type).is_finite()),
        DataType::Decimal32(precision, scale) => decimal!(Decimal32Type, precision, scale),
        DataType::Decimal64(precision, scale) => decimal!(Decimal64Type, precision, scale),
        DataType::Decimal128(precision, scale) => decimal!(Decimal128Type, precision, scale),
        DataType::Decimal256(precision, scale) => decimal!(Decimal256Type, precision, scale),
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
        DataType::Date32 => time!(as_date, Date32Type, |date| date.to_string()),
        DataType::Date64 => time!(as_date, Date64Type, |date| date.to_string()),
        DataType::Time32(TimeUnit::Second) => time!(as_time, Time32SecondType, |time| time.to_string()),
        DataType::Time32(_) => time!(as_time, Time32MillisecondType, |time| time.to_string()),
        DataType::Time64(TimeUnit::Microsecond) => time!(as_time, Time64MicrosecondType, |time| time.to_string()),
        DataType::Time64(_) => time!(as_time, Time64NanosecondType, |time| time.to_string()),
        DataType::Timestamp(TimeUnit::Second, zone) => timestamp!(TimestampSecondType, zone),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => timestamp!(TimestampMillisecondType, zone),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => timestamp!(TimestampMicrosecondType, zone),
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => timestamp!(TimestampNanosecondType, zone),
        DataType::Duration(TimeUnit::Second) => time!(as_duration, DurationSecondType, |time| time.to_string()),
        DataType::Duration(TimeUnit::Millisecond) => {
            time!(as_duration, DurationMillisecondType, |time| time.to_string())
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            time!(as_duration, DurationMicrosecondType, |time| time.to_string())
        }
        DataType::Duration(TimeUnit::Nanosecond) => time!(as_duration, DurationNanosecondType, |time| time.to_string()),
        DataType::Interval(IntervalUnit::YearMonth) => interval(at!(IntervalYearMonthType), 0, 0),
        DataType::Interval(IntervalUnit::DayTime) => {
            let value = at!(IntervalDayTimeType);
            interval(0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = at!(IntervalMonthDayNanoType);
            interval(value.months, value.days, value.nanoseconds)
        }
        DataType::List(item) => list(item, &array.as_list::<i32>().value(row)),
        DataType::LargeList(item) => list(item, &array.as_list::<i64>().value(row)),
        DataType::ListView(item) => list(item, &array.as_list_view::<i32>().value(row)),
        DataType::LargeListView(item) => list(item, &array.as_list_view::<i64>().value(row)),
        DataType::FixedSizeList(item, _) => list(item, &array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            object(columns.map(|(field, column)| (field.name().clone(), cell(field, column, row))))
        }
        DataType::Map(entries, _) => {
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
        DataType::Dictionary(..) => downcast_dictionary_array!(
            array => array.key(row).map_or(Cell::NULL, |key| cell(field, array.values(), key)),
            _ => Cell::NULL
        ),
        // Parquet has no such types.
        DataType::Union(..) | DataType::RunEndEncoded(..) => text(format!("{:?}", array.slice(row, 1))),
    }
}

fn text(text: String) -> Cell<'static> {
    Cell::Text(text.into())
}

/// JSON has no words for infinity and what is not a number.
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

/// As in ISO 8601.
fn interval(months: i32, days: i32, nanoseconds: i64) -> Cell<'static> {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (seconds, rest) = (nanoseconds.unsigned_abs() / 1_000_000_000, nanoseconds.unsigned_abs() % 1_000_000_000);
    let seconds = format!("{seconds}.{rest:09}");
    text(format!("P{months}M{days}DT{sign}{}S", seconds.trim_end_matches('0').trim_end_matches('.')))
}

fn list(item: &Field, values: &ArrayRef) -> Cell<'static> {
    let mut text = b"[".to_vec();
    for row in 0..values.len() {
        if row > 0 {
            text.push(b',');
        }
        jsonl::value(cell(item, values, row), &mut text);
    }
    text.push(b']');
    json(text)
}

fn object<'a>(fields: impl Iterator<Item = (String, Cell<'a>)>) -> Cell<'static> {
    let mut text = b"{".to_vec();
    for (place, (name, cell)) in fields.enumerate() {
        if place > 0 {
            text.push(b',');
        }
        jsonl::value(name.as_str().into(), &mut text);
        text.push(b':');
        jsonl::value(cell, &mut text);
    }
    text.push(b'}');
    json(text)
}

fn json(text: Vec<u8>) -> Cell<'static> {
    Cell::Json(String::from_utf8(text).expect("JSON is UTF-8").into())
}
