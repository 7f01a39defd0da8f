//! Conditions on the positions of a file, and sets of squares of one position, as text.

use serde_json::{Value, json};
use slider_attacks::position::Positions;
use slider_attacks_arrow::Plan;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::error::quoted;
use slider_attacks_formats::request::{ConditionColumn, find};
use slider_attacks_formats::source::Source;
use slider_attacks_formats::warnings::{self, Warnings, did_you_mean};
use slider_attacks_query::{InputRows, InputValue, PositionQuery, QueryError, SetQuery, nearest};

use crate::{error, head, options, squares};

/// The set of an expression. Lines: the position, the expression, [options]. An error of the expression has its column.
pub fn set(input: &[u8]) -> Value {
    let (fen, rest) = head(input);
    let (text, rest) = head(rest);
    let plan = match options::plan(&String::from_utf8_lossy(rest)) {
        Ok(plan) => plan,
        Err(message) => return error(message),
    };
    let mut positions = Positions::new();
    if let Err(wrong) = positions.push_fen(fen.as_bytes()) {
        return error(wrong);
    }
    match text.parse::<SetQuery>() {
        Ok(query) => json!({ "set": squares(query.sets(&plan, &positions)[0]) }),
        Err(wrong) => error_of(&wrong),
    }
}

/// What is wrong with an expression, and the byte where it is, from 1.
pub fn error_of(wrong: &QueryError) -> Value {
    json!({ "error": wrong.to_string(), "column": wrong.column })
}

/// A condition on the rows of a file, which is read block by block.
pub struct ScanCondition {
    query: PositionQuery,
    plan: Plan,
    /// Which of the columns of the query had a value in a row.
    found: Vec<bool>,
    has_rows: bool,
}

impl ScanCondition {
    /// A condition whose products are computed with the options of this plan.
    pub fn new(query: PositionQuery, plan: Plan) -> ScanCondition {
        ScanCondition { found: vec![false; query.inputs().len()], query, plan, has_rows: false }
    }

    /// The columns of the file that it needs.
    pub fn columns(&self) -> Vec<ConditionColumn> {
        let column =
            |name: &String| ConditionColumn { name: name.clone(), is_of_records: false, nearest: nearest(name) };
        self.query.inputs().iter().map(column).collect()
    }

    /// Whether it holds for each of some records of a source that keeps these columns.
    pub fn holds(&mut self, records: &Records, source: &dyn Source) -> Vec<bool> {
        let column = |name: &String| {
            let place = find(source.columns().iter().map(String::as_str), name)?;
            records.kept.get(place)
        };
        let columns: Vec<Option<&KeptColumn>> = self.query.inputs().iter().map(column).collect();
        let rows = records.positions.len();
        self.has_rows |= rows > 0;
        for (found, column) in self.found.iter_mut().zip(&columns) {
            *found |= column.is_some_and(|column| (0..rows).any(|row| has_value(column, row)));
        }
        self.query.rows(&self.plan, &records.positions, &KeptInputs(columns))
    }

    /// The error if the whole file was read and no record had one of the columns.
    pub fn missing(&self, source: &dyn Source, warnings: &Warnings) -> Option<String> {
        let (column, _) = self.query.inputs().iter().zip(&self.found).find(|(_, found)| self.has_rows && !**found)?;
        let names = source.some_names();
        let field = warnings::nearest(column, names.iter().map(String::as_str)).map(str::to_owned);
        let meant = field.or_else(|| warnings.nearest_tag(column)).or_else(|| nearest(column).map(str::to_owned));
        Some(format!("no record has {} for the condition{}", quoted(column), did_you_mean(meant)))
    }
}

/// Whether a row has a value in a column, as far as a row can tell: numbers may be missing in all of them.
fn has_value(column: &KeptColumn, row: usize) -> bool {
    match column {
        KeptColumn::Text(texts) | KeptColumn::Json(texts) => texts.get(row).is_some(),
        _ => true,
    }
}

/// The columns of a query, for some rows.
struct KeptInputs<'r>(Vec<Option<&'r KeptColumn>>);

impl InputRows for KeptInputs<'_> {
    fn value(&self, column: usize, row: usize) -> InputValue<'_> {
        let value = match self.0[column] {
            Some(KeptColumn::Text(texts)) => texts.get(row).map(|text| InputValue::Text(text.into())),
            Some(KeptColumn::Json(texts)) => texts.get(row).and_then(text_of_json).map(InputValue::Text),
            Some(KeptColumn::Numbers(numbers)) => numbers.get(row).map(|number| {
                if numbers.are_integers() {
                    InputValue::Integer(number.into())
                } else {
                    InputValue::Text(numbers.text(number).into())
                }
            }),
            _ => None,
        };
        value.unwrap_or(InputValue::Missing)
    }
}
