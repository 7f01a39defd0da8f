//! The bytes of an input: pushed until its format is detected, then split into chunks. This module knows no format.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Context, Result};
use slider_attacks_formats::Beginning;
use slider_attacks_formats::beginning::SkippedPrefix;
use slider_attacks_formats::content::{BlockBytes, BlockStart, Content};
use slider_attacks_formats::cut::Cutter;
use slider_attacks_formats::cut::READ;
use slider_attacks_formats::training::chunks::{BinpackChunks, BlockSink, ChunkGatherer};

use crate::counter::ByteCounter;
use crate::file::InputFile;
use crate::ordered::{PendingResult, Pool};
use crate::ranges::{Chunk, Chunks};
use crate::unchanged::{FileState, UnchangedFile};

/// Receives the start and the content of each block. Breaks if no more are needed.
pub type ContentSink<'a> = &'a mut dyn FnMut(BlockStart, Content) -> Result<ControlFlow<()>>;

/// Hands over the blocks of an input that is not read from its beginning to its end: in order, at least one. It also sets how far the
/// input has been read.
pub type OwnBlocks = Box<dyn FnOnce(&ByteCounter, ContentSink<'_>) -> Result<()>>;

/// How many threads find the blocks of a binpack, which means to go through its positions twice: with fewer, that takes longer.
const LEAST_THREADS: usize = 4;
/// The most memory that chunks of a binpack and their blocks take, from when they are read until they are handed over.
const MEMORY: usize = 32 << 20;

/// The bytes of an input, decompressed.
pub struct Text {
    /// The name of the input, as messages show it.
    name: String,
    bytes: Box<dyn Read>,
    /// Where bytes are read, as many at a time as this has.
    window: Vec<u8>,
    /// The bytes that have been read but not yet passed on.
    buffer: Vec<u8>,
    /// Where the buffer begins.
    start: BlockStart,
    /// Where all begins, if it is part of a longer text.
    before: Option<BlockStart>,
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
    pub file: InputFile,
    /// See [`FileState`].
    pub state: FileState,
    /// Which of its bytes are read.
    pub part: Range<u64>,
}

impl Text {
    /// The bytes of an input of this name. Nothing is read yet.
    pub fn new(name: String, bytes: Box<dyn Read>) -> Text {
        Text {
            name,
            bytes,
            window: vec![0; READ],
            buffer: Vec::new(),
            start: 1.into(),
            before: None,
            read: 0,
            file: None,
            waits: true,
        }
    }

    /// The bytes are those of an ordinary file; of this one as they are, if it is not compressed.
    pub fn set_file(&mut self, file: Option<PlainFile>) {
        (self.file, self.waits) = (file, false);
    }

    /// Pushes bytes until the beginning has at least this many, or until there are no more.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    pub fn push_to(&mut self, beginning: &mut Beginning, least: usize) -> Result<()> {
        while beginning.len() < least && !beginning.is_all() {
            match self.read_window()? {
                0 => beginning.finish(),
                read => beginning.push(&self.window[..read]),
            }
        }
        Ok(())
    }

    /// What has not been handed over begins with the rest of the beginning.
    pub fn go_on(&mut self, mut beginning: Beginning, passed: SkippedPrefix) {
        self.start = passed.line.into();
        self.buffer = beginning.take_rest(passed);
    }

    /// Only the beginning has been read, which is that of the file. The part of the file that is handed over lies elsewhere.
    pub fn jump_to_part(&mut self, counter: &ByteCounter) {
        counter.take_back(self.read);
        (self.read, self.start) = (0, 1.into());
        self.buffer.clear();
    }

    /// Goes on after this many bytes from the beginning. Bytes of an ordinary file as they are need not be read for this.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    pub fn pass_to(&mut self, byte: u64, counter: &ByteCounter) -> Result<()> {
        let mut left = byte.saturating_sub(self.read - self.buffer.len() as u64);
        let buffered = self.buffer.len().min(left as usize);
        self.buffer.drain(..buffered);
        left -= buffered as u64;
        // Threads look for chunks from the beginning of one. This place is inside one, so a single thread reads up to the end of the
        // part.
        if let Some(PlainFile { mut file, state, part }) = self.file.take().filter(|_| left > 0) {
            let start = part.start.saturating_add(byte).min(part.end);
            file.seek(SeekFrom::Start(start)).with_context(|| format!("cannot read {}", self.name))?;
            counter.add(left);
            self.bytes = Box::new(counter.count(UnchangedFile::new(file, state).take(part.end - start)));
            return Ok(());
        }
        while left > 0 {
            let read = self.read_window()? as u64;
            let passed = read.min(left);
            self.buffer.extend_from_slice(&self.window[passed as usize..read as usize]);
            left = if read == 0 { 0 } else { left - passed };
        }
        Ok(())
    }

    /// How many bytes are before those that have not been handed over, if these are bytes of an ordinary file as they are.
    pub fn place_in_file(&self) -> Option<u64> {
        self.file.as_ref().map(|_| self.read - self.buffer.len() as u64)
    }

    /// This is part of a longer text, and begins here.
    pub fn begin_at(&mut self, start: BlockStart) {
        self.before = Some(start);
    }

    /// Reads some bytes into the window, and returns how many. There are none at the end of the input.
    fn read_window(&mut self) -> Result<usize> {
        let read = read_some(&mut self.bytes, &mut self.window, &self.name)?;
        self.read += read as u64;
        Ok(read)
    }

    /// Hands over everything that chunks of a binpack have. If it is a file that is not compressed, and the pool has enough threads, they
    /// find the blocks.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or `sink` fails.
    pub fn read_chunks(mut self, mut chunks: BinpackChunks, pool: Option<&Pool>, sink: ContentSink<'_>) -> Result<()> {
        let mut sink = |start, content| match sink(start, content) {
            Ok(Continue(())) => Continue(()),
            ended => Break(ended.map(drop)),
        };
        let mut done = match pool.filter(|pool| self.file.is_some() && pool.threads() >= LEAST_THREADS) {
            Some(pool) => self.gather(&mut chunks, pool, &mut sink),
            None => chunks.push(&mem::take(&mut self.buffer), false, &mut sink),
        };
        let mut more = true;
        while more && done.is_continue() {
            let read = self.read_window()?;
            more = read > 0;
            done = chunks.push(&self.window[..read], !more, &mut sink);
        }
        done.break_value().unwrap_or(Ok(()))
    }

    /// Hands over the blocks of whole chunks, which the threads of a pool find, and what has been read after them.
    fn gather(
        &mut self,
        chunks: &mut BinpackChunks,
        pool: &Pool,
        sink: BlockSink<'_, Result<()>>,
    ) -> ControlFlow<Result<()>> {
        // The first block, which has the columns.
        chunks.push(&[], false, sink)?;
        let (mut gatherer, mut pieces, mut failed) = (ChunkGatherer::default(), VecDeque::new(), None);
        let mut goes_on = gatherer.push(&mem::take(&mut self.buffer));
        loop {
            if let Some(whole) = gatherer.take(chunks, !goes_on, MEMORY / pool.threads()) {
                let size = whole.memory();
                let is_full = |pieces: &VecDeque<(usize, _)>| {
                    pieces.len() == pool.threads() || pieces.iter().map(|(size, _)| size).sum::<usize>() + size > MEMORY
                };
                while is_full(&pieces)
                    && let Some(piece) = pieces.pop_front()
                {
                    hand_piece(piece, sink)?;
                }
                pieces.push_back((size, pool.run(|| whole.blocks())));
            }
            if !goes_on {
                break;
            }
            goes_on = match self.read_window() {
                Ok(read) => read > 0 && gatherer.push(&self.window[..read]),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            };
        }
        pieces.into_iter().try_for_each(|piece| hand_piece(piece, sink))?;
        gatherer.push_rest(chunks, sink)?;
        failed.map_or(Continue(()), |error| Break(Err(error)))
    }

    /// Where what has not been handed over begins: the number of its first unit.
    fn first(&mut self, cutter: &Cutter) -> BlockStart {
        // What was passed over by now are lines.
        let here = cutter.start_at(self.start);
        self.before.take().unwrap_or(here)
    }

    /// Hands over everything in chunks of about `size` bytes, which others fetch and cut. Of an ordinary file that is not compressed,
    /// nothing is read here.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or `sink` fails.
    pub fn chunks(
        mut self,
        cutter: Cutter,
        size: usize,
        counter: &ByteCounter,
        sink: &mut dyn FnMut(Chunk) -> Result<ControlFlow<()>>,
    ) -> Result<Arc<Chunks>> {
        let first = self.first(&cutter);
        if let Some(PlainFile { file, state, part }) =
            self.file.take_if(|file| file.part.start + self.read <= file.part.end)
        {
            let begin = part.start + self.read - self.buffer.len() as u64;
            counter.take_back(self.buffer.len() as u64);
            let file = file.in_chunks(begin..part.end, size);
            let chunks = Chunks::new(self.name, cutter, first, Some((file, state)), counter.clone());
            for (number, from) in (0..).zip((begin..part.end.max(begin + 1)).step_by(size)) {
                let length = (part.end - from).min(size as u64) as usize;
                let is_last = from + length as u64 == part.end;
                if sink(Chunk::of_file(&chunks, number, is_last, from, length))?.is_break() {
                    break;
                }
            }
            return Ok(chunks);
        }
        let chunks = Chunks::new(self.name.clone(), cutter, first, None, counter.clone());
        for number in 0.. {
            let (mut rest, mut is_last, mut failed) = (mem::take(&mut self.buffer), false, None);
            let bytes = BlockBytes::fill(chunks.spare(), size, |bytes| {
                let mut all = rest.len().min(size);
                bytes[..all].copy_from_slice(&rest[..all]);
                rest.drain(..all);
                while all < size && (all == 0 || !self.waits) {
                    match read_some(&mut self.bytes, &mut bytes[all..], &self.name) {
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
            let flow = sink(Chunk::in_memory(&chunks, number, is_last, bytes))?;
            if let Some(error) = failed {
                return Err(error);
            }
            if is_last || flow.is_break() {
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
    /// The bytes cannot be read, or `sink` fails.
    pub fn blocks(
        self,
        cutter: Cutter,
        size: usize,
        counter: &ByteCounter,
        sink: ContentSink<'_>,
    ) -> Result<BlockStart> {
        let mut cut = |chunk: Chunk| {
            for (start, content) in chunk.units()? {
                if sink(start, content)?.is_break() {
                    return Ok(Break(()));
                }
            }
            Ok(Continue(()))
        };
        Ok(self.chunks(cutter, size, counter, &mut cut)?.end())
    }
}

/// Hands over blocks that a thread has found.
fn hand_piece(
    (_, blocks): (usize, PendingResult<Vec<(BlockStart, Content)>>),
    sink: BlockSink<'_, Result<()>>,
) -> ControlFlow<Result<()>> {
    blocks.get().into_iter().try_for_each(|(start, content)| sink(start, content))
}

/// Reads some bytes. There are none at the end.
fn read_some(bytes: &mut dyn Read, window: &mut [u8], name: &str) -> Result<usize> {
    loop {
        match bytes.read(window) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.with_context(|| format!("cannot read {name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use slider_attacks_formats::cut::{UnitCount, WholeLines, is_blank};

    use super::*;

    /// The beginning of a text, up to its first line.
    fn beginning(text: &mut Text) -> Beginning {
        let mut beginning = Beginning::default();
        while !beginning.has_first_line() {
            let more = beginning.len() + 1;
            text.push_to(&mut beginning, more).unwrap();
        }
        beginning
    }

    #[test]
    fn blocks_are_about_as_long_as_a_read() {
        let line = "a line that the length of a read is not a multiple of\n";
        let bytes = Box::new(io::Cursor::new(line.repeat(10_000)));
        let mut next = 1;
        let mut sink = |first, content: Content| {
            let Content::Bytes(text) = content else { panic!("no line is long") };
            if text.is_empty() {
                return Ok(Continue(()));
            }
            assert_eq!(first, BlockStart { byte: (next - 1) * line.len() as u64, ..next.into() });
            assert!(text.ends_with(b"\n") && text.len() <= READ + line.len());
            next += (text.len() / line.len()) as u64;
            Ok(Continue(()))
        };
        let mut text = Text::new("test".to_owned(), bytes);
        let first = beginning(&mut text);
        assert_eq!(first.first_line().unwrap(), line.trim_ascii().as_bytes());
        let mark = first.mark();
        text.go_on(first, mark);
        let lines = Cutter::new(Box::new(WholeLines), UnitCount::LINES);
        text.blocks(lines, READ, &ByteCounter::default(), &mut sink).unwrap();
        assert_eq!(next, 10_001);
    }

    #[test]
    fn a_cr_alone_becomes_lf_however_the_text_is_cut() {
        for text in [
            "a\r\nb\rc\n\r\r\n\rd",
            "ab\r\rcd\r\r\re\r\r\n",
            "\r",
            "\r\n",
            "\n\r",
            "\r\r",
            "",
            "# a\r\r\n\r  \rb\rc\r",
            "\u{feff}a\rb\r",
        ] {
            let without = text.strip_prefix('\u{feff}').unwrap_or(text);
            let expected = without.replace("\r\n", "\0").replace('\r', "\n").replace('\0', "\r\n");
            for (size, looks) in (1..text.len() + 2).flat_map(|size| [(size, false), (size, true)]) {
                let mut input = Text::new("test".to_owned(), Box::new(io::Cursor::new(text.to_owned())));
                input.window.resize(size, 0);
                let first =
                    without.split(['\r', '\n']).map(str::trim).find(|line| !is_blank(line.as_bytes())).unwrap_or("");
                let mut before = 0;
                if looks || text.starts_with('\u{feff}') {
                    let found = beginning(&mut input);
                    assert_eq!(str::from_utf8(found.first_line().unwrap()).unwrap(), first, "{text:?}, {size}");
                    before = expected.lines().take_while(|line| is_blank(line.as_bytes())).count() as u64;
                    assert!(first.is_empty() || found.first_line_number() == before + 1, "{text:?}, {size}");
                    let mark = found.mark();
                    input.go_on(found, mark);
                }
                let (mut whole, mut next) = (String::new(), 1);
                let mut sink = |start: BlockStart, content| {
                    let Content::Bytes(bytes) = content else { panic!("no line is long") };
                    assert_eq!(start.number, next, "{text:?}, {size}");
                    next += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
                    whole += str::from_utf8(&bytes).unwrap();
                    Ok(Continue(()))
                };
                let lines = Cutter::new(Box::new(WholeLines), UnitCount::LINES);
                input.blocks(lines, size, &ByteCounter::default(), &mut sink).unwrap();
                // The end of the text ends a line too.
                assert_eq!(whole, expected, "{text:?}, {size}");
                if looks && !first.is_empty() {
                    let mut input = Text::new("test".to_owned(), Box::new(io::Cursor::new(text.to_owned())));
                    input.window.resize(size, 0);
                    let found = beginning(&mut input);
                    let header = found.header();
                    input.go_on(found, header);
                    let line = expected.split_inclusive('\n').nth(before as usize).unwrap();
                    let number = before + if line.ends_with('\n') { 2 } else { 1 };
                    assert_eq!(input.start.number, number, "{text:?}, {size}");
                }
            }
        }
    }
}
