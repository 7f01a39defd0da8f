//! A buffer of boards for arrays of positions.

use slider_attacks::Square;
use slider_attacks::position::{Castling, Color, Positions};

use crate::Board;

const BLOCK: usize = 256;

/// A buffer of boards, added to [`Positions`] many at a time.
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::{Board, pgn::PositionBuffer};
///
/// let (mut buffer, mut positions, mut board) = (PositionBuffer::default(), Positions::new(), Board::INITIAL);
/// for text in ["e4", "e5"] {
///     board.play_text(text.as_bytes())?;
///     buffer.push(&board, &mut positions);
/// }
/// buffer.flush(&mut positions); // else the last boards would be missing
/// assert_eq!(positions.fen(1), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -");
/// # Ok::<(), slider_attacks_games::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PositionBuffer {
    planes: [[u64; BLOCK]; 4],
    side_to_move: [Color; BLOCK],
    castling: [Castling; BLOCK],
    en_passant: [Option<Square>; BLOCK],
    len: usize,
}

impl Default for PositionBuffer {
    fn default() -> PositionBuffer {
        PositionBuffer {
            planes: [[0; BLOCK]; 4],
            side_to_move: [Color::White; BLOCK],
            castling: [Castling::NONE; BLOCK],
            en_passant: [None; BLOCK],
            len: 0,
        }
    }
}

impl PositionBuffer {
    /// Adds a board. A full buffer is moved to `positions`.
    #[inline(always)]
    pub fn push(&mut self, board: &Board, positions: &mut Positions) {
        let at = self.len % BLOCK;
        for (all, plane) in self.planes.iter_mut().zip(board.planes()) {
            all[at] = plane;
        }
        self.side_to_move[at] = board.side_to_move();
        self.castling[at] = board.castling();
        self.en_passant[at] = board.en_passant();
        self.len = at + 1;
        if self.len == BLOCK {
            self.flush(positions);
        }
    }

    /// Adds the remaining boards to `positions`.
    #[inline(never)]
    pub fn flush(&mut self, positions: &mut Positions) {
        let len = core::mem::take(&mut self.len);
        let planes = self.planes.each_ref().map(|plane| &plane[..len]);
        positions
            .push_planes(planes, &self.side_to_move[..len], &self.castling[..len], &self.en_passant[..len])
            .expect("boards are positions");
    }
}
