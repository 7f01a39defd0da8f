//! Raw pairs: a square and an occupancy per line.

use slider_attacks::Square;

use crate::read::malformed::quoted;

const SQUARE: &str = "a1 to h8, or a number from 0 to 63";
const OCCUPANCY: &str = "0x and hexadecimal digits, or a decimal number, below 2^64";

/// A square on the command line.
pub fn square(text: &str) -> Result<Square, String> {
    parse_square(text).ok_or_else(|| format!("expected {SQUARE}"))
}

/// An occupancy on the command line.
pub fn occupancy(text: &str) -> Result<u64, String> {
    parse_occupancy(text).ok_or_else(|| format!("expected {OCCUPANCY}"))
}

/// Reads `square occupancy`. The caller has removed any comment. An error tells the field, what was expected there, and
/// what was found.
pub fn parse(line: &str) -> Result<(Square, u64), String> {
    let mut fields = line.split_ascii_whitespace();
    let error = |field: &str, expected: &str, found: Option<&str>| {
        let found = found.map_or_else(|| "the end of the line".to_owned(), quoted);
        Err(format!("{field}: expected {expected}, found {found}"))
    };
    let square = fields.next();
    let Some(square) = square.and_then(parse_square) else { return error("square", SQUARE, square) };
    let occupancy = fields.next();
    let Some(occupancy) = occupancy.and_then(parse_occupancy) else { return error("occupancy", OCCUPANCY, occupancy) };
    match fields.next() {
        None => Ok((square, occupancy)),
        more => error("after the occupancy", "the end of the line", more),
    }
}

fn parse_square(text: &str) -> Option<Square> {
    text.parse().ok().or_else(|| Square::new(decimal(text)?.parse().ok()?))
}

fn parse_occupancy(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => decimal(text)?.parse().ok(),
    }
}

/// The text, if it holds only digits. The standard library would also accept a sign.
fn decimal(text: &str) -> Option<&str> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then_some(text)
}
