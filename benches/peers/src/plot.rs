//! Throughput against the number of pairs, drawn as an SVG that stands on its own.

use crate::Table;

/// Draws the first slider of `tables`.
pub fn svg(_tables: &[Table]) -> String {
    String::new()
}
