//! Chances of positions, as text.

use std::str::FromStr;

use slider_attacks::position::PositionSlice;
use slider_attacks_arrow::{Perspective, Plan};

use crate::PositionQuery;
use crate::check::check_chance;
use crate::error::QueryError;
use crate::evaluate::{Engine, InputRows};
use crate::expression::{ExprRef, NumberExpr, TruthExpr};
use crate::parse::{Relation, parse};

/// A number for each position in the language of conditions, which says how likely it is to be taken. A condition
/// stands for 1 where it holds, and for 0 elsewhere.
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_arrow::{Plan, Product};
/// use slider_attacks_query::ChanceQuery;
///
/// let query: ChanceQuery = "if(in_check, 0, 0.25 * count(occupied))".parse()?;
/// let mut positions = Positions::new();
/// positions.read_lines("4k3/8/8/8/8/8/8/4K2R w - -\n4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/4R2K b - -\n")?;
/// assert_eq!(query.chances(&Plan::new([Product::Maps]), &positions, &()), [0.75, 0.5, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChanceQuery {
    number: NumberExpr,
    query: PositionQuery,
}

impl FromStr for ChanceQuery {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<ChanceQuery, QueryError> {
        let (number, inputs) = check_chance(&parse(text)?)?;
        let truth = TruthExpr::Numbers(Relation::Greater, number.clone(), NumberExpr::Constant(0.0));
        let mut columns = Vec::new();
        ExprRef::Number(&number).add_columns(&mut columns);
        Ok(ChanceQuery { number, query: PositionQuery { text: text.to_owned(), truth, columns, inputs } })
    }
}

impl ChanceQuery {
    /// The condition that there is a chance. It has the text and names the same columns.
    pub fn condition(&self) -> &PositionQuery {
        &self.query
    }

    /// The chance of each of these positions, from 0 to 1: a number below or above counts as the nearest of these, and
    /// one that is missing as 0. Products are computed as [`PositionQuery::rows`] does.
    pub fn chances<'a>(
        &self,
        plan: &Plan,
        positions: impl Into<PositionSlice<'a>>,
        inputs: &dyn InputRows,
    ) -> Vec<f64> {
        let plan = plan.clone().perspective(Perspective::Board);
        let engine = Engine { plan: &plan, columns: &self.query.columns };
        let mut chances = engine.numbers(&self.number, positions.into(), inputs);
        chances.iter_mut().for_each(|chance| *chance = ChanceQuery::in_bounds(*chance));
        chances
    }

    /// The number.
    pub(crate) fn number(&self) -> &NumberExpr {
        &self.number
    }

    /// The chance that a number is.
    #[inline]
    pub(crate) fn in_bounds(chance: f64) -> f64 {
        if chance.is_nan() { 0.0 } else { chance.clamp(0.0, 1.0) }
    }
}
