//! The report of `--report`: what a run did, input by input, as JSON.
//!
//! The file says that the run is running until it has ended, so that a run that is killed is not taken for the one before it.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::ops::AddAssign;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Error, Result, bail, ensure};
use serde_json::{Map, Value, json};
use slider_attacks_files::input::{cannot, display_path};
use slider_attacks_files::{Input, Inputs};
use slider_attacks_rows::write::WriteTarget;
use slider_attacks_rows::write::table::grouped;

use crate::args::FailureArgs;
use crate::is_closed_pipe;
use crate::progress::{RecordCounts, note};
use crate::settings::Settings;
use crate::target::{Target, is_stdout};

/// How many messages about malformed records the report has for each input, and for all.
const MOST_OF_INPUT: usize = 20;
const MOST_OF_RUN: usize = 10_000;

/// What came of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputStatus {
    /// It was read to its end, or up to the limit.
    Succeeded,
    /// It could not be read to its end, or its output could not be written.
    Failed,
    /// Its output was there already.
    AlreadyDone,
    /// The run ended before.
    NotRead,
}

impl InputStatus {
    const ALL: [InputStatus; 4] =
        [InputStatus::Succeeded, InputStatus::Failed, InputStatus::AlreadyDone, InputStatus::NotRead];

    const fn name(self) -> &'static str {
        match self {
            InputStatus::Succeeded => "succeeded",
            InputStatus::Failed => "failed",
            InputStatus::AlreadyDone => "already_done",
            InputStatus::NotRead => "not_read",
        }
    }
}

/// What the report says about an input.
#[derive(Debug)]
struct InputReport {
    input: Input,
    output: Option<String>,
    status: InputStatus,
    counts: RecordCounts,
    /// Why it failed.
    error: Option<String>,
    /// The first messages about malformed records.
    malformed: Vec<String>,
}

/// What a run did so far, and how many errors it may still have.
#[derive(Debug)]
pub struct RunReport<'a> {
    args: &'a FailureArgs,
    command: &'static str,
    settings: &'a Settings,
    output: Option<&'a Path>,
    started: SystemTime,
    clock: Instant,
    reported: Vec<InputReport>,
    /// The inputs that are read, and how many of them have ended.
    inputs: Option<Arc<Inputs>>,
    ended: usize,
    /// The messages about malformed records of the input that is being read, and how many there were before.
    malformed: Vec<String>,
    messages: usize,
    errors: u64,
}

impl<'a> RunReport<'a> {
    /// Writes that a run of this command is running, so that what cannot be written is found before anything is read. `output` is where
    /// its results go, and `inputs` are the files that the command line names.
    ///
    /// # Errors
    ///
    /// The report cannot be written, or would replace a file that is no report. Or the output or the report is an input.
    pub fn begin(
        command: &'static str,
        args: &'a FailureArgs,
        settings: &'a Settings,
        output: Option<&'a Path>,
        inputs: &[PathBuf],
    ) -> Result<RunReport<'a>> {
        let report = RunReport {
            args,
            command,
            settings,
            output,
            started: SystemTime::now(),
            clock: Instant::now(),
            reported: Vec::new(),
            inputs: None,
            ended: 0,
            malformed: Vec::new(),
            messages: 0,
            errors: 0,
        };
        report.check_paths(inputs.iter().map(PathBuf::as_path))?;
        let Some(path) = args.report.as_deref().filter(|path| !is_stdout(path)) else { return Ok(report) };
        ensure!(!path.is_dir(), "{}: it is a directory", cannot("write", path));
        // What goes to a pipe is written once.
        if !path.exists() || path.is_file() {
            ensure!(
                is_report(path).with_context(|| cannot("read", path))?,
                "{} is no report: --report would replace it",
                display_path(path)
            );
            ensure!(
                output.is_none_or(|output| place(output) != place(path)),
                "{} cannot be both --output and --report",
                display_path(path)
            );
            report.write("running", &Ok(()))?;
        }
        Ok(report)
    }

    /// Checks that neither the output nor the report is one of these inputs, which have been found.
    ///
    /// # Errors
    ///
    /// One of them is.
    pub fn check_inputs(&self, inputs: &[Input]) -> Result<()> {
        self.check_paths(inputs.iter().filter_map(Input::path))
    }

    fn check_paths<'p>(&self, inputs: impl Iterator<Item = &'p Path> + Clone) -> Result<()> {
        for (path, option) in [(self.args.report.as_deref(), "--report"), (self.output, "--output")] {
            let is_replaced = |path: &&Path| !is_stdout(path) && (!path.exists() || path.is_file());
            let Some(path) = path.filter(is_replaced) else { continue };
            let replaced = place(path);
            let is_input = inputs.clone().any(|input| place(input) == replaced);
            ensure!(!is_input, "{} is an input: {option} would replace it", display_path(path));
        }
        Ok(())
    }

    /// The output of this input was there already.
    pub fn add_done(&mut self, input: &Input, output: &Path) {
        if self.is_wanted() {
            let status = InputStatus::AlreadyDone;
            self.push(input.clone(), Some(output), status, RecordCounts::default(), None);
        }
    }

    /// These inputs are read from now on.
    pub fn begin_inputs(&mut self, inputs: &Arc<Inputs>) {
        self.inputs = Some(inputs.clone());
    }

    /// How many more errors the run may have.
    pub fn room(&self) -> usize {
        let room = self.args.max_errors.map_or(u64::MAX, |most| most.saturating_sub(self.errors));
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    /// The messages about malformed records of the input that is being read.
    pub fn add_messages(&mut self, messages: impl Iterator<Item = String>) {
        if self.is_wanted() {
            let room =
                MOST_OF_INPUT.saturating_sub(self.malformed.len()).min(MOST_OF_RUN.saturating_sub(self.messages));
            let before = self.malformed.len();
            self.malformed.extend(messages.take(room));
            self.messages += self.malformed.len() - before;
        }
    }

    /// Counts errors that the run passes over.
    ///
    /// # Errors
    ///
    /// There are more than it may have.
    pub fn count_errors(&mut self, errors: usize) -> Result<()> {
        self.errors += errors as u64;
        match self.args.max_errors {
            Some(most) if self.errors > most => bail!("more than {} errors: --max-errors ends the run", grouped(most)),
            _ => Ok(()),
        }
    }

    /// The input that is being read has ended, with these numbers of records and, if it failed, this error.
    pub fn end_input(&mut self, output: Option<&Path>, counts: RecordCounts, error: Option<String>) {
        let Some(input) = self.inputs.as_ref().and_then(|inputs| inputs.get(self.ended)) else { return };
        if self.is_wanted() {
            let status = if error.is_some() { InputStatus::Failed } else { InputStatus::Succeeded };
            self.push(input.clone(), output, status, counts, error);
        }
        self.ended += 1;
        self.malformed.clear();
    }

    fn is_wanted(&self) -> bool {
        self.args.report.is_some()
    }

    fn push(
        &mut self,
        input: Input,
        output: Option<&Path>,
        status: InputStatus,
        counts: RecordCounts,
        error: Option<String>,
    ) {
        let output = output.map(|path| path.display().to_string());
        let malformed = std::mem::take(&mut self.malformed);
        self.reported.push(InputReport { input, output, status, counts, error, malformed });
    }

    /// The run has ended: writes the report, and returns how the run ended.
    ///
    /// # Errors
    ///
    /// The run failed, or the report cannot be written.
    pub fn finish(mut self, done: Result<()>) -> Result<()> {
        if !self.is_wanted() {
            return done;
        }
        for place in self.ended..self.inputs.as_ref().map_or(0, |inputs| inputs.count()) {
            let input = self.inputs.as_ref().and_then(|inputs| inputs.get(place)).cloned();
            if let Some(input) = input {
                self.push(input, None, InputStatus::NotRead, RecordCounts::default(), None);
            }
        }
        let status = if done.as_ref().is_err_and(is_failure) { "failed" } else { "succeeded" };
        match self.write(status, &done) {
            Err(error) if done.is_err() => {
                note(&format!("error: {error:#}"));
                done
            }
            Err(error) => Err(error),
            Ok(()) => done,
        }
    }

    /// Writes the report, which appears under its name only once it is complete.
    fn write(&self, status: &str, done: &Result<()>) -> Result<()> {
        let mut target = BufWriter::new(Target::open(self.args.report.as_deref(), true)?);
        let written = self.write_to(&mut target, status, done).and_then(|()| target.flush());
        let (target, _) = target.into_parts();
        written.map_err(|error| Error::new(error).context(target.cannot_write()))?;
        Target::finish_all(vec![target])
    }

    fn write_to(&self, out: &mut impl Write, status: &str, done: &Result<()>) -> io::Result<()> {
        let mut head = Map::new();
        head.insert("command".to_owned(), self.command.into());
        head.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        head.insert("status".to_owned(), status.into());
        let code = (status != "running").then(|| u8::from(done.as_ref().is_err_and(is_failure)));
        head.insert("exit_code".to_owned(), code.into());
        head.insert(
            "error".to_owned(),
            done.as_ref().err().filter(|error| is_failure(error)).map(|error| format!("{error:#}")).into(),
        );
        head.insert("started".to_owned(), time(self.started).into());
        head.insert("seconds".to_owned(), (self.clock.elapsed().as_millis() as f64 / 1000.0).into());
        head.insert("options".to_owned(), self.settings.all().into());
        head.insert("totals".to_owned(), self.totals());
        let head = serde_json::to_string_pretty(&head)?;
        write!(out, "{},\n  \"inputs\": [", head.trim_end_matches("\n}"))?;
        for (place, input) in self.reported.iter().enumerate() {
            write!(out, "{}\n    {}", if place == 0 { "" } else { "," }, input.json())?;
        }
        out.write_all(if self.reported.is_empty() { b"]\n}\n" } else { b"\n  ]\n}\n" })
    }

    /// The numbers of all inputs together.
    fn totals(&self) -> Value {
        let count = |status| self.reported.iter().filter(|input| input.status == status).count();
        let mut totals = Map::from_iter([("inputs".to_owned(), self.reported.len().into())]);
        totals.extend(InputStatus::ALL.map(|status| (status.name().to_owned(), count(status).into())));
        let mut counts = RecordCounts::default();
        self.reported.iter().for_each(|input| counts += input.counts);
        totals.extend(counts_json(counts));
        totals.into()
    }
}

/// Numbers of records.
fn counts_json(counts: RecordCounts) -> [(String, Value); 4] {
    let RecordCounts { good, bad, nulls, left_out } = counts;
    [("positions", good), ("null", nulls), ("skipped", bad), ("left_out", left_out)]
        .map(|(name, count)| (name.to_owned(), count.into()))
}

impl AddAssign for RecordCounts {
    fn add_assign(&mut self, other: RecordCounts) {
        self.good += other.good;
        self.bad += other.bad;
        self.nulls += other.nulls;
        self.left_out += other.left_out;
    }
}

impl InputReport {
    fn json(&self) -> Value {
        let mut object = Map::from_iter([
            ("input".to_owned(), self.input.name().into()),
            ("status".to_owned(), self.status.name().into()),
        ]);
        if let Some(output) = &self.output {
            object.insert("output".to_owned(), output.as_str().into());
        }
        if let Some(groups) = &self.input.groups {
            object.insert("rows".to_owned(), json!([groups.first, groups.last]));
        }
        if let Some(part) = &self.input.part {
            object.insert("bytes".to_owned(), json!([part.start, part.end]));
        }
        object.extend(counts_json(self.counts));
        if let Some(error) = &self.error {
            object.insert("error".to_owned(), error.as_str().into());
        }
        if !self.malformed.is_empty() {
            object.insert("malformed".to_owned(), self.malformed.clone().into());
        }
        object.into()
    }
}

/// How a report begins: the keys are sorted.
const BEGINNING: &[u8] = b"{\n  \"command\": ";

/// Whether a run that ends with this error has failed.
fn is_failure(error: &Error) -> bool {
    !is_closed_pipe(error)
}

/// Where a file is or will be, whatever it is called.
fn place(path: &Path) -> PathBuf {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = || Some(fs::canonicalize(directory).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(new).or_else(|| absolute(path).ok()).unwrap_or_else(|| path.to_owned())
}

/// Whether a file may be replaced: it is a report, or there is none, or it is empty, such as one of `mktemp`.
fn is_report(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        file => file?.take(BEGINNING.len() as u64).read_to_end(&mut beginning)?,
    };
    Ok(beginning.is_empty() || beginning == BEGINNING)
}

/// A time in UTC, as in RFC 3339, or nothing if it is before 1970.
fn time(at: SystemTime) -> Option<String> {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let seconds = since.as_secs() % 86_400;
    Some(format!("{}T{:02}:{:02}:{:02}Z", day(since), seconds / 3600, seconds / 60 % 60, seconds % 60))
}

/// The day after this time from the beginning of 1970 on.
pub fn day(since: Duration) -> String {
    let mut days = since.as_secs() / 86_400;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[test]
fn days_are_those_of_the_calendar() {
    for (days, expected) in
        [(0, "1970-01-01"), (58, "1970-02-28"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_784, "2026-11-27")]
    {
        assert_eq!(day(Duration::from_secs(86_400 * days + 86_399)), expected);
    }
}
