//! The ray walk: from the slider, square by square in each direction, up to and including the first occupied square.
//!
//! This is the specification. Every table is computed from it, and everything else is compared with it: exhaustively by
//! [`verify`](crate::verify), and for the kernels by proofs.

use crate::{Slider, Square};

/// The attack set of `slider` on `sq` with the pieces `occ` on the board. Slow: one step per square.
///
/// ```
/// use slider_attacks::{Slider, Square, queen_attacks, reference};
///
/// assert_eq!(reference::attacks(Slider::Queen, Square::D4, 0x2000), queen_attacks(Square::D4, 0x2000));
/// ```
#[must_use]
pub const fn attacks(slider: Slider, sq: Square, occ: u64) -> u64 {
    match slider {
        Slider::Bishop => diagonal_attacks(sq, occ) | anti_diagonal_attacks(sq, occ),
        Slider::Rook => rank_attacks(sq, occ) | file_attacks(sq, occ),
        Slider::Queen => attacks(Slider::Bishop, sq, occ) | attacks(Slider::Rook, sq, occ),
    }
}
/// Attacks along the rank, west and east.
#[must_use]
pub const fn rank_attacks(sq: Square, occ: u64) -> u64 {
    ray(sq, occ, -1, 0) | ray(sq, occ, 1, 0)
}
/// Attacks along the file, south and north.
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    ray(sq, occ, 0, -1) | ray(sq, occ, 0, 1)
}
/// Attacks along the diagonal, south-west and north-east.
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    ray(sq, occ, -1, -1) | ray(sq, occ, 1, 1)
}
/// Attacks along the anti-diagonal, south-east and north-west.
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    ray(sq, occ, 1, -1) | ray(sq, occ, -1, 1)
}
const fn ray(sq: Square, occ: u64, file_step: i8, rank_step: i8) -> u64 {
    let (mut file, mut rank) = (sq.file() as i8 + file_step, sq.rank() as i8 + rank_step);
    let mut attacks = 0;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        let square = 1 << (8 * rank + file);
        attacks |= square;
        if occ & square != 0 {
            break;
        }
        (file, rank) = (file + file_step, rank + rank_step);
    }
    attacks
}
