//! What operators see: the log, the metrics, and where these are read.

pub mod log;
pub mod metrics;
pub mod observe;
pub mod request_log;
