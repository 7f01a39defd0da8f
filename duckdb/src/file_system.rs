//! Files of DuckDB's file systems, such as those of `httpfs`: `https://…`, `s3://…`.
#![allow(unsafe_code, reason = "calls of DuckDB")]

use std::ffi::CStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::input::{Input, InputPlace, Stream, display_path, is_url};
use slider_attacks_formats::error::printable;

use crate::api::{newer, text};
use crate::bindings::Newer;
use crate::callbacks::Handle;

/// The file systems as a connection sees them, with its settings and secrets.
#[derive(Clone, Debug)]
pub struct DatabaseFiles(Arc<Mutex<FileSystemHandle>>);

/// DuckDB's handle, which also has the last error.
#[derive(Debug)]
struct FileSystemHandle(Handle);

// SAFETY: one thread at a time uses it, and the file systems may be used by several.
unsafe impl Send for FileSystemHandle {}

impl Drop for FileSystemHandle {
    fn drop(&mut self) {
        if let Some(newer) = newer() {
            // SAFETY: it is freed once.
            unsafe { (newer.duckdb_destroy_file_system)(&mut self.0) };
        }
    }
}

/// An open file.
#[derive(Debug)]
struct DatabaseFile(Handle);

// SAFETY: one thread at a time uses it.
unsafe impl Send for DatabaseFile {}

/// A file that is opened when it is read.
#[derive(Debug)]
struct UnopenedFile {
    files: DatabaseFiles,
    name: String,
    file: Option<DatabaseFile>,
}

impl DatabaseFiles {
    /// Those of a client context.
    ///
    /// # Safety
    ///
    /// It is one, and the connection is open as long as files are.
    pub unsafe fn new(newer: &Newer, context: Handle) -> DatabaseFiles {
        // SAFETY: as above.
        let handle = unsafe { (newer.duckdb_client_context_get_file_system)(context) };
        DatabaseFiles(Arc::new(Mutex::new(FileSystemHandle(handle))))
    }

    fn open(&self, name: &str) -> io::Result<DatabaseFile> {
        const READ: u32 = 1;
        let Some(newer) = newer() else { return Err(io::ErrorKind::Unsupported.into()) };
        let system = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = ptr::null_mut();
        // SAFETY: the handles are DuckDB's, the options and the error are freed once, and the message is copied before.
        unsafe {
            let mut options = (newer.duckdb_create_file_open_options)();
            (newer.duckdb_file_open_options_set_flag)(options, READ, true);
            let state = (newer.duckdb_file_system_open)(system.0, text(name).as_ptr(), options, &mut file);
            (newer.duckdb_destroy_file_open_options)(&mut options);
            if state != 0 || file.is_null() {
                return Err(error(newer, (newer.duckdb_file_system_error_data)(system.0)));
            }
        }
        Ok(DatabaseFile(file))
    }

    /// An input that reads a file, which is opened then, or has been.
    fn input(&self, name: &str, index: u64, file: Option<DatabaseFile>, length: Option<u64>) -> Input {
        let reader = UnopenedFile { files: self.clone(), name: name.to_owned(), file };
        Input::stream(Stream::new(name, reader).with_length(length), index)
    }
}

/// The error of DuckDB's, which is freed.
///
/// # Safety
///
/// DuckDB has handed it over.
unsafe fn error(newer: &Newer, mut data: Handle) -> io::Error {
    // SAFETY: as above; the message is copied before.
    let message = unsafe {
        let message = (newer.duckdb_error_data_message)(data);
        let message = (!message.is_null()).then(|| CStr::from_ptr(message).to_string_lossy().into_owned());
        (newer.duckdb_destroy_error_data)(&mut data);
        message
    };
    let message = message.filter(|message| !message.is_empty());
    io::Error::other(message.unwrap_or_else(|| "DuckDB cannot read it".to_owned()))
}

impl DatabaseFile {
    /// How many bytes it has, if the file system tells.
    fn length(&self) -> Option<u64> {
        // SAFETY: the file is open.
        newer().and_then(|newer| unsafe { (newer.duckdb_file_handle_size)(self.0) }.try_into().ok())
    }
}

impl Read for DatabaseFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(newer) = newer() else { return Err(io::ErrorKind::Unsupported.into()) };
        let length = i64::try_from(buffer.len()).unwrap_or(i64::MAX);
        // SAFETY: the file is open, and the buffer has this many bytes.
        unsafe {
            let read = (newer.duckdb_file_handle_read)(self.0, buffer.as_mut_ptr().cast(), length);
            match usize::try_from(read) {
                Ok(read) if read <= buffer.len() => Ok(read),
                _ => Err(error(newer, (newer.duckdb_file_handle_error_data)(self.0))),
            }
        }
    }
}

impl Drop for DatabaseFile {
    fn drop(&mut self) {
        if let Some(newer) = newer() {
            // SAFETY: it is closed and freed once.
            unsafe { (newer.duckdb_destroy_file_handle)(&mut self.0) };
        }
    }
}

impl Read for UnopenedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.files.open(&self.name)?),
        };
        file.read(buffer)
    }
}

/// The inputs of a call.
#[derive(Debug)]
pub struct FoundFiles {
    /// Local files, and streams of others.
    pub inputs: Vec<Input>,
    /// Whether the names may stand for several.
    pub may_be_several: bool,
    /// The file systems of the others, if there are some.
    pub files: Option<DatabaseFiles>,
}

impl FoundFiles {
    /// Finds local files by paths, directories and patterns. DuckDB reads URLs, by the file systems that `files` gives.
    ///
    /// # Errors
    ///
    /// There are no such local files, the first URL cannot be opened, or this version of DuckDB does not give its file systems.
    pub fn new(names: Vec<String>, files: impl FnOnce() -> Option<DatabaseFiles>) -> Result<FoundFiles> {
        let is_remote = |name: &String| is_url(Path::new(name)) && !Path::new(name).exists();
        let Some(first) = names.iter().find(|name| is_remote(name)) else {
            let found = Discovery::new(&names.into_iter().map(PathBuf::from).collect::<Vec<_>>(), None, None)?;
            check_regular(&found.inputs)?;
            return Ok(FoundFiles { inputs: found.inputs, may_be_several: found.may_be_several, files: None });
        };
        let Some(files) = files() else {
            bail!(
                "{} is a URL, and DuckDB gives its file systems to extensions from version 1.5.6 on",
                printable(first)
            );
        };
        let (mut inputs, mut may_be_several, mut length) = (Vec::new(), names.len() > 1, None);
        for name in &names {
            if is_remote(name) {
                ensure!(
                    !name.contains('*'),
                    "{}: patterns are for local files; `set variable files = (select list(file) from glob('…'))` and then \
                     `getvariable('files')` in place of the name read those of a store that DuckDB can list",
                    printable(name)
                );
                // The others are taken to be about as long.
                let file = if length.is_none() {
                    let file = files.open(name).with_context(|| format!("cannot open {}", printable(name)))?;
                    length = Some(file.length());
                    // Only the first input is read at once. Others stay closed until they are read.
                    inputs.is_empty().then_some(file)
                } else {
                    None
                };
                inputs.push(files.input(name, 0, file, length.flatten()));
            } else {
                let found = Discovery::new(&[PathBuf::from(name)], None, None)?;
                check_regular(&found.inputs)?;
                may_be_several |= found.may_be_several;
                inputs.extend(found.inputs);
            }
        }
        for (input, index) in inputs.iter_mut().zip(0..) {
            input.index = index;
        }
        Ok(FoundFiles { inputs, may_be_several, files: Some(files) })
    }
}

/// The inputs, to be read once more.
pub fn again(inputs: &[Input], files: Option<&DatabaseFiles>) -> Vec<Input> {
    let renewed = |input: &Input| match (&input.place, files) {
        (InputPlace::Stream(stream), Some(files)) => files.input(&input.name(), input.index, None, stream.length()),
        _ => input.clone(),
    };
    inputs.iter().map(renewed).collect()
}

/// Checks that local files can be read twice.
fn check_regular(inputs: &[Input]) -> Result<()> {
    for path in inputs.iter().filter_map(Input::path) {
        let is_file = path.metadata().map_or(true, |metadata| metadata.is_file());
        ensure!(
            is_file,
            "cannot read {}: not a regular file, and it is read twice, for its columns and its rows",
            display_path(path)
        );
    }
    Ok(())
}
