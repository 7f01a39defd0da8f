//! Chess positions as a struct of arrays, read from FEN or EPD text.
//!
//! [`Positions`] holds one array of bitboards per colour and piece. That is the form that batch calls take: the methods
//! that [`analysis`](crate::analysis) lists, and [`batch_attacks`](crate::batch_attacks) with
//! [`Positions::occupancies`].
//!
//! ```
//! use slider_attacks::position::{Color, Piece, Positions};
//!
//! let mut positions = Positions::new();
//! positions.push_fen(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
//! positions.push_fen(b"4k3/8/8/8/8/8/8/R3K3 b Q -")?;
//!
//! assert_eq!(positions.pieces(Color::White, Piece::Rook), [0x81, 0x01]);
//! assert_eq!(positions.occupancies()[0], 0xffff_0000_0000_ffff);
//! assert_eq!(positions.side_to_move(), [Color::White, Color::Black]);
//! assert_eq!(positions.get(1).unwrap().to_string(), "4k3/8/8/8/8/8/8/R3K3 b Q -");
//! # Ok::<(), slider_attacks::position::FenError>(())
//! ```
//!
//! # From your own bitboards
//!
//! Structures of any layout become positions one by one, and are checked:
//!
//! ```
//! use slider_attacks::position::{BoardError, Castling, Color, Position, Positions};
//!
//! struct Board {
//!     white: [u64; 6], // pawns, knights, bishops, rooks, queens, king
//!     black: [u64; 6],
//! }
//!
//! let boards = [Board { white: [0, 0, 0, 1 << 0, 0, 1 << 4], black: [0, 0, 0, 0, 0, 1 << 60] }];
//! let position = |it: &Board| Position::new([it.white, it.black], Color::White, Castling::NONE, None);
//! let positions: Positions = boards.iter().map(position).collect::<Result<_, _>>()?;
//! assert_eq!(positions.fen(0), "4k3/8/8/8/8/8/8/R3K3 w - -");
//! # Ok::<(), BoardError>(())
//! ```
//!
//! [`Positions::push_arrays`] and [`Positions::push_planes`] take arrays, and are faster.
//!
//! # Accepted text
//!
//! The first four fields of a line, separated by white space of any length: board, side to move, castling rights, en
//! passant square. Text after them is ignored: the two counters of FEN, the operations of EPD. A semicolon ends the
//! fourth field too, so `w - -; bm Nf6;` is read: many test suites are written that way.
//!
//! Each side must have exactly one king: without it, checks and pins would mean nothing. Otherwise, a position need not
//! be legal. Pawns may stand on any rank, the side to move may give check, and castling rights are not compared with
//! the board. Unusual spellings are read where their meaning is clear: `44` is eight empty squares, and castling rights
//! may be the letters of the rooks' files, as in Shredder-FEN. A pocket of captured pieces, as in crazyhouse, is an
//! error.
//!
//! Sources: "Forsyth-Edwards Notation", <https://www.chessprogramming.org/Forsyth-Edwards_Notation>, and "Extended
//! Position Description", <https://www.chessprogramming.org/Extended_Position_Description>.

mod arrays;
mod block;
mod castling;
mod error;
mod fast;
mod fen;
mod fens;
mod mover;
mod planes;
mod single;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "no other backend reads text")
)]
mod vector;

pub(crate) use arrays::{BoardArrays, first_problem};
use block::{BLOCK, PositionBlock};
pub use castling::{Castling, ParseCastlingError};
pub use error::{BoardError, FenError, PlanesError, ReadError};
use fen::FenRecord;
pub use fens::Fens;
pub(crate) use planes::one_king_each;
pub use single::{Position, PositionIter};
use vector::{Scratch, TextsTask};

use core::ops::Range;
use std::io::{self, Read};

use crate::{Backend, Square};

/// The colour of a piece, or of the side to move.
///
/// ```
/// use slider_attacks::position::Color;
///
/// assert_eq!("white".parse(), Ok(Color::Black.other()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Color {
    White,
    Black,
}

crate::error::names! { Color, 2: White "white", Black "black" }

impl Color {
    /// The other colour.
    #[must_use]
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// The rank on which its king and rooks castle.
    pub(crate) const fn home(self) -> u64 {
        0xff << (56 * self as u32)
    }
}

/// The kind of a piece, pawns included.
///
/// `piece as usize` is 0 to 5, an index into arrays of six. Where a square has a number and may be empty, as for
/// [`Positions::push_planes`], the number is one more, because 0 is the empty square.
///
/// ```
/// use slider_attacks::position::{Color, Piece};
///
/// assert_eq!(Piece::ALL.map(|piece| piece.letter(Color::Black)).iter().collect::<String>(), "pnbrqk");
/// assert_eq!("queen".parse(), Ok(Piece::ALL[4]));
/// ```
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

crate::error::names! { Piece, 6: Pawn "pawn", Knight "knight", Bishop "bishop", Rook "rook", Queen "queen", King "king" }

impl Piece {
    /// The letter in FEN: one of `PNBRQK` for white, one of `pnbrqk` for black.
    #[must_use]
    pub const fn letter(self, color: Color) -> char {
        let letter = b"PNBRQK"[self as usize];
        match color {
            Color::White => letter as char,
            Color::Black => letter.to_ascii_lowercase() as char,
        }
    }
}

/// Any number of chess positions, as a struct of arrays. Index *i* is position *i* in each array.
///
/// A position takes less than 128 bytes. It has exactly one king of each colour, and no square holds two pieces; the
/// [module](self) lists the other checks.
///
/// ```
/// use slider_attacks::position::{Color, Piece, Positions};
///
/// let mut positions = Positions::with_capacity(2);
/// positions.read_lines("4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/4K3 b - -\n")?;
/// assert_eq!((positions.len(), positions.get(2)), (2, None));
/// assert_eq!(positions.pieces(Color::White, Piece::Rook), [1, 0]);
/// assert_eq!(positions.color(Color::White), [0x11, 0x10]);
/// positions.truncate(1);
/// assert!(positions.iter().all(|position| position.castling().has('Q')));
/// # Ok::<(), slider_attacks::position::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "bitboard")]
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
    #[must_use]
    pub fn new() -> Positions {
        Positions::default()
    }

    /// No positions, with room for `capacity` of them.
    #[must_use]
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

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.occupancies.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.occupancies.is_empty()
    }

    /// Removes all positions and keeps the memory for new ones.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the first `len` positions and removes the others, if there are any.
    pub fn truncate(&mut self, len: usize) {
        // Not a loop over `boards_mut`, which takes longer: see `add`.
        self.pieces.as_flattened_mut().iter_mut().for_each(|boards| boards.truncate(len));
        self.colors.iter_mut().for_each(|boards| boards.truncate(len));
        self.occupancies.truncate(len);
        self.side_to_move.truncate(len);
        self.castling.truncate(len);
        self.en_passant.truncate(len);
    }

    /// Keeps the positions at these indices, and removes all others.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines("4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/4K3 b - -\n")?;
    /// positions.keep(&[1]);
    /// assert_eq!((positions.len(), positions.fen(0).as_str()), (1, "4k3/8/8/8/8/8/8/4K3 b - -"));
    /// # Ok::<(), slider_attacks::position::ReadError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the indices do not increase, or if there is no position at one of them.
    pub fn keep(&mut self, indices: &[u32]) {
        fn keep<T: Copy>(values: &mut [T], indices: &[u32]) {
            indices.iter().enumerate().for_each(|(to, &index)| values[to] = values[index as usize]);
        }
        assert!(indices.is_sorted_by(|one, next| one < next), "the indices must increase");
        self.boards_mut().for_each(|boards| keep(boards, indices));
        keep(&mut self.side_to_move, indices);
        keep(&mut self.castling, indices);
        keep(&mut self.en_passant, indices);
        self.truncate(indices.len());
    }

    /// Makes the number of positions at least `len`, for arrays that are going to be overwritten: new positions have empty
    /// boards, which are no positions.
    pub(crate) fn grow(&mut self, len: usize) {
        if len <= self.len() {
            return;
        }
        self.boards_mut().for_each(|boards| boards.resize(len, 0));
        self.side_to_move.resize(len, Color::White);
        self.castling.resize(len, Castling::NONE);
        self.en_passant.resize(len, None);
    }

    /// The arrays.
    pub(crate) fn columns_mut(&mut self) -> Columns<'_> {
        Columns {
            pieces: self.pieces.each_mut().map(|pieces| pieces.each_mut().map(Vec::as_mut_slice)),
            colors: self.colors.each_mut().map(Vec::as_mut_slice),
            occupancies: &mut self.occupancies,
            side_to_move: &mut self.side_to_move,
            castling: &mut self.castling,
            en_passant: &mut self.en_passant,
        }
    }

    fn boards_mut(&mut self) -> impl Iterator<Item = &mut Vec<u64>> {
        let pieces = self.pieces.iter_mut().flatten();
        pieces.chain(&mut self.colors).chain([&mut self.occupancies])
    }

    /// Adds the position of one FEN or EPD line. The [module](self) describes the accepted text.
    ///
    /// Nothing is allocated unless the arrays have to grow.
    ///
    /// # Errors
    ///
    /// The line is not a position. The error says which byte is the first that is not as expected. Nothing is added.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let error = positions.push_fen(b"k7/8/8/ppppppppp/8/8/8/K7 w - -").unwrap_err();
    /// assert_eq!(error.to_string(), "column 17: expected 8 files in rank 5, found 9");
    /// assert!(positions.is_empty());
    /// ```
    pub fn push_fen(&mut self, fen: impl AsRef<[u8]>) -> Result<(), FenError> {
        self.add_fen(fen.as_ref())
    }

    fn add_fen(&mut self, fen: &[u8]) -> Result<(), FenError> {
        match fast::read(fen) {
            Some((record, _)) => self.add(&record),
            None => self.add(&fen::read(fen)?),
        }
        Ok(())
    }

    /// Adds the positions of many texts. Each is read as [`push_fen`](Positions::push_fen) reads it, in less time.
    ///
    /// Nothing is allocated unless the arrays have to grow.
    ///
    /// # Errors
    ///
    /// The first text that is not a position. The positions before it have been added, so their number identifies it.
    /// The iterator has not been advanced past that text.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let mut fens = ["4k3/8/8/8/8/8/8/4K3 w - -", "nonsense", "4k3/8/8/8/8/8/8/4K3 b - -"].iter();
    /// let error = positions.push_fens(&mut fens).unwrap_err();
    /// assert_eq!((positions.len(), error.column), (1, 2));
    /// positions.push_fens(fens)?; // the others
    /// assert_eq!(positions.len(), 2);
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn push_fens<'a, T: AsRef<[u8]> + ?Sized + 'a>(
        &mut self,
        fens: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), FenError> {
        Backend::active().push_fens(fens, self)
    }

    /// Adds the positions of parts of one text, such as the values of a column. Each is read as
    /// [`push_fen`](Positions::push_fen) reads it. That is faster than [`push_fens`](Positions::push_fens), because
    /// bytes after a part may be loaded as well. They never change the result.
    ///
    /// # Errors
    ///
    /// The first part that is not a position. The positions before it have been added, so their number identifies it.
    /// The iterator of the ranges may have been advanced past it.
    ///
    /// # Panics
    ///
    /// If a range does not lie in the text.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let values = b"4k3/8/8/8/8/8/8/4K3 w - -4k3/8/8/8/8/8/8/4K3 b - -";
    /// positions.push_fens_in(values, [0..25, 25..50])?;
    /// assert_eq!(positions.fen(1), "4k3/8/8/8/8/8/8/4K3 b - -");
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn push_fens_in(
        &mut self,
        text: impl AsRef<[u8]>,
        ranges: impl IntoIterator<Item = Range<usize>>,
    ) -> Result<(), FenError> {
        Backend::active().push_fens_in(text, ranges, self)
    }

    /// Adds the positions of the lines at the beginning of a text, up to the first line that has none, and at most `most`.
    /// Returns how many bytes these lines take, with their ends.
    ///
    /// This is for programs that handle other lines themselves: blank ones, comments, and lines that are not positions.
    /// The first of them ends the call. Otherwise, lines are read as by [`read_lines`](Positions::read_lines), but a
    /// byte order mark is not skipped.
    ///
    /// # Example
    ///
    /// ```
    /// let mut positions = slider_attacks::position::Positions::new();
    /// let text = b"4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/4K3 b - -\nnonsense\n";
    /// let read = positions.push_lines(text, usize::MAX);
    /// assert_eq!((positions.len(), &text[read..]), (2, b"nonsense\n".as_slice()));
    /// ```
    pub fn push_lines(&mut self, text: impl AsRef<[u8]>, most: usize) -> usize {
        Backend::active().push_lines(text, most, self)
    }

    /// Adds the position of these bitboards. `pieces[color as usize][piece as usize]` are the squares of one kind of piece
    /// of one colour, as [`pieces`](Positions::pieces) returns them.
    ///
    /// Castling rights are not compared with the board. Nothing is allocated unless the arrays have to grow.
    ///
    /// # Errors
    ///
    /// Two pieces stand on one square, a colour does not have exactly one king, or the en passant square is not on rank 3
    /// or 6. Nothing is added.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::{Castling, Color, Positions};
    ///
    /// let mut positions = Positions::new();
    /// // A white rook on a1, kings on e1 and e8.
    /// let (white, black) = ([0, 0, 0, 1 << 0, 0, 1 << 4], [0, 0, 0, 0, 0, 1 << 60]);
    /// positions.push_boards([white, black], Color::White, Castling::NONE, None)?;
    /// assert_eq!(positions.fen(0), "4k3/8/8/8/8/8/8/R3K3 w - -");
    ///
    /// let error = positions.push_boards([white, [0; 6]], Color::White, Castling::NONE, None).unwrap_err();
    /// assert_eq!(error.to_string(), "expected one black king, found 0");
    /// # Ok::<(), slider_attacks::position::BoardError>(())
    /// ```
    pub fn push_boards(
        &mut self,
        pieces: [[u64; 6]; 2],
        side_to_move: Color,
        castling: Castling,
        en_passant: Option<Square>,
    ) -> Result<(), BoardError> {
        self.push(Position::new(pieces, side_to_move, castling, en_passant)?);
        Ok(())
    }

    /// Adds a position. Nothing is allocated unless the arrays have to grow.
    ///
    /// ```
    /// use slider_attacks::position::{Position, Positions};
    ///
    /// let (mut positions, position) = (Positions::new(), "4k3/8/8/8/8/8/8/4K3 w - -".parse::<Position>()?);
    /// positions.push(position);
    /// assert_eq!(positions.get(0), Some(position));
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn push(&mut self, position: Position) {
        self.add(&position.0);
    }

    /// The position with this index, or `None` if `index` is out of range. An array of arrays has no reference to a
    /// position, so there is no `positions[index]`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Position> {
        (index < self.len()).then(|| self.at(index))
    }

    /// An iterator over the positions. Batch calls are faster than loops over it.
    #[must_use]
    pub fn iter(&self) -> PositionIter<'_> {
        self.slice(0..self.len()).into()
    }

    /// The position with this index. Panics if there is none.
    #[inline(never)]
    fn at(&self, index: usize) -> Position {
        Position(FenRecord {
            pieces: self.pieces.each_ref().map(|pieces| pieces.each_ref().map(|boards| boards[index])),
            colors: self.colors.each_ref().map(|boards| boards[index]),
            side_to_move: self.side_to_move[index],
            castling: self.castling[index],
            en_passant: self.en_passant[index],
        })
    }

    /// Adds the positions of a whole text, one per line, and returns how many there were.
    ///
    /// [`push_fen`](Positions::push_fen) says how each line is read. A line ends in LF, CRLF or CR; the last one may
    /// end without. Blank lines, lines that begin with `#` (after white space or not), and a byte order mark at the very
    /// beginning are skipped. Nothing is allocated unless the arrays have to grow. Time is linear in the length of the
    /// text.
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
    #[doc(alias = "epd")]
    pub fn read_lines(&mut self, text: impl AsRef<[u8]>) -> Result<usize, ReadError> {
        Backend::active().read_lines(text, self)
    }

    /// Like [`read_lines`](Positions::read_lines), for a file, standard input or any other input.
    ///
    /// The input is read in large blocks, so a `BufReader` would not make it faster. Apart from the positions, memory is held
    /// for one block, or for the longest line if that is longer.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or a line is not a position: an error of the kind
    /// [`InvalidData`](io::ErrorKind::InvalidData), whose source is a [`ReadError`]. Nothing is added then.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use std::fs::File;
    ///
    /// let mut positions = slider_attacks::position::Positions::new();
    /// positions.read_lines_from(File::open("positions.epd")?)?;
    /// positions.read_lines_from(std::io::stdin())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[doc(alias = "file")]
    pub fn read_lines_from(&mut self, mut input: impl Read) -> io::Result<usize> {
        let before = self.len();
        self.read_blocks(&mut input).inspect_err(|_| self.truncate(before))?;
        Ok(self.len() - before)
    }

    fn read_blocks(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let (mut text, mut lines) = (Vec::new(), 0);
        loop {
            // A long line is searched again only when it has become twice as long.
            let room = READ_BLOCK.max(text.len());
            let is_end = Read::take(&mut *input, room as u64).read_to_end(&mut text)? < room;
            let whole = &text[..if is_end { text.len() } else { fen::whole_lines(&text) }];
            let part = if lines == 0 { without_mark(whole) } else { whole };
            if let Err(error) = Backend::active().read_part(part, self) {
                let line = lines + error.line;
                return Err(io::Error::new(io::ErrorKind::InvalidData, ReadError { line, ..error }));
            }
            if is_end {
                return Ok(());
            }
            lines += fen::count_lines(whole);
            let len = whole.len();
            text.drain(..len);
        }
    }

    /// Adds the positions of another array.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    ///
    /// let (mut all, mut others) = (Positions::new(), Positions::new());
    /// others.read_lines(b"4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/R3K3 w Q -\n")?;
    /// all.extend_from(&others);
    /// all.extend_from(&others);
    /// assert_eq!((all.len(), all.fen(3)), (4, others.fen(1)));
    /// # Ok::<(), slider_attacks::position::ReadError>(())
    /// ```
    pub fn extend_from(&mut self, others: &Positions) {
        let pieces = others.pieces.iter().flatten();
        let boards = pieces.chain(&others.colors).chain([&others.occupancies]);
        self.boards_mut().zip(boards).for_each(|(boards, added)| boards.extend_from_slice(added));
        self.side_to_move.extend_from_slice(&others.side_to_move);
        self.castling.extend_from_slice(&others.castling);
        self.en_passant.extend_from_slice(&others.en_passant);
    }

    /// Adds the position of a text to a block, and the block to this when it is full.
    #[inline]
    fn add_to(&mut self, block: &mut PositionBlock, fen: &[u8]) -> Result<(), FenError> {
        match fast::read(fen) {
            Some((record, _)) => self.add_record(block, &record),
            None => self.add_record(block, &fen::read(fen)?),
        }
        Ok(())
    }

    #[inline(always)]
    fn add_record(&mut self, block: &mut PositionBlock, record: &FenRecord) {
        block.add(record);
        if block.is_full() {
            self.append(block);
        }
    }

    fn append(&mut self, block: &mut PositionBlock) {
        let len = core::mem::take(&mut block.len);
        if len == 0 {
            return;
        }
        for (boards, added) in self.boards_mut().zip(&block.boards) {
            boards.extend_from_slice(&added[..len]);
        }
        self.side_to_move.extend_from_slice(&block.side_to_move[..len]);
        self.castling.extend_from_slice(&block.castling[..len]);
        self.en_passant.extend_from_slice(&block.en_passant[..len]);
    }

    fn add(&mut self, record: &FenRecord) {
        // Not a loop over `boards_mut`, with which this takes 1.6 times as long.
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

    /// Some of the positions, for products of these alone.
    ///
    /// # Panics
    ///
    /// If the range ends after [`len`](Positions::len), or before it begins.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::{Color, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/R3K3 w Q -\n")?;
    /// let mut maps = [0; 2];
    /// std::thread::scope(|scope| {
    ///     for (index, out) in maps.chunks_mut(1).enumerate() {
    ///         let part = positions.slice(index..index + out.len());
    ///         scope.spawn(move || Backend::active().attack_maps(part, Color::White, out));
    ///     }
    /// });
    /// assert_eq!(maps[1], 0x0101_0101_0101_393e);
    /// # Ok::<(), slider_attacks::position::ReadError>(())
    /// ```
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> PositionSlice<'_> {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} of {} positions", self.len());
        PositionSlice { positions: self, start: range.start, end: range.end }
    }

    /// The squares of one kind of piece of one colour: one bitboard per position.
    #[must_use]
    pub fn pieces(&self, color: Color, piece: Piece) -> &[u64] {
        &self.pieces[color as usize][piece as usize]
    }

    /// The squares of all pieces of one colour: one bitboard per position.
    #[must_use]
    pub fn color(&self, color: Color) -> &[u64] {
        &self.colors[color as usize]
    }

    /// The squares of all pieces: one bitboard per position, as calls for pairs take them.
    ///
    /// ```
    /// use slider_attacks::{Square, batch_rook_attacks, position::Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/8/R3K3 w Q -")?;
    /// let mut attacks = [0];
    /// batch_rook_attacks(&[Square::A1], positions.occupancies(), &mut attacks)?;
    /// assert_eq!(attacks, [0x0101_0101_0101_011e]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn occupancies(&self) -> &[u64] {
        &self.occupancies
    }

    /// The side to move, one per position.
    #[must_use]
    pub fn side_to_move(&self) -> &[Color] {
        &self.side_to_move
    }

    /// The castling rights as they were given, one per position.
    #[must_use]
    pub fn castling(&self) -> &[Castling] {
        &self.castling
    }

    /// The en passant squares as they were given, one per position: the square behind a pawn that has just moved two
    /// squares, whether or not it can be taken.
    #[must_use]
    pub fn en_passant(&self) -> &[Option<Square>] {
        &self.en_passant
    }

    /// The piece on `square` in position `index`, or `None` if the square is empty.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`len`](Positions::len).
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::position::{Color, Piece, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")?;
    /// assert_eq!(positions.piece_at(0, Square::A1), Some((Color::White, Piece::Rook)));
    /// assert_eq!(positions.fen(0), "4k3/8/8/8/8/8/8/R3K3 w Q -");
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    #[must_use]
    pub fn piece_at(&self, index: usize, square: Square) -> Option<(Color, Piece)> {
        self.at(index).piece_at(square)
    }

    /// The first four fields of FEN for position `index`, with the castling rights in the usual order.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`len`](Positions::len).
    #[must_use]
    pub fn fen(&self, index: usize) -> String {
        self.at(index).fen()
    }
}

/// The arrays of [`Positions`], to be overwritten.
pub(crate) struct Columns<'a> {
    pub pieces: [[&'a mut [u64]; 6]; 2],
    pub colors: [&'a mut [u64]; 2],
    pub occupancies: &'a mut [u64],
    pub side_to_move: &'a mut [Color],
    pub castling: &'a mut [Castling],
    pub en_passant: &'a mut [Option<Square>],
}

/// The number of lines that are read one by one after a block in which the vector instructions have read fewer than
/// [`FEW`]: many lines may be unusual.
const ONE_BY_ONE: usize = BLOCK;
const FEW: usize = BLOCK / 8;

/// The fewest bytes of an input that are read at a time.
const READ_BLOCK: usize = 1 << 18;

/// A text without a byte order mark at its beginning.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Reading with the vector instructions of a backend. The methods of [`Positions`] with the same names use
/// [`Backend::active`], and describe the accepted text. All backends give the same positions and the same errors.
impl Backend {
    /// [`Positions::read_lines`], with this backend.
    ///
    /// # Errors
    ///
    /// The first line that is not a position. Then nothing is added.
    pub fn read_lines(self, text: impl AsRef<[u8]>, positions: &mut Positions) -> Result<usize, ReadError> {
        self.read_part(without_mark(text.as_ref()), positions)
    }

    fn read_part(self, text: &[u8], positions: &mut Positions) -> Result<usize, ReadError> {
        let before = positions.len();
        let mut lines = TextLines { rest: text, scratch: Scratch::new() };
        lines.read(self, usize::MAX, true, positions).map_err(|error| {
            positions.truncate(before);
            // Counted only now: that is faster than counting lines while they are read.
            ReadError { line: fen::count_lines(&text[..text.len() - lines.rest.len()]) + 1, error }
        })?;
        Ok(positions.len() - before)
    }

    /// [`Positions::push_lines`], with this backend. Returns how many bytes were read.
    pub fn push_lines(self, text: impl AsRef<[u8]>, most: usize, positions: &mut Positions) -> usize {
        self.push_lines_of(text.as_ref(), most, positions)
    }

    fn push_lines_of(self, text: &[u8], most: usize, positions: &mut Positions) -> usize {
        let mut lines = TextLines { rest: text, scratch: Scratch::new() };
        // An error is a line that is not a position, like any other here.
        let _ = lines.read(self, most, false, positions);
        text.len() - lines.rest.len()
    }

    /// [`Positions::push_fens`], with this backend.
    ///
    /// # Errors
    ///
    /// The first text that is not a position. The positions before it have been added.
    pub fn push_fens<'a, T: AsRef<[u8]> + ?Sized + 'a>(
        self,
        fens: impl IntoIterator<Item = &'a T>,
        positions: &mut Positions,
    ) -> Result<(), FenError> {
        let (mut fens, mut scratch) = (fens.into_iter().map(T::as_ref), Scratch::new());
        loop {
            let before = positions.len();
            let task = TextsTask { texts: &mut fens, positions, scratch: &mut scratch };
            let (unusual, slow) = match self.read(task).ok() {
                Some(None) => return Ok(()),
                Some(unusual) => (unusual, if positions.len() - before < FEW { ONE_BY_ONE } else { 0 }),
                None => (None, usize::MAX),
            };
            let block = &mut scratch.block;
            let read =
                unusual.into_iter().chain(fens.by_ref().take(slow)).try_for_each(|fen| positions.add_to(block, fen));
            positions.append(block);
            read?;
            if slow == usize::MAX {
                return Ok(());
            }
        }
    }

    /// [`Positions::push_fens_in`], with this backend.
    ///
    /// # Errors
    ///
    /// The first part that is not a position. The positions before it have been added.
    ///
    /// # Panics
    ///
    /// If a range does not lie in the text.
    pub fn push_fens_in(
        self,
        text: impl AsRef<[u8]>,
        ranges: impl IntoIterator<Item = Range<usize>>,
        positions: &mut Positions,
    ) -> Result<(), FenError> {
        let text = text.as_ref();
        let (mut ranges, mut scratch) = (ranges.into_iter(), Scratch::new());
        let mut taken = [const { 0..0 }; BLOCK];
        loop {
            let mut len = 0;
            for (place, range) in taken.iter_mut().zip(&mut ranges) {
                *place = range;
                len += 1;
            }
            let mut rest = &taken[..len];
            while !rest.is_empty() {
                scratch.read_parts(self, text, rest);
                let read = scratch.block.len;
                positions.append(&mut scratch.block);
                let (slow, later) =
                    rest[read..].split_at((rest.len() - read).min(if read < FEW { ONE_BY_ONE } else { 1 }));
                let block = &mut scratch.block;
                let added = slow.iter().try_for_each(|range| positions.add_to(block, &text[range.clone()]));
                positions.append(block);
                added?;
                rest = later;
            }
            if len < BLOCK {
                return Ok(());
            }
        }
    }
}

/// A reader of the lines of a text.
struct TextLines<'a> {
    /// The rest of the text. After an error, it begins with the wrong line.
    rest: &'a [u8],
    scratch: Scratch,
}

impl TextLines<'_> {
    /// Reads at most `most` positions. Blank lines and comments are passed over if `skips`, else they end this.
    fn read(
        &mut self,
        backend: Backend,
        mut most: usize,
        skips: bool,
        positions: &mut Positions,
    ) -> Result<(), FenError> {
        while !self.rest.is_empty() && most > 0 {
            let bytes = self.scratch.read_lines(backend, self.rest, most, skips);
            let read = self.scratch.block.len;
            positions.append(&mut self.scratch.block);
            (self.rest, most) = (&self.rest[bytes..], most - read);
            if read < BLOCK {
                let lines = if read < FEW { ONE_BY_ONE } else { 1 };
                let ended = self.read_one_by_one(lines, &mut most, skips, positions);
                positions.append(&mut self.scratch.block);
                if ended? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads some lines. Returns whether a line has ended this.
    fn read_one_by_one(
        &mut self,
        lines: usize,
        most: &mut usize,
        skips: bool,
        positions: &mut Positions,
    ) -> Result<bool, FenError> {
        for _ in 0..lines {
            if self.rest.is_empty() || *most == 0 {
                break;
            }
            let usual = fast::read(self.rest);
            let read = usual.as_ref().map_or(0, |(_, length)| *length);
            let end = fen::end_of_line(self.rest, read);
            let text = &self.rest[..end.start];
            let record = match usual {
                Some((record, _)) => Some(record),
                None if matches!(text.trim_ascii_start().first(), None | Some(b'#')) => None,
                None => Some(fen::read(text)?),
            };
            match record {
                Some(record) => {
                    positions.add_record(&mut self.scratch.block, &record);
                    *most -= 1;
                }
                None if skips => {}
                None => return Ok(true),
            }
            self.rest = &self.rest[end.end..];
        }
        Ok(false)
    }
}

/// A range of [`Positions`], returned by [`Positions::slice`]. `&positions` converts to one as well.
///
/// ```
/// use slider_attacks::position::{Color, Positions};
///
/// let mut positions = Positions::new();
/// positions.push_fens(["4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 b - -"])?;
/// let last = positions.slice(1..2);
/// assert_eq!((last.len(), last.side_to_move()), (1, &[Color::Black][..]));
/// assert!(last.into_iter().eq(positions.iter().skip(1)));
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PositionSlice<'a> {
    positions: &'a Positions,
    start: usize,
    end: usize,
}

impl<'a> PositionSlice<'a> {
    /// The number of positions.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Those of these positions in `range`, counted from the first of them.
    ///
    /// # Panics
    ///
    /// If the range is not one of them.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> PositionSlice<'a> {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} of {} positions", self.len());
        PositionSlice { positions: self.positions, start: self.start + range.start, end: self.start + range.end }
    }

    /// The squares of one kind of piece of one colour: one bitboard per position.
    #[must_use]
    pub fn pieces(self, color: Color, piece: Piece) -> &'a [u64] {
        &self.positions.pieces(color, piece)[self.start..self.end]
    }

    /// The squares of all pieces of one colour: one bitboard per position.
    #[must_use]
    pub fn color(self, color: Color) -> &'a [u64] {
        &self.positions.color(color)[self.start..self.end]
    }

    /// The squares of all pieces: one bitboard per position.
    #[must_use]
    pub fn occupancies(self) -> &'a [u64] {
        &self.positions.occupancies()[self.start..self.end]
    }

    /// The pieces of one of these positions by colour and kind, and all of each colour.
    #[inline(always)]
    pub(crate) fn boards(self, index: usize) -> ([[u64; 6]; 2], [u64; 2]) {
        assert!(index < self.len());
        let (at, Positions { pieces: [white, black], colors: [all_white, all_black], .. }) =
            (self.start + index, self.positions);
        // `map` of an array is not always inlined.
        let kinds = |[pawns, knights, bishops, rooks, queens, king]: &[Vec<u64>; 6]| {
            [pawns[at], knights[at], bishops[at], rooks[at], queens[at], king[at]]
        };
        ([kinds(white), kinds(black)], [all_white[at], all_black[at]])
    }

    /// The side to move, one per position.
    #[must_use]
    pub fn side_to_move(self) -> &'a [Color] {
        &self.positions.side_to_move()[self.start..self.end]
    }

    /// The castling rights as they were given, one per position.
    #[must_use]
    pub fn castling(self) -> &'a [Castling] {
        &self.positions.castling()[self.start..self.end]
    }

    /// The en passant squares as they were given, one per position.
    #[must_use]
    pub fn en_passant(self) -> &'a [Option<Square>] {
        &self.positions.en_passant()[self.start..self.end]
    }
}

/// Equal if they hold the same positions in the same order.
impl PartialEq for PositionSlice<'_> {
    fn eq(&self, other: &PositionSlice<'_>) -> bool {
        self.into_iter().eq(*other)
    }
}

impl Eq for PositionSlice<'_> {}

/// All positions.
impl<'a> From<&'a Positions> for PositionSlice<'a> {
    fn from(positions: &'a Positions) -> PositionSlice<'a> {
        positions.slice(0..positions.len())
    }
}
