//! The operations of [`Groups`] on one lane of eight groups, and the comparison of each instruction set with them.
//!
//! A vector in block order has one byte for each board, so in a lane it has one for each group. A vector of boards has
//! one byte for each rank. In both, the operations of [`Bytes`] work on each of the eight bytes by itself.

use std::array;

use super::lane::{Plain, Symbolic};
use super::term::Term;
use super::transpose::lane;
use crate::batch::blocks::Traffic;
use crate::batch::enter::simd;
use crate::batch::simd::{Boards, Bytes, Groups};

/// What [`Groups`] does to one byte.
pub(super) trait Byte: Bytes {
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn where_bit(self, a: Self::Vector, bits: Self::Vector, number: usize) -> Self::Vector;
    fn push(self, bits: Self::Vector, mask: Self::Vector) -> Self::Vector;
    /// `b` if `choice` is all ones, `a` if it is zero.
    fn either(self, a: Self::Vector, b: Self::Vector, choice: Self::Vector) -> Self::Vector;
    /// The byte with this number, which is below 8.
    fn entry(self, bytes: [Self::Vector; 8], number: Self::Vector) -> Self::Vector;
}

impl<const TERNARY: bool> Byte for Plain<TERNARY> {
    fn equal(self, a: u8, b: u8) -> u8 {
        if a == b { 0xff } else { 0 }
    }
    fn where_bit(self, a: u8, bits: u8, number: usize) -> u8 {
        if bits >> number & 1 == 1 { a } else { 0 }
    }
    fn push(self, bits: u8, mask: u8) -> u8 {
        bits >> 1 | mask & 0x80
    }
    fn either(self, a: u8, b: u8, choice: u8) -> u8 {
        if choice == 0 { a } else { b }
    }
    fn entry(self, bytes: [u8; 8], number: u8) -> u8 {
        bytes[usize::from(number % 8)]
    }
}

/// What is demanded of operands becomes a promise.
impl<const TERNARY: bool> Byte for Symbolic<TERNARY> {
    fn equal(self, a: Term, b: Term) -> Term {
        a.equals(b).choose(self.splat(0xff), self.splat(0))
    }
    fn where_bit(self, a: Term, bits: Term, number: usize) -> Term {
        bits.extract(number as u32, 1).choose(a, self.splat(0))
    }
    fn push(self, bits: Term, mask: Term) -> Term {
        (!bits.extract(0, 1)).promise();
        all_or_none(self, mask);
        mask.extract(7, 1).above(bits.extract(1, 7))
    }
    fn either(self, a: Term, b: Term, choice: Term) -> Term {
        all_or_none(self, choice);
        choice.extract(0, 1).choose(b, a)
    }
    fn entry(self, bytes: [Term; 8], number: Term) -> Term {
        number.less(self.splat(8)).promise();
        (0..3).fold(bytes.to_vec(), |bytes, bit| {
            bytes.chunks(2).map(|pair| number.extract(bit, 1).choose(pair[1], pair[0])).collect()
        })[0]
    }
}

fn all_or_none<const TERNARY: bool>(simd: Symbolic<TERNARY>, mask: Term) {
    (mask.equals(simd.splat(0)) | mask.equals(simd.splat(0xff))).promise();
}

/// Operations on eight bytes.
#[derive(Clone, Copy)]
pub(super) struct Eight<S>(pub(super) S);

/// Declares operations on each byte by itself, with what they take before their operands, if anything.
macro_rules! bytewise {
    ($($name:ident $(($first:ident: $type:ty))? $($operand:ident)*;)*) => {$(
        fn $name(self $(, $first: $type)? $(, $operand: Self::Vector)*) -> Self::Vector {
            array::from_fn(|_at| self.0.$name($($first,)? $($operand[_at]),*))
        }
    )*};
}

impl<S: Bytes> Bytes for Eight<S> {
    const TERNARY_LOGIC: bool = S::TERNARY_LOGIC;

    type Vector = [S::Vector; 8];

    bytewise! {
        splat (byte: u8); lookup (table: [u8; 16]) a;
        and a b; and_not a b; or a b; xor a b; add a b; sub a b; average a b; max a b; eighth a; sixteenth a;
        shift_1_and a b; shift_2_and a b; shift_4_and a b;
    }

    fn lanes_of(self, a: Self::Vector, number: u8) -> Self::Vector {
        a.map(|a| self.0.lanes_of(a, number))
    }
}

impl<S: Byte> Groups for Eight<S> {
    bytewise! { equal a b; push bits mask; }

    fn splat_lanes(self, lane: [u8; 8]) -> Self::Vector {
        lane.map(|byte| self.0.splat(byte))
    }
    fn where_bit(self, a: Self::Vector, bits: Self::Vector, number: usize) -> Self::Vector {
        array::from_fn(|at| self.0.where_bit(a[at], bits[at], number))
    }
    fn up<const BITS: i32>(self, a: Self::Vector) -> Self::Vector {
        let by = BITS as usize / 8;
        array::from_fn(|at| if at < by { self.0.splat(0) } else { a[at - by] })
    }
    fn down<const BITS: i32>(self, a: Self::Vector) -> Self::Vector {
        array::from_fn(|at| a.get(at + BITS as usize / 8).copied().unwrap_or(self.0.splat(0)))
    }
    fn spread(self, a: Self::Vector, group: usize) -> Self::Vector {
        [a[group]; 8]
    }
    fn spread_either(self, a: Self::Vector, b: Self::Vector, choices: [Self::Vector; 8]) -> [Self::Vector; 8] {
        array::from_fn(|group| choices[group].map(|choice| self.0.either(a[group], b[group], choice)))
    }
    fn pair_of_ranks(self, ranks: Self::Vector, boards: [Self::Vector; 2]) -> Self::Vector {
        array::from_fn(|group| self.0.entry(boards[group % 2], ranks[group]))
    }
    fn join_pairs(self, pairs: [Self::Vector; 4]) -> Self::Vector {
        array::from_fn(|group| pairs[group / 2][group])
    }
}

const MODEL: Eight<Plain<false>> = Eight(Plain);

/// The kinds of operands and results.
#[derive(Clone, Copy)]
enum Kind {
    /// The boards of a group.
    Group,
    /// One byte for each board, in block order.
    Block,
}

use Kind::{Block, Group};

impl Kind {
    /// The place in a vector of this byte of this lane.
    fn place<const N: usize>(self, number: usize, byte: usize) -> usize {
        match self {
            Group => 8 * number + byte,
            Block => lane::<N>(byte * (N / 8) + number),
        }
    }
}

/// Checks an operation on vectors of these bytes, lane by lane.
fn same<const N: usize, S: Boards<N> + Groups, const OPERANDS: usize>(
    simd: S,
    operands: [(Kind, Vec<u8>); OPERANDS],
    result: Kind,
    operation: impl Fn([S::Vector; OPERANDS]) -> S::Vector,
    meaning: impl Fn([[u8; 8]; OPERANDS]) -> [u8; 8],
) {
    let vectors = array::from_fn(|at| {
        let mut boards = [0; N];
        bytemuck::cast_slice_mut(&mut boards)[..N].copy_from_slice(&operands[at].1);
        simd.load_boards(&boards)[0]
    });
    let mut boards = [0; N];
    simd.store_boards(&mut boards, [operation(vectors); 8], Traffic::PLAIN);
    let actual: &[u8] = bytemuck::cast_slice(&boards);
    for number in 0..N / 8 {
        let of = |(kind, bytes): &(Kind, Vec<u8>)| array::from_fn(|at| bytes[kind.place::<N>(number, at)]);
        let expected = meaning(array::from_fn(|at| of(&operands[at])));
        let actual: [u8; 8] = array::from_fn(|at| actual[result.place::<N>(number, at)]);
        assert_eq!(actual, expected, "lane {number}");
    }
}

/// Different bytes in every round, which are below `limit`.
fn bytes<const N: usize>(round: usize, limit: usize) -> Vec<u8> {
    (0..N).map(|at| ((at + 1) * (2 * round + 37) * 2_654_435_761) >> 7).map(|byte| (byte % limit) as u8).collect()
}

/// Goes through all pairs of bytes.
fn operations_on_bytes<const N: usize, S: Boards<N> + Groups>(simd: S) {
    let pairs: Vec<u16> = (0..=u16::MAX).collect();
    for pairs in pairs.chunks(N) {
        let [a, b] = [0, 8].map(|shift| pairs.iter().map(|pair| (pair >> shift) as u8).collect::<Vec<u8>>());
        let (even, masks) = (a.iter().map(|a| a & !1).collect(), b.iter().map(|b| 0_u8.wrapping_sub(b & 1)).collect());
        let operands = [(Group, even), (Group, masks)];
        same(simd, operands, Group, |[a, b]| simd.push(a, b), |[a, b]| MODEL.push(a, b));
        let operands = [(Group, a), (Group, b)];
        same(simd, operands.clone(), Group, |[a, b]| simd.equal(a, b), |[a, b]| MODEL.equal(a, b));
        for number in 0..8 {
            let meaning = |[a, b]: [_; 2]| MODEL.where_bit(a, b, number);
            same(simd, operands.clone(), Group, |[a, b]| simd.where_bit(a, b, number), meaning);
        }
    }
}

/// The value of a byte makes no difference to where it goes. Every place gets different ones.
fn moves<const N: usize, S: Boards<N> + Groups>(simd: S) {
    for round in 0..64 {
        let lane = array::from_fn(|at| bytes::<N>(round, 256)[at]);
        let (a, b) = (bytes::<N>(round, 256), bytes::<N>(round + 1000, 256));
        same(simd, [], Group, |[]| simd.splat_lanes(lane), |[]| MODEL.splat_lanes(lane));
        let operands = || [(Group, a.clone())];
        same(simd, operands(), Group, |[a]| simd.up::<8>(a), |[a]| MODEL.up::<8>(a));
        same(simd, operands(), Group, |[a]| simd.up::<16>(a), |[a]| MODEL.up::<16>(a));
        same(simd, operands(), Group, |[a]| simd.up::<32>(a), |[a]| MODEL.up::<32>(a));
        same(simd, operands(), Group, |[a]| simd.down::<8>(a), |[a]| MODEL.down::<8>(a));
        same(simd, operands(), Group, |[a]| simd.down::<16>(a), |[a]| MODEL.down::<16>(a));
        same(simd, operands(), Group, |[a]| simd.down::<24>(a), |[a]| MODEL.down::<24>(a));
        same(simd, operands(), Group, |[a]| simd.down::<32>(a), |[a]| MODEL.down::<32>(a));
        for group in 0..8 {
            let operands = [(Block, a.clone())];
            same(simd, operands, Group, |[a]| simd.spread(a, group), |[a]| MODEL.spread(a, group));
            let choice = bytes::<N>(round + group, 2).into_iter().map(|bit| 0_u8.wrapping_sub(bit)).collect();
            let operands = [(Block, a.clone()), (Block, b.clone()), (Group, choice)];
            // The choices of other groups must not matter, so they are something else.
            let operation = |[a, b, choice]: [S::Vector; 3]| {
                simd.spread_either(a, b, array::from_fn(|at| if at == group { choice } else { a }))[group]
            };
            let meaning = |[a, b, choice]: [_; 3]| MODEL.spread_either(a, b, [choice; 8])[group];
            same(simd, operands, Group, operation, meaning);
        }
        let operands = [(Block, bytes::<N>(round, 8)), (Group, a.clone()), (Group, b.clone())];
        let meaning = |[r, a, b]: [_; 3]| MODEL.pair_of_ranks(r, [a, b]);
        same(simd, operands, Block, |[r, a, b]| simd.pair_of_ranks(r, [a, b]), meaning);
        let operands = [0, 100, 200, 300].map(|more| (Block, bytes::<N>(round + more, 256)));
        same(simd, operands, Block, |pairs| simd.join_pairs(pairs), |pairs| MODEL.join_pairs(pairs));
    }
}

#[cfg(target_arch = "x86_64")]
tests_on! { avx2
    operations_on_bytes super::operations_on_bytes;
    moves super::moves;
}
