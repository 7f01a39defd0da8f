//! What is wrong with a query.

/// What is wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct QueryError {
    /// The byte of the text where it is, from 1.
    pub column: usize,
    /// What was expected there, and what was found.
    pub what: String,
}

impl QueryError {
    /// An error at this byte, from 1.
    pub(crate) fn new(column: usize, what: impl Into<String>) -> QueryError {
        QueryError { column, what: what.into() }
    }
}

/// The result of a step on the way from text to a query.
pub(crate) type Checked<T> = Result<T, QueryError>;
