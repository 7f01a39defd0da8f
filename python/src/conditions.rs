//! Conditions on positions in memory, with the columns of a table that they name.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::Field;
use numpy::PyArray1;
use pyo3::prelude::*;
use slider_attacks_arrow::{OnError, Options, Plan, PositionArray};
use slider_attacks_files::keys::KeySelection;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::warnings::{did_you_mean, nearest};
use slider_attacks_query::{InputRows, InputValue, PositionQuery, QueryError};
use slider_attacks_rows::conditions::{RowChoice, input_value};

use crate::numbers::value_error;
use crate::plan::plan_of;
use crate::rows::{positions, rows_with};
use crate::work::{Threads, in_parts, memory_for};

/// The condition that a text is.
pub fn query(text: &str) -> PyResult<PositionQuery> {
    query_of("where", text)
}

/// The condition that the text of this parameter is.
fn query_of(parameter: &str, text: &str) -> PyResult<PositionQuery> {
    text.parse().map_err(|error: QueryError| value_error(format!("{parameter}={:?}: {error}", error.around(text))))
}

/// Which rows of files are taken.
pub fn choice(
    condition: Option<&str>,
    games: Option<&str>,
    each_move: bool,
    selection: Option<KeySelection>,
) -> PyResult<RowChoice> {
    let games = games.map(|text| query_of("games_where", text)).transpose()?;
    Ok(RowChoice { condition: self::condition(condition, each_move)?, games, selection })
}

/// The condition on rows, if there is one.
pub fn condition(text: Option<&str>, each_move: bool) -> PyResult<Option<PositionQuery>> {
    let query = text.map(query).transpose()?;
    if each_move && query.as_ref().is_some_and(PositionQuery::asks_for_played_move) {
        return Err(value_error(
            "where: move_captures, move_promotes and move_checks are about the move played next, which no position of each_move=True has",
        ));
    }
    Ok(query)
}

/// The rows between two looks for signals: 10 ms of work for most conditions.
const PART: usize = 1 << 15;

/// A condition on positions in memory.
pub struct MemoryCondition {
    query: PositionQuery,
    /// It has the backend and the options of products.
    plan: Plan,
    /// The columns that the query names, with a value for each position.
    columns: Vec<KeptColumn>,
}

impl MemoryCondition {
    /// A query on positions, with the columns that it names. Products are computed as this plan says.
    pub fn new(query: PositionQuery, plan: &Plan, columns: Vec<ArrayRef>) -> MemoryCondition {
        let kept =
            |array: ArrayRef| KeptColumn::Array(Arc::new(Field::new("", array.data_type().clone(), true)), array);
        MemoryCondition { query, plan: plan.clone(), columns: columns.into_iter().map(kept).collect() }
    }

    /// A query on positions without columns.
    pub fn without_columns(query: PositionQuery, plan: &Plan) -> PyResult<MemoryCondition> {
        match query.inputs() {
            [] => Ok(MemoryCondition::new(query, plan, Vec::new())),
            [name, ..] => Err(missing_column(&query, name, None)),
        }
    }

    /// Whether it holds for each of some rows of these positions, beginning with row `first` of the columns. It does not
    /// hold for rows that are null.
    pub fn holds(&self, positions: &PositionArray, rows: Range<usize>, first: usize) -> Vec<bool> {
        let inputs = TableRows { columns: &self.columns, first };
        let mut holds = self.query.rows(&self.plan, positions.positions().slice(rows.clone()), &inputs);
        if let Some(nulls) = positions.nulls() {
            holds.iter_mut().zip(rows).for_each(|(holds, row)| *holds &= nulls.is_valid(row));
        }
        holds
    }

    /// Whether it holds for each of these positions, as a NumPy array.
    pub fn mask<'py>(
        &self,
        py: Python<'py>,
        positions: &PositionArray,
        threads: &Threads,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        memory_for(positions.len())?;
        let mut mask = Vec::with_capacity(positions.len());
        in_parts(py, positions.len(), threads.part(PART), |part| {
            let starts = part.clone().step_by(threads.piece(part.len()));
            let pieces: Vec<Range<usize>> =
                starts.map(|start| start..part.end.min(start + threads.piece(part.len()))).collect();
            for holds in threads.map(&pieces, |rows| self.holds(positions, rows.clone(), rows.start)) {
                mask.extend(holds);
            }
            Ok::<_, PyErr>(())
        })??;
        Ok(PyArray1::from_vec(py, mask))
    }
}

/// Whether a condition holds for each row of a table, as a NumPy array.
pub fn mask_of_table<'py>(
    table: &Bound<'py, PyAny>,
    query: PositionQuery,
    column: &str,
    threads: &Threads,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let missing = |at: usize, all: Option<&[String]>| missing_column(&query, &query.inputs()[at], all);
    let (arrays, columns) = rows_with(table, column, query.inputs(), missing)?;
    let plan = plan_of(Vec::new(), "unsigned", Options::default(), None)?;
    let positions = positions(table.py(), &arrays, OnError::Fail, threads)?;
    MemoryCondition::new(query, &plan, columns).mask(table.py(), &positions, threads)
}

/// The error for a name in a condition that is no column: of a table with these columns, or of positions without any.
pub fn missing_column(query: &PositionQuery, name: &str, columns: Option<&[String]>) -> PyErr {
    let like = nearest(name, columns.unwrap_or_default().iter().map(String::as_str));
    let meant = did_you_mean(like.or_else(|| slider_attacks_query::nearest(name)));
    let text = query.text();
    value_error(match columns {
        Some(columns) => {
            let all: String = columns.join(", ").chars().take(300).collect();
            format!("where={text:?}: no column {name:?}; the columns are {all}{meant}")
        }
        None => format!("where={text:?}: no column {name:?}, because these positions have no columns{meant}"),
    })
}

/// Rows of the columns of a table, from one on.
struct TableRows<'t> {
    columns: &'t [KeptColumn],
    first: usize,
}

impl InputRows for TableRows<'_> {
    fn value(&self, column: usize, row: usize) -> InputValue<'_> {
        input_value(&self.columns[column], self.first + row)
    }
}
