//! The trait of sources. A source is a format, with what was found out about one input of it.
//!
//! # How to add a source
//!
//! 1. Write a module beside `fen`, with a type that implements [`Source`] and an opener: a function `open` of the type
//!    [`Open`].
//! 2. Add a line at the end of the table [`SOURCES`](crate::sources::SOURCES): name, extensions, opener.
//!
//! Openers are tried from the end of the table to its beginning. So a new one is tried before those of text, and the first
//! one in the table takes any text that is left. An opener reads as little of the input as it can, and returns `None` if
//! the format is another one.
//!
//! | a source that needs | uses |
//! |---|---|
//! | to recognise its format by the first bytes, by the first line, or by the extension of the name | [`Text::first_bytes`](crate::text::Text::first_bytes) of [`Reader::text`], [`Reader::first_line`], [`Input::extension`](crate::input::Input::extension) |
//! | bytes that are not text | [`Text::first_bytes`](crate::text::Text::first_bytes) and never [`Reader::first_line`]; then blocks hold the bytes as they are in the input |
//! | to skip a header | [`Text::pass_first_line`](crate::text::Text::pass_first_line) |
//! | to read a file in any order | [`Reader::take_file`], and [`Blocks::Own`] |
//! | to parse while it reads, because only that tells where a position ends | [`Reader::take_text`], and [`Blocks::Own`], which hands over [`Content::Labelled`] |
//! | units other than lines, such as games or records of 32 bytes | [`Source::unit`] for messages; a [`Cut`] of its own, which finds where blocks may be cut; [`Source::counts`], which counts units |
//! | several positions per unit | [`Source::parse`], which adds each with the number of the unit |
//! | games | [`GameRows`](crate::plies::GameRows), which adds their positions and has the columns of games |
//! | columns of its own, such as ply, move or result, beside the columns to keep | [`Source::columns`], which names them first; [`Records::kept`](crate::records::Records::kept), which has their values in the same order; for a new type of values, a variant of [`KeptColumn`](crate::columns::KeptColumn) |
//! | to report a malformed unit | always [`Parser::malformed`], which decides whether the run ends, or the unit is left out or becomes a null |
//!
//! The two sources in `sources/tests.rs` do nearly all of this: games of several positions each, cut at blank lines, and
//! binary records of fixed size, recognised by the extension of the name.

use std::fmt;

use anyhow::Result;

use crate::counter::ByteCounter;
use crate::cutter::{Counts, Cut, WholeLines};
use crate::reader::Reader;
use crate::records::Parser;
use crate::text::{Hand, games_bytes};
use crate::wanted::Wanted;

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
    /// How the rest of the input is cut. Unlike the source, this is dropped at the end of the input.
    pub blocks: Blocks,
}

/// How an input is cut into blocks.
pub enum Blocks {
    /// The bytes, decompressed, are cut after whole units.
    Cut(Box<dyn Cut>),
    /// The source hands over blocks by itself: in order, at least one. It also sets how far the input has been read.
    Own(OwnBlocks),
}

/// Hands over the blocks of an input.
pub type OwnBlocks = Box<dyn FnOnce(&ByteCounter, Hand<'_>) -> Result<()>>;

impl Opened {
    /// A source whose units are lines.
    pub fn lines(source: impl Source + 'static) -> Opened {
        Opened::cut(source, WholeLines)
    }

    /// A source whose units are found by `cut`.
    pub fn cut(source: impl Source + 'static, cut: impl Cut + 'static) -> Opened {
        Opened { source: Box::new(source), blocks: Blocks::Cut(Box::new(cut)) }
    }
}

/// Finds a source in an input, if it has this format.
///
/// # Errors
///
/// The input cannot be read, or has this format but lacks what is wanted, such as a column.
pub type Open = fn(&mut Reader<'_>, &Wanted) -> Result<Option<Opened>>;

/// A line of the table of sources.
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
