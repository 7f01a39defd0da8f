//! Files of chess positions, read in blocks: FEN, EPD, PGN, pairs, CSV, JSON lines, Parquet and training records, compressed or
//! not. [`slider_attacks_formats`] detects and parses the formats; Parquet is read here.
//!
//! An [`Input`] is a file or stream. A [`Source`](slider_attacks_formats::Source) is its detected format. A [`Block`] is a
//! range of its units, such as lines, before parsing. Parsing a block returns
//! [`Records`](slider_attacks_formats::batch::Records).
//!
//! ```
//! use std::ops::ControlFlow::Continue;
//!
//! use slider_attacks::position::Positions;
//! use slider_attacks_arrow::OnError;
//! use slider_attacks_files::block::ReadLimits;
//! use slider_attacks_files::Inputs;
//! use slider_attacks_formats::request::Wanted;
//!
//! let inputs = Inputs::new(&["../tests/data/sample.epd".into()], "")?;
//! let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
//! let mut positions = 0;
//! let most = ReadLimits { limit: usize::MAX, enough: 1000 };
//! inputs.read(&wanted, &mut |mut block| {
//!     while let Some(records) = block.next(most, OnError::Fail, Positions::new())? {
//!         positions += records.positions.len();
//!         block.origin.check(records.failure.as_ref())?;
//!     }
//!     Ok(Continue(()))
//! })?;
//! assert!(positions > 0);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! # Modules
//!
//! Each module uses only modules of its own row and of rows above it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`ordered`], `relay` | results of threads, in the order of their items; a value that passes from item to item |
//! | [`advice`] | what messages advise, in the words of a program |
//! | [`counter`], [`frames`] | bytes read so far; zstd on several threads |
//! | [`compression`] | gzip and zstd |
//! | [`input`] | an input: a file, standard input, a stream of the caller or the sample |
//! | [`mod@file`], [`remote`] | open files, wherever they are; objects of stores and files of web servers |
//! | [`unchanged`] | files that must not change |
//! | [`ranges`] | chunks of an input, which the threads that compute fetch and cut |
//! | [`text`], [`reader`] | bytes, pushed until their format is found, then handed over in chunks; a file, or its bytes |
//! | `key_set`, `key_relay`, [`keys`] | a set of keys; the order in which blocks add theirs; positions that are selected by them |
//! | [`moves`] | the positions after each legal move of those that are read |
//! | `unit_places` | where units of files begin that can be entered there |
//! | [`block`] | a block, where it comes from, and how it is read |
//! | [`parquet`] | Parquet |
//! | [`sources`] | how an input is opened and read |
//! | [`inputs`], [`discovery`] | lists of inputs; directories and patterns |
//! | `samples` | about how many positions files have |
//! | [`shards`], [`parts`] | parts of a list for several jobs; parts of a file that can be read in any order |
//!
//! # Features
//!
//! - `parquet`, off by default: [`parquet`]. Without it, an input of Parquet is an error.
//! - `cloud`, off by default: [`remote`], with an HTTP client and TLS. Without it, a URL is an error.

#![forbid(unsafe_code)]

pub mod advice;
pub mod block;
pub mod compression;
pub mod counter;
pub mod discovery;
pub mod file;
pub mod frames;
pub mod input;
pub mod inputs;
mod key_relay;
mod key_set;
pub mod keys;
pub mod moves;
pub mod ordered;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod parts;
pub mod ranges;
pub mod reader;
mod relay;
pub mod remote;
mod samples;
pub mod shards;
pub mod sources;
pub mod text;
pub mod unchanged;
mod unit_places;

pub use block::Block;
pub use input::Input;
pub use inputs::Inputs;
