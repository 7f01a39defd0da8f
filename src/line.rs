//! The four lines through a square.

use crate::table::table;
use crate::{Square, reference};

pub(crate) const A_FILE: u64 = 0x0101_0101_0101_0101;
pub(crate) const B_FILE: u64 = A_FILE << 1;
pub(crate) const H_FILE: u64 = A_FILE << 7;
pub(crate) const A1_TO_H8: u64 = 0x8040_2010_0804_0201;
pub(crate) const H1_TO_A8: u64 = 0x0102_0408_1020_4080;
pub(crate) const C2_TO_H7: u64 = 0x0080_4020_1008_0400;
pub(crate) const C7_TO_H2: u64 = 0x0004_0810_2040_8000;

/// One of the four lines through a square.
///
/// ```
/// use slider_attacks::line::Line;
///
/// assert_eq!("anti-diagonal".parse(), Ok(Line::AntiDiagonal));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// West and east.
    Rank,
    /// South and north.
    File,
    /// South-west and north-east, as from a1 to h8.
    Diagonal,
    /// South-east and north-west, as from h1 to a8.
    AntiDiagonal,
}

crate::error::names! { Line, 4: Rank "rank", File "file", Diagonal "diagonal", AntiDiagonal "anti-diagonal" }

impl Line {
    /// The squares of this line through `sq`, including `sq` itself. One lookup in a table of 2 KB.
    ///
    /// ```
    /// use slider_attacks::{Square, line::Line};
    ///
    /// assert_eq!(Line::Rank.through(Square::E4), 0xff << 24);
    /// ```
    #[inline]
    #[must_use]
    pub const fn through(self, sq: Square) -> u64 {
        LINES[sq.index() as usize][self as usize]
    }
}

/// `[square][line]`: the squares of the line.
///
/// Each mask includes the slider's own square. The methods mask the occupancy and the answer with it. That square does
/// no harm in either, and PEXT needs it to count places.
static LINES: [[u64; 4]; 64] = table!(index < 64 => {
    let sq = Square::ALL[index];
    [
        sq.bitboard() | reference::rank_attacks(sq, 0),
        sq.bitboard() | reference::file_attacks(sq, 0),
        sq.bitboard() | reference::diagonal_attacks(sq, 0),
        sq.bitboard() | reference::anti_diagonal_attacks(sq, 0),
    ]
});

/// The subset of `mask` that follows `subset` in the order in which PEXT numbers them. The empty one follows the last.
#[inline(always)]
pub(crate) const fn next_subset(subset: u64, mask: u64) -> u64 {
    // Subtracting the mask adds one and all bits outside the mask, so the carry ripples through those bits.
    subset.wrapping_sub(mask) & mask
}
