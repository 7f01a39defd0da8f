//! JSON lines: one object per line.

use std::fmt::{self, Write};

use anyhow::{Result, bail};
use memchr::memchr_iter;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::columns::KeptColumn;
use crate::content::{Content, MAX_RECORD, Most};
use crate::malformed::{printable, quoted, shortened};
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
use crate::text::lines;
use crate::texts::TextTable;
use crate::wanted::Wanted;

/// One object per line. The field of this name holds the position; case is ignored.
#[derive(Debug)]
struct JsonLines {
    /// The name of the field with the positions.
    column: String,
    /// Set if all fields are kept: the names that they must not have.
    all_but: Option<Vec<String>>,
    /// The names of the fields to keep, unless all are kept.
    columns: Vec<String>,
}

/// Takes text whose first line begins with an object.
///
/// # Errors
///
/// The input cannot be read, or the output cannot have the columns to keep.
pub fn open(reader: &mut Reader<'_>, wanted: &Wanted) -> Result<Option<Opened>> {
    let (name, shown) = (reader.input.name(), reader.input.shown());
    if !reader.first_line()?.starts_with(b"{") {
        return Ok(None);
    }
    if wanted.keep_all() && !wanted.any_fields {
        bail!("{shown}: JSON lines have no fixed columns: {}", wanted.advice.all_fields);
    }
    let columns = if wanted.keep_all() { Vec::new() } else { wanted.keep.clone() };
    wanted.check_names(&columns, &name)?;
    let all_but = wanted.keep_all().then(|| wanted.taken.clone());
    Ok(Some(Opened::lines(JsonLines { column: wanted.column.clone(), all_but, columns })))
}

impl Source for JsonLines {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn most(&self, content: &Content) -> Most {
        let text = content.bytes();
        // Values are JSON already. CSV doubles their quotation marks.
        let growth = if self.columns.is_empty() { 0 } else { memchr_iter(b'"', text).count() };
        // If all fields are kept, a name and a value take 40 bytes, in a vector that doubles, and 16 for the letters of the
        // name. To find the record with the most of them would take longer than to count those of all.
        let fields = if self.all_but.is_some() { 96 * memchr_iter(b':', text).count() } else { 0 };
        Most { growth, fields, ..Most::of_lines(text, false) }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let (column, names, all_but) = (self.column.as_str(), &self.columns, self.all_but.as_deref());
        let mut kept = TextTable::new(if all_but.is_some() { 1 } else { names.len() });
        let mut object = Vec::new();
        let is_needed = |name: &str| {
            let is_kept = || names.iter().any(|kept| kept.eq_ignore_ascii_case(name));
            all_but.is_some() || column.eq_ignore_ascii_case(name) || is_kept()
        };
        for (line, number) in lines(parser.content.bytes()).zip(parser.first..) {
            if parser.is_done() {
                break;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            if line.len() > MAX_RECORD {
                parser.too_long(number);
                continue;
            }
            let mut reader = serde_json::Deserializer::from_slice(line);
            object.clear();
            let read = reader.deserialize_map(Object(&is_needed, &mut object)).and_then(|()| reader.end());
            // The message always says line 1, because each line is read on its own.
            let read = read.map_err(|error| error.to_string().replace(" at line 1 column ", " at byte "));
            // The same in CSV ends the run too.
            let is_taken = |(name, _): &&(String, &str)| all_but.is_some_and(|taken| taken.contains(name));
            if let (Ok(()), Some((name, _))) = (&read, object.iter().find(is_taken)) {
                let name = quoted(name);
                let what =
                    format_args!("JSON: cannot keep field {name}, the output would have two fields of that name");
                parser.fail(number, what);
                break;
            }
            match read.and_then(|()| Fields::of(&object, column, names, all_but.is_some())) {
                Err(what) => _ = parser.malformed(number, format_args!("JSON: {what}")),
                Ok(fields) => {
                    let has_row = match fields.position {
                        Ok(position) => parser.push(position.as_bytes(), number, Some(column)),
                        Err(what) => parser.malformed(number, format_args!("JSON: {what}")),
                    };
                    match has_row {
                        false => {}
                        true if all_but.is_some() => parser.keep(&mut kept, [Some(fields.all)]),
                        true => parser.keep(&mut kept, fields.kept),
                    }
                }
            }
        }
        let kind = if all_but.is_some() { KeptColumn::Fields } else { KeptColumn::Json };
        parser.finish(kept, kind);
    }
}

/// Reads the needed names and values of an object, in their order.
struct Object<'a, 'de>(&'a dyn Fn(&str) -> bool, &'a mut Vec<(String, &'de str)>);

impl<'de> Visitor<'de> for Object<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object(is_needed, fields) = self;
        while let Some(name) = map.next_key::<String>()? {
            if is_needed(&name) {
                fields.push((name, map.next_value::<&RawValue>()?.get()));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The fields that are taken from an object.
struct Fields<'a> {
    /// What is wrong, if there is none.
    position: Result<String, String>,
    kept: Vec<Option<&'a str>>,
    /// All fields, if they are kept.
    all: String,
}

impl<'a> Fields<'a> {
    fn of(object: &[(String, &'a str)], column: &str, kept: &[String], keeps_all: bool) -> Result<Fields<'a>, String> {
        let mut all = String::new();
        for (name, value) in object.iter().filter(|_| keeps_all) {
            let comma = if all.is_empty() { "" } else { "," };
            write!(all, "{comma}{}:{value}", serde_json::Value::from(name.as_str())).expect("memory can be written");
        }
        let keep = |wanted: &String| -> Result<Option<&'a str>, String> {
            let Some(value) = find(object, wanted) else { return Ok(None) };
            // A string without an escape is valid text as it is.
            if value.starts_with('"') && value.contains('\\') {
                text_of(wanted, value)?;
            }
            Ok(Some(value))
        };
        let kept = kept.iter().map(keep).collect::<Result<_, _>>()?;
        let none = || format!("expected a field {}, found none", quoted(column));
        let position = find(object, column).ok_or_else(none).and_then(|value| text_of(column, value));
        Ok(Fields { position, kept, all })
    }
}

/// The last value of this name. An exact name takes precedence over one that differs in case, as in the other formats.
fn find<'a>(object: &[(String, &'a str)], wanted: &str) -> Option<&'a str> {
    let exact = object.iter().rfind(|(name, _)| name == wanted);
    let found = exact.or_else(|| object.iter().rfind(|(name, _)| name.eq_ignore_ascii_case(wanted)));
    found.map(|&(_, value)| value)
}

/// The text that a JSON value is.
fn text_of(name: &str, value: &str) -> Result<String, String> {
    let error = |_| format!("field {}: expected text, found {}", quoted(name), shortened(value, printable));
    serde_json::from_str(value).map_err(error)
}
