//! The threads of a rayon pool share the work of one call.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

/// Minimum length of a call for parallel execution. A sleeping helper takes 5 to 50 us to start; the fastest backend needs
/// 10 us for this many pairs.
///
/// Speed relative to the serial call (AVX-512 queens, two cores of a Zen 5, virtual machine; best of many rounds):
/// calls in close succession from outside the pool are 1.1 times as fast at 16 Ki pairs, 1.5 at 32 Ki, 1.6 to 1.9 at 64
/// Ki. A single call, with all helpers asleep, takes about 20 us longer than the serial one, up to 256 Ki pairs (100
/// us).
pub(crate) const MIN_PARALLEL_LENGTH: usize = 1 << 15;

/// How many squares a thread checks at a time. That takes 2 us from the second-level cache. Arrays up to this length
/// are checked on one thread: with smaller chunks, a call of 64 Ki pairs took 1.2 times as long.
const CHECK_CHUNK: usize = 1 << 17;

/// How often a caller outside the pool checks whether the helpers are done before it goes to sleep. Each time, it
/// yields the core to other threads.
///
/// Waking the caller usually takes longer than the rest of the wait: without this, calls of 64 Ki pairs took twice as
/// long. Spinning was as fast with one core per thread, but when a helper had been woken on the caller's own core, the
/// call took seven times as long.
const YIELDS: usize = 64;

/// How many pairs a thread takes at a time, in a call of `call_length` pairs. A 32nd of them keeps the wait for the
/// last chunk short. A chunk is large enough that handing it out costs nothing, and small enough for the second-level
/// cache of a core.
///
/// The length is a multiple of 64, so that every chunk except the last consists of whole blocks. The last has no fewer
/// pairs than a block, so that no backend computes it pair by pair. Where attack sets are streamed, a chunk begins and
/// ends with some pairs that are not, because streaming begins at a cache line. With 64 Ki pairs per chunk that makes no
/// difference. With 8 Ki per chunk, and a first block that overlapped the second, 4 Mi pairs took 1.5 times as long.
pub(crate) fn chunk_length(call_length: usize) -> usize {
    let mut length = (call_length / 32).clamp(1 << 13, 1 << 16).next_multiple_of(64);
    while (1..64).contains(&(call_length % length)) {
        length += 64;
    }
    length
}

/// Whether every chunk of `bytes` passes `test`.
pub(crate) fn test_all(bytes: &[u8], test: impl Fn(&[u8]) -> bool + Sync) -> bool {
    let passed = AtomicBool::new(true);
    share(bytes.chunks(CHECK_CHUNK), |chunk| {
        if !test(chunk) {
            passed.store(false, Ordering::Relaxed);
        }
    });
    passed.into_inner()
}

/// Calls `task` on every chunk, on this thread and on threads of the pool that have nothing else to do.
///
/// A thread that finishes a chunk takes the next one, so the others make up for a thread that starts late.
///
/// The caller works as well, which saves waking a thread. Rayon's parallel iterators and `join` hand a call from outside
/// to the pool as a whole: with them, calls of 64 Ki pairs in close succession were at most 1.3 times as fast as the
/// serial call, not 1.9. Inside a pool there was no difference.
pub(crate) fn share<T>(chunks: impl ExactSizeIterator<Item = T> + Send, task: impl Fn(T) + Sync) {
    let helpers = chunks.len().min(rayon::current_num_threads()).saturating_sub(1);
    let helping = AtomicUsize::new(helpers);
    let queue = Mutex::new(chunks);
    let next = || queue.lock().expect("nobody panics while holding the lock").next();
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
        // A thread of the pool does not sleep at the end of the scope: it takes back the tasks that nobody has begun.
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

    /// Each task waits until the others have begun, so a single thread would deadlock.
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
        let chunks = [
            (MIN_PARALLEL_LENGTH, 1 << 13),
            (1 << 18, 1 << 13),
            (1 << 20, 1 << 15),
            (1_000_003, 31_296),
            (1 << 24, 1 << 16),
        ];
        for (call_length, expected) in chunks {
            assert_eq!(chunk_length(call_length), expected, "{call_length}");
        }
        assert_eq!(MIN_PARALLEL_LENGTH, 32_768);
    }

    #[test]
    fn the_last_chunk_is_a_block_or_more() {
        for call_length in (MIN_PARALLEL_LENGTH..1 << 18).chain((1 << 20) - 100..(1 << 20) + 100) {
            let length = chunk_length(call_length);
            let last = call_length % length;
            assert!(length.is_multiple_of(64) && (last == 0 || last >= 64), "{call_length}: {length}");
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
