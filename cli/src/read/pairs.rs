//! Raw pairs: a square and an occupancy per line.

use slider_attacks::Square;

use crate::read::malformed::LineError;

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

/// Reads `square occupancy`. The caller has removed any comment.
pub fn parse(line: &str) -> Result<(Square, u64), LineError> {
    let mut fields = line.split_ascii_whitespace();
    let square = fields.next();
    let square = square.and_then(parse_square).ok_or_else(|| LineError::new("square", SQUARE, square))?;
    let occupancy = fields.next();
    let occupancy =
        occupancy.and_then(parse_occupancy).ok_or_else(|| LineError::new("occupancy", OCCUPANCY, occupancy))?;
    match fields.next() {
        None => Ok((square, occupancy)),
        more => Err(LineError::new("after the occupancy", "the end of the line", more)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_occupancies_in_their_forms() {
        assert_eq!(parse("e4 0"), Ok((Square::E4, 0)));
        assert_eq!(parse("28\t0xFF"), Ok((Square::E4, 255)));
        assert_eq!(parse(" 0 0X00000000000000000001 "), Ok((Square::A1, 1)));
        assert_eq!(parse("63 18446744073709551615"), Ok((Square::H8, u64::MAX)));
        assert_eq!(parse("63 0xffffffffffffffff"), Ok((Square::H8, u64::MAX)));
    }

    #[test]
    fn every_malformed_field_is_named() {
        for square in ["64", "256", "-1", "+1", "e9", "i1", "E4", "x", "é4", "0x1c", "99999999999999999999999"] {
            let error = parse(&format!("{square} 0")).expect_err(square).to_string();
            assert_eq!(error, format!("square: expected a1 to h8, or a number from 0 to 63, found \"{square}\""));
        }
        for occupancy in ["ff", "0x", "0xg", "0x+1", "+1", "-1", "1.0", "18446744073709551616", "0x10000000000000000"] {
            let error = parse(&format!("e4 {occupancy}")).expect_err(occupancy).to_string();
            assert!(error.starts_with("occupancy: expected 0x and hex"), "{error}");
            assert!(error.ends_with(&format!("found \"{occupancy}\"")), "{error}");
        }
        assert!(parse("e4").unwrap_err().to_string().ends_with("below 2^64, found the end of the line"));
        assert_eq!(
            parse("e4 0 1").unwrap_err().to_string(),
            "after the occupancy: expected the end of the line, found \"1\""
        );
    }
}
