//! Training data for networks: batches of positions with their labels, shuffled, for any number of epochs.
//!
//! The files are cut into [ranges](slider_attacks_files::parts) that can be read in any order. In each epoch, the ranges are
//! permuted, and a buffer shuffles their positions: the next one takes the place of one at random, which goes into the batch.
//! Each position comes once per epoch. The order depends on the seed, the epoch and the files, not on the number of threads.
//!
//! ```text
//! ranges, permuted ──▶ blocks ──▶ threads parse and pack ──▶ buffer ──▶ batch ──▶ threads unpack and compute ──▶ caller
//! ```
//!
//! # State
//!
//! A [state](Loader::state) holds the buffer, the batches that wait for the caller, and the place of the next position to read.
//! [`restore`](Loader::restore) goes on there: at most one range is entered again. Blocks of text that were read before are
//! not parsed.
//!
//! # Memory
//!
//! A position takes 40 bytes in the buffer. Besides, a few blocks of the files and two batches wait:
//! [`LoaderSettings::memory`] has the sum.

mod labels;
mod packed;
mod random;
mod ranges;
mod reader;
mod state;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow, ensure};
use slider_attacks::position::{Color, Positions};
use slider_attacks_arrow::{OnError, Perspective, Plan, Product, Values};
use slider_attacks_files::Input;
use slider_attacks_files::counter::ByteCounter;
use slider_attacks_files::input::Shard;
use slider_attacks_files::ordered::{PendingResult, Pool, SPARE, spawn};
use slider_attacks_formats::games::Games;
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_games::records::Outcome;

pub use labels::Label;
use packed::{PACKED, PackedPosition, unpack};
use ranges::Ranges;
use reader::{BLOCK_BYTES, BLOCK_ROWS};
use state::Progress;

use crate::memory::check_available;
use crate::sizes;

/// How many batches wait for the caller.
const WAITING: usize = 2;
/// How many messages about malformed records are kept. To number a record, all of its file before it is counted.
pub const MOST_MESSAGES: usize = 10;
/// About how many bytes the columns of a position take before they are packed.
const ROW: usize = 256;

/// The files, and what to make of them.
#[derive(Clone, Debug)]
pub struct LoaderSettings {
    /// The inputs, which are files.
    pub inputs: Vec<Input>,
    /// The format of all inputs, if they are training records that do not show it.
    pub from: Option<TrainingFormat>,
    /// The column or field with the positions or games.
    pub column: String,
    /// Which games, and which of their positions.
    pub games: Games,
    /// The positions after the first move of the column `Moves`, not those before it.
    pub after_first_move: bool,
    /// How to handle malformed records: they end the work, or are left out.
    pub on_error: OnError,
    /// The labels.
    pub labels: Vec<Label>,
    /// The products. Its perspective is that of the next field.
    pub plan: Plan,
    /// How positions, scores and results are seen.
    pub perspective: Perspective,
    /// How many positions a batch has.
    pub batch: usize,
    /// How many positions the buffer has; with 0, positions come in the order of the files.
    pub shuffle: usize,
    /// The seed of the order.
    pub seed: u64,
    /// The part of each epoch that this loader has.
    pub shard: Shard,
    /// How many epochs there are; `None` is without end.
    pub epochs: Option<u64>,
    /// How many threads parse and compute.
    pub threads: usize,
    /// How many bytes a range has at least, if not as many as usual.
    pub range_bytes: Option<u64>,
}

/// No inputs yet, one epoch of batches of 16,384 positions without labels and products, a buffer of a million positions, and one
/// thread.
impl Default for LoaderSettings {
    fn default() -> LoaderSettings {
        LoaderSettings {
            inputs: Vec::new(),
            from: None,
            column: "fen".to_owned(),
            games: Games::default(),
            after_first_move: false,
            on_error: OnError::Fail,
            labels: Vec::new(),
            plan: Plan::new([Product::Maps; 0]),
            perspective: Perspective::Board,
            batch: 1 << 14,
            shuffle: 1_000_000,
            seed: 0,
            shard: Shard { number: 1, of: 1 },
            epochs: Some(1),
            threads: 1,
            range_bytes: None,
        }
    }
}

impl LoaderSettings {
    /// At most how many bytes a loader takes, about, apart from the stacks of its threads and what decompression takes: 40 for each
    /// position of the buffer; batches that wait or are being made; and, for each thread and four more, a block of text and the
    /// positions of it.
    pub fn memory(&self) -> usize {
        let position = PACKED + 15 * size_of::<u64>();
        let batch = self.batch.saturating_mul(PACKED + 2 * position + sizes::values(&self.plan));
        let block = 2 * BLOCK_BYTES + BLOCK_ROWS * (ROW + PACKED);
        let blocks = block.saturating_mul(self.threads.saturating_add(SPARE + 2));
        let buffer = self.shuffle.saturating_mul(PACKED);
        buffer.saturating_add(batch.saturating_mul(WAITING + 2)).saturating_add(blocks)
    }

    /// A number that settings with another order, or other labels, do not have.
    fn checksum(&self) -> u64 {
        let LoaderSettings { from, column, games, after_first_move, on_error, labels, .. } = self;
        let texts = format!("{from:?} {column:?} {games:?} {after_first_move} {on_error:?} {labels:?}");
        let Shard { number, of } = self.shard;
        let numbers = [self.shuffle as u64, self.seed, number.into(), of.into()];
        state::checksum(numbers.into_iter().chain(texts.bytes().map(u64::from)))
    }
}

/// A batch of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingBatch {
    /// The positions, as the perspective says.
    pub positions: Positions,
    /// The scores, if they are wanted: as the source has them, or the side to move's. [`NO_SCORE`] where there is none.
    pub scores: Option<Vec<i32>>,
    /// The results, if they are wanted: 1, ½ or 0 for White or the side to move; not a number where there is none.
    pub results: Option<Vec<f32>>,
    /// The plies, if they are wanted; -1 where the ply is not known.
    pub plies: Option<Vec<i32>>,
    /// The columns of the products.
    pub values: Vec<Values>,
}

/// Stands for a score that is missing.
pub const NO_SCORE: i32 = i32::MIN;

/// The next batch, or another event.
#[derive(Debug)]
pub enum NextBatch {
    /// Some positions.
    Batch(Box<TrainingBatch>),
    /// There is no more.
    End,
    /// Nothing arrived within the timeout.
    NotYet,
}

/// Shuffled batches of positions and labels. Threads start with the first call of [`next`](Loader::next), and end when the loader
/// is dropped.
///
/// ```
/// use std::time::Duration;
///
/// use slider_attacks_files::Input;
/// use slider_attacks_rows::loader::{Label, Loader, LoaderSettings, NextBatch};
///
/// let mut loader = Loader::new(LoaderSettings {
///     inputs: vec![Input::new("../tests/data/sample.binpack".as_ref(), 0)],
///     labels: vec![Label::Score, Label::Result],
///     batch: 100,
///     epochs: Some(2),
///     ..LoaderSettings::default()
/// })?;
/// let mut positions = 0;
/// loop {
///     match loader.next(Duration::from_secs(1))? {
///         NextBatch::Batch(batch) => positions += batch.positions.len(),
///         NextBatch::NotYet => {}
///         NextBatch::End => break,
///     }
/// }
/// assert_eq!(positions as u64, loader.positions());
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct Loader {
    settings: Arc<LoaderSettings>,
    ranges: Arc<Ranges>,
    shared: Arc<Shared>,
    has_started: bool,
}

/// What the threads and the caller share.
#[derive(Debug)]
struct Shared {
    mixer: Mutex<Mixer>,
    /// A batch has come or gone, or all have, or the threads are to stop.
    changed: Condvar,
    stop: AtomicBool,
    counter: ByteCounter,
    /// How many bytes the ranges have that were read before the threads started.
    bytes_before: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Mixer> {
        self.mixer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The buffer, and what leaves it.
#[derive(Debug)]
struct Mixer {
    progress: Progress,
    batch: usize,
    shuffle: usize,
    waiting: VecDeque<WaitingBatch>,
    messages: Vec<String>,
    /// Set when no batch comes after those that wait, and taken by the caller.
    error: Option<Error>,
    has_ended: bool,
}

/// A batch that waits for the caller, and is being computed.
#[derive(Debug)]
struct WaitingBatch {
    packed: Arc<[PackedPosition]>,
    result: PendingResult<Result<TrainingBatch>>,
}

impl Mixer {
    /// Takes a position. Another one leaves the buffer, if that is full.
    #[inline]
    fn push(&mut self, packed: PackedPosition) {
        let Progress { buffer, ready, random, .. } = &mut self.progress;
        if buffer.len() < self.shuffle {
            buffer.push(packed);
        } else if buffer.is_empty() {
            ready.push(packed);
        } else {
            let place = random.below(buffer.len());
            ready.push(std::mem::replace(&mut buffer[place], packed));
        }
    }

    /// Moves a position out of the buffer, unless it is empty.
    fn drain_one(&mut self) -> bool {
        let Progress { buffer, ready, random, .. } = &mut self.progress;
        if buffer.is_empty() {
            return false;
        }
        let place = random.below(buffer.len());
        ready.push(buffer.swap_remove(place));
        true
    }

    /// Whether a batch is complete.
    fn is_full(&self) -> bool {
        self.progress.ready.len() >= self.batch
    }

    /// The next batch, whose positions are ready, perhaps fewer than it should have.
    fn take_ready(&mut self) -> Arc<[PackedPosition]> {
        let ready = &mut self.progress.ready;
        let count = ready.len().min(self.batch);
        ready.drain(..count).collect()
    }
}

impl Loader {
    /// Cuts the files into ranges. No thread is started yet.
    ///
    /// # Errors
    ///
    /// A file cannot be read; a batch is to have no positions; there are fewer ranges than shards; `on_error` keeps malformed
    /// records; or there is no memory for the buffer.
    pub fn new(mut settings: LoaderSettings) -> Result<Loader> {
        ensure!(settings.batch > 0, "a batch of 0 positions: expected 1 or more");
        ensure!(
            matches!(settings.on_error, OnError::Fail | OnError::Skip),
            "malformed records end the work, or are left out"
        );
        let Shard { number, of } = settings.shard;
        ensure!(1 <= number && number <= of, "shard {number} of {of}: there is none");
        settings.plan = settings.plan.perspective(Perspective::Board); // positions are turned before
        let (inputs, order) = (settings.inputs.clone(), (settings.seed, settings.shuffle > 0, settings.shard));
        let ranges = Ranges::new(inputs, settings.range_bytes, settings.from, order)?;
        let progress = Progress {
            checksums: [ranges.checksum(), settings.checksum()],
            positions: 0,
            skipped: 0,
            epoch: 0,
            place: state::RangePlace::default(),
            read: 0,
            random: ranges.random(0),
            ready: Vec::new(),
            buffer: Vec::new(),
        };
        let shared = shared_from(&settings, &ranges, progress)?;
        Ok(Loader { settings: Arc::new(settings), ranges: Arc::new(ranges), shared, has_started: false })
    }

    /// The next batch, if it arrives within this time.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or has changed, or has a malformed record, if those are not left out, or a label is not there. The
    /// message names the file and the record. It comes after the positions before it. After an error comes [`NextBatch::End`].
    pub fn next(&mut self, wait: Duration) -> Result<NextBatch> {
        if self.shared.stop.load(Relaxed) {
            return Ok(NextBatch::End);
        }
        self.start()?;
        let until = Instant::now() + wait;
        let mut mixer = self.shared.lock();
        loop {
            if let Some(next) = mixer.waiting.pop_front() {
                mixer.progress.positions += next.packed.len() as u64;
                drop(mixer);
                self.shared.changed.notify_all();
                return next.result.get().map(|batch| NextBatch::Batch(Box::new(batch)));
            }
            if mixer.has_ended {
                return mixer.error.take().map_or(Ok(NextBatch::End), Err);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(NextBatch::NotYet);
            }
            let waited = self.shared.changed.wait_timeout(mixer, left);
            mixer = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Starts the threads, unless they have been started.
    fn start(&mut self) -> Result<()> {
        if self.has_started {
            return Ok(());
        }
        check_available(self.settings.memory() - self.settings.shuffle.saturating_mul(PACKED))?;
        let pool = Arc::new(Pool::new(self.settings.threads.max(1))?);
        let (settings, ranges, shared) = (self.settings.clone(), self.ranges.clone(), self.shared.clone());
        spawn(move || {
            /// Tells the caller, also if this thread panics, that no more batches come.
            struct Ending(Arc<Shared>);
            impl Drop for Ending {
                fn drop(&mut self) {
                    let mut mixer = self.0.lock();
                    if std::thread::panicking() {
                        mixer.error = Some(anyhow!("a worker thread panicked"));
                    }
                    mixer.has_ended = true;
                    self.0.changed.notify_all();
                }
            }
            let ending = Ending(shared.clone());
            let read = reader::read(&settings, &ranges, &shared, &pool);
            ending.0.lock().error = read.err();
        })?;
        self.has_started = true;
        Ok(())
    }

    /// The state: [`restore`](Loader::restore) goes on after the last batch that was returned.
    pub fn state(&self) -> Vec<u8> {
        let mixer = self.shared.lock();
        let waiting = mixer.waiting.iter().flat_map(|batch| batch.packed.iter()).copied();
        let mut progress = mixer.progress.clone();
        progress.ready = waiting.chain(std::mem::take(&mut progress.ready)).collect();
        drop(mixer);
        progress.to_bytes()
    }

    /// Goes on where a loader of the same files and settings was. The number of threads, of positions of a batch, of epochs, and
    /// what is computed may differ.
    ///
    /// # Errors
    ///
    /// The bytes are no [state](Loader::state), or that of other files or settings. Then nothing changes.
    pub fn restore(&mut self, state: &[u8]) -> Result<()> {
        let checksums = self.shared.lock().progress.checksums;
        let progress = Progress::from_bytes(state, checksums)?;
        ensure!(progress.buffer.len() <= self.settings.shuffle, "the state is damaged");
        let shared = shared_from(&self.settings, &self.ranges, progress)?;
        self.close();
        (self.shared, self.has_started) = (shared, false);
        Ok(())
    }

    /// How many positions have been returned, also before the state that was restored.
    pub fn positions(&self) -> u64 {
        self.shared.lock().progress.positions
    }

    /// The epoch whose positions are being read, from 0.
    pub fn epoch(&self) -> u64 {
        self.shared.lock().progress.epoch
    }

    /// How many malformed records were left out, and what was wrong with the first [`MOST_MESSAGES`].
    pub fn skipped(&self) -> (u64, Vec<String>) {
        let mixer = self.shared.lock();
        (mixer.progress.skipped, mixer.messages.clone())
    }

    /// How many bytes of the files have been read in all epochs, about.
    pub fn bytes_read(&self) -> u64 {
        self.shared.bytes_before + self.shared.counter.read()
    }

    /// How many bytes there are in all epochs; with several shards, about. `None` if epochs do not end.
    pub fn bytes_total(&self) -> Option<u64> {
        Some(self.ranges.bytes().saturating_mul(self.settings.epochs?) / u64::from(self.settings.shard.of))
    }

    /// What it was made of.
    pub fn settings(&self) -> &LoaderSettings {
        &self.settings
    }

    /// Stops the threads. There are no more batches, but there is still a state.
    pub fn close(&mut self) {
        self.shared.stop.store(true, Relaxed);
        self.shared.changed.notify_all();
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.close();
    }
}

/// What threads and callers share at the beginning.
fn shared_from(settings: &LoaderSettings, ranges: &Ranges, mut progress: Progress) -> Result<Arc<Shared>> {
    let buffer = &mut progress.buffer;
    let room = settings.shuffle - buffer.len();
    if buffer.try_reserve_exact(room).is_err() {
        check_available(settings.shuffle.saturating_mul(PACKED))?;
    }
    // Of epochs before, and of the ranges before in this one.
    let order = ranges.order(progress.epoch);
    let place = usize::try_from(progress.place.range).ok().filter(|&place| place <= order.len());
    ensure!(place.is_some(), "the state is damaged");
    let of_epochs = (ranges.bytes() / u64::from(settings.shard.of)).saturating_mul(progress.epoch);
    let bytes_before = of_epochs.saturating_add(ranges.bytes_before(&order, place.unwrap_or(0)));
    let mixer = Mixer {
        progress,
        batch: settings.batch,
        shuffle: settings.shuffle,
        waiting: VecDeque::new(),
        messages: Vec::new(),
        error: None,
        has_ended: false,
    };
    Ok(Arc::new(Shared {
        mixer: Mutex::new(mixer),
        changed: Condvar::new(),
        stop: AtomicBool::new(false),
        counter: ByteCounter::default(),
        bytes_before,
    }))
}

/// Unpacks a batch and computes its products.
fn compute(settings: &LoaderSettings, packed: &[PackedPosition]) -> Result<TrainingBatch> {
    let mut positions = unpack(packed).map_err(|_| anyhow!("the state is damaged"))?;
    let is_turned =
        |row: &PackedPosition| settings.perspective == Perspective::Mover && row.side_to_move() == Color::Black;
    if settings.perspective == Perspective::Mover {
        let mut seen = Positions::new();
        settings.plan.computes_with().seen_by_mover(&positions, &mut seen);
        positions = seen;
    }
    let score = |row: &PackedPosition| {
        let score = row.labels().score.map(i32::from);
        score.map_or(NO_SCORE, |score| if is_turned(row) { -score } else { score })
    };
    let result = |row: &PackedPosition| {
        let white = match row.labels().result {
            Some(Outcome::White) => 1.0,
            Some(Outcome::Draw) => 0.5,
            Some(Outcome::Black) => 0.0,
            None => f32::NAN,
        };
        if is_turned(row) { 1.0 - white } else { white }
    };
    let ply = |row: &PackedPosition| row.labels().ply.map_or(-1, |ply| ply as i32);
    let wants = |label| settings.labels.contains(&label);
    Ok(TrainingBatch {
        scores: wants(Label::Score).then(|| packed.iter().map(score).collect()),
        results: wants(Label::Result).then(|| packed.iter().map(result).collect()),
        plies: wants(Label::Ply).then(|| packed.iter().map(ply).collect()),
        values: settings.plan.values(&positions),
        positions,
    })
}
