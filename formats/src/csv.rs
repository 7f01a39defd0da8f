//! CSV with a header, its fields separated by commas, tabs or semicolons.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr2};

use crate::batch::Parser;
use crate::beginning::Beginning;
use crate::columns::KeptColumn;
use crate::content::{MAX_RECORD, line_ends};
use crate::cut::structural::{Mark, Marks};
use crate::cut::{Cut, UnitCount, line_end};
use crate::error::{OpenError, Problem, RecordError};
use crate::fen::is_board;
use crate::games::fields::{CellContent, FieldRows, NO_VALUES, NeededColumns, are_games, is_game};
use crate::request::Wanted;
use crate::source::{OpenedSource, Source};

/// The bytes that may separate fields.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// Whole records of CSV. One column has the positions.
#[derive(Debug)]
struct CsvRecords {
    header: Header,
    /// The names of the columns to keep, and how many of the last of them only a condition needs.
    columns: Vec<String>,
    hidden: usize,
}

/// The layout from the first record.
#[derive(Debug)]
struct Header {
    /// The name of the column with the positions.
    name: String,
    /// The place of that column, and what it holds.
    column: usize,
    cells: CellContent,
    /// The place of the column that is needed next to it.
    start_or_moves: Option<usize>,
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
/// More bytes are needed, the first line is a header without a wanted column, or a position in several fields.
pub fn open(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    let (name, line) = (beginning.name(), beginning.first_line()?);
    if is_board(line) || line.len() > MAX_RECORD {
        return Ok(None);
    }
    // The page has no limit, and is to be small.
    if let Some(most) = wanted.most_columns.filter(|_| !cfg!(target_arch = "wasm32"))
        && let Some(found) = DELIMITERS.map(|delimiter| width(line, delimiter)).into_iter().find(|&width| width > most)
    {
        let line = beginning.first_line_number();
        return Err(OpenError::TooManyColumns { input: name.to_owned(), line, most, found });
    }
    let Some((delimiter, names, column)) = header(line, name, wanted)? else { return Ok(None) };
    if let Err(problem) = CsvFields::new(line, delimiter, names.len()).record(0) {
        let wrong = problem.wrong.unwrap_or_else(|| "".into()).into();
        return Err(OpenError::Header { input: name.to_owned(), line: beginning.first_line_number(), wrong });
    }
    let (passed, width) = (beginning.header(), names.len());
    let look = |text: &[u8], is_all| holds_games(text, is_all, delimiter, column, width);
    let are_games = are_games(wanted, || beginning.peek(passed, look))?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let NeededColumns { cells, start_or_moves, places: kept, names: columns, hidden } =
        NeededColumns::new(wanted, &names, column, are_games, name)?;
    let header = Header { name: names[column].to_owned(), column, cells, start_or_moves, kept, width, delimiter };
    let ends = RecordEnds::new(header.delimiter);
    Ok(Some(OpenedSource::cut(CsvRecords { header, columns, hidden }, passed, ends)))
}

impl Source for CsvRecords {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn has_games(&self) -> bool {
        self.header.cells.are_games()
    }

    fn plays_first_moves(&self) -> bool {
        self.header.cells.are_before_moves()
    }

    fn counts(&self) -> UnitCount {
        UnitCount { units: |text| line_ends(text) as u64, has_lines: false }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let Header { name, column, cells, start_or_moves, kept: places, width, delimiter } = &self.header;
        let (first, text) = (parser.first, parser.bytes());
        // If this is no UTF-8, each value is looked at on its own.
        let needed = || start_or_moves.iter().chain(places);
        let utf8 = if needed().count() == 0 { None } else { str::from_utf8(text).ok() };
        let mut rows = FieldRows::new(parser, name, cells, places.len());
        let mut fields = CsvFields::new(text, *delimiter, *width);
        let (mut start, mut line) = (0, first);
        while start < text.len() && !rows.is_done() {
            let number = line;
            let end = match fields.record(start) {
                Ok(end) => end,
                Err(problem) => {
                    // The next line is read again, so that one quotation mark cannot hide what follows it.
                    let number = line + line_ends(&text[start..problem.at]) as u64;
                    match problem.wrong {
                        Some(wrong) => rows.malformed(number, wrong, NO_VALUES),
                        None => rows.too_long(number),
                    }
                    (start, line) = (problem.next, number + 1);
                    continue;
                }
            };
            line += if fields.has_line_ends { line_ends(&text[start..end]).max(1) as u64 } else { 1 };
            start = end;
            if fields.is_blank() {
                continue;
            }
            if fields.count != *width {
                rows.malformed(number, Problem::Columns { expected: *width, found: fields.count }, NO_VALUES);
                continue;
            }
            if utf8.is_none() && !needed().all(|&place| rows.text(&text[fields.get(place)], number).is_some()) {
                continue;
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
            let (place, values) = (fields.get(*column), places.iter().map(value));
            let is_doubled = fields.is_doubled(*column);
            if matches!(cells, CellContent::Positions) && !is_doubled && !fields.has_line_ends {
                rows.push(place, number, values);
            } else {
                let start_or_moves = start_or_moves.as_ref().and_then(value);
                let field = if is_doubled { undoubled(&text[place]).into() } else { Cow::Borrowed(&text[place]) };
                rows.push_text(&field, start_or_moves.as_deref(), number, values);
            }
        }
        if start < text.len() {
            rows.stop(start, line - first);
        }
        rows.finish(KeptColumn::Text);
    }
}

/// Whether a byte separates fields or begins or ends something.
#[derive(Clone, Copy)]
struct IsCsvMark(u8);

impl Mark for IsCsvMark {
    #[inline(always)]
    fn is_mark(&self, byte: u8) -> bool {
        // With `|` and a delimiter that is not a constant, so that the compiler makes vectors of it. `||` would be branches.
        (byte == self.0) | (byte == b'"') | (byte == b'\n') | (byte == b'\r')
    }
}

/// The fields of one record after the other. Line ends within quotation marks do not end a record.
struct CsvFields<'t> {
    text: &'t [u8],
    delimiter: u8,
    marks: Marks<'t, IsCsvMark>,
    start: usize,
    /// How many fields the record has.
    count: usize,
    /// Where they end, as far as there are no more than the header has.
    ends: Vec<usize>,
    width: usize,
    /// The fields in which quotation marks are doubled.
    doubled: Vec<usize>,
    /// Whether a field has a line end.
    has_line_ends: bool,
}

/// Why a record cannot be read.
struct BadRecord {
    /// The error in its quotation marks; `None` if it is too long.
    wrong: Option<RecordError>,
    /// A place in the line to name.
    at: usize,
    /// Where the next line begins, which may be another record.
    next: usize,
}

impl<'t> CsvFields<'t> {
    fn new(text: &'t [u8], delimiter: u8, width: usize) -> CsvFields<'t> {
        let (marks, ends) = (Marks::new(text, IsCsvMark(delimiter)), Vec::with_capacity(width));
        CsvFields { text, delimiter, marks, start: 0, count: 0, ends, width, doubled: Vec::new(), has_line_ends: false }
    }

    #[inline(always)]
    fn add(&mut self, end: usize) {
        if self.count < self.width {
            self.ends.push(end);
        }
        self.count += 1;
    }

    /// Finds the fields of the record that begins here, and returns where the next one begins.
    #[inline]
    fn record(&mut self, start: usize) -> Result<usize, BadRecord> {
        self.start = start;
        self.count = 0;
        self.ends.clear();
        self.doubled.clear();
        self.has_line_ends = false;
        // A copy, because the compiler keeps one that nobody else sees in registers.
        let mut marks = self.marks;
        let found = self.find_ends(&mut marks);
        self.marks = marks;
        match found {
            Ok(end) if end - start <= MAX_RECORD => Ok(end),
            found => self.checked(found),
        }
    }

    /// Finds the ends of the fields, and that of the record. If a quotation mark is not closed, its place is the error.
    #[inline(always)]
    fn find_ends(&mut self, marks: &mut Marks<'t, IsCsvMark>) -> Result<usize, usize> {
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
                    return Ok(at + 1);
                }
                Some(b'\r') => {
                    self.add(at);
                    return Ok(if text.get(at + 1) == Some(&b'\n') { marks.next() } else { at } + 1);
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
                            Some(_) => self.has_line_ends = true,
                            None => return Err(at),
                        }
                        close = marks.next();
                    }
                    let is_closed = text.get(close + 1).is_none_or(|&next| ends_quotation(next, delimiter));
                    if !is_closed || close + 1 >= self.start + MAX_RECORD {
                        return Err(at);
                    }
                }
                None => {
                    self.add(at);
                    return Ok(at);
                }
            }
        }
    }

    /// The end of a record that is long, if it is not too long. Otherwise, what is wrong with it.
    #[cold]
    fn checked(&mut self, found: Result<usize, usize>) -> Result<usize, BadRecord> {
        let (text, start) = (self.text, self.start);
        let line = |at: usize| line_end(&text[at..]).map_or(text.len()..text.len(), |end| at + end.start..at + end.end);
        let wrong = match found {
            Ok(end) => {
                let record = &text[start..end];
                let record = record.strip_suffix(b"\n").unwrap_or(record);
                if record.strip_suffix(b"\r").unwrap_or(record).len() <= MAX_RECORD {
                    return Ok(end);
                }
                None
            }
            Err(at) => Some((at, line(at))).filter(|(_, line)| line.start - start <= MAX_RECORD),
        };
        let (wrong, at, next) = match wrong {
            Some((at, line)) => (Some(self.wrong_quotation(&text[at + 1..line.start])), at, line.end),
            None => (None, start, line(start).end),
        };
        self.marks.go_to(next);
        Err(BadRecord { wrong, at, next })
    }

    /// What is wrong with a field that begins with a quotation mark. This text follows the mark on its line.
    fn wrong_quotation(&self, mut text: &[u8]) -> RecordError {
        let (field, delimiter) = (self.count + 1, char::from(self.delimiter));
        while let Some(at) = memchr(b'"', text) {
            let rest = &text[at + 1..];
            if let Some(rest) = rest.strip_prefix(b"\"") {
                text = rest;
                continue;
            }
            let found = rest.split(|&byte| byte == self.delimiter).next().unwrap_or_default();
            let shown = String::from_utf8_lossy(found).into_owned();
            return RecordError::from(Problem::AfterQuotation { field, delimiter, found: shown }).found(found);
        }
        Problem::NoClosingQuotation { field, delimiter }.into()
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

/// Whether this byte may follow a quotation mark that closes a quotation.
#[inline(always)]
fn ends_quotation(byte: u8, delimiter: u8) -> bool {
    byte == delimiter || matches!(byte, b'\n' | b'\r')
}

/// A field whose quotation marks are doubled.
fn undoubled(field: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some(at) = memmem::find(rest, b"\"\"") {
        text.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    text.extend_from_slice(rest);
    text
}

/// The delimiter, the names of the columns and the place of that with the positions, if this line is a header. `input` is the name
/// of the input.
///
/// # Errors
///
/// The column with the positions is missing, or two have its name, or a field is a position.
pub fn header(line: &[u8], input: &str, wanted: &Wanted) -> Result<Option<(u8, Vec<String>, usize)>, OpenError> {
    let mut headers = Vec::new();
    for delimiter in DELIMITERS {
        let names = names(line, delimiter);
        let places: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(column) = wanted.find(&places, input)? {
            return Ok(Some((delimiter, names, column)));
        }
        headers.push(names);
    }
    // Assume the delimiter that makes the most fields.
    let Some(fields) = headers.into_iter().filter(|fields| fields.len() > 1).max_by_key(Vec::len) else {
        return Ok(None);
    };
    let names: Vec<&str> = fields.iter().map(String::as_str).collect();
    if let Some(place) = fields.iter().position(|field| is_board(field.as_bytes())) {
        return Err(OpenError::NoHeader { input: input.to_owned(), field: place });
    }
    // A malformed board is not a header either.
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if first.contains(&b'/') { Ok(None) } else { Err(wanted.missing(&names, input)) }
}

/// How many names are in a line.
fn width(line: &[u8], delimiter: u8) -> usize {
    let mut fields = CsvFields::new(line, delimiter, 0);
    fields.record(0).map_or_else(|_| 1 + memchr_iter(delimiter, line).count(), |_| fields.count)
}

/// The names in a line. If a quotation mark is not closed, quotation marks do not count.
fn names(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut fields = CsvFields::new(line, delimiter, line.len() + 1);
    let names: Vec<Vec<u8>> = match fields.record(0) {
        Ok(_) => (0..fields.count).map(|field| undoubled(&line[fields.get(field)])).collect(),
        Err(_) => {
            let unquoted = |name: &[u8]| name.iter().copied().filter(|&byte| byte != b'"').collect();
            line.split(|&byte| byte == delimiter).map(unquoted).collect()
        }
    };
    names.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect()
}

/// Whether the column with the positions holds games, by the first of its values that shows it. `is_all` is whether this is
/// the whole text.
fn holds_games(text: &[u8], is_all: bool, delimiter: u8, column: usize, width: usize) -> Option<bool> {
    let (mut fields, mut start) = (CsvFields::new(text, delimiter, width), 0);
    while start < text.len() {
        let record = fields.record(start);
        let next = record.as_ref().map_or_else(|problem| problem.next, |end| *end);
        // The last record may not be complete.
        if next == text.len() && !is_all {
            return None;
        }
        if record.is_ok() && fields.count == width {
            let found = is_game(&undoubled(&text[fields.get(column)]));
            if found.is_some() {
                return found;
            }
        }
        start = next;
    }
    None
}

/// Finds the ends of records in text that grows, as [`CsvFields`] finds them in text that is complete.
#[derive(Debug)]
struct RecordEnds {
    delimiter: u8,
    /// The number of bytes examined, and the start of the record that continues there.
    at: usize,
    record: usize,
    state: State,
    /// The end of the last record.
    last: Option<usize>,
}

/// The next token of the text.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A field, outside quotation marks.
    Field,
    /// A quotation that begins here.
    Quotation(usize),
    /// The rest of a line in which a quotation mark is not closed.
    RestOfLine,
}

impl RecordEnds {
    /// Begins at a record.
    fn new(delimiter: u8) -> RecordEnds {
        RecordEnds { delimiter, at: 0, record: 0, state: State::Field, last: None }
    }

    /// A record ends here.
    #[inline(always)]
    fn end(&mut self, at: usize) {
        (self.record, self.last, self.state) = (at, Some(at), State::Field);
    }

    /// Goes on until more text is needed, and returns what has been looked at.
    fn scan(&mut self, text: &[u8]) -> usize {
        let mut marks = Marks::new(text, QuoteOrLine);
        marks.go_to(self.at);
        loop {
            let at = marks.next();
            let (mark, next) = (text.get(at).copied(), text.get(at + 1).copied());
            let most = self.record + MAX_RECORD;
            match (mark, self.state) {
                // As in the middle of a line that ends no later.
                (_, State::Quotation(open)) if at + 1 >= most && text.len() > most => {
                    self.state = State::RestOfLine;
                    marks.go_to(open + 1);
                }
                (None, _) => return text.len(),
                (Some(b'"'), State::Quotation(open)) => match next {
                    None => return at,
                    Some(b'"') => _ = marks.next(),
                    Some(next) if ends_quotation(next, self.delimiter) => self.state = State::Field,
                    Some(_) => {
                        self.state = State::RestOfLine;
                        marks.go_to(open + 1);
                    }
                },
                (Some(_), State::Quotation(_)) | (Some(b'"'), State::RestOfLine) => {}
                // Inside a field it is an ordinary character.
                (Some(b'"'), State::Field) => {
                    if at == self.record || ends_quotation(text[at - 1], self.delimiter) {
                        self.state = State::Quotation(at);
                    }
                }
                (Some(b'\r'), _) => match next {
                    None => return at,
                    Some(b'\n') => {}
                    Some(_) => self.end(at + 1),
                },
                (Some(_), _) => self.end(at + 1),
            }
        }
    }
}

/// The bytes that may begin or end a quotation, or end a record.
#[derive(Clone, Copy)]
struct QuoteOrLine;

impl Mark for QuoteOrLine {
    #[inline(always)]
    fn is_mark(&self, byte: u8) -> bool {
        (byte == b'"') | (byte == b'\n') | (byte == b'\r')
    }
}

impl Cut for RecordEnds {
    fn last_end(&mut self, text: &[u8], _: usize) -> Option<usize> {
        let new = &text[self.at..];
        if matches!(self.state, State::Field) && memchr(b'"', new).is_none() {
            // An LF may follow a CR at the end.
            let whole = new.strip_suffix(b"\r").unwrap_or(new);
            let start = self.at;
            if let Some(end) = memrchr2(b'\n', b'\r', whole) {
                self.end(start + end + 1);
            }
            self.at += whole.len();
        } else {
            self.at = self.scan(text);
        }
        self.last
    }

    /// Between records nothing is quoted.
    fn begin(&mut self) {
        *self = RecordEnds::new(self.delimiter);
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(RecordEnds::new(self.delimiter))
    }

    fn pass_over(&mut self, text: &mut Vec<u8>) -> bool {
        match line_end(text) {
            Some(end) if end.end < text.len() || text[..end.end].ends_with(b"\n") => {
                text.drain(..end.end);
                true
            }
            // A CR at the end may be the first byte of a line end.
            end => {
                text.drain(..end.map_or(text.len(), |end| end.start));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests;
