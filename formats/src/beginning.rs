//! The first bytes of an input, from which its format is detected.

use std::mem;

use memchr::memrchr2;

use crate::content::{MAX_RECORD, line_ends};
use crate::cut::{READ, is_blank, line_end};
use crate::error::OpenError;

/// The first bytes of Parquet.
pub const PARQUET: &[u8] = b"PAR1";
/// Unsupported encodings and formats, which would otherwise be reported as malformed positions. Binary formats may begin with
/// the same bytes.
const OTHERS: [(&[u8], &str); 9] = [
    (b"PARE", "Parquet with an encrypted footer"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zX", "compressed with xz"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4"),
    (b"PK\x03\x04", "a zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Identifies unsupported content from its first bytes: another compression, or UTF-16.
pub fn other_format(bytes: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(start, _)| bytes.starts_with(start)).map(|&(_, what)| what)
}

/// The extension of a name in lower case, without the dot. If that is `gz` or `zst`, the one before it.
pub fn extension(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|compressed| name.strip_suffix(compressed)).unwrap_or(&name);
    plain.rsplit_once('.').map(|(_, extension)| extension.to_owned())
}

/// The bytes that an input begins with, as far as they have been pushed. A function that needs more of them fails with
/// [`OpenError::MoreBytes`]. Then the caller pushes more and calls it again.
#[derive(Clone, Debug, Default)]
pub struct Beginning {
    name: String,
    extension: Option<String>,
    /// The unsupported content of the input, if it is not text.
    other: Option<&'static str>,
    bytes: Vec<u8>,
    is_all: bool,
    /// Whether there are enough bytes to see whether they begin with a byte order mark, and how many bytes that has.
    has_begun: bool,
    mark: usize,
    /// The number of the line that the bytes begin with, minus one: how many lines have been removed.
    removed: u64,
    /// Where the first line begins that is neither blank nor a comment, as far as is known, and up to where no line end has been
    /// found in it.
    line: usize,
    looked: usize,
    /// Where it ends, and where the next line begins.
    end: Option<(usize, usize)>,
}

/// The prefix of an input that is skipped before the first unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedPrefix {
    /// How many bytes.
    pub bytes: usize,
    /// The number of the line after them, from 1.
    pub line: u64,
}

impl SkippedPrefix {
    /// Nothing.
    pub const NOTHING: SkippedPrefix = SkippedPrefix { bytes: 0, line: 1 };
}

impl Beginning {
    /// No bytes yet. The name of the input is for messages. The [`extension`] of the name, if it has one, may show the format.
    pub fn new(name: impl Into<String>, extension: Option<String>) -> Beginning {
        Beginning { name: name.into(), extension, ..Beginning::default() }
    }

    /// The input is no text that can be read, but [something else](other_format), unless its name or the caller says its format.
    pub fn set_other(&mut self, other: Option<&'static str>) {
        self.other = other;
    }

    /// The input is read as if its name had this extension.
    pub fn set_extension(&mut self, extension: Option<String>) {
        self.extension = extension;
    }

    /// The next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.look();
    }

    /// There are no more bytes.
    pub fn finish(&mut self) {
        self.is_all = true;
        self.look();
    }

    /// Whether there are no more bytes.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// How many bytes it holds.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The extension of the name.
    pub fn extension(&self) -> Option<&str> {
        self.extension.as_deref()
    }

    /// Takes the bytes after those that are passed over.
    #[must_use]
    pub fn take_rest(&mut self, passed: SkippedPrefix) -> Vec<u8> {
        let mut bytes = mem::take(self).bytes;
        bytes.drain(..passed.bytes);
        bytes
    }

    /// The first bytes: at least `count`, unless there are fewer.
    ///
    /// # Errors
    ///
    /// More bytes are needed.
    pub fn first_bytes(&self, count: usize) -> Result<&[u8], OpenError> {
        self.at_least(count)?;
        Ok(&self.bytes)
    }

    /// The same for text, without a byte order mark.
    ///
    /// # Errors
    ///
    /// More bytes are needed.
    pub fn first_text(&self, count: usize) -> Result<&[u8], OpenError> {
        self.at_least(self.mark + count)?;
        Ok(&self.bytes[self.mark..])
    }

    fn at_least(&self, count: usize) -> Result<(), OpenError> {
        if self.bytes.len() < count && !self.is_all { Err(OpenError::MoreBytes { least: count }) } else { Ok(()) }
    }

    /// The first line of text that is neither blank nor a comment, without blanks around it. One of more than [`MAX_RECORD`] bytes is
    /// cut off.
    ///
    /// # Errors
    ///
    /// More bytes are needed, or they or the line show a format that cannot be read.
    pub fn first_line(&self) -> Result<&[u8], OpenError> {
        let line = self.any_first_line()?;
        if line.starts_with(b"[") {
            return Err(OpenError::Array { input: self.name.clone() });
        }
        Ok(line)
    }

    /// The same, even if the line shows a format that cannot be read.
    ///
    /// # Errors
    ///
    /// More bytes are needed, or they are no text.
    pub fn any_first_line(&self) -> Result<&[u8], OpenError> {
        if let Some(what) = self.other {
            return Err(OpenError::NoText { input: self.name.clone(), what });
        }
        let Some((end, _)) = self.end else { return Err(OpenError::MoreBytes { least: self.bytes.len() + 1 }) };
        if self.bytes[self.mark..].starts_with(PARQUET) {
            return Err(OpenError::CompressedParquet { input: self.name.clone() });
        }
        Ok(self.bytes[self.line..end].trim_ascii())
    }

    /// The number of that line.
    pub fn first_line_number(&self) -> u64 {
        self.number_at(self.line)
    }

    /// The prefix to skip before text: a byte order mark.
    pub fn mark(&self) -> SkippedPrefix {
        SkippedPrefix { bytes: self.mark, line: self.removed + 1 }
    }

    /// The prefix to skip before text with a header: everything up to the end of the first line.
    pub fn header(&self) -> SkippedPrefix {
        let bytes = self.end.map_or(self.mark, |(_, next)| next);
        SkippedPrefix { bytes, line: self.number_at(bytes) }
    }

    fn number_at(&self, at: usize) -> u64 {
        self.removed + 1 + line_ends(&self.bytes[self.mark..at]) as u64
    }

    /// What `look` finds in the bytes after those that are passed over: at most [`MAX_RECORD`] or so. `look` also learns whether these
    /// are all bytes.
    ///
    /// # Errors
    ///
    /// More bytes are needed.
    pub fn peek<T>(
        &self,
        passed: SkippedPrefix,
        look: impl FnOnce(&[u8], bool) -> Option<T>,
    ) -> Result<Option<T>, OpenError> {
        /// More bytes than this are looked at again only if there are half as many new ones.
        const FEW: usize = 4 << 10;
        let rest = &self.bytes[passed.bytes..];
        let found = look(rest, self.is_all);
        if found.is_some() || self.is_all || rest.len() > MAX_RECORD {
            return Ok(found);
        }
        let more = if rest.len() < FEW { rest.len() + 1 } else { (rest.len() + rest.len() / 2).min(MAX_RECORD + 1) };
        Err(OpenError::MoreBytes { least: passed.bytes + more })
    }

    /// Whether the first line is known.
    pub fn has_first_line(&self) -> bool {
        self.end.is_some()
    }

    /// Removes the lines before the first one, if they are many. They must not be needed any more: no binary format begins with them.
    pub fn shorten(&mut self) {
        if self.line <= READ {
            return;
        }
        self.removed = self.number_at(self.line) - 1;
        self.bytes.drain(..self.line);
        self.looked -= self.line;
        self.end = self.end.map(|(end, next)| (end - self.line, next - self.line));
        (self.mark, self.line) = (0, 0);
    }

    /// Passes over lines of blanks at once: there may be many.
    fn pass_blank_lines(&mut self) {
        let rest = &self.bytes[self.line..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // An LF may follow a CR at the end.
        let blanks = blanks - usize::from(!self.is_all && blanks == rest.len() && rest.ends_with(b"\r"));
        let next = memrchr2(b'\n', b'\r', &rest[..blanks]).map_or(0, |end| end + 1);
        self.line += next;
        self.looked += next;
    }

    /// Goes on to look for the first line.
    fn look(&mut self) {
        if !self.has_begun {
            if self.bytes.len() < BYTE_ORDER_MARK.len() && !self.is_all {
                return;
            }
            self.has_begun = true;
            if self.bytes.starts_with(BYTE_ORDER_MARK) {
                self.mark = BYTE_ORDER_MARK.len();
                (self.line, self.looked) = (self.mark, self.mark);
            }
        }
        while self.end.is_none() {
            if self.looked == self.line {
                self.pass_blank_lines();
            }
            let Some(found) = line_end(&self.bytes[self.looked..]) else {
                self.looked = self.bytes.len();
                break;
            };
            let (end, next) = (self.looked + found.start, self.looked + found.end);
            // An LF may follow.
            if !self.is_all && next == self.bytes.len() && self.bytes.ends_with(b"\r") {
                self.looked = end;
                break;
            }
            if is_blank(&self.bytes[self.line..end]) {
                (self.line, self.looked) = (next, next);
            } else {
                self.end = Some((end, next));
            }
        }
        if self.end.is_none() && (self.is_all || self.bytes.len() - self.line > MAX_RECORD) {
            self.end = Some((self.looked, self.bytes.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line of a text that comes in parts of this many bytes, what is before it and after it, and its number.
    fn first(text: &[u8], step: usize) -> (Vec<u8>, u64, SkippedPrefix) {
        let mut beginning = Beginning::new("test", None);
        let mut pieces = text.chunks(step);
        loop {
            match beginning.first_line() {
                Ok(line) => return (line.to_vec(), beginning.first_line_number(), beginning.header()),
                Err(OpenError::MoreBytes { least }) => {
                    assert!(least > beginning.len());
                    beginning.shorten();
                    match pieces.next() {
                        Some(piece) => beginning.push(piece),
                        None => beginning.finish(),
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn the_first_line_is_neither_blank_nor_a_comment() {
        let passed = |bytes, line| SkippedPrefix { bytes, line };
        for (text, line, number, header) in [
            ("a\nb", "a", 1, passed(2, 2)),
            ("\u{feff}a\r\nb", "a", 1, passed(6, 2)),
            ("\r\n# c\r \t\n  a b  \rc", "a b", 4, passed(17, 5)),
            ("\n\na", "a", 3, passed(3, 3)),
            ("\n# c", "# c", 2, passed(4, 2)),
            ("a\r", "a", 1, passed(2, 2)),
            ("", "", 1, passed(0, 1)),
            ("\u{feff}", "", 1, passed(3, 1)),
            ("\n\u{feff}", "\u{feff}", 2, passed(4, 2)),
        ] {
            for step in 1..=text.len().max(1) {
                assert_eq!(first(text.as_bytes(), step), (line.into(), number, header), "{text:?}, {step}");
            }
        }
    }

    #[test]
    fn many_blank_lines_are_removed_and_counted() {
        let text = format!("\u{feff}{}# c\n\r\nfen\nx", "\n".repeat(3 << 20));
        let (line, number, header) = first(text.as_bytes(), 1 << 10);
        assert_eq!((line.as_slice(), number, header.line), (b"fen".as_slice(), (3 << 20) + 3, (3 << 20) + 4));
        assert!(header.bytes < 2 * READ, "{}", header.bytes);
    }

    #[test]
    fn a_long_line_is_cut_off() {
        let text = [vec![b'x'; 2 << 20], b"\nb".to_vec()].concat();
        let (line, number, header) = first(&text, 1 << 10);
        assert_eq!((line.len(), number), (MAX_RECORD + (1 << 10), 1));
        assert_eq!(header, SkippedPrefix { bytes: line.len(), line: 1 });
    }

    #[test]
    fn more_bytes_are_needed_until_something_is_found() {
        let mut beginning = Beginning::new("test", None);
        let look = |bytes: &[u8], is_all: bool| bytes.contains(&b'!').then_some(bytes.len()).or(is_all.then_some(0));
        beginning.push(b"head\n");
        let header = beginning.header();
        assert_eq!(beginning.peek(header, look), Err(OpenError::MoreBytes { least: 6 }));
        beginning.push(&[b'.'; 1 << 19]);
        assert_eq!(beginning.peek(header, look), Err(OpenError::MoreBytes { least: 5 + (3 << 18) }));
        beginning.push(&[b'.'; 1 << 18]);
        assert_eq!(beginning.peek(header, look), Err(OpenError::MoreBytes { least: 5 + MAX_RECORD + 1 }));
        beginning.push(&[b'.'; (1 << 18) + 1]);
        assert_eq!(beginning.peek(header, look), Ok(None));
        beginning.push(b"!");
        assert_eq!(beginning.peek(header, look), Ok(Some(MAX_RECORD + 2)));
        assert_eq!(beginning.take_rest(header).len(), MAX_RECORD + 2);
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        let beginning = |bytes: &[u8]| {
            let mut beginning = Beginning::new("a\nb", None);
            beginning.set_other(other_format(bytes));
            beginning.push(bytes);
            beginning.finish();
            beginning
        };
        let error = |bytes: &[u8]| beginning(bytes).first_line().unwrap_err().to_string();
        assert!(error(b"PK\x03\x04").starts_with("cannot read a\\nb: it is a zip archive; only plain, gzip and zstd"));
        assert_eq!(error(b"PAR1"), "cannot read a\\nb: it is compressed Parquet; decompress it first");
        assert!(
            error(b" [1]\n").starts_with("cannot read a\\nb: it is a JSON array, or PGN with a malformed first tag;")
        );
        assert_eq!(beginning(b" [1]\n").any_first_line(), Ok(b"[1]".as_slice()));
        // A format that the caller knows may begin like another one.
        assert_eq!(beginning(b"PK\x03\x04").first_bytes(2), Ok(b"PK\x03\x04".as_slice()));
    }
}
