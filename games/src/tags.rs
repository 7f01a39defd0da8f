//! The tags of a game, and where they begin in a text.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem, memrchr};

/// The tags of a game, as the text has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tags<'t> {
    text: &'t [u8],
}

impl<'t> Tags<'t> {
    /// The tags in this text.
    pub const fn new(text: &'t [u8]) -> Tags<'t> {
        Tags { text }
    }

    /// The part of the text that has the tags. If there are none, it is empty, and where the game begins.
    pub const fn as_bytes(&self) -> &'t [u8] {
        self.text
    }

    /// Whether the game has none.
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Their names and values, as they are in the text.
    pub fn iter(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + use<'t> {
        let (mut line, mut rest): (&'t [u8], _) = (&[], self.text);
        core::iter::from_fn(move || {
            loop {
                while let Some(start) = memchr(b'[', line) {
                    line = &line[start + 1..];
                    if let Some((name, value, length)) = pair(line) {
                        line = &line[length..];
                        return Some((name, value));
                    }
                }
                if rest.is_empty() {
                    return None;
                }
                (line, rest) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
            }
        })
    }

    /// The value of a tag, if it has one: the first of that name. `\"` and `\\` are one character. What is not UTF-8 is taken
    /// for Latin-1.
    pub fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        self.find(name.as_bytes()).map(text)
    }

    /// The same, as it is in the text.
    pub fn find(&self, name: &[u8]) -> Option<&'t [u8]> {
        // Most tags are another one, and each usual one begins a line.
        for at in memmem::find_iter(self.text, name) {
            let (before, rest) = self.text.split_at(at);
            match before {
                _ if rest.get(name.len()).is_some_and(|&byte| is_name(byte)) => {}
                [b'['] | [.., b'\n', b'['] => {
                    let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
                    if let Some((_, value, _)) = pair(line).filter(|(tag, ..)| *tag == name) {
                        return Some(value);
                    }
                }
                [.., b'['] => return self.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value),
                _ => {}
            }
        }
        None
    }
}

/// The text of a value.
pub fn text(value: &[u8]) -> Cow<'_, str> {
    let text = match str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    };
    if memchr(b'\\', value).is_none() {
        return text;
    }
    let mut chars = text.chars().peekable();
    let mut unescaped = String::with_capacity(text.len());
    while let Some(char) = chars.next() {
        let escaped = chars.next_if(|&next| char == '\\' && matches!(next, '"' | '\\'));
        unescaped.push(escaped.unwrap_or(char));
    }
    unescaped.into()
}

/// The name and the value of the tag after a bracket, and how many bytes it takes.
fn pair(line: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let name = line.iter().take_while(|byte| is_name(**byte)).count();
    let blanks = line[name..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = name + blanks;
    if name == 0 || line.get(start) != Some(&b'"') {
        return None;
    }
    let (value, mut at) = (start + 1, start + 1);
    // The value ends at a quotation mark before a bracket, after which the line ends, or another tag or a comment begins.
    while let Some(next) = memchr(b'"', &line[at..]) {
        let quote = at + next;
        at = quote + 1;
        let after = line[at..].trim_ascii_start();
        if let Some(after) = after.strip_prefix(b"]")
            && matches!(after.trim_ascii_start(), [] | [b'[' | b';' | b'{', ..])
        {
            return Some((&line[..name], &line[value..quote], line.len() - after.len()));
        }
    }
    // A bracket or a quotation mark is missing.
    let line_end = line.trim_ascii_end();
    let end = line_end.strip_suffix(b"]").unwrap_or(line_end.strip_suffix(b"\"").unwrap_or(line_end));
    Some((&line[..name], &line[value.min(end.len())..end.len()], line.len()))
}

/// Which bytes may be in a name.
static IS_NAME: [bool; 256] = {
    let mut is_name = [false; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        is_name[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-');
        byte += 1;
    }
    is_name
};

fn is_name(byte: u8) -> bool {
    IS_NAME[usize::from(byte)]
}

/// How many bytes decide whether a tag begins: a bracket, its name, blanks and a quotation mark.
pub const MAX_NAME: usize = 256;

/// Whether a tag begins here, if a line does.
#[inline]
pub fn is_tag(text: &[u8]) -> bool {
    matches!(text, [b'[', byte, ..] if byte.is_ascii_alphanumeric()) && {
        // So that a few bytes decide.
        let line = &text[1..text.len().min(MAX_NAME)];
        let name = line.iter().take_while(|byte| is_name(**byte)).count();
        let blanks = line[name..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        line.get(name + blanks) == Some(&b'"')
    }
}

/// Whether tags of a game begin here, at the beginning of a line: the line before is none.
pub fn begin(text: &[u8], at: usize) -> bool {
    if !is_tag(&text[at..]) {
        return false;
    }
    let Some(end) = at.checked_sub(1) else { return true };
    let start = memrchr(b'\n', &text[..end]).map_or(0, |end| end + 1);
    !is_tag(&text[start..at])
}

/// Reads the tags that begin here, if there are any, and moves past them. Also returns whether `FEN` or `Variant` may be among
/// them.
pub fn read<'t>(text: &'t [u8], at: &mut usize) -> (Tags<'t>, bool) {
    let (start, mut has_setup) = (*at, false);
    'lines: while text.get(*at) == Some(&b'[') && is_tag(&text[*at..]) {
        has_setup |= text[*at..].starts_with(b"[FEN") || text[*at..].starts_with(b"[Variant");
        *at += 1;
        // A tag may follow another one in the same line.
        while let Some(next) = memchr2(b'\n', b'[', &text[*at..]) {
            *at += next + 1;
            if text[*at - 1] == b'\n' {
                continue 'lines;
            }
            has_setup = true;
        }
        *at = text.len();
    }
    (Tags::new(&text[start..*at]), has_setup)
}

/// Finds where games with tags begin.
#[derive(Debug)]
pub(crate) struct Beginnings(memmem::Finder<'static>);

impl Beginnings {
    /// What is looked for.
    pub(crate) fn new() -> Beginnings {
        Beginnings(memmem::Finder::new(b"\n["))
    }

    /// Where the next game with tags begins, after this place: the end of the text if there is none.
    pub(crate) fn next(&self, text: &[u8], at: usize) -> usize {
        // The line end may be the byte before.
        let from = at.saturating_sub(1);
        let mut found = self.0.find_iter(&text[from..]).map(|line| from + line + 1);
        found.find(|&line| begin(text, line)).unwrap_or(text.len())
    }
}
