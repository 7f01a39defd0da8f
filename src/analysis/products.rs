//! The products of one position, without branches.

use super::Side;
use super::lanes::{Bitboard, Board, Numbers, Pieces};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, ray, shifted, step};

/// A function of the direction, for the four of rooks or of bishops.
macro_rules! orthogonal {
    ($function:ident($($argument:expr),*)) => {
        [$function::<N>($($argument),*), $function::<S>($($argument),*), $function::<E>($($argument),*), $function::<W>($($argument),*)]
    };
}
macro_rules! diagonal {
    ($function:ident($($argument:expr),*)) => {
        [$function::<NE>($($argument),*), $function::<NW>($($argument),*), $function::<SE>($($argument),*), $function::<SW>($($argument),*)]
    };
}
macro_rules! knight {
    ($function:ident($($argument:expr),*)) => {
        [
            $function::<{ N + NE }>($($argument),*), $function::<{ N + NW }>($($argument),*),
            $function::<{ S + SE }>($($argument),*), $function::<{ S + SW }>($($argument),*),
            $function::<{ E + NE }>($($argument),*), $function::<{ W + NW }>($($argument),*),
            $function::<{ E + SE }>($($argument),*), $function::<{ W + SW }>($($argument),*),
        ]
    };
}

#[inline(always)]
const fn union<const M: usize>(boards: [u64; M]) -> u64 {
    let (mut all, mut at) = (0, 0);
    while at < M {
        all |= boards[at];
        at += 1;
    }
    all
}

/// What pawns attack to the east and to the west: those of white if `white` is all ones, of black if it is zero.
#[inline(always)]
pub(super) const fn pawn_attacks(pawns: u64, white: u64) -> [u64; 2] {
    let (up, down) = (pawns & white, pawns & !white);
    [step::<NE>(up) | step::<SE>(down), step::<NW>(up) | step::<SW>(down)]
}

#[inline(always)]
pub(super) const fn knight_attacks(knights: u64) -> u64 {
    union(knight!(step(knights)))
}

#[inline(always)]
pub(super) const fn king_attacks(king: u64) -> u64 {
    let row = king | step::<E>(king) | step::<W>(king);
    (row | step::<N>(row) | step::<S>(row)) & !king
}

#[inline(always)]
fn orthogonal_attacks(from: u64, empty: u64) -> u64 {
    union(orthogonal!(ray(from, empty)))
}

#[inline(always)]
fn diagonal_attacks(from: u64, empty: u64) -> u64 {
    union(diagonal!(ray(from, empty)))
}

/// What all of the pieces attack.
///
/// The sliders could be sets for the batch kernel of rank slices. With the passes over arrays that it takes to bring them
/// there, a map is then 2.37 ns and not 1.75 on AVX-512, 3.5 and not 3.9 on AVX2, 5.6 and not 7.5 on SSSE3, and hanging
/// pieces, which are two maps, are slower on the first two (Zen 5, in turns in one process).
#[inline(always)]
fn attacks(pieces: &Pieces, empty: u64, white: u64) -> u64 {
    let leapers = union(pawn_attacks(pieces.pawns, white)) | knight_attacks(pieces.knights) | king_attacks(pieces.king);
    leapers | orthogonal_attacks(pieces.orthogonal, empty) | diagonal_attacks(pieces.diagonal, empty)
}

/// What the own pieces attack.
#[derive(Clone, Copy)]
pub(super) struct AttackMap;

impl Bitboard for AttackMap {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        attacks(&board.own, board.empty(), board.white)
    }
}

/// The own pieces but the king that the enemy attacks and no own piece.
#[derive(Clone, Copy)]
pub(super) struct Hanging;

impl Bitboard for Hanging {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        let attacked = attacks(&board.enemy, board.empty(), !board.white);
        let defended = attacks(&board.own, board.empty(), board.white);
        board.own.all & !board.own.king & attacked & !defended
    }
}

/// The enemy's pieces that attack the own king: whatever would attack them from its square.
#[derive(Clone, Copy)]
pub(super) struct Checkers;

impl Bitboard for Checkers {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        let (king, enemy, empty) = (board.own.king, &board.enemy, board.empty());
        union(pawn_attacks(king, board.white)) & enemy.pawns
            | knight_attacks(king) & enemy.knights
            | king_attacks(king) & enemy.king
            | orthogonal_attacks(king, empty) & enemy.orthogonal
            | diagonal_attacks(king, empty) & enemy.diagonal
    }
}

/// The own pieces that the own king sees in a direction and an enemy slider in the opposite one: on a line it moves along.
#[derive(Clone, Copy)]
pub(super) struct Pinned;

impl Bitboard for Pinned {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        let (king, enemy, empty) = (board.own.king, &board.enemy, board.empty());
        macro_rules! between {
            ($sliders:ident, $($by:ident)*) => {
                union([$(ray::<$by>(king, empty) & ray::<{ -$by }>(enemy.$sliders, empty)),*])
            };
        }
        board.own.all & (between!(orthogonal, N S E W) | between!(diagonal, NE NW SE SW))
    }
}

/// What own sliders see through the first piece, if it is one of `through`.
#[derive(Clone, Copy)]
pub(super) struct XRays {
    pub through: Side,
}

impl Bitboard for XRays {
    #[inline(always)]
    fn compute(self, board: &Board) -> u64 {
        /// Each square of `glass` that a ray meets belongs to one slider, the nearest, so the rays can go on together.
        #[inline(always)]
        fn behind<const BY: i32>(sliders: u64, glass: u64, empty: u64) -> u64 {
            ray::<BY>(ray::<BY>(sliders, empty) & glass, empty)
        }
        let own = if matches!(self.through, Side::Own | Side::Any) { board.own.all } else { 0 };
        let enemy = if matches!(self.through, Side::Enemy | Side::Any) { board.enemy.all } else { 0 };
        let (glass, empty) = (own | enemy, board.empty());
        union(orthogonal!(behind(board.own.orthogonal, glass, empty)))
            | union(diagonal!(behind(board.own.diagonal, glass, empty)))
    }
}

/// How many own pieces attack each square.
#[derive(Clone, Copy)]
pub(super) struct AttackerCounts;

impl Numbers for AttackerCounts {
    /// Of the sliders at most one attacks a square from each direction; so of the knights and of the pawns.
    #[inline(always)]
    fn compute(self, board: &Board) -> [u64; 5] {
        let (own, empty) = (&board.own, board.empty());
        let [n, s, e, w] = orthogonal!(ray(own.orthogonal, empty));
        let [ne, nw, se, sw] = diagonal!(ray(own.diagonal, empty));
        let [east, west] = pawn_attacks(own.pawns, board.white);
        let mut sum = Sum::default();
        sum.add([n, s, e, w, ne, nw, se, sw]);
        sum.add(knight!(step(own.knights)));
        sum.add([east, west, king_attacks(own.king), 0, 0, 0, 0, 0]);
        sum.0
    }
}

/// How many squares each piece attacks that none of its own colour stands on.
#[derive(Clone, Copy)]
pub(super) struct Mobility;

impl Numbers for Mobility {
    #[inline(always)]
    fn compute(self, board: &Board) -> [u64; 5] {
        /// The pieces that a step against `BACK` leads to an empty square or to a piece of the other colour.
        #[inline(always)]
        fn open<const BACK: i32>(board: &Board) -> u64 {
            board.own.all & step::<BACK>(!board.own.all) | board.enemy.all & step::<BACK>(!board.enemy.all)
        }

        let pieces = |of: fn(&Pieces) -> u64| of(&board.own) | of(&board.enemy);
        let (knights, kings) = (pieces(|pieces| pieces.knights), pieces(|pieces| pieces.king));
        let pawns = pieces(|pieces| pieces.pawns);
        let white = board.own.all & board.white | board.enemy.all & !board.white;
        let (up, down) = (pawns & white, pawns & !white);
        let empty = board.empty();

        let mut sum = Sum::default();
        // A direction of the sliders, one of the knights, and the pawns that attack in the sliders' direction.
        macro_rules! direction {
            ($by:expr, $knights_by:expr, $sliders:ident, $pawns:expr) => {
                let sliders = pieces(|pieces| pieces.$sliders);
                // Of how many squares from here is each empty, and is there one to take behind them?
                let next = step::<{ -$by }>(empty);
                let mut free = [next; 7];
                for steps in 1..7 {
                    free[steps] = next & shifted::<{ -$by }, 1>(free[steps - 1]);
                }
                let takes = board.own.all & ray::<{ -$by }>(board.enemy.all, empty)
                    | board.enemy.all & ray::<{ -$by }>(board.own.all, empty);
                let [first, rest @ ..] = free.map(|free| free & sliders);
                // The other pieces take one step, and none of them stands where a slider stands.
                let leaps = open::<{ -$by }>(board) & (kings | $pawns) | open::<{ -$knights_by }>(board) & knights;
                let [second, third, fourth, fifth, sixth, seventh] = rest;
                sum.add([first | leaps, second, third, fourth, fifth, sixth, seventh, takes & sliders]);
            };
        }
        direction!(N, N + NE, orthogonal, 0);
        direction!(S, N + NW, orthogonal, 0);
        direction!(E, S + SE, orthogonal, 0);
        direction!(W, S + SW, orthogonal, 0);
        direction!(NE, E + NE, diagonal, up);
        direction!(NW, W + NW, diagonal, up);
        direction!(SE, E + SE, diagonal, down);
        direction!(SW, W + SW, diagonal, down);
        sum.0
    }
}

/// A number below 32 on each square: its bits, lowest first.
#[derive(Default)]
struct Sum([u64; 5]);

impl Sum {
    /// Adds 1 on every square of every set.
    #[inline(always)]
    fn add(&mut self, sets: [u64; 8]) {
        let [mut ones, mut twos, mut fours, mut eights, mut sixteens] = self.0;
        let mut pair_of_pairs = [0; 2];
        for (carry, sets) in pair_of_pairs.iter_mut().zip(sets.as_chunks::<4>().0) {
            let (low, first) = full_add(ones, sets[0], sets[1]);
            let (low, second) = full_add(low, sets[2], sets[3]);
            ones = low;
            (twos, *carry) = full_add(twos, first, second);
        }
        let carry;
        (fours, carry) = full_add(fours, pair_of_pairs[0], pair_of_pairs[1]);
        sixteens ^= eights & carry;
        eights ^= carry;
        self.0 = [ones, twos, fours, eights, sixteens];
    }
}

/// The sum of three bits in each place, and its carry.
#[inline(always)]
fn full_add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | (a ^ b) & c)
}
