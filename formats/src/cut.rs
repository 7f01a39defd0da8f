//! Splitting of bytes after whole units, and the lines of a text. This module knows no format.

mod cutter;
pub mod structural;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memrchr};

#[cfg(doc)]
use crate::content::MAX_RECORD;
#[cfg(test)]
pub use cutter::cut_in_parts;
pub use cutter::{Contents, CutPiece, Cutter, PieceEnd, contents, replace_crs};

/// How many bytes are read at a time, which is also about the size of a block, unless the caller says otherwise. Blocks are
/// small because several of them wait in memory with their results, which are up to a hundred times as large.
pub const READ: usize = 32 << 10;

/// How many bytes a block of games is to have, if one of lines is to have this many. A ply takes from 5 to 30 bytes, a line of FEN 60.
pub fn games_bytes(lines: usize) -> usize {
    (lines / 4).max(1)
}

/// Where bytes may be cut: after whole units, such as lines. The bytes always begin with a unit.
pub trait Cut: Send {
    /// The end of the last whole unit, if one ends after `from`. The bytes before `from` have been looked at already.
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize>;

    /// The bytes begin anew, after a cut.
    fn begin(&mut self) {}

    /// Removes bytes of a unit that is passed over, because it has more than [`MAX_RECORD`]. Those that are needed to find its end may
    /// stay. Returns whether the next unit begins after those that were removed. By default, it does after a line end.
    fn pass_over(&mut self, bytes: &mut Vec<u8>) -> bool {
        let end = memchr(b'\n', bytes);
        bytes.drain(..end.map_or(bytes.len(), |end| end + 1));
        end.is_some()
    }

    /// Whether a CR alone ends a line. It becomes LF before anything else looks at it.
    fn ends_lines_at_cr(&self) -> bool {
        false
    }

    /// The same at the beginning of another text.
    fn again(&self) -> Box<dyn Cut>;

    /// How many bytes each unit has, if all have the same number.
    fn unit_bytes(&self) -> Option<u64> {
        None
    }
}

/// How the units of some bytes are counted.
#[derive(Clone, Copy, Debug)]
pub struct UnitCount {
    /// How many units begin in these bytes, which have been cut off: the number of the next one is larger by this.
    pub units: fn(&[u8]) -> u64,
    /// Whether messages name lines although units are not lines.
    pub has_lines: bool,
}

impl UnitCount {
    /// Each line is a unit.
    pub const LINES: UnitCount =
        UnitCount { units: |bytes| memchr_iter(b'\n', bytes).count() as u64, has_lines: false };
}

/// Each line is a unit.
#[derive(Debug)]
pub struct WholeLines;

impl Cut for WholeLines {
    fn last_end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        memrchr(b'\n', &bytes[from..]).map(|end| from + end + 1)
    }

    fn again(&self) -> Box<dyn Cut> {
        Box::new(WholeLines)
    }

    fn ends_lines_at_cr(&self) -> bool {
        true
    }
}

/// Whether a line holds only blanks or a comment.
pub fn is_blank(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}

/// The range of the first line end of a text: LF, CR LF or CR.
pub fn line_end(text: &[u8]) -> Option<Range<usize>> {
    let at = memchr2(b'\n', b'\r', text)?;
    Some(at..at + if text[at..].starts_with(b"\r\n") { 2 } else { 1 })
}

/// The lines of a text without their ends, LF or CR LF. In blocks of lines, no other CR ends one.
pub fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let line = &text[..end];
        text = text.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_are_taken_off() {
        let lines: Vec<&[u8]> = lines(b"a\r\nb\n\nc\r\n\r\ne").collect();
        assert_eq!(lines, [b"a".as_slice(), b"b", b"", b"c", b"", b"e"]);
    }
}
