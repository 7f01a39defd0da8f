//! Opening and reading of an input.

use std::ffi::OsStr;
use std::io::Read;
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Error, Result, anyhow, bail};
use slider_attacks_formats::Beginning;
use slider_attacks_formats::Source;
use slider_attacks_formats::content::BlockStart;
use slider_attacks_formats::cut::{Cut, Cutter, READ};
use slider_attacks_formats::error::OpenError;
use slider_attacks_formats::format::{self, FORMATS};
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::source::{CutMethod, FormatEntry, OpenedSource};

use crate::advice::Advice;
use crate::block::{Block, Origin};
use crate::compression::{self, PARQUET};
use crate::counter::ByteCounter;
use crate::file::InputFile;
use crate::input::{Input, InputPlace, cannot, extension, file_name, is_remote};
use crate::ordered::Pool;
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::reader::InputReader;
use crate::text::Text;
use crate::unchanged::{CHANGED, FileState};
use crate::unit_places::next_chunk;

/// Takes the blocks of inputs, and breaks if no more are needed.
pub type TakeBlock<'a> = &'a mut dyn FnMut(Block) -> Result<ControlFlow<()>>;

/// How the names of files of Parquet end.
const PARQUET_EXTENSIONS: [&str; 1] = ["parquet"];

/// The error for Parquet without the feature.
pub const WITHOUT_PARQUET: &str = "this command was built without Parquet: build it with `--features parquet`";

#[cfg(not(feature = "parquet"))]
mod parquet {
    //! What stands in the table where Parquet cannot be read.

    use anyhow::{Result, bail};

    use slider_attacks_formats::Source;

    use super::{InputReader, PARQUET, WITHOUT_PARQUET, Wanted};
    use crate::text::OwnBlocks;

    pub fn open(reader: &mut InputReader<'_>, _: &Wanted) -> Result<Option<(Box<dyn Source>, OwnBlocks)>> {
        match reader.take_file(PARQUET) {
            Some(_) => bail!("cannot read {}: {WITHOUT_PARQUET}", reader.input.display_name()),
            None => Ok(None),
        }
    }
}

fn is_named_parquet(path: &Path) -> bool {
    let extension = file_name(path).and_then(extension);
    extension.is_some_and(|extension| PARQUET_EXTENSIONS.contains(&&*extension))
}

/// The extensions that some format has.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.extensions).copied().chain(PARQUET_EXTENSIONS)
}

/// Whether a file of this name is one that a directory gives: some format has its extension, before `.gz` or `.zst`.
pub fn has_known_extension(name: &OsStr) -> bool {
    extension(name).is_some_and(|extension| extensions().any(|known| known == extension))
}

/// Reads an input, and passes its blocks to `take`, in order. There is at least one, even if it is empty. The threads of the pool may
/// decompress it. With `loads_later`, whoever takes the blocks fetches and cuts them: they must begin to [load](Block::load) in their
/// order. Returns whether `take` needs more.
///
/// # Errors
///
/// The input cannot be read, or changes meanwhile; it lacks what is wanted of it; or `take` fails. Messages name the input.
pub fn read(
    input: &Input,
    counter: &ByteCounter,
    wanted: &Wanted,
    advice: &Advice,
    pool: Option<&Arc<Pool>>,
    loads_later: bool,
    take: TakeBlock<'_>,
) -> Result<ControlFlow<()>> {
    let mut flow = Continue(());
    let take = &mut |block| {
        flow = take(block)?;
        Ok(flow)
    };
    let InputPlace::File(path) = &input.place else {
        read_with(FORMATS, InputReader::stream(input, counter)?, wanted, advice, (pool, loads_later), take)?;
        return Ok(flow);
    };
    let cannot_read = || cannot("read", path);
    let file = InputFile::open(path).with_context(|| cannot("open", path))?;
    let (watched, before) = (file.try_clone().with_context(cannot_read)?, FileState::of(&file));
    let mut reader = InputReader::file(input, counter, file, before)?;
    reader.pool = pool.cloned();
    let done = read_with(FORMATS, reader, wanted, advice, (pool, loads_later), take);
    // If it has changed, what was read is neither the old content nor the new, and neither are its errors.
    if FileState::of(&watched) != before {
        bail!("{}: {CHANGED}", cannot_read());
    }
    done.map(|()| flow)
}

/// Finds which of these formats an input has, unless it is Parquet, and reads it. With `loads_later`, blocks are fetched and cut by who
/// takes them.
fn read_with(
    formats: &[FormatEntry],
    mut reader: InputReader<'_>,
    wanted: &Wanted,
    advice: &Advice,
    (pool, loads_later): (Option<&Arc<Pool>>, bool),
    take: TakeBlock<'_>,
) -> Result<()> {
    let (input, counter) = (reader.input, reader.counter);
    let opened = |error: OpenError| anyhow!(advice.message(&error));
    let origin = |source| Arc::new(Origin { input: input.clone(), source, skip: advice.skip });
    if let Some((source, blocks)) = parquet::open(&mut reader, wanted).map_err(|error| with_advice(error, advice))? {
        format::check("Parquet", &*source, &input.name(), wanted).map_err(opened)?;
        let origin = origin(source);
        return blocks(counter, &mut |start, content| take(Block::new(origin.clone(), start, content)));
    }
    reader.long_window = advice.long_window;
    let (mut text, found) = find(formats, reader, wanted)?;
    let (_, opened) = found.map_err(opened)?;
    if input.has_header_before {
        text.jump_to_part(counter);
    }
    let origin = origin(opened.source);
    let sink = &mut |start, content| take(Block::new(origin.clone(), start, content));
    match opened.blocks {
        CutMethod::Cut(cut) => {
            let size = origin.source.block_bytes(wanted.block_bytes.unwrap_or(READ));
            if let Some(part) = input.part.as_ref().filter(|part| part.start > 0 && !wanted.counts_from_part) {
                text.begin_at(start_of(input, part.start, &*cut, &*origin.source)?);
            }
            let cutter = Cutter::new(cut, origin.source.counts());
            if loads_later {
                text.chunks(cutter, size, counter, &mut |chunk| take(Block::of_chunk(origin.clone(), chunk))).map(drop)
            } else {
                text.blocks(cutter, size, counter, sink).map(drop)
            }
        }
        CutMethod::Chunks(chunks) => {
            let before = if wanted.counts_from_part { 0 } else { chunks_before(input)? };
            let sink =
                &mut |start: BlockStart, content| sink(BlockStart { number: start.number + before, ..start }, content);
            let chunks = match wanted.chain {
                Some(place) => {
                    text.pass_to(place.byte, counter)?;
                    chunks.at_chain(place)
                }
                None => *chunks,
            };
            text.read_chunks(chunks, pool.map(|pool| &**pool), sink)
        }
    }
}

/// The format of an input, by name, and its source; or why it has none.
type FoundFormat = Result<(&'static str, OpenedSource), OpenError>;

/// Finds which of these formats an input has that is not Parquet: its name, and its source. The text goes on after what is passed over.
///
/// # Errors
///
/// The input cannot be read.
fn find(formats: &[FormatEntry], reader: InputReader<'_>, wanted: &Wanted) -> Result<(Text, FoundFormat)> {
    let mut beginning = Beginning::new(reader.input.name(), reader.input.extension());
    let (mut text, other) = reader.text()?;
    beginning.set_other(other);
    let found = loop {
        match format::find(formats, &mut beginning, wanted) {
            Err(OpenError::MoreBytes { least }) => text.push_to(&mut beginning, least)?,
            found => break found,
        }
    };
    if let Ok((_, opened)) = &found {
        text.go_on(beginning, opened.passed);
    }
    Ok((text, found))
}

/// How the rows of a table are cut that is an ordinary file and not compressed, and where they begin: those of CSV and JSON lines.
///
/// # Errors
///
/// The file cannot be read. Any other problem, such as a missing column, is reported when the file is read.
pub(crate) fn table_rows(input: &Input, file: InputFile, column: &str) -> Result<Option<(Cutter, u64)>> {
    const TABLES: [&str; 2] = ["CSV", "JSON lines"];
    let wanted = &Wanted { column: column.to_owned(), ..Wanted::default() };
    cutter_of(input, file, wanted, |name| TABLES.contains(&name))
}

/// How the units are cut of any ordinary file that is not compressed, and where they begin. Those of Parquet are not.
///
/// # Errors
///
/// The file cannot be read. Any other problem, such as a missing column, is reported when the file is read.
pub(crate) fn unit_cutter(input: &Input, file: InputFile, wanted: &Wanted) -> Result<Option<(Cutter, u64)>> {
    cutter_of(input, file, wanted, |_| true)
}

fn cutter_of(
    input: &Input,
    file: InputFile,
    wanted: &Wanted,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<(Cutter, u64)>> {
    let (state, counter) = (FileState::of(&file), ByteCounter::default());
    let (text, found) = find(FORMATS, InputReader::file(input, &counter, file, state)?, wanted)?;
    let (Some(place), Ok((name, opened))) = (text.place_in_file(), found) else { return Ok(None) };
    Ok(match opened.blocks {
        CutMethod::Cut(cut) if is_wanted(name) => Some((Cutter::new(cut, opened.source.counts()), place)),
        _ => None,
    })
}

/// The message of an error, with advice if the input cannot be opened because of what it holds.
fn with_advice(error: Error, advice: &Advice) -> Error {
    match error.downcast::<OpenError>() {
        Ok(error) => anyhow!(advice.message(&error)),
        Err(error) => error,
    }
}

/// Where a part of a file begins that begins with this byte: games and lines before it are counted.
fn start_of(input: &Input, at: u64, cut: &dyn Cut, source: &dyn Source) -> Result<BlockStart> {
    const SIZE: usize = 1 << 20;
    if let Some(unit) = cut.unit_bytes() {
        return Ok((at / unit + 1).into());
    }
    let Some(path) = input.path() else { return Ok(1.into()) };
    let file = InputFile::open(path).with_context(|| cannot("open", path))?;
    let mut before = Text::new(input.display_name(), Box::new(file.take(at)));
    let mut beginning = Beginning::default();
    while !beginning.has_first_line() {
        let more = beginning.len() + 1;
        before.push_to(&mut beginning, more)?;
        beginning.shorten();
    }
    let mark = beginning.mark();
    before.go_on(beginning, mark);
    let cutter = Cutter::new(cut.again(), source.counts());
    before.blocks(cutter, SIZE, &ByteCounter::default(), &mut |_, _| Ok(Continue(())))
}

/// How many chunks of a binpack are before the part that is read.
fn chunks_before(input: &Input) -> Result<u64> {
    let (Some(path), Some(part)) = (input.path(), &input.part) else { return Ok(0) };
    let mut file = InputFile::open(path).with_context(|| cannot("open", path))?;
    let (_, before) = next_chunk(&mut file, part.start).with_context(|| cannot("read", path))?;
    Ok(before)
}

/// The number of rows and of bytes of each row group of a Parquet file. Other files have none.
///
/// # Errors
///
/// The file cannot be read.
pub fn row_groups(path: &Path) -> Result<Vec<(u64, u64)>> {
    // A URL tells it by its name: to open each of thousands takes longer.
    if is_remote(path) && !is_named_parquet(path) {
        return Ok(Vec::new());
    }
    let mut file = InputFile::open(path).with_context(|| cannot("open", path))?;
    if compression::magic(&mut file).with_context(|| cannot("read", path))? != *PARQUET {
        return Ok(Vec::new());
    }
    #[cfg(feature = "parquet")]
    return parquet::row_groups(path, file);
    #[cfg(not(feature = "parquet"))]
    bail!("{}: {WITHOUT_PARQUET}", cannot("read", path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_as_the_table_says() {
        for name in ["a.fen", "b.EPD.gz", "c.tsv", "d.parquet", "e.ndjson.zst"] {
            assert!(has_known_extension(OsStr::new(name)), "{name}");
        }
        for name in ["a", "fen", "a.fen.bz2", "a.gz", "a.pairs"] {
            assert!(!has_known_extension(OsStr::new(name)), "{name}");
        }
    }
}
