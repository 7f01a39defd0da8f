//! Inputs of chess networks, for arrays of positions.
//!
//! Efficiently updatable networks (NNUE) take a position as the numbers of a few facts that hold for it, its *active
//! features*: a knight on f3, a rook that attacks a bishop. This crate computes them for whole arrays, as the two sides
//! see the board, and returns sparse rows: all indices in one array, and where each position begins.
//!
//! ```
//! use slider_attacks::Backend;
//! use slider_attacks::position::Positions;
//! use slider_attacks_features::{FeatureSet, Features, ViewOrder, RowOrder, ThreatLayout};
//!
//! let mut positions = Positions::new();
//! positions.push_fen("4k3/8/8/1n6/8/8/8/R3K3 w - - 0 1")?;
//! positions.push_fen("4k3/8/8/1n6/8/2P5/8/R3K3 b - - 0 1")?;
//!
//! let pieces = Features::new([FeatureSet::by_name("halfka_hm", None).unwrap()])?;
//! let [white, black] = pieces.rows::<u16>(Backend::active(), &positions, ViewOrder::Colors, RowOrder::Ascending)?;
//! assert_eq!((white.len(), white[0].len(), white[1].len()), (2, 4, 5)); // four pieces, and five
//!
//! // Several sets follow each other: the indices of the second begin where those of the first end.
//! let sum = Features::new([FeatureSet::PawnPairs, FeatureSet::Threats(ThreatLayout::V16)])?;
//! assert_eq!((sum.offsets(), sum.size()), (&[0, 4_560][..], 64_368));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | for | see |
//! |---|---|
//! | which facts count, and their numbers | [`FeatureSet`] |
//! | pieces on squares, with buckets of kings | [`PieceLayout`] |
//! | attacks and defences | [`ThreatLayout`] |
//! | one or more sets, and their rows | [`Features`] |
//! | rows in memory of one's own | [`Features::fill_slices`] |
//!
//! Nothing is allocated per position, and every backend gives the same rows.
//!
//! # Time
//!
//! | nanoseconds per position, both perspectives | `avx512-gfni` | `avx2` |
//! |---|---|---|
//! | `halfka_hm` | 17 | 56 |
//! | `threats` | 74 | 144 |
//! | `pawn_pairs` | 37 | 63 |
//! | `threats` and `pawn_pairs`, one row | 101 | 197 |
//! | all three, one row each | 129 | 266 |
//!
//! Minima of one thread on an Intel Xeon with AVX-512 VBMI2 that others used as well, November 2026, for 20,000
//! positions of random games with 26 threats and pairs: `cargo bench -p slider-attacks-features -- FILE.fen`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod block;
mod error;
mod features;
mod layout;
mod order;
mod output;
mod pairs;
mod pieces;
mod tables;
mod threats;

pub use error::FeatureError;
pub use features::Features;
pub use layout::{FeatureSet, Mirror, PieceLayout, ThreatLayout};
pub use order::{RowOrder, ViewOrder};
pub use output::{FeatureIndex, RowLists, RowSlices};

/// The example in the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
