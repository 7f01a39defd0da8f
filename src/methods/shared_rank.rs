//! Shared rank lookup: one table of 512 bytes for all four lines.
//!
//! The table is that of [`first_rank`]: attacks along the first rank as a byte, by file and inner occupancy. The
//! fill-up table keeps eight copies of them; here another multiplication, by the A-file, makes the copies for the
//! diagonals after the lookup. A rank needs no copies, because it is shifted.
//!
//! For the file, the multiplication by c2–h7 leaves the occupancy upside down, so the rank is counted from the other end as
//! well. A multiplication by the diagonal a1–h8 then turns the answer upright on the H-file. A rook on c4, blocked on c2 and
//! c7; the digits are the ranks that it attacks:
//!
//! ```text
//! looked-up byte      a1–h8               product             H-file, shifted to the c-file
//! . . . . . . . .     . . . . . . . 1     6 5 . 3 2 . . .     . . . . . . . .
//! . . . . . . . .     . . . . . . 1 .     5 . 3 2 . . . 7     . . 7 . . . . .
//! . . . . . . . .     . . . . . 1 . .     . 3 2 . . . 7 6     . . 6 . . . . .
//! . . . . . . . .     . . . . 1 . . .     3 2 . . . 7 6 5     . . 5 . . . . .
//! . . . . . . . .  x  . . . 1 . . . .  =  2 . . . 7 6 5 .     . . . . . . . .
//! . . . . . . . .     . . 1 . . . . .     . . . 7 6 5 . 3     . . 3 . . . . .
//! . . . . . . . .     . 1 . . . . . .     . . 7 6 5 . 3 2     . . 2 . . . . .
//! . 7 6 5 . 3 2 .     1 . . . . . . .     . 7 6 5 . 3 2 .     . . . . . . . .
//! ```
//!
//! Cost of a queen: 6 multiplications, 4 lookups, 17 shifts and logic. Tables: 512 bytes.
//!
//! Source: "Kindergarten Bitboards", section "Shared Rank Lookup", <https://www.chessprogramming.org/Kindergarten_Bitboards>;
//! for the rank, "First Rank Attacks", section "Attacks on all Ranks", <https://www.chessprogramming.org/First_Rank_Attacks>.

use super::fill_up::{as_a_file, upper_six};
use super::steps::Step;
use crate::Square;
use crate::line::{A_FILE, A1_TO_H8, B_FILE, C2_TO_H7, H_FILE, Line};
use crate::methods::first_rank::{self, by_inner_occupancy};

pub use crate::methods::first_rank::rank_attacks;

/// The attacks along a line that has one square on each file: mask, sum, look up, fill up, mask.
#[inline(always)]
const fn line_attacks(sq: Square, occ: u64, line: u64) -> u64 {
    let inner = upper_six((occ & line).wrapping_mul(B_FILE));
    (by_inner_occupancy(sq.file(), inner as u64) as u64).wrapping_mul(A_FILE) & line
}

/// A byte whose bits are ranks upside down, after the multiplication by a1–h8: upright on the H-file.
#[inline(always)]
const fn on_h_file(turned: u64) -> u64 {
    turned & H_FILE
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    let upside_down = upper_six(as_a_file(sq, occ).wrapping_mul(C2_TO_H7));
    let attacks = by_inner_occupancy(sq.rank() ^ 7, upside_down as u64) as u64;
    on_h_file(attacks.wrapping_mul(A1_TO_H8)) >> (sq.file() ^ 7)
}

/// Attacks along the diagonal.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    line_attacks(sq, occ, Line::Diagonal.through(sq))
}

/// Attacks along the anti-diagonal.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    line_attacks(sq, occ, Line::AntiDiagonal.through(sq))
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    if line == Line::Rank {
        return first_rank::steps(sq, occ);
    }
    if line == Line::File {
        let a_file = as_a_file(sq, occ);
        let product = a_file.wrapping_mul(C2_TO_H7);
        let index = upper_six(product);
        let row = by_inner_occupancy(sq.rank() ^ 7, index as u64);
        let turned = u64::from(row).wrapping_mul(A1_TO_H8);
        return vec![
            Step::word("as the A-file", a_file),
            Step::word("x  c2-h7", C2_TO_H7),
            Step::word("=  product", product),
            Step::index(">> 58  index", index, 6),
            Step::row("looked-up byte", row),
            Step::word("x  a1-h8", A1_TO_H8),
            Step::word("=  product", turned),
            Step::word("& H-file", on_h_file(turned)),
            Step::squares(">> file  attacks", on_h_file(turned) >> (sq.file() ^ 7)),
        ];
    }
    let mask = line.through(sq);
    let product = (occ & mask).wrapping_mul(B_FILE);
    let index = upper_six(product);
    let row = by_inner_occupancy(sq.file(), index as u64);
    let filled = u64::from(row).wrapping_mul(A_FILE);
    vec![
        Step::word("x  B-file", B_FILE),
        Step::word("=  product", product),
        Step::index(">> 58  index", index, 6),
        Step::row("looked-up byte", row),
        Step::word("times the A-file", filled),
        Step::squares("& line  attacks", filled & mask),
    ]
}

sliders! {}
