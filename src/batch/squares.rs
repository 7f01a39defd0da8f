//! The operations that other crates of the workspace write lists of squares over, such as the inputs of networks.
//!
//! They are hidden from the documentation, because they may change in any version. As for kernels, all methods of an
//! implementation are `#[inline(always)]`.

use super::lists::{ListOperations, ListTask, SquareListing};
use crate::Backend;

/// Vectors of 64 bytes, or of 32 words of 16 bits, with lookups by byte.
///
/// The documentation of each method gives its meaning for one lane, then the instruction.
pub trait SquareVectors: Copy {
    /// The vector.
    type Vector: Copy;

    /// The squares of `set`, in ascending order; zero after them. `vpcompressb`.
    fn squares_of(self, set: u64) -> Self::Vector;
    /// 64 bytes.
    fn load(self, bytes: &[u8; 64]) -> Self::Vector;
    /// 32 words.
    fn load_words(self, words: &[u16; 32]) -> Self::Vector;
    /// Writes all bytes.
    fn store(self, a: Self::Vector, out: &mut [u8; 64]);
    /// Writes the first 32 bytes.
    fn store_half(self, a: Self::Vector, out: &mut [u8; 32]);
    /// Writes the first eight bytes.
    fn store_eight(self, a: Self::Vector, out: &mut [u8; 8]);
    /// `byte` in each byte.
    fn splat(self, byte: u8) -> Self::Vector;
    /// `word` in each word.
    fn splat_word(self, word: u16) -> Self::Vector;
    /// `a & b`.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a ^ b`.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a + b` for each byte, wrapping. `vpaddb`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b` for each byte, wrapping. `vpsubb`.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The lesser of the bytes. `vpminub`.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The greater of the bytes. `vpmaxub`.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a + b` for each word, wrapping. `vpaddw`.
    fn add_words(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a * b` for each word, wrapping. `vpmullw`.
    fn times_words(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Each word, shifted to the left. `vpsllw`.
    fn shift_words<const BITS: u32>(self, a: Self::Vector) -> Self::Vector;
    /// Half of each word. `vpsrlw`.
    fn half_words(self, a: Self::Vector) -> Self::Vector;
    /// The byte of `table` whose index is in the lowest six bits of `at`. `vpermb`.
    fn lookup(self, table: Self::Vector, at: Self::Vector) -> Self::Vector;
    /// The byte of two tables whose index is in the lowest seven bits of `at`. `vpermi2b`.
    fn lookup_two(self, tables: [Self::Vector; 2], at: Self::Vector) -> Self::Vector;
    /// The first 32 bytes as words. `vpmovzxbw`.
    fn widen(self, a: Self::Vector) -> Self::Vector;
    /// `a + word` for each word whose byte in `chosen` has a topmost bit of one. `vpmovb2m`, `vpaddw` with a mask.
    fn add_where(self, a: Self::Vector, chosen: Self::Vector, word: u16) -> Self::Vector;
    /// Those of the first `count` words whose byte in `drop` has a topmost bit of zero, and how many they are.
    /// `vpmovb2m`, `vpcompressw`.
    fn keep(self, words: Self::Vector, drop: Self::Vector, count: usize) -> (Self::Vector, usize);
    /// Writes the first eight bytes as words, with `words` added: the first to even places, the second to odd ones.
    fn store_eight_sums(self, a: Self::Vector, words: [u16; 2], out: &mut [u16; 8]);
    /// Writes all words.
    fn store_words(self, a: Self::Vector, out: &mut [u16; 32]);
    /// Writes each word as 32 bits with a base added: the second one where the word of `chosen` is not zero.
    fn store_long(self, a: Self::Vector, chosen: Self::Vector, bases: [u32; 2], out: &mut [u32; 32]);
}

/// Work to do with lists of squares, or with vectors of them where the backend has instructions for that.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables
/// the instructions.
pub trait SquareTask {
    /// Does the work with lists.
    fn perform(self, simd: impl SquareListing);
    /// Does the same work with vectors.
    fn perform_on_vectors(self, simd: impl SquareVectors);
}

/// The part of a task that works with lists.
struct OnLists<T>(T);

impl<T: SquareTask> ListTask for OnLists<T> {
    #[inline(always)]
    fn perform(self, simd: impl ListOperations) {
        self.0.perform(simd);
    }
}

/// Bitboards with one bit of the numbers of squares each, lowest bits first: `planes[bit][position]`.
type NumberPlanes = [[u64; 64]; 5];

impl Backend {
    /// Performs `task` with the instructions of this backend.
    #[doc(hidden)]
    pub fn work_on_squares(self, task: impl SquareTask) {
        #[cfg(target_arch = "x86_64")]
        if self.lists_with_vectors() {
            // SAFETY: `lists_with_vectors` has checked the instructions.
            return unsafe { super::avx512_gfni::lists::work_on_squares(task) };
        }
        self.list(OnLists(task));
    }

    /// For each square of as many positions as `out` has, at most 64, the number below 32 whose bits are in `planes`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn square_numbers(self, planes: &NumberPlanes, out: &mut [[u8; 64]]) {
        self.numbers(planes, out);
    }
}
