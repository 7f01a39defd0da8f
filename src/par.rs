//! Sharing the work of one call among the threads of a rayon pool.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// TODO
pub(crate) const FROM: usize = 1 << 15;

/// TODO
pub(crate) const CHUNK: usize = 1 << 13;

/// TODO
pub(crate) const CHECK_CHUNK: usize = 1 << 17;

/// TODO
const YIELDS: usize = 64;

/// Whether `holds` for every chunk of `bytes`.
pub(crate) fn all(bytes: &[u8], holds: impl Fn(&[u8]) -> bool + Sync) -> bool {
    let all = AtomicBool::new(true);
    share(bytes.chunks(CHECK_CHUNK), |chunk| {
        if !holds(chunk) {
            all.store(false, Ordering::Relaxed);
        }
    });
    all.into_inner()
}

/// Calls `task` on every chunk, on this thread and on threads of the pool that have nothing else to do.
pub(crate) fn share<T>(chunks: impl ExactSizeIterator<Item = T> + Send, task: impl Fn(T) + Sync) {
    let helpers = chunks.len().min(rayon::current_num_threads()).saturating_sub(1);
    let helping = AtomicUsize::new(helpers);
    let queue = Mutex::new(chunks);
    let next = || queue.lock().expect("nobody panics with the lock in hand").next();
    let work = || {
        while let Some(chunk) = next() {
            task(chunk);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| {
                work();
                helping.fetch_sub(1, Ordering::Release);
            });
        }
        work();
        if rayon::current_thread_index().is_none() {
            for _ in 0..YIELDS {
                if helping.load(Ordering::Acquire) == 0 {
                    break;
                }
                thread::yield_now();
            }
        }
    });
}
