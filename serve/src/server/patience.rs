//! How long one end may keep the other waiting.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// What is left of the time that a client may keep the server waiting. It grows with each byte that moves, up to the whole
/// of it, so a client that is slower than the rate runs out of it in the end, and a faster one never.
#[derive(Clone, Debug)]
pub struct Patience {
    whole: Duration,
    left: Duration,
    /// In bytes per second.
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

    /// The client kept the server waiting for so long.
    pub fn spend(&mut self, waited: Duration) {
        self.left = self.left.saturating_sub(waited);
    }

    /// Whether it is over after a wait of this time.
    pub fn is_over(&self, waited: Duration) -> bool {
        self.left <= waited
    }

    /// The client did what it was to do.
    pub fn restore(&mut self) {
        self.left = self.whole;
    }

    /// Whether it lasts longer than the client was to blame, in which case the rest is left.
    pub fn outlasts(&mut self, blamed: Duration) -> bool {
        self.left = self.whole.saturating_sub(blamed);
        !self.left.is_zero()
    }

    /// Waits for the client. There is no result if that takes too long.
    pub async fn wait<T>(&mut self, client: impl Future<Output = T>) -> Option<T> {
        let start = Instant::now();
        let result = timeout(self.left, client).await.ok();
        self.spend(start.elapsed());
        result
    }
}

/// Why a client may keep the server waiting, as long as anything begun is not ended.
#[derive(Debug)]
pub struct Excuse(Mutex<(usize, Instant)>);

impl Excuse {
    /// There is none.
    pub fn new() -> Excuse {
        Excuse(Mutex::new((0, Instant::now())))
    }

    /// Begins something, and returns how much was begun before.
    pub fn begin(&self) -> usize {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.0 += 1;
        begun.0 - 1
    }

    /// Ends something.
    pub fn end(&self) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *begun = (begun.0 - 1, Instant::now());
    }

    /// Something that is begun now, and ends when the result is dropped.
    pub fn during(&self) -> During<'_> {
        self.begin();
        During(self)
    }

    /// For how long there has been none.
    pub fn lacking(&self) -> Duration {
        let (begun, since) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if begun > 0 { Duration::ZERO } else { since.elapsed() }
    }
}

/// See [`Excuse::during`].
pub struct During<'a>(&'a Excuse);

impl Drop for During<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many steps a client makes that moves so many bytes after each wait of 100 ms.
    async fn steps(bytes: usize) -> usize {
        let mut patience = Patience::new(Duration::from_secs(1), 1000);
        for step in 0..100 {
            if patience.wait(tokio::time::sleep(Duration::from_millis(100))).await.is_none() {
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
}
