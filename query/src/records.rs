//! Conditions on records of engines, as far as no products of their positions are needed.

use slider_attacks::position::Color;

use crate::evaluate::{InputValue, holds, passes};
use crate::expression::{ExprRef, InputName, InputTest, NumberExpr, PlayedKind, SetExpr, TruthExpr};
use crate::parse::{InfixSign, Relation};
use crate::{ChanceQuery, PositionQuery};

/// A column that records have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordColumn {
    /// The score, as white sees it.
    Score,
    /// How the game ended.
    Result,
    /// Half moves since the last capture or move of a pawn.
    Halfmove,
    /// The number of the move.
    Fullmove,
    /// The number of half moves of the game, as the number of the move says it.
    Ply,
}

impl RecordColumn {
    /// All of them, with their names.
    const ALL: [(&str, RecordColumn); 5] = [
        ("score", RecordColumn::Score),
        ("result", RecordColumn::Result),
        ("halfmove", RecordColumn::Halfmove),
        ("fullmove", RecordColumn::Fullmove),
        ("ply", RecordColumn::Ply),
    ];
}

/// What a record says. A method is called only if a condition asks for it.
pub trait RecordValues {
    /// The value of a column.
    fn value(&self, column: RecordColumn) -> InputValue<'_>;

    /// The same as a number. The result is none.
    fn number(&self, column: RecordColumn) -> f64;

    /// The result.
    fn result(&self) -> &str;

    /// The side to move.
    fn turn(&self) -> Color;

    /// The squares of the pieces whose number, from 1 for a pawn to 6 for a king, has bit 0, 1 or 2, and those of Black's.
    fn planes(&self) -> [u64; 4];

    /// Whether the move that was played captures.
    fn captures(&self) -> bool;

    /// Whether the move that was played promotes a pawn.
    fn promotes(&self) -> bool;
}

/// The part of a condition that a record decides.
#[derive(Clone, Debug)]
pub struct RecordQuery {
    /// All of these must hold.
    all: Vec<TruthExpr>,
    /// The columns, in the order of the inputs of the query.
    columns: Vec<Option<RecordColumn>>,
}

/// The chance with which a record is taken: a product.
#[derive(Clone, Debug)]
pub struct RecordChance {
    /// The factors, short ones first, and the largest product of each and those after it.
    factors: Vec<(NumberExpr, f64)>,
    /// It decides nothing, and has the columns.
    query: RecordQuery,
}

impl RecordChance {
    /// The chance, if a record has all that it depends on.
    pub fn of(chance: &ChanceQuery) -> Option<RecordChance> {
        let columns = record_columns(chance.condition());
        let is_known = |input: &InputName| columns[input.number].is_some();
        if !is_number_decided(chance.number(), &is_known) {
            return None;
        }
        let mut factors = Vec::new();
        add_factors(chance.number(), &mut factors);
        factors.sort_by_key(|factor| size(ExprRef::Number(factor)));
        let mut most = 1.0;
        let mut factors: Vec<_> = factors
            .into_iter()
            .rev()
            .map(|factor| {
                most *= largest(factor);
                (factor.clone(), most)
            })
            .collect();
        factors.reverse();
        Some(RecordChance { factors, query: RecordQuery { all: Vec::new(), columns } })
    }

    /// Whether the chance of a record, as [`ChanceQuery::chances`] says, exceeds a number from 0 up to 1. `None` if there is no
    /// chance. Unless it is to be exact, it ends at the first factor after which the product cannot exceed the number, although a
    /// later one may be 0.
    #[inline]
    pub fn exceeds(&self, record: &impl RecordValues, number: f64, is_exact: bool) -> Option<bool> {
        let mut chance = 1.0;
        for (factor, most) in &self.factors {
            if !is_exact && chance >= 0.0 && number >= chance * most {
                return (chance * most > 0.0).then_some(false);
            }
            chance *= self.query.number(factor, record);
        }
        let chance = ChanceQuery::in_bounds(chance);
        (chance > 0.0).then_some(number < chance)
    }
}

/// Adds the factors of a product.
fn add_factors<'e>(number: &'e NumberExpr, factors: &mut Vec<&'e NumberExpr>) {
    match number {
        NumberExpr::Infix(InfixSign::Times, one, other) => {
            add_factors(one, factors);
            add_factors(other, factors);
        }
        _ => factors.push(number),
    }
}

/// How many parts an expression has.
fn size(expression: ExprRef<'_>) -> usize {
    1 + expression.parts().into_iter().map(size).sum::<usize>()
}

/// The largest value that a factor can have; infinite if that is not known, or if it may be negative.
fn largest(factor: &NumberExpr) -> f64 {
    match factor {
        NumberExpr::Constant(number) if *number >= 0.0 => *number,
        NumberExpr::Count(_) => 64.0,
        NumberExpr::Infix(InfixSign::Times, one, other) => largest(one) * largest(other),
        NumberExpr::If(_, numbers) => numbers.iter().map(largest).fold(0.0, f64::max),
        _ => f64::INFINITY,
    }
}

/// The columns of records, in the order of the inputs of a query.
fn record_columns(query: &PositionQuery) -> Vec<Option<RecordColumn>> {
    let column = |name: &String| RecordColumn::ALL.iter().find(|(other, _)| name.eq_ignore_ascii_case(other));
    query.inputs().iter().map(|name| column(name).map(|(_, column)| *column)).collect()
}

impl RecordQuery {
    /// The part of a condition that a record decides, and the rest, which has the same [inputs](PositionQuery::inputs). `None` if a
    /// record decides nothing of it.
    pub fn split(query: &PositionQuery) -> Option<(RecordQuery, PositionQuery)> {
        let columns = record_columns(query);
        let all = match query.truth.clone() {
            TruthExpr::All(all) => all,
            truth => vec![truth],
        };
        let is_known = |input: &InputName| columns[input.number].is_some();
        let (decided, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|truth| is_decided(truth, &is_known));
        // A record of a binpack that is left out while it is decoded takes 40 nanoseconds; one that has become a position before, 90 (Xeon).
        if decided.is_empty() {
            return None;
        }
        let rest = PositionQuery::of_parts(query, TruthExpr::All(rest));
        Some((RecordQuery { all: decided, columns }, rest))
    }

    /// Whether it holds for a record.
    #[inline]
    pub fn holds(&self, record: &impl RecordValues) -> bool {
        self.all.iter().all(|truth| self.truth(truth, record))
    }

    fn value<'r>(&self, input: &InputName, record: &'r impl RecordValues) -> InputValue<'r> {
        self.columns[input.number].map_or(InputValue::Missing, |column| record.value(column))
    }

    fn truth(&self, truth: &TruthExpr, record: &impl RecordValues) -> bool {
        match truth {
            TruthExpr::Constant(truth) => *truth,
            TruthExpr::Not(inner) => !self.truth(inner, record),
            TruthExpr::All(all) => all.iter().all(|truth| self.truth(truth, record)),
            TruthExpr::Any(any) => any.iter().any(|truth| self.truth(truth, record)),
            TruthExpr::Numbers(relation, one, other) => {
                holds(*relation, &self.number(one, record), &self.number(other, record))
            }
            TruthExpr::Input(input, InputTest::Text(Relation::Equal, text))
                if self.columns[input.number] == Some(RecordColumn::Result) =>
            {
                record.result() == text
            }
            TruthExpr::Input(input, test) => {
                let other = |other: &InputName| self.value(other, record);
                passes(&self.value(input, record), test, &other)
            }
            TruthExpr::NonEmpty(set) => set_of(set, record) != 0,
            TruthExpr::SameSets(one, other) => set_of(one, record) == set_of(other, record),
            TruthExpr::Turn(color) => record.turn() == *color,
            TruthExpr::Played(PlayedKind::Captures, _) => record.captures(),
            TruthExpr::Played(PlayedKind::Promotes, _) => record.promotes(),
            _ => unreachable!("it is not decided by records"),
        }
    }

    fn number(&self, number: &NumberExpr, record: &impl RecordValues) -> f64 {
        match number {
            NumberExpr::Constant(number) => *number,
            NumberExpr::Integer(number) => *number as f64,
            NumberExpr::Input(input) => self.columns[input.number].map_or(f64::NAN, |column| record.number(column)),
            NumberExpr::Infix(sign, one, other) => {
                let (one, other) = (self.number(one, record), self.number(other, record));
                match sign {
                    InfixSign::Minus => one - other,
                    InfixSign::Times => one * other,
                    _ => one + other,
                }
            }
            NumberExpr::Negative(inner) => -self.number(inner, record),
            NumberExpr::Absolute(inner) => self.number(inner, record).abs(),
            NumberExpr::Count(set) => f64::from(set_of(set, record).count_ones()),
            NumberExpr::If(truth, numbers) => {
                let [one, other] = &**numbers;
                self.number(if self.truth(truth, record) { one } else { other }, record)
            }
            _ => unreachable!("it is not decided by records"),
        }
    }
}

/// A set of squares of a record.
fn set_of(set: &SetExpr, record: &impl RecordValues) -> u64 {
    let [ones, twos, fours, black] = record.planes();
    let occupied = ones | twos | fours;
    let side = |color: Color| if color == Color::White { occupied & !black } else { black };
    match set {
        SetExpr::Constant(set) => *set,
        SetExpr::Pieces(color, piece) => {
            let has = |plane: u64, bit: u8| if (*piece as u8 + 1) >> bit & 1 != 0 { plane } else { !plane };
            side(*color) & has(ones, 0) & has(twos, 1) & has(fours, 2)
        }
        SetExpr::Side(color) => side(*color),
        SetExpr::Occupied => occupied,
        SetExpr::Infix(sign, one, other) => {
            let (one, other) = (set_of(one, record), set_of(other, record));
            match sign {
                InfixSign::Common => one & other,
                InfixSign::Different => one ^ other,
                InfixSign::Minus => one & !other,
                _ => one | other,
            }
        }
        SetExpr::Complement(inner) => !set_of(inner, record),
        _ => unreachable!("it is not decided by records"),
    }
}

/// Whether records have all that a set depends on.
fn is_set_decided(set: &SetExpr) -> bool {
    match set {
        SetExpr::Constant(_) | SetExpr::Pieces(..) | SetExpr::Side(_) | SetExpr::Occupied => true,
        SetExpr::Infix(_, one, other) => is_set_decided(one) && is_set_decided(other),
        SetExpr::Complement(inner) => is_set_decided(inner),
        _ => false,
    }
}

/// Whether records decide a condition, if they have the inputs that are known.
fn is_decided(truth: &TruthExpr, is_known: &dyn Fn(&InputName) -> bool) -> bool {
    let is_own = match truth {
        TruthExpr::Input(input, InputTest::Other(_, other)) => is_known(input) && is_known(other),
        TruthExpr::Input(input, _) => is_known(input),
        TruthExpr::Constant(_)
        | TruthExpr::Not(_)
        | TruthExpr::All(_)
        | TruthExpr::Any(_)
        | TruthExpr::Numbers(..)
        | TruthExpr::NonEmpty(_)
        | TruthExpr::SameSets(..)
        | TruthExpr::Turn(_)
        | TruthExpr::Played(PlayedKind::Captures | PlayedKind::Promotes, _) => true,
        _ => false,
    };
    let is_part_decided = |part: ExprRef<'_>| match part {
        ExprRef::Truth(truth) => is_decided(truth, is_known),
        ExprRef::Number(number) => is_number_decided(number, is_known),
        ExprRef::Set(set) => is_set_decided(set),
    };
    is_own && ExprRef::Truth(truth).parts().into_iter().all(is_part_decided)
}

/// The same for a number.
fn is_number_decided(number: &NumberExpr, is_known: &dyn Fn(&InputName) -> bool) -> bool {
    match number {
        NumberExpr::Constant(_) | NumberExpr::Integer(_) => true,
        NumberExpr::Input(input) => is_known(input),
        NumberExpr::Infix(_, one, other) => is_number_decided(one, is_known) && is_number_decided(other, is_known),
        NumberExpr::Negative(inner) | NumberExpr::Absolute(inner) => is_number_decided(inner, is_known),
        NumberExpr::Count(set) => is_set_decided(set),
        NumberExpr::If(truth, numbers) => {
            is_decided(truth, is_known) && numbers.iter().all(|number| is_number_decided(number, is_known))
        }
        _ => false,
    }
}
