//! Games: which of them are read, which of their positions, and the columns that say what is known of each.

pub mod fields;
pub mod filter;
pub mod game_rows;

pub use filter::{Condition, Games, NamedTags};
