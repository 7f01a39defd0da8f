//! What a person sees on standard error while a command works.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Input that takes longer than this is long: a bar appears.
const PATIENCE: Duration = Duration::from_millis(500);

/// Writes a line to standard error. If that is gone there is nobody left to tell, so a failure is ignored.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// A bar for steps whose number is known; invisible unless standard error is a terminal.
pub fn bar(steps: u64, what: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::new(steps).with_style(style("{msg:<24} {bar:40} {pos}/{len}  {elapsed}")).with_message(what)
}

/// The progress through an input: nothing at all for a while, then a bar or, if the length is not known, a spinner.
pub struct Progress {
    length: Option<u64>,
    started: Instant,
    /// A bar may be shown: standard error is a terminal, and nobody types the input into it.
    wanted: bool,
    /// Standard output is a terminal, too, so the bar must make room for the rows.
    shared: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For an input of `length` bytes, if that is known.
    pub fn new(length: Option<u64>, typed_by_hand: bool) -> Progress {
        let wanted = io::stderr().is_terminal() && !typed_by_hand;
        Progress { length, started: Instant::now(), wanted, shared: io::stdout().is_terminal(), bar: None }
    }

    /// So many bytes have been read.
    pub fn set(&mut self, bytes: u64) {
        if self.wanted && self.bar.is_none() && self.started.elapsed() > PATIENCE {
            self.bar = Some(match self.length {
                Some(length) => ProgressBar::new(length)
                    .with_style(style("{bar:40} {percent:>3} %  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left")),
                None => {
                    ProgressBar::new_spinner().with_style(style("{spinner} {bytes} read  {bytes_per_sec}  {elapsed}"))
                }
            });
        }
        if let Some(bar) = &self.bar {
            bar.set_position(bytes);
        }
    }

    /// Writes results with the bar out of the way.
    pub fn while_writing<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) if self.shared => bar.suspend(write),
            _ => write(),
        }
    }

    /// Writes a line to standard error with the bar out of the way.
    pub fn note(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(message)),
            None => note(message),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates above are well-formed").progress_chars("=> ")
}
