//! PGN: games, each with its starting position and the position after each move.
//!
//! A block holds whole games: it is cut where a game certainly begins, or else where the reader finds one. So the moves of a
//! game are read by one thread, and an error in them leaves out only the rest of that game.
//!
//! The columns other than tags are those of [`game_rows`](crate::games::game_rows). Any other name is that of a tag. Values
//! that a game or a position lacks are missing.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr2_iter, memrchr2, memrchr2_iter};
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Error, GameChoice, PgnOptions, PgnProblem, Ply, Visitor};
use slider_attacks_games::tags::{self, MAX_NAME, Tags};

use crate::batch::Parser;
use crate::beginning::Beginning;
use crate::columns::KeptColumn;
use crate::content::MAX_RECORD;
use crate::cut::{Cut, UnitCount};
use crate::error::{OpenError, Purpose, RecordError};
use crate::games::game_rows::{COLUMNS, GameColumns, GameRows};
use crate::games::{Condition, NamedTags};
use crate::request::{Wanted, add, no_column};
use crate::source::{OpenedSource, Source};
use crate::warnings::Warnings;

/// Games.
#[derive(Debug)]
struct PgnGames {
    /// The names of the columns to keep, and what each of them is.
    columns: Vec<String>,
    kinds: GameColumns,
    /// How many of the last columns only a condition needs.
    hidden: usize,
    /// The tags to keep, in the order of the columns.
    tags: Vec<String>,
    warnings: Arc<Warnings>,
}

/// What is kept in addition to the columns that are no tags if all columns are to be kept: the tags that each game has.
const TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

/// Takes files whose names end so, and text that begins with a tag.
///
/// # Errors
///
/// More bytes are needed, or two columns to keep would have the same name.
pub fn open(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    if wanted.pairs {
        return Ok(None);
    }
    let is_named = beginning.extension() == Some("pgn");
    if !tags::begins_games(beginning.any_first_line()?) && !is_named {
        return Ok(None);
    }
    let mut all: Vec<String> = COLUMNS.iter().map(|(name, _)| *name).chain(TAGS).map(str::to_owned).collect();
    if wanted.all_tags {
        add_tags(beginning.first_text(FIRST_GAMES)?, &mut all);
    }
    let input = beginning.name();
    let mut columns = match wanted.keep_all() {
        true => all,
        false if wanted.all_tags => {
            let names: Vec<&str> = all.iter().map(String::as_str).collect();
            let found = |name: &String| match wanted.place(&names, name, input)? {
                Some(place) => Ok(names[place].to_owned()),
                None if wanted.known_tags => Err(no_column(input, name, Purpose::Keep, &names)),
                None => Ok(name.clone()),
            };
            wanted.keep.iter().map(found).collect::<Result<_, _>>()?
        }
        false => wanted.keep.clone(),
    };
    add(&wanted.optional_columns.games, &mut columns);
    wanted.check_names(&columns, input)?;
    let hidden = wanted.add_condition_names(&mut columns);
    let source = PgnGames { hidden, ..PgnGames::new(columns, wanted) };
    // Nobody has named the tags that `all` keeps.
    let kept = if wanted.keep_all() { &[] } else { source.tags.as_slice() };
    let compared = wanted.games.conditions.iter().map(Condition::tag);
    wanted.warnings.want_tags(kept, compared, COLUMNS.iter().map(|(name, _)| *name));
    Ok(Some(OpenedSource::cut(source, beginning.mark(), WholeGames::default())))
}

/// How many bytes of games are looked at for the names of their tags: 100 games or more, as a rule.
const FIRST_GAMES: usize = 256 << 10;
/// The most tags that are columns because of that. Each is looked for in each game.
const MOST_TAGS: usize = 1000;

/// Adds the names of the tags in these games, unless they are there already.
fn add_tags(text: &[u8], names: &mut Vec<String>) {
    let mut seen: HashSet<String> = names.iter().cloned().collect();
    for (name, _) in starts(text).iter().flat_map(|(_, tags)| tags.iter()) {
        let name = String::from_utf8_lossy(name).into_owned();
        if seen.len() < MOST_TAGS && seen.insert(name.clone()) {
            names.push(name);
        }
    }
}

impl PgnGames {
    fn new(columns: Vec<String>, wanted: &Wanted) -> PgnGames {
        let kinds = GameColumns::new(&COLUMNS, &columns, wanted);
        let tags = kinds.others(&columns).cloned().collect();
        PgnGames { tags, columns, kinds, hidden: 0, warnings: wanted.warnings.clone() }
    }
}

impl Source for PgnGames {
    fn unit(&self) -> &'static str {
        "game"
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn has_games(&self) -> bool {
        true
    }

    fn counts(&self) -> UnitCount {
        UnitCount { units: count, has_lines: true }
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let text = parser.bytes();
        let mut all = BlockGames::new(self, parser, text);
        let options = all.rows.options();
        if text.len() <= MAX_RECORD {
            pgn::read(text, options, &mut all);
        } else {
            for (place, _) in games(text) {
                if all.parser.is_done() {
                    all.stop(place.start, all.number);
                    break;
                }
                all.go_to(text, place.start);
                if place.len() > MAX_RECORD {
                    all.too_long();
                } else {
                    pgn::read(&text[place], options, &mut all);
                }
            }
        }
        let BlockGames { rows, parser, .. } = all;
        rows.finish(parser, |tags, places| {
            tags.columns().map(|column| KeptColumn::Text(column.in_rows(places.clone()))).collect()
        });
    }
}

/// Receives the positions of a block.
struct BlockGames<'p, 'a> {
    source: &'p PgnGames,
    parser: &'p mut Parser<'a>,
    text: &'a [u8],
    rows: GameRows<'p>,
    /// How many games were before those that are being read, in the input, and the game that is being read.
    before: u64,
    number: u64,
    /// The line and the column that the games begin in.
    start: (u64, usize),
    /// Whether the game is read at all.
    is_read: bool,
}

impl<'p, 'a> BlockGames<'p, 'a> {
    fn new(source: &'p PgnGames, parser: &'p mut Parser<'a>, text: &'a [u8]) -> BlockGames<'p, 'a> {
        let (before, start) = (parser.first - 1, (parser.start.line, parser.start.column));
        let rows = GameRows::new(&source.kinds, source.tags.len());
        BlockGames { source, parser, text, rows, before, number: before, start, is_read: false }
    }

    /// The games that begin at this place of the text are read next.
    fn go_to(&mut self, text: &[u8], at: usize) {
        let start = self.parser.start;
        let line_ends = memchr::memchr_iter(b'\n', &text[..at]).count();
        let column = memchr::memrchr(b'\n', &text[..at]).map_or(start.column + at, |end| at - end - 1);
        (self.before, self.start) = (self.number, (start.line + line_ends as u64, column));
    }

    /// Nothing is read from this place on, where the game after this one begins.
    fn stop(&mut self, at: usize, number: u64) {
        let units = number + 1 - self.parser.first;
        self.parser.stop(at, units);
    }

    /// The next game is too long.
    fn too_long(&mut self) {
        self.number += 1;
        self.rows.flush(self.parser);
        self.parser.too_long(self.number);
        self.rows.pad(self.parser);
    }
}

impl<'a> Visitor<'a> for BlockGames<'_, 'a> {
    fn game(&mut self, number: u64, tags: Tags<'a>) -> GameChoice {
        if self.parser.is_done() {
            let at = tags.as_bytes().as_ptr().addr() - self.text.as_ptr().addr();
            let place = if at == 0 { Some(0) } else { cut(self.text, at) };
            if let Some(place) = place {
                self.stop(place, self.before + number - 1);
                return GameChoice::Stop;
            }
        }
        self.number = self.before + number;
        let games = &self.source.kinds.games;
        let named = NamedTags::new(tags, self.source.tags.len() + games.conditions.len());
        self.source.warnings.add_game(&named);
        self.is_read = games.has_game(&named);
        if !self.is_read {
            return GameChoice::SkipAlone;
        }
        let values = self.source.tags.iter().map(|name| named.find(name.as_bytes()).map(tags::text));
        self.rows.begin(self.number, values);
        self.rows.tags(tags);
        GameChoice::Positions
    }

    #[inline]
    fn position(&mut self, board: &Board, ply: &Ply<'a>) -> bool {
        self.rows.position(self.parser, board, ply)
    }

    fn end(&mut self, marker: Option<&'a [u8]>, error: Option<Error<'a>>) {
        let error = error.map(|mut error| {
            error.column += if error.line == 1 { self.start.1 } else { 0 };
            error.line += self.start.0 - 1;
            error
        });
        // Games without tags after a game whose rest is not wanted: nothing shows where they begin.
        let is_lost = |error: &Error<'_>| error.loses_more && error.problem == PgnProblem::AfterResult;
        let lost = error.filter(is_lost);
        if std::mem::take(&mut self.is_read) {
            let error = error.filter(|error| !is_lost(error));
            self.rows.end(self.parser, marker, error.map(|error| (error.ply, RecordError::from(&error))));
        }
        if let Some(lost) = lost.filter(|_| !self.parser.is_full() && !self.parser.is_cut) {
            self.rows.flush(self.parser);
            if self.parser.malformed(self.number, &lost) {
                self.rows.pad(self.parser);
            }
        }
    }
}

/// Games are whole.
#[derive(Debug, Default)]
pub struct WholeGames {
    /// Games are looked for by reading when there are this many bytes: those before have been read in vain.
    next_look: usize,
    /// Whether a game is passed over, and its moves have begun.
    passes: Option<bool>,
}

impl WholeGames {
    /// Bytes that may begin within a game: the next one begins where that is certain.
    pub fn within_game() -> WholeGames {
        WholeGames { passes: Some(false), ..WholeGames::default() }
    }
}

impl Cut for WholeGames {
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        // Before that, it was clear what is a tag.
        let floor = from.saturating_sub(MAX_NAME + 1);
        let mut lines = memrchr2_iter(b'\n', b'\r', &bytes[floor..]).map(|end| floor + end + 1);
        if let Some(line) = lines.find(|&line| tags::begin(bytes, line)) {
            return Some(line);
        }
        if bytes.len() < self.next_look && bytes.len() <= MAX_RECORD {
            return None;
        }
        self.next_look = 2 * bytes.len();
        let starts = starts(bytes);
        if starts.get(1).is_some_and(|(second, _)| *second > MAX_RECORD) {
            return None;
        }
        starts.into_iter().rev().filter(|(at, _)| *at > 0).filter_map(|(at, _)| cut(bytes, at)).find(|&at| at > 0)
    }

    fn begin(&mut self) {
        *self = WholeGames::default();
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeGames::default())
    }

    /// A game without tags that is too long ends before the next tags.
    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        // Among moves, any tag begins a game.
        let (has_moves, start) = match self.passes {
            Some(has_moves) => (has_moves, 0),
            None => tags::moves(bytes).map_or((false, 0), |moves| (true, moves)),
        };
        self.passes = Some(has_moves);
        let found = if has_moves {
            tags::next(bytes, start)
        } else {
            memchr2_iter(b'\n', b'\r', bytes).map(|end| end + 1).find(|&line| tags::begin(bytes, line))
        };
        if let Some(at) = found {
            bytes.drain(..at);
            return true;
        }
        // The beginning of the last line stays, which may be a tag, and what tells to which game it belongs.
        let end = memrchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
        bytes.splice(..end, (if has_moves { SOME_MOVES } else { UNCLEAR }).iter().copied());
        bytes.truncate(UNCLEAR.len() + 1 + MAX_NAME);
        false
    }

    fn ends_lines_at_cr(&self) -> bool {
        true
    }
}

/// Where a text is cut before the game that begins here, after its first byte. A block must not begin with what would be something
/// else at the beginning of a line, or within what a message shows.
fn cut(text: &[u8], at: usize) -> Option<usize> {
    if let Some(line) = tags::line_start(text, at) {
        return Some(line).filter(|&line| text[line].is_ascii());
    }
    let may_begin = !matches!(text[at], b'[' | b'%' | 0x80..) && text[at - 1].is_ascii_whitespace();
    may_begin.then_some(at)
}

/// How many games there are.
fn count(bytes: &[u8]) -> u64 {
    if bytes.len() > MAX_RECORD {
        return games(bytes).count() as u64;
    }
    struct Count(u64);
    impl Visitor<'_> for Count {
        fn game(&mut self, number: u64, _: Tags<'_>) -> GameChoice {
            self.0 = number;
            GameChoice::Skip
        }
        fn position(&mut self, _: &Board, _: &Ply<'_>) -> bool {
            false
        }
        fn end(&mut self, _: Option<&[u8]>, _: Option<Error<'_>>) {}
    }
    let mut count = Count(0);
    pgn::read(bytes, PgnOptions::default(), &mut count);
    count.0
}

/// A line after which tags begin a game, and one after which that is not clear, as it may be the end of a comment.
const SOME_MOVES: &[u8] = b"..";
const UNCLEAR: &[u8] = b";}";

/// Where the games of a text begin, and their tags.
fn starts(text: &[u8]) -> Vec<(usize, Tags<'_>)> {
    struct Starts<'t>(&'t [u8], Vec<(usize, Tags<'t>)>);
    impl<'t> Visitor<'t> for Starts<'t> {
        fn game(&mut self, _: u64, tags: Tags<'t>) -> GameChoice {
            self.1.push((tags.as_bytes().as_ptr().addr() - self.0.as_ptr().addr(), tags));
            GameChoice::Skip
        }
        fn position(&mut self, _: &Board, _: &Ply<'t>) -> bool {
            false
        }
        fn end(&mut self, _: Option<&'t [u8]>, _: Option<Error<'t>>) {}
    }
    let mut starts = Starts(text, Vec::new());
    pgn::read(text, PgnOptions::default(), &mut starts);
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
