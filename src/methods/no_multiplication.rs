//! Kindergarten bitboards without multiplication, for processors that multiply slowly.
//!
//! Parallel prefix shifts collapse the line instead, as in [`occupancy`]. The tables are those of
//! [`fill_up_in_order`](super::fill_up_in_order). A diagonal takes three steps. Each ors the upper half of the relevant
//! rows onto the lower half. Pieces on d2, f4 and g5:
//!
//! ```text
//! masked diagonal     | >> 32             | >> 16             | >> 8
//! . . . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . . . .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . . . .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . . . .
//! . . . . . . g .     . . . . . . g .     . . . . . . g .     . . . . . . g .
//! . . . . . f . .     . . . . . f . .     . . . . . f . .     . . . . . f g .
//! . . . . . . . .     . . . . . . . .     . . . . . . g .     . . . . . f g .
//! . . . d . . . .     . . . d . . . .     . . . d . f . .     . . . d . f g .
//! . . . . . . . .     . . . . . . g .     . . . . . . g .     . . . d . f g .   the index, in the lowest row
//! ```
//!
//! A file is shifted to the A-file and takes three steps as well, of 7, 14 and 28 squares. Pieces on a2, a5 and a8:
//!
//! ```text
//! masked A-file       | >> 7              | >> 14             | >> 28
//! 8 . . . . . . .     8 . . . . . . .     8 . . . . . . .     8 . . . . . . .
//! . . . . . . . .     . 8 . . . . . .     . 8 . . . . . .     . 8 . . . . . .
//! . . . . . . . .     . . . . . . . .     . . 8 . . . . .     . . 8 . . . . .
//! 5 . . . . . . .     5 . . . . . . .     5 . . 8 . . . .     5 . . 8 . . . .
//! . . . . . . . .     . 5 . . . . . .     . 5 . . . . . .     . 5 . . 8 . . .
//! . . . . . . . .     . . . . . . . .     . . 5 . . . . .     . . 5 . . 8 . .
//! 2 . . . . . . .     2 . . . . . . .     2 . . 5 . . . .     2 . . 5 . . 8 .
//! . . . . . . . .     . 2 . . . . . .     . 2 . . 5 . . .     . 2 . . 5 . . 8   the index, in the lowest row
//! ```
//!
//! Cost of a queen: 4 lookups, 38 shifts and logic. Tables: 4 KB for three lines, 4 KB for the file.
//!
//! Source: "Kindergarten Bitboards", section "32-bit Versions", which mentions it,
//! <https://www.chessprogramming.org/Kindergarten_Bitboards>; "Occupancy of any Line", section "Avoiding
//! Multiplication", for the shifts, <https://www.chessprogramming.org/Occupancy_of_any_Line>.

use super::fill_up::{as_a_file, fill_up_entry};
use super::fill_up_in_order::a_file_entry;
use super::steps::Step;
use crate::Square;
use crate::line::Line;
use crate::methods::occupancy::{self, FILE_SHIFTS, FILES_SHIFTS, or_shifted};

/// The attacks along a line that has one square on each file, by the occupancy of the line as a byte.
#[inline(always)]
const fn fill_up_attacks(sq: Square, collapsed: u8, line: u64) -> u64 {
    fill_up_entry(sq, inner(collapsed)) & line
}

/// The six inner squares of a line's occupancy.
#[inline(always)]
const fn inner(collapsed: u8) -> usize {
    (collapsed >> 1 & 63) as usize
}

/// Attacks along the rank.
#[inline]
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    let collapsed = occ >> sq.rank_start();
    fill_up_attacks(sq, collapsed as u8, Line::Rank.through(sq))
}

/// Attacks along the file.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    let collapsed = occupancy::file_by_shifts(sq, occ);
    a_file_entry(sq, inner(collapsed)) << sq.file()
}

/// Attacks along the diagonal.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let line = Line::Diagonal.through(sq);
    fill_up_attacks(sq, occupancy::files_by_shifts(occ & line), line)
}

/// Attacks along the anti-diagonal.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let line = Line::AntiDiagonal.through(sq);
    fill_up_attacks(sq, occupancy::files_by_shifts(occ & line), line)
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    let mask = line.through(sq);
    let (mut word, shifts, captions) = match line {
        Line::Rank => (occ >> sq.rank_start(), [0; 3], [""; 3]),
        Line::File => (as_a_file(sq, occ), FILE_SHIFTS, ["or  >> 7", "or  >> 14", "or  >> 28"]),
        _ => (occ & mask, FILES_SHIFTS, ["or  >> 32", "or  >> 16", "or  >> 8"]),
    };
    let mut steps = Vec::new();
    if line == Line::File {
        steps.push(Step::word("as the A-file", word));
    }
    for (by, caption) in shifts.into_iter().zip(captions).filter(|&(by, _)| by > 0) {
        word = or_shifted(word, by);
        steps.push(Step::word(caption, word));
    }
    let collapsed = word as u8;
    let index = inner(collapsed);
    steps.extend([Step::row("lowest row", collapsed), Step::index("inner bits  index", index, 6)]);
    steps.extend(match line {
        Line::File => {
            let entry = a_file_entry(sq, index);
            [Step::word("table entry", entry), Step::squares("<< file  attacks", entry << sq.file())]
        }
        _ => {
            let entry = fill_up_entry(sq, index);
            [Step::word("table entry", entry), Step::squares("& line  attacks", entry & mask)]
        }
    });
    steps
}

sliders! {}
