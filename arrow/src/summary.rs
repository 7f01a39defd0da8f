//! Sums of products over positions, by square.

use std::mem;
use std::ops::Range;

use slider_attacks::BatchError;
use slider_attacks::analysis::{SetRequest, Threats};
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Piece, PositionSlice};

use crate::plan::DerivedSet;
use crate::product::{Compute, ProductColumn};
use crate::{ColumnMut, Plan};

/// The number of positions that are computed at a time: a column of them leaves room in a cache of the first level.
const BLOCK: usize = 1 << 10;

/// Sums over positions, for each group of them and each column of a plan: what [`Plan::summarize`] adds to.
///
/// A column with a number per position has one sum per group, all others have one for each square. A column of threats becomes
/// two: `white_threats` and `black_threats`, by the colour of the attacker. They count threats by the square that is attacked.
/// A column of moves counts them by their target. Keys and sets for each square have no sums, so there are no columns for them.
///
/// It takes 16 bytes per group, and 512 bytes per group and column, or 1024 if the column has numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    positions: Vec<u64>,
    nulls: Vec<u64>,
    columns: Vec<SummaryColumn>,
}

/// A column of a [`Summary`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryColumn {
    name: &'static str,
    /// Whether a position has one value. It is in the place of a1.
    is_single: bool,
    /// By group.
    present: Vec<[u64; 64]>,
    /// The same as `present` for sets of squares.
    sum: Option<Vec<[u64; 64]>>,
}

impl SummaryColumn {
    /// Its name: that of a column of the plan, or the one that the type describes.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a position has one value, and not one for each square.
    pub fn is_single(&self) -> bool {
        self.is_single
    }

    /// For each square, a1 first, in how many positions of a group its value is not zero: the square is in the set, or has a
    /// number above zero, or is threatened, or a move goes there. It is one number if a position has [one value](SummaryColumn::is_single).
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn present(&self, group: usize) -> &[u64] {
        self.values(&self.present[group])
    }

    /// For each square, the sum of its values over the positions of a group. For sets, that is in how many of them it is. It is
    /// one number if a position has [one value](SummaryColumn::is_single).
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn sum(&self, group: usize) -> &[u64] {
        self.values(&self.sum.as_ref().unwrap_or(&self.present)[group])
    }

    fn values<'a>(&self, sums: &'a [u64; 64]) -> &'a [u64] {
        if self.is_single { &sums[..1] } else { sums }
    }

    /// Whether the sum may differ from the number of positions in which the value is not zero: the values are numbers, moves or
    /// threats.
    pub fn has_sum(&self) -> bool {
        self.sum.is_some()
    }

    fn sums(&mut self) -> impl Iterator<Item = &mut Vec<[u64; 64]>> {
        [&mut self.present].into_iter().chain(&mut self.sum)
    }
}

impl Summary {
    /// The sums over no positions, for this many groups.
    pub fn new(plan: &Plan, groups: usize) -> Summary {
        let column = |SummaryPart { name, is_single, has_sum }: SummaryPart| SummaryColumn {
            name,
            is_single,
            present: vec![[0; 64]; groups],
            sum: has_sum.then(|| vec![[0; 64]; groups]),
        };
        let columns = plan.product_columns().flat_map(parts).map(column).collect();
        Summary { positions: vec![0; groups], nulls: vec![0; groups], columns }
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.positions.len()
    }

    /// Adds groups without positions, so that there are this many.
    ///
    /// # Panics
    ///
    /// If there are more already.
    pub fn grow(&mut self, groups: usize) {
        assert!(self.groups() <= groups, "there are {} groups already, not {groups}", self.groups());
        self.positions.resize(groups, 0);
        self.nulls.resize(groups, 0);
        self.columns.iter_mut().flat_map(SummaryColumn::sums).for_each(|sums| sums.resize(groups, [0; 64]));
    }

    /// The number of positions of a group.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn positions(&self, group: usize) -> u64 {
        self.positions[group]
    }

    /// How many rows without a position a group has, which [`add_nulls`](Summary::add_nulls) has counted.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn nulls(&self, group: usize) -> u64 {
        self.nulls[group]
    }

    /// The columns, in the order of the plan.
    pub fn columns(&self) -> &[SummaryColumn] {
        &self.columns
    }

    /// Counts rows of a group that have no position.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    pub fn add_nulls(&mut self, group: usize, nulls: u64) {
        self.nulls[group] += nulls;
    }

    /// Adds sums that are known, such as those of another process, to a group: over this many positions, with what
    /// [`present`](SummaryColumn::present) and [`sum`](SummaryColumn::sum) say for each column. Of what is one number, more are left
    /// out.
    ///
    /// # Panics
    ///
    /// If there is no such group, or not one pair for each column.
    pub fn add_known(&mut self, group: usize, positions: u64, columns: &[[&[u64]; 2]]) {
        assert_eq!(columns.len(), self.columns.len(), "each column has its sums");
        self.positions[group] += positions;
        for (column, &known) in self.columns.iter_mut().zip(columns) {
            let squares = if column.is_single { 1 } else { 64 };
            for (sums, known) in column.sums().zip(known) {
                add(&mut sums[group], &known[..known.len().min(squares)]);
            }
        }
    }

    /// Adds the sums over other positions, of the same plan: those of its group *i* to the group `groups[i]`, or to group *i*
    /// if there are no `groups`.
    ///
    /// # Panics
    ///
    /// If the other has columns of another plan, or a group that has no place here.
    pub fn add(&mut self, other: &Summary, groups: Option<&[u32]>) {
        let names = |summary: &Summary| summary.columns.iter().map(SummaryColumn::name).collect::<Vec<_>>();
        assert_eq!(names(self), names(other), "the columns are those of one plan");
        assert!(groups.is_none_or(|groups| groups.len() == other.groups()), "each group has a place");
        let place = |group: usize| groups.map_or(group, |groups| groups[group] as usize);
        for group in 0..other.groups() {
            self.positions[place(group)] += other.positions[group];
            self.nulls[place(group)] += other.nulls[group];
        }
        for (column, other) in self.columns.iter_mut().zip(&other.columns) {
            let others = [&other.present].into_iter().chain(&other.sum);
            for (sums, others) in column.sums().zip(others) {
                for (group, others) in others.iter().enumerate() {
                    add(&mut sums[place(group)], others);
                }
            }
        }
    }
}

/// What a column of a summary is: its name, whether a position has one value, and whether it has a sum of its own.
struct SummaryPart {
    name: &'static str,
    is_single: bool,
    has_sum: bool,
}

/// The columns of a summary that are derived from a column.
fn parts(column: &'static ProductColumn) -> Vec<SummaryPart> {
    let part = |name| SummaryPart { name, is_single: false, has_sum: true };
    match column.compute {
        Compute::Boards(_) | Compute::Set(..) | Compute::Stuck(..) | Compute::Nonzero(..) => {
            vec![SummaryPart { has_sum: false, ..part(column.name()) }]
        }
        Compute::Numbers(..) | Compute::Moves(_) => vec![part(column.name())],
        Compute::Number(_) => vec![SummaryPart { is_single: true, ..part(column.name()) }],
        Compute::Key(_) | Compute::Sets(_) => Vec::new(),
        Compute::Threats => ["white_threats", "black_threats"].map(part).into(),
    }
}

fn add(sums: &mut [u64; 64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl Plan {
    /// Adds the values of these positions to a summary of this plan, square by square: without a row per position, and without
    /// memory for them. `groups[i]` is the group of position *i*; without `groups`, all are in group 0.
    ///
    /// Time is least if positions of one group follow each other.
    ///
    /// # Errors
    ///
    /// There is not one group per position, or a group has no place in the summary. Then nothing has been added.
    ///
    /// # Panics
    ///
    /// If the summary has columns of another plan.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Square;
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{Plan, Product, Summary};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/4K3 b - -\n")?;
    /// let plan = Plan::new([Product::Counts]);
    /// let mut summary = Summary::new(&plan, 1);
    /// plan.summarize(&positions, None, &mut summary)?;
    ///
    /// let d1 = usize::from(Square::D1.index());
    /// let white = &summary.columns()[0];
    /// assert_eq!((white.name(), summary.positions(0)), ("white_attackers", 2));
    /// assert_eq!((white.present(0)[d1], white.sum(0)[d1]), (2, 3)); // the kings, and the rook
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn summarize<'a>(
        &self,
        positions: impl Into<PositionSlice<'a>>,
        groups: Option<&[u32]>,
        summary: &mut Summary,
    ) -> Result<(), BatchError> {
        self.summarize_slice(positions.into(), groups, summary)
    }

    fn summarize_slice(
        &self,
        positions: PositionSlice<'_>,
        groups: Option<&[u32]>,
        summary: &mut Summary,
    ) -> Result<(), BatchError> {
        let names: Vec<_> = self.product_columns().flat_map(parts).map(|part| part.name).collect();
        assert!(summary.columns.iter().map(SummaryColumn::name).eq(names), "the summary has columns of another plan");
        let room = summary.groups();
        if let Some(groups) = groups {
            if groups.len() != positions.len() {
                return Err(BatchError::GroupLengthMismatch { elements: positions.len(), groups: groups.len() });
            }
            if let Some((index, &group)) = groups.iter().enumerate().find(|&(_, &group)| group as usize >= room) {
                return Err(BatchError::GroupOutOfRange { index, group, room });
            }
        } else if room == 0 && !positions.is_empty() {
            return Err(BatchError::GroupOutOfRange { index: 0, group: 0, room });
        }
        let mut work = SumBuffers::default();
        self.for_seen(positions, |all, seen| {
            let groups = groups.map(|groups| &groups[all]);
            for start in (0..seen.len()).step_by(BLOCK) {
                let places = start..seen.len().min(start + BLOCK);
                work.arrange(groups.map(|groups| &groups[places.clone()]), places.len(), room);
                for run in &work.runs {
                    summary.positions[run.group] += run.places.len() as u64;
                }
                let block = seen.slice(places);
                work.compute_sets(self, block);
                work.compute_gains(self, block);
                // Those that are derived from others come last.
                for is_last in [false, true] {
                    let mut columns = summary.columns.iter_mut();
                    for (place, column) in self.product_columns().enumerate() {
                        let out = &mut columns.by_ref().take(parts(column).len()).collect::<Vec<_>>()[..];
                        if is_last == matches!(column.compute, Compute::Stuck(..)) {
                            work.sum(self, place, column, block, out);
                        }
                    }
                }
            }
        });
        for column in self.product_columns() {
            if let Compute::Nonzero(of, _) = column.compute {
                let place = |name| summary.columns.iter().position(|column| column.name == name).expect(OWN_PARTS);
                let places = [place(column.name()), place(of)];
                let [column, numbers] = summary.columns.get_disjoint_mut(places).expect("a column is not of itself");
                column.present.copy_from_slice(&numbers.present);
            }
        }
        Ok(())
    }
}

/// Positions of one group, one after the other once they are in order.
#[derive(Debug)]
struct GroupRun {
    group: usize,
    places: Range<usize>,
}

/// Buffers for summing a block.
#[derive(Default)]
struct SumBuffers {
    /// The group of each position.
    groups: Vec<u32>,
    /// The positions in the order of their groups; none if they are taken as they come.
    order: Vec<u32>,
    runs: Vec<GroupRun>,
    /// The position in the order at which each group begins, and then ends.
    starts: Vec<u32>,
    /// By column of the plan: sets that share work with others, and where numbers that others are derived from are not 0.
    kept: Vec<Vec<u64>>,
    /// A set of squares for each position, as computed and in order.
    boards: Vec<u64>,
    ordered: Vec<u64>,
    planes: [Vec<u64>; 5],
    numbers: Vec<[u8; 64]>,
    /// The gains of White and of Black, if the plan has both.
    gains: [Vec<[u8; 64]>; 2],
    single: Vec<u16>,
    threats: Threats,
    moves: Moves,
}

impl SumBuffers {
    /// Puts a block of this many positions in the order of their groups. To do it here, once, takes less time than to do it for
    /// each column.
    fn arrange(&mut self, groups: Option<&[u32]>, positions: usize, room: usize) {
        self.order.clear();
        self.runs.clear();
        self.groups.clear();
        let Some(groups) = groups else {
            self.groups.resize(positions, 0);
            self.runs.push(GroupRun { group: 0, places: 0..positions });
            return;
        };
        self.groups.extend_from_slice(groups);
        // With this many groups, hardly any two positions have the same, and it takes long to go over all groups.
        if !groups.is_sorted() && room <= 8 * BLOCK {
            self.starts.clear();
            self.starts.resize(room, 0);
            for &group in groups {
                self.starts[group as usize] += 1;
            }
            let mut next = 0;
            for start in &mut self.starts {
                (*start, next) = (next, next + *start);
            }
            self.order.resize(positions, 0);
            for (place, &group) in (0..).zip(groups) {
                let start = &mut self.starts[group as usize];
                self.order[*start as usize] = place;
                *start += 1;
            }
            let mut start = 0;
            for (group, &end) in self.starts.iter().enumerate() {
                let places = start..end as usize;
                start = places.end;
                if !places.is_empty() {
                    self.runs.push(GroupRun { group, places });
                }
            }
            return;
        }
        let mut start = 0;
        for run in groups.chunk_by(|a, b| a == b) {
            self.runs.push(GroupRun { group: run[0] as usize, places: start..start + run.len() });
            start += run.len();
        }
    }

    /// Computes the sets that share work.
    fn compute_sets(&mut self, plan: &Plan, positions: PositionSlice<'_>) {
        self.kept.resize_with(plan.names().count(), Vec::new);
        let mut requests = Vec::new();
        for (column, out) in plan.product_columns().zip(&mut self.kept) {
            if let Compute::Set(product, color) = column.compute {
                out.resize(positions.len(), 0);
                requests.push(SetRequest { product: product(&plan.how.options), color, out });
            }
        }
        plan.how.backend.sets(positions, &mut requests).expect(ONE_EACH);
    }

    /// Computes the gains of both colours together, if the plan has both.
    fn compute_gains(&mut self, plan: &Plan, positions: PositionSlice<'_>) {
        if plan.gains_of_both().is_some() {
            let out = self.gains.each_mut().map(|gains| {
                gains.resize(positions.len(), [0; 64]);
                gains.as_mut_slice()
            });
            plan.how.backend.exchanges_of_both(positions, plan.how.exchange(), out).expect(ONE_EACH);
        }
    }

    /// Computes a set from those that are kept.
    fn derive(&mut self, set: DerivedSet, positions: PositionSlice<'_>) {
        let DerivedSet { some, none, without_pawns_of } = set;
        self.boards.copy_from_slice(&self.kept[some]);
        let others = none.map(|none| &self.kept[none][..]);
        let pawns = without_pawns_of.map(|color| positions.pieces(color, Piece::Pawn));
        for others in others.into_iter().chain(pawns) {
            self.boards.iter_mut().zip(others).for_each(|(board, other)| *board &= !other);
        }
    }

    /// Adds the values of a column, which has this place in the plan, to its parts in the summary.
    fn sum(
        &mut self,
        plan: &Plan,
        place: usize,
        column: &ProductColumn,
        positions: PositionSlice<'_>,
        out: &mut [&mut SummaryColumn],
    ) {
        let len = positions.len();
        self.boards.resize(len, 0);
        match (&column.compute, out) {
            (Compute::Boards(_) | Compute::Set(..) | Compute::Stuck(..), [out]) => {
                match (&column.compute, plan.derived(place)) {
                    (Compute::Set(..), _) => mem::swap(&mut self.boards, &mut self.kept[place]),
                    (_, Some(derived)) => self.derive(derived, positions),
                    _ => plan.compute_seen(column, positions, ColumnMut::Boards(&mut self.boards)).expect(ONE_EACH),
                }
                self.count(plan, 1, &mut out.present);
            }
            (Compute::Nonzero(..), [_]) => {} // the numbers have them
            (Compute::Key(_) | Compute::Sets(_), []) => {}
            (Compute::Numbers(_, Some(fill)), [SummaryColumn { present, sum: Some(sum), .. }]) => {
                let mut planes = mem::take(&mut self.planes);
                planes.iter_mut().for_each(|plane| plane.resize(len, 0));
                fill(&plan.how, positions, planes.each_mut().map(Vec::as_mut_slice)).expect(ONE_EACH);
                for (place, board) in self.boards.iter_mut().enumerate() {
                    *board = planes.iter().fold(0, |all, plane| all | plane[place]);
                }
                self.count(plan, 1, present);
                for (bit, plane) in planes.iter_mut().enumerate() {
                    mem::swap(plane, &mut self.boards);
                    self.count(plan, 1 << bit, sum);
                }
                self.planes = planes;
            }
            (Compute::Numbers(fill, None), [SummaryColumn { present, sum: Some(sum), .. }]) => {
                let gains = plan.gains_of_both().and_then(|gains| gains.iter().position(|&of| of == place));
                let numbers = match gains {
                    Some(color) => &self.gains[color],
                    None => {
                        self.numbers.resize(len, [0; 64]);
                        fill(&plan.how, positions, &mut self.numbers).expect(ONE_EACH);
                        &self.numbers
                    }
                };
                plan.how.backend.sum_squares_by(numbers, &self.groups, sum).expect(ONE_EACH);
                plan.how.backend.nonzero_squares(numbers, &mut self.boards);
                self.count(plan, 1, present);
                self.kept[place].clone_from(&self.boards);
            }
            (Compute::Number(fill), [SummaryColumn { present, sum: Some(sum), .. }]) => {
                self.single.resize(len, 0);
                fill(&plan.how, positions, &mut self.single).expect(ONE_EACH);
                for (&group, &number) in self.groups.iter().zip(&self.single) {
                    present[group as usize][0] += u64::from(number > 0);
                    sum[group as usize][0] += u64::from(number);
                }
            }
            (Compute::Moves(_), [SummaryColumn { present, sum: Some(sum), .. }]) => {
                plan.list_seen(column, positions, &mut self.moves);
                for (place, moves) in self.moves.iter().enumerate() {
                    self.boards[place] = moves.iter().fold(0, |all, mv| all | mv.target().bitboard());
                    let sum = &mut sum[self.groups[place] as usize];
                    moves.iter().for_each(|mv| sum[usize::from(mv.target().index())] += 1);
                }
                self.count(plan, 1, present);
            }
            (Compute::Threats, parts) => {
                for (color, part) in Color::ALL.into_iter().zip(parts) {
                    let SummaryColumn { present, sum: Some(sum), .. } = &mut **part else {
                        unreachable!("{OWN_PARTS}")
                    };
                    plan.how.backend.threats(positions, &[color], plan.how.options.victims, &mut self.threats);
                    for (place, board) in self.boards.iter_mut().enumerate() {
                        *board = 0;
                        let sum = &mut sum[self.groups[place] as usize];
                        for threat in &self.threats[place] {
                            *board |= threat.victim_square.bitboard();
                            sum[usize::from(threat.victim_square.index())] += 1;
                        }
                    }
                    self.count(plan, 1, present);
                }
            }
            _ => unreachable!("{OWN_PARTS}"),
        }
    }

    /// Adds in how many of the boards each square is set, times `weight`, to the counts of their groups.
    fn count(&mut self, plan: &Plan, weight: u64, out: &mut [[u64; 64]]) {
        let boards = if self.order.is_empty() {
            &self.boards
        } else {
            self.ordered.clear();
            self.ordered.extend(self.order.iter().map(|&place| self.boards[place as usize]));
            &self.ordered
        };
        for GroupRun { group, places } in &self.runs {
            let counts = plan.how.backend.count_squares(&boards[places.clone()]);
            out[*group].iter_mut().zip(counts).for_each(|(out, count)| *out += weight * count);
        }
    }
}

const ONE_EACH: &str = "there is one element per position";
const OWN_PARTS: &str = "the summary has the parts of each column";
