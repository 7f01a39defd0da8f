//! Where records come from: files, standard input or a sample, compressed or not. The content decides the format.

use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;

use super::block::{Take, Wanted};
use super::malformed::printable;
use super::text::{Input, PARQUET, READ};
use crate::progress::hidden;

/// The largest window of a zstd frame is 2 to this power, 128 MiB: the largest that `zstd` itself accepts by default.
const WINDOW_LOG: u32 = 27;

/// A file to read, or a part of it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The path; `-` is standard input.
    pub path: PathBuf,
    /// Its number among the files, from 0.
    pub index: u64,
    /// The row groups of Parquet to read; `None` is the whole file.
    pub groups: Option<Range<usize>>,
}

/// The requested inputs.
#[derive(Debug)]
pub struct Inputs {
    files: Vec<Part>,
    /// What is read if there are no files.
    sample: &'static str,
    /// Whether one of them is a terminal.
    pub is_terminal: bool,
    /// How far they have been read, in bytes of the files as they are, compressed or not. It has a length if every file has.
    pub bar: ProgressBar,
}

impl Inputs {
    /// Checks that all files can be opened, so that a wrong name is found before hours of work on the files before it.
    pub fn new(files: &[PathBuf], sample: &'static str) -> Result<Inputs> {
        let whole = |(index, path): (u64, &PathBuf)| Part { path: path.clone(), index, groups: None };
        Inputs::parts((0..).zip(files).map(whole).collect(), sample)
    }

    /// The same for parts of files.
    pub fn parts(files: Vec<Part>, sample: &'static str) -> Result<Inputs> {
        let paths = || files.iter().map(|part| part.path.as_path());
        let mut length = Some(if files.is_empty() { sample.len() as u64 } else { 0 });
        if paths().filter(|path| is_stdin(path)).count() > 1 {
            bail!("standard input can be read only once: only one FILE can be -");
        }
        for path in paths() {
            if is_stdin(path) {
                length = None;
                continue;
            }
            let metadata = fs::metadata(path).with_context(|| cannot("open", path))?;
            if metadata.is_dir() {
                bail!("{}: it is a directory", cannot("read", path));
            }
            if metadata.is_file() {
                File::open(path).with_context(|| cannot("open", path))?;
            }
            length = length.filter(|_| metadata.is_file()).map(|sum| sum + metadata.len());
        }
        let is_terminal = paths().any(is_stdin) && io::stdin().is_terminal();
        let length = length.filter(|&sum| sum > 0);
        Ok(Inputs { files, sample, is_terminal, bar: hidden(length) })
    }

    /// The name of the inputs in messages.
    pub fn name(&self) -> String {
        match self.files.as_slice() {
            [] => SAMPLE.to_owned(),
            [part] if is_stdin(&part.path) => STDIN.to_owned(),
            [part] => printable(&part.path.display().to_string()),
            files => format!("{} files", files.len()),
        }
    }

    /// How many there are; the sample is one.
    pub fn count(&self) -> usize {
        self.files.len().max(1)
    }

    /// Passes all blocks to `take`, in order. Every input has at least one block, even if it is empty.
    pub fn read(&self, wanted: &Wanted, take: Take<'_>) -> Result<()> {
        (0..self.count()).try_for_each(|place| self.read_one(place, wanted, take))
    }

    /// The same for one of the inputs.
    pub fn read_one(&self, place: usize, wanted: &Wanted, take: Take<'_>) -> Result<()> {
        let Some(part) = self.files.get(place) else {
            return Input::open(SAMPLE, 0, Box::new(self.bar.wrap_read(self.sample.as_bytes())), wanted)?.read(take);
        };
        if is_stdin(&part.path) {
            let bytes = decompress(Box::new(self.bar.wrap_read(io::stdin())), STDIN)?;
            Input::open(STDIN, part.index, bytes, wanted)?.read(take)
        } else {
            self.read_file(part, wanted, take)
        }
    }

    fn read_file(&self, part: &Part, wanted: &Wanted, take: Take<'_>) -> Result<()> {
        let (path, index) = (part.path.as_path(), part.index);
        let name = path.display().to_string();
        let cannot_read = || cannot("read", path);
        let mut file = File::open(path).with_context(|| cannot("open", path))?;
        let (watched, before) = (file.try_clone().with_context(cannot_read)?, state(&file));
        let magic = magic(&mut file).with_context(cannot_read)?;
        let done = if magic == *PARQUET && before.is_some() {
            read_parquet(part, file, wanted, &self.bar, take)
        } else {
            let bytes = Box::new(self.bar.wrap_read(Cursor::new(magic).chain(Watched { file, before })));
            let input = decompress(bytes, &name).and_then(|bytes| Input::open(&name, index, bytes, wanted));
            input.and_then(|mut input| input.read(take))
        };
        // If it has changed, what was read is neither the old content nor the new, and neither are its errors.
        if state(&watched) != before {
            bail!("{}: {CHANGED}", cannot_read());
        }
        done
    }
}

#[cfg(feature = "parquet")]
use super::parquet::read as read_parquet;

#[cfg(not(feature = "parquet"))]
fn read_parquet(part: &Part, _: File, _: &Wanted, _: &ProgressBar, _: Take<'_>) -> Result<()> {
    bail!("{}: {}", cannot("read", &part.path), crate::args::WITHOUT_PARQUET);
}

/// The number of rows and of bytes of each row group of a Parquet file. Other files have none.
pub fn row_groups(path: &Path) -> Result<Vec<(u64, u64)>> {
    let mut file = File::open(path).with_context(|| cannot("open", path))?;
    if magic(&mut file).with_context(|| cannot("read", path))? != *PARQUET {
        return Ok(Vec::new());
    }
    #[cfg(feature = "parquet")]
    return super::parquet::row_groups(path, file);
    #[cfg(not(feature = "parquet"))]
    bail!("{}: {}", cannot("read", path), crate::args::WITHOUT_PARQUET);
}

const SAMPLE: &str = "the embedded sample";
const STDIN: &str = "standard input";
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// Formats that cannot be read, and would otherwise be reported as malformed positions.
const OTHERS: [(&[u8], &str); 6] = [
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zX", "compressed with xz"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// Whether this names standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The message for a file that cannot be opened or read.
pub fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", printable(&path.display().to_string()))
}

const CHANGED: &str = "it changed while it was read";

/// A file that fails at its end if it has changed, so that the last line is not taken for a whole one.
struct Watched {
    file: File,
    before: Option<State>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if read == 0 && state(&self.file) != self.before { Err(io::Error::other(CHANGED)) } else { Ok(read) }
    }
}

/// What shows whether a file has changed: its length, and the time of its last change.
type State = (u64, Option<SystemTime>);

/// The state of a file; `None` for a stream or a device.
fn state(file: &File) -> Option<State> {
    let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// The first four bytes, or as many as there are.
fn magic(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut magic = Vec::new();
    input.take(4).read_to_end(&mut magic)?;
    Ok(magic)
}

/// Decompresses the bytes, if they are compressed.
fn decompress(mut bytes: Box<dyn Read>, name: &str) -> Result<Box<dyn Read>> {
    let cannot_read = || cannot("read", Path::new(name));
    let magic = magic(&mut bytes).with_context(cannot_read)?;
    // Some parallel compressors begin with a skippable frame.
    let skippable = magic.len() == 4 && magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18];
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP), magic == *ZSTD || skippable);
    if magic == *PARQUET {
        bail!("{}: it is Parquet, which must be a file, not a stream, because it is read from its end", cannot_read());
    }
    if let Some((_, what)) = OTHERS.iter().find(|(start, _)| magic.starts_with(start)) {
        bail!("{}: it is {what}; only plain files and those compressed with gzip or zstd can be read", cannot_read());
    }
    let bytes = Cursor::new(magic).chain(bytes);
    Ok(if is_gzip {
        Box::new(flate2::bufread::MultiGzDecoder::new(io::BufReader::with_capacity(READ, bytes)))
    } else if is_zstd {
        let mut decoder = zstd::Decoder::new(bytes).with_context(cannot_read)?;
        decoder.window_log_max(WINDOW_LOG).with_context(cannot_read)?;
        Box::new(decoder)
    } else {
        Box::new(bytes)
    })
}
