//! The function `summarize`.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use slider_attacks_arrow::{OnError, PositionArray};
use slider_attacks_formats::games::Games;
use slider_attacks_formats::request::Wanted;
use slider_attacks_query::PositionQuery;
use slider_attacks_rows::sums::keys::Key;
use slider_attacks_rows::sums::table::COLUMNS;

use crate::conditions::{choice, missing_column};
use crate::errors::{PythonErrors, arrow_error};
use crate::files::{file_shard, games_wanted, is_fen, selection, training_format};
use crate::numbers::{type_error, type_name, value_error};
use crate::options::options;
use crate::positions::Positions;
use crate::rows::{rows_with, slices};
use crate::summary::{Read, ReadPart, Summary, SummaryWhat, copied, of_positions, valid_rows};
use crate::work::count;

/// Whether an argument names files: a path, a file object, or several of them. One text does, so that FEN alone is an error.
fn names_files(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = source.py();
    let is_file =
        |it: &Bound<'_, PyAny>| Ok(it.hasattr(intern!(py, "__fspath__"))? || it.hasattr(intern!(py, "read"))?);
    let first = match (source.cast::<PyList>(), source.cast::<PyTuple>()) {
        (Ok(items), _) => items.iter().next(),
        (_, Ok(items)) => items.iter().next(),
        _ => return Ok(source.is_instance_of::<PyString>() || is_file(source)?),
    };
    let Some(first) = first else { return Ok(false) };
    match first.cast::<PyString>() {
        Ok(text) => Ok(!is_fen(&text.to_string_lossy())),
        Err(_) => is_file(&first),
    }
}

/// The error for a key that is no column: of a table with these columns, or of an object that is no table.
fn missing_key(source: &Bound<'_, PyAny>, name: &str, columns: Option<&[String]>) -> PyErr {
    let Some(columns) = columns else {
        return type_error(format!("to sum by {name:?}, pass a table with such a column, not {}", type_name(source)));
    };
    let all: String = columns.join(", ").chars().take(300).collect();
    value_error(format!("no column {name:?} to sum by; the columns are {all}"))
}

/// Sums products over positions, by square and by group: how often is each square attacked, and by how many pieces?
///
/// Parameters
/// ----------
/// source : files, as for `read`; positions in memory, as for `analyze`; or `Positions`
/// what : one or several names of products, as in `analyze`
/// by : one or several keys that group the positions
///     "side", the side to move; "phase": opening, middlegame or endgame, by the material without pawns and kings (knights and
///     bishops count 1, rooks 2, queens 4: 20 or more is the opening, 8 or less the endgame); or a column of the source, such
///     as "White", "result" or "ply" of PGN. "ply:10" makes groups of ten plies. Missing values form a group of their own.
///     With `each_move`, "move" is each legal move.
/// column, where : as in `analyze` and `read`
///     A condition on `Positions` names no columns.
/// format, games, variations, from_ply, to_ply, every, after_first_move, games_where, unique, unique_memory, key_shard, shard : of files,
/// as in `read`
/// group_memory : the most bytes that groups may take, at 1 KiB for each column of sets or numbers; by default 2 GiB
/// each_move : of files, sum the positions after each legal move
/// on_error : "raise", or "skip", which leaves out malformed positions
///     `skipped` of the result counts these, and `errors` lists the first 100. Null rows are left out.
/// backend, and the options of products : as in `analyze`
/// threads : the number of threads, from 1 to 256; by default 1
///
/// Returns a `Summary`.
///
/// Raises OSError if a file cannot be read, and ValueError for malformed input, with the file and line, or the row, and if
/// groups take more than `group_memory`. Warns about tags and fields in `by` and `games` that no file
/// has.
///
/// >>> import pathlib, tempfile
/// >>> import slider_attacks
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
/// >>> _ = path.write_text("1. e4 e5 1-0\n\n1. d4 1/2-1/2\n")
/// >>> summary = slider_attacks.summarize(path, ["counts", "mobility"], by="result")
/// >>> summary
/// <slider_attacks.Summary of 5 positions in 2 groups by result: white_attackers, black_attackers, difference_attackers, mobility>
/// >>> summary.groups, summary.positions.tolist()
/// ([{'result': '1-0'}, {'result': '1/2-1/2'}], [3, 2])
/// >>> summary.to_numpy("white_attackers", "count")[0, 4].tolist()  # the fifth rank, in games that White won
/// [0, 2, 0, 2, 0, 2, 0, 2]
///
/// Positions in memory, and the rows that the command would write:
///
/// >>> import polars
/// >>> games = polars.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"], "result": ["1-0"]})
/// >>> polars.DataFrame(slider_attacks.summarize(games, "maps", by="result")).row(1)
/// ('1-0', 1, 'white_attacks', 'b1', 1, 1.0, 1, 1.0)
#[pyfunction]
#[pyo3(signature = (
    source, what=None, *, by=None, format=None, column="fen", games=None, games_where=None, variations=false, from_ply=None, to_ply=None,
    every=None, after_first_move=false, each_move=false, r#where=None, unique=None, unique_memory=None, key_shard=None, shard=None, group_memory=None, on_error="raise", backend=None, threads=1, **options
), text_signature = "(source, what='counts', *, by=(), format=None, column='fen', games=(), games_where=None, variations=False, from_ply=0, \
                     to_ply=None, every=1, after_first_move=False, each_move=False, where=None, unique=None, unique_memory=None, key_shard=None, shard=None, group_memory=None, on_error='raise', \
                     through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                     backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn summarize(
    source: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    by: Option<&Bound<'_, PyAny>>,
    format: Option<&str>,
    column: &str,
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
    group_memory: Option<&Bound<'_, PyAny>>,
    on_error: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Summary> {
    let (py, options) = (source.py(), self::options("summarize", options)?);
    let games = games_wanted(games, variations, from_ply, to_ply, every)?;
    let games = Games { by_positions: games_where.is_some(), ..games };
    let from = format.map(training_format).transpose()?;
    let choice = choice(r#where, games_where, each_move, selection(unique, unique_memory, key_shard)?)?;
    let in_files = names_files(source)?;
    if each_move && !in_files {
        return Err(value_error("each_move=True: expected files, found positions in memory"));
    }
    if choice.games.is_some() && !in_files {
        return Err(value_error("games_where is for files: expected files, found positions in memory"));
    }
    let shard = file_shard(shard)?;
    if shard.is_some() && !in_files {
        return Err(value_error("shard is for files: expected files, found positions in memory"));
    }
    if choice.selection.is_some() && !in_files {
        return Err(value_error("unique and key_shard are for files: in memory, `analyze(…, \"keys\")` has the keys"));
    }
    if let Ok(positions) = source.cast::<Positions>() {
        let what = SummaryWhat::new(what, by, "skip", options, backend)?.limited(group_memory)?;
        return of_positions(py, positions.get().array(), what, choice.condition, threads);
    }
    let what = SummaryWhat::new(what, by, on_error, options, backend)?.limited(group_memory)?;
    if in_files {
        let reserved_names = COLUMNS.map(str::to_owned).to_vec();
        let column = column.to_owned();
        let wanted = Wanted { from, column, games, after_first_move, reserved_names, ..Wanted::default() };
        return what.in_files(source, wanted, each_move, choice, shard, threads);
    }
    let query = choice.condition;
    let keys = Key::columns(&what.keys);
    let names = [&keys[..], query.as_ref().map_or(&[], PositionQuery::inputs)].concat();
    let missing = |at: usize, all: Option<&[String]>| match &query {
        Some(query) if at >= keys.len() => missing_column(query, &names[at], all),
        _ => missing_key(source, &names[at], all),
    };
    let (arrays, mut columns) = rows_with(source, column, &names, missing)?;
    let of_condition = columns.split_off(keys.len());
    let condition = query.map(|query| what.condition(query, of_condition));
    let rows = arrays.iter().map(|array| array.len()).sum();
    let on_error = if what.on_error == OnError::Skip { OnError::Null } else { OnError::Fail };
    what.in_memory(py, rows, threads, &columns, |rows| {
        let mut read = PositionArray::with(on_error);
        slices(&arrays, &rows)
            .iter()
            .try_for_each(|array| read.append(array))
            .map_err(|error| arrow_error(error.after(rows.start)))?;
        let first = read.errors().iter().filter_map(|error| {
            let error = error.clone().after(rows.start);
            Some((error.row()?, error.to_string()))
        });
        let (valid, left_out) = valid_rows(&read, 0..read.len(), condition.as_ref(), rows.start);
        let skipped = PythonErrors { first: first.collect(), count: read.error_count(), left_out };
        let positions = if valid.iter().all(|&valid| valid) {
            read.into_positions()
        } else {
            copied(read.positions(), (0..read.len()).filter(|&row| valid[row]))?
        };
        Ok(ReadPart { positions: Read::Own(positions.into()), valid, skipped })
    })
}
