//! A buffer of positions and their labels.

use slider_attacks::Square;
use slider_attacks::position::{BoardError, Castling, Color, PlanesError, Positions};

use super::{Labels, Outcome};
use crate::{Board, Move};

pub(super) const BLOCK: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct RecordBlock {
    pub planes: [[u64; BLOCK]; 4],
    pub side_to_move: [Color; BLOCK],
    pub castling: [Castling; BLOCK],
    pub en_passant: [Option<Square>; BLOCK],
    pub scores: [i16; BLOCK],
    pub outcomes: [Outcome; BLOCK],
    pub halfmoves: [u16; BLOCK],
    pub numbers: [u16; BLOCK],
    pub moves: [Move; BLOCK],
    /// The number of positions.
    pub len: usize,
}

impl RecordBlock {
    pub fn new() -> RecordBlock {
        RecordBlock {
            planes: [[0; BLOCK]; 4],
            side_to_move: [Color::White; BLOCK],
            castling: [Castling::NONE; BLOCK],
            en_passant: [None; BLOCK],
            scores: [0; BLOCK],
            outcomes: [Outcome::Draw; BLOCK],
            halfmoves: [0; BLOCK],
            numbers: [0; BLOCK],
            moves: [Move::NONE; BLOCK],
            len: 0,
        }
    }

    /// Puts a position after the others. It does not count yet, because the rest of its record may be wrong.
    #[inline(always)]
    pub fn put(&mut self, board: &Board, mv: Move, score: i16, outcome: Outcome) {
        let at = self.len % BLOCK;
        for (all, plane) in self.planes.iter_mut().zip(board.planes()) {
            all[at] = plane;
        }
        self.side_to_move[at] = board.side_to_move();
        self.castling[at] = board.castling();
        self.en_passant[at] = board.en_passant();
        self.scores[at] = score;
        self.outcomes[at] = outcome;
        self.halfmoves[at] = board.halfmove_clock();
        self.numbers[at] = board.fullmove_number();
        self.moves[at] = mv;
    }

    /// Adds the positions to others.
    ///
    /// # Errors
    ///
    /// The first one that is not a position. Those before it have been added.
    pub fn flush(
        &mut self,
        positions: &mut Positions,
        labels: &mut Labels,
        what: LabelParts,
    ) -> Result<(), (usize, BoardError)> {
        let mut len = core::mem::take(&mut self.len);
        let mut pushed = self.push(len, positions);
        let error = match pushed {
            Ok(()) => Ok(()),
            Err(PlanesError::Board { index, error }) => {
                len = index;
                pushed = self.push(len, positions);
                Err((index, error))
            }
            Err(_) => Ok(()),
        };
        pushed.expect("the arrays have one length, and what is wrong has been left out");
        labels.scores.extend_from_slice(&self.scores[..len]);
        labels.outcomes.extend_from_slice(&self.outcomes[..len]);
        if what >= LabelParts::Counters {
            labels.halfmoves.extend_from_slice(&self.halfmoves[..len]);
            labels.numbers.extend_from_slice(&self.numbers[..len]);
        }
        if what >= LabelParts::Moves {
            labels.moves.extend_from_slice(&self.moves[..len]);
        }
        error
    }

    fn push(&self, len: usize, positions: &mut Positions) -> Result<(), PlanesError> {
        let planes = self.planes.each_ref().map(|plane| &plane[..len]);
        positions.push_planes(planes, &self.side_to_move[..len], &self.castling[..len], &self.en_passant[..len])
    }
}

/// The fields of a format in addition to scores and outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LabelParts {
    /// Nothing.
    Scores,
    /// The two counters.
    Counters,
    /// The two counters, and the moves.
    Moves,
}
