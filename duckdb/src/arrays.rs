//! Arrow arrays, copied into vectors.

use std::ops::Range;

use anyhow::{Result, bail};
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, OffsetSizeTrait};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use arrow_select::take::take;
use bytemuck::Pod;

use crate::vectors::{Elements, OutputVector};

/// Writes an array of the [type](crate::types::Type::of) of the output, from this row on.
///
/// # Errors
///
/// There is no memory.
pub fn write(array: &dyn Array, output: &mut OutputVector<'_>, from: usize) -> Result<()> {
    let rows = from..from + array.len();
    match array.data_type() {
        DataType::Decimal128(..) => write_decimals(array.as_primitive::<Decimal128Type>().values(), output, from),
        DataType::Boolean => {
            let numbers: &mut [u8] = &mut output.numbers()[rows];
            numbers.iter_mut().zip(array.as_boolean().values()).for_each(|(out, is_true)| *out = is_true.into());
        }
        DataType::Utf8 => write_texts(array.as_string::<i32>().iter(), output, from),
        DataType::LargeUtf8 => write_texts(array.as_string::<i64>().iter(), output, from),
        DataType::Utf8View => write_texts(array.as_string_view().iter(), output, from),
        DataType::Binary => write_blobs(array.as_binary::<i32>().iter(), output, from),
        DataType::LargeBinary => write_blobs(array.as_binary::<i64>().iter(), output, from),
        DataType::BinaryView => write_blobs(array.as_binary_view().iter(), output, from),
        DataType::FixedSizeBinary(_) => write_blobs(array.as_fixed_size_binary().iter(), output, from),
        DataType::List(_) => {
            write_lists(array.as_list::<i32>().offsets(), array.as_list::<i32>().values(), output, from)?
        }
        DataType::LargeList(_) => {
            write_lists(array.as_list::<i64>().offsets(), array.as_list::<i64>().values(), output, from)?;
        }
        DataType::FixedSizeList(_, length) => {
            let lengths = vec![*length as usize; array.len()];
            let (offsets, values) = (OffsetBuffer::<i64>::from_lengths(lengths), array.as_fixed_size_list().values());
            write_lists(&offsets, values, output, from)?;
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let (entries, offsets) = (map.entries(), map.offsets());
            let (start, length) = (offsets[0] as usize, (offsets[array.len()] - offsets[0]) as usize);
            let (maps, [mut keys, mut values]) = output.maps(length)?;
            write_elements(offsets, &mut maps[rows]);
            write(&entries.column(0).slice(start, length), &mut keys, 0)?;
            write(&entries.column(1).slice(start, length), &mut values, 0)?;
        }
        DataType::Struct(_) => {
            for (place, column) in array.as_struct().columns().iter().enumerate() {
                write(column, &mut output.field(place), from)?;
            }
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            return write(&take(dictionary.values(), dictionary.keys(), None)?, output, from);
        }
        kind => match kind.primitive_width() {
            Some(width) if width == output.kind().width() => {
                let data = array.to_data();
                let values = &data.buffers()[0][width * data.offset()..][..width * array.len()];
                write_bits(values, output, rows);
            }
            _ => bail!("DuckDB has no type for {kind} here"),
        },
    }
    if let Some(nulls) = array.nulls() {
        output.set_nulls((0..array.len()).filter(|&row| nulls.is_null(row)).map(|row| from + row));
    }
    Ok(())
}

/// Takes a row of texts, and its text.
pub type TakeText<'a> = &'a mut dyn FnMut(usize, Option<&str>) -> Result<()>;

/// Calls `take` with each row of an array of texts, and its text.
///
/// # Errors
///
/// Those of `take`, and the array has no texts.
pub fn each_text(array: &dyn Array, each: TakeText<'_>) -> Result<()> {
    let mut rows = 0..;
    let mut next = |text: Option<&str>| each(rows.next().unwrap_or_default(), text);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().try_for_each(next),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(next),
        DataType::Utf8View => array.as_string_view().iter().try_for_each(next),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let texts = take(dictionary.values(), dictionary.keys(), None)?;
            each_text(&texts, &mut |_, text| next(text))
        }
        kind => bail!("no texts: {kind}"),
    }
}

/// Numbers of the same width.
fn write_bits(bits: &[u8], output: &mut OutputVector<'_>, rows: Range<usize>) {
    fn write<T: Pod>(bits: &[u8], output: &mut OutputVector<'_>, rows: Range<usize>) {
        bytemuck::cast_slice_mut(&mut output.numbers::<T>()[rows]).copy_from_slice(bits);
    }
    match output.kind().width() {
        1 => write::<u8>(bits, output, rows),
        2 => write::<u16>(bits, output, rows),
        4 => write::<u32>(bits, output, rows),
        _ => write::<u64>(bits, output, rows),
    }
}

/// DuckDB has decimals of few digits in fewer bytes.
fn write_decimals(values: &[i128], output: &mut OutputVector<'_>, from: usize) {
    fn narrow<T: Pod + TryFrom<i128> + Default>(values: &[i128], output: &mut OutputVector<'_>, from: usize) {
        // What does not fit lies under a null.
        let out: &mut [T] = &mut output.numbers()[from..from + values.len()];
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = value.try_into().unwrap_or_default());
    }
    match output.kind().width() {
        2 => narrow::<i16>(values, output, from),
        4 => narrow::<i32>(values, output, from),
        8 => narrow::<i64>(values, output, from),
        _ => narrow::<i128>(values, output, from),
    }
}

fn write_texts<'a>(texts: impl Iterator<Item = Option<&'a str>>, output: &mut OutputVector<'_>, from: usize) {
    for (row, text) in (from..).zip(texts) {
        if let Some(text) = text {
            output.set_text(row, text);
        }
    }
}

fn write_blobs<'a>(blobs: impl Iterator<Item = Option<&'a [u8]>>, output: &mut OutputVector<'_>, from: usize) {
    for (row, blob) in (from..).zip(blobs) {
        if let Some(blob) = blob {
            output.set_blob(row, blob);
        }
    }
}

fn write_lists<T: OffsetSizeTrait>(
    offsets: &OffsetBuffer<T>,
    values: &dyn Array,
    output: &mut OutputVector<'_>,
    from: usize,
) -> Result<()> {
    let rows = offsets.len() - 1;
    let (start, end) = (offsets[0].as_usize(), offsets[rows].as_usize());
    let (lists, mut items) = output.lists(end - start)?;
    write_elements(offsets, &mut lists[from..from + rows]);
    write(&values.slice(start, end - start), &mut items, 0)
}

/// Where the elements of each row are, if the first of all is at 0.
fn write_elements<T: OffsetSizeTrait>(offsets: &OffsetBuffer<T>, rows: &mut [Elements]) {
    let first = offsets[0].as_usize();
    for (row, ends) in rows.iter_mut().zip(offsets.windows(2)) {
        let [start, end] = [ends[0], ends[1]].map(|end| end.as_usize() - first);
        *row = Elements { start: start as u64, length: (end - start) as u64 };
    }
}
