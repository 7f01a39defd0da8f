//! Compressed bytes: gzip and zstd, found by their first bytes. Zero bytes after a member or a frame are padding.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use flate2::bufread::GzDecoder;
pub use slider_attacks_formats::beginning::PARQUET;
use slider_attacks_formats::beginning::other_format;

use crate::frames::{Frames, decoder};
use crate::ordered::Pool;

/// How many bytes are taken from a compressed file at a time.
const BUFFER: usize = 32 << 10;

/// How many threads decompress frames at least. Fewer have enough to do without: with two, on two cores, a run takes from 0.89
/// to 1.12 of the time.
const THREADS: usize = 3;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

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
    /// Whether these are other bytes than before.
    pub is_compressed: bool,
    /// Their apparent format, if it is not supported: another compression, or UTF-16.
    pub other: Option<&'static str>,
}

/// The bytes, decompressed if they are compressed. `name` is the name of the input, as messages show it, and `long_window` is
/// what to do about zstd with a window that is too large. If there is a pool, the bytes are read ahead, and its threads
/// decompress frames of zstd.
///
/// # Errors
///
/// The bytes cannot be read, or are Parquet, which is read in another way.
pub fn decompress(
    mut bytes: Box<dyn Read>,
    name: &str,
    long_window: &'static str,
    pool: Option<Arc<Pool>>,
) -> Result<Decompressed> {
    let cannot_read = || format!("cannot read {name}");
    let magic = magic(&mut bytes).with_context(cannot_read)?;
    // What is cut off within its first bytes is an error like any other cut.
    let is_cut = |start: &[u8]| !magic.is_empty() && start.starts_with(&magic);
    let (is_gzip, is_zstd) = (magic.starts_with(GZIP) || is_cut(GZIP), is_zstd(&magic) || is_cut(ZSTD));
    if magic == *PARQUET {
        bail!("{}: Parquet must be a file, not a stream: the footer is read first", cannot_read());
    }
    let other = other_format(&magic);
    let bytes = Box::new(Cursor::new(magic).chain(bytes));
    let bytes: Box<dyn Read> = match pool {
        _ if is_gzip => Box::new(Members::new(BufReader::with_capacity(BUFFER, bytes))),
        Some(pool) if is_zstd && pool.threads() >= THREADS => Box::new(Frames::new(bytes, long_window, pool)),
        _ if is_zstd => decoder(bytes, long_window).with_context(cannot_read)?,
        _ => bytes,
    };
    Ok(Decompressed { bytes, is_compressed: is_gzip || is_zstd, other })
}

/// Whether a file that begins with these bytes is compressed.
pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || is_zstd(bytes)
}

/// Whether this is the beginning of a frame. Some parallel compressors begin with a frame that is skipped.
fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(ZSTD) || matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The members of gzip, one after the other. Zero bytes after a member are padding.
pub struct Members<R> {
    /// `None` only while one takes over the bytes of another one.
    member: Option<GzDecoder<R>>,
}

/// Why there is a member.
const ALWAYS: &str = "one has the bytes";

impl<R: BufRead> Members<R> {
    /// Decompresses these bytes.
    pub fn new(bytes: R) -> Members<R> {
        Members { member: Some(GzDecoder::new(bytes)) }
    }

    /// The bytes that are not decompressed yet.
    pub fn get_mut(&mut self) -> &mut R {
        self.member.as_mut().expect(ALWAYS).get_mut()
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let member = self.member.as_mut().expect(ALWAYS);
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let bytes = member.get_mut();
            loop {
                let next = bytes.fill_buf()?;
                if next.is_empty() {
                    return Ok(0);
                }
                let zeros = next.iter().take_while(|byte| **byte == 0).count();
                let is_padding = zeros == next.len();
                bytes.consume(zeros);
                if !is_padding {
                    break;
                }
            }
            // This keeps the buffer, with what is in it.
            self.member = self.member.take().map(|member| GzDecoder::new(member.into_inner()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::advice::Advice;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn frame(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 1).unwrap()
    }

    /// Gives one byte at a time.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn read(bytes: &[u8]) -> [(Vec<u8>, bool); 3] {
        let all = || Cursor::new(bytes.to_vec());
        let pool = Arc::new(Pool::new(4).unwrap());
        let inputs: [(Box<dyn Read>, _); 3] =
            [(Box::new(all()), None), (Box::new(Slow(all())), None), (Box::new(all()), Some(pool))];
        inputs.map(|(bytes, pool)| {
            let mut text = Vec::new();
            let decompressed = decompress(bytes, "test", Advice::default().long_window, pool);
            let is_whole = decompressed.unwrap().bytes.read_to_end(&mut text).is_ok();
            (text, is_whole)
        })
    }

    #[test]
    fn zero_bytes_after_members_and_frames_are_padding() {
        for compress in [member, frame] {
            let (one, two) = (compress(b"one"), compress(b"two"));
            for zeros in [0, 1, 3, 511, 1 << 16].map(|count| vec![0; count]) {
                for (parts, expected) in [
                    ([&one[..], &zeros[..], b"", b""].concat(), "one"),
                    ([&one[..], &zeros, &two, &zeros].concat(), "onetwo"),
                    ([&one[..], &two, &zeros, &one].concat(), "onetwoone"),
                ] {
                    let read = read(&parts);
                    assert!(read.iter().all(|read| *read == (expected.into(), true)), "{} zeros", zeros.len());
                }
                for garbage in [b"\x01".as_slice(), b"\0\0x", b"garbage", &one[..4], &two[..two.len() - 1]] {
                    let read = read(&[&one[..], &zeros, garbage].concat());
                    let is_refused = |(text, is_whole): &(Vec<u8>, bool)| text.starts_with(b"one") && !is_whole;
                    assert!(read.iter().all(is_refused), "{} zeros, then {garbage:?}", zeros.len());
                }
            }
        }
        // What has been cut off within its first bytes is not read as text.
        for cut in [&member(b"one")[..1], &member(b"one")[..2], &frame(b"one")[..1], &frame(b"one")[..3]] {
            assert!(read(cut).iter().all(|(text, is_whole)| text.is_empty() && !is_whole), "{cut:?}");
        }
        // Within a member, zeros are no padding. Its last four bytes are its length.
        let one = member(b"one");
        for at in 4..one.len() - 4 {
            let read = read(&[&one[..at], &[0; 64]].concat());
            assert!(read.iter().all(|(_, is_whole)| !is_whole), "cut at {at}");
        }
    }

    #[test]
    fn a_window_that_is_too_large_says_what_to_do() {
        // One raw block under a header with a window of 2 GiB.
        let bytes = b"\x28\xb5\x2f\xfd\0\xa8\x19\0\0abc";
        for pool in [None, Some(Arc::new(Pool::new(4).unwrap()))] {
            let decompressed = decompress(Box::new(Cursor::new(bytes)), "test", "do this", pool).unwrap();
            let error = io::read_to_string(decompressed.bytes).unwrap_err().to_string();
            assert_eq!(error, "zstd window exceeds 128 MiB; decompress it first: do this");
        }
    }
}
