//! Which moves give check.
//!
//! For nearly all moves, two kinds of sets decide, both of the board before the move: the squares from which each kind of piece
//! attacks the enemy king, and the pieces between the king and a slider of their own side, which give check wherever they leave
//! that line. The square that a slider leaves makes no difference to its own check: if it were in the way, the slider would attack
//! the king already.
//!
//! A promotion, a castling or a capture en passant changes more, so the king is examined on the board after it. So it is after
//! every move of a position in which the king is attacked already; no game reaches such positions.

use super::lists::BlockSets;
use super::{mask, of_side, turned};
use crate::analysis::lanes::{BLOCK, HAS_BLOCKS, PositionArrays};
use crate::analysis::products::{diagonal_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union};
use crate::batch::lists::rows;
use crate::moves::after::{captured_en_passant, castled};
use crate::moves::{Move, MoveKind};
use crate::position::Piece;
use crate::rays::{E, N, NE, NW, S, SE, SW, ray, shifted, step};
use crate::{Square, Squares};

/// One array of a block for pawns, for knights, for rooks and queens, and for bishops and queens.
type ByKind = [[u64; BLOCK]; 4];

rows! {
    /// What decides which moves of the positions of a block give check, as the side to move sees it.
    pub(super) struct CheckSets {
        /// The pieces of the side to move.
        pieces: ByKind,
        /// The squares from which such a piece attacks the enemy king.
        squares: ByKind,
        king: [u64; BLOCK],
        /// The pieces that may have a move and stand between the king and a slider of their own side.
        pub openers: [u64; BLOCK],
    }
}

impl CheckSets {
    /// Computes the sets of the first `len` lanes, and leaves in those of the moves only the pieces that may give check.
    #[inline(always)]
    pub fn compute(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, sets: &mut BlockSets, len: usize) {
        if HAS_BLOCKS && len == 1 {
            return self.compute_lanes::<1>(block, sets);
        }
        self.compute_lanes::<BLOCK>(block, sets);
    }

    #[inline(always)]
    fn compute_lanes<const LANES: usize>(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, sets: &mut BlockSets) {
        for lane in 0..LANES {
            let black = sets.pieces.black[lane];
            let board = turned(&block.board(lane), black);
            let (own, king, empty) = (&board.own, board.enemy.king, board.empty());
            let mut between = 0;
            macro_rules! line {
                ($by:ident, $sliders:ident) => {{
                    let (there, back) = (ray::<$by>(king, empty), ray::<{ -$by }>(king, empty));
                    let (down, up) = (ray::<{ -$by }>(own.$sliders, empty), ray::<$by>(own.$sliders, empty));
                    between |= there & down | back & up;
                    there | back
                }};
            }
            let orthogonal = line!(N, orthogonal) | line!(E, orthogonal);
            let diagonal = line!(NE, diagonal) | line!(NW, diagonal);
            let pieces = [own.pawns, own.knights, own.orthogonal, own.diagonal];
            let squares = [union(pawn_attacks(king, 0)), knight_attacks(king), orthogonal, diagonal];
            let [pawns, knights, ..] = squares;
            let attackers = pieces[0] & pawns | pieces[1] & knights | pieces[2] & orthogonal | pieces[3] & diagonal;

            // The pieces that a move to such a square may come from. A queen moves in both ways, and attacks in both.
            let to = &sets.pieces;
            let pawns = step::<S>(to.one[lane] & pawns)
                | shifted::<S, 2>(to.two[lane] & pawns)
                | step::<SW>(to.east[lane] & pawns)
                | step::<SE>(to.west[lane] & pawns);
            let knights = own.knights & knight_attacks(knights & to.targets[lane]);
            let has_queens = mask(own.orthogonal & own.diagonal != 0);
            let [by_orthogonal, by_diagonal] = [
                (orthogonal | diagonal & has_queens) & to.targets[lane],
                (diagonal | orthogonal & has_queens) & to.targets[lane],
            ];
            let sliders = own.orthogonal & orthogonal_attacks(by_orthogonal, empty)
                | own.diagonal & diagonal_attacks(by_diagonal, empty);
            let movers = of_side(sets.movers[lane], black);
            let special = (sets.special[lane] | mask(attackers != 0)) & movers;
            let openers = between & movers;
            let checkers = movers & (special | openers | pawns | knights | sliders);

            for kind in 0..4 {
                self.pieces[kind][lane] = pieces[kind];
                self.squares[kind][lane] = squares[kind];
            }
            self.king[lane] = king;
            self.openers[lane] = openers;
            sets.movers[lane] = of_side(checkers, black);
            sets.pinned[lane] &= checkers;
            sets.special[lane] = special;
        }
    }

    /// The square of the enemy king.
    pub fn king(&self, lane: usize) -> Square {
        Squares::from(self.king[lane]).next().expect("each side has a king")
    }

    /// The squares from which the piece on `square` attacks the king, as the side to move sees both.
    #[inline(always)]
    pub fn squares(&self, lane: usize, square: u8) -> u64 {
        let has = |pieces: &[u64; BLOCK]| mask(pieces[lane] >> (square % 64) & 1 != 0);
        let kinds = self.pieces.iter().zip(&self.squares);
        kinds.fold(0, |squares, (pieces, from)| squares | from[lane] & has(pieces))
    }

    /// Whether the king is attacked after a move of any kind.
    pub fn gives_check(&self, sets: &BlockSets, lane: usize, mv: Move) -> bool {
        let of = |board: u64| of_side(board, sets.pieces.black[lane]);
        let (from, to, king) = (of(mv.start().bitboard()), of(mv.target().bitboard()), self.king[lane]);
        let [mut pawns, mut knights, mut orthogonal, mut diagonal] = self.pieces.each_ref().map(|pieces| {
            let pieces = pieces[lane];
            pieces & !from | to & mask(pieces & from != 0)
        });
        let mut occupied = sets.occupied[lane] & !from | to;
        match mv.kind() {
            MoveKind::Normal => {}
            MoveKind::EnPassant => occupied &= !of(captured_en_passant(mv)),
            MoveKind::Castling => {
                let (king, rook) = castled(mv);
                orthogonal = orthogonal & !to | of(rook);
                occupied = occupied & !to | of(king | rook);
            }
            MoveKind::Promotion => {
                pawns &= !to;
                let is = |kinds: &[Piece]| to & mask(mv.promoted().is_some_and(|piece| kinds.contains(&piece)));
                knights |= is(&[Piece::Knight]);
                orthogonal |= is(&[Piece::Rook, Piece::Queen]);
                diagonal |= is(&[Piece::Bishop, Piece::Queen]);
            }
        }
        let attackers = union(pawn_attacks(king, 0)) & pawns
            | knight_attacks(king) & knights
            | orthogonal_attacks(king, !occupied) & orthogonal
            | diagonal_attacks(king, !occupied) & diagonal;
        attackers != 0
    }
}
