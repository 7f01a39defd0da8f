//! Errors in the text or the bitboards of positions.

use core::fmt;

use super::Color;
use crate::Square;

/// The place of an error in a FEN or EPD line. Its `Display` names the expected and the actual text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FenError {
    /// The column in the line, in bytes, counted from 1.
    pub column: usize,
    pub(super) expected: Expected,
    /// The byte in that column; `None` at the end of the line.
    pub(super) found: Option<u8>,
}

/// The expected text of a [`FenError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A position, where the line is blank.
    Position,
    /// One of `KQRBNP`, `kqrbnp` or `1` to `8`, in a rank from 1 to 8.
    PieceOrNumber { rank: u8 },
    /// Eight files in a rank from 1 to 8, where there are more or fewer.
    EightFiles { rank: u8, files: usize },
    /// Eight ranks, where there are more or fewer.
    EightRanks { ranks: usize },
    /// No pocket of captured pieces in brackets, as in crazyhouse.
    NoPocket,
    /// One king of a colour, where there are more or none.
    OneKing { color: Color, kings: u32 },
    /// `w` or `b`.
    SideToMove,
    /// `-`, or letters of `KQkq`, `A` to `H` and `a` to `h`, none of them twice.
    Castling,
    /// `-`, or a square on rank 3 or 6.
    EnPassant,
}

impl FenError {
    /// The byte that stands in [`column`](FenError::column), if the error is about that byte. `None` at the end of a
    /// line, and if something is missing or duplicated.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    ///
    /// let error = Positions::new().push_fen(b"4k3/8/8/8/8/8/8/4K3 x - -").unwrap_err();
    /// assert_eq!((error.column, error.found()), (21, Some(b'x')));
    /// ```
    #[must_use]
    pub fn found(&self) -> Option<u8> {
        match self.expected {
            Expected::PieceOrNumber { .. } | Expected::SideToMove | Expected::Castling | Expected::EnPassant => {
                self.found
            }
            _ => None,
        }
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: expected ", self.column)?;
        match self.expected {
            Expected::Position => write!(f, "a position")?,
            Expected::PieceOrNumber { rank } => write!(f, "KQRBNP, kqrbnp or 1 to 8 in rank {rank}")?,
            Expected::EightFiles { rank, files } => return write!(f, "8 files in rank {rank}, found {files}"),
            Expected::EightRanks { ranks } => return write!(f, "8 ranks separated by /, found {ranks}"),
            Expected::NoPocket => return write!(f, "no pocket of captured pieces, found one: crazyhouse is not read"),
            Expected::OneKing { color, kings } => return write!(f, "one {color} king, found {kings}"),
            Expected::SideToMove => write!(f, "w or b as the side to move")?,
            Expected::Castling => write!(f, "- or castling rights (letters of KQkq, A-H and a-h, none twice)")?,
            Expected::EnPassant => write!(f, "- or an en passant square on rank 3 or 6")?,
        }
        match self.found {
            None => write!(f, ", found the end of the line"),
            Some(byte) if byte.is_ascii() => write!(f, ", found {:?}", byte as char),
            Some(byte) => write!(f, ", found the byte {byte:#04x}"),
        }
    }
}

impl core::error::Error for FenError {}

/// A line of a text that is not a position: its number, and the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadError {
    /// The number of the line, counted from 1; blank lines and comments count.
    pub line: usize,
    /// The error of the line.
    pub error: FenError,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {}", self.line, self.error)
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// The reason why bitboards are not a position: see [`Position::new`](super::Position::new).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardError {
    /// More than one piece stands on a square.
    TwoPieces {
        /// The first such square.
        square: Square,
    },
    /// The number of a piece is not from 1 to 6, or an empty square has a colour.
    UnknownPiece {
        /// The first such square.
        square: Square,
    },
    /// A colour has no king, or more than one.
    OneKing {
        /// The colour.
        color: Color,
        /// The number of its kings.
        kings: u32,
    },
    /// The en passant square is not on rank 3 or 6.
    EnPassant {
        /// The square.
        square: Square,
    },
}

/// The first invalid one of many positions: see [`Positions::push_arrays`](super::Positions::push_arrays) and
/// [`push_planes`](super::Positions::push_planes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanesError {
    /// The arrays do not have the same length.
    LengthMismatch,
    /// A position is invalid.
    Board {
        /// The index of the position.
        index: usize,
        /// The problem.
        error: BoardError,
    },
}

impl fmt::Display for PlanesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanesError::LengthMismatch => f.write_str("expected arrays of one length"),
            PlanesError::Board { index, error } => write!(f, "position {index}: {error}"),
        }
    }
}

impl core::error::Error for PlanesError {}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::TwoPieces { square } => write!(f, "expected at most one piece on {square}, found several"),
            BoardError::UnknownPiece { square } => write!(f, "expected a piece or none on {square}"),
            BoardError::OneKing { color, kings } => write!(f, "expected one {color} king, found {kings}"),
            BoardError::EnPassant { square } => {
                write!(f, "expected an en passant square on rank 3 or 6, found {square}")
            }
        }
    }
}

impl core::error::Error for BoardError {}
