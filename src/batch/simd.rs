//! The operations that vector kernels are written over.
//!
//! A kernel sees vectors of bytes, one lane per board, and knows nothing about instruction sets. A value of an
//! implementing type proves that the CPU has the instructions, so every method is safe to call.
//!
//! All methods of an implementation are `#[inline(always)]`, so that they become part of the entry that enables the
//! instruction set. A method that is not inlined costs a call per operation.

use super::blocks::{CACHE_LINE, Traffic, block};
use crate::table::each;

/// Prefetch requests.
pub(crate) trait Prefetch: Copy {
    /// Prefetches the cache line at `address`, which may be any address. `prefetcht0`, or nothing where the kernel is
    /// slower than memory anyway.
    #[inline(always)]
    fn prefetch_line(self, _address: *const u8) {}
    /// Prefetches the input of a kernel a few blocks after `block`.
    ///
    /// The CPU's own prefetching stops at the end of a page, and has several arrays to follow here.
    #[inline(always)]
    fn prefetch_after<T, const N: usize>(self, block: &[T; N]) {
        const BLOCKS_AHEAD: usize = 8;
        let ahead = block.as_ptr().wrapping_add(BLOCKS_AHEAD * N).cast::<u8>();
        for line in 0..size_of_val(block).div_ceil(CACHE_LINE) {
            self.prefetch_line(ahead.wrapping_add(line * CACHE_LINE));
        }
    }
    /// The squares and the occupancies of the block that begins at `start`. If `traffic` prefetches, those of a later
    /// block are prefetched.
    #[inline(always)]
    fn block_of_pairs<'a, const N: usize>(
        self,
        (squares, occs): (&'a [u8], &'a [u64]),
        start: usize,
        traffic: Traffic,
    ) -> (&'a [u8; N], &'a [u64; N]) {
        let (squares, occs) = (block(squares, start), block(occs, start));
        if traffic.prefetches() {
            self.prefetch_after(squares);
            self.prefetch_after(occs);
        }
        (squares, occs)
    }
}

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
    /// `a >> 1 & b`, for a `b` without the topmost bit, so that bits shifted in from the next byte are dropped.
    /// `vpsrlw` and `vpand`.
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
pub(crate) trait Boards<const N: usize>: Bytes + Prefetch {
    /// The numbers of the squares, in block order.
    fn load_squares(self, squares: &[u8; N]) -> Self::Vector;
    /// Eight vectors of `N / 8` boards each, as they lie in memory.
    fn load_boards(self, boards: &[u64; N]) -> [Self::Vector; 8];
    /// The inverse of `load_boards`. If `traffic` streams, the stores bypass the cache, which saves reading lines that are
    /// overwritten.
    fn store_boards(self, boards: &mut [u64; N], vectors: [Self::Vector; 8], traffic: Traffic);
    /// Alternates the lanes of `a` and `b`, `a` first, in each group of 16 lanes. The first result takes the lower
    /// eight lanes of each group, the second the upper eight. `vpunpcklbw`, `vpunpckhbw`.
    fn interleave(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
    /// The rank with this number of all boards, in block order. Four rounds of `vpunpcklbw` and `vpunpckhbw`; on ARM, three
    /// of `uzp1` and `uzp2`.
    #[inline(always)]
    fn rank(self, boards: [Self::Vector; 8], number: usize) -> Self::Vector {
        to_rank(self, boards, number)
    }
}

/// The rank with this number: all of the first round, and half of the results of each later one. A bit of the number says
/// which half.
#[inline(always)]
fn to_rank<const N: usize, S: Boards<N>>(simd: S, boards: [S::Vector; 8], number: usize) -> S::Vector {
    let v = interleave_pairs::<4, N, S>(simd, boards);
    let upper = number & 4 != 0;
    let (a, b) = (half(simd, v[0], v[2], upper), half(simd, v[1], v[3], upper));
    let (c, d) = (half(simd, v[4], v[6], upper), half(simd, v[5], v[7], upper));
    let upper = number & 2 != 0;
    let (a, c) = (half(simd, a, b, upper), half(simd, c, d, upper));
    half(simd, a, c, number & 1 != 0)
}

/// One of the two vectors that interleaving gives.
#[inline(always)]
fn half<const N: usize, S: Boards<N>>(simd: S, a: S::Vector, b: S::Vector, upper: bool) -> S::Vector {
    let (low, high) = simd.interleave(a, b);
    if upper { high } else { low }
}

/// Interleaves the vectors whose numbers differ by `APART`, a power of two.
#[inline(always)]
pub(crate) fn interleave_pairs<const APART: usize, const N: usize, S: Boards<N>>(
    simd: S,
    mut vectors: [S::Vector; 8],
) -> [S::Vector; 8] {
    each! { low in 0 1 2 3 4 5 6 7 => if low & APART == 0 {
        (vectors[low], vectors[low + APART]) = simd.interleave(vectors[low], vectors[low + APART]);
    } }
    vectors
}

/// Instructions on single bits that ARM has.
pub(crate) trait Choices: Bytes {
    /// The bits of `a` where `mask` has ones, and those of `b` where it has zeros. `bit`.
    fn choose(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Each byte from its last bit to its first. `rbit`.
    fn mirrored(self, a: Self::Vector) -> Self::Vector;
}

/// Vectors whose 64-bit lanes are boards as they lie in memory, next to vectors with one byte for each board.
///
/// A block has eight *groups* of boards, which are the vectors of [`Boards::load_boards`]. In them, byte *r* of a lane
/// is rank *r* of a board. Bytes for whole boards are in block order, as squares are: see [`Boards`].
pub(crate) trait Groups: Bytes {
    /// These bytes in every 64-bit lane. A constant in memory.
    fn splat_lanes(self, lane: [u8; 8]) -> Self::Vector;
    /// All ones where `a` and `b` are equal, zero elsewhere. `vpcmpeqb`.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Half of `bits`, which are even, and the topmost bit where `mask`, all ones or zero, is all ones. That is their
    /// average. `vpavgb`.
    fn push(self, bits: Self::Vector, mask: Self::Vector) -> Self::Vector;
    /// `a` where bit `number` of `bits` is set, zero elsewhere. `vpand` and `vpsignb`; for the topmost bit, `vpcmpgtb`
    /// and `vpand`.
    fn where_bit(self, a: Self::Vector, bits: Self::Vector, number: usize) -> Self::Vector;
    /// Moves the bytes of each lane up, by this number of bits, a multiple of 8. `vpsllq`.
    fn up<const BITS: i32>(self, a: Self::Vector) -> Self::Vector;
    /// Moves them down. `vpsrlq`.
    fn down<const BITS: i32>(self, a: Self::Vector) -> Self::Vector;
    /// The byte of each board in `group`, from block order to all bytes of the board's lane. `vpshufb`.
    fn spread(self, a: Self::Vector, group: usize) -> Self::Vector;
    /// The same for all groups: of `b` where the group's choice is all ones, and of `a` where it is zero. Two unpacks;
    /// for each group `vpaddb` and `vpshufb`.
    fn spread_either(self, a: Self::Vector, b: Self::Vector, choices: [Self::Vector; 8]) -> [Self::Vector; 8];
    /// For each byte in block order, the rank of the board that has this number, below 8. The board is the one of
    /// `boards` in the same lane: the first for groups with even numbers, the second for the others. `vpor`, `vpshufb`
    /// for each, and `vpor`.
    fn pair_of_ranks(self, ranks: Self::Vector, boards: [Self::Vector; 2]) -> Self::Vector;
    /// The bytes of the first two groups from the first vector, of the next two from the second, and so on, all in
    /// block order. Three `vpblendd`.
    fn join_pairs(self, pairs: [Self::Vector; 4]) -> Self::Vector;
}

/// Vectors of bit matrices, one in each 64-bit lane: eight bytes, which are the rows, of eight bits each.
///
/// A board is such a matrix: byte *r* is rank *r*, and bit *f* of it is file *f*. A block has eight *groups* of boards.
/// A group is a vector with one board in each lane: eight boards with 512 bits, four with 256. Group 0 has the first
/// boards of the block, group 1 the next, and so on.
///
/// A square needs only a byte. So a single vector has the squares of all groups, and operations on it do the work for the
/// whole block. In which order they are is up to the implementation ([`Blocks::load_squares`]).
///
/// The documentation of each method gives its meaning for one lane, then the instruction with 256 bits, and the one with
/// 512 if it differs.
pub(crate) trait Matrices: Copy {
    /// The vector.
    type Vector: Copy;
    /// The squares of a block, as they lie in memory.
    type Squares;
    /// The boards of a block, as they lie in memory.
    type Boards;

    /// `lane` in every lane. A constant in memory.
    fn splat(self, lane: u64) -> Self::Vector;
    /// `a & b`. `vpand`.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a ^ b`. `vpxor`.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a + b` for each byte, wrapping. `vpaddb`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b` for each byte, wrapping. `vpsubb`.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Row *j* of `a` is a question about `matrix`, and row *j* of the result is the answer: its bit *i* is set if row *j*
    /// of `a` and row *7 - i* of `matrix` have an odd number of bits in common. So an answer lists the rows of `matrix`
    /// upside down. At the end, the bits of `FLIPPED` are flipped in each answer. `vgf2p8affineqb`.
    fn product<const FLIPPED: i32>(self, a: Self::Vector, matrix: Self::Vector) -> Self::Vector;
    /// For each byte, a square: byte `square % 8` of the table. `vpshufb`.
    fn by_file(self, table: u64, squares: Self::Vector) -> Self::Vector;
    /// For each byte, a square: byte `square / 8` of the table. `vpsrlw`, `vpand` and `vpshufb`; `vpermb`.
    fn by_rank(self, table: u64, squares: Self::Vector) -> Self::Vector;
    /// Puts two bytes of each board side by side: one from `a`, one from `b`. The first result has them for the boards at
    /// the even bytes of `a` and `b`, the second for the others. Those of bytes *2k* and *2k + 1* go to bytes *2k* and
    /// *2k + 1*. Whether `a` or `b` comes first is up to the implementation and may differ between the two results, but is
    /// the same in every call. `vpand`, a shift of words and `vpor`; `vpshldw` and blends with masks.
    fn pairs(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    /// The boards of a group. `vmovdqu`.
    fn board(self, boards: &Self::Boards, group: usize) -> Self::Vector;
    /// Writes the boards of a group, once for each block. `vmovdqu`, or `vmovntdq` if `traffic` streams.
    fn store(self, boards: &mut Self::Boards, group: usize, vector: Self::Vector, traffic: Traffic);
}

/// Moves of bits within bytes, each one product with a constant: `vgf2p8affineqb`. On ARM `rbit`, followed by `add` for the
/// double, and `ushr`.
pub(crate) trait Mirrors: Copy {
    /// The vector.
    type Vector;

    /// The byte from its last bit to its first.
    fn reversed(self, a: Self::Vector) -> Self::Vector;
    /// The double of that, cut to a byte.
    fn reversed_twice(self, a: Self::Vector) -> Self::Vector;
    /// `a / 2`.
    fn half(self, a: Self::Vector) -> Self::Vector;
}

/// Numbers for the squares of `N` positions.
pub(crate) trait BitPlanes<const N: usize>: Copy {
    /// The numbers below 32 whose bits are in `planes`, lowest bits first: those of a square are its bits in the boards of a
    /// position. Shuffles bring the bytes of each rank together, as the rows of a matrix, and a product flips it about its
    /// diagonal. `vgf2p8affineqb`.
    fn numbers(self, planes: [&[u64; N]; 5], out: &mut [[u8; 64]; N]);
}

/// Bit matrices for a whole block, in which each board has `ROWS` rows: its questions, or the answers to them.
///
/// The rows of all boards fill `ROWS` vectors, the *packs*. A lane of a pack has the rows of `8 / ROWS` boards, from
/// different groups: the first `ROWS` bytes are *place* 0, the next place 1, and so on. Which groups share a pack is up
/// to the implementation.
///
/// | slider | `ROWS` | packs | boards in a lane of a pack |
/// |---|---|---|---|
/// | rook | 1 | 1 | 8 |
/// | bishop | 2 | 2 | 4 |
/// | queen | 4 | 4 | 2 |
pub(crate) trait Blocks<const ROWS: usize>: Matrices {
    /// The group of the boards whose rows are in this place of this pack.
    fn group(self, pack: usize, place: usize) -> usize;
    /// The squares of a block, one byte for each board, in the order in which the other operations expect them.
    fn load_squares(self, squares: &Self::Squares) -> Self::Vector;
    /// Multiplies the rows of a pack by their boards. `boards[place]` is the group whose rows are in that place; there are
    /// `8 / ROWS` places, and further elements are not read. With four rows, the fourth gives zero, whatever it is: it is
    /// the solved rank, which is not asked.
    fn times(self, pack: Self::Vector, boards: &[Self::Vector; 8]) -> Self::Vector;
}

/// The slider's own rank, a byte of the board. Squares are in the order of [`Blocks<ROWS>`](Blocks).
pub(crate) trait Ranks<const ROWS: usize>: Blocks<ROWS> {
    /// For each byte, which is a square: that rank of the square's board which the square is on.
    fn ranks(self, squares: Self::Vector, boards: &[Self::Vector; 8]) -> Self::Vector;
}

/// Packs of more than one row for each board.
pub(crate) trait Packs<const ROWS: usize>: Blocks<ROWS> {
    /// The packs, from `ROWS` vectors in the order of the squares, each with one row of every board. If there are two,
    /// either may come first; four keep their order.
    fn packs(self, rows: [Self::Vector; ROWS]) -> [Self::Vector; ROWS];
    /// Pack `number`, in which all rows of a board are the same: the board's byte of `row`. `vpshufb`.
    fn copies(self, number: usize, row: Self::Vector) -> Self::Vector;
    /// For each board of a group, the squares that a bishop attacks on an empty board, or with `QUEEN` a queen.
    fn star<const QUEEN: bool>(self, squares: Self::Vector, group: usize) -> Self::Vector;
}

/// Bit matrices for fewer boards than a block: `N` boards fit one vector, and `PLACES` vectors share their lanes, one or
/// two. Each board has `8 / PLACES` rows in its lane. Those of the first vector come first: they are *place* 0.
pub(crate) trait Rows<const N: usize, const PLACES: usize>: Matrices {
    /// The numbers of the squares, in every row of their boards.
    fn load_few_squares(self, squares: [&[u8; N]; PLACES]) -> Self::Vector;
    /// The boards of a vector. `vmovdqu`.
    fn load_few(self, boards: &[u64; N]) -> Self::Vector;
    /// Writes the boards of a vector. `vmovdqu`.
    fn store_few(self, boards: &mut [u64; N], vector: Self::Vector);
    /// The first three rows of each board are the questions of its slider, from the tables of
    /// [`rows`](super::kernel::few_boards::rows) by the file of its square. The other rows are zero. But with
    /// `ROOK` and two places, the fourth row may be anything, because `exchanged` replaces it, and `with_rank` its answer.
    fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self, squares: Self::Vector) -> Self::Vector;
    /// The diagonals through the square of each board in a place, and with `QUEEN` also file and rank, without the square.
    fn star_of_lane<const QUEEN: bool>(self, squares: Self::Vector, place: usize) -> Self::Vector;
    /// Multiplies the rows of each board by the board. `vgf2p8affineqb`, and `vpblendd` if there are two places.
    fn answers(self, rows: Self::Vector, boards: [Self::Vector; PLACES]) -> Self::Vector;
    /// For each board, twice the bit of the slider and twice its bit in the reversed byte, cut to a byte: in the fourth row
    /// for its file, in all others for its rank upside down.
    fn doubles(self, squares: Self::Vector) -> [Self::Vector; 2];
    /// Replaces the fourth row of each board in `answers`, the product of `rows_by_file`, by the rank of the board that its
    /// square is on.
    fn with_rank(self, answers: Self::Vector, squares: Self::Vector, boards: [Self::Vector; PLACES]) -> Self::Vector;
    /// Makes the fourth row of each board in `answers` a question: moves it to `rows`, which are those of `rows_by_file`.
    /// With one place, it becomes the fifth row there, and the answers remain as they are. With two, it becomes the fourth
    /// row, and its answer is the bit of the square's rank, upside down. The result is the answers and the rows.
    fn exchanged(self, answers: Self::Vector, rows: Self::Vector, squares: Self::Vector) -> [Self::Vector; 2];
}
