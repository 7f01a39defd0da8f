//! The columns of the output: those computed from positions, and those copied from the input.

use slider_attacks_arrow as products;

use crate::read::parsed::Kept;
use crate::write::Cell;

/// Why a kind of values cannot come here: each writer has a case for each kind that products have.
pub const UNKNOWN_KIND: &str = "no product has values of another kind";

/// A column of the output, with a value for each position.
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
pub enum Values {
    /// The file that all rows come from.
    File {
        /// Its name.
        name: String,
        /// Its number, from 0.
        index: u64,
    },
    /// The numbers of lines.
    Lines(Vec<u64>),
    /// A column of a product.
    Product(products::Values),
    /// Values of the input.
    Kept(Kept),
}

impl Values {
    /// The value of a row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Values::File { name, .. } => name.as_str().into(),
            Values::Lines(lines) => Cell::Number(lines[row]),
            Values::Product(products::Values::Boards(boards)) => Cell::Board(boards[row]),
            Values::Product(products::Values::Numbers(numbers)) => Cell::Counts(&numbers[row]),
            Values::Product(products::Values::Threats { offsets, threats }) => {
                Cell::Threats(&threats[offsets[row]..offsets[row + 1]])
            }
            Values::Product(_) => unreachable!("{UNKNOWN_KIND}"),
            Values::Kept(Kept::Text(cells)) => cells.get(row).map_or(Cell::NULL, Cell::from),
            Values::Kept(Kept::Json(cells)) => cells.get(row).map_or(Cell::NULL, |value| Cell::Json(value.into())),
            Values::Kept(Kept::Fields(cells)) => Cell::Fields(cells.get(row).unwrap_or_default()),
            #[cfg(feature = "parquet")]
            Values::Kept(Kept::Array(field, array)) => crate::write::arrow::cell(field, array, row),
        }
    }
}
