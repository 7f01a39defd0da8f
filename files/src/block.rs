//! Blocks of unparsed records, and their origin.

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use slider_attacks::Backend;
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
pub use slider_attacks_formats::batch::ReadLimits;
use slider_attacks_formats::batch::{Records, UnitPart};
use slider_attacks_formats::columns::add_found;
use slider_attacks_formats::content::{BlockStart, Content};
use slider_attacks_formats::error::{Malformed, quoted};
#[cfg(feature = "parquet")]
use slider_attacks_formats::games::game_rows::MAX_POSITIONS;
use slider_attacks_formats::source::{Source, parse_part};
use slider_attacks_formats::warnings::{Warnings, did_you_mean, nearest};

use crate::input::Input;
use crate::keys::BlockFilter;
use crate::moves::{self, MovePlace, MoveRows};
use crate::ordered::Pool;
#[cfg(feature = "parquet")]
use crate::parquet::sizes::row_sizes;
use crate::ranges::Chunk;

/// Where records come from: an input, and the source that was found in it.
#[derive(Debug)]
pub struct Origin {
    /// The input.
    pub input: Input,
    /// The source.
    pub source: Box<dyn Source>,
    /// The option that leaves out malformed records, in the terms of the caller.
    pub skip: &'static str,
}

impl Origin {
    /// The names of the columns that the records have in addition to the positions, without those that only a condition needs.
    pub fn columns(&self) -> &[String] {
        &self.source.columns()[..self.hidden_columns().start]
    }

    /// The places of the columns that only a condition needs.
    fn hidden_columns(&self) -> Range<usize> {
        let count = self.source.columns().len();
        count - self.source.hidden_columns()..count
    }

    /// The name of the input, as messages show it.
    pub fn display_name(&self) -> String {
        self.input.display_name()
    }

    /// The message about a malformed record: the input, the unit and its number, and the error.
    pub fn message(&self, malformed: &Malformed) -> String {
        let message =
            format!("{}, {} {}, {}", self.display_name(), self.source.unit(), malformed.number, malformed.what);
        match &malformed.place {
            Some(place) if place.is_variant() => format!("{message}; {} leaves out such games", self.skip),
            _ => message,
        }
    }

    /// Checks whether to continue after some records.
    ///
    /// # Errors
    ///
    /// A malformed record ends the run.
    pub fn check(&self, failure: Option<&Malformed>) -> Result<()> {
        failure.map_or(Ok(()), |malformed| Err(anyhow!(self.message(malformed))))
    }
}

/// Some records of an input, which are read some at a time.
pub struct Block {
    /// Where they come from.
    pub origin: Arc<Origin>,
    /// The chunk, until it is fetched and cut.
    chunk: Option<Chunk>,
    /// The units.
    parts: Vec<(BlockStart, Content)>,
    /// The progress of reading.
    read: BlockPlace,
    has_failed: bool,
    /// The most rows of a game that are read at a time.
    pub most_of_unit: usize,
    /// If set, the records are the positions after each legal move of those that are read, which this backend computes.
    pub each_move: Option<Backend>,
    /// The records whose moves are being taken.
    parents: Option<Box<ParentRecords>>,
    /// Which of the positions are taken, if not all.
    pub filter: Option<BlockFilter>,
    /// Whether reading ends where the filter would wait for other blocks. [`when_decided`](Block::when_decided) goes on from there.
    pub suspends: bool,
    /// How long it took to read the block until it was [pending](Block::is_pending).
    pub time_to_pending: Duration,
    /// The first records, which were read to decide that.
    read_ahead: VecDeque<RecordsAhead>,
}

/// Records whose moves are taken some at a time.
struct ParentRecords {
    /// Where they begin, and where to go on after all of their moves.
    start: BlockPlace,
    end: BlockPlace,
    rows: MoveRows,
}

/// Records that have been read, where they begin, and where to go on.
struct RecordsAhead {
    start: BlockPlace,
    records: Records,
    end: BlockPlace,
}

/// About how many bytes the records of a block may take that are read before the filter decides, and need not be read again.
pub const READ_AHEAD: usize = 4 << 20;

/// How many positions of a game are read at a time to find out whether it is taken.
const MOST_OF_GAME: usize = 1 << 10;

/// How far a block has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockPlace {
    /// How many of its parts, and how many bytes or rows of the next one.
    part: usize,
    at: usize,
    /// How many units of that, and how many rows of the next one.
    units: u64,
    rows: usize,
    /// How many moves of the records that are read from there on.
    moves: MovePlace,
    /// How many records of the block.
    records: usize,
}

impl Block {
    /// Some records of an input, which begin here.
    pub fn new(origin: Arc<Origin>, start: BlockStart, content: Content) -> Block {
        Block { parts: vec![(start, content)], ..Block::with(origin, None) }
    }

    /// The records of a chunk.
    pub fn of_chunk(origin: Arc<Origin>, chunk: Chunk) -> Block {
        Block::with(origin, Some(chunk))
    }

    fn with(origin: Arc<Origin>, chunk: Option<Chunk>) -> Block {
        Block {
            origin,
            chunk,
            parts: Vec::new(),
            read: BlockPlace::default(),
            has_failed: false,
            most_of_unit: usize::MAX,
            each_move: None,
            parents: None,
            filter: None,
            suspends: false,
            time_to_pending: Duration::ZERO,
            read_ahead: VecDeque::new(),
        }
    }

    /// Fetches and cuts it, unless that has been done. Waits for the blocks before it, which other threads must have begun to load.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or has changed.
    pub fn load(&mut self) -> Result<()> {
        if let Some(chunk) = self.chunk.take() {
            self.parts = chunk.units()?;
        }
        Ok(())
    }

    /// How many bytes it has, where its content is bytes.
    pub fn bytes(&self) -> usize {
        let bytes = |(_, content): &(BlockStart, Content)| content.bytes().len();
        self.chunk.as_ref().map_or(0, Chunk::bytes) + self.parts.iter().map(bytes).sum::<usize>()
    }

    /// Whether only one thread at a time should read it, because it has more bytes than this, or because what a unit gives may take
    /// eight times as many. It has been loaded.
    pub fn is_large(&self, bytes: usize) -> bool {
        #[cfg(feature = "parquet")]
        {
            // What is kept of a game is copied for each of its positions.
            let kept = |(_, content): &(BlockStart, Content)| match content {
                Content::Rows(games, kept) => {
                    let most = row_sizes(kept, games.len()).into_iter().max().unwrap_or(0);
                    most * MAX_POSITIONS > 8 * bytes
                }
                _ => false,
            };
            if self.origin.source.has_games() && self.parts.iter().any(kept) {
                return true;
            }
        }
        self.bytes() > bytes
    }

    /// Its parts, once it has been loaded.
    pub fn contents(&self) -> impl Iterator<Item = &Content> {
        self.parts.iter().map(|(_, content)| content)
    }

    /// How far it has been read.
    pub fn place(&self) -> BlockPlace {
        self.read
    }

    /// The number of the next unit, once it has been loaded.
    pub fn number(&self) -> u64 {
        let parents = self.parents.as_ref().filter(|parents| parents.start == self.read.before_moves());
        if let Some(number) = parents.and_then(|parents| parents.rows.number(self.read.moves)) {
            return number;
        }
        self.parts.get(self.read.part).map_or(0, |(start, _)| start.number + self.read.units)
    }

    /// Goes back to where it has been read before: to its beginning, or to where the last records begin.
    pub fn go_back(&mut self, place: BlockPlace) {
        (self.read, self.has_failed) = (place, false);
    }

    /// Frees the records whose moves are being taken. There may be many. They are read again for the rest of their moves.
    pub fn drop_parents(&mut self) {
        self.parents = None;
    }

    /// Whether all has been read, or something malformed has ended it.
    pub fn is_finished(&self) -> bool {
        self.chunk.is_none() && (self.has_failed || self.read.part == self.parts.len())
    }

    /// Reads the next records, perhaps none. `None` if all have been read, or if the block
    /// [is pending](Block::is_pending). `positions` are removed, and their memory is used.
    ///
    /// With a [filter](Block::filter), some of the records are [selected](Records::selected), at most `most.limit`. The filter
    /// [decides](Block::decide) before the first ones.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Block::load), and of [`decide`](Block::decide).
    pub fn next(&mut self, most: ReadLimits, on_error: OnError, positions: Positions) -> Result<Option<Records>> {
        let mut records = self.next_with_hidden(most, on_error, positions)?;
        records.iter_mut().for_each(|records| records.remove_columns(self.origin.hidden_columns()));
        Ok(records)
    }

    /// The same, with the columns that only a condition needs.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Block::next).
    pub fn next_with_hidden(
        &mut self,
        most: ReadLimits,
        on_error: OnError,
        positions: Positions,
    ) -> Result<Option<Records>> {
        self.decide(most.enough, false)?;
        if self.is_pending() {
            return Ok(None);
        }
        let Some(filter) = self.filter.as_ref().filter(|_| most.limit > 0) else {
            return self.read_next(most, on_error, positions);
        };
        let (start, chooses_games) = (self.read, filter.chooses_games());
        let records = match self.read_ahead.pop_front().filter(|ahead| ahead.start == start) {
            Some(ahead) => {
                if !positions.is_empty() {
                    filter.spare().put(positions);
                }
                self.read = ahead.end;
                Some(ahead.records)
            }
            None => {
                self.read_ahead.clear();
                let records = self.read_next(ReadLimits { limit: usize::MAX, ..most }, on_error, positions)?;
                if let (true, Some(records)) = (chooses_games, &records)
                    && let Some(mut filter) = self.filter.take()
                {
                    self.choose_games(&mut filter, records, start);
                    self.filter = Some(filter);
                }
                records
            }
        };
        let Some(mut records) = records else { return Ok(None) };
        self.select(&mut records, start);
        let last = most.limit - 1;
        let last = records.selected.as_ref().map_or(Some(last), |rows| rows.get(last).map(|&row| row as usize));
        // As without a filter, nothing is read after the last position, not even a malformed record.
        if let Some(last) = last.filter(|&last| last < records.numbers.len()) {
            self.go_back(start);
            let most = match self.each_move {
                Some(_) => ReadLimits { limit: usize::MAX, enough: last + 1 },
                None => ReadLimits { limit: last + 1, ..most },
            };
            let again = self.read_next(most, on_error, mem::take(&mut records.positions))?;
            records = again.expect("they have been read before");
            self.select(&mut records, start);
        }
        Ok(Some(records))
    }

    /// Selects those of some records that are taken.
    fn select(&mut self, records: &mut Records, start: BlockPlace) {
        if let Some(filter) = &self.filter {
            filter.select(records, &*self.origin.source, start.records);
            let count = records.selected_rows().len();
            records.after.iter_mut().for_each(|after| after.read = count);
        }
        self.has_failed = records.failure.is_some();
    }

    /// Finds out which games are taken that these records, read from there on, are of. If a game is read in parts, it is read from its
    /// beginning, until one of its positions is known to meet the condition.
    fn choose_games(&self, filter: &mut BlockFilter, records: &Records, start: BlockPlace) {
        let source = &*self.origin.source;
        let Some(&last) = records.numbers.last().filter(|_| filter.chooses_games()) else { return };
        if filter.has_chosen(last) {
            return;
        }
        if self.each_move.is_none() && start.rows == 0 && self.read.rows == 0 {
            return filter.choose_games(records, source, false);
        }
        let mut place = BlockPlace { rows: 0, ..start.before_moves() };
        while place.part == start.part && !filter.has_chosen(last) {
            let most = ReadLimits { limit: usize::MAX, enough: MOST_OF_GAME };
            let positions = filter.spare().take();
            let (some, next) = self.parse(place, MOST_OF_GAME, most, filter.on_error(), positions);
            filter.choose_games(&some, source, next.rows > 0);
            let has_failed = some.failure.is_some();
            filter.spare().put(some.positions);
            if has_failed {
                break;
            }
            place = next;
        }
    }

    /// Decides which positions are taken, if that depends on the blocks before, and waits for these. So threads must begin with blocks in
    /// their order. Records are read this many at a time. Of [large](Block::is_large) blocks, only one at a time is read. One that
    /// [suspends](Block::suspends) does not wait: it [is pending](Block::is_pending).
    ///
    /// # Errors
    ///
    /// Those of [`load`](Block::load), or a block before could not be read.
    pub fn decide(&mut self, enough: usize, is_large: bool) -> Result<()> {
        /// About how many bytes a record takes, without what is kept of it.
        const RECORD: usize = 128;
        let Some(mut filter) = self.filter.take_if(|filter| filter.is_undecided()) else { return Ok(()) };
        if is_large && !filter.is_passed() {
            filter.wait()?;
        }
        let clock = Instant::now();
        let mut bytes = 0;
        while !filter.is_passed() {
            let (start, most) = (self.read, ReadLimits { limit: usize::MAX, enough });
            let records =
                if filter.is_full() { None } else { self.read_next(most, filter.on_error(), filter.spare().take())? };
            let Some(records) = records else {
                filter.pass();
                self.go_back(BlockPlace::default());
                break;
            };
            self.choose_games(&mut filter, &records, start);
            filter.add(&records, &*self.origin.source)?;
            let rows = records.numbers.len();
            bytes += RECORD * rows + records.kept.iter().map(|kept| kept.text_bytes(rows)).sum::<usize>();
            if is_large || bytes > READ_AHEAD {
                filter.spare().put(records.positions);
            } else {
                self.read_ahead.push_back(RecordsAhead { start, records, end: self.read });
            }
        }
        if !self.suspends || filter.pending().is_some_and(|pending| pending.is_done()) {
            filter.finish()?;
        } else {
            self.time_to_pending += clock.elapsed();
        }
        self.filter = Some(filter);
        Ok(())
    }

    /// Whether it depends on blocks that other threads work on which positions are taken.
    pub fn is_pending(&self) -> bool {
        self.suspends && self.filter.as_ref().is_some_and(|filter| filter.pending().is_some())
    }

    /// Passes the block on when it is no longer [pending](Block::is_pending): on this thread, or on one of the pool.
    pub fn when_decided(self, pool: &Arc<Pool>, then: impl FnOnce(Block) + Send + 'static) {
        let pending = self.filter.as_ref().and_then(BlockFilter::pending).cloned();
        let Some(pending) = pending.filter(|pending| !pending.is_done()) else { return then(self) };
        let pool = pool.clone();
        pending.when_done(Box::new(move || pool.spawn(move || then(self))));
    }

    /// Reads the next records, taken or not.
    fn read_next(&mut self, most: ReadLimits, on_error: OnError, positions: Positions) -> Result<Option<Records>> {
        self.load()?;
        if self.is_finished() {
            return Ok(None);
        }
        let before = self.read.records;
        let (records, place) = match self.each_move {
            None => self.parse(self.read, self.most_of_unit, most, on_error, positions),
            Some(backend) => self.next_moves(backend, most, on_error, positions),
        };
        self.has_failed = records.failure.is_some();
        self.read = BlockPlace { records: before + records.numbers.len(), ..place };
        Ok(Some(records))
    }

    /// Parses the records from there on, of a game at most `most_of_unit`. Returns also where to go on.
    fn parse(
        &self,
        BlockPlace { part, at, units, rows, .. }: BlockPlace,
        most_of_unit: usize,
        most: ReadLimits,
        on_error: OnError,
        positions: Positions,
    ) -> (Records, BlockPlace) {
        let (start, content) = &self.parts[part];
        let from = (at, units, UnitPart { passed: rows, most: most_of_unit });
        let (records, stopped) = parse_part(&*self.origin.source, (*start, content), from, most, on_error, positions);
        let place = match stopped {
            Some((at, units, rows)) => BlockPlace { part, at, units, rows, ..BlockPlace::default() },
            None => BlockPlace { part: part + 1, ..BlockPlace::default() },
        };
        (records, place)
    }

    /// The positions after the next moves, and where to go on.
    fn next_moves(
        &mut self,
        backend: Backend,
        most: ReadLimits,
        on_error: OnError,
        positions: Positions,
    ) -> (Records, BlockPlace) {
        let start = self.read.before_moves();
        let parents = match self.parents.take().filter(|parents| parents.start == start) {
            Some(parents) => parents,
            None => {
                // At least those that have been read before, if they have been dropped meanwhile.
                let before = self.read.moves.records;
                let enough = moves::at_a_time(most.enough).max(before + 1);
                let most = ReadLimits { limit: most.limit.saturating_add(before), enough };
                let (records, end) = self.parse(start, moves::AT_A_TIME, most, on_error, Positions::new());
                Box::new(ParentRecords { start, end, rows: MoveRows::new(records) })
            }
        };
        let (records, moves) = parents.rows.next(self.read.moves, most, backend, positions);
        let place = if parents.rows.is_end(moves) { parents.end } else { BlockPlace { moves, ..start } };
        self.parents = Some(parents);
        (records, place)
    }
}

impl BlockPlace {
    /// Where the records begin whose moves are being taken.
    fn before_moves(self) -> BlockPlace {
        BlockPlace { moves: MovePlace::default(), records: 0, ..self }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("origin", &self.origin).field("read", &self.read).finish_non_exhaustive()
    }
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
        add_found(&mut self.found, found);
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
