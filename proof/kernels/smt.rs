//! Terms as SMT-LIB 2 in the logic of bit vectors, so that nobody has to trust [`super::cnf`].
//!
//! Source: [The SMT-LIB Standard](https://smt-lib.org/language.shtml).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::term::{Node, Term};

/// A script that is satisfiable if `claim`, one bit, can be false. One line per term.
pub(super) fn refuting(claim: Term, name: &str, expected: &str) -> String {
    let mut script = format!("; {name}\n(set-logic QF_BV)\n(set-info :status {expected})\n");
    let mut names: BTreeMap<usize, String> = BTreeMap::new();
    for (term, node, width) in claim.parts() {
        let of = |operand: Term| &names[&operand.number()];
        let definition = match node {
            Node::Variable(name) => {
                writeln!(script, "(declare-const {name} (_ BitVec {width}))").expect(TO_STRING);
                names.insert(term.number(), name.to_owned());
                continue;
            }
            Node::Constant(value) => format!("(_ bv{value} {width})"),
            Node::Not(a) => format!("(bvnot {})", of(a)),
            Node::And(a, b) => format!("(bvand {} {})", of(a), of(b)),
            Node::Or(a, b) => format!("(bvor {} {})", of(a), of(b)),
            Node::Xor(a, b) => format!("(bvxor {} {})", of(a), of(b)),
            Node::Add(a, b) => format!("(bvadd {} {})", of(a), of(b)),
            Node::Sub(a, b) => format!("(bvsub {} {})", of(a), of(b)),
            Node::Shl(a, by) => format!("(bvshl {} {})", of(a), of(by)),
            Node::Shr(a, by) => format!("(bvlshr {} {})", of(a), of(by)),
            Node::Equal(a, b) => format!("(ite (= {} {}) #b1 #b0)", of(a), of(b)),
            Node::Less(a, b) => format!("(ite (bvult {} {}) #b1 #b0)", of(a), of(b)),
            Node::Choose(condition, yes, no) => format!("(ite (= {} #b1) {} {})", of(condition), of(yes), of(no)),
            Node::Concat(high, low) => format!("(concat {} {})", of(high), of(low)),
            Node::Extract(a, low) => format!("((_ extract {} {low}) {})", low + width - 1, of(a)),
        };
        let name = format!("t{}", term.number());
        writeln!(script, "(define-fun {name} () (_ BitVec {width}) {definition})").expect(TO_STRING);
        names.insert(term.number(), name);
    }
    writeln!(script, "(assert (= {} #b0))\n(check-sat)", names[&claim.number()]).expect(TO_STRING);
    script
}

const TO_STRING: &str = "writing to a string does not fail";
