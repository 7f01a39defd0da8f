//! Errors of arrays.

#[cfg(feature = "arrow")]
use arrow_schema::DataType;
use slider_attacks::position::{BoardError, FenError};

/// Why there is no result, or why a row is null. Rows count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The columns differ in length.
    #[error("column {column}: expected {expected} rows, found {found}")]
    Length {
        /// The first column whose length differs from that of the columns before it.
        column: &'static str,
        /// The length of the columns before it.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A column does not have one of the types that are read.
    #[cfg(feature = "arrow")]
    #[error("column {column}: expected {expected}, found {found}")]
    Type {
        /// The name of the column.
        column: String,
        /// The types that are read.
        expected: &'static str,
        /// The type of the column.
        found: DataType,
    },
    /// There is no such column among those of the bitboards.
    #[error("column {column} is missing: bitboards are twelve columns, white_pawn to black_king")]
    MissingColumn {
        /// The name of the column.
        column: String,
    },
    /// The number of a square is negative, or 64 or more.
    #[error("row {row}: square {square} is not on the board")]
    Square {
        /// The first such row.
        row: usize,
        /// The column of squares.
        column: &'static str,
        /// The number.
        square: i128,
    },
    /// A text is not a position.
    #[error("row {row}, {error}: {text:?}")]
    Fen {
        /// The row.
        row: usize,
        /// The error in the text. Its columns are bytes of the text, counted from 1.
        error: FenError,
        /// The text. If it is longer than about one line, `…` stands for the rest.
        text: String,
    },
    /// A text goes on after a line end. Whatever follows the position is not looked at otherwise, so that a second one would be
    /// lost.
    #[error("row {row}, column {column}: expected one position, found a line end: {text:?}")]
    LineEnd {
        /// The row.
        row: usize,
        /// The byte of the text, counted from 1.
        column: usize,
        /// The text. If it is longer than about one line, `…` stands for the rest.
        text: String,
    },
    /// Bitboards are not a position.
    #[error("row {row}: {error}")]
    Boards {
        /// The row.
        row: usize,
        /// The error in the bitboards.
        error: BoardError,
    },
    /// A text column next to the bitboards has an unexpected value.
    #[error("row {row}, column {column}: expected {expected}, found {found:?}")]
    Field {
        /// The row.
        row: usize,
        /// The name of the column.
        column: &'static str,
        /// What is read.
        expected: &'static str,
        /// The text, or its beginning.
        found: String,
    },
    /// The text is not the name of a product, or of a value of an option.
    #[error("expected one of {expected}, found {found:?}")]
    UnknownName {
        /// The names that there are.
        expected: String,
        /// The text, or its beginning.
        found: String,
    },
    /// The reasons of rows that cannot be read are longer in all than a column of text can hold. Fewer rows at a time help.
    #[error("a text column holds at most {} bytes, and the error messages of {rows} rows exceed them", i32::MAX)]
    TooManyReasons {
        /// The number of rows with a reason.
        rows: usize,
    },
    /// The positions have more threats or moves in all than the lists of a column can hold. Fewer rows at a time help.
    #[error("the lists of a column hold at most {} elements, found {found}", i32::MAX)]
    TooManyElements {
        /// The number of elements.
        found: usize,
    },
}

/// The most letters of a text that an error has: about one line of a terminal.
#[cfg(feature = "arrow")]
const SHOWN: usize = 80;

/// A text as quoted in errors: engines pass rows in batches, where the number of a row does not identify it.
#[cfg(feature = "arrow")]
pub(crate) fn excerpt(text: &[u8]) -> String {
    // A letter has four bytes at most.
    let beginning = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    let mut shown: String = beginning.chars().take(SHOWN).collect();
    if text.len() > 4 * SHOWN || shown.len() < beginning.len() {
        shown.push('…');
    }
    shown
}

impl Error {
    pub(crate) fn unknown_name<'a>(names: impl Iterator<Item = &'a str>, found: &str) -> Error {
        Error::UnknownName { expected: names.collect::<Vec<_>>().join(", "), found: found.chars().take(40).collect() }
    }

    /// The row that could not be read, if the error is about one row.
    pub fn row(&self) -> Option<usize> {
        match *self {
            Error::Square { row, .. }
            | Error::Fen { row, .. }
            | Error::LineEnd { row, .. }
            | Error::Boards { row, .. }
            | Error::Field { row, .. } => Some(row),
            _ => None,
        }
    }

    /// The reason, without the number and the text of the row; for other errors, the whole message.
    ///
    /// ```
    /// use arrow_array::StringArray;
    ///
    /// let error = slider_attacks_arrow::PositionArray::read(&StringArray::from(vec!["4k3 w"])).unwrap_err();
    /// assert_eq!(error.to_string(), format!("row 0, {}: \"4k3 w\"", error.reason()));
    /// ```
    pub fn reason(&self) -> String {
        match self {
            Error::Square { column, square, .. } => format!("column {column}: square {square} is not on the board"),
            Error::Fen { error, .. } => error.to_string(),
            Error::LineEnd { column, .. } => format!("column {column}: expected one position, found a line end"),
            Error::Boards { error, .. } => error.to_string(),
            Error::Field { column, expected, found, .. } => {
                format!("column {column}: expected {expected}, found {found:?}")
            }
            other => other.to_string(),
        }
    }

    /// The same error, `rows` rows further on, for callers that read a column part by part.
    ///
    /// ```
    /// use arrow_array::StringArray;
    ///
    /// let error = slider_attacks_arrow::PositionArray::read(&StringArray::from(vec!["4k3 w"])).unwrap_err();
    /// assert_eq!((error.row(), error.after(100).row()), (Some(0), Some(100)));
    /// ```
    #[must_use]
    pub fn after(mut self, rows: usize) -> Error {
        if let Error::Square { row, .. }
        | Error::Fen { row, .. }
        | Error::LineEnd { row, .. }
        | Error::Boards { row, .. }
        | Error::Field { row, .. } = &mut self
        {
            *row += rows;
        }
        self
    }
}
