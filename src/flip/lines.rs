//! Moving one rank, file or diagonal with one multiplication.
//!
//! The product of two bitboards is the sum of copies of one of them, shifted to every square of the other. If no two
//! copies overlap, nothing carries. So one operation moves a line, whereas a whole board takes three delta swaps. For
//! example, the product of the A-file and the diagonal a1–h8 has the file on the eighth rank, beginning with a8:
//!
//! ```text
//!    file                 a1–h8                product
//! 8  8 . . . . . . .      . . . . . . . 1      8 7 6 5 4 3 2 1
//! 7  7 . . . . . . .      . . . . . . 1 .      7 6 5 4 3 2 1 .
//! 6  6 . . . . . . .      . . . . . 1 . .      6 5 4 3 2 1 . .
//! 5  5 . . . . . . .      . . . . 1 . . .      5 4 3 2 1 . . .
//! 4  4 . . . . . . .  x   . . . 1 . . . .  =   4 3 2 1 . . . .  >> 56  8 7 6 5 4 3 2 1
//! 3  3 . . . . . . .      . . 1 . . . . .      3 2 1 . . . . .
//! 2  2 . . . . . . .      . 1 . . . . . .      2 1 . . . . . .
//! 1  1 . . . . . . .      1 . . . . . . .      1 . . . . . . .
//!    a b c d e f g h      a b c d e f g h      a b c d e f g h
//! ```
//!
//! | function | from | to | multiplied by |
//! |---|---|---|---|
//! | [`a_file_to_first_rank_reversed`] | A-file | first rank, a8 on a1 | a1–h8 |
//! | [`h_file_to_first_rank`] | H-file | first rank, h1 on a1 | h1–a8, moved 7 squares down |
//! | [`first_rank_to_a_file_reversed`] | first rank | A-file, a1 on a8 | a1–h8 |
//! | [`line_to_first_rank`] | rank, diagonal or anti-diagonal | first rank, each square on its file | A-file |
//! | [`first_rank_to_line`] | first rank | rank, diagonal or anti-diagonal, each square on its file | A-file |
//!
//! Neighbours on the diagonal a1–h8 are nine squares apart, so copies of a rank, eight squares long, do not overlap there. On
//! an anti-diagonal they are seven apart, so copies of a rank would overlap. That is why no function moves the first rank to
//! a file in order.
//!
//! Each function is one multiplication and one shift or mask. There are no tables.
//!
//! Source: "Flipping Mirroring and Rotating", section "Rank, File and Diagonal",
//! <https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>.

use crate::line::{A_FILE, A1_TO_H8, H1_TO_A8};

/// Moves the A-file to the first rank as [`rotate_90_anti_clockwise`](super::rotate_90_anti_clockwise) does: a8 to a1, and a1
/// to h1. `file` must hold squares of the A-file only.
///
/// ```
/// use slider_attacks::{Square, flip::lines};
///
/// let file = Square::A8.bitboard() | Square::A6.bitboard();
/// assert_eq!(lines::a_file_to_first_rank_reversed(file), 0b0000_0101);
/// ```
#[inline]
#[must_use]
pub const fn a_file_to_first_rank_reversed(file: u64) -> u64 {
    file.wrapping_mul(A1_TO_H8) >> 56
}

/// Moves the H-file to the first rank as [`rotate_90_clockwise`](super::rotate_90_clockwise) does: h1 to a1, and h8 to h1.
/// `file` must hold squares of the H-file only.
///
/// ```
/// use slider_attacks::{Square, flip::lines};
///
/// let file = Square::H1.bitboard() | Square::H3.bitboard();
/// assert_eq!(lines::h_file_to_first_rank(file), 0b0000_0101);
/// ```
#[inline]
#[must_use]
pub const fn h_file_to_first_rank(file: u64) -> u64 {
    file.wrapping_mul(H1_TO_A8 >> 7) >> 56
}

/// Moves the first rank to the A-file as [`rotate_90_clockwise`](super::rotate_90_clockwise) does: a1 to a8, and h1 to a1.
/// `rank` must hold squares of the first rank only.
///
/// ```
/// use slider_attacks::{Square, flip::lines};
///
/// let file = Square::A8.bitboard() | Square::A6.bitboard();
/// assert_eq!(lines::first_rank_to_a_file_reversed(0b0000_0101), file);
/// ```
#[inline]
#[must_use]
pub const fn first_rank_to_a_file_reversed(rank: u64) -> u64 {
    rank.wrapping_mul(A1_TO_H8) >> 7 & A_FILE
}

/// Moves a line to the first rank: every square goes down its file. `line` must not hold two squares of one file.
///
/// ```
/// use slider_attacks::{Square, flip::lines};
///
/// let diagonal = Square::C1.bitboard() | Square::F4.bitboard();
/// assert_eq!(lines::line_to_first_rank(diagonal), 0b0010_0100);
/// ```
#[inline]
#[must_use]
pub const fn line_to_first_rank(line: u64) -> u64 {
    line.wrapping_mul(A_FILE) >> 56
}

/// The inverse of [`line_to_first_rank`]: every square of the first rank goes up its file to `line`, or is dropped if
/// the line does not reach that file. `rank` must hold squares of the first rank only.
///
/// ```
/// use slider_attacks::{Square, flip, line::Line};
///
/// let diagonal = Line::Diagonal.through(Square::C1);
/// let expected = Square::C1.bitboard() | Square::F4.bitboard();
/// assert_eq!(flip::lines::first_rank_to_line(0b0010_0101, diagonal), expected);
/// ```
#[inline]
#[must_use]
pub const fn first_rank_to_line(rank: u64, line: u64) -> u64 {
    rank.wrapping_mul(A_FILE) & line
}
