//! A row of products for each position: the work of the pool on a block, which is to parse, compute and encode it.

use std::iter;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Integers, OnError, Plan, Values};
use slider_attacks_files::Block;
use slider_attacks_files::block::{Origin, ReadLimits};
use slider_attacks_formats::batch::{MOVE, Records};
use slider_attacks_formats::columns::{KeptColumn, OutputValues};
use slider_attacks_formats::content::escapes;
use slider_attacks_formats::error::{Malformed, quoted};

use crate::columns::{LINE, OutputColumns};
use crate::format::{RowFormat, TextFormat};
use crate::pipeline::{ResultLimits, Work, message_bytes};
use crate::sizes;
use crate::write::{Encoded, npy, text_rows};

/// The settings that the compute threads share.
#[derive(Debug)]
pub struct Job {
    /// The computed products.
    pub plan: Plan,
    /// How rows are written.
    pub format: RowFormat,
    /// How to handle malformed records.
    pub on_error: OnError,
    /// Each row begins with the name of the input.
    pub with_file: bool,
    /// There are columns of bitboards, with these integers.
    pub boards: Option<Integers>,
    /// Each legal move of a position gives a row.
    pub each_move: bool,
}

/// The result of one block.
#[derive(Debug)]
pub struct BlockResult {
    /// Where the block comes from.
    pub origin: Arc<Origin>,
    /// How many positions were read.
    pub positions: usize,
    /// How many others were left out because of their keys.
    pub left_out: usize,
    /// The malformed records that were left out.
    pub skipped: Vec<Malformed>,
    /// How many of the positions are null, because the record is malformed.
    pub nulls: usize,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
    /// Which of the columns to keep were found. In JSON lines, one may be missing.
    pub found: Vec<bool>,
    /// The output.
    pub encoded: Encoded,
    /// At most how many bytes the first unit takes, if it is more than there may be.
    pub needs: Option<usize>,
    /// How long it took to parse, to compute and to encode it.
    pub times: [Duration; 3],
}

/// How many bytes the values of some positions take at most that are computed at a time, as a rule. They stay in the cache of a
/// thread.
const AT_A_TIME: usize = 256 << 10;

/// At most how many bytes the rows take that are read of a game at a time.
const MOST_OF_UNIT: usize = 64 << 20;

/// More rows than this come at once only from a very long game, because a game is read as a whole.
pub const MANY_ROWS: usize = 4096;

impl Work for Job {
    type Output = BlockResult;

    fn positions(done: &BlockResult) -> usize {
        done.positions
    }

    fn row_bytes(&self) -> usize {
        let boards = if self.boards.is_some() { 15 } else { 0 };
        match self.format {
            RowFormat::Text(TextFormat::Csv | TextFormat::SafeCsv) => 20 * boards + sizes::text(&self.plan, false),
            RowFormat::Text(TextFormat::Jsonl) => 32 * boards + sizes::text(&self.plan, true),
            // A block gives one result. Of games, it has more positions than lines of as many bytes.
            RowFormat::Arrow | RowFormat::Npy => 5 * (8 * boards + sizes::values(&self.plan)) / 2,
        }
    }

    fn each_move(&self) -> Option<Backend> {
        self.each_move.then(|| self.plan.computes_with())
    }

    /// Parses, computes and encodes, some positions at a time.
    fn work(&self, block: &mut Block, limit: usize, room: ResultLimits) -> Result<BlockResult> {
        let is_text = matches!(self.format, RowFormat::Text(_));
        // Each row of JSON lines has the names.
        let is_json = self.format == RowFormat::Text(TextFormat::Jsonl);
        let name = |name: &str| 8 + if is_json { name.len() + escapes(name.as_bytes()) } else { 0 };
        let names = block.origin.columns().iter().map(String::as_str).chain(self.each_move.then_some(MOVE));
        let names: usize = names.map(name).sum();
        let row = if is_text { self.row_bytes() } else { 2 * self.row_bytes() / 5 };
        let fits = room.bytes / (names + row);
        let mut enough = if is_text { fits.min(AT_A_TIME / sizes::values(&self.plan)) } else { fits }.max(1);
        let mut result = BlockResult {
            origin: block.origin.clone(),
            positions: 0,
            left_out: 0,
            skipped: Vec::new(),
            nulls: 0,
            failure: None,
            found: Vec::new(),
            encoded: if is_text { Encoded::Bytes(Vec::new()) } else { Encoded::Columns(Vec::new(), 0) },
            needs: None,
            times: [Duration::ZERO; 3],
        };
        let (mut is_first, mut bytes) = (true, 0);
        block.each_move = self.each_move();
        let many = MANY_ROWS.min(4 * room.bytes / (names + row));
        block.most_of_unit = block.most_of_unit.min(room.most.min(MOST_OF_UNIT) / (names + 2 * row)).max(1);
        loop {
            let mut clock = Instant::now();
            let mut lap = || mem::replace(&mut clock, Instant::now()).elapsed();
            let (place, limit) = (block.place(), limit - result.positions);
            let Some(mut records) = block.next(ReadLimits { limit, enough }, self.on_error, Positions::new())? else {
                break;
            };
            let rows = records.numbers.len();
            if room.most < usize::MAX {
                // Some rows take more than most, but none takes twice as much.
                let kept: usize = records.kept.iter().map(|kept| kept.most_bytes(rows)).sum();
                let needs = rows * (names + 2 * row) + kept;
                if bytes + needs > room.most {
                    block.go_back(place);
                    if is_first && (enough > 1 || rows > 1 && block.most_of_unit > 1) {
                        // One of several units or rows may be the large one.
                        enough = (enough / 8).max(1);
                        block.most_of_unit = (block.most_of_unit.min(rows) / 8).max(1);
                        continue;
                    }
                    result.needs = is_first.then_some(needs);
                    break;
                }
            }
            let kept: usize = records.kept.iter().map(|kept| kept.text_bytes(rows)).sum();
            let is_large = kept > room.bytes || rows > (2 * enough).max(many);
            if is_large && !(room.is_next && is_first) {
                // A long game, or much to keep: this has a result of its own.
                block.go_back(place);
                break;
            }
            is_first = false;
            records.add_found(&mut result.found);
            result.left_out += records.select();
            let read = records.read();
            result.positions += read;
            result.skipped.append(&mut records.skipped);
            result.failure = records.failure.take();
            result.nulls += records.nulls.len();
            let parsed = lap() + mem::take(&mut block.time_to_pending);
            let kept = self.kept(mem::take(&mut records.kept), &records.numbers, result.origin.columns());
            let products = self.plan.values(&records.positions);
            let computed = lap();
            match kept {
                Ok(kept) => self.encode(records, kept, products, &result.origin, &mut result.encoded),
                // It comes before what ended the block.
                Err(malformed) => result.failure = Some(malformed),
            }
            result.times.iter_mut().zip([parsed, computed, lap()]).for_each(|(sum, time)| *sum += time);
            let before = bytes;
            bytes = message_bytes(&result.skipped)
                + if let Encoded::Bytes(text) = &result.encoded { text.len() } else { room.bytes };
            // There is room for as much again.
            let is_full = 2 * bytes - before > room.bytes || room.has_left_out(result.left_out);
            if is_full || limit == read || result.failure.is_some() {
                break;
            }
        }
        if !room.is_next {
            block.drop_parents();
        }
        Ok(result)
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

    fn encode(
        &self,
        mut records: Records,
        kept: Vec<OutputValues>,
        products: Vec<Values>,
        origin: &Origin,
        encoded: &mut Encoded,
    ) {
        let count = records.numbers.len();
        let file = self.with_file.then_some(&origin.input);
        let columns = self.columns().build(&mut records, file, origin.columns(), kept, products);
        match (encoded, self.format) {
            (Encoded::Bytes(text), RowFormat::Text(format)) => text_rows::append(format, &columns, count, text),
            (encoded, _) => *encoded = Encoded::Columns(columns, count),
        }
    }

    fn columns(&self) -> OutputColumns<'_> {
        let Job { plan, format, on_error, boards, each_move, .. } = self;
        let (boards, each_move, on_error, format) = (*boards, *each_move, *on_error, *format);
        OutputColumns { number: LINE, each_move, boards, plan, on_error, format }
    }

    /// The names of the columns of the output, with these columns of the input.
    pub fn header(&self, kept: &[String]) -> Vec<String> {
        self.columns().names(self.with_file, kept)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow::Continue;

    use slider_attacks_arrow::Product;
    use slider_attacks_files::Inputs;
    use slider_attacks_files::input::{Input, Stream};
    use slider_attacks_formats::request::Wanted;

    use super::*;

    #[test]
    fn the_time_until_a_block_was_pending_counts_once_as_parsing() {
        const HOUR: Duration = Duration::from_secs(3600);
        let (format, on_error) = (RowFormat::Text(TextFormat::Csv), OnError::Fail);
        let plan = Plan::new([Product::Pins]);
        let job = Job { plan, format, on_error, with_file: false, boards: None, each_move: false };
        let stream = Stream::new("x", "4k3/8/8/8/8/8/8/4K3 w - -\n".as_bytes());
        let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
        let mut count = 0;
        let read = Inputs::of(vec![Input::stream(stream, 0)], "").unwrap().read(&wanted, &mut |mut block| {
            block.time_to_pending = HOUR;
            let mut times = || {
                block.go_back(Default::default());
                job.work(&mut block, usize::MAX, ResultLimits::new(1 << 20, false)).unwrap().times
            };
            let [first, again] = [times(), times()];
            assert!(first[0] >= HOUR && first[1..].iter().chain(&again).all(|&time| time < HOUR));
            count += 1;
            Ok(Continue(()))
        });
        read.unwrap();
        assert_eq!(count, 1);
    }
}
