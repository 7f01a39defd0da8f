//! Errors: inputs that cannot be opened, and malformed records.

use std::fmt::{self, Display, Formatter};

use slider_attacks::position::FenError;
use slider_attacks_games::{MoveError, pgn, records};
use thiserror::Error;

use crate::content::MAX_RECORD;

/// Why an input cannot be opened. Messages name the input, but give no advice in the words of a program: its options, for example.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// More bytes of the input are needed: this many, or all of it.
    #[error("needs at least {least} bytes of input")]
    MoreBytes {
        /// How many bytes there must be from the beginning on, unless there are fewer.
        least: usize,
    },
    /// The bytes are no text.
    #[error("cannot read {}: it is {what}; only plain, gzip and zstd files are supported", printable(input))]
    NoText {
        /// The name of the input.
        input: String,
        /// The content that was recognised.
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
        "cannot read {}: it is a JSON array, or PGN with a malformed first tag; use PGN, FEN, EPD, CSV, JSON lines or Parquet",
        printable(input)
    )]
    Array {
        /// The name of the input.
        input: String,
    },
    /// No format of a list fits.
    #[error("cannot read {}: unrecognised format", printable(input))]
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
        /// The purpose of the column.
        purpose: Purpose,
        /// The names of its columns.
        columns: Vec<String>,
    },
    /// The header has more columns than are read.
    #[error("{}, line {line}: expected at most {most} columns, found {found}", printable(input))]
    TooManyColumns {
        /// The name of the input.
        input: String,
        /// The line of the header, from 1.
        line: u64,
        /// The most that it may have.
        most: usize,
        /// How many it has.
        found: usize,
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
        "{}: cannot keep column {}: the output already has a column of that name",
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
    #[error("{}, line {line}, {wrong}", printable(input))]
    Header {
        /// The name of the input.
        input: String,
        /// The number of its line, from 1.
        line: u64,
        /// The error.
        wrong: Box<RecordError>,
    },
    /// CSV begins with a position.
    #[error(
        "{}: CSV needs a header, but field {} of the first line is a position; add a line with column names",
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

/// The purpose of a missing column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It has the positions.
    Positions,
    /// It is kept.
    Keep,
    /// It has the moves that are played first.
    FirstMoves,
    /// A condition compares it.
    Condition {
        /// What may be meant instead: a name that is no column of an input.
        nearest: Option<&'static str>,
    },
}

impl Display for Purpose {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Purpose::Positions => "",
            Purpose::Keep => " to keep",
            Purpose::FirstMoves => " for the first moves",
            Purpose::Condition { nearest: None } => " for the condition",
            Purpose::Condition { nearest: Some(name) } => {
                return write!(f, " for the condition (did you mean `{name}`?)");
            }
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
    pub place: Option<Box<ErrorPlace>>,
}

/// The location of an error in a record, as far as it is known, and the text found there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorPlace {
    /// The name of the field.
    pub field: Option<Box<str>>,
    /// The line of a game, from 1.
    pub line: Option<u64>,
    /// The byte of the line or the field, from 1.
    pub column: Option<u64>,
    /// The half moves of a game before it.
    pub ply: Option<u64>,
    /// The beginning of the found text, if it is text.
    pub value: Option<Box<str>>,
    /// What is wrong.
    pub problem: Option<Box<Problem>>,
}

impl ErrorPlace {
    /// Whether it is a game of another variant of chess, which is not malformed otherwise.
    pub fn is_variant(&self) -> bool {
        matches!(self.problem.as_deref(), Some(Problem::Game { problem: pgn::PgnProblem::Variant, .. }))
    }
}

/// The error of a record: the expected and the found value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A text is no position.
    #[error("{0}")]
    Position(FenError),
    /// There is no position.
    #[error("expected a position, found null")]
    NoPosition,
    /// A field with a position has several lines.
    #[error("expected one position, found a line end")]
    SeveralLines,
    /// A game has an error.
    #[error("{text}")]
    Game {
        /// The error.
        problem: pgn::PgnProblem,
        /// Where, what was expected there, and what was found.
        text: Box<str>,
    },
    /// A field has no game.
    #[error("expected a game, found {found}")]
    NoGame {
        /// The found value.
        found: &'static str,
    },
    /// A field has no move.
    #[error("expected a move, found none")]
    NoMove,
    /// A text is no move that can be played.
    #[error("{error}, found {}", quoted(found))]
    Move {
        /// Why.
        error: MoveError,
        /// The text.
        found: String,
    },
    /// A training record is invalid.
    #[error("{0}")]
    Record(records::RecordProblem),
    /// A record is too long.
    #[error("length: expected at most {most} {units}, found more")]
    Length {
        /// The most that it may have.
        most: usize,
        /// What of: `bytes` or `positions`.
        units: &'static str,
    },
    /// A text is not UTF-8.
    #[error("encoding: expected UTF-8 text, found byte {byte:#04x}")]
    Encoding {
        /// The first byte that is wrong.
        byte: u8,
    },
    /// A line is no JSON, as the reader of JSON says.
    #[error("{0}")]
    Json(Box<str>),
    /// An object has no such field.
    #[error("expected a field {}, found none", quoted(name))]
    NoField {
        /// The name of the field.
        name: String,
    },
    /// An object has two such fields.
    #[error("expected one field {}, found two", quoted(name))]
    TwoFields {
        /// The name of the fields.
        name: String,
    },
    /// An object has more fields than are read.
    #[error("fields: expected at most {most}, found {found}")]
    Fields {
        /// The most that it may have.
        most: usize,
        /// How many it has.
        found: usize,
    },
    /// A value is no text.
    #[error("expected text, found {}", shortened(found, printable))]
    NoText {
        /// The value.
        found: String,
    },
    /// A record of CSV has other columns than the header.
    #[error("columns: expected {expected} as in the header, found {found}")]
    Columns {
        /// How many columns the header has.
        expected: usize,
        /// How many columns the record has.
        found: usize,
    },
    /// Something follows the quotation mark that closes a field.
    #[error(
        "field {field}: expected {delimiter:?} or the end of the line after the closing quotation mark, found {}",
        quoted(found)
    )]
    AfterQuotation {
        /// The number of the field, from 1.
        field: usize,
        /// The separator of fields.
        delimiter: char,
        /// The rest of the field.
        found: String,
    },
    /// A quotation mark is not closed.
    #[error(
        "field {field}: expected a closing quotation mark before {delimiter:?} or a line end within {MAX_RECORD} bytes, found none"
    )]
    NoClosingQuotation {
        /// The number of the field, from 1.
        field: usize,
        /// The separator of fields.
        delimiter: char,
    },
    /// A line is no pair.
    #[error("{part}: expected {expected}, found {}", found.as_deref().map_or("the end of the line".to_owned(), quoted))]
    Pair {
        /// The part of the pair.
        part: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The found value.
        found: Option<String>,
    },
    /// Something else, which this text says.
    #[error("{0}")]
    Other(Box<str>),
}

/// The error of a record, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    // In boxes, because results have room for both it and what is right.
    problem: Box<Problem>,
    /// The prefix of messages, for example the field.
    context: String,
    place: Box<ErrorPlace>,
}

impl<T: Into<Problem>> From<T> for RecordError {
    fn from(problem: T) -> RecordError {
        RecordError { problem: Box::new(problem.into()), context: String::new(), place: Box::default() }
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Problem {
        Problem::Other(text.into())
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem::Other(text.into())
    }
}

impl From<records::RecordProblem> for Problem {
    fn from(problem: records::RecordProblem) -> Problem {
        Problem::Record(problem)
    }
}

impl From<FenError> for RecordError {
    fn from(error: FenError) -> RecordError {
        let place = ErrorPlace { column: Some(error.column as u64), ..ErrorPlace::default() };
        let wrong = RecordError { place: place.into(), ..Problem::Position(error).into() };
        wrong.found(error.found().as_slice())
    }
}

impl From<&pgn::Error<'_>> for RecordError {
    fn from(error: &pgn::Error<'_>) -> RecordError {
        let (line, column, ply) = (Some(error.line), Some(error.column as u64), Some(error.ply.into()));
        let problem = Problem::Game { problem: error.problem, text: error.to_string().into() };
        let place = ErrorPlace { line, column, ply, ..ErrorPlace::default() };
        RecordError { place: place.into(), ..problem.into() }.found(error.found)
    }
}

impl Display for RecordError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.context, self.problem)
    }
}

impl RecordError {
    /// The error of a game in a field of a table.
    pub fn of_game_in(field: &str, error: &pgn::Error<'_>) -> RecordError {
        let mut wrong = RecordError::from(error);
        // Nearly always, it is the only line.
        if let Problem::Game { text, .. } = &mut *wrong.problem
            && let Some(rest) = text.strip_prefix("line 1, ")
        {
            *text = rest.into();
        }
        wrong.in_field(field)
    }

    /// The same in the field of this name.
    pub fn in_field(self, field: &str) -> RecordError {
        self.within(&format!("field {}, ", quoted(field))).at_field(field)
    }

    /// The same about the field of this name.
    pub fn about_field(self, field: &str) -> RecordError {
        self.within(&format!("field {}: ", quoted(field))).at_field(field)
    }

    /// The same in JSON.
    pub fn in_json(self) -> RecordError {
        self.within("JSON: ")
    }

    /// The same, with this before the message.
    fn within(mut self, context: &str) -> RecordError {
        self.context.insert_str(0, context);
        self
    }

    /// The same about the field of this name, which the message names already, or need not name.
    pub fn at_field(mut self, field: &str) -> RecordError {
        self.place.field = Some(field.into());
        self
    }

    /// The same, where this was found.
    pub fn found(mut self, found: &[u8]) -> RecordError {
        let value = str::from_utf8(found).ok().filter(|found| !found.is_empty());
        self.place.value = value.map(|value| value[..beginning(value)].into());
        self
    }

    /// Where it is, with what it is.
    pub fn into_place(mut self) -> Box<ErrorPlace> {
        self.place.problem = Some(self.problem);
        self.place
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
        let value = |found: &[u8]| RecordError::from("").found(found).place.value;
        for text in ["\"", "'", "\\", "\\\"", "a\tb", "\u{202e}x", "', found 'y", "é"] {
            assert_eq!(value(text.as_bytes()).as_deref(), Some(text));
        }
        assert_eq!((value(b""), value(b"\xff"), value("é".as_bytes().split_at(1).0)), (None, None, None));
        assert_eq!(value("é".repeat(90).as_bytes()).as_deref(), Some(&*"é".repeat(80)));
        let wrong = RecordError::from("column 1: expected").in_field("a\"b");
        assert_eq!(
            (wrong.to_string().as_str(), wrong.place.field.as_deref()),
            ("field \"a\\\"b\", column 1: expected", Some("a\"b"))
        );
    }

    #[test]
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}é \"b\\\""), "a\\u{1b}[2J\\n\\u{202e}é \"b\\\"");
    }
}
