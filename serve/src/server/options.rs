//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};
use slider_attacks::Backend;
use slider_attacks_arrow::MOST_THREADS;

/// Serves attack sets and products of chess positions over Arrow Flight.
///
/// Listens on 127.0.0.1 unless told otherwise. Other addresses need --tls-cert, --tls-key and --tokens.
#[derive(Parser, Clone, Debug)]
#[command(name = "slider-attacks-serve", version, max_term_width = 100)]
pub struct Options {
    /// The address and port to listen on; port 0 takes a free one. The first line of standard output names it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8815")]
    pub listen: SocketAddr,

    /// Serve metrics for Prometheus over HTTP on this address and port [default: none]
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,

    /// A file with the certificates of the server, as PEM; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// A file with the private key of the certificate, as PEM; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// A file with a name and a token per line, of which each request must bear one; read again when it changes
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,

    /// Compute with this backend [default: the one that `slider-attacks cpu` reports as chosen]
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Backend>)]
    pub backend: Option<Backend>,

    /// The number of threads that compute, from 1 to 256 [default: one per core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub threads: Option<u16>,

    /// What may be asked of this server at a time.
    #[command(flatten)]
    pub limits: Limits,

    /// The form of the log, which goes to standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    pub log: LogForm,

    /// The least important messages that are logged
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LogLevel::Info)]
    pub log_level: LogLevel,
}

/// What may be asked of this server at a time.
#[derive(Args, Clone, Debug)]
pub struct Limits {
    /// The most bytes of one message
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub message_bytes: u32,

    /// The most rows of one batch
    #[arg(long, value_name = "ROWS", default_value_t = 2 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub batch_rows: u32,

    /// The most bytes of messages that are held at a time, over all clients; at least those of one message. Beyond it, clients wait
    #[arg(long, value_name = "BYTES", default_value_t = 512 << 20, value_parser = clap::value_parser!(u32).range(1024..))]
    pub held_bytes: u32,

    /// The most streams at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub streams: u32,

    /// The most streams of one client at a time: of one token, or without tokens of one address
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub client_streams: u32,

    /// The most connections at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub connections: u32,

    /// A client that neither sends what it has begun nor takes what it asked for, for so long, is cut off
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub idle: Duration,

    /// After SIGTERM or SIGINT, streams have so long to end
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub grace: Duration,
}

/// The forms of the log.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// A line of text per event
    Text,
    /// A JSON object per event
    Json,
}

/// How important a message is.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// What failed
    Error,
    /// What should be looked at
    Warn,
    /// Each stream at its end
    Info,
    /// Each connection
    Debug,
}

impl From<LogLevel> for tracing::Level {
    fn from(level: LogLevel) -> tracing::Level {
        match level {
            LogLevel::Error => tracing::Level::ERROR,
            LogLevel::Warn => tracing::Level::WARN,
            LogLevel::Info => tracing::Level::INFO,
            LogLevel::Debug => tracing::Level::DEBUG,
        }
    }
}

impl Options {
    /// Whether these options may be used together.
    ///
    /// # Errors
    ///
    /// They would open a port to others without TLS and tokens, or the limits contradict each other.
    pub fn check(&self) -> anyhow::Result<()> {
        let address = self.listen;
        if !address.ip().is_loopback() {
            anyhow::ensure!(
                self.tls_cert.is_some() && self.tokens.is_some(),
                "{address} can be reached from outside: --tls-cert, --tls-key and --tokens are needed"
            );
        }
        let Limits { message_bytes, held_bytes, .. } = self.limits;
        anyhow::ensure!(
            held_bytes >= message_bytes,
            "--held-bytes must be at least --message-bytes: {held_bytes} is less than {message_bytes}"
        );
        Ok(())
    }
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.01..=86400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("expected a number of seconds from 0.01 to 86400".to_owned())
    }
}
