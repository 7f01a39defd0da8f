//! The values of columns, row by row.

use slider_attacks_arrow::Values;
use slider_attacks_files::columns::{KeptColumn, OutputValues, UNKNOWN_KIND};

#[cfg(feature = "parquet")]
use super::arrow;
use super::cell::Cell;

/// The value of a row.
#[inline]
pub fn cell(values: &OutputValues, row: usize) -> Cell<'_> {
    match values {
        OutputValues::File { name, .. } => name.as_str().into(),
        OutputValues::Lines(lines) => Cell::Number(lines[row]),
        OutputValues::Product(Values::Boards(boards)) => Cell::Board(boards[row]),
        OutputValues::Product(Values::Numbers(numbers)) => Cell::Counts(&numbers[row]),
        OutputValues::Product(Values::Threats { offsets, threats }) => {
            Cell::Threats(&threats[offsets[row]..offsets[row + 1]])
        }
        OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
        OutputValues::Kept(KeptColumn::Text(texts)) => texts.get(row).map_or(Cell::NULL, Cell::from),
        OutputValues::Kept(KeptColumn::Json(texts)) => {
            texts.get(row).map_or(Cell::NULL, |value| Cell::Json(value.into()))
        }
        OutputValues::Kept(KeptColumn::Numbers(numbers)) => match numbers.get(row) {
            None => Cell::NULL,
            Some(value) if numbers.are_integers() => Cell::Integer(value),
            Some(value) => Cell::Json(numbers.text(value).into()),
        },
        OutputValues::Kept(KeptColumn::Fields(texts)) => Cell::Fields(texts.get(row).unwrap_or_default()),
        #[cfg(feature = "parquet")]
        OutputValues::Kept(KeptColumn::Array(field, array)) => arrow::cell(field, array, row),
    }
}

/// How many bytes a value takes at least as text, with a separator, unless it is null.
pub fn shortest(values: &OutputValues) -> usize {
    match values {
        OutputValues::Lines(_) => 2,
        OutputValues::Product(Values::Boards(_)) => 19,
        OutputValues::Product(Values::Numbers(_)) => 128,
        _ => 1,
    }
}
