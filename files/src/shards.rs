//! Parts of the inputs for several jobs.
//!
//! The parts have about as many positions each: of each file, as many are expected as a sample of it has, or a sample of files whose names
//! end the same. All jobs take the same samples, so they cut in the same places.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use slider_attacks_formats::cut::{CutPiece, replace_crs};
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::training::TrainingFormat;

use crate::compression::{PARQUET, magic};
use crate::file::InputFile;
use crate::input::{Input, RowGroups, Shard, cannot, extension, file_name};
use crate::samples::{SampledFile, has_moves_of_rows_before, sampled, unless_malformed};
use crate::sources::unit_cutter;
use crate::unit_places::{begins_with_board, header, is_plain_pgn, next_board, next_chunk, next_game, unit_bytes};

/// The inputs of a shard, if a run reads what is wanted.
///
/// The files, one after the other, are cut into parts with about as many positions each. Files that are not compressed are cut between
/// units, such as games, rows or chunks, and Parquet between row groups; others belong to the part that has their middle. So do tables
/// whose rows have the moves played from the rows before, as [`Wanted::move_columns`] names them, and files that are malformed or
/// cannot be opened. So each unit is in exactly one shard, and the shards, one after the other, are the whole in its order.
///
/// # Errors
///
/// An input is not a file, or reading one fails.
pub fn shard(inputs: &[Input], shard: Shard, wanted: &Wanted) -> Result<Vec<Input>> {
    let files = sampled(inputs, wanted)?;
    let total = files.iter().map(|file| u128::from(file.weight)).sum::<u128>().max(1);
    let places = ShardPlaces { shard, total };
    let (mut own, mut start) = (Vec::new(), 0);
    for (input, file) in inputs.iter().zip(&files) {
        own.extend(places.part(input, file, start, wanted)?);
        start += u128::from(file.weight);
    }
    Ok(own)
}

/// Where the shards begin, in positions of all files.
struct ShardPlaces {
    shard: Shard,
    total: u128,
}

impl ShardPlaces {
    /// The number of the shard that has this position.
    fn shard_of(&self, at: u128) -> u32 {
        let of = u128::from(self.shard.of);
        (at * of / self.total).min(of - 1) as u32 + 1
    }

    /// The part of a file that is in the shard, if there is one; this many positions are before the file.
    fn part(&self, input: &Input, file: &SampledFile<'_>, start: u128, wanted: &Wanted) -> Result<Option<Input>> {
        let last = u128::from(file.weight.saturating_sub(1));
        let whole = || (self.shard_of(start + last / 2) == self.shard.number).then(|| input.clone());
        let shards = self.shard_of(start)..=self.shard_of(start + last);
        if shards.start() == shards.end() || input.part.is_some() || input.groups.is_some() {
            return Ok(whole());
        }
        if !shards.contains(&self.shard.number) {
            return Ok(None);
        }
        if !wanted.move_columns[1].is_empty() && unless_malformed(has_moves_of_rows_before(input, wanted))? {
            return Ok(whole());
        }
        if !file.groups.is_empty() {
            let is_own = |row: u128| self.shard_of(start + last * row / file.rows().max(1)) == self.shard.number;
            return Ok(if file.groups.len() < 2 { whole() } else { row_groups(input, &file.groups, is_own) });
        }
        // Where the shard begins, and where the next one does.
        let number = u128::from(self.shard.number);
        let ends = [number - 1, number].map(|number| (number * self.total).div_ceil(u128::from(self.shard.of)));
        let (weight, length) = (u128::from(file.weight), u128::from(file.length));
        let ends = ends.map(|end| (end.saturating_sub(start).min(weight) * length / weight) as u64);
        Ok(match unless_malformed(units(input, file.path, file.length, ends, wanted))? {
            None => whole(),
            Some(part) if part.range == (0..file.length) => Some(input.clone()),
            Some(part) if part.range.is_empty() => None,
            Some(UnitRange { range, has_header }) => {
                let has_header_before = has_header && range.start > 0;
                Some(Input { part: Some(range), has_header_before, ..input.clone() })
            }
        })
    }
}

/// The row groups whose middle rows are in the shard.
fn row_groups(input: &Input, groups: &[(u64, u64)], is_own: impl Fn(u128) -> bool) -> Option<Input> {
    let middles = groups.iter().scan(0, |before, &(rows, _)| {
        *before += u128::from(rows);
        Some(*before - u128::from(rows) / 2 - u128::from(rows > 0))
    });
    let own: Vec<usize> =
        middles.map(is_own).enumerate().filter(|(_, is_own)| *is_own).map(|(group, _)| group).collect();
    let (&from, &to) = (own.first()?, own.last()?);
    let rows = |groups: &[(u64, u64)]| groups.iter().map(|&(rows, _)| rows).sum::<u64>();
    let (first, last) = (rows(&groups[..from]) + 1, rows(&groups[..=to]));
    let groups = RowGroups { numbers: from..to + 1, first, last, of: rows(groups) };
    Some(Input { groups: Some(groups), ..input.clone() })
}

/// A part of a file, from a unit to another.
struct UnitRange {
    range: Range<u64>,
    /// Whether the format is told by the beginning of the file, and not by that of the part.
    has_header: bool,
}

/// The part of a file from the first unit at or after one byte to the first one at or after another, if it can be entered there.
fn units(input: &Input, path: &Path, length: u64, ends: [u64; 2], wanted: &Wanted) -> Result<Option<UnitRange>> {
    let known = known_units(path, length, ends, wanted.from).with_context(|| cannot("read", path))?;
    if let Some(range) = known {
        return Ok(Some(UnitRange { range, has_header: false }));
    }
    Ok(cut_units(input, path, length, ends, wanted)?.map(|range| UnitRange { range, has_header: true }))
}

/// The same for units that are found from anywhere: records, chunks, games of PGN, lines with boards.
fn known_units(
    path: &Path,
    length: u64,
    ends: [u64; 2],
    from: Option<TrainingFormat>,
) -> io::Result<Option<Range<u64>>> {
    let mut file = InputFile::open(path)?;
    let place = |next: &mut dyn FnMut(u64) -> io::Result<u64>| {
        let [from, to] = ends.map(|end| if end == 0 || end == length { Ok(end) } else { next(end) });
        Ok(Some(from?..to?))
    };
    if let Some(bytes) = unit_bytes(path, &mut file, from)? {
        return place(&mut |end| Ok(end.next_multiple_of(bytes).min(length)));
    }
    if from.is_none_or(|from| from == TrainingFormat::Binpack) && header(&mut file, 0)?.is_some() {
        return place(&mut |end| next_chunk(&mut file, end).map(|(place, _)| place));
    }
    if from.is_some() {
        return Ok(None);
    }
    if is_plain_pgn(path, &mut file)? {
        return place(&mut |end| next_game(&mut file, end));
    }
    let is_named = file_name(path).and_then(extension).is_some_and(|name| name == "fen" || name == "epd");
    if is_named && begins_with_board(&mut file)? {
        return place(&mut |end| next_board(&mut file, end));
    }
    Ok(None)
}

/// The same for units that are found from the beginning of the file on: rows of tables, lines, games of records.
fn cut_units(input: &Input, path: &Path, length: u64, ends: [u64; 2], wanted: &Wanted) -> Result<Option<Range<u64>>> {
    let cannot_read = || cannot("read", path);
    let mut file = InputFile::open(path).with_context(|| cannot("open", path))?;
    // Of a file of Parquet that is damaged, no row groups are known.
    let first = magic(&mut file).and_then(|first| file.rewind().map(|()| first)).with_context(cannot_read)?;
    if first == *PARQUET {
        return Ok(None);
    }
    let copy = file.try_clone().with_context(cannot_read)?;
    let Some((mut cutter, begin)) = unit_cutter(input, copy, wanted)? else { return Ok(None) };
    file.seek(SeekFrom::Start(begin)).with_context(cannot_read)?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    // Where pieces end must not depend on the shard.
    let step = (length / 256).clamp(1 << 9, 1 << 16);
    let (mut at, mut is_last) = (begin, false);
    let mut places = ends.map(|end| if end == 0 { 0 } else { length });
    let mut missing: Vec<usize> = (0..2).filter(|&place| 0 < ends[place] && ends[place] < length).collect();
    while !is_last && !missing.is_empty() {
        let mut piece = Vec::with_capacity(step as usize);
        (&mut file).take(step).read_to_end(&mut piece).with_context(cannot_read)?;
        is_last = piece.is_empty();
        let begins_with_lf = cutter.ends_lines_at_cr() && replace_crs(&mut piece);
        for piece in cutter.push(piece.into(), begins_with_lf, is_last) {
            // One that is too long ends with the next.
            let is_whole = matches!(piece, CutPiece::Units(_));
            at = at.wrapping_add_signed(piece.bytes());
            missing.retain(|&place| {
                let is_found = is_whole && at >= ends[place];
                if is_found {
                    places[place] = at;
                }
                !is_found
            });
        }
    }
    Ok(Some(places[0]..places[1]))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;

    use slider_attacks::position::Positions;
    use slider_attacks_arrow::OnError;
    use slider_attacks_formats::columns::KeptColumn;
    use slider_attacks_formats::request::Wanted;

    use super::*;
    use crate::Inputs;
    use crate::block::ReadLimits;
    use crate::input::Stream;

    const PEOPLE: &str = include_str!("../../tests/data/people.pgn");

    /// The positions of the games of a text, and their columns, without the numbers of the games.
    fn rows(text: &[u8]) -> Vec<String> {
        let stream = Stream::new("some.pgn", io::Cursor::new(text.to_vec()));
        let inputs = Inputs::of(vec![Input::stream(stream, 0)], "").unwrap();
        let keep = "ply,san,result,fen,White,Event,Site,Date,Round,Black";
        let wanted = Wanted { keep: keep.split(',').map(str::to_owned).collect(), ..Wanted::default() };
        let mut rows = Vec::new();
        let read = inputs.read(&wanted, &mut |mut block| {
            let most = ReadLimits::all(usize::MAX);
            let records = block.next(most, OnError::Skip, Positions::new())?.expect("there are some");
            for row in 0..records.numbers.len() {
                let value = |column: &KeptColumn| match column {
                    KeptColumn::Text(texts) => texts.get(row).unwrap_or("-").to_owned(),
                    KeptColumn::Numbers(numbers) => {
                        numbers.get(row).map_or("-".to_owned(), |value| numbers.text(value))
                    }
                    _ => unreachable!(),
                };
                rows.push(records.kept.iter().map(value).collect::<Vec<_>>().join(" | "));
            }
            Ok(ControlFlow::Continue(()))
        });
        read.unwrap();
        rows
    }

    #[test]
    fn shards_have_the_same_games_as_the_whole() {
        let path = std::env::temp_dir().join(format!("slider-attacks-people-{}.pgn", std::process::id()));
        let other = "[Site \"a\"]\n[Event \"b\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n\n";
        for line_end in ["\n", "\r\n", "\r"] {
            let text = (PEOPLE.repeat(2) + &other.repeat(3)).replace('\n', line_end);
            fs::write(&path, &text).unwrap();
            let mut file = InputFile::open(&path).unwrap();
            let whole = rows(text.as_bytes());
            let mut cuts = 0;
            for at in 1..text.len() as u64 {
                let cut = next_game(&mut file, at).unwrap();
                assert!(cut >= at);
                let (before, after) = text.as_bytes().split_at(cut as usize);
                assert_eq!([before, after].map(rows).concat(), whole, "{at} {cut} {line_end:?}");
                cuts += usize::from(cut == at);
            }
            assert!(cuts > 8, "{cuts}");
        }
        fs::remove_file(&path).unwrap();
    }
}
