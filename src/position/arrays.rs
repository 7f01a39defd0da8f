//! Positions from twelve arrays of bitboards.

use super::planes::{can_be_passed, one_king_each};
use super::{BoardError, Castling, Color, PlanesError, Position, Positions};
use crate::batch::entries::Task;
use crate::{Backend, Square};

/// The arrays of one kind of piece each: white's pawns, knights, bishops, rooks, queens and king, then black's.
pub(crate) type BoardArrays<'a> = [[&'a [u64]; 6]; 2];

/// Checks some boards, and writes the pieces of each colour and all of them. The boards themselves are copied elsewhere.
struct UnionsTask<'a> {
    pieces: &'a BoardArrays<'a>,
    colors: [&'a mut [u64]; 2],
    occupancies: &'a mut [u64],
    /// Becomes zero unless a board is wrong.
    wrong: &'a mut u64,
}

impl Task for UnionsTask<'_> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let UnionsTask { pieces, colors: [whites, blacks], occupancies, wrong } = self;
        // All have one length, which the compiler must see.
        let len = occupancies.len();
        let (whites, blacks) = (&mut whites[..len], &mut blacks[..len]);
        let mut any = 0;
        // All squares of some boards, and those that are in several. Written out: a closure over arrays of slices becomes a call.
        macro_rules! union {
            ($at:ident: $first:ident $($boards:ident)*) => {{
                let (mut all, mut twice) = ($first[$at], 0);
                $(
                    twice |= all & $boards[$at];
                    all |= $boards[$at];
                )*
                (all, twice)
            }};
        }
        macro_rules! colors {
            ($len:expr, $whites:ident $blacks:ident $all:ident,
                [$($white:ident)*] $white_king:ident [$($black:ident)*] $black_king:ident) => {
                let [[$($white),*], [$($black),*]] = *pieces;
                $(let $white = &$white[..$len];)*
                $(let $black = &$black[..$len];)*
                for at in 0..$len {
                    let (white, twice) = union!(at: $($white)*);
                    let (black, twice_black) = union!(at: $($black)*);
                    any |= twice | twice_black | white & black | one_king_each($white_king[at], $black_king[at]);
                    $whites[at] = white;
                    $blacks[at] = black;
                    $all[at] = white | black;
                }
            };
            ($len:expr, $whites:ident $blacks:ident $all:ident) => {
                colors! {
                    $len, $whites $blacks $all,
                    [white_pawns white_knights white_bishops white_rooks white_queens white_king] white_king
                    [black_pawns black_knights black_bishops black_rooks black_queens black_king] black_king
                }
            };
        }
        if len == ROUND {
            // Separate arrays: otherwise the loop begins with a test whether any of these arrays share memory.
            let (mut of_white, mut of_black, mut all) = ([0; ROUND], [0; ROUND], [0; ROUND]);
            colors! { ROUND, of_white of_black all }
            whites.copy_from_slice(&of_white);
            blacks.copy_from_slice(&of_black);
            occupancies.copy_from_slice(&all);
        } else {
            colors! { len, whites blacks occupancies }
        }
        *wrong = any;
    }
}

impl Positions {
    /// Adds many positions from arrays of bitboards, one array for each kind of piece of each colour:
    /// `pieces[color as usize][piece as usize][i]` are the squares of such pieces in position *i*. This is
    /// [`push_boards`](Positions::push_boards) for many positions, in a small part of the time.
    ///
    /// Programs whose boards are elsewhere, or are structures, add some hundred at a time, and compute products of these
    /// before they clear the positions and go on: nothing but a part is ever copied, and it stays in the cache.
    ///
    /// Castling rights are not compared with the board. Nothing is allocated unless the arrays have to grow.
    ///
    /// # Errors
    ///
    /// The arrays do not have the same length, or the first position that [`push_boards`](Positions::push_boards) would
    /// refuse. Nothing is added.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::{Castling, Color, Positions};
    ///
    /// let (none, kings) = ([0; 2], [1 << 4, 1 << 4]);
    /// let white: [&[u64]; 6] = [&none, &none, &none, &[1 << 0, 1 << 7], &none, &kings];
    /// let black: [&[u64]; 6] = [&none, &none, &none, &none, &none, &[1 << 60, 1 << 59]];
    /// let mut positions = Positions::new();
    /// positions.push_arrays([white, black], &[Color::White; 2], &[Castling::NONE; 2], &[None; 2])?;
    /// assert_eq!(positions.fen(1), "3k4/8/8/8/8/8/8/4K2R w - -");
    ///
    /// let error = positions.push_arrays([white, white], &[Color::White; 2], &[Castling::NONE; 2], &[None; 2]).unwrap_err();
    /// assert_eq!(error.to_string(), "position 0: expected at most one piece on a1, found several");
    /// # Ok::<(), slider_attacks::position::PlanesError>(())
    /// ```
    pub fn push_arrays(
        &mut self,
        pieces: [[&[u64]; 6]; 2],
        side_to_move: &[Color],
        castling: &[Castling],
        en_passant: &[Option<Square>],
    ) -> Result<(), PlanesError> {
        let len = side_to_move.len();
        let differ = pieces.as_flattened().iter().any(|boards| boards.len() != len);
        if differ || castling.len() != len || en_passant.len() != len {
            return Err(PlanesError::LengthMismatch);
        }
        if let (&[side_to_move], &[castling], &[en_passant]) = (side_to_move, castling, en_passant) {
            let boards = pieces.map(|kinds| kinds.map(|boards| boards[0]));
            let position = Position::new(boards, side_to_move, castling, en_passant);
            self.push(position.map_err(|error| PlanesError::Board { index: 0, error })?);
            return Ok(());
        }
        let before = self.len();
        let mut is_wrong = en_passant.iter().fold(false, |any, square| any | !can_be_passed(*square));
        let backend = Backend::active();
        if len <= PART {
            is_wrong |= self.extend_boards(backend, &pieces) != 0;
        } else {
            for start in (0..len).step_by(PART) {
                let places = start..len.min(start + PART);
                let part = pieces.map(|kinds| kinds.map(|boards| &boards[places.clone()]));
                is_wrong |= self.extend_boards(backend, &part) != 0;
            }
        }
        if is_wrong {
            self.truncate(before);
            return Err(first_problem(pieces, en_passant));
        }
        extend(&mut self.side_to_move, side_to_move);
        extend(&mut self.castling, castling);
        extend(&mut self.en_passant, en_passant);
        Ok(())
    }

    /// Adds boards, which stay in the cache meanwhile. Returns zero unless one of them is wrong.
    fn extend_boards(&mut self, backend: Backend, pieces: &BoardArrays<'_>) -> u64 {
        let (start, mut wrong) = (self.occupancies.len(), 0);
        let unions = &[0; PART][..pieces[0][0].len()];
        for (boards, added) in self.pieces.as_flattened_mut().iter_mut().zip(pieces.as_flattened()) {
            extend(boards, added);
        }
        self.colors.iter_mut().chain([&mut self.occupancies]).for_each(|boards| extend(boards, unions));
        let colors = self.colors.each_mut().map(|boards| &mut boards[start..]);
        backend.perform(UnionsTask { pieces, colors, occupancies: &mut self.occupancies[start..], wrong: &mut wrong });
        wrong
    }
}

/// How many boards are added at a time: they stay in the cache while they are copied and joined.
const PART: usize = 128;

/// The number of positions in a short call.
const ROUND: usize = 8;

/// Adds the values of some positions. A copy of any number of words is a call, which takes longer than that of a round.
#[inline(always)]
fn extend<T: Copy>(values: &mut Vec<T>, added: &[T]) {
    match <&[T; ROUND]>::try_from(added) {
        Ok(round) => values.extend_from_slice(round),
        Err(_) => values.extend_from_slice(added),
    }
}

/// The first wrong position. There is one. Without en passant squares, there are none.
#[cold]
pub(crate) fn first_problem(pieces: BoardArrays<'_>, en_passant: &[Option<Square>]) -> PlanesError {
    let problem = |index| {
        let boards = pieces.map(|kinds| kinds.map(|boards| boards[index]));
        let square = en_passant.get(index).copied().flatten();
        let error: BoardError = Position::new(boards, Color::White, Castling::NONE, square).err()?;
        Some(PlanesError::Board { index, error })
    };
    (0..pieces[0][0].len()).find_map(problem).expect("something is wrong")
}
