//! Columns as rows of text: CSV and JSON lines.

use slider_attacks_arrow::Values;
use slider_attacks_formats::columns::{KeptColumn, OutputColumn, OutputValues, UNKNOWN_KIND};

#[cfg(feature = "parquet")]
use super::arrow;
use super::cell::Cell;
use super::{csv, jsonl};
use crate::format::TextFormat;

/// Rows of text.
pub fn rows(format: TextFormat, columns: &[OutputColumn], rows: usize) -> Vec<u8> {
    let mut text = Vec::new();
    append(format, columns, rows, &mut text);
    text
}

/// Appends rows of text.
pub fn append(format: TextFormat, columns: &[OutputColumn], rows: usize, text: &mut Vec<u8>) {
    let row: usize = columns.iter().map(|column| shortest(&column.values, rows)).sum();
    text.reserve(rows * (row + row / 8));
    let cells = |row: usize| {
        columns.iter().map(move |column| match &column.nulls {
            Some(nulls) if nulls.binary_search(&row).is_ok() => Cell::NULL,
            _ => cell(&column.values, row),
        })
    };
    match format {
        TextFormat::Csv => (0..rows).for_each(|row| csv::row(cells(row), text)),
        TextFormat::SafeCsv => (0..rows).for_each(|row| csv::row(cells(row).map(csv::safe), text)),
        TextFormat::Jsonl => {
            let keys = jsonl::keys(columns.iter().map(|column| column.name.as_str()));
            (0..rows).for_each(|row| jsonl::row(&keys, cells(row), text));
        }
    }
}

/// The value of a row.
#[inline]
pub fn cell(values: &OutputValues, row: usize) -> Cell<'_> {
    match values {
        OutputValues::File { name, .. } => name.as_str().into(),
        OutputValues::Lines(lines) => Cell::Number(lines[row]),
        OutputValues::Product(Values::Boards(boards)) => Cell::Board(boards[row]),
        OutputValues::Product(Values::Numbers(numbers)) => Cell::Counts(&numbers[row]),
        OutputValues::Product(Values::Number(numbers)) => Cell::Number(numbers[row].into()),
        OutputValues::Product(Values::Sets(sets)) => Cell::Sets(&sets[row]),
        OutputValues::Product(Values::Moves { offsets, moves, .. }) => {
            Cell::Moves(&moves[offsets[row]..offsets[row + 1]])
        }
        OutputValues::Product(Values::Threats { offsets, threats }) => {
            Cell::Threats(&threats[offsets[row]..offsets[row + 1]])
        }
        OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
        OutputValues::Kept(kept) => kept_cell(kept, row),
        OutputValues::Floats(numbers) if numbers[row].is_nan() => Cell::NULL,
        OutputValues::Floats(numbers) => Cell::Json(numbers[row].to_string().into()),
    }
}

/// The value of a row of a column that is kept of an input.
#[inline]
pub fn kept_cell(kept: &KeptColumn, row: usize) -> Cell<'_> {
    match kept {
        KeptColumn::Text(texts) => texts.get(row).map_or(Cell::NULL, Cell::from),
        KeptColumn::Json(texts) => texts.get(row).map_or(Cell::NULL, |value| Cell::Json(value.into())),
        KeptColumn::Numbers(numbers) => match numbers.get(row) {
            None => Cell::NULL,
            Some(value) if numbers.are_integers() => Cell::Integer(value),
            Some(value) => Cell::Json(numbers.text(value).into()),
        },
        KeptColumn::Fields(texts) => Cell::Fields(texts.get(row).unwrap_or_default()),
        #[cfg(feature = "parquet")]
        KeptColumn::Array(field, array) => arrow::cell(field, array, row),
    }
}

/// How many bytes a value of this many takes at least as text, with a separator, unless it is null; a list in the mean.
fn shortest(values: &OutputValues, rows: usize) -> usize {
    match values {
        OutputValues::Lines(_) | OutputValues::Product(Values::Number(_)) => 2,
        OutputValues::Product(Values::Boards(_)) => 19,
        OutputValues::Product(Values::Numbers(_)) => 128,
        OutputValues::Product(Values::Sets(_)) => 64 * 6,
        OutputValues::Product(Values::Moves { moves, .. }) => 1 + 5 * moves.len() / rows.max(1),
        OutputValues::Product(Values::Threats { threats, .. }) => 1 + 8 * threats.len() / rows.max(1),
        _ => 1,
    }
}
