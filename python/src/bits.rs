//! Bitboards as arrays of zeros and ones, one for each square.

use arrow_array::Array as _;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt8Type, UInt64Type};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use bytemuck::Pod;
use numpy::{
    Element, PyArray1, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use slider_attacks::Backend;
use slider_attacks_rows::loader::SquareValues;
use slider_attacks_rows::planes::{PlaneValues, SQUARE_NUMBERS, write_planes};

use crate::arrays::{self, Addresses, overlap, plain, plain_rows, read, tuple, write};
use crate::capsule::{self, one};
use crate::errors::nulls_error;
use crate::numbers::{integer, type_error, type_name, value_error};
use crate::values::type_text;
use crate::work::{in_parts, room};

/// The boards between two looks for signals: 10 ms of work for floats of 4 bytes, and as much for page faults.
const PART: usize = 1 << 17;

/// The bitboards of an Arrow column; `None` if it has others than integers of 64 bits.
pub fn boards(array: &ArrayRef) -> Option<ScalarBuffer<u64>> {
    match array.data_type() {
        DataType::UInt64 => Some(array.as_primitive::<UInt64Type>().values().clone()),
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().values().inner().clone().into()),
        _ => None,
    }
}

/// The same without nulls, or an error.
fn without_nulls(array: &ArrayRef) -> PyResult<ScalarBuffer<u64>> {
    let Some(boards) = boards(array) else {
        return Err(type_error(format!("bitboards must be uint64 or int64, not {}", type_text(array.data_type()))));
    };
    match array.null_count() {
        0 => Ok(boards),
        nulls => Err(value_error(format!("{nulls} of {} values are null, which have no squares", array.len()))),
    }
}

/// The shape of the squares of a board: `True` or 64, or (8, 8).
pub fn shape_of_squares(shape: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let is_true = shape.cast::<PyBool>().is_ok_and(|shape| shape.is_true());
    let shape_given = if is_true {
        vec![64]
    } else if let Some(number) = integer(shape) {
        number.extract().map_or_else(|_| Vec::new(), |number| vec![number])
    } else {
        shape.extract::<Vec<usize>>().unwrap_or_default()
    };
    if shape_given != [64] && shape_given != [8, 8] {
        return Err(value_error(format!("squares of a board must have shape (64,) or (8, 8), not {}", shape.repr()?)));
    }
    Ok(shape_given)
}

/// A copy of the values, if they have bytes in common with this memory.
fn copied_from(values: &PlaneValues<'_>, memory: Option<&Addresses>) -> PyResult<Option<Vec<u64>>> {
    let bytes: &[u8] = match values {
        PlaneValues::Board(boards) => bytemuck::cast_slice(boards),
        PlaneValues::Squares(squares) => squares.as_flattened(),
    };
    let start = bytes.as_ptr().addr();
    if !memory.is_some_and(|memory| overlap(&(start..start + bytes.len()), memory)) {
        return Ok(None);
    }
    let (words, _) = bytes.as_chunks::<8>();
    let mut copy = room(words.len())?;
    copy.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
    Ok(Some(copy))
}

/// Values of the same kind, of a copy.
fn of_copy<'a>(values: PlaneValues<'_>, copy: &'a [u64]) -> PlaneValues<'a> {
    match values {
        PlaneValues::Board(_) => PlaneValues::Board(copy),
        PlaneValues::Squares(_) => PlaneValues::Squares(bytemuck::cast_slice::<u64, u8>(copy).as_chunks().0),
    }
}

/// A type of numbers that a square may have, and all numbers of a square as values of it.
fn square_numbers<'py>(
    py: Python<'py>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArrayDescr>, Bound<'py, PyAny>)> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let dtype = numpy.call_method1(intern!(py, "dtype"), (dtype,))?.cast_into::<PyArrayDescr>()?;
    // Their bytes are written. So all types of numbers are alike.
    let is_compound = dtype.has_object() || dtype.has_fields() || dtype.has_subarray();
    if is_compound || !matches!(dtype.kind(), b'b' | b'i' | b'u' | b'f' | b'c' | b'V') {
        return Err(type_error(format!("dtype must be numeric, not {dtype}")));
    }
    let numbers = numpy.call_method1(intern!(py, "arange"), (SQUARE_NUMBERS,));
    let numbers = numbers.and_then(|numbers| numbers.call_method1(intern!(py, "astype"), (&dtype,)));
    let numbers = numbers.map_err(|_| type_error(format!("dtype must be numeric, not {dtype}")))?;
    Ok((dtype, numbers))
}

/// The same with the values as a loader takes them.
pub fn square_values<'py>(
    py: Python<'py>,
    dtype: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArrayDescr>, SquareValues)> {
    fn of<T: Element + Pod>(numbers: &Bound<'_, PyAny>) -> PyResult<Box<[T; SQUARE_NUMBERS]>> {
        let numbers = as_bits::<T>(numbers)?.cast_into::<PyArray1<T>>()?.to_vec()?;
        Ok(Box::new(*numbers.first_chunk().expect("there are as many")))
    }
    let (dtype, numbers) = square_numbers(py, dtype)?;
    let values = match dtype.itemsize() {
        1 => SquareValues::One(of(&numbers)?),
        2 => SquareValues::Two(of(&numbers)?),
        4 => SquareValues::Four(of(&numbers)?),
        8 => SquareValues::Eight(of(&numbers)?),
        _ => return Err(wrong_size(&dtype)),
    };
    Ok((dtype, values))
}

/// An array of values of some type, as integers of the same size.
fn as_bits<'py, T: Element>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1(intern!(array.py(), "view"), (numpy::dtype::<T>(array.py()),))
}

fn wrong_size(dtype: &Bound<'_, PyArrayDescr>) -> PyErr {
    type_error(format!("dtype must have at most 8 bytes, not {dtype}"))
}

/// The squares of boards, or their numbers, in `out` or in a new array of this shape: for each row, one plane of each column.
pub fn unpacked<'py>(
    py: Python<'py>,
    columns: &[PlaneValues<'_>],
    shape: &[usize],
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let dtype = match (dtype, out) {
        (Some(dtype), _) => dtype.clone(),
        (None, Some(out)) => out.dtype().into_any(),
        (None, None) => numpy::dtype::<u8>(py).into_any(),
    };
    let (dtype, numbers) = square_numbers(py, &dtype)?;
    let array = match out {
        None => numpy.call_method1(intern!(py, "empty"), (PyTuple::new(py, shape)?, &dtype))?,
        Some(out) if !out.dtype().is_equiv_to(&dtype) => {
            return Err(type_error(format!("out has dtype {}, not {dtype}", out.dtype())));
        }
        Some(out) if out.shape() != shape => {
            return Err(value_error(format!("out has shape {}, not {}", tuple(out.shape()), tuple(shape))));
        }
        Some(out) => out.as_any().clone(),
    };
    // What is written must not change what is still to be read.
    let memory = out.map(arrays::extent);
    let copies = columns.iter().map(|column| copied_from(column, memory.as_ref())).collect::<PyResult<Vec<_>>>()?;
    let columns = columns.iter().zip(&copies);
    let columns: &Vec<PlaneValues<'_>> =
        &columns.map(|(column, copy)| copy.as_ref().map_or(*column, |copy| of_copy(*column, copy))).collect();
    match dtype.itemsize() {
        1 => write_bits::<u8>(columns, &numbers, &array)?,
        2 => write_bits::<u16>(columns, &numbers, &array)?,
        4 => write_bits::<u32>(columns, &numbers, &array)?,
        8 => write_bits::<u64>(columns, &numbers, &array)?,
        _ => return Err(wrong_size(&dtype)),
    }
    Ok(array)
}

/// Writes the numbers of each plane: of a board, the first of `numbers` for each square that is not in it, and the second for each
/// that is. The numbers and those of the array have as many bytes as `T`.
fn write_bits<'py, T: Element + Pod + Send + Sync>(
    columns: &[PlaneValues<'_>],
    numbers: &Bound<'py, PyAny>,
    array: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let (py, rows) = (array.py(), columns.first().map_or(0, PlaneValues::rows));
    if rows == 0 {
        return Ok(()); // NumPy calls no empty array plain
    }
    let numbers = as_bits::<T>(numbers)?.cast_into::<PyArray1<T>>()?.to_vec()?;
    let (array, backend) = (as_bits::<T>(array)?, Backend::active());
    let part = (PART / columns.len()).max(1);
    if let Some(array) = plain::<T>(&array) {
        let mut squares = write(array)?;
        let (squares, _) = squares.as_slice_mut()?.as_chunks_mut::<64>();
        return in_parts(py, rows, part, |part| {
            let squares = &mut squares[part.start * columns.len()..part.end * columns.len()];
            write_planes(backend, columns, part, &numbers, squares);
            Ok::<_, PyErr>(())
        })?;
    }
    // A row of the array has the planes of one position, or of several.
    let planes = 64 * columns.len();
    let Some(array) = plain_rows::<T>(&array).filter(|array| (array.len() / array.shape()[0]).is_multiple_of(planes))
    else {
        return Err(value_error(
            "out must be C-contiguous, or a slice of the channels of such an array, and not masked",
        ));
    };
    let mut squares = write(array)?;
    let (mut out, mut room) = (squares.view_mut(), Vec::new());
    let rows_of_array = out.outer_iter_mut().map(|row| row.into_slice().expect("rows are plain"));
    let mut out = rows_of_array.flat_map(|row| row.chunks_exact_mut(planes));
    in_parts(py, rows, part, |part| {
        let mut start = part.start;
        while start < part.end {
            let block = start..part.end.min(start + BLOCK);
            room.resize(block.len() * columns.len(), [numbers[0]; 64]);
            write_planes(backend, columns, block.clone(), &numbers, &mut room);
            for (row, out) in room.chunks_exact(columns.len()).zip(&mut out) {
                out.copy_from_slice(row.as_flattened());
            }
            start = block.end;
        }
        Ok::<_, PyErr>(())
    })?
}

/// The rows that are unpacked before they are copied to where they belong: some of the first cache.
const BLOCK: usize = 8;

/// The squares of columns of boards, or their numbers, one after the other for each row.
pub fn planes<'py>(
    py: Python<'py>,
    columns: &[ArrayRef],
    rows: usize,
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let squares = columns.iter().map(numbers_of_squares).collect::<PyResult<Vec<_>>>()?;
    let boards = columns.iter().zip(&squares).map(|(column, squares)| match squares {
        Some(_) => Ok(None),
        None => without_nulls(column).map(Some),
    });
    let boards = boards.collect::<PyResult<Vec<_>>>()?;
    let values = boards.iter().zip(&squares).filter_map(|(boards, squares)| {
        let squares = squares.as_ref().map(|squares| PlaneValues::Squares(squares.as_chunks().0));
        squares.or(boards.as_ref().map(|boards| PlaneValues::Board(boards)))
    });
    unpacked(py, &values.collect::<Vec<_>>(), &[rows, columns.len(), 8, 8], dtype, out)
}

/// The numbers of the squares of a column, if it has 64 of them for each row.
fn numbers_of_squares(array: &ArrayRef) -> PyResult<Option<ScalarBuffer<u8>>> {
    let Some(lists) = array.as_fixed_size_list_opt().filter(|lists| lists.value_length() == 64) else {
        return Ok(None);
    };
    let Some(numbers) = lists.values().as_primitive_opt::<UInt8Type>() else { return Ok(None) };
    if array.null_count() > 0 {
        return Err(value_error(format!(
            "{} of {} rows are null, which have no squares",
            array.null_count(),
            array.len()
        )));
    }
    Ok(Some(numbers.values().slice(lists.value_offset(0) as usize, 64 * array.len())))
}

/// The squares of a column of boards, or of lists of as many boards each.
pub fn column<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    squares: &[usize],
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    if array.null_count() > 0 {
        return Err(nulls_error(array));
    }
    let lists = array.as_fixed_size_list_opt();
    let boards = without_nulls(lists.map_or(array, |lists| lists.values()))?;
    let each = lists.map(|lists| lists.value_length() as usize);
    let shape: Vec<usize> = [array.len()].into_iter().chain(each).chain(squares.iter().copied()).collect();
    unpacked(py, &[PlaneValues::Board(&boards)], &shape, dtype, out)
}

/// Unpacks bitboards into an array of zeros and ones, one for each square, as input of neural networks.
///
/// Parameters
/// ----------
/// boards : uint64, or int64 for its bits
///     A NumPy array of any shape, an Arrow column, a number or a sequence, as for `batch_attacks`.
/// shape : 64 or (8, 8)
///     With 64, square i is at index i: a1, b1, … h8. With (8, 8), the first index is the rank and the second the file: [0, 0]
///     is a1, and [0, 7] is h1.
/// dtype : any NumPy type of numbers with at most 8 bytes, also bool: by default uint8, or that of `out`
/// out : a NumPy array to write to, whose shape is that of the boards followed by that of the squares
///     It may be a slice of the channels of a larger array, such as planes[:, 3].
///
/// Returns `out`, or a new NumPy array. Nothing else is allocated, except a copy of boards in a list or in the memory of `out`.
///
/// Raises ValueError if a board is null or does not have 64 bits, or if `out` has another shape or is read-only, and TypeError if
/// an argument has the wrong type.
///
/// >>> import numpy as np
/// >>> import slider_attacks
/// >>> slider_attacks.bits([0x01, 0x8000]).shape
/// (2, 64)
/// >>> slider_attacks.bits(np.uint64(0x8000), shape=(8, 8), dtype="float32")[1]
/// array([0., 0., 0., 0., 0., 0., 0., 1.], dtype=float32)
///
/// `Batch.planes` does the same for several columns of a result.
#[pyfunction]
#[pyo3(signature = (boards, shape=None, dtype=None, *, out=None),
    text_signature = "(boards, shape=64, dtype='uint8', *, out=None)")]
pub fn bits<'py>(
    boards: &Bound<'py, PyAny>,
    shape: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = boards.py();
    let squares = match (shape, out) {
        (Some(shape), _) => shape_of_squares(shape)?,
        // Its last two numbers, if it has two dimensions of squares.
        (None, Some(out)) => match out.cast::<PyUntypedArray>().ok().map(|out| out.shape()) {
            Some([.., 8, 8]) => vec![8, 8],
            _ => vec![64],
        },
        (None, None) => vec![64],
    };
    let out = out.map(array_to_write).transpose()?;
    if boards.cast::<PyUntypedArray>().is_err()
        && let Some(arrays) = capsule::import(boards)?
    {
        return column(py, &one(&arrays)?, &squares, dtype, out);
    }
    let boards = arrays::boards(boards, "boards")?;
    let shape = [boards.shape(), &squares].concat();
    let held = read(&boards)?;
    unpacked(py, &[PlaneValues::Board(&held)], &shape, dtype, out)
}

/// The array that `out` is.
pub fn array_to_write<'a, 'py>(out: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    out.cast::<PyUntypedArray>().map_err(|_| type_error(format!("out must be a NumPy array, not {}", type_name(out))))
}
