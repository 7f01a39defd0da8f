//! Columns of text as dictionaries: each text once, and a key for each row. What games repeat in each of their positions, such as
//! tags, takes four bytes per row.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, DictionaryArray, Int32Array, PrimitiveArray, RecordBatch, RecordBatchOptions,
    StringArray, downcast_integer, downcast_primitive_array,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave;
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
/// keeps the values that no row has, and those of the first batch keep their order. Keys of any type and values of any type that has no
/// parts are joined like this. Other dictionaries are appended to each other.
///
/// # Errors
///
/// The dictionaries of a column have too many values for the type of its keys.
pub fn join(schema: &SchemaRef, batches: &[RecordBatch], inputs: &[String]) -> Result<RecordBatch, ArrowError> {
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let column = |(at, field): (usize, &Arc<Field>)| {
        let arrays: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
        let is_input = inputs.contains(field.name());
        match (batches, field.data_type()) {
            ([one], _) if is_input => Ok(one.column(at).clone()),
            (_, DataType::Dictionary(key, _)) => join_dictionaries(key, &arrays, is_input),
            _ => concat(&arrays),
        }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect::<Result<_, _>>()?;
    RecordBatch::try_new_with_options(schema.clone(), columns, &RecordBatchOptions::new().with_row_count(Some(rows)))
}

/// Joins dictionaries with keys of this type. `with_all` keeps all of their values, not only those that rows have.
fn join_dictionaries(key: &DataType, arrays: &[&dyn Array], with_all: bool) -> Result<ArrayRef, ArrowError> {
    macro_rules! join_keys {
        ($key:ty) => {{
            let Some((keys, places)) = join_keys::<$key>(arrays, with_all)? else { return concat(arrays) };
            let values: Vec<&dyn Array> = arrays.iter().map(|array| &**array.as_any_dictionary().values()).collect();
            Ok(Arc::new(DictionaryArray::try_new(keys, interleave(&values, &places)?)?))
        }};
    }
    downcast_integer! {
        key => (join_keys),
        _ => concat(arrays),
    }
}

/// The bytes of each value, which no other value of the same type has. `None` if the type has parts, such as lists.
fn bytes_of_values(values: &dyn Array) -> Option<Vec<&[u8]>> {
    downcast_primitive_array! {
        values => Some(values.values().inner().chunks_exact(values.data_type().primitive_width()?).collect()),
        DataType::Utf8 => Some(bytes_of(values.as_string::<i32>())),
        DataType::LargeUtf8 => Some(bytes_of(values.as_string::<i64>())),
        DataType::Utf8View => Some(bytes_of(values.as_string_view())),
        DataType::Binary => Some(bytes_of(values.as_binary::<i32>())),
        DataType::LargeBinary => Some(bytes_of(values.as_binary::<i64>())),
        DataType::BinaryView => Some(bytes_of(values.as_binary_view())),
        DataType::FixedSizeBinary(_) => Some(bytes_of(values.as_fixed_size_binary())),
        _ => None,
    }
}

/// The bytes of each value of an array of texts or bytes.
fn bytes_of<'a, T: AsRef<[u8]> + ?Sized + 'a>(values: impl ArrayAccessor<Item = &'a T>) -> Vec<&'a [u8]> {
    (0..values.len()).map(|place| values.value(place).as_ref()).collect()
}

/// Keys, and the place of the value of each one: an array, and a value of it.
type JoinedKeys<K> = (PrimitiveArray<K>, Vec<(usize, usize)>);

/// Joins the keys of dictionaries. `None` if their values have parts.
fn join_keys<K: ArrowDictionaryKeyType>(
    arrays: &[&dyn Array],
    with_all: bool,
) -> Result<Option<JoinedKeys<K>>, ArrowError> {
    let rows = arrays.iter().map(|array| array.len()).sum();
    let (mut joined, mut places) = (PrimitiveBuilder::<K>::with_capacity(rows), Vec::new());
    let mut known = HashMap::new();
    // The values of the array before, their bytes, and the joined key of each one that has been looked up. Blocks of a row group
    // share their values.
    let mut before: Option<(&ArrayRef, Vec<&[u8]>, Vec<_>)> = None;
    for (number, array) in arrays.iter().enumerate() {
        let (keys, values) = (array.as_dictionary::<K>().keys(), array.as_dictionary::<K>().values());
        let is_new = before.as_ref().is_none_or(|(before, ..)| !Arc::ptr_eq(before, values));
        if is_new {
            let Some(bytes) = bytes_of_values(values) else { return Ok(None) };
            before = Some((values, bytes, vec![None; values.len()]));
        }
        let (_, bytes, found) = before.as_mut().expect("it has been set");
        let mut joined_key = |place: usize| match found[place] {
            Some(key) => Ok::<_, ArrowError>(key),
            None => {
                let next = places.len();
                let key = *known.entry(bytes[place]).or_insert(next);
                if key == next {
                    places.push((number, place));
                }
                let key = K::Native::from_usize(key).ok_or(ArrowError::DictionaryKeyOverflowError)?;
                Ok(*found[place].insert(key))
            }
        };
        if with_all && is_new {
            (0..values.len())
                .filter(|&place| values.is_valid(place))
                .try_for_each(|place| joined_key(place).map(drop))?;
        }
        for key in keys {
            let place = key.map(ArrowNativeType::as_usize).filter(|&place| values.is_valid(place));
            joined.append_option(place.map(&mut joined_key).transpose()?);
        }
    }
    Ok(Some((joined.finish(), places)))
}

#[test]
fn joined_dictionaries_have_each_text_of_a_row_once() {
    use arrow_array::types::Int32Type;

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
    use arrow_array::types::Int32Type;

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

/// Keys of each type, and values of several types: as often as dictionaries come, each value is there once.
#[test]
fn dictionaries_of_any_keys_and_values_have_each_value_once() {
    use arrow_array::types::{Int8Type, Int64Type, UInt16Type};
    use arrow_array::{BinaryArray, Float64Array, Int64Array, LargeStringArray, StringViewArray};

    fn check<K: ArrowDictionaryKeyType>(values: [ArrayRef; 2], expected: &dyn Array) {
        let keys = |keys: &[Option<usize>]| -> PrimitiveArray<K> {
            keys.iter().map(|key| key.map(|key| K::Native::from_usize(key).unwrap())).collect()
        };
        let [first, second] = values;
        let kind = DataType::Dictionary(Box::new(K::DATA_TYPE), Box::new(first.data_type().clone()));
        let schema: SchemaRef = Arc::new(arrow_schema::Schema::new(vec![Field::new("t", kind, true)]));
        let batch = |keys, values| {
            let array: ArrayRef = Arc::new(DictionaryArray::try_new(keys, values).unwrap());
            RecordBatch::try_new(schema.clone(), vec![array]).unwrap()
        };
        let pair = [batch(keys(&[Some(1), Some(0), None]), first), batch(keys(&[Some(0), Some(1), Some(2)]), second)];
        // More values than the smallest keys have numbers, if they are appended to each other.
        let batches: Vec<RecordBatch> = pair.iter().cycle().take(200).cloned().collect();
        for (inputs, keys_of_pair) in [(vec!["t".to_owned()], [1, 0, -1, 1, -1, 2]), (vec![], [0, 1, -1, 0, -1, 2])] {
            let joined = join(&schema, &batches, &inputs).unwrap();
            let column = joined.column(0).as_dictionary::<K>();
            let key = |key: i32| usize::try_from(key).ok();
            assert_eq!(*column.keys(), keys(&keys_of_pair.map(key).repeat(100)));
            if !inputs.is_empty() {
                assert_eq!(&**column.values(), expected);
            }
        }
    }
    let (first, second, all) = (["b", "a"], [Some("a"), None, Some("c")], ["b", "a", "c"]);
    check::<Int8Type>(
        [Arc::new(StringArray::from(first.to_vec())), Arc::new(StringArray::from(second.to_vec()))],
        &StringArray::from(all.to_vec()),
    );
    check::<UInt16Type>(
        [Arc::new(LargeStringArray::from(first.to_vec())), Arc::new(LargeStringArray::from(second.to_vec()))],
        &LargeStringArray::from(all.to_vec()),
    );
    check::<Int64Type>(
        [Arc::new(StringViewArray::from(first.to_vec())), Arc::new(StringViewArray::from(second.to_vec()))],
        &StringViewArray::from(all.to_vec()),
    );
    let bytes = second.map(|text| text.map(str::as_bytes));
    check::<Int8Type>(
        [Arc::new(BinaryArray::from(first.map(str::as_bytes).to_vec())), Arc::new(BinaryArray::from(bytes.to_vec()))],
        &BinaryArray::from(all.map(str::as_bytes).to_vec()),
    );
    check::<Int8Type>(
        [Arc::new(Int64Array::from(vec![7, -1])), Arc::new(Int64Array::from(vec![Some(-1), None, Some(5)]))],
        &Int64Array::from(vec![7, -1, 5]),
    );
    check::<UInt16Type>(
        [Arc::new(Float64Array::from(vec![0.5, 1.0])), Arc::new(Float64Array::from(vec![Some(1.0), None, Some(2.0)]))],
        &Float64Array::from(vec![0.5, 1.0, 2.0]),
    );
}

#[test]
fn more_values_than_keys_are_an_error() {
    let batch = |numbers: std::ops::Range<i64>| {
        let keys = (0..numbers.end - numbers.start).map(|key| key as i8).collect::<arrow_array::Int8Array>();
        let values: ArrayRef = Arc::new(arrow_array::Int64Array::from_iter_values(numbers));
        RecordBatch::try_from_iter([("t", Arc::new(DictionaryArray::new(keys, values)) as ArrayRef)]).unwrap()
    };
    let joined = |batches: &[RecordBatch]| join(&batches[0].schema(), batches, &["t".to_owned()]);
    let fits = joined(&[batch(0..100), batch(28..128)]).unwrap();
    assert_eq!(fits.num_rows(), 200);
    let error = joined(&[batch(0..100), batch(29..129)]).unwrap_err();
    assert!(matches!(error, ArrowError::DictionaryKeyOverflowError), "{error}");
}
