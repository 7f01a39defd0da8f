//! PGN: games, of which each gives the position at its beginning and the one after each move.
//!
//! A block holds whole games: it is cut before tags, or between games without tags. So the moves of a game are read by one
//! thread, and a mistake in them leaves out the rest of that game only.
//!
//! | column | values |
//! |---|---|
//! | `game` | the number of the game, from 1 |
//! | `ply` | how many half moves were played before the position |
//! | `san` | the move that led to it, as the text has it |
//! | `uci` | the same as in UCI; castling as `e1g1`, or in other positions of Chess960 from the king to the rook |
//! | `move` | the same in 16 bits, as [`Move::bits`] says |
//! | `next` | the move that was played in the position, in 16 bits |
//! | `halfmove`, `fullmove` | half moves since the last capture or move of a pawn, and the number of the move |
//! | `eval`, `mate` | what `[%eval]` says, as white sees it: centipawns, or moves up to the mate, below zero if black mates |
//! | `clk` | what `[%clk]` says, in seconds |
//! | `result` | `1-0`, `0-1` or `1/2-1/2`: from the tag, or else from the end of the moves |
//! | `depth` | how many variations the position is in |
//! | `fen` | the position: board, side to move, castling rights and en passant square |
//!
//! Any other name is that of a tag. What a game or a position does not have is missing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use memchr::memmem;
use slider_attacks_games::pgn::{self, Boards, Error, Eval, Options, Ply, Take, Visitor};
use slider_attacks_games::tags::{self, MAX_NAME, Tags};
use slider_attacks_games::{Board, Kind, Move};

use crate::columns::{KeptColumn, NumberColumn};
use crate::compression::is_compressed;
use crate::content::{Content, MAX_RECORD, Most, escapes};
use crate::games::Games;
use crate::reader::Reader;
use crate::records::Parser;
use crate::source::{Opened, Source};
use crate::text::Cut;
use crate::texts::TextTable;
use crate::wanted::Wanted;

/// The most positions that a game gives.
pub const MAX_POSITIONS: usize = 1 << 13;
/// The most bytes that the tags to keep of a game take in all of its rows.
const MAX_TAGS: usize = 16 << 20;
/// The most threats of a position that a game can come to: nine queens, and the other pieces of each side.
const MOST_THREATS: usize = 2 * (9 * 8 + 2 * (8 + 4 + 4) + 8);
/// What else it takes to read a block: boards that wait, and those before variations.
const WAITING: usize = 24 << 10;
const VARIATIONS: usize = 160 << 10;

/// Games.
#[derive(Debug)]
struct PgnGames {
    /// The names of the columns to keep, and what each of them is.
    columns: Vec<String>,
    kinds: Vec<Column>,
    /// The tags to keep, in the order of the columns.
    tags: Vec<String>,
    games: Games,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Game,
    Ply,
    San,
    Uci,
    Move,
    Next,
    Halfmove,
    Fullmove,
    Eval,
    Mate,
    Clock,
    Depth,
    Fen,
    Result,
    Tag,
}

/// The columns that are no tags. All of them are kept if all columns are to be kept, and so are the tags that each game has.
const COLUMNS: [(&str, Column); 14] = [
    ("game", Column::Game),
    ("ply", Column::Ply),
    ("san", Column::San),
    ("uci", Column::Uci),
    ("move", Column::Move),
    ("next", Column::Next),
    ("halfmove", Column::Halfmove),
    ("fullmove", Column::Fullmove),
    ("eval", Column::Eval),
    ("mate", Column::Mate),
    ("clk", Column::Clock),
    ("result", Column::Result),
    ("depth", Column::Depth),
    ("fen", Column::Fen),
];
const TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

impl Column {
    /// Whether it has one value for each game.
    fn is_of_games(self) -> bool {
        matches!(self, Column::Result | Column::Tag)
    }

    /// Whether its values are numbers.
    fn has_numbers(self) -> bool {
        use Column::{Clock, Depth, Eval, Fullmove, Game, Halfmove, Mate, Move, Next, Ply};
        matches!(self, Game | Ply | Move | Next | Halfmove | Fullmove | Eval | Mate | Clock | Depth)
    }
}

/// Takes files whose names end so, and text that begins with a tag.
///
/// # Errors
///
/// The input cannot be read, or two columns to keep would have the same name.
pub fn open(reader: &mut Reader<'_>, wanted: &Wanted) -> Result<Option<Opened>> {
    if wanted.pairs {
        return Ok(None);
    }
    let is_named = reader.input.extension().as_deref() == Some("pgn");
    if !tags::is_tag(reader.any_first_line()?) && !is_named {
        return Ok(None);
    }
    let mut columns: Vec<String> = if wanted.keep_all() {
        COLUMNS.iter().map(|(name, _)| *name).chain(TAGS).map(str::to_owned).collect()
    } else {
        wanted.keep.clone()
    };
    let more = wanted.if_there.games.iter().filter(|name| !wanted.keep.contains(name));
    columns.extend(more.cloned());
    wanted.check_names(&columns, &reader.input.name())?;
    let source = PgnGames::new(columns, wanted.games.clone());
    Ok(Some(Opened::cut(source, WholeGames::default())))
}

impl PgnGames {
    fn new(columns: Vec<String>, games: Games) -> PgnGames {
        let kind = |name: &String| COLUMNS.iter().find(|(own, _)| own == name).map_or(Column::Tag, |(_, kind)| *kind);
        let kinds: Vec<Column> = columns.iter().map(kind).collect();
        let tags = columns.iter().zip(&kinds).filter(|(_, kind)| **kind == Column::Tag);
        let tags = tags.map(|(name, _)| name.clone()).collect();
        PgnGames { columns, kinds, tags, games }
    }

    /// The most rows that the games of a text have, with those of mistakes, and the most games.
    fn rows(text: &[u8]) -> (usize, usize) {
        let (words, tags) = words_and_tags(text);
        // Without tags, each result ends a game.
        let games = 1 + if tags::is_tag(text) { tags } else { tags + words };
        // One for each move, and for each game the position at its beginning, and what is wrong with it: its tags or its result
        // are words as well, unless it is the last one.
        (words + games + 1, games)
    }

    /// How many bytes the tags to keep of a game take in a row.
    fn tag_bytes(&self, tags: Tags<'_>) -> usize {
        let values = self.tags.iter().filter_map(|name| tags.find(name.as_bytes()));
        // Latin-1 becomes UTF-8.
        values.map(|value| 2 * value.len() + escapes(value)).sum()
    }

    /// The most positions that a game gives, if its tags to keep take so many bytes in a row.
    fn most_positions(tag_bytes: usize) -> usize {
        MAX_POSITIONS.min(MAX_TAGS / tag_bytes.max(1)).max(1)
    }

    /// The most rows of a text, and how many bytes tags take in all of them.
    fn rows_and_tags(&self, text: &[u8]) -> (usize, usize) {
        if self.tags.is_empty() && text.len() < MAX_POSITIONS {
            return (PgnGames::rows(text).0, 0);
        }
        let sum = |sum: (usize, usize), (place, tags): (Range<usize>, Tags<'_>)| {
            let each = self.tag_bytes(tags);
            let rows = PgnGames::rows(&text[place]).0.min(PgnGames::most_positions(each) + 1);
            (sum.0 + rows, sum.1 + rows * each)
        };
        games(text).fold((1, 0), sum)
    }
}

impl Source for PgnGames {
    fn unit(&self) -> &'static str {
        "game"
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn has_games(&self) -> bool {
        true
    }

    fn most(&self, content: &Content) -> Most {
        let text = content.bytes();
        let (positions, tag_bytes) = self.rows_and_tags(text);
        let column = |kind: &Column| match kind {
            Column::Fen => 180,
            kind if kind.has_numbers() => 24,
            _ => 12,
        };
        let own: usize = self.kinds.iter().map(column).sum();
        let is_usual = memmem::find(text, b"[FEN").is_none();
        Most {
            bytes: text.len(),
            units: PgnGames::rows(text).1,
            positions,
            growth: positions * own + tag_bytes + if self.tags.is_empty() { 0 } else { 2 * text.len() },
            fields: WAITING + if self.games.variations { VARIATIONS } else { 0 },
            has_letters: false,
            threats: is_usual.then_some(MOST_THREATS),
        }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let text = parser.content.bytes();
        let mut rows = Rows::new(self, parser);
        let mut options = Options::default();
        options.variations = self.games.variations;
        if text.len() <= MAX_RECORD {
            pgn::read(text, options, &mut rows);
        } else {
            for (place, _) in games(text) {
                if rows.parser.is_done() {
                    break;
                }
                rows.go_to(text, place.start);
                if place.len() > MAX_RECORD {
                    rows.too_long();
                } else {
                    pgn::read(&text[place], options, &mut rows);
                }
            }
        }
        rows.finish();
    }
}

/// Receives positions, and adds them to the records.
struct Rows<'p, 'a> {
    source: &'p PgnGames,
    parser: &'p mut Parser<'a>,
    boards: Boards,
    /// How many games were before those that are being read, in the input, and the game that is being read.
    before: u64,
    number: u64,
    /// The line and the column that the games begin in.
    start: (u64, usize),
    /// The values of the columns, except those of games.
    values: Vec<ColumnValues>,
    /// The values of games, and the row there of each position.
    of_games: TextTable,
    games: Vec<u32>,
    /// How many rows `of_games` has.
    game: u32,
    /// Of the game that is being read: its tags, whether it is read at all, and whether the last wanted ply has passed.
    tags: Tags<'a>,
    is_read: bool,
    is_past: bool,
    /// Its result, if a tag says it, and whether it is needed and must be read.
    result: Option<&'static str>,
    needs_end: bool,
    /// How many positions it has given and how many it may give.
    count: usize,
    most: usize,
    /// By depth of variations, the last position there, if the moves that were played in positions are kept.
    line: Option<Vec<Last>>,
}

/// The last position of a game or a variation.
#[derive(Clone, Copy)]
struct Last {
    ply: u32,
    /// Its row and that of the position before it, if they have rows.
    row: Option<usize>,
    before: Option<usize>,
}

/// Values of a column.
enum ColumnValues {
    Numbers(Vec<i64>),
    Texts(TextTable),
    /// None: they are made from the positions, or are those of games.
    Later,
}

impl<'p, 'a> Rows<'p, 'a> {
    fn new(source: &'p PgnGames, parser: &'p mut Parser<'a>) -> Rows<'p, 'a> {
        let values = source.kinds.iter().map(|kind| match kind {
            Column::San | Column::Uci => ColumnValues::Texts(TextTable::new(1)),
            kind if kind.has_numbers() => ColumnValues::Numbers(Vec::new()),
            _ => ColumnValues::Later,
        });
        let (before, start) = (parser.first - 1, (parser.start.line, parser.start.column));
        let width = source.kinds.iter().filter(|kind| kind.is_of_games()).count();
        Rows {
            source,
            values: values.collect(),
            parser,
            boards: Boards::default(),
            before,
            number: before,
            start,
            of_games: TextTable::new(width),
            games: Vec::new(),
            game: 0,
            tags: Tags::default(),
            is_read: false,
            is_past: false,
            result: None,
            needs_end: false,
            count: 0,
            most: 0,
            line: source.kinds.contains(&Column::Next).then(Vec::new),
        }
    }

    /// The games that begin at this place of the text are read next.
    fn go_to(&mut self, text: &[u8], at: usize) {
        let start = self.parser.start;
        let line_ends = memchr::memchr_iter(b'\n', &text[..at]).count();
        let column = memchr::memrchr(b'\n', &text[..at]).map_or(start.column + at, |end| at - end - 1);
        (self.before, self.start) = (self.number, (start.line + line_ends as u64, column));
    }

    /// The next game is too long.
    fn too_long(&mut self) {
        self.number += 1;
        self.boards.flush(&mut self.parser.records.positions);
        self.parser.too_long(self.number);
        self.pad();
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
        line.push(Last { ply: ply.ply, row: None, before });
        if let (Some(row), true) = (before, ply.mv != Move::NONE) {
            for (values, _) in self.values.iter_mut().zip(&self.source.kinds).filter(|(_, kind)| **kind == Column::Next)
            {
                // Variations do not change what was played.
                if let ColumnValues::Numbers(numbers) = values
                    && numbers[row] == NumberColumn::MISSING
                {
                    numbers[row] = i64::from(ply.mv.bits());
                }
            }
        }
    }

    /// Adds values to the columns of the position that was added last. There is no board if there is no position.
    #[inline]
    fn keep(&mut self, ply: &Ply<'_>, board: Option<&Board>) {
        let counter = |of: fn(&Board) -> u16| board.map_or(NumberColumn::MISSING, |board| of(board).into());
        for (values, kind) in self.values.iter_mut().zip(&self.source.kinds) {
            match values {
                ColumnValues::Numbers(numbers) => numbers.push(match (kind, ply.eval(), ply.clock()) {
                    (Column::Game, ..) => self.number as i64,
                    (Column::Ply, ..) => i64::from(ply.ply),
                    (Column::Depth, ..) => i64::from(ply.depth),
                    (Column::Move, ..) if ply.mv != Move::NONE => i64::from(ply.mv.bits()),
                    (Column::Halfmove, ..) => counter(Board::halfmove_clock),
                    (Column::Fullmove, ..) => counter(Board::fullmove_number),
                    (Column::Eval, Some(Eval::Centipawns(value)), _) => i64::from(value),
                    (Column::Mate, Some(Eval::Mate(moves)), _) => i64::from(moves),
                    (Column::Clock, _, Some(clock)) => i64::from(clock),
                    _ => NumberColumn::MISSING,
                }),
                ColumnValues::Texts(texts) if *kind == Column::San => {
                    texts.push([(!ply.text.is_empty()).then(|| tags::text(ply.text))]);
                }
                ColumnValues::Texts(texts) => texts.push([(!ply.text.is_empty()).then(|| uci(ply.mv))]),
                ColumnValues::Later => {}
            }
        }
        if !self.of_games.is_empty() {
            self.games.push(self.game);
        }
    }

    /// Adds values that are missing, until each position has one in each column.
    fn pad(&mut self) {
        let rows = self.parser.records.numbers.len();
        for values in &mut self.values {
            match values {
                ColumnValues::Numbers(numbers) => numbers.resize(rows, NumberColumn::MISSING),
                ColumnValues::Texts(texts) => texts.pad(rows),
                ColumnValues::Later => {}
            }
        }
        if !self.of_games.is_empty() {
            self.games.resize(rows, u32::MAX);
        }
    }

    /// Gives the records their columns.
    fn finish(mut self) {
        self.boards.flush(&mut self.parser.records.positions);
        self.pad();
        let games: Arc<[u32]> = self.games.into();
        let mut of_games = self.of_games.columns();
        let records = &mut self.parser.records;
        let columns = self.values.into_iter().zip(&self.source.kinds).map(|(values, kind)| match values {
            ColumnValues::Numbers(numbers) => {
                let digits = if *kind == Column::Clock { 3 } else { 0 };
                KeptColumn::Numbers(NumberColumn::new(numbers, digits))
            }
            ColumnValues::Texts(texts) => KeptColumn::Text(texts.columns().next().expect("it has a column")),
            ColumnValues::Later if *kind == Column::Fen => {
                let mut texts = TextTable::new(1);
                let mut nulls = records.nulls.iter().map(|(place, _)| *place).peekable();
                for row in 0..records.numbers.len() {
                    let is_null = nulls.next_if_eq(&row).is_some();
                    texts.push([(!is_null).then(|| records.positions.fen(row))]);
                }
                KeptColumn::Text(texts.columns().next().expect("it has a column"))
            }
            ColumnValues::Later => {
                KeptColumn::Text(of_games.next().expect("there is one for each").in_rows(games.clone()))
            }
        });
        let columns = columns.collect();
        records.kept = columns;
    }
}

impl<'a> Visitor<'a> for Rows<'_, 'a> {
    fn game(&mut self, number: u64, tags: Tags<'a>) -> Take {
        if self.parser.is_done() {
            return Take::Stop;
        }
        self.number = self.before + number;
        self.is_read = self.source.games.has_game(tags);
        if !self.is_read {
            return Take::Skip;
        }
        (self.tags, self.is_past, self.count) = (tags, false, 0);
        self.line.iter_mut().for_each(Vec::clear);
        self.most = MAX_POSITIONS;
        if !self.source.tags.is_empty() {
            // Nearly always, this is enough.
            self.most = PgnGames::most_positions(7 * tags.as_bytes().len());
        }
        if self.source.kinds.contains(&Column::Result) {
            self.result = tags.find(b"Result").and_then(result);
            self.needs_end = self.result.is_none();
        }
        Take::Positions
    }

    #[inline]
    fn position(&mut self, board: &Board, ply: &Ply<'a>) -> bool {
        if self.line.is_some() {
            self.tell_next(ply);
        }
        let games = &self.source.games;
        if !games.has_ply(ply.ply) {
            // Later variations of the game itself begin with a later ply.
            self.is_past |= ply.depth == 0 && ply.ply > games.to_ply;
            return !self.is_past || self.needs_end;
        }
        if self.is_past || self.parser.is_done() {
            self.is_past = true;
            return self.needs_end;
        }
        self.count += 1;
        if self.count > self.most {
            self.most = PgnGames::most_positions(self.source.tag_bytes(self.tags));
            if self.count > self.most {
                return false;
            }
        }
        let records = &mut self.parser.records;
        self.boards.push(board, &mut records.positions);
        records.numbers.push(self.number);
        if let Some(last) = self.line.as_mut().and_then(|line| line.last_mut()) {
            last.row = Some(records.numbers.len() - 1);
        }
        if !self.source.kinds.is_empty() {
            self.keep(ply, Some(board));
        }
        true
    }

    fn end(&mut self, marker: Option<&'a [u8]>, error: Option<Error<'a>>) {
        if !mem::take(&mut self.is_read) {
            return;
        }
        if !self.of_games.is_empty() {
            let result = self.result.or_else(|| result(marker?));
            let value = |name: &String| self.tags.find(name.as_bytes()).map(tags::text);
            let mut tags = self.source.tags.iter().map(value);
            let values = self.source.kinds.iter().filter(|kind| kind.is_of_games()).map(|kind| match kind {
                Column::Result => result.map(Into::into),
                _ => tags.next().expect("there is a tag for each of its columns"),
            });
            self.of_games.push(values);
        }
        // What comes after the last wanted ply is not looked at.
        if !self.is_past && !self.parser.is_done() {
            let (number, most) = (self.number, self.most);
            let is_kept = if self.count > most {
                self.boards.flush(&mut self.parser.records.positions);
                self.parser.malformed(number, format_args!("length: expected at most {most} positions, found more"))
            } else if let Some(mut error) = error {
                self.boards.flush(&mut self.parser.records.positions);
                error.column += if error.line == 1 { self.start.1 } else { 0 };
                error.line += self.start.0 - 1;
                self.parser.malformed(number, error)
            } else {
                false
            };
            if is_kept {
                let ply = error.map_or(0, |error| error.ply + 1);
                let mut none = Ply::FIRST;
                none.ply = ply;
                self.keep(&none, None);
            }
        }
        self.game += 1;
    }
}

/// The result of a game, if this says it.
fn result(text: &[u8]) -> Option<&'static str> {
    match text {
        b"1-0" => Some("1-0"),
        b"0-1" => Some("0-1"),
        b"1/2-1/2" | b"1/2" => Some("1/2-1/2"),
        _ => None,
    }
}

/// A move as in UCI: castling as `e1g1`, or in other positions of Chess960 from the king to the rook.
pub fn uci(mv: Move) -> String {
    let mut text = mv.to_string();
    if mv.kind() == Kind::Castling && text.starts_with('e') {
        match &text[2..3] {
            "h" => text.replace_range(2..3, "g"),
            "a" => text.replace_range(2..3, "c"),
            _ => {}
        }
    }
    text
}

/// How many words the text has at most that can be moves or results, and how many lines may be tags.
fn words_and_tags(text: &[u8]) -> (usize, usize) {
    /// Whether a word may begin after this byte: all that ends a word, and some others, in few operations.
    fn is_end(byte: u8) -> bool {
        (byte <= b'.') | (byte & 0xfb == b';') | (byte | 0x20 >= b'{')
    }
    fn is_begin(byte: u8) -> bool {
        (byte > b')') & (byte & 0xfb != b';') & (byte != b'[')
    }
    let count = |pair: (&u8, &u8)| {
        let word = u8::from(is_end(*pair.0) & is_begin(*pair.1));
        let tag = u8::from((*pair.0 == b'\n') & (*pair.1 == b'['));
        (word, tag)
    };
    let Some((first, rest)) = text.split_first() else { return (0, 0) };
    let (mut words, mut tags) = (usize::from(is_begin(*first)), usize::from(*first == b'['));
    // Sums of bytes are sums of vectors.
    for (before, part) in text.chunks(128).zip(rest.chunks(128)) {
        let sums =
            before.iter().zip(part).map(count).fold((0_u8, 0_u8), |sums, more| (sums.0 + more.0, sums.1 + more.1));
        words += usize::from(sums.0);
        tags += usize::from(sums.1);
    }
    (words, tags)
}

/// Games are whole.
#[derive(Debug, Default)]
struct WholeGames {
    /// Games without tags are looked for when there are so many bytes: those before have been looked at in vain.
    next_look: usize,
}

impl Cut for WholeGames {
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        // Before that, it was clear what is a tag.
        let floor = from.saturating_sub(MAX_NAME + 1);
        let mut end = bytes.len();
        while let Some(found) = memmem::rfind(&bytes[floor..end], b"\n[") {
            let at = floor + found + 1;
            if tags::begin(bytes, at) {
                return Some(at);
            }
            end = floor + found + 1;
        }
        if tags::is_tag(bytes) || bytes.len() < self.next_look && bytes.len() <= MAX_RECORD {
            return None;
        }
        self.next_look = 2 * bytes.len();
        let starts = starts(bytes);
        if starts.get(1).is_some_and(|(second, _)| *second > MAX_RECORD) {
            return None;
        }
        // A block must not begin with what would be something else at the beginning of a line, or within what a message shows.
        let may_begin = |at: usize| match bytes[at] {
            b'[' | b'%' => bytes[at - 1] == b'\n',
            byte => byte != b'\xef' && bytes[at - 1].is_ascii_whitespace(),
        };
        starts.into_iter().rev().map(|(at, _)| at).find(|&at| at > 0 && may_begin(at))
    }

    fn begin(&mut self) {
        self.next_look = 0;
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        if bytes.len() > MAX_RECORD {
            return games(bytes).count() as u64;
        }
        struct Count(u64);
        impl Visitor<'_> for Count {
            fn game(&mut self, number: u64, _: Tags<'_>) -> Take {
                self.0 = number;
                Take::Skip
            }
            fn position(&mut self, _: &Board, _: &Ply<'_>) -> bool {
                false
            }
        }
        let mut count = Count(0);
        pgn::read(bytes, Options::default(), &mut count);
        count.0
    }

    /// A game without tags that is too long ends before the next tags.
    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        let mut found = memmem::find_iter(bytes, b"\n[").map(|line| line + 1);
        if let Some(at) = found.find(|&at| tags::begin(bytes, at)) {
            bytes.drain(..at);
            return true;
        }
        // What tells whether the next game begins stays: whether the line before is a tag, and the beginning of this line.
        if let Some(end) = memchr::memrchr(b'\n', bytes) {
            let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |end| end + 1);
            let before: &[u8] = if tags::is_tag(&bytes[start..end]) { b"[a \"" } else { b"" };
            bytes.splice(..end, before.iter().copied());
            bytes.truncate(before.len() + 1 + MAX_NAME);
        } else {
            bytes.truncate(MAX_NAME);
        }
        false
    }

    fn has_lines(&self) -> bool {
        true
    }

    /// A ply takes from 5 to 30 bytes, a line of FEN 60.
    fn block_bytes(&self, lines: usize) -> usize {
        (lines / 4).max(1)
    }
}

/// Whether a file of this name is PGN that is not compressed.
///
/// # Errors
///
/// It cannot be read.
pub fn is_plain(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(64 << 10).read_to_end(&mut text)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    Ok(tags::is_tag(text.trim_ascii_start()) || is_named && !is_compressed(text))
}

/// Where the first game with tags begins, from this byte on; the length of the file if there is none.
///
/// # Errors
///
/// The file cannot be read.
pub fn next_game(file: &mut File, at: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    // The line before may be a tag: from its beginning on.
    let mut start = at.saturating_sub(1);
    while start > 0 {
        let from = start.saturating_sub(STEP);
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(start - from).read_to_end(&mut part)?;
        if let Some(end) = memchr::memrchr(b'\n', &part) {
            start = from + end as u64 + 1;
            break;
        }
        start = from;
    }
    file.seek(SeekFrom::Start(start))?;
    let (mut bytes, mut end) = (Vec::new(), start);
    loop {
        let read = file.take(STEP).read_to_end(&mut bytes)?;
        end += read as u64;
        if read == 0 {
            return Ok(end);
        }
        if WholeGames::default().pass_over(&mut bytes) {
            return Ok(end - bytes.len() as u64);
        }
    }
}

/// Where the games of a text begin, and their tags.
fn starts(text: &[u8]) -> Vec<(usize, Tags<'_>)> {
    struct Starts<'t>(&'t [u8], Vec<(usize, Tags<'t>)>);
    impl<'t> Visitor<'t> for Starts<'t> {
        fn game(&mut self, _: u64, tags: Tags<'t>) -> Take {
            self.1.push((tags.as_bytes().as_ptr().addr() - self.0.as_ptr().addr(), tags));
            Take::Skip
        }
        fn position(&mut self, _: &Board, _: &Ply<'t>) -> bool {
            false
        }
    }
    let mut starts = Starts(text, Vec::new());
    pgn::read(text, Options::default(), &mut starts);
    starts.1
}

/// The games of a text, one after the other, and their tags. What is too long before tags is one game.
fn games(text: &[u8]) -> impl Iterator<Item = (Range<usize>, Tags<'_>)> {
    let mut starts = starts(text);
    match starts.first_mut() {
        Some((at, tags)) if *at <= MAX_RECORD || tags.is_empty() => *at = 0,
        None if text.len() <= MAX_RECORD => {}
        _ => starts.insert(0, (0, Tags::default())),
    }
    let mut starts = starts.into_iter().peekable();
    std::iter::from_fn(move || {
        let (start, tags) = starts.next()?;
        let end = |next: Option<&(usize, Tags<'_>)>| next.map_or(text.len(), |(at, _)| *at);
        if tags.is_empty() && end(starts.peek()) - start > MAX_RECORD {
            while starts.next_if(|(_, tags)| tags.is_empty()).is_some() {}
        }
        Some((start..end(starts.peek()), tags))
    })
}

#[cfg(test)]
mod tests;
