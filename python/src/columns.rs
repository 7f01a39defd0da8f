//! The results of calls over Arrow arrays: an array, and a batch of named columns.

use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, UInt64Array, make_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Field, Fields};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PyTuple};
use slider_attacks_arrow::Error;

use crate::arrays::Plain;
use crate::capsule;
use crate::numbers::{type_error, value_error};
use crate::work::{between, memory_for};

/// The Python error for an error over Arrow arrays.
pub fn arrow_error(error: Error) -> PyErr {
    match error {
        Error::Type { .. } | Error::MissingColumn { .. } => type_error(error),
        error => value_error(error),
    }
}

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
        let nulls = array.null_count();
        return Err(value_error(format!("{nulls} of {} values are null, which NumPy arrays cannot hold", array.len())));
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
        &DataType::FixedSizeList(_, length) => {
            let numbers = to_numpy(array.as_fixed_size_list().values(), owner)?;
            numbers.call_method1(intern!(owner.py(), "reshape"), ((array.len(), length),))
        }
        other => Err(type_error(format!("there is no NumPy array for {other}: pyarrow, Polars and others take it"))),
    }
}

/// The values of an Arrow array as a list.
fn to_list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    /// A list of these values, during which other threads run and signals are heard.
    fn list<'py, T: IntoPyObject<'py>>(
        py: Python<'py>,
        values: impl Iterator<Item = Option<T>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for (turn, value) in values.enumerate() {
            between(py, turn)?;
            list.append(value)?;
        }
        Ok(list)
    }
    /// Lists of the numbers of each square.
    fn numbers<'py, T: ArrowPrimitiveType>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>>
    where
        T::Native: IntoPyObject<'py>,
    {
        let lists = array.as_fixed_size_list();
        let (values, length) = (lists.values().as_primitive::<T>().values(), lists.value_length() as usize);
        let rows = PyList::empty(py);
        for row in 0..lists.len() {
            between(py, 64 * row + 63)?;
            let numbers = &values[row * length..][..length];
            rows.append(lists.is_valid(row).then(|| PyList::new(py, numbers.iter().copied())).transpose()?)?;
        }
        Ok(rows)
    }
    match array.data_type() {
        DataType::UInt64 => list(py, array.as_primitive::<UInt64Type>().iter()),
        DataType::Int64 => list(py, array.as_primitive::<Int64Type>().iter()),
        DataType::UInt8 => list(py, array.as_primitive::<UInt8Type>().iter()),
        DataType::Int8 => list(py, array.as_primitive::<Int8Type>().iter()),
        DataType::Utf8 => list(py, array.as_string::<i32>().iter()),
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            match lists.values().data_type() {
                DataType::UInt8 if lists.values().null_count() == 0 => return numbers::<UInt8Type>(py, array),
                DataType::Int8 if lists.values().null_count() == 0 => return numbers::<Int8Type>(py, array),
                _ => {}
            }
            let rows = PyList::empty(py);
            for (row, list) in lists.iter().enumerate() {
                between(py, 64 * row + 63)?;
                rows.append(list.map(|list| to_list(py, &list)).transpose()?)?;
            }
            Ok(rows)
        }
        other => Err(type_error(format!("there is no list of {other}: pyarrow, Polars and others take it"))),
    }
}

/// Arrays of one type as one array: a copy, unless there is only one. Fails if it would be too long for its type.
pub fn one(arrays: &[ArrayRef]) -> PyResult<ArrayRef> {
    if let [array] = arrays {
        return Ok(array.clone());
    }
    let pieces: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let length = pieces.iter().map(|piece| piece.len()).sum();
    memory_for(pieces.iter().map(|piece| piece.get_slice_memory_size().unwrap_or(0)).sum())?;
    let mut whole = MutableArrayData::new(pieces.iter().collect(), false, length);
    for (number, piece) in pieces.iter().enumerate() {
        whole.try_extend(number, 0, piece.len()).map_err(value_error)?;
    }
    Ok(make_array(whole.freeze()))
}

/// An Arrow array, which everything that speaks the Arrow PyCapsule interface takes without a copy: `pyarrow.array(array)`,
/// `polars.Series(array)`, `pandas.Series.from_arrow(array)`.
///
/// >>> import slider_attacks
/// >>> fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"]
/// >>> array = slider_attacks.analyze(fens)["white_attacks"]
/// >>> array
/// <slider_attacks.Array: 2 of UInt64, 0 null>
/// >>> hex(array.to_numpy()[1])
/// '0x3828'
#[pyclass(frozen, module = "slider_attacks")]
pub struct Array(ArrayRef);

impl Array {
    /// This array for Python.
    pub fn new(array: ArrayRef) -> Array {
        Array(array)
    }

    /// An Arrow array over these elements of a new NumPy array that nobody else has.
    pub fn of_numpy(numbers: &Plain<'_, u64>, elements: Range<usize>) -> Array {
        let (start, length) = (NonNull::new(numbers.data().cast()).unwrap_or(NonNull::dangling()), numbers.len());
        let owner = Arc::new(AssertUnwindSafe(numbers.clone().unbind()));
        // SAFETY: the numbers lie there, plain, as long as the NumPy array lives, which the buffer owns, and nobody else has it to
        // write to it.
        let buffer = unsafe { Buffer::from_custom_allocation(start, size_of::<u64>() * length, owner) };
        Array(Arc::new(UInt64Array::new(ScalarBuffer::new(buffer, elements.start, elements.len()), None)))
    }
}

#[pymethods]
impl Array {
    /// The number of values that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    /// The values as a read-only NumPy array, without a copy: uint64 or int64 of one dimension for boards, uint8 or int8 of
    /// the shape (rows, 64) for numbers per square.
    ///
    /// Raises ValueError if there are nulls, and TypeError if the values are threats or text.
    ///
    /// >>> import slider_attacks
    /// >>> counts = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["counts"])["white_attackers"]
    /// >>> counts.to_numpy().shape
    /// (1, 64)
    fn to_numpy<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(&slf.get().0, slf.as_any())
    }

    /// The values as a list of integers, lists of integers or str, with None for nulls.
    ///
    /// Raises TypeError if the values are threats, or of a type that only columns to keep have.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None])["white_attacks"].tolist()
    /// [14376, None]
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        to_list(py, &self.0)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        to_list(py, &self.0)?.try_iter()
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let view = to_numpy(&slf.get().0, slf.as_any())?;
        let kind = view.getattr(intern!(py, "dtype"))?;
        let same = dtype.as_ref().map_or(Ok(true), |dtype| kind.eq(dtype))?;
        match (same, copy) {
            (true, None | Some(false)) => Ok(view),
            (false, Some(false)) => Err(value_error("another dtype needs a copy")),
            _ => view.call_method1(intern!(py, "astype"), (dtype.unwrap_or(kind),)),
        }
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        let Array(array) = self;
        format!("<slider_attacks.Array: {} of {}, {} null>", array.len(), array.data_type(), array.null_count())
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

/// Columns of the same length, which everything that speaks the Arrow PyCapsule interface takes without a copy:
/// `pyarrow.record_batch(batch)`, `polars.DataFrame(batch)`, `pandas.DataFrame.from_arrow(batch)`, DuckDB.
///
/// >>> import slider_attacks
/// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps", "hanging"])
/// >>> batch.column_names
/// ['white_attacks', 'black_attacks', 'white_hanging', 'black_hanging']
/// >>> len(batch), len(batch["white_attacks"])
/// (1, 1)
#[pyclass(frozen, module = "slider_attacks")]
pub struct Batch {
    columns: RecordBatch,
    errors: Vec<Error>,
    error_count: usize,
}

impl Batch {
    /// These columns for Python.
    pub fn new(columns: RecordBatch) -> Batch {
        Batch { columns, errors: Vec::new(), error_count: 0 }
    }

    /// The same with what is wrong with the first rows that could not be read, and the number of all such rows.
    pub fn with_errors(self, errors: Vec<Error>, error_count: usize) -> Batch {
        Batch { errors, error_count, ..self }
    }

    fn field(&self) -> Arc<Field> {
        struct_field(self.columns.schema().fields())
    }
}

/// The field for a table of these columns.
pub fn struct_field(columns: &Fields) -> Arc<Field> {
    Arc::new(Field::new("", DataType::Struct(columns.clone()), false))
}

/// Errors as Python has them: the number of the row, and what is wrong.
pub fn error_list(errors: &[Error]) -> Vec<(usize, String)> {
    errors.iter().filter_map(|error| error.row().map(|row| (row, error.to_string()))).collect()
}

#[pymethods]
impl Batch {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.columns.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
    /// first 1,000; `error_count` is the number of all.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None, "?"], on_error="null").errors
    /// [(2, "row 2, column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found '?'")]
    #[getter]
    fn errors(&self) -> Vec<(usize, String)> {
        error_list(&self.errors)
    }

    /// The number of rows that were not null and could not be read.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None] + ["?"] * 3000, on_error="null").error_count
    /// 3000
    #[getter]
    fn error_count(&self) -> usize {
        self.error_count
    }

    fn __len__(&self) -> usize {
        self.columns.num_rows()
    }

    fn __getitem__(&self, name: &str) -> PyResult<Array> {
        self.columns.column_by_name(name).cloned().map(Array).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __repr__(&self) -> String {
        format!("<slider_attacks.Batch: {} rows of {}>", self.columns.num_rows(), self.column_names().join(", "))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsule::export(py, &StructArray::from(self.columns.clone()), &self.field())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::export_stream(py, RecordBatchIterator::new([Ok(self.columns.clone())], self.columns.schema()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.field())
    }
}
