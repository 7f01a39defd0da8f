//! The content of table fields, and its conversion to records.
//!
//! | the column with the positions | holds | a row gives |
//! |---|---|---|
//! | of any name | a position | this position |
//! | the same, with [`Wanted::after_first_move`] | a position; the column `Moves` has what was played in it, in UCI | the position after the first move |
//! | `movetext` or `pgn`, or of any name but `fen` if the first values are games | a game as in PGN, with tags or without, or its moves only | all positions of the game |
//!
//! Case is ignored in these names. Where the first values are moves or tags, all others are read as games too, and those that
//! are not are malformed; where they are not, all are read as positions. A game begins with the usual position, unless its tag
//! `FEN` or else the column `FEN` has another one. That column has the name of the tag, in capitals: other columns may have the
//! position at the end.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use memchr::memchr;
use slider_attacks::position::Positions;
use slider_attacks_games::pgn::{self, Error, GameChoice, Ply, PositionBuffer, Tags, Visitor};
use slider_attacks_games::{Board, MoveError, tags};

use crate::batch::{Parser, push_field};
use crate::columns::KeptColumn;
use crate::columns::texts::{TextColumn, TextTable};
use crate::error::{OpenError, Problem, RecordError};
use crate::games::game_rows::{COLUMNS, GameColumn, GameColumns, GameRows};
use crate::request::{Wanted, exact};

/// The column with the moves that were played in positions.
pub const MOVES: &str = "Moves";
/// The column with the positions that games begin with.
pub const START: &str = "FEN";

/// The values of a record that has none.
pub const NO_VALUES: [Option<&str>; 0] = [];

/// How many positions are read in one call.
const BATCH: usize = 128;
/// How many values of columns to keep may wait with them.
const VALUES: usize = 512;

/// The content of the fields with the positions.
#[derive(Debug)]
pub enum CellContent {
    /// A position.
    Positions,
    /// A position in which the first move of the column [`MOVES`] is to be played.
    FirstMoves,
    /// A game, which may begin with the position in the column [`START`], and the columns to keep.
    Games(GameColumns),
}

/// The columns of games in a table, in addition to those of the table: all except the number of the game, which is that of the
/// row.
const OWN: &[(&str, GameColumn)] = COLUMNS.split_at(1).1;

impl CellContent {
    /// What is wanted of an input of this name, if these columns are kept, and if the column with the positions holds games.
    ///
    /// # Errors
    ///
    /// The requested options contradict each other.
    pub fn new(wanted: &Wanted, kept: &[String], are_games: bool, input: &str) -> Result<CellContent, OpenError> {
        if !are_games {
            return Ok(if wanted.after_first_move { CellContent::FirstMoves } else { CellContent::Positions });
        }
        let (input, column) = (|| input.to_owned(), wanted.column.clone());
        if wanted.after_first_move {
            return Err(OpenError::FirstMovesOfGames { input: input(), column });
        }
        if !wanted.games.conditions.is_empty() {
            return Err(OpenError::NoTags { input: input(), column });
        }
        Ok(CellContent::Games(GameColumns::new(OWN, kept, wanted)))
    }

    /// Whether these are games.
    pub fn are_games(&self) -> bool {
        matches!(self, CellContent::Games(_))
    }

    /// Whether these are positions in which a move is to be played.
    pub fn are_before_moves(&self) -> bool {
        matches!(self, CellContent::FirstMoves)
    }

    /// The names of the columns that games have.
    pub fn own() -> impl Iterator<Item = &'static str> {
        OWN.iter().map(|(name, _)| *name)
    }
}

/// Whether the column with the positions holds games: by its name, or by what `first` says of its first values.
///
/// # Errors
///
/// That of `first`.
pub fn are_games<E>(wanted: &Wanted, first: impl FnOnce() -> Result<Option<bool>, E>) -> Result<bool, E> {
    if wanted.has_games() {
        return Ok(true);
    }
    if wanted.after_first_move || wanted.column.eq_ignore_ascii_case("fen") {
        return Ok(false);
    }
    Ok(first()? == Some(true))
}

/// Whether a value is a game, and not a position. `None` if it does not show that, because it is empty, a result or a single
/// move.
pub fn is_game(value: &[u8]) -> Option<bool> {
    let mut text = value.trim_ascii();
    if tags::begins_games(text) {
        return Some(true);
    }
    while text.starts_with(b"{") {
        text = text[memchr(b'}', text)? + 1..].trim_ascii_start();
    }
    if text.is_empty() || pgn::result(text).is_some() {
        return None;
    }
    let (mut moves, mut is_numbered) = (0, false);
    for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(4) {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let dots = word[digits..].iter().take_while(|&&byte| byte == b'.').count();
        let is_number = digits > 0 && (dots > 0 || digits == word.len());
        is_numbered |= is_number;
        match &word[if is_number { digits + dots } else { 0 }..] {
            b"" => {}
            word if is_move(word) => moves += 1,
            [b'{' | b'(' | b'$' | b';', ..] if moves > 0 => return Some(true),
            _ if moves == 0 => return Some(false),
            _ => break,
        }
    }
    match moves {
        0 => None,
        1 if !is_numbered => None,
        _ => Some(true),
    }
}

/// Whether a word looks like a move: in SAN, in UCI or as castling.
fn is_move(word: &[u8]) -> bool {
    let is_castling = [b"O-O", b"0-0", b"o-o"].iter().any(|castling| word.starts_with(*castling));
    let is_square = |two: &[u8]| matches!(two, [b'a'..=b'h', b'1'..=b'8']);
    let is_part = |byte: &u8| b"abcdefgh12345678KQRBNPqrnpx-=+#!?:".contains(byte);
    let is_usual = matches!(word[0], b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'P') && word.iter().all(is_part);
    is_castling || is_usual && word.windows(2).any(is_square)
}

/// The columns that are needed of a table, in addition to the column with the positions.
#[derive(Debug)]
pub struct NeededColumns {
    /// The content of the fields of that column.
    pub cells: CellContent,
    /// The place of the column [`MOVES`] or [`START`].
    pub start_or_moves: Option<usize>,
    /// The places of the columns to keep that the table has.
    pub places: Vec<usize>,
    /// The names of all columns to keep.
    pub names: Vec<String>,
    /// How many of the last of these only a condition needs.
    pub hidden: usize,
}

impl NeededColumns {
    /// What is needed of an input of this name, which has columns of these names, and the positions in that at `place`, perhaps
    /// as games.
    ///
    /// # Errors
    ///
    /// A column is missing, two columns of the output would have the same name, or what is wanted does not fit together.
    pub fn new(
        wanted: &Wanted,
        names: &[&str],
        place: usize,
        are_games: bool,
        input: &str,
    ) -> Result<NeededColumns, OpenError> {
        let own: Vec<&str> = if are_games { CellContent::own().collect() } else { Vec::new() };
        let (mut places, mut kept) = if are_games {
            wanted.kept_of_games(&own, names, place, input)?
        } else {
            wanted.kept(names, &wanted.optional_columns.rows, input)?
        };
        let hidden = wanted.add_condition_columns(&own, names, (&mut places, &mut kept), input)?;
        let cells = CellContent::new(wanted, &kept, are_games, input)?;
        let start_or_moves = match cells {
            CellContent::Positions => None,
            CellContent::FirstMoves => Some(wanted.moves(MOVES, names, input)?),
            CellContent::Games(_) => exact(names, START, input)?.filter(|&start| start != place),
        };
        Ok(NeededColumns { cells, start_or_moves, places, names: kept, hidden })
    }
}

/// Positions after a first move, on their way to the records.
#[derive(Debug, Default)]
pub struct FirstMoves {
    boards: PositionBuffer,
    /// The position before the move.
    before: Positions,
}

impl FirstMoves {
    /// Adds the position after the first of these moves, and returns whether a record was added, with a position or without.
    /// `field` is the name of the field with the position.
    pub fn push(
        &mut self,
        parser: &mut Parser<'_>,
        fen: &[u8],
        moves: Option<&[u8]>,
        number: u64,
        field: &str,
    ) -> bool {
        match self.board(fen, moves.unwrap_or_default(), field) {
            Ok(board) => {
                self.boards.push(&board, &mut parser.records.positions);
                parser.records.numbers.push(number);
                true
            }
            Err(what) => {
                self.flush(parser);
                parser.malformed(number, what)
            }
        }
    }

    fn board(&mut self, fen: &[u8], moves: &[u8], field: &str) -> Result<Board, RecordError> {
        self.before.clear();
        push_field(&mut self.before, fen, field)?;
        let mut board = Board::from_position(&self.before, 0);
        let word = moves.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
        let word = word.ok_or_else(|| RecordError::from(Problem::NoMove).about_field(MOVES))?;
        let played = match word {
            [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..] => board.play_text(word),
            _ => Err(MoveError::NotAMove),
        };
        played.map_err(|error| {
            let found = String::from_utf8_lossy(word).into_owned();
            RecordError::from(Problem::Move { error, found }).about_field(MOVES).found(word)
        })?;
        Ok(board)
    }

    /// Adds the positions that wait to the records. What is malformed comes after them.
    pub fn flush(&mut self, parser: &mut Parser<'_>) {
        self.boards.flush(&mut parser.records.positions);
    }
}

/// Receives the positions of a game in a field.
struct FieldGame<'r, 'p, 'a> {
    rows: &'r mut GameRows<'p>,
    parser: &'r mut Parser<'a>,
    /// The name of the field.
    field: &'r str,
    /// How many games it has, and whether something is wrong with the first one.
    games: u64,
    has_failed: bool,
}

impl<'t> Visitor<'t> for FieldGame<'_, '_, '_> {
    fn game(&mut self, number: u64, tags: Tags<'t>) -> GameChoice {
        self.games = number;
        if number > 1 {
            return GameChoice::Stop;
        }
        self.rows.tags(tags);
        GameChoice::Positions
    }

    #[inline]
    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        self.rows.position(self.parser, board, ply)
    }

    fn end(&mut self, marker: Option<&'t [u8]>, error: Option<Error<'t>>) {
        self.has_failed = error.is_some();
        let said = error.map(|error| (error.ply, RecordError::of_game_in(self.field, &error)));
        self.rows.end(self.parser, marker, said);
    }
}

/// Reads the game in a field of this name. Its beginning has been told. It begins with the position in `start`, if that
/// is one.
pub fn read_game(
    rows: &mut GameRows<'_>,
    parser: &mut Parser<'_>,
    field: &str,
    text: Option<&[u8]>,
    start: Option<&[u8]>,
) {
    let none = |found| RecordError::from(Problem::NoGame { found }).about_field(field);
    let Some(text) = text else { return no_game(rows, parser, none("null")) };
    // A number is no game. Moves have letters, and results have a dash or a star, unless people write them.
    let is_game = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'*');
    if !text.iter().any(is_game) && pgn::result(text).is_none() {
        return no_game(rows, parser, none("none"));
    }
    let mut first = Board::INITIAL;
    if let Some(start) = start.filter(|start| !start.trim_ascii().is_empty()) {
        let mut positions = Positions::new();
        match push_field(&mut positions, start, START) {
            Ok(()) => first = Board::from_position(&positions, 0),
            Err(what) => return no_game(rows, parser, what),
        }
    }
    let options = rows.options();
    let mut reading = FieldGame { rows, parser, field, games: 0, has_failed: false };
    pgn::read_from(&first, text, options, &mut reading);
    let FieldGame { rows, parser, games, has_failed, .. } = reading;
    match games {
        _ if has_failed => {}
        0 => no_game(rows, parser, none("none")),
        1 => {}
        _ => rows.malformed(parser, none("several")),
    }
}

/// A game that has begun is none.
fn no_game(rows: &mut GameRows<'_>, parser: &mut Parser<'_>, wrong: impl Into<RecordError>) {
    rows.end(parser, None, None);
    rows.malformed(parser, wrong);
}

/// Adds records whose positions are fields. Those that are parts of the text of a block wait until there are many of them, which
/// are read in one call.
#[derive(Debug)]
pub struct FieldRows<'p, 'a> {
    parser: &'p mut Parser<'a>,
    /// The name of the field with the positions, and what it holds.
    field: &'p str,
    holds: FieldContent<'p>,
    kept: TextTable,
    /// The positions that wait: their places in the text, and the numbers of their units.
    waiting: Vec<(Range<usize>, u64)>,
    /// Their values of the kept columns.
    values: Vec<Option<Cow<'a, str>>>,
}

/// The content of the fields, with pending positions. Pending boards take some kilobytes.
#[derive(Debug)]
enum FieldContent<'p> {
    Positions,
    FirstMoves(Box<FirstMoves>),
    Games(Box<GameRows<'p>>),
}

impl<'p, 'a> FieldRows<'p, 'a> {
    /// Begins to add records with this number of values to keep. The field with the positions has this name, and holds this.
    pub fn new(parser: &'p mut Parser<'a>, field: &'p str, cells: &'p CellContent, width: usize) -> FieldRows<'p, 'a> {
        let holds = match cells {
            CellContent::Positions => FieldContent::Positions,
            CellContent::FirstMoves => FieldContent::FirstMoves(Box::default()),
            CellContent::Games(columns) => FieldContent::Games(Box::new(GameRows::new(columns, width))),
        };
        let (kept, waiting) = (TextTable::new(width), Vec::with_capacity(BATCH));
        FieldRows { parser, field, holds, kept, waiting, values: Vec::new() }
    }

    /// Whether no other record is to be added.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.parser.is_done_with(self.waiting.len())
    }

    /// Stops; reading continues after this many bytes of the text, which are this many units.
    pub fn stop(&mut self, at: usize, units: u64) {
        self.parser.stop(at, units);
    }

    /// Adds the position at this place of the text, which has no line end within it, and its values of the columns to keep. If the
    /// fields hold something else, [`push_text`](FieldRows::push_text) adds it.
    #[inline]
    pub fn push(&mut self, place: Range<usize>, number: u64, values: impl IntoIterator<Item = Option<Cow<'a, str>>>) {
        self.waiting.push((place, number));
        if !self.kept.is_empty() {
            self.values.extend(values);
        }
        let room = BATCH.min(self.parser.room());
        if self.waiting.len() >= room || self.values.len() >= VALUES {
            self.read();
        }
    }

    /// Adds what a field holds, in addition to a value of the column [`MOVES`] or [`START`].
    pub fn push_text<T: AsRef<str>>(
        &mut self,
        text: &[u8],
        start_or_moves: Option<&str>,
        number: u64,
        values: impl IntoIterator<Item = Option<T>>,
    ) {
        if matches!(self.holds, FieldContent::Positions) {
            self.read_positions();
        }
        if self.is_done() {
            return;
        }
        let (parser, field, start_or_moves) = (&mut *self.parser, self.field, start_or_moves.map(str::as_bytes));
        let is_added = match &mut self.holds {
            FieldContent::Positions => parser.push(text, number, Some(field)),
            FieldContent::FirstMoves(positions) => positions.push(parser, text, start_or_moves, number, field),
            FieldContent::Games(rows) => {
                rows.pad(parser);
                rows.begin(number, values);
                return read_game(rows, parser, field, Some(text), start_or_moves);
            }
        };
        if is_added {
            parser.keep(&mut self.kept, values);
        }
    }

    /// Takes note of a malformed unit. If a record without a position is added for it, that has these values.
    pub fn malformed<T: AsRef<str>>(
        &mut self,
        number: u64,
        wrong: impl Into<RecordError>,
        values: impl IntoIterator<Item = Option<T>>,
    ) {
        self.read();
        if self.is_done() {
            return;
        }
        if let FieldContent::Games(rows) = &mut self.holds {
            rows.pad(self.parser);
            rows.begin(number, values);
            no_game(rows, self.parser, wrong);
        } else if self.parser.malformed(number, wrong) {
            self.parser.keep(&mut self.kept, values);
        }
    }

    /// Ends the run because of a unit that is not malformed, but does not fit the output.
    pub fn fail(&mut self, number: u64, what: impl Display) {
        self.read();
        if !self.is_done() {
            self.parser.fail(number, what);
        }
    }

    /// Takes note of a unit that is too long.
    pub fn too_long(&mut self, number: u64) {
        self.read();
        if !self.is_done() {
            self.parser.too_long(number);
        }
    }

    /// The bytes as text. If they are not UTF-8, the unit is malformed.
    #[inline]
    pub fn text<'t>(&mut self, bytes: &'t [u8], number: u64) -> Option<&'t str> {
        if let Ok(text) = str::from_utf8(bytes) {
            return Some(text);
        }
        self.read();
        if self.is_done() { None } else { self.parser.text(bytes, number) }
    }

    /// Gives the records their columns to keep. Those of the values are made by `column`.
    pub fn finish(mut self, column: impl Fn(TextColumn) -> KeptColumn) {
        self.read();
        match self.holds {
            FieldContent::Games(rows) => rows.finish(self.parser, |values, places| {
                values.columns().map(|values| column(values.in_rows(places.clone()))).collect()
            }),
            _ => self.parser.finish(self.kept, column),
        }
    }

    /// Reads the positions that wait.
    fn read(&mut self) {
        match &mut self.holds {
            FieldContent::Positions => self.read_positions(),
            FieldContent::FirstMoves(positions) => positions.flush(self.parser),
            FieldContent::Games(rows) => rows.flush(self.parser),
        }
    }

    fn read_positions(&mut self) {
        let FieldRows { parser, field, kept, waiting, values, .. } = self;
        let width = if waiting.is_empty() { 0 } else { values.len() / waiting.len() };
        let text = parser.bytes();
        let (mut rest, mut values) = (waiting.as_slice(), values.drain(..));
        while !rest.is_empty() && !parser.is_full() {
            let before = parser.records.positions.len();
            let places = rest.iter().map(|(place, _)| place.clone());
            let read = parser.records.positions.push_fens_in(text, places);
            let (added, others) = rest.split_at(parser.records.positions.len() - before);
            if width == 0 {
                parser.records.numbers.extend(added.iter().map(|(_, number)| number));
            } else {
                for (_, number) in added {
                    parser.records.numbers.push(*number);
                    parser.keep(kept, values.by_ref().take(width));
                }
            }
            let Err(error) = read else { break };
            let Some(((_, number), others)) = others.split_first() else { break };
            let values = values.by_ref().take(width);
            if parser.malformed(*number, RecordError::from(error).in_field(field)) {
                parser.keep(kept, values);
            } else {
                values.for_each(drop);
            }
            rest = others;
        }
        drop(values);
        waiting.clear();
    }
}
