//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, ValueEnum};
use http::HeaderValue;
use slider_attacks::Backend;
use slider_attacks_arrow::MOST_THREADS;

/// Serves attack sets and products of chess positions over Arrow Flight.
///
/// Listens on 127.0.0.1 by default. Other addresses need --tls-cert, --tls-key and --tokens. SIGHUP reloads these files.
/// On SIGTERM or SIGINT, the service accepts no new streams, and exits when the open ones have ended; on a second signal,
/// at once. The exit code is 3 if streams were cut off.
#[derive(Parser, Clone, Debug)]
#[command(name = "slider-attacks-serve", version, max_term_width = 100)]
pub struct Options {
    /// The address and port to listen on; port 0 selects a free one. The first line of standard output has the address
    #[arg(long, env = "SLIDER_ATTACKS_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8815")]
    pub listen: SocketAddr,

    /// Also serve JSON, CSV and Arrow streams over HTTP, on this address and port [default: none]
    #[arg(long, env = "SLIDER_ATTACKS_HTTP", value_name = "ADDRESS")]
    pub http: Option<SocketAddr>,

    /// Allow cross-origin requests to --http from this origin, such as `https://example.com`; * allows all [default: none]
    #[arg(long, env = "SLIDER_ATTACKS_CORS", value_name = "ORIGIN", requires = "http", value_parser = origin)]
    pub cors: Option<HeaderValue>,

    /// An HTML file to serve at / of --http [default: a list of the paths]
    #[arg(long, env = "SLIDER_ATTACKS_PAGE", value_name = "FILE", requires = "http")]
    pub page: Option<PathBuf>,

    /// Serve /metrics for Prometheus, and /healthz, over HTTP on this address and port [default: none]
    #[arg(long, env = "SLIDER_ATTACKS_METRICS", value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,

    /// Allow --metrics on addresses that other machines can reach, without TLS or tokens
    #[arg(long, env = "SLIDER_ATTACKS_ALLOW_REMOTE_METRICS", value_parser = FalseyValueParser::new())]
    pub allow_remote_metrics: bool,

    /// A PEM file with the certificates of the server; reloaded when it changes
    #[arg(long, env = "SLIDER_ATTACKS_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// A PEM file with the private key of the certificate; reloaded when it changes
    #[arg(long, env = "SLIDER_ATTACKS_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// A file with a name and a token per line; each request needs one of the tokens; reloaded when it changes
    #[arg(long, env = "SLIDER_ATTACKS_TOKENS", value_name = "FILE")]
    pub tokens: Option<PathBuf>,

    /// Serve gRPC reflection, with which tools list calls and messages
    #[arg(long, env = "SLIDER_ATTACKS_REFLECTION", value_parser = FalseyValueParser::new())]
    pub reflection: bool,

    /// Use this backend [default: the best for this CPU, see `slider-attacks cpu`]
    #[arg(long, env = "SLIDER_ATTACKS_BACKEND", value_name = "NAME", value_parser = str::parse::<Backend>)]
    pub backend: Option<Backend>,

    /// The number of compute threads, from 1 to 256 [default: one per core]
    #[arg(long, env = "SLIDER_ATTACKS_THREADS", value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub threads: Option<u16>,

    /// Limits of clients and of the server.
    #[command(flatten)]
    pub limits: Limits,

    /// The format of the log, on standard error
    #[arg(long, env = "SLIDER_ATTACKS_LOG", value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    pub log: LogForm,

    /// The lowest level of messages that are logged
    #[arg(long, env = "SLIDER_ATTACKS_LOG_LEVEL", value_enum, value_name = "LEVEL", default_value_t = LogLevel::Info)]
    pub log_level: LogLevel,
}

/// Limits of clients and of the server.
#[derive(Args, Clone, Debug)]
pub struct Limits {
    /// The maximum size of a message
    #[arg(long, env = "SLIDER_ATTACKS_MESSAGE_BYTES", value_name = "BYTES", default_value_t = 16 << 20, value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub message_bytes: u32,

    /// The maximum number of rows of a batch
    #[arg(long, env = "SLIDER_ATTACKS_BATCH_ROWS", value_name = "ROWS", default_value_t = 2 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub batch_rows: u32,

    /// The maximum number of bytes of messages and results held at a time, for all clients; at least --message-bytes.
    /// Beyond it, clients wait
    #[arg(long, env = "SLIDER_ATTACKS_HELD_BYTES", value_name = "BYTES", default_value_t = 512 << 20, value_parser = clap::value_parser!(u32).range(1024..))]
    pub held_bytes: u32,

    /// The same for one client, which is a token or, without tokens, an address [default: a quarter]
    #[arg(long, env = "SLIDER_ATTACKS_CLIENT_HELD_BYTES", value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..))]
    pub client_held_bytes: Option<u32>,

    /// The maximum number of calls per second of a client
    #[arg(long, env = "SLIDER_ATTACKS_CLIENT_CALLS", value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub client_calls: u32,

    /// The maximum number of open streams
    #[arg(long, env = "SLIDER_ATTACKS_STREAMS", value_name = "NUMBER", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub streams: u32,

    /// The maximum number of open streams of a client
    #[arg(long, env = "SLIDER_ATTACKS_CLIENT_STREAMS", value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub client_streams: u32,

    /// The maximum number of open connections
    #[arg(long, env = "SLIDER_ATTACKS_CONNECTIONS", value_name = "NUMBER", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub connections: u32,

    /// The maximum number of open connections of an address
    #[arg(long, env = "SLIDER_ATTACKS_ADDRESS_CONNECTIONS", value_name = "NUMBER", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub address_connections: u32,

    /// How long a connection accepts new streams; after the same time again, it is closed
    #[arg(long, env = "SLIDER_ATTACKS_CONNECTION_AGE", value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    pub connection_age: Duration,

    /// The minimum rate of sending and receiving. A slower client is cut off once it has kept a stream waiting for --idle
    /// longer than a client at this rate
    #[arg(long, env = "SLIDER_ATTACKS_LEAST_RATE", value_name = "BYTES", default_value_t = 16 << 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub least_rate: u32,

    /// How long a client may neither send nor receive before it is cut off
    #[arg(long, env = "SLIDER_ATTACKS_IDLE", value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub idle: Duration,

    /// How long a client may take to receive one result or all sums, and may wait for room in the budget
    #[arg(long, env = "SLIDER_ATTACKS_HOLD", value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub hold: Duration,

    /// How long streams may run after SIGTERM or SIGINT
    #[arg(long, env = "SLIDER_ATTACKS_GRACE", value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub grace: Duration,
}

impl Limits {
    /// The bytes that one client may hold: by default a quarter of all, but at least one message.
    pub fn of_client(&self) -> u32 {
        self.client_held_bytes.unwrap_or_else(|| (self.held_bytes / 4).max(self.message_bytes))
    }

    /// Names and numbers.
    pub fn all(&self) -> [(&'static str, f64); 13] {
        let seconds = |duration: Duration| duration.as_secs_f64();
        [
            ("message_bytes", self.message_bytes.into()),
            ("batch_rows", self.batch_rows.into()),
            ("held_bytes", self.held_bytes.into()),
            ("client_held_bytes", self.of_client().into()),
            ("client_calls", self.client_calls.into()),
            ("streams", self.streams.into()),
            ("client_streams", self.client_streams.into()),
            ("connections", self.connections.into()),
            ("address_connections", self.address_connections.into()),
            ("connection_age", seconds(self.connection_age)),
            ("least_rate", self.least_rate.into()),
            ("idle", seconds(self.idle)),
            ("hold", seconds(self.hold)),
        ]
    }
}

/// The formats of the log.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// A line of text per event
    Text,
    /// A JSON object per event
    Json,
}

/// The levels of log messages.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Failures
    Error,
    /// Conditions that need attention
    Warn,
    /// The end of each stream
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
        for address in
            [Some(self.listen), self.http].into_iter().flatten().filter(|address| !address.ip().is_loopback())
        {
            anyhow::ensure!(
                self.tls_cert.is_some() && self.tokens.is_some(),
                "{address} can be reached from outside: --tls-cert, --tls-key and --tokens are needed"
            );
        }
        if let Some(address) = self.metrics.filter(|address| !address.ip().is_loopback()) {
            anyhow::ensure!(
                self.allow_remote_metrics,
                "{address} can be reached from outside: metrics need neither TLS nor a token, which \
                 --allow-remote-metrics accepts"
            );
        }
        let Limits { message_bytes, held_bytes, .. } = self.limits;
        anyhow::ensure!(
            held_bytes >= message_bytes,
            "--held-bytes must be at least --message-bytes: {held_bytes} is less than {message_bytes}"
        );
        if self.http.is_some() {
            anyhow::ensure!(
                held_bytes >= TEXT_BYTES,
                "--held-bytes must be at least {TEXT_BYTES} with --http: found {held_bytes}"
            );
        }
        let of_client = self.limits.of_client();
        anyhow::ensure!(
            of_client <= held_bytes,
            "--client-held-bytes must be at most --held-bytes: {of_client} is more than {held_bytes}"
        );
        anyhow::ensure!(
            of_client >= message_bytes,
            "--client-held-bytes must be at least --message-bytes: {of_client} is less than {message_bytes}"
        );
        // Text, and sums of it that are kept.
        anyhow::ensure!(
            self.http.is_none() || of_client >= 2 * TEXT_BYTES,
            "--client-held-bytes must be at least {} with --http: found {of_client}",
            2 * TEXT_BYTES
        );
        Ok(())
    }
}

/// The maximum size of an incomplete block of a text request: a record, and the bytes that arrive meanwhile.
pub const TEXT_BYTES: u32 = 2 << 20;

/// Reads an origin, as browsers write it: nothing else would ever be equal.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, host)| {
        let is_host = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-' | '.' | ':' | '_' | '[' | ']');
        let default = [("http", ":80"), ("https", ":443")];
        !scheme.is_empty()
            && !host.is_empty()
            && scheme.chars().all(|letter| letter.is_ascii_lowercase() || matches!(letter, '0'..='9' | '+' | '-' | '.'))
            && host.chars().all(is_host)
            && !default.iter().any(|(of, port)| *of == scheme && host.ends_with(port))
    });
    let value = HeaderValue::from_str(text).ok().filter(|_| is_origin || text == "*");
    value.ok_or_else(|| "expected * or one origin as browsers send it, in lower case and without the usual port, such as https://example.com".to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::limits::accounts::{SHORT, SINGLE};
    use crate::server::limits::rates::REFUSED;
    use crate::server::limits::{CONNECTION_WINDOW, HEADERS};
    use crate::server::streams::{coding, exchange};
    use crate::server::{KEPT, RETURNED};
    use crate::{COMMAND_BYTES, decode::HEADER_BYTES};

    /// The numbers of the page are those of the code.
    #[test]
    fn the_page_has_the_limits() {
        let page = include_str!("../../../docs/service.md");
        let limits = Options::parse_from(["serve"]).limits;
        let bytes = |bytes: u64| {
            let units = [(20, "MiB"), (10, "KiB")].into_iter().find(|(shift, _)| bytes.trailing_zeros() >= *shift);
            units.map_or_else(|| bytes.to_string(), |(shift, unit)| format!("{} {unit}", bytes >> shift))
        };
        let seconds = |duration: Duration| match duration.as_secs() {
            hours if hours % 3600 == 0 => format!("{} h", hours / 3600),
            seconds => format!("{seconds} s"),
        };
        let mib = |bytes: u64| (bytes >> 20).to_string();
        let windows = u64::from(coding::most_windows(limits.held_bytes)) << coding::WINDOW;
        let rows = [
            ("`--message-bytes`", bytes(limits.message_bytes.into())),
            ("commands, and messages outside of streams", bytes(COMMAND_BYTES as u64)),
            ("headers of Arrow's messages", bytes(HEADER_BYTES as u64)),
            ("`--batch-rows`", format!("{} Mi", limits.batch_rows >> 20)),
            ("`--held-bytes`, of all clients", bytes(limits.held_bytes.into())),
            ("`--client-held-bytes`, of one client", format!("{}, a quarter", bytes(limits.of_client().into()))),
            ("`--client-calls`, per second", format!("{},000", limits.client_calls / 1000)),
            ("`--streams`; `--client-streams`", format!("{}; {}", limits.streams, limits.client_streams)),
            ("`--connections`", limits.connections.to_string()),
            ("`--address-connections`, half as many before HTTP begins", limits.address_connections.to_string()),
            ("`--connection-age`", seconds(limits.connection_age)),
            ("`--idle`", seconds(limits.idle)),
            ("`--least-rate`", format!("{} per second", bytes(limits.least_rate.into()))),
            ("`--hold`, for one result, or all rows of sums", seconds(limits.hold)),
            ("`--grace`, after SIGTERM or SIGINT", seconds(limits.grace)),
            ("compression of an answer", bytes(coding::PACKING)),
            ("a request with a single answer", bytes(SINGLE)),
            // What adds up to the most memory.
            ("`--held-bytes`", mib(limits.held_bytes.into())),
            ("windows of zstd: a quarter of that", mib(windows)),
            (
                &format!("each connection: {} of what its client sends ahead, and buffers", CONNECTION_WINDOW >> 20),
                mib(u64::from(CONNECTION_WINDOW) + (1 << 20)),
            ),
            ("each thread, two per core: what it computes with, and what glibc keeps", mib(KEPT as u64)),
        ];
        for (what, value) in rows {
            let row = format!("| {what} | {value} |");
            assert!(page.lines().any(|line| line.starts_with(&row)), "the page has no {row}");
        }
        let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            format!(
                "| its results, or those of a line, record or game | the maximum size of the rows, mostly in parts of up to {} |",
                bytes(exchange::PART_BYTES)
            ),
            format!("copies of arrays that are not aligned; up to {}, in full at first", bytes(SHORT)),
            format!(
                "Free memory is returned to the system a second after {} have been released",
                bytes(RETURNED as u64)
            ),
            format!("or {} KiB of them", HEADERS >> 10),
            format!("after {},000, the connection is closed", REFUSED / 1000),
        ] {
            assert!(text.contains(&part), "the page has no {part}");
        }
    }
}
