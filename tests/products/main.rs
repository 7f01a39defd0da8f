//! What is computed from boards and positions, against plain walks and loops.

#[path = "../common/mod.rs"]
mod common;

mod analysis;
mod methods;
#[cfg(feature = "rayon")]
mod parallel;
mod squares;
