//! The behaviour of the command: the real binary on valid and invalid input.

mod analyze;
mod bad_input;
mod conditions;
mod convert;
mod each_move;
mod endurance;
mod failures;
mod games;
mod good_input;
mod hostile;
mod merge;
mod methods;
mod nulls;
mod other_commands;
mod shards;
mod summarize;
mod training;
mod unique;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The result of a run of the command.
#[derive(Debug, PartialEq)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// The command, with its arguments separated by blanks. If `TEST_RUNNER` names a program with arguments, that program runs
/// the command, so tests on an emulated CPU run the command there as well.
fn command(args: &str) -> Command {
    let runner = std::env::var("TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace().chain([env!("CARGO_BIN_EXE_slider-attacks")]);
    let mut command = Command::new(words.next().expect("the command at least"));
    command.args(words).args(args.split_whitespace());
    command
}

/// Runs the command with this standard input.
fn run(args: &str, stdin: impl Into<Vec<u8>>) -> Run {
    finish(&mut command(args), stdin)
}

/// Runs a command to its end with this standard input.
fn finish(command: &mut Command, stdin: impl Into<Vec<u8>>) -> Run {
    let stdin = stdin.into();
    let (child, mut pipe) = start(command);
    // The command may end before it has read everything. Then the rest does not matter.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let run = wait(child);
    writer.join().expect("the writer does not panic");
    run
}

/// Waits for the end of a command whose input has been closed.
fn wait(child: Child) -> Run {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("the command writes UTF-8");
    let run = Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    run
}

/// Starts a command whose input, output and messages are pipes.
fn start(command: &mut Command) -> (Child, ChildStdin) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let stdin = child.stdin.take().expect("a pipe");
    (child, stdin)
}

/// The peak memory of a process in KiB, or `None` if the system does not report it.
///
/// Of a new process, the system may still report the memory of the tests, which it shares until it runs its program.
fn peak(process: u32) -> Option<u64> {
    let program = |process: &str| std::fs::read_link(format!("/proc/{process}/exe"));
    if program(&process.to_string()).ok()? == program("self").ok()? {
        return None;
    }
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse().ok()
}

/// An empty directory for a test.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir(&path).expect("the directory for tests can be written to");
    path
}

/// A file for a test, with this content.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the directory for tests can be written to");
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory can be written")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("memory can be read")
}

/// How many messages about malformed records a run prints.
const MOST_MESSAGES: usize = 20;

impl Run {
    /// The messages about malformed records that were left out, and how many of these there were. Those about which nothing more is
    /// said are counted on the last line of the messages.
    fn skipped(&self) -> (Vec<&str>, usize) {
        let messages: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("skipped: ")).collect();
        let rest = self.stderr.lines().find_map(|line| line.strip_prefix("… and ")?.strip_suffix(" more"));
        let rest = rest.map_or(0, |rest| rest.replace(',', "").parse().expect("a number"));
        assert!(messages.len() == MOST_MESSAGES || rest == 0, "{self:?}");
        let all = messages.len() + rest;
        (messages, all)
    }

    /// Checks that the command succeeded and printed one warning. Returns its text.
    fn warning(&self) -> &str {
        let warnings: Vec<&str> =
            self.stderr.lines().filter_map(|line| line.strip_prefix("slider-attacks: warning: ")).collect();
        assert!(self.code == Some(0) && warnings.len() == 1, "{self:?}");
        warnings[0]
    }

    /// Checks that the command failed with one line on standard error, which contains this text.
    fn fails(&self, message: &str) {
        assert_eq!((self.code, self.stderr.lines().count()), (Some(1), 1), "{self:?}");
        assert!(self.stderr.starts_with("error: ") && self.stderr.contains(message), "{message}: {self:?}");
    }

    /// Checks that the command succeeded and printed no messages. Returns its standard output.
    fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.stdout
    }
}
