//! The sizes of the rows of an array in bytes.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, ArrayRef, GenericByteViewArray, OffsetSizeTrait};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;

use slider_attacks_formats::content::escapes;

/// How many bytes the values of each row take, and `each` for every row and every value of a list.
pub fn sizes(array: &dyn Array, each: usize) -> Vec<usize> {
    fn sums<T: OffsetSizeTrait>(offsets: &OffsetBuffer<T>, values: &dyn Array, each: usize) -> Vec<usize> {
        // Blocks are slices of larger arrays; only their part counts.
        let (start, end) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
        let mut sizes = sizes(&values.slice(start, end - start), each).into_iter();
        offsets.lengths().map(|length| sizes.by_ref().take(length).sum()).collect()
    }
    /// The length of a text is the lower half of its view. Under a null, the reader of Parquet may leave another view.
    fn view_sizes<T: ByteViewType>(array: &GenericByteViewArray<T>) -> Vec<usize> {
        let size = |(row, &view): (usize, &u128)| if array.is_null(row) { 0 } else { view as u32 as usize };
        array.views().iter().enumerate().map(size).collect()
    }
    let mut sizes = match array.data_type() {
        DataType::Utf8View => view_sizes(array.as_string_view()),
        DataType::BinaryView => view_sizes(array.as_binary_view()),
        DataType::List(_) => sums(array.as_list::<i32>().offsets(), array.as_list::<i32>().values(), each),
        DataType::LargeList(_) => sums(array.as_list::<i64>().offsets(), array.as_list::<i64>().values(), each),
        DataType::Map(..) => sums(array.as_map().offsets(), array.as_map().entries(), each),
        DataType::FixedSizeList(_, length) => {
            let (sizes, length) = (sizes(array.as_fixed_size_list().values(), each), *length as usize);
            (0..array.len()).map(|row| sizes[row * length..][..length].iter().sum()).collect()
        }
        DataType::Struct(_) => {
            let mut sum = vec![0; array.len()];
            for column in array.as_struct().columns() {
                sum.iter_mut().zip(sizes(column, each)).for_each(|(sum, size)| *sum += size);
            }
            sum
        }
        // All rows are null, if there are any.
        DataType::Dictionary(..) if array.as_any_dictionary().values().is_empty() => vec![0; array.len()],
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let (keys, sizes) = (array.normalized_keys(), sizes(array.values(), each));
            keys.into_iter().map(|key| sizes.get(key).copied().unwrap_or(0)).collect()
        }
        DataType::Utf8 => array.as_string::<i32>().offsets().lengths().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().lengths().collect(),
        DataType::Binary => array.as_binary::<i32>().offsets().lengths().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().offsets().lengths().collect(),
        DataType::FixedSizeBinary(width) => vec![*width as usize; array.len()],
        kind => vec![kind.primitive_width().unwrap_or(1); array.len()],
    };
    sizes.iter_mut().for_each(|size| *size += each);
    sizes
}

/// How many bytes all rows take together, and `each` for every row and every value of a list.
pub fn size(array: &dyn Array, each: usize) -> usize {
    match array.data_type().primitive_width() {
        Some(width) => array.len() * (width + each),
        None => sizes(array, each).iter().sum(),
    }
}

/// The most bytes that the values of an array take as text, in CSV or JSON, with separators.
pub fn text_size(array: &dyn Array) -> usize {
    fn list<T: OffsetSizeTrait>(offsets: &OffsetBuffer<T>, values: &dyn Array) -> usize {
        let (start, end) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
        text_size(&values.slice(start, end - start))
    }
    fn part<T: OffsetSizeTrait>(offsets: &OffsetBuffer<T>, bytes: &[u8]) -> usize {
        let text = &bytes[offsets[0].as_usize()..offsets[offsets.len() - 1].as_usize()];
        text.len() + escapes(text)
    }
    // Quotation marks, which CSV doubles around JSON, and a separator; `null` is no longer.
    let each = 5 * array.len();
    each + match array.data_type() {
        DataType::Utf8 => part(array.as_string::<i32>().offsets(), array.as_string::<i32>().value_data()),
        DataType::LargeUtf8 => part(array.as_string::<i64>().offsets(), array.as_string::<i64>().value_data()),
        DataType::Utf8View => {
            array.as_string_view().iter().flatten().map(|text| text.len() + escapes(text.as_bytes())).sum()
        }
        // Two digits for a byte, and dashes.
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            2 * sizes(array, 2).iter().sum::<usize>()
        }
        DataType::List(_) => list(array.as_list::<i32>().offsets(), array.as_list::<i32>().values()),
        DataType::LargeList(_) => list(array.as_list::<i64>().offsets(), array.as_list::<i64>().values()),
        DataType::Map(..) => list(array.as_map().offsets(), array.as_map().entries()),
        DataType::FixedSizeList(..) => text_size(array.as_fixed_size_list().values()),
        DataType::Struct(fields) => {
            let names: usize =
                fields.iter().map(|field| field.name().len() + escapes(field.name().as_bytes()) + 6).sum();
            names * array.len() + array.as_struct().columns().iter().map(|column| text_size(column)).sum::<usize>()
        }
        DataType::Dictionary(..) => {
            let (array, values) = (array.as_any_dictionary(), array.as_any_dictionary().values());
            // Under a null, a key may be any.
            let keys = if values.is_empty() { Vec::new() } else { array.normalized_keys() };
            keys.into_iter().filter(|&key| key < values.len()).map(|key| text_size(&values.slice(key, 1))).sum()
        }
        // Truth values and small numbers; then numbers and times of up to eight bytes, and longer ones.
        kind => {
            array.len()
                * match kind.primitive_width() {
                    None | Some(1) => 5,
                    Some(2) => 12,
                    Some(4..=8) => 36,
                    Some(_) => 80,
                }
        }
    }
}

/// How many bytes each of this many rows takes at most, in arrays and as text.
pub fn row_sizes(arrays: &[ArrayRef], rows: usize) -> Vec<usize> {
    let mut all = vec![0; rows];
    for array in arrays {
        // Each value of a list has an offset.
        for (row, size) in sizes(array, 8).into_iter().enumerate() {
            all[row] += size + text_size(&array.slice(row, 1));
        }
    }
    all
}
