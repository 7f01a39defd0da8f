//! `summarize --merge`: adds up the sums that runs for parts of the positions have written.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use serde_json::{Map, Value};
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::input::Shard;
use slider_attacks_files::ordered::Pool;
use slider_attacks_files::{Input, Inputs};
use slider_attacks_rows::format::SummaryFormat;
use slider_attacks_rows::sums::job::SumJob;
use slider_attacks_rows::sums::merge::{SumsInput, merge};

use super::{KEY_SHARD, OPTIONS, SHARD, sink};
use crate::args::SummarizeArgs;
use crate::settings::{Settings, text};

/// Options that may differ: how texts are written, and which part of the positions a run has read.
const MAY_DIFFER: [&str; 2] = ["csv-safe", "key-shard"];

/// Adds up the sums of all files, and writes the result.
///
/// # Errors
///
/// A file cannot be read, has other sums than those of this job or the same as another one, or a shard is missing; or the output
/// cannot be written. In each case, nothing is written.
pub fn run(args: &SummarizeArgs, format: SummaryFormat, job: &SumJob, settings: &Settings) -> Result<()> {
    let inputs = Discovery::new(&args.read.files, args.read.files_from.as_deref(), args.output.as_deref())?.inputs;
    check_names(&inputs)?;
    let files = inputs.iter().map(SumsInput::of).collect::<Result<Vec<_>>>()?;
    check_records(&files, settings, args.read.unique.is_some())?;
    let pool = Arc::new(Pool::new(args.read.threads())?);
    let output = sink::open(args, format, settings, pool)?;
    let groups = merge(&files, job)?;
    sink::write(groups, args, format, &Inputs::unchecked(inputs)?, output)
}

/// Checks that no file is named twice.
fn check_names(inputs: &[Input]) -> Result<()> {
    let path = |input: &Input| -> Option<PathBuf> {
        let path = input.path()?;
        Some(fs::canonicalize(path).unwrap_or_else(|_| Path::to_owned(path)))
    };
    let mut found = HashSet::new();
    let twice = inputs.iter().find(|input| path(input).is_some_and(|path| !found.insert(path)));
    twice.map_or(Ok(()), |input| bail!("{} is named twice: its sums would be added twice", input.display_name()))
}

/// Checks what the files record: that they have sums with the same options, each of another part of the positions, and all parts.
fn check_records(files: &[SumsInput<'_>], settings: &Settings, is_unique: bool) -> Result<()> {
    let (mut parts, mut recorded_files) = (SummedParts::default(), 0);
    for SumsInput { input, settings: recorded, .. } in files {
        let Some(recorded) = recorded else { continue };
        let value = |name| recorded.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let name = input.display_name();
        let Some(Value::Object(options)) = value(OPTIONS).and_then(|text| serde_json::from_str(text).ok()) else {
            bail!("{name}: it does not record the options of `summarize`: are these its sums?");
        };
        check_options(&name, options, settings)?;
        recorded_files += 1;
        parts.add(name, [SHARD, KEY_SHARD].map(|name| value(name).and_then(|text| text.parse().ok())))?;
    }
    let have_other_keys = parts.of[0] == 1 && parts.of[1] > 1 && recorded_files == files.len();
    ensure!(
        !is_unique || files.len() == 1 || have_other_keys,
        "with --unique, files may have counted equal positions: sum up parts with --key-shard K/N alone, as parquet, which \
         records that, and merge these"
    );
    parts.check_all()
}

/// Checks that the options of a file are those of this run.
fn check_options(name: &str, mut recorded: Map<String, Value>, settings: &Settings) -> Result<()> {
    let own = settings.of_rows();
    for option in MAY_DIFFER {
        recorded.remove(option);
        recorded.extend(own.get(option).map(|value| (option.to_owned(), value.clone())));
    }
    let Some(difference) = settings.difference(&recorded) else { return Ok(()) };
    let shown = |value: &Option<Value>| match value.as_ref().map(text) {
        Some(text) if !text.is_empty() => format!("--{} {text}", difference.name),
        _ => format!("no --{}", difference.name),
    };
    bail!(
        "{name} has sums with {}, but this run has {}: use the options of its run",
        shown(&difference.before),
        shown(&difference.now)
    )
}

/// The parts of the positions that files have sums of.
#[derive(Default)]
struct SummedParts {
    /// The name of the file of each part: its number as a shard of the input, and as one of the keys.
    names: BTreeMap<[u32; 2], String>,
    /// How many of both there are.
    of: [u32; 2],
}

impl SummedParts {
    /// Adds the part of a file; without shards, it has all positions of its input, or of those with its keys.
    fn add(&mut self, name: String, shards: [Option<Shard>; 2]) -> Result<()> {
        let shards = shards.map(|shard| shard.unwrap_or(Shard { number: 1, of: 1 }));
        let (part, of) = (shards.map(|shard| shard.number), shards.map(|shard| shard.of));
        if let Some((other, first)) = self.names.first_key_value() {
            let (here, there) = (part_name(part, of), part_name(*other, self.of));
            ensure!(of == self.of, "{name} has {here}, and {first} has {there}: merge parts of one division");
        }
        self.of = of;
        match self.names.insert(part, name.clone()) {
            Some(other) if of != [1, 1] => bail!("{other} and {name} both have {}", part_name(part, of)),
            _ => Ok(()),
        }
    }

    /// Checks that there are all parts, if there are parts.
    fn check_all(&self) -> Result<()> {
        let missing = |part: &[u32; 2]| !self.names.contains_key(part);
        let all = (1..=self.of[0]).flat_map(|shard| (1..=self.of[1]).map(move |keys| [shard, keys]));
        let missing = all.into_iter().find(missing);
        missing.map_or(Ok(()), |part| bail!("no file has {}: merge the sums of all parts", part_name(part, self.of)))
    }
}

/// A part, in the words of the options.
fn part_name(part: [u32; 2], of: [u32; 2]) -> String {
    let names = ["shard", "key shard"].into_iter().zip(part).zip(of);
    let names = names.filter(|&(_, of)| of > 1).map(|((name, number), of)| format!("{name} {number}/{of}"));
    let names: Vec<String> = names.collect();
    if names.is_empty() { "no shard".to_owned() } else { names.join(", ") }
}
