//! An object, read in ranges. Those that come next are read ahead, if the last ones followed each other.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStoreExt};

use super::failure::{again, failure, network_error, status};
use super::stores::ObjectLocation;
use super::stream::RemoteStream;
use super::thread::{ended, runtime, wait};
use super::url::StoreKind;
use crate::input::CHANGED;

/// How many bytes a request asks for.
const BLOCK: u64 = 2 << 20;
/// How many blocks are read ahead at most, of an object that is read from its beginning to its end.
const AHEAD: u64 = 8;
/// How many blocks are kept. Readers of Parquet look at headers of pages first, and then at the pages.
const KEPT: usize = 16;
/// Shorter pieces are copied together: each may hold a buffer that is longer.
const SMALL: usize = 64 << 10;
/// How often a block is requested whose bytes do not arrive.
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
        let first = location.clone();
        let found = wait(async move {
            let options = GetOptions { range: Some(GetRange::Bounded(0..BLOCK)), ..GetOptions::default() };
            let result = match first.store.get_opts(&first.url.key, options).await {
                Ok(result) => result,
                Err(object_store::Error::NotSupported { .. }) if first.url.kind == StoreKind::Web => return Ok(None),
                // Nothing has no range.
                Err(error) if status(&error) == Some(416) => {
                    let meta = first.store.get(&first.url.key).await.map_err(|error| failure(&error))?.meta;
                    return if meta.size == 0 {
                        Ok(Some((meta, Some(BlockPieces::default()))))
                    } else {
                        Err(failure(&error))
                    };
                }
                Err(error) => return Err(failure(&error)),
            };
            let meta = result.meta.clone();
            // What breaks off or takes too long is requested again.
            let first = tokio::time::timeout(BLOCK_TIME, collected(result, 0..BLOCK)).await;
            Ok(Some((meta, first.ok().and_then(Result::ok))))
        })?;
        match found {
            Some((meta, first)) => Ok(RemoteFile::Object(RemoteObject::new(location, meta, first))),
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
    at: u64,
}

/// The blocks of an object that are here, or on their way.
struct ObjectBlocks {
    location: ObjectLocation,
    meta: ObjectMeta,
    end: AtomicU64,
    state: Mutex<BlockStates>,
    arrived: Condvar,
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
}

/// The bytes of a block as they have arrived, so that they are copied once.
type BlockPieces = Arc<[Bytes]>;

/// A block.
#[derive(Default)]
struct ObjectBlock {
    /// `None` while it is on its way.
    bytes: Option<io::Result<BlockPieces>>,
    used: u64,
    waiting: usize,
}

impl RemoteObject {
    fn new(location: ObjectLocation, meta: ObjectMeta, first: Option<BlockPieces>) -> RemoteObject {
        let mut state = BlockStates::default();
        if let Some(first) = first {
            state.blocks.insert(0, ObjectBlock { bytes: Some(Ok(first)), ..ObjectBlock::default() });
        }
        let (end, state, arrived) = (AtomicU64::new(u64::MAX), Mutex::new(state), Condvar::new());
        RemoteObject { blocks: Arc::new(ObjectBlocks { location, meta, end, state, arrived }), at: 0 }
    }

    /// Reads some bytes from this place on. There are none at the end.
    fn read_some(&self, buffer: &mut [u8], from: u64) -> io::Result<usize> {
        if buffer.is_empty() || from >= self.blocks.meta.size {
            return Ok(0);
        }
        let block = self.blocks.get(from / BLOCK)?;
        let (mut skipped, mut read) = ((from % BLOCK) as usize, 0);
        for piece in &*block {
            let rest = &piece[skipped.min(piece.len())..];
            skipped = skipped.saturating_sub(piece.len());
            let taken = rest.len().min(buffer.len() - read);
            buffer[read..read + taken].copy_from_slice(&rest[..taken]);
            read += taken;
        }
        Ok(read)
    }
}

impl ObjectBlocks {
    fn state(&self) -> MutexGuard<'_, BlockStates> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block, once it has arrived.
    fn get(self: &Arc<ObjectBlocks>, number: u64) -> io::Result<BlockPieces> {
        let mut state = self.state();
        let last_needed = self.end.load(Relaxed).min(self.meta.size).saturating_sub(1) / BLOCK;
        let ahead = state.reads_ahead(number).min(last_needed.saturating_sub(number));
        for next in number..=number + ahead {
            if let Entry::Vacant(block) = state.blocks.entry(next) {
                self.request(next)?;
                block.insert(ObjectBlock::default());
            }
            state.touch(next);
        }
        state.block(number).waiting += 1;
        let is_coming = |state: &mut BlockStates| state.block(number).bytes.is_none();
        let mut state = self.arrived.wait_while(state, is_coming).unwrap_or_else(PoisonError::into_inner);
        let block = state.block(number);
        block.waiting -= 1;
        let bytes = match &block.bytes {
            Some(Ok(bytes)) => Ok(bytes.clone()),
            Some(Err(error)) => Err(again(error)),
            None => Err(ErrorKind::Other.into()),
        };
        if bytes.is_err() && block.waiting == 0 {
            state.blocks.remove(&number);
        }
        state.drop_oldest();
        bytes
    }

    /// Requests a block.
    fn request(self: &Arc<ObjectBlocks>, number: u64) -> io::Result<()> {
        let (blocks, from) = (Arc::downgrade(self), number * BLOCK);
        let (location, meta) = (self.location.clone(), self.meta.clone());
        runtime()?.spawn(async move {
            let range = from..meta.size.min(from + BLOCK);
            let fetch = async move { tokio::time::timeout(BLOCK_TIME, fetched(&location, &meta, range)).await };
            // A task of its own, so that nobody waits forever if it panics.
            let fetched = match tokio::spawn(fetch).await {
                Ok(Ok(fetched)) => fetched,
                Ok(Err(_)) => Err(network_error(ErrorKind::TimedOut, "the server is too slow")),
                Err(_) => Err(ended()),
            };
            // Nobody needs it, unless the object is still open.
            if let Some(blocks) = blocks.upgrade() {
                blocks.state().block(number).bytes = Some(fetched);
                blocks.arrived.notify_all();
            }
        });
        Ok(())
    }
}

impl BlockStates {
    fn block(&mut self, number: u64) -> &mut ObjectBlock {
        self.blocks.entry(number).or_default()
    }

    fn touch(&mut self, number: u64) {
        self.uses += 1;
        let uses = self.uses;
        self.block(number).used = uses;
    }

    /// How many blocks to read ahead of this one. Threads take blocks that follow each other nearly in their order.
    fn reads_ahead(&mut self, number: u64) -> u64 {
        const NEAR: u64 = 2;
        let distance = number.abs_diff(self.last);
        if distance > 0 {
            self.ahead = if distance <= NEAR { (2 * self.ahead).clamp(1, AHEAD) } else { 0 };
            self.last = number;
        }
        self.ahead
    }

    /// Drops what was not used for the longest time.
    fn drop_oldest(&mut self) {
        while self.blocks.len() > KEPT {
            let idle = self.blocks.iter().filter(|(_, block)| block.bytes.is_some() && block.waiting == 0);
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

/// Bytes of an object that has not changed.
async fn fetched(location: &ObjectLocation, meta: &ObjectMeta, range: Range<u64>) -> io::Result<BlockPieces> {
    // A weak one never matches.
    let strong = meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
    let mut attempt = 0;
    loop {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: strong.clone(),
            ..GetOptions::default()
        };
        let result = location.store.get_opts(&location.url.key, options).await.map_err(|error| failure(&error))?;
        let now = &result.meta;
        if (now.size, now.last_modified, &now.e_tag) != (meta.size, meta.last_modified, &meta.e_tag) {
            return Err(network_error(ErrorKind::Other, CHANGED));
        }
        attempt += 1;
        match collected(result, range.clone()).await {
            Err(_) if attempt < ATTEMPTS => tokio::time::sleep(Duration::from_millis(100 << attempt)).await,
            collected => return collected,
        }
    }
}

/// The bytes of an answer to a request for this range. An object that ends before it has only its beginning.
async fn collected(result: GetResult, range: Range<u64>) -> io::Result<BlockPieces> {
    let expected = range.end.min(result.meta.size).saturating_sub(range.start) as usize;
    let mut stream = result.into_stream();
    let (mut pieces, mut small, mut arrived) = (Vec::new(), BytesMut::new(), 0);
    while let Some(more) = stream.next().await {
        let more = more.map_err(|error| failure(&error))?;
        arrived += more.len();
        if arrived > expected {
            return Err(network_error(ErrorKind::InvalidData, "the server sent more bytes than it was asked for"));
        }
        if more.len() < SMALL {
            small.extend_from_slice(&more);
        } else {
            pieces.extend([small.split().freeze(), more].into_iter().filter(|piece| !piece.is_empty()));
        }
    }
    pieces.push(small.freeze());
    if arrived < expected {
        let message = format!("the server sent {arrived} of {expected} bytes");
        return Err(network_error(ErrorKind::UnexpectedEof, message));
    }
    Ok(pieces.into())
}
