//! Open files, wherever they are: on this machine, behind a URL, or files of the caller.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use slider_attacks_formats::content::{BlockBytes, FreeList};

use crate::input::{ReadAt, is_remote};
use crate::remote::{self, RemoteFile};

/// An open file that is read.
#[derive(Debug)]
pub enum InputFile {
    /// A file of this machine.
    Local(File),
    /// An object of a store, or a file of a web server.
    Remote(RemoteFile),
    /// A file of the caller.
    Caller(CallerFile),
}

/// A file of the caller.
#[derive(Clone)]
pub struct CallerFile {
    bytes: Arc<dyn ReadAt>,
    length: u64,
    /// Where the next byte is read.
    place: u64,
    /// Why it cannot be read: who reads pages learns only the text.
    failure: Arc<Mutex<Option<io::Error>>>,
}

impl InputFile {
    /// Opens a path or URL.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    pub fn open(path: &Path) -> io::Result<InputFile> {
        Ok(match is_remote(path) {
            true => InputFile::Remote(RemoteFile::open(path)?),
            false => InputFile::Local(File::open(path)?),
        })
    }

    /// A file of the caller, unless it is a stream.
    ///
    /// # Errors
    ///
    /// Its length cannot be found out.
    pub fn of_caller(bytes: &Arc<dyn ReadAt>) -> io::Result<Option<InputFile>> {
        let file = |length| CallerFile { bytes: bytes.clone(), length, place: 0, failure: Arc::default() };
        Ok(bytes.length()?.map(file).map(InputFile::Caller))
    }

    /// How many bytes it has, if it can be read at any place.
    ///
    /// # Errors
    ///
    /// It cannot be found out.
    pub fn length(&self) -> io::Result<u64> {
        match self {
            InputFile::Local(file) => Ok(file.metadata()?.len()),
            InputFile::Remote(file) => Ok(file.state().map_or(0, |(length, _)| length)),
            InputFile::Caller(file) => Ok(file.length),
        }
    }

    /// The same open file. Whether both go on at the same place is not defined.
    ///
    /// # Errors
    ///
    /// The system has no more descriptors.
    pub fn try_clone(&self) -> io::Result<InputFile> {
        Ok(match self {
            InputFile::Local(file) => InputFile::Local(file.try_clone()?),
            InputFile::Remote(file) => InputFile::Remote(file.clone()),
            InputFile::Caller(file) => InputFile::Caller(file.clone()),
        })
    }

    /// Reads bytes from this place on, and returns how many there are.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn read_at(&self, bytes: &mut [u8], from: u64) -> io::Result<usize> {
        match self {
            InputFile::Local(file) => read_at(file, bytes, from),
            InputFile::Remote(file) => file.read_at(bytes, from),
            InputFile::Caller(file) => file.read_at(bytes, from),
        }
    }

    /// The same, in a buffer.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub fn bytes_at(&self, spare: &Arc<FreeList<Vec<u8>>>, from: u64, length: usize) -> io::Result<BlockBytes> {
        if let InputFile::Remote(file) = self
            && let Some(chunk) = file.take_chunk(from, length)
        {
            return chunk;
        }
        BlockBytes::fill(spare, length, |bytes| self.read_at(bytes, from))
    }

    /// The same file, for one who reads these bytes once, in chunks of this size and in their order.
    #[must_use]
    pub fn in_chunks(self, bytes: Range<u64>, size: usize) -> InputFile {
        match self {
            InputFile::Remote(file) => InputFile::Remote(file.in_chunks(bytes, size)),
            file => file,
        }
    }

    /// Why the caller could not read it, in place of an error that has only the text.
    pub fn cause(&self, error: anyhow::Error) -> anyhow::Error {
        match self {
            InputFile::Local(_) | InputFile::Remote(_) => error,
            InputFile::Caller(file) => {
                let failure = file.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
                failure.map_or(error, anyhow::Error::new)
            }
        }
    }

    /// Nothing from this byte on is needed, so that it is not read ahead.
    pub fn set_end(&self, end: u64) {
        if let InputFile::Remote(file) = self {
            file.set_end(end);
        }
    }
}

impl From<File> for InputFile {
    fn from(file: File) -> InputFile {
        InputFile::Local(file)
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            InputFile::Local(file) => file.read(buffer),
            InputFile::Remote(file) => file.read(buffer),
            InputFile::Caller(file) => {
                let read = file.read_at(buffer, file.place)?;
                file.place += read as u64;
                Ok(read)
            }
        }
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            InputFile::Local(file) => file.seek(to),
            InputFile::Remote(file) => file.seek(to),
            InputFile::Caller(file) => {
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(offset) => file.length.checked_add_signed(offset),
                    SeekFrom::Current(offset) => file.place.checked_add_signed(offset),
                };
                file.place = place.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(file.place)
            }
        }
    }
}

impl CallerFile {
    fn read_at(&self, bytes: &mut [u8], from: u64) -> io::Result<usize> {
        self.bytes.read_at(bytes, from).map_err(|error| {
            let text = error.to_string();
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            io::Error::other(text)
        })
    }

    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl fmt::Debug for CallerFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerFile").field("length", &self.length).finish_non_exhaustive()
    }
}

/// What a path or URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file that can be read at any place, and how many bytes it has.
    File(u64),
    /// A directory.
    Directory,
    /// Something that is read from its beginning to its end, such as a pipe.
    Stream,
}

impl PathKind {
    /// What it names.
    ///
    /// # Errors
    ///
    /// There is nothing, or nobody may look at it.
    pub fn of(path: &Path) -> io::Result<PathKind> {
        if is_remote(path) {
            return Ok(remote::length(path)?.map_or(PathKind::Stream, PathKind::File));
        }
        let metadata = fs::metadata(path)?;
        Ok(match () {
            () if metadata.is_dir() => PathKind::Directory,
            () if metadata.is_file() => PathKind::File(metadata.len()),
            () => PathKind::Stream,
        })
    }
}

/// Reads bytes of a local file from this place on, and returns how many there are.
fn read_at(file: &File, mut bytes: &mut [u8], mut from: u64) -> io::Result<usize> {
    let mut all = 0;
    while !bytes.is_empty() {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, bytes, from);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, from);
        match read {
            Ok(0) => break,
            Ok(read) => {
                (all, from) = (all + read, from + read as u64);
                bytes = &mut bytes[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}
