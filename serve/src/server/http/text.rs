//! Requests of text: read by the readers of files, block by block, and computed by the threads of the pool.
//!
//! Readers of files wait for bytes where they are. So each request has a thread for its reader, which does little else than
//! to cut text into blocks, and sleeps most of the time. There are as many as there may be streams. All other work takes
//! turns in the pool: what unpacks, parses, computes and writes.

use std::io::{self, Read};
use std::ops::ControlFlow::{Break, Continue};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::future::{FutureExt, join3};
use slider_attacks_files::block::Origin;
use slider_attacks_files::compression::{PARQUET, is_compressed};
use slider_attacks_files::input::Stream;
use slider_attacks_files::{Block, Input, Inputs};
use slider_attacks_formats::cut::READ;
use slider_attacks_formats::error::Malformed;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::pipeline::{LINE, Room};
use tokio::sync::mpsc;
use tokio::task::consume_budget;

use super::super::connection::client::Client;
use super::super::limits::budget::{Budget, Held};
use super::super::limits::patience::Excuse;
use super::super::options::TEXT_BYTES;
use super::super::pool::{Lane, here};
use super::super::refusal::Refusal;
use super::super::streams::exchange::{Computing, Exchanges, Parts, cost};
use super::super::streams::incoming::Incoming;
use super::ADVICE;
use super::media::unsupported;

/// The most bytes that are handed to a reader at a time, and how often that may be before it has taken them.
const PIECE: usize = 64 << 10;
const PIECES: usize = 4;
/// What a reader's thread takes for its stack.
const STACK: usize = 1 << 20;
/// What comes of a block is sent in parts of about this many bytes.
pub const ROOM: Room = Room { bytes: 1 << 20, is_next: true };
/// How many bytes it takes to read a byte of text.
const READING: u64 = 8;
/// The largest blocks. They cost as much as the largest pieces of batches.
const LARGE: usize = 128 << 10;
/// Blocks of at most this many bytes are computed where they arrive: to wake another thread would cost more.
const FEW: usize = 4 << 10;

/// A request of text.
pub struct Text {
    /// What it sends.
    pub incoming: Incoming,
    /// What is wanted of that.
    pub wanted: Wanted,
    /// The name that stands for it; its extension may show the format.
    pub name: &'static str,
    /// Who asks.
    pub client: Client,
    /// About how many bytes the result of a position takes.
    pub row_bytes: usize,
}

/// What the reader of a request and the rest of it share.
struct Reading {
    /// What came since the last block. It is a message of the budget, so that the oldest of all can come to its end.
    gathered: Mutex<Held>,
    budget: Budget,
    client: Client,
    blocks: AtomicU64,
    /// Why there is no more.
    failed: OnceLock<Refusal>,
}

impl Reading {
    fn gathered(&self) -> MutexGuard<'_, Held> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Charges bytes that came, unless they are so many that they must be those of a line which is passed over.
    async fn charge(&self, bytes: usize, unread: &Excuse, most: Duration) -> Result<(), Refusal> {
        let room = u64::from(TEXT_BYTES).saturating_sub(self.gathered().bytes());
        let bytes = room.min(bytes as u64);
        if self.gathered().try_take(bytes).is_ok() {
            return Ok(());
        }
        let _unread = unread.during();
        let take = || self.gathered().try_take(bytes);
        Ok(self.budget.wait(&self.client, most, take).await?)
    }

    /// What came is in a block now, which is charged by itself.
    fn block(&self) {
        *self.gathered() = self.budget.begin(&self.client, u64::MAX);
        self.blocks.fetch_add(1, Relaxed);
    }
}

/// What the reader says.
enum Said {
    Block(Block),
    Failed(anyhow::Error),
    End,
}

/// The bytes for the reader. Nothing stands for a request that was cut off.
struct Pieces {
    pieces: mpsc::Receiver<Option<Bytes>>,
    rest: Bytes,
    is_cut: bool,
}

impl Read for Pieces {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut length = 0;
        while length < room.len() && !(self.is_cut && self.rest.is_empty()) {
            if self.rest.is_empty() {
                // Blocks are as long as reads, so this takes all that is there.
                let piece = if length == 0 { self.pieces.blocking_recv() } else { self.pieces.try_recv().ok() };
                match piece {
                    Some(Some(piece)) => self.rest = piece,
                    Some(None) => self.is_cut = true,
                    None => break,
                }
                if self.is_cut {
                    break;
                }
            }
            let count = self.rest.len().min(room.len() - length);
            self.rest.copy_to_slice(&mut room[length..length + count]);
            length += count;
        }
        if self.is_cut && length == 0 {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(length)
    }
}

impl Text {
    /// Has all blocks worked on, and `take` take what comes of that, in order: it gets the parts, and ends when they do.
    pub async fn read<T, F>(
        self,
        shared: &Exchanges,
        work: impl Fn(&mut Block, bool) -> Result<T, Refusal> + Send + Sync + 'static,
        take: impl FnOnce(Parts<T>) -> F,
    ) -> Result<(), Refusal>
    where
        T: Send + 'static,
        F: Future<Output = Result<(), Refusal>>,
    {
        let Text { incoming, mut wanted, name, client, row_bytes } = self;
        if !wanted.keep_all() {
            let lines = ROOM.bytes / (row_bytes + 32 * wanted.keep.len()).max(1);
            wanted.block_bytes = Some((LINE * lines).clamp(READ, LARGE));
        }
        let budget = shared.budget.clone();
        let gathered = Mutex::new(budget.begin(&client, u64::MAX));
        let (blocks, failed) = (AtomicU64::new(0), OnceLock::new());
        let reading = Arc::new(Reading { gathered, budget, client, blocks, failed });
        let (pieces, taken) = mpsc::channel(PIECES);
        let (said, blocks) = mpsc::channel(1);
        start(wanted, name, Pieces { pieces: taken, rest: Bytes::new(), is_cut: false }, reading.clone(), said)?;
        let (unread, unanswered) = (incoming.unread.clone(), incoming.unanswered.clone());
        let most_waiting = incoming.most_waiting;
        let feeding = feed(incoming, pieces, reading.clone());
        let (queue, begun) = mpsc::channel(shared.pool.threads());
        let (all, parts) = mpsc::channel(1);
        let lane = Arc::new(Lane::new(shared.pool.clone()));
        let work = Arc::new(work);
        let going_on = go_on(begun, all, unanswered.clone(), lane.clone(), work.clone());
        let handing = async move {
            let (mut blocks, mut is_first) = (blocks, true);
            loop {
                // Otherwise a stream of which much has come would not let others run.
                consume_budget().await;
                let block = match blocks.recv().await {
                    Some(Said::Block(block)) => block,
                    Some(Said::End) => return,
                    Some(Said::Failed(error)) => {
                        let refusal = reading.failed.get().cloned();
                        let refusal = refusal.unwrap_or_else(|| Refusal::content(format!("{error:#}")));
                        let _ = queue.send(Err(refusal)).await;
                        return;
                    }
                    None => {
                        let _ = queue.send(Err(Refusal::internal("the server failed to read this request"))).await;
                        return;
                    }
                };
                let _unread = unread.during();
                let Ok(place) = queue.reserve().await else { return };
                // What is to be sent next is computed in any case. Otherwise streams would wait for each other.
                if unanswered.begin() > 0
                    && let Err(full) = reading.budget.room(&reading.client, most_waiting).await
                {
                    place.send(Err(full.into()));
                    return;
                }
                let held = reading.budget.expect(&reading.client, ROOM.bytes as u64 + READING * block.bytes() as u64);
                let (bytes, work, is_first) = (block.bytes(), work.clone(), std::mem::take(&mut is_first));
                let work = move || {
                    let mut block = block;
                    let part = work(&mut block, is_first)?;
                    Ok((part, Some((block, held)).filter(|(block, _)| !block.is_finished())))
                };
                let done: Computing<(T, Rest)> = if bytes <= FEW {
                    let done = here(work).unwrap_or_else(|panicked| Err(panicked.into()));
                    std::future::ready(done).boxed()
                } else {
                    let done = lane.begin(cost(bytes, LARGE), work);
                    async { done.await? }.boxed()
                };
                place.send(Ok(done));
            }
        };
        let mut reading = pin!(join3(feeding, handing, going_on).fuse());
        let mut taking = pin!(take(parts));
        tokio::select! {
            biased;
            ended = &mut taking => ended,
            _ = &mut reading => taking.await,
        }
    }
}

/// What is left of a block whose result has several parts, and what it is charged.
type Rest = Option<(Block, Held)>;

/// Passes on the parts, and works on what is left of blocks.
async fn go_on<T: Send + 'static>(
    mut begun: mpsc::Receiver<Result<Computing<(T, Rest)>, Refusal>>,
    all: mpsc::Sender<Result<Computing<T>, Refusal>>,
    unanswered: Arc<Excuse>,
    lane: Arc<Lane>,
    work: Arc<impl Fn(&mut Block, bool) -> Result<T, Refusal> + Send + Sync + 'static>,
) {
    while let Some(next) = begun.recv().await {
        let mut done = match next {
            Ok(computing) => computing.await,
            Err(refusal) => Err(refusal),
        };
        loop {
            let (part, rest) = match done {
                Ok((part, rest)) => (Ok(std::future::ready(Ok(part)).boxed()), rest),
                Err(refusal) => (Err(refusal), None),
            };
            if all.send(part).await.is_err() {
                return;
            }
            let Some((mut block, held)) = rest else { break };
            unanswered.begin();
            let work = work.clone();
            let more = move || {
                let part = work(&mut block, false)?;
                Ok((part, Some((block, held)).filter(|(block, _)| !block.is_finished())))
            };
            done = lane.begin(cost(ROOM.bytes, LARGE), more).await.unwrap_or_else(|panicked| Err(panicked.into()));
        }
    }
}

/// Starts the thread of the reader.
fn start(
    wanted: Wanted,
    name: &str,
    pieces: Pieces,
    reading: Arc<Reading>,
    said: mpsc::Sender<Said>,
) -> Result<(), Refusal> {
    let input = Input::stream(Stream::new(name, pieces), 0);
    let read = move || {
        let read = Inputs::of(vec![input], "").and_then(|mut inputs| {
            inputs.advice = ADVICE;
            inputs.read(&wanted, &mut |block| {
                reading.block();
                Ok(said.blocking_send(Said::Block(block)).map_or(Break(()), Continue))
            })
        });
        let _ = said.blocking_send(read.map_or_else(Said::Failed, |()| Said::End));
    };
    let started = std::thread::Builder::new().name("read".into()).stack_size(STACK).spawn(read);
    started.map(drop).map_err(|_| Refusal::busy("there is no thread left to read this request"))
}

/// Hands the body to the reader.
async fn feed(mut incoming: Incoming, pieces: mpsc::Sender<Option<Bytes>>, reading: Arc<Reading>) {
    let (unread, most) = (incoming.unread.clone(), incoming.most_waiting);
    let fed = async {
        let (mut blocks, mut first) = (0, Some(Vec::new()));
        loop {
            let is_more = incoming.fill("the rest of the body").await?;
            let mut piece = incoming.rest.split_to(incoming.rest.len().min(PIECE));
            if let Some(bytes) = &mut first {
                bytes.extend_from_slice(&piece);
                if is_more && bytes.len() < PARQUET.len() {
                    continue;
                }
                check(bytes)?;
                piece = first.take().unwrap_or_default().into();
            }
            let now = reading.blocks.load(Relaxed);
            if std::mem::replace(&mut blocks, now) != now {
                incoming.patience.restore();
            }
            reading.charge(piece.len(), &unread, most).await?;
            if let Err(mpsc::error::TrySendError::Full(piece)) = pieces.try_send(Some(piece)) {
                let _unread = unread.during();
                let _ = pieces.send(piece).await;
            }
            if !is_more || pieces.is_closed() {
                return Ok(());
            }
        }
    };
    if let Err(refusal) = fed.await {
        let _ = reading.failed.set(refusal);
        let _ = pieces.send(None).await;
    }
}

/// Refuses bodies that readers would unpack by themselves, without a bound, or copy into a file.
fn check(first: &[u8]) -> Result<(), Refusal> {
    if is_compressed(first) {
        return Err(unsupported("the body is compressed: say so in the header content-encoding".to_owned()));
    }
    if first.starts_with(PARQUET) {
        return Err(unsupported("the body is Parquet: send an Arrow stream, or text".to_owned()));
    }
    Ok(())
}

/// What is wrong with a record, and where.
pub fn refusal(origin: &Origin, malformed: &Malformed) -> Refusal {
    let mut refusal = Refusal::content(origin.message(malformed));
    if let Some(place) = &malformed.place {
        for (name, number) in [("line", place.line), ("column", place.column), ("ply", place.ply)] {
            refusal = number.into_iter().fold(refusal, |refusal, number| refusal.at(name, number));
        }
        for (name, text) in [("field", &place.field), ("value", &place.value)] {
            refusal = text.as_deref().into_iter().fold(refusal, |refusal, text| refusal.at(name, text));
        }
    }
    // The line of the body, if it is told by lines, and not that of a game in one of its fields.
    refusal.at(origin.source.unit(), malformed.number)
}
