//! The bitboards of positions, in columns: those that Python calls `boards`.

use std::iter;
#[cfg(feature = "parquet")]
use std::mem;
use std::sync::Arc;

use slider_attacks::position::{Color, Piece};
#[cfg(feature = "parquet")]
use slider_attacks_arrow::PositionArray;
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::columns::texts::TextTable;
use slider_attacks_formats::columns::{KeptColumn, NumberColumn, OutputColumn, OutputValues};

#[cfg(feature = "parquet")]
use crate::arrays::null_buffer;
use crate::format::RowFormat;

/// Their name in `--what`, and their definition.
pub const NAME: &str = "boards";
/// Their definition, in one line.
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

/// The columns, for rows of this format. Records at the places `nulls` have no position, and no values.
pub fn columns(
    records: &mut Records,
    nulls: &Arc<[usize]>,
    format: RowFormat,
    integers: Integers,
) -> Vec<OutputColumn> {
    let of = |(color, piece)| Values::Boards(records.positions.pieces(color, piece).to_vec());
    let boards: Vec<_> = pieces().map(|piece| (OutputValues::Product(of(piece)), Some(nulls.clone()))).collect();
    let boards = boards.into_iter();
    #[cfg(feature = "parquet")]
    if format == RowFormat::Arrow {
        let columns = iter::zip(names(), boards.chain(rest(records, nulls, integers)));
        return columns
            .map(|(name, (values, nulls))| OutputColumn { nulls, ..OutputColumn::new(name, values) })
            .collect();
    }
    let _ = (format, integers);
    let positions = &records.positions;
    let mut texts = TextTable::new(2);
    let mut squares = Vec::with_capacity(positions.len());
    for row in 0..positions.len() {
        let has_position = nulls.binary_search(&row).is_err();
        let side = if positions.side_to_move()[row] == Color::White { "w" } else { "b" };
        let castling = positions.castling()[row].to_string();
        texts.push([side, castling.as_str()].map(|text| has_position.then_some(text)));
        let square = positions.en_passant()[row].filter(|_| has_position);
        squares.push(square.map_or(NumberColumn::MISSING, |square| square.index().into()));
    }
    // Of these, missing values are among the values.
    let squares = KeptColumn::Numbers(NumberColumn::new(squares, 0));
    let rest = texts.columns().map(KeptColumn::Text).chain([squares]).map(|kept| (OutputValues::Kept(kept), None));
    let columns = iter::zip(names(), boards.chain(rest));
    columns.map(|(name, (values, nulls))| OutputColumn { nulls, ..OutputColumn::new(name, values) }).collect()
}

/// The columns other than bitboards, as Arrow arrays.
#[cfg(feature = "parquet")]
fn rest(
    records: &mut Records,
    nulls: &[usize],
    integers: Integers,
) -> impl Iterator<Item = (OutputValues, Option<Arc<[usize]>>)> + use<> {
    let nulls = (!nulls.is_empty()).then(|| null_buffer(nulls, records.positions.len()));
    let positions = PositionArray::from_parts(mem::take(&mut records.positions), nulls);
    let columns = positions.state_columns(integers);
    records.positions = positions.into_positions();
    let fields = PositionArray::boards_schema(integers);
    let fields: Vec<_> = fields.fields().iter().skip(pieces().count()).cloned().collect();
    let kept = iter::zip(fields, columns).map(|(field, array)| KeptColumn::Array(field, array));
    kept.map(|kept| (OutputValues::Kept(kept), None))
}
