//! The record of the options of the outputs in a directory: those of another run are not taken for this one's.
//!
//! It appears before the first output, so each output that is complete has the options that it names. Those that are older are of
//! another run.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use slider_attacks_arrow::OnError;
use slider_attacks_files::file::{InputFile, PathKind};
use slider_attacks_files::input::{cannot, display_path};
use slider_attacks_rows::format::TableFormat;

use crate::settings::{Difference, Settings, text};
use crate::target::{create_once, replace};

/// The option whose default, which ends the run, gives the same rows as others.
const ON_ERROR: &str = "on-error";

/// When the record was made, in nanoseconds since 1970.
const CREATED: &str = "created";

/// How much the clocks of machines may differ that write to one directory.
const CLOCKS_DIFFER: Duration = Duration::from_secs(60);

/// The options of the outputs of a format in a directory.
pub struct OptionRecord<'a> {
    path: PathBuf,
    directory: PathBuf,
    /// The options of this run.
    settings: &'a Settings,
    options: Map<String, Value>,
}

impl<'a> OptionRecord<'a> {
    /// The record of this format. Each has its own, because their outputs have different names.
    pub fn new(directory: &Path, format: TableFormat, settings: &'a Settings) -> OptionRecord<'a> {
        let name = TableFormat::ALL.iter().find(|(other, ..)| *other == format).map_or("", |(_, name, ..)| *name);
        let path = directory.join(format!(".slider-attacks.{name}.json"));
        OptionRecord { path, directory: directory.to_owned(), settings, options: settings.of_rows() }
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

    /// Checks that these outputs, which are there, have a record, and were written after it.
    ///
    /// # Errors
    ///
    /// There is none, it cannot be read, or one of them was there before.
    pub fn check_presence<'p>(&self, outputs: impl Iterator<Item = &'p Path>) -> Result<()> {
        let is_there = match PathKind::of(&self.path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
            found => found.map(|_| true).with_context(|| cannot("read", &self.path))?,
        };
        ensure!(
            is_there,
            "outputs are in {} already, but no record of their options, {}: remove them or use another directory",
            display_path(&self.directory),
            display_path(&self.path)
        );
        let Some(created) = self.created() else { return Ok(()) };
        let older = |path: &Path| {
            fs::metadata(path).and_then(|file| file.modified()).is_ok_and(|time| time + CLOCKS_DIFFER < created)
        };
        if let Some(path) = { outputs }.find(|path| older(path)) {
            bail!(
                "{} is older than the record of options {}, so another run wrote it: remove it or use another directory",
                display_path(path),
                display_path(&self.path)
            );
        }
        Ok(())
    }

    /// When the record was made, by the clock of the system or by that of the files, whichever is earlier. The times of copies are
    /// later, and the clocks may differ.
    fn created(&self) -> Option<SystemTime> {
        let nanoseconds = self.content().ok()??.get(CREATED)?.as_u64()?;
        let modified = fs::metadata(&self.path).and_then(|file| file.modified()).ok()?;
        Some((UNIX_EPOCH + Duration::from_nanos(nanoseconds)).min(modified))
    }

    /// An output of this run is about to appear: writes the record, unless it is there.
    ///
    /// # Errors
    ///
    /// It cannot be written; or another run has just written one with other options.
    pub fn keep(&self) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let bytes = |created: &Value| {
            let content = json!({ "version": env!("CARGO_PKG_VERSION"), CREATED: created, "options": self.options });
            format!("{content:#}\n").into_bytes()
        };
        if create_once(&self.path, &bytes(&now.into()))? {
            return Ok(());
        }
        self.check()?;
        match self.read()? {
            Some(recorded) if recorded.get(ON_ERROR) != self.options.get(ON_ERROR) => {
                let created = self.content()?.and_then(|mut record| record.get_mut(CREATED).map(Value::take));
                replace(&self.path, &bytes(&created.unwrap_or_default()))
            }
            _ => Ok(()),
        }
    }

    /// What is recorded.
    fn content(&self) -> Result<Option<Value>> {
        let mut bytes = Vec::new();
        let read = InputFile::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes));
        match read {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            read => read.with_context(|| cannot("read", &self.path))?,
        };
        Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    /// The recorded options.
    fn read(&self) -> Result<Option<Map<String, Value>>> {
        let Some(mut record) = self.content()? else { return Ok(None) };
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
