//! Bounds: how large a condition may become, and in which order its parts are evaluated.

use crate::expression::{ExprRef, NumberExpr, SetExpr, TruthExpr};
use crate::names::product_of;
use slider_attacks_arrow::ProductColumn;

/// The most parts of a condition that are copies of others: `either` and `mirrored` double what is within them.
pub const MOST_PARTS: usize = 1 << 14;
/// From which cost on rows that are left are evaluated on their own.
pub const COSTLY: u64 = 40;

/// About how many moves a position has.
const USUAL_MOVES: u64 = 32;
/// About what a position after a move costs, with its legality.
const MOVE: u64 = 60;

/// How many parts a condition has.
pub fn size(expression: ExprRef<'_>) -> usize {
    1 + expression.parts().into_iter().map(size).sum::<usize>()
}

/// About how many nanoseconds a row takes.
pub fn cost(expression: ExprRef<'_>) -> u64 {
    let parts = || expression.parts().into_iter().map(cost).fold(0, u64::saturating_add);
    let own = match expression {
        ExprRef::Truth(TruthExpr::After(_)) | ExprRef::Number(NumberExpr::Moves(_)) => {
            return USUAL_MOVES.saturating_mul(MOVE.saturating_add(parts()));
        }
        ExprRef::Truth(TruthExpr::Played(..)) => 200,
        ExprRef::Truth(TruthExpr::Input(..)) | ExprRef::Number(NumberExpr::Input(_)) => 20,
        ExprRef::Truth(TruthExpr::Phase(_)) => 5,
        ExprRef::Number(NumberExpr::Sum(..) | NumberExpr::Max(..)) => 20,
        ExprRef::Set(SetExpr::Between(..) | SetExpr::AttacksOf(..)) => 20,
        _ => 1,
    };
    own + expression.column().map_or(0, of_column) + parts()
}

/// About how many nanoseconds a column takes for a position.
fn of_column(column: &ProductColumn) -> u64 {
    match product_of(column).map_or("", |product| product.name()) {
        "pieces" => 1,
        "counts" | "mobility" | "keys" => 100,
        "legal_moves" | "status" | "threats" => 200,
        "exchanges" | "moves" | "targets" => 500,
        "trapped" | "safe_mobility" | "checking_moves" | "mating_moves" => 3000,
        _ => 50,
    }
}

/// Sorts conditions, cheap ones first.
pub fn sorted(mut all: Vec<TruthExpr>) -> Vec<TruthExpr> {
    all.sort_by_cached_key(|truth| cost(ExprRef::Truth(truth)));
    all
}
