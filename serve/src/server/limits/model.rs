//! A model of streams, the accounts and the pool. It runs the real accounts, with all orders of the steps of a few streams, and
//! random orders of many streams.
//!
//! - Nothing is computed that is not paid for: whatever streams hold is in the accounts, and these hold no more than they may.
//! - Nobody waits for ever: as long as the network takes what it gets, there is a step to take until all streams have ended. One that
//!   waits asks again only when the accounts say that others may have room.
//! - What is freed comes back: in the end, nothing is held.

use std::collections::{HashSet, VecDeque};

use super::accounts::{Accounts, ByteLimits, Charge, ChargeKind, SHORT};
use crate::server::connection::client::{Client, OpenStream, Streams};
use crate::server::monitoring::metrics::Metrics;

/// So many bytes are the unit of what is held here.
const PIECE: u64 = SHORT + 1;
/// How many threads compute.
const THREADS: usize = 2;
/// How many parts of a stream may be reserved before the first of them is answered.
const QUEUE: usize = 2;

/// A part of the input of a stream, and its results. All numbers are pieces.
#[derive(Clone, Copy, Debug)]
struct SentPart {
    /// How much is sent, in two steps.
    sent: [u64; 2],
    /// What is reserved for its result, and what the result takes.
    result: (u64, u64),
    /// The result of a large unit in it, or nothing.
    unit: u64,
    /// What is kept of it until the end of the stream.
    kept: u64,
}

/// How a stream sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamForm {
    /// Messages, which are held until they are answered.
    Messages,
    /// Text, which is cut into blocks.
    Text,
}

/// The next step of the input of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sending {
    Begin,
    Take(usize),
    Reserve,
    Ended,
}

/// The next step of the output of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Working {
    /// Nothing, until a part has been reserved.
    Idle,
    /// The result, or that of a large unit, is being computed.
    Computing { is_unit: bool },
    /// A large unit needs room.
    Unit,
    /// What is kept needs room.
    Kept,
}

#[derive(Clone, Debug)]
struct ModelStream {
    client: usize,
    form: StreamForm,
    parts: Vec<SentPart>,
    sending: (usize, Sending),
    working: Working,
    /// Whether it waits for room for what it sends, and for what is answered.
    waits: [bool; 2],
    /// The charge of the incoming message.
    message: Option<Charge>,
    /// The parts that are reserved: the first is worked on. With each, what it was sent in, if that is held still.
    queue: VecDeque<(SentPart, Charge, Option<Charge>)>,
    unit: Option<Charge>,
    kept: Vec<Charge>,
    /// The results that the network has not taken yet.
    given: VecDeque<Charge>,
    has_ended: bool,
}

#[derive(Clone)]
struct Model {
    accounts: Accounts,
    clients: Vec<Client>,
    streams: Vec<ModelStream>,
    refused: usize,
}

#[derive(Clone, Copy, Debug)]
enum ModelMove {
    Send(usize),
    Work(usize),
    /// The network takes the first of the results.
    Take(usize),
    /// The client resets the stream.
    Reset(usize),
}

impl Model {
    fn new(most: ByteLimits, streams: &[(usize, StreamForm, Vec<SentPart>)]) -> Model {
        let clients = (0..4).map(|number| Client::Named(number.to_string().into())).collect();
        let stream = |(client, form, parts): &(usize, StreamForm, Vec<SentPart>)| ModelStream {
            client: *client,
            form: *form,
            parts: parts.clone(),
            sending: (0, Sending::Begin),
            working: Working::Idle,
            waits: [false; 2],
            message: None,
            queue: VecDeque::new(),
            unit: None,
            kept: Vec::new(),
            given: VecDeque::new(),
            has_ended: false,
        };
        Model { accounts: Accounts::new(most), clients, streams: streams.iter().map(stream).collect(), refused: 0 }
    }

    /// What can happen next. The clients of the first streams may reset them.
    fn moves(&self, may_reset: usize) -> Vec<ModelMove> {
        let is_computing = |stream: &&ModelStream| matches!(stream.working, Working::Computing { .. });
        let has_thread = self.streams.iter().filter(is_computing).count() < THREADS;
        let mut moves = Vec::new();
        for (at, stream) in self.streams.iter().enumerate().filter(|(_, stream)| !stream.has_ended) {
            let is_full = stream.sending.1 == Sending::Reserve && stream.is_full(self.accounts.most);
            if !stream.waits[0] && !is_full && stream.sending.1 != Sending::Ended {
                moves.push(ModelMove::Send(at));
            }
            let can_work = match stream.working {
                Working::Idle => has_thread && !stream.queue.is_empty() || stream.is_done(),
                Working::Computing { .. } => true,
                Working::Unit | Working::Kept => !stream.waits[1],
            };
            if can_work {
                moves.push(ModelMove::Work(at));
            }
            if !stream.given.is_empty() {
                moves.push(ModelMove::Take(at));
            }
            if at < may_reset {
                moves.push(ModelMove::Reset(at));
            }
        }
        moves
    }

    fn go(&mut self, next: ModelMove) {
        let may_have_room = match next {
            ModelMove::Send(at) => self.send(at),
            ModelMove::Work(at) => self.work(at),
            ModelMove::Take(at) => {
                let stream = &mut self.streams[at];
                let mut taken = stream.given.pop_front().unwrap();
                self.accounts.give_back(&self.clients[stream.client], &mut taken)
            }
            ModelMove::Reset(at) => self.end(at),
        };
        if may_have_room {
            self.streams.iter_mut().for_each(|stream| stream.waits = [false; 2]);
        }
    }

    /// Returns, as the other steps, whether those that wait are to ask again.
    fn send(&mut self, at: usize) -> bool {
        let Model { accounts, clients, streams, .. } = self;
        let stream = &mut streams[at];
        let (client, (number, sending)) = (&clients[stream.client], stream.sending);
        let part = stream.parts[number];
        match sending {
            Sending::Begin => {
                let length = match stream.form {
                    StreamForm::Messages => part.sent.iter().sum::<u64>() * PIECE,
                    StreamForm::Text => u64::MAX,
                };
                stream.message = Some(accounts.begin(client, length));
                stream.sending.1 = Sending::Take(0);
            }
            Sending::Take(piece) => {
                let message = stream.message.as_mut().unwrap();
                if accounts.take(client, message, part.sent[piece] * PIECE).is_err() {
                    stream.waits[0] = true;
                } else if piece == 0 {
                    stream.sending.1 = Sending::Take(1);
                } else {
                    stream.sending.1 = Sending::Reserve;
                    return stream.form == StreamForm::Text && accounts.arrived(client, message);
                }
            }
            Sending::Reserve => {
                let Ok(result) = accounts.reserve(client, part.result.0 * PIECE, ChargeKind::Result) else {
                    stream.waits[0] = true;
                    return false;
                };
                let mut message = stream.message.take();
                let is_freed = match stream.form {
                    StreamForm::Text => {
                        message.take().is_some_and(|mut message| accounts.give_back(client, &mut message))
                    }
                    StreamForm::Messages => false,
                };
                stream.queue.push_back((part, result, message));
                let is_last = number + 1 == stream.parts.len();
                stream.sending = (number + 1, if is_last { Sending::Ended } else { Sending::Begin });
                return is_freed;
            }
            Sending::Ended => unreachable!("it has no more to send"),
        }
        false
    }

    fn work(&mut self, at: usize) -> bool {
        let Model { accounts, clients, streams, refused } = self;
        let stream = &mut streams[at];
        let client = &clients[stream.client];
        if stream.is_done() {
            return self.end(at);
        }
        match stream.working {
            Working::Idle => {
                stream.working = Working::Computing { is_unit: false };
                false
            }
            Working::Computing { is_unit: false } if stream.queue[0].0.unit > 0 => {
                stream.working = Working::Unit;
                false
            }
            Working::Computing { is_unit: false } if stream.queue[0].0.kept > 0 => {
                stream.working = Working::Kept;
                false
            }
            Working::Computing { is_unit } => {
                stream.working = Working::Idle;
                let (part, mut result, message) = stream.queue.pop_front().unwrap();
                let mut is_freed = message.is_some_and(|mut message| accounts.give_back(client, &mut message));
                if is_unit {
                    stream.given.push_back(stream.unit.take().unwrap());
                    is_freed |= accounts.give_back(client, &mut result);
                } else {
                    assert!(result.bytes() >= part.result.1 * PIECE, "it is paid for");
                    is_freed |= accounts.keep(client, &mut result, part.result.1 * PIECE);
                    stream.given.push_back(result);
                }
                is_freed
            }
            Working::Unit => {
                match accounts.reserve(client, stream.queue[0].0.unit * PIECE, ChargeKind::Unit) {
                    Ok(unit) => {
                        stream.unit = Some(unit);
                        stream.working = Working::Computing { is_unit: true };
                    }
                    Err(_) => stream.waits[1] = true,
                }
                false
            }
            Working::Kept => match accounts.reserve(client, stream.queue[0].0.kept * PIECE, ChargeKind::Kept) {
                Ok(kept) => {
                    stream.kept.push(kept);
                    stream.working = Working::Idle;
                    let (_, mut result, message) = stream.queue.pop_front().unwrap();
                    let is_freed = message.is_some_and(|mut message| accounts.give_back(client, &mut message));
                    accounts.give_back(client, &mut result) | is_freed
                }
                Err(_) => {
                    *refused += 1;
                    self.end(at)
                }
            },
        }
    }

    /// Ends a stream, whatever it holds.
    fn end(&mut self, at: usize) -> bool {
        let client = &self.clients[self.streams[at].client];
        let stream = &mut self.streams[at];
        let queued = stream.queue.drain(..).flat_map(|(_, result, message)| [Some(result), message]);
        let others = [stream.message.take(), stream.unit.take()];
        let given = stream.given.drain(..).chain(stream.kept.drain(..)).map(Some);
        let mut all: Vec<Charge> = queued.chain(others).chain(given).flatten().collect();
        stream.working = Working::Idle;
        stream.has_ended = true;
        all.iter_mut().fold(false, |is_freed, charge| self.accounts.give_back(client, charge) | is_freed)
    }

    /// Checks what is held.
    fn check(&self) {
        let (accounts, most) = (&self.accounts, self.accounts.most);
        let mut all = 0;
        for (number, client) in self.clients.iter().enumerate() {
            let of_client = self.streams.iter().filter(|stream| stream.client == number);
            let held: u64 = of_client.clone().flat_map(ModelStream::charges).map(Charge::bytes).sum();
            let account = accounts.clients.get(client);
            assert_eq!(account.map_or(0, |account| account.held), held, "client {number}");
            assert!(held <= most.of_client, "client {number} holds {held}");
            assert!(account.is_none() || of_client.clone().any(|stream| !stream.has_ended));
            all += held;
        }
        assert_eq!(accounts.all.held + accounts.reserve, all);
        assert!(all <= most.all, "all hold {all}");
    }

    /// The identity of this state.
    fn key(&self) -> Vec<u64> {
        let mut key = vec![self.accounts.reserve];
        for stream in &self.streams {
            let sending = match stream.sending.1 {
                Sending::Begin => 0,
                Sending::Take(piece) => 1 + piece as u64,
                Sending::Reserve => 3,
                Sending::Ended => 4,
            };
            let working = match stream.working {
                Working::Idle => 0,
                Working::Computing { is_unit } => 1 + u64::from(is_unit),
                Working::Unit => 3,
                Working::Kept => 4,
            };
            let flags =
                stream.waits.into_iter().chain([stream.has_ended]).fold(0, |all, flag| 2 * all + u64::from(flag));
            let lengths = [stream.queue.len(), stream.given.len(), stream.kept.len()].map(|length| length as u64);
            key.extend([stream.sending.0 as u64, sending, working, flags]);
            key.extend(lengths);
            for charge in stream.charges() {
                key.extend([charge.bytes(), charge.age(&self.accounts).map_or(0, |age| 1 + age as u64)]);
            }
        }
        key
    }
}

impl ModelStream {
    /// Whether it may not reserve its next result before others are answered.
    fn is_full(&self, most: ByteLimits) -> bool {
        let to_keep = self.parts.iter().map(|part| part.kept * PIECE).sum();
        let results: u64 = self.queue.iter().map(|(_, result, _)| result.bytes()).sum();
        let next = self.parts[self.sending.0].result.0 * PIECE;
        self.queue.len() == QUEUE || results > 0 && results + next > most.most_results(to_keep)
    }

    fn charges(&self) -> impl Iterator<Item = &Charge> {
        let queued = self.queue.iter().flat_map(|(_, result, message)| [Some(result), message.as_ref()]);
        let others = [self.message.as_ref(), self.unit.as_ref()];
        queued.chain(others).flatten().chain(&self.given).chain(&self.kept)
    }

    /// All is answered, and taken.
    fn is_done(&self) -> bool {
        self.sending.1 == Sending::Ended && self.queue.is_empty() && self.given.is_empty()
    }
}

/// The accounts are small, so that few streams fill them: a client has 16 pieces, and a message two, as by default.
fn limits(all: u64) -> ByteLimits {
    ByteLimits { all: all * PIECE, of_client: 16 * PIECE, of_message: 2 * PIECE }
}

fn part(sent: [u64; 2], result: (u64, u64), unit: u64, kept: u64) -> SentPart {
    SentPart { sent, result, unit, kept }
}

/// Takes all steps in all orders, and returns how many states there are, and in how many of them a stream was refused.
fn all_orders(all: u64, streams: &[(usize, StreamForm, Vec<SentPart>)], may_reset: usize) -> (usize, usize) {
    let first = Model::new(limits(all), streams);
    let (mut seen, mut refused) = (HashSet::from([first.key()]), 0);
    let mut left = vec![first];
    while let Some(model) = left.pop() {
        let moves = model.moves(may_reset);
        if moves.is_empty() {
            let waiting: Vec<_> = model.streams.iter().filter(|stream| !stream.has_ended).collect();
            assert!(waiting.is_empty(), "they wait for ever: {waiting:#?}");
            assert_eq!((model.accounts.all.held, model.accounts.reserve), (0, 0));
            assert!(model.accounts.clients.is_empty());
            refused += model.refused;
        }
        for next in moves {
            let mut model = model.clone();
            model.go(next);
            model.check();
            if seen.insert(model.key()) {
                left.push(model);
            }
        }
    }
    (seen.len(), refused)
}

#[test]
fn all_orders_of_few_streams() {
    let large = part([0, 1], (4, 2), 2, 0);
    let usual = part([1, 1], (4, 3), 0, 0);
    let sums = || vec![part([1, 1], (4, 0), 0, 4), part([1, 1], (4, 4), 0, 0)];
    let (text, messages) = (StreamForm::Text, StreamForm::Messages);
    // Three clients fill what all may hold; then one fills what is its own, alone and while others leave.
    let (states, _) =
        all_orders(19, &[(0, text, vec![large; 2]), (1, text, vec![large; 2]), (2, messages, vec![usual])], 0);
    assert!(states > 10_000, "{states}");
    let (states, _) =
        all_orders(40, &[(0, text, vec![large; 2]), (0, messages, vec![usual; 2]), (0, text, vec![large])], 1);
    assert!(states > 10_000, "{states}");
    let (states, refused) = all_orders(40, &[(0, text, sums()), (0, text, sums()), (0, text, sums())], 0);
    assert!(states > 10_000 && refused > 0, "{states}, {refused}");
    // Alone, one that keeps half of what its client may hold is never refused, for it could not be answered otherwise.
    let alone = [3, 3, 2].map(|kept| part([1, 1], (5, 0), 0, kept)).to_vec();
    let (states, refused) = all_orders(40, &[(0, text, alone)], 0);
    assert!(states > 20 && refused == 0, "{states}, {refused}");
}

#[test]
fn many_orders_of_many_streams() {
    let mut random = ModelRandom(1);
    let (mut refused, mut reset) = (0, 0);
    for _ in 0..300 {
        let metrics = Metrics::new(&[], "scalar");
        let open = Streams::new(12, 5, metrics.clone());
        let mut streams = Vec::new();
        for _ in 0..16 {
            let form = [StreamForm::Text, StreamForm::Messages][random.below(2)];
            let client = random.below(4);
            let parts = (0..1 + random.below(4)).map(|_| {
                let is_text = form == StreamForm::Text;
                let unit = if is_text && random.below(3) == 0 { 1 + random.below(2) as u64 } else { 0 };
                let kept = if is_text && unit == 0 && random.below(3) == 0 { 1 + random.below(4) as u64 } else { 0 };
                let (first, result) = (random.below(3) as u64, 1 + random.below(4) as u64);
                part([first, 2 - first], (result, random.below(1 + result as usize) as u64), unit, kept)
            });
            streams.push((client, form, parts.collect()));
        }
        let mut model = Model::new(limits([19, 24, 40, 64][random.below(4)]), &streams);
        // Only this many may be open.
        let mut opened: Vec<Option<OpenStream>> = Vec::new();
        for stream in &mut model.streams {
            opened.push(open.open(model.clients[stream.client].clone()).ok());
            stream.has_ended = opened.last().is_some_and(Option::is_none);
        }
        loop {
            let moves = model.moves(0);
            if moves.is_empty() {
                break;
            }
            let next = match random.below(200) {
                0 => ModelMove::Reset(random.below(model.streams.len())),
                _ => moves[random.below(moves.len())],
            };
            reset += usize::from(matches!(next, ModelMove::Reset(_)));
            model.go(next);
            model.check();
            for (stream, opened) in model.streams.iter().zip(&mut opened) {
                opened.take_if(|_| stream.has_ended);
            }
            assert_eq!(metrics.streams.get() as usize, model.streams.iter().filter(|stream| !stream.has_ended).count());
        }
        let waiting: Vec<_> = model.streams.iter().filter(|stream| !stream.has_ended).collect();
        assert!(waiting.is_empty(), "they wait for ever: {waiting:#?}");
        assert_eq!((model.accounts.all.held, model.accounts.reserve), (0, 0));
        assert!(model.accounts.clients.is_empty());
        refused += model.refused;
    }
    assert!(refused > 100 && reset > 100, "{refused}, {reset}");
}

/// xorshift, <https://www.jstatsoft.org/article/view/v008i14>.
struct ModelRandom(u64);

impl ModelRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}
