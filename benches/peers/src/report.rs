//! Tables for a terminal, which are Markdown, and for a spreadsheet, which can be read back.

use std::error::Error;
use std::io::{self, Write};

use peers::timing::Timing;
use slider_attacks::Slider;

use crate::Table;
use crate::contest::{Contestant, Group, version};

const CSV_HEAD: &str = "slider,pairs,contestant,group,version,nanoseconds_fastest,nanoseconds_median";
/// The groups that are timed, and their names in the spreadsheet.
const GROUPS: [(Group, &str); 4] =
    [(Group::Memory, "memory"), (Group::Method, "method"), (Group::Crate, "crate"), (Group::Backend, "backend")];

/// One row of the spreadsheet.
pub struct Measurement {
    pub slider: Slider,
    /// The number of pairs per call.
    pub size: usize,
    pub name: String,
    pub group: Group,
    version: String,
    /// Nanoseconds per pair.
    pub fastest: f64,
    median: f64,
}

/// Prints one table, the fastest first.
pub fn print(table: &Table) {
    const HEAD: [&str; 8] = ["", "how", "needs", "table bytes", "ns/pair", "median", "G/s", "best is x times faster"];
    let mut rows: Vec<_> = table.rows.iter().collect();
    rows.sort_by(|(_, a), (_, b)| a.fastest.total_cmp(&b.fastest));
    let best = rows
        .iter()
        .find(|(contestant, _)| contestant.group == Group::Backend)
        .map(|(_, timing)| timing.fastest)
        .expect("the scalar backend can always run");
    let rows = rows.into_iter().map(|(contestant, timing)| {
        let name = match contestant.group {
            Group::Backend => format!("**slider-attacks `{}`**", contestant.name),
            _ => format!("{} {}", contestant.name, version(contestant)).trim_end().to_owned(),
        };
        [
            name,
            contestant.how.to_owned(),
            contestant.needs.to_owned(),
            contestant.table_bytes.map_or("?".to_owned(), |bytes| bytes.to_string()),
            format!("{:.3}", timing.fastest),
            format!("{:.3}", timing.median),
            format!("{:.2}", 1.0 / timing.fastest),
            if contestant.group == Group::Memory { String::new() } else { format!("{:.2}", timing.fastest / best) },
        ]
    });
    let lines: Vec<[String; 8]> =
        [HEAD.map(str::to_owned), [(); 8].map(|_| "---".to_owned())].into_iter().chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    println!("\n{}s, calls of {} pairs, random squares, about 16 pieces\n", table.slider, table.size);
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        println!("| {} |", cells.join(" | "));
    }
}

/// The rows of all tables.
pub fn measurements(tables: &[Table]) -> Vec<Measurement> {
    let rows = |table: &Table| {
        let (slider, size) = (table.slider, table.size);
        let row = move |(contestant, timing): &(_, _)| measurement(slider, size, contestant, timing);
        table.rows.iter().map(row).collect::<Vec<_>>()
    };
    tables.iter().flat_map(rows).collect()
}

fn measurement(slider: Slider, size: usize, contestant: &Contestant, timing: &Timing) -> Measurement {
    let (name, version) = (contestant.name.to_owned(), version(contestant).to_owned());
    Measurement { slider, size, name, group: contestant.group, version, fastest: timing.fastest, median: timing.median }
}

/// Writes a spreadsheet.
pub fn write_csv(measurements: &[Measurement], to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "{CSV_HEAD}")?;
    for Measurement { slider, size, name, group, version, fastest, median } in measurements {
        let group = GROUPS.iter().find(|known| known.0 == *group).map_or("", |known| known.1);
        writeln!(to, "{slider},{size},{name},{group},{version},{fastest:.4},{median:.4}")?;
    }
    Ok(())
}

/// Reads a spreadsheet that was written here.
pub fn read_csv(text: &str) -> Result<Vec<Measurement>, Box<dyn Error>> {
    let rows = text.strip_prefix(CSV_HEAD).ok_or_else(|| format!("the first line is not {CSV_HEAD}"))?;
    let read = |row: &str| -> Result<Measurement, Box<dyn Error>> {
        let cells: Vec<&str> = row.split(',').collect();
        let &[slider, size, name, group, version, fastest, median] = &cells[..] else {
            return Err("it does not have seven cells".into());
        };
        let group = GROUPS.iter().find(|known| known.1 == group).ok_or("the group is not known")?.0;
        let (name, version) = (name.to_owned(), version.to_owned());
        let (fastest, median) = (fastest.parse()?, median.parse()?);
        Ok(Measurement { slider: slider.parse()?, size: size.parse()?, name, group, version, fastest, median })
    };
    rows.lines().skip(1).map(|row| read(row).map_err(|error| format!("row {row}: {error}").into())).collect()
}
