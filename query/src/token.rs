//! The words and signs of a text, each with its place.

use crate::error::{Checked, QueryError};

/// A word or a sign, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryToken<'t> {
    /// The byte of the text, from 1.
    pub column: usize,
    /// What it is.
    pub kind: TokenKind<'t>,
}

/// The kinds of words and signs.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind<'t> {
    /// A name, or a word such as `and`.
    Name(&'t str),
    /// A name in backquotes, which is always a column of the input.
    Column(&'t str),
    /// Text in quotation marks.
    Text(String),
    /// A decimal number.
    Number(f64),
    /// A whole number of more than 53 bits.
    Integer(i128),
    /// A number with `0x`, which is a set of squares or a key.
    Bits(u64),
    /// An operator, a bracket or a comma.
    Sign(&'static str),
    /// The end of the text.
    End,
}

impl TokenKind<'_> {
    /// The token as messages show it.
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Name(name) => format!("`{}`", shown(name)),
            TokenKind::Column(name) => format!("the column `{}`", shown(name)),
            TokenKind::Text(text) => format!("the text {:?}", beginning(text)),
            TokenKind::Number(number) => format!("the number {number}"),
            TokenKind::Integer(number) => format!("the number {number}"),
            TokenKind::Bits(bits) => format!("the number {bits:#x}"),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::End => "the end".to_owned(),
        }
    }
}

/// The signs, longer ones first.
const SIGNS: [&str; 19] =
    ["==", "!=", "<=", ">=", "=", "<", ">", "(", ")", "[", "]", ",", "&", "|", "^", "~", "+", "-", "*"];

/// Operators of other languages, and the words that stand for them here.
const FOREIGN: [(&str, &str); 4] = [("&&", "and"), ("||", "or"), ("<>", "!="), ("!", "not")];

/// The first characters of a text that came from outside.
pub fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The first characters of a name, without line ends and other control characters.
pub fn shown(name: &str) -> String {
    name.chars().take(40).flat_map(char::escape_debug).collect()
}

/// The words and signs of a text; the last one is [`TokenKind::End`].
///
/// # Errors
///
/// A character begins none, or a text, a name or a number does not end as it should.
pub fn tokens(text: &str) -> Checked<Vec<QueryToken<'_>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let column = at + 1;
        let (kind, length) = match first {
            '0'..='9' | '.' => number(rest, column)?,
            '"' | '\'' => quoted(rest, first, column)?,
            '`' => column_name(rest, column)?,
            _ if is_first(first) => {
                let length = name_length(rest);
                (TokenKind::Name(&rest[..length]), length)
            }
            _ => sign(rest, first, column)?,
        };
        found.push(QueryToken { column, kind });
        at += length;
    }
    found.push(QueryToken { column: text.len() + 1, kind: TokenKind::End });
    Ok(found)
}

fn is_first(first: char) -> bool {
    first == '_' || first.is_alphabetic()
}

/// How many bytes a name has. A full stop within it separates the steps of a path into a field of JSON.
fn name_length(text: &str) -> usize {
    let is_part = |part: char| part == '_' || part.is_alphanumeric();
    let letters = text.char_indices();
    for (at, letter) in letters {
        let has_more = || text[at + letter.len_utf8()..].chars().next().is_some_and(is_part);
        if !(is_part(letter) || letter == '.' && has_more()) {
            return at;
        }
    }
    text.len()
}

fn sign<'t>(rest: &'t str, first: char, column: usize) -> Checked<(TokenKind<'t>, usize)> {
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign) && !is_foreign(rest)) {
        return Ok((TokenKind::Sign(sign), sign.len()));
    }
    let foreign = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign));
    Err(QueryError::new(
        column,
        match foreign {
            Some((sign, word)) => format!("unknown operator `{sign}`: write `{word}`"),
            None => format!("unexpected character {first:?}"),
        },
    ))
}

fn is_foreign(rest: &str) -> bool {
    FOREIGN[..3].iter().any(|(sign, _)| rest.starts_with(sign))
}

/// A text up to the next quotation mark of the same kind; a backslash makes the character after it a part of the text.
fn quoted<'t>(rest: &'t str, mark: char, column: usize) -> Checked<(TokenKind<'t>, usize)> {
    let (mut text, mut letters) = (String::new(), rest.char_indices().skip(1));
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, escaped)) => text.push(escaped),
                None => break,
            },
            _ if letter == mark => return Ok((TokenKind::Text(text), at + 1)),
            _ => text.push(letter),
        }
    }
    Err(QueryError::new(column, format!("expected {mark} at the end of the text")))
}

fn column_name(rest: &str, column: usize) -> Checked<(TokenKind<'_>, usize)> {
    match rest[1..].split_once('`') {
        Some(("", _)) => Err(QueryError::new(column, "expected the name of a column between the backquotes")),
        Some((name, _)) => Ok((TokenKind::Column(name), name.len() + 2)),
        None => Err(QueryError::new(column, "expected a backquote at the end of the name of a column")),
    }
}

fn number(rest: &str, column: usize) -> Checked<(TokenKind<'_>, usize)> {
    let length = rest.find(|part: char| part != '.' && part != '_' && !part.is_alphanumeric()).unwrap_or(rest.len());
    let text = &rest[..length];
    let kind = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if (1..=16).contains(&digits.len()) => u64::from_str_radix(digits, 16).ok().map(TokenKind::Bits),
        Some(_) => None,
        None if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            let integer = text.parse().ok().filter(|number: &i128| *number >= 1 << f64::MANTISSA_DIGITS);
            integer.map(TokenKind::Integer).or_else(|| text.parse().ok().map(TokenKind::Number))
        }
        None => None,
    };
    let kind = kind.ok_or_else(|| {
        let expected = "expected a number, such as 20, 0.5 or 0x8100000000000081";
        QueryError::new(column, format!("{expected}, found `{}`", shown(text)))
    })?;
    Ok((kind, length))
}
