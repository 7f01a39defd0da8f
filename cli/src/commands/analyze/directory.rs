//! Outputs in a directory, one for each input, some of which may exist already.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use slider_attacks_arrow::ColumnKind;
use slider_attacks_files::Input;
use slider_attacks_files::input::{cannot, display_path, is_remote};
use slider_attacks_files::remote::{list_below, remove};
use slider_attacks_rows::format::TableFormat;
use slider_attacks_rows::job::Job;
use slider_attacks_rows::write::npy;

/// Which outputs are there already.
pub struct Existing {
    format: TableFormat,
    overwrite: bool,
    /// The arrays that a directory of NumPy arrays must have.
    arrays: Vec<String>,
}

impl Existing {
    /// With `overwrite`, existing outputs are ignored.
    pub fn new(job: &Job, format: TableFormat, overwrite: bool) -> Existing {
        let lists = job.plan.product_columns();
        let lists = lists.filter(|column| matches!(column.kind(), ColumnKind::Moves | ColumnKind::Threats));
        let offsets = lists.map(|column| npy::offsets_name(column.name()));
        Existing { format, overwrite, arrays: job.header(&[]).into_iter().chain(offsets).collect() }
    }

    /// Whether there is this output. `listed` are the objects of the directory, if it is a URL.
    fn is_done(&self, path: &Path, listed: Option<&BTreeSet<PathBuf>>) -> bool {
        match (self.format, listed) {
            _ if self.overwrite => false,
            (_, Some(listed)) => listed.contains(path),
            (TableFormat::Npy, None) => npy::is_complete(path, &self.arrays),
            (_, None) => path.is_file(),
        }
    }

    /// Where the results of these inputs, which are `all` or parts of them, go in a directory; and those whose results are there
    /// already, with these.
    ///
    /// # Errors
    ///
    /// An input has no name for its output, or two have the same; or a part has rows that another output there has.
    pub fn outputs(&self, all: &[Input], inputs: Vec<Input>, directory: &Path) -> Result<[Vec<(Input, PathBuf)>; 2]> {
        check_names(all)?;
        let ending = ending(self.format);
        let outputs = inputs.into_iter().map(|input| {
            let whole = directory.join(&input.below);
            let part = part_name(&input);
            (input, whole, part)
        });
        let outputs: Vec<_> = outputs.collect();
        let folders: BTreeSet<&Path> = outputs.iter().filter_map(|(_, whole, _)| whole.parent()).collect();
        let mut there = PartOutputs::new();
        let listed = if is_remote(directory) { Some(objects(directory)?) } else { None };
        match &listed {
            Some(listed) => listed.iter().for_each(|path| add_part(path, ending, &mut there)),
            None => folders.into_iter().try_for_each(|folder| parts_in(folder, ending, &mut there))?,
        }
        let (mut rest, mut finished) = (Vec::new(), Vec::new());
        for (input, whole, part) in outputs {
            let (range, name) = part.map_or(([0, u64::MAX], String::new()), |(range, name)| (range, name));
            let path = added(&whole, &(name + ending));
            if let Some(done) =
                [added(&whole, ending), path.clone()].into_iter().find(|path| self.is_done(path, listed.as_ref()))
            {
                finished.push((input, done));
                continue;
            }
            check_overlap(&path, range, there.get(&whole).map_or(&[], Vec::as_slice))?;
            rest.push((input, path));
        }
        Ok([rest, finished])
    }
}

/// A file below a directory that may be an output of this format, or a part of one: it ends like them and is no input.
///
/// # Errors
///
/// The directory cannot be read.
pub fn first_output(directory: &Path, format: TableFormat, inputs: &[Input]) -> Result<Option<PathBuf>> {
    let ending = match format {
        TableFormat::Npy => ".npy", // in directories
        _ => ending(format),
    };
    let ends = |path: &Path| path.as_os_str().as_encoded_bytes().ends_with(ending.as_bytes());
    let similar = inputs.iter().filter_map(Input::path).filter(|path| ends(path));
    if is_remote(directory) {
        let similar: HashSet<&Path> = similar.collect();
        return Ok(objects(directory)?.into_iter().find(|path| ends(path) && !similar.contains(path.as_path())));
    }
    let similar: HashSet<PathBuf> = similar.filter_map(|path| fs::canonicalize(path).ok()).collect();
    let is_input = |path: &Path| fs::canonicalize(path).is_ok_and(|path| similar.contains(&path));
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            // Of another user.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && folder != directory => continue,
            entries => entries.with_context(|| cannot("read", &folder))?,
        };
        for entry in entries {
            let entry = entry.with_context(|| cannot("read", &folder))?;
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if ends(&path) && !is_input(&path) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Removes what an earlier run wrote for an input that fails now, so that the next run does not take it as done. Of NumPy arrays, these
/// are those that must be there.
///
/// # Errors
///
/// It is there and cannot be removed.
pub fn remove_output(job: &Job, format: TableFormat, path: &Path) -> Result<()> {
    let remove = |path: &Path| match if is_remote(path) { remove(path) } else { fs::remove_file(path) } {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Err(error),
        _ => io::Result::Ok(()),
    };
    match format {
        TableFormat::Npy => job.header(&[]).iter().try_for_each(|name| remove(&path.join(format!("{name}.npy")))),
        _ => remove(path),
    }
    .with_context(|| cannot("remove", path))
}

/// Checks that each input has a name of its own for its output.
fn check_names(inputs: &[Input]) -> Result<()> {
    let mut names: HashMap<&Path, &Path> = HashMap::new();
    for input in inputs {
        let path = input.path().context("standard input has no name for its output in a directory: use -o FILE")?;
        if let Some(other) = names.insert(&input.below, path) {
            bail!(
                "the outputs of {} and {} would have the same name: name a directory that holds both, or do one after the \
                 other",
                display_path(other),
                display_path(path)
            );
        }
    }
    Ok(())
}

/// Checks that no other output has some of these rows or bytes.
fn check_overlap(path: &Path, range: [u64; 2], others: &[([u64; 2], &'static str)]) -> Result<()> {
    let repeats = |(other, _): &&([u64; 2], _)| *other != range && other[0] <= range[1] && range[0] <= other[1];
    if let Some((other, units)) = others.iter().find(repeats) {
        bail!(
            "{} would repeat {units} {} to {}, which have another output there, because the input was split differently: \
             remove that output or use another directory",
            display_path(path),
            other[0],
            other[1]
        );
    }
    Ok(())
}

/// How the name of an output in a directory ends. NumPy arrays have a directory of their own.
fn ending(format: TableFormat) -> &'static str {
    match format {
        TableFormat::Csv => ".csv",
        TableFormat::Jsonl => ".jsonl",
        TableFormat::Parquet => ".parquet",
        TableFormat::Npy => "",
    }
}

/// What the numbers in the name of a partial output count: rows of Parquet, from 1, and bytes of other inputs, from 0.
const UNITS: [&str; 2] = ["rows", "bytes"];

/// What stands in the name of the output of a part of an input: the first and the last of its rows or bytes. None for all of it.
fn part_name(input: &Input) -> Option<([u64; 2], String)> {
    let ([first, last], units, width) = match (&input.groups, &input.part) {
        (Some(groups), _) => ([groups.first, groups.last], UNITS[0], groups.of.to_string().len()),
        // A fixed width, so that names sort by position.
        (None, Some(part)) => ([part.start, part.end - 1], UNITS[1], 13),
        (None, None) => return None,
    };
    Some(([first, last], format!(".{units}-{first:0width$}-{last:0width$}")))
}

/// The first and last row or byte of the outputs of parts, and which of them it is, by the path of the whole without the ending.
type PartOutputs = HashMap<PathBuf, Vec<([u64; 2], &'static str)>>;

/// Finds the outputs of parts in a directory.
fn parts_in(folder: &Path, ending: &str, parts: &mut PartOutputs) -> Result<()> {
    let cannot_read = || cannot("read", folder);
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        add_part(&entry.with_context(cannot_read)?.path(), ending, parts);
    }
    Ok(())
}

/// Adds an output, if it is that of a part.
fn add_part(path: &Path, ending: &str, parts: &mut PartOutputs) {
    let name = path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(ending));
    let found = UNITS.into_iter().find_map(|units| {
        let (whole, range) = name?.rsplit_once(&format!(".{units}-"))?;
        let (first, last) = range.split_once('-')?;
        Some((path.with_file_name(whole), ([first.parse().ok()?, last.parse().ok()?], units)))
    });
    if let Some((whole, part)) = found {
        parts.entry(whole).or_default().push(part);
    }
}

/// The objects below a URL, named as the outputs there are.
fn objects(directory: &Path) -> Result<BTreeSet<PathBuf>> {
    let listed = list_below(directory).with_context(|| cannot("read", directory))?;
    Ok(listed.into_iter().map(|object| directory.join(object.below)).collect())
}

/// A path with more at its end.
fn added(path: &Path, more: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(more);
    path.into()
}
