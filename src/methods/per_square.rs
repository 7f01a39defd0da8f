//! Tables per square, as in the engine Motor: 64 attack sets for each line of each square.
//!
//! The tables hold attack sets that need no mask and no shift after the lookup. Before it, a file is masked where it is, and
//! the multiplier is moved instead. There is one per square: the anti-diagonal c7–h2, moved down by the number of the file.
//! The d-file, shown as its ranks:
//!
//! ```text
//! masked d-file       multiplier of d4    product             index
//! . . . . . . . .     . . . . . . . .     . . 2 3 4 5 6 7     2 3 4 5 6 7
//! . . . 7 . . . .     . . . . . . . .     . . . 2 3 4 5 6
//! . . . 6 . . . .     1 . . . . . . 1     . . . . 2 3 4 5
//! . . . 5 . . . .     . 1 . . . . . .     . . . . . 2 3 4
//! . . . 4 . . . .  x  . . 1 . . . . .  =  . . . . . . 2 3  >> 58
//! . . . 3 . . . .     . . . 1 . . . .     . . . . . . . 2
//! . . . 2 . . . .     . . . . 1 . . .     . . . . . . . .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .
//! ```
//!
//! A diagonal is multiplied by the squares b2 to b7 only. Its squares on the first and the eighth rank do not reach the
//! index then, and they need not: no square is behind them. (The drawings of the source label these six squares as the
//! anti-diagonal.) A rank may be the first or the eighth, so it takes the whole B-file.
//!
//! Cost of a queen: 4 multiplications, 4 lookups, 11 shifts and logic, fewer than any other method. Tables: 32 KB per line and
//! 512 bytes of multipliers, which is more than a first-level cache holds.
//!
//! Source: "Kindergarten bitboards", kindergarten.md of the engine Motor, <https://github.com/martinnovaak/motor>. It leaves
//! the rank out.

use super::fill_up::upper_six;
use super::steps::Step;
use crate::line::{A_FILE, B_FILE, C7_TO_H2, Line};
use crate::table::table;
use crate::{Square, reference};

/// The size of the lookup tables in bytes, without the line masks.
pub(super) const TABLE_BYTES: usize = size_of_val(&RANK)
    + size_of_val(&FILE)
    + size_of_val(&DIAGONAL)
    + size_of_val(&ANTI_DIAGONAL)
    + size_of_val(&VERTICAL_MULTIPLIER);

const B2_TO_B7: u64 = 0x0002_0202_0202_0200;

/// By square: the factor that moves its file into the top six bits.
static VERTICAL_MULTIPLIER: [u64; 64] = table!(index < 64 => C7_TO_H2 >> Square::ALL[index].file());

pub(super) static RANK: [[u64; 64]; 64] = attacks(Line::Rank);
static FILE: [[u64; 64]; 64] = attacks(Line::File);
pub(super) static DIAGONAL: [[u64; 64]; 64] = attacks(Line::Diagonal);
pub(super) static ANTI_DIAGONAL: [[u64; 64]; 64] = attacks(Line::AntiDiagonal);

/// `[square][inner occupancy]`: the attacks along a line. Bit *i* of the occupancy is file *i* + 1, or on a file, rank
/// *i* + 1.
const fn attacks(line: Line) -> [[u64; 64]; 64] {
    table!(index < 64 => table!(inner < 64 => {
        let (sq, inner) = (Square::ALL[index], inner as u64);
        let squares = if let Line::File = line { on_ranks(inner) } else { on_files(inner) };
        match line {
            Line::Rank => reference::rank_attacks(sq, squares),
            Line::File => reference::file_attacks(sq, squares),
            Line::Diagonal => reference::diagonal_attacks(sq, squares),
            Line::AntiDiagonal => reference::anti_diagonal_attacks(sq, squares),
        }
    }))
}

/// All squares of those files, b to g, whose bit is set.
const fn on_files(inner: u64) -> u64 {
    (inner << 1).wrapping_mul(A_FILE)
}

/// All squares of those ranks, 2 to 7, whose bit is set.
const fn on_ranks(inner: u64) -> u64 {
    let mut squares = 0;
    let mut bit = 0;
    while bit < 6 {
        squares |= (inner >> bit & 1).wrapping_mul(0xff00) << (8 * bit);
        bit += 1;
    }
    squares
}

/// Attacks along the rank.
#[inline]
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    let product = (occ & Line::Rank.through(sq)).wrapping_mul(B_FILE);
    RANK[sq.index() as usize][upper_six(product)]
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    let product = (occ & Line::File.through(sq)).wrapping_mul(VERTICAL_MULTIPLIER[sq.index() as usize]);
    FILE[sq.index() as usize][upper_six(product)]
}

/// Attacks along the diagonal.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let product = (occ & Line::Diagonal.through(sq)).wrapping_mul(B2_TO_B7);
    DIAGONAL[sq.index() as usize][upper_six(product)]
}

/// Attacks along the anti-diagonal.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let product = (occ & Line::AntiDiagonal.through(sq)).wrapping_mul(B2_TO_B7);
    ANTI_DIAGONAL[sq.index() as usize][upper_six(product)]
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    let (caption, factor, table) = match line {
        Line::Rank => ("x  B-file", B_FILE, &RANK),
        Line::File => ("x  multiplier", VERTICAL_MULTIPLIER[sq.index() as usize], &FILE),
        Line::Diagonal => ("x  b2-b7", B2_TO_B7, &DIAGONAL),
        Line::AntiDiagonal => ("x  b2-b7", B2_TO_B7, &ANTI_DIAGONAL),
    };
    let product = (occ & line.through(sq)).wrapping_mul(factor);
    let index = upper_six(product);
    vec![
        Step::word(caption, factor),
        Step::word("=  product", product),
        Step::index(">> 58  index", index, 6),
        Step::squares("entry  attacks", table[sq.index() as usize][index]),
    ]
}

sliders! {}
