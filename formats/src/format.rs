//! The table of formats, and detection of the format of an input.
//!
//! # How to add a format
//!
//! 1. Write a module next to [`fen`], with a type that implements [`Source`] and an opener: a function `open` of the type
//!    [`OpenFormat`].
//! 2. Add a line at the end of the table [`FORMATS`]: name, extensions, opener.
//!
//! Openers are tried from the end of the table to its beginning. So a new one is tried before those of text, and the first one
//! in the table accepts any remaining text. An opener should request as few bytes as possible, and return `None` for other
//! formats.
//!
//! | a format that needs | uses |
//! |---|---|
//! | to be recognised by the first bytes, by the first line, or by the extension of the name | [`Beginning::first_bytes`], [`Beginning::first_line`], [`Beginning::extension`] |
//! | bytes that are not text | [`Beginning::first_bytes`] and never [`Beginning::first_line`], and passes over [`SkippedPrefix::NOTHING`]; then blocks hold the bytes as they are in the input |
//! | to skip a header | [`Beginning::header`] |
//! | to parse while the bytes come, because only that tells where a position ends | [`CutMethod::Chunks`], which hands over [`Content::Labelled`] |
//! | units other than lines, such as games or records of 32 bytes | [`Source::unit`] for messages; a [`Cut`] of its own, which finds where blocks may be cut; [`Source::counts`], which counts units |
//! | several positions per unit | [`Source::parse`], which adds each with the number of the unit |
//! | games | [`GameRows`](crate::games::game_rows::GameRows), which adds their positions and has the columns of games |
//! | columns of its own, such as ply, move or result, in addition to the kept columns | [`Source::columns`], which names them first; [`Records::kept`](crate::batch::Records::kept), which has their values in the same order; for a new type of values, a variant of [`KeptColumn`](crate::columns::KeptColumn) |
//! | to report a malformed unit | always [`Parser::malformed`], which decides whether the run ends, or the unit is left out or becomes a null |
//!
//! The two formats in `format/tests.rs` do nearly all of this: games of several positions each, cut at blank lines, and
//! binary records of fixed size, recognised by the extension of the name.

#[cfg(doc)]
use crate::batch::Parser;
use crate::beginning::Beginning;
#[cfg(doc)]
use crate::beginning::SkippedPrefix;
#[cfg(doc)]
use crate::content::Content;
#[cfg(doc)]
use crate::cut::Cut;
use crate::error::OpenError;
use crate::games::Games;
use crate::request::Wanted;
#[cfg(doc)]
use crate::source::CutMethod;
use crate::source::{FormatEntry, OpenFormat, OpenedSource, Source};
use crate::training::TrainingFormat::{Binpack, Bulletformat, Marlinformat, Viriformat};
use crate::{csv, fen, json, pairs, pgn, training};

/// All formats of bytes that are read one after the other. They are tried from the last to the first, which takes any text.
pub const FORMATS: &[FormatEntry] = &[
    FormatEntry { name: "FEN or EPD", extensions: &["fen", "epd"], open: fen::open },
    FormatEntry { name: "CSV", extensions: &["csv", "tsv"], open: csv::open },
    FormatEntry { name: "JSON lines", extensions: &["jsonl", "ndjson"], open: json::open },
    FormatEntry { name: "pairs", extensions: &[], open: pairs::open },
    FormatEntry { name: "PGN", extensions: &["pgn"], open: pgn::open },
    records(Bulletformat, |beginning, wanted| training::open(Bulletformat, beginning, wanted)),
    records(Marlinformat, |beginning, wanted| training::open(Marlinformat, beginning, wanted)),
    records(Viriformat, |beginning, wanted| training::open(Viriformat, beginning, wanted)),
    records(Binpack, |beginning, wanted| training::open(Binpack, beginning, wanted)),
];

/// Records of engines in a format.
const fn records(format: training::TrainingFormat, open: OpenFormat) -> FormatEntry {
    FormatEntry { name: format.name(), extensions: training::extensions(format), open }
}

/// Finds which of these formats an input has, and whether it has what is wanted: its name, and its source.
///
/// # Errors
///
/// More bytes are needed, the input has none of the formats, or it lacks what is wanted, such as a column.
pub fn find(
    formats: &[FormatEntry],
    beginning: &mut Beginning,
    wanted: &Wanted,
) -> Result<(&'static str, OpenedSource), OpenError> {
    let open = |format: &FormatEntry| Ok((format.open)(beginning, wanted)?.map(|opened| (format.name, opened)));
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

#[cfg(test)]
mod tests;
