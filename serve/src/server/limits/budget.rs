//! The budget of held bytes: for each client, and for all.
//!
//! Before work begins, the maximum number of bytes that it may need is reserved here. Without room, it waits or is refused.
//! Results are held until the network has taken them.
//!
//! | what | leaves room in its account |
//! |---|---|
//! | a message | for the longest message, unless it is the oldest one, and for results |
//! | what is kept until the end of a stream | for the oldest message, and for results |
//! | a result | for one of a large unit, and half as much for what is kept |
//! | a result of a unit that is larger than most, or a single answer | for nothing |
//!
//! Kept bytes do not wait: a stream that keeps something until its end would wait for others that do the same. So results never
//! wait for messages, only for other results, and those are taken by the network in time, or their clients are cut off.
//!
//! A message is charged as its bytes arrive, so that an announced length costs nothing. Streams that each wait with half a
//! message would deadlock. So each account keeps room for its oldest message, of the maximum length: whatever the others hold,
//! the oldest one can arrive in full, be answered, and release its bytes. Then another one is the oldest. This takes as long as
//! its client takes to send it.
//!
//! [`accounts`](super::accounts) decides who has room. This module makes tasks wait for it.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::accounts::{Accounts, Charge};
pub use super::accounts::{ByteLimits, ChargeKind, FullAccount, SHORT, SINGLE, USUAL};
use crate::server::connection::client::Client;
use crate::server::monitoring::metrics::Metrics;

/// The bytes that may be held. Beyond it, clients wait.
#[derive(Clone)]
pub struct Budget(Arc<Shared>);

struct Shared {
    accounts: Mutex<Accounts>,
    changed: Notify,
    /// How long one may wait in all.
    longest: Duration,
    metrics: Metrics,
}

impl Budget {
    /// A budget with nothing held, and the maximum time to wait for it.
    pub fn new(most: ByteLimits, longest: Duration, metrics: Metrics) -> Budget {
        let accounts = Mutex::new(Accounts::new(most));
        Budget(Arc::new(Shared { accounts, changed: Notify::new(), longest, metrics }))
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is held.
    fn change<T>(&self, change: impl FnOnce(&mut Accounts) -> T) -> T {
        let mut accounts = self.accounts();
        let changed = change(&mut accounts);
        self.0.metrics.held.set((accounts.all.held + accounts.reserve) as i64);
        changed
    }

    /// The same where something may be given back, for which others wait.
    fn give_back(&self, change: impl FnOnce(&mut Accounts) -> bool) {
        if self.change(change) {
            self.0.changed.notify_waiters();
        }
    }

    fn held(&self, client: &Client, charge: Charge) -> HeldBytes {
        HeldBytes { budget: self.clone(), client: client.clone(), charge: Mutex::new(charge) }
    }

    /// Begins a message of this length. It holds nothing yet.
    pub fn begin(&self, client: &Client, length: u64) -> HeldBytes {
        self.held(client, self.change(|accounts| accounts.begin(client, length)))
    }

    /// Reserves this many bytes. Waits for that, but at most so long, and not at all for what is kept.
    pub async fn reserve(
        &self,
        client: &Client,
        bytes: u64,
        kind: ChargeKind,
        most: Duration,
    ) -> Result<HeldBytes, FullAccount> {
        let attempt = || self.change(|accounts| accounts.reserve(client, bytes, kind));
        let charge = self.wait(client, if kind == ChargeKind::Kept { Duration::ZERO } else { most }, attempt).await?;
        Ok(self.held(client, charge))
    }

    /// How long one may wait in all, and keep what is answered.
    pub fn longest(&self) -> Duration {
        self.0.longest
    }

    /// The most bytes that one stream should keep until its end: half of what its client may hold.
    pub fn most_kept(&self) -> u64 {
        self.accounts().most.of_client / 2
    }

    /// The most bytes of results that a stream should hold at a time if it keeps `to_keep` until its end.
    pub fn most_results(&self, to_keep: u64) -> u64 {
        self.accounts().most.most_results(to_keep)
    }

    /// The most bytes that the result of a single unit may take.
    pub fn most_unit(&self) -> u64 {
        self.accounts().most.most_unit()
    }

    /// Waits until this succeeds, but at most so long after the last movement in the account that has no room.
    async fn wait<T>(
        &self,
        client: &Client,
        most: Duration,
        mut attempt: impl FnMut() -> Result<T, FullAccount>,
    ) -> Result<T, FullAccount> {
        let start = Instant::now();
        let mut full = match attempt() {
            Err(full) => full,
            done => return done,
        };
        let waited = loop {
            let mut changed = pin!(self.0.changed.notified());
            changed.as_mut().enable();
            match attempt() {
                Err(now) => full = now,
                done => break done,
            }
            let moved = {
                let accounts = self.accounts();
                let account = if full == FullAccount::All { Some(&accounts.all) } else { accounts.clients.get(client) };
                account.map_or(start, |account| account.moved).max(start)
            };
            let left = (moved + most).min(start + self.0.longest).saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err(full);
            }
            let _ = timeout(left, changed).await;
        };
        let labels = [full.to_string()];
        self.0.metrics.waits.with_label_values(&labels).inc();
        self.0.metrics.waited.with_label_values(&labels).inc_by(start.elapsed().as_secs_f64());
        waited
    }
}

/// Bytes that are held until this is dropped.
pub struct HeldBytes {
    budget: Budget,
    client: Client,
    charge: Mutex<Charge>,
}

impl HeldBytes {
    fn charge(&self) -> MutexGuard<'_, Charge> {
        self.charge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes these are.
    pub fn bytes(&self) -> u64 {
        self.charge().bytes()
    }

    /// Changes them to this many bytes, now that the size is known.
    pub fn keep(&self, bytes: u64) {
        self.budget.give_back(|accounts| accounts.keep(&self.client, &mut self.charge(), bytes));
    }

    /// A message has arrived, and its bytes are kept until work on them begins. They no longer count as a message for which
    /// others wait.
    pub fn arrived(self) -> HeldBytes {
        self.budget.give_back(|accounts| accounts.arrived(&self.client, &mut self.charge()));
        self
    }

    /// Holds this many bytes more of a message. Waits for that, but at most so long.
    pub async fn take(&mut self, bytes: u64, most: Duration) -> Result<(), FullAccount> {
        self.budget.wait(&self.client, most, || self.try_take(bytes)).await
    }

    /// Holds this many bytes more of a message, if there is room now.
    pub fn try_take(&self, bytes: u64) -> Result<(), FullAccount> {
        self.budget.change(|accounts| accounts.take(&self.client, &mut self.charge(), bytes))
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.budget.give_back(|accounts| accounts.give_back(&self.client, &mut self.charge()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: ByteLimits = ByteLimits { all: 1600 << 10, of_client: 800 << 10, of_message: 400 << 10 };
    const LITTLE: Duration = Duration::from_millis(20);

    fn budget() -> (Budget, [Client; 3]) {
        let clients = ["ann", "bob", "eve"].map(|name| Client::Named(name.into()));
        (Budget::new(MOST, Duration::from_secs(60), Metrics::new(&[], "scalar")), clients)
    }

    #[tokio::test]
    async fn a_client_has_its_share_and_others_theirs() {
        let (budget, [ann, bob, eve]) = budget();
        let mut held = Vec::new();
        for _ in 0..20 {
            let mut message = budget.begin(&ann, MOST.of_message);
            let _ = message.take(80 << 10, LITTLE).await;
            held.push(message);
        }
        let bytes: u64 = held.iter().map(HeldBytes::bytes).sum();
        assert_eq!(bytes, 160 << 10, "the rest is kept for the oldest, and for results");
        assert_eq!(held[1].take((40 << 10) + 1, LITTLE).await, Err(FullAccount::Client));
        assert_eq!(held[0].take(320 << 10, LITTLE).await, Ok(()));
        let mut other = budget.begin(&bob, MOST.of_message);
        assert_eq!(other.take(100 << 10, LITTLE).await, Ok(()));
        assert_eq!(budget.0.metrics.held.get(), (480 + 100) << 10);
        // A result, and one of a large unit.
        let mut results = Vec::new();
        while let Ok(result) = budget.reserve(&ann, 50 << 10, ChargeKind::Result, LITTLE).await {
            results.push(result);
        }
        assert_eq!(results.len(), 3, "the rest is kept for a large unit, and for what is kept");
        assert_eq!(budget.reserve(&ann, 50 << 10, ChargeKind::Kept, LITTLE).await.err(), Some(FullAccount::Client));
        let kept = budget.reserve(&eve, 150 << 10, ChargeKind::Kept, LITTLE).await.unwrap();
        assert_eq!(budget.reserve(&eve, 380 << 10, ChargeKind::Kept, LITTLE).await.err(), Some(FullAccount::Client));
        assert_eq!(budget.reserve(&eve, 260 << 10, ChargeKind::Kept, LITTLE).await.err(), Some(FullAccount::All));
        let unit = budget.reserve(&ann, 100 << 10, ChargeKind::Unit, LITTLE).await.unwrap();
        assert_eq!(budget.reserve(&ann, 80 << 10, ChargeKind::Unit, LITTLE).await.err(), Some(FullAccount::Client));
        unit.keep(50 << 10);
        assert!(budget.reserve(&ann, 80 << 10, ChargeKind::Unit, LITTLE).await.is_ok());
        drop((held, other, results, unit, kept));
        assert_eq!(budget.0.metrics.held.get(), 0);
        assert!(budget.accounts().clients.is_empty());
    }

    #[tokio::test]
    async fn short_messages_have_a_reserve() {
        let (budget, [ann, bob, eve]) = budget();
        let mut held = Vec::new();
        for client in [&ann, &bob] {
            for _ in 0..10 {
                let mut message = budget.begin(client, MOST.of_message);
                let _ = message.take(SHORT + 1, LITTLE).await;
                let _ = message.take(300 << 10, LITTLE).await;
                held.push(message);
            }
        }
        let mut long = budget.begin(&eve, MOST.of_message);
        for _ in 0..100 {
            if long.take(10 << 10, Duration::ZERO).await.is_err() {
                break;
            }
        }
        assert_eq!(long.take(SHORT + 1, LITTLE).await, Err(FullAccount::All));
        let zoe = Client::Named("zoe".into());
        let mut short = budget.begin(&zoe, SHORT);
        assert_eq!(short.take(SHORT, LITTLE).await, Ok(()));
        drop(short);
        // So have single answers, once nothing else is left.
        let mut singles = Vec::new();
        while budget.accounts().reserve == 0 {
            let client = Client::Named(singles.len().to_string().into());
            singles.push(budget.reserve(&client, SHORT, ChargeKind::Single, LITTLE).await.unwrap());
        }
        singles.last().unwrap().keep(100);
        assert_eq!(budget.accounts().reserve, 100);
        drop((singles, long, held));
        assert_eq!((budget.accounts().reserve, budget.0.metrics.held.get()), (0, 0));
    }

    /// Streams that have half a message each, and then results, come to an end, whatever the order in which they ask; and nobody ever
    /// holds more than there may be.
    #[tokio::test]
    async fn nobody_waits_in_a_circle() {
        let (budget, clients) = budget();
        let check = |budget: &Budget| {
            let accounts = budget.accounts();
            assert!(accounts.all.held <= MOST.all);
            assert!(accounts.clients.values().all(|account| account.held <= MOST.of_client));
        };
        let streams: Vec<_> = (0..40)
            .map(|index| {
                let (budget, client) = (budget.clone(), clients[index % 3].clone());
                tokio::spawn(async move {
                    let most = Duration::from_secs(20);
                    for turn in 0..3 {
                        let mut message = budget.begin(&client, MOST.of_message);
                        for _ in 0..40 {
                            message.take(10 << 10, most).await.unwrap();
                            check(&budget);
                            tokio::task::yield_now().await;
                        }
                        let result = budget.reserve(&client, 70 << 10, ChargeKind::Result, most).await.unwrap();
                        let unit = match (index + turn) % 4 {
                            0 => Some(budget.reserve(&client, 100 << 10, ChargeKind::Unit, most).await.unwrap()),
                            _ => None,
                        };
                        check(&budget);
                        tokio::task::yield_now().await;
                        drop(message);
                        result.keep(30 << 10);
                        tokio::task::yield_now().await;
                        drop((result, unit));
                    }
                })
            })
            .collect();
        for stream in streams {
            stream.await.unwrap();
        }
        assert_eq!(budget.0.metrics.held.get(), 0);
        assert!(budget.accounts().clients.is_empty());
    }
}
