//! Tables for people: aligned columns.

use std::io::{self, Write};

/// Writes a header, a rule and rows that are all there. Columns are as wide as their widest cell, and those of numbers
/// are aligned to the right. A dash stands for a number that is missing.
pub fn write<const N: usize>(out: &mut impl Write, names: [&str; N], rows: &[[String; N]]) -> io::Result<()> {
    let names = names.map(str::to_owned);
    let cells = |column: usize| rows.iter().map(move |row| row[column].as_str());
    let width = |column: usize| cells(column).chain([names[column].as_str()]).map(|cell| cell.chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let is_number = |cell: &str| cell == "-" || cell.parse::<f64>().is_ok();
    let are_numbers: [bool; N] = std::array::from_fn(|column| cells(column).all(is_number));
    let rule = widths.map(|width| "-".repeat(width));
    for row in [&names, &rule].into_iter().chain(rows) {
        let cells = row.iter().zip(widths).zip(are_numbers).map(|((cell, width), is_number)| {
            if is_number { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut out = Vec::new();
        let rows = [["é", "1", "1"], ["long", "1234567.5", "-"]].map(|row| row.map(str::to_owned));
        write(&mut out, ["name", "number", "2nd"], &rows).unwrap();
        let expected = "name     number  2nd\n----  ---------  ---\né             1    1\nlong  1234567.5    -\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
