//! A file, block by block: the number and the offsets of its entries, the number of positions, errors, and sums.
//!
//! An entry is a line in the list of the page: a position, a malformed line, or a game of PGN. Only one block is in memory:
//! marks and errors are passed to the caller with each block.

use std::convert::Infallible;
use std::mem;
use std::ops::ControlFlow;

use serde_json::{Value, json};
use slider_attacks::Square;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{OnError, Plan, Summary, Values};
use slider_attacks_formats::Beginning;
use slider_attacks_formats::batch::{ReadLimits, Records};
use slider_attacks_formats::beginning::{PARQUET, extension, other_format};
use slider_attacks_formats::content::{BlockStart, Content};
use slider_attacks_formats::cut::READ;
use slider_attacks_formats::error::OpenError;
use slider_attacks_formats::source::parse;

use crate::condition::ScanCondition;
use crate::error;
use crate::format::{FileFormat, FilePlace, Units, mark, mark_in_chunks};
use crate::groups::ScanGroups;

/// The maximum number of reported errors per block.
const MOST_ERRORS: usize = 100;
/// About this many positions are read and summed at a time.
const MANY: usize = 1 << 12;

/// The maximum number of found positions.
const MOST_FOUND: usize = 200;

/// Which positions are looked for: those where a column has a square.
pub struct FoundSquare {
    /// The name of the column.
    pub column: String,
    /// The square.
    pub square: Square,
}

/// A file that is read.
pub struct Scan {
    plan: Plan,
    summary: Summary,
    beginning: Beginning,
    units: Option<(FileFormat, Units)>,
    /// Buffered input that is shorter than what is read at a time. So results do not depend on how a file is cut into blocks.
    waiting: Vec<u8>,
    /// How many bytes have been read.
    bytes: u64,
    entries: u64,
    count: u64,
    wrong: u64,
    /// The information from a block: the numbers and offsets of entries, and their errors.
    marks: Vec<(u64, FilePlace)>,
    errors: Vec<(u64, String)>,
    /// No positions, but memory for some; and those that are not summed yet.
    spare: Positions,
    positions: Positions,
    /// With groups, those of these positions.
    groups: Option<ScanGroups>,
    /// What is looked for, and the entries and positions that have been found since the last block.
    wanted: Option<FoundSquare>,
    found: Vec<(u64, String)>,
    found_count: usize,
    /// Which rows match, if there is a condition: how many did, and the entries that did since the last block, each with the
    /// number of its first such position.
    condition: Option<ScanCondition>,
    matching: u64,
    matches: Vec<(u64, usize)>,
}

impl Scan {
    /// A file of this name. If the plan has products, their sums are computed.
    pub fn new(name: &str, plan: Plan) -> Scan {
        Scan {
            summary: Summary::new(&plan, 1),
            plan,
            beginning: Beginning::new(name, extension(name)),
            units: None,
            waiting: Vec::new(),
            bytes: 0,
            entries: 0,
            count: 0,
            wrong: 0,
            marks: Vec::new(),
            errors: Vec::new(),
            spare: Positions::new(),
            positions: Positions::new(),
            groups: None,
            wanted: None,
            found: Vec::new(),
            found_count: 0,
            condition: None,
            matching: 0,
            matches: Vec::new(),
        }
    }

    /// Sums for each group by itself, too.
    pub fn by(mut self, groups: ScanGroups) -> Scan {
        self.groups = Some(groups);
        self
    }

    /// Tells which entries match, too.
    pub fn matching(mut self, condition: ScanCondition) -> Scan {
        self.condition = Some(condition);
        self
    }

    /// Looks for positions instead of summing.
    pub fn finding(mut self, wanted: FoundSquare) -> Scan {
        self.wanted = Some(wanted);
        self
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<&FileFormat> {
        self.units.as_ref().map(|(format, _)| format)
    }

    /// Reads the next bytes. `is_last` says that no more follow.
    pub fn block(&mut self, bytes: &[u8], is_last: bool) -> Value {
        self.waiting.extend_from_slice(bytes);
        if is_last || self.waiting.len() >= READ {
            let waiting = mem::take(&mut self.waiting);
            let mut parts = waiting.chunks_exact(READ);
            let mut read = parts.try_for_each(|part| self.read(part, false));
            if !is_last {
                self.waiting = parts.remainder().to_vec();
            } else if read.is_ok() {
                read = self.read(parts.remainder(), true);
            }
            if let Err(message) = read {
                return error(message);
            }
        }
        if let (true, Some((format, _)), Some(condition)) = (is_last, &self.units, &self.condition)
            && let Some(message) = condition.missing(&*format.scanned, &format.warnings)
        {
            return error(message);
        }
        self.add_up();
        json!({
            "format": self.format().map(|format| format.name),
            "entries": self.entries,
            "positions": self.count,
            "wrong": self.wrong,
            "marks": mem::take(&mut self.marks),
            "errors": mem::take(&mut self.errors),
            "found": mem::take(&mut self.found),
            "matching": self.matching,
            "matches": mem::take(&mut self.matches),
        })
    }

    /// The sums so far: of all positions, and with groups of each of them.
    pub fn sums(&self) -> Value {
        let all: Vec<usize> = (0..self.summary.groups()).collect();
        let mut sums = self.sums_of(&all);
        let names = self.groups.iter().flat_map(|groups| &groups.names);
        let groups = names.enumerate().map(|(group, name)| {
            let mut sums = self.sums_of(&[group]);
            sums["name"] = name.as_str().into();
            sums
        });
        sums["groups"] = groups.collect();
        sums
    }

    fn sums_of(&self, groups: &[usize]) -> Value {
        let total = |part: &dyn Fn(usize) -> Vec<u64>| {
            let parts = groups.iter().map(|&group| part(group));
            parts
                .reduce(|one, other| one.iter().zip(other).map(|(one, other)| one + other).collect())
                .unwrap_or_default()
        };
        let columns = self.summary.columns().iter().map(|column| {
            json!({
                "name": column.name(),
                "isSingle": column.is_single(),
                "hasSum": column.has_sum(),
                "present": total(&|group| column.present(group).to_vec()),
                "sum": total(&|group| column.sum(group).to_vec()),
            })
        });
        let columns = columns.collect::<Vec<_>>();
        let positions = groups.iter().map(|&group| self.summary.positions(group)).sum::<u64>();
        json!({ "positions": positions, "columns": columns })
    }

    fn read(&mut self, part: &[u8], is_last: bool) -> Result<(), OpenError> {
        let mut part = part.to_vec();
        if self.units.is_none() {
            if self.bytes == 0 {
                let is_parquet = part.starts_with(PARQUET);
                self.beginning.set_other(if is_parquet {
                    Some("Parquet, which this page does not read")
                } else {
                    other_format(&part)
                });
            }
            self.beginning.push(&part);
            if is_last {
                self.beginning.finish();
            }
        }
        self.bytes += part.len() as u64;
        let condition_columns = || self.condition.as_ref().map_or_else(Vec::new, ScanCondition::columns);
        let group_column = || self.groups.as_ref().and_then(ScanGroups::column);
        let (format, mut units) = match self.units.take() {
            Some(units) => units,
            None => match FileFormat::find(&mut self.beginning, condition_columns(), group_column()) {
                Ok((format, rest, start)) => {
                    part = rest;
                    let byte = self.bytes - part.len() as u64;
                    let units = format.units(BlockStart { byte, ..start });
                    (format, units)
                }
                Err(OpenError::MoreBytes { .. }) => return Ok(()),
                Err(error) => return Err(error),
            },
        };
        match &mut units {
            Units::Cut(contents) => {
                for (start, content) in contents.push(part.into(), is_last) {
                    self.mark(mark(start));
                    self.parse(&format, start, &content);
                }
                self.mark(mark(contents.start()));
            }
            Units::Chunks(chunks) => {
                self.mark(mark_in_chunks(chunks.place(), self.bytes));
                _ = chunks.push::<Infallible>(&part, is_last, &mut |start, content| {
                    self.parse(&format, start, &content);
                    ControlFlow::Continue(())
                });
                self.mark(mark_in_chunks(chunks.place(), self.bytes));
            }
        }
        self.units = Some((format, units));
        Ok(())
    }

    /// Marks where the next entry begins. A later place is a better one.
    fn mark(&mut self, place: FilePlace) {
        self.marks.pop_if(|(entry, _)| *entry == self.entries);
        self.marks.push((self.entries, place));
    }

    /// Adds all that some units hold.
    fn parse(&mut self, format: &FileFormat, start: BlockStart, content: &Content) {
        let mut next = Some((0, 0));
        while let Some(place) = next {
            let (most, spare) = (ReadLimits { limit: usize::MAX, enough: MANY }, mem::take(&mut self.spare));
            let has_columns = self.condition.is_some() || self.groups.is_some();
            let source = if has_columns { &format.scanned } else { &format.positions };
            let (records, more) = parse(&**source, (start, content), place, most, OnError::Skip, spare);
            next = more;
            self.find(format.has_games(), &records);
            self.match_rows(format, &records);
            if let Some(groups) = self.groups.as_mut().filter(|_| !self.plan.products().is_empty()) {
                groups.add(&records, &**source);
            }
            for (before, malformed) in records.skipped.iter().enumerate() {
                let rows = records.numbers.partition_point(|&number| number <= malformed.number);
                let row = self.entries + (rows + before) as u64;
                self.wrong += 1;
                if self.errors.len() < MOST_ERRORS {
                    let entry = if format.has_games() { malformed.number - 1 } else { row };
                    self.errors.push((entry, format.message(malformed)));
                }
            }
            self.entries = if format.has_games() {
                // Each game has a position or an error.
                let last = records.skipped.last().map(|malformed| malformed.number);
                self.entries.max(records.numbers.last().copied().max(last).unwrap_or(0))
            } else {
                self.entries + (records.numbers.len() + records.skipped.len()) as u64
            };
            self.count += records.positions.len() as u64;
            if !self.plan.products().is_empty() && self.wanted.is_none() {
                self.positions.extend_from(&records.positions);
            }
            if self.positions.len() >= MANY {
                self.add_up();
            }
            self.spare = records.positions;
        }
    }

    /// The entry of a row of some records.
    fn entry(&self, has_games: bool, records: &Records, row: usize) -> u64 {
        let number = records.numbers[row];
        let before = records.skipped.partition_point(|malformed| malformed.number < number);
        if has_games { number - 1 } else { self.entries + (row + before) as u64 }
    }

    /// Adds the rows of some records for which the condition holds.
    fn match_rows(&mut self, format: &FileFormat, records: &Records) {
        let Some(mut condition) = self.condition.take() else { return };
        let (has_games, mut first, mut last) = (format.has_games(), 0, None);
        for (row, holds) in condition.holds(records, &*format.scanned).into_iter().enumerate() {
            if records.numbers[row] != records.numbers[first] {
                first = row;
            }
            if !holds {
                continue;
            }
            self.matching += 1;
            if !has_games || last != Some(records.numbers[row]) {
                last = Some(records.numbers[row]);
                self.matches.push((self.entry(has_games, records, row), if has_games { row - first } else { 0 }));
            }
        }
        self.condition = Some(condition);
    }

    /// Adds the positions of some records that are looked for.
    fn find(&mut self, has_games: bool, records: &Records) {
        let Some(FoundSquare { column, square }) = &self.wanted else { return };
        let at = usize::from(square.index());
        let side = if column.starts_with("white") { u8::is_ascii_uppercase } else { u8::is_ascii_lowercase };
        let values = self.plan.names().zip(self.plan.values(&records.positions));
        for (_, values) in values.filter(|(name, _)| column.ends_with(name)) {
            let has = |row: usize| match &values {
                Values::Boards(boards) => boards[row] >> at & 1 == 1,
                Values::Numbers(numbers) => numbers[row][at] > 0,
                Values::Threats { offsets, threats } => threats[offsets[row]..offsets[row + 1]]
                    .iter()
                    .any(|[attacker, _, to, _]| usize::from(*to) == at && side(attacker)),
                _ => false,
            };
            for row in (0..records.positions.len()).filter(|&row| has(row)) {
                if self.found_count == MOST_FOUND {
                    return;
                }
                self.found_count += 1;
                let entry = self.entry(has_games, records, row);
                self.found.push((entry, records.positions.fen(row)));
            }
        }
    }

    /// Adds the positions to the sums.
    fn add_up(&mut self) {
        if !self.positions.is_empty() {
            let groups = self.groups.as_ref().map(|groups| {
                self.summary.grow(groups.names.len());
                &groups.of_rows[..]
            });
            self.plan.summarize(&self.positions, groups, &mut self.summary).expect("each position has a group");
            self.positions.clear();
            if let Some(groups) = &mut self.groups {
                groups.of_rows.clear();
            }
        }
    }
}
