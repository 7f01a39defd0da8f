//! Monitoring: the log, the metrics, and their endpoint.

pub mod log;
pub mod metrics;
pub mod observe;
pub mod request_log;
