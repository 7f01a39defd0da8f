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
    /// Writes past the cache if `stream`, and if `out` is aligned for it.
    fn attacks<const N: usize, S: Boards<N>>(
        simd: S,
        squares: &[u8; N],
        occs: &[u64; N],
        out: &mut [u64; N],
        stream: bool,
    );
}

/// Runs `K` over three slices of the same length, which are the whole arrays of a call or a chunk of them: `whole` is
/// how many pairs the call has, and decides whether its attack sets are written past the cache.
///
/// Streamed blocks begin at a cache line of `out`: the first block, which need not, overlaps the second. What is
/// left over after the last whole block goes through the same code: as one more block that ends with the slices
/// and overlaps the one before, or, if there are fewer than `N` pairs, padded. The kernel stands in one place, so
/// that its code is there once.
#[inline(always)]
pub(crate) fn for_each_block<K: Kernel, const N: usize, S: Boards<N>>(
    simd: S,
    squares: &[Square],
    occs: &[u64],
    out: &mut [u64],
    whole: usize,
) {
    debug_assert!(squares.len() == occs.len() && occs.len() == out.len());
    let (padded_squares, padded_occs);
    let mut padded_out = [0; N];
    let (block_squares, block_occs, block_out): (&[u8], &[u64], &mut [u64]) = if squares.len() < N {
        padded_squares = padded::<u8, N>(bytemuck::cast_slice(squares));
        padded_occs = padded::<u64, N>(occs);
        (&padded_squares, &padded_occs, &mut padded_out)
    } else {
        (bytemuck::cast_slice(squares), occs, &mut *out)
    };

    let stream = whole >= STREAM_FROM;
    let to_line = block_out.as_ptr().align_offset(CACHE_LINE);
    let second = if stream && to_line > 0 { to_line } else { N };
    let last = block_squares.len() - N;
    let mut start = 0;
    loop {
        let squares = block_squares[start..].first_chunk().expect(BLOCK_FITS);
        let occs = block_occs[start..].first_chunk().expect(BLOCK_FITS);
        let out = block_out[start..].first_chunk_mut().expect(BLOCK_FITS);
        K::attacks::<N, S>(simd, squares, occs, out, stream);
        if start == last {
            break;
        }
        start = last.min(if start == 0 { second } else { start + N });
    }
    if stream {
        simd.fence();
    }

    if squares.len() < N {
        out.copy_from_slice(&padded_out[..squares.len()]);
    }
}

/// From how many pairs on the attack sets are written past the cache: 2 Mi, 34 MiB of squares, occupancies and
/// attack sets together.
///
/// The call alone is faster with streaming stores from 64 Ki pairs on (Zen 5, 1 MiB of second-level and 32 MiB of
/// third-level cache). But a caller that reads the attack sets afterwards then finds them in memory, not in the
/// cache: call and one reading pass together took 1.2 times as long at 64 Ki and 256 Ki pairs, 1.0 to 1.1 at 1 Mi, and
/// 0.8 at 4 Mi (AVX-512 queens; builds with and without that took turns).
const STREAM_FROM: usize = 1 << 21;

const CACHE_LINE: usize = 64;

const BLOCK_FITS: &str = "the three slices are of one length, and no block begins past the last";

/// `values`, which are at most `N`, followed by zeros.
#[inline(always)]
fn padded<T: Copy + Default, const N: usize>(values: &[T]) -> [T; N] {
    let mut padded = [T::default(); N];
    padded[..values.len()].copy_from_slice(values);
    padded
}
