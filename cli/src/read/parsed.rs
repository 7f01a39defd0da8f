//! The content of a block: positions or pairs, and the columns to keep.

use std::fmt::Display;
use std::sync::Arc;

use anyhow::{Result, bail};
use memchr::{memchr_iter, memchr2};
use slider_attacks::Square;
use slider_attacks::position::Positions;

use super::block::{Block, MAX_RECORD, Records, SHORTEST, Source};
use super::malformed::{Malformed, quoted};
use crate::args::OnError;

/// The content of a block.
#[derive(Default)]
pub struct Parsed {
    /// The positions.
    pub positions: Positions,
    /// The pairs, if the input has pairs.
    pub pairs: Vec<(Square, u64)>,
    /// The numbers of their lines or rows.
    pub lines: Vec<u64>,
    /// The columns to keep, in the order of their names in the source.
    pub kept: Vec<Kept>,
    /// The malformed records that were skipped.
    pub skipped: Vec<Malformed>,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
}

/// A kept column, or all fields of JSON lines.
pub enum Kept {
    /// Text.
    Text(Cells),
    /// Values as in the JSON input; `None` where there was no such field.
    Json(Cells),
    /// All fields of an object, `"name":value,…`.
    Fields(Cells),
    /// Values of any type, and how Parquet describes the column.
    #[cfg(feature = "parquet")]
    Array(arrow_schema::FieldRef, arrow_array::ArrayRef),
}

impl Kept {
    /// Whether a record among so many had the field. In JSON lines, it may be missing.
    pub fn is_found(&self, records: usize) -> bool {
        match self {
            Kept::Json(cells) => (0..records).any(|record| cells.get(record).is_some()),
            _ => true,
        }
    }
}

/// Which of the columns to keep were in the records so far: of one input, or of several with the same columns.
#[derive(Debug, Default)]
pub struct Seen {
    /// The first input.
    pub first: Option<Arc<Source>>,
    found: Vec<bool>,
    records: usize,
}

impl Seen {
    /// Adds some records of an input.
    pub fn add(&mut self, source: &Arc<Source>, found: Vec<bool>, records: usize) {
        self.first.get_or_insert_with(|| source.clone());
        self.found.resize(found.len(), false);
        self.found.iter_mut().zip(found).for_each(|(found, more)| *found |= more);
        self.records += records;
    }

    /// Fails if there are records, and none has one of the columns to keep. `name` is that of the input or inputs.
    pub fn check(&self, name: &str) -> Result<()> {
        match (&self.first, self.found.iter().position(|found| !found)) {
            (Some(first), Some(place)) if self.records > 0 => {
                bail!("no record of {name} has a field {} to keep", quoted(&first.kept[place]))
            }
            _ => Ok(()),
        }
    }
}

/// The texts of a column.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    table: Arc<Table>,
    column: usize,
}

impl Cells {
    /// The text in a row, if it has one.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.table.get(row * self.table.width + self.column)
    }
}

/// Texts in rows and columns, in one allocation, because each text may be only a letter long.
#[derive(Debug, Default)]
pub struct Table {
    width: usize,
    text: String,
    /// The end of each text, times two, plus one if there is no text.
    ends: Vec<u32>,
}

impl Table {
    /// A table of `width` columns without rows. With no columns, it stays empty.
    pub fn new(width: usize) -> Table {
        Table { width, ..Table::default() }
    }

    /// Appends a row.
    pub fn push<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = Option<T>>) {
        for text in row {
            self.text.push_str(text.as_ref().map_or("", AsRef::as_ref));
            let end = u32::try_from(2 * self.text.len()).expect("a block has a few megabytes at most");
            self.ends.push(end + u32::from(text.is_none()));
        }
    }

    fn get(&self, cell: usize) -> Option<&str> {
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] as usize / 2 };
        let end = self.ends[cell];
        end.is_multiple_of(2).then(|| &self.text[start..end as usize / 2])
    }

    /// The columns.
    pub fn columns(self) -> impl Iterator<Item = Cells> {
        let (width, table) = (self.width, Arc::new(self));
        (0..width).map(move |column| Cells { table: table.clone(), column })
    }
}

/// A block being read.
pub struct Reading<'a> {
    /// The block.
    pub block: &'a Block,
    /// What has been read so far.
    pub parsed: Parsed,
    limit: usize,
    on_error: OnError,
}

impl<'a> Reading<'a> {
    /// Begins to read at most `limit` positions of a block.
    pub fn new(block: &'a Block, limit: usize, on_error: OnError) -> Reading<'a> {
        let mut parsed = Parsed::default();
        if let Records::Text(text) = &block.records {
            // Arrays that grow step by step are copied many times.
            let lines = memchr_iter(b'\n', text).count() + 1;
            let most = lines.min(text.len() / SHORTEST + 1).min(limit);
            parsed.positions.reserve(most);
            parsed.lines.reserve(most);
        }
        Reading { block, parsed, limit, on_error }
    }

    /// Whether there is nothing more to do.
    pub fn is_done(&self) -> bool {
        self.parsed.failure.is_some() || self.parsed.lines.len() >= self.limit
    }

    /// Takes note of a malformed line or row.
    pub fn malformed(&mut self, line: u64, what: impl Display) {
        let malformed = Malformed { line, what: what.to_string().into() };
        match self.on_error {
            OnError::Fail => self.parsed.failure = Some(malformed),
            OnError::Skip => self.parsed.skipped.push(malformed),
        }
    }

    /// Takes note of a line or row that is too long.
    pub fn too_long(&mut self, line: u64) {
        self.malformed(line, format_args!("length: expected at most {MAX_RECORD} bytes, found more"));
    }

    /// Reads a position and returns whether it is well-formed. `field` is the name of its field, if the line has others.
    pub fn push(&mut self, text: &[u8], line: u64, field: Option<&str>) -> bool {
        if let Some(field) = field
            && memchr2(b'\n', b'\r', text.trim_ascii()).is_some()
        {
            self.malformed(line, format_args!("field {}: expected one position, found a line end", quoted(field)));
            return false;
        }
        let pushed = self.parsed.positions.push_fen(text);
        match (&pushed, field) {
            (Ok(()), _) => self.parsed.lines.push(line),
            (Err(error), None) => self.malformed(line, error),
            (Err(error), Some(field)) => self.malformed(line, format_args!("field {}, {error}", quoted(field))),
        }
        pushed.is_ok()
    }

    /// The bytes as text. If they are not UTF-8, the line is malformed.
    pub fn text<'t>(&mut self, bytes: &'t [u8], line: u64) -> Option<&'t str> {
        let text = str::from_utf8(bytes);
        if let Err(error) = text {
            let byte = bytes[error.valid_up_to()];
            self.malformed(line, format_args!("encoding: expected UTF-8 text, found byte {byte:#04x}"));
        }
        text.ok()
    }
}
