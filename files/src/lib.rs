//! Files of chess positions, read in blocks: FEN, EPD, PGN, pairs, CSV, JSON lines, Parquet and records of engines, compressed
//! or not.
//!
//! An [`Input`] is what is read, such as a file. A [`Source`] is the format that was found in it. A [`Block`] is some of its
//! units, such as lines, not parsed yet. Parsing a block gives [`Records`](records::Records).
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_arrow::OnError;
//! use slider_attacks_files::block::Most;
//! use slider_attacks_files::wanted::Wanted;
//! use slider_attacks_files::Inputs;
//!
//! let inputs = Inputs::new(&["../tests/data/sample.epd".into()], "")?;
//! let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
//! let mut positions = 0;
//! let most = Most { limit: usize::MAX, enough: 1000 };
//! inputs.read(&wanted, &mut |mut block| {
//!     while let Some(records) = block.next(most, OnError::Fail, Positions::new())? {
//!         positions += records.positions.len();
//!         block.origin.check(records.failure.as_ref())?;
//!     }
//!     Ok(())
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
//! | [`ordered`] | results of threads, in the order of their items |
//! | [`malformed`], [`warnings`] | malformed records; what else a run tells its caller |
//! | [`content`], [`marks`] | what a block holds before it is parsed; places of certain bytes |
//! | [`cutter`], [`ranges`] | cuts after whole units; chunks of an input, which the threads that compute fetch and cut |
//! | [`counter`], [`unchanged`], [`frames`] | bytes read so far; files that must not change; zstd on several threads |
//! | [`compression`] | gzip and zstd |
//! | [`games`] | which games are wanted, and which of their positions |
//! | [`input`], [`wanted`] | an input: a file, standard input, a stream of the caller or the sample; what a caller looks for in it |
//! | [`texts`], [`columns`] | columns of texts; columns to keep and columns of an output |
//! | [`text`], [`reader`] | bytes in a buffer, cut into blocks; the beginning of an input, by which its format is found |
//! | [`records`] | what a block holds after it is parsed |
//! | [`plies`], [`cells`] | positions of games, and what is known of them; what the fields of a table hold |
//! | [`source`] | the trait of sources, and how to add one |
//! | [`fen`], [`pairs`], [`csv`], [`json`], [`pgn`], [`training`], [`parquet`] | the sources, one file each |
//! | [`block`] | a block, where it comes from, and how it is read |
//! | [`sources`] | the table of sources, and how an input is opened and read |
//! | [`inputs`], [`discovery`], [`shards`] | lists of inputs; directories and patterns; parts of a list for several jobs |
//!
//! # Features
//!
//! - `parquet`, off by default: the source [`parquet`]. Without it, an input of Parquet is an error.

#![forbid(unsafe_code)]

pub mod block;
pub mod cells;
pub mod columns;
pub mod compression;
pub mod content;
pub mod counter;
pub mod csv;
pub mod cutter;
pub mod discovery;
pub mod fen;
pub mod frames;
pub mod games;
pub mod input;
pub mod inputs;
pub mod json;
pub mod malformed;
pub mod marks;
pub mod ordered;
pub mod pairs;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pgn;
pub mod plies;
pub mod ranges;
pub mod reader;
pub mod records;
pub mod shards;
pub mod source;
pub mod sources;
pub mod text;
pub mod texts;
pub mod training;
pub mod unchanged;
pub mod wanted;
pub mod warnings;

pub use block::Block;
pub use input::Input;
pub use inputs::Inputs;
pub use source::Source;
