//! FEN and EPD: one position per line.

use anyhow::Result;
use memchr::memchr;

use crate::columns::KeptColumn;
use crate::content::MAX_RECORD;
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
use crate::text::lines;
use crate::texts::TextTable;
use crate::wanted::Wanted;

/// One position per line.
#[derive(Debug)]
struct FenLines {
    /// `fen`, if the lines are kept.
    columns: Vec<String>,
}

/// Takes any text: what is no position is malformed.
///
/// # Errors
///
/// The input cannot be read, or a column to keep is not `fen`.
pub fn open(reader: &mut Reader<'_>, wanted: &Wanted) -> Result<Option<Opened>> {
    reader.first_line()?;
    let (_, columns) = wanted.kept(&["fen"], &reader.input.name())?;
    Ok(Some(Opened::lines(FenLines { columns })))
}

impl Source for FenLines {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let mut kept = TextTable::new(self.columns.len());
        let (mut rest, mut number) = (parser.content.bytes(), parser.first);
        // Lines are read at once, unless one of them may be too long or no text.
        let is_usual = rest.len() <= MAX_RECORD && (self.columns.is_empty() || str::from_utf8(rest).is_ok());
        while !rest.is_empty() && !parser.is_done() {
            if is_usual {
                let (count, bytes) = parser.push_lines(rest, number);
                let read = rest.split_off(..bytes).expect("it is a part of the text");
                if !self.columns.is_empty() {
                    kept.pad(parser.records.numbers.len() - count as usize);
                    lines(read).for_each(|line| kept.push([str::from_utf8(line).ok()]));
                }
                number += count;
            }
            // This one is another line.
            let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            for line in lines(rest.split_off(..end).expect("it is a part of the text")) {
                if !parser.is_done() {
                    self.parse_line(parser, line, number, &mut kept);
                }
                number += 1;
            }
        }
        parser.finish(kept, KeptColumn::Text);
    }
}

impl FenLines {
    /// Parses a line that may be anything.
    fn parse_line<'a>(&self, parser: &mut Parser<'a>, line: &'a [u8], number: u64, kept: &mut TextTable) {
        parser.line(line, number, |parser, line, number| {
            if self.columns.is_empty() {
                parser.push(line, number, None);
            } else if let Some(text) = parser.text(line, number)
                && parser.push(line, number, None)
            {
                parser.keep(kept, [Some(text)]);
            }
        });
    }
}

/// Whether the line begins with a board as in FEN. The rest of the line may hold anything, even commas.
pub fn is_board(line: &[u8]) -> bool {
    let board = line.split(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
    board.contains(&b'/') && board.iter().all(|byte| b"KQRBNPkqrbnp12345678/".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_no_header() {
        for line in ["8/8/8 w - - bm Nf3, Nd4;", "k7/8,8/8", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"] {
            assert_eq!(is_board(line.as_bytes()), !line.contains("8,8"), "{line}");
        }
        assert!(!is_board(b"fen,w/b") && !is_board(b"a/b,fen") && !is_board(b"hello"));
    }
}
