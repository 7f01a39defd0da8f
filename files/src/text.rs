//! Text in a buffer: found line by line at its beginning, then cut into blocks. This knows no format.

use std::io::{self, Read};
use std::ops::Range;

use anyhow::{Context, Result, bail};
use memchr::{memchr, memchr_iter, memchr2, memrchr};

use crate::content::{Content, MAX_RECORD, Start, line_ends, lone_crs};

/// How many bytes are read at a time, which is also about the size of a block, unless the caller says otherwise. Blocks are
/// small because several of them wait in memory with their results, which are up to a hundred times as large.
pub const READ: usize = 32 << 10;

/// How many bytes a block of games is to have, if one of lines is to have so many. A ply takes from 5 to 30 bytes, a line of FEN 60.
pub fn games_bytes(lines: usize) -> usize {
    (lines / 4).max(1)
}

/// Takes where a block begins, and its content. If it fails, no more are needed.
pub type Hand<'a> = &'a mut dyn FnMut(Start, Content) -> Result<()>;

/// Where bytes may be cut: after whole units, such as lines. The bytes always begin with a unit.
pub trait Cut {
    /// The end of the last whole unit, if one ends after `from`. The bytes before `from` have been looked at already.
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize>;

    /// The bytes begin anew, after a cut.
    fn begin(&mut self) {}

    /// How many units begin in these bytes, which have been cut off: the number of the next one is larger by this. By
    /// default, the number of lines.
    fn count(&self, bytes: &[u8]) -> u64 {
        memchr_iter(b'\n', bytes).count() as u64
    }

    /// What to say of a unit of more than [`MAX_RECORD`] bytes, if it ends the run. By default, such a unit is passed over.
    fn too_long(&self) -> Option<String> {
        None
    }

    /// Removes bytes of a unit that is passed over. Those that are needed to find its end may stay. Returns whether the next
    /// unit begins after those that were removed. By default, it does after a line end.
    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        let end = memchr(b'\n', bytes);
        bytes.drain(..end.map_or(bytes.len(), |end| end + 1));
        end.is_some()
    }

    /// Whether a CR alone ends a line. It becomes LF before anything else looks at it.
    fn ends_lines_at_cr(&self) -> bool {
        false
    }

    /// Whether messages name lines, though units are none.
    fn has_lines(&self) -> bool {
        false
    }

    /// How many bytes each unit has, if all have the same number.
    fn unit_bytes(&self) -> Option<u64> {
        None
    }
}

/// Each line is a unit.
#[derive(Debug)]
pub struct WholeLines;

impl Cut for WholeLines {
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        memrchr(b'\n', &bytes[from..]).map(|end| from + end + 1)
    }

    fn ends_lines_at_cr(&self) -> bool {
        true
    }
}

/// The bytes of an input, decompressed.
pub struct Text {
    /// The name of the input, as messages show it.
    shown: String,
    bytes: Box<dyn Read>,
    /// Where bytes are read, as many at a time as this has.
    window: Vec<u8>,
    /// What has been read and not yet handed over.
    buffer: Vec<u8>,
    /// Where the buffer begins.
    start: Start,
    /// Where all begins, if it is part of a longer text.
    before: Option<Start>,
    /// The first line that is neither blank nor a comment, once it has been looked for, without its end.
    line: Option<Range<usize>>,
    /// Whether a CR alone becomes LF, and whether the last byte read is a CR, which is not in the buffer yet.
    replaces_cr: bool,
    is_after_cr: bool,
}

impl Text {
    /// The bytes of an input of this name. Nothing is read yet.
    pub fn new(shown: String, bytes: Box<dyn Read>) -> Text {
        Text {
            shown,
            bytes,
            window: vec![0; READ],
            buffer: Vec::new(),
            start: 1.into(),
            before: None,
            line: None,
            replaces_cr: false,
            is_after_cr: false,
        }
    }

    /// The first bytes: at least `count`, unless there are fewer. They stay in the buffer.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    pub fn first_bytes(&mut self, count: usize) -> Result<&[u8]> {
        while self.buffer.len() < count && self.fill()? {}
        Ok(&self.buffer)
    }

    /// Passes over the first bytes, of which so many have been read, or all if there are fewer.
    pub fn pass(&mut self, count: usize) {
        self.buffer.drain(..count.min(self.buffer.len()));
    }

    /// The first line that is neither blank nor a comment, without blanks around it. A byte order mark is removed. The line
    /// stays in the buffer, but if there are many others before it, they do not. A line that is too long is cut off.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    pub fn first_line(&mut self) -> Result<&[u8]> {
        let line = match self.line.clone() {
            Some(line) => line,
            None => {
                let start = self.find_first_line()?;
                let end = line_end(&self.buffer[start..]).map_or(self.buffer.len(), |end| start + end.start);
                self.line.insert(start..end).clone()
            }
        };
        Ok(self.buffer[line].trim_ascii())
    }

    /// This is part of a longer text, and begins here.
    pub fn begin_at(&mut self, start: Start) {
        self.before = Some(start);
    }

    /// Where it ends, as far as it has been handed over.
    pub fn end(&self) -> Start {
        self.start
    }

    /// The number of the first line, once it has been found.
    pub fn first_line_number(&self) -> u64 {
        let start = self.line.as_ref().map_or(0, |line| line.start);
        self.start.number + line_ends(&self.buffer[..start]) as u64
    }

    /// Passes over the first line, which is a header.
    pub fn pass_first_line(&mut self) {
        let line = self.line.take().unwrap_or(0..0);
        let passed = line_end(&self.buffer[line.end..]).map_or(self.buffer.len(), |end| line.end + end.end);
        self.start.number += line_ends(&self.buffer[..passed]) as u64;
        self.buffer.drain(..passed);
    }

    /// Looks at the bytes that have not been handed over, and reads more of them until `look` finds something, at most
    /// [`MAX_RECORD`] or so. `look` is also told whether these are all bytes.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    pub fn peek<T>(&mut self, mut look: impl FnMut(&[u8], bool) -> Option<T>) -> Result<Option<T>> {
        let mut more = true;
        loop {
            let found = look(&self.buffer, !more);
            if found.is_some() || !more || self.buffer.len() > MAX_RECORD {
                return Ok(found);
            }
            more = self.fill()?;
        }
    }

    /// Reads up to the end of the first line that is neither blank nor a comment, removes a byte order mark, and returns
    /// where that line begins.
    fn find_first_line(&mut self) -> Result<usize> {
        let (mut start, mut is_first, mut more) = (0, true, true);
        while more && self.buffer.len() - start <= MAX_RECORD {
            more = self.fill()?;
            if is_first && (self.buffer.len() >= 3 || !more) {
                is_first = false;
                if self.buffer.starts_with(b"\xef\xbb\xbf") {
                    self.buffer.drain(..3);
                }
            }
            while let Some(end) = line_end(&self.buffer[start..]) {
                let next = start + end.end;
                // An LF may follow.
                if more && next == self.buffer.len() && self.buffer.ends_with(b"\r") {
                    break;
                }
                if !is_blank(&self.buffer[start..start + end.start]) {
                    return Ok(start);
                }
                start = next;
            }
            if start > READ {
                self.start.number += line_ends(&self.buffer[..start]) as u64;
                self.buffer.drain(..std::mem::take(&mut start));
            }
        }
        Ok(start)
    }

    /// Reads some more. Returns false at the end of the input.
    fn fill(&mut self) -> Result<bool> {
        let read = loop {
            match self.bytes.read(&mut self.window) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.with_context(|| format!("cannot read {}", self.shown))?,
            }
        };
        if self.replaces_cr {
            append_lines(&mut self.buffer, &self.window[..read], &mut self.is_after_cr);
        } else {
            self.buffer.extend_from_slice(&self.window[..read]);
        }
        Ok(read > 0)
    }

    /// Hands over everything in blocks of about one read of `size` bytes, so that results do not wait for input that has not
    /// arrived yet. There is at least one block, which may be empty. A block has at most `most` units, if they can be cut
    /// apart. `unit` is what messages count.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, a unit is too long and cannot be passed over, or `hand` fails.
    pub fn blocks(&mut self, cut: &mut dyn Cut, size: usize, most: usize, unit: &str, hand: Hand<'_>) -> Result<()> {
        self.window.resize(size, 0);
        self.replaces_cr = cut.ends_lines_at_cr();
        if self.buffer.len() > self.window.len() || self.replaces_cr {
            // What was read to find the format makes no block that is larger than others.
            let first = if self.replaces_cr { 0 } else { self.window.len() };
            let rest = self.buffer.split_off(first);
            let bytes = std::mem::replace(&mut self.bytes, Box::new(io::empty()));
            self.bytes = Box::new(io::Cursor::new(rest).chain(bytes));
        }
        if cut.has_lines() {
            // What was passed over by now are lines.
            self.start = Start { number: 1, line: self.start.number, column: 0 };
        }
        if let Some(before) = self.before.take() {
            self.start = before;
        }
        let (mut more, mut is_first, mut scanned) = (true, true, 0);
        cut.begin();
        while more || is_first || !self.buffer.is_empty() {
            let mut end = cut.last_end(&self.buffer, scanned);
            scanned = self.buffer.len();
            if end.is_none() && !more {
                end = Some(self.buffer.len());
            }
            if let Some(end) = end {
                let rest = self.buffer[end..].to_vec();
                self.buffer.truncate(end);
                let bytes = std::mem::replace(&mut self.buffer, rest);
                self.hand_over(bytes, cut, most, hand)?;
                is_first = false;
                scanned = 0;
                cut.begin();
            } else if self.buffer.len() > MAX_RECORD {
                if let Some(problem) = cut.too_long() {
                    bail!("{}, {unit} {}: {problem}", self.shown, self.start.number);
                }
                // First, because the unit may have no end, as in /dev/zero.
                hand(self.start, Content::TooLong)?;
                more = self.pass_over(cut)?;
                is_first = false;
                self.start.number += 1;
                scanned = 0;
                cut.begin();
                continue;
            }
            more = more && self.fill()?;
        }
        Ok(())
    }

    /// Hands over whole units.
    fn hand_over(&mut self, bytes: Vec<u8>, cut: &mut dyn Cut, most: usize, hand: Hand<'_>) -> Result<()> {
        let units = cut.count(&bytes);
        if units <= most as u64 {
            let start = self.start;
            self.advance(cut, &bytes, units);
            return hand(start, Content::Bytes(bytes));
        }
        let mut start = 0;
        for end in ends(cut, &bytes, units, most) {
            let part = bytes[start..end].to_vec();
            let units = cut.count(&part);
            let from = self.start;
            self.advance(cut, &part, units);
            hand(from, Content::Bytes(part))?;
            start = end;
        }
        Ok(())
    }

    /// These bytes with so many units have been handed over.
    fn advance(&mut self, cut: &dyn Cut, bytes: &[u8], units: u64) {
        self.start.number += units;
        if cut.has_lines() {
            self.start.line += memchr_iter(b'\n', bytes).count() as u64;
            let before = memrchr(b'\n', bytes).map_or(self.start.column + bytes.len(), |end| bytes.len() - end - 1);
            self.start.column = before;
        }
    }

    /// Skips the rest of the unit. Returns false at the end of the input.
    fn pass_over(&mut self, cut: &mut dyn Cut) -> Result<bool> {
        let line_ends = |bytes: &[u8]| memchr_iter(b'\n', bytes).count() as u64;
        loop {
            let before = if cut.has_lines() { line_ends(&self.buffer) } else { 0 };
            let is_passed = cut.pass_over(&mut self.buffer);
            if cut.has_lines() {
                self.start.line += before - line_ends(&self.buffer);
                self.start.column = 0;
            }
            if is_passed {
                return Ok(true);
            }
            if !self.fill()? {
                self.buffer.clear();
                return Ok(false);
            }
        }
    }
}

/// Where to cut bytes that have so many units, so that each part has at most `most` of them. A single unit is not cut.
fn ends(cut: &mut dyn Cut, bytes: &[u8], units: u64, most: usize) -> Vec<usize> {
    let mut last_end = |part: &[u8]| {
        cut.begin();
        cut.last_end(part, 0).map(|end| (end, cut.count(&part[..end]) as usize))
    };
    // If all units were of one size, this would be it.
    let size = (bytes.len() / units.div_ceil(most as u64) as usize).max(1);
    let (mut ends, mut start) = (Vec::new(), 0);
    while start < bytes.len() {
        let rest = &bytes[start..];
        let mut window = size;
        while window < rest.len() && last_end(&rest[..window]).is_none() {
            window *= 2;
        }
        window = window.min(rest.len());
        // The longest part that has no more units, between one that is too short and one that is too long.
        // Where a part ends may be clear only some bytes later.
        let (mut short, mut long, mut end, mut is_short) = (0, window + 1, rest.len(), false);
        while long - short > 1 {
            let middle = (short + long) / 2;
            match last_end(&rest[..middle]) {
                None => short = middle,
                Some((found, count)) if count <= most => (short, end, is_short) = (middle, found, true),
                Some((found, _)) => {
                    long = found.max(short + 1);
                    // Perhaps no part is short enough.
                    end = if is_short { end } else { found };
                }
            }
        }
        start += end;
        ends.push(start);
    }
    ends
}

/// Whether a line holds only blanks or a comment.
pub fn is_blank(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

/// Appends the next bytes of a text, each CR alone as LF. No bytes are the end of the text. A CR at the end of others waits for
/// the byte after it, and sets `is_after_cr`.
fn append_lines(text: &mut Vec<u8>, next: &[u8], is_after_cr: &mut bool) {
    if *is_after_cr {
        text.push(if next.starts_with(b"\n") { b'\r' } else { b'\n' });
    }
    *is_after_cr = next.ends_with(b"\r");
    let next = next.strip_suffix(b"\r").unwrap_or(next);
    let before = text.len();
    text.extend_from_slice(next);
    for at in lone_crs(next) {
        text[before + at] = b'\n';
    }
}

/// The range of the first line end of a text: LF, CR LF or CR.
pub fn line_end(text: &[u8]) -> Option<Range<usize>> {
    let at = memchr2(b'\n', b'\r', text)?;
    Some(at..at + if text[at..].starts_with(b"\r\n") { 2 } else { 1 })
}

/// The lines of a text without their ends, LF or CR LF. In blocks of lines, no other CR ends one.
pub fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let line = &text[..end];
        text = text.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_about_as_long_as_a_read() {
        let line = "a line that the length of a read is not a multiple of\n";
        let bytes = Box::new(io::Cursor::new(line.repeat(10_000)));
        let mut next = 1;
        let mut hand = |first, content: Content| {
            let Content::Bytes(text) = content else { panic!("no line is long") };
            assert_eq!(first, Start::from(next));
            assert!(text.ends_with(b"\n") && text.len() <= READ + line.len());
            next += (text.len() / line.len()) as u64;
            Ok(())
        };
        let mut text = Text::new("test".to_owned(), bytes);
        assert_eq!(text.first_line().unwrap(), line.trim_ascii().as_bytes());
        text.blocks(&mut WholeLines, READ, usize::MAX, "line", &mut hand).unwrap();
        assert_eq!(next, 10_001);
    }

    #[test]
    fn blocks_have_no_more_units_than_asked_for() {
        // Lines of very different lengths, the last one without its end.
        let lines: Vec<String> = (0..5_000).map(|at| "x".repeat(if at % 700 == 0 { 5_000 } else { at % 4 })).collect();
        let input = lines.join("\n");
        for most in [1, 2, 7, 1_000] {
            let mut text = Text::new("test".to_owned(), Box::new(io::Cursor::new(input.clone().into_bytes())));
            let (mut next, mut whole) = (1, String::new());
            let mut hand = |first, content: Content| {
                let Content::Bytes(bytes) = content else { panic!("no line is long") };
                let count = bytes.split_inclusive(|&byte| byte == b'\n').count();
                // The last line, which has no end, comes with the one before.
                assert!(first == next.into() && count <= most + 1, "{first:?}, {next}: {count} lines of {most}");
                next += count as u64;
                whole += str::from_utf8(&bytes).unwrap();
                Ok(())
            };
            text.blocks(&mut WholeLines, READ, most, "line", &mut hand).unwrap();
            assert_eq!((next, whole), (5_001, input.clone()));
        }
    }

    #[test]
    fn a_cr_alone_becomes_lf_however_the_text_is_cut() {
        for text in
            ["a\r\nb\rc\n\r\r\n\rd", "\r", "\r\n", "\n\r", "\r\r", "", "# a\r\r\n\r  \rb\rc\r", "\u{feff}a\rb\r"]
        {
            let without = text.strip_prefix('\u{feff}').unwrap_or(text);
            let expected = without.replace("\r\n", "\0").replace('\r', "\n").replace('\0', "\r\n");
            for (size, looks) in (1..text.len() + 2).flat_map(|size| [(size, false), (size, true)]) {
                let mut input = Text::new("test".to_owned(), Box::new(io::Cursor::new(text.to_owned())));
                input.window.resize(size, 0);
                let first =
                    without.split(['\r', '\n']).map(str::trim).find(|line| !is_blank(line.as_bytes())).unwrap_or("");
                let mut before = 0;
                if looks || text.starts_with('\u{feff}') {
                    assert_eq!(str::from_utf8(input.first_line().unwrap()).unwrap(), first, "{text:?}, {size}");
                    before = expected.lines().take_while(|line| is_blank(line.as_bytes())).count() as u64;
                    assert!(first.is_empty() || input.first_line_number() == before + 1, "{text:?}, {size}");
                }
                let (mut whole, mut next) = (String::new(), 1);
                let mut hand = |start: Start, content| {
                    let Content::Bytes(bytes) = content else { panic!("no line is long") };
                    assert_eq!(start.number, next, "{text:?}, {size}");
                    next += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
                    whole += str::from_utf8(&bytes).unwrap();
                    Ok(())
                };
                input.blocks(&mut WholeLines, size, usize::MAX, "line", &mut hand).unwrap();
                // The end of the text ends a line too.
                assert_eq!(whole, expected, "{text:?}, {size}");
                if looks && !first.is_empty() {
                    let mut input = Text::new("test".to_owned(), Box::new(io::Cursor::new(text.to_owned())));
                    input.window.resize(size, 0);
                    input.first_line().unwrap();
                    input.pass_first_line();
                    let line = expected.split_inclusive('\n').nth(before as usize).unwrap();
                    let number = before + if line.ends_with('\n') { 2 } else { 1 };
                    assert_eq!(input.end().number, number, "{text:?}, {size}");
                }
            }
        }
    }

    #[test]
    fn ends_of_lines_are_taken_off() {
        let lines: Vec<&[u8]> = lines(b"a\r\nb\n\nc\r\n\r\ne").collect();
        assert_eq!(lines, [b"a".as_slice(), b"b", b"", b"c", b"", b"e"]);
    }
}
