//! Tables for people: aligned columns.

use std::io::{self, Write};

/// The alignment of a column.
#[derive(Clone, Copy)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Appends a line of cells, each padded to the width of its column.
pub fn line<'a>(cells: impl Iterator<Item = (&'a str, Align, usize)>, out: &mut Vec<u8>) {
    for (place, (cell, align, width)) in cells.enumerate() {
        if place > 0 {
            out.extend_from_slice(b"  ");
        }
        let padding = width.saturating_sub(if cell.is_ascii() { cell.len() } else { cell.chars().count() });
        let (before, after) = if matches!(align, Align::Left) { (0, padding) } else { (padding, 0) };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend_from_slice(cell.as_bytes());
        out.extend(std::iter::repeat_n(b' ', after));
    }
    out.truncate(out.trim_ascii_end().len());
    out.push(b'\n');
}

/// Writes a header, a rule and rows that are all there; columns are as wide as their widest cell.
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
    let mut text = Vec::new();
    let mut put = |cells: [&str; N]| {
        line((0..N).map(|column| (cells[column], columns[column].1, widths[column])), &mut text);
    };
    put(columns.map(|(name, _)| name));
    put(widths.map(|width| "-".repeat(width)).each_ref().map(String::as_str));
    rows.iter().for_each(|row| put(row.each_ref().map(String::as_str)));
    out.write_all(&text)
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
