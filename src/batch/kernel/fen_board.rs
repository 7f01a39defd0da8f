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
//! Bytes after a rank in its lane have no file below 8, if the rank is right. So they need no mask. The byte after the
//! last rank is in its lane too, a blank. If the rank is too short, its slash has a file, and no code. If the rank ends
//! with a digit that is too large, a sum is above 8. If the rank is too long, bytes past the board have no file, and
//! fewer bytes than the board has are counted.

use crate::batch::text::TextBytes;
use crate::table::table;

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

// Tables for shuffles, which look up 16 bytes at a time.

/// Makes letters small. Digits and slashes remain as they are, and so do control characters if there are none.
pub(crate) const SMALL: u8 = 0x20;

/// The slot of a small letter or digit: its lower half, changed by the entry here for its upper half. Then no two of
/// the 14 share one.
pub(crate) const OF_UPPER: [u8; 16] = table!(half < 16 => match half { 6 => 2, 7 => 15, _ => 0 });

/// By slot: the byte that belongs there, and its code.
pub(crate) const SLOTS: ([u8; 16], [u8; 16]) = {
    let (mut bytes, mut codes) = ([0; 16], [0; 16]);
    let mut byte = SMALL;
    while byte < 128 {
        if let (Some(code), true) = (code(byte), byte & SMALL != 0) {
            let slot = ((byte ^ OF_UPPER[byte as usize >> 4]) & 15) as usize;
            assert!(bytes[slot] == 0, "two bytes share a slot");
            (bytes[slot], codes[slot]) = (byte, code);
        }
        byte += 1;
    }
    (bytes, codes)
};

/// By the number of a file, from 8 on because the smallest sum is 120.
pub(crate) const BITS: [u8; 16] = table!(at < 16 => if at < 8 { 0 } else { 1 << (at - 8) });

/// Where the bytes of the planes are, in 16 bytes with four ranks each: those of a plane side by side.
pub(crate) const BY_PLANE: [u8; 16] = table!(at < 16 => [0, 8, 4, 12][at % 4] + (at / 4) as u8);

/// The board at the beginning of a text.
pub(crate) struct FenBoard {
    /// The bits of the kinds of pieces, counted from 1, the lowest first; and the pieces of black.
    pub(crate) planes: [u64; 4],
    /// Where the board ends: the place of the space or tab after it, below 64.
    pub(crate) len: usize,
}

/// Reads a board. `None` if there is none, if it takes 64 bytes or more, or if the text has fewer than [`FEWEST`].
#[inline(always)]
pub(crate) fn board(simd: impl TextBytes, text: &[u8]) -> Option<FenBoard> {
    if text.len() < FEWEST {
        return None;
    }
    let start = simd.start(text);
    // So no byte of the board is a control character, which the folding of letters relies on.
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
    // Not a control character, which folding may have made a digit of the last rank. And among the first 64 bytes: with
    // AVX-512, the lane of the last rank would otherwise end with the beginning of the text.
    let is_blank = blanks != 0 && matches!(text.get(len), Some(b' ' | b'\t'));
    let is_right = simd.all_right(files, sums, known) & (64 - past + 7 == len) & (slashes.count_ones() == 7) & is_blank;
    is_right.then_some(FenBoard { planes, len })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::batch::text::TextTask;

    /// The operations on plain arrays, as a model for those of the backends: rank 8 first, in the order of the text.
    #[derive(Clone, Copy)]
    struct Model;

    impl TextBytes for Model {
        type Start = [u8; 64];
        type Ranks = [[u8; 8]; 8];

        fn start(self, text: &[u8]) -> [u8; 64] {
            core::array::from_fn(|at| text.get(at).copied().unwrap_or(!0))
        }
        fn at_most(self, start: [u8; 64], most: u8) -> u64 {
            (0..64).map(|at| u64::from(start[at] <= most) << at).sum()
        }
        fn equal(self, start: [u8; 64], byte: u8) -> u64 {
            (0..64).map(|at| u64::from(start[at] == byte) << at).sum()
        }
        fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize {
            text[board..].iter().position(|&byte| byte <= most).map_or(128, |at| board + at)
        }
        fn ranks(self, text: &[u8], _: [u8; 64], slashes: u64) -> [[u8; 8]; 8] {
            let mut starts = (0..64).filter(|at| slashes >> at & 1 != 0).map(|at| at + 1);
            core::array::from_fn(|rank| {
                let start = if rank == 0 { 0 } else { starts.next().unwrap_or(64) };
                core::array::from_fn(|at| text.get(start + at).copied().unwrap_or(0))
            })
        }
        fn codes(self, ranks: [[u8; 8]; 8]) -> ([[u8; 8]; 8], [[u8; 8]; 8]) {
            let codes = ranks.map(|rank| rank.map(|byte| code(byte).unwrap_or(0)));
            (codes, ranks.map(|rank| rank.map(|byte| u8::from(code(byte).is_some()))))
        }
        fn and(self, a: [[u8; 8]; 8], b: u8) -> [[u8; 8]; 8] {
            a.map(|rank| rank.map(|byte| byte & b))
        }
        fn sub(self, a: [[u8; 8]; 8], b: [[u8; 8]; 8]) -> [[u8; 8]; 8] {
            core::array::from_fn(|rank| core::array::from_fn(|at| a[rank][at].wrapping_sub(b[rank][at])))
        }
        fn sums(self, a: [[u8; 8]; 8], first: u8) -> [[u8; 8]; 8] {
            a.map(|rank| core::array::from_fn(|at| rank[..=at].iter().fold(first, |sum, &byte| sum.wrapping_add(byte))))
        }
        fn high(self, a: [[u8; 8]; 8]) -> u64 {
            a.as_flattened().iter().enumerate().map(|(at, byte)| u64::from(byte >> 7) << at).sum()
        }
        fn all_right(self, places: [[u8; 8]; 8], sums: [[u8; 8]; 8], known: [[u8; 8]; 8]) -> bool {
            let bytes = places.as_flattened().iter().zip(sums.as_flattened()).zip(known.as_flattened());
            bytes.into_iter().all(|((&place, &sum), &known)| place >= 128 || known != 0 && sum <= 128)
        }
        fn bits(self, a: [[u8; 8]; 8]) -> [[u8; 8]; 8] {
            a.map(|rank| rank.map(|byte| if byte < 128 { 1 << (byte % 8) } else { 0 }))
        }
        fn planes(self, bits: [[u8; 8]; 8], codes: [[u8; 8]; 8], ranks: [[u8; 8]; 8]) -> [u64; 4] {
            core::array::from_fn(|plane| {
                let of_rank = |rank: usize| {
                    let has = |at: usize| match plane {
                        3 => ranks[rank][at].is_ascii_lowercase(),
                        _ => codes[rank][at] >> (KIND as usize + plane) & 1 != 0,
                    };
                    (0..8).filter(|&at| has(at)).fold(0, |all, at| all | bits[rank][at])
                };
                u64::from_be_bytes(core::array::from_fn(of_rank))
            })
        }
    }

    struct Read<'a>(&'a [u8]);

    impl TextTask for Read<'_> {
        type Output = Option<([u64; 4], usize)>;

        #[inline(always)]
        fn perform(self, simd: impl TextBytes) -> Option<([u64; 4], usize)> {
            board(simd, self.0).map(|board| (board.planes, board.len))
        }
    }

    /// Compares all backends with the model, and returns their result.
    fn read(text: &[u8]) -> Option<([u64; 4], usize)> {
        let expected = Read(text).perform(Model);
        for backend in Backend::available() {
            if let Ok(found) = backend.read(Read(text)) {
                assert_eq!(found, expected, "{backend}: {:?}", String::from_utf8_lossy(text));
            }
        }
        expected
    }

    #[test]
    fn the_planes_of_a_board_are_its_pieces() {
        let ([ones, twos, fours, black], len) =
            read(b"r3k2r/8/8/3q4/4N3/8/6B1/2P1K3 w kq - 0 1").expect("it is a board");
        let squares =
            |names: &[&str]| names.iter().map(|name| name.parse::<crate::Square>().unwrap().bitboard()).sum::<u64>();
        // Pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6.
        assert_eq!((len, ones), (29, squares(&["c1", "g2", "d5"])));
        assert_eq!(twos, squares(&["e4", "g2", "e1", "e8"]));
        assert_eq!(fours, squares(&["a8", "h8", "d5", "e1", "e8"]));
        assert_eq!(black, squares(&["a8", "h8", "d5", "e8"]));
    }

    /// A lane of AVX-512 ends with the beginning of the text, if the text goes on after 64 bytes.
    #[test]
    fn ranks_that_are_too_long_and_too_short_are_wrong_together() {
        let wrong: [&[u8]; 2] = [
            b"rnbqkbnr/ppppppppp/pppppppp/PPPPPPPP/PPPPPPPP/NNNNNNNN/8/RNBQKBN w KQkq - 0 1",
            b"rnbqrbnr/ppppkppp/PPPPKPPP/pppppppp/pppppppp/pppppppp/8XXXXXXXX/ w - - 0 1",
        ];
        for text in wrong {
            assert_eq!(read(text), None);
        }
        // One rank is too long by some letters, another too short by as many, and others make the board as long as wanted.
        for (long, short) in (0..8).flat_map(|long| (0..8).map(move |short| (long, short))).filter(|(a, b)| a != b) {
            for by in 1..=4 {
                for digits in 0..=4 {
                    let mut text = Vec::new();
                    for rank in 0..8 {
                        let letters = if rank == long {
                            8 + by
                        } else if rank == short {
                            8 - by
                        } else {
                            8
                        };
                        let is_short = (0..digits).any(|at| (long + 1 + at) % 8 == rank && rank != short);
                        if is_short {
                            text.push(b'8')
                        } else {
                            text.extend(vec![b'p'; letters])
                        }
                        text.push(if rank < 7 { b'/' } else { b' ' });
                    }
                    text.extend_from_slice(b"w KQkq - 0 1");
                    assert_eq!(read(&text), None, "{}", String::from_utf8_lossy(&text));
                    let window: Vec<u8> = text.iter().copied().chain([b'\n'; 128]).take(128).collect();
                    assert_eq!(read(&window), None);
                }
            }
        }
    }

    /// Boards of all kinds of ranks, cut, changed and lengthened; most are wrong.
    #[test]
    fn every_text_is_read_as_the_model_reads_it() {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            (state >> 33) as usize % below
        };
        let mut right = 0;
        for _ in 0..if cfg!(debug_assertions) { 5_000 } else { 60_000 } {
            let mut text = Vec::new();
            for rank in 0..8 {
                let mut files = 0;
                while files < 8 {
                    let most = 8 - files;
                    let by = if random(3) == 0 { 1 + random(most) } else { 1 };
                    text.push(if by > 1 { b'0' + by as u8 } else { b"PNBRQKpnbrqk1"[random(13)] });
                    files += by;
                }
                text.push(if rank < 7 { b'/' } else { b' ' });
            }
            text.extend_from_slice(&b"w KQkq - 0 1; and more of it, for all of the window"[..6 + random(46)]);
            for _ in 0..random(3) {
                let at = random(text.len());
                let byte = if random(2) == 0 { b"PNBRQKpnbrqk123456789/ "[random(23)] } else { random(256) as u8 };
                match random(3) {
                    0 => text[at] = byte,
                    1 => text.insert(at, byte),
                    _ => _ = text.remove(at),
                }
            }
            right += usize::from(read(&text).is_some());
            let window: Vec<u8> = text.iter().copied().chain([b'\n'; 128]).take(128).collect();
            read(&window);
        }
        assert!(right > 1_000, "{right}");
    }
}
