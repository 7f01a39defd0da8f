//! Rows of pieces on their squares.

use slider_attacks::{SquareListing, SquareVectors};

use crate::block::{FeatureBlock, View, without_first};
use crate::layout::Mirror;
use crate::output::{FeatureIndex, RowBuffer, STEP};
use crate::tables::PieceTables;

/// The two perspectives of one position, and the first input of their sets.
pub(crate) struct PieceRows<'a> {
    pub tables: &'a PieceTables,
    pub block: &'a FeatureBlock,
    pub lane: usize,
    pub mirror: Mirror,
    /// The first input of the set.
    pub offset: u32,
}

impl PieceRows<'_> {
    #[inline(always)]
    fn base(&self, view: View) -> u32 {
        self.offset + self.tables.buckets[usize::from(self.block.king(self.lane, view))]
    }

    /// Adds the rows.
    #[inline(always)]
    pub(crate) fn add<I: FeatureIndex>(&self, simd: impl SquareListing, out: &mut [RowBuffer<I>; 2]) {
        let mut squares = [0; 64];
        let occupied = self.block.occupied[self.lane];
        simd.squares(occupied, &mut squares);
        let squares = &squares[..occupied.count_ones() as usize];
        let numbers = &self.block.numbers[self.lane];
        for (view, out) in self.block.views(self.lane, self.mirror).into_iter().zip(out) {
            let base = self.base(view);
            for squares in squares.chunks(STEP) {
                for (index, &square) in out.room().iter_mut().zip(squares) {
                    let plane = self.tables.planes[usize::from(numbers[usize::from(square % 64)] ^ view.flip) % 64];
                    *index = I::sum(u16::from(plane) << 6 | u16::from(square ^ view.turn), base);
                }
                out.advance(squares.len());
            }
        }
    }

    /// Adds the rows with vectors.
    #[inline(always)]
    pub(crate) fn add_on_vectors<I: FeatureIndex, S: SquareVectors>(&self, simd: S, out: &mut [RowBuffer<I>; 2]) {
        let mut occupied = self.block.occupied[self.lane];
        let numbers = simd.load(&self.block.numbers[self.lane]);
        let planes = simd.load(&self.tables.planes);
        let views = self.block.views(self.lane, self.mirror);
        let bases = [self.base(views[0]), self.base(views[1])];
        while occupied != 0 {
            let count = (occupied.count_ones() as usize).min(STEP);
            let squares = simd.squares_of(occupied);
            let numbers = simd.lookup(numbers, squares);
            for ((view, base), out) in views.iter().zip(bases).zip(&mut *out) {
                let planes = simd.lookup(planes, simd.xor(numbers, simd.splat(view.flip)));
                let squares = simd.widen(simd.xor(squares, simd.splat(view.turn)));
                let words = simd.add_words(simd.shift_words::<6>(simd.widen(planes)), squares);
                I::store(simd, words, words, [base; 2], out.room());
                out.advance(count);
            }
            occupied = without_first(occupied, count);
        }
    }
}
