//! The rows of files, in batches, which other threads read and compute.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError, PyRuntimeError,
    PyTimeoutError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyString, PyTuple};
use slider_attacks::analysis::KeyKind;
use slider_attacks_arrow::{OnError, Product};
use slider_attacks_files::Input;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::input::{InputPlace, Shard, check_is_path, is_remote};
use slider_attacks_files::keys::KeySelection;
use slider_attacks_files::remote::is_of_network;
use slider_attacks_files::shards::shard;
use slider_attacks_formats::fen::is_board;
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_rows::batches::{Batches, InputProgress, NextRows, Request, Skipped};

use crate::batch::Batch;
use crate::capsule;
use crate::conditions::choice;
use crate::numbers::{integer, named, on_error, type_error, type_name, value_error, warn};
use crate::options::options;
use crate::plan::{BOARDS, names, plan_of, products_and_boards};
use crate::schema::{Schema, struct_field};
use crate::streams::{self, RaisedException, ReaderAlive};
use crate::work::{WAIT, count, in_background};

/// The remaining files.
struct RemainingFiles {
    /// `None` once there is nothing left.
    batches: Option<Batches>,
    skipped: Skipped,
    /// The warnings, until they are passed to Python.
    warnings: Vec<String>,
}

/// The remaining files, shared by Python and exported streams.
struct SharedReader {
    rest: Mutex<RemainingFiles>,
    /// Whether file objects are still to be read.
    wanted: ReaderAlive,
    has_file_objects: bool,
    progress: InputProgress,
    /// What `Reader.memory` tells.
    memory: usize,
    /// The process that has the threads.
    process: u32,
}

impl Drop for SharedReader {
    fn drop(&mut self) {
        self.wanted.end();
    }
}

/// Why there are no more rows.
pub enum Failure {
    /// The process was forked, so that it does not have the threads.
    Forked,
    /// A file object asks for rows that come after the bytes that it is asked for.
    Itself,
    /// Something is wrong with the files.
    Files(anyhow::Error),
}

impl Failure {
    /// The errors of input and output that led to it.
    fn causes(&self) -> impl Iterator<Item = &std::io::Error> {
        let error = if let Failure::Files(error) = self { Some(error) } else { None };
        error.into_iter().flat_map(|error| error.chain()).filter_map(|cause| cause.downcast_ref())
    }

    /// The exception of a file object, if that is the reason.
    fn raised(&self) -> Option<&RaisedException> {
        self.causes().find_map(|cause| cause.get_ref()?.downcast_ref())
    }

    /// What kind of error a network or a server has had, if that is the reason.
    fn network(&self) -> Option<ErrorKind> {
        self.causes().find(|cause| is_of_network(cause)).map(std::io::Error::kind)
    }

    /// The number of an error of the operating system, if there is one.
    fn code(&self) -> Option<i32> {
        self.raised().map_or_else(|| self.causes().find_map(std::io::Error::raw_os_error), |raised| raised.code)
    }

    fn text(&self) -> String {
        match self {
            Failure::Forked => "a forked process does not have the threads that read: call `read` there".to_owned(),
            Failure::Itself => "`read` of a file object called its own reader".to_owned(),
            Failure::Files(error) => {
                let text = format!("{error:#}");
                let code = self.code().map(|code| format!(" (os error {code})")).unwrap_or_default();
                text.strip_suffix(&code).unwrap_or(&text).to_owned()
            }
        }
    }

    /// The exception for it.
    pub fn into_python(self, py: Python<'_>) -> PyErr {
        let raised = self.raised();
        let lacks_memory = self.causes().any(|cause| cause.kind() == ErrorKind::OutOfMemory);
        let error = match (&self, self.code()) {
            _ if self.network() == Some(ErrorKind::NotFound) => PyFileNotFoundError::new_err(self.text()),
            _ if self.network() == Some(ErrorKind::PermissionDenied) => PyPermissionError::new_err(self.text()),
            _ if self.network() == Some(ErrorKind::TimedOut) => PyTimeoutError::new_err(self.text()),
            _ if self.network().is_some() => PyOSError::new_err(self.text()),
            _ if lacks_memory => PyMemoryError::new_err(self.text()),
            (Failure::Forked | Failure::Itself, _) => PyRuntimeError::new_err(self.text()),
            // By the number, Python finds the class, such as FileNotFoundError.
            (_, Some(code)) => PyOSError::new_err((code, self.text())),
            _ if raised.is_some() => PyOSError::new_err(self.text()),
            _ => value_error(self.text()),
        };
        if let Some(raised) = raised {
            error.set_cause(py, Some(raised.error.clone_ref(py)));
        }
        error
    }
}

impl SharedReader {
    fn lock(&self) -> MutexGuard<'_, RemainingFiles> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the lines so far that are not positions.
    fn so_far<T: Send>(&self, py: Python<'_>, of: impl FnOnce(&Skipped) -> T + Send) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(Failure::Forked.into_python(py)); // as in `next`
        }
        Ok(py.detach(|| of(&self.lock().skipped)))
    }

    /// The next rows, if they arrive soon. The thread must not hold the GIL.
    fn next(&self) -> Result<NextRows, Failure> {
        if self.process != std::process::id() {
            return Err(Failure::Forked); // perhaps another thread had the lock
        }
        if self.wanted.is_of_this_thread() {
            return Err(Failure::Itself);
        }
        let mut rest = self.lock();
        let Some(batches) = &mut rest.batches else { return Ok(NextRows::End) };
        let next = batches.next(WAIT).map_err(Failure::Files);
        match next {
            Ok(NextRows::Rows(batch, skipped)) => {
                rest.skipped.left_out += skipped.left_out;
                rest.skipped.add(skipped.count, skipped.messages);
                Ok(NextRows::Rows(batch, Skipped::default()))
            }
            // Who closes the reader has its file objects fail.
            Err(_) if !self.wanted.is_still() => {
                rest.batches = None;
                Ok(NextRows::End)
            }
            Ok(NextRows::End) | Err(_) => {
                let warnings = batches.warnings();
                (rest.batches, rest.warnings) = (None, warnings);
                self.wanted.end();
                next
            }
            next => next,
        }
    }

    /// The same for a thread that may hold the interpreter. Those that read file objects need it meanwhile.
    fn next_for_anyone(&self) -> Result<NextRows, Failure> {
        let detached = self.has_file_objects.then(|| Python::try_attach(|py| py.detach(|| self.next()))).flatten();
        detached.unwrap_or_else(|| self.next())
    }

    /// Waits for the next rows, and handles signals meanwhile.
    fn wait(&self, py: Python<'_>) -> PyResult<NextRows> {
        loop {
            // Not after it: an exception would lose the rows.
            py.check_signals()?;
            let next = py.detach(|| self.next()).map_err(|failure| failure.into_python(py))?;
            if matches!(next, NextRows::End) {
                self.warn(py)?;
            }
            if !matches!(next, NextRows::NotYet) {
                return Ok(next);
            }
        }
    }

    /// Warns of what the files lack, once.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let warnings = py.detach(|| std::mem::take(&mut self.lock().warnings));
        warnings.iter().try_for_each(|text| warn(py, text))
    }
}

/// Batches for the program that has taken them over by the Arrow interface.
struct BatchStream {
    shared: Arc<SharedReader>,
    schema: SchemaRef,
    /// The thread that handed them over.
    thread: ThreadId,
}

impl BatchStream {
    /// Whether Ctrl-C has been pressed. This is asked only on the thread that took the stream, which Python knows.
    fn is_interrupted(&self) -> bool {
        thread::current().id() == self.thread
            && Python::try_attach(|py| {
                let Err(error) = py.check_signals() else { return false };
                // The program that takes the batches raises an error of its own. After that, Python raises this one again.
                if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    let again = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
                    again.map_or_else(|error| error.write_unraisable(py, None), drop);
                } else {
                    error.write_unraisable(py, None);
                }
                true
            })
            .unwrap_or(false)
    }
}

impl BatchStream {
    /// Warns of what the files lack. Another thread than the one that took the stream may have to wait for the interpreter, and
    /// the interpreter for that thread.
    fn warn(&self) -> PyResult<()> {
        if thread::current().id() != self.thread {
            return Ok(());
        }
        Python::try_attach(|py| self.shared.warn(py)).unwrap_or(Ok(()))
    }
}

impl Iterator for BatchStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = self.shared.next_for_anyone();
            if self.is_interrupted() {
                return Some(Err(ArrowError::ExternalError("interrupted".into())));
            }
            match next {
                Ok(NextRows::Rows(batch, _)) if batch.num_rows() > 0 => return Some(Ok(batch)),
                Ok(NextRows::End) => {
                    return self.warn().err().map(|error| Err(ArrowError::ExternalError(error.into())));
                }
                Ok(_) => {}
                Err(failure) => {
                    let (code, network, text) = (failure.code(), failure.network(), failure.text());
                    return Some(Err(match (code, network) {
                        (Some(code), _) => ArrowError::IoError(text, std::io::Error::from_raw_os_error(code)),
                        (None, Some(kind)) => ArrowError::IoError(text, kind.into()),
                        (None, None) => ArrowError::ExternalError(text.into()),
                    }));
                }
            }
        }
    }
}

impl RecordBatchReader for BatchStream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// What an argument names, one thing or several: paths, directories and patterns, and file objects as long as they are `wanted`.
/// And whether there are several, or could be.
pub fn inputs(given: &Bound<'_, PyAny>, wanted: &ReaderAlive) -> PyResult<(Vec<Input>, bool)> {
    if let Some(found) = input(given, wanted)? {
        return Ok((found.inputs, found.may_be_several));
    }
    let expected = |object: &Bound<'_, PyAny>| {
        let (kind, can_open) = (type_name(object), object.hasattr("open").unwrap_or(false));
        let advice = if can_open { ": open it, as in `with x as file` or `x.open(\"rb\")`" } else { "" };
        type_error(format!("expected a path, a binary file object, or a list of them, not {kind}{advice}"))
    };
    if given.is_instance_of::<PyBytes>()
        || given.hasattr("__arrow_c_stream__")?
        || given.hasattr("__arrow_c_array__")?
    {
        return Err(type_error(format!("{}: `analyze` takes positions in memory", expected(given).value(given.py()))));
    }
    let items = given.try_iter().map_err(|_| expected(given))?;
    let (mut inputs, mut files) = (Vec::new(), Vec::new());
    for item in items {
        let item = item?;
        for input in input(&item, wanted)?.ok_or_else(|| expected(&item))?.inputs {
            inputs.push(Input { index: inputs.len() as u64, ..input });
        }
        if item.hasattr("read")? {
            if files.iter().any(|file| item.is(file)) {
                return Err(value_error(format!(
                    "{} is in the list twice: it can be read only once",
                    streams::name(&item)
                )));
            }
            files.push(item);
        }
    }
    if inputs.is_empty() { Err(value_error("no files to read")) } else { Ok((inputs, true)) }
}

/// The files that an argument names, which can be read more than once: paths, directories and patterns.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<Input>> {
    let (inputs, _) = inputs(given, &ReaderAlive::new())?;
    match inputs.iter().find(|input| matches!(input.place, InputPlace::Stream(_))) {
        Some(stream) => {
            Err(type_error(format!("{} is a file object, which is read once: pass a path", stream.display_name())))
        }
        None => Ok(inputs),
    }
}

/// The most rows of a batch.
fn most_rows(rows: &Bound<'_, PyAny>) -> PyResult<usize> {
    let Some(number) = integer(rows) else {
        return Err(type_error(format!("batch_rows must be an integer, not {}", type_name(rows))));
    };
    let number = number.extract().ok().filter(|&number| number > 0);
    number.ok_or_else(|| value_error(format!("batch_rows={rows}: expected 1 or more")))
}

/// The format of training records of this name.
pub fn training_format(name: &str) -> PyResult<TrainingFormat> {
    let names = || TrainingFormat::ALL.map(TrainingFormat::name).join(", ");
    let found = TrainingFormat::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| value_error(format!("format={name:?}: expected one of {}", names())))
}

/// Which games are wanted, and which of their positions.
pub fn games_wanted(
    games: Option<&Bound<'_, PyAny>>,
    variations: bool,
    from_ply: Option<&Bound<'_, PyAny>>,
    to_ply: Option<&Bound<'_, PyAny>>,
    every: Option<&Bound<'_, PyAny>>,
) -> PyResult<Games> {
    let games = Games {
        variations,
        from_ply: ply("from_ply", from_ply, 0)?.unwrap_or(0),
        to_ply: ply("to_ply", to_ply, 0)?.unwrap_or(u32::MAX),
        every: ply("every", every, 1)?.unwrap_or(1),
        conditions: games.map_or_else(|| Ok(Vec::new()), conditions)?,
        by_positions: false,
    };
    if games.to_ply < games.from_ply {
        return Err(value_error(format!("to_ply={} is before from_ply={}", games.to_ply, games.from_ply)));
    }
    Ok(games)
}

/// A number of plies, if one is given.
fn ply(parameter: &str, number: Option<&Bound<'_, PyAny>>, least: u32) -> PyResult<Option<u32>> {
    let Some(number) = number else { return Ok(None) };
    let Some(integer) = integer(number) else {
        return Err(type_error(format!("{parameter} must be an integer, not {}", type_name(number))));
    };
    match integer.extract() {
        Ok(number) if number >= least => Ok(Some(number)),
        _ => Err(value_error(format!("{parameter}={number}: expected {least} to {}", u32::MAX))),
    }
}

/// The conditions on the tags of games.
fn conditions(games: &Bound<'_, PyAny>) -> PyResult<Vec<Condition>> {
    let lists = names("games", games)?
        .into_iter()
        .map(|text| Condition::list(&text).map_err(|error| value_error(format!("games={text:?}: {error}"))));
    Ok(lists.collect::<PyResult<Vec<_>>>()?.concat())
}

/// Whether a text is a position, so it is not meant as a path.
pub fn is_fen(text: &str) -> bool {
    is_board(text.as_bytes()) && text.matches('/').count() == 7
}

/// The alternative to reading a URL.
const OPEN_URL: &str = "open it, for example with fsspec or urllib, and pass the file object";

/// Which positions are taken, if not all.
pub fn selection(
    unique: Option<&Bound<'_, PyAny>>,
    unique_memory: Option<&Bound<'_, PyAny>>,
    key_shard: Option<&str>,
) -> PyResult<Option<KeySelection>> {
    let kind = match unique.map(|unique| (unique, unique.extract::<bool>())) {
        None | Some((_, Ok(false))) => None,
        Some((_, Ok(true))) => Some(KeyKind::Position),
        Some((unique, Err(_))) => match unique.extract::<String>() {
            Ok(name) => Some(named("unique", &name)?),
            Err(_) => return Err(type_error(format!("unique must be True or a name, not {}", type_name(unique)))),
        },
    };
    let bytes = unique_memory.map(|bytes| {
        let number = integer(bytes).and_then(|number| number.extract::<u64>().ok());
        number.ok_or_else(|| value_error(format!("unique_memory={bytes}: expected a number of bytes")))
    });
    let shard = key_shard
        .map(|text| text.parse::<Shard>().map_err(|expected| value_error(format!("key_shard={text:?}: {expected}"))));
    Ok(KeySelection::new(kind, bytes.transpose()?, shard.transpose()?, UNIQUE_ADVICE))
}

/// The part of the files that is read: (K, N), or the text "K/N".
pub fn file_shard(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Shard>> {
    let Some(given) = given else { return Ok(None) };
    let text = match given.extract::<(u32, u32)>() {
        Ok((number, of)) => format!("{number}/{of}"),
        Err(_) => given.extract().map_err(|_| {
            value_error(format!("shard={given}: expected (K, N) with K from 1 to N, such as (2, 8), or \"2/8\""))
        })?,
    };
    text.parse().map(Some).map_err(|expected| value_error(format!("shard={given}: {expected}")))
}

/// The inputs of a shard, and whether there are any. If it is empty, the first input has the columns of the others.
pub fn shard_inputs(
    py: Python<'_>,
    inputs: Vec<Input>,
    part: Option<Shard>,
    wanted: Wanted,
) -> PyResult<(Vec<Input>, bool)> {
    let Some(part) = part else { return Ok((inputs, true)) };
    let (inputs, own) = in_background(py, move |_| {
        let own = shard(&inputs, part, &wanted);
        (inputs, own)
    })?;
    let own = own.map_err(|error| Failure::Files(error).into_python(py))?;
    Ok(if own.is_empty() { (inputs.into_iter().take(1).collect(), false) } else { (own, true) })
}

/// What to do if there are too many different positions.
const UNIQUE_ADVICE: &str =
    "raise `unique_memory`, or take the positions of one part at a time with `key_shard=\"K/N\"`";

/// The inputs that a path or a file object stands for.
fn input(given: &Bound<'_, PyAny>, wanted: &ReaderAlive) -> PyResult<Option<Discovery>> {
    if let Ok(path) = given.extract::<PathBuf>() {
        // `-` is standard input for the command alone.
        let path = if path == Path::new("-") { PathBuf::from("./-") } else { path };
        return match given.cast::<PyString>() {
            Ok(text) if is_fen(&text.to_string_lossy()) && !path.exists() => {
                Err(value_error("this is FEN, not a path: `analyze` takes texts, as in analyze([fen])"))
            }
            _ => {
                if !cfg!(feature = "cloud") {
                    check_is_path(&path, OPEN_URL).map_err(|error| value_error(error.to_string()))?;
                }
                let py = given.py();
                let find = |path: PathBuf| Discovery::new(&[path], None, None);
                // A server may take long.
                let found =
                    if is_remote(&path) { in_background(py, move |_| find(path))? } else { py.detach(|| find(path)) };
                found.map(Some).map_err(|error| Failure::Files(error).into_python(py))
            }
        };
    }
    if given.hasattr("read")? {
        let stream = streams::stream(given, wanted)?;
        return Ok(Some(Discovery::of(Input::stream(stream, 0))));
    }
    Ok(None)
}

/// Reads files in batches of rows, one row per position, and computes products on background threads.
///
/// Parameters
/// ----------
/// path : a path, a directory, a pattern or a binary file object, or several of these
///     FEN or EPD, one position per line; PGN; CSV with a header; JSON lines; all of these also compressed with gzip or zstd;
///     or Parquet. The format is detected from the content, not the name. Or training records: binpack, or files whose names
///     end in
///     `.bulletformat`, `.marlinformat`, `.viriformat` or `.vf`.
///     A directory stands for all files below it with the extension of a format, such as `.pgn`, also followed by `.gz` or
///     `.zst`. A pattern stands for the matching files: `*` matches any part of a name and `**` any directories, as in
///     "games/**/*.pgn.zst". Files are sorted by name, and hidden ones left out. A path that exists is never a pattern.
///     A URL, such as "s3://bucket/games/*.pgn", is read as by the command: with the credentials and options of the environment.
///     A file object is anything whose `read` returns bytes, such as `open(…, "rb")`, `gzip.open`, `io.BytesIO` or an fsspec
///     file. It is read on another thread from its current position, and is not closed. Its `name`, `full_name`, `path` or
///     `url` appears in the column `file` and in errors, and its extension counts like that of a path. Parquet from a file
///     object that cannot seek is first copied to a temporary file.
/// what : one or several of "boards" and the names of products
///     "boards" stands for the columns that `Positions` accepts: twelve of bitboards, `side_to_move`, `castling` and
///     `en_passant`. Products are those of `analyze`.
/// format : "bulletformat", "marlinformat", "viriformat" or "binpack", for training records of any name
/// column : the column or field with the positions; an exact match wins over one that differs only in case
///     A column with a game per row yields all positions of each game: "movetext", "pgn", or any other column except "fen"
///     whose first values are games.
/// keep : one or several names of columns or fields to copy, or "all"; a line of FEN or EPD is one column, "fen"
///     Columns of Parquet keep their types. All others are text, and fields of JSON lines that are not text are JSON. PGN has
///     its tags, such as "White", and `game`, `ply`, `san`, `uci`, `move`, `next_san`, `next_uci`, `next_move`, `halfmove`,
///     `fullmove`, `eval`, `mate`, `clk`, `result`, `depth` and `fen`. `san`, `uci` and `move` are the move that led to the position,
///     and those with `next_` the move that was played from it. `move` has 16 bits: from bit 0 on, the origin square, the
///     target square, the promotion (knight, bishop, rook, queen), and the kind (normal, en passant, castling as king takes
///     rook, promotion). `eval` is in centipawns from White's view, or null for a mate, which is in `mate`.
///     Training records have `score`, `result` and `fen`, and all but bulletformat `halfmove` and `fullmove`; viriformat and binpack
///     also have `next_uci` and `next_move`. `score` is in the unit of the engine, usually centipawns, from White's view (in
///     bulletformat, from that of the side to move); mates are large numbers.
/// points : make the column `result` of `keep` a number, float64: 1, 0.5 or 0 for White, null where there is none
///     Then any text but 1-0, 1/2-1/2, 0-1, 1, 0.5, 0 and * is an error. `where` has the text.
/// next_gain : add the column `next_gain` (int16) after those of `keep`, where a column with the next move must be
///     The material that the move played next gains: what it captures, and what a promotion adds, less what the other side then gains by
///     an exchange on that square, as in the product "exchanges". It is null if no move is known, and castling is 0.
/// dictionary : one or several names of text columns, of `keep` and `file`, that are dictionaries; or "all" of these except "fen" and moves
///     A text that many rows have, as a tag of a game, then takes 4 bytes in each. In a batch, a dictionary has each text once. The type
///     is dictionary<int32, string>: Categorical in pandas and Polars. A column of Parquet that is a dictionary stays one, with its texts in order.
/// games : conditions on the tags of PGN, such as "WhiteElo>=2200"; several must all hold
///     The moves of other games are not parsed. `slider-attacks analyze --help` has the syntax.
/// games_where : take only games with a position, of those that are read, for which a condition holds, such as "checkmate"
/// variations : in games, also read the positions of variations
/// from_ply, to_ply, every : in games, the first and last ply, and the step between positions in plies; ply 0 is the starting
/// position
/// after_first_move : use the position after the first move of the column "Moves", as Lichess puzzles need
/// each_move : one row for each legal move of each position
///     The column `move`, after `line`, is the move in UCI, as in `uci`; boards and products are those of the position after it,
///     and columns of `keep` are repeated. A position without legal moves has no row.
/// where : take only positions for which a condition holds, such as "white_pinned & white_queens and ply > 20"
///     Names are the products of `analyze`, pieces such as `white_pawns`, squares such as `e4`, and columns of the file. `docs/where.md` has
///     the language. With `each_move`, it is about the positions after moves, and `move` is the move.
///     It is about the board as it is, as are "boards" and kept columns, whatever the perspective.
/// unique : take each position once, the first in the order of the files
///     "position", or True: positions are equal if they have the same pieces, side to move, castling rights and legal captures
///     en passant; "canonical": also if they are mirror images; "polyglot": if Polyglot's opening books have one key for both.
///     Keys of 64 bits are compared.
/// unique_memory : the most bytes that `unique` may take for keys, at 12 per position; by default 2 GiB
/// key_shard : take only the positions of part K of N, as in "2/8": equal positions are in the same part
///     `left_out` of the result counts the positions that `games_where`, `where`, `unique` and `key_shard` leave out.
/// shard : read only part K of N of the files, as (K, N), such as (2, 8), or as "2/8"
///     The parts have about as many positions each, in the order of the files, and all together have everything; one may be empty.
///     Files that are not compressed are cut between lines, games, records or row groups. File objects have no parts. An empty part still
///     opens the first file, for its columns. What a part lacks, others may have, so it is a warning.
/// on_error : how to handle malformed lines
///     "raise"; "skip" leaves them out; "null" keeps their rows, with nulls; "report" also adds a column `error` with the
///     reason. `skipped` of the result counts the lines that were left out, and `errors` lists the first 100.
/// integers, backend, and the options of products : as in `analyze`
/// threads : the number of threads that parse and compute, from 1 to 256, in addition to the one that reads; by default 1
/// batch_rows : the maximum number of rows of a batch; a batch ends earlier at 32 MiB
///
/// Returns a `Reader`, which yields each batch once. The columns are `file`, if `path` is a list, a directory or a pattern;
/// `line`, the number of the line, or of the row in Parquet, from 1; those of `keep`; and those of `what`.
///
/// Raises OSError if a file cannot be read, and ValueError, with the file and line, for malformed input: here or during
/// iteration, after the rows before that line. After the last batch, warns about tags and fields in `keep` and `games` that no
/// file has.
///
/// >>> import pathlib, tempfile
/// >>> import slider_attacks
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "puzzles.csv")
/// >>> _ = path.write_text("Id,FEN,Rating\na,4k3/8/8/8/8/8/8/R3K3 w Q -,1500\nb,4k3/8/8/8/8/8/8/4K2R w K -,900\n")
/// >>> for batch in slider_attacks.read(path, "maps", keep=["Id", "Rating"]):
/// ...     print(batch["Id"].tolist(), batch["line"].tolist(), [hex(board) for board in batch["white_attacks"]])
/// ['a', 'b'] [2, 3] ['0x10101010101393e', '0x808080808080b878']
///
/// All of them at once:
///
/// >>> import polars, pyarrow
/// >>> pyarrow.table(slider_attacks.read(path)).num_rows
/// 2
/// >>> polars.DataFrame(slider_attacks.read(path, ["maps", "pins"], keep="Rating")).height
/// 2
///
/// One after the other, in DuckDB:
///
/// >>> import duckdb
/// >>> reader = pyarrow.RecordBatchReader.from_stream(slider_attacks.read(path, "hanging", keep="all"))
/// >>> duckdb.sql("select sum(Rating::int) from reader").fetchall()
/// [(2400,)]
#[pyfunction]
#[pyo3(signature = (
    path, what=None, *, format=None, column="fen", keep=None, points=false, next_gain=false, dictionary=None, games=None, games_where=None, variations=false, from_ply=None, to_ply=None, every=None,
    after_first_move=false, each_move=false, r#where=None, unique=None, unique_memory=None, key_shard=None, shard=None, on_error="raise", integers="unsigned", backend=None, threads=1, batch_rows=65_536, **options
), text_signature = "(path, what='maps', *, format=None, column='fen', keep=(), points=False, next_gain=False, dictionary=(), games=(), games_where=None, variations=False, from_ply=0, to_ply=None, every=1, \
                     after_first_move=False, each_move=False, where=None, unique=None, unique_memory=None, key_shard=None, shard=None, on_error='raise', integers='unsigned', \
                     through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                     backend=None, threads=1, batch_rows=65536)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn read(
    path: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    format: Option<&str>,
    column: &str,
    keep: Option<&Bound<'_, PyAny>>,
    points: bool,
    next_gain: bool,
    dictionary: Option<&Bound<'_, PyAny>>,
    games: Option<&Bound<'_, PyAny>>,
    games_where: Option<&str>,
    variations: bool,
    from_ply: Option<&Bound<'_, PyAny>>,
    to_ply: Option<&Bound<'_, PyAny>>,
    every: Option<&Bound<'_, PyAny>>,
    after_first_move: bool,
    each_move: bool,
    r#where: Option<&str>,
    unique: Option<&Bound<'_, PyAny>>,
    unique_memory: Option<&Bound<'_, PyAny>>,
    key_shard: Option<&str>,
    shard: Option<&Bound<'_, PyAny>>,
    on_error: &str,
    integers: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
    #[pyo3(from_py_with = most_rows)] batch_rows: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Reader> {
    let (py, options) = (path.py(), self::options("read", options)?);
    let wanted = ReaderAlive::new();
    let (inputs, with_file) = inputs(path, &wanted)?;
    let what = what.map_or_else(|| Ok(vec![Product::Maps.name().to_owned()]), |what| names("what", what))?;
    let products = products_and_boards(&what)?;
    let on_error = self::on_error(on_error, OnError::ALL)?;
    let has_file_objects = inputs.iter().any(|input| matches!(input.place, InputPlace::Stream(_)));
    let games = games_wanted(games, variations, from_ply, to_ply, every)?;
    let games = Games { by_positions: games_where.is_some(), ..games };
    let (from, column) = (format.map(training_format).transpose()?, column.to_owned());
    let of_shard = Wanted { from, column: column.clone(), games: games.clone(), after_first_move, ..Wanted::default() };
    let shard = file_shard(shard)?;
    let (inputs, has_rows) = shard_inputs(py, inputs, shard, of_shard)?;
    let request = Request {
        with_file,
        inputs,
        is_part: shard.is_some(),
        from,
        column,
        keep: keep.map_or_else(|| Ok(Vec::new()), |keep| names("keep", keep))?,
        games,
        after_first_move,
        each_move,
        choice: choice(r#where, games_where, each_move, selection(unique, unique_memory, key_shard)?)?,
        boards: what.iter().any(|name| name == BOARDS),
        plan: plan_of(products, integers, options, backend)?,
        integers: named("integers", integers)?,
        on_error,
        rows: batch_rows,
        threads,
        by_place: false,
        points,
        next_gain,
        dictionary: dictionary.map_or_else(|| Ok(Vec::new()), |names| self::names("dictionary", names))?,
    };
    let batches = py.detach(|| Batches::open(request)).map_err(|error| Failure::Files(error).into_python(py))?;
    let (progress, memory) = (batches.progress().clone(), batches.memory());
    let rest = Mutex::new(RemainingFiles { batches: Some(batches), skipped: Skipped::default(), warnings: Vec::new() });
    let shared =
        Arc::new(SharedReader { rest, wanted, has_file_objects, progress, memory, process: std::process::id() });
    match shared.wait(py)? {
        NextRows::Columns(schema) => {
            if !has_rows {
                py.detach(|| drop(shared.lock().batches.take()));
            }
            Ok(Reader { shared, schema })
        }
        _ => Err(PyRuntimeError::new_err("the files have no columns")),
    }
}

/// The batches of `read`: an iterator of `Batch`, and a stream in the Arrow PyCapsule interface, as in
/// `pyarrow.RecordBatchReader.from_stream(reader)`. Each batch is returned once, to the first caller.
///
/// Threads read ahead by about two batches. They stop and close the files that they have opened at the end, after an error,
/// when this object and all its streams are dropped, and at `close` or the end of a `with` block.
///
/// >>> import pathlib, tempfile
/// >>> import slider_attacks
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.epd")
/// >>> _ = path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\nnonsense\n")
/// >>> with slider_attacks.read(path, "maps", on_error="skip") as reader:
/// ...     reader
/// ...     sum(len(batch) for batch in reader), reader.skipped
/// <slider_attacks.Reader of line, white_attacks, black_attacks>
/// (1, 1)
#[pyclass(frozen, module = "slider_attacks")]
pub struct Reader {
    shared: Arc<SharedReader>,
    schema: SchemaRef,
}

#[pymethods]
impl Reader {
    /// The names and types of the columns: an object that `pyarrow.schema` takes.
    #[getter]
    fn schema(&self) -> Schema {
        Schema::new(self.schema.fields())
    }

    /// The number of lines so far that were left out, because they are not positions.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.so_far(py, |skipped| skipped.count)
    }

    /// The number of positions so far that were left out because of `games_where`, `where`, `unique` or `key_shard`.
    #[getter]
    fn left_out(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.so_far(py, |skipped| skipped.left_out)
    }

    /// What was wrong with the first 100 lines so far that are not positions: each text names the file and the line.
    #[getter]
    fn errors(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.shared.so_far(py, |skipped| skipped.messages.clone())
    }

    /// The number of bytes that have been read of the files as they are, compressed or not. Threads read ahead of the batches.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.shared.progress.bytes().read()
    }

    /// The number of bytes of all files, or None if it is not known, as for a file object.
    ///
    /// >>> import slider_attacks
    /// >>> def percent(reader: slider_attacks.Reader) -> str:
    /// ...     return f"{100 * reader.bytes_read / (reader.bytes_total or 1):.0f} %"
    #[getter]
    fn bytes_total(&self) -> Option<u64> {
        self.shared.progress.bytes().total()
    }

    /// The number of files all of whose rows have been computed, about two batches ahead.
    #[getter]
    fn files_read(&self) -> usize {
        self.shared.progress.finished()
    }

    /// The number of files.
    #[getter]
    fn files_total(&self) -> usize {
        self.shared.progress.inputs()
    }

    /// At most how many bytes the blocks and the batches that wait take, without what decompression, Parquet and `unique` take.
    /// Columns of long texts, and records longer than a few hundred bytes, take more.
    #[getter]
    fn memory(&self) -> usize {
        self.shared.memory
    }

    /// Stops the threads and closes the files that `read` has opened. There are no more batches. A second call does nothing.
    fn close(&self, py: Python<'_>) {
        self.shared.wanted.end();
        if self.shared.process == std::process::id() {
            py.detach(|| drop(self.shared.lock().batches.take()));
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*exception))]
    fn __exit__(&self, py: Python<'_>, exception: &Bound<'_, PyTuple>) {
        let _ = exception;
        self.close(py);
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// What NumPy asks for, and pandas with it, which would make rows of the batches otherwise.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<&Bound<'_, PyAny>>, copy: Option<bool>) -> PyResult<()> {
        let _ = (dtype, copy);
        Err(type_error(
            "a reader yields batches, which are tables: call pyarrow.table(reader).to_pandas() for all of them",
        ))
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        loop {
            match self.shared.wait(py)? {
                NextRows::Rows(batch, _) if batch.num_rows() > 0 => return Ok(Some(Batch::new(batch))),
                NextRows::End => return Ok(None),
                _ => {}
            }
        }
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<slider_attacks.Reader of {}>", names.join(", "))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (shared, schema, thread) = (self.shared.clone(), self.schema.clone(), thread::current().id());
        capsule::export_stream(py, BatchStream { shared, schema, thread })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &struct_field(self.schema.fields()))
    }
}
