//! Moves as text: SAN, long algebraic notation, and UCI.
//!
//! A move is found from where it goes to: the squares from which a piece of its kind reaches that square, less those
//! that the text rules out. There is no list of legal moves. The remaining candidate is played, and refused if its own
//! king is attacked.

use slider_attacks::Square;
use slider_attacks::position::Piece;

use crate::board::{Board, KING_CODE, PAWN_CODE, first, rank};
use crate::leapers::{BETWEEN, SOURCES};
use crate::moves::{Move, MoveError, MoveKind};
use crate::tags::blank;

/// The number of castling, among those of pieces.
const CASTLING: u8 = 7;

/// By the first byte: the number of the piece; 0 if the move is unusual.
pub(crate) static CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut file = b'a';
    while file <= b'h' {
        codes[file as usize] = PAWN_CODE;
        file += 1;
    }
    let mut code = 0;
    while code < 5 {
        codes[b"NBRQK"[code] as usize] = code as u8 + 2;
        code += 1;
    }
    codes[b'O' as usize] = CASTLING;
    codes
};

/// By byte: the origin squares that it leaves, as part of a move.
static LEFT: [u64; 256] = {
    let mut left = [0; 256];
    let mut at = 0;
    while at < 8 {
        left[b'a' as usize + at] = 0x0101_0101_0101_0101 << at;
        left[b'1' as usize + at] = 0xff << (8 * at);
        at += 1;
    }
    left[b'x' as usize] = !0;
    left[b':' as usize] = !0;
    left[b'-' as usize] = !0;
    // There is no more.
    left[0] = !0;
    left
};

impl Board {
    /// Reads a move of this position: SAN (`Nf3`, `exd8=Q+`, `O-O`), long algebraic notation (`Ng1-f3`) or UCI (`g1f3`,
    /// `e1g1`, `e1h1`), with the suffixes of annotators (`!?`, `+-`, `N`, `e.p.`). Dashes and figurines of Unicode are
    /// read like `-` and letters. A null move (`--`, `Z0`, `0000`) is [`Move::NONE`].
    ///
    /// # Errors
    ///
    /// The text is not a move, the move is not legal, or several pieces can make it.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks_games::{Board, MoveError};
    ///
    /// assert_eq!(Board::INITIAL.read_move(b"Nf3")?.to_string(), "g1f3");
    /// assert_eq!(Board::INITIAL.read_move(b"Nd4"), Err(MoveError::Illegal));
    /// # Ok::<(), MoveError>(())
    /// ```
    pub fn read_move(&self, text: &[u8]) -> Result<Move, MoveError> {
        self.clone().play_text(text)
    }

    /// Reads a move and plays it.
    ///
    /// # Errors
    ///
    /// The errors of [`read_move`](Board::read_move). Nothing changes then.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    ///
    /// let mut board = Board::INITIAL;
    /// let mv = board.play_text(b"Nf3")?;
    /// assert_eq!((mv.to_string(), board.fullmove_number()), ("g1f3".to_owned(), 1));
    /// # Ok::<(), slider_attacks_games::MoveError>(())
    /// ```
    pub fn play_text(&mut self, text: &[u8]) -> Result<Move, MoveError> {
        if text.len() <= 8 && !text.contains(&0) {
            let mut bytes = [0; 8];
            bytes[..text.len()].copy_from_slice(text);
            if let Some(mv) = self.play_usual(u64::from_le_bytes(bytes), text.len()) {
                return Ok(mv);
            }
        }
        self.play_unusual(text)
    }

    /// Plays a move in its usual form: the SAN of a move that is neither castling nor promotion, with no more than one byte
    /// after it. The bytes after the move in the word may be any.
    #[inline(always)]
    pub(crate) fn play_usual(&mut self, word: u64, mut len: usize) -> Option<Move> {
        if !(2..=8).contains(&len) {
            return None;
        }
        let last = (word >> (8 * (len - 1))) as u8;
        len -= usize::from(last == b'+' || last == b'#');
        let code = CODES[usize::from(word as u8)];
        // The last two bytes are the square; before them, at most three say where the piece comes from.
        let is_piece = usize::from(code != PAWN_CODE);
        let between = len.wrapping_sub(2 + is_piece);
        if between > 3 || !(PAWN_CODE..=KING_CODE).contains(&code) {
            return None;
        }
        let end = word << (64 - 8 * len);
        let (file, row) = ((end >> 48 & 0xff).wrapping_sub(b'a'.into()), (end >> 56).wrapping_sub(b'1'.into()));
        if (file | row) > 7 {
            return None;
        }
        let to = 1 << (8 * row + file);
        let origin = word >> (8 * is_piece) & !(!0 << (8 * between));
        let byte = |at: u32| LEFT[(origin >> (8 * at) & 0xff) as usize];
        let mut left = byte(0) & byte(1) & byte(2);
        if code == PAWN_CODE {
            if to & (rank(0) | rank(7)) != 0 {
                return None;
            }
            // A pawn that takes says from which file.
            left &= if between == 0 { 0x0101_0101_0101_0101 << file } else { !0 };
        }
        // Two of these, so that most of what depends on the side is decided at compile time.
        if self.black_to_move == 0 {
            self.play_only(code, 0, (8 * row + file) as usize, left)
        } else {
            self.play_only(code, !0, (8 * row + file) as usize, left)
        }
    }

    /// Plays the move of the only piece of its kind that could go to a square of an empty board, from one of those that are left.
    ///
    /// No branch depends on the kind of the piece: half of them would be predicted wrong.
    #[inline(always)]
    fn play_only(&mut self, code: u8, side: u64, to: usize, left: u64) -> Option<Move> {
        let pieces = self.pieces();
        let (own, occupied, target) = (pieces.of(side), pieces.occupied(), 1 << to);
        let is_pawn = code == PAWN_CODE;
        let sources = SOURCES[usize::from(code) ^ usize::from(is_pawn) & side as usize][to];
        // Pawns go to empty squares in their file, and take on the others.
        let file = 0x0101_0101_0101_0101 << (to % 8);
        let pawns = if target & (occupied | self.en_passant) == 0 { file } else { !file };
        let source = sources & left & own & pieces.kind(code) & if is_pawn { pawns } else { !0 };
        if !source.is_power_of_two() || target & (own | pieces.kings()) != 0 {
            return None;
        }
        let from = first(source);
        if BETWEEN[usize::from(from.index())][to] & occupied != 0 {
            return None;
        }
        let kind = if is_pawn & (target == self.en_passant) { MoveKind::EnPassant } else { MoveKind::Normal };
        self.step(code, side, source, target, code).then(|| Move::new(from, Square::ALL[to], kind))
    }

    /// Castles, if the text is `O-O` or `O-O-O`, with no more than one byte after it.
    #[inline(never)]
    pub(crate) fn castle_usual(&mut self, word: u64, len: usize) -> Option<Move> {
        let bytes = word.to_le_bytes();
        let is_long = match bytes[..len].strip_suffix(b"+").unwrap_or(&bytes[..len]) {
            b"O-O" => false,
            b"O-O-O" => true,
            _ => return None,
        };
        let mv = self.castling_move(is_long)?;
        self.castle(mv.target().bitboard()).then_some(mv)
    }

    /// Plays any move.
    #[cold]
    #[inline(never)]
    pub(crate) fn play_unusual(&mut self, text: &[u8]) -> Result<Move, MoveError> {
        let plain;
        let text = if is_plain(text) {
            without_marks(text)
        } else {
            plain = PlainMove::new(text).ok_or(MoveError::NotAMove)?;
            plain.text()
        };
        match text {
            b"O-O" | b"0-0" | b"o-o" | b"O-O-O" | b"0-0-0" | b"o-o-o" => {
                let mv = self.castling_move(text.len() == 5).ok_or(MoveError::Illegal)?;
                self.play(mv)?;
                return Ok(mv);
            }
            b"--" | b"Z0" | b"0000" | b"@@@@" => {
                self.play_null();
                return Ok(Move::NONE);
            }
            _ => {}
        }
        let (letter, rest) = match *text {
            [letter @ (b'N' | b'B' | b'R' | b'Q' | b'K' | b'P'), ref rest @ ..] => (Some(letter), rest),
            _ => (None, text),
        };
        let (rest, becomes) = promotion(rest);
        let [ref origin @ .., file @ b'a'..=b'h', row @ b'1'..=b'8'] = *rest else { return Err(MoveError::NotAMove) };
        let to = 1 << (8 * (row - b'1') + file - b'a');
        if origin.len() > 4 || origin.iter().any(|&byte| LEFT[usize::from(byte)] == 0 || byte == 0) {
            return Err(MoveError::NotAMove);
        }
        let mut left = origin.iter().fold(!0, |left, &byte| left & LEFT[usize::from(byte)]);
        let own = self.pieces().of(self.black_to_move);
        // An origin square identifies the piece, as in UCI.
        let mut code = match letter {
            Some(b'P') => PAWN_CODE,
            Some(letter) => CODES[usize::from(letter)],
            None if left.is_power_of_two() => {
                (1..=KING_CODE).find(|&code| self.pieces().kind(code) & left != 0).unwrap_or(0)
            }
            None => PAWN_CODE,
        };
        if letter.is_none() && left.is_power_of_two() && own & left == 0 {
            code = 0;
        }
        if code == 0 {
            return Err(MoveError::Illegal);
        }
        if code == PAWN_CODE && !origin.iter().any(|byte| matches!(byte, b'a'..=b'h')) {
            if !origin.is_empty() {
                return Err(MoveError::NotAMove);
            }
            left &= 0x0101_0101_0101_0101 << (file - b'a');
        }
        if code == KING_CODE
            && left & own & self.pieces().kings() != 0
            && left.is_power_of_two()
            && becomes.is_none()
            && let Some(mv) = self.castling_of_king(to)
        {
            self.play(mv)?;
            return Ok(mv);
        }
        let mut sources = self.sources(code, self.black_to_move, to) & left;
        let mut found = None;
        while sources != 0 {
            let from = first(sources);
            let mv = match becomes {
                Some(piece) => Move::promotion(from, first(to), piece),
                None if code == PAWN_CODE && to == self.en_passant => Move::new(from, first(to), MoveKind::EnPassant),
                None => Move::new(from, first(to), MoveKind::Normal),
            };
            let mut board = self.clone();
            if board.play(mv).is_ok() && found.replace((mv, board)).is_some() {
                return Err(MoveError::Ambiguous);
            }
            sources &= sources - 1;
        }
        let (mv, board) = found.ok_or(MoveError::Illegal)?;
        *self = board;
        Ok(mv)
    }

    /// The castling that UCI writes as a move of the king: to its own rook, or by two squares.
    fn castling_of_king(&self, to: u64) -> Option<Move> {
        let king = first(self.pieces().kings() & self.pieces().of(self.black_to_move));
        let target = first(to);
        if self.rooks & to != 0 && self.pieces().of(self.black_to_move) & to != 0 {
            return Some(Move::new(king, target, MoveKind::Castling));
        }
        let is_far = king.rank() == target.rank() && king.file().abs_diff(target.file()) == 2;
        let is_long = target.file() < king.file();
        is_far.then(|| self.castling_move(is_long)).flatten().filter(|_| target.file() == if is_long { 2 } else { 6 })
    }
}

/// A move in ASCII, without the suffixes of annotators.
struct PlainMove {
    bytes: [u8; PlainMove::MOST],
    len: usize,
    /// The number of bytes in its text, with the marks of check and mate.
    source: usize,
}

impl PlainMove {
    /// The most letters of a move with its suffix.
    const MOST: usize = 16;

    fn new(word: &[u8]) -> Option<PlainMove> {
        // Each letter, and where it ends in the word.
        let (mut bytes, mut ends, mut len, mut at) = ([0; PlainMove::MOST], [0; PlainMove::MOST + 1], 0, 0);
        while at < word.len() {
            let (byte, size) = match word[at..] {
                [byte @ 0x21..=0x7e, ..] => (byte, 1),
                [0xc3, 0x97, ..] => (b'x', 2),
                [0xe2, 0x99, piece @ 0x94..=0x9f, ..] => (b"KQRBNP"[usize::from(piece - 0x94) % 6], 3),
                _ if dash(&word[at..]) > 0 => (b'-', dash(&word[at..])),
                // Selects how the figurine before it looks.
                [0xef, 0xb8, 0x8e | 0x8f, ..] => (0, 3),
                // Around the dash of `0 - 0`.
                _ if word[0] == b'0' && blank(&word[at..]) > 0 => (0, blank(&word[at..])),
                // A sign such as `±`, which only signs may follow: nothing attached to it is part of the move.
                [byte, ..] if !byte.is_ascii() && are_signs(&word[at..]) => break,
                _ => return None,
            };
            at += size;
            if byte != 0 {
                *bytes.get_mut(len)? = byte;
                len += 1;
            }
            ends[len] = at;
        }
        let text = &bytes[..len];
        let whole = |text: &[u8]| [&b"--"[..], b"Z0", b"0000", b"@@@@"].contains(&text).then_some(text.len());
        let castling = |text: &[u8]| {
            let names: [&[u8]; 6] = [b"O-O-O", b"0-0-0", b"o-o-o", b"O-O", b"0-0", b"o-o"];
            names.iter().find(|name| text.starts_with(name)).map(|name| name.len())
        };
        let end = whole(text).or_else(|| castling(text)).or_else(|| square_end(text))?;
        let rest = &text[end..];
        let marks = rest.iter().take_while(|byte| b"+#".contains(byte)).count();
        // `+-` and `+/-` are no check.
        let is_check = !matches!(rest.get(marks), Some(b'-' | b'=' | b'/' | b'~'));
        let mut signs = rest;
        while !signs.is_empty() {
            let sign: &[&[u8]] = &[b"e.p.", b"e.p", b"ep", b"N", b"D"];
            let len = match sign.iter().find(|sign| signs.starts_with(sign)) {
                Some(sign) => sign.len(),
                None => usize::from(b"+-=/~#!?".contains(&signs[0])),
            };
            signs = signs.get(len..).filter(|_| len > 0)?;
        }
        Some(PlainMove { bytes, len: end, source: ends[end + if is_check { marks } else { 0 }] })
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The number of bytes of a move in its text, without the suffixes of annotators.
pub(crate) fn len(word: &[u8]) -> usize {
    if is_plain(word) { word.len() } else { PlainMove::new(word).map_or(word.len(), |plain| plain.source) }
}

/// The text without the marks of check and mate at its end.
fn without_marks(mut text: &[u8]) -> &[u8] {
    while let [before @ .., b'+' | b'#'] = text {
        text = before;
    }
    text
}

/// Whether a move ends with its square, apart from marks of check and mate, as nearly all do.
pub(crate) fn is_plain(word: &[u8]) -> bool {
    matches!(without_marks(word), [.., b'a'..=b'h', b'1'..=b'8']) && word.is_ascii()
}

/// Whether a word is written as a move, with an annotator's suffixes or without.
pub(crate) fn is_written_move(word: &[u8]) -> bool {
    is_plain(word) || PlainMove::new(word).is_some()
}

/// The number of bytes of a dash at this place; 0 if there is none.
pub(crate) fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => 3,
        // Small and wide, as in Chinese and Japanese text.
        [0xef, 0xb9, 0xa3, ..] | [0xef, 0xbc, 0x8d, ..] => 3,
        _ => 0,
    }
}

/// Whether a word is not a move, but an annotator's suffix: `+-`, `±`, `N` for a novelty.
pub(crate) fn is_sign(word: &[u8]) -> bool {
    let is_null_move = matches!(dash(word), len @ 1.. if dash(&word[len..]) + len == word.len() && len < word.len());
    matches!(word, b"e.p." | b"e.p" | b"ep" | b"N" | b"D") || !is_null_move && are_signs(word)
}

/// Whether a text has nothing but signs, such as `±` and `+-`: no letter and no number of any script. Bytes that are
/// not UTF-8 are read as Latin-1.
fn are_signs(text: &[u8]) -> bool {
    let is_sign = |char: char| if char.is_ascii() { "+-=/~#!?".contains(char) } else { !char.is_alphanumeric() };
    match str::from_utf8(text) {
        Ok(text) => text.chars().all(is_sign),
        Err(_) => text.iter().all(|&byte| is_sign(char::from(byte))),
    }
}

/// Where a move ends in this text: at its last square, or after the piece of a promotion.
fn square_end(text: &[u8]) -> Option<usize> {
    let is_square = |square: &[u8]| matches!(square, [b'a'..=b'h', b'1'..=b'8']);
    let end = text.windows(2).rposition(is_square)? + 2;
    let is_pawn = !matches!(text[0], b'N' | b'B' | b'R' | b'Q' | b'K');
    let becomes = |piece: u8| b"NBRQ".contains(&piece.to_ascii_uppercase());
    match text[end..] {
        [b'=' | b'/', piece, ..] if becomes(piece) => {
            (is_pawn && matches!(text[end - 1], b'1' | b'8')).then_some(end + 2)
        }
        _ if !is_pawn || !matches!(text[end - 1], b'1' | b'8') => Some(end),
        [b'(', piece, b')', ..] if becomes(piece) => Some(end + 3),
        [piece, ..] if becomes(piece) => Some(end + 1),
        _ => Some(end),
    }
}

/// The piece that a pawn is promoted to, with the sign before it: `=Q`, `Q`, `(Q)`, `/Q` or, as in UCI, `q`.
fn promotion(text: &[u8]) -> (&[u8], Option<Piece>) {
    let inner = text.strip_suffix(b")").unwrap_or(text);
    let [rest @ .., letter] = inner else { return (text, None) };
    let piece = match letter.to_ascii_uppercase() {
        b'N' => Piece::Knight,
        // After a rank, it is no file.
        b'B' => Piece::Bishop,
        b'R' => Piece::Rook,
        b'Q' => Piece::Queen,
        _ => return (text, None),
    };
    let rest = match rest {
        [rest @ .., b'=' | b'(' | b'/'] => rest,
        _ => rest,
    };
    match rest.last() {
        Some(b'1'..=b'8') => (rest, Some(piece)),
        _ => (text, None),
    }
}
