//! The codecs of pages. Memory never exceeds the size that a page claims to have.

use std::io::{self, Read};

use anyhow::{Context, Result, bail, ensure};
use flate2::bufread::MultiGzDecoder;
use parquet::basic::Compression;

/// How many bytes a decoder takes at a time.
const BUFFER: usize = 4 << 10;

/// Decompresses bytes, which are to fill a page.
///
/// # Errors
///
/// They are damaged, or there are more or fewer of them.
pub fn decompress(codec: Compression, bytes: &[u8], page: &mut [u8]) -> Result<()> {
    let size = page.len();
    let found = match codec {
        Compression::UNCOMPRESSED => copy(bytes, page),
        // Pages without values have no bytes at all.
        _ if size == 0 => 0,
        Compression::SNAPPY => {
            ensure!(snap::raw::decompress_len(bytes)? == size, "page size does not match its header");
            snap::raw::Decoder::new().decompress(bytes, page)?
        }
        Compression::GZIP(_) => read(MultiGzDecoder::new(bytes), page)?,
        Compression::BROTLI(_) => {
            // The decoder also takes an extension, whose windows have up to 1 GiB.
            ensure!(bytes.first().is_none_or(|first| first & 0x7f != 0x11), "window of a page is too large");
            read(brotli::Decompressor::new(bytes, BUFFER), page)?
        }
        Compression::ZSTD(_) => zstd::bulk::decompress_to_buffer(bytes, page)?,
        Compression::LZ4_RAW => lz4_flex::block::decompress_into(bytes, page)?,
        // The name has stood for three formats.
        Compression::LZ4 => match hadoop_lz4(bytes, size) {
            Ok(found) => copy(&found, page),
            Err(_) => match read(lz4_flex::frame::FrameDecoder::new(bytes), page) {
                Ok(found) => found,
                Err(_) => lz4_flex::block::decompress_into(bytes, page)?,
            },
        },
        Compression::LZO => bail!("codec LZO is not supported"),
    };
    ensure!(found == size, "page size does not match its header");
    Ok(())
}

/// Copies bytes to a page, if they fit, and returns how many there are.
fn copy(bytes: &[u8], page: &mut [u8]) -> usize {
    if let Some(page) = page.get_mut(..bytes.len()) {
        page.copy_from_slice(bytes);
    }
    bytes.len()
}

/// Reads a page from a decoder, and returns how many bytes that gave, but not of more than one too many.
fn read(mut decoder: impl Read, page: &mut [u8]) -> io::Result<usize> {
    let mut found = 0;
    loop {
        let room = if found < page.len() { &mut page[found..] } else { &mut [0] };
        match decoder.read(room) {
            Ok(0) => return Ok(found),
            Ok(read) => found += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if found > page.len() {
            return Ok(found);
        }
    }
}

/// Blocks of LZ4, before each its size and its compressed size.
fn hadoop_lz4(mut bytes: &[u8], size: usize) -> Result<Vec<u8>> {
    let mut found = Vec::with_capacity(size);
    while !bytes.is_empty() {
        let mut next = || -> Option<usize> {
            let (number, rest) = bytes.split_first_chunk()?;
            bytes = rest;
            usize::try_from(u32::from_be_bytes(*number)).ok()
        };
        let (length, compressed) = next().zip(next()).context("block without its sizes")?;
        ensure!(length <= size - found.len(), "page size does not match its header");
        let (block, rest) = bytes.split_at_checked(compressed).context("truncated block")?;
        found.extend(lz4_flex::block::decompress(block, length)?);
        ensure!(found.len() <= size, "page size does not match its header");
        bytes = rest;
    }
    Ok(found)
}
