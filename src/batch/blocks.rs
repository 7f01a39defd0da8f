//! Algorithms written once over the vector operations of [`crate::batch::simd`], and the loop that feeds them
//! whole arrays.

use crate::batch::simd::Boards;

/// An algorithm that computes `N` attack sets at a time.
///
/// Kernels are types, not function values: a function handed over as a value is not inlined into the entry that enables
/// the instruction set, and then each vector operation is a call.
pub(crate) trait Kernel<const N: usize>: Copy {
    /// The arrays that the attack sets follow from, as long as `out`.
    type Input<'a>: Copy;

    /// Computes the block that begins at `start`. Writes past the cache if `stream`, and if `out` is aligned for it;
    /// [`fence`](Kernel::fence) must follow.
    fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], stream: bool);

    /// Orders streamed stores before whatever follows.
    fn fence(self) {}
}

/// Runs `kernel` over slices of the same length, at least `N`, which are the whole arrays of a call or a chunk of
/// them: `whole` is how many attack sets the call has, and decides whether they are written past the cache.
///
/// Streamed blocks begin at a cache line of `out`: the first block, which need not, overlaps the second. What is
/// left over after the last whole block goes through the same code, as one more block that ends with the slices
/// and overlaps the one before. The kernel stands in one place, so that its code is there once.
#[inline(always)]
pub(crate) fn for_each_block<const N: usize, K: Kernel<N>>(
    kernel: K,
    input: K::Input<'_>,
    out: &mut [u64],
    whole: usize,
) {
    align_stack_frame();
    let stream = whole >= STREAM_FROM;
    let to_line = out.as_ptr().align_offset(CACHE_LINE);
    let second = if stream && to_line > 0 { to_line } else { N };
    let last = out.len() - N;
    let mut start = 0;
    loop {
        let out = out[start..].first_chunk_mut().expect(BLOCK_FITS);
        kernel.attacks(input, start, out, stream);
        if start == last {
            break;
        }
        start = last.min(if start == 0 { second } else { start + N });
    }
    if stream {
        kernel.fence();
    }
}

/// The `N` elements from `start` on.
#[inline(always)]
pub(super) fn block<const N: usize, T>(slice: &[T], start: usize) -> &[T; N] {
    slice[start..].first_chunk().expect(BLOCK_FITS)
}

/// Asks for what a kernel reads a few blocks after `block`.
///
/// The CPU's own prefetching stops at the end of a page, and finds several arrays to follow here.
#[inline(always)]
pub(super) fn prefetch<const N: usize, S: Boards<N>, T>(simd: S, block: &[T; N]) {
    let ahead = block.as_ptr().wrapping_add(PREFETCH_BLOCKS * N).cast::<u8>();
    for line in 0..size_of_val(block).div_ceil(CACHE_LINE) {
        simd.prefetch(ahead.wrapping_add(line * CACHE_LINE));
    }
}

/// How far ahead occupancies and squares are asked for.
const PREFETCH_BLOCKS: usize = 8;

/// Makes the stack frame of the entry begin with a cache line.
///
/// The compiler spills vectors to wherever the stack happens to stand, and one that straddles two lines, or worse two
/// pages, is slow to come back: AVX2 queens took 1.3 times as long with one stack in ten, AVX-512 queens with one in
/// two. It aligns the frame if a variable in it asks for that.
#[inline(always)]
fn align_stack_frame() {
    #[repr(align(64))]
    struct Aligned(u8);
    core::hint::black_box(&mut Aligned(0).0);
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

const BLOCK_FITS: &str = "the slices are of one length, and no block begins past the last";
