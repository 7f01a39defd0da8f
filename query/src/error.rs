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
    /// The text of the query, as far as messages about this show it: if it is long, the part around the place.
    pub fn around(&self, text: &str) -> String {
        /// How many bytes are shown of a text, and how many of them are before the place.
        const MOST: usize = 120;
        const BEFORE: usize = 40;
        if text.len() <= MOST {
            return text.to_owned();
        }
        let at = self.column.saturating_sub(1).min(text.len());
        let start = text.floor_char_boundary(at.saturating_sub(BEFORE).min(text.len() - MOST));
        let end = text.floor_char_boundary((start + MOST).min(text.len()));
        let [before, after] = [start > 0, end < text.len()].map(|is_cut| if is_cut { "…" } else { "" });
        format!("{before}{}{after}", &text[start..end])
    }

    /// An error at this byte, from 1.
    pub(crate) fn new(column: usize, what: impl Into<String>) -> QueryError {
        QueryError { column, what: what.into() }
    }
}

/// The result of a step on the way from text to a query.
pub(crate) type Checked<T> = Result<T, QueryError>;
