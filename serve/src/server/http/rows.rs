//! Rows in the requested format: text as written by the command, or an Arrow batch.

use std::iter;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};
use bytes::BytesMut;
use slider_attacks::moves::Move;
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{Integers, Notation, Values};
use slider_attacks_formats::columns::texts::TextTable;
use slider_attacks_formats::columns::{KeptColumn, OutputColumn, OutputValues};
use slider_attacks_rows::arrays::batch;
use slider_attacks_rows::format::{RowFormat, TextFormat};
use slider_attacks_rows::write::cell::Cell;
use slider_attacks_rows::write::{csv, text_rows};

use super::super::refusal::Refusal;
use super::super::streams::grpc::FlightAnswer;
use super::super::streams::ipc;
use super::media::Format;

/// The row format for a client that accepts this format.
pub fn row_format(format: Format) -> RowFormat {
    match format {
        Format::JsonLines => RowFormat::Text(TextFormat::Jsonl),
        Format::Csv => RowFormat::Text(TextFormat::Csv),
        Format::Arrow => RowFormat::Arrow,
    }
}

/// The first line of CSV.
pub fn header<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut text = Vec::new();
    csv::row(names.map(Cell::from), &mut text);
    text
}

/// What rows become on their way to a client.
pub struct AnswerRows {
    /// The format.
    pub format: Format,
    /// The integers of Arrow.
    pub integers: Integers,
    /// Whether these are the first of the answer.
    pub is_first: bool,
}

impl AnswerRows {
    /// Columns, in any format.
    pub fn of_columns(&self, columns: Vec<OutputColumn>, rows: usize) -> Result<FlightAnswer, Refusal> {
        if let RowFormat::Text(format) = row_format(self.format) {
            let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
            let text = text_rows::rows(format, &columns, rows);
            return Ok(self.of_text(names.iter().map(String::as_str), text));
        }
        let batch = batch(columns, rows, self.integers).map_err(|error| Refusal::content(error.to_string()))?;
        let mut answer = ipc::batch(&batch)?;
        if self.is_first {
            let mut start = BytesMut::from(&ipc::schema(&batch.schema())[..]);
            start.extend_from_slice(&answer.start);
            answer.start = start.freeze();
        }
        Ok(answer)
    }

    /// Text, before which CSV has a header.
    pub fn of_text<'n>(&self, names: impl Iterator<Item = &'n str>, text: Vec<u8>) -> FlightAnswer {
        let is_headed = self.is_first && self.format == Format::Csv;
        if !is_headed {
            return FlightAnswer::plain(text);
        }
        FlightAnswer { start: header(names).into(), body: text.into(), held: None }
    }
}

/// The columns of a result, to be written as text.
pub fn columns_of(batch: &RecordBatch) -> Vec<OutputColumn> {
    let schema = batch.schema();
    iter::zip(schema.fields(), batch.columns()).map(|(field, array)| column_of(field, array)).collect()
}

fn column_of(field: &Arc<Field>, array: &ArrayRef) -> OutputColumn {
    let bytes = |array: &ArrayRef| -> Vec<u8> {
        match array.data_type() {
            DataType::Int8 => array.as_primitive::<Int8Type>().values().iter().map(|&number| number as u8).collect(),
            _ => array.as_primitive::<UInt8Type>().values().to_vec(),
        }
    };
    let boards = |array: &ArrayRef| -> Vec<u64> {
        match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().values().iter().map(|&board| board as u64).collect(),
            _ => array.as_primitive::<UInt64Type>().values().to_vec(),
        }
    };
    let numbers = |array: &ArrayRef| -> Vec<u16> {
        match array.data_type() {
            DataType::Int16 => array.as_primitive::<Int16Type>().values().iter().map(|&number| number as u16).collect(),
            _ => array.as_primitive::<UInt16Type>().values().to_vec(),
        }
    };
    let values = match array.data_type() {
        DataType::UInt64 | DataType::Int64 => Values::Boards(boards(array)),
        DataType::UInt16 | DataType::Int16 => Values::Number(numbers(array)),
        DataType::FixedSizeList(item, 64) if item.data_type().primitive_width() == Some(1) => {
            Values::Numbers(bytes(array.as_fixed_size_list().values()).as_chunks().0.to_vec())
        }
        DataType::FixedSizeList(_, 64) => {
            Values::Sets(boards(array.as_fixed_size_list().values()).as_chunks().0.to_vec())
        }
        DataType::List(item) => {
            let list = array.as_list::<i32>();
            let offsets = list.offsets().iter().map(|&offset| offset as usize).collect();
            if item.data_type().is_integer() {
                let moves = numbers(list.values()).into_iter().map(Move::from_bits).collect();
                Values::Moves { offsets, moves, notation: Notation::Bits }
            } else {
                let parts: Vec<Vec<u8>> = list.values().as_struct().columns().iter().map(bytes).collect();
                let threats = (0..list.values().len()).map(|at| std::array::from_fn(|part| parts[part][at])).collect();
                Values::Threats { offsets, threats }
            }
        }
        _ => {
            let kept = KeptColumn::Array(field.clone(), array.clone());
            return OutputColumn::new(field.name(), OutputValues::Kept(kept));
        }
    };
    let nulls = array.nulls().map(|nulls| (0..array.len()).filter(|&row| nulls.is_null(row)).collect());
    OutputColumn { nulls, ..OutputColumn::new(field.name(), OutputValues::Product(values)) }
}

/// A result of Flight as JSON lines.
pub fn json_lines(batch: &RecordBatch) -> Result<FlightAnswer, Refusal> {
    Ok(FlightAnswer::plain(text_rows::rows(TextFormat::Jsonl, &columns_of(batch), batch.num_rows())))
}

/// The same as CSV, without a header.
pub fn csv_lines(batch: &RecordBatch) -> Result<FlightAnswer, Refusal> {
    Ok(FlightAnswer::plain(text_rows::rows(TextFormat::Csv, &columns_of(batch), batch.num_rows())))
}

/// The columns of `pairs`: the numbers of the lines, unless there are none, and a pair with its attack set per row.
pub fn pair_columns(
    backend: Backend,
    slider: Slider,
    lines: Option<Vec<u64>>,
    pairs: &[(slider_attacks::Square, u64)],
) -> Result<Vec<OutputColumn>, Refusal> {
    let (squares, occs): (Vec<_>, Vec<u64>) = pairs.iter().copied().unzip();
    let mut attacks = vec![0; pairs.len()];
    let computed = backend.batch_slider_attacks(slider, &squares, &occs, &mut attacks);
    computed.map_err(|error| Refusal::content(error.to_string()))?;
    let mut texts = TextTable::new(2);
    squares.iter().for_each(|square| texts.push([Some(slider.name().to_owned()), Some(square.to_string())]));
    let counts = attacks.iter().map(|attacks| attacks.count_ones() as u16).collect();
    let texts = iter::zip(["slider", "square"], texts.columns());
    let texts = texts.map(|(name, texts)| OutputColumn::new(name, OutputValues::Kept(KeptColumn::Text(texts))));
    let lines = lines.map(|lines| OutputColumn::new("line", OutputValues::Lines(lines)));
    let results =
        [("occupancy", Values::Boards(occs)), ("attacks", Values::Boards(attacks)), ("count", Values::Number(counts))];
    let results = results.map(|(name, values)| OutputColumn::new(name, OutputValues::Product(values)));
    Ok(lines.into_iter().chain(texts).chain(results).collect())
}
