//! Pairs of pawns.

use core::ops::Range;

use slider_attacks::position::Piece;
use slider_attacks::{SquareLists, SquareVectors};

use crate::block::{Block, LANES, PIECES, View};
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
    fn list_with(&mut self, block: &Block, lanes: Range<usize>, write: impl Fn(u64, &mut [u8; 32])) {
        let mut len = 0;
        self.begins[lanes.start] = 0;
        for lane in lanes {
            let pawns = block.pieces[0][Piece::Pawn as usize][lane] | block.pieces[1][Piece::Pawn as usize][lane];
            // The lowest one has no pairs.
            let mut rest = pawns & pawns.wrapping_sub(1);
            while rest != 0 {
                let square = rest.trailing_zeros() as usize % 64;
                rest &= rest - 1;
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
    pub(crate) fn list(&mut self, simd: impl SquareLists, block: &Block, lanes: Range<usize>) {
        self.list_with(
            block,
            lanes,
            #[inline(always)]
            |set, out| simd.few_squares(set, out),
        );
    }

    /// Lists the pairs of some positions with vectors.
    #[inline(always)]
    pub(crate) fn list_on_vectors(&mut self, simd: impl SquareVectors, block: &Block, lanes: Range<usize>) {
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
        block: &Block,
        lane: usize,
        offset: u32,
        out: &mut [Box<RowBuffer<I>>; 2],
    ) {
        let pairs = self.begins[lane]..self.begins[lane + 1];
        let numbers = &block.numbers[lane];
        for (view, out) in block.views(lane, Mirror::ToQueenside).into_iter().zip(out) {
            let number = |square: u8| {
                let is_enemy = (numbers[usize::from(square % 64)] ^ view.flip) / ENEMY;
                u16::from((square ^ view.turn) + 48 * is_enemy - 8)
            };
            for (high, low) in self.high[pairs.clone()].chunks(STEP).zip(self.low[pairs.clone()].chunks(STEP)) {
                for ((&high, &low), index) in high.iter().zip(low).zip(out.room()) {
                    let (one, other) = (number(high), number(low));
                    let (high, low) = (one.max(other), one.min(other));
                    *index = I::sum(high * (high - 1) / 2 + low, offset);
                }
                out.advance(high.len());
            }
        }
    }

    /// Adds the rows of a position with vectors.
    #[inline(always)]
    pub(crate) fn add_on_vectors<I: FeatureIndex, S: SquareVectors>(
        &self,
        simd: S,
        block: &Block,
        lane: usize,
        offset: u32,
        out: &mut [Box<RowBuffer<I>>; 2],
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
