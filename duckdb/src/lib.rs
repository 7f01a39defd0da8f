#![doc = include_str!("../README.md")]
//!
//! # The path of a chunk
//!
//! `LOAD` calls the entry point below. `api` loads DuckDB's functions, which `bindings` declares, and `register` turns
//! functions in safe Rust into callbacks, so that errors and panics become errors of the query. `vectors` accesses the columns
//! of a chunk of 2,048 rows. `positions` reads 256 rows at a time, and computes into DuckDB's memory; `pairs`, `games`,
//! `conditions` and `squares` have other functions. `read` has `read_positions`, `read_games` puts its rows together, and
//! `replacement` lets names of files stand for these calls. The first file determines the columns and the number of rows. Each
//! thread of a query takes blocks of the files, parses and computes them (`SharedRows` of `slider-attacks-rows`), and `arrays`
//! copies the results into vectors. `file_system` opens URLs.

mod api;
mod arrays;
#[allow(
    unsafe_code,
    clippy::missing_transmute_annotations,
    reason = "generated: functions of C, each of the type of its field"
)]
mod bindings;
mod callbacks;
mod conditions;
mod descriptions;
mod file_system;
mod games;
mod guess;
mod hive;
mod options;
mod pairs;
mod positions;
mod read;
mod read_games;
mod register;
mod replacement;
mod squares;
mod types;
mod vectors;

use slider_attacks_files::parquet::install_panic_filter;

use crate::api::Access;
use crate::callbacks::Handle;
use crate::options::{SetOptions, SharedOptions};
use crate::register::Connection;

/// Adds all functions.
fn register_all(to: Connection) -> anyhow::Result<()> {
    // Damaged files are errors of queries, and print nothing.
    install_panic_filter();
    let options = SharedOptions::default();
    pairs::register(to, &options)?;
    positions::register(to, &options)?;
    conditions::register(to, &options)?;
    games::register(to, &options)?;
    squares::register(to, &options)?;
    read::register(to, &options)?;
    read_games::register(to, &options)?;
    descriptions::register(to)?;
    // The types of functions are fixed.
    let parameters: Vec<_> = options::parameters().into_iter().filter(|(name, _)| *name != "notation").collect();
    register::table(to, options::NAME, None, &parameters, SetOptions(options))
}

/// The entry point that DuckDB calls when it loads the file `slider_attacks.duckdb_extension`. The name begins with that of the
/// file.
///
/// # Safety
///
/// DuckDB alone calls this.
#[allow(unsafe_code, reason = "the entry of the extension")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn slider_attacks_init_c_api(info: Handle, access: *const Access) -> bool {
    // SAFETY: DuckDB calls this, and the connection is open meanwhile.
    unsafe {
        api::load(info, access, |connection, database| {
            register_all(Connection::new(connection))?;
            replacement::add(database);
            Ok(())
        })
    }
}
