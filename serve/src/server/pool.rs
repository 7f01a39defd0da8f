//! The threads that compute, beside those that speak to the network.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Context;
use tokio::sync::oneshot;

/// A pool of threads. Work is begun in the order in which it comes.
pub struct Pool {
    threads: rayon::ThreadPool,
}

/// The work panicked.
#[derive(Debug)]
pub struct Panicked;

impl Pool {
    /// A pool of so many threads.
    pub fn new(threads: usize) -> anyhow::Result<Pool> {
        let builder =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("compute-{index}"));
        Ok(Pool { threads: builder.build().context("cannot start threads")? })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.current_num_threads()
    }

    /// Does this work on one of the threads, or here if it is short.
    pub async fn run<T: Send + 'static>(
        &self,
        is_short: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let work = move || catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked);
        if is_short {
            return work();
        }
        let (sender, receiver) = oneshot::channel();
        self.threads.spawn_fifo(move || {
            // Whoever waited may have gone.
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
        });
        receiver.await.unwrap_or(Err(Panicked))
    }
}
