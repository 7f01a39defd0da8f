//! File objects of Python as streams of bytes.
//!
//! A thread of Python reads the object and hands over chunks. Below the object's `read`, its stack has only frames of Python
//! and C: before 3.14, an interpreter that shuts down unwinds the stacks of running threads, and frames of Rust would abort the
//! process.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use slider_attacks_files::input::Stream;

use crate::numbers::{type_error, type_name};
use crate::work::WAIT;

thread_local! {
    /// In a thread that reads a file object: the flag of the reader that it reads for.
    static READS_FOR: RefCell<Option<ReaderAlive>> = const { RefCell::new(None) };
}

/// Whether the reader still needs chunks. Clones share the flag.
#[derive(Clone)]
pub struct ReaderAlive(Arc<AtomicBool>);

impl ReaderAlive {
    /// They are.
    pub fn new() -> ReaderAlive {
        ReaderAlive(Arc::new(AtomicBool::new(true)))
    }

    /// They are no more.
    pub fn end(&self) {
        self.0.store(false, Relaxed);
    }

    /// Whether they still are.
    pub fn is_still(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Whether this thread is one that reads a file object for the same reader.
    pub fn is_of_this_thread(&self) -> bool {
        READS_FOR.with_borrow(|wanted| wanted.as_ref().is_some_and(|wanted| Arc::ptr_eq(&wanted.0, &self.0)))
    }
}

/// An exception that a file object raised.
#[derive(Debug)]
pub struct RaisedException {
    /// The class and the text.
    text: String,
    /// The number of an error of the operating system.
    pub code: Option<i32>,
    /// The exception.
    pub error: PyErr,
}

impl fmt::Display for RaisedException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for RaisedException {}

/// The name of a file object: the one that it has, or else its class.
///
/// Those of Python have `name`, which is a number if they were opened by one; those of fsspec have `full_name`, such as
/// `s3://bucket/games.pgn`, and `path`; and the answers of urllib have `url`.
pub fn name(file: &Bound<'_, PyAny>) -> String {
    let name = |attribute: &str| {
        let name = file.getattr(attribute).ok()?;
        // Bytes, and objects with a path, are names of files as well. For all others, this fails.
        let name = file.py().import("os").ok()?.call_method1("fsdecode", (name,)).ok()?;
        let mut name = name.cast::<PyString>().ok()?.to_string_lossy().into_owned();
        // What follows in an address can be a key.
        if (name.starts_with("http://") || name.starts_with("https://"))
            && let Some(end) = name.find(['?', '#'])
        {
            name.truncate(end);
        }
        Some(name).filter(|name| !name.is_empty())
    };
    let name = ["name", "full_name", "path", "url"].into_iter().find_map(name);
    name.unwrap_or_else(|| format!("<{}>", type_name(file)))
}

/// The bytes of a file object, as long as they are wanted.
pub fn stream(file: &Bound<'_, PyAny>, wanted: &ReaderAlive) -> PyResult<Stream> {
    let py = file.py();
    let text = py.import("io")?.getattr("TextIOBase")?;
    let name = name(file);
    if file.is_instance(&text)? {
        return Err(type_error(format!("{name} is a text file: open it with mode \"rb\"")));
    }
    let start = py.import("_thread")?.getattr("start_new_thread")?.unbind();
    let pump = py.import("slider_attacks._pump")?.getattr("pump")?.unbind();
    let waiting = ChunkQueue::Waiting { file: file.clone().unbind(), start, pump };
    Ok(Stream::new(&name, FileObject { source: waiting, wanted: wanted.clone(), chunk: None, taken: 0 }))
}

/// A file object, which is read by another thread.
struct FileObject {
    source: ChunkQueue,
    wanted: ReaderAlive,
    /// The current chunk, and how much of it has been taken.
    chunk: Option<PyBackedBytes>,
    taken: usize,
}

/// Where chunks come from.
enum ChunkQueue {
    /// Nobody has asked for any.
    Waiting { file: Py<PyAny>, start: Py<PyAny>, pump: Py<PyAny> },
    /// From a thread.
    Chunks(Receiver<io::Result<PyBackedBytes>>),
    /// There are no more.
    End,
}

impl FileObject {
    /// The next chunk, which is empty at the end.
    fn next(&mut self) -> io::Result<Option<PyBackedBytes>> {
        if let ChunkQueue::Waiting { file, start, pump } = &self.source {
            let (sender, chunks) = sync_channel(0);
            let wanted = self.wanted.clone();
            let started = Python::try_attach(|py| {
                let chunks = Bound::new(py, ChunkSender { sender, wanted })?;
                start.call1(py, (pump, (file, chunks))).map(drop).map_err(|error| io::Error::other(raised(py, error)))
            });
            started.unwrap_or_else(|| Err(io::Error::other("the interpreter has ended")))?;
            self.source = ChunkQueue::Chunks(chunks);
        }
        let ChunkQueue::Chunks(chunks) = &self.source else { return Ok(None) };
        loop {
            match chunks.recv_timeout(WAIT) {
                Ok(Ok(chunk)) if !chunk.is_empty() => return Ok(Some(chunk)),
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) if self.wanted.is_still() => {}
                Err(RecvTimeoutError::Timeout) => return Err(io::Error::other("nobody waits for more")),
                Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = |chunk: &PyBackedBytes, taken: usize| chunk.len() - taken;
        if self.chunk.as_ref().is_none_or(|chunk| rest(chunk, self.taken) == 0) {
            self.chunk = None; // before the next one, as it may be large
            let next = self.next();
            if !matches!(next, Ok(Some(_))) {
                self.source = ChunkQueue::End; // an object is not asked again after its end
            }
            (self.chunk, self.taken) = (next?, 0);
        }
        let Some(chunk) = &self.chunk else { return Ok(0) };
        let length = buffer.len().min(rest(chunk, self.taken));
        buffer[..length].copy_from_slice(&chunk[self.taken..][..length]);
        self.taken += length;
        Ok(length)
    }
}

/// An exception, for those who do not hold the interpreter.
fn raised(py: Python<'_>, error: PyErr) -> RaisedException {
    let value = error.value(py);
    let (class, text) = (type_name(value), value.str().map_or_else(|_| String::new(), |text| text.to_string()));
    let code = value.getattr("errno").ok().and_then(|code| code.extract().ok());
    RaisedException { text: if text.is_empty() { class } else { format!("{class}: {text}") }, code, error }
}

/// Takes the chunks of one file object. What it is asked for is in `_pump.py`.
#[pyclass(frozen)]
struct ChunkSender {
    sender: SyncSender<io::Result<PyBackedBytes>>,
    wanted: ReaderAlive,
}

#[pymethods]
impl ChunkSender {
    /// This thread reads the object.
    fn begin(&self) {
        READS_FOR.set(Some(self.wanted.clone()));
    }

    /// Hands over what the object has given. Returns whether more is wanted.
    fn put(&self, chunk: &Bound<'_, PyAny>) -> PyResult<bool> {
        let chunk = bytes(chunk)?;
        let more = !chunk.as_bytes().is_empty() && self.wanted.is_still();
        Ok(self.send(chunk.py(), Ok(chunk.into())) && more)
    }

    /// Hands over what the object has raised.
    fn fail(&self, error: &Bound<'_, PyBaseException>) {
        let py = error.py();
        let error = io::Error::other(raised(py, PyErr::from_value(error.clone().into_any())));
        self.send(py, Err(error));
    }
}

impl ChunkSender {
    /// Waits until this is taken. Returns whether it has been.
    fn send(&self, py: Python<'_>, chunk: io::Result<PyBackedBytes>) -> bool {
        py.detach(|| self.sender.send(chunk).is_ok())
    }
}

/// The result of `read` of a file object, as bytes.
fn bytes<'py>(chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = chunk.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    if let Ok(view) = PyMemoryView::from(chunk) {
        return view.call_method0("tobytes")?.cast_into().map_err(PyErr::from);
    }
    let advice = if chunk.is_instance_of::<PyString>() {
        ": it is a text file; open it with mode \"rb\""
    } else if chunk.is_none() {
        ": it has no data now, and it does not block"
    } else {
        ""
    };
    Err(type_error(format!("`read` returned {}, not bytes{advice}", type_name(chunk))))
}
