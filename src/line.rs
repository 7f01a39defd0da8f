//! The four lines through a square, as masks.
//!
//! A mask holds every square of the line, the slider's own square included: a table-driven method
//! passes the occupancy through it once and the answer once, and in both places that square is harmless
//! or wanted.

use crate::{Square, reference};

/// The line masks of one square. Together the 64 of them take 2 KB.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// The eight squares of the rank.
    pub rank: u64,
    /// The eight squares of the file.
    pub file: u64,
    /// The diagonal, a1 to h8 and its parallels.
    pub diagonal: u64,
    /// The anti-diagonal, h1 to a8 and its parallels.
    pub anti_diagonal: u64,
}

/// The line masks by square.
pub static LINES: [Lines; 64] = {
    let mut lines = [Lines { rank: 0, file: 0, diagonal: 0, anti_diagonal: 0 }; 64];
    let mut index = 0;
    while index < 64 {
        let sq = Square::ALL[index];
        lines[index] = Lines {
            rank: sq.bitboard() | reference::rank_attacks(sq, 0),
            file: sq.bitboard() | reference::file_attacks(sq, 0),
            diagonal: sq.bitboard() | reference::diagonal_attacks(sq, 0),
            anti_diagonal: sq.bitboard() | reference::anti_diagonal_attacks(sq, 0),
        };
        index += 1;
    }
    lines
};

impl Lines {
    /// The lines through `sq`.
    #[inline]
    pub const fn through(sq: Square) -> &'static Lines {
        &LINES[sq.index() as usize]
    }
}

/// One of the four lines through a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Line {
    /// All four.
    pub const ALL: [Line; 4] = [Line::Rank, Line::File, Line::Diagonal, Line::AntiDiagonal];

    /// The name, in lower case: `"rank"`, `"file"`, `"diagonal"`, `"anti-diagonal"`.
    pub const fn name(self) -> &'static str {
        match self {
            Line::Rank => "rank",
            Line::File => "file",
            Line::Diagonal => "diagonal",
            Line::AntiDiagonal => "anti-diagonal",
        }
    }

    /// The squares of this line through `sq`, its own included.
    ///
    /// ```
    /// use slider_attacks::{Square, line::Line};
    ///
    /// assert_eq!(Line::Rank.through(Square::E4), 0xff << 24);
    /// ```
    #[inline]
    pub const fn through(self, sq: Square) -> u64 {
        let lines = Lines::through(sq);
        match self {
            Line::Rank => lines.rank,
            Line::File => lines.file,
            Line::Diagonal => lines.diagonal,
            Line::AntiDiagonal => lines.anti_diagonal,
        }
    }
}

/// Every subset of `mask`, the empty one first, `mask` itself last: 2 to the number of its bits.
///
/// ```
/// assert_eq!(slider_attacks::line::subsets(0b101).collect::<Vec<_>>(), [0, 0b001, 0b100, 0b101]);
/// ```
pub fn subsets(mask: u64) -> impl Iterator<Item = u64> {
    core::iter::successors(Some(0), move |&subset| (subset != mask).then(|| next_subset(subset, mask)))
}

/// The subset of `mask` that comes after `subset` in the order in which PEXT numbers them; after the last the empty one.
#[inline(always)]
pub(crate) const fn next_subset(subset: u64, mask: u64) -> u64 {
    // Minus the mask is plus one and plus all the bits outside it, over which the carry ripples.
    subset.wrapping_sub(mask) & mask
}
