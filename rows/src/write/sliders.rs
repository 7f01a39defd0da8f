//! Rows of single sliders, for the commands `attacks` and `pairs`.

use std::io::{self, Write};
use std::iter;

use slider_attacks::diagram::Diagram;
use slider_attacks::{Slider, Square};

use super::cell::{Cell, hex};
use super::{csv, jsonl};
use crate::format::SliderFormat;

/// One slider and its attack set.
#[derive(Clone, Copy, Debug)]
pub struct SliderRow {
    /// The number of the input line.
    pub line: u64,
    /// The slider.
    pub slider: Slider,
    /// The letter of a piece, or the name of a slider.
    pub name: &'static str,
    /// Its square.
    pub square: Square,
    /// All pieces on the board.
    pub occupancy: u64,
    /// The attack set.
    pub attacks: u64,
}

/// Writes rows in one of the formats.
pub struct SliderRows<W> {
    format: SliderFormat,
    /// The names of the columns; the second is `piece` or `slider`.
    names: [&'static str; 6],
    keys: Vec<jsonl::JsonKey>,
    /// The text of a row, kept for its memory.
    text: Vec<u8>,
    out: W,
}

impl<W: Write> SliderRows<W> {
    /// Begins with the header, in the formats that have one. `column` is the name of the second column.
    pub fn new(format: SliderFormat, column: &'static str, out: W) -> io::Result<SliderRows<W>> {
        let names = ["line", column, "square", "occupancy", "attacks", "count"];
        let mut rows = SliderRows { format, names, keys: jsonl::keys(names.into_iter()), text: Vec::new(), out };
        match format {
            SliderFormat::Table => rows.table_line(names),
            SliderFormat::Csv => csv::row(names.into_iter().map(Cell::from), &mut rows.text),
            SliderFormat::Jsonl | SliderFormat::Board => {}
        }
        rows.put()?;
        Ok(rows)
    }

    /// Writes a row.
    pub fn write(&mut self, row: &SliderRow) -> io::Result<()> {
        let SliderRow { line, name, square, occupancy, attacks, .. } = *row;
        let (square_name, count) = (square.to_string(), attacks.count_ones());
        let cells = [
            Cell::Number(line),
            name.into(),
            square_name.as_str().into(),
            Cell::Board(occupancy),
            Cell::Board(attacks),
            Cell::Number(count.into()),
        ];
        match self.format {
            SliderFormat::Csv => csv::row(cells.into_iter(), &mut self.text),
            SliderFormat::Jsonl => jsonl::row(&self.keys, cells.into_iter(), &mut self.text),
            SliderFormat::Table => {
                let [line, count] = [line.to_string(), count.to_string()];
                let boards = [occupancy, attacks].map(hex);
                let [occupancy, attacks] = boards.each_ref().map(|board| str::from_utf8(board).expect("digits"));
                self.table_line([&line, name, &square_name, occupancy, attacks, &count]);
            }
            SliderFormat::Board => {
                let text = &mut self.text;
                writeln!(text, "line {line}: {name} on {square} attacks {count} squares")?;
                writeln!(text, "{:<21}attacks {attacks:#018x}", "occupancy")?;
                let boards = [occupancy, attacks].map(|board| Diagram::new(board).mark(square, letter(name)));
                for (left, right) in boards[0].lines().zip(boards[1].lines()) {
                    writeln!(text, "{left}   {right}")?;
                }
                writeln!(text)?;
            }
        }
        self.put()
    }

    /// The columns have fixed widths, so that the first row need not wait for the last.
    fn table_line(&mut self, cells: [&str; 6]) {
        let name = if self.names[1] == "slider" { "bishop" } else { self.names[1] };
        for (column, (cell, width)) in cells.into_iter().zip([8, name.len(), 6, 18, 18, 5]).enumerate() {
            let padding = iter::repeat_n(b' ', width.saturating_sub(cell.len()));
            // The number of the line, on the left, and the count, on the right.
            if matches!(column, 0 | 5) {
                self.text.extend(padding);
                self.text.extend_from_slice(cell.as_bytes());
            } else {
                self.text.extend_from_slice(cell.as_bytes());
                self.text.extend(padding);
            }
            self.text.extend_from_slice(if column < 5 { b"  " } else { b"\n" });
        }
    }

    fn put(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    /// Hands everything to the reader of the results.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The letter to draw a slider with: that of the piece, or the first one of the name, as for a white piece.
fn letter(name: &str) -> char {
    let first = name.chars().next().unwrap_or('?');
    if name.len() == 1 { first } else { first.to_ascii_uppercase() }
}
