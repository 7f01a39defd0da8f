//! The chunks of a binpack, whose positions are read while the bytes arrive.
//!
//! [`BinpackChunks`] holds at most a chain of positions and the last pushed bytes in memory, whatever size a chunk claims to
//! have.
//!
//! For several threads, [`ChunkGatherer`] gathers whole chunks without looking at their positions. Another thread finds the
//! block boundaries by skipping over the positions, and the parser of each block decodes it. The blocks are the same. With a condition
//! on records, the first positions for which it holds are decoded on the way, so that their chunk is gone through once.

use std::cell::RefCell;
use std::convert::Infallible;
use std::mem;
use std::ops::ControlFlow;

use memchr::memmem;
use slider_attacks::position::Positions;
use slider_attacks_games::records::binpack::{Chains, HEADER, MAGIC, MOST};
use slider_attacks_games::records::{Error, Labels, RecordLabels, RecordProblem};

use crate::content::{BlockStart, ChainPlace, Content, DecodedCounts, Labelled};
use crate::request::{RecordDecider, RecordRules};

/// Takes the blocks of chunks: where they begin, and what they hold.
pub type BlockSink<'a, B> = &'a mut dyn FnMut(BlockStart, Content) -> ControlFlow<B>;

/// The chunks of a binpack.
#[derive(Debug)]
pub struct BinpackChunks {
    /// The most positions of a block.
    rows: usize,
    /// The pushed bytes that have not been read yet.
    bytes: Vec<u8>,
    place: ChunkPlace,
    has_begun: bool,
    /// Which records become positions.
    rules: RecordRules,
    /// After how many positions the rest is only passed over, and not decoded.
    decodes: usize,
    positions: Positions,
    labels: Labels,
    /// How many records are passed over first.
    passes: usize,
}

/// A place from which on a binpack can be read, even if that is within a chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkPlace {
    /// How many bytes are before it.
    pub byte: u64,
    /// The number of the last chunk that has begun.
    pub number: u64,
    /// The next element of the bytes.
    pub state: ChunkState,
}

/// The next element of the bytes.
#[derive(Clone, Copy, Debug)]
pub enum ChunkState {
    /// A chunk begins.
    Header,
    /// Chains of a chunk.
    Chains {
        /// The size that the chunk claims to have.
        size: u32,
        /// How many bytes of it are left.
        left: usize,
    },
    /// So many bytes are passed over.
    Pass(usize),
    /// All is passed over up to the next chunk.
    ToMagic,
}

impl BinpackChunks {
    /// The chunks in bytes to come, in blocks of at most this many positions.
    pub fn new(rows: usize) -> BinpackChunks {
        let (positions, labels) = (Positions::new(), Labels::default());
        let place = ChunkPlace { byte: 0, number: 0, state: ChunkState::Header };
        let (bytes, has_begun, rules, decodes) = (Vec::new(), false, RecordRules::default(), usize::MAX);
        BinpackChunks { rows, bytes, place, has_begun, rules, decodes, positions, labels, passes: 0 }
    }

    /// The same where some records become positions. Blocks are the same, with fewer positions.
    #[must_use]
    pub fn with_rules(self, rules: RecordRules) -> BinpackChunks {
        BinpackChunks { rules, ..self }
    }

    /// The same from this offset on.
    #[must_use]
    pub fn again(&self, place: ChunkPlace) -> BinpackChunks {
        BinpackChunks { place, rules: self.rules.clone(), ..BinpackChunks::new(self.rows) }
    }

    /// The same from within a chain on. The next bytes are those from its beginning on.
    #[must_use]
    pub fn at_chain(&self, place: ChainPlace) -> BinpackChunks {
        let ChainPlace { byte, number, size, left, records } = place;
        let state = ChunkState::Chains { size, left };
        BinpackChunks { passes: records, ..self.again(ChunkPlace { byte, number, state }) }
    }

    /// The place before which all has been handed over.
    pub fn place(&self) -> ChunkPlace {
        self.place
    }

    /// Takes the next bytes, and hands over all positions that end in them. What is wrong comes after the positions before it, as the
    /// end of its chunk. There is at least one block, which may be empty. After a break, no more bytes are taken.
    pub fn push<B>(&mut self, bytes: &[u8], is_last: bool, sink: BlockSink<'_, B>) -> ControlFlow<B> {
        if !mem::replace(&mut self.has_begun, true) {
            // The columns are known even if there are no positions.
            sink(1.into(), Content::Labelled(Box::default()))?;
        }
        let mut all = mem::take(&mut self.bytes);
        all.extend_from_slice(bytes);
        let mut at = 0;
        while at < all.len() || is_last && matches!(self.place.state, ChunkState::Chains { .. }) {
            let (read, waits) = self.step(&all[at..], is_last, &mut |number, labelled| {
                sink(number.into(), Content::Labelled(Box::new(labelled)))
            })?;
            at += read;
            self.place.byte += read as u64;
            if waits {
                break;
            }
        }
        all.drain(..at);
        self.bytes = all;
        ControlFlow::Continue(())
    }

    /// Reads on in these bytes; `are_last` tells whether more follow. Returns how many were read, and whether more are needed.
    fn step<B>(
        &mut self,
        bytes: &[u8],
        are_last: bool,
        sink: &mut dyn FnMut(u64, Labelled) -> ControlFlow<B>,
    ) -> ControlFlow<B, (usize, bool)> {
        let wrong = |problem| Labelled { problem: Some(problem), ..Labelled::default() };
        let (read, waits) = match self.place.state {
            ChunkState::Header if bytes.len() < HEADER && !are_last => (0, true),
            ChunkState::Header => {
                self.place.number += 1;
                match bytes.first_chunk::<HEADER>() {
                    _ if !bytes.starts_with(MAGIC) => {
                        self.place.state = ChunkState::ToMagic;
                        sink(self.place.number, wrong(RecordProblem::Chunk))?;
                        (0, false)
                    }
                    None => {
                        sink(self.place.number, wrong(RecordProblem::CutOff))?;
                        (bytes.len(), false)
                    }
                    Some(&[_, _, _, _, ref size @ ..]) => {
                        let size = u32::from_le_bytes(*size);
                        self.place.state = ChunkState::Chains { size, left: size as usize };
                        if size > MOST {
                            self.place.state = ChunkState::ToMagic;
                            sink(self.place.number, wrong(RecordProblem::Size(size)))?;
                        }
                        (HEADER, false)
                    }
                }
            }
            ChunkState::Chains { left: 0, .. } => {
                self.place.state = ChunkState::Header;
                (0, false)
            }
            ChunkState::Chains { size, left } => {
                let bytes = &bytes[..bytes.len().min(left)];
                let is_end = are_last || bytes.len() == left;
                let mut chains = Chains::new(bytes, is_end).after(self.place.byte);
                loop {
                    let passed = self.pass(&mut chains);
                    let (start, records) = chains.place();
                    let (mut block, read) = match passed {
                        Ok(()) if self.passes > 0 => break,
                        Ok(()) => self.next(&mut chains),
                        Err(error) => (Labelled::default(), Err(error)),
                    };
                    if read == Ok(0) {
                        break;
                    }
                    let (byte, number) = (self.place.byte + start as u64, self.place.number);
                    block.place = Some(ChainPlace { byte, number, size, left: left - start, records });
                    block.problem = read.err().map(|error| error.problem);
                    if block.problem == Some(RecordProblem::CutOff) && bytes.len() < left {
                        block.problem = Some(RecordProblem::Size(size));
                    }
                    let has_problem = block.problem.is_some();
                    sink(self.place.number, block)?;
                    if has_problem {
                        self.place.state = ChunkState::Pass(left);
                        return ControlFlow::Continue((0, false));
                    }
                }
                let read = chains.bytes_read();
                let left = left - read;
                self.place.state = ChunkState::Chains { size, left };
                if is_end && left > 0 {
                    self.place.state = ChunkState::Header;
                    sink(self.place.number, wrong(RecordProblem::Size(size)))?;
                }
                (read, !is_end)
            }
            ChunkState::Pass(count) => {
                let passed = count.min(bytes.len());
                self.place.state = if passed == count { ChunkState::Header } else { ChunkState::Pass(count - passed) };
                (passed, false)
            }
            ChunkState::ToMagic => match memmem::find(bytes, MAGIC) {
                Some(at) => {
                    self.place.state = ChunkState::Header;
                    (at, false)
                }
                None if are_last => (bytes.len(), false),
                // It may begin with the last bytes.
                None => ((bytes.len() + 1).saturating_sub(MAGIC.len()), true),
            },
        };
        ControlFlow::Continue((read, waits))
    }

    /// Passes over the records before the place where reading goes on, as far as they are here.
    fn pass(&mut self, chains: &mut Chains<'_>) -> Result<(), Error> {
        while self.passes > 0 {
            match chains.skip(self.passes).1.inspect_err(|_| self.passes = 0)? {
                0 => break,
                passed => self.passes -= passed,
            }
        }
        Ok(())
    }

    /// The next positions of a chunk, and what [`Chains::read`] says of them.
    fn next(&mut self, chains: &mut Chains<'_>) -> (Labelled, Result<usize, Error>) {
        if self.decodes == 0 {
            let (undecoded, read) = chains.skip(self.rows);
            return (Labelled { undecoded: Some(undecoded), ..Labelled::default() }, read);
        }
        self.positions.clear();
        self.labels.clear();
        let (result, counts, read) = if self.rules.is_some() {
            let (decider, up_to) = (RecordDecider::new(&self.rules), RefCell::new(Vec::new()));
            let keeps = |record: &RecordLabels<'_>| {
                let is_kept = decider.keeps(record);
                if is_kept {
                    up_to.borrow_mut().push(decider.decided() as u32);
                }
                is_kept
            };
            let (read, counts) = chains.read_if(self.rows, keeps, &mut self.positions, &mut self.labels);
            let mut up_to = up_to.into_inner();
            // The record that is wrong.
            up_to.truncate(counts.kept);
            let [undrawn, missed] = decider.undrawn(counts.records);
            (read, counts, Some(DecodedCounts { up_to, all: counts.records - undrawn, missed }))
        } else {
            let (read, counts) = chains.read_if(self.rows, |_| true, &mut self.positions, &mut self.labels);
            (read, counts, None)
        };
        self.decodes = self.decodes.saturating_sub(counts.kept);
        // Copies have no room for more.
        let (positions, labels) = (self.positions.clone(), self.labels.clone());
        (Labelled { positions, labels, read, ..Labelled::default() }, result.map(|()| counts.records))
    }
}

/// The largest chunk that is gathered. Stockfish's tools write 1 MiB.
const MOST_GATHERED: u32 = 4 << 20;
/// How many bytes of chunks are gathered at least, so that small chunks do not cost a task each.
const PIECE: usize = 64 << 10;
/// How many positions of gathered chunks are decoded when their blocks are found, if others are left out, even if there is memory for
/// fewer. After these, the blocks are only found, because all positions of a chunk take far more memory than the chunk.
const LEAST_DECODED: usize = 8 << 10;
/// The bytes of a decoded position with its labels, and of a block without them.
const POSITION_BYTES: usize = 160;
const BLOCK_BYTES: usize = 600;

/// Gathers whole chunks, up to the first that is out of the ordinary.
#[derive(Debug, Default)]
pub struct ChunkGatherer {
    /// The pushed bytes that have not been taken yet.
    bytes: Vec<u8>,
    /// Where the parts end in which it was pushed: blocks end there, too.
    ends: Vec<usize>,
    /// Where the last whole chunk ends, and how many there are.
    end: usize,
    count: usize,
}

impl ChunkGatherer {
    /// Takes the next bytes. Returns whether to continue: not if a chunk is too large or has no header.
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        while let Some(&[magic @ .., a, b, c, d]) = self.bytes[self.end..].first_chunk::<HEADER>() {
            let size = u32::from_le_bytes([a, b, c, d]);
            if magic != *MAGIC || size > MOST_GATHERED {
                return false;
            }
            let end = self.end + HEADER + size as usize;
            if end > self.bytes.len() {
                break;
            }
            (self.end, self.count) = (end, self.count + 1);
        }
        true
    }

    /// Takes the whole chunks, unless they are few and `takes_few` is not set. `chunks` continues after them. With a condition, as many
    /// positions are decoded as take `memory` bytes with the chunks, but at least `LEAST_DECODED`.
    pub fn take(&mut self, chunks: &mut BinpackChunks, takes_few: bool, memory: usize) -> Option<WholeChunks> {
        let (end, count) = (self.end, self.count);
        if end == 0 || end < PIECE && !takes_few {
            return None;
        }
        let rest = self.bytes.split_off(end);
        let later = self.ends.split_off(self.ends.partition_point(|&at| at < end));
        let mut ends =
            mem::replace(&mut self.ends, later.into_iter().map(|at| at - end).filter(|&at| at > 0).collect());
        ends.push(end);
        (self.end, self.count) = (0, 0);
        let place = ChunkPlace { state: ChunkState::Header, ..chunks.place };
        let reader = BinpackChunks { place, has_begun: true, decodes: 0, ..chunks.again(place) };
        (chunks.place.byte, chunks.place.number) = (place.byte + end as u64, place.number + count as u64);
        let mut whole = WholeChunks { bytes: mem::replace(&mut self.bytes, rest), ends, count, reader };
        // With a condition, the first positions that are kept are decoded at once.
        if chunks.rules.is_some() {
            let room = memory.saturating_sub(whole.memory()) / POSITION_BYTES;
            whole.reader.decodes = room.saturating_sub(chunks.rows).max(LEAST_DECODED);
        }
        Some(whole)
    }

    /// Pushes to `chunks` what has not been taken, in its parts.
    pub fn push_rest<B>(self, chunks: &mut BinpackChunks, sink: BlockSink<'_, B>) -> ControlFlow<B> {
        push_parts(&self.bytes, &self.ends, chunks, sink)
    }
}

/// Whole chunks.
#[derive(Debug)]
pub struct WholeChunks {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    reader: BinpackChunks,
}

impl WholeChunks {
    /// How many bytes they and their blocks take at most.
    pub fn memory(&self) -> usize {
        // A position takes 5 bits or more.
        let positions = self.bytes.len() * 8 / 5;
        let blocks = positions / self.reader.rows + self.ends.len() + self.count;
        // The last block that is decoded may have more.
        let decoded = if self.reader.decodes > 0 { self.reader.decodes + self.reader.rows } else { 0 };
        self.bytes.len() + BLOCK_BYTES * blocks + POSITION_BYTES * decoded.min(positions)
    }

    /// The blocks that [`BinpackChunks::push`] would hand over, with positions that are yet to be decoded.
    pub fn blocks(mut self) -> Vec<(BlockStart, Content)> {
        let mut blocks = Vec::new();
        let ControlFlow::Continue(()) = push_parts(&self.bytes, &self.ends, &mut self.reader, &mut |start, content| {
            blocks.push((start, content));
            ControlFlow::<Infallible>::Continue(())
        });
        blocks
    }
}

/// Pushes bytes in parts that end here.
fn push_parts<B>(bytes: &[u8], ends: &[usize], chunks: &mut BinpackChunks, sink: BlockSink<'_, B>) -> ControlFlow<B> {
    let mut start = 0;
    ends.iter().try_for_each(|&end| chunks.push(&bytes[mem::replace(&mut start, end)..end], false, sink))
}
