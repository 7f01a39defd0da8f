//! Computations on boards and positions, compared with plain walks and loops.

#[path = "../common/mod.rs"]
mod common;

mod analysis;
mod keys;
mod methods;
#[cfg(feature = "rayon")]
mod parallel;
mod squares;
