//! Where rows go.

use slider_attacks::{Lists, SquareVectors};

mod sealed {
    pub trait SealedIndex {}
    impl SealedIndex for u16 {}
    impl SealedIndex for u32 {}
}

/// The type of indices: `u16` or `u32`.
pub trait FeatureIndex:
    sealed::SealedIndex + Copy + Default + Ord + core::fmt::Debug + Into<u32> + Send + Sync + 'static
{
    /// How many inputs it can number.
    const MOST: u64;

    /// The index of an input: a number within a set and the first one of the set.
    #[doc(hidden)]
    fn sum(word: u16, base: u32) -> Self;

    /// Writes the indices of 32 numbers within a set. `bases[1]` is for those whose word of `chosen` is not zero.
    #[doc(hidden)]
    fn store<S: SquareVectors>(simd: S, words: S::Vector, chosen: S::Vector, bases: [u32; 2], out: &mut [Self; 32]);
}

impl FeatureIndex for u16 {
    const MOST: u64 = 1 << 16;

    #[inline(always)]
    fn sum(word: u16, base: u32) -> u16 {
        word.wrapping_add(base as u16)
    }

    /// Both bases are the same: see [`ThreatTables::enemy_base`](crate::tables::ThreatTables::enemy_base).
    #[inline(always)]
    fn store<S: SquareVectors>(simd: S, words: S::Vector, _: S::Vector, [base, _]: [u32; 2], out: &mut [u16; 32]) {
        simd.store_words(simd.add_words(words, simd.splat_word(base as u16)), out);
    }
}

impl FeatureIndex for u32 {
    const MOST: u64 = 1 << 32;

    #[inline(always)]
    fn sum(word: u16, base: u32) -> u32 {
        u32::from(word) + base
    }

    #[inline(always)]
    fn store<S: SquareVectors>(simd: S, words: S::Vector, chosen: S::Vector, bases: [u32; 2], out: &mut [u32; 32]) {
        simd.store_long(words, chosen, bases, out);
    }
}

/// Rows whose indices are as narrow as the number of inputs allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowLists {
    /// There are at most 65,536 inputs.
    Short(Lists<u16>),
    /// There are more.
    Long(Lists<u32>),
}

impl Default for RowLists {
    fn default() -> RowLists {
        RowLists::Short(Lists::new())
    }
}

impl RowLists {
    /// These lists or, if they have another type, new ones.
    pub(crate) fn into_short(self) -> Lists<u16> {
        if let RowLists::Short(lists) = self { lists } else { Lists::new() }
    }

    /// The same with wide indices.
    pub(crate) fn into_long(self) -> Lists<u32> {
        if let RowLists::Long(lists) = self { lists } else { Lists::new() }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets().len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One offset more than there are rows: the row *i* has the indices from `offsets[i]` to `offsets[i + 1]`.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        match self {
            RowLists::Short(rows) => rows.offsets(),
            RowLists::Long(rows) => rows.offsets(),
        }
    }
}

/// Memory for the rows of one perspective.
#[derive(Debug)]
pub struct RowSlices<'a, I> {
    /// The indices of all positions, one after the other.
    pub indices: &'a mut [I],
    /// One element more than there are positions: the row of position *i* is that from `offsets[i]` to `offsets[i + 1]`
    /// of `indices`.
    pub offsets: &'a mut [usize],
}

/// Takes rows, some at a time.
pub(crate) trait RowSink<I> {
    /// Adds the rows that follow: their indices, and for each the number of indices up to its end. Returns how many of
    /// the rows had room.
    fn add(&mut self, indices: &[I], ends: &[usize]) -> usize;
}

impl<I: Copy> RowSink<I> for Lists<I> {
    #[inline]
    fn add(&mut self, indices: &[I], ends: &[usize]) -> usize {
        let (items, offsets) = self.parts_mut();
        let before = items.len();
        items.extend_from_slice(indices);
        offsets.extend(ends.iter().map(|end| before + end));
        ends.len()
    }
}

/// Rows in the memory of a caller.
pub(crate) struct SliceSink<'a, I> {
    rows: RowSlices<'a, I>,
    /// The rows that have been added.
    len: usize,
}

impl<'a, I> SliceSink<'a, I> {
    /// No rows. There is an offset for their beginning.
    pub(crate) fn new(rows: RowSlices<'a, I>) -> SliceSink<'a, I> {
        rows.offsets[0] = 0;
        SliceSink { rows, len: 0 }
    }
}

impl<I: Copy> RowSink<I> for SliceSink<'_, I> {
    #[inline]
    fn add(&mut self, indices: &[I], ends: &[usize]) -> usize {
        let before = self.rows.offsets[self.len];
        let room = self.rows.indices.len() - before;
        let fit = if indices.len() <= room { ends.len() } else { ends.partition_point(|&end| end <= room) };
        let taken = if fit == 0 { 0 } else { ends[fit - 1] };
        self.rows.indices[before..before + taken].copy_from_slice(&indices[..taken]);
        for (offset, end) in self.rows.offsets[self.len + 1..].iter_mut().zip(&ends[..fit]) {
            *offset = before + end;
        }
        self.len += fit;
        fit
    }
}

/// From how many indices on they are handed on.
const BUFFER: usize = 2_048;
/// How many rows are written before they are handed on, so that they stay in the cache.
const ROWS: usize = 32;
/// How many indices a position adds at most to one set, with 63 other pieces and an own king: 8 threats for each piece,
/// or up to 17 pairs for each of 48 pawns.
const MOST: usize = 48 * 17;
/// How many indices one step may write.
pub(crate) const STEP: usize = 32;

/// The rows of one perspective before they are handed on.
pub(crate) struct RowBuffer<I> {
    indices: Box<[I]>,
    len: usize,
    ends: [usize; ROWS],
    rows: usize,
    /// The beginning of the row that is written.
    start: usize,
}

impl<I: FeatureIndex> RowBuffer<I> {
    /// With room for rows of this many sets.
    pub(crate) fn new(sets: usize) -> RowBuffer<I> {
        let indices = vec![I::default(); BUFFER + sets * MOST + STEP].into_boxed_slice();
        RowBuffer { indices, len: 0, ends: [0; ROWS], rows: 0, start: 0 }
    }

    /// Room for the next step, which adds some of its indices.
    #[inline(always)]
    pub(crate) fn room(&mut self) -> &mut [I; STEP] {
        self.indices[self.len..].first_chunk_mut().expect("rows are handed on before the buffer is full")
    }

    /// Adds the first `count` indices in [`room`](RowBuffer::room).
    #[inline(always)]
    pub(crate) fn advance(&mut self, count: usize) {
        self.len += count;
    }

    /// Whether one more row has room.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.rows < self.ends.len() && self.len <= BUFFER
    }

    /// Ends a row.
    #[inline(always)]
    pub(crate) fn end_row(&mut self, sort: bool) {
        if sort {
            self.indices[self.start..self.len].sort_unstable();
        }
        self.ends[self.rows] = self.len;
        self.rows += 1;
        self.start = self.len;
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Hands the rows on, and returns how many had room.
    #[inline(always)]
    pub(crate) fn hand_on(&mut self, sink: &mut impl RowSink<I>) -> usize {
        let taken = sink.add(&self.indices[..self.len], &self.ends[..self.rows]);
        (self.len, self.rows, self.start) = (0, 0, 0);
        taken
    }
}

/// How many sets a row may have.
pub(crate) const MOST_SETS: usize = 10;
