//! The classic form with the file's occupancy in order: the anti-diagonal c7–h2 in place of c2–h7.
//!
//! [`fill_up`] collapses the A-file upside down: the square on the second rank ends in the highest bit
//! of the index. Multiplied by the anti-diagonal the file is turned instead of flipped, and the square on the second
//! rank ends in the lowest. For pieces on a3, a4 and a7, by their ranks:
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
//! The cost is the same; what is gained is an index that means the same as that of a rank, with the rank's
//! number in place of the file's. The other three lines are those of [`fill_up`].
//!
//! Cost for a queen: 4 multiplications, 4 lookups, 16 shifts and logic. Tables: 4 KB for three lines, 4 KB for the
//! file.
//!
//! Source: "Kindergarten Bitboards", section "File-Attacks", the second multiplication.

use super::fill_up::{self, FILL_UP, as_a_file, upper_six};
use super::steps::Step;
use crate::line::Line;
use crate::{Square, reference};

pub use super::fill_up::{anti_diagonal_attacks, diagonal_attacks, rank_attacks};

/// Bytes of lookup tables, the line masks (2 KB) not counted.
pub(super) const TABLE_BYTES: usize = size_of_val(&FILL_UP) + size_of_val(&A_FILE);

const C7_TO_H2: u64 = 0x0004_0810_2040_8000;

/// `[rank][inner occupancy, the second rank in bit 0]`: attacks along the A-file.
pub(super) static A_FILE: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut inner = 0;
        while inner < 64 {
            let mut occ = 0;
            let mut bit = 0;
            while bit < 6 {
                occ |= (inner as u64 >> bit & 1) << (8 * (bit + 1));
                bit += 1;
            }
            table[rank][inner] = reference::file_attacks(Square::ALL[8 * rank], occ);
            inner += 1;
        }
        rank += 1;
    }
    table
};

/// Attacks along the file.
#[inline]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    a_file_entry(sq, upper_six(turned(as_a_file(sq, occ)))) << sq.file()
}

/// The A-file, turned into the eighth rank.
#[inline(always)]
const fn turned(a_file: u64) -> u64 {
    a_file.wrapping_mul(C7_TO_H2)
}

#[inline(always)]
pub(super) const fn a_file_entry(sq: Square, inner: usize) -> u64 {
    A_FILE[sq.rank() as usize][inner]
}

/// The steps along a line that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    if line != Line::File {
        return fill_up::steps(line, sq, occ);
    }
    let a_file = as_a_file(sq, occ);
    let product = turned(a_file);
    let index = upper_six(product);
    let entry = a_file_entry(sq, index);
    vec![
        Step::word("as the A-file", a_file),
        Step::word("x  c7-h2", C7_TO_H2),
        Step::word("=  product", product),
        Step::index(">> 58  index", index, 6),
        Step::word("table entry", entry),
        Step::squares("<< file  attacks", entry << sq.file()),
    ]
}

sliders! {}
