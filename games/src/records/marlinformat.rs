//! Marlinformat: a position in 32 bytes, as white sees it.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | the occupancy |
//! | 8–23 | a nibble for each occupied square, from a1 on, the lower one of a byte first: pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5, rook that may castle 6; plus 8 for black |
//! | 24 | bits 0–6 the en passant square, or 64; bit 7 is set if black is to move |
//! | 25 | half moves since the last capture or pawn move |
//! | 26–27 | the move number |
//! | 28–29 | the score (`i16`), as white sees it |
//! | 30 | the outcome: 0 black won, 1 draw, 2 white won |
//! | 31 | not used |
//!
//! All numbers are little-endian. A rook that may castle is on the queen's side if it comes before its king.
//!
//! Source: "PackedBoard" in the README of viriformat, <https://github.com/cosmobobak/viriformat>.

use slider_attacks::Square;

use super::block::LabelParts;
use super::fixed::{Packed, RecordFields, from_one, occupied, wrong_pieces};
use super::{Outcome, RecordProblem, pack};
use crate::Board;
use crate::setup::rooks_are_right;

#[derive(Clone, Debug)]
pub(super) struct MarlinformatRecord;

/// The number that stands for no en passant square.
const NO_SQUARE: u8 = 64;

/// The bits of the numbers of pieces, and the rooks that may castle.
#[inline(always)]
fn pieces(numbers: [u64; 4], occupied: u64) -> ([u64; 4], u64) {
    let [ones, twos, fours, black] = from_one(numbers, occupied);
    // Their number has become 7.
    let rooks = ones & twos & fours;
    ([ones ^ rooks, twos ^ rooks, fours, black], rooks)
}

impl Packed for MarlinformatRecord {
    const PARTS: LabelParts = LabelParts::Counters;

    #[inline(always)]
    fn pieces(record: &[u8; 32], numbers: [u64; 4]) -> ([u64; 4], u64, bool) {
        let occupied = occupied(record);
        let (planes, rooks) = pieces(numbers, occupied);
        let [ones, twos, fours, _] = planes;
        let is_right = (occupied & !(ones | twos | fours) == 0) & rooks_are_right(planes, rooks);
        (planes, rooks, is_right)
    }

    #[inline(always)]
    fn fields(record: &[u8; 32]) -> (RecordFields, bool) {
        let (square, black) = (record[24] & 0x7f, record[24] >> 7);
        let outcome = Outcome::of(record[30]);
        let fields = RecordFields {
            is_black_to_move: black != 0,
            en_passant: Square::new(square),
            score: i16::from_le_bytes([record[28], record[29]]),
            outcome: outcome.unwrap_or(Outcome::Draw),
            halfmoves: record[25].into(),
            number: u16::from_le_bytes([record[26], record[27]]),
        };
        // The side to move can take on rank 6, or 3 for black.
        let is_en_passant = (square >> 3 == 5 - 3 * black) | (square == NO_SQUARE);
        (fields, is_en_passant & outcome.is_some())
    }

    #[cold]
    fn problem(record: &[u8; 32], numbers: [u64; 4]) -> RecordProblem {
        let occupied = occupied(record);
        let (planes, rooks) = pieces(numbers, occupied);
        if let Some(problem) = wrong_pieces(occupied, planes) {
            return problem;
        }
        if !rooks_are_right(planes, rooks) {
            return RecordProblem::Castling;
        }
        match Outcome::of(record[30]) {
            None => RecordProblem::Outcome(record[30]),
            Some(_) => RecordProblem::EnPassant(record[24] & 0x7f),
        }
    }
}

/// The record of a board. The half-move clock is at most 255.
pub(super) fn record(board: &Board, score: i16, outcome: Outcome) -> Result<[u8; 32], RecordProblem> {
    let pieces = board.pieces();
    if !rooks_are_right(board.planes, board.rooks) {
        return Err(RecordProblem::Castling);
    }
    let bit = |plane: usize, square| u8::from(board.planes[plane] & square != 0) << plane;
    let mut record = pack(pieces.occupied(), |square| {
        let kind = if board.rooks & square != 0 { 6 } else { (bit(0, square) | bit(1, square) | bit(2, square)) - 1 };
        kind | bit(3, square)
    })?;
    let side = if board.black_to_move != 0 { 0x80 } else { 0 };
    record[24] = side | board.en_passant().map_or(NO_SQUARE, Square::index);
    record[25] = board.halfmoves.min(255) as u8;
    record[26..28].copy_from_slice(&board.number.to_le_bytes());
    record[28..30].copy_from_slice(&score.to_le_bytes());
    record[30] = outcome as u8;
    Ok(record)
}

/// Writes a position, with the score and the outcome as white sees them. The half-move clock is written as 255 if it is
/// larger.
///
/// # Errors
///
/// There are more than 32 pieces, or two rooks on the same side of a king may castle. Nothing is written.
///
/// # Example
///
/// ```
/// use slider_attacks_games::Board;
/// use slider_attacks_games::records::{Outcome, RecordProblem, marlinformat};
///
/// let mut bytes = Vec::new();
/// marlinformat::write(&Board::INITIAL, 25, Outcome::Draw, &mut bytes)?;
/// assert_eq!(bytes.len(), 32);
///
/// let board: Board = "4k3/8/8/8/8/8/8/RR2K3 w BA - 0 1".parse()?;
/// assert_eq!(marlinformat::write(&board, 0, Outcome::Draw, &mut bytes), Err(RecordProblem::Castling));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(board: &Board, score: i16, outcome: Outcome, out: &mut Vec<u8>) -> Result<(), RecordProblem> {
    out.extend_from_slice(&record(board, score, outcome)?);
    Ok(())
}
