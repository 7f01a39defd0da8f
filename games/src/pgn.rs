//! PGN: the positions of games, straight from text.
//!
//! [`read`] goes through a text once and hands each game and each position to a [`Visitor`]. [`Boards`] turns them into
//! [`Positions`](slider_attacks::position::Positions).
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_games::Board;
//! use slider_attacks_games::pgn::{self, Boards, Ply, Visitor};
//!
//! struct All(Boards, Positions);
//!
//! impl<'t> Visitor<'t> for All {
//!     fn position(&mut self, board: &Board, _: &Ply<'t>) -> bool {
//!         self.0.push(board, &mut self.1);
//!         true
//!     }
//! }
//!
//! let mut all = All(Boards::default(), Positions::new());
//! pgn::read(b"[White \"A\"]\n\n1. e4 e5 { [%eval 0.3] } 2. Nf3 *", Default::default(), &mut all);
//! all.0.flush(&mut all.1);
//! assert_eq!(all.1.len(), 4);
//! assert_eq!(all.1.fen(3), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -");
//! ```
//!
//! # What is read
//!
//! The import format of the PGN standard, and what files hold beside it: see [`read`].
//!
//! Source: Steven J. Edwards, "Portable Game Notation Specification and Implementation Guide", 1994.

use core::fmt;

use memchr::{memchr, memchr_iter, memrchr};

use crate::moves::Move;
use crate::san::CODES;
use crate::tags::{self, Beginnings};
use crate::{Board, BoardFenError, MoveError, annotations};

pub use crate::boards::Boards;
pub use crate::tags::{Tags, text};

/// What is read of each game.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Positions of variations, too.
    pub variations: bool,
}

/// What is known of a position beside its board.
#[derive(Clone, Copy, Debug)]
pub struct Ply<'t> {
    /// How many half moves were played before it; 0 for the position at the beginning.
    pub ply: u32,
    /// The move that led to it; [`Move::NONE`] at the beginning and after a null move.
    pub mv: Move,
    /// The move as the text has it, without `!` and `?`; empty at the beginning.
    pub text: &'t [u8],
    /// How many variations it is in; 0 in the game itself.
    pub depth: u32,
    /// What follows `[%eval ` and `[%clk `.
    eval: &'t [u8],
    clock: &'t [u8],
}

impl<'t> Ply<'t> {
    /// What is known of the position at the beginning of a game.
    pub const FIRST: Ply<'static> = Ply { ply: 0, mv: Move::NONE, text: &[], depth: 0, eval: &[], clock: &[] };

    /// What a comment says in `[%eval …]`.
    pub fn eval(&self) -> Option<Eval> {
        annotations::eval(self.eval)
    }

    /// What a comment says in `[%clk …]`, in milliseconds.
    pub fn clock(&self) -> Option<u32> {
        annotations::clock(self.clock)
    }
}

/// An evaluation, as white sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eval {
    /// In centipawns.
    Centipawns(i32),
    /// Mate in so many moves; below zero if black mates.
    Mate(i32),
}

/// What becomes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Its positions are read.
    Positions,
    /// It is passed over, at several times the speed.
    Skip,
    /// Neither this game nor any after it is read.
    Stop,
}

/// Receives games and their positions.
pub trait Visitor<'t> {
    /// A game begins. `number` counts games from 1.
    fn game(&mut self, _number: u64, _tags: Tags<'t>) -> Take {
        Take::Positions
    }

    /// A position of the game. Returns whether more of this game are wanted.
    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool;

    /// The game ends: with the marker of a result, if there is one, or with an error. What was passed over has neither.
    fn end(&mut self, _result: Option<&'t [u8]>, _error: Option<Error<'t>>) {}
}

/// Where a game is not as expected. The rest of that game is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error<'t> {
    /// The line, from 1.
    pub line: u64,
    /// The column, in bytes, from 1.
    pub column: usize,
    /// The number of half moves before it.
    pub ply: u32,
    /// What is wrong.
    pub problem: Problem,
    /// What stands there.
    pub found: &'t [u8],
}

/// What an [`Error`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A move.
    Move(MoveError),
    /// A comment or a variation has no end.
    NoEnd,
    /// More than [`MAX_DEPTH`] variations, one in the other.
    Variation,
    /// Moves follow the result of a game with tags.
    AfterResult,
    /// The tag `FEN` holds no position.
    Fen(BoardFenError),
    /// The tag `Variant` names a game with other rules.
    Variant,
}

/// How many variations may be one in the other.
pub const MAX_DEPTH: usize = 255;

impl fmt::Display for Error<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}, ply {}: ", self.line, self.column, self.ply)?;
        match self.problem {
            Problem::Move(error) => write!(f, "{error}")?,
            Problem::NoEnd => write!(f, "expected a comment or variation that ends")?,
            Problem::Variation => write!(f, "expected at most {MAX_DEPTH} variations in each other")?,
            Problem::AfterResult => write!(f, "expected tags or the end after the result")?,
            Problem::Fen(error) => return write!(f, "tag FEN: {error}"),
            Problem::Variant => write!(f, "expected chess or Chess960")?,
        }
        match self.found {
            [] => write!(f, ", found the end"),
            found => write!(f, ", found {:?}", String::from_utf8_lossy(&found[..found.len().min(40)])),
        }
    }
}

impl core::error::Error for Error<'_> {}

/// Reads the games of a text.
///
/// - A game gives the position at its beginning (ply 0), and the one after each move.
/// - Moves are SAN, long algebraic or UCI. Numbers of moves may be missing. A null move (`--`, `Z0`) is played.
/// - Comments (`{…}`, `;…`), lines that begin with `%`, numeric and other annotations are left out, except `[%eval]` and
///   `[%clk]`. So are variations, unless [`Options::variations`] is set.
/// - A game begins with tags, at a line `[Name "value"]` after a line that is no tag: even in a comment, which then has no end.
///   Without tags, it begins after the result of the one before it, which is in no variation. So the text can be cut before
///   tags, or between games without tags, and its parts give the same games.
/// - The tag `FEN` gives the first position. `Variant` must name chess or Chess960.
/// - Line ends are LF or CRLF. A byte order mark is passed over. Text is bytes, in any encoding.
///
/// Nothing is allocated, except for the depth of variations. Time is linear in the length of the text.
pub fn read<'t>(text: &'t [u8], options: Options, visitor: &mut impl Visitor<'t>) {
    read_from(&Board::INITIAL, text, options, visitor);
}

/// The same for games that begin with this position, unless their tag `FEN` gives another one.
pub fn read_from<'t>(first: &Board, text: &'t [u8], options: Options, visitor: &mut impl Visitor<'t>) {
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut reader = Reader {
        first,
        text,
        at: start,
        options,
        counted: start,
        line_start: start,
        line: 1,
        number: 0,
        beginnings: Beginnings::new(),
        stack: Vec::new(),
    };
    while reader.read_game(visitor) {}
}

struct Reader<'b, 't> {
    /// The first position of games.
    first: &'b Board,
    text: &'t [u8],
    at: usize,
    options: Options,
    /// Lines have been counted up to here, and this is the number of the one that this is in.
    counted: usize,
    line: u64,
    /// Where that line begins.
    line_start: usize,
    /// The number of the game.
    number: u64,
    beginnings: Beginnings,
    stack: Vec<Frame<'t>>,
}

/// What a variation interrupts.
struct Frame<'t> {
    board: Board,
    before: Option<Board>,
    ply: Ply<'t>,
}

/// How the moves of a game end.
enum End<'t> {
    /// With the marker of a result, after so many half moves.
    Result(&'t [u8], u32),
    /// At tags, or at the end of the text.
    Missing,
    /// No more of them are wanted.
    Enough,
}

/// A part of the text of moves.
enum Token<'t> {
    /// A move, or what is none.
    Word(&'t [u8]),
    /// A comment, the number of a move, or an annotation.
    Comment,
    /// The beginning of a variation.
    Open,
    /// The end of a variation.
    Close,
    /// The marker of a result.
    Result(&'t [u8]),
    /// Tags of the next game, or the end.
    End,
}

impl<'t> Reader<'_, 't> {
    /// Reads a game, if there is one more. Returns whether to go on.
    fn read_game(&mut self, visitor: &mut impl Visitor<'t>) -> bool {
        self.pass_between_games();
        if self.at >= self.text.len() {
            return false;
        }
        self.number += 1;
        // Elsewhere in a line, tags would begin another game for who looks at lines.
        let (tags, has_setup) = match self.is_at_line() {
            true => tags::read(self.text, &mut self.at),
            false => (Tags::new(&self.text[self.at..self.at]), false),
        };
        let ended = match visitor.game(self.number, tags) {
            Take::Stop => return false,
            Take::Skip => Ok(End::Enough),
            Take::Positions => match if has_setup { self.setup(tags) } else { Ok(self.first.clone()) } {
                Ok(board) => self.read_moves(board, visitor),
                Err(error) => Err(error),
            },
        };
        let depth = self.stack.len();
        self.stack.clear();
        let (result, error) = match ended {
            Ok(End::Result(result, ply)) => (Some(result), self.expect_tags(tags, ply)),
            Ok(End::Missing) => (None, None),
            Ok(End::Enough) => {
                self.pass_game(tags, depth);
                (None, None)
            }
            Err(error) => {
                self.pass_game(tags, depth);
                (None, Some(error))
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
            self.pass_between_games();
            let start = self.at;
            match self.token() {
                Token::End => return None,
                // The result may stand there twice.
                Token::Comment | Token::Result(_) => {}
                Token::Word(_) | Token::Open | Token::Close => {
                    let error = self.error(start, ply, Problem::AfterResult);
                    self.pass_game(tags, 0);
                    return Some(error);
                }
            }
        }
    }

    /// Passes over blanks and comments before a game.
    fn pass_between_games(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'{' | b';' => self.pass_comment(),
                b'%' if self.is_at_line() => self.pass_line(),
                _ if byte <= b' ' => self.at += 1,
                _ => return,
            }
        }
    }

    /// Passes over the rest of a game, from within so many variations.
    fn pass_game(&mut self, tags: Tags<'t>, mut depth: usize) {
        if !tags.is_empty() {
            self.at = self.beginnings.next(self.text, self.at.min(self.text.len()));
            return;
        }
        // Nothing but a result tells where a game without tags ends. In a variation, it tells nothing.
        loop {
            match self.token() {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Result(_) if depth > 0 => {}
                Token::Result(_) | Token::End => return,
                Token::Word(_) | Token::Comment => {}
            }
        }
    }

    /// The first position of a game with these tags.
    fn setup(&mut self, tags: Tags<'t>) -> Result<Board, Error<'t>> {
        let mut board = self.first.clone();
        for (name, value) in tags.iter() {
            let is_read = match name {
                b"Variant" if !is_chess(value) => Err(Problem::Variant),
                b"FEN" => Board::read_fen(value).map(|read| board = read).map_err(Problem::Fen),
                _ => Ok(()),
            };
            if let Err(problem) = is_read {
                let at = value.as_ptr().addr() - self.text.as_ptr().addr();
                return Err(Error { found: value, ..self.error(at, 0, problem) });
            }
        }
        Ok(board)
    }

    /// Reads the moves of a game that begins with this position.
    fn read_moves(&mut self, mut board: Board, visitor: &mut impl Visitor<'t>) -> Result<End<'t>, Error<'t>> {
        let mut ply = Ply::FIRST;
        let mut before = None;
        // Whether the visitor has not got this position yet, because what is said of it follows.
        let mut is_pending = true;
        // Outside of `self`, it stays in a register.
        let (text, mut at) = (self.text, self.at);
        loop {
            let word = word(text, at);
            let byte = word as u8;
            // The second byte of a move is no dot and no blank, unlike that of other words.
            if CODES[usize::from(byte)] != 0 && (word >> 8) as u8 >= b'-' && (word >> 8) as u8 != b'.' {
                if is_pending && !visitor.position(&board, &ply) {
                    self.at = at;
                    return Ok(End::Enough);
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
                            return Ok(End::Enough);
                        }
                        self.at = end;
                        return Err(self.error(at, ply.ply, Problem::NoEnd));
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
            // What follows a variation that is left out may be said of the move before it.
            let is_read = self.options.variations;
            let ends = match token {
                Token::Comment => false,
                Token::Open => is_read,
                Token::Word(_) | Token::Close | Token::Result(_) | Token::End => true,
            };
            if ends && core::mem::take(&mut is_pending) && !visitor.position(&board, &ply) {
                // A result or a bracket is part of what is passed over.
                self.at = start;
                return Ok(End::Enough);
            }
            match token {
                Token::Comment => {}
                Token::Word(text) => {
                    let last = self.options.variations.then(|| board.clone());
                    let at = self.at - text.len();
                    let played = board.play_text(text);
                    let mv = played.map_err(|error| self.error(at, ply.ply, Problem::Move(error)))?;
                    before = last;
                    ply = Ply { ply: ply.ply + 1, mv, text, eval: &[], clock: &[], depth: ply.depth };
                    is_pending = true;
                }
                Token::Open if is_read && before.is_some() => {
                    let (Some(start), true) = (before.take(), self.stack.len() < MAX_DEPTH) else {
                        self.at -= 1;
                        return Err(self.error(self.at, ply.ply, Problem::Variation));
                    };
                    let of = core::mem::replace(&mut board, start.clone());
                    self.stack.push(Frame { board: of, before: Some(start), ply });
                    ply = Ply { ply: ply.ply - 1, depth: ply.depth + 1, ..ply };
                }
                Token::Open => {
                    if let Err(error) = self.pass_variation(ply.ply) {
                        let goes_on = !is_pending || visitor.position(&board, &ply);
                        return if goes_on { Err(error) } else { Ok(End::Enough) };
                    }
                    at = self.at;
                }
                Token::Close => match self.stack.pop() {
                    Some(frame) => (board, before, ply) = (frame.board, frame.before, frame.ply),
                    None => return Err(self.error(self.at - 1, ply.ply, Problem::Move(MoveError::NotAMove))),
                },
                // Some annotators repeat the result at the end of a variation.
                Token::Result(_) if !self.stack.is_empty() => {}
                // What is cut off within a variation has no end.
                Token::End if !self.stack.is_empty() => {
                    return Err(Error { found: &[], ..self.error(self.at, ply.ply, Problem::NoEnd) });
                }
                Token::Result(result) => return Ok(End::Result(result, ply.ply)),
                Token::End => return Ok(End::Missing),
            }
        }
    }

    /// Passes over a variation, after its beginning.
    fn pass_variation(&mut self, ply: u32) -> Result<(), Error<'t>> {
        let (start, mut depth) = (self.at - 1, 1_u64);
        while depth > 0 {
            match self.token() {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::End => return Err(self.error(start, ply, Problem::NoEnd)),
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
                b'[' if self.is_at_tags() => return Token::End,
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
                _ => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    if digits > 0 && rest.get(digits) == Some(&b'.') {
                        self.at += digits;
                        continue;
                    }
                    let is_end = |byte: &u8| *byte <= b' ' || b"{}()[];!?$".contains(byte);
                    let mut len = 1 + rest[1..].iter().position(is_end).unwrap_or(rest.len() - 1);
                    // A promotion such as `e8(Q)` is no variation.
                    if let (b'a'..=b'h', b'1' | b'8', [b'(', b'N' | b'B' | b'R' | b'Q', b')', ..]) =
                        (byte, rest[len - 1], &rest[len..])
                    {
                        len += 3;
                    }
                    self.at += len;
                    let word = &rest[..len];
                    match word {
                        b"1-0" | b"0-1" | b"1/2-1/2" | b"1/2" | b"*" => return Token::Result(word),
                        // A number, or what annotators write for their opinion.
                        _ if digits == len && word != b"0000" => {}
                        b"e.p." | b"N" | b"D" => {}
                        // Signs of Informator and the like.
                        _ if word.iter().all(|byte| !byte.is_ascii()) => {}
                        _ if word != b"--" && word.iter().all(|byte| b"+-=/~".contains(byte)) => {}
                        _ => return Token::Word(word),
                    }
                }
            }
            return Token::Comment;
        }
    }

    fn is_at_line(&self) -> bool {
        self.at == 0 || self.text[self.at - 1] == b'\n' || self.at == 3 && self.text.starts_with(BYTE_ORDER_MARK)
    }

    /// Whether the tags of a game begin here.
    fn is_at_tags(&self) -> bool {
        self.is_at_line() && tags::is_tag(&self.text[self.at..])
    }

    /// Passes over a line.
    fn pass_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    }

    /// Passes over a comment. One without an end goes on up to the next tags.
    fn pass_comment(&mut self) {
        if self.text[self.at] == b';' {
            return self.pass_line();
        }
        let (Ok(end) | Err(end)) = comment(self.text, self.at, &mut Ply::FIRST.clone());
        self.at = end;
    }

    /// An error at this place.
    #[cold]
    fn error(&mut self, at: usize, ply: u32, problem: Problem) -> Error<'t> {
        // Errors come in the order of the text.
        let passed = &self.text[self.counted..at.max(self.counted)];
        self.line += memchr_iter(b'\n', passed).count() as u64;
        if let Some(end) = memrchr(b'\n', passed) {
            self.line_start = self.counted + end + 1;
        }
        self.counted = at.max(self.counted);
        let is_end = |byte: &u8| *byte <= b' ';
        let rest = &self.text[at..];
        let found = &rest[..rest.iter().take(100).position(is_end).unwrap_or(rest.len().min(100))];
        Error { line: self.line, column: at.saturating_sub(self.line_start) + 1, ply, problem, found }
    }
}

/// Eight bytes. Zeros stand for what is past the end.
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

/// Reads a comment in braces, and notes where it says something of a position. Returns its end. A comment that has none goes on
/// up to the next tags, which is the error.
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
            [b'[', ..] if text[at - 1] == b'\n' && tags::begin(text, at) => return Err(at),
            [b'[', ..] => at += 1,
            [0, ..] if at >= text.len() => return Err(text.len()),
            _ => at += marks(word).trailing_zeros() as usize / 8,
        }
    }
}

/// How many bytes there are before the first one that is a blank or a control character; 8 if there is none.
#[inline(always)]
fn blank(word: u64) -> usize {
    // Exact for the first one.
    let found = word.wrapping_sub(EACH * 0x21) & !word & (EACH * 0x80);
    found.trailing_zeros() as usize / 8
}

/// How many bytes the number of a move takes, with its dots and a blank; 0 if it is not one in its usual form.
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
