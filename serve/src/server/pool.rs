//! The compute threads, which are separate from the network threads.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use anyhow::Context;
use prometheus::Histogram;
use tokio::sync::oneshot;

use super::connection::client::Client;

/// A pool of threads that clients share fairly, whatever the number of their streams: the next work is that of the client whose
/// work has taken the least processor time. The lanes of a client share its time by the start tags of start-time fair queueing: Goyal,
/// Vin and Cheng, 1997, <https://doi.org/10.1109/90.649569>.
pub struct FairPool {
    threads: rayon::ThreadPool,
    queue: Mutex<Queue>,
    seconds: Histogram,
    /// The time that the current thread has computed.
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
}

/// Work that waits.
#[derive(Default)]
struct Queue {
    /// The clients that have lanes.
    clients: HashMap<Client, ClientShare>,
    /// How much time the client had taken whose work was begun last. One without work does not save up time before that.
    now: u64,
    /// How much was ever put in.
    count: u64,
}

/// The share of a client in the pool.
#[derive(Default)]
struct ClientShare {
    lanes: usize,
    waiting: BinaryHeap<Reverse<WaitingWork>>,
    /// The tag of the work that was begun last.
    tag: u64,
    /// How many microseconds its work computed.
    used: u64,
}

impl Queue {
    /// The next work, and its client.
    fn next(&mut self) -> Option<(Client, Box<dyn FnOnce() + Send>)> {
        let turn = |share: &ClientShare| share.waiting.peek().map(|Reverse(work)| (share.used, work.number));
        let waiting = self.clients.iter_mut().filter_map(|(client, share)| Some((turn(share)?, client, share)));
        let (_, client, share) = waiting.min_by_key(|(turn, ..)| *turn)?;
        let Reverse(WaitingWork { tag, work, .. }) = share.waiting.pop()?;
        self.now = self.now.max(share.used);
        share.tag = tag;
        Some((client.clone(), work))
    }

    /// Changes the share of a client, which is forgotten once it has no lanes and no work.
    fn change(&mut self, client: &Client, change: impl FnOnce(&mut ClientShare)) {
        if let Some(share) = self.clients.get_mut(client) {
            change(share);
            if share.lanes == 0 && share.waiting.is_empty() {
                self.clients.remove(client);
            }
        }
    }
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

/// Work that makes at most this many bytes is done where it comes up.
pub const FEW_BYTES: usize = 64 << 10;

/// The work panicked.
#[derive(Debug)]
pub struct Panicked;

impl FairPool {
    /// A pool of `threads` threads, and what counts how long work takes.
    pub fn new(threads: usize, seconds: Histogram) -> anyhow::Result<FairPool> {
        FairPool::with_clock(threads, seconds, processor_time())
    }

    fn with_clock(
        threads: usize,
        seconds: Histogram,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> anyhow::Result<FairPool> {
        let builder =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("compute-{index}"));
        let threads = builder.build().context("cannot start threads")?;
        Ok(FairPool { threads, queue: Mutex::default(), seconds, clock: Box::new(clock) })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics while it is locked")
    }

    /// Does the next work.
    fn work(&self) {
        // There is as much to do as there are threads that come to do it.
        let Some((client, work)) = self.queue().next() else { return };
        let start = (self.clock)();
        work();
        let time = (self.clock)() - start;
        self.seconds.observe(time.as_secs_f64());
        self.queue().change(&client, |share| share.used += time.as_micros() as u64 + 1);
    }

    /// Calls this on each thread, once that has done its work.
    pub fn on_each_thread(&self, call: fn()) {
        self.threads.broadcast(|_| call());
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }
}

/// A clock of the processor time of the current thread, so that nobody pays for the time in which other processes computed.
#[cfg(unix)]
fn processor_time() -> impl Fn() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

/// A clock of the time since now, where that of a thread is not known.
#[cfg(not(unix))]
fn processor_time() -> impl Fn() -> Duration {
    let start = std::time::Instant::now();
    move || start.elapsed()
}

/// The work of one stream.
pub struct Lane {
    pool: Arc<FairPool>,
    client: Client,
    /// The tag of what comes next, if the lane is busy.
    next: Mutex<u64>,
}

impl Lane {
    /// A lane of this client, without work.
    pub fn new(pool: Arc<FairPool>, client: Client) -> Lane {
        pool.queue().clients.entry(client.clone()).or_default().lanes += 1;
        Lane { pool, client, next: Mutex::new(0) }
    }

    /// Has this work done on one of the threads, from now on. What costs twice as much lets other lanes of the client begin twice as
    /// much before the next work of this one.
    pub fn begin<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
        &self,
        cost: u64,
        work: W,
    ) -> impl Future<Output = Result<T, Panicked>> + Send + use<T, W> {
        let (sender, receiver) = oneshot::channel();
        let work = Box::new(move || {
            // The stream that waited may have gone.
            if !sender.is_closed() {
                let _ = sender.send(catch_panics(work));
            }
        });
        self.push(cost, work);
        async { receiver.await.unwrap_or(Err(Panicked)) }
    }

    /// Has work done that takes or makes this many bytes; here, if they are few: to wake another thread would cost more.
    pub async fn run<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
        &self,
        bytes: usize,
        work: W,
    ) -> Result<T, Panicked> {
        if bytes <= FEW_BYTES { catch_panics(work) } else { self.begin(1 + bytes as u64 / 128, work).await }
    }

    fn push(&self, cost: u64, work: Box<dyn FnOnce() + Send>) {
        {
            let queue = &mut *self.pool.queue();
            let mut next = self.next.lock().expect("nothing panics while it is locked");
            queue.count += 1;
            let number = queue.count;
            let share = queue.clients.entry(self.client.clone()).or_default();
            if share.waiting.is_empty() {
                share.used = share.used.max(queue.now);
            }
            let tag = share.tag.max(*next);
            *next = tag + cost;
            share.waiting.push(Reverse(WaitingWork { tag, number, work }));
        }
        let pool = self.pool.clone();
        self.pool.threads.spawn_fifo(move || pool.work());
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.pool.queue().change(&self.client, |share| share.lanes -= 1);
    }
}

/// Does this work on the current thread, and catches panics.
pub fn catch_panics<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::mpsc;

    use super::*;
    use crate::server::monitoring::metrics::Metrics;

    /// A pool of one thread, and its clock, in milliseconds.
    fn pool() -> (Arc<FairPool>, Arc<AtomicU64>) {
        let clock = Arc::new(AtomicU64::new(0));
        let now = clock.clone();
        let now = move || Duration::from_millis(now.load(Relaxed));
        (Arc::new(FairPool::with_clock(1, Metrics::new(&[], "scalar").work, now).unwrap()), clock)
    }

    /// A client of this number.
    fn client(number: u8) -> Client {
        Client::At([10, 0, 0, number].into())
    }

    /// Pushes work of these lanes and costs while the only thread is busy, and returns the lanes in the order in which
    /// their work is done. By the clock, each takes a millisecond. The lanes are those of these clients.
    fn order(clients: [u8; 3], pushed: &[(usize, u64)]) -> Vec<usize> {
        let (pool, clock) = pool();
        let lanes = clients.map(|number| Lane::new(pool.clone(), client(number)));
        let (gate, open) = mpsc::channel::<()>();
        Lane::new(pool.clone(), client(9)).push(1, Box::new(move || open.recv().unwrap()));
        let (sender, done) = mpsc::channel();
        for &(lane, cost) in pushed {
            let (sender, clock) = (sender.clone(), clock.clone());
            let work = move || {
                clock.fetch_add(1, Relaxed);
                sender.send(lane).unwrap();
            };
            lanes[lane].push(cost, Box::new(work));
        }
        gate.send(()).unwrap();
        drop((sender, lanes));
        let order = done.iter().collect();
        // What is over is forgotten.
        while !pool.queue().clients.is_empty() {
            std::thread::yield_now();
        }
        order
    }

    #[test]
    fn lanes_of_a_client_take_turns() {
        assert_eq!(order([0; 3], &[(0, 5), (0, 5), (0, 5), (1, 5), (2, 5), (1, 5)]), [0, 1, 2, 0, 1, 0]);
        // Small work comes before the rest of large work.
        let mut pushed = vec![(0, 1000); 100];
        pushed.extend([(1, 1); 20]);
        let order = order([0; 3], &pushed);
        assert_eq!(order.len(), 120);
        assert_eq!(order.iter().rposition(|&lane| lane == 1), Some(20));
    }

    /// A client with two lanes gets as much as one with a single lane.
    #[test]
    fn clients_take_turns() {
        let pushed = [[(0, 1); 10], [(1, 1); 10], [(2, 1); 10]].concat();
        let order = order([0, 0, 1], &pushed);
        let of_one: Vec<usize> = (0..30).filter(|&at| order[at] == 2).collect();
        assert_eq!(of_one, (0..10).map(|turn| 1 + 2 * turn).collect::<Vec<_>>(), "{order:?}");
    }

    #[tokio::test]
    async fn panics_are_caught() {
        let lane = Lane::new(pool().0, client(0));
        for _ in 0..3 {
            assert!(lane.begin(1, || -> () { panic!("as it should") }).await.is_err());
            assert_eq!(lane.begin(1, || 7).await.unwrap(), 7);
        }
        assert!(catch_panics::<()>(|| panic!("as it should")).is_err());
    }
}
