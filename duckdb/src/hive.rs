//! Columns that the names of directories give, such as `year=2024`.

use std::collections::HashMap;

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
}

/// The columns of all inputs.
#[derive(Clone, Debug, Default)]
pub struct DirectoryColumns {
    /// Names and types.
    pub columns: Vec<(String, Type)>,
    /// The values of a file, by its name.
    files: HashMap<String, Vec<DirectoryValue>>,
}

/// The names and values in the directories of a file.
fn pairs(input: &Input) -> Vec<(String, String)> {
    let folders = input.path().and_then(|path| path.parent()).map(|path| path.components());
    let texts = folders.into_iter().flatten().filter_map(|folder| folder.as_os_str().to_str());
    let pairs = texts.filter_map(|text| text.split_once('=')).filter(|(name, _)| !name.is_empty());
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl DirectoryColumns {
    /// Finds the columns: numbers or dates if all values are.
    ///
    /// # Errors
    ///
    /// The files have different ones, although they are `wanted`. If it is not said whether they are, there are none then.
    pub fn new(inputs: &[Input], wanted: Option<bool>) -> Result<DirectoryColumns> {
        let all: Vec<_> = if wanted == Some(false) { Vec::new() } else { inputs.iter().map(pairs).collect() };
        let Some(first) = all.first() else { return Ok(DirectoryColumns::default()) };
        let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
        let differs =
            |pairs: &&Vec<(String, String)>| !pairs.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied());
        if let Some(other) = all.iter().position(|pairs| differs(&pairs)) {
            if wanted == Some(true) {
                let [first, other] = [&inputs[0], &inputs[other]].map(Input::display_name);
                bail!("hive_partitioning: the directories of {first} and {other} name different columns");
            }
            return Ok(DirectoryColumns::default());
        }
        let (mut columns, mut values) = (Vec::new(), vec![Vec::new(); all.len()]);
        for (place, name) in names.iter().enumerate() {
            let texts = || all.iter().map(|pairs| pairs[place].1.as_str());
            let kind = if texts().all(|text| integer(text).is_some()) {
                PlainType::I64
            } else if texts().all(|text| day(text).is_some()) {
                PlainType::Date
            } else {
                PlainType::Text
            };
            for (values, text) in values.iter_mut().zip(texts()) {
                values.push(match kind {
                    PlainType::I64 => DirectoryValue::Integer(integer(text).unwrap_or_default()),
                    PlainType::Date => DirectoryValue::Date(day(text).unwrap_or_default()),
                    _ => DirectoryValue::Text(text.to_owned()),
                });
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
        each_text(names, &mut |row, name| {
            let name = name.unwrap_or_default();
            match &self.files.get(name).with_context(|| format!("unknown file {name:?}"))?[column] {
                DirectoryValue::Integer(number) => output.numbers::<i64>()[row] = *number,
                DirectoryValue::Date(day) => output.numbers::<i32>()[row] = *day,
                DirectoryValue::Text(text) => output.set_text(row, text.as_bytes()),
            }
            Ok(())
        })
    }
}
