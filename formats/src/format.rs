//! The formats: the trait of sources, and how the format of an input is found.
//!
//! # How to add a format
//!
//! 1. Write a module beside [`fen`], with a type that implements [`Source`] and an opener: a function `open` of the type
//!    [`Open`].
//! 2. Add a line at the end of the table [`FORMATS`]: name, extensions, opener.
//!
//! Openers are tried from the end of the table to its beginning. So a new one is tried before those of text, and the first
//! one in the table takes any text that is left. An opener needs as few bytes of the input as it can, and returns `None` if
//! the format is another one.
//!
//! | a format that needs | uses |
//! |---|---|
//! | to be recognised by the first bytes, by the first line, or by the extension of the name | [`Beginning::first_bytes`], [`Beginning::first_line`], [`Beginning::extension`] |
//! | bytes that are not text | [`Beginning::first_bytes`] and never [`Beginning::first_line`], and passes over [`Passed::NOTHING`]; then blocks hold the bytes as they are in the input |
//! | to skip a header | [`Beginning::header`] |
//! | to parse while the bytes come, because only that tells where a position ends | [`Blocks::Chunks`], which hands over [`Content::Labelled`] |
//! | units other than lines, such as games or records of 32 bytes | [`Source::unit`] for messages; a [`Cut`] of its own, which finds where blocks may be cut; [`Source::counts`], which counts units |
//! | several positions per unit | [`Source::parse`], which adds each with the number of the unit |
//! | games | [`GameRows`](crate::games::plies::GameRows), which adds their positions and has the columns of games |
//! | columns of its own, such as ply, move or result, beside the columns to keep | [`Source::columns`], which names them first; [`Records::kept`](crate::batch::Records::kept), which has their values in the same order; for a new type of values, a variant of [`KeptColumn`](crate::columns::KeptColumn) |
//! | to report a malformed unit | always [`Parser::malformed`], which decides whether the run ends, or the unit is left out or becomes a null |
//!
//! The two formats in `format/tests.rs` do nearly all of this: games of several positions each, cut at blank lines, and
//! binary records of fixed size, recognised by the extension of the name.

use std::fmt;

use crate::batch::Parser;
use crate::beginning::{Beginning, Passed};
#[cfg(doc)]
use crate::content::Content;
use crate::cut::{Counts, Cut, WholeLines, games_bytes};
use crate::error::OpenError;
use crate::games::Games;
use crate::request::Wanted;
use crate::training::Chunks;
use crate::training::Format::{Binpack, Bulletformat, Marlinformat, Viriformat};
use crate::{csv, fen, json, pairs, pgn, training};

/// All formats of bytes that are read one after the other. They are tried from the last to the first, which takes any text.
pub const FORMATS: &[Format] = &[
    Format { name: "FEN or EPD", extensions: &["fen", "epd"], open: fen::open },
    Format { name: "CSV", extensions: &["csv", "tsv"], open: csv::open },
    Format { name: "JSON lines", extensions: &["jsonl", "ndjson"], open: json::open },
    Format { name: "pairs", extensions: &[], open: pairs::open },
    Format { name: "PGN", extensions: &["pgn"], open: pgn::open },
    records(Bulletformat, |beginning, wanted| training::open(Bulletformat, beginning, wanted)),
    records(Marlinformat, |beginning, wanted| training::open(Marlinformat, beginning, wanted)),
    records(Viriformat, |beginning, wanted| training::open(Viriformat, beginning, wanted)),
    records(Binpack, |beginning, wanted| training::open(Binpack, beginning, wanted)),
];

/// Records of engines in a format.
const fn records(format: training::Format, open: Open) -> Format {
    Format { name: format.name(), extensions: training::extensions(format), open }
}

/// Finds which of these formats an input has, and whether it has what is wanted: its name, and its source.
///
/// # Errors
///
/// More bytes are needed, the input has none of the formats, or it lacks what is wanted, such as a column.
pub fn find(
    formats: &[Format],
    beginning: &mut Beginning,
    wanted: &Wanted,
) -> Result<(&'static str, Opened), OpenError> {
    let open = |format: &Format| Ok((format.open)(beginning, wanted)?.map(|opened| (format.name, opened)));
    let found: Option<Result<_, OpenError>> = formats.iter().rev().find_map(|format| open(format).transpose());
    match found.transpose() {
        Ok(Some((name, opened))) => {
            check(name, &*opened.source, beginning.name(), wanted)?;
            Ok((name, opened))
        }
        Ok(None) => Err(OpenError::UnknownFormat { input: beginning.name().to_owned() }),
        Err(error) => {
            if let OpenError::MoreBytes { .. } = error {
                beginning.shorten();
            }
            Err(error)
        }
    }
}

/// Checks that a format that was found, and its source, are what is wanted. `input` is the name of the input.
///
/// # Errors
///
/// Another format is wanted, or games or first moves, which the source does not have.
pub fn check(name: &'static str, source: &dyn Source, input: &str, wanted: &Wanted) -> Result<(), OpenError> {
    let input = || input.to_owned();
    let other = |expected: Vec<&'static str>| OpenError::OtherFormat { input: input(), expected, found: name };
    if let Some(from) = wanted.from.filter(|from| from.name() != name) {
        return Err(other(vec![from.name()]));
    }
    if let Some(formats) = wanted.formats.filter(|formats| !formats.contains(&name)) {
        return Err(other(formats.to_vec()));
    }
    if wanted.games != Games::default() && !source.has_games() {
        return Err(OpenError::NoGames { input: input() });
    }
    if wanted.after_first_move && !source.plays_first_moves() {
        return Err(OpenError::NoMoves { input: input() });
    }
    Ok(())
}

/// A format, with what was found out about one input of it. Threads share it, and it stays in memory as long as results of
/// the input do. So it must be small, and must hold neither the file nor its bytes.
pub trait Source: fmt::Debug + Send + Sync {
    /// The word for a unit in messages, in the singular.
    fn unit(&self) -> &'static str {
        "line"
    }

    /// The names of the columns that its records have beside the positions: those of its own, then the columns to keep.
    fn columns(&self) -> &[String];

    /// Some names of fields that its records have, so that a message about one that is missing can name a similar one.
    fn some_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether it reads games, as [`Wanted::games`] asks.
    fn has_games(&self) -> bool {
        false
    }

    /// Whether it reads records of engines, with columns of their own.
    fn has_records(&self) -> bool {
        false
    }

    /// Whether it plays first moves, as [`Wanted::after_first_move`] asks.
    fn plays_first_moves(&self) -> bool {
        false
    }

    /// How many bytes a block is to have, if one of lines is to have so many.
    fn block_bytes(&self, lines: usize) -> usize {
        if self.has_games() { games_bytes(lines) } else { lines }
    }

    /// How the units of some bytes are counted.
    fn counts(&self) -> Counts {
        Counts::LINES
    }

    /// Parses a block. Adds positions to the records; for each of them, the number of its unit, and a value to each column.
    /// From an empty block, it makes all columns, without values. When
    /// it [is done](Parser::is_done) before the end of the block, it [says](Parser::stop) where to go on.
    fn parse(&self, parser: &mut Parser<'_>);
}

/// A source that has been found, and how its input is cut into blocks.
pub struct Opened {
    /// The source.
    pub source: Box<dyn Source>,
    /// What the first block begins after.
    pub passed: Passed,
    /// How the rest of the input is cut. Unlike the source, this is dropped at the end of the input.
    pub blocks: Blocks,
}

/// How an input is cut into blocks.
pub enum Blocks {
    /// Its bytes are cut after whole units.
    Cut(Box<dyn Cut>),
    /// Its bytes are read as they come.
    Chunks(Box<Chunks>),
}

impl Opened {
    /// A source whose units are found by `cut`, after bytes that are passed over.
    pub fn cut(source: impl Source + 'static, passed: Passed, cut: impl Cut + 'static) -> Opened {
        Opened { source: Box::new(source), passed, blocks: Blocks::Cut(Box::new(cut)) }
    }

    /// A source whose units are lines of text.
    pub fn lines(source: impl Source + 'static, beginning: &Beginning) -> Opened {
        Opened::cut(source, beginning.mark(), WholeLines)
    }
}

/// Finds a source in an input that begins so, if it has this format.
///
/// # Errors
///
/// More bytes are needed, or the input has this format but lacks what is wanted, such as a column.
pub type Open = fn(&Beginning, &Wanted) -> Result<Option<Opened>, OpenError>;

/// A line of the table of formats.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name.
    pub name: &'static str,
    /// How the names of its files end, without the dot. `.gz` or `.zst` may follow. In a directory, files with these
    /// extensions are read.
    pub extensions: &'static [&'static str],
    /// The opener, which finds it in an input.
    pub open: Open,
}

#[cfg(test)]
mod tests;
