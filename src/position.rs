//! Chess positions as a struct of arrays, read from FEN or EPD text.
//!
//! [`Positions`] holds one array of bitboards for each colour and piece, which is the form that batch functions take:
//! those of [`analysis`](crate::analysis), and [`batch_attacks`](crate::batch_attacks) with
//! [`Positions::occupancies`].
//!
//! ```
//! use slider_attacks::position::{Color, Piece, Positions};
//!
//! let mut positions = Positions::new();
//! positions.push(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
//! positions.push(b"4k3/8/8/8/8/8/8/R3K3 b Q -")?;
//!
//! assert_eq!(positions.pieces(Color::White, Piece::Rook), [0x81, 0x01]);
//! assert_eq!(positions.occupancies()[0], 0xffff_0000_0000_ffff);
//! assert_eq!(positions.side_to_move(), [Color::White, Color::Black]);
//! assert_eq!(positions.fen(1), "4k3/8/8/8/8/8/8/R3K3 b Q -");
//! # Ok::<(), slider_attacks::position::FenError>(())
//! ```

mod block;
mod castling;
mod error;
mod fast;
mod fen;

use core::fmt;

use block::Block;
pub use castling::Castling;
pub use error::{Expected, FenError, LineError};
use fen::Record;

use crate::Square;

/// The colour of a piece, or of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Color {
    White,
    Black,
}

impl Color {
    /// Both of them, in the order of the declaration.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// The other one.
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// `"white"` or `"black"`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kind of a piece, pawns included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Piece {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Piece {
    /// The six of them, in the order of the declaration.
    pub const ALL: [Piece; 6] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

    /// `"pawn"`, `"knight"`, `"bishop"`, `"rook"`, `"queen"` or `"king"`.
    pub const fn name(self) -> &'static str {
        match self {
            Piece::Pawn => "pawn",
            Piece::Knight => "knight",
            Piece::Bishop => "bishop",
            Piece::Rook => "rook",
            Piece::Queen => "queen",
            Piece::King => "king",
        }
    }

    /// The letter of FEN: one of `PNBRQK` for white, of `pnbrqk` for black.
    pub const fn letter(self, color: Color) -> char {
        let letter = b"PNBRQK"[self as usize];
        match color {
            Color::White => letter as char,
            Color::Black => letter.to_ascii_lowercase() as char,
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Any number of chess positions, one array for each thing there is to know about them: index *i* is position *i* in
/// each.
///
/// A position takes 127 bytes. Every position has exactly one king of each colour, and no square holds two pieces;
/// nothing else makes a position legal here: pawns may stand on any rank, and the side to move may give check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    pieces: [[Vec<u64>; 6]; 2],
    colors: [Vec<u64>; 2],
    occupancies: Vec<u64>,
    side_to_move: Vec<Color>,
    castling: Vec<Castling>,
    en_passant: Vec<Option<Square>>,
}

impl Positions {
    /// No positions.
    pub fn new() -> Positions {
        Positions::default()
    }

    /// No positions, and room for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Positions {
        let mut positions = Positions::new();
        positions.reserve(capacity);
        positions
    }

    /// Makes room for `additional` more positions.
    pub fn reserve(&mut self, additional: usize) {
        self.boards_mut().for_each(|boards| boards.reserve(additional));
        self.side_to_move.reserve(additional);
        self.castling.reserve(additional);
        self.en_passant.reserve(additional);
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.occupancies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.occupancies.is_empty()
    }

    /// Removes all positions, and keeps the room they took.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Removes all but the first `len` positions, if there are more.
    pub fn truncate(&mut self, len: usize) {
        self.boards_mut().for_each(|boards| boards.truncate(len));
        self.side_to_move.truncate(len);
        self.castling.truncate(len);
        self.en_passant.truncate(len);
    }

    fn boards_mut(&mut self) -> impl Iterator<Item = &mut Vec<u64>> {
        let pieces = self.pieces.iter_mut().flatten();
        pieces.chain(&mut self.colors).chain([&mut self.occupancies])
    }

    /// Adds the position of one FEN or EPD line.
    ///
    /// The first four fields are read: board, side to move, castling rights, en passant square; what follows them is
    /// ignored. Fields are separated by white space of any length. The board is taken at its word where FEN leaves no
    /// doubt: `44` is eight empty squares, and pawns may stand on any rank. Castling rights may be those of Shredder-FEN,
    /// letters of files. Nothing is allocated but by the arrays, when they grow.
    ///
    /// # Errors
    ///
    /// The first thing in the line that is not as expected. Then nothing is added.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let error = positions.push(b"k7/8/8/ppppppppp/8/8/8/K7 w - -").unwrap_err();
    /// assert_eq!(error.to_string(), "column 17: expected 8 files in rank 5, found 9");
    /// assert!(positions.is_empty());
    /// ```
    pub fn push(&mut self, fen: &[u8]) -> Result<(), FenError> {
        match fast::read(fen) {
            Some((record, _)) => self.add(&record),
            None => self.add(&fen::read(fen)?),
        }
        Ok(())
    }

    /// Adds the positions of a whole text, one a line, and tells how many there were.
    ///
    /// Lines are as in [`push`](Positions::push) and end in LF or CRLF; the last end may be missing. Blank lines and lines that
    /// begin with `#` are passed over, as is a byte order mark at the very beginning. Nothing is allocated but by the
    /// arrays, when they grow.
    ///
    /// # Errors
    ///
    /// The first line that is not a position. Then nothing is added, not even the lines before it.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let text = b"# two kings\n4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/4K3 x - -\n";
    /// let error = positions.read_lines(text).unwrap_err();
    /// assert_eq!(error.to_string(), "line 3, column 21: expected w or b as the side to move, found 'x'");
    /// assert!(positions.is_empty());
    /// ```
    pub fn read_lines(&mut self, text: &[u8]) -> Result<usize, LineError> {
        let before = self.len();
        self.add_lines(text).inspect_err(|_| self.truncate(before))?;
        Ok(self.len() - before)
    }

    fn add_lines(&mut self, text: &[u8]) -> Result<(), LineError> {
        let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut line = 0;
        let mut block = Block::new();
        while !rest.is_empty() {
            line += 1;
            let at = |error| LineError { line, error };
            let usual = fast::read(rest);
            let read = usual.as_ref().map_or(0, |(_, length)| *length);
            let end = fen::end_of_line(rest, read).map_err(at)?;
            let text = &rest[..end.start];
            match usual {
                Some((record, _)) => block.add(&record),
                None if matches!(text.trim_ascii_start().first(), None | Some(b'#')) => {}
                None => block.add(&fen::read(text).map_err(at)?),
            }
            if block.is_full() {
                self.append(&mut block);
            }
            rest = &rest[end.end..];
        }
        self.append(&mut block);
        Ok(())
    }

    fn append(&mut self, block: &mut Block) {
        for (boards, added) in self.boards_mut().zip(block.boards()) {
            boards.extend_from_slice(added);
        }
        self.side_to_move.extend_from_slice(block.side_to_move());
        self.castling.extend_from_slice(block.castling());
        self.en_passant.extend_from_slice(block.en_passant());
        block.clear();
    }

    fn add(&mut self, record: &Record) {
        for (boards, pieces) in self.pieces.iter_mut().zip(&record.pieces) {
            for (boards, &board) in boards.iter_mut().zip(pieces) {
                boards.push(board);
            }
        }
        let [white, black] = record.colors;
        self.colors[0].push(white);
        self.colors[1].push(black);
        self.occupancies.push(white | black);
        self.side_to_move.push(record.side_to_move);
        self.castling.push(record.castling);
        self.en_passant.push(record.en_passant);
    }

    /// The squares of one kind of piece, a bitboard a position.
    pub fn pieces(&self, color: Color, piece: Piece) -> &[u64] {
        &self.pieces[color as usize][piece as usize]
    }

    /// The squares of all pieces of one colour.
    pub fn color(&self, color: Color) -> &[u64] {
        &self.colors[color as usize]
    }

    /// The squares of all pieces.
    pub fn occupancies(&self) -> &[u64] {
        &self.occupancies
    }

    /// Whose turn it is.
    pub fn side_to_move(&self) -> &[Color] {
        &self.side_to_move
    }

    /// The castling rights, as they were given.
    pub fn castling(&self) -> &[Castling] {
        &self.castling
    }

    /// The en passant squares, as they were given: behind a pawn that has just moved two squares, whether or not it can
    /// be taken.
    pub fn en_passant(&self) -> &[Option<Square>] {
        &self.en_passant
    }

    /// What stands on `square` in position `index`.
    ///
    /// # Panics
    ///
    /// If there is no position `index`.
    pub fn piece_at(&self, index: usize, square: Square) -> Option<(Color, Piece)> {
        let stands = |&(color, piece): &(Color, Piece)| self.pieces(color, piece)[index] & square.bitboard() != 0;
        Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece))).find(stands)
    }

    /// The first four fields of FEN for position `index`, with castling rights in the usual order.
    ///
    /// # Panics
    ///
    /// If there is no position `index`.
    pub fn fen(&self, index: usize) -> String {
        use fmt::Write;
        let mut fen = String::with_capacity(90);
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let square = Square::from_file_rank(file, rank).expect("both are below 8");
                let piece = self.piece_at(index, square);
                if empty > 0 && piece.is_some() {
                    fen.push((b'0' + empty) as char);
                    empty = 0;
                }
                match piece {
                    Some((color, piece)) => fen.push(piece.letter(color)),
                    None => empty += 1,
                }
            }
            if empty > 0 {
                fen.push((b'0' + empty) as char);
            }
            if rank > 0 {
                fen.push('/');
            }
        }
        let side = if self.side_to_move[index] == Color::White { 'w' } else { 'b' };
        write!(fen, " {side} {} ", self.castling[index]).expect("a String takes everything");
        match self.en_passant[index] {
            Some(square) => write!(fen, "{square}").expect("a String takes everything"),
            None => fen.push('-'),
        }
        fen
    }
}
