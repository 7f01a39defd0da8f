//! The positions of games in a column of texts.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_select::concat::concat_batches;
use pyo3::prelude::*;
use slider_attacks_arrow::{OnError, Texts};
use slider_attacks_files::batches::{GamePositions, GameTexts, Request};

use crate::analyze::pieces;
use crate::batch::{Batch, Errors};
use crate::columns::arrow_error;
use crate::files::games_wanted;
use crate::numbers::{named, on_error, value_error};
use crate::plan::{BOARDS, names, plan_of, products_and_boards};
use crate::rows::rows;
use crate::work::{Threads, count, in_parts};

/// The number of games that are read between two looks for signals: 30 ms of work for long ones.
const PART: usize = 1 << 12;

/// The most errors that a result tells of.
const MOST_ERRORS: usize = 100;

/// The positions of games in a column of text, such as the column `movetext` of the games of Lichess at Hugging Face: a row per
/// position.
///
/// Parameters
/// ----------
/// movetext : the games, each as in PGN, with tags or without
///     A column of text of any kind; a table, a frame or a dictionary of columns; or a sequence of str and bytes. A row that is
///     null gives no positions.
/// what : "boards" and names of products, one or several, as `read` takes them; none by default
/// column : the column of a table that has the games; an exact match wins, else case is ignored
/// keep : what is known of each position, one or several of "ply", "san", "uci", "move", "next", "halfmove",
///     "fullmove", "eval", "mate", "clk", "result", "depth" and "fen"
///     The move is the one that led to the position, and `next` the one that was played in it. `eval` is in centipawns and `mate` in moves, as white sees them, and `clk`
///     in seconds. What a position does not have is null.
/// variations, from_ply, to_ply, every : as in `read`
/// on_error : what becomes of a game with a mistake
///     "raise"; "skip" leaves out the rest of that game; "null" and "report" put a row of nulls in its place. `errors` of the
///     result tells of the first 100.
/// integers, through, victims, backend, threads : as in `analyze`
///
/// Returns a `Batch`. Its first column, `row`, has the row of the game, from 0.
///
/// Raises ValueError with the row, from 0, if a game has a mistake, and TypeError if something has the wrong type.
///
/// >>> import slider_attacks
/// >>> games = ["1. e4 { [%clk 0:05:00] } e5 2. Nf3 1-0", "1. d4 *"]
/// >>> batch = slider_attacks.game_positions(games, "maps", keep=["ply", "san", "clk"], from_ply=1)
/// >>> batch.column_names
/// ['row', 'ply', 'san', 'clk', 'white_attacks', 'black_attacks']
/// >>> batch["row"].tolist(), batch["san"].tolist()
/// ([0, 0, 0, 1], ['e4', 'e5', 'Nf3', 'd4'])
#[pyfunction]
#[pyo3(signature = (
    movetext, what=None, *, column="movetext", keep=None, variations=false, from_ply=None, to_ply=None, every=None,
    on_error="raise", integers="unsigned", through="any", victims="enemy", backend=None, threads=1
), text_signature = "(movetext, what=(), *, column='movetext', keep=('ply', 'uci', 'fen'), variations=False, from_ply=0, \
                     to_ply=None, every=1, on_error='raise', integers='unsigned', through='any', victims='enemy', \
                     backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn game_positions(
    movetext: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    column: &str,
    keep: Option<&Bound<'_, PyAny>>,
    variations: bool,
    from_ply: Option<&Bound<'_, PyAny>>,
    to_ply: Option<&Bound<'_, PyAny>>,
    every: Option<&Bound<'_, PyAny>>,
    on_error: &str,
    integers: &str,
    through: &str,
    victims: &str,
    backend: Option<&str>,
    #[pyo3(from_py_with = count)] threads: usize,
) -> PyResult<Batch> {
    let py = movetext.py();
    let what = what.map_or_else(|| Ok(Vec::new()), |what| names("what", what))?;
    let keep =
        keep.map_or_else(|| Ok(["ply", "uci", "fen"].map(str::to_owned).to_vec()), |keep| names("keep", keep))?;
    let plan = plan_of(products_and_boards(&what)?, integers, through, victims, backend)?;
    let request = Request {
        inputs: Vec::new(),
        with_file: false,
        from: None,
        column: String::new(),
        keep,
        games: games_wanted(None, variations, from_ply, to_ply, every)?,
        after_first_move: false,
        boards: what.iter().any(|name| name == BOARDS),
        plan,
        integers: named("integers", integers)?,
        on_error: self::on_error(on_error, OnError::ALL)?,
        rows: 1,
        threads,
    };
    let reader = GameTexts::new(request).map_err(value_error)?;
    let arrays = rows(movetext, column)?;
    let length = arrays.iter().map(|array| array.len()).sum();
    let threads = Threads::new(threads)?;
    let (mut batches, mut errors) = (Vec::new(), Errors::default());
    let mut add = |read: GamePositions| {
        errors.count += read.wrong.len();
        let room = MOST_ERRORS - errors.first.len();
        let of_row = |row: u64, what: &str| (row as usize, format!("row {row}, {what}"));
        let wrong: Vec<(usize, String)> =
            read.wrong.iter().map(|malformed| of_row(malformed.number, &malformed.what)).collect();
        if read.has_failed {
            return Err(value_error(wrong.last().map_or("", |(_, what)| what)));
        }
        errors.first.extend(wrong.into_iter().take(room));
        batches.push(read.batch);
        Ok(())
    };
    let read = |first: usize, texts: &ArrayRef| -> PyResult<GamePositions> {
        let texts = Texts::new(GameTexts::COLUMN, texts).map_err(arrow_error)?;
        reader.read(texts.iter(), first as u64).map_err(value_error)
    };
    in_parts(py, length, threads.part(PART), |part| {
        let mut first = part.start;
        let texts = pieces(&arrays, &part, &threads).into_iter().map(|texts| {
            let place = first;
            first += texts.len();
            (place, texts)
        });
        let texts: Vec<(usize, ArrayRef)> = texts.collect();
        threads.map(&texts, |(first, texts)| read(*first, texts)).into_iter().try_for_each(|read| add(read?))
    })??;
    if batches.is_empty() {
        // A column without rows is looked at for its type.
        arrays.iter().try_for_each(|texts| read(0, texts).map(drop))?;
        batches.push(reader.read(std::iter::empty(), 0).map_err(value_error)?.batch);
    }
    let batch: RecordBatch =
        py.detach(|| concat_batches(&batches[0].schema(), &batches)).map_err(|error| value_error(error.to_string()))?;
    Ok(Batch::new(batch).with(errors))
}
