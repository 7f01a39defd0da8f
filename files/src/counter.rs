//! The progress of reading.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many bytes of some inputs have been read, of the files as they are, compressed or not. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct ByteCounter {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl ByteCounter {
    /// No bytes yet. `total` is how many there will be, or `None` if that is not known, as for a stream.
    pub fn new(total: Option<u64>) -> ByteCounter {
        ByteCounter { read: Arc::default(), total }
    }

    /// How many bytes have been read.
    pub fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// How many bytes there are, if that is known.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Sets how many bytes have been read, for a source that does not read them one after the other.
    pub fn set(&self, bytes: u64) {
        self.read.store(bytes, Relaxed);
    }

    /// Adds bytes that have been read in another way.
    pub fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Relaxed);
    }

    /// Takes back bytes that will be read again.
    pub fn take_back(&self, bytes: u64) {
        self.read.fetch_sub(bytes, Relaxed);
    }

    /// Counts what is read of these bytes from now on.
    pub fn count<R: Read>(&self, bytes: R) -> CountedRead<R> {
        CountedRead { bytes, read: self.read.clone() }
    }
}

/// Bytes that are counted while they are read.
#[derive(Debug)]
pub struct CountedRead<R> {
    bytes: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountedRead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}
