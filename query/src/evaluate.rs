//! Which rows of some positions a condition holds for.
//!
//! Rows are evaluated in blocks, whose words stay in the cache. A product is computed once for a block, when something asks for
//! it. Of conditions that must all hold, the cheap ones come first; if they leave few rows, the costly ones are evaluated for
//! these alone, as a smaller block.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::iter;

use slider_attacks::analysis::{Status, Threats};
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::{Color, Piece, PositionSlice, Positions};
use slider_attacks::{Backend, Square};
use slider_attacks_arrow::{ColumnKind, ColumnMut, Plan, ProductColumn};

use crate::cost::{COSTLY, cost};
use crate::expression::{
    ExprRef, InputName, InputTest, KeyColumn, Literal, NumberExpr, PlayedKind, SetExpr, TruthExpr, all_pieces,
};
use crate::parse::{InfixSign, Relation};
use crate::phases::phase;
use crate::squares::{attacks_of, between};

/// How many rows a block has.
const BLOCK: usize = 1024;
/// Of how many positions the moves are made at a time. Each has 700 at most.
const PARENTS: usize = 32;
const ONE_EACH: &str = "there is one element per position";

/// A value of the input.
#[derive(Clone, Debug, PartialEq)]
pub enum InputValue<'a> {
    /// There is none.
    Missing,
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i128),
    /// A text, which may be that of a number.
    Text(Cow<'a, str>),
}

/// The values of the columns of an input that a query names.
pub trait InputRows {
    /// The value of a row in the column of this number, counted as [`PositionQuery::inputs`](crate::PositionQuery::inputs)
    /// lists them.
    fn value(&self, column: usize, row: usize) -> InputValue<'_>;
}

/// No columns: for queries that name none.
impl InputRows for () {
    fn value(&self, _: usize, _: usize) -> InputValue<'_> {
        InputValue::Missing
    }
}

impl InputValue<'_> {
    /// The number, or not a number.
    pub(crate) fn number(&self) -> f64 {
        match self {
            InputValue::Missing => f64::NAN,
            InputValue::Number(number) => *number,
            InputValue::Integer(number) => float(*number),
            InputValue::Text(text) => number_of(text).unwrap_or(f64::NAN),
        }
    }

    /// The number, if it is a whole one.
    fn integer(&self) -> Option<i128> {
        match self {
            InputValue::Integer(number) => Some(*number),
            InputValue::Text(text) => text.trim().parse().ok(),
            InputValue::Missing | InputValue::Number(_) => None,
        }
    }

    /// The text, if there is a value.
    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            InputValue::Missing => None,
            InputValue::Number(number) if number.is_nan() => None,
            InputValue::Number(number) => Some(number.to_string().into()),
            InputValue::Integer(number) => Some(number.to_string().into()),
            InputValue::Text(text) => Some(text.as_ref().into()),
        }
    }
}

/// A whole number, which nearly always has 64 bits, as one with a fraction.
fn float(number: i128) -> f64 {
    // The conversion of 128 bits is a call, so it is made only where it is needed.
    i64::try_from(number).map_or_else(|_| number as f64, |number| number as f64)
}

/// The number that a text is: digits with a sign and a fraction, but no `inf` or `nan`.
fn number_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number = text.strip_prefix(['-', '+']).unwrap_or(text).starts_with(|first: char| first.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// With what a condition is evaluated.
pub(crate) struct Engine<'q> {
    /// It has the backend and the options of products.
    pub plan: &'q Plan,
    /// The products that a query names.
    pub columns: &'q [&'static ProductColumn],
}

impl Engine<'_> {
    fn backend(&self) -> Backend {
        self.plan.computes_with()
    }

    /// A number for each of these positions; those that are missing are not a number.
    pub fn numbers(&self, number: &NumberExpr, positions: PositionSlice<'_>, inputs: &dyn InputRows) -> Vec<f64> {
        let mut all = Vec::with_capacity(positions.len());
        for start in (0..positions.len()).step_by(BLOCK) {
            let positions = positions.slice(start..positions.len().min(start + BLOCK));
            let block = RowBlock::new(self, positions, inputs, RowNumbers::From(start));
            match block.number_values(number) {
                NumberValues::Same(number) => all.resize(all.len() + positions.len(), number),
                NumberValues::Each(numbers) => all.extend(numbers),
            }
        }
        all
    }

    /// The set of each of these positions. Sets need no inputs.
    pub fn sets(&self, set: &SetExpr, positions: PositionSlice<'_>) -> Vec<u64> {
        let mut all = Vec::with_capacity(positions.len());
        for start in (0..positions.len()).step_by(BLOCK) {
            let positions = positions.slice(start..positions.len().min(start + BLOCK));
            match RowBlock::new(self, positions, &(), RowNumbers::From(start)).set(set) {
                SetValues::Same(set) => all.resize(all.len() + positions.len(), set),
                SetValues::Each(sets) => all.extend_from_slice(&sets),
            }
        }
        all
    }

    /// Whether a condition holds for each of these positions.
    pub fn holds(&self, truth: &TruthExpr, positions: PositionSlice<'_>, inputs: &dyn InputRows) -> Vec<bool> {
        let mut all = Vec::with_capacity(positions.len());
        for start in (0..positions.len()).step_by(BLOCK) {
            let positions = positions.slice(start..positions.len().min(start + BLOCK));
            all.extend(RowBlock::new(self, positions, inputs, RowNumbers::From(start)).truth(truth));
        }
        all
    }
}

/// Which rows of the input a block has.
enum RowNumbers<'a> {
    /// Those from this one on.
    From(usize),
    /// Some rows of another block.
    Of(&'a RowBlock<'a>, &'a [u32]),
    /// For each position after a move, the row of another block.
    Parents(&'a RowBlock<'a>, &'a [u32]),
}

/// Rows that are evaluated together.
struct RowBlock<'a> {
    engine: &'a Engine<'a>,
    positions: PositionSlice<'a>,
    inputs: &'a dyn InputRows,
    numbers: RowNumbers<'a>,
    /// The products that have been computed, in the order of those of the engine.
    cells: Vec<OnceCell<ColumnWords>>,
}

/// The values of a product.
enum ColumnWords {
    Boards(Vec<u64>),
    Numbers(Vec<[u8; 64]>),
    Number(Vec<u16>),
    Sets(Vec<[u64; 64]>),
}

/// Sets of all rows.
enum SetValues<'a> {
    /// The same for each.
    Same(u64),
    Each(Cow<'a, [u64]>),
}

/// Numbers of all rows; those that are missing are not a number.
enum NumberValues {
    /// The same for each.
    Same(f64),
    Each(Vec<f64>),
}

impl NumberValues {
    /// That of a row.
    fn at(&self, row: usize) -> f64 {
        match self {
            NumberValues::Same(number) => *number,
            NumberValues::Each(numbers) => numbers[row],
        }
    }
}

impl ColumnWords {
    /// Those of some rows.
    fn in_rows(&self, rows: &[u32]) -> ColumnWords {
        fn some<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| values[row as usize]).collect()
        }
        match self {
            ColumnWords::Boards(boards) => ColumnWords::Boards(some(boards, rows)),
            ColumnWords::Numbers(numbers) => ColumnWords::Numbers(some(numbers, rows)),
            ColumnWords::Number(numbers) => ColumnWords::Number(some(numbers, rows)),
            ColumnWords::Sets(sets) => ColumnWords::Sets(some(sets, rows)),
        }
    }
}

impl<'a> RowBlock<'a> {
    fn new(
        engine: &'a Engine<'a>,
        positions: PositionSlice<'a>,
        inputs: &'a dyn InputRows,
        numbers: RowNumbers<'a>,
    ) -> RowBlock<'a> {
        let cells = engine.columns.iter().map(|_| OnceCell::new()).collect();
        RowBlock { engine, positions, inputs, numbers, cells }
    }

    fn len(&self) -> usize {
        self.positions.len()
    }

    /// The row of the input.
    fn number(&self, row: usize) -> usize {
        match self.numbers {
            RowNumbers::From(first) => first + row,
            RowNumbers::Of(block, rows) | RowNumbers::Parents(block, rows) => block.number(rows[row] as usize),
        }
    }

    fn value(&self, input: &InputName, row: usize) -> InputValue<'a> {
        self.inputs.value(input.number, self.number(row))
    }

    /// A product.
    fn column(&self, column: &'static ProductColumn) -> &ColumnWords {
        let place = self.engine.columns.iter().position(|known| std::ptr::eq(*known, column));
        let place = place.expect("the query lists its products");
        self.cells[place].get_or_init(|| {
            if let RowNumbers::Of(block, rows) = self.numbers
                && let Some(computed) = block.cells[place].get()
            {
                return computed.in_rows(rows);
            }
            self.compute(column)
        })
    }

    fn compute(&self, column: &'static ProductColumn) -> ColumnWords {
        let (rows, positions, plan) = (self.len(), self.positions, self.engine.plan);
        let computed = match column.kind() {
            ColumnKind::Bitboard | ColumnKind::Key => {
                let mut boards = vec![0; rows];
                let done = plan.compute_column(column, positions, ColumnMut::Boards(&mut boards));
                done.map(|()| ColumnWords::Boards(boards))
            }
            ColumnKind::Numbers => {
                let mut numbers = vec![[0; 64]; rows];
                let done = plan.compute_column(column, positions, ColumnMut::Numbers(&mut numbers));
                done.map(|()| ColumnWords::Numbers(numbers))
            }
            ColumnKind::Number => {
                let mut numbers = vec![0; rows];
                let done = plan.compute_column(column, positions, ColumnMut::Number(&mut numbers));
                done.map(|()| ColumnWords::Number(numbers))
            }
            ColumnKind::Sets => {
                let mut sets = vec![[0; 64]; rows];
                let done = plan.compute_column(column, positions, ColumnMut::Sets(&mut sets));
                done.map(|()| ColumnWords::Sets(sets))
            }
            ColumnKind::Moves => {
                let mut moves = Moves::new();
                plan.list_moves(column, positions, &mut moves);
                Ok(ColumnWords::Number(moves.iter().map(|moves| moves.len() as u16).collect()))
            }
            _ => {
                let mut threats = Threats::new();
                let victims = self.engine.plan.option_values().victims;
                self.engine.backend().threats(positions, &Color::ALL, victims, &mut threats);
                Ok(ColumnWords::Number(threats.iter().map(|threats| threats.len() as u16).collect()))
            }
        };
        computed.expect(ONE_EACH)
    }

    fn boards(&self, column: &'static ProductColumn) -> &[u64] {
        match self.column(column) {
            ColumnWords::Boards(boards) => boards,
            _ => unreachable!("its kind has been checked"),
        }
    }

    fn numbers_of(&self, column: &'static ProductColumn) -> &[[u8; 64]] {
        match self.column(column) {
            ColumnWords::Numbers(numbers) => numbers,
            _ => unreachable!("its kind has been checked"),
        }
    }

    /// Whether a condition holds for each row.
    fn truth(&self, truth: &TruthExpr) -> Vec<bool> {
        let each = |holds: &dyn Fn(usize) -> bool| (0..self.len()).map(holds).collect();
        match truth {
            TruthExpr::Constant(truth) => vec![*truth; self.len()],
            TruthExpr::Not(inner) => {
                let mut truth = self.truth(inner);
                truth.iter_mut().for_each(|truth| *truth = !*truth);
                truth
            }
            TruthExpr::All(all) => self.joined(all, true),
            TruthExpr::Any(any) => self.joined(any, false),
            TruthExpr::NonEmpty(set) => match self.set(set) {
                SetValues::Same(set) => vec![set != 0; self.len()],
                SetValues::Each(sets) => sets.iter().map(|set| *set != 0).collect(),
            },
            TruthExpr::SameSets(one, other) => match combined(self.set(one), self.set(other), |one, other| one ^ other)
            {
                SetValues::Same(different) => vec![different == 0; self.len()],
                SetValues::Each(different) => different.iter().map(|different| *different == 0).collect(),
            },
            TruthExpr::Numbers(relation, one, other) => {
                self.compared(*relation, self.number_values(one), self.number_values(other))
            }
            TruthExpr::Key(KeyColumn { column, .. }, keys) => {
                self.boards(column).iter().map(|key| keys.contains(key)).collect()
            }
            TruthExpr::Input(input, test) => {
                each(&|row| passes(&self.value(input, row), test, &|other| self.value(other, row)))
            }
            TruthExpr::Turn(color) => self.positions.side_to_move().iter().map(|side| side == color).collect(),
            TruthExpr::Phase(phases) => each(&|row| phases[phase(self.positions, row)]),
            TruthExpr::Material(counts) => {
                let has = |row: usize, color: Color, piece: Piece| {
                    self.positions.pieces(color, piece)[row].count_ones()
                        == u32::from(counts[color as usize][piece as usize])
                };
                each(&|row| all_pieces().all(|(color, piece)| has(row, color, piece)))
            }
            TruthExpr::Imbalance(more) => {
                let count = |row: usize, color: Color, piece: Piece| {
                    self.positions.pieces(color, piece)[row].count_ones() as i32
                };
                let has = |row: usize, piece: Piece| {
                    count(row, Color::White, piece) - count(row, Color::Black, piece) == i32::from(more[piece as usize])
                };
                each(&|row| Piece::ALL.into_iter().all(|piece| has(row, piece)))
            }
            TruthExpr::Placed(placed) => {
                let mut truth = vec![true; self.len()];
                for &(color, piece, set) in placed {
                    let boards = self.positions.pieces(color, piece);
                    iter::zip(&mut truth, boards).for_each(|(truth, board)| *truth &= board & set == set);
                }
                truth
            }
            TruthExpr::Played(kind, input) => self.played(*kind, input),
            TruthExpr::After(inner) => self.moves(inner).into_iter().map(|count| count > 0).collect(),
        }
    }

    /// Whether all of some conditions hold, or, if `all` is not set, one of them.
    fn joined(&self, operands: &[TruthExpr], all: bool) -> Vec<bool> {
        let Some((first, rest)) = operands.split_first() else { return vec![all; self.len()] };
        let mut truth = self.truth(first);
        for (place, operand) in rest.iter().enumerate() {
            let undecided = truth.iter().filter(|&&truth| truth == all).count();
            if undecided == 0 {
                break;
            }
            if undecided <= self.len() / 4 * 3 && cost(ExprRef::Truth(operand)) >= COSTLY {
                let rows: Vec<u32> =
                    (0..).zip(&truth).filter(|(_, truth)| **truth == all).map(|(row, _)| row).collect();
                let part = self.in_rows(&rows, |block| block.joined(&rest[place..], all));
                iter::zip(rows, part).for_each(|(row, part)| truth[row as usize] = part);
                break;
            }
            let next = self.truth(operand);
            iter::zip(&mut truth, next).for_each(|(truth, next)| if all { *truth &= next } else { *truth |= next });
        }
        truth
    }

    /// Works on some rows as a block of their own.
    fn in_rows<T>(&self, rows: &[u32], work: impl FnOnce(&RowBlock<'_>) -> T) -> T {
        let mut positions = Positions::with_capacity(rows.len());
        positions.extend(rows.iter().filter_map(|&row| {
            let row = row as usize;
            self.positions.slice(row..row + 1).into_iter().next()
        }));
        work(&RowBlock::new(self.engine, (&positions).into(), self.inputs, RowNumbers::Of(self, rows)))
    }

    /// For each row, the number of legal moves after which a condition holds.
    fn moves(&self, inner: &TruthExpr) -> Vec<u32> {
        let mut counts = vec![0; self.len()];
        let (backend, mut moves, mut after) = (self.engine.backend(), Moves::new(), Positions::new());
        for start in (0..self.len()).step_by(PARENTS) {
            let parents = self.positions.slice(start..self.len().min(start + PARENTS));
            backend.moves(parents, &mut moves);
            backend.after(parents, &moves, &mut after).expect("these are moves of these positions");
            let rows = (start as u32..).zip(&moves).flat_map(|(row, moves)| iter::repeat_n(row, moves.len()));
            let rows: Vec<u32> = rows.collect();
            for first in (0..rows.len()).step_by(BLOCK) {
                let range = first..rows.len().min(first + BLOCK);
                let rows = &rows[range.clone()];
                let numbers = RowNumbers::Parents(self, rows);
                let block = RowBlock::new(self.engine, after.slice(range), self.inputs, numbers);
                let truth = block.truth(inner);
                iter::zip(rows, truth).for_each(|(&row, truth)| counts[row as usize] += u32::from(truth));
            }
        }
        counts
    }

    /// Whether the recorded move is of a kind. No move is of none, and neither is one that is not legal.
    fn played(&self, kind: PlayedKind, input: &InputName) -> Vec<bool> {
        let mut truth = vec![false; self.len()];
        let mut moves = Moves::new();
        for start in (0..self.len()).step_by(PARENTS) {
            let rows = start..self.len().min(start + PARENTS);
            self.engine.backend().moves(self.positions.slice(rows.clone()), &mut moves);
            for (row, moves) in rows.zip(&moves) {
                let InputValue::Text(text) = self.value(input, row) else { continue };
                let text = text.trim();
                let is_it = |mv: &&Move| {
                    let (mut uci, from) = ([0; 5], text.get(..2));
                    let uci = mv.encode_uci(&mut uci);
                    // Both notations begin with the square that the piece leaves.
                    uci == text || uci.get(..2) == from && mv.to_string() == text
                };
                if let Some(&mv) = moves.iter().find(is_it) {
                    truth[row] = self.is_of_kind(self.positions.slice(row..row + 1), mv, kind);
                }
            }
        }
        truth
    }

    fn is_of_kind(&self, position: PositionSlice<'_>, mv: Move, kind: PlayedKind) -> bool {
        use slider_attacks::moves::MoveKind::{Castling, EnPassant};
        match kind {
            PlayedKind::Captures => {
                let is_occupied = position.occupancies()[0] & mv.target().bitboard() != 0;
                mv.kind() == EnPassant || is_occupied && mv.kind() != Castling
            }
            PlayedKind::Promotes => mv.promoted().is_some(),
            PlayedKind::Checks => {
                let (mut one, mut after, mut checks) = (Moves::new(), Positions::new(), [0]);
                one.push(&[mv]);
                let backend = self.engine.backend();
                backend.after(position, &one, &mut after).expect("the move is legal");
                backend.status(&after, Status::Check, &mut checks).expect(ONE_EACH);
                checks[0] > 0
            }
        }
    }

    fn compared(&self, relation: Relation, one: NumberValues, other: NumberValues) -> Vec<bool> {
        use NumberValues::{Each, Same};
        fn all(relation: Relation, one: &[f64], other: f64) -> Vec<bool> {
            // One loop for each relation: the compiler makes vectors of them.
            match relation {
                Relation::Equal => one.iter().map(|one| *one == other).collect(),
                Relation::NotEqual => {
                    let is_number = !other.is_nan();
                    one.iter().map(|one| *one != other && !one.is_nan() && is_number).collect()
                }
                Relation::Less => one.iter().map(|one| *one < other).collect(),
                Relation::AtMost => one.iter().map(|one| *one <= other).collect(),
                Relation::Greater => one.iter().map(|one| *one > other).collect(),
                Relation::AtLeast => one.iter().map(|one| *one >= other).collect(),
            }
        }
        match (one, other) {
            (Same(one), Same(other)) => vec![holds(relation, &one, &other); self.len()],
            (Each(one), Same(other)) => all(relation, &one, other),
            (Same(one), Each(other)) => all(relation.reversed(), &other, one),
            (Each(one), Each(other)) => {
                iter::zip(one, other).map(|(one, other)| holds(relation, &one, &other)).collect()
            }
        }
    }

    /// The numbers of all rows.
    fn number_values(&self, number: &NumberExpr) -> NumberValues {
        use NumberValues::{Each, Same};
        match number {
            NumberExpr::Constant(number) => Same(*number),
            NumberExpr::Integer(number) => Same(*number as f64),
            NumberExpr::Column(column) | NumberExpr::ListLength(column) => match self.column(column) {
                ColumnWords::Number(numbers) => Each(numbers.iter().map(|&number| f64::from(number)).collect()),
                _ => unreachable!("its kind has been checked"),
            },
            NumberExpr::Count(set) => match self.set(set) {
                SetValues::Same(set) => Same(f64::from(set.count_ones())),
                SetValues::Each(sets) => Each(sets.iter().map(|set| f64::from(set.count_ones() as i32)).collect()),
            },
            NumberExpr::At(column, square) => {
                let at = usize::from(square.index());
                Each(self.numbers_of(column).iter().map(|numbers| f64::from(numbers[at])).collect())
            }
            NumberExpr::Sum(column, set) => {
                let sum = |(numbers, set): (&[u8; 64], u64)| {
                    squares(set).map(|square| u32::from(numbers[square])).sum::<u32>()
                };
                Each(self.with_sets(column, set).map(|pair| f64::from(sum(pair))).collect())
            }
            NumberExpr::Max(column, set) => {
                let most = |(numbers, set): (&[u8; 64], u64)| squares(set).map(|square| numbers[square]).max();
                Each(self.with_sets(column, set).map(|pair| f64::from(most(pair).unwrap_or(0))).collect())
            }
            NumberExpr::Input(input) => Each((0..self.len()).map(|row| self.value(input, row).number()).collect()),
            NumberExpr::Moves(inner) => Each(self.moves(inner).into_iter().map(f64::from).collect()),
            NumberExpr::Infix(sign, one, other) => {
                let (one, other) = (self.number_values(one), self.number_values(other));
                let compute = |one: f64, other: f64| match sign {
                    InfixSign::Minus => one - other,
                    InfixSign::Times => one * other,
                    _ => one + other,
                };
                match (one, other) {
                    (Same(one), Same(other)) => Same(compute(one, other)),
                    (Each(one), Same(other)) => one.mapped(|one| compute(one, other)),
                    (Same(one), Each(other)) => other.mapped(|other| compute(one, other)),
                    (Each(mut one), Each(other)) => {
                        iter::zip(&mut one, other).for_each(|(one, other)| *one = compute(*one, other));
                        Each(one)
                    }
                }
            }
            NumberExpr::Negative(inner) => match self.number_values(inner) {
                Same(number) => Same(-number),
                Each(numbers) => numbers.mapped(|number| -number),
            },
            NumberExpr::Absolute(inner) => match self.number_values(inner) {
                Same(number) => Same(number.abs()),
                Each(numbers) => numbers.mapped(f64::abs),
            },
            NumberExpr::If(truth, numbers) => {
                let [one, other] = numbers.each_ref().map(|number| self.number_values(number));
                let choose = |(row, truth)| if truth { one.at(row) } else { other.at(row) };
                Each(self.truth(truth).into_iter().enumerate().map(choose).collect())
            }
        }
    }

    /// The numbers of a product, each with a set of squares.
    fn with_sets(
        &self,
        column: &'static ProductColumn,
        set: &SetExpr,
    ) -> impl Iterator<Item = (&[u8; 64], u64)> + use<'_, 'a> {
        let sets = match self.set(set) {
            SetValues::Same(set) => vec![set; self.len()],
            SetValues::Each(sets) => sets.into_owned(),
        };
        iter::zip(self.numbers_of(column), sets)
    }

    /// The sets of all rows.
    fn set(&self, set: &SetExpr) -> SetValues<'_> {
        match set {
            SetExpr::Constant(set) => SetValues::Same(*set),
            SetExpr::Column(column) => SetValues::Each(self.boards(column).into()),
            SetExpr::Pieces(color, piece) => SetValues::Each(self.positions.pieces(*color, *piece).into()),
            SetExpr::Side(color) => SetValues::Each(self.positions.color(*color).into()),
            SetExpr::Occupied => SetValues::Each(self.positions.occupancies().into()),
            SetExpr::Infix(sign, one, other) => {
                let (one, other) = (self.set(one), self.set(other));
                match sign {
                    InfixSign::Common => combined(one, other, |one, other| one & other),
                    InfixSign::Different => combined(one, other, |one, other| one ^ other),
                    InfixSign::Minus => combined(one, other, |one, other| one & !other),
                    _ => combined(one, other, |one, other| one | other),
                }
            }
            SetExpr::Complement(inner) => self.set(inner).mapped(|set| !set),
            SetExpr::Shifted(step, inner) => self.set(inner).mapped(|set| step.of(set)),
            SetExpr::Flipped(inner) => self.set(inner).mapped(u64::swap_bytes),
            SetExpr::Between(one, other) => combined(self.set(one), self.set(other), between),
            SetExpr::AttacksOf(attacker, inner) => {
                let occupancies = SetValues::Each(self.positions.occupancies().into());
                combined(self.set(inner), occupancies, |set, occupied| attacks_of(*attacker, set, occupied))
            }
            SetExpr::At(column, square) => match self.column(column) {
                ColumnWords::Sets(sets) => {
                    let at = usize::from(square.index());
                    SetValues::Each(sets.iter().map(|sets| sets[at]).collect())
                }
                _ => unreachable!("its kind has been checked"),
            },
        }
    }
}

/// Numbers, each computed from another one.
trait MapNumbers {
    /// The results.
    fn mapped(self, compute: impl Fn(f64) -> f64) -> NumberValues;
}

impl MapNumbers for Vec<f64> {
    fn mapped(mut self, compute: impl Fn(f64) -> f64) -> NumberValues {
        self.iter_mut().for_each(|number| *number = compute(*number));
        NumberValues::Each(self)
    }
}

impl<'a> SetValues<'a> {
    /// Sets, each computed from another one.
    #[inline]
    fn mapped(self, compute: impl Fn(u64) -> u64) -> SetValues<'a> {
        match self {
            SetValues::Same(set) => SetValues::Same(compute(set)),
            SetValues::Each(Cow::Owned(mut sets)) => {
                sets.iter_mut().for_each(|set| *set = compute(*set));
                SetValues::Each(sets.into())
            }
            SetValues::Each(Cow::Borrowed(sets)) => SetValues::Each(sets.iter().map(|&set| compute(set)).collect()),
        }
    }
}

/// Sets, each computed from two others.
#[inline]
fn combined<'a>(one: SetValues<'a>, other: SetValues<'a>, compute: impl Fn(u64, u64) -> u64) -> SetValues<'a> {
    match (one, other) {
        (one, SetValues::Same(other)) => one.mapped(|one| compute(one, other)),
        (SetValues::Same(one), other) => other.mapped(|other| compute(one, other)),
        (SetValues::Each(Cow::Owned(mut one)), SetValues::Each(other)) => {
            iter::zip(&mut one, &*other).for_each(|(one, other)| *one = compute(*one, *other));
            SetValues::Each(one.into())
        }
        (SetValues::Each(one), SetValues::Each(Cow::Owned(mut other))) => {
            iter::zip(&*one, &mut other).for_each(|(one, other)| *other = compute(*one, *other));
            SetValues::Each(other.into())
        }
        (SetValues::Each(one), SetValues::Each(other)) => {
            SetValues::Each(iter::zip(&*one, &*other).map(|(one, other)| compute(*one, *other)).collect())
        }
    }
}

/// Whether a value passes a test, which may compare it with that of another column.
pub(crate) fn passes<'a>(
    value: &InputValue<'_>,
    test: &InputTest,
    other: &dyn Fn(&InputName) -> InputValue<'a>,
) -> bool {
    let is = |text: &dyn Fn(&str) -> bool| value.text().is_some_and(|value| text(&value));
    match test {
        InputTest::Integer(relation, number) => is_integer(value, *relation, *number),
        InputTest::Text(relation, text) => is(&|value| holds(*relation, value, text)),
        InputTest::In(literals) => literals.iter().any(|literal| match literal {
            Literal::Number(number) => value.number() == *number,
            Literal::Integer(number) => is_integer(value, Relation::Equal, *number),
            Literal::Text(text) => is(&|value| value == text),
        }),
        InputTest::StartsWith(prefixes) => is(&|value| prefixes.iter().any(|prefix| value.starts_with(prefix))),
        InputTest::Flag(flag) => is(&|value| value.eq_ignore_ascii_case(if *flag { "true" } else { "false" })),
        InputTest::Other(relation, name) => {
            let other = other(name);
            if let (Some(one), Some(another)) = (value.integer(), other.integer()) {
                return holds(*relation, &one, &another);
            }
            let (one, another) = (value.number(), other.number());
            match (one.is_nan(), another.is_nan()) {
                (false, false) => holds(*relation, &one, &another),
                // An empty cell is no value.
                (true, true) => is(&|value| {
                    let other = other.text().filter(|other| !other.is_empty() && !value.is_empty());
                    other.is_some_and(|other| holds(*relation, value, &other))
                }),
                _ => false,
            }
        }
    }
}

/// Whether a value compares so with a whole number.
fn is_integer(value: &InputValue<'_>, relation: Relation, number: i128) -> bool {
    match value.integer() {
        Some(value) => holds(relation, &value, &number),
        None => holds(relation, &value.number(), &(number as f64)),
    }
}

/// Whether two values compare so. Numbers that are missing do not compare.
#[inline]
pub(crate) fn holds<T: PartialOrd + ?Sized>(relation: Relation, one: &T, other: &T) -> bool {
    match relation {
        Relation::Equal => one == other,
        Relation::NotEqual => one.partial_cmp(other).is_some_and(Ordering::is_ne),
        Relation::Less => one < other,
        Relation::AtMost => one <= other,
        Relation::Greater => one > other,
        Relation::AtLeast => one >= other,
    }
}

/// The numbers of the squares of a set.
fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    iter::from_fn(move || {
        let square = Square::new(set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(usize::from(square.index()))
    })
}
