//! Rank slices: vector *k* holds the k-th rank of every board of the block, one byte a board.
//!
//! Transposed so, a board's files and diagonals run from vector to vector in the same lane, and a ray is
//! walked for all boards at once, seven steps up and seven down, without tables and without branches.
//!
//! The ranks next to the slider's are where a walk starts: slice *k + 1*, in the lanes whose slider is on rank *k*,
//! and nothing else stands there until then. Where a ray is at rank *k*, its *tip*, is also what it
//! attacks there. There are two forms of the walk, for instruction sets with and without three-operand logic.
//!
//! **Rays apart.** With three-operand logic, "free of blockers, or starting here" is one instruction, so the
//! three rays upwards each have a vector: the north ray needs one instruction a step, the north-east ray
//! another one to double its tip, the north-west ray to halve it. SSSE3 walks its bishops so as well: the steps of the
//! shared byte are a longer chain.
//!
//! **Three rays in a byte.** Otherwise fewer instructions are needed when one byte carries all three, for they
//! never meet: the north tip is on the slider's own file, the north-east tip east of it, the north-west tip
//! west of it:
//!
//! ```text
//!                     west | s | east          bits from the A-file (0) to the H-file (7)
//! tips of rank k       . . 1 . 1 . . 1
//! free of blockers     . . 1 . 1 . . .          tips and not the occupancy of rank k
//! east tips doubled    . . 1 . 1 . . .          free + (free & east)
//! west tips halved     . 1 . . 1 . . .          - half(free & west)      tips of rank k + 1
//! ```
//!
//! Doubling carries a tip on the H-file out of the byte. `half` rounds up, which keeps a tip on the A-file where it
//! is: subtracted, it takes itself off the board; in the other form, the edge is put among the blockers.
//!
//! **The rank** itself is collapsed by picking from each vector the lanes whose slider is on that rank. East of
//! the slider `(e - 2s) ^ e` is the run up to the lowest blocker, by the borrow of the subtraction; west of
//! it `s - msb(w)` is the run down to the highest blocker, found by two lookups of a nibble each. The
//! answer is spread back by the same choice of lanes. Rays up, rays down and the rank never share a lane.
//!
//! Sources: the fill by rank slices and the shared byte are this library's; the run to the lowest blocker
//! is the `o ^ (o - 2r)` trick of "Sliding Piece Attacks".

use core::array;

use super::Kernel;
use crate::simd::{Boards, Bytes};

/// Queen attacks.
pub(crate) type Queen = RankSlices<true, true>;
/// Rook attacks.
pub(crate) type Rook = RankSlices<true, false>;
/// Bishop attacks.
pub(crate) type Bishop = RankSlices<false, true>;

/// The kernel for a slider that moves along rank and file (`ROOK`), along the diagonals (`BISHOP`), or both.
pub(crate) struct RankSlices<const ROOK: bool, const BISHOP: bool>;

impl<const ROOK: bool, const BISHOP: bool> Kernel for RankSlices<ROOK, BISHOP> {
    #[inline(always)]
    fn attacks<const N: usize, S: Boards<N>>(
        simd: S,
        squares: &[u8; N],
        occs: &[u64; N],
        out: &mut [u64; N],
        stream: bool,
    ) {
        let squares = simd.load_squares(squares);
        let ranks = to_ranks(simd, simd.load_boards(occs));
        let attacks = Self::slice_attacks(simd, squares, ranks);
        simd.store_boards(out, to_boards(simd, attacks), stream);
    }
}

/// The A-file in a rank slice.
const A_FILE: u8 = 1;
/// The bit of a square's file, by the lower four bits of the square's number.
const FILE_BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
/// The highest bit of a low nibble; 1 for none, so that an empty west side gives the edge.
const MSB_LOW: [u8; 16] = [1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8];
/// The highest bit of a high nibble, where it stands in the byte.
const MSB_HIGH: [u8; 16] = [0, 16, 32, 32, 64, 64, 64, 64, 128, 128, 128, 128, 128, 128, 128, 128];

impl<const ROOK: bool, const BISHOP: bool> RankSlices<ROOK, BISHOP> {
    /// The attack sets, as rank slices, of one slider a lane: `squares` holds their numbers, `occ` the
    /// boards as rank slices.
    #[inline(always)]
    pub(crate) fn slice_attacks<S: Bytes>(simd: S, squares: S::Vector, occ: [S::Vector; 8]) -> [S::Vector; 8] {
        let slider = simd.lookup(FILE_BIT, squares);
        let rank = simd.and(squares, simd.splat(0o70));
        let on_rank: [S::Lanes; 8] = array::from_fn(|k| simd.equal(rank, simd.splat(8 * k as u8)));

        let mut attacks = if S::TERNARY_LOGIC || (S::BISHOP_APART && !ROOK) {
            Self::walk_apart(simd, slider, on_rank, occ)
        } else {
            Self::walk_in_a_byte(simd, slider, on_rank, occ)
        };
        if ROOK {
            let mut rank_occ = simd.splat(0);
            for k in 0..8 {
                rank_occ = simd.fill_in(on_rank[k], rank_occ, occ[k]);
            }
            let rank_attacks = first_rank_attacks(simd, slider, rank_occ);
            for k in 0..8 {
                attacks[k] = simd.fill_in(on_rank[k], attacks[k], rank_attacks);
            }
        }
        attacks
    }

    /// The rays that leave the slider's rank, each in a vector of its own.
    #[inline(always)]
    fn walk_apart<S: Bytes>(simd: S, slider: S::Vector, on_rank: [S::Lanes; 8], occ: [S::Vector; 8]) -> [S::Vector; 8] {
        let zero = simd.splat(0);
        let start: [S::Vector; 8] = array::from_fn(|k| simd.fill_in(on_rank[k], zero, slider));
        let go_on = |tips, blockers, start| simd.or(simd.and_not(tips, blockers), start);
        let mut attacks = [zero; 8];
        // East, straight and west, first upwards, then downwards.
        let mut tips = [[zero; 3]; 2];
        for k in 0..7 {
            for (direction, from, to) in [(0, k, k + 1), (1, 7 - k, 6 - k)] {
                let [east, straight, west] = tips[direction];
                if BISHOP {
                    let east = go_on(east, occ[from], start[from]);
                    let east = simd.add(east, east);
                    let blockers = simd.or(occ[from], simd.splat(A_FILE));
                    let west = simd.half(go_on(west, blockers, start[from]));
                    attacks[to] = simd.or(attacks[to], simd.or(east, west));
                    (tips[direction][0], tips[direction][2]) = (east, west);
                }
                if ROOK {
                    tips[direction][1] = go_on(straight, occ[from], start[from]);
                    attacks[to] = simd.or(attacks[to], tips[direction][1]);
                }
            }
        }
        // A west ray that starts on the A-file is halved to itself, once, and stands where the straight ray of a
        // queen stands.
        if ROOK { attacks } else { array::from_fn(|k| simd.and_not(attacks[k], slider)) }
    }

    /// The rays that leave the slider's rank, three in a byte.
    #[inline(always)]
    fn walk_in_a_byte<S: Bytes>(
        simd: S,
        slider: S::Vector,
        on_rank: [S::Lanes; 8],
        occ: [S::Vector; 8],
    ) -> [S::Vector; 8] {
        let (west, east, twice) = sides(simd, slider);
        let start = match (ROOK, BISHOP) {
            (true, false) => slider,
            (true, true) => simd.or(simd.or(slider, twice), simd.half(slider)),
            _ => simd.and_not(simd.or(twice, simd.half(slider)), slider),
        };
        let step = |tips, occ| {
            let free = simd.and_not(tips, occ);
            if BISHOP {
                let (to_east, to_west) = (simd.and(free, east), simd.and(free, west));
                simd.sub(simd.add(free, to_east), simd.half(to_west))
            } else {
                free
            }
        };
        let mut attacks = [simd.splat(0); 8];
        for k in 0..7 {
            let tips = if k == 0 { attacks[0] } else { step(attacks[k], occ[k]) };
            attacks[k + 1] = simd.add_in(on_rank[k], tips, start);
        }
        let mut tips = simd.splat(0);
        for k in (1..8).rev() {
            if k < 7 {
                tips = step(tips, occ[k]);
            }
            tips = simd.add_in(on_rank[k], tips, start);
            attacks[k - 1] = simd.or(attacks[k - 1], tips);
        }
        attacks
    }
}

/// The bits west of the slider's, those east of it, and the bit next to it in the east.
#[inline(always)]
fn sides<S: Bytes>(simd: S, slider: S::Vector) -> (S::Vector, S::Vector, S::Vector) {
    let twice = simd.add(slider, slider);
    (simd.sub(slider, simd.splat(1)), simd.sub(simd.splat(0), twice), twice)
}

/// The attacks of `slider` along a rank with this occupancy, in one byte.
#[inline(always)]
fn first_rank_attacks<S: Bytes>(simd: S, slider: S::Vector, occ: S::Vector) -> S::Vector {
    let (west, east, twice) = sides(simd, slider);
    let east_occ = simd.and(occ, east);
    let east_attacks = simd.xor(simd.sub(east_occ, twice), east_occ);
    let west_occ = simd.and(occ, west);
    let highest = simd.max(simd.lookup(MSB_LOW, west_occ), simd.lookup(MSB_HIGH, simd.high_nibble(west_occ)));
    simd.or(east_attacks, simd.sub(slider, highest))
}

/// Boards as they lie in memory to rank slices.
///
/// With 16 lanes, vector *i* holds boards 2i and 2i + 1. Write the place of a byte as the three bits of
/// its vector and the four bits of its lane; at first these are board bits 3 2 1 and board bit 0, rank
/// bits 2 1 0. Interleaving two vectors that differ in one bit of their number moves that bit to the
/// lowest place of the lane, everything there up by one, and the topmost out into the vector's number:
///
/// ```text
///           vector     lane
///           b3 b2 b1   b0 r2 r1 r0
///  4 apart  b0 b2 b1   r2 r1 r0 b3
///  2 apart  b0 r2 b1   r1 r0 b3 b2
///  1 apart  b0 r2 r1   r0 b3 b2 b1
///  4 apart  r0 r2 r1   b3 b2 b1 b0
/// ```
#[inline(always)]
pub(crate) fn to_ranks<const N: usize, S: Boards<N>>(simd: S, boards: [S::Vector; 8]) -> [S::Vector; 8] {
    let v = interleave_pairs::<4, N, S>(simd, boards);
    let v = interleave_pairs::<2, N, S>(simd, v);
    let v = interleave_pairs::<1, N, S>(simd, v);
    let v = interleave_pairs::<4, N, S>(simd, v);
    [v[0], v[4], v[1], v[5], v[2], v[6], v[3], v[7]]
}

/// Rank slices to boards as they lie in memory.
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

/// Interleaves the vectors whose numbers differ by `APART`, a power of two.
#[inline(always)]
fn interleave_pairs<const APART: usize, const N: usize, S: Boards<N>>(
    simd: S,
    mut vectors: [S::Vector; 8],
) -> [S::Vector; 8] {
    for low in 0..8 {
        if low & APART == 0 {
            (vectors[low], vectors[low + APART]) = simd.interleave(vectors[low], vectors[low + APART]);
        }
    }
    vectors
}
