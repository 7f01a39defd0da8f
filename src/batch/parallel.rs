//! Sharing the work of one call among the threads of a rayon pool.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// From how many pairs on a call is shared. A helper that sleeps takes 5 to 50 us to come; the least that the quickest
/// backend needs for so many pairs is 10 us.
///
/// Times as fast as the serial call (AVX-512 queens, two cores of a Zen 5, virtual machine; best of many rounds): calls
/// in close succession from outside the pool 1.1 at 16 Ki pairs, 1.5 at 32 Ki, 1.6 to 1.9 at 64 Ki. A call on its own,
/// with all helpers asleep, takes some 20 us longer than the serial one as long as that takes less than 100 us (256 Ki
/// pairs).
pub(crate) const FROM: usize = 1 << 15;

/// How many squares are checked at a time: 2 us at the speed of the second-level cache. Arrays up to this length are
/// checked on one thread: smaller parts made a call of 64 Ki pairs 1.2 times as long.
const CHECK_CHUNK: usize = 1 << 17;

/// How often a caller outside the pool looks whether the helpers are done before it goes to sleep.
///
/// To be woken takes longer than what is left to wait for, as a rule: without this, calls of 64 Ki pairs took twice as
/// long. Each time the processor is offered to other threads. Spinning instead was as quick with a core for each
/// thread, but where a helper had been woken on the caller's own core the call took seven times as long.
const YIELDS: usize = 64;

/// How many pairs a thread takes at a time, in a call of `whole` pairs: a 32nd, so that nobody waits long for the last
/// one, but enough that handing them out costs nothing, and not more than fit a core's second-level cache.
///
/// It is a multiple of 64, so that all blocks of a vector backend but those of the last chunk are whole. That they
/// begin at a cache line of `out` is left to the backend, which overlaps the first two blocks of a chunk: with 64 Ki
/// pairs a chunk this is one block in a thousand. With 8 Ki pairs a chunk it was noticeable where the attack sets are
/// written past the cache: 4 Mi pairs took 1.5 times as long.
pub(crate) fn chunk(whole: usize) -> usize {
    (whole / 32).clamp(1 << 13, 1 << 16).next_multiple_of(64)
}

/// Whether `holds` for every part of `bytes`.
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
///
/// Whoever is done with a chunk takes the next, so that a thread that comes late leaves its share to the others.
///
/// That the caller works as well, and not only the pool, saves the waking of a thread: with rayon's parallel
/// iterators and `join`, which hand a call from outside over to the pool as a whole, calls of 64 Ki pairs in close
/// succession were at most 1.3 times as fast as the serial call, not 1.9. Inside a pool there was no difference.
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
        // A thread of the pool does not sleep at the end of the scope, but takes back what nobody has begun.
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
    fn a_chunk_is_a_32nd_of_the_call_within_bounds_and_in_whole_blocks() {
        let chunks = [(FROM, 1 << 13), (1 << 18, 1 << 13), (1 << 20, 1 << 15), (1_000_003, 31_296), (1 << 24, 1 << 16)];
        for (whole, expected) in chunks {
            assert_eq!(chunk(whole), expected, "{whole}");
        }
        assert_eq!(FROM, 32_768);
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
