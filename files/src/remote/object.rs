//! An object, read in ranges. Those that come next are read ahead, if the last ones followed each other.
//!
//! What the client receives is copied at once, while it is in the cache, to pooled buffers of the size of the reader's chunks. Chunks
//! of a server that is near are received by the threads that parse them, see [`direct`](super::direct).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt;
use http::Extensions;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStoreExt};
use slider_attacks_formats::content::{BlockBytes, FreeList};

use super::direct::{DirectBody, DirectConnection};
use super::failure::{again, failure, network_error, status};
use super::stores::ObjectLocation;
use super::stream::RemoteStream;
use super::thread::{ended, runtime, wait};
use super::url::StoreKind;
use crate::input::CHANGED;

/// How many bytes a request asks for, or about as many.
const BLOCK: u64 = 2 << 20;
/// How many bytes of a block arrive together.
const PART: usize = 256 << 10;
/// The smallest chunks that are received as such: a buffer is longer by a few KiB.
const LEAST_CHUNK: usize = 32 << 10;
/// How many blocks are read ahead at most, of an object that is read from its beginning to its end.
const AHEAD: u64 = 8;
/// How long a block takes from a server that is slow or far away. Of others, one block is read ahead.
const SLOW: Duration = Duration::from_millis(10);
/// How many blocks are kept. Readers of Parquet look at headers of pages first, and then at the pages.
const KEPT: usize = 16;
/// How often a part is requested that does not arrive.
const ATTEMPTS: u32 = 4;
/// The longest that a block may take.
const BLOCK_TIME: Duration = Duration::from_secs(120);

/// An open object, or an open file of a web server.
#[derive(Clone, Debug)]
pub enum RemoteFile {
    /// It is read in ranges.
    Object(RemoteObject),
    /// The server gives no ranges.
    Stream(RemoteStream),
}

impl RemoteFile {
    /// Opens what a URL names. That reads its first bytes.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn open(url: &Path) -> io::Result<RemoteFile> {
        let location = ObjectLocation::new(url)?;
        let (first, spare, start) = (location.clone(), Arc::default(), Instant::now());
        let found = wait(async move {
            let options = GetOptions { range: Some(GetRange::Bounded(0..BLOCK)), ..GetOptions::default() };
            let result = match first.store.get_opts(&first.url.key, options).await {
                Ok(result) => result,
                Err(object_store::Error::NotSupported { .. }) if first.url.kind == StoreKind::Web => return Ok(None),
                // Nothing has no range.
                Err(error) if status(&error) == Some(416) => {
                    let meta = first.store.get(&first.url.key).await.map_err(|error| failure(&error))?.meta;
                    return if meta.size == 0 { Ok(Some((meta, spare, Vec::new()))) } else { Err(failure(&error)) };
                }
                Err(error) => return Err(failure(&error)),
            };
            let meta = result.meta.clone();
            // What breaks off or takes too long is requested again.
            let mut parts = Vec::new();
            let first = collected(result, 0..BLOCK, PART, &spare, |part| parts.push(part));
            let is_here = matches!(tokio::time::timeout(BLOCK_TIME, first).await, Ok(Ok(())));
            if !is_here {
                parts.clear();
            }
            Ok(Some((meta, spare, parts)))
        })?;
        match found {
            Some((meta, spare, first)) => {
                Ok(RemoteFile::Object(RemoteObject::new(location, meta, spare, first, start.elapsed())))
            }
            None => Ok(RemoteFile::Stream(RemoteStream::open(location)?)),
        }
    }

    /// Reads bytes from this place on, and returns how many there are.
    ///
    /// # Errors
    ///
    /// It cannot be read, or gives no ranges.
    pub fn read_at(&self, mut bytes: &mut [u8], mut from: u64) -> io::Result<usize> {
        let RemoteFile::Object(object) = self else { return Err(ErrorKind::NotSeekable.into()) };
        let mut all = 0;
        while !bytes.is_empty() {
            let read = object.read_some(bytes, from)?;
            if read == 0 {
                break;
            }
            (all, from) = (all + read, from + read as u64);
            bytes = &mut bytes[read..];
        }
        Ok(all)
    }

    /// The same file, for one who takes these bytes once, in chunks of this size and in their order.
    #[must_use]
    pub fn in_chunks(self, bytes: Range<u64>, size: usize) -> RemoteFile {
        match self {
            RemoteFile::Object(object) if size >= LEAST_CHUNK => RemoteFile::Object(object.in_chunks(bytes, size)),
            file => file,
        }
    }

    /// The bytes of one of these chunks. `None` if they are read as others are.
    pub fn take_chunk(&self, from: u64, length: usize) -> Option<io::Result<BlockBytes>> {
        let RemoteFile::Object(object) = self else { return None };
        let chunks = object.chunks.as_ref().filter(|chunks| length > 0 && from >= chunks.grid.bytes.start)?;
        Some(chunks.take(from))
    }

    /// Its length, and the time of its last change, if it is read in ranges.
    pub fn state(&self) -> Option<(u64, Option<SystemTime>)> {
        let RemoteFile::Object(object) = self else { return None };
        let meta = &object.blocks.meta;
        Some((meta.size, Some(meta.last_modified.into())))
    }

    /// Nothing from this byte on is read ahead.
    pub fn set_end(&self, end: u64) {
        if let RemoteFile::Object(object) = self {
            object.blocks.end.store(end, Relaxed);
        }
    }
}

impl Read for RemoteFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            RemoteFile::Object(object) => {
                let read = object.read_some(buffer, object.at)?;
                object.at += read as u64;
                Ok(read)
            }
            RemoteFile::Stream(stream) => stream.read(buffer),
        }
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let RemoteFile::Object(object) = self else { return Err(ErrorKind::NotSeekable.into()) };
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::End(step) => object.blocks.meta.size.checked_add_signed(step),
            SeekFrom::Current(step) => object.at.checked_add_signed(step),
        };
        object.at = to.ok_or(ErrorKind::InvalidInput)?;
        Ok(object.at)
    }
}

/// An object that is read in ranges. Clones share its blocks, but each has its own place.
#[derive(Clone, Debug)]
pub struct RemoteObject {
    blocks: Arc<ObjectBlocks>,
    /// Blocks of chunks, each of which is taken once.
    chunks: Option<Arc<ObjectBlocks>>,
    at: u64,
}

/// The blocks of an object that are here, or on their way.
struct ObjectBlocks {
    location: ObjectLocation,
    meta: ObjectMeta,
    grid: BlockGrid,
    end: AtomicU64,
    /// Buffers for parts.
    spare: Arc<FreeList<Vec<u8>>>,
    state: Mutex<BlockStates>,
    arrived: Condvar,
}

/// Where blocks and their parts begin.
#[derive(Clone, Debug)]
struct BlockGrid {
    bytes: Range<u64>,
    /// How many bytes a part has, and how many parts a block has. The last ones may have fewer.
    part: usize,
    parts: u64,
}

/// The blocks by their numbers.
#[derive(Default)]
struct BlockStates {
    blocks: HashMap<u64, ObjectBlock>,
    /// A clock of uses.
    uses: u64,
    /// The block that was used last.
    last: u64,
    /// How many blocks are read ahead.
    ahead: u64,
    /// How long the last block took that has arrived.
    time: Duration,
    /// The first block that has not been requested yet.
    next: u64,
    /// Whether the client receives all blocks, as threads could not.
    needs_client: bool,
    /// Connections of threads, without a request.
    idle: Vec<DirectConnection>,
}

/// A block.
#[derive(Default)]
struct ObjectBlock {
    /// The parts that are here.
    parts: Vec<Option<Arc<BlockBytes>>>,
    /// `None` while it is on its way.
    end: Option<io::Result<()>>,
    used: u64,
    waiting: usize,
    /// What threads that wait for it receive, unless the client does.
    direct: Option<DirectBlock>,
}

/// The rest of a block, for the next thread that waits for a part of it. That thread takes it, and puts it back.
#[derive(Default)]
struct DirectBlock {
    /// How many parts have been received.
    received: usize,
    /// `None` until it is requested.
    body: Option<DirectBody>,
}

impl RemoteObject {
    fn new(
        location: ObjectLocation,
        meta: ObjectMeta,
        spare: Arc<FreeList<Vec<u8>>>,
        first: Vec<BlockBytes>,
        time: Duration,
    ) -> RemoteObject {
        let grid = BlockGrid { bytes: 0..meta.size, part: PART, parts: BLOCK / PART as u64 };
        let blocks = ObjectBlocks::new(location, meta, grid, spare);
        blocks.state().time = time;
        if !first.is_empty() {
            let parts = first.into_iter().map(|part| Some(Arc::new(part))).collect();
            blocks.state().blocks.insert(0, ObjectBlock { parts, end: Some(Ok(())), ..ObjectBlock::default() });
        }
        RemoteObject { blocks: Arc::new(blocks), chunks: None, at: 0 }
    }

    /// The same object, whose bytes are taken in chunks. Those that are here already are read as others are.
    fn in_chunks(self, bytes: Range<u64>, size: usize) -> RemoteObject {
        let (location, meta, spare) = (self.blocks.location.clone(), self.blocks.meta.clone(), Arc::default());
        let here = self.blocks.end_of_first().clamp(bytes.start, bytes.end);
        let begin = if here == bytes.end { here } else { here - (here - bytes.start) % size as u64 };
        let grid = BlockGrid { bytes: begin..bytes.end, part: size, parts: (BLOCK / size as u64).max(1) };
        let chunks = ObjectBlocks::new(location, meta, grid, spare);
        // They follow what has been read.
        (chunks.state().ahead, chunks.state().time) = (1, self.blocks.state().time);
        RemoteObject { chunks: Some(Arc::new(chunks)), ..self }
    }

    /// Reads some bytes from this place on. There are none at the end.
    fn read_some(&self, buffer: &mut [u8], from: u64) -> io::Result<usize> {
        if buffer.is_empty() || from >= self.blocks.meta.size {
            return Ok(0);
        }
        let part = self.blocks.get(from / PART as u64, false)?;
        let rest = &part[(from % PART as u64) as usize..];
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }
}

impl BlockGrid {
    fn block(&self) -> u64 {
        self.part as u64 * self.parts
    }

    /// The bytes of a block.
    fn range(&self, number: u64) -> Range<u64> {
        let from = self.bytes.start + number * self.block();
        from..self.bytes.end.min(from + self.block())
    }

    /// A block that is on its way.
    fn coming(&self, number: u64) -> ObjectBlock {
        let Range { start, end } = self.range(number);
        let parts = (end - start).div_ceil(self.part as u64);
        ObjectBlock { parts: vec![None; parts as usize], ..ObjectBlock::default() }
    }
}

impl ObjectBlocks {
    fn new(location: ObjectLocation, meta: ObjectMeta, grid: BlockGrid, spare: Arc<FreeList<Vec<u8>>>) -> ObjectBlocks {
        let (end, state) = (AtomicU64::new(grid.bytes.end), Mutex::default());
        ObjectBlocks { location, meta, grid, end, spare, state, arrived: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, BlockStates> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first byte that is not in the first block, as far as that is here.
    fn end_of_first(&self) -> u64 {
        let state = self.state();
        let parts = state.blocks.get(&0).into_iter().flat_map(|block| block.parts.iter().map_while(Option::as_ref));
        parts.map(|part| part.len() as u64).sum()
    }

    /// A part, once it has arrived. One that is taken is here no longer.
    fn get(self: &Arc<ObjectBlocks>, part: u64, takes: bool) -> io::Result<Arc<BlockBytes>> {
        let (number, place) = (part / self.grid.parts, (part % self.grid.parts) as usize);
        let mut state = self.state();
        let most = (AHEAD * BLOCK / self.grid.block()).max(1);
        let ahead = state.reads_ahead(number, most).min(self.last_needed().saturating_sub(number));
        let is_direct = takes && !state.needs_client && state.time < SLOW;
        if !is_direct {
            // Some servers answer only so many connections.
            state.idle.clear();
        }
        for next in number..=number + ahead {
            let was_requested = next < state.next;
            if let Entry::Vacant(block) = state.blocks.entry(next) {
                // Another thread was faster, and has taken all of it; or a thread that needs it requests it.
                if next > number && takes && (was_requested || is_direct) {
                    continue;
                }
                let mut coming = self.grid.coming(next);
                if is_direct {
                    coming.direct = Some(DirectBlock::default());
                } else {
                    self.request(next, 0)?;
                }
                block.insert(coming);
            }
            state.next = state.next.max(next + 1);
            state.touch(next);
        }
        state.block(number).waiting += 1;
        loop {
            let block = state.block(number);
            if block.end.is_some() || block.parts[place].is_some() {
                break;
            }
            state = match block.direct.take() {
                Some(direct) => {
                    drop(state);
                    self.receive(number, direct)
                }
                None => self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        let block = state.block(number);
        block.waiting -= 1;
        let found = if takes { block.parts[place].take() } else { block.parts[place].clone() };
        let bytes = found.ok_or_else(|| match &block.end {
            Some(Err(error)) => again(error),
            _ => ErrorKind::Other.into(),
        });
        if block.waiting == 0 && (bytes.is_err() || block.is_taken()) {
            state.blocks.remove(&number);
        }
        if !takes {
            state.drop_oldest();
        }
        bytes
    }

    /// A chunk.
    fn take(self: &Arc<ObjectBlocks>, from: u64) -> io::Result<BlockBytes> {
        let part = self.get((from - self.grid.bytes.start) / self.grid.part as u64, true)?;
        Arc::into_inner(part).ok_or_else(|| ErrorKind::Other.into())
    }

    /// Receives the next part of a block in this thread. If that fails, the client requests the rest.
    fn receive(self: &Arc<ObjectBlocks>, number: u64, mut direct: DirectBlock) -> MutexGuard<'_, BlockStates> {
        // Others would wait forever if it panicked.
        let received = catch_unwind(AssertUnwindSafe(|| self.received(number, &mut direct)));
        let received = received.unwrap_or_else(|_| Err(ended()));
        let mut state = self.state();
        match received {
            Ok(bytes) => {
                let block = state.block(number);
                block.parts[direct.received] = Some(Arc::new(bytes));
                direct.received += 1;
                match direct.body.take_if(|body| body.rest() == 0) {
                    Some(body) => {
                        (block.end, state.time) = (Some(Ok(())), body.time());
                        state.idle.extend(body.finish());
                    }
                    None => block.direct = Some(direct),
                }
            }
            Err(_) => {
                // The connection ends before the client needs one.
                direct.body = None;
                state.block(number).direct = Some(direct);
                self.give_up(&mut state);
            }
        }
        if state.block(number).waiting > 1 {
            self.arrived.notify_all();
        }
        state
    }

    /// Has the client receive the rest of all blocks that no thread receives at the moment.
    fn give_up(self: &Arc<ObjectBlocks>, state: &mut BlockStates) {
        state.needs_client = true;
        state.idle.clear();
        for (&number, block) in &mut state.blocks {
            if let Some(DirectBlock { received, body }) = block.direct.take() {
                drop(body);
                block.end = self.request(number, received).err().map(Err);
            }
        }
        self.arrived.notify_all();
    }

    /// The next part of a block. Before its first part, the next block is requested, so that its answer arrives meanwhile.
    fn received(self: &Arc<ObjectBlocks>, number: u64, direct: &mut DirectBlock) -> io::Result<BlockBytes> {
        if direct.received == 0 {
            let body = match direct.body.take() {
                Some(body) => body,
                None => self.request_direct(number)?,
            };
            self.request_ahead(number + 1);
            direct.body = Some(body);
        }
        let body = direct.body.as_mut().ok_or(ErrorKind::Other)?;
        let mut bytes = BlockBytes::of_length(&self.spare, body.rest().min(self.grid.part as u64) as usize);
        body.receive(&mut bytes)?;
        Ok(bytes)
    }

    /// Requests a block that threads are to receive.
    fn request_direct(&self, number: u64) -> io::Result<DirectBody> {
        let (location, meta, range) = (self.location.clone(), self.meta.clone(), self.grid.range(number));
        let (length, kept) = (range.end - range.start, self.state().idle.pop());
        let request = |extensions| async move { unchanged(&location, &meta, range, extensions).await };
        DirectBody::request(length, kept, request)
    }

    /// Does the same with one that is needed later, if it has not been requested.
    fn request_ahead(self: &Arc<ObjectBlocks>, number: u64) {
        let mut state = self.state();
        if number > self.last_needed() || number < state.next {
            return;
        }
        state.blocks.insert(number, self.grid.coming(number));
        state.next = number + 1;
        drop(state);
        let body = catch_unwind(AssertUnwindSafe(|| self.request_direct(number))).unwrap_or_else(|_| Err(ended()));
        let mut state = self.state();
        let gives_up = body.is_err() || state.needs_client;
        let block = state.block(number);
        block.direct = Some(DirectBlock { received: 0, body: body.ok() });
        if gives_up {
            self.give_up(&mut state);
        } else if block.waiting > 0 {
            self.arrived.notify_all();
        }
    }

    /// The last block with bytes that are needed.
    fn last_needed(&self) -> u64 {
        let last = self.end.load(Relaxed).min(self.grid.bytes.end).saturating_sub(1).max(self.grid.bytes.start);
        (last - self.grid.bytes.start) / self.grid.block()
    }

    /// Requests a block from this part on.
    fn request(self: &Arc<ObjectBlocks>, number: u64, place: usize) -> io::Result<()> {
        let (blocks, mut range, part) = (Arc::downgrade(self), self.grid.range(number), self.grid.part);
        range.start += (place * part) as u64;
        let (location, meta, spare) = (self.location.clone(), self.meta.clone(), self.spare.clone());
        runtime()?.spawn(async move {
            let (object, mut places, begin) = (blocks.clone(), place.., Instant::now());
            // Nobody needs it, unless the object is still open.
            let take = move |bytes| {
                if let Some((blocks, place)) = object.upgrade().zip(places.next()) {
                    let mut state = blocks.state();
                    state.block(number).parts[place] = Some(Arc::new(bytes));
                    blocks.arrived.notify_all();
                }
            };
            let fetch = async move {
                tokio::time::timeout(BLOCK_TIME, fetched(&location, &meta, range, part, &spare, take)).await
            };
            // A task of its own, so that nobody waits forever if it panics.
            let end = match tokio::spawn(fetch).await {
                Ok(Ok(end)) => end,
                Ok(Err(_)) => Err(network_error(ErrorKind::TimedOut, "the server is too slow")),
                Err(_) => Err(ended()),
            };
            if let Some(blocks) = blocks.upgrade() {
                let mut state = blocks.state();
                state.time = begin.elapsed();
                let block = state.block(number);
                block.end = Some(end);
                if block.is_taken() && block.waiting == 0 {
                    state.blocks.remove(&number);
                }
                blocks.arrived.notify_all();
            }
        });
        Ok(())
    }
}

impl ObjectBlock {
    /// Whether all parts have been taken.
    fn is_taken(&self) -> bool {
        matches!(self.end, Some(Ok(()))) && self.parts.iter().all(Option::is_none)
    }
}

impl BlockStates {
    /// A block that is here or on its way.
    fn block(&mut self, number: u64) -> &mut ObjectBlock {
        self.blocks.get_mut(&number).expect("it has been requested")
    }

    fn touch(&mut self, number: u64) {
        self.uses += 1;
        let uses = self.uses;
        self.block(number).used = uses;
    }

    /// How many blocks to read ahead of this one, at most. Threads take blocks that follow each other nearly in their order.
    ///
    /// More are read if this one is still arriving and blocks take long; fewer if all that were requested are here: what waits is
    /// displaced in the caches.
    fn reads_ahead(&mut self, number: u64, most: u64) -> u64 {
        const NEAR: u64 = 2;
        if number.abs_diff(self.last) > NEAR {
            (self.ahead, self.last) = (0, number);
        } else if number > self.last {
            let has_arrived = |number| self.blocks.get(&number).is_some_and(|block| block.end.is_some());
            let (is_late, is_early) = (self.time >= SLOW && !has_arrived(number), has_arrived(self.last + self.ahead));
            self.ahead = match (is_late, is_early) {
                (true, _) => (2 * self.ahead).clamp(1, most),
                (false, true) => self.ahead.saturating_sub(1).max(1),
                (false, false) => self.ahead.max(1),
            };
            self.last = number;
        }
        self.ahead
    }

    /// Drops what was not used for the longest time.
    fn drop_oldest(&mut self) {
        while self.blocks.len() > KEPT {
            let idle = self.blocks.iter().filter(|(_, block)| block.end.is_some() && block.waiting == 0);
            let Some((&oldest, _)) = idle.min_by_key(|(_, block)| block.used) else { break };
            self.blocks.remove(&oldest);
        }
    }
}

impl fmt::Debug for ObjectBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBlocks").field("location", &self.location).finish_non_exhaustive()
    }
}

/// The answer to a request for bytes of an object that has not changed.
async fn unchanged(
    location: &ObjectLocation,
    meta: &ObjectMeta,
    range: Range<u64>,
    extensions: Extensions,
) -> io::Result<GetResult> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        // A weak one never matches.
        if_match: meta.e_tag.clone().filter(|tag| !tag.starts_with("W/")),
        extensions,
        ..GetOptions::default()
    };
    let result = location.store.get_opts(&location.url.key, options).await.map_err(|error| failure(&error))?;
    let now = &result.meta;
    if (now.size, now.last_modified, &now.e_tag) != (meta.size, meta.last_modified, &meta.e_tag) {
        return Err(network_error(ErrorKind::Other, CHANGED));
    }
    Ok(result)
}

/// Fetches bytes of an object that has not changed, and hands over their parts.
async fn fetched(
    location: &ObjectLocation,
    meta: &ObjectMeta,
    mut range: Range<u64>,
    part: usize,
    spare: &Arc<FreeList<Vec<u8>>>,
    mut take: impl FnMut(BlockBytes) + Send,
) -> io::Result<()> {
    let mut attempt = 0;
    loop {
        let result = unchanged(location, meta, range.clone(), Extensions::new()).await?;
        attempt += 1;
        let rest = range.clone();
        let take = |bytes: BlockBytes| {
            (range.start, attempt) = (range.start + bytes.len() as u64, 0);
            take(bytes);
        };
        match collected(result, rest, part, spare, take).await {
            Err(_) if attempt < ATTEMPTS => tokio::time::sleep(Duration::from_millis(100 << attempt)).await,
            collected => return collected,
        }
    }
}

/// Hands over the bytes of an answer to a request for this range, in parts: the last one once the answer has ended, as only then its
/// length is known to be right. An object that ends before the range has only its beginning.
async fn collected(
    result: GetResult,
    range: Range<u64>,
    part: usize,
    spare: &Arc<FreeList<Vec<u8>>>,
    mut take: impl FnMut(BlockBytes) + Send,
) -> io::Result<()> {
    let expected = range.end.min(result.meta.size).saturating_sub(range.start) as usize;
    let room = |arrived: usize| BlockBytes::of_length(spare, part.min(expected - arrived));
    let (mut stream, mut arrived) = (result.into_stream(), 0);
    let (mut bytes, mut filled) = (room(0), 0);
    while let Some(more) = stream.next().await {
        let more = more.map_err(|error| failure(&error))?;
        if more.len() > expected - arrived {
            return Err(network_error(ErrorKind::InvalidData, "the server sent more bytes than it was asked for"));
        }
        let mut more = &more[..];
        while !more.is_empty() {
            let (now, rest) = more.split_at(more.len().min(bytes.len() - filled));
            bytes[filled..filled + now.len()].copy_from_slice(now);
            (filled, arrived, more) = (filled + now.len(), arrived + now.len(), rest);
            if filled == bytes.len() && arrived < expected {
                take(mem::replace(&mut bytes, room(arrived)));
                filled = 0;
            }
        }
    }
    if arrived < expected {
        let message = format!("the server sent {arrived} of {expected} bytes");
        return Err(network_error(ErrorKind::UnexpectedEof, message));
    }
    take(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::range_server::RangeServer;
    use super::*;

    fn block(is_here: bool) -> ObjectBlock {
        ObjectBlock { parts: vec![None], end: is_here.then_some(Ok(())), ..ObjectBlock::default() }
    }

    #[test]
    fn more_is_read_ahead_of_servers_that_are_far_away() {
        let mut state = BlockStates { ahead: 1, ..BlockStates::default() };
        assert_eq!(state.reads_ahead(1, AHEAD), 1);
        state = BlockStates { ahead: 1, time: SLOW, ..BlockStates::default() };
        let slow: Vec<u64> = (1..5).map(|number| state.reads_ahead(number, AHEAD)).collect();
        assert_eq!(slow, [2, 4, 8, 8]);
        // A part of the block is here, but not all of it.
        let mut begun = BlockStates { ahead: 1, time: SLOW, ..BlockStates::default() };
        let part = Some(Arc::new(vec![1].into()));
        begun.blocks.insert(1, ObjectBlock { parts: vec![part, None], ..block(false) });
        assert_eq!(begun.reads_ahead(1, AHEAD), 2);
        // The last of them is still on its way.
        state.blocks.extend((5..12).map(|number| (number, block(true))));
        assert_eq!(state.reads_ahead(5, AHEAD), 8);
        state.blocks.extend((12..30).map(|number| (number, block(true))));
        let fast: Vec<u64> = (6..16).map(|number| state.reads_ahead(number, AHEAD)).collect();
        assert_eq!(fast, [7, 6, 5, 4, 3, 2, 1, 1, 1, 1]);
        assert_eq!([14, 20, 21].map(|number| state.reads_ahead(number, AHEAD)), [1, 0, 1]);
    }

    #[test]
    fn threads_receive_chunks_of_a_near_server_and_the_client_what_they_cannot() {
        const SIZE: usize = 100_000;
        let data: Arc<Vec<u8>> = Arc::new((0..9_000_000u32).map(|at| ((at * at) >> 7) as u8).collect());
        // How many bodies each server sends as it should.
        for good in [usize::MAX, 0, 1, 3] {
            let server = RangeServer::start(Arc::clone(&data), good);
            let file = RemoteFile::open(Path::new(&server.url)).unwrap().in_chunks(0..data.len() as u64, SIZE);
            let next = AtomicU64::new(0);
            let read = || {
                loop {
                    let from = next.fetch_add(SIZE as u64, Relaxed);
                    let Some(rest) = data.get(from as usize..).filter(|rest| !rest.is_empty()) else { break };
                    let expected = &rest[..SIZE.min(rest.len())];
                    let mut bytes = vec![0; expected.len()];
                    match file.take_chunk(from, expected.len()) {
                        Some(chunk) => bytes.copy_from_slice(&chunk.unwrap()),
                        None => assert_eq!(file.read_at(&mut bytes, from).unwrap(), bytes.len()),
                    }
                    assert!(bytes == expected, "{good} {from}");
                }
            };
            std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(read))));
            // A machine under load may be too slow for more. Each thread may have sent one, and one ahead.
            let direct = server.direct.load(Relaxed);
            assert!(direct >= 1 && direct <= good.saturating_add(4), "{good} {direct}");
        }
    }

    #[test]
    fn chunks_that_have_arrived_are_not_requested_again() {
        const SIZE: usize = 100_000;
        let object = |size: u64| {
            let location = ObjectLocation::new(Path::new("http://127.0.0.1:1/x")).unwrap();
            let (key, now) = (location.url.key.clone(), SystemTime::UNIX_EPOCH.into());
            let meta = ObjectMeta { location: key, last_modified: now, size, e_tag: None, version: None };
            let first = (0..size.min(BLOCK)).step_by(PART).map(|from| vec![1; PART.min((size - from) as usize)].into());
            RemoteObject::new(location, meta, Arc::default(), first.collect(), Duration::ZERO)
        };
        for (size, bytes, begin) in [
            (3 * BLOCK, 7..3 * BLOCK, 7 + 20 * SIZE as u64),
            (3 * BLOCK, 2 * BLOCK + 9..3 * BLOCK, 2 * BLOCK + 9),
            (BLOCK - 5, 7..BLOCK - 5, BLOCK - 5),
        ] {
            let file = RemoteFile::Object(object(size)).in_chunks(bytes.clone(), SIZE);
            let RemoteFile::Object(object) = &file else { panic!("it has ranges") };
            let grid = &object.chunks.as_ref().unwrap().grid;
            assert_eq!((grid.bytes.clone(), grid.parts), (begin..bytes.end, 20));
            let mut here = vec![0; SIZE.min((begin - bytes.start) as usize)];
            assert!(file.take_chunk(bytes.start, here.len()).is_none());
            assert_eq!(file.read_at(&mut here, bytes.start).unwrap(), here.len());
            assert!(here.iter().all(|&byte| byte == 1));
        }
    }
}
