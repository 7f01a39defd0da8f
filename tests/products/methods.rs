//! Every method compared with the reference, for every input that affects its result.

use crate::common::{CASES, Random};
use slider_attacks::diagram::Diagram;
use slider_attacks::line::Line;
use slider_attacks::methods::{self, Method};
use slider_attacks::verify::{subsets, verify};
use slider_attacks::{Backend, Slider, Square, reference};

/// The reference, by line.
const REFERENCE: [fn(Square, u64) -> u64; 4] =
    [reference::rank_attacks, reference::file_attacks, reference::diagonal_attacks, reference::anti_diagonal_attacks];

/// Every line of every square, over all subsets of the line, including the edges and the slider's own square. The squares
/// off the line are empty, full, or change from one subset to the next. With the latter, each of them is also changed
/// alone, so an answer that depends on such a square is seen, whatever the line holds.
fn every_line_over_all_its_occupancies(method: &Method) {
    let mut random = Random(3);
    for (sq, line) in Square::ALL.into_iter().flat_map(|sq| Line::ALL.map(|line| (sq, line))) {
        let mask = line.through(sq);
        let off_line = || Square::ALL.map(Square::bitboard).into_iter().filter(|square| square & mask == 0);
        for subset in subsets(mask) {
            let expected = REFERENCE[line as usize](sq, subset);
            let mixed = subset | random.next() & !mask;
            for occ in [subset, mixed, subset | !mask].into_iter().chain(off_line().map(|square| mixed ^ square)) {
                let actual = method.line_attacks(line, sq, occ);
                if actual != expected {
                    let [occ, actual, expected] = [occ, actual, expected].map(|it| Diagram::new(it).mark(sq, 'S'));
                    panic!("{method} is wrong on {sq}\noccupancy\n{occ}\n{method}\n{actual}\nexpected\n{expected}");
                }
            }
        }
    }
}

/// The three sliders over the occupancies that the backends are verified with.
fn every_slider_over_all_its_occupancies(method: &Method) {
    for slider in Slider::ALL {
        let cases = Square::ALL.into_iter().map(|square| {
            let attacks = |occs: &[u64], out: &mut [u64]| {
                for (&occ, out) in occs.iter().zip(out) {
                    *out = method.attacks(slider, square, occ);
                }
            };
            verify(method.name(), slider, square, attacks).unwrap_or_else(|mismatch| panic!("\n{mismatch}"))
        });
        assert_eq!(cases.sum::<usize>(), CASES);
    }
}

/// Declares the test of each method, and the test that none is missing.
macro_rules! methods {
    ($($(#[$cfg:meta])? $method:ident $name:literal $table_bytes:literal;)*) => {
        $($(#[$cfg])?
        #[test]
        fn $method() {
            let method: Method = $name.parse().unwrap();
            assert_eq!(method.table_bytes(), $table_bytes);
            if !method.can_run() {
                eprintln!("{method} was not tested: this CPU cannot run it");
                return;
            }
            every_line_over_all_its_occupancies(&method);
            every_slider_over_all_its_occupancies(&method);
        })*

        #[test]
        fn every_method_has_its_test() {
            let tested = [$($(#[$cfg])? $name),*];
            assert_eq!(Method::ALL.iter().map(Method::name).collect::<Vec<_>>(), tested);
        }
    };
}

methods! {
    fill_up "fill-up" 8192;
    fill_up_in_order "fill-up-in-order" 8192;
    shared_rank "shared-rank" 512;
    thirty_two_bit "thirty-two-bit" 131_072;
    no_multiplication "no-multiplication" 8192;
    magic_compression "magic-compression" 5824;
    per_square "per-square" 131_584;
    #[cfg(target_arch = "x86_64")]
    pext "pext" 2048;
    rotated "rotated" 512;
}

#[test]
fn an_unknown_method_is_told_the_known_ones() {
    let error = "fill_up".parse::<Method>().unwrap_err().to_string();
    assert!(error.starts_with("expected one of fill-up, fill-up-in-order, "), "{error}");
    assert!(error.ends_with(", rotated"), "{error}");
}

#[test]
fn methods_have_names() {
    for method in Method::ALL {
        let name = method.name();
        assert_eq!(format!("{method:>20}|{method:?}"), format!("{name:>20}|Method({name})"));
        assert_eq!(name.parse::<Method>().unwrap().name(), name);
    }
}

/// A method that cannot run is not tested: so there must be a reason.
#[test]
fn every_method_but_pext_runs_everywhere() {
    for method in Method::ALL {
        assert_eq!(method.can_run(), method.name() != "pext" || Backend::bmi2().is_some(), "{method}");
    }
}

/// All but PEXT can be asked while compiling.
#[test]
fn methods_are_const() {
    macro_rules! queen_attacks {
        ($($method:ident)*) => { [$(methods::$method::queen_attacks(Square::E4, 0)),*] };
    }
    const ATTACKS: [u64; 8] = queen_attacks! {
        fill_up fill_up_in_order shared_rank thirty_two_bit no_multiplication magic_compression per_square rotated
    };
    assert_eq!(ATTACKS, [reference::attacks(Slider::Queen, Square::E4, 0); 8]);
}

/// The drawn steps begin with the occupancy, look something up, and end with what the method computes.
#[test]
fn steps_end_in_the_attacks() {
    let mut random = Random(5);
    for method in Method::ALL.iter().filter(|method| method.can_run()) {
        for (sq, line) in Square::ALL.into_iter().flat_map(|sq| Line::ALL.map(|line| (sq, line))) {
            for round in 0..64 {
                let occ = [0, u64::MAX, random.next(), random.board()][round % 4];
                let board = |squares| Diagram::new(squares).mark(sq, 'S').to_string();
                let steps: Vec<String> = method.steps(line, sq, occ).collect();
                assert_eq!(steps[0], format!("occupancy\n{}", board(occ)));
                assert_eq!(steps[1], format!("masked line\n{}", board(occ & line.through(sq))));
                let (_, last) = steps.last().and_then(|step| step.split_once('\n')).expect("there are at least two");
                assert_eq!(last, board(method.line_attacks(line, sq, occ)), "{method}, {line} of {sq}");
                let looked_up = steps.iter().any(|step| step.contains("0b"));
                assert!(looked_up, "{method}, {line}: every method looks something up");
                for step in &steps {
                    let lines: Vec<&str> = step.lines().collect();
                    assert_eq!(lines.len(), 10, "{method}:\n{step}");
                    assert!(!lines[0].is_empty() && lines.iter().all(|line| line.len() <= 18), "{method}:\n{step}");
                    if let Some(digits) = lines[4].trim().strip_prefix("0b") {
                        assert_eq!(digits.len(), lines[2].split_whitespace().count(), "{method}:\n{step}");
                        assert_eq!(
                            digits.replace('0', ".").chars().rev().collect::<String>(),
                            lines[1].replace(' ', "")
                        );
                        let number = u64::from_str_radix(digits, 2).unwrap();
                        assert_eq!(lines[5].trim(), format!("= {number}"), "{method}:\n{step}");
                    }
                }
            }
        }
    }
}

/// A rank is dense already, a file is brought to the A-file first, a diagonal is folded three times.
#[test]
fn steps_are_those_that_the_line_needs() {
    let method: Method = "no-multiplication".parse().unwrap();
    for (line, expected) in Line::ALL.into_iter().zip([
        "lowest row, inner bits  index, table entry, & line  attacks",
        "as the A-file, or  >> 7, or  >> 14, or  >> 28, lowest row, inner bits  index, table entry, << file  attacks",
        "or  >> 32, or  >> 16, or  >> 8, lowest row, inner bits  index, table entry, & line  attacks",
        "or  >> 32, or  >> 16, or  >> 8, lowest row, inner bits  index, table entry, & line  attacks",
    ]) {
        let steps: Vec<String> = method.steps(line, Square::E4, 0).collect();
        let captions: Vec<&str> = steps.iter().filter_map(|step| step.lines().next()).collect();
        assert_eq!(captions.join(", "), format!("occupancy, masked line, {expected}"), "{line}");
    }
}
