//! What is said about malformed input.

use std::fmt;

/// What is wrong with a line of which other programs may think that it is two.
pub const LONE_CR: &str = "end of line: expected LF or CRLF, found a lone CR";

/// A malformed line or row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1.
    pub line: u64,
    /// In which field, what was expected there, and what stood there.
    pub what: Box<str>,
}

/// What is wrong with a line: in which field, what was expected there, and what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    field: &'static str,
    expected: &'static str,
    found: String,
}

impl LineError {
    /// `value` is the text that stood there, if the line went so far: quoted, and shortened if it is long.
    pub fn new(field: &'static str, expected: &'static str, value: Option<&str>) -> LineError {
        LineError { field, expected, found: value.map_or_else(|| "the end of the line".to_owned(), quoted) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.field, self.expected, self.found)
    }
}

impl std::error::Error for LineError {}

/// The text in quotation marks, control characters escaped, cut off after what fills a line on the screen.
pub fn quoted(text: &str) -> String {
    const LIMIT: usize = 80;
    let shown: String = text.chars().take(LIMIT).collect();
    let rest = text.len() - shown.len();
    if rest == 0 { format!("{shown:?}") } else { format!("{shown:?}… ({rest} more bytes)") }
}

/// The text with control characters escaped, so that a name cannot send commands to a terminal or fill many lines.
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
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}é \"b\\\""), "a\\u{1b}[2J\\n\\u{202e}é \"b\\\"");
    }
}
