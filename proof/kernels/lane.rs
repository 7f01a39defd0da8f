//! The operations of [`Bytes`] on one lane, twice: on a byte, which defines what they mean, and on a term.

use super::term::Term;
use crate::batch::simd::Bytes;

/// Operations on one byte. `TERNARY` chooses the walk, as it does for the instruction sets.
#[derive(Clone, Copy)]
pub(super) struct Plain<const TERNARY: bool>;

impl<const TERNARY: bool> Bytes for Plain<TERNARY> {
    const TERNARY_LOGIC: bool = TERNARY;

    type Vector = u8;

    fn splat(self, byte: u8) -> u8 {
        byte
    }
    fn and(self, a: u8, b: u8) -> u8 {
        a & b
    }
    fn and_not(self, a: u8, b: u8) -> u8 {
        a & !b
    }
    fn or(self, a: u8, b: u8) -> u8 {
        a | b
    }
    fn xor(self, a: u8, b: u8) -> u8 {
        a ^ b
    }
    fn add(self, a: u8, b: u8) -> u8 {
        a.wrapping_add(b)
    }
    fn sub(self, a: u8, b: u8) -> u8 {
        a.wrapping_sub(b)
    }
    fn average(self, a: u8, b: u8) -> u8 {
        (u16::from(a) + u16::from(b)).div_ceil(2) as u8
    }
    fn max(self, a: u8, b: u8) -> u8 {
        a.max(b)
    }
    fn eighth(self, a: u8) -> u8 {
        a / 8
    }
    fn sixteenth(self, a: u8) -> u8 {
        a / 16
    }
    fn shift_1_and(self, a: u8, b: u8) -> u8 {
        a >> 1 & b
    }
    fn shift_2_and(self, a: u8, b: u8) -> u8 {
        a >> 2 & b
    }
    fn shift_4_and(self, a: u8, b: u8) -> u8 {
        a >> 4 & b
    }
    fn lookup(self, table: [u8; 16], a: u8) -> u8 {
        table[usize::from(a % 16)]
    }
    fn lanes_of(self, a: u8, number: u8) -> u8 {
        if a == number { 0xff } else { 0 }
    }
    fn or3(self, a: u8, b: u8, c: u8) -> u8 {
        a | b | c
    }
    fn or_and(self, a: u8, b: u8, c: u8) -> u8 {
        a | b & c
    }
    fn or_and_not(self, a: u8, b: u8, c: u8) -> u8 {
        a | b & !c
    }
    fn or_or_not(self, a: u8, b: u8, c: u8) -> u8 {
        a | b | !c
    }
    fn either_and_not(self, a: u8, b: u8, c: u8) -> u8 {
        (a | b) & !c
    }
    fn xor_or(self, a: u8, b: u8, c: u8) -> u8 {
        a ^ b | c
    }
}

/// Operations on a term of eight bits. What the trait demands of operands becomes a promise. The operations on three
/// vectors are the trait's own, which use those on two, as on AVX2 and SSSE3.
#[derive(Clone, Copy)]
pub(super) struct Symbolic<const TERNARY: bool>;

impl<const TERNARY: bool> Bytes for Symbolic<TERNARY> {
    const TERNARY_LOGIC: bool = TERNARY;

    type Vector = Term;

    fn splat(self, byte: u8) -> Term {
        Term::constant(u64::from(byte), 8)
    }
    fn and(self, a: Term, b: Term) -> Term {
        a & b
    }
    fn and_not(self, a: Term, b: Term) -> Term {
        a & !b
    }
    fn or(self, a: Term, b: Term) -> Term {
        a | b
    }
    fn xor(self, a: Term, b: Term) -> Term {
        a ^ b
    }
    fn add(self, a: Term, b: Term) -> Term {
        a.wrapping_add(b)
    }
    fn sub(self, a: Term, b: Term) -> Term {
        a.wrapping_sub(b)
    }
    fn average(self, a: Term, b: Term) -> Term {
        a.widened(9).wrapping_add(b.widened(9)).wrapping_add(Term::constant(1, 9)).extract(1, 8)
    }
    fn max(self, a: Term, b: Term) -> Term {
        a.less(b).choose(b, a)
    }
    fn eighth(self, a: Term) -> Term {
        a.extract(0, 3).equals(Term::constant(0, 3)).promise();
        a.extract(3, 5).widened(8)
    }
    fn sixteenth(self, a: Term) -> Term {
        a.extract(0, 4).equals(Term::constant(0, 4)).promise();
        a.extract(4, 4).widened(8)
    }
    fn shift_1_and(self, a: Term, b: Term) -> Term {
        shift_and(a, b, 1)
    }
    fn shift_2_and(self, a: Term, b: Term) -> Term {
        shift_and(a, b, 2)
    }
    fn shift_4_and(self, a: Term, b: Term) -> Term {
        shift_and(a, b, 4)
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

fn shift_and(a: Term, b: Term, by: u32) -> Term {
    b.extract(8 - by, by).equals(Term::constant(0, by)).promise();
    a.extract(by, 8 - by).widened(8) & b
}
