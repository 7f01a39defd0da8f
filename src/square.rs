//! Squares of the board and the two forms in which a batch call takes them.

use core::fmt;
use core::str::FromStr;

use bytemuck::{CheckedBitPattern, NoUninit};

/// One of the 64 squares, in little-endian rank-file order: a1 = 0, b1 = 1, … h8 = 63.
///
/// The number inside is always below 64, so an index into a 64-entry table or a shift of a `u64` by a
/// `Square` needs no check. A byte buffer whose bytes are all below 64 becomes `&[Square]` without a
/// copy:
///
/// ```
/// use slider_attacks::Square;
///
/// let bytes = [0_u8, 27, 63];
/// let squares: &[Square] = bytemuck::checked::cast_slice(&bytes);
/// assert_eq!(squares, [Square::A1, Square::D4, Square::H8]);
/// assert!(bytemuck::checked::try_cast_slice::<u8, Square>(&[64]).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

// SAFETY: `Square` is `repr(transparent)` over `u8`, and exactly the values below 64 are valid.
unsafe impl CheckedBitPattern for Square {
    type Bits = u8;

    fn is_valid_bit_pattern(bits: &u8) -> bool {
        *bits < 64
    }
}

// SAFETY: `Square` is `repr(transparent)` over `u8`: one initialised byte, no padding.
unsafe impl NoUninit for Square {}

/// Declares the 64 named constants, rank by rank.
macro_rules! named_squares {
    ($($name:ident)*) => {
        #[allow(missing_docs, reason = "the names say it all")]
        impl Square {
            named_squares!(@ 0; $($name)*);
        }
    };
    (@ $index:expr; $name:ident $($rest:ident)*) => {
        pub const $name: Square = Square($index);
        named_squares!(@ $index + 1; $($rest)*);
    };
    (@ $index:expr;) => {};
}

named_squares! {
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

impl Square {
    /// All squares, a1 first, h8 last.
    pub const ALL: [Square; 64] = {
        let mut all = [Square(0); 64];
        let mut index = 0;
        while index < 64 {
            all[index as usize] = Square(index);
            index += 1;
        }
        all
    };

    /// The square with this number, or `None` from 64 on.
    #[inline]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square on this file (0 = a) and rank (0 = the first), or `None` if either is 8 or more.
    #[inline]
    pub const fn from_file_rank(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 { Some(Square(8 * rank + file)) } else { None }
    }

    /// The number of the square, 0 to 63.
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The file, 0 (a) to 7 (h).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// The rank, 0 (the first) to 7 (the eighth).
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The bitboard that holds this square alone.
    #[inline]
    pub const fn bitboard(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.file(), b'1' + self.rank()];
        f.pad(core::str::from_utf8(&name).expect("two ASCII characters"))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was not the name of a square such as `e4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSquareError(());

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a square from a1 to h8")
    }
}

impl core::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `a1` to `h8`, lower case.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Square(8 * (rank - b'1') + file - b'a')),
            _ => Err(ParseSquareError(())),
        }
    }
}

/// The number was 64 or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryFromIndexError(u8);

impl fmt::Display for TryFromIndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "square {} is not on the board", self.0)
    }
}

impl core::error::Error for TryFromIndexError {}

impl TryFrom<u8> for Square {
    type Error = TryFromIndexError;

    fn try_from(index: u8) -> Result<Square, TryFromIndexError> {
        Square::new(index).ok_or(TryFromIndexError(index))
    }
}

impl From<Square> for u8 {
    fn from(square: Square) -> u8 {
        square.0
    }
}

/// What a batch call takes as a square: [`Square`], or `u8` that the call checks.
///
/// The trait is sealed. A check of `u8` squares is one pass over the bytes before anything is computed,
/// at the speed of memory; `Square` has nothing left to check.
pub trait SquareIndex: Copy + sealed::Sealed {}

impl SquareIndex for u8 {}
impl SquareIndex for Square {}

pub(crate) mod sealed {
    use super::Square;

    pub trait Sealed: Sized {
        /// The same squares, checked; or the position and the number of the first one that is not on
        /// the board.
        fn check(squares: &[Self]) -> Result<&[Square], (usize, u8)>;

        /// The same on several cores.
        #[cfg(feature = "rayon")]
        fn par_check(squares: &[Self]) -> Result<&[Square], (usize, u8)>;
    }

    impl Sealed for Square {
        #[inline]
        fn check(squares: &[Square]) -> Result<&[Square], (usize, u8)> {
            Ok(squares)
        }

        #[cfg(feature = "rayon")]
        fn par_check(squares: &[Square]) -> Result<&[Square], (usize, u8)> {
            Ok(squares)
        }
    }

    impl Sealed for u8 {
        fn check(squares: &[u8]) -> Result<&[Square], (usize, u8)> {
            check_by(all_on_board, squares)
        }

        #[cfg(feature = "rayon")]
        fn par_check(squares: &[u8]) -> Result<&[Square], (usize, u8)> {
            check_by(|bytes| crate::batch::parallel::all(bytes, all_on_board), squares)
        }
    }

    /// `all_on_board`, or something that calls it for every part of the bytes, tells whether there is an error; where
    /// the first one stands is searched for afterwards, for an error may take its time.
    fn check_by(all_on_board: impl FnOnce(&[u8]) -> bool, bytes: &[u8]) -> Result<&[Square], (usize, u8)> {
        if all_on_board(bytes) {
            // SAFETY: `Square` is `repr(transparent)` over `u8`, and every byte is below 64.
            Ok(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) })
        } else {
            let first = bytes.iter().position(|&byte| byte >= 64);
            let index = first.expect("an or of bytes reached 64, so one of them did");
            Err((index, bytes[index]))
        }
    }

    /// Whether every byte is below 64.
    fn all_on_board(bytes: &[u8]) -> bool {
        // An or over a fixed-size chunk becomes vector code; a search for the first byte does not.
        const CHUNK: usize = 512;
        let on_board = |bytes: &[u8]| bytes.iter().fold(0, |all, &byte| all | byte) < 64;
        let (chunks, rest) = bytes.as_chunks::<CHUNK>();
        chunks.iter().all(|chunk| on_board(chunk)) && on_board(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(square.index()), index);
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::from_file_rank(square.file(), square.rank()), Some(square));
            assert_eq!(square.bitboard(), 1 << index);
        }
        assert_eq!(Square::E4.to_string(), "e4");
        assert_eq!(format!("{:>4}|{:<3}|", Square::A1, Square::H8), "  a1|h8 |");
        for bad in ["", "e", "e9", "e0", "i4", "E4", "e44", " e4", "é"] {
            assert_eq!(bad.parse::<Square>(), Err(ParseSquareError(())), "{bad:?}");
        }
        assert_eq!(Square::try_from(64).unwrap_err().to_string(), "square 64 is not on the board");
        assert_eq!((Square::from_file_rank(8, 0), Square::from_file_rank(0, 8)), (None, None));
    }

    #[test]
    fn the_first_bad_byte_is_found_wherever_it_stands() {
        use sealed::Sealed;
        for length in [1, 2, 511, 512, 513, 1_500] {
            for first in 0..length {
                let mut bytes = vec![63; length];
                bytes[first] = 64;
                bytes[length - 1] = bytes[length - 1].max(if first < length - 1 { 255 } else { 64 });
                assert_eq!(u8::check(&bytes), Err((first, bytes[first])));
            }
            assert_eq!(u8::check(&vec![63; length]).unwrap(), vec![Square::H8; length]);
        }
    }
}
