//! Writers, one per output format, and the values that they write.

#[cfg(feature = "parquet")]
pub mod arrow;
pub mod cell;
pub mod csv;
pub mod jsonl;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod sliders;
pub mod table;
pub mod text_rows;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(not(feature = "parquet"))]
use anyhow::bail;
use anyhow::{Context, Result};
use slider_attacks_arrow::Integers;
use slider_attacks_files::ordered::Pool;
#[cfg(not(feature = "parquet"))]
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_formats::columns::OutputColumn;

use crate::format::RowFormat;

/// Writes columns as columns.
pub trait ColumnWriter: Send {
    /// Writes rows. The columns are the same in every call.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    fn write(&mut self, columns: Vec<OutputColumn>, rows: usize) -> Result<()>;
    /// Completes the output, and returns how long other threads spent encoding it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn finish(self: Box<Self>) -> Result<Duration>;
}

/// A file or whatever else an output goes to. What it is, is up to the program.
pub trait WriteTarget: Write + Send + Sized {
    /// A target that becomes the file at `path`.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    fn create(path: &Path) -> Result<Self>;

    /// The message for a failed write.
    fn cannot_write(&self) -> String;

    /// The file, if a writer can seek in the target.
    fn file_mut(&mut self) -> Option<&mut File>;

    /// Everything has been written: completes all targets or, if one cannot be completed, none of them.
    ///
    /// # Errors
    ///
    /// One cannot be completed.
    fn finish_all(targets: Vec<Self>) -> Result<()>;

    /// Writes all bytes.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).with_context(|| self.cannot_write())
    }
}

/// Results in the form in which they are written.
#[derive(Debug)]
pub enum Encoded {
    /// Lines of text, or records.
    Bytes(Vec<u8>),
    /// Columns, and their number of rows.
    Columns(Vec<OutputColumn>, usize),
}

/// Receives encoded rows to write.
pub type EncodedSink<'a> = &'a mut dyn FnMut(Encoded) -> Result<()>;

impl Encoded {
    /// Columns of this many rows in this format.
    pub fn new(format: RowFormat, columns: Vec<OutputColumn>, rows: usize) -> Encoded {
        match format {
            RowFormat::Text(format) => Encoded::Bytes(text_rows::rows(format, &columns, rows)),
            RowFormat::Arrow | RowFormat::Npy => Encoded::Columns(columns, rows),
        }
    }
}

/// An output that is being written.
pub enum Output<T> {
    /// The encoded bytes.
    Bytes(T),
    /// Column by column.
    Columns(Box<dyn ColumnWriter>),
}

impl<T: WriteTarget + 'static> Output<T> {
    /// A Parquet file. `settings` are the names of options and their values, which the file tells its readers. The threads of the
    /// pool encode.
    ///
    /// # Errors
    ///
    /// The program was built without Parquet.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "only Parquet is encoded by a pool"))]
    pub fn parquet(
        target: T,
        integers: Integers,
        settings: Vec<(&'static str, String)>,
        pool: Arc<Pool>,
    ) -> Result<Output<T>> {
        #[cfg(feature = "parquet")]
        return Ok(Output::Columns(Box::new(parquet::Parquet::new(target, integers, settings, pool))));
        #[cfg(not(feature = "parquet"))]
        bail!(WITHOUT_PARQUET);
    }

    /// Writes results. They do not wait for input that has not arrived yet.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    ///
    /// # Panics
    ///
    /// If they have another form than the output.
    pub fn write(&mut self, encoded: Encoded) -> Result<()> {
        match (self, encoded) {
            (Output::Bytes(target), Encoded::Bytes(bytes)) => {
                target.put(&bytes)?;
                target.flush().with_context(|| target.cannot_write())
            }
            (Output::Columns(writer), Encoded::Columns(columns, rows)) => writer.write(columns, rows),
            _ => unreachable!("outputs and formats are chosen together"),
        }
    }

    /// Completes the output, and returns how long other threads spent encoding it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn finish(self) -> Result<Duration> {
        match self {
            Output::Bytes(target) => T::finish_all(vec![target]).map(|()| Duration::ZERO),
            Output::Columns(writer) => writer.finish(),
        }
    }
}
