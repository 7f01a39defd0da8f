//! Streaming decompression of zstd, because browsers support only gzip.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The most bytes that some bytes may become.
const MOST: usize = 256 << 20;
/// How many bytes a header may have: that of a frame, and that of a block, with the checksum that may follow it.
const FRAME_HEADER: usize = 18;
const BLOCK_HEADER: usize = 3;
const CHECKSUM: usize = 4;
const DAMAGED: &str = "it is damaged or cut off";

/// The frames of a file.
#[derive(Default)]
pub struct ZstdFrames {
    decoder: FrameDecoder,
    /// The received bytes that are not decompressed yet.
    waiting: Vec<u8>,
    /// Whether a frame has begun.
    is_within: bool,
    /// How many bytes are passed over.
    passed: usize,
}

impl ZstdFrames {
    /// What the next bytes become. `is_last` says that no more follow.
    ///
    /// # Errors
    ///
    /// They are no zstd, or far too much.
    pub fn push(&mut self, bytes: &[u8], is_last: bool) -> Result<Vec<u8>, &'static str> {
        self.waiting.extend_from_slice(bytes);
        let (mut rest, mut all) = (&self.waiting[..], Vec::new());
        loop {
            // Zeros after a frame are padding.
            let zeros = if self.is_within { 0 } else { rest.iter().take_while(|&&byte| byte == 0).count() };
            let passed = if self.passed > 0 { self.passed.min(rest.len()) } else { zeros };
            self.passed = self.passed.saturating_sub(passed);
            rest = &rest[passed..];
            let needed = match rest.first_chunk() {
                _ if !self.is_within => FRAME_HEADER,
                // Of a run of one byte, the size says how long it is.
                Some(&[a, _, _]) if a >> 1 & 3 == 1 => BLOCK_HEADER + 1 + CHECKSUM,
                Some(&[a, b, c]) => BLOCK_HEADER + CHECKSUM + (u32::from_le_bytes([a, b, c, 0]) >> 3) as usize,
                None => BLOCK_HEADER,
            };
            if rest.is_empty() || !is_last && rest.len() < needed {
                break;
            }
            if self.is_within {
                self.decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1)).map_err(|_| DAMAGED)?;
                all.extend(self.decoder.collect().unwrap_or_default());
                self.is_within = !self.decoder.is_finished();
                let sums = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                if !self.is_within && sums.0.is_some() && sums.0 != sums.1 {
                    return Err(DAMAGED);
                }
                if all.len() > MOST {
                    return Err("it becomes more than 256 MiB");
                }
                continue;
            }
            match self.decoder.reset(&mut rest) {
                Ok(()) => self.is_within = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    self.passed = length as usize;
                }
                Err(_) => return Err(DAMAGED),
            }
        }
        if is_last && (self.is_within || self.passed > 0) {
            return Err(DAMAGED);
        }
        self.waiting = rest.to_vec();
        Ok(all)
    }
}
