//! Timeouts for clients that send. [`working_body`](crate::server::streams::working_body) has those for clients that receive.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// The remaining time that a client may keep the server waiting. It grows with each byte that moves, up to the whole of it, so
/// a client that is slower than the rate runs out of it in the end, and a faster one never.
#[derive(Clone, Debug)]
pub struct Patience {
    whole: Duration,
    left: Duration,
    /// The rate in bytes per second.
    rate: u32,
}

impl Patience {
    /// The whole of it.
    pub fn new(whole: Duration, rate: u32) -> Patience {
        Patience { whole, left: whole, rate }
    }

    /// So many bytes moved.
    pub fn regain(&mut self, bytes: usize) {
        let regained = Duration::from_secs_f64(bytes as f64 / f64::from(self.rate));
        self.left = self.left.saturating_add(regained).min(self.whole);
    }

    /// The client did what it was to do.
    pub fn restore(&mut self) {
        self.left = self.whole;
    }

    /// Waits for the client, and does not count the time of a pause. There is no result if it takes too long.
    pub async fn wait<T, const N: usize>(&mut self, client: impl Future<Output = T>, pauses: [&Pause; N]) -> Option<T> {
        let mut client = pin!(client);
        loop {
            let (start, before) = (Instant::now(), pauses.map(Pause::so_far));
            let result = timeout(self.left, &mut client).await;
            let paused = pauses.iter().zip(before).map(|(pause, before)| pause.so_far() - before).max();
            let blamed = start.elapsed().saturating_sub(paused.unwrap_or_default());
            self.left = self.left.saturating_sub(blamed);
            match result {
                Ok(result) => return Some(result),
                Err(_) if self.left.is_zero() => return None,
                Err(_) => {}
            }
        }
    }
}

/// A time that is not the client's: as long as anything begun is not ended.
#[derive(Debug, Default)]
pub struct Pause(Mutex<PauseState>);

#[derive(Debug, Default)]
struct PauseState {
    count: usize,
    /// Since when, if anything is.
    since: Option<Instant>,
    /// For how long before that.
    before: Duration,
}

impl Pause {
    /// Begins something, and returns how much was begun before.
    pub fn begin(&self) -> usize {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.count += 1;
        begun.since.get_or_insert_with(Instant::now);
        begun.count - 1
    }

    /// Ends something.
    pub fn end(&self) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.count -= 1;
        if begun.count == 0
            && let Some(since) = begun.since.take()
        {
            begun.before += since.elapsed();
        }
    }

    /// Something that is begun now, and ends when the result is dropped.
    pub fn during(&self) -> PauseGuard<'_> {
        self.begin();
        PauseGuard(self)
    }

    /// For how long there has been one.
    fn so_far(&self) -> Duration {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.before + begun.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// See [`Pause::during`].
pub struct PauseGuard<'a>(&'a Pause);

impl Drop for PauseGuard<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// How many steps a client makes that moves this many bytes after each wait of 100 ms.
    async fn steps(bytes: usize) -> usize {
        let mut patience = Patience::new(Duration::from_secs(1), 1000);
        for step in 0..100 {
            if patience.wait(tokio::time::sleep(Duration::from_millis(100)), []).await.is_none() {
                return step;
            }
            patience.regain(bytes);
        }
        100
    }

    #[tokio::test(start_paused = true)]
    async fn it_lasts_at_the_rate() {
        for (bytes, expected) in [(200, 100), (100, 100), (50, 19), (1, 10), (0, 10)] {
            let found = steps(bytes).await;
            assert!(found.abs_diff(expected) <= 1, "{bytes} bytes: {found} steps");
        }
    }

    /// The time of a pause does not count, and the time before and after it does.
    #[tokio::test(start_paused = true)]
    async fn it_does_not_end_with_a_pause() {
        let (mut patience, pause) = (Patience::new(Duration::from_secs(1), 1000), Arc::new(Pause::default()));
        let waits = pause.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let during = waits.during();
            waits.begin();
            tokio::time::sleep(Duration::from_secs(100)).await;
            waits.end();
            drop(during);
        });
        let start = Instant::now();
        assert!(patience.wait(std::future::pending::<()>(), [&pause]).await.is_none());
        let waited = start.elapsed().as_secs_f64();
        assert!((100.9..101.1).contains(&waited), "{waited}");
    }
}
