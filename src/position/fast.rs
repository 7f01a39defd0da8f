//! The same positions in their usual form, read without a branch that depends on what stands on the board.
//!
//! Every byte of the board is looked up in a table that tells what to store and how far to move on in a row of 71
//! squares: eight ranks of eight, and between them a place for each of the seven slashes. A digit stores nothing and
//! moves on. When all 71 are passed, the slashes must be where they belong, and no square may hold a slash or a byte
//! that has no business there. Then the codes of the squares are turned into bitboards.

use super::castling::{self, Castling};
use super::fen::{Record, piece_of};
use super::{Color, Piece};
use crate::Square;

/// What is stored for a slash, and for a byte that is not one of a board.
const SLASH: u8 = 0x10;
const OTHER: u8 = 0x20;
/// What is stored for a piece is its number from 1, and this for black.
const BLACK: u8 = 0x08;

/// A row of places: eight for a rank, one for a slash.
const ROW: usize = 9;
const PLACES: usize = 8 * ROW - 1;

/// For each byte, what to store, and from bit 8 on how far to move.
const STEPS: [u16; 256] = {
    let mut steps = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (code, by) = match (byte as u8, piece_of(byte as u8)) {
            (_, Some((color, piece))) => (piece as u8 + 1 + color as u8 * BLACK, 1),
            (b'/', _) => (SLASH, 1),
            (digit @ b'1'..=b'8', _) => (0, digit - b'0'),
            _ => (OTHER, 1),
        };
        steps[byte] = code as u16 | (by as u16) << 8;
        byte += 1;
    }
    steps
};

/// Reads the position that `text` begins with, and tells how many bytes it takes; `None` if there is none, or if it is
/// written in an unusual way.
#[inline]
pub(super) fn read(text: &[u8]) -> Option<(Record, usize)> {
    let mut places = [0; PLACES + 1];
    let (mut place, mut at) = (0, 0);
    while place < PLACES {
        let step = STEPS[usize::from(*text.get(at)?)];
        places[place] = step as u8;
        place += usize::from(step >> 8);
        at += 1;
    }
    let (pieces, colors) = boards(&places)?;
    let byte = |at: usize| text.get(at).copied().unwrap_or(b'\n');
    let side_to_move = match byte(at + 1) {
        b'w' => Color::White,
        b'b' => Color::Black,
        _ => return None,
    };
    if place != PLACES || byte(at) != b' ' || byte(at + 2) != b' ' {
        return None;
    }
    at += 3;
    let (castling, length) = read_castling(|offset| byte(at + offset))?;
    at += length + 1;
    let en_passant = match (byte(at), byte(at + 1)) {
        (b'-', _) => None,
        (file @ b'a'..=b'h', rank @ (b'3' | b'6')) => Square::from_file_rank(file - b'a', rank - b'1'),
        _ => return None,
    };
    at += 1 + usize::from(en_passant.is_some());
    byte(at).is_ascii_whitespace().then_some((Record { pieces, colors, side_to_move, castling, en_passant }, at))
}

/// The rights, and how many letters they take; a space follows.
#[inline]
fn read_castling(byte: impl Fn(usize) -> u8) -> Option<(Castling, usize)> {
    if byte(0) == b'-' && byte(1) == b' ' {
        return Some((Castling::NONE, 1));
    }
    let (mut castling, mut length) = (0, 0);
    while byte(length) != b' ' {
        let bit = castling::BITS[usize::from(byte(length))];
        if bit == 0 || castling & bit != 0 {
            return None;
        }
        castling |= bit;
        length += 1;
    }
    (length > 0).then_some((Castling(castling), length))
}

type Boards = ([[u64; 6]; 2], [u64; 2]);

/// The bitboards of the codes, if all is in its place and there is one king of each colour.
#[inline]
fn boards(places: &[u8; PLACES + 1]) -> Option<Boards> {
    let mut all = 0;
    let mut planes = [0_u64; 4];
    for row in places.as_chunks::<ROW>().0 {
        let codes = u64::from_le_bytes(*row.first_chunk().expect("a row has nine places"));
        all |= codes;
        for (bit, plane) in planes.iter_mut().enumerate() {
            // One bit of each code, collected in the topmost byte: no two products meet in a bit.
            let bits = (codes >> bit & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *plane = *plane << 8 | bits;
        }
    }
    let mut slashes = SLASH;
    for rank in 1..8 {
        slashes &= places[ROW * rank - 1];
    }
    if slashes != SLASH || all & (u64::from(SLASH | OTHER) * 0x0101_0101_0101_0101) != 0 {
        return None;
    }
    let [ones, twos, fours, black] = planes;
    let by_piece =
        [ones & !twos & !fours, twos & !ones & !fours, ones & twos, fours & !ones & !twos, fours & ones, fours & twos];
    let pieces = [by_piece.map(|board| board & !black), by_piece.map(|board| board & black)];
    let one_king = |color: Color| pieces[color as usize][Piece::King as usize].is_power_of_two();
    let occupied = ones | twos | fours;
    (one_king(Color::White) && one_king(Color::Black)).then_some((pieces, [occupied & !black, occupied & black]))
}
