//! FEN and EPD, read byte by byte: the definition of valid lines, and the errors of all others.
//!
//! The other readers, [`fast`](super::fast) and [`vector`](super::vector), accept only lines that this one accepts, with the
//! same result. They leave lines that they do not recognise to this one.

use core::ops::Range;

use super::castling::{self, Castling};
use super::error::Expected;
use super::{Color, FenError, Piece};
use crate::Square;
use crate::line::A_FILE;

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FenRecord {
    pub pieces: [[u64; 6]; 2],
    pub colors: [u64; 2],
    pub side_to_move: Color,
    pub castling: Castling,
    pub en_passant: Option<Square>,
}

impl FenRecord {
    /// The pieces of white, those of black, all of white, all of black, all.
    #[inline(always)]
    pub fn boards(&self) -> [u64; 15] {
        let [[p, n, b, r, q, k], [bp, bn, bb, br, bq, bk]] = self.pieces;
        let [white, black] = self.colors;
        [p, n, b, r, q, k, bp, bn, bb, br, bq, bk, white, black, white | black]
    }
}

/// Reads the first four fields of a line.
pub(super) fn read(line: &[u8]) -> Result<FenRecord, FenError> {
    let mut fields = FenFields { line, at: 0 };
    let pieces = board(line, fields.next())?;

    let field = fields.next();
    let side_to_move = match line[field.clone()] {
        [b'w'] => Color::White,
        [b'b'] => Color::Black,
        // If the first letter is right, the second one is wrong.
        [b'w' | b'b', _, ..] => return Err(error(line, field.start + 1, Expected::SideToMove)),
        _ => return Err(error(line, field.start, Expected::SideToMove)),
    };

    let field = fields.next();
    let castling = castling::read(&line[field.clone()]);
    let castling = castling.map_err(|at| error(line, field.start + at, Expected::Castling))?;

    let field = fields.next();
    let Some((en_passant, length)) = en_passant(&line[field.clone()]) else {
        return Err(error(line, field.start, Expected::EnPassant));
    };
    // A semicolon ends this field too.
    let end = field.start + length;
    if !matches!(line[end..field.end], [] | [b';', ..]) {
        return Err(error(line, end, Expected::EnPassant));
    }
    let colors = pieces.map(|pieces| pieces.into_iter().fold(0, |all, board| all | board));
    Ok(FenRecord { pieces, colors, side_to_move, castling, en_passant })
}

/// The en passant square at the beginning of a text, if there is one or a `-`, and the number of bytes it takes.
#[inline(always)]
pub(super) fn en_passant(text: &[u8]) -> Option<(Option<Square>, usize)> {
    match *text {
        [b'-', ..] => Some((None, 1)),
        [file @ b'a'..=b'h', rank @ (b'3' | b'6'), ..] => Some((Square::from_file_rank(file - b'a', rank - b'1'), 2)),
        _ => None,
    }
}

/// Reads the board, which is the text in the range `field`.
fn board(line: &[u8], field: Range<usize>) -> Result<[[u64; 6]; 2], FenError> {
    if field.is_empty() {
        return Err(error(line, field.start, Expected::Position));
    }
    let mut pieces = [[0; 6]; 2];
    // The rank counts down to 1.
    let (mut rank, mut files) = (8, 0);
    for at in field.clone() {
        match line[at] {
            digit @ b'1'..=b'8' => files += usize::from(digit - b'0'),
            b'/' => {
                if files != 8 {
                    return Err(error(line, at, Expected::EightFiles { rank, files }));
                }
                if rank == 1 {
                    let ranks = 1 + line[field].iter().filter(|&&byte| byte == b'/').count();
                    return Err(error(line, at, Expected::EightRanks { ranks }));
                }
                (rank, files) = (rank - 1, 0);
            }
            b'[' => return Err(error(line, at, Expected::NoPocket)),
            letter => {
                let Some((color, piece)) = piece_of(letter) else {
                    return Err(error(line, at, Expected::PieceOrNumber { rank }));
                };
                if let Ok(Some(square)) = u8::try_from(files).map(|file| Square::from_file_rank(file, rank - 1)) {
                    pieces[color as usize][piece as usize] |= square.bitboard();
                }
                files += 1;
            }
        }
    }
    if files != 8 {
        return Err(error(line, field.end, Expected::EightFiles { rank, files }));
    }
    if rank != 1 {
        return Err(error(line, field.end, Expected::EightRanks { ranks: 9 - usize::from(rank) }));
    }
    for color in Color::ALL {
        let kings = pieces[color as usize][Piece::King as usize].count_ones();
        if kings != 1 {
            return Err(error(line, field.start, Expected::OneKing { color, kings }));
        }
    }
    Ok(pieces)
}

/// The piece that this letter stands for.
pub(super) const fn piece_of(letter: u8) -> Option<(Color, Piece)> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let piece = match letter.to_ascii_lowercase() {
        b'p' => Piece::Pawn,
        b'n' => Piece::Knight,
        b'b' => Piece::Bishop,
        b'r' => Piece::Rook,
        b'q' => Piece::Queen,
        b'k' => Piece::King,
        _ => return None,
    };
    Some((color, piece))
}

fn error(line: &[u8], at: usize, expected: Expected) -> FenError {
    FenError { column: at + 1, expected, found: line.get(at).copied() }
}

/// The fields of a line, separated by white space.
struct FenFields<'a> {
    line: &'a [u8],
    at: usize,
}

impl FenFields<'_> {
    /// The range of the next field; an empty range at the end of the line if there is none.
    fn next(&mut self) -> Range<usize> {
        let skip = |from: usize, is_part: fn(&u8) -> bool| {
            from + self.line[from..].iter().position(|byte| !is_part(byte)).unwrap_or(self.line.len() - from)
        };
        let start = skip(self.at, u8::is_ascii_whitespace);
        self.at = skip(start, |byte| !byte.is_ascii_whitespace());
        start..self.at
    }
}

/// The range of the end of the first line of `text`: LF, CR LF, CR or nothing. The search begins at byte `from`.
#[inline]
pub(super) fn end_of_line(text: &[u8], from: usize) -> Range<usize> {
    let rest = &text[from..];
    let Some(at) = near_end(rest).or_else(|| memchr::memchr2(b'\n', b'\r', rest)).map(|at| from + at) else {
        return text.len()..text.len();
    };
    at..at + if text[at..].starts_with(b"\r\n") { 2 } else { 1 }
}

/// How many bytes of blanks, without line ends, are at the beginning of a text.
#[inline]
pub(super) fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_blank(byte)).count()
}

/// Whether a byte is white space within a line.
#[inline]
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c')
}

/// The beginning of the line, if only blanks stand between it and this place.
pub(super) fn line_start(text: &[u8], at: usize) -> usize {
    at - text[..at].iter().rev().take_while(|byte| is_blank(byte)).count()
}

/// How many bytes the blank lines and comments at the beginning of a text take, with their ends, and the blanks after them.
#[inline]
pub(super) fn skipped(text: &[u8]) -> (usize, usize) {
    let mut at = 0;
    while let Some(blanks) = text[at..].iter().position(|byte| !is_blank(byte)) {
        match text[at + blanks] {
            b'\n' | b'\r' => at += blanks + 1,
            b'#' => at = end_of_line(text, at + blanks).end,
            _ => return (at, blanks),
        }
    }
    (text.len(), 0)
}

/// How many lines a text has. The last one may have no end.
pub(super) fn count_lines(text: &[u8]) -> usize {
    let lone = |&at: &usize| text.get(at + 1) != Some(&b'\n');
    let ends = memchr::memchr_iter(b'\n', text).count() + memchr::memchr_iter(b'\r', text).filter(lone).count();
    ends + usize::from(!matches!(text.last(), None | Some(b'\n' | b'\r')))
}

/// How many bytes the lines at the beginning of a text take whose ends are certain, whatever follows.
pub(super) fn whole_lines(text: &[u8]) -> usize {
    // A CR at the end may be half of a line end.
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    memchr::memrchr2(b'\n', b'\r', text).map_or(0, |end| end + 1)
}

/// The first LF or CR among the next eight bytes. It is usually there, after the two counters of FEN, and this is
/// faster than a call of `memchr`.
#[inline]
fn near_end(rest: &[u8]) -> Option<usize> {
    let bytes = u64::from_le_bytes(*rest.first_chunk()?);
    // Sets the highest bit of the first byte that is zero, and perhaps of some bytes after it. `A_FILE` is a one in each.
    let zero = |bytes: u64| bytes.wrapping_sub(A_FILE) & !bytes & (0x80 * A_FILE);
    let ends = zero(bytes ^ (u64::from(b'\n') * A_FILE)) | zero(bytes ^ (u64::from(b'\r') * A_FILE));
    (ends != 0).then_some(ends.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_near_end_of_a_line_is_the_first_lf_or_cr_among_any_bytes() {
        for filler in (0..=255).filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            assert_eq!(near_end(&[filler; 12]), None, "{filler:#04x}");
            for first in 0..8 {
                for (end, later) in [(b'\n', b'\r'), (b'\r', b'\n'), (b'\n', b'\n'), (b'\r', filler)] {
                    let mut text = [filler; 8];
                    text[first..].fill(later);
                    text[first] = end;
                    assert_eq!(near_end(&text), Some(first), "{text:?}");
                    assert_eq!(near_end(&text[1..]), None, "seven bytes are not looked at");
                }
            }
        }
    }
}
