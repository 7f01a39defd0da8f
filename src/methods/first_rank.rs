//! First-rank attacks: the final lookup of every occupancy method.
//!
//! On a board of one rank, an occupancy is a byte, and so is an attack set. One load finds it in a table that is
//! indexed by the occupancy and the file of the slider. A rook on d1 with other pieces on b1, f1 and h1:
//!
//! ```text
//!   a b c d e f g h
//! 1 . 1 . R . 1 . 1     occupancy  0b1010_1010  (a in bit 0, so read it from the right)
//! 1 . x x . x x . .     attacks    0b0011_0110
//! ```
//!
//! Two properties can make the table smaller. The slider's own bit changes nothing, and neither do the two outer
//! squares: no square is behind them, so whether they are occupied does not matter. The second property shrinks the
//! table to a quarter, for a shift and a mask. The first one is not used, because clearing a bit costs more than
//! halving the table saves.
//!
//! | table | bytes | operations |
//! |---|---|---|
//! | [`attacks_256`]: `[occupancy][file]` | 2048 | load |
//! | [`attacks_64`]: `[inner occupancy][file]` | 512 | shift, and, load |
//! | [`rank_attacks`]: the same 512 bytes, any rank of the board | 512 | shift, and, load, shift |
//!
//! Source: "First Rank Attacks", all sections, <https://www.chessprogramming.org/First_Rank_Attacks>.

use super::steps::Step;
use crate::table::table;
use crate::{Square, reference};

/// `[occupancy][file]`.
pub(super) static BY_OCCUPANCY: [[u8; 8]; 256] =
    table!(occ < 256 => table!(file < 8 => reference::rank_attacks(Square::ALL[file], occ as u64) as u8));

/// `[8 * inner occupancy + file]`: flat, for the scaled index of [`rank_attacks`].
pub(super) static BY_INNER_OCCUPANCY: [u8; 512] =
    table!(index < 512 => reference::rank_attacks(Square::ALL[index % 8], (index as u64 / 8) << 1) as u8);

/// Attacks along a single rank, by its whole occupancy. Only the file of `sq` matters.
///
/// ```
/// use slider_attacks::{Square, methods::first_rank};
///
/// assert_eq!(first_rank::attacks_256(Square::D1, 0b1010_1010), 0b0011_0110);
/// ```
#[inline]
#[must_use]
pub const fn attacks_256(sq: Square, occ: u8) -> u8 {
    by_occupancy(sq.file(), occ)
}

/// The entry for a file below 8.
#[inline(always)]
pub(crate) const fn by_occupancy(file: u8, occ: u8) -> u8 {
    BY_OCCUPANCY[occ as usize][file as usize]
}

/// The same from the small table, by the six inner bits of the occupancy.
///
/// ```
/// use slider_attacks::{Square, methods::first_rank};
///
/// // The piece on h1 makes no difference: f1 hides it. If it did not, h1 would be attacked in both cases.
/// assert_eq!(first_rank::attacks_64(Square::D1, 0b1010_1010), 0b0011_0110);
/// assert_eq!(first_rank::attacks_64(Square::D1, 0b0010_1010), 0b0011_0110);
/// ```
#[inline]
#[must_use]
pub const fn attacks_64(sq: Square, occ: u8) -> u8 {
    by_inner_occupancy(sq.file(), (occ >> 1 & 63) as u64)
}

/// The entry for a file below 8 and an inner occupancy below 64, b in bit 0.
#[inline(always)]
pub(crate) const fn by_inner_occupancy(file: u8, inner: u64) -> u8 {
    BY_INNER_OCCUPANCY[((8 * inner) | file as u64) as usize]
}

/// Attacks along any rank of the board.
///
/// The rank is shifted down and masked in place, which leaves the inner occupancy times two. The index is eight times
/// the inner occupancy, plus the file. That is four times the masked rank: no shift by one is needed, and x86 addresses
/// have a factor of four for free.
///
/// ```
/// use slider_attacks::{Square, methods::first_rank};
///
/// assert_eq!(first_rank::rank_attacks(Square::D4, 0b1010_1010 << 24), 0b0011_0110 << 24);
/// ```
#[inline]
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    let rank_start = sq.rank_start();
    let index = scaled_index(sq, occ >> rank_start & 0b0111_1110);
    (BY_INNER_OCCUPANCY[index] as u64) << rank_start
}

/// The index of the small table, from an inner occupancy times two.
#[inline(always)]
const fn scaled_index(sq: Square, twice_inner: u64) -> usize {
    ((4 * twice_inner) | sq.file() as u64) as usize
}

/// The steps of [`rank_attacks`] that follow the masked rank.
pub(super) fn steps(sq: Square, occ: u64) -> Vec<Step> {
    let rank_start = sq.rank_start();
    let twice_inner = occ >> rank_start & 0b0111_1110;
    let index = scaled_index(sq, twice_inner);
    let row = BY_INNER_OCCUPANCY[index];
    vec![
        Step::row("shifted, inner", twice_inner as u8),
        Step::index("8 x inner + file", index, 9),
        Step::row("looked-up byte", row),
        Step::squares("shifted  attacks", u64::from(row) << rank_start),
    ]
}
