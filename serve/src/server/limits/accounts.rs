//! The bytes that each client holds, on which the [budget](super::budget) bases its decisions.
//!
//! This module knows no tasks and no timeouts, so that the model in `model.rs` runs exactly this code: callers without room
//! retry whenever a function returns that others may.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::time::Instant;

use crate::server::connection::client::Client;

/// A message of at most this many bytes is short. It is charged in full when it begins, and there is a reserve for such
/// messages, so that they do not wait for long ones of others.
pub const SHORT: u64 = 64 << 10;

/// The most bytes of results of usual units.
pub const USUAL: u64 = 1 << 20;

/// The reservation of a request with a single answer, before it is read: the maximum of both.
pub const SINGLE: u64 = 2 * SHORT;

/// How many bytes may be held.
#[derive(Clone, Copy, Debug)]
pub struct ByteLimits {
    /// The limit of all clients.
    pub all: u64,
    /// The limit of one client.
    pub of_client: u64,
    /// The limit of one message.
    pub of_message: u64,
}

impl ByteLimits {
    /// The part of all that is kept for short messages and single answers.
    fn reserve(self) -> u64 {
        (self.all / 16).min(self.all - self.of_message)
    }

    /// The part of an account that messages, and what is kept until the end of a stream, leave to results.
    fn results(self, most: u64) -> u64 {
        (most / 4).min((most - self.of_message) / 2)
    }

    /// The part of an account that all else leaves to the result of a large unit. That of the client bounds both: there is room
    /// for one such result in each account.
    fn unit(self) -> u64 {
        self.results(self.of_client) / 2
    }

    /// The most bytes that the result of a single unit may take.
    pub fn most_unit(self) -> u64 {
        self.unit().max(USUAL)
    }

    /// The most bytes of results that a stream should hold at a time if it keeps `to_keep` until its end: alone, it has room for
    /// both.
    pub fn most_results(self, to_keep: u64) -> u64 {
        self.of_client.saturating_sub(to_keep + self.unit() + self.unit() / 2).max(1)
    }

    /// Whether an account of at most `most` bytes has room for this many bytes of this kind.
    fn has_room(self, account: &Account, bytes: u64, kind: ChargeKind, most: u64) -> bool {
        let (held, unit) = (account.held + bytes, self.unit());
        match kind {
            ChargeKind::Message => held + self.results(most) <= most,
            // Where an account is small, a single result may be larger than what messages leave.
            ChargeKind::Result => held + unit + unit / 2 <= most || account.results == 0,
            ChargeKind::Unit => held <= most || account.results == 0,
            ChargeKind::Kept => {
                // Where messages may be longer, one that waits for what is kept is refused in the end.
                let oldest = self.of_message.min(most / 8);
                held + unit <= most && held - account.results + oldest + self.results(most) <= most
            }
            ChargeKind::Single => held <= most,
        }
    }
}

/// The purpose of held bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChargeKind {
    /// A message.
    Message,
    /// A result.
    Result,
    /// The result of a unit that is larger than others: of at most [`most_unit`](ByteLimits::most_unit) bytes.
    Unit,
    /// Bytes that are kept until the end of a stream, or until work on them begins.
    Kept,
    /// A request with a single answer.
    Single,
}

/// The account without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullAccount {
    /// That of the client.
    Client,
    /// That of all.
    All,
}

impl fmt::Display for FullAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FullAccount::Client => "client",
            FullAccount::All => "all",
        })
    }
}

/// The bytes that one client, or all clients together, hold.
#[cfg_attr(test, derive(Clone))]
pub struct Account {
    pub held: u64,
    /// How many of these bytes are those of results.
    pub results: u64,
    /// When something was last taken or given back.
    pub moved: Instant,
    /// The messages that have begun and are not answered yet.
    begun: BTreeSet<u64>,
}

impl Default for Account {
    fn default() -> Account {
        Account { held: 0, results: 0, moved: Instant::now(), begun: BTreeSet::new() }
    }
}

impl Account {
    /// So many bytes more are held, or fewer.
    fn change(&mut self, bytes: i64, kind: ChargeKind) {
        let results = matches!(kind, ChargeKind::Result | ChargeKind::Unit).then_some(&mut self.results);
        for held in [Some(&mut self.held), results].into_iter().flatten() {
            *held = held.checked_add_signed(bytes).expect("no more is given back than was held");
        }
        self.moved = Instant::now();
    }
}

/// Bytes that are held. They must be given back.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
#[must_use]
pub struct Charge {
    kind: ChargeKind,
    bytes: u64,
    /// How many of them are those of the reserve.
    reserve: u64,
    /// The number of the message, and whether it is short.
    message: Option<(u64, bool)>,
}

impl Charge {
    /// How many bytes these are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many messages have begun before it and are not answered yet, if it is that of a message.
    #[cfg(test)]
    pub fn age(&self, accounts: &Accounts) -> Option<usize> {
        self.message.map(|(number, _)| accounts.all.begun.range(..number).count())
    }
}

/// The accounts of all clients.
#[cfg_attr(test, derive(Clone))]
pub struct Accounts {
    pub most: ByteLimits,
    pub all: Account,
    pub clients: HashMap<Client, Account>,
    /// What short messages and single answers hold of their reserve.
    pub reserve: u64,
    /// The number of the next message.
    next: u64,
}

impl Accounts {
    /// Nothing is held.
    pub fn new(most: ByteLimits) -> Accounts {
        Accounts { most, all: Account::default(), clients: HashMap::new(), reserve: 0, next: 0 }
    }

    fn client(&mut self, client: &Client) -> &mut Account {
        self.clients.entry(client.clone()).or_default()
    }

    /// Begins a message of this length. It holds nothing yet.
    pub fn begin(&mut self, client: &Client, length: u64) -> Charge {
        let number = self.next;
        self.next += 1;
        self.all.begun.insert(number);
        self.client(client).begun.insert(number);
        Charge { kind: ChargeKind::Message, bytes: 0, reserve: 0, message: Some((number, length <= SHORT)) }
    }

    /// Holds this many bytes more of a message, if there is room. Others leave room for the longest message to the oldest one.
    pub fn take(&mut self, client: &Client, charge: &mut Charge, bytes: u64) -> Result<(), FullAccount> {
        let Some((number, is_short)) = charge.message else { return Ok(()) };
        let most = self.most;
        let with_oldest = |account: &Account| {
            let is_oldest = account.begun.first() == Some(&number);
            bytes + if is_oldest { 0 } else { most.of_message }
        };
        let account = self.client(client);
        if !most.has_room(account, with_oldest(account), ChargeKind::Message, most.of_client) {
            return Err(FullAccount::Client);
        }
        charge.reserve += self.take_of_all(with_oldest(&self.all), bytes, ChargeKind::Message, is_short)?;
        self.client(client).change(bytes as i64, ChargeKind::Message);
        charge.bytes += bytes;
        Ok(())
    }

    /// Holds this many bytes of any other kind, if there is room.
    pub fn reserve(&mut self, client: &Client, bytes: u64, kind: ChargeKind) -> Result<Charge, FullAccount> {
        let most = self.most;
        if !self.clients.get(client).is_none_or(|account| most.has_room(account, bytes, kind, most.of_client)) {
            return Err(FullAccount::Client);
        }
        let reserve = self.take_of_all(bytes, bytes, kind, kind == ChargeKind::Single)?;
        self.client(client).change(bytes as i64, kind);
        Ok(Charge { kind, bytes, reserve, message: None })
    }

    /// Takes bytes from the account of all, which must have room for `with` of them, or else from its reserve. Returns how many
    /// are from the reserve.
    fn take_of_all(
        &mut self,
        with: u64,
        bytes: u64,
        kind: ChargeKind,
        may_use_reserve: bool,
    ) -> Result<u64, FullAccount> {
        let reserve = self.most.reserve();
        let is_reserve = !self.most.has_room(&self.all, with, kind, self.most.all - reserve);
        if is_reserve && !(may_use_reserve && self.reserve + bytes <= reserve) {
            return Err(FullAccount::All);
        }
        let of_reserve = if is_reserve { bytes } else { 0 };
        self.reserve += of_reserve;
        self.all.change((bytes - of_reserve) as i64, kind);
        Ok(of_reserve)
    }

    /// Changes a charge to this many bytes, now that the size is known. Returns whether others may have room.
    pub fn keep(&mut self, client: &Client, charge: &mut Charge, bytes: u64) -> bool {
        let reserve = charge.reserve.min(bytes);
        let of_all = (bytes - reserve) as i64 - (charge.bytes - charge.reserve) as i64;
        self.reserve -= charge.reserve - reserve;
        self.all.change(of_all, charge.kind);
        self.client(client).change(bytes as i64 - charge.bytes as i64, charge.kind);
        let is_less = bytes < charge.bytes;
        (charge.bytes, charge.reserve) = (bytes, reserve);
        is_less
    }

    /// A message has arrived, and is kept from now on. Others do not leave room to it any more, but to the next one.
    pub fn arrived(&mut self, client: &Client, charge: &mut Charge) -> bool {
        charge.kind = ChargeKind::Kept;
        let Some((number, _)) = charge.message.take() else { return false };
        self.all.begun.remove(&number);
        self.client(client).begun.remove(&number);
        true
    }

    /// Gives all of these bytes back. Returns whether others may have room.
    pub fn give_back(&mut self, client: &Client, charge: &mut Charge) -> bool {
        let is_less = self.keep(client, charge, 0);
        let is_changed = is_less | self.arrived(client, charge);
        if self.clients.get(client).is_some_and(|account| account.held == 0 && account.begun.is_empty()) {
            self.clients.remove(client);
        }
        is_changed
    }
}
