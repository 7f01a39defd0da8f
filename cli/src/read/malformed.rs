//! What is said about malformed lines.

use std::fmt;

/// What is wrong with a line: in which field, what was expected there, and what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    field: &'static str,
    expected: String,
    found: String,
}

impl LineError {
    /// `found` says what stood there in words of its own.
    pub fn new(field: &'static str, expected: impl Into<String>, found: impl Into<String>) -> LineError {
        LineError { field, expected: expected.into(), found: found.into() }
    }

    /// `value` is the text that stood there, if the line went so far: quoted, and shortened if it is long.
    pub fn value(field: &'static str, expected: impl Into<String>, value: Option<&str>) -> LineError {
        LineError::new(field, expected, value.map_or_else(|| "the end of the line".to_owned(), quoted))
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.field, self.expected, self.found)
    }
}

/// The text in quotation marks, control characters escaped, cut off after what fills a line on the screen.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let shown: String = text.chars().take(MOST).collect();
    let rest = text.len() - shown.len();
    if rest == 0 { format!("{shown:?}") } else { format!("{shown:?}… ({rest} more bytes)") }
}

impl std::error::Error for LineError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(quoted("a\tb"), "\"a\\tb\"");
        assert_eq!(quoted(&"é".repeat(80)), format!("\"{}\"", "é".repeat(80)));
        assert_eq!(quoted(&"é".repeat(90)), format!("\"{}\"… (20 more bytes)", "é".repeat(80)));
    }
}
