//! Parts of the inputs for several jobs.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::input::{Input, RowGroups, cannot, shown};
use crate::sources::row_groups;
use crate::training::Format;
use crate::{pgn, training};

/// What shard `number`, from 1, of `of` shards reads.
///
/// The files, one after the other, are cut into parts of the same number of bytes. A file, or a row group of a Parquet file
/// that would be cut, belongs to the part that has its middle. With `cuts_units`, files that are not compressed are cut between
/// games of PGN and between records of 32 bytes. So each is in exactly one shard, and the shards, one after the other, are the
/// whole in its order. `from` is the format of all inputs, if the caller says it.
///
/// # Errors
///
/// An input is not a file, or cannot be read.
pub fn shard(inputs: &[Input], number: u32, of: u32, cuts_units: bool, from: Option<Format>) -> Result<Vec<Input>> {
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
fn units(path: &Path, ends: [u64; 2], from: Option<Format>) -> io::Result<Option<Range<u64>>> {
    let mut file = File::open(path)?;
    if let Some(bytes) = training::unit_bytes(path, &mut file, from)? {
        let length = file.metadata()?.len();
        let [from, to] = ends.map(|end| end.next_multiple_of(bytes).min(length));
        return Ok(Some(from..to));
    }
    if from.is_some() || !pgn::is_plain(path, &mut file)? {
        return Ok(None);
    }
    let [from, to] = ends.map(|end| if end == 0 { Ok(0) } else { pgn::next_game(&mut file, end) });
    Ok(Some(from?..to?))
}

/// A file and its length.
fn length(input: &Input) -> Result<(&Path, u64)> {
    let path = input.path().context("shards cannot share standard input: name a file")?;
    let metadata = fs::metadata(path).with_context(|| cannot("open", path))?;
    ensure!(metadata.is_file(), "shards cannot share {}: it is not a file", shown(path));
    Ok((path, metadata.len()))
}
