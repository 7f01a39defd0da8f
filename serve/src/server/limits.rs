//! Limits: how much memory requests hold, how long and how often clients may ask.
//!
//! | file | what it limits |
//! |---|---|
//! | `accounts` | the bytes that messages and results hold, of each client and of all |
//! | `budget` | how tasks wait for room in these accounts |
//! | `patience` | how long a client may keep the server waiting |
//! | `rates` | how many requests a client may make in a second |

pub mod accounts;
pub mod budget;
#[cfg(test)]
mod model;
pub mod patience;
pub mod rates;

/// The bytes of a stream, and of a connection, that a client may send before the service reads: the windows of HTTP/2.
pub const STREAM_WINDOW: u32 = 1 << 20;
pub const CONNECTION_WINDOW: u32 = 4 << 20;
/// The most bytes of a frame of HTTP/2, and of the headers of a request.
pub const FRAME: u32 = 256 << 10;
pub const HEADERS: u32 = 16 << 10;
