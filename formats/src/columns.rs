//! Columns kept from an input, and columns of an output, independent of their encoding.

pub mod texts;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr;
use slider_attacks_arrow::Values;

use texts::TextColumn;

/// A column that is kept of an input, or all fields of JSON lines. It has a value for each position.
#[derive(Clone, Debug)]
pub enum KeptColumn {
    /// Text.
    Text(TextColumn),
    /// Values as in the JSON input; `None` where there was no such field.
    Json(TextColumn),
    /// Numbers.
    Numbers(NumberColumn),
    /// All fields of an object, `"name":value,…`.
    Fields(TextColumn),
    /// Values of any type, and how Parquet describes the column.
    #[cfg(feature = "arrow")]
    Array(arrow_schema::FieldRef, arrow_array::ArrayRef),
}

impl KeptColumn {
    /// About how many bytes its values take as text in this many rows.
    pub fn text_bytes(&self, rows: usize) -> usize {
        match self {
            KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts) => texts.bytes(rows),
            KeptColumn::Numbers(_) => 8 * rows,
            #[cfg(feature = "arrow")]
            KeptColumn::Array(_, array) => array.get_array_memory_size(),
        }
    }

    /// At most how many bytes they take as text, in quotation marks where there are any.
    pub fn most_bytes(&self, rows: usize) -> usize {
        match self {
            KeptColumn::Text(texts) | KeptColumn::Json(texts) | KeptColumn::Fields(texts) => texts.most_bytes(rows),
            _ => 32 * rows + self.text_bytes(rows),
        }
    }

    /// The same values in other rows: in each, that of the row of this number.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn in_rows(&self, rows: &Arc<[u32]>) -> KeptColumn {
        match self {
            KeptColumn::Text(texts) => KeptColumn::Text(texts.clone().in_rows(rows.clone())),
            KeptColumn::Json(texts) => KeptColumn::Json(texts.clone().in_rows(rows.clone())),
            KeptColumn::Fields(texts) => KeptColumn::Fields(texts.clone().in_rows(rows.clone())),
            KeptColumn::Numbers(NumberColumn { values, digits }) => KeptColumn::Numbers(NumberColumn {
                values: rows.iter().map(|&row| values[row as usize]).collect(),
                digits: *digits,
            }),
            #[cfg(feature = "arrow")]
            KeptColumn::Array(field, array) => {
                let rows = arrow_array::UInt32Array::from(rows.to_vec());
                KeptColumn::Array(field.clone(), arrow_select::take::take(array, &rows, None).expect("rows exist"))
            }
        }
    }

    /// Whether one of the first `records` had the field. In JSON lines, it may be missing.
    pub fn is_found(&self, records: usize) -> bool {
        match self {
            KeptColumn::Json(texts) => (0..records).any(|record| texts.get(record).is_some()),
            _ => true,
        }
    }
}

/// Adds which columns have a value to those of records before. Of a record that cannot be read, no column may be known.
pub fn add_found(found: &mut Vec<bool>, more: impl IntoIterator<Item = bool>) {
    for (at, more) in more.into_iter().enumerate() {
        match found.get_mut(at) {
            Some(found) => *found |= more,
            None => found.push(more),
        }
    }
}

/// Numbers. Each may be missing.
#[derive(Clone, Debug)]
pub struct NumberColumn {
    values: Arc<[i64]>,
    /// How many of their last digits are behind the point.
    digits: u32,
}

impl NumberColumn {
    /// Stands for a number that is missing.
    pub const MISSING: i64 = i64::MIN;

    /// These numbers, divided by this many powers of ten.
    pub fn new(values: Vec<i64>, digits: u32) -> NumberColumn {
        NumberColumn { values: values.into(), digits }
    }

    /// Whether all are integers.
    pub fn are_integers(&self) -> bool {
        self.digits == 0
    }

    /// The number in a row, if it has one: what is before the point and what is behind it, as one integer.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        Some(self.values[row]).filter(|&value| value != Self::MISSING)
    }

    /// The digits before the point, and those after it, without trailing zeros.
    pub fn text(&self, value: i64) -> String {
        let unit = 10_u64.pow(self.digits);
        let (sign, value) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
        let text = format!("{sign}{}.{:0width$}", value / unit, value % unit, width = self.digits as usize);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The number in a row, as one that may have a fraction.
    pub fn float(&self, row: usize) -> Option<f64> {
        self.get(row).map(|value| value as f64 / f64::from(10_u32.pow(self.digits)))
    }
}

/// A JSON value as text: strings without quotation marks, nothing for null.
///
/// # Panics
///
/// If it is no JSON. Values of [`KeptColumn::Json`] have been tried while they were read.
pub fn text_of_json(value: &str) -> Option<Cow<'_, str>> {
    match value {
        "null" => None,
        // Most strings are as they are written.
        _ if value.starts_with('"') && memchr(b'\\', value.as_bytes()).is_none() => {
            Some(value[1..value.len() - 1].into())
        }
        _ if value.starts_with('"') => Some(serde_json::from_str(value).expect("it was tried while reading")),
        _ => Some(value.into()),
    }
}

/// Why values of a kind that no writer knows cannot come. A new kind of values is added to the writers as well.
pub const UNKNOWN_KIND: &str = "no product has columns of this kind";

/// A column of an output.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// Its name.
    pub name: String,
    /// Its values, one for each position.
    pub values: OutputValues,
    /// The rows that have no value, in their order; `None` if each row of each block has one.
    pub nulls: Option<Arc<[usize]>>,
}

impl OutputColumn {
    /// A column in which each row has a value, or says itself that it has none.
    pub fn new(name: impl Into<String>, values: OutputValues) -> OutputColumn {
        OutputColumn { name: name.into(), values, nulls: None }
    }
}

/// The values of a column of an output.
#[derive(Clone, Debug)]
pub enum OutputValues {
    /// The input that all rows come from.
    File {
        /// Its name.
        name: String,
        /// Its number, from 0.
        index: u64,
    },
    /// The numbers of lines or rows.
    Lines(Vec<u64>),
    /// A column of a product.
    Product(Values),
    /// Values of the input.
    Kept(KeptColumn),
    /// Values of the input that are numbers; one that is missing is not a number.
    Floats(Vec<f64>),
}
