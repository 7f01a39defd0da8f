//! CSV with a header, its fields separated by commas, tabs or semicolons.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use anyhow::{Result, bail};
use csv::{ByteRecord, Reader as CsvReader, ReaderBuilder};
use csv_core::ReadRecordResult;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::cells::{Cells, NO_VALUES, Needed, Rows};
use crate::columns::KeptColumn;
use crate::content::{Content, MAX_RECORD, Most, escapes};
use crate::fen::is_board;
use crate::malformed::{LONE_CR, printable};
use crate::marks::{Mark, Marks};
use crate::plies::{GameColumns, MostRows, WAITING};
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
use crate::text::{Cut, lines};
use crate::wanted::Wanted;

/// The bytes that may separate fields.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// Whole records of CSV. One column has the positions.
#[derive(Debug)]
struct CsvRecords {
    header: Header,
    /// The names of the columns to keep.
    columns: Vec<String>,
}

/// What the first record tells.
#[derive(Debug)]
struct Header {
    /// The name of the column with the positions.
    name: String,
    /// The place of that column, and what it holds.
    column: usize,
    cells: Cells,
    /// The place of the column that is needed beside it.
    beside: Option<usize>,
    /// The places of the columns to keep.
    kept: Vec<usize>,
    /// How many columns there are.
    width: usize,
    /// The byte that separates fields.
    delimiter: u8,
}

/// Takes text whose first line is a header.
///
/// # Errors
///
/// The input cannot be read, the first line is a header without a wanted column, or a position in several fields.
pub fn open(reader: &mut Reader<'_>, wanted: &Wanted) -> Result<Option<Opened>> {
    let (name, shown) = (reader.input.name(), reader.input.shown());
    let line = reader.first_line()?;
    if is_board(line) || line.len() > MAX_RECORD {
        return Ok(None);
    }
    let Some((header, columns)) = header(line, &name, wanted)? else { return Ok(None) };
    let has_lone_cr = memchr(b'\r', line).is_some();
    let number = reader.text()?.pass_first_line();
    if has_lone_cr {
        bail!("{shown}, line {number}, {LONE_CR}");
    }
    let ends = RecordEnds::new(header.delimiter);
    Ok(Some(Opened::cut(CsvRecords { header, columns }, ends)))
}

impl Source for CsvRecords {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn has_games(&self) -> bool {
        self.header.cells.are_games()
    }

    fn plays_first_moves(&self) -> bool {
        self.header.cells.are_before_moves()
    }

    fn most(&self, content: &Content) -> Most {
        let (text, header) = (content.bytes(), &self.header);
        // For each field: its end, twice, and its place if quotation marks are doubled in it, 8 bytes each, in vectors that may
        // double; values are slices.
        let fields = 64 * header.width + Rows::bytes(header.kept.len());
        let mut most = match &header.cells {
            Cells::Games(columns) => self.most_of_games(columns, text),
            _ => Most::of_lines(text, !self.columns.is_empty()),
        };
        most.fields += fields + if self.plays_first_moves() { WAITING } else { 0 };
        most
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let Header { name, column, cells, beside, kept: places, width, delimiter } = &self.header;
        let (first, text) = (parser.first, parser.content.bytes());
        // If this is no UTF-8, each value is looked at on its own.
        let needed = || beside.iter().chain(places);
        let utf8 = if needed().count() == 0 { None } else { str::from_utf8(text).ok() };
        let mut rows = Rows::new(parser, name, cells, places.len());
        let (mut fields, mut unusual) = (Fields::new(text, *delimiter, *width), None);
        let (mut start, mut line) = (0, first);
        // Whether the previous record ended with a lone CR.
        let mut goes_on = false;
        while start < text.len() && !rows.is_done() {
            if !goes_on
                && let Some(end) = fields.record(start)
                && !fields.is_doubled(*column)
            {
                let number = line;
                (start, line) = (end, line + 1);
                if fields.is_blank() {
                    continue;
                }
                if fields.count == *width {
                    let mut is_text = true;
                    if utf8.is_none() {
                        is_text = needed().all(|&place| rows.text(&text[fields.get(place)], number).is_some());
                    }
                    let value = |&place: &usize| -> Option<Cow<'_, str>> {
                        let range = fields.get(place);
                        let value = match utf8 {
                            Some(text) => &text[range],
                            None => str::from_utf8(&text[range]).expect("it was looked at"),
                        };
                        let is_doubled = fields.is_doubled(place);
                        Some(if is_doubled { value.replace("\"\"", "\"").into() } else { value.into() })
                    };
                    let values = places.iter().map(value);
                    match cells {
                        _ if !is_text => {}
                        Cells::Positions => rows.push(fields.get(*column), number, values),
                        _ => {
                            let beside = beside.as_ref().and_then(value);
                            rows.push_text(&text[fields.get(*column)], beside.as_deref(), number, values);
                        }
                    }
                } else {
                    rows.malformed(number, columns_error(*width, fields.count), NO_VALUES);
                }
                continue;
            }
            let unusual = unusual.get_or_insert_with(|| Unusual::new(*delimiter, *width));
            let Some(end) = unusual.read(text, start) else { break };
            let blank = text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
            let number = line + blank.filter(|&&byte| byte == b'\n').count() as u64;
            line += memchr_iter(b'\n', &text[start..end]).count() as u64;
            start = end;
            fields.go_to(end);
            let lone_cr = text[end - 1] == b'\r' && text.get(end).is_some_and(|&next| next != b'\n');
            let is_rest = std::mem::replace(&mut goes_on, lone_cr);
            if lone_cr && !is_rest {
                rows.malformed(number, LONE_CR, NO_VALUES);
            }
            if lone_cr || is_rest {
                continue;
            }
            if unusual.fields != *width {
                rows.malformed(number, columns_error(*width, unusual.fields), NO_VALUES);
                continue;
            }
            let values: Option<Vec<&str>> = needed().map(|&place| rows.text(unusual.get(place), number)).collect();
            if let Some(values) = values {
                let mut values = values.into_iter();
                let beside = beside.and_then(|_| values.next());
                rows.push_text(unusual.get(*column), beside, number, values.map(Some));
            }
        }
        rows.finish(KeptColumn::Text);
    }
}

impl CsvRecords {
    /// The most that a text with games can give.
    fn most_of_games(&self, columns: &GameColumns, text: &[u8]) -> Most {
        let Header { column, beside, kept: places, width, delimiter, .. } = &self.header;
        let mut rows = MostRows::default();
        if places.is_empty() {
            lines(text).for_each(|line| rows.add_field(line, 0));
        } else {
            let (mut fields, mut unusual) = (Fields::new(text, *delimiter, *width), Unusual::new(*delimiter, *width));
            let bytes = |field: &[u8]| field.len() + escapes(field);
            let mut start = 0;
            while start < text.len() {
                if let Some(end) = fields.record(start) {
                    start = end;
                    if fields.count == *width {
                        let field = |place| &text[fields.get(place)];
                        rows.add_field(field(*column), places.iter().map(|&place| bytes(field(place))).sum());
                    }
                } else {
                    let Some(end) = unusual.read(text, start) else { break };
                    start = end;
                    fields.go_to(end);
                    if unusual.fields == *width {
                        let each = places.iter().map(|&place| bytes(unusual.get(place))).sum();
                        rows.add_field(unusual.get(*column), each);
                    }
                }
            }
        }
        let is_usual = beside.is_none() && memmem::find(text, b"[FEN").is_none();
        columns.most(text.len(), Most::of_lines(text, false).units, rows, is_usual)
    }
}

fn columns_error(expected: usize, found: usize) -> String {
    format!("columns: expected {expected} as in the header, found {found}")
}

/// Whether a byte separates fields or begins or ends something.
#[derive(Clone, Copy)]
struct IsMark(u8);

impl Mark for IsMark {
    #[inline(always)]
    fn is_mark(&self, byte: u8) -> bool {
        // With `|` and a delimiter that is not a constant, so that the compiler makes vectors of it. `||` would be branches.
        (byte == self.0) | (byte == b'"') | (byte == b'\n') | (byte == b'\r')
    }
}

/// The fields of one usual record after the other. In a usual record, no quotation holds a line end or goes on after its end,
/// and no CR stands alone.
struct Fields<'t> {
    text: &'t [u8],
    delimiter: u8,
    marks: Marks<'t, IsMark>,
    start: usize,
    /// How many fields the record has.
    count: usize,
    /// Where they end, as far as there are no more than the header has.
    ends: Vec<usize>,
    width: usize,
    /// The fields in which quotation marks are doubled.
    doubled: Vec<usize>,
}

impl<'t> Fields<'t> {
    fn new(text: &'t [u8], delimiter: u8, width: usize) -> Fields<'t> {
        let (marks, ends) = (Marks::new(text, IsMark(delimiter)), Vec::with_capacity(width));
        Fields { text, delimiter, marks, start: 0, count: 0, ends, width, doubled: Vec::new() }
    }

    #[inline(always)]
    fn add(&mut self, end: usize) {
        if self.count < self.width {
            self.ends.push(end);
        }
        self.count += 1;
    }

    /// Goes on with the record that begins here.
    fn go_to(&mut self, at: usize) {
        self.marks.go_to(at);
    }

    /// Finds the fields of the record that begins here, and returns where the next one begins; `None` if this one is unusual.
    #[inline]
    fn record(&mut self, start: usize) -> Option<usize> {
        self.start = start;
        self.count = 0;
        self.ends.clear();
        self.doubled.clear();
        // A copy, because the compiler keeps one that nobody else sees in registers.
        let mut marks = self.marks;
        let end = self.find_ends(&mut marks)?;
        self.marks = marks;
        Some(end)
    }

    #[inline(always)]
    fn find_ends(&mut self, marks: &mut Marks<'t, IsMark>) -> Option<usize> {
        let (text, delimiter, mut field) = (self.text, self.delimiter, self.start);
        loop {
            let at = marks.next();
            match text.get(at) {
                Some(&mark) if mark == delimiter => {
                    self.add(at);
                    field = at + 1;
                }
                Some(b'\n') => {
                    self.add(at);
                    return Some(at + 1);
                }
                Some(b'\r') => {
                    if text.get(at + 1) != Some(&b'\n') {
                        return None;
                    }
                    self.add(at);
                    return Some(marks.next() + 1);
                }
                // Inside a field it is an ordinary character.
                Some(_) if at > field => {}
                Some(_) => {
                    let mut close = marks.next();
                    loop {
                        match text.get(close) {
                            Some(b'"') if text.get(close + 1) == Some(&b'"') => {
                                marks.next();
                                // Not of fields that the header does not have: there may be as many as bytes.
                                if self.count < self.width && self.doubled.last() != Some(&self.count) {
                                    self.doubled.push(self.count);
                                }
                            }
                            Some(b'"') => break,
                            Some(&mark) if mark == delimiter => {}
                            _ => return None,
                        }
                        close = marks.next();
                    }
                    if !text.get(close + 1).is_none_or(|&next| next == delimiter || matches!(next, b'\n' | b'\r')) {
                        return None;
                    }
                }
                None => {
                    self.add(at);
                    return Some(at);
                }
            }
        }
    }

    /// Whether quotation marks are doubled in a field.
    #[inline]
    fn is_doubled(&self, field: usize) -> bool {
        self.doubled.binary_search(&field).is_ok()
    }

    /// Whether the record is only the end of a line.
    fn is_blank(&self) -> bool {
        self.count == 1 && self.ends == [self.start]
    }

    /// The place of a field, without quotation marks.
    #[inline]
    fn get(&self, field: usize) -> Range<usize> {
        let start = if field == 0 { self.start } else { self.ends[field - 1] + 1 };
        let end = self.ends[field];
        if self.text[start..end].first() == Some(&b'"') { start + 1..end - 1 } else { start..end }
    }
}

/// Reads records of any kind, one at a time.
struct Unusual {
    core: csv_core::Reader,
    text: Vec<u8>,
    /// Where the fields end, as far as there are no more than the header has.
    ends: Vec<usize>,
    /// How many fields the record has.
    fields: usize,
    width: usize,
}

impl Unusual {
    fn new(delimiter: u8, width: usize) -> Unusual {
        let mut core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        // It removes a byte order mark before anything else.
        core.read_record(b"\n", &mut [], &mut []);
        // What is more than the header has is written over itself.
        Unusual { core, text: Vec::new(), ends: vec![0; width + 16], fields: 0, width }
    }

    /// Reads the record that begins here, and returns its end, if there is one.
    fn read(&mut self, text: &[u8], mut at: usize) -> Option<usize> {
        let mut length = 0;
        self.fields = 0;
        loop {
            let (out, ends) = (&mut self.text[length..], &mut self.ends[self.fields.min(self.width)..]);
            let (result, read, written, fields) = self.core.read_record(&text[at..], out, ends);
            (at, length, self.fields) = (at + read, length + written, self.fields + fields);
            match result {
                // Without more input, it notices the end.
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::OutputFull => self.text.resize((2 * length).max(256), 0),
                ReadRecordResult::Record => return Some(at),
                ReadRecordResult::End => return None,
            }
        }
    }

    fn get(&self, field: usize) -> &[u8] {
        let start = if field == 0 { 0 } else { self.ends[field - 1] };
        &self.text[start..self.ends[field]]
    }
}

/// The header in this line, and the names of the columns to keep; `None` if the line is not a header.
fn header(line: &[u8], input: &str, wanted: &Wanted) -> Result<Option<(Header, Vec<String>)>> {
    let mut headers = Vec::new();
    for delimiter in DELIMITERS {
        let mut record = ByteRecord::new();
        if !csv_reader(line, delimiter).read_byte_record(&mut record)? {
            continue;
        }
        let fields: Vec<String> = record.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        if let Some(column) = wanted.find(&names) {
            let Needed { cells, beside, places: kept, names: columns } = Needed::new(wanted, &names, column, input)?;
            let (name, width) = (fields[column].clone(), names.len());
            return Ok(Some((Header { name, column, cells, beside, kept, width, delimiter }, columns)));
        }
        headers.push(fields);
    }
    // Assume the delimiter that makes the most fields.
    let Some(fields) = headers.into_iter().filter(|fields| fields.len() > 1).max_by_key(Vec::len) else {
        return Ok(None);
    };
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    if let Some(place) = fields.iter().position(|field| is_board(field.as_bytes())) {
        bail!(
            "{}: CSV needs a header, but field {} of the first line is a position; put a line with names before it",
            printable(input),
            place + 1
        );
    }
    // A malformed board is not a header either.
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if first.contains(&b'/') { Ok(None) } else { Err(wanted.missing(&names, input)) }
}

/// A reader of records. A byte order mark is part of a field: that at the beginning of the input is not here any more.
fn csv_reader(text: &[u8], delimiter: u8) -> CsvReader<impl Read> {
    // The reader removes a mark only if it gets all of it at once.
    let (start, rest) = text.split_at(text.len().min(1));
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(start.chain(rest))
}

/// Finds the ends of records in text that grows. A line end within quotation marks does not end a record.
#[derive(Debug)]
struct RecordEnds {
    delimiter: u8,
    quoted: bool,
    /// The place after the last quotation mark that ended a quotation.
    closed: usize,
}

impl RecordEnds {
    /// Begins outside quotation marks.
    fn new(delimiter: u8) -> RecordEnds {
        RecordEnds { delimiter, quoted: false, closed: 0 }
    }
}

/// What may begin or end a quotation, or end a record.
#[derive(Clone, Copy)]
struct QuoteOrLine;

impl Mark for QuoteOrLine {
    #[inline(always)]
    fn is_mark(&self, byte: u8) -> bool {
        (byte == b'"') | (byte == b'\n')
    }
}

impl Cut for RecordEnds {
    fn last_end(&mut self, text: &[u8], from: usize) -> Option<usize> {
        if !self.quoted && memchr(b'"', &text[from..]).is_none() {
            return memrchr(b'\n', &text[from..]).map(|end| from + end + 1);
        }
        let mut last = None;
        let mut marks = Marks::new(&text[from..], QuoteOrLine);
        loop {
            let at = from + marks.next();
            let Some(&mark) = text.get(at) else { break };
            match (mark, self.quoted) {
                (b'"', true) => (self.quoted, self.closed) = (false, at + 1),
                // Inside an unquoted field it is an ordinary character. A doubled one is part of a quotation.
                (b'"', false) => {
                    let before = if at == 0 { b'\n' } else { text[at - 1] };
                    let begins = before == self.delimiter || matches!(before, b'\n' | b'\r');
                    self.quoted = begins || at == self.closed;
                }
                (_, true) => {}
                (_, false) => last = Some(at + 1),
            }
        }
        last
    }

    /// Between records nothing is quoted.
    fn begin(&mut self) {
        *self = RecordEnds::new(self.delimiter);
    }

    fn too_long(&self) -> Option<String> {
        Some(format!("a record longer than {MAX_RECORD} bytes: is a quotation mark missing?"))
    }
}

#[cfg(test)]
mod tests;
