//! How many bytes of messages and results are held at a time: for each client, and for all.
//!
//! A message is charged as its bytes come, so that an announced length costs nothing. Streams that wait with half a
//! message each would wait for each other in a circle. So each account keeps room for its oldest message, of the longest
//! length that a message may have: whatever the others hold, the oldest one can come in full, can be answered, and gives
//! back what it had. Then there is another oldest one. It lasts as long as its client takes to send it.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::server::connection::client::Client;
use crate::server::monitoring::metrics::Metrics;

/// A message of at most this many bytes is short. It is charged in full when it begins, and there is a reserve for such
/// messages, so that they do not wait for long ones of others.
pub const SHORT: u64 = 64 << 10;

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
    /// When something was last taken or given back.
    moved: Instant,
    /// The messages that have begun and are not answered yet.
    begun: BTreeSet<u64>,
}

impl Default for Account {
    fn default() -> Account {
        Account { held: 0, moved: Instant::now(), begun: BTreeSet::new() }
    }
}

impl Account {
    /// Whether this message may have so many bytes more, if the account has at most `most`, of which `kept` are for its oldest
    /// message.
    fn has_room(&self, message: u64, bytes: u64, most: u64, kept: u64) -> bool {
        let kept = if self.begun.first() == Some(&message) { 0 } else { kept };
        self.held + bytes + kept <= most
    }
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
        Held { budget: self.clone(), client: client.clone(), message, bytes: 0, reserve: 0 }
    }

    /// Holds the bytes of a result, which are there already, until they are dropped.
    pub fn hold<T: AsRef<[u8]> + Send + 'static>(&self, client: &Client, bytes: T) -> Bytes {
        let held = self.expect(client, bytes.as_ref().len() as u64);
        Bytes::from_owner(HeldBytes { bytes, _held: held })
    }

    /// Holds so many bytes, whether or not there is room for them.
    pub fn expect(&self, client: &Client, bytes: u64) -> Held {
        let mut state = self.state();
        state.all.held += bytes;
        state.clients.entry(client.clone()).or_default().held += bytes;
        self.0.metrics.held.add(bytes as i64);
        Held { budget: self.clone(), client: client.clone(), message: None, bytes, reserve: 0 }
    }

    /// The most bytes that one stream should keep until its end: half of what its client may hold.
    pub fn most_kept(&self) -> u64 {
        self.0.most.of_client / 2
    }

    /// Waits until neither the client nor all hold more than they may, but at most so long.
    pub async fn room(&self, client: &Client, most: Duration) -> Result<(), Full> {
        let has_room = || {
            let (state, limits) = (self.state(), self.0.most);
            let of_client = state.clients.get(client).map_or(0, |account| account.held);
            if of_client > limits.of_client {
                return Err(Full::Client);
            }
            if state.all.held > limits.all { Err(Full::All) } else { Ok(()) }
        };
        self.wait(client, most, has_room).await
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
    bytes: u64,
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
        self.bytes
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
        if !client.has_room(number, bytes, most.of_client, most.of_message) {
            return Err(Full::Client);
        }
        if all.has_room(number, bytes, most.all - most.reserve(), most.of_message) {
            all.held += bytes;
        } else if is_short && *reserve + bytes <= most.reserve() {
            *reserve += bytes;
            self.reserve += bytes;
        } else {
            return Err(Full::All);
        }
        client.held += bytes;
        let now = Instant::now();
        (all.moved, client.moved) = (now, now);
        self.bytes += bytes;
        budget.0.metrics.held.add(bytes as i64);
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        {
            let mut state = self.budget.state();
            state.all.held -= self.bytes - self.reserve;
            state.all.moved = Instant::now();
            state.reserve -= self.reserve;
            if let Some(Message { number, .. }) = self.message {
                state.all.begun.remove(&number);
            }
            if let Some(client) = state.clients.get_mut(&self.client) {
                client.held -= self.bytes;
                client.moved = Instant::now();
                if let Some(Message { number, .. }) = self.message {
                    client.begun.remove(&number);
                }
                if client.held == 0 && client.begun.is_empty() {
                    state.clients.remove(&self.client);
                }
            }
            self.budget.0.metrics.held.sub(self.bytes as i64);
        }
        self.budget.0.changed.notify_waiters();
    }
}

/// Bytes, and what is held for them.
struct HeldBytes<T> {
    bytes: T,
    _held: Held,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for HeldBytes<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
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
        let bytes: u64 = held.iter().map(|message| message.bytes).sum();
        assert_eq!(bytes, 400 << 10, "the rest is kept for the oldest");
        assert_eq!(held[1].take(1, LITTLE).await, Err(Full::Client));
        assert_eq!(held[0].take(320 << 10, LITTLE).await, Ok(()));
        let mut other = budget.begin(&bob, MOST.of_message);
        assert_eq!(other.take(100 << 10, LITTLE).await, Ok(()));
        assert_eq!(budget.0.metrics.held.get(), (720 + 100) << 10);
        drop((held, other));
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

    /// Streams that have half a message each come to an end, whatever the order in which they ask.
    #[tokio::test]
    async fn nobody_waits_in_a_circle() {
        let (budget, clients) = budget();
        let streams: Vec<_> = (0..40)
            .map(|index| {
                let (budget, client) = (budget.clone(), clients[index % 3].clone());
                tokio::spawn(async move {
                    for _ in 0..3 {
                        let mut message = budget.begin(&client, MOST.of_message);
                        for _ in 0..40 {
                            message.take(10 << 10, Duration::from_secs(20)).await.unwrap();
                            tokio::task::yield_now().await;
                        }
                        let result = budget.hold(&client, vec![0; 100 << 10]);
                        tokio::task::yield_now().await;
                        drop((message, result));
                    }
                })
            })
            .collect();
        for stream in streams {
            stream.await.unwrap();
        }
        assert_eq!(budget.0.metrics.held.get(), 0);
    }
}
