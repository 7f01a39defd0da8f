//! Positions in their usual form, read without a branch that depends on the pieces on the board.
//!
//! A table says for each byte of the text what to store, and how far to move on in a row of 71 places. These are eight
//! ranks of eight squares, with a place for each of the seven slashes between them. A digit stores nothing and moves
//! on. After the last place, the slashes must be where they belong, and no square may hold a slash or any other byte
//! that is not a piece. Then the codes of the squares are turned into bitboards.

use super::castling::{self, Castling};
use super::fen::{self, FenRecord, en_passant, piece_of};
use super::planes::by_kind;
use super::{Color, Piece};
use crate::Square;
use crate::line::A_FILE;
use crate::table::table;

/// The code of a slash, and of a byte that does not belong to a board.
const SLASH: u8 = 0x10;
const OTHER: u8 = 0x20;
/// The code of a piece is its number, counted from 1, plus this value for black.
const BLACK: u8 = 0x08;

/// The places of a rank and its slash; the last rank has no slash.
const ROW: usize = 9;
const PLACES: usize = 8 * ROW - 1;

/// The number of bytes that are read between two tests for the end of the board.
const GROUP: usize = 4;

/// Where the code of each place is stored: the codes of a file are neighbours, the first rank first, and the slashes
/// follow the files. From there, the bits of a board are a few shifts away: see [`planes`].
const SLOTS: [u8; PLACES] = table!(place < PLACES => (8 * (place % ROW) + 7 - place / ROW) as u8);

/// By byte: what to store, and from bit 8 on, how far to move.
const STEPS: [u16; 256] = table!(byte < 256 => {
    let (code, by) = match (byte as u8, piece_of(byte as u8)) {
        (_, Some((color, piece))) => (piece as u8 + 1 + color as u8 * BLACK, 1),
        (b'/', _) => (SLASH, 1),
        (digit @ b'1'..=b'8', _) => (0, digit - b'0'),
        _ => (OTHER, 1),
    };
    code as u16 | (by as u16) << 8
});

/// Reads the position at the beginning of `text`, after blanks or none, and returns the number of bytes it takes; `None` if
/// there is no position, or if it is written in an unusual way.
#[inline(always)]
pub(super) fn read(text: &[u8]) -> Option<(FenRecord, usize)> {
    read_here(text).or_else(|| read_after_blanks(text))
}

#[cold]
#[inline(never)]
fn read_after_blanks(text: &[u8]) -> Option<(FenRecord, usize)> {
    let blanks = fen::blanks(text);
    let (record, length) = if blanks > 0 { read_here(&text[blanks..])? } else { return None };
    Some((record, blanks + length))
}

#[inline(always)]
fn read_here(text: &[u8]) -> Option<(FenRecord, usize)> {
    let mut padded = [b'\n'; PLACES];
    let window: &[u8; PLACES] = match text.first_chunk() {
        Some(window) => window,
        None => {
            padded[..text.len()].copy_from_slice(text);
            &padded
        }
    };
    let mut slots = [0; 256];
    let (mut place, mut at) = (0, 0);
    // Every byte moves on by at least one place, so no board is longer than the window.
    'board: for group in window.chunks(GROUP) {
        for &byte in group {
            if place >= PLACES {
                break 'board;
            }
            let step = STEPS[usize::from(byte)];
            slots[usize::from(SLOTS[place])] = step as u8;
            place += usize::from(step >> 8);
            at += 1;
        }
    }
    let (pieces, colors) = boards(&slots)?;
    let rest = text.get(at..)?;
    if place != PLACES {
        return None;
    }
    let (fields, length) = read_fields(rest, |text| text.starts_with(b" ").then_some(1)).or_else(|| fields(rest))?;
    let StateFields { side_to_move, castling, en_passant } = fields;
    Some((FenRecord { pieces, colors, side_to_move, castling, en_passant }, at + length))
}

/// The three fields after the board.
#[derive(Clone, Copy)]
pub(super) struct StateFields {
    pub side_to_move: Color,
    pub castling: Castling,
    pub en_passant: Option<Square>,
}

/// The fields, any number of blanks before each, and the number of bytes they take. The end of a line is no blank.
#[inline(never)]
pub(super) fn fields(text: &[u8]) -> Option<(StateFields, usize)> {
    read_fields(text, |text| {
        let blanks = fen::blanks(text);
        (blanks > 0).then_some(blanks)
    })
}

/// The fields, and the number of bytes they take. `blanks` finds how many bytes are before each.
#[inline(always)]
fn read_fields(text: &[u8], blanks: impl Fn(&[u8]) -> Option<usize>) -> Option<(StateFields, usize)> {
    let rest = &text[blanks(text)?..];
    let [side @ (b'w' | b'b'), ref rest @ ..] = *rest else { return None };
    let side_to_move = if side == b'b' { Color::Black } else { Color::White };
    let rest = &rest[blanks(rest)?..];
    let (castling, length) = read_castling(rest)?;
    let rest = &rest[length..];
    let rest = &rest[blanks(rest)?..];
    let (en_passant, length) = en_passant(rest)?;
    let rest = &rest[length..];
    let is_whole = rest.first().is_none_or(|&byte| byte == b';' || byte.is_ascii_whitespace());
    is_whole.then_some((StateFields { side_to_move, castling, en_passant }, text.len() - rest.len()))
}

/// The rights, and the number of bytes they take. Blanks must follow, which the caller checks.
#[inline(always)]
fn read_castling(text: &[u8]) -> Option<(Castling, usize)> {
    // The usual order, without a branch per letter; any of them may be missing.
    if let Some(usual) = text.first_chunk::<5>() {
        let (mut castling, mut length) = (0, 0);
        for letter in *b"KQkq" {
            let given = usual[length] == letter;
            castling |= if given { castling::BITS[usize::from(letter)] } else { 0 };
            length += usize::from(given);
        }
        length += usize::from(usual[0] == b'-');
        if length > 0 && usual[length] <= b' ' {
            return Some((Castling(castling), length));
        }
    }
    if text.starts_with(b"-") {
        return Some((Castling::NONE, 1));
    }
    let (mut castling, mut length) = (0, 0);
    loop {
        let byte = *text.get(length)?;
        if byte <= b' ' {
            return (castling != 0).then_some((Castling(castling), length));
        }
        let bit = castling::BITS[usize::from(byte)];
        if bit == 0 || castling & bit != 0 {
            return None;
        }
        castling |= bit;
        length += 1;
    }
}

type FastBoards = ([[u64; 6]; 2], [u64; 2]);

/// The bitboards of the codes, if everything is in its place and each colour has one king.
#[inline(always)]
fn boards(slots: &[u8; 256]) -> Option<FastBoards> {
    let words = slots.as_chunks().0;
    let (files, slashes): ([u64; 8], [u8; 8]) =
        (core::array::from_fn(|file| u64::from_le_bytes(words[file])), words[8]);
    let all = files.into_iter().fold(0, |all, codes| all | codes);
    if slashes != [0, SLASH, SLASH, SLASH, SLASH, SLASH, SLASH, SLASH] || all & (u64::from(SLASH | OTHER) * A_FILE) != 0
    {
        return None;
    }
    let [ones, twos, fours, black] = planes(files);
    let by_kind = by_kind([ones, twos, fours]);
    let pieces = [by_kind.map(|board| board & !black), by_kind.map(|board| board & black)];
    let one_king = |color: Color| pieces[color as usize][Piece::King as usize].is_power_of_two();
    let occupied = ones | twos | fours;
    (one_king(Color::White) && one_king(Color::Black)).then_some((pieces, [occupied & !black, occupied & black]))
}

/// Each bit of the codes as a bitboard. `files` holds one file per word, and one code of four bits per byte. Two files
/// are put into one word, one in the lower halves of the bytes and one in the upper halves.
#[inline(always)]
fn planes(files: [u64; 8]) -> [u64; 4] {
    let mut planes = [0; 4];
    for file in 0..4 {
        let codes = files[file] | files[file + 4] << 4;
        for (bit, plane) in planes.iter_mut().enumerate() {
            let bits = if bit < file { codes << (file - bit) } else { codes >> (bit - file) };
            *plane |= bits & ((0x11 * A_FILE) << file);
        }
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other reader would read these lines too, only more slowly, so nobody would notice if this one did not.
    #[test]
    fn a_position_in_its_usual_form_is_read_here_and_as_the_other_reader_does() {
        let boards = [
            "k7/8/8/8/8/8/8/7K",
            "4k2r/p1p1p1p1/1P1P1P1P/2n1B1q1/Q1b1N1R1/p6P/7r/KB5n",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/qrqrqrqr/bnbnbnbn/BNBNBNBN/QRQRQRQR/PPPPPPPP/RNBQKBNR", // as long as a board can be
        ];
        let usual_rights = (0..16).map(|subset| match subset {
            0 => "-".to_owned(),
            _ => "KQkq".char_indices().filter(|&(at, _)| subset >> at & 1 != 0).map(|(_, letter)| letter).collect(),
        });
        let rights: Vec<String> =
            usual_rights.chain(["H", "HAha", "qkQK", "KQHGFEDCBAkqhgfedcba"].map(String::from)).collect();
        let en_passant = ('a'..='h').flat_map(|file| [format!("{file}3"), format!("{file}6")]);
        let en_passant: Vec<String> = en_passant.chain(["-".to_owned()]).collect();
        let rest = ["w", "b"].into_iter().flat_map(|side| {
            let rights_and_en_passant = rights.iter().flat_map(|rights| en_passant.iter().map(move |it| (rights, it)));
            rights_and_en_passant.map(move |(rights, en_passant)| format!(" {side} {rights} {en_passant}"))
        });
        for (rest, board) in rest.flat_map(|rest| boards.map(|board| (rest.clone(), board))) {
            let fields = board.to_owned() + &rest;
            let expected = fen::read(fields.as_bytes()).expect("it is a position");
            for tail in ["", " ", ";", "; bm Nf6;\n", "\n", "\r\n", " 0 1\n", "\n8/8/8/8/8/8/8/8 w - -"] {
                let (record, length) = read(format!("{fields}{tail}").as_bytes()).expect("and a usual one");
                assert_eq!((record, length), (expected, fields.len()), "{fields:?}, then {tail:?}");
            }
        }
    }
}
