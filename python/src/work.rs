//! Execution of long calls: without the GIL, in parts between which signals are handled, on several threads.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyMemoryError, PyOSError};
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use slider_attacks_arrow::MOST_THREADS;
use slider_attacks_files::ordered::{can_start, spawn};
use slider_attacks_rows::memory::check_available;

use crate::numbers::{integer, type_error, type_name, value_error};

/// From this many elements on, other Python threads run meanwhile: 3 microseconds of work, or 16 with the slowest backend. To
/// let go of the interpreter and take hold of it again takes 0.1.
pub const DETACH: usize = 8192;

/// The number of elements between two looks for signals: 10 ms of work, and 25 ms with page faults.
pub const PART: usize = 1 << 22;

/// How many objects of Python are made or read between two looks for signals: a millisecond of work.
const TURNS: usize = 1 << 14;

/// Between two objects that are made or read: every so often lets other threads run, and hears signals.
pub fn between(py: Python<'_>, turn: usize) -> PyResult<()> {
    if turn % TURNS == TURNS - 1 {
        // Who waits for the lock needs some time to wake up. Without it, this thread would mostly take it again first.
        py.detach(|| thread::sleep(Duration::from_micros(20)));
        py.check_signals()?;
    }
    Ok(())
}

/// Fails if there is no memory for this many bytes. What follows would end the process if it did not get them.
pub fn memory_for(bytes: usize) -> PyResult<()> {
    check_available(bytes).map_err(|error| PyMemoryError::new_err(error.to_string()))
}

/// An empty vector with room for `length` elements.
pub fn room<T>(length: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(length).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    Ok(room)
}

/// How long to wait for other threads before a look for signals.
pub const WAIT: Duration = Duration::from_millis(50);

/// Performs `work` for all elements up to `length`, in parts of at most `part`.
///
/// A signal that arrives meanwhile is heard between two parts. If its handler raises, as that of Ctrl-C does, nothing more
/// is done.
pub fn in_parts<E: Send>(
    py: Python<'_>,
    length: usize,
    part: usize,
    mut work: impl FnMut(Range<usize>) -> Result<(), E> + Send,
) -> PyResult<Result<(), E>> {
    if length < DETACH {
        return Ok(work(0..length));
    }
    for start in (0..length).step_by(part) {
        let range = start..length.min(start.saturating_add(part));
        if let Err(error) = py.detach(|| work(range)) {
            return Ok(Err(error));
        }
        if length > part {
            py.check_signals()?;
        }
    }
    Ok(Ok(()))
}

/// The exception if a thread cannot start.
fn thread_error(error: anyhow::Error) -> PyErr {
    let lacks_memory = error.downcast_ref().is_some_and(|error: &io::Error| error.kind() == ErrorKind::OutOfMemory);
    let text = format!("{error:#}");
    if lacks_memory { PyMemoryError::new_err(text) } else { PyOSError::new_err(text) }
}

/// Performs work that cannot be done in parts, on a separate thread. It receives a flag that is set once the result is no
/// longer needed.
///
/// A signal is heard meanwhile. If its handler raises, the result is not waited for.
pub fn in_background<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> PyResult<T> {
    let wanted = Arc::new(AtomicBool::new(true));
    let (sender, result) = sync_channel(1);
    let thread = {
        let wanted = wanted.clone();
        let work = move || drop(sender.send(work(&wanted)));
        spawn(work).map_err(thread_error)?
    };
    let result = Mutex::new(result); // a receiver cannot be shared, and `detach` asks for that
    loop {
        let next = py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(WAIT));
        match next {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| wanted.store(false, Relaxed))?,
            Err(RecvTimeoutError::Disconnected) => {
                let panic = thread.join().err().unwrap_or_else(|| Box::new("the thread has no result"));
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// How many threads share the work of a call.
#[derive(Clone)]
pub enum Threads {
    /// The one that called.
    Own,
    /// These.
    Pool(Arc<ThreadPool>),
}

/// The threads of the last call that wanted several, and the process that has started them.
static LAST: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The number of threads that a caller asks for.
pub fn count(threads: &Bound<'_, PyAny>) -> PyResult<usize> {
    let Some(number) = integer(threads) else {
        return Err(type_error(format!(
            "threads must be an integer from 1 to {MOST_THREADS}, not {}",
            type_name(threads)
        )));
    };
    match number.extract() {
        Ok(number @ 1..=MOST_THREADS) => Ok(number),
        _ => Err(value_error(format!("threads={threads}: expected 1 to {MOST_THREADS}"))),
    }
}

/// The least and the most rows that a thread takes at a time. The last ones of a call are shared as well.
const LEAST_PIECE: usize = 1024;
const MOST_PIECE: usize = 1 << 14;

impl Threads {
    /// How many there are.
    fn count(&self) -> usize {
        if let Threads::Pool(pool) = self { pool.current_num_threads() } else { 1 }
    }

    /// The number of rows between two looks for signals, if it is `part` for one thread that has a core.
    pub fn part(&self, part: usize) -> usize {
        static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
        let count = self.count();
        if count == 1 { part } else { part.saturating_mul(count.min(*CORES)) }
    }

    /// The results of some work, in the order of its items.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
        match self {
            Threads::Pool(pool) if items.len() > 1 => pool.install(|| items.par_iter().map(work).collect()),
            _ => items.iter().map(work).collect(),
        }
    }

    /// How many of these rows make a piece of work: several for each thread, because threads are not equally fast.
    pub fn piece(&self, rows: usize) -> usize {
        match self {
            Threads::Own => rows.max(1),
            Threads::Pool(pool) => (rows / (4 * pool.current_num_threads())).clamp(LEAST_PIECE, MOST_PIECE),
        }
    }

    /// Does some work for each item.
    pub fn for_each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        match self {
            Threads::Pool(pool) if items.len() > 1 => pool.install(|| items.par_iter_mut().for_each(work)),
            _ => items.iter_mut().for_each(work),
        }
    }

    /// This many threads. If there are several, their pool is kept for the next call.
    pub fn new(threads: usize) -> PyResult<Threads> {
        if threads == 1 {
            return Ok(Threads::Own);
        }
        let process = std::process::id();
        // Never wait here. In a process that has been forked while another thread held the lock, nobody gives it back.
        let mut last = match LAST.try_lock() {
            Ok(last) => Some(last),
            Err(TryLockError::Poisoned(last)) => Some(last.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(Some((owner, pool))) = last.as_deref()
            && *owner == process
            && pool.current_num_threads() == threads
        {
            return Ok(Threads::Pool(pool.clone()));
        }
        can_start(threads).map_err(thread_error)?;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = Arc::new(pool.map_err(|error| PyOSError::new_err(format!("cannot start threads: {error}")))?);
        pool.broadcast(|_| ()); // all run, and have the memory that they need for it
        let before = last.as_deref_mut().and_then(|last| last.replace((process, pool.clone())));
        if let Some((owner, pool)) = before
            && owner != process
        {
            // A forked process does not have the threads of its parent, and could wait for them for ever.
            std::mem::forget(pool);
        }
        Ok(Threads::Pool(pool))
    }
}
