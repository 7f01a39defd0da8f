//! Output: one writer per format, and the values that they write.

#[cfg(feature = "parquet")]
pub mod arrow;
pub mod cell;
pub mod cells;
pub mod csv;
pub mod jsonl;
pub mod npy;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod sliders;
pub mod table;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use slider_attacks_formats::columns::OutputColumn;

/// Writes columns as columns.
pub trait ColumnWriter {
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
