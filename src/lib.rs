//! Attack sets of sliding chess pieces for whole arrays of (square, occupancy) pairs, with the vector
//! instructions of the CPU the program runs on.
//!
//! ```
//! use slider_attacks::batch_attacks;
//!
//! let squares = [3, 27, 59]; // queens on d1, d4 and d8; a1 = 0, b1 = 1, … h8 = 63
//! let occs = [0xffff_0000_0000_ffff; 3]; // the pieces on each of the boards: here, none has moved
//! let mut attacks = [0; 3];
//! batch_attacks(&squares, &occs, &mut attacks)?;
//!
//! assert_eq!(attacks[0], 0x0000_0000_0000_1c14);
//! # Ok::<(), slider_attacks::BatchError>(())
//! ```
//!
//! # Features
//!
//! - `rayon`, off by default: `par_batch_attacks`, its queen, rook and bishop forms and `Backend::par_batch_attacks`,
//!   which share the work of one call among the threads of a rayon pool.

#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))] // docs.rs shows what needs a feature

pub mod analysis;
pub mod diagram;
pub mod flip;
pub mod line;
pub mod methods;
pub mod position;
pub mod reference;
pub mod verify;

mod batch;
mod error;
#[cfg(all(test, target_arch = "x86_64"))]
#[path = "../proof/kernels/mod.rs"]
mod proof;
mod rays;
mod slider;
mod square;

pub use batch::backend::{Backend, ParseBackendError};
pub use batch::select::Cpu;
pub use batch::{batch_attack_sets, batch_attacks, batch_bishop_attacks, batch_queen_attacks, batch_rook_attacks};
#[cfg(feature = "rayon")]
pub use batch::{par_batch_attacks, par_batch_bishop_attacks, par_batch_queen_attacks, par_batch_rook_attacks};
pub use error::BatchError;
pub use methods::fill_up::{bishop_attacks, queen_attacks, rook_attacks};
pub use rays::set_attacks;
pub use slider::{ParseSliderError, Slider};
pub use square::{ParseSquareError, Square, SquareIndex, TryFromIndexError};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
