//! Malformed records, and messages about them.

use std::fmt::Display;

use slider_attacks::position::FenError;
use slider_attacks_games::pgn;

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
        Wrong { what: error.to_string(), place: Place { line, column, ply, ..Place::default() } }.found(error.found)
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
