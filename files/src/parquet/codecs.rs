//! The codecs of pages. Nothing larger than a page claims to be is ever held in memory.

use std::io::Read;

use anyhow::{Context, Result, bail, ensure};
use flate2::bufread::MultiGzDecoder;
use parquet::basic::Compression;

/// How many bytes a decoder takes at a time.
const BUFFER: usize = 4 << 10;

/// The bytes, decompressed, of which there are to be `size`.
///
/// # Errors
///
/// They are damaged, or there are more or fewer of them.
pub fn decompress(codec: Compression, bytes: &[u8], size: usize) -> Result<Vec<u8>> {
    let found = match codec {
        Compression::UNCOMPRESSED => bytes.to_vec(),
        // Pages without values have no bytes at all.
        _ if size == 0 => Vec::new(),
        Compression::SNAPPY => {
            ensure!(snap::raw::decompress_len(bytes)? == size, "a page has another size than it says");
            snap::raw::Decoder::new().decompress_vec(bytes)?
        }
        Compression::GZIP(_) => read(MultiGzDecoder::new(bytes), size)?,
        Compression::BROTLI(_) => {
            // The decoder also takes an extension, whose windows have up to 1 GiB.
            ensure!(bytes.first().is_none_or(|first| first & 0x7f != 0x11), "a page has a window that is too large");
            read(brotli::Decompressor::new(bytes, BUFFER), size)?
        }
        Compression::ZSTD(_) => zstd::bulk::decompress(bytes, size)?,
        Compression::LZ4_RAW => lz4_flex::block::decompress(bytes, size)?,
        // The name has stood for three formats.
        Compression::LZ4 => hadoop_lz4(bytes, size)
            .or_else(|_| read(lz4_flex::frame::FrameDecoder::new(bytes), size))
            .or_else(|_| Ok::<_, anyhow::Error>(lz4_flex::block::decompress(bytes, size)?))?,
        Compression::LZO => bail!("its codec LZO is not supported"),
    };
    ensure!(found.len() == size, "a page has another size than it says");
    Ok(found)
}

/// What a decoder gives, cut off after a byte too many.
fn read(decoder: impl Read, size: usize) -> Result<Vec<u8>> {
    let mut found = Vec::with_capacity(size + 1);
    decoder.take(size as u64 + 1).read_to_end(&mut found)?;
    Ok(found)
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
        let (length, compressed) = next().zip(next()).context("a block without its sizes")?;
        ensure!(length <= size - found.len(), "a page has another size than it says");
        let (block, rest) = bytes.split_at_checked(compressed).context("a block that ends too early")?;
        found.extend(lz4_flex::block::decompress(block, length)?);
        ensure!(found.len() <= size, "a page has another size than it says");
        bytes = rest;
    }
    Ok(found)
}
