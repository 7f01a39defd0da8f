//! Where the results go: one output for the run, or one for each input.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use slider_attacks_files::block::{Origin, SeenColumns};
use slider_attacks_files::ordered::Pool;
use slider_attacks_rows::job::{BlockResult, Encoded, Job};
use slider_attacks_rows::write::cell::Cell;
use slider_attacks_rows::write::npy::Arrays;
#[cfg(feature = "parquet")]
use slider_attacks_rows::write::parquet::Parquet;
use slider_attacks_rows::write::{ColumnWriter, WriteTarget, csv};

use crate::args::{AnalyzeArgs, TableFormat};
use crate::target::Target;

/// How results are written.
pub enum Sink {
    /// CSV or JSON lines.
    Text {
        /// Where to.
        target: Target,
        /// Whether a CSV header must still be written.
        header: bool,
    },
    /// Column by column.
    Columns(Box<dyn ColumnWriter>),
}

impl Sink {
    /// Opens the file or directory at `path`, or standard output.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "the pool encodes only Parquet"))]
    pub fn open(args: &AnalyzeArgs, path: Option<&Path>, format: TableFormat, pool: Arc<Pool>) -> Result<Sink> {
        let target = || Target::open(path, format != TableFormat::Parquet);
        Ok(match (format, path) {
            #[cfg(feature = "parquet")]
            (TableFormat::Parquet, _) => {
                Sink::Columns(Box::new(Parquet::new(target()?, args.integers, args.settings(), pool)))
            }
            (TableFormat::Npy, Some(directory)) => {
                Sink::Columns(Box::new(Arrays::<Target>::new(directory, args.integers)))
            }
            _ => Sink::Text { target: target()?, header: format == TableFormat::Csv && !args.no_header },
        })
    }

    fn write(&mut self, job: &Job, origin: &Origin, encoded: Encoded) -> Result<()> {
        match (self, encoded) {
            (Sink::Text { target, header }, Encoded::Text(text)) => {
                let mut first = Vec::new();
                if std::mem::take(header) {
                    csv::row(job.header(origin.columns()).iter().map(|name| Cell::from(name.as_str())), &mut first);
                }
                target.put(&first)?;
                target.put(&text)?;
                // Rows must not wait for input that has not arrived yet.
                target.flush().with_context(|| target.cannot_write())?;
            }
            (Sink::Columns(writer), Encoded::Columns(columns, rows)) => writer.write(columns, rows)?,
            _ => unreachable!("sinks and formats are chosen together"),
        }
        Ok(())
    }

    /// Writes the rest, and returns how long other threads spent encoding it.
    fn finish(self) -> Result<Duration> {
        match self {
            Sink::Text { target, .. } => Target::finish_all(vec![target])?,
            Sink::Columns(writer) => return writer.finish(),
        }
        Ok(Duration::ZERO)
    }
}

/// An output that is being written: of the run or, in a directory, of one input.
pub struct Output {
    sink: Sink,
    /// The name of its input or inputs in messages.
    name: String,
    seen: SeenColumns,
}

impl Output {
    /// Nothing has been written yet. `name` is that of its input or inputs in messages.
    pub fn new(sink: Sink, name: String) -> Output {
        Output { sink, name, seen: SeenColumns::default() }
    }

    /// Whether rows of text appear on a terminal.
    pub fn is_watched(&self) -> bool {
        matches!(&self.sink, Sink::Text { target, .. } if target.is_terminal())
    }

    /// Writes the results of a block.
    ///
    /// # Errors
    ///
    /// They cannot be written, or have other columns than those before.
    pub fn write(&mut self, job: &Job, result: BlockResult) -> Result<()> {
        let BlockResult { origin, found, positions, nulls, encoded, .. } = result;
        if let Some(first) = &self.seen.first
            && !Arc::ptr_eq(first, &origin)
            && first.columns() != origin.columns()
        {
            bail!("{} has different columns to keep from the files before it", origin.shown());
        }
        // Of a record that cannot be read, no column may be known.
        self.seen.add(&origin, found, positions - nulls);
        self.sink.write(job, &origin, encoded)
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
        self.sink.finish()
    }
}
