//! Columns: those that are kept of an input, and those of an output. How they are written is for others to say.

use std::borrow::Cow;
use std::sync::Arc;

use slider_attacks_arrow::Values;

use crate::texts::TextColumn;

/// A column that is kept of an input, or all fields of JSON lines. It has a value for each position.
#[derive(Clone, Debug)]
pub enum KeptColumn {
    /// Text.
    Text(TextColumn),
    /// Values as in the JSON input; `None` where there was no such field.
    Json(TextColumn),
    /// All fields of an object, `"name":value,…`.
    Fields(TextColumn),
    /// Values of any type, and how Parquet describes the column.
    #[cfg(feature = "parquet")]
    Array(arrow_schema::FieldRef, arrow_array::ArrayRef),
}

impl KeptColumn {
    /// Whether one of the first `records` had the field. In JSON lines, it may be missing.
    pub fn is_found(&self, records: usize) -> bool {
        match self {
            KeptColumn::Json(texts) => (0..records).any(|record| texts.get(record).is_some()),
            _ => true,
        }
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
}
