//! Tactics in one position, without branches: double attacks, and pieces in line.
//!
//! The targets depend on the kind of piece: a rook looks for pieces worth more than a rook, a queen for the king. So
//! rays go out from the targets as well as from the sliders, one fill for each set of them. A rook sees a target to the
//! north if the rays that go south from the targets reach it:
//!
//! ```text
//!  . . . . . . . .
//!  . . . q . . . .      targets of rooks
//!  . . . ↓ . . . .
//!  . . . ↓ . . . .
//!  . . n ↓ . . . .      no target, if it is defended
//!  . . . ↓ . . . .
//!  . . R R . . . .      only one of the rooks sees a target
//! ```

use super::lanes::{Bitboard, SidePieces, SideView};
use super::products::{
    attacks, diagonal_attacks, diagonal_between, king_attacks, orthogonal_attacks, orthogonal_between, pawn_attacks,
};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, ray, step};

/// The pieces of a side that are worth more than a pawn, than a knight or a bishop, than a rook, and than a queen.
#[inline(always)]
const fn above(pieces: &SidePieces) -> [u64; 4] {
    let SidePieces { pawns, orthogonal, diagonal, king, all, .. } = *pieces;
    [all & !pawns, orthogonal | king, orthogonal & diagonal | king, king]
}

/// The rooks, the bishops and the queens.
#[inline(always)]
const fn sliders(pieces: &SidePieces) -> [u64; 3] {
    let SidePieces { orthogonal, diagonal, .. } = *pieces;
    [orthogonal & !diagonal, diagonal & !orthogonal, orthogonal & diagonal]
}

/// The squares that are in at least one of some sets, and in at least two of them.
#[derive(Default)]
struct Repeated {
    once: u64,
    twice: u64,
}

impl Repeated {
    #[inline(always)]
    fn add<const M: usize>(&mut self, sets: [u64; M]) {
        for set in sets {
            self.twice |= self.once & set;
            self.once |= set;
        }
    }
}

/// The squares that each kind of piece looks for.
struct Targets {
    of_pawns: u64,
    /// Of knights and bishops.
    of_minors: u64,
    of_rooks: u64,
    of_queens: u64,
    of_king: u64,
}

impl Targets {
    /// The pieces of a side that are worth more than the piece that looks for them, or that their side does not defend.
    #[inline(always)]
    fn valuable_or_loose(side: &SidePieces, empty: u64, white: u64) -> Targets {
        let loose = side.all & !attacks(side, empty, white);
        let [pawn, minor, rook, queen] = above(side).map(|above| above | loose);
        Targets { of_pawns: pawn, of_minors: minor, of_rooks: rook, of_queens: queen, of_king: loose & !side.king }
    }

    #[inline(always)]
    const fn same(squares: u64) -> Targets {
        Targets { of_pawns: squares, of_minors: squares, of_rooks: squares, of_queens: squares, of_king: squares }
    }

    /// The pieces that attack two or more of their targets. A piece attacks at most one in each direction.
    #[inline(always)]
    fn attacked_twice(&self, by: &SidePieces, empty: u64, white: u64) -> u64 {
        let [rooks, bishops, queens] = sliders(by);
        let mut tally = Repeated::default();
        tally.add(orthogonal!(ray(self.of_rooks, empty)).map(|from| rooks & from));
        tally.add(diagonal!(ray(self.of_minors, empty)).map(|from| bishops & from));
        tally.add(orthogonal!(ray(self.of_queens, empty)).map(|from| queens & from));
        tally.add(diagonal!(ray(self.of_queens, empty)).map(|from| queens & from));
        tally.add(knight!(step(self.of_minors)).map(|from| by.knights & from));
        tally.add(orthogonal!(step(self.of_king)).map(|from| by.king & from));
        tally.add(diagonal!(step(self.of_king)).map(|from| by.king & from));
        // From where a pawn would attack: as pawns of the other colour do.
        tally.add(pawn_attacks(self.of_pawns, !white).map(|from| by.pawns & from));
        tally.twice
    }
}

/// The pieces of `own` that attack two or more pieces of `enemy`, each of them worth more or undefended.
#[derive(Clone, Copy)]
pub(super) struct Forks;

impl Bitboard for Forks {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let empty = board.empty();
        Targets::valuable_or_loose(&board.enemy, empty, !board.white).attacked_twice(&board.own, empty, board.white)
    }
}

/// Those of `fronts` that one of the sliders attacks, and behind which one of `behind` is the next piece on the line.
#[inline(always)]
fn in_line(by: &SidePieces, fronts: u64, behind: u64, empty: u64) -> u64 {
    let between = orthogonal_between(by.orthogonal, behind, empty) | diagonal_between(by.diagonal, behind, empty);
    fronts & between
}

/// The pieces of `enemy` that a slider of `own` attacks, and behind which an enemy piece stands that is worth less or the same.
#[derive(Clone, Copy)]
pub(super) struct Skewers;

impl Bitboard for Skewers {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let (own, enemy, empty) = (&board.own, &board.enemy, board.empty());
        let [pawn, minor, rook, queen] = above(enemy);
        // There is no second king, so the pieces that may be behind a king are those that may be behind a queen.
        in_line(own, enemy.all, enemy.all & !pawn, empty)
            | in_line(own, pawn, enemy.all & !minor, empty)
            | in_line(own, minor, enemy.all & !rook, empty)
            | in_line(own, rook, enemy.all & !queen, empty)
    }
}

/// The pieces of `own` that a slider of `enemy` attacks, and behind which a piece of `own` stands that is worth more, but is
/// not the king.
#[derive(Clone, Copy)]
pub(super) struct RelativelyPinned;

impl Bitboard for RelativelyPinned {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let (own, enemy, empty) = (&board.own, &board.enemy, board.empty());
        let [pawn, minor, rook, queen] = above(own);
        in_line(enemy, own.all & !pawn, pawn & !queen, empty)
            | in_line(enemy, own.all & !minor, minor & !queen, empty)
            | in_line(enemy, own.all & !rook, rook & !queen, empty)
    }
}

/// The pieces of `own` that stand between a slider of `own` and a piece of `enemy` that is worth more than the slider or
/// undefended.
#[derive(Clone, Copy)]
pub(super) struct Discovered;

impl Bitboard for Discovered {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let (own, empty) = (&board.own, board.empty());
        let [rooks, bishops, queens] = sliders(own);
        let targets = Targets::valuable_or_loose(&board.enemy, empty, !board.white);
        let between = orthogonal_between(rooks, targets.of_rooks, empty)
            | diagonal_between(bishops, targets.of_minors, empty)
            | orthogonal_between(queens, targets.of_queens, empty)
            | diagonal_between(queens, targets.of_queens, empty);
        own.all & between
    }
}

/// The sliders of `own` that another slider of `own` defends along a line on which both move.
#[derive(Clone, Copy)]
pub(super) struct Batteries;

impl Bitboard for Batteries {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let (SidePieces { orthogonal, diagonal, .. }, empty) = (board.own, board.empty());
        orthogonal & orthogonal_attacks(orthogonal, empty) | diagonal & diagonal_attacks(diagonal, empty)
    }
}

/// The pieces of `own` that are the only defender of two or more pieces that the enemy attacks, the king aside.
#[derive(Clone, Copy)]
pub(super) struct Overloaded;

impl Bitboard for Overloaded {
    #[inline(always)]
    fn compute(self, board: &SideView) -> u64 {
        let (own, empty, white) = (&board.own, board.empty(), board.white);
        let mut defended = Repeated::default();
        defended.add(orthogonal!(ray(own.orthogonal, empty)));
        defended.add(diagonal!(ray(own.diagonal, empty)));
        defended.add(knight!(step(own.knights)));
        defended.add(pawn_attacks(own.pawns, white));
        defended.add([king_attacks(own.king)]);
        let attacked = own.all & !own.king & attacks(&board.enemy, empty, !white);
        Targets::same(attacked & defended.once & !defended.twice).attacked_twice(own, empty, white)
    }
}
