//! Castling, in chess and in Chess960.

use crate::board::{Board, Pieces, first, rank};
use crate::moves::{Move, MoveKind};

impl Board {
    /// The move of castling with the rook nearest to the king that has the right, on the king's side or the queen's.
    pub(crate) fn castling_move(&self, is_long: bool) -> Option<Move> {
        let pieces = self.pieces();
        let king = pieces.kings() & pieces.of(self.black_to_move);
        let rooks = self.rooks & if self.black_to_move == 0 { rank(0) } else { rank(7) };
        let west = king - 1;
        let rook = rooks & if is_long { west } else { !west };
        (rook != 0).then(|| Move::new(first(king), first(rook), MoveKind::Castling))
    }

    /// Castles with a rook, if that is legal.
    pub(crate) fn castle(&mut self, rook: u64) -> bool {
        let (pieces, side) = (self.pieces(), self.black_to_move);
        let king = pieces.kings() & pieces.of(side);
        let home = if side == 0 { rank(0) } else { rank(7) };
        if rook & self.rooks & home == 0 || king & home == 0 {
            return false;
        }
        let is_long = rook < king;
        // c and d, or g and f.
        let file = |file: u32| (0x0101_0101_0101_0101 << file) & home;
        let (king_to, rook_to) = if is_long { (file(2), file(3)) } else { (file(6), file(5)) };
        let (king_path, rook_path) = (between(king, king_to), between(rook, rook_to));
        if pieces.occupied() & !(king | rook) & (king_path | rook_path) != 0 {
            return false;
        }
        // No square on the king's way is attacked. For the last one, the board after the move counts: the rook may have shielded
        // it before.
        let mut path = king_path & !king_to | king;
        let without = Pieces(self.planes.map(|plane| plane & !king));
        while path != 0 {
            if without.attack(!side, first(path)) {
                return false;
            }
            path &= path - 1;
        }
        let mut planes = self.planes.map(|plane| plane & !(king | rook));
        planes[1] |= king_to;
        planes[2] |= king_to | rook_to;
        planes[3] |= (king_to | rook_to) & side;
        if Pieces(planes).attack(!side, first(king_to)) {
            return false;
        }
        self.planes = planes;
        self.rooks &= !home;
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.pass(side);
        true
    }
}

/// The squares from one to another of the same rank, both included.
fn between(a: u64, b: u64) -> u64 {
    let (low, high) = (a.min(b), a.max(b));
    (high - low) | high
}
