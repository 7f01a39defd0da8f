//! Rank slices: vector *k* holds the k-th rank of every board of the block, one byte per board.
//!
//! After this transposition, the files and diagonals of a board run from vector to vector in the same lane, and all boards
//! are computed at once, without tables and without branches. A line is computed in one of two ways.
//!
//! **Collapsed**, as with kindergarten bitboards: a diagonal crosses each file at most once, so the eight slices, each
//! masked with the line, have no bit in common, and their union is one byte with one bit per file. The attacks are
//! computed in that byte as if it were a rank, and spread by the same masks. The slider's rank needs no other code: its
//! masks are all ones for that rank and zero elsewhere. A mask is a lookup by the number of the line: there are 15
//! diagonals and 15 anti-diagonals.
//!
//! East of the slider, `(e - 2s) ^ e` is the run up to the lowest blocker, by the borrow of the subtraction. West of
//! it, `s - msb(w)` is the run down to the highest blocker, which two lookups find, one per nibble.
//!
//! **Walked**, seven steps up and seven down: the *tip* of a ray at rank *k* is the square it attacks there, and the
//! tip at the next rank follows from it and from the blockers. A walk starts next to the slider's rank: at slice
//! *k + 1*, in the lanes with a slider on rank *k*; until then those lanes are empty. A file cannot be collapsed into
//! the bits of a byte without a multiplication, so it is always walked. The diagonals of a queen are walked next to it,
//! in one of two forms:
//!
//! - *Rays apart.* With three-operand logic, "free of blockers, or starting here" is one instruction, so each of the three
//!   rays upwards has its own vector. The north ray needs one instruction per step; the north-east ray needs another to
//!   double its tip, and the north-west ray needs another to halve it. The tips to the west are kept as complements: the
//!   average of a complement with all ones is the complement of the half, rounded down, so a tip on the A-file leaves the
//!   board.
//! - *Three rays in a byte.* Otherwise it takes fewer instructions when one byte carries all three. They never meet,
//!   because the north tip is on the slider's own file, the north-east tip is east of it, and the north-west tip is west
//!   of it:
//!
//! ```text
//!                     west | s | east          bits from the A-file (0) to the H-file (7)
//! tips of rank k       . . 1 . 1 . . 1
//! free of blockers     . . 1 . 1 . . .          tips and not the occupancy of rank k
//! east tips doubled    . . 1 . 1 . . .          free + (free & east)
//! west tips halved     . 1 . . 1 . . .          - half(free & west)      tips of rank k + 1
//! ```
//!
//! Doubling carries a tip on the H-file out of the byte. The average with zero rounds up, which keeps a tip on the A-file
//! in place; the subtraction then removes it.
//!
//! Measurements decided which slider uses which way; `asm-notes/` has the figures for the others. Rays up, rays down,
//! the rank and the diagonals never share a bit.
//!
//! Sources: the slices, the walks and the shared byte are this library's own. The collapse is that of
//! [Kindergarten Bitboards](https://www.chessprogramming.org/Kindergarten_Bitboards). The run to the lowest blocker is the
//! `o ^ (o - 2r)` trick of
//! [Subtracting a Rook from a Blocking Piece](https://www.chessprogramming.org/Subtracting_a_Rook_from_a_Blocking_Piece).

use crate::batch::blocks::{Kernel, Traffic};
use crate::batch::simd::{Boards, Bytes, interleave_pairs};
use crate::table::{each, eight};

/// Queen attacks.
pub(crate) type Queen<S> = RankSlices<S, true, true>;
/// Rook attacks.
pub(crate) type Rook<S> = RankSlices<S, true, false>;
/// Bishop attacks.
pub(crate) type Bishop<S> = RankSlices<S, false, true>;

/// The kernel for a slider that moves along rank and file (`ROOK`), along the diagonals (`BISHOP`), or both.
#[derive(Clone, Copy)]
pub(crate) struct RankSlices<S, const ROOK: bool, const BISHOP: bool>(S);

impl<const N: usize, S: Boards<N>, const ROOK: bool, const BISHOP: bool> Kernel<N> for RankSlices<S, ROOK, BISHOP> {
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

/// The bit of a square's file, by the lower four bits of the square's number.
pub(super) const FILE_BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
/// The highest bit of a low nibble; 1 for none, so that an empty west side gives the edge.
const MSB_LOW: [u8; 16] = [1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8];
/// The highest bit of a high nibble, in its place in the byte.
const MSB_HIGH: [u8; 16] = [0, 16, 32, 32, 64, 64, 64, 64, 128, 128, 128, 128, 128, 128, 128, 128];

impl<S: Bytes, const ROOK: bool, const BISHOP: bool> RankSlices<S, ROOK, BISHOP> {
    /// The kernel over the vectors of `simd`.
    #[inline(always)]
    pub(crate) fn over(simd: S) -> Self {
        RankSlices(simd)
    }

    /// The attack sets, as rank slices, of one slider per lane: `squares` has the numbers of the squares, `boards` the
    /// occupancies.
    ///
    /// Masks and ranks are made alternately. Their order matters: AVX-512 queens take 1.3 times as long with all ranks first.
    #[inline(always)]
    pub(crate) fn slice_attacks(self, squares: S::Vector, boards: &impl RankByRank<S>) -> Slices<S> {
        let simd = self.0;
        let file = simd.and(squares, simd.splat(7));
        let rank = simd.eighth(simd.and(squares, simd.splat(0o70)));
        let slider = simd.lookup(FILE_BIT, squares);
        if !ROOK {
            return diagonal_attacks(simd, slider, file, rank, boards);
        }
        // A lookup hides the value from the compiler, which would split an average with a constant into a word shift and a
        // mask.
        let ones = simd.lookup([!0; 16], squares);
        let (mut on_rank, mut occ) = ([slider; 8], [slider; 8]);
        each! { k in 0 1 2 3 4 5 6 7 => (on_rank[k], occ[k]) = (simd.lanes_of(rank, k as u8), boards.rank(simd, k)) }
        let sides = Sides::new(simd, slider);
        if BISHOP && !S::TERNARY_LOGIC {
            let start = simd.or3(slider, sides.twice, simd.average(slider, simd.splat(0)));
            let rays = rays_in_a_byte(simd, &sides, eight!(k => simd.and(on_rank[k], start)), occ);
            let rank_attacks = sides.attacks(simd, collapse(simd, on_rank, occ));
            return eight!(k => simd.or_and(rays[k], on_rank[k], rank_attacks));
        }
        let rank_attacks = sides.attacks(simd, collapse(simd, on_rank, occ));
        if BISHOP {
            rays_apart(
                simd,
                ones,
                eight!(k => simd.and(on_rank[k], slider)),
                occ,
                eight!(k => simd.and(on_rank[k], rank_attacks)),
            )
        } else {
            let rays = straight_rays(simd, eight!(k => simd.and(on_rank[k], slider)), occ);
            eight!(k => simd.or_and(rays[k], on_rank[k], rank_attacks))
        }
    }
}

/// Eight slices: the ranks of boards, or a line as the bits where it crosses each rank.
pub(super) type Slices<S> = [<S as Bytes>::Vector; 8];

/// Boards, taken rank by rank.
pub(crate) trait RankByRank<S: Bytes> {
    /// This rank of every board, counted from 0.
    fn rank(&self, simd: S, number: usize) -> S::Vector;
}

impl<S: Bytes> RankByRank<S> for Slices<S> {
    #[inline(always)]
    fn rank(&self, _: S, number: usize) -> S::Vector {
        self[number]
    }
}

/// Boards in their order in memory.
pub(super) struct InMemory<const N: usize, S: Bytes>(pub(super) Slices<S>);

impl<const N: usize, S: Boards<N>> RankByRank<S> for InMemory<N, S> {
    #[inline(always)]
    fn rank(&self, simd: S, number: usize) -> S::Vector {
        simd.rank(self.0, number)
    }
}

/// The bits next to the slider's file.
pub(super) struct Sides<S: Bytes> {
    slider: S::Vector,
    /// All bits west of it, and those of them in the high nibble.
    west: S::Vector,
    west_high: S::Vector,
    /// All bits east of it.
    east: S::Vector,
    /// The bit next to it to the east: twice the slider.
    twice: S::Vector,
}

impl<S: Bytes> Sides<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, slider: S::Vector) -> Sides<S> {
        let twice = simd.add(slider, slider);
        let west = simd.sub(slider, simd.splat(1));
        let west_high = simd.and(west, simd.splat(0xf0));
        Sides { slider, west, west_high, east: simd.sub(simd.splat(0), twice), twice }
    }

    /// The attacks of the slider along a rank with this occupancy, in one byte. The bits west of it are the same before
    /// and after the subtraction.
    #[inline(always)]
    pub(super) fn attacks(&self, simd: S, occ: S::Vector) -> S::Vector {
        let low = simd.lookup(MSB_LOW, simd.and(occ, self.west));
        let high = simd.lookup(MSB_HIGH, simd.sixteenth(simd.and(occ, self.west_high)));
        let west_attacks = simd.sub(self.slider, simd.max(low, high));
        simd.xor_or(simd.sub(occ, self.twice), occ, west_attacks)
    }

    /// The tips of three rays in a byte at the next rank: those that are not blocked on this one, moved, and those that start
    /// there.
    #[inline(always)]
    fn next_tips(&self, simd: S, tips: S::Vector, start: S::Vector, occ: S::Vector) -> S::Vector {
        let free = simd.and_not(tips, occ);
        let (to_east, to_west) = (simd.and(free, self.east), simd.and(free, self.west));
        let moved = simd.sub(simd.add(free, to_east), simd.average(to_west, simd.splat(0)));
        simd.add(moved, start)
    }
}

/// The union of the slices, each within its mask.
#[inline(always)]
fn collapse<S: Bytes>(simd: S, masks: Slices<S>, occ: Slices<S>) -> S::Vector {
    let low = simd.or_and(simd.and(masks[0], occ[0]), masks[1], occ[1]);
    let low = simd.or_and(low, masks[2], occ[2]);
    let middle = simd.or_and(simd.and(masks[3], occ[3]), masks[4], occ[4]);
    let middle = simd.or_and(middle, masks[5], occ[5]);
    simd.or3(low, middle, simd.or_and(simd.and(masks[6], occ[6]), masks[7], occ[7]))
}

/// The union of the inner slices, each within its mask.
#[inline(always)]
fn collapse_inner<S: Bytes>(simd: S, masks: Slices<S>, occ: Slices<S>) -> S::Vector {
    let low = simd.or_and(simd.and(masks[1], occ[1]), masks[2], occ[2]);
    let low = simd.or_and(low, masks[3], occ[3]);
    let high = simd.or_and(simd.and(masks[4], occ[4]), masks[5], occ[5]);
    simd.or(low, simd.or_and(high, masks[6], occ[6]))
}

/// Both diagonals, collapsed, solved and spread.
#[inline(always)]
fn diagonal_attacks<S: Bytes>(
    simd: S,
    slider: S::Vector,
    file: S::Vector,
    rank: S::Vector,
    boards: &impl RankByRank<S>,
) -> Slices<S> {
    // The outer ranks are left out: a piece where a diagonal ends makes no difference, so two fewer ranks are
    // transposed.
    let mut occ = [slider; 8];
    each! { k in 1 2 3 4 5 6 => occ[k] = boards.rank(simd, k) }
    let sides = Sides::new(simd, slider);
    let diagonal = simd.sub(simd.add(file, simd.splat(7)), rank);
    let diagonal: Slices<S> = eight!(k => simd.lookup(ONE_BIT[7 - k], diagonal));
    let anti_diagonal = simd.add(file, rank);
    let anti_diagonal: Slices<S> = eight!(k => simd.lookup(ONE_BIT[k], anti_diagonal));
    let diagonal_attacks = sides.attacks(simd, collapse_inner(simd, diagonal, occ));
    let anti_diagonal_attacks = sides.attacks(simd, collapse_inner(simd, anti_diagonal, occ));
    eight!(k => simd.or_and(simd.and(diagonal[k], diagonal_attacks), anti_diagonal[k], anti_diagonal_attacks))
}

/// `ONE_BIT[from][i]` has bit `i - from`, if a byte has such a bit.
pub(super) const ONE_BIT: [[u8; 16]; 8] = {
    let mut tables = [[0; 16]; 8];
    let mut from = 0;
    while from < 8 {
        let mut bit = 0;
        while bit < 8 {
            tables[from][from + bit] = 1 << bit;
            bit += 1;
        }
        from += 1;
    }
    tables
};

/// The rays along the file.
#[inline(always)]
pub(super) fn straight_rays<S: Bytes>(simd: S, start: Slices<S>, occ: Slices<S>) -> Slices<S> {
    let mut up = [simd.splat(0); 8];
    let mut down = up;
    (up[1], down[6]) = (start[0], start[7]);
    each! { k in 1 2 3 4 5 6 => {
        up[k + 1] = simd.or_and_not(start[k], up[k], occ[k]);
        down[6 - k] = simd.or_and_not(start[7 - k], down[7 - k], occ[7 - k]);
    } }
    each! { k in 1 2 3 4 5 6 => up[k] = simd.or(up[k], down[k]) }
    up[0] = down[0];
    up
}

/// Adds the six rays of a queen that leave its rank to `attacks`, each walked in a vector of its own.
#[inline(always)]
fn rays_apart<S: Bytes>(
    simd: S,
    ones: S::Vector,
    start: Slices<S>,
    occ: Slices<S>,
    mut attacks: Slices<S>,
) -> Slices<S> {
    let mut up = Tips { east: start[0], straight: start[0], not_west: simd.xor(start[0], ones) };
    let mut down = Tips { east: start[7], straight: start[7], not_west: simd.xor(start[7], ones) };
    each! { k in 0 1 2 3 4 5 6 => {
        if k > 0 {
            (up, down) = (up.unblocked(simd, start[k], occ[k]), down.unblocked(simd, start[7 - k], occ[7 - k]));
        }
        up = up.moved(simd, ones);
        attacks[k + 1] = up.added(simd, attacks[k + 1]);
        down = down.moved(simd, ones);
        attacks[6 - k] = down.added(simd, attacks[6 - k]);
    } }
    attacks
}

/// The tips of the three rays of a queen that leave its rank on one side. The tips to the west are complements.
#[derive(Clone, Copy)]
struct Tips<V> {
    east: V,
    straight: V,
    not_west: V,
}

impl<V: Copy> Tips<V> {
    /// Those that no piece on this rank blocks, and those that start there.
    #[inline(always)]
    fn unblocked<S: Bytes<Vector = V>>(self, simd: S, start: V, occ: V) -> Tips<V> {
        Tips {
            east: simd.or_and_not(start, self.east, occ),
            straight: simd.or_and_not(start, self.straight, occ),
            not_west: simd.either_and_not(self.not_west, occ, start),
        }
    }

    /// The tips at the next rank.
    #[inline(always)]
    fn moved<S: Bytes<Vector = V>>(self, simd: S, ones: V) -> Tips<V> {
        Tips {
            east: simd.add(self.east, self.east),
            straight: self.straight,
            not_west: simd.average(self.not_west, ones),
        }
    }

    /// Adds the tips to the attacks of their rank.
    #[inline(always)]
    fn added<S: Bytes<Vector = V>>(self, simd: S, attacks: V) -> V {
        simd.or(attacks, simd.or_or_not(self.east, self.straight, self.not_west))
    }
}

/// The same six rays, three in a byte.
#[inline(always)]
fn rays_in_a_byte<S: Bytes>(simd: S, sides: &Sides<S>, start: Slices<S>, occ: Slices<S>) -> Slices<S> {
    let mut tips = start[0];
    let mut attacks = [simd.splat(0); 8];
    attacks[1] = tips;
    each! { k in 1 2 3 4 5 6 => {
        tips = sides.next_tips(simd, tips, start[k], occ[k]);
        attacks[k + 1] = tips;
    } }
    let mut tips = start[7];
    attacks[6] = simd.or(attacks[6], tips);
    each! { k in 6 5 4 3 2 1 => {
        tips = sides.next_tips(simd, tips, start[k], occ[k]);
        attacks[k - 1] = simd.or(attacks[k - 1], tips);
    } }
    attacks
}

/// Transposes boards from their order in memory to rank slices.
///
/// With 16 lanes, vector *i* holds boards 2i and 2i + 1. Write the place of a byte as the three bits of
/// its vector's number and the four bits of its lane's. At first these are board bits 3 2 1, then board bit 0 and rank
/// bits 2 1 0. Interleaving two vectors whose numbers differ in one bit moves that bit to the lowest place of the
/// lane's number, moves the other bits there up by one, and moves the topmost one out into the vector's number:
///
/// ```text
///           vector     lane
///           b3 b2 b1   b0 r2 r1 r0
///  4 apart  b0 b2 b1   r2 r1 r0 b3
///  2 apart  b0 r2 b1   r1 r0 b3 b2
///  1 apart  b0 r2 r1   r0 b3 b2 b1
///  4 apart  r0 r2 r1   b3 b2 b1 b0
/// ```
///
/// [`Boards::rank`] gives one of the ranks. The compiler shares the common steps of several ranks.
#[inline(always)]
pub(crate) fn to_ranks<const N: usize, S: Boards<N>>(simd: S, boards: [S::Vector; 8]) -> [S::Vector; 8] {
    let mut ranks = boards;
    each! { k in 0 1 2 3 4 5 6 7 => ranks[k] = simd.rank(boards, k) }
    ranks
}

/// Transposes rank slices to boards in their order in memory.
///
/// ```text
///           vector     lane
///           r2 r1 r0   b3 b2 b1 b0
///  4 apart  b3 r1 r0   b2 b1 b0 r2
///  2 apart  b3 b2 r0   b1 b0 r2 r1
///  1 apart  b3 b2 b1   b0 r2 r1 r0
/// ```
#[inline(always)]
pub(crate) fn to_boards<const N: usize, S: Boards<N>>(simd: S, ranks: [S::Vector; 8]) -> [S::Vector; 8] {
    let v = interleave_pairs::<4, N, S>(simd, ranks);
    let v = interleave_pairs::<2, N, S>(simd, v);
    interleave_pairs::<1, N, S>(simd, v)
}
