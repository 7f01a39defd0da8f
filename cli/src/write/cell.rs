//! A value of one row, and how numbers, sets of squares and threats are written in the formats that are text.

use std::borrow::Cow;
use std::io::Write;

/// A value of one row, for the formats that are text.
pub enum Cell<'a> {
    /// A number.
    Number(u64),
    /// Text.
    Text(Cow<'a, str>),
    /// A value as in JSON; `null` for a missing value.
    Json(Cow<'a, str>),
    /// Fields of a JSON object with their names, `"name":value,…`; only JSON lines take them.
    Fields(&'a str),
    /// A set of squares.
    Board(u64),
    /// A number for each square.
    Counts(&'a [u8; 64]),
    /// Attacker, from, to and victim of each threat: pieces as letters, squares as numbers.
    Threats(&'a [[u8; 4]]),
}

impl Cell<'_> {
    /// A missing value.
    pub const NULL: Cell<'static> = Cell::Json(Cow::Borrowed("null"));
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Cell<'a> {
        Cell::Text(Cow::Borrowed(text))
    }
}

/// Appends a number in decimal.
pub fn decimal(number: u64, out: &mut Vec<u8>) {
    write!(out, "{number}").expect("memory can be written");
}

/// A set of squares: `0x` and 16 digits.
pub fn hex(board: u64) -> [u8; 18] {
    let digit = |place: usize| b"0123456789abcdef"[(board >> (68 - 4 * place) & 15) as usize];
    std::array::from_fn(|place| if place < 2 { b"0x"[place] } else { digit(place) })
}

/// Appends the number of each square.
pub fn counts(counts: &[u8; 64], separator: u8, out: &mut Vec<u8>) {
    // Nearly all have one digit, and there are millions.
    if counts.iter().all(|&count| count < 10) {
        let text: [u8; 128] = std::array::from_fn(|at| if at % 2 == 0 { b'0' + counts[at / 2] } else { separator });
        return out.extend_from_slice(&text[..127]);
    }
    for (place, &count) in counts.iter().enumerate() {
        if place > 0 {
            out.push(separator);
        }
        if count >= 10 {
            if count >= 100 {
                out.push(b'0' + count / 100);
            }
            out.push(b'0' + count / 10 % 10);
        }
        out.push(b'0' + count % 10);
    }
}

/// Appends threats, such as `Qd1xpd5`.
pub fn threats(threats: &[[u8; 4]], separator: &[u8], out: &mut Vec<u8>) {
    let square = |square: u8| [b'a' + square % 8, b'1' + square / 8];
    for (place, &[attacker, from, to, victim]) in threats.iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(separator);
        }
        let ([from_file, from_rank], [to_file, to_rank]) = (square(from), square(to));
        out.extend_from_slice(&[attacker, from_file, from_rank, b'x', victim, to_file, to_rank]);
    }
}
