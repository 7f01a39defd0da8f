//! The board of a line of FEN as four bitboards, all ranks at once.
//!
//! Each rank goes to a 64-bit lane, eight bytes of text. A table gives the *code* of each byte: the number of squares that
//! it takes, and for a letter the piece. The sum of the squares to the left of a byte is its file. So a letter becomes one bit
//! of its rank; and the union of these bits, over the letters whose code has a certain bit, is a byte of a bitboard:
//!
//! ```text
//! text      2  P  1  b  3  /  .  .      . is the next rank
//! squares   2  1  1  1  3
//! sums      2  3  4  5  8  .  .  .
//! file      0  2  3  4  5 (8)           the sum without the byte's own squares: 8 is past the board
//! bit             4     16              of the letters
//! ```
//!
//! What follows a rank in its lane has no file below 8, if the rank is right. So nothing masks it. If the rank is too short,
//! its slash has a file, and no code. If the rank ends with a digit that is too large, a sum is above 8. If the rank is too
//! long, what is past the board has no file, and fewer bytes than the board has are counted.

use crate::batch::simd::Text;

/// The fewest bytes that a board is looked for in.
pub(crate) const FEWEST: usize = 32;

/// The squares that a byte takes are the lower four bits of its code.
const SQUARES: u8 = 0x0f;
/// The kind of a piece, counted from 1, begins at this bit of its code. There are three bits.
pub(crate) const KIND: u32 = 4;
/// The sum at the first square of a rank: files past the board, from 8 on, are 128 and more.
const FIRST: u8 = 0x80 - 8;

/// The letters of white, in the order of their kinds.
const LETTERS: [u8; 6] = *b"PNBRQK";

/// The code of a byte of text, in either case; `None` if it is neither a letter of a piece nor a digit from 1 to 8.
pub(crate) const fn code(byte: u8) -> Option<u8> {
    if matches!(byte, b'1'..=b'8') {
        return Some(byte - b'0');
    }
    let mut kind = 0;
    while kind < LETTERS.len() {
        if byte.to_ascii_uppercase() == LETTERS[kind] {
            return Some(1 | (kind as u8 + 1) << KIND);
        }
        kind += 1;
    }
    None
}

/// The board at the beginning of a text.
pub(crate) struct Board {
    /// The bits of the kinds of pieces, counted from 1, the lowest first; and the pieces of black.
    pub(crate) planes: [u64; 4],
    /// Where the board ends: the place of a blank or control character, below 64.
    pub(crate) len: usize,
}

/// Reads a board. `None` if there is none, if it takes 64 bytes or more, or if the text has fewer than [`FEWEST`].
#[inline(always)]
pub(crate) fn board(simd: impl Text, text: &[u8]) -> Option<Board> {
    if text.len() < FEWEST {
        return None;
    }
    let start = simd.start(text);
    // No byte of the board is a control character, which the folding of letters relies on.
    let blanks = simd.at_most(start, b' ');
    let len = blanks.trailing_zeros() as usize;
    let slashes = simd.equal(start, b'/') & !blanks & blanks.wrapping_sub(1);
    let ranks = simd.ranks(text, start, slashes);
    let (codes, known) = simd.codes(ranks);
    let squares = simd.and(codes, SQUARES);
    let sums = simd.sums(squares, FIRST);
    let files = simd.sub(sums, squares);
    let planes = simd.planes(simd.bits(files), codes, ranks);
    let past = simd.high(files).count_ones() as usize;
    let is_right =
        simd.all_right(files, sums, known) & (64 - past + 7 == len) & (slashes.count_ones() == 7) & (blanks != 0);
    is_right.then_some(Board { planes, len })
}
