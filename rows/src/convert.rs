//! Positions in another format.
//!
//! | file | what it does |
//! |---|---|
//! | [`line`](mod@line), [`labels`] | what is known of positions, from the rest of a line, and from the columns of an input |
//! | [`games`] | games that go on over the ends of blocks |
//! | [`job`] | the work on one block |

pub mod games;
pub mod job;
pub mod labels;
pub mod line;
