//! Columns: Arrow arrays as results of calls.

use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, Int64Array, ListArray, RecordBatch, UInt64Array, make_array};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyBufferError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyCapsule, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use slider_attacks::moves::Move;

use crate::arrays::{self, PlainArray, read};
use crate::capsule::one;
use crate::errors::{PythonErrors, nulls_error};
use crate::index::Index;
use crate::items::{Items, ListableRows};
use crate::numbers::{integer, type_error, value_error};
use crate::pandas::PandasIndex;
use crate::values::type_text;
use crate::work::{PART, in_parts, memory_for, room};
use crate::{bits, capsule, pickle, values};

/// These numbers as a NumPy array of one dimension that is read-only and keeps their owner alive.
///
/// # Safety
///
/// The numbers must neither move nor change while `owner` lives.
pub unsafe fn view<'py, T: Element>(numbers: &[T], owner: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    // SAFETY: the caller promises that the numbers live as long as their owner, and nobody can write to them.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(numbers), owner.clone()) };
    let how = PyDict::new(py);
    how.set_item(intern!(py, "write"), false)?;
    array.call_method(intern!(py, "setflags"), (), Some(&how))?;
    Ok(array.into_any())
}

/// These bytes as a NumPy array of one dimension that may be written to, and keeps their owner alive.
///
/// # Safety
///
/// The bytes must be there while `owner` lives, and only the array is used to read and write them.
pub unsafe fn view_mut<'py>(bytes: *mut [u8], owner: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    // SAFETY: as the caller promises.
    unsafe {
        let bytes = ArrayView1::from_shape_ptr(bytes.len(), bytes.cast::<u8>());
        PyArray1::borrow_from_array(&bytes, owner.clone()).into_any()
    }
}

/// The values of an Arrow array as a NumPy array, without a copy. `owner` holds the array.
fn to_numpy<'py>(array: &ArrayRef, owner: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    fn primitive<'py, T: ArrowPrimitiveType<Native: Element>>(
        array: &ArrayRef,
        owner: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: Arrow arrays never change, and `owner` is an `Array`, which holds this one.
        unsafe { view(array.as_primitive::<T>().values(), owner) }
    }
    if array.null_count() > 0 {
        return Err(nulls_error(array));
    }
    match array.data_type() {
        DataType::UInt64 => primitive::<UInt64Type>(array, owner),
        DataType::Int64 => primitive::<Int64Type>(array, owner),
        DataType::UInt32 => primitive::<UInt32Type>(array, owner),
        DataType::Int32 => primitive::<Int32Type>(array, owner),
        DataType::UInt16 => primitive::<UInt16Type>(array, owner),
        DataType::Int16 => primitive::<Int16Type>(array, owner),
        DataType::UInt8 => primitive::<UInt8Type>(array, owner),
        DataType::Int8 => primitive::<Int8Type>(array, owner),
        DataType::Float64 => primitive::<Float64Type>(array, owner),
        DataType::Float32 => primitive::<Float32Type>(array, owner),
        &DataType::FixedSizeList(_, length) => {
            let numbers = to_numpy(array.as_fixed_size_list().values(), owner)?;
            numbers.call_method1(intern!(owner.py(), "reshape"), ((array.len(), length),))
        }
        other => {
            let kind = type_text(other);
            Err(type_error(format!("there is no NumPy array for {kind}: pyarrow, Polars and others take it")))
        }
    }
}

/// The values of an Arrow array as a new NumPy array, with this value in place of nulls. Without a type, they become floats if
/// the value is one.
fn with_nulls<'py>(
    array: &ArrayRef,
    na_value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    /// From here on, floats do not hold all integers.
    const EXACT: u64 = 1 << 53;
    let (py, valid) = (na_value.py(), array.logical_nulls());
    let plain = array.to_data().into_builder().nulls(None).build().map_err(value_error)?;
    let plain = Bound::new(py, Array(make_array(plain)))?;
    let values = to_numpy(&plain.get().0, plain.as_any())?;
    let is_float = na_value.is_instance_of::<PyFloat>() && !values.getattr(intern!(py, "dtype"))?.eq("float32")?;
    let float = "float64".into_pyobject(py)?.into_any();
    let kind = dtype.cloned().unwrap_or(if is_float { float } else { values.getattr(intern!(py, "dtype"))? });
    if let (Some(boards), None, true) = (bits::boards(array), dtype, is_float) {
        let is_signed = *array.data_type() == DataType::Int64;
        let size = |board: u64| if is_signed { board.cast_signed().unsigned_abs() } else { board };
        let is_null = |row| valid.as_ref().is_some_and(|valid| valid.is_null(row));
        if let Some(row) = (0..array.len()).find(|&row| size(boards[row]) > EXACT && !is_null(row)) {
            return Err(value_error(format!(
                "row {row} has more digits than float64: say which integer stands for nulls, as in to_numpy(na_value=0), or \
                 dtype=\"float64\" to have it rounded"
            )));
        }
    }
    let found = values.call_method1(intern!(py, "astype"), (kind,))?;
    if let Some(valid) = valid {
        let nulls = PyArray1::from_vec(py, valid.iter().map(|valid| !valid).collect());
        found.set_item(nulls, na_value)?;
    }
    Ok(found)
}

/// A column of lists of moves, and the moves of all lists.
pub fn moves(array: &ArrayRef) -> PyResult<(&ListArray, &[Move])> {
    let moves = array.as_list_opt::<i32>().and_then(|lists| match lists.value_type() {
        DataType::UInt16 => Some((lists, lists.values().as_primitive::<UInt16Type>().values().inner())),
        DataType::Int16 => Some((lists, lists.values().as_primitive::<Int16Type>().values().inner())),
        _ => None,
    });
    let (lists, moves) = moves.ok_or_else(|| {
        type_error(format!("moves are lists of uint16 or int16, not {}", type_text(array.data_type())))
    })?;
    Ok((lists, bytemuck::cast_slice(moves)))
}

/// The error for a column without lists.
fn no_lists(array: &ArrayRef) -> PyErr {
    type_error(format!("only columns of lists have offsets and values, not {}", type_text(array.data_type())))
}

/// The NumPy type of values of this type.
fn dtype<'py>(py: Python<'py>, kind: &DataType) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let dtype = |of: Bound<'py, PyAny>| numpy.call_method1(intern!(py, "dtype"), (of,));
    match kind {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            self::dtype(py, item.data_type())
        }
        DataType::Struct(fields) => {
            let parts = fields.iter().map(|field| Ok((field.name(), self::dtype(py, field.data_type())?)));
            dtype(PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        DataType::Boolean => dtype("bool".into_pyobject(py)?.into_any()),
        kind if kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64) => {
            dtype(kind.to_string().to_lowercase().into_pyobject(py)?.into_any())
        }
        _ => dtype("object".into_pyobject(py)?.into_any()),
    }
}

/// The right operand of `&`, `|` and `^`.
enum RightOperand<'py> {
    /// For all rows.
    Number(u64),
    /// For each row, some of which may be null.
    Column(ScalarBuffer<u64>, Option<NullBuffer>),
    /// For each row.
    Numpy(PlainArray<'py, u64>),
}

/// The right operand that `object` is; `None` if the operation has no meaning.
fn boards_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<RightOperand<'py>>> {
    let array = match object.cast::<PyUntypedArray>() {
        Ok(array) if array.ndim() > 0 => return arrays::boards(object, "boards").map(RightOperand::Numpy).map(Some),
        Ok(_) => None,
        Err(_) if object.is_exact_instance_of::<Array>() => Some(object.cast::<Array>()?.get().0.clone()),
        Err(_) => capsule::import(object)?.map(|arrays| one(&arrays)).transpose()?,
    };
    if let Some(array) = array {
        let Some(boards) = bits::boards(&array) else {
            return Err(type_error(format!("bitboards must be uint64 or int64, not {}", type_text(array.data_type()))));
        };
        return Ok(Some(RightOperand::Column(boards, array.nulls().cloned())));
    }
    let Some(number) = integer(object) else {
        let is_array = object.hasattr(intern!(object.py(), "__array__"))?;
        return is_array.then(|| arrays::boards(object, "boards").map(RightOperand::Numpy)).transpose();
    };
    // Like `~7`, which is -8, and whose bits are meant.
    let board = number.extract::<u64>().ok().or_else(|| number.extract::<i64>().ok().map(i64::cast_unsigned));
    board.map(RightOperand::Number).map(Some).ok_or_else(|| value_error(format!("{number} has more than 64 bits")))
}

/// An immutable Arrow array. Libraries that support the Arrow PyCapsule interface use it without a copy:
/// `pyarrow.array(array)`, `polars.Series(array)`, `pandas.Series.from_arrow(array)`.
///
/// `array[i]` is the value of a row and `array[a:b]` an array of some rows, without a copy if they are contiguous;
/// `array[mask]` and `array[numbers]` are copies of the rows for which a mask holds, or which have these numbers. Iteration
/// yields the values.
///
/// `&`, `|`, `^` and `~` combine bitboards row by row with another column, a NumPy array of the same length, or an integer. A
/// negative integer stands for its 64 bits, as in `array & ~7`. The result has the integer type of the left column. A row that
/// is null on one side is null. A pandas Series must be on the right.
///
/// `==` compares the types and values of two arrays as a whole. For a comparison by row, use `array.to_numpy() == 5`: with a
/// number, a text or a list, `==` raises TypeError. NumPy functions accept arrays as `to_numpy` returns them:
/// `numpy.bitwise_count(array)`.
///
/// >>> import slider_attacks
/// >>> fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"]
/// >>> array = slider_attacks.analyze(fens)["white_attacks"]
/// >>> array
/// <slider_attacks.Array: 2 of uint64, 0 null>
/// >>> hex(array[1]), hex((array & 0xFF)[-1])
/// ('0x3828', '0x28')
/// >>> array[:1] == array[0:-1]
/// True
#[pyclass(frozen, module = "slider_attacks")]
pub struct Array(ArrayRef);

impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        *self.0 == *other.0
    }
}

impl Array {
    /// This array for Python.
    pub fn new(array: ArrayRef) -> Array {
        Array(array)
    }

    /// The array itself.
    pub fn array(&self) -> &ArrayRef {
        &self.0
    }

    /// An Arrow array over these elements of a new NumPy array that nobody else has.
    pub fn of_numpy(numbers: &PlainArray<'_, u64>, elements: Range<usize>) -> Array {
        let (start, length) = (NonNull::new(numbers.data().cast()).unwrap_or(NonNull::dangling()), numbers.len());
        let owner = Arc::new(AssertUnwindSafe(numbers.clone().unbind()));
        // SAFETY: the numbers lie there, plain, as long as the NumPy array lives, which the buffer owns, and nobody else has it to
        // write to it.
        let buffer = unsafe { Buffer::from_custom_allocation(start, size_of::<u64>() * length, owner) };
        Array(Arc::new(UInt64Array::new(ScalarBuffer::new(buffer, elements.start, elements.len()), None)))
    }

    /// Applies `combine` to the boards of this column and the right operand.
    fn combined<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        combine: impl Fn(u64, u64) -> u64 + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, array) = (other.py(), &self.0);
        let Some(boards) = bits::boards(array) else {
            let kind = type_text(array.data_type());
            return Err(type_error(format!("only columns of bitboards can be combined, not {kind}")));
        };
        let Some(other) = boards_of(other)? else { return Ok(py.NotImplemented().into_bound(py)) };
        let length = match &other {
            RightOperand::Number(_) => boards.len(),
            RightOperand::Column(other, _) => other.len(),
            RightOperand::Numpy(other) if other.ndim() == 1 => other.len(),
            RightOperand::Numpy(other) => {
                return Err(value_error(format!("a column and an array of {} dimensions", other.ndim())));
            }
        };
        if length != boards.len() {
            return Err(value_error(format!("a column of {} rows and one of {length}", boards.len())));
        }
        let nulls = match &other {
            RightOperand::Column(_, nulls) => NullBuffer::union(array.nulls(), nulls.as_ref()),
            _ => array.nulls().cloned(),
        };
        let mut found = room(length)?;
        let mut with = |others: &[u64]| {
            in_parts(py, length, PART, |part| {
                let pairs = boards[part.clone()].iter().zip(&others[part]);
                found.extend(pairs.map(|(&board, &other)| combine(board, other)));
                Ok::<_, PyErr>(())
            })
        };
        match &other {
            RightOperand::Column(other, _) => with(other)??,
            RightOperand::Numpy(other) => with(&read(other)?)??,
            &RightOperand::Number(other) => in_parts(py, length, PART, |part| {
                found.extend(boards[part].iter().map(|&board| combine(board, other)));
                Ok::<_, PyErr>(())
            })??,
        }
        let found: ArrayRef = match array.data_type() {
            DataType::Int64 => Arc::new(Int64Array::new(Buffer::from(found).into(), nulls)),
            _ => Arc::new(UInt64Array::new(found.into(), nulls)),
        };
        Ok(Bound::new(py, Array(found))?.into_any())
    }
}

/// Whether this is what a row may have, or a list of that.
fn is_value(object: &Bound<'_, PyAny>) -> bool {
    let is_sequence = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let is_text = object.is_exact_instance_of::<PyString>() || object.is_exact_instance_of::<PyBytes>();
    // Those of NumPy compare row by row.
    let is_number = object.is_exact_instance_of::<PyInt>() || object.is_exact_instance_of::<PyFloat>();
    is_sequence || is_text || is_number || object.is_instance_of::<PyBool>()
}

/// An array of NumPy as another type, if one is given: a copy, unless it has that type and no copy is asked for.
fn as_type<'py>(
    array: Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let kind = array.getattr(intern!(py, "dtype"))?;
    let same = dtype.map_or(Ok(true), |dtype| kind.eq(dtype))?;
    match (same, copy) {
        (true, None | Some(false)) => Ok(array),
        (false, Some(false)) => Err(value_error("another dtype needs a copy")),
        _ => array.call_method1(intern!(py, "astype"), (dtype.unwrap_or(&kind),)),
    }
}

#[pymethods]
impl Array {
    /// The number of values that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.logical_null_count()
    }

    /// The NumPy dtype of the array that `to_numpy` returns. Threats have a structured dtype with four fields. Other values,
    /// such as text, have `object`.
    ///
    /// >>> import slider_attacks
    /// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["counts", "threats"])
    /// >>> batch["white_attackers"].dtype
    /// dtype('uint8')
    /// >>> batch["threats"].dtype.names
    /// ('attacker', 'from', 'to', 'victim')
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtype(py, self.0.data_type())
    }

    /// A copy of the values for other libraries of arrays, by DLPack: `numpy.from_dlpack(array)`, `torch.from_dlpack(array)`.
    /// It is never a view: libraries such as PyTorch know no array that is read-only, and would write to the column.
    /// `to_numpy` gives views. JAX takes only the lower half of each bitboard before `jax.config.update("jax_enable_x64", True)`.
    ///
    /// Raises BufferError for `copy=False`, and what `to_numpy` raises.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: Bound<'py, Self>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<Bound<'py, PyAny>>,
        copy: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if copy.is_some_and(|copy| !copy.is_none() && !copy.is_truthy().unwrap_or(true)) {
            return Err(PyBufferError::new_err(
                "columns never change, so that DLPack gets a copy: to_numpy() is a view",
            ));
        }
        let values = to_numpy(&slf.get().0, slf.as_any())?;
        let (how, given) = (PyDict::new(py), [("max_version", max_version), ("dl_device", dl_device)]);
        // NumPy before 2.1 has fewer parameters, and other libraries give none of them that is not needed.
        for (name, value) in given.into_iter().chain([("stream", stream)]) {
            if let Some(value) = value {
                how.set_item(name, value)?;
            }
        }
        values.call_method0("copy")?.call_method("__dlpack__", (), Some(&how))
    }

    /// Where the values are, as DLPack numbers devices: in main memory.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    /// Returns the values as a NumPy array. Without parameters, it is a read-only view: one-dimensional uint64 or int64 for
    /// boards, uint8 or int8 of shape (rows, 64) for numbers per square, and uint64 or int64 of that shape for sets per square.
    ///
    /// Parameters
    /// ----------
    /// bits : False, True, 64 or (8, 8)
    ///     Unpack boards into zeros and ones, in a new array of shape (rows, 64) or (rows, 8, 8), like `slider_attacks.bits`.
    ///     Sets per square become (rows, 64, 64) or (rows, 64, 8, 8): of `targets`, a mask of the legal moves.
    /// dtype : another NumPy dtype, for a copy; with `bits`, by default uint8
    /// na_value : the value for nulls, in a copy
    ///     An integer, or a float such as `float("nan")`, with which integers become float64.
    ///
    /// Raises ValueError if there are nulls but no `na_value`, or if integers such as bitboards would lose digits as float64;
    /// and TypeError if the values are threats, moves or text: `values` has the moves.
    ///
    /// >>> import slider_attacks
    /// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps", "counts"])
    /// >>> batch["white_attackers"].to_numpy().shape
    /// (1, 64)
    /// >>> batch["white_attacks"].to_numpy(bits=(8, 8), dtype="float32")[0, 0]
    /// array([0., 1., 1., 1., 1., 1., 0., 0.], dtype=float32)
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", None], "legal_moves")["legal_moves"].to_numpy(na_value=float("nan"))
    /// array([16., nan])
    #[pyo3(signature = (*, bits=None, dtype=None, na_value=None),
           text_signature = "($self, *, bits=False, dtype=None, na_value=None)")]
    fn to_numpy<'py>(
        slf: Bound<'py, Self>,
        bits: Option<Bound<'py, PyAny>>,
        dtype: Option<Bound<'py, PyAny>>,
        na_value: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = &slf.get().0;
        let shape = bits.filter(|bits| !bits.cast::<PyBool>().is_ok_and(|bits| !bits.is_true()));
        match (shape, na_value) {
            (Some(shape), Some(na_value)) => {
                bits::bits(&with_nulls(array, &na_value, None)?, Some(&shape), dtype.as_ref(), None)
            }
            (Some(shape), None) => {
                bits::column(slf.py(), array, &bits::shape_of_squares(&shape)?, dtype.as_ref(), None)
            }
            (None, Some(na_value)) => with_nulls(array, &na_value, dtype.as_ref()),
            (None, None) => as_type(to_numpy(array, slf.as_any())?, dtype.as_ref(), None),
        }
    }

    /// For a column of lists, where they begin and end in `values`: one number more than there are rows, as a read-only NumPy
    /// array of int32. The list of row i is `values[offsets[i]:offsets[i + 1]]`. Rows that are null have an empty list there.
    ///
    /// >>> import slider_attacks
    /// >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
    /// >>> moves.offsets
    /// array([0, 1], dtype=int32)
    #[getter]
    fn offsets<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let Some(lists) = slf.get().0.as_list_opt::<i32>() else { return Err(no_lists(&slf.get().0)) };
        // SAFETY: Arrow arrays never change, and `slf` holds this one.
        unsafe { view(&lists.value_offsets()[..=lists.len()], slf.as_any()) }
    }

    /// For a column of lists of numbers, such as moves, the elements of all lists, as a read-only NumPy array. `offsets` says
    /// which belong to a row.
    ///
    /// >>> import slider_attacks
    /// >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
    /// >>> moves.values & 63, moves.values >> 6 & 63  # from a7 to a8
    /// (array([48], dtype=uint16), array([56], dtype=uint16))
    #[getter]
    fn values<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let Some(lists) = slf.get().0.as_list_opt::<i32>() else { return Err(no_lists(&slf.get().0)) };
        to_numpy(lists.values(), slf.as_any())
    }

    /// Returns a column of lists of moves with their text, as in UCI. Nulls stay null.
    ///
    /// >>> import slider_attacks
    /// >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
    /// >>> moves.uci().tolist()
    /// [['a7a8']]
    fn uci(&self) -> PyResult<Array> {
        let (lists, moves) = moves(&self.0)?;
        memory_for(9 * lists.values().len() + 4 * self.0.len())?;
        let texts = slider_attacks_arrow::uci(moves).map_err(value_error)?;
        let item = Arc::new(Field::new("item", DataType::Utf8, false));
        let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
        Ok(Array(Arc::new(ListArray::new(item, offsets, Arc::new(texts), nulls))))
    }

    /// Returns the values as a list, with None for nulls: integers, lists of integers, str, and for threats lists of
    /// dictionaries, like `to_pylist` of pyarrow. Some values of kept columns, such as times, need pyarrow for this.
    ///
    /// >>> import slider_attacks
    /// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", None], ["maps", "threats"], victims="own")
    /// >>> batch["white_attacks"].tolist()
    /// [72340172838091070, None]
    /// >>> batch["threats"].tolist()[1] is None
    /// True
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        memory_for(values::object_memory(&self.0))?;
        values::list(py, &self.0)
    }

    fn __iter__(&self) -> Items {
        Items::new(Box::new(Array(self.0.clone())))
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        match Index::new(index, self.0.len(), "a column")? {
            Index::Row(row) => values::value(py, &self.0, row),
            Index::Rows(rows) => Ok(Bound::new(py, Array(rows.of(py, &self.0)?))?.into_any()),
        }
    }

    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, compare: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let is_equal = match other.cast::<Array>() {
            Ok(other) => self == other.get(),
            // It would be false, and pass for the rows where that is true.
            Err(_) if matches!(compare, CompareOp::Eq | CompareOp::Ne) && is_value(other) => {
                return Err(type_error(
                    "`==` of a column compares all of it with another one: column.to_numpy() == value compares row by row",
                ));
            }
            Err(_) => return Ok(py.NotImplemented().into_bound(py)),
        };
        let found = match compare {
            CompareOp::Eq => is_equal,
            CompareOp::Ne => !is_equal,
            _ => return Ok(py.NotImplemented().into_bound(py)),
        };
        Ok(found.into_pyobject(py)?.to_owned().into_any())
    }

    fn __and__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board & other)
    }

    fn __rand__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board & other)
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board | other)
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board | other)
    }

    fn __xor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board ^ other)
    }

    fn __rxor__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(other, |board, other| board ^ other)
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.combined(u64::MAX.into_pyobject(py)?.as_any(), |board, other| board ^ other)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        as_type(to_numpy(&slf.get().0, slf.as_any())?, dtype.as_ref(), copy)
    }

    /// The functions of NumPy. The operators `&`, `|` and `^` of its arrays and numbers come here as well, and give columns. So a
    /// null stays null, and pandas, which would make `bool` of the numbers if it got a NumPy array, fails.
    #[pyo3(signature = (ufunc, method, *inputs, **options))]
    fn __array_ufunc__<'py>(
        &self,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = ufunc.py();
        if let ("__call__", Ok([one, other]), None) =
            (method, <[Bound<'py, PyAny>; 2]>::try_from(inputs.iter().collect::<Vec<_>>()), options)
        {
            let (column, other) = if one.cast::<Array>().is_ok() { (one, other) } else { (other, one) };
            let column = column.cast::<Array>()?.get();
            match ufunc.getattr(intern!(py, "__name__"))?.extract::<String>()?.as_str() {
                "bitwise_and" => return column.__and__(&other),
                "bitwise_or" => return column.__or__(&other),
                "bitwise_xor" => return column.__xor__(&other),
                _ => {}
            }
        }
        let out = options.and_then(|options| options.get_item(intern!(py, "out")).transpose()).transpose()?;
        let is_written = |out: &Bound<'py, PyAny>| match out.cast::<PyTuple>() {
            Ok(outs) => outs.iter().any(|out| out.cast::<Array>().is_ok()),
            Err(_) => out.cast::<Array>().is_ok(),
        };
        // NumPy's `at` changes its first array, even if that is read-only.
        if method == "at" || out.as_ref().is_some_and(is_written) {
            return Err(type_error("columns never change: take a copy, as in column.to_numpy().copy()"));
        }
        let as_numpy = |input: Bound<'py, PyAny>| match input.cast::<Array>() {
            Ok(column) => to_numpy(&column.get().0, column.as_any()),
            Err(_) => Ok(input),
        };
        let inputs = inputs.iter().map(as_numpy).collect::<PyResult<Vec<_>>>()?;
        ufunc.getattr(method)?.call(PyTuple::new(py, inputs)?, options)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<slider_attacks.Array: {} of {}, {} null>",
            self.0.len(),
            type_text(self.0.data_type()),
            self.null_count()
        )
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo; // it never changes
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let schema = Arc::new(Schema::new(vec![capsule::field(self.0.data_type())]));
        let column = RecordBatch::try_new(schema.clone(), vec![self.0.clone()]).map_err(value_error)?;
        pickle::reduce::<Array>(py, &schema, Some(&column), &PythonErrors::default(), &PandasIndex::default())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema; // the interface leaves it to the consumer to cast
        capsule::export(py, &self.0, &capsule::field(self.0.data_type()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &capsule::field(self.0.data_type()))
    }
}

impl ListableRows for Array {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn list<'py>(&self, py: Python<'py>, rows: Range<usize>) -> PyResult<Bound<'py, PyList>> {
        values::list(py, &self.0.slice(rows.start, rows.len()))
    }
}
