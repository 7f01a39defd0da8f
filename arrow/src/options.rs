//! The options that all interfaces share, with the same names and values: the command, Python, C, the service, the page, the
//! engines.
//!
//! Each option that changes products is one entry in the call of the macro `options!`. This list defines the arguments and the
//! help of the command, the calls and the queries of the service with its OpenAPI document, the keywords of Python, the
//! parameters of `slider_attacks_options` in SQL, `sla_options_set` in C, the controls of the page, and the table in
//! `docs/products.md`.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::LazyLock;

use slider_attacks::Backend;
use slider_attacks::analysis::{ExchangeRules, PieceValues, Pinned, Side};

use crate::Error;

/// The most threads that a call, a command or the service can be asked for: those that compute, in addition to the ones that read,
/// gather and write.
pub const MOST_THREADS: usize = 256;

/// The most errors that a result keeps of rows that were left out or became null. It counts the others.
#[cfg(feature = "arrow")]
pub const MOST_ERRORS: usize = 1000;

/// Implements `ALL`, `name`, `meaning`, `Display` and `FromStr` for an option whose values have no data.
macro_rules! values {
    ($type:ident: $($(#[$attribute:meta])* $variant:ident $name:literal $meaning:literal),+ $(,)?) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [$type] = &[$($(#[$attribute])* $type::$variant),+];

            #[doc = concat!("The name that `Display` writes and `FromStr` reads:" $(, " `", $name, "`")+, ".")]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(#[$attribute])* $type::$variant => $name),+
                }
            }

            /// Its meaning, in one line.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($(#[$attribute])* $type::$variant => $meaning),+
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
    /// `UInt64` for bitboards, `UInt16` for moves and their numbers, `UInt8` for all other numbers.
    #[default]
    Unsigned,
    /// The same bits as `Int64`, `Int16` and `Int8`, for engines without unsigned integers. A bitboard with a piece on h8 is
    /// negative, and so is a castling move or a promotion. All other numbers are below 128, so they stay what they are.
    Signed,
}

values! {
    Integers:
    Unsigned "unsigned" "Unsigned integers: 64 bits for sets of squares, 8 for all other numbers",
    Signed "signed" "The same bits as signed integers, for programs without unsigned ones: a set with h8 is negative",
}

/// How malformed rows and lines are handled.
///
/// An interface that does not support one of these reports an error. Python calls the first `raise`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnError {
    /// They are an error, which names the location and ends the work.
    #[default]
    Fail,
    /// They are left out, and counted.
    Skip,
    /// It is null.
    Null,
    /// They are null, and a last column, [`OnError::COLUMN`], has the reason.
    Report,
}

values! {
    OnError:
    Fail "fail" "Stop with an error that names the line; keep the rows before it",
    Skip "skip" "Leave the line out, and report how many there were",
    Null "null" "Keep the row, with nulls in place of results",
    Report "report" "Like null, with the reason in a last column, `error`",
}

impl OnError {
    /// The name of the column with the reasons of null rows.
    pub const COLUMN: &'static str = "error";

    /// Whether malformed rows are kept, with nulls.
    pub const fn keeps_rows(self) -> bool {
        matches!(self, OnError::Null | OnError::Report)
    }
}

/// How Arrow arrays, Parquet files and data frames hold moves. CSV, JSON lines and the page always write UCI; NumPy arrays, the
/// functions of DuckDB and C always have 16 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Notation {
    /// The 16 bits of a [`Move`](slider_attacks::moves::Move).
    #[default]
    Bits,
    /// The text of UCI.
    Uci,
}

values! {
    Notation:
    Bits "bits" "16 bits: start, target, promotion and kind",
    Uci "uci" "Text, as in UCI",
}

/// How positions are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Perspective {
    /// As they are.
    #[default]
    Board,
    /// As the side to move sees them: see [`Backend::seen_by_mover`]. It needs the feature `lists`.
    #[cfg(feature = "lists")]
    Mover,
}

values! {
    Perspective:
    Board "board" "The board as it is",
    #[cfg(feature = "lists")]
    Mover "mover" "If Black is to move, with colours swapped and the board upside down",
}

/// Which values an option has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// One of these names.
    Choice(&'static [&'static str]),
    /// The values of a pawn, a knight, a bishop, a rook and a queen: a text such as `1,3,3,5,9`. Interfaces with lists accept
    /// these too.
    PieceValues,
}

/// A type of values that an option can have.
trait OptionValue: FromStr<Err: Display> + Display {
    const KIND: OptionKind;
}

impl OptionValue for PieceValues {
    const KIND: OptionKind = OptionKind::PieceValues;
}

/// Makes the names of these types choices.
macro_rules! choices {
    ($($type:ident),+) => {
        $(
            impl OptionValue for $type {
                const KIND: OptionKind = OptionKind::Choice(&{
                    let (mut names, mut at) = ([""; $type::ALL.len()], 0);
                    while at < names.len() {
                        names[at] = $type::ALL[at].name();
                        at += 1;
                    }
                    names
                });
            }
        )+
    };
}

choices!(Side, Pinned, Notation, Perspective);

/// An option that changes products: an entry of [`Options::ALL`].
#[derive(Debug)]
pub struct ProductOption {
    name: &'static str,
    value_name: &'static str,
    help: &'static str,
    kind: OptionKind,
    default: fn() -> &'static str,
    get: fn(&Options) -> String,
    set: fn(&mut Options, &str) -> Result<(), String>,
}

impl ProductOption {
    /// The name, which no other option has.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The placeholder of the value in help, such as `SIDE`.
    pub const fn value_name(&self) -> &'static str {
        self.value_name
    }

    /// Its effect, in one sentence without a full stop.
    pub const fn help(&self) -> &'static str {
        self.help
    }

    /// Which values it has.
    pub const fn kind(&self) -> OptionKind {
        self.kind
    }

    /// The value that it has unless another one is set.
    pub fn default(&self) -> &'static str {
        (self.default)()
    }

    /// Its value among these.
    pub fn value(&self, options: &Options) -> String {
        (self.get)(options)
    }
}

/// Declares the options, in the order in which interfaces list them. An entry has the name, the type, the default, what stands
/// for the value in help, and the help. The type implements [`OptionValue`].
macro_rules! options {
    ($($name:ident: $type:ty = $default:expr, $value_name:literal $help:literal;)+) => {
        /// The options that change products, each with its value. [`Plan::options`](crate::Plan::options) takes them.
        ///
        /// ```
        /// use slider_attacks_arrow::Options;
        ///
        /// let mut options = Options::default();
        /// options.set("through", "own")?;
        /// assert_eq!(options.through.name(), "own");
        ///
        /// let error = options.set("through", "mine").unwrap_err();
        /// assert_eq!(error.to_string(), r#"through: expected one of own, enemy, any, found "mine""#);
        /// # Ok::<(), slider_attacks_arrow::OptionError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub struct Options {
            $(
                #[doc = concat!($help, ".")]
                pub $name: $type,
            )+
        }

        impl Default for Options {
            fn default() -> Options {
                Options { $($name: $default),+ }
            }
        }

        impl Options {
            /// All options, in the order in which interfaces list them.
            pub const ALL: &'static [ProductOption] = &[$(ProductOption {
                name: stringify!($name),
                value_name: $value_name,
                help: $help,
                kind: <$type as OptionValue>::KIND,
                default: || {
                    static TEXT: LazyLock<String> = LazyLock::new(|| Options::default().$name.to_string());
                    &TEXT
                },
                get: |options| options.$name.to_string(),
                set: |options, value| {
                    options.$name = value.parse().map_err(|error: <$type as FromStr>::Err| error.to_string())?;
                    Ok(())
                },
            }),+];
        }
    };
}

options! {
    through: Side = Side::Any,
        "SIDE" "Let x-rays pass through pieces of this side, as seen from the slider";
    victims: Side = Side::Enemy,
        "SIDE" "List threats to pieces of this side, as seen from the attacker";
    values: PieceValues = PieceValues::default(),
        "FIVE" "The values of a pawn, knight, bishop, rook and queen in exchanges, each from 0 to 63";
    pinned: Pinned = Pinned::Capture,
        "ACTION" "How pinned pieces capture in exchanges: like all others, or only on the line of the pin";
    notation: Notation = Notation::Bits,
        "NOTATION" "How tables hold moves: as 16 bits, or as text of UCI, which CSV and JSON lines always have";
    perspective: Perspective = Perspective::Board,
        "VIEW" "Compute products of the board as it is, or, with `mover`, swap colours and turn it upside down if Black is to move";
}

impl Options {
    /// The option of this name.
    pub fn find(name: &str) -> Option<&'static ProductOption> {
        Options::ALL.iter().find(|option| option.name == name)
    }

    /// Sets the option of this name to a value, as the command reads it.
    ///
    /// # Errors
    ///
    /// There is no such option, or it has no such value. Then nothing has changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let option = Options::find(name).ok_or_else(|| OptionError::Unknown { name: beginning(name) })?;
        let error = |reason| OptionError::Value { option: option.name, reason, found: beginning(value) };
        (option.set)(self, value).map_err(error)
    }
}

/// The backend and the options of a computation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComputeOptions {
    pub backend: Backend,
    pub options: Options,
}

impl ComputeOptions {
    /// The rules of exchanges.
    pub fn exchange(&self) -> ExchangeRules {
        ExchangeRules { values: self.options.values, pinned: self.options.pinned }
    }
}

/// The beginning of a text that came from outside.
fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option of this name.
    #[error("unknown option {name:?}")]
    Unknown {
        /// The name, or its beginning.
        name: String,
    },
    /// The option has no such value.
    #[error("{option}: {reason}, found {found:?}")]
    Value {
        /// The name of the option.
        option: &'static str,
        /// The expected value, such as `expected one of own, enemy, any`.
        reason: String,
        /// The value, or its beginning.
        found: String,
    },
}

impl OptionError {
    /// The expected value, or that there is no such option, without the name and the value: for interfaces that state these
    /// themselves.
    pub fn reason(&self) -> String {
        match self {
            OptionError::Unknown { .. } => self.to_string(),
            OptionError::Value { reason, .. } => reason.clone(),
        }
    }
}
