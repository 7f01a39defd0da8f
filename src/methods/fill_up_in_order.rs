//! The classic form with the occupancy of the file in order: the anti-diagonal c7–h2 in place of c2–h7.
//!
//! [`fill_up`] collapses the A-file upside down: the square on the second rank ends up in the highest bit of the index.
//! A multiplication by the anti-diagonal turns the file instead of flipping it, and the square on the second rank ends
//! up in the lowest bit. For pieces on a3, a4 and a7, shown as their ranks:
//!
//! ```text
//! masked A-file       c7–h2               product             index
//! . . . . . . . .     . . . . . . . .     . . . 3 4 . . 7     2 3 4 5 6 7
//! 7 . . . . . . .     . . 1 . . . . .     . . . . 3 4 . .     . 3 4 . . 7
//! . . . . . . . .     . . . 1 . . . .     . . . . . 3 4 .
//! . . . . . . . .     . . . . 1 . . .     . . . . . . 3 4
//! 4 . . . . . . .  x  . . . . . 1 . .  =  . . . . . . . 3  >> 58
//! 3 . . . . . . .     . . . . . . 1 .     . . . . . . . .
//! . . . . . . . .     . . . . . . . 1     . . . . . . . .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .
//! ```
//!
//! The cost is the same. The gain is an index in the same order as that of a rank, with ranks in place of files. The
//! other three lines are those of [`fill_up`].
//!
//! Cost of a queen: 4 multiplications, 4 lookups, 16 shifts and logic. Tables: 4 KB for three lines, 4 KB for the file.
//!
//! Source: "Kindergarten Bitboards", section "File-Attacks", the second multiplication,
//! <https://www.chessprogramming.org/Kindergarten_Bitboards>.

use super::fill_up::{self, FILL_UP, a_file_table, as_a_file, upper_six};
use super::steps::Step;
use crate::Square;
use crate::line::{C7_TO_H2, Line};

pub use super::fill_up::{anti_diagonal_attacks, diagonal_attacks, rank_attacks};

/// The size of the lookup tables in bytes, without the line masks.
pub(super) const TABLE_BYTES: usize = size_of_val(&FILL_UP) + size_of_val(&A_FILE_ATTACKS);

/// `[rank][inner occupancy, the second rank in bit 0]`: the attacks along the A-file.
static A_FILE_ATTACKS: [[u64; 64]; 8] = a_file_table([1, 2, 3, 4, 5, 6]);

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    a_file_entry(sq, upper_six(as_a_file(sq, occ).wrapping_mul(C7_TO_H2))) << sq.file()
}

#[inline(always)]
pub(super) const fn a_file_entry(sq: Square, inner: usize) -> u64 {
    A_FILE_ATTACKS[sq.rank() as usize][inner]
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    match line {
        Line::File => fill_up::file_steps(sq, occ, "x  c7-h2", C7_TO_H2, &A_FILE_ATTACKS),
        _ => fill_up::steps(line, sq, occ),
    }
}

sliders! {}
