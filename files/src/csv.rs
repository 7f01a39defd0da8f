//! CSV with a header, its fields separated by commas, tabs or semicolons.

use std::io::Read;

use anyhow::{Result, bail};
use csv::{ByteRecord, Reader as CsvReader, ReaderBuilder};
use memchr::{memchr, memchr2_iter};

use crate::columns::KeptColumn;
use crate::content::{Content, MAX_RECORD, Most};
use crate::fen::is_board;
use crate::malformed::{LONE_CR, printable};
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
use crate::text::Cut;
use crate::texts::TextTable;
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
    /// The place of that column.
    column: usize,
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

    fn most(&self, content: &Content) -> Most {
        // The reader keeps three copies of the first record's ends, 8 bytes each, in vectors that double; values are slices.
        let fields = 64 * self.header.width;
        Most { fields, ..Most::of_lines(content.bytes(), !self.columns.is_empty()) }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let Header { name, column, kept: places, width, delimiter } = &self.header;
        let (first, text) = (parser.first, parser.content.bytes());
        let mut kept = TextTable::new(places.len());
        let mut reader = csv_reader(text, *delimiter);
        let mut record = ByteRecord::new();
        // Whether the previous record ended with a lone CR. Only the reader takes that for the end of a line.
        let mut goes_on = false;
        while !parser.is_done() && reader.read_byte_record(&mut record).expect("memory can be read") {
            let (start, line) = record.position().map_or((0, 1), |at| (at.byte() as usize, at.line()));
            let blank = text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
            let line = first + line - 1 + blank.filter(|&&byte| byte == b'\n').count() as u64;
            let end = reader.position().byte() as usize;
            let lone_cr = end > 0 && text[end - 1] == b'\r' && text.get(end).is_some_and(|&next| next != b'\n');
            let is_rest = std::mem::replace(&mut goes_on, lone_cr);
            if lone_cr && !is_rest {
                parser.malformed(line, LONE_CR);
            }
            if lone_cr || is_rest {
                continue;
            }
            if record.len() != *width {
                let found = record.len();
                parser.malformed(line, format_args!("columns: expected {width} as in the header, found {found}"));
                continue;
            }
            let values: Option<Vec<&str>> = places.iter().map(|&place| parser.text(&record[place], line)).collect();
            if let Some(values) = values
                && parser.push(&record[*column], line, Some(name))
            {
                parser.keep(&mut kept, values.into_iter().map(Some));
            }
        }
        parser.finish(kept, KeptColumn::Text);
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
            let (kept, kept_names) = wanted.kept(&names, input)?;
            let header = Header { name: fields[column].clone(), column, kept, width: names.len(), delimiter };
            return Ok(Some((header, kept_names)));
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

impl Cut for RecordEnds {
    fn last_end(&mut self, text: &[u8], from: usize) -> Option<usize> {
        let mut last = None;
        for at in memchr2_iter(b'"', b'\n', &text[from..]).map(|at| from + at) {
            match (text[at], self.quoted) {
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
