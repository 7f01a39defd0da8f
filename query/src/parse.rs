//! From words and signs to a tree: which operator takes which operands.
//!
//! | operators, from those that bind least | operands |
//! |---|---|
//! | `or` | conditions |
//! | `and` | conditions |
//! | `not` | a condition |
//! | `=` (also `==`), `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in` | numbers, sets, texts |
//! | <code>&#124;</code> | sets |
//! | `^` | sets |
//! | `&` | sets |
//! | `+`, `-` | numbers; `-` also sets |
//! | `*` | numbers |
//! | `~`, `-` before an operand | a set, a number |
//! | `[…]` after a name | a square |

use crate::error::{Checked, QueryError};
use crate::token::{QueryToken, TokenKind, tokens};

/// The most bytes of a text.
pub const MOST_BYTES: usize = 16 << 10;
/// How deep brackets and prefixes may be nested.
const MOST_NESTED: usize = 64;
/// How many operators may stand between two sets or numbers in all. In a row, they make the tree as deep.
const MOST_INFIX: usize = 256;

/// A part of the tree, and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxNode {
    /// The byte of the text, from 1.
    pub column: usize,
    /// What it is.
    pub kind: Syntax,
}

/// The kinds of parts of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Syntax {
    /// A decimal number.
    Number(f64),
    /// A whole number of more than 53 bits.
    Integer(i128),
    /// A number with `0x`.
    Bits(u64),
    /// Text.
    Text(String),
    /// A name.
    Name(String),
    /// A name in backquotes.
    Column(String),
    /// A call of a function.
    Call(String, Vec<SyntaxNode>),
    /// A name with a square.
    Indexed(String, Box<SyntaxNode>),
    /// An operator before its operand.
    Prefix(PrefixSign, Box<SyntaxNode>),
    /// An operator between two operands.
    Infix(InfixSign, Box<SyntaxNode>, Box<SyntaxNode>),
    /// A comparison.
    Comparison(Relation, Box<SyntaxNode>, Box<SyntaxNode>),
    /// All of these conditions.
    All(Vec<SyntaxNode>),
    /// One of these conditions.
    Any(Vec<SyntaxNode>),
    /// A value that is in a list.
    In(Box<SyntaxNode>, Vec<SyntaxNode>),
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixSign {
    /// `not`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negative,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InfixSign {
    /// `&`
    Common,
    /// `|`
    Either,
    /// `^`
    Different,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=` or `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl InfixSign {
    /// The sign as it is written.
    pub fn name(self) -> &'static str {
        INFIX.iter().find(|(_, sign, _)| *sign == self).map_or("", |(name, ..)| name)
    }
}

impl Relation {
    fn of(sign: &str) -> Option<Relation> {
        Some(match sign {
            "=" | "==" => Relation::Equal,
            "!=" => Relation::NotEqual,
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            ">" => Relation::Greater,
            ">=" => Relation::AtLeast,
            _ => return None,
        })
    }

    /// The same with the operands exchanged.
    pub fn reversed(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::AtMost => Relation::AtLeast,
            Relation::Greater => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
            same => same,
        }
    }
}

/// How strongly operators bind.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const PREFIX: u8 = 10;

/// The other operators, each with its strength.
const INFIX: [(&str, InfixSign, u8); 6] = [
    ("|", InfixSign::Either, 5),
    ("^", InfixSign::Different, 6),
    ("&", InfixSign::Common, 7),
    ("+", InfixSign::Plus, 8),
    ("-", InfixSign::Minus, 8),
    ("*", InfixSign::Times, 9),
];

/// The tree of a text.
///
/// # Errors
///
/// The text is too long, its words are no condition, or it is nested too deeply.
pub fn parse(text: &str) -> Checked<SyntaxNode> {
    if text.len() > MOST_BYTES {
        return Err(QueryError::new(MOST_BYTES + 1, format!("a condition has at most {MOST_BYTES} bytes")));
    }
    let mut parser = QueryParser { tokens: tokens(text)?, at: 0, depth: 0, infix: 0 };
    if parser.tokens.len() == 1 {
        return Err(QueryError::new(1, "expected a condition, found none"));
    }
    let node = parser.expression(OR)?;
    match parser.kind() {
        TokenKind::End => Ok(node),
        found => Err(parser.error(format!("expected an operator or the end, found {}", found.describe()))),
    }
}

/// The words and signs, and how far they have been read.
struct QueryParser<'t> {
    tokens: Vec<QueryToken<'t>>,
    at: usize,
    /// How many levels deep this is, and how many operators between sets and numbers there were.
    depth: usize,
    infix: usize,
}

/// What may follow an operand.
enum Operator {
    Any,
    All,
    Compare(Relation),
    In { is_negated: bool },
    Infix(InfixSign),
}

impl<'t> QueryParser<'t> {
    fn kind(&self) -> &TokenKind<'t> {
        &self.tokens[self.at].kind
    }

    fn column(&self) -> usize {
        self.tokens[self.at].column
    }

    fn error(&self, what: impl Into<String>) -> QueryError {
        QueryError::new(self.column(), what)
    }

    /// Takes the next token, which is never the end.
    fn next(&mut self) -> TokenKind<'t> {
        let kind = self.kind().clone();
        self.at += 1;
        kind
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Sign(found) if *found == sign)
    }

    /// Whether a token from here on is this word.
    fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.tokens.get(self.at + ahead).map(|token| &token.kind);
        matches!(token, Some(TokenKind::Name(found)) if found.eq_ignore_ascii_case(word))
    }

    fn expect(&mut self, sign: &'static str, purpose: &str) -> Checked<()> {
        if self.is_sign(sign) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(format!("expected `{sign}` {purpose}, found {}", self.kind().describe())))
    }

    /// Calls `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut QueryParser<'t>) -> Checked<T>) -> Checked<T> {
        if self.depth == MOST_NESTED {
            return Err(self.error(format!("nested more than {MOST_NESTED} levels deep")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// The next operator, how many tokens it has, and how strongly it binds.
    fn operator(&self) -> Option<(Operator, usize, u8)> {
        match self.kind() {
            TokenKind::Sign(sign) => match Relation::of(sign) {
                Some(relation) => Some((Operator::Compare(relation), 1, COMPARE)),
                None => {
                    let &(_, sign, strength) = INFIX.iter().find(|(name, ..)| name == sign)?;
                    Some((Operator::Infix(sign), 1, strength))
                }
            },
            _ if self.is_word(0, "or") => Some((Operator::Any, 1, OR)),
            _ if self.is_word(0, "and") => Some((Operator::All, 1, AND)),
            _ if self.is_word(0, "in") => Some((Operator::In { is_negated: false }, 1, COMPARE)),
            _ if self.is_word(0, "not") && self.is_word(1, "in") => {
                Some((Operator::In { is_negated: true }, 2, COMPARE))
            }
            _ => None,
        }
    }

    /// An expression of operators that bind at least as strongly.
    fn expression(&mut self, least: u8) -> Checked<SyntaxNode> {
        let mut left = self.operand()?;
        let mut most = u8::MAX;
        while let Some((operator, length, strength)) = self.operator().filter(|(.., strength)| *strength >= least) {
            // What binds more strongly than an operator before it has been read with that one's right operand.
            if strength > most {
                return Err(self.error("comparisons cannot follow each other: join them with `and`"));
            }
            let column = left.column;
            self.at += length;
            let kind = match operator {
                Operator::Any => Syntax::Any(self.chain(left, "or", AND)?),
                Operator::All => Syntax::All(self.chain(left, "and", NOT)?),
                Operator::Compare(relation) => {
                    most = COMPARE - 1;
                    let right = self.nested(|parser| parser.expression(COMPARE + 1))?;
                    Syntax::Comparison(relation, Box::new(left), Box::new(right))
                }
                Operator::In { is_negated } => {
                    most = COMPARE - 1;
                    self.expect("(", "and a list after `in`")?;
                    let kind = Syntax::In(Box::new(left), self.list()?);
                    match is_negated {
                        true => Syntax::Prefix(PrefixSign::Not, Box::new(SyntaxNode { column, kind })),
                        false => kind,
                    }
                }
                Operator::Infix(_) if self.infix == MOST_INFIX => {
                    return Err(self.error(format!("more than {MOST_INFIX} operators between sets and numbers")));
                }
                Operator::Infix(sign) => {
                    self.infix += 1;
                    let right = self.nested(|parser| parser.expression(strength + 1))?;
                    Syntax::Infix(sign, Box::new(left), Box::new(right))
                }
            };
            left = SyntaxNode { column, kind };
        }
        Ok(left)
    }

    /// Operands joined by one word. The first operand and the first word have been read.
    fn chain(&mut self, first: SyntaxNode, word: &str, least: u8) -> Checked<Vec<SyntaxNode>> {
        let mut all = vec![first];
        loop {
            all.push(self.nested(|parser| parser.expression(least))?);
            if !self.is_word(0, word) {
                return Ok(all);
            }
            self.at += 1;
        }
    }

    /// An operand, with the operators before it and an index after it.
    fn operand(&mut self) -> Checked<SyntaxNode> {
        let column = self.column();
        let prefix = match self.kind() {
            TokenKind::Sign("~") => Some((PrefixSign::Complement, PREFIX)),
            TokenKind::Sign("-") => Some((PrefixSign::Negative, PREFIX)),
            _ if self.is_word(0, "not") => Some((PrefixSign::Not, NOT)),
            _ => None,
        };
        if let Some((sign, strength)) = prefix {
            self.at += 1;
            let operand = self.nested(|parser| parser.expression(strength))?;
            return Ok(SyntaxNode { column, kind: Syntax::Prefix(sign, Box::new(operand)) });
        }
        let expected = |found: &TokenKind<'_>| {
            QueryError::new(
                column,
                format!("expected a name, a number, a text or a bracket, found {}", found.describe()),
            )
        };
        if matches!(self.kind(), TokenKind::End) || self.operator().is_some() {
            return Err(expected(self.kind()));
        }
        let kind = match self.next() {
            TokenKind::Number(number) => Syntax::Number(number),
            TokenKind::Integer(number) => Syntax::Integer(number),
            TokenKind::Bits(bits) => Syntax::Bits(bits),
            TokenKind::Text(text) => Syntax::Text(text),
            TokenKind::Column(name) => Syntax::Column(name.to_owned()),
            TokenKind::Sign("(") => {
                let inner = self.nested(|parser| parser.expression(OR))?;
                self.expect(")", "to close the bracket")?;
                return Ok(inner);
            }
            TokenKind::Name(name) if self.is_sign("(") => {
                self.at += 1;
                Syntax::Call(name.to_owned(), self.list()?)
            }
            TokenKind::Name(name) if self.is_sign("[") => {
                self.at += 1;
                let index = self.nested(|parser| parser.expression(OR))?;
                self.expect("]", "after the square")?;
                Syntax::Indexed(name.to_owned(), Box::new(index))
            }
            TokenKind::Name(name) => Syntax::Name(name.to_owned()),
            found @ (TokenKind::Sign(_) | TokenKind::End) => return Err(expected(&found)),
        };
        Ok(SyntaxNode { column, kind })
    }

    /// Expressions up to the bracket that closes the list, which has been opened.
    fn list(&mut self) -> Checked<Vec<SyntaxNode>> {
        let mut list = Vec::new();
        if self.is_sign(")") {
            self.at += 1;
            return Ok(list);
        }
        loop {
            list.push(self.nested(|parser| parser.expression(OR))?);
            if self.is_sign(",") {
                self.at += 1;
                continue;
            }
            self.expect(")", "or `,`")?;
            return Ok(list);
        }
    }
}
