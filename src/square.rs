//! The squares of the board, and the two forms in which a batch call takes them.

use core::any::TypeId;
use core::fmt;
use core::mem::transmute;
use core::str::FromStr;

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::BatchError;

/// Declares the enum of the 64 squares.
macro_rules! squares {
    ($(#[$doc:meta])* $($name:ident)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the names say it all")]
        pub enum Square { $($name),* }

        impl Square {
            /// All squares, a1 first, h8 last.
            pub const ALL: [Square; 64] = [$(Square::$name),*];
        }
    };
}

squares! {
    /// One of the 64 squares, in little-endian rank-file order: a1 = 0, b1 = 1, … h8 = 63.
    ///
    /// The number of a square is always below 64, so an index into a 64-entry table or a shift of a `u64` by it needs no
    /// check, and `Option<Square>` is one byte.
    ///
    /// ```
    /// use slider_attacks::Square;
    ///
    /// let square: Square = "e4".parse()?;
    /// assert_eq!((square.file(), square.rank(), square.index()), (4, 3, 28));
    /// assert_eq!(square.bitboard(), 1 << 28);
    /// assert_eq!([Square::new(28), Square::from_file_rank(4, 3), Square::try_from(28).ok()], [Some(square); 3]);
    /// # Ok::<(), slider_attacks::ParseSquareError>(())
    /// ```
    ///
    /// A byte buffer whose bytes are all below 64 becomes `&[Square]` without a
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
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

// SAFETY: `Square` is `repr(u8)`, and its 64 variants are the values below 64.
unsafe impl CheckedBitPattern for Square {
    type Bits = u8;

    fn is_valid_bit_pattern(bits: &u8) -> bool {
        *bits < 64
    }
}

// SAFETY: `Square` is `repr(u8)`: one initialised byte, no padding.
unsafe impl NoUninit for Square {}

impl Square {
    /// The square with this number, or `None` if it is 64 or more.
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        // SAFETY: `Square` is `repr(u8)`, and its 64 variants are the values below 64.
        if index < 64 { Some(unsafe { transmute::<u8, Square>(index) }) } else { None }
    }

    /// The square on this file (0 = a) and rank (0 = the first), or `None` if either is 8 or more.
    #[inline]
    #[must_use]
    pub const fn from_file_rank(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 { Square::new(8 * rank + file) } else { None }
    }

    /// The number of the square, 0 to 63.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u8 {
        self as u8
    }

    /// The file, 0 (a) to 7 (h).
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.index() & 7
    }

    /// The rank, 0 (the first) to 7 (the eighth).
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.index() >> 3
    }

    /// The number of the first square of the rank.
    #[inline(always)]
    pub(crate) const fn rank_start(self) -> u8 {
        self.index() & 0o70
    }

    /// The bitboard that holds this square alone.
    #[inline]
    #[must_use]
    pub const fn bitboard(self) -> u64 {
        1 << self.index()
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

crate::error::parse_error! {
    /// The text was not the name of a square such as `e4`.
    ParseSquareError, "expected a square from a1 to h8"
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `a1` to `h8`, lower case.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let square = match *text.as_bytes() {
            [file, rank] => Square::from_file_rank(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1')),
            _ => None,
        };
        square.ok_or_else(|| ParseSquareError(text.to_owned()))
    }
}

/// The number was 64 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryFromIndexError(u8);

impl TryFromIndexError {
    /// The number that was refused.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }
}

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
        square.index()
    }
}

impl From<Square> for usize {
    fn from(square: Square) -> usize {
        usize::from(square.index())
    }
}

/// A set of squares, and the iterator over it in ascending order: from a1 to h8.
///
/// ```
/// use slider_attacks::{Square, Squares, rook_attacks};
///
/// let attacks = rook_attacks(Square::A1, 0x0000_0000_0001_0005);
/// assert_eq!(Squares::from(attacks).collect::<Vec<_>>(), [Square::B1, Square::C1, Square::A2, Square::A3]);
/// assert_eq!([Square::B1, Square::C1].into_iter().collect::<Squares>().bitboard(), 0b110);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "bitboard")]
#[doc(alias = "bitscan")]
#[doc(alias = "pop_lsb")]
pub struct Squares(u64);

impl Squares {
    /// The squares that are left, as a bitboard.
    #[inline]
    #[must_use]
    pub const fn bitboard(&self) -> u64 {
        self.0
    }
}

impl From<u64> for Squares {
    #[inline]
    fn from(bitboard: u64) -> Squares {
        Squares(bitboard)
    }
}

impl Extend<Square> for Squares {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        squares.into_iter().for_each(|square| self.0 |= square.bitboard());
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Squares {
        let mut all = Squares::default();
        all.extend(squares);
        all
    }
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        // For an empty board this is 64, which is no square.
        let square = Square::new(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let squares = self.0.count_ones() as usize;
        (squares, Some(squares))
    }
}

impl DoubleEndedIterator for Squares {
    #[inline]
    fn next_back(&mut self) -> Option<Square> {
        let square = Square::new(63_u8.wrapping_sub(self.0.leading_zeros() as u8))?;
        self.0 &= !square.bitboard();
        Some(square)
    }
}

impl ExactSizeIterator for Squares {}
impl core::iter::FusedIterator for Squares {}

/// The types that a batch call takes as squares: [`Square`], and `u8`, which the call checks.
///
/// The check of `u8` squares is one pass over the bytes before anything is computed, at the speed of memory. With
/// `Square` there is nothing to check.
///
/// The trait is sealed. Other types cannot implement it, and callers can do nothing with it but name it as a bound:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Unchecked(u8);
/// impl slider_attacks::SquareIndex for Unchecked {}
/// ```
///
/// ```compile_fail,E0599
/// fn check<S: slider_attacks::SquareIndex>(squares: &[S]) {
///     let _ = S::check(squares);
/// }
/// ```
pub trait SquareIndex: sealed::Sealed {}

impl SquareIndex for u8 {}
impl SquareIndex for Square {}

/// The trait has no methods, because callers could call the methods of a supertrait even though they cannot name it.
mod sealed {
    pub trait Sealed: bytemuck::NoUninit {}

    impl Sealed for u8 {}
    impl Sealed for super::Square {}
}

/// The same squares, or the index and the number of the first one that is not on the board. `all_on_board` is the
/// function [`all_on_board`], or one that calls it for each chunk of the bytes. The search for the first error runs
/// only if there is one: the error path may be slow.
#[inline(always)]
pub(crate) fn checked<S: SquareIndex>(
    squares: &[S],
    all_on_board: impl FnOnce(&[u8]) -> bool,
) -> Result<&[Square], BatchError> {
    let bytes: &[u8] = bytemuck::cast_slice(squares);
    if TypeId::of::<S>() == TypeId::of::<Square>() || all_on_board(bytes) {
        // SAFETY: `Square` is `repr(u8)`, its values are those below 64, and the bytes are squares or all below 64.
        Ok(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) })
    } else {
        Err(first_off_board(bytes))
    }
}

/// Whether every byte is below 64.
pub(crate) fn all_on_board(bytes: &[u8]) -> bool {
    // An or over a fixed-size chunk becomes vector code; a search for the first byte does not.
    const CHUNK: usize = 512;
    let on_board = |bytes: &[u8]| bytes.iter().fold(0, |all, &byte| all | byte) < 64;
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    chunks.iter().all(|chunk| on_board(chunk)) && on_board(rest)
}

/// Such a byte exists, or did exist: if the caller's bytes change in the meantime, which the contract forbids, this
/// returns the first one instead of panicking.
#[cold]
fn first_off_board(bytes: &[u8]) -> BatchError {
    let index = bytes.iter().position(|&byte| byte >= 64).unwrap_or(0);
    BatchError::SquareOutOfRange { index, square: bytes[index] }
}
