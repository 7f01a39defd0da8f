//! Bitboards as arrays of zeros and ones, one for each square.

use arrow_array::Array as _;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
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

use crate::arrays::{self, plain, read, tuple, write};
use crate::capsule::{self, one};
use crate::errors::nulls_error;
use crate::numbers::{integer, type_error, value_error};
use crate::values::type_text;
use crate::work::in_parts;

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

/// The squares of boards as zeros and ones, in `out` or in a new array of this shape: for each row, one board of each column.
pub fn unpacked<'py>(
    py: Python<'py>,
    columns: &[&[u64]],
    shape: &[usize],
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let dtype = match (dtype, out) {
        (Some(dtype), _) => numpy.call_method1(intern!(py, "dtype"), (dtype,))?.cast_into::<PyArrayDescr>()?,
        (None, Some(out)) => out.dtype(),
        (None, None) => numpy::dtype::<u8>(py),
    };
    // A zero and a one, whose bytes are written. So all types of numbers are alike.
    let is_compound = dtype.has_object() || dtype.has_fields() || dtype.has_subarray();
    if is_compound || !matches!(dtype.kind(), b'b' | b'i' | b'u' | b'f' | b'c' | b'V') {
        return Err(type_error(format!("dtype must be numeric, not {dtype}")));
    }
    let numbers = numpy.call_method1(intern!(py, "array"), ((0, 1), &dtype));
    let numbers = numbers.map_err(|_| type_error(format!("dtype must be numeric, not {dtype}")))?;
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
    match dtype.itemsize() {
        1 => write_bits::<u8>(columns, &numbers, &array)?,
        2 => write_bits::<u16>(columns, &numbers, &array)?,
        4 => write_bits::<u32>(columns, &numbers, &array)?,
        8 => write_bits::<u64>(columns, &numbers, &array)?,
        _ => return Err(type_error(format!("dtype must have at most 8 bytes, not {dtype}"))),
    }
    Ok(array)
}

/// Writes the first of two numbers for each square that is not in a board, and the second for each that is. The numbers and
/// those of the array have as many bytes as `T`.
fn write_bits<'py, T: Element + Pod>(
    columns: &[&[u64]],
    numbers: &Bound<'py, PyAny>,
    array: &Bound<'py, PyAny>,
) -> PyResult<()> {
    let (py, rows) = (array.py(), columns.first().map_or(0, |boards| boards.len()));
    if rows == 0 {
        return Ok(()); // NumPy calls no empty array plain
    }
    let as_bits = |array: &Bound<'py, PyAny>| array.call_method1(intern!(py, "view"), (numpy::dtype::<T>(py),));
    let numbers = as_bits(numbers)?.cast_into::<PyArray1<T>>()?.to_vec()?;
    let array = as_bits(array)?;
    let Some(array) = plain::<T>(&array) else {
        return Err(value_error("out must be C-contiguous and not masked"));
    };
    let mut squares = write(array)?;
    let (squares, _) = squares.as_slice_mut()?.as_chunks_mut::<64>();
    in_parts(py, rows, (PART / columns.len()).max(1), |part| {
        let boards: Vec<&[u64]> = columns.iter().map(|boards| &boards[part.clone()]).collect();
        let squares = &mut squares[part.start * columns.len()..part.end * columns.len()];
        Backend::active().unpack_boards(&boards, [numbers[0], numbers[1]], squares)
    })?
    .map_err(value_error)
}

/// The squares of columns of boards, one after the other for each row.
pub fn planes<'py>(
    py: Python<'py>,
    columns: &[ArrayRef],
    rows: usize,
    dtype: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let boards = columns.iter().map(without_nulls).collect::<PyResult<Vec<_>>>()?;
    let boards: Vec<&[u64]> = boards.iter().map(|boards| &boards[..]).collect();
    unpacked(py, &boards, &[rows, columns.len(), 8, 8], dtype, out)
}

/// The squares of a column of boards, or of lists of as many boards each.
pub fn column<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    squares: &[usize],
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if array.null_count() > 0 {
        return Err(nulls_error(array));
    }
    let lists = array.as_fixed_size_list_opt();
    let boards = without_nulls(lists.map_or(array, |lists| lists.values()))?;
    let each = lists.map(|lists| lists.value_length() as usize);
    let shape: Vec<usize> = [array.len()].into_iter().chain(each).chain(squares.iter().copied()).collect();
    unpacked(py, &[&boards], &shape, dtype, None)
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
/// dtype : any NumPy type of numbers with at most 8 bytes, also bool
///
/// Returns a new NumPy array, whose shape is that of the boards followed by that of the squares. Nothing else is allocated,
/// except a copy of boards in a list.
///
/// Raises ValueError if a board is null or does not have 64 bits, and TypeError if an argument has the wrong type.
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
#[pyo3(signature = (boards, shape=None, dtype=None), text_signature = "(boards, shape=64, dtype='uint8')")]
pub fn bits<'py>(
    boards: &Bound<'py, PyAny>,
    shape: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = boards.py();
    let squares = shape.map_or_else(|| Ok(vec![64]), shape_of_squares)?;
    if boards.cast::<PyUntypedArray>().is_err()
        && let Some(arrays) = capsule::import(boards)?
    {
        return column(py, &one(&arrays)?, &squares, dtype);
    }
    let boards = arrays::boards(boards, "boards")?;
    let shape = [boards.shape(), &squares].concat();
    unpacked(py, &[&read(&boards)?], &shape, dtype, None)
}
