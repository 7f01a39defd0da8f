//! Errors in the input of batch calls and in the text of names.

use core::fmt;

use crate::moves::Move;

/// The reason why a batch call was refused. On any error, nothing has been written to `out`, except that
/// [`Backend::after`](crate::Backend::after) leaves no positions there.
///
/// ```
/// use slider_attacks::{BatchError, batch_attacks};
///
/// let error = batch_attacks(&[64], &[0], &mut [0]).unwrap_err();
/// assert_eq!(error, BatchError::SquareOutOfRange { index: 0, square: 64 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The slices of a call for single sliders differ in length.
    LengthMismatch {
        /// The number of squares.
        squares: usize,
        /// The number of occupancies.
        occupancies: usize,
        /// The number of attack sets that `out` has room for.
        out: usize,
    },
    /// The slices of a call for sets of sliders differ in length.
    SetLengthMismatch {
        /// The number of sets of sliders that move along ranks and files.
        orthogonal: usize,
        /// The number of sets of sliders that move along diagonals.
        diagonal: usize,
        /// The number of occupancies.
        occupancies: usize,
        /// The number of attack sets that `out` has room for.
        out: usize,
    },
    /// `out` does not have one element per position.
    PositionLengthMismatch {
        /// The number of positions.
        positions: usize,
        /// The number of positions that `out` has room for.
        out: usize,
    },
    /// There is not one list of moves for each position.
    ListLengthMismatch {
        /// The number of positions.
        positions: usize,
        /// The number of lists.
        lists: usize,
    },
    /// A position does not have the move that was to be made in it.
    WrongMove {
        /// The index of the first such position.
        position: usize,
        /// The move.
        mv: Move,
    },
    /// The number of groups differs from the number of elements.
    GroupLengthMismatch {
        /// The number of boards, or of lists of numbers.
        elements: usize,
        /// The number of their groups.
        groups: usize,
    },
    /// The number of a group is too large for `out`.
    GroupOutOfRange {
        /// The index of the first such group.
        index: usize,
        /// Its number.
        group: u32,
        /// The number of groups that `out` has room for.
        room: usize,
    },
    /// The number of a square is 64 or more.
    SquareOutOfRange {
        /// The index of the first such square.
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
            BatchError::PositionLengthMismatch { positions, out } => {
                write!(f, "lengths differ: {positions} positions, room for {out}")
            }
            BatchError::ListLengthMismatch { positions, lists } => {
                write!(f, "lengths differ: {positions} positions, {lists} lists of moves")
            }
            BatchError::WrongMove { position, mv } => write!(f, "move {mv} is not one of position {position}"),
            BatchError::GroupLengthMismatch { elements, groups } => {
                write!(f, "lengths differ: {elements} elements, {groups} groups")
            }
            BatchError::GroupOutOfRange { index, group, room } => {
                write!(f, "group {group} at index {index} is not below {room}, the number of groups in out")
            }
            BatchError::SquareOutOfRange { index, square } => {
                write!(f, "square {square} at index {index} is not on the board")
            }
        }
    }
}

impl core::error::Error for BatchError {}

/// The text is not the name of a value of this type. `Display` lists the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseNameError {
    text: String,
    names: String,
}

impl ParseNameError {
    pub(crate) fn new(text: &str, names: &[&str]) -> ParseNameError {
        ParseNameError { text: text.to_owned(), names: names.join(", ") }
    }

    /// The text that was refused.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ParseNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}", self.names)
    }
}

impl core::error::Error for ParseNameError {}

/// Declares the error for text that is not a value of a type. The error keeps the text.
macro_rules! parse_error {
    ($(#[$doc:meta])+ $name:ident, $($message:tt)+) => {
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// The text that was refused.
            #[must_use]
            pub fn text(&self) -> &str {
                &self.0
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, $($message)+)
            }
        }

        impl core::error::Error for $name {}
    };
}

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum without data, from the name of each variant.
macro_rules! names {
    ($type:ident, $count:literal: $($variant:ident $name:literal),+) => {
        impl $type {
            /// All values, in the order of the declaration.
            pub const ALL: [$type; $count] = [$($type::$variant),+];

            #[doc = concat!("The name that `Display` writes and `FromStr` reads:" $(, " `", $name, "`")+, ".")]
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::ParseNameError;

            fn from_str(text: &str) -> Result<$type, crate::ParseNameError> {
                let found = $type::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| crate::ParseNameError::new(text, &[$($name),+]))
            }
        }
    };
}

pub(crate) use {names, parse_error};
