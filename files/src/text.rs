//! Text in a buffer: found line by line at its beginning, then cut into blocks. This knows no format.

use std::io::{self, Read};
use std::ops::Range;

use anyhow::{Context, Result, bail};
use memchr::{memchr, memchr_iter, memrchr};

use crate::content::{Content, MAX_RECORD, Start};

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
}

impl Text {
    /// The bytes of an input of this name. Nothing is read yet.
    pub fn new(shown: String, bytes: Box<dyn Read>) -> Text {
        Text { shown, bytes, window: vec![0; READ], buffer: Vec::new(), start: 1.into(), before: None, line: None }
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
                let end = memchr(b'\n', &self.buffer[start..]).map_or(self.buffer.len(), |end| start + end);
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

    /// Passes over the first line, which is a header, and returns its number.
    pub fn pass_first_line(&mut self) -> u64 {
        let line = self.line.take().unwrap_or(0..0);
        let lines = |text: &[u8]| memchr_iter(b'\n', text).count() as u64;
        let number = self.start.number + lines(&self.buffer[..line.start]);
        let passed = (line.end + 1).min(self.buffer.len());
        self.start.number += lines(&self.buffer[..passed]);
        self.buffer.drain(..passed);
        number
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
            while let Some(length) = memchr(b'\n', &self.buffer[start..]) {
                if !is_blank(&self.buffer[start..start + length]) {
                    return Ok(start);
                }
                start += length + 1;
            }
            if start > READ {
                self.start.number += memchr_iter(b'\n', &self.buffer[..start]).count() as u64;
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
        self.buffer.extend_from_slice(&self.window[..read]);
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
        if self.buffer.len() > self.window.len() {
            // What was read to find the format makes no block that is larger than others.
            let rest = self.buffer.split_off(self.window.len());
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

/// The lines of a text without their ends, LF or CRLF.
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
    fn ends_of_lines_are_taken_off() {
        let lines: Vec<&[u8]> = lines(b"a\r\nb\n\nc\rd\r\r\ne").collect();
        assert_eq!(lines, [b"a".as_slice(), b"b", b"", b"c\rd\r", b"e"]);
    }
}
