//! The malformed rows of a column.

use crate::{Error, MOST_ERRORS, OnError};

/// The rows that could not be read: how many there are, and what is wrong with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    /// The first of them, at most [`MOST_ERRORS`].
    pub first: Vec<Error>,
    /// How many there are.
    pub count: usize,
    /// Those that were left out, all of them.
    pub skipped: Vec<usize>,
    /// The row and the end of the reason in `text` for each of them, if reasons are to be reported.
    reasons: Vec<(usize, usize)>,
    text: String,
}

impl Errors {
    /// Adds the error of a row that was left out or became null.
    pub fn push(&mut self, error: Error, on_error: OnError) {
        self.count += 1;
        if on_error == OnError::Report {
            self.text += &error.reason();
            self.reasons.push((error.row().unwrap_or_default(), self.text.len()));
        }
        if on_error == OnError::Skip {
            self.skipped.extend(error.row());
        }
        if self.first.len() < MOST_ERRORS {
            self.first.push(error);
        }
    }

    /// The same, `rows` rows further on.
    pub fn after(mut self, rows: usize) -> Errors {
        self.first = self.first.into_iter().map(|error| error.after(rows)).collect();
        self.skipped.iter_mut().for_each(|row| *row += rows);
        self.reasons.iter_mut().for_each(|(row, _)| *row += rows);
        self
    }

    /// Adds those of later rows.
    pub fn append(&mut self, later: Errors) {
        let (before, room) = (self.text.len(), MOST_ERRORS - self.first.len());
        self.first.extend(later.first.into_iter().take(room));
        self.count += later.count;
        self.skipped.extend(later.skipped);
        self.text += &later.text;
        self.reasons.extend(later.reasons.into_iter().map(|(row, end)| (row, before + end)));
    }

    /// A column of the reasons, null for rows without an error. Errors are in row order.
    pub fn column(&self, rows: usize) -> Result<arrow_array::StringArray, Error> {
        if i32::try_from(self.text.len()).is_err() {
            return Err(Error::TooManyReasons { rows: self.count });
        }
        let mut reasons = self.reasons.iter().peekable();
        let mut start = 0;
        let mut reason = |row| {
            let &(_, end) = reasons.next_if(|(of, _)| *of == row)?;
            let reason = &self.text[start..end];
            start = end;
            Some(reason)
        };
        Ok((0..rows).map(&mut reason).collect())
    }
}
