//! The buffer that shuffles positions, and what leaves it: shared by the threads of a loader and its caller.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Error, Result, ensure};
use slider_attacks_files::counter::ByteCounter;
use slider_attacks_files::ordered::PendingResult;

use super::packed::PackedPosition;
use super::ranges::Ranges;
use super::settings::LoaderSettings;
use super::state::Progress;
use super::training_batch::{SpareMemory, TrainingBatch};
use crate::memory::{advise_large_pages, prefetch};

/// What the threads and the caller share.
#[derive(Debug)]
pub struct SharedMixer {
    /// The mixer.
    mixer: Mutex<Mixer>,
    /// A batch has come or gone, or all have, or the threads are to stop.
    pub changed: Condvar,
    /// The threads are to stop.
    pub stop: AtomicBool,
    /// Memory for batches.
    pub spare: SpareMemory,
    /// How many bytes have been read since then.
    pub counter: ByteCounter,
    /// How many bytes the ranges have that were read before.
    pub bytes_before: u64,
}

impl SharedMixer {
    /// One that goes on here.
    ///
    /// # Errors
    ///
    /// There is no memory for the buffer, or no such range.
    pub fn new(settings: &LoaderSettings, ranges: &Ranges, mut progress: Progress) -> Result<Arc<SharedMixer>> {
        let buffer = &mut progress.buffer;
        let room = settings.shuffle - buffer.len();
        if buffer.try_reserve_exact(room).is_err() {
            let text = format!("out of memory: cannot allocate a buffer of {} positions", settings.shuffle);
            return Err(io::Error::new(ErrorKind::OutOfMemory, text).into());
        }
        advise_large_pages(buffer);
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
        Ok(Arc::new(SharedMixer {
            mixer: Mutex::new(mixer),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            spare: SpareMemory::new(),
            counter: ByteCounter::default(),
            bytes_before,
        }))
    }

    /// The mixer, for this thread alone.
    pub fn lock(&self) -> MutexGuard<'_, Mixer> {
        self.mixer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The buffer, and what leaves it.
#[derive(Debug)]
pub struct Mixer {
    /// The place in the files, the buffer, and what has left it.
    pub progress: Progress,
    /// How many positions a batch has.
    batch: usize,
    /// How many positions the buffer has when it is full.
    shuffle: usize,
    /// The next batches.
    pub waiting: VecDeque<WaitingBatch>,
    /// What was wrong with records that were left out.
    pub messages: Vec<String>,
    /// Why no batch comes after those that wait, if that is an error. The caller takes it.
    pub error: Option<Error>,
    /// No batch comes after those that wait.
    pub has_ended: bool,
}

/// A batch that waits for the caller, and is being computed.
#[derive(Debug)]
pub struct WaitingBatch {
    /// Its positions.
    pub packed: Arc<[PackedPosition]>,
    /// The batch, once it has been computed; `None` if it is no longer wanted.
    pub result: Option<PendingResult<Result<TrainingBatch>>>,
}

/// How many positions before its use a place of the buffer is prefetched: a buffer of a million positions is larger than most caches.
const AHEAD: usize = 32;

impl Mixer {
    /// Takes a position. Another one leaves the buffer, if that is full.
    #[inline]
    pub fn push(&mut self, packed: PackedPosition) {
        let Progress { buffer, ready, random, .. } = &mut self.progress;
        if buffer.len() < self.shuffle {
            buffer.push(packed);
        } else if buffer.is_empty() {
            ready.push(packed);
        } else {
            prefetch(&buffer[random.after(AHEAD as u64).below(buffer.len())]);
            let place = random.below(buffer.len());
            ready.push(std::mem::replace(&mut buffer[place], packed));
        }
    }

    /// Moves a position out of the buffer, unless it is empty.
    pub fn drain_one(&mut self) -> bool {
        let Progress { buffer, ready, random, .. } = &mut self.progress;
        if buffer.is_empty() {
            return false;
        }
        // By then, there are fewer.
        if let Some(later) = buffer.len().checked_sub(AHEAD).filter(|&later| later > 0) {
            prefetch(&buffer[random.after(AHEAD as u64).below(later)]);
        }
        let place = random.below(buffer.len());
        ready.push(buffer.swap_remove(place));
        true
    }

    /// Whether a batch is complete.
    pub fn is_full(&self) -> bool {
        self.progress.ready.as_slice().len() >= self.batch
    }

    /// The next batch, whose positions are ready, perhaps fewer than it should have.
    pub fn take_ready(&mut self) -> Arc<[PackedPosition]> {
        self.progress.ready.take(self.batch)
    }
}
