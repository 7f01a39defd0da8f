//! Types of columns of text, which are guessed from their first rows, as `read_csv` does.

use anyhow::{Result, bail};
use arrow_array::Array;

use crate::arrays::each_text;
use crate::types::{PlainType, Type};
use crate::vectors::OutputVector;

/// Tags and columns that stay text although their first values may look like numbers, as a later one need not.
const TEXTS: [&str; 9] = ["Event", "Site", "Round", "White", "Black", "Result", "TimeControl", "SetUp", "FEN"];

/// The values that mean that there is none.
const UNKNOWN: [&str; 4] = ["", "?", "-", "????.??.??"];

/// The type of a column of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessedType {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// Days, such as `2024.01.31`, also with `-` or `/`.
    Date,
}

impl GuessedType {
    /// The narrowest type that all values of the first rows have. If none is known, that of a tag of this name, if it has one.
    ///
    /// # Errors
    ///
    /// The arrays are no texts.
    pub fn of<'a>(name: &str, first: impl Iterator<Item = &'a dyn Array> + Clone) -> Result<Option<GuessedType>> {
        use GuessedType::{Date, Float, Integer};
        if TEXTS.iter().any(|text| text.eq_ignore_ascii_case(name)) {
            return Ok(None);
        }
        let (mut possible, mut is_known) = (vec![Integer, Float, Date], false);
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
            GuessedType::Float => PlainType::F64,
            GuessedType::Date => PlainType::Date,
        })
    }

    fn has(self, text: &str) -> bool {
        match self {
            GuessedType::Integer => integer(text).is_some(),
            GuessedType::Float => float(text).is_some(),
            GuessedType::Date => day(text).is_some(),
        }
    }

    /// What the values are.
    fn noun(self) -> &'static str {
        match self {
            GuessedType::Integer => "a whole number",
            GuessedType::Float => "a number",
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
                GuessedType::Float => float(text).map(|number| output.numbers::<f64>()[row] = number),
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

/// The type of a tag that the standard of PGN defines.
fn of_tag(name: &str) -> Option<GuessedType> {
    match name {
        "Date" | "EventDate" | "UTCDate" => Some(GuessedType::Date),
        "WhiteElo" | "BlackElo" | "PlyCount" => Some(GuessedType::Integer),
        _ => None,
    }
}

/// A whole number, without zeros before it, which would be lost.
pub fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain = digits == "0" || digits.starts_with(|first: char| ('1'..='9').contains(&first));
    if is_plain { text.parse().ok() } else { None }
}

/// A number, but no infinity, without zeros before it.
fn float(text: &str) -> Option<f64> {
    let bytes = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    let has_zeros = matches!(bytes, [b'0', b'0'..=b'9', ..]);
    let is_plain = !has_zeros && bytes.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    let number: f64 = if is_plain { text.parse().ok()? } else { return None };
    number.is_finite().then_some(number)
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
