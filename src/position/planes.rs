//! Boards as four planes: the bits of the number of the piece on each square, and the pieces of black.

use super::block::{BLOCK, Block};
use super::{BoardError, Castling, Color, PlanesError, Positions};
use crate::batch::entries::Task;
use crate::{Backend, Square};

/// How many boards are finished in one round of a loop, which the compiler vectorises.
pub(super) const ROUND: usize = 16;

/// Makes bitboards of the planes of some boards, and notes which of them have other than one king of each colour.
#[inline(always)]
pub(super) fn finish(planes: [&[u64; BLOCK]; 4], start: usize, block: &mut Block, wrong: &mut [u64; BLOCK]) {
    for at in start..start + ROUND {
        let at = at % BLOCK;
        let [ones, twos, fours, black] = [0, 1, 2, 3].map(|plane| planes[plane][at]);
        let (boards, occupied) = (by_kind([ones, twos, fours]), ones | twos | fours);
        for (kind, board) in boards.into_iter().enumerate() {
            block.boards[kind][at] = board & !black;
            block.boards[6 + kind][at] = board & black;
        }
        block.boards[12][at] = occupied & !black;
        block.boards[13][at] = occupied & black;
        block.boards[14][at] = occupied;
        wrong[at] = wrong_kings([ones, twos, fours, black]);
    }
}

/// The boards of the six kinds of pieces, from the bits of their numbers from 1 to 6.
#[inline(always)]
pub(super) fn by_kind([ones, twos, fours]: [u64; 3]) -> [u64; 6] {
    [ones & !twos & !fours, twos & !ones & !fours, ones & twos, fours & !ones & !twos, fours & ones, fours & twos]
}

/// Not zero unless each side has one king.
#[inline(always)]
pub(super) fn wrong_kings([_, twos, fours, black]: [u64; 4]) -> u64 {
    let not_one = |kings: u64| u64::from(kings == 0) | (kings & kings.wrapping_sub(1));
    not_one(twos & fours & !black) | not_one(twos & fours & black)
}

/// The squares on which there is neither a piece nor nothing.
#[inline(always)]
fn unknown([ones, twos, fours, black]: [u64; 4]) -> u64 {
    ones & twos & fours | black & !(ones | twos | fours)
}

/// Makes bitboards of as many boards as a block has.
struct PlanesTask<'a> {
    planes: [&'a [u64; BLOCK]; 4],
    block: &'a mut Block,
    wrong: &'a mut [u64; BLOCK],
}

impl Task for PlanesTask<'_> {
    #[inline(always)]
    fn perform(self) {
        let PlanesTask { planes, block, wrong } = self;
        for start in (0..BLOCK).step_by(ROUND) {
            finish(planes, start, block, wrong);
        }
        let [ones, twos, fours, black] = planes;
        for at in 0..BLOCK {
            wrong[at] |= unknown([ones[at], twos[at], fours[at], black[at]]);
        }
    }
}

impl Backend {
    /// Writes the planes of boards that are packed as records of engines have them, for example those of bulletformat and
    /// marlinformat: as [`Positions::push_planes`] takes planes, once the numbers are those of its pieces.
    ///
    /// A record begins with the occupancy, 8 bytes, and with the numbers of the pieces in the order of their squares, 16 bytes;
    /// both little-endian, so that the lower half of a byte comes first. `planes[bit][i]` become the squares of `records[i]`
    /// whose number has that bit. There are numbers for 32 pieces; that of any other one counts as 15. The last 8 bytes are not looked at.
    ///
    /// # Errors
    ///
    /// [`PlanesError::LengthMismatch`] if the arrays do not have the same length. Then nothing is written.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// // Number 3 on b1, 9 on e1, 8 on f1, 1 on h1.
    /// let mut record = [0; 32];
    /// (record[0], record[8], record[9]) = (0b1011_0010, 0x93, 0x18);
    /// let mut planes = [[0]; 4];
    /// Backend::active().unpack_records(&[record], planes.each_mut().map(|plane| &mut plane[..]))?;
    /// assert_eq!(planes, [[0b1001_0010], [0b0000_0010], [0], [0b0011_0000]]);
    /// # Ok::<(), slider_attacks::position::PlanesError>(())
    /// ```
    pub fn unpack_records(self, records: &[[u8; 32]], planes: [&mut [u64]; 4]) -> Result<(), PlanesError> {
        if planes.iter().any(|plane| plane.len() != records.len()) {
            return Err(PlanesError::LengthMismatch);
        }
        self.unpack(records, planes);
        Ok(())
    }

    /// [`Positions::push_planes`], with this backend.
    ///
    /// # Errors
    ///
    /// As of [`Positions::push_planes`]. Then nothing is added.
    pub fn push_planes(
        self,
        planes: [&[u64]; 4],
        side_to_move: &[Color],
        castling: &[Castling],
        en_passant: &[Option<Square>],
        positions: &mut Positions,
    ) -> Result<(), PlanesError> {
        let len = side_to_move.len();
        if planes.iter().any(|plane| plane.len() != len) || castling.len() != len || en_passant.len() != len {
            return Err(PlanesError::LengthMismatch);
        }
        let before = positions.len();
        let (mut block, mut some) = (Block::new(), [[0; BLOCK]; 4]);
        for start in (0..len).step_by(BLOCK) {
            let count = (len - start).min(BLOCK);
            let range = start..start + count;
            let parts = planes.map(|plane| &plane[range.clone()]);
            let whole = parts.map(|part| part.first_chunk());
            let planes = if let [Some(ones), Some(twos), Some(fours), Some(black)] = whole {
                [ones, twos, fours, black]
            } else {
                for (some, part) in some.iter_mut().zip(parts) {
                    some[..count].copy_from_slice(part);
                }
                some.each_ref()
            };
            let mut wrong = [0; BLOCK];
            self.perform(PlanesTask { planes, block: &mut block, wrong: &mut wrong });
            let en_passant = &en_passant[range.clone()];
            for (wrong, square) in wrong.iter_mut().zip(en_passant) {
                *wrong |= u64::from(square.is_some_and(|square| !matches!(square.rank(), 2 | 5)));
            }
            if let Some(at) = wrong[..count].iter().position(|&wrong| wrong != 0) {
                positions.truncate(before);
                let error = problem(planes.map(|plane| plane[at]), en_passant[at]);
                return Err(PlanesError::Board { index: start + at, error });
            }
            block.side_to_move[..count].copy_from_slice(&side_to_move[range.clone()]);
            block.castling[..count].copy_from_slice(&castling[range]);
            block.en_passant[..count].copy_from_slice(en_passant);
            block.len = count;
            positions.append(&mut block);
        }
        Ok(())
    }
}

/// What is wrong with a board.
#[cold]
fn problem(planes: [u64; 4], en_passant: Option<Square>) -> BoardError {
    let [_, twos, fours, black] = planes;
    if let Some(square) = Square::new(unknown(planes).trailing_zeros() as u8) {
        return BoardError::UnknownPiece { square };
    }
    let kings = [twos & fours & !black, twos & fours & black].map(u64::count_ones);
    match (Color::ALL.into_iter().zip(kings).find(|&(_, kings)| kings != 1), en_passant) {
        (None, Some(square)) => BoardError::EnPassant { square },
        (Some((color, kings)), _) => BoardError::OneKing { color, kings },
        (None, None) => unreachable!("something is wrong"),
    }
}
