//! Columns of text of any type.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

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
}
