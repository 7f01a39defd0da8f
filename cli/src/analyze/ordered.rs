//! Work on a stream of things by several threads, whose results come out in the order in which the things went in.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// How many things wait, beside one for each thread, so that no thread waits for another one's slow thing.
const SPARE: usize = 4;

/// Results in the order of the things they were made of. A thread that panics makes the one that asks for results panic.
pub struct Ordered<R> {
    queue: Receiver<Receiver<R>>,
    maker: Option<JoinHandle<()>>,
}

impl<R> Iterator for Ordered<R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        let Ok(result) = self.queue.recv() else {
            if let Some(maker) = self.maker.take() {
                maker.join().expect("the thread that reads has panicked");
            }
            return None;
        };
        Some(result.recv().expect("a thread that computes has panicked"))
    }
}

/// Calls `make` in a thread of its own with a function that takes things, and says whether more are wanted; and `work`
/// with each of the things in one of `threads` others. No more than a few things and results exist at a time.
///
/// The threads are left alone when the results are dropped: one that waits for its input must not be waited for.
pub fn ordered<T: Send + 'static, R: Send + 'static>(
    threads: usize,
    make: impl FnOnce(&mut dyn FnMut(T) -> bool) + Send + 'static,
    work: impl Fn(T) -> R + Send + Sync + 'static,
) -> Ordered<R> {
    type Job<T, R> = (T, SyncSender<R>);
    let (queue, results) = sync_channel(threads + SPARE);
    let (jobs, waiting) = sync_channel::<Job<T, R>>(threads + SPARE);
    let (waiting, work) = (Arc::new(Mutex::new(waiting)), Arc::new(work));
    for _ in 0..threads {
        let (waiting, work) = (waiting.clone(), work.clone());
        thread::spawn(move || {
            // The lock is held while this thread waits for a job, not while it works.
            let next = || waiting.lock().ok()?.recv().ok();
            while let Some((thing, answer)) = next() {
                // Nobody listens if no more results are wanted.
                let _ = answer.send(work(thing));
            }
        });
    }
    let maker = thread::spawn(move || {
        make(&mut |thing| {
            let (answer, result) = sync_channel(1);
            queue.send(result).is_ok() && jobs.send((thing, answer)).is_ok()
        });
    });
    Ordered { queue: results, maker: Some(maker) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order() {
        for threads in [1, 2, 7] {
            let make = |take: &mut dyn FnMut(u64) -> bool| (0..100).for_each(|thing| assert!(take(thing)));
            // Some things take longer than others.
            let work = |thing: u64| {
                thread::sleep(Duration::from_micros(thing * 7919 % 500));
                thing
            };
            assert!(ordered(threads, make, work).eq(0..100), "{threads} threads");
        }
    }

    #[test]
    #[should_panic = "the thread that reads"]
    fn an_end_that_is_none_is_noticed() {
        let make = |take: &mut dyn FnMut(u64) -> bool| {
            take(1);
            panic!("on purpose");
        };
        ordered(1, make, |thing| thing).for_each(drop);
    }

    #[test]
    fn what_is_not_wanted_is_not_made() {
        let (made, count) = sync_channel(1);
        let make = move |take: &mut dyn FnMut(u64) -> bool| {
            let taken = (0..1_000_000).take_while(|&thing| take(thing)).count();
            made.send(taken).unwrap();
        };
        let mut results = ordered(2, make, |thing| thing);
        assert_eq!(results.next(), Some(0));
        drop(results);
        assert!(count.recv().unwrap() < 20);
    }
}
