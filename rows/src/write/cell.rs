//! A value of one row, and the text of numbers, sets of squares, moves and threats.

use std::borrow::Cow;
use std::io::Write;

use slider_attacks::moves::Move;

/// A value of one row, for the formats that are text.
pub enum Cell<'a> {
    /// A number.
    Number(u64),
    /// A number that may be below zero.
    Integer(i64),
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
    /// A set of squares for each square.
    Sets(&'a [u64; 64]),
    /// Moves.
    Moves(&'a [Move]),
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
#[inline]
pub fn decimal(number: u64, out: &mut Vec<u8>) {
    if number >= 100_000_000 {
        return write!(out, "{number}").expect("memory can be written");
    }
    // Two numbers below 10,000, then four below 100, then eight digits, the first one in the lowest byte.
    let pairs = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((pairs * 10_486) >> 20) & (0x7f * EACH_FOURTH);
    let pairs = hundreds | (pairs - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & (0x0f * EACH_SECOND);
    let digits = tens | (pairs - tens * 10) << 8;
    // Without zeros at the beginning. All eight bytes are stored, because that takes no branch.
    let zeros = (digits | 1 << 56).trailing_zeros() / 8;
    let length = out.len() + 8 - zeros as usize;
    out.extend_from_slice(&((digits + u64::from(b'0') * EACH) >> (8 * zeros)).to_le_bytes());
    out.truncate(length);
}

/// Appends a number that may be below zero.
#[inline]
pub fn integer(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    decimal(number.unsigned_abs(), out);
}

/// A set of squares: `0x` and 16 digits.
#[inline]
pub fn hex(board: u64) -> [u8; 18] {
    // Eight digits are computed in one word, and the compiler puts both words into one vector.
    let digits = |half: u64| {
        let mut digits = u64::from((half as u32).swap_bytes());
        digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff;
        digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff;
        digits = (digits >> 4 | digits << 8) & (0x0f * EACH);
        let is_letter = (digits + 6 * EACH) >> 4 & EACH;
        (digits + u64::from(b'0') * EACH + is_letter * u64::from(b'a' - b'0' - 10)).to_le_bytes()
    };
    let mut text = *b"0x0000000000000000";
    text[2..10].copy_from_slice(&digits(board >> 32));
    text[10..].copy_from_slice(&digits(board));
    text
}

/// A one in each byte, in each second and in each fourth.
const EACH: u64 = 0x0101_0101_0101_0101;
const EACH_SECOND: u64 = 0x0001_0001_0001_0001;
const EACH_FOURTH: u64 = 0x0000_0001_0000_0001;

/// Appends the number of each square.
#[inline]
pub fn counts(counts: &[u8; 64], separator: u8, out: &mut Vec<u8>) {
    // Nearly all have one digit, and there are millions.
    if counts.iter().fold(0, |most, &count| most.max(count)) < 10 {
        let digit = u16::from_le_bytes([b'0', separator]);
        let mut text = [[0; 2]; 64];
        for (text, &count) in text.iter_mut().zip(counts) {
            *text = (digit + u16::from(count)).to_le_bytes();
        }
        out.extend_from_slice(&text.as_flattened()[..127]);
    } else {
        longer_counts(counts, separator, out);
    }
}

/// The same, where some numbers have more digits than one. All four bytes of each are stored, and the next number begins
/// where it ends: there is no branch per digit.
fn longer_counts(counts: &[u8; 64], separator: u8, out: &mut Vec<u8>) {
    const MOST: usize = 64 * 4;
    let mut text = [0; MOST + 4];
    let mut length = 0;
    for &count in counts {
        let (digits, end) = DIGITS[usize::from(count)];
        let at = length % MOST; // so that the compiler sees that it is within the array
        text[at..at + 4].copy_from_slice(&digits);
        text[at + end] = separator;
        length += end + 1;
    }
    out.extend_from_slice(&text[..length - 1]);
}

/// The digits of each number, and how many there are.
static DIGITS: [([u8; 4], usize); 256] = {
    let mut table = [([b'0'; 4], 0); 256];
    let mut number = 0;
    while number < 256 {
        let (text, length) = &mut table[number];
        *length = 1 + (number >= 10) as usize + (number >= 100) as usize;
        let (mut rest, mut at) = (number, *length);
        while at > 0 {
            at -= 1;
            text[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        number += 1;
    }
    table
};

/// Appends sets of squares, most of which are empty, without zeros at the beginning.
pub fn sets(sets: &[u64; 64], separator: &[u8], out: &mut Vec<u8>) {
    for (place, &set) in sets.iter().enumerate() {
        out.extend_from_slice(if place == 0 { b"" } else { separator });
        out.extend_from_slice(b"0x");
        out.extend_from_slice(&hex(set)[17 - (63 - (set | 1).leading_zeros() as usize) / 4..]);
    }
}

/// Appends moves as UCI writes them.
pub fn moves(moves: &[Move], separator: &[u8], out: &mut Vec<u8>) {
    for (place, mv) in moves.iter().enumerate() {
        out.extend_from_slice(if place == 0 { b"" } else { separator });
        out.extend_from_slice(mv.encode_uci(&mut [0; 5]).as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that follow no pattern.
    fn numbers() -> impl Iterator<Item = u64> {
        let next = |number: &u64| Some(number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f));
        std::iter::successors(Some(1), next).map(|number: u64| number ^ number >> 29)
    }

    #[test]
    fn sets_of_squares_have_the_digits_of_the_standard_library() {
        let bytes = (0..8).flat_map(|place| (0..256).map(move |byte| byte << (8 * place)));
        for board in bytes.chain(numbers().take(10_000)).flat_map(|board| [board, !board]) {
            assert_eq!(str::from_utf8(&hex(board)).unwrap(), format!("{board:#018x}"));
        }
    }

    #[test]
    fn numbers_have_the_digits_of_the_standard_library() {
        let around =
            (0..64).flat_map(|bits| [(1 << bits) - 1, 1 << bits]).chain((0..20).map(|zeros| 10_u64.pow(zeros)));
        let around = around.flat_map(|number| [number.wrapping_sub(1), number]);
        let random = numbers().take(20_000).enumerate().map(|(at, number)| number >> (at % 64));
        for number in (0..100_000).chain(around).chain(random) {
            let mut text = Vec::new();
            decimal(number, &mut text);
            assert_eq!(str::from_utf8(&text).unwrap(), number.to_string());
        }
    }

    #[test]
    fn counts_have_the_digits_of_the_standard_library() {
        let random = |below: u64| std::array::from_fn(|at| (numbers().nth(at).unwrap() % below) as u8);
        let alone = (0..=255)
            .flat_map(|count| (0..64).map(move |at| std::array::from_fn(|it| if it == at { count } else { 0 })));
        let alike = (0..=255).map(|count| [count; 64]);
        for all in alone.chain(alike).chain([10, 28, 128, 256].map(random)) {
            for separator in [b' ', b','] {
                let mut text = b"before".to_vec();
                counts(&all, separator, &mut text);
                let expected = all.map(|count| count.to_string()).join(str::from_utf8(&[separator]).unwrap());
                assert_eq!(str::from_utf8(&text).unwrap(), format!("before{expected}"));
            }
        }
    }
}
