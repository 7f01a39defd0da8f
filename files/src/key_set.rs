//! A set of keys that is built for speed, little memory and hostile input.
//!
//! It is a hash table with open addressing, whose buckets are lines of the cache. Of a set in several parts, each has the keys
//! whose hashes begin with the same bits; a segment of a part, those whose next bits are the same. Within the segment, the
//! bucket of a hash is in proportion to its value: a larger segment keeps the order, so growing reads and writes memory in
//! sequence. Segments grow by 11/40, each at its own time, when 85 % of their slots are in use. So keys take 9.4 to 12 bytes
//! each, 10.6 in the mean. Each part grows one segment at a time, so growing needs memory for at most 16 of the 256 more.
//!
//! Whoever knew the places of keys could choose positions that share one, and look-ups would take time in proportion to their
//! number. So the hash depends on random numbers.

use std::collections::TryReserveError;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::hint::black_box;
use std::mem;

/// How many bits of a hash select the part of a set, and then the segment.
const PART_BITS: u32 = 4;
const SEGMENT_BITS: u32 = 4;
/// How many parts a set has. Each visit of a block to a part costs two tenths of a microsecond, and few blocks are on their way.
pub(crate) const PARTS: usize = 1 << PART_BITS;
/// How many slots a bucket has.
const SLOTS: usize = 8;
/// How many keys are looked up at a time: the processor waits for the memory of all of them together.
const GROUP: usize = 32;

/// How keys are hashed: any number, and an odd one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHasher {
    seed: u64,
    factor: u64,
}

/// The hash of the key of a row, and the number of the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRow {
    pub hash: u64,
    pub row: u32,
}

/// A part of the set.
#[derive(Debug)]
pub(crate) struct KeySet {
    segments: Vec<Segment>,
    has_zero: bool,
    len: u64,
}

/// The keys whose hashes begin with the same bits.
#[derive(Debug, Default)]
struct Segment {
    buckets: Vec<KeyBucket>,
    len: usize,
}

/// Hashes. The empty slots, with zeros, come last.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct KeyBucket([u64; SLOTS]);

/// Where the search for a hash ends.
#[derive(Clone, Copy, Debug, Default)]
struct KeyPlace {
    /// The bucket, and its first empty slot, if the hash is not found.
    bucket: usize,
    slot: usize,
    is_found: bool,
}

/// There is no memory for the key of this row.
#[derive(Debug)]
pub(crate) struct KeysFull(pub u32);

impl KeyHasher {
    /// One that nobody can foresee.
    pub fn new() -> KeyHasher {
        let random = RandomState::new();
        let [seed, factor] = [0, 1].map(|number: u64| random.hash_one(number));
        KeyHasher { seed, factor: factor | 1 }
    }

    /// A hash of a key. No two keys have the same.
    #[inline]
    pub fn hash(self, key: u64) -> u64 {
        let mixed = (key ^ self.seed).wrapping_mul(self.factor);
        // The high bits of a product depend on all bits of its factors.
        (mixed ^ (mixed >> 32)).wrapping_mul(self.factor)
    }

    /// The number of the part of a hash.
    #[inline]
    pub fn part(hash: u64) -> usize {
        (hash >> (u64::BITS - PART_BITS)) as usize
    }
}

impl Default for KeySet {
    fn default() -> KeySet {
        KeySet { segments: (0..1 << SEGMENT_BITS).map(|_| Segment::default()).collect(), has_zero: false, len: 0 }
    }
}

impl KeySet {
    /// At most how many bytes a key takes.
    pub const BYTES: u64 = 12;

    /// How many keys there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds the keys of rows, and the rows whose keys are new to `new`. A row without memory for its key ends this.
    ///
    /// # Errors
    ///
    /// There is no memory for more.
    pub fn add(&mut self, rows: &[KeyRow], new: &mut Vec<u32>) -> Result<(), KeysFull> {
        for rows in rows.chunks(GROUP) {
            // Where these loads miss the cache, they overlap. One look-up after the other would wait for each, and even the first steps
            // of a search are so many that the processor sees few of them at a time.
            black_box(rows.iter().fold(0, |sum, row| sum ^ self.segments[segment(row.hash)].first_slot(row.hash)));
            let mut places = [KeyPlace::default(); GROUP];
            for (row, place) in rows.iter().zip(&mut places) {
                *place = self.segments[segment(row.hash)].find(row.hash);
            }
            let mut has_grown = false;
            for (row, place) in rows.iter().zip(places) {
                if (!place.is_found || row.hash == 0)
                    && self.insert(row.hash, place, &mut has_grown).map_err(|_| KeysFull(row.row))?
                {
                    new.push(row.row);
                }
            }
        }
        Ok(())
    }

    /// Adds a hash, which was looked for before: there, unless a segment has grown since. Returns whether it is new.
    #[inline]
    fn insert(&mut self, hash: u64, place: KeyPlace, has_grown: &mut bool) -> Result<bool, TryReserveError> {
        if hash == 0 {
            let is_new = !mem::replace(&mut self.has_zero, true);
            self.len += u64::from(is_new);
            return Ok(is_new);
        }
        let segment = &mut self.segments[segment(hash)];
        if segment.is_full() {
            segment.grow()?;
            *has_grown = true;
        }
        // If the slot where the search has ended is still empty, no hash has come to where it looked.
        let is_empty =
            |place: &KeyPlace| segment.buckets.get(place.bucket).is_some_and(|found| found.0[place.slot] == 0);
        let place = if *has_grown || !is_empty(&place) { segment.find(hash) } else { place };
        if place.is_found {
            return Ok(false);
        }
        segment.buckets[place.bucket].0[place.slot] = hash;
        segment.len += 1;
        self.len += 1;
        Ok(true)
    }
}

/// The number of the segment of a hash, in its part.
#[inline]
fn segment(hash: u64) -> usize {
    ((hash << PART_BITS) >> (u64::BITS - SEGMENT_BITS)) as usize
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
        20 * self.len >= 17 * SLOTS * self.buckets.len()
    }

    /// The bucket where a search for a hash begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << (PART_BITS + SEGMENT_BITS)) * self.buckets.len() as u128) >> u64::BITS) as usize
    }

    /// The bucket after this one.
    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.buckets.len() { 0 } else { place + 1 }
    }

    /// The first slot of the bucket where a search begins.
    #[inline]
    fn first_slot(&self, hash: u64) -> u64 {
        self.buckets.get(self.home(hash)).map_or(0, |bucket| bucket.0[0])
    }

    /// Looks for a hash. If it is not found, it belongs there.
    #[inline]
    fn find(&self, hash: u64) -> KeyPlace {
        let mut bucket = self.home(hash);
        // A segment without buckets has to grow.
        while let Some(found) = self.buckets.get(bucket) {
            let (slot, is_found) = (found.len(), found.has(hash));
            if is_found || slot < SLOTS {
                return KeyPlace { bucket, slot: slot % SLOTS, is_found };
            }
            bucket = self.after(bucket);
        }
        KeyPlace::default()
    }

    /// Makes room for more.
    #[cold]
    fn grow(&mut self) -> Result<(), TryReserveError> {
        let count = self.buckets.len() + (11 * self.buckets.len() / 40).max(1);
        let (mut buckets, mut lengths) = (Vec::new(), Vec::new());
        buckets.try_reserve_exact(count)?;
        lengths.try_reserve_exact(count)?;
        buckets.resize(count, KeyBucket([0; SLOTS]));
        lengths.resize(count, 0_u8);
        let before = mem::replace(&mut self.buckets, buckets);
        for hash in before.iter().flat_map(|bucket| bucket.0).filter(|&hash| hash != 0) {
            let mut place = self.home(hash);
            // Each hash is there once, so only the lengths are looked at.
            while usize::from(lengths[place]) == SLOTS {
                place = self.after(place);
            }
            self.buckets[place].0[usize::from(lengths[place])] = hash;
            lengths[place] += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// All parts of a set.
    struct Parts {
        hasher: KeyHasher,
        parts: Vec<KeySet>,
    }

    impl Parts {
        fn new() -> Parts {
            Parts { hasher: KeyHasher::new(), parts: (0..PARTS).map(|_| KeySet::default()).collect() }
        }

        /// Adds keys, and returns which of them are new.
        fn add(&mut self, keys: &[u64]) -> Vec<bool> {
            let mut groups = vec![Vec::new(); PARTS];
            for (row, &key) in (0..).zip(keys) {
                let hash = self.hasher.hash(key);
                groups[KeyHasher::part(hash)].push(KeyRow { hash, row });
            }
            let mut new = Vec::new();
            for (part, rows) in self.parts.iter_mut().zip(&groups) {
                part.add(rows, &mut new).expect("there is memory");
            }
            let mut is_new = vec![false; keys.len()];
            new.iter().for_each(|&row| is_new[row as usize] = true);
            is_new
        }

        fn len(&self) -> u64 {
            self.parts.iter().map(KeySet::len).sum()
        }

        fn segments(&self) -> impl Iterator<Item = &Segment> {
            self.parts.iter().flat_map(|part| &part.segments)
        }

        fn bytes(&self) -> usize {
            self.segments().map(|segment| segment.buckets.capacity() * size_of::<KeyBucket>()).sum()
        }
    }

    /// Different numbers, which look random.
    fn numbers(count: u64) -> Vec<u64> {
        (1..=count).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).swap_bytes()).collect()
    }

    #[test]
    fn the_first_of_equal_keys_is_new() {
        let mut set = Parts::new();
        // The seed is the key whose hash is zero.
        let seed = set.hasher.seed;
        let keys = numbers(20_000).into_iter();
        let keys: Vec<u64> =
            keys.flat_map(|key| [key, key % 1000, seed, key >> 50, key, key << 50, 0, u64::MAX]).collect();
        let mut seen = HashSet::new();
        // Equal keys are in one call, in one group or in several.
        for keys in keys.chunks(1001) {
            let expected: Vec<bool> = keys.iter().map(|&key| seen.insert(key)).collect();
            assert_eq!(set.add(keys), expected);
        }
        assert_eq!(set.len(), seen.len() as u64);
    }

    #[test]
    fn memory_is_about_twelve_bytes_per_key() {
        let (mut set, mut sum, mut count) = (Parts::new(), 0.0, 0);
        for keys in numbers(1_000_000).chunks(10_000) {
            set.add(keys);
            let most = set.len() * KeySet::BYTES + (2 << (PART_BITS + SEGMENT_BITS)) * size_of::<KeyBucket>() as u64;
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
            let mut set = Parts::new();
            set.add(&(0..1 << 18).map(|number| number << shift).collect::<Vec<_>>());
            let is_full = |bucket: &KeyBucket| bucket.len() == SLOTS;
            let runs = |segment: &Segment| segment.buckets.split(|bucket| !is_full(bucket)).map(<[_]>::len).max();
            let longest = set.segments().filter_map(runs).max().unwrap();
            assert!(longest < 100, "{longest} full buckets side by side, shifted by {shift}");
        }
    }
}
