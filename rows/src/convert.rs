//! Positions in another format.
//!
//! | file | what it does |
//! |---|---|
//! | [`labels`], `line` | what is known of positions, from the columns of an input, and from the rest of a line |
//! | [`job`] | the work on one block |
//! | [`games`] | games that go on over the ends of blocks |

pub mod games;
pub mod job;
pub mod labels;
mod line;
