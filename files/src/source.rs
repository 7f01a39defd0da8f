//! The trait of sources: a format, as it was found in one input.
//!
//! # How to add a source
//!
//! 1. Write one file beside `fen.rs`, with a type that implements [`Source`], and a function `open` of the type [`Open`].
//! 2. Add one line to the table [`SOURCES`](crate::sources::SOURCES), at its end: name, extensions, opener.
//!
//! An opener looks at as little of an input as it can, and returns `None` if the format is not its own. The table is tried
//! from its end, so that a new source comes before those of text, and the last one to be tried takes whatever is left.
//!
//! | the source needs | where it says so |
//! |---|---|
//! | to know its format: by the first bytes, by the first line, by the extension of the name | [`Text::first_bytes`](crate::text::Text::first_bytes) of [`Reader::text`], [`Reader::first_line`], [`Input::extension`](crate::input::Input::extension) |
//! | bytes that are no text | it asks for bytes and never for a line, which refuses what looks like another format; the bytes of its blocks are as they are in the input, decompressed |
//! | to skip a header | [`Text::pass_first_line`](crate::text::Text::pass_first_line) |
//! | a file that is read at any place | [`Reader::take_file`], and [`Blocks::Own`] |
//! | units other than lines, such as games or records of 32 bytes | [`Source::unit`] for messages; a [`Cut`] of its own, which says where blocks may be cut, and counts units |
//! | several positions in one unit | [`Source::parse`] adds as many as there are, each with the number of the unit; [`Source::most`] says how many a block can give |
//! | columns of its own beside those kept by name, such as ply, move or result | it names them in [`Source::columns`], before those kept, and gives their values in the same order in [`Records::kept`](crate::records::Records::kept); a new type of values is a variant of [`KeptColumn`](crate::columns::KeptColumn) |
//! | to report what is malformed | [`Parser::malformed`], always; what becomes of it is decided there |
//!
//! The tests in `sources/tests.rs` have two sources that do all of this: games of several positions each, cut at blank
//! lines, and binary records of fixed size, known by the extension of the name.

use std::fmt;

use anyhow::Result;

use crate::content::{Content, Most};
use crate::counter::ByteCounter;
use crate::reader::Reader;
use crate::records::Parser;
use crate::text::{Cut, Hand, Lines};
use crate::wanted::Wanted;

/// A format, as it was found in one input. It stays in memory as long as results of the input do, and threads share it. So
/// it is small, and holds neither the file nor its bytes.
pub trait Source: fmt::Debug + Send + Sync {
    /// What messages count, in the singular.
    fn unit(&self) -> &'static str {
        "line"
    }

    /// The names of the columns that its records have beside the positions: those of its own, then those kept by name.
    fn columns(&self) -> &[String];

    /// The most that a block can give. The default is right for lines, each of which is at most one position in FEN.
    fn most(&self, content: &Content) -> Most {
        Most::of_lines(content.bytes(), !self.columns().is_empty())
    }

    /// Parses a block: adds positions to the records, their numbers, and a value of each column for each of them. Of a block
    /// that holds nothing, it gives all columns, without values.
    fn parse(&self, parser: &mut Parser<'_>);
}

/// A source that has been found, and how its input is cut into blocks.
pub struct Opened {
    /// The source.
    pub source: Box<dyn Source>,
    /// How to go through the rest of the input. Unlike the source, it is dropped at the end of the input.
    pub blocks: Blocks,
}

/// How an input is cut into blocks.
pub enum Blocks {
    /// The bytes, decompressed, are cut after whole units.
    Cut(Box<dyn Cut>),
    /// In a way of its own. It hands over blocks in order, at least one, and sets how far the input has been read.
    Own(OwnBlocks),
}

/// Hands over the blocks of an input.
pub type OwnBlocks = Box<dyn FnOnce(&ByteCounter, Hand<'_>) -> Result<()>>;

impl Opened {
    /// A source whose units are lines.
    pub fn lines(source: impl Source + 'static) -> Opened {
        Opened::cut(source, Lines)
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
/// The input cannot be read, or has this format but not what is wanted of it.
pub type Open = fn(&mut Reader<'_>, &Wanted) -> Result<Option<Opened>>;

/// A line of the table of sources.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name.
    pub name: &'static str,
    /// How the names of its files end, without the point. `.gz` or `.zst` may follow. A directory gives files of these names.
    pub extensions: &'static [&'static str],
    /// What finds it in an input.
    pub open: Open,
}
