//! The threads of a loader: one finds blocks, those of a pool parse and pack them, and one fills the buffer.

use std::mem;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, MutexGuard, PoisonError};

use anyhow::{Error, Result, anyhow, bail, ensure};
use slider_attacks::position::{PositionSlice, Positions};
use slider_attacks_arrow::OnError;
use slider_attacks_features::FeatureError;
use slider_attacks_files::Block;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::{Origin, ReadLimits};
use slider_attacks_files::counter::ByteCounter;
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_files::ordered::{Pool, ordered};
use slider_attacks_files::parts::InputPart;
use slider_attacks_files::sources;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::content::{ChainPlace, Content, FreeList};
use slider_attacks_formats::error::Malformed;
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::warnings::Warnings;

use super::draws::{draws, record_draws};
use super::labels::{LabelReader, optional_columns};
use super::mixer::{Mixer, SharedMixer, WaitingBatch};
use super::packed::{PackedPosition, pack};
use super::ranges::Ranges;
use super::settings::{BLOCK_BYTES, BLOCK_ROWS, LoaderSettings};
use super::state::{Progress, RangePlace};
use super::training_batch::compute;
use crate::conditions::RowChances;

/// How many messages about malformed records are kept. To number a record, all of its file before it is counted.
pub const MOST_MESSAGES: usize = 10;

/// The error for a state with a place that the files do not have.
const OTHER_FILES: &str = "the state does not fit the files";

/// What comes from the files, in its order.
enum Item {
    /// A block, and whether it is only to be cut, because it has been read before.
    Block(Box<Block>, bool),
    /// A range begins, with this number.
    Range(usize),
    /// All ranges of the epoch have come.
    EndOfEpoch,
    /// Nothing comes after this.
    Failed(Error),
}

/// The same after the first records of a block have been packed.
enum PackedItem {
    Block(Box<Block>, Option<PackedRecords>),
    Range(usize),
    EndOfEpoch,
    Failed(Error),
}

/// The packed positions of some records.
struct PackedRecords {
    packed: Vec<PackedPosition>,
    /// How many positions were left out by the condition.
    left_out: usize,
    /// How many records had a chance, and were not drawn.
    missed: usize,
    /// The chance of each, if not all are taken.
    chances: Option<Vec<f64>>,
    skipped: Vec<Malformed>,
    failure: Option<Malformed>,
}

/// Parses and packs.
struct Packer {
    settings: Arc<LoaderSettings>,
    /// Which positions are taken, if not all.
    filter: Option<Arc<KeyFilter>>,
    /// The chances of positions, if not all are taken.
    chances: Option<Arc<RowChances>>,
    spare: FreeList<Positions>,
}

/// Reads all epochs from where the progress is, and makes batches, until the loader is dropped.
///
/// # Errors
///
/// A file cannot be read, has a malformed record, or lacks a label. All batches before it have been made.
pub fn read(
    settings: &Arc<LoaderSettings>,
    ranges: &Arc<Ranges>,
    shared: &Arc<SharedMixer>,
    pool: &Arc<Pool>,
) -> Result<()> {
    let filter = settings.choice().filter(&settings.plan, false, settings.on_error);
    let packer = Packer::new(settings, filter, settings.chances());
    let mut filler = Filler {
        settings,
        ranges,
        shared,
        pool,
        range: 0,
        passed: 0,
        left_out: [0; 2],
        is_empty_epoch: true,
        empty_epochs: 0,
        packer,
        is_complete: true,
    };
    let read = filler.read();
    if shared.stop.load(Relaxed) {
        return Ok(());
    }
    // What came before an error is good.
    let _ = filler.finish();
    read
}

/// The columns, games and positions that the settings ask for.
fn wanted(settings: &LoaderSettings) -> Wanted {
    let wanted = Wanted {
        from: settings.from,
        column: settings.column.clone(),
        optional_columns: optional_columns(&settings.labels, &settings.column),
        games: settings.games.clone(),
        after_first_move: settings.after_first_move,
        block_bytes: Some(BLOCK_BYTES),
        block_rows: Some(BLOCK_ROWS),
        counts_from_part: true,
        ..Wanted::default()
    };
    settings.choice().wanted_with_chances(settings.keep.as_ref(), wanted)
}

/// Finds the blocks of all epochs, from a place on. `epoch` is the first one.
fn find(
    settings: &LoaderSettings,
    ranges: &Ranges,
    shared: &SharedMixer,
    pool: &Arc<Pool>,
    (mut epoch, mut place): (u64, RangePlace),
    take: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (mut wanted, advice) = (wanted(settings), Advice::of_calls());
    while settings.epochs.is_none_or(|epochs| epoch < epochs) {
        for &number in &ranges.order(epoch)[place.range as usize..] {
            take(Item::Range(number))?;
            let (range, mut passed) = (ranges.range(number), place.blocks);
            (wanted.chain, wanted.record_draws) = (place.chain, record_draws(settings, epoch, number));
            let read = ranges.check(number).and_then(|()| {
                sources::read(&range.input, &shared.counter, &wanted, &advice, Some(pool), true, &mut |block| {
                    let is_passed = passed > 0;
                    passed = passed.saturating_sub(1);
                    Ok(if shared.stop.load(Relaxed) { Break(()) } else { take(Item::Block(block.into(), is_passed)) })
                })
            });
            match read {
                Ok(flow) => flow?,
                Err(error) => {
                    take(Item::Failed(error))?;
                    return Break(());
                }
            }
            place = RangePlace::default();
        }
        take(Item::EndOfEpoch)?;
        (epoch, place) = (epoch + 1, RangePlace::default());
    }
    Continue(())
}

impl Packer {
    fn new(settings: &Arc<LoaderSettings>, filter: Option<Arc<KeyFilter>>, chances: Option<Arc<RowChances>>) -> Packer {
        Packer { settings: settings.clone(), filter, chances, spare: FreeList::default() }
    }

    /// The next records of a block, packed.
    fn next(&self, block: &mut Block) -> Result<Option<PackedRecords>> {
        if block.filter.is_none() {
            // Which rows these are does not depend on other blocks.
            block.filter = self.filter.as_ref().map(|filter| filter.block(0));
        }
        let most = ReadLimits { limit: usize::MAX, enough: BLOCK_ROWS };
        // Chances may need columns that are not labels.
        let next = block.next_with_hidden(most, self.settings.on_error, self.spare.take())?;
        let Some(mut records) = next else { return Ok(None) };
        let (left_out, missed) = (records.select(), records.missed);
        let packed = PackedRecords { left_out, missed, ..self.pack(&block.origin, &mut records)? };
        self.spare.put(mem::take(&mut records.positions));
        Ok(Some(packed))
    }

    fn pack(&self, origin: &Origin, records: &mut Records) -> Result<PackedRecords> {
        let (skipped, failure) = (mem::take(&mut records.skipped), records.failure.take());
        let mut packed = Vec::with_capacity(records.positions.len());
        let mut wrong = self.without_rows(records);
        if self.settings.labels.is_empty() {
            pack(&records.positions, (0..).map(|_| Default::default()), &mut packed);
        } else {
            let reader = LabelReader::new(&self.settings.labels, origin, records)?;
            let labels = (0..records.positions.len()).map(|at| {
                reader.labels(at).unwrap_or_else(|what| {
                    wrong.push((at, what));
                    Default::default()
                })
            });
            pack(&records.positions, labels, &mut packed);
        }
        let chances = self.chances(origin, records);
        let mut packed = PackedRecords { packed, left_out: 0, missed: 0, chances, skipped, failure };
        if !wrong.is_empty() {
            // The sort is stable: of a position without rows and labels, only the first message counts.
            wrong.sort_by_key(|&(at, _)| at);
            wrong.dedup_by_key(|&mut (at, _)| at);
            packed.leave_out(wrong, &records.numbers, self.settings.on_error);
        }
        Ok(packed)
    }

    /// The chances of some positions, if not all are taken, and if they have not been drawn when they were read.
    fn chances(&self, origin: &Origin, records: &Records) -> Option<Vec<f64>> {
        let chances = self.chances.as_ref().filter(|_| !origin.source.draws_records());
        chances.map(|chances| chances.chances(records, &*origin.source))
    }

    /// The positions that have no inputs of the network, and why.
    fn without_rows(&self, records: &Records) -> Vec<(usize, String)> {
        let (mut wrong, mut first) = (Vec::new(), 0);
        let Some((features, _)) = &self.settings.features else { return wrong };
        let positions = PositionSlice::from(&records.positions);
        while let Err(FeatureError::PawnOnLastRank { position, square, .. }) =
            features.check_positions(positions.slice(first..positions.len()))
        {
            wrong.push((first + position, format!("a pawn on {square} has no threats and pairs")));
            first += position + 1;
        }
        wrong
    }
}

impl PackedRecords {
    /// Leaves out records that are malformed, of which `numbers` has the numbers, or ends before the first of them.
    fn leave_out(&mut self, wrong: Vec<(usize, String)>, numbers: &[u64], on_error: OnError) {
        let malformed = |(at, what): (usize, String)| Malformed { number: numbers[at], what: what.into(), place: None };
        if on_error == OnError::Fail {
            if let Some(first) = wrong.into_iter().next() {
                self.packed.truncate(first.0);
                self.failure = Some(malformed(first));
            }
            return;
        }
        let is_wrong = |at: usize| wrong.binary_search_by_key(&at, |&(at, _)| at).is_ok();
        let mut at = (0..).map(is_wrong);
        self.packed.retain(|_| !at.next().unwrap_or(false));
        let mut at = (0..).map(is_wrong);
        if let Some(chances) = &mut self.chances {
            chances.retain(|_| !at.next().unwrap_or(false));
        }
        self.skipped.extend(wrong.into_iter().map(malformed));
        self.skipped.sort_by_key(|malformed| malformed.number);
    }
}

/// Whether blocks of this kind are the same, however many threads there are, so that they can be counted.
fn is_counted(block: &Block) -> bool {
    block.contents().all(|content| matches!(content, Content::Bytes(_) | Content::TooLong))
}

/// Where a block of a binpack begins.
fn chain_place(block: &Block) -> Option<ChainPlace> {
    block.contents().next().and_then(|content| match content {
        Content::Labelled(labelled) => labelled.place,
        _ => None,
    })
}

/// How many epochs in a row may have no position, because chances are low.
const MOST_EMPTY_EPOCHS: usize = 100;

/// Fills the buffer.
struct Filler<'a> {
    settings: &'a Arc<LoaderSettings>,
    ranges: &'a Arc<Ranges>,
    shared: &'a Arc<SharedMixer>,
    pool: &'a Arc<Pool>,
    packer: Packer,
    /// The number of the range that is read.
    range: usize,
    /// How many positions to come have been read before.
    passed: u64,
    /// How many records and positions were left out up to the records at hand.
    left_out: [u64; 2],
    /// No position of the epoch has been taken yet.
    is_empty_epoch: bool,
    /// How many epochs in a row had none.
    empty_epochs: usize,
    /// The epoch has been read from its beginning.
    is_complete: bool,
}

impl Filler<'_> {
    fn read(&mut self) -> Result<()> {
        let (epoch, place) = {
            let mixer = self.shared.lock();
            (self.passed, self.left_out) = (mixer.progress.place.rows, mixer.progress.before_block);
            (mixer.progress.epoch, mixer.progress.place)
        };
        if self.hand_over(self.shared.lock()).is_break() {
            return Ok(());
        }
        let make = {
            let (settings, ranges) = (self.settings.clone(), self.ranges.clone());
            let (shared, pool) = (self.shared.clone(), self.pool.clone());
            move |take: &mut dyn FnMut(Item) -> ControlFlow<()>| {
                let _ = find(&settings, &ranges, &shared, &pool, (epoch, place), take);
            }
        };
        self.is_complete = place == RangePlace::default();
        let packer = Packer::new(self.settings, self.packer.filter.clone(), self.packer.chances.clone());
        let work = move |item| match item {
            Item::Block(mut block, is_passed) => {
                let packed = if is_passed { block.load().map(|()| None) } else { packer.next(&mut block) };
                packed.map_or_else(PackedItem::Failed, |packed| PackedItem::Block(block, packed))
            }
            Item::Range(number) => PackedItem::Range(number),
            Item::EndOfEpoch => PackedItem::EndOfEpoch,
            Item::Failed(error) => PackedItem::Failed(error),
        };
        // Blocks before the place of a state are cut, and have been counted.
        let (mut before, mut is_first_range) = (place.blocks, true);
        for item in ordered(self.pool.clone(), make, work)? {
            if self.shared.stop.load(Relaxed) {
                return Ok(());
            }
            let flow = match item {
                PackedItem::Failed(error) => return Err(error),
                PackedItem::Range(number) => {
                    self.range = number;
                    if !mem::take(&mut is_first_range) {
                        ensure!(before == 0 && self.passed == 0, OTHER_FILES);
                        let progress = &mut self.shared.lock().progress;
                        self.count(progress);
                        progress.place = RangePlace::of(progress.place.range + 1);
                        progress.before_block = self.left_out;
                    }
                    Continue(())
                }
                PackedItem::Block(..) if before > 0 => {
                    before -= 1;
                    Continue(())
                }
                PackedItem::Block(block, packed) => self.add_block(*block, packed)?,
                PackedItem::EndOfEpoch => {
                    ensure!(before == 0, OTHER_FILES);
                    is_first_range = true;
                    self.end_epoch()?
                }
            };
            if flow.is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Adds the positions of a block.
    fn add_block(&mut self, mut block: Block, mut packed: Option<PackedRecords>) -> Result<ControlFlow<()>> {
        if let Some(chain) = chain_place(&block).filter(|_| self.passed == 0) {
            let progress = &mut self.shared.lock().progress;
            progress.place.begin_block(chain);
            progress.before_block = self.left_out;
        }
        loop {
            let records = match packed.take() {
                Some(records) => records,
                None => match self.packer.next(&mut block)? {
                    Some(records) => records,
                    None => break,
                },
            };
            if self.add(records, &block.origin)?.is_break() {
                return Ok(Break(()));
            }
        }
        if is_counted(&block) {
            ensure!(self.passed == 0, OTHER_FILES);
            let progress = &mut self.shared.lock().progress;
            self.count(progress);
            (progress.place.blocks, progress.place.rows) = (progress.place.blocks + 1, 0);
            progress.before_block = self.left_out;
        }
        Ok(Continue(()))
    }

    /// Adds the positions of some records, and makes batches. Waits until there is room for them.
    fn add(&mut self, records: PackedRecords, origin: &Origin) -> Result<ControlFlow<()>> {
        let PackedRecords { packed, left_out, missed, chances, skipped, failure } = records;
        let again = self.passed.min(packed.len() as u64);
        let messages = if self.passed == 0 { self.messages(&skipped, origin) } else { Vec::new() };
        self.passed -= again;
        for (sum, count) in self.left_out.iter_mut().zip([skipped.len(), left_out]) {
            *sum += count as u64;
        }
        let mut mixer = self.shared.lock();
        if (again as usize) < packed.len() {
            self.count(&mut mixer.progress);
        }
        mixer.messages.extend(messages);
        mixer.progress.read += missed as u64;
        let Progress { epoch, place, .. } = mixer.progress;
        let draws = draws(self.settings, epoch, self.range, place.blocks);
        for (at, &packed) in packed.iter().enumerate().skip(again as usize) {
            let chance = chances.as_ref().map_or(1.0, |chances| chances[at]);
            let row = mixer.progress.place.row();
            mixer.progress.place.rows += 1;
            mixer.progress.read += u64::from(chance > 0.0);
            if chances.is_some() && !draws.takes(row, chance) {
                continue;
            }
            self.is_empty_epoch = false;
            mixer.push(packed);
            if mixer.is_full() {
                mixer = match self.make_batch(mixer) {
                    Some(mixer) => mixer,
                    None => return Ok(Break(())),
                };
            }
        }
        drop(mixer);
        match failure {
            Some(malformed) => Err(anyhow!(self.message(&malformed, origin))),
            None => Ok(Continue(())),
        }
    }

    /// Counts what was left out before the place of the progress, which moves on with this. Up to the place of a state, it has been
    /// counted.
    fn count(&self, progress: &mut Progress) {
        if self.passed == 0 {
            [progress.skipped, progress.left_out] = self.left_out;
        }
    }

    /// Empties the buffer, and begins the next epoch, unless there are no positions.
    fn end_epoch(&mut self) -> Result<ControlFlow<()>> {
        ensure!(self.passed == 0, OTHER_FILES);
        let of_all = mem::replace(&mut self.is_complete, true) && self.settings.shard.of == 1;
        if let Some(filter) = self.packer.filter.as_ref().filter(|_| of_all) {
            filter.check("the files", &Warnings::default())?;
        }
        if let Some(chances) = self.packer.chances.as_ref().filter(|_| of_all) {
            chances.check("the files")?;
        }
        let mut mixer = self.shared.lock();
        self.count(&mut mixer.progress);
        // A state that is asked for meanwhile goes on here.
        let ranges = self.ranges.order(mixer.progress.epoch).len() as u64;
        (mixer.progress.place, mixer.progress.before_block) = (RangePlace::of(ranges), self.left_out);
        while mixer.drain_one() {
            if mixer.is_full() {
                mixer = match self.make_batch(mixer) {
                    Some(mixer) => mixer,
                    None => return Ok(Break(())),
                };
            }
        }
        let Progress { epoch, place, read, random, .. } = &mut mixer.progress;
        if *read == 0 {
            return Ok(Break(()));
        }
        self.empty_epochs = if self.is_empty_epoch { self.empty_epochs + 1 } else { 0 };
        self.is_empty_epoch = true;
        ensure!(
            self.empty_epochs < MOST_EMPTY_EPOCHS,
            "keep took no position of the files in {MOST_EMPTY_EPOCHS} epochs"
        );
        *epoch += 1;
        (*place, *read, *random) = (RangePlace::default(), 0, self.ranges.random(*epoch));
        Ok(Continue(()))
    }

    /// Makes the last batches, of what the buffer has and what is ready.
    fn finish(&self) -> ControlFlow<()> {
        let mut mixer = self.shared.lock();
        self.count(&mut mixer.progress);
        while mixer.drain_one() {}
        while !mixer.progress.ready.as_slice().is_empty() {
            mixer = match self.make_batch(mixer) {
                Some(mixer) => mixer,
                None => return Break(()),
            };
        }
        Continue(())
    }

    /// Makes batches of what is ready, as long as that is enough.
    fn hand_over<'m>(&self, mut mixer: MutexGuard<'m, Mixer>) -> ControlFlow<()> {
        while mixer.is_full() {
            mixer = match self.make_batch(mixer) {
                Some(mixer) => mixer,
                None => return Break(()),
            };
        }
        Continue(())
    }

    /// Has the pool compute a batch, and waits until another one fits. Returns nothing if the threads are to stop.
    fn make_batch<'m>(&self, mut mixer: MutexGuard<'m, Mixer>) -> Option<MutexGuard<'m, Mixer>> {
        while mixer.waiting.len() >= self.settings.waiting() && !self.shared.stop.load(Relaxed) {
            mixer = self.shared.changed.wait(mixer).unwrap_or_else(PoisonError::into_inner);
        }
        if self.shared.stop.load(Relaxed) {
            return None;
        }
        let packed = mixer.take_ready();
        let (settings, rows) = (self.settings.clone(), packed.clone());
        let spare = self.shared.spare.clone();
        let result = Some(self.pool.run(move || compute(&settings, &rows, &spare)));
        mixer.waiting.push_back(WaitingBatch { packed, result });
        self.shared.changed.notify_all();
        Some(mixer)
    }

    /// The messages about records that are left out, as far as messages are kept.
    fn messages(&self, skipped: &[Malformed], origin: &Origin) -> Vec<String> {
        let room = MOST_MESSAGES - self.shared.lock().messages.len();
        skipped.iter().take(room).map(|malformed| self.message(malformed, origin)).collect()
    }

    /// The message about a malformed record. If it is in a part of a file, what is before that is counted.
    fn message(&self, malformed: &Malformed, origin: &Origin) -> String {
        let range = self.ranges.range(self.range);
        if range.input.part.is_none() {
            return origin.message(malformed);
        }
        if let Some(before) = range.units_before {
            return origin.message(&Malformed { number: before + malformed.number, ..malformed.clone() });
        }
        self.counted(range, malformed, origin).unwrap_or_else(|_| origin.message(malformed))
    }

    /// The same message, from the part as it is read when all before it is counted.
    fn counted(&self, range: &InputPart, malformed: &Malformed, origin: &Origin) -> Result<String> {
        let mut wanted = Wanted { counts_from_part: false, ..wanted(self.settings) };
        wanted.block_bytes = None;
        let (mut first, mut message) = (None, None);
        let counter = ByteCounter::default();
        let _ = sources::read(&range.input, &counter, &wanted, &Advice::of_calls(), None, false, &mut |mut block| {
            block.load()?;
            let first = *first.get_or_insert(block.number());
            let number = first + malformed.number - 1;
            while let Some(records) = self.packer.next_skipping(&mut block)? {
                let found = records.skipped.into_iter().find(|found| found.number == number);
                message = message.take().or(found.map(|found| origin.message(&found)));
            }
            Ok(if message.is_some() || block.number() > number { Break(()) } else { Continue(()) })
        })?;
        match message {
            Some(message) => Ok(message),
            None => bail!("the record is not there"),
        }
    }
}

impl Packer {
    /// The same as [`next`](Packer::next), where malformed records are left out.
    fn next_skipping(&self, block: &mut Block) -> Result<Option<PackedRecords>> {
        let settings = LoaderSettings { on_error: OnError::Skip, ..LoaderSettings::clone(&self.settings) };
        Packer::new(&Arc::new(settings), self.filter.clone(), self.chances.clone()).next(block)
    }
}
