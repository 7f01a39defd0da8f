//! A set of keys that is built for speed, little memory and hostile input.
//!
//! It is a hash table with open addressing, whose buckets are lines of the cache. A segment of it has the keys whose hashes begin with
//! the same bits. Within the segment, the bucket of a hash is in proportion to its value: a larger segment keeps the order, so
//! growing reads and writes memory in sequence. Segments grow by a fifth, each at its own time, when 80 % of their slots are in use.
//! So keys take 10 to 12 bytes each, 11 in the mean, and growing needs memory for one more segment only.
//!
//! Whoever knew the places of keys could choose positions that share one, and look-ups would take time in proportion to their
//! number. So the hash depends on random numbers.

use std::collections::TryReserveError;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::mem;

/// How many bits of a hash select the segment.
const SEGMENT_BITS: u32 = 8;
/// How many slots a bucket has.
const SLOTS: usize = 8;
/// How many keys are looked up at a time: the processor waits for the memory of all of them together.
const GROUP: usize = 32;

/// What is to become of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKey {
    /// It is taken.
    Taken,
    /// It is left out.
    LeftOut,
    /// It is taken if no row before has this key.
    IfNew(u64),
}

/// The set, which may have a limited number of keys.
#[derive(Debug)]
pub(crate) struct KeySet {
    segments: Vec<Segment>,
    has_zero: bool,
    len: u64,
    most: u64,
    /// What hashes depend on: any number, and an odd one.
    seed: u64,
    factor: u64,
}

/// A part of the set.
#[derive(Debug, Default)]
struct Segment {
    buckets: Vec<KeyBucket>,
    len: usize,
}

/// Hashes. The empty slots, with zeros, come last.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct KeyBucket([u64; SLOTS]);

/// There is no room for another key.
#[derive(Debug)]
pub(crate) struct KeysFull;

impl KeySet {
    /// At most how many bytes a key takes.
    pub const BYTES: u64 = 12;

    /// An empty set, for at most this many keys.
    pub fn new(most: u64) -> KeySet {
        let random = RandomState::new();
        let segments = (0..1 << SEGMENT_BITS).map(|_| Segment::default()).collect();
        let [seed, factor] = [0, 1].map(|number: u64| random.hash_one(number));
        KeySet { segments, has_zero: false, len: 0, most, seed, factor: factor | 1 }
    }

    /// How many keys there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds the keys of rows, and for each row whether it is taken. A row without room for its key ends this.
    ///
    /// # Errors
    ///
    /// There are as many keys as there may be, or there is no memory for more.
    pub fn add(&mut self, rows: &[RowKey], taken: &mut Vec<bool>) -> Result<(), KeysFull> {
        taken.reserve(rows.len());
        for rows in rows.chunks(GROUP) {
            // Where these loads miss the cache, they overlap. One look-up after the other would wait for each.
            let mut first = [(0, false); GROUP];
            for (row, (hash, is_found)) in rows.iter().zip(&mut first) {
                if let RowKey::IfNew(key) = *row {
                    *hash = self.hash(key);
                    *is_found = self.segments[segment(*hash)].is_first(*hash);
                }
            }
            for (row, (hash, is_found)) in rows.iter().zip(first) {
                taken.push(match row {
                    RowKey::Taken => true,
                    RowKey::LeftOut => false,
                    RowKey::IfNew(_) if hash == 0 => !mem::replace(&mut self.has_zero, true),
                    RowKey::IfNew(_) => !is_found && self.insert(hash)?,
                });
            }
        }
        Ok(())
    }

    /// A hash of a key. No two keys have the same.
    #[inline]
    fn hash(&self, key: u64) -> u64 {
        let mixed = (key ^ self.seed).wrapping_mul(self.factor);
        // The high bits of a product depend on all bits of its factors.
        (mixed ^ (mixed >> 32)).wrapping_mul(self.factor)
    }

    /// Adds a hash. Returns whether it is new.
    #[inline]
    fn insert(&mut self, hash: u64) -> Result<bool, KeysFull> {
        let segment = &mut self.segments[segment(hash)];
        if segment.is_full() {
            segment.grow().map_err(|_| KeysFull)?;
        }
        let Some(slot) = segment.slot(hash) else { return Ok(false) };
        if self.len == self.most {
            return Err(KeysFull);
        }
        *slot = hash;
        segment.len += 1;
        self.len += 1;
        Ok(true)
    }
}

/// The number of the segment of a hash.
#[inline]
fn segment(hash: u64) -> usize {
    (hash >> (u64::BITS - SEGMENT_BITS)) as usize
}

impl KeyBucket {
    /// Whether it has a hash. Nothing depends on where, so that no branch is predicted wrongly.
    #[inline]
    fn has(&self, hash: u64) -> bool {
        self.0.iter().fold(false, |is_found, &slot| is_found | (slot == hash))
    }

    /// How many slots are in use.
    #[inline]
    fn len(&self) -> usize {
        self.0.iter().map(|&slot| usize::from(slot != 0)).sum()
    }
}

impl Segment {
    /// Whether it has to grow before a hash is added.
    #[inline]
    fn is_full(&self) -> bool {
        5 * self.len >= 4 * SLOTS * self.buckets.len()
    }

    /// The bucket where a search for a hash begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << SEGMENT_BITS) * self.buckets.len() as u128) >> u64::BITS) as usize
    }

    /// Whether a hash is there.
    #[inline]
    fn is_first(&self, hash: u64) -> bool {
        self.buckets.get(self.home(hash)).is_some_and(|bucket| bucket.has(hash))
    }

    /// The empty slot where a hash belongs, unless it is there.
    #[inline]
    fn slot(&mut self, hash: u64) -> Option<&mut u64> {
        let mut place = self.home(hash);
        loop {
            let bucket = &self.buckets[place];
            if bucket.has(hash) {
                return None;
            }
            let used = bucket.len();
            if used < SLOTS {
                return Some(&mut self.buckets[place].0[used]);
            }
            place = if place + 1 == self.buckets.len() { 0 } else { place + 1 };
        }
    }

    /// Makes room for more.
    #[cold]
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let count = self.buckets.len() + (self.buckets.len() / 5).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count)?;
        buckets.resize(count, KeyBucket([0; SLOTS]));
        for hash in
            mem::replace(&mut self.buckets, buckets).iter().flat_map(|bucket| bucket.0).filter(|&hash| hash != 0)
        {
            *self.slot(hash).expect("each hash is there once") = hash;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    impl KeySet {
        fn bytes(&self) -> usize {
            self.segments.iter().map(|segment| segment.buckets.capacity() * size_of::<KeyBucket>()).sum()
        }
    }

    /// Adds keys to the set, and returns which of them are new.
    fn add(set: &mut KeySet, keys: &[u64]) -> Vec<bool> {
        let (rows, mut taken): (Vec<RowKey>, _) = (keys.iter().map(|&key| RowKey::IfNew(key)).collect(), Vec::new());
        set.add(&rows, &mut taken).expect("there is room");
        taken
    }

    /// Different numbers, which look random.
    fn numbers(count: u64) -> Vec<u64> {
        (1..=count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).swap_bytes()).collect()
    }

    #[test]
    fn the_first_of_equal_keys_is_new() {
        let mut set = KeySet::new(u64::MAX);
        // The seed is the key whose hash is zero.
        let seed = set.seed;
        let keys = numbers(20_000).into_iter();
        let keys: Vec<u64> =
            keys.flat_map(|key| [key, key % 1000, seed, key >> 50, key, key << 50, 0, u64::MAX]).collect();
        let mut seen = HashSet::new();
        // Equal keys are in one call, in one group or in several.
        for keys in keys.chunks(1001) {
            let expected: Vec<bool> = keys.iter().map(|&key| seen.insert(key)).collect();
            assert_eq!(add(&mut set, keys), expected);
        }
        assert_eq!(set.len() + 1, seen.len() as u64);
    }

    #[test]
    fn rows_need_no_key() {
        let (mut set, mut taken) = (KeySet::new(u64::MAX), Vec::new());
        set.add(&[RowKey::Taken, RowKey::LeftOut, RowKey::IfNew(7), RowKey::Taken, RowKey::IfNew(7)], &mut taken)
            .unwrap();
        assert_eq!((taken, set.len()), (vec![true, false, true, true, false], 1));
    }

    #[test]
    fn a_key_without_room_ends_the_rows() {
        let (mut set, mut taken) = (KeySet::new(3), Vec::new());
        let rows = [5, 6, 5, 7, 7, 8, 5].map(RowKey::IfNew);
        assert!(set.add(&rows, &mut taken).is_err());
        assert_eq!((taken, set.len()), (vec![true, true, false, true, false], 3));
        assert_eq!(add(&mut set, &[6, 7, 5]), [false; 3]);
    }

    #[test]
    fn memory_is_about_twelve_bytes_per_key() {
        let (mut set, mut sum, mut count) = (KeySet::new(u64::MAX), 0.0, 0);
        for keys in numbers(1_000_000).chunks(10_000) {
            add(&mut set, keys);
            let most = set.len() * KeySet::BYTES + (2 << SEGMENT_BITS) * size_of::<KeyBucket>() as u64;
            assert!(set.bytes() as u64 <= most, "{} bytes for {} keys", set.bytes(), set.len());
            (sum, count) = (sum + set.bytes() as f64 / set.len() as f64, count + 1);
        }
        let mean = sum / f64::from(count);
        assert!((10.0..12.0).contains(&mean), "{mean} bytes per key in the mean");
        assert!(set.bytes() <= 12_000_000);
    }

    #[test]
    fn keys_that_resemble_each_other_are_far_apart() {
        for shift in [0, 20, 44] {
            let mut set = KeySet::new(u64::MAX);
            add(&mut set, &(0..1 << 18).map(|number| number << shift).collect::<Vec<_>>());
            let is_full = |bucket: &KeyBucket| bucket.len() == SLOTS;
            let runs = |segment: &Segment| segment.buckets.split(|bucket| !is_full(bucket)).map(<[_]>::len).max();
            let longest = set.segments.iter().filter_map(runs).max().unwrap();
            assert!(longest < 100, "{longest} full buckets side by side, shifted by {shift}");
        }
    }
}
