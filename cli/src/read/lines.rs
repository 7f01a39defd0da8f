//! Where lines come from: a file, standard input or an embedded sample, with a limit on their length.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result};

/// The longest line that is looked at, in bytes, without its end. Of a longer one no more than this is held.
pub const MAX_LINE: usize = 4096;

/// How much is read at a time.
const BUFFER: usize = 1 << 16;

/// An open input.
pub struct Input {
    /// What to call it in messages.
    pub name: String,
    /// How many bytes it has, where that is known.
    pub length: Option<u64>,
    /// A person types it.
    pub is_terminal: bool,
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    number: u64,
    consumed: u64,
}

/// What a call of [`Input::next_line`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without its end.
    Bytes(&'a [u8]),
    /// One of more than [`MAX_LINE`] bytes; it has been passed over.
    TooLong,
}

impl Input {
    /// Opens `file`; `-` is standard input, and nothing is the sample.
    pub fn open(file: Option<&Path>, sample: &'static str) -> Result<Input> {
        let Some(path) = file else {
            return Ok(Input::new("the embedded sample".into(), Some(sample.len() as u64), sample.as_bytes()));
        };
        if path.as_os_str() == "-" {
            let stdin = io::stdin();
            let is_terminal = stdin.is_terminal();
            return Ok(Input { is_terminal, ..Input::new("standard input".into(), None, stdin) });
        }
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let metadata = file.metadata().with_context(|| format!("cannot look at {name}"))?;
        let length = (metadata.is_file() && metadata.len() > 0).then_some(metadata.len());
        Ok(Input::new(name, length, file))
    }

    fn new(name: String, length: Option<u64>, reader: impl Read + 'static) -> Input {
        let reader = BufReader::with_capacity(BUFFER, Box::new(reader) as Box<dyn Read>);
        Input { name, length, is_terminal: false, reader, line: Vec::new(), number: 0, consumed: 0 }
    }

    /// How many bytes have been read.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Whether the whole next line has been read from the source already. If not, to ask for it may take a while; and it
    /// is not at least once in 64 KiB.
    pub fn has_line_at_hand(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }

    /// Reads a line and tells its number, from 1; `None` at the end. Ends of lines are LF or CRLF, and the last one may be missing. A byte order mark
    /// at the very beginning is passed over.
    pub fn next_line(&mut self) -> Result<Option<(u64, Line<'_>)>> {
        let too_long = self.read_line().with_context(|| format!("cannot read {}", self.name))?;
        let Some(too_long) = too_long else { return Ok(None) };
        self.number += 1;
        let mut line = self.line.as_slice();
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if !too_long {
            line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        let line = if too_long || line.len() > MAX_LINE { Line::TooLong } else { Line::Bytes(line) };
        Ok(Some((self.number, line)))
    }

    /// Puts the next line without its LF into `self.line`, cut off beyond what could be a line of [`MAX_LINE`] bytes with
    /// a byte order mark and a CR, and tells whether it was cut; `None` at the end.
    fn read_line(&mut self) -> io::Result<Option<bool>> {
        const KEPT: usize = MAX_LINE + 4;
        self.line.clear();
        let (mut any, mut cut) = (false, false);
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                return Ok(any.then_some(cut));
            }
            any = true;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let kept = part.len().min(KEPT - self.line.len());
            self.line.extend_from_slice(&part[..kept]);
            cut |= kept < part.len();
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.consumed += used as u64;
            if end.is_some() {
                return Ok(Some(cut));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `text`, the too long ones as `None`.
    fn lines(text: &[u8]) -> Vec<Option<Vec<u8>>> {
        let mut input = Input::new("test".into(), None, io::Cursor::new(text.to_vec()));
        let mut lines = Vec::new();
        while let Some((number, line)) = input.next_line().unwrap() {
            assert_eq!(number, lines.len() as u64 + 1);
            lines.push(match line {
                Line::Bytes(bytes) => Some(bytes.to_vec()),
                Line::TooLong => None,
            });
        }
        assert_eq!(input.consumed(), text.len() as u64);
        lines
    }

    #[test]
    fn ends_of_lines_and_the_byte_order_mark_are_taken_off() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), [some("")]);
        assert_eq!(lines(b"a\r\nb\n\nc"), [some("a"), some("b"), some(""), some("c")]);
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb"), [some("a"), some("\u{feff}b")]);
        assert_eq!(lines(b"a\rb\r\r\n"), [some("a\rb\r")]);
    }

    #[test]
    fn long_lines_are_passed_over_and_the_next_one_is_whole() {
        for (length, end) in [(MAX_LINE, "\n"), (MAX_LINE, "\r\n"), (MAX_LINE, "")] {
            let line = "x".repeat(length);
            assert_eq!(lines(format!("{line}{end}").as_bytes()), [Some(line.clone().into_bytes())]);
            assert_eq!(lines(format!("\u{feff}{line}{end}").as_bytes()), [Some(line.into_bytes())]);
        }
        for length in [MAX_LINE + 1, MAX_LINE + 2, MAX_LINE + 3, MAX_LINE + 4, BUFFER, 3 * BUFFER + 1] {
            for end in ["\n", "\r\n"] {
                let text = format!("{}{end}next", "x".repeat(length));
                assert_eq!(lines(text.as_bytes()), [None, Some(b"next".to_vec())], "{length}");
            }
        }
    }

    #[test]
    fn lines_at_hand_come_to_an_end_with_every_read() {
        for line in ["x\n", "some line that the size of the buffer is not a multiple of\n"] {
            let mut input = Input::new("test".into(), None, io::Cursor::new(line.repeat(100_000)));
            let mut paused_at = 0;
            while input.next_line().unwrap().is_some() {
                if !input.has_line_at_hand() {
                    assert!(input.consumed() - paused_at <= (BUFFER + line.len()) as u64);
                    paused_at = input.consumed();
                }
            }
            assert_eq!(paused_at, input.consumed());
        }
    }
}
