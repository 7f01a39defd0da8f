//! Attacks around the kings in one position, without branches.

use super::lanes::{Bitboard, Board};
use super::products::{
    attacks, diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union,
};
use crate::rays::{E, N, S, W, step};

/// The pieces of `enemy` that attack the king of `own` or a square next to it: those that a piece of their kind on one of these
/// squares would attack.
#[derive(Clone, Copy)]
pub(super) struct KingRing;

impl Bitboard for KingRing {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        let (enemy, empty) = (&board.enemy, board.empty());
        let ring = board.own.king | king_attacks(board.own.king);
        // Each square of the ring is beside another one.
        let row = ring | step::<E>(ring) | step::<W>(ring);
        let around = row | step::<N>(row) | step::<S>(row);
        union(pawn_attacks(ring, board.white)) & enemy.pawns
            | knight_attacks(ring) & enemy.knights
            | around & enemy.king
            | orthogonal_attacks(ring, empty) & enemy.orthogonal
            | diagonal_attacks(ring, empty) & enemy.diagonal
    }
}

/// The squares to which a knight, bishop, rook or queen of `own` could go to give check, and that `enemy` does not attack.
#[derive(Clone, Copy)]
pub(super) struct SafeChecks;

impl Bitboard for SafeChecks {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        let (own, king, empty) = (&board.own, board.enemy.king, board.empty());
        let queens = own.orthogonal & own.diagonal;
        // Queens go both ways, so what they see in the other one is added.
        let on_lines = orthogonal_attacks(own.orthogonal, empty) | diagonal_attacks(queens, empty);
        let on_diagonals = diagonal_attacks(own.diagonal, empty) | orthogonal_attacks(queens, empty);
        let checks = knight_attacks(king) & knight_attacks(own.knights)
            | orthogonal_attacks(king, empty) & on_lines
            | diagonal_attacks(king, empty) & on_diagonals;
        checks & !own.all & !attacks(&board.enemy, empty, !board.white)
    }
}
