//! Every backend against the reference, over every subset of the rays of every square.

use std::collections::HashSet;

use crate::common::{self, CASES, Pairs, for_each};
use slider_attacks::verify::{occupancies, verify};
use slider_attacks::{Backend, ParseBackendError, Slider, Square, reference};

#[test]
fn every_backend_agrees_with_the_reference() {
    common::backends("agreement");
    for_each(|backend, slider| {
        let cases = Square::ALL.map(|square| {
            let verified = verify(backend.name(), slider, square, |occs, out| {
                backend.batch_slider_attacks(slider, &vec![square; occs.len()], occs, out).unwrap();
            });
            verified.unwrap_or_else(|mismatch| panic!("\n{mismatch}"))
        });
        assert_eq!(cases.iter().sum::<usize>(), CASES, "{backend}, {slider}");
        common::say(format_args!("agreement: {backend}, {slider}: {CASES} cases, one square after the other"));
    });
}

/// `verify` fills whole blocks with one square. Here neighbouring lanes hold different squares and boards, so that a kernel
/// that takes anything from the wrong lane is caught.
#[test]
fn every_backend_agrees_with_the_reference_on_mixed_squares() {
    let mut pairs: Vec<(Square, u64)> = Square::ALL
        .into_iter()
        .flat_map(|square| occupancies(square).map(move |occupancy| (square, occupancy)))
        .collect();
    assert_eq!(pairs.len(), CASES);
    let mut random = common::Random(2);
    for last in (1..pairs.len()).rev() {
        pairs.swap(last, random.below(last + 1));
    }
    let neighbours = pairs.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    assert!(neighbours > CASES * 9 / 10, "the squares are not mixed: {neighbours} differ from the next");

    let pairs = Pairs::from_iter(pairs);
    let expected = Slider::ALL.map(|slider| pairs.expected(slider));
    for_each(|backend, slider| {
        common::check(format_args!("{backend}, {slider}"), &expected[slider as usize], (0, 0), |out| {
            backend.batch_slider_attacks(slider, &pairs.squares, &pairs.occs, out)
        });
        common::say(format_args!("agreement: {backend}, {slider}: {CASES} cases, squares mixed"));
    });
}

#[test]
fn the_scalar_backend_always_runs() {
    assert!(Backend::available().any(|backend| backend == Backend::scalar()));
}

#[test]
fn a_required_backend_that_is_missing_is_an_error() {
    let find = |name: &str| match name {
        "scalar" | "avx2" => Ok(()),
        "avx512" => Err(ParseBackendError::Unavailable("avx512")),
        name => Err(ParseBackendError::Unknown(name.to_owned())),
    };
    for fine in ["", " ", "scalar", "scalar,avx2", " avx2 , scalar"] {
        assert_eq!(common::require(fine, find), Ok(()), "{fine:?}");
    }
    let missing = common::require("scalar,avx512", find).unwrap_err();
    assert!(missing.starts_with("the required backend avx512 did not run: this CPU cannot run avx512"), "{missing}");
    for (unknown, name) in [("avx1024", "avx1024"), ("scalar,", ""), ("scalar avx2", "scalar avx2"), ("AVX2", "AVX2")] {
        let complaint = common::require(unknown, find).unwrap_err();
        assert!(complaint.starts_with(&format!("there is no backend {name:?}: expected one of ")), "{complaint}");
    }
    let both = common::require("avx512,mmx", find).unwrap_err();
    assert!(both.contains("avx512") && both.contains("mmx"), "{both}");
}

/// Every subset of the rook's rays, then of the bishop's, each once; and the other squares are neither all full nor all
/// empty throughout.
#[test]
fn the_occupancies_are_all_subsets_and_more() {
    let mut total = 0;
    for square in Square::ALL {
        let mut all = occupancies(square);
        for slider in [Slider::Rook, Slider::Bishop] {
            let rays = reference::attacks(slider, square, 0);
            let found: Vec<u64> = all.by_ref().take(1 << rays.count_ones()).collect();
            let subsets: HashSet<u64> = found.iter().map(|occ| occ & rays).collect();
            assert_eq!(subsets.len(), 1 << rays.count_ones(), "{slider} on {square}");
            let ever = found.iter().fold(0, |ever, occ| ever | occ);
            let always = found.iter().fold(!0, |always, occ| always & occ);
            assert_eq!((ever, always), (!0, 0), "{slider} on {square}");
            total += found.len();
        }
        assert_eq!(all.next(), None);
    }
    assert_eq!(total, CASES);
}

#[test]
fn a_mismatch_is_found_and_drawn() {
    let wrong = verify("a wrong method", Slider::Rook, Square::A1, |occs, out| {
        Backend::scalar().batch_slider_attacks(Slider::Rook, &vec![Square::A1; occs.len()], occs, out).unwrap();
        let at = occs.iter().position(|occ| occ & 0xfe == 0b1010 && occ & 0x0101_0101_0101_0100 == 0).unwrap();
        assert_eq!(out[at] & 0xff, 0b0010);
        out[at] ^= 0b0110;
    });
    let mismatch = wrong.unwrap_err();
    assert_eq!((mismatch.slider(), mismatch.square()), (Slider::Rook, Square::A1));
    assert_eq!(mismatch.expected(), reference::attacks(Slider::Rook, Square::A1, mismatch.occupancy()));
    assert_eq!(mismatch.actual(), mismatch.expected() ^ 0b0110);
    let drawn = mismatch.to_string();
    let lines: Vec<&str> = drawn.lines().collect();
    assert!(lines[0].starts_with("a wrong method is wrong for the rook on a1, occupancy 0x"), "{drawn}");
    let captions = "occupancy            reference            a wrong method       difference";
    let rank = "1  R 1 . 1 . . . .   1  R 1 . . . . . .   1  R . 1 . . . . .   1  R 1 1 . . . . .";
    assert_eq!((lines[1], lines[9], lines.len()), (captions, rank, 11), "{drawn}");
}
