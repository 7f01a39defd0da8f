//! Columns of text of any type.

use std::mem;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, BinaryViewArray, LargeBinaryArray, OffsetSizeTrait};
use arrow_buffer::NullBuffer;
use arrow_data::{ByteView, MAX_INLINE_VIEW_LEN};
use arrow_schema::DataType;
use memchr::memchr2;
use slider_attacks::position::{FenError, Positions};

use crate::Error;

/// A column of text: strings, bytes, or a dictionary of them. Strings are read as bytes, whatever these are.
#[derive(Debug)]
pub struct Texts {
    values: TextValues,
    /// For each row, the place of its value, if the column is a dictionary.
    keys: Option<Vec<usize>>,
    /// The rows without a text.
    pub(crate) nulls: Option<NullBuffer>,
    /// How many rows there are.
    rows: usize,
}

#[derive(Debug)]
enum TextValues {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// All rows are null.
    Null,
}

impl Texts {
    /// The texts of a column of this name.
    ///
    /// # Errors
    ///
    /// The column has another type.
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
        Ok(Texts { values, keys, nulls: array.logical_nulls(), rows: array.len() })
    }

    /// The text in each row, if it has one.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        (0..self.rows).map(|row| (!self.is_null(row)).then(|| self.get(row)))
    }

    /// The text in a row that is not null.
    pub(crate) fn get(&self, row: usize) -> &[u8] {
        let at = self.place(row);
        match &self.values {
            TextValues::Binary(texts) => texts.value(at),
            TextValues::LargeBinary(texts) => texts.value(at),
            TextValues::BinaryView(texts) => texts.value(at),
            TextValues::Null => &[],
        }
    }

    /// Adds the positions of these rows. `none` is the text of a null.
    ///
    /// # Errors
    ///
    /// The first text that is not a position. Those before it have been added.
    pub(crate) fn push(&self, rows: Range<usize>, none: &[u8], positions: &mut Positions) -> Result<(), FenError> {
        let has_nulls = self.nulls.as_ref().is_some_and(|nulls| nulls.slice(rows.start, rows.len()).null_count() > 0);
        match &self.values {
            TextValues::Binary(texts) if !has_nulls => {
                self.push_in(texts.value_data(), texts.value_offsets(), rows, positions)
            }
            TextValues::LargeBinary(texts) if !has_nulls => {
                self.push_in(texts.value_data(), texts.value_offsets(), rows, positions)
            }
            TextValues::BinaryView(texts) if !has_nulls => match self.only_buffer(texts, &rows) {
                Some(buffer) => {
                    let view = |at: usize| ByteView::from(texts.views()[at]);
                    let place = |view: ByteView| view.offset as usize..view.offset as usize + view.length as usize;
                    positions.push_fens_in(buffer, rows.map(|row| place(view(self.place(row)))))
                }
                None => positions.push_fens(rows.map(|row| self.get(row))),
            },
            _ => positions.push_fens(rows.map(|row| if self.is_null(row) { none } else { self.get(row) })),
        }
    }

    /// The same for texts that lie between these offsets of some bytes.
    fn push_in<T: OffsetSizeTrait>(
        &self,
        bytes: &[u8],
        offsets: &[T],
        rows: Range<usize>,
        positions: &mut Positions,
    ) -> Result<(), FenError> {
        match &self.keys {
            None => {
                let ends = offsets[rows.start..=rows.end].windows(2);
                positions.push_fens_in(bytes, ends.map(|ends| ends[0].as_usize()..ends[1].as_usize()))
            }
            Some(keys) => {
                let text = |&key: &usize| offsets[key].as_usize()..offsets[key + 1].as_usize();
                positions.push_fens_in(bytes, keys[rows].iter().map(text))
            }
        }
    }

    /// The buffer that the texts of all these rows lie in, if it is one.
    fn only_buffer<'t>(&self, texts: &'t BinaryViewArray, rows: &Range<usize>) -> Option<&'t [u8]> {
        let view = |row| ByteView::from(texts.views()[self.place(row)]);
        let first = view(rows.clone().next()?).buffer_index;
        let is_there = |view: ByteView| view.length > MAX_INLINE_VIEW_LEN && view.buffer_index == first;
        rows.clone().all(|row| is_there(view(row))).then(|| texts.data_buffers()[first as usize].as_slice())
    }

    /// The first of these rows whose text goes on after a line end, and the place of the line end.
    pub(crate) fn first_line_end(&self, mut rows: Range<usize>) -> Option<(usize, usize)> {
        if self.keys.is_none() && !self.have_line_end(&rows) {
            return None;
        }
        rows.find_map(|row| {
            let text = if self.is_null(row) { &[] } else { self.get(row) };
            let at = line_end(text)?;
            if text[at..].trim_ascii().is_empty() {
                return None;
            }
            let before = text.len() - text.trim_ascii_start().len();
            Some((row, before + line_end(text.trim_ascii())?))
        })
    }

    /// Where the text of a row is among the values.
    fn place(&self, row: usize) -> usize {
        self.keys.as_ref().map_or(row, |keys| keys[row])
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Whether there may be a line end in these values. Texts mostly lie one after the other, and one look is enough for many.
    fn have_line_end(&self, rows: &Range<usize>) -> bool {
        fn within<T: OffsetSizeTrait>(offsets: &[T], rows: &Range<usize>, bytes: &[u8]) -> bool {
            has_line_end(&bytes[offsets[rows.start].as_usize()..offsets[rows.end].as_usize()])
        }
        match &self.values {
            TextValues::Binary(texts) => within(texts.value_offsets(), rows, texts.value_data()),
            TextValues::LargeBinary(texts) => within(texts.value_offsets(), rows, texts.value_data()),
            TextValues::BinaryView(texts) => {
                let within = |(buffer, bytes): (u32, Range<usize>)| {
                    !bytes.is_empty() && has_line_end(&texts.data_buffers()[buffer as usize][bytes])
                };
                let mut run = (0, 0..0);
                for row in rows.clone().filter(|&row| !self.is_null(row)) {
                    let view = ByteView::from(texts.views()[row]);
                    let (start, length) = (view.offset as usize, view.length as usize);
                    if view.length <= MAX_INLINE_VIEW_LEN {
                        if has_line_end(texts.value(row)) {
                            return true;
                        }
                    } else if view.buffer_index == run.0 && start == run.1.end {
                        run.1.end += length;
                    } else if within(mem::replace(&mut run, (view.buffer_index, start..start + length))) {
                        return true;
                    }
                }
                within(run)
            }
            TextValues::Null => false,
        }
    }
}

/// Whether there is an LF or CR. Hardly any byte of a position is below them, and to look for the least byte takes 0.6 of the
/// time of a look for both (Zen 3).
fn has_line_end(text: &[u8]) -> bool {
    text.iter().copied().min().is_some_and(|least| least <= b'\r') && line_end(text).is_some()
}

/// The place of the first LF or CR.
fn line_end(text: &[u8]) -> Option<usize> {
    memchr2(b'\n', b'\r', text)
}
