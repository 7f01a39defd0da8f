//! `either` and `mirrored`: the same condition for the mirror image of a board, as another condition on the board itself.
//!
//! If the image of a board has a set, the board has the image of this set, with the names of the sides exchanged if colours are.
//! So squares, directions and sides change, and no board does.

use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::ProductColumn;

use crate::error::{Checked, QueryError};
use crate::expression::{
    Attacker, IMAGES, InputTest, KeyColumn, KingStep, NumberExpr, SetExpr, TruthExpr, mirrored_square,
};
use crate::names;

/// How a board is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Colours are swapped, and the board is upside down.
    Colors,
    /// Left and right are exchanged.
    Files,
}

impl Symmetry {
    /// The function of the language that asks for it.
    pub fn function(self) -> &'static str {
        match self {
            Symmetry::Colors => "either",
            Symmetry::Files => "mirrored",
        }
    }

    fn set(self) -> fn(u64) -> u64 {
        IMAGES[self as usize]
    }

    fn color(self, color: Color) -> Color {
        if self == Symmetry::Colors { color.other() } else { color }
    }

    fn column(self, column: &'static ProductColumn) -> &'static ProductColumn {
        if self == Symmetry::Colors { names::of_other_side(column) } else { column }
    }

    fn step(self, step: KingStep) -> KingStep {
        match self {
            Symmetry::Colors => KingStep { ranks: -step.ranks, ..step },
            Symmetry::Files => KingStep { files: -step.files, ..step },
        }
    }

    fn attacker(self, attacker: Attacker) -> Attacker {
        match attacker {
            Attacker::Pawn(color) => Attacker::Pawn(self.color(color)),
            piece => piece,
        }
    }

    fn refuse(self, at: usize, what: &str) -> QueryError {
        let function = self.function();
        QueryError::new(at, format!("{what} has no mirror image: write this condition outside of {function}(…)"))
    }

    /// The condition that holds for a board if this one holds for its image.
    ///
    /// # Errors
    ///
    /// It depends on something that has no image: a value of the input, or a key.
    pub fn truth(self, truth: &TruthExpr) -> Checked<TruthExpr> {
        let all = |all: &[TruthExpr]| all.iter().map(|truth| self.truth(truth)).collect::<Checked<Vec<_>>>();
        Ok(match truth {
            TruthExpr::Not(inner) => TruthExpr::Not(Box::new(self.truth(inner)?)),
            TruthExpr::After(inner) => TruthExpr::After(Box::new(self.truth(inner)?)),
            TruthExpr::All(operands) => TruthExpr::All(all(operands)?),
            TruthExpr::Any(operands) => TruthExpr::Any(all(operands)?),
            TruthExpr::NonEmpty(set) => TruthExpr::NonEmpty(self.expression(set)),
            TruthExpr::SameSets(one, other) => TruthExpr::SameSets(self.expression(one), self.expression(other)),
            TruthExpr::Numbers(relation, one, other) => {
                TruthExpr::Numbers(*relation, self.number(one)?, self.number(other)?)
            }
            TruthExpr::Key(KeyColumn { column, at }, _)
                if !(self == Symmetry::Colors && names::is_canonical(column)) =>
            {
                return Err(self.refuse(*at, &format!("`{}`", column.name())));
            }
            TruthExpr::Input(input, InputTest::Other(..)) | TruthExpr::Input(input, _) => {
                return Err(self.refuse(input.at, "a value of the input"));
            }
            TruthExpr::Turn(color) => TruthExpr::Turn(self.color(*color)),
            TruthExpr::Material([white, black]) if self == Symmetry::Colors => TruthExpr::Material([*black, *white]),
            TruthExpr::Imbalance(more) if self == Symmetry::Colors => TruthExpr::Imbalance(more.map(|more| -more)),
            TruthExpr::Placed(placed) => {
                let image = |&(color, piece, set): &(Color, Piece, u64)| (self.color(color), piece, self.set()(set));
                TruthExpr::Placed(placed.iter().map(image).collect())
            }
            TruthExpr::Constant(_)
            | TruthExpr::Key(..)
            | TruthExpr::Phase(_)
            | TruthExpr::Material(_)
            | TruthExpr::Imbalance(_)
            | TruthExpr::Played(..) => truth.clone(),
        })
    }

    fn number(self, number: &NumberExpr) -> Checked<NumberExpr> {
        Ok(match number {
            NumberExpr::Constant(_) | NumberExpr::Integer(_) => number.clone(),
            NumberExpr::Column(column) => NumberExpr::Column(self.column(column)),
            NumberExpr::Count(set) => NumberExpr::Count(self.expression(set)),
            NumberExpr::ListLength(column) => NumberExpr::ListLength(self.column(column)),
            NumberExpr::At(column, square) => NumberExpr::At(self.column(column), mirrored_square(*square, self.set())),
            NumberExpr::Sum(column, set) => NumberExpr::Sum(self.column(column), self.expression(set)),
            NumberExpr::Max(column, set) => NumberExpr::Max(self.column(column), self.expression(set)),
            NumberExpr::Input(input) => return Err(self.refuse(input.at, "a value of the input")),
            NumberExpr::Moves(inner) => NumberExpr::Moves(Box::new(self.truth(inner)?)),
            NumberExpr::Infix(sign, one, other) => {
                NumberExpr::Infix(*sign, Box::new(self.number(one)?), Box::new(self.number(other)?))
            }
            NumberExpr::Negative(inner) => NumberExpr::Negative(Box::new(self.number(inner)?)),
            NumberExpr::Absolute(inner) => NumberExpr::Absolute(Box::new(self.number(inner)?)),
            NumberExpr::If(truth, numbers) => {
                let [one, other] = &**numbers;
                NumberExpr::If(Box::new(self.truth(truth)?), Box::new([self.number(one)?, self.number(other)?]))
            }
        })
    }

    fn expression(self, set: &SetExpr) -> SetExpr {
        let boxed = |set: &SetExpr| Box::new(self.expression(set));
        match set {
            SetExpr::Constant(set) => SetExpr::Constant(self.set()(*set)),
            SetExpr::Column(column) => SetExpr::Column(self.column(column)),
            SetExpr::Pieces(color, piece) => SetExpr::Pieces(self.color(*color), *piece),
            SetExpr::Side(color) => SetExpr::Side(self.color(*color)),
            SetExpr::Occupied => SetExpr::Occupied,
            SetExpr::Infix(sign, one, other) => SetExpr::Infix(*sign, boxed(one), boxed(other)),
            SetExpr::Complement(inner) => SetExpr::Complement(boxed(inner)),
            SetExpr::Shifted(step, inner) => SetExpr::Shifted(self.step(*step), boxed(inner)),
            SetExpr::Flipped(inner) => SetExpr::Flipped(boxed(inner)),
            SetExpr::Between(one, other) => SetExpr::Between(boxed(one), boxed(other)),
            SetExpr::AttacksOf(attacker, inner) => SetExpr::AttacksOf(self.attacker(*attacker), boxed(inner)),
            SetExpr::At(column, square) => SetExpr::At(self.column(column), mirrored_square(*square, self.set())),
        }
    }
}
