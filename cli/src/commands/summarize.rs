//! `slider-attacks summarize`: sums products over all positions of any input, square by square and by groups.
//!
//! Blocks are read and summed as those of `analyze` are. What a block gives is one summary, in which its groups have numbers of
//! their own. The thread that takes the results adds them up.
//!
//! | file | what it does |
//! |---|---|
//! | [`keys`] | the groups of positions |
//! | [`job`] | the work on one block |
//! | [`table`] | shares and means, as columns, tables, arrays and drawn boards |

pub mod job;
pub mod keys;
pub mod table;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use slider_attacks::Backend;
use slider_attacks_arrow::Summary;
use slider_attacks_files::Inputs;
use slider_attacks_files::block::SeenColumns;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::malformed::quoted;
use slider_attacks_files::sources::WITHOUT_PARQUET;
use slider_attacks_files::wanted::{Advice, Wanted};

use super::pipeline::{Pipeline, Work, chosen};
use super::stream::{SAMPLE_POSITIONS, reads_terminal};
use crate::args::{Args, SummarizeArgs, SummaryFormat};
use crate::progress::{ProgressLine, Tally};
use job::{Job, Summed};
use keys::{Key, Values};
use table::{COLUMNS, Sink, Totals};

/// The most groups, and the most bytes that all of them may take. Each takes up to a kilobyte for each column.
const MOST_GROUPS: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;

/// Runs the command.
///
/// # Errors
///
/// An input cannot be read, has a malformed record that is not to be skipped, or lacks a column; there are too many groups; or
/// the output cannot be written. In each case, nothing is written.
pub fn run(args: &SummarizeArgs, backend: Backend) -> Result<()> {
    let format = format(args);
    let found = Discovery::new(&args.read.files, args.read.files_from.as_deref(), args.output.as_deref())?;
    let (inputs, limit) = chosen(&args.read, &found.inputs, true)?;
    let inputs = Inputs::of(inputs, SAMPLE_POSITIONS)?;
    let plan = args.options.plan(&args.what, backend);
    let job = Arc::new(Job { plan, keys: args.by.clone(), on_error: args.on_error });
    let advice = Advice { column: "`summarize --column`", ..Advice::default() };
    let taken = COLUMNS.map(str::to_owned).to_vec();
    let wanted = Wanted { keep: Key::columns(&args.by), taken, advice, ..args.read.wanted() };
    let writes_groups = format == SummaryFormat::Parquet;
    let pipeline = Pipeline::new(&args.read, (inputs, limit), wanted, job.bound(), writes_groups)?;
    // What cannot be written is found before anything is read.
    let sink = Sink::open(args.output.as_deref(), format, &pipeline)?;
    let progress = ProgressLine::new(&pipeline.inputs.counter, reads_terminal(&pipeline.inputs));
    let (mut tally, mut seen, mut groups) = (Tally::default(), SeenColumns::default(), Groups::new(&job));
    let mut done = Ok(());
    pipeline.run(&job, &mut |result| {
        done = result.and_then(|result| {
            let Some(Summed { origin, positions, skipped, failure, found, keys, summary }) = result else {
                return Ok(());
            };
            tally.add(&progress, &origin, positions, 0, &skipped);
            seen.add(&origin, found, positions);
            groups.add(keys, &summary)?;
            origin.check(failure.as_ref())?;
            progress.show();
            Ok(())
        });
        done.is_ok()
    })?;
    done?;
    progress.clear();
    let name = pipeline.inputs.name();
    if pipeline.limit.is_none_or(|limit| tally.good < limit) {
        seen.check(&name)?;
    }
    sink.write(&groups.totals(), args.theme)?;
    if pipeline.limit != Some(0) {
        tally.finish(&progress, &name, "positions");
    }
    Ok(())
}

/// The format to write: the requested one, or the one that the name of the output suggests. If there is a conflict, exits with
/// a usage message.
fn format(args: &SummarizeArgs) -> SummaryFormat {
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let extension = output.and_then(|path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase()));
    let suggested = match extension.as_deref() {
        Some("csv") => Some(SummaryFormat::Csv),
        Some("jsonl" | "ndjson" | "json") => Some(SummaryFormat::Jsonl),
        Some("parquet") => Some(SummaryFormat::Parquet),
        Some("svg") => Some(SummaryFormat::Svg),
        None | Some("txt") => Some(SummaryFormat::Table),
        Some(_) => None,
    };
    let twice = |(place, key): (usize, &Key)| args.by[..place].iter().any(|other| other.name == key.name);
    let problem = match args.format.or(suggested) {
        _ if args.read.to_ply.is_some_and(|to_ply| to_ply < args.read.from_ply) => "--to-ply is before --from-ply",
        _ if args.by.iter().enumerate().any(twice) => "--by names a key twice",
        _ if matches!(extension.as_deref(), Some("gz" | "zst" | "bz2" | "xz" | "zip")) => {
            "the output is not compressed: write to standard output and pipe that into a compressor"
        }
        Some(SummaryFormat::Parquet) if cfg!(not(feature = "parquet")) => WITHOUT_PARQUET,
        Some(SummaryFormat::Npy) if output.is_none() => "the format npy needs a directory: use --output",
        format if format != Some(SummaryFormat::Npy) && matches!(extension.as_deref(), Some("npy" | "npz")) => {
            "for NumPy arrays, use --format npy and name a directory"
        }
        Some(format) => return format,
        None => {
            "the extension of the output is unknown: use csv, jsonl, ndjson, json, parquet, svg or txt, or add --format"
        }
    };
    Args::exit("summarize", problem)
}

/// The groups so far, in the order in which they were found.
struct Groups<'a> {
    job: &'a Job,
    numbers: HashMap<Values, u32>,
    summary: Summary,
    most: usize,
}

impl<'a> Groups<'a> {
    /// Without keys, there is one group, even if there are no positions.
    fn new(job: &'a Job) -> Groups<'a> {
        let most = MOST_GROUPS.min(MOST_BYTES / job.group_bytes());
        let mut groups = Groups { job, numbers: HashMap::new(), summary: Summary::new(&job.plan, 0), most };
        if job.keys.is_empty() {
            groups.summary.grow(1);
            groups.numbers.insert(Values::default(), 0);
        }
        groups
    }

    /// Adds the summary of a block, whose groups have these values of the keys.
    fn add(&mut self, keys: Vec<Values>, summary: &Summary) -> Result<()> {
        let mut places = Vec::with_capacity(keys.len());
        for values in keys {
            let next = self.numbers.len() as u32;
            let place = *self.numbers.entry(values).or_insert(next);
            places.push(place);
        }
        if self.numbers.len() > self.most {
            return self.too_many();
        }
        self.summary.grow(self.numbers.len());
        self.summary.add(summary, Some(&places));
        Ok(())
    }

    /// Names the key that has the most values.
    fn too_many(&self) -> Result<()> {
        let values = |at: usize| {
            let mut values: Vec<_> = self.numbers.keys().map(|values| &values[at]).collect();
            values.sort_unstable();
            values.dedup();
            values.len()
        };
        let key = (0..self.job.keys.len()).max_by_key(|&at| values(at));
        let key = &self.job.keys[key.expect("without keys, there is one group")];
        let advice = if key.step.is_none() { format!(", such as {}:100 for numbers", key.name) } else { String::new() };
        let most = self.most;
        bail!(
            "--by {} makes more than {most} groups, each of which takes memory: use a key with fewer values{advice}, or fewer \
             products",
            quoted(&key.name)
        )
    }

    /// All groups in the order of their keys.
    fn totals(self) -> Totals {
        let mut groups: Vec<(Values, u32)> = self.numbers.into_iter().collect();
        groups.sort_by(|(a, _), (b, _)| keys::order(&self.job.keys, a, b));
        let names = self.job.keys.iter().map(|key| key.name.clone()).collect();
        let (keys, places) = groups.into_iter().map(|(values, place)| (values, place as usize)).unzip();
        let are_numbers = self.job.keys.iter().map(|key| key.step.is_some()).collect();
        Totals { names, are_numbers, keys, places, summary: self.summary }
    }
}
