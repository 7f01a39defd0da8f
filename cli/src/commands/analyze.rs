//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks. A thread pool parses, computes and encodes them. The calling thread writes the results in order.
//! Row groups of Parquet are far larger than blocks: they are gathered here, and the pool encodes each group.
//!
//! A run is prepared, and its results are drained:
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | prepares: what is read and computed |
//! | `format`, `directory` | the format of the rows, and the outputs in a directory that are there already |
//! | `drain`, `outputs` | results in order, and where they go |

mod directory;
mod drain;
mod format;
mod outputs;
mod plan;

use anyhow::Result;
use slider_attacks::Backend;

use crate::args::AnalyzeArgs;
use drain::ResultWriter;
use plan::AnalyzeRun;

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or an output cannot be
/// written. Rows before that have been written, if they go to standard output.
pub fn run(args: &AnalyzeArgs, backend: Backend) -> Result<()> {
    let Some(run) = AnalyzeRun::prepare(args, backend)? else { return Ok(()) };
    // What cannot be written is found before anything is read.
    let drain = ResultWriter::new(&run)?;
    drain.drain()
}
