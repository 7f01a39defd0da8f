//! The native part of the Python package `slider_attacks`, whose documentation is for readers of Python.
//!
//! | module | what |
//! |---|---|
//! | `numbers` | Python integers as squares and boards, and the words of errors |
//! | `arrays` | NumPy arrays, buffers and sequences: checked, broadcast, borrowed |
//! | `capsule` | Arrow arrays in and out without a copy |
//! | `columns` | Arrow arrays as results |
//! | `batch` | columns with names as results |
//! | `values` | values of Arrow arrays as Python objects and short text |
//! | `bits` | bitboards as zeros and ones |
//! | `index` | rows in square brackets |
//! | `items` | loops over rows |
//! | `pickle`, `restore` | objects as bytes, and objects of such bytes |
//! | `pandas` | the index of rows from pandas |
//! | `operands` | arguments of batch calls as Arrow columns |
//! | `work` | how long calls run: without the interpreter, in parts, on several threads |
//! | `pairs` | attack sets of arrays, and of one pair |
//! | `options` | the options that change products, as keywords of calls |
//! | `errors` | what is wrong with rows, as Python has it |
//! | `schema` | the names and types of columns |
//! | `plan` | what to compute: products, and how |
//! | `rows` | positions as callers have them |
//! | `analyze` | products of positions |
//! | `conditions`, `chosen` | conditions on positions, and products of the rows for which they hold |
//! | `positions` | positions that are read once |
//! | `streams` | file objects of Python as streams of bytes |
//! | `files` | the rows of files, in batches |
//! | `features` | inputs of networks |
//! | `loader` | training data: shuffled batches of positions and labels |
//! | `write` | positions and labels in memory, as files |
//! | `games` | the positions of games in a column |
//! | `summary`, `summarize` | sums of products by square, and the function that makes them |
//! | `command` | the command `slider-attacks` |
//! | `board` | boards as text and pictures |
//! | `bench` | loops in Rust for comparisons, with the feature `bench` only |

mod analyze;
#[expect(unsafe_code, reason = "slices of the memory of NumPy arrays, and new arrays")]
mod arrays;
mod batch;
#[cfg(feature = "bench")]
mod bench;
mod bits;
mod board;
#[expect(unsafe_code, reason = "the structures of C in which Arrow arrays come and go")]
mod capsule;
mod chosen;
#[expect(unsafe_code, reason = "NumPy arrays over the memory of results, and the other way round")]
mod columns;
mod command;
mod conditions;
mod errors;
#[expect(unsafe_code, reason = "NumPy arrays over the memory of rows")]
mod features;
mod files;
mod games;
mod index;
mod items;
#[expect(unsafe_code, reason = "NumPy arrays over the memory of planes")]
mod loader;
mod numbers;
mod operands;
mod options;
mod pairs;
mod pandas;
mod pickle;
mod plan;
#[expect(unsafe_code, reason = "NumPy arrays over the memory of positions")]
mod positions;
mod restore;
mod rows;
mod schema;
mod streams;
mod summarize;
mod summary;
mod values;
mod work;
mod write;

use pyo3::prelude::*;
use slider_attacks_duckdb as _; // its entry is one of the library, and `slider_attacks.duckdb` hands the library to DuckDB

/// Compiled functions of slider_attacks. An interpreter without the lock takes it up again when it imports them: no test runs
/// without the lock, and memory that Python can change is read in the belief that only calls without it run at the same time.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::analyze::analyze;
    #[pymodule_export]
    use super::batch::Batch;
    #[cfg(feature = "bench")]
    #[pymodule_export]
    use super::bench::{time_analyze, time_batch_attacks};
    #[pymodule_export]
    use super::bits::bits;
    #[pymodule_export]
    use super::board::{Drawing, show};
    #[pymodule_export]
    use super::columns::Array;
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::features::{FeatureRows, Features, PieceLayout, ThreatLayout, features};
    #[pymodule_export]
    use super::files::{Reader, read};
    #[pymodule_export]
    use super::games::game_positions;
    #[pymodule_export]
    use super::loader::Loader;
    #[pymodule_export]
    use super::pairs::{backends, batch_attack_sets, batch_attacks, bishop_attacks, cpu, queen_attacks, rook_attacks};
    #[pymodule_export]
    use super::plan::{products, schema};
    #[pymodule_export]
    use super::positions::Positions;
    #[pymodule_export]
    use super::restore::_restore;
    #[pymodule_export]
    use super::schema::Schema;
    #[pymodule_export]
    use super::summarize::summarize;
    #[pymodule_export]
    use super::summary::Summary;
    #[pymodule_export]
    use super::write::write;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Damaged files are exceptions, and print nothing.
        slider_attacks_files::parquet::install_panic_filter();
        super::arrays::connect(module.py())
    }

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "what Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
