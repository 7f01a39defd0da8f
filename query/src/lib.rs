//! Conditions on chess positions, as text: which rows of an array they hold for.
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_arrow::{Plan, Product};
//! use slider_attacks_query::PositionQuery;
//!
//! let query: PositionQuery = "either(white_pinned & white_queens) and count(occupied) < 20".parse()?;
//! let mut positions = Positions::new();
//! positions.read_lines("4k3/4r3/8/8/8/8/4Q3/4K3 w - -\n4k3/4r3/8/8/8/8/3Q4/4K3 w - -\n")?;
//! assert_eq!(query.rows(&Plan::new([Product::Maps]), &positions, &()), [true, false]);
//!
//! let error = "white_pined & white_queens".parse::<PositionQuery>().unwrap_err();
//! assert_eq!(error.to_string(), "column 1: unknown set `white_pined`: did you mean `white_pinned`?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The language
//!
//! A condition is about one position. Names are
//!
//! - products: all columns that [`Product::ALL`](slider_attacks_arrow::Product::ALL) lists. A set where a condition is expected
//!   means that it has a square, a number of the position that it is above zero. `white_attackers[e4]`, `sum(white_attackers, set)` and
//!   `max(white_attackers, set)` use those with 64 numbers; `count(moves)` uses lists;
//! - sets of pieces and squares: `white_pawns` to `black_kings`, `pawns` to `kings`, `white`, `black`, `occupied`, `empty`, `e4`,
//!   `files("a-c")`, `ranks("2-4")`, `light`, `dark`, `center`, `all_squares`, `no_squares`, and numbers such as `0x00ff`;
//! - `turn = white`, `white_to_move`, `black_to_move`, `phase = endgame` (or `opening`, `middlegame`), `material = "KRPkr"`;
//! - any other name, and any in backquotes: a column of the input. A value that is missing compares with nothing. Compared with a
//!   text, it is a text; with a number, it is a number, or else it compares with nothing.
//!
//! | | |
//! |---|---|
//! | sets | `&`, <code>&#124;</code>, `^`, `~`, `-`; `north(set)` to `southwest(set)`, `flipped(set)`, `between(set, set)`, `attacks_of(queen, set)` |
//! | numbers | `+`, `-`, `*`; `count(set)`, `sum`, `max`, `abs`, `if(c, number, number)` |
//! | conditions | `and`, `or`, `not`; `=`, `!=`, `<`, `<=`, `>`, `>=`, `in (…)`; `starts_with(ECO, "B")` |
//! | images | `either(c)`: `c`, or `c` with colours swapped and the board upside down; `mirrored(c)`: `c`, or `c` with left and right exchanged |
//! | moves | `after(c)`: there is a legal move after which `c` holds; `count_moves(c)`: how many; `move_captures`, `move_promotes`, `move_checks`: the move of the column `next_uci` |
//! | patterns | `board("8/8/8/3pP3/8/8/8/8")`: these pieces on these squares; `material("KRPkr")`; `imbalance("BvN")`: what White and Black have more |
//!
//! `or` binds least, then `and`, `not`, comparisons, <code>&#124;</code>, `^`, `&`, `+` and `-`, `*`.

#![forbid(unsafe_code)]

mod chance;
mod check;
mod cost;
mod error;
mod evaluate;
mod expression;
mod names;
mod parse;
mod patterns;
mod phases;
mod records;
mod rewrite;
mod set;
mod squares;
mod token;

use std::str::FromStr;

use slider_attacks::position::PositionSlice;
use slider_attacks_arrow::{Perspective, Plan, ProductColumn};

pub use chance::ChanceQuery;
pub use error::QueryError;
pub use evaluate::{InputRows, InputValue};
pub use names::nearest;
pub use phases::{NAMES as PHASES, phase};
pub use records::{RecordChance, RecordColumn, RecordQuery, RecordValues};
pub use set::SetQuery;

use evaluate::Engine;
use expression::{ExprRef, TruthExpr};

/// A condition on positions, which has been checked.
#[derive(Clone, Debug)]
pub struct PositionQuery {
    text: String,
    truth: TruthExpr,
    columns: Vec<&'static ProductColumn>,
    inputs: Vec<String>,
}

impl FromStr for PositionQuery {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<PositionQuery, QueryError> {
        let (truth, inputs) = check::check(&parse::parse(text)?)?;
        let mut columns = Vec::new();
        ExprRef::Truth(&truth).add_columns(&mut columns);
        Ok(PositionQuery { text: text.to_owned(), truth, columns, inputs })
    }
}

impl PositionQuery {
    /// A part of another one, with the same inputs.
    fn of_parts(of: &PositionQuery, truth: TruthExpr) -> PositionQuery {
        let mut columns = Vec::new();
        ExprRef::Truth(&truth).add_columns(&mut columns);
        PositionQuery { text: of.text.clone(), truth, columns, inputs: of.inputs.clone() }
    }

    /// Whether it holds for all positions.
    pub fn is_always_true(&self) -> bool {
        matches!(&self.truth, TruthExpr::All(all) if all.is_empty())
    }

    /// Whether it asks for this input.
    pub fn asks_for(&self, input: usize) -> bool {
        ExprRef::Truth(&self.truth).asks_for(input)
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns of products that it needs.
    pub fn columns(&self) -> &[&'static ProductColumn] {
        &self.columns
    }

    /// The names of the columns of the input that it needs.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// Whether it asks for the move that was played from the position, in the column `next_uci` of the input.
    pub fn asks_for_played_move(&self) -> bool {
        asks_for_played_move(ExprRef::Truth(&self.truth))
    }

    /// About how many nanoseconds a position takes, at most.
    pub fn cost(&self) -> u64 {
        cost::cost(ExprRef::Truth(&self.truth))
    }

    /// Whether it holds for each of these positions. Products are computed with the backend and the options of this plan, whose
    /// own products do not matter; it is about the board as it is, whatever their perspective.
    pub fn rows<'a>(&self, plan: &Plan, positions: impl Into<PositionSlice<'a>>, inputs: &dyn InputRows) -> Vec<bool> {
        let plan = plan.clone().perspective(Perspective::Board);
        Engine { plan: &plan, columns: &self.columns }.holds(&self.truth, positions.into(), inputs)
    }
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

fn asks_for_played_move(expression: ExprRef<'_>) -> bool {
    matches!(expression, ExprRef::Truth(TruthExpr::Played(..)))
        || expression.parts().into_iter().any(asks_for_played_move)
}
