//! Algorithms written once over the vector operations of [`crate::simd`], and the loop that feeds them
//! whole arrays.

pub(crate) mod rank_slices;

use crate::Square;
use crate::simd::Boards;

/// An algorithm that computes the attack sets of `N` sliders at a time.
///
/// Kernels are marker types, not function values: a function handed over as a value is not inlined into
/// the entry that enables the instruction set, and then each vector operation is a call.
pub(crate) trait Kernel {
    fn attacks<const N: usize, S: Boards<N>>(simd: S, squares: &[u8; N], occs: &[u64; N], out: &mut [u64; N]);
}

/// Runs `K` over three slices of the same length.
///
/// What is left over after the last whole block goes through the same code: as one more block that ends
/// with the slices and overlaps the one before, or, if there are fewer than `N` pairs, padded.
#[inline(always)]
pub(crate) fn for_each_block<K: Kernel, const N: usize, S: Boards<N>>(
    simd: S,
    squares: &[Square],
    occs: &[u64],
    out: &mut [u64],
) {
    let squares = bytemuck::cast_slice::<Square, u8>(squares);
    debug_assert!(squares.len() == occs.len() && occs.len() == out.len());
    if let (Some(last_squares), Some(last_occs), Some(_)) =
        (squares.last_chunk::<N>(), occs.last_chunk::<N>(), out.last_chunk::<N>())
    {
        let blocks = squares.as_chunks::<N>().0.iter().zip(occs.as_chunks::<N>().0);
        for ((squares, occs), out) in blocks.zip(out.as_chunks_mut::<N>().0) {
            K::attacks(simd, squares, occs, out);
        }
        if !squares.len().is_multiple_of(N) {
            let last_out = out.last_chunk_mut::<N>().expect("there is a whole block");
            K::attacks(simd, last_squares, last_occs, last_out);
        }
    } else if !squares.is_empty() {
        let (mut block_squares, mut block_occs, mut block_out) = ([0; N], [0; N], [0; N]);
        block_squares[..squares.len()].copy_from_slice(squares);
        block_occs[..occs.len()].copy_from_slice(occs);
        K::attacks(simd, &block_squares, &block_occs, &mut block_out);
        out.copy_from_slice(&block_out[..out.len()]);
    }
}
