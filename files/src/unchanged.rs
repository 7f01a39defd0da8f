//! Files that must not change while they are read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::time::SystemTime;

/// The message about a changed file.
pub const CHANGED: &str = "it changed during reading";

/// The state by which changes of a file are detected: its length, and the time of its last change. Of a stream or a device,
/// nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState(Option<(u64, Option<SystemTime>)>);

impl FileState {
    /// The state of an open file.
    pub fn of(file: &File) -> FileState {
        let metadata = file.metadata().ok().filter(fs::Metadata::is_file);
        FileState(metadata.map(|metadata| (metadata.len(), metadata.modified().ok())))
    }

    /// Whether it is an ordinary file, which can be read at any place.
    pub fn is_file(&self) -> bool {
        self.0.is_some()
    }

    /// How many bytes an ordinary file has.
    pub fn length(&self) -> Option<u64> {
        self.0.map(|(length, _)| length)
    }
}

/// A file that fails at its end if it has changed, so that the last line is not taken for a whole one.
#[derive(Debug)]
pub struct UnchangedFile {
    file: File,
    before: FileState,
}

impl UnchangedFile {
    /// The rest of a file that was in this state when it was opened.
    pub fn new(file: File, before: FileState) -> UnchangedFile {
        UnchangedFile { file, before }
    }
}

impl Read for UnchangedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let has_changed = read == 0 && FileState::of(&self.file) != self.before;
        if has_changed { Err(io::Error::other(CHANGED)) } else { Ok(read) }
    }
}
