//! Tables for a terminal, which are Markdown, and for a spreadsheet.

use std::io::{self, Write};

use crate::Table;
use crate::contest::{Group, version};

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

/// Writes all tables, one row per contestant.
pub fn csv(tables: &[Table], to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "slider,pairs,contestant,version,nanoseconds_fastest,nanoseconds_median")?;
    for Table { slider, size, rows } in tables {
        for (contestant, timing) in rows {
            let (name, version) = (contestant.name, version(contestant));
            writeln!(to, "{slider},{size},{name},{version},{:.4},{:.4}", timing.fastest, timing.median)?;
        }
    }
    Ok(())
}
