//! One position, as an element of an array of them.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;
use core::str::FromStr;

use super::fen::FenRecord;
use super::{BoardError, Castling, Color, FenError, Piece, PositionSlice, Positions, fast, fen, fens};
use crate::{Square, Squares};

/// One chess position: an element of [`Positions`]. It has exactly one king of each colour, and no square holds two
/// pieces.
///
/// ```
/// use slider_attacks::Square;
/// use slider_attacks::position::{Color, Piece, Position, Positions};
///
/// let position: Position = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1".parse()?;
/// assert_eq!(position.pieces(Color::White, Piece::Rook), Square::A1.bitboard());
/// assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/R3K3 w Q -");
///
/// let positions: Positions = [position, position].into_iter().collect();
/// assert_eq!(positions.iter().filter(|each| each.side_to_move() == Color::White).count(), 2);
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "board")]
pub struct Position(pub(super) FenRecord);

impl Position {
    /// The position of these bitboards. `pieces[color as usize][piece as usize]` are the squares of one kind of piece of one
    /// colour: the colours are white and black, the pieces pawn, knight, bishop, rook, queen and king.
    ///
    /// Castling rights are not compared with the board.
    ///
    /// # Errors
    ///
    /// Two pieces stand on one square, a colour does not have exactly one king, or the en passant square is not on rank 3
    /// or 6.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::{Castling, Color, Position};
    ///
    /// // A white rook on a1, kings on e1 and e8.
    /// let (white, black) = ([0, 0, 0, 1 << 0, 0, 1 << 4], [0, 0, 0, 0, 0, 1 << 60]);
    /// let position = Position::new([white, black], Color::White, Castling::NONE, None)?;
    /// assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/R3K3 w - -");
    /// # Ok::<(), slider_attacks::position::BoardError>(())
    /// ```
    pub fn new(
        pieces: [[u64; 6]; 2],
        side_to_move: Color,
        castling: Castling,
        en_passant: Option<Square>,
    ) -> Result<Position, BoardError> {
        let (mut occupied, mut twice) = (0, 0);
        for board in pieces.as_flattened() {
            twice |= occupied & board;
            occupied |= board;
        }
        if let Some(square) = Squares::from(twice).next() {
            return Err(BoardError::TwoPieces { square });
        }
        for color in Color::ALL {
            let kings = pieces[color as usize][Piece::King as usize].count_ones();
            if kings != 1 {
                return Err(BoardError::OneKing { color, kings });
            }
        }
        if let Some(square) = en_passant.filter(|square| !matches!(square.rank(), 2 | 5)) {
            return Err(BoardError::EnPassant { square });
        }
        let colors = pieces.map(|pieces| pieces.into_iter().fold(0, |all, board| all | board));
        Ok(Position(FenRecord { pieces, colors, side_to_move, castling, en_passant }))
    }

    /// The squares of one kind of piece of one colour.
    #[must_use]
    pub const fn pieces(&self, color: Color, piece: Piece) -> u64 {
        self.0.pieces[color as usize][piece as usize]
    }

    /// The squares of all pieces of one colour.
    #[must_use]
    pub const fn color(&self, color: Color) -> u64 {
        self.0.colors[color as usize]
    }

    /// The squares of all pieces.
    #[must_use]
    pub const fn occupancy(&self) -> u64 {
        self.0.colors[0] | self.0.colors[1]
    }

    /// The side to move.
    #[must_use]
    pub const fn side_to_move(&self) -> Color {
        self.0.side_to_move
    }

    /// The castling rights as they were given.
    #[must_use]
    pub const fn castling(&self) -> Castling {
        self.0.castling
    }

    /// The en passant square as it was given: the square behind a pawn that has just moved two squares, whether or not it can
    /// be taken.
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.0.en_passant
    }

    /// The piece on `square`, or `None` if it is empty.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::position::{Color, Piece, Position};
    ///
    /// let position: Position = "4k3/8/8/8/8/8/8/R3K3 w Q -".parse()?;
    /// assert_eq!(position.piece_at(Square::A1), Some((Color::White, Piece::Rook)));
    /// assert_eq!(position.piece_at(Square::A2), None);
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<(Color, Piece)> {
        self.all_pieces().find(|&(_, _, board)| board & square.bitboard() != 0).map(|(color, piece, _)| (color, piece))
    }

    fn all_pieces(&self) -> impl Iterator<Item = (Color, Piece, u64)> {
        Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece, self.pieces(color, piece))))
    }

    /// The first four fields of FEN.
    pub(super) fn fen(&self) -> String {
        fens::fen(&self.0)
    }
}

/// The first four fields of FEN, with the castling rights in the usual order.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.fen())
    }
}

/// A line of FEN or EPD, read as [`Positions::push_fen`] reads it.
impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Position, FenError> {
        Ok(Position(match fast::read(fen.as_bytes()) {
            Some((record, _)) => record,
            None => fen::read(fen.as_bytes())?,
        }))
    }
}

/// An iterator over the positions of an array, returned by [`Positions::iter`].
#[derive(Clone, Debug)]
pub struct PositionIter<'a> {
    positions: &'a Positions,
    range: Range<usize>,
}

impl<'a> From<PositionSlice<'a>> for PositionIter<'a> {
    fn from(slice: PositionSlice<'a>) -> PositionIter<'a> {
        PositionIter { positions: slice.positions, range: slice.start..slice.end }
    }
}

impl Iterator for PositionIter<'_> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        self.range.next().map(|index| self.positions.at(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Position> {
        self.range.nth(n).map(|index| self.positions.at(index))
    }
}

impl DoubleEndedIterator for PositionIter<'_> {
    fn next_back(&mut self) -> Option<Position> {
        self.range.next_back().map(|index| self.positions.at(index))
    }
}

impl ExactSizeIterator for PositionIter<'_> {}
impl FusedIterator for PositionIter<'_> {}

impl<'a> IntoIterator for &'a Positions {
    type Item = Position;
    type IntoIter = PositionIter<'a>;

    fn into_iter(self) -> PositionIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for PositionSlice<'a> {
    type Item = Position;
    type IntoIter = PositionIter<'a>;

    fn into_iter(self) -> PositionIter<'a> {
        self.into()
    }
}

impl Extend<Position> for Positions {
    fn extend<I: IntoIterator<Item = Position>>(&mut self, positions: I) {
        let positions = positions.into_iter();
        self.reserve(positions.size_hint().0);
        positions.for_each(|position| self.push(position));
    }
}

impl FromIterator<Position> for Positions {
    fn from_iter<I: IntoIterator<Item = Position>>(positions: I) -> Positions {
        let mut all = Positions::new();
        all.extend(positions);
        all
    }
}
