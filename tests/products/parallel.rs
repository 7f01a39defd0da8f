//! Products on several cores, against the serial calls.

use bytemuck::Zeroable;
use rayon::ThreadPoolBuilder;
use slider_attacks::analysis::{ExchangeRules, KeyKind, Side, par_fill};
use slider_attacks::position::{Color, PositionSlice, Positions};
use slider_attacks::{Backend, BatchError};

use crate::common;

/// The shortest call that threads share.
const MIN_PARALLEL_LENGTH: usize = 1 << 12;
const LONGEST: usize = 3 * MIN_PARALLEL_LENGTH + 77;

fn positions() -> Positions {
    let mut sample = Positions::new();
    sample.read_lines(include_bytes!("../data/sample.epd")).expect("positions");
    sample.iter().cycle().take(LONGEST).collect()
}

fn check<T: Zeroable + Copy + PartialEq + Send>(
    name: &str,
    product: impl Fn(Backend, PositionSlice<'_>, &mut [T]) -> Result<(), BatchError> + Sync,
) {
    let all = positions();
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("a pool of a few threads");
    for backend in common::backends("products on several cores") {
        for len in [0, 1, MIN_PARALLEL_LENGTH - 1, MIN_PARALLEL_LENGTH, MIN_PARALLEL_LENGTH + 1, LONGEST] {
            let positions = all.slice(LONGEST - len..LONGEST);
            let mut expected = vec![T::zeroed(); len];
            product(backend, positions, &mut expected).expect("one element per position");
            let shared = || {
                let mut out = vec![T::zeroed(); len];
                par_fill(positions, &mut out, |positions, out| product(backend, positions, out)).map(|()| out)
            };
            assert!(shared().as_ref() == Ok(&expected), "{name} on {backend}, {len}");
            assert!(pool.install(shared) == Ok(expected), "{name} on {backend}, {len}, in a pool");
        }
    }
}

#[test]
fn the_result_is_that_of_one_call() {
    let (color, rules) = (Color::Black, ExchangeRules::default());
    check("attack maps", |on, positions, out: &mut [u64]| on.attack_maps(positions, color, out));
    check("x-rays", |on, positions, out: &mut [u64]| on.xray_attacks(positions, color, Side::Any, out));
    check("trapped", |on, positions, out: &mut [u64]| on.trapped(positions, color, rules, out));
    check("mobility", |on, positions, out: &mut [_]| on.mobility(positions, out));
    check("keys", |on, positions, out: &mut [u64]| on.keys(positions, KeyKind::Canonical, out));
    check("legal moves", |on, positions, out: &mut [u16]| on.legal_moves(positions, out));
}

#[test]
fn the_first_error_is_returned_whichever_thread_finds_it() {
    let positions = positions();
    let error = |index| BatchError::GroupOutOfRange { index, group: 0, room: 0 };
    let bad = [MIN_PARALLEL_LENGTH + 9, MIN_PARALLEL_LENGTH + 5_000, LONGEST - 1];
    for first in 0..bad.len() {
        let mut out: Vec<usize> = (0..LONGEST).collect(); // each element knows its place
        let found = par_fill(&positions, &mut out, |part, out| {
            assert_eq!(part.len(), out.len());
            bad[first..].iter().find(|place| out.contains(place)).map_or(Ok(()), |&place| Err(error(place)))
        });
        assert_eq!(found, Err(error(bad[first])));
    }
}

#[test]
fn lengths_that_differ_are_an_error_with_those_of_the_whole_call() {
    let positions = positions();
    for room in [0, LONGEST - 1, LONGEST + 1] {
        let called = |_: PositionSlice<'_>, _: &mut [u64]| unreachable!("nothing is computed");
        let error = BatchError::PositionLengthMismatch { positions: LONGEST, out: room };
        assert_eq!(par_fill(&positions, &mut vec![0; room], called), Err(error));
    }
}
