//! Whose rows are computed, and in which order.

/// Whose rows come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewOrder {
    /// White's, then Black's.
    Colors,
    /// Those of the side to move, then those of its opponent.
    Mover,
}

/// The order of the indices in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOrder {
    /// That in which they are found: the same with every backend, in less time.
    Found,
    /// Ascending.
    Ascending,
}
