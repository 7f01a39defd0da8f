//! Negative controls: kernels with a fault must be refuted.
//!
//! A fault is seeded into the shipped kernel through what it computes with: the *n*-th use of one operation goes wrong.
//! The same wrapper goes around terms, for the solver, and around numbers, to replay the counter-example.

use std::cell::Cell;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::cnf::Cnf;
use super::lane::{Plain, Symbolic};
use super::term::{Term, with_promises};
use super::{
    Solver, claim, concrete_few, concrete_slices, drawn, few, lines, matrices, occupancy, open_squares, refute,
    sets_claim, solver, square, symbolic_slices, symbolic_walk,
};
use crate::batch::blocks::Streamed;
use crate::batch::kernel::lines::{BYTE_SWAP, LEADING_ZEROS, Word};
use crate::batch::kernel::slider_sets::SliderSets;
use crate::batch::simd::{Bytes, Matrices, Rows};
use crate::diagram::Diagram;
use crate::{Slider, Square};

use Change::{Entry, Flip, Without};
use Kernel::{ByteSwaps, LeadingZeros, Matrices1, Slices2, Slices3};
use Slider::{Bishop, Queen, Rook};

#[derive(Clone, Copy)]
struct Fault {
    what: &'static str,
    kernel: Kernel,
    slider: Slider,
    operation: &'static str,
    /// Which use of this operation, from 0 on.
    number: usize,
    change: Change,
}

#[derive(Clone, Copy)]
enum Kernel {
    /// With three-operand logic.
    Slices3,
    /// Without it.
    Slices2,
    LeadingZeros,
    ByteSwaps,
    /// Bit matrices, one board in a lane.
    Matrices1,
}

#[derive(Clone, Copy)]
enum Change {
    /// The operand with this number, from 0 on, is zero.
    Without(usize),
    /// A bit of a constant, or of the result, is flipped.
    Flip(u8),
    /// An entry of the table has another value.
    Entry(usize, u8),
}

const MODEL: matrices::Model<true> = matrices::Model;

thread_local! {
    /// The fault to seed, and how many uses of its operation must come before it.
    static SEED: Cell<Option<(Fault, usize)>> = const { Cell::new(None) };
}

/// Runs a kernel with a fault, and checks that the fault was reached.
fn with_fault<T>(fault: Fault, kernel: impl FnOnce() -> T) -> T {
    SEED.set(Some((fault, fault.number)));
    let result = kernel();
    assert!(SEED.take().is_none(), "{}: the kernel has no such operation", fault.what);
    result
}

/// The fault, if this use of the operation is the faulty one.
fn change(operation: &str) -> Option<Change> {
    let (fault, before) = SEED.get().filter(|(fault, _)| fault.operation == operation)?;
    SEED.set(before.checked_sub(1).map(|before| (fault, before)));
    (before == 0).then_some(fault.change)
}

/// Operations on numbers or terms, one of which is faulty.
#[derive(Clone, Copy)]
struct Faulty<T>(T);

impl<S: Bytes> Faulty<S> {
    fn operands<const N: usize>(self, change: Option<Change>, mut operands: [S::Vector; N]) -> [S::Vector; N] {
        if let Some(Without(operand)) = change {
            operands[operand] = self.0.splat(0);
        }
        operands
    }

    fn result(self, change: Option<Change>, result: S::Vector) -> S::Vector {
        match change {
            Some(Flip(bit)) => self.0.xor(result, self.0.splat(1 << bit)),
            _ => result,
        }
    }
}

macro_rules! operations {
    ($($name:ident $($operand:ident)*;)*) => {$(
        fn $name(self $(, $operand: S::Vector)*) -> S::Vector {
            let change = change(stringify!($name));
            let [$($operand),*] = self.operands(change, [$($operand),*]);
            self.result(change, self.0.$name($($operand),*))
        }
    )*};
}

impl<S: Bytes> Bytes for Faulty<S> {
    const TERNARY_LOGIC: bool = S::TERNARY_LOGIC;

    type Vector = S::Vector;

    operations! {
        and a b; and_not a b; or a b; xor a b; add a b; sub a b; average a b; max a b; eighth a; sixteenth a;
        shift_1_and a b; shift_2_and a b; shift_4_and a b;
        or3 a b c; or_and a b c; or_and_not a b c; or_or_not a b c; either_and_not a b c; xor_or a b c;
    }

    fn splat(self, byte: u8) -> S::Vector {
        self.result(change("splat"), self.0.splat(byte))
    }

    fn lookup(self, mut table: [u8; 16], a: S::Vector) -> S::Vector {
        let change = change("lookup");
        if let Some(Entry(at, entry)) = change {
            table[at] = entry;
        }
        self.result(change, self.0.lookup(table, a))
    }

    fn lanes_of(self, a: S::Vector, number: u8) -> S::Vector {
        self.result(change("lanes_of"), self.0.lanes_of(a, number))
    }
}

impl<S: Matrices> Faulty<S> {
    fn vectors<const N: usize>(self, change: Option<Change>, mut operands: [S::Vector; N]) -> [S::Vector; N] {
        if let Some(Without(operand)) = change {
            operands[operand] = self.0.splat(0);
        }
        operands
    }

    fn vector(self, change: Option<Change>, result: S::Vector) -> S::Vector {
        match change {
            Some(Flip(bit)) => self.0.xor(result, self.0.splat(1 << bit)),
            _ => result,
        }
    }
}

/// Operations on vectors of bit matrices, with what they take before them, if anything.
macro_rules! vectors {
    ($($name:ident $(<const $generic:ident: $kind:ident>)? $(($first:ident: $type:ty))? $($operand:ident)*;)*) => {$(
        fn $name $(<const $generic: $kind>)? (self $(, $first: $type)? $(, $operand: S::Vector)*) -> S::Vector {
            let change = change(stringify!($name));
            $(let $first = seeded(change, $first);)?
            let [$($operand),*] = self.vectors(change, [$($operand),*]);
            self.vector(change, self.0.$name $(::<$generic>)? ($($first,)? $($operand),*))
        }
    )*};
}

/// A table with the wrong entry, if that is the fault.
fn seeded<T: bytemuck::Pod>(change: Option<Change>, mut table: T) -> T {
    if let Some(Entry(at, entry)) = change {
        bytemuck::bytes_of_mut(&mut table)[at] = entry;
    }
    table
}

impl<S: Matrices> Matrices for Faulty<S> {
    type Vector = S::Vector;
    type Squares = S::Squares;
    type Boards = S::Boards;

    vectors! {
        splat (lane: u64); and a b; xor a b; add a b; sub a b; product<const FLIPPED: i32> a matrix;
        by_file (table: u64) squares; by_rank (table: u64) squares;
    }

    fn pairs(self, a: S::Vector, b: S::Vector) -> [S::Vector; 2] {
        self.0.pairs(a, b)
    }
    fn board(self, boards: &S::Boards, group: usize) -> S::Vector {
        self.0.board(boards, group)
    }
    fn store(self, boards: &mut S::Boards, group: usize, vector: S::Vector) {
        self.0.store(boards, group, vector);
    }
    fn copy(self, boards: &mut S::Boards, from: &S::Boards, streamed: Streamed) {
        self.0.copy(boards, from, streamed);
    }
}

impl<const N: usize, S: Rows<N>> Rows<N> for Faulty<S> {
    vectors! {
        rows_by_file (table: [u64; 8]) squares; star_of_lane<const QUEEN: bool> squares; with_rank rows squares boards;
        with_fourth rows answers;
    }

    fn load_few_squares(self, squares: &[u8; N]) -> S::Vector {
        self.0.load_few_squares(squares)
    }
    fn load_few(self, boards: &[u64; N]) -> S::Vector {
        self.0.load_few(boards)
    }
    fn store_few(self, boards: &mut [u64; N], vector: S::Vector) {
        self.0.store_few(boards, vector);
    }
    fn doubles(self, squares: S::Vector) -> [S::Vector; 2] {
        let change = change("doubles");
        let [up, down] = self.0.doubles(squares);
        [self.vector(change, up), down]
    }
}

impl<W: Word> Faulty<W> {
    fn word<const N: usize>(operation: &str, operands: [Faulty<W>; N], compute: impl FnOnce([W; N]) -> W) -> Faulty<W> {
        let change = change(operation);
        let mut operands = operands.map(|Faulty(operand)| operand);
        if let Some(Without(operand)) = change {
            operands[operand] = W::from(0);
        }
        match (compute(operands), change) {
            (result, Some(Flip(bit))) => Faulty(result ^ W::from(1 << bit)),
            (result, _) => Faulty(result),
        }
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident)*) => {$(
        impl<W: Word> $trait for Faulty<W> {
            type Output = Faulty<W>;

            fn $name(self, other: Faulty<W>) -> Faulty<W> {
                Faulty::word(stringify!($name), [self, other], |[a, b]| a.$name(b))
            }
        }
    )*};
}

operators! { BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr Sub sub }

impl<W: Word> Not for Faulty<W> {
    type Output = Faulty<W>;

    fn not(self) -> Faulty<W> {
        Faulty::word("not", [self], |[a]| !a)
    }
}

impl<W: Word> From<u64> for Faulty<W> {
    fn from(value: u64) -> Faulty<W> {
        Faulty::word("from", [], |[]| W::from(value))
    }
}

impl<W: Word> Word for Faulty<W> {
    fn wrapping_sub(self, other: Faulty<W>) -> Faulty<W> {
        Faulty::word("wrapping_sub", [self, other], |[a, b]| a.wrapping_sub(b))
    }
    fn rotate_left(self, by: Faulty<W>) -> Faulty<W> {
        Faulty::word("rotate_left", [self, by], |[a, by]| a.rotate_left(by))
    }
    fn leading_zeros(self) -> Faulty<W> {
        Faulty::word("leading_zeros", [self], |[a]| a.leading_zeros())
    }
    fn swap_bytes(self) -> Faulty<W> {
        Faulty::word("swap_bytes", [self], |[a]| a.swap_bytes())
    }
}

impl Fault {
    /// The attack sets of the faulty kernel, as a term.
    fn symbolic(self) -> Term {
        with_fault(self, || match self.kernel {
            Slices3 => symbolic_slices(Faulty(Symbolic::<true>), self.slider),
            Slices2 => symbolic_slices(Faulty(Symbolic::<false>), self.slider),
            LeadingZeros => self.lines::<LEADING_ZEROS, _>(square().widened(64), occupancy()),
            ByteSwaps => self.lines::<BYTE_SWAP, _>(square().widened(64), occupancy()),
            Matrices1 => few(Faulty(MODEL), self.slider, open_squares([square(); 8]), matrices::open(occupancy())),
        })
    }

    /// The same kernel on numbers.
    fn concrete(self, square: Square, occ: u64) -> u64 {
        with_fault(self, || match self.kernel {
            Slices3 => concrete_slices(Faulty(Plain::<true>), self.slider, square, occ),
            Slices2 => concrete_slices(Faulty(Plain::<false>), self.slider, square, occ),
            LeadingZeros => self.lines::<LEADING_ZEROS, _>(u64::from(square.index()), occ),
            ByteSwaps => self.lines::<BYTE_SWAP, _>(u64::from(square.index()), occ),
            Matrices1 => concrete_few(Faulty(MODEL), self.slider, square, occ),
        })
    }

    fn lines<const LEADING_ZEROS: bool, W: Word>(self, square: W, occ: W) -> W {
        lines::<LEADING_ZEROS, _>(self.slider, Faulty(square), Faulty(occ)).0
    }

    /// The claim that the attack sets are those of the walk wherever the promises are kept. So a counter-example can be
    /// replayed even where overflow is checked.
    fn claim(self) -> Term {
        let (attacks, promises) = with_promises(|| self.symbolic());
        attacks.equals(symbolic_walk(self.slider)) | !promises
    }

    /// The attack set on this square and board, after checking that terms and numbers give the same.
    fn replay(self, square: Square, occ: u64) -> u64 {
        let attacks = self.concrete(square, occ);
        let value = |name: &str| if name == "square" { u64::from(square.index()) } else { occ };
        assert_eq!(attacks, self.symbolic().evaluate(value), "{}", self.what);
        attacks
    }
}

/// A description of each fault, then its place.
#[rustfmt::skip]
const FAULTS: &[Fault] = &[
    fault("the mask of the rank's number lacks a bit", Slices3, Queen, "splat", 1, Flip(3)),
    fault("the table of files calls the d-file the e-file", Slices3, Rook, "lookup", 0, Entry(3, 1 << 4)),
    fault("in the west the edge of the board does not end a ray", Slices3, Rook, "lookup", 1, Entry(0, 0)),
    fault("of two blockers on e and g the farther one counts", Slices3, Rook, "lookup", 2, Entry(5, 1 << 4)),
    fault("on the fifth rank a square is not the rank's", Slices3, Rook, "lanes_of", 4, Flip(7)),
    fault("what the files a to d tell is left out", Slices3, Rook, "max", 0, Without(0)),
    fault("the north ray is left out on one rank", Slices3, Queen, "or_or_not", 2, Without(1)),
    fault("the north ray goes through a blocker", Slices3, Queen, "or_and_not", 15, Without(2)),
    fault("the north-east ray does not turn east", Slices3, Queen, "add", 1, Without(1)),
    fault("the north-west ray has the wrong edge", Slices3, Queen, "average", 0, Without(1)),
    fault("the west tip is not moved", Slices2, Queen, "sub", 2, Without(1)),
    fault("three rays go through whatever is on the second rank", Slices2, Queen, "and_not", 0, Without(1)),
    fault("the main diagonal leaves its file on the fourth rank", Slices2, Bishop, "lookup", 4, Entry(7, 1 << 4)),
    fault("the diagonals are numbered from six", Slices2, Bishop, "splat", 5, Flip(0)),
    fault("the mask of the rank lacks the h-file", LeadingZeros, Rook, "from", 4, Flip(7)),
    fault("the north-east line ends before h8", LeadingZeros, Bishop, "from", 3, Flip(63)),
    fault("blockers below the slider are not seen", LeadingZeros, Rook, "bitor", 1, Without(0)),
    fault("whatever the slider's rank, the first is looked at", ByteSwaps, Queen, "shl", 1, Without(1)),
    fault("a shift by four is left out", ByteSwaps, Rook, "shr", 2, Without(1)),
    fault("the downward half of a diagonal is left out", ByteSwaps, Bishop, "swap_bytes", 2, Without(0)),
    fault("east of the d-file begins with the f-file", Matrices1, Bishop, "rows_by_file", 0, Entry(24, 0xe0)),
    fault("the star lacks h8", Matrices1, Queen, "star_of_lane", 0, Flip(63)),
    fault("the downward rays are not subtracted", Matrices1, Rook, "sub", 1, Without(1)),
    fault("the rank of the slider is not looked at", Matrices1, Queen, "with_rank", 0, Without(2)),
    fault("the answer about the rank gets lost", Matrices1, Rook, "with_fourth", 0, Without(1)),
    fault("the third rank is doubled wrongly", Matrices1, Bishop, "by_rank", 0, Entry(2, 0x80)),
    fault("west of the slider a piece is seen where none is", Matrices1, Queen, "product", 0, Flip(9)),
    fault("one bit of the file's double is wrong", Matrices1, Rook, "doubles", 0, Flip(30)),
];

const fn fault(
    what: &'static str,
    kernel: Kernel,
    slider: Slider,
    operation: &'static str,
    number: usize,
    change: Change,
) -> Fault {
    Fault { what, kernel, slider, operation, number, change }
}

/// The claims about the faulty kernels, by name, for another solver to refute.
pub(super) fn controls() -> Vec<(String, Term)> {
    FAULTS.iter().enumerate().map(|(number, fault)| (format!("fault {}", number + 1), fault.claim())).collect()
}

/// What the controls refute is the shipped kernel, except for the fault.
#[test]
fn without_a_fault_the_terms_are_those_of_the_kernel() {
    let squares = open_squares([square(); 8]);
    let (square, occ) = (square().widened(64), occupancy());
    for slider in Slider::ALL {
        let faulty = [
            symbolic_slices(Faulty(Symbolic::<true>), slider),
            symbolic_slices(Faulty(Symbolic::<false>), slider),
            lines::<LEADING_ZEROS, _>(slider, Faulty(square), Faulty(occ)).0,
            lines::<BYTE_SWAP, _>(slider, Faulty(square), Faulty(occ)).0,
            few(Faulty(MODEL), slider, squares, matrices::open(occ)),
        ];
        let shipped = [
            symbolic_slices(Symbolic::<true>, slider),
            symbolic_slices(Symbolic::<false>, slider),
            lines::<LEADING_ZEROS, _>(slider, square, occ),
            lines::<BYTE_SWAP, _>(slider, square, occ),
            few(MODEL, slider, squares, matrices::open(occ)),
        ];
        assert_eq!(faulty, shipped, "{slider}");
    }
}

#[test]
fn every_fault_is_refuted() {
    for fault in FAULTS {
        let [(square, drawing), _] = [solver::batsat as Solver, solver::varisat].map(|solver| {
            let found = refute(fault.claim(), solver);
            let (square, occ) = found.unwrap_or_else(|| panic!("{}: unseen", fault.what));
            (square, drawn(fault.slider, square, occ, fault.replay(square, occ)))
        });
        println!("{}, {} on {square}: {}\n{drawing}", fault.operation, fault.slider, fault.what);
    }
}

/// Faults in the kernel for sets of sliders. The counter-example consists of three boards, and is replayed as well.
#[test]
fn every_fault_in_sets_is_refuted() {
    let faults =
        [("shift_2_and", 0, Without(0)), ("add", 9, Without(1)), ("or3", 3, Without(2)), ("splat", 4, Flip(3))];
    for (operation, number, change) in faults {
        let fault = fault("in sets", Slices3, Queen, operation, number, change);
        let cnf = Cnf::refuting(with_fault(fault, || sets_claim(Faulty(Symbolic::<true>))));
        let found = cnf.counterexample(&solver::batsat(&cnf).unwrap_or_else(|| panic!("{operation}: unseen")));
        let boards = ["orthogonal", "diagonal", "occupancy"].map(|name| found[name]);
        let [orthogonal, diagonal, occ] = boards.map(u64::to_le_bytes);
        let kernel = || SliderSets(Faulty(Plain::<true>)).slice_attacks(orthogonal, diagonal, occ);
        let actual = u64::from_le_bytes(with_fault(fault, kernel));
        let [orthogonal, diagonal, occ] = boards;
        let expected = crate::set_attacks(orthogonal, diagonal, occ);
        assert_ne!(actual, expected, "{operation}");
        let drawn = [orthogonal, diagonal, occ, expected, actual].map(Diagram::new);
        println!(
            "{operation} in sets: rooks, bishops, pieces, walk, kernel\n{}",
            drawn.map(|it| format!("{it}\n")).join("\n")
        );
    }
}

/// A claim is about both the attack sets and the promises.
#[test]
fn a_claim_is_refuted_by_either_half() {
    let walk = symbolic_walk(Rook);
    let kernel = || symbolic_slices(Symbolic::<true>, Rook);
    let breaks_a_promise = || {
        Symbolic::<true>.eighth(occupancy().extract(0, 8));
        kernel()
    };
    assert_eq!(refute(claim(kernel, walk), solver::batsat), None);
    assert!(refute(claim(breaks_a_promise, walk), solver::batsat).is_some());
    assert!(refute(claim(kernel, symbolic_walk(Queen)), solver::batsat).is_some());
}

/// A broken promise is found: each of these breaks one, since the byte or the word may have any value.
#[test]
fn every_broken_promise_is_refuted() {
    let (simd, byte, word) = (Symbolic::<true>, occupancy().extract(0, 8), occupancy());
    let asked: [fn(Symbolic<true>, Term, Term) -> Term; 7] = [
        |simd, byte, _| simd.eighth(byte),
        |simd, byte, _| simd.sixteenth(byte),
        |simd, byte, _| simd.lookup([0; 16], byte),
        |simd, byte, _| simd.lanes_of(byte, 0),
        |_, _, word| Term::from(1) - word,
        |_, _, word| Term::from(1) << word,
        |_, _, word| word >> word,
    ];
    for (number, ask) in asked.into_iter().enumerate() {
        let (_, kept) = with_promises(|| ask(simd, byte, word));
        assert!(refute(kept, solver::batsat).is_some(), "promise {number}");
    }
}
