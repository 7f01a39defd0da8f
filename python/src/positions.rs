//! Positions that are read once for many questions.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array as _, RecordBatch, StringArray, StructArray};
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use slider_attacks::BatchError;
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Piece, Positions as Boards};
use slider_attacks_arrow::{Integers, OnError, PositionArray, Share, UncomputedRows};

use crate::batch::Batch;
use crate::chosen::ChosenRows;
use crate::columns::{Array, moves, view};
use crate::conditions::{MemoryCondition, condition, query};
use crate::errors::{PythonErrors, arrow_error};
use crate::index::{Index, IndexRows};
use crate::items::{Items, ListableRows};
use crate::numbers::{backend, named, on_error, value_error};
use crate::options::options;
use crate::pandas::PandasIndex;
use crate::pickle;
use crate::plan::{PART, memory_for_rows, plan, plan_of};
use crate::rows::{self, POSITION, push};
use crate::summary::{Summary, SummaryWhat, of_positions};
use crate::work::{Threads, count, in_background, in_parts, memory_for, room};

/// From this many positions on, they become columns where a signal can be heard meanwhile: 3 ms of work or more. A thread
/// takes 0.05 ms.
const MANY: usize = 1 << 18;

/// The moves of so many positions are made at a time: 10 ms of work.
const PARENTS: usize = 1 << 15;

/// The bytes of a position as text, about.
const FEN: usize = 64;

/// Positions that are parsed once, for any number of calls. They are immutable.
///
/// `positions[i]` is the first four fields of the FEN of a row, or None if it is null; iteration yields those of all rows.
/// `positions[a:b]` is a copy of some rows, without `errors`, and so are `positions[mask]` and `positions[numbers]`, with a mask such
/// as that of `matches`, or the numbers of rows. `len(positions)` is the number of rows. `==` compares positions,
/// with side to move, castling and en passant, and null rows.
///
/// Parameters
/// ----------
/// positions : FEN or EPD, or bitboards
///     Text, as for `analyze`; or bitboards: an Arrow table or a dictionary of columns `white_pawn`, `white_knight`,
///     `white_bishop`, `white_rook`, `white_queen`, `white_king`, `black_pawn`, … `black_king`, uint64 or int64, and optionally
///     `side_to_move` ("w" or "b"), `castling` ("KQkq", "-") and `en_passant` (the number of a square, or null).
/// column : the column of a table that contains the positions as text, as in `analyze`
/// on_error : how to handle malformed rows
///     "raise"; "null" keeps them as null rows; "skip" leaves them out. `errors` lists them.
/// threads : the number of threads, from 1 to 256; by default 1
///
/// Raises ValueError with the row if a position is malformed, and TypeError if an argument has the wrong type.
///
/// >>> import slider_attacks
/// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
/// >>> hex(positions.pieces("white", "rook")[0]), hex(positions.occupancies[0])
/// ('0x1', '0x1000000000000011')
/// >>> print(positions.analyze("maps"))
/// slider_attacks.Batch: 1 row, 2 columns
///                type    0
/// white_attacks  uint64  0x10101010101393e
/// black_attacks  uint64  0x2838000000000000
/// >>> positions[0]
/// '4k3/8/8/8/8/8/8/R3K3 w Q -'
#[pyclass(frozen, eq, module = "slider_attacks")]
pub struct Positions {
    array: Arc<PositionArray>,
    errors: Arc<PythonErrors>,
    index: PandasIndex,
}

impl PartialEq for Positions {
    fn eq(&self, other: &Positions) -> bool {
        let nulls = |positions: &Positions| positions.array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        self.array.positions() == other.array.positions() && nulls(self) == nulls(other)
    }
}

impl Positions {
    /// The positions themselves.
    pub fn array(&self) -> &PositionArray {
        &self.array
    }

    /// These positions for Python, and the index of their rows.
    fn of(positions: PositionArray, index: PandasIndex) -> Positions {
        let errors = PythonErrors::new(positions.errors(), positions.error_count());
        Positions { array: Arc::new(positions), errors: Arc::new(errors), index }
    }

    /// The positions of columns that [`boards`](Positions::boards) has given, and what was wrong with others.
    pub fn restored(
        py: Python<'_>,
        columns: RecordBatch,
        errors: PythonErrors,
        index: PandasIndex,
    ) -> PyResult<Positions> {
        memory_for(columns.num_rows().saturating_mul(POSITION))?;
        let positions = py.detach(|| PositionArray::read(&StructArray::from(columns))).map_err(arrow_error)?;
        Ok(Positions { array: Arc::new(positions), errors: Arc::new(errors), index })
    }

    /// A copy of some of the positions.
    fn some(&self, py: Python<'_>, rows: &IndexRows, index: PandasIndex) -> PyResult<Positions> {
        memory_for(rows.len().saturating_mul(POSITION))?;
        let (all, nulls) = (self.array.positions(), self.array.nulls());
        let mut some = Boards::with_capacity(rows.len());
        let mut from = rows.iter();
        in_parts(py, rows.len(), PART, |part| {
            from.by_ref().take(part.len()).try_for_each(|row| push(all, row, &mut some))
        })?
        .map_err(value_error)?;
        let nulls = nulls.map(|nulls| rows.iter().map(|row| nulls.is_valid(row)).collect());
        Ok(Positions::of(PositionArray::from_parts(some, nulls), index))
    }

    /// The bitboards in columns.
    fn columns(&self, py: Python<'_>, integers: Integers) -> PyResult<RecordBatch> {
        memory_for(self.array.len().saturating_mul(POSITION))?;
        if self.array.len() < MANY {
            return Ok(py.detach(|| self.array.boards(integers)));
        }
        let positions = self.array.clone();
        in_background(py, move |_| positions.boards(integers))
    }

    /// A number of each row.
    fn numbers<'py, T: Element + Send>(
        &self,
        py: Python<'py>,
        number: impl Fn(&Boards, usize) -> T + Send + Sync,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        let (positions, mut numbers) = (self.array.positions(), room(self.array.len())?);
        in_parts(py, positions.len(), PART, |rows| {
            numbers.extend(rows.map(|row| number(positions, row)));
            Ok::<_, PyErr>(())
        })??;
        Ok(PyArray1::from_vec(py, numbers))
    }

    fn fen(&self, row: usize) -> Option<String> {
        (!self.array.is_null(row)).then(|| self.array.positions().fen(row))
    }
}

/// The squares of the rooks that may castle.
fn castling_rooks(positions: &Boards, row: usize) -> u64 {
    let of = |color| {
        let boards = |piece| positions.pieces(color, piece)[row];
        positions.castling()[row].rooks(color, boards(Piece::King), boards(Piece::Rook))
    };
    of(Color::White) | of(Color::Black)
}

/// The first four fields of FEN for each position, which must have less than 2 GiB.
pub fn fens(py: Python<'_>, positions: &PositionArray) -> PyResult<StringArray> {
    memory_for(positions.len().saturating_mul(2 * FEN))?; // and a copy as the memory grows
    let mut fens = StringBuilder::with_capacity(positions.len(), FEN * positions.len());
    let done = in_parts(py, positions.len(), PART, |rows| {
        // An array of texts holds no more.
        if i32::try_from(fens.values_slice().len() + 90 * rows.len()).is_err() {
            return Err(rows.start);
        }
        let texts = positions.positions().slice(rows.clone()).fens();
        for (row, text) in rows.zip(texts.iter()) {
            fens.append_option(Some(text).filter(|_| !positions.is_null(row)));
        }
        Ok(())
    })?;
    done.map_err(|row| value_error(format!("the first {row} of {} texts have 2 GiB", positions.len())))?;
    Ok(fens.finish())
}

/// The index of rows that came from pandas, or that of results.
pub fn index_of(rows: &Bound<'_, PyAny>) -> PyResult<PandasIndex> {
    if let Ok(batch) = rows.cast_exact::<Batch>() {
        return Ok(batch.get().index().clone());
    }
    if let Ok(positions) = rows.cast_exact::<Positions>() {
        return Ok(positions.get().index.clone());
    }
    PandasIndex::of(rows)
}

impl ListableRows for Positions {
    fn rows(&self) -> usize {
        self.array.len()
    }

    fn list<'py>(&self, py: Python<'py>, rows: Range<usize>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, rows.map(|row| self.fen(row)).collect::<Vec<_>>())
    }
}

/// Boards of these positions for Python, without a copy.
fn boards_of<'py>(positions: &Bound<'py, Positions>, boards: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the boards belong to the object, which is never changed.
    unsafe { view(boards, positions) }
}

#[pymethods]
impl Positions {
    #[new]
    #[pyo3(signature = (positions, *, column="fen", on_error="raise", threads=1))]
    fn new(
        positions: &Bound<'_, PyAny>,
        column: &str,
        on_error: &str,
        #[pyo3(from_py_with = count)] threads: usize,
    ) -> PyResult<Positions> {
        let on_error = self::on_error(on_error, &[OnError::Fail, OnError::Skip, OnError::Null])?;
        let threads = Threads::new(threads)?;
        let arrays = rows::rows(positions, column)?;
        let read = rows::positions(positions.py(), &arrays, on_error, &threads)?;
        let index = index_of(positions)?.without(positions.py(), read.skipped_rows())?;
        Ok(Positions::of(read, index))
    }

    /// Columns of products, one row per position: the function `analyze` for positions that have been read. A condition in `where`
    /// names no columns.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    /// >>> positions.analyze("counts")["white_attackers"].to_numpy()[0, :8].tolist()
    /// [0, 1, 1, 2, 1, 1, 0, 0]
    #[pyo3(signature = (
        what=None, *, r#where=None, integers="unsigned", backend=None, threads=1, **options
    ), text_signature = "($self, what='maps', *, where=None, integers='unsigned', \
                         through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                         backend=None, threads=1)")]
    #[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
    fn analyze(
        &self,
        py: Python<'_>,
        what: Option<&Bound<'_, PyAny>>,
        r#where: Option<&str>,
        integers: &str,
        backend: Option<&str>,
        #[pyo3(from_py_with = count)] threads: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Batch> {
        let plan = plan(what, integers, self::options("Positions.analyze", options)?, backend)?;
        let (query, threads) = (condition(r#where, false)?, Threads::new(threads)?);
        let positions = self.array.as_ref();
        if let Some(query) = query {
            let condition = &MemoryCondition::without_columns(query, &plan)?;
            let (on_error, integers) = (OnError::Skip, named("integers", integers)?);
            let chosen = ChosenRows { plan: &plan, on_error, integers, condition };
            let batch = chosen.of_positions(py, positions, self.index.clone(), &threads)?;
            return Ok(batch.with(PythonErrors::clone(&self.errors)));
        }
        memory_for_rows(&plan, positions.len())?;
        let mut builder = plan.builder(positions.len());
        let done = in_parts(py, positions.len(), threads.part(PART), |part| {
            let piece = threads.piece(part.len());
            let pieces = part.clone().step_by(piece);
            let pieces: Vec<UncomputedRows<'_>> =
                pieces.map(|start| UncomputedRows::Positions(positions, start..part.end.min(start + piece))).collect();
            builder.append_shared(&pieces, |shares| threads.for_each(shares, Share::compute))
        })?;
        done.map_err(arrow_error)?;
        Ok(Batch::finish(py, builder)?.with(PythonErrors::clone(&self.errors)).with_index(self.index.clone()))
    }

    /// Whether a condition, as `where` of `read` has it, holds for each position: a NumPy array of bool. It does not hold for null
    /// rows. Options are those of the products that it names.
    ///
    /// Raises ValueError, with the column of the text, if the condition is malformed, and if it names a column, which positions
    /// do not have: `analyze` and `Batch.where` take tables.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
    /// >>> positions.matches("white_rooks and turn = white")
    /// array([ True, False])
    #[pyo3(signature = (
        condition, *, backend=None, threads=1, **options
    ), text_signature = "($self, condition, *, \
                         through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                         backend=None, threads=1)")]
    fn matches<'py>(
        &self,
        py: Python<'py>,
        condition: &str,
        backend: Option<&str>,
        #[pyo3(from_py_with = count)] threads: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let plan = plan_of(Vec::new(), "unsigned", self::options("Positions.matches", options)?, backend)?;
        let condition = MemoryCondition::without_columns(query(condition)?, &plan)?;
        condition.mask(py, &self.array, &Threads::new(threads)?)
    }

    /// Products summed square by square: the function `summarize` for positions that have been read. The keys of groups are
    /// "side" and "phase". Null rows are left out. A condition in `where` names no columns.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
    /// >>> positions.summarize("maps", by="side").groups
    /// [{'side': 'white'}, {'side': 'black'}]
    #[pyo3(signature = (
        what=None, *, by=None, r#where=None, backend=None, threads=1, **options
    ), text_signature = "($self, what='counts', *, by=(), where=None, \
                         through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                         backend=None, threads=1)")]
    #[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
    fn summarize(
        &self,
        py: Python<'_>,
        what: Option<&Bound<'_, PyAny>>,
        by: Option<&Bound<'_, PyAny>>,
        r#where: Option<&str>,
        backend: Option<&str>,
        #[pyo3(from_py_with = count)] threads: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Summary> {
        let options = self::options("Positions.summarize", options)?;
        of_positions(
            py,
            &self.array,
            SummaryWhat::new(what, by, "skip", options, backend)?,
            condition(r#where, false)?,
            threads,
        )
    }

    /// The positions after each move of a column of lists, such as "moves": the lists of these positions, one after the other.
    /// `moves.offsets` says which belong to a row. Null rows have none. The moves are those of the
    /// board as it is, not of `perspective="mover"`.
    ///
    /// Raises ValueError if there is not one list for each position, and with the row of the first move that its position
    /// does not have.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["7k/R7/6K1/8/8/8/8/8 w - -"])
    /// >>> list(positions.after(positions.analyze("mating_moves")["mating_moves"]))
    /// ['R6k/8/6K1/8/8/8/8/8 b - -']
    #[pyo3(signature = (moves, *, backend=None))]
    fn after(&self, py: Python<'_>, moves: &Bound<'_, Array>, backend: Option<&str>) -> PyResult<Positions> {
        let (array, backend) = (moves.get().array(), self::backend(backend)?);
        let (lists, moves) = self::moves(array)?;
        if lists.len() != self.array.len() {
            let (positions, lists) = (self.array.len(), lists.len());
            return Err(value_error(BatchError::ListLengthMismatch { positions, lists }));
        }
        let ends = lists.value_offsets();
        let count = (ends[lists.len()] - ends[0]) as usize;
        memory_for((count + PARENTS * 32).saturating_mul(POSITION))?;
        let (mut all, mut some, mut legal) = (Boards::with_capacity(count), Boards::new(), Moves::new());
        in_parts(py, self.array.len(), PARENTS, |rows| {
            legal.clear();
            for row in rows.clone() {
                let has_moves = lists.is_valid(row) && !self.array.is_null(row);
                let moves = &moves[ends[row] as usize..ends[row + 1] as usize];
                legal.push(if has_moves { moves } else { &[] });
            }
            backend.after(self.array.positions().slice(rows.clone()), &legal, &mut some).map_err(
                |error| match error {
                    BatchError::WrongMove { position, mv } => {
                        BatchError::WrongMove { position: rows.start + position, mv }
                    }
                    error => error,
                },
            )?;
            all.extend_from(&some);
            Ok(())
        })?
        .map_err(|error: BatchError| value_error(error))?;
        Ok(Positions::of(PositionArray::from(all), PandasIndex::default()))
    }

    /// The squares of one kind of piece of one colour, as a read-only array of uint64, without a copy.
    ///
    /// Null rows hold two kings, white on h1 and black on a8.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).pieces("white", "king").tolist()
    /// [16]
    fn pieces<'py>(slf: &Bound<'py, Self>, color: &str, piece: &str) -> PyResult<Bound<'py, PyAny>> {
        let boards = slf.get().array.positions().pieces(named("color", color)?, named::<Piece>("piece", piece)?);
        boards_of(slf, boards)
    }

    /// The squares of all pieces of one colour, as a read-only array of uint64, without a copy.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).color("white").tolist()
    /// [17]
    fn color<'py>(slf: &Bound<'py, Self>, color: &str) -> PyResult<Bound<'py, PyAny>> {
        let boards = slf.get().array.positions().color(named::<Color>("color", color)?);
        boards_of(slf, boards)
    }

    /// The squares of all pieces, as a read-only array of uint64, without a copy.
    #[getter]
    fn occupancies<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        boards_of(slf, slf.get().array.positions().occupancies())
    }

    /// The side to move of each position, as an array of uint8: 0 for White, 1 for Black. Null rows hold 0.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 b - -"]).side_to_move
    /// array([0, 1], dtype=uint8)
    #[getter]
    fn side_to_move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        self.numbers(py, |positions, row| positions.side_to_move()[row] as u8)
    }

    /// The castling rights of each position, as an array of uint64: the squares of the rooks that may castle. Null rows hold 0.
    ///
    /// >>> import slider_attacks
    /// >>> [hex(rooks) for rooks in slider_attacks.Positions(["r3k3/8/8/8/8/8/8/R3K2R w Kq -"]).castling]
    /// ['0x100000000000080']
    #[getter]
    fn castling<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        self.numbers(py, castling_rooks)
    }

    /// The en passant square of each position, as an array of int8: -1 if there is none, as in null rows.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/4P3/8/8/4K3 b - e3", "4k3/8/8/8/8/8/8/4K3 w - -"]).en_passant
    /// array([20, -1], dtype=int8)
    #[getter]
    fn en_passant<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.numbers(py, |positions, row| positions.en_passant()[row].map_or(-1, |square| square.index() as i8))
    }

    /// The columns of bitboards that `Positions` takes, and `side_to_move`, `castling` and `en_passant`.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    /// >>> slider_attacks.Positions(positions.boards()).fens().tolist() == positions.fens().tolist()
    /// True
    #[pyo3(signature = (integers="unsigned"))]
    fn boards(&self, py: Python<'_>, integers: &str) -> PyResult<Batch> {
        Ok(Batch::new(self.columns(py, named("integers", integers)?)?).with_index(self.index.clone()))
    }

    /// The first four fields of FEN for each position, as an Arrow array of text.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", None]).fens().tolist()
    /// ['4k3/8/8/8/8/8/8/R3K3 w Q -', None]
    ///
    /// Raises ValueError if they have more than 2 GiB together.
    fn fens(&self, py: Python<'_>) -> PyResult<Array> {
        Ok(Array::new(Arc::new(fens(py, &self.array)?)))
    }

    /// The number of rows that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.array.nulls().map_or(0, |nulls| nulls.null_count())
    }

    /// Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
    /// first 1,000; `error_count` is the number of all.
    #[getter]
    fn errors(&self) -> Vec<(usize, String)> {
        self.errors.first.clone()
    }

    /// The number of rows that were not null and could not be read.
    #[getter]
    fn error_count(&self) -> usize {
        self.errors.count
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __iter__(&self) -> Items {
        Items::new(Box::new(Positions {
            array: self.array.clone(),
            errors: self.errors.clone(),
            index: PandasIndex::default(),
        }))
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        match Index::new(index, self.array.len(), "positions")? {
            Index::Row(row) => Ok(self.fen(row).into_pyobject(py)?),
            Index::Rows(rows) => {
                Ok(Bound::new(py, self.some(py, &rows, self.index.indexed(&rows, index)?)?)?.into_any())
            }
        }
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo; // they never change
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let boards = self.columns(py, Integers::Unsigned)?;
        pickle::reduce::<Positions>(py, &boards.schema(), Some(&boards), &self.errors, &self.index)
    }

    fn __repr__(&self) -> String {
        format!("<slider_attacks.Positions: {}, {} null>", self.array.len(), self.null_count())
    }
}
