//! The three sliding pieces.

use crate::Square;

/// A sliding piece: which lines it moves along.
///
/// ```
/// use slider_attacks::{Slider, Square};
///
/// let rook: Slider = "rook".parse()?;
/// assert_eq!(Slider::ALL.map(Slider::name), ["bishop", "rook", "queen"]);
/// assert_eq!(rook.attacks(Square::A1, 0x0108), 0x010e);
/// # Ok::<(), slider_attacks::ParseNameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slider {
    /// Both diagonals.
    Bishop,
    /// Rank and file.
    Rook,
    /// All four lines.
    Queen,
}

crate::error::names! { Slider, 3: Bishop "bishop", Rook "rook", Queen "queen" }

impl Slider {
    /// The attack set of this slider on `square`: [`bishop_attacks`](crate::bishop_attacks),
    /// [`rook_attacks`](crate::rook_attacks) or [`queen_attacks`](crate::queen_attacks).
    #[inline]
    #[must_use]
    pub const fn attacks(self, square: Square, occ: u64) -> u64 {
        match self {
            Slider::Bishop => crate::bishop_attacks(square, occ),
            Slider::Rook => crate::rook_attacks(square, occ),
            Slider::Queen => crate::queen_attacks(square, occ),
        }
    }
}
