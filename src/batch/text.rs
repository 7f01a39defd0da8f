//! The operations that [readers](super::kernel::fen_board) and writers of text are written over, and how their work reaches a backend.
//!
//! As for kernels, all methods of an implementation are `#[inline(always)]`.

use super::lists::{FILES, OneByOne};
use crate::table::table;

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

/// How many bytes a writer may overwrite: a board has at most 71, and vectors are stored from their beginning.
pub(crate) const BOARD_ROOM: usize = 128;

/// By the number of a piece, and from 8 on those of black: the letter in FEN.
pub(crate) const LETTERS: [u8; 16] = *b"\0PNBRQK\0\0pnbrqk\0";

/// Boards as text.
pub(crate) trait BoardText: Copy {
    /// Writes a board in FEN, and returns its length. What follows may be overwritten. `planes` are the bits of the numbers of the
    /// pieces, from 1 to 6, and the pieces of black.
    fn board(self, planes: [u64; 4], out: &mut [u8; BOARD_ROOM]) -> usize;
}

/// Work to do with boards as text, as for a [`TextTask`].
pub(crate) trait BoardTextTask {
    /// Does the work.
    fn perform(self, simd: impl BoardText);
}

/// The bytes of a rank that are written, as bits: the letter of each piece, and a digit where a run of empty squares ends. These are the
/// pieces, the squares before them, and the last square.
#[inline(always)]
pub(crate) fn written(occupied: u64) -> u64 {
    occupied | occupied >> 1 | 0x8080_8080_8080_8080
}

impl<const SHIFTS_WORDS: bool> BoardText for OneByOne<SHIFTS_WORDS> {
    /// Rank by rank, by tables: no branch depends on the board.
    #[inline(always)]
    fn board(self, planes: [u64; 4], out: &mut [u8; BOARD_ROOM]) -> usize {
        let [ones, twos, fours, black] = planes.map(u64::to_be_bytes);
        let mut at = 0;
        for rank in 0..8 {
            let bits = |plane: [u8; 8]| SPREAD[usize::from(plane[rank])];
            let pieces = bits(ones) | bits(twos) << 1 | bits(fours) << 2 | bits(black) << 3;
            let occupied = ones[rank] | twos[rank] | fours[rank];
            let digits = DIGITS[usize::from(occupied)];
            let written = written(u64::from(occupied)) as u8;
            let text = pieces.to_le_bytes().map(|piece| LETTERS[usize::from(piece % 16)]);
            let text = [0, 1, 2, 3, 4, 5, 6, 7].map(|file| text[file] | digits[file]);
            let out: &mut [u8; 9] = out[at..].first_chunk_mut().expect("earlier ranks have nine bytes at most");
            for (out, &file) in out.iter_mut().zip(&FILES[usize::from(written)]) {
                *out = text[usize::from(file % 8)];
            }
            at += written.count_ones() as usize;
            out[written.count_ones() as usize % 9] = b'/';
            at += 1;
        }
        at - 1
    }
}

/// By the bits of a byte: each in a byte of its own.
static SPREAD: [u64; 256] = table!(bits < 256 => {
    let (mut bytes, mut bit) = ([0; 8], 0);
    while bit < 8 {
        bytes[bit] = (bits >> bit) as u8 & 1;
        bit += 1;
    }
    u64::from_le_bytes(bytes)
});

/// By the pieces of a rank: for each empty square, how many there are from the last piece up to it, as a digit.
static DIGITS: [[u8; 8]; 256] = table!(pieces < 256 => {
    let (mut digits, mut empty, mut file) = ([0; 8], 0, 0);
    while file < 8 {
        empty = if pieces >> file & 1 == 0 { empty + 1 } else { 0 };
        digits[file] = if empty > 0 { b'0' + empty } else { 0 };
        file += 1;
    }
    digits
});

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
