//! What can be wrong with the text of a position.

use core::fmt;

use super::Color;

/// Where a FEN or EPD line is not as expected, and what was expected there. When there is one, nothing has been added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FenError {
    /// The byte of the line, counted from 1.
    pub column: usize,
    /// What was expected.
    pub expected: Expected,
    /// The byte that stood there; `None` at the end of the line.
    pub found: Option<u8>,
}

/// What a [`FenError`] expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A position, where the line is blank.
    Position,
    /// One of `KQRBNP`, `kqrbnp` or `1` to `8`.
    PieceOrNumber {
        /// The rank, 1 to 8.
        rank: u8,
    },
    /// Eight files in a rank.
    EightFiles {
        /// The rank, 1 to 8.
        rank: u8,
        /// How many there were.
        files: usize,
    },
    /// Eight ranks.
    EightRanks {
        /// How many there were.
        ranks: usize,
    },
    /// No pocket of captured pieces, in brackets, as in crazyhouse.
    NoPocket,
    /// One king of a colour.
    OneKing {
        /// The colour.
        color: Color,
        /// How many there were.
        kings: u32,
    },
    /// `w` or `b`.
    SideToMove,
    /// `-`, or letters of `KQkq`, `A` to `H` and `a` to `h`, none of them twice.
    Castling,
    /// `-`, or a square on rank 3 or 6.
    EnPassant,
    /// LF or CRLF: a CR stands alone. In the old text files of one system every line ends so, and all but the first would
    /// pass for what follows a position.
    EndOfLine,
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
            Expected::EndOfLine => return write!(f, "LF or CRLF at the end of a line, found a lone CR"),
        }
        match self.found {
            None => write!(f, ", found the end of the line"),
            Some(byte) if byte.is_ascii() => write!(f, ", found {:?}", byte as char),
            Some(byte) => write!(f, ", found the byte {byte:#04x}"),
        }
    }
}

impl core::error::Error for FenError {}

/// Which line of a text is not a position, and why. When there is one, nothing has been added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineError {
    /// The number of the line, counted from 1; blank lines and comments count.
    pub line: usize,
    /// What is wrong with it.
    pub error: FenError,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {}", self.line, self.error)
    }
}

impl core::error::Error for LineError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}
