//! Two formats that are not in the table, to test the flexibility of the trait.

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use super::*;
use crate::batch::{Parser, ReadLimits};
use crate::beginning::SkippedPrefix;
use crate::beginning::extension;
use crate::columns::KeptColumn;
use crate::columns::texts::TextTable;
use crate::cut::{Cut, UnitCount};
use crate::cut::{Cutter, READ, cut_in_parts};
use crate::source::{CutMethod, parse};

const FEN: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -";

/// Games: a line `game`, the result, and a position for each ply. A blank line ends a game.
#[derive(Debug)]
struct Games {
    columns: Vec<String>,
}

fn open_games(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    if !beginning.first_bytes(4)?.starts_with(b"game") {
        return Ok(None);
    }
    let own = ["ply", "result"].map(str::to_owned);
    let (_, kept) = wanted.kept(&["tag"], &wanted.keep, beginning.name())?;
    let source = Games { columns: own.into_iter().chain(kept).collect() };
    Ok(Some(OpenedSource::cut(source, SkippedPrefix::NOTHING, WholeGames)))
}

struct WholeGames;

impl Cut for WholeGames {
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        // The blank line may have begun before.
        let from = from.saturating_sub(1);
        bytes[from..].windows(2).rposition(|pair| pair == b"\n\n").map(|at| from + at + 2)
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeGames)
    }

    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n");
        bytes.drain(..end.map_or(bytes.len(), |at| at + 2));
        end.is_some()
    }
}

impl Source for Games {
    fn unit(&self) -> &'static str {
        "game"
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn counts(&self) -> UnitCount {
        let ends = |bytes: &[u8]| bytes.windows(2).filter(|pair| pair == b"\n\n").count() as u64;
        UnitCount { units: ends, has_lines: false }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let mut kept = TextTable::new(self.columns.len());
        let text = str::from_utf8(parser.content.bytes()).expect("the test writes text");
        for (game, number) in text.split_terminator("\n\n").zip(parser.first..) {
            let mut lines = game.lines().skip(1);
            let Some(result) = lines.next() else {
                parser.malformed(number, "result: expected one, found the end of the game");
                continue;
            };
            for (ply, line) in lines.enumerate() {
                if !parser.is_done() && parser.push(line.as_bytes(), number, None) {
                    let ply = ply.to_string();
                    let values = [Some(ply.as_str()), Some(result), Some("tag")];
                    parser.keep(&mut kept, values.into_iter().take(self.columns.len()));
                }
            }
        }
        parser.finish(kept, KeptColumn::Text);
    }
}

/// Binary records: eight bytes each, the first the square of a rook.
#[derive(Debug)]
struct Rooks {
    columns: Vec<String>,
}

const SIZE: usize = 8;

fn open_rooks(beginning: &Beginning, _: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    let is_own = beginning.extension() == Some("rooks");
    Ok(is_own
        .then(|| OpenedSource::cut(Rooks { columns: vec!["score".to_owned()] }, SkippedPrefix::NOTHING, WholeRecords)))
}

struct WholeRecords;

impl Cut for WholeRecords {
    fn last_end(&mut self, bytes: &[u8], _: usize) -> Option<usize> {
        (bytes.len() >= SIZE).then_some(bytes.len() / SIZE * SIZE)
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeRecords)
    }
}

impl Source for Rooks {
    fn unit(&self) -> &'static str {
        "record"
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn counts(&self) -> UnitCount {
        UnitCount { units: |bytes| (bytes.len() / SIZE) as u64, has_lines: false }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let mut kept = TextTable::new(1);
        for (record, number) in parser.content.bytes().chunks(SIZE).zip(parser.first..) {
            match *record {
                [file @ 0..4, _, _, _, _, _, _, score] => {
                    let files = format!("{}R{}k2", ["", "1", "2", "3"][usize::from(file)], 4 - file);
                    if parser.push(format!("{files}/8/8/8/8/8/8/4K3 w - -").as_bytes(), number, None) {
                        parser.keep(&mut kept, [Some(score.to_string())]);
                    }
                }
                [square, _, _, _, _, _, _, _] => {
                    parser.malformed(number, format!("square: expected 0 to 3, found {square}"));
                }
                _ => {
                    parser.malformed(number, format!("expected {SIZE} bytes, found {}", record.len()));
                }
            }
        }
        parser.finish(kept, KeptColumn::Text);
    }
}

const MORE: [FormatEntry; 3] = [
    FORMATS[0],
    FormatEntry { name: "games", extensions: &["games"], open: open_games },
    FormatEntry { name: "rooks", extensions: &["rooks"], open: open_rooks },
];

/// What is read of a file with this content: the messages, and the number and the columns of each position.
fn read_all(name: &str, content: &[u8], keep: &[&str]) -> (Vec<String>, Vec<String>, usize) {
    let wanted = Wanted { keep: keep.iter().map(|&name| name.to_owned()).collect(), ..Wanted::default() };
    let (mut rows, mut messages, mut count) = (Vec::new(), Vec::new(), 0);
    let (mut beginning, mut pushed) = (Beginning::new(name, extension(name)), 0);
    let OpenedSource { source, passed, blocks } = loop {
        match find(&MORE, &mut beginning, &wanted) {
            Err(OpenError::MoreBytes { least }) => {
                let more = (least - beginning.len()).min(content.len() - pushed);
                beginning.push(&content[pushed..pushed + more]);
                pushed += more;
                if more == 0 {
                    beginning.finish();
                }
            }
            found => break found.unwrap().1,
        }
    };
    let CutMethod::Cut(cut) = blocks else { panic!("both are cut") };
    let rest = [&beginning.take_rest(passed), &content[pushed..]].concat();
    let cutter = Cutter::new(cut, source.counts());
    let done = cut_in_parts(cutter, passed.line.into(), &rest, READ, &mut |start, content| {
        let most = ReadLimits::all(usize::MAX);
        let (records, _) = parse(&*source, (start, &content), (0, 0), most, OnError::Skip, Positions::new());
        for (row, number) in records.numbers.iter().enumerate() {
            let texts = records.kept.iter().map(|column| match column {
                KeptColumn::Text(texts) => texts.get(row).unwrap(),
                _ => unreachable!(),
            });
            rows.push(format!("{number} {}", texts.collect::<Vec<_>>().join(" ")));
        }
        let shown =
            |malformed: &crate::error::Malformed| format!("{} {}, {}", source.unit(), malformed.number, malformed.what);
        messages.extend(records.skipped.iter().map(shown));
        count += 1;
        Ok::<(), ()>(())
    });
    done.0.unwrap();
    (rows, messages, count)
}

#[test]
fn a_game_gives_many_positions_and_is_never_cut() {
    let game = format!("game\n1-0\n{FEN}\n{FEN}\n{FEN}\n\n");
    let text = game.repeat(1_000) + "game\n\n" + &game;
    let (rows, messages, blocks) = read_all("some.games", text.as_bytes(), &["tag"]);
    assert_eq!(rows.len(), 3 * 1_001);
    assert_eq!(rows[..4], ["1 0 1-0 tag", "1 1 1-0 tag", "1 2 1-0 tag", "2 0 1-0 tag"]);
    assert_eq!(rows[3_000], "1002 0 1-0 tag");
    assert_eq!(messages, ["game 1001, result: expected one, found the end of the game"]);
    assert!(blocks > 2);
}

#[test]
fn a_game_that_is_too_long_is_passed_over() {
    let (game, long) = (format!("game\n1-0\n{FEN}\n\n"), "x".repeat(3 << 20));
    let text = format!("{game}game\n{long}\n\n{game}");
    let (rows, messages, _) = read_all("long.games", text.as_bytes(), &[]);
    assert_eq!(rows, ["1 0 1-0", "3 0 1-0"]);
    assert_eq!(messages, ["game 2, length: expected at most 1048576 bytes, found more"]);
}

#[test]
fn binary_records_are_counted_and_cut_by_their_size() {
    let mut bytes = b"\x00\nabcd\n\x05\x03\0\0\0\0\0\0\xff\x09\0\0\0\0\0\0\0".repeat(5_000);
    bytes[..2].copy_from_slice(b"\xff\xfe"); // not UTF-16
    bytes.extend_from_slice(b"\x01\0\0");
    let (rows, messages, blocks) = read_all("some.rooks", &bytes, &[]);
    assert_eq!((rows.len(), messages.len()), (9_999, 5_002));
    assert_eq!(rows[..3], ["2 255", "4 5", "5 255"]);
    assert_eq!(messages[0], "record 1, square: expected 0 to 3, found 255");
    assert_eq!(messages[1], "record 3, square: expected 0 to 3, found 9");
    assert_eq!(messages[5_001], "record 15001, expected 8 bytes, found 3");
    assert!(blocks > 2);
}
