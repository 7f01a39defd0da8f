//! `slider-attacks analyze`: reads whole files of positions and writes a row of products for each position.
//!
//! One thread reads blocks of a few hundred positions. A pool of threads parses, computes and encodes them. This thread
//! writes the results in order. Only a few blocks exist at a time, so memory does not grow with the input. Parquet needs
//! far larger groups of rows. They are gathered here, and the pool encodes each group.
//!
//! A run is prepared, its threads are spawned, and their results are drained:
//!
//! | file | what it does |
//! |---|---|
//! | `plan` | prepares and spawns: what is read and computed, with which threads and how much memory |
//! | `format`, `directory` | the format of the rows, and the outputs in a directory that are there already |
//! | [`job`], [`bound`] | the work on one block, and the most memory that it can take |
//! | `drain`, `outputs`, `summary` | results in order, where they go, and sums instead of rows |

pub mod bound;
mod directory;
mod drain;
mod format;
pub mod job;
mod outputs;
mod plan;
mod summary;

use anyhow::Result;
use slider_attacks::Backend;

use crate::args::AnalyzeArgs;
use drain::Drain;
use plan::Run;

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; or an output cannot be
/// written. Rows before that have been written, if they go to standard output.
pub fn run(args: &AnalyzeArgs, backend: Backend) -> Result<()> {
    let Some(run) = Run::prepare(args, backend)? else { return Ok(()) };
    return_large_blocks(run.pool.threads());
    // What cannot be written is found before anything is read.
    let drain = Drain::new(&run)?;
    drain.drain()
}

/// Makes the allocator return large blocks of memory as soon as they are free. Otherwise each thread would keep some. What
/// a few threads keep is not much: if it were returned as well, the system would clear it for the next block of the input.
#[cfg_attr(
    not(all(target_os = "linux", target_env = "gnu")),
    expect(unused_variables, reason = "other allocators decide by themselves")
)]
fn return_large_blocks(threads: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function accepts both parameters, and they affect only when memory is returned.
    unsafe {
        let kept = (16 << 20) / threads.clamp(4, 16);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept as i32);
    }
}
