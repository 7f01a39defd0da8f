//! Kindergarten bitboards in 32-bit arithmetic: fold the board to half its size, and multiply that.
//!
//! A masked rank, diagonal or anti-diagonal has one square on each file, so one half of it can be put on top of the other. The
//! rest is as in the classic form, with four rows instead of eight.
//!
//! A file is harder. Its inner squares, ranks 2 to 7, are three rows in the lower half and three in the upper half. The upper
//! ones are put next to the lower ones, three bits further up, and the factor `0x01041041` repeats all of them every six bits.
//! The d-file, shown as its ranks:
//!
//! ```text
//! lower half          upper half << 3     the or of both      0x01041041          product
//! . . . 4 . . . .     . . . . . . . .     . . . 4 . . . .     1 . . . . . . .     5 3[6 4 7 2 5 3]
//! . . . 3 . . . .     . . . . . . 7 .     . . . 3 . . 7 .     . . 1 . . . . .     . 2 5 3 6 . 7 2
//! . . . 2 . . . .     . . . . . . 6 .     . . . 2 . . 6 .  x  . . . . 1 . . .  =  . . . 2 5 . 6 .  >> 26
//! . . . . . . . .     . . . . . . 5 .     . . . . . . 5 .     1 . . . . . 1 .     . . . . . . 5 .
//! ```
//!
//! On the file with number f, the six squares are in the bits 8, 16 and 24 and 3, 11 and 19, all plus f. Divided by six, these
//! have six different remainders, so no two of them ever meet when they are repeated every six bits: nothing carries, whatever
//! the file. As the highest of them are repeated up to the top, any six neighbouring bits there hold each square once. Their
//! order depends on the file; the table has 64 entries per square and is made for that order. So one factor and one shift serve
//! all files, provided that no other squares get in. The first and the eighth rank would meet the others, so they are masked
//! off.
//!
//! Cost of a queen: 4 32-bit multiplications, 4 lookups, 21 shifts and logic on 32-bit registers, some of them to split
//! the board into halves. Tables: 32 KB per line; those of the rank and the two diagonals are the ones of
//! [`per_square`](super::per_square).
//!
//! Source: "Kindergarten Bitboards", section "32-bit Versions", <https://www.chessprogramming.org/Kindergarten_Bitboards>.
//!
//! # Errors in the source
//!
//! It folds the whole board by 29: `occ | occ >> 29`, cut to 32 bits. For the upper half that is the same, but the *lower* half
//! is moved too, and on the files f, g and h its fourth rank does not fall off. For example, f4 is bit 29 and lands on bit 0, as
//! a seventh square. With all six squares occupied, that one carries through, and the full file gets the index of the empty one.
//! So this fold is right for the files a to e only. The remedy is to fold the upper half alone, which 32-bit code has in its own
//! register anyway.
//!
//! The same is true of the other folds that the source names, 25 and 27. With the upper half alone, shifted up by 7 and
//! 5, they work for all eight files; with the whole board, they work for the a-file and for the files a to c. The
//! shorter factor for a file that has been shifted to the A-file, `0x00041040` with a fold of 23, is right.

use super::per_square::{ANTI_DIAGONAL, DIAGONAL, RANK};
use super::steps::Step;
use crate::line::{Line, next_subset};
use crate::{Square, reference};

/// The size of the lookup tables in bytes, without the line masks.
pub(super) const TABLE_BYTES: usize =
    size_of_val(&RANK) + size_of_val(&FILE) + size_of_val(&DIAGONAL) + size_of_val(&ANTI_DIAGONAL);

/// Four squares of the B-file.
const B_FILE: u32 = 0x0202_0202;
/// A bit every six bits.
const SEXTETS: u32 = 0x0104_1041;
const INNER_RANKS: u64 = 0x00ff_ffff_ffff_ff00;

/// `[square][index]`: attacks along the file.
static FILE: [[u64; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut index = 0;
    while index < 64 {
        let sq = Square::ALL[index];
        let file = Line::File.through(sq) & INNER_RANKS;
        let mut occ = 0_u64;
        loop {
            table[index][file_index(occ)] = reference::file_attacks(sq, occ);
            occ = next_subset(occ, file);
            if occ == 0 {
                break;
            }
        }
        index += 1;
    }
    table
};

/// The inner squares of a file in six bits, in an order that depends on the file.
#[inline(always)]
const fn file_index(inner_file: u64) -> usize {
    upper_six(folded(inner_file, 3).wrapping_mul(SEXTETS))
}

/// The upper half, moved up by this many bits, ored with the lower half.
#[inline(always)]
const fn folded(board: u64, up: u32) -> u32 {
    let (upper, lower) = ((board >> 32) as u32, board as u32);
    lower | upper << up
}

/// The top bits of a product, as an index.
#[inline(always)]
const fn upper_six(product: u32) -> usize {
    (product >> 26) as usize
}

/// The inner squares of a line that has one square on each file, the b-file in bit 0.
#[inline(always)]
const fn inner_by_file(line: u64) -> usize {
    upper_six(folded(line, 0).wrapping_mul(B_FILE))
}

/// Attacks along the rank.
#[inline]
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    RANK[sq.index() as usize][inner_by_file(occ & Line::Rank.through(sq))]
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    FILE[sq.index() as usize][file_index(occ & Line::File.through(sq) & INNER_RANKS)]
}

/// Attacks along the diagonal.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    DIAGONAL[sq.index() as usize][inner_by_file(occ & Line::Diagonal.through(sq))]
}

/// Attacks along the anti-diagonal.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    ANTI_DIAGONAL[sq.index() as usize][inner_by_file(occ & Line::AntiDiagonal.through(sq))]
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    let masked = occ & line.through(sq);
    let inner = masked & INNER_RANKS;
    let (fold, factor_name, source, up, factor, table) = match line {
        Line::Rank => ("halves or-ed", "x  B-file", masked, 0, B_FILE, &RANK),
        Line::File => ("upper << 3 or-ed", "x  0x01041041", inner, 3, SEXTETS, &FILE),
        Line::Diagonal => ("halves or-ed", "x  B-file", masked, 0, B_FILE, &DIAGONAL),
        Line::AntiDiagonal => ("halves or-ed", "x  B-file", masked, 0, B_FILE, &ANTI_DIAGONAL),
    };
    let folded = folded(source, up);
    let product = folded.wrapping_mul(factor);
    let index = upper_six(product);
    vec![
        Step::word(fold, u64::from(folded)),
        Step::word(factor_name, u64::from(factor)),
        Step::word("=  product", u64::from(product)),
        Step::index(">> 26  index", index, 6),
        Step::squares("entry  attacks", table[sq.index() as usize][index]),
    ]
}

sliders! {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::subsets;

    /// The files, a to h, on which an index over the inner squares distinguishes all 64 occupancies.
    fn exact_files(index: impl Fn(u64) -> u64) -> String {
        let exact = |file: &usize| {
            let inner = Line::File.through(Square::ALL[*file]) & INNER_RANKS;
            let seen = subsets(inner).fold(0_u64, |seen, occ| seen | 1 << index(occ));
            seen == u64::MAX
        };
        (0..8).filter(exact).map(|file| char::from(b"abcdefgh"[file])).collect()
    }

    fn times(folded: u64, factor: u32) -> u64 {
        u64::from((folded as u32).wrapping_mul(factor) >> 26)
    }

    #[test]
    fn folding_the_upper_half_serves_all_files() {
        assert_eq!(exact_files(|occ| file_index(occ) as u64), "abcdefgh");
        for up in [3, 5, 7] {
            assert_eq!(exact_files(|occ| times(occ | occ >> 32 << up, SEXTETS)), "abcdefgh", "{up}");
        }
    }

    #[test]
    fn printed_file_index_fails_on_f_g_and_h() {
        assert_eq!(exact_files(|occ| times(occ | occ >> 29, SEXTETS)), "abcde");
        for file in [5, 6, 7] {
            let full = Line::File.through(Square::ALL[file]) & INNER_RANKS;
            assert_eq!(times(full | full >> 29, SEXTETS), times(0, SEXTETS), "file {file}");
        }
    }

    #[test]
    fn other_printed_folds_fail_as_well() {
        assert_eq!(exact_files(|occ| times(occ | occ >> 25, SEXTETS)), "a");
        assert_eq!(exact_files(|occ| times(occ | occ >> 27, SEXTETS)), "abc");
    }

    #[test]
    fn printed_factor_for_the_a_file_is_right_there_only() {
        assert_eq!(exact_files(|occ| times(occ | occ >> 23, 0x0004_1040)), "a");
    }
}
