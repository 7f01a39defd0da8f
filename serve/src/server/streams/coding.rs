//! Compression of requests and responses: gzip and zstd, in pieces.
//!
//! A piece of output is short however much its input expands to, and is scheduled with the other work of the pool. So a
//! decompression bomb costs its sender time, but no memory.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::StatusCode;
use slider_attacks_files::compression::Members;
use slider_attacks_files::frames::PaddedFrames;
use tonic::Code;
use zstd::stream::zio;

use crate::server::connection::client::OpenStream;
use crate::server::limits::budget::HeldBytes;
use crate::server::pool::Lane;
use crate::server::refusal::Refusal;

/// The most bytes that are unpacked at a time.
const PIECE: usize = 64 << 10;
/// The most bytes that are packed at a time.
const PACKED: usize = 256 << 10;
/// The maximum decompressed size of a body: this many bytes, and this many more for each that came. Positions become a tenth or
/// so.
const MOST: (u64, u64) = (16 << 20, 256);
/// The window of zstd, by its logarithm: as <https://www.rfc-editor.org/rfc/rfc9659> has it for HTTP.
pub const WINDOW: u32 = 23;
/// The window of an answer in zstd, by its logarithm: rows are like those just before them.
const SMALL_WINDOW: u32 = 18;

/// The memory for compressing a response: the window, hash tables, and a block.
pub const PACKING: u64 = 1 << 20;

/// How many windows there may be at a time. A frame may ask for one with a few bytes, so they are counted. They are no part of
/// what clients may hold: a client whose share was full of windows could not send what they wait for.
pub fn most_windows(held_bytes: u32) -> u32 {
    (held_bytes >> WINDOW >> 2).max(4)
}

/// A way to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
}

impl Coding {
    /// All, the better ones first.
    pub const ALL: [Coding; 2] = [Coding::Zstd, Coding::Gzip];

    /// The name in HTTP.
    pub const fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Zstd => "zstd",
        }
    }
}

/// The received bytes that are not decompressed yet.
#[derive(Default)]
struct PushedBytes {
    bytes: Bytes,
    has_ended: bool,
}

impl Read for PushedBytes {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.len().min(room.len());
        self.bytes.copy_to_slice(&mut room[..count]);
        Ok(count)
    }
}

impl BufRead for PushedBytes {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes.is_empty() && !self.has_ended { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(&self.bytes) }
    }

    fn consume(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

enum Decompressor {
    Gzip(Box<Members<PushedBytes>>),
    Zstd(Box<zio::Reader<PushedBytes, PaddedFrames>>),
}

impl Decompressor {
    fn came(&mut self) -> &mut PushedBytes {
        match self {
            Decompressor::Gzip(reader) => reader.get_mut(),
            Decompressor::Zstd(reader) => reader.reader_mut(),
        }
    }

    /// Unpacks as much as there is, but no more than a piece. Returns why it stopped, too.
    fn piece(&mut self) -> io::Result<(Vec<u8>, Stop)> {
        let mut piece = vec![0; PIECE];
        let (mut length, mut stop) = (0, Stop::Full);
        while length < PIECE {
            let room = &mut piece[length..];
            let read = match self {
                Decompressor::Gzip(reader) => reader.read(room),
                Decompressor::Zstd(reader) => reader.read(room),
            };
            match read {
                Ok(0) => {
                    stop = Stop::End;
                    break;
                }
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    stop = Stop::Empty;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        piece.truncate(length);
        Ok((piece, stop))
    }
}

/// Why a piece ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// It is as long as it may be.
    Full,
    /// More must come first.
    Empty,
    /// There is no more.
    End,
}

/// A body on its way to be unpacked.
pub struct Unpacking {
    coding: Coding,
    /// Not there while a thread works with it.
    reader: Option<Decompressor>,
    lane: Arc<Lane>,
    came: u64,
    unpacked: u64,
    /// Where the last piece stopped.
    stop: Stop,
    _window: Option<OpenStream>,
}

impl Unpacking {
    /// No bytes yet. zstd needs a window.
    pub fn new(
        coding: Coding,
        lane: Arc<Lane>,
        window: impl FnOnce() -> Result<OpenStream, Refusal>,
    ) -> Result<Unpacking, Refusal> {
        let (reader, window) = match coding {
            Coding::Gzip => (Decompressor::Gzip(Box::new(Members::new(PushedBytes::default()))), None),
            Coding::Zstd => {
                let frames = PaddedFrames::new(WINDOW, "`zstd -dc --long=31 FILE`");
                let frames = frames.map_err(|_| Refusal::internal("zstd cannot be set up"))?;
                (Decompressor::Zstd(Box::new(zio::Reader::new(PushedBytes::default(), frames))), Some(window()?))
            }
        };
        Ok(Unpacking { coding, reader: Some(reader), lane, came: 0, unpacked: 0, stop: Stop::Empty, _window: window })
    }

    /// More bytes have arrived, or the end.
    pub fn push(&mut self, part: Option<Bytes>) -> Result<(), Refusal> {
        let came = self.reader.as_mut().ok_or_else(|| Refusal::internal("nothing is unpacked meanwhile"))?.came();
        self.came += part.as_ref().map_or(0, Bytes::len) as u64;
        match part {
            Some(part) => came.bytes = part,
            None => came.has_ended = true,
        }
        self.stop = Stop::Full;
        Ok(())
    }

    /// Whether all is unpacked.
    pub fn has_ended(&self) -> bool {
        self.stop == Stop::End
    }

    /// The next piece, if enough has arrived.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        if self.stop != Stop::Full {
            return Ok(None);
        }
        let Some(mut reader) = self.reader.take() else { return Err(Refusal::internal("decompression was cut off")) };
        let work = move || {
            let piece = reader.piece();
            (piece, reader)
        };
        let (piece, reader) = self.lane.begin(300, work).await?;
        self.reader = Some(reader);
        let name = self.coding.name();
        let (piece, stop) = piece.map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                return Refusal::invalid(format!("the body ends within its {name}"));
            }
            let error: String = error.to_string().chars().take(100).collect();
            Refusal::invalid(format!("invalid {name} body: {error}"))
        })?;
        self.stop = stop;
        self.unpacked += piece.len() as u64;
        if self.unpacked > MOST.0.saturating_add(MOST.1.saturating_mul(self.came)) {
            let (bytes, times) = MOST;
            return Err(Refusal::too_large(format!(
                "a body is unpacked to at most {times} times its length and {bytes} bytes, found more"
            )));
        }
        Ok((!piece.is_empty()).then(|| piece.into()))
    }
}

/// The compressor of a response.
pub struct Packing {
    /// Not there while a thread works with it.
    writer: Option<Compressor>,
    lane: Arc<Lane>,
    _held: HeldBytes,
}

enum Compressor {
    Gzip(Box<flate2::write::GzEncoder<Vec<u8>>>),
    Zstd(Box<zstd::stream::write::Encoder<'static, Vec<u8>>>),
}

impl Compressor {
    /// What these bytes give; with `flushes`, all that the client needs to have them and those before.
    fn push(&mut self, bytes: &[u8], flushes: bool) -> io::Result<Vec<u8>> {
        let writer: &mut dyn Write = match self {
            Compressor::Gzip(writer) => writer,
            Compressor::Zstd(writer) => writer,
        };
        writer.write_all(bytes)?;
        if flushes {
            writer.flush()?;
        }
        Ok(std::mem::take(match self {
            Compressor::Gzip(writer) => writer.get_mut(),
            Compressor::Zstd(writer) => writer.get_mut(),
        }))
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip(writer) => writer.finish(),
            Compressor::Zstd(writer) => writer.finish(),
        }
    }
}

impl Packing {
    /// Compresses quickly, as rows are soon made. [`PACKING`] bytes are held for it.
    pub fn new(coding: Coding, lane: Arc<Lane>, held: HeldBytes) -> Result<Packing, Refusal> {
        let failed = |_| Refusal::internal("zstd cannot be set up");
        let writer = match coding {
            Coding::Gzip => {
                Compressor::Gzip(Box::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast())))
            }
            Coding::Zstd => {
                let mut writer = zstd::stream::write::Encoder::new(Vec::new(), 1).map_err(failed)?;
                writer.window_log(SMALL_WINDOW).map_err(failed)?;
                Compressor::Zstd(Box::new(writer))
            }
        };
        Ok(Packing { writer: Some(writer), lane, _held: held })
    }

    /// Packs these bytes, or, without any, the end.
    pub async fn pack(&mut self, bytes: Option<Bytes>) -> Result<Bytes, Refusal> {
        let failed = || Refusal::new(Code::Internal, StatusCode::INTERNAL_SERVER_ERROR, "the answer cannot be packed");
        let mut writer = self.writer.take().ok_or_else(failed)?;
        let Some(mut bytes) = bytes else {
            let packed = self.lane.begin(1, move || writer.finish()).await?;
            return Ok(packed.map_err(|_| failed())?.into());
        };
        let mut all = Vec::new();
        loop {
            let piece = bytes.split_to(bytes.len().min(PACKED));
            let (cost, is_last) = (1 + piece.len() as u64 / 256, bytes.is_empty());
            let work = move || (writer.push(&piece, is_last), writer);
            let (packed, back) = self.lane.begin(cost, work).await?;
            writer = back;
            all.push(packed.map_err(|_| failed())?);
            if is_last {
                self.writer = Some(writer);
                return Ok(all.concat().into());
            }
        }
    }
}
