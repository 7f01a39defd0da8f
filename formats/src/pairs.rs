//! Raw pairs: a square and an occupancy per line.

use memchr::memchr;
use slider_attacks::Square;

use crate::batch::Parser;
use crate::beginning::Beginning;
use crate::error::{OpenError, Problem, RecordError};
use crate::request::Wanted;
use crate::source::{OpenedSource, Source};

const SQUARE: &str = "a1 to h8, or a number from 0 to 63";
const OCCUPANCY: &str = "0x and hexadecimal digits, or a decimal number, below 2^64";

/// One pair per line.
#[derive(Debug)]
struct PairLines;

/// Takes any text, if pairs are wanted.
///
/// # Errors
///
/// More bytes are needed.
pub fn open(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    beginning.first_line()?;
    Ok(wanted.pairs.then(|| OpenedSource::lines(PairLines, beginning)))
}

impl Source for PairLines {
    fn columns(&self) -> &[String] {
        &[]
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        parser.each_line(|parser, line, number| {
            let pair = memchr(b'#', line).map_or(line, |comment| &line[..comment]);
            let Some(pair) = parser.text(pair, number) else { return };
            match parse(pair) {
                Ok(pair) => {
                    parser.records.pairs.push(pair);
                    parser.records.numbers.push(number);
                }
                Err(error) => _ = parser.malformed(number, error),
            }
        });
    }
}

/// A square, as in a pair or on a command line: `e4`, or a number from 0 to 63.
///
/// # Errors
///
/// The text is no square; the error says what was expected.
pub fn square(text: &str) -> Result<Square, String> {
    parse_square(text).ok_or_else(|| format!("expected {SQUARE}"))
}

/// An occupancy, as in a pair or on a command line: hexadecimal digits after `0x`, or a decimal number.
///
/// # Errors
///
/// The text is no number below 2<sup>64</sup>; the error says what was expected.
pub fn occupancy(text: &str) -> Result<u64, String> {
    parse_occupancy(text).ok_or_else(|| format!("expected {OCCUPANCY}"))
}

/// Reads `square occupancy`. The caller has removed any comment.
///
/// # Errors
///
/// The text is not a pair. The error has the field, the expected and the found value.
pub fn parse(line: &str) -> Result<(Square, u64), RecordError> {
    let mut fields = line.split_ascii_whitespace();
    let error = |part: &'static str, expected: &'static str, found: Option<&str>| {
        let wrong = RecordError::from(Problem::Pair { part, expected, found: found.map(str::to_owned) });
        Err(wrong.found(found.unwrap_or_default().as_bytes()))
    };
    let square = fields.next();
    let Some(square) = square.and_then(parse_square) else {
        return error("square", SQUARE, square).map_err(|wrong| wrong.at_field("square"));
    };
    let occupancy = fields.next();
    let Some(occupancy) = occupancy.and_then(parse_occupancy) else {
        return error("occupancy", OCCUPANCY, occupancy).map_err(|wrong| wrong.at_field("occupancy"));
    };
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
