//! Up to 64 positions in arrays of a fixed size.
//!
//! A record goes to the same index of eighteen arrays. If these are vectors, eighteen lengths are loaded, compared and
//! stored per record. A block has one length, and the vectors take many records from it at once: 49 ns per line instead of
//! 58 (Zen 5).

use super::fen::FenRecord;
use super::{Castling, Color};
use crate::Square;

pub(super) const BLOCK: usize = 64;

pub(super) struct PositionBlock {
    /// In the order of [`FenRecord::boards`].
    pub boards: [[u64; BLOCK]; 15],
    pub side_to_move: [Color; BLOCK],
    pub castling: [Castling; BLOCK],
    pub en_passant: [Option<Square>; BLOCK],
    /// The number of positions. The rest of the arrays has no meaning.
    pub len: usize,
}

impl PositionBlock {
    pub fn new() -> PositionBlock {
        PositionBlock {
            boards: [[0; BLOCK]; 15],
            side_to_move: [Color::White; BLOCK],
            castling: [Castling::NONE; BLOCK],
            en_passant: [None; BLOCK],
            len: 0,
        }
    }

    /// Adds a position. The block must not be full.
    #[inline(always)]
    pub fn add(&mut self, record: &FenRecord) {
        debug_assert!(!self.is_full());
        let at = self.len % BLOCK; // so that the compiler sees that it is within the arrays
        for (boards, board) in self.boards.iter_mut().zip(record.boards()) {
            boards[at] = board;
        }
        self.side_to_move[at] = record.side_to_move;
        self.castling[at] = record.castling;
        self.en_passant[at] = record.en_passant;
        self.len += 1;
    }

    pub fn is_full(&self) -> bool {
        self.len == BLOCK
    }
}
