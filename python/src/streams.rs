//! File objects of Python as streams of bytes.
//!
//! A thread of Python reads the object: chunk after chunk, or ranges of Parquet, if the object can seek. Below the object's
//! `read`, its stack has only frames of Python and C: before 3.14, an interpreter that shuts down unwinds the stacks of running
//! threads, and frames of Rust would abort the process.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use slider_attacks_files::input::ReadAt;
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
    let waiting = ThreadState::Waiting { file: file.clone().unbind(), start, pump };
    let thread = Arc::new(FileThread { state: Mutex::new(waiting), wanted: wanted.clone() });
    let places = ObjectPlaces { thread: thread.clone(), start: Mutex::default(), blocks: Mutex::default() };
    let object = FileObject { thread, chunk: None, taken: 0 };
    Ok(Stream::new(&name, object).with_places(Arc::new(places)))
}

/// The thread that reads a file object, and its state.
struct FileThread {
    state: Mutex<ThreadState>,
    wanted: ReaderAlive,
}

/// Whether the thread runs.
enum ThreadState {
    /// There has been no request.
    Waiting { file: Py<PyAny>, start: Py<PyAny>, pump: Py<PyAny> },
    /// It answers.
    Running(FileThreadLink),
    /// It has ended.
    End,
}

/// The channels between a thread and its callers.
struct FileThreadLink {
    requests: Sender<FileRequest>,
    replies: Receiver<io::Result<FileReply>>,
    /// How many chunks, and how many bytes, have been read one after the other.
    chunks: usize,
    bytes: u64,
    /// Whether a chunk has been asked for ahead, and the chunk, if it has come.
    is_asked: bool,
    early: Option<PyBackedBytes>,
}

/// What a thread is asked for.
enum FileRequest {
    /// The next chunk.
    Chunk,
    /// Where the object began, and where it ends, after this many bytes have been read.
    Ends(u64),
    /// This many bytes from a place on.
    Range(u64, usize),
}

/// What a thread answers.
enum FileReply {
    /// Bytes.
    Bytes(PyBackedBytes),
    /// Where the object began, and where it ends; `None` if it cannot seek.
    Ends(Option<(u64, u64)>),
}

impl FileThread {
    fn lock(&self) -> MutexGuard<'_, ThreadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread, unless it runs. `None` if it has ended.
    fn answers<'a>(&self, state: &'a mut ThreadState) -> io::Result<Option<&'a mut FileThreadLink>> {
        if let ThreadState::Waiting { file, start, pump } = &*state {
            let ((requests, received), (answer, replies)) = (channel(), channel());
            let wanted = self.wanted.clone();
            let started = Python::try_attach(|py| {
                let own = Bound::new(py, FileRequests { received: Mutex::new(received), answer, wanted })?;
                start.call1(py, (pump, (file, own))).map(drop).map_err(|error| io::Error::other(raised(py, error)))
            });
            started.unwrap_or_else(|| Err(io::Error::other("the interpreter has ended")))?;
            let new = FileThreadLink { requests, replies, chunks: 0, bytes: 0, is_asked: false, early: None };
            *state = ThreadState::Running(new);
        }
        Ok(if let ThreadState::Running(answers) = state { Some(answers) } else { None })
    }

    /// The next chunk, which is none at the end.
    fn chunk(&self) -> io::Result<Option<PyBackedBytes>> {
        let mut state = self.lock();
        let Some(answers) = self.answers(&mut state)? else { return Ok(None) };
        let next = answers.chunk(&self.wanted);
        if !matches!(next, Ok(Some(_))) {
            *state = ThreadState::End; // an object is not asked again after its end
        }
        next
    }
}

impl FileThreadLink {
    /// Asks for something, and waits for the answer, which is none if the thread has ended.
    fn ask(&mut self, request: FileRequest, wanted: &ReaderAlive) -> io::Result<Option<FileReply>> {
        let _ = self.requests.send(request); // fails if the thread has ended
        self.answer(wanted)
    }

    fn answer(&mut self, wanted: &ReaderAlive) -> io::Result<Option<FileReply>> {
        loop {
            match self.replies.recv_timeout(WAIT) {
                Ok(answer) => return answer.map(Some),
                Err(RecvTimeoutError::Timeout) if wanted.is_still() => {}
                Err(RecvTimeoutError::Timeout) => return Err(io::Error::other("nobody waits for more")),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// The next chunk. Once there are several, the object reads one ahead.
    fn chunk(&mut self, wanted: &ReaderAlive) -> io::Result<Option<PyBackedBytes>> {
        if !self.is_asked && self.early.is_none() {
            self.begin_chunk();
        }
        let next = self.asked_chunk(wanted)?.filter(|chunk| !chunk.is_empty());
        if next.is_some() && self.chunks > 1 && !self.is_asked {
            self.begin_chunk();
        }
        Ok(next)
    }

    fn begin_chunk(&mut self) {
        let _ = self.requests.send(FileRequest::Chunk); // fails if the thread has ended
        self.is_asked = true;
    }

    /// The chunk that has been asked for.
    fn asked_chunk(&mut self, wanted: &ReaderAlive) -> io::Result<Option<PyBackedBytes>> {
        if let Some(chunk) = self.early.take() {
            return Ok(Some(chunk));
        }
        self.is_asked = false;
        let Some(FileReply::Bytes(chunk)) = self.answer(wanted)? else { return Ok(None) };
        (self.chunks, self.bytes) = (self.chunks + 1, self.bytes + chunk.len() as u64);
        Ok(Some(chunk))
    }

    /// Where the object began, and where it ends.
    fn ends(&mut self, wanted: &ReaderAlive) -> io::Result<Option<(u64, u64)>> {
        if self.is_asked {
            self.early = self.asked_chunk(wanted)?;
        }
        let ends = self.ask(FileRequest::Ends(self.bytes), wanted)?;
        Ok(if let Some(FileReply::Ends(ends)) = ends { ends } else { None })
    }
}

/// A file object, which another thread reads.
struct FileObject {
    thread: Arc<FileThread>,
    /// The current chunk, and how much of it has been taken.
    chunk: Option<PyBackedBytes>,
    taken: usize,
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = |chunk: &PyBackedBytes, taken: usize| chunk.len() - taken;
        if self.chunk.as_ref().is_none_or(|chunk| rest(chunk, self.taken) == 0) {
            self.chunk = None; // before the next one, as it may be large
            (self.chunk, self.taken) = (self.thread.chunk()?, 0);
        }
        let Some(chunk) = &self.chunk else { return Ok(0) };
        let length = buffer.len().min(rest(chunk, self.taken));
        buffer[..length].copy_from_slice(&chunk[self.taken..][..length]);
        self.taken += length;
        Ok(length)
    }
}

/// How many bytes are read at most at a time: the object makes a copy of them.
const MOST: usize = 8 << 20;
/// Fewer bytes than these are read with those around them, and the last such blocks are kept: most are headers of pages, which are
/// read twice, and a call of the object can take long.
const BLOCK: usize = 64 << 10;
const BLOCKS: usize = 64;

/// A file object that can seek, at any place.
struct ObjectPlaces {
    thread: Arc<FileThread>,
    /// Where the object began, and how many bytes it has.
    start: Mutex<(u64, u64)>,
    /// The last blocks, by number.
    blocks: Mutex<VecDeque<(u64, Vec<u8>)>>,
}

impl ObjectPlaces {
    /// Fills a buffer with the bytes from a place on. Returns how many there are.
    fn fill(&self, buffer: &mut [u8], from: u64) -> io::Result<usize> {
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner).0;
        let (mut done, mut state) = (0, self.thread.lock());
        while done < buffer.len() {
            let Some(answers) = self.thread.answers(&mut state)? else { break };
            let count = (buffer.len() - done).min(MOST);
            let answer = answers.ask(FileRequest::Range(start + from + done as u64, count), &self.thread.wanted);
            let Some(FileReply::Bytes(bytes)) = answer? else {
                *state = ThreadState::End;
                return Err(io::Error::other("the file object has failed"));
            };
            if bytes.is_empty() {
                break;
            }
            if bytes.len() > count {
                let text = format!("`read` returned {} bytes, and {count} were asked for", bytes.len());
                return Err(io::Error::other(text));
            }
            buffer[done..][..bytes.len()].copy_from_slice(&bytes);
            done += bytes.len();
        }
        Ok(done)
    }
}

impl ReadAt for ObjectPlaces {
    fn length(&self) -> io::Result<Option<u64>> {
        let mut state = self.thread.lock();
        let Some(answers) = self.thread.answers(&mut state)? else { return Ok(None) };
        let Some((start, end)) = answers.ends(&self.thread.wanted)? else { return Ok(None) };
        let length = end.saturating_sub(start);
        *self.start.lock().unwrap_or_else(PoisonError::into_inner) = (start, length);
        Ok(Some(length))
    }

    fn read_at(&self, buffer: &mut [u8], from: u64) -> io::Result<usize> {
        if buffer.len() >= BLOCK {
            return self.fill(buffer, from);
        }
        let length = self.start.lock().unwrap_or_else(PoisonError::into_inner).1;
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = 0;
        while done < buffer.len() && from + (done as u64) < length {
            let at = from + done as u64;
            let (number, within) = (at / BLOCK as u64, (at % BLOCK as u64) as usize);
            let place = blocks.iter().position(|(known, _)| *known == number);
            let block = match place.and_then(|place| blocks.remove(place)) {
                Some((_, block)) => block,
                None => {
                    let begin = number * BLOCK as u64;
                    let mut block = vec![0; (length - begin).min(BLOCK as u64) as usize];
                    let read = self.fill(&mut block, begin)?;
                    block.truncate(read);
                    block
                }
            };
            let part = block.get(within..).unwrap_or_default();
            let count = part.len().min(buffer.len() - done);
            buffer[done..][..count].copy_from_slice(&part[..count]);
            done += count;
            blocks.truncate(BLOCKS - 1);
            blocks.push_front((number, block));
            if count == 0 {
                break; // it ends earlier than it said
            }
        }
        Ok(done)
    }
}

/// An exception, for those who do not hold the interpreter.
fn raised(py: Python<'_>, error: PyErr) -> RaisedException {
    let value = error.value(py);
    let (class, text) = (type_name(value), value.str().map_or_else(|_| String::new(), |text| text.to_string()));
    let code = value.getattr("errno").ok().and_then(|code| code.extract().ok());
    RaisedException { text: if text.is_empty() { class } else { format!("{class}: {text}") }, code, error }
}

/// The requests to the thread of one file object, and its replies. `_pump.py` reads the object.
#[pyclass(frozen)]
struct FileRequests {
    received: Mutex<Receiver<FileRequest>>,
    answer: Sender<io::Result<FileReply>>,
    wanted: ReaderAlive,
}

#[pymethods]
impl FileRequests {
    /// This thread reads the object.
    fn begin(&self) {
        READS_FOR.set(Some(self.wanted.clone()));
    }

    /// Waits for the next request: "chunk", 0, 0; "ends" and how many bytes have been read; or "range", where and how many. `None` if
    /// nothing more is wanted.
    fn next(&self, py: Python<'_>) -> Option<(&'static str, u64, u64)> {
        let request = py.detach(|| {
            let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                match received.recv_timeout(WAIT) {
                    Err(RecvTimeoutError::Timeout) if self.wanted.is_still() => {}
                    request => return request.ok().filter(|_| self.wanted.is_still()),
                }
            }
        });
        request.map(|request| match request {
            FileRequest::Chunk => ("chunk", 0, 0),
            FileRequest::Ends(bytes) => ("ends", bytes, 0),
            FileRequest::Range(from, count) => ("range", from, count as u64),
        })
    }

    /// Hands over what the object has read.
    fn put(&self, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        self.send(Ok(FileReply::Bytes(bytes(chunk)?.into())));
        Ok(())
    }

    /// Hands over where the object began, and where it ends.
    fn put_ends(&self, ends: Option<(u64, u64)>) {
        self.send(Ok(FileReply::Ends(ends)));
    }

    /// Hands over what the object has raised.
    fn fail(&self, error: &Bound<'_, PyBaseException>) {
        let py = error.py();
        self.send(Err(io::Error::other(raised(py, PyErr::from_value(error.clone().into_any())))));
    }
}

impl FileRequests {
    /// Fails if nobody waits any more.
    fn send(&self, reply: io::Result<FileReply>) {
        let _ = self.answer.send(reply);
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
