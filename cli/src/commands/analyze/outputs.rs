//! The outputs of a run: one for the whole run, or one for each input.

use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use slider_attacks_files::block::{Origin, SeenColumns};
use slider_attacks_rows::format::{RowFormat, TableFormat};
use slider_attacks_rows::job::{BlockResult, Job};
use slider_attacks_rows::write::npy::Arrays;
use slider_attacks_rows::write::{Encoded, Output, csv};

use super::plan::AnalyzeRun;
use crate::target::{Target, is_watched};

/// An output of the run or, in a directory, of one input.
pub struct TableOutput {
    output: Output<Target>,
    /// Whether a CSV header must still be written.
    header: bool,
    /// The name of its input or inputs in messages.
    name: String,
    seen: SeenColumns,
}

impl TableOutput {
    /// Opens the file or directory at `path`, or standard output. `name` is that of its input or inputs in messages.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    pub fn open(run: &AnalyzeRun<'_>, path: Option<&Path>, name: String) -> Result<TableOutput> {
        let AnalyzeRun { args, format, pipeline, .. } = run;
        let target = || Target::open(path, *format != TableFormat::Parquet);
        let output = match (format, path) {
            (TableFormat::Parquet, _) => {
                Output::parquet(target()?, args.integers, args.settings(), pipeline.pool.clone())?
            }
            (TableFormat::Npy, Some(directory)) => {
                Output::Columns(Box::new(Arrays::<Target>::new(directory, args.integers)))
            }
            _ => Output::Bytes(target()?),
        };
        let header = *format == TableFormat::Csv && !args.no_header;
        Ok(TableOutput { output, header, name, seen: SeenColumns::default() })
    }

    /// Whether rows of text appear on a terminal.
    pub fn is_watched(&self) -> bool {
        is_watched(&self.output)
    }

    /// Checks that an input has the columns of those before.
    ///
    /// # Errors
    ///
    /// It has others.
    pub fn check_columns(&self, origin: &Arc<Origin>) -> Result<()> {
        if let Some(first) = &self.seen.first
            && !Arc::ptr_eq(first, origin)
            && first.columns() != origin.columns()
        {
            bail!("{}: kept columns differ from those of earlier files", origin.display_name());
        }
        Ok(())
    }

    /// Writes the results of a block, which has these [columns](TableOutput::check_columns).
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub fn write(&mut self, job: &Job, result: BlockResult) -> Result<()> {
        let BlockResult { origin, found, positions, nulls, encoded, .. } = result;
        // Of a record that cannot be read, no column may be known.
        self.seen.add(&origin, found, positions - nulls);
        if mem::take(&mut self.header)
            && let RowFormat::Text(format) = job.format
        {
            let names = job.header(origin.columns());
            let header = csv::header(format, names.iter().map(String::as_str));
            self.output.write(Encoded::Bytes(header))?;
        }
        self.output.write(encoded)
    }

    /// Checks that there was a value in each of the columns to keep.
    ///
    /// # Errors
    ///
    /// A column to keep was in no record.
    pub fn check(&self) -> Result<()> {
        self.seen.check(&self.name)
    }

    /// The columns that were in its inputs.
    pub fn seen(&self) -> &SeenColumns {
        &self.seen
    }

    /// Writes the rest, and returns how long other threads spent encoding it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn finish(self) -> Result<Duration> {
        self.output.finish()
    }
}
