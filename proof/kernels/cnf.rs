//! Terms as clauses, for SAT solvers.
//!
//! A term becomes one literal per bit. An operation on bits becomes gates, and a gate becomes the clauses of its truth
//! table. A gate with a constant operand, or with the same operand twice, is simplified away.

use std::collections::HashMap;

use super::term::{Node, Term};

/// The number of a variable, from 1 on; negative for its negation, as in DIMACS files.
pub(super) type Literal = i32;

/// A literal that is always true, because a clause says so.
const TRUE: Literal = 1;
const FALSE: Literal = -TRUE;

/// Clauses, each of which must have a true literal.
pub(super) struct Cnf {
    pub(super) clauses: Vec<Vec<Literal>>,
    pub(super) variables: i32,
    /// The literals of each variable of the terms, lowest bit first.
    inputs: HashMap<&'static str, Vec<Literal>>,
    ands: HashMap<[Literal; 2], Literal>,
    xors: HashMap<[Literal; 2], Literal>,
}

/// Values of the variables for which a claim does not hold.
pub(super) type Counterexample = HashMap<&'static str, u64>;

impl Cnf {
    /// Clauses that are satisfiable if `claim`, one bit, can be false.
    pub(super) fn refuting(claim: Term) -> Cnf {
        let mut cnf = Cnf {
            clauses: vec![vec![TRUE]],
            variables: TRUE,
            inputs: HashMap::new(),
            ands: HashMap::new(),
            xors: HashMap::new(),
        };
        let bits = cnf.bits(claim);
        cnf.clauses.push(vec![-bits[0]]);
        cnf
    }

    /// The values of the terms' variables in a model, which holds the value of each solver variable from 1 on.
    pub(super) fn counterexample(&self, model: &[bool]) -> Counterexample {
        let bit = |literal: Literal| u64::from(model[literal as usize - 1]);
        let word = |bits: &[Literal]| bits.iter().rev().fold(0, |word, &literal| word << 1 | bit(literal));
        self.inputs.iter().map(|(&name, bits)| (name, word(bits))).collect()
    }

    /// The literals of a term, lowest bit first.
    fn bits(&mut self, term: Term) -> Vec<Literal> {
        let mut all: HashMap<Term, Vec<Literal>> = HashMap::new();
        for (part, node, width) in term.parts() {
            let bits = match node {
                Node::Variable(name) => {
                    let bits: Vec<Literal> = (0..width).map(|_| self.variable()).collect();
                    self.inputs.insert(name, bits.clone());
                    bits
                }
                Node::Constant(value) => {
                    (0..width).map(|bit| if value >> bit & 1 == 1 { TRUE } else { FALSE }).collect()
                }
                Node::Not(a) => all[&a].iter().map(|a| -a).collect(),
                Node::And(a, b) => zip(&all[&a], &all[&b], |a, b| self.and(a, b)),
                Node::Or(a, b) => zip(&all[&a], &all[&b], |a, b| self.or(a, b)),
                Node::Xor(a, b) => zip(&all[&a], &all[&b], |a, b| self.xor(a, b)),
                Node::Add(a, b) => self.sum(&all[&a], &all[&b], FALSE).0,
                Node::Sub(a, b) => self.difference(&all[&a], &all[&b]).0,
                Node::Shl(a, by) => {
                    let upside_down: Vec<Literal> = all[&a].iter().rev().copied().collect();
                    self.shifted_down(upside_down, &all[&by]).into_iter().rev().collect()
                }
                Node::Shr(a, by) => self.shifted_down(all[&a].clone(), &all[&by]),
                Node::Equal(a, b) => {
                    let differences = zip(&all[&a], &all[&b], |a, b| self.xor(a, b));
                    vec![-differences.into_iter().fold(FALSE, |any, differs| self.or(any, differs))]
                }
                Node::Less(a, b) => vec![-self.difference(&all[&a], &all[&b]).1],
                Node::Choose(condition, yes, no) => {
                    let condition = all[&condition][0];
                    zip(&all[&yes], &all[&no], |yes, no| self.choose(condition, yes, no))
                }
                Node::Concat(high, low) => [&all[&low][..], &all[&high][..]].concat(),
                Node::Extract(a, low) => all[&a][low as usize..][..width as usize].to_vec(),
            };
            assert_eq!(bits.len(), width as usize);
            all.insert(part, bits);
        }
        all.remove(&term).expect("a term is one of its parts")
    }

    /// The sum, and the carry out of its highest bit.
    fn sum(&mut self, a: &[Literal], b: &[Literal], mut carry: Literal) -> (Vec<Literal>, Literal) {
        let sum = zip(a, b, |a, b| {
            let either = self.xor(a, b);
            let sum = self.xor(either, carry);
            let (both, passed_on) = (self.and(a, b), self.and(either, carry));
            carry = self.or(both, passed_on);
            sum
        });
        (sum, carry)
    }

    /// `a + !b + 1`. Its carry says that `b` is not greater than `a`.
    fn difference(&mut self, a: &[Literal], b: &[Literal]) -> (Vec<Literal>, Literal) {
        let not_b: Vec<Literal> = b.iter().map(|b| -b).collect();
        self.sum(a, &not_b, TRUE)
    }

    /// A shift towards bit 0: by one, two, four and so on, for each bit of `by` that is set.
    fn shifted_down(&mut self, mut bits: Vec<Literal>, by: &[Literal]) -> Vec<Literal> {
        for (bit, &condition) in by.iter().enumerate() {
            let distance = 1_usize.checked_shl(bit as u32).unwrap_or(usize::MAX);
            let from = |at: usize| at.checked_add(distance).and_then(|from| bits.get(from)).copied().unwrap_or(FALSE);
            bits = (0..bits.len()).map(|at| self.choose(condition, from(at), bits[at])).collect();
        }
        bits
    }

    fn choose(&mut self, condition: Literal, yes: Literal, no: Literal) -> Literal {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(condition, yes), self.and(-condition, no));
        self.or(yes, no)
    }

    fn or(&mut self, a: Literal, b: Literal) -> Literal {
        -self.and(-a, -b)
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        match sorted(a, b) {
            [a, b] if a == -b || a == FALSE || b == FALSE => FALSE,
            [a, b] if a == b || b == TRUE => a,
            [TRUE, b] => b,
            [a, b] => {
                if let Some(&gate) = self.ands.get(&[a, b]) {
                    return gate;
                }
                let gate = self.variable();
                self.clauses.extend([vec![-gate, a], vec![-gate, b], vec![gate, -a, -b]]);
                self.ands.insert([a, b], gate);
                gate
            }
        }
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let negated = (a < 0) != (b < 0);
        let gate = match sorted(a.abs(), b.abs()) {
            [a, b] if a == b => FALSE,
            [TRUE, b] => -b,
            [a, b] => match self.xors.get(&[a, b]) {
                Some(&gate) => gate,
                None => {
                    let gate = self.variable();
                    self.clauses.extend([vec![-gate, a, b], vec![-gate, -a, -b], vec![gate, -a, b], vec![gate, a, -b]]);
                    self.xors.insert([a, b], gate);
                    gate
                }
            },
        };
        if negated { -gate } else { gate }
    }

    fn variable(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }
}

fn sorted(a: Literal, b: Literal) -> [Literal; 2] {
    [a.min(b), a.max(b)]
}

fn zip(a: &[Literal], b: &[Literal], mut gate: impl FnMut(Literal, Literal) -> Literal) -> Vec<Literal> {
    a.iter().zip(b).map(|(&a, &b)| gate(a, b)).collect()
}
