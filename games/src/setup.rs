//! Boards from their parts, as records of engines and arrays of positions have them.

use slider_attacks::Square;
use slider_attacks::position::{BoardError, Color, Piece, Positions};

use crate::board::{Board, PAWN_CODE, Pieces, rank};

impl Board {
    /// The board of one of many positions. Its counters are those of the initial position, because positions have none.
    ///
    /// Castling rights without a rook and a king to castle, and an en passant square without a legal capture, are left out.
    ///
    /// # Panics
    ///
    /// If `index` is not below the number of positions.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_games::Board;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/8/8/8/8/R3K3 w KQkq e6")?;
    /// let mut board = Board::from_position(&positions, 0);
    /// board.set_counters(3, 40);
    /// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/R3K3 w Q - 3 40");
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn from_position(positions: &Positions, index: usize) -> Board {
        let kind = |piece| Color::ALL.into_iter().fold(0, |all, color| all | positions.pieces(color, piece)[index]);
        let [pawns, knights, bishops, rooks, queens, kings] = Piece::ALL.map(kind);
        let black = positions.color(Color::Black)[index];
        let planes = [pawns | bishops | queens, knights | bishops | kings, rooks | queens | kings, black];
        let is_black_to_move = positions.side_to_move()[index] == Color::Black;
        let en_passant = positions.en_passant()[index].map_or(0, Square::bitboard);
        let board = Board::from_parts(planes, is_black_to_move, 0, en_passant, 0, 1);
        let mut board = board.expect("a position has a king of each colour");
        board.rooks = board.rooks_of(positions.castling()[index]);
        board
    }

    /// The board of these planes, which hold only pieces with numbers from 1 to 6.
    ///
    /// `rooks` are those that may castle: on the first rank of their side, as their king is. An en passant square without a legal
    /// capture is left out.
    ///
    /// # Errors
    ///
    /// A side does not have exactly one king.
    pub(crate) fn from_parts(
        planes: [u64; 4],
        is_black_to_move: bool,
        rooks: u64,
        en_passant: u64,
        halfmoves: u16,
        number: u16,
    ) -> Result<Board, BoardError> {
        let pieces = Pieces(planes);
        if let Some(error) = wrong_king_count(pieces.kings(), planes[3]) {
            return Err(error);
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

/// The side that does not have exactly one king.
pub(crate) fn wrong_king_count(kings: u64, black: u64) -> Option<BoardError> {
    let wrong = |(color, kings): (Color, u64)| {
        let kings = kings.count_ones();
        (kings != 1).then_some(BoardError::OneKing { color, kings })
    };
    Color::ALL.into_iter().zip([kings & !black, kings & black]).find_map(wrong)
}

/// By the rooks of a rank that may castle: the squares on which their king may stand, so that there is at most one rook on each
/// side of it. If there are no rooks, bit 8 as well: it need not be on that rank.
static BESIDE: [u16; 256] = {
    let mut table = [0x1ff; 256];
    let mut rooks = 1_usize;
    while rooks < 256 {
        let (low, high) = (rooks.trailing_zeros(), rooks.ilog2());
        table[rooks] = match rooks.count_ones() {
            1 => 0xff ^ rooks as u16,
            2 => (1 << high) - (2 << low),
            _ => 0,
        };
        rooks += 1;
    }
    table
};

/// Whether the rooks that may castle are as this library has them: one on each side of its king at most, all on the first rank
/// of their side.
#[inline(always)]
pub(crate) fn rooks_are_right(planes: [u64; 4], rooks: u64) -> bool {
    let [_, twos, fours, black] = planes;
    let (kings, home) = (twos & fours, rank(0) & !black | rank(7) & black);
    let is_right = |rooks: u64, king: u64| u64::from(BESIDE[(rooks & 0xff) as usize]) & (king & 0xff | 0x100) != 0;
    (rooks & !home == 0) & is_right(rooks, kings & !black) & is_right(rooks >> 56, (kings & black) >> 56)
}
