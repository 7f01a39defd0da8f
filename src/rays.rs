//! The attacks of all sliders of a board at once, by filling rays.
//!
//! The sliders are smeared over the empty squares in one direction, in three steps that each double the distance. The
//! smear, moved one more step, gives their attacks in that direction. To the east, the carry of one addition does it. There are
//! eight directions, no tables and no branches, and the compiler vectorises loops over these functions.
//! [`analysis`](crate::analysis) uses them as well.
//!
//! Source: "Kogge-Stone Algorithm", <https://www.chessprogramming.org/Kogge-Stone_Algorithm>.

use crate::line::{A_FILE, B_FILE, H_FILE};

/// The eight directions, as differences of square numbers.
pub(crate) const N: i32 = 8;
pub(crate) const S: i32 = -8;
pub(crate) const E: i32 = 1;
pub(crate) const W: i32 = -1;
pub(crate) const NE: i32 = 9;
pub(crate) const NW: i32 = 7;
pub(crate) const SE: i32 = -7;
pub(crate) const SW: i32 = -9;

/// Calls a macro for each direction, with its number, the direction, one of the leaps of knights, and further arguments: for ranks and
/// files, for the diagonals to the north, and for those to the south.
macro_rules! each_direction {
    ($direction:ident, [$($orthogonal:tt)*], [$($north:tt)*], [$($south:tt)*]) => {
        $direction!(0, N, N + NE, $($orthogonal)*);
        $direction!(1, S, N + NW, $($orthogonal)*);
        $direction!(2, E, S + SE, $($orthogonal)*);
        $direction!(3, W, S + SW, $($orthogonal)*);
        $direction!(4, NE, E + NE, $($north)*);
        $direction!(5, NW, W + NW, $($north)*);
        $direction!(6, SE, E + SE, $($south)*);
        $direction!(7, SW, W + SW, $($south)*);
    };
}
pub(crate) use each_direction;

/// The union of the attacks of all sliders on one board: those in `orthogonal` attack along ranks and files, those in
/// `diagonal` along diagonals. A queen belongs to both sets.
///
/// Each slider attacks up to and including the first occupied square in each direction. A slider that is not in `occ`
/// does not block the others. For many boards, use [`batch_attack_sets`](crate::batch_attack_sets).
///
/// ```
/// use slider_attacks::{Square, bishop_attacks, rook_attacks, set_attacks};
///
/// let (rook, bishop, occ) = (Square::A1, Square::E4, 0x00ff_0000_1000_ff01);
/// let set = set_attacks(rook.bitboard(), bishop.bitboard(), occ);
/// assert_eq!(set, rook_attacks(rook, occ) | bishop_attacks(bishop, occ));
/// ```
#[inline]
#[must_use]
pub const fn set_attacks(orthogonal: u64, diagonal: u64, occ: u64) -> u64 {
    ray::<N>(orthogonal, !occ)
        | ray::<S>(orthogonal, !occ)
        | ray::<E>(orthogonal, !occ)
        | ray::<W>(orthogonal, !occ)
        | ray::<NE>(diagonal, !occ)
        | ray::<SW>(diagonal, !occ)
        | ray::<NW>(diagonal, !occ)
        | ray::<SE>(diagonal, !occ)
}

/// The attacks of sliders on `from` in direction `BY`.
///
/// Sliders on the edge and its squares are left out at the start and not at the end, because directions share these masks.
#[inline(always)]
pub(crate) const fn ray<const BY: i32>(from: u64, empty: u64) -> u64 {
    let inside = const { reachable(-BY) };
    let (mut from, mut free) = (from & inside, empty & inside);
    if BY == E {
        // The carry goes through empty squares up to the first other one, or to the h file.
        let next = shifted::<E, 1>(from);
        return (free + (next & free)) ^ free | next;
    }
    from |= free & shifted::<BY, 1>(from);
    free &= shifted::<BY, 1>(free);
    from |= free & shifted::<BY, 2>(from);
    free &= shifted::<BY, 2>(free);
    from |= free & shifted::<BY, 4>(from);
    shifted::<BY, 1>(from)
}

/// The squares one step of `BY` away, except for steps that lead off the board. Steps share their masks, too.
#[inline(always)]
pub(crate) const fn step<const BY: i32>(board: u64) -> u64 {
    shifted::<BY, 1>(board & const { reachable(-BY) })
}

/// The attacks of knights: one file away and two ranks, or two files and one rank.
#[inline(always)]
pub(crate) const fn knight_attacks(knights: u64) -> u64 {
    let one = step::<E>(knights) | step::<W>(knights);
    let two = shifted::<E, 2>(knights) & !(A_FILE | B_FILE) | shifted::<W, 2>(knights) & !(H_FILE >> 1 | H_FILE);
    shifted::<N, 2>(one) | shifted::<S, 2>(one) | shifted::<N, 1>(two) | shifted::<S, 1>(two)
}

/// The squares of `board` moved by `TIMES` steps of `BY`, without regard to the edges of the board.
#[inline(always)]
pub(crate) const fn shifted<const BY: i32, const TIMES: i32>(board: u64) -> u64 {
    if BY > 0 { board << (TIMES * BY) } else { board >> (TIMES * -BY) }
}

/// The squares that a step of `by` can lead to without wrapping around the edge of the board.
const fn reachable(by: i32) -> u64 {
    match by.rem_euclid(8) {
        1 => !A_FILE,
        2 => !(A_FILE | B_FILE),
        6 => !(H_FILE >> 1 | H_FILE),
        7 => !H_FILE,
        _ => !0,
    }
}
