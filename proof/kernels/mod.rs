//! The proof: every kernel gives what the ray walk gives, on each of the 64 squares and for all 2^64 occupancies.
//!
//! The kernels are generic over what they compute with. Here their own source runs on terms whose values are not known
//! ([`term`]), and so does the ray walk ([`walk`]). The claim is that both give the same, and that every operation gets
//! the operands that it demands. The claim is a term as well, and a solver looks for a square and an occupancy that
//! refute it ([`cnf`], [`solver`]). If it finds a pair, that is drawn. `proof/README.md` says what follows from the
//! proof and what does not.
//!
//! ```sh
//! cargo test --release --lib proof -- --nocapture   # proves, and prints the table
//! proof/check                                       # has bitwuzla or z3 prove the same, from SMT-LIB files
//! ```

/// Declares tests of the operations of a backend. Each of them gets the backend's token, if this CPU can run it.
macro_rules! tests_on {
    ($backend:ident $($name:ident $test:expr;)*) => {
        mod $backend {
            use super::*;

            $(#[test]
            fn $name() {
                match simd::$backend() {
                    Some(simd) => $test(simd),
                    None => eprintln!("not tested: this CPU cannot run {}", stringify!($backend)),
                }
            })*
        }
    };
}

mod cnf;
mod faults;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, unused_imports, reason = "no other architecture has these operations")
)]
mod groups;
mod lane;
mod matrices;
#[cfg(target_arch = "x86_64")]
mod matrix_operations;
mod operations;
mod smt;
mod solver;
mod term;
mod transpose;
mod walk;

use std::array;
use std::fs;
use std::path::Path;
use std::time::Instant;

use cnf::{Cnf, Counterexample};
use groups::Eight;
use lane::{Plain, Symbolic};
use matrices::{Block, Lane, Model};
use solver::Solver;
use term::{Term, with_promises};

use crate::batch::kernel::lines::{self, BYTE_SWAP, LEADING_ZEROS, Word};
use crate::batch::kernel::slider_sets::{Products, Shifts, SliderSets, West};
use crate::batch::kernel::{chosen_slices, file_bits, rank_slices};
use crate::batch::simd::{Bytes, Choices, Groups, Rows};
use crate::diagram::Diagram;
use crate::{Slider, Square, reference};

/// What is to be proven of one kernel, in one form and for one slider.
struct Obligation {
    name: String,
    slider: Slider,
    /// One bit, as a function of the variables `square` and `occupancy`.
    claim: Term,
    /// The same source on numbers.
    concrete: Box<dyn Fn(Square, u64) -> u64>,
}

/// Any of the 64 squares.
fn square() -> Term {
    Term::variable("square", 6)
}

/// Any board.
fn occupancy() -> Term {
    Term::variable("occupancy", 64)
}

/// What is to be proven of the kernels as they are shipped.
fn obligations() -> Vec<Obligation> {
    let each = |slider| {
        [
            rank_slices_obligation::<true>(slider, "three-operand logic"),
            rank_slices_obligation::<false>(slider, "two-operand logic"),
            chosen_slices_obligation(slider),
            lines_obligation::<LEADING_ZEROS>(slider, "leading zeros"),
            lines_obligation::<BYTE_SWAP>(slider, "byte swaps"),
            few_obligation(slider),
        ]
    };
    Slider::ALL.into_iter().flat_map(each).collect()
}

fn rank_slices_obligation<const TERNARY: bool>(slider: Slider, form: &str) -> Obligation {
    Obligation {
        name: format!("rank slices, {form}, {slider}"),
        slider,
        claim: claim(|| symbolic_slices(Symbolic::<TERNARY>, slider), symbolic_walk(slider)),
        concrete: Box::new(move |square, occ| concrete_slices(Plain::<TERNARY>, slider, square, occ)),
    }
}

fn chosen_slices_obligation(slider: Slider) -> Obligation {
    Obligation {
        name: format!("chosen slices, {slider}"),
        slider,
        claim: claim(|| symbolic_chosen(Symbolic::<false>, slider), symbolic_walk(slider)),
        concrete: Box::new(move |square, occ| concrete_chosen(Plain::<false>, slider, square, occ)),
    }
}

fn lines_obligation<const LEADING_ZEROS: bool>(slider: Slider, form: &str) -> Obligation {
    let kernel = || lines::<LEADING_ZEROS, _>(slider, square().widened(64), occupancy());
    Obligation {
        name: format!("lines, {form}, {slider}"),
        slider,
        claim: claim(kernel, symbolic_walk(slider)),
        concrete: Box::new(move |square, occ| lines::<LEADING_ZEROS, _>(slider, u64::from(square.index()), occ)),
    }
}

fn few_obligation(slider: Slider) -> Obligation {
    Obligation {
        name: format!("bit matrices, one board, {slider}"),
        slider,
        claim: claim(|| symbolic_few::<1, _>(Model::<true>, slider)[0], symbolic_walk(slider)),
        concrete: Box::new(move |square, occ| concrete_few(Model::<true>, slider, [(square, occ)])[0]),
    }
}

/// The attack sets of one board or two, which share a lane.
fn symbolic_few<const PLACES: usize, S: Rows<1, PLACES, Vector = Lane>>(simd: S, slider: Slider) -> [Term; PLACES] {
    let names = if PLACES == 1 { &ONE[..] } else { &EIGHT };
    let of_row: [_; 8] = array::from_fn(|row| matrices::open_square(Term::variable(names[row * PLACES / 8].0, 6)));
    let boards = array::from_fn(|place| matrices::open(Term::variable(names[place].1, 64)));
    matrices::lane(simd, slider, matrices::lane_of(of_row), boards).map(|attacks| joined(attacks.map(|bit| bit.term())))
}

fn concrete_few<const PLACES: usize, S: Rows<1, PLACES, Vector = Lane>>(
    simd: S,
    slider: Slider,
    pairs: [(Square, u64); PLACES],
) -> [u64; PLACES] {
    let squares = array::from_fn(|row| pairs[row * PLACES / 8].0.index());
    let boards = pairs.map(|(_, occ)| matrices::known(occ));
    matrices::lane(simd, slider, matrices::known(u64::from_le_bytes(squares)), boards).map(matrices::value)
}

/// The names of the variables of one board.
const ONE: [(&str, &str); 1] = [("square", "occupancy")];
/// The names of the variables of a lane of blocks: eight boards, which share its bytes. The first two share a lane of few.
const EIGHT: [(&str, &str); 8] = [
    ("square0", "board0"),
    ("square1", "board1"),
    ("square2", "board2"),
    ("square3", "board3"),
    ("square4", "board4"),
    ("square5", "board5"),
    ("square6", "board6"),
    ("square7", "board7"),
];

/// The attack sets of eight boards in a lane of blocks.
fn symbolic_block<S: Block>(simd: S, slider: Slider) -> [Term; 8] {
    let squares = matrices::lane_of(EIGHT.map(|(square, _)| matrices::open_square(Term::variable(square, 6))));
    let boards = EIGHT.map(|(_, board)| matrices::open(Term::variable(board, 64)));
    matrices::block(simd, slider, &squares, &boards).map(|attacks| joined(attacks.map(|bit| bit.term())))
}

fn concrete_block<S: Block>(simd: S, slider: Slider, pairs: [(Square, u64); 8]) -> [u64; 8] {
    let squares = matrices::known(u64::from_le_bytes(pairs.map(|(square, _)| square.index())));
    matrices::block(simd, slider, &squares, &pairs.map(|(_, occ)| matrices::known(occ))).map(matrices::value)
}

/// The attack sets of rooks on eight boards, one from each group, by file bits.
fn symbolic_files<S: Groups<Vector = [Term; 8]>>(simd: S) -> [Term; 8] {
    let squares = EIGHT.map(|(square, _)| Term::variable(square, 6).widened(8));
    let boards = EIGHT.map(|(_, board)| array::from_fn(|rank| Term::variable(board, 64).extract(8 * rank as u32, 8)));
    file_bits::Rook::over(simd).group_attacks(squares, &boards).map(joined)
}

fn concrete_files<S: Groups<Vector = [u8; 8]>>(simd: S, pairs: [(Square, u64); 8]) -> [u64; 8] {
    let (squares, boards) = (pairs.map(|(square, _)| square.index()), pairs.map(|(_, occ)| occ.to_le_bytes()));
    file_bits::Rook::over(simd).group_attacks(squares, &boards).map(u64::from_le_bytes)
}

/// The claim that each board, by the names of its variables, gets what the walk gives, whatever the others are.
fn boards_claim(slider: Slider, names: &[(&'static str, &'static str)], attacks: &[Term]) -> Term {
    let claims = names.iter().zip(attacks).map(|(&(square, board), attacks)| {
        attacks.equals(symbolic_walk_of(slider, Term::variable(square, 6), Term::variable(board, 64)))
    });
    claims.reduce(|all, claim| all & claim).expect("there is a board")
}

/// The claims about boards that share a lane, by name: of blocks, a rook's are alike in both orders of boards.
fn block_claims() -> Vec<(String, Term)> {
    fn claim(order: &str, simd: impl Block, slider: Slider) -> (String, Term) {
        (format!("bit matrices, {order}, {slider}"), boards_claim(slider, &EIGHT, &symbolic_block(simd, slider)))
    }
    let (files, promises) = with_promises(|| symbolic_files(Eight(Symbolic::<false>)));
    let files = boards_claim(Slider::Rook, &EIGHT, &files) & promises;
    let mut claims = vec![("file bits, rook".to_owned(), files), claim("eight boards", Model::<true>, Slider::Rook)];
    for slider in Slider::ALL {
        let attacks = symbolic_few::<2, _>(Model::<true>, slider);
        claims.push((format!("bit matrices, two boards, {slider}"), boards_claim(slider, &EIGHT[..2], &attacks)));
    }
    for slider in [Slider::Bishop, Slider::Queen] {
        claims.push(claim("eight boards apart", Model::<true>, slider));
        claims.push(claim("eight boards together", Model::<false>, slider));
    }
    claims
}

/// The claim that a kernel gives what the walk gives, and keeps the promises of its operations.
fn claim(kernel: impl FnOnce() -> Term, walk: Term) -> Term {
    let (attacks, promises) = with_promises(kernel);
    attacks.equals(walk) & promises
}

/// The specification: the ray walk as a term.
fn symbolic_walk(slider: Slider) -> Term {
    symbolic_walk_of(slider, square(), occupancy())
}

fn symbolic_walk_of(slider: Slider, square: Term, occupancy: Term) -> Term {
    let stands = array::from_fn(|number| square.equals(Term::constant(number as u64, 6)));
    let occupied = array::from_fn(|number| occupancy.extract(number as u32, 1));
    joined(walk::attacks(slider, stands, occupied, Term::constant(0, 1)))
}

/// The same claim about sets of sliders: for any board of sliders along ranks and files, any of sliders along diagonals,
/// and any of pieces. The walk asks of each square whether a slider stands there, so it also works for sets.
fn sets_claim<S: Bytes<Vector = Term>>(simd: S, west: impl West<S>) -> Term {
    let boards = ["orthogonal", "diagonal", "occupancy"].map(|name| Term::variable(name, 64));
    let [orthogonal, diagonal, occupied] = boards.map(|board| array::from_fn(|at| board.extract(at as u32, 1)));
    let no = Term::constant(0, 1);
    let along_lines = joined(walk::attacks(Slider::Rook, orthogonal, occupied, no));
    let walk = along_lines | joined(walk::attacks(Slider::Bishop, diagonal, occupied, no));

    let [orthogonal, diagonal, occ] = boards.map(|board| array::from_fn(|rank| board.extract(8 * rank as u32, 8)));
    claim(|| joined(SliderSets(simd, west).slice_attacks(orthogonal, diagonal, occ)), walk)
}

/// One lane of the kernel: the board's ranks are bytes.
fn slices<S: Bytes>(simd: S, slider: Slider, square: S::Vector, ranks: [S::Vector; 8]) -> [S::Vector; 8] {
    match slider {
        Slider::Bishop => rank_slices::Bishop::over(simd).slice_attacks(square, &ranks),
        Slider::Rook => rank_slices::Rook::over(simd).slice_attacks(square, &ranks),
        Slider::Queen => rank_slices::Queen::over(simd).slice_attacks(square, &ranks),
    }
}

fn symbolic_slices<S: Bytes<Vector = Term>>(simd: S, slider: Slider) -> Term {
    let ranks = array::from_fn(|rank| occupancy().extract(8 * rank as u32, 8));
    joined(slices(simd, slider, square().widened(8), ranks))
}

fn concrete_slices<S: Bytes<Vector = u8>>(simd: S, slider: Slider, square: Square, occ: u64) -> u64 {
    u64::from_le_bytes(slices(simd, slider, square.index(), occ.to_le_bytes()))
}

fn chosen<S: Choices>(simd: S, slider: Slider, square: S::Vector, ranks: [S::Vector; 8]) -> [S::Vector; 8] {
    match slider {
        Slider::Bishop => chosen_slices::Bishop::over(simd).slice_attacks(square, &ranks),
        Slider::Rook => chosen_slices::Rook::over(simd).slice_attacks(square, &ranks),
        Slider::Queen => chosen_slices::Queen::over(simd).slice_attacks(square, &ranks),
    }
}

fn symbolic_chosen<S: Choices<Vector = Term>>(simd: S, slider: Slider) -> Term {
    let ranks = array::from_fn(|rank| occupancy().extract(8 * rank as u32, 8));
    joined(chosen(simd, slider, square().widened(8), ranks))
}

fn concrete_chosen<S: Choices<Vector = u8>>(simd: S, slider: Slider, square: Square, occ: u64) -> u64 {
    u64::from_le_bytes(chosen(simd, slider, square.index(), occ.to_le_bytes()))
}

fn lines<const LEADING_ZEROS: bool, W: Word>(slider: Slider, square: W, occ: W) -> W {
    match slider {
        Slider::Bishop => lines::bishop_attacks::<LEADING_ZEROS, W>(square, occ),
        Slider::Rook => lines::rook_attacks::<LEADING_ZEROS, W>(square, occ),
        Slider::Queen => lines::queen_attacks::<LEADING_ZEROS, W>(square, occ),
    }
}

/// The terms as one, the first in the lowest bits.
fn joined<const N: usize>(terms: [Term; N]) -> Term {
    terms.into_iter().reduce(|low, high| high.above(low)).expect("there are some")
}

/// Values for which a claim does not hold, by the names of the variables, if there are any.
fn refute(claim: Term, solver: Solver) -> Option<Counterexample> {
    let cnf = Cnf::refuting(claim);
    let found = cnf.counterexample(&solver(&cnf)?);
    assert_eq!(claim.evaluate(|name| value(&found, name)), 0, "the solver's counter-example is none");
    Some(found)
}

/// The value of a variable, which is any if the claim does not depend on it.
fn value(found: &Counterexample, name: &str) -> u64 {
    found.get(name).copied().unwrap_or_default()
}

/// The square and the occupancy of a board, by the names of its variables.
fn pair(found: &Counterexample, (square, occupancy): (&str, &str)) -> (Square, u64) {
    (Square::ALL[value(found, square) as usize], value(found, occupancy))
}

/// Draws a counter-example, after checking that it is one: `actual` is what the kernel itself gave.
fn drawn(slider: Slider, square: Square, occ: u64, actual: u64) -> String {
    let expected = reference::attacks(slider, square, occ);
    assert_ne!(
        actual, expected,
        "the {slider} on {square}, occupancy {occ:#018x}: only the terms differ from the walk"
    );
    let letter = slider.name().as_bytes()[0].to_ascii_uppercase() as char;
    let occ = Diagram::new(occ).mark(square, letter).lines();
    let attacks = Diagram::new(expected).lines().zip(Diagram::new(actual).lines());
    let captions = format!("{:<21}{:<21}kernel\n", "occupancy", "ray walk");
    occ.zip(attacks)
        .fold(captions, |drawing, (occ, (expected, actual))| format!("{drawing}{occ}   {expected}   {actual}\n"))
}

#[test]
fn a_counterexample_is_drawn() {
    let expected = "\
occupancy            ray walk             kernel
8  . . . . . . . .   8  . . . 1 . . . .   8  . . . . . . . .
7  . . . . . . . .   7  . . . 1 . . . .   7  . . . . . . . .
6  . . . . . . . .   6  . . . 1 . . . .   6  . . . . . . . .
5  . . . . . . . .   5  . . . 1 . . . .   5  . . . . . . . .
4  . 1 . R . . . .   4  . 1 1 . 1 1 1 1   4  . . . . . . . .
3  . . . . . . . .   3  . . . 1 . . . .   3  . . . . . . . .
2  . . . . . . . .   2  . . . 1 . . . .   2  . . . . . . . .
1  . . . . . . . .   1  . . . 1 . . . .   1  . . . . . . . .
   a b c d e f g h      a b c d e f g h      a b c d e f g h
";
    assert_eq!(drawn(Slider::Rook, Square::D4, Square::B4.bitboard(), 0), expected);
}

#[test]
fn every_kernel_is_the_ray_walk() {
    println!("{:<46}{:>8}{:>9}{:>10}{:>11}", "obligation", "batsat", "varisat", "variables", "clauses");
    let obligations = obligations();
    assert_eq!(obligations.len(), 18, "two kernels in two forms and two in one, for three sliders");
    for Obligation { name, slider, claim, concrete } in obligations {
        let cnf = Cnf::refuting(claim);
        let mut seconds = [0.0; 2];
        for (seconds, solver) in seconds.iter_mut().zip([solver::batsat, solver::varisat]) {
            let start = Instant::now();
            if let Some(found) = refute(claim, solver) {
                let (square, occ) = pair(&found, ONE[0]);
                panic!("{name}: refuted\n{}", drawn(slider, square, occ, concrete(square, occ)));
            }
            *seconds = start.elapsed().as_secs_f64();
        }
        let [batsat, varisat] = seconds;
        println!("{name:<46}{batsat:>7.2}s{varisat:>8.2}s{:>10}{:>11}", cnf.variables, cnf.clauses.len());
    }
}

/// The claims about sets of sliders, by name.
fn sets_claims() -> [(String, Term); 2] {
    let simd = Symbolic::<true>;
    [("shifts", sets_claim(simd, Shifts)), ("products", sets_claim(simd, Products(simd)))]
        .map(|(form, claim)| (format!("sets of sliders, {form}"), claim))
}

#[test]
fn every_set_of_sliders_is_the_ray_walk() {
    for (form, claim) in sets_claims() {
        let cnf = Cnf::refuting(claim);
        for (solver, name) in [(solver::batsat as Solver, "batsat"), (solver::varisat, "varisat")] {
            let start = Instant::now();
            if let Some(model) = solver(&cnf) {
                let boards = cnf.counterexample(&model).into_iter().map(|(name, board)| (name, Diagram::new(board)));
                panic!("refuted\n{}", boards.map(|(name, board)| format!("{name}\n{board}\n")).collect::<String>());
            }
            let (seconds, clauses) = (start.elapsed().as_secs_f64(), cnf.clauses.len());
            println!("{form}, {name}: {seconds:.2}s, {} variables, {clauses} clauses", cnf.variables);
        }
    }
}

#[test]
fn every_block_is_the_ray_walk() {
    for (name, claim) in block_claims() {
        let cnf = Cnf::refuting(claim);
        let mut line = format!("{name:<46}");
        for solver in [solver::batsat as Solver, solver::varisat] {
            let start = Instant::now();
            if let Some(model) = solver(&cnf) {
                panic!("{name}: refuted by {:x?}", cnf.counterexample(&model));
            }
            line += &format!("{:>7.2}s ", start.elapsed().as_secs_f64());
        }
        println!("{line}{:>9}{:>11}", cnf.variables, cnf.clauses.len());
    }
}

/// For an independent solver: `proof/check` runs it on each file, and compares its answer with the status in the file.
#[test]
#[ignore = "writes files: `proof/check` runs it"]
fn write_obligations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/obligations");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let claims = obligations().into_iter().map(|it| (it.name, it.claim, "unsat"));
    let controls = faults::controls().into_iter().map(|(name, claim)| (name, claim, "sat"));
    let sets = sets_claims().map(|(name, claim)| (name, claim, "unsat"));
    let blocks = block_claims().into_iter().map(|(name, claim)| (name, claim, "unsat"));
    for (name, claim, status) in claims.chain(sets).chain(blocks).chain(controls) {
        let file = folder.join(name.replace(", ", "_").replace(' ', "-") + ".smt2");
        fs::write(&file, smt::refuting(claim, &name, status)).expect("the file can be written");
        println!("{}", file.display());
    }
}
