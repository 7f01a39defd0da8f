//! The border to DuckDB: its functions, and what its callbacks return.
#![allow(unsafe_code, reason = "calls of DuckDB")]

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail};

use crate::bindings::{Api, USED};

/// Something of DuckDB's, or null.
pub type Handle = *mut c_void;
/// A function of DuckDB of any type, or null.
pub type Entry = *const c_void;

/// Frees what a function was given.
pub type Delete = unsafe extern "C" fn(Handle);
/// Binds or begins a table function.
pub type Callback = unsafe extern "C" fn(Handle);
/// Computes a chunk: information, input, output.
pub type ScalarBody = unsafe extern "C" fn(Handle, Handle, Handle);
/// Fills a chunk: information, output.
pub type TableBody = unsafe extern "C" fn(Handle, Handle);
/// How many bytes a state of an aggregate has.
pub type StateSize = unsafe extern "C" fn(Handle) -> u64;
/// Begins a state.
pub type StateInit = unsafe extern "C" fn(Handle, Handle);
/// Adds a chunk, of which each row has a state.
pub type StateUpdate = unsafe extern "C" fn(Handle, Handle, *mut Handle);
/// Adds states to others: information, from, to, how many.
pub type StateCombine = unsafe extern "C" fn(Handle, *mut Handle, *mut Handle, u64);
/// Writes results: information, states, output, how many, from which row on.
pub type StateFinalize = unsafe extern "C" fn(Handle, *mut Handle, Handle, u64, u64);

/// What DuckDB hands over when it loads the extension.
#[repr(C)]
pub struct Access {
    set_error: Option<unsafe extern "C" fn(Handle, *const c_char)>,
    get_database: Option<unsafe extern "C" fn(Handle) -> *mut Handle>,
    get_api: Option<unsafe extern "C" fn(Handle, *const c_char) -> *const c_void>,
}

/// The oldest version of the API with all functions that are used. The footer of the file names the same.
const VERSION: &CStr = c"v1.2.0";

/// Where the functions came from, and the functions.
static API: OnceLock<([usize; USED], Api)> = OnceLock::new();

/// The functions of DuckDB.
///
/// # Panics
///
/// Before the extension was loaded.
pub fn api() -> &'static Api {
    &API.get().expect("the extension was loaded").1
}

/// Loads the extension into a database. `register` is given a connection, and adds the functions.
///
/// # Safety
///
/// DuckDB calls this, with what it hands to the entry of an extension.
pub unsafe fn load(info: Handle, access: *const Access, register: impl FnOnce(Handle) -> Result<()>) -> bool {
    let mut is_loaded = false;
    let report = |message: &CStr| {
        // SAFETY: DuckDB hands over its functions, and `info` is meant for them.
        unsafe { (*access).set_error.map(|set_error| set_error(info, message.as_ptr())) };
    };
    guard(report, || {
        // SAFETY: as above.
        let (table, database) = unsafe {
            let get_api = (*access).get_api.ok_or_else(|| anyhow!("DuckDB has no functions for extensions"))?;
            let table = get_api(info, VERSION.as_ptr()).cast::<[Entry; USED]>();
            if table.is_null() {
                return Ok(()); // DuckDB knows the reason
            }
            let get_database =
                (*access).get_database.ok_or_else(|| anyhow!("DuckDB has no database for extensions"))?;
            (&*table, get_database(info))
        };
        if database.is_null() {
            return Ok(());
        }
        let places = table.map(|entry| entry as usize);
        if table.iter().any(|entry| entry.is_null()) {
            bail!("this DuckDB lacks functions of version 1.2.0 of its interface for extensions");
        }
        // SAFETY: the table is that of this version.
        let (loaded, _) = API.get_or_init(|| (places, unsafe { Api::new(table) }));
        if *loaded != places {
            bail!("another DuckDB has loaded this file into this process: load a copy of it");
        }
        let mut connection = ptr::null_mut();
        // SAFETY: the database is there, and its connection is closed once.
        unsafe {
            if (api().duckdb_connect)(*database, &mut connection) != 0 {
                bail!("cannot connect to the database");
            }
            let registered = register(connection);
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
        Err(panic) => format!("slider_attacks has panicked: {}", said(&*panic)),
    };
    report(&text(&message));
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known")
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
