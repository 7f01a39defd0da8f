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
//! [`restore`](Loader::restore) goes on there: at most one range is entered again. A binpack is entered at the last block of 4,096
//! records; blocks of text that were read before are not parsed.
//!
//! # Memory
//!
//! A position takes 40 bytes in the buffer. A few blocks of the files wait as well, and a batch for each thread: at least two, and
//! of more than four no more than 128 MiB. [`LoaderSettings::memory`] has the sum.

mod draws;
mod labels;
mod mixer;
mod packed;
mod planes;
mod pooled;
mod random;
mod ranges;
mod reader;
mod ready;
mod settings;
mod state;
mod training_batch;

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use slider_attacks_arrow::{OnError, Perspective};
use slider_attacks_files::input::Shard;
use slider_attacks_files::ordered::{Pool, spawn};

pub use labels::Label;
use mixer::{SharedMixer, WaitingBatch};
pub use planes::{PlaneColumn, PlaneMemory, PlaneSettings, SquareValues};
pub use pooled::PooledValue;
use ranges::Ranges;
pub use reader::MOST_MESSAGES;
use ready::ReadyPositions;
pub use settings::LoaderSettings;
use state::Progress;
pub use training_batch::{NO_SCORE, TrainingBatch};

use crate::memory::check_available;

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
    shared: Arc<SharedMixer>,
    /// The batch that is returned next, once it has left those that wait.
    next: Option<WaitingBatch>,
    has_started: bool,
}

impl Loader {
    /// Cuts the files into ranges. No thread is started yet.
    ///
    /// # Errors
    ///
    /// A file cannot be read; a batch is to have no positions; there are fewer ranges than shards; `on_error` keeps malformed
    /// records; the plan lacks a product that planes show; or there is no memory for the buffer.
    pub fn new(mut settings: LoaderSettings) -> Result<Loader> {
        ensure!(settings.batch > 0, "a batch of 0 positions: expected 1 or more");
        ensure!(
            matches!(settings.on_error, OnError::Fail | OnError::Skip),
            "malformed records end the work, or are left out"
        );
        if let Some(planes) = &settings.planes {
            planes.check(&settings.plan)?;
        }
        let Shard { number, of } = settings.shard;
        ensure!(1 <= number && number <= of, "shard {number} of {of}: there is none");
        settings.plan = settings.plan.perspective(Perspective::Board); // positions are turned before
        let (inputs, order) = (settings.inputs.clone(), (settings.seed, settings.shuffle > 0, settings.shard));
        let ranges = Ranges::new(inputs, settings.range_bytes, settings.from, &settings.column, order)?;
        let progress = Progress {
            checksums: [ranges.checksum(), settings.checksum()],
            positions: 0,
            skipped: 0,
            left_out: 0,
            before_block: [0; 2],
            epoch: 0,
            place: state::RangePlace::default(),
            read: 0,
            random: ranges.random(0),
            ready: ReadyPositions::default(),
            buffer: Vec::new(),
        };
        let shared = SharedMixer::new(&settings, &ranges, progress)?;
        Ok(Loader { settings: Arc::new(settings), ranges: Arc::new(ranges), shared, next: None, has_started: false })
    }

    /// The next batch, if it arrives within this time.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or has changed, or has a malformed record, if those are not left out, or a label is not there. The
    /// message names the file and the record. It comes after the positions before it. Or there is no memory: then the
    /// [state](Loader::state) has the positions of the batch. After an error comes [`NextBatch::End`].
    pub fn next(&mut self, wait: Duration) -> Result<NextBatch> {
        if self.shared.stop.load(Relaxed) {
            return Ok(NextBatch::End);
        }
        self.start()?;
        let until = Instant::now() + wait;
        let next = match self.next.take() {
            Some(next) => next,
            None => match self.take_waiting(until)? {
                Continue(next) => next,
                Break(event) => return Ok(event),
            },
        };
        // It stays here until it is returned: so the state has its positions.
        let next = self.next.insert(next);
        let Some(result) = &next.result else { return Ok(NextBatch::End) };
        match result.get_timeout(until.saturating_duration_since(Instant::now())) {
            None => Ok(NextBatch::NotYet),
            Some(Ok(batch)) => {
                self.shared.lock().progress.positions += next.packed.len() as u64;
                self.next = None;
                Ok(NextBatch::Batch(Box::new(batch)))
            }
            Some(Err(error)) => {
                self.close();
                Err(error)
            }
        }
    }

    /// Takes the next batch from those that wait, if one is there by this time, or returns what happened instead.
    fn take_waiting(&self, until: Instant) -> Result<ControlFlow<NextBatch, WaitingBatch>> {
        let mut mixer = self.shared.lock();
        loop {
            if let Some(next) = mixer.waiting.pop_front() {
                drop(mixer);
                self.shared.changed.notify_all();
                return Ok(Continue(next));
            }
            if mixer.has_ended {
                return mixer.error.take().map_or(Ok(Break(NextBatch::End)), Err);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Break(NextBatch::NotYet));
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
        check_available(self.settings.unchecked_memory())?;
        let pool = Arc::new(Pool::new(self.settings.threads.max(1))?);
        let (settings, ranges, shared) = (self.settings.clone(), self.ranges.clone(), self.shared.clone());
        spawn(move || {
            /// Tells the caller, also if this thread panics, that no more batches come.
            struct Ending(Arc<SharedMixer>);
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
        let batches = self.next.iter().chain(&mixer.waiting);
        let waiting: Vec<_> = batches.flat_map(|batch| batch.packed.iter()).copied().collect();
        mixer.progress.to_bytes(&waiting)
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
        let shared = SharedMixer::new(&self.settings, &self.ranges, progress)?;
        self.close();
        (self.shared, self.next, self.has_started) = (shared, None, false);
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

    /// How many positions were left out, because the condition does not hold.
    pub fn left_out(&self) -> u64 {
        self.shared.lock().progress.left_out
    }

    /// How many bytes of the files have been read in all epochs, about.
    pub fn bytes_read(&self) -> u64 {
        self.shared.bytes_before.saturating_add(self.shared.counter.read())
    }

    /// How many bytes there are in all epochs; with several shards, about. `None` if epochs do not end.
    pub fn bytes_total(&self) -> Option<u64> {
        Some(self.ranges.bytes().saturating_mul(self.settings.epochs?) / u64::from(self.settings.shard.of))
    }

    /// What it was made of.
    pub fn settings(&self) -> &LoaderSettings {
        &self.settings
    }

    /// Stops the threads, and frees the batches that wait. There are no more batches, but there is still a state.
    pub fn close(&mut self) {
        self.shared.stop.store(true, Relaxed);
        // A thread that has looked at it before waits by now.
        let mut mixer = self.shared.lock();
        self.next.iter_mut().chain(&mut mixer.waiting).for_each(|batch| batch.result = None);
        drop(mixer);
        self.shared.spare.close();
        self.shared.changed.notify_all();
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.close();
    }
}
