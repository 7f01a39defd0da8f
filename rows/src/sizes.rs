//! Estimated sizes of the results of a position, which determine the number of lines per block.

use slider_attacks_arrow::{ColumnKind, Plan, ProductColumn};
use slider_attacks_formats::columns::UNKNOWN_KIND;

/// How many bytes a position takes: bitboards, flags, and the number of its line.
const POSITION: usize = 144;
/// The number of threats of a usual position.
const THREATS: usize = 32;
/// Half the number of moves that a position of a game has at most.
const MOVES: usize = 109;

/// The bytes of the values of a plan for a position, and of the position itself.
pub fn values(plan: &Plan) -> usize {
    let column = |column: &ProductColumn| match column.kind() {
        ColumnKind::Bitboard | ColumnKind::Key => 8,
        ColumnKind::Numbers => 64,
        ColumnKind::Number => 2,
        ColumnKind::Sets => 512,
        // As text, a move takes up to five bytes, and its offset four.
        ColumnKind::Moves => 16 + 9 * MOVES,
        ColumnKind::Threats => 16 + 6 * THREATS,
        _ => unreachable!("{UNKNOWN_KIND}"),
    };
    POSITION + plan.product_columns().map(column).sum::<usize>()
}

/// The same as text, after the bytes of names, which each row of JSON lines repeats.
pub fn text(plan: &Plan, has_names: bool) -> usize {
    let column = |column: &ProductColumn| {
        let value = match column.kind() {
            // `0x0000000000000000,`
            ColumnKind::Bitboard | ColumnKind::Key => 19,
            // 64 numbers with separators, some of them with a second digit
            ColumnKind::Numbers => 160,
            ColumnKind::Number => 4,
            ColumnKind::Sets => 64 * 21,
            // `"e7e8q",`
            ColumnKind::Moves => 8 * MOVES,
            // `Qd1xpd5,`
            ColumnKind::Threats => 10 * THREATS,
            _ => unreachable!("{UNKNOWN_KIND}"),
        };
        value + if has_names { column.name().len() + 3 } else { 0 }
    };
    12 + plan.product_columns().map(column).sum::<usize>()
}
