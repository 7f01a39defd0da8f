//! A part of a file for the list of the page, and the moves of a game.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_formats::batch::{ReadLimits, Records};
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::content::{BlockStart, Content};
use slider_attacks_formats::source::parse;

use crate::format::{FileFormat, GAME_COLUMNS, TAGS, Units};
use crate::{error, excerpt, head};

/// The most bytes of a text that are shown, and of a tag or a move.
const MOST_SHOWN: usize = 300;
const MOST_OF_TAG: usize = 80;

/// Numbers of the first line of an input. Invalid numbers are zero.
fn numbers<const N: usize>(head: &str) -> [u32; N] {
    let mut numbers = head.split(' ').map(|number| number.parse().unwrap_or(0));
    [(); N].map(|()| numbers.next().unwrap_or(0))
}

/// Some entries of a part of a file. The first line of the input has the numbers of the mark at which the part begins, how many entries
/// of the part are passed over, how many are wanted, and whether the file ends with the part.
pub fn entries(format: &FileFormat, input: &[u8]) -> Value {
    let (head, bytes) = head(input);
    let [number, kind, left, skip, most, is_last] = numbers(head);
    let mut list = Entries { format, skip: skip as usize, most: most as usize, all: Vec::new() };
    let units = format.units_at([number, kind, left]);
    _ = each(units, bytes, is_last != 0, &mut |start, content| list.add(start, &content));
    list.all.into()
}

/// The positions of a game. The first line of the input has its place, as [`entries`] tells it; the bytes follow that it has there.
pub fn moves(format: &FileFormat, input: &[u8]) -> Value {
    let (head, bytes) = head(input);
    let [number, line, column, game] = numbers(head);
    if !format.has_games() {
        return error("the file has no games");
    }
    let (mut plies, mut wrong) = (Vec::new(), None);
    _ = each(format.units_at([number, line, column]), bytes, true, &mut |start, content| {
        let (records, _) = rows(format, (start, &content), (0, 0), usize::MAX);
        let of_game = |&row: &usize| records.numbers[row] == u64::from(game);
        for row in (0..records.numbers.len()).filter(of_game) {
            match malformed(format, &records, row) {
                Some(message) => wrong = Some(message),
                None => plies.push(ply(&records, row)),
            }
        }
        ControlFlow::Continue(())
    });
    json!({ "plies": plies, "error": wrong })
}

/// Hands over the units of a part.
fn each(
    units: Units,
    bytes: &[u8],
    is_last: bool,
    hand: &mut dyn FnMut(BlockStart, Content) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match units {
        Units::Cut(mut contents) => {
            contents.push(bytes.to_vec().into(), true).into_iter().try_for_each(|(start, content)| hand(start, content))
        }
        Units::Chunks(mut chunks) => chunks.push(bytes, is_last, hand),
    }
}

/// Reads units with the columns that are shown, from a place on until there are this many rows, of which those without a position are
/// some. Returns also where to go on.
fn rows(
    format: &FileFormat,
    content: (BlockStart, &Content),
    place: (usize, u64),
    enough: usize,
) -> (Records, Option<(usize, u64)>) {
    let most = ReadLimits { limit: usize::MAX, enough };
    parse(&*format.rows, content, place, most, OnError::Report, Positions::new())
}

/// What is wrong with a row, if something is.
fn malformed(format: &FileFormat, records: &Records, row: usize) -> Option<String> {
    let found = records.nulls.binary_search_by_key(&row, |(row, _)| *row);
    found.ok().map(|found| format.message(&records.nulls[found].1))
}

/// The number that a row has in a column, if it is one of numbers and there is one.
fn number(column: &KeptColumn, row: usize) -> Option<i64> {
    match column {
        KeptColumn::Numbers(numbers) => numbers.get(row),
        _ => None,
    }
}

/// The text that a row has in a column.
pub fn text(column: &KeptColumn, row: usize) -> Option<String> {
    match column {
        KeptColumn::Text(texts) => texts.get(row).map(|text| excerpt(text.as_bytes(), MOST_OF_TAG)),
        KeptColumn::Json(texts) => {
            texts.get(row).and_then(text_of_json).map(|text| excerpt(text.as_bytes(), MOST_OF_TAG))
        }
        column => number(column, row).map(|number| number.to_string()),
    }
}

/// What is known of a position of a game.
fn ply(records: &Records, row: usize) -> Value {
    let [san, uci, fullmove, eval, mate, clock] = [0, 1, 2, 3, 4, 5].map(|at| &records.kept[TAGS + at]);
    let sign = |value: i64| if value < 0 { '-' } else { '+' };
    let pawns = |value: i64| format!("{}{}.{:02}", sign(value), value.abs() / 100, value.abs() % 100);
    let eval = number(eval, row).map(pawns);
    let eval = eval.or_else(|| number(mate, row).map(|moves| format!("#{moves}")));
    let clock = number(clock, row).map(|clock| {
        let seconds = clock / 1000;
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    });
    json!({
        "fen": records.positions.fen(row),
        "san": text(san, row).unwrap_or_default(),
        "move": text(uci, row),
        "number": number(fullmove, row),
        "eval": eval,
        "clock": clock,
    })
}

/// Entries on their way to the list.
struct Entries<'f> {
    format: &'f FileFormat,
    skip: usize,
    most: usize,
    all: Vec<Value>,
}

impl Entries<'_> {
    /// Adds the entries of some units, each with the bytes that it has there. Breaks when there are enough.
    fn add(&mut self, start: BlockStart, content: &Content) -> ControlFlow<()> {
        // Records of a binpack have been read already.
        let (bytes, enough) = (content.bytes(), if let Content::Bytes(_) = content { 1 } else { usize::MAX });
        let mut next = Some((0, 0));
        while let Some((at, units)) = next {
            if self.all.len() == self.most {
                return ControlFlow::Break(());
            }
            let (records, more) = rows(self.format, (start, content), (at, units), enough);
            next = more;
            let end = next.map_or(bytes.len(), |(end, _)| end);
            if self.format.has_games() {
                let first = start.after(&bytes[..at], units, true);
                self.games(&records, first, end - at);
            } else {
                self.positions(&records, &bytes[at..end]);
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether there is room for an entry that is not passed over.
    fn takes(&mut self) -> bool {
        let is_passed = self.skip > 0;
        self.skip -= usize::from(is_passed);
        !is_passed && self.all.len() < self.most
    }

    fn positions(&mut self, records: &Records, bytes: &[u8]) {
        let format = self.format;
        for row in 0..records.numbers.len() {
            if !self.takes() {
                continue;
            }
            let place = format!("{} {}", format.rows.unit(), records.numbers[row]);
            let error = malformed(format, records, row);
            let fen = if error.is_none() { Some(records.positions.fen(row)) } else { None };
            let (text, note) = if format.rows.has_records() {
                let note: Vec<String> = records.kept.iter().filter_map(|column| text(column, row)).collect();
                (fen.clone().unwrap_or_default(), note.join(" · "))
            } else {
                // Before a line, there may be blank ones and comments. A record of CSV may have several lines.
                let found = bytes.trim_ascii();
                let line = found.rsplit(|&byte| byte == b'\n').next().filter(|_| format.name != "CSV").unwrap_or(found);
                // What is behind the position in EPD tells positions apart for people.
                let text = excerpt(line, MOST_SHOWN);
                let fields = text.split_whitespace().skip(if format.name == "FEN or EPD" { 4 } else { usize::MAX });
                let note = fields.collect::<Vec<_>>().join(" ");
                (text, note)
            };
            self.all.push(json!({ "place": place, "text": text, "note": note, "fen": fen, "error": error }));
        }
    }

    /// Nearly always, it is one game. The bytes of all of them are where the first one begins.
    fn games(&mut self, records: &Records, first: BlockStart, bytes: usize) {
        let mut row = 0;
        for rows in records.numbers.chunk_by(|one, other| one == other) {
            let game = rows[0];
            if self.takes() {
                let tag = |(name, column): (&&str, &KeptColumn)| Some(((*name).to_owned(), text(column, row)?.into()));
                let tags: Map<String, Value> = GAME_COLUMNS[..TAGS].iter().zip(&records.kept).filter_map(tag).collect();
                self.all.push(json!({
                    "place": [first.number, first.line, first.column as u64, game],
                    "start": first.byte,
                    "end": first.byte + bytes as u64,
                    "tags": tags,
                    "error": (row..row + rows.len()).find_map(|row| malformed(self.format, records, row)),
                }));
            }
            row += rows.len();
        }
    }
}
