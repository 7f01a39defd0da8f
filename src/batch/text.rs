//! The operations that [readers of text](super::kernel::fen_board) are written over, and how their work reaches a backend.
//!
//! As for kernels, all methods of an implementation are `#[inline(always)]`.

/// The text of a board in FEN as vectors: 64 bytes as they lie in memory, or its *ranks*, eight 64-bit lanes.
///
/// The lane of a rank has eight bytes of the text, from its first byte on. If the rank is shorter, the slash or blank
/// after it and what follows stand there as well. The order of the lanes is up to the implementation.
pub(crate) trait TextBytes: Copy {
    /// The first 64 bytes of a text, or as many as there are.
    type Start: Copy;
    /// Eight lanes of eight bytes: one vector, or several.
    type Ranks: Copy;

    /// Loads the first bytes of a text of 32 bytes or more. With less than 64, the halves overlap; on AVX-512, a mask
    /// leaves out missing bytes.
    fn start(self, text: &[u8]) -> Self::Start;
    /// The bytes that are at most `most`: bit *i* for byte *i*. `vpminub`, `vpcmpeqb` and `vpmovmskb` for each half; on
    /// AVX-512 `vpcmpub`.
    fn at_most(self, start: Self::Start, most: u8) -> u64;
    /// The bytes that are `byte`. `vpcmpeqb` and `vpmovmskb` for each half; on AVX-512 `vpcmpeqb`.
    fn equal(self, start: Self::Start, byte: u8) -> u64;
    /// The place of the first byte that is at most `most`, after a board of this length, which has no such byte and is 64 bytes
    /// long at most. If no such byte is among the 64 after the board, the result is `board + 64` or more.
    ///
    /// Where the next line begins depends on it. On AVX-512, the loop over lines waits for this chain, so there it does
    /// not wait for the length.
    fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize;
    /// The ranks of a board at the beginning of `text`, which has seven slashes, at these places. `start` is the same text.
    /// Eight loads; on AVX-512 `vpcompressb` and `vpermb`.
    fn ranks(self, text: &[u8], start: Self::Start, slashes: u64) -> Self::Ranks;
    /// The meaning of each byte: its [`code`](super::kernel::fen_board::code), or anything if it has none; and
    /// something that lets [`all_right`](TextBytes::all_right) see which bytes have one. Shuffles as tables; on AVX-512
    /// `vpermi2b`.
    fn codes(self, ranks: Self::Ranks) -> (Self::Ranks, Self::Ranks);
    /// `a & b` for each byte of the ranks.
    fn and(self, a: Self::Ranks, b: u8) -> Self::Ranks;
    /// `a - b` for each byte.
    fn sub(self, a: Self::Ranks, b: Self::Ranks) -> Self::Ranks;
    /// `first`, and the sum of the bytes of the lane up to and including this one. Three shifts, four additions.
    fn sums(self, a: Self::Ranks, first: u8) -> Self::Ranks;
    /// The bytes that are 128 or more, in any order. `vpmovmskb`; on AVX-512 `vpmovb2m`.
    fn high(self, a: Self::Ranks) -> u64;
    /// Whether each byte whose place is below 128 has a code, and a sum of at most 128. `known` comes from `codes`.
    fn all_right(self, places: Self::Ranks, sums: Self::Ranks, known: Self::Ranks) -> bool;
    /// `1 << a % 8` where `a` is below 128, else zero. `vpshufb`.
    fn bits(self, a: Self::Ranks) -> Self::Ranks;
    /// The bitboards of the three bits of a kind, and of the colour: bit by bit, the union of `bits` over the bytes whose
    /// code has it. `vpsignb` and `vpsadbw`; with GFNI, two transpositions and a product.
    fn planes(self, bits: Self::Ranks, codes: Self::Ranks, ranks: Self::Ranks) -> [u64; 4];
}

/// Work to do on text.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables the
/// instructions.
pub(crate) trait TextTask {
    /// The result of the work.
    type Output;
    /// Does the work.
    fn perform(self, simd: impl TextBytes) -> Self::Output;
}

/// Where the ranks begin, rank 8 first: at 0, and after each slash.
#[inline(always)]
pub(crate) fn starts(mut slashes: u64) -> [usize; 8] {
    let mut starts = [0; 8];
    for start in &mut starts[1..] {
        *start = slashes.trailing_zeros() as usize + 1;
        slashes &= slashes.wrapping_sub(1);
    }
    starts
}

/// The eight bytes from a place on. Bytes past the end are zero.
#[inline(always)]
pub(crate) fn eight(text: &[u8], start: usize) -> i64 {
    let from = start.min(text.len() - 8);
    let bytes = u64::from_le_bytes(*text[from..].first_chunk().expect("eight bytes"));
    (bytes >> (8 * (start - from) % 64)) as i64
}
