//! The positions of games in a column of texts.

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_select::concat::concat_batches;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use slider_attacks_arrow::{OnError, Texts};
use slider_attacks_formats::games::fields::START;
use slider_attacks_rows::batches::{GamePositions, GameTexts, Request};

use crate::batch::Batch;
use crate::capsule::one;
use crate::errors::{PythonErrors, arrow_error};
use crate::files::games_wanted;
use crate::numbers::{named, on_error, type_error, type_name, value_error};
use crate::options::options;
use crate::pandas::same_index;
use crate::plan::{BOARDS, names, plan_of, products_and_boards};
use crate::rows::{advice_on, find, rows, rows_and_columns, slices};
use crate::work::{Threads, count};

/// How many bytes of text one thread reads between two looks for signals, about: 10 to 50 ms of work.
const PART: usize = 2 << 20;
/// The most games of them, and in how many pieces threads share those of one thread.
const MOST_ROWS: usize = 1 << 12;
const PIECES: usize = 4;

/// The maximum number of errors that a result keeps.
const MOST_ERRORS: usize = 100;

/// The results so far.
struct GameBatches {
    batches: Vec<RecordBatch>,
    errors: PythonErrors,
    /// How many bytes of text each column has.
    text: Vec<usize>,
}

impl GameBatches {
    /// These columns, without rows.
    fn new(empty: RecordBatch) -> GameBatches {
        let text = vec![0; empty.num_columns()];
        GameBatches { batches: vec![empty], errors: PythonErrors::default(), text }
    }

    /// Adds the positions of more games.
    fn add(&mut self, read: GamePositions) -> PyResult<()> {
        let mut wrong = read
            .wrong
            .iter()
            .map(|malformed| (malformed.number as usize, format!("row {}, {}", malformed.number, malformed.what)));
        if read.has_failed {
            return Err(value_error(wrong.next_back().map_or(String::new(), |(_, what)| what)));
        }
        self.errors.count += read.wrong.len();
        let room = MOST_ERRORS - self.errors.first.len();
        self.errors.first.extend(wrong.take(room));
        for (column, text) in read.batch.columns().iter().zip(&mut self.text) {
            *text += column.as_string_opt::<i32>().map_or(0, |column| column.value_data().len());
        }
        if let Some(column) = self.text.iter().position(|&text| text > i32::MAX as usize) {
            let schema = read.batch.schema();
            let name = schema.field(column).name();
            return Err(value_error(format!(
                "column {name} would have more than 2 GiB of text: read fewer games in a call, or do not keep it"
            )));
        }
        self.batches.push(read.batch);
        Ok(())
    }
}

/// Returns the positions of games in a text column, such as the column `movetext` of the Lichess games on Hugging Face: one row
/// per position.
///
/// Parameters
/// ----------
/// movetext : the games, each as in PGN, with or without tags
///     A text column; a table, a data frame or a dictionary of columns; or a sequence of str and bytes. A null row has no
///     positions.
/// what : one or several of "boards" and the names of products, as for `read`; none by default
/// column : the column of a table that contains the games; an exact match wins over one that differs only in case
/// fen : the positions that games start from, as in Chess960
///     A column as for `movetext`, with as many rows; or the name of a column of the table. By default, the column `FEN` of the
///     table if it has one, as in `read`. The capitals matter, because a column `fen` may hold final positions. Null and an
///     empty text stand for the standard starting position. A `FEN` tag in the movetext takes precedence.
/// keep : columns about each position: one or several of "ply", "san", "uci", "move", "next_san", "next_uci", "next_move",
///     "halfmove", "fullmove", "eval", "mate", "clk", "result", "depth" and "fen"
///     "san", "uci" and "move" are the move that led to the position, and those with "next_" the move that was played from it.
///     "move" has 16 bits: from bit 0 on, the origin square, the target square, the promotion (knight, bishop, rook, queen),
///     and the kind (normal, en passant, castling as king takes rook, promotion). "eval" is in centipawns and "mate" in moves,
///     both from White's view, and "clk" in seconds. Missing values are null.
/// variations, from_ply, to_ply, every : as in `read`
/// on_error : how to handle malformed games
///     "raise"; "skip" leaves out the rest of the game; "null" and "report" replace it by a row without a position, and
///     "report" adds a column `error` with the reason. The positions before the error are kept. `errors` of the result lists
///     the first 100 errors, and `error_count` counts all.
/// integers, backend, threads, and the options of products : as in `analyze`
///
/// Returns a `Batch`. Its first column, `row`, has the row of the game, from 0.
///
/// Raises ValueError with the row, from 0, if a game is malformed, and TypeError if an argument has the wrong type.
///
/// >>> import slider_attacks
/// >>> games = ["1. e4 { [%clk 0:05:00] } e5 2. Nf3 1-0", "1. d4 *"]
/// >>> batch = slider_attacks.game_positions(games, "maps", keep=["ply", "san", "clk"], from_ply=1)
/// >>> batch.column_names
/// ['row', 'ply', 'san', 'clk', 'white_attacks', 'black_attacks']
/// >>> batch["row"].tolist(), batch["san"].tolist()
/// ([0, 0, 0, 1], ['e4', 'e5', 'Nf3', 'd4'])
///
/// A game of Chess960:
///
/// >>> games = {"movetext": ["1. O-O *"], "FEN": ["4k3/8/8/8/8/8/8/1K3R2 w F - 0 1"]}
/// >>> slider_attacks.game_positions(games)["fen"].tolist()
/// ['4k3/8/8/8/8/8/8/1K3R2 w F -', '4k3/8/8/8/8/8/8/5RK1 b - -']
#[pyfunction]
#[pyo3(signature = (
    movetext, what=None, *, column="movetext", fen=None, keep=None, variations=false, from_ply=None, to_ply=None, every=None,
    on_error="raise", integers="unsigned", backend=None, threads=1, **options
), text_signature = "(movetext, what=(), *, column='movetext', fen=None, keep=('ply', 'uci', 'fen'), variations=False, from_ply=0, \
                     to_ply=None, every=1, on_error='raise', integers='unsigned', \
                     through='any', victims='enemy', values='1,3,3,5,9', pinned='capture', notation='bits', perspective='board', \
                     backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn game_positions(
    movetext: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    column: &str,
    fen: Option<&Bound<'_, PyAny>>,
    keep: Option<&Bound<'_, PyAny>>,
    variations: bool,
    from_ply: Option<&Bound<'_, PyAny>>,
    to_ply: Option<&Bound<'_, PyAny>>,
    every: Option<&Bound<'_, PyAny>>,
    on_error: &str,
    integers: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Batch> {
    let (py, options) = (movetext.py(), self::options("game_positions", options)?);
    let what = what.map_or_else(|| Ok(Vec::new()), |what| names("what", what))?;
    let keep =
        keep.map_or_else(|| Ok(["ply", "uci", "fen"].map(str::to_owned).to_vec()), |keep| names("keep", keep))?;
    let plan = plan_of(products_and_boards(&what)?, integers, options, backend)?;
    let request = Request {
        keep,
        games: games_wanted(None, variations, from_ply, to_ply, every)?,
        boards: what.iter().any(|name| name == BOARDS),
        plan,
        integers: named("integers", integers)?,
        on_error: self::on_error(on_error, OnError::ALL)?,
        threads,
        ..Request::default()
    };
    let reader = GameTexts::new(request).map_err(value_error)?;
    let (arrays, starts) = games_and_starts(movetext, column, fen)?;
    let threads = Threads::new(threads)?;
    let read = |first: usize, texts: &ArrayRef| -> PyResult<GamePositions> {
        let starts = starts.as_ref().map(|starts| starts.slice(first, texts.len()));
        let starts = starts.map(|starts| Texts::new(START, &starts)).transpose().map_err(arrow_error)?;
        let advice = advice_on(texts.data_type());
        let texts = Texts::new(GameTexts::COLUMN, texts).map_err(|error| type_error(format!("{error}{advice}")))?;
        let mut starts = starts.iter().flat_map(Texts::iter);
        let games = texts.iter().map(|text| (text, starts.next().flatten()));
        reader.read(games, first as u64).map_err(value_error)
    };
    // A column without rows is looked at for its type.
    arrays.iter().try_for_each(|texts| read(0, &texts.slice(0, 0)).map(drop))?;
    let mut found = GameBatches::new(reader.read(std::iter::empty(), 0).map_err(value_error)?.batch);
    let length: usize = arrays.iter().map(|array| array.len()).sum();
    let bytes: usize = arrays.iter().map(|array| array.to_data().get_slice_memory_size().unwrap_or(0)).sum();
    let rows = PART / (bytes / length.max(1)).max(1);
    let part = threads.part(rows.clamp(1, MOST_ROWS));
    for start in (0..length).step_by(part) {
        let (mut first, mut texts) = (start, Vec::new());
        for array in slices(&arrays, &(start..length.min(start + part))) {
            for at in (0..array.len()).step_by(rows.div_ceil(PIECES)) {
                let piece = array.slice(at, rows.div_ceil(PIECES).min(array.len() - at));
                first += piece.len();
                texts.push((first - piece.len(), piece));
            }
        }
        let read = py.detach(|| threads.map(&texts, |(first, texts)| read(*first, texts)));
        read.into_iter().try_for_each(|read| found.add(read?))?;
        py.check_signals()?;
    }
    let GameBatches { batches, errors, .. } = found;
    let batch: RecordBatch =
        py.detach(|| concat_batches(&batches[0].schema(), &batches)).map_err(|error| value_error(error.to_string()))?;
    Ok(Batch::new(batch).with(errors))
}

/// The columns of games, and the positions that they begin with, if there is a column of these.
fn games_and_starts(
    movetext: &Bound<'_, PyAny>,
    column: &str,
    fen: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Vec<ArrayRef>, Option<ArrayRef>)> {
    let name = fen.and_then(|fen| fen.cast::<PyString>().ok()).map(|name| name.to_string_lossy().into_owned());
    let starts = |all: &[String]| match (&name, fen) {
        (Some(name), _) => {
            let missing = || {
                let all: String = all.join(", ").chars().take(300).collect();
                value_error(format!("fen={name:?}: no such column; the columns are {all}"))
            };
            find(movetext.py(), all, name)?.map(|place| vec![place]).ok_or_else(missing)
        }
        (None, Some(_)) => Ok(Vec::new()),
        // As `read` does.
        (None, None) => Ok(all.iter().position(|name| name == START).into_iter().collect()),
    };
    let (arrays, found) = rows_and_columns(movetext, column, starts)?;
    let starts = match (fen, &name, found) {
        (Some(_), Some(name), None) => {
            let kind = type_name(movetext);
            let message = format!("fen={name:?} names a column: pass a table with such a column, not {kind}");
            return Err(type_error(message));
        }
        (Some(fen), None, _) => {
            same_index([movetext, fen])?;
            Some(one(&rows(fen, START)?)?)
        }
        (_, _, found) => found.and_then(|mut found| found.pop()),
    };
    let games: usize = arrays.iter().map(|array| array.len()).sum();
    if let Some(starts) = starts.as_ref().filter(|starts| starts.len() != games) {
        return Err(value_error(format!("fen has {} rows, and there are {games} games", starts.len())));
    }
    // A column without values may be of any type.
    let starts = starts.filter(|starts| starts.logical_null_count() < starts.len());
    if let Some(starts) = &starts {
        Texts::new(START, starts).map_err(arrow_error)?;
    }
    Ok((arrays, starts))
}
