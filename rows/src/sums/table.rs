//! The numbers of a summary for each group, column and square, and their output.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use slider_attacks::Square;
use slider_attacks::diagram::{HeatMap, Theme};
use slider_attacks_arrow::Summary;
use slider_attacks_formats::columns::texts::TextTable;
use slider_attacks_formats::columns::{KeptColumn, NumberColumn, OutputColumn, OutputValues};
use slider_attacks_formats::error::printable;

use super::keys::{GroupKey, Key};
use crate::format::{RowFormat, TextFormat};
use crate::write::table::{self, grouped};
use crate::write::{Encoded, EncodedSink, csv, npy};

/// The names of the columns of rows, after those of the keys.
pub const COLUMNS: [&str; 7] = ["positions", "column", "square", "count", "share", "sum", "mean"];

/// How many digits behind the point shares and means have.
const DIGITS: u32 = 6;

/// About how many bytes a row takes without the values of the keys, and rows that are made at a time.
const ROW: usize = 128;
const ROWS: usize = 4 << 20;

/// The most boards of a drawing.
const MOST_BOARDS: usize = 48;

/// Sums over all positions.
pub struct Totals {
    /// The keys.
    pub by: Vec<Key>,
    /// The values of the keys for each group, in the order of the groups.
    pub keys: Vec<GroupKey>,
    /// The number that each group has in the summary.
    pub places: Vec<usize>,
    /// The sums.
    pub summary: Summary,
}

/// A column of the summary, or the difference of two: those of White and of Black.
pub struct SummedColumn {
    /// Its name.
    pub name: String,
    /// Its number.
    pub column: usize,
    /// The number of the column that is subtracted.
    pub minus: Option<usize>,
    /// Whether sums may differ from counts.
    pub has_sum: bool,
    /// Whether a position has one value, and not one for each square.
    pub is_single: bool,
}

impl SummedColumn {
    /// The squares that have values, or nothing for the position as a whole.
    pub fn places(&self) -> impl Iterator<Item = Option<Square>> {
        let squares = if self.is_single { &[][..] } else { &Square::ALL[..] };
        squares.iter().copied().map(Some).chain(self.is_single.then_some(None))
    }
}

impl Totals {
    /// The names of the keys.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by.iter().map(|key| key.name.as_str())
    }

    /// The values of the keys for each group of the summary, in its order.
    pub fn found(&self) -> Vec<GroupKey> {
        let mut found = vec![GroupKey::new(); self.keys.len()];
        self.places.iter().zip(&self.keys).for_each(|(&place, values)| found[place].clone_from(values));
        found
    }

    /// The columns, and after each pair of White and Black their difference.
    pub fn parts(&self) -> Vec<SummedColumn> {
        let columns = self.summary.columns();
        let place = |name: &str| columns.iter().position(|column| column.name() == name);
        let mut parts = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            let (name, has_sum, is_single) = (column.name().to_owned(), column.has_sum(), column.is_single());
            parts.push(SummedColumn { name, column: number, minus: None, has_sum, is_single });
            let Some(what) = column.name().strip_prefix("black_") else { continue };
            if let Some(white) = place(&format!("white_{what}")) {
                let name = format!("difference_{what}");
                parts.push(SummedColumn { name, column: white, minus: Some(number), has_sum, is_single });
            }
        }
        parts
    }

    /// In how many positions of a group the value of a square, or that of the position, is not zero, and the sum of its values; for
    /// a difference, the same of White minus that of Black.
    pub fn sums(&self, group: usize, part: &SummedColumn, square: Option<Square>) -> [i64; 2] {
        // A column with one value per position has it for all squares.
        let square = square.filter(|_| !part.is_single).map_or(0, |square| usize::from(square.index()));
        let of = |column: usize| {
            let column = &self.summary.columns()[column];
            let place = self.places[group];
            [column.present(place)[square], column.sum(place)[square]].map(|sum| sum as i64)
        };
        let ([count, sum], [less_count, less_sum]) = (of(part.column), part.minus.map_or([0; 2], of));
        [count - less_count, sum - less_sum]
    }

    /// The number of positions of a group.
    pub fn positions(&self, group: usize) -> u64 {
        self.summary.positions(self.places[group])
    }

    /// A sum, divided by the number of positions.
    pub fn mean(&self, group: usize, sum: i64) -> f64 {
        sum as f64 / self.positions(group).max(1) as f64
    }

    /// The mean of the values of a square: the share of the positions in which it is in a set, or the mean of its numbers.
    fn value(&self, group: usize, part: &SummedColumn, square: Square) -> f64 {
        self.mean(group, self.sums(group, part, Some(square))[1])
    }

    /// The keys of a group with their values.
    fn label(&self, group: usize) -> String {
        let values = self.names().zip(&self.keys[group]);
        let values = values.map(|(name, value)| format!("{name} {}", value.as_deref().unwrap_or("unknown")));
        values.collect::<Vec<_>>().join(", ")
    }

    /// A row for each column and square of these groups, and one without a square for columns with one value per position; and how
    /// many there are.
    pub fn rows(&self, groups: Range<usize>, parts: &[SummedColumn]) -> (Vec<OutputColumn>, usize) {
        let each = parts.iter().map(|part| part.places().count()).sum();
        let rows = groups.len() * each;
        let (mut texts, mut positions) = (TextTable::new(self.by.len() + 2), Vec::with_capacity(rows));
        let mut numbers = [const { Vec::new() }; 4];
        let scaled = |value: f64| (value * 10_f64.powi(DIGITS as i32)).round() as i64;
        for (group, part) in groups.clone().flat_map(|group| parts.iter().map(move |part| (group, part))) {
            for square in part.places() {
                positions.push(self.positions(group));
                let keys = self.keys[group].iter().map(|value| value.as_deref().map(str::to_owned));
                texts.push(keys.chain([Some(part.name.clone()), square.map(|square| square.to_string())]));
                let [count, sum] = self.sums(group, part, square);
                let all = [count, scaled(self.mean(group, count)), sum, scaled(self.mean(group, sum))];
                numbers.iter_mut().zip(all).for_each(|(numbers, number)| numbers.push(number));
            }
        }
        let mut texts = texts.columns().map(|texts| OutputValues::Kept(KeptColumn::Text(texts)));
        let keys = texts.by_ref().take(self.by.len()).zip(&self.by).enumerate();
        let keys = keys
            .map(|(at, (texts, key))| if key.step.is_some() { self.numbers(groups.clone(), at, each) } else { texts });
        let keys: Vec<_> = keys.collect();
        let positions = OutputValues::Lines(positions);
        let numbers = numbers.into_iter().zip([0, DIGITS, 0, DIGITS]);
        let numbers = numbers
            .map(|(numbers, digits)| OutputValues::Kept(KeptColumn::Numbers(NumberColumn::new(numbers, digits))));
        let values = keys.into_iter().chain([positions]).chain(texts).chain(numbers);
        let names = self.names().chain(COLUMNS);
        (names.zip(values).map(|(name, values)| OutputColumn::new(name, values)).collect(), rows)
    }

    /// Passes on the rows of all groups in this format, the first ones of an output or others.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn write_rows(&self, format: RowFormat, is_first: bool, put: EncodedSink<'_>) -> Result<()> {
        if let (true, RowFormat::Text(format @ (TextFormat::Csv | TextFormat::SafeCsv))) = (is_first, format) {
            put(Encoded::Bytes(csv::header(format, self.names().chain(COLUMNS))))?;
        }
        // Even without groups, there are columns.
        let (groups, parts) = (self.keys.len(), self.parts());
        (0..groups.max(1)).try_for_each(|group| {
            // Each row has the values of the keys.
            let values = self.keys.get(group).into_iter().flatten().flatten();
            let bytes = ROW + values.map(|value| value.len()).sum::<usize>();
            parts.chunks((ROWS / (Square::ALL.len() * bytes)).max(1)).try_for_each(|parts| {
                let (columns, rows) = self.rows(group..groups.min(group + 1), parts);
                put(Encoded::new(format, columns, rows))
            })
        })
    }

    /// The values of a key that are numbers, so often for each group.
    fn numbers(&self, groups: Range<usize>, key: usize, each: usize) -> OutputValues {
        let number = |value: &Option<Arc<str>>| value.as_ref().and_then(|value| value.parse().ok());
        let numbers =
            groups.flat_map(|group| vec![number(&self.keys[group][key]).unwrap_or(NumberColumn::MISSING); each]);
        OutputValues::Kept(KeptColumn::Numbers(NumberColumn::new(numbers.collect(), 0)))
    }

    /// Passes on a table for each group, with a row for each square. Before it, there is a line for each column with one value per
    /// position. They are the first ones of an output, or others.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn write_tables(&self, is_first: bool, put: EncodedSink<'_>) -> Result<()> {
        let (singles, parts): (Vec<SummedColumn>, Vec<SummedColumn>) =
            self.parts().into_iter().partition(|part| part.is_single);
        let mut names = vec!["square".to_owned()];
        for part in &parts {
            // A set has nothing but the share of positions with the square.
            let kinds: &[&str] = if part.has_sum { &["_share", "_mean"] } else { &["_share"] };
            names.extend(kinds.iter().map(|kind| part.name.clone() + kind));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for group in 0..self.keys.len() {
            let mut text = String::new();
            // It may appear on a terminal.
            let label = printable(&self.label(group));
            let (separator, end) =
                (if label.is_empty() { "" } else { ": " }, if group > 0 || !is_first { "\n" } else { "" });
            let count = self.positions(group);
            let _ = writeln!(text, "{end}{label}{separator}{count} position{}\n", plural(count));
            for part in &singles {
                let [share, mean] = self.sums(group, part, None).map(|sum| tidy(self.mean(group, sum)));
                let _ = writeln!(text, "{}: share {share}, mean {mean}", part.name);
            }
            if parts.is_empty() {
                put(Encoded::Bytes(text.into_bytes()))?;
                continue;
            }
            if !singles.is_empty() {
                text.push('\n');
            }
            let row = |square: Square| {
                let cells = parts.iter().flat_map(|part| {
                    let [count, sum] = self.sums(group, part, Some(square));
                    [Some(count), part.has_sum.then_some(sum)].into_iter().flatten()
                });
                [square.to_string()].into_iter().chain(cells.map(|sum| tidy(self.mean(group, sum)))).collect()
            };
            let rows: Vec<Vec<String>> = Square::ALL.into_iter().map(row).collect();
            let mut lines = Vec::new();
            table::write(&mut lines, &names, &rows).expect("memory can be written");
            put(Encoded::Bytes([text.into_bytes(), lines].concat()))?;
        }
        Ok(())
    }

    /// A board for each group and column, or for each pair of columns their difference, all on one scale.
    ///
    /// # Errors
    ///
    /// There are too many boards, or a column has none.
    pub fn svg(&self, theme: Theme) -> Result<String> {
        let mut parts = self.parts();
        if let Some(part) = parts.iter().find(|part| part.is_single) {
            bail!(
                "{} has no squares, so there is no board to draw: leave the product out, or use another format",
                part.name
            );
        }
        let subtracted: Vec<usize> = parts.iter().filter_map(|part| part.minus).collect();
        let white: Vec<usize> = parts.iter().filter(|part| part.minus.is_some()).map(|part| part.column).collect();
        parts
            .retain(|part| part.minus.is_some() || !subtracted.contains(&part.column) && !white.contains(&part.column));
        let boards = parts.len() * self.keys.len();
        if boards > MOST_BOARDS {
            bail!("{boards} boards exceed the limit of {MOST_BOARDS} per drawing: use fewer groups, or fewer products");
        }
        let squares = || (0..self.keys.len()).flat_map(|group| parts.iter().map(move |part| (group, part)));
        let strongest = |(group, part): (usize, &SummedColumn)| {
            Square::ALL.into_iter().map(|square| self.value(group, part, square).abs()).fold(0.0, f64::max)
        };
        let most = squares().map(strongest).fold(0.0, f64::max);
        let drawings = squares().map(|(group, part)| {
            let (label, count) = (self.label(group), self.positions(group));
            let what = if part.minus.is_some() { "White minus Black, " } else { "" };
            let note = format!("{what}mean of {} position{}", grouped(count), plural(count));
            let heading = if label.is_empty() { part.name.clone() } else { format!("{}, {label}", part.name) };
            let value = |square: Square| self.value(group, part, square);
            HeatMap::new(value)
                .scale(most)
                .heading(heading, note)
                .label(|square| display_value(value(square), part))
                .legend([display_value(-most, part), "0".to_owned(), display_value(most, part)])
                .theme(theme)
                .to_string()
        });
        let drawings: Vec<String> = drawings.collect();
        let across = if parts.len() > 1 { parts.len() } else { drawings.len().clamp(1, 4) };
        Ok(side_by_side(&drawings, across))
    }
}

/// Combines drawings of equal size, this many across.
fn side_by_side(drawings: &[String], across: usize) -> String {
    if let [only] = drawings {
        return only.clone();
    }
    let [width, height] =
        drawings.first().map_or([0, 0], |drawing| ["width", "height"].map(|name| size(drawing, name)));
    let rows = drawings.len().div_ceil(across);
    let (all_width, all_height) = (width * across, height * rows);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {all_width} {all_height}\" width=\"{all_width}\" \
         height=\"{all_height}\">\n"
    );
    for (number, drawing) in drawings.iter().enumerate() {
        let (x, y) = (number % across * width, number / across * height);
        svg += &drawing.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
    }
    svg + "</svg>\n"
}

/// The width or height of a drawing.
fn size(drawing: &str, name: &str) -> usize {
    let number = drawing.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
    number.and_then(|(number, _)| number.parse().ok()).expect("a drawing has its size")
}

/// A value on a square: differences have a sign, except zero.
pub fn display_value(value: f64, part: &SummedColumn) -> String {
    let text = if part.minus.is_some() { format!("{value:+.2}") } else { format!("{value:.2}") };
    if text.ends_with("0.00") { "0.00".to_owned() } else { text.replace('-', "−") }
}

/// The end of a word that is counted.
pub fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A number with four digits after the point, and no minus before zero.
pub fn tidy(value: f64) -> String {
    let text = format!("{value:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}

/// The names of the files of NumPy arrays. `values.npy` has the values of each group, column and square; the one value of a position
/// stands on all squares. `positions.npy` has the size of each group. `labels.json` says what the axes are.
pub const ARRAYS: [&str; 3] = ["values.npy", "positions.npy", "labels.json"];

impl Totals {
    /// How the files of NumPy arrays begin, for so many groups.
    pub fn arrays_begin(&self, groups: usize) -> [Vec<u8>; 3] {
        let parts = self.parts();
        let columns: Value = parts.iter().map(|part| part.name.as_str()).collect();
        [
            npy::array("<f8", &[groups, parts.len(), 64], &[]),
            npy::array("<u8", &[groups], &[]),
            format!("{{\"columns\":{columns},\"groups\":[").into_bytes(),
        ]
    }

    /// What these groups add to the files, the first ones or others.
    pub fn arrays(&self, is_first: bool) -> [Vec<u8>; 3] {
        let (groups, parts) = (self.keys.len(), self.parts());
        let values = (0..groups).flat_map(|group| {
            parts.iter().flat_map(move |part| Square::ALL.map(move |square| self.value(group, part, square)))
        });
        let values = values.flat_map(f64::to_le_bytes).collect();
        let positions = (0..groups).flat_map(|group| self.positions(group).to_le_bytes()).collect();
        let mut labels = String::new();
        for (group, values) in self.keys.iter().enumerate() {
            let keys = self.names().zip(values).map(|(name, value)| (name.to_owned(), json!(value.as_deref())));
            let separator = if group > 0 || !is_first { "," } else { "" };
            let _ = write!(labels, "{separator}{}", keys.collect::<Value>());
        }
        [values, positions, labels.into_bytes()]
    }

    /// How the files end.
    pub fn arrays_end() -> [&'static [u8]; 3] {
        [b"", b"", b"]}\n"]
    }
}
