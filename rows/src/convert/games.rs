//! Games: sequences of positions that are connected by moves.
//!
//! A game may continue in the next block. So the threads that convert blocks encode only the games in the middle, and those at
//! the ends are joined in the order of the blocks.

use std::mem;

use slider_attacks_formats::games::game_rows::MAX_POSITIONS;
use slider_attacks_games::records::{Outcome, RecordProblem, binpack, marlinformat, viriformat};
use slider_attacks_games::{Board, Move, MoveKind};

use crate::format::RecordFormat;

/// Longer games are cut: readers of viriformat take no more of one.
const MOST_MOVES: usize = MAX_POSITIONS;

/// How many positions were left out because the format needs something that is not known of them: the first that is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Positions without a score.
    pub score: u64,
    /// Positions without a result.
    pub result: u64,
    /// Positions without a move.
    pub played: u64,
    /// Positions with a castling move that the format cannot store.
    pub castling: u64,
    /// Written positions that have lost castling rights that the format cannot store.
    pub rights: u64,
}

impl LeftOut {
    /// Adds those of another block.
    pub fn add(&mut self, other: LeftOut) {
        self.score += other.score;
        self.result += other.result;
        self.played += other.played;
        self.castling += other.castling;
        self.rights += other.rights;
    }

    /// How many there are.
    pub fn all(self) -> u64 {
        self.score + self.result + self.played + self.castling
    }
}

/// A game, or some moves of it.
#[derive(Clone, Debug)]
pub struct Game {
    start: Board,
    /// Whether the counters of the first position are known.
    has_counters: bool,
    /// The position after the last move.
    end: Board,
    outcome: Outcome,
    moves: Vec<(Move, i16)>,
}

impl Game {
    /// A game without moves.
    ///
    /// # Errors
    ///
    /// Its first position cannot be written.
    fn new(board: &Board, has_counters: bool, outcome: Outcome) -> Result<Game, RecordProblem> {
        can_begin(board)?;
        Ok(Game { start: board.clone(), has_counters, end: board.clone(), outcome, moves: Vec::new() })
    }

    /// Whether the game continues with this position. Unknown counters are not compared.
    fn goes_on(&self, board: &Board, has_counters: bool, outcome: Outcome) -> bool {
        let mut board = board.clone();
        if !has_counters {
            board.set_counters(self.end.halfmove_clock(), self.end.fullmove_number());
        }
        outcome == self.outcome && board == self.end
    }

    /// Adds the moves of a game that begins where this one ends.
    fn join(&mut self, other: Game) {
        for (mv, score) in other.moves {
            // Again, because its counters may not have been known.
            self.end.play(mv).expect("it was legal");
            self.moves.push((mv, score));
        }
    }

    /// Writes the moves that are too many for one game.
    fn write_first(&mut self, to: RecordFormat, out: &mut Vec<u8>) {
        while self.moves.len() > MOST_MOVES {
            let rest = self.moves.split_off(MOST_MOVES);
            self.write_moves(to, out);
            for (mv, _) in mem::replace(&mut self.moves, rest) {
                self.start.play(mv).expect("it was legal");
            }
        }
    }

    fn write(mut self, to: RecordFormat, out: &mut Vec<u8>) {
        self.write_first(to, out);
        self.write_moves(to, out);
    }

    fn write_moves(&self, to: RecordFormat, out: &mut Vec<u8>) {
        let Game { start, outcome, moves, .. } = self;
        let written = match to {
            RecordFormat::Binpack => binpack::write(start, *outcome, moves, out),
            _ => viriformat::write(start, *outcome, moves, out),
        };
        written.expect("the first position and the moves have been tried");
    }
}

/// Checks whether a game can begin with a position.
fn can_begin(board: &Board) -> Result<(), RecordProblem> {
    // The other formats have the same limits.
    marlinformat::write(board, 0, Outcome::Draw, &mut Vec::new())
}

/// The games of a block.
#[derive(Debug)]
pub struct EncodedGames {
    to: RecordFormat,
    /// The first and the last one, and those between them as they are written.
    first: Option<Game>,
    middle: Vec<u8>,
    last: Option<Game>,
}

impl EncodedGames {
    /// No games yet.
    pub fn new(to: RecordFormat) -> EncodedGames {
        EncodedGames { to, first: None, middle: Vec::new(), last: None }
    }

    /// Drops the castling rights that the format cannot hold. Returns whether there were any.
    fn drop_rights(&self, board: &mut Board) -> bool {
        self.to == RecordFormat::Binpack && binpack::drop_rights(board)
    }

    /// Checks whether a position can be added, if the move that is played from it is legal.
    ///
    /// # Errors
    ///
    /// The position cannot be written.
    pub fn check(&self, board: &Board) -> Result<(), RecordProblem> {
        let mut board = board.clone();
        self.drop_rights(&mut board);
        can_begin(&board)
    }

    /// Adds a position, and the move that was played from it, or leaves it out if the format cannot hold the move.
    ///
    /// # Errors
    ///
    /// The position cannot be written, or the move is not legal. Nothing is added.
    pub fn push(
        &mut self,
        board: &Board,
        has_counters: bool,
        outcome: Outcome,
        (mv, score): (Move, i16),
        left_out: &mut LeftOut,
    ) -> Result<(), RecordProblem> {
        let mut held = board.clone();
        if self.drop_rights(&mut held) {
            if mv.kind() == MoveKind::Castling && held.clone().play(mv).is_err() && board.clone().play(mv).is_ok() {
                left_out.castling += 1;
                return Ok(());
            }
            self.push_held(&held, has_counters, outcome, (mv, score))?;
            left_out.rights += 1;
            return Ok(());
        }
        self.push_held(board, has_counters, outcome, (mv, score))
    }

    /// The same for a position that the format can store.
    fn push_held(
        &mut self,
        board: &Board,
        has_counters: bool,
        outcome: Outcome,
        (mv, score): (Move, i16),
    ) -> Result<(), RecordProblem> {
        let open = self.last.as_mut().or(self.first.as_mut());
        let open = open.filter(|game| game.goes_on(board, has_counters, outcome));
        if let Some(game) = open {
            game.end.play(mv).map_err(|_| RecordProblem::Move(mv))?;
            game.moves.push((mv, score));
            return Ok(());
        }
        let mut game = Game::new(board, has_counters, outcome)?;
        game.end.play(mv).map_err(|_| RecordProblem::Move(mv))?;
        game.moves.push((mv, score));
        if self.first.is_none() {
            self.first = Some(game);
        } else if let Some(last) = self.last.replace(game) {
            last.write(self.to, &mut self.middle);
        }
        Ok(())
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        let ends = self.first.iter().chain(&self.last);
        self.middle.capacity() + ends.map(|game| game.moves.capacity() * size_of::<(Move, i16)>()).sum::<usize>()
    }
}

/// Joins the games of blocks.
#[derive(Debug)]
pub struct GameJoiner {
    to: RecordFormat,
    /// The game that may continue in the next block.
    open: Option<Game>,
    /// The encoded bytes: in binpack, chains that do not fill a chunk yet.
    bytes: Vec<u8>,
}

/// About how many bytes a chunk of binpack has.
const CHUNK: usize = 1 << 20;

impl GameJoiner {
    /// No games yet.
    pub fn new(to: RecordFormat) -> GameJoiner {
        GameJoiner { to, open: None, bytes: Vec::new() }
    }

    /// Adds the games of the next block, and returns what can be written.
    pub fn add(&mut self, games: EncodedGames) -> Vec<u8> {
        let EncodedGames { first, middle, last, .. } = games;
        match (&mut self.open, first) {
            (Some(open), Some(first)) if open.goes_on(&first.start, first.has_counters, first.outcome) => {
                open.join(first);
                open.write_first(self.to, &mut self.bytes);
            }
            (_, first) => self.begin(first),
        }
        self.begin(last);
        // They come before the last one, which waits.
        self.bytes.extend_from_slice(&middle);
        self.ready(CHUNK)
    }

    /// Another game begins, if this is one.
    fn begin(&mut self, game: Option<Game>) {
        if game.is_some()
            && let Some(before) = mem::replace(&mut self.open, game)
        {
            before.write(self.to, &mut self.bytes);
        }
    }

    /// What can be written, if a chunk is to have this many bytes.
    fn ready(&mut self, chunk: usize) -> Vec<u8> {
        if self.to != RecordFormat::Binpack {
            return mem::take(&mut self.bytes);
        }
        let mut out = Vec::new();
        if self.bytes.len() >= chunk {
            binpack::write_chunk(&self.bytes, &mut out);
            self.bytes.clear();
        }
        out
    }

    /// There are no more games: returns the rest.
    pub fn finish(mut self) -> Vec<u8> {
        if let Some(game) = self.open.take() {
            game.write(self.to, &mut self.bytes);
        }
        self.ready(0)
    }
}
