//! Words whose value is not known: every operation on them is recorded, not computed.
//!
//! A [`Term`] is the number of a [`Node`] in an arena, one per thread. A node names the operation and its operands. The
//! same operation on the same operands is the same term. Nothing is simplified: the arena holds what the kernel did.
//! The meaning of a node is defined three times, each time in one match: as a number ([`Term::evaluate`]), as clauses
//! ([`super::cnf`]) and as SMT-LIB ([`super::smt`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use crate::batch::kernel::lines::Word;

/// A word of 1 to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Term(u32);

/// The definition of a term. The operands of logic, arithmetic and shifts are as wide as the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// Any value.
    Variable(&'static str),
    Constant(u64),
    Not(Term),
    And(Term, Term),
    Or(Term, Term),
    Xor(Term, Term),
    /// Wrapping.
    Add(Term, Term),
    /// Wrapping.
    Sub(Term, Term),
    /// The first, shifted up by the second. A shift by the width or more gives zero.
    Shl(Term, Term),
    /// The first, shifted down by the second. A shift by the width or more gives zero.
    Shr(Term, Term),
    /// One bit: whether both are equal.
    Equal(Term, Term),
    /// One bit: whether the first is less, unsigned.
    Less(Term, Term),
    /// The second if the first, which is one bit, is set; otherwise the third.
    Choose(Term, Term, Term),
    /// The first in the high bits, the second in the low bits.
    Concat(Term, Term),
    /// As many bits as the node is wide, from this bit on.
    Extract(Term, u32),
}

/// A part of a term: the part, its definition, and its width.
pub(super) type Part = (Term, Node, u32);

#[derive(Default)]
struct Arena {
    /// Each node with its width. Operands come before the nodes that use them.
    nodes: Vec<(Node, u32)>,
    terms: HashMap<(Node, u32), Term>,
    promises: Vec<Term>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

impl Term {
    fn new(node: Node, width: u32) -> Term {
        assert!((1..=64).contains(&width), "a term of {width} bits");
        ARENA.with_borrow_mut(|arena| {
            let next = Term(arena.nodes.len() as u32);
            let term = *arena.terms.entry((node, width)).or_insert(next);
            if term == next {
                arena.nodes.push((node, width));
            }
            term
        })
    }

    fn node(self) -> (Node, u32) {
        ARENA.with_borrow(|arena| arena.nodes[self.number()])
    }

    /// The index in the arena, which is lower for operands than for the terms that use them.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    pub(super) fn width(self) -> u32 {
        self.node().1
    }

    pub(super) fn variable(name: &'static str, width: u32) -> Term {
        Term::new(Node::Variable(name), width)
    }

    pub(super) fn constant(value: u64, width: u32) -> Term {
        assert_eq!(value, value & mask(width), "a constant of {width} bits");
        Term::new(Node::Constant(value), width)
    }

    /// An operation of two operands of one width. The result is as wide.
    fn alike(self, other: Term, node: fn(Term, Term) -> Node) -> Term {
        assert_eq!(self.width(), other.width());
        Term::new(node(self, other), self.width())
    }

    pub(super) fn wrapping_add(self, other: Term) -> Term {
        self.alike(other, Node::Add)
    }

    pub(super) fn wrapping_sub(self, other: Term) -> Term {
        self.alike(other, Node::Sub)
    }

    pub(super) fn equals(self, other: Term) -> Term {
        assert_eq!(self.width(), other.width());
        Term::new(Node::Equal(self, other), 1)
    }

    pub(super) fn less(self, other: Term) -> Term {
        assert_eq!(self.width(), other.width());
        Term::new(Node::Less(self, other), 1)
    }

    /// `yes` if `self`, which is one bit, is set; otherwise `no`.
    pub(super) fn choose(self, yes: Term, no: Term) -> Term {
        assert_eq!((self.width(), yes.width()), (1, no.width()));
        Term::new(Node::Choose(self, yes, no), yes.width())
    }

    /// `self` in the high bits, `low` in the low bits.
    pub(super) fn above(self, low: Term) -> Term {
        Term::new(Node::Concat(self, low), self.width() + low.width())
    }

    /// `width` bits from the bit `low` on.
    pub(super) fn extract(self, low: u32, width: u32) -> Term {
        assert!(low + width <= self.width());
        Term::new(Node::Extract(self, low), width)
    }

    /// The same number in more bits.
    pub(super) fn widened(self, width: u32) -> Term {
        Term::constant(0, width - self.width()).above(self)
    }

    /// Records that `self`, one bit, must be set for an operation to be used correctly. It is proven with the rest.
    pub(super) fn promise(self) {
        assert_eq!(self.width(), 1);
        ARENA.with_borrow_mut(|arena| arena.promises.push(self));
    }

    /// The terms that `self` is made of, operands first, itself last.
    pub(super) fn parts(self) -> Vec<Part> {
        let mut needed = vec![false; self.number() + 1];
        needed[self.number()] = true;
        let mut parts = Vec::new();
        for term in (0..=self.0).rev().map(Term) {
            if needed[term.number()] {
                let (node, width) = term.node();
                node.operands().for_each(|operand| needed[operand.number()] = true);
                parts.push((term, node, width));
            }
        }
        parts.reverse();
        parts
    }

    /// The term's value, given the values of the variables.
    pub(super) fn evaluate(self, variable: impl Fn(&str) -> u64) -> u64 {
        evaluate(&self.parts(), variable)
    }
}

/// The value of a term, the last of these [parts](Term::parts), given the values of the variables.
pub(super) fn evaluate(parts: &[Part], variable: impl Fn(&str) -> u64) -> u64 {
    let number = parts.last().expect("a term is one of its parts").0.number();
    let mut values = vec![0; number + 1];
    for &(term, node, width) in parts {
        let of = |operand: Term| values[operand.number()];
        let value = match node {
            Node::Variable(name) => variable(name),
            Node::Constant(value) => value,
            Node::Not(a) => !of(a),
            Node::And(a, b) => of(a) & of(b),
            Node::Or(a, b) => of(a) | of(b),
            Node::Xor(a, b) => of(a) ^ of(b),
            Node::Add(a, b) => of(a).wrapping_add(of(b)),
            Node::Sub(a, b) => of(a).wrapping_sub(of(b)),
            Node::Shl(a, by) if of(by) < u64::from(width) => of(a) << of(by),
            Node::Shr(a, by) if of(by) < u64::from(width) => of(a) >> of(by),
            Node::Shl(..) | Node::Shr(..) => 0,
            Node::Equal(a, b) => u64::from(of(a) == of(b)),
            Node::Less(a, b) => u64::from(of(a) < of(b)),
            Node::Choose(condition, yes, no) => of(if of(condition) == 1 { yes } else { no }),
            Node::Concat(high, low) => of(high) << low.width() | of(low),
            Node::Extract(a, low) => of(a) >> low,
        };
        values[term.number()] = value & mask(width);
    }
    values[number]
}

/// A word whose lowest `width` bits are ones.
fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl Node {
    fn operands(self) -> impl Iterator<Item = Term> {
        use Node::*;
        let operands = match self {
            Variable(_) | Constant(_) => [None; 3],
            Not(a) | Extract(a, _) => [Some(a), None, None],
            And(a, b) | Or(a, b) | Xor(a, b) | Add(a, b) | Sub(a, b) | Shl(a, b) | Shr(a, b) => {
                [Some(a), Some(b), None]
            }
            Equal(a, b) | Less(a, b) | Concat(a, b) => [Some(a), Some(b), None],
            Choose(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }
}

/// The result of `compute`, and a term that says whether every promise was kept.
pub(super) fn with_promises<T>(compute: impl FnOnce() -> T) -> (T, Term) {
    ARENA.with_borrow_mut(|arena| arena.promises.clear());
    let result = compute();
    let promises = ARENA.with_borrow_mut(|arena| std::mem::take(&mut arena.promises));
    (result, promises.into_iter().fold(Term::constant(1, 1), |all, promise| all & promise))
}

impl BitAnd for Term {
    type Output = Term;

    fn bitand(self, other: Term) -> Term {
        self.alike(other, Node::And)
    }
}

impl BitOr for Term {
    type Output = Term;

    fn bitor(self, other: Term) -> Term {
        self.alike(other, Node::Or)
    }
}

impl BitXor for Term {
    type Output = Term;

    fn bitxor(self, other: Term) -> Term {
        self.alike(other, Node::Xor)
    }
}

impl Not for Term {
    type Output = Term;

    fn not(self) -> Term {
        Term::new(Node::Not(self), self.width())
    }
}

/// As in Rust, the difference must not overflow, and shifts must be by less than the width. These are promises.
impl Sub for Term {
    type Output = Term;

    fn sub(self, other: Term) -> Term {
        (!self.less(other)).promise();
        self.wrapping_sub(other)
    }
}

impl Shl for Term {
    type Output = Term;

    fn shl(self, by: Term) -> Term {
        by.less(Term::constant(u64::from(self.width()), self.width())).promise();
        self.alike(by, Node::Shl)
    }
}

impl Shr for Term {
    type Output = Term;

    fn shr(self, by: Term) -> Term {
        by.less(Term::constant(u64::from(self.width()), self.width())).promise();
        self.alike(by, Node::Shr)
    }
}

impl From<u64> for Term {
    fn from(value: u64) -> Term {
        Term::constant(value, 64)
    }
}

impl Word for Term {
    fn wrapping_sub(self, other: Term) -> Term {
        Term::wrapping_sub(self, other)
    }

    fn rotate_left(self, by: Term) -> Term {
        // A right shift by 64 bits gives zero, which is right for a rotation by 0.
        let rest = Term::from(64).wrapping_sub(by);
        self << by | self.alike(rest, Node::Shr)
    }

    fn leading_zeros(self) -> Term {
        (0..64).fold(Term::from(64), |zeros, bit| self.extract(bit, 1).choose(Term::from(63 - u64::from(bit)), zeros))
    }

    fn swap_bytes(self) -> Term {
        (1..8).fold(self.extract(0, 8), |swapped, byte| swapped.above(self.extract(8 * byte, 8)))
    }
}

#[test]
fn a_shift_by_the_width_or_more_gives_zero() {
    let (a, by) = (Term::variable("a", 64), Term::variable("by", 64));
    let (up, down) = (a.alike(by, Node::Shl), a.alike(by, Node::Shr));
    for (by, shifted_up, shifted_down) in [(63, 1 << 63, 1), (64, 0, 0), (65, 0, 0), (u64::MAX, 0, 0)] {
        let value = |name: &str| if name == "a" { u64::MAX } else { by };
        assert_eq!([up, down].map(|shift| shift.evaluate(value)), [shifted_up, shifted_down], "by {by}");
    }
}
