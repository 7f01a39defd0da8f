//! Chess games: a board to play moves on, and the positions of games read from PGN or from training records of engines.
//! `cargo add slider-attacks slider-attacks-games` adds this crate and the one that computes from positions.
//!
//! | for | see |
//! |---|---|
//! | one game, move by move | [`Board`] |
//! | a move as text, in SAN or UCI | [`Board::read_move`] |
//! | the positions of many games | [`pgn`] |
//! | the positions of records for training engines | [`records`] |
//! | where games begin in a text | [`tags`] |

#![forbid(unsafe_code)]

pub mod pgn;
pub mod records;
pub mod tags;

mod annotations;
mod board;
mod boards;
mod castle;
mod leapers;
mod moves;
mod replay;
mod san;
mod setup;

pub use board::{Board, BoardFenError};
pub use moves::{Move, MoveError, MoveKind};

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
