//! NumPy arrays, buffers and sequences as the input and output of batch calls: checked, broadcast, borrowed.
//!
//! An array is *plain* if its memory is a slice in C order: aligned, contiguous, of the byte order of this machine. Plain
//! arrays of the right type are borrowed. Others are copied once.
//!
//! Other threads can write to a borrowed array while a call reads it. The documentation forbids that, and the result is then
//! arbitrary. But no other memory is accessed, because no borrowed value is used as an index: squares that backends look up in
//! tables are [copied](private) before they are checked. Nor is a borrowed array freed: a call that releases the GIL
//! [holds](HeldArrays) it in place.

use std::arch::asm;
use std::mem::MaybeUninit;
use std::ops::{Deref, Range};

use numpy::ndarray::ArrayViewMutD;
use numpy::{
    BorrowError, Element, PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyMemoryView, PyTuple, PyWeakrefReference};

use crate::numbers::{board, not_on_the_board, plan_of_work, square, type_error, type_name, value_error};
use crate::work::{DETACH, PART, between, in_parts, room};

/// The bytes that an array covers.
pub type Addresses = Range<usize>;

/// A plain array of `T`.
pub type PlainArray<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// `object`, if it is a plain array of `T`.
pub fn plain<'a, 'py, T: Element>(object: &'a Bound<'py, PyAny>) -> Option<&'a PlainArray<'py, T>> {
    let array = object.cast::<PyArrayDyn<T>>().ok()?;
    // With a stride of 0, an array of one element counts as contiguous. The registry of `numpy` would divide by that stride.
    let is_plain = array.is_c_contiguous() && array.is_aligned() && !array.strides().contains(&0);
    (is_plain && !is_masked(array.as_untyped())).then_some(array)
}

/// Whether some elements are masked, so they have no value.
fn is_masked(array: &Bound<'_, PyUntypedArray>) -> bool {
    let py = array.py();
    if array.is_exact_instance_of::<PyUntypedArray>() {
        return false;
    }
    let is_masked =
        |array| py.import(intern!(py, "numpy.ma"))?.call_method1(intern!(py, "is_masked"), (array,))?.is_truthy();
    is_masked(array).unwrap_or(false)
}

/// The bytes that a plain array covers.
pub fn addresses<T: Element>(array: &PlainArray<'_, T>) -> Addresses {
    let start = array.data() as usize;
    start..start + array.len() * size_of::<T>()
}

/// The bytes from the first to the last element of an array of any layout.
pub fn extent(array: &Bound<'_, PyUntypedArray>) -> Addresses {
    // SAFETY: the array is alive. Its memory is not looked at.
    let start = unsafe { (*array.as_array_ptr()).fields.data }.addr();
    if array.len() == 0 {
        return start..start;
    }
    let (mut before, mut after) = (0, array.dtype().itemsize());
    for (&count, &stride) in array.shape().iter().zip(array.strides()) {
        let reach = (count - 1) * stride.unsigned_abs();
        *(if stride < 0 { &mut before } else { &mut after }) += reach;
    }
    start - before..start + after
}

/// Whether two arrays have bytes in common.
pub fn overlap(one: &Addresses, other: &Addresses) -> bool {
    one.start < other.end && other.start < one.end
}

/// Arrays that stay where they are while this lives: NumPy does not resize an array that has a weak reference.
///
/// Otherwise `resize(refcheck=False)` on another thread would free memory that a call reads or writes.
struct HeldArrays<'py>(
    #[expect(dead_code, reason = "what counts is that there are references")] Vec<Bound<'py, PyWeakrefReference>>,
);

impl<'py> HeldArrays<'py> {
    /// Holds an array that is so long that other threads run meanwhile. Others need not be held.
    #[inline]
    fn if_long(array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<HeldArrays<'py>>> {
        if array.len() < DETACH { Ok(None) } else { HeldArrays::new(array).map(Some) }
    }

    /// Holds an array, and the arrays whose memory it shows.
    #[cold]
    fn new(array: &Bound<'py, PyUntypedArray>) -> PyResult<HeldArrays<'py>> {
        let mut held = Vec::new();
        let mut next = Some(array.clone());
        while let Some(array) = next {
            held.push(PyWeakrefReference::new(&array)?);
            // SAFETY: the array is alive, and so is its base, which is null or an object.
            let base = unsafe { Bound::from_borrowed_ptr_or_opt(array.py(), (*array.as_array_ptr()).fields.base) };
            next = base.and_then(|base| base.cast_into().ok());
        }
        Ok(HeldArrays(held))
    }
}

/// Looks up what NumPy and the crate `numpy` offer to each other, as the first call would do.
///
/// That runs code of Python, which can raise what a signal asks for: in the middle of a call, Ctrl-C would be lost or end in a
/// panic.
pub fn connect(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    PyArray1::<u64>::zeros(py, 0, false).try_readwrite().map(drop).map_err(|error| type_error(error.to_string()))
}

/// The elements of a plain array, to read them.
pub struct ReadArray<'a, 'py, T> {
    elements: &'a [T],
    _held: Option<HeldArrays<'py>>,
}

impl<T> Deref for ReadArray<'_, '_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

/// Borrows a plain array to read it.
#[inline]
pub fn read<'a, 'py, T: Element>(array: &'a PlainArray<'py, T>) -> PyResult<ReadArray<'a, 'py, T>> {
    let held = HeldArrays::if_long(array.as_untyped())?;
    // SAFETY: `as_slice` checks that the memory is a slice, and it is held. This call does not write to it, as it has copied what
    // has bytes in common with its output. The documentation tells callers that other threads must not. If they do, the values
    // are arbitrary, which the head of this module takes into account. A registry of borrowed arrays, as the crate `numpy` has,
    // would not see threads that write through NumPy either.
    Ok(ReadArray { elements: unsafe { array.as_slice() }?, _held: held })
}

/// A plain array, borrowed to write it.
pub struct WritableArray<'py, T: Element> {
    elements: PyReadwriteArrayDyn<'py, T>,
    _held: Option<HeldArrays<'py>>,
}

impl<T: Element> WritableArray<'_, T> {
    /// The elements. Nobody may have written them yet.
    pub fn as_slice_mut(&mut self) -> PyResult<&mut [T]> {
        let elements = self.elements.as_slice_mut()?;
        written(elements.as_mut_ptr());
        Ok(elements)
    }

    /// The elements of an array of [plain rows](plain_rows). Nobody may have written them yet.
    pub fn view_mut(&mut self) -> ArrayViewMutD<'_, T> {
        let mut view = self.elements.as_array_mut();
        written(view.as_mut_ptr());
        view
    }
}

/// An array whose first index may step over memory, as a slice of the channels of a plain array does: each of its rows is plain.
pub fn plain_rows<'a, 'py, T: Element>(object: &'a Bound<'py, PyAny>) -> Option<&'a PlainArray<'py, T>> {
    let array = object.cast::<PyArrayDyn<T>>().ok()?;
    let (shape, strides) = (array.shape(), array.strides());
    let mut length = size_of::<T>() as isize;
    let mut are_plain = array.is_aligned() && !is_masked(array.as_untyped()) && shape.len() > 1;
    for (&count, &stride) in shape.iter().zip(strides).skip(1).rev() {
        are_plain &= stride == length || count == 1;
        length *= count as isize;
    }
    (are_plain && strides[0] >= length && length > 0).then_some(array)
}

/// Borrows a plain array to write it. Fails if it is read-only, or if a call on another thread writes it.
#[inline]
pub fn write<'py, T: Element>(array: &PlainArray<'py, T>) -> PyResult<WritableArray<'py, T>> {
    let held = HeldArrays::if_long(array.as_untyped())?;
    let elements = array.try_readwrite().map_err(|error| {
        value_error(match error {
            BorrowError::NotWriteable => "out is read-only",
            _ => "out is in use by a call on another thread",
        })
    })?;
    Ok(WritableArray { elements, _held: held })
}

/// Makes the compiler take the memory there for written, with whatever it holds.
///
/// Memory that a slice shows must have values, and a new array of NumPy has none until it is written. Zeros would do as well.
/// They take 1.1 of the time of a call for 1 Ki to 16 Ki pairs, and 1.25 for 1 Mi (AVX2 queens on Zen 3).
fn written<T>(memory: *mut T) {
    // SAFETY: there are no instructions. The compiler does not know that, and nobody relies on any value.
    unsafe { asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags)) };
}

/// How many squares are copied at a time. They fit into the first cache in addition to the boards.
pub const COPIED: usize = 1024;

/// A copy of squares, at most [`COPIED`], that other threads cannot change.
pub fn private<'a>(squares: &[u8], room: &'a mut [MaybeUninit<u8>; COPIED]) -> &'a [u8] {
    let copy = room[..squares.len()].write_copy_of_slice(squares);
    // Or the compiler might read the squares again in place of the copy.
    written(copy.as_mut_ptr());
    copy
}

fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "numpy"))
}

/// `object` as an array of any type and layout, without a copy if it has the buffer protocol or `__array__`. Sequences and
/// numbers become arrays of Python objects, because NumPy makes floats of integers some of which need all 64 bits.
pub fn array<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        if is_masked(array) {
            return Err(value_error(
                "masked elements have no value: fill them with .filled(…), or use pyarrow.array(…), where they are null",
            ));
        }
        return Ok(array.clone());
    }
    if let Some(error) = plan_of_work(object)? {
        return Err(error);
    }
    let numpy = numpy(py)?;
    let array = if let Ok(view) = PyMemoryView::from(object) {
        numpy.call_method1(intern!(py, "asarray"), (view,))?
    } else if object.hasattr(intern!(py, "__array__"))? {
        numpy.call_method1(intern!(py, "asarray"), (object,))?
    } else {
        numpy.call_method1(intern!(py, "array"), (object, intern!(py, "O")))?
    };
    array.cast_into().map_err(PyErr::from)
}

/// A copy in C order with elements of `T`. Fails like NumPy if there is no memory.
fn copied<'py, T: Element>(array: &Bound<'py, PyAny>) -> PyResult<PlainArray<'py, T>> {
    let py = array.py();
    let how = PyDict::new(py);
    how.set_item(intern!(py, "order"), intern!(py, "C"))?;
    how.set_item(intern!(py, "copy"), true)?;
    // Not the method `astype`, which a subclass may have changed.
    let array = numpy(py)?.call_method(intern!(py, "array"), (array, numpy::dtype::<T>(py)), Some(&how))?;
    array.cast_into().map_err(PyErr::from)
}

/// A plain array of `T` with the values of `array`, itself if possible, whose type must be a `T` in some byte order.
fn as_plain<'py, T: Element>(array: &Bound<'py, PyUntypedArray>) -> PyResult<PlainArray<'py, T>> {
    plain(array).cloned().map_or_else(|| copied(array), Ok)
}

/// `array` in this shape, with the same elements again and again where it is smaller.
fn broadcast<'py, T: Element>(array: PlainArray<'py, T>, shape: &[usize]) -> PyResult<PlainArray<'py, T>> {
    if array.shape() == shape {
        return Ok(array);
    }
    let py = array.py();
    copied(&numpy(py)?.call_method1(intern!(py, "broadcast_to"), (array, PyTuple::new(py, shape)?))?)
}

/// The shape that arrays of these shapes have together, by the rules of NumPy.
fn broadcast_shape(shapes: &[(&str, &[usize])]) -> PyResult<Vec<usize>> {
    let dimensions = shapes.iter().map(|(_, shape)| shape.len()).max().unwrap_or(0);
    let length = |shape: &[usize], from_last: usize| shape.len().checked_sub(from_last + 1).map_or(1, |at| shape[at]);
    let mut whole = vec![1; dimensions];
    for (from_last, whole) in whole.iter_mut().rev().enumerate() {
        for (_, shape) in shapes {
            match (*whole, length(shape, from_last)) {
                (1, length) => *whole = length,
                (before, length) if length == before || length == 1 => {}
                _ => {
                    let all: Vec<_> = shapes.iter().map(|(name, shape)| format!("{name} {}", tuple(shape))).collect();
                    return Err(value_error(format!("shapes do not match: {}", all.join(", "))));
                }
            }
        }
    }
    Ok(whole)
}

/// A shape or an index as Python writes it.
pub fn tuple(numbers: &[usize]) -> String {
    match numbers {
        [one] => format!("({one},)"),
        _ => format!("({})", numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Where element `index` of an array of this shape is, for errors: ` at index 5`, ` at index (1, 2)`, or nothing if there
/// is only one number.
pub fn place(index: usize, shape: &[usize]) -> String {
    if shape.is_empty() {
        return String::new();
    }
    let mut rest = index;
    let mut indices: Vec<usize> = Vec::with_capacity(shape.len());
    for &length in shape.iter().rev() {
        indices.push(rest % length);
        rest /= length;
    }
    indices.reverse();
    match indices[..] {
        [index] => format!(" at index {index}"),
        _ => format!(" at index {}", tuple(&indices)),
    }
}

/// The items of an array of Python objects, each by `convert`, as a plain array of the same shape.
fn objects<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
    convert: impl Fn(&Bound<'py, PyAny>, &dyn Fn() -> String) -> PyResult<T>,
) -> PyResult<PlainArray<'py, T>> {
    let py = array.py();
    let _held = HeldArrays::if_long(array)?;
    let mut numbers = room(array.len())?;
    for (index, object) in array.getattr(intern!(py, "flat"))?.try_iter()?.take(array.len()).enumerate() {
        between(py, index)?;
        numbers.push(convert(&object?, &|| place(index, array.shape()))?);
    }
    shaped(py, numbers, array.shape())
}

/// The items of a list of Python integers, each by `convert`; `None` for other objects. NumPy would make an array of objects
/// of the list, and not let other threads run meanwhile.
fn integers<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    convert: impl Fn(&Bound<'py, PyAny>, &dyn Fn() -> String) -> PyResult<T>,
) -> PyResult<Option<PlainArray<'py, T>>> {
    let py = object.py();
    let Ok(list) = object.cast_exact::<PyList>() else { return Ok(None) };
    let mut numbers = room(list.len())?;
    // Other threads may change the list. It is as long as it is at the end.
    while let Ok(item) = list.get_item(numbers.len()) {
        if !item.is_exact_instance_of::<PyInt>() || numbers.len() == numbers.capacity() {
            return Ok(None);
        }
        between(py, numbers.len())?;
        numbers.push(convert(&item, &|| format!(" at index {}", numbers.len()))?);
    }
    let length = numbers.len();
    shaped(py, numbers, &[length]).map(Some)
}

fn shaped<'py, T: Element>(py: Python<'py>, numbers: Vec<T>, shape: &[usize]) -> PyResult<PlainArray<'py, T>> {
    PyArray1::from_vec(py, numbers).reshape(shape)
}

/// What `object` says about squares: a plain array of numbers that are on the board.
fn squares<'py>(object: &Bound<'py, PyAny>) -> PyResult<PlainArray<'py, u8>> {
    if let Some(squares) = integers(object, |object, place| square(object, place).map(u8::from))? {
        return Ok(squares);
    }
    let array = array(object)?;
    let dtype = array.dtype();
    let bad = |index: usize, number: &dyn ToString| not_on_the_board(&number.to_string(), &place(index, array.shape()));
    /// Converts squares to bytes, if all are on the board.
    macro_rules! narrowed {
        ($type:ty) => {{
            let wide = as_plain::<$type>(&array)?;
            let (shape, held) = (array.shape(), read(&wide)?);
            let wide: &[$type] = &held;
            let mut numbers: Vec<u8> = room(wide.len())?;
            let done = in_parts(array.py(), wide.len(), PART, |range| {
                let start = range.start;
                for (block, wide) in (0..).zip(wide[range].chunks(4096)) {
                    // A negative number has its highest bit set.
                    if wide.iter().fold(0, |all, number| all | number) & !63 != 0 {
                        let at = wide.iter().position(|number| number & !63 != 0).unwrap_or(0);
                        return Err((start + 4096 * block + at, wide[at]));
                    }
                    numbers.extend(wide.iter().map(|&number| number as u8));
                }
                Ok(())
            })?;
            done.map_err(|(index, number)| bad(index, &number))?;
            shaped(array.py(), numbers, shape)
        }};
    }
    match (dtype.kind(), dtype.itemsize()) {
        (b'u', 1) => {
            let bytes = as_plain::<u8>(&array)?;
            check(&bytes)?;
            Ok(bytes)
        }
        (b'u', 2) => narrowed!(u16),
        (b'u', 4) => narrowed!(u32),
        (b'u', 8) => narrowed!(u64),
        (b'i', 1) => narrowed!(i8),
        (b'i', 2) => narrowed!(i16),
        (b'i', 4) => narrowed!(i32),
        (b'i', 8) => narrowed!(i64),
        (b'O', _) => objects(&array, |object, place| square(object, place).map(u8::from)),
        (b'f', _) => Err(type_error(format!("squares must be integers, not {dtype}: use .astype(\"uint8\")"))),
        _ => Err(type_error(format!("squares must be integers, not {dtype}: a1 is 0, b1 is 1, … h8 is 63"))),
    }
}

/// Fails if a square is not on the board.
pub fn check(squares: &PlainArray<'_, u8>) -> PyResult<()> {
    let held = read(squares)?;
    let bytes: &[u8] = &held;
    let done = in_parts(squares.py(), bytes.len(), 16 * PART, |range| {
        let start = range.start;
        for (block, bytes) in (0..).zip(bytes[range].chunks(4096)) {
            if bytes.iter().fold(0, |all, byte| all | byte) > 63 {
                return Err(start + 4096 * block + bytes.iter().position(|&byte| byte > 63).unwrap_or(0));
            }
        }
        Ok(())
    })?;
    done.map_err(|index| {
        value_error(format!("square {}{} is not on the board", bytes[index], place(index, squares.shape())))
    })
}

/// What `object` says about boards: a plain array of sets of squares. `name` is the name of the parameter.
pub fn boards<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<PlainArray<'py, u64>> {
    let py = object.py();
    if let Some(boards) = integers(object, |object, place| board(object, name, place))? {
        return Ok(boards);
    }
    let array = array(object)?;
    let dtype = array.dtype();
    match (dtype.kind(), dtype.itemsize()) {
        (b'u', _) => as_plain(&array),
        (b'i', 8) => {
            let signed = as_plain::<i64>(&array)?;
            signed.call_method1(intern!(py, "view"), (numpy::dtype::<u64>(py),))?.cast_into().map_err(PyErr::from)
        }
        (b'O', _) => objects(&array, |object, place| board(object, name, place)),
        (kind, size) => {
            let advice = match (kind, size) {
                (b'i', _) => format!(
                    "which has fewer than 64 bits: use .astype(\"uint64\"), or if some are negative, \
                     .view(\"uint{}\").astype(\"uint64\")",
                    8 * size
                ),
                (b'f', _) => "which rounds them: make them uint64 where they come from; .astype(\"uint64\") is right only if all \
                              are below 2**53"
                    .to_owned(),
                (b'b', _) => "a truth value per square: np.packbits(x, axis=-1, bitorder=\"little\").view(\"uint64\")[..., 0] makes \
                              one number of 64"
                    .to_owned(),
                _ => "bit i of 64 stands for square i".to_owned(),
            };
            Err(type_error(format!("{name} must be unsigned integers, or int64 for their bits, not {dtype}, {advice}")))
        }
    }
}

/// The inputs of a call, all of one shape: squares if the call has them, and boards.
pub struct PairInputs<'py, const N: usize> {
    /// Numbers on the board.
    pub squares: Option<PlainArray<'py, u8>>,
    /// Sets of squares.
    pub boards: [PlainArray<'py, u64>; N],
    /// The shape of all of them.
    pub shape: Vec<usize>,
}

impl<'py, const N: usize> PairInputs<'py, N> {
    /// Accepts all representations of squares and boards. `names` are those of the boards.
    pub fn new(
        squares: Option<&Bound<'py, PyAny>>,
        boards: [&Bound<'py, PyAny>; N],
        names: [&str; N],
    ) -> PyResult<PairInputs<'py, N>> {
        let squares = squares.map(self::squares).transpose()?;
        let mut arrays = Vec::with_capacity(N);
        for (object, name) in boards.into_iter().zip(names) {
            arrays.push(self::boards(object, name)?);
        }
        let mut shapes: Vec<(&str, &[usize])> = squares.iter().map(|squares| ("squares", squares.shape())).collect();
        shapes.extend(names.into_iter().zip(arrays.iter().map(|array| array.shape())));
        let shape = broadcast_shape(&shapes)?;
        let squares = squares.map(|squares| broadcast(squares, &shape)).transpose()?;
        let arrays = arrays.into_iter().map(|array| broadcast(array, &shape)).collect::<PyResult<Vec<_>>>()?;
        let boards = arrays.try_into().map_err(|_| type_error("as many arrays as there were"))?;
        Ok(PairInputs { squares, boards, shape })
    }

    /// Copies what has bytes in common with `out`, so that nothing is read after it is written.
    pub fn apart_from(&mut self, out: &Addresses) -> PyResult<()> {
        if let Some(squares) = &mut self.squares
            && overlap(&addresses(squares), out)
        {
            *squares = copied(squares)?;
        }
        for board in &mut self.boards {
            if overlap(&addresses(board), out) {
                *board = copied(board)?;
            }
        }
        Ok(())
    }
}

/// Where the attack sets go.
pub struct AttackOutput<'py> {
    /// The output.
    pub sets: PlainArray<'py, u64>,
    /// The array that gets a copy at the end, if what is written is not what was given.
    given: Option<Bound<'py, PyUntypedArray>>,
}

impl<'py> AttackOutput<'py> {
    /// New memory for attack sets, or the memory of `object`, which must have this shape.
    pub fn new(py: Python<'py>, object: Option<&Bound<'py, PyAny>>, shape: &[usize]) -> PyResult<AttackOutput<'py>> {
        let Some(object) = object else { return Ok(AttackOutput { sets: empty(py, shape)?, given: None }) };
        if let Some(sets) = plain::<u64>(object)
            && sets.shape() == shape
        {
            return Ok(AttackOutput { sets: sets.clone(), given: None });
        }
        let is_memory = object.cast::<PyUntypedArray>().is_ok() || PyMemoryView::from(object).is_ok();
        if !is_memory {
            let kind = type_name(object);
            let advice = if kind == "str" { ": options have names, as in slider=\"rook\"" } else { "" };
            return Err(type_error(format!("out must be a NumPy array or a buffer of uint64, not {kind}{advice}")));
        }
        let given = array(object)?;
        if !given.dtype().is_equiv_to(&numpy::dtype::<u64>(py)) {
            return Err(type_error(format!("out must be an array of uint64, not {}", given.dtype())));
        }
        if given.shape() != shape {
            let (out, inputs) = (tuple(given.shape()), tuple(shape));
            return Err(value_error(format!("out has shape {out}, but the attack sets have shape {inputs}")));
        }
        if !given.getattr(intern!(py, "flags"))?.getattr(intern!(py, "writeable"))?.is_truthy()? {
            return Err(value_error("out is read-only"));
        }
        Ok(match plain(&given) {
            Some(sets) => AttackOutput { sets: sets.clone(), given: None },
            None => AttackOutput { sets: empty(py, shape)?, given: Some(given) },
        })
    }

    /// Hands over what has been written.
    pub fn finish(self) -> PyResult<PlainArray<'py, u64>> {
        if let Some(given) = self.given {
            let py = given.py();
            numpy(py)?.call_method1(intern!(py, "copyto"), (given, &self.sets))?;
        }
        Ok(self.sets)
    }
}

/// An array whose values are arbitrary. Fails like NumPy if there is no memory.
pub fn empty<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<PlainArray<'py, u64>> {
    /// Below this size, which is 8 MiB, memory is there: a failure of the faster way would be a panic.
    const SMALL: usize = 1 << 20;
    if shape.iter().try_fold(1_usize, |size, &length| size.checked_mul(length)).is_some_and(|size| size <= SMALL) {
        // SAFETY: a u64 has no invalid values, and what is not written is dropped unseen.
        return Ok(unsafe { PyArrayDyn::<u64>::new(py, shape, false) });
    }
    let arguments = (PyTuple::new(py, shape)?, numpy::dtype::<u64>(py));
    let array = numpy(py)?.call_method1(intern!(py, "empty"), arguments)?;
    array.cast_into().map_err(|error| PyTypeError::new_err(error.to_string()))
}
