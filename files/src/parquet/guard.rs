//! The guard against files that stand for more than they hold: it sees each header of a page and each page that is asked for.
//!
//! It is what the readers of Parquet take for the file. They read the header of a page before the page, so the guard knows
//! how large each page is before it is decompressed, and how many values of a list have been asked for.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Result, anyhow, bail};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// The largest number of values of a row, or of a page of lists.
pub const MAX_VALUES: u64 = 1 << 20;
/// The largest description of a file that is read, in bytes.
const MAX_FOOTER: u64 = 16 << 20;

/// The pages of a leaf with lists, whose rows can end in any page.
#[derive(Default)]
pub struct ListPages {
    /// Where pages begin, and how many values there are before them; several small pages count as one.
    pub pages: Vec<(u64, u64)>,
    /// How many values there are.
    pub values: u64,
    /// How many of them had been read after the rows before, and have been now.
    before: AtomicU64,
    read: AtomicU64,
}

impl ListPages {
    /// What has been read so far belongs to rows that are done.
    pub fn finish_rows(&self) {
        self.before.store(self.read.load(Relaxed), Relaxed);
    }
}

/// A file, and what is asked of it.
#[derive(Clone)]
pub struct PageGuard {
    file: Arc<File>,
    watch: Arc<Mutex<Watch>>,
}

/// What has been asked.
#[derive(Default)]
pub struct Watch {
    /// Where the last header of a page was, and how many bytes the page takes, compressed and decompressed together.
    pub header: (u64, Option<u64>),
    /// Lists being read.
    lists: Arc<Vec<ListPages>>,
    /// Too many values of them were asked for.
    pub exceeded: bool,
}

impl PageGuard {
    /// What has been asked of it, locked.
    pub fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what is read of these lists from now on.
    pub fn watch_lists(&self, lists: &Arc<Vec<ListPages>>) {
        let mut watch = self.watch();
        (watch.lists, watch.exceeded) = (lists.clone(), false);
    }
}

impl Length for PageGuard {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for PageGuard {
    type T = io::Chain<Cursor<Vec<u8>>, <File as ChunkReader>::T>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let (mut read, mut head) = (self.file.get_read(start)?, Vec::new());
        read.by_ref().take(32).read_to_end(&mut head)?;
        self.watch().header = (start, page_size(&head));
        Ok(Cursor::new(head).chain(read))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut watch = self.watch();
        let begins = |list: &&ListPages| list.pages.first().is_some_and(|&(offset, _)| offset <= start);
        if let Some(list) = watch.lists.iter().filter(begins).max_by_key(|list| list.pages[0].0) {
            let next = list.pages.partition_point(|&(offset, _)| offset <= start);
            let read = list.pages.get(next).map_or(list.values, |&(_, before)| before);
            list.read.fetch_max(read, Relaxed);
            if read > list.before.load(Relaxed) + MAX_VALUES + MAX_VALUES / 16 {
                watch.exceeded = true;
                return Err(ParquetError::General(format!("a row has more than {MAX_VALUES} values")));
            }
        }
        self.file.get_bytes(start, length)
    }
}

/// How many bytes a page takes, compressed and decompressed together: the second and third number of its header, which
/// is a struct in Thrift's compact protocol. See <https://parquet.apache.org/docs/file-format/>.
fn page_size(mut header: &[u8]) -> Option<u64> {
    let mut number = || {
        // The next field, a number of 32 bits.
        header = header.strip_prefix(b"\x15")?;
        let end = header.iter().position(|&byte| byte < 0x80)?;
        let digits = header[..=end].iter().rev();
        let zigzag = digits.fold(0_u64, |number, &byte| number << 7 | u64::from(byte & 0x7f));
        header = &header[end + 1..];
        Some(zigzag >> 1)
    };
    number()?;
    Some(number()? + number()?)
}

/// Does what may panic without a word of it: the readers of some encodings do so where lengths are wrong.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                hook(info)
            }
        }));
    });
    QUIET.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| anyhow!("it is damaged"));
    QUIET.set(false);
    done
}

/// Puts a guard before a file, and reads its description.
pub fn open(file: File) -> Result<(PageGuard, ArrowReaderMetadata)> {
    let length = file.metadata()?.len();
    let guard = PageGuard { file: Arc::new(file), watch: Arc::default() };
    let mut footer = Vec::new();
    guard.file.get_read(length.saturating_sub(8)).and_then(|mut end| Ok(end.read_to_end(&mut footer)?))?;
    let footer = footer.first_chunk().map_or(0, |&size| u32::from_le_bytes(size));
    if u64::from(footer) > MAX_FOOTER && u64::from(footer) < length {
        bail!("its footer has {footer} bytes, at most {MAX_FOOTER} are read");
    }
    let metadata = quietly(|| ArrowReaderMetadata::load(&guard, ArrowReaderOptions::new()))??;
    Ok((guard, metadata))
}
