//! The types that DuckDB and the extension exchange: handles, and callbacks.

use std::ffi::{c_char, c_void};

/// Something of DuckDB's, or null.
pub type Handle = *mut c_void;
/// A function of DuckDB of any type, or null.
pub type AnyFunction = *const c_void;

/// Frees what a function was given.
pub type Delete = unsafe extern "C" fn(Handle);
/// Binds or begins a table function.
pub type Callback = unsafe extern "C" fn(Handle);
/// Replaces the name of a table: information, name, data.
pub type ReplacementScan = unsafe extern "C" fn(Handle, *const c_char, *mut c_void);
/// Computes a chunk: information, input, output.
pub type ScalarBody = unsafe extern "C" fn(Handle, Handle, Handle);
/// Fills a chunk: information, output.
pub type TableBody = unsafe extern "C" fn(Handle, Handle);
/// How many bytes a state of an aggregate has.
pub type StateSize = unsafe extern "C" fn(Handle) -> u64;
/// Begins a state.
pub type StateInit = unsafe extern "C" fn(Handle, Handle);
/// Adds a chunk, with a state for each row.
pub type StateUpdate = unsafe extern "C" fn(Handle, Handle, *mut Handle);
/// Adds states to others: information, from, to, how many.
pub type StateCombine = unsafe extern "C" fn(Handle, *mut Handle, *mut Handle, u64);
/// Writes results: information, states, output, how many, from which row on.
pub type StateFinalize = unsafe extern "C" fn(Handle, *mut Handle, Handle, u64, u64);
