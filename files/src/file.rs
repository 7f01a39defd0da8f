//! Open files, wherever they are: on this machine, or behind a URL.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::input::is_remote;
use crate::remote::{self, RemoteFile};

/// An open file that is read.
#[derive(Debug)]
pub enum InputFile {
    /// A file of this machine.
    Local(File),
    /// An object of a store, or a file of a web server.
    Remote(RemoteFile),
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

    /// The same open file. Whether both go on at the same place is not defined.
    ///
    /// # Errors
    ///
    /// The system has no more descriptors.
    pub fn try_clone(&self) -> io::Result<InputFile> {
        Ok(match self {
            InputFile::Local(file) => InputFile::Local(file.try_clone()?),
            InputFile::Remote(file) => InputFile::Remote(file.clone()),
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
        }
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            InputFile::Local(file) => file.seek(to),
            InputFile::Remote(file) => file.seek(to),
        }
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
