//! Parts of the inputs for several jobs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::input::{Input, RowGroups, cannot, shown};
use crate::sources::row_groups;

/// What shard `number`, from 1, of `of` shards reads.
///
/// The files, one after the other, are cut into parts of the same number of bytes. A file, or a row group of a Parquet file
/// that would be cut, belongs to the part that has its middle. So each is in exactly one shard, and the shards, one after
/// the other, are the whole in its order.
///
/// # Errors
///
/// An input is not a file, or cannot be read.
pub fn shard(inputs: &[Input], number: u32, of: u32) -> Result<Vec<Input>> {
    let lengths: Vec<(&Path, u64)> = inputs.iter().map(length).collect::<Result<_>>()?;
    let total = lengths.iter().map(|&(_, length)| u128::from(length)).sum::<u128>().max(1);
    let shard_of = |at: u128| (at * u128::from(of) / total).min(u128::from(of) - 1) as u32 + 1;
    let (mut own, mut start) = (Vec::new(), 0);
    for (input, (path, length)) in inputs.iter().zip(lengths) {
        let last = u128::from(length.saturating_sub(1));
        let is_cut = shard_of(start) != shard_of(start + last);
        let groups = if is_cut && (shard_of(start)..=shard_of(start + last)).contains(&number) {
            row_groups(path)?
        } else {
            Vec::new()
        };
        if groups.len() < 2 {
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

/// A file and its length.
fn length(input: &Input) -> Result<(&Path, u64)> {
    let path = input.path().context("shards cannot share standard input: name a file")?;
    let metadata = fs::metadata(path).with_context(|| cannot("open", path))?;
    ensure!(metadata.is_file(), "shards cannot share {}: it is not a file", shown(path));
    Ok((path, metadata.len()))
}
