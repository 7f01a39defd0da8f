//! Conditions whose names and types have been checked.

use slider_attacks::Square;
use slider_attacks::flip::{flip_vertical, mirror_horizontal};
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::ProductColumn;

use crate::parse::{InfixSign, Relation};

/// A condition.
#[derive(Clone, Debug)]
pub enum TruthExpr {
    /// The same for all rows.
    Constant(bool),
    /// The opposite.
    Not(Box<TruthExpr>),
    /// All of these, cheap ones first.
    All(Vec<TruthExpr>),
    /// One of these, cheap ones first.
    Any(Vec<TruthExpr>),
    /// A set has a square.
    NonEmpty(SetExpr),
    /// Two sets are equal.
    SameSets(SetExpr, SetExpr),
    /// Two numbers compare so.
    Numbers(Relation, NumberExpr, NumberExpr),
    /// A key is one of these.
    Key(KeyColumn, Vec<u64>),
    /// A value of the input passes a test.
    Input(InputName, InputTest),
    /// This side is to move.
    Turn(Color),
    /// The game is in one of these phases, by their numbers.
    Phase([bool; 3]),
    /// These pieces are on the board, by colour and kind, and no others.
    Material([[u8; 6]; 2]),
    /// White has so many more of each kind of piece.
    Imbalance([i8; 6]),
    /// These pieces stand on these squares.
    Placed(Vec<(Color, Piece, u64)>),
    /// The recorded move is of this kind. The input has it in this column.
    Played(PlayedKind, InputName),
    /// There is a legal move after which this holds.
    After(Box<TruthExpr>),
}

/// A number.
#[derive(Clone, Debug)]
pub enum NumberExpr {
    /// The same for all rows.
    Constant(f64),
    /// The same for all rows, a whole number of more than 53 bits. Values of the input are compared with it as integers.
    Integer(i128),
    /// A product with a number for each position.
    Column(&'static ProductColumn),
    /// How many squares a set has.
    Count(SetExpr),
    /// How many items a list has.
    ListLength(&'static ProductColumn),
    /// What a product with 64 numbers has for a square.
    At(&'static ProductColumn, Square),
    /// The sum of the numbers of a set of squares.
    Sum(&'static ProductColumn, SetExpr),
    /// The largest of them; 0 if the set is empty.
    Max(&'static ProductColumn, SetExpr),
    /// A value of the input, if it is a number.
    Input(InputName),
    /// How many legal moves there are after which this holds.
    Moves(Box<TruthExpr>),
    /// A sum, a difference or a product.
    Infix(InfixSign, Box<NumberExpr>, Box<NumberExpr>),
    /// The same with the other sign.
    Negative(Box<NumberExpr>),
    /// The same without a sign.
    Absolute(Box<NumberExpr>),
    /// The first number where a condition holds, and the second one elsewhere.
    If(Box<TruthExpr>, Box<[NumberExpr; 2]>),
}

/// A set of squares.
#[derive(Clone, Debug)]
pub enum SetExpr {
    /// The same for all rows.
    Constant(u64),
    /// A product.
    Column(&'static ProductColumn),
    /// The pieces of a kind and colour.
    Pieces(Color, Piece),
    /// All pieces of a colour.
    Side(Color),
    /// All pieces.
    Occupied,
    /// Two sets, combined.
    Infix(InfixSign, Box<SetExpr>, Box<SetExpr>),
    /// The other squares.
    Complement(Box<SetExpr>),
    /// The squares one step in a direction; those beyond the edge are lost.
    Shifted(KingStep, Box<SetExpr>),
    /// The set upside down.
    Flipped(Box<SetExpr>),
    /// The squares between two sets, along a rank, a file or a diagonal.
    Between(Box<SetExpr>, Box<SetExpr>),
    /// What pieces of a kind would attack from the squares of a set.
    AttacksOf(Attacker, Box<SetExpr>),
    /// What a product with 64 sets has for a square.
    At(&'static ProductColumn, Square),
}

/// A column of the input: its number among those of the query, and where the text names it.
#[derive(Clone, Copy, Debug)]
pub struct InputName {
    /// The number.
    pub number: usize,
    /// The byte of the text, from 1.
    pub at: usize,
}

/// A product with keys, and where the text names it.
#[derive(Clone, Copy, Debug)]
pub struct KeyColumn {
    /// The product.
    pub column: &'static ProductColumn,
    /// The byte of the text, from 1.
    pub at: usize,
}

/// A test of a value of the input. One that is missing passes none.
#[derive(Clone, Debug)]
pub enum InputTest {
    /// It compares so with a whole number of more than 53 bits.
    Integer(Relation, i128),
    /// It compares so with a text.
    Text(Relation, String),
    /// It is one of these.
    In(Vec<Literal>),
    /// It begins with one of these.
    StartsWith(Vec<String>),
    /// It is this truth value, as JSON writes it.
    Flag(bool),
    /// It compares so with the value of another column: as a number if both are, as text otherwise.
    Other(Relation, InputName),
}

/// A value in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number.
    Number(f64),
    /// A whole number of more than 53 bits.
    Integer(i128),
    /// A text.
    Text(String),
}

/// Kinds of recorded moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedKind {
    /// It captures, also en passant.
    Captures,
    /// A pawn is promoted.
    Promotes,
    /// It gives check.
    Checks,
}

/// Directions, by the ranks and files that they lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KingStep {
    /// Up one rank, or down.
    pub ranks: i8,
    /// One file to the right, or to the left.
    pub files: i8,
}

/// Pieces that attack, for sets of squares where they might stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attacker {
    /// A pawn of this colour.
    Pawn(Color),
    /// Any other piece.
    Piece(Piece),
}

/// Any part of a condition.
#[derive(Clone, Copy)]
pub enum ExprRef<'e> {
    /// A condition.
    Truth(&'e TruthExpr),
    /// A number.
    Number(&'e NumberExpr),
    /// A set.
    Set(&'e SetExpr),
}

impl KingStep {
    /// The squares one step from those of a set.
    #[inline]
    pub fn of(self, set: u64) -> u64 {
        const FILE_A: u64 = 0x0101_0101_0101_0101;
        let set = match self.files {
            1 => set << 1 & !FILE_A,
            -1 => set >> 1 & !(FILE_A << 7),
            _ => set,
        };
        match self.ranks {
            1 => set << 8,
            -1 => set >> 8,
            _ => set,
        }
    }
}

impl<'e> ExprRef<'e> {
    /// The parts that it is made of.
    pub fn parts(self) -> Vec<ExprRef<'e>> {
        match self {
            ExprRef::Truth(truth) => match truth {
                TruthExpr::Not(inner) | TruthExpr::After(inner) => vec![ExprRef::Truth(inner)],
                TruthExpr::All(all) | TruthExpr::Any(all) => all.iter().map(ExprRef::Truth).collect(),
                TruthExpr::NonEmpty(set) => vec![ExprRef::Set(set)],
                TruthExpr::SameSets(one, other) => vec![ExprRef::Set(one), ExprRef::Set(other)],
                TruthExpr::Numbers(_, one, other) => vec![ExprRef::Number(one), ExprRef::Number(other)],
                TruthExpr::Constant(_)
                | TruthExpr::Key(..)
                | TruthExpr::Input(..)
                | TruthExpr::Turn(_)
                | TruthExpr::Phase(_)
                | TruthExpr::Material(_)
                | TruthExpr::Imbalance(_)
                | TruthExpr::Placed(_)
                | TruthExpr::Played(..) => Vec::new(),
            },
            ExprRef::Number(number) => match number {
                NumberExpr::Count(set) | NumberExpr::Sum(_, set) | NumberExpr::Max(_, set) => vec![ExprRef::Set(set)],
                NumberExpr::Moves(inner) => vec![ExprRef::Truth(inner)],
                NumberExpr::Infix(_, one, other) => vec![ExprRef::Number(one), ExprRef::Number(other)],
                NumberExpr::Negative(inner) | NumberExpr::Absolute(inner) => vec![ExprRef::Number(inner)],
                NumberExpr::If(truth, numbers) => {
                    let [one, other] = &**numbers;
                    vec![ExprRef::Truth(truth), ExprRef::Number(one), ExprRef::Number(other)]
                }
                NumberExpr::Constant(_)
                | NumberExpr::Integer(_)
                | NumberExpr::Column(_)
                | NumberExpr::ListLength(_)
                | NumberExpr::At(..)
                | NumberExpr::Input(_) => Vec::new(),
            },
            ExprRef::Set(set) => match set {
                SetExpr::Infix(_, one, other) | SetExpr::Between(one, other) => {
                    vec![ExprRef::Set(one), ExprRef::Set(other)]
                }
                SetExpr::Complement(inner)
                | SetExpr::Shifted(_, inner)
                | SetExpr::Flipped(inner)
                | SetExpr::AttacksOf(_, inner) => vec![ExprRef::Set(inner)],
                SetExpr::Constant(_)
                | SetExpr::Column(_)
                | SetExpr::Pieces(..)
                | SetExpr::Side(_)
                | SetExpr::Occupied
                | SetExpr::At(..) => Vec::new(),
            },
        }
    }

    /// Whether it or one of its parts names the input of this number.
    pub fn asks_for(self, input: usize) -> bool {
        let is_it = |name: &InputName| name.number == input;
        let names = match self {
            ExprRef::Truth(TruthExpr::Input(name, InputTest::Other(_, other))) => is_it(name) || is_it(other),
            ExprRef::Truth(TruthExpr::Input(name, _) | TruthExpr::Played(_, name))
            | ExprRef::Number(NumberExpr::Input(name)) => is_it(name),
            _ => false,
        };
        names || self.parts().into_iter().any(|part| part.asks_for(input))
    }

    /// The product that it names, apart from those of its parts.
    pub fn column(self) -> Option<&'static ProductColumn> {
        match self {
            ExprRef::Truth(TruthExpr::Key(KeyColumn { column, .. }, _))
            | ExprRef::Number(
                NumberExpr::Column(column)
                | NumberExpr::ListLength(column)
                | NumberExpr::At(column, _)
                | NumberExpr::Sum(column, _)
                | NumberExpr::Max(column, _),
            )
            | ExprRef::Set(SetExpr::Column(column) | SetExpr::At(column, _)) => Some(column),
            _ => None,
        }
    }

    /// Adds the products that it and its parts name to others, each of them once.
    pub fn add_columns(self, columns: &mut Vec<&'static ProductColumn>) {
        if let Some(column) = self.column()
            && !columns.iter().any(|known| std::ptr::eq(*known, column))
        {
            columns.push(column);
        }
        self.parts().into_iter().for_each(|part| part.add_columns(columns));
    }
}

/// The image of a square.
pub(crate) fn mirrored_square(square: Square, image: fn(u64) -> u64) -> Square {
    let index = image(square.bitboard()).trailing_zeros() as usize;
    Square::ALL[index]
}

/// The board upside down, and with left and right exchanged.
pub(crate) const IMAGES: [fn(u64) -> u64; 2] = [flip_vertical, mirror_horizontal];

/// All pieces, by colour and kind.
pub(crate) fn all_pieces() -> impl Iterator<Item = (Color, Piece)> {
    Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece)))
}
