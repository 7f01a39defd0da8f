//! Products of positions: the function `analyze`.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use rayon::prelude::*;
use slider_attacks_arrow::{BatchBuilder, Error, MOST_ERRORS, OnError, Plan, Product};

use crate::batch::Batch;
use crate::columns::{arrow_error, one};
use crate::numbers::on_error;
use crate::plan::plan;
use crate::rows::{rows, slices};
use crate::work::{Threads, count, in_parts, memory_for};

/// The number of rows that a thread reads between two looks for signals: 30 ms of work for the longest products.
pub const PART: usize = 1 << 16;

/// The memory of a row of these columns. Threats and reasons have as much as they need: here some more than usual, and a copy
/// as they grow.
pub fn row_bytes(plan: &Plan) -> usize {
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
///     A column of text of any kind (pyarrow, Polars, pandas, DuckDB, nanoarrow, …); a table, a frame or a dictionary of columns;
///     a sequence of str and bytes, where None or NaN is a missing one; or bitboards, as `Positions` takes them.
/// what : names of products, or one name
///     `products()` lists them, with what each of them is.
/// column : the column of a table that has the positions; an exact match wins, else case is ignored
///     Without it, the only column will do, or those of bitboards.
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
    fens, what=None, *, column="fen", on_error="raise", integers="unsigned", through="any", victims="enemy", backend=None, threads=1
), text_signature = "(fens, what=('maps',), *, column='fen', on_error='raise', integers='unsigned', through='any', \
                     victims='enemy', backend=None, threads=1)")]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn analyze(
    fens: &Bound<'_, PyAny>,
    what: Option<&Bound<'_, PyAny>>,
    column: &str,
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
    compute(py, &plan, &rows(fens, column)?, &Threads::new(threads)?)
}
