//! Where a single square goes: one function for each function of [`flip`](super), with the same name.
//!
//! These are the definitions. A function of boards is right if it moves every square as the function here says.
//!
//! Source: "Flipping Mirroring and Rotating", <https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>.
//!
//! | function | rule | [by multiplication](by_multiplication) |
//! |---|---|---|
//! | [`flip_vertical`], [`mirror_horizontal`], [`rotate_180`] | `sq ^ 56`, `sq ^ 7`, `sq ^ 63` | |
//! | [`flip_diagonal`] | `(sq >> 3 \| sq << 3) & 63` | `sq * 0x20800000 >> 26` |
//! | [`flip_anti_diagonal`], [`rotate_90_clockwise`], [`rotate_90_anti_clockwise`] | the same, `^ 63`, `^ 56`, `^ 7` | the same, `^ 63`, `^ 56`, `^ 7` |
//! | [`pseudo_rotate_45_clockwise`] | `(sq - 8 * (sq & 7)) & 63` | `sq * 57 & 63` |
//! | [`pseudo_rotate_45_anti_clockwise`] | `(sq - 8 * (sq & 7 ^ 7)) & 63` | `sq * 9 + 8 & 63` |
//! | [`undo_pseudo_rotate_45_clockwise`] | `(sq + 8 * (sq & 7)) & 63` | `sq * 9 & 63` |
//! | [`undo_pseudo_rotate_45_anti_clockwise`] | `(sq + 8 * (sq & 7 ^ 7)) & 63` | `sq * 57 + 56 & 63` |

use crate::Square;

/// The square with this number, modulo 64.
const fn at(index: u8) -> Square {
    Square::ALL[(index & 63) as usize]
}

/// Moves rank `r` to rank `7 - r`.
#[inline]
#[must_use]
pub const fn flip_vertical(sq: Square) -> Square {
    at(sq.index() ^ 56)
}

/// Moves file `f` to file `7 - f`.
#[inline]
#[must_use]
pub const fn mirror_horizontal(sq: Square) -> Square {
    at(sq.index() ^ 7)
}

/// Moves rank `r` to rank `7 - r`, and file `f` to file `7 - f`.
#[inline]
#[must_use]
pub const fn rotate_180(sq: Square) -> Square {
    at(sq.index() ^ 63)
}

/// Swaps rank and file.
#[inline]
#[must_use]
pub const fn flip_diagonal(sq: Square) -> Square {
    at(sq.index() >> 3 | sq.index() << 3)
}

/// Swaps rank and file, then counts both from the other end.
#[inline]
#[must_use]
pub const fn flip_anti_diagonal(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 63)
}

/// Swaps rank and file, then counts the ranks from the other end.
#[inline]
#[must_use]
pub const fn rotate_90_clockwise(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 56)
}

/// Swaps rank and file, then counts the files from the other end.
#[inline]
#[must_use]
pub const fn rotate_90_anti_clockwise(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 7)
}

/// Moves the square down by as many ranks as the number of its file says, wrapping from the first rank to the eighth.
///
/// ```
/// use slider_attacks::{Square, flip::square};
///
/// assert_eq!(square::pseudo_rotate_45_clockwise(Square::D4), Square::D1);
/// assert_eq!(square::pseudo_rotate_45_clockwise(Square::D3), Square::D8);
/// ```
#[inline]
#[must_use]
pub const fn pseudo_rotate_45_clockwise(sq: Square) -> Square {
    at(sq.index().wrapping_sub(8 * sq.file()))
}

/// Moves the square down by the distance of its file from the h-file, wrapping from the first rank to the eighth.
///
/// ```
/// use slider_attacks::{Square, flip::square};
///
/// assert_eq!(square::pseudo_rotate_45_anti_clockwise(Square::C6), Square::C1);
/// ```
#[inline]
#[must_use]
pub const fn pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
    at(sq.index().wrapping_sub(8 * (sq.file() ^ 7)))
}

/// The inverse of [`pseudo_rotate_45_clockwise`]: moves the square up again.
#[inline]
#[must_use]
pub const fn undo_pseudo_rotate_45_clockwise(sq: Square) -> Square {
    at(sq.index() + 8 * sq.file())
}

/// The inverse of [`pseudo_rotate_45_anti_clockwise`]: moves the square up again.
#[inline]
#[must_use]
pub const fn undo_pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
    at(sq.index() + 8 * (sq.file() ^ 7))
}

/// The maps that take more than one xor, by a multiplication.
pub mod by_multiplication {
    use super::{Square, at};

    /// The factor is `2^23 + 2^29`: the top six of 32 bits hold the file, moved up by three bits, and the rank, moved down
    /// by three bits.
    #[inline]
    #[must_use]
    pub const fn flip_diagonal(sq: Square) -> Square {
        at(((sq.index() as u32).wrapping_mul(0x2080_0000) >> 26) as u8)
    }

    /// [`flip_diagonal`], `^ 63`.
    #[inline]
    #[must_use]
    pub const fn flip_anti_diagonal(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 63)
    }

    /// [`flip_diagonal`], `^ 56`.
    #[inline]
    #[must_use]
    pub const fn rotate_90_clockwise(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 56)
    }

    /// [`flip_diagonal`], `^ 7`.
    #[inline]
    #[must_use]
    pub const fn rotate_90_anti_clockwise(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 7)
    }

    /// Modulo 64, eight times the square is eight times its file. So `sq - 8 * file` is `sq - 8 * sq`, which is `57 * sq`.
    ///
    /// ```
    /// use slider_attacks::{Square, flip::square::by_multiplication};
    ///
    /// assert_eq!(by_multiplication::pseudo_rotate_45_clockwise(Square::D4), Square::D1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn pseudo_rotate_45_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(57))
    }

    /// `sq - 8 * (7 - sq)`, which is `9 * sq + 8`.
    #[inline]
    #[must_use]
    pub const fn pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(9).wrapping_add(8))
    }

    /// `sq + 8 * sq`. Nine times 57 is one, modulo 64.
    #[inline]
    #[must_use]
    pub const fn undo_pseudo_rotate_45_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(9))
    }

    /// `sq + 8 * (7 - sq)`, which is `57 * sq + 56`.
    #[inline]
    #[must_use]
    pub const fn undo_pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(57).wrapping_add(56))
    }
}
