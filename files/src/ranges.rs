//! Chunks of an input, which the compute threads fetch, cut and count.
//!
//! Two values pass from chunk to chunk in order: the rest of an incomplete unit, and the number of the next unit. Otherwise
//! threads work in parallel: they fetch chunks before they need the first, and count units before they need the second.

use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};

use slider_attacks_formats::content::{BlockBytes, BlockStart, Content, FreeList};
use slider_attacks_formats::cut::{Cutter, PieceEnd, UnitCount, contents, replace_crs};

use crate::counter::ByteCounter;
use crate::file::InputFile;
use crate::relay::Relay;
use crate::unchanged::{CHANGED, FileState};

/// The state that the chunks of an input share.
pub struct Chunks {
    cutter: Relay<Cutter>,
    start: Relay<BlockStart>,
    counts: UnitCount,
    ends_lines_at_cr: bool,
    spare: Arc<FreeList<Vec<u8>>>,
    file: Option<(InputFile, FileState)>,
    counter: ByteCounter,
    /// The name of the input, as messages show it.
    name: String,
}

impl Chunks {
    /// The chunks of an input of this name that begins here. If they are parts of a file, it was in this state when it was opened.
    pub fn new(
        name: String,
        cutter: Cutter,
        start: BlockStart,
        file: Option<(InputFile, FileState)>,
        counter: ByteCounter,
    ) -> Arc<Chunks> {
        let (counts, ends_lines_at_cr) = (cutter.counts(), cutter.ends_lines_at_cr());
        let (cutter, start) = (Relay::new(cutter), Relay::new(start));
        Arc::new(Chunks { cutter, start, counts, ends_lines_at_cr, spare: Arc::default(), file, counter, name })
    }

    /// Buffers for bytes that are not fetched from the file.
    pub fn spare(&self) -> &Arc<FreeList<Vec<u8>>> {
        &self.spare
    }

    /// Where the next unit would begin, once all chunks have been cut.
    ///
    /// # Panics
    ///
    /// If a chunk is being cut.
    pub fn end(&self) -> BlockStart {
        self.start.last().expect("no chunk has it")
    }

    /// Fetches bytes of the file.
    fn fetch(&self, from: u64, length: usize) -> Result<BlockBytes> {
        let (file, before) = self.file.as_ref().expect("the chunk is a part of a file");
        let bytes = file.bytes_at(&self.spare, from, length).with_context(|| format!("cannot read {}", self.name))?;
        if bytes.len() < length || FileState::of(file) != *before {
            bail!("cannot read {}: {CHANGED}", self.name);
        }
        self.counter.add(length as u64);
        Ok(bytes)
    }
}

/// A chunk that has not been cut yet.
pub struct Chunk {
    chunks: Arc<Chunks>,
    /// Its number, from 0.
    number: u64,
    is_last: bool,
    bytes: ChunkSource,
    is_passed: bool,
}

/// Where the bytes of a chunk are.
enum ChunkSource {
    /// In the file: the first one, and how many.
    File(u64, usize),
    /// In memory.
    Memory(BlockBytes),
}

impl Chunk {
    /// A part of the file: the place of its first byte, and its length.
    pub fn of_file(chunks: &Arc<Chunks>, number: u64, is_last: bool, from: u64, length: usize) -> Chunk {
        Chunk { chunks: chunks.clone(), number, is_last, bytes: ChunkSource::File(from, length), is_passed: false }
    }

    /// Bytes in memory.
    pub fn in_memory(chunks: &Arc<Chunks>, number: u64, is_last: bool, bytes: BlockBytes) -> Chunk {
        Chunk { chunks: chunks.clone(), number, is_last, bytes: ChunkSource::Memory(bytes), is_passed: false }
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        match &self.bytes {
            ChunkSource::File(_, length) => *length,
            ChunkSource::Memory(bytes) => bytes.len(),
        }
    }

    /// The whole units that end in it, and where they begin. Waits for the chunks before it, so that threads must begin with chunks in
    /// their order.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has changed; or so it was with a chunk before.
    pub fn units(mut self) -> Result<Vec<(BlockStart, Content)>> {
        let chunks = self.chunks.clone();
        let lost = || format!("cannot read {}: a part of it could not be read", chunks.name);
        ensure!(!chunks.cutter.is_lost(self.number), lost());
        let mut bytes = match std::mem::replace(&mut self.bytes, ChunkSource::File(0, 0)) {
            ChunkSource::File(from, length) => chunks.fetch(from, length)?,
            ChunkSource::Memory(bytes) => bytes,
        };
        let begins_with_lf = chunks.ends_lines_at_cr && replace_crs(&mut bytes);
        let mut cutter = chunks.cutter.take(self.number).with_context(lost)?;
        let pieces = cutter.push(bytes, begins_with_lf, self.is_last);
        chunks.cutter.pass(self.number, cutter);
        // Counted from the beginning of the chunk, before others have told where that is.
        let steps: Vec<PieceEnd> = pieces.iter().map(|piece| PieceEnd::of(piece, chunks.counts)).collect();
        let mut start = chunks.start.take(self.number).with_context(lost)?;
        let first = start;
        steps.iter().for_each(|step| start = step.after(start));
        chunks.start.pass(self.number, start);
        self.is_passed = true;
        Ok(contents(first, pieces, steps))
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if !self.is_passed {
            self.chunks.cutter.lose(self.number);
            self.chunks.start.lose(self.number);
        }
    }
}
