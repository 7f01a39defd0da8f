//! FEN and EPD: one position per line.

use anyhow::Result;

use crate::columns::KeptColumn;
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
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
        parser.each_line(|parser, line, number| {
            if self.columns.is_empty() {
                parser.push(line, number, None);
            } else if let Some(text) = parser.text(line, number)
                && parser.push(line, number, None)
            {
                parser.keep(&mut kept, [Some(text)]);
            }
        });
        parser.finish(kept, KeptColumn::Text);
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
