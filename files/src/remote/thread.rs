//! The thread that does input and output with servers.

use std::future::{Future, pending};
use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::{mem, process, thread};

use tokio::runtime::{Builder, Handle};

/// The runtime. Its thread starts with the first call. A forked process starts its own.
pub fn runtime() -> io::Result<Handle> {
    static RUNTIME: Mutex<Option<(u32, Handle)>> = Mutex::new(None);
    let mut started = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, handle)) = started.as_ref().filter(|(owner, _)| *owner == process::id()) {
        return Ok(handle.clone());
    }
    // Another part of the program may have chosen one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    thread::Builder::new().name("urls".to_owned()).spawn(move || runtime.block_on(pending::<()>()))?;
    // The one of the parent, if there is one, may be of no use even for its end.
    mem::forget(started.replace((process::id(), handle.clone())));
    Ok(handle)
}

/// Waits for what the thread does.
pub fn wait<T: Send + 'static>(work: impl Future<Output = io::Result<T>> + Send + 'static) -> io::Result<T> {
    let (done, is_done) = mpsc::sync_channel(1);
    runtime()?.spawn(async move { done.send(work.await) });
    is_done.recv().unwrap_or_else(|_| Err(ended()))
}

/// The error of a task that has panicked.
pub fn ended() -> io::Error {
    io::Error::other("the thread for URLs has failed")
}
