//! Attack maps of both colours from arrays of bitboards, without positions.
//!
//! In short calls, what is fixed takes longer than the maps. Nanoseconds per board of both maps of eight boards, through the C library
//! (Rocket Lake with `avx512-gfni`, shared with others, minima in one process, November 2026):
//!
//! | what | arrays | structures |
//! |---|---|---|
//! | positions, and a call for each colour | 32 | 34 |
//! | one step from arrays to maps | 16 | 17.5 |
//! | arrays by reference: three copies of 200 bytes were calls | 12 | 14.4 |
//! | structures read by pairs of boards; maps written where they stay | 11.6 | 12.6 |
//! | what the call checks, written once and not copied | 10.5 | 11.7 |
//!
//! Of these, 6.2 are this task, which the shifts of AVX-512 limit, 2.2 are checks of addresses, and 1 is the way between them.
//!
//! On Granite Rapids, both maps in one loop, and structures read by eight, took arrays from 11.2 to 9.9, and structures from 12.0 to
//! 10.4. Messages of errors made out of line, results that are not written in halves, and one loop that checks the outputs took them
//! to 8.2 and 8.6; positions, in a call for each colour, from 9.6 to 9.0.

use super::lanes::{BLOCK, HAS_BLOCKS, LANES, SidePieces, copy_few, copy_round, rounds};
use super::products::attacks;
use crate::Backend;
use crate::batch::entries::Task;
use crate::position::{BoardArrays, PlanesError, first_problem, one_king_each};

/// [`BoardArrays`], or a round of each.
type KindArrays<'a, T> = [[&'a T; 6]; 2];

/// Like `map` of the arrays, which is not always inlined.
#[inline(always)]
fn each<'a, T: ?Sized, U: ?Sized>(
    [white, black]: &KindArrays<'a, T>,
    of: impl Fn(&'a T) -> &'a U,
) -> KindArrays<'a, U> {
    let [pawns, knights, bishops, rooks, queens, king] = white;
    let white = [of(pawns), of(knights), of(bishops), of(rooks), of(queens), of(king)];
    let [pawns, knights, bishops, rooks, queens, king] = black;
    [white, [of(pawns), of(knights), of(bishops), of(rooks), of(queens), of(king)]]
}

/// Some boards in order, and nothing else is written: neither positions nor their unions.
struct MapsTask<'a, 'b> {
    /// At least a round.
    pieces: &'a KindArrays<'a, [u64]>,
    out: &'a mut [&'b mut [u64]; 2],
    /// Becomes zero unless a board is wrong. Then no map has been written.
    wrong: &'a mut u64,
}

impl Task for MapsTask<'_, '_> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let MapsTask { pieces, out: [whites, blacks], wrong } = self;
        let len = whites.len();
        if len <= LANES {
            // Both steps on values that stay in registers.
            let boards = KindRound::<LANES>::new(pieces, 0);
            *wrong = boards.problems(len);
            if *wrong == 0 {
                boards.write_maps([whites, blacks]);
            }
            return;
        }
        // All have one length, which the compiler must see.
        let (pieces, blacks) = (each(pieces, |boards| &boards[..len]), &mut blacks[..len]);
        let full = if HAS_BLOCKS { len - len % BLOCK } else { 0 };
        let mut any = 0;
        for start in (0..full).step_by(BLOCK) {
            any |= KindRound::<BLOCK>::new(&pieces, start).problems(BLOCK);
        }
        for start in rounds(full..len) {
            any |= KindRound::<LANES>::new(&pieces, start).problems(LANES);
        }
        *wrong = any;
        if any != 0 {
            return;
        }
        for start in (0..full).step_by(BLOCK) {
            KindRound::<BLOCK>::new(&pieces, start).write_maps([&mut whites[start..], &mut blacks[start..]]);
        }
        for start in rounds(full..len) {
            KindRound::<LANES>::new(&pieces, start).write_maps([&mut whites[start..], &mut blacks[start..]]);
        }
    }
}

/// A round of boards.
struct KindRound<'a, const N: usize>(KindArrays<'a, [u64; N]>);

impl<'a, const N: usize> KindRound<'a, N> {
    /// The round that begins with board `start`.
    #[inline(always)]
    fn new(pieces: &KindArrays<'a, [u64]>, start: usize) -> Self {
        KindRound(each(pieces, |boards: &'a [u64]| boards[start..].first_chunk().expect("all rounds are full")))
    }

    /// The pieces of both colours on one board, and the squares that have several.
    #[inline(always)]
    fn sides(&self, lane: usize) -> ([SidePieces; 2], u64) {
        let [white, black] = &self.0;
        let side = |[pawns, knights, bishops, rooks, queens, king]: &[&[u64; N]; 6]| {
            let [pawns, knights, bishops] = [pawns[lane], knights[lane], bishops[lane]];
            let [rooks, queens, king] = [rooks[lane], queens[lane], king[lane]];
            let (mut all, mut twice) = (pawns, 0);
            for pieces in [knights, bishops, rooks, queens, king] {
                twice |= all & pieces;
                all |= pieces;
            }
            (SidePieces { pawns, knights, orthogonal: rooks | queens, diagonal: bishops | queens, king, all }, twice)
        };
        let ((white, white_twice), (black, black_twice)) = (side(white), side(black));
        ([white, black], white_twice | black_twice | white.all & black.all)
    }

    /// Not zero unless the first `len` boards are in order.
    #[inline(always)]
    fn problems(&self, len: usize) -> u64 {
        let mut any = 0;
        for lane in 0..N {
            let ([white, black], twice) = self.sides(lane);
            let problems = twice | one_king_each(white.king, black.king);
            any |= if lane < len { problems } else { 0 };
        }
        any
    }

    /// Writes both maps of each board, or of those there is room for.
    #[inline(always)]
    fn write_maps(&self, [whites, blacks]: [&mut [u64]; 2]) {
        // Separate arrays, so that the compiler sees that no store changes later reads. One loop, as both colours' rays need the same of
        // the empty squares: 0.88 to 0.94 of the time of two loops, by backend and length (Granite Rapids).
        let (mut of_white, mut of_black) = ([0; N], [0; N]);
        for (lane, (of_white, of_black)) in of_white.iter_mut().zip(&mut of_black).enumerate() {
            let ([white, black], _) = self.sides(lane);
            let empty = !(white.all | black.all);
            (*of_white, *of_black) = (attacks(&white, empty, !0), attacks(&black, empty, 0));
        }
        copy_round(&of_white, whites);
        copy_round(&of_black, blacks);
    }
}

/// The same for one board, without vectors. Returns zero unless it is wrong.
#[inline(never)]
fn write_single(pieces: &KindArrays<'_, [u64]>, [whites, blacks]: &mut [&mut [u64]; 2]) -> u64 {
    let ([white, black], twice) = KindRound::<1>::new(pieces, 0).sides(0);
    let wrong = twice | one_king_each(white.king, black.king);
    if wrong == 0 {
        let empty = !(white.all | black.all);
        (whites[0], blacks[0]) = (attacks(&white, empty, !0), attacks(&black, empty, 0));
    }
    wrong
}

/// The maps of white's pieces, and of black's, for boards in order.
pub(super) fn fill(backend: Backend, pieces: &BoardArrays<'_>, out: &mut [&mut [u64]; 2]) -> Result<(), PlanesError> {
    let len = out[0].len();
    let mut differ = out[1].len() != len;
    for boards in pieces.as_flattened() {
        differ |= boards.len() != len;
    }
    if differ {
        return Err(PlanesError::LengthMismatch);
    }
    let mut wrong = 0;
    if HAS_BLOCKS && len == 1 {
        wrong = write_single(pieces, out);
    } else if len >= LANES {
        backend.perform(MapsTask { pieces, out, wrong: &mut wrong });
    } else if len > 0 {
        let mut padded = [[[0; LANES]; 6]; 2];
        for (padded, boards) in padded.as_flattened_mut().iter_mut().zip(pieces.as_flattened()) {
            copy_few(boards, padded);
        }
        let [white, black] = &padded;
        let pieces = &each(&[white.each_ref(), black.each_ref()], |boards: &[u64; LANES]| &boards[..]);
        backend.perform(MapsTask { pieces, out, wrong: &mut wrong });
    }
    if wrong == 0 { Ok(()) } else { Err(first_problem(*pieces, &[])) }
}
