//! The options that every face has, with the same names and values: the command, Python, the service, the engines.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The most threads that a call, a command or the service can be asked for: those that compute, beside the ones that read,
/// gather and write.
pub const MOST_THREADS: usize = 256;

/// The most errors that a result keeps of rows that were left out or became null. It counts the others.
#[cfg(feature = "arrow")]
pub const MOST_ERRORS: usize = 1000;

/// Implements `ALL`, `name`, `meaning`, `Display` and `FromStr` for an option whose values have no data.
macro_rules! values {
    ($type:ident: $($variant:ident $name:literal $meaning:literal),+ $(,)?) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            #[doc = concat!("The name that `Display` writes and `FromStr` reads:" $(, " `", $name, "`")+, ".")]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }

            /// What it means, in one line.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($type::$variant => $meaning),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<$type, Error> {
                let found = $type::ALL.iter().find(|value| value.name() == text);
                found.copied().ok_or_else(|| Error::unknown_name($type::ALL.iter().map(|value| value.name()), text))
            }
        }
    };
}

/// Which integers hold bitboards, counts, squares and the codes of pieces in a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integers {
    /// `UInt64` for bitboards, `UInt16` for numbers of moves, `UInt8` for all other numbers.
    #[default]
    Unsigned,
    /// The same bits as `Int64`, `Int16` and `Int8`, for engines without unsigned integers. A bitboard with a piece on h8 is
    /// negative. All other numbers are below 128, so they stay what they are.
    Signed,
}

values! {
    Integers:
    Unsigned "unsigned" "64 bits for sets of squares, 8 for all other numbers, without a sign",
    Signed "signed" "The same bits with a sign, for programs without unsigned integers: a set with h8 is negative",
}

/// What becomes of a row or line that cannot be read as a position.
///
/// A face that cannot do one of these says so. Python calls the first `raise`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// It is an error, which names the place and ends the work.
    #[default]
    Fail,
    /// It is left out, and counted.
    Skip,
    /// It is null.
    Null,
    /// It is null, and a last column, [`OnError::COLUMN`], says why.
    Report,
}

values! {
    OnError:
    Fail "fail" "End with an error that names it; the rows before it are kept",
    Skip "skip" "Leave it out, and report how many there were",
    Null "null" "Keep its row, with nulls in place of results",
    Report "report" "As null, and say why in a last column, `error`",
}

impl OnError {
    /// The name of the column that says why a row is null.
    pub const COLUMN: &'static str = "error";

    /// Whether such a row stays, with nulls.
    pub const fn keeps_rows(self) -> bool {
        matches!(self, OnError::Null | OnError::Report)
    }
}
