//! A file, block by block: how many entries and positions it has, where they begin, what is wrong, and sums over its positions.
//!
//! An entry is what the list of the page shows in one line: a position, a line that is none, or a game. Memory holds one block,
//! and does not grow with the file: marks and errors go to the caller with each block.

use core::ops::Range;

use csv::{ByteRecord, ReaderBuilder};
use memchr::{memchr, memchr_iter, memrchr};
use serde_json::{Value, json};
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Plan, Summary};
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Boards, Ply, Take, Visitor};
use slider_attacks_games::tags::Tags;

use crate::format::Format;
use crate::{error, shown};

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
    /// The number of the line at the beginning of the next block.
    line: u64,
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
    /// Number of the entry, place in the block, number of the line.
    marks: Vec<(u64, usize, u64)>,
    errors: Vec<String>,
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
            line,
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
        let taken = match self.format {
            Format::Lines => self.lines(text, is_last),
            Format::Games => self.games(text, is_last),
            Format::Csv { delimiter, column, width } => self.records(text, is_last, (delimiter, column, width)),
        };
        self.fold();
        if taken == 0 && !is_last && text.len() >= MOST_BLOCK {
            return error(format!("line {}: expected less than 16 MiB in a game or record; the file is read up to here", self.line));
        }
        self.line += memchr_iter(b'\n', &text[..taken]).count() as u64;
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
    fn mark(&mut self, at: usize, line: u64) {
        self.told.marks.pop_if(|(entry, ..)| *entry == self.entries);
        self.told.marks.push((self.entries, at, line));
    }

    /// An entry without a position.
    fn wrong(&mut self, message: impl FnOnce() -> String) {
        self.wrong += 1;
        if self.told.errors.len() < MOST_ERRORS {
            self.told.errors.push(message());
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
        let mut line = self.line + (at > 0) as u64;
        let whole = if is_last { text.len() } else { memrchr(b'\n', text).map_or(at, |end| end + 1) };
        while at < whole {
            // A part whose end is that of a line.
            let most = whole.min(at + MOST_LINE);
            let Some(end) = (if most == whole { Some(whole) } else { memrchr(b'\n', &text[at..most]).map(|end| at + end + 1) })
            else {
                at += memchr(b'\n', &text[at..whole]).map_or(whole - at, |end| end + 1);
                self.too_long(line);
                line += 1;
                continue;
            };
            self.mark(at, line);
            while at < end {
                if self.entries.is_multiple_of(EACH) {
                    self.mark(at, line);
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
        // Its end may have been what is unusual: a CR alone, or blanks.
        if let Err(error) = self.positions.push_fen(found) {
            self.wrong(|| format!("line {line}, {error}"));
        }
        self.entries += 1;
    }

    fn too_long(&mut self, line: u64) {
        self.wrong(|| format!("line {line}: expected less than 1 MiB in a line"));
    }

    fn games(&mut self, text: &[u8], is_last: bool) -> usize {
        let first = self.line;
        let mut reading = Reading {
            scan: self,
            text,
            is_last,
            boards: Boards::default(),
            lines: Lines { at: 0, line: first },
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
        let mut lines = Lines { at: 0, line: self.line };
        while let Ok(true) = reader.read_byte_record(&mut record) {
            let start = record.position().map_or(0, |position| position.byte() as usize);
            let end = (reader.position().byte() as usize).min(text.len());
            if !is_last && end == text.len() {
                break; // more of it may follow
            }
            at = end;
            // Blank lines belong to the record after them.
            let start = start + text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let line = lines.number(text, start);
            if self.entries.is_multiple_of(EACH) || marked.is_none_or(|marked| start - marked > MOST_LINE) {
                self.mark(start, line);
                marked = Some(start);
            }
            self.entries += 1;
            if let Err(error) = read_field(&record, column, width, &mut self.positions) {
                self.wrong(|| format!("line {line}, {error}"));
            }
            if self.positions.len() >= MANY {
                self.fold();
            }
        }
        if is_last { text.len() } else { at }
    }
}

/// Adds the position of a record.
pub fn read_field(record: &ByteRecord, column: usize, width: usize, positions: &mut Positions) -> Result<(), String> {
    if record.len() != width {
        return Err(format!("expected {width} fields, found {}", record.len()));
    }
    let field = record.get(column).unwrap_or_default();
    positions.push_fen(field).map_err(|error| format!("fen, {error}"))
}

/// Counts lines.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    /// Up to here.
    pub at: usize,
    /// The number of the line there.
    pub line: u64,
}

impl Lines {
    /// The number of the line at a place after those before.
    pub fn number(&mut self, text: &[u8], at: usize) -> u64 {
        if at > self.at {
            self.line += memchr_iter(b'\n', &text[self.at..at]).count() as u64;
            self.at = at;
        }
        self.line
    }
}

/// Receives the games of a block.
struct Reading<'s, 't> {
    scan: &'s mut Scan,
    text: &'t [u8],
    is_last: bool,
    boards: Boards,
    lines: Lines,
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

/// The place of a part in its text.
pub fn place(part: &[u8], text: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

impl Reading<'_, '_> {
    /// A game is over, and it is whole.
    fn end_game(&mut self) {
        let Some(game) = self.game.take() else { return };
        self.scan.entries += 1;
        if let Some(error) = game.error {
            self.scan.wrong(|| error);
        }
        if self.scan.positions.len() >= MANY {
            self.scan.fold();
        }
    }

    /// Returns how many bytes have been taken.
    fn finish(mut self) -> usize {
        if self.is_last {
            self.end_game();
            return self.text.len();
        }
        let Some(game) = self.game.take() else {
            // Blanks and comments, of which the last may have no end yet.
            return 0;
        };
        self.scan.positions.truncate(game.positions);
        self.scan.told.marks.truncate(game.marks);
        game.start
    }
}

impl<'t> Visitor<'t> for Reading<'_, 't> {
    fn game(&mut self, _: u64, tags: Tags<'t>) -> Take {
        self.end_game();
        let start = place(tags.as_bytes(), self.text).start;
        let line = self.lines.number(self.text, start);
        let marks = self.scan.told.marks.len();
        if self.scan.entries.is_multiple_of(EACH) || self.marked.is_none_or(|marked| start - marked > MOST_LINE) {
            self.scan.mark(start, line);
            self.marked = Some(start);
        }
        let positions = self.scan.positions.len();
        self.game = Some(Game { start, line, plies: 0, positions, marks, error: None });
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
        if let (Some(game), Some(mut error)) = (&mut self.game, error) {
            error.line += self.scan.line - 1;
            error.found = &error.found[..error.found.len().min(40)];
            game.error = Some(shown(error.to_string().as_bytes(), 300));
        }
    }
}
