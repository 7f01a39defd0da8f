//! Conditions on positions, as text.

use core::ffi::c_char;

use slider_attacks_query::PositionQuery;

use crate::memory::{free, handle, input, output, place};
use crate::positions::{sla_positions, some};
use crate::products::{rules, sla_options};
use crate::status::{CallResult, SLA_ERROR_QUERY, call, fail, sla_status};

/// A condition on positions. It never changes, and any number of threads may use it at once.
pub struct sla_query(PositionQuery);

/// Reads a condition, such as `"white_pinned & white_queens and count(occupied) < 20"`, and writes its handle to `query`.
/// `sla_query_free` frees it. `docs/where.md` describes the language. The text need not end with a null byte.
///
/// Errors: `SLA_ERROR_QUERY`, with the column of the text, from 1, and for names of columns of an input, which positions in memory
/// do not have; and those of memory.
///
/// # Safety
///
/// `text` has `length` bytes. There is room for a pointer at `query`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_query_new(text: *const c_char, length: usize, query: *mut *mut sla_query) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (text, out) = unsafe { (input("text", text.cast::<u8>(), length)?, place("query", query)?) };
        let found = read(text)?;
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *out = Box::into_raw(Box::new(sla_query(found))) };
        Ok(())
    })
}

/// The condition that a text is.
fn read(text: &[u8]) -> CallResult<PositionQuery> {
    let text = str::from_utf8(text).map_err(|error| {
        fail(SLA_ERROR_QUERY, format_args!("column {}: the text is not UTF-8", error.valid_up_to() + 1))
    })?;
    let query: PositionQuery = text.parse().map_err(|error| fail(SLA_ERROR_QUERY, format_args!("{error}")))?;
    match query.inputs().first() {
        Some(name) => Err(fail(SLA_ERROR_QUERY, format_args!("positions have no column {name:?}"))),
        None => Ok(query),
    }
}

/// Frees a handle. Null is allowed.
///
/// # Safety
///
/// The handle is from `sla_query_new`, has not been freed, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_query_free(query: *mut sla_query) {
    // SAFETY: by the contract of this function.
    unsafe { free(query) }
}

/// Writes for each of `count` positions from `first` on whether a condition holds: 1 or 0 in `out[i]`. `options` may be null; they
/// are those of the products that the condition names.
///
/// Errors: `SLA_ERROR_LENGTH` if there are fewer positions, `SLA_ERROR_UNKNOWN` for options, and those of memory.
///
/// # Safety
///
/// There is room for `count` bytes at `out`. The handles have not been freed, and nobody changes the positions during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_query_matches(
    query: *const sla_query,
    positions: *const sla_positions,
    first: usize,
    count: usize,
    options: *const sla_options,
    out: *mut u8,
) -> sla_status {
    call(|| {
        let mut own = None;
        // SAFETY: by the contract of this function.
        let (query, positions, rules, out) = unsafe {
            let query = &(*handle("query", query)?).0;
            (query, some(positions, first, count)?, rules(options, &mut own)?, output("out", out, count)?)
        };
        let holds = query.rows(&rules.plan, positions, &());
        for (out, holds) in out.iter_mut().zip(holds) {
            out.write(holds.into());
        }
        Ok(())
    })
}
