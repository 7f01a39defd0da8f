//! Parts of the inputs for several jobs.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use memchr::memrchr2;
use slider_attacks_formats::cut::Cut;
use slider_attacks_formats::pgn::WholeGames;
use slider_attacks_formats::training::{RECORD, TrainingFormat, extensions, has_fixed_size};
use slider_attacks_games::tags;

use crate::compression::{self, PARQUET, is_compressed};
use crate::input::{Input, RowGroups, cannot, display_path, extension};
use crate::sources::row_groups;

/// The inputs of shard `number`, from 1, of `of` shards.
///
/// The files, one after the other, are cut into parts of the same number of bytes. A file, or a row group of a Parquet file
/// that would be cut, belongs to the part that has its middle. With `cuts_units`, files that are not compressed are cut between
/// games of PGN and between records of 32 bytes. So each is in exactly one shard, and the shards, one after the other, are the
/// whole in its order. `from` is the format of all inputs, if the caller says it.
///
/// # Errors
///
/// An input is not a file, or cannot be read.
pub fn shard(
    inputs: &[Input],
    number: u32,
    of: u32,
    cuts_units: bool,
    from: Option<TrainingFormat>,
) -> Result<Vec<Input>> {
    let lengths: Vec<(&Path, u64)> = inputs.iter().map(length).collect::<Result<_>>()?;
    let total = lengths.iter().map(|&(_, length)| u128::from(length)).sum::<u128>().max(1);
    let shard_of = |at: u128| (at * u128::from(of) / total).min(u128::from(of) - 1) as u32 + 1;
    let (mut own, mut start) = (Vec::new(), 0);
    for (input, (path, length)) in inputs.iter().zip(lengths) {
        let last = u128::from(length.saturating_sub(1));
        let is_cut = shard_of(start) != shard_of(start + last);
        let (mut groups, mut part) = (Vec::new(), None);
        if is_cut && (shard_of(start)..=shard_of(start + last)).contains(&number) {
            // Whoever reads the file finds out what is wrong with it.
            groups = row_groups(path).unwrap_or_default();
            if cuts_units && groups.is_empty() {
                // Where the shard begins, and where the next one does.
                let ends = [number - 1, number].map(|number| (u128::from(number) * total).div_ceil(u128::from(of)));
                let ends = ends.map(|end| end.saturating_sub(start).min(u128::from(length)) as u64);
                part = units(path, ends, from).with_context(|| cannot("read", path))?;
            }
        }
        if let Some(part) = part {
            if part == (0..length) {
                own.push(input.clone());
            } else if !part.is_empty() {
                own.push(Input { part: Some(part), ..input.clone() });
            }
        } else if groups.len() < 2 {
            if shard_of(start + last / 2) == number {
                own.push(input.clone());
            }
        } else {
            // The place of a row group is worked out from the sizes, as where it lies need not be told.
            let sizes = || groups.iter().map(|&(_, bytes)| u128::from(bytes.max(1)));
            let sum: u128 = sizes().sum();
            let middles = sizes().scan(0, |before, size| {
                *before += size;
                Some(2 * *before - size)
            });
            let is_own = middles.map(|middle| shard_of(start + last * middle / (2 * sum)) == number);
            let numbers: Vec<usize> = (0..).zip(is_own).filter(|(_, is_own)| *is_own).map(|(group, _)| group).collect();
            if let (Some(&from), Some(&to)) = (numbers.first(), numbers.last()) {
                let rows = |groups: &[(u64, u64)]| groups.iter().map(|&(rows, _)| rows).sum::<u64>();
                let (first, last) = (rows(&groups[..from]) + 1, rows(&groups[..=to]));
                let groups = RowGroups { numbers: from..to + 1, first, last, of: rows(&groups) };
                own.push(Input { groups: Some(groups), ..input.clone() });
            }
        }
        start += u128::from(length);
    }
    Ok(own)
}

/// The part of a file from the first game or record at or after one byte to the first one at or after another, if it has such.
fn units(path: &Path, ends: [u64; 2], from: Option<TrainingFormat>) -> io::Result<Option<Range<u64>>> {
    let mut file = File::open(path)?;
    if let Some(bytes) = unit_bytes(path, &mut file, from)? {
        let length = file.metadata()?.len();
        let [from, to] = ends.map(|end| end.next_multiple_of(bytes).min(length));
        return Ok(Some(from..to));
    }
    if from.is_some() || !is_plain_pgn(path, &mut file)? {
        return Ok(None);
    }
    let [from, to] = ends.map(|end| if end == 0 { Ok(0) } else { next_game(&mut file, end) });
    Ok(Some(from?..to?))
}

/// A file and its length.
pub(crate) fn length(input: &Input) -> Result<(&Path, u64)> {
    let path = input.path().context("shards cannot share standard input: name a file")?;
    let metadata = fs::metadata(path).with_context(|| cannot("open", path))?;
    ensure!(metadata.is_file(), "shards cannot share {}: it is not a file", display_path(path));
    Ok((path, metadata.len()))
}

/// Whether a file of this name is PGN that is not compressed.
pub(crate) fn is_plain_pgn(path: &Path, file: &mut File) -> io::Result<bool> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(64 << 10).read_to_end(&mut text)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    Ok(tags::begins_games(text.trim_ascii_start()) || is_named && !is_compressed(text))
}

/// Where the first game with tags certainly begins, from this byte on; the length of the file if there is none.
pub(crate) fn next_game(file: &mut File, at: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    let mut last = Vec::new();
    file.seek(SeekFrom::Start(at.saturating_sub(2)))?;
    file.take(at.min(2)).read_to_end(&mut last)?;
    // The line before tells: from its beginning on. CR LF is one line end.
    let mut start = at.saturating_sub(if last == b"\r\n" { 2 } else { 1 });
    while start > 0 {
        let from = start.saturating_sub(STEP);
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(start - from).read_to_end(&mut part)?;
        if let Some(end) = memrchr2(b'\n', b'\r', &part) {
            start = from + end as u64 + 1;
            break;
        }
        start = from;
    }
    file.seek(SeekFrom::Start(start))?;
    let (mut bytes, mut end) = (Vec::new(), start);
    let mut games = WholeGames::within_game();
    loop {
        let read = file.take(STEP).read_to_end(&mut bytes)?;
        end += read as u64;
        if read == 0 {
            return Ok(end);
        }
        if games.pass_over(&mut bytes) {
            return Ok(end - bytes.len() as u64);
        }
    }
}

/// How many bytes each unit of a file takes, if that is known: if it has records of 32 bytes and is not compressed. `from` is the
/// format that the caller says it has.
pub(crate) fn unit_bytes(path: &Path, file: &mut File, from: Option<TrainingFormat>) -> io::Result<Option<u64>> {
    file.rewind()?;
    let magic = compression::magic(file)?;
    let extension = path.file_name().and_then(extension).unwrap_or_default();
    let named = || TrainingFormat::ALL.into_iter().find(|&format| extensions(format).contains(&extension.as_str()));
    let is_it = from.or_else(named).is_some_and(has_fixed_size) && !is_compressed(&magic) && magic != *PARQUET;
    Ok(is_it.then_some(RECORD as u64))
}

#[cfg(test)]
mod tests {
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
            let mut file = File::open(&path).unwrap();
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
