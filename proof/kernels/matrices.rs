//! The operations of bit matrices on one lane, bit by bit: known bits define what they mean, open bits are terms.
//!
//! A bit that is known makes no term. So a product with a constant, which is most of them, is wires and exclusive ors,
//! and the terms of a kernel are those of the bits that depend on the board.

use std::ops::{BitAnd, BitXor, Not};
use std::{array, iter};

use super::term::Term;
use crate::batch::blocks::Traffic;
use crate::batch::kernel::{bit_matrix, few_boards};
use crate::batch::simd::{Blocks, Matrices, Packs, Ranks, Rows};
use crate::{Slider, Square, reference};

/// A bit of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bit {
    Known(bool),
    /// A term of one bit.
    Open(Term),
}

use Bit::{Known, Open};

impl Bit {
    pub(super) fn term(self) -> Term {
        match self {
            Known(value) => Term::constant(u64::from(value), 1),
            Open(term) => term,
        }
    }

    fn choose(self, yes: Bit, no: Bit) -> Bit {
        if yes == no { no } else { no ^ (self & (yes ^ no)) }
    }
}

impl Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        match self {
            Known(value) => Known(!value),
            Open(term) => Open(!term),
        }
    }
}

impl BitAnd for Bit {
    type Output = Bit;

    fn bitand(self, other: Bit) -> Bit {
        match (self, other) {
            (Known(false), _) | (_, Known(false)) => Known(false),
            (Known(true), bit) | (bit, Known(true)) => bit,
            (Open(a), Open(b)) => Open(a & b),
        }
    }
}

impl BitXor for Bit {
    type Output = Bit;

    fn bitxor(self, other: Bit) -> Bit {
        match (self, other) {
            (Known(false), bit) | (bit, Known(false)) => bit,
            (Known(true), bit) | (bit, Known(true)) => !bit,
            (Open(a), Open(b)) => Open(a ^ b),
        }
    }
}

/// A lane: bit *i* of byte *j* is at *8 j + i*.
pub(super) type Lane = [Bit; 64];

pub(super) fn known(lane: u64) -> Lane {
    array::from_fn(|at| Known(lane >> at & 1 == 1))
}

/// The value of a lane whose bits are all known.
pub(super) fn value(lane: Lane) -> u64 {
    lane.iter().enumerate().fold(0, |value, (at, &bit)| match bit {
        Known(bit) => value | u64::from(bit) << at,
        Open(_) => panic!("bit {at} is not known"),
    })
}

/// Bytes as a lane.
fn bytes(bytes: [[Bit; 8]; 8]) -> Lane {
    array::from_fn(|at| bytes[at / 8][at % 8])
}

fn byte(lane: &Lane, number: usize) -> [Bit; 8] {
    array::from_fn(|at| lane[8 * number + at])
}

/// The entry of the table, by a number that is made of these bits, the lowest first.
fn entry<const N: usize>(table: &[[Bit; N]], number: &[Bit]) -> [Bit; N] {
    let Some((&bit, lower)) = number.split_last() else { return table[0] };
    let (no, yes) = table.split_at(table.len() / 2);
    let (no, yes) = (entry(no, lower), entry(yes, lower));
    array::from_fn(|at| bit.choose(yes[at], no[at]))
}

fn sum(a: Lane, b: Lane, carry: bool) -> Lane {
    let mut sum = a;
    for start in (0..64).step_by(8) {
        let mut carry = Known(carry);
        for at in start..start + 8 {
            let either = a[at] ^ b[at];
            sum[at] = either ^ carry;
            carry = either.choose(carry, a[at]);
        }
    }
    sum
}

/// One lane of eight groups. With `APART`, the boards in a pack are as many groups apart as there are packs, as with 512
/// bits, otherwise they are neighbours, as with 256.
#[derive(Clone, Copy)]
pub(super) struct Model<const APART: bool>;

impl<const APART: bool> Matrices for Model<APART> {
    type Vector = Lane;
    type Squares = Lane;
    type Boards = [Lane; 8];

    fn splat(self, lane: u64) -> Lane {
        known(lane)
    }
    fn and(self, a: Lane, b: Lane) -> Lane {
        array::from_fn(|at| a[at] & b[at])
    }
    fn xor(self, a: Lane, b: Lane) -> Lane {
        array::from_fn(|at| a[at] ^ b[at])
    }
    fn add(self, a: Lane, b: Lane) -> Lane {
        sum(a, b, false)
    }
    fn sub(self, a: Lane, b: Lane) -> Lane {
        sum(a, b.map(Bit::not), true)
    }
    fn product<const FLIPPED: i32>(self, a: Lane, matrix: Lane) -> Lane {
        array::from_fn(|at| {
            let (row, question) = (at / 8, 7 - at % 8);
            let common = (0..8).map(|bit| a[8 * row + bit] & matrix[8 * question + bit]);
            common.fold(Known(FLIPPED >> (at % 8) & 1 == 1), |odd, bit| odd ^ bit)
        })
    }
    fn by_file(self, table: u64, squares: Lane) -> Lane {
        let table: [[Bit; 8]; 8] = array::from_fn(|number| byte(&known(table), number));
        bytes(array::from_fn(|number| entry(&table, &byte(&squares, number)[..3])))
    }
    fn by_rank(self, table: u64, squares: Lane) -> Lane {
        let table: [[Bit; 8]; 8] = array::from_fn(|number| byte(&known(table), number));
        bytes(array::from_fn(|number| entry(&table, &byte(&squares, number)[3..6])))
    }
    fn pairs(self, a: Lane, b: Lane) -> [Lane; 2] {
        [
            bytes(array::from_fn(|at| byte(if at % 2 == 0 { &a } else { &b }, at & !1))),
            bytes(array::from_fn(|at| byte(if at % 2 == 0 { &b } else { &a }, at | 1))),
        ]
    }
    fn board(self, boards: &[Lane; 8], group: usize) -> Lane {
        boards[group]
    }
    fn store(self, boards: &mut [Lane; 8], group: usize, vector: Lane, _: Traffic) {
        boards[group] = vector;
    }
}

impl<const APART: bool, const ROWS: usize> Blocks<ROWS> for Model<APART> {
    fn group(self, pack: usize, place: usize) -> usize {
        if APART { ROWS * place + pack } else { 8 / ROWS * pack + place }
    }
    fn load_squares(self, squares: &Lane) -> Lane {
        *squares
    }
    fn times(self, pack: Lane, boards: &[Lane; 8]) -> Lane {
        bytes(array::from_fn(|at| {
            let product = byte(&self.product::<0>(pack, boards[at / ROWS]), at);
            if ROWS == 4 && at % 4 == 3 { [Known(false); 8] } else { product }
        }))
    }
}

impl<const APART: bool, const ROWS: usize> Ranks<ROWS> for Model<APART> {
    fn ranks(self, squares: Lane, boards: &[Lane; 8]) -> Lane {
        bytes(array::from_fn(|group| {
            let ranks: [[Bit; 8]; 8] = array::from_fn(|rank| byte(&boards[group], rank));
            entry(&ranks, &byte(&squares, group)[3..6])
        }))
    }
}

impl<const APART: bool, const ROWS: usize> Packs<ROWS> for Model<APART> {
    fn packs(self, rows: [Lane; ROWS]) -> [Lane; ROWS] {
        let group = |pack, place| Blocks::<ROWS>::group(self, pack, place);
        array::from_fn(|pack| bytes(array::from_fn(|at| byte(&rows[at % ROWS], group(pack, at / ROWS)))))
    }
    fn copies(self, number: usize, row: Lane) -> Lane {
        Packs::<ROWS>::packs(self, [row; ROWS])[number]
    }
    fn star<const QUEEN: bool>(self, squares: Lane, group: usize) -> Lane {
        let slider = if QUEEN { Slider::Queen } else { Slider::Bishop };
        let stars = Square::ALL.map(|square| known(reference::attacks(slider, square, 0)));
        entry(&stars, &byte(&squares, group)[..6])
    }
}

impl<const APART: bool, const PLACES: usize> Rows<1, PLACES> for Model<APART> {
    fn load_few_squares(self, squares: [&[u8; 1]; PLACES]) -> Lane {
        known(u64::from_le_bytes(array::from_fn(|row| squares[row * PLACES / 8][0])))
    }
    fn load_few(self, boards: &[u64; 1]) -> Lane {
        known(boards[0])
    }
    fn store_few(self, boards: &mut [u64; 1], vector: Lane) {
        *boards = [value(vector)];
    }
    fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self, squares: Lane) -> Lane {
        let tables = few_boards::rows(ROOK, BISHOP);
        // All bits are set in the row that may be anything.
        let other = |row| if PLACES == 2 && ROOK && row == 3 { known(!0) } else { known(0) };
        bytes(array::from_fn(|at| match at % (8 / PLACES) {
            row @ 0..3 => byte(&self.by_file(tables[row], squares), at),
            row => byte(&other(row), at),
        }))
    }
    fn star_of_lane<const QUEEN: bool>(self, squares: Lane, place: usize) -> Lane {
        Packs::<2>::star::<QUEEN>(self, squares, 8 / PLACES * place)
    }
    fn answers(self, rows: Lane, boards: [Lane; PLACES]) -> Lane {
        bytes(array::from_fn(|at| byte(&self.product::<0>(rows, boards[at * PLACES / 8]), at)))
    }
    fn doubles(self, squares: Lane) -> [Lane; 2] {
        let double = |number: u32| u64::from(2_u8.checked_shl(number).unwrap_or(0));
        let [up, down] = [|number| number, |number| 7 - number].map(|of: fn(u32) -> u32| {
            (0..8).fold(0, |table, number| table | (double(of(number)) & 0xff) << (8 * number))
        });
        [(down, up), (up, down)].map(|(of_rank, of_file)| {
            let (of_rank, of_file) = (self.by_rank(of_rank, squares), self.by_file(of_file, squares));
            with_fourth::<PLACES>(of_rank, of_file)
        })
    }
    fn with_rank(self, answers: Lane, squares: Lane, boards: [Lane; PLACES]) -> Lane {
        let rank = |at: usize| {
            let ranks: [[Bit; 8]; 8] = array::from_fn(|rank| byte(&boards[at * PLACES / 8], rank));
            entry(&ranks, &byte(&squares, at)[3..6])
        };
        with_fourth::<PLACES>(answers, bytes(array::from_fn(rank)))
    }
    fn exchanged(self, answers: Lane, rows: Lane, squares: Lane) -> [Lane; 2] {
        if PLACES == 1 {
            return [answers, bytes(array::from_fn(|row| if row == 4 { byte(&answers, 3) } else { byte(&rows, row) }))];
        }
        let mirrored = self.by_rank(0x0102_0408_1020_4080, squares);
        [with_fourth::<PLACES>(answers, mirrored), with_fourth::<PLACES>(rows, answers)]
    }
}

/// The rows of `rows`, with the fourth row of each board from `fourth`.
fn with_fourth<const PLACES: usize>(rows: Lane, fourth: Lane) -> Lane {
    bytes(array::from_fn(|at| byte(if at % (8 / PLACES) == 3 { &fourth } else { &rows }, at)))
}

/// Everything that the kernel for blocks needs, on one lane.
pub(super) trait Block:
    Packs<2> + Packs<4> + Ranks<1> + Ranks<4> + Matrices<Vector = Lane, Squares = Lane, Boards = [Lane; 8]>
{
}

impl<S> Block for S where
    S: Packs<2> + Packs<4> + Ranks<1> + Ranks<4> + Matrices<Vector = Lane, Squares = Lane, Boards = [Lane; 8]>
{
}

/// The attack sets of eight boards, by the kernel for blocks.
pub(super) fn block<S: Block>(simd: S, slider: Slider, squares: &Lane, occs: &[Lane; 8]) -> [Lane; 8] {
    let mut out = [known(0); 8];
    match slider {
        Slider::Bishop => bit_matrix::bishop_attacks(simd, squares, occs, &mut out, Traffic::PLAIN),
        Slider::Rook => bit_matrix::rook_attacks(simd, squares, occs, &mut out, Traffic::PLAIN),
        Slider::Queen => bit_matrix::queen_attacks(simd, squares, occs, &mut out, Traffic::PLAIN),
    }
    out
}

/// The attack sets of the boards that share a lane, by the kernel for few.
pub(super) fn lane<const PLACES: usize, S: Rows<1, PLACES, Vector = Lane>>(
    simd: S,
    slider: Slider,
    squares: Lane,
    occs: [Lane; PLACES],
) -> [Lane; PLACES] {
    match slider {
        Slider::Bishop => few_boards::Bishop::<_, 1, 0>::over(simd).lane_attacks(squares, occs),
        Slider::Rook => few_boards::Rook::<_, 1, 0>::over(simd).lane_attacks(squares, occs),
        Slider::Queen => few_boards::Queen::<_, 1, 0>::over(simd).lane_attacks(squares, occs),
    }
}

/// A board as open bits, and the number of a square as a byte, which is below 64.
pub(super) fn open(board: Term) -> Lane {
    array::from_fn(|at| Open(board.extract(at as u32, 1)))
}

pub(super) fn open_square(square: Term) -> [Bit; 8] {
    let bits: Vec<Bit> =
        (0..6).map(|bit| Open(square.extract(bit, 1))).chain(iter::repeat_n(Known(false), 2)).collect();
    bits.try_into().expect("there are eight")
}

/// The same byte in all places, or one byte in each.
pub(super) fn lane_of(squares: [[Bit; 8]; 8]) -> Lane {
    bytes(squares)
}
