//! The phase of the game, by the pieces that are left.

use slider_attacks::position::{Color, Piece, PositionSlice};

/// The names of the phases.
pub const NAMES: [&str; 3] = ["opening", "middlegame", "endgame"];

/// From which number on a position belongs to the opening, and to the middlegame. Knights and bishops count 1, rooks 2, queens 4:
/// 24 at the beginning.
const OPENING: u32 = 20;
const MIDDLEGAME: u32 = 9;

/// The number of the phase of a position.
///
/// # Panics
///
/// If there is no such position.
pub fn phase(positions: PositionSlice<'_>, place: usize) -> usize {
    match worth(positions, place) {
        OPENING.. => 0,
        MIDDLEGAME.. => 1,
        _ => 2,
    }
}

/// What stands on the board without pawns and kings.
fn worth(positions: PositionSlice<'_>, place: usize) -> u32 {
    let worth = [(Piece::Knight, 1), (Piece::Bishop, 1), (Piece::Rook, 2), (Piece::Queen, 4)];
    let count = |color, piece| positions.pieces(color, piece)[place].count_ones();
    let of = |color| worth.iter().map(move |&(piece, worth)| worth * count(color, piece)).sum::<u32>();
    Color::ALL.into_iter().map(of).sum()
}
