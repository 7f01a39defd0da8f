//! The laws of the batch call.

#[path = "../common/mod.rs"]
mod common;

mod agreement;
mod changing_squares;
mod driver;
mod guard_pages;
#[cfg(feature = "rayon")]
mod par;
mod sets;
