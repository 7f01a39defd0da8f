//! The C library of [`slider_attacks`]. Its interface is documented in `include/slider_attacks.h`, which cbindgen generates
//! from this crate, and in `docs/c.md`.
//!
//! | module | what is in it |
//! |---|---|
//! | `status` | codes and messages of errors; the frame around each call |
//! | `memory` | slices and strided arrays from the caller's pointers |
//! | `backends` | backends by name and number |
//! | `pairs` | attack sets of pairs, sets and single sliders |
//! | `positions` | positions from FEN or bitboards, and back |
//! | `views` | positions from structures and arrays of the caller; rows that are wrong |
//! | `products` | columns of products, threats, sums |
//! | `successors` | positions after moves |
//! | `queries` | conditions on positions |
//! | `readers` | files in any format, from bytes that the caller pushes |
//! | `features` | inputs of networks |

#![deny(missing_docs)]
#![expect(unsafe_code, reason = "the border to C")]
#![allow(non_camel_case_types, reason = "the names are those of C")]

pub mod backends;
#[cfg(feature = "products")]
pub mod features;
pub mod memory;
pub mod pairs;
pub mod positions;
#[cfg(feature = "products")]
pub mod products;
#[cfg(feature = "products")]
pub mod queries;
#[cfg(feature = "readers")]
pub mod readers;
pub mod status;
#[cfg(feature = "products")]
pub mod successors;
pub mod views;
