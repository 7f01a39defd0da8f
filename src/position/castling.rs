//! Castling rights.

use core::fmt;

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

/// Castling rights as letters: `KQkq`, or the letters of the rooks' files as in Shredder-FEN (`HAha`), each at most once.
///
/// They are kept as given and never compared with the board, so there need not be a rook. `Display` writes them in the
/// usual order, and `-` if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Castling(pub(super) u32);

impl Castling {
    /// Neither side may castle.
    pub const NONE: Castling = Castling(0);

    /// Whether neither side may castle.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether this letter was given. Always `false` for a character other than `KQkq`, `A` to `H` and `a` to `h`.
    pub fn has(self, letter: char) -> bool {
        u8::try_from(letter).is_ok_and(|letter| self.0 & BITS[usize::from(letter)] != 0)
    }

    /// The letters that were given, in the order in which they are written.
    pub fn letters(self) -> impl Iterator<Item = char> {
        let given = move |&(at, _): &(usize, u8)| self.0 >> at & 1 != 0;
        LETTERS.into_iter().enumerate().filter(given).map(|(_, letter)| letter as char)
    }
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
