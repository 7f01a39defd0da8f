//! Moves in 16 bits, and lists of them for arrays of positions.

pub(crate) mod after;
mod perft;

use core::fmt;

use bytemuck::{Pod, Zeroable};
pub use perft::{perft, perft_by_move};

use crate::position::{Color, Piece};
use crate::{Lists, Square};

/// The kind of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Any other move.
    Normal,
    /// A pawn captures another one en passant.
    EnPassant,
    /// A king and a rook castle. The move goes from the king's square to the rook's, in chess as in Chess960.
    Castling,
    /// A pawn is promoted.
    Promotion,
}

/// A move, in 16 bits: from bit 0 on, the square it starts from, the square it goes to (six bits each), the piece that
/// a pawn is promoted to (two bits: knight, bishop, rook, queen) and its [`MoveKind`] (two bits). Viriformat has the
/// same bits.
///
/// Any 16 bits are a move, so `bytemuck` casts arrays of moves to arrays of `u16`, and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Move(u16);

// SAFETY: `Move` is a `u16`, and zero is one.
unsafe impl Zeroable for Move {}

// SAFETY: `Move` is a `u16`: any bits are a value, and there is no padding.
unsafe impl Pod for Move {}

const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

impl Move {
    /// No move: from a1 to a1. Used before the first position of a game, and for a null move.
    pub const NONE: Move = Move(0);

    /// A move that is not a promotion.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// assert_eq!(Move::new(Square::E2, Square::E4, MoveKind::Normal).to_string(), "e2e4");
    /// ```
    #[must_use]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        Move(from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 14)
    }

    /// A promotion. A pawn or a king counts as a queen.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::position::Piece;
    /// use slider_attacks::moves::Move;
    ///
    /// let mv = Move::promotion(Square::E7, Square::E8, Piece::Rook);
    /// assert_eq!((mv.to_string().as_str(), mv.promoted()), ("e7e8r", Some(Piece::Rook)));
    /// ```
    #[must_use]
    pub const fn promotion(from: Square, to: Square, piece: Piece) -> Move {
        let code = match piece {
            Piece::Knight => 0,
            Piece::Bishop => 1,
            Piece::Rook => 2,
            Piece::Pawn | Piece::Queen | Piece::King => 3,
        };
        Move(Move::new(from, to, MoveKind::Promotion).0 | code << 12)
    }

    /// The move of these bits.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// let mv = Move::new(Square::E2, Square::E4, MoveKind::Normal);
    /// assert_eq!(Move::from_bits(mv.bits()), mv);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// Its bits.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// assert_eq!(Move::new(Square::B1, Square::C1, MoveKind::Castling).bits(), 1 | 2 << 6 | 2 << 14);
    /// ```
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The origin of the piece.
    #[must_use]
    pub const fn start(self) -> Square {
        Square::ALL[self.0 as usize % 64]
    }

    /// The destination; the square of the rook if the king castles.
    #[must_use]
    pub const fn target(self) -> Square {
        Square::ALL[self.0 as usize >> 6 & 63]
    }

    /// The kind of the move.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// assert_eq!(Move::new(Square::E1, Square::H1, MoveKind::Castling).kind(), MoveKind::Castling);
    /// ```
    #[must_use]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::EnPassant,
            2 => MoveKind::Castling,
            _ => MoveKind::Promotion,
        }
    }

    /// The piece that a pawn is promoted to, if any.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// assert_eq!(Move::new(Square::E2, Square::E4, MoveKind::Normal).promoted(), None);
    /// ```
    #[must_use]
    pub const fn promoted(self) -> Option<Piece> {
        match self.kind() {
            MoveKind::Promotion => Some(PROMOTIONS[self.0 as usize >> 12 & 3]),
            _ => None,
        }
    }

    /// Writes the move as UCI has it to `text`, and returns the part that is used: `e2e4`, `e7e8q`, `e1g1` for castling with
    /// the rook on h1, `0000` for [`Move::NONE`].
    ///
    /// Castling of a king that does not start on file e, or with a rook that does not stand in a corner, is written as in
    /// Chess960: the king goes to the rook's square. `Display` writes all castling so.
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::moves::{Move, MoveKind};
    ///
    /// let castling = |king, rook| Move::new(king, rook, MoveKind::Castling);
    /// assert_eq!(castling(Square::E1, Square::H1).encode_uci(&mut [0; 5]), "e1g1");
    /// assert_eq!(castling(Square::D1, Square::H1).encode_uci(&mut [0; 5]), "d1h1");
    /// ```
    #[must_use]
    #[inline]
    pub fn encode_uci(self, text: &mut [u8; 5]) -> &str {
        let target = match (self.kind(), self.start().file(), self.target().file()) {
            (MoveKind::Castling, 4, 7) => self.target().index() - 1,
            (MoveKind::Castling, 4, 0) => self.target().index() + 2,
            _ => self.target().index(),
        };
        self.encode(target, text)
    }

    #[inline]
    fn encode(self, target: u8, text: &mut [u8; 5]) -> &str {
        let start = self.start().index();
        *text = [b'a' + start % 8, b'1' + start / 8, b'a' + target % 8, b'1' + target / 8, b'0'];
        let len = match self.promoted() {
            _ if self == Move::NONE => {
                text.fill(b'0');
                4
            }
            Some(piece) => {
                text[4] = piece.letter(Color::Black) as u8;
                5
            }
            None => 4,
        };
        core::str::from_utf8(&text[..len]).expect("all of it is ASCII")
    }
}

impl fmt::Display for Move {
    /// As UCI writes moves in Chess960: `e2e4`, `e7e8q`, `e1h1` for castling, `0000` for none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.encode(self.target().index(), &mut [0; 5]))
    }
}

/// The moves of an array of positions: `moves[i]` are those of position *i*.
///
/// Memory is 2 bytes per move and 8 per position.
///
/// ```
/// use slider_attacks::Square;
/// use slider_attacks::moves::{Move, MoveKind, Moves};
///
/// let [e4, d4] = [Square::E4, Square::D4].map(|to| Move::new(Square::E2, to, MoveKind::Normal));
/// let mut moves = Moves::new();
/// moves.push(&[e4, d4]);
/// moves.push(&[d4]);
/// assert_eq!((moves.len(), &moves[0]), (2, &[e4, d4][..]));
/// ```
pub type Moves = Lists<Move>;
