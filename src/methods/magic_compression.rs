//! Magic compression: a file table of 1.5 KB, with indexes of four and five bits.
//!
//! A line has 64 inner occupancies, but pieces behind the first blocker make no difference, so a rook on the A-file has
//! far fewer attack sets along it: 70 on all eight squares together. As with magic bitboards, a factor is found by
//! trial. Bits of its products may carry into each other, as long as any two occupancies that share an index have the
//! same attack set. Then 16 or 32 entries per rank are enough:
//!
//! | rank of the slider | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
//! |---|---|---|---|---|---|---|---|---|
//! | attack sets along the file | 7 | 6 | 10 | 12 | 12 | 10 | 6 | 7 |
//! | bits of the index | 5 | 4 | 4 | 5 | 5 | 4 | 4 | 5 |
//!
//! A rook on a3 between pieces on a2 and a4 attacks these two squares, whatever is above them. These are eight occupancies,
//! shown here side by side as if each were on a file of its own. They have three indexes, shown below them:
//!
//! ```text
//! 8  . . . . . . . .
//! 7  . 1 . . 1 1 . 1
//! 6  1 1 . 1 . 1 . .
//! 5  1 1 1 . 1 . . .
//! 4  1 1 1 1 1 1 1 1
//! 3  R R R R R R R R
//! 2  1 1 1 1 1 1 1 1
//! 1  . . . . . . . .
//!
//!    3 3 6 6 6 6 9 9
//! ```
//!
//! The lowest square that a factor is multiplied with is a2, bit 8, so the top eight bits of the factor never reach a product.
//! Six of them hold the count of the shift that brings the index down, 59 or 60.
//!
//! Cost of a queen: 4 multiplications, 4 lookups (the file's comes after a lookup of factor, mask and start), 18 shifts and
//! logic. Tables: the 4 KB of [`fill_up`] for three lines, 1.5 KB for the file, 192 bytes of factors, masks and starts.
//!
//! Source: "Kindergarten Bitboards", section "Magic Compression", <https://www.chessprogramming.org/Kindergarten_Bitboards>.
//!
//! # Errors in the source
//!
//! - The factors that it lists from rank 1 to rank 8 begin with the one for rank **8** and end with the one for rank **1**.
//!   The six in between are in order.
//! - It says that the slider's own square may be set or not. On the ranks 2 to 7, its factors need that square cleared.
//!   Therefore the mask depends on the rank here.

use super::fill_up::{self, FILL_UP};
use super::steps::Step;
use crate::line::{Line, next_subset};
use crate::{Square, reference};

pub use super::fill_up::{anti_diagonal_attacks, diagonal_attacks, rank_attacks};

/// The size of the lookup tables in bytes, without the line masks.
pub(super) const TABLE_BYTES: usize = size_of_val(&FILL_UP) + size_of_val(&A_FILE_ATTACKS) + size_of_val(&MAGICS);

/// How to look up the A-file for a slider on one of its ranks.
struct Magic {
    /// The factor of the occupancy. Its top six bits are the count of the shift.
    factor: u64,
    /// The inner squares of the A-file without the slider's own square.
    relevant: u64,
    /// The index of the rank's first entry.
    start: usize,
}

/// By rank.
static MAGICS: [Magic; 8] = {
    const FACTORS: [u64; 8] = [
        0xee40_4b34_9599_ff88,
        0xf024_691a_3227_ff42,
        0xf280_8817_cad6_ff0c,
        0xed6e_dfbe_4679_77d5,
        0xec87_cb0d_961e_c43a,
        0xf2ff_594e_14d8_801c,
        0xf2ff_5d69_d4e3_e7d6,
        0xefff_a39d_b01b_23a3,
    ];
    let mut magics = [const { Magic { factor: 0, relevant: 0, start: 0 } }; 8];
    let mut start = 0;
    let mut rank = 0;
    while rank < 8 {
        let factor = FACTORS[rank];
        magics[rank] = Magic { factor, relevant: 0x0001_0101_0101_0100 & !(1 << (8 * rank)), start };
        start += 1 << (64 - (factor >> 58));
        rank += 1;
    }
    magics
};

/// The attacks along the A-file, 32 or 16 entries per rank.
static A_FILE_ATTACKS: [u64; 4 * 32 + 4 * 16] = {
    let mut table = [0; 4 * 32 + 4 * 16];
    let mut rank = 0;
    while rank < 8 {
        let Magic { factor, relevant, start } = MAGICS[rank];
        let mut occ = 0_u64;
        loop {
            let attacks = reference::file_attacks(Square::ALL[8 * rank], occ);
            let entry = &mut table[start + index(occ, factor)];
            assert!(*entry == 0 || *entry == attacks, "two attack sets share an index");
            *entry = attacks;
            occ = next_subset(occ, relevant);
            if occ == 0 {
                break;
            }
        }
        rank += 1;
    }
    table
};

/// The index of a masked A-file within the entries of its rank.
#[inline(always)]
const fn index(occ: u64, factor: u64) -> usize {
    brought_down(occ.wrapping_mul(factor), factor)
}

/// The top bits of a product; the top six bits of the factor are their number.
#[inline(always)]
const fn brought_down(product: u64, factor: u64) -> usize {
    (product >> (factor >> 58)) as usize
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    if line != Line::File {
        return fill_up::steps(line, sq, occ);
    }
    let Magic { factor, relevant, start } = MAGICS[sq.rank() as usize];
    let masked = occ >> sq.file() & relevant;
    let product = masked.wrapping_mul(factor);
    let index = brought_down(product, factor);
    let entry = A_FILE_ATTACKS[start + index];
    vec![
        Step::word("as the A-file", masked),
        Step::word("x  rank's factor", factor),
        Step::word("=  product", product),
        Step::index("upper bits  index", index, 64 - (factor >> 58) as usize),
        Step::word("table entry", entry),
        Step::squares("<< file  attacks", entry << sq.file()),
    ]
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    let Magic { factor, relevant, start } = MAGICS[sq.rank() as usize];
    A_FILE_ATTACKS[start + index(occ >> sq.file() & relevant, factor)] << sq.file()
}

sliders! {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::subsets;
    use std::collections::HashMap;

    /// Whether occupancies that share an index under `factor` have the same attack set for a slider on `rank`.
    fn holds(factor: u64, rank: usize, mask: u64) -> bool {
        let mut entries = HashMap::new();
        subsets(mask).all(|occ| {
            let attacks = reference::file_attacks(Square::ALL[8 * rank], occ);
            *entries.entry(index(occ, factor)).or_insert(attacks) == attacks
        })
    }

    #[test]
    fn factors_hold_on_their_ranks_with_the_own_square_cleared() {
        for (rank, magic) in MAGICS.iter().enumerate() {
            assert!(holds(magic.factor, rank, magic.relevant), "rank {}", rank + 1);
            assert_eq!(magic.factor >> 58, if [0, 3, 4, 7].contains(&rank) { 59 } else { 60 });
        }
    }

    #[test]
    fn printed_order_swaps_the_first_and_the_last_factor() {
        let [first, .., last] = &MAGICS;
        assert!(!holds(last.factor, 0, first.relevant));
        assert!(!holds(first.factor, 7, last.relevant));
    }

    #[test]
    fn own_square_makes_a_difference_on_the_inner_ranks() {
        for (rank, magic) in MAGICS.iter().enumerate() {
            let kept = holds(magic.factor, rank, 0x0001_0101_0101_0100);
            assert_eq!(kept, [0, 7].contains(&rank), "rank {}", rank + 1);
        }
    }

    /// The number of attack sets, and that the table has an entry for each.
    #[test]
    fn seventy_attack_sets() {
        let sets = [7, 6, 10, 12, 12, 10, 6, 7];
        for (rank, magic) in MAGICS.iter().enumerate() {
            let entries = &A_FILE_ATTACKS[magic.start..][..1 << (64 - (magic.factor >> 58))];
            let mut attack_sets = entries.to_vec();
            attack_sets.retain(|&attacks| attacks != 0);
            attack_sets.sort_unstable();
            attack_sets.dedup();
            assert_eq!(attack_sets.len(), sets[rank], "rank {}", rank + 1);
        }
    }

    /// The index of each occupancy for the rook on a3, in the order of [`subsets`], as in the table of the source.
    #[rustfmt::skip]
    const ROOK_ON_A3: [usize; 32] = [
        0, 8, 1, 9, 12, 4, 14, 6, 13, 5, 14, 6, 10, 2, 11, 3,
        15, 7, 1, 9, 12, 4, 14, 6, 13, 5, 14, 6, 10, 2, 11, 3,
    ];

    #[test]
    fn table_of_the_rook_on_a3() {
        let Magic { factor, relevant, start } = MAGICS[2];
        for (occ, number) in subsets(relevant).zip(ROOK_ON_A3) {
            assert_eq!(index(occ, factor), number, "{occ:#018x}");
            assert_eq!(A_FILE_ATTACKS[start + number], reference::file_attacks(Square::A3, occ), "{occ:#018x}");
        }
    }
}
