//! Malformed records, and messages about them.

/// The error of a line that other programs may take for two lines.
pub const LONE_CR: &str = "end of line: expected LF or CRLF, found a lone CR";

/// A malformed record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Its number, from 1, in the unit of its source: a line, a row.
    pub number: u64,
    /// The field, what was expected there, and what was found.
    pub what: Box<str>,
}

/// The text in quotation marks, with control characters escaped, cut off after about one line of a terminal.
pub fn quoted(text: &str) -> String {
    shortened(text, |shown| format!("{shown:?}"))
}

/// The text as `show` shows it, cut off after about one line of a terminal.
pub fn shortened(text: &str, show: impl Fn(&str) -> String) -> String {
    const LIMIT: usize = 80;
    let end = text.char_indices().nth(LIMIT).map_or(text.len(), |(end, _)| end);
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
    fn names_cannot_command_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\n\u{202e}é \"b\\\""), "a\\u{1b}[2J\\n\\u{202e}é \"b\\\"");
    }
}
