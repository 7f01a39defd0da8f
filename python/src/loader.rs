//! Training data: shuffled batches of positions and labels as NumPy arrays, which other threads make.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{Element, PyArray1, PyArrayDescr, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{ColumnKind, OnError, Perspective, Product, ProductColumn, Values};
use slider_attacks_features::RowOrder;
use slider_attacks_files::input::Shard;
use slider_attacks_query::ChanceQuery;
use slider_attacks_rows::loader::{
    Label, Loader as Batches, LoaderSettings, NextBatch, PlaneColumn, PlaneMemory, PlaneSettings, PooledValue,
    TrainingBatch,
};

use crate::bits::square_values;
use crate::columns::view_mut;
use crate::conditions::condition;
use crate::features::{Features, sum_of_sets};
use crate::files::{Failure, games_wanted, paths, training_format};
use crate::numbers::{integer, named, on_error, type_error, type_name, value_error};
use crate::options::options;
use crate::plan::{BOARDS, names, plan_of, products_and_boards};
use crate::work::{WAIT, count, in_background};

/// The names of the planes of castling rights.
const CASTLING: [(&str, Color, bool); 4] = [
    ("white_kingside", Color::White, true),
    ("white_queenside", Color::White, false),
    ("black_kingside", Color::Black, true),
    ("black_queenside", Color::Black, false),
];

/// The memory of planes, which the loader uses again when no array shows it any more.
#[pyclass(frozen)]
struct PlaneOwner(#[expect(dead_code, reason = "it is held")] PooledValue<PlaneMemory>);

/// Reads files for the training of a network: an iterator of batches, shuffled, each a dictionary of NumPy arrays.
///
/// Threads read, parse and compute in advance. Files are cut into ranges, which each epoch reads in another order, and their
/// positions go through a buffer: the next one takes the place of one at random, which goes into the batch. So each position comes
/// once per epoch. The order depends on `seed`, the epoch and the files, not on `threads`.
///
/// Parameters
/// ----------
/// files : a path, a directory or a pattern, or several of these
///     All formats of `read`, compressed or not. Uncompressed PGN, binpack, bulletformat, marlinformat, Parquet, CSV, JSON lines and
///     lines of FEN (`.fen`, `.epd`) have many ranges; any other file has one.
/// batch : the number of positions of a batch; only the last one may have fewer
/// columns : one or several labels: "score", "result", "ply"
///     `score` (int32) is in the unit of the source, as `read` describes it; of PGN, it is `eval`, and a mate in n is 32,000 - n. It has
///     16 bits, and larger ones become the largest; -2**31 stands for none. `result` (float32) is 1, 0.5 or 0 for White, and NaN for none. `ply` (int32) is the number of
///     moves before the position, and -1 if unknown. A table has columns of these names.
/// what : one or several of "boards" and the names of products, without lists: each column is an array
///     JAX makes 32 bits of the 64 of a bitboard, unless `jax_enable_x64` is set.
/// planes : one or several names of bitboards, such as "white_pawn" or "white_attacks"; "boards" stands for the twelve of the
///     pieces
///     The array `planes`, of shape (batch, planes, 8, 8), has a one for each square that is set; [:, :, 0, 0] is a1. The threads write
///     it, to memory that is used again once nobody has the array, so `resize` is refused. A column with a number for each
///     square, such as "white_attackers", is a plane of these.
///     "side_to_move" has ones if White is to move, and "white_kingside", "white_queenside", "black_kingside" and
///     "black_queenside" if that side may castle there; "castling" stands for these four.
/// features : what `features` takes as `sets`, such as ["pawn_pairs", "threats:v16"]
///     Each batch has `features`, with rows `white` and `black`; or `own` and `other`, with perspective="mover".
/// dtype : the type of `planes`: "float32", "uint8" or any other of numbers
/// shuffle : the positions of the buffer, at 40 bytes each; with 0, positions come in the order of the files
/// seed : the seed of the order
/// shard : (k, n) takes part k of n, from 0, of the ranges of each epoch
///     Together, the parts are everything. There must be n ranges.
/// epochs : how often each position comes; None is without end
/// perspective : "mover" turns boards, scores, results and inputs to the side to move
/// on_error : "raise"; or "skip", which leaves malformed records out: `skipped` counts them
/// threads : the number of threads that parse and compute, from 1 to 256, in addition to those that read and shuffle
/// keep : a number in the language of `where`, the chance with which a position is taken; below 0 it counts as 0, above 1 as 1
///     keep="if(count(occupied) < 8, 0.1, 1)" takes one in ten endgames. A condition counts as 1 where it holds, and what is
///     missing as 0. In each epoch, and with each `seed`, others are taken; the number of threads and shards changes nothing.
/// format, column, games, variations, from_ply, to_ply, every, after_first_move, where : as in `read`
///     `left_out` counts the positions for which `where` does not hold.
/// backend, and the options of products : as in `analyze`
///
/// Iteration raises ValueError, with the file and line, for malformed input and for missing columns, after the batches before, and
/// OSError if a file cannot be read. A file that changes meanwhile raises ValueError.
///
/// >>> import pathlib, tempfile
/// >>> import slider_attacks
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "positions.epd")
/// >>> _ = path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q - | 480 | 1.0\n4k3/8/8/8/8/8/8/4K3 b - - | 0 | 0.5\n")
/// >>> loader = slider_attacks.Loader(path, batch=2, planes="boards", perspective="mover", epochs=3)
/// >>> for batch in loader:
/// ...     print(batch["planes"].shape, batch["planes"].dtype, sorted(batch["result"].tolist()))
/// (2, 12, 8, 8) float32 [0.5, 1.0]
/// (2, 12, 8, 8) float32 [0.5, 1.0]
/// (2, 12, 8, 8) float32 [0.5, 1.0]
///
/// A state goes on after the last batch:
///
/// >>> loader = slider_attacks.Loader(path, batch=1, what="maps", seed=7)
/// >>> _ = next(loader)
/// >>> state = loader.state_dict()
/// >>> rest = list(loader)
/// >>> again = slider_attacks.Loader(path, batch=1, what="maps", seed=7)
/// >>> again.load_state_dict(state)
/// >>> [batch["score"].tolist() for batch in again] == [batch["score"].tolist() for batch in rest]
/// True
#[pyclass(frozen, module = "slider_attacks")]
pub struct Loader {
    batches: Mutex<Option<Batches>>,
    /// The process that has the threads; 0 as long as they have not been started.
    process: AtomicU32,
    planes: Vec<PlaneColumn>,
    dtype: Py<PyArrayDescr>,
    /// The products that are wanted. Those that only planes need are computed as well.
    products: Vec<Product>,
    has_boards: bool,
    /// The inputs of a network, if they are wanted, and whether those of the side to move come first.
    features: Option<(Arc<slider_attacks_features::Features>, bool)>,
}

impl Drop for Loader {
    fn drop(&mut self) {
        if self.check().is_err() {
            // Locks may be held by threads that a forked process does not have.
            mem::forget(self.batches.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Loader {
    /// Checks that this process has the threads.
    fn check(&self) -> PyResult<()> {
        match self.process.load(Relaxed) {
            0 => Ok(()),
            process if process == std::process::id() => Ok(()),
            _ => {
                Err(PyRuntimeError::new_err("a forked process does not have the threads of the loader: make one there"))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Batches>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, of: impl FnOnce(&mut Batches) -> T + Send) -> PyResult<T> {
        self.check()?;
        Ok(py.detach(|| of(self.lock().as_mut().expect("only a drop takes it"))))
    }

    /// The arrays of a batch.
    fn arrays<'py>(&self, py: Python<'py>, batch: TrainingBatch) -> PyResult<Bound<'py, PyDict>> {
        let TrainingBatch { positions, scores, results, plies, values, features, planes } = batch;
        let (arrays, rows) = (PyDict::new(py), positions.len());
        let computed: Vec<&ProductColumn> = self.all_products().iter().flat_map(|product| product.columns()).collect();
        if let Some(planes) = planes {
            arrays.set_item("planes", self.planes_array(py, planes, rows)?)?;
        }
        if self.has_boards {
            for (name, color, piece) in pieces() {
                arrays.set_item(name, PyArray1::from_slice(py, positions.pieces(color, piece)))?;
            }
        }
        for (column, values) in computed.iter().zip(values) {
            let of = |product: &Product| product.columns().iter().any(|of| of.name() == column.name());
            if self.products.iter().any(of) {
                arrays.set_item(column.name(), array(py, values)?)?;
            }
        }
        if let (Some(rows), Some((sum, is_mover))) = (features, &self.features) {
            arrays.set_item("features", Bound::new(py, Features::new(py, sum, rows, *is_mover)?)?)?;
        }
        let numbers = [("score", scores), ("ply", plies)];
        for (name, numbers) in numbers.into_iter().filter_map(|(name, numbers)| Some((name, numbers?))) {
            arrays.set_item(name, PyArray1::from_vec(py, numbers))?;
        }
        if let Some(results) = results {
            arrays.set_item("result", PyArray1::from_vec(py, results))?;
        }
        Ok(arrays)
    }

    /// The array of planes, over the memory that a thread has written them to.
    fn planes_array<'py>(
        &self,
        py: Python<'py>,
        mut planes: PooledValue<PlaneMemory>,
        rows: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = std::ptr::from_mut(planes.get_mut().bytes_mut());
        let owner = Bound::new(py, PlaneOwner(planes))?.into_any();
        // SAFETY: the owner never touches the memory that it holds, and nobody else has it.
        let bytes = unsafe { view_mut(bytes, &owner) };
        let planes = bytes.call_method1(intern!(py, "view"), (self.dtype.bind(py),))?;
        planes.call_method1(intern!(py, "reshape"), ((rows, self.planes.len(), 8, 8),))
    }

    /// The products that are computed, in the order of their columns.
    fn all_products(&self) -> Vec<Product> {
        products_of(&self.products, &self.planes)
    }
}

/// Some products, and those of planes, in their order.
fn products_of(products: &[Product], planes: &[PlaneColumn]) -> Vec<Product> {
    let has = |product: &Product, plane: &PlaneColumn| match plane {
        PlaneColumn::Pieces(..) | PlaneColumn::SideToMove | PlaneColumn::Castling(..) => false,
        PlaneColumn::Product(column) => product.columns().iter().any(|of| of.name() == column.name()),
    };
    let is_wanted = |product: &Product| products.contains(product) || planes.iter().any(|plane| has(product, plane));
    Product::ALL.iter().copied().filter(is_wanted).collect()
}

/// The bitboards of pieces, by name.
fn pieces() -> impl Iterator<Item = (String, Color, Piece)> {
    let name = |color, piece| (format!("{color}_{piece}"), color, piece);
    Color::ALL.into_iter().flat_map(move |color| Piece::ALL.map(move |piece| name(color, piece)))
}

/// The planes of these names.
fn planes_named(names: &[String]) -> PyResult<Vec<PlaneColumn>> {
    let mut planes = Vec::new();
    for name in names {
        if name == BOARDS {
            planes.extend(pieces().map(|(_, color, piece)| PlaneColumn::Pieces(color, piece)));
            continue;
        }
        let castling = || CASTLING.iter().filter(|(of, ..)| of == name || name == "castling");
        if castling().next().is_some() {
            planes.extend(castling().map(|&(_, color, is_kingside)| PlaneColumn::Castling(color, is_kingside)));
            continue;
        }
        let piece = pieces().find(|(of, ..)| of == name).map(|(_, color, piece)| PlaneColumn::Pieces(color, piece));
        let side = || (name == "side_to_move").then_some(PlaneColumn::SideToMove);
        let mut columns = Product::ALL.iter().flat_map(|product| product.columns());
        let has_squares = |column: &&ProductColumn| matches!(column.kind(), ColumnKind::Bitboard | ColumnKind::Numbers);
        let mut column = || columns.find(|column| column.name() == name && has_squares(column));
        let plane = piece.or_else(side).or_else(|| column().map(PlaneColumn::Product));
        planes.push(plane.ok_or_else(|| {
            value_error(format!(
                "planes={name:?}: expected boards, castling, side_to_move, a bitboard of pieces such as white_pawn, or a \
                 column of a product such as white_attacks or white_attackers"
            ))
        })?);
    }
    Ok(planes)
}

/// The values of a column as an array, without a copy.
fn array(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    fn rows<T: Element, const N: usize>(py: Python<'_>, rows: Vec<[T; N]>) -> PyResult<Bound<'_, PyAny>> {
        let count = rows.len();
        Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])?.into_any())
    }
    match values {
        Values::Boards(boards) => Ok(PyArray1::from_vec(py, boards).into_any()),
        Values::Numbers(numbers) => rows(py, numbers),
        Values::Number(numbers) => Ok(PyArray1::from_vec(py, numbers).into_any()),
        Values::Sets(sets) => rows(py, sets),
        _ => Err(type_error("lists are no arrays")),
    }
}

/// A number from `least` on.
fn number(parameter: &str, object: &Bound<'_, PyAny>, least: u64) -> PyResult<u64> {
    let Some(number) = integer(object) else {
        return Err(type_error(format!("{parameter} must be an integer, not {}", type_name(object))));
    };
    let number = number.extract::<u64>().ok().filter(|&number| number >= least);
    number.ok_or_else(|| value_error(format!("{parameter}={object}: expected {least} or more")))
}

/// The part that (k, n) names.
fn shard_of(object: &Bound<'_, PyAny>) -> PyResult<Shard> {
    let Ok((k, n)) = object.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
        return Err(type_error(format!("shard must be (k, n), not {}", type_name(object))));
    };
    let (k, n) = (number("shard", &k, 0)?, number("shard", &n, 1)?);
    match (u32::try_from(k), u32::try_from(n)) {
        (Ok(k), Ok(of)) if k < of => Ok(Shard { number: k + 1, of }),
        _ => Err(value_error(format!("shard=({k}, {n}): expected k from 0 to n - 1"))),
    }
}

#[pymethods]
impl Loader {
    #[new]
    #[pyo3(signature = (
        files, *, batch=None, columns=None, what=None, planes=None, features=None, dtype=None, shuffle=None, seed=None, shard=None, epochs=Some(Epochs(1)),
        on_error="raise", threads=1, format=None, column="fen", games=None, variations=false, from_ply=None, to_ply=None,
        every=None, after_first_move=false, r#where=None, keep=None, backend=None, **options
    ), text_signature = "(files, *, batch=16384, columns=('score', 'result'), what=(), planes=(), features=(), dtype='float32', shuffle=1000000, \
                         seed=0, shard=(0, 1), epochs=1, on_error='raise', threads=1, format=None, column='fen', games=(), \
                         variations=False, from_ply=0, to_ply=None, every=1, after_first_move=False, where=None, keep=None, through='any', \
                         victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                         backend=None)")]
    #[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
    fn new(
        files: &Bound<'_, PyAny>,
        batch: Option<&Bound<'_, PyAny>>,
        columns: Option<&Bound<'_, PyAny>>,
        what: Option<&Bound<'_, PyAny>>,
        planes: Option<&Bound<'_, PyAny>>,
        features: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        shuffle: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        shard: Option<&Bound<'_, PyAny>>,
        epochs: Option<Epochs>,
        on_error: &str,
        #[pyo3(from_py_with = count)] threads: usize,
        format: Option<&str>,
        column: &str,
        games: Option<&Bound<'_, PyAny>>,
        variations: bool,
        from_ply: Option<&Bound<'_, PyAny>>,
        to_ply: Option<&Bound<'_, PyAny>>,
        every: Option<&Bound<'_, PyAny>>,
        after_first_move: bool,
        r#where: Option<&str>,
        keep: Option<&str>,
        backend: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Loader> {
        let (py, options) = (files.py(), self::options("Loader", options)?);
        let of = LoaderSettings::default();
        let number_or = |parameter, object: Option<&Bound<'_, PyAny>>, least, usual: u64| {
            object.map_or(Ok(usual), |object| number(parameter, object, least))
        };
        let list =
            |parameter, object: Option<&Bound<'_, PyAny>>| object.map_or(Ok(Vec::new()), |of| names(parameter, of));
        let labels =
            columns.map_or_else(|| Ok(vec!["score".to_owned(), "result".to_owned()]), |of| names("columns", of))?;
        let what = list("what", what)?;
        let (products, planes) = (products_and_boards(&what)?, planes_named(&list("planes", planes)?)?);
        let is_list = |column: &&ProductColumn| matches!(column.kind(), ColumnKind::Moves | ColumnKind::Threats);
        if let Some(column) = products.iter().flat_map(|product| product.columns()).find(is_list) {
            return Err(value_error(format!("what: the column {} has lists, which are no arrays", column.name())));
        }
        let perspective = options.perspective;
        let features = features.map(|sets| sum_of_sets("features", sets)).transpose()?.flatten().map(Arc::new);
        let is_mover = perspective == Perspective::Mover;
        let settings = LoaderSettings {
            inputs: paths(files)?,
            from: format.map(training_format).transpose()?,
            column: column.to_owned(),
            games: games_wanted(games, variations, from_ply, to_ply, every)?,
            after_first_move,
            condition: condition(r#where, false)?,
            keep: keep
                .map(|text| text.parse::<ChanceQuery>().map_err(|error| value_error(format!("keep={text:?}: {error}"))))
                .transpose()?,
            on_error: self::on_error(on_error, &[OnError::Fail, OnError::Skip])?,
            labels: labels.iter().map(|name| named::<Label>("columns", name)).collect::<PyResult<_>>()?,
            plan: plan_of(products_of(&products, &planes), "unsigned", options, backend)?,
            features: features.clone().map(|features| (features, RowOrder::Found)),
            perspective,
            batch: number_or("batch", batch, 1, of.batch as u64)? as usize,
            shuffle: number_or("shuffle", shuffle, 0, of.shuffle as u64)? as usize,
            seed: number_or("seed", seed, 0, of.seed)?,
            shard: shard.map_or(Ok(of.shard), shard_of)?,
            epochs: epochs.map(|Epochs(epochs)| epochs),
            threads,
            range_bytes: None,
            planes: None,
        };
        // A type that is wrong is an error also if there are no planes.
        let dtype = dtype.cloned().unwrap_or_else(|| numpy::dtype::<f32>(py).into_any());
        let (dtype, numbers) = square_values(py, &dtype)?;
        let settings = LoaderSettings {
            planes: (!planes.is_empty()).then(|| PlaneSettings { columns: planes.clone(), numbers }),
            ..settings
        };
        // To find the rows of a table, all of it is read.
        let made = in_background(py, move |_| Batches::new(settings))?;
        let batches = made.map_err(|error| Failure::Files(error).into_python(py))?;
        Ok(Loader {
            batches: Mutex::new(Some(batches)),
            process: AtomicU32::new(0),
            planes,
            dtype: dtype.unbind(),
            products,
            has_boards: what.iter().any(|name| name == BOARDS),
            features: features.map(|features| (features, is_mover)),
        })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.check()?;
        self.process.store(std::process::id(), Relaxed);
        loop {
            // Not after it: an exception would lose the batch.
            py.check_signals()?;
            let next = self.with(py, |batches| batches.next(WAIT))?;
            match next.map_err(|error| Failure::Files(error).into_python(py))? {
                NextBatch::Batch(batch) => return self.arrays(py, *batch).map(Some),
                NextBatch::End => return Ok(None),
                NextBatch::NotYet => {}
            }
        }
    }

    /// The state, from which a loader of the same files and settings goes on after the last batch: a dictionary with bytes, 40
    /// for each position of the buffer and of the batches that wait, and two numbers for people.
    fn state_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (state, positions, epoch) =
            self.with(py, |batches| (batches.state(), batches.positions(), batches.epoch()))?;
        let dict = PyDict::new(py);
        dict.set_item("state", PyBytes::new(py, &state))?;
        dict.set_item("positions", positions)?;
        dict.set_item("epoch", epoch)?;
        Ok(dict)
    }

    /// Goes on where the loader was that has returned this state. `threads`, `batch`, `epochs`, and what is computed may differ, but
    /// not whether `features` has threats or pairs of pawns, which leave positions out.
    ///
    /// Raises ValueError for a state of other files, by name, size and ranges, or of other settings. Then nothing changes.
    fn load_state_dict(&self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = state.get_item("state").and_then(|state| Ok(state.cast_into::<PyBytes>()?));
        let bytes = bytes.map_err(|_| type_error("expected what `state_dict` returns"))?;
        let bytes = bytes.as_bytes();
        self.with(state.py(), |batches| batches.restore(bytes))?.map_err(value_error)
    }

    /// How many positions have been returned, with those before the state that was loaded.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |batches| batches.positions())
    }

    /// The epoch that is being read, from 0.
    #[getter]
    fn epoch(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |batches| batches.epoch())
    }

    /// About how many bytes of the files have been read, in all epochs.
    #[getter]
    fn bytes_read(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |batches| batches.bytes_read())
    }

    /// How many bytes the files have, times the number of epochs, and about this shard's part of them. None without an end.
    #[getter]
    fn bytes_total(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.with(py, |batches| batches.bytes_total())
    }

    /// At most how many bytes the buffer, and the blocks and batches that wait, take.
    #[getter]
    fn memory(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |batches| batches.settings().memory())
    }

    /// The number of malformed records so far that were left out.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |batches| batches.skipped().0)
    }

    /// What was wrong with the first ten of them: each text names the file and the line.
    #[getter]
    fn errors(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |batches| batches.skipped().1)
    }

    /// The number of positions so far that were left out because of `where`.
    #[getter]
    fn left_out(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |batches| batches.left_out())
    }

    /// Stops the threads. There are no more batches, but still a state. A second call does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.check().is_ok() { self.with(py, |batches| batches.close()) } else { Ok(()) }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        let _ = exception;
        self.close(py)
    }

    fn __repr__(&self) -> String {
        let planes = self.planes.len();
        let products: Vec<&str> = self.products.iter().map(|product| product.name()).collect();
        format!("<slider_attacks.Loader of {planes} planes and products [{}]>", products.join(", "))
    }
}

/// A number of epochs.
pub struct Epochs(u64);

impl<'py> FromPyObject<'_, 'py> for Epochs {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Epochs> {
        number("epochs", &object, 1).map(Epochs)
    }
}
