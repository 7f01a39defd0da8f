//! Viriformat: games, as their first position and their moves.
//!
//! | bytes | what |
//! |---|---|
//! | 0–31 | the first position and the outcome, in [`marlinformat`] |
//! | 4 for each move | the move (`u16`); the score before it (`i16`), as white sees it |
//! | 4 | zeros |
//!
//! | bits of a move | what |
//! |---|---|
//! | 0–5 | the origin of the piece |
//! | 6–11 | the destination; the rook's square if the king castles |
//! | 12–13 | the piece of a promotion: knight 0, bishop 1, rook 2, queen 3 |
//! | 14–15 | normal move 0, en passant 1, castling 2, promotion 3 |
//!
//! These are the bits of a [`Move`]. All numbers are little-endian. The score of the first 32 bytes is not read; 0 is
//! written. Each move gives one position: the one before it.
//!
//! Source: the README of viriformat, <https://github.com/cosmobobak/viriformat>.

use core::mem;

use slider_attacks::position::Positions;

use super::block::{BLOCK, LabelParts, RecordBlock};
use super::fixed::{Packed, numbers};
use super::{Error, Labels, Outcome, ReadCounts, RecordLabels, RecordProblem, marlinformat};
use crate::{Board, Move};

#[derive(Clone, Debug)]
pub(super) struct ViriformatReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of games begun.
    games: u64,
    game: Option<(Board, Outcome)>,
    block: RecordBlock,
    /// How many positions were left out in addition to those of the block.
    left_out: usize,
}

impl<'a> ViriformatReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        ViriformatReader { bytes, at: 0, games: 0, game: None, block: RecordBlock::new(), left_out: 0 }
    }

    pub fn read(&mut self, most: usize, positions: &mut Positions, labels: &mut Labels) -> Result<usize, Error> {
        let (read, counts) = self.read_if(usize::MAX, most, |_| true, positions, labels);
        read.map(|()| counts.kept)
    }

    /// Reads at most so many records, and adds those for which `keeps` holds, at most `most`.
    pub fn read_if(
        &mut self,
        records: usize,
        most: usize,
        keeps: impl Fn(&RecordLabels<'_>) -> bool,
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> (Result<(), Error>, ReadCounts) {
        let mut counts = ReadCounts::default();
        while counts.kept < most && counts.records < records {
            let read = self.fill((most - counts.kept).min(records - counts.records).min(BLOCK), &keeps);
            let (kept, left_out) = (self.block.len, mem::take(&mut self.left_out));
            counts = ReadCounts { records: counts.records + kept + left_out, kept: counts.kept + kept };
            self.block.flush(positions, labels, LabelParts::Moves).expect("boards are positions");
            if read.is_err() || kept + left_out == 0 {
                return (read, counts);
            }
        }
        (Ok(()), counts)
    }

    /// Reads positions until there are as many as wanted, or until the end. They are put into the block, or only counted.
    fn fill(&mut self, wanted: usize, keeps: &impl Fn(&RecordLabels<'_>) -> bool) -> Result<(), Error> {
        while self.block.len + self.left_out < wanted {
            let Some((mut board, outcome)) = self.game.take() else {
                if self.at == self.bytes.len() {
                    break;
                }
                self.game = Some(self.begin()?);
                continue;
            };
            loop {
                let Some(bytes) = self.bytes[self.at..].first_chunk::<4>() else {
                    return Err(self.error_at_end());
                };
                let [low, high, score @ ..] = *bytes;
                let mv = Move::from_bits(u16::from_le_bytes([low, high]));
                if *bytes == [0; 4] {
                    self.at += 4;
                    break;
                }
                let score = i16::from_le_bytes(score);
                let is_kept = keeps(&RecordLabels { board: &board, mv, score, outcome, place: 0 });
                if is_kept {
                    self.block.put(&board, mv, score, outcome);
                }
                if !board.replay(mv) {
                    let byte = self.at;
                    self.pass_moves();
                    return Err(self.error(byte, RecordProblem::Move(mv)));
                }
                self.block.len += usize::from(is_kept);
                self.left_out += usize::from(!is_kept);
                self.at += 4;
                if self.block.len + self.left_out == wanted {
                    self.game = Some((board, outcome));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads the first position of a game.
    fn begin(&mut self) -> Result<(Board, Outcome), Error> {
        self.games += 1;
        let start = self.at;
        let Some(record) = self.bytes[start..].first_chunk::<32>() else {
            return Err(self.error_at_end());
        };
        self.at += record.len();
        let numbers = numbers(record);
        let (planes, rooks, are_right) = marlinformat::MarlinformatRecord::pieces(record, numbers);
        let (fields, is_right) = marlinformat::MarlinformatRecord::fields(record);
        let board = if are_right & is_right {
            let en_passant = fields.en_passant.map_or(0, |square| square.bitboard());
            let is_black = fields.is_black_to_move;
            let board = Board::from_parts(planes, is_black, rooks, en_passant, fields.halfmoves, fields.number);
            board.map_err(RecordProblem::Board)
        } else {
            Err(marlinformat::MarlinformatRecord::problem(record, numbers))
        };
        board.map(|board| (board, fields.outcome)).map_err(|problem| {
            self.pass_moves();
            self.error(start, problem)
        })
    }

    /// Skips the rest of a game.
    fn pass_moves(&mut self) {
        let (moves, _) = self.bytes[self.at..].as_chunks::<4>();
        self.at = match moves.iter().position(|mv| *mv == [0; 4]) {
            Some(end) => self.at + 4 * (end + 1),
            None => self.bytes.len(),
        };
    }

    #[cold]
    fn error(&self, byte: usize, problem: RecordProblem) -> Error {
        Error { record: self.games, byte, problem }
    }

    #[cold]
    fn error_at_end(&mut self) -> Error {
        self.at = self.bytes.len();
        self.error(self.at, RecordProblem::CutOff)
    }
}

/// Writes a game: its first position, its outcome, and its moves with the scores before them, as white sees them.
///
/// # Errors
///
/// A move is not legal, or the first position cannot be written: see [`marlinformat::write`]. Nothing is written.
///
/// # Example
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::Board;
/// use slider_attacks_games::records::{Labels, Outcome, RecordReader, TrainingFormat, viriformat};
///
/// let (mut board, mut bytes) = (Board::INITIAL, Vec::new());
/// let moves = [(board.play_text(b"e4")?, 30), (board.play_text(b"e5")?, 25)];
/// viriformat::write(&Board::INITIAL, Outcome::Draw, &moves, &mut bytes)?;
///
/// let (mut positions, mut labels) = (Positions::new(), Labels::default());
/// RecordReader::new(TrainingFormat::Viriformat, &bytes).read(10, &mut positions, &mut labels)?;
/// assert_eq!(labels.scores, [30, 25]); // of the positions before these moves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(board: &Board, outcome: Outcome, moves: &[(Move, i16)], out: &mut Vec<u8>) -> Result<(), RecordProblem> {
    let (record, mut board) = (marlinformat::record(board, 0, outcome)?, board.clone());
    for &(mv, _) in moves {
        board.play(mv).map_err(|_| RecordProblem::Move(mv))?;
    }
    out.extend_from_slice(&record);
    for (mv, score) in moves {
        out.extend_from_slice(&mv.bits().to_le_bytes());
        out.extend_from_slice(&score.to_le_bytes());
    }
    out.extend_from_slice(&[0; 4]);
    Ok(())
}
