//! The table of sources, and how an input is opened and read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::block::{Block, Origin, Take};
use crate::compression::{self, PARQUET};
use crate::content::Start;
use crate::counter::ByteCounter;
use crate::cutter::{Cut, Cutter};
use crate::games::Games;
use crate::input::{Input, Place, cannot, extension};
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::reader::Reader;
use crate::source::{Blocks, Format, Open, Opened, Source};
use crate::text::{READ, Text};
use crate::training::Format::{Binpack, Bulletformat, Marlinformat, Viriformat};
use crate::unchanged::{CHANGED, FileState};
use crate::wanted::Wanted;
use crate::{csv, fen, json, pairs, pgn, training};

/// All sources. They are tried from the last to the first, which takes any text.
pub const SOURCES: &[Format] = &[
    Format { name: "FEN or EPD", extensions: &["fen", "epd"], open: fen::open },
    Format { name: "CSV", extensions: &["csv", "tsv"], open: csv::open },
    Format { name: "JSON lines", extensions: &["jsonl", "ndjson"], open: json::open },
    Format { name: "pairs", extensions: &[], open: pairs::open },
    Format { name: "PGN", extensions: &["pgn"], open: pgn::open },
    records(Bulletformat, |reader, wanted| training::open(Bulletformat, reader, wanted)),
    records(Marlinformat, |reader, wanted| training::open(Marlinformat, reader, wanted)),
    records(Viriformat, |reader, wanted| training::open(Viriformat, reader, wanted)),
    records(Binpack, |reader, wanted| training::open(Binpack, reader, wanted)),
    Format { name: "Parquet", extensions: &["parquet"], open: parquet::open },
];

/// Records of engines in a format.
const fn records(format: training::Format, open: Open) -> Format {
    Format { name: format.name(), extensions: training::extensions(format), open }
}

/// What to say of Parquet where the feature is off.
pub const WITHOUT_PARQUET: &str = "this command was built without Parquet: build it with `--features parquet`";

#[cfg(not(feature = "parquet"))]
mod parquet {
    //! What stands in the table where Parquet cannot be read.

    use anyhow::{Result, bail};

    use super::{Opened, PARQUET, Reader, WITHOUT_PARQUET, Wanted};

    pub fn open(reader: &mut Reader<'_>, _: &Wanted) -> Result<Option<Opened>> {
        match reader.take_file(PARQUET) {
            Some(_) => bail!("cannot read {}: {WITHOUT_PARQUET}", reader.input.shown()),
            None => Ok(None),
        }
    }
}

/// The extensions that some source has.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().flat_map(|format| format.extensions).copied()
}

/// Whether a file of this name is one that a directory gives: some source has its extension, before `.gz` or `.zst`.
pub fn has_known_extension(name: &OsStr) -> bool {
    extension(name).is_some_and(|extension| extensions().any(|known| known == extension))
}

/// Reads an input, and passes its blocks to `take`, in order. There is at least one, even if it is empty.
///
/// # Errors
///
/// The input cannot be read, or changes meanwhile; it lacks what is wanted of it; or `take` fails. Messages name the input.
pub fn read(input: &Input, counter: &ByteCounter, wanted: &Wanted, take: Take<'_>) -> Result<()> {
    let Place::File(path) = &input.place else {
        return read_with(SOURCES, Reader::stream(input, counter)?, wanted, take);
    };
    let cannot_read = || cannot("read", path);
    let file = File::open(path).with_context(|| cannot("open", path))?;
    let (watched, before) = (file.try_clone().with_context(cannot_read)?, FileState::of(&file));
    let mut reader = Reader::file(input, counter, file, before)?;
    reader.pool.clone_from(&wanted.pool);
    let done = read_with(SOURCES, reader, wanted, take);
    // If it has changed, what was read is neither the old content nor the new, and neither are its errors.
    if FileState::of(&watched) != before {
        bail!("{}: {CHANGED}", cannot_read());
    }
    done
}

/// Finds which of these sources an input has, and reads it.
fn read_with(sources: &[Format], mut reader: Reader<'_>, wanted: &Wanted, take: Take<'_>) -> Result<()> {
    reader.long_window = wanted.advice.long_window;
    let mut find = |format: &Format| Ok((format.open)(&mut reader, wanted)?.map(|opened| (format.name, opened)));
    let found: Option<Result<_>> = sources.iter().rev().find_map(|format| find(format).transpose());
    let Some((name, Opened { source, blocks })) = found.transpose()? else {
        bail!("cannot read {}: it has no format that is known", reader.input.shown());
    };
    if let Some(from) = wanted.from.filter(|from| from.name() != name) {
        bail!("cannot read {} as {}: it is {name}", reader.input.shown(), from.name());
    }
    if let Some(formats) = wanted.formats.filter(|formats| !formats.contains(&name)) {
        bail!("cannot read {} as {}: it is {name}", reader.input.shown(), formats.join(" or "));
    }
    if wanted.games != Games::default() && !source.has_games() {
        bail!(
            "{} has no games: {} are for PGN, and for a column of games, such as movetext or pgn",
            reader.input.shown(),
            wanted.advice.games
        );
    }
    if wanted.after_first_move && !source.plays_first_moves() {
        bail!(
            "{} has no column of moves: {} is for CSV, JSON lines and Parquet",
            reader.input.shown(),
            wanted.advice.first_move
        );
    }
    let origin = Arc::new(Origin { input: reader.input.clone(), source });
    let hand = &mut |start, content| take(Block::new(origin.clone(), start, content));
    match blocks {
        Blocks::Cut(cut) => {
            let size = origin.source.block_bytes(wanted.block_bytes.unwrap_or(READ));
            if let Some(part) = &origin.input.part {
                let start = start_of(&origin.input, part.start, &*cut, &*origin.source)?;
                reader.text()?.begin_at(start);
            }
            let cutter = Cutter::new(cut, origin.source.counts());
            let (text, counter) = (reader.take_text()?, reader.counter);
            if wanted.pool.is_some() {
                text.chunks(cutter, size, counter, &mut |chunk| take(Block::of_chunk(origin.clone(), chunk)))?;
            } else {
                text.blocks(cutter, size, counter, hand)?;
            }
            Ok(())
        }
        Blocks::Own(blocks) => blocks(reader.counter, hand),
    }
}

/// Where a part of a file begins that begins with this byte: games and lines before it are counted.
fn start_of(input: &Input, at: u64, cut: &dyn Cut, source: &dyn Source) -> Result<Start> {
    const SIZE: usize = 1 << 20;
    if let Some(unit) = cut.unit_bytes() {
        return Ok((at / unit + 1).into());
    }
    let Some(path) = input.path() else { return Ok(1.into()) };
    let file = File::open(path).with_context(|| cannot("open", path))?;
    let mut before = Text::new(input.shown(), Box::new(file.take(at)));
    before.first_line()?;
    let cutter = Cutter::new(cut.again(), source.counts());
    before.blocks(cutter, SIZE, &ByteCounter::default(), &mut |_, _| Ok(()))
}

/// The number of rows and of bytes of each row group of a Parquet file. Other files have none.
///
/// # Errors
///
/// The file cannot be read.
pub fn row_groups(path: &Path) -> Result<Vec<(u64, u64)>> {
    let mut file = File::open(path).with_context(|| cannot("open", path))?;
    if compression::magic(&mut file).with_context(|| cannot("read", path))? != *PARQUET {
        return Ok(Vec::new());
    }
    #[cfg(feature = "parquet")]
    return parquet::row_groups(path, file);
    #[cfg(not(feature = "parquet"))]
    bail!("{}: {WITHOUT_PARQUET}", cannot("read", path));
}

#[cfg(test)]
mod tests;
