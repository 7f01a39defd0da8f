//! Blocks: some records of an input, on their way to be parsed, and where they come from.

use std::sync::{Arc, OnceLock};

use anyhow::{Result, anyhow, bail};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use crate::content::{Content, Most, Start};
use crate::input::Input;
use crate::malformed::{Malformed, quoted};
use crate::records::{Parser, Records};
use crate::source::Source;
use crate::warnings::{Warnings, did_you_mean, nearest};

/// Where records come from: an input, and the source that was found in it.
#[derive(Debug)]
pub struct Origin {
    /// The input.
    pub input: Input,
    /// The source.
    pub source: Box<dyn Source>,
}

impl Origin {
    /// The names of the columns that the records have beside the positions.
    pub fn columns(&self) -> &[String] {
        self.source.columns()
    }

    /// The name of the input, as messages show it.
    pub fn shown(&self) -> String {
        self.input.shown()
    }

    /// What to say about a malformed record: the input, the unit and its number, and what is wrong.
    pub fn message(&self, malformed: &Malformed) -> String {
        format!("{}, {} {}, {}", self.shown(), self.source.unit(), malformed.number, malformed.what)
    }

    /// Checks whether to go on after some records.
    ///
    /// # Errors
    ///
    /// A malformed record ends the run.
    pub fn check(&self, failure: Option<&Malformed>) -> Result<()> {
        failure.map_or(Ok(()), |malformed| Err(anyhow!(self.message(malformed))))
    }
}

/// Some records of an input.
#[derive(Debug)]
pub struct Block {
    /// Where they come from.
    pub origin: Arc<Origin>,
    /// Where it begins.
    pub start: Start,
    /// The units.
    pub content: Content,
    /// The most that it can give, once that has been asked for.
    most: OnceLock<Most>,
}

/// Takes the blocks of inputs. If it fails, no more are needed.
pub type Take<'a> = &'a mut dyn FnMut(Block) -> Result<()>;

impl Block {
    /// Some records of an input, which begin here.
    pub fn new(origin: Arc<Origin>, start: Start, content: Content) -> Block {
        Block { origin, start, content, most: OnceLock::new() }
    }

    /// The most that it can give.
    pub fn most(&self) -> Most {
        *self.most.get_or_init(|| {
            let most = self.origin.source.most(&self.content);
            match self.content {
                Content::TooLong => Most { units: 1, positions: 1, fields: most.fields, ..Most::default() },
                _ => most,
            }
        })
    }
}

/// Parses at most `limit` positions or pairs of a block.
pub fn parse(block: &Block, limit: usize, on_error: OnError) -> Records {
    parse_with(block, limit, on_error, Positions::new())
}

/// The same, in the memory of these positions, which are removed.
pub fn parse_with(block: &Block, limit: usize, on_error: OnError, positions: Positions) -> Records {
    let source = &block.origin.source;
    let most = match &block.content {
        Content::Bytes(_) => block.most().positions,
        Content::Labelled(labelled) => labelled.positions.len(),
        #[cfg(feature = "parquet")]
        Content::Rows(positions, _) if !source.has_games() => positions.len(),
        #[cfg(feature = "parquet")]
        Content::Rows(..) => block.most().positions,
        Content::TooLong => 0,
    };
    let mut parser = Parser::new(block.start, &block.content, most, limit, on_error, positions);
    if matches!(block.content, Content::TooLong) {
        parser.too_long(block.start.number);
    }
    source.parse(&mut parser);
    parser.records
}

/// Which of the columns to keep were in the records so far: of one input, or of several with the same columns.
#[derive(Debug, Default)]
pub struct SeenColumns {
    /// Where the first records came from.
    pub first: Option<Arc<Origin>>,
    found: Vec<bool>,
    records: usize,
}

impl SeenColumns {
    /// Adds records of an input: their number, and which of the columns were found in them.
    pub fn add(&mut self, origin: &Arc<Origin>, found: Vec<bool>, records: usize) {
        self.first.get_or_insert_with(|| origin.clone());
        self.found.resize(found.len(), false);
        self.found.iter_mut().zip(found).for_each(|(found, more)| *found |= more);
        self.records += records;
    }

    /// Checks that there was a value in each of the columns to keep. `name` is that of the input or inputs.
    ///
    /// # Errors
    ///
    /// There are records, and none has one of the columns.
    pub fn check(&self, name: &str) -> Result<()> {
        // What a path leads to may be rare, such as a mate.
        let is_path = |first: &Arc<Origin>, place: usize| first.columns()[place].contains('.');
        let missing = |first: &Arc<Origin>| (0..self.found.len()).find(|&at| !self.found[at] && !is_path(first, at));
        match (&self.first, self.first.as_ref().and_then(missing)) {
            (Some(first), Some(place)) if self.records > 0 => {
                let (column, names) = (&first.columns()[place], first.source.some_names());
                let nearest = nearest(column, names.iter().map(String::as_str));
                bail!("no record of {name} has a field {} to keep{}", quoted(column), did_you_mean(nearest))
            }
            _ => Ok(()),
        }
    }

    /// Adds the columns to keep to the warnings of a run, which are about those that none of its inputs has.
    pub fn warn(&self, warnings: &Warnings) {
        let Some(first) = self.first.as_ref().filter(|_| self.records > 0) else { return };
        let names = if self.found.contains(&false) { first.source.some_names() } else { Vec::new() };
        first.columns().iter().zip(&self.found).for_each(|(name, &found)| warnings.add_field(name, found, &names));
    }
}
