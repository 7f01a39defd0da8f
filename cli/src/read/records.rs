//! The positions in a block of an input, and the columns kept beside them.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::DataType;
use memchr::{memchr, memchr2};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use slider_attacks::position::Positions;

use super::source::{Block, Layout, MAX_RECORD, Records};
use crate::args::OnError;
use crate::read::malformed::quoted;

/// What a block held.
#[derive(Default)]
pub struct Parsed {
    /// The positions.
    pub positions: Positions,
    /// The numbers of their lines or rows.
    pub lines: Vec<u64>,
    /// The columns that were asked for, in the order of the names in the source.
    pub kept: Vec<Kept>,
    /// What was wrong with malformed records that were skipped.
    pub skipped: Vec<String>,
    /// What was wrong with the record that ends the run.
    pub failure: Option<String>,
}

/// A kept column, or all fields of JSON lines.
pub enum Kept {
    /// Values of some type.
    Array(ArrayRef),
    /// Values as they stand in JSON; nothing where there was no such field.
    Json(Vec<Option<Box<str>>>),
    /// All fields of an object: `"name":value,…`.
    Fields(Vec<Box<str>>),
}

/// Reads at most `most` positions of a block.
pub fn parse(block: &Block, most: usize, on_error: OnError) -> Parsed {
    let mut reading = Reading { block, most, on_error, parsed: Parsed::default() };
    match (&block.records, &block.source.layout) {
        (Records::TooLong, _) => reading.too_long(block.first),
        (Records::Rows(batch), Layout::Parquet { column, kept }) => reading.rows(batch, *column, kept),
        (Records::Text(text), Layout::Csv { name, column, kept, width }) => {
            reading.csv(text, (name, *column), kept, *width);
        }
        (Records::Text(text), Layout::Json { column, all_but }) => reading.json(text, column, all_but.as_deref()),
        (Records::Text(text), _) => reading.fen(text),
        (Records::Rows(_), _) => unreachable!("rows come from Parquet alone"),
    }
    reading.parsed
}

struct Reading<'a> {
    block: &'a Block,
    most: usize,
    on_error: OnError,
    parsed: Parsed,
}

impl Reading<'_> {
    /// Whether there is nothing more to do.
    fn is_done(&self) -> bool {
        self.parsed.failure.is_some() || self.parsed.lines.len() >= self.most
    }

    fn malformed(&mut self, line: u64, what: impl Display) {
        let unit = if matches!(self.block.records, Records::Rows(_)) { "row" } else { "line" };
        let what = format!("{}, {unit} {line}, {what}", self.block.source.name);
        match self.on_error {
            OnError::Fail => self.parsed.failure = Some(what),
            OnError::Skip => self.parsed.skipped.push(what),
        }
    }

    fn too_long(&mut self, line: u64) {
        self.malformed(line, format_args!("length: expected at most {MAX_RECORD} bytes, found more"));
    }

    /// Takes a position, and tells whether it is one. `field` is where it stands, if the line holds more.
    fn push(&mut self, text: &[u8], line: u64, field: Option<&str>) -> bool {
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

    fn fen(&mut self, text: &[u8]) {
        let mut kept = StringBuilder::new();
        for (line, number) in lines(text).zip(self.block.first..) {
            if self.is_done() {
                break;
            }
            if matches!(line.trim_ascii_start().first(), None | Some(b'#')) {
                continue;
            }
            if line.len() > MAX_RECORD {
                self.too_long(number);
            } else if memchr(b'\r', line).is_some() {
                // All but the first position of such a line would be lost.
                self.malformed(number, LONE_CR);
            } else if self.block.source.kept.is_empty() {
                self.push(line, number, None);
            } else if let Some(line) = self.text(line, number)
                && self.push(line.as_bytes(), number, None)
            {
                kept.append_value(line);
            }
        }
        self.keep_texts(vec![kept]);
    }

    fn csv(&mut self, text: &[u8], (name, column): (&str, usize), columns: &[usize], width: usize) {
        let mut kept: Vec<StringBuilder> = columns.iter().map(|_| StringBuilder::new()).collect();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut record = csv::ByteRecord::new();
        // Whether the record before ended with a lone CR, which the reader takes for the end of a line, and nobody else.
        let mut goes_on = false;
        while !self.is_done() && reader.read_byte_record(&mut record).expect("memory can be read") {
            // The reader passes over blank lines, and tells where it began to.
            let (start, line) = record.position().map_or((0, 1), |at| (at.byte() as usize, at.line()));
            let blank = text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
            let line = self.block.first + line - 1 + blank.filter(|&&byte| byte == b'\n').count() as u64;
            let end = reader.position().byte() as usize;
            let lone_cr = end > 0 && text[end - 1] == b'\r' && text.get(end).is_some_and(|&next| next != b'\n');
            let is_rest = std::mem::replace(&mut goes_on, lone_cr);
            if lone_cr && !is_rest {
                self.malformed(line, LONE_CR);
            }
            if lone_cr || is_rest {
                continue;
            }
            if record.len() != width {
                let found = record.len();
                self.malformed(line, format_args!("columns: expected {width} as in the header, found {found}"));
                continue;
            }
            let values: Option<Vec<&str>> = columns.iter().map(|&column| self.text(&record[column], line)).collect();
            if let Some(values) = values
                && self.push(&record[column], line, Some(name))
            {
                kept.iter_mut().zip(values).for_each(|(kept, value)| kept.append_value(value));
            }
        }
        self.keep_texts(kept);
    }

    fn json(&mut self, text: &[u8], column: &str, all_but: Option<&[String]>) {
        let names = &self.block.source.kept;
        let mut columns: Vec<Vec<Option<Box<str>>>> = vec![Vec::new(); names.len()];
        let mut all = Vec::new();
        for (line, number) in lines(text).zip(self.block.first..) {
            if self.is_done() {
                break;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            if line.len() > MAX_RECORD {
                self.too_long(number);
                continue;
            }
            let mut reader = serde_json::Deserializer::from_slice(line);
            let fields = Fields { column, kept: names, all_but };
            let object = fields.deserialize(&mut reader).and_then(|object| reader.end().map(|()| object));
            let object = match object {
                Ok(object) => object,
                Err(error) => {
                    // The line of the message is always the first one.
                    let what = error.to_string();
                    self.malformed(number, format_args!("JSON: {}", what.replace(" at line 1 column ", " at byte ")));
                    continue;
                }
            };
            let Some(position) = &object.position else {
                self.malformed(number, format_args!("JSON: expected a field {}, found none", quoted(column)));
                continue;
            };
            if self.push(position.as_bytes(), number, Some(column)) {
                columns.iter_mut().zip(object.kept).for_each(|(column, value)| column.push(value));
                all.push(object.all.into());
            }
        }
        self.parsed.kept =
            if all_but.is_some() { vec![Kept::Fields(all)] } else { columns.into_iter().map(Kept::Json).collect() };
    }

    fn rows(&mut self, batch: &RecordBatch, column: usize, kept: &[usize]) {
        let positions = batch.column(column);
        let text = |row: usize| match positions.data_type() {
            _ if positions.is_null(row) => None,
            DataType::Binary => Some(positions.as_binary::<i32>().value(row)),
            _ => Some(positions.as_string::<i32>().value(row).as_bytes()),
        };
        let schema = batch.schema();
        let field = schema.field(column).name();
        for row in 0..batch.num_rows() {
            if self.is_done() {
                break;
            }
            let number = self.block.first + row as u64;
            match text(row) {
                Some(text) => _ = self.push(text, number, Some(field)),
                None => {
                    self.malformed(number, format_args!("field {}, expected a position, found null", quoted(field)))
                }
            }
        }
        let rows: UInt64Array = self.parsed.lines.iter().map(|line| line - self.block.first).collect();
        let keep = |&column: &usize| {
            let array = batch.column(column);
            let all = rows.len() == array.len();
            let taken =
                if all { array.clone() } else { arrow_select::take::take(array, &rows, None).expect("rows exist") };
            Kept::Array(taken)
        };
        self.parsed.kept = kept.iter().map(keep).collect();
    }

    /// Kept columns are text.
    fn text<'t>(&mut self, bytes: &'t [u8], line: u64) -> Option<&'t str> {
        let text = str::from_utf8(bytes);
        if let Err(error) = text {
            let at = error.valid_up_to();
            let byte = bytes[at];
            self.malformed(line, format_args!("encoding: expected UTF-8 text, found byte {byte:#04x}"));
        }
        text.ok()
    }

    fn keep_texts(&mut self, columns: Vec<StringBuilder>) {
        let columns = columns.into_iter().take(self.block.source.kept.len());
        self.parsed.kept = columns.map(|mut column| Kept::Array(std::sync::Arc::new(column.finish()))).collect();
    }
}

/// What is wrong with a line of which others may think that it is two.
pub const LONE_CR: &str = "end of line: expected LF or CRLF, found a lone CR";

/// The lines of a text without their ends, LF or CRLF.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let line = &text[..end];
        text = text.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// What to take from an object.
struct Fields<'a> {
    column: &'a str,
    kept: &'a [String],
    all_but: Option<&'a [String]>,
}

/// What was taken.
#[derive(Default)]
struct Object {
    position: Option<String>,
    kept: Vec<Option<Box<str>>>,
    all: String,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Object;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Object, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut object = Object { kept: vec![None; self.kept.len()], ..Object::default() };
        // The name as it is goes before the same in other letters, as in the other formats.
        let (mut position, mut is_exact): (Option<&str>, _) = (None, false);
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let is_position = name == self.column || !is_exact && name.eq_ignore_ascii_case(self.column);
            let place = self.kept.iter().position(|kept| *kept == name);
            if !is_position && place.is_none() && self.all_but.is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&RawValue>()?.get();
            if is_position {
                (position, is_exact) = (Some(value), name == self.column);
            }
            if let Some(place) = place {
                // A string without an escape is valid text as it stands.
                if value.starts_with('"') && value.contains('\\') {
                    text_of(&name, value)?;
                }
                object.kept[place] = Some(value.into());
            }
            if let Some(taken) = self.all_but {
                if taken.iter().any(|taken| *taken == name) {
                    let what = format!("cannot keep field {name:?}, the output would have two of that name");
                    return Err(serde::de::Error::custom(what));
                }
                let comma = if object.all.is_empty() { "" } else { "," };
                let name = serde_json::to_string(&name).map_err(serde::de::Error::custom)?;
                write!(object.all, "{comma}{name}:{value}").map_err(serde::de::Error::custom)?;
            }
        }
        object.position = position.map(|value| text_of(self.column, value)).transpose()?;
        Ok(object)
    }
}

/// The text that a JSON value is.
fn text_of<E: serde::de::Error>(name: &str, value: &str) -> Result<String, E> {
    serde_json::from_str(value)
        .map_err(|_| E::custom(format!("field {name:?}: expected text, found {}", quoted(value))))
}
