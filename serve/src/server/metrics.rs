//! Counts for Prometheus.

use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder, exponential_buckets,
};

/// What is counted.
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
    /// What was refused, by reason.
    pub refused: IntCounterVec,
    /// Streams that are open.
    pub streams: IntGauge,
    /// Connections that are open.
    pub connections: IntGauge,
    /// Bytes of messages that are held.
    pub held: IntGauge,
}

impl Metrics {
    /// All zero.
    pub fn new() -> Metrics {
        let registry = Registry::new();
        let name = |name: &str| format!("slider_attacks_{name}");
        let counter = |suffix: &str, help: &str, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(name(suffix), help), labels).expect("the names are valid");
            registry.register(Box::new(counter.clone())).expect("the names differ");
            counter
        };
        let gauge = |suffix: &str, help: &str| {
            let gauge = IntGauge::new(name(suffix), help).expect("the name is valid");
            registry.register(Box::new(gauge.clone())).expect("the names differ");
            gauge
        };
        // From 50 microseconds to 26 seconds.
        let buckets = exponential_buckets(50e-6, 2.0, 20).expect("they grow");
        let help = "Seconds from the last byte of a batch to its last result";
        let seconds = HistogramVec::new(HistogramOpts::new(name("batch_seconds"), help).buckets(buckets), &["call"]);
        let seconds = seconds.expect("the names are valid");
        registry.register(Box::new(seconds.clone())).expect("the names differ");
        Metrics {
            requests: counter("requests_total", "Requests that ended", &["call", "status"]),
            rows: counter("rows_total", "Rows that were answered", &["call"]),
            bytes: counter("bytes_total", "Bytes of messages", &["call", "direction"]),
            refused: counter("refused_total", "Requests and connections that were refused", &["reason"]),
            streams: gauge("streams", "Streams that are open"),
            connections: gauge("connections", "Connections that are open"),
            held: gauge("held_bytes", "Bytes of messages that are held"),
            seconds,
            registry,
        }
    }

    /// The counts, in the text format of Prometheus.
    pub fn text(&self) -> String {
        TextEncoder::new().encode_to_string(&self.registry.gather()).expect("memory can be written to")
    }
}
