//! Columns of text as dictionaries: each text once, and a key for each row. What games repeat in each of their positions, such as
//! tags, takes four bytes per row.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use arrow_select::concat::concat;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};

/// The type of these columns: that which pyarrow gives to them.
fn data_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// Whether values of this type are texts.
fn is_text(values: &DataType) -> bool {
    matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The key of a row without a text.
const NONE: i32 = -1;

/// Texts by their keys, from 0 in the order in which they came, and the keys of rows.
struct TextKeys<'t> {
    keys: Vec<i32>,
    texts: HashMap<Cow<'t, str>, i32>,
}

impl<'t> TextKeys<'t> {
    /// No texts, with room for the keys of this many rows.
    fn new(rows: usize) -> TextKeys<'t> {
        TextKeys { keys: Vec::with_capacity(rows), texts: HashMap::new() }
    }

    /// The key of a text.
    ///
    /// # Panics
    ///
    /// If there are 2<sup>31</sup> others.
    fn key(&mut self, text: Cow<'t, str>) -> i32 {
        let next = self.texts.len();
        *self.texts.entry(text).or_insert_with(|| i32::try_from(next).expect("a batch has fewer rows"))
    }

    /// Adds rows with these texts. Mostly, the place of a text is that of the row before: then it is not looked at.
    fn extend(&mut self, rows: usize, place: impl Fn(usize) -> usize, text: impl Fn(usize) -> Option<Cow<'t, str>>) {
        let mut last = None;
        for row in 0..rows {
            let place = place(row);
            let key = match last {
                Some((before, key)) if before == place => key,
                _ => text(row).map_or(NONE, |text| self.key(text)),
            };
            last = Some((place, key));
            self.keys.push(key);
        }
    }

    /// Adds the rows of an array.
    fn add(&mut self, array: impl ArrayAccessor<Item = &'t str> + Copy) {
        let text = |row| array.is_valid(row).then(|| array.value(row).into());
        self.extend(array.len(), |row| row, text);
    }

    fn finish(mut self) -> ArrayRef {
        let mut texts = vec![""; self.texts.len()];
        self.texts.iter().for_each(|(text, &key)| texts[key as usize] = text);
        let texts = StringArray::from_iter_values(texts);
        let has_nulls = self.keys.contains(&NONE);
        let nulls = has_nulls.then(|| self.keys.iter().map(|&key| key != NONE).collect::<NullBuffer>());
        if has_nulls {
            self.keys.iter_mut().for_each(|key| *key = (*key).max(0)); // not every reader looks at nulls first
        }
        Arc::new(DictionaryArray::new(Int32Array::new(self.keys.into(), nulls), Arc::new(texts)))
    }
}

/// A kept column of `rows` rows as a dictionary. One of Parquet that is a dictionary of texts stays as it is.
///
/// # Errors
///
/// The type of the column, which has no texts.
///
/// # Panics
///
/// If the column is all fields of JSON lines, which only JSON lines can keep.
pub fn encode(name: &str, kept: &KeptColumn, rows: usize) -> Result<KeptColumn, DataType> {
    let mut keys = TextKeys::new(rows);
    match kept {
        KeptColumn::Text(texts) => keys.extend(rows, |row| texts.place(row), |row| texts.get(row).map(Cow::from)),
        KeptColumn::Json(texts) => keys.extend(rows, |row| texts.place(row), |row| text_of_json(texts.get(row)?)),
        KeptColumn::Array(_, array) => match array.data_type() {
            DataType::Utf8 => keys.add(array.as_string::<i32>()),
            DataType::LargeUtf8 => keys.add(array.as_string::<i64>()),
            DataType::Utf8View => keys.add(array.as_string_view()),
            DataType::Dictionary(_, values) if is_text(values) => return Ok(kept.clone()),
            other => return Err(other.clone()),
        },
        KeptColumn::Numbers(numbers) if numbers.are_integers() => return Err(DataType::Int64),
        KeptColumn::Numbers(_) => return Err(DataType::Float64),
        KeptColumn::Fields(_) => unreachable!("only JSON lines keep all fields"),
    }
    Ok(KeptColumn::Array(Arc::new(Field::new(name, data_type(), true)), keys.finish()))
}

/// Whether a kept column is a dictionary.
pub fn is_dictionary(kept: &KeptColumn) -> bool {
    matches!(kept, KeptColumn::Array(_, array) if matches!(array.data_type(), DataType::Dictionary(..)))
}

/// A column with the same text in each of `rows` rows.
pub fn repeated(name: &str, text: &str, rows: usize) -> KeptColumn {
    let mut keys = TextKeys::new(rows);
    keys.extend(rows, |_| 0, |_| Some(text.into()));
    KeptColumn::Array(Arc::new(Field::new(name, data_type(), true)), keys.finish())
}

/// The rows of batches, which have this schema, as one batch. In a dictionary as [`encode`] makes it, each text that a row has is there
/// once, as categories of pandas must be. In a column with one of these `inputs` as its name, it is one of the input, so that it also
/// keeps the texts that no row has, and those of the first batch keep their order. Dictionaries of other types are appended to each other.
///
/// # Errors
///
/// The dictionaries of a column with other keys have too many texts for these.
pub fn join(schema: &SchemaRef, batches: &[RecordBatch], inputs: &[String]) -> Result<RecordBatch, ArrowError> {
    let kind = data_type();
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let column = |(at, field): (usize, &Arc<Field>)| {
        let arrays: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
        let is_input = inputs.contains(field.name());
        match batches {
            [one] if is_input => Ok(one.column(at).clone()),
            _ if *field.data_type() == kind => Ok(join_dictionaries(&arrays, rows, is_input)),
            _ => concat(&arrays),
        }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect::<Result<_, _>>()?;
    RecordBatch::try_new_with_options(schema.clone(), columns, &RecordBatchOptions::new().with_row_count(Some(rows)))
}

/// Joins dictionaries. `with_all` keeps all of their texts, not only those that rows have.
fn join_dictionaries(arrays: &[&dyn Array], rows: usize, with_all: bool) -> ArrayRef {
    let mut all = TextKeys::new(rows);
    for array in arrays {
        let array = array.as_dictionary::<Int32Type>();
        let texts = array.values().as_string::<i32>();
        if with_all {
            texts.iter().flatten().for_each(|text| _ = all.key(text.into()));
        }
        // For each key, that of its text among all.
        let mut found = vec![None; texts.len()];
        let (keys, nulls) = (array.keys().values(), array.keys().nulls());
        for (row, &key) in keys.iter().enumerate() {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row)) || texts.is_null(key as usize);
            let key = if is_null {
                NONE
            } else {
                *found[key as usize].get_or_insert_with(|| all.key(texts.value(key as usize).into()))
            };
            all.keys.push(key);
        }
    }
    all.finish()
}

#[test]
fn joined_dictionaries_have_each_text_of_a_row_once() {
    let texts = [vec![Some("b"), None, Some("a"), Some("b")], vec![Some("a"), Some("c"), None], vec![None], vec![]];
    let batch = |texts: &Vec<Option<&str>>| {
        let column = KeptColumn::Array(
            Arc::new(Field::new("t", DataType::Utf8, true)),
            Arc::new(texts.iter().copied().collect::<StringArray>()),
        );
        let KeptColumn::Array(field, array) = encode("t", &column, texts.len()).unwrap() else { unreachable!() };
        RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(vec![field])), vec![array]).unwrap()
    };
    let mut batches: Vec<RecordBatch> = texts.iter().map(batch).collect();
    // Without its last two rows, nothing of the first one is `a`, which the second brings; and nothing is `c`.
    batches[0] = batches[0].slice(0, 2);
    batches[1] = batches[1].slice(0, 1);
    let joined = join(&batches[0].schema(), &batches, &[]).unwrap();
    let column = joined.column(0).as_dictionary::<Int32Type>();
    let values: Vec<_> = column.values().as_string::<i32>().iter().flatten().collect();
    assert_eq!(values, ["b", "a"]);
    let keys: Vec<_> = column.keys().iter().collect();
    assert_eq!(keys, [Some(0), None, Some(1), None]);
}

/// Categories of an input keep their order, and also those that no row has: here b, c, a.
#[test]
fn dictionaries_of_an_input_keep_their_texts_in_order() {
    let batch = |keys: &[i32], texts: [&str; 3]| {
        let array = DictionaryArray::new(
            Int32Array::from(keys.to_vec()),
            Arc::new(StringArray::from(texts.to_vec())) as ArrayRef,
        );
        let field = Field::new("t", data_type(), true).with_dict_is_ordered(true);
        let column = KeptColumn::Array(Arc::new(field), Arc::new(array));
        let KeptColumn::Array(field, array) = encode("t", &column, keys.len()).unwrap() else { unreachable!() };
        RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(vec![field])), vec![array]).unwrap()
    };
    let batches = [batch(&[2, 0], ["b", "c", "a"]), batch(&[0, 1], ["a", "d", "e"])];
    let inputs = ["t".to_owned()];
    let one = join(&batches[0].schema(), &batches[..1], &inputs).unwrap();
    assert_eq!(one, batches[0]);
    let joined = join(&batches[0].schema(), &batches, &inputs).unwrap();
    let column = joined.column(0).as_dictionary::<Int32Type>();
    let values: Vec<_> = column.values().as_string::<i32>().iter().flatten().collect();
    assert_eq!(values, ["b", "c", "a", "d", "e"]);
    assert_eq!(column.keys().values(), &[2, 0, 2, 3]);
}

#[test]
fn a_dictionary_of_numbers_has_no_texts() {
    let array = DictionaryArray::new(Int32Array::from(vec![0, 0]), Arc::new(Int32Array::from(vec![7])) as ArrayRef);
    let kind = array.data_type().clone();
    let column = KeptColumn::Array(Arc::new(Field::new("t", kind.clone(), true)), Arc::new(array));
    assert_eq!(encode("t", &column, 2).unwrap_err(), kind);
}
