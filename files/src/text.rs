//! Text in a buffer: found line by line at its beginning, then handed over in chunks. This knows no format.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Context, Result};
use memchr::{memchr, memchr2};

use crate::content::{Bytes, Content, MAX_RECORD, Start, line_ends};
use crate::counter::ByteCounter;
use crate::cutter::Cutter;
use crate::ranges::{Chunk, Chunks};
use crate::unchanged::FileState;

/// How many bytes are read at a time, which is also about the size of a block, unless the caller says otherwise. Blocks are
/// small because several of them wait in memory with their results, which are up to a hundred times as large.
pub const READ: usize = 32 << 10;

/// How many bytes a block of games is to have, if one of lines is to have so many. A ply takes from 5 to 30 bytes, a line of FEN 60.
pub fn games_bytes(lines: usize) -> usize {
    (lines / 4).max(1)
}

/// Takes where a block begins, and its content. If it fails, no more are needed.
pub type Hand<'a> = &'a mut dyn FnMut(Start, Content) -> Result<()>;

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
    /// How many bytes have been read.
    read: u64,
    /// The file, if the bytes are those of an ordinary file as they are.
    file: Option<PlainFile>,
    /// Whether they come as fast as they are read: not from a pipe, whose rows must not wait for bytes that have not arrived yet.
    waits: bool,
}

/// A part of an ordinary file that is not compressed.
#[derive(Debug)]
pub struct PlainFile {
    /// The file, and its state when it was opened.
    pub file: File,
    /// See [`FileState`].
    pub state: FileState,
    /// Which of its bytes are read.
    pub part: Range<u64>,
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
            read: 0,
            file: None,
            waits: true,
        }
    }

    /// The bytes are those of an ordinary file; of this one as they are, if it is not compressed.
    pub fn set_file(&mut self, file: Option<PlainFile>) {
        (self.file, self.waits) = (file, false);
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
        let read = read_some(&mut self.bytes, &mut self.window, &self.shown)?;
        self.buffer.extend_from_slice(&self.window[..read]);
        self.read += read as u64;
        Ok(read > 0)
    }

    /// Where what has not been handed over begins: the number of its first unit.
    fn first(&mut self, cutter: &Cutter) -> Start {
        let here = match cutter.counts().has_lines {
            // What was passed over by now are lines.
            true => Start { number: 1, line: self.start.number, column: 0 },
            false => self.start,
        };
        self.before.take().unwrap_or(here)
    }

    /// Hands over everything in chunks of about `size` bytes, which others fetch and cut. Of an ordinary file that is not compressed,
    /// nothing is read here.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or `hand` fails.
    pub fn chunks(
        mut self,
        cutter: Cutter,
        size: usize,
        counter: &ByteCounter,
        hand: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<Arc<Chunks>> {
        let first = self.first(&cutter);
        if let Some(PlainFile { file, state, part }) =
            self.file.take_if(|file| file.part.start + self.read <= file.part.end)
        {
            let begin = part.start + self.read - self.buffer.len() as u64;
            counter.take_back(self.buffer.len() as u64);
            let chunks = Chunks::new(self.shown, cutter, first, Some((file, state)), counter.clone());
            for (number, from) in (0..).zip((begin..part.end.max(begin + 1)).step_by(size)) {
                let length = (part.end - from).min(size as u64) as usize;
                let is_last = from + length as u64 == part.end;
                hand(Chunk::of_file(&chunks, number, is_last, from, length))?;
            }
            return Ok(chunks);
        }
        let chunks = Chunks::new(self.shown.clone(), cutter, first, None, counter.clone());
        for number in 0.. {
            let (mut rest, mut is_last, mut failed) = (std::mem::take(&mut self.buffer), false, None);
            let bytes = Bytes::fill(chunks.spare(), size, |bytes| {
                let mut all = rest.len().min(size);
                bytes[..all].copy_from_slice(&rest[..all]);
                rest.drain(..all);
                while all < size && (all == 0 || !self.waits) {
                    match read_some(&mut self.bytes, &mut bytes[all..], &self.shown) {
                        Ok(0) => {
                            is_last = true;
                            break;
                        }
                        Ok(read) => all += read,
                        // What came before the error is good.
                        Err(error) if all > 0 => {
                            failed = Some(error);
                            break;
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(all)
            })?;
            self.buffer = rest;
            hand(Chunk::in_memory(&chunks, number, is_last, bytes))?;
            if let Some(error) = failed {
                return Err(error);
            }
            if is_last {
                break;
            }
        }
        Ok(chunks)
    }

    /// Hands over everything in blocks of about one read of `size` bytes, so that results do not wait for input that has not
    /// arrived yet. There is at least one block, which may be empty. Returns where a unit after them would begin.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or `hand` fails.
    pub fn blocks(self, cutter: Cutter, size: usize, counter: &ByteCounter, hand: Hand<'_>) -> Result<Start> {
        let mut cut = |chunk: Chunk| chunk.units()?.into_iter().try_for_each(|(start, content)| hand(start, content));
        Ok(self.chunks(cutter, size, counter, &mut cut)?.end())
    }
}

/// Reads some bytes. There are none at the end.
fn read_some(bytes: &mut dyn Read, window: &mut [u8], shown: &str) -> Result<usize> {
    loop {
        match bytes.read(window) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.with_context(|| format!("cannot read {shown}")),
        }
    }
}

/// Whether a line holds only blanks or a comment.
pub fn is_blank(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
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
    use crate::cutter::{Counts, WholeLines};

    #[test]
    fn blocks_are_about_as_long_as_a_read() {
        let line = "a line that the length of a read is not a multiple of\n";
        let bytes = Box::new(io::Cursor::new(line.repeat(10_000)));
        let mut next = 1;
        let mut hand = |first, content: Content| {
            let Content::Bytes(text) = content else { panic!("no line is long") };
            if text.is_empty() {
                return Ok(());
            }
            assert_eq!(first, Start::from(next));
            assert!(text.ends_with(b"\n") && text.len() <= READ + line.len());
            next += (text.len() / line.len()) as u64;
            Ok(())
        };
        let mut text = Text::new("test".to_owned(), bytes);
        assert_eq!(text.first_line().unwrap(), line.trim_ascii().as_bytes());
        let lines = Cutter::new(Box::new(WholeLines), Counts::LINES);
        text.blocks(lines, READ, &ByteCounter::default(), &mut hand).unwrap();
        assert_eq!(next, 10_001);
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
                let lines = || Cutter::new(Box::new(WholeLines), Counts::LINES);
                input.blocks(lines(), size, &ByteCounter::default(), &mut hand).unwrap();
                // The end of the text ends a line too.
                assert_eq!(whole, expected, "{text:?}, {size}");
                if looks && !first.is_empty() {
                    let mut input = Text::new("test".to_owned(), Box::new(io::Cursor::new(text.to_owned())));
                    input.window.resize(size, 0);
                    input.first_line().unwrap();
                    input.pass_first_line();
                    let end = input.start;
                    let line = expected.split_inclusive('\n').nth(before as usize).unwrap();
                    let number = before + if line.ends_with('\n') { 2 } else { 1 };
                    assert_eq!(end.number, number, "{text:?}, {size}");
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
