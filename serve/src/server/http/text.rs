//! Requests with text: cut into blocks as they arrive, which the thread pool parses, computes and encodes.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{FutureExt, join};
use slider_attacks_files::Block;
use slider_attacks_files::block::{BlockPlace, Origin};
use slider_attacks_files::compression::{PARQUET, is_compressed};
use slider_attacks_files::input::{Input, Stream};
use slider_attacks_files::moves;
use slider_attacks_formats::Beginning;
use slider_attacks_formats::beginning::{extension, other_format};
use slider_attacks_formats::content::BlockBytes;
use slider_attacks_formats::cut::{Contents, Cutter, READ};
use slider_attacks_formats::error::{Malformed, OpenError};
use slider_attacks_formats::format::{self, FORMATS};
use slider_attacks_formats::games::game_rows::MAX_POSITIONS;
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::source::CutMethod;
use slider_attacks_rows::pipeline::{LINE, ResultLimits, Work};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::consume_budget;

use super::super::connection::client::Client;
use super::super::limits::budget::{Budget, ChargeKind, HeldBytes};
use super::super::limits::patience::Pause;
use super::super::options::TEXT_BYTES;
use super::super::pool::{FEW_BYTES, Lane, catch_panics};
use super::super::refusal::Refusal;
use super::super::streams::exchange::{Computing, Exchanges, Parts, cost};
use super::super::streams::grpc::Kept;
use super::super::streams::incoming::Incoming;
use super::ADVICE;
use super::elements::{ElementLines, JSON_ARRAY};
use super::media::unsupported;

/// The most bytes that are cut at a time.
const PIECE: usize = 64 << 10;
/// The maximum size of a part of the results of a block. Larger results of a unit are reserved separately.
const MOST: usize = 1 << 20;
/// The results of a block are sent in parts of about this many bytes.
pub const ROOM: ResultLimits = ResultLimits { bytes: MOST / 2, is_next: true, most: MOST };
/// So many parts of a block are held at a time: one is sent, and another one is computed.
const PARTS: usize = 2;
/// How many bytes it takes to read a byte of text, that of a long unit, and a position of a game.
const READING: usize = 8;
const READING_LONG: usize = 3;
const READING_GAMES: usize = 200;
/// The largest blocks. They cost as much as the largest pieces of batches.
const LARGE: usize = 128 << 10;
/// Blocks of at most this many bytes and positions are computed where they arrive, if few bytes come of them. That takes less than a
/// millisecond.
const FEW: usize = 4 << 10;
const FEW_POSITIONS: usize = 256;
/// How many bytes a position takes at least: of a game, and as a line.
const LEAST: [usize; 2] = [3, 20];
/// The most columns of a table, fields of an object, and columns that are kept.
const COLUMNS: usize = 4096;

/// A request of text.
pub struct TextRequest {
    /// The incoming bytes.
    pub incoming: Incoming,
    /// The requested columns and positions.
    pub wanted: Wanted,
    /// Its name for messages; the extension may show the format.
    pub name: &'static str,
    /// Who asks.
    pub client: Client,
    /// About how much results take.
    pub size: ResultSize,
    /// The most bytes of its results that are kept until it ends. Blocks leave room for them.
    pub to_keep: u64,
}

/// About how many bytes the result of a row takes, and how many rows a position has.
#[derive(Clone, Copy, Debug)]
pub struct ResultSize {
    /// The bytes of a row.
    pub row_bytes: usize,
    /// The rows of a position: more than one if each of its moves gives one.
    pub rows: usize,
}

impl ResultSize {
    /// That of the results of some work.
    pub fn of(work: &impl Work) -> ResultSize {
        ResultSize { row_bytes: work.row_bytes(), rows: work.position_rows() }
    }
}

/// The result of some work on a block.
pub enum BlockOutcome<T> {
    /// A part of its result, which takes this many bytes.
    Part(T, usize),
    /// Nothing, because the result of its next unit takes this many bytes.
    TooLarge(usize),
}

/// A block on its way, and what is held for it.
struct PendingBlock {
    block: Block,
    is_first: bool,
    /// What its bytes take, and to read them, and its parts.
    held: Arc<HeldBytes>,
    /// Its share of the results that the stream may hold.
    share: Arc<OwnedSemaphorePermit>,
    /// How many parts may be made before others have been taken.
    parts: Arc<Semaphore>,
    /// How many bytes it takes between pieces of work.
    kept_bytes: usize,
}

/// The results of a block so far, and the rest of it. If that begins with a unit with a large result, this many bytes are
/// needed.
struct BlockProgress<T> {
    part: Option<T>,
    rest: Option<(PendingBlock, Option<usize>)>,
}

/// What works on blocks.
struct Worker<'a, W> {
    lane: Lane,
    work: Arc<W>,
    budget: &'a Budget,
    client: Client,
    /// How long a result may wait for room.
    most_waiting: Duration,
}

impl TextRequest {
    /// Has all blocks worked on, and `take` take what comes of that, in order: it gets the parts, and ends when they do. `work` gets a
    /// block, whether it is the first one, how much room there is, and what is held for the part that it makes.
    pub async fn read<T, F>(
        self,
        shared: &Exchanges,
        work: impl Fn(&mut Block, bool, ResultLimits, &Kept) -> Result<BlockOutcome<T>, Refusal> + Send + Sync + 'static,
        take: impl FnOnce(Parts<T>) -> F,
    ) -> Result<(), Refusal>
    where
        T: Send + 'static,
        F: Future<Output = Result<(), Refusal>>,
    {
        let (queue, begun) = mpsc::channel(shared.pool.threads());
        let (all, parts) = mpsc::channel(1);
        let worker = Worker {
            lane: Lane::new(shared.pool.clone(), self.client.clone()),
            work: Arc::new(work),
            budget: &shared.budget,
            client: self.client.clone(),
            most_waiting: self.incoming.most_waiting,
        };
        let going_on = worker.go_on(begun, all, self.incoming.unanswered.clone());
        let handing = async {
            let queue = queue;
            if let Err(refusal) = self.hand_on(&worker, &queue).await {
                let _ = queue.send(Err(refusal)).await;
            }
        };
        let mut reading = pin!(join(handing, going_on).fuse());
        let mut taking = pin!(take(parts));
        tokio::select! {
            biased;
            ended = &mut taking => ended,
            _ = &mut reading => taking.await,
        }
    }

    /// Cuts the body into blocks as it comes, and hands them on as they begin to be worked on.
    async fn hand_on<T, W>(self, worker: &Worker<'_, W>, queue: &mpsc::Sender<BegunBlock<T>>) -> Result<(), Refusal>
    where
        T: Send + 'static,
        W: Fn(&mut Block, bool, ResultLimits, &Kept) -> Result<BlockOutcome<T>, Refusal> + Send + Sync + 'static,
    {
        let TextRequest { mut incoming, mut wanted, name, client, size: ResultSize { row_bytes, rows }, to_keep } =
            self;
        if !wanted.keep_all() {
            let lines = ROOM.bytes / (row_bytes + 32 * wanted.keep.len()).max(1) / rows;
            wanted.block_bytes = Some((LINE * lines).clamp(READ / rows, LARGE));
        }
        let (unread, unanswered) = (incoming.unread.clone(), incoming.unanswered.clone());
        let budget = worker.budget;
        // What came since the last block. It is a message of the budget, so that the oldest of all can come to its end.
        let mut gathered = Some(budget.begin(&client, u64::MAX));
        let (mut reader, mut is_first) = (BodyReader::new(name, wanted), true);
        let most_results = budget.most_results(to_keep);
        let all_results = Arc::new(Semaphore::new(most_results.div_ceil(1 << 10) as usize));
        loop {
            // Otherwise a stream with much buffered input would starve others.
            consume_budget().await;
            let is_last = !incoming.fill("the rest of the body").await?;
            let piece = incoming.rest.split_to(incoming.rest.len().min(PIECE));
            // More bytes than there may be must be those of a line which is passed over.
            let room = u64::from(TEXT_BYTES).saturating_sub(gathered.as_ref().map_or(0, HeldBytes::bytes));
            incoming.hold(&mut gathered, piece.len().min(room as usize)).await?;
            let is_quick = reader.is_quick(&piece, is_last);
            let push = move || (reader.push(&piece, is_last), reader);
            let (blocks, pushed) =
                if is_quick { catch_panics(push)? } else { worker.lane.begin(cost(PIECE, LARGE), push).await? };
            reader = pushed;
            let (blocks, failure) = (blocks?, std::mem::replace(&mut reader.failure, Ok(())));
            if is_first && failure.is_err() {
                // Before anything was answered, it is all that there is to say.
                return failure;
            }
            let mut came = None;
            if !blocks.is_empty() {
                incoming.patience.restore();
                came = gathered.replace(budget.begin(&client, u64::MAX)).map(HeldBytes::arrived);
            }
            for block in blocks {
                let _unread = unread.during();
                let Ok(place) = queue.reserve().await else { return Ok(()) };
                unanswered.begin();
                let has_games = block.origin.source.has_games();
                let positions = block.bytes() / LEAST[usize::from(!has_games)] + 1;
                let reading = READING * block.bytes().min(2 * LARGE)
                    + READING_LONG * block.bytes().saturating_sub(2 * LARGE)
                    + if has_games { READING_GAMES * positions.min(2 * MAX_POSITIONS) } else { 0 };
                let names: usize = block.origin.columns().iter().map(|name| 8 + name.len()).sum();
                // How many moves there are is not known before.
                let has_moves = rows > 1;
                let is_few = !has_moves
                    && block.bytes() <= FEW
                    && positions <= FEW_POSITIONS
                    && positions * (row_bytes + names) <= FEW_BYTES;
                // Positions stay until all of their moves have been taken.
                let parents = if has_moves { reading + moves::MOST_BYTES } else { 0 };
                let kept_bytes = block.bytes() + parents + PARTS * MOST;
                let results = if is_few { 2 * FEW_BYTES } else { MOST };
                let bytes = block.bytes() + parents.max(reading) + PARTS * results;
                // In KiB, as a semaphore counts up to 4 Gi.
                let share = (bytes as u64).min(most_results).div_ceil(1 << 10) as u32;
                let share =
                    all_results.clone().acquire_many_owned(share).await.map_err(|_| Refusal::unknown("share"))?;
                let held = budget.reserve(&client, bytes as u64, ChargeKind::Result, incoming.most_waiting).await?;
                let held = Arc::new(held);
                let parts = Arc::new(Semaphore::new(PARTS));
                let is_first = std::mem::take(&mut is_first);
                let pending = PendingBlock { block, is_first, held, share: Arc::new(share), parts, kept_bytes };
                let turn = pending.parts.clone().acquire_owned().await.map_err(|_| Refusal::unknown("turn"))?;
                place.send(Ok(worker.begin(pending, None, turn, is_few)));
            }
            drop(came);
            failure?;
            if is_last {
                return Ok(());
            }
        }
    }
}

/// A block that has begun to be worked on.
type BegunBlock<T> = Result<Computing<BlockProgress<T>>, Refusal>;

impl<W> Worker<'_, W> {
    /// Begins to work on a block, on this thread if the result is small. `unit` is held for a unit with a large result.
    fn begin<T>(
        &self,
        mut pending: PendingBlock,
        unit: Option<HeldBytes>,
        turn: OwnedSemaphorePermit,
        is_few: bool,
    ) -> Computing<BlockProgress<T>>
    where
        T: Send + 'static,
        W: Fn(&mut Block, bool, ResultLimits, &Kept) -> Result<BlockOutcome<T>, Refusal> + Send + Sync + 'static,
    {
        let (work, bytes) = (self.work.clone(), pending.block.bytes());
        let is_begun = pending.block.place() != BlockPlace::default();
        let work = move || {
            let (room, held) = match unit {
                Some(unit) => {
                    let bytes = unit.bytes() as usize;
                    (ResultLimits { bytes, is_next: true, most: bytes }, Arc::new(unit))
                }
                None => (ROOM, pending.held.clone()),
            };
            let kept: Kept = Arc::new((held.clone(), turn, pending.share.clone()));
            let worked = work(&mut pending.block, pending.is_first, room, &kept)?;
            let is_finished = pending.block.is_finished();
            Ok(match worked {
                BlockOutcome::Part(part, bytes) => {
                    pending.is_first = false;
                    // Now that is known. Other parts share what is held for them.
                    if !Arc::ptr_eq(&held, &pending.held) || is_finished && !is_begun {
                        held.keep(bytes as u64);
                    } else if !is_begun {
                        // To read the rest takes no more than the threads have for that.
                        held.keep(held.bytes().min(pending.kept_bytes as u64));
                    }
                    BlockProgress { part: Some(part), rest: (!is_finished).then_some((pending, None)) }
                }
                BlockOutcome::TooLarge(needs) => BlockProgress { part: None, rest: Some((pending, Some(needs))) },
            })
        };
        if is_few {
            return std::future::ready(catch_panics(work).unwrap_or_else(|panicked| Err(panicked.into()))).boxed();
        }
        let done = self.lane.begin(cost(if is_begun { ROOM.bytes } else { bytes }, LARGE), work);
        async { done.await? }.boxed()
    }

    /// Passes on the parts, and works on what is left of blocks.
    async fn go_on<T>(
        &self,
        mut begun: mpsc::Receiver<BegunBlock<T>>,
        all: mpsc::Sender<Result<Computing<T>, Refusal>>,
        unanswered: Arc<Pause>,
    ) where
        T: Send + 'static,
        W: Fn(&mut Block, bool, ResultLimits, &Kept) -> Result<BlockOutcome<T>, Refusal> + Send + Sync + 'static,
    {
        while let Some(next) = begun.recv().await {
            let mut done = match next {
                Ok(computing) => computing.await,
                Err(refusal) => Err(refusal),
            };
            loop {
                let BlockProgress { part, rest } = match done {
                    Ok(done) => done,
                    Err(refusal) => {
                        let _ = all.send(Err(refusal)).await;
                        return;
                    }
                };
                if let Some(part) = part {
                    if all.send(Ok(std::future::ready(Ok(part)).boxed())).await.is_err() {
                        return;
                    }
                    if rest.is_some() {
                        unanswered.begin();
                    }
                }
                let Some((pending, needs)) = rest else { break };
                done = self.next(pending, needs).await;
            }
        }
    }

    /// Works on the rest of a block, once there is room for that.
    async fn next<T>(&self, pending: PendingBlock, needs: Option<usize>) -> Result<BlockProgress<T>, Refusal>
    where
        T: Send + 'static,
        W: Fn(&mut Block, bool, ResultLimits, &Kept) -> Result<BlockOutcome<T>, Refusal> + Send + Sync + 'static,
    {
        let turn = pending.parts.clone().acquire_owned().await.map_err(|_| Refusal::unknown("turn"))?;
        let Some(needs) = needs else { return self.begin(pending, None, turn, false).await };
        let (most, block) = (self.budget.most_unit(), &pending.block);
        if needs as u64 > most {
            let (unit, number) = (block.origin.source.unit(), block.number());
            let message = format!(
                "{}, {unit} {number}: its rows may take {} MiB, and at most {} MiB are answered at a time; keep fewer columns, or ask \
                 for fewer products",
                block.origin.display_name(),
                needs.div_ceil(1 << 20),
                most >> 20
            );
            return Err(Refusal::content(message).at(unit, number));
        }
        let unit = self.budget.reserve(&self.client, needs as u64, ChargeKind::Unit, self.most_waiting).await?;
        self.begin(pending, Some(unit), turn, false).await
    }
}

/// Cuts a body into blocks, with a line per element if it is an array of JSON and may be one.
struct BodyReader {
    elements: Option<ElementLines>,
    cutter: BodyCutter,
    /// What is wrong after the blocks that have been given.
    failure: Result<(), Refusal>,
}

impl BodyReader {
    /// No bytes yet.
    fn new(name: &'static str, wanted: Wanted) -> BodyReader {
        let is_array = wanted.formats.is_some_and(|formats| formats.contains(&JSON_ARRAY));
        BodyReader {
            elements: is_array.then(ElementLines::default),
            cutter: BodyCutter::new(name, wanted),
            failure: Ok(()),
        }
    }

    /// Whether these bytes take no longer than to wake another thread. Of an array, each byte is looked at.
    fn is_quick(&self, piece: &[u8], is_last: bool) -> bool {
        (self.elements.is_none() || piece.len() <= FEW) && self.cutter.is_quick(piece, is_last)
    }

    /// Takes the next bytes, and gives blocks of all that is whole. If the failure is set then, there are no more.
    fn push(&mut self, bytes: &[u8], mut is_last: bool) -> Result<Vec<Block>, Refusal> {
        let Some(elements) = &mut self.elements else { return self.cutter.push(bytes, is_last) };
        let lines;
        (lines, self.failure) = elements.push(bytes, is_last);
        if self.failure.is_err() {
            // The elements before are answered. One that has not ended is none.
            is_last = !elements.is_within();
            if elements.has_none() {
                return Ok(Vec::new());
            }
        }
        if let BodyCutter::Beginning { wanted, .. } = &mut self.cutter {
            wanted.has_elements = elements.is_array();
            if is_last && elements.is_empty() {
                // There is nothing from which a format or a column could be known.
                (wanted.formats, wanted.keep) = (None, Vec::new());
            }
        }
        self.cutter.push(&lines, is_last)
    }
}

/// Detects the format of a body, and then cuts it.
enum BodyCutter {
    /// The format is not known yet, and this many bytes are needed for another look.
    Beginning { beginning: Box<Beginning>, wanted: Box<Wanted>, is_first: bool, least: usize },
    /// What was found, and how many bytes are cut at a time.
    Cutting { origin: Arc<Origin>, contents: Contents, size: usize },
}

impl BodyCutter {
    /// No bytes yet.
    fn new(name: &'static str, wanted: Wanted) -> BodyCutter {
        let beginning = Box::new(Beginning::new(name, extension(name)));
        let wanted = Box::new(Wanted { most_columns: Some(COLUMNS), ..wanted });
        BodyCutter::Beginning { beginning, wanted, is_first: true, least: PARQUET.len() }
    }

    /// Whether these bytes take no longer than to wake another thread.
    fn is_quick(&self, piece: &[u8], is_last: bool) -> bool {
        match self {
            BodyCutter::Beginning { beginning, least, .. } => {
                let length = beginning.len() + piece.len();
                // Without the end of a line, there is nothing to be found yet.
                let is_part = || piece.len() <= FEW && !piece.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
                length <= FEW || !is_last && (length < *least || is_part())
            }
            // The moves of games are read to find where one ends.
            BodyCutter::Cutting { origin, .. } => !origin.source.has_games() || piece.len() <= FEW,
        }
    }

    /// Takes the next bytes, and gives blocks of all that is whole. After the last bytes, there has been at least one.
    fn push(&mut self, bytes: &[u8], is_last: bool) -> Result<Vec<Block>, Refusal> {
        match self {
            BodyCutter::Beginning { beginning, wanted, is_first, least } => {
                beginning.push(bytes);
                if is_last {
                    beginning.finish();
                } else if beginning.len() < *least {
                    return Ok(Vec::new());
                }
                if std::mem::take(is_first)
                    && let Ok(first) = beginning.first_bytes(PARQUET.len())
                {
                    check(first)?;
                    beginning.set_other(other_format(first));
                }
                let (format, opened) = match format::find(FORMATS, beginning, wanted) {
                    Err(OpenError::MoreBytes { least: more }) => {
                        *least = more;
                        return Ok(Vec::new());
                    }
                    found => found.map_err(|error| {
                        let refusal = Refusal::content(ADVICE.message(&error));
                        match error {
                            OpenError::TooManyColumns { line, .. } => refusal.at("line", line),
                            _ => refusal,
                        }
                    })?,
                };
                let columns = opened.source.columns().len();
                if columns > COLUMNS {
                    let name = beginning.name();
                    let message = format!("{name}: at most {COLUMNS} columns of {format} are kept, found {columns}");
                    return Err(Refusal::content(message));
                }
                let CutMethod::Cut(cut) = opened.blocks else {
                    return Err(unsupported("training records are not supported".to_owned()));
                };
                let cutter = Cutter::new(cut, opened.source.counts());
                let size = opened.source.block_bytes(wanted.block_bytes.unwrap_or(READ));
                let contents = {
                    let start = cutter.start_at(opened.passed.line.into());
                    Contents::new(cutter, start)
                };
                let input = Input::stream(Stream::new(beginning.name(), std::io::empty()), 0);
                let origin = Arc::new(Origin { input, source: opened.source, skip: ADVICE.skip });
                let rest = beginning.take_rest(opened.passed);
                *self = BodyCutter::Cutting { origin, contents, size };
                self.push(&rest, is_last)
            }
            BodyCutter::Cutting { origin, contents, size } => {
                let (mut rest, mut blocks) = (bytes, Vec::new());
                loop {
                    let (chunk, after) = rest.split_at(rest.len().min(*size));
                    rest = after;
                    let units = contents.push(BlockBytes::copy(chunk), is_last && rest.is_empty()).into_iter();
                    blocks.extend(units.map(|(start, content)| Block::new(origin.clone(), start, content)));
                    if rest.is_empty() {
                        return Ok(blocks);
                    }
                }
            }
        }
    }
}

/// Refuses bodies that readers would unpack by themselves, without a bound, or copy into a file.
fn check(first: &[u8]) -> Result<(), Refusal> {
    if is_compressed(first) {
        return Err(unsupported("the body is compressed: set the header content-encoding".to_owned()));
    }
    if first.starts_with(PARQUET) {
        return Err(unsupported("the body is Parquet: send an Arrow stream, or text".to_owned()));
    }
    Ok(())
}

/// The error of a record, and its location.
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
    // The line of the body, if errors name lines, and not that of a game in one of its fields.
    refusal.at(origin.source.unit(), malformed.number)
}
