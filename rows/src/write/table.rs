//! Tables for terminals: aligned columns, and readable numbers.

use std::io::{self, Write};

/// Writes a header, a rule and rows that are all there. Columns are as wide as their widest cell, and those of numbers
/// are aligned to the right. A dash stands for a number that is missing.
pub fn write<R: AsRef<[String]>>(out: &mut impl Write, names: &[&str], rows: &[R]) -> io::Result<()> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let cells = |column: usize| rows.iter().map(move |row| row.as_ref()[column].as_str());
    let width = |column: usize| cells(column).chain([names[column].as_str()]).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..names.len()).map(|column| width(column).unwrap_or(0)).collect();
    let is_number = |cell: &str| cell == "-" || cell.parse::<f64>().is_ok();
    let are_numbers: Vec<bool> = (0..names.len()).map(|column| cells(column).all(is_number)).collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    for row in [names.as_slice(), &rule].into_iter().chain(rows.iter().map(AsRef::as_ref)) {
        let cells = row.iter().zip(&widths).zip(&are_numbers).map(|((cell, &width), &is_number)| {
            if is_number { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut out = Vec::new();
        let rows = [["é", "1", "1"], ["long", "1234567.5", "-"]].map(|row| row.map(str::to_owned));
        write(&mut out, &["name", "number", "2nd"], &rows).unwrap();
        let expected = "name     number  2nd\n----  ---------  ---\né             1    1\nlong  1234567.5    -\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
