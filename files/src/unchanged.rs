//! Files that must not change while they are read.

use std::fs;
use std::io::{self, Read};
use std::time::SystemTime;

use crate::file::InputFile;
pub use crate::input::CHANGED;

/// The state by which changes of a file are detected: its length, and the time of its last change. Of a stream or a device,
/// nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState(Option<(u64, Option<SystemTime>)>);

impl FileState {
    /// The state of an open file.
    pub fn of(file: &InputFile) -> FileState {
        match file {
            InputFile::Local(file) => {
                let metadata = file.metadata().ok().filter(fs::Metadata::is_file);
                FileState(metadata.map(|metadata| (metadata.len(), metadata.modified().ok())))
            }
            // Of another object, no byte is read.
            InputFile::Remote(file) => FileState(file.state()),
            InputFile::Caller(file) => FileState(Some((file.length(), None))),
        }
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
    file: InputFile,
    before: FileState,
}

impl UnchangedFile {
    /// The rest of a file that was in this state when it was opened.
    pub fn new(file: InputFile, before: FileState) -> UnchangedFile {
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
