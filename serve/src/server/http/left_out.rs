//! How many rows of a body have none in its answer, which headers or trailers say.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use http::header::{HeaderMap, HeaderName, HeaderValue};

/// The header with the number of malformed rows that were left out.
pub const SKIPPED: HeaderName = HeaderName::from_static("slider-attacks-skipped");
/// The header with the number of positions for which a condition does not hold.
pub const LEFT_OUT: HeaderName = HeaderName::from_static("slider-attacks-left-out");

/// The numbers of rows so far.
#[derive(Debug, Default)]
pub struct LeftOutRows {
    skipped: AtomicU64,
    left_out: AtomicU64,
}

impl LeftOutRows {
    /// Counts the malformed rows of a part of a body, and the positions for which the condition does not hold.
    pub fn add(&self, skipped: usize, left_out: usize) {
        self.skipped.fetch_add(skipped as u64, Relaxed);
        self.left_out.fetch_add(left_out as u64, Relaxed);
    }

    /// Both numbers.
    pub fn counts(&self) -> [u64; 2] {
        [&self.skipped, &self.left_out].map(|count| count.load(Relaxed))
    }

    /// The headers that say so, once all rows have been counted.
    pub fn headers(&self) -> HeaderMap {
        [SKIPPED, LEFT_OUT].into_iter().zip(self.counts().map(HeaderValue::from)).collect()
    }

    /// The names of the headers, for an answer that has them as trailers.
    pub fn names() -> HeaderValue {
        HeaderValue::from_static("slider-attacks-skipped, slider-attacks-left-out")
    }
}
