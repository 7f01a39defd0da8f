//! Sums of sets, and their rows.

use core::mem;
use core::ops::Range;

use slider_attacks::position::{Color, Piece, PositionSlice};
use slider_attacks::{Backend, Lists, Square, SquareListing, SquareTask, SquareVectors};

use crate::block::{FeatureBlock, LANES};
use crate::error::FeatureError;
use crate::layout::{FeatureSet, Mirror};
use crate::order::{RowOrder, ViewOrder};
use crate::output::{FeatureIndex, MOST_SETS, RowBuffer, RowLists, RowSink, RowSlices, SliceSink};
use crate::pairs::PairLists;
use crate::pieces::PieceRows;
use crate::tables::{PieceTables, ThreatTables};
use crate::threats::ThreatLists;

/// One or more sets of inputs, numbered one after the other.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::position::Positions;
/// use slider_attacks_features::{FeatureSet, Features, RowOrder, ViewOrder};
///
/// let mut positions = Positions::new();
/// positions.push_fen("4k3/8/8/8/8/8/PP6/4K3 b - - 0 1")?;
/// let pairs = Features::new([FeatureSet::PawnPairs])?;
/// let [own, other] = pairs.rows::<u16>(Backend::active(), &positions, ViewOrder::Mover, RowOrder::Found)?;
/// // Black's king is on e8, so it sees White's pawns on h7 and g7: 94 and 95.
/// assert_eq!(own[0], [95 * 94 / 2 + 94]);
/// assert_eq!(other[0], [7 * 6 / 2 + 6]); // on h2 and g2: 6 and 7
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    sets: Vec<SetTables>,
    offsets: Vec<u32>,
    size: u32,
    /// Whether pawns on the first and last rank are errors.
    needs_ranks: bool,
}

/// The tables of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SetTables {
    Pieces(Box<PieceTables>, Mirror),
    Threats(Box<ThreatTables>),
    PawnPairs,
}

impl Features {
    /// The sum of these sets, at most ten.
    ///
    /// # Errors
    ///
    /// There are more sets, or more inputs than 32 bits can number.
    pub fn new(sets: impl IntoIterator<Item = FeatureSet>) -> Result<Features, FeatureError> {
        let mut inputs = Features { sets: Vec::new(), offsets: Vec::new(), size: 0, needs_ranks: false };
        for set in sets {
            if inputs.sets.len() == MOST_SETS {
                return Err(FeatureError::TooManyInputs);
            }
            inputs.offsets.push(inputs.size);
            inputs.size = inputs.size.checked_add(set.size()).ok_or(FeatureError::TooManyInputs)?;
            inputs.sets.push(match set {
                FeatureSet::Pieces(layout) => SetTables::Pieces(Box::new(PieceTables::new(&layout)), layout.mirror()),
                FeatureSet::Threats(layout) => SetTables::Threats(Box::new(ThreatTables::new(&layout))),
                FeatureSet::PawnPairs => SetTables::PawnPairs,
            });
            inputs.needs_ranks |= match set {
                FeatureSet::Pieces(_) => false,
                FeatureSet::Threats(layout) => layout.slots()[Piece::Pawn as usize].iter().any(Option::is_some),
                FeatureSet::PawnPairs => true,
            };
        }
        Ok(inputs)
    }

    /// The number of inputs.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The first input of each set.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The rows of all positions: `rows[0]` as one side sees them, `rows[1]` as the other.
    ///
    /// # Errors
    ///
    /// - [`FeatureError::IndexTooNarrow`] if there are more inputs than `I` can number.
    /// - [`FeatureError::PawnOnLastRank`] for the first position with such a pawn, if there are threats by pawns or pairs
    ///   of pawns.
    pub fn rows<'a, I: FeatureIndex>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
    ) -> Result<[Lists<I>; 2], FeatureError> {
        let mut rows = [Lists::new(), Lists::new()];
        self.fill(backend, positions, perspective, order, &mut rows)?;
        Ok(rows)
    }

    /// The same with the narrowest type of indices.
    ///
    /// # Errors
    ///
    /// [`FeatureError::PawnOnLastRank`], as [`rows`](Features::rows) says.
    pub fn narrow_rows<'a>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
    ) -> Result<[RowLists; 2], FeatureError> {
        let [mut first, mut second] = [RowLists::default(), RowLists::default()];
        self.fill_narrow_rows(backend, positions, perspective, order, [&mut first, &mut second])?;
        Ok([first, second])
    }

    /// The same into lists that are cleared first, and keep their memory if their indices have the same type.
    ///
    /// # Errors
    ///
    /// The same. Then the lists are empty.
    pub fn fill_narrow_rows<'a>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
        rows: [&mut RowLists; 2],
    ) -> Result<(), FeatureError> {
        let positions = positions.into();
        let [first, second] = rows;
        let lists = [mem::take(first), mem::take(second)];
        if self.has_narrow_rows() {
            let mut lists = lists.map(RowLists::into_short);
            self.make_room(positions.len(), &mut lists);
            self.fill(backend, positions, perspective, order, &mut lists)?;
            [*first, *second] = lists.map(RowLists::Short);
        } else {
            let mut lists = lists.map(RowLists::into_long);
            self.make_room(positions.len(), &mut lists);
            self.fill(backend, positions, perspective, order, &mut lists)?;
            [*first, *second] = lists.map(RowLists::Long);
        }
        Ok(())
    }

    /// Makes room for most rows of this number of positions, so that their memory need not grow.
    fn make_room<I>(&self, positions: usize, rows: &mut [Lists<I>; 2]) {
        /// More inputs of a set than most positions have.
        const USUAL: usize = 32;
        for rows in rows {
            rows.clear();
            let (items, offsets) = rows.parts_mut();
            items.reserve(positions * USUAL * self.sets.len());
            offsets.reserve(positions);
        }
    }

    /// Whether `u16` numbers all inputs.
    #[must_use]
    pub fn has_narrow_rows(&self) -> bool {
        u64::from(self.size) <= <u16 as FeatureIndex>::MOST
    }

    /// The same into lists that are cleared first and keep their memory.
    ///
    /// # Errors
    ///
    /// The same. Then the lists are as they were.
    pub fn fill<'a, I: FeatureIndex>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
        rows: &mut [Lists<I>; 2],
    ) -> Result<(), FeatureError> {
        let positions = positions.into();
        self.check::<I>(positions)?;
        rows.iter_mut().for_each(Lists::clear);
        self.extend(backend, positions, perspective, order, rows)
    }

    /// The same after the rows that the lists have.
    ///
    /// # Errors
    ///
    /// The same. Then the lists are as they were.
    pub fn extend<'a, I: FeatureIndex>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
        rows: &mut [Lists<I>; 2],
    ) -> Result<(), FeatureError> {
        let positions = positions.into();
        self.check::<I>(positions)?;
        self.run(backend, positions, perspective, order, rows).expect("lists have room");
        Ok(())
    }

    /// The same into memory of the caller. What follows the indices of the last position is not written.
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_features::{FeatureSet, Features, RowOrder, ViewOrder, PieceLayout, RowSlices};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1")?;
    /// let inputs = Features::new([FeatureSet::Pieces(PieceLayout::CHESS_768)])?;
    /// let (mut white, mut black) = (([0_u16; 32], [0; 2]), ([0_u16; 32], [0; 2]));
    /// let rows = [&mut white, &mut black].map(|(indices, offsets)| RowSlices { indices, offsets });
    /// inputs.fill_slices(Backend::active(), &positions, ViewOrder::Colors, RowOrder::Ascending, rows)?;
    /// assert_eq!((&white.0[..2], white.1), (&[5 * 64 + 4, 11 * 64 + 60][..], [0, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same, when nothing is written; and [`FeatureError::NoRoom`] for the first position without room. Then the
    /// rows before it may have been written.
    pub fn fill_slices<'a, I: FeatureIndex>(
        &self,
        backend: Backend,
        positions: impl Into<PositionSlice<'a>>,
        perspective: ViewOrder,
        order: RowOrder,
        rows: [RowSlices<'_, I>; 2],
    ) -> Result<(), FeatureError> {
        let positions = positions.into();
        self.check::<I>(positions)?;
        if let Some(rows) = rows.iter().find(|rows| rows.offsets.len() != positions.len() + 1) {
            return Err(FeatureError::NoRoom { position: rows.offsets.len().saturating_sub(1).min(positions.len()) });
        }
        self.run(backend, positions, perspective, order, &mut rows.map(SliceSink::new))
    }

    fn check<I: FeatureIndex>(&self, positions: PositionSlice<'_>) -> Result<(), FeatureError> {
        if u64::from(self.size) > I::MOST {
            return Err(FeatureError::IndexTooNarrow { size: self.size });
        }
        self.check_positions(positions)
    }

    /// Whether positions with pawns on the first or last rank have no rows.
    #[must_use]
    pub fn refuses_pawns_on_last_ranks(&self) -> bool {
        self.needs_ranks
    }

    /// Checks that all positions have rows.
    ///
    /// # Errors
    ///
    /// [`FeatureError::PawnOnLastRank`] for the first one that has none.
    pub fn check_positions<'a>(&self, positions: impl Into<PositionSlice<'a>>) -> Result<(), FeatureError> {
        if !self.needs_ranks {
            return Ok(());
        }
        let positions = positions.into();
        const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
        let [white, black] = Color::ALL.map(|color| positions.pieces(color, Piece::Pawn));
        let wrong = |position: usize| (white[position] | black[position]) & LAST_RANKS;
        // Not a search, which the compiler does not turn into vectors.
        if (0..positions.len()).fold(0, |all, position| all | wrong(position)) == 0 {
            return Ok(());
        }
        let position = (0..positions.len()).find(|&position| wrong(position) != 0).expect("there is one");
        let square = Square::ALL[wrong(position).trailing_zeros() as usize];
        Err(FeatureError::PawnOnLastRank { position, square })
    }

    fn run<I: FeatureIndex>(
        &self,
        backend: Backend,
        positions: PositionSlice<'_>,
        perspective: ViewOrder,
        order: RowOrder,
        sinks: &mut [impl RowSink<I>; 2],
    ) -> Result<(), FeatureError> {
        let mut work = FeatureWork {
            backend,
            positions,
            perspective,
            sort: order == RowOrder::Ascending,
            block: Box::new(FeatureBlock::new()),
            sets: self.sets.iter().zip(&self.offsets).map(SetWork::new).collect(),
            buffers: [RowBuffer::new(self.sets.len()), RowBuffer::new(self.sets.len())],
            sinks,
            added: 0,
            no_room: None,
        };
        backend.work_on_squares(&mut work);
        match work.no_room {
            Some(position) => Err(FeatureError::NoRoom { position }),
            None => Ok(()),
        }
    }
}

/// The tables of a set, what it needs for some positions at a time, and its first input.
struct SetWork<'a> {
    kind: SetKind<'a>,
    offset: u32,
}

enum SetKind<'a> {
    Pieces(&'a PieceTables, Mirror),
    Threats(&'a ThreatTables, Box<ThreatLists>),
    PawnPairs(Box<PairLists>),
}

impl<'a> SetWork<'a> {
    fn new((tables, &offset): (&'a SetTables, &u32)) -> SetWork<'a> {
        let kind = match tables {
            SetTables::Pieces(tables, mirror) => SetKind::Pieces(tables, *mirror),
            SetTables::Threats(tables) => SetKind::Threats(tables, Box::new(ThreatLists::new())),
            SetTables::PawnPairs => SetKind::PawnPairs(Box::new(PairLists::new())),
        };
        SetWork { kind, offset }
    }

    /// Computes the sets of a block of positions.
    #[inline(always)]
    fn load(&mut self, block: &FeatureBlock) {
        if let SetKind::Threats(tables, lists) = &mut self.kind {
            lists.load(tables, block);
        }
    }

    /// Lists what is needed for some positions.
    #[inline(always)]
    fn list(&mut self, simd: impl SquareListing, backend: Backend, block: &FeatureBlock, lanes: Range<usize>) {
        match &mut self.kind {
            SetKind::Pieces(..) => {}
            SetKind::Threats(tables, lists) => lists.list(simd, backend, tables, block, lanes),
            SetKind::PawnPairs(lists) => lists.list(block, lanes),
        }
    }

    /// The same with vectors.
    #[inline(always)]
    fn list_on_vectors(
        &mut self,
        simd: impl SquareVectors,
        backend: Backend,
        block: &FeatureBlock,
        lanes: Range<usize>,
    ) {
        match &mut self.kind {
            SetKind::Pieces(..) => {}
            SetKind::Threats(tables, lists) => lists.list_on_vectors(simd, backend, tables, block, lanes),
            SetKind::PawnPairs(lists) => lists.list_on_vectors(simd, block, lanes),
        }
    }

    /// Adds the rows of a position.
    #[inline(always)]
    fn add<I: FeatureIndex>(
        &self,
        simd: impl SquareListing,
        block: &FeatureBlock,
        lane: usize,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let offset = self.offset;
        match &self.kind {
            &SetKind::Pieces(tables, mirror) => PieceRows { tables, block, lane, mirror, offset }.add(simd, out),
            SetKind::Threats(tables, lists) => lists.add(tables, block, lane, offset, out),
            SetKind::PawnPairs(lists) => lists.add(block, lane, offset, out),
        }
    }

    /// The same with vectors.
    #[inline(always)]
    fn add_on_vectors<I: FeatureIndex>(
        &self,
        simd: impl SquareVectors,
        block: &FeatureBlock,
        lane: usize,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let offset = self.offset;
        match &self.kind {
            &SetKind::Pieces(tables, mirror) => {
                PieceRows { tables, block, lane, mirror, offset }.add_on_vectors(simd, out);
            }
            SetKind::Threats(tables, lists) => lists.add_on_vectors(simd, tables, block, lane, offset, out),
            SetKind::PawnPairs(lists) => lists.add_on_vectors(simd, block, lane, offset, out),
        }
    }
}

/// The work of one call.
struct FeatureWork<'a, I, W> {
    backend: Backend,
    positions: PositionSlice<'a>,
    perspective: ViewOrder,
    sort: bool,
    block: Box<FeatureBlock>,
    sets: Vec<SetWork<'a>>,
    buffers: [RowBuffer<I>; 2],
    sinks: &'a mut [W; 2],
    /// The positions whose rows have been handed on.
    added: usize,
    /// The first position without room.
    no_room: Option<usize>,
}

impl<I: FeatureIndex, W: RowSink<I>> FeatureWork<'_, I, W> {
    /// Goes through the positions, some at a time. `list` lists what sets need for some of them, `add` adds the rows of
    /// one.
    #[inline(always)]
    fn run_with(&mut self, list: impl Fn(&mut Self, Range<usize>), add: impl Fn(&mut Self, usize)) {
        for start in (0..self.positions.len()).step_by(LANES) {
            let positions = self.positions.slice(start..self.positions.len().min(start + LANES));
            self.block.load(self.backend, positions, self.perspective);
            self.sets.iter_mut().for_each(|set| set.load(&self.block));
            let mut round = 0..0;
            while round.end < self.block.len {
                round = self.block.round(round.end);
                list(self, round.clone());
                for lane in round.clone() {
                    if !self.buffers.iter().all(RowBuffer::has_room) {
                        self.hand_on();
                    }
                    add(self, lane);
                    self.buffers.iter_mut().for_each(|buffer| buffer.end_row(self.sort));
                }
                self.hand_on();
                if self.no_room.is_some() {
                    return;
                }
            }
        }
    }

    #[inline(always)]
    fn hand_on(&mut self) {
        let rows = self.buffers[0].rows();
        for (buffer, sink) in self.buffers.iter_mut().zip(&mut *self.sinks) {
            let taken = buffer.hand_on(sink);
            if taken < rows && self.no_room.is_none_or(|position| self.added + taken < position) {
                self.no_room = Some(self.added + taken);
            }
        }
        self.added += rows;
    }
}

impl<I: FeatureIndex, W: RowSink<I>> SquareTask for &mut FeatureWork<'_, I, W> {
    #[inline(always)]
    fn perform(self, simd: impl SquareListing) {
        self.run_with(
            #[inline(always)]
            |work, lanes| {
                for set in &mut work.sets {
                    set.list(simd, work.backend, &work.block, lanes.clone());
                }
            },
            #[inline(always)]
            |work, lane| {
                for set in &work.sets {
                    set.add(simd, &work.block, lane, &mut work.buffers);
                }
            },
        );
    }

    #[inline(always)]
    fn perform_on_vectors(self, simd: impl SquareVectors) {
        self.run_with(
            #[inline(always)]
            |work, lanes| {
                for set in &mut work.sets {
                    set.list_on_vectors(simd, work.backend, &work.block, lanes.clone());
                }
            },
            #[inline(always)]
            |work, lane| {
                for set in &work.sets {
                    set.add_on_vectors(simd, &work.block, lane, &mut work.buffers);
                }
            },
        );
    }
}
