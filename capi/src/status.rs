//! Codes and messages of errors.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The version of this interface. A program works with a library whose `sla_abi` returns the number that the program was
/// compiled with. Incompatible changes raise it; additions do not.
pub const SLA_ABI: u32 = 3;

/// The result of a call: `SLA_OK`, or one of the errors below. On an error, the caller's memory and all handles are
/// unchanged.
pub type sla_status = i32;

/// Success.
pub const SLA_OK: sla_status = 0;
/// A pointer is null.
pub const SLA_ERROR_NULL: sla_status = 1;
/// A pointer is not a multiple of the element size.
pub const SLA_ERROR_ALIGNMENT: sla_status = 2;
/// The length of an array is impossible, or there are fewer positions.
pub const SLA_ERROR_LENGTH: sla_status = 3;
/// An output shares memory with another array.
pub const SLA_ERROR_OVERLAP: sla_status = 4;
/// The number of a square is 64 or more.
pub const SLA_ERROR_SQUARE: sla_status = 5;
/// The name or number is unknown.
pub const SLA_ERROR_UNKNOWN: sla_status = 6;
/// This CPU cannot run the backend.
pub const SLA_ERROR_UNAVAILABLE: sla_status = 7;
/// A text or a set of bitboards is not a valid position.
pub const SLA_ERROR_POSITION: sla_status = 8;
/// The column has another kind of values, or there are more inputs than the indices can number.
pub const SLA_ERROR_KIND: sla_status = 9;
/// The number of a group is too large.
pub const SLA_ERROR_GROUP: sla_status = 10;
/// The caller's buffer is too small for the result. The call has written the required size.
pub const SLA_ERROR_ROOM: sla_status = 11;
/// A bug in the library. Please report it.
pub const SLA_ERROR_INTERNAL: sla_status = 12;
/// A text is not a condition on positions.
pub const SLA_ERROR_QUERY: sla_status = 13;
/// A side to move is neither White nor Black.
pub const SLA_ERROR_SIDE: sla_status = 14;
/// A castling right is of a rook that is not on the first or the last rank.
pub const SLA_ERROR_CASTLING: sla_status = 15;
/// An en passant square is not on the third or the sixth rank.
pub const SLA_ERROR_EN_PASSANT: sla_status = 16;
/// A stride is not a multiple of the element size, or smaller than it where elements are written.
pub const SLA_ERROR_STRIDE: sla_status = 17;
/// An input has no format that is read, lacks a column, or is damaged.
pub const SLA_ERROR_FORMAT: sla_status = 18;
/// A move is not one of its position.
pub const SLA_ERROR_MOVE: sla_status = 19;

/// That a call has failed, with its status, and its message is kept. As wide as an address: in place of a narrower number, results with
/// addresses were written in two halves, and a load of both waits for the cache.
pub(crate) struct Failed(i64);

/// The result of a part of a call.
pub(crate) type CallResult<T = ()> = Result<T, Failed>;

/// A message with a null byte at its end, as much of it as there is room for, and the index of the wrong element.
struct ErrorMessage {
    text: [u8; 1024],
    len: usize,
    index: usize,
}

/// The index of an error that is not about one of many elements.
const NO_INDEX: usize = usize::MAX;

impl Write for ErrorMessage {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for letter in part.chars() {
            let end = self.len + letter.len_utf8();
            if end >= self.text.len() {
                return Err(fmt::Error);
            }
            // A null byte would end the message for its reader.
            let letter = if letter == '\0' { '?' } else { letter };
            letter.encode_utf8(&mut self.text[self.len..end]);
            self.len = end;
        }
        Ok(())
    }
}

thread_local! {
    // Without a destructor, so that a thread needs none, and the library can be unloaded.
    static MESSAGE: UnsafeCell<ErrorMessage> = const {
        UnsafeCell::new(ErrorMessage { text: [0; 1024], len: 0, index: NO_INDEX })
    };
}

/// Keeps the message of an error of this thread.
#[cold]
#[inline(never)]
pub(crate) fn fail(status: sla_status, text: fmt::Arguments<'_>) -> Failed {
    fail_at(status, NO_INDEX, text)
}

/// The same for an error of one of many elements.
#[cold]
#[inline(never)]
pub(crate) fn fail_at(status: sla_status, index: usize, text: fmt::Arguments<'_>) -> Failed {
    MESSAGE.with(|message| {
        // SAFETY: no other thread has this message, and nothing that is called here looks at it.
        let message = unsafe { &mut *message.get() };
        (message.len, message.index) = (0, index);
        let _ = message.write_fmt(text); // what is too long ends early
        message.text[message.len] = 0;
    });
    Failed(status.into())
}

/// Does the work of a call. A panic, which would be a bug in the library, becomes an error.
#[inline(always)]
pub(crate) fn call(work: impl FnOnce() -> CallResult) -> sla_status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => SLA_OK,
        Ok(Err(Failed(status))) => status as sla_status,
        Err(panic) => panicked(panic),
    }
}

#[cold]
#[inline(never)]
fn panicked(panic: Box<dyn core::any::Any + Send>) -> sla_status {
    // What drops it could panic again.
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let Failed(status) = fail(SLA_ERROR_INTERNAL, format_args!("internal error: {}", text.unwrap_or("a panic")));
    core::mem::forget(panic);
    status as sla_status
}

/// Returns the `SLA_ABI` of the loaded library.
#[unsafe(no_mangle)]
pub extern "C" fn sla_abi() -> u32 {
    SLA_ABI
}

/// Returns the version of the loaded library, such as `"0.1.0"`.
#[unsafe(no_mangle)]
pub extern "C" fn sla_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no null byte"),
    };
    VERSION.as_ptr()
}

/// Returns the index of the element that the last error on this thread is about: of a position in a view, of a pair, of a group, of an
/// offset, of a move, or of a line in a text, all of them from 0. `SIZE_MAX` for other errors, and if no call has failed.
#[unsafe(no_mangle)]
pub extern "C" fn sla_error_index() -> usize {
    // SAFETY: no other thread has this message, and nobody writes to it meanwhile.
    MESSAGE.with(|message| unsafe { (*message.get()).index })
}

/// Returns the message of the last error on this thread: UTF-8, in lower case, at most 1023 bytes, empty if no call has
/// failed. The text is valid until the next error on the same thread, or until the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn sla_error_message() -> *const c_char {
    // SAFETY: no other thread has this message, and nobody writes to it meanwhile. A pointer to the whole text goes to the caller.
    MESSAGE.with(|message| unsafe { (&raw const (*message.get()).text).cast() })
}
