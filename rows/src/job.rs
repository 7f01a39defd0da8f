//! A row of products for each position: what the threads do with a block, which is to parse, compute and encode it.

use std::iter;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use slider_attacks_arrow::{Integers, OnError, Plan, Values};
use slider_attacks_files::Block;
use slider_attacks_files::block::{Origin, parse};
use slider_attacks_files::columns::{KeptColumn, OutputColumn, OutputValues};
use slider_attacks_files::malformed::{Malformed, quoted};
use slider_attacks_files::records::Records;

use crate::bound::Bound;
use crate::columns::{Columns, LINE};
use crate::format::RowFormat;
use crate::pipeline::{Done, Work, message_bytes};
use crate::write::{cells, npy};

/// What the threads that compute need to know.
#[derive(Debug)]
pub struct Job {
    /// What is computed.
    pub plan: Plan,
    /// How rows are written.
    pub format: RowFormat,
    /// What to do about a malformed record.
    pub on_error: OnError,
    /// Each row begins with the name of the input.
    pub with_file: bool,
    /// There are columns of bitboards, with these integers.
    pub boards: Option<Integers>,
}

/// The result of one block.
#[derive(Debug)]
pub struct BlockResult {
    /// Where the block comes from.
    pub origin: Arc<Origin>,
    /// How many positions it had.
    pub positions: usize,
    /// The malformed records that were left out.
    pub skipped: Vec<Malformed>,
    /// How many of the positions are null, because the record is malformed.
    pub nulls: usize,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
    /// Which of the columns to keep were found. In JSON lines, one may be missing.
    pub found: Vec<bool>,
    /// What is to be written.
    pub encoded: Encoded,
    /// How long it took to parse, to compute and to encode it.
    pub times: [Duration; 3],
}

/// The products of a block in the form in which they are written.
#[derive(Debug)]
pub enum Encoded {
    /// Rows of text.
    Text(Vec<u8>),
    /// Columns, and their number of rows.
    Columns(Vec<OutputColumn>, usize),
}

impl Done for BlockResult {
    fn positions(&self) -> usize {
        self.positions
    }

    /// Columns keep all that their block has reserved.
    fn bytes(&self) -> usize {
        message_bytes(&self.skipped)
            + match &self.encoded {
                Encoded::Text(text) => text.capacity(),
                Encoded::Columns(..) => usize::MAX / 2,
            }
    }
}

impl Work for Job {
    type Done = BlockResult;

    fn bound(&self) -> Bound {
        let bound = Bound::new(&self.plan, self.on_error, self.with_file);
        if self.boards.is_some() { bound.with_boards() } else { bound }
    }

    /// Parses, computes and encodes.
    fn work(&self, block: &Block, most: usize) -> BlockResult {
        let mut clock = Instant::now();
        let mut lap = || mem::replace(&mut clock, Instant::now()).elapsed();
        let mut records = parse(block, most, self.on_error);
        let parse = lap();
        let (origin, positions) = (block.origin.clone(), records.numbers.len());
        let (skipped, failure) = (mem::take(&mut records.skipped), records.failure.take());
        let (found, nulls) = (records.kept.iter().map(|kept| kept.is_found(positions)).collect(), records.nulls.len());
        let kept = self.kept(mem::take(&mut records.kept), &records.numbers, origin.columns());
        let products = self.plan.values(&records.positions);
        let compute = lap();
        let (encoded, failure) = match kept {
            Ok(kept) => (self.encode(records, kept, products, &origin), failure),
            // It comes before what ended the block.
            Err(malformed) => (Encoded::Columns(Vec::new(), 0), Some(malformed)),
        };
        BlockResult { origin, positions, skipped, nulls, failure, found, encoded, times: [parse, compute, lap()] }
    }
}

impl Job {
    /// The columns to keep, as they are written. NumPy arrays hold them as numbers.
    fn kept(&self, kept: Vec<KeptColumn>, lines: &[u64], names: &[String]) -> Result<Vec<OutputValues>, Malformed> {
        if self.format != RowFormat::Npy {
            return Ok(kept.into_iter().map(OutputValues::Kept).collect());
        }
        let numbers = |(kept, name): (_, &String)| {
            npy::numbers(kept, lines.len()).map_err(|(row, found)| {
                let what = format!(
                    "column {}: expected a number, found {found}: NumPy arrays hold only numbers; keep other columns, or write \
                     Parquet",
                    quoted(name)
                );
                Malformed { number: lines[row], what: what.into(), place: None }
            })
        };
        iter::zip(kept, names).map(numbers).collect()
    }

    fn encode(&self, mut records: Records, kept: Vec<OutputValues>, products: Vec<Values>, origin: &Origin) -> Encoded {
        let rows = records.numbers.len();
        let file = self.with_file.then_some(&origin.input);
        let columns = self.columns().build(&mut records, file, origin.columns(), kept, products);
        match self.format {
            RowFormat::Text(format) => Encoded::Text(cells::rows(format, &columns, rows)),
            RowFormat::Arrow | RowFormat::Npy => Encoded::Columns(columns, rows),
        }
    }

    fn columns(&self) -> Columns<'_> {
        let Job { plan, format, on_error, boards, .. } = self;
        Columns { number: LINE, boards: *boards, plan, on_error: *on_error, format: *format }
    }

    /// The names of the columns of the output, with these columns of the input.
    pub fn header(&self, kept: &[String]) -> Vec<String> {
        self.columns().names(self.with_file, kept)
    }
}
