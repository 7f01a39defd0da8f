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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// Each task waits until the others have begun, which one thread alone would do for ever.
    #[test]
    fn as_many_threads_work_as_the_pool_has() {
        for threads in 1..=4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of a few threads");
            let all_have_begun = Barrier::new(threads);
            pool.install(|| {
                share(0..threads, |_| {
                    all_have_begun.wait();
                });
            });
        }
    }

    #[test]
    fn every_chunk_is_handed_out_once() {
        for chunks in [0, 1, 2, 3, 100] {
            let times: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
            share(0..chunks, |chunk: usize| {
                times[chunk].fetch_add(1, Ordering::Relaxed);
            });
            assert!(times.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        }
    }
}
