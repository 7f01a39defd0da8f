//! Products of positions, and positions that are read once for many questions.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrow_array::builder::{LargeBinaryBuilder, StringBuilder, UInt8Builder};
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, StructArray, UInt64Array};
use arrow_schema::{DataType, Field};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use rayon::prelude::*;
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{BatchBuilder, Error, MOST_ERRORS, OnError, Plan, PositionArray, Product};

use crate::arrays::{boards, read};
use crate::capsule;
use crate::columns::{Array, Batch, arrow_error, error_list, one, view};
use crate::numbers::{named, on_error, square, type_error, type_name, value_error};
use crate::plan::plan;
use crate::work::{Threads, between, count, in_background, in_parts, memory_for, room};

/// The number of rows that a thread reads between two looks for signals: 30 ms of work for the longest products.
const PART: usize = 1 << 16;

/// From this many positions on, products are computed where a signal can be heard meanwhile: 3 ms of work or more. A thread
/// takes 0.05 ms.
const MANY: usize = 1 << 18;

/// The bytes of a position that has been read.
const POSITION: usize = 15 * 8 + 4;

/// The bytes of a position as text, about.
const FEN: usize = 64;

/// The columns of positions that `object` has: an Arrow column of text or a table of bitboards, in pieces; a dictionary of
/// bitboards; or texts.
fn rows(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if let Some(arrays) = capsule::import(object)? {
        return Ok(arrays);
    }
    if let Ok(columns) = object.cast::<PyDict>() {
        return Ok(vec![table(columns)?]);
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(type_error("positions are a sequence of texts, not one text: put it into a list"));
    }
    Ok(vec![texts(object)?])
}

/// The texts of a sequence of `str`, `bytes` and `None`.
fn texts(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let mut texts = LargeBinaryBuilder::new();
    let items = object.try_iter().map_err(|_| {
        let kind = type_name(object);
        type_error(format!("positions are an Arrow column or table, a sequence of texts, or a dictionary, not {kind}"))
    })?;
    for (row, text) in items.enumerate() {
        let text = text?;
        between(object.py(), row)?;
        if row.is_power_of_two() {
            memory_for(3 * texts.values_slice().len())?; // about as many more, and a copy as the memory grows
        }
        if let Ok(text) = text.cast::<PyString>() {
            texts.append_value(text.to_str()?);
        } else if let Ok(text) = text.cast::<PyBytes>() {
            texts.append_value(text.as_bytes());
        } else if text.is_none() {
            texts.append_null();
        } else {
            return Err(type_error(format!("row {row}: positions are text, not {}", type_name(&text))));
        }
    }
    Ok(Arc::new(texts.finish()))
}

/// A table of the columns of a dictionary: Arrow columns, texts, or numbers.
fn table(columns: &Bound<'_, PyDict>) -> PyResult<ArrayRef> {
    let mut fields = Vec::new();
    for (name, column) in columns {
        let name = name.cast::<PyString>()?.to_str()?.to_owned();
        let array: ArrayRef = if let Some(arrays) = capsule::import(&column)? {
            one(&arrays)?
        } else if name == "side_to_move" || name == "castling" {
            texts(&column)?
        } else if name == "en_passant" {
            let mut numbers = UInt8Builder::new();
            for (row, number) in column.try_iter()?.enumerate() {
                let number = number?;
                between(column.py(), row)?;
                let place = || format!(" in row {row}");
                let number = (!number.is_none()).then(|| square(&number, place)).transpose()?;
                numbers.append_option(number.map(u8::from));
            }
            Arc::new(numbers.finish())
        } else {
            let boards = boards(&column, &name)?;
            if boards.ndim() != 1 {
                return Err(value_error(format!("{name} has {} dimensions, not one", boards.ndim())));
            }
            let boards = read(&boards)?;
            let mut copy = room(boards.len())?;
            copy.extend_from_slice(&boards);
            Arc::new(UInt64Array::from(copy))
        };
        fields.push((Arc::new(Field::new(name, array.data_type().clone(), true)), array));
    }
    if fields.is_empty() {
        return Err(type_error("the dictionary has no columns"));
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    StructArray::try_new(fields.into(), arrays, None).map(|table| Arc::new(table) as ArrayRef).map_err(value_error)
}

/// The rows of `range`, as slices of the pieces of a column.
fn slices(arrays: &[ArrayRef], range: &Range<usize>) -> Vec<ArrayRef> {
    let mut slices = Vec::new();
    let mut start = 0;
    for array in arrays {
        let (from, to) = (range.start.max(start), range.end.min(start + array.len()));
        if from < to {
            slices.push(array.slice(from - start, to - from));
        }
        start += array.len();
    }
    slices
}

/// The memory of a row of these columns. Threats and reasons have as much as they need: here some more than usual, and a copy
/// as they grow.
fn row_bytes(plan: &Plan) -> usize {
    let bytes = |kind: &DataType| match kind {
        DataType::FixedSizeList(..) => 64,
        DataType::List(_) => 160,
        DataType::Utf8 => 240,
        _ => 8,
    };
    plan.schema().fields().iter().map(|field| bytes(field.data_type())).sum()
}

/// Computes the rows of a column. Each thread takes one range of rows, and all of them stop from time to time.
fn compute(py: Python<'_>, plan: &Plan, arrays: &[ArrayRef], threads: &Threads) -> PyResult<Batch> {
    /// The rows of a thread.
    struct Share {
        builder: BatchBuilder,
        start: usize,
        length: usize,
    }
    /// A row that cannot be read, the share that has it, and up to which of their rows the shares before it have been read.
    struct Bad {
        error: Error,
        share: usize,
        read: usize,
    }
    let rows: usize = arrays.iter().map(|array| array.len()).sum();
    let most = if let Threads::Pool(pool) = threads { pool.current_num_threads() } else { 1 };
    let length = rows.div_ceil(most).max(1024);
    // Several shares are joined in the end.
    memory_for(rows.saturating_mul(row_bytes(plan)).saturating_mul(if length < rows { 2 } else { 1 }))?;
    let mut shares: Vec<Share> = (0..rows.max(1))
        .step_by(length)
        .map(|start| {
            let length = length.min(rows - start);
            Share { builder: plan.builder(length), start, length }
        })
        .collect();
    let append = |share: &mut Share, part: &Range<usize>| {
        let range = share.start + part.start.min(share.length)..share.start + part.end.min(share.length);
        slices(arrays, &range).iter().try_for_each(|rows| share.builder.append(rows))
    };
    // A column without rows is looked at for its type.
    if rows == 0 {
        arrays.iter().try_for_each(|rows| shares[0].builder.append(rows)).map_err(arrow_error)?;
    }
    let done = in_parts(py, length.min(rows), PART, |part| {
        let outcomes: Vec<Result<(), Error>> = match threads {
            Threads::Own => shares.iter_mut().map(|share| append(share, &part)).collect(),
            Threads::Pool(pool) => pool.install(|| shares.par_iter_mut().map(|share| append(share, &part)).collect()),
        };
        let first = outcomes.into_iter().enumerate().find_map(|(share, outcome)| Some((share, outcome.err()?)));
        first.map_or(Ok(()), |(share, error)| Err(Bad { error, share, read: part.end }))
    })?;
    if let Err(Bad { error, share, read }) = done {
        let error = error.after(shares[share].start);
        let unread =
            shares[..share].iter().map(|share| share.start + read.min(share.length)..share.start + share.length);
        let unread: Vec<Range<usize>> = unread.collect();
        drop(shares);
        let before = if error.row().is_some() { first_error(py, arrays, &unread, threads)? } else { None };
        return Err(arrow_error(before.unwrap_or(error)));
    }
    py.detach(|| {
        let (mut errors, mut error_count) = (Vec::new(), 0);
        let mut batches = Vec::with_capacity(shares.len());
        for share in shares {
            let left = MOST_ERRORS - errors.len();
            errors.extend(share.builder.errors().iter().take(left).map(|error| error.clone().after(share.start)));
            error_count += share.builder.error_count();
            batches.push(share.builder.finish().map_err(arrow_error)?);
        }
        if let [batch] = &batches[..] {
            return Ok(Batch::new(batch.clone()).with_errors(errors, error_count));
        }
        let tables = batches.into_iter().map(|batch| Arc::new(StructArray::from(batch)) as ArrayRef);
        let table = one(&tables.collect::<Vec<_>>())?;
        Ok(Batch::new(RecordBatch::from(table.as_struct())).with_errors(errors, error_count))
    })
}

/// The error of the first of these rows that cannot be read, if there is one. The threads share the rows; nothing but the
/// positions is read.
fn first_error(
    py: Python<'_>,
    arrays: &[ArrayRef],
    rows: &[Range<usize>],
    threads: &Threads,
) -> PyResult<Option<Error>> {
    /// The rows that a thread reads at a time.
    const PIECE: usize = 1 << 14;
    let pieces = rows.iter().flat_map(|rows| {
        rows.clone().step_by(PIECE).map(|start| start..rows.end.min(start + PIECE)).collect::<Vec<_>>()
    });
    let pieces: Vec<Range<usize>> = pieces.collect();
    let plan = Plan::new([Product::Maps; 0]);
    let error = |rows: &Range<usize>| {
        let mut read = plan.builder(0);
        let outcome = slices(arrays, rows).iter().try_for_each(|rows| read.append(rows));
        outcome.err().map(|error| error.after(rows.start))
    };
    let at_once = if let Threads::Pool(pool) = threads { 2 * pool.current_num_threads() } else { 1 };
    for pieces in pieces.chunks(at_once) {
        let errors: Vec<Option<Error>> = py.detach(|| match threads {
            Threads::Own => pieces.iter().map(error).collect(),
            Threads::Pool(pool) => pool.install(|| pieces.par_iter().map(error).collect()),
        });
        if let Some(error) = errors.into_iter().flatten().next() {
            return Ok(Some(error));
        }
        py.check_signals()?;
    }
    Ok(None)
}

/// What is attacked in positions: columns of products, one row per position.
///
/// Parameters
/// ----------
/// fens : the positions, FEN or EPD
///     An Arrow column of text of any kind (pyarrow, Polars, pandas 3, DuckDB, nanoarrow, …) or a table that has no other column;
///     a sequence of str, bytes and None; or bitboards, as `Positions` takes them.
/// what : names of products, or one name
///     `products()` lists them, with what each of them is.
/// on_error : what becomes of rows that cannot be read
///     "raise"; "null" makes them null; "report" does so and adds a column `error`, which says why; "skip" leaves them out.
///     `errors` of the result tells of them as well.
/// integers : "unsigned", or "signed" for engines without unsigned integers: the same bits as int64 and int8
/// through : "any", "own" or "enemy", the pieces that x-rays pass through, as seen from the slider
/// victims : "enemy", "own" or "any", the pieces that threats are listed for, as seen from the attacker
/// backend : one of `backends()`; without it, the fastest one for this CPU
/// threads : how many threads compute, from 1 to 256
///
/// Returns a `Batch`. A set of squares is uint64. Numbers per square are lists of 64 uint8, a1 first. Threats are lists of
/// structs of four uint8: attacker and victim are codes of letters of FEN, from and to are numbers of squares.
/// A null row is null in the result.
///
/// Raises ValueError with the row, from 0, and the column, from 1, if a text is not a position, and TypeError if something has
/// the wrong type.
///
/// >>> import slider_attacks
/// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
/// >>> hex(batch["white_attacks"].to_numpy()[0])
/// '0x10101010101393e'
#[pyfunction]
#[pyo3(signature = (
    fens, what=None, *, on_error="raise", integers="unsigned", through="any", victims="enemy", backend=None, threads=1
), text_signature = "(fens, what=('maps',), *, on_error='raise', integers='unsigned', through='any', victims='enemy', \
                     backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn analyze(
    fens: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    on_error: &str,
    integers: &str,
    through: &str,
    victims: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
) -> PyResult<Batch> {
    let py = fens.py();
    let plan = plan(what, integers, through, victims, backend)?;
    let plan = plan.on_error(self::on_error(on_error, OnError::ALL)?);
    compute(py, &plan, &rows(fens)?, &Threads::new(threads)?)
}

/// Positions that are read once, for any number of questions. They never change.
///
/// Parameters
/// ----------
/// positions : FEN or EPD, or bitboards
///     As text, what `analyze` takes. As bitboards, an Arrow table or a dictionary of columns `white_pawn`, `white_knight`,
///     `white_bishop`, `white_rook`, `white_queen`, `white_king`, `black_pawn`, … `black_king`, uint64 or int64, and if known,
///     `side_to_move` ("w" or "b"), `castling` ("KQkq", "-") and `en_passant` (the number of a square, or null).
/// on_error : what becomes of rows that cannot be read
///     "raise"; "null" keeps them as null rows; "skip" leaves them out. `errors` tells of them.
///
/// Raises ValueError with the row if it is not a position, and TypeError if something has the wrong type.
///
/// >>> import slider_attacks
/// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
/// >>> hex(positions.pieces("white", "rook")[0]), hex(positions.occupancies[0])
/// ('0x1', '0x1000000000000011')
/// >>> positions.analyze(["maps", "pins"])
/// <slider_attacks.Batch: 1 rows of white_attacks, black_attacks, white_king_checkers, black_king_checkers, white_pinned, black_pinned>
/// >>> positions.fens().tolist()
/// ['4k3/8/8/8/8/8/8/R3K3 w Q -']
#[pyclass(frozen, module = "slider_attacks")]
pub struct Positions(Arc<PositionArray>);

/// Boards of these positions for Python, without a copy.
fn boards_of<'py>(positions: &Bound<'py, Positions>, boards: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the boards belong to the object, which is never changed.
    unsafe { view(boards, positions) }
}

#[pymethods]
impl Positions {
    #[new]
    #[pyo3(signature = (positions, *, on_error="raise"))]
    fn new(positions: &Bound<'_, PyAny>, on_error: &str) -> PyResult<Positions> {
        let on_error = self::on_error(on_error, &[OnError::Fail, OnError::Skip, OnError::Null])?;
        let arrays = rows(positions)?;
        let rows: usize = arrays.iter().map(|array| array.len()).sum();
        memory_for(rows.saturating_mul(2 * POSITION))?; // and a copy as the memory grows
        let mut read = PositionArray::with(on_error);
        let mut append = |array: &ArrayRef| read.append(array);
        if rows == 0 {
            arrays.iter().try_for_each(&mut append).map_err(arrow_error)?;
        }
        let done =
            in_parts(positions.py(), rows, PART, |part| slices(&arrays, &part).iter().try_for_each(&mut append))?;
        done.map_err(arrow_error)?;
        Ok(Positions(Arc::new(read)))
    }

    /// Columns of products, one row per position: the function `analyze` for positions that have been read.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    /// >>> positions.analyze("counts")["white_attackers"].to_numpy()[0, :8].tolist()
    /// [0, 1, 1, 2, 1, 1, 0, 0]
    #[pyo3(signature = (
        what=None, *, integers="unsigned", through="any", victims="enemy", backend=None
    ), text_signature = "($self, what=('maps',), *, integers='unsigned', through='any', victims='enemy', backend=None)")]
    fn analyze(
        &self,
        py: Python<'_>,
        what: Option<&Bound<'_, PyAny>>,
        integers: &str,
        through: &str,
        victims: &str,
        backend: Option<&str>,
    ) -> PyResult<Batch> {
        let plan = plan(what, integers, through, victims, backend)?;
        memory_for(self.0.len().saturating_mul(row_bytes(&plan)))?;
        let batch = if self.0.len() < MANY {
            py.detach(|| plan.batch(&self.0))
        } else {
            let plans: Vec<Plan> = plan.products().iter().map(|product| plan.clone().what([product])).collect();
            let positions = self.0.clone();
            in_background(py, move |wanted| {
                let mut columns = Vec::new();
                for plan in plans.iter().take_while(|_| wanted.load(Relaxed)) {
                    columns.extend_from_slice(plan.batch(&positions)?.columns());
                }
                let options = RecordBatchOptions::new().with_row_count(Some(positions.len()));
                // Some columns are missing if nobody wants them any more.
                let schema = plan.schema().project(&(0..columns.len()).collect::<Vec<_>>());
                let batch =
                    schema.and_then(|schema| RecordBatch::try_new_with_options(schema.into(), columns, &options));
                Ok(batch.expect("the columns are those of the plan"))
            })?
        };
        Ok(Batch::new(batch.map_err(arrow_error)?).with_errors(self.0.errors().to_vec(), self.0.error_count()))
    }

    /// The squares of one kind of piece of one colour, as a read-only array of uint64, without a copy.
    ///
    /// Null rows hold two kings, white on h1 and black on a8.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).pieces("white", "king").tolist()
    /// [16]
    fn pieces<'py>(slf: &Bound<'py, Self>, color: &str, piece: &str) -> PyResult<Bound<'py, PyAny>> {
        let boards = slf.get().0.positions().pieces(named("color", color)?, named::<Piece>("piece", piece)?);
        boards_of(slf, boards)
    }

    /// The squares of all pieces of one colour, as a read-only array of uint64, without a copy.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).color("white").tolist()
    /// [17]
    fn color<'py>(slf: &Bound<'py, Self>, color: &str) -> PyResult<Bound<'py, PyAny>> {
        let boards = slf.get().0.positions().color(named::<Color>("color", color)?);
        boards_of(slf, boards)
    }

    /// The squares of all pieces, as a read-only array of uint64, without a copy.
    #[getter]
    fn occupancies<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        boards_of(slf, slf.get().0.positions().occupancies())
    }

    /// The columns of bitboards that `Positions` takes, and `side_to_move`, `castling` and `en_passant`.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    /// >>> slider_attacks.Positions(positions.boards()).fens().tolist() == positions.fens().tolist()
    /// True
    #[pyo3(signature = (integers="unsigned"))]
    fn boards(&self, py: Python<'_>, integers: &str) -> PyResult<Batch> {
        let integers = named("integers", integers)?;
        memory_for(self.0.len().saturating_mul(POSITION))?;
        if self.0.len() < MANY {
            return Ok(Batch::new(py.detach(|| self.0.boards(integers))));
        }
        let positions = self.0.clone();
        in_background(py, move |_| positions.boards(integers)).map(Batch::new)
    }

    /// The first four fields of FEN for each position, as an Arrow array of text.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", None]).fens().tolist()
    /// ['4k3/8/8/8/8/8/8/R3K3 w Q -', None]
    ///
    /// Raises ValueError if they have more than 2 GiB together.
    fn fens(&self, py: Python<'_>) -> PyResult<Array> {
        let positions = &self.0;
        memory_for(positions.len().saturating_mul(2 * FEN))?; // and a copy as the memory grows
        let mut fens = StringBuilder::with_capacity(positions.len(), FEN * positions.len());
        let done = in_parts(py, positions.len(), PART, |rows| {
            // An array of texts holds no more.
            if i32::try_from(fens.values_slice().len() + 90 * rows.len()).is_err() {
                return Err(rows.start);
            }
            rows.for_each(|row| {
                fens.append_option((!positions.is_null(row)).then(|| positions.positions().fen(row)));
            });
            Ok(())
        })?;
        done.map_err(|row| value_error(format!("the first {row} of {} texts have 2 GiB", positions.len())))?;
        Ok(Array::new(Arc::new(fens.finish())))
    }

    /// The number of rows that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.nulls().map_or(0, |nulls| nulls.null_count())
    }

    /// Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
    /// first 1,000; `error_count` is the number of all.
    #[getter]
    fn errors(&self) -> Vec<(usize, String)> {
        error_list(self.0.errors())
    }

    /// The number of rows that were not null and could not be read.
    #[getter]
    fn error_count(&self) -> usize {
        self.0.error_count()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<slider_attacks.Positions: {}, {} null>", self.0.len(), self.null_count())
    }
}
