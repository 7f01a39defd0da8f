//! Lines in 64-bit lanes, for calls with fewer pairs than a block of rank slices, and for eight rooks with AVX-512 and
//! GFNI: eight boards at a time.
//!
//! This is plain code for one board, without tables. The compiler vectorises the loop over the eight; `asm-notes/check`
//! checks that it does. The plain loop that the benchmarks compare with is a separate copy: this code is private and
//! generic, so that it can be proven, and the benchmarked rival must not change with it.
//!
//! The mask of a line is the line through a1 or h8, shifted to the slider. Squares that the shift carries round the
//! edge of the board are masked out. Then, with the blockers `o` on the line and the slider `r`:
//!
//! - **Leading zeros**, one vector instruction with AVX-512 CD, give the obstruction difference: from the lowest blocker
//!   above the slider down to the highest one below, `above ^ (above - highest_below)`.
//! - **Byte swaps** give `o ^ (o - 2r)` in both directions, on lines that cross each rank once.
//!
//! Sources: [Obstruction Difference](https://www.chessprogramming.org/Obstruction_Difference) and
//! [Hyperbola Quintessence](https://www.chessprogramming.org/Hyperbola_Quintessence).

use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use crate::batch::blocks::{Kernel, Traffic, block};
use crate::batch::entries::MIN_ENTRY_LENGTH;

/// The type that lines are computed with: a `u64`, or in a proof 64 unknown bits. Operators have their meaning in Rust,
/// so no shift may be by 64 or more, and no plain subtraction may overflow.
pub(crate) trait Word:
    Copy
    + From<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<Output = Self>
    + Shr<Output = Self>
    + Sub<Output = Self>
{
    fn wrapping_sub(self, other: Self) -> Self;
    /// `by` is below 64.
    fn rotate_left(self, by: Self) -> Self;
    fn leading_zeros(self) -> Self;
    fn swap_bytes(self) -> Self;
}

impl Word for u64 {
    #[inline(always)]
    fn wrapping_sub(self, other: u64) -> u64 {
        u64::wrapping_sub(self, other)
    }
    #[inline(always)]
    fn rotate_left(self, by: u64) -> u64 {
        u64::rotate_left(self, by as u32)
    }
    #[inline(always)]
    fn leading_zeros(self) -> u64 {
        u64::from(u64::leading_zeros(self))
    }
    #[inline(always)]
    fn swap_bytes(self) -> u64 {
        u64::swap_bytes(self)
    }
}

/// How many boards a block has. No entry is called with fewer.
pub(crate) const BOARDS: usize = MIN_ENTRY_LENGTH;

/// The rays by counting leading zeros.
pub(crate) const LEADING_ZEROS: bool = true;
/// The rays by swapping bytes, for instruction sets that do not count leading zeros in vectors.
pub(crate) const BYTE_SWAP: bool = false;

/// Queen attacks.
#[derive(Clone, Copy)]
pub(crate) struct Queen<const LEADING_ZEROS: bool>;
/// Rook attacks.
#[derive(Clone, Copy)]
pub(crate) struct Rook<const LEADING_ZEROS: bool>;
/// Bishop attacks.
#[derive(Clone, Copy)]
pub(crate) struct Bishop<const LEADING_ZEROS: bool>;

macro_rules! kernels {
    ($($kernel:ident $attacks:ident),*) => {$(
        impl<const LEADING_ZEROS: bool> Kernel<BOARDS> for $kernel<LEADING_ZEROS> {
            type Input<'a> = (&'a [u8], &'a [u64]);

            #[inline(always)]
            fn attacks(self, (squares, occs): Self::Input<'_>, start: usize, out: &mut [u64; BOARDS], _: Traffic) {
                let (squares, occs): (&[u8; BOARDS], &[u64; BOARDS]) = (block(squares, start), block(occs, start));
                for at in 0..BOARDS {
                    out[at] = $attacks::<LEADING_ZEROS, u64>(u64::from(squares[at]), occs[at]);
                }
            }
        }
    )*};
}

kernels! {
    Queen queen_attacks,
    Rook rook_attacks,
    Bishop bishop_attacks
}

const A_FILE: u64 = 0x0101_0101_0101_0101;
/// 9, 18, … 63 and 7, 14, … 49 squares above a1.
const NORTH_EAST: u64 = 0x8040_2010_0804_0200;
const NORTH_WEST: u64 = 0x0002_0408_1020_4080;
/// The same numbers of squares below h8.
const SOUTH_WEST: u64 = 0x0040_2010_0804_0201;
const SOUTH_EAST: u64 = 0x0102_0408_1020_4000;

/// The attacks of a queen on `square`, which is below 64. In both forms, the diagonals use byte swaps.
#[inline(always)]
pub(crate) fn queen_attacks<const LEADING_ZEROS: bool, W: Word>(square: W, occ: W) -> W {
    rook_attacks::<LEADING_ZEROS, W>(square, occ) | bishop_attacks::<BYTE_SWAP, W>(square, occ)
}

/// The attacks of a rook on `square`, which is below 64.
#[inline(always)]
pub(crate) fn rook_attacks<const LEADING_ZEROS: bool, W: Word>(square: W, occ: W) -> W {
    let (one, two, four) = (W::from(1), W::from(2), W::from(4));
    let slider = one << square;
    let below = slider - one;
    let file = W::from(A_FILE).rotate_left(square);
    let rank = W::from(0xff) << (square & W::from(56));
    if LEADING_ZEROS {
        let above = !(slider | below);
        let file = obstruction_difference(occ & above & file, occ & below & file, file);
        return (file | obstruction_difference(occ & above & rank, occ & below & rank, rank)) & !slider;
    }
    let blockers = occ & rank & !slider;
    let east = blockers ^ blockers.wrapping_sub(slider);
    let mut behind_west = blockers & below;
    behind_west = behind_west | behind_west >> one;
    behind_west = behind_west | behind_west >> two;
    behind_west = behind_west | behind_west >> four;
    both_ways(slider, occ, file & !slider) | rank & !slider & (east | below & !(behind_west >> one))
}

/// The attacks of a bishop on `square`, which is below 64.
#[inline(always)]
pub(crate) fn bishop_attacks<const LEADING_ZEROS: bool, W: Word>(square: W, occ: W) -> W {
    let from_h8 = square ^ W::from(63);
    let west = W::from(A_FILE).rotate_left(square) - W::from(A_FILE);
    let (north_east, south_west) = (W::from(NORTH_EAST) << square & !west, W::from(SOUTH_WEST) >> from_h8 & west);
    let (north_west, south_east) = (W::from(NORTH_WEST) << square & west, W::from(SOUTH_EAST) >> from_h8 & !west);
    let (diagonal, anti_diagonal) = (north_east | south_west, north_west | south_east);
    if LEADING_ZEROS {
        obstruction_difference(occ & north_east, occ & south_west, diagonal)
            | obstruction_difference(occ & north_west, occ & south_east, anti_diagonal)
    } else {
        let slider = W::from(1) << square;
        both_ways(slider, occ, diagonal) | both_ways(slider, occ, anti_diagonal)
    }
}

/// The squares of `line` from the highest blocker below the slider to the lowest one above it.
#[inline(always)]
fn obstruction_difference<W: Word>(above: W, below: W, line: W) -> W {
    let highest_below = W::from(1 << 63) >> (below | W::from(1)).leading_zeros();
    (above ^ above.wrapping_sub(highest_below)) & line
}

/// `o ^ (o - 2r)` upwards, and the same on the flipped board downwards. `line` lacks the slider's own square, so
/// `o - 2r` becomes `o - r`.
#[inline(always)]
fn both_ways<W: Word>(slider: W, occ: W, line: W) -> W {
    let blockers = occ & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}
