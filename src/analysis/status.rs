//! Whether a position is a check, or the end of a game.

use super::lanes::{Bitboard, SideView};
use super::moves::{self, LegalMoves, TurnedNumber};
use super::products::Checkers;
use crate::position::PositionSlice;
use crate::{Backend, BatchError};

/// A state of a game that a position shows.
///
/// ```
/// use slider_attacks::analysis::Status;
///
/// assert_eq!("stalemate".parse(), Ok(Status::Stalemate));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The king of the side to move is attacked.
    Check,
    /// So it is, and there is no legal move.
    Checkmate,
    /// There is no legal move, and no check.
    Stalemate,
    /// No sequence of legal moves leads to checkmate, because of the pieces that are left: besides the kings, nothing, or one
    /// knight, or bishops on squares of one colour. Other positions in which nobody can win are not recognised.
    InsufficientMaterial,
}

crate::error::names! {
    Status, 4: Check "check", Checkmate "checkmate", Stalemate "stalemate", InsufficientMaterial "insufficient_material"
}

/// Which positions have this status: 1 if so, else 0.
pub(super) fn fill(
    backend: Backend,
    positions: PositionSlice<'_>,
    status: Status,
    out: &mut [u16],
) -> Result<(), BatchError> {
    match status {
        Status::Check => moves::fill(backend, InCheck, positions, out),
        Status::Checkmate => moves::fill(backend, NoMoves { in_check: true }, positions, out),
        Status::Stalemate => moves::fill(backend, NoMoves { in_check: false }, positions, out),
        Status::InsufficientMaterial => moves::fill(backend, InsufficientMaterial, positions, out),
    }
}

#[derive(Clone, Copy)]
struct InCheck;

impl TurnedNumber for InCheck {
    #[inline(always)]
    fn compute(self, board: &SideView, _: u64, _: [u64; 2]) -> u64 {
        u64::from(Checkers.compute(board, *board) != 0)
    }
}

/// No legal move, in check or not.
#[derive(Clone, Copy)]
struct NoMoves {
    in_check: bool,
}

impl TurnedNumber for NoMoves {
    #[inline(always)]
    fn compute(self, board: &SideView, passed: u64, castling: [u64; 2]) -> u64 {
        let is_over = LegalMoves.compute(board, passed, castling) == 0;
        u64::from(is_over & ((Checkers.compute(board, *board) != 0) == self.in_check))
    }
}

#[derive(Clone, Copy)]
struct InsufficientMaterial;

impl TurnedNumber for InsufficientMaterial {
    const HAS_STATE: bool = false;

    #[inline(always)]
    fn compute(self, board: &SideView, _: u64, _: [u64; 2]) -> u64 {
        let (own, enemy) = (&board.own, &board.enemy);
        let strong = own.pawns | enemy.pawns | own.orthogonal | enemy.orthogonal;
        let (knights, bishops) = (own.knights | enemy.knights, own.diagonal | enemy.diagonal);
        let one_knight = (knights & knights.wrapping_sub(1) == 0) & (bishops == 0);
        let one_color = (bishops & DARK_SQUARES == 0) | (bishops & !DARK_SQUARES == 0);
        u64::from((strong == 0) & (one_knight | (knights == 0) & one_color))
    }
}

const DARK_SQUARES: u64 = 0xaa55_aa55_aa55_aa55;
