//! The laws of the batch call when several cores share it: those of `driver`, for every backend, at the lengths where
//! something changes.

use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use slider_attacks::{Backend, BatchError, Slider, Square, par_batch_attack_sets, set_attacks};

use crate::common::{self, Call, Pairs, check, check_error, for_each, forms};
use crate::sets::{arrays, random_sets};

fn both_forms() -> [Call; 2] {
    forms!(par_batch_slider_attacks)
}

/// Minimum length for parallel execution.
const MIN_PARALLEL_LENGTH: usize = 1 << 15;
/// How many pairs a thread computes at a time, in the shorter arrays.
const CHUNK: usize = 1 << 13;
/// How many squares a thread checks at a time.
const CHECK_CHUNK: usize = 1 << 17;

const LENGTHS: &[(usize, &str)] = &[
    (0, "nothing to do"),
    (1, "one pair"),
    (MIN_PARALLEL_LENGTH - 1, "the longest that one thread computes"),
    (MIN_PARALLEL_LENGTH, "the shortest that threads share, in whole chunks"),
    (MIN_PARALLEL_LENGTH + 1, "a chunk of one pair: one by one"),
    (MIN_PARALLEL_LENGTH + 63, "a chunk of one pair less than a block"),
    (MIN_PARALLEL_LENGTH + CHUNK - 1, "a chunk that lacks one pair"),
    (MIN_PARALLEL_LENGTH + CHUNK, "one chunk more"),
    (MIN_PARALLEL_LENGTH + CHUNK + 65, "a chunk of a block and one pair"),
    (CHECK_CHUNK - 1, "the squares are checked on one thread"),
    (CHECK_CHUNK, "the same, with no rest"),
    (CHECK_CHUNK + 1, "the check is shared"),
    (LONGEST, "larger chunks, more of each kind than threads, and rests"),
];
const LONGEST: usize = 3 * CHECK_CHUNK + 4_321;

/// A pool of this many threads, however many cores the machine has.
fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of a few threads")
}

/// Checks both forms of a call for the first pairs, as many as are `expected`.
fn check_first(why: &str, on: Backend, slider: Slider, pairs: &Pairs, expected: &[u64], offset: usize) {
    let length = expected.len();
    for call in both_forms() {
        check(
            format_args!("{on}, {slider}, length {length}, offset {offset}: {why}"),
            expected,
            (8 + offset, 8),
            |out| call(on, slider, &pairs.squares[..length], &pairs.occs[..length], out),
        );
    }
}

#[test]
fn every_length_that_matters_is_right() {
    common::backends("par");
    let pairs = Pairs::random(LONGEST);
    let expected = Slider::ALL.map(|slider| pairs.expected(slider));
    let pool = pool(3);
    for_each(|on, slider| {
        for (turn, &(length, why)) in LENGTHS.iter().enumerate() {
            let check = || check_first(why, on, slider, &pairs, &expected[slider as usize][..length], turn % 8);
            check();
            pool.install(check);
        }
    });
}

#[test]
fn sets_of_every_length_that_matters_are_right() {
    let sets = random_sets(LONGEST);
    let expected: Vec<u64> = (0..LONGEST).map(|row| set_attacks(sets[0][row], sets[1][row], sets[2][row])).collect();
    let pool = pool(3);
    for backend in common::backends("par, sets") {
        for (turn, &(length, why)) in LENGTHS.iter().enumerate() {
            let sliders = arrays(sets.each_ref().map(|boards| &boards[..length]));
            let around = (8 + turn % 8, 8);
            let check = || {
                check(format_args!("{backend}, sets, {length}: {why}"), &expected[..length], around, |out| {
                    backend.par_batch_attack_sets(sliders, out)
                });
            };
            check();
            pool.install(check);
        }
    }
}

/// All chunks are streamed, the last one as well, which is shorter than a block.
#[test]
fn large_arrays_of_sets_are_right_at_every_alignment() {
    let length = (1 << 21) + 63;
    let sets = random_sets(4_099).map(|boards| boards.into_iter().cycle().take(length).collect::<Vec<u64>>());
    let expected: Vec<u64> = (0..length).map(|row| set_attacks(sets[0][row], sets[1][row], sets[2][row])).collect();
    for (offset, backend) in (0..8).zip(common::backends("par, large sets").into_iter().cycle()) {
        check(format_args!("{backend}, sets, offset {offset}"), &expected, (offset, 8), |out| {
            pool(2).install(|| backend.par_batch_attack_sets(arrays(sets.each_ref().map(Vec::as_slice)), out))
        });
    }
}

#[test]
fn sets_whose_lengths_differ_are_an_error_and_nothing_is_written() {
    let boards = vec![0; MIN_PARALLEL_LENGTH + 1];
    for different in 0..4 {
        let mut lengths = [MIN_PARALLEL_LENGTH; 4];
        lengths[different] += 1;
        let [orthogonal, diagonal, occupancies, out] = lengths;
        let error = BatchError::SetLengthMismatch { orthogonal, diagonal, occupancies, out };
        check_error(format_args!("{lengths:?}"), error, out, |out| {
            par_batch_attack_sets(arrays([orthogonal, diagonal, occupancies].map(|length| &boards[..length])), out)
        });
    }
}

/// From 2 Mi pairs on all chunks are streamed, even the last one, which may be shorter than a block. The sliders take turns, as in
/// `driver`.
#[test]
fn large_arrays_are_right_at_every_alignment() {
    let length = (1 << 21) + 63;
    let pairs = Pairs::random(length);
    let expected = Slider::ALL.map(|slider| pairs.expected(slider));
    let pool = pool(2);
    for_each(|on, slider| {
        for (offset, length) in (0..8).flat_map(|offset| [(offset, length - 63), (offset, length)]) {
            if !(slider as usize + offset + length).is_multiple_of(3) {
                continue;
            }
            let expected = &expected[slider as usize][..length];
            pool.install(|| check_first("streamed", on, slider, &pairs, expected, offset));
        }
    });
}

#[test]
fn pools_of_any_size_and_many_callers_at_once_are_right() {
    let pairs = Pairs::random(MIN_PARALLEL_LENGTH + 5 * CHUNK + 17);
    let expected = pairs.expected(Slider::Queen);
    let call = || check_first("in a pool", Backend::active(), Slider::Queen, &pairs, &expected, 0);
    (1..=5).for_each(|threads| pool(threads).install(call));
    let calls = || (0..20).for_each(|_| call());
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(calls))));
    pool(2).scope(|scope| (0..4).for_each(|_| scope.spawn(|_| calls())));
}

#[test]
fn a_bad_square_at_any_border_is_an_error_and_nothing_is_written() {
    let borders = [0, CHUNK, MIN_PARALLEL_LENGTH, CHECK_CHUNK, 2 * CHECK_CHUNK, 3 * CHECK_CHUNK, LONGEST];
    let places = borders.map(|border| border.saturating_sub(2)..border + 2);
    let pairs = Pairs::random(LONGEST);
    let pool = pool(3);
    for length in [MIN_PARALLEL_LENGTH, CHECK_CHUNK + 1, LONGEST] {
        for index in places.iter().cloned().flatten().filter(|&index| index < length) {
            let mut squares = pairs.squares[..length].to_vec();
            // There is a later one as well. It must not be reported, although another thread may find it first.
            squares[length - 1] = 100;
            squares[index] = if index % 2 == 0 { 64 } else { 255 };
            let error = BatchError::SquareOutOfRange { index, square: squares[index] };
            for on in Backend::available() {
                let call =
                    |out: &mut [u64]| both_forms()[0](on, Slider::ALL[index % 3], &squares, &pairs.occs[..length], out);
                check_error(format_args!("{on}, {length}"), error, length, call);
                check_error(format_args!("{on}, in a pool, {length}"), error, length, |out| pool.install(|| call(out)));
            }
        }
    }
}

#[test]
fn lengths_that_differ_are_an_error_in_every_way_and_nothing_is_written() {
    common::check_lengths_that_differ(&[0, 1, MIN_PARALLEL_LENGTH, MIN_PARALLEL_LENGTH + 1], both_forms());
}

/// An entry point without its slider.
type EntryPoint = fn(&[u8], &[u64], &mut [u64]) -> Result<(), BatchError>;

#[test]
fn the_functions_of_the_crate_are_for_the_sliders_they_name() {
    let calls: [(EntryPoint, Slider); 4] = [
        (slider_attacks::par_batch_attacks, Slider::Queen),
        (slider_attacks::par_batch_queen_attacks, Slider::Queen),
        (slider_attacks::par_batch_rook_attacks, Slider::Rook),
        (slider_attacks::par_batch_bishop_attacks, Slider::Bishop),
    ];
    let pairs = Pairs::random(MIN_PARALLEL_LENGTH);
    for (call, slider) in calls {
        let call = |out: &mut [u64]| call(&pairs.squares, &pairs.occs, out);
        check(format_args!("{slider}"), &pairs.expected(slider), (0, 0), call);
    }
}

proptest! {
    // Each case computes some 100,000 attack sets with every backend for every slider.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn shared_calls_of_any_length_in_any_pool_are_right(
        length in MIN_PARALLEL_LENGTH - 70..MIN_PARALLEL_LENGTH + 4 * CHUNK,
        (before_squares, before_occs, before_out) in (0_usize..80, 0_usize..10, 0_usize..10),
        threads in 1_usize..5,
        bad in prop::option::of((any::<prop::sample::Index>(), 64_u8..)),
    ) {
        let pairs = Pairs::random(length);
        let mut squares = [&vec![255; before_squares], &*pairs.squares].concat();
        let squares = &mut squares[before_squares..];
        let occs = [&vec![!0; before_occs], &*pairs.occs].concat();
        let pool = pool(threads);
        for_each(|on, slider| {
            let what = format_args!("{on}, {slider}");
            let call = |squares: &[u8], out: &mut [u64]| {
                pool.install(|| both_forms()[0](on, slider, squares, &occs[before_occs..], out))
            };
            if let Some((index, square)) = bad.map(|(index, square)| (index.index(length), square)) {
                let good = std::mem::replace(&mut squares[index], square);
                check_error(what, BatchError::SquareOutOfRange { index, square }, length, |out| call(squares, out));
                squares[index] = good;
            }
            check(what, &pairs.expected(slider), (before_out, 8), |out| call(squares, out));
        });
    }
}
