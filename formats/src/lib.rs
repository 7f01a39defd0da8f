//! Formats of chess positions, read from bytes in memory: FEN, EPD, PGN, pairs, CSV, JSON lines and training records.
//!
//! The caller pushes the bytes: this crate opens no files and starts no threads. [`format::find`] detects the format from the
//! [`Beginning`] of the input, and returns a [`Source`] and how to [cut] the bytes into blocks of whole units, such as lines.
//! Parsing a block returns [`Records`](batch::Records).
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_arrow::OnError;
//! use slider_attacks_formats::Beginning;
//! use slider_attacks_formats::batch::ReadLimits;
//! use slider_attacks_formats::cut::{Contents, Cutter};
//! use slider_attacks_formats::error::OpenError;
//! use slider_attacks_formats::format::{self, FORMATS};
//! use slider_attacks_formats::request::Wanted;
//! use slider_attacks_formats::source::{CutMethod, parse};
//!
//! let text = b"name,fen\nrook,4k3/8/8/8/8/8/8/R3K3 w Q -\nnothing,\n";
//! let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
//! let (mut beginning, mut pieces) = (Beginning::new("memory", None), text.chunks(10));
//! let (name, opened) = loop {
//!     match format::find(FORMATS, &mut beginning, &wanted) {
//!         Err(OpenError::MoreBytes { .. }) => match pieces.next() {
//!             Some(piece) => beginning.push(piece),
//!             None => beginning.finish(),
//!         },
//!         found => break found?,
//!     }
//! };
//! assert_eq!(name, "CSV");
//!
//! let CutMethod::Cut(cut) = opened.blocks else { panic!("only a binpack is not cut") };
//! let cutter = Cutter::new(cut, opened.source.counts());
//! let mut contents = Contents::new(cutter, opened.passed.line.into());
//! let mut blocks = contents.push(beginning.take_rest(opened.passed).into(), false);
//! for piece in pieces {
//!     blocks.extend(contents.push(piece.to_vec().into(), false));
//! }
//! blocks.extend(contents.push(Vec::new().into(), true));
//!
//! let (mut lines, mut wrong) = (Vec::new(), Vec::new());
//! for (start, content) in &blocks {
//!     let most = ReadLimits::all(usize::MAX);
//!     let (records, _) = parse(&*opened.source, (*start, content), (0, 0), most, OnError::Skip, Positions::new());
//!     lines.extend(records.numbers);
//!     wrong.extend(records.skipped.iter().map(|malformed| malformed.number));
//! }
//! assert_eq!((lines, wrong), (vec![2], vec![3]));
//! # Ok::<(), OpenError>(())
//! ```
//!
//! # Modules
//!
//! Each module uses only modules of its own row and of rows above it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`error`], [`warnings`] | inputs that cannot be opened, and malformed records; what else a run tells its caller |
//! | [`content`] | what a block holds before it is parsed |
//! | [`cut`] | bytes cut after whole units; lines; places of certain bytes |
//! | [`columns`] | columns to keep and columns of an output; columns of texts |
//! | [`batch`] | what a block holds after it is parsed |
//! | [`games`] | which games are wanted, and which of their positions; positions of games, and what is known of them; fields of tables with positions or games |
//! | [`request`] | what a caller looks for in inputs |
//! | [`beginning`] | the first bytes of an input |
//! | [`source`] | the trait of sources, and how a block is parsed |
//! | [`fen`], [`pairs`], [`csv`], [`json`], [`pgn`], [`training`] | the formats |
//! | [`mod@format`] | the table of formats, and how the format of an input is found |
//!
//! # Features
//!
//! - `arrow`, off by default: rows of Arrow arrays as the content of a block, and Arrow arrays as columns to keep.

#![forbid(unsafe_code)]

pub mod batch;
pub mod beginning;
pub mod columns;
pub mod content;
pub mod csv;
pub mod cut;
pub mod error;
pub mod fen;
pub mod format;
pub mod games;
pub mod json;
pub mod pairs;
pub mod pgn;
pub mod request;
pub mod source;
#[cfg(test)]
mod testing;
pub mod training;
pub mod warnings;

pub use beginning::Beginning;
pub use source::Source;
