//! Messages and progress on standard error.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::read::malformed::printable;

/// Nothing is drawn before this much time has passed.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two drawings.
const INTERVAL: Duration = Duration::from_millis(250);
/// The width of the bar itself; the whole line fits into 80 columns.
const BAR: usize = 24;

/// Writes a line to standard error, with control characters escaped. Failures are ignored, because there is no other place
/// to report them.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(message));
}

/// Progress through a known number of steps.
pub fn bar(steps: u64, what: &str) -> Progress {
    let progress = Progress::with(Some(steps), false, true);
    progress.set_message(what.to_owned());
    progress
}

/// A line on standard error that shows how far the work has progressed. It appears only on a terminal, and only if the
/// work takes a while.
pub struct Progress {
    started: Instant,
    is_wanted: bool,
    /// The amount of work, if it is known.
    total: Option<u64>,
    /// The work is counted in bytes, not in steps.
    in_bytes: bool,
    state: RefCell<State>,
}

struct State {
    done: u64,
    message: String,
    drawn: Instant,
    /// The width of what is drawn now.
    width: usize,
}

impl Progress {
    /// Progress through an input of `length` bytes, if known. It is not drawn if the terminal is in use already: for typed
    /// input, or for rows, which show the progress themselves.
    pub fn new(length: Option<u64>, in_use: bool) -> Progress {
        Progress::with(length, true, !in_use)
    }

    fn with(total: Option<u64>, in_bytes: bool, is_wanted: bool) -> Progress {
        let started = Instant::now();
        let state = State { done: 0, message: String::new(), drawn: started, width: 0 };
        let is_wanted = is_wanted && io::stderr().is_terminal();
        Progress { started, is_wanted, total, in_bytes, state: RefCell::new(state) }
    }

    /// Names the step that begins now.
    pub fn set_message(&self, message: String) {
        self.state.borrow_mut().message = message;
    }

    /// This many more steps are done.
    pub fn inc(&self, steps: u64) {
        let done = self.state.borrow().done + steps;
        self.set(done);
    }

    /// This much is done.
    pub fn set(&self, done: u64) {
        let mut state = self.state.borrow_mut();
        state.done = done;
        let elapsed = self.started.elapsed();
        if self.is_wanted && elapsed > PATIENCE && state.drawn.elapsed() > INTERVAL {
            let text = self.text(&state, elapsed);
            let _ = write!(io::stderr(), "\r{text:<width$}", width = state.width);
            (state.drawn, state.width) = (Instant::now(), text.chars().count());
        }
    }

    /// Writes a line to standard error.
    pub fn note(&self, message: &str) {
        self.clear();
        note(message);
    }

    /// Erases the line.
    pub fn clear(&self) {
        let mut state = self.state.borrow_mut();
        if state.width > 0 {
            let _ = write!(io::stderr(), "\r{:width$}\r", "", width = state.width);
            state.width = 0;
        }
    }

    /// The work is done.
    pub fn finish_and_clear(self) {}

    fn text(&self, state: &State, elapsed: Duration) -> String {
        let amount = |number: u64| if self.in_bytes { bytes(number as f64) } else { number.to_string() };
        let State { done, message, .. } = state;
        let mut text = if self.in_bytes { String::new() } else { format!("{message:<24}  ") };
        let part = self.total.map(|total| (*done as f64 / total.max(1) as f64).min(1.0));
        match (self.total, part) {
            (Some(total), Some(part)) => {
                let bar = "=".repeat((BAR as f64 * part) as usize);
                let _ = write!(text, "[{bar:BAR$}]  {}/{}", amount(*done), amount(total));
            }
            _ => text += &format!("{} read", amount(*done)),
        }
        if self.in_bytes {
            // The mean since the start, because the current speed fluctuates.
            text += &format!("  {}/s", bytes(*done as f64 / elapsed.as_secs_f64()));
        }
        let (time, left) = match part {
            Some(part) if part > 0.0 => (elapsed.mul_f64(((1.0 - part) / part).min(1e4)), " left"),
            _ => (elapsed, ""),
        };
        let seconds = time.as_secs().min(59_999);
        let _ = write!(text, "  {}:{:02}{left}", seconds / 60, seconds % 60);
        text
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// An amount of bytes in the largest unit that leaves a number of at least one.
fn bytes(number: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = ((number.max(1.0).log2() / 10.0) as usize).min(UNITS.len() - 1);
    format!("{:.1$} {2}", number / 1024_f64.powi(power as i32), usize::from(power > 0), UNITS[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_the_terminal() {
        let text = |progress: &Progress, done, seconds| {
            progress.set(done);
            progress.text(&progress.state.borrow(), Duration::from_secs(seconds))
        };
        let progress = Progress::with(Some(3 << 30), true, false);
        let bar = format!("[{}{}]", "=".repeat(8), " ".repeat(16));
        assert_eq!(text(&progress, 1 << 30, 8), format!("{bar}  1.0 GiB/3.0 GiB  128.0 MiB/s  0:16 left"));
        assert_eq!(text(&Progress::with(None, true, false), 1000, 61), "1000 B read  16 B/s  1:01");
        let progress = Progress::with(Some((1 << 40) - 1), true, false);
        let lines =
            [text(&progress, (1 << 30) - 1, 1), text(&progress, (1 << 40) - 2, 1 << 10), text(&progress, 1, 60)];
        assert!(lines.iter().all(|line| line.len() <= 79), "{lines:?}");
        let progress = Progress::with(Some(128), false, false);
        progress.set_message("avx512 queen".to_owned());
        assert_eq!(
            text(&progress, 128, 5),
            format!("avx512 queen              [{}]  128/128  0:00 left", "=".repeat(24))
        );
    }
}
