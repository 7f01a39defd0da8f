//! Several threads work on a stream of items, and the results are returned in the order of the items.

use std::fs;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Result, anyhow};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of items that may wait, in addition to one per thread, so that no thread waits for another thread's slow item.
pub const SPARE: usize = 4;

/// How many kilobytes of addresses a thread takes at most: for its stack, and for a heap of its own.
const THREAD: u64 = 72 << 10;
/// How many are left for the data, and for the threads that read and write.
const ROOM: u64 = 256 << 10;
/// How many must be left for a thread to start: for its stack, and for its data in each library that the program has loaded,
/// such as the module of Python. If there is no memory for those, the C library aborts the process.
const START: u64 = (2 << 10) + 256;

/// A pool of threads. Nothing joins them when their results are no longer needed, because a thread may be waiting for
/// input that never comes.
#[derive(Debug)]
pub struct Pool(ThreadPool);

/// A result that is being computed.
#[derive(Debug)]
pub struct PendingResult<R>(Receiver<R>);

/// Where the result of some work goes.
#[derive(Debug)]
pub struct ResultSender<R>(SyncSender<R>);

impl<R> ResultSender<R> {
    /// A place for a result, and the result.
    fn new() -> (ResultSender<R>, PendingResult<R>) {
        let (sender, result) = sync_channel(1);
        (ResultSender(sender), PendingResult(result))
    }

    /// Sends the result, which may no longer be needed.
    pub fn send(self, result: R) {
        drop(self.0.send(result));
    }
}

impl Pool {
    /// A pool of this many threads, or of fewer if the system refuses this many.
    ///
    /// # Errors
    ///
    /// Not even one thread can be started.
    pub fn new(threads: usize) -> Result<Pool> {
        let mut threads = threads.min(most_threads());
        loop {
            // A panic has printed its message, and the thread that waits for the result notices it.
            let build = || ThreadPoolBuilder::new().num_threads(threads).panic_handler(drop).build();
            let pool =
                can_start(threads).and_then(|()| build().map_err(|error| anyhow!("cannot start a thread: {error}")));
            match pool {
                Err(_) if threads > 1 => threads /= 2,
                pool => {
                    // All have what they need before anything else takes memory.
                    if let Ok(pool) = &pool {
                        pool.broadcast(|_| ());
                    }
                    return pool.map(Pool);
                }
            }
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` on one of the threads, after all earlier work has begun.
    pub fn run<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> PendingResult<R> {
        self.run_later(move |sender| sender.send(work()))
    }

    /// The same work, which may send its result later, from any thread.
    fn run_later<R: Send + 'static>(&self, work: impl FnOnce(ResultSender<R>) + Send + 'static) -> PendingResult<R> {
        let (sender, result) = ResultSender::new();
        self.0.spawn_fifo(move || work(sender));
        result
    }

    /// Runs `work` on one of the threads: before work that waits for one, if this is one of them.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.0.spawn(work);
    }
}

impl<R> PendingResult<R> {
    /// Waits for the result.
    ///
    /// # Panics
    ///
    /// If the work panicked.
    pub fn get(self) -> R {
        self.0.recv().expect("a worker thread panicked")
    }

    /// The result, if it arrives within this time. It is returned once.
    ///
    /// # Panics
    ///
    /// If the work panicked.
    pub fn get_timeout(&self, wait: Duration) -> Option<R> {
        match self.0.recv_timeout(wait) {
            Ok(result) => Some(result),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("a worker thread panicked"),
        }
    }
}

/// Starts a thread, and waits until it runs: it has what it needs before anything else takes memory.
///
/// # Errors
///
/// There is no memory for it, or the system refuses it.
pub fn spawn<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<JoinHandle<R>> {
    can_start(1)?;
    let (running, runs) = sync_channel::<()>(1);
    let work = move || {
        drop(running);
        work()
    };
    // As a rule its stack finds no memory, which systems report as a resource that is used up.
    let thread = thread::Builder::new().spawn(work).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => no_room(),
        _ => anyhow::Error::new(error).context("cannot start a thread"),
    })?;
    let _ = runs.recv(); // an error, as nothing was sent
    Ok(thread)
}

/// That there is no memory for a thread.
fn no_room() -> anyhow::Error {
    io::Error::new(ErrorKind::OutOfMemory, "out of memory or threads: cannot start a thread").into()
}

/// Checks that there is memory for this many threads to start.
///
/// # Errors
///
/// There is not.
pub fn can_start(threads: usize) -> Result<()> {
    match addresses_left() {
        Some(left) if left < START.saturating_mul(threads as u64) => Err(no_room()),
        _ => Ok(()),
    }
}

/// How many threads have room. If threads took all addresses, a failed allocation would abort the program.
fn most_threads() -> usize {
    addresses_left().map_or(usize::MAX, |left| (left.saturating_sub(ROOM) / THREAD).max(1) as usize)
}

/// How many kilobytes of addresses are left, where the system limits those of a process, as `ulimit -v` does.
fn addresses_left() -> Option<u64> {
    let number = |file: &str, line: &str| -> Option<u64> {
        let text = fs::read_to_string(file).ok()?;
        text.lines().find_map(|found| found.strip_prefix(line))?.split_whitespace().next()?.parse().ok()
    };
    let limit = number("/proc/self/limits", "Max address space")?;
    Some((limit >> 10).saturating_sub(number("/proc/self/status", "VmSize:")?))
}

/// Results in the order of their items. If a thread panics, so does the thread that takes the results.
#[derive(Debug)]
pub struct Ordered<R> {
    queue: Receiver<PendingResult<R>>,
    maker: Option<JoinHandle<()>>,
}

impl<R> Iterator for Ordered<R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        let Ok(result) = self.queue.recv() else {
            if let Some(maker) = self.maker.take() {
                maker.join().expect("the reader thread panicked");
            }
            return None;
        };
        Some(result.get())
    }
}

/// Calls `make` on a new thread with a function that takes an item, and breaks if no more are needed. Calls `work` with
/// each item on the threads of the pool. Only a few items and results exist at a time.
///
/// # Errors
///
/// The thread cannot be started.
pub fn ordered<T: Send + 'static, R: Send + 'static>(
    pool: Arc<Pool>,
    make: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) + Send + 'static,
    work: impl Fn(T) -> R + Send + Sync + 'static,
) -> Result<Ordered<R>> {
    ordered_later(pool, make, move |thing, sender| sender.send(work(thing)))
}

/// The same with work that may send its result later, from any thread.
fn ordered_later<T: Send + 'static, R: Send + 'static>(
    pool: Arc<Pool>,
    make: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) + Send + 'static,
    work: impl Fn(T, ResultSender<R>) + Send + Sync + 'static,
) -> Result<Ordered<R>> {
    let (queue, results) = sync_channel(pool.threads() + SPARE);
    let work = Arc::new(work);
    let maker = spawn(move || {
        make(&mut |thing| {
            let work = work.clone();
            queue.send(pool.run_later(move |sender| work(thing, sender))).map_or(Break(()), Continue)
        });
    })?;
    Ok(Ordered { queue: results, maker: Some(maker) })
}

/// Does the same work, and passes each result to `take`, which breaks if no more are needed. The work may send its result
/// later, from any thread, if it waits for that of other items. A pool of one thread would only wait, and be waited for: then
/// all of the work is done on this thread. With one thread, nothing is left to wait for, so the result must have been sent
/// when the work returns.
///
/// # Errors
///
/// The thread cannot be started.
pub fn in_order<T: Send + 'static, R: Send + 'static>(
    pool: Arc<Pool>,
    make: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) + Send + 'static,
    work: impl Fn(T, ResultSender<R>) + Send + Sync + 'static,
    take: &mut dyn FnMut(R) -> ControlFlow<()>,
) -> Result<()> {
    if pool.threads() == 1 {
        let mut flow = Continue(());
        make(&mut |thing| {
            flow?;
            let (sender, result) = ResultSender::new();
            work(thing, sender);
            flow = take(result.get());
            flow
        });
        return Ok(());
    }
    let _ = ordered_later(pool, make, work)?.try_for_each(take);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    fn pool(threads: usize) -> Arc<Pool> {
        Arc::new(Pool::new(threads).unwrap())
    }

    #[test]
    #[should_panic = "the reader thread panicked"]
    fn an_end_that_is_none_is_noticed() {
        let make = |take: &mut dyn FnMut(u64) -> ControlFlow<()>| {
            let _ = take(1);
            panic!("on purpose");
        };
        ordered(pool(1), make, |thing| thing).unwrap().for_each(drop);
    }

    #[test]
    #[should_panic = "a worker thread panicked"]
    fn work_that_comes_to_no_end_is_noticed() {
        ordered(pool(2), |take| assert!(take(0).is_continue()), |thing: u64| 1 / thing).unwrap().for_each(drop);
    }

    #[test]
    fn results_come_in_the_order_of_their_items_until_no_more_are_needed() {
        for threads in [1, 2, 5] {
            for most in [0, 1, 2, 1_000] {
                let make = move |take: &mut dyn FnMut(u64) -> ControlFlow<()>| {
                    for thing in 0..100 {
                        // After that, nothing is taken, as at the end of a reader.
                        if take(thing).is_break() {
                            assert!(take(thing).is_break());
                            return;
                        }
                    }
                };
                let mut taken = Vec::new();
                let mut take = |result| {
                    taken.push(result);
                    if taken.len() <= most { Continue(()) } else { Break(()) }
                };
                in_order(pool(threads), make, |thing, sender| sender.send(3 * thing), &mut take).unwrap();
                let expected: Vec<u64> = (0..100).map(|thing| 3 * thing).take(most + 1).collect();
                assert_eq!(taken, expected);
            }
        }
    }

    #[test]
    fn work_may_send_the_results_of_items_before() {
        for threads in [2, 5] {
            let (keep, kept) = channel();
            let kept = Mutex::new(kept);
            let work = move |thing: u64, sender: ResultSender<u64>| {
                if thing.is_multiple_of(2) {
                    return keep.send((thing, sender)).unwrap();
                }
                // With several threads, this may be the sender of another item before.
                let (before, its) = kept.lock().unwrap().recv().unwrap();
                its.send(3 * before);
                sender.send(3 * thing);
            };
            let (mut taken, count) = (Vec::new(), 100);
            let make = move |take: &mut dyn FnMut(u64) -> ControlFlow<()>| {
                assert!((0..count).all(|thing| take(thing).is_continue()));
            };
            let mut take = |result| {
                taken.push(result);
                Continue(())
            };
            in_order(pool(threads), make, work, &mut take).unwrap();
            assert!(taken.into_iter().eq((0..count).map(|thing| 3 * thing)));
        }
    }

    #[test]
    fn what_is_not_wanted_is_not_made() {
        let (made, count) = sync_channel(1);
        let make = move |take: &mut dyn FnMut(u64) -> ControlFlow<()>| {
            let taken = (0..1_000_000).take_while(|&thing| take(thing).is_continue()).count();
            made.send(taken).unwrap();
        };
        let mut results = ordered(pool(2), make, |thing| thing).unwrap();
        assert_eq!(results.next(), Some(0));
        drop(results);
        assert!(count.recv().unwrap() < 20);
    }
}
