//! Occupancy of any line: eight squares that are scattered over the board, collapsed to one byte.
//!
//! The occupancy of a rank is a byte already, ready to index a table. Files and diagonals are not, and there are two
//! ways to collapse them into bytes:
//!
//! - A rank, a diagonal or an anti-diagonal has one square on each **file**. Or the eight rows together, and bit *f* is the
//!   square on file *f*: `files_*`, *collapsed files*.
//! - A file, a diagonal or an anti-diagonal has one square on each **rank**. Or the eight columns together, and bit *r* is the
//!   square on rank *r*: `ranks_*`, *collapsed ranks*.
//!
//! The diagonal c1–h6 with pieces on d2, f4 and g5, both ways:
//!
//! ```text
//! masked diagonal
//! 8  . . . . . . . .     .
//! 7  . . . . . . . .     .
//! 6  . . . . . . . .     .
//! 5  . . . . . . 1 .     1   collapsed ranks: 0b0001_1010, rank 1 in bit 0
//! 4  . . . . . 1 . .     1
//! 3  . . . . . . . .     .
//! 2  . . . 1 . . . .     1
//! 1  . . . . . . . .     .
//!    a b c d e f g h
//!
//!    . . . 1 . 1 1 .         collapsed files: 0b0110_1000, the a-file in bit 0
//! ```
//!
//! These functions take the masked line, `occ & line`. A file by itself is simpler than a diagonal, as a shift brings it to the
//! A-file; the `file_*` functions take the whole occupancy and mask it themselves.
//!
//! | function | operations |
//! |---|---|
//! | [`files_by_shifts`] | 3 shifts, 3 ors |
//! | [`files_by_shifts_32`] | 2 shifts, 3 ors; x86 reads the second byte of a register without a shift, which leaves 1 |
//! | [`files_by_multiplication`] | 1 multiplication, 1 shift |
//! | [`files_by_multiplication_32`] | 1 32-bit multiplication, 1 shift, 1 or |
//! | [`ranks_by_shifts`] | 6 shifts, 6 ors, 1 and |
//! | [`ranks_by_multiplication`] | 1 multiplication, 4 shifts, 3 ors, 1 and |
//! | [`ranks_by_multiplication_32`] | 1 32-bit multiplication, 8 shifts, 7 ors, 2 ands |
//! | [`file_by_shifts`] | 4 shifts, 3 ors, 1 and |
//! | [`file_by_multiplication`] | 1 multiplication, 2 shifts, 1 and |
//! | [`file_by_multiplication_32`] | 1 32-bit multiplication, 4 shifts, 1 or, 2 ands |
//!
//! There are no tables. An older answer is to turn the board until the line is a rank: that is the method
//! [`rotated`](crate::methods::rotated).
//!
//! Source: "Occupancy of any Line", <https://www.chessprogramming.org/Occupancy_of_any_Line>. It has no 32-bit forms of
//! collapsed ranks and of the file; those two are this library's own.

use crate::Square;
use crate::line::{A_FILE, H1_TO_A8};

/// The upper half and the lower half.
const fn halves(board: u64) -> (u32, u32) {
    ((board >> 32) as u32, board as u32)
}

/// Collapsed files: each step ors the upper half of the rest onto the lower half.
///
/// ```
/// use slider_attacks::{Square, line::Line, methods::occupancy};
///
/// let pieces = Square::D2.bitboard() | Square::F4.bitboard() | Square::G5.bitboard() | Square::A8.bitboard();
/// let line = pieces & Line::Diagonal.through(Square::D2);
/// assert_eq!(occupancy::files_by_shifts(line), 0b0110_1000);
/// assert_eq!(occupancy::ranks_by_shifts(line), 0b0001_1010);
/// ```
#[inline]
#[must_use]
pub const fn files_by_shifts(line: u64) -> u8 {
    let [by_32, by_16, by_8] = FILES_SHIFTS;
    or_shifted(or_shifted(or_shifted(line, by_32), by_16), by_8) as u8
}

/// The shift of each step of [`files_by_shifts`].
pub(crate) const FILES_SHIFTS: [u32; 3] = [32, 16, 8];
/// The shift of each step of [`file_by_shifts`].
pub(crate) const FILE_SHIFTS: [u32; 3] = [7, 14, 28];

/// One step of a parallel prefix shift.
#[inline(always)]
pub(crate) const fn or_shifted(line: u64, by: u32) -> u64 {
    line | line >> by
}

/// Collapsed files where registers have 32 bits. The halves of the board are in two registers, so the first step is an
/// or.
#[inline]
#[must_use]
pub const fn files_by_shifts_32(line: u64) -> u8 {
    let (upper, lower) = halves(line);
    let rows = upper | lower;
    let pair = rows | rows >> 16;
    pair as u8 | (pair >> 8) as u8
}

/// Collapsed files: the multiplication by the A-file sums the eight rows in the eighth one. No two squares of the line share
/// a file, so nothing carries.
#[inline]
#[must_use]
pub const fn files_by_multiplication(line: u64) -> u8 {
    (line.wrapping_mul(A_FILE) >> 56) as u8
}

/// Collapsed files in 32-bit arithmetic: or the halves, then sum four rows.
#[inline]
#[must_use]
pub const fn files_by_multiplication_32(line: u64) -> u8 {
    let (upper, lower) = halves(line);
    ((upper | lower).wrapping_mul(A_FILE as u32) >> 24) as u8
}

/// The eight rows, each collapsed to its square on the A-file.
///
/// Bits that a shift moves in from the row above only reach the files b to h: the a-file is eight steps away, and the three
/// shifts together are seven. So no mask is needed before the end.
const fn collapse_rows(mut line: u64) -> u64 {
    line |= line >> 4;
    line |= line >> 2;
    line |= line >> 1;
    line & A_FILE
}

/// The same for half a board.
const fn collapse_rows_32(mut line: u32) -> u32 {
    line |= line >> 4;
    line |= line >> 2;
    line |= line >> 1;
    line & A_FILE as u32
}

/// The A-file, with a1 in bit 0 and a8 in bit 7. Bit 8r has to move down by 7r, so each bit of r is a step of 7, 14 or 28.
const fn a_file_by_shifts(a_file: u64) -> u8 {
    let [by_7, by_14, by_28] = FILE_SHIFTS;
    or_shifted(or_shifted(or_shifted(a_file, by_7), by_14), by_28) as u8
}

/// The A-file, with a1 in bit 0 and a8 in bit 7. Bits 8r and 7(8 − r) meet in bit 56 + r. All 64 sums of two such bits are
/// different, so nothing carries.
const fn a_file_by_multiplication(a_file: u64) -> u8 {
    (a_file.wrapping_mul(H1_TO_A8) >> 56) as u8
}

/// The A-file, with a1 in bit 0 and a8 in bit 7, in 32-bit arithmetic.
///
/// Four ranks are four bits with a distance of eight; the other four fit between them. Then bits 8r (lower half) or 8r + 4
/// (upper half) meet with bit 24 − 7r in bits 24 + r and 28 + r:
///
/// ```text
/// upper << 4 | lower      0x0102_0408             eight bits in the top row
/// 4  4 . . . 8 . . .      4  1 . . . . . . .      4  1 2 3 4 5 6 7 8
/// 3  3 . . . 7 . . .      3  . 1 . . . . . .      3  . 1 2 3 . 5 6 7
/// 2  2 . . . 6 . . .  x   2  . . 1 . . . . .  =   2  . . 1 2 . . 5 6  >> 24
/// 1  1 . . . 5 . . .      1  . . . 1 . . . .      1  . . . 1 . . . 5
/// ```
const fn a_file_by_multiplication_32(upper: u32, lower: u32) -> u8 {
    ((upper << 4 | lower).wrapping_mul(0x0102_0408) >> 24) as u8
}

/// Collapsed ranks by shifts only.
#[inline]
#[must_use]
pub const fn ranks_by_shifts(line: u64) -> u8 {
    a_file_by_shifts(collapse_rows(line))
}

/// Collapsed ranks: the rows by shifts, then one multiplication by the anti-diagonal h1–a8.
#[inline]
#[must_use]
pub const fn ranks_by_multiplication(line: u64) -> u8 {
    a_file_by_multiplication(collapse_rows(line))
}

/// Collapsed ranks in 32-bit arithmetic: the rows of both halves, then one multiplication.
#[inline]
#[must_use]
pub const fn ranks_by_multiplication_32(line: u64) -> u8 {
    let (upper, lower) = halves(line);
    a_file_by_multiplication_32(collapse_rows_32(upper), collapse_rows_32(lower))
}

/// The occupancy of the file of `sq`, by shifts only.
///
/// ```
/// use slider_attacks::{Square, methods::occupancy};
///
/// let occ = Square::C2.bitboard() | Square::C7.bitboard() | Square::D4.bitboard();
/// assert_eq!(occupancy::file_by_shifts(Square::C5, occ), 0b0100_0010);
/// ```
#[inline]
#[must_use]
pub const fn file_by_shifts(sq: Square, occ: u64) -> u8 {
    a_file_by_shifts(occ >> sq.file() & A_FILE)
}

/// The occupancy of the file of `sq`, by a multiplication by the anti-diagonal h1–a8.
#[inline]
#[must_use]
pub const fn file_by_multiplication(sq: Square, occ: u64) -> u8 {
    a_file_by_multiplication(occ >> sq.file() & A_FILE)
}

/// The occupancy of the file of `sq`, in 32-bit arithmetic.
#[inline]
#[must_use]
pub const fn file_by_multiplication_32(sq: Square, occ: u64) -> u8 {
    let (upper, lower) = halves(occ);
    let (upper, lower) = (upper >> sq.file() & A_FILE as u32, lower >> sq.file() & A_FILE as u32);
    a_file_by_multiplication_32(upper, lower)
}
