//! The operations of [`Bytes`] on one lane, twice: on a byte, which defines what they mean, and on a term.

use super::term::Term;
use crate::batch::simd::{Bytes, Choices, Mirrors};

/// Declares operations: the name, the operands, and the result.
macro_rules! operations {
    // Those that are written alike for bytes and terms, then the others.
    (alike; $($others:tt)*) => {
        operations! {
            and a b: a & b; and_not a b: a & !b; or a b: a | b; xor a b: a ^ b;
            add a b: a.wrapping_add(b); sub a b: a.wrapping_sub(b);
            $($others)*
        }
    };
    ($($name:ident $($operand:ident)*: $result:expr;)*) => {$(
        fn $name(self $(, $operand: Self::Vector)*) -> Self::Vector {
            $result
        }
    )*};
}

/// Operations on one byte. `TERNARY` chooses the walk, as it does for the instruction sets.
#[derive(Clone, Copy)]
pub(super) struct Plain<const TERNARY: bool>;

impl<const TERNARY: bool> Bytes for Plain<TERNARY> {
    const TERNARY_LOGIC: bool = TERNARY;

    type Vector = u8;

    operations! {
        alike;
        average a b: (u16::from(a) + u16::from(b)).div_ceil(2) as u8; max a b: a.max(b);
        eighth a: a / 8; sixteenth a: a / 16;
        shift_1_and a b: a >> 1 & b; shift_2_and a b: a >> 2 & b; shift_4_and a b: a >> 4 & b;
        or3 a b c: a | b | c; or_and a b c: a | b & c; or_and_not a b c: a | b & !c; or_or_not a b c: a | b | !c;
        either_and_not a b c: (a | b) & !c; xor_or a b c: a ^ b | c;
    }

    fn splat(self, byte: u8) -> u8 {
        byte
    }
    fn lookup(self, table: [u8; 16], a: u8) -> u8 {
        table[usize::from(a % 16)]
    }
    fn lanes_of(self, a: u8, number: u8) -> u8 {
        if a == number { 0xff } else { 0 }
    }
}

/// Operations on a term of eight bits. What the trait demands of operands becomes a promise. The operations on three
/// vectors are the trait's own, which use those on two, as on AVX2 and SSSE3.
#[derive(Clone, Copy)]
pub(super) struct Symbolic<const TERNARY: bool>;

impl<const TERNARY: bool> Bytes for Symbolic<TERNARY> {
    const TERNARY_LOGIC: bool = TERNARY;

    type Vector = Term;

    operations! {
        alike;
        average a b: a.widened(9).wrapping_add(b.widened(9)).wrapping_add(Term::constant(1, 9)).extract(1, 8);
        max a b: a.less(b).choose(b, a);
        eighth a: shift(a, 3); sixteenth a: shift(a, 4);
        shift_1_and a b: shift_and(a, b, 1); shift_2_and a b: shift_and(a, b, 2); shift_4_and a b: shift_and(a, b, 4);
    }

    fn splat(self, byte: u8) -> Term {
        Term::constant(u64::from(byte), 8)
    }
    fn lookup(self, table: [u8; 16], a: Term) -> Term {
        a.less(self.splat(128)).promise();
        let entries = table.map(|entry| self.splat(entry)).to_vec();
        // Each bit, from the lowest, halves the number of entries that are left.
        (0..4).fold(entries, |entries, bit| {
            entries.chunks(2).map(|pair| a.extract(bit, 1).choose(pair[1], pair[0])).collect()
        })[0]
    }
    fn lanes_of(self, a: Term, number: u8) -> Term {
        a.less(self.splat(16)).promise();
        a.equals(self.splat(number)).choose(self.splat(0xff), self.splat(0))
    }
}

fn shift(a: Term, by: u32) -> Term {
    a.extract(0, by).equals(Term::constant(0, by)).promise();
    a.extract(by, 8 - by).widened(8)
}

fn shift_and(a: Term, b: Term, by: u32) -> Term {
    b.extract(8 - by, by).equals(Term::constant(0, by)).promise();
    a.extract(by, 8 - by).widened(8) & b
}

impl<const TERNARY: bool> Choices for Plain<TERNARY> {
    operations! { choose mask a b: a & mask | b & !mask; mirrored a: a.reverse_bits(); }
}

impl<const TERNARY: bool> Choices for Symbolic<TERNARY> {
    operations! { choose mask a b: a & mask | b & !mask; }

    fn mirrored(self, a: Term) -> Term {
        self.reversed(a)
    }
}

impl<const TERNARY: bool> Mirrors for Plain<TERNARY> {
    type Vector = u8;

    fn reversed(self, a: u8) -> u8 {
        a.reverse_bits()
    }
    fn reversed_twice(self, a: u8) -> u8 {
        a.reverse_bits() << 1
    }
    fn half(self, a: u8) -> u8 {
        a / 2
    }
}

impl<const TERNARY: bool> Mirrors for Symbolic<TERNARY> {
    type Vector = Term;

    fn reversed(self, a: Term) -> Term {
        (0..8).map(|bit| a.extract(bit, 1)).reduce(|high, low| high.above(low)).expect("there are eight")
    }
    fn reversed_twice(self, a: Term) -> Term {
        self.reversed(a).extract(0, 7).above(Term::constant(0, 1))
    }
    fn half(self, a: Term) -> Term {
        a.extract(1, 7).widened(8)
    }
}
