//! The guard against files that expand to too many values: it counts the values of lists, and catches panics.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use anyhow::{Result, anyhow};
use parquet::errors::ParquetError;

/// The largest number of values of a row, or of a page of lists. Values that take more than 64 bytes count as several.
pub const MAX_VALUES: u64 = 1 << 20;

/// Counts the values of a leaf with lists, whose rows can end in any page.
#[derive(Default)]
pub struct ListCounter {
    /// How many values had been read after the rows before, and have been now.
    before: AtomicU64,
    read: AtomicU64,
    /// Too many were asked for.
    exceeded: AtomicBool,
}

impl ListCounter {
    /// The next rows begin. What they lead to is forgotten.
    pub fn begin_rows(&self) {
        self.exceeded.store(false, Relaxed);
    }

    /// Completes the rows that have been read so far.
    pub fn finish_rows(&self) {
        self.before.store(self.read.load(Relaxed), Relaxed);
    }

    /// Whether too many values were asked for.
    pub fn is_exceeded(&self) -> bool {
        self.exceeded.load(Relaxed)
    }

    /// A page is asked for, and there are this many values up to its end.
    ///
    /// # Errors
    ///
    /// These are too many for a row.
    pub fn ask(&self, values: u64) -> Result<(), ParquetError> {
        if values <= self.before.load(Relaxed) + MAX_VALUES + MAX_VALUES / 16 {
            self.read.fetch_max(values, Relaxed);
            return Ok(());
        }
        self.exceeded.store(true, Relaxed);
        Err(ParquetError::General(format!("row has more than {MAX_VALUES} values")))
    }
}

thread_local! {
    /// Whether this thread does what may panic.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Installs a panic hook that prints nothing about panics that [`catch_panics`] catches, and passes all others to the hook before it.
///
/// The hook belongs to the whole process, so no reader installs it: a program that reads Parquet calls this when it starts, and
/// a library that is loaded into another program when it is loaded. Without it, a damaged file is the same error, but the hook
/// of the process sees the panic: the usual one prints its message, and that of a fuzzer ends the process. A second call does
/// nothing.
pub fn install_panic_filter() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                hook(info)
            }
        }));
    });
}

/// Does what may panic: the readers of some encodings do so where lengths are wrong.
///
/// # Errors
///
/// It has panicked. With [`install_panic_filter`], nothing is printed about that.
pub fn catch_panics<T>(work: impl FnOnce() -> T) -> Result<T> {
    IS_QUIET.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| anyhow!("it is damaged"));
    IS_QUIET.set(false);
    done
}
