//! Records of 32 bytes, one per position.

use core::marker::PhantomData;

use slider_attacks::position::{BoardError, Castling, Color, Positions};
use slider_attacks::{Backend, Square};

use super::block::{BLOCK, LabelParts, RecordBlock};
use super::{Error, Labels, Outcome, RecordProblem};
use crate::setup::wrong_king_count;

/// The fields of a record other than the pieces.
pub(super) struct RecordFields {
    pub is_black_to_move: bool,
    pub en_passant: Option<Square>,
    pub score: i16,
    pub outcome: Outcome,
    pub halfmoves: u16,
    pub number: u16,
}

/// A format with records of 32 bytes that begin with occupancy and nibbles.
pub(super) trait Packed {
    /// The fields of the format.
    const PARTS: LabelParts;

    /// The planes of the pieces, as [`Positions::push_planes`] takes them, from those of the nibbles, and the rooks that may
    /// castle. Returns also whether they are right, except for the number of kings.
    fn pieces(record: &[u8; 32], numbers: [u64; 4]) -> ([u64; 4], u64, bool);

    /// The rest of a record, and whether it is right.
    fn fields(record: &[u8; 32]) -> (RecordFields, bool);

    /// The problem of a record.
    fn problem(record: &[u8; 32], numbers: [u64; 4]) -> RecordProblem;
}

#[derive(Clone, Debug)]
pub(super) struct FixedReader<'a, P> {
    bytes: &'a [u8],
    at: usize,
    /// The number of records in the next block. Small after a wrong one, because the rest of its block is read again.
    next: usize,
    block: RecordBlock,
    packed: PhantomData<P>,
}

const SIZE: usize = 32;

impl<'a, P: Packed> FixedReader<'a, P> {
    pub fn new(bytes: &'a [u8]) -> Self {
        FixedReader { bytes, at: 0, next: BLOCK, block: RecordBlock::new(), packed: PhantomData }
    }

    pub fn read(&mut self, most: usize, positions: &mut Positions, labels: &mut Labels) -> Result<usize, Error> {
        let mut count = 0;
        while count < most && self.at < self.bytes.len() {
            let (records, _) = self.bytes[self.at..].as_chunks::<SIZE>();
            let records = &records[..records.len().min(self.next).min(most - count)];
            if records.is_empty() {
                let error = self.error(0, RecordProblem::CutOff);
                self.at = self.bytes.len();
                return Err(error);
            }
            let read = self.read_block(records, positions, labels);
            match read {
                Ok(()) => {
                    self.at += SIZE * records.len();
                    self.next = (2 * self.next).min(BLOCK);
                    count += records.len();
                }
                Err((index, problem)) => {
                    let error = self.error(index, problem);
                    self.at += SIZE * (index + 1);
                    self.next = 1;
                    return Err(error);
                }
            }
        }
        Ok(count)
    }

    #[cold]
    fn error(&self, index: usize, problem: RecordProblem) -> Error {
        let byte = self.at + SIZE * index;
        Error { record: (byte / SIZE) as u64 + 1, byte, problem }
    }

    /// Reads at most as many records as a block has. An error is the index of the first wrong one; those before it are added.
    fn read_block(
        &mut self,
        records: &[[u8; 32]],
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> Result<(), (usize, RecordProblem)> {
        let (block, len) = (&mut self.block, records.len());
        Backend::active()
            .unpack_records(records, block.planes.each_mut().map(|plane| &mut plane[..len]))
            .expect("the lengths are the same");
        let mut first_wrong = len;
        for (at, record) in records.iter().enumerate().rev() {
            let at = at % BLOCK; // so that the compiler sees that it is within the arrays
            let (planes, rooks, is_right) = P::pieces(record, [0, 1, 2, 3].map(|plane| block.planes[plane][at]));
            for (all, plane) in block.planes.iter_mut().zip(planes) {
                all[at] = plane;
            }
            let (fields, fields_are_right) = P::fields(record);
            block.scores[at] = fields.score;
            block.outcomes[at] = fields.outcome;
            if P::PARTS >= LabelParts::Counters {
                block.castling[at] = Castling::from_rooks(rooks);
                block.side_to_move[at] = if fields.is_black_to_move { Color::Black } else { Color::White };
                block.en_passant[at] = fields.en_passant;
                block.halfmoves[at] = fields.halfmoves;
                block.numbers[at] = fields.number;
            }
            first_wrong = if is_right & fields_are_right { first_wrong } else { at };
        }
        block.len = first_wrong;
        block.flush(positions, labels, P::PARTS).map_err(|(index, error)| (index, error.into()))?;
        match records.get(first_wrong) {
            Some(record) => Err((first_wrong, P::problem(record, numbers(record)))),
            None => Ok(()),
        }
    }
}

/// The planes of the nibbles of one record.
pub(super) fn numbers(record: &[u8; 32]) -> [u64; 4] {
    let mut planes = [[0]; 4];
    let slices = planes.each_mut().map(|plane| &mut plane[..]);
    Backend::active().unpack_records(&[*record], slices).expect("the lengths are the same");
    planes.map(|[plane]| plane)
}

/// The occupancy of a record.
#[inline(always)]
pub(super) fn occupied(record: &[u8; 32]) -> u64 {
    u64::from_le_bytes(*record.first_chunk().expect("eight bytes"))
}

/// The bits of the numbers of pieces, from those of numbers that begin with 0 for pawns.
#[inline(always)]
pub(super) fn from_one([ones, twos, fours, other]: [u64; 4], occupied: u64) -> [u64; 4] {
    [occupied & !ones, twos ^ ones, fours ^ twos & ones, other]
}

/// The problem of the pieces of a record, if any: their count, a square without a piece, or the kings.
pub(super) fn wrong_pieces(occupied: u64, planes: [u64; 4]) -> Option<RecordProblem> {
    let count = occupied.count_ones();
    if count > 32 {
        return Some(RecordProblem::Pieces(count));
    }
    let [ones, twos, fours, black] = planes;
    let unknown = occupied & !(ones | twos | fours) | ones & twos & fours;
    let unknown = Square::new(unknown.trailing_zeros() as u8).map(|square| BoardError::UnknownPiece { square });
    unknown.or_else(|| wrong_king_count(twos & fours, black)).map(RecordProblem::Board)
}
