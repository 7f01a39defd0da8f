//! Moves, and why text is none.

use core::fmt;

pub use slider_attacks::moves::{Move, MoveKind};

/// The reason why text is not a move of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is not in any notation of moves.
    NotAMove,
    /// No piece of its kind can go there, or its king would be attacked.
    Illegal,
    /// Several pieces of its kind can go there.
    Ambiguous,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoveError::NotAMove => "expected a move",
            MoveError::Illegal => "expected a legal move",
            MoveError::Ambiguous => "expected a move of one piece",
        })
    }
}

impl core::error::Error for MoveError {}
