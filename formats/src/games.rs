//! Games: filters for games and their positions, and the columns of each position.

pub mod fields;
pub mod filter;
pub mod game_rows;

pub use filter::{Condition, Games, NamedTags};
