//! FEN and EPD: one position per line.

use memchr::memchr;

use crate::batch::Parser;
use crate::beginning::Beginning;
use crate::columns::KeptColumn;
use crate::columns::texts::TextTable;
use crate::content::MAX_RECORD;
use crate::cut::lines;
use crate::error::OpenError;
use crate::request::Wanted;
use crate::source::{OpenedSource, Source};

/// If fewer lines than this are usual in a row, it costs more to look for them than to parse each line by itself.
const FEW: u64 = 8;
/// How many lines are parsed one by one at most, until it is tried again to read lines at once.
const MOST_ONE_BY_ONE: u64 = 1_024;

/// One position per line.
#[derive(Debug)]
struct FenLines {
    /// `fen`, if the lines are kept, and whether only a condition needs them.
    columns: Vec<String>,
    hidden: usize,
    /// Whether only the FEN of a line is kept.
    fen_alone: bool,
}

/// Accepts any text: lines that are not positions are malformed.
///
/// # Errors
///
/// More bytes are needed, or a column to keep is not `fen`.
pub fn open(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    beginning.first_line()?;
    let (mut places, mut columns) = wanted.kept(&["fen"], &wanted.optional_columns.rows, beginning.name())?;
    let hidden = wanted.add_condition_columns(&[], &["fen"], (&mut places, &mut columns), beginning.name())?;
    let source = FenLines { columns, hidden, fen_alone: wanted.fen_alone };
    Ok(Some(OpenedSource::lines(source, beginning)))
}

impl Source for FenLines {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn has_lines_of_fen(&self) -> bool {
        true
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let mut kept = TextTable::new(self.columns.len());
        let (text, mut number) = (parser.bytes(), parser.first);
        let mut rest = text;
        // Lines are read at once, unless one of them may be too long or no text.
        let is_usual = rest.len() <= MAX_RECORD && (self.columns.is_empty() || str::from_utf8(rest).is_ok());
        let mut others = 1;
        while !rest.is_empty() && !parser.is_done() {
            if is_usual {
                let (count, bytes) = parser.push_lines(rest, number);
                let read = rest.split_off(..bytes).expect("it is a part of the text");
                if !self.columns.is_empty() {
                    kept.pad(parser.records.numbers.len() - count as usize);
                    lines(read).for_each(|line| kept.push([str::from_utf8(line).ok().map(|line| self.kept(line))]));
                }
                number += count;
                others = if count < FEW { (2 * others).clamp(4 * FEW, MOST_ONE_BY_ONE) } else { 1 };
            }
            // The next line is another one.
            for _ in 0..others {
                if parser.is_done() {
                    break;
                }
                let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                for line in lines(rest.split_off(..end).expect("it is a part of the text")) {
                    self.parse_line(parser, line, number, &mut kept);
                    number += 1;
                }
            }
        }
        if !rest.is_empty() {
            parser.stop(text.len() - rest.len(), number - parser.first);
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
                parser.keep(kept, [Some(self.kept(text))]);
            }
        });
    }

    /// What is kept of a line.
    fn kept<'t>(&self, line: &'t str) -> &'t str {
        if self.fen_alone { fen_of(line) } else { line }
    }
}

/// The FEN at the beginning of a line: four fields, and two more if they are numbers.
fn fen_of(line: &str) -> &str {
    let line = line.trim_ascii();
    let is_between = |letter: char| matches!(letter, ' ' | '\t' | ';');
    let (mut end, mut rest) = (0, line);
    for field in 0..6 {
        let begun = rest.trim_start_matches([' ', '\t']);
        let length = begun.find(is_between).unwrap_or(begun.len());
        let is_number = begun[..length].bytes().all(|byte| byte.is_ascii_digit());
        if length == 0 || field >= 4 && !is_number {
            break;
        }
        rest = &begun[length..];
        end = line.len() - rest.len();
    }
    &line[..end]
}

/// Whether the line begins with a board as in FEN. The rest of the line may hold anything, even commas.
pub fn is_board(line: &[u8]) -> bool {
    let board = line.split(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
    board.contains(&b'/') && board.iter().all(|byte| b"KQRBNPkqrbnp12345678/".contains(byte))
}

#[cfg(test)]
mod tests {
    use slider_attacks::position::Positions;
    use slider_attacks_arrow::OnError;

    use super::*;
    use crate::batch::ReadLimits;
    use crate::content::Content;

    /// All lines are parsed one by one, which is the law.
    #[test]
    fn lines_are_read_at_once_as_they_are_one_by_one() {
        let lines: [&[u8]; 12] = [
            b"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n",
            b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"a\";\n",
            b"4k3/8/8/8/8/8/8/4K3 b - -\r\n",
            b"  4k3/8/8/8/8/8/8/4K3   b   -   -  \n",
            b"\n",
            b" \t\r\n",
            b"# a comment\n",
            b"nonsense\n",
            b"4k3/8/8/8/8/8/8/4K3 w - -; a comment\n",
            b"4k3/8/8/8/8/8/8/4K3 b - - 0 1 \r\n",
            "4k3/8/8/8/8/8/8/4K3 b - - id \"é\";\n".as_bytes(),
            b"4k3/8/8/8/8/8/8/4K3 b - - \xff\n",
        ];
        let mut state = 1_u64;
        for round in 0..2_000 {
            let mut text = Vec::new();
            for _ in 0..round % 40 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                // Some texts have all lines, others only those that are read at once.
                let some = [lines.len(), lines.len() - 1, 4, 8][round % 4];
                text.extend_from_slice(lines[(state >> 33) as usize % some]);
            }
            text.truncate(text.len() - round % 5 % (text.len() + 1)); // the last line may have no end
            let content = Content::Bytes(text.into());
            let source = FenLines {
                columns: if round % 3 == 0 { vec!["fen".to_owned()] } else { Vec::new() },
                hidden: 0,
                fen_alone: round % 2 == 0,
            };
            for (limit, on_error) in [(usize::MAX, OnError::Skip), (7, OnError::Report), (usize::MAX, OnError::Fail)] {
                let [mut parser, mut expected] =
                    [(); 2].map(|()| Parser::new(5, &content, 0, ReadLimits::all(limit), on_error, Positions::new()));
                source.parse(&mut parser);
                let mut kept = TextTable::new(source.columns.len());
                for (line, number) in super::lines(content.bytes()).zip(5..) {
                    if !expected.is_done() {
                        source.parse_line(&mut expected, line, number, &mut kept);
                    }
                }
                expected.finish(kept, KeptColumn::Text);
                let (found, expected) = (&parser.records, &expected.records);
                let shown = || String::from_utf8_lossy(content.bytes());
                assert_eq!(found.positions, expected.positions, "{}", shown());
                assert_eq!(found.numbers, expected.numbers, "{}", shown());
                assert_eq!(found.skipped, expected.skipped, "{}", shown());
                assert_eq!(found.nulls, expected.nulls, "{}", shown());
                assert_eq!(found.failure, expected.failure, "{}", shown());
                for (found, expected) in found.kept.iter().zip(&expected.kept) {
                    let (KeptColumn::Text(found), KeptColumn::Text(expected)) = (found, expected) else { panic!() };
                    for row in 0..parser.records.numbers.len() {
                        assert_eq!(found.get(row), expected.get(row), "{}", shown());
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_malformed_even_if_it_begins_with_a_position() {
        let line = b"4k3/8/8/8/8/8/8/4K3 w - -";
        let long = [line.as_slice(), &vec![b' '; MAX_RECORD], b"\n", line].concat();
        let content = Content::Bytes(long.into());
        let mut parser = Parser::new(1, &content, 0, ReadLimits::all(usize::MAX), OnError::Skip, Positions::new());
        FenLines { columns: Vec::new(), hidden: 0, fen_alone: false }.parse(&mut parser);
        assert_eq!((parser.records.numbers, parser.records.skipped.len()), (vec![2], 1));
    }

    #[test]
    fn the_fen_of_a_line_has_no_operations() {
        const FEN: &str = "4k3/8/8/8/8/8/8/4K3 w - -";
        for after in ["", "; a comment", " ; a comment", " bm e4; id \"0 1\";", "\tc0 \"é\";", " ", " 0x1", " -1 2"] {
            assert_eq!(fen_of(&format!(" {FEN}{after}")), FEN, "{after:?}");
            let counted = format!("{FEN} 3 12");
            assert_eq!(fen_of(&format!("{counted}{after}")), counted, "{after:?}");
        }
        assert_eq!((fen_of(""), fen_of(" ;"), fen_of("8/8 w; x")), ("", "", "8/8 w"));
    }

    #[test]
    fn a_board_is_no_header() {
        for line in ["8/8/8 w - - bm Nf3, Nd4;", "k7/8,8/8", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"] {
            assert_eq!(is_board(line.as_bytes()), !line.contains("8,8"), "{line}");
        }
        assert!(!is_board(b"fen,w/b") && !is_board(b"a/b,fen") && !is_board(b"hello"));
    }
}
