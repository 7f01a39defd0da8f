//! Which files a run reads, which part of them a shard reads, and which outputs of them are still to be written.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use glob::{MatchOptions, Pattern};
use walkdir::WalkDir;

use crate::args::{AnalyzeArgs, Shard};
use crate::read::malformed::printable;
use crate::read::source::{Part, cannot, is_stdin, row_groups};

/// How the names of the files end that a directory gives. `.gz` or `.zst` may follow.
const ENDINGS: [&str; 7] = ["fen", "epd", "csv", "tsv", "jsonl", "ndjson", "parquet"];

/// A file to read.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    /// The path below the directory or the fixed part of the pattern that gave it.
    name: PathBuf,
}

/// What a shard reads of a file.
#[derive(Debug)]
pub struct Piece {
    /// What to read.
    pub part: Part,
    /// The first and the last row, if it is not the whole file, and how many rows the file has.
    rows: Option<[u64; 3]>,
}

/// The inputs that the command line names, in order.
#[derive(Debug)]
pub struct Found {
    /// The files.
    pub inputs: Vec<Input>,
    /// Whether anything was named that can stand for several files.
    pub may_be_several: bool,
    /// Where the output goes. What stands there is not found in directories.
    output: Option<PathBuf>,
}

impl Found {
    /// Finds the inputs.
    pub fn new(args: &AnalyzeArgs) -> Result<Found> {
        let output = args.output_dir.as_ref().or(args.output.as_ref());
        // What is not there yet is not found either.
        let output = output.and_then(|path| fs::canonicalize(path).ok());
        let may_be_several = args.files.len() > 1 || args.files_from.is_some();
        let mut found = Found { inputs: Vec::new(), may_be_several, output };
        args.files.iter().try_for_each(|path| found.add(path))?;
        if let Some(list) = &args.files_from {
            let (name, bytes) = if is_stdin(list) {
                let mut bytes = Vec::new();
                ("standard input".to_owned(), io::stdin().read_to_end(&mut bytes).map(|_| bytes))
            } else {
                (shown(list), fs::read(list))
            };
            let bytes = bytes.with_context(|| format!("cannot read {name}"))?;
            for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
                let line = str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line));
                let add = |line: &str| if line.is_empty() { Ok(()) } else { found.add(Path::new(line)) };
                line.context("the name is not UTF-8")
                    .and_then(add)
                    .with_context(|| format!("{name}, line {number}"))?;
            }
            ensure!(!found.inputs.is_empty(), "{name} names no files");
            let is_read_twice = is_stdin(list) && found.inputs.iter().any(|input| is_stdin(&input.path));
            ensure!(!is_read_twice, "standard input can be read only once: it cannot be both LIST and a FILE");
        }
        Ok(found)
    }

    /// Adds the files that a path stands for.
    fn add(&mut self, path: &Path) -> Result<()> {
        let before = self.inputs.len();
        if path.is_dir() {
            self.walk(path, usize::MAX, |path| path.file_name().is_some_and(has_known_ending))?;
            let endings = ENDINGS.join(", .");
            ensure!(self.inputs.len() > before, "{} has no files that end in .{endings}", shown(path));
        } else if is_pattern(path) && fs::symlink_metadata(path).is_err() {
            let (fixed, rest): (Vec<_>, Vec<_>) = path.components().partition({
                let mut is_fixed = true;
                move |part| {
                    is_fixed &= !is_pattern(part.as_ref());
                    is_fixed
                }
            });
            let (fixed, rest): (PathBuf, PathBuf) = (fixed.iter().collect(), rest.iter().collect());
            let text = rest.to_str().with_context(|| format!("{}: a pattern must be UTF-8", shown(path)))?;
            let pattern = Pattern::new(text).with_context(|| format!("{} is not a pattern", shown(path)))?;
            let depth = if text.contains("**") { usize::MAX } else { rest.components().count() };
            // As in shells.
            let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
            self.walk(&fixed, depth, |path| pattern.matches_path_with(path, options))?;
            ensure!(self.inputs.len() > before, "no file matches {}", shown(path));
        } else {
            if !is_stdin(path) {
                fs::metadata(path).with_context(|| cannot("open", path))?;
            }
            let name = path.file_name().unwrap_or_default();
            self.inputs.push(Input { path: path.to_owned(), name: name.into() });
        }
        Ok(())
    }

    /// Adds the files below a directory whose paths from there are wanted, in the order of their names. Links to files are
    /// followed. Links to directories are not: a file would be found twice.
    fn walk(&mut self, directory: &Path, depth: usize, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
        self.may_be_several = true;
        let start = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        if let Some(output) = &self.output {
            let whole = fs::canonicalize(start).with_context(|| cannot("open", start))?;
            // The next run would take the outputs for inputs.
            ensure!(
                !whole.starts_with(output),
                "{} is read, so the output cannot go to {}",
                shown(start),
                shown(output)
            );
        }
        let mut entries = WalkDir::new(start).max_depth(depth).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry =
                entry.map_err(io::Error::from).with_context(|| format!("cannot read all of {}", shown(start)))?;
            let is_hidden = entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
            let name = entry.path().strip_prefix(start).expect("it is below");
            if entry.file_type().is_dir() {
                if is_hidden || self.is_output(entry.path()) {
                    entries.skip_current_dir();
                }
            } else if !is_hidden && is_wanted(name) && !entry.path().is_dir() && !self.is_output(entry.path()) {
                self.inputs.push(Input { path: directory.join(name), name: name.to_owned() });
            }
        }
        Ok(())
    }

    /// Whether this is an output, or the directory of outputs.
    fn is_output(&self, path: &Path) -> bool {
        self.output.as_ref().is_some_and(|output| fs::canonicalize(path).is_ok_and(|path| path.starts_with(output)))
    }

    /// All inputs as a whole.
    pub fn whole(&self) -> Vec<Piece> {
        let inputs = (0..).zip(&self.inputs);
        inputs.map(|(index, input)| Piece { part: input.part(index), rows: None }).collect()
    }

    /// What a shard reads. The files, one after the other, are cut into parts of the same number of bytes. A file, or a row
    /// group of a Parquet file that would be cut, belongs to the part that has its middle. So each is in exactly one shard,
    /// and the shards, one after the other, are the whole in its order.
    pub fn shard(&self, Shard { number, of }: Shard) -> Result<Vec<Piece>> {
        let length = |input: &Input| {
            ensure!(!is_stdin(&input.path), "shards cannot share standard input: name a file");
            let metadata = fs::metadata(&input.path).with_context(|| cannot("open", &input.path))?;
            ensure!(metadata.is_file(), "shards cannot share {}: it is not a file", shown(&input.path));
            Ok(metadata.len())
        };
        let lengths: Vec<u64> = self.inputs.iter().map(length).collect::<Result<_>>()?;
        let total = lengths.iter().map(|&length| u128::from(length)).sum::<u128>().max(1);
        let shard_of = |at: u128| (at * u128::from(of) / total).min(u128::from(of) - 1) as u32 + 1;
        let (mut pieces, mut start) = (Vec::new(), 0);
        for ((index, input), length) in (0..).zip(&self.inputs).zip(lengths) {
            let last = u128::from(length.saturating_sub(1));
            let is_cut = shard_of(start) != shard_of(start + last);
            let groups = if is_cut && (shard_of(start)..=shard_of(start + last)).contains(&number) {
                row_groups(&input.path)?
            } else {
                Vec::new()
            };
            let mut part = input.part(index);
            if groups.len() < 2 {
                if shard_of(start + last / 2) == number {
                    pieces.push(Piece { part, rows: None });
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
                let own: Vec<usize> = (0..).zip(is_own).filter(|(_, is_own)| *is_own).map(|(group, _)| group).collect();
                if let (Some(&from), Some(&to)) = (own.first(), own.last()) {
                    let rows = |groups: &[(u64, u64)]| groups.iter().map(|&(rows, _)| rows).sum::<u64>();
                    part.groups = Some(from..to + 1);
                    let rows = [rows(&groups[..from]) + 1, rows(&groups[..=to]), rows(&groups)];
                    pieces.push(Piece { part, rows: Some(rows) });
                }
            }
            start += u128::from(length);
        }
        Ok(pieces)
    }

    /// Where the results of these pieces go in a directory, except of those whose results are there already: these are
    /// told to `skipped`.
    pub fn outputs(
        &self,
        pieces: Vec<Piece>,
        directory: &Path,
        ending: &str,
        is_done: impl Fn(&Path) -> bool,
        mut skipped: impl FnMut(&Path, &Path),
    ) -> Result<Vec<(Part, PathBuf)>> {
        let mut inputs: HashMap<&Path, &Path> = HashMap::new();
        for Input { path, name } in &self.inputs {
            ensure!(!is_stdin(path), "standard input has no name for its output in a directory: use -o FILE");
            if let Some(other) = inputs.insert(name, path) {
                bail!(
                    "the outputs of {} and {} would have the same name: name a directory that holds both, or do one after the \
                     other",
                    shown(other),
                    shown(path)
                );
            }
        }
        let outputs = pieces.into_iter().map(|Piece { part, rows }| {
            let whole = directory.join(&self.inputs[part.index as usize].name);
            let rows = rows.map(|[first, last, all]| {
                let width = all.to_string().len();
                ([first, last], format!("{ROWS}{first:0width$}-{last:0width$}"))
            });
            (part, whole, rows)
        });
        let outputs: Vec<_> = outputs.collect();
        let folders: BTreeSet<&Path> = outputs.iter().filter_map(|(_, whole, _)| whole.parent()).collect();
        let mut there = HashMap::new();
        for folder in folders {
            pieces_in(folder, ending, &mut there)?;
        }
        let mut rest = Vec::new();
        for (part, whole, rows) in outputs {
            let (rows, name) = rows.map_or(([1, u64::MAX], String::new()), |(rows, name)| (rows, name));
            let path = added(&whole, &(name + ending));
            if let Some(done) = [added(&whole, ending), path.clone()].into_iter().find(|path| is_done(path)) {
                skipped(&part.path, &done);
                continue;
            }
            let others = there.get(&whole).into_iter().flatten();
            if let Some(other) =
                others.copied().find(|other| *other != rows && other[0] <= rows[1] && rows[0] <= other[1])
            {
                bail!(
                    "{} would repeat rows {} to {}, which have another output there, because the input was cut in other \
                     places: remove that output or use another directory",
                    shown(&path),
                    other[0],
                    other[1]
                );
            }
            rest.push((part, path));
        }
        Ok(rest)
    }
}

/// What stands between the name of an input and the rows that the output of a part of it has.
const ROWS: &str = ".rows-";

/// Finds the outputs of parts in a directory, by the path of the whole without the ending, with their first and last row.
fn pieces_in(folder: &Path, ending: &str, pieces: &mut HashMap<PathBuf, Vec<[u64; 2]>>) -> Result<()> {
    let cannot_read = || cannot("read", folder);
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        let name = entry.with_context(cannot_read)?.file_name();
        let rows = name.to_str().and_then(|name| {
            let (whole, rows) = name.strip_suffix(ending)?.rsplit_once(ROWS)?;
            let (first, last) = rows.split_once('-')?;
            Some((folder.join(whole), [first.parse().ok()?, last.parse().ok()?]))
        });
        if let Some((whole, rows)) = rows {
            pieces.entry(whole).or_default().push(rows);
        }
    }
    Ok(())
}

/// A path with more at its end.
fn added(path: &Path, more: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(more);
    path.into()
}

fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

impl Input {
    /// All of it.
    fn part(&self, index: u64) -> Part {
        Part { path: self.path.clone(), index, groups: None }
    }
}

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Whether a directory gives a file of this name.
fn has_known_ending(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|compressed| name.strip_suffix(compressed)).unwrap_or(&name);
    plain.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}
