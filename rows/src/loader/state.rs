//! The state of a loader as bytes.
//!
//! All are words of 64 bits, little-endian: a magic number with the version, the checksums of the files and of the settings, nine
//! numbers, the lengths of two lists of packed positions, these, and a checksum of all words before it.

use anyhow::{Context, Result, ensure};

use super::packed::PackedPosition;
use super::random::SplitMix64;

/// `SLALOAD` and the version, 2.
const MAGIC: u64 = u64::from_le_bytes(*b"SLALOAD\x02");

/// No run comes to as many positions or blocks.
const MOST: u64 = 1 << 48;

/// How many words are before the positions.
const HEAD: usize = 14;

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
    /// The epoch that is read, from 0.
    pub epoch: u64,
    /// The place of the next position to read.
    pub place: RangePlace,
    /// How many positions of the epoch have been read.
    pub read: u64,
    /// The generator of the buffer.
    pub random: SplitMix64,
    /// The positions that have left the buffer and have not been returned.
    pub ready: Vec<PackedPosition>,
    /// The buffer.
    pub buffer: Vec<PackedPosition>,
}

/// The place of a position among those of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangePlace {
    /// How many ranges of the epoch are before it.
    pub range: u64,
    /// How many blocks of the range.
    pub blocks: u64,
    /// How many positions after these.
    pub rows: u64,
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

/// A checksum of bytes, whose number is a multiple of eight. Four sums are computed at the same time.
fn checksum_of_bytes(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut sums = [0; 4];
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum = with_word(*sum, u64::from_le_bytes(*word));
        }
    }
    let rest = rest.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    checksum(sums.into_iter().chain(rest))
}

impl Progress {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Progress {
            checksums: [files, settings],
            positions,
            skipped,
            left_out,
            epoch,
            place,
            read,
            random,
            ready,
            buffer,
        } = self;
        let RangePlace { range, blocks, rows } = *place;
        let head: [u64; HEAD] = [
            MAGIC,
            *files,
            *settings,
            *positions,
            *skipped,
            *left_out,
            *epoch,
            range,
            blocks,
            rows,
            *read,
            random.state,
            ready.len() as u64,
            buffer.len() as u64,
        ];
        let count = ready.len() + buffer.len();
        let mut bytes = Vec::with_capacity(8 * (HEAD + 1) + size_of::<PackedPosition>() * count);
        head.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for row in ready.iter().chain(buffer) {
            bytes.extend_from_slice(row.0.map(u64::to_le_bytes).as_flattened());
        }
        bytes.extend_from_slice(&checksum_of_bytes(&bytes).to_le_bytes());
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
        ensure!(word(0) == MAGIC, expected);
        ensure!(word(count - 1) == checksum_of_bytes(&bytes[..8 * (count - 1)]), damaged);
        let mut head = (1..HEAD).map(word);
        let mut next = || head.next().context(damaged);
        ensure!(next()? == checksums[0], "the state is that of other files");
        ensure!(next()? == checksums[1], "the state is that of other settings");
        let (positions, skipped, left_out, epoch) = (next()?, next()?, next()?, next()?);
        let place = RangePlace { range: next()?, blocks: next()?, rows: next()? };
        let (read, random) = (next()?, SplitMix64 { state: next()? });
        let numbers = [positions, skipped, left_out, epoch, place.range, place.blocks, place.rows, read];
        ensure!(numbers.iter().all(|&number| number < MOST), damaged);
        let (ready, buffered) = (next()?, next()?);
        let (packed, rest) = bytes[8 * HEAD..8 * (count - 1)].as_chunks::<{ size_of::<PackedPosition>() }>();
        ensure!(rest.is_empty() && ready.checked_add(buffered) == Some(packed.len() as u64), damaged);
        let row = |bytes: &[u8; size_of::<PackedPosition>()]| {
            let (words, _) = bytes.as_chunks::<8>();
            PackedPosition(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
        };
        let (ready, buffer) = packed.split_at(ready as usize);
        let [ready, buffer] = [ready, buffer].map(|packed| packed.iter().map(row).collect());
        Ok(Progress { checksums, positions, skipped, left_out, epoch, place, read, random, ready, buffer })
    }
}

#[test]
fn states_come_back_and_damaged_ones_do_not() {
    let row = |number| PackedPosition([number; 5]);
    let progress = Progress {
        checksums: [1, 2],
        positions: 3,
        skipped: 4,
        left_out: 14,
        epoch: 5,
        place: RangePlace { range: 6, blocks: 7, rows: 8 },
        read: 9,
        random: SplitMix64 { state: 10 },
        ready: vec![row(11)],
        buffer: vec![row(12), row(13)],
    };
    let bytes = progress.to_bytes();
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
