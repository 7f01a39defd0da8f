//! The record of the options of the outputs in a directory: those of another run are not taken for this one's.
//!
//! A run creates it before its first output, and fails where outputs without a record are. So all outputs have the options that it names.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use slider_attacks_arrow::OnError;
use slider_attacks_files::Input;
use slider_attacks_files::file::InputFile;
use slider_attacks_files::input::{cannot, display_path};
use slider_attacks_rows::format::TableFormat;

use super::directory::first_output;
use crate::settings::{Difference, Settings, text};
use crate::target::{create_once, replace};

/// The option whose default, which ends the run, gives the same rows as others.
const ON_ERROR: &str = "on-error";

/// The options of the outputs of a format in a directory.
pub struct OptionRecord<'a> {
    path: PathBuf,
    directory: PathBuf,
    format: TableFormat,
    /// The options of this run.
    settings: &'a Settings,
    options: Map<String, Value>,
}

impl<'a> OptionRecord<'a> {
    /// The record of this format. Each has its own, because their outputs have different names.
    pub fn new(directory: &Path, format: TableFormat, settings: &'a Settings) -> OptionRecord<'a> {
        let name = TableFormat::ALL.iter().find(|(other, ..)| *other == format).map_or("", |(_, name, ..)| *name);
        let path = directory.join(format!(".slider-attacks.{name}.json"));
        OptionRecord { path, directory: directory.to_owned(), format, settings, options: settings.of_rows() }
    }

    /// Checks that the outputs in the directory, if there are any, have the options of this run.
    ///
    /// # Errors
    ///
    /// An option differs, which the message names, or the record cannot be read.
    pub fn check(&self) -> Result<()> {
        let Some(recorded) = self.read()? else { return Ok(()) };
        let Some(Difference { name, before, now }) = self.difference(recorded) else { return Ok(()) };
        let was = before.map_or("not set".to_owned(), |value| text(&value));
        let is = now.map_or("not set".to_owned(), |value| text(&value));
        bail!(
            "--{name} was {was} for the outputs in {}, and is {is} now: use another directory, or remove these outputs and \
             their record {}",
            display_path(&self.directory),
            display_path(&self.path)
        );
    }

    /// Checks that there is a record if there are outputs in the directory, before this run writes any. `done` is one that has been
    /// found already. The inputs of the run are none.
    ///
    /// Runs that share the directory may begin at the same time. Each creates the record before its first output, and outputs are
    /// looked for first, so the record of those that are found is there. And where none are found and this run then creates the
    /// record, no other run has written any in between.
    ///
    /// # Errors
    ///
    /// There are outputs and no record, or the directory cannot be read.
    pub fn check_presence(&self, inputs: &[Input], done: Option<&Path>) -> Result<()> {
        if self.read()?.is_some() {
            return Ok(());
        }
        let found = match done {
            Some(path) => Some(path.to_owned()),
            None => first_output(&self.directory, self.format, inputs)?,
        };
        let Some(found) = found else { return Ok(()) };
        ensure!(
            self.read()?.is_some(),
            "outputs are in {} already, such as {}, but no record of their options, {}: remove them or use another directory",
            display_path(&self.directory),
            display_path(&found),
            display_path(&self.path)
        );
        Ok(())
    }

    /// An output of this run is about to appear: writes the record, unless it is there.
    ///
    /// # Errors
    ///
    /// It cannot be written; or another run has just written one with other options.
    pub fn keep(&self) -> Result<()> {
        let content = json!({ "version": env!("CARGO_PKG_VERSION"), "options": self.options });
        let bytes = format!("{content:#}\n").into_bytes();
        if create_once(&self.path, &bytes)? {
            return Ok(());
        }
        self.check()?;
        match self.read()? {
            Some(recorded) if recorded.get(ON_ERROR) != self.options.get(ON_ERROR) => replace(&self.path, &bytes),
            _ => Ok(()),
        }
    }

    /// The recorded options.
    fn read(&self) -> Result<Option<Map<String, Value>>> {
        let mut bytes = Vec::new();
        let read = InputFile::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes));
        match read {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            read => read.with_context(|| cannot("read", &self.path))?,
        };
        let mut record: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let Some(Value::Object(options)) = record.get_mut("options").map(Value::take) else {
            bail!("{}: it is no record of options", cannot("read", &self.path));
        };
        Ok(Some(options))
    }

    /// The first option that differs. Outputs that are complete although malformed lines end the run have none, so they are those of a
    /// run that skips such lines or makes them null.
    fn difference(&self, mut recorded: Map<String, Value>) -> Option<Difference> {
        let is = |options: &Map<String, Value>, on_error: OnError| options[ON_ERROR] == on_error.name();
        let had_none = recorded.contains_key(ON_ERROR) && is(&recorded, OnError::Fail);
        if had_none && (is(&self.options, OnError::Skip) || is(&self.options, OnError::Null)) {
            recorded.insert(ON_ERROR.to_owned(), self.options[ON_ERROR].clone());
        }
        self.settings.difference(&recorded)
    }
}
