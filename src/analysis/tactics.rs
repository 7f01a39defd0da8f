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
use super::products::{between, king_attacks, opposite, pawn_attacks, rays};
use super::shared::{Needs, Rays, SharedSets};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, each_direction, step};

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
pub(super) struct Targets {
    of_pawns: u64,
    /// Of knights and bishops.
    of_minors: u64,
    of_rooks: u64,
    of_queens: u64,
    of_king: u64,
}

impl Targets {
    /// The pieces of a side that are worth more than the piece that looks for them, or that are not on squares that their side
    /// defends.
    #[inline(always)]
    pub fn valuable_or_loose(side: &SidePieces, defended: u64) -> Targets {
        let loose = side.all & !defended;
        let [pawn, minor, rook, queen] = above(side).map(|above| above | loose);
        Targets { of_pawns: pawn, of_minors: minor, of_rooks: rook, of_queens: queen, of_king: loose & !side.king }
    }

    #[inline(always)]
    const fn same(squares: u64) -> Targets {
        Targets { of_pawns: squares, of_minors: squares, of_rooks: squares, of_queens: squares, of_king: squares }
    }

    /// Those of rooks and of bishops, and twice those of queens.
    #[inline(always)]
    pub fn sliders(&self) -> [[u64; 2]; 2] {
        [[self.of_rooks, self.of_minors], [self.of_queens; 2]]
    }

    /// What the targets of rooks and bishops see, and those of queens.
    #[inline(always)]
    pub fn rays(&self, empty: u64) -> [Rays; 2] {
        let [[rooks, bishops], [queens, _]] = self.sliders();
        [rays(rooks, bishops, empty), rays(queens, queens, empty)]
    }

    /// The pieces that attack two or more of their targets. A piece attacks at most one in each direction.
    #[inline(always)]
    fn attacked_twice(&self, by: &SidePieces, [of_pieces, of_queens]: [Rays; 2], white: u64) -> u64 {
        let [rooks, bishops, queens] = sliders(by);
        let (up, down) = (by.pawns & white, by.pawns & !white);
        let mut tally = Repeated::default();
        // From the targets back to the pieces. A square holds one piece, so the kinds take one step of the tally.
        macro_rules! direction {
            ($at:expr, $by:expr, $knights_by:expr, $sliders:ident, $pawns:expr) => {
                let by_sliders = $sliders & of_pieces[$at] | queens & of_queens[$at];
                let by_knights = by.knights & step::<{ $knights_by }>(self.of_minors);
                let by_others = by.king & step::<{ $by }>(self.of_king) | $pawns & step::<{ $by }>(self.of_pawns);
                tally.add([by_sliders | by_knights | by_others]);
            };
        }
        each_direction!(direction, [rooks, 0], [bishops, down], [bishops, up]);
        tally.twice
    }
}

/// The pieces of `own` that attack two or more pieces of `enemy`, each of them worth more or undefended.
#[derive(Clone, Copy)]
pub(super) struct Forks;

impl Bitboard for Forks {
    const NEEDS: Needs = Needs::EnemyTargetRays;

    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let targets = Targets::valuable_or_loose(&board.enemy, sets.turned().attacked());
        targets.attacked_twice(&board.own, sets.turned().target_rays(), board.white)
    }
}

/// The lower and the higher bit of the values of the pieces of a side: 0 for pawns, 1 for knights and bishops, 2 for rooks, 3 for the
/// queen and the king.
#[inline(always)]
const fn value_bits(pieces: &SidePieces) -> [u64; 2] {
    [pieces.knights | pieces.diagonal | pieces.king, pieces.orthogonal | pieces.king]
}

/// The pieces of a side except the king: all, and those whose value has its lower bit set, and its higher bit.
#[inline(always)]
pub(super) const fn values(pieces: &SidePieces) -> [u64; 3] {
    let ([low, high], others) = (value_bits(pieces), !pieces.king);
    [pieces.all & others, low & others, high & others]
}

/// By direction: the pieces of a side behind which another one stands next on the line that is worth more, but not the king; and those
/// behind which there is one that is worth less or the same. `rays` are those of [`SharedSets::value_rays`].
#[inline(always)]
fn fronts(side: &SidePieces, [all, low, high]: [Rays; 3]) -> [Rays; 2] {
    let [front_low, front_high] = value_bits(side);
    let [all, low, high] = [opposite(all), opposite(low), opposite(high)];
    let (mut more, mut others) = ([0; 8], [0; 8]);
    for by in 0..8 {
        more[by] = side.all & (high[by] & !front_high | low[by] & !front_low & (high[by] | !front_high));
        others[by] = side.all & all[by] & !more[by];
    }
    [more, others]
}

/// The pieces of `enemy` that a slider of `own` attacks, and behind which an enemy piece stands that is worth less or the same.
#[derive(Clone, Copy)]
pub(super) struct Skewers;

impl Bitboard for Skewers {
    const NEEDS: Needs = Needs::EnemyValueRays;

    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let [_, others] = fronts(&board.enemy, sets.turned().value_rays());
        union_of_both(sets.rays(), others)
    }
}

/// The pieces of `own` that a slider of `enemy` attacks, and behind which a piece of `own` stands that is worth more, but is
/// not the king.
#[derive(Clone, Copy)]
pub(super) struct RelativelyPinned;

impl Bitboard for RelativelyPinned {
    const NEEDS: Needs = Needs::ValueRays;

    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let [more, _] = fronts(&board.own, sets.value_rays());
        union_of_both(sets.turned().rays(), more)
    }
}

/// The squares that two rays of the same direction have in common.
#[inline(always)]
fn union_of_both(one: Rays, other: Rays) -> u64 {
    between(one, opposite(other))
}

/// The pieces of `own` that stand between a slider of `own` and a piece of `enemy` that is worth more than the slider or
/// undefended.
#[derive(Clone, Copy)]
pub(super) struct Discovered;

impl Bitboard for Discovered {
    const NEEDS: Needs = Needs::EnemyTargetRays;

    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let ([rooks, bishops, _], empty) = (sliders(&board.own), board.empty());
        let [of_pieces, of_queens] = sets.turned().target_rays();
        // What queens look for, rooks and bishops look for as well.
        board.own.all & (between(rays(rooks, bishops, empty), of_pieces) | between(sets.rays(), of_queens))
    }
}

/// The sliders of `own` that another slider of `own` defends along a line on which both move.
#[derive(Clone, Copy)]
pub(super) struct Batteries;

impl Bitboard for Batteries {
    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let [n, s, e, w, ne, nw, se, sw] = sets.rays();
        board.own.orthogonal & (n | s | e | w) | board.own.diagonal & (ne | nw | se | sw)
    }
}

/// The pieces of `own` that are the only defender of two or more pieces that the enemy attacks, the king aside.
#[derive(Clone, Copy)]
pub(super) struct Overloaded;

impl Bitboard for Overloaded {
    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let (own, white) = (&board.own, board.white);
        let mut defended = Repeated::default();
        defended.add(sets.rays());
        defended.add(knight!(step(own.knights)));
        defended.add(pawn_attacks(own.pawns, white));
        defended.add([king_attacks(own.king)]);
        let attacked = own.all & !own.king & sets.turned().attacked();
        let targets = Targets::same(attacked & defended.once & !defended.twice);
        targets.attacked_twice(own, targets.rays(board.empty()), white)
    }
}
