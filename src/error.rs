//! What can be wrong with the input of a batch call.

use core::fmt;

/// Why a batch call did nothing. On every error, not one element of `out` has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The three slices differ in length.
    LengthMismatch {
        /// How many squares there were.
        squares: usize,
        /// How many occupancies there were.
        occupancies: usize,
        /// How many attack sets there was room for.
        out: usize,
    },
    /// The four slices of a call with sets of sliders differ in length.
    SetLengthMismatch {
        /// How many sets of sliders along ranks and files there were.
        orthogonal: usize,
        /// How many sets of sliders along diagonals there were.
        diagonal: usize,
        /// How many occupancies there were.
        occupancies: usize,
        /// How many attack sets there was room for.
        out: usize,
    },
    /// A square's number is 64 or more.
    SquareOutOfRange {
        /// Where the first such square stands.
        index: usize,
        /// Its number.
        square: u8,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BatchError::LengthMismatch { squares, occupancies, out } => {
                write!(f, "lengths differ: {squares} squares, {occupancies} occupancies, room for {out} attack sets")
            }
            BatchError::SetLengthMismatch { orthogonal, diagonal, occupancies, out } => write!(
                f,
                "lengths differ: {orthogonal} orthogonal sets, {diagonal} diagonal sets, {occupancies} occupancies, \
                 room for {out} attack sets"
            ),
            BatchError::SquareOutOfRange { index, square } => {
                write!(f, "square {square} at index {index} is not on the board")
            }
        }
    }
}

impl core::error::Error for BatchError {}
