//! The service of [`slider_attacks`]: attack sets and products of positions over
//! [Arrow Flight](https://arrow.apache.org/docs/format/Flight.html). `docs/service.md` of the repository describes the
//! protocol, the limits and the operation.
//!
//! [`Call`] is a request, and [`Decoder`] reads its data. The feature `server`, which is on by default, adds the module
//! `server`, the network service.

#![forbid(unsafe_code)]

mod call;
mod decode;

#[cfg(feature = "server")]
pub mod server;

pub use call::{CALLS, COMMAND_BYTES, Call, FEN, all_products};
pub use decode::{DecodedBatch, Decoder};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is malformed, or a row of it.
    #[error("{0}")]
    Invalid(String),
    /// The request is larger than what is taken.
    #[error("{0}")]
    TooLarge(String),
}
