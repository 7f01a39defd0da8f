//! Castling rights.

use core::fmt;
use core::str::FromStr;

use super::Color;
use crate::table::table;

/// The letters in the order in which they are written: `KQkq`, or the files from h to a, as Shredder-FEN has them.
const LETTERS: [u8; 20] = *b"KQHGFEDCBAkqhgfedcba";

/// The bit of each letter, by byte; 0 for bytes that are not letters of castling rights.
pub(super) const BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < LETTERS.len() {
        bits[LETTERS[at] as usize] = 1 << at;
        at += 1;
    }
    bits
};

/// How far black's letters are behind white's.
const BLACK: u32 = LETTERS.len() as u32 / 2;

/// By the rooks of a rank: the bits of white's letters for them.
static ON_RANK: [u16; 256] = table!(rooks < 256 => {
    let corners = (rooks >> 7 | rooks << 1 & 2) as u16;
    // The letters of the files follow from h to a.
    corners | ((rooks as u8 & 0x7e).reverse_bits() as u16) << 2
});

/// By the bits of `KQkq`: the letters, one per byte, and how many there are.
static USUAL: [(u32, u32); 16] = table!(given < 16 => {
    let (mut letters, mut len, mut at) = (0, 0, 0);
    while at < 4 {
        if given >> at & 1 != 0 {
            letters |= (b"KQkq"[at] as u32) << (8 * len);
            len += 1;
        }
        at += 1;
    }
    if len == 0 { (b'-' as u32, 1) } else { (letters, len) }
});

/// Castling rights as letters: `KQkq`, or the letters of the rooks' files as in Shredder-FEN (`HAha`), each at most once.
///
/// They are kept as given and never compared with the board, so there need not be a rook. `Display` writes them in the
/// usual order, and `-` if there are none.
///
/// ```
/// use slider_attacks::position::Castling;
///
/// let castling: Castling = "qK".parse()?;
/// assert_eq!((castling.to_string().as_str(), castling.has('q'), castling.has('Q')), ("Kq", true, false));
/// assert!(castling.letters().eq(['K', 'q']) && !castling.is_none());
/// # Ok::<(), slider_attacks::position::ParseCastlingError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Castling(pub(super) u32);

impl Castling {
    /// Neither side may castle.
    pub const NONE: Castling = Castling(0);

    /// The rights of the rooks on these squares of the first and the last rank; other squares are ignored. A rook in a corner
    /// is written as one of `KQkq`, any other as the letter of its file.
    ///
    /// ```
    /// use slider_attacks::position::Castling;
    ///
    /// assert_eq!(Castling::from_rooks(1 << 7 | 1 << 56).to_string(), "Kq"); // h1, a8
    /// assert_eq!(Castling::from_rooks(1 << 5 | 1 << 57).to_string(), "Fb"); // f1, b8
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_rooks(rooks: u64) -> Castling {
        let (white, black) = (ON_RANK[(rooks & 0xff) as usize] as u32, ON_RANK[(rooks >> 56) as usize] as u32);
        Castling(white | black << BLACK)
    }

    /// [`from_rooks`](Castling::from_rooks) without a table, for loops that the compiler turns into vectors.
    #[inline(always)]
    pub(crate) const fn from_lane(rooks: u64) -> Castling {
        let mut files = rooks & 0x7e00_0000_0000_007e;
        files = files >> 1 & 0x5555_5555_5555_5555 | (files & 0x5555_5555_5555_5555) << 1;
        files = files >> 2 & 0x3333_3333_3333_3333 | (files & 0x3333_3333_3333_3333) << 2;
        files = files >> 4 & 0x0f0f_0f0f_0f0f_0f0f | (files & 0x0f0f_0f0f_0f0f_0f0f) << 4;
        let white = (files & 0xff) << 2 | rooks >> 7 & 1 | (rooks & 1) << 1;
        let black = files >> 56 << 2 | rooks >> 63 | (rooks >> 56 & 1) << 1;
        Castling((white | black << BLACK) as u32)
    }

    /// The files, from a to h as bits 0 to 7, of rooks that may castle: those west of their king, and those east of it.
    /// `K` and `Q` stand for all files: they are the rights of the outermost rook.
    #[inline(always)]
    pub(crate) fn files(self, color: Color) -> [u64; 2] {
        let letters = self.0 >> (BLACK * color as u32);
        let files = (letters >> 2) as u8;
        let all = |letter: u32| ((letters >> letter & 1) as u8).wrapping_neg();
        let files = files.reverse_bits();
        [files | all(1), files | all(0)].map(u64::from)
    }

    /// The rooks that may castle, of all rooks of this colour: those on its first rank that the letters name, if the king
    /// stands there as well. `K` and `Q` name the outermost ones.
    ///
    /// ```
    /// use slider_attacks::position::{Castling, Color};
    ///
    /// let castling: Castling = "KQ".parse()?;
    /// assert_eq!(castling.rooks(Color::White, 1 << 4, 1 << 1 | 1 << 2 | 1 << 6), 1 << 1 | 1 << 6);
    /// # Ok::<(), slider_attacks::position::ParseCastlingError>(())
    /// ```
    #[must_use]
    pub fn rooks(self, color: Color, king: u64, rooks: u64) -> u64 {
        let (king, rooks) = (king & color.home(), rooks & color.home());
        if king == 0 {
            return 0;
        }
        let letters = self.0 >> (BLACK * color as u32);
        let files = u64::from(((letters >> 2) as u8).reverse_bits());
        let (west, east) = (rooks & (king - 1), rooks & !(king - 1));
        let eastmost = east.checked_ilog2().map_or(0, |square| 1 << square);
        let westmost = west & west.wrapping_neg();
        let all = |letter: u32| u64::from(letters >> letter & 1).wrapping_neg();
        rooks & (files | files << 56) | eastmost & all(0) | westmost & all(1)
    }

    /// These rights with the colours swapped.
    pub(super) const fn swapped(self) -> Castling {
        Castling(self.0 >> BLACK | (self.0 & ((1 << BLACK) - 1)) << BLACK)
    }

    /// The rights as a number below 2<sup>20</sup>, for programs that store positions. [`from_bits`](Castling::from_bits) is its
    /// inverse.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The rights of a number that [`bits`](Castling::bits) has returned; `None` if it is 2<sup>20</sup> or more.
    ///
    /// ```
    /// use slider_attacks::position::Castling;
    ///
    /// let castling: Castling = "HAkq".parse()?;
    /// assert_eq!(Castling::from_bits(castling.bits()), Some(castling));
    /// assert_eq!(Castling::from_bits(1 << 20), None);
    /// # Ok::<(), slider_attacks::position::ParseCastlingError>(())
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Castling> {
        if bits >> (2 * BLACK) == 0 { Some(Castling(bits)) } else { None }
    }

    /// Whether neither side may castle.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The letters if they are among `KQkq`, or `-`: one per byte, and how many there are.
    #[inline(always)]
    pub(super) fn usual(self) -> Option<(u32, u32)> {
        const KQKQ: u32 = 3 | 3 << BLACK;
        let of_letters = self.0 & 3 | self.0 >> (BLACK - 2) & 12;
        (self.0 & !KQKQ == 0).then(|| USUAL[of_letters as usize % 16])
    }

    /// Whether this letter was given. Always `false` for a character other than `KQkq`, `A` to `H` and `a` to `h`.
    #[must_use]
    pub fn has(self, letter: char) -> bool {
        u8::try_from(letter).is_ok_and(|letter| self.0 & BITS[usize::from(letter)] != 0)
    }

    /// The letters that were given, in the order in which they are written.
    pub fn letters(self) -> impl Iterator<Item = char> {
        let given = move |&(at, _): &(usize, u8)| self.0 >> at & 1 != 0;
        LETTERS.into_iter().enumerate().filter(given).map(|(_, letter)| letter as char)
    }
}

crate::error::parse_error! {
    /// The text was neither `-` nor letters of castling rights, each at most once.
    ParseCastlingError, "expected - or castling rights (letters of KQkq, A-H and a-h, none twice)"
}

impl FromStr for Castling {
    type Err = ParseCastlingError;

    /// Reads what `Display` writes, with the letters in any order.
    fn from_str(text: &str) -> Result<Castling, ParseCastlingError> {
        read(text.as_bytes()).map_err(|_| ParseCastlingError(text.to_owned()))
    }
}

/// Reads a field of FEN. An error is the place of the first byte that does not belong there, or the end.
pub(super) fn read(field: &[u8]) -> Result<Castling, usize> {
    if field == b"-" {
        return Ok(Castling::NONE);
    }
    let mut castling = 0;
    for (at, &byte) in field.iter().enumerate() {
        let bit = BITS[usize::from(byte)];
        if bit == 0 || castling & bit != 0 {
            return Err(at);
        }
        castling |= bit;
    }
    if field.is_empty() { Err(0) } else { Ok(Castling(castling)) }
}

impl fmt::Display for Castling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        if self.is_none() {
            return f.write_char('-');
        }
        self.letters().try_for_each(|letter| f.write_char(letter))
    }
}
