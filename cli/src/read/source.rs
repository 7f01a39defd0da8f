//! Where positions come from: files of text, CSV, JSON lines or Parquet, recognised by what they hold.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Once};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, bail};
use arrow_array::RecordBatch;
use arrow_schema::DataType;
use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::records::LONE_CR;
use crate::read::malformed::quoted;

/// The longest line or record that is looked at, in bytes. Of a longer one little more than this is held.
pub const MAX_RECORD: usize = 1 << 20;

/// How much is read at a time, and so about how much text a block has. Blocks are small because several of them and
/// their results, which are up to a hundred times as large, wait for each other.
const READ: usize = 32 << 10;

/// How many rows of Parquet a block has: about as many positions as [`READ`] bytes hold.
const ROWS: u64 = 512;

/// And how many bytes, where rows are long, or blocks of them would fill the memory.
const BATCH: u64 = 2 << 20;

/// The largest window of a zstd frame is 2 to this power, 128 MiB, as `zstd` itself takes without being asked.
const WINDOW_LOG: u32 = 27;

/// One input and how its records are laid out.
#[derive(Debug)]
pub struct Source {
    /// What to call it in messages.
    pub name: String,
    /// Its number among the files, from 0.
    pub index: u64,
    /// How its records are laid out.
    pub layout: Layout,
    /// The names of the columns to keep.
    pub kept: Vec<String>,
}

/// How the records of an input are laid out.
#[derive(Debug, PartialEq, Eq)]
pub enum Layout {
    /// A position a line.
    Fen,
    /// The positions stand in a column.
    Csv {
        /// The name of the column of the positions.
        name: String,
        /// The column of the positions.
        column: usize,
        /// The columns to keep.
        kept: Vec<usize>,
        /// How many columns the header has.
        width: usize,
    },
    /// The positions stand in the field of this name, in any case.
    Json {
        /// The name of the field.
        column: String,
        /// All fields are to be kept, and must not have one of these names.
        all_but: Option<Vec<String>>,
    },
    /// Which of the columns that are read has the positions, and which are to be kept.
    Parquet {
        /// The column of the positions.
        column: usize,
        /// The columns to keep.
        kept: Vec<usize>,
    },
}

/// Some records of an input.
#[derive(Debug)]
pub struct Block {
    /// Whose they are.
    pub source: Arc<Source>,
    /// The number of the first line or row, from 1.
    pub first: u64,
    /// What they are.
    pub records: Records,
}

/// The records of a block.
#[derive(Debug)]
pub enum Records {
    /// Whole lines; whole records, if it is CSV.
    Text(Vec<u8>),
    /// A line of more than [`MAX_RECORD`] bytes, which has been passed over.
    TooLong,
    /// Rows of Parquet.
    Rows(RecordBatch),
}

/// What to look for in the inputs.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The column of the positions.
    pub column: String,
    /// The columns to keep; a single `all` means all.
    pub keep: Vec<String>,
    /// The output can take fields whose names are not known before they come.
    pub any_fields: bool,
    /// The other columns of the output.
    pub taken: Vec<String>,
}

impl Wanted {
    fn keep_all(&self) -> bool {
        self.keep == ["all"]
    }

    /// The place of the column of the positions among `names`.
    fn find(&self, names: &[&str]) -> Option<usize> {
        let exact = names.iter().position(|name| *name == self.column);
        exact.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(&self.column)))
    }

    /// The columns to keep, by place and name.
    fn kept(&self, names: &[&str], input: &str) -> Result<(Vec<usize>, Vec<String>)> {
        let kept: Vec<usize> = if self.keep_all() {
            (0..names.len()).collect()
        } else {
            let place = |name: &String| {
                names.iter().position(|other| other == name).ok_or_else(|| {
                    anyhow!("{input} has no column {} to keep; its columns are {}", quoted(name), names.join(", "))
                })
            };
            self.keep.iter().map(place).collect::<Result<_>>()?
        };
        let kept_names: Vec<String> = kept.iter().map(|&place| names[place].to_owned()).collect();
        self.check_names(&kept_names, input)?;
        Ok((kept, kept_names))
    }

    /// A column of the output has a name of its own.
    fn check_names(&self, names: &[String], input: &str) -> Result<()> {
        for (place, name) in names.iter().enumerate() {
            if self.taken.contains(name) || names[..place].contains(name) {
                bail!("{input}: cannot keep column {}, the output would have two of that name", quoted(name));
            }
        }
        Ok(())
    }

    fn missing(&self, names: &[&str], input: &str) -> anyhow::Error {
        let names = names.join(", ");
        let shown: String = names.chars().take(300).collect();
        anyhow!("{input} has no column {}; its columns are {shown} (--column names another)", quoted(&self.column))
    }
}

/// How far the inputs have been read.
#[derive(Clone, Debug, Default)]
pub struct Consumed(Arc<AtomicU64>);

impl Consumed {
    /// In bytes of the files as they are, compressed or not.
    pub fn bytes(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Counts what is read.
struct Counting<R> {
    inner: R,
    consumed: Consumed,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.consumed.0.fetch_add(read as u64, Relaxed);
        Ok(read)
    }
}

/// The inputs that were asked for.
#[derive(Debug)]
pub struct Inputs {
    files: Vec<PathBuf>,
    /// How many bytes they have, where that is known of all of them.
    pub length: Option<u64>,
    /// A person types one of them.
    pub is_terminal: bool,
    /// How far they have been read.
    pub consumed: Consumed,
}

impl Inputs {
    /// Looks at the files, so that a wrong name is found before hours of work on those before it.
    pub fn new(files: &[PathBuf], sample: &str) -> Result<Inputs> {
        let mut length = Some(0);
        if files.is_empty() {
            length = Some(sample.len() as u64);
        }
        if files.iter().filter(|path| is_stdin(path)).count() > 1 {
            bail!("standard input is there once: only one FILE can be -");
        }
        for path in files {
            if is_stdin(path) {
                length = None;
                continue;
            }
            let name = path.display();
            let metadata = fs::metadata(path).with_context(|| format!("cannot open {name}"))?;
            if metadata.is_dir() {
                bail!("cannot read {name}: it is a directory");
            }
            if metadata.is_file() {
                File::open(path).with_context(|| format!("cannot open {name}"))?;
            }
            length = length.filter(|_| metadata.is_file()).map(|sum| sum + metadata.len());
        }
        let is_terminal = files.iter().any(|path| is_stdin(path)) && io::stdin().is_terminal();
        Ok(Inputs {
            files: files.to_vec(),
            length: length.filter(|&sum| sum > 0),
            is_terminal,
            consumed: Consumed::default(),
        })
    }

    /// What to call them all in messages.
    pub fn name(&self) -> String {
        match self.files.as_slice() {
            [] => SAMPLE.to_owned(),
            [path] if is_stdin(path) => STDIN.to_owned(),
            [path] => path.display().to_string(),
            files => format!("{} files", files.len()),
        }
    }

    /// Hands all blocks to `take`, in order, until it wants no more.
    pub fn read(&self, sample: &'static str, wanted: &Wanted, mut take: impl FnMut(Block) -> bool) -> Result<()> {
        if self.files.is_empty() {
            let mut input = Input::open(SAMPLE, 0, Box::new(self.counting(sample.as_bytes())), wanted)?;
            return input.read(&mut take).map(drop);
        }
        for (index, path) in (0..).zip(&self.files) {
            let more = if is_stdin(path) {
                Input::open(STDIN, index, Box::new(self.counting(io::stdin())), wanted)?.read(&mut take)?
            } else {
                self.read_file(path, index, wanted, &mut take)?
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn read_file(
        &self,
        path: &Path,
        index: u64,
        wanted: &Wanted,
        take: &mut impl FnMut(Block) -> bool,
    ) -> Result<bool> {
        let name = path.display().to_string();
        let mut file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let cannot_read = || format!("cannot read {name}");
        let (watched, before) = (file.try_clone().with_context(cannot_read)?, state(&file));
        let magic = magic(&mut file).with_context(cannot_read)?;
        let more = if magic == *PARQUET && before.is_some() {
            self.read_parquet(&name, file, index, wanted, take)
        } else {
            let bytes = Box::new(self.counting(Cursor::new(magic).chain(Watched { file, before })));
            Input::open(&name, index, bytes, wanted).and_then(|mut input| input.read(take))
        };
        // Whatever was read then, and whatever was wrong with it, is neither what stood there nor what does now.
        if state(&watched) != before {
            bail!("cannot read {name}: {CHANGED}");
        }
        more
    }

    fn counting<R: Read>(&self, inner: R) -> Counting<R> {
        Counting { inner, consumed: self.consumed.clone() }
    }

    /// Reads a Parquet file, only those of its columns that are needed.
    fn read_parquet(
        &self,
        name: &str,
        file: File,
        index: u64,
        wanted: &Wanted,
        take: &mut impl FnMut(Block) -> bool,
    ) -> Result<bool> {
        let cannot_read = || format!("cannot read {name} as Parquet");
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let before = self.consumed.bytes();
        // Without the schema that Arrow left there, text is text, whether it was a dictionary or a view before.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).with_context(cannot_read)?;
        let names: Vec<&str> = builder.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let column = wanted.find(&names).ok_or_else(|| wanted.missing(&names, name))?;
        let (kept, kept_names) = wanted.kept(&names, name)?;
        let kind = builder.schema().field(column).data_type();
        if !matches!(kind, DataType::Utf8 | DataType::Binary) {
            bail!("{name}, column {}: expected text, found {kind}", quoted(names[column]));
        }
        let mut read: Vec<usize> = kept.iter().copied().chain([column]).collect();
        read.sort_unstable();
        read.dedup();
        let place = |column: usize| read.partition_point(|&other| other < column);
        let layout =
            Layout::Parquet { column: place(column), kept: kept.iter().map(|&column| place(column)).collect() };
        let source = Arc::new(Source { name: name.to_owned(), index, layout, kept: kept_names });
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0).max(1);
        let chunks = builder.metadata().row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
        let is_read = |leaf| read.contains(&builder.parquet_schema().get_column_root_idx(leaf));
        let size: u64 =
            chunks.filter(|&(leaf, _)| is_read(leaf)).map(|(_, chunk)| chunk.uncompressed_size().unsigned_abs()).sum();
        let at_once = (BATCH / (size / rows).max(1)).clamp(1, ROWS) as usize;
        let mask = ProjectionMask::roots(builder.parquet_schema(), read.iter().copied());
        let mut reader: ParquetRecordBatchReader =
            builder.with_projection(mask).with_batch_size(at_once).build().with_context(cannot_read)?;
        let mut first = 1;
        while let Some(batch) =
            quietly(|| reader.next()).map_err(|Panicked| anyhow!("it is damaged")).with_context(cannot_read)?
        {
            let batch = batch.with_context(cannot_read)?;
            let next = first + batch.num_rows() as u64;
            if !take(Block { source: source.clone(), first, records: Records::Rows(batch) }) {
                return Ok(false);
            }
            first = next;
            // Which bytes were read is not told, so they are taken to be spread evenly over the rows.
            let share = (first - 1) as f64 / rows as f64;
            self.consumed.0.store(before + (length as f64 * share) as u64, Relaxed);
        }
        Ok(true)
    }
}

/// What was done did not come to its end.
struct Panicked;

/// Does what may panic without a word of it: the readers of some encodings of Parquet do so where lengths are wrong.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                hook(info)
            }
        }));
    });
    QUIET.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked);
    QUIET.set(false);
    done
}

const SAMPLE: &str = "the embedded sample";
const STDIN: &str = "standard input";
const PARQUET: &[u8] = b"PAR1";
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// What cannot be read, and would otherwise be called a malformed position.
const OTHERS: [(&[u8], &str); 6] = [
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zX", "compressed with xz"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

const CHANGED: &str = "it changed while it was read";

/// A file whose end is none if it has changed, so that the last line is not taken for a whole one.
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

/// What tells whether a file has changed: its length, and when it was last written to.
type State = (u64, Option<SystemTime>);

/// Nothing for a stream or a device.
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

/// Takes the compression off, if there is one.
fn decompress(mut bytes: Box<dyn Read>, name: &str) -> Result<Box<dyn Read>> {
    let magic = magic(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    // A skippable frame comes first in what some parallel compressors write.
    let skippable = magic.len() == 4 && magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18];
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP), magic == *ZSTD || skippable);
    if magic == *PARQUET {
        bail!("cannot read {name}: it is Parquet, which is read from its end, so it must be a file, not a stream");
    }
    if let Some((_, what)) = OTHERS.iter().find(|(start, _)| magic.starts_with(start)) {
        bail!("cannot read {name}: it is {what}; plain files are read, and those compressed with gzip or zstd");
    }
    let bytes = Cursor::new(magic).chain(bytes);
    Ok(if is_gzip {
        Box::new(flate2::bufread::MultiGzDecoder::new(io::BufReader::with_capacity(READ, bytes)))
    } else if is_zstd {
        let mut decoder = zstd::Decoder::new(bytes).with_context(|| format!("cannot read {name}"))?;
        decoder.window_log_max(WINDOW_LOG).with_context(|| format!("cannot read {name}"))?;
        Box::new(decoder)
    } else {
        Box::new(bytes)
    })
}

/// An input that is text.
struct Input {
    source: Arc<Source>,
    bytes: Box<dyn Read>,
    /// What has been read and not yet been handed over.
    text: Vec<u8>,
    /// The number of the line that `text` begins with.
    line: u64,
}

impl Input {
    /// Finds out what `bytes` are.
    fn open(name: &str, index: u64, bytes: Box<dyn Read>, wanted: &Wanted) -> Result<Input> {
        let bytes = decompress(bytes, name)?;
        let source = Source { name: name.to_owned(), index, layout: Layout::Fen, kept: Vec::new() };
        let mut input = Input { source: Arc::new(source), bytes, text: Vec::new(), line: 1 };
        let start = input.find_first_line()?;
        if input.text.starts_with(PARQUET) {
            bail!("cannot read {name}: it is Parquet inside another compression; take that off first");
        }
        let end = memchr(b'\n', &input.text[start..]).map_or(input.text.len(), |end| start + end);
        let line = input.text[start..end].trim_ascii();
        if line.starts_with(b"[") {
            bail!("cannot read {name}: it is PGN or an array of JSON; FEN, EPD, CSV, JSON lines and Parquet are read");
        }
        let (layout, kept) = if line.starts_with(b"{") {
            if wanted.keep_all() && !wanted.any_fields {
                bail!("{name}: JSON lines have no fixed columns: name those to keep, or write JSON lines");
            }
            let kept = if wanted.keep_all() { Vec::new() } else { wanted.keep.clone() };
            wanted.check_names(&kept, name)?;
            let all_but = wanted.keep_all().then(|| wanted.taken.clone());
            (Layout::Json { column: wanted.column.clone(), all_but }, kept)
        } else if let Some((layout, kept)) = header(line, name, wanted)? {
            let passed = (end + 1).min(input.text.len());
            if memchr(b'\r', line).is_some() {
                let above = memchr_iter(b'\n', &input.text[..start]).count() as u64;
                bail!("{name}, line {}, {LONE_CR}", input.line + above);
            }
            input.line += memchr_iter(b'\n', &input.text[..passed]).count() as u64;
            input.text.drain(..passed);
            (layout, kept)
        } else {
            let (_, kept) = wanted.kept(&["fen"], name)?;
            (Layout::Fen, kept)
        };
        input.source = Arc::new(Source { name: name.to_owned(), index, layout, kept });
        Ok(input)
    }

    /// Reads up to the end of the first line that is neither blank nor a comment, takes off a byte order mark, and tells
    /// where that line begins.
    fn find_first_line(&mut self) -> Result<usize> {
        let mut start = 0;
        let mut more = true;
        while more && self.text.len() <= MAX_RECORD {
            more = self.fill()?;
            if start == 0 && self.text.starts_with(b"\xef\xbb\xbf") {
                self.text.drain(..3);
            }
            while let Some(length) = memchr(b'\n', &self.text[start..]) {
                if !matches!(self.text[start..start + length].trim_ascii_start().first(), None | Some(b'#')) {
                    return Ok(start);
                }
                start += length + 1;
            }
        }
        Ok(start)
    }

    /// Reads some more; nothing is left if it says no.
    fn fill(&mut self) -> Result<bool> {
        let length = self.text.len();
        self.text.resize(length + READ, 0);
        let read = loop {
            match self.bytes.read(&mut self.text[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.with_context(|| format!("cannot read {}", self.source.name))?,
            }
        };
        self.text.truncate(length + read);
        Ok(read > 0)
    }

    /// Hands over everything, in blocks of about what one read brings, so that results do not wait for input that is not
    /// there yet. False if `take` wanted no more.
    fn read(&mut self, take: &mut impl FnMut(Block) -> bool) -> Result<bool> {
        let mut ends = Ends { csv: matches!(self.source.layout, Layout::Csv { .. }), ..Ends::default() };
        let mut more = true;
        while more || !self.text.is_empty() {
            let mut end = ends.last(&self.text);
            if end.is_none() && !more {
                end = Some(self.text.len());
            }
            if let Some(end) = end {
                let rest = self.text[end..].to_vec();
                self.text.truncate(end);
                let text = std::mem::replace(&mut self.text, rest);
                // Between records nothing is quoted.
                ends = Ends { csv: ends.csv, ..Ends::default() };
                let lines = memchr_iter(b'\n', &text).count() as u64;
                if !self.hand_over(Records::Text(text), take) {
                    return Ok(false);
                }
                self.line += lines;
                ends.last(&self.text);
            } else if self.text.len() > MAX_RECORD {
                if ends.csv {
                    let (name, line) = (&self.source.name, self.line);
                    bail!("{name}, line {line}: a record longer than {MAX_RECORD} bytes: is a quotation mark missing?");
                }
                more = self.pass_over_line()?;
                ends.scanned = 0;
                if !self.hand_over(Records::TooLong, take) {
                    return Ok(false);
                }
                self.line += 1;
                continue;
            }
            more = more && self.fill()?;
        }
        Ok(true)
    }

    fn hand_over(&self, records: Records, take: &mut impl FnMut(Block) -> bool) -> bool {
        take(Block { source: self.source.clone(), first: self.line, records })
    }

    /// Reads on to the end of the line; false at the end of the input.
    fn pass_over_line(&mut self) -> Result<bool> {
        loop {
            self.text.clear();
            if !self.fill()? {
                return Ok(false);
            }
            if let Some(end) = memchr(b'\n', &self.text) {
                self.text.drain(..=end);
                return Ok(true);
            }
        }
    }
}

/// Where the records end in text that grows.
#[derive(Default)]
struct Ends {
    /// Line ends within quotation marks end no record.
    csv: bool,
    quoted: bool,
    /// The place behind the last quotation mark that ended a quotation.
    closed: usize,
    /// So much of the text has been looked at.
    scanned: usize,
}

impl Ends {
    /// The end of the last whole record in what has not been looked at.
    fn last(&mut self, text: &[u8]) -> Option<usize> {
        let (from, new) = (self.scanned, &text[self.scanned..]);
        self.scanned = text.len();
        if !self.csv {
            return memrchr(b'\n', new).map(|end| from + end + 1);
        }
        let mut last = None;
        for at in memchr2_iter(b'"', b'\n', new).map(|at| from + at) {
            match (text[at], self.quoted) {
                (b'"', true) => (self.quoted, self.closed) = (false, at + 1),
                // Where no field begins, it is a character like any other; but two of them are one of a quotation.
                (b'"', false) => {
                    let begins = at == 0 || matches!(text[at - 1], b',' | b'\n' | b'\r');
                    self.quoted = begins || at == self.closed;
                }
                (_, true) => {}
                (_, false) => last = Some(at + 1),
            }
        }
        last
    }
}

/// The layout of CSV with this header; nothing if it is none.
fn header(line: &[u8], name: &str, wanted: &Wanted) -> Result<Option<(Layout, Vec<String>)>> {
    let mut record = csv::StringRecord::new();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    if !reader.read_record(&mut record).unwrap_or(false) {
        return Ok(None);
    }
    let names: Vec<&str> = record.iter().map(str::trim).collect();
    let Some(column) = wanted.find(&names) else {
        // Comments of EPD can hold commas, its board always has slashes.
        let is_header = names.len() > 1 && !line.contains(&b'/');
        return if is_header { Err(wanted.missing(&names, name)) } else { Ok(None) };
    };
    let (kept, kept_names) = wanted.kept(&names, name)?;
    let layout = Layout::Csv { name: names[column].to_owned(), column, kept, width: names.len() };
    Ok(Some((layout, kept_names)))
}
