//! PGN: the positions of games, read from text.
//!
//! [`read_positions`] reads a file or any other input into [`Positions`]. [`read`] goes through a text once and hands each
//! game and each position to a [`Visitor`], which may leave some out; [`PositionBuffer`] turns the others into positions.
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_games::Board;
//! use slider_attacks_games::pgn::{self, Error, PgnOptions, PositionBuffer, Ply, Visitor};
//!
//! struct All(PositionBuffer, Positions);
//!
//! impl<'t> Visitor<'t> for All {
//!     fn position(&mut self, board: &Board, _: &Ply<'t>) -> bool {
//!         self.0.push(board, &mut self.1);
//!         true
//!     }
//!
//!     fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
//!         if let Some(error) = error {
//!             eprintln!("{error}"); // the other games are read
//!         }
//!     }
//! }
//!
//! let mut all = All(PositionBuffer::default(), Positions::new());
//! pgn::read(b"[White \"A\"]\n\n1. e4 e5 { [%eval 0.3] } 2. Nf3 *", PgnOptions::new(), &mut all);
//! all.0.flush(&mut all.1);
//! assert_eq!(all.1.len(), 4);
//! assert_eq!(all.1.fen(3), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -");
//! ```
//!
//! # Accepted text
//!
//! The import format of the PGN standard, and common deviations from it: see [`read`].
//!
//! Source: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

use core::{fmt, mem};
use std::io::{self, Read};

use memchr::memchr2_iter;
use slider_attacks::position::Positions;

use crate::moves::Move;
use crate::san::{self, CODES};
use crate::tags;
use crate::{Board, BoardFenError, MoveError, annotations};

pub use crate::annotations::Eval;
pub use crate::boards::PositionBuffer;
pub use crate::tags::{Tags, text};

/// Options for reading games.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PgnOptions {
    /// Positions of variations, too.
    pub variations: bool,
}

impl PgnOptions {
    /// The positions of the games themselves, without variations.
    #[must_use]
    pub const fn new() -> PgnOptions {
        PgnOptions { variations: false }
    }

    /// Whether the positions of variations are read, too.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_games::pgn::{PgnOptions, read_positions};
    ///
    /// let (text, mut positions) = ("1. e4 (1. d4) *".as_bytes(), Positions::new());
    /// assert_eq!(read_positions(text, PgnOptions::new(), &mut positions)?, 2);
    /// assert_eq!(read_positions(text, PgnOptions::new().with_variations(true), &mut positions)?, 3);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn with_variations(self, variations: bool) -> PgnOptions {
        PgnOptions { variations }
    }
}

/// The state of a position apart from its board.
#[derive(Clone, Copy, Debug)]
pub struct Ply<'t> {
    /// The number of half moves before it; 0 for the initial position.
    pub ply: u32,
    /// The move that led to it; [`Move::NONE`] at the beginning and after a null move.
    pub mv: Move,
    /// The move as written, without the suffixes of annotators; empty at the beginning.
    pub text: &'t [u8],
    /// The depth of variations; 0 in the game itself.
    pub depth: u32,
    /// The text after `[%eval ` and `[%clk `.
    eval: &'t [u8],
    clock: &'t [u8],
}

impl<'t> Ply<'t> {
    /// The state at the beginning of a game.
    pub const FIRST: Ply<'static> = Ply { ply: 0, mv: Move::NONE, text: &[], depth: 0, eval: &[], clock: &[] };

    /// The evaluation of a comment with `[%eval …]`. [`read`] shows how a visitor gets it.
    ///
    /// ```
    /// assert_eq!(slider_attacks_games::pgn::Ply::FIRST.eval(), None); // without a comment
    /// ```
    pub fn eval(&self) -> Option<Eval> {
        annotations::eval(self.eval)
    }

    /// The clock of a comment with `[%clk …]`, in milliseconds.
    ///
    /// ```
    /// use slider_attacks_games::Board;
    /// use slider_attacks_games::pgn::{self, Error, PgnOptions, Ply, Visitor};
    ///
    /// struct Clocks(Vec<Option<u32>>);
    ///
    /// impl<'t> Visitor<'t> for Clocks {
    ///     fn position(&mut self, _: &Board, ply: &Ply<'t>) -> bool {
    ///         self.0.push(ply.clock());
    ///         true
    ///     }
    ///
    ///     fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
    ///         assert_eq!(error, None);
    ///     }
    /// }
    ///
    /// let mut clocks = Clocks(Vec::new());
    /// pgn::read(b"1. e4 { [%clk 0:03:00] } 1... e5 { [%clk 0:02:59.5] } *", PgnOptions::new(), &mut clocks);
    /// assert_eq!(clocks.0, [None, Some(180_000), Some(179_500)]);
    /// ```
    pub fn clock(&self) -> Option<u32> {
        annotations::clock(self.clock)
    }
}

/// How a game is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameChoice {
    /// Its positions are read.
    Positions,
    /// It is skipped, at several times the speed, and after a game with tags also those without that follow it.
    Skip,
    /// Only this game is skipped: if games without tags follow one with tags, they are [an error](PgnProblem::AfterResult).
    SkipAlone,
    /// Neither this game nor any after it is read.
    Stop,
}

/// Receives games and their positions.
pub trait Visitor<'t> {
    /// A game begins. `number` counts games from 1.
    fn game(&mut self, _number: u64, _tags: Tags<'t>) -> GameChoice {
        GameChoice::Positions
    }

    /// A position of the game. Returns whether to read more positions of this game.
    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool;

    /// The game ends: with its result (`1-0`, `0-1`, `1/2-1/2`, `0-0` or `*`, however the text writes it), if there is
    /// one, or with an error. A skipped game has neither, unless it is [skipped alone](GameChoice::SkipAlone). There is no default method, because it would lose errors.
    fn end(&mut self, result: Option<&'t [u8]>, error: Option<Error<'t>>);
}

/// The place and kind of an error in a game. The rest of that game is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error<'t> {
    /// The line, from 1.
    pub line: u64,
    /// The column, in bytes, from 1.
    pub column: usize,
    /// The number of half moves before it.
    pub ply: u32,
    /// The problem.
    pub problem: PgnProblem,
    /// The text at this place.
    pub found: &'t [u8],
    /// Moves follow the result of the game: those of games without tags, which are left out with it, because only tags show for
    /// certain where a game begins after a malformed one.
    pub loses_more: bool,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PgnProblem {
    /// A move.
    Move(MoveError),
    /// A comment or a variation has no end.
    NoEnd,
    /// More than [`MAX_DEPTH`] nested variations.
    Variation,
    /// Moves follow the result of a game with tags.
    AfterResult,
    /// A line among the tags begins like a tag but is malformed, or a tag has no end.
    Tag,
    /// The tag `FEN` holds no position.
    Fen(BoardFenError),
    /// The tag `Variant` names a game with other rules.
    Variant,
}

/// The maximum depth of nested variations.
pub const MAX_DEPTH: usize = 255;

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}, ply {}: ", self.line, self.column, self.ply)?;
        match self.problem {
            PgnProblem::Move(error) => write!(f, "{error}")?,
            PgnProblem::NoEnd => write!(f, "expected a comment or variation that ends")?,
            PgnProblem::Variation => write!(f, "expected at most {MAX_DEPTH} variations in each other")?,
            PgnProblem::AfterResult => write!(f, "expected tags or the end after the result")?,
            PgnProblem::Tag => write!(f, "expected a tag such as [White \"Name\"]")?,
            PgnProblem::Fen(error) => write!(f, "tag FEN: {error}")?,
            PgnProblem::Variant => write!(f, "expected chess or Chess960")?,
        }
        match self.found {
            _ if matches!(self.problem, PgnProblem::Fen(_)) => {}
            [] => write!(f, ", found the end")?,
            found => write!(f, ", found {:?}", String::from_utf8_lossy(&found[..found.len().min(40)]))?,
        }
        if self.loses_more { write!(f, "; the moves after its result are left out, too") } else { Ok(()) }
    }
}

impl core::error::Error for Error<'_> {}

/// An [`Error`] with a copy of the text at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadPgnError {
    /// The line, from 1.
    pub line: u64,
    /// The column, in bytes, from 1.
    pub column: usize,
    /// The number of half moves before it.
    pub ply: u32,
    /// The problem.
    pub problem: PgnProblem,
    /// The text at this place.
    pub found: Vec<u8>,
    /// Whether games without tags are left out with the game, as [`Error::loses_more`] says.
    pub loses_more: bool,
}

impl From<Error<'_>> for ReadPgnError {
    fn from(Error { line, column, ply, problem, found, loses_more }: Error<'_>) -> ReadPgnError {
        ReadPgnError { line, column, ply, problem, found: found.to_vec(), loses_more }
    }
}

impl fmt::Display for ReadPgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadPgnError { line, column, ply, problem, ref found, loses_more } = *self;
        Error { line, column, ply, problem, found, loses_more }.fmt(f)
    }
}

impl core::error::Error for ReadPgnError {}

/// Adds the positions of all games of an input, and returns how many there were. [`read`] describes the accepted text.
///
/// The input may be a file, standard input, or bytes: `text.as_bytes()`. It is read in large blocks, so a `BufReader` would
/// not make it faster. Apart from the positions, memory is held for one block, or for the longest game if that is longer.
/// Games without tags count as one, because nothing shows for certain where the next one begins.
///
/// # Errors
///
/// The input cannot be read, or a game is invalid: an error of the kind [`InvalidData`](io::ErrorKind::InvalidData), whose
/// source is a [`ReadPgnError`] for the first such game. Nothing is added then, not even the games before it. A [`Visitor`]
/// can continue after it.
///
/// # Example
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::pgn::{PgnOptions, ReadPgnError, read_positions};
///
/// let mut positions = Positions::new();
/// let text = "1. e4 e5 1/2-1/2\n\n1. d4 *\n";
/// assert_eq!(read_positions(text.as_bytes(), PgnOptions::new(), &mut positions)?, 5);
/// assert_eq!(positions.fen(2), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -");
///
/// let error = read_positions("1. e4 e5\n2. Ke3 *\n".as_bytes(), PgnOptions::new(), &mut positions).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 4, ply 2: expected a legal move, found \"Ke3\"");
/// assert_eq!(error.downcast::<ReadPgnError>()?.ply, 2);
/// assert_eq!(positions.len(), 5);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// A file: `read_positions(File::open("games.pgn")?, PgnOptions::new(), &mut positions)?`.
pub fn read_positions(mut input: impl Read, options: PgnOptions, positions: &mut Positions) -> io::Result<usize> {
    let before = positions.len();
    read_blocks(&mut input, options, positions).inspect_err(|_| positions.truncate(before))?;
    Ok(positions.len() - before)
}

/// The fewest bytes that are read at a time.
const BLOCK: usize = 1 << 18;

fn read_blocks(input: &mut dyn Read, options: PgnOptions, positions: &mut Positions) -> io::Result<()> {
    struct All<'a>(PositionBuffer, &'a mut Positions, Result<(), ReadPgnError>);

    impl<'t> Visitor<'t> for All<'_> {
        fn game(&mut self, _: u64, _: Tags<'t>) -> GameChoice {
            if self.2.is_ok() { GameChoice::Positions } else { GameChoice::Stop }
        }

        fn position(&mut self, board: &Board, _: &Ply<'t>) -> bool {
            self.0.push(board, self.1);
            true
        }

        fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
            self.2 = error.map_or(Ok(()), |error| Err(error.into()));
        }
    }

    let mut all = All(PositionBuffer::default(), positions, Ok(()));
    let (mut text, mut lines) = (Vec::new(), 0);
    loop {
        // A long game is searched again only when it has become twice as long.
        let room = BLOCK.max(text.len());
        let is_end = Read::take(&mut *input, room as u64).read_to_end(&mut text)? < room;
        let end = if is_end { text.len() } else { last_begin(&text) };
        read(&text[..end], options, &mut all);
        if let Err(error) = all.2 {
            let line = lines + error.line;
            return Err(io::Error::new(io::ErrorKind::InvalidData, ReadPgnError { line, ..error }));
        }
        if is_end {
            all.0.flush(all.1);
            return Ok(());
        }
        lines += line_ends(&text[..end]).count() as u64;
        text.drain(..end);
    }
}

/// The last line of a text in which games certainly begin; 0 if there is none.
fn last_begin(text: &[u8]) -> usize {
    let mut lines = memchr2_iter(b'\n', b'\r', text).rev().map(|end| end + 1);
    lines.find(|&line| tags::begin(text, line)).unwrap_or(0)
}

/// The last byte of each line end: LF, CRLF or CR.
fn line_ends(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr2_iter(b'\n', b'\r', text).filter(|&end| text[end] == b'\n' || text.get(end + 1) != Some(&b'\n'))
}

/// Reads the games of a text, with these rules:
///
/// - A game yields its initial position (ply 0), and the position after each move.
/// - Moves are SAN, long algebraic or UCI. Move numbers may be missing. A null move (`--`, `Z0`) is played.
/// - Comments (`{…}`, `;…`), lines that begin with `%`, numeric and other annotations are left out, except `[%eval]`
///   and `[%clk]`. Variations are left out too, unless [`PgnOptions::variations`] is set.
/// - A game begins with tags, at a line that begins with `[Name "value"]`, even in a comment, which then has no end.
///   Several tags may share a line, even with the first moves. Blank lines and comments may stand between tags. After
///   these, the tag `Event`, or a tag that the game has already, begins the next game.
/// - Without tags, a game begins after the result of the previous game, outside of variations. So the text can be cut where
///   [`tags::begin`] allows it, or between games without tags, and the parts yield the same games. After a game with tags,
///   moves without tags are an error; if it is malformed, its error says that [there are some](Error::loses_more).
/// - `[pgn]` at the beginning of a line begins a game, with tags or without, and `[/pgn]` ends it.
/// - `0-0` is castling if that is legal. Otherwise, at the end of a game, it is a result: both players lost. Blanks may
///   stand around the dash of a result.
/// - The tag `FEN` sets the initial position. `Variant` must name chess or Chess960.
/// - Line ends are LF, CRLF or CR. Blanks are those of Unicode; a byte order mark is one. Text is bytes, in any encoding.
///
/// Nothing is allocated, except for the depth of variations and the names of tags with gaps between them. Time is linear in the
/// length of the text.
///
/// ```
/// use slider_attacks_games::Board;
/// use slider_attacks_games::pgn::{self, Error, Eval, PgnOptions, Ply, Visitor};
///
/// struct Last(Option<Eval>, usize);
///
/// impl<'t> Visitor<'t> for Last {
///     fn position(&mut self, _: &Board, ply: &Ply<'t>) -> bool {
///         self.0 = ply.eval().or(self.0);
///         true
///     }
///
///     fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
///         self.1 += usize::from(error.is_some());
///     }
/// }
///
/// let mut last = Last(None, 0);
/// pgn::read(b"1. e4 { [%eval 0.3] } e5 2. Ke3 *", PgnOptions::new(), &mut last);
/// assert_eq!((last.0, last.1), (Some(Eval::Centipawns(30)), 1));
/// ```
pub fn read<'t>(text: &'t [u8], options: PgnOptions, visitor: &mut impl Visitor<'t>) {
    read_from(&Board::INITIAL, text, options, visitor);
}

/// Like [`read`], for games that begin with this position, unless their tag `FEN` sets another one.
///
/// ```
/// use slider_attacks_games::Board;
/// use slider_attacks_games::pgn::{self, Error, PgnOptions, Ply, Visitor};
///
/// struct Last(String);
///
/// impl<'t> Visitor<'t> for Last {
///     fn position(&mut self, board: &Board, _: &Ply<'t>) -> bool {
///         self.0 = board.to_string();
///         true
///     }
///
///     fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
///         assert_eq!(error, None);
///     }
/// }
///
/// let (first, mut last) = ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse()?, Last(String::new()));
/// pgn::read_from(&first, b"1. e4 *", PgnOptions::new(), &mut last);
/// assert_eq!(last.0, "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
/// # Ok::<(), slider_attacks_games::BoardFenError>(())
/// ```
pub fn read_from<'t>(first: &Board, text: &'t [u8], options: PgnOptions, visitor: &mut impl Visitor<'t>) {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut reader = GameReader {
        first,
        text,
        at: start,
        options,
        counted: start,
        line_start: start,
        line: 1,
        number: 0,
        stack: Vec::new(),
    };
    while reader.read_game(visitor) {}
}

struct GameReader<'b, 't> {
    /// The first position of games.
    first: &'b Board,
    text: &'t [u8],
    at: usize,
    options: PgnOptions,
    /// Lines have been counted up to here, and this is the number of the one that this is in.
    counted: usize,
    line: u64,
    /// Where that line begins.
    line_start: usize,
    /// The number of the game.
    number: u64,
    stack: Vec<Frame<'t>>,
}

/// The state of the line that a variation interrupts.
struct Frame<'t> {
    board: Board,
    before: Option<Board>,
    ply: Ply<'t>,
}

/// How the moves of a game end.
enum MovesEnd<'t> {
    /// With a result, which may be empty, after this many half moves.
    Result(&'t [u8], u32),
    /// At the next game, or at the end of the text.
    Missing,
    /// No more of them are wanted.
    Enough,
}

/// A part of the text of moves.
enum Token<'t> {
    /// A move, or text that is not a move.
    Word(&'t [u8]),
    /// A comment, the number of a move, or an annotation.
    Comment,
    /// The beginning of a variation.
    Open,
    /// The end of a variation.
    Close,
    /// A result, or nothing where a game ends without one.
    Result(&'t [u8]),
    /// The next game, or the end.
    End,
}

impl<'t> GameReader<'_, 't> {
    /// Reads a game, if there is one more. Returns whether to go on.
    fn read_game(&mut self, visitor: &mut impl Visitor<'t>) -> bool {
        self.pass_between_games();
        if self.at >= self.text.len() {
            return false;
        }
        self.number += 1;
        // Tags elsewhere in a line begin no game: a cutter that looks at lines could not find them.
        let (tags, has_setup) = match self.is_at_line() {
            true => tags::read(self.text, &mut self.at),
            false => (Tags::new(&self.text[self.at..self.at]), false),
        };
        let moves = self.at;
        let choice = visitor.game(self.number, tags);
        let ended = match choice {
            GameChoice::Stop => return false,
            GameChoice::Skip | GameChoice::SkipAlone => Ok(MovesEnd::Enough),
            GameChoice::Positions => match if has_setup { self.setup(tags) } else { Ok(self.first.clone()) } {
                Ok(board) => self.read_moves(board, tags.is_empty(), visitor),
                Err(error) => Err(error),
            },
        };
        let depth = self.stack.len();
        self.stack.clear();
        let (result, error) = match ended {
            Ok(MovesEnd::Result(result, ply)) => {
                (Some(result).filter(|result| !result.is_empty()), self.expect_tags(tags, ply))
            }
            Ok(MovesEnd::Missing) => (None, None),
            Ok(MovesEnd::Enough) => {
                let rest = self.at;
                self.pass_game(tags, depth);
                let looks =
                    !tags.is_empty() && choice != GameChoice::Skip && may_have_more_games(&self.text[rest..self.at]);
                let more = if looks { self.more_games(rest, depth) } else { None };
                (None, more.map(|at| Error { loses_more: true, ..self.error(at, 0, PgnProblem::AfterResult) }))
            }
            Err(error) => {
                self.pass_game(tags, depth);
                let loses_more = !tags.is_empty() && self.more_games(moves, 0).is_some();
                (None, Some(Error { loses_more, ..error }))
            }
        };
        visitor.end(result, error);
        true
    }

    /// After a game with tags and its result, the next game has tags, too.
    fn expect_tags(&mut self, tags: Tags<'t>, ply: u32) -> Option<Error<'t>> {
        if tags.is_empty() {
            return None;
        }
        loop {
            self.pass_comments();
            let start = self.at;
            match self.token() {
                Token::End => return None,
                // The result may stand there twice.
                Token::Comment | Token::Result(_) => {}
                Token::Word(_) | Token::Open | Token::Close => {
                    let error = self.error(start, ply, PgnProblem::AfterResult);
                    self.pass_game(tags, 0);
                    return Some(error);
                }
            }
        }
    }

    /// Where moves follow a result between this place, which is among the moves of a game with tags in this many variations, and the
    /// next tags. Where a variation may have no end, only a first move shows that.
    #[cold]
    fn more_games(&mut self, moves: usize, mut depth: usize) -> Option<usize> {
        let end = mem::replace(&mut self.at, moves);
        let mut has_ended = false;
        let more = loop {
            match self.token() {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Result(_) if self.is_at_first_move() => {
                    self.pass_comments();
                    break Some(self.at);
                }
                Token::Result(_) => has_ended |= depth == 0,
                Token::Word(word) if has_ended && san::is_written_move(word) => break Some(self.at - word.len()),
                Token::End => break None,
                Token::Word(_) | Token::Comment => {}
            }
        };
        self.at = end;
        more
    }

    /// Passes over blanks and comments, and `[pgn]` and `[/pgn]`, before a game.
    fn pass_between_games(&mut self) {
        self.pass_comments();
        while let Some((bytes, _)) = tags::wrapper(&self.text[self.at..]) {
            self.at += bytes;
            self.pass_comments();
        }
    }

    /// Passes over blanks and comments.
    fn pass_comments(&mut self) {
        self.at = self.at.min(self.text.len());
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'{' | b';' => self.pass_comment(),
                b'%' if self.is_at_line() => self.pass_line(),
                _ => match tags::blank(&self.text[self.at..]) {
                    0 => return,
                    bytes => self.at += bytes,
                },
            }
        }
    }

    /// Skips the rest of a game, from this depth of variations.
    fn pass_game(&mut self, tags: Tags<'t>, mut depth: usize) {
        if !tags.is_empty() {
            self.at = tags::next(self.text, self.at.min(self.text.len())).unwrap_or(self.text.len());
            return;
        }
        // Only a result shows where a game without tags ends, and not within a variation.
        loop {
            match self.token() {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Result(_) if depth > 0 => {}
                Token::Result(_) | Token::End => return,
                Token::Word(word) if depth == 0 && self.ends_with(word) => return,
                Token::Word(_) | Token::Comment => {}
            }
        }
    }

    /// Whether a game without tags ends with this word, as another one begins after it: it is `0-0`, castling or a result, and `1.`
    /// follows.
    #[cold]
    fn ends_with(&mut self, word: &[u8]) -> bool {
        self.stack.is_empty() && is_castling_or_result(word) && self.is_at_first_move()
    }

    /// Whether `1.` follows, and perhaps comments before it.
    fn is_at_first_move(&mut self) -> bool {
        let at = self.at;
        self.pass_comments();
        let is_first = matches!(self.text[self.at..], [b'1', b'.', next, ..] if next != b'.');
        self.at = at;
        is_first
    }

    /// Whether nothing but comments follows in this game, or annotations and a result if it has tags. Without tags, another game would
    /// begin with those.
    fn is_at_end(&mut self, is_bare: bool) -> bool {
        let at = self.at;
        let is_end = is_bare && self.is_at_first_move()
            || loop {
                self.pass_comments();
                let is_digit = self.text.get(self.at).is_some_and(u8::is_ascii_digit);
                match self.token() {
                    // Not after the number of a move.
                    Token::Comment if !is_bare && !is_digit => {}
                    Token::Result(result) => break !is_bare || result.is_empty(),
                    Token::End => break true,
                    Token::Word(_) | Token::Comment | Token::Open | Token::Close => break false,
                }
            };
        self.at = at;
        is_end
    }

    /// The first position of a game with these tags.
    fn setup(&mut self, tags: Tags<'t>) -> Result<Board, Error<'t>> {
        let mut board = None;
        for tag in tags.all() {
            let is_read = match tag.name {
                _ if tag.is_malformed => Err(PgnProblem::Tag),
                name if name.eq_ignore_ascii_case(b"Variant") && !is_chess(tag.value) => Err(PgnProblem::Variant),
                // The first one counts, as for columns.
                name if name.eq_ignore_ascii_case(b"FEN") && board.is_none() => {
                    Board::read_fen(tag.value).map(|read| board = Some(read)).map_err(PgnProblem::Fen)
                }
                _ => Ok(()),
            };
            if let Err(problem) = is_read {
                let at = tag.value.as_ptr().addr() - self.text.as_ptr().addr();
                return Err(Error { found: tag.value, ..self.error(at, 0, problem) });
            }
        }
        Ok(board.unwrap_or_else(|| self.first.clone()))
    }

    /// Reads the moves of a game that begins with this position, and that may have no tags.
    fn read_moves(
        &mut self,
        mut board: Board,
        is_bare: bool,
        visitor: &mut impl Visitor<'t>,
    ) -> Result<MovesEnd<'t>, Error<'t>> {
        let mut ply = Ply::FIRST;
        let mut before = None;
        // Where the first annotation is, if it comes before all moves.
        let mut annotation = None;
        // Whether the visitor has not got this position yet, because its annotations follow.
        let mut is_pending = true;
        // Outside of `self`, it stays in a register.
        let (text, mut at) = (self.text, self.at);
        loop {
            let word = word(text, at);
            let byte = word as u8;
            let second = (word >> 8) as u8;
            // The second byte of a move is no dot and no blank, unlike that of other words, and no `p` as that of `ep`.
            if CODES[usize::from(byte)] != 0 && second >= b'-' && second != b'.' && second != b'p' {
                if is_pending && !visitor.position(&board, &ply) {
                    self.at = at;
                    return Ok(MovesEnd::Enough);
                }
                is_pending = false;
                let last = self.options.variations.then(|| board.clone());
                let len = blank(word);
                let mv = if byte == b'O' { board.castle_usual(word, len) } else { board.play_usual(word, len) };
                if let Some(mv) = mv {
                    before = last;
                    ply = Ply {
                        ply: ply.ply + 1,
                        mv,
                        text: &text[at..at + len],
                        eval: &[],
                        clock: &[],
                        depth: ply.depth,
                    };
                    is_pending = true;
                    // With the blank after it.
                    at += len + 1;
                    continue;
                }
            } else if byte.is_ascii_digit() {
                let len = number(word);
                if len > 0 {
                    at += len;
                    continue;
                }
            } else if byte == b'{' {
                match comment(text, at, &mut ply) {
                    Ok(end) => at = end,
                    Err(end) => {
                        if is_pending && !visitor.position(&board, &ply) {
                            self.at = at;
                            return Ok(MovesEnd::Enough);
                        }
                        self.at = end;
                        return Err(self.error(at, ply.ply, PgnProblem::NoEnd));
                    }
                }
                continue;
            } else if byte <= b' ' && at < text.len() {
                at += 1;
                continue;
            }
            self.at = at;
            let start = at;
            let token = self.token();
            at = self.at;
            // An annotation after a variation that is left out may belong to the move before it.
            let is_read = self.options.variations;
            let ends = match token {
                Token::Comment => false,
                Token::Open => is_read,
                Token::Word(_) | Token::Close | Token::Result(_) | Token::End => true,
            };
            if ends && mem::take(&mut is_pending) && !visitor.position(&board, &ply) {
                // A result or a bracket is part of the skipped text.
                self.at = start;
                return Ok(MovesEnd::Enough);
            }
            match token {
                Token::Comment if ply.ply == 0 && !is_bare && !is_passed_over(text[start]) => {
                    annotation = annotation.or(Some(start));
                }
                Token::Comment => {}
                Token::Word(word) => {
                    let last = self.options.variations.then(|| board.clone());
                    let Some((next, is_last)) = self.play_word(&mut board, word, is_bare, &ply)? else {
                        return Ok(MovesEnd::Result(b"0-0", ply.ply));
                    };
                    (before, ply, is_pending) = (last, next, true);
                    if is_last {
                        visitor.position(&board, &ply);
                        return Ok(MovesEnd::Missing);
                    }
                }
                Token::Open if is_read && before.is_some() => {
                    let (Some(start), true) = (before.take(), self.stack.len() < MAX_DEPTH) else {
                        self.at -= 1;
                        return Err(self.error(self.at, ply.ply, PgnProblem::Variation));
                    };
                    let of = mem::replace(&mut board, start.clone());
                    self.stack.push(Frame { board: of, before: Some(start), ply });
                    ply = Ply { ply: ply.ply - 1, depth: ply.depth + 1, ..ply };
                }
                Token::Open => {
                    if let Err(error) = self.pass_variation(ply.ply) {
                        let goes_on = !is_pending || visitor.position(&board, &ply);
                        return if goes_on { Err(error) } else { Ok(MovesEnd::Enough) };
                    }
                    at = self.at;
                }
                Token::Close => match self.stack.pop() {
                    Some(frame) => (board, before, ply) = (frame.board, frame.before, frame.ply),
                    None => return Err(self.error(self.at - 1, ply.ply, PgnProblem::Move(MoveError::NotAMove))),
                },
                // Some annotators repeat the result at the end of a variation.
                Token::Result(_) if !self.stack.is_empty() => {}
                // Text that is cut off within a variation has no end.
                Token::End if !self.stack.is_empty() => {
                    return Err(self.no_end(ply.ply));
                }
                Token::Result(result) => return Ok(MovesEnd::Result(result, ply.ply)),
                // After an annotation without a move, more tags of the same game may follow.
                Token::End => match annotation.filter(|_| ply.ply == 0) {
                    Some(at) => return Err(self.error(at, 0, PgnProblem::Move(MoveError::NotAMove))),
                    None => return Ok(MovesEnd::Missing),
                },
            }
        }
    }

    /// Plays the move of a word that has been read, and returns its state and whether the game ends with it; `None` if
    /// it is the result `0-0`.
    #[cold]
    #[inline(never)]
    fn play_word(
        &mut self,
        board: &mut Board,
        word: &'t [u8],
        is_bare: bool,
        before: &Ply<'t>,
    ) -> Result<Option<(Ply<'t>, bool)>, Error<'t>> {
        // Before a blank, the usual form has been tried in vain.
        let is_tried = self.text.get(self.at).is_none_or(|byte| *byte <= b' ');
        match if is_tried { board.play_unusual(word) } else { board.play_text(word) } {
            Ok(mv) => {
                let text = &word[..san::len(word)];
                let ply = Ply { ply: before.ply + 1, mv, text, eval: &[], clock: &[], depth: before.depth };
                Ok(Some((ply, is_bare && self.ends_with(word))))
            }
            Err(_) if self.stack.is_empty() && is_castling_or_result(word) && self.is_at_end(is_bare) => Ok(None),
            Err(error) => Err(self.error(self.at - word.len(), before.ply, PgnProblem::Move(error))),
        }
    }

    /// Passes over a variation, after its beginning.
    fn pass_variation(&mut self, ply: u32) -> Result<(), Error<'t>> {
        let (start, mut depth) = (self.at - 1, 1_u64);
        while depth > 0 {
            match self.token() {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::End => return Err(self.error(start, ply, PgnProblem::NoEnd)),
                Token::Word(_) | Token::Comment | Token::Result(_) => {}
            }
        }
        Ok(())
    }

    /// The next token, which is passed over, unless it is the end.
    fn token(&mut self) -> Token<'t> {
        self.at = self.at.min(self.text.len());
        loop {
            let rest = &self.text[self.at..];
            let Some(&byte) = rest.first() else { return Token::End };
            match byte {
                _ if byte <= b' ' => {
                    self.at += 1;
                    continue;
                }
                b'{' | b';' => self.pass_comment(),
                b'%' if self.is_at_line() => self.pass_line(),
                b'[' if tags::is_start(rest) && self.is_at_line() => return Token::End,
                b'[' if tags::wrapper(rest).is_some() => {
                    let (bytes, is_end) = tags::wrapper(rest).unwrap_or_default();
                    self.at += bytes;
                    if is_end {
                        return Token::Result(b"");
                    }
                }
                b'(' => {
                    self.at += 1;
                    return Token::Open;
                }
                b')' => {
                    self.at += 1;
                    return Token::Close;
                }
                b'.' => self.at += 1,
                b'$' => self.at += 1 + rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
                b'!' | b'?' => self.at += rest.iter().take_while(|byte| b"!?".contains(byte)).count(),
                // A comment after it is read with the next token.
                0x80.. if tags::blank(rest) > 0 => self.at += tags::blanks(rest),
                0x80.. if rest.starts_with(ELLIPSIS) => self.at += ELLIPSIS.len(),
                _ => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    if digits > 0 && (rest.get(digits) == Some(&b'.') || rest[digits..].starts_with(ELLIPSIS)) {
                        self.at += digits;
                        continue;
                    }
                    if !byte.is_ascii_alphabetic()
                        && let Some((result, bytes)) = marker(rest)
                    {
                        self.at += bytes;
                        return if result == "0-0" {
                            Token::Word(&rest[..bytes])
                        } else {
                            Token::Result(result.as_bytes())
                        };
                    }
                    let mut len = word_len(rest);
                    // A promotion such as `e8(Q)` is no variation.
                    if let (b'a'..=b'h', b'1' | b'8', [b'(', b'N' | b'B' | b'R' | b'Q', b')', ..]) =
                        (byte, rest[len - 1], &rest[len..])
                    {
                        len += 3;
                    }
                    self.at += len;
                    let word = &rest[..len];
                    let is_number = digits == len && word != b"0000";
                    if san::is_plain(word) || !is_number && !san::is_sign(word) || self.is_cut_move(word) {
                        return Token::Word(word);
                    }
                }
            }
            return Token::Comment;
        }
    }

    /// Whether a word that could be a sign has been passed over where no sign can be: it is the letter of a piece, after the number of
    /// a move or before a zero-width blank.
    fn is_cut_move(&self, word: &[u8]) -> bool {
        let before = tags::without_blanks(&self.text[..self.at - word.len()]);
        word == b"N"
            && (before.ends_with(b".") || before.ends_with(ELLIPSIS) || tags::is_zero_width(&self.text[self.at..]))
    }

    fn is_at_line(&self) -> bool {
        tags::is_line(self.text, self.at)
    }

    /// Passes over a line, up to its end.
    fn pass_line(&mut self) {
        self.at += tags::line_len(&self.text[self.at..]);
    }

    /// Skips a comment. One without an end extends to the next tags.
    fn pass_comment(&mut self) {
        if self.text[self.at] == b';' {
            return self.pass_line();
        }
        let (Ok(end) | Err(end)) = comment(self.text, self.at, &mut Ply::FIRST.clone());
        self.at = end;
    }

    /// The error for a game that ends here within a variation.
    #[cold]
    fn no_end(&mut self, ply: u32) -> Error<'t> {
        // Blanks before the next tags belong to them.
        let end = tags::without_indent(&self.text[..self.at]).len();
        Error { found: &[], ..self.error(end, ply, PgnProblem::NoEnd) }
    }

    /// An error at this place.
    #[cold]
    fn error(&mut self, at: usize, ply: u32, problem: PgnProblem) -> Error<'t> {
        // Errors come in the order of the text.
        let passed = &self.text[self.counted..at.max(self.counted)];
        for end in memchr2_iter(b'\n', b'\r', passed).map(|end| self.counted + end) {
            if self.text[end] == b'\n' || self.text.get(end + 1) != Some(&b'\n') {
                (self.line, self.line_start) = (self.line + 1, end + 1);
            }
        }
        self.counted = at.max(self.counted);
        let is_end = |byte: &u8| *byte <= b' ';
        let rest = &self.text[at..];
        let found = &rest[..rest.iter().take(100).position(is_end).unwrap_or(rest.len().min(100))];
        let column = at.saturating_sub(self.line_start) + 1;
        Error { line: self.line, column, ply, problem, found, loses_more: false }
    }
}

/// Whether moves may follow a result in the rest of a game. That takes less time than to read its moves.
fn may_have_more_games(text: &[u8]) -> bool {
    /// What a result has outside of comments, and what begins these.
    const SEEN: [bool; 256] = {
        let (mut seen, mut byte) = ([false; 256], 0x80);
        while byte < 256 {
            seen[byte] = true;
            byte += 1;
        }
        let (some, mut at) = (b"{;%[*-:/", 0);
        while at < some.len() {
            seen[some[at] as usize] = true;
            at += 1;
        }
        seen
    };
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|&byte| SEEN[usize::from(byte)]).map(|next| at + next) {
        let may_be_result = next > 0 && (text[next - 1] <= b' ' || b"012".contains(&text[next - 1]));
        let end = match text[next] {
            b'{' => memchr::memchr(b'}', &text[next..]),
            b';' => memchr2_iter(b'\n', b'\r', &text[next..]).next(),
            // Castling, or a long move.
            b'-' | b':' | b'/' if !may_be_result => Some(0),
            // Any other text may be moves after a result, or castling.
            _ => return !matches!(text[next..].trim_ascii(), b"*" | b"-0" | b"-1" | b"/2-1/2" | b"/2"),
        };
        let Some(end) = end else { return false };
        at = next + end + 1;
    }
    false
}

/// Eight bytes. Bytes past the end are zero.
#[inline(always)]
fn word(text: &[u8], at: usize) -> u64 {
    match text.get(at..at + 8) {
        Some(bytes) => u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes")),
        None => last_word(text, at),
    }
}

#[cold]
fn last_word(text: &[u8], at: usize) -> u64 {
    let (rest, mut bytes) = (text.get(at..).unwrap_or_default(), [0; 8]);
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes)
}

/// Reads a comment in braces, and records the places of its annotations. Returns its end. A comment without an end
/// extends to the next tags, which is the error.
#[inline]
fn comment<'t>(text: &'t [u8], start: usize, ply: &mut Ply<'t>) -> Result<usize, usize> {
    let mut at = start + 1;
    // As Lichess writes it: `{ [%clk 0:03:00] } `. All that depends on the text are branches, which the CPU predicts.
    if word(text, at) << 8 == u64::from_le_bytes(*b" [%clk \0") << 8 {
        let time = word(text, at + 7);
        if annotations::is_usual_clock(time) {
            ply.clock = &text[at + 7..];
            at += 14;
            if word(text, at) as u32 == u32::from_le_bytes(*b"] } ") {
                return Ok(at + 4);
            }
        }
    }
    loop {
        let word = word(text, at);
        match word.to_le_bytes() {
            [b'}', ..] => return Ok(at + 1),
            [b'[', b'%', b'c', b'l', b'k', ..=b' ', ..] => {
                at = (at + 6).min(text.len());
                ply.clock = &text[at..];
            }
            [b'[', b'%', b'e', b'v', b'a', b'l', ..=b' ', _] => {
                at = (at + 7).min(text.len());
                ply.eval = &text[at..];
            }
            [b'[', ..] if tags::is_start_of_line(text, at) => return Err(at),
            [b'[', ..] => at += 1,
            [0, ..] if at >= text.len() => return Err(text.len()),
            _ => at += marks(word).trailing_zeros() as usize / 8,
        }
    }
}

/// The number of bytes before the first blank or control character; 8 if there is none.
#[inline(always)]
fn blank(word: u64) -> usize {
    // Exact for the first one.
    let found = word.wrapping_sub(EACH * 0x21) & !word & (EACH * 0x80);
    found.trailing_zeros() as usize / 8
}

/// The number of bytes of a move number, with its dots and a blank; 0 if it is not in its usual form.
///
/// Branches, which the CPU predicts: what follows need not wait for the length.
#[inline(always)]
fn number(word: u64) -> usize {
    match word.to_le_bytes() {
        [_, b'.', b' ', ..] => 3,
        [_, b'.', b'.', b'.', b' ', ..] => 5,
        [_, b'.', ..] => 2,
        [_, b'0'..=b'9', b'.', b' ', ..] => 4,
        [_, b'0'..=b'9', b'.', b'.', b'.', b' ', ..] => 6,
        [_, b'0'..=b'9', b'.', ..] => 3,
        [_, b'0'..=b'9', b'0'..=b'9', b'.', b' ', ..] => 5,
        [_, b'0'..=b'9', b'0'..=b'9', b'.', ..] => 4,
        _ => 0,
    }
}

/// The first byte that ends a comment, or begins a command in it: its upper bit, and others above it.
#[inline(always)]
fn marks(word: u64) -> u64 {
    let is = |byte: u8| {
        let rest = word ^ (EACH * u64::from(byte));
        rest.wrapping_sub(EACH) & !rest
    };
    (is(b'}') | is(b'[')) & (EACH * 0x80)
}

/// One in each byte.
const EACH: u64 = u64::from_le_bytes([1; 8]);

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Stands for the dots after the number of a move.
const ELLIPSIS: &[u8] = "…".as_bytes();

/// The number of bytes of a word that begins here: up to a blank, a bracket, or an annotation.
fn word_len(text: &[u8]) -> usize {
    let mut at = char_len(text);
    loop {
        let rest = &text[at..];
        at += rest.iter().position(|&byte| ENDS_WORD[usize::from(byte)]).unwrap_or(rest.len());
        if is_word_end(&text[at..]) {
            return at;
        }
        at += char_len(&text[at..]);
    }
}

fn is_word_end(text: &[u8]) -> bool {
    text.first().is_none_or(|&byte| ENDS_WORD[usize::from(byte)] && (byte.is_ascii() || tags::blank(text) > 0))
}

/// Whether a word ends before this byte; before one that is not ASCII, if a blank begins there.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = byte <= b' ' as usize || byte >= 0x80;
        byte += 1;
    }
    let others = b"{}()[];!?$";
    let mut at = 0;
    while at < others.len() {
        ends[others[at] as usize] = true;
        at += 1;
    }
    ends
};

/// The number of bytes of a character; 1 if it is not UTF-8.
fn char_len(text: &[u8]) -> usize {
    let len = match text[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let is_char = text.get(1..len).is_some_and(|rest| rest.iter().all(|byte| byte & 0xc0 == 0x80));
    if is_char { len } else { 1 }
}

/// Whether text that may stand before the moves of a game begins here: a comment, a blank, or a move number.
fn is_passed_over(first: u8) -> bool {
    first <= b' ' || first >= 0x80 || first.is_ascii_digit() || matches!(first, b'{' | b';' | b'%' | b'.' | b'[')
}

/// Whether a word is `0-0`, which may be castling or a result.
fn is_castling_or_result(word: &[u8]) -> bool {
    word[0] == b'0' && matches!(marker(word), Some(("0-0", _)))
}

/// The result in a text, such as the value of the tag `Result`: `1-0`, `0-1`, `1/2-1/2`, `*`, or `0-0` if both players
/// lost. There may be any dash, a colon, and blanks around it; a half may be `½`.
///
/// ```
/// use slider_attacks_games::pgn::result;
///
/// assert_eq!((result("½ – ½".as_bytes()), result(b"1:0"), result(b"won")), (Some("1/2-1/2"), Some("1-0"), None));
/// ```
pub fn result(text: &[u8]) -> Option<&'static str> {
    let text = &text[tags::blanks(text)..];
    let (result, bytes) = text.first().and_then(|_| marker(text))?;
    (bytes + tags::blanks(&text[bytes..]) == text.len()).then_some(result)
}

/// The result that begins here, and how many bytes it takes.
fn marker(text: &[u8]) -> Option<(&'static str, usize)> {
    if text[0] == b'*' {
        return is_word_end(&text[1..]).then_some(("*", 1));
    }
    let (first, bytes) = score(text)?;
    let dash = bytes + tags::blanks(&text[bytes..]);
    let dash_len = if text.get(dash) == Some(&b':') { 1 } else { san::dash(&text[dash..]) };
    let second = dash + dash_len + tags::blanks(&text[dash + dash_len..]);
    if dash_len > 0
        && let Some((other, bytes)) = score(&text[second..])
        && is_word_end(&text[second + bytes..])
    {
        return match (first, other) {
            (2, 0) => Some(("1-0", second + bytes)),
            (0, 2) => Some(("0-1", second + bytes)),
            (1, 1) => Some(("1/2-1/2", second + bytes)),
            (0, 0) => Some(("0-0", second + bytes)),
            _ => None,
        };
    }
    if first != 1 || !is_word_end(&text[bytes..]) {
        return None;
    }
    // One half is enough. A dash after it begins no game, and neither does a second half that is cut off.
    let is_cut = |rest: &[u8], whole: &str| whole.as_bytes().starts_with(rest);
    let (end, is_cut_off) = match dash_len {
        0 => (bytes, ["–", "−"].iter().any(|whole| is_cut(&text[dash..], whole))),
        _ => (dash + dash_len, ["1/2", "½"].iter().any(|half| is_cut(&text[second..], half))),
    };
    Some(("1/2-1/2", if is_cut_off { text.len() } else { end }))
}

/// Twice the points that a player has by the result that begins here, and how many bytes they take.
fn score(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'1', b'/', b'2', ..] => Some((1, 3)),
        [0xc2, 0xbd, ..] => Some((1, 2)),
        // In Latin-1.
        [0xbd, ..] => Some((1, 1)),
        [b'0', ..] => Some((0, 1)),
        [b'1', ..] => Some((2, 1)),
        _ => None,
    }
}

/// Whether a value of the tag `Variant` is chess or Chess960.
fn is_chess(variant: &[u8]) -> bool {
    if variant.len() > 100 {
        return false;
    }
    let name: Vec<u8> =
        variant.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    [
        "",
        "chess",
        "standard",
        "normal",
        "fromposition",
        "classical",
        "chess960",
        "960",
        "wildfr",
        "fischerandom",
        "fischerrandom",
        "fischer",
        "fischerrandomchess",
        "freestyle",
        "freestylechess",
        "frc",
    ]
    .iter()
    .any(|known| known.as_bytes() == name)
}

/// Whatever follows a result, the quick look at a game that is skipped does not miss it.
#[test]
fn games_after_a_skipped_one_are_not_missed() {
    const PARTS: [&str; 31] = [
        "1.",
        "e4",
        "Nf3",
        "1-0",
        "0-1",
        "1/2-1/2",
        "1/2",
        "½-½",
        "½",
        "1 - 0",
        "1\u{b}-0",
        "1:0",
        "0–1",
        "*",
        "0-0",
        "O-O",
        "0-0-0",
        "{",
        "}",
        "{ [%eval -0.3] }",
        ";",
        "\n",
        "%",
        "(",
        ")",
        "[pgn]",
        "\n[/pgn]",
        "$1",
        "e2-e4",
        "\u{a0}",
        "\t",
    ];
    let (mut state, mut found) = (1_u64, [0; 2]);
    for _ in 0..100_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += PARTS[(state >> 33) as usize % PARTS.len()];
            text += if state >> 62 == 0 { "" } else { " " };
        }
        let text = &text.as_bytes()[..tags::next(text.as_bytes(), 0).unwrap_or(text.len())];
        let mut reader = GameReader {
            first: &Board::INITIAL,
            text,
            at: text.len(),
            options: PgnOptions::new(),
            counted: 0,
            line_start: 0,
            line: 1,
            number: 1,
            stack: Vec::new(),
        };
        let has_more = reader.more_games(0, 0).is_some();
        found[usize::from(has_more)] += 1;
        assert!(!has_more || may_have_more_games(text), "{:?}", String::from_utf8_lossy(text));
    }
    assert!(found.iter().all(|&count| count > 1_000), "{found:?}");
}
