//! The interface to DuckDB: its functions, and the results of callbacks.
#![allow(unsafe_code, reason = "calls of DuckDB")]

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail};

use crate::bindings::{Api, Newer};
use crate::callbacks::{AnyFunction, Handle};

/// The argument of DuckDB on loading the extension.
#[repr(C)]
pub struct Access {
    set_error: Option<unsafe extern "C" fn(Handle, *const c_char)>,
    get_database: Option<unsafe extern "C" fn(Handle) -> *mut Handle>,
    get_api: Option<unsafe extern "C" fn(Handle, *const c_char) -> *const c_void>,
}

/// The oldest version of the API with all functions that are used. The footer of the file names the same.
const VERSION: &CStr = c"v1.2.0";

/// The API that DuckDB provided on loading.
struct LoadedExtension {
    /// Where its functions are.
    places: [usize; Api::USED],
    api: Api,
    newer: Option<Newer>,
    version: Version,
}

static LOADED: OnceLock<LoadedExtension> = OnceLock::new();

fn loaded() -> &'static LoadedExtension {
    LOADED.get().expect("the extension was loaded")
}

/// The functions of DuckDB.
///
/// # Panics
///
/// Before the extension was loaded.
pub fn api() -> &'static Api {
    &loaded().api
}

/// Functions that only newer versions of DuckDB have.
///
/// # Panics
///
/// Before the extension was loaded.
pub fn newer() -> Option<&'static Newer> {
    loaded().newer.as_ref()
}

/// Whether an estimated number of rows is to be called exact. Before version 2.0, DuckDB takes an estimate for the most rows that
/// there can be, and an exact number for an estimate: duckdb/duckdb#22077.
///
/// # Panics
///
/// Before the extension was loaded.
pub fn estimates_are_exact() -> bool {
    loaded().version < Version([2, 0, 0], true)
}

/// A version of DuckDB, and whether it is released: `v1.5.6-dev7` comes before `v1.5.6`. One that cannot be read is the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version([u32; 3], bool);

impl Version {
    fn new(text: &str) -> Version {
        let (numbers, is_released) = text.split_once('-').map_or((text, true), |(numbers, _)| (numbers, false));
        let numbers: Option<Vec<u32>> =
            numbers.trim_start_matches('v').split('.').map(|number| number.parse().ok()).collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .map_or(Version([0; 3], false), |numbers| Version(numbers, is_released))
    }
}

/// Loads the extension into a database. `register` is given a connection and the database, and adds the functions.
///
/// # Safety
///
/// DuckDB calls this, with what it hands to the entry of an extension.
pub unsafe fn load(info: Handle, access: *const Access, register: impl FnOnce(Handle, Handle) -> Result<()>) -> bool {
    let mut is_loaded = false;
    let report = |message: &CStr| {
        // SAFETY: DuckDB hands over its functions, and `info` is meant for them.
        unsafe { (*access).set_error.map(|set_error| set_error(info, message.as_ptr())) };
    };
    guard(report, || {
        // SAFETY: as above.
        let (table, database) = unsafe {
            let get_api = (*access).get_api.ok_or_else(|| anyhow!("DuckDB has no functions for extensions"))?;
            let table = get_api(info, VERSION.as_ptr());
            if table.is_null() {
                return Ok(()); // DuckDB knows the reason
            }
            let get_database =
                (*access).get_database.ok_or_else(|| anyhow!("DuckDB has no database for extensions"))?;
            (table, get_database(info))
        };
        if database.is_null() {
            return Ok(());
        }
        // SAFETY: the table is that of this version.
        let entries = unsafe { &*table.cast::<[AnyFunction; Api::USED]>() };
        let places = entries.map(|entry| entry as usize);
        if entries.iter().any(|entry| entry.is_null()) {
            bail!("this DuckDB lacks functions of version 1.2.0 of its interface for extensions");
        }
        // SAFETY: as above; and if DuckDB is of a newer version, the table is that of the newer one.
        let loaded = LOADED.get_or_init(|| unsafe {
            let api = Api::new(entries);
            let version = Version::new(&CStr::from_ptr((api.duckdb_library_version)()).to_string_lossy());
            let has_newer = version >= Version([1, 5, 6], true);
            let newer = has_newer.then(|| Newer::new(&*table.cast::<[AnyFunction; Newer::USED]>()));
            LoadedExtension { places, api, newer, version }
        });
        if loaded.places != places {
            bail!("another DuckDB has loaded this file into this process: load a copy of it");
        }
        let mut connection = ptr::null_mut();
        // SAFETY: the database is there, and its connection is closed once.
        unsafe {
            if (api().duckdb_connect)(*database, &mut connection) != 0 {
                bail!("cannot connect to the database");
            }
            let registered = register(connection, *database);
            (api().duckdb_disconnect)(&mut connection);
            registered?;
        }
        is_loaded = true;
        Ok(())
    });
    is_loaded
}

/// Runs the body of a callback. Its errors and panics become errors of the query.
pub fn guard(report: impl FnOnce(&CStr), body: impl FnOnce() -> Result<()>) {
    let message = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => format!("{error:#}"),
        Err(panic) => format!("slider_attacks panicked: {}", said(&*panic)),
    };
    report(&text(&message));
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason")
}

/// A text for C, which ends at zero bytes.
pub fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).expect("there are no zero bytes")
}

/// Whether a call has succeeded.
///
/// # Errors
///
/// It has not.
pub fn succeeded(state: u32, what: &str) -> Result<()> {
    if state == 0 { Ok(()) } else { Err(anyhow!("DuckDB cannot {what}")) }
}

/// Hands a value over to DuckDB, which frees it by [`delete`].
pub fn boxed<T>(value: T) -> Handle {
    Box::into_raw(Box::new(value)).cast()
}

/// Frees a value that was [`boxed`].
///
/// # Safety
///
/// The value is of this type, and DuckDB calls this once.
pub unsafe extern "C" fn delete<T>(value: Handle) {
    // SAFETY: as above.
    let value = unsafe { Box::from_raw(value.cast::<T>()) };
    guard(
        |_| {},
        || {
            drop(value);
            Ok(())
        },
    );
}
