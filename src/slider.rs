//! The three sliding pieces.

use core::fmt;
use core::str::FromStr;

use crate::Square;

/// A sliding piece: which lines it moves along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slider {
    /// Both diagonals.
    Bishop,
    /// Rank and file.
    Rook,
    /// All four lines.
    Queen,
}

impl Slider {
    /// The three of them, in the order of the declaration.
    pub const ALL: [Slider; 3] = [Slider::Bishop, Slider::Rook, Slider::Queen];

    /// `"bishop"`, `"rook"` or `"queen"`; [`FromStr`] takes the same.
    pub const fn name(self) -> &'static str {
        match self {
            Slider::Bishop => "bishop",
            Slider::Rook => "rook",
            Slider::Queen => "queen",
        }
    }

    /// The attack set of this slider on `square`: [`bishop_attacks`](crate::bishop_attacks),
    /// [`rook_attacks`](crate::rook_attacks) or [`queen_attacks`](crate::queen_attacks).
    ///
    /// ```
    /// use slider_attacks::{Slider, Square};
    ///
    /// assert_eq!(Slider::Rook.attacks(Square::A1, 0x0108), 0x010e);
    /// ```
    #[inline]
    pub const fn attacks(self, square: Square, occ: u64) -> u64 {
        match self {
            Slider::Bishop => crate::bishop_attacks(square, occ),
            Slider::Rook => crate::rook_attacks(square, occ),
            Slider::Queen => crate::queen_attacks(square, occ),
        }
    }
}

impl fmt::Display for Slider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text was not the name of a sliding piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSliderError(());

impl fmt::Display for ParseSliderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected bishop, rook or queen")
    }
}

impl core::error::Error for ParseSliderError {}

impl FromStr for Slider {
    type Err = ParseSliderError;

    fn from_str(text: &str) -> Result<Slider, ParseSliderError> {
        Slider::ALL.into_iter().find(|slider| slider.name() == text).ok_or(ParseSliderError(()))
    }
}
