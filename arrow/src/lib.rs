//! The engine of [`slider_attacks`] for [Apache Arrow](https://arrow.apache.org) arrays: columns in, columns out.
//!
//! ```
//! # #[cfg(feature = "arrow")]
//! # fn main() -> Result<(), slider_attacks_arrow::Error> {
//! use arrow_array::{UInt8Array, UInt64Array};
//! use slider_attacks::Slider;
//!
//! let squares = UInt8Array::from(vec![Some(3), None, Some(59)]); // queens on d1 and d8; a1 = 0, b1 = 1, … h8 = 63
//! let occs = UInt64Array::from(vec![0xffff_0000_0000_ffff; 3]);
//! let attacks = slider_attacks_arrow::attacks(Slider::Queen, &squares, &occs)?;
//! assert_eq!(attacks, UInt64Array::from(vec![Some(0x1c14), None, Some(0x141c << 48)]));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "arrow"))]
//! # fn main() {}
//! ```
//!
//! | input | result | use |
//! |---|---|---|
//! | columns of squares and occupancies | a column of attack sets | [`attacks`], [`attack_sets`] |
//! | a column of FEN or EPD, or bitboards in columns | columns of products: maps, counts, pins, … | [`Plan::compute`] |
//! | the same, in chunks | one batch | [`Plan::builder`] |
//! | the same, for several plans | positions, parsed once | [`PositionArray`], [`Plan::batch`] |
//! | [`Positions`](slider_attacks::position::Positions) | columns of products | [`Plan::columns`] |
//! | the same, and memory for one column | its values, in that memory | [`Plan::compute_column`] |
//! | the same, and optionally the group of each | shares and sums by square | [`Plan::summarize`] |
//!
//! # Nulls
//!
//! Nulls propagate: a null in an input column is a null in the same row of the result. Values under nulls are ignored. With
//! [`OnError::Null`] and [`OnError::Report`], malformed rows are null as well.
//!
//! # Rows
//!
//! Errors count rows of the given array from 0: row 0 of a slice is its first row. Rows that were left out count, too.
//!
//! # Numbers without a sign
//!
//! Bitboards are `UInt64`, moves and their numbers `UInt16`, other numbers `UInt8`. Some engines, such as Spark, have no unsigned
//! integers. For them, [`Integers::Signed`] returns the same bits as `Int64`, `Int16` and `Int8`. Inputs may have either type.
//!
//! # Features
//!
//! - `lists`, on by default: the products that list moves, and the targets of pieces.
//! - `arrow`, on by default: all that takes or returns Arrow arrays. Without it, [`Product`], [`Plan::values`],
//!   [`Values`] and [`Summary`] are left, which compute the same as vectors, and no crate of Arrow is built.

#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
mod batch;
#[cfg(feature = "arrow")]
mod bits;
mod error;
mod options;
#[cfg(feature = "arrow")]
mod pairs;
mod plan;
#[cfg(feature = "arrow")]
mod positions;
mod product;
#[cfg(feature = "arrow")]
mod row_errors;
mod summary;
#[cfg(feature = "arrow")]
mod texts;

#[cfg(feature = "arrow")]
pub use batch::{BatchBuilder, ComputedColumns, Share, UncomputedRows, uci};
pub use error::Error;
#[cfg(feature = "arrow")]
pub use options::MOST_ERRORS;
pub use options::{
    Integers, MOST_THREADS, Notation, OnError, OptionError, OptionKind, Options, Perspective, ProductOption,
};
#[cfg(feature = "arrow")]
pub use pairs::{attack_sets, attack_sets_with, attacks, attacks_with};
pub use plan::{ColumnMut, Plan, Values};
#[cfg(feature = "arrow")]
pub use positions::PositionArray;
pub use product::{ColumnKind, Product, ProductColumn};
pub use summary::{Summary, SummaryColumn};
#[cfg(feature = "arrow")]
pub use texts::Texts;

/// The examples of the README, as tests.
#[cfg(all(doctest, feature = "arrow"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
