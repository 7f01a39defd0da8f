//! Training records of engines: positions with scores and results, with which networks are trained.
//!
//! | format | a unit is | columns |
//! |---|---|---|
//! | bulletformat | a record of 32 bytes | `score`, `result`, `fen` |
//! | marlinformat | a record of 32 bytes | these, `halfmove`, `fullmove` |
//! | viriformat | a game | these, `next_uci`, `next_move` |
//! | binpack | a chunk of games | these, `next_uci`, `next_move` |
//!
//! The first three are cut into blocks of whole units. A chunk of a binpack may have 100 MiB, and a position of it is known only
//! after those before it: see [`chunks`].
//!
//! | column | values |
//! |---|---|
//! | `score` | as white sees it, in the unit of the engine: centipawns, as a rule |
//! | `result` | `1-0`, `0-1` or `1/2-1/2` |
//! | `fen` | the position: board, side to move, castling rights and en passant square |
//! | `halfmove` | half moves since the last capture or move of a pawn |
//! | `fullmove` | the number of the move |
//! | `next_uci` | the move that was played from the position, as in UCI; castling as `e1g1`, or in other positions of Chess960 from the king to the rook |
//! | `next_move` | the same in 16 bits, as [`Move::bits`](slider_attacks_games::Move::bits) says |
//!
//! Conditions can also use `ply`, the number of half moves before the position, where there is `fullmove`.
//!
//! In bulletformat, White is always to move: the format does not store whether the colours were swapped.

pub mod chunks;

use std::iter;

use slider_attacks::position::Positions;
pub use slider_attacks_games::records::TrainingFormat;
use slider_attacks_games::records::binpack::{HEADER, MAGIC};
use slider_attacks_games::records::{self, Labels, Outcome, RecordLabels};

use crate::batch::Parser;
use crate::beginning::{Beginning, SkippedPrefix};
use crate::columns::texts::{TextColumn, TextTable};
use crate::columns::{KeptColumn, NumberColumn};
use crate::content::{Content, Labelled, MAX_RECORD};
use crate::cut::{Cut, UnitCount};
use crate::error::{OpenError, Problem};
use crate::games::game_rows::MAX_POSITIONS;
use crate::request::{ConditionColumn, RecordDecider, RecordRules, Wanted};
use crate::source::{CutMethod, OpenedSource, Source};
pub use chunks::BinpackChunks;

/// How many bytes a record of bulletformat or marlinformat takes, and a game of viriformat before its moves.
pub const RECORD: usize = 32;
/// How many bytes a move of viriformat takes, and the zeros after the last one.
const MOVE: usize = 4;
/// The most positions of a block of a binpack, unless the caller wants others.
const ROWS: usize = 512;

/// Records of engines.
#[derive(Debug)]
struct Training {
    format: TrainingFormat,
    /// The names of the columns to keep, and what each of them is.
    columns: Vec<String>,
    kinds: Vec<LabelColumn>,
    hidden: usize,
    /// Which records become positions.
    rules: RecordRules,
}

/// The kind of values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelColumn {
    Score,
    Result,
    Fen,
    Halfmove,
    Fullmove,
    NextUci,
    NextMove,
    Ply,
}

/// All columns. A format has the first ones.
const COLUMNS: [(&str, LabelColumn); 7] = [
    ("score", LabelColumn::Score),
    ("result", LabelColumn::Result),
    ("fen", LabelColumn::Fen),
    ("halfmove", LabelColumn::Halfmove),
    ("fullmove", LabelColumn::Fullmove),
    ("next_uci", LabelColumn::NextUci),
    ("next_move", LabelColumn::NextMove),
];

/// The column that only conditions use, because it says the same as two others.
const PLY: (&str, LabelColumn) = ("ply", LabelColumn::Ply);

/// Whether units are records of 32 bytes.
pub fn has_fixed_size(format: TrainingFormat) -> bool {
    matches!(format, TrainingFormat::Bulletformat | TrainingFormat::Marlinformat)
}

/// The columns that a format has.
fn columns(format: TrainingFormat) -> &'static [(&'static str, LabelColumn)] {
    match format {
        TrainingFormat::Bulletformat => &COLUMNS[..3],
        TrainingFormat::Marlinformat => &COLUMNS[..5],
        _ => &COLUMNS,
    }
}

/// How the names of files of a format end.
pub const fn extensions(format: TrainingFormat) -> &'static [&'static str] {
    match format {
        TrainingFormat::Bulletformat => &["bulletformat"],
        TrainingFormat::Marlinformat => &["marlinformat"],
        TrainingFormat::Viriformat => &["viriformat", "vf"],
        _ => &["binpack"],
    }
}

/// Takes what the caller says is of this format; else files whose names end so, and any binpack.
///
/// # Errors
///
/// More bytes are needed, or the format has no such column to keep.
pub fn open(format: TrainingFormat, beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    let is_named = || beginning.extension().is_some_and(|found| extensions(format).contains(&found));
    let is_it = match wanted.from {
        _ if wanted.pairs => false,
        Some(from) => from == format,
        None => is_named() || format == TrainingFormat::Binpack && is_binpack(beginning)?,
    };
    if !is_it {
        return Ok(None);
    }
    let columns = columns(format);
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    // In other sources, this is the move that led to the position.
    let is_move = |name: &&String| ["san", "uci", "move"].iter().any(|of| name.eq_ignore_ascii_case(of));
    if let Some(name) = wanted.keep.iter().find(is_move).filter(|_| names.contains(&"next_uci")) {
        return Err(OpenError::NoLastMove { input: beginning.name().to_owned(), column: name.clone() });
    }
    let (mut places, mut kept) = wanted.kept(&names, &wanted.optional_columns.records, beginning.name())?;
    // Records of 32 bytes become positions by vectors, which takes less time than to look at each of them.
    let condition = wanted.record_condition.clone().filter(|_| !has_fixed_size(format));
    let is_needed = |column: &&ConditionColumn| condition.is_none() || !column.is_of_records;
    let condition_columns = wanted.condition_columns.iter().filter(is_needed).cloned().collect();
    let of_rows = Wanted { condition_columns, ..wanted.clone() };
    let ply = columns.iter().any(|(_, kind)| *kind == LabelColumn::Fullmove).then_some(PLY);
    let with_ply: Vec<&str> = names.iter().copied().chain(ply.map(|(name, _)| name)).collect();
    let hidden = of_rows.add_condition_columns(&[], &with_ply, (&mut places, &mut kept), beginning.name())?;
    let kinds = places.iter().map(|&place| columns.get(place).map_or(LabelColumn::Ply, |column| column.1)).collect();
    let draws = wanted.record_draws.clone().filter(|_| format == TrainingFormat::Binpack);
    let source = Training { format, columns: kept, kinds, hidden, rules: RecordRules { condition, draws } };
    Ok(Some(match format {
        TrainingFormat::Binpack => {
            let chunks = BinpackChunks::new(wanted.block_rows.unwrap_or(ROWS)).with_rules(source.rules.clone());
            let blocks = CutMethod::Chunks(chunks.into());
            OpenedSource { source: Box::new(source), passed: SkippedPrefix::NOTHING, blocks }
        }
        TrainingFormat::Viriformat => {
            OpenedSource::cut(source, SkippedPrefix::NOTHING, WholeViriformatGames::default())
        }
        _ => OpenedSource::cut(source, SkippedPrefix::NOTHING, WholeRecords),
    }))
}

/// Whether the bytes are a binpack: where text has a character, it has the upper byte of a size, which may be wrong.
fn is_binpack(beginning: &Beginning) -> Result<bool, OpenError> {
    let is_it = beginning.first_bytes(MAGIC.len())?.starts_with(MAGIC);
    let is_no_text = |byte: &u8| !byte.is_ascii_graphic() && !byte.is_ascii_whitespace();
    Ok(is_it && beginning.first_bytes(HEADER)?.get(HEADER - 1).is_some_and(is_no_text))
}

impl Source for Training {
    fn unit(&self) -> &'static str {
        match self.format {
            TrainingFormat::Viriformat => "game",
            TrainingFormat::Binpack => "chunk",
            _ => "record",
        }
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn has_records(&self) -> bool {
        true
    }

    fn decides_records(&self) -> bool {
        self.rules.condition.is_some()
    }

    fn draws_records(&self) -> bool {
        self.rules.draws.is_some()
    }

    /// A line of FEN takes 64 bytes, a record 32, and a move 4.
    fn block_bytes(&self, lines: usize) -> usize {
        (lines / if has_fixed_size(self.format) { 2 } else { 16 }).max(RECORD)
    }

    fn counts(&self) -> UnitCount {
        let units = |bytes: &[u8]| bytes.len().div_ceil(RECORD) as u64;
        UnitCount {
            units: if has_fixed_size(self.format) { units } else { |bytes| games(bytes).count() as u64 },
            has_lines: false,
        }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let mut rows = LabelledRows::new(self, parser);
        match rows.parser.content {
            Content::Labelled(labelled) => rows.add(labelled),
            _ if has_fixed_size(self.format) => rows.read(),
            _ => {
                let (mut labels, mut at, first) = (Labels::default(), 0, rows.parser.first);
                for (game, number) in games(rows.parser.bytes()).zip(first..) {
                    if rows.parser.is_done() {
                        rows.parser.stop(at, number - first);
                        break;
                    }
                    rows.read_game(game, number, &mut labels);
                    at += game.len();
                }
            }
        }
        rows.finish();
    }
}

/// Adds positions to the records, and their labels to the columns.
struct LabelledRows<'p, 'a> {
    source: &'p Training,
    parser: &'p mut Parser<'a>,
    values: Vec<LabelValues>,
}

/// Values of a column.
enum LabelValues {
    Numbers(Vec<i64>),
    /// The numbers of outcomes, or one past their end.
    Results(Vec<u32>),
    Texts(TextTable),
    /// None: they are made from the positions.
    Later,
}

impl<'p, 'a> LabelledRows<'p, 'a> {
    fn new(source: &'p Training, parser: &'p mut Parser<'a>) -> LabelledRows<'p, 'a> {
        let values = source.kinds.iter().map(|kind| match kind {
            LabelColumn::Score
            | LabelColumn::Halfmove
            | LabelColumn::Fullmove
            | LabelColumn::Ply
            | LabelColumn::NextMove => LabelValues::Numbers(Vec::new()),
            LabelColumn::Result => LabelValues::Results(Vec::new()),
            LabelColumn::NextUci => LabelValues::Texts(TextTable::new(1)),
            LabelColumn::Fen => LabelValues::Later,
        });
        LabelledRows { values: values.collect(), source, parser }
    }

    /// Reads records of 32 bytes.
    fn read(&mut self) {
        let bytes = self.parser.bytes();
        let (mut reader, mut labels) = (records::RecordReader::new(self.source.format, bytes), Labels::default());
        let mut number = self.parser.first;
        while !self.parser.is_done() {
            let (read, count) = self.read_some(&mut reader, self.parser.unit_room(), &mut labels);
            self.keep(&labels, count, (number..).take(count));
            number += count as u64;
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    self.parser.malformed(number, error.problem);
                    number += 1;
                }
            }
        }
        let units = number - self.parser.first;
        let at = RECORD * units as usize;
        if at < bytes.len() {
            self.parser.stop(at, units);
        }
    }

    /// Reads a game.
    fn read_game(&mut self, game: &[u8], number: u64, labels: &mut Labels) {
        if game.len() > MAX_RECORD {
            return self.parser.too_long(number);
        }
        let mut reader = records::RecordReader::new(self.source.format, game);
        labels.clear();
        let room = self.parser.room().min(MAX_POSITIONS);
        let decider = RecordDecider::new(&self.source.rules);
        let keeps = |record: &RecordLabels<'_>| decider.keeps(record);
        let (mut read, counts) = reader.read_if(MAX_POSITIONS, room, keeps, &mut self.parser.records.positions, labels);
        self.keep(labels, counts.kept, iter::repeat_n(number, counts.kept));
        self.parser.records.left_out += counts.records - counts.kept;
        if self.parser.is_full() {
            return;
        }
        if counts.records == MAX_POSITIONS && read.is_ok() {
            let more = reader.read(1, &mut Positions::new(), labels);
            read = more.map(drop);
            if more == Ok(1) {
                self.parser.malformed(number, Problem::Length { most: MAX_POSITIONS, units: "positions" });
            }
        }
        if let Err(error) = read {
            self.parser.malformed(number, error.problem);
        }
    }

    /// Adds at most this many positions, fewer if the limit comes first. Their labels replace the others. Returns also how many
    /// there were.
    fn read_some(
        &mut self,
        reader: &mut records::RecordReader<'_>,
        most: usize,
        labels: &mut Labels,
    ) -> (Result<usize, records::Error>, usize) {
        let most = most.min(self.parser.room());
        let positions = &mut self.parser.records.positions;
        let before = positions.len();
        labels.clear();
        let read = reader.read(most, positions, labels);
        (read, positions.len() - before)
    }

    /// Adds positions of a unit that have been found already, and what is wrong after them.
    fn add(&mut self, Labelled { positions, labels, read, undecoded, problem, .. }: &Labelled) {
        let (number, room) = (self.parser.first, self.parser.room());
        let all = &mut self.parser.records.positions;
        let (mut decoded, before) = (Labels::default(), all.len());
        let (labels, count) = match undecoded {
            Some(chains) => {
                let decider = RecordDecider::new(&self.source.rules);
                let counts = chains.read_if(room, |record| decider.keeps(record), all, &mut decoded);
                let [undrawn, missed] = decider.undrawn(counts.records);
                self.parser.records.left_out += counts.records - undrawn - counts.kept;
                self.parser.records.missed += missed;
                (&decoded, counts.kept)
            }
            None => {
                let count = positions.len().min(room);
                all.extend_from(positions);
                all.truncate(before + count);
                self.parser.records.left_out += read.as_ref().map_or(0, |read| read.left_out(room));
                self.parser.records.missed += read.as_ref().map_or(0, |read| read.missed);
                (labels, count)
            }
        };
        self.keep(labels, count, iter::repeat_n(number, count));
        if let Some(problem) = problem
            && !self.parser.is_full()
        {
            self.parser.malformed(number, *problem);
        }
    }

    /// Gives the positions that were added last, this many, their numbers, and the first labels to their columns.
    fn keep(&mut self, labels: &Labels, count: usize, numbers: impl Iterator<Item = u64>) {
        self.pad();
        self.parser.records.numbers.extend(numbers);
        for (values, kind) in self.values.iter_mut().zip(&self.source.kinds) {
            match (values, kind) {
                (LabelValues::Numbers(numbers), LabelColumn::Score) => numbers.extend(widened(&labels.scores[..count])),
                (LabelValues::Numbers(numbers), LabelColumn::Halfmove) => {
                    numbers.extend(widened(&labels.halfmoves[..count]));
                }
                (LabelValues::Numbers(numbers), LabelColumn::Fullmove) => {
                    numbers.extend(widened(&labels.numbers[..count]))
                }
                (LabelValues::Numbers(numbers), LabelColumn::Ply) => {
                    let sides = self.parser.records.positions.side_to_move();
                    let sides = &sides[sides.len() - count..];
                    let plies = labels.numbers[..count].iter().zip(sides);
                    numbers.extend(plies.map(|(&number, &side)| i64::from(records::ply(number, side))));
                }
                (LabelValues::Numbers(numbers), _) => {
                    numbers.extend(labels.moves[..count].iter().map(|mv| i64::from(mv.bits())));
                }
                (LabelValues::Results(places), _) => {
                    places.extend(labels.outcomes[..count].iter().map(|&outcome| outcome as u32));
                }
                (LabelValues::Texts(texts), _) => {
                    labels.moves[..count].iter().for_each(|mv| texts.push([Some(mv.encode_uci(&mut [0; 5]))]));
                }
                (LabelValues::Later, _) => {}
            }
        }
    }

    /// Adds values that are missing, until each position has one in each column.
    fn pad(&mut self) {
        let rows = self.parser.records.numbers.len();
        for values in &mut self.values {
            match values {
                LabelValues::Numbers(numbers) => numbers.resize(rows, NumberColumn::MISSING),
                LabelValues::Results(places) => places.resize(rows, u32::MAX),
                LabelValues::Texts(texts) => texts.pad(rows),
                LabelValues::Later => {}
            }
        }
    }

    /// Gives the records their columns.
    fn finish(mut self) {
        self.pad();
        let records = &mut self.parser.records;
        let columns = self.values.into_iter().map(|values| match values {
            LabelValues::Numbers(numbers) => KeptColumn::Numbers(NumberColumn::new(numbers, 0)),
            LabelValues::Results(places) => {
                let mut texts = TextTable::new(1);
                texts.push(Outcome::ALL.map(|outcome| Some(outcome.name())));
                KeptColumn::Text(only(texts).in_rows(places.into()))
            }
            LabelValues::Texts(texts) => KeptColumn::Text(only(texts)),
            LabelValues::Later => KeptColumn::Text(records.fens()),
        });
        let columns = columns.collect();
        records.kept = columns;
    }
}

fn widened<T: Copy + Into<i64>>(numbers: &[T]) -> impl Iterator<Item = i64> {
    numbers.iter().map(|&number| number.into())
}

/// The column of a table of one.
fn only(table: TextTable) -> TextColumn {
    table.columns().next().expect("it has a column")
}

/// Records of 32 bytes are whole.
#[derive(Debug)]
struct WholeRecords;

impl Cut for WholeRecords {
    fn last_end(&mut self, bytes: &[u8], _: usize) -> Option<usize> {
        Some(bytes.len() / RECORD * RECORD).filter(|&end| end > 0)
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeRecords)
    }

    fn unit_bytes(&self) -> Option<u64> {
        Some(RECORD as u64)
    }
}

/// Games of viriformat are whole.
#[derive(Debug)]
struct WholeViriformatGames {
    /// Where the zeros after the last move of the first game are looked for.
    at: usize,
}

impl Default for WholeViriformatGames {
    fn default() -> WholeViriformatGames {
        WholeViriformatGames { at: RECORD }
    }
}

impl WholeViriformatGames {
    /// The end of the game, if it is there.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let (moves, _) = bytes.get(self.at..)?.as_chunks::<MOVE>();
        let end = moves.iter().position(|mv| *mv == [0; MOVE]);
        self.at += MOVE * end.map_or(moves.len(), |end| end + 1);
        end.map(|_| self.at)
    }
}

impl Cut for WholeViriformatGames {
    fn last_end(&mut self, bytes: &[u8], _: usize) -> Option<usize> {
        let mut last = None;
        while let Some(end) = self.end(bytes) {
            (last, self.at) = (Some(end), end + RECORD);
        }
        last
    }

    fn begin(&mut self) {
        *self = WholeViriformatGames::default();
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeViriformatGames::default())
    }

    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        let end = self.end(bytes);
        // Moves that are not whole stay.
        bytes.drain(..self.at);
        self.at = 0;
        end.is_some()
    }
}

/// The games of some bytes; the last one may not be whole.
fn games(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    iter::from_fn(move || {
        let end = WholeViriformatGames::default().end(bytes).unwrap_or(bytes.len());
        bytes.split_off(..end).filter(|game| !game.is_empty())
    })
}

#[cfg(test)]
mod tests;
