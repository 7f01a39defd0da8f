//! A set of keys, to which blocks add theirs in order, whichever threads work on them.
//!
//! The set has parts, and a block hands in a group of keys for each part. In each part, the groups are added in the order of
//! the blocks, so of equal keys the first one is new; different parts are independent of each other. A thread that hands in
//! groups adds all whose turn it is, also those of other blocks, so the set never waits for a thread to wake up. A block is
//! decided once all of its groups have been added.
//!
//! While a part adds the group of a block, its length is the number of its keys from the blocks before. The sum over all parts
//! tells how many keys there are before the block, so the limit holds for the order of the input, although the parts run ahead
//! of each other: by the keys of the blocks on their way, which take 2 MB as a rule, and 30 MB at worst. The set may pass the
//! limit by as much.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::key_set::{KeyHasher, KeyRow, KeySet, PARTS};

/// What is called once keys have been added.
type AfterKeys = Box<dyn FnOnce() + Send>;

/// The set. Threads must begin with blocks in their order.
#[derive(Debug)]
pub(crate) struct KeyRelay {
    hasher: KeyHasher,
    most: u64,
    parts: Vec<KeyPart>,
    /// The first block that had a key without room, as far as is known: no keys of later blocks are added.
    full: AtomicU64,
}

/// A part of the set, in lines of the cache of its own.
#[derive(Debug)]
#[repr(align(128))]
struct KeyPart(Mutex<KeyTurn>);

/// Whose turn it is in a part.
#[derive(Debug)]
struct KeyTurn {
    /// The number of the block whose keys come next.
    next: u64,
    /// This part of the set, unless a thread has it.
    set: Option<KeySet>,
    /// The groups that have not been added, by the numbers of their blocks.
    groups: BTreeMap<u64, KeyGroup>,
    /// The first block that was lost: it adds nothing more.
    lost: Option<u64>,
}

/// Keys of a block for a part of the set.
#[derive(Debug)]
struct KeyGroup {
    rows: Vec<KeyRow>,
    /// Whether the block has no more.
    is_last: bool,
    batch: Arc<KeyBatch>,
}

/// The keys that a block has handed in together.
#[derive(Debug, Default)]
pub(crate) struct KeyBatch {
    progress: Mutex<KeyProgress>,
    is_added: Condvar,
}

/// How many of these keys have been added.
#[derive(Default)]
struct KeyProgress {
    /// How many parts have done it.
    parts: usize,
    found: NewKeys,
    is_lost: bool,
    then: Option<AfterKeys>,
}

/// Which of these keys are new.
#[derive(Debug, Default)]
pub(crate) struct NewKeys {
    /// The rows that have them, in any order.
    pub rows: Vec<u32>,
    /// How many keys the set has without these.
    pub before: u64,
    /// The first row for whose key there is no room.
    pub full: Option<u32>,
}

impl KeyRelay {
    /// An empty set, for at most this many keys.
    pub fn new(most: u64) -> KeyRelay {
        let parts = (0..PARTS).map(|_| KeyPart::default()).collect();
        KeyRelay { hasher: KeyHasher::new(), most, parts, full: AtomicU64::new(u64::MAX) }
    }

    /// How keys are hashed.
    pub fn hasher(&self) -> KeyHasher {
        self.hasher
    }

    /// Hands in the next keys of the block of this number: a group for each part, in the order of the rows.
    pub fn hand_in(&self, number: u64, groups: Vec<Vec<KeyRow>>, is_last: bool) -> Arc<KeyBatch> {
        let batch = Arc::new(KeyBatch::default());
        for (part, rows) in self.parts.iter().zip(groups) {
            let mut turn = part.turn();
            if turn.is_lost(number) {
                drop(turn);
                batch.lose();
            } else {
                turn.groups.insert(number, KeyGroup { rows, is_last, batch: batch.clone() });
            }
        }
        self.help(number as usize % PARTS);
        batch
    }

    /// Adds groups whose turn it is, in any part, until there are none.
    fn help(&self, first: usize) {
        let (mut part, mut idle) = (first, 0);
        while idle < PARTS {
            idle = if self.add_next(&self.parts[part]) { 0 } else { idle + 1 };
            part = (part + 1) % PARTS;
        }
    }

    /// Adds the next group to a part, if it has been handed in and no other thread does.
    fn add_next(&self, part: &KeyPart) -> bool {
        let mut turn = part.turn();
        let number = turn.next;
        let Some(mut set) = turn.set.take() else { return false };
        let Some(KeyGroup { rows, is_last, batch }) = turn.groups.remove(&number) else {
            turn.set = Some(set);
            return false;
        };
        drop(turn);
        let added = catch_unwind(AssertUnwindSafe(|| self.add(number, &rows, &mut set)));
        if added.is_err() {
            // The message has been printed, and the set may lack keys: no later block may come to this part. This block fails
            // because "positions before these could not be read".
            self.lose(number);
        }
        let mut turn = part.turn();
        turn.set = Some(set);
        turn.next += u64::from(is_last);
        drop(turn);
        match added {
            Ok(found) => batch.add(found, |found| {
                if found.limit(self.most) {
                    self.full.fetch_min(number, Relaxed);
                }
            }),
            Err(_) => batch.lose(),
        }
        true
    }

    /// Adds keys of the block of this number to a part of the set.
    fn add(&self, number: u64, rows: &[KeyRow], set: &mut KeySet) -> NewKeys {
        #[cfg(test)]
        assert!(rows.iter().all(|row| row.row != tests::PANICS), "on purpose");
        let mut found = NewKeys { rows: Vec::with_capacity(rows.len()), before: set.len(), full: None };
        let is_over = self.full.load(Relaxed) < number;
        found.full = if is_over { Some(0) } else { set.add(rows, &mut found.rows).err().map(|full| full.0) };
        found
    }

    /// This block was lost: those after it do not wait any longer.
    pub fn lose(&self, number: u64) {
        for part in &self.parts {
            let mut turn = part.turn();
            turn.lost = Some(turn.lost.map_or(number, |lost| lost.min(number)));
            let groups = turn.groups.split_off(&(number + 1));
            drop(turn);
            groups.into_values().for_each(|group| group.batch.lose());
        }
    }
}

impl Default for KeyPart {
    fn default() -> KeyPart {
        let set = Some(KeySet::default());
        KeyPart(Mutex::new(KeyTurn { next: 0, set, groups: BTreeMap::new(), lost: None }))
    }
}

impl KeyPart {
    fn turn(&self) -> MutexGuard<'_, KeyTurn> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyTurn {
    /// Whether a block before this one was lost.
    fn is_lost(&self, number: u64) -> bool {
        self.lost.is_some_and(|lost| lost < number)
    }
}

impl KeyBatch {
    fn progress(&self) -> MutexGuard<'_, KeyProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a part has found. `finish` is called with what all have found.
    fn add(&self, mut found: NewKeys, finish: impl FnOnce(&mut NewKeys)) {
        let mut progress = self.progress();
        let all = &mut progress.found;
        all.rows.append(&mut found.rows);
        all.before += found.before;
        all.full = all.full.into_iter().chain(found.full).min();
        progress.parts += 1;
        if progress.parts == PARTS {
            finish(&mut progress.found);
        }
        self.call(progress);
    }

    /// A block before was lost.
    fn lose(&self) {
        let mut progress = self.progress();
        progress.is_lost = true;
        self.call(progress);
    }

    /// Tells whoever waits that all have been added.
    fn call(&self, mut progress: MutexGuard<'_, KeyProgress>) {
        let then = if progress.is_done() { progress.then.take() } else { return };
        drop(progress);
        self.is_added.notify_all();
        then.into_iter().for_each(|then| then());
    }

    /// Whether all have been added, or never will be.
    pub fn is_done(&self) -> bool {
        self.progress().is_done()
    }

    /// Calls this once all have been added, or when it is known that they never will be: on this thread, or on the one that adds the
    /// last.
    pub fn when_done(&self, then: AfterKeys) {
        let mut progress = self.progress();
        progress.then = Some(then);
        self.call(progress);
    }

    /// Waits until all have been added. `None` if a block before was lost.
    pub fn wait(&self) -> Option<NewKeys> {
        let waits = |progress: &mut KeyProgress| !progress.is_done();
        let progress = self.is_added.wait_while(self.progress(), waits);
        let mut progress = progress.unwrap_or_else(PoisonError::into_inner);
        (!progress.is_lost).then(|| mem::take(&mut progress.found))
    }
}

impl KeyProgress {
    fn is_done(&self) -> bool {
        self.is_lost || self.parts == PARTS
    }
}

impl fmt::Debug for KeyProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyProgress").field("parts", &self.parts).field("found", &self.found).finish_non_exhaustive()
    }
}

impl NewKeys {
    /// Ends them where the set has this many keys. Returns whether there was no room for one.
    fn limit(&mut self, most: u64) -> bool {
        let room = most.saturating_sub(self.before);
        if self.rows.len() as u64 > room {
            let (_, first, _) = self.rows.select_nth_unstable(room as usize);
            self.full = self.full.into_iter().chain([*first]).min();
        }
        if let Some(full) = self.full {
            self.rows.retain(|&row| row < full);
        }
        self.full.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;

    /// Adding the key of this row panics.
    pub const PANICS: u32 = u32::MAX;

    /// The groups of keys of rows, by the parts of the set.
    fn groups(relay: &KeyRelay, keys: &[u64]) -> Vec<Vec<KeyRow>> {
        let mut groups = vec![Vec::new(); PARTS];
        for (row, &key) in (0..).zip(keys) {
            let hash = relay.hasher().hash(key);
            groups[KeyHasher::part(hash)].push(KeyRow { hash, row });
        }
        groups
    }

    /// Keys, many of them equal, in blocks: none, few and many.
    fn blocks(count: u64) -> Vec<Vec<u64>> {
        let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(20) % 997;
        (0..count).map(|block| (0..block * 37 % 400).map(|row| key(1000 * block + row)).collect()).collect()
    }

    /// The rows of each block that have new keys, up to this many.
    fn expected(blocks: &[Vec<u64>], most: usize) -> Vec<(Vec<u32>, Option<u32>)> {
        let mut seen = HashSet::new();
        let new = |keys: &Vec<u64>| {
            let (mut rows, mut full) = (Vec::new(), None);
            for (row, key) in (0..).zip(keys) {
                if full.is_none() && !seen.contains(key) {
                    if seen.len() == most {
                        full = Some(row)
                    } else {
                        rows.push(row)
                    }
                    seen.extend(full.is_none().then_some(*key));
                }
            }
            (rows, full)
        };
        blocks.iter().map(new).collect()
    }

    /// What was found, in the order of the rows.
    fn found(batch: &KeyBatch) -> (Vec<u32>, Option<u32>) {
        let mut found = batch.wait().expect("no block was lost");
        found.rows.sort_unstable();
        (found.rows, found.full)
    }

    /// How many keys there are in all parts.
    fn len(relay: &KeyRelay) -> u64 {
        relay.parts.iter().map(|part| part.turn().set.as_ref().expect("no thread has it").len()).sum()
    }

    /// All orders of the numbers below this.
    fn orders(count: u64) -> Vec<Vec<u64>> {
        let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
        let insert = |order: Vec<u64>| {
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, last);
                order
            })
        };
        orders(last).into_iter().flat_map(insert).collect()
    }

    #[test]
    fn blocks_may_be_handed_in_in_any_order() {
        let blocks = blocks(5);
        let keys = blocks.concat().into_iter().collect::<HashSet<_>>().len();
        for most in [0, 1, keys / 2, keys - 1, keys] {
            let expected = expected(&blocks, most);
            let is_full = expected.iter().position(|(_, full)| full.is_some());
            for order in orders(5) {
                let relay = KeyRelay::new(most as u64);
                let mut batches = vec![None; blocks.len()];
                for &number in &order {
                    let keys = &blocks[number as usize];
                    batches[number as usize] = Some(relay.hand_in(number, groups(&relay, keys), true));
                }
                if is_full.is_some() {
                    // Blocks that come after it is known add nothing.
                    let before = len(&relay);
                    let later = relay.hand_in(5, groups(&relay, &(1000..1100).collect::<Vec<_>>()), true);
                    assert_eq!((found(&later), len(&relay)), ((Vec::new(), Some(0)), before), "{most} {order:?}");
                }
                // After a block without room for a key, nothing is read.
                for (batch, expected) in batches.iter().zip(&expected).take(is_full.map_or(5, |full| full + 1)) {
                    assert_eq!(found(batch.as_ref().unwrap()), *expected, "{most} {order:?}");
                }
            }
        }
    }

    #[test]
    fn threads_help_each_other() {
        let blocks = blocks(300);
        for threads in [2, 7] {
            let (relay, next, called) = (KeyRelay::new(u64::MAX), AtomicU64::new(0), Arc::new(AtomicUsize::new(0)));
            let work = || {
                let mut batches = Vec::new();
                while let Some((number, keys)) =
                    Some(next.fetch_add(1, Relaxed)).and_then(|number| Some((number, blocks.get(number as usize)?)))
                {
                    // Some blocks wait for their turn, and hand in the rest then.
                    let (first, rest) = keys.split_at(if number % 5 == 0 { keys.len() / 2 } else { 0 });
                    let first = (number % 5 == 0).then(|| relay.hand_in(number, groups(&relay, first), false));
                    let mut rows = first.map_or_else(Vec::new, |batch| found(&batch).0);
                    let before = (keys.len() - rest.len()) as u32;
                    let batch = relay.hand_in(number, groups(&relay, rest), true);
                    let called = called.clone();
                    batch.when_done(Box::new(move || {
                        called.fetch_add(1, Relaxed);
                    }));
                    batches.push((number, batch, move |more: Vec<u32>| {
                        rows.extend(more.into_iter().map(|row| row + before));
                        rows
                    }));
                }
                batches.into_iter().map(|(number, batch, all)| (number, all(found(&batch).0))).collect::<Vec<_>>()
            };
            let mut all: Vec<(u64, Vec<u32>)> = thread::scope(|scope| {
                let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            all.sort_unstable();
            let expected = expected(&blocks, usize::MAX).into_iter().map(|(rows, _)| rows);
            assert!(all.into_iter().map(|(_, rows)| rows).eq(expected));
            assert_eq!(called.load(Relaxed), blocks.len());
        }
    }

    #[test]
    fn no_block_waits_for_one_that_was_lost() {
        for (lost, panics) in (0..4).flat_map(|lost| [(lost, false), (lost, true)]) {
            for order in orders(4) {
                let relay = KeyRelay::new(u64::MAX);
                let mut batches = vec![None; 4];
                for &number in &order {
                    if number == lost && !panics {
                        relay.lose(number);
                        continue;
                    }
                    let mut groups = groups(&relay, &[1, 2, number]);
                    if number == lost {
                        groups[order[0] as usize * 5].push(KeyRow { hash: 1, row: PANICS });
                    }
                    batches[number as usize] = Some(relay.hand_in(number, groups, true));
                }
                for (number, batch) in (0..).zip(&batches) {
                    let is_found = batch.as_ref().map(|batch| batch.wait().is_some());
                    let is_there = number != lost || panics;
                    assert_eq!(is_found, is_there.then_some(number < lost), "{lost} {panics} {order:?}");
                }
            }
        }
    }
}
