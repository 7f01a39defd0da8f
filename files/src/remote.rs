//! Objects of stores and files of web servers, read and written by their URLs, with the crate `object_store`.
//!
//! One thread does all input and output. The rest of the program waits for it in calls of [`Read`](std::io::Read) and
//! [`Write`](std::io::Write), so none of it is asynchronous.
//!
//! | file | what it does |
//! |---|---|
//! | `thread` | the thread, and how others wait for it |
//! | `url` | what a URL names |
//! | `stores` | connections to stores |
//! | `failure` | why a request failed |
//! | `object` | an object, read in ranges, some of them ahead |
//! | `stream` | a file of a server that gives no ranges |
//! | `listing` | objects below a prefix, or that match a pattern |
//! | `upload` | an object that appears once it is complete |
//!
//! Lines and games are received in the buffers that threads cut. Reading 380 MB of FEN from a server on the same machine takes 1.3 to
//! 1.4 times the processor time of a local file, for attack maps and for sums. Reading the file takes 0.055 of its 0.35 seconds. A
//! program that receives and drops these bytes on one thread takes 0.10 to 0.13 seconds, so such a thread takes 1.14 to 1.21 at least.
//! Options of its socket change little: `SO_RCVBUF` and `MSG_WAITALL` 0.94 to 1.01, `SO_RCVLOWAT` 0.93 to 0.99 of that time; with
//! requests of 2 MiB, the last one hung.
//!
//! Threads that each send a request per chunk, and block until it is here, take 1.08 to 1.21 times the processor time of a local file.
//! They have no TLS, no redirects, and do not read ahead.
//!
//! Without the feature `cloud`, all of this fails with a message that names it.

#[cfg(feature = "cloud")]
mod failure;
#[cfg(feature = "cloud")]
mod listing;
#[cfg(feature = "cloud")]
mod object;
#[cfg(feature = "cloud")]
mod stores;
#[cfg(feature = "cloud")]
mod stream;
#[cfg(feature = "cloud")]
mod thread;
#[cfg(feature = "cloud")]
mod upload;
#[cfg(feature = "cloud")]
mod url;
#[cfg(not(feature = "cloud"))]
mod without;

#[cfg(feature = "cloud")]
mod with {
    //! What the other modules use.

    pub use super::failure::is_of_network;
    pub use super::listing::{list, list_below};
    pub use super::object::RemoteFile;
    pub use super::stores::{length, put_once, remove};
    pub use super::upload::{Upload, abort_uploads};
}

#[cfg(feature = "cloud")]
pub use with::*;
#[cfg(not(feature = "cloud"))]
pub use without::*;

use std::path::PathBuf;

/// An object that a listing has found.
#[derive(Debug)]
pub struct ListedObject {
    /// Its URL.
    pub url: PathBuf,
    /// The rest of it, after the prefix or the fixed part of the pattern.
    pub below: PathBuf,
    /// How many bytes it has.
    pub length: u64,
}

/// What a URL stands for.
#[derive(Debug)]
pub enum ListedObjects {
    /// An object, or a file of a web server, and how many bytes it has, if that is known. There may be none.
    One(Option<u64>),
    /// Those below it, or those that match it, in the order that files of a directory have.
    Several(Vec<ListedObject>),
}
