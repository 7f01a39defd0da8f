//! A file, block by block: how many entries and positions it has, where they begin, what is wrong, and sums over its positions.
//!
//! An entry is what the list of the page shows in one line: a position, a line that is none, or a game. Memory holds one block,
//! and does not grow with the file: marks and errors go to the caller with each block.

use std::borrow::Cow;

use csv::{ByteRecord, ReaderBuilder};
use memchr::{memchr, memchr_iter, memchr2, memrchr};
use serde_json::{Value, json};
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Plan, Summary};
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Boards, Ply, Take, Visitor};
use slider_attacks_games::tags::{Tags, line_start};

use crate::format::Format;
use crate::{error, shown, with_line_ends};

/// The most bytes of a line.
pub const MOST_LINE: usize = 1 << 20;
/// The most bytes of a game or of a record of CSV: the caller need not keep a larger block.
pub const MOST_BLOCK: usize = 1 << 24;
/// The most positions of a game, as in the command.
pub const MOST_PLIES: u32 = 1 << 13;
/// So many entries from one mark to the next.
const EACH: u64 = 64;
/// The most errors of a block that are told.
const MOST_ERRORS: usize = 100;
/// So many positions are summed at a time.
const MANY: usize = 1 << 12;

/// A file that is read.
#[derive(Debug)]
pub struct Scan {
    format: Format,
    plan: Plan,
    summary: Summary,
    positions: Positions,
    /// Where the next block begins.
    place: Place,
    entries: u64,
    count: u64,
    wrong: u64,
    /// Whether the next block begins within a line that is too long.
    is_within: bool,
    told: Told,
}

/// What a block tells.
#[derive(Debug, Default)]
struct Told {
    /// Number of the entry, place in the block, number of the line, and how many bytes of it are before.
    marks: Vec<(u64, usize, u64, usize)>,
    /// Number of the entry, if it is one, and what is wrong.
    errors: Vec<(Option<u64>, String)>,
}

impl Scan {
    /// A file of this format, whose text begins in this line. If the plan has products, their sums are computed.
    pub fn new(format: Format, line: u64, plan: Plan) -> Scan {
        let summary = Summary::new(&plan, 1);
        Scan {
            format,
            plan,
            summary,
            positions: Positions::new(),
            place: Place { line, column: 0 },
            entries: 0,
            count: 0,
            wrong: 0,
            is_within: false,
            told: Told::default(),
        }
    }

    /// Reads a block of the text. What it does not take, the next block must begin with. `is_last` says that no text follows.
    ///
    /// If it takes nothing, it needs a larger block.
    pub fn block(&mut self, text: &[u8], is_last: bool) -> Value {
        self.told = Told::default();
        // The line end may go on with LF.
        let text = if is_last { text } else { text.strip_suffix(b"\r").unwrap_or(text) };
        let text = &*with_line_ends(text);
        let taken = match self.format {
            Format::Lines => self.lines(text, is_last),
            Format::Games => self.games(text, is_last),
            Format::Csv { delimiter, column, width } => self.records(text, is_last, (delimiter, column, width)),
        };
        self.fold();
        if taken == 0 && !is_last && text.len() >= MOST_BLOCK {
            return error(format!(
                "line {}: expected less than 16 MiB in a game or record; the file is read up to here",
                self.place.line
            ));
        }
        self.place = self.place.after(&text[..taken]);
        let Told { marks, errors } = std::mem::take(&mut self.told);
        json!({
            "taken": taken,
            "entries": self.entries,
            "positions": self.count,
            "wrong": self.wrong,
            "marks": marks,
            "errors": errors,
        })
    }

    /// The sums so far.
    pub fn sums(&self) -> Value {
        let columns = self.summary.columns().iter().map(|column| {
            json!({
                "name": column.name(),
                "isSingle": column.is_single(),
                "hasSum": column.has_sum(),
                "present": column.present(0),
                "sum": column.sum(0),
            })
        });
        json!({ "positions": self.summary.positions(0), "columns": columns.collect::<Vec<_>>() })
    }

    /// Adds the positions to the sums, and forgets them.
    fn fold(&mut self) {
        self.count += self.positions.len() as u64;
        if !self.plan.products().is_empty() {
            self.plan.summarize(&self.positions, None, &mut self.summary).expect("there is one group");
        }
        self.positions.clear();
    }

    /// Marks where the next entry begins. A later place is a better one.
    fn mark(&mut self, at: usize, Place { line, column }: Place) {
        self.told.marks.pop_if(|(entry, ..)| *entry == self.entries);
        self.told.marks.push((self.entries, at, line, column));
    }

    /// Something is wrong: with an entry, if it is one.
    fn wrong(&mut self, entry: Option<u64>, message: impl FnOnce() -> String) {
        self.wrong += 1;
        if self.told.errors.len() < MOST_ERRORS {
            self.told.errors.push((entry, message()));
        }
    }

    fn lines(&mut self, text: &[u8], is_last: bool) -> usize {
        let mut at = 0;
        if self.is_within {
            match memchr(b'\n', text) {
                Some(end) => (at, self.is_within) = (end + 1, false),
                None => return text.len(),
            }
        }
        let mut line = self.place.line + u64::from(at > 0);
        let whole = if is_last { text.len() } else { memrchr(b'\n', text).map_or(at, |end| end + 1) };
        while at < whole {
            // A part whose end is that of a line.
            let most = whole.min(at + MOST_LINE);
            let Some(end) =
                (if most == whole { Some(whole) } else { memrchr(b'\n', &text[at..most]).map(|end| at + end + 1) })
            else {
                at += memchr(b'\n', &text[at..whole]).map_or(whole - at, |end| end + 1);
                self.too_long(line);
                line += 1;
                continue;
            };
            self.mark(at, Place { line, column: 0 });
            while at < end {
                let (skipped, blank) = blank_lines(&text[at..end]);
                (at, line) = (at + skipped, line + blank);
                if at == end {
                    break;
                }
                if self.entries.is_multiple_of(EACH) {
                    self.mark(at, Place { line, column: 0 });
                }
                let before = self.positions.len() as u64;
                at += self.positions.push_lines(&text[at..end], (EACH - self.entries % EACH) as usize);
                let read = self.positions.len() as u64 - before;
                (self.entries, line) = (self.entries + read, line + read);
                if at < end && (read == 0 || !self.entries.is_multiple_of(EACH)) {
                    let stop = memchr(b'\n', &text[at..end]).map_or(end, |stop| at + stop + 1);
                    let found = text[at..stop].trim_ascii();
                    at = stop;
                    if !found.is_empty() && !found.starts_with(b"#") {
                        self.line_of(found, line);
                    }
                    line += 1;
                }
                if self.positions.len() >= MANY {
                    self.fold();
                }
            }
        }
        if at == 0 && !is_last && text.len() > MOST_LINE {
            self.too_long(line);
            self.is_within = true;
            return text.len();
        }
        at
    }

    /// A line that was not read with the others.
    fn line_of(&mut self, found: &[u8], line: u64) {
        // Blanks at its end may have been what is unusual.
        if let Err(error) = self.positions.push_fen(found) {
            self.wrong(Some(self.entries), || format!("line {line}, {error}"));
        }
        self.entries += 1;
    }

    fn too_long(&mut self, line: u64) {
        self.wrong(None, || format!("line {line}: expected less than 1 MiB in a line"));
    }

    fn games(&mut self, text: &[u8], is_last: bool) -> usize {
        let (text, place) = (&*self.place.within_line(text), self.place);
        let shift = usize::from(place.column > 0);
        let before = Place { column: place.column - shift, ..place };
        let mut reading = Reading {
            scan: self,
            text,
            is_last,
            boards: Boards::default(),
            shift,
            before,
            places: Places::new(before),
            game: None,
            marked: None,
        };
        pgn::read(text, pgn::Options::default(), &mut reading);
        reading.finish()
    }

    fn records(&mut self, text: &[u8], is_last: bool, (delimiter, column, width): (u8, usize, usize)) -> usize {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
        let mut record = ByteRecord::new();
        let (mut at, mut marked) = (0, None);
        let mut places = Places::new(self.place);
        while let Ok(true) = reader.read_byte_record(&mut record) {
            let start = record.position().map_or(0, |position| position.byte() as usize);
            let end = (reader.position().byte() as usize).min(text.len());
            if !is_last && end == text.len() {
                break; // more of it may follow
            }
            at = end;
            // Blank lines belong to the record after them.
            let start = start + text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let place = places.at(text, start);
            let line = place.line;
            if self.entries.is_multiple_of(EACH) || marked.is_none_or(|marked| start - marked > MOST_LINE) {
                self.mark(start, place);
                marked = Some(start);
            }
            if let Err(error) = read_field(&record, column, width, &mut self.positions) {
                self.wrong(Some(self.entries), || format!("line {line}, {error}"));
            }
            self.entries += 1;
            if self.positions.len() >= MANY {
                self.fold();
            }
        }
        if is_last { text.len() } else { at }
    }
}

/// How many bytes the blank lines have with which a text begins, and how many lines those are.
fn blank_lines(text: &[u8]) -> (usize, u64) {
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let bytes = memrchr(b'\n', &text[..blank]).map_or(0, |end| end + 1);
    (bytes, memchr_iter(b'\n', &text[..bytes]).count() as u64)
}

/// Adds the position of a record.
pub fn read_field(record: &ByteRecord, column: usize, width: usize, positions: &mut Positions) -> Result<(), String> {
    if record.len() != width {
        return Err(format!("expected {width} fields, found {}", record.len()));
    }
    let field = record.get(column).unwrap_or_default();
    if memchr2(b'\n', b'\r', field.trim_ascii()).is_some() {
        return Err("fen: expected one position, found a line end".into());
    }
    positions.push_fen(field).map_err(|error| format!("fen, {error}"))
}

/// A place in a file.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of its line.
    pub line: u64,
    /// How many bytes of the line are before it.
    pub column: usize,
}

impl Place {
    /// The place behind a text that begins here.
    pub fn after(self, text: &[u8]) -> Place {
        let lines = memchr_iter(b'\n', text).count() as u64;
        let column = memrchr(b'\n', text).map_or(self.column + text.len(), |end| text.len() - end - 1);
        Place { line: self.line + lines, column }
    }

    /// A text of games that begins here, after a control character if this is within a line: at the beginning of a line, tags have a
    /// meaning that they do not have elsewhere.
    pub fn within_line(self, text: &[u8]) -> Cow<'_, [u8]> {
        if self.column > 0 { [b"\x01", text].concat().into() } else { text.into() }
    }

    /// An error of a text that begins here, with its place in the file.
    pub fn tell(self, mut error: pgn::Error<'_>) -> String {
        if error.line == 1 {
            error.column += self.column;
        }
        error.line += self.line - 1;
        error.found = &error.found[..error.found.len().min(40)];
        shown(error.to_string().as_bytes(), 300)
    }
}

/// Goes through a text and tells where things are.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Up to here in the text.
    pub at: usize,
    /// The place there.
    pub place: Place,
}

impl Places {
    /// From the beginning of a text, which is here.
    pub fn new(place: Place) -> Places {
        Places { at: 0, place }
    }

    /// A place after those before.
    pub fn at(&mut self, text: &[u8], at: usize) -> Place {
        if at > self.at {
            self.place = self.place.after(&text[self.at..at]);
            self.at = at;
        }
        self.place
    }
}

/// Receives the games of a block.
struct Reading<'s, 't> {
    scan: &'s mut Scan,
    text: &'t [u8],
    is_last: bool,
    boards: Boards,
    /// How many bytes the text has more than the block, and where it begins.
    shift: usize,
    before: Place,
    places: Places,
    game: Option<Game>,
    /// Where the last mark is.
    marked: Option<usize>,
}

/// A game that is read: what there was before it, because it may go on in the next block.
struct Game {
    start: usize,
    line: u64,
    plies: u32,
    /// Of positions that are not summed yet.
    positions: usize,
    marks: usize,
    /// What is wrong with it.
    error: Option<String>,
}

/// Where the game with these tags begins in its text, with the blanks and `[pgn]` before it in its line.
pub fn start(tags: Tags<'_>, text: &[u8]) -> usize {
    let start = tags.as_bytes().as_ptr().addr() - text.as_ptr().addr();
    line_start(text, start).unwrap_or(start)
}

impl Reading<'_, '_> {
    /// A game is over, and it is whole.
    fn end_game(&mut self) {
        let Some(game) = self.game.take() else { return };
        if let Some(error) = game.error {
            let number = self.scan.entries + 1;
            self.scan.wrong(Some(self.scan.entries), || format!("game {number}, {error}"));
        }
        self.scan.entries += 1;
        if self.scan.positions.len() >= MANY {
            self.scan.fold();
        }
    }

    /// Returns how many bytes have been taken.
    fn finish(mut self) -> usize {
        if self.is_last {
            self.end_game();
            return self.text.len() - self.shift;
        }
        let Some(game) = self.game.take() else {
            // Blanks and comments, of which the last may have no end yet.
            return 0;
        };
        self.scan.positions.truncate(game.positions);
        self.scan.told.marks.truncate(game.marks);
        game.start - self.shift
    }
}

impl<'t> Visitor<'t> for Reading<'_, 't> {
    fn game(&mut self, _: u64, tags: Tags<'t>) -> Take {
        self.end_game();
        let start = start(tags, self.text);
        let place = self.places.at(self.text, start);
        let marks = self.scan.told.marks.len();
        if self.scan.entries.is_multiple_of(EACH) || self.marked.is_none_or(|marked| start - marked > MOST_LINE) {
            self.scan.mark(start - self.shift, place);
            self.marked = Some(start);
        }
        let positions = self.scan.positions.len();
        self.game = Some(Game { start, line: place.line, plies: 0, positions, marks, error: None });
        Take::Positions
    }

    fn position(&mut self, board: &Board, _: &Ply<'t>) -> bool {
        let Some(game) = &mut self.game else { return false };
        if game.plies == MOST_PLIES {
            game.error = Some(format!("line {}: expected at most {MOST_PLIES} positions in a game", game.line));
            return false;
        }
        game.plies += 1;
        self.boards.push(board, &mut self.scan.positions);
        true
    }

    fn end(&mut self, _: Option<&'t [u8]>, error: Option<pgn::Error<'t>>) {
        self.boards.flush(&mut self.scan.positions);
        if let (Some(game), Some(error)) = (&mut self.game, error) {
            game.error = Some(self.before.tell(error));
        }
    }
}
