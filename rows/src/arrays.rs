//! Columns as Arrow arrays.

use std::iter;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray, UInt64Array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::{DataType, Field, Schema};
use slider_attacks_arrow::{Error, Integers};
use slider_attacks_formats::columns::{KeptColumn, OutputColumn, OutputValues, text_of_json};

/// Columns of `rows` rows as a record batch.
///
/// # Errors
///
/// There are more than 2<sup>31</sup> threats.
///
/// # Panics
///
/// If a column has another number of rows, or is all fields of JSON lines, which only JSON lines can keep.
pub fn batch(columns: Vec<OutputColumn>, rows: usize, integers: Integers) -> Result<RecordBatch, Error> {
    let schema = Schema::new(columns.iter().map(|column| field(column, integers)).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|column| array(column, rows, integers)).collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows)); // there may be no columns
    let batch = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options);
    Ok(batch.expect("the columns have these types and one length"))
}

/// What a schema says of a column. A kept one has the type that it had before; fields of JSON lines are text.
pub fn field(OutputColumn { name, values, nulls }: &OutputColumn, integers: Integers) -> Field {
    let new = |kind, nullable| Field::new(name, kind, nullable);
    match values {
        OutputValues::File { .. } => new(DataType::Utf8, false),
        OutputValues::Lines(_) => new(integers.bitboard_type(), false),
        OutputValues::Product(values) => new(values.data_type(integers), nulls.is_some()),
        OutputValues::Floats(_) => new(DataType::Float64, false),
        OutputValues::Kept(KeptColumn::Array(field, _)) => field.as_ref().clone().with_name(name).with_nullable(true),
        OutputValues::Kept(KeptColumn::Numbers(numbers)) => {
            new(if numbers.are_integers() { DataType::Int64 } else { DataType::Float64 }, true)
        }
        OutputValues::Kept(_) => new(DataType::Utf8, true),
    }
}

/// The values of a column of `rows` rows.
///
/// # Errors
///
/// There are more than 2<sup>31</sup> threats.
///
/// # Panics
///
/// If the column is all fields of JSON lines, which only JSON lines can keep.
pub fn array(column: OutputColumn, rows: usize, integers: Integers) -> Result<ArrayRef, Error> {
    let nulls = column.nulls.filter(|nulls| !nulls.is_empty()).map(|nulls| null_buffer(&nulls, rows));
    Ok(match column.values {
        OutputValues::File { name, .. } => Arc::new(StringArray::from_iter_values(iter::repeat_n(name, rows))),
        OutputValues::Lines(lines) => match integers {
            Integers::Unsigned => Arc::new(UInt64Array::from(lines)),
            Integers::Signed => Arc::new(lines.iter().map(|&line| line as i64).collect::<Int64Array>()),
        },
        OutputValues::Product(values) => values.into_array(integers, nulls)?,
        OutputValues::Floats(numbers) => Arc::new(Float64Array::from(numbers)),
        OutputValues::Kept(KeptColumn::Array(_, array)) => array,
        OutputValues::Kept(KeptColumn::Text(texts)) => {
            Arc::new((0..rows).map(|row| texts.get(row)).collect::<StringArray>())
        }
        OutputValues::Kept(KeptColumn::Numbers(numbers)) if numbers.are_integers() => {
            Arc::new((0..rows).map(|row| numbers.get(row)).collect::<Int64Array>())
        }
        OutputValues::Kept(KeptColumn::Numbers(numbers)) => {
            Arc::new((0..rows).map(|row| numbers.float(row)).collect::<Float64Array>())
        }
        OutputValues::Kept(KeptColumn::Json(texts)) => {
            Arc::new((0..rows).map(|row| texts.get(row).and_then(text_of_json)).collect::<StringArray>())
        }
        OutputValues::Kept(KeptColumn::Fields(_)) => unreachable!("only JSON lines keep all fields"),
    })
}

/// Which of `rows` rows have a value, if the rows at these places have none.
pub fn null_buffer(nulls: &[usize], rows: usize) -> NullBuffer {
    let mut valid = BooleanBufferBuilder::new(rows);
    valid.append_n(rows, true);
    nulls.iter().for_each(|&row| valid.set_bit(row, false));
    NullBuffer::new(valid.finish())
}
