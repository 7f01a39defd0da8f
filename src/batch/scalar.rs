#![doc = include_str!("../../asm-notes/scalar.md")]

use crate::batch::entries::{Planes, Task, for_each_board};
use crate::batch::lists::{ListTask, OneByOne};
use crate::batch::text::BoardTextTask;
use crate::flip::flip_diagonal;
use crate::methods::fill_up::{bishop_attacks, queen_attacks, rook_attacks};
use crate::{Square, set_attacks};

one_by_one! {
    fn bishop = bishop_attacks;
    fn rook = rook_attacks;
    fn queen = queen_attacks;
}

#[inline(never)]
pub(super) fn attack_sets([orthogonal, diagonal, occs]: [&[u64]; 3], out: &mut [u64], _stream: bool) {
    for (((&orthogonal, &diagonal), &occ), out) in orthogonal.iter().zip(diagonal).zip(occs).zip(out) {
        *out = set_attacks(orthogonal, diagonal, occ);
    }
}

// What follows does work without vectors. As these are functions of their own, their stack is no part of that of work with vectors.

/// Performs a task.
#[inline(never)]
pub(super) fn perform(task: impl Task) {
    task.perform();
}

/// Lists moves.
#[inline(never)]
pub(super) fn list(task: impl ListTask) {
    task.perform(OneByOne::<false>);
}

/// Writes boards.
#[inline(never)]
pub(super) fn write(task: impl BoardTextTask) {
    task.perform(OneByOne::<false>);
}

/// Writes the numbers of as many positions as `out` has, at most 64. Inlined into loops that the compiler vectorises.
#[inline(always)]
pub(super) fn numbers(planes: &Planes, out: &mut [[u8; 64]]) {
    for (position, out) in out.iter_mut().enumerate() {
        *out = numbers_of(planes.each_ref().map(|plane| plane[position]));
    }
}

/// The numbers of a position whose bits these planes are, lowest bits first.
///
/// The bytes of one rank, one per plane, are the rows of a board of bits. Flipping it about its diagonal makes the
/// numbers its rows.
#[inline(always)]
pub(crate) fn numbers_of(planes: [u64; 5]) -> [u8; 64] {
    let mut ranks = [0; 8];
    for (rank, numbers) in ranks.iter_mut().enumerate() {
        let [ones, twos, fours, eights, sixteens] = planes.map(|plane| plane >> (8 * rank) & 0xff);
        *numbers = flip_diagonal(ones | twos << 8 | fours << 16 | eights << 24 | sixteens << 32);
    }
    bytemuck::cast(ranks.map(u64::to_le))
}

/// Writes one of two values for each square of the boards of some columns, eight at a time: a table holds the result
/// for each byte.
pub(super) fn squares<T: Copy>(columns: &[&[u64]], values: [T; 2], out: &mut [[T; 64]]) {
    let eight = |byte: usize| core::array::from_fn(|square| values[byte >> square & 1]);
    let squares_of: [[T; 8]; 256] = core::array::from_fn(eight);
    for_each_board(columns, out, |board, squares| {
        for (byte, squares) in board.to_le_bytes().into_iter().zip(squares.as_chunks_mut::<8>().0) {
            *squares = squares_of[usize::from(byte)];
        }
    });
}

/// Writes the squares whose numbers, which are below 128, are not 0, eight numbers at a time.
pub(super) fn nonzero_squares(numbers: &[[u8; 64]], out: &mut [u64]) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    for (numbers, out) in numbers.iter().zip(out) {
        let ranks = numbers.as_chunks::<8>().0.iter().map(|&numbers| {
            // A carry to the highest bit of each byte. The product puts the eight of them side by side.
            let carries = (u64::from_le_bytes(numbers) + 0x7f * EACH) >> 7 & EACH;
            (carries.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        });
        *out = ranks.rev().fold(0, |board, rank| board << 8 | u64::from(rank));
    }
}
