//! The ranges of the files, and their order in each epoch.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use slider_attacks_files::Input;
use slider_attacks_files::file::InputFile;
use slider_attacks_files::input::{Shard, cannot};
use slider_attacks_files::parts::{InputPart, parts};
use slider_attacks_files::unchanged::{CHANGED, FileState};
use slider_attacks_formats::training::TrainingFormat;

use super::random::SplitMix64;

/// How many bytes a range has at least, unless the caller says it, and how many ranges there should be at least.
const RANGE: (u64, u64) = (256 << 10, 8 << 20);
const RANGES: u64 = 64;

/// The ranges of all files, in the order of the files.
#[derive(Debug)]
pub struct Ranges {
    ranges: Vec<InputPart>,
    /// The state of each file when the loader was made, by the numbers of the inputs.
    states: Vec<FileState>,
    seed: u64,
    is_shuffled: bool,
    shard: Shard,
}

impl Ranges {
    /// Cuts the files into ranges of this many bytes.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or there are fewer ranges than shards.
    pub fn new(
        inputs: Vec<Input>,
        bytes: Option<u64>,
        from: Option<TrainingFormat>,
        column: &str,
        (seed, is_shuffled, shard): (u64, bool, Shard),
    ) -> Result<Ranges> {
        ensure!(!inputs.is_empty(), "no files to read");
        let states = inputs.iter().map(|input| state(path(input)?)).collect::<Result<Vec<_>>>()?;
        let total: u64 = states.iter().filter_map(FileState::length).sum();
        let bytes = bytes.unwrap_or((total / RANGES).clamp(RANGE.0, RANGE.1));
        let mut ranges = Vec::new();
        for (index, input) in (0..).zip(inputs) {
            ranges.extend(parts(&Input { index, ..input }, bytes, from, column)?);
        }
        if ranges.len() < shard.of as usize {
            bail!(
                "{} shards of {} ranges: name more files, or files that are not compressed, which have more ranges",
                shard.of,
                ranges.len()
            );
        }
        Ok(Ranges { ranges, states, seed, is_shuffled, shard })
    }

    /// Which ranges the shard has in an epoch, in their order.
    pub fn order(&self, epoch: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ranges.len()).collect();
        if self.is_shuffled {
            SplitMix64::of(&[self.seed, epoch]).shuffle(&mut order);
        }
        order.into_iter().skip(self.shard.number as usize - 1).step_by(self.shard.of as usize).collect()
    }

    /// The generator for the buffer in an epoch.
    pub fn random(&self, epoch: u64) -> SplitMix64 {
        SplitMix64::of(&[self.seed, epoch, self.shard.number.into(), self.shard.of.into()])
    }

    /// A range.
    pub fn range(&self, number: usize) -> &InputPart {
        &self.ranges[number]
    }

    /// Checks that the file of a range has not changed since the loader was made.
    ///
    /// # Errors
    ///
    /// It has, or cannot be opened.
    pub fn check(&self, number: usize) -> Result<()> {
        let input = &self.range(number).input;
        let path = path(input)?;
        ensure!(state(path)? == self.states[input.index as usize], "{}: {CHANGED}", cannot("read", path));
        Ok(())
    }

    /// How many bytes all ranges have.
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(|range| range.bytes).sum()
    }

    /// How many bytes the first ranges of the order of an epoch have.
    pub fn bytes_before(&self, order: &[usize], place: usize) -> u64 {
        order[..place].iter().map(|&number| self.range(number).bytes).sum()
    }

    /// A number that other files do not have, as far as names, lengths and ranges tell.
    pub fn checksum(&self) -> u64 {
        let mut words = vec![self.ranges.len() as u64];
        for InputPart { input, bytes, .. } in &self.ranges {
            words.extend([input.index, *bytes]);
        }
        for range in &self.ranges {
            let name = range.input.path().and_then(Path::file_name).unwrap_or_default();
            words.extend(name.to_string_lossy().bytes().map(u64::from));
        }
        words.extend(self.states.iter().map(|state| state.length().unwrap_or(0)));
        super::state::checksum(words)
    }
}

/// The path of an input.
fn path(input: &Input) -> Result<&Path> {
    input.path().with_context(|| format!("{} can be read only once: name a file", input.display_name()))
}

/// The state of a file.
fn state(path: &Path) -> Result<FileState> {
    let state = FileState::of(&InputFile::open(path).with_context(|| cannot("open", path))?);
    ensure!(state.is_file(), "{}: it is not a file", cannot("read", path));
    Ok(state)
}
