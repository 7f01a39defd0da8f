//! Conditions on rows: a query, with the columns of the inputs that it names.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use anyhow::{Result, bail};
use slider_attacks_arrow::{OnError, Plan};
use slider_attacks_files::keys::{KeyFilter, KeySelection, RowCondition, RowConditions};
use slider_attacks_formats::batch::{MOVE, Records};
use slider_attacks_formats::columns::texts::TextColumn;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::error::{printable, quoted};
use slider_attacks_formats::request::{ConditionColumn, find};
use slider_attacks_formats::source::Source;
use slider_attacks_formats::warnings::{self, Warnings, did_you_mean};
use slider_attacks_query::{InputRows, InputValue, PositionQuery, nearest};

use crate::write::cell::Cell;
use crate::write::text_rows::kept_cell;

/// Which rows are taken: all of them by default.
#[derive(Clone, Debug, Default)]
pub struct RowChoice {
    /// Only those for which this holds.
    pub condition: Option<PositionQuery>,
    /// Only those of games with a position for which this holds.
    pub games: Option<PositionQuery>,
    /// Of these, the ones that are selected by their keys.
    pub selection: Option<KeySelection>,
}

impl RowChoice {
    /// The rows for which a condition holds, if there is one.
    pub fn of_condition(condition: Option<PositionQuery>) -> RowChoice {
        RowChoice { condition, ..RowChoice::default() }
    }

    /// The columns of the inputs that the conditions need. With `each_move`, rows are the positions after each legal move.
    pub fn columns(&self, each_move: bool) -> Vec<ConditionColumn> {
        let of_rows = self.condition.iter().flat_map(PositionQuery::inputs).filter(|name| !is_move(name, each_move));
        let mut names: Vec<&String> = of_rows.collect();
        for name in self.games.iter().flat_map(PositionQuery::inputs) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| ConditionColumn { name: name.clone(), nearest: nearest(name) }).collect()
    }

    /// The filter of one run, whose blocks are read with `on_error`. Products and keys are computed with the backend and the options
    /// of this plan. `None` if all rows are taken.
    pub fn filter(&self, plan: &Plan, each_move: bool, on_error: OnError) -> Option<Arc<KeyFilter>> {
        let condition = |query: &PositionQuery, each_move| {
            Arc::new(QueryCondition::new(query.clone(), plan, each_move)) as Arc<dyn RowCondition>
        };
        let rows = self.condition.as_ref().map(|query| condition(query, each_move));
        // Games are chosen by the positions that they have, not by those after other moves.
        let games = self.games.as_ref().map(|query| condition(query, false));
        KeyFilter::new(RowConditions { rows, games }, self.selection, plan.computes_with(), on_error)
    }
}

/// Whether a name is that of the moves that led to rows, which are no column of the inputs.
fn is_move(name: &str, each_move: bool) -> bool {
    each_move && name == MOVE
}

/// A query that chooses rows, in one run.
#[derive(Debug)]
struct QueryCondition {
    query: PositionQuery,
    plan: Plan,
    /// Whether rows are the positions after moves, so that `move` is one of these.
    each_move: bool,
    /// Whether there were any rows, and which of the columns of the query had a value in one of them.
    has_rows: AtomicBool,
    found: Vec<AtomicBool>,
    /// Names of fields in the first rows, if one of these columns had no value there.
    names: OnceLock<Vec<String>>,
}

impl QueryCondition {
    fn new(query: PositionQuery, plan: &Plan, each_move: bool) -> QueryCondition {
        let found = query.inputs().iter().map(|_| AtomicBool::new(false)).collect();
        let (plan, has_rows, names) = (plan.clone(), AtomicBool::new(false), OnceLock::new());
        QueryCondition { query, plan, each_move, has_rows, found, names }
    }
}

impl RowCondition for QueryCondition {
    fn holds(&self, records: &Records, source: &dyn Source) -> Vec<bool> {
        let count = records.positions.len();
        let column = |name: &String| match &records.after {
            Some(after) if is_move(name, self.each_move) => ConditionValues::Moves(&after.moves),
            _ => find(source.columns().iter().map(String::as_str), name)
                .and_then(|place| records.kept.get(place))
                .map_or(ConditionValues::None, ConditionValues::Kept),
        };
        let inputs: Vec<ConditionValues<'_>> = self.query.inputs().iter().map(column).collect();
        if count > 0 && !self.has_rows.load(Relaxed) {
            self.has_rows.store(true, Relaxed);
        }
        for (found, values) in self.found.iter().zip(&inputs) {
            if found.load(Relaxed) {
                continue;
            }
            if (0..count).any(|row| values.is_known(row)) {
                found.store(true, Relaxed);
            } else {
                self.names.get_or_init(|| source.some_names());
            }
        }
        self.query.rows(&self.plan, &records.positions, &KeptRows(inputs))
    }

    fn check(&self, name: &str, warnings: &Warnings) -> Result<()> {
        let missing = self.query.inputs().iter().zip(&self.found).find(|(_, found)| !found.load(Relaxed));
        let Some((column, _)) = missing.filter(|_| self.has_rows.load(Relaxed)) else { return Ok(()) };
        let names = self.names.get().into_iter().flatten().map(String::as_str);
        let field = warnings::nearest(column, names).map(str::to_owned).or_else(|| warnings.nearest_tag(column));
        let meant = field.or_else(|| nearest(column).map(str::to_owned));
        bail!("{}: no record has {} for the condition{}", printable(name), quoted(column), did_you_mean(meant))
    }
}

/// The values of a column of a query.
enum ConditionValues<'r> {
    Kept(&'r KeptColumn),
    /// The moves that led to the rows.
    Moves(&'r TextColumn),
    None,
}

impl ConditionValues<'_> {
    /// Whether an input has this column, as far as a row can tell.
    fn is_known(&self, row: usize) -> bool {
        match self {
            ConditionValues::Kept(KeptColumn::Text(texts) | KeptColumn::Json(texts)) => texts.get(row).is_some(),
            ConditionValues::Kept(_) | ConditionValues::Moves(_) => true,
            ConditionValues::None => false,
        }
    }
}

/// The values of the columns of a query, for some rows.
struct KeptRows<'r>(Vec<ConditionValues<'r>>);

impl InputRows for KeptRows<'_> {
    #[inline]
    fn value(&self, column: usize, row: usize) -> InputValue<'_> {
        let kept = match &self.0[column] {
            ConditionValues::Kept(kept) => kept,
            ConditionValues::Moves(moves) => {
                return moves.get(row).map_or(InputValue::Missing, |uci| InputValue::Text(uci.into()));
            }
            ConditionValues::None => return InputValue::Missing,
        };
        match kept_cell(kept, row) {
            Cell::Number(number) => InputValue::Number(number as f64),
            Cell::Integer(number) => InputValue::Number(number as f64),
            Cell::Text(text) => InputValue::Text(text),
            Cell::Json(Cow::Borrowed(value)) => text_of_json(value).map_or(InputValue::Missing, InputValue::Text),
            Cell::Json(Cow::Owned(value)) => {
                let text = text_of_json(&value).map(|text| text.into_owned());
                text.map_or(InputValue::Missing, |text| InputValue::Text(text.into()))
            }
            _ => InputValue::Missing,
        }
    }
}
