//! Rank slices on instruction sets that choose bit by bit and mirror bytes, each with one instruction: ARM.
//!
//! The slices and the masks are those of [rank slices](super::rank_slices). Two things differ.
//!
//! **Choosing.** The masks of a line have no bit in common. So instead of an or of the masked slice, a choice by the
//! mask may replace those bits, in one instruction instead of two. In the same way, a mask chooses between the answers
//! of two lines.
//!
//! **Solving.** The union of a line is one byte, in which `o - 2s` runs up from the slider to the next blocker. In the
//! mirrored byte the same runs down. The bits changed by both are the attacks of the slider, whether or not its own bit
//! is set:
//!
//! ```text
//!                      a b c d e f g h
//! o                    1 . 1 . s . 1 1
//! o - 2s               1 . 1 . s 1 . 1      the borrow stops at g
//! mirrored             1 . . 1 s . 1 1      the borrow stops at c
//! the two, by xor      . . 1 1 . 1 1 .
//! ```
//!
//! With this, both diagonals of a queen take fewer instructions collapsed than walked. A file is walked, as there.
//!
//! Sources: [Hyperbola Quintessence](https://www.chessprogramming.org/Hyperbola_Quintessence), in one byte.

use super::rank_slices::{FILE_BIT, InMemory, ONE_BIT, RankByRank, Slices, to_boards};
use crate::batch::blocks::{Kernel, Traffic};
use crate::batch::simd::{Boards, Choices};
use crate::table::each;

/// Queen attacks.
pub(crate) type Queen<S> = ChosenSlices<S, true, true>;
/// Rook attacks.
pub(crate) type Rook<S> = ChosenSlices<S, true, false>;
/// Bishop attacks.
pub(crate) type Bishop<S> = ChosenSlices<S, false, true>;

/// The kernel for a slider that moves along rank and file (`ROOK`), along the diagonals (`BISHOP`), or both.
#[derive(Clone, Copy)]
pub(crate) struct ChosenSlices<S, const ROOK: bool, const BISHOP: bool>(S);

impl<const N: usize, S, const ROOK: bool, const BISHOP: bool> Kernel<N> for ChosenSlices<S, ROOK, BISHOP>
where
    S: Boards<N> + Choices,
{
    /// The numbers of the squares, and the occupancies.
    type Input<'a> = (&'a [u8], &'a [u64]);

    #[inline(always)]
    fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], traffic: Traffic) {
        let simd = self.0;
        let (squares, occs) = simd.block_of_pairs(input, start, traffic);
        let squares = simd.load_squares(squares);
        let attacks = self.slice_attacks(squares, &InMemory::<N, S>(simd.load_boards(occs)));
        simd.store_boards(out, to_boards(simd, attacks), traffic);
    }
}

impl<S: Choices, const ROOK: bool, const BISHOP: bool> ChosenSlices<S, ROOK, BISHOP> {
    /// The kernel over the vectors of `simd`.
    #[inline(always)]
    pub(crate) fn over(simd: S) -> Self {
        ChosenSlices(simd)
    }

    /// The attack sets, as rank slices, of one slider per lane: `squares` has the numbers of the squares, `boards` the
    /// occupancies.
    #[inline(always)]
    pub(crate) fn slice_attacks(self, squares: S::Vector, boards: &impl RankByRank<S>) -> Slices<S> {
        let simd = self.0;
        let file = simd.and(squares, simd.splat(7));
        let rank = simd.eighth(simd.and(squares, simd.splat(0o70)));
        let slider = simd.lookup(FILE_BIT, file);
        // Where a line ends, a piece makes no difference. So bishops do not need the outer ranks.
        let mut occ = [slider; 8];
        each! { k in 0 1 2 3 4 5 6 7 => if ROOK || (k > 0 && k < 7) { occ[k] = boards.rank(simd, k) } }
        let solver = Solver::new(simd, slider);
        if !BISHOP {
            return self.straight_attacks(slider, rank, occ, &solver);
        }
        let mut attacks = [slider; 8];
        if ROOK {
            attacks = self.straight_attacks(slider, rank, occ, &solver);
        }
        // Numbered so that the tables of both are the same.
        let number = simd.add(file, rank);
        let mut masks = [slider; 8];
        each! { k in 0 1 2 3 4 5 6 7 => masks[k] = simd.lookup(ONE_BIT[k], number) }
        let across = solver.line_attacks(simd, masks, occ);
        each! { k in 0 1 2 3 4 5 6 7 => {
            attacks[k] = if ROOK { simd.choose(masks[k], across, attacks[k]) } else { simd.and(masks[k], across) };
        } }
        let number = simd.add(file, simd.xor(rank, simd.splat(7)));
        each! { k in 0 1 2 3 4 5 6 7 => masks[k] = simd.lookup(ONE_BIT[7 - k], number) }
        let along = solver.line_attacks(simd, masks, occ);
        each! { k in 0 1 2 3 4 5 6 7 => attacks[k] = simd.choose(masks[k], along, attacks[k]) }
        attacks
    }

    /// The attacks of the slider along its file and rank.
    #[inline(always)]
    fn straight_attacks(self, slider: S::Vector, rank: S::Vector, occ: Slices<S>, solver: &Solver<S>) -> Slices<S> {
        let simd = self.0;
        let mut on_rank = [rank; 8];
        each! { k in 0 1 2 3 4 5 6 7 => on_rank[k] = simd.lanes_of(rank, k as u8) }
        let mut own = occ[0];
        each! { k in 1 2 3 4 5 6 7 => own = simd.choose(on_rank[k], occ[k], own) }
        let along_rank = solver.attacks(simd, own);
        // The tips of the rays up and down.
        let (mut up, mut down) = ([simd.splat(0); 8], [simd.splat(0); 8]);
        (up[1], down[6]) = (simd.and(on_rank[0], slider), simd.and(on_rank[7], slider));
        each! { k in 1 2 3 4 5 6 => {
            up[k + 1] = simd.choose(on_rank[k], slider, simd.and_not(up[k], occ[k]));
            down[6 - k] = simd.choose(on_rank[7 - k], slider, simd.and_not(down[7 - k], occ[7 - k]));
        } }
        let mut attacks = occ;
        each! { k in 0 1 2 3 4 5 6 7 => {
            let file = if k == 0 { down[0] } else if k == 7 { up[7] } else { simd.or(up[k], down[k]) };
            attacks[k] = simd.choose(on_rank[k], along_rank, file);
        } }
        attacks
    }
}

/// The values subtracted from a byte and from the mirrored byte.
struct Solver<S: Choices> {
    twice: S::Vector,
    mirrored_twice: S::Vector,
}

impl<S: Choices> Solver<S> {
    #[inline(always)]
    fn new(simd: S, slider: S::Vector) -> Solver<S> {
        let mirrored = simd.mirrored(slider);
        Solver { twice: simd.add(slider, slider), mirrored_twice: simd.add(mirrored, mirrored) }
    }

    /// The attacks of the slider along a diagonal with these masks, in one byte. Where it ends, a piece makes no difference.
    #[inline(always)]
    fn line_attacks(&self, simd: S, masks: Slices<S>, occ: Slices<S>) -> S::Vector {
        let mut line = simd.and(masks[1], occ[1]);
        each! { k in 2 3 4 5 6 => line = simd.choose(masks[k], occ[k], line) }
        self.attacks(simd, line)
    }

    /// The attacks of the slider along a rank with this occupancy, in one byte.
    #[inline(always)]
    fn attacks(&self, simd: S, occ: S::Vector) -> S::Vector {
        let up = simd.sub(occ, self.twice);
        let down = simd.mirrored(simd.sub(simd.mirrored(occ), self.mirrored_twice));
        simd.xor(up, down)
    }
}
