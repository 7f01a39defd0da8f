//! Tables of results that are known as a whole, such as those of `verify` and `bench`.

use std::io::{self, Write};

/// How a column is aligned.
#[derive(Clone, Copy)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Writes a header, a rule and the rows; columns are as wide as their widest cell.
pub fn write<const N: usize>(
    out: &mut impl Write,
    columns: [(&str, Align); N],
    rows: &[[String; N]],
) -> io::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([columns[column].0.chars().count()]).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: [&str; N]| {
        let padded = (0..N).map(|column| match (columns[column].1, widths[column]) {
            (Align::Left, width) => format!("{:<width$}", cells[column]),
            (Align::Right, width) => format!("{:>width$}", cells[column]),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", line(columns.map(|(name, _)| name)))?;
    writeln!(out, "{}", widths.map(|width| "-".repeat(width)).join("  "))?;
    rows.iter().try_for_each(|row| writeln!(out, "{}", line(row.each_ref().map(String::as_str))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut out = Vec::new();
        let rows = [["a".to_owned(), "1".to_owned()], ["long".to_owned(), "1234567".to_owned()]];
        write(&mut out, [("name", Align::Left), ("number", Align::Right)], &rows).unwrap();
        let expected = "name   number\n----  -------\na           1\nlong  1234567\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
