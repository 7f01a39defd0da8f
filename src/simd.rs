//! The operations that vector kernels are written over.
//!
//! A kernel sees vectors of bytes, one lane a board, and knows nothing of an instruction set. A value of
//! an implementing type proves that the CPU has the instructions, so every method is safe to call.
//!
//! All methods of an implementation are `#[inline(always)]`: they must dissolve into the entry that
//! enables the instruction set. One that is not inlined costs a call per operation.

/// Vectors of byte lanes: arithmetic on each lane by itself.
///
/// Each method tells its meaning for one lane, then the instruction on AVX2 and on AVX-512 where they
/// differ. SSSE3 has those of AVX2 without the `v`, in a form that overwrites its first operand.
pub(crate) trait Bytes: Copy {
    /// Whether any function of three vectors' bits is one instruction (`vpternlog`), which the compiler finds
    /// by itself.
    const TERNARY_LOGIC: bool;
    /// Whether a bishop's rays are walked apart without ternary logic too: what measured faster.
    const BISHOP_APART: bool;

    /// The vector.
    type Vector: Copy;
    /// A set of lanes.
    type Lanes: Copy;

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
    /// `a / 2`, rounded up: the average with zero. x86 shifts words, not bytes, so this is the byte
    /// shift to the right of an even number. `vpavgb`.
    fn half(self, a: Self::Vector) -> Self::Vector;
    /// The larger of both, unsigned. `vpmaxub`.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a >> 4`. `vpsrlw` and `vpand`.
    fn high_nibble(self, a: Self::Vector) -> Self::Vector;
    /// `table[a % 16]`, for `a` below 128. `vpshufb`.
    fn lookup(self, table: [u8; 16], a: Self::Vector) -> Self::Vector;
    /// The lanes where both are equal. `vpcmpeqb`; into a mask register.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Lanes;
    /// `a + b` in these lanes, `a` in the others. `vpand`, `vpaddb`; one masked `vpaddb`.
    fn add_in(self, lanes: Self::Lanes, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `b` in these lanes, `a` in the others, where `a` is zero in these lanes. `vpand`, `vpor`; one
    /// masked `vmovdqu8`.
    fn fill_in(self, lanes: Self::Lanes, a: Self::Vector, b: Self::Vector) -> Self::Vector;
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
    /// The inverse of `load_boards`. If `stream` and if `boards` is aligned to a vector, the stores go
    /// past the cache, which saves reading lines that are overwritten; [`fence`](Boards::fence) must follow.
    fn store_boards(self, boards: &mut [u64; N], vectors: [Self::Vector; 8], stream: bool);
    /// Orders streamed stores before whatever follows. `sfence`.
    fn fence(self);
    /// The lanes of `a` and `b` alternating, `a` first, for each group of 16 lanes: from the lower
    /// eight lanes of the groups, and from the upper eight. `vpunpcklbw`, `vpunpckhbw`.
    fn interleave(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
}
