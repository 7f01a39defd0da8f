//! What stands in for URLs in a build without them.

use std::convert::Infallible;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use slider_attacks_formats::content::BlockBytes;

use super::{ListedObject, ListedObjects};

fn refused<T>() -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "built without URLs: build with `--features cloud`"))
}

/// An open object or file of a web server, which cannot exist in this build.
#[derive(Clone, Debug)]
pub struct RemoteFile(Infallible);

impl RemoteFile {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn open(_: &Path) -> io::Result<RemoteFile> {
        refused()
    }

    /// Reads bytes from this place on, and returns how many there are.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        match self.0 {}
    }

    /// The bytes of a chunk.
    pub fn take_chunk(&self, _: u64, _: usize) -> Option<io::Result<BlockBytes>> {
        match self.0 {}
    }

    /// The same file, for one who reads it in chunks.
    #[must_use]
    pub fn in_chunks(self, _: Range<u64>, _: usize) -> RemoteFile {
        match self.0 {}
    }

    /// Its length, and the time of its last change.
    pub fn state(&self) -> Option<(u64, Option<SystemTime>)> {
        match self.0 {}
    }

    /// Nothing from this byte on is needed.
    pub fn set_end(&self, _: u64) {
        match self.0 {}
    }
}

impl Read for RemoteFile {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match self.0 {}
    }
}

/// Fails.
///
/// # Errors
///
/// Always.
pub fn length(_: &Path) -> io::Result<Option<u64>> {
    refused()
}

/// Fails.
///
/// # Errors
///
/// Always.
pub fn list(_: &Path) -> io::Result<ListedObjects> {
    refused()
}

/// Fails.
///
/// # Errors
///
/// Always.
pub fn list_below(_: &Path) -> io::Result<Vec<ListedObject>> {
    refused()
}

/// Fails.
///
/// # Errors
///
/// Always.
pub fn put_once(_: &Path, _: &[u8]) -> io::Result<bool> {
    refused()
}

/// Fails.
///
/// # Errors
///
/// Always.
pub fn remove(_: &Path) -> io::Result<()> {
    refused()
}

/// Whether an error is one of the network or of a server, and not of what a file holds.
pub fn is_of_network(_: &io::Error) -> bool {
    false
}

/// An object that is being written, which cannot exist in this build.
#[derive(Debug)]
pub enum Upload {}

impl Upload {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn create(_: &Path) -> io::Result<Upload> {
        refused()
    }

    /// Sends the last part, and waits until all have arrived.
    ///
    /// # Errors
    ///
    /// One cannot be sent.
    pub fn send_rest(&mut self) -> io::Result<()> {
        match *self {}
    }

    /// Makes the object appear.
    ///
    /// # Errors
    ///
    /// It cannot be completed.
    pub fn finish(self) -> io::Result<()> {
        match self {}
    }
}

impl Write for Upload {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}

/// Gives up all uploads. Returns whether there were any.
pub fn abort_uploads() -> bool {
    false
}
