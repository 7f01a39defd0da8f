//! How many positions files have, about, from samples.

use std::collections::BTreeMap;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

use anyhow::Result;
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::games::Games;
use slider_attacks_formats::request::Wanted;

use crate::Inputs;
use crate::block::ReadLimits;
use crate::input::Input;
use crate::sources::row_groups;
use crate::unit_places::length;

/// How many files are sampled whose names end the same, and how many bytes of each.
const MOST_FILES: usize = 8;
const MOST_BYTES: u64 = 1 << 20;

/// How many bytes a position takes of which nothing is known.
const USUAL: f64 = 64.0;

/// A file, and how many positions it has, about.
#[derive(Debug)]
pub(crate) struct SampledFile<'a> {
    pub path: &'a Path,
    /// How many bytes it has.
    pub length: u64,
    /// How many rows and bytes each row group of Parquet has.
    pub groups: Vec<(u64, u64)>,
    /// The positions, at least 1 unless it is empty.
    pub weight: u64,
}

impl SampledFile<'_> {
    /// How many rows its row groups have.
    pub fn rows(&self) -> u128 {
        self.groups.iter().map(|&(rows, _)| u128::from(rows)).sum()
    }

    /// What positions are counted per: rows of Parquet, and bytes of other files.
    fn size(&self) -> f64 {
        if self.groups.is_empty() { self.length as f64 } else { self.rows() as f64 }
    }
}

/// Files, with about how many positions each has of those that are wanted.
///
/// # Errors
///
/// An input is not a file, or cannot be opened.
pub(crate) fn sampled<'a>(inputs: &'a [Input], wanted: &Wanted) -> Result<Vec<SampledFile<'a>>> {
    let file = |input| {
        let (path, length) = length(input)?;
        // Whoever reads the file finds out what is wrong with it.
        Ok(SampledFile { path, length, groups: row_groups(path).unwrap_or_default(), weight: 1 })
    };
    let mut files = inputs.iter().map(file).collect::<Result<Vec<_>>>()?;
    let wanted =
        Wanted { from: wanted.from, column: wanted.column.clone(), games: games(&wanted.games), ..Wanted::default() };
    let mut kinds: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, file) in files.iter().enumerate() {
        kinds.entry(kind(file.path)).or_default().push(place);
    }
    for places in kinds.into_values() {
        let step = places.len().div_ceil(MOST_FILES).max(1);
        let samples =
            places.iter().step_by(step).map(|&place| Some((place, sample(&inputs[place], &files[place], &wanted)?)));
        let samples: BTreeMap<usize, Density> = samples.flatten().collect();
        let (found, read) =
            samples.values().fold((0.0, 0.0), |(found, read), it| (found + it.positions, read + it.read));
        let usual = if read > 0.0 { found / read } else { 1.0 / USUAL };
        for place in places {
            let own = samples.get(&place).filter(|it| it.read > 0.0).map(|it| it.positions / it.read);
            let positions = (files[place].size() * own.unwrap_or(usual)).round() as u64;
            files[place].weight = positions.max(u64::from(files[place].length > 0));
        }
    }
    Ok(files)
}

/// The games whose positions are counted. Those that do not meet the conditions must be read as well.
fn games(games: &Games) -> Games {
    Games { conditions: Vec::new(), by_positions: false, ..games.clone() }
}

/// How the name of a file ends: its last two extensions, as in `pgn.zst`.
fn kind(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let mut parts = name.rsplitn(3, '.');
    let last = parts.next().unwrap_or_default().to_owned();
    match parts.next() {
        Some(before) if ["gz", "zst"].contains(&&*last) => format!("{before}.{last}"),
        Some(_) => last,
        None => String::new(),
    }
}

/// How many positions a sample has, and how many bytes or rows were read for them.
struct Density {
    positions: f64,
    read: f64,
}

/// Reads the beginning of a file. Nothing is known of one that cannot be read, or has no positions.
fn sample(input: &Input, file: &SampledFile<'_>, wanted: &Wanted) -> Option<Density> {
    let is_table_of_positions = !file.groups.is_empty() && wanted.column.eq_ignore_ascii_case("fen");
    if is_table_of_positions {
        return Some(Density { positions: 1.0, read: 1.0 });
    }
    let inputs = Inputs::of(vec![input.clone()], "").ok()?;
    let (mut positions, mut rows) = (0, 0);
    let read = inputs.read_one(0, wanted, &mut |mut block| {
        block.load()?;
        rows += block.contents().map(Content::row_count).sum::<usize>();
        while let Some(records) = block.next(ReadLimits::all(usize::MAX), OnError::Skip, Positions::new())? {
            positions += records.positions.len();
        }
        Ok(if inputs.counter.read() >= MOST_BYTES { Break(()) } else { Continue(()) })
    });
    let read_bytes = inputs.counter.read().min(file.length) as f64;
    let read = read.ok().map(|_| if file.groups.is_empty() { read_bytes } else { rows as f64 })?;
    (positions > 0).then_some(Density { positions: positions as f64, read })
}
