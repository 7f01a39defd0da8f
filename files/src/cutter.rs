//! Cuts bytes that come in chunks after whole units, such as lines. This knows no format.

use memchr::{memchr, memchr_iter, memrchr};

use crate::content::{Bytes, MAX_RECORD, lone_crs};

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
pub struct Counts {
    /// How many units begin in these bytes, which have been cut off: the number of the next one is larger by this.
    pub units: fn(&[u8]) -> u64,
    /// Whether messages name lines, though units are none.
    pub has_lines: bool,
}

impl Counts {
    /// Each line is a unit.
    pub const LINES: Counts = Counts { units: |bytes| memchr_iter(b'\n', bytes).count() as u64, has_lines: false };
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

/// What a chunk gives, together with what was left of those before.
#[derive(Debug)]
pub enum Piece {
    /// Whole units.
    Units(Bytes),
    /// A unit that is too long begins.
    TooLong,
    /// So many lines of it, which has been passed over.
    Passed(u64),
}

/// Takes chunks in their order, and gives whole units. What waits for its end is held here.
pub struct Cutter {
    cut: Box<dyn Cut>,
    counts: Counts,
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
    /// Nothing has come yet. Units are counted so.
    pub fn new(cut: Box<dyn Cut>, counts: Counts) -> Cutter {
        Cutter { cut, counts, rest: Vec::new(), scanned: 0, is_after_cr: false, passes: false, is_first: true }
    }

    /// How units are counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether each CR alone becomes LF, by [`replace_crs`], before a chunk comes here.
    pub fn ends_lines_at_cr(&self) -> bool {
        self.cut.ends_lines_at_cr()
    }

    /// Takes a chunk, which may be empty. The first one gives at least one piece, which may be empty. After the last one, nothing is
    /// held.
    pub fn push(&mut self, mut bytes: Bytes, is_last: bool) -> Vec<Piece> {
        if self.ends_lines_at_cr() && (!bytes.is_empty() || is_last) {
            if self.is_after_cr {
                self.rest.push(if bytes.starts_with(b"\n") { b'\r' } else { b'\n' });
            }
            self.is_after_cr = bytes.ends_with(b"\r");
            if let Some(last) = bytes.len().checked_sub(1).filter(|_| self.is_after_cr) {
                // An LF may follow, unless this is the end.
                bytes[last] = b'\n';
                bytes.truncate(last + usize::from(is_last));
            }
        }
        bytes.prepend(&self.rest);
        self.rest.clear();
        let mut pieces = Vec::with_capacity(1);
        loop {
            if self.passes {
                let (mut rest, has_lines) = (bytes.to_vec(), self.counts.has_lines);
                let lines = |bytes: &[u8]| if has_lines { memchr_iter(b'\n', bytes).count() as u64 } else { 0 };
                let before = lines(&rest);
                self.passes = !self.cut.pass_over(&mut rest);
                pieces.push(Piece::Passed(before - lines(&rest)));
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
                pieces.push(Piece::Units(bytes));
                self.cut.begin();
                self.scanned = 0;
                if !is_last {
                    self.rest = rest;
                    break;
                }
                bytes = rest.into();
            } else if bytes.len() > MAX_RECORD {
                pieces.push(Piece::TooLong);
                self.passes = true;
            } else {
                self.rest.extend_from_slice(&bytes);
                break;
            }
        }
        if std::mem::take(&mut self.is_first) && pieces.is_empty() {
            pieces.push(Piece::Units(Bytes::default()));
        }
        pieces
    }
}

/// Each CR alone becomes LF, except one at the end, after which an LF may come.
pub fn replace_crs(bytes: &mut [u8]) {
    let whole = bytes.len() - usize::from(bytes.ends_with(b"\r"));
    let bytes = &mut bytes[..whole];
    if memchr(b'\r', bytes).is_none() {
        return;
    }
    let places: Vec<usize> = lone_crs(bytes).collect();
    places.into_iter().for_each(|at| bytes[at] = b'\n');
}
