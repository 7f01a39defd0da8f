//! Parallel decompression of zstd files with many frames, as written by `pzstd`, for example for the Lichess database.
//!
//! This is used for files of 2 MiB or more, with three threads or more. At most 128 MiB are in flight. The reading thread
//! decompresses a larger or malformed frame and all frames after it, so errors come after the same rows. Streams are not read
//! ahead, because their rows would wait for bytes that have not arrived yet.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;
use std::sync::Arc;

use zstd::bulk::Decompressor;
use zstd::stream::raw::{self, Operation};
use zstd::stream::zio;
use zstd::zstd_safe::{
    DCtx, DParameter, InBuffer, OutBuffer, WriteBuf, decompress_bound, find_frame_compressed_size, get_error_name,
    get_frame_content_size, zstd_sys::ZSTD_ErrorCode,
};

use crate::ordered::{PendingResult, Pool};

/// The largest window of a frame is 2 to this power, 128 MiB: the largest that `zstd` itself accepts by default.
const WINDOW_LOG: u32 = 27;

/// How many compressed bytes one task has at least, so that small frames do not cost a task each.
const PIECE: usize = 1 << 20;
/// A larger frame is left to the thread that reads, and so is all after it. At level 19, `pzstd` makes frames of 32 MiB, of
/// which 4 to 7 MiB are left.
const MOST_COMPRESSED: usize = 12 << 20;
/// The same for the bytes that it holds, and for its window.
const MOST: usize = 32 << 20;
/// The most memory that all frames take, compressed or not: as much as the largest window, which is not there at the same
/// time. The budget of blocks does not count it: who waits for that budget is the thread that holds the frames.
const MEMORY: usize = 1 << WINDOW_LOG;

/// The bytes of all frames. Errors come after the same bytes as without threads, because whatever is out of the ordinary is
/// left to [`decoder`].
pub struct Frames {
    bytes: BufReader<Box<dyn Read>>,
    /// Advice for windows that are too large.
    long_window: &'static str,
    pool: Arc<Pool>,
    /// The bytes that have been read, but are not in a task yet. They begin with a frame.
    taken: Vec<u8>,
    /// The tasks in order, each with the maximum memory that it needs.
    pieces: VecDeque<(usize, PendingResult<DecompressedFrames>)>,
    /// Some frame was out of the ordinary: all later ones are left to the decoder.
    has_failed: bool,
    /// The current output: a text, or the decoder. And the maximum memory that it needs.
    text: Cursor<Vec<u8>>,
    rest: Box<dyn Read>,
    size: usize,
}

/// The content of frames, or the frames themselves if they cannot be decompressed in memory.
type DecompressedFrames = Result<Vec<u8>, Vec<u8>>;

/// Decompresses frame after frame on the thread that reads. Zero bytes around them are padding. `long_window` is what to do about
/// a window that is too large.
///
/// # Errors
///
/// There is no memory for it.
pub fn decoder(bytes: impl Read + 'static, long_window: &'static str) -> io::Result<Box<dyn Read>> {
    let bytes = BufReader::with_capacity(DCtx::in_size(), bytes);
    Ok(Box::new(zio::Reader::new(
        bytes,
        PaddedFrames { is_between: true, ..PaddedFrames::new(WINDOW_LOG, long_window)? },
    )))
}

/// Decompresses frames with zero bytes after them.
pub struct PaddedFrames {
    decoder: raw::Decoder<'static>,
    /// Whether zero bytes may be next: a frame has ended.
    is_between: bool,
    window_log: u32,
    long_window: &'static str,
}

impl PaddedFrames {
    /// Decompresses frames with windows up to this size, given by its logarithm. `long_window` is what to do about others.
    ///
    /// # Errors
    ///
    /// There is no memory for it.
    pub fn new(window_log: u32, long_window: &'static str) -> io::Result<PaddedFrames> {
        let mut decoder = raw::Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(window_log))?;
        Ok(PaddedFrames { decoder, is_between: false, window_log, long_window })
    }
}

impl Operation for PaddedFrames {
    fn run<C: WriteBuf + ?Sized>(
        &mut self,
        input: &mut InBuffer<'_>,
        output: &mut OutBuffer<'_, C>,
    ) -> io::Result<usize> {
        if self.is_between {
            input.pos += input.src[input.pos..].iter().take_while(|byte| **byte == 0).count();
            if input.pos == input.src.len() {
                return Ok(0);
            }
        }
        let hint = self.decoder.run(input, output).map_err(|error| {
            if error.to_string() != too_large_a_window() {
                return error;
            }
            let (most, advice) = (1 << (self.window_log - 20), self.long_window);
            io::Error::other(format!("zstd window exceeds {most} MiB; decompress it first: {advice}"))
        })?;
        self.is_between = hint == 0;
        Ok(hint)
    }

    fn reinit(&mut self) -> io::Result<()> {
        self.decoder.reinit()
    }

    fn finish<C: WriteBuf + ?Sized>(&mut self, output: &mut OutBuffer<'_, C>, _: bool) -> io::Result<usize> {
        self.decoder.finish(output, self.is_between)
    }
}

/// The error message of zstd for a window that is too large.
fn too_large_a_window() -> &'static str {
    // An error is the negative of its number.
    get_error_name((ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as usize).wrapping_neg())
}

impl Frames {
    /// Decompresses these bytes on this pool. They are read ahead, so none of them should have to be waited for.
    pub fn new(bytes: Box<dyn Read>, long_window: &'static str, pool: Arc<Pool>) -> Frames {
        Frames {
            bytes: BufReader::new(bytes),
            long_window,
            pool,
            taken: Vec::new(),
            pieces: VecDeque::new(),
            has_failed: false,
            text: Cursor::default(),
            rest: Box::new(io::empty()),
            size: 0,
        }
    }

    /// Passes to the next text. Returns false at the end.
    fn pass(&mut self) -> io::Result<bool> {
        // The memory is used again. Otherwise the system would clear it for each piece.
        let mut spare = mem::take(&mut self.text).into_inner();
        (self.rest, self.size) = (Box::new(io::empty()), 0);
        // No task waits for another one, so all of them come to an end, whether this thread waits for them or not.
        while self.has_room()
            && let Some((end, most)) = self.next_frames()
        {
            let rest = self.taken.split_off(end);
            let (frames, room) = (mem::replace(&mut self.taken, rest), mem::take(&mut spare));
            let size = end + most.max(room.capacity());
            self.pieces.push_back((size, self.pool.run(move || decompress(frames, room, most))));
        }
        if let Some((size, piece)) = self.pieces.pop_front() {
            self.size = size;
            match piece.get() {
                Ok(text) => self.text = Cursor::new(text),
                Err(frames) => {
                    self.has_failed = true;
                    self.rest = decoder(Cursor::new(frames), self.long_window)?;
                }
            }
            return Ok(true);
        }
        if self.taken.is_empty() && self.bytes.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let bytes = mem::replace(&mut self.bytes, BufReader::new(Box::new(io::empty())));
        self.rest = decoder(Cursor::new(mem::take(&mut self.taken)).chain(bytes), self.long_window)?;
        Ok(true)
    }

    /// Whether there is a thread and memory for any more frames.
    fn has_room(&self) -> bool {
        let memory: usize = self.pieces.iter().map(|(size, _)| size).sum();
        !self.has_failed
            && self.pieces.len() < self.pool.threads()
            && self.size + memory + MOST + MOST_COMPRESSED + 2 * PIECE <= MEMORY
    }

    /// The end of the next frames among the bytes taken, as many as one task decompresses, and the most bytes that they hold.
    /// `None` if there are none, or if the first one is unusual.
    fn next_frames(&mut self) -> Option<(usize, usize)> {
        let (mut end, mut most) = (0, 0);
        loop {
            while end < PIECE
                && let Some((length, content)) = self.frame(end)
                && (end == 0 || most + content <= MOST)
            {
                end += length;
                most += content;
            }
            if end > 0 || self.taken.first() != Some(&0) {
                return (end > 0).then_some((end, most));
            }
            self.pass_padding();
        }
    }

    /// Passes over zero bytes, as far as they can be read.
    fn pass_padding(&mut self) {
        loop {
            let zeros = self.taken.iter().take_while(|byte| **byte == 0).count();
            self.taken.drain(..zeros);
            // An error is met again.
            let next = if self.taken.is_empty() { self.bytes.fill_buf().unwrap_or_default() } else { &[] };
            self.taken.extend_from_slice(next);
            let length = next.len();
            self.bytes.consume(length);
            if length == 0 {
                return;
            }
        }
    }

    /// The length of the frame that begins here, and the most bytes that it holds. `None` if it is too large, is wrong or has
    /// no end.
    fn frame(&mut self, start: usize) -> Option<(usize, usize)> {
        loop {
            let bytes = &self.taken[start..];
            if bytes.first() == Some(&0) || !may_be_small(bytes) {
                return None;
            }
            if let Ok(length) = find_frame_compressed_size(bytes) {
                // Blocks may hold less than they can, so a frame of more may fit as well. If not, its task fails.
                let most = decompress_bound(&bytes[..length]).ok()?.min(MOST as u64);
                return Some((length, most as usize));
            }
            // An error that ends this is met again by the decoder.
            let is_more = bytes.len() < MOST_COMPRESSED
                && self.bytes.by_ref().take(PIECE as u64).read_to_end(&mut self.taken).is_ok_and(|read| read > 0);
            if !is_more {
                return None;
            }
        }
    }
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match self.text.read(buffer)? {
                0 => self.rest.read(buffer)?,
                read => read,
            };
            if read > 0 || buffer.is_empty() || !self.pass()? {
                return Ok(read);
            }
        }
    }
}

/// Whether neither the window nor the content is too large, by the header of a frame, as far as it is there.
fn may_be_small(bytes: &[u8]) -> bool {
    let window = match bytes {
        // Without a window of its own, a frame has one as large as its content.
        [0x28, 0xb5, 0x2f, 0xfd, descriptor, window, ..] if descriptor & 0x20 == 0 => {
            (8 + u64::from(window & 7)) << (7 + (window >> 3))
        }
        _ => 0,
    };
    let content = get_frame_content_size(bytes).ok().flatten().unwrap_or(0);
    window.max(content) <= MOST as u64
}

/// Decompresses whole frames that hold at most this many bytes, into memory that is used again.
fn decompress(frames: Vec<u8>, mut text: Vec<u8>, most: usize) -> DecompressedFrames {
    text.clear();
    let is_done = text.try_reserve_exact(most).is_ok()
        && Decompressor::new().is_ok_and(|mut decoder| decoder.decompress_to_buffer(&frames, &mut text).is_ok());
    if is_done { Ok(text) } else { Err(frames) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn pools() -> [Arc<Pool>; 3] {
        [3, 4, 16].map(|threads| Arc::new(Pool::new(threads).unwrap()))
    }

    /// Numbers that look random.
    fn random(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state >> 33
        }
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut next = random(1);
        (0..length.div_ceil(4)).flat_map(|_| (next() as u32).to_le_bytes()).take(length).collect()
    }

    fn frame(text: &[u8], has_size: bool, has_checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.set_pledged_src_size(has_size.then_some(text.len() as u64)).unwrap();
        encoder.include_contentsize(has_size).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn skippable(length: usize) -> Vec<u8> {
        [b"\x5a\x2a\x4d\x18".as_slice(), &(length as u32).to_le_bytes(), &vec![7; length]].concat()
    }

    /// The bytes, and the error at their end.
    fn read(mut bytes: impl Read) -> (Vec<u8>, Option<String>) {
        let (mut text, mut window) = (Vec::new(), vec![0; 8 << 10]);
        loop {
            match bytes.read(&mut window) {
                Ok(0) => return (text, None),
                Ok(read) => text.extend_from_slice(&window[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (text, Some(error.to_string())),
            }
        }
    }

    fn frames(bytes: &[u8], pool: &Arc<Pool>) -> Frames {
        Frames::new(Box::new(Cursor::new(bytes.to_vec())), "", pool.clone())
    }

    /// Checks that threads make no difference. Returns what there is.
    fn check(bytes: &[u8], pools: &[Arc<Pool>], what: &str) -> (Vec<u8>, Option<String>) {
        let (text, error) = read(decoder(Cursor::new(bytes.to_vec()), "").unwrap());
        for pool in pools {
            let found = read(frames(bytes, pool));
            // Texts of megabytes are not printed.
            assert!(found.0 == text, "{what}, {} threads: {} bytes of {}", pool.threads(), found.0.len(), text.len());
            assert_eq!(found.1, error, "{what}, {} threads", pool.threads());
        }
        (text, error)
    }

    #[test]
    fn frames_of_any_size_are_one_text() {
        let (pools, noise) = (pools(), noise(4 << 20));
        for seed in 0..12 {
            let mut next = random(seed);
            let (mut bytes, mut text) = (Vec::new(), Vec::new());
            for _ in 0..next() % 60 {
                let length = next() as usize % (1 << (next() % 23));
                match next() % 5 {
                    0 => bytes.extend(skippable(length / 4)),
                    4 => bytes.extend(vec![0; length / 4]),
                    kind => {
                        let start = next() as usize % (noise.len() - length + 1);
                        // Half of the frames get smaller.
                        let part = if kind == 1 { vec![b'x'; length] } else { noise[start..][..length].to_vec() };
                        bytes.extend(frame(&part, next().is_multiple_of(2), next().is_multiple_of(2)));
                        text.extend(part);
                    }
                }
            }
            // No bytes at all are no zstd.
            bytes.extend(frame(b"end", true, true));
            text.extend(b"end");
            assert!(check(&bytes, &pools, &format!("seed {seed}")) == (text, None), "{seed}");
        }
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_left_to_the_decoder() {
        let few = [frame(&noise(3 << 20), true, true), frame(b"few", false, false)].concat();
        let end = frame(b"end", false, true);
        // One raw block, under a header with a window of 2 to this power.
        let window = |log: u8| [b"\x28\xb5\x2f\xfd\0", [(log - 10) << 3].as_slice(), b"\x19\0\0abc"].concat();
        let with_size = |size: u64| [b"\x28\xb5\x2f\xfd\xe0", size.to_le_bytes().as_slice(), b"\x19\0\0abc"].concat();
        let zeros = vec![0; MOST + 1];
        let cases = [
            ("as much as fits", frame(&zeros[1..], true, true), Some(MOST)),
            ("as much as fits, without a size", frame(&zeros[1..], false, true), Some(MOST)),
            ("a byte more", frame(&zeros, true, true), Some(MOST + 1)),
            ("a byte more, without a size", frame(&zeros, false, true), Some(MOST + 1)),
            ("too many compressed bytes", frame(&noise(MOST_COMPRESSED + 1), false, false), Some(MOST_COMPRESSED + 1)),
            ("much to skip", skippable(MOST_COMPRESSED + 1), Some(0)),
            ("a large window", window(27), Some(3)),
            ("too large a window", window(28), None),
            ("the largest window", window(41), None),
            ("the right size", with_size(3), Some(3)),
            ("too small a size", with_size(2), None),
            ("too large a size", with_size(4), None),
            ("a size beyond any memory", with_size(u64::MAX - 2), None),
            ("a reserved bit", [b"\x28\xb5\x2f\xfd\x08".as_slice(), &window(20)[5..]].concat(), None),
            ("a reserved block", b"\x28\xb5\x2f\xfd\0\x50\x1f\0\0abc".to_vec(), None),
            ("a dictionary", [b"\x28\xb5\x2f\xfd\x01\x50\x07".as_slice(), &window(20)[6..]].concat(), None),
            ("gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01\0\0\0".to_vec(), None),
            ("zeros", vec![0; 5], Some(0)),
            ("many zeros", vec![0; 3 * PIECE], Some(0)),
            ("zeros and other bytes", b"\0\0x".to_vec(), None),
            ("lines", b"\n\n".to_vec(), None),
        ];
        let pools = pools();
        for (what, case, length) in cases {
            let (text, error) = check(&[few.as_slice(), &case, &few, &end].concat(), &pools, what);
            assert_eq!(error.is_none(), length.is_some(), "{what}: {error:?}");
            let before = (3 << 20) + 3;
            assert!(
                text.len() >= before && length.is_none_or(|length| text.len() == 2 * before + length + 3),
                "{what}"
            );
        }
    }

    #[test]
    fn errors_come_where_they_come_without_threads() {
        // What is skipped puts each frame into a task of its own.
        let parts = [(true, true), (false, true), (true, false), (false, false)]
            .map(|(has_size, has_checksum)| frame(b"positions, positions", has_size, has_checksum));
        let gap = skippable(PIECE);
        let whole = parts.join(gap.as_slice());
        let starts: Vec<usize> =
            (0..4).map(|part| parts[..part].iter().map(|part| part.len() + gap.len()).sum()).collect();
        let pools = &pools()[..1];
        for (part, &start) in parts.iter().zip(&starts) {
            // Also in the header of what is skipped. No bytes at all are no zstd.
            for at in start.max(1)..(start + part.len() + 9).min(whole.len()) {
                let (text, error) = check(&whole[..at], pools, &format!("cut at {at}"));
                let ends = starts.iter().zip(&parts).map(|(start, part)| start + part.len());
                assert!(text.len() >= 20 * ends.filter(|&end| end <= at).count(), "cut at {at}");
                let is_end = at == start || at == start + part.len();
                assert_eq!(error.is_none(), is_end, "cut at {at}: {error:?}");
                for mask in [1, 0x20, 0xff] {
                    let mut wrong = whole.clone();
                    wrong[at] ^= mask;
                    // How zstd reads a frame, at once or in parts, depends on how it lies in buffers. So the error is not always
                    // the same, nor where in the wrong frame it comes.
                    let (text, error) = read(decoder(Cursor::new(wrong.clone()), "").unwrap());
                    let found = read(frames(&wrong, &pools[0]));
                    assert_eq!(found.1.is_some(), error.is_some(), "{mask} at {at}");
                    let before =
                        20 * starts.iter().zip(&parts).filter(|(start, part)| *start + part.len() <= at).count();
                    let common = text.len().min(found.0.len());
                    assert!(common >= before && text[..common] == found.0[..common], "{mask} at {at}");
                    assert!(error.is_some() || text.len() == found.0.len(), "{mask} at {at}");
                }
            }
        }
    }

    /// Keeps failing after its bytes.
    struct Failing(Cursor<Vec<u8>>);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the line is dead")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn bytes_that_cannot_be_read_are_an_error_after_those_before() {
        let pool = &pools()[0];
        let one = frame(&noise(PIECE), false, true);
        let dead = Some("the line is dead".to_owned());
        for (length, expected) in [(one.len(), PIECE), (one.len() + 2, PIECE), (2 * one.len(), 2 * PIECE)] {
            let bytes = Failing(Cursor::new(one.repeat(2)[..length].to_vec()));
            let (text, error) = read(Frames::new(Box::new(bytes), "", pool.clone()));
            assert_eq!((text.len(), error), (expected, dead.clone()));
        }
    }

    #[test]
    fn many_frames_are_in_work_at_a_time_but_never_too_much_memory() {
        let pool = &pools()[2];
        // Small frames, ordinary ones, and the largest of pzstd, which do not say what they hold.
        for (length, part, count, least) in [(100, 100, 100_000, 9), (PIECE, PIECE, 40, 15), (MOST, 1 << 10, 8, 2)] {
            let text = noise(part).repeat(length / part);
            let bytes = frame(&text, length != MOST, true).repeat(count);
            let mut frames = frames(&bytes, pool);
            let (mut read, mut most, mut window) = (0, 0, vec![0; 64 << 10]);
            loop {
                let now = frames.read(&mut window).unwrap();
                let memory = frames.size + frames.pieces.iter().map(|(size, _)| size).sum::<usize>();
                assert!(memory + frames.taken.len() <= MEMORY && frames.pieces.len() <= 16);
                most = most.max(frames.pieces.len());
                read += now;
                if now == 0 {
                    break;
                }
            }
            assert!(read == length * count && most >= least && !frames.has_failed, "{length}: {read}, {most}");
        }
    }

    #[test]
    fn what_is_not_wanted_is_not_waited_for() {
        let pool = Arc::new(Pool::new(3).unwrap());
        let mut frames = frames(&frame(&noise(PIECE), true, true).repeat(10), &pool);
        frames.read_exact(&mut [0; 10]).unwrap();
        drop(frames);
        // The tasks come to an end, so the pool is free.
        assert_eq!(pool.run(|| 7).get(), 7);
    }
}
