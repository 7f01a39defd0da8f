//! `from 'games.pgn'`: the name of a file in place of a table stands for a call of `read_games` or `read_positions`.
#![allow(unsafe_code, reason = "a callback of DuckDB")]

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::ptr;

use slider_attacks_files::input::extension;
use slider_attacks_files::sources::extensions;

use crate::api::{api, guard, text};
use crate::callbacks::Handle;

/// Extensions that DuckDB reads itself.
const OF_DUCKDB: [&str; 5] = ["csv", "tsv", "jsonl", "ndjson", "parquet"];

/// The function that reads a file of this name, if it is one of games or positions.
fn function(name: &str) -> Option<&'static str> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let extension = extension(OsStr::new(file))?;
    if OF_DUCKDB.contains(&&*extension) || !extensions().any(|known| known == extension) {
        return None;
    }
    Some(if extension == "pgn" { crate::read_games::NAME } else { crate::read::NAME })
}

unsafe extern "C" fn replace(info: Handle, name: *const c_char, _: *mut c_void) {
    // SAFETY: DuckDB lends the name, and takes a call for it, whose argument it copies.
    unsafe {
        guard(
            |message| (api().duckdb_replacement_scan_set_error)(info, message.as_ptr()),
            || {
                let name = CStr::from_ptr(name).to_string_lossy();
                if let Some(function) = function(&name) {
                    (api().duckdb_replacement_scan_set_function_name)(info, text(function).as_ptr());
                    let mut value = (api().duckdb_create_varchar)(text(&name).as_ptr());
                    (api().duckdb_replacement_scan_add_parameter)(info, value);
                    (api().duckdb_destroy_value)(&mut value);
                }
                Ok(())
            },
        );
    }
}

/// Lets names of files stand for calls in a database.
pub fn add(database: Handle) {
    // SAFETY: DuckDB has handed the database over, and the function needs no data.
    unsafe { (api().duckdb_add_replacement_scan)(database, Some(replace), ptr::null_mut(), None) };
}
