//! Bulletformat: a position in 32 bytes, as the side to move sees it.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | the occupancy |
//! | 8–23 | a nibble for each occupied square, from a1 on, the lower one of a byte first: pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5; plus 8 for pieces of the side not to move |
//! | 24–25 | the score (`i16`), as the side to move sees it |
//! | 26 | the outcome: 0 if the side to move lost, 1 for a draw, 2 if it won |
//! | 27 | the square of its king |
//! | 28 | the square of the other king, as that side sees it: `square ^ 56` |
//! | 29–31 | not used |
//!
//! All numbers are little-endian. If black is to move, the board is turned upside down and the colours are swapped. The
//! side is not recorded: positions are read with white to move, and scores and outcomes are white's in that sense.
//! Castling rights, en passant squares and counters are not kept.
//!
//! Source: the crate `bulletformat`, <https://github.com/jw1912/bulletformat>, `ChessBoard`.

use super::block::LabelParts;
use super::fixed::{Packed, RecordFields, from_one, occupied, wrong_pieces};
use super::{Outcome, RecordProblem, pack};
use crate::Board;
use crate::board::{Pieces, first};

#[derive(Clone, Debug)]
pub(super) struct BulletformatRecord;

impl Packed for BulletformatRecord {
    const PARTS: LabelParts = LabelParts::Scores;

    #[inline(always)]
    fn pieces(record: &[u8; 32], numbers: [u64; 4]) -> ([u64; 4], u64, bool) {
        let occupied = occupied(record);
        let planes = from_one(numbers, occupied);
        let [ones, twos, fours, other] = planes;
        let unknown = occupied & !(ones | twos | fours) | ones & twos & fours;
        (planes, 0, unknown | wrong_kings(record, twos & fours, other) == 0)
    }

    #[inline(always)]
    fn fields(record: &[u8; 32]) -> (RecordFields, bool) {
        let outcome = Outcome::of(record[26]);
        let fields = RecordFields {
            is_black_to_move: false,
            en_passant: None,
            score: i16::from_le_bytes([record[24], record[25]]),
            outcome: outcome.unwrap_or(Outcome::Draw),
            halfmoves: 0,
            number: 0,
        };
        (fields, outcome.is_some())
    }

    #[cold]
    fn problem(record: &[u8; 32], numbers: [u64; 4]) -> RecordProblem {
        let occupied = occupied(record);
        if let Some(problem) = wrong_pieces(occupied, from_one(numbers, occupied)) {
            return problem;
        }
        match Outcome::of(record[26]) {
            None => RecordProblem::Outcome(record[26]),
            Some(_) => RecordProblem::Kings,
        }
    }
}

/// Not zero unless each side has one king, where the record says.
#[inline(always)]
fn wrong_kings(record: &[u8; 32], kings: u64, other: u64) -> u64 {
    let [king, other_king] = [record[27], record[28]];
    let board = |square: u8| 1_u64 << (square % 64);
    let differ = board(king) ^ kings & !other | board(other_king ^ 56) ^ kings & other;
    differ | u64::from((king | other_king) >> 6)
}

/// Writes a position, with the score and the outcome as white sees them.
///
/// # Errors
///
/// There are more than 32 pieces. Nothing is written.
///
/// # Example
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::records::{Labels, Outcome, RecordReader, TrainingFormat, bulletformat};
///
/// let (board, mut bytes) = ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1".parse()?, Vec::new());
/// bulletformat::write(&board, 512, Outcome::White, &mut bytes)?;
///
/// let (mut positions, mut labels) = (Positions::new(), Labels::default());
/// RecordReader::new(TrainingFormat::Bulletformat, &bytes).read(1, &mut positions, &mut labels)?;
/// assert_eq!(positions.fen(0), "r3k3/8/8/8/8/8/8/4K3 w - -"); // the side to move is always white
/// assert_eq!((labels.scores[0], labels.outcomes[0]), (-512, Outcome::Black));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(board: &Board, score: i16, outcome: Outcome, out: &mut Vec<u8>) -> Result<(), RecordProblem> {
    let is_black = board.black_to_move != 0;
    let [ones, twos, fours, black] = board.planes;
    let (planes, score, outcome) = if is_black {
        let planes = [ones, twos, fours, black ^ board.pieces().occupied()].map(u64::swap_bytes);
        (planes, score.saturating_neg(), outcome.swapped())
    } else {
        (board.planes, score, outcome)
    };
    let pieces = Pieces(planes);
    let bit = |plane: usize, square| u8::from(planes[plane] & square != 0) << plane;
    let mut record = pack(pieces.occupied(), |square| {
        let kind = (bit(0, square) | bit(1, square) | bit(2, square)) - 1;
        kind | bit(3, square)
    })?;
    record[24..26].copy_from_slice(&score.to_le_bytes());
    record[26] = outcome as u8;
    record[27] = first(pieces.kings() & pieces.of(0)).index();
    record[28] = first(pieces.kings() & pieces.of(!0)).index() ^ 56;
    out.extend_from_slice(&record);
    Ok(())
}
