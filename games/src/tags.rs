//! The tags of a game, and where they begin in a text.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::{memchr, memchr2, memchr2_iter, memchr3, memmem, memrchr, memrchr2};

/// The tags of a game, as written in the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tags<'t> {
    text: &'t [u8],
}

impl<'t> Tags<'t> {
    /// The tags in this text.
    ///
    /// ```
    /// use slider_attacks_games::pgn::Tags;
    ///
    /// let tags = Tags::new(b"[White \"A \\\\ B\"]\n[Round \"1\"]\n");
    /// assert_eq!(tags.iter().count(), 2);
    /// ```
    pub const fn new(text: &'t [u8]) -> Tags<'t> {
        Tags { text }
    }

    /// The part of the text that holds the tags. Without tags, it is empty, and stands where the game begins.
    ///
    /// ```
    /// use slider_attacks_games::pgn::Tags;
    ///
    /// let tags = Tags::new(b"[White \"A\"]");
    /// assert_eq!((tags.as_bytes(), tags.is_empty()), (b"[White \"A\"]".as_slice(), false));
    /// ```
    pub const fn as_bytes(&self) -> &'t [u8] {
        self.text
    }

    /// Whether the game has no tags.
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The names and values, as written in the text.
    ///
    /// ```
    /// use slider_attacks_games::pgn::Tags;
    ///
    /// let tags = Tags::new(b"[White \"A \\\\ B\"]\n[Round \"1\"]\n");
    /// assert_eq!(tags.iter().last(), Some((b"Round".as_slice(), b"1".as_slice())));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + use<'t> {
        self.all().filter(|tag| !tag.name.is_empty()).map(|tag| (tag.name, tag.value))
    }

    /// All tags, and the malformed lines that begin like tags: these have no name.
    pub(crate) fn all(&self) -> impl Iterator<Item = Tag<'t>> + use<'t> {
        let (text, mut end) = (self.text, 0);
        core::iter::from_fn(move || {
            let (at, _) = pass_gap(text, end);
            let tag = tag(&text[at..]).or_else(|| malformed(text, at))?;
            end = at + tag.len;
            Some(tag)
        })
    }

    /// The value of a tag, if it has one: the first of that name. `\"` and `\\` are one character. Bytes that are not
    /// UTF-8 are read as Latin-1.
    ///
    /// ```
    /// use slider_attacks_games::pgn::Tags;
    ///
    /// let tags = Tags::new(b"[White \"A \\\\ B\"]\n[Round \"1\"]\n");
    /// assert_eq!((tags.get("White").as_deref(), tags.get("Black")), (Some("A \\ B"), None));
    /// ```
    pub fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        self.find(name.as_bytes()).map(text)
    }

    /// The same, as written in the text.
    ///
    /// ```
    /// use slider_attacks_games::pgn::Tags;
    ///
    /// let tags = Tags::new(b"[White \"A \\\\ B\"]\n[Round \"1\"]\n");
    /// assert_eq!(tags.find(b"White"), Some(b"A \\\\ B".as_slice()));
    /// ```
    pub fn find(&self, name: &[u8]) -> Option<&'t [u8]> {
        // Most tags are another one, and each usual one begins a line.
        for at in memmem::find_iter(self.text, name) {
            let (before, rest) = self.text.split_at(at);
            match before {
                _ if rest.get(name.len()).is_some_and(|&byte| is_name(byte)) => {}
                [b'['] | [.., b'\n', b'['] => {
                    if let Some(tag) = tag(&self.text[at - 1..]).filter(|tag| tag.name == name) {
                        return Some(tag.value);
                    }
                }
                _ if without_indent(before).ends_with(b"[") => {
                    return self.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value);
                }
                _ => {}
            }
        }
        None
    }
}

/// The text of a value.
///
/// ```
/// assert_eq!(slider_attacks_games::pgn::text(b"Jos\xe9 \\\"Pepe\\\""), "Jos\u{e9} \"Pepe\"");
/// ```
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

/// A tag.
pub(crate) struct Tag<'t> {
    pub name: &'t [u8],
    pub value: &'t [u8],
    /// Its number of bytes, with the brackets.
    len: usize,
    /// Whether it is malformed or has no end, so that its value may hold moves.
    pub is_malformed: bool,
}

/// The line that begins here, if it begins like a tag but is malformed.
fn malformed(text: &[u8], at: usize) -> Option<Tag<'_>> {
    let rest = &text[at..];
    if rest.first() != Some(&b'[') || is_start(rest) || wrapper(rest).is_some() || !is_line(text, at) {
        return None;
    }
    let line = &rest[..line_len(rest)];
    Some(Tag { name: &[], value: line, len: line.len(), is_malformed: true })
}

/// The same for the most common form of tags: with a short name of letters, without quotation marks in its value, and
/// alone in its line.
#[inline(always)]
fn usual_tag(text: &[u8]) -> Option<Tag<'_>> {
    let (head, _) = text.split_first_chunk::<20>()?;
    let letters = |at: usize| letters(u64::from_le_bytes(*head[at..].first_chunk().expect("eight bytes")));
    let first = letters(1);
    let end = 1 + first + if first == 8 { letters(9) } else { 0 };
    if head[0] != b'[' || end == 1 || head[end] != b' ' || head[end + 1] != b'"' {
        return None;
    }
    let (name, start) = (&text[1..end], end + 2);
    let quote = start + memchr3(b'"', b'\n', b'\r', &text[start..])?;
    let is_usual = text[quote - 1] != b'\\' && matches!(text.get(quote..quote + 3), Some(b"\"]\n" | b"\"]\r"));
    is_usual.then(|| Tag { name, value: &text[start..quote], len: quote + 2, is_malformed: false })
}

/// Reads the tag that begins here, if one does.
#[inline(never)]
fn tag(text: &[u8]) -> Option<Tag<'_>> {
    let (name, start) = name(text)?;
    let of = |end: usize, len: usize| Some(Tag { name, value: &text[start..end], len, is_malformed: false });
    let (mut at, mut escaped, mut line_end) = (start, None, text.len());
    // The value ends at a quotation mark before a bracket.
    while let Some(next) = memchr3(b'"', b'\n', b'\r', &text[at..]) {
        let quote = at + next;
        if text[quote] != b'"' {
            line_end = quote;
            break;
        }
        at = quote + 1;
        let after = at + indent(&text[at..]);
        if text.get(after) != Some(&b']') {
            continue;
        }
        let len = after + 1;
        let backslashes = text[start..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 0 {
            return of(quote, len);
        }
        // Programs that escape nothing write backslashes before it, too. Then no other end follows.
        let rest = &text[len + indent(&text[len..])..];
        if matches!(rest, [] | [b'\n' | b'\r' | b'{' | b';', ..]) || is_tag(rest) {
            return of(quote, len);
        }
        escaped.get_or_insert((quote, len));
    }
    if let Some((quote, len)) = escaped {
        return of(quote, len);
    }
    // A bracket or a quotation mark is missing.
    let line = text[..line_end].trim_ascii_end();
    let value = line.strip_suffix(b"]").unwrap_or(line.strip_suffix(b"\"").unwrap_or(line));
    let value = &text[start..value.len().max(start)];
    // Moves may follow a bracket or a quotation mark.
    let is_malformed = memchr2(b'"', b']', value).is_some();
    Some(Tag { name, value, len: line_end, is_malformed })
}

/// The number of letters at the beginning of eight bytes.
#[inline(always)]
fn letters(word: u64) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let lower = word | (EACH * 0x20);
    let rest = lower & (EACH * 0x7f);
    let is_letter = (rest + EACH * (0x80 - 0x61)) & !(rest + EACH * (0x80 - 0x7b)) & !lower & (EACH * 0x80);
    (is_letter ^ (EACH * 0x80)).trailing_zeros() as usize / 8
}

/// The name of the tag that begins here, if one does, and where its value begins.
#[inline(always)]
fn name(text: &[u8]) -> Option<(&[u8], usize)> {
    // So that a few bytes decide.
    let text = &text[..text.len().min(MAX_NAME)];
    let [b'[', rest @ ..] = text else { return None };
    let start = 1 + if rest.first().is_some_and(|&byte| is_name(byte)) { 0 } else { indent(rest) };
    let end = start + text[start..].iter().take_while(|byte| is_name(**byte)).count();
    let quote = match text[end..] {
        [b'"', ..] => end,
        [b' ', b'"', ..] => end + 1,
        _ => end + indent(&text[end..]),
    };
    let is_tag = text.get(start).is_some_and(u8::is_ascii_alphanumeric) && text.get(quote) == Some(&b'"');
    is_tag.then(|| (&text[start..end], quote + 1))
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

/// Whether a tag begins here.
///
/// ```
/// use slider_attacks_games::tags;
///
/// assert!(tags::is_tag(b"[White \"A\"]") && !tags::is_tag(b"[%eval 0.3]"));
/// ```
#[inline]
pub fn is_tag(text: &[u8]) -> bool {
    name(text).is_some()
}

/// Whether a line begins with a tag, or with `[pgn]`.
///
/// ```
/// use slider_attacks_games::tags;
///
/// assert!(tags::begins_games(b" [White \"A\"]") && !tags::begins_games(b"1. e4 e5"));
/// ```
pub fn begins_games(line: &[u8]) -> bool {
    is_start(&line[indent(line)..])
}

/// Whether a tag or `[pgn]` begins here.
pub(crate) fn is_start(text: &[u8]) -> bool {
    is_tag(text) || matches!(wrapper(text), Some((_, false)))
}

/// Whether a line begins here, with a tag or `[pgn]`.
#[cold]
#[inline(never)]
pub(crate) fn is_start_of_line(text: &[u8], at: usize) -> bool {
    is_start(&text[at..]) && is_line(text, at)
}

/// The number of bytes of `[pgn]` or `[/pgn]` at this place, and whether it is the latter. Web pages show games between
/// them.
pub(crate) fn wrapper(text: &[u8]) -> Option<(usize, bool)> {
    let is = |tag: &[u8]| text.get(..tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag));
    if is(b"[pgn]") { Some((5, false)) } else { is(b"[/pgn]").then_some((6, true)) }
}

/// The number of bytes of a blank at this place; 0 if there is none. Control characters are blanks, and so are the
/// spaces of Unicode, with and without a width.
pub(crate) fn blank(text: &[u8]) -> usize {
    match text {
        [..=b' ', ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe2, 0x80, 0x80..=0x8f | 0xa8..=0xaf, ..] | [0xe2, 0x81, 0x9f..=0xa4 | 0xa6..=0xa9, ..] => 3,
        [0xe3, 0x80, 0x80, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        // In Latin-1.
        [0xa0, ..] => 1,
        _ => 0,
    }
}

/// How many bytes of blanks are at the beginning.
pub(crate) fn blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match blank(&text[at..]) {
            0 => return at,
            bytes => at += bytes,
        }
    }
}

/// The text without blanks at its end.
pub(crate) fn without_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        let before = without_indent(text).trim_ascii_end();
        if before.len() == text.len() {
            return text;
        }
        text = before;
    }
}

/// Whether a zero-width blank stands here.
pub(crate) fn is_zero_width(text: &[u8]) -> bool {
    matches!(text, [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..] | [0xe2, 0x81, 0xa0..=0xa9, ..] | [0xef, 0xbb, 0xbf, ..])
}

/// How many bytes of blanks are at the beginning, of those that may stand before a tag in its line.
#[inline]
fn indent(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match text.get(at) {
            Some(b' ' | b'\t') => 1,
            Some(0x80..) if blank(&text[at..]) > 0 => blank(&text[at..]),
            _ => return at,
        }
    }
}

/// The text without such blanks at its end.
pub(crate) fn without_indent(mut text: &[u8]) -> &[u8] {
    loop {
        let is_blank = |bytes: &usize| {
            let last = text.len().checked_sub(*bytes).map(|start| &text[start..]);
            last.is_some_and(|last| last[0] >= 0x80 && blank(last) == *bytes)
        };
        text = match text {
            [before @ .., b' ' | b'\t'] => before,
            [.., last] if !last.is_ascii() => match [3, 2, 1].iter().find(|bytes| is_blank(bytes)) {
                Some(bytes) => &text[..text.len() - bytes],
                None => return text,
            },
            _ => return text,
        }
    }
}

/// Whether this is the beginning of a line, without regard to blanks and one `[pgn]`.
pub(crate) fn is_line(text: &[u8], at: usize) -> bool {
    line_start(text, at).is_some()
}

/// The beginning of the line, if only blanks and one `[pgn]` stand before this place.
///
/// ```
/// use slider_attacks_games::tags;
///
/// let text = b"1. e4 *\n  [White \"A\"]\n";
/// assert_eq!((tags::line_start(text, 10), tags::line_start(text, 3)), (Some(8), None));
/// ```
pub fn line_start(text: &[u8], at: usize) -> Option<usize> {
    let start = |before: &[u8]| {
        let before = without_indent(before);
        matches!(before, [] | [.., b'\n' | b'\r']).then_some(before.len())
    };
    let before_wrapper = || {
        let before = without_indent(&text[..at]);
        let (before, last) = before.split_at(before.len().checked_sub(5)?);
        start(before).filter(|_| matches!(wrapper(last), Some((_, false))))
    };
    start(&text[..at]).or_else(before_wrapper)
}

/// The end of the comment in braces that begins here. A comment with a tag at the beginning of a line has no end.
fn comment_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr2(b'}', b'[', &text[at..])?;
        if text[at] == b'}' {
            return Some(at + 1);
        }
        if is_start(&text[at..]) && is_line(text, at) {
            return None;
        }
        at += 1;
    }
}

/// Skips blanks and comments between tags. Returns what comes next, and whether there was a blank line or a comment.
fn pass_gap(text: &[u8], end: usize) -> (usize, bool) {
    let (mut at, mut line_ends, mut has_comment) = (end, 0, false);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => (at, line_ends) = (at + 1, line_ends + 1),
            b'\r' => (at, line_ends) = (at + 1, line_ends + usize::from(text.get(at + 1) != Some(&b'\n'))),
            b';' => (at, has_comment) = (at + line_len(&text[at..]), true),
            b'%' if is_line(text, at) => (at, has_comment) = (at + line_len(&text[at..]), true),
            b'{' => match comment_end(text, at) {
                Some(end) => (at, has_comment) = (end, true),
                None => break,
            },
            _ if is_rule(text, at) => (at, has_comment) = (at + line_len(&text[at..]), true),
            _ => match blank(&text[at..]) {
                0 => break,
                bytes => at += bytes,
            },
        }
    }
    (at, has_comment || line_ends > 1)
}

/// Whether a line of signs alone begins here, such as `-----`: no letter, digit, bracket or result, and no null move.
fn is_rule(text: &[u8], at: usize) -> bool {
    const SIGNS: &[u8] = b"-=_#+~.,:/\\|!?'<>@^&";
    if !SIGNS.contains(&text[at]) || !is_line(text, at) {
        return false;
    }
    let line = text[at..at + line_len(&text[at..])].trim_ascii_end();
    line != b"--" && line.iter().all(|byte| SIGNS.contains(byte) || matches!(byte, b' ' | b'\t'))
}

/// The number of bytes of a line, without its end.
pub(crate) fn line_len(text: &[u8]) -> usize {
    memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// Whether games certainly begin at the line that begins here, whatever stands before the text: there, it can be cut.
/// Otherwise only [`pgn::read`](crate::pgn::read) of the text before it can decide.
///
/// This is certain at tags after a line of moves, and at the tag `Event` after a blank line or a comment.
///
/// ```
/// use slider_attacks_games::tags;
///
/// let text = b"[Event \"A\"]\n\n1. e4 *\n\n[Event \"B\"]\n\n1. d4 *\n";
/// let starts: Vec<usize> = (1..text.len()).filter(|&at| text[at - 1] == b'\n' && tags::begin(text, at)).collect();
/// assert_eq!(starts, [22]); // not 0, because other text may stand before this one
/// ```
pub fn begin(text: &[u8], line: usize) -> bool {
    let at = line + indent(&text[line..]);
    // At the beginning of a text, a byte order mark would not count as one of its bytes.
    if text[line..].starts_with(b"\xef\xbb\xbf") {
        return false;
    }
    let Some((name, _)) = name(&text[at..]) else { return is_start(&text[at..]) };
    let mut end = line;
    loop {
        let Some(before) = text[..end].strip_suffix(b"\n").or_else(|| text[..end].strip_suffix(b"\r")) else {
            return false;
        };
        let before = if text[..end].ends_with(b"\r\n") { &before[..before.len() - 1] } else { before };
        let start = memrchr2(b'\n', b'\r', before).map_or(0, |end| end + 1);
        match has_moves(&before[start..]) {
            Some(is_certain) => return is_certain,
            None if name == EVENT => return true,
            None => end = start,
        }
    }
}

/// Whether a tag in the next line certainly begins a game, because this line has moves or an open comment. `None` if it
/// is blank or a comment.
fn has_moves(line: &[u8]) -> Option<bool> {
    let mut rest = &line[blanks(line)..];
    match rest {
        [] => return None,
        // In braces, this may be the end of a comment.
        [b';' | b'%', ..] => return memchr(b'}', rest).map(|_| false),
        // Among tags, it may be a malformed one.
        [b'[', ..] if !is_start(rest) => return Some(false),
        _ if is_rule(rest, 0) => return Some(false),
        _ => {}
    }
    // Tags may follow `[pgn]`.
    while let Some(bytes) =
        tag(rest).map(|tag| tag.len).or_else(|| Some(wrapper(rest).filter(|(_, is_end)| !is_end)?.0))
    {
        rest = &rest[bytes..];
        rest = &rest[blanks(rest)..];
    }
    let has_more = |rest: &[u8]| !matches!(rest[blanks(rest)..], [] | [b';', ..]);
    Some(match memrchr(b'}', rest) {
        None => has_more(rest),
        // Up to there, all may be a comment, after which there may be a tag.
        Some(last) => has_more(&rest[last + 1..]) && memchr(b'"', rest).is_none(),
    })
}

/// The tag that begins a game.
const EVENT: &[u8] = b"Event";

/// Reads the tags that begin here, if there are any, and moves past them. Also returns whether `FEN` or `Variant` may be among
/// them.
///
/// Between them, there may be blank lines and comments. After these, the tag `Event` begins the next game, and so does
/// a tag with a name that the game has already.
///
/// ```
/// use slider_attacks_games::tags;
///
/// let (text, mut at) = (b"[White \"A\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - -\"]\n\nKd2 *", 0);
/// let (found, has_setup) = tags::read(text, &mut at);
/// assert_eq!((found.get("White").as_deref(), has_setup), (Some("A"), true));
/// assert_eq!(text[at..].trim_ascii(), b"Kd2 *");
/// ```
#[inline(never)]
pub fn read<'t>(text: &'t [u8], at: &mut usize) -> (Tags<'t>, bool) {
    let (start, mut next, mut has_setup) = (*at, *at, false);
    // They are needed only in games with gaps between tags.
    let mut names: Option<HashSet<&[u8]>> = None;
    let tag_at = |at: usize| usual_tag(&text[at..]).or_else(|| tag(&text[at..]));
    let mut found = tag_at(next);
    while let Some(tag) = found {
        has_setup |= tag.is_malformed || may_set_up(tag.name);
        *at = next + tag.len;
        if let Some(names) = &mut names {
            names.insert(tag.name);
        }
        let mut is_gap;
        (next, is_gap) = match &text[*at..] {
            [b'\n', b'[', ..] => (*at + 1, false),
            [b'\r', b'\n', b'[', ..] => (*at + 2, false),
            _ => pass_gap(text, *at),
        };
        found = tag_at(next);
        if found.is_none() {
            // A malformed tag belongs to the game if another tag follows it.
            while let Some(line) = malformed(text, next) {
                let is_more;
                (next, is_more) = pass_gap(text, next + line.len);
                (is_gap, has_setup, found) = (is_gap || is_more, true, tag_at(next));
            }
        }
        if is_gap
            && let Some(tag) = &found
            && is_line(text, next)
        {
            let names =
                names.get_or_insert_with(|| Tags::new(&text[start..*at]).iter().map(|(name, _)| name).collect());
            if tag.name == EVENT || names.contains(tag.name) {
                break;
            }
        }
    }
    (Tags::new(&text[start..*at]), has_setup)
}

/// Whether a tag of this name, in any case, may say how a game begins: `FEN` or `Variant`.
fn may_set_up(name: &[u8]) -> bool {
    match name.len() {
        3 => name.eq_ignore_ascii_case(b"FEN"),
        7 => name.eq_ignore_ascii_case(b"Variant"),
        _ => false,
    }
}

/// Whether a text may have a tag `FEN`, in any case: a bracket and these letters.
///
/// ```
/// use slider_attacks_games::tags;
///
/// assert!(tags::may_have_fen(b"[Fen \"\"]") && !tags::may_have_fen(b"[White \"Fen\"]"));
/// ```
pub fn may_have_fen(text: &[u8]) -> bool {
    let is_fen = |at: usize| text.get(at..at + 3).is_some_and(|name| name.eq_ignore_ascii_case(b"FEN"));
    memchr2_iter(b'F', b'f', text).any(|at| is_fen(at) && without_indent(&text[..at]).ends_with(b"["))
}

/// The beginning of the moves of the game that begins here, if that is certain.
///
/// ```
/// use slider_attacks_games::tags;
///
/// let game = b"[White \"A\"]\n\n1. e4 *";
/// assert_eq!(tags::moves(game).map(|at| &game[at..]), Some(b"1. e4 *".as_slice()));
/// ```
pub fn moves(text: &[u8]) -> Option<usize> {
    let (mut at, _) = pass_gap(text, 0);
    while let Some((bytes, _)) = wrapper(&text[at..]) {
        (at, _) = pass_gap(text, at + bytes);
    }
    read(text, &mut at);
    let (at, _) = pass_gap(text, at);
    (at < text.len()).then_some(at)
}

/// The line in which the next tags begin, or the next `[pgn]`, if this is within the moves of a game: the first that begin a line.
///
/// ```
/// use slider_attacks_games::tags;
///
/// let text = b"1. e4 { [Not \"one\"] } *\n\n[White \"A\"]\n";
/// assert_eq!(tags::next(text, 0).map(|at| &text[at..]), Some(b"[White \"A\"]\n".as_slice()));
/// ```
pub fn next(text: &[u8], at: usize) -> Option<usize> {
    let begins = |line: usize| match text.get(line) {
        Some(b'[' | b' ' | b'\t' | 0x80..) => begins_games(&text[line..]),
        _ => false,
    };
    if begins(at) && is_line(text, at) {
        return Some(at);
    }
    memchr2_iter(b'\n', b'\r', &text[at..]).map(|end| at + end + 1).find(|&line| begins(line))
}
