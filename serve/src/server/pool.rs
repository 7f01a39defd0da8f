//! The threads that compute, beside those that speak to the network.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use tokio::sync::oneshot;

/// A pool of threads that its lanes share fairly: each may do as much as any other.
pub struct FairPool {
    threads: rayon::ThreadPool,
    queue: Mutex<Queue>,
}

/// Work that waits, by the start tags of start-time fair queueing: Goyal, Vin and Cheng, 1997,
/// <https://doi.org/10.1109/90.649569>.
#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<WaitingWork>>,
    /// The tag of the work that was begun last.
    now: u64,
    /// How much was ever put in.
    count: u64,
}

struct WaitingWork {
    tag: u64,
    number: u64,
    work: Box<dyn FnOnce() + Send>,
}

impl WaitingWork {
    fn key(&self) -> (u64, u64) {
        (self.tag, self.number)
    }
}

impl PartialEq for WaitingWork {
    fn eq(&self, other: &WaitingWork) -> bool {
        self.key() == other.key()
    }
}

impl Eq for WaitingWork {}

impl PartialOrd for WaitingWork {
    fn partial_cmp(&self, other: &WaitingWork) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WaitingWork {
    fn cmp(&self, other: &WaitingWork) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Work that makes at most so many bytes is done where it comes up.
pub const FEW_BYTES: usize = 64 << 10;

/// The work panicked.
#[derive(Debug)]
pub struct Panicked;

impl FairPool {
    /// A pool of `threads` threads.
    pub fn new(threads: usize) -> anyhow::Result<FairPool> {
        let builder =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("compute-{index}"));
        Ok(FairPool { threads: builder.build().context("cannot start threads")?, queue: Mutex::default() })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }
}

/// The work of one stream.
pub struct Lane {
    pool: Arc<FairPool>,
    /// The tag of what comes next, if the lane is busy.
    next: Mutex<u64>,
}

impl Lane {
    /// A lane without work.
    pub fn new(pool: Arc<FairPool>) -> Lane {
        Lane { pool, next: Mutex::new(0) }
    }

    /// Has this work done on one of the threads, from now on. What costs twice as much lets others begin twice as much before
    /// the next work of this lane.
    pub fn begin<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
        &self,
        cost: u64,
        work: W,
    ) -> impl Future<Output = Result<T, Panicked>> + Send + use<T, W> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move || {
            // The stream that waited may have gone.
            if !sender.is_closed() {
                let _ = sender.send(here(work));
            }
        });
        self.push(cost, work);
        async { receiver.await.unwrap_or(Err(Panicked)) }
    }

    /// Has work done that takes or makes so many bytes; here, if they are few: to wake another thread would cost more.
    pub async fn run<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
        &self,
        bytes: usize,
        work: W,
    ) -> Result<T, Panicked> {
        if bytes <= FEW_BYTES { here(work) } else { self.begin(1 + bytes as u64 / 128, work).await }
    }

    fn push(&self, cost: u64, work: Box<dyn FnOnce() + Send>) {
        const LOCKED: &str = "nothing panics while it is locked";
        {
            let mut queue = self.pool.queue.lock().expect(LOCKED);
            let mut next = self.next.lock().expect(LOCKED);
            let tag = queue.now.max(*next);
            *next = tag + cost;
            queue.count += 1;
            let number = queue.count;
            queue.waiting.push(Reverse(WaitingWork { tag, number, work }));
        }
        let pool = self.pool.clone();
        self.pool.threads.spawn_fifo(move || {
            let mut queue = pool.queue.lock().expect(LOCKED);
            // There is as much to do as there are threads that come to do it.
            let Some(Reverse(WaitingWork { tag, work, .. })) = queue.waiting.pop() else { return };
            queue.now = tag;
            drop(queue);
            work();
        });
    }
}

/// Does this work where it is.
pub fn here<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Pushes work of these lanes and costs while the only thread is busy, and returns the lanes in the order in which
    /// their work is done.
    fn order(pushed: &[(usize, u64)]) -> Vec<usize> {
        let pool = Arc::new(FairPool::new(1).unwrap());
        let lanes: Vec<Lane> = (0..3).map(|_| Lane::new(pool.clone())).collect();
        let (gate, open) = mpsc::channel::<()>();
        Lane::new(pool).push(1, Box::new(move || open.recv().unwrap()));
        let (sender, done) = mpsc::channel();
        for &(lane, cost) in pushed {
            let sender = sender.clone();
            lanes[lane].push(cost, Box::new(move || sender.send(lane).unwrap()));
        }
        gate.send(()).unwrap();
        drop(sender);
        done.iter().collect()
    }

    #[test]
    fn lanes_take_turns() {
        assert_eq!(order(&[(0, 5), (0, 5), (0, 5), (1, 5), (2, 5), (1, 5)]), [0, 1, 2, 0, 1, 0]);
        // Small work comes before the rest of large work.
        let mut pushed = vec![(0, 1000); 100];
        pushed.extend([(1, 1); 20]);
        let order = order(&pushed);
        assert_eq!(order.len(), 120);
        assert_eq!(order.iter().rposition(|&lane| lane == 1), Some(20));
    }

    #[tokio::test]
    async fn panics_are_caught() {
        let lane = Lane::new(Arc::new(FairPool::new(1).unwrap()));
        for _ in 0..3 {
            assert!(lane.begin(1, || -> () { panic!("as it should") }).await.is_err());
            assert_eq!(lane.begin(1, || 7).await.unwrap(), 7);
        }
        assert!(here::<()>(|| panic!("as it should")).is_err());
    }
}
