//! Sets of squares, as text.

use std::str::FromStr;

use slider_attacks::position::PositionSlice;
use slider_attacks_arrow::{Perspective, Plan, ProductColumn};

use crate::check::check_set;
use crate::error::QueryError;
use crate::evaluate::Engine;
use crate::expression::{ExprRef, SetExpr};
use crate::parse::parse;

/// A set of squares for each position in the language of conditions.
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_arrow::{Plan, Product};
/// use slider_attacks_query::SetQuery;
///
/// let query: SetQuery = "north(white_pawns) & empty".parse()?;
/// let mut positions = Positions::new();
/// positions.read_lines("4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/4r3/4P3/4K3 w - -\n")?;
/// assert_eq!(query.sets(&Plan::new([Product::Maps]), &positions), [1 << 20, 0]);
///
/// let error = "count(white_pawns)".parse::<SetQuery>().unwrap_err();
/// assert_eq!(error.to_string(), "column 1: expected a set, found a number");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SetQuery {
    set: SetExpr,
    columns: Vec<&'static ProductColumn>,
}

impl FromStr for SetQuery {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<SetQuery, QueryError> {
        let set = check_set(&parse(text)?)?;
        let mut columns = Vec::new();
        ExprRef::Set(&set).add_columns(&mut columns);
        Ok(SetQuery { set, columns })
    }
}

impl SetQuery {
    /// The set of each of these positions. Products are computed as [`PositionQuery::rows`](crate::PositionQuery::rows) does.
    pub fn sets<'a>(&self, plan: &Plan, positions: impl Into<PositionSlice<'a>>) -> Vec<u64> {
        let plan = plan.clone().perspective(Perspective::Board);
        Engine { plan: &plan, columns: &self.columns }.sets(&self.set, positions.into())
    }
}
