//! CSV with a header, its fields separated by commas, tabs or semicolons.

use anyhow::{Result, bail};
use csv::{ByteRecord, Reader, ReaderBuilder};
use memchr::memchr2_iter;

use super::block::{Layout, Wanted};
use super::malformed::{LONE_CR, printable};
use super::parsed::{Kept, Reading, Table};
use super::text::is_board;

/// The bytes that may separate fields.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// The layout of CSV with this header, and the names of the columns to keep; `None` if the line is not a header.
pub fn header(line: &[u8], input: &str, wanted: &Wanted) -> Result<Option<(Layout, Vec<String>)>> {
    let mut headers = Vec::new();
    for delimiter in DELIMITERS {
        let mut record = ByteRecord::new();
        if !reader(line, delimiter).read_byte_record(&mut record)? {
            continue;
        }
        let fields: Vec<String> = record.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        if let Some(column) = wanted.find(&names) {
            let (kept, kept_names) = wanted.kept(&names, input)?;
            let layout = Layout::Csv { name: fields[column].clone(), column, kept, width: names.len(), delimiter };
            return Ok(Some((layout, kept_names)));
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

/// Reads the records of a block: the positions in `column`, which has this name, and the columns to keep.
pub fn read(reading: &mut Reading<'_>, text: &[u8], layout: &Layout) {
    let Layout::Csv { name, column, kept: columns, width, delimiter } = layout else { return };
    let first = reading.block.first;
    let mut kept = Table::new(columns.len());
    let mut reader = reader(text, *delimiter);
    let mut record = ByteRecord::new();
    // Whether the previous record ended with a lone CR. Only the reader takes that for the end of a line.
    let mut goes_on = false;
    while !reading.is_done() && reader.read_byte_record(&mut record).expect("memory can be read") {
        // The position is where the reader began to skip blank lines.
        let (start, line) = record.position().map_or((0, 1), |at| (at.byte() as usize, at.line()));
        let blank = text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let line = first + line - 1 + blank.filter(|&&byte| byte == b'\n').count() as u64;
        let end = reader.position().byte() as usize;
        let lone_cr = end > 0 && text[end - 1] == b'\r' && text.get(end).is_some_and(|&next| next != b'\n');
        let is_rest = std::mem::replace(&mut goes_on, lone_cr);
        if lone_cr && !is_rest {
            reading.malformed(line, LONE_CR);
        }
        if lone_cr || is_rest {
            continue;
        }
        if record.len() != *width {
            let found = record.len();
            reading.malformed(line, format_args!("columns: expected {width} as in the header, found {found}"));
            continue;
        }
        let values: Option<Vec<&str>> = columns.iter().map(|&column| reading.text(&record[column], line)).collect();
        if let Some(values) = values
            && reading.push(&record[*column], line, Some(name))
        {
            kept.push(values.into_iter().map(Some));
        }
    }
    reading.parsed.kept = kept.columns().map(Kept::Text).collect();
}

fn reader(text: &[u8], delimiter: u8) -> Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text)
}

/// Finds the ends of records in text that grows. A line end within quotation marks does not end a record.
pub struct Ends {
    delimiter: u8,
    quoted: bool,
    /// The place after the last quotation mark that ended a quotation.
    closed: usize,
}

impl Ends {
    /// Begins outside quotation marks.
    pub fn new(delimiter: u8) -> Ends {
        Ends { delimiter, quoted: false, closed: 0 }
    }

    /// The end of the last complete record after `from`. The text before `from` has been scanned already.
    pub fn last(&mut self, text: &[u8], from: usize) -> Option<usize> {
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
}
