//! Inputs of chess networks, for arrays of positions.
//!
//! Efficiently updatable networks (NNUE) take a position as the numbers of a few facts that hold for it, its *active features*: a knight
//! on f3, a rook that attacks a bishop. This crate computes them for whole arrays, as the two sides see the board, and returns
//! sparse rows: all indices in one array, and where each position begins.
//!
//! ```
//! use slider_attacks::Backend;
//! use slider_attacks::position::Positions;
//! use slider_attacks_features::{FeatureSet, Inputs, Order, Perspective, ThreatLayout};
//!
//! let mut positions = Positions::new();
//! positions.push_fen("4k3/8/8/1n6/8/8/8/R3K3 w - - 0 1")?;
//! positions.push_fen("4k3/8/8/1n6/8/2P5/8/R3K3 b - - 0 1")?;
//!
//! let pieces = Inputs::new([FeatureSet::by_name("halfka_hm", None).unwrap()])?;
//! let [white, black] = pieces.rows::<u16>(Backend::active(), &positions, Perspective::Colors, Order::Ascending)?;
//! assert_eq!((white.len(), white[0].len(), white[1].len()), (2, 4, 5)); // four pieces, and five
//!
//! // Several sets follow each other: the indices of the second begin where those of the first end.
//! let sum = Inputs::new([FeatureSet::PawnPairs, FeatureSet::Threats(ThreatLayout::V16)])?;
//! assert_eq!((sum.offsets(), sum.size()), (&[0, 4_560][..], 64_368));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | for | see |
//! |---|---|
//! | which facts count, and their numbers | [`FeatureSet`] |
//! | pieces on squares, with buckets of kings | [`PieceLayout`] |
//! | attacks and defences | [`ThreatLayout`] |
//! | one or more sets, and their rows | [`Inputs`] |
//! | rows in memory of one's own | [`Inputs::fill_slices`] |
//!
//! Nothing is allocated per position, and every backend gives the same rows.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod block;
mod error;
mod inputs;
mod layout;
mod output;
mod pairs;
mod pieces;
mod tables;
mod threats;

pub use error::FeatureError;
pub use inputs::{Inputs, Order, Perspective};
pub use layout::{FeatureSet, Mirror, PieceLayout, ThreatLayout};
pub use output::{FeatureIndex, RowSlices};

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
