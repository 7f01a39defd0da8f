//! Pairs of pawns.

use core::ops::Range;

use slider_attacks::SquareVectors;
use slider_attacks::position::Piece;

use crate::block::{FeatureBlock, LANES, PIECES, View};
use crate::layout::Mirror;
use crate::output::{FeatureIndex, RowBuffer, STEP};
use crate::tables::ENEMY;

/// How many pawns below another one are on its file and those next to it, at most.
const BELOW: usize = 17;
/// How many pairs some positions have at most, and room for what is written after the last one.
const PAIRS: usize = PIECES * BELOW + 64;

/// The squares below each one on its file and those next to it.
const NEAR_AND_BELOW: [u64; 64] = {
    let (mut near, mut square) = ([0; 64], 0);
    while square < 64 {
        let mut other = 0;
        while other < square {
            let (file, other_file) = (square % 8, other % 8);
            if file <= other_file + 1 && other_file <= file + 1 {
                near[square] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    near
};

/// Each square many times.
static COPIES: [[u8; 32]; 64] = {
    let (mut copies, mut square) = ([[0; 32]; 64], 0);
    while square < 64 {
        copies[square] = [square as u8; 32];
        square += 1;
    }
    copies
};

/// The pairs of some positions, as White sees the board.
pub(crate) struct PairLists {
    /// Those of `lane` are `begins[lane]..begins[lane + 1]`.
    begins: [usize; LANES + 1],
    high: [u8; PAIRS],
    low: [u8; PAIRS],
}

const FITS: &str = "a round has at most so many pieces";

impl PairLists {
    pub(crate) fn new() -> PairLists {
        PairLists { begins: [0; LANES + 1], high: [0; PAIRS], low: [0; PAIRS] }
    }

    /// Lists the pairs of some positions. `write` writes the squares of a set.
    #[inline(always)]
    fn list_with(&mut self, block: &FeatureBlock, lanes: Range<usize>, write: impl Fn(u64, &mut [u8; 32])) {
        let mut len = 0;
        self.begins[lanes.start] = 0;
        for lane in lanes {
            let pawns = block.pieces[0][Piece::Pawn as usize][lane] | block.pieces[1][Piece::Pawn as usize][lane];
            // The lowest one has no pairs.
            let mut rest = pawns & pawns.wrapping_sub(1);
            while rest != 0 {
                let square = rest.trailing_zeros() as usize % 64;
                rest &= rest - 1;
                // The compiler does not know that all of them fit.
                len = len.min(PAIRS - 64);
                let below = pawns & NEAR_AND_BELOW[square];
                write(below, self.low[len..].first_chunk_mut().expect(FITS));
                *self.high[len..].first_chunk_mut().expect(FITS) = COPIES[square];
                len += below.count_ones() as usize;
            }
            self.begins[lane + 1] = len;
        }
    }

    /// Lists the pairs of some positions.
    #[inline(always)]
    pub(crate) fn list(&mut self, block: &FeatureBlock, lanes: Range<usize>) {
        self.list_with(block, lanes, write_few);
    }

    /// Lists the pairs of some positions with vectors.
    #[inline(always)]
    pub(crate) fn list_on_vectors(&mut self, simd: impl SquareVectors, block: &FeatureBlock, lanes: Range<usize>) {
        self.list_with(
            block,
            lanes,
            #[inline(always)]
            |set, out| simd.store_half(simd.squares_of(set), out),
        );
    }

    /// Adds the rows of a position.
    #[inline(always)]
    pub(crate) fn add<I: FeatureIndex>(
        &self,
        block: &FeatureBlock,
        lane: usize,
        offset: u32,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let pairs = self.begins[lane]..self.begins[lane + 1];
        let views = block.views(lane, Mirror::ToQueenside);
        let numbers = &block.numbers[lane];
        for at in pairs.clone().step_by(STEP) {
            let count = (pairs.end - at).min(STEP);
            let high: &[u8; STEP] = self.high[at..].first_chunk().expect(FITS);
            let low: &[u8; STEP] = self.low[at..].first_chunk().expect(FITS);
            let mut sides = [[0; STEP]; 2];
            for (at, (&high, &low)) in high.iter().zip(low).enumerate().take(count) {
                sides[0][at] = numbers[usize::from(high % 64)] & ENEMY;
                sides[1][at] = numbers[usize::from(low % 64)] & ENEMY;
            }
            for (&View { flip, turn }, out) in views.iter().zip(&mut *out) {
                // In fixed numbers, which the compiler turns into vectors.
                let (mut greater, mut lesser) = ([0; STEP], [0; STEP]);
                for at in 0..STEP {
                    let one = (high[at] ^ turn).wrapping_sub(8).wrapping_add(6 * (sides[0][at] ^ flip));
                    let other = (low[at] ^ turn).wrapping_sub(8).wrapping_add(6 * (sides[1][at] ^ flip));
                    (greater[at], lesser[at]) = (u16::from(one.max(other)), u16::from(one.min(other)));
                }
                for (at, index) in out.room().iter_mut().enumerate() {
                    let word = greater[at].wrapping_mul(greater[at].wrapping_sub(1)) / 2;
                    *index = I::sum(word.wrapping_add(lesser[at]), offset);
                }
                out.advance(count);
            }
        }
    }

    /// Adds the rows of a position with vectors.
    #[inline(always)]
    pub(crate) fn add_on_vectors<I: FeatureIndex, S: SquareVectors>(
        &self,
        simd: S,
        block: &FeatureBlock,
        lane: usize,
        offset: u32,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let pairs = self.begins[lane]..self.begins[lane + 1];
        let numbers = simd.load(&block.numbers[lane]);
        let views = block.views(lane, Mirror::ToQueenside);
        for at in pairs.clone().step_by(STEP) {
            let count = (pairs.end - at).min(STEP);
            let (high, low) = (self.high[at..].first_chunk().expect(FITS), self.low[at..].first_chunk().expect(FITS));
            let (high, low) = (simd.load(high), simd.load(low));
            let enemy = simd.splat(ENEMY);
            let high_side = simd.and(simd.lookup(numbers, high), enemy);
            let low_side = simd.and(simd.lookup(numbers, low), enemy);
            for (&View { flip, turn }, out) in views.iter().zip(&mut *out) {
                let (flip, turn) = (simd.splat(flip), simd.splat(turn));
                let one = pawn_numbers(simd, simd.xor(high, turn), simd.xor(high_side, flip));
                let other = pawn_numbers(simd, simd.xor(low, turn), simd.xor(low_side, flip));
                let (high, low) = (simd.widen(simd.max(one, other)), simd.widen(simd.min(one, other)));
                let less = simd.add_words(high, simd.splat_word(!0));
                let words = simd.add_words(simd.half_words(simd.times_words(high, less)), low);
                I::store(simd, words, words, [offset; 2], out.room());
                out.advance(count);
            }
        }
    }
}

/// The numbers of pawns on these squares, which are enemies or not.
#[inline(always)]
fn pawn_numbers<S: SquareVectors>(simd: S, squares: S::Vector, enemies: S::Vector) -> S::Vector {
    // 48 for an enemy, which is six times ENEMY.
    let twice = simd.add(enemies, enemies);
    let six = simd.add(twice, simd.add(twice, twice));
    simd.sub(simd.add(squares, six), simd.splat(8))
}

/// Writes the squares of a set that usually has few, and at most 17.
#[inline(always)]
fn write_few(mut set: u64, out: &mut [u8; 32]) {
    for out in out.as_chunks_mut::<4>().0 {
        for out in out {
            *out = set.trailing_zeros() as u8;
            set &= set.wrapping_sub(1);
        }
        if set == 0 {
            return;
        }
    }
}
