//! From a tree to a condition: names are looked up, and every operator gets operands of its types.

use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{ColumnKind, ProductColumn};

use crate::cost::{MOST_PARTS, size, sorted};
use crate::error::{Checked, QueryError};
use crate::expression::{Attacker, ExprRef, InputName, InputTest, KeyColumn, Literal, NumberExpr, SetExpr, TruthExpr};
use crate::names::{self, did_you_mean};
use crate::parse::{InfixSign, PrefixSign, Relation, Syntax, SyntaxNode};
use crate::patterns;
use crate::phases;
use crate::rewrite::Symmetry;
use crate::token::{beginning, shown};

/// How deep `after` may be nested.
const MOST_AFTER: usize = 2;
/// The column of the input with the move that was played from the position.
pub const PLAYED_COLUMN: &str = "next_uci";

/// The condition of a tree, and the columns of the input that it names.
///
/// # Errors
///
/// A name is unknown where only the language has names, or an operator has operands of other types.
pub fn check(node: &SyntaxNode) -> Checked<(TruthExpr, Vec<String>)> {
    let mut checker = Checker { inputs: Vec::new(), moves: 0, parts: 0 };
    let truth = checker.truth(node)?;
    Ok((truth, checker.inputs))
}

/// The chance that a tree says, and the columns of the input that it names: a number, or a condition as 1 or 0.
///
/// # Errors
///
/// Those of [`check`], and a number that is always below 0 or above 1.
pub fn check_chance(node: &SyntaxNode) -> Checked<(NumberExpr, Vec<String>)> {
    let mut checker = Checker { inputs: Vec::new(), moves: 0, parts: 0 };
    let number = match checker.typed(node)? {
        Typed::Number(NumberExpr::Constant(chance)) if !(0.0..=1.0).contains(&chance) => {
            return error(node.column, "expected a chance from 0 to 1");
        }
        Typed::Number(number) => number,
        Typed::Input(input) => NumberExpr::Input(input),
        _ => {
            let (truth, inputs) = check(node)?;
            checker.inputs = inputs;
            NumberExpr::If(Box::new(truth), Box::new([1.0, 0.0].map(NumberExpr::Constant)))
        }
    };
    Ok((number, checker.inputs))
}

/// The set of a tree.
///
/// # Errors
///
/// Those of [`check`], and an expression of another type.
pub fn check_set(node: &SyntaxNode) -> Checked<SetExpr> {
    Checker { inputs: Vec::new(), moves: 0, parts: 0 }.set(node)
}

/// What has been found so far.
struct Checker {
    inputs: Vec<String>,
    /// How many calls of `after` this is in.
    moves: usize,
    /// How many parts rewriting has added.
    parts: usize,
}

/// What an expression is.
enum Typed {
    Truth(TruthExpr),
    Number(NumberExpr),
    Set(SetExpr),
    Bits(u64),
    Text(String),
    /// A name that the language does not know: a column of the input.
    Input(InputName),
    /// A product with 64 numbers, with 64 sets, with a list, or with keys.
    Squares(&'static ProductColumn),
    Sets(&'static ProductColumn),
    List(&'static ProductColumn),
    Key(&'static ProductColumn),
    /// `turn`, `phase` or `material`.
    Word(&'static str),
}

impl Typed {
    /// What it is, for messages.
    fn describe(&self) -> String {
        match self {
            Typed::Truth(_) => "a condition".to_owned(),
            Typed::Number(_) => "a number".to_owned(),
            Typed::Set(_) => "a set".to_owned(),
            Typed::Bits(bits) => format!("the number {bits:#x}"),
            Typed::Text(text) => format!("the text {:?}", beginning(text)),
            Typed::Input(_) => "a value of the input".to_owned(),
            Typed::Squares(column) => format!("`{}`, which has 64 numbers", column.name()),
            Typed::Sets(column) => format!("`{}`, which has 64 sets", column.name()),
            Typed::List(column) => format!("`{}`, which is a list", column.name()),
            Typed::Key(column) => format!("`{}`, which is a key", column.name()),
            Typed::Word(word) => format!("`{word}`"),
        }
    }

    /// How it is used instead, after what it is.
    fn advice(&self) -> String {
        match self {
            Typed::Squares(column) => {
                let name = column.name();
                format!("; name a square, as in {name}[e4], or write sum({name}, set) or max({name}, set)")
            }
            Typed::Sets(column) => format!("; name a square, as in {}[e4]", column.name()),
            Typed::List(column) => match column.name() {
                "threats" => format!("; write count({}), or use the hanging pieces and forks", column.name()),
                name => format!("; write count({name}), or after(…) for what holds after a move"),
            },
            Typed::Key(column) => format!("; compare it, as in {} = 0x463b96181691fc9c", column.name()),
            Typed::Word(names::TURN) => "; write `turn = white` or `turn = black`".to_owned(),
            Typed::Word(names::PHASE) => "; write `phase = endgame`".to_owned(),
            Typed::Word(_) => "; write `material = \"KRPkr\"`".to_owned(),
            _ => String::new(),
        }
    }
}

fn error<T>(column: usize, what: impl Into<String>) -> Checked<T> {
    Err(QueryError::new(column, what))
}

impl Checker {
    /// A condition.
    fn truth(&mut self, node: &SyntaxNode) -> Checked<TruthExpr> {
        let typed = self.typed(node)?;
        let found = match typed {
            Typed::Truth(truth) => return Ok(truth),
            Typed::Set(set) => return Ok(TruthExpr::NonEmpty(set)),
            Typed::Bits(bits) => return Ok(TruthExpr::NonEmpty(SetExpr::Constant(bits))),
            Typed::Number(number) if is_of_position(&number) => return Ok(is_positive(number)),
            Typed::List(column) => return Ok(is_positive(NumberExpr::ListLength(column))),
            Typed::Input(_) => return error(node.column, self.unknown_truth(node)),
            Typed::Number(_) => "a number; compare it, as in `… > 0`".to_owned(),
            other => format!("{}{}", other.describe(), other.advice()),
        };
        error(node.column, format!("expected a condition, found {found}"))
    }

    fn unknown_truth(&self, node: &SyntaxNode) -> String {
        let name = match &node.kind {
            Syntax::Name(name) | Syntax::Column(name) => shown(name),
            _ => String::new(),
        };
        match names::nearest(&name).filter(|_| matches!(node.kind, Syntax::Name(_))) {
            Some(nearest) => format!("unknown name `{name}`: did you mean `{nearest}`?"),
            None => format!("`{name}` is a value of the input: compare it, as in `{name} > 0`"),
        }
    }

    /// A number.
    fn number(&mut self, node: &SyntaxNode) -> Checked<NumberExpr> {
        let typed = self.typed(node)?;
        self.number_of(typed, node)
    }

    fn number_of(&self, typed: Typed, node: &SyntaxNode) -> Checked<NumberExpr> {
        match typed {
            Typed::Number(number) => Ok(number),
            Typed::Input(input) => Ok(NumberExpr::Input(input)),
            Typed::Set(_) => error(node.column, "expected a number, found a set: write count(…)"),
            other => error(node.column, format!("expected a number, found {}{}", other.describe(), other.advice())),
        }
    }

    /// A set of squares.
    fn set(&mut self, node: &SyntaxNode) -> Checked<SetExpr> {
        let typed = self.typed(node)?;
        self.set_of(typed, node)
    }

    fn set_of(&self, typed: Typed, node: &SyntaxNode) -> Checked<SetExpr> {
        match typed {
            Typed::Set(set) => Ok(set),
            Typed::Bits(bits) => Ok(SetExpr::Constant(bits)),
            Typed::Input(_) => error(node.column, unknown_set(node)),
            other => error(node.column, format!("expected a set, found {}{}", other.describe(), other.advice())),
        }
    }

    /// An expression of any type.
    fn typed(&mut self, node: &SyntaxNode) -> Checked<Typed> {
        Ok(match &node.kind {
            Syntax::Number(number) => Typed::Number(NumberExpr::Constant(*number)),
            Syntax::Integer(number) => Typed::Number(NumberExpr::Integer(*number)),
            Syntax::Bits(bits) => Typed::Bits(*bits),
            Syntax::Text(text) => Typed::Text(text.clone()),
            Syntax::Name(name) => self.name(name, node.column)?,
            Syntax::Column(name) => Typed::Input(self.input(name, node.column)),
            Syntax::Call(name, arguments) => self.call(name, arguments, node.column)?,
            Syntax::Indexed(name, index) => self.indexed(name, index, node.column)?,
            Syntax::Prefix(PrefixSign::Not, inner) => Typed::Truth(not(self.truth(inner)?)),
            Syntax::Prefix(PrefixSign::Complement, inner) => {
                Typed::Set(SetExpr::Complement(Box::new(self.set(inner)?)))
            }
            Syntax::Prefix(PrefixSign::Negative, inner) => Typed::Number(match self.number(inner)? {
                NumberExpr::Constant(number) => NumberExpr::Constant(-number),
                NumberExpr::Integer(number) => NumberExpr::Integer(-number),
                number => NumberExpr::Negative(Box::new(number)),
            }),
            Syntax::Infix(sign, left, right) => self.infix(*sign, left, right)?,
            Syntax::Comparison(relation, left, right) => Typed::Truth(self.comparison(*relation, left, right)?),
            Syntax::All(all) => Typed::Truth(TruthExpr::All(self.truths(all)?)),
            Syntax::Any(any) => Typed::Truth(TruthExpr::Any(self.truths(any)?)),
            Syntax::In(value, list) => Typed::Truth(self.is_in(value, list, node.column)?),
        })
    }

    fn truths(&mut self, all: &[SyntaxNode]) -> Checked<Vec<TruthExpr>> {
        all.iter().map(|node| self.truth(node)).collect::<Checked<Vec<_>>>().map(sorted)
    }

    /// The number of a column of the input.
    fn input(&mut self, name: &str, at: usize) -> InputName {
        let number = self.inputs.iter().position(|known| known == name).unwrap_or_else(|| {
            self.inputs.push(name.to_owned());
            self.inputs.len() - 1
        });
        InputName { number, at }
    }

    fn name(&mut self, name: &str, at: usize) -> Checked<Typed> {
        if let Some(set) = names::set(name) {
            return Ok(Typed::Set(set));
        }
        if let Some(column) = names::product_column(name) {
            return Ok(match column.kind() {
                ColumnKind::Bitboard => Typed::Set(SetExpr::Column(column)),
                ColumnKind::Numbers => Typed::Squares(column),
                ColumnKind::Number => Typed::Number(NumberExpr::Column(column)),
                ColumnKind::Key => Typed::Key(column),
                ColumnKind::Sets => Typed::Sets(column),
                _ => Typed::List(column),
            });
        }
        if let Some((_, color)) = names::TO_MOVE.iter().find(|(other, _)| *other == name) {
            return Ok(Typed::Truth(TruthExpr::Turn(*color)));
        }
        if let Some((_, kind)) = names::PLAYED.iter().find(|(other, _)| *other == name) {
            if self.moves > 0 {
                return error(at, format!("`{name}` is about the recorded move: write it outside of after(…)"));
            }
            return Ok(Typed::Truth(TruthExpr::Played(*kind, self.input(PLAYED_COLUMN, at))));
        }
        Ok(match name {
            names::TURN => Typed::Word(names::TURN),
            names::PHASE => Typed::Word(names::PHASE),
            names::MATERIAL => Typed::Word(names::MATERIAL),
            "true" => Typed::Truth(TruthExpr::Constant(true)),
            "false" => Typed::Truth(TruthExpr::Constant(false)),
            _ => Typed::Input(self.input(name, at)),
        })
    }

    fn indexed(&mut self, name: &str, index: &SyntaxNode, at: usize) -> Checked<Typed> {
        let square = match &index.kind {
            Syntax::Name(name) => names::square(name),
            _ => None,
        };
        let Some(square) = square else { return error(index.column, "expected a square from a1 to h8") };
        match self.name(name, at)? {
            Typed::Squares(column) => Ok(Typed::Number(NumberExpr::At(column, square))),
            Typed::Sets(column) => Ok(Typed::Set(SetExpr::At(column, square))),
            Typed::Set(set) => {
                let square = SetExpr::Constant(square.bitboard());
                Ok(Typed::Set(SetExpr::Infix(InfixSign::Common, Box::new(set), Box::new(square))))
            }
            Typed::Input(_) => error(at, format!("unknown name `{}`{}", shown(name), suggestion(name))),
            other => error(at, format!("{} has no squares", other.describe())),
        }
    }

    fn infix(&mut self, sign: InfixSign, left: &SyntaxNode, right: &SyntaxNode) -> Checked<Typed> {
        let one = self.typed(left)?;
        // The first operand says what `-` does.
        let is_of_numbers = match sign {
            InfixSign::Plus | InfixSign::Times => true,
            InfixSign::Minus => !matches!(one, Typed::Set(_) | Typed::Bits(_)),
            _ => false,
        };
        if is_of_numbers {
            // No operand is checked twice: in a row of operators, that would double the time with each.
            let (one, other) = (self.number_of(one, left)?, self.number(right)?);
            return Ok(Typed::Number(NumberExpr::Infix(sign, Box::new(one), Box::new(other))));
        }
        let one = match one {
            Typed::Truth(_) => return error(left.column, self.joined(sign)),
            other => self.set_of(other, left)?,
        };
        let other = match self.typed(right)? {
            Typed::Truth(_) => return error(right.column, self.joined(sign)),
            other => self.set_of(other, right)?,
        };
        Ok(Typed::Set(SetExpr::Infix(sign, Box::new(one), Box::new(other))))
    }

    fn joined(&self, sign: InfixSign) -> String {
        let word = match sign {
            InfixSign::Common => "; join conditions with `and`",
            InfixSign::Either => "; join conditions with `or`",
            _ => "",
        };
        format!("`{}` expects a set, found a condition{word}", sign.name())
    }

    fn comparison(&mut self, relation: Relation, left: &SyntaxNode, right: &SyntaxNode) -> Checked<TruthExpr> {
        let one = self.typed(left)?;
        if let Typed::Word(word) = one {
            return self.word(word, relation, right);
        }
        let other = self.typed(right)?;
        match (one, other) {
            (_, Typed::Word(word)) => self.word(word, relation.reversed(), left),
            (Typed::Key(column), Typed::Bits(key)) => self.key(column, left.column, relation, key, right.column),
            (Typed::Bits(key), Typed::Key(column)) => self.key(column, right.column, relation, key, left.column),
            (one @ (Typed::Set(_) | Typed::Bits(_)), other @ (Typed::Set(_) | Typed::Bits(_))) => {
                let same = TruthExpr::SameSets(self.set_of(one, left)?, self.set_of(other, right)?);
                equal_or_not(relation, same, right.column, "sets")
            }
            (Typed::Input(one), Typed::Input(other)) => Ok(TruthExpr::Input(one, InputTest::Other(relation, other))),
            (Typed::Input(input), Typed::Text(text)) => Ok(TruthExpr::Input(input, InputTest::Text(relation, text))),
            (Typed::Text(text), Typed::Input(input)) => {
                Ok(TruthExpr::Input(input, InputTest::Text(relation.reversed(), text)))
            }
            (Typed::Input(input), Typed::Number(NumberExpr::Integer(number))) => {
                Ok(TruthExpr::Input(input, InputTest::Integer(relation, number)))
            }
            (Typed::Number(NumberExpr::Integer(number)), Typed::Input(input)) => {
                Ok(TruthExpr::Input(input, InputTest::Integer(relation.reversed(), number)))
            }
            (Typed::Input(input), Typed::Truth(TruthExpr::Constant(flag)))
            | (Typed::Truth(TruthExpr::Constant(flag)), Typed::Input(input)) => match relation {
                Relation::Equal => Ok(TruthExpr::Input(input, InputTest::Flag(flag))),
                Relation::NotEqual => Ok(TruthExpr::Input(input, InputTest::Flag(!flag))),
                _ => error(right.column, "expected `=` or `!=` between truth values"),
            },
            (Typed::Set(_) | Typed::Bits(_), Typed::Number(_)) => {
                error(left.column, "cannot compare a set with a number: write count(…)")
            }
            (Typed::Number(_), Typed::Set(_) | Typed::Bits(_)) => {
                error(right.column, "cannot compare a number with a set: write count(…)")
            }
            (Typed::Input(_), Typed::Set(_)) => error(left.column, unknown_set(left)),
            (Typed::Set(_), Typed::Input(_)) => error(right.column, unknown_set(right)),
            (Typed::Text(_), Typed::Text(_)) => {
                error(left.column, "expected a value of the input to compare with a text, found another text")
            }
            (one, other) => {
                let (one, other) = (self.number_of(one, left)?, self.number_of(other, right)?);
                Ok(TruthExpr::Numbers(relation, one, other))
            }
        }
    }

    fn key(
        &self,
        column: &'static ProductColumn,
        at: usize,
        relation: Relation,
        key: u64,
        place: usize,
    ) -> Checked<TruthExpr> {
        equal_or_not(relation, TruthExpr::Key(KeyColumn { column, at }, vec![key]), place, "keys")
    }

    /// `turn`, `phase` or `material`, compared with a word.
    fn word(&mut self, word: &'static str, relation: Relation, value: &SyntaxNode) -> Checked<TruthExpr> {
        let truth = self.word_is(word, value)?;
        equal_or_not(relation, truth, value.column, "these")
    }

    fn word_is(&mut self, word: &'static str, value: &SyntaxNode) -> Checked<TruthExpr> {
        let text = match &value.kind {
            Syntax::Name(text) | Syntax::Text(text) => text.as_str(),
            _ => "",
        };
        match word {
            names::TURN => match Color::ALL.into_iter().find(|color| color.name() == text) {
                Some(color) => Ok(TruthExpr::Turn(color)),
                None => error(value.column, "expected `white` or `black` as the side to move"),
            },
            names::PHASE => {
                let is_it = phases::NAMES.map(|name| name == text);
                if is_it.contains(&true) {
                    return Ok(TruthExpr::Phase(is_it));
                }
                error(value.column, format!("expected one of {}", phases::NAMES.join(", ")))
            }
            _ => match &value.kind {
                Syntax::Text(text) => patterns::material(text, value.column),
                _ => error(value.column, "expected the letters of all pieces, such as \"KRPkr\""),
            },
        }
    }

    fn is_in(&mut self, value: &SyntaxNode, list: &[SyntaxNode], at: usize) -> Checked<TruthExpr> {
        if list.is_empty() {
            return error(at, "expected values in the list after `in`, found none");
        }
        match self.typed(value)? {
            Typed::Word(word) => {
                let any = list.iter().map(|item| self.word_is(word, item)).collect::<Checked<_>>()?;
                Ok(TruthExpr::Any(any))
            }
            Typed::Input(input) => {
                let literals = list.iter().map(|item| self.literal(item)).collect::<Checked<_>>()?;
                Ok(TruthExpr::Input(input, InputTest::In(literals)))
            }
            Typed::Key(column) => {
                let keys = list.iter().map(|item| match item.kind {
                    Syntax::Bits(key) => Ok(key),
                    _ => error(item.column, "expected a key, such as 0x463b96181691fc9c"),
                });
                Ok(TruthExpr::Key(KeyColumn { column, at: value.column }, keys.collect::<Checked<_>>()?))
            }
            Typed::Set(_) | Typed::Bits(_) => error(
                value.column,
                "`in` looks for numbers and texts in a list; squares that two sets share are `a & b`",
            ),
            other => {
                let number = self.number_of(other, value)?;
                self.grow(size(ExprRef::Number(&number)) * list.len(), at)?;
                let equal =
                    |item: &SyntaxNode| Ok(TruthExpr::Numbers(Relation::Equal, number.clone(), self.number(item)?));
                Ok(TruthExpr::Any(list.iter().map(equal).collect::<Checked<_>>()?))
            }
        }
    }

    fn literal(&mut self, node: &SyntaxNode) -> Checked<Literal> {
        match self.typed(node)? {
            Typed::Text(text) => Ok(Literal::Text(text)),
            Typed::Number(NumberExpr::Constant(number)) => Ok(Literal::Number(number)),
            Typed::Number(NumberExpr::Integer(number)) => Ok(Literal::Integer(number)),
            _ => error(node.column, "expected a number or a text in quotation marks"),
        }
    }

    fn call(&mut self, name: &str, arguments: &[SyntaxNode], at: usize) -> Checked<Typed> {
        if name == names::MATERIAL {
            let [text] = self.arguments(arguments, at, "material(\"KRPkr\")")?;
            return patterns::material(self.text(text)?, text.column).map(Typed::Truth);
        }
        let Some((name, usage)) = names::FUNCTIONS.iter().find(|(other, _)| *other == name) else {
            let what = match names::set(name).is_some() || names::product_column(name).is_some() {
                true => format!("`{name}` is no function: write it without brackets"),
                false => {
                    format!("unknown function `{}`{}", shown(name), did_you_mean(names::nearest_function(name)))
                }
            };
            return error(at, what);
        };
        if let Some(step) = names::step(name) {
            let [set] = self.arguments(arguments, at, usage)?;
            return Ok(Typed::Set(SetExpr::Shifted(step, Box::new(self.set(set)?))));
        }
        Ok(match *name {
            "count" => {
                let [set] = self.arguments(arguments, at, usage)?;
                Typed::Number(match self.typed(set)? {
                    Typed::List(column) => NumberExpr::ListLength(column),
                    Typed::Truth(_) => {
                        return error(
                            set.column,
                            "expected a set to count, found a condition; count_moves counts moves",
                        );
                    }
                    other => NumberExpr::Count(self.set_of(other, set)?),
                })
            }
            "sum" | "max" => {
                let [numbers, set] = self.arguments(arguments, at, usage)?;
                let column = match self.typed(numbers)? {
                    Typed::Squares(column) => column,
                    other => {
                        let what = format!(
                            "expected a product with 64 numbers, such as white_attackers, found {}",
                            other.describe()
                        );
                        return error(numbers.column, what);
                    }
                };
                let set = self.set(set)?;
                Typed::Number(if *name == "sum" { NumberExpr::Sum(column, set) } else { NumberExpr::Max(column, set) })
            }
            "abs" => {
                let [number] = self.arguments(arguments, at, usage)?;
                Typed::Number(NumberExpr::Absolute(Box::new(self.number(number)?)))
            }
            "if" => {
                let [condition, one, other] = self.arguments(arguments, at, usage)?;
                let numbers = [self.number(one)?, self.number(other)?];
                Typed::Number(NumberExpr::If(Box::new(self.truth(condition)?), Box::new(numbers)))
            }
            "flipped" => {
                let [set] = self.arguments(arguments, at, usage)?;
                Typed::Set(SetExpr::Flipped(Box::new(self.set(set)?)))
            }
            "between" => {
                let [one, other] = self.arguments(arguments, at, usage)?;
                Typed::Set(SetExpr::Between(Box::new(self.set(one)?), Box::new(self.set(other)?)))
            }
            "attacks_of" => {
                let [piece, set] = self.arguments(arguments, at, usage)?;
                Typed::Set(SetExpr::AttacksOf(attacker(piece)?, Box::new(self.set(set)?)))
            }
            "files" => {
                let [area] = self.arguments(arguments, at, usage)?;
                Typed::Set(SetExpr::Constant(patterns::files(area)?))
            }
            "ranks" => {
                let [area] = self.arguments(arguments, at, usage)?;
                Typed::Set(SetExpr::Constant(patterns::ranks(area)?))
            }
            "starts_with" => Typed::Truth(self.starts_with(arguments, at, usage)?),
            "either" => Typed::Truth(self.either(Symmetry::Colors, arguments, at, usage)?),
            "mirrored" => Typed::Truth(self.either(Symmetry::Files, arguments, at, usage)?),
            "after" => Typed::Truth(TruthExpr::After(Box::new(self.after(arguments, at, usage)?))),
            "count_moves" => Typed::Number(NumberExpr::Moves(Box::new(self.after(arguments, at, usage)?))),
            "board" => {
                let [text] = self.arguments(arguments, at, usage)?;
                Typed::Truth(patterns::board(self.text(text)?, text.column)?)
            }
            _ => {
                let [text] = self.arguments(arguments, at, usage)?;
                Typed::Truth(patterns::imbalance(self.text(text)?, text.column)?)
            }
        })
    }

    /// As many arguments as a function has.
    fn arguments<'n, const N: usize>(
        &self,
        arguments: &'n [SyntaxNode],
        at: usize,
        usage: &str,
    ) -> Checked<[&'n SyntaxNode; N]> {
        let found: Vec<&SyntaxNode> = arguments.iter().collect();
        found.try_into().or_else(|_| error(at, format!("expected {usage}")))
    }

    fn text<'n>(&self, node: &'n SyntaxNode) -> Checked<&'n str> {
        match &node.kind {
            Syntax::Text(text) => Ok(text),
            _ => error(node.column, "expected a text in quotation marks"),
        }
    }

    fn starts_with(&mut self, arguments: &[SyntaxNode], at: usize, usage: &str) -> Checked<TruthExpr> {
        let Some((value, prefixes @ [_, ..])) = arguments.split_first() else {
            return error(at, format!("expected {usage}"));
        };
        let Typed::Input(input) = self.typed(value)? else {
            return error(value.column, "expected a value of the input, such as ECO");
        };
        let prefixes = prefixes.iter().map(|prefix| self.text(prefix).map(str::to_owned)).collect::<Checked<_>>()?;
        Ok(TruthExpr::Input(input, InputTest::StartsWith(prefixes)))
    }

    /// A condition, or the same for a mirror image.
    fn either(&mut self, symmetry: Symmetry, arguments: &[SyntaxNode], at: usize, usage: &str) -> Checked<TruthExpr> {
        let [node] = self.arguments(arguments, at, usage)?;
        let truth = self.truth(node)?;
        self.grow(size(ExprRef::Truth(&truth)), at)?;
        let image = symmetry.truth(&truth)?;
        Ok(TruthExpr::Any(vec![truth, image]))
    }

    /// Counts parts that are copies of others.
    fn grow(&mut self, parts: usize, at: usize) -> Checked<()> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts > MOST_PARTS {
            let what = "`either` and `mirrored` double what is within them, and `in` repeats what is before it";
            return error(at, format!("more than {MOST_PARTS} parts: {what}"));
        }
        Ok(())
    }

    fn after(&mut self, arguments: &[SyntaxNode], at: usize, usage: &str) -> Checked<TruthExpr> {
        let [node] = self.arguments(arguments, at, usage)?;
        if self.moves == MOST_AFTER {
            return error(at, format!("moves are nested more than {MOST_AFTER} levels deep"));
        }
        self.moves += 1;
        let truth = self.truth(node);
        self.moves -= 1;
        truth
    }
}

fn not(truth: TruthExpr) -> TruthExpr {
    match truth {
        TruthExpr::Not(inner) => *inner,
        truth => TruthExpr::Not(Box::new(truth)),
    }
}

fn is_positive(number: NumberExpr) -> TruthExpr {
    TruthExpr::Numbers(Relation::Greater, number, NumberExpr::Constant(0.0))
}

/// Whether a number says by itself whether something is there.
fn is_of_position(number: &NumberExpr) -> bool {
    !matches!(
        number,
        NumberExpr::Constant(_)
            | NumberExpr::Integer(_)
            | NumberExpr::Input(_)
            | NumberExpr::Infix(..)
            | NumberExpr::Negative(_)
            | NumberExpr::Absolute(_)
            | NumberExpr::If(..)
    )
}

fn equal_or_not(relation: Relation, truth: TruthExpr, at: usize, what: &str) -> Checked<TruthExpr> {
    match relation {
        Relation::Equal => Ok(truth),
        Relation::NotEqual => Ok(not(truth)),
        _ => error(at, format!("{what} have no order: expected `=` or `!=`")),
    }
}

fn suggestion(name: &str) -> String {
    did_you_mean(names::nearest(name))
}

fn unknown_set(node: &SyntaxNode) -> String {
    match &node.kind {
        Syntax::Name(name) => format!("unknown set `{}`{}", shown(name), suggestion(name)),
        _ => "expected a set, found a value of the input".to_owned(),
    }
}

fn attacker(node: &SyntaxNode) -> Checked<Attacker> {
    let name = match &node.kind {
        Syntax::Name(name) => name.as_str(),
        _ => "",
    };
    match name {
        "white_pawn" => Ok(Attacker::Pawn(Color::White)),
        "black_pawn" => Ok(Attacker::Pawn(Color::Black)),
        _ => match Piece::ALL.into_iter().find(|piece| *piece != Piece::Pawn && piece.name() == name) {
            Some(piece) => Ok(Attacker::Piece(piece)),
            None => error(
                node.column,
                "expected a kind of piece: white_pawn, black_pawn, knight, bishop, rook, queen or king",
            ),
        },
    }
}
