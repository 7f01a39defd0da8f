//! Positions that are selected: by a condition, and by their keys, each once, or those of one of several shards.
//!
//! Of positions with the same key, the first in the order of the input is taken, whichever threads work on the blocks. So blocks add
//! their keys to the set in order. A thread computes the keys of a block and hands them in. Once they have been added, which may be
//! after it has begun with other blocks, a thread computes products of the positions that are taken.

use std::fmt;
use std::mem;
use std::sync::Arc;

use anyhow::{Context, Result};
use slider_attacks::Backend;
use slider_attacks::analysis::KeyKind;
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::content::FreeList;
use slider_attacks_formats::error::Malformed;
use slider_attacks_formats::source::Source;
use slider_attacks_formats::warnings::Warnings;

use crate::input::Shard;
use crate::key_relay::{KeyBatch, KeyRelay};
use crate::key_set::{KeyHasher, KeyRow, KeySet, PARTS};

/// How many rows of a block may wait for the set.
const MOST_ROWS: usize = 1 << 16;

/// Which positions are taken.
#[derive(Clone, Copy, Debug)]
pub struct KeySelection {
    /// Which positions have the same key.
    pub kind: KeyKind,
    /// Each is taken once, as long as the keys take no more than this many bytes.
    pub unique: Option<u64>,
    /// Only those whose key is in this shard.
    pub shard: Option<Shard>,
    /// What to do if there are too many keys, in the terms of the caller.
    pub advice: &'static str,
}

impl KeySelection {
    /// The bytes that keys may take, unless the caller says otherwise: enough for 178 million.
    pub const MEMORY: u64 = 2 << 30;

    /// The selection that options ask for: which positions are unique, how many bytes their keys may take, and a shard. `None` if all
    /// positions are taken.
    pub fn new(
        unique: Option<KeyKind>,
        memory: Option<u64>,
        shard: Option<Shard>,
        advice: &'static str,
    ) -> Option<KeySelection> {
        let kind = unique.unwrap_or(KeyKind::Position);
        let unique = unique.map(|_| memory.unwrap_or(KeySelection::MEMORY));
        (unique.is_some() || shard.is_some()).then_some(KeySelection { kind, unique, shard, advice })
    }
}

/// A condition on rows. Keys are those of the rows for which it holds.
pub trait RowCondition: fmt::Debug + Send + Sync {
    /// Whether it holds for each of these records of a source.
    fn holds(&self, records: &Records, source: &dyn Source) -> Vec<bool>;

    /// What it lacked, if it compares a column that none of the inputs of this name had.
    ///
    /// # Errors
    ///
    /// There is such a column.
    fn check(&self, name: &str, warnings: &Warnings) -> Result<()>;
}

/// The conditions of a run.
#[derive(Clone, Debug, Default)]
pub struct RowConditions {
    /// The one that holds for the rows that are taken.
    pub rows: Option<Arc<dyn RowCondition>>,
    /// The one that holds for a row of each game whose rows are taken.
    pub games: Option<Arc<dyn RowCondition>>,
}

/// The selection of a run.
#[derive(Debug)]
pub struct KeyFilter {
    conditions: RowConditions,
    selection: Option<KeySelection>,
    backend: Backend,
    on_error: OnError,
    /// The keys so far, if each position is taken once.
    set: Option<KeyRelay>,
    /// The memory of positions that have been computed.
    spare: FreeList<Positions>,
}

impl KeyFilter {
    /// Takes the rows for which the conditions hold, and of these the ones that are selected by their keys, which this backend
    /// computes. The blocks are read with `on_error`. `None` if all positions are taken.
    pub fn new(
        conditions: RowConditions,
        selection: Option<KeySelection>,
        backend: Backend,
        on_error: OnError,
    ) -> Option<Arc<KeyFilter>> {
        let bytes = selection.and_then(|selection| selection.unique);
        let set = bytes.map(|bytes| KeyRelay::new(bytes / KeySet::BYTES));
        let filter = KeyFilter { conditions, selection, backend, on_error, set, spare: FreeList::default() };
        let RowConditions { rows, games } = &filter.conditions;
        (rows.is_some() || games.is_some() || filter.selection.is_some()).then(|| Arc::new(filter))
    }

    /// The filter of the block of this number, from 0. Threads must begin with blocks in this order.
    pub fn block(self: &Arc<KeyFilter>, number: u64) -> BlockFilter {
        let games = ChosenGames::default();
        BlockFilter {
            filter: self.clone(),
            number,
            games,
            groups: Vec::new(),
            waiting: 0,
            has_turn: false,
            is_passed: false,
            batch: None,
            taken: Vec::new(),
            full: None,
        }
    }

    /// Why positions are left out.
    pub fn reason(&self) -> String {
        let RowConditions { rows, games } = &self.conditions;
        let keys = self.selection.map(|selection| match selection {
            KeySelection { shard: None, .. } => "repeated",
            KeySelection { unique: None, .. } => "in other shards",
            _ => "repeated or in other shards",
        });
        let games = games.as_ref().map(|_| "no position of the game meets the condition on games");
        let reasons = [games, rows.as_ref().map(|_| "the condition does not hold"), keys];
        reasons.into_iter().flatten().collect::<Vec<_>>().join(", or ")
    }

    /// What the conditions lacked, if they compare a column that none of the inputs of this name had.
    ///
    /// # Errors
    ///
    /// There is such a column.
    pub fn check(&self, name: &str, warnings: &Warnings) -> Result<()> {
        let RowConditions { rows, games } = &self.conditions;
        rows.iter().chain(games).try_for_each(|condition| condition.check(name, warnings))
    }

    /// Adds what is to become of each of the records of a source, whose games have been chosen.
    fn add_rows(&self, records: &Records, games: &ChosenGames, source: &dyn Source, rows: &mut Vec<RowKey>) {
        let count = records.positions.len();
        let holds = self.conditions.rows.as_ref().map(|condition| condition.holds(records, source));
        let has_games = self.conditions.games.is_some();
        let keys = self.selection.map(|selection| {
            let mut keys = vec![0; count];
            let computed = self.backend.keys(&records.positions, selection.kind, &mut keys);
            computed.expect("each position has a key");
            keys
        });
        let shard = self.selection.and_then(|selection| selection.shard);
        let mut nulls = records.nulls.iter().map(|(row, _)| *row).peekable();
        rows.extend((0..count).map(|row| {
            // Malformed records have no key, and no condition is about them. They are taken, in the first shard.
            let is_null = nulls.next_if_eq(&row).is_some();
            let key = keys.as_ref().map(|keys| keys[row]).filter(|_| !is_null);
            match key {
                _ if !is_null && has_games && !games.has(records.numbers[row]) => RowKey::LeftOut,
                _ if !is_null && holds.as_ref().is_some_and(|holds| !holds[row]) => RowKey::LeftOut,
                _ if shard.is_some_and(|shard| !shard.has_key(key.unwrap_or(0))) => RowKey::LeftOut,
                Some(key) => RowKey::IfNew(key),
                None => RowKey::Taken,
            }
        }));
    }
}

/// Which positions of a block are taken.
#[derive(Debug)]
pub struct BlockFilter {
    filter: Arc<KeyFilter>,
    number: u64,
    /// The games of the block.
    games: ChosenGames,
    /// The keys that have not been handed in, by the parts of the set, and how many rows have waited for these.
    groups: Vec<Vec<KeyRow>>,
    waiting: usize,
    /// Whether the keys of all blocks before have been added; whether all of this block have been handed in; and those that were last.
    has_turn: bool,
    is_passed: bool,
    batch: Option<Arc<KeyBatch>>,
    /// Whether each row is taken: all rows, or those before the first one for whose key there was no room.
    taken: Vec<bool>,
    /// How many keys the set had then.
    full: Option<u64>,
}

impl BlockFilter {
    /// Whether it depends on the blocks before which positions are taken, and has not been decided.
    pub fn is_undecided(&self) -> bool {
        self.filter.set.is_some() && (!self.is_passed || self.batch.is_some())
    }

    /// Whether all keys of the block have been handed in.
    pub fn is_passed(&self) -> bool {
        self.is_passed
    }

    /// The keys that have been handed in, if it is not known which of them are new.
    pub(crate) fn pending(&self) -> Option<&Arc<KeyBatch>> {
        self.batch.as_ref()
    }

    /// How to handle malformed records.
    pub fn on_error(&self) -> OnError {
        self.filter.on_error
    }

    /// Whether games are chosen by their positions.
    pub fn chooses_games(&self) -> bool {
        self.filter.conditions.games.is_some()
    }

    /// Whether it is known if the rows of this game are taken, and so of all games of the block before.
    pub fn has_chosen(&self, game: u64) -> bool {
        self.games.find(game).is_ok()
    }

    /// Chooses games by these records, which come after those that were given before. With `is_cut`, more of the last game comes.
    pub fn choose_games(&mut self, records: &Records, source: &dyn Source, is_cut: bool) {
        let Some(condition) = &self.filter.conditions.games else { return };
        let mut holds = condition.holds(records, source);
        records.nulls.iter().for_each(|(row, _)| holds[*row] = false);
        self.games.add(&records.numbers, &holds, is_cut);
    }

    /// Memory for positions that are read ahead.
    pub fn spare(&self) -> &FreeList<Positions> {
        &self.filter.spare
    }

    /// Whether there was no room for a key, so that nothing more is decided.
    pub fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// Hands in the keys of all rows so far.
    fn hand_in(&mut self, is_last: bool) {
        let Some(relay) = &self.filter.set else { return };
        let mut groups = mem::take(&mut self.groups);
        groups.resize_with(PARTS, Vec::new);
        self.batch = Some(relay.hand_in(self.number, groups, is_last));
    }

    /// Waits until the keys that have been handed in have been added.
    ///
    /// # Errors
    ///
    /// A block before this one was lost, so that they will never be.
    pub fn finish(&mut self) -> Result<()> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        let found = batch.wait().context("positions before these could not be read")?;
        if self.is_full() {
            return Ok(());
        }
        let first = self.taken.len() - mem::take(&mut self.waiting);
        found.rows.iter().for_each(|&row| self.taken[first + row as usize] = true);
        if let Some(full) = found.full {
            self.taken.truncate(first + full as usize);
            self.full = Some(found.before + found.rows.len() as u64);
        }
        Ok(())
    }

    /// Waits for the blocks before, and adds the keys of all rows so far.
    ///
    /// # Errors
    ///
    /// Those of [`finish`](BlockFilter::finish).
    pub fn wait(&mut self) -> Result<()> {
        self.hand_in(false);
        self.has_turn = true;
        self.finish()
    }

    /// Adds the next records of the block.
    ///
    /// # Errors
    ///
    /// Those of [`finish`](BlockFilter::finish).
    pub fn add(&mut self, records: &Records, source: &dyn Source) -> Result<()> {
        let mut rows = Vec::new();
        self.filter.add_rows(records, &self.games, source, &mut rows);
        self.add_keys(&rows);
        if self.has_turn || self.waiting > MOST_ROWS { self.wait() } else { Ok(()) }
    }

    /// Adds rows, with their keys to the groups.
    fn add_keys(&mut self, rows: &[RowKey]) {
        let Some(relay) = &self.filter.set else { return };
        let hasher = relay.hasher();
        self.groups.resize_with(PARTS, || Vec::with_capacity(2 * rows.len() / PARTS));
        for (row, key) in (self.waiting as u32..).zip(rows) {
            if let RowKey::IfNew(key) = *key {
                let hash = hasher.hash(key);
                self.groups[KeyHasher::part(hash)].push(KeyRow { hash, row });
            }
        }
        self.waiting += rows.len();
        self.taken.extend(rows.iter().map(|row| *row == RowKey::Taken));
    }

    /// All records have been added: hands in the last keys. They are decided when they are [finished](BlockFilter::finish).
    pub fn pass(&mut self) {
        self.hand_in(true);
        self.is_passed = true;
    }

    /// Selects those of some records that are taken. `first` is the number of the first of them in the block, from 0.
    pub fn select(&self, records: &mut Records, source: &dyn Source, first: usize) {
        let count = records.numbers.len();
        let rows: Vec<u32> = if self.filter.set.is_some() {
            let taken = self.taken.get(first..).unwrap_or_default().iter().take(count);
            (0..).zip(taken).filter(|(_, taken)| **taken).map(|(row, _)| row).collect()
        } else {
            let mut rows = Vec::with_capacity(count);
            self.filter.add_rows(records, &self.games, source, &mut rows);
            (0..).zip(rows).filter(|(_, row)| *row != RowKey::LeftOut).map(|(row, _)| row).collect()
        };
        if let Some(full) = self.full
            && self.taken.len() < first + count
        {
            let row = self.taken.len().saturating_sub(first);
            let advice = self.filter.selection.map_or("", |selection| selection.advice);
            let number = records.numbers[row];
            let what = format!("no room for more than {full} different positions: {advice}");
            records.skipped.retain(|malformed| malformed.number < number);
            records.nulls.retain(|(place, _)| *place < row);
            records.failure = Some(Malformed { number, what: what.into(), place: None });
        }
        if rows.len() < count {
            records.selected = Some(rows.into());
        }
    }
}

/// What is to become of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKey {
    /// It is taken.
    Taken,
    /// It is left out.
    LeftOut,
    /// It is taken if no row before has this key.
    IfNew(u64),
}

/// Which games of a block have a row for which the condition on games holds.
#[derive(Debug, Default)]
struct ChosenGames {
    /// The numbers of games, in order, and whether they have one.
    known: Vec<(u64, bool)>,
    /// A game that goes on, and whether it has one so far.
    begun: Option<(u64, bool)>,
}

impl ChosenGames {
    fn find(&self, game: u64) -> Result<usize, usize> {
        self.known.binary_search_by_key(&game, |(number, _)| *number)
    }

    fn has(&self, game: u64) -> bool {
        self.find(game).is_ok_and(|place| self.known[place].1)
    }

    /// Adds rows of these games, and whether the condition holds for them. With `is_cut`, more of the last game comes.
    fn add(&mut self, numbers: &[u64], holds: &[bool], is_cut: bool) {
        let mut start = 0;
        for game in numbers.chunk_by(|one, other| one == other) {
            let (number, end) = (game[0], start + game.len());
            let before = self.begun.take_if(|(begun, _)| *begun == number).is_some_and(|(_, has_one)| has_one);
            let has_one = before || holds[start..end].contains(&true);
            if is_cut && end == numbers.len() && !has_one {
                self.begun = Some((number, has_one));
            } else if let Err(place) = self.find(number) {
                self.known.insert(place, (number, has_one));
            }
            start = end;
        }
    }
}

impl Drop for BlockFilter {
    fn drop(&mut self) {
        if let Some(relay) = self.filter.set.as_ref().filter(|_| !self.is_passed) {
            relay.lose(self.number);
        }
    }
}
