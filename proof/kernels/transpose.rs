//! Checks that the operations that move bytes move them to the right places, by tags on the bytes.
//!
//! The value of a byte makes no difference to where it goes, so a run in which all bytes are different shows the whole
//! permutation. There are up to 512 bytes, and a byte has 256 values, so there are two runs: one with the lower halves
//! of the tags, one with the upper halves.

use std::array;
use std::collections::HashSet;

use crate::batch::blocks::Traffic;
use crate::batch::enter::simd;
use crate::batch::kernel::rank_slices::{to_boards, to_ranks};
use crate::batch::simd::Boards;

/// The tag of a byte: eight times its board, plus its rank.
const fn tag(board: usize, rank: usize) -> u16 {
    8 * board as u16 + rank as u16
}

/// The lane of a board, as [`Boards`] defines it.
pub(super) const fn lane<const N: usize>(board: usize) -> usize {
    board % 2 + 2 * (board / (N / 8)) + 16 * (board % (N / 8) / 2)
}

/// The tags of `N` boards after `moves`.
fn tags<const N: usize>(tags: impl Fn(usize) -> u16, moves: impl Fn([u64; N]) -> [u64; N]) -> Vec<u16> {
    let half = |shift: u16| {
        let mut boards = [0; N];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut boards);
        bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (tags(at) >> shift) as u8);
        bytemuck::cast_slice::<u64, u8>(&moves(boards)).to_vec()
    };
    half(0).into_iter().zip(half(8)).map(|(low, high)| u16::from_le_bytes([low, high])).collect()
}

fn boards_in_memory(at: usize) -> u16 {
    tag(at / 8, at % 8)
}

/// Rank slices one after the other: byte `N * rank + lane`.
fn rank_slices<const N: usize>(at: usize) -> u16 {
    let board = (0..N).find(|&board| lane::<N>(board) == at % N).expect("each lane has a board");
    tag(board, at / N)
}

fn stored<const N: usize, S: Boards<N>>(simd: S, vectors: [S::Vector; 8]) -> [u64; N] {
    let mut boards = [0; N];
    simd.store_boards(&mut boards, vectors, Traffic::PLAIN);
    boards
}

fn transposes<const N: usize, S: Boards<N>>(simd: S) {
    let memory: Vec<u16> = (0..8 * N).map(boards_in_memory).collect();
    let slices: Vec<u16> = (0..8 * N).map(rank_slices::<N>).collect();
    assert_eq!(memory.iter().collect::<HashSet<_>>().len(), 8 * N, "each byte has a tag of its own");

    let moved = tags(boards_in_memory, |boards: [u64; N]| stored(simd, simd.load_boards(&boards)));
    assert_eq!(moved, memory, "boards are loaded and stored as they lie in memory");

    let moved = tags(boards_in_memory, |boards| stored(simd, to_ranks(simd, simd.load_boards(&boards))));
    assert_eq!(moved, slices, "boards to rank slices");

    let moved = tags(rank_slices::<N>, |slices| stored(simd, to_boards(simd, simd.load_boards(&slices))));
    assert_eq!(moved, memory, "rank slices to boards");
}

/// The squares go to the lanes of their boards.
fn squares<const N: usize, S: Boards<N>>(simd: S) {
    let numbers: [u8; N] = array::from_fn(|board| board as u8);
    let boards = stored(simd, [simd.load_squares(&numbers); 8]);
    let lanes: &[u8] = &bytemuck::cast_slice(&boards)[..N];
    for board in 0..N {
        assert_eq!(usize::from(lanes[lane::<N>(board)]), board);
    }
}

/// The lanes of two vectors alternate, within each group of sixteen.
fn interleave<const N: usize, S: Boards<N>>(simd: S) {
    let numbers: Vec<u8> = (0..2 * N as u8).collect();
    let mut boards = [0; N];
    bytemuck::cast_slice_mut::<u64, u8>(&mut boards)[..2 * N].copy_from_slice(&numbers);
    let vectors = simd.load_boards(&boards);
    let (lower, upper) = simd.interleave(vectors[0], vectors[1]);
    let boards = stored(simd, [lower, upper, lower, upper, lower, upper, lower, upper]);
    let lanes: &[u8] = &bytemuck::cast_slice(&boards)[..2 * N];
    for (at, &from) in lanes.iter().enumerate() {
        let (half, group, place) = (at / N, at % N / 16, at % 16);
        assert_eq!(usize::from(from), place % 2 * N + 16 * group + 8 * half + place / 2);
    }
}

macro_rules! tests {
    ($($backend:ident)*) => {$(
        tests_on! { $backend
            transposes super::transposes;
            squares super::squares;
            interleave super::interleave;
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
tests! { ssse3 avx2 avx512 }
#[cfg(target_arch = "aarch64")]
tests! { neon }
