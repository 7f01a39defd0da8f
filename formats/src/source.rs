//! Sources: a format, with the properties of one input.

use std::fmt;

use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use crate::batch::{Parser, ReadLimits, Records, UnitPart};
use crate::beginning::{Beginning, SkippedPrefix};
use crate::content::{BlockStart, Content};
use crate::cut::{Cut, UnitCount, WholeLines, games_bytes};
use crate::error::OpenError;
use crate::request::Wanted;
use crate::training::chunks::BinpackChunks;

/// A format, with what was found out about one input of it. Threads share it, and it stays in memory as long as results of
/// the input do. So it must be small, and must hold neither the file nor its bytes.
pub trait Source: fmt::Debug + Send + Sync {
    /// The word for a unit in messages, in the singular.
    fn unit(&self) -> &'static str {
        "line"
    }

    /// The names of the columns that its records have in addition to the positions: those of its own, then the columns to keep.
    fn columns(&self) -> &[String];

    /// How many of the last of these only a condition needs, as [`Wanted::condition_columns`] asks.
    fn hidden_columns(&self) -> usize {
        0
    }

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

    /// Whether [`Wanted::record_condition`] holds for all of its positions.
    fn decides_records(&self) -> bool {
        false
    }

    /// Whether its positions are those that [`Wanted::record_draws`] draws.
    fn draws_records(&self) -> bool {
        false
    }

    /// Whether a record is a line of FEN or EPD, which may have more after the position.
    fn has_lines_of_fen(&self) -> bool {
        false
    }

    /// Whether it plays first moves, as [`Wanted::after_first_move`] asks.
    fn plays_first_moves(&self) -> bool {
        false
    }

    /// How many bytes a block is to have, if one of lines is to have this many.
    fn block_bytes(&self, lines: usize) -> usize {
        if self.has_games() { games_bytes(lines) } else { lines }
    }

    /// How the units of some bytes are counted.
    fn counts(&self) -> UnitCount {
        UnitCount::LINES
    }

    /// Parses a block. Adds positions to the records; for each of them, the number of its unit, and a value to each column.
    /// From an empty block, it makes all columns, without values. When
    /// it [is done](Parser::is_done) before the end of the block, it [says](Parser::stop) where to go on.
    fn parse(&self, parser: &mut Parser<'_>);
}

/// A detected source, and how its input is cut into blocks.
pub struct OpenedSource {
    /// The source.
    pub source: Box<dyn Source>,
    /// The prefix before the first block.
    pub passed: SkippedPrefix,
    /// How the rest of the input is cut. Unlike the source, this is dropped at the end of the input.
    pub blocks: CutMethod,
}

/// How an input is cut into blocks.
pub enum CutMethod {
    /// Its bytes are cut after whole units.
    Cut(Box<dyn Cut>),
    /// Its bytes are read as they come.
    Chunks(Box<BinpackChunks>),
}

impl OpenedSource {
    /// A source whose units are found by `cut`, after bytes that are passed over.
    pub fn cut(source: impl Source + 'static, passed: SkippedPrefix, cut: impl Cut + 'static) -> OpenedSource {
        OpenedSource { source: Box::new(source), passed, blocks: CutMethod::Cut(Box::new(cut)) }
    }

    /// A source whose units are lines of text.
    pub fn lines(source: impl Source + 'static, beginning: &Beginning) -> OpenedSource {
        OpenedSource::cut(source, beginning.mark(), WholeLines)
    }
}

/// Finds a source in an input that begins so, if it has this format.
///
/// # Errors
///
/// More bytes are needed, or the input has this format but lacks what is wanted, such as a column.
pub type OpenFormat = fn(&Beginning, &Wanted) -> Result<Option<OpenedSource>, OpenError>;

/// A line of the table of formats.
#[derive(Clone, Copy, Debug)]
pub struct FormatEntry {
    /// The name.
    pub name: &'static str,
    /// How the names of its files end, without the dot. `.gz` or `.zst` may follow. In a directory, files with these
    /// extensions are read.
    pub extensions: &'static [&'static str],
    /// The opener, which finds it in an input.
    pub open: OpenFormat,
}

/// Parses the records of a content after this many bytes or rows of it, which are this many units. Returns also where to go on, if that is
/// not its end.
pub fn parse(
    source: &dyn Source,
    content: (BlockStart, &Content),
    (at, units): (usize, u64),
    most: ReadLimits,
    on_error: OnError,
    positions: Positions,
) -> (Records, Option<(usize, u64)>) {
    let (records, stopped) = parse_part(source, content, (at, units, UnitPart::ALL), most, on_error, positions);
    (records, stopped.map(|(at, units, _)| (at, units)))
}

/// The same for a part of the first unit that has rows. Where to go on may be there, after this many of its rows.
pub fn parse_part(
    source: &dyn Source,
    (start, content): (BlockStart, &Content),
    (at, units, part): (usize, u64, UnitPart),
    most: ReadLimits,
    on_error: OnError,
    positions: Positions,
) -> (Records, Option<(usize, u64, usize)>) {
    let before = content.bytes().get(..at).unwrap_or_default();
    let first = start.after(before, units, source.counts().has_lines);
    let mut parser = Parser::new(first, content, at, most, on_error, positions);
    parser.part = part;
    if matches!(content, Content::TooLong) && !parser.is_done() {
        parser.too_long(start.number);
    }
    source.parse(&mut parser);
    let stopped = if parser.is_cut {
        Some((at, units, part.passed + parser.records.numbers.len()))
    } else {
        parser.stopped.map(|(at, more)| (at, units + more, 0))
    };
    (parser.records, stopped)
}
