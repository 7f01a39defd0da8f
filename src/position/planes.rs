//! Boards as four planes: the bits of the number of the piece on each square, and the pieces of black.

use super::{BoardError, Castling, Color, PlanesError, Positions};
use crate::batch::entries::Task;
use crate::{Backend, Square};

/// The boards of the six kinds of pieces, from the bits of their numbers from 1 to 6.
#[inline(always)]
pub(super) fn by_kind([ones, twos, fours]: [u64; 3]) -> [u64; 6] {
    [ones & !twos & !fours, twos & !ones & !fours, ones & twos, fours & !ones & !twos, fours & ones, fours & twos]
}

/// Not zero unless each side has one king.
#[inline(always)]
pub(super) fn wrong_kings([_, twos, fours, black]: [u64; 4]) -> u64 {
    one_king_each(twos & fours & !black, twos & fours & black)
}

/// Not zero unless each of two boards has one square.
#[inline(always)]
pub(crate) fn one_king_each(white: u64, black: u64) -> u64 {
    let not_one = |kings: u64| u64::from(kings == 0) | (kings & kings.wrapping_sub(1));
    not_one(white) | not_one(black)
}

/// The squares with an invalid number.
#[inline(always)]
fn unknown([ones, twos, fours, black]: [u64; 4]) -> u64 {
    ones & twos & fours | black & !(ones | twos | fours)
}

/// Writes all bitboards of some boards, one array after the other: the values of a vector go straight to where they stay.
///
/// With the vectors of AVX2, a game of PGN is read in 0.95 of the time. All bitboards of a few boards at a time, by way of
/// arrays that stay in the cache, take longer: 1.1.
struct BoardsTask<'a> {
    planes: [&'a [u64]; 4],
    positions: &'a mut Positions,
    /// Where the first of them is among the positions.
    start: usize,
    /// Becomes zero unless a board is wrong.
    wrong: &'a mut u64,
}

impl Task for BoardsTask<'_> {
    #[inline(always)]
    fn perform(self) {
        let BoardsTask { planes: [ones, twos, fours, blacks], positions, start, wrong } = self;
        let len = ones.len();
        let (twos, fours, blacks) = (&twos[..len], &fours[..len], &blacks[..len]);
        let mut any = 0;
        for at in 0..len {
            let planes = [ones[at], twos[at], fours[at], blacks[at]];
            any |= wrong_kings(planes) | unknown(planes);
        }
        *wrong = any;
        macro_rules! write {
            ($boards:expr, $of:expr) => {
                let boards = &mut $boards[start..][..len];
                for at in 0..len {
                    boards[at] = $of([ones[at], twos[at], fours[at]], blacks[at]);
                }
            };
        }
        macro_rules! kinds {
            ($($kind:literal)*) => {$(
                write!(positions.pieces[0][$kind], |planes, black: u64| by_kind(planes)[$kind] & !black);
                write!(positions.pieces[1][$kind], |planes, black| by_kind(planes)[$kind] & black);
            )*};
        }
        kinds! { 0 1 2 3 4 5 }
        let all = |[ones, twos, fours]: [u64; 3]| ones | twos | fours;
        write!(positions.colors[0], |planes, black: u64| all(planes) & !black);
        write!(positions.colors[1], |planes, black| all(planes) & black);
        write!(positions.occupancies, |planes, _| all(planes));
    }
}

impl Backend {
    /// Writes the planes of boards that are packed as records of engines have them, for example those of bulletformat and
    /// marlinformat: as [`Positions::push_planes`] takes planes, once the numbers are those of its pieces.
    ///
    /// A record begins with the occupancy, 8 bytes, and with the numbers of the pieces in the order of their squares, 16 bytes;
    /// both little-endian, so that the lower half of a byte comes first. `planes[bit][i]` become the squares of `records[i]`
    /// whose number has that bit. There are numbers for 32 pieces; that of any other one counts as 15. The last 8 bytes are not
    /// looked at.
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
}

impl Positions {
    /// Adds many positions, each as four planes: bits 0, 1 and 2 of the number of the piece on each square (pawn 1, knight 2,
    /// bishop 3, rook 4, queen 5, king 6: one more than `piece as usize`, because 0 is the empty square), and the pieces of
    /// black. The positions of a game differ by few operations in this
    /// form, and records of engines are close to it.
    ///
    /// Castling rights are not compared with the board. Nothing is allocated unless the arrays have to grow.
    ///
    /// # Errors
    ///
    /// The arrays do not have the same length; a number is 7, or an empty square is one of black's; a colour does not have
    /// exactly one king; an en passant square is not on rank 3 or 6. Nothing is added.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::{Castling, Color, Positions};
    ///
    /// // A white king on e1, number 6, which is 110 in binary; a black rook on a8, number 4, and a black king on e8.
    /// let (e1, a8, e8) = (1 << 4, 1 << 56, 1 << 60);
    /// let planes = [0, e1 | e8, e1 | e8 | a8, e8 | a8];
    /// let mut positions = Positions::new();
    /// positions.push_planes(planes.each_ref().map(core::slice::from_ref), &[Color::Black], &[Castling::from_rooks(a8)], &[None])?;
    /// assert_eq!(positions.fen(0), "r3k3/8/8/8/8/8/8/4K3 b q -");
    /// # Ok::<(), slider_attacks::position::PlanesError>(())
    /// ```
    pub fn push_planes(
        &mut self,
        planes: [&[u64]; 4],
        side_to_move: &[Color],
        castling: &[Castling],
        en_passant: &[Option<Square>],
    ) -> Result<(), PlanesError> {
        let len = side_to_move.len();
        if planes.iter().any(|plane| plane.len() != len) || castling.len() != len || en_passant.len() != len {
            return Err(PlanesError::LengthMismatch);
        }
        let before = self.len();
        let mut is_wrong = en_passant.iter().fold(false, |any, square| any | !can_be_passed(*square));
        let backend = Backend::active();
        for start in (0..len).step_by(PART) {
            let planes = planes.map(|plane| &plane[start..len.min(start + PART)]);
            let (before, mut wrong) = (before + start, 0);
            self.boards_mut().for_each(|boards| boards.resize(before + planes[0].len(), 0));
            backend.perform(BoardsTask { planes, positions: self, start: before, wrong: &mut wrong });
            is_wrong |= wrong != 0;
        }
        if is_wrong {
            self.truncate(before);
            let board = |index: usize| planes.map(|plane| plane[index]);
            let is_wrong = |&index: &usize| {
                wrong_kings(board(index)) | unknown(board(index)) != 0 || !can_be_passed(en_passant[index])
            };
            let index = (0..len).find(is_wrong).expect("something is wrong");
            return Err(PlanesError::Board { index, error: problem(board(index), en_passant[index]) });
        }
        self.side_to_move.extend_from_slice(side_to_move);
        self.castling.extend_from_slice(castling);
        self.en_passant.extend_from_slice(en_passant);
        Ok(())
    }
}

/// How many boards are added at a time: their planes stay in the cache while fifteen arrays are written from them.
const PART: usize = 256;

/// Whether an en passant square can be this one.
pub(super) fn can_be_passed(square: Option<Square>) -> bool {
    square.is_none_or(|square| matches!(square.rank(), 2 | 5))
}

/// The problem of a board.
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
