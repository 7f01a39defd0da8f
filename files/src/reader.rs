//! Reading of an input, as a file or as bytes.

use std::fmt;
#[cfg(feature = "parquet")]
use std::io::Write;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::mem;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::compression;
#[cfg(feature = "parquet")]
use crate::compression::PARQUET;
use crate::counter::{ByteCounter, CountedRead};
use crate::file::InputFile;
use crate::input::{Input, InputPlace, Stream};
use crate::ordered::Pool;
use crate::text::{PlainFile, Text};
use crate::unchanged::{FileState, UnchangedFile};

/// How many bytes a file has at least that several threads decompress: a shorter one would only wait for them.
const LEAST_SHARED: u64 = 2 << 20;

/// Reads one input: as a file, or else as bytes, decompressed.
pub struct InputReader<'a> {
    /// The input.
    pub input: &'a Input,
    /// The counter of read bytes.
    pub counter: &'a ByteCounter,
    /// Threads that may decompress.
    pub pool: Option<Arc<Pool>>,
    /// Advice for zstd windows that are too large.
    pub long_window: &'static str,
    unread: UnreadBytes,
}

/// The input before decompression.
enum UnreadBytes {
    /// A file; only its first four bytes have been read.
    File(InputFile, FileState, Vec<u8>),
    /// Parquet of the caller, which is read where it is.
    #[cfg(feature = "parquet")]
    Parquet(InputFile),
    Stream(Box<dyn Read>),
    Sample(&'static str),
    Nothing,
}

impl<'a> InputReader<'a> {
    /// A file that has been opened, and was in this state then.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn file(
        input: &'a Input,
        counter: &'a ByteCounter,
        mut file: InputFile,
        state: FileState,
    ) -> Result<InputReader<'a>> {
        let cannot_read = || format!("cannot read {}", input.display_name());
        if let Some(part) = &input.part {
            file.set_end(part.end);
        }
        if let Some(part) = input.part.as_ref().filter(|_| !input.has_header_before) {
            file.seek(SeekFrom::Start(part.start)).with_context(cannot_read)?;
        }
        let magic = compression::magic(&mut file).with_context(cannot_read)?;
        let unread = UnreadBytes::File(file, state, magic);
        Ok(InputReader { input, counter, pool: None, long_window: "", unread })
    }

    /// Standard input, a stream of the caller or the sample.
    ///
    /// # Errors
    ///
    /// A stream of the caller cannot be read, or has been read before.
    pub fn stream(input: &'a Input, counter: &'a ByteCounter) -> Result<InputReader<'a>> {
        let unread = match &input.place {
            InputPlace::Sample(sample) => UnreadBytes::Sample(sample),
            InputPlace::Stream(stream) => {
                let cannot_read = || format!("cannot read {}", input.display_name());
                let bytes = stream.take().with_context(|| format!("{}: stream already consumed", cannot_read()))?;
                begun(stream, counter.count(bytes), counter).with_context(cannot_read)?
            }
            _ => UnreadBytes::Stream(Box::new(counter.count(io::stdin()))),
        };
        Ok(InputReader { input, counter, pool: None, long_window: "", unread })
    }

    /// Takes the file, if it can be read at any place and begins with these four bytes. Then it has no text.
    pub fn take_file(&mut self, magic: &[u8]) -> Option<InputFile> {
        let is_it = matches!(&self.unread, UnreadBytes::File(_, state, first) if state.is_file() && first == magic);
        match mem::replace(&mut self.unread, UnreadBytes::Nothing) {
            UnreadBytes::File(file, ..) if is_it => Some(file),
            #[cfg(feature = "parquet")]
            UnreadBytes::Parquet(file) => Some(file),
            unread => {
                self.unread = unread;
                None
            }
        }
    }

    /// Takes the bytes, decompressed, and says what they are if they are no text that can be read.
    ///
    /// # Errors
    ///
    /// They cannot be read, or are Parquet.
    pub fn text(self) -> Result<(Text, Option<&'static str>)> {
        let (mut pool, mut plain, name) = (None, None, self.input.display_name());
        let bytes: Box<dyn Read> = match self.unread {
            UnreadBytes::File(file, state, magic) => {
                // The rows of a stream must not wait for bytes that have not arrived yet.
                pool = self.pool.filter(|_| state.length().is_some_and(|length| length >= LEAST_SHARED));
                let own = self.input.part.as_ref().filter(|_| !self.input.has_header_before);
                let length = own.map_or(u64::MAX, |part| part.end - part.start);
                if let Some(end) = state.length() {
                    let part = self.input.part.clone().unwrap_or(0..end);
                    let file = file.try_clone().with_context(|| format!("cannot read {name}"))?;
                    plain = Some(PlainFile { file, state, part });
                }
                let bytes = Cursor::new(magic).chain(UnchangedFile::new(file, state)).take(length);
                Box::new(self.counter.count(bytes))
            }
            UnreadBytes::Stream(bytes) => bytes,
            UnreadBytes::Sample(text) => {
                return Ok((Text::new(self.input.display_name(), Box::new(self.counter.count(text.as_bytes()))), None));
            }
            #[cfg(feature = "parquet")]
            UnreadBytes::Parquet(_) => Box::new(io::empty()),
            UnreadBytes::Nothing => Box::new(io::empty()),
        };
        let decompressed = compression::decompress(bytes, &name, self.long_window, pool)?;
        let mut text = Text::new(name, decompressed.bytes);
        if plain.is_some() {
            text.set_file(plain.filter(|_| !decompressed.is_compressed));
        }
        Ok((text, decompressed.other))
    }
}

/// A stream of the caller. Parquet is read from its end: where it is, if that is possible, or else all of it goes into a file first,
/// which has no name.
#[cfg_attr(not(feature = "parquet"), allow(unused_variables, reason = "they are for Parquet"))]
fn begun(stream: &Stream, mut bytes: CountedRead<Box<dyn Read + Send>>, counter: &ByteCounter) -> Result<UnreadBytes> {
    let magic = compression::magic(&mut bytes)?;
    #[cfg(feature = "parquet")]
    if magic == PARQUET {
        if let Some(file) = stream.places().map(InputFile::of_caller).transpose()?.flatten() {
            counter.take_back(magic.len() as u64);
            return Ok(UnreadBytes::Parquet(file));
        }
        let copy = |mut bytes: CountedRead<_>| -> io::Result<InputFile> {
            let mut file = tempfile::tempfile()?;
            file.write_all(&magic)?;
            io::copy(&mut bytes, &mut file)?;
            file.seek(SeekFrom::Start(magic.len() as u64))?;
            Ok(file.into())
        };
        let file = copy(bytes).context("cannot copy it to a temporary file")?;
        let state = FileState::of(&file);
        return Ok(UnreadBytes::File(file, state, magic));
    }
    Ok(UnreadBytes::Stream(Box::new(Cursor::new(magic).chain(bytes))))
}

impl fmt::Debug for InputReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("input", self.input).finish_non_exhaustive()
    }
}
