//! Rows of single sliders, as `attacks` and `pairs` write them.

use std::fmt::Display;
use std::io::{self, Write};

use slider_attacks::diagram::Diagram;
use slider_attacks::{Slider, Square};

use super::{Cell, csv, jsonl};
use crate::args::Format;

/// One slider and its attack set.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of the input line.
    pub line: u64,
    /// The slider.
    pub slider: Slider,
    /// The letter of a piece, or the name of a slider.
    pub name: &'static str,
    /// The square that it stands on.
    pub square: Square,
    /// All pieces on the board.
    pub occupancy: u64,
    /// The attack set.
    pub attacks: u64,
}

/// Writes rows in one of the formats.
pub struct Rows<W> {
    format: Format,
    /// The names of the columns; the second is `piece` or `slider`.
    names: [&'static str; 6],
    keys: Vec<String>,
    /// The text of a row, kept for its memory.
    text: Vec<u8>,
    out: W,
}

impl<W: Write> Rows<W> {
    /// Begins with the header, in the formats that have one. `column` is the name of the second column.
    pub fn new(format: Format, column: &'static str, out: W) -> io::Result<Rows<W>> {
        let names = ["line", column, "square", "occupancy", "attacks", "count"];
        let mut rows = Rows { format, names, keys: jsonl::keys(names.into_iter()), text: Vec::new(), out };
        match format {
            Format::Table => rows.table_line(names.each_ref().map(|name| name as &dyn Display))?,
            Format::Csv => csv::row(names.into_iter().map(Cell::from), &mut rows.text),
            Format::Jsonl | Format::Board => {}
        }
        rows.put()?;
        Ok(rows)
    }

    /// Writes a row.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        let Row { line, name, square, occupancy, attacks, .. } = *row;
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
            Format::Csv => csv::row(cells.into_iter(), &mut self.text),
            Format::Jsonl => jsonl::row(&self.keys, cells.into_iter(), &mut self.text),
            Format::Table => {
                let boards = [occupancy, attacks].map(|board| format!("{board:#018x}"));
                self.table_line([&line, &name, &square_name, &boards[0], &boards[1], &count])?;
            }
            Format::Board => {
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
    fn table_line(&mut self, [line, name, square, occupancy, attacks, count]: [&dyn Display; 6]) -> io::Result<()> {
        let width = if self.names[1] == "slider" { "bishop".len() } else { self.names[1].len() };
        writeln!(self.text, "{line:>8}  {name:width$}  {square:6}  {occupancy:18}  {attacks:18}  {count:>5}")
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
