//! The bitboards of positions, in columns: those that Python calls `boards`.

use std::sync::Arc;

#[cfg(feature = "parquet")]
use arrow_array::{ArrayRef, Int8Array, UInt8Array};
#[cfg(feature = "parquet")]
use arrow_schema::Field;
use slider_attacks::Square;
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_files::columns::{KeptColumn, NumberColumn, OutputColumn, OutputValues};
use slider_attacks_files::records::Records;
use slider_attacks_files::texts::TextTable;

use crate::format::RowFormat;

/// What `--what` calls them, and what they are.
pub const NAME: &str = "boards";
/// What they are, in one line.
pub const DEFINITION: &str =
    "The position itself: a bitboard for each colour and piece, side to move, castling, en passant";

/// The names of the other columns.
const REST: [&str; 3] = ["side_to_move", "castling", "en_passant"];

fn pieces() -> impl Iterator<Item = (Color, Piece)> {
    Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece)))
}

/// The names of the columns.
pub fn names() -> impl Iterator<Item = String> {
    pieces().map(|(color, piece)| format!("{color}_{piece}")).chain(REST.map(str::to_owned))
}

/// The columns. Records without a position have no values.
pub fn columns(records: &Records, format: RowFormat, integers: Integers) -> Vec<OutputColumn> {
    let positions = &records.positions;
    let nulls: Arc<[usize]> = records.nulls.iter().map(|(place, _)| *place).collect();
    let boards =
        pieces().map(|(color, piece)| OutputValues::Product(Values::Boards(positions.pieces(color, piece).to_vec())));
    let mut texts = TextTable::new(2);
    let mut squares: Vec<Option<u8>> = Vec::with_capacity(positions.len());
    for row in 0..positions.len() {
        let has_position = nulls.binary_search(&row).is_err();
        let side = if positions.side_to_move()[row] == Color::White { "w" } else { "b" };
        let castling = positions.castling()[row].to_string();
        texts.push([side, castling.as_str()].map(|text| has_position.then_some(text)));
        squares.push(positions.en_passant()[row].filter(|_| has_position).map(Square::index));
    }
    let texts = texts.columns().map(|texts| OutputValues::Kept(KeptColumn::Text(texts)));
    let values = boards.chain(texts).chain([OutputValues::Kept(numbers(squares, format, integers))]);
    // Of the others, missing values are among the values.
    let nulls = (0..pieces().count()).map(|_| (!nulls.is_empty()).then(|| nulls.clone())).chain([None, None, None]);
    let columns = names().zip(values).zip(nulls);
    columns.map(|((name, values), nulls)| OutputColumn { nulls, ..OutputColumn::new(name, values) }).collect()
}

/// Numbers of squares. In Arrow arrays, they have a byte, as they have in Python.
fn numbers(squares: Vec<Option<u8>>, format: RowFormat, integers: Integers) -> KeptColumn {
    #[cfg(feature = "parquet")]
    if format == RowFormat::Arrow {
        let array: ArrayRef = match integers {
            Integers::Unsigned => Arc::new(UInt8Array::from(squares)),
            Integers::Signed => {
                Arc::new(squares.iter().map(|square| square.map(|square| square as i8)).collect::<Int8Array>())
            }
        };
        return KeptColumn::Array(Arc::new(Field::new(REST[2], array.data_type().clone(), true)), array);
    }
    let _ = (format, integers);
    KeptColumn::Numbers(NumberColumn::new(
        squares.iter().map(|square| square.map_or(NumberColumn::MISSING, i64::from)).collect(),
        0,
    ))
}
