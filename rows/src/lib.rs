//! Rows of chess positions, computed from the blocks that [`slider_attacks_files`] reads, and their output formats.
//!
//! A [`Work`](pipeline::Work) turns a block into a result, on the threads of a [`Pipeline`](pipeline::Pipeline), which returns
//! the results in the order of the input. There are three kinds of work: a row of products for each position ([`job`]), the
//! positions in another format ([`convert`]), and sums over all of them ([`sums`]). The writers are in [`write`](mod@write).
//!
//! # Modules
//!
//! Each module uses only modules of its own row and of rows above it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`format`](mod@format), [`memory`] | the formats of rows and positions; whether there is memory, and when it is returned |
//! | [`sizes`], [`pipeline`] | about how many bytes a position takes; the threads that work on blocks |
//! | [`arrays`], [`dictionaries`] | columns as Arrow arrays; columns of text as dictionaries |
//! | [`write`](mod@write) | writers: CSV, JSON lines, NumPy arrays, Parquet, tables for people |
//! | [`conditions`] | queries that choose rows |
//! | [`boards`], [`columns`] | bitboards in columns; the columns of an output |
//! | [`job`] | a row of products for each position |
//! | [`convert`] | positions in another format |
//! | [`sums`] | sums over positions by groups: as rows, arrays, tables, drawn boards and a page |
//! | [`batches`] | rows of files as record batches |
//! | [`planes`] | numbers for each square, as networks take them |
//! | [`loader`] | training data: shuffled batches of positions and labels |
//!
//! # Features
//!
//! - `parquet`, off by default: reads and writes Parquet, and adds [`arrays`], [`dictionaries`] and [`batches`].

#[cfg(feature = "parquet")]
pub mod arrays;
#[cfg(feature = "parquet")]
pub mod batches;
pub mod boards;
pub mod columns;
pub mod conditions;
pub mod convert;
#[cfg(feature = "parquet")]
pub mod dictionaries;
pub mod format;
pub mod job;
pub mod loader;
#[allow(unsafe_code, reason = "calls of the C library, for large blocks and pages, and prefetches")]
pub mod memory;
pub mod pipeline;
pub mod planes;
pub mod sizes;
pub mod sums;
pub mod write;
