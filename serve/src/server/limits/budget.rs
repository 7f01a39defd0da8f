//! How many bytes are held at a time: for each client, and for all.
//!
//! Before work begins, the most bytes that it may take are reserved here. What has no room waits, or is refused. What came of the
//! work is held until the network has taken it.
//!
//! | what | leaves room in its account |
//! |---|---|
//! | a message | for the longest message, unless it is the oldest one, and for results |
//! | a result | of its client, for a result of one large unit |
//! | a result of a unit that is larger than most | for nothing |
//! | what is kept until the end of a stream | for a quarter of other things |
//!
//! What is kept does not wait: a stream that keeps something until its end would wait for others that do the same. Results never wait for messages, then. What they wait for is other results, and those are taken by the network in time, or their
//! clients are cut off.
//!
//! A message is charged as its bytes come, so that an announced length costs nothing. Streams that wait with half a
//! message each would wait for each other in a circle. So each account keeps room for its oldest message, of the longest
//! length that a message may have: whatever the others hold, the oldest one can come in full, can be answered, and gives
//! back what it had. Then there is another oldest one. It lasts as long as its client takes to send it.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::server::connection::client::Client;
use crate::server::monitoring::metrics::Metrics;

/// A message of at most this many bytes is short. It is charged in full when it begins, and there is a reserve for such
/// messages, so that they do not wait for long ones of others.
pub const SHORT: u64 = 64 << 10;

/// The most bytes of results of usual units.
pub const USUAL: u64 = 1 << 20;

/// The bytes that may be held. Beyond it, clients wait.
#[derive(Clone)]
pub struct Budget(Arc<Shared>);

struct Shared {
    most: ByteLimits,
    state: Mutex<State>,
    changed: Notify,
    metrics: Metrics,
}

/// How many bytes may be held.
#[derive(Clone, Copy, Debug)]
pub struct ByteLimits {
    /// By all clients.
    pub all: u64,
    /// By one client.
    pub of_client: u64,
    /// By one message.
    pub of_message: u64,
}

impl ByteLimits {
    /// The part of all that is kept for short messages.
    fn reserve(self) -> u64 {
        (self.all / 16).min(self.all - self.of_message)
    }

    /// The part of an account that messages leave to results.
    fn results(self, most: u64) -> u64 {
        (most / 4).min((most - self.of_message) / 2)
    }

    /// The part of the account of a client that its results leave to one of a large unit.
    fn unit(self) -> u64 {
        self.results(self.of_client) / 2
    }
}

#[derive(Default)]
struct State {
    all: Account,
    clients: HashMap<Client, Account>,
    /// What short messages hold of their reserve.
    reserve: u64,
    /// The number of the next message.
    next: u64,
}

struct Account {
    held: u64,
    /// How many of these bytes are those of results, and of what is kept until the end of a stream.
    results: u64,
    kept: u64,
    /// When something was last taken or given back.
    moved: Instant,
    /// The messages that have begun and are not answered yet.
    begun: BTreeSet<u64>,
}

impl Default for Account {
    fn default() -> Account {
        Account { held: 0, results: 0, kept: 0, moved: Instant::now(), begun: BTreeSet::new() }
    }
}

impl Account {
    /// Whether this message may have so many bytes more, if the account has at most `most`, of which `kept` are for its oldest
    /// message.
    fn has_room(&self, message: u64, bytes: u64, most: u64, kept: u64) -> bool {
        let kept = if self.begun.first() == Some(&message) { 0 } else { kept };
        self.held + bytes + kept <= most
    }

    /// So many bytes more are held, or fewer.
    fn change(&mut self, bytes: i64, kind: Kind) {
        let of_kind = match kind {
            Kind::Message => None,
            Kind::Result | Kind::Unit => Some(&mut self.results),
            Kind::Kept => Some(&mut self.kept),
        };
        for held in [Some(&mut self.held), of_kind].into_iter().flatten() {
            *held = held.checked_add_signed(bytes).expect("no more is given back than was held");
        }
        self.moved = Instant::now();
    }
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message.
    Message,
    /// A result.
    Result,
    /// The result of a unit that is larger than others: of at most [`most_unit`](Budget::most_unit) bytes.
    Unit,
    /// What is kept until the end of a stream. It comes of a result for which as much is held, so that no more is held than before.
    Kept,
}

/// The account that has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// That of the client.
    Client,
    /// That of all.
    All,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Full::Client => "client",
            Full::All => "all",
        })
    }
}

impl Budget {
    /// A budget of which nothing is held.
    pub fn new(most: ByteLimits, metrics: Metrics) -> Budget {
        Budget(Arc::new(Shared { most, state: Mutex::default(), changed: Notify::new(), metrics }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a message of this length. It holds nothing yet.
    pub fn begin(&self, client: &Client, length: u64) -> Held {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.all.begun.insert(number);
        state.clients.entry(client.clone()).or_default().begun.insert(number);
        let message = Some(Message { number, is_short: length <= SHORT });
        let (budget, client, bytes) = (self.clone(), client.clone(), AtomicU64::new(0));
        Held { budget, client, message, kind: Kind::Message, bytes, reserve: 0 }
    }

    /// Holds so many bytes, whether or not there is room for them.
    pub fn expect(&self, client: &Client, bytes: u64, kind: Kind) -> Held {
        self.hold(&mut self.state(), client, bytes, kind)
    }

    fn hold(&self, state: &mut State, client: &Client, bytes: u64, kind: Kind) -> Held {
        for account in [&mut state.all, state.clients.entry(client.clone()).or_default()] {
            account.change(bytes as i64, kind);
        }
        self.0.metrics.held.add(bytes as i64);
        let (budget, client, bytes) = (self.clone(), client.clone(), AtomicU64::new(bytes));
        Held { budget, client, message: None, kind, bytes, reserve: 0 }
    }

    /// Reserves so many bytes. Waits for that, but at most so long, and not at all for what is kept.
    pub async fn reserve(&self, client: &Client, bytes: u64, kind: Kind, most: Duration) -> Result<Held, Full> {
        let (limits, mut held) = (self.0.most, None);
        let has_room = |account: &Account, most: u64, left: u64| match kind {
            Kind::Kept => account.kept + bytes <= most / 4 * 3,
            // Where an account is small, a single result may be larger than what messages leave.
            _ => account.held + bytes + left <= most || account.results == 0,
        };
        let left = if kind == Kind::Result { limits.unit() } else { 0 };
        let attempt = || {
            let mut state = self.state();
            if !state.clients.get(client).is_none_or(|account| has_room(account, limits.of_client, left)) {
                return Err(Full::Client);
            }
            if !has_room(&state.all, limits.all - limits.reserve(), 0) {
                return Err(Full::All);
            }
            held = Some(self.hold(&mut state, client, bytes, kind));
            Ok(())
        };
        self.wait(client, if kind == Kind::Kept { Duration::ZERO } else { most }, attempt).await?;
        held.ok_or(Full::All)
    }

    /// The most bytes that one stream should keep until its end: half of what its client may hold.
    pub fn most_kept(&self) -> u64 {
        self.0.most.of_client / 2
    }

    /// The most bytes that the result of a single unit may take.
    pub fn most_unit(&self) -> u64 {
        self.0.most.unit().max(USUAL)
    }

    /// Waits until this succeeds, but at most so long after the last movement in the account that has no room.
    pub async fn wait(
        &self,
        client: &Client,
        most: Duration,
        mut attempt: impl FnMut() -> Result<(), Full>,
    ) -> Result<(), Full> {
        let start = Instant::now();
        let Err(mut full) = attempt() else { return Ok(()) };
        let waited = loop {
            let mut changed = pin!(self.0.changed.notified());
            changed.as_mut().enable();
            match attempt() {
                Ok(()) => break Ok(()),
                Err(now) => full = now,
            }
            let quiet = {
                let state = self.state();
                let account = if full == Full::All { Some(&state.all) } else { state.clients.get(client) };
                account.map_or(start, |account| account.moved).max(start).elapsed()
            };
            if quiet >= most {
                break Err(full);
            }
            let _ = timeout(most - quiet, changed).await;
        };
        let labels = [full.to_string()];
        self.0.metrics.waits.with_label_values(&labels).inc();
        self.0.metrics.waited.with_label_values(&labels).inc_by(start.elapsed().as_secs_f64());
        waited
    }
}

/// Bytes that are held until this is dropped.
pub struct Held {
    budget: Budget,
    client: Client,
    /// If they are those of a message.
    message: Option<Message>,
    kind: Kind,
    bytes: AtomicU64,
    /// How many of them are those of the reserve.
    reserve: u64,
}

#[derive(Clone, Copy)]
struct Message {
    number: u64,
    is_short: bool,
}

impl Held {
    /// How many bytes these are.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// From now on, these are so many bytes: that is known now.
    pub fn keep(&self, bytes: u64) {
        let mut state = self.budget.state();
        let before = self.bytes.swap(bytes, Relaxed);
        let State { all, clients, .. } = &mut *state;
        for account in [all, clients.entry(self.client.clone()).or_default()] {
            account.change(bytes as i64 - before as i64, self.kind);
        }
        self.budget.0.metrics.held.add(bytes as i64 - before as i64);
        drop(state);
        if bytes < before {
            self.budget.0.changed.notify_waiters();
        }
    }

    /// Holds so many bytes more of a message. Waits for that, but at most so long.
    pub async fn take(&mut self, bytes: u64, most: Duration) -> Result<(), Full> {
        let budget = self.budget.clone();
        budget.wait(&self.client.clone(), most, || self.try_take(bytes)).await
    }

    /// Holds so many bytes more of a message, if there is room now.
    pub fn try_take(&mut self, bytes: u64) -> Result<(), Full> {
        let Some(Message { number, is_short }) = self.message else { return Ok(()) };
        let budget = self.budget.clone();
        let (mut state, most) = (budget.state(), budget.0.most);
        let State { all, clients, reserve, .. } = &mut *state;
        let client = clients.entry(self.client.clone()).or_default();
        if !client.has_room(number, bytes, most.of_client - most.results(most.of_client), most.of_message) {
            return Err(Full::Client);
        }
        let of_all = most.all - most.reserve();
        if all.has_room(number, bytes, of_all - most.results(of_all), most.of_message) {
            all.change(bytes as i64, Kind::Message);
        } else if is_short && *reserve + bytes <= most.reserve() {
            *reserve += bytes;
            self.reserve += bytes;
        } else {
            return Err(Full::All);
        }
        all.moved = Instant::now();
        client.change(bytes as i64, Kind::Message);
        *self.bytes.get_mut() += bytes;
        budget.0.metrics.held.add(bytes as i64);
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        {
            let (bytes, kind) = (self.bytes(), self.kind);
            let mut state = self.budget.state();
            state.all.change(self.reserve as i64 - bytes as i64, kind);
            state.reserve -= self.reserve;
            if let Some(Message { number, .. }) = self.message {
                state.all.begun.remove(&number);
            }
            if let Some(client) = state.clients.get_mut(&self.client) {
                client.change(-(bytes as i64), kind);
                if let Some(Message { number, .. }) = self.message {
                    client.begun.remove(&number);
                }
                if client.held == 0 && client.begun.is_empty() {
                    state.clients.remove(&self.client);
                }
            }
            self.budget.0.metrics.held.sub(bytes as i64);
        }
        self.budget.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: ByteLimits = ByteLimits { all: 1600 << 10, of_client: 800 << 10, of_message: 400 << 10 };
    const LITTLE: Duration = Duration::from_millis(20);

    fn budget() -> (Budget, [Client; 3]) {
        let clients = ["ann", "bob", "eve"].map(|name| Client::Named(name.into()));
        (Budget::new(MOST, Metrics::new(&[], "scalar")), clients)
    }

    #[tokio::test]
    async fn a_client_has_its_share_and_others_theirs() {
        let (budget, [ann, bob, _]) = budget();
        let mut held = Vec::new();
        for _ in 0..20 {
            let mut message = budget.begin(&ann, MOST.of_message);
            let _ = message.take(80 << 10, LITTLE).await;
            held.push(message);
        }
        let bytes: u64 = held.iter().map(Held::bytes).sum();
        assert_eq!(bytes, 160 << 10, "the rest is kept for the oldest, and for results");
        assert_eq!(held[1].take((40 << 10) + 1, LITTLE).await, Err(Full::Client));
        assert_eq!(held[0].take(320 << 10, LITTLE).await, Ok(()));
        let mut other = budget.begin(&bob, MOST.of_message);
        assert_eq!(other.take(100 << 10, LITTLE).await, Ok(()));
        assert_eq!(budget.0.metrics.held.get(), (480 + 100) << 10);
        // A result, and one of a large unit beside it.
        let mut results = Vec::new();
        while let Ok(result) = budget.reserve(&ann, 50 << 10, Kind::Result, LITTLE).await {
            results.push(result);
        }
        assert_eq!(results.len(), 4, "the rest is kept for a large unit");
        let unit = budget.reserve(&ann, 100 << 10, Kind::Unit, LITTLE).await.unwrap();
        assert_eq!(budget.reserve(&ann, 50 << 10, Kind::Unit, LITTLE).await.err(), Some(Full::Client));
        unit.keep(50 << 10);
        assert!(budget.reserve(&ann, 50 << 10, Kind::Unit, LITTLE).await.is_ok());
        drop((held, other, results, unit));
        assert_eq!(budget.0.metrics.held.get(), 0);
        assert!(budget.state().clients.is_empty());
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
        assert_eq!(long.take(SHORT + 1, LITTLE).await, Err(Full::All));
        let mut short = budget.begin(&Client::Named("zoe".into()), SHORT);
        assert_eq!(short.take(SHORT, LITTLE).await, Ok(()));
    }

    /// Streams that have half a message each, and then results, come to an end, whatever the order in which they ask; and nobody ever
    /// holds more than there may be.
    #[tokio::test]
    async fn nobody_waits_in_a_circle() {
        let (budget, clients) = budget();
        let check = |budget: &Budget| {
            let state = budget.state();
            assert!(state.all.held <= MOST.all);
            assert!(state.clients.values().all(|account| account.held <= MOST.of_client));
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
                        let result = budget.reserve(&client, 70 << 10, Kind::Result, most).await.unwrap();
                        let unit = match (index + turn) % 4 {
                            0 => Some(budget.reserve(&client, 100 << 10, Kind::Unit, most).await.unwrap()),
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
        assert!(budget.state().clients.is_empty());
    }
}
