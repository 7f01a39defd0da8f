//! Types of columns of text, which are guessed from their first rows, as `read_csv` does.

use std::str::FromStr;

use anyhow::{Result, bail};
use arrow_array::Array;

use crate::arrays::each_text;
use crate::types::{PlainType, Type};
use crate::vectors::OutputVector;

/// Tags and columns that stay text although their first values may look like numbers, as a later one need not.
const TEXTS: [&str; 9] = ["Event", "Site", "Round", "White", "Black", "Result", "TimeControl", "SetUp", "FEN"];

/// The values that mean that there is none.
const UNKNOWN: [&str; 4] = ["", "?", "-", "????.??.??"];

/// The largest number up to which a DOUBLE has all whole ones.
const MOST_EXACT: u64 = 1 << 53;

/// The type of a column of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessedType {
    /// Whole numbers.
    Integer,
    /// Whole numbers from 0. Some, such as keys, need all 64 bits.
    Unsigned,
    /// Numbers.
    Float,
    /// Days, such as `2024.01.31`, also with `-` or `/`. Those with an unknown part, such as `1999.??.??`, are null.
    Date,
}

impl GuessedType {
    /// The narrowest type that all values of the first rows have. If none is known, that of a tag of this name, if it has one. Dates
    /// with an unknown part among the first rows make the column text, which keeps them.
    ///
    /// # Errors
    ///
    /// The arrays are no texts.
    pub fn of<'a>(name: &str, first: impl Iterator<Item = &'a dyn Array> + Clone) -> Result<Option<GuessedType>> {
        use GuessedType::{Date, Float, Integer, Unsigned};
        if TEXTS.iter().any(|text| text.eq_ignore_ascii_case(name)) {
            return Ok(None);
        }
        let (mut possible, mut is_known) = (vec![Integer, Unsigned, Float, Date], false);
        for array in first {
            each_text(array, &mut |_, text| {
                if let Some(text) = text.filter(|text| !UNKNOWN.contains(text)) {
                    possible.retain(|kind| kind.has(text));
                    is_known = true;
                }
                Ok(())
            })?;
        }
        Ok(if is_known { possible.first().copied() } else { of_tag(name) })
    }

    /// The type of the column.
    pub fn kind(self) -> Type {
        Type::Plain(match self {
            GuessedType::Integer => PlainType::I64,
            GuessedType::Unsigned => PlainType::U64,
            GuessedType::Float => PlainType::F64,
            GuessedType::Date => PlainType::Date,
        })
    }

    fn has(self, text: &str) -> bool {
        match self {
            GuessedType::Integer => integer::<i64>(text).is_some(),
            GuessedType::Unsigned => integer::<u64>(text).is_some(),
            GuessedType::Float => float(text).is_some(),
            GuessedType::Date => day(text).is_some(),
        }
    }

    /// What the values are.
    fn noun(self) -> &'static str {
        match self {
            GuessedType::Integer => "a whole number below 2^63",
            GuessedType::Unsigned => "a whole number from 0 to 2^64 - 1",
            GuessedType::Float => "a number that a DOUBLE has",
            GuessedType::Date => "a date",
        }
    }

    /// Writes texts as values of this type. `place` says where the row is from.
    ///
    /// # Errors
    ///
    /// A text is none of this type.
    pub fn write(
        self,
        array: &dyn Array,
        output: &mut OutputVector<'_>,
        place: impl Fn(usize) -> Result<String>,
    ) -> Result<()> {
        let mut nulls = Vec::new();
        each_text(array, &mut |row, text| {
            let Some(text) = text.filter(|text| !UNKNOWN.contains(text)) else {
                nulls.push(row);
                return Ok(());
            };
            let is_written = match self {
                GuessedType::Integer => integer(text).map(|number| output.numbers::<i64>()[row] = number),
                GuessedType::Unsigned => integer(text).map(|number| output.numbers::<u64>()[row] = number),
                GuessedType::Float => float(text).map(|number| output.numbers::<f64>()[row] = number),
                GuessedType::Date if is_partial_date(text) => {
                    nulls.push(row);
                    Some(())
                }
                GuessedType::Date => day(text).map(|day| output.numbers::<i32>()[row] = day),
            };
            if is_written.is_none() {
                bail!(
                    "{}: expected {}, as in the first rows, found {text:?}; with `all_varchar := true`, columns stay text",
                    place(row)?,
                    self.noun()
                );
            }
            Ok(())
        })?;
        output.set_nulls(nulls.into_iter());
        Ok(())
    }
}

/// The type of a tag that the standard of PGN defines. Dates are none, as a part of them may be unknown.
fn of_tag(name: &str) -> Option<GuessedType> {
    match name {
        "WhiteElo" | "BlackElo" | "PlyCount" => Some(GuessedType::Integer),
        _ => None,
    }
}

/// A whole number, without zeros before it, which would be lost.
pub fn integer<T: FromStr>(text: &str) -> Option<T> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain = digits == "0" || digits.starts_with(|first: char| ('1'..='9').contains(&first));
    if is_plain { text.parse().ok() } else { None }
}

/// A number, but no infinity, without zeros before it. One without a point or an exponent has no digits that would be lost.
fn float(text: &str) -> Option<f64> {
    let bytes = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    let has_zeros = matches!(bytes, [b'0', b'0'..=b'9', ..]);
    let is_plain = !has_zeros && bytes.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    let number: f64 = if is_plain { text.parse().ok()? } else { return None };
    let has_point = text.contains(['.', 'e', 'E']);
    let is_exact = || integer::<i64>(text).is_some_and(|whole| whole.unsigned_abs() <= MOST_EXACT);
    (number.is_finite() && (has_point || is_exact())).then_some(number)
}

/// Whether a part of a date is unknown, as in `1999.??.??`.
fn is_partial_date(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'?';
    match text.as_bytes() {
        [year @ .., sign, m0, m1, again, d0, d1] => {
            text.contains('?')
                && year.len() == 4
                && b".-/".contains(sign)
                && again == sign
                && year.iter().chain([m0, m1, d0, d1]).all(is_digit)
        }
        _ => false,
    }
}

/// The number of a day since 1970, of a year, a month and a day.
pub fn day(text: &str) -> Option<i32> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    let sign = bytes[4];
    if !b".-/".contains(&sign) || bytes[7] != sign {
        return None;
    }
    let number = |text: &[u8]| {
        text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + i32::from(byte - b'0')))
    };
    let (year, month, day) = (number(&bytes[..4])?, number(&bytes[5..7])?, number(&bytes[8..])?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    // Years that begin in March have the day that some lack at their end.
    let (years, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = 365 * years + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
    Some(of_years + (153 * month + 2) / 5 + day - 1 - 719_468)
}
