//! Backends by name and number.

use core::ffi::{CStr, c_char};
use core::ptr;
use std::ffi::CString;
use std::sync::OnceLock;

use slider_attacks::Backend;
use slider_attacks::ParseBackendError;

use crate::memory::{name, place};
use crate::status::{CallResult, SLA_ERROR_UNAVAILABLE, SLA_ERROR_UNKNOWN, call, fail, sla_status};

/// The number of a backend, an implementation for one instruction set. All backends give the same results. Numbers are valid
/// in this process only; names are the same everywhere.
pub type sla_backend = u32;

/// The backend that the library selected for this CPU: the fastest.
pub const SLA_BACKEND_ACTIVE: sla_backend = 0;

/// Those that this CPU can run, with their names. The first has the number 1.
fn all() -> &'static [(Backend, CString)] {
    static ALL: OnceLock<Vec<(Backend, CString)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let named = |backend: Backend| (backend, CString::new(backend.name()).unwrap_or_default());
        Backend::available().map(named).collect()
    })
}

/// The backend of this number, if there is one.
#[inline(always)]
pub(crate) fn usable(number: sla_backend) -> Option<Backend> {
    match number {
        SLA_BACKEND_ACTIVE => Some(Backend::active()),
        number => all().get(number as usize - 1).map(|&(backend, _)| backend),
    }
}

/// The same, or what is wrong.
pub(crate) fn backend(number: sla_backend) -> CallResult<Backend> {
    match usable(number) {
        Some(backend) => Ok(backend),
        None => {
            let most = all().len();
            Err(fail(SLA_ERROR_UNKNOWN, format_args!("expected a backend from 0 to {most}, found {number}")))
        }
    }
}

/// Returns the number of backends that this CPU can run. They are numbered from 1 to this number, the slowest first.
#[unsafe(no_mangle)]
pub extern "C" fn sla_backend_count() -> u32 {
    all().len() as u32
}

/// Returns the name of a backend: `"scalar"`, `"bmi2"`, `"ssse3"`, `"avx2"`, `"avx2-gfni"`, `"avx512"`, `"avx512-gfni"` or
/// `"neon"`, or null if no backend has this number. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn sla_backend_name(backend: sla_backend) -> *const c_char {
    let named = |of: Backend| all().iter().find(|(other, _)| *other == of);
    let found = match backend {
        SLA_BACKEND_ACTIVE => named(Backend::active()),
        number => all().get(number as usize - 1),
    };
    found.map_or(ptr::null(), |(_, name)| CStr::as_ptr(name))
}

/// Writes the number of the backend of this name to `backend`.
///
/// Errors: `SLA_ERROR_UNKNOWN`, `SLA_ERROR_UNAVAILABLE` if this CPU cannot run it, `SLA_ERROR_NULL`.
///
/// # Safety
///
/// `name` ends with a null byte. There is room for a number at `backend`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_backend_find(name: *const c_char, backend: *mut sla_backend) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (text, out) = unsafe { (self::name("name", name)?, place("backend", backend)?) };
        let found: Result<Backend, ParseBackendError> = text.parse();
        match found {
            Ok(found) => {
                let number = all().iter().position(|(other, _)| *other == found).map_or(0, |at| at + 1);
                // SAFETY: by the contract of this function, and it has been checked.
                unsafe { *out = number as u32 };
                Ok(())
            }
            Err(error @ ParseBackendError::Unavailable(_)) => Err(fail(SLA_ERROR_UNAVAILABLE, format_args!("{error}"))),
            Err(error) => Err(fail(SLA_ERROR_UNKNOWN, format_args!("{error}, found {text:?}"))),
        }
    })
}
