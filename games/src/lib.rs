//! Chess games: a board on which moves are played, and the positions of games straight from PGN.
//!
//! | for | see |
//! |---|---|
//! | one game, move by move | [`Board`] |
//! | a move as the text that people and engines write | [`Board::read_move`] |
//! | the positions of many games | [`pgn`] |

#![forbid(unsafe_code)]

pub mod pgn;

mod annotations;
mod board;
mod boards;
mod castle;
mod leapers;
mod moves;
mod san;
mod tags;

pub use board::{Board, BoardFenError};
pub use moves::{Kind, Move};
pub use san::MoveError;
