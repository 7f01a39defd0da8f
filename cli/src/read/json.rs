//! JSON lines: one object per line.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::block::MAX_RECORD;
use super::malformed::quoted;
use super::parsed::{Kept, Reading, Table};
use super::text::lines;

/// Reads the lines of a block, whose positions are in the field `column`.
pub fn read(reading: &mut Reading<'_>, text: &[u8], column: &str, all_but: Option<&[String]>) {
    let (first, names) = (reading.block.first, &reading.block.source.kept);
    let mut kept = Table::new(if all_but.is_some() { 1 } else { names.len() });
    for (line, number) in lines(text).zip(first..) {
        if reading.is_done() {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() > MAX_RECORD {
            reading.too_long(number);
            continue;
        }
        let mut reader = serde_json::Deserializer::from_slice(line);
        let fields = Fields { column, kept: names, all_but };
        let object = fields.deserialize(&mut reader).and_then(|object| reader.end().map(|()| object));
        let object = match object {
            Ok(object) => object,
            Err(error) => {
                // The message always says line 1, because each line is read on its own.
                let what = error.to_string().replace(" at line 1 column ", " at byte ");
                reading.malformed(number, format_args!("JSON: {what}"));
                continue;
            }
        };
        let Some(position) = &object.position else {
            reading.malformed(number, format_args!("JSON: expected a field {}, found none", quoted(column)));
            continue;
        };
        if reading.push(position.as_bytes(), number, Some(column)) {
            match all_but {
                Some(_) => kept.push([Some(object.all)]),
                None => kept.push(object.kept),
            }
        }
    }
    let kind = if all_but.is_some() { Kept::Fields } else { Kept::Json };
    reading.parsed.kept = kept.columns().map(kind).collect();
}

/// The fields to take from an object.
struct Fields<'a> {
    column: &'a str,
    kept: &'a [String],
    all_but: Option<&'a [String]>,
}

/// The fields that were taken.
#[derive(Default)]
struct Object<'de> {
    position: Option<String>,
    kept: Vec<Option<&'de str>>,
    all: String,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Object<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Object<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object { kept: vec![None; self.kept.len()], ..Object::default() };
        // An exact name takes precedence over one that differs in case, as in the other formats.
        let (mut position, mut is_exact) = (None, false);
        let mut exact = vec![false; self.kept.len()];
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let is_position = name == self.column || !is_exact && name.eq_ignore_ascii_case(self.column);
            let is_kept = self.kept.iter().any(|kept| name.eq_ignore_ascii_case(kept));
            if !is_position && !is_kept && self.all_but.is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&RawValue>()?.get();
            if is_position {
                (position, is_exact) = (Some(value), name == self.column);
            }
            // A string without an escape is valid text as it is.
            if is_kept && value.starts_with('"') && value.contains('\\') {
                text_of(&name, value)?;
            }
            for (place, kept) in self.kept.iter().enumerate().filter(|_| is_kept) {
                if name == *kept || !exact[place] && name.eq_ignore_ascii_case(kept) {
                    (object.kept[place], exact[place]) = (Some(value), name == *kept);
                }
            }
            if let Some(taken) = self.all_but {
                if taken.iter().any(|taken| *taken == name) {
                    let what =
                        format!("cannot keep field {}, the output would have two fields of that name", quoted(&name));
                    return Err(A::Error::custom(what));
                }
                let comma = if object.all.is_empty() { "" } else { "," };
                let name = serde_json::to_string(&name).map_err(A::Error::custom)?;
                write!(object.all, "{comma}{name}:{value}").map_err(A::Error::custom)?;
            }
        }
        object.position = position.map(|value| text_of(self.column, value)).transpose()?;
        Ok(object)
    }
}

/// The text that a JSON value is.
fn text_of<E: Error>(name: &str, value: &str) -> Result<String, E> {
    serde_json::from_str(value)
        .map_err(|_| E::custom(format!("field {}: expected text, found {}", quoted(name), quoted(value))))
}
