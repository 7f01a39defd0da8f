//! Attack sets of arrays of pairs or of sets of sliders, and of one pair.

use std::mem::MaybeUninit;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type, UInt8Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef, Datum, Int8Array, Scalar, UInt8Array, make_array};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use slider_attacks::{Backend, BatchError, Cpu, Slider, SliderArrays};
use slider_attacks_arrow::{attack_sets_with, attacks_with};

use crate::arrays::{
    AttackOutput, COPIED, PairInputs, PlainArray, addresses, check, empty, overlap, place, plain, private, read, write,
};
use crate::columns::Array;
use crate::numbers::{backend, board, named, square, value_error};
use crate::operands::{Operand, Operands, column};
use crate::work::{PART, Threads, count, in_parts};

/// The names of the backends that this CPU can run, slowest first.
///
/// >>> import slider_attacks
/// >>> slider_attacks.backends()[0]
/// 'scalar'
#[pyfunction]
pub fn backends() -> Vec<&'static str> {
    Backend::available().map(Backend::name).collect()
}

/// What is known about the CPU, which backend is chosen for it, and why, as text of several lines.
///
/// >>> import slider_attacks
/// >>> print(slider_attacks.cpu())  # doctest: +ELLIPSIS
/// vendor ...
#[pyfunction]
pub fn cpu() -> String {
    Cpu::detect().to_string()
}

/// Declares the function for one pair.
macro_rules! one_pair {
    ($name:ident, $slider:literal, $squares:literal, $sets:literal) => {
        #[doc = concat!("The squares that a ", $slider, " attacks, as an integer: bit i is square i, a1 = 0, b1 = 1, … h8 = 63.")]
        ///
        #[doc = concat!("`square` is the number of the square of the ", $slider, ", and `occ` has the bits of all pieces on the board. The")]
        #[doc = concat!($slider, " attacks up to and including the first piece in each direction. Its own bit makes no difference.")]
        ///
        /// Raises ValueError if the square is not on the board or `occ` has more than 64 bits, and TypeError if one of them
        /// is not an integer.
        ///
        /// >>> import slider_attacks
        #[doc = concat!(">>> hex(slider_attacks.", $squares, ")")]
        #[doc = concat!("'", $sets, "'")]
        #[pyfunction]
        #[pyo3(signature = (square, occ, /))]
        pub fn $name(square: &Bound<'_, PyAny>, occ: &Bound<'_, PyAny>) -> PyResult<u64> {
            let square = self::square(square, String::new)?;
            Ok(slider_attacks::$name(square, board(occ, "occ", String::new)?))
        }
    };
}

one_pair!(queen_attacks, "queen", "queen_attacks(0, 0x100)", "0x80402010080403fe");
one_pair!(rook_attacks, "rook", "rook_attacks(0, 0x100)", "0x1fe");
one_pair!(bishop_attacks, "bishop", "bishop_attacks(0, 0x100)", "0x8040201008040200");

/// From this many pairs or boards on, threads share a call: from as many as in the library's own `par_batch_attacks`.
const MIN_SHARED: usize = 1 << 15;

/// The boards that a thread takes at a time, where the library does not share a call.
const SHARE: usize = 1 << 13;

/// The boards of the longest block of a backend. A call this long is computed in blocks alone.
const BLOCK: usize = 64;

/// The backend and the number of threads of a call.
#[derive(Clone)]
struct CallOptions {
    backend: Backend,
    threads: Threads,
    /// The backend looks squares up in tables.
    looks_up: bool,
}

impl CallOptions {
    fn new(backend: Option<&str>, threads: usize) -> PyResult<CallOptions> {
        let backend = self::backend(backend)?;
        let looks_up = backend == Backend::scalar() || Some(backend) == Backend::bmi2();
        Ok(CallOptions { backend, threads: Threads::new(threads)?, looks_up })
    }

    /// Whether a call of this length is computed in parts, so that squares must be checked before.
    fn in_parts(&self, length: usize) -> bool {
        length > if self.looks_up { COPIED } else { PART }
    }

    /// Computes attack sets. Other threads may change the squares at any time, even after the library has checked them.
    ///
    /// To a block of a vector backend they are bytes like all others. So these alone are handed over where they are.
    fn attacks(&self, slider: Slider, squares: &[u8], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
        match &self.threads {
            Threads::Pool(pool) if out.len() >= MIN_SHARED => pool.install(|| {
                if !self.looks_up {
                    return self.backend.par_batch_slider_attacks(slider, squares, occs, out);
                }
                let inputs = squares.par_chunks(SHARE).zip(occs.par_chunks(SHARE));
                let shares = inputs.zip(out.par_chunks_mut(SHARE)).enumerate();
                shares.try_for_each(|(share, ((squares, occs), out))| {
                    self.attacks_of_copies(slider, squares, occs, out).map_err(|error| after(error, share * SHARE))
                })
            }),
            _ if self.looks_up || out.len() < BLOCK => self.attacks_of_copies(slider, squares, occs, out),
            _ => self.backend.batch_slider_attacks(slider, squares, occs, out),
        }
    }

    /// The same for squares that are copied first. Queens with `scalar` and `bmi2` take 1.01 of the time, rooks 1.02 to 1.03
    /// (64 Ki pairs, Zen 3, in turns). With `avx2` it would be 1.07 and 1.10.
    fn attacks_of_copies(
        &self,
        slider: Slider,
        squares: &[u8],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let mut room = [MaybeUninit::uninit(); COPIED];
        let pairs = squares.chunks(COPIED).zip(occs.chunks(COPIED)).zip(out.chunks_mut(COPIED));
        for (block, ((squares, occs), out)) in pairs.enumerate() {
            let squares = private(squares, &mut room);
            self.backend
                .batch_slider_attacks(slider, squares, occs, out)
                .map_err(|error| after(error, block * COPIED))?;
        }
        Ok(())
    }

    fn attack_sets(&self, [orthogonal, diagonal, occupancies]: [&[u64]; 3], out: &mut [u64]) -> Result<(), BatchError> {
        let sliders = SliderArrays { orthogonal, diagonal, occupancies };
        match &self.threads {
            Threads::Pool(pool) if out.len() >= MIN_SHARED => {
                pool.install(|| self.backend.par_batch_attack_sets(sliders, out))
            }
            _ => self.backend.batch_attack_sets(sliders, out),
        }
    }
}

/// The same error, this many pairs further on.
fn after(mut error: BatchError, pairs: usize) -> BatchError {
    if let BatchError::SquareOutOfRange { index, .. } = &mut error {
        *index += pairs;
    }
    error
}

/// Fails if the arrays of a call are no longer of one length.
fn same_length<const N: usize>(lengths: [usize; N]) -> PyResult<()> {
    if lengths.iter().all(|&length| length == lengths[0]) {
        return Ok(());
    }
    Err(value_error("an array has changed its length during the call"))
}

/// Computes what `sets` become. The arrays have the same shape, and `sets` has no bytes in common with the others.
fn compute(
    how: &CallOptions,
    slider: Slider,
    squares: &PlainArray<'_, u8>,
    occs: &PlainArray<'_, u64>,
    sets: &PlainArray<'_, u64>,
) -> PyResult<()> {
    let (bytes, boards) = (read(squares)?, read(occs)?);
    let mut sets = write(sets)?;
    let sets = sets.as_slice_mut()?;
    same_length([bytes.len(), boards.len(), sets.len()])?;
    if how.in_parts(sets.len()) {
        check(squares)?; // before the first part is written
    }
    run(squares.py(), how, slider, &bytes, &boards, sets)?.map_err(|error| match error {
        BatchError::SquareOutOfRange { index, square } => {
            value_error(format!("square {square}{} is not on the board", place(index, squares.shape())))
        }
        error => value_error(error),
    })
}

/// The call to the library, in parts.
fn run(
    py: Python<'_>,
    how: &CallOptions,
    slider: Slider,
    squares: &[u8],
    occs: &[u64],
    sets: &mut [u64],
) -> PyResult<Result<(), BatchError>> {
    in_parts(py, sets.len(), PART, |part| {
        let start = part.start;
        let done = how.attacks(slider, &squares[part.clone()], &occs[part.clone()], &mut sets[part]);
        done.map_err(|error| after(error, start))
    })
}

/// The number of boards in a line of the cache.
const LINE: usize = 8;

/// The attack sets of Arrow columns of the usual types without nulls, in memory of NumPy; `None` for other columns and for
/// errors. The Arrow layer can do it all, but it writes zeros first, and does not ask for large pages.
fn usual_columns(
    py: Python<'_>,
    how: &CallOptions,
    slider: Slider,
    operands: &[Operand; 2],
) -> PyResult<Option<Array>> {
    let [Operand::Column(squares), Operand::Column(occs)] = operands else { return Ok(None) };
    let Some(numbers) = squares.as_primitive_opt::<UInt8Type>() else { return Ok(None) };
    let boards: ScalarBuffer<u64> = match occs.data_type() {
        DataType::UInt64 => occs.as_primitive::<UInt64Type>().values().clone(),
        DataType::Int64 => occs.as_primitive::<Int64Type>().values().inner().clone().into(),
        _ => return Ok(None),
    };
    if squares.len() != occs.len() || squares.null_count() + occs.null_count() > 0 {
        return Ok(None);
    }
    let sets = empty(py, &[squares.len() + LINE - 1])?;
    // Then lines end at the same rows in both: 0.93 of the time of a call for 64 Ki pairs.
    let first = (boards.as_ptr().addr().wrapping_sub(sets.data().addr()) / size_of::<u64>()) % LINE;
    let rows = first..first + squares.len();
    let done = run(py, how, slider, numbers.values(), &boards, &mut write(&sets)?.as_slice_mut()?[rows.clone()])?;
    Ok(done.is_ok().then(|| Array::of_numpy(&sets, rows)))
}

/// Squares of an Arrow column that no other thread changes. Arrow arrays never change, but pyarrow and others make them of
/// NumPy arrays without a copy. Squares that are wider than a byte will be copied anyway.
fn private_column(squares: &dyn Datum) -> Box<dyn Datum> {
    let (column, is_scalar) = squares.get();
    let copy = |bytes: &[u8]| {
        let mut copy = Vec::with_capacity(bytes.len());
        let mut room = [MaybeUninit::uninit(); COPIED];
        bytes.chunks(COPIED).for_each(|bytes| copy.extend_from_slice(private(bytes, &mut room)));
        copy
    };
    let private: ArrayRef = match column.data_type() {
        DataType::UInt8 => {
            let column = column.as_primitive::<UInt8Type>();
            Arc::new(UInt8Array::new(copy(column.values()).into(), column.nulls().cloned()))
        }
        DataType::Int8 => {
            let column = column.as_primitive::<Int8Type>();
            let bytes = ScalarBuffer::<u8>::from(column.values().inner().clone());
            let copy = ScalarBuffer::<u8>::from(copy(&bytes)).into_inner();
            Arc::new(Int8Array::new(copy.into(), column.nulls().cloned()))
        }
        _ => make_array(column.to_data()),
    };
    if is_scalar { Box::new(Scalar::new(private)) } else { Box::new(private) }
}

/// What a call returns: `out` if it was given, a number if there is but one, or the new array.
fn result<'py>(out: Option<&Bound<'py, PyAny>>, sets: PlainArray<'py, u64>) -> PyResult<Bound<'py, PyAny>> {
    match out {
        Some(out) => Ok(out.clone()),
        None if sets.ndim() == 0 => sets.get_item(()),
        None => Ok(sets.into_any()),
    }
}

fn attacks<'py>(
    slider: Slider,
    squares: &Bound<'py, PyAny>,
    occs: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    how: &CallOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let py = occs.py();
    // First the usual case, which must not take long.
    if let (Some(squares), Some(occs)) = (plain(squares), plain(occs))
        && squares.shape() == occs.shape()
    {
        let sets = match out {
            None => Some(empty(py, occs.shape())?),
            Some(out) => plain::<u64>(out).cloned().filter(|sets| {
                let (shape, bytes) = (sets.shape() == occs.shape(), addresses(sets));
                shape && !overlap(&addresses(squares), &bytes) && !overlap(&addresses(occs), &bytes)
            }),
        };
        if let Some(sets) = sets {
            compute(how, slider, squares, occs, &sets)?;
            return result(out, sets);
        }
    }
    let [squares, occs] = match Operands::new([squares, occs], ["squares", "occs"], out.is_none())? {
        Operands::Other(others) => others,
        Operands::Arrow(operands) => {
            if let Some(array) = usual_columns(py, how, slider, &operands)? {
                return Ok(Bound::new(py, array)?.into_any());
            }
            let attacks =
                |[squares, occs]: [&dyn Datum; 2]| attacks_with(how.backend, slider, &*private_column(squares), occs);
            return Ok(Bound::new(py, column(py, &operands, &how.threads, attacks)?)?.into_any());
        }
    };
    let mut inputs = PairInputs::new(Some(&squares), [&occs], ["occs"])?;
    let output = AttackOutput::new(py, out, &inputs.shape)?;
    inputs.apart_from(&addresses(&output.sets))?;
    let PairInputs { squares: Some(squares), boards: [occs], .. } = &inputs else {
        return Err(value_error("there are no squares"));
    };
    compute(how, slider, squares, occs, &output.sets)?;
    result(out, output.finish()?)
}

/// Computes the attack sets of sliders: element i of the result is the attack set of a slider on `squares[i]` with the
/// occupancy `occs[i]`.
///
/// Parameters
/// ----------
/// squares : integers from 0 (a1) to 63 (h8), of any integer type
/// occs : uint64 bitboards of all pieces, or int64 with the same bits
/// out : uint64 array or writable buffer of the shape of the result, optional
///     Receives the attack sets. It may share memory with the inputs.
/// slider : "queen", "rook" or "bishop"
/// backend : one of `backends()`; by default the fastest for this CPU
/// threads : the number of threads for calls of 32,768 pairs or more, from 1 to 256; by default 1
///
/// Arrays are NumPy arrays of any shape, objects with the buffer protocol or `__array__`, numbers or sequences. They are
/// broadcast to one shape, as in NumPy. C-contiguous arrays of uint8 and uint64 are not copied, all others once.
///
/// Arrow columns of integers (pyarrow, Polars, pandas 3, DuckDB, nanoarrow, …) are not copied either, unless they are chunked
/// or have wider squares. A row that is null in one of them is null in the result.
///
/// Returns `out` if given; an `Array` if an input is an Arrow column; a number if both inputs are numbers; otherwise a new
/// NumPy array of uint64.
///
/// Raises ValueError if a square is not on the board, if shapes do not match, or if `out` is read-only, and TypeError if an
/// argument has the wrong type. Then nothing is written to `out`. The call releases the GIL; other threads must not write to
/// the arrays meanwhile, or the result is arbitrary. If Ctrl-C interrupts a call, `out` may be partly written.
///
/// >>> import numpy as np
/// >>> import slider_attacks
/// >>> squares = np.array([0, 27], np.uint8)
/// >>> occs = np.array([0x100, 0], np.uint64)
/// >>> [hex(attacks) for attacks in slider_attacks.batch_attacks(squares, occs, slider="rook")]
/// ['0x1fe', '0x8080808f7080808']
#[pyfunction]
#[pyo3(signature = (squares, occs, out=None, *, slider="queen", backend=None, threads=1))]
pub fn batch_attacks<'py>(
    squares: &Bound<'py, PyAny>,
    occs: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    slider: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    attacks(named("slider", slider)?, squares, occs, out, &CallOptions::new(backend, threads)?)
}

/// Computes the union of the attacks of sets of sliders, one element per board.
///
/// Parameters
/// ----------
/// orthogonal : uint64 or int64 bitboards of the sliders that move along ranks and files
/// diagonal : uint64 or int64 bitboards of the sliders that move along diagonals; queens are in both
/// occs : uint64 or int64 bitboards of all pieces; sliders that are not included do not block the others
/// out, backend, threads : as for `batch_attacks`
///
/// Shapes, results and errors are as for `batch_attacks`.
///
/// >>> import slider_attacks
/// >>> hex(slider_attacks.batch_attack_sets(0x81, 0x04, 0x28d))  # rooks on a1 and h1, a bishop on c1
/// '0x818181c1a1918b7e'
#[pyfunction]
#[pyo3(signature = (orthogonal, diagonal, occs, out=None, *, backend=None, threads=1))]
pub fn batch_attack_sets<'py>(
    orthogonal: &Bound<'py, PyAny>,
    diagonal: &Bound<'py, PyAny>,
    occs: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let how = CallOptions::new(backend, threads)?;
    let (py, names) = (occs.py(), ["orthogonal", "diagonal", "occs"]);
    let boards = match Operands::new([orthogonal, diagonal, occs], names, out.is_none())? {
        Operands::Other(others) => others,
        Operands::Arrow(operands) => {
            let attacks = |[orthogonal, diagonal, occs]: [&dyn Datum; 3]| {
                attack_sets_with(how.backend, orthogonal, diagonal, occs)
            };
            return Ok(Bound::new(py, column(py, &operands, &how.threads, attacks)?)?.into_any());
        }
    };
    let mut inputs = PairInputs::new(None, boards.each_ref(), names)?;
    let output = AttackOutput::new(py, out, &inputs.shape)?;
    inputs.apart_from(&addresses(&output.sets))?;
    {
        let [orthogonal, diagonal, occs] = &inputs.boards;
        let boards = [read(orthogonal)?, read(diagonal)?, read(occs)?];
        let boards = boards.each_ref().map(|boards| &**boards);
        let mut sets = write(&output.sets)?;
        let sets = sets.as_slice_mut()?;
        same_length([sets.len(), boards[0].len(), boards[1].len(), boards[2].len()])?;
        let done = in_parts(py, sets.len(), PART, |part| {
            how.attack_sets(boards.map(|boards| &boards[part.clone()]), &mut sets[part])
        })?;
        done.map_err(value_error)?;
    }
    result(out, output.finish()?)
}
