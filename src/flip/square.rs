//! Where a single square goes, for every function of [`flip`](super) by the same name.
//!
//! These are the definitions: a board function is right if it moves every square of a board as the
//! function here says.
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

/// Rank `r` to rank `7 - r`.
#[inline]
pub const fn flip_vertical(sq: Square) -> Square {
    at(sq.index() ^ 56)
}

/// File `f` to file `7 - f`.
#[inline]
pub const fn mirror_horizontal(sq: Square) -> Square {
    at(sq.index() ^ 7)
}

/// Both.
#[inline]
pub const fn rotate_180(sq: Square) -> Square {
    at(sq.index() ^ 63)
}

/// Rank and file swapped.
#[inline]
pub const fn flip_diagonal(sq: Square) -> Square {
    at(sq.index() >> 3 | sq.index() << 3)
}

/// Rank and file swapped, both counted from the other end.
#[inline]
pub const fn flip_anti_diagonal(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 63)
}

/// Rank and file swapped, then the ranks counted from the other end.
#[inline]
pub const fn rotate_90_clockwise(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 56)
}

/// Rank and file swapped, then the files counted from the other end.
#[inline]
pub const fn rotate_90_anti_clockwise(sq: Square) -> Square {
    at(flip_diagonal(sq).index() ^ 7)
}

/// Down by as many ranks as the file's number says, and from the first rank to the eighth.
///
/// ```
/// use slider_attacks::{Square, flip::square};
///
/// assert_eq!(square::pseudo_rotate_45_clockwise(Square::D4), Square::D1);
/// assert_eq!(square::pseudo_rotate_45_clockwise(Square::D3), Square::D8);
/// ```
#[inline]
pub const fn pseudo_rotate_45_clockwise(sq: Square) -> Square {
    at(sq.index().wrapping_sub(8 * sq.file()))
}

/// Down by as many ranks as the file stands before the h-file, and from the first rank to the eighth.
///
/// ```
/// use slider_attacks::{Square, flip::square};
///
/// assert_eq!(square::pseudo_rotate_45_anti_clockwise(Square::C6), Square::C1);
/// ```
#[inline]
pub const fn pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
    at(sq.index().wrapping_sub(8 * (sq.file() ^ 7)))
}

/// Up again: the inverse of [`pseudo_rotate_45_clockwise`].
#[inline]
pub const fn undo_pseudo_rotate_45_clockwise(sq: Square) -> Square {
    at(sq.index() + 8 * sq.file())
}

/// Up again: the inverse of [`pseudo_rotate_45_anti_clockwise`].
#[inline]
pub const fn undo_pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
    at(sq.index() + 8 * (sq.file() ^ 7))
}

/// The maps that are more than one xor, each by a multiplication.
pub mod by_multiplication {
    use super::{Square, at};

    /// Times `2^23 + 2^29`: 32 bits hold the file three places up and the rank three places down, beside
    /// each other, on top.
    #[inline]
    pub const fn flip_diagonal(sq: Square) -> Square {
        at(((sq.index() as u32).wrapping_mul(0x2080_0000) >> 26) as u8)
    }

    /// [`flip_diagonal`], `^ 63`.
    #[inline]
    pub const fn flip_anti_diagonal(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 63)
    }

    /// [`flip_diagonal`], `^ 56`.
    #[inline]
    pub const fn rotate_90_clockwise(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 56)
    }

    /// [`flip_diagonal`], `^ 7`.
    #[inline]
    pub const fn rotate_90_anti_clockwise(sq: Square) -> Square {
        at(flip_diagonal(sq).index() ^ 7)
    }

    /// Modulo 64, eight times the square is eight times its file. So to subtract the one is to subtract the
    /// other, and `sq - 8 * sq` is `57 * sq`.
    ///
    /// ```
    /// use slider_attacks::{Square, flip::square::by_multiplication};
    ///
    /// assert_eq!(by_multiplication::pseudo_rotate_45_clockwise(Square::D4), Square::D1);
    /// ```
    #[inline]
    pub const fn pseudo_rotate_45_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(57))
    }

    /// `sq - 8 * (7 - sq)`, which is `9 * sq + 8`.
    #[inline]
    pub const fn pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(9).wrapping_add(8))
    }

    /// `sq + 8 * sq`. Nine times 57 is one, modulo 64.
    #[inline]
    pub const fn undo_pseudo_rotate_45_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(9))
    }

    /// `sq + 8 * (7 - sq)`, which is `57 * sq + 56`.
    #[inline]
    pub const fn undo_pseudo_rotate_45_anti_clockwise(sq: Square) -> Square {
        at(sq.index().wrapping_mul(57).wrapping_add(56))
    }
}
