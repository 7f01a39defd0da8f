//! Text: cut into blocks of whole lines or records, and lines of FEN, EPD and pairs.

use std::io::{self, Read};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use memchr::{memchr, memchr_iter, memrchr};

use super::block::{Block, Layout, MAX_RECORD, Records, Source, Take, Wanted};
use super::csv::{self, Ends};
use super::malformed::LONE_CR;
use super::pairs;
use super::parsed::{Kept, Reading, Table};

/// How many bytes are read at a time, which is also about the size of a block. Blocks are small because several of them
/// wait in memory with their results, which are up to a hundred times as large.
pub const READ: usize = 32 << 10;

/// The first bytes of Parquet.
pub const PARQUET: &[u8] = b"PAR1";

/// An input that is text.
pub struct Input {
    source: Arc<Source>,
    bytes: Box<dyn Read>,
    /// The text that has been read and not yet handed over.
    text: Vec<u8>,
    /// The number of the first line of `text`.
    line: u64,
}

impl Input {
    /// Detects the format of `bytes`.
    pub fn open(name: &str, index: u64, bytes: Box<dyn Read>, wanted: &Wanted) -> Result<Input> {
        let source = Source { name: name.to_owned(), index, layout: Layout::Fen, kept: Vec::new() };
        let mut input = Input { source: Arc::new(source), bytes, text: Vec::new(), line: 1 };
        let start = input.find_first_line()?;
        let shown = input.source.shown();
        if input.text.starts_with(PARQUET) {
            bail!("cannot read {shown}: it is compressed Parquet; decompress it first");
        }
        let end = memchr(b'\n', &input.text[start..]).map_or(input.text.len(), |end| start + end);
        let line = input.text[start..end].trim_ascii();
        if line.starts_with(b"[") {
            bail!("cannot read {shown}: it is PGN or a JSON array; use FEN, EPD, CSV, JSON lines or Parquet");
        }
        let (layout, kept) = if wanted.pairs {
            (Layout::Pairs, Vec::new())
        } else if line.starts_with(b"{") {
            if wanted.keep_all() && !wanted.any_fields {
                bail!("{shown}: JSON lines have no fixed columns: {}", wanted.advice.all_fields);
            }
            let kept = if wanted.keep_all() { Vec::new() } else { wanted.keep.clone() };
            wanted.check_names(&kept, name)?;
            let all_but = wanted.keep_all().then(|| wanted.taken.clone());
            (Layout::Json { column: wanted.column.clone(), all_but }, kept)
        } else if !is_board(line)
            && line.len() <= MAX_RECORD
            && let Some((layout, kept)) = csv::header(line, name, wanted)?
        {
            let passed = (end + 1).min(input.text.len());
            if memchr(b'\r', line).is_some() {
                let above = memchr_iter(b'\n', &input.text[..start]).count() as u64;
                bail!("{shown}, line {}, {LONE_CR}", input.line + above);
            }
            input.line += memchr_iter(b'\n', &input.text[..passed]).count() as u64;
            input.text.drain(..passed);
            (layout, kept)
        } else {
            let (_, kept) = wanted.kept(&["fen"], name)?;
            (Layout::Fen, kept)
        };
        input.source = Arc::new(Source { name: name.to_owned(), index, layout, kept });
        Ok(input)
    }

    /// Reads up to the end of the first line that is neither blank nor a comment, removes a byte order mark, and returns
    /// where that line begins.
    fn find_first_line(&mut self) -> Result<usize> {
        let (mut start, mut is_first, mut more) = (0, true, true);
        while more && self.text.len() - start <= MAX_RECORD {
            more = self.fill()?;
            if is_first && (self.text.len() >= 3 || !more) {
                is_first = false;
                if self.text.starts_with(b"\xef\xbb\xbf") {
                    self.text.drain(..3);
                }
            }
            while let Some(length) = memchr(b'\n', &self.text[start..]) {
                if !is_blank(&self.text[start..start + length]) {
                    return Ok(start);
                }
                start += length + 1;
            }
            if start > READ {
                self.line += memchr_iter(b'\n', &self.text[..start]).count() as u64;
                self.text.drain(..std::mem::take(&mut start));
            }
        }
        Ok(start)
    }

    /// Reads some more. Returns false at the end of the input.
    fn fill(&mut self) -> Result<bool> {
        let length = self.text.len();
        self.text.resize(length + READ, 0);
        let read = loop {
            match self.bytes.read(&mut self.text[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.with_context(|| format!("cannot read {}", self.source.shown()))?,
            }
        };
        self.text.truncate(length + read);
        Ok(read > 0)
    }

    /// Hands over everything in blocks of about one read, so that results do not wait for input that has not arrived yet.
    /// There is at least one block, which may be empty.
    pub fn read(&mut self, take: Take<'_>) -> Result<()> {
        let delimiter = match self.source.layout {
            Layout::Csv { delimiter, .. } => Some(delimiter),
            _ => None,
        };
        let mut ends = delimiter.map(Ends::new);
        let (mut more, mut is_first, mut scanned) = (true, true, 0);
        while more || is_first || !self.text.is_empty() {
            let mut end = match &mut ends {
                Some(ends) => ends.last(&self.text, scanned),
                None => memrchr(b'\n', &self.text[scanned..]).map(|end| scanned + end + 1),
            };
            scanned = self.text.len();
            if end.is_none() && !more {
                end = Some(self.text.len());
            }
            if let Some(end) = end {
                let rest = self.text[end..].to_vec();
                self.text.truncate(end);
                let text = std::mem::replace(&mut self.text, rest);
                let lines = memchr_iter(b'\n', &text).count() as u64;
                self.hand_over(Records::Text(text), take)?;
                is_first = false;
                self.line += lines;
                scanned = self.text.len();
                // Between records nothing is quoted.
                ends = delimiter.map(Ends::new);
                ends.as_mut().map(|ends| ends.last(&self.text, 0));
            } else if self.text.len() > MAX_RECORD {
                if ends.is_some() {
                    let (name, line) = (self.source.shown(), self.line);
                    bail!("{name}, line {line}: a record longer than {MAX_RECORD} bytes: is a quotation mark missing?");
                }
                more = self.pass_over_line()?;
                scanned = 0;
                self.hand_over(Records::TooLong, take)?;
                is_first = false;
                self.line += 1;
                continue;
            }
            more = more && self.fill()?;
        }
        Ok(())
    }

    fn hand_over(&self, records: Records, take: Take<'_>) -> Result<()> {
        take(Block { source: self.source.clone(), first: self.line, records })
    }

    /// Skips the rest of the line. Returns false at the end of the input.
    fn pass_over_line(&mut self) -> Result<bool> {
        loop {
            self.text.clear();
            if !self.fill()? {
                return Ok(false);
            }
            if let Some(end) = memchr(b'\n', &self.text) {
                self.text.drain(..=end);
                return Ok(true);
            }
        }
    }
}

/// Whether the line begins with a board as in FEN. The rest of the line may hold anything, even commas.
pub fn is_board(line: &[u8]) -> bool {
    let board = line.split(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
    board.contains(&b'/') && board.iter().all(|byte| b"KQRBNPkqrbnp12345678/".contains(byte))
}

/// Whether a line holds only blanks or a comment.
fn is_blank(line: &[u8]) -> bool {
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

/// Reads the lines of a block, one position or pair each.
pub fn read(reading: &mut Reading<'_>, text: &[u8]) {
    let is_pairs = matches!(reading.block.source.layout, Layout::Pairs);
    let mut kept = Table::new(reading.block.source.kept.len());
    for (line, number) in lines(text).zip(reading.block.first..) {
        if reading.is_done() {
            break;
        }
        if is_blank(line) {
            continue;
        }
        if line.len() > MAX_RECORD {
            reading.too_long(number);
        } else if memchr(b'\r', line).is_some() {
            // Every position of such a line except the first would be lost.
            reading.malformed(number, LONE_CR);
        } else if is_pairs {
            let pair = memchr(b'#', line).map_or(line, |comment| &line[..comment]);
            let Some(pair) = reading.text(pair, number) else { continue };
            match pairs::parse(pair) {
                Ok(pair) => {
                    reading.parsed.pairs.push(pair);
                    reading.parsed.lines.push(number);
                }
                Err(error) => reading.malformed(number, error),
            }
        } else if reading.block.source.kept.is_empty() {
            reading.push(line, number, None);
        } else if let Some(line) = reading.text(line, number)
            && reading.push(line.as_bytes(), number, None)
        {
            kept.push([Some(line)]);
        }
    }
    reading.parsed.kept = kept.columns().map(Kept::Text).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_about_as_long_as_a_read() {
        let line = "a line that the length of a read is not a multiple of\n";
        let bytes = Box::new(io::Cursor::new(line.repeat(10_000)));
        let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
        let mut next = 1;
        let mut take = |block: Block| {
            let Records::Text(text) = block.records else { panic!("no line is long") };
            assert_eq!(block.first, next);
            assert!(text.ends_with(b"\n") && text.len() <= READ + line.len());
            next += (text.len() / line.len()) as u64;
            Ok(())
        };
        Input::open("test", 0, bytes, &wanted).unwrap().read(&mut take).unwrap();
        assert_eq!(next, 10_001);
    }

    #[test]
    fn ends_of_lines_are_taken_off() {
        let lines: Vec<&[u8]> = lines(b"a\r\nb\n\nc\rd\r\r\ne").collect();
        assert_eq!(lines, [b"a".as_slice(), b"b", b"", b"c\rd\r", b"e"]);
    }

    #[test]
    fn a_board_is_no_header() {
        for line in ["8/8/8 w - - bm Nf3, Nd4;", "k7/8,8/8", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"] {
            assert_eq!(is_board(line.as_bytes()), !line.contains("8,8"), "{line}");
        }
        assert!(!is_board(b"fen,w/b") && !is_board(b"a/b,fen") && !is_board(b"hello"));
    }
}
