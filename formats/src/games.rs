//! Games: which of them are read, which of their positions, and the columns that say what is known of each.

pub mod cells;
pub mod filter;
pub mod plies;

pub use filter::{Condition, Games};
