//! The operations that vector kernels are written over.
//!
//! A kernel sees vectors of bytes, one lane per board, and knows nothing about instruction sets. A value of an
//! implementing type proves that the CPU has the instructions, so every method is safe to call.
//!
//! All methods of an implementation are `#[inline(always)]`, so that they become part of the entry that enables the
//! instruction set. A method that is not inlined costs a call per operation.

use super::blocks::{CACHE_LINE, Streamed};

/// Vectors of byte lanes: arithmetic on each lane by itself.
///
/// The documentation of each method gives its meaning for one lane, then the instruction on AVX2, and the one on
/// AVX-512 if it differs. SSSE3 has the instructions of AVX2 without the `v`, except for the broadcast; they overwrite
/// their first operand. A set of lanes is a vector as well: all ones in the lanes that belong to it, zero in the
/// others.
pub(crate) trait Bytes: Copy {
    /// Whether the operations on three vectors below are one instruction each.
    const TERNARY_LOGIC: bool;

    /// The vector.
    type Vector: Copy;

    /// `byte` in every lane. `vpbroadcastb`, or a constant in memory.
    fn splat(self, byte: u8) -> Self::Vector;
    /// `a & b`. `vpand`.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a & !b`. `vpandn`.
    fn and_not(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a | b`. `vpor`.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a ^ b`. `vpxor`.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a + b`, wrapping. `vpaddb`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b`, wrapping. `vpsubb`.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `(a + b + 1) / 2`, without overflow: the average, rounded up. x86 has no shift of bytes, only of words. For an
    /// even number, the average with zero is that shift, to the right by one. `vpavgb`.
    fn average(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The larger of both, unsigned. `vpmaxub`.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a / 8`, for a multiple of 8, so that nothing crosses from byte to byte. `vpsrlw`.
    fn eighth(self, a: Self::Vector) -> Self::Vector;
    /// `a / 16`, for a multiple of 16. `vpsrlw`.
    fn sixteenth(self, a: Self::Vector) -> Self::Vector;
    /// `a >> 1 & b`, for a `b` without the topmost bit, so that what comes from the next byte does not count. `vpsrlw`
    /// and `vpand`.
    fn shift_1_and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a >> 2 & b`, for a `b` without the topmost two bits. `vpsrlw` and `vpand`.
    fn shift_2_and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a >> 4 & b`, for a `b` without the topmost four bits. `vpsrlw` and `vpand`.
    fn shift_4_and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `table[a % 16]`, for `a` below 128. `vpshufb`.
    fn lookup(self, table: [u8; 16], a: Self::Vector) -> Self::Vector;
    /// The lanes where `a`, which is below 16, is `number`. `vpcmpeqb`; on AVX-512, where a comparison gives a mask
    /// register, `vpshufb`.
    fn lanes_of(self, a: Self::Vector, number: u8) -> Self::Vector;

    /// `a | b | c`. Two `vpor`; on AVX-512 `vpternlogq`, as for all that follow.
    #[inline(always)]
    fn or3(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(self.or(a, b), c)
    }
    /// `a | b & c`.
    #[inline(always)]
    fn or_and(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(a, self.and(b, c))
    }
    /// `a | b & !c`.
    #[inline(always)]
    fn or_and_not(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(a, self.and_not(b, c))
    }
    /// `a | b | !c`.
    #[inline(always)]
    fn or_or_not(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or3(a, b, self.xor(c, self.splat(!0)))
    }
    /// `(a | b) & !c`.
    #[inline(always)]
    fn either_and_not(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.and_not(self.or(a, b), c)
    }
    /// `a ^ b | c`.
    #[inline(always)]
    fn xor_or(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(self.xor(a, b), c)
    }
}

/// Vectors of `N` byte lanes that can be read from and written to `N` boards.
///
/// The lanes of a vector are in *block order*: the order in which [`interleave`](Boards::interleave),
/// which works on 16 lanes at a time, leaves them after a transposition. Board *b* is in the lane
/// `b % 2 + 2 * (b / (N / 8)) + 16 * (b % (N / 8) / 2)`.
pub(crate) trait Boards<const N: usize>: Bytes {
    /// The numbers of the squares, in block order.
    fn load_squares(self, squares: &[u8; N]) -> Self::Vector;
    /// Eight vectors of `N / 8` boards each, as they lie in memory.
    fn load_boards(self, boards: &[u64; N]) -> [Self::Vector; 8];
    /// The inverse of `load_boards`. If `streamed`, and if `boards` is aligned to a vector, the stores bypass the
    /// cache, which saves reading lines that are overwritten.
    fn store_boards(self, boards: &mut [u64; N], vectors: [Self::Vector; 8], streamed: Streamed);
    /// Prefetches the cache line at `address`, which may be any address. `prefetcht0`, or nothing where the kernel is
    /// slower than memory anyway.
    #[inline(always)]
    fn prefetch_line(self, _address: *const u8) {}
    /// Prefetches what a kernel reads a few blocks after `block`.
    ///
    /// The CPU's own prefetching stops at the end of a page, and has several arrays to follow here.
    #[inline(always)]
    fn prefetch_after<T>(self, block: &[T; N]) {
        const BLOCKS_AHEAD: usize = 8;
        let ahead = block.as_ptr().wrapping_add(BLOCKS_AHEAD * N).cast::<u8>();
        for line in 0..size_of_val(block).div_ceil(CACHE_LINE) {
            self.prefetch_line(ahead.wrapping_add(line * CACHE_LINE));
        }
    }
    /// Alternates the lanes of `a` and `b`, `a` first, in each group of 16 lanes. The first result takes the lower
    /// eight lanes of each group, the second the upper eight. `vpunpcklbw`, `vpunpckhbw`.
    fn interleave(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
}
