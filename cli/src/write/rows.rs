//! Rows and the forms in which they are written.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use slider_attacks::Square;
use slider_attacks::diagram::Diagram;

use crate::args::Format;

/// One slider and its attack set.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the second column: `piece` or `slider`.
    pub column: &'static str,
    /// The number of the input line.
    pub line: u64,
    /// What stands there: the letter of a piece, or the name of a slider.
    pub name: &'static str,
    /// Where it stands.
    pub square: Square,
    /// All pieces on the board.
    pub occupancy: u64,
    /// The attack set.
    pub attacks: u64,
}

/// Bitboards are written as `0x` and 16 digits everywhere.
fn hex(bitboard: u64) -> String {
    format!("{bitboard:#018x}")
}

impl Serialize for Row {
    /// The bitboards are strings, as numbers of 64 bits do not survive most readers of JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(6))?;
        map.serialize_entry("line", &self.line)?;
        map.serialize_entry(self.column, self.name)?;
        map.serialize_entry("square", &self.square.to_string())?;
        map.serialize_entry("occupancy", &hex(self.occupancy))?;
        map.serialize_entry("attacks", &hex(self.attacks))?;
        map.serialize_entry("count", &self.attacks.count_ones())?;
        map.end()
    }
}

/// Writes rows in one of the formats.
pub enum Rows<W: Write> {
    /// Aligned columns. Their widths are fixed, so that the first row need not wait for the last.
    Table(W),
    /// Comma-separated values.
    Csv(Box<csv::Writer<W>>),
    /// A JSON object a line.
    Jsonl(W),
    /// Drawn boards.
    Board(W),
}

impl<W: Write> Rows<W> {
    /// Begins with the header, in the formats that have one.
    pub fn new(format: Format, column: &'static str, mut out: W) -> io::Result<Rows<W>> {
        let width = name_width(column);
        Ok(match format {
            Format::Table => {
                let (occupancy, attacks) = ("occupancy", "attacks");
                writeln!(out, "{:>8}  {column:<width$}  square  {occupancy:<18}  {attacks:<18}  count", "line")?;
                Rows::Table(out)
            }
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(["line", column, "square", "occupancy", "attacks", "count"])?;
                Rows::Csv(Box::new(csv))
            }
            Format::Jsonl => Rows::Jsonl(out),
            Format::Board => Rows::Board(out),
        })
    }

    /// Writes a row.
    pub fn write(&mut self, row: &Row) -> io::Result<()> {
        let Row { column, line, name, square, occupancy, attacks } = *row;
        let count = attacks.count_ones();
        match self {
            Rows::Table(out) => {
                let width = name_width(column);
                writeln!(out, "{line:>8}  {name:<width$}  {square:<6}  {occupancy:#018x}  {attacks:#018x}  {count:>5}")
            }
            Rows::Csv(csv) => {
                let record = [
                    line.to_string(),
                    name.into(),
                    square.to_string(),
                    hex(occupancy),
                    hex(attacks),
                    count.to_string(),
                ];
                Ok(csv.write_record(record)?)
            }
            Rows::Jsonl(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")
            }
            Rows::Board(out) => {
                writeln!(out, "line {line}: {name} on {square} attacks {count} squares")?;
                writeln!(out, "{:<21}attacks {}", "occupancy", hex(attacks))?;
                let letter = letter(name);
                let [occupancy, attacks] = [occupancy, attacks].map(|board| Diagram::new(board).mark(square, letter));
                for (left, right) in occupancy.lines().zip(attacks.lines()) {
                    writeln!(out, "{left}   {right}")?;
                }
                writeln!(out)
            }
        }
    }

    /// Hands everything to the reader of the results.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Rows::Table(out) | Rows::Jsonl(out) | Rows::Board(out) => out.flush(),
            Rows::Csv(csv) => csv.flush(),
        }
    }
}

/// The letter to draw a slider with: that of the piece, or the first one of the name, white.
fn letter(name: &str) -> char {
    let first = name.chars().next().unwrap_or('?');
    if name.len() == 1 { first } else { first.to_ascii_uppercase() }
}

/// The width of the second column: its name or the longest slider's.
fn name_width(column: &str) -> usize {
    column.len().max(if column == "slider" { "bishop".len() } else { 1 })
}
