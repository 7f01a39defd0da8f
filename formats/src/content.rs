//! The unparsed content of a block.

use std::mem;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::{memchr, memchr_iter, memrchr};
use slider_attacks::position::Positions;
use slider_attacks_games::records::binpack::Undecoded;
use slider_attacks_games::records::{Labels, RecordProblem};

/// The longest line, record or row that is read, in bytes: 1 MiB. Little more than this of a longer one is held in memory.
pub const MAX_RECORD: usize = 1 << 20;

/// Where a block begins in its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockStart {
    /// The number of its first unit, such as a line, from 1.
    pub number: u64,
    /// The number of its first line, from 1, if units are no lines and messages name lines.
    pub line: u64,
    /// How many bytes of that line are before it.
    pub column: usize,
    /// How many bytes are before it, of all that are cut.
    pub byte: u64,
}

impl BlockStart {
    /// Where the next units begin, after these bytes with this many units. `has_lines` is whether messages name lines, though units are
    /// none.
    #[must_use]
    pub fn after(self, bytes: &[u8], units: u64, has_lines: bool) -> BlockStart {
        let (number, byte) = (self.number + units, self.byte + bytes.len() as u64);
        if !has_lines {
            return BlockStart { number, byte, ..self };
        }
        let line = self.line + memchr_iter(b'\n', bytes).count() as u64;
        let column = memrchr(b'\n', bytes).map_or(self.column + bytes.len(), |end| bytes.len() - end - 1);
        BlockStart { number, line, column, byte }
    }
}

impl From<u64> for BlockStart {
    fn from(number: u64) -> BlockStart {
        BlockStart { number, line: 1, column: 0, byte: 0 }
    }
}

/// Some units of an input: lines, rows.
#[derive(Debug)]
pub enum Content {
    /// Whole units, one after the other.
    Bytes(BlockBytes),
    /// A unit of more than [`MAX_RECORD`] bytes, which has been passed over.
    TooLong,
    /// Positions of a unit that have been found already.
    Labelled(Box<Labelled>),
    /// Rows of Arrow arrays: the positions, and the columns to keep.
    #[cfg(feature = "arrow")]
    Rows(arrow_array::ArrayRef, Vec<arrow_array::ArrayRef>),
}

/// Bytes in a buffer with room before them. The beginning of a unit, which came before, is put there without a move of the rest. The
/// buffer goes back to where it came from, and is used again.
#[derive(Debug, Default)]
pub struct BlockBytes {
    buffer: Vec<u8>,
    place: Range<usize>,
    spare: Option<Arc<FreeList<Vec<u8>>>>,
}

/// Unused values whose memory is reused, because the system would clear new memory.
#[derive(Debug, Default)]
pub struct FreeList<T>(Mutex<Vec<T>>);

impl<T: Default> FreeList<T> {
    /// One of them, or a new one.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps one.
    pub fn put(&self, value: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }
}

/// How many bytes there is room for before others: as a rule, more than a line or a game has.
const HEADROOM: usize = 4 << 10;

impl BlockBytes {
    /// At most this many bytes, which `fill` puts into a buffer. It returns how many there are.
    ///
    /// # Errors
    ///
    /// That of `fill`.
    pub fn fill<E>(
        spare: &Arc<FreeList<Vec<u8>>>,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<BlockBytes, E> {
        let mut bytes = BlockBytes::of_length(spare, most);
        let filled = fill(&mut bytes)?;
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// This many bytes, which hold anything, for others that are put there.
    pub fn of_length(spare: &Arc<FreeList<Vec<u8>>>, length: usize) -> BlockBytes {
        let mut buffer = spare.take();
        if buffer.len() < HEADROOM + length {
            buffer.resize(HEADROOM + length, 0);
        }
        BlockBytes { buffer, place: HEADROOM..HEADROOM + length, spare: Some(spare.clone()) }
    }

    /// A copy of these bytes.
    pub fn copy(bytes: &[u8]) -> BlockBytes {
        let mut buffer = Vec::with_capacity(HEADROOM + bytes.len());
        buffer.resize(HEADROOM, 0);
        buffer.extend_from_slice(bytes);
        BlockBytes { place: HEADROOM..buffer.len(), buffer, spare: None }
    }

    /// The bytes alone.
    pub fn into_vec(mut self) -> Vec<u8> {
        if self.place == (0..self.buffer.len()) && self.spare.is_none() {
            return mem::take(&mut self.buffer);
        }
        self.to_vec()
    }

    /// Puts other bytes before these.
    pub fn prepend(&mut self, before: &[u8]) {
        if before.len() <= self.place.start {
            let start = self.place.start - before.len();
            self.buffer[start..self.place.start].copy_from_slice(before);
            self.place.start = start;
        } else {
            *self = [before, self].concat().into();
        }
    }

    /// Removes all bytes from this place on.
    pub fn truncate(&mut self, end: usize) {
        self.place.end = self.place.start + end;
    }
}

impl From<Vec<u8>> for BlockBytes {
    fn from(buffer: Vec<u8>) -> BlockBytes {
        BlockBytes { place: 0..buffer.len(), buffer, spare: None }
    }
}

impl Deref for BlockBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[self.place.clone()]
    }
}

impl DerefMut for BlockBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.place.clone()]
    }
}

impl Drop for BlockBytes {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            spare.put(mem::take(&mut self.buffer));
        }
    }
}

/// Positions with their labels.
#[derive(Debug, Default)]
pub struct Labelled {
    /// The positions.
    pub positions: Positions,
    /// The labels from their records.
    pub labels: Labels,
    /// How many records were read for them, if others were left out.
    pub read: Option<DecodedCounts>,
    /// Positions that are yet to be decoded, instead of these.
    pub undecoded: Option<Undecoded>,
    /// The error after them.
    pub problem: Option<RecordProblem>,
    /// Where they begin, if reading can go on there.
    pub place: Option<ChainPlace>,
}

/// A place within a chain of positions, from which on a binpack can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPlace {
    /// How many bytes are before the chain.
    pub byte: u64,
    /// The number of its chunk.
    pub number: u64,
    /// The size that the chunk claims to have.
    pub size: u32,
    /// How many bytes of it are left from the chain on.
    pub left: usize,
    /// How many records of the chain are before the place.
    pub records: usize,
}

/// How many records were read for some positions.
#[derive(Clone, Debug, Default)]
pub struct DecodedCounts {
    /// For each position, how many up to it, without those that were not drawn.
    pub up_to: Vec<u32>,
    /// All of them, without those that were not drawn, which do not count.
    pub all: usize,
    /// How many had a chance, and were not drawn.
    pub missed: usize,
}

impl DecodedCounts {
    /// How many records were left out if only the first positions are taken, all of them if there are fewer than `room`: those
    /// after the last one are not counted if there is no room for another one.
    pub fn left_out(&self, room: usize) -> usize {
        match room.checked_sub(1).and_then(|last| self.up_to.get(last)) {
            Some(&read) => read as usize - room,
            None if room == 0 => 0,
            None => self.all - self.up_to.len(),
        }
    }
}

impl Content {
    /// The bytes; none if the content is no bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// How many rows of Arrow arrays the content has.
    pub fn row_count(&self) -> usize {
        match self {
            #[cfg(feature = "arrow")]
            Content::Rows(positions, _) => positions.len(),
            _ => 0,
        }
    }
}

/// How many line ends a text has: LF, CRLF and CR.
pub fn line_ends(text: &[u8]) -> usize {
    memchr_iter(b'\n', text).count() + lone_crs(text).count()
}

/// The places of the CRs that no LF follows.
pub fn lone_crs(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_lone = |(byte, next): (&u8, &u8)| (*byte == b'\r') & (*next != b'\n');
    let first = memchr(b'\r', text).unwrap_or(text.len());
    let rest = &text[first..];
    // Where every CR has its LF, as is usual, this is found without a look at each of them.
    let has_any =
        rest.ends_with(b"\r") || rest.iter().zip(rest.iter().skip(1)).fold(false, |any, pair| any | is_lone(pair));
    let rest = if has_any { rest } else { &[] };
    memchr_iter(b'\r', rest).filter(|at| rest.get(at + 1) != Some(&b'\n')).map(move |at| first + at)
}

/// How many bytes more a text can take in CSV or JSON: a control character becomes six, as in `\\u0001`, and a quotation
/// mark or a backslash two.
pub fn escapes(text: &[u8]) -> usize {
    let more = |&byte: &u8| 5 * u8::from(byte < b' ') + u8::from(byte == b'"') + u8::from(byte == b'\\');
    // Sums of bytes are sums of vectors, where the number of bytes is known. 48 bytes make 240 at most.
    let sum = |part: &[u8]| usize::from(part.iter().map(more).sum::<u8>());
    let (parts, rest) = text.as_chunks::<48>();
    parts.iter().map(|part| sum(part)).sum::<usize>() + sum(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_counted() {
        let text = b"a\x01\"\\b\n".repeat(100);
        let written = serde_json::to_string(str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!(escapes(&text), 100 * (5 + 1 + 1 + 5));
        assert!(written.len() - 2 <= text.len() + escapes(&text));
        assert_eq!(escapes(&[0; 1_000]), 5_000);
    }

    #[test]
    fn line_ends_are_lf_cr_lf_and_cr() {
        for (text, ends) in [("", 0), ("\n", 1), ("\r", 1), ("\r\n", 1), ("\n\r", 2), ("a\r\r\nb\n\n\rc", 5)] {
            assert_eq!(line_ends(text.as_bytes()), ends, "{text:?}");
        }
    }
}
