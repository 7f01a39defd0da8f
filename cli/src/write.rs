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
pub mod rows;
pub mod table;
pub mod target;

use std::time::Duration;

use anyhow::Result;
use slider_attacks_files::columns::OutputColumn;

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
