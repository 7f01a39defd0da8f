//! Compressed bytes: gzip and zstd, found by their first bytes.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::frames::{Frames, decoder};
use crate::ordered::Pool;

/// How many bytes are taken from a compressed file at a time.
const BUFFER: usize = 32 << 10;

/// How many threads decompress frames at least. Fewer have enough to do without: with two, on two cores, a run takes from 0.89
/// to 1.12 of the time.
const THREADS: usize = 3;

/// The first bytes of Parquet.
pub const PARQUET: &[u8] = b"PAR1";
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// What is no text that can be read, and would otherwise be reported as malformed positions. Binary formats may begin so.
const OTHERS: [(&[u8], &str); 7] = [
    (b"PARE", "Parquet with an encrypted footer"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zX", "compressed with xz"),
    (b"\x04\x22\x4d\x18", "compressed with LZ4"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// The first four bytes, or as many as there are.
///
/// # Errors
///
/// The bytes cannot be read.
pub fn magic(bytes: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut magic = Vec::new();
    bytes.take(4).read_to_end(&mut magic)?;
    Ok(magic)
}

/// Bytes that have been decompressed.
pub struct Decompressed {
    /// The bytes.
    pub bytes: Box<dyn Read>,
    /// What they look like, if they are no text that can be read: another compression, or UTF-16.
    pub other: Option<&'static str>,
}

/// The bytes, decompressed if they are compressed. `shown` is the name of the input, as messages show it. If there is a pool,
/// the bytes are read ahead, and its threads decompress frames of zstd.
///
/// # Errors
///
/// The bytes cannot be read, or are Parquet, which is read in another way.
pub fn decompress(mut bytes: Box<dyn Read>, shown: &str, pool: Option<Arc<Pool>>) -> Result<Decompressed> {
    let cannot_read = || format!("cannot read {shown}");
    let magic = magic(&mut bytes).with_context(cannot_read)?;
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP), is_zstd(&magic));
    if magic == *PARQUET {
        bail!("{}: it is Parquet, which must be a file, not a stream, because it is read from its end", cannot_read());
    }
    let other = OTHERS.iter().find(|(start, _)| magic.starts_with(start)).map(|&(_, what)| what);
    let bytes = Box::new(Cursor::new(magic).chain(bytes));
    let bytes: Box<dyn Read> = match pool {
        _ if is_gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(BUFFER, bytes))),
        Some(pool) if is_zstd && pool.threads() >= THREADS => Box::new(Frames::new(bytes, pool)),
        _ if is_zstd => decoder(bytes).with_context(cannot_read)?,
        _ => bytes,
    };
    Ok(Decompressed { bytes, other })
}

/// Whether a file that begins with these bytes is compressed.
pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || is_zstd(bytes)
}

/// Whether this is the beginning of a frame. Some parallel compressors begin with a frame that is skipped.
fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(ZSTD) || matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}
