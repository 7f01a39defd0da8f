//! Lines in 64-bit lanes, for calls with fewer pairs than a block of rank slices: eight boards at a time.
//!
//! This is plain code on one board, without tables. The compiler vectorises the loop over the eight, as it would for
//! anybody; `asm-notes/check` sees that it does.
//!
//! The mask of a line is the one through a1 or h8, shifted to the slider; what the shift carries round the edge of the
//! board is masked. Then, `o` being the blockers on the line and `r` the slider:
//!
//! - **Leading zeros**, one vector instruction with AVX-512 CD, give the obstruction difference: from the lowest blocker
//!   above the slider down to the highest one below, `above ^ (above - highest_below)`.
//! - **Byte swaps** give `o ^ (o - 2r)` in both directions, on lines that cross each rank once.
//!
//! Sources: "Sliding Piece Attacks", its `o ^ (o - 2r)` trick and obstruction difference.

use super::{Kernel, block};

/// The rays by counting leading zeros.
pub(crate) const LEADING_ZEROS: bool = true;
/// The rays by swapping bytes, where leading zeros are not counted in vectors.
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
    ($($kernel:ident $attacks:expr),*) => {$(
        impl<const LEADING_ZEROS: bool> Kernel<8> for $kernel<LEADING_ZEROS> {
            type Input<'a> = (&'a [u8], &'a [u64]);

            #[inline(always)]
            fn attacks(self, (squares, occs): Self::Input<'_>, start: usize, out: &mut [u64; 8], _: bool) {
                let (squares, occs): (&[u8; 8], &[u64; 8]) = (block(squares, start), block(occs, start));
                for at in 0..8 {
                    out[at] = $attacks(u64::from(squares[at]), occs[at]);
                }
            }
        }
    )*};
}

kernels! {
    Queen |square, occ| rook_attacks::<LEADING_ZEROS>(square, occ) | bishop_attacks::<BYTE_SWAP>(square, occ),
    Rook rook_attacks::<LEADING_ZEROS>,
    Bishop bishop_attacks::<LEADING_ZEROS>
}

const A_FILE: u64 = 0x0101_0101_0101_0101;
/// 9, 18, … 63 and 7, 14, … 49 squares above a1.
const NORTH_EAST: u64 = 0x8040_2010_0804_0200;
const NORTH_WEST: u64 = 0x0002_0408_1020_4080;
/// As many below h8.
const SOUTH_WEST: u64 = 0x0040_2010_0804_0201;
const SOUTH_EAST: u64 = 0x0102_0408_1020_4000;

/// The attacks of a rook on `square`, which is below 64.
#[inline(always)]
pub(crate) const fn rook_attacks<const LEADING_ZEROS: bool>(square: u64, occ: u64) -> u64 {
    let slider = 1_u64 << square;
    let below = slider - 1;
    let above = !(slider | below);
    let file = A_FILE.rotate_left(square as u32);
    let rank = 0xff_u64 << (square & 56);
    if LEADING_ZEROS {
        let file = obstruction_difference(occ & above & file, occ & below & file, file);
        return (file | obstruction_difference(occ & above & rank, occ & below & rank, rank)) & !slider;
    }
    let blockers_east = occ & above & rank;
    let east = blockers_east ^ blockers_east.wrapping_sub(slider << 1);
    let mut behind_west = occ & below & rank;
    behind_west |= behind_west >> 1;
    behind_west |= behind_west >> 2;
    behind_west |= behind_west >> 4;
    both_ways(slider, occ, file & !slider) | rank & (above & east | below & !(behind_west >> 1))
}

/// The attacks of a bishop on `square`, which is below 64.
#[inline(always)]
pub(crate) const fn bishop_attacks<const LEADING_ZEROS: bool>(square: u64, occ: u64) -> u64 {
    let from_h8 = square ^ 63;
    let west = A_FILE.rotate_left(square as u32) - A_FILE;
    let (north_east, south_west) = (NORTH_EAST << square & !west, SOUTH_WEST >> from_h8 & west);
    let (north_west, south_east) = (NORTH_WEST << square & west, SOUTH_EAST >> from_h8 & !west);
    let (diagonal, anti_diagonal) = (north_east | south_west, north_west | south_east);
    if LEADING_ZEROS {
        obstruction_difference(occ & north_east, occ & south_west, diagonal)
            | obstruction_difference(occ & north_west, occ & south_east, anti_diagonal)
    } else {
        let slider = 1 << square;
        both_ways(slider, occ, diagonal) | both_ways(slider, occ, anti_diagonal)
    }
}

/// The squares of `line` from the highest of the blockers below the slider to the lowest above it.
#[inline(always)]
const fn obstruction_difference(above: u64, below: u64, line: u64) -> u64 {
    let highest_below = 1 << 63 >> (below | 1).leading_zeros();
    (above ^ above.wrapping_sub(highest_below)) & line
}

/// `o ^ (o - 2r)` upwards and, upside down, downwards, on a line without the slider's own square: hence `o - r`.
#[inline(always)]
const fn both_ways(slider: u64, occ: u64, line: u64) -> u64 {
    let blockers = occ & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}
