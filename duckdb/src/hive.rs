//! Columns that the names of directories give, such as `year=2024`.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use arrow_array::Array;
use slider_attacks_files::Input;

use crate::arrays::each_text;
use crate::guess::{day, integer};
use crate::types::{PlainType, Type};
use crate::vectors::OutputVector;

/// The value of a directory.
#[derive(Clone, Debug)]
enum DirectoryValue {
    Integer(i64),
    Date(i32),
    Text(String),
    Null,
}

/// The columns of all inputs.
#[derive(Clone, Debug, Default)]
pub struct DirectoryColumns {
    /// Names and types.
    pub columns: Vec<(String, Type)>,
    /// The values of a file, by its name.
    files: HashMap<String, Vec<DirectoryValue>>,
}

/// The value of a directory that DuckDB and others write for null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The names and values in the directories of a file, as in other tables of DuckDB: `%2F` is a slash, and a second `=` means that
/// a directory is no column.
///
/// # Errors
///
/// A value is not UTF-8.
fn pairs(input: &Input) -> Result<Vec<(String, Option<String>)>> {
    let name = input.name();
    let path = input.path().unwrap_or(Path::new(&name));
    let folders = path.parent().map(Path::components);
    let texts = folders.into_iter().flatten().filter_map(|folder| folder.as_os_str().to_str());
    let pairs =
        texts.filter_map(|text| text.split_once('=')).filter(|(name, value)| !name.is_empty() && !value.contains('='));
    let pairs = pairs.map(|(name, value)| {
        let text = decoded(value).with_context(|| {
            let file = input.display_name();
            format!("{file}: the value {value:?} of a directory is not UTF-8; `hive_partitioning := false` ignores it")
        })?;
        Ok((name.to_owned(), (value != NULL).then_some(text)))
    });
    pairs.collect()
}

/// A text whose bytes are written like `%2F`. Other `%` are what they are.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digit = |place: usize| after.get(place).and_then(|&byte| char::from(byte).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, digit(0), digit(1)) {
            bytes.push((high << 4 | low) as u8);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// A whole number as DuckDB has it here: without a plus.
fn number(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { integer(text) }
}

/// A date as DuckDB has it here: with hyphens.
fn date(text: &str) -> Option<i32> {
    if text.contains('-') { day(text) } else { None }
}

impl DirectoryColumns {
    /// Finds the columns: numbers or dates if all values are, apart from nulls.
    ///
    /// # Errors
    ///
    /// A value is not UTF-8, or the files have different columns, although they are `wanted`. If it is not said whether they are,
    /// there are none then.
    pub fn new(inputs: &[Input], wanted: Option<bool>) -> Result<DirectoryColumns> {
        let all: Vec<_> =
            if wanted == Some(false) { Vec::new() } else { inputs.iter().map(pairs).collect::<Result<_>>()? };
        let Some(first) = all.first() else { return Ok(DirectoryColumns::default()) };
        let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
        let differs = |pairs: &&Vec<(String, Option<String>)>| {
            !pairs.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied())
        };
        if let Some(other) = all.iter().position(|pairs| differs(&pairs)) {
            if wanted == Some(true) {
                let [first, other] = [&inputs[0], &inputs[other]].map(Input::display_name);
                bail!("hive_partitioning: the directories of {first} and {other} name different columns");
            }
            return Ok(DirectoryColumns::default());
        }
        let (mut columns, mut values) = (Vec::new(), vec![Vec::new(); all.len()]);
        for (place, name) in names.iter().enumerate() {
            let texts = || all.iter().map(|pairs| pairs[place].1.as_deref());
            let known = || texts().flatten();
            let kind = if known().next().is_none() {
                PlainType::Text
            } else if known().all(|text| number(text).is_some()) {
                PlainType::I64
            } else if known().all(|text| date(text).is_some()) {
                PlainType::Date
            } else {
                PlainType::Text
            };
            for (values, text) in values.iter_mut().zip(texts()) {
                let value = match kind {
                    PlainType::I64 => text.and_then(number).map(DirectoryValue::Integer),
                    PlainType::Date => text.and_then(date).map(DirectoryValue::Date),
                    _ => text.map(|text| DirectoryValue::Text(text.to_owned())),
                };
                values.push(value.unwrap_or(DirectoryValue::Null));
            }
            columns.push(((*name).to_owned(), kind.into()));
        }
        let files = inputs.iter().map(Input::name).zip(values).collect();
        Ok(DirectoryColumns { columns, files })
    }

    /// Writes the values of a column for rows of the files of these names.
    ///
    /// # Errors
    ///
    /// A file is unknown.
    pub fn write(&self, column: usize, names: &dyn Array, output: &mut OutputVector<'_>) -> Result<()> {
        let mut nulls = Vec::new();
        each_text(names, &mut |row, name| {
            let name = name.unwrap_or_default();
            match &self.files.get(name).with_context(|| format!("unknown file {name:?}"))?[column] {
                DirectoryValue::Integer(number) => output.numbers::<i64>()[row] = *number,
                DirectoryValue::Date(day) => output.numbers::<i32>()[row] = *day,
                DirectoryValue::Text(text) => output.set_text(row, text),
                DirectoryValue::Null => nulls.push(row),
            }
            Ok(())
        })?;
        output.set_nulls(nulls.into_iter());
        Ok(())
    }
}
