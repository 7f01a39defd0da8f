//! Negative controls: kernels with a fault must be refuted.
//!
//! A fault is seeded into the shipped kernel through what it computes with: the *n*-th use of one operation goes wrong.
//! The same wrapper goes around terms, for the solver, and around numbers, to replay the counter-example.

use std::cell::Cell;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr, Sub};

use super::cnf::{Cnf, Counterexample};
use super::groups::{Byte, Eight};
use super::lane::{Plain, Symbolic};
use super::matrices::Model;
use super::term::{Term, with_promises};
use super::{
    EIGHT, ONE, Solver, boards_claim, claim, concrete_block, concrete_chosen, concrete_few, concrete_files,
    concrete_slices, drawn, lines, occupancy, pair, refute, sets_claim, solver, square, symbolic_block,
    symbolic_chosen, symbolic_few, symbolic_files, symbolic_slices, symbolic_walk, value,
};
use crate::batch::blocks::Traffic;
use crate::batch::kernel::lines::{BYTE_SWAP, LEADING_ZEROS, Word};
use crate::batch::kernel::slider_sets::{Products, Shifts, SliderSets, West};
use crate::batch::simd::{Blocks, Bytes, Choices, Groups, Matrices, Packs, Ranks, Rows};
use crate::diagram::Diagram;
use crate::{Slider, Square, reference};

use Change::{Entry, Flip, Without};
use Kernel::{Apart, ByteSwaps, Chosen, Few, Files, LeadingZeros, Slices2, Slices3, Together, Two};
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
    /// Those that choose bits.
    Chosen,
    LeadingZeros,
    ByteSwaps,
    /// Bit matrices: one board in a lane, then two, then eight, in either order.
    Few,
    Two,
    Apart,
    Together,
    /// File bits.
    Files,
}

#[derive(Clone, Copy)]
enum Change {
    /// The operand with this number, from 0 on, is zero.
    Without(usize),
    /// A bit of a constant, or of the result, is flipped.
    Flip(u8),
    /// An entry of the table has another value, or a vector is another one.
    Entry(usize, u8),
}

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

/// A table or a number with the wrong entry, if that is the fault.
fn with_entry<T: bytemuck::Pod>(change: Option<Change>, mut table: T) -> T {
    if let Some(Entry(at, entry)) = change {
        bytemuck::bytes_of_mut(&mut table)[at] = entry;
    }
    table
}

/// Vectors. If that is the fault, one is replaced by another.
fn with_other<V: Copy, const N: usize>(change: Option<Change>, mut vectors: [V; N]) -> [V; N] {
    if let Some(Entry(at, other)) = change {
        vectors[at] = vectors[usize::from(other)];
    }
    vectors
}

/// The result of an operation, which may lack an operand or have a flipped bit.
fn seeded<V, const N: usize>(
    change: Option<Change>,
    mut operands: [V; N],
    constant: impl Fn(u64) -> V,
    xor: impl FnOnce(V, V) -> V,
    operation: impl FnOnce([V; N]) -> V,
) -> V {
    if let Some(Without(operand)) = change {
        operands[operand] = constant(0);
    }
    match (operation(operands), change) {
        (result, Some(Flip(bit))) => xor(result, constant(1 << bit)),
        (result, _) => result,
    }
}

/// Operations on numbers or terms. One is faulty.
#[derive(Clone, Copy)]
struct Faulty<T>(T);

impl<S: Bytes> Faulty<S> {
    fn bytes<const N: usize>(
        self,
        change: Option<Change>,
        operands: [S::Vector; N],
        operation: impl FnOnce([S::Vector; N]) -> S::Vector,
    ) -> S::Vector {
        seeded(change, operands, |byte| self.0.splat(byte as u8), |a, b| self.0.xor(a, b), operation)
    }
}

impl<S: Matrices> Faulty<S> {
    fn lanes<const N: usize>(
        self,
        change: Option<Change>,
        operands: [S::Vector; N],
        operation: impl FnOnce([S::Vector; N]) -> S::Vector,
    ) -> S::Vector {
        seeded(change, operands, |lane| self.0.splat(lane), |a, b| self.0.xor(a, b), operation)
    }
}

/// Operations on vectors, with what they take before them, if anything.
macro_rules! operations {
    ($by:ident: $($name:ident $(<$(const $generic:ident: $kind:ident),*>)? $(($first:ident: $type:ty))? $($operand:ident)*;)*)
    => {$(
        fn $name $(<$(const $generic: $kind),*>)? (self $(, $first: $type)? $(, $operand: S::Vector)*) -> S::Vector {
            let change = change(stringify!($name));
            $(let $first = with_entry(change, $first);)?
            self.$by(change, [$($operand),*], |[$($operand),*]| {
                self.0.$name $(::<$($generic),*>)? ($($first,)? $($operand),*)
            })
        }
    )*};
}

impl<S: Bytes> Bytes for Faulty<S> {
    const TERNARY_LOGIC: bool = S::TERNARY_LOGIC;

    type Vector = S::Vector;

    operations! {
        bytes:
        splat (byte: u8); lookup (table: [u8; 16]) a;
        and a b; and_not a b; or a b; xor a b; add a b; sub a b; average a b; max a b; eighth a; sixteenth a;
        shift_1_and a b; shift_2_and a b; shift_4_and a b;
        or3 a b c; or_and a b c; or_and_not a b c; or_or_not a b c; either_and_not a b c; xor_or a b c;
    }

    fn lanes_of(self, a: S::Vector, number: u8) -> S::Vector {
        self.bytes(change("lanes_of"), [a], |[a]| self.0.lanes_of(a, number))
    }
}

impl<S: Choices> Choices for Faulty<S> {
    operations! { bytes: choose mask a b; mirrored a; }
}

impl<S: Groups> Groups for Faulty<S> {
    operations! {
        bytes:
        splat_lanes (lane: [u8; 8]); equal a b; push bits mask; up<const BITS: i32> a; down<const BITS: i32> a;
    }

    fn where_bit(self, a: S::Vector, bits: S::Vector, number: usize) -> S::Vector {
        self.bytes(change("where_bit"), [a, bits], |[a, bits]| self.0.where_bit(a, bits, number))
    }
    fn spread(self, a: S::Vector, group: usize) -> S::Vector {
        self.bytes(change("spread"), [a], |[a]| self.0.spread(a, group))
    }
    fn spread_either(self, a: S::Vector, b: S::Vector, choices: [S::Vector; 8]) -> [S::Vector; 8] {
        self.0.spread_either(a, b, with_other(change("spread_either"), choices))
    }
    fn pair_of_ranks(self, ranks: S::Vector, boards: [S::Vector; 2]) -> S::Vector {
        self.0.pair_of_ranks(ranks, with_other(change("pair_of_ranks"), boards))
    }
    fn join_pairs(self, pairs: [S::Vector; 4]) -> S::Vector {
        self.0.join_pairs(with_other(change("join_pairs"), pairs))
    }
}

impl<S: Matrices> Matrices for Faulty<S> {
    type Vector = S::Vector;
    type Squares = S::Squares;
    type Boards = S::Boards;

    operations! {
        lanes:
        splat (lane: u64); and a b; xor a b; add a b; sub a b; product<const FLIPPED: i32> a matrix;
        by_file (table: u64) squares; by_rank (table: u64) squares;
    }

    fn pairs(self, a: S::Vector, b: S::Vector) -> [S::Vector; 2] {
        let [a, b] = with_other(change("pairs"), [a, b]);
        self.0.pairs(a, b)
    }
    fn board(self, boards: &S::Boards, group: usize) -> S::Vector {
        self.0.board(boards, group)
    }
    fn store(self, boards: &mut S::Boards, group: usize, vector: S::Vector, traffic: Traffic) {
        self.0.store(boards, group, vector, traffic);
    }
}

impl<const ROWS: usize, S: Blocks<ROWS>> Blocks<ROWS> for Faulty<S> {
    fn group(self, pack: usize, place: usize) -> usize {
        let group = self.0.group(pack, place);
        if let Some(Flip(bit)) = change("group") { group ^ 1 << bit } else { group }
    }
    fn load_squares(self, squares: &S::Squares) -> S::Vector {
        self.0.load_squares(squares)
    }
    fn times(self, pack: S::Vector, boards: &[S::Vector; 8]) -> S::Vector {
        self.0.times(pack, &with_other(change("times"), *boards))
    }
}

impl<const ROWS: usize, S: Ranks<ROWS>> Ranks<ROWS> for Faulty<S> {
    fn ranks(self, squares: S::Vector, boards: &[S::Vector; 8]) -> S::Vector {
        self.0.ranks(squares, &with_other(change("ranks"), *boards))
    }
}

impl<const ROWS: usize, S: Packs<ROWS>> Packs<ROWS> for Faulty<S> {
    operations! { lanes: copies (number: usize) row; }

    fn packs(self, rows: [S::Vector; ROWS]) -> [S::Vector; ROWS] {
        self.0.packs(with_other(change("packs"), rows))
    }
    fn star<const QUEEN: bool>(self, squares: S::Vector, group: usize) -> S::Vector {
        self.lanes(change("star"), [squares], |[squares]| self.0.star::<QUEEN>(squares, group))
    }
}

impl<const N: usize, const PLACES: usize, S: Rows<N, PLACES>> Rows<N, PLACES> for Faulty<S> {
    operations! { lanes: rows_by_file<const ROOK: bool, const BISHOP: bool> squares; }

    fn load_few_squares(self, squares: [&[u8; N]; PLACES]) -> S::Vector {
        self.0.load_few_squares(squares)
    }
    fn load_few(self, boards: &[u64; N]) -> S::Vector {
        self.0.load_few(boards)
    }
    fn store_few(self, boards: &mut [u64; N], vector: S::Vector) {
        self.0.store_few(boards, vector);
    }
    fn star_of_lane<const QUEEN: bool>(self, squares: S::Vector, place: usize) -> S::Vector {
        self.lanes(change("star_of_lane"), [squares], |[squares]| self.0.star_of_lane::<QUEEN>(squares, place))
    }
    fn answers(self, rows: S::Vector, boards: [S::Vector; PLACES]) -> S::Vector {
        self.0.answers(rows, with_other(change("answers"), boards))
    }
    fn doubles(self, squares: S::Vector) -> [S::Vector; 2] {
        let [up, down] = self.0.doubles(squares);
        [self.lanes(change("doubles"), [], |[]| up), down]
    }
    fn with_rank(self, answers: S::Vector, squares: S::Vector, boards: [S::Vector; PLACES]) -> S::Vector {
        let change = change("with_rank");
        let boards = with_other(change, boards);
        self.lanes(change, [answers, squares], |[answers, squares]| self.0.with_rank(answers, squares, boards))
    }
    fn exchanged(self, answers: S::Vector, rows: S::Vector, squares: S::Vector) -> [S::Vector; 2] {
        let exchanged = self.0.exchanged(answers, rows, squares);
        match change("exchanged") {
            Some(Without(0)) => [answers, exchanged[1]],
            Some(Without(_)) => [exchanged[0], rows],
            _ => exchanged,
        }
    }
}

impl<W: Word> Faulty<W> {
    fn word<const N: usize>(operation: &str, operands: [Faulty<W>; N], compute: impl FnOnce([W; N]) -> W) -> Faulty<W> {
        Faulty(seeded(change(operation), operands.map(|Faulty(word)| word), W::from, |a, b| a ^ b, compute))
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

impl Kernel {
    /// The names of the variables of its boards.
    fn names(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Apart | Together | Files => &EIGHT,
            Two => &EIGHT[..2],
            _ => &ONE,
        }
    }

    /// The attack sets that it gives with the fault that is seeded, if one is.
    fn symbolic(self, slider: Slider) -> Vec<Term> {
        let (from, occupied) = (Faulty(square().widened(64)), Faulty(occupancy()));
        match self {
            Slices3 => vec![symbolic_slices(Faulty(Symbolic::<true>), slider)],
            Slices2 => vec![symbolic_slices(Faulty(Symbolic::<false>), slider)],
            Chosen => vec![symbolic_chosen(Faulty(Symbolic::<false>), slider)],
            LeadingZeros => vec![lines::<LEADING_ZEROS, _>(slider, from, occupied).0],
            ByteSwaps => vec![lines::<BYTE_SWAP, _>(slider, from, occupied).0],
            Few => symbolic_few::<1, _>(Faulty(Model::<true>), slider).to_vec(),
            Two => symbolic_few::<2, _>(Faulty(Model::<true>), slider).to_vec(),
            Apart => symbolic_block(Faulty(Model::<true>), slider).to_vec(),
            Together => symbolic_block(Faulty(Model::<false>), slider).to_vec(),
            Files => symbolic_files(Faulty(Eight(Symbolic::<false>))).to_vec(),
        }
    }

    /// The same on numbers.
    fn concrete(self, slider: Slider, pairs: &[(Square, u64)]) -> Vec<u64> {
        let (square, occ) = pairs[0];
        let (from, occupied) = (Faulty(u64::from(square.index())), Faulty(occ));
        let eight = || pairs.try_into().expect("there are eight pairs");
        match self {
            Slices3 => vec![concrete_slices(Faulty(Plain::<true>), slider, square, occ)],
            Slices2 => vec![concrete_slices(Faulty(Plain::<false>), slider, square, occ)],
            Chosen => vec![concrete_chosen(Faulty(Plain::<false>), slider, square, occ)],
            LeadingZeros => vec![lines::<LEADING_ZEROS, _>(slider, from, occupied).0],
            ByteSwaps => vec![lines::<BYTE_SWAP, _>(slider, from, occupied).0],
            Few => concrete_few(Faulty(Model::<true>), slider, [(square, occ)]).to_vec(),
            Two => concrete_few(Faulty(Model::<true>), slider, [pairs[0], pairs[1]]).to_vec(),
            Apart => concrete_block(Faulty(Model::<true>), slider, eight()).to_vec(),
            Together => concrete_block(Faulty(Model::<false>), slider, eight()).to_vec(),
            Files => concrete_files(Faulty(Eight(Plain::<false>)), eight()).to_vec(),
        }
    }
}

impl Fault {
    /// The claim that the attack sets are those of the walk wherever the promises are kept. So a counter-example can be
    /// replayed even where overflow is checked.
    fn claim(self) -> Term {
        let (attacks, promises) = with_promises(|| with_fault(self, || self.kernel.symbolic(self.slider)));
        boards_claim(self.slider, self.kernel.names(), &attacks) | !promises
    }

    /// The square on which the kernel is wrong, and a drawing, after checking that terms and numbers give the same.
    fn replay(self, found: &Counterexample) -> (Square, String) {
        let pairs: Vec<(Square, u64)> = self.kernel.names().iter().map(|&names| pair(found, names)).collect();
        let attacks = with_fault(self, || self.kernel.concrete(self.slider, &pairs));
        let terms = with_fault(self, || self.kernel.symbolic(self.slider));
        let evaluated: Vec<u64> = terms.iter().map(|term| term.evaluate(|name| value(found, name))).collect();
        assert_eq!(attacks, evaluated, "{}", self.what);
        let wrong = |&at: &usize| attacks[at] != reference::attacks(self.slider, pairs[at].0, pairs[at].1);
        let at = (0..pairs.len()).find(wrong).unwrap_or_default();
        (pairs[at].0, drawn(self.slider, pairs[at].0, pairs[at].1, attacks[at]))
    }
}

/// A description of each fault, then its place.
#[rustfmt::skip]
const FAULTS: &[Fault] = &[
    fault("the mask of the rank's number lacks a bit", Slices3, Queen, "splat", 1, Flip(3)),
    fault("the table of files calls the d-file the e-file", Slices3, Rook, "lookup", 0, Entry(3, 1 << 4)),
    fault("in the west the edge of the board does not end a ray", Slices3, Rook, "lookup", 2, Entry(0, 0)),
    fault("of two blockers on e and g the farther one counts", Slices3, Rook, "lookup", 3, Entry(5, 1 << 4)),
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
    fault("on the fourth rank, no piece on the rank of a rook is seen", Chosen, Rook, "choose", 2, Without(0)),
    fault("downwards a file goes through a blocker", Chosen, Rook, "and_not", 1, Without(1)),
    fault("west of the slider the mirrored byte is not mirrored back", Chosen, Queen, "mirrored", 2, Without(0)),
    fault("the borrow of the mirrored byte begins at another file", Chosen, Bishop, "add", 1, Flip(3)),
    fault("the fourth rank of a diagonal has another file", Chosen, Bishop, "lookup", 4, Entry(9, 1 << 5)),
    fault("what a queen attacks along a diagonal is not put in", Chosen, Queen, "choose", 33, Without(1)),
    fault("the mask of the rank lacks the h-file", LeadingZeros, Rook, "from", 4, Flip(7)),
    fault("the north-east line ends before h8", LeadingZeros, Bishop, "from", 3, Flip(63)),
    fault("blockers below the slider are not seen", LeadingZeros, Rook, "bitor", 1, Without(0)),
    fault("whatever the slider's rank, the first is looked at", ByteSwaps, Queen, "shl", 1, Without(1)),
    fault("a shift by four is left out", ByteSwaps, Rook, "shr", 2, Without(1)),
    fault("the downward half of a diagonal is left out", ByteSwaps, Bishop, "swap_bytes", 2, Without(0)),
    fault("the f-file changes sides", Few, Bishop, "rows_by_file", 0, Flip(5)),
    fault("the star lacks h8", Few, Queen, "star_of_lane", 0, Flip(63)),
    fault("the downward rays are not subtracted", Few, Rook, "sub", 1, Without(1)),
    fault("whatever the slider's rank, the first is solved", Few, Queen, "with_rank", 0, Without(1)),
    fault("the answer about the rank gets lost", Few, Rook, "exchanged", 0, Without(1)),
    fault("the third rank is doubled wrongly", Few, Bishop, "by_rank", 0, Entry(2, 0x80)),
    fault("west of the slider a piece is seen where none is", Few, Queen, "product", 0, Flip(9)),
    fault("one bit of the file's double is wrong", Few, Rook, "doubles", 0, Flip(30)),
    fault("both boards ask the first one", Two, Bishop, "answers", 0, Entry(1, 0)),
    fault("the rank is that of the next board", Two, Queen, "with_rank", 0, Entry(0, 1)),
    fault("the star of the second board lacks b3", Two, Queen, "star_of_lane", 1, Flip(17)),
    fault("the file of the second board is doubled wrongly", Two, Rook, "doubles", 0, Flip(62)),
    fault("the slider's rank does not become an answer", Two, Rook, "exchanged", 0, Without(0)),
    fault("the solved rank does not become a question", Two, Queen, "exchanged", 0, Without(1)),
    fault("the second board's answers reach the first one", Two, Bishop, "splat", 3, Flip(3)),
    fault("the files west take the questions of those east", Apart, Bishop, "packs", 0, Entry(1, 0)),
    fault("the files are not among the rows", Together, Queen, "packs", 0, Entry(2, 0)),
    fault("the rank is another board's", Apart, Queen, "ranks", 0, Entry(3, 2)),
    fault("the star of one board lacks b3", Together, Bishop, "star", 5, Flip(17)),
    fault("a pack asks the board of its neighbour", Apart, Bishop, "times", 1, Entry(2, 3)),
    fault("the slider's rank is not mirrored", Apart, Bishop, "product", 0, Without(0)),
    fault("downwards along files nothing is subtracted", Apart, Rook, "sub", 0, Without(1)),
    fault("what is solved in the reversed byte gets lost", Together, Queen, "product", 1, Without(1)),
    fault("the doubles are those of another pack", Apart, Queen, "copies", 4, Entry(0, 1)),
    fault("the rank's answer comes twice, the file's not at all", Apart, Rook, "pairs", 0, Entry(0, 1)),
    fault("the answers of two boards meet in one product", Apart, Rook, "splat", 3, Flip(8)),
    fault("a board is stored where another one belongs", Apart, Queen, "group", 6, Flip(2)),
    fault("a board is read where another one belongs", Together, Bishop, "group", 1, Flip(0)),
    fault("the seventh rank of the fifth group is numbered as the eighth", Files, Rook, "splat_lanes", 4, Entry(6, 7)),
    fault("pieces on the file of the third board are not seen", Files, Rook, "and", 3, Without(0)),
    fault("a file is another board's", Files, Rook, "spread", 2, Without(0)),
    fault("the last board is not added to the file bits", Files, Rook, "push", 14, Without(1)),
    fault("four squares further up nothing stops the rook", Files, Rook, "or_and_not", 2, Without(2)),
    fault("downwards it does not look at every second square", Files, Rook, "down", 0, Without(0)),
    fault("the last step up is left out", Files, Rook, "up", 5, Without(0)),
    fault("a rank is solved and goes to another one", Files, Rook, "spread_either", 0, Entry(3, 4)),
    fault("the rank of an odd group is that of the even one", Files, Rook, "pair_of_ranks", 3, Entry(1, 0)),
    fault("two pairs of groups have one pair's ranks", Files, Rook, "join_pairs", 0, Entry(1, 2)),
    fault("one board is empty, whatever is attacked", Files, Rook, "where_bit", 7, Without(1)),
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
    let (square, occ) = (square().widened(64), occupancy());
    for slider in Slider::ALL {
        let kernels = [Slices3, Slices2, Chosen, LeadingZeros, ByteSwaps, Few, Two, Apart, Together];
        let shipped = [
            vec![symbolic_slices(Symbolic::<true>, slider)],
            vec![symbolic_slices(Symbolic::<false>, slider)],
            vec![symbolic_chosen(Symbolic::<false>, slider)],
            vec![lines::<LEADING_ZEROS, _>(slider, square, occ)],
            vec![lines::<BYTE_SWAP, _>(slider, square, occ)],
            symbolic_few::<1, _>(Model::<true>, slider).to_vec(),
            symbolic_few::<2, _>(Model::<true>, slider).to_vec(),
            symbolic_block(Model::<true>, slider).to_vec(),
            symbolic_block(Model::<false>, slider).to_vec(),
        ];
        assert_eq!(kernels.map(|kernel| kernel.symbolic(slider)), shipped, "{slider}");
    }
    assert_eq!(Files.symbolic(Rook), symbolic_files(Eight(Symbolic::<false>)));
}

#[test]
fn every_fault_is_refuted() {
    for fault in FAULTS {
        let [(square, drawing), _] = [solver::batsat as Solver, solver::varisat].map(|solver| {
            let found = refute(fault.claim(), solver);
            fault.replay(&found.unwrap_or_else(|| panic!("{}: unseen", fault.what)))
        });
        println!("{}, {} on {square}: {}\n{drawing}", fault.operation, fault.slider, fault.what);
    }
}

/// Faults in the kernel for sets of sliders. The counter-example consists of three boards, and is replayed as well.
#[test]
fn every_fault_in_sets_is_refuted() {
    let (simd, plain) = (Symbolic::<true>, Plain::<true>);
    let faults =
        [("shift_2_and", 0, Without(0)), ("add", 9, Without(1)), ("or3", 3, Without(2)), ("splat", 4, Flip(3))];
    faults.into_iter().for_each(|fault| fault_in_sets_is_refuted(fault, Shifts, Shifts));
    let faults = [("sub", 1, Without(1)), ("sub", 6, Without(0)), ("xor_or", 5, Without(0))];
    faults.into_iter().for_each(|fault| fault_in_sets_is_refuted(fault, Products(simd), Products(plain)));
}

/// The kernel on terms and on numbers, with how it goes west on each.
fn fault_in_sets_is_refuted(
    (operation, number, change): (&'static str, usize, Change),
    terms: impl West<Faulty<Symbolic<true>>>,
    numbers: impl West<Faulty<Plain<true>>>,
) {
    let fault = fault("in sets", Slices3, Queen, operation, number, change);
    let cnf = Cnf::refuting(with_fault(fault, || sets_claim(Faulty(Symbolic::<true>), terms)));
    let found = cnf.counterexample(&solver::batsat(&cnf).unwrap_or_else(|| panic!("{operation}: unseen")));
    let boards = ["orthogonal", "diagonal", "occupancy"].map(|name| found[name]);
    let [orthogonal, diagonal, occ] = boards.map(u64::to_le_bytes);
    let kernel = || SliderSets(Faulty(Plain::<true>), numbers).slice_attacks(orthogonal, diagonal, occ);
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
    let asks: [fn(Symbolic<true>, Term, Term) -> Term; 11] = [
        |simd, byte, _| simd.eighth(byte),
        |simd, byte, _| simd.sixteenth(byte),
        |simd, byte, _| simd.lookup([0; 16], byte),
        |simd, byte, _| simd.lanes_of(byte, 0),
        |simd, byte, _| simd.either(byte, byte, byte),
        |simd, byte, _| simd.push(simd.splat(0), byte),
        |simd, byte, _| simd.push(byte, simd.splat(0)),
        |simd, byte, _| simd.entry([byte; 8], byte),
        |_, _, word| Term::from(1) - word,
        |_, _, word| Term::from(1) << word,
        |_, _, word| word >> word,
    ];
    for (number, ask) in asks.into_iter().enumerate() {
        let (_, kept) = with_promises(|| ask(simd, byte, word));
        assert!(refute(kept, solver::batsat).is_some(), "promise {number}");
    }
}
