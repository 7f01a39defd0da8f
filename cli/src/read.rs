//! Input: FEN, EPD, pairs, CSV, JSON lines and Parquet, compressed or not, read in the same way for all commands.
//!
//! [`source`] opens and decompresses files. [`text`] and `parquet` cut them into blocks of records, which [`block`]
//! describes. [`parse`] finds the positions or pairs of a block, and the columns to keep.

pub mod block;
pub mod csv;
pub mod json;
pub mod malformed;
pub mod pairs;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod parsed;
pub mod source;
pub mod text;

use crate::args::OnError;
use block::{Block, Layout, Records};
use parsed::{Parsed, Reading};

/// Reads at most `limit` positions or pairs of a block.
pub fn parse(block: &Block, limit: usize, on_error: OnError) -> Parsed {
    let mut reading = Reading::new(block, limit, on_error);
    let text: &[u8] = match &block.records {
        Records::Text(text) => text,
        _ => b"",
    };
    if matches!(block.records, Records::TooLong) {
        reading.too_long(block.first);
    }
    match &block.source.layout {
        Layout::Fen | Layout::Pairs => text::read(&mut reading, text),
        layout @ Layout::Csv { .. } => csv::read(&mut reading, text, layout),
        Layout::Json { column, all_but } => json::read(&mut reading, text, column, all_but.as_deref()),
        #[cfg(feature = "parquet")]
        Layout::Parquet { name, kept } => parquet::rows(&mut reading, name, kept),
    }
    reading.parsed
}
