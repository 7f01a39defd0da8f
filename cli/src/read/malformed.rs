//! Messages about malformed input.

use std::fmt;

/// The error of a line that other programs may take for two lines.
pub const LONE_CR: &str = "end of line: expected LF or CRLF, found a lone CR";

/// A malformed line or row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1.
    pub line: u64,
    /// The field, what was expected there, and what was found.
    pub what: Box<str>,
}

/// The error of a line: the field, what was expected there, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    field: &'static str,
    expected: &'static str,
    found: String,
}

impl LineError {
    /// `value` is the text that was found, or `None` at the end of the line. It is quoted, and shortened if it is long.
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

/// The text in quotation marks, with control characters escaped, cut off after about one line of a terminal.
pub fn quoted(text: &str) -> String {
    const LIMIT: usize = 80;
    let shown: String = text.chars().take(LIMIT).collect();
    let rest = text.len() - shown.len();
    if rest == 0 { format!("{shown:?}") } else { format!("{shown:?}… ({rest} more bytes)") }
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
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}é \"b\\\""), "a\\u{1b}[2J\\n\\u{202e}é \"b\\\"");
    }
}
