//! The parsed content of a block: positions or pairs, and the kept columns.

use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr2};
use slider_attacks::Square;
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use crate::columns::texts::{TextColumn, TextTable};
use crate::columns::{KeptColumn, add_found};
use crate::content::{BlockStart, Content, MAX_RECORD};
use crate::cut::{is_blank, lines};
use crate::error::{Malformed, Problem, RecordError};

/// The placeholder of a malformed position.
const NO_POSITION: &[u8] = b"k7/8/8/8/8/8/8/7K w - -";

/// The name of the column of the moves that led to positions, if each legal move of a position gives a row.
pub const MOVE: &str = "move";

/// What is known of positions that are those after the legal moves of others.
#[derive(Debug, Default)]
pub struct AfterMoves {
    /// The moves that led to them, in UCI; none for a malformed record.
    pub moves: TextColumn,
    /// How many of the positions that were read have had all of their moves with these.
    pub read: usize,
    /// Which of the columns to keep have a value in the records that were read.
    pub found: Vec<bool>,
}

/// The records of a block. All columns have one value for each position, or for each pair.
#[derive(Debug, Default)]
pub struct Records {
    /// The positions.
    pub positions: Positions,
    /// The pairs, if the input has pairs.
    pub pairs: Vec<(Square, u64)>,
    /// The number of the line or row that each of them comes from, from 1.
    pub numbers: Vec<u64>,
    /// The columns to keep, in the order of the names that the source gives them.
    pub kept: Vec<KeptColumn>,
    /// The malformed records that were left out.
    pub skipped: Vec<Malformed>,
    /// The malformed records that are there without a position: the place of each among the positions, and what is wrong. Two
    /// kings stand in place of the position.
    pub nulls: Vec<(usize, Malformed)>,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
    /// Set if these are the positions after the moves of those that were read.
    pub after: Option<AfterMoves>,
    /// How many records were left out before positions were made of them.
    pub left_out: usize,
    /// How many records had a chance, and were not [drawn](crate::request::Wanted::record_draws).
    pub missed: usize,
    /// The rows that are selected, in their order, if others are to be left out.
    pub selected: Option<Arc<[u32]>>,
}

impl Records {
    /// How many positions these records are of those that a run may have: without a selection, how many were read for them.
    pub fn read(&self) -> usize {
        self.after.as_ref().map_or(self.selected_rows().len(), |after| after.read)
    }

    /// The rows that are selected, or all of them.
    pub fn selected_rows(&self) -> impl ExactSizeIterator<Item = usize> {
        let count = self.selected.as_ref().map_or(self.numbers.len(), |rows| rows.len());
        (0..count).map(move |place| self.selected.as_ref().map_or(place, |rows| rows[place] as usize))
    }

    /// How many records were left out, or are not selected.
    pub fn count_left_out(&self) -> usize {
        self.left_out + self.numbers.len() - self.selected_rows().len()
    }

    /// Removes the rows that are not selected, and returns how many these are, with the records that were left out before.
    pub fn select(&mut self) -> usize {
        let left_out = self.count_left_out();
        let Some(rows) = self.selected.take() else { return left_out };
        self.positions.keep(&rows);
        self.numbers = rows.iter().map(|&row| self.numbers[row as usize]).collect();
        self.kept.iter_mut().for_each(|column| *column = column.in_rows(&rows));
        self.after.iter_mut().for_each(|after| after.moves = after.moves.clone().in_rows(rows.clone()));
        self.nulls.retain_mut(|(place, _)| match rows.binary_search(&(*place as u32)) {
            Ok(row) => {
                *place = row;
                true
            }
            Err(_) => false,
        });
        left_out
    }

    /// Removes the columns to keep at these places.
    pub fn remove_columns(&mut self, places: Range<usize>) {
        if places.is_empty() {
            return;
        }
        let has = |count: usize| places.start.min(count)..places.end.min(count);
        self.kept.drain(has(self.kept.len()));
        self.after.iter_mut().for_each(|after| drop(after.found.drain(has(after.found.len()))));
    }

    /// All that they hold, so that tests can compare it.
    #[cfg(test)]
    pub fn values(&self) -> impl PartialEq + std::fmt::Debug + use<'_> {
        let kept = self.kept.iter().map(|column| match column {
            KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts) => {
                (0..self.numbers.len()).map(|row| texts.get(row).map(str::to_owned)).collect()
            }
            KeptColumn::Numbers(numbers) => {
                (0..self.numbers.len()).map(|row| numbers.get(row).map(|value| numbers.text(value))).collect()
            }
            #[cfg(feature = "arrow")]
            KeptColumn::Array(..) => Vec::new(),
        });
        let kept: Vec<Vec<Option<String>>> = kept.collect();
        // The plain readers of tests write messages only.
        let failure = self.failure.clone().map(|mut malformed| {
            malformed.place.iter_mut().for_each(|place| place.problem = None);
            malformed
        });
        (&self.positions, &self.numbers, kept, &self.skipped, &self.nulls, failure)
    }

    /// The positions in FEN, with four fields, where there is one.
    pub fn fens(&self) -> TextColumn {
        let mut fens = TextTable::new(1);
        let mut nulls = self.nulls.iter().map(|(place, _)| *place).peekable();
        for (row, fen) in self.positions.fens().iter().enumerate() {
            let is_null = nulls.next_if_eq(&row).is_some();
            fens.push([Some(fen).filter(|_| !is_null)]);
        }
        fens.columns().next().expect("the table has a column")
    }

    /// Adds which of the columns to keep have a value, to what was found in the records before.
    pub fn add_found(&self, found: &mut Vec<bool>) {
        match &self.after {
            Some(after) => add_found(found, after.found.iter().copied()),
            None => add_found(found, self.kept.iter().map(|kept| kept.is_found(self.numbers.len()))),
        }
    }

    /// Why records are without a position: a text for each that is, nothing for the others.
    pub fn reasons(&self) -> TextColumn {
        let mut reasons = TextTable::new(1);
        for (place, malformed) in &self.nulls {
            reasons.pad(*place);
            reasons.push([Some(&malformed.what)]);
        }
        reasons.pad(self.numbers.len());
        reasons.columns().next().expect("the table has a column")
    }
}

/// Adds a position in FEN from the field of this name.
///
/// # Errors
///
/// The text is not a single position.
pub fn push_field(positions: &mut Positions, fen: &[u8], field: &str) -> Result<(), RecordError> {
    if memchr2(b'\n', b'\r', fen.trim_ascii()).is_some() {
        return Err(RecordError::from(Problem::SeveralLines).about_field(field));
    }
    positions.push_fen(fen).map_err(|error| RecordError::from(error).in_field(field))
}

/// Limits for reading records.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimits {
    /// The most positions or pairs.
    pub limit: usize,
    /// After this many, no other unit is begun. A game gives all of its positions at once.
    pub enough: usize,
}

impl ReadLimits {
    /// All that there are, up to a limit.
    pub fn all(limit: usize) -> ReadLimits {
        ReadLimits { limit, enough: usize::MAX }
    }
}

/// Which rows of a unit are read, where a game gives more than are wanted at a time.
#[derive(Clone, Copy, Debug)]
pub struct UnitPart {
    /// How many were read before.
    pub passed: usize,
    /// The most that are read now.
    pub most: usize,
}

impl UnitPart {
    /// All of them.
    pub const ALL: UnitPart = UnitPart { passed: 0, most: usize::MAX };
}

/// A block that is being parsed. A source goes through the units of [`content`](Parser::content), until
/// [`is_done`](Parser::is_done), and adds what they hold to [`records`](Parser::records).
#[derive(Debug)]
pub struct Parser<'a> {
    /// The number of the first unit, from 1.
    pub first: u64,
    /// Where it begins.
    pub start: BlockStart,
    /// The units.
    pub content: &'a Content,
    /// How many bytes or rows of it have been parsed before.
    pub from: usize,
    /// The records so far.
    pub records: Records,
    /// Where to go on, if it [is done](Parser::is_done) before the end: bytes or rows of the content, and units after the first one.
    pub stopped: Option<(usize, u64)>,
    /// Which rows of the first unit are read that has any, and whether it has more.
    pub part: UnitPart,
    pub(crate) is_cut: bool,
    most: ReadLimits,
    on_error: OnError,
}

impl<'a> Parser<'a> {
    /// Begins to parse a content from here on, where its first unit begins. `positions` are removed, and their memory is used.
    pub fn new(
        start: impl Into<BlockStart>,
        content: &'a Content,
        from: usize,
        most: ReadLimits,
        on_error: OnError,
        mut positions: Positions,
    ) -> Parser<'a> {
        /// How many bytes a position of text takes at least, as a rule.
        const LINE: usize = 32;
        let start = start.into();
        positions.clear();
        let mut records = Records { positions, ..Records::default() };
        // Arrays that grow step by step are copied many times.
        let rows = most.limit.min(most.enough).min(content.bytes().len() / LINE + 1);
        records.positions.reserve(rows);
        records.numbers.reserve(rows);
        let (first, part) = (start.number, UnitPart::ALL);
        Parser { first, start, content, from, records, stopped: None, part, is_cut: false, most, on_error }
    }

    /// The bytes from there on.
    pub fn bytes(&self) -> &'a [u8] {
        &self.content.bytes()[self.from..]
    }

    /// Whether no other unit is to be begun.
    pub fn is_done(&self) -> bool {
        self.is_done_with(0)
    }

    /// The same if this many records more have been found, which will be added.
    #[inline]
    pub fn is_done_with(&self, more: usize) -> bool {
        let rows = self.records.numbers.len() + more;
        self.records.failure.is_some()
            || self.is_cut
            || rows >= self.most.limit
            || rows + self.records.skipped.len() >= self.most.enough
    }

    /// Whether nothing more may be added, even of a unit that has begun.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.records.failure.is_some() || self.room() == 0
    }

    /// How many positions or pairs may be added.
    #[inline]
    pub fn room(&self) -> usize {
        self.most.limit.saturating_sub(self.records.numbers.len())
    }

    /// How many may be added of units that have one each.
    pub fn unit_room(&self) -> usize {
        self.room().min(self.most.enough.saturating_sub(self.records.numbers.len() + self.records.skipped.len()))
    }

    /// Stops; reading continues after this many bytes or rows, which are this many units.
    pub fn stop(&mut self, at: usize, units: u64) {
        self.stopped = Some((self.from + at, units));
    }

    /// Takes note of a malformed unit, and returns whether a record without a position was added for it. All units that are
    /// malformed come here, and what becomes of them is decided here alone.
    pub fn malformed(&mut self, number: u64, wrong: impl Into<RecordError>) -> bool {
        let wrong = wrong.into();
        let malformed = Malformed { number, what: wrong.to_string().into(), place: None };
        match self.on_error {
            OnError::Fail => self.records.failure = Some(Malformed { place: Some(wrong.into_place()), ..malformed }),
            OnError::Skip => self.records.skipped.push(malformed),
            OnError::Null | OnError::Report => {
                self.records.positions.push_fen(NO_POSITION).expect("it can be read");
                self.records.nulls.push((self.records.numbers.len(), malformed));
                self.records.numbers.push(number);
            }
        }
        self.on_error.keeps_rows()
    }

    /// Ends the run because of a unit that is not malformed, but does not fit the output.
    pub fn fail(&mut self, number: u64, what: impl Display) {
        self.records.failure = Some(Malformed { number, what: what.to_string().into(), place: None });
    }

    /// Takes note of a unit that is too long.
    pub fn too_long(&mut self, number: u64) {
        self.malformed(number, Problem::Length { most: MAX_RECORD, units: "bytes" });
    }

    /// Gives the record that was added last its values of the columns to keep. Records without, which were malformed, have no
    /// values.
    #[inline]
    pub fn keep<T: AsRef<str>>(&self, kept: &mut TextTable, values: impl IntoIterator<Item = Option<T>>) {
        kept.pad(self.records.numbers.len() - 1);
        kept.push(values);
    }

    /// Gives the records their columns to keep, each made by `column`.
    pub fn finish(&mut self, mut kept: TextTable, column: impl Fn(TextColumn) -> KeptColumn) {
        kept.pad(self.records.numbers.len());
        self.records.kept = kept.columns().map(column).collect();
    }

    /// Adds a position in FEN and returns whether a record was added, with a position or without. `field` is the name of its
    /// field, if the unit has others.
    pub fn push(&mut self, fen: &[u8], number: u64, field: Option<&str>) -> bool {
        let pushed = match field {
            Some(field) => push_field(&mut self.records.positions, fen, field),
            None => self.records.positions.push_fen(fen).map_err(RecordError::from),
        };
        match pushed {
            Ok(()) => {
                self.records.numbers.push(number);
                true
            }
            Err(wrong) => self.malformed(number, wrong),
        }
    }

    /// Adds positions in FEN, each from a field of a unit of its own, as [`push`](Parser::push) does, until it is done. They lie one
    /// after the other in a text, between these places, and none has a line end. Returns how many units these are.
    pub fn push_all(&mut self, text: &[u8], mut places: &[i32], field: &str) -> usize {
        let mut units = 0;
        while !self.is_done() {
            let before = self.records.positions.len();
            let room = self.unit_room();
            let texts = places.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
            let read = self.records.positions.push_fens_in(text, texts.take(room));
            let added = self.records.positions.len() - before;
            let number = self.first + units as u64;
            units += added;
            let after = number + added as u64;
            self.records.numbers.extend(number..after);
            let Err(error) = read else { break };
            self.malformed(after, RecordError::from(error).in_field(field));
            units += 1;
            places = &places[added + 1..];
        }
        units
    }

    /// Adds the positions of the lines at the beginning of a text, numbered from this number on, up to the first line
    /// that has none. Returns how many lines these are, and their bytes.
    pub fn push_lines(&mut self, text: &[u8], number: u64) -> (u64, usize) {
        let (before, room) = (self.records.positions.len(), self.unit_room());
        let bytes = self.records.positions.push_lines(text, room);
        let lines = (self.records.positions.len() - before) as u64;
        self.records.numbers.extend(number..number + lines);
        (lines, bytes)
    }

    /// Goes through the lines of a block that are neither blank nor comments, with their numbers. Lines that are too long
    /// are malformed.
    #[inline]
    pub fn each_line(&mut self, mut parse: impl FnMut(&mut Parser<'a>, &'a [u8], u64)) {
        let (text, mut at, mut number) = (self.bytes(), 0, self.first);
        while at < text.len() && !self.is_done() {
            let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
            lines(&text[at..end]).for_each(|line| self.line(line, number, &mut parse));
            (at, number) = (end, number + 1);
        }
        if at < text.len() {
            self.stop(at, number - self.first);
        }
    }

    /// Does the same with one line.
    #[inline]
    pub fn line(&mut self, line: &'a [u8], number: u64, parse: impl FnOnce(&mut Parser<'a>, &'a [u8], u64)) {
        if is_blank(line) {
            return;
        }
        if line.len() > MAX_RECORD {
            self.too_long(number);
        } else {
            parse(self, line, number);
        }
    }

    /// The bytes as text. If they are not UTF-8, the unit is malformed.
    pub fn text<'t>(&mut self, bytes: &'t [u8], number: u64) -> Option<&'t str> {
        let text = str::from_utf8(bytes);
        if let Err(error) = text {
            let byte = bytes[error.valid_up_to()];
            self.malformed(number, Problem::Encoding { byte });
        }
        text.ok()
    }
}
