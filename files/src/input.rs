//! An input: a file, standard input, a stream of the caller or the sample, or some row groups of a file.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use slider_attacks_formats::beginning;
use slider_attacks_formats::error::printable;

/// Something to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where its bytes are.
    pub place: InputPlace,
    /// The path below the directory, or below the fixed part of the pattern, that gave it; otherwise its file name.
    pub below: PathBuf,
    /// How many bytes it has, if a listing of objects has told it.
    pub listed: Option<u64>,
    /// Its number among the inputs of a run, from 0.
    pub index: u64,
    /// The part of a Parquet file to read; `None` is all of it.
    pub groups: Option<RowGroups>,
    /// Which bytes to read of a file, from the beginning of a game or record to that of another; `None` is all of them.
    pub part: Option<Range<u64>>,
    /// Whether the format, and the names of columns, are at the beginning of the file and not of the part.
    pub has_header_before: bool,
}

/// Where the bytes of an input are.
#[derive(Clone, Debug)]
pub enum InputPlace {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes that the caller hands over.
    Stream(Stream),
    /// A sample, which is part of the program.
    Sample(&'static str),
}

/// Bytes of the caller that can be read at any place.
pub trait ReadAt: Send + Sync {
    /// How many bytes there are; `None` if they cannot be read at any place.
    ///
    /// # Errors
    ///
    /// It cannot be found out.
    fn length(&self) -> io::Result<Option<u64>>;

    /// Reads bytes from this place on, and returns how many there are: fewer than asked for only at the end.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    fn read_at(&self, bytes: &mut [u8], from: u64) -> io::Result<usize>;
}

/// Bytes that come from the caller. They are read once, up to the end, and not before their turn comes.
#[derive(Clone)]
pub struct Stream {
    name: Arc<str>,
    /// `None` once somebody reads them.
    bytes: Arc<Mutex<Option<Box<dyn Read + Send>>>>,
    length: Option<u64>,
    /// The same bytes, where they can be read at any place.
    places: Option<Arc<dyn ReadAt>>,
}

impl Stream {
    /// Bytes, and the name for messages. Its extension can show the format, as that of a file does.
    pub fn new(name: &str, bytes: impl Read + Send + 'static) -> Stream {
        Stream { name: name.into(), bytes: Arc::new(Mutex::new(Some(Box::new(bytes)))), length: None, places: None }
    }

    /// The same, with the number of bytes, for estimates.
    pub fn with_length(self, length: Option<u64>) -> Stream {
        Stream { length, ..self }
    }

    /// The same, with a way to read the same bytes at any place: Parquet is not copied then. It is asked after at most the beginning
    /// of the stream has been read, and then alone.
    pub fn with_places(self, places: Arc<dyn ReadAt>) -> Stream {
        Stream { places: Some(places), ..self }
    }

    /// The bytes at any place, if the caller offers that.
    pub fn places(&self) -> Option<&Arc<dyn ReadAt>> {
        self.places.as_ref()
    }

    /// How many bytes there are, as far as the caller has said so.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The bytes, for the first who asks.
    pub fn take(&self) -> Option<Box<dyn Read + Send>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Some row groups of a file of Parquet.
#[derive(Clone, Debug)]
pub struct RowGroups {
    /// Their numbers, from 0.
    pub numbers: Range<usize>,
    /// The number of the first row, from 1.
    pub first: u64,
    /// The number of the last row.
    pub last: u64,
    /// How many rows the file has.
    pub of: u64,
}

/// One of several parts.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// Whether it has this key, if all keys are shared out evenly.
    pub fn has_key(self, key: u64) -> bool {
        (u128::from(key) * u128::from(self.of)) >> u64::BITS == u128::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, Self::Err> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("expected K/N with K from 1 to N, such as 2/8"),
        }
    }
}

impl Input {
    /// All of a file; `-` is standard input.
    pub fn new(path: &Path, index: u64) -> Input {
        let place = if is_stdin(path) { InputPlace::Stdin } else { InputPlace::File(path.to_owned()) };
        Input {
            place,
            below: file_name(path).unwrap_or_default().into(),
            listed: None,
            index,
            groups: None,
            part: None,
            has_header_before: false,
        }
    }

    /// A stream of the caller.
    ///
    /// ```
    /// use std::ops::ControlFlow::Continue;
    ///
    /// use slider_attacks_files::input::{Input, Stream};
    /// use slider_attacks_files::inputs::Inputs;
    /// use slider_attacks_formats::request::Wanted;
    ///
    /// let stream = Stream::new("<memory>", &b"4k3/8/8/8/8/8/8/4K3 w - -\n"[..]);
    /// let inputs = Inputs::of(vec![Input::stream(stream, 0)], "")?;
    /// let mut bytes = 0;
    /// inputs.read(&Wanted::default(), &mut |block| {
    ///     bytes += block.bytes();
    ///     Ok(Continue(()))
    /// })?;
    /// assert_eq!((inputs.name().as_str(), bytes), ("<memory>", 26));
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn stream(stream: Stream, index: u64) -> Input {
        Input {
            place: InputPlace::Stream(stream),
            below: PathBuf::new(),
            listed: None,
            index,
            groups: None,
            part: None,
            has_header_before: false,
        }
    }

    /// A sample.
    pub fn sample(text: &'static str) -> Input {
        Input {
            place: InputPlace::Sample(text),
            below: PathBuf::new(),
            listed: None,
            index: 0,
            groups: None,
            part: None,
            has_header_before: false,
        }
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            InputPlace::File(path) => Some(path),
            InputPlace::Stdin | InputPlace::Stream(_) | InputPlace::Sample(_) => None,
        }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.place, InputPlace::Stdin)
    }

    /// The [extension] of its name, if it is a file or a stream.
    pub fn extension(&self) -> Option<String> {
        let path = if let InputPlace::Stream(stream) = &self.place { Path::new(&*stream.name) } else { self.path()? };
        extension(file_name(path)?)
    }

    /// The name: the path as given, or a substitute.
    pub fn name(&self) -> String {
        match &self.place {
            InputPlace::File(path) => without_secrets(path),
            InputPlace::Stdin => "standard input".to_owned(),
            InputPlace::Stream(stream) => stream.name.to_string(),
            InputPlace::Sample(_) => "the embedded sample".to_owned(),
        }
    }

    /// The name as messages show it.
    pub fn display_name(&self) -> String {
        printable(&self.name())
    }
}

/// The [extension](beginning::extension) of a name that may be no text.
pub fn extension(name: &OsStr) -> Option<String> {
    beginning::extension(&name.to_string_lossy())
}

/// Whether this names standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The schemes of stores that people keep files in. What normalises paths makes one slash of two.
const STORES: [&str; 12] = ["s3", "s3a", "gs", "gcs", "hdfs", "az", "adl", "abfs", "abfss", "http", "https", "ftp"];

/// Whether this is a URL, such as `s3://bucket/games.pgn`. A Windows drive letter is not a scheme, which has at least two
/// letters.
pub fn is_url(path: &Path) -> bool {
    let Some((scheme, rest)) = path.to_str().and_then(|text| text.split_once(":/")) else { return false };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let is_scheme = scheme.len() >= 2 && scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_store = || STORES.iter().any(|store| store.eq_ignore_ascii_case(scheme));
    is_scheme && scheme.bytes().all(is_part) && (rest.starts_with('/') || is_store())
}

/// Checks that a path is not a URL. One that is may still be the path of a file on this machine. `advice` is what to do instead.
///
/// # Errors
///
/// It is a URL, and no file has this path.
pub fn check_is_path(path: &Path, advice: &str) -> Result<()> {
    ensure!(!is_url(path) || path.exists(), "{} is a URL, not a path: {advice}", display_path(path));
    Ok(())
}

/// Whether this names an object of a store or a file of a web server, and not a file of this machine.
pub fn is_remote(path: &Path) -> bool {
    is_url(path) && !path.exists()
}

/// Checks that a path is not a URL, unless these are read.
///
/// # Errors
///
/// It is one, and this is a build without them.
pub fn check_is_readable(path: &Path) -> Result<()> {
    if cfg!(feature = "cloud") { Ok(()) } else { check_is_path(path, READ_URL) }
}

/// The alternative to reading a URL, in the terms of the command.
const READ_URL: &str = "only local files are read; download it first, or pipe it into standard input (FILE -), or build the \
                        command with `--features cloud`";
/// The alternative to writing to a URL, in the terms of the command.
pub const WRITE_URL: &str = "only local files are written; write to a file and upload it, or pipe standard output into an \
                             upload tool, or build the command with `--features cloud`";

/// Whether this is a URL of a web server, whose query is no part of its name.
fn is_web(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|text| text.split_once(':')).map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| ["http", "https"].iter().any(|web| web.eq_ignore_ascii_case(scheme))) && is_remote(path)
}

/// A path, or a URL without its query.
fn without_query(path: &Path) -> &Path {
    match path.to_str() {
        Some(url) if is_web(path) => Path::new(url.split(['?', '#']).next().unwrap_or_default()),
        _ => path,
    }
}

/// What stands before `@` in the authority of a URL: a name and perhaps a password.
pub(crate) fn user(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once(":/")?;
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next()?;
    authority.rsplit_once('@').map(|(user, _)| user)
}

/// A path as text, or a URL without what may be secret: its query, which may be a signature, and a name and password. What
/// stands before `@` without a colon may be a container.
fn without_secrets(path: &Path) -> String {
    let name = without_query(path).display().to_string();
    match user(&name) {
        Some(user) if is_remote(path) && (is_web(path) || user.contains(':')) => {
            name.replacen(&format!("{user}@"), "", 1)
        }
        _ => name,
    }
}

/// The last part of a path or URL.
pub fn file_name(path: &Path) -> Option<&OsStr> {
    without_query(path).file_name()
}

/// Whether a path may be a pattern.
pub(crate) fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// A path as messages show it.
pub fn display_path(path: &Path) -> String {
    printable(&without_secrets(path))
}

/// The message about a file that changed while it was read.
pub const CHANGED: &str = "it changed during reading";

/// The message for a file that cannot be opened or read.
pub fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", display_path(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_urls_have_no_secrets() {
        for (url, name) in [
            ("https://h/a@b.pgn?sig=x@y", "https://h/a@b.pgn"),
            ("https://name:word@h:1/x.pgn?sig", "https://h:1/x.pgn"),
            ("https://name@h", "https://h"),
            ("http:/name:w@rd@h/x", "http:/h/x"),
            ("ftp://name:word@h/x", "ftp://h/x"),
            ("s3://key:word@b/x", "s3://b/x"),
            ("abfss://c@a.dfs.core.windows.net/x", "abfss://c@a.dfs.core.windows.net/x"),
            ("games/name:word@h.pgn", "games/name:word@h.pgn"),
        ] {
            assert_eq!(display_path(Path::new(url)), name);
        }
    }

    #[test]
    fn urls_are_no_paths() {
        for url in [
            "s3://bucket/x.csv",
            "S3://bucket",
            "gs://b/x",
            "hdfs://n:1/x",
            "https://a.b/c.pgn",
            "az://c",
            "file:///x",
            "abfss://c@a.dfs/x",
            "git+ssh://x",
            "s3:/bucket/x.csv",
            "HDFS:/x",
            "s3://",
        ] {
            assert!(is_url(Path::new(url)), "{url}");
            assert!(check_is_path(Path::new(url), "").is_err(), "{url}");
        }
        for path in [
            "C:\\games\\x.pgn",
            "C:/games/x.pgn",
            "c://x",
            "a:b.csv",
            "a:/b",
            "games:/b",
            "12:30.pgn",
            "./s3://x",
            "://x",
            "1a://x",
            "a b://x",
            "/x/s3://y",
            "x.csv",
            "-",
            "",
        ] {
            assert!(!is_url(Path::new(path)), "{path}");
            assert!(check_is_path(Path::new(path), "").is_ok(), "{path}");
        }
    }
}
