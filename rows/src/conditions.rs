//! Conditions on rows: a query, with the columns of the inputs that it names.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use anyhow::{Result, bail};
use slider_attacks::position::Color;
use slider_attacks_arrow::{OnError, Plan};
use slider_attacks_files::keys::{KeyFilter, KeySelection, RowCondition, RowConditions};
use slider_attacks_formats::batch::{MOVE, Records};
use slider_attacks_formats::columns::texts::TextColumn;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::error::{printable, quoted};
use slider_attacks_formats::request::{ConditionColumn, RecordCondition, RecordPredicate, Wanted, find};
use slider_attacks_formats::source::Source;
use slider_attacks_formats::warnings::{self, Warnings, did_you_mean};
use slider_attacks_games::records::RecordLabels;
use slider_attacks_query::{
    ChanceQuery, InputRows, InputValue, PositionQuery, RecordColumn, RecordQuery, RecordValues, nearest,
};

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

    /// The same request, with what the conditions need of the inputs. With `each_move`, rows are the positions after each legal move.
    pub fn wanted(&self, each_move: bool, wanted: Wanted) -> Wanted {
        self.wanted_with(each_move, None, wanted)
    }

    /// The same, with what chances need as well.
    pub(crate) fn wanted_with_chances(&self, chances: Option<&ChanceQuery>, wanted: Wanted) -> Wanted {
        self.wanted_with(false, chances.map(ChanceQuery::condition), wanted)
    }

    fn wanted_with(&self, each_move: bool, other: Option<&PositionQuery>, wanted: Wanted) -> Wanted {
        let split = self.condition.as_ref().filter(|_| !each_move).and_then(RecordQuery::split);
        let (query, rest) = split.unzip();
        let record_condition = query.map(|query| Arc::new(RecordFilter(query)) as RecordPredicate);
        Wanted { condition_columns: self.columns(each_move, rest.as_ref(), other), record_condition, ..wanted }
    }

    /// The columns of the inputs that the conditions need, where records decide all but this rest, and those of another query.
    fn columns(
        &self,
        each_move: bool,
        rest: Option<&PositionQuery>,
        other: Option<&PositionQuery>,
    ) -> Vec<ConditionColumn> {
        let of_rows = self.condition.iter().flat_map(PositionQuery::inputs).filter(|name| !is_move(name, each_move));
        let mut names: Vec<&String> = of_rows.collect();
        for name in self.games.iter().chain(other).flat_map(PositionQuery::inputs) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_of_records = |name: &String| {
            let asks = |query: &PositionQuery| {
                query.inputs().iter().enumerate().any(|(at, of)| of == name && query.asks_for(at))
            };
            rest.is_some_and(|rest| !asks(rest)) && !other.is_some_and(asks)
        };
        let column = |name: &String| {
            let (is_of_records, nearest) = (is_of_records(name), nearest(name));
            ConditionColumn { name: name.clone(), is_of_records, nearest }
        };
        names.into_iter().map(column).collect()
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
    /// What is left of it where records have decided the rest.
    rest: Option<PositionQuery>,
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
        let rest = RecordQuery::split(&query).filter(|_| !each_move).map(|(_, rest)| rest);
        QueryCondition { query, rest, plan, each_move, has_rows, found, names }
    }

    /// The values of its columns for some records of a source, those that this query, which is it or a part of it, asks for.
    fn kept_rows<'r>(&self, query: &PositionQuery, records: &'r Records, source: &dyn Source) -> KeptRows<'r> {
        let count = records.positions.len();
        let column = |name: &String| match &records.after {
            Some(after) if is_move(name, self.each_move) => ConditionValues::Moves(&after.moves),
            _ => find(source.columns().iter().map(String::as_str), name)
                .and_then(|place| records.kept.get(place))
                .map_or(ConditionValues::None, ConditionValues::Kept),
        };
        let inputs: Vec<ConditionValues<'r>> = self.query.inputs().iter().map(column).collect();
        if count > 0 && !self.has_rows.load(Relaxed) {
            self.has_rows.store(true, Relaxed);
        }
        for (at, (found, values)) in self.found.iter().zip(&inputs).enumerate() {
            if found.load(Relaxed) {
                continue;
            }
            if !query.asks_for(at) || (0..count).any(|row| values.is_known(row)) {
                found.store(true, Relaxed);
            } else {
                self.names.get_or_init(|| source.some_names());
            }
        }
        KeptRows(inputs)
    }
}

impl RowCondition for QueryCondition {
    fn holds(&self, records: &Records, source: &dyn Source) -> Vec<bool> {
        let query = self.rest.as_ref().filter(|_| source.decides_records()).unwrap_or(&self.query);
        if query.is_always_true() {
            // Records have all that the rest of the query would need.
            self.found.iter().for_each(|found| found.store(true, Relaxed));
            return vec![true; records.positions.len()];
        }
        query.rows(&self.plan, &records.positions, &self.kept_rows(query, records, source))
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

/// The chances with which rows are taken, in one run.
#[derive(Debug)]
pub(crate) struct RowChances {
    query: ChanceQuery,
    /// That there is a chance.
    condition: QueryCondition,
}

impl RowChances {
    /// Products are computed with the backend and the options of this plan.
    pub fn new(query: ChanceQuery, plan: &Plan) -> RowChances {
        RowChances { condition: QueryCondition::new(query.condition().clone(), plan, false), query }
    }

    /// The chance of each of these records of a source.
    pub fn chances(&self, records: &Records, source: &dyn Source) -> Vec<f64> {
        let QueryCondition { query, plan, .. } = &self.condition;
        self.query.chances(plan, &records.positions, &self.condition.kept_rows(query, records, source))
    }

    /// Checks that the inputs of this name had the columns, when all has been read.
    pub fn check(&self, name: &str) -> Result<()> {
        self.condition.check(name, &Warnings::default())
    }
}

/// The part of a condition that records decide.
#[derive(Debug)]
struct RecordFilter(RecordQuery);

impl RecordCondition for RecordFilter {
    #[inline]
    fn holds(&self, record: &RecordLabels<'_>) -> bool {
        self.0.holds(&RecordRow(record))
    }
}

/// The value of a row in a column of an input, as queries take it.
#[inline]
pub fn input_value(kept: &KeptColumn, row: usize) -> InputValue<'_> {
    match kept_cell(kept, row) {
        Cell::Number(number) => InputValue::Integer(number.into()),
        Cell::Integer(number) => InputValue::Integer(number.into()),
        Cell::Text(text) => InputValue::Text(text),
        Cell::Json(Cow::Borrowed(value)) => text_of_json(value).map_or(InputValue::Missing, InputValue::Text),
        Cell::Json(Cow::Owned(value)) => {
            let text = text_of_json(&value).map(|text| text.into_owned());
            text.map_or(InputValue::Missing, |text| InputValue::Text(text.into()))
        }
        _ => InputValue::Missing,
    }
}

/// The values of a record.
pub(crate) struct RecordRow<'r>(pub &'r RecordLabels<'r>);

impl RecordValues for RecordRow<'_> {
    #[inline]
    fn value(&self, column: RecordColumn) -> InputValue<'_> {
        match column {
            RecordColumn::Score => InputValue::Number(self.0.score.into()),
            RecordColumn::Result => InputValue::Text(self.0.outcome.name().into()),
            RecordColumn::Halfmove => InputValue::Number(self.0.board.halfmove_clock().into()),
            RecordColumn::Fullmove => InputValue::Number(self.0.board.fullmove_number().into()),
            RecordColumn::Ply => InputValue::Number(self.0.ply().into()),
        }
    }

    #[inline]
    fn number(&self, column: RecordColumn) -> f64 {
        match column {
            RecordColumn::Score => self.0.score.into(),
            RecordColumn::Result => f64::NAN,
            RecordColumn::Halfmove => self.0.board.halfmove_clock().into(),
            RecordColumn::Fullmove => self.0.board.fullmove_number().into(),
            RecordColumn::Ply => self.0.ply().into(),
        }
    }

    #[inline]
    fn turn(&self) -> Color {
        self.0.board.side_to_move()
    }

    #[inline]
    fn result(&self) -> &str {
        self.0.outcome.name()
    }

    #[inline]
    fn planes(&self) -> [u64; 4] {
        self.0.board.planes()
    }

    #[inline]
    fn captures(&self) -> bool {
        self.0.captures()
    }

    #[inline]
    fn promotes(&self) -> bool {
        self.0.mv.promoted().is_some()
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
pub(crate) struct KeptRows<'r>(Vec<ConditionValues<'r>>);

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
        input_value(kept, row)
    }
}
