//! The classic form: one fill-up table for rank, diagonal and anti-diagonal, and another table for the file.
//!
//! A masked rank, diagonal or anti-diagonal has at most one piece on each file. The multiplication by the B-file sums its
//! eight rows into the eighth rank, one bit up; nothing can carry. A shift by 58 leaves the six inner bits. For a bishop on
//! d4, with pieces on b2 and f6:
//!
//! ```text
//! masked diagonal       B-file                product               index
//! . . . . . . . .       . 1 . . . . . .       . . 1 . . . 1 .
//! . . . . . . . .       . 1 . . . . . .       . . 1 . . . 1 .
//! . . . . . 1 . .       . 1 . . . . . .       . . 1 . . . 1 .
//! . . . . . . . .       . 1 . . . . . .       . . 1 . . . . .       b c d e f g
//! . . . . . . . .   x   . 1 . . . . . .   =   . . 1 . . . . .  >>58 1 . . . 1 .
//! . . . . . . . .       . 1 . . . . . .       . . 1 . . . . .
//! . 1 . . . . . .       . 1 . . . . . .       . . 1 . . . . .
//! . . . . . . . .       . 1 . . . . . .       . . . . . . . .
//! ```
//!
//! The table holds the attacks along a rank with that inner occupancy, in eight copies, one per rank. From each copy, the line
//! mask picks the one bit that belongs to the line. The file is shifted to the A-file and multiplied by the diagonal c2–h7,
//! which puts its six inner bits into the top bits in reverse order. Its table is made for that order, and the answer is
//! shifted back.
//!
//! Cost of a queen: 4 multiplications, 4 lookups, 16 shifts and logic. Tables: 4 KB for three lines, 4 KB for the file.
//!
//! Source: "Kindergarten Bitboards", sections "Ranks and Diagonals" and "File-Attacks",
//! <https://www.chessprogramming.org/Kindergarten_Bitboards>.

use super::steps::Step;
use crate::line::{A_FILE, B_FILE, C2_TO_H7, Line};
use crate::table::table;
use crate::{Square, reference};

/// The size of the lookup tables in bytes, without the line masks.
pub(super) const TABLE_BYTES: usize = size_of_val(&FILL_UP) + size_of_val(&A_FILE_ATTACKS);

/// `[file][inner occupancy]`: the attacks along the first rank, copied to all ranks.
pub(super) static FILL_UP: [[u64; 64]; 8] = table!(file < 8 => table!(inner < 64 => {
    reference::rank_attacks(Square::ALL[file], (inner as u64) << 1) * A_FILE
}));

/// `[rank][inner occupancy, the seventh rank in bit 0]`: the attacks along the A-file.
static A_FILE_ATTACKS: [[u64; 64]; 8] = a_file_table([6, 5, 4, 3, 2, 1]);

/// The attacks along the A-file, by rank and inner occupancy. Bit *i* of the occupancy is the rank `ranks[i]`, from 0.
pub(super) const fn a_file_table(ranks: [u32; 6]) -> [[u64; 64]; 8] {
    table!(rank < 8 => table!(inner < 64 => {
        let (mut occ, mut bit) = (0, 0);
        while bit < 6 {
            occ |= ((inner as u64 >> bit) & 1) << (8 * ranks[bit]);
            bit += 1;
        }
        reference::file_attacks(Square::ALL[8 * rank], occ)
    }))
}

/// The attacks along a line that has one square on each file: mask, sum, look up, mask.
#[inline(always)]
const fn fill_up_attacks(sq: Square, occ: u64, line: u64) -> u64 {
    fill_up_entry(sq, upper_six(sum_of_rows(occ & line))) & line
}

/// The rows of a masked line, summed into the eighth row and moved one bit up.
#[inline(always)]
const fn sum_of_rows(masked: u64) -> u64 {
    masked.wrapping_mul(B_FILE)
}

/// The top bits of a product, as an index.
#[inline(always)]
pub(super) const fn upper_six(product: u64) -> usize {
    (product >> 58) as usize
}

#[inline(always)]
pub(super) const fn fill_up_entry(sq: Square, inner: usize) -> u64 {
    FILL_UP[sq.file() as usize][inner]
}

/// The file of `sq`, shifted to the A-file.
#[inline(always)]
pub(super) const fn as_a_file(sq: Square, occ: u64) -> u64 {
    occ >> sq.file() & A_FILE
}

/// Attacks along the rank.
#[inline]
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    fill_up_attacks(sq, occ, Line::Rank.through(sq))
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    A_FILE_ATTACKS[sq.rank() as usize][upper_six(as_a_file(sq, occ).wrapping_mul(C2_TO_H7))] << sq.file()
}

/// Attacks along the diagonal.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    fill_up_attacks(sq, occ, Line::Diagonal.through(sq))
}

/// Attacks along the anti-diagonal.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    fill_up_attacks(sq, occ, Line::AntiDiagonal.through(sq))
}

/// The steps along a file that is brought to the A-file, multiplied by `factor`, and looked up in `table`, by rank.
pub(super) fn file_steps(
    sq: Square,
    occ: u64,
    caption: &'static str,
    factor: u64,
    table: &[[u64; 64]; 8],
) -> Vec<Step> {
    let a_file = as_a_file(sq, occ);
    let product = a_file.wrapping_mul(factor);
    let index = upper_six(product);
    let entry = table[usize::from(sq.rank())][index];
    vec![
        Step::word("as the A-file", a_file),
        Step::word(caption, factor),
        Step::word("=  product", product),
        Step::index(">> 58  index", index, 6),
        Step::word("table entry", entry),
        Step::squares("<< file  attacks", entry << sq.file()),
    ]
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    if line == Line::File {
        return file_steps(sq, occ, "x  c2-h7", C2_TO_H7, &A_FILE_ATTACKS);
    }
    let mask = line.through(sq);
    let product = sum_of_rows(occ & mask);
    let index = upper_six(product);
    let entry = fill_up_entry(sq, index);
    vec![
        Step::word("x  B-file", B_FILE),
        Step::word("=  product", product),
        Step::index(">> 58  index", index, 6),
        Step::word("table entry", entry),
        Step::squares("& line  attacks", entry & mask),
    ]
}

sliders! {}
