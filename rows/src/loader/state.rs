//! The state of a loader as bytes.
//!
//! All are words of 64 bits, little-endian: a magic number with the version, the checksums of the files and of the settings, the
//! state of the generator, 16 numbers, the lengths of two lists of packed positions, these, and a checksum of all words before it.

use std::io::{self, ErrorKind};

use anyhow::{Context, Result, ensure};
use slider_attacks_formats::content::ChainPlace;

use super::packed::PackedPosition;
use super::random::SplitMix64;
use super::ready::ReadyPositions;
use crate::memory::advise_large_pages;

/// `SLALOAD` and the version, 3.
const MAGIC: u64 = u64::from_le_bytes(*b"SLALOAD\x03");

/// No run comes to as many positions or blocks.
const MOST: u64 = 1 << 48;

/// How many numbers there are, and how many words before the positions.
const NUMBERS: usize = 16;
const HEAD: usize = 4 + NUMBERS + 2;

/// The progress of a loader.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The checksums of files and settings.
    pub checksums: [u64; 2],
    /// How many positions have been returned.
    pub positions: u64,
    /// How many malformed records have been left out.
    pub skipped: u64,
    /// How many positions have been left out by the condition.
    pub left_out: u64,
    /// The same two numbers where the block of the place begins.
    pub before_block: [u64; 2],
    /// The epoch that is read, from 0.
    pub epoch: u64,
    /// The place of the next position to read.
    pub place: RangePlace,
    /// How many positions of the epoch have been read.
    pub read: u64,
    /// The generator of the buffer.
    pub random: SplitMix64,
    /// The positions that have left the buffer and have not been returned.
    pub ready: ReadyPositions,
    /// The buffer.
    pub buffer: Vec<PackedPosition>,
}

/// The place of a position among those of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangePlace {
    /// How many ranges of the epoch are before it.
    pub range: u64,
    /// How many blocks of the range, if they can be counted.
    pub blocks: u64,
    /// How many positions after these are before the place where the range is entered.
    pub before: u64,
    /// That place, if it is within a binpack.
    pub chain: Option<ChainPlace>,
    /// How many positions from there on.
    pub rows: u64,
}

impl RangePlace {
    /// The beginning of a range, after this many others.
    pub fn of(range: u64) -> RangePlace {
        RangePlace { range, ..RangePlace::default() }
    }

    /// The number of the next position among those of the range after the blocks that are counted.
    pub fn row(&self) -> u64 {
        self.before + self.rows
    }

    /// Goes on from the beginning of a block.
    pub fn begin_block(&mut self, chain: ChainPlace) {
        (self.before, self.rows, self.chain) = (self.row(), 0, Some(chain));
    }

    /// As numbers.
    fn numbers(&self) -> [u64; 9] {
        let RangePlace { range, blocks, before, chain, rows } = *self;
        let chain = chain.map_or([0; 5], |ChainPlace { byte, number, size, left, records }| {
            [number, byte, size.into(), left as u64, records as u64]
        });
        let [number, byte, size, left, records] = chain;
        [range, blocks, before, rows, number, byte, size, left, records]
    }

    /// The place with these numbers. A chunk has a number from 1 on.
    fn from_numbers([range, blocks, before, rows, number, byte, size, left, records]: [u64; 9]) -> Option<RangePlace> {
        let chain = ChainPlace {
            byte,
            number,
            size: u32::try_from(size).ok()?,
            left: usize::try_from(left).ok().filter(|_| left <= size)?,
            records: u16::try_from(records).ok()?.into(),
        };
        Some(RangePlace { range, blocks, before, chain: (number > 0).then_some(chain), rows })
    }
}

/// The factor of FxHash.
const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

/// A checksum with another word.
fn with_word(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(FACTOR)
}

/// A checksum of some words.
pub fn checksum(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, with_word)
}

/// A checksum of bytes. Four sums are computed at the same time.
#[derive(Default)]
struct ByteSum([u64; 4]);

impl ByteSum {
    /// Adds bytes, whose number is a multiple of 32, and returns the rest.
    fn add<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            for (sum, word) in self.0.iter_mut().zip(block.as_chunks().0) {
                *sum = with_word(*sum, u64::from_le_bytes(*word));
            }
        }
        rest
    }

    /// The sum with the last bytes, whose number is a multiple of eight.
    fn finish(mut self, bytes: &[u8]) -> u64 {
        let rest = self.add(bytes).as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        checksum(self.0.into_iter().chain(rest))
    }
}

/// How many bytes are summed before the positions among them are copied, while they are in the first cache.
const PART: usize = 16 << 10;

/// The bytes of a packed position.
type RowBytes = [u8; size_of::<PackedPosition>()];

/// Adds positions to others.
fn add_rows(bytes: &[RowBytes], rows: &mut Vec<PackedPosition>) {
    rows.extend(bytes.iter().map(|bytes| {
        let (words, _) = bytes.as_chunks::<8>();
        PackedPosition(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    }));
}

/// The positions that have the last bytes of these, and the checksum of all.
///
/// # Errors
///
/// There is no memory for them.
fn rows_and_checksum(bytes: &[u8], packed: &[RowBytes]) -> Result<(Vec<PackedPosition>, u64)> {
    let mut rows = Vec::new();
    rows.try_reserve_exact(packed.len()).map_err(|_| {
        let text = format!("out of memory: cannot allocate {} positions of a state", packed.len());
        io::Error::new(ErrorKind::OutOfMemory, text)
    })?;
    advise_large_pages(&mut rows);
    let (mut sum, before) = (ByteSum::default(), bytes.len() - packed.as_flattened().len());
    let (parts, rest) = bytes.as_chunks::<PART>();
    for (part, end) in parts.iter().zip((PART..).step_by(PART)) {
        sum.add(part);
        let end = end.saturating_sub(before) / size_of::<RowBytes>();
        add_rows(&packed[rows.len()..end], &mut rows);
    }
    add_rows(&packed[rows.len()..], &mut rows);
    Ok((rows, sum.finish(rest)))
}

impl Progress {
    /// As bytes. These positions have left the buffer before those that are ready, and have not been returned.
    pub fn to_bytes(&self, waiting: &[PackedPosition]) -> Vec<u8> {
        let Progress {
            checksums: [files, settings],
            positions,
            skipped,
            left_out,
            before_block,
            epoch,
            place,
            read,
            random,
            ready,
            buffer,
        } = self;
        let ready = ready.as_slice();
        let numbers = [positions, skipped, left_out, epoch, read].map(|number| *number);
        let lengths = [waiting.len() + ready.len(), buffer.len()].map(|length| length as u64);
        let first = [MAGIC, *files, *settings, random.state];
        let head = [&first[..], &numbers, before_block, &place.numbers(), &lengths].concat();
        let count = waiting.len() + ready.len() + buffer.len();
        let mut bytes = Vec::with_capacity(8 * (HEAD + 1) + size_of::<PackedPosition>() * count);
        advise_large_pages(&mut bytes);
        head.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for row in waiting.iter().chain(ready).chain(buffer) {
            bytes.extend_from_slice(row.0.map(u64::to_le_bytes).as_flattened());
        }
        bytes.extend_from_slice(&ByteSum::default().finish(&bytes).to_le_bytes());
        bytes
    }

    /// The progress of a loader with these checksums, from bytes.
    ///
    /// # Errors
    ///
    /// They are no state, or that of a loader of other files or settings.
    pub fn from_bytes(bytes: &[u8], checksums: [u64; 2]) -> Result<Progress> {
        let damaged = "the state is damaged";
        let expected = "expected the state of a loader";
        let (words, rest) = bytes.as_chunks::<8>();
        let count = words.len();
        ensure!(rest.is_empty() && count > HEAD, expected);
        let word = |place: usize| u64::from_le_bytes(words[place]);
        ensure!(word(0) << 8 == MAGIC << 8, expected);
        ensure!(word(0) == MAGIC, "the state is that of another version");
        let [ready, buffered] = [HEAD - 2, HEAD - 1].map(word);
        let body = &bytes[..8 * (count - 1)];
        let (packed, rest) = body[8 * HEAD..].as_chunks::<{ size_of::<PackedPosition>() }>();
        ensure!(rest.is_empty() && ready.checked_add(buffered) == Some(packed.len() as u64), damaged);
        let (first, last) = packed.split_at(ready as usize);
        let mut ready = Vec::with_capacity(first.len());
        add_rows(first, &mut ready);
        let (buffer, sum) = rows_and_checksum(body, last)?;
        ensure!(word(count - 1) == sum, damaged);
        ensure!(word(1) == checksums[0], "the state is that of other files");
        ensure!(word(2) == checksums[1], "the state is that of other settings");
        let numbers: [u64; NUMBERS] = std::array::from_fn(|at| word(4 + at));
        ensure!(numbers.iter().all(|&number| number < MOST), damaged);
        let [positions, skipped, left_out, epoch, read, first, second, place @ ..] = numbers;
        let (random, before_block) = (SplitMix64 { state: word(3) }, [first, second]);
        let place = RangePlace::from_numbers(place).context(damaged)?;
        Ok(Progress {
            checksums,
            positions,
            skipped,
            left_out,
            before_block,
            epoch,
            place,
            read,
            random,
            ready: ready.into(),
            buffer,
        })
    }
}

/// A state with these positions.
#[cfg(test)]
fn state_of(ready: Vec<PackedPosition>, buffer: Vec<PackedPosition>) -> Progress {
    Progress {
        checksums: [1, 2],
        positions: 3,
        skipped: 4,
        left_out: 14,
        before_block: [15, 16],
        epoch: 5,
        place: RangePlace {
            range: 6,
            blocks: 7,
            before: 17,
            chain: Some(ChainPlace { byte: 18, number: 19, size: 21, left: 20, records: 22 }),
            rows: 8,
        },
        read: 9,
        random: SplitMix64 { state: 10 },
        ready: ready.into(),
        buffer,
    }
}

#[test]
fn states_come_back_and_damaged_ones_do_not() {
    let row = |number| PackedPosition([number; 5]);
    let progress = state_of(vec![row(11)], vec![row(12), row(13)]);
    let bytes = progress.to_bytes(&[]);
    assert_eq!(Progress::from_bytes(&bytes, [1, 2]).unwrap(), progress);
    for (checksums, what) in [([0, 2], "files"), ([1, 0], "settings")] {
        let error = Progress::from_bytes(&bytes, checksums).unwrap_err().to_string();
        assert_eq!(error, format!("the state is that of other {what}"));
    }
    for end in 0..bytes.len() {
        assert!(Progress::from_bytes(&bytes[..end], [1, 2]).is_err());
        let mut other = bytes.clone();
        other[end] ^= 1;
        assert!(Progress::from_bytes(&other, [1, 2]).is_err());
    }
}

/// Positions of several parts, also where the buffer begins in the middle of one.
#[test]
fn long_states_come_back() {
    let rows: Vec<_> = (0..3000).map(|number| PackedPosition(std::array::from_fn(|word| number << word))).collect();
    for (waiting, ready, buffered) in [(0, 0, 3000), (1, 1, 2998), (700, 800, 1500), (0, 3000, 0), (500, 0, 407)] {
        let (waiting, rest) = rows.split_at(waiting);
        let progress = state_of(rest[..ready].to_vec(), rest[ready..][..buffered].to_vec());
        let mut bytes = progress.to_bytes(waiting);
        let ready = [waiting, progress.ready.as_slice()].concat().into();
        assert_eq!(Progress::from_bytes(&bytes, [1, 2]).unwrap(), Progress { ready, ..progress });
        for at in [8 * HEAD, bytes.len() / 2, bytes.len() - 9] {
            bytes[at] ^= 1;
            assert!(Progress::from_bytes(&bytes, [1, 2]).is_err());
            bytes[at] ^= 1;
        }
    }
}
