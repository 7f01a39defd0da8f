//! The log, which neither stops nor delays the service, whatever becomes of standard error.

use std::io::{self, Write};

use tracing::{Level, error};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};

use super::options::{LogForm, Options};

/// Lines that wait to be written, beyond which lines are lost.
const LINES: usize = 4096;

/// Begins to log. Lines are written until the guard is dropped, and the counter counts those that were lost.
pub fn start(options: &Options) -> (WorkerGuard, ErrorCounter) {
    let builder = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(LINES).thread_name("log");
    let (writer, guard) = builder.finish(io::stderr());
    let lost = writer.error_counter();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(writer)
        .with_max_level(Level::from(options.log_level))
        .log_internal_errors(false)
        .with_ansi(false);
    match options.log {
        LogForm::Text => subscriber.init(),
        LogForm::Json => subscriber.json().flatten_event(true).init(),
    }
    // Where it panicked, and not with what: that may be data.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        error!(place, "panicked");
    }));
    (guard, lost)
}

/// Says why the program ends. Standard error may be closed or full.
pub fn last_words(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "error: {error:#}");
}
