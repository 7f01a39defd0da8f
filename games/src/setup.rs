//! Boards from their parts, as records of engines have them.

use slider_attacks::position::{BoardError, Color};

use crate::board::{Board, PAWN_CODE, Pieces, rank};

impl Board {
    /// The board of these planes, each of which holds pieces of numbers from 1 to 6 only.
    ///
    /// `rooks` are those that may castle: on the first rank of their side, as their king is. An en passant square without a legal
    /// capture is left out.
    ///
    /// # Errors
    ///
    /// A side does not have exactly one king.
    pub(crate) fn of_parts(
        planes: [u64; 4],
        is_black_to_move: bool,
        rooks: u64,
        en_passant: u64,
        halfmoves: u16,
        number: u16,
    ) -> Result<Board, BoardError> {
        let pieces = Pieces(planes);
        for (color, side) in Color::ALL.into_iter().zip([0, !0]) {
            let kings = (pieces.kings() & pieces.of(side)).count_ones();
            if kings != 1 {
                return Err(BoardError::OneKing { color, kings });
            }
        }
        let black_to_move = if is_black_to_move { !0 } else { 0 };
        let mut board = Board { planes, rooks, en_passant: 0, black_to_move, halfmoves, number };
        let (pawn, from, row) = if is_black_to_move {
            (en_passant << 8, en_passant >> 8, rank(2))
        } else {
            (en_passant >> 8, en_passant << 8, rank(5))
        };
        let them = pieces.of(!black_to_move) & pieces.kind(PAWN_CODE);
        if en_passant & row != 0 && them & pawn != 0 && pieces.occupied() & (en_passant | from) == 0 {
            board.take_en_passant(en_passant);
        }
        Ok(board)
    }
}

/// The rooks that may castle, but not as this library has it: one on each side of its king at most, all on the first rank of
/// their side. Zero if there are none.
#[inline(always)]
pub(crate) fn wrong_rooks(planes: [u64; 4], rooks: u64) -> u64 {
    let [_, twos, fours, black] = planes;
    let kings = twos & fours;
    let wrong = |rooks: u64, king: u64, home: u64| {
        // Without a king at home, none is right.
        let (west, east) = (rooks & king.wrapping_sub(1), rooks & !king.wrapping_sub(1));
        let home = if king & home == 0 { 0 } else { home };
        rooks & !home | west & west.wrapping_sub(1) | east & east.wrapping_sub(1)
    };
    wrong(rooks & !black, kings & !black, rank(0)) | wrong(rooks & black, kings & black, rank(7))
}
