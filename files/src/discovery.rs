//! Expansion of directories, patterns and lists of files.

use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use glob::{MatchOptions, Pattern};
use walkdir::WalkDir;

use crate::counter::ByteCounter;
use crate::file::{InputFile, PathKind};
use crate::input::{Input, cannot, check_is_readable, display_path, is_pattern, is_remote, is_stdin};
use crate::remote::{self, ListedObject, ListedObjects};
use crate::sources::{extensions, has_known_extension};
use crate::text::Text;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::cut::{Cutter, READ, UnitCount, WholeLines, lines};

/// The inputs that somebody names, in order.
#[derive(Debug)]
pub struct Discovery {
    /// The files, or standard input.
    pub inputs: Vec<Input>,
    /// Whether a named path may stand for several files.
    pub may_be_several: bool,
    /// The output, which is not found in directories.
    output: Option<PathBuf>,
    /// The same, if it is a URL.
    output_url: Option<PathBuf>,
    /// Whether files that are named must be there.
    checks: bool,
}

impl Discovery {
    /// Finds what `files` stand for, and then what the lines of `list` stand for; `-` is standard input. `output` is a file
    /// or a directory, and is not found.
    ///
    /// # Errors
    ///
    /// A file or the list cannot be opened, a directory or pattern has no files, the output is around what is read, or
    /// standard input is both the list and a file.
    pub fn new(files: &[PathBuf], list: Option<&Path>, output: Option<&Path>) -> Result<Discovery> {
        Discovery::find(files, list, output, true)
    }

    /// The same for a caller that continues after unreadable files: named files need not exist.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Discovery::new) that are not about a file that is named.
    pub fn unchecked(files: &[PathBuf], list: Option<&Path>, output: Option<&Path>) -> Result<Discovery> {
        Discovery::find(files, list, output, false)
    }

    fn find(files: &[PathBuf], list: Option<&Path>, output: Option<&Path>, checks: bool) -> Result<Discovery> {
        // Files that do not exist yet are not found.
        let output_url = output.filter(|path| is_remote(path)).map(Path::to_owned);
        let output = output.and_then(|path| fs::canonicalize(path).ok());
        let may_be_several = files.len() > 1 || list.is_some();
        let mut found = Discovery { inputs: Vec::new(), may_be_several, output, output_url, checks };
        files.iter().try_for_each(|path| found.add(path))?;
        list.map_or(Ok(()), |list| found.add_list(list))?;
        Ok(found)
    }

    /// A single input, which somebody has found already.
    pub fn of(input: Input) -> Discovery {
        Discovery { inputs: vec![input], may_be_several: false, output: None, output_url: None, checks: true }
    }

    /// Adds the files that the lines of a list stand for.
    fn add_list(&mut self, list: &Path) -> Result<()> {
        let (name, bytes): (_, Box<dyn Read>) = match is_stdin(list) {
            true => ("standard input".to_owned(), Box::new(io::stdin())),
            false => {
                check_is_readable(list)?;
                (display_path(list), Box::new(InputFile::open(list).with_context(|| cannot("read", list))?))
            }
        };
        let (text, lines_of_text) =
            (Text::new(name.clone(), bytes), Cutter::new(Box::new(WholeLines), UnitCount::LINES));
        text.blocks(lines_of_text, READ, &ByteCounter::default(), &mut |start, content| {
            let Content::Bytes(bytes) = content else {
                bail!("{name}, line {}: file name too long", start.number);
            };
            for (line, number) in lines(&bytes).zip(start.number..) {
                let add = |line: &str| if line.is_empty() { Ok(()) } else { self.add(Path::new(line)) };
                let line = str::from_utf8(line).context("file name is not UTF-8");
                line.and_then(add).with_context(|| format!("{name}, line {number}"))?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        ensure!(!self.inputs.is_empty(), "{name} lists no files");
        let is_read_twice = is_stdin(list) && self.inputs.iter().any(Input::is_stdin);
        ensure!(!is_read_twice, "standard input can be read only once: it cannot be both LIST and a FILE");
        Ok(())
    }

    /// Adds the files that a path stands for.
    fn add(&mut self, path: &Path) -> Result<()> {
        let before = self.inputs.len();
        check_is_readable(path)?;
        if is_remote(path) {
            self.add_url(path)?;
        } else if path.is_dir() {
            self.walk(path, usize::MAX, |path| path.file_name().is_some_and(has_known_extension))?;
            let endings = || extensions().collect::<Vec<_>>().join(", .");
            ensure!(self.inputs.len() > before, "{} has no files that end in .{}", display_path(path), endings());
        } else if is_pattern(path) && fs::symlink_metadata(path).is_err() {
            let (fixed, rest): (Vec<_>, Vec<_>) = path.components().partition({
                let mut is_fixed = true;
                move |part| {
                    is_fixed &= !is_pattern(part.as_ref());
                    is_fixed
                }
            });
            let (fixed, rest): (PathBuf, PathBuf) = (fixed.iter().collect(), rest.iter().collect());
            let text = rest.to_str().with_context(|| format!("{}: a pattern must be UTF-8", display_path(path)))?;
            let pattern = Pattern::new(text).with_context(|| format!("{} is not a pattern", display_path(path)))?;
            let depth = if text.contains("**") { usize::MAX } else { rest.components().count() };
            // As in shells.
            let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
            self.walk(&fixed, depth, |path| pattern.matches_path_with(path, options))?;
            ensure!(self.inputs.len() > before, "no file matches {}", display_path(path));
        } else {
            if !is_stdin(path) && self.checks {
                fs::metadata(path).with_context(|| cannot("open", path))?;
            }
            self.inputs.push(Input::new(path, before as u64));
        }
        Ok(())
    }

    /// Adds the objects that a URL stands for.
    fn add_url(&mut self, url: &Path) -> Result<()> {
        let before = self.inputs.len();
        let found = match remote::list(url).with_context(|| cannot("read", url))? {
            ListedObjects::Several(found) => found,
            ListedObjects::One(mut listed) => {
                if self.checks
                    && listed.is_none()
                    && let PathKind::File(length) = PathKind::of(url).with_context(|| cannot("open", url))?
                {
                    listed = Some(length);
                }
                self.inputs.push(Input { listed, ..Input::new(url, before as u64) });
                return Ok(());
            }
        };
        self.may_be_several = true;
        // The next run would take the outputs for inputs.
        ensure!(
            !self.output_url.as_ref().is_some_and(|output| url.starts_with(output)),
            "{} is an input, so the output cannot go there",
            display_path(url)
        );
        let is_named_by_pattern = is_pattern(url);
        for ListedObject { url, below, length } in found {
            let is_output = self.output_url.as_ref().is_some_and(|output| url.starts_with(output));
            let is_hidden = below.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
            let is_wanted = is_named_by_pattern || below.file_name().is_some_and(has_known_extension);
            if is_wanted && !is_output && !is_hidden {
                let index = self.inputs.len() as u64;
                self.inputs.push(Input { below, listed: Some(length), ..Input::new(&url, index) });
            }
        }
        let what = if is_named_by_pattern { "no object matches" } else { "no files of a known format are below" };
        ensure!(self.inputs.len() > before, "{what} {}", display_path(url));
        Ok(())
    }

    /// Adds the files below a directory whose paths from there are wanted, in the order of their names. Links to files are
    /// followed. Links to directories are not: a file would be found twice.
    fn walk(&mut self, directory: &Path, depth: usize, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
        self.may_be_several = true;
        let start = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        fs::metadata(start).with_context(|| cannot("open", start))?;
        if let Some(output) = &self.output {
            let whole = fs::canonicalize(start).with_context(|| cannot("open", start))?;
            // The next run would take the outputs for inputs.
            ensure!(
                !whole.starts_with(output),
                "{} is an input, so the output cannot go to {}",
                display_path(start),
                display_path(output)
            );
        }
        let mut entries = WalkDir::new(start).max_depth(depth).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = entry
                .map_err(io::Error::from)
                .with_context(|| format!("cannot read all of {}", display_path(start)))?;
            let is_hidden = entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
            let name = entry.path().strip_prefix(start).expect("it is below");
            if entry.file_type().is_dir() {
                if is_hidden || self.is_output(entry.path()) {
                    entries.skip_current_dir();
                }
            } else if !is_hidden && is_wanted(name) && !entry.path().is_dir() && !self.is_output(entry.path()) {
                let index = self.inputs.len() as u64;
                self.inputs.push(Input { below: name.to_owned(), ..Input::new(&directory.join(name), index) });
            }
        }
        Ok(())
    }

    /// Whether this is an output, or the directory of outputs.
    fn is_output(&self, path: &Path) -> bool {
        self.output.as_ref().is_some_and(|output| fs::canonicalize(path).is_ok_and(|path| path.starts_with(output)))
    }
}
