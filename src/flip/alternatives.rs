//! Alternative implementations of the functions in [`flip`](super).
//!
//! | function | instead of | operations |
//! |---|---|---|
//! | [`flip_vertical_by_bytes`] | byte swap | 21: 8 shifts, 6 masks, 7 ors |
//! | [`flip_vertical_by_delta_swaps`] | byte swap | 11: 2 delta swaps, 1 rotation |
//! | [`mirror_horizontal_by_multiply_add`] | shifts and ors | 15; on x86 two of the products and sums are one `lea` each |
//! | [`mirror_horizontal_by_rotations`] | 3 delta swaps | 13: 4 rotations, 3 masked exchanges |
//! | [`rotate_180_by_delta_swaps`] | bit reversal | 26: 5 delta swaps, 1 rotation |
//! | [`rotate_180_by_flip_and_mirror`] | bit reversal | the two in sequence, in either order |
//! | [`rotate_90_clockwise_by_anti_diagonal`] | the other diagonal | the same |
//! | [`rotate_90_anti_clockwise_by_anti_diagonal`] | the other diagonal | the same |
//! | [`reverse_byte_by_multiplication`] | bit reversal | 2 64-bit products, mask, shift |
//! | [`reverse_byte_by_multiplication_32`] | bit reversal | 3 32-bit products, 2 masks, or, shift |
//! | [`reverse_byte_by_multiplication_32_top`] | bit reversal | the same, result in the top byte |
//! | [`reverse_byte_by_lookup`] | bit reversal | 1 load from 256 bytes |
//!
//! On x86, rustc 1.95 turns both forms of the vertical flip into one byte swap, and the rotation by 180 degrees into a
//! byte swap and three delta swaps. Writing out a form only pays if the compiler does not recognise it.
//!
//! Source: "Flipping Mirroring and Rotating", <https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>.

use super::{ODD_FILES, PAIRS, QUEEN_SIDE, flip_anti_diagonal, flip_vertical, mirror_horizontal, swap_neighbours};
use crate::line::A_FILE;
use crate::table::table;

/// The first, third, fifth and seventh rank; the first and second, and the fifth and sixth.
const RANKS: u64 = 0x00ff_00ff_00ff_00ff;
const PAIRS_OF_RANKS: u64 = 0x0000_ffff_0000_ffff;

/// [`flip_vertical`], one rank at a time. The first and the last rank need no mask.
#[inline]
#[must_use]
pub const fn flip_vertical_by_bytes(board: u64) -> u64 {
    board << 56
        | board << 40 & 0x00ff_0000_0000_0000
        | board << 24 & 0x0000_ff00_0000_0000
        | board << 8 & 0x0000_00ff_0000_0000
        | board >> 8 & 0x0000_0000_ff00_0000
        | board >> 24 & 0x0000_0000_00ff_0000
        | board >> 40 & 0x0000_0000_0000_ff00
        | board >> 56
}

/// [`flip_vertical`]: neighbouring ranks change places, then pairs of ranks, then the halves.
#[inline]
#[must_use]
pub const fn flip_vertical_by_delta_swaps(mut board: u64) -> u64 {
    board = swap_neighbours(board, 8, RANKS);
    board = swap_neighbours(board, 16, PAIRS_OF_RANKS);
    board.rotate_left(32)
}

/// [`mirror_horizontal`] with sums and products in place of ors and shifts to the left.
#[inline]
#[must_use]
pub const fn mirror_horizontal_by_multiply_add(mut board: u64) -> u64 {
    board = (board >> 1 & ODD_FILES) + 2 * (board & ODD_FILES);
    board = (board >> 2 & PAIRS) + 4 * (board & PAIRS);
    (board >> 4 & QUEEN_SIDE) + 16 * (board & QUEEN_SIDE)
}

/// [`mirror_horizontal`] by rotations of the whole board.
///
/// File *f* goes to file 7 − *f*, which is 7 − 2*f* squares up, or 2(7 − *f*) up and 7 down. The first part is 8, 4 and 2
/// squares for each of the bits 4, 2 and 1 that are zero in *f*. The second part is the same for all files.
#[inline]
#[must_use]
pub const fn mirror_horizontal_by_rotations(mut board: u64) -> u64 {
    board ^= QUEEN_SIDE & (board ^ board.rotate_left(8));
    board ^= PAIRS & (board ^ board.rotate_left(4));
    board ^= ODD_FILES & (board ^ board.rotate_left(2));
    board.rotate_right(7)
}

/// [`rotate_180`](super::rotate_180): squares, pairs and fours change places, then ranks, pairs of ranks and halves.
#[inline]
#[must_use]
pub const fn rotate_180_by_delta_swaps(mut board: u64) -> u64 {
    board = swap_neighbours(board, 1, ODD_FILES);
    board = swap_neighbours(board, 2, PAIRS);
    board = swap_neighbours(board, 4, QUEEN_SIDE);
    flip_vertical_by_delta_swaps(board)
}

/// [`rotate_180`](super::rotate_180) as a flip and a mirror.
#[inline]
#[must_use]
pub const fn rotate_180_by_flip_and_mirror(board: u64) -> u64 {
    mirror_horizontal(flip_vertical(board))
}

/// [`rotate_90_clockwise`](super::rotate_90_clockwise) with the other diagonal: the vertical flip comes first.
#[inline]
#[must_use]
pub const fn rotate_90_clockwise_by_anti_diagonal(board: u64) -> u64 {
    flip_anti_diagonal(flip_vertical(board))
}

/// [`rotate_90_anti_clockwise`](super::rotate_90_anti_clockwise) with the other diagonal: the vertical flip comes last.
#[inline]
#[must_use]
pub const fn rotate_90_anti_clockwise_by_anti_diagonal(board: u64) -> u64 {
    flip_vertical(flip_anti_diagonal(board))
}

/// [`reverse_byte`](super::reverse_byte) by copies of the byte: each bit is on its new file in one of them. The mask
/// picks it there, and a second multiplication sums the rows.
///
/// ```text
///    copies               mask                 picked
/// 5  B C D E F G H .      . . . 1 . . . .      . . . E . . . .
/// 4  D E F G H . . A      . . 1 . . . . 1      . . F . . . . A
/// 3  F G H . . A B C  &   . 1 . . . . 1 .  =   . G . . . . B .
/// 2  H . . A B C D E      1 . . . . 1 . .      H . . . . C . .
/// 1  . A B C D E F G      . . . . 1 . . .      . . . . D . . .
/// ```
#[inline]
#[must_use]
pub const fn reverse_byte_by_multiplication(rank: u8) -> u8 {
    const COPIES: u64 = 0x0000_0000_8020_0802;
    const PICKED: u64 = 0x0000_0008_8442_2110;
    (((rank as u64 * COPIES) & PICKED).wrapping_mul(A_FILE) >> 56) as u8
}

/// The copied and picked bits of the two 32-bit functions below, four bits of the result per product.
const fn picked_32(rank: u8) -> u32 {
    (rank as u32 * 0x0802) & 0x0002_2110 | (rank as u32 * 0x8020) & 0x0008_8440
}

/// [`reverse_byte`](super::reverse_byte) in 32-bit arithmetic: the copies in two pieces, the sum in the third byte.
#[inline]
#[must_use]
pub const fn reverse_byte_by_multiplication_32(rank: u8) -> u8 {
    (picked_32(rank).wrapping_mul(0x0001_0101) >> 16) as u8
}

/// The same with the sum in the top byte, which saves a mask where the result is wider than a byte.
///
/// The source prints the factor `0x10101000`, which is four bits too far to the left and right for only 16 of the 256
/// bytes.
#[inline]
#[must_use]
pub const fn reverse_byte_by_multiplication_32_top(rank: u8) -> u8 {
    (picked_32(rank).wrapping_mul(0x0101_0100) >> 24) as u8
}

/// [`reverse_byte`](super::reverse_byte) from a table of 256 bytes.
#[inline]
#[must_use]
pub const fn reverse_byte_by_lookup(rank: u8) -> u8 {
    static REVERSED: [u8; 256] = table!(rank < 256 => (rank as u8).reverse_bits());
    REVERSED[rank as usize]
}
