//! Sets of sliders as rank slices: the union of their attacks, one board per lane.
//!
//! A walk of [rank slices](super::rank_slices) does not depend on the number of sliders: a ray starts at each of them. So
//! files and diagonals are walked as for a queen, and the slices of the sets are the starts. Three rays in a byte would
//! meet here, so each has its own vector.
//!
//! Rank attacks are computed for every slice, not only for the slice of one slider. To the east, `o ^ (o - 2r)` gives
//! them for all sliders of a byte at once, if each slider blocks the one before it. The squares behind a slider are
//! attacked by that slider itself, so the union is the same whether or not the sliders are in the occupancy. To the
//! west, no subtraction runs down a byte. With GFNI, products reverse the byte before and after it ([`Products`]).
//! Otherwise the byte is filled in three steps that each double the fill ([`Shifts`]).
//!
//! Sources:
//! [Subtracting a Rook from a Blocking Piece](https://www.chessprogramming.org/Subtracting_a_Rook_from_a_Blocking_Piece)
//! for `o ^ (o - 2r)`, and [Kogge-Stone Algorithm](https://www.chessprogramming.org/Kogge-Stone_Algorithm) for the fill.

use super::rank_slices::{Slices, straight_rays, to_boards, to_ranks};
use crate::batch::blocks::{Kernel, Traffic, block};
use crate::batch::simd::{Boards, Bytes, Matrices, Mirrors};
use crate::table::each;

/// The kernel for sets of sliders. `W` computes the attacks to the west.
#[derive(Clone, Copy)]
pub(crate) struct SliderSets<S, W>(pub(crate) S, pub(crate) W);

/// Moves to the west, which is down in a byte.
pub(crate) trait West<S: Bytes>: Copy {
    /// `a / 2`.
    fn half(self, simd: S, a: S::Vector) -> S::Vector;
    /// Adds the attacks of the sliders along their rank, to the west, to `attacks`. The sliders are among the blockers.
    fn add_attacks(self, simd: S, sliders: S::Vector, blockers: S::Vector, attacks: S::Vector) -> S::Vector;
}

/// By shifts of words, and masks for bits from the next byte.
#[derive(Clone, Copy)]
pub(crate) struct Shifts;

impl<S: Bytes> West<S> for Shifts {
    #[inline(always)]
    fn half(self, simd: S, a: S::Vector) -> S::Vector {
        simd.shift_1_and(a, simd.splat(0x7f))
    }
    #[inline(always)]
    fn add_attacks(self, simd: S, sliders: S::Vector, blockers: S::Vector, attacks: S::Vector) -> S::Vector {
        let free = simd.and_not(simd.splat(0x7f), blockers);
        let fill = simd.or(sliders, simd.shift_1_and(sliders, free));
        let free = simd.shift_1_and(free, free);
        let fill = simd.or(fill, simd.shift_2_and(fill, free));
        let free = simd.shift_2_and(free, free);
        let fill = simd.or(fill, simd.shift_4_and(fill, free));
        simd.or(attacks, self.half(simd, fill))
    }
}

/// By products that mirror bytes.
#[derive(Clone, Copy)]
pub(crate) struct Products<M>(pub(crate) M);

impl<S: Bytes, M: Mirrors<Vector = S::Vector>> West<S> for Products<M> {
    #[inline(always)]
    fn half(self, _: S, a: S::Vector) -> S::Vector {
        self.0.half(a)
    }
    #[inline(always)]
    fn add_attacks(self, simd: S, sliders: S::Vector, blockers: S::Vector, attacks: S::Vector) -> S::Vector {
        let west = simd.sub(self.0.reversed(blockers), self.0.reversed_twice(sliders));
        simd.xor_or(blockers, self.0.reversed(west), attacks)
    }
}

/// The matrix whose product reverses bytes: row *n* has bit *n*, and a product lists the rows upside down.
const REVERSE: u64 = 0x8040_2010_0804_0201;
/// The same, with each row one place lower, so that the reversed byte is also doubled; and the matrix that halves.
const REVERSE_TWICE: u64 = REVERSE >> 8;
const HALF: u64 = 0x0204_0810_2040_8000;

impl<M: Matrices> Mirrors for M {
    type Vector = M::Vector;

    #[inline(always)]
    fn reversed(self, a: M::Vector) -> M::Vector {
        self.product::<0>(a, self.splat(REVERSE))
    }
    #[inline(always)]
    fn reversed_twice(self, a: M::Vector) -> M::Vector {
        self.product::<0>(a, self.splat(REVERSE_TWICE))
    }
    #[inline(always)]
    fn half(self, a: M::Vector) -> M::Vector {
        self.product::<0>(a, self.splat(HALF))
    }
}

impl<const N: usize, S: Boards<N>, W: West<S>> Kernel<N> for SliderSets<S, W> {
    /// Sliders along ranks and files, sliders along diagonals, occupancies.
    type Input<'a> = [&'a [u64]; 3];

    #[inline(always)]
    fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], traffic: Traffic) {
        let simd = self.0;
        let [orthogonal, diagonal, occ] = input;
        let (orthogonal, diagonal): (&[u64; N], &[u64; N]) = (block(orthogonal, start), block(diagonal, start));
        let occ = block(occ, start);
        simd.prefetch_after(orthogonal);
        simd.prefetch_after(diagonal);
        simd.prefetch_after(occ);
        let orthogonal = to_ranks(simd, simd.load_boards(orthogonal));
        let diagonal = to_ranks(simd, simd.load_boards(diagonal));
        let occ = to_ranks(simd, simd.load_boards(occ));
        let attacks = self.slice_attacks(orthogonal, diagonal, occ);
        simd.store_boards(out, to_boards(simd, attacks), traffic);
    }
}

impl<S: Bytes, W: West<S>> SliderSets<S, W> {
    /// The attack sets, as rank slices, of the sliders in `orthogonal` and `diagonal`.
    #[inline(always)]
    pub(crate) fn slice_attacks(self, orthogonal: Slices<S>, diagonal: Slices<S>, occ: Slices<S>) -> Slices<S> {
        let SliderSets(simd, west) = self;
        let files = straight_rays(simd, orthogonal, occ);
        // Not a loop, because the compiler would not unroll it.
        let attacks = [
            rank_attacks(simd, west, orthogonal[0], occ[0], files[0]),
            rank_attacks(simd, west, orthogonal[1], occ[1], files[1]),
            rank_attacks(simd, west, orthogonal[2], occ[2], files[2]),
            rank_attacks(simd, west, orthogonal[3], occ[3], files[3]),
            rank_attacks(simd, west, orthogonal[4], occ[4], files[4]),
            rank_attacks(simd, west, orthogonal[5], occ[5], files[5]),
            rank_attacks(simd, west, orthogonal[6], occ[6], files[6]),
            rank_attacks(simd, west, orthogonal[7], occ[7], files[7]),
        ];
        diagonal_rays(simd, west, diagonal, occ, attacks)
    }
}

/// Adds the attacks of the sliders of one rank along it to `attacks`.
#[inline(always)]
fn rank_attacks<S: Bytes, W: West<S>>(
    simd: S,
    west: W,
    sliders: S::Vector,
    occ: S::Vector,
    attacks: S::Vector,
) -> S::Vector {
    let blockers = simd.or(occ, sliders);
    let east = simd.sub(blockers, simd.add(sliders, sliders));
    simd.xor_or(blockers, east, west.add_attacks(simd, sliders, blockers, attacks))
}

/// Adds the rays along the diagonals to `attacks`.
#[inline(always)]
fn diagonal_rays<S: Bytes, W: West<S>>(
    simd: S,
    to_west: W,
    start: Slices<S>,
    occ: Slices<S>,
    mut attacks: Slices<S>,
) -> Slices<S> {
    let (mut east, mut west) = (simd.add(start[0], start[0]), to_west.half(simd, start[0]));
    attacks[1] = simd.or3(attacks[1], east, west);
    each! { k in 1 2 3 4 5 6 => {
        west = to_west.half(simd, simd.or_and_not(start[k], west, occ[k]));
        let tips = simd.or_and_not(start[k], east, occ[k]);
        east = simd.add(tips, tips);
        attacks[k + 1] = simd.or3(attacks[k + 1], east, west);
    } }
    let (mut east, mut west) = (simd.add(start[7], start[7]), to_west.half(simd, start[7]));
    attacks[6] = simd.or3(attacks[6], east, west);
    each! { k in 6 5 4 3 2 1 => {
        west = to_west.half(simd, simd.or_and_not(start[k], west, occ[k]));
        let tips = simd.or_and_not(start[k], east, occ[k]);
        east = simd.add(tips, tips);
        attacks[k - 1] = simd.or3(attacks[k - 1], east, west);
    } }
    attacks
}
