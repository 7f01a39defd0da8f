//! The log, which never blocks the service, whatever happens to standard error.
//!
//! tracing-appender does not count lines that cannot be written, and panics at the end if it cannot report that.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use prometheus::IntCounter;
use tracing::{Level, error};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::decode::is_reading;
use crate::server::options::{LogForm, Options};

/// Lines that wait to be written, beyond which lines are lost.
const LINES: usize = 4096;
/// At the end, lines that wait have so long to be written.
const END: Duration = Duration::from_secs(1);

enum Message {
    Line(Vec<u8>),
    /// All lines before it are to be written, and then this is to be dropped.
    End(SyncSender<()>),
}

/// Lines on their way to standard error.
#[derive(Clone)]
pub struct Log {
    waiting: SyncSender<Message>,
    lost: IntCounter,
}

/// A line that is sent when it is dropped.
pub struct LogLine {
    text: Vec<u8>,
    log: Log,
}

impl Log {
    /// Begins to log. What is lost is counted.
    pub fn start(options: &Options, lost: IntCounter) -> anyhow::Result<Log> {
        let (waiting, lines) = sync_channel(LINES);
        let log = Log { waiting, lost: lost.clone() };
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write(&lines, &lost))
            .context("cannot start threads")?;
        let level = Level::from(options.log_level);
        // The libraries of HTTP would log what clients send.
        let targets = Targets::new().with_default(level.min(Level::WARN)).with_target("slider_attacks", level);
        let subscriber = tracing_subscriber::fmt()
            .with_writer(log.clone())
            .with_max_level(level)
            .log_internal_errors(false)
            .with_ansi(false);
        match options.log {
            LogForm::Text => subscriber.finish().with(targets).init(),
            LogForm::Json => subscriber.json().flatten_event(true).finish().with(targets).init(),
        }
        Ok(log)
    }

    /// Waits for the lines so far, but not for long.
    pub fn end(self) {
        let (written, wait) = sync_channel(0);
        let (start, mut end) = (Instant::now(), Message::End(written));
        while let Err(TrySendError::Full(again)) = self.waiting.try_send(end) {
            if start.elapsed() > END {
                return;
            }
            end = again;
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = wait.recv_timeout(END.saturating_sub(start.elapsed()));
    }
}

fn write(lines: &Receiver<Message>, lost: &IntCounter) {
    for message in lines {
        match message {
            Message::Line(line) if io::stderr().write_all(&line).is_err() => lost.inc(),
            Message::Line(_) => {}
            Message::End(written) => drop(written),
        }
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine { text: Vec::new(), log: self.clone() }
    }
}

impl Write for LogLine {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        if self.log.waiting.try_send(Message::Line(std::mem::take(&mut self.text))).is_err() {
            self.log.lost.inc();
        }
    }
}

/// Installs a panic hook that logs where a panic was, and not its message, which may have data of a client. Panics of the reader
/// of messages are not logged: it answers them as malformed messages. Without the hook, the service answers the same, and
/// standard error has the messages of all panics.
pub fn install_panic_log() {
    std::panic::set_hook(Box::new(|panic| {
        if is_reading() {
            return;
        }
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        error!(place, "panicked");
    }));
}

/// Reports why the program ends. Standard error may be closed, full, or a pipe that nobody reads.
pub fn last_words(error: &anyhow::Error) {
    let (words, (said, wait)) = (format!("error: {error:#}\n"), sync_channel::<()>(0));
    std::thread::spawn(move || {
        let _ = io::stderr().write_all(words.as_bytes());
        drop(said);
    });
    let _ = wait.recv_timeout(END);
}
