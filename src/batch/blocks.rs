//! The loop that feeds whole arrays to a kernel, block by block.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::_mm_sfence;

/// An algorithm that computes `N` attack sets at a time.
///
/// Kernels are types, not function values: a function passed as a value is not inlined into the entry that enables
/// the instruction set, and then each vector operation is a call.
pub(crate) trait Kernel<const N: usize>: Copy {
    /// The arrays to read, all as long as `out`.
    type Input<'a>: Copy;

    /// Computes the block that begins at `start`.
    fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], traffic: Traffic);
}

/// How a block is to read and write memory: whether it prefetches later blocks, and whether it streams, that is, writes
/// with non-temporal stores, which bypass the cache.
///
/// Only [`for_each_block`], which fences, makes one that streams.
#[derive(Clone, Copy)]
pub(crate) struct Traffic {
    prefetch: bool,
    stream: bool,
}

impl Traffic {
    /// Neither.
    pub(crate) const PLAIN: Traffic = Traffic { prefetch: false, stream: false };

    #[inline(always)]
    pub(super) fn prefetches(self) -> bool {
        self.prefetch
    }

    #[inline(always)]
    pub(super) fn streams(self) -> bool {
        self.stream
    }
}

/// Runs `kernel` over arrays of the same length, at least `N`.
///
/// The remainder after the last whole block goes through the same code, as one more block that ends where the arrays
/// end and overlaps the previous one. The kernel is called in one place, so that its code exists once.
///
/// In calls of many blocks, the second block overlaps the first one, so that it begins where `out` begins a cache line.
///
/// With `prefetch`, kernels prefetch. With `stream`, streaming stores are used if `out` consists of whole cache lines and
/// whole blocks. [`Backend`](crate::Backend) cuts long arrays so that this holds for the part it streams. Streamed bytes
/// must not be accessed before this thread has fenced. Nothing does so before the fence at the end, because whole blocks
/// do not overlap.
#[inline(always)]
pub(crate) fn for_each_block<const N: usize, K: Kernel<N>>(
    kernel: K,
    input: K::Input<'_>,
    out: &mut [u64],
    prefetch: bool,
    stream: bool,
) {
    align_stack_frame();
    let in_lines = out.len().is_multiple_of(N) && out.as_ptr().addr().is_multiple_of(CACHE_LINE);
    let traffic = Traffic { prefetch, stream: stream && in_lines };
    let last = out.len() - N;
    let mut start = 0;
    let mut next = if stream { N } else { second_block::<N>(out) };
    loop {
        kernel.attacks(input, start, block_mut(out, start), traffic);
        if start == last {
            break;
        }
        start = last.min(next);
        next = start + N;
    }
    #[cfg(target_arch = "x86_64")]
    if traffic.streams() {
        // SAFETY: Every x86-64 CPU has SSE, which is all that the fence needs.
        unsafe { _mm_sfence() };
    }
}

/// Where the second block begins: `N`, or in long calls a few pairs before it, so that `out` begins a cache line there.
///
/// A vector that straddles two cache lines takes longer to write. An overlap may cost a block more, so it has to gain
/// that over all blocks.
#[inline(always)]
fn second_block<const N: usize>(out: &[u64]) -> usize {
    const BLOCKS: usize = 16;
    let overlap = out.as_ptr().addr() / size_of::<u64>() % LINE;
    if N > LINE && out.len() >= BLOCKS * N { N - overlap } else { N }
}

/// The `N` elements from `start` on.
#[inline(always)]
pub(super) fn block<const N: usize, T>(slice: &[T], start: usize) -> &[T; N] {
    slice[start..].first_chunk().expect(BLOCK_FITS)
}

/// `N` elements, to be written.
#[inline(always)]
pub(super) fn block_mut<const N: usize, T>(slice: &mut [T], start: usize) -> &mut [T; N] {
    slice[start..].first_chunk_mut().expect(BLOCK_FITS)
}

/// Makes the stack frame of the entry begin at a cache line.
///
/// The compiler spills vectors to the stack, wherever that happens to begin. A vector that straddles two cache lines,
/// or worse two pages, is slow to load again: AVX2 queens took 1.3 times as long with one stack in ten, AVX-512 queens
/// with one in two. The compiler aligns the frame if a variable in it asks for that.
#[inline(always)]
fn align_stack_frame() {
    #[repr(align(64))]
    struct Aligned(u8);
    core::hint::black_box(&mut Aligned(0).0);
}

/// In bytes.
pub(super) const CACHE_LINE: usize = 64;

/// How many boards a cache line has.
const LINE: usize = CACHE_LINE / size_of::<u64>();

const BLOCK_FITS: &str = "the slices are of one length, and no block begins after the last";
