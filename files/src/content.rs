//! What a block holds before it is parsed.

use memchr::{memchr, memchr_iter};
use slider_attacks::position::Positions;
use slider_attacks_games::records::{Labels, Problem};

/// The longest line, record or row that is read, in bytes: 1 MiB. Little more than this of a longer one is held in memory.
pub const MAX_RECORD: usize = 1 << 20;

/// The number of bytes of the shortest position, with the end of its line: two kings, and the other three fields.
const SHORTEST: usize = 23;

/// Where a block begins in its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The number of its first unit, such as a line, from 1.
    pub number: u64,
    /// The number of its first line, from 1, if units are no lines and messages name lines.
    pub line: u64,
    /// How many bytes of that line are before it.
    pub column: usize,
}

impl From<u64> for Start {
    fn from(number: u64) -> Start {
        Start { number, line: 1, column: 0 }
    }
}

/// Some units of an input: lines, rows.
#[derive(Debug)]
pub enum Content {
    /// Whole units, one after the other.
    Bytes(Vec<u8>),
    /// A unit of more than [`MAX_RECORD`] bytes, which has been passed over.
    TooLong,
    /// Positions of a unit that have been read already.
    Labelled(Box<Labelled>),
    /// Rows of Arrow arrays: the positions, and the columns to keep.
    #[cfg(feature = "parquet")]
    Rows(arrow_array::ArrayRef, Vec<arrow_array::ArrayRef>),
}

/// Positions with their labels.
#[derive(Debug, Default)]
pub struct Labelled {
    /// The positions.
    pub positions: Positions,
    /// What their records say of them.
    pub labels: Labels,
    /// What is wrong after them.
    pub problem: Option<Problem>,
}

impl Content {
    /// The bytes; none if the content is no bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Content::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// The most that a block can give, known before it is parsed. A limit on memory rests on this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// How many bytes it takes itself.
    pub bytes: usize,
    /// How many units it has, well-formed or not.
    pub units: usize,
    /// How many positions it can give.
    pub positions: usize,
    /// How many bytes more the columns to keep can take as text in rows than in the block: for escapes, for numbers, for the
    /// names of nested fields.
    pub growth: usize,
    /// How many bytes it takes to note the places of the fields of the widest record, while it is read.
    pub fields: usize,
    /// Each piece of a position is a letter of the bytes, as in FEN. So the bytes tell how many pieces there can be.
    pub has_letters: bool,
    /// How many threats a position can have, if that is known otherwise.
    pub threats: Option<usize>,
}

impl Most {
    /// The most that lines can give, each of which is at most one position in FEN. `is_kept` is whether columns are kept.
    pub fn of_lines(lines: &[u8], is_kept: bool) -> Most {
        let units = line_ends(lines) + 1;
        let positions = units.min(lines.len() / SHORTEST + 1);
        let growth = if is_kept { escapes(lines) } else { 0 };
        Most { bytes: lines.len(), units, positions, growth, fields: 0, has_letters: true, threats: None }
    }
}

/// How many line ends a text has: LF, CRLF and CR.
pub fn line_ends(text: &[u8]) -> usize {
    memchr_iter(b'\n', text).count() + lone_crs(text).count()
}

/// The places of the CRs that no LF follows.
pub fn lone_crs(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_lone = |(byte, next): (&u8, &u8)| (*byte == b'\r') & (*next != b'\n');
    let first = memchr(b'\r', text).unwrap_or(text.len());
    let rest = &text[first..];
    // Where every CR has its LF, as is usual, this is found without a look at each of them.
    let has_any =
        rest.ends_with(b"\r") || rest.iter().zip(rest.iter().skip(1)).fold(false, |any, pair| any | is_lone(pair));
    let rest = if has_any { rest } else { &[] };
    memchr_iter(b'\r', rest).filter(|at| rest.get(at + 1) != Some(&b'\n')).map(move |at| first + at)
}

/// How many bytes more a text can take in CSV or JSON: a control character becomes six, as in `\\u0001`, and a quotation
/// mark or a backslash two.
pub fn escapes(text: &[u8]) -> usize {
    let more = |&byte: &u8| 5 * u8::from(byte < b' ') + u8::from(byte == b'"') + u8::from(byte == b'\\');
    // Sums of bytes are sums of vectors, where the number of bytes is known. 48 bytes make 240 at most.
    let sum = |part: &[u8]| usize::from(part.iter().map(more).sum::<u8>());
    let (parts, rest) = text.as_chunks::<48>();
    parts.iter().map(|part| sum(part)).sum::<usize>() + sum(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_counted() {
        let text = b"a\x01\"\\b\n".repeat(100);
        let written = serde_json::to_string(str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!(escapes(&text), 100 * (5 + 1 + 1 + 5));
        assert!(written.len() - 2 <= text.len() + escapes(&text));
        assert_eq!(escapes(&[0; 1_000]), 5_000);
    }

    #[test]
    fn line_ends_are_lf_cr_lf_and_cr() {
        for (text, ends) in [("", 0), ("\n", 1), ("\r", 1), ("\r\n", 1), ("\n\r", 2), ("a\r\r\nb\n\n\rc", 5)] {
            assert_eq!(line_ends(text.as_bytes()), ends, "{text:?}");
        }
    }

    #[test]
    fn no_position_is_shorter() {
        let shortest = b"k1K5/8/8/8/8/8/8/8 w - -\n";
        let mut positions = Positions::new();
        positions.push_fen(shortest).unwrap();
        assert!(shortest.len() >= SHORTEST);
        let many = shortest.repeat(100);
        assert!(Most::of_lines(&many, false).positions >= 100);
        assert!(Most::of_lines(&many[..many.len() - 1], false).positions >= 100);
    }
}
