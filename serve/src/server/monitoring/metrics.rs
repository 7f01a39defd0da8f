//! Metrics for Prometheus.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::core::Collector;
use prometheus::{
    CounterVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry, TextEncoder, exponential_buckets,
};

use crate::CALLS;

/// The stream that only HTTP has.
pub const SUMMARIZE: &str = "summarize";

/// Why a request or a connection is refused.
const REASONS: [&str; 10] = [
    "token",
    "tls",
    "streams",
    "client_streams",
    "client_calls",
    "calls",
    "connections",
    "address_connections",
    "handshakes",
    "windows",
];

/// Files that are read again.
const READ_AGAIN: [&str; 2] = ["certificate", "tokens"];

/// The metrics.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    /// Requests that ended, by call and status.
    pub requests: IntCounterVec,
    /// Rows that were answered, by call.
    pub rows: IntCounterVec,
    /// Bytes of messages, by call and direction.
    pub bytes: IntCounterVec,
    /// Seconds from the last byte of a batch to its last result, by call.
    pub seconds: HistogramVec,
    /// Processor seconds of pieces of work.
    pub work: Histogram,
    /// How often a message waited for room, by the account that had none.
    pub waits: IntCounterVec,
    /// For how many seconds.
    pub waited: CounterVec,
    /// Files that could not be reloaded.
    pub reload_failures: IntCounterVec,
    /// Lines of the log that were left out because a client caused too many.
    pub omitted_lines: IntCounter,
    /// Streams that are open.
    pub streams: IntGauge,
    /// Single messages that are answered.
    pub calls: IntGauge,
    /// Connections that are open.
    pub connections: IntGauge,
    /// Bytes of messages and results that are held.
    pub held: IntGauge,
    refused: IntCounterVec,
    /// Lines of the log that were lost.
    pub lost_lines: IntCounter,
    certificate: IntGaugeVec,
    /// When the certificate expires, in seconds from 1970; zero without one.
    pub expires: Arc<AtomicI64>,
}

impl Metrics {
    /// All zero, with these limits, and the name of the backend that computes.
    pub fn new(limits: &[(&str, f64)], backend: &str) -> Metrics {
        let registry = Registry::new();
        /// Registers it. The names differ.
        fn registered<T: Collector + Clone + 'static>(registry: &Registry, made: prometheus::Result<T>) -> T {
            let collector = made.expect("the names are valid");
            registry.register(Box::new(collector.clone())).expect("the names differ");
            collector
        }
        let opts = |suffix: &str, help: &str| Opts::new(format!("slider_attacks_{suffix}"), help);
        let counter = |suffix: &str, help: &str, labels: &[&str]| {
            registered(&registry, IntCounterVec::new(opts(suffix, help), labels))
        };
        let gauge = |suffix: &str, help: &str| registered(&registry, IntGauge::with_opts(opts(suffix, help)));
        let gauges = |suffix: &str, help: &str, labels: &[&str]| {
            registered(&registry, IntGaugeVec::new(opts(suffix, help), labels))
        };
        // From 50 microseconds to 26 seconds.
        let buckets = exponential_buckets(50e-6, 2.0, 20).expect("they grow");
        let help = "Seconds from the last byte of a batch to its last result";
        let seconds = HistogramOpts::from(opts("batch_duration_seconds", help)).buckets(buckets);
        // Up to 4 seconds. Pieces should take at most 20 milliseconds.
        let buckets = [10e-6, 100e-6, 1e-3, 5e-3, 10e-3, 20e-3, 50e-3, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0].to_vec();
        let help = "Processor seconds of pieces of work";
        let work = HistogramOpts::from(opts("work_duration_seconds", help)).buckets(buckets);
        let waited = opts("budget_wait_seconds_total", "Seconds for which messages waited for memory, by account");
        let omitted = opts("log_lines_omitted_total", "Lines of the log suppressed because a client caused too many");
        let lost = opts("log_lines_lost_total", "Lines of the log dropped because the reader was too slow");
        let metrics = Metrics {
            requests: counter("requests_total", "Requests that ended", &["call", "status"]),
            rows: counter("rows_total", "Rows that were answered", &["call"]),
            bytes: counter("bytes_total", "Bytes of messages", &["call", "direction"]),
            refused: counter("refused_total", "Requests and connections that were refused", &["reason"]),
            waits: counter("budget_waits_total", "How often a message waited for memory, by account", &["account"]),
            waited: registered(&registry, CounterVec::new(waited, &["account"])),
            reload_failures: counter("reload_failures_total", "Files that could not be reloaded", &["file"]),
            omitted_lines: registered(&registry, IntCounter::with_opts(omitted)),
            lost_lines: registered(&registry, IntCounter::with_opts(lost)),
            streams: gauge("streams", "Streams that are open"),
            calls: gauge("calls", "Single messages that are answered"),
            connections: gauge("connections", "Connections that are open"),
            held: gauge("held_bytes", "Bytes of messages and results that are held"),
            seconds: registered(&registry, HistogramVec::new(seconds, &["call"])),
            work: registered(&registry, Histogram::with_opts(work)),
            certificate: gauges("certificate_expiry_seconds", "Seconds until the certificate expires", &[]),
            expires: Arc::default(),
            registry,
        };
        // Counters exist from the start, so that the first count is seen as one.
        for call in CALLS.map(|(call, _)| call).into_iter().chain([SUMMARIZE]) {
            metrics.requests.with_label_values(&[call, "Ok"]);
            metrics.rows.with_label_values(&[call]);
            metrics.seconds.with_label_values(&[call]);
            for direction in ["in", "out"] {
                metrics.bytes.with_label_values(&[call, direction]);
            }
        }
        REASONS.iter().for_each(|reason| drop(metrics.refused.with_label_values(&[reason])));
        READ_AGAIN.iter().for_each(|file| drop(metrics.reload_failures.with_label_values(&[file])));
        for account in ["client", "all"] {
            metrics.waits.with_label_values(&[account]);
            metrics.waited.with_label_values(&[account]);
        }
        let build = registered(
            &metrics.registry,
            IntGaugeVec::new(opts("build_info", "The version, and the backend that computes"), &["version", "backend"]),
        );
        build.with_label_values(&[env!("CARGO_PKG_VERSION"), backend]).set(1);
        let limit = registered(
            &metrics.registry,
            prometheus::GaugeVec::new(opts("limit", "The limits, by the names of their options"), &["name"]),
        );
        for (name, value) in limits {
            limit.with_label_values(&[name]).set(*value);
        }
        #[cfg(target_os = "linux")]
        let _ = metrics.registry.register(Box::new(prometheus::process_collector::ProcessCollector::for_self()));
        metrics
    }

    /// Counts what was refused.
    pub fn refused(&self, reason: &str) {
        self.refused.with_label_values(&[reason]).inc();
    }

    /// The seconds until the certificate expires, if there is one.
    pub fn expiry(&self) -> Option<i64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64);
        Some(self.expires.load(Relaxed)).filter(|&expires| expires != 0).map(|expires| expires - now)
    }

    /// The counts, in the text format of Prometheus.
    pub fn text(&self) -> String {
        if let Some(seconds) = self.expiry() {
            self.certificate.with_label_values::<&str>(&[]).set(seconds);
        }
        TextEncoder::new().encode_to_string(&self.registry.gather()).expect("memory can be written to")
    }
}
