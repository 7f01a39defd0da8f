//! Errors: inputs that cannot be opened, and malformed records.

use std::fmt::{self, Display, Formatter};

use slider_attacks::position::FenError;
use slider_attacks_games::pgn;
use thiserror::Error;

/// Why an input cannot be opened. Messages name the input, but give no advice in the words of a program: its options, for example.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// More bytes of the input are needed: so many, or all of it.
    #[error("at least {least} bytes of the input are needed")]
    MoreBytes {
        /// How many bytes there must be from the beginning on, unless there are fewer.
        least: usize,
    },
    /// The bytes are no text.
    #[error(
        "cannot read {}: it is {what}; only plain files and those compressed with gzip or zstd can be read",
        printable(input)
    )]
    NoText {
        /// The name of the input.
        input: String,
        /// What the bytes are.
        what: &'static str,
    },
    /// Parquet in a compressed file.
    #[error("cannot read {}: it is compressed Parquet; decompress it first", printable(input))]
    CompressedParquet {
        /// The name of the input.
        input: String,
    },
    /// The first line begins with a square bracket, and is no tag.
    #[error(
        "cannot read {}: it is a JSON array, or PGN whose first tag is wrong; use PGN, FEN, EPD, CSV, JSON lines or Parquet",
        printable(input)
    )]
    Array {
        /// The name of the input.
        input: String,
    },
    /// No format of a list fits.
    #[error("cannot read {}: it has no format that is known", printable(input))]
    UnknownFormat {
        /// The name of the input.
        input: String,
    },
    /// The input has another format than those that are wanted.
    #[error("cannot read {} as {}: it is {found}", printable(input), expected.join(" or "))]
    OtherFormat {
        /// The name of the input.
        input: String,
        /// The names of the formats that are wanted.
        expected: Vec<&'static str>,
        /// The name of its format.
        found: &'static str,
    },
    /// The input has no column of this name.
    #[error("{} has no column {}{purpose}; its columns are {}", printable(input), quoted(column), listed(columns))]
    NoColumn {
        /// The name of the input.
        input: String,
        /// The name that no column has.
        column: String,
        /// What the column is for.
        purpose: Purpose,
        /// The names of its columns.
        columns: Vec<String>,
    },
    /// Two columns of the input have the same name.
    #[error(
        "{}: columns {} and {} are both named {}; rename one of them",
        printable(input),
        places[0] + 1,
        places[1] + 1,
        quoted(column)
    )]
    SameName {
        /// The name of the input.
        input: String,
        /// The name.
        column: String,
        /// The places of the columns, from 0.
        places: [usize; 2],
    },
    /// A column to keep has the name of another column of the output.
    #[error(
        "{}: cannot keep column {}, the output would have two columns of that name",
        printable(input),
        quoted(column)
    )]
    NameTaken {
        /// The name of the input.
        input: String,
        /// The name.
        column: String,
    },
    /// The header of CSV is malformed.
    #[error("{}, line {line}, {}", printable(input), wrong.what)]
    Header {
        /// The name of the input.
        input: String,
        /// The number of its line, from 1.
        line: u64,
        /// What is wrong with it.
        wrong: Box<Wrong>,
    },
    /// CSV begins with a position.
    #[error(
        "{}: CSV needs a header, but field {} of the first line is a position; put a line with names before it",
        printable(input),
        field + 1
    )]
    NoHeader {
        /// The name of the input.
        input: String,
        /// The place of the field with the position, from 0.
        field: usize,
    },
    /// All columns of JSON lines are to be kept, and the output needs their names before.
    #[error("{}: JSON lines have no fixed columns", printable(input))]
    NoFixedColumns {
        /// The name of the input.
        input: String,
    },
    /// The move that led to a position is to be kept of records of engines.
    #[error(
        "{} has no column {}, the move that led to a position; next_uci and next_move are the move played from it",
        printable(input),
        quoted(column)
    )]
    NoLastMove {
        /// The name of the input.
        input: String,
        /// The name of the column to keep.
        column: String,
    },
    /// Some games or some of their positions are wanted, and the input has none.
    #[error("{} has no games", printable(input))]
    NoGames {
        /// The name of the input.
        input: String,
    },
    /// Positions after a first move are wanted, and the format has none.
    #[error("{} has no column of moves", printable(input))]
    NoMoves {
        /// The name of the input.
        input: String,
    },
    /// Positions after a first move are wanted of games.
    #[error("{}: column {} has games", printable(input), quoted(column))]
    FirstMovesOfGames {
        /// The name of the input.
        input: String,
        /// The name of the column.
        column: String,
    },
    /// Tags are compared, and the games are in a column of a table.
    #[error("{}: column {} has no tags to compare", printable(input), quoted(column))]
    NoTags {
        /// The name of the input.
        input: String,
        /// The name of the column.
        column: String,
    },
}

/// What a column is for that an input does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It has the positions.
    Positions,
    /// It is kept.
    Keep,
    /// It has the moves that are played first.
    FirstMoves,
}

impl Display for Purpose {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Purpose::Positions => "",
            Purpose::Keep => " to keep",
            Purpose::FirstMoves => " for the first moves",
        })
    }
}

/// Names for a message: about three lines of them.
pub fn listed(names: &[String]) -> String {
    printable(&names.join(", ").chars().take(300).collect::<String>())
}

/// A malformed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1, in the unit of its source: a line, a row.
    pub number: u64,
    /// The field, what was expected there, and what was found.
    pub what: Box<str>,
    /// The same for programs, of a record that ends the run. There may be many others.
    pub place: Option<Box<Place>>,
}

/// Where in a record something is wrong, as far as that is known, and what stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The name of the field.
    pub field: Option<Box<str>>,
    /// The line of a game, from 1.
    pub line: Option<u64>,
    /// The byte of the line or the field, from 1.
    pub column: Option<u64>,
    /// The half moves of a game before it.
    pub ply: Option<u64>,
    /// What was found, if that is text: its beginning, as it stands there.
    pub value: Option<Box<str>>,
    /// Whether it is a game of another variant of chess, which is not malformed otherwise.
    pub is_variant: bool,
}

/// What is wrong with a record. All that can be shown makes one, which has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The field, what was expected there, and what was found.
    pub what: String,
    /// The same for programs.
    pub place: Place,
}

impl<T: Display> From<T> for Wrong {
    fn from(what: T) -> Wrong {
        Wrong { what: what.to_string(), place: Place::default() }
    }
}

impl Wrong {
    /// What is wrong with a position.
    pub fn of_fen(error: FenError) -> Wrong {
        let place = Place { column: Some(error.column as u64), ..Place::default() };
        Wrong { what: error.to_string(), place }.found(error.found().as_slice())
    }

    /// What is wrong with a game.
    pub fn of_game(error: &pgn::Error<'_>) -> Wrong {
        let (line, column, ply) = (Some(error.line), Some(error.column as u64), Some(error.ply.into()));
        let is_variant = error.problem == pgn::Problem::Variant;
        let place = Place { line, column, ply, is_variant, ..Place::default() };
        Wrong { what: error.to_string(), place }.found(error.found)
    }

    /// The same in the field of this name.
    pub fn in_field(self, field: &str) -> Wrong {
        let what = format!("field {}, {}", quoted(field), self.what);
        Wrong { what, ..self }.at_field(field)
    }

    /// The same about the field of this name, which the text names already.
    pub fn at_field(self, field: &str) -> Wrong {
        Wrong { place: Place { field: Some(field.into()), ..self.place }, ..self }
    }

    /// The same, where this was found.
    pub fn found(self, found: &[u8]) -> Wrong {
        let value = str::from_utf8(found).ok().filter(|found| !found.is_empty());
        let value = value.map(|value| value[..beginning(value)].into());
        Wrong { place: Place { value, ..self.place }, ..self }
    }
}

/// The most letters of a value that messages show: about one line of a terminal.
const SHOWN: usize = 80;

/// Where the beginning of a text ends that messages show.
fn beginning(text: &str) -> usize {
    text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end)
}

/// The text in quotation marks, with control characters escaped, cut off after about one line of a terminal.
pub fn quoted(text: &str) -> String {
    shortened(text, |shown| format!("{shown:?}"))
}

/// The text as `show` shows it, cut off after about one line of a terminal.
pub fn shortened(text: &str, show: impl Fn(&str) -> String) -> String {
    let end = beginning(text);
    let (shown, rest) = (show(&text[..end]), text.len() - end);
    if rest == 0 { shown } else { format!("{shown}… ({rest} more bytes)") }
}

/// The text with control characters escaped, so that a name can neither send commands to a terminal nor span lines.
pub fn printable(text: &str) -> String {
    let escape = |letter: char| match letter {
        '"' | '\'' | '\\' => letter.to_string(),
        _ => letter.escape_debug().to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(quoted("a\tb"), "\"a\\tb\"");
        assert_eq!(quoted(&"é".repeat(80)), format!("\"{}\"", "é".repeat(80)));
        assert_eq!(quoted(&"é".repeat(90)), format!("\"{}\"… (20 more bytes)", "é".repeat(80)));
    }

    #[test]
    fn places_have_what_stands_there() {
        let value = |found: &[u8]| Wrong::from("").found(found).place.value;
        for text in ["\"", "'", "\\", "\\\"", "a\tb", "\u{202e}x", "', found 'y", "é"] {
            assert_eq!(value(text.as_bytes()).as_deref(), Some(text));
        }
        assert_eq!((value(b""), value(b"\xff"), value("é".as_bytes().split_at(1).0)), (None, None, None));
        assert_eq!(value("é".repeat(90).as_bytes()).as_deref(), Some(&*"é".repeat(80)));
        let wrong = Wrong::from("column 1: expected").in_field("a\"b");
        assert_eq!(
            (&*wrong.what, wrong.place.field.as_deref()),
            ("field \"a\\\"b\", column 1: expected", Some("a\"b"))
        );
    }

    #[test]
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}é \"b\\\""), "a\\u{1b}[2J\\n\\u{202e}é \"b\\\"");
    }
}
