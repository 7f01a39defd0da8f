//! How many positions files have, about, from samples.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

use anyhow::{Error, Result};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::games::Games;
use slider_attacks_formats::request::{OptionalColumns, Wanted, find};

use crate::Inputs;
use crate::block::ReadLimits;
use crate::input::{Input, file_name};
use crate::remote::is_of_network;
use crate::sources::row_groups;
use crate::unit_places::length;

/// How many files are sampled whose names end the same, and how many bytes of each.
const MOST_FILES: usize = 8;
const MOST_BYTES: u64 = 1 << 20;

/// Bytes per position if no sample has positions.
const USUAL: f64 = 64.0;

/// A file, and how many positions it has, about.
#[derive(Debug)]
pub(crate) struct SampledFile<'a> {
    pub path: &'a Path,
    /// How many bytes it has.
    pub length: u64,
    /// How many rows and bytes each row group of Parquet has.
    pub groups: Vec<(u64, u64)>,
    /// The positions, at least 1 unless it is empty. It is 1 if it cannot be opened, so that one shard has it.
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
/// An input is not a file, or reading one fails.
pub(crate) fn sampled<'a>(inputs: &'a [Input], wanted: &Wanted) -> Result<Vec<SampledFile<'a>>> {
    let file = |input| {
        let (path, length) = match (length(input), input.path()) {
            (Err(error), Some(path)) if cannot_open(&error) => {
                return Ok(SampledFile { path, length: 0, groups: Vec::new(), weight: 1 });
            }
            (found, _) => found?,
        };
        let groups = unless_malformed(row_groups(path))?;
        Ok(SampledFile { path, length, groups, weight: u64::from(length > 0) })
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
        let mut samples: BTreeMap<usize, Density> = BTreeMap::new();
        for &place in places.iter().step_by(step) {
            samples.extend(sample(&inputs[place], &files[place], &wanted)?.map(|found| (place, found)));
        }
        let (found, read) =
            samples.values().fold((0.0, 0.0), |(found, read), it| (found + it.positions, read + it.read));
        let usual = if read > 0.0 { found / read } else { 1.0 / USUAL };
        for place in places {
            let own = samples.get(&place).filter(|it| it.read > 0.0).map(|it| it.positions / it.read);
            let positions = (files[place].size() * own.unwrap_or(usual)).round() as u64;
            files[place].weight = files[place].weight.max(positions);
        }
    }
    Ok(files)
}

/// The games whose positions are counted. Those that do not meet the conditions must be read as well.
fn games(games: &Games) -> Games {
    Games { conditions: Vec::new(), by_positions: false, ..games.clone() }
}

/// How the name of a file ends: its extension, and the one before `.gz` or `.zst`.
fn kind(path: &Path) -> String {
    let name = file_name(path).unwrap_or_default().to_string_lossy().to_ascii_lowercase();
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

/// A result, or nothing after an error about what a file holds, or one that cannot be opened: whoever reads the file reports it.
///
/// # Errors
///
/// The system fails to read. It may not fail again, and then another job would cut elsewhere.
pub(crate) fn unless_malformed<T: Default>(result: Result<T>) -> Result<T> {
    let of_system = |error: &io::Error| error.raw_os_error().is_some() || is_of_network(error);
    match result {
        Err(error) if !cannot_open(&error) && error.chain().filter_map(|cause| cause.downcast_ref()).any(of_system) => {
            Err(error)
        }
        result => Ok(result.unwrap_or_default()),
    }
}

/// Whether an error says that a file is missing, or may not be read.
fn cannot_open(error: &Error) -> bool {
    let kinds = [ErrorKind::NotFound, ErrorKind::PermissionDenied, ErrorKind::NotADirectory];
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|error| kinds.contains(&error.kind()))
}

/// Whether the move played from a row of a file is at the next row, as its first block shows. Such a file cannot be cut.
///
/// # Errors
///
/// The file cannot be read.
pub(crate) fn has_moves_of_rows_before(input: &Input, wanted: &Wanted) -> Result<bool> {
    let [played, led] = &wanted.move_columns;
    let rows = played.iter().chain(led).cloned().collect();
    let optional_columns = OptionalColumns { rows, ..OptionalColumns::default() };
    let wanted = Wanted { from: wanted.from, column: wanted.column.clone(), optional_columns, ..Wanted::default() };
    let inputs = Inputs::of(vec![input.clone()], "")?;
    let mut has_moves = false;
    let _ = inputs.read_one(0, &wanted, &mut |mut block| {
        let Some(records) = block.next(ReadLimits::all(usize::MAX), OnError::Skip, Positions::new())? else {
            return Ok(Continue(()));
        };
        let source = &block.origin.source;
        let is_found = |name: &String| {
            let place = find(block.origin.columns().iter().map(String::as_str), name);
            let column = place.and_then(|place| records.kept.get(place));
            column.is_some_and(|column| column.is_found(records.numbers.len()))
        };
        let is_table = !source.has_games() && !source.has_records();
        has_moves = is_table && !played.iter().any(is_found) && led.iter().any(is_found);
        Ok(Break(()))
    })?;
    Ok(has_moves)
}

/// Reads the beginning of a file. Nothing is known of one that is malformed, or has no positions.
fn sample(input: &Input, file: &SampledFile<'_>, wanted: &Wanted) -> Result<Option<Density>> {
    let is_table_of_positions = !file.groups.is_empty() && wanted.column.eq_ignore_ascii_case("fen");
    if is_table_of_positions {
        return Ok(Some(Density { positions: 1.0, read: 1.0 }));
    }
    let Some(inputs) = unless_malformed(Inputs::of(vec![input.clone()], "").map(Some))? else { return Ok(None) };
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
    let is_read = unless_malformed(read.map(|_| true))?;
    let read = if file.groups.is_empty() { read_bytes } else { rows as f64 };
    Ok((is_read && positions > 0).then_some(Density { positions: positions as f64, read }))
}
