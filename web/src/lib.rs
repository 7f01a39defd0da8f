//! The computations of the page: text in, JSON out. [`border`] has the functions that JavaScript calls.
//!
//! | module | answers |
//! |---|---|
//! | [`about`] | which products and methods there are |
//! | [`analyze`] | all columns of all products of one position |
//! | [`condition`] | which positions of a file match a condition; a set of squares that a person writes |
//! | [`edit`] | a position that a person types, or changes piece by piece |
//! | [`play`] | the legal moves of a position |
//! | [`steps`] | what a method computes on its way |
//! | [`mod@format`] | what a file holds, and where it can be read from |
//! | [`scan`] | a file, block by block: its errors, where its entries begin, and sums over its positions |
//! | [`groups`] | the groups of its positions, by result, phase and so on |
//! | [`unzstd`] | a file compressed with zstd, unpacked |
//! | [`entries`] | a part of a file: its positions or games, and the moves of a game |
//!
//! A set of squares is text, such as `"0x00000000000000ff"`, because JavaScript numbers have 53 bits. A failure is an object
//! with one member, `error`, a message for the user.

pub mod about;
pub mod analyze;
#[expect(unsafe_code, reason = "names that JavaScript calls must not be changed by the compiler")]
pub mod border;
pub mod condition;
pub mod edit;
pub mod entries;
pub mod format;
pub mod groups;
pub mod options;
pub mod play;
pub mod scan;
pub mod steps;
pub mod unzstd;

use serde_json::{Value, json};

/// A set of squares as JSON.
fn squares(squares: u64) -> Value {
    format!("{squares:#018x}").into()
}

/// Why there is no answer.
fn error<T: ToString>(message: T) -> Value {
    json!({ "error": message.to_string() })
}

/// The first line of an input, and what follows it.
fn head(input: &[u8]) -> (&str, &[u8]) {
    let end = memchr::memchr(b'\n', input).unwrap_or(input.len());
    let (head, rest) = input.split_at(end);
    (str::from_utf8(head).unwrap_or_default(), rest.get(1..).unwrap_or_default())
}

/// Text of at most this many bytes, for people to look at.
fn excerpt(text: &[u8], most: usize) -> String {
    let mut shown = String::from_utf8_lossy(&text[..text.len().min(most)]).into_owned();
    if text.len() > most {
        shown.push('…');
    }
    shown
}
