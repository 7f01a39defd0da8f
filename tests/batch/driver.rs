//! The laws of the batch call, for every backend: any length, any alignment, nothing written outside `out`,
//! and nothing at all on an error.

use proptest::prelude::*;
use slider_attacks::{Backend, BatchError, Slider, Square, reference};

use crate::common::{self, Call, Pairs, check, check_error, for_each, forms};

fn both_forms() -> [Call; 2] {
    forms!(batch_slider_attacks)
}

#[test]
fn every_required_backend_is_tested() {
    assert!(!common::backends("driver").is_empty());
}

/// All lengths up to four blocks of 64 and more, and those around one and two chunks of 512 in the check of the squares.
/// The buffer of `out` has no room around it, or much.
#[test]
fn every_length_is_right_and_nothing_around_out_is_written() {
    for length in (0..=300).chain([511, 512, 513, 1_024, 1_025]) {
        let pairs = Pairs::random(length);
        let expected = Slider::ALL.map(|slider| pairs.expected(slider));
        for_each(|on, slider| {
            for (call, room) in both_forms().into_iter().flat_map(|call| [0, 64].map(|room| (call, room))) {
                check(format_args!("{on}, {slider}, {length}"), &expected[slider as usize], (room, room), |out| {
                    call(on, slider, &pairs.squares, &pairs.occs, out)
                });
            }
        });
    }
}

/// The sub-slices end where their allocations end, and begin at every place within a cache line.
#[test]
fn sub_slices_at_every_offset_are_right() {
    for length in [1, 15, 16, 17, 31, 32, 33, 65, 97] {
        let pairs = Pairs::random(length);
        let expected = Slider::ALL.map(|slider| pairs.expected(slider));
        for square_offset in 0..64 {
            let squares: Box<[u8]> = [&vec![255; square_offset], &*pairs.squares].concat().into();
            for occ_offset in 0..8 {
                let occs: Box<[u64]> = [&vec![!0; occ_offset], &*pairs.occs].concat().into();
                for out_offset in 0..8 {
                    // The forms alternate: both at every offset would take twice the time.
                    let call = both_forms()[(occ_offset + out_offset) % 2];
                    for_each(|on, slider| {
                        let offsets = (square_offset, occ_offset, out_offset);
                        let what = format_args!("{on}, {slider}, length {length}, offsets {offsets:?}");
                        check(what, &expected[slider as usize], (out_offset, 0), |out| {
                            call(on, slider, &squares[square_offset..], &occs[occ_offset..], out)
                        });
                    });
                }
            }
        }
    }
}

/// From 2 Mi pairs on, vector backends stream whole cache lines of `out`, whatever its alignment. The pairs before the
/// first and after the last block are written with ordinary stores. The sliders take turns: what writes does not depend on them.
#[test]
fn large_arrays_are_right_at_every_alignment() {
    for (turn, length) in [(1 << 21) - 1, 1 << 21, (1 << 21) + 63].into_iter().enumerate() {
        let pairs = Pairs::random(length);
        let expected = Slider::ALL.map(|slider| pairs.expected(slider));
        for offset in 0..8 {
            for_each(|on, slider| {
                if !(slider as usize + turn + offset).is_multiple_of(3) {
                    return;
                }
                let what = format_args!("{on}, {slider}, length {length}, offset {offset}");
                check(what, &expected[slider as usize], (8 + offset, 8), |out| {
                    both_forms()[1](on, slider, &pairs.squares, &pairs.occs, out)
                });
            });
        }
    }
}

/// The first bad square is named, whichever byte it is, and whether or not there is another one at the end.
#[test]
fn a_bad_square_at_any_place_is_an_error_and_nothing_is_written() {
    for length in (1..=130).chain([511, 512, 513, 1_025]) {
        let pairs = Pairs::random(length);
        for index in 0..length {
            let mut squares = pairs.squares.clone();
            squares[length - 1] |= if index % 2 == 0 { 255 } else { 0 };
            let square = 64 + ((index + 7 * length) % 192) as u8;
            squares[index] = square;
            for on in Backend::available() {
                let what = format_args!("{on}, length {length}, bad square at {index}");
                check_error(what, BatchError::SquareOutOfRange { index, square }, length, |out| {
                    both_forms()[0](on, Slider::ALL[index % 3], &squares, &pairs.occs, out)
                });
            }
        }
    }
}

#[test]
fn lengths_that_differ_are_an_error_in_every_way_and_nothing_is_written() {
    common::check_lengths_that_differ(&[0, 1, 16, 31, 32, 33, 64, 65], both_forms());
}

/// Boards from empty to full, in which each bit is set with a probability of a quarter, a half or three quarters.
fn any_board() -> impl Strategy<Value = u64> {
    let word = any::<u64>;
    prop_oneof![
        4 => (word(), word()).prop_map(|(a, b)| a & b),
        2 => word(),
        1 => (word(), word()).prop_map(|(a, b)| a | b),
        1 => Just(0),
        1 => Just(!0),
    ]
}

fn any_pairs() -> impl Strategy<Value = Vec<(Square, u64)>> {
    prop::collection::vec((prop::sample::select(Square::ALL.as_slice()), any_board()), 0..=300)
}

proptest! {
    // The smallest failing input is printed, so no file has to remember it.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// So no result depends on another pair, or on its place in the array.
    #[test]
    fn any_sub_slice_of_any_length_is_right_and_nothing_around_it_is_written(
        pairs in any_pairs(),
        (before_squares, before_occs, before_out) in (0_usize..80, 0_usize..10, 0_usize..10),
        after in 0_usize..10,
    ) {
        let pairs = Pairs::from_iter(pairs);
        let length = pairs.occs.len();
        let squares = [&vec![255; before_squares], &*pairs.squares, &vec![255; after]].concat();
        let occs = [&vec![!0; before_occs], &*pairs.occs, &vec![!0; after]].concat();
        for_each(|on, slider| for call in both_forms() {
            check(format_args!("{on}, {slider}"), &pairs.expected(slider), (before_out, after), |out| {
                call(on, slider, &squares[before_squares..][..length], &occs[before_occs..][..length], out)
            });
        });
    }

    /// So neither do the results of anything that agrees with the reference.
    #[test]
    fn the_sliders_own_bit_makes_no_difference_and_is_not_attacked(pairs in any_pairs()) {
        for (slider, (square, occ)) in Slider::ALL.into_iter().flat_map(|slider| pairs.iter().map(move |&pair| (slider, pair))) {
            let attacks = reference::attacks(slider, square, occ);
            prop_assert_eq!(attacks, reference::attacks(slider, square, occ ^ square.bitboard()));
            prop_assert_eq!(attacks & square.bitboard(), 0);
        }
    }

    #[test]
    fn the_first_of_many_bad_squares_is_named(
        mut squares in prop::collection::vec(0_u8..64, 1..=700),
        bad in prop::collection::vec((any::<prop::sample::Index>(), 64_u8..), 1..5),
    ) {
        bad.into_iter().for_each(|(at, square)| *at.get_mut(&mut squares) = square);
        let index = squares.iter().position(|&square| square >= 64).expect("at least one was placed");
        let (error, occs) = (BatchError::SquareOutOfRange { index, square: squares[index] }, vec![0; squares.len()]);
        for_each(|on, slider| {
            let call = |out: &mut [u64]| both_forms()[0](on, slider, &squares, &occs, out);
            check_error(format_args!("{on}, {slider}"), error, occs.len(), call);
        });
    }
}
