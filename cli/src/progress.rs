//! Messages and progress on standard error.

use std::cell::Cell;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Sub;
use std::time::Duration;

use anyhow::{Result, bail};
use indicatif::{FormattedDuration, HumanBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use slider_attacks_files::block::Origin;
use slider_attacks_files::counter::ByteCounter;
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_formats::error::{Malformed, printable};
use slider_attacks_rows::write::table::grouped;

/// Nothing is drawn before this much time has passed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Writes a line to standard error, control characters escaped. If standard error is gone there is nobody left to tell,
/// so a failure is ignored.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(message));
}

/// Progress through a known number of steps.
pub fn bar(steps: usize) -> ProgressLine {
    ProgressLine::with(Some(steps as u64), None, true, "{msg:24}  [{wide_bar}]  {pos}/{len}  {left} left")
}

/// A progress line on standard error. It appears only on a terminal, and only if the work takes a while.
pub struct ProgressLine {
    bar: ProgressBar,
    /// The counter of read bytes, unless steps are counted.
    bytes: Option<ByteCounter>,
    /// The line is to appear, but has not yet.
    is_awaited: Cell<bool>,
}

impl ProgressLine {
    /// Progress through inputs, whose bytes the counter counts. It is not drawn where a terminal is in use already:
    /// for input that somebody types, or for rows, which show the progress themselves.
    pub fn new(bytes: &ByteCounter, in_use: bool) -> ProgressLine {
        let template = match bytes.total() {
            Some(_) => "[{wide_bar}]  {bytes}/{total_bytes}  {mean}/s  {left} left",
            None => "{bytes} read  {mean}/s  {elapsed_precise}",
        };
        ProgressLine::with(bytes.total(), Some(bytes.clone()), !in_use, template)
    }

    fn with(total: Option<u64>, bytes: Option<ByteCounter>, is_wanted: bool, template: &str) -> ProgressLine {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template).expect("the templates are well-formed").progress_chars("= ");
        let style = style.with_key("mean", |state: &ProgressState, text: &mut dyn fmt::Write| {
            let _ = write!(text, "{}", HumanBytes(mean(state) as u64));
        });
        let style = style.with_key("left", |state: &ProgressState, text: &mut dyn fmt::Write| {
            let rest = state.len().unwrap_or(0).saturating_sub(state.pos()) as f64;
            let _ = write!(text, "{}", FormattedDuration(Duration::from_secs_f64((rest / mean(state)).min(1e6))));
        });
        ProgressLine {
            bar: bar.with_style(style),
            bytes,
            is_awaited: Cell::new(is_wanted && io::stderr().is_terminal()),
        }
    }

    /// Names the step that begins now.
    pub fn set_message(&self, message: String) {
        self.bar.set_message(message);
    }

    /// This many more steps are done.
    pub fn inc(&self, steps: u64) {
        self.bar.inc(steps);
        self.show();
    }

    /// Shows what is done.
    pub fn show(&self) {
        if let Some(bytes) = &self.bytes {
            self.bar.set_position(bytes.read());
        }
        if self.bar.elapsed() > PATIENCE && self.is_awaited.take() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
        }
        self.bar.tick();
    }

    /// Writes a line to standard error.
    pub fn note(&self, message: &str) {
        self.bar.suspend(|| note(message));
    }

    /// Writes a warning to standard error.
    pub fn warn(&self, message: &str) {
        self.note(&format!("slider-attacks: warning: {message}"));
    }

    /// Takes the line away for good.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// So that the line does not stay on the terminal, before the message of an error.
impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// How many messages about malformed records a run prints. The others are counted.
const MOST_MESSAGES: usize = 20;

/// How many records of the input were well-formed, and how many malformed.
#[derive(Default)]
pub struct Tally {
    counts: RecordCounts,
    /// How many messages there were about those that were skipped.
    messages: usize,
    /// Why others were left out.
    reason: String,
    /// Other runs read the rest of the inputs, and may find well-formed records.
    is_part: bool,
}

/// Numbers of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// Those that have a row: the well-formed ones and the null ones.
    pub good: usize,
    /// The malformed ones that were skipped.
    pub bad: usize,
    /// The null ones.
    pub nulls: usize,
    /// The well-formed ones that were left out by the condition, or because of their keys.
    pub left_out: usize,
}

impl Sub for RecordCounts {
    type Output = RecordCounts;

    fn sub(self, before: RecordCounts) -> RecordCounts {
        RecordCounts {
            good: self.good - before.good,
            bad: self.bad - before.bad,
            nulls: self.nulls - before.nulls,
            left_out: self.left_out - before.left_out,
        }
    }
}

impl Tally {
    /// Nothing has been read; `is_part` is whether other runs read the rest of the inputs.
    pub fn new(is_part: bool) -> Tally {
        Tally { is_part, ..Tally::default() }
    }

    /// Counts the records of a block, with those that are null, and reports those that were skipped.
    pub fn add(&mut self, progress: &ProgressLine, origin: &Origin, good: usize, nulls: usize, skipped: &[Malformed]) {
        self.counts.good += good;
        self.counts.nulls += nulls;
        self.counts.bad += skipped.len();
        let room = MOST_MESSAGES.saturating_sub(self.messages);
        self.messages += skipped.len();
        for malformed in skipped.iter().take(room) {
            progress.note(&format!("skipped: {}", origin.message(malformed)));
        }
    }

    /// Counts the records of a block that were left out because of their keys.
    pub fn leave_out(&mut self, left_out: usize, filter: Option<&KeyFilter>) {
        self.counts.left_out += left_out;
        if left_out > 0 && self.reason.is_empty() {
            self.reason = filter.map_or_else(String::new, KeyFilter::reason);
        }
    }

    /// How many records have a row.
    pub fn good(&self) -> usize {
        self.counts.good
    }

    /// The numbers so far.
    pub fn counts(&self) -> RecordCounts {
        self.counts
    }

    /// Goes back to these numbers, because there is no output for the records since.
    pub fn go_back(&mut self, counts: RecordCounts) {
        self.counts = counts;
    }

    /// Says how many more messages there would be.
    pub fn end_messages(&mut self, progress: &ProgressLine) {
        let more = self.messages.saturating_sub(MOST_MESSAGES);
        if more > 0 {
            progress.note(&format!("… and {} more", grouped(more as u64)));
        }
        self.messages = 0;
    }

    /// Checks that not all records were malformed, unless they are only a part. `what` they are, in the inputs of this name.
    ///
    /// # Errors
    ///
    /// There is no other.
    pub fn check_all(&self, name: &str, what: &str) -> Result<()> {
        if self.is_part { Ok(()) } else { self.check(RecordCounts::default(), name, what) }
    }

    /// Checks that not all records since these numbers were malformed. `what` they are, in the inputs of this name.
    ///
    /// # Errors
    ///
    /// There is no other.
    pub fn check(&self, since: RecordCounts, name: &str, what: &str) -> Result<()> {
        let well_formed = |counts: RecordCounts| counts.good + counts.left_out;
        let (good, bad) = (well_formed(self.counts) - well_formed(since), self.counts.bad - since.bad);
        if good == 0 && bad > 0 { bail!(all_skipped(bad, name, what)) } else { Ok(()) }
    }

    /// Says how many were left out or skipped, or that there was none; `what` they are.
    pub fn finish(&self, progress: &ProgressLine, name: &str, what: &str) {
        let RecordCounts { good, bad, nulls, left_out } = self.counts;
        if nulls > 0 {
            progress.note(&format!("{name}: {nulls} of {good} {what} are null: malformed"));
        }
        if left_out > 0 {
            progress.note(&format!("{name}: left out {left_out} of {} {what}: {}", good + left_out, self.reason));
        }
        match (good + left_out, bad) {
            (0, 0) => progress.note(&format!("note: no {what} in {name}")),
            (_, 0) => {}
            (0, bad) => progress.warn(&all_skipped(bad, name, what)),
            (good, _) => progress.note(&format!("{name}: skipped {bad} of {} {what}: malformed", good + bad)),
        }
    }
}

/// The message that all records were malformed.
fn all_skipped(bad: usize, name: &str, what: &str) -> String {
    match bad {
        1 => format!("{name}: skipped the only {}: malformed", what.trim_end_matches('s')),
        _ => format!("{name}: skipped all {bad} {what}: malformed"),
    }
}

/// The mean speed since the start, as the speed of the moment jumps.
fn mean(state: &ProgressState) -> f64 {
    state.pos() as f64 / state.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::InMemoryTerm;

    #[test]
    fn thousands_are_grouped() {
        for (number, expected) in
            [(0, "0"), (20, "20"), (999, "999"), (1_000, "1,000"), (28_520, "28,520"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn the_line_fits_the_terminal() {
        let line = |progress: ProgressLine, done, milliseconds| {
            progress.bytes.iter().for_each(|bytes| bytes.set(done));
            let screen = InMemoryTerm::new(2, 60);
            progress.bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(screen.clone())));
            let _ = progress.bar.clone().with_elapsed(Duration::from_millis(milliseconds));
            progress.inc(done);
            let line = screen.contents();
            progress.clear();
            assert_eq!(screen.contents(), "");
            line
        };
        let input = |length| ProgressLine::new(&ByteCounter::new(length), true);
        // Each line stays the same for most of a second, however slow the machine is.
        let text = "[==========          ]  900 B/1.76 KiB  1 B/s  00:10:00 left";
        assert_eq!(line(input(Some(1800)), 900, 600_050), text);
        assert_eq!(line(input(None), 1000, 61_000), "1000 B read  16 B/s  00:01:01");
        let steps = bar(128);
        steps.set_message("avx512 queen".to_owned());
        let text = "avx512 queen              [========]  128/128  00:00:00 left";
        assert_eq!(line(steps, 128, 5000), text);
    }
}
