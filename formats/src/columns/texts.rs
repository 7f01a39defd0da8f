//! Columns of texts that share their memory.

use std::sync::Arc;

use crate::content::escapes;

/// The texts of a column.
#[derive(Clone, Debug, Default)]
pub struct TextColumn {
    table: Arc<TextTable>,
    column: usize,
    /// The row of the table that has the text of each row, or one that is past the end; `None` if both are the same.
    rows: Option<Arc<[u32]>>,
}

impl TextColumn {
    /// The text in a row, if it has one.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&str> {
        let cell = self.place(row) * self.table.width + self.column;
        if self.rows.is_some() && cell >= self.table.ends.len() { None } else { self.table.get(cell) }
    }

    /// Where the text of a row is. Rows with the same place have the same text.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    pub fn place(&self, row: usize) -> usize {
        self.rows.as_ref().map_or(row, |rows| rows[row] as usize)
    }

    /// How many bytes the texts of this many rows have. Where rows are those of a table, this is known for the table as a whole.
    pub fn bytes(&self, rows: usize) -> usize {
        match &self.rows {
            None => self.table.text.len() / self.table.width.max(1),
            Some(_) => (0..rows).filter_map(|row| self.get(row)).map(str::len).sum(),
        }
    }

    /// How many bytes they take at most in CSV or JSON.
    pub fn most_bytes(&self, rows: usize) -> usize {
        let most = |text: &str| 3 + text.len() + escapes(text.as_bytes());
        match &self.rows {
            None => 3 * rows + most(&self.table.text) / self.table.width.max(1),
            Some(_) => (0..rows).filter_map(|row| self.get(row)).map(most).sum(),
        }
    }

    /// The same texts in other rows: in each, that of the row of this number. A row past the end has none.
    #[must_use]
    pub fn in_rows(self, rows: Arc<[u32]>) -> TextColumn {
        let rows = match &self.rows {
            None => rows,
            Some(before) => rows.iter().map(|&row| before.get(row as usize).copied().unwrap_or(u32::MAX)).collect(),
        };
        TextColumn { rows: Some(rows), ..self }
    }
}

/// Texts in rows and columns, in one allocation, because each text may be only a letter long.
#[derive(Debug, Default)]
pub struct TextTable {
    width: usize,
    text: String,
    /// The end of each text, times two, plus one if there is no text.
    ends: Vec<u32>,
}

impl TextTable {
    /// A table of `width` columns without rows. With no columns, it stays empty.
    pub fn new(width: usize) -> TextTable {
        TextTable { width, ..TextTable::default() }
    }

    /// Whether it has no columns.
    pub fn is_empty(&self) -> bool {
        self.width == 0
    }

    /// All texts, one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends a row.
    ///
    /// # Panics
    ///
    /// If the texts take more than 2 GiB together.
    pub fn push<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = Option<T>>) {
        for text in row {
            self.text.push_str(text.as_ref().map_or("", AsRef::as_ref));
            let end = u32::try_from(2 * self.text.len()).expect("a block has a few megabytes at most");
            self.ends.push(end + u32::from(text.is_none()));
        }
    }

    /// Appends rows without texts until the table has this number of rows.
    #[inline]
    pub fn pad(&mut self, rows: usize) {
        while self.ends.len() < rows * self.width {
            self.push([None::<&str>]);
        }
    }

    #[inline]
    fn get(&self, cell: usize) -> Option<&str> {
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] as usize / 2 };
        let end = self.ends[cell];
        end.is_multiple_of(2).then(|| &self.text[start..end as usize / 2])
    }

    /// The columns.
    pub fn columns(self) -> impl Iterator<Item = TextColumn> {
        let (width, table) = (self.width, Arc::new(self));
        (0..width).map(move |column| TextColumn { table: table.clone(), column, rows: None })
    }
}
