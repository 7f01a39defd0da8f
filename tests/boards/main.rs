//! Lines, flips and rotations of boards, exhaustively.

mod first_rank;
mod flip;
mod occupancy;
