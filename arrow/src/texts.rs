//! Columns of text of any type.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use memchr::memchr2;

use crate::Error;

/// A column of text: strings, bytes, or a dictionary of them. Strings are read as bytes, whatever these are.
pub(crate) struct Texts {
    values: TextValues,
    /// For each row, the place of its value, if the column is a dictionary.
    keys: Option<Vec<usize>>,
    /// The rows without a text.
    pub nulls: Option<NullBuffer>,
}

enum TextValues {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// All rows are null.
    Null,
}

impl Texts {
    /// The texts of a column of this name.
    pub fn new(column: &str, array: &dyn Array) -> Result<Texts, Error> {
        let dictionary = array.as_any_dictionary_opt();
        let texts = dictionary.map_or(array, |dictionary| dictionary.values());
        let values = match texts.data_type() {
            DataType::Utf8 => TextValues::Binary(texts.as_string().clone().into()),
            DataType::LargeUtf8 => TextValues::LargeBinary(texts.as_string().clone().into()),
            DataType::Utf8View => TextValues::BinaryView(texts.as_string_view().clone().to_binary_view()),
            DataType::Binary => TextValues::Binary(texts.as_binary().clone()),
            DataType::LargeBinary => TextValues::LargeBinary(texts.as_binary().clone()),
            DataType::BinaryView => TextValues::BinaryView(texts.as_binary_view().clone()),
            DataType::Null => TextValues::Null,
            _ => {
                let (column, found) = (column.to_owned(), array.data_type().clone());
                return Err(Error::Type { column, expected: "strings or bytes, or a dictionary of them", found });
            }
        };
        // Without values, all keys are null, and no text is asked for.
        let keys = dictionary.map(
            |dictionary| {
                if texts.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() }
            },
        );
        Ok(Texts { values, keys, nulls: array.logical_nulls() })
    }

    /// The text in a row that is not null.
    pub fn get(&self, row: usize) -> &[u8] {
        let at = self.keys.as_ref().map_or(row, |keys| keys[row]);
        match &self.values {
            TextValues::Binary(texts) => texts.value(at),
            TextValues::LargeBinary(texts) => texts.value(at),
            TextValues::BinaryView(texts) => texts.value(at),
            TextValues::Null => &[],
        }
    }
    /// The first of these rows whose text goes on after a line end, and the place of the line end.
    pub fn first_line_end(&self, mut rows: Range<usize>) -> Option<(usize, usize)> {
        // Where texts lie one after the other, there is mostly none in any of them.
        let all = match (&self.values, &self.keys) {
            (TextValues::Binary(texts), None) => {
                let ends = texts.value_offsets();
                Some(&texts.value_data()[ends[rows.start] as usize..ends[rows.end] as usize])
            }
            (TextValues::LargeBinary(texts), None) => {
                let ends = texts.value_offsets();
                Some(&texts.value_data()[ends[rows.start] as usize..ends[rows.end] as usize])
            }
            _ => None,
        };
        let line_end = |text: &[u8]| memchr2(b'\n', b'\r', text);
        if all.is_some_and(|all| line_end(all).is_none()) {
            return None;
        }
        rows.find_map(|row| {
            let is_valid = self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            let text = if is_valid { self.get(row) } else { &[] };
            let before = text.len() - text.trim_ascii_start().len();
            Some((row, before + line_end(text.trim_ascii())?))
        })
    }
}
