//! Every method against the reference, over everything that its answer can depend on.

use slider_attacks::diagram::Diagram;
use slider_attacks::line::subsets;
use slider_attacks::line::{Line, Lines};
use slider_attacks::methods::{Attacks, Method, Value};
use slider_attacks::verify::{CASES, occupancies};
use slider_attacks::{Backend, Slider, Square, methods, reference};

/// Every line of every square, over all subsets of the line: the edges and the slider's own square are in
/// them. What stands beside the line changes from one subset to the next.
fn every_line_over_all_its_occupancies(method: &Method) {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    for sq in Square::ALL {
        let Lines { rank, file, diagonal, anti_diagonal } = *Lines::through(sq);
        let lines: [(u64, Attacks, Attacks); 4] = [
            (rank, method.rank_attacks, reference::rank_attacks),
            (file, method.file_attacks, reference::file_attacks),
            (diagonal, method.diagonal_attacks, reference::diagonal_attacks),
            (anti_diagonal, method.anti_diagonal_attacks, reference::anti_diagonal_attacks),
        ];
        for (line, attacks, expected) in lines {
            for subset in subsets(line) {
                noise = noise.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
                for occ in [subset, subset | noise & !line, subset | !line] {
                    assert_same(method, sq, occ, attacks(sq, occ), expected(sq, occ));
                }
            }
        }
    }
}

/// Every line of every square again: each square beside the line is changed alone, under all subsets of the line and
/// some pieces beside it. So an answer that hangs on such a square is seen, whatever the line holds.
fn squares_beside_a_line_make_no_difference(method: &Method) {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    for sq in Square::ALL {
        for line in Line::ALL {
            let (mask, attacks) = (line.through(sq), method.line_attacks(line));
            for subset in subsets(mask) {
                noise = noise.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
                let occ = subset | noise & !mask;
                let expected = attacks(sq, occ);
                for beside in Square::ALL.map(Square::bitboard).into_iter().filter(|square| square & mask == 0) {
                    assert_same(method, sq, occ ^ beside, attacks(sq, occ ^ beside), expected);
                }
            }
        }
    }
}

/// The three sliders over the occupancies that the backends are verified with.
fn every_slider_over_all_its_occupancies(method: &Method) {
    let mut cases = 0;
    for sq in Square::ALL {
        for occ in occupancies(sq) {
            cases += 1;
            let rook = reference::attacks(Slider::Rook, sq, occ);
            let bishop = reference::attacks(Slider::Bishop, sq, occ);
            assert_same(method, sq, occ, (method.rook_attacks)(sq, occ), rook);
            assert_same(method, sq, occ, (method.bishop_attacks)(sq, occ), bishop);
            assert_same(method, sq, occ, (method.queen_attacks)(sq, occ), rook | bishop);
        }
    }
    assert_eq!(cases, CASES);
}

fn assert_same(method: &Method, sq: Square, occ: u64, actual: u64, expected: u64) {
    if actual != expected {
        let [occ, actual, expected] = [occ, actual, expected].map(|board| Diagram::new(board).mark(sq, 'S'));
        panic!("{method} is wrong on {sq}\noccupancy\n{occ}\n{method}\n{actual}\nreference\n{expected}");
    }
}

/// Declares the test of each method, and the test that none is missing.
macro_rules! methods {
    ($($(#[$cfg:meta])? $method:ident $name:literal $table_bytes:literal;)*) => {
        $($(#[$cfg])?
        #[test]
        fn $method() {
            let method: Method = $name.parse().unwrap();
            assert_eq!(method.table_bytes, methods::$method::TABLE_BYTES);
            assert_eq!(method.table_bytes, $table_bytes);
            if !method.can_run() {
                eprintln!("{method} was not tested: this CPU cannot run it");
                return;
            }
            every_line_over_all_its_occupancies(&method);
            squares_beside_a_line_make_no_difference(&method);
            every_slider_over_all_its_occupancies(&method);
        })*

        #[test]
        fn every_method_has_its_test() {
            let tested = [$($(#[$cfg])? $name),*];
            assert_eq!(Method::ALL.iter().map(|method| method.name).collect::<Vec<_>>(), tested);
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
fn methods_and_lines_have_names() {
    for method in Method::ALL {
        assert_eq!(format!("{method:>20}|{method:?}"), format!("{:>20}|Method({})", method.name, method.name));
    }
    assert_eq!(Line::ALL.map(Line::name), ["rank", "file", "diagonal", "anti-diagonal"]);
}

/// A method that cannot run is not tested: so there must be a reason.
#[test]
fn every_method_but_pext_runs_everywhere() {
    for method in Method::ALL {
        assert_eq!(method.can_run(), method.name != "pext" || Backend::bmi2().is_some(), "{method}");
    }
}

/// All but PEXT can be asked while compiling.
#[test]
fn methods_are_const() {
    const ATTACKS: [u64; 8] = {
        use methods::*;
        [
            fill_up::queen_attacks(Square::E4, 0),
            fill_up_in_order::queen_attacks(Square::E4, 0),
            shared_rank::queen_attacks(Square::E4, 0),
            thirty_two_bit::queen_attacks(Square::E4, 0),
            no_multiplication::queen_attacks(Square::E4, 0),
            magic_compression::queen_attacks(Square::E4, 0),
            per_square::queen_attacks(Square::E4, 0),
            rotated::queen_attacks(Square::E4, 0),
        ]
    };
    assert_eq!(ATTACKS, [reference::attacks(Slider::Queen, Square::E4, 0); 8]);
}

/// The steps that people are shown end in what the method computes, and begin with what it is given.
#[test]
fn steps_end_in_the_attacks() {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    for method in Method::ALL.iter().filter(|method| method.can_run()) {
        for sq in Square::ALL {
            for round in 0..64 {
                noise = noise.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
                let occ = [0, u64::MAX, noise, noise & noise.rotate_left(17)][round % 4];
                for line in Line::ALL {
                    let steps = method.steps(line, sq, occ);
                    assert_eq!(steps[0].value, Value::Squares(occ));
                    assert_eq!(steps[1].value, Value::Squares(occ & line.through(sq)));
                    let last = steps.last().expect("there are two at least");
                    let attacks = method.line_attacks(line)(sq, occ);
                    assert_eq!(last.value, Value::Squares(attacks), "{method}, {} of {sq}", line.name());
                    let looked_up = steps.iter().any(|step| matches!(step.value, Value::Index { .. }));
                    assert!(looked_up, "{method}, {}: every method looks something up", line.name());
                    for step in &steps {
                        assert!(!step.caption.is_empty(), "{method}: {step:?}");
                        assert!(step.caption.len() <= 18, "{method}: {:?} is wider than a board", step.caption);
                        if let Value::Index { index, bits } = step.value {
                            assert!(index >> bits == 0, "{method}: {step:?}");
                        }
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
        let captions: Vec<&str> = method.steps(line, Square::E4, 0).iter().map(|step| step.caption).collect();
        assert_eq!(captions.join(", "), format!("occupancy, masked line, {expected}"), "{}", line.name());
    }
}
