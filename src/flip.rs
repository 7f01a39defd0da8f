//! Flipping, mirroring and rotating: whole boards, single squares, and lines.
//!
//! A board has eight symmetries. There is a bit trick for each of them but the first:
//!
//! ```text
//!    the board            flip_vertical        mirror_horizontal    rotate_180
//! 8  . 1 1 1 1 . . .      . 1 . . . . . .      . . . 1 1 1 1 .      . . . . . . 1 .
//! 7  . 1 . . . . . .      . 1 . . . . . .      . . . . . . 1 .      . . . . . . 1 .
//! 6  . 1 . . . . . .      . 1 . . . . . .      . . . . . . 1 .      . . . . . . 1 .
//! 5  . 1 1 1 . . . .      . 1 . . . . . .      . . . . 1 1 1 .      . . . . . . 1 .
//! 4  . 1 . . . . . .      . 1 1 1 . . . .      . . . . . . 1 .      . . . . 1 1 1 .
//! 3  . 1 . . . . . .      . 1 . . . . . .      . . . . . . 1 .      . . . . . . 1 .
//! 2  . 1 . . . . . .      . 1 . . . . . .      . . . . . . 1 .      . . . . . . 1 .
//! 1  . 1 . . . . . .      . 1 1 1 1 . . .      . . . . . . 1 .      . . . 1 1 1 1 .
//!    a b c d e f g h      a b c d e f g h      a b c d e f g h      a b c d e f g h
//!
//!    flip_diagonal        flip_anti_diagonal   rotate_90_clockwise  rotate_90_anti_clockwise
//! 8  . . . . . . . .      . . . . . . . .      . . . . . . . .      . . . . . . . .
//! 7  . . . . . . . .      1 1 1 1 1 1 1 1      1 1 1 1 1 1 1 1      . . . . . . . .
//! 6  . . . . . . . .      1 . . 1 . . . .      . . . . 1 . . 1      . . . . . . . .
//! 5  . . . . . . . 1      1 . . 1 . . . .      . . . . 1 . . 1      1 . . . . . . .
//! 4  . . . . 1 . . 1      1 . . . . . . .      . . . . . . . 1      1 . . 1 . . . .
//! 3  . . . . 1 . . 1      . . . . . . . .      . . . . . . . .      1 . . 1 . . . .
//! 2  1 1 1 1 1 1 1 1      . . . . . . . .      . . . . . . . .      1 1 1 1 1 1 1 1
//! 1  . . . . . . . .      . . . . . . . .      . . . . . . . .      . . . . . . . .
//!    a b c d e f g h      a b c d e f g h      a b c d e f g h      a b c d e f g h
//! ```
//!
//! Use the functions of this module. Other ways to compute the same boards are in [`alternatives`]. The functions in
//! [`square`] have the same names and map a single square. They are the definitions: the tests compare all other
//! functions with them. The functions in [`lines`] move a single rank, file or diagonal with one multiplication.
//!
//! | function | a square goes to | operations |
//! |---|---|---|
//! | [`flip_vertical`] | `sq ^ 56` | byte swap |
//! | [`mirror_horizontal`] | `sq ^ 7` | 3 delta swaps, 15 |
//! | [`rotate_180`] | `sq ^ 63` | bit reversal: byte swap and 3 delta swaps on x86 |
//! | [`flip_diagonal`] | rank and file swapped | 3 delta swaps, 18 |
//! | [`flip_anti_diagonal`] | the same `^ 63` | 3 delta swaps, 18 |
//! | [`rotate_90_clockwise`] | rank and file swapped `^ 56` | `flip_diagonal` and a byte swap |
//! | [`rotate_90_anti_clockwise`] | rank and file swapped `^ 7` | the same, the other way round |
//! | [`pseudo_rotate_45_clockwise`] | `sq - 8 * file`, modulo 64 | 3 masked rotations, 12 |
//! | [`pseudo_rotate_45_anti_clockwise`] | `sq - 8 * (7 - file)`, modulo 64 | 3 masked rotations, 12 |
//! | [`flip_mirror_or_reverse`] | one of the first three | a loop |
//!
//! There are no tables, except for [`alternatives::reverse_byte_by_lookup`] (256 bytes).
//!
//! Source: "Flipping Mirroring and Rotating", <https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>.
//!
//! # Pseudo-rotation
//!
//! A square board cannot be rotated by 45°. But each file can be rotated by as many ranks as its number says, and then
//! every diagonal lies in a rank. Two short diagonals share a rank, and every square stays on its file. The left board
//! shows the diagonal of each square (rank minus file, with letters for negative numbers, a = -1 … g = -7). The right
//! board shows where the squares end up:
//!
//! ```text
//!    diagonals            pseudo_rotate_45_clockwise
//! 8  7 6 5 4 3 2 1 0      7 a a a a a a a
//! 7  6 5 4 3 2 1 0 a      6 6 b b b b b b
//! 6  5 4 3 2 1 0 a b      5 5 5 c c c c c
//! 5  4 3 2 1 0 a b c      4 4 4 4 d d d d
//! 4  3 2 1 0 a b c d      3 3 3 3 3 e e e
//! 3  2 1 0 a b c d e      2 2 2 2 2 2 f f
//! 2  1 0 a b c d e f      1 1 1 1 1 1 1 g
//! 1  0 a b c d e f g      0 0 0 0 0 0 0 0
//!    a b c d e f g h      a b c d e f g h
//! ```
//!
//! The clockwise form puts the diagonal a1–h8 on the first rank; the anti-clockwise form puts the anti-diagonal h1–a8
//! there. The two are **not** each other's inverse. Each has its own inverse, with the same steps in the other
//! direction: [`undo_pseudo_rotate_45_clockwise`] and [`undo_pseudo_rotate_45_anti_clockwise`].
//!
//! # Errors in the source
//!
//! - Its square maps of the pseudo-rotations add `8 * file` and `8 * (7 - file)`, but its code, and the text around it,
//!   subtract. With the plus sign, they are the maps of the inverses.
//! - Three constants of its general flip have lost digits. The right ones are `0x00ff00ff00ff00ff`,
//!   `0x0000ffff0000ffff` and `0x00000000ffffffff`.
//! - Its drawings of the masks of the two diagonal flips are garbled, and its second form of the horizontal mirror does
//!   not return a result.
//! - The last of its byte reversals multiplies by `0x10101000`, which is right for only 16 of the 256 bytes. The right
//!   factor is [`0x01010100`](alternatives::reverse_byte_by_multiplication_32_top).

pub mod alternatives;
pub mod lines;
pub mod square;

/// Flips about the line between the fourth and the fifth rank: a1 and a8 change places.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::flip_vertical(Square::B1.bitboard()), Square::B8.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn flip_vertical(board: u64) -> u64 {
    board.swap_bytes()
}

/// Mirrors about the line between the d-file and the e-file: a1 and h1 change places.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::mirror_horizontal(Square::B1.bitboard()), Square::G1.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn mirror_horizontal(mut board: u64) -> u64 {
    board = swap_neighbours(board, 1, ODD_FILES);
    board = swap_neighbours(board, 2, PAIRS);
    swap_neighbours(board, 4, QUEEN_SIDE)
}

/// The files a, c, e and g; a, b, e and f; a to d.
const ODD_FILES: u64 = 0x5555_5555_5555_5555;
const PAIRS: u64 = 0x3333_3333_3333_3333;
const QUEEN_SIDE: u64 = 0x0f0f_0f0f_0f0f_0f0f;

/// Swaps each square of `lower` with the square whose number is higher by `distance`. Each square is one of such a pair.
#[inline(always)]
const fn swap_neighbours(board: u64, distance: u32, lower: u64) -> u64 {
    board >> distance & lower | (board & lower) << distance
}

/// Flips about the diagonal a1–h8, which stays in place: h1 and a8 change places.
///
/// Three delta swaps: of the 4x4 quarters next to the diagonal, of the 2x2 blocks next to it in each quarter, and of the
/// single squares next to it in each block. Each mask holds the upper left one of every pair that is swapped:
///
/// ```text
///    quarters             blocks               squares
/// 8  1 1 1 1 . . . .      1 1 . . 1 1 . .      1 . 1 . 1 . 1 .
/// 7  1 1 1 1 . . . .      1 1 . . 1 1 . .      . . . . . . . .
/// 6  1 1 1 1 . . . .      . . . . . . . .      1 . 1 . 1 . 1 .
/// 5  1 1 1 1 . . . .      . . . . . . . .      . . . . . . . .
/// 4  . . . . . . . .      1 1 . . 1 1 . .      1 . 1 . 1 . 1 .
/// 3  . . . . . . . .      1 1 . . 1 1 . .      . . . . . . . .
/// 2  . . . . . . . .      . . . . . . . .      1 . 1 . 1 . 1 .
/// 1  . . . . . . . .      . . . . . . . .      . . . . . . . .
///    a b c d e f g h      a b c d e f g h      a b c d e f g h
/// ```
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::flip_diagonal(Square::B1.bitboard()), Square::A2.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn flip_diagonal(mut board: u64) -> u64 {
    board = delta_swap(board, 0x0f0f_0f0f_0000_0000, 28);
    board = delta_swap(board, 0x3333_0000_3333_0000, 14);
    delta_swap(board, 0x5500_5500_5500_5500, 7)
}

/// Flips about the anti-diagonal h1–a8, which stays in place: a1 and h8 change places.
///
/// This works like [`flip_diagonal`]. Each mask holds the upper right one of every pair that is swapped:
///
/// ```text
///    quarters             blocks               squares
/// 8  . . . . 1 1 1 1      . . 1 1 . . 1 1      . 1 . 1 . 1 . 1
/// 7  . . . . 1 1 1 1      . . 1 1 . . 1 1      . . . . . . . .
/// 6  . . . . 1 1 1 1      . . . . . . . .      . 1 . 1 . 1 . 1
/// 5  . . . . 1 1 1 1      . . . . . . . .      . . . . . . . .
/// 4  . . . . . . . .      . . 1 1 . . 1 1      . 1 . 1 . 1 . 1
/// 3  . . . . . . . .      . . 1 1 . . 1 1      . . . . . . . .
/// 2  . . . . . . . .      . . . . . . . .      . 1 . 1 . 1 . 1
/// 1  . . . . . . . .      . . . . . . . .      . . . . . . . .
///    a b c d e f g h      a b c d e f g h      a b c d e f g h
/// ```
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::flip_anti_diagonal(Square::B1.bitboard()), Square::H7.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn flip_anti_diagonal(mut board: u64) -> u64 {
    board = delta_swap(board, 0xf0f0_f0f0_0000_0000, 36);
    board = delta_swap(board, 0xcccc_0000_cccc_0000, 18);
    delta_swap(board, 0xaa00_aa00_aa00_aa00, 9)
}

/// Swaps each square of `upper` with the square whose number is lower by `distance`.
#[inline(always)]
const fn delta_swap(board: u64, upper: u64, distance: u32) -> u64 {
    let different = upper & (board ^ board << distance);
    board ^ different ^ different >> distance
}

/// Rotates by 180 degrees: a1 and h8 change places. This reverses all bits.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::rotate_180(Square::B1.bitboard()), Square::G8.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn rotate_180(board: u64) -> u64 {
    board.reverse_bits()
}

/// Rotates by 90 degrees clockwise: a1 goes to a8, and a8 to h8.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::rotate_90_clockwise(Square::B1.bitboard()), Square::A7.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn rotate_90_clockwise(board: u64) -> u64 {
    flip_vertical(flip_diagonal(board))
}

/// Rotates by 90 degrees anti-clockwise: a1 goes to h1, and h1 to h8.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// assert_eq!(flip::rotate_90_anti_clockwise(Square::B1.bitboard()), Square::H2.bitboard());
/// ```
#[inline]
#[must_use]
pub const fn rotate_90_anti_clockwise(board: u64) -> u64 {
    flip_diagonal(flip_vertical(board))
}

/// Flips vertically, mirrors horizontally, does both (a rotation by 180 degrees), or does neither.
///
/// There are six delta swaps of neighbours, of 1, 2, 4, 8, 16 and 32 squares: the first three mirror, the last three flip.
/// Swap *i* moves by `2^i` squares, which is a multiplication by `f = 2^(2^i)`. The mask of the squares that move up is
/// `u64::MAX` divided by `f + 1`:
///
/// | i | f | mask |
/// |---|---|---|
/// | 0 | 2 | `0x5555555555555555` |
/// | 1 | 4 | `0x3333333333333333` |
/// | 2 | 16 | `0x0f0f0f0f0f0f0f0f` |
/// | 3 | 256 | `0x00ff00ff00ff00ff` |
/// | 4 | 65536 | `0x0000ffff0000ffff` |
/// | 5 | 4294967296 | `0x00000000ffffffff` |
///
/// ```
/// use slider_attacks::flip;
///
/// let board = 0x0123_4567_89ab_cdef;
/// assert_eq!(flip::flip_mirror_or_reverse(board, true, false), flip::flip_vertical(board));
/// assert_eq!(flip::flip_mirror_or_reverse(board, false, true), flip::mirror_horizontal(board));
/// assert_eq!(flip::flip_mirror_or_reverse(board, true, true), flip::rotate_180(board));
/// ```
#[inline]
#[must_use]
pub const fn flip_mirror_or_reverse(mut board: u64, flip: bool, mirror: bool) -> u64 {
    let mut swap = if mirror { 0 } else { 3 };
    let end = if flip { 6 } else { 3 };
    while swap < end {
        let distance = 1 << swap;
        let factor = 1 << distance;
        let movers_up = u64::MAX / (factor + 1);
        board = (board >> distance & movers_up) + factor * (board & movers_up);
        swap += 1;
    }
    board
}

/// The files b, d, f and h; c, d, g and h; e to h. Each bit of a file's number says whether the file belongs to one of them.
const FILE_BITS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0];

/// Rotates the files in `selected[0]` down by 1 rank, those in `selected[1]` by 2, and those in `selected[2]` by 4.
#[inline(always)]
const fn turn_files_down(mut board: u64, selected: [u64; 3]) -> u64 {
    board ^= selected[0] & (board ^ board.rotate_right(8));
    board ^= selected[1] & (board ^ board.rotate_right(16));
    board ^ selected[2] & (board ^ board.rotate_right(32))
}

/// Rotates the files in `selected[0]` up by 1 rank, those in `selected[1]` by 2, and those in `selected[2]` by 4.
#[inline(always)]
const fn turn_files_up(mut board: u64, selected: [u64; 3]) -> u64 {
    board ^= selected[0] & (board ^ board.rotate_left(8));
    board ^= selected[1] & (board ^ board.rotate_left(16));
    board ^ selected[2] & (board ^ board.rotate_left(32))
}

/// Puts the diagonal a1–h8 on the first rank, and every other diagonal on one of the other ranks. Each file is rotated down
/// by as many ranks as its number says.
///
/// ```
/// use slider_attacks::{Square, flip};
///
/// let diagonal = 0x8040_2010_0804_0201;
/// assert_eq!(flip::pseudo_rotate_45_clockwise(diagonal), 0xff);
/// ```
#[inline]
#[must_use]
pub const fn pseudo_rotate_45_clockwise(board: u64) -> u64 {
    turn_files_down(board, FILE_BITS)
}

/// Puts the anti-diagonal h1–a8 on the first rank, and every other anti-diagonal on one of the other ranks. Each file is
/// rotated down by its distance from the h-file.
///
/// ```
/// use slider_attacks::flip;
///
/// let anti_diagonal = 0x0102_0408_1020_4080;
/// assert_eq!(flip::pseudo_rotate_45_anti_clockwise(anti_diagonal), 0xff);
/// ```
#[inline]
#[must_use]
pub const fn pseudo_rotate_45_anti_clockwise(board: u64) -> u64 {
    turn_files_down(board, [!FILE_BITS[0], !FILE_BITS[1], !FILE_BITS[2]])
}

/// The inverse of [`pseudo_rotate_45_clockwise`].
///
/// ```
/// use slider_attacks::flip;
///
/// assert_eq!(flip::undo_pseudo_rotate_45_clockwise(0xff), 0x8040_2010_0804_0201);
/// ```
#[inline]
#[must_use]
pub const fn undo_pseudo_rotate_45_clockwise(board: u64) -> u64 {
    turn_files_up(board, FILE_BITS)
}

/// The inverse of [`pseudo_rotate_45_anti_clockwise`].
///
/// ```
/// use slider_attacks::flip;
///
/// assert_eq!(flip::undo_pseudo_rotate_45_anti_clockwise(0xff), 0x0102_0408_1020_4080);
/// ```
#[inline]
#[must_use]
pub const fn undo_pseudo_rotate_45_anti_clockwise(board: u64) -> u64 {
    turn_files_up(board, [!FILE_BITS[0], !FILE_BITS[1], !FILE_BITS[2]])
}

/// Mirrors one rank: the bits of a byte in reverse order.
///
/// ```
/// assert_eq!(slider_attacks::flip::reverse_byte(0b0000_1011), 0b1101_0000);
/// ```
#[inline]
#[must_use]
pub const fn reverse_byte(rank: u8) -> u8 {
    rank.reverse_bits()
}
