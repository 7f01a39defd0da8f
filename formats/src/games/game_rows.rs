//! The positions of games, with columns that say what is known of each. PGN has them, and so do tables with a game in each row.
//!
//! | column | values |
//! |---|---|
//! | `game` | the number of the game, from 1; only PGN has it, as the rows of tables have numbers already |
//! | `ply` | how many half moves were played before the position |
//! | `san` | the move that led to it, as the text has it |
//! | `uci` | the same as in UCI; castling as `e1g1`, or in other positions of Chess960 from the king to the rook |
//! | `move` | the same in 16 bits, as [`Move::bits`] says |
//! | `next_san`, `next_uci`, `next_move` | the same for the move that was played from the position; in a game and in each variation, that of its own line |
//! | `halfmove`, `fullmove` | half moves since the last capture or move of a pawn, and the number of the move |
//! | `eval`, `mate` | what `[%eval]` says, as white sees it: centipawns, or moves up to the mate, below zero if black mates |
//! | `clk` | what `[%clk]` says, in seconds |
//! | `result` | `1-0`, `0-1`, `1/2-1/2`, or `0-0` if both players lost: from the tag, or else from the end of the moves |
//! | `depth` | how many variations the position is in |
//! | `fen` | the position: board, side to move, castling rights and en passant square |
//!
//! What a position does not have is missing. Other columns have one value for each game: tags, or columns of a table.

use std::ops::Range;
use std::sync::Arc;

use slider_attacks_games::pgn::{self, Eval, PgnOptions, Ply, PositionBuffer};
use slider_attacks_games::tags::{self, Tags};
use slider_attacks_games::{Board, Move};

use crate::batch::{Parser, Records, UnitPart};
use crate::columns::texts::TextTable;
use crate::columns::{KeptColumn, NumberColumn};
use crate::content::escapes;
use crate::error::{Problem, RecordError};
use crate::games::Games;
use crate::request::Wanted;

/// The most positions that a game gives.
pub const MAX_POSITIONS: usize = 1 << 13;
/// The most bytes that what is kept of a game takes in all of its rows, beyond the first.
const MAX_KEPT: usize = 16 << 20;

/// The kind of values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameColumn {
    /// The number of the game.
    Game,
    /// The number of half moves before the position.
    Ply,
    /// The move that led to it, as the text has it.
    San,
    /// The same as in UCI.
    Uci,
    /// The same in 16 bits.
    Move,
    /// The move that was played from it, as the text has it.
    NextSan,
    /// The same as in UCI.
    NextUci,
    /// The same in 16 bits.
    NextMove,
    /// The number of half moves since the last capture or move of a pawn.
    Halfmove,
    /// The number of the move.
    Fullmove,
    /// Its evaluation, in centipawns.
    Eval,
    /// The number of moves to the mate.
    Mate,
    /// The time that is left.
    Clock,
    /// The number of variations that it is in.
    Depth,
    /// The position.
    Fen,
    /// How the game ended.
    Result,
    /// A value for each game, which the source knows.
    Other,
}

/// The columns that are made of the moves. All of them are kept if all columns are to be kept.
pub const COLUMNS: [(&str, GameColumn); 16] = [
    ("game", GameColumn::Game),
    ("ply", GameColumn::Ply),
    ("san", GameColumn::San),
    ("uci", GameColumn::Uci),
    ("move", GameColumn::Move),
    ("next_san", GameColumn::NextSan),
    ("next_uci", GameColumn::NextUci),
    ("next_move", GameColumn::NextMove),
    ("halfmove", GameColumn::Halfmove),
    ("fullmove", GameColumn::Fullmove),
    ("eval", GameColumn::Eval),
    ("mate", GameColumn::Mate),
    ("clk", GameColumn::Clock),
    ("result", GameColumn::Result),
    ("depth", GameColumn::Depth),
    ("fen", GameColumn::Fen),
];

impl GameColumn {
    /// Whether it has one value for each game.
    fn is_of_games(self) -> bool {
        matches!(self, GameColumn::Result | GameColumn::Other)
    }

    /// Whether its values are numbers.
    fn has_numbers(self) -> bool {
        use GameColumn::{Clock, Depth, Eval, Fullmove, Game, Halfmove, Mate, Move, NextMove, Ply};
        matches!(self, Game | Ply | Move | NextMove | Halfmove | Fullmove | Eval | Mate | Clock | Depth)
    }

    /// Whether its values are known only once the next move has been read.
    fn is_of_next_move(self) -> bool {
        matches!(self, GameColumn::NextSan | GameColumn::NextUci | GameColumn::NextMove)
    }
}

/// The columns to keep of games, and which of their positions are wanted.
#[derive(Debug)]
pub struct GameColumns {
    kinds: Vec<GameColumn>,
    /// The requested games and positions.
    pub games: Games,
}

impl GameColumns {
    /// The columns of these names. Those of `own` are made of the moves.
    pub fn new(own: &[(&str, GameColumn)], names: &[String], wanted: &Wanted) -> GameColumns {
        let kind = |name: &String| own.iter().find(|(own, _)| own == name).map_or(GameColumn::Other, |(_, kind)| *kind);
        GameColumns { kinds: names.iter().map(kind).collect(), games: wanted.games.clone() }
    }

    /// Those of these names whose values the source knows.
    pub fn others<'n>(&self, names: &'n [String]) -> impl Iterator<Item = &'n String> {
        names.iter().zip(&self.kinds).filter(|(_, kind)| **kind == GameColumn::Other).map(|(name, _)| name)
    }
}

/// Positions of games on their way to the records, with their values in the columns to keep. Each game has a beginning and an end.
#[derive(Debug)]
pub struct GameRows<'p> {
    columns: &'p GameColumns,
    boards: PositionBuffer,
    /// The values of the columns, except those of games.
    values: Vec<GameColumnValues>,
    /// The values of games: their results, and what the source knows.
    results: TextTable,
    others: TextTable,
    /// The game of each position, if there are columns with values of games, and the number of games that have begun.
    places: Vec<u32>,
    begun: u32,
    has_places: bool,
    /// The current game: its number, and whether the last requested ply has passed.
    number: u64,
    is_past: bool,
    /// Its result, if a tag says it, and whether it is needed and must be read.
    result: Option<&'static str>,
    needs_end: bool,
    /// How many positions it has given, how many it may give before that is looked at, and how many at all.
    count: usize,
    enough: usize,
    most: usize,
    /// How many of them were read before, and where the part ends that is read.
    passed: usize,
    end_of_part: usize,
    /// The last position of each depth of variations, if the moves played from positions are kept.
    line: Option<Vec<LastPosition>>,
}

/// The last position of a game or a variation.
#[derive(Clone, Copy, Debug)]
struct LastPosition {
    ply: u32,
    /// Its row and that of the position before it, if they have rows.
    row: Option<usize>,
    before: Option<usize>,
}

/// Values of a column.
#[derive(Debug)]
enum GameColumnValues {
    Numbers(Vec<i64>),
    Texts(TextTable),
    NextTexts(NextTexts),
    /// None: they are made from the positions, or are those of games.
    Later,
}

/// The texts of the moves that were played from positions. With variations, the text of a row may be set after those of later rows.
#[derive(Debug, Default)]
struct NextTexts {
    text: String,
    /// Where in it the text of each row is; empty where there is none.
    places: Vec<Range<u32>>,
}

impl NextTexts {
    /// Sets the text of a row that has none yet.
    fn set(&mut self, row: usize, text: &str) {
        if self.places[row].is_empty() {
            let start = self.text.len();
            self.text.push_str(text);
            // A block has less than 4 GiB.
            self.places[row] = start as u32..self.text.len() as u32;
        }
    }

    fn table(&self) -> TextTable {
        let mut table = TextTable::new(1);
        for place in &self.places {
            let text = &self.text[place.start as usize..place.end as usize];
            table.push([Some(text).filter(|text| !text.is_empty())]);
        }
        table
    }
}

impl<'p> GameRows<'p> {
    /// No rows. `others` is the number of columns whose values the source provides per game.
    pub fn new(columns: &'p GameColumns, others: usize) -> GameRows<'p> {
        let values = columns.kinds.iter().map(|kind| match kind {
            GameColumn::San | GameColumn::Uci => GameColumnValues::Texts(TextTable::new(1)),
            GameColumn::NextSan | GameColumn::NextUci => GameColumnValues::NextTexts(NextTexts::default()),
            kind if kind.has_numbers() => GameColumnValues::Numbers(Vec::new()),
            _ => GameColumnValues::Later,
        });
        let has_result = columns.kinds.contains(&GameColumn::Result);
        GameRows {
            columns,
            boards: PositionBuffer::default(),
            values: values.collect(),
            results: TextTable::new(usize::from(has_result)),
            others: TextTable::new(others),
            places: Vec::new(),
            begun: 0,
            has_places: columns.kinds.iter().any(|kind| kind.is_of_games()),
            number: 0,
            is_past: false,
            result: None,
            needs_end: false,
            count: 0,
            enough: 0,
            most: 0,
            passed: 0,
            end_of_part: 0,
            line: columns.kinds.iter().any(|kind| kind.is_of_next_move()).then(Vec::new),
        }
    }

    /// How games are read.
    pub fn options(&self) -> PgnOptions {
        let mut options = PgnOptions::default();
        options.variations = self.columns.games.variations;
        options
    }

    /// A game begins, in the unit of this number. What the source knows of it are these values.
    pub fn begin<T: AsRef<str>>(&mut self, number: u64, values: impl IntoIterator<Item = Option<T>>) {
        let before = self.others.text().len();
        if !self.others.is_empty() {
            self.others.push(values);
            // There may be none.
            self.others.pad(self.begun as usize + 1);
        }
        let kept = &self.others.text().as_bytes()[before..];
        // Nearly always, it is clear without looking at each byte that they are few.
        let bytes = if kept.len() < 256 { 0 } else { kept.len() + escapes(kept) };
        self.begin_with(number, bytes);
    }

    /// The same, if what is kept of the game takes this many bytes in each row.
    pub fn begin_with(&mut self, number: u64, bytes: usize) {
        (self.number, self.is_past, self.count, self.enough) = (number, false, 0, 0);
        self.most = MAX_POSITIONS.min(MAX_KEPT / bytes.max(1)).max(1);
        self.result = None;
        self.needs_end = !self.results.is_empty();
        self.line.iter_mut().for_each(Vec::clear);
        self.begun += 1;
    }

    /// The game has these tags.
    #[inline]
    pub fn tags(&mut self, tags: Tags<'_>) {
        if !self.results.is_empty() {
            self.result = tags.find(b"Result").and_then(outcome);
            self.needs_end = self.result.is_none();
        }
    }

    /// Adds a position of the game, if it is wanted. Returns whether more are needed.
    #[inline]
    pub fn position(&mut self, parser: &mut Parser<'_>, board: &Board, ply: &Ply<'_>) -> bool {
        if self.line.is_some() {
            self.tell_next(ply);
        }
        let games = &self.columns.games;
        if !games.has_ply(ply.ply) {
            // Later variations of the game itself begin with a later ply.
            self.is_past |= ply.depth == 0 && ply.ply > games.to_ply;
            return !self.is_past || self.needs_end;
        }
        if self.is_past || parser.is_full() {
            self.is_past = true;
            return self.needs_end;
        }
        self.count += 1;
        if self.count > self.enough
            && let Some(is_more) = self.after_enough(parser)
        {
            return is_more;
        }
        let records = &mut parser.records;
        self.boards.push(board, &mut records.positions);
        records.numbers.push(self.number);
        if let Some(last) = self.line.as_mut().and_then(|line| line.last_mut()) {
            last.row = Some(records.numbers.len() - 1);
        }
        if !self.columns.kinds.is_empty() {
            self.keep(ply, Some(board));
        }
        true
    }

    /// Looks at how many positions the game may give. If this one is not added, returns whether more are needed.
    #[cold]
    fn after_enough(&mut self, parser: &mut Parser<'_>) -> Option<bool> {
        if cfg!(target_arch = "wasm32") {
            // The page reads games as a whole, and is to be small.
            self.end_of_part = usize::MAX;
        } else if self.count == 1 {
            let Records { numbers, skipped, .. } = &parser.records;
            // What was played from a position may be told after those of variations. Otherwise, the first game can be read in parts:
            // the next one begins where this one does.
            let is_whole = self.line.is_some() && self.columns.games.variations;
            let can_be_cut = numbers.is_empty() && skipped.is_empty() && !is_whole;
            let part = if can_be_cut { parser.part } else { UnitPart::ALL };
            self.passed = part.passed;
            self.end_of_part = part.passed.saturating_add(part.most);
        }
        if self.count <= self.passed {
            return Some(true);
        }
        self.enough = self.most.min(self.end_of_part);
        if self.count <= self.enough {
            return None;
        }
        if self.enough == self.most {
            return Some(false);
        }
        (self.is_past, parser.is_cut) = (true, true);
        Some(self.needs_end)
    }

    /// The game ends: with the marker of a result, or with an error after this many half moves.
    pub fn end(&mut self, parser: &mut Parser<'_>, marker: Option<&[u8]>, error: Option<(u32, RecordError)>) {
        if !self.results.is_empty() {
            self.results.push([self.result.or_else(|| outcome(marker?))]);
        }
        // What comes after the last wanted ply is not looked at.
        if self.is_past || parser.is_full() {
            return;
        }
        let (number, most) = (self.number, self.most);
        let ply = error.as_ref().map_or(0, |(ply, _)| ply + 1);
        let is_kept = if self.count > most {
            self.flush(parser);
            let units = if most < MAX_POSITIONS { "positions with so much to keep of each" } else { "positions" };
            parser.malformed(number, Problem::Length { most, units })
        } else if let Some((_, wrong)) = error {
            self.flush(parser);
            parser.malformed(number, wrong)
        } else {
            false
        };
        if is_kept {
            let mut none = Ply::FIRST;
            none.ply = ply;
            self.keep(&none, None);
        }
    }

    /// Takes note of something else that is wrong with the game, after its end.
    pub fn malformed(&mut self, parser: &mut Parser<'_>, wrong: impl Into<RecordError>) {
        if self.is_past || parser.is_full() {
            return;
        }
        self.flush(parser);
        if parser.malformed(self.number, wrong) {
            self.pad(parser);
            if let Some(place) = self.places.last_mut() {
                *place = self.begun - 1;
            }
        }
    }

    /// Adds the positions that wait to the records. What is malformed comes after them.
    pub fn flush(&mut self, parser: &mut Parser<'_>) {
        self.boards.flush(&mut parser.records.positions);
    }

    /// Tells the position before this one, if it has a row, which move was played in it.
    fn tell_next(&mut self, ply: &Ply<'_>) {
        let Some(line) = &mut self.line else { return };
        let depth = ply.depth as usize;
        line.truncate(depth + 1);
        let around = depth.checked_sub(1).and_then(|around| line.get(around));
        let before = match (line.get(depth), around) {
            // A variation begins with another move in place of the last one around it.
            (_, Some(around)) if around.ply == ply.ply => around.before,
            (Some(last), _) => last.row,
            (None, _) => None,
        };
        line.truncate(depth);
        line.push(LastPosition { ply: ply.ply, row: None, before });
        let Some(row) = before.filter(|_| !ply.text.is_empty()) else { return };
        for (values, kind) in self.values.iter_mut().zip(&self.columns.kinds) {
            // Variations do not change what was played.
            match (values, kind) {
                (GameColumnValues::Numbers(numbers), GameColumn::NextMove)
                    if ply.mv != Move::NONE && numbers[row] == NumberColumn::MISSING =>
                {
                    numbers[row] = ply.mv.bits().into();
                }
                (GameColumnValues::NextTexts(texts), GameColumn::NextSan) => texts.set(row, &tags::text(ply.text)),
                (GameColumnValues::NextTexts(texts), _) => texts.set(row, ply.mv.encode_uci(&mut [0; 5])),
                _ => {}
            }
        }
    }

    /// Adds values to the columns of the position that was added last. There is no board if there is no position.
    #[inline]
    fn keep(&mut self, ply: &Ply<'_>, board: Option<&Board>) {
        for (values, kind) in self.values.iter_mut().zip(&self.columns.kinds) {
            match values {
                GameColumnValues::Numbers(numbers) => {
                    let number = match kind {
                        GameColumn::Game => Some(self.number as i64),
                        GameColumn::Ply => Some(ply.ply.into()),
                        GameColumn::Depth => Some(ply.depth.into()),
                        GameColumn::Move => (ply.mv != Move::NONE).then(|| ply.mv.bits().into()),
                        GameColumn::Halfmove => board.map(|board| board.halfmove_clock().into()),
                        GameColumn::Fullmove => board.map(|board| board.fullmove_number().into()),
                        GameColumn::Clock => ply.clock().map(i64::from),
                        GameColumn::Eval | GameColumn::Mate => match ply.eval() {
                            Some(Eval::Centipawns(value)) if *kind == GameColumn::Eval => Some(value.into()),
                            Some(Eval::Mate(moves)) if *kind == GameColumn::Mate => Some(moves.into()),
                            _ => None,
                        },
                        _ => None,
                    };
                    numbers.push(number.unwrap_or(NumberColumn::MISSING));
                }
                GameColumnValues::Texts(texts) if *kind == GameColumn::San => {
                    texts.push([(!ply.text.is_empty()).then(|| tags::text(ply.text))]);
                }
                GameColumnValues::Texts(texts) => {
                    texts.push([(!ply.text.is_empty()).then_some(ply.mv.encode_uci(&mut [0; 5]))])
                }
                GameColumnValues::NextTexts(texts) => texts.places.push(0..0),
                GameColumnValues::Later => {}
            }
        }
        if self.has_places {
            self.places.push(self.begun - 1);
        }
    }

    /// Adds values that are missing, until each record has one in each column. Records of no game need this before the next game.
    pub fn pad(&mut self, parser: &Parser<'_>) {
        let rows = parser.records.numbers.len();
        for values in &mut self.values {
            match values {
                GameColumnValues::Numbers(numbers) => numbers.resize(rows, NumberColumn::MISSING),
                GameColumnValues::Texts(texts) => texts.pad(rows),
                GameColumnValues::NextTexts(texts) => texts.places.resize(rows, 0..0),
                GameColumnValues::Later => {}
            }
        }
        if self.has_places {
            self.places.resize(rows, u32::MAX);
        }
    }

    /// Gives the records their columns. `others` makes those that the source knows, from their values, one for each game, and
    /// from the place there of each row.
    pub fn finish(mut self, parser: &mut Parser<'_>, others: impl FnOnce(TextTable, &Arc<[u32]>) -> Vec<KeptColumn>) {
        self.flush(parser);
        self.pad(parser);
        let places: Arc<[u32]> = self.places.into();
        let mut results = self.results.columns();
        let mut others = others(self.others, &places).into_iter();
        let records = &mut parser.records;
        let columns = self.values.into_iter().zip(&self.columns.kinds).map(|(values, kind)| match values {
            GameColumnValues::Numbers(numbers) => {
                let digits = if *kind == GameColumn::Clock { 3 } else { 0 };
                KeptColumn::Numbers(NumberColumn::new(numbers, digits))
            }
            GameColumnValues::Texts(texts) => KeptColumn::Text(texts.columns().next().expect("it has a column")),
            GameColumnValues::NextTexts(texts) => {
                KeptColumn::Text(texts.table().columns().next().expect("it has a column"))
            }
            GameColumnValues::Later if *kind == GameColumn::Fen => KeptColumn::Text(records.fens()),
            GameColumnValues::Later if *kind == GameColumn::Result => {
                KeptColumn::Text(results.next().expect("there is one").in_rows(places.clone()))
            }
            GameColumnValues::Later => others.next().expect("there is one for each"),
        });
        let columns = columns.collect();
        records.kept = columns;
    }
}

/// The result of a game, if this says it.
fn outcome(text: &[u8]) -> Option<&'static str> {
    pgn::result(text).filter(|&result| result != "*")
}
