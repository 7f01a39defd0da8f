//! Chunks of bytes in, whole units out.

use std::mem;

use memchr::{memchr, memchr_iter};

use super::{Cut, UnitCount};
use crate::content::{BlockBytes, BlockStart, Content, MAX_RECORD, lone_crs};

/// The results of a chunk, together with the rest of previous chunks.
#[derive(Debug)]
pub enum CutPiece {
    /// Whole units.
    Units(BlockBytes),
    /// A unit that is too long begins.
    TooLong,
    /// A part of it has been passed over.
    Passed {
        /// How many lines it has.
        lines: u64,
        /// How many bytes less are held. Their sum is the length of the unit, once all of it has been passed over.
        bytes: i64,
    },
}

impl CutPiece {
    /// How many bytes it has. Those of a unit that is too long are in its parts.
    pub fn bytes(&self) -> i64 {
        match self {
            CutPiece::Units(bytes) => bytes.len() as i64,
            CutPiece::TooLong => 0,
            CutPiece::Passed { bytes, .. } => *bytes,
        }
    }
}

/// Takes chunks in their order, and gives whole units. What waits for its end is held here.
pub struct Cutter {
    cut: Box<dyn Cut>,
    counts: UnitCount,
    /// The beginning of a unit, and how many bytes of it have been looked at.
    rest: Vec<u8>,
    scanned: usize,
    /// Whether the last byte was a CR, which is not in the rest yet.
    is_after_cr: bool,
    /// Whether a unit is passed over.
    passes: bool,
    is_first: bool,
}

impl Cutter {
    /// No bytes yet. Units are counted like this.
    pub fn new(cut: Box<dyn Cut>, counts: UnitCount) -> Cutter {
        Cutter { cut, counts, rest: Vec::new(), scanned: 0, is_after_cr: false, passes: false, is_first: true }
    }

    /// How units are counted.
    pub fn counts(&self) -> UnitCount {
        self.counts
    }

    /// Whether each CR alone becomes LF, by [`replace_crs`], before a chunk comes here.
    pub fn ends_lines_at_cr(&self) -> bool {
        self.cut.ends_lines_at_cr()
    }

    /// Where the first unit begins, if it begins in this line.
    pub fn start_at(&self, at: BlockStart) -> BlockStart {
        if self.counts.has_lines { BlockStart { number: 1, line: at.number, ..at } } else { at }
    }

    /// Takes a chunk, which may be empty. After the last one, nothing is held, and there has been at least one piece, which may be empty.
    ///
    /// Where a CR alone ends lines, [`replace_crs`] has said whether it begins with LF.
    pub fn push(&mut self, mut bytes: BlockBytes, begins_with_lf: bool, is_last: bool) -> Vec<CutPiece> {
        if self.ends_lines_at_cr() && (!bytes.is_empty() || is_last) {
            if self.is_after_cr {
                self.rest.push(if begins_with_lf { b'\r' } else { b'\n' });
            }
            self.is_after_cr = bytes.ends_with(b"\r");
            if let Some(last) = bytes.len().checked_sub(1).filter(|_| self.is_after_cr) {
                // An LF may follow, unless this is the end.
                bytes[last] = b'\n';
                bytes.truncate(last + usize::from(is_last));
            }
        }
        if bytes.len() < self.rest.len() {
            // What waits for its end stays where it is: to move it for each of many short chunks would take long.
            self.rest.extend_from_slice(&bytes);
            bytes = mem::take(&mut self.rest).into();
        } else {
            bytes.prepend(&self.rest);
            self.rest.clear();
        }
        let mut pieces = Vec::with_capacity(1);
        loop {
            if self.passes {
                let (mut rest, has_lines) = (bytes.to_vec(), self.counts.has_lines);
                let lines = |bytes: &[u8]| if has_lines { memchr_iter(b'\n', bytes).count() as u64 } else { 0 };
                let (before, length) = (lines(&rest), rest.len() as i64);
                self.passes = !self.cut.pass_over(&mut rest);
                pieces.push(CutPiece::Passed { lines: before - lines(&rest), bytes: length - rest.len() as i64 });
                if self.passes {
                    self.rest = rest;
                    break;
                }
                self.cut.begin();
                self.scanned = 0;
                bytes = rest.into();
            }
            if bytes.is_empty() {
                break;
            }
            let end = self.cut.last_end(&bytes, self.scanned).or(is_last.then_some(bytes.len()));
            self.scanned = bytes.len();
            if let Some(end) = end {
                let rest = bytes[end..].to_vec();
                bytes.truncate(end);
                pieces.push(CutPiece::Units(bytes));
                self.cut.begin();
                self.scanned = 0;
                if !is_last {
                    self.rest = rest;
                    break;
                }
                bytes = rest.into();
            } else if bytes.len() > MAX_RECORD {
                pieces.push(CutPiece::TooLong);
                self.passes = true;
            } else {
                self.rest = bytes.into_vec();
                break;
            }
        }
        if is_last && self.is_first && pieces.is_empty() {
            pieces.push(CutPiece::Units(BlockBytes::default()));
        }
        self.is_first &= pieces.is_empty();
        pieces
    }
}

/// Each CR alone becomes LF, except one at the end, after which an LF may come. Returns whether the bytes began with LF.
pub fn replace_crs(bytes: &mut [u8]) -> bool {
    let begins_with_lf = bytes.starts_with(b"\n");
    let whole = bytes.len() - usize::from(bytes.ends_with(b"\r"));
    let bytes = &mut bytes[..whole];
    if memchr(b'\r', bytes).is_some() {
        let places: Vec<usize> = lone_crs(bytes).collect();
        places.into_iter().for_each(|at| bytes[at] = b'\n');
    }
    begins_with_lf
}

/// How far a piece goes.
#[derive(Clone, Copy, Debug)]
pub struct PieceEnd {
    /// Units, and lines where messages name them.
    units: u64,
    lines: u64,
    /// How many bytes come after the last line end, and whether those before it count as well.
    column: usize,
    goes_on: bool,
    bytes: i64,
}

impl PieceEnd {
    /// How far this piece goes, whose units are counted so.
    pub fn of(piece: &CutPiece, UnitCount { units, has_lines }: UnitCount) -> PieceEnd {
        match piece {
            CutPiece::Units(bytes) => {
                let BlockStart { number, line, column, byte } =
                    BlockStart { number: 0, line: 0, column: 0, byte: 0 }.after(bytes, units(bytes), has_lines);
                PieceEnd { units: number, lines: line, column, goes_on: line == 0, bytes: byte as i64 }
            }
            CutPiece::TooLong => PieceEnd { units: 1, lines: 0, column: 0, goes_on: true, bytes: 0 },
            CutPiece::Passed { lines, bytes } => {
                PieceEnd { units: 0, lines: *lines, column: 0, goes_on: false, bytes: *bytes }
            }
        }
    }

    /// Where the next piece begins, if this one begins here.
    pub fn after(self, start: BlockStart) -> BlockStart {
        let column = if self.goes_on { start.column + self.column } else { self.column };
        let (number, line) = (start.number + self.units, start.line + self.lines);
        BlockStart { number, line, column, byte: start.byte.wrapping_add_signed(self.bytes) }
    }
}

/// The content of these pieces. The first begins here, and each ends there.
pub fn contents(mut start: BlockStart, pieces: Vec<CutPiece>, steps: Vec<PieceEnd>) -> Vec<(BlockStart, Content)> {
    let mut contents = Vec::with_capacity(1);
    for (piece, step) in pieces.into_iter().zip(steps) {
        let at = start;
        start = step.after(at);
        match piece {
            CutPiece::Units(bytes) => contents.push((at, Content::Bytes(bytes))),
            CutPiece::TooLong => contents.push((at, Content::TooLong)),
            CutPiece::Passed { .. } => {}
        }
    }
    contents
}

/// Takes chunks one after the other, and gives whole units with their places.
pub struct Contents {
    cutter: Cutter,
    start: BlockStart,
}

impl Contents {
    /// No bytes yet. The first unit begins here.
    pub fn new(cutter: Cutter, start: BlockStart) -> Contents {
        Contents { cutter, start }
    }

    /// Takes a chunk, as [`Cutter::push`] does.
    pub fn push(&mut self, mut bytes: BlockBytes, is_last: bool) -> Vec<(BlockStart, Content)> {
        let begins_with_lf = self.cutter.ends_lines_at_cr() && replace_crs(&mut bytes);
        let counts = self.cutter.counts();
        let pieces = self.cutter.push(bytes, begins_with_lf, is_last);
        let steps: Vec<PieceEnd> = pieces.iter().map(|piece| PieceEnd::of(piece, counts)).collect();
        let first = self.start;
        steps.iter().for_each(|step| self.start = step.after(self.start));
        contents(first, pieces, steps)
    }

    /// Where the next unit begins.
    pub fn start(&self) -> BlockStart {
        self.start
    }
}

/// Cuts a text that comes in parts of this many bytes, and passes all that it holds to `take`, until that fails. Returns how many bytes
/// were taken.
#[cfg(test)]
pub fn cut_in_parts<E>(
    cutter: Cutter,
    start: BlockStart,
    text: &[u8],
    size: usize,
    take: &mut dyn FnMut(BlockStart, Content) -> Result<(), E>,
) -> (Result<(), E>, usize) {
    let (mut contents, mut count) = (Contents::new(cutter, start), 0);
    let parts = text.chunks(size).map(|part| (part, false)).chain([(&b""[..], true)]);
    let done = parts.into_iter().try_for_each(|(part, is_last)| {
        count += part.len();
        contents.push(part.to_vec().into(), is_last).into_iter().try_for_each(|(start, content)| take(start, content))
    });
    (done, count)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::cut::WholeLines;

    #[test]
    fn many_short_chunks_of_a_long_line_take_linear_time() {
        const SHORT: usize = 50_000;
        let mut contents = Contents::new(Cutter::new(Box::new(WholeLines), UnitCount::LINES), 1.into());
        let (long, begun) = (vec![b'x'; MAX_RECORD - SHORT], Instant::now());
        assert!(contents.push(long.into(), false).is_empty());
        assert!((0..SHORT).all(|_| contents.push(b"y".to_vec().into(), false).is_empty()));
        let units = contents.push(b"\nz".to_vec().into(), true);
        // To move the line for each byte would take minutes.
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        let lengths: Vec<_> = units.iter().map(|(start, content)| (start.number, content.bytes().len())).collect();
        assert_eq!(lengths, [(1, MAX_RECORD + 1), (2, 1)]);
    }
}
