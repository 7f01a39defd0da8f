//! How positions are read.

#[path = "../common/mod.rs"]
mod common;

mod collections;
mod fen;
mod positions;
mod records;
