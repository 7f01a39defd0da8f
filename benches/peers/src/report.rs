//! Tables for a terminal, for Markdown and for a spreadsheet.

use std::io::{self, Write};

use crate::Table;
use crate::contest::{Group, version};

/// Prints one table, the fastest first.
pub fn print(table: &Table, markdown: bool) {
    const HEAD: [&str; 8] = ["", "how", "needs", "table bytes", "ns/pair", "median", "G/s", "best is x times faster"];
    let mut rows: Vec<_> = table.rows.iter().collect();
    rows.sort_by(|(_, a), (_, b)| a.fastest.total_cmp(&b.fastest));
    let best = rows
        .iter()
        .find(|(contestant, _)| contestant.group == Group::Backend)
        .map(|(_, timing)| timing.fastest)
        .expect("the scalar backend can always run");
    let rows: Vec<[String; 8]> = rows
        .into_iter()
        .map(|(contestant, timing)| {
            let name = match contestant.group {
                Group::Backend if markdown => format!("**slider-attacks `{}`**", contestant.name),
                Group::Backend => format!("slider-attacks {}", contestant.name),
                Group::Crate => format!("{} {}", contestant.name, version(contestant)),
                _ => contestant.name.to_owned(),
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
        })
        .collect();
    println!("\n{}s, calls of {} pairs, random squares, about 16 pieces\n", table.slider, table.size);
    if markdown {
        println!("| {} |\n|---|---|---|---|---|---|---|---|", HEAD.join(" | "));
        rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
        return;
    }
    let head = HEAD.map(str::to_owned);
    let lines = || std::iter::once(&head).chain(&rows);
    let widths: [usize; 8] =
        std::array::from_fn(|column| lines().map(|line| line[column].chars().count()).max().unwrap_or(0));
    for line in lines() {
        let cells = line.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0..3 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
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
