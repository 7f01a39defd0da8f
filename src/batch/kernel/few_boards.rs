//! Bit matrices for calls shorter than a block: a lane has the questions of one board, or of two from two vectors, each
//! with four rows. [Bit matrices](super::bit_matrix) describe the algorithm.

use super::bit_matrix::{BIT, EAST, MIRRORED_TWICE, TWICE, WEST, columns_of, solve, spread};
use super::lines;
use crate::batch::blocks::{Kernel, Traffic, block, block_mut};
use crate::batch::simd::Rows;

/// The kernel for calls that are shorter than a block: for a slider that moves along rank and file (`ROOK`), along the
/// diagonals (`BISHOP`), or both. A vector has `N` boards. A loop takes two vectors at a time in calls of `TWO_FROM` pairs or
/// more.
#[derive(Clone, Copy)]
pub(crate) struct Few<S, const ROOK: bool, const BISHOP: bool, const N: usize, const TWO_FROM: usize>(S);

/// Queen attacks.
pub(crate) type Queen<S, const N: usize, const TWO_FROM: usize> = Few<S, true, true, N, TWO_FROM>;
/// Rook attacks.
pub(crate) type Rook<S, const N: usize, const TWO_FROM: usize> = Few<S, true, false, N, TWO_FROM>;
/// Bishop attacks.
pub(crate) type Bishop<S, const N: usize, const TWO_FROM: usize> = Few<S, false, true, N, TWO_FROM>;

/// For `TWO_FROM`: no loop takes two vectors at a time.
pub(crate) const NEVER: usize = usize::MAX;

impl<S, const ROOK: bool, const BISHOP: bool, const N: usize, const TWO_FROM: usize> Few<S, ROOK, BISHOP, N, TWO_FROM> {
    /// The kernel over the vectors of `simd`.
    #[inline(always)]
    pub(crate) fn over(simd: S) -> Self {
        Few(simd)
    }

    /// Computes the attack sets of arrays of the same length, which are one or two vectors. Two may overlap.
    ///
    /// There is no loop. So constants are operands in memory, which need neither registers nor instructions that load them.
    #[inline(always)]
    pub(crate) fn attacks(self, squares: &[u8], occs: &[u64], out: &mut [u64])
    where
        S: Rows<N, 1> + Rows<N, 2>,
    {
        let last = out.len() - N;
        match (last, TWO_FROM) {
            // As lines, eight rooks take 0.80 of the time on Zen 4, and about as long on Granite Rapids.
            (0, _) if ROOK && !BISHOP && N == lines::BOARDS => {
                lines::Rook::<{ lines::LEADING_ZEROS }>.attacks((squares, occs), 0, block_mut(out, 0), Traffic::PLAIN);
            }
            (0, _) => self.vector_attacks(squares, occs, out, 0),
            (_, NEVER) => {
                self.vector_attacks(squares, occs, out, 0);
                self.vector_attacks(squares, occs, out, last);
            }
            _ => {
                let squares = [block(squares, 0), block(squares, last)];
                let [low, high] = self.attacks_of::<2>(squares, [block(occs, 0), block(occs, last)]);
                Rows::<N, 2>::store_few(self.0, block_mut(out, 0), low);
                Rows::<N, 2>::store_few(self.0, block_mut(out, last), high);
            }
        }
    }

    /// The same for arrays of two vectors or more. The last step overlaps the one before.
    ///
    /// A step takes two vectors if the arrays are no shorter than `TWO_FROM`. For these steps there is `in_loop`.
    #[inline(always)]
    pub(crate) fn many_attacks(self, in_loop: Self, squares: &[u8], occs: &[u64], out: &mut [u64])
    where
        S: Rows<N, 1> + Rows<N, 2>,
    {
        let last = out.len() - N;
        let mut start = 0;
        if out.len() < TWO_FROM {
            loop {
                self.vector_attacks(squares, occs, out, start);
                if start == last {
                    return;
                }
                start = last.min(start + N);
            }
        }
        let rest = loop {
            let [first, second] = block(squares[start..].as_chunks().0, 0);
            let [low, high] = block(occs[start..].as_chunks().0, 0);
            let attacks = in_loop.attacks_of::<2>([first, second], [low, high]);
            let out: &mut [[u64; N]; 2] = block_mut(out[start..].as_chunks_mut().0, 0);
            for place in 0..2 {
                Rows::<N, 2>::store_few(self.0, &mut out[place], attacks[place]);
            }
            let rest = last - start;
            if rest <= 2 * N {
                break rest;
            }
            start = (last - N).min(start + 2 * N);
        };
        if rest != N {
            self.vector_attacks(squares, occs, out, last);
        }
    }

    /// Computes the vector that begins at `start`.
    #[inline(always)]
    fn vector_attacks(self, squares: &[u8], occs: &[u64], out: &mut [u64], start: usize)
    where
        S: Rows<N, 1>,
    {
        let [attacks] = self.attacks_of::<1>([block(squares, start)], [block(occs, start)]);
        self.0.store_few(block_mut(out, start), attacks);
    }

    /// The attack sets of one vector for each place.
    #[inline(always)]
    fn attacks_of<const PLACES: usize>(
        self,
        squares: [&[u8; N]; PLACES],
        occs: [&[u64; N]; PLACES],
    ) -> [S::Vector; PLACES]
    where
        S: Rows<N, PLACES>,
    {
        let simd = self.0;
        let mut boards = [simd.load_few(occs[0]); PLACES];
        for place in 1..PLACES {
            boards[place] = simd.load_few(occs[place]);
        }
        self.lane_attacks(simd.load_few_squares(squares), boards)
    }

    /// The attack sets of the sliders in each lane, one in each place: `squares` has the number of a slider's square in
    /// every byte of its place.
    #[inline(always)]
    pub(crate) fn lane_attacks<const PLACES: usize>(
        self,
        squares: S::Vector,
        boards: [S::Vector; PLACES],
    ) -> [S::Vector; PLACES]
    where
        S: Rows<N, PLACES>,
    {
        let simd = self.0;
        let (mut seen, mut stars) = (boards, boards);
        if BISHOP {
            for place in 0..PLACES {
                stars[place] = simd.star_of_lane::<ROOK>(squares, place);
                seen[place] = simd.and(boards[place], stars[place]);
            }
        }
        let rows = simd.rows_by_file::<ROOK, BISHOP>(squares);
        let answers = simd.answers(rows, seen);
        let [code, columns] = if ROOK {
            // The fourth answer is not an answer but the slider's rank, to be solved with the others. Then it becomes a
            // question, and the slider's rank is the answer to it.
            let [twice, mirrored_twice] = simd.doubles(squares);
            let answers = solve(simd, simd.with_rank(answers, squares, boards), twice, mirrored_twice);
            let [answers, rows] = simd.exchanged(answers, rows, squares);
            if PLACES == 1 {
                // It is the fifth question. Until then that question was zero, and so was its answer. Solved, zero is
                // every rank but the slider's. Flipping by 0x08 leaves the slider's rank.
                columns_of::<0x08, S>(simd, answers, rows)
            } else {
                columns_of::<0, S>(simd, answers, rows)
            }
        } else {
            let (twice, mirrored_twice) = (simd.by_rank(MIRRORED_TWICE, squares), simd.by_rank(TWICE, squares));
            columns_of::<0, S>(simd, solve(simd, answers, twice, mirrored_twice), rows)
        };
        let mut attacks = boards;
        for place in 0..PLACES {
            attacks[place] = spread(simd, code, columns, 8 / PLACES, place);
            if BISHOP {
                attacks[place] = simd.and(attacks[place], stars[place]);
            }
        }
        attacks
    }
}

/// The questions of a slider, each by the file: the files east of it, those west of it, and the file itself. A rook
/// asks about its file three times: an odd number of times is as good as once.
pub(crate) const fn rows(rook: bool, bishop: bool) -> [u64; 3] {
    let file = if rook { BIT } else { 0 };
    if bishop { [EAST, WEST, file] } else { [file; 3] }
}
