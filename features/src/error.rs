//! Errors.

use core::fmt;

use slider_attacks::Square;

/// Why there are no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureError {
    /// The sum has more inputs than 32 bits can number, or more than ten sets.
    TooManyInputs,
    /// The sum has more inputs than the type of the indices can number.
    #[non_exhaustive]
    IndexTooNarrow {
        /// The number of inputs.
        size: u32,
    },
    /// A pawn stands on the first or last rank, where threats and pairs of pawns have no number for it.
    #[non_exhaustive]
    PawnOnLastRank {
        /// The index of the position.
        position: usize,
        /// The square of the pawn.
        square: Square,
    },
    /// The memory for rows has room for fewer indices, or its offsets are not one more than there are positions.
    #[non_exhaustive]
    NoRoom {
        /// The index of the first position that has no room.
        position: usize,
    },
}

impl fmt::Display for FeatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeatureError::TooManyInputs => f.write_str("more than ten sets, or more inputs than 32 bits can number"),
            FeatureError::IndexTooNarrow { size } => write!(f, "{size} inputs do not fit indices of 16 bits"),
            FeatureError::PawnOnLastRank { position, square } => {
                write!(f, "position {position}: a pawn on {square} has no threats and pairs")
            }
            FeatureError::NoRoom { position } => write!(f, "no room for the row of position {position}"),
        }
    }
}

impl core::error::Error for FeatureError {}
