//! The laws of the batch call, for every backend: any length, any alignment, nothing written outside `out`,
//! and nothing at all on an error.
//!
//! Where a test needs no room around a buffer, the buffer is a boxed slice of exactly the length in use, so that an
//! address sanitizer notices an access one element beyond.

mod common;

use proptest::prelude::*;
use slider_attacks::{Backend, BatchError, Slider, Square, reference};

use common::Random;

/// The content of `out` before a call. No attack set has all of these bits.
const CANARY: u64 = 0xdead_beef_dead_beef;

/// The lengths at which something changes, and what.
const LENGTHS: &[(usize, &str)] = &[
    (0, "nothing to do"),
    (1, "one pair, in the caller's code"),
    (2, "the shortest with an order"),
    (7, "the longest in the caller's code"),
    (8, "the minimum length of a backend: eight boards in 64-bit lanes"),
    (9, "two eights that overlap in seven"),
    (15, "one less than a block of 16: one by one there"),
    (16, "a block of 16 and no tail"),
    (17, "a block of 16 and a tail of one: 15 pairs are computed twice"),
    (31, "one less than a block of 32: four eights there"),
    (32, "a block of 32 and no tail"),
    (33, "a block of 32 and a tail of one: 31 pairs are computed twice"),
    (48, "a block of 32 and a half, three of 16"),
    (63, "one less than a block of 64: eight eights there, two overlapping blocks of 32"),
    (64, "a block of 64, two of 32, no tail"),
    (65, "a tail of one after either block"),
    (80, "five blocks of 16; of 32 and 64 no whole number"),
    (95, "one less than three blocks of 32"),
    (96, "three blocks of 32; a block of 64 and a half"),
    (97, "one more than that"),
    (127, "one less than two blocks of 64: the longest tail"),
    (128, "two blocks of 64"),
    (129, "one more than that"),
    (191, "one less than three blocks of 64"),
    (192, "three blocks of 64"),
    (193, "one more than that"),
    (255, "one less than four blocks of 64"),
    (256, "four blocks of 64; more than fits in a byte"),
    (257, "one more than that"),
    (511, "one less than a chunk of the check of u8 squares"),
    (512, "one chunk of the check"),
    (513, "one chunk and a rest of one"),
    (1_025, "two chunks and a rest of one"),
];

/// Pairs in buffers of exactly their length, and the attack sets of all three sliders.
struct Pairs {
    squares: Box<[Square]>,
    bytes: Box<[u8]>,
    occs: Box<[u64]>,
    expected: [Box<[u64]>; 3],
}

impl Pairs {
    fn new(pairs: &[(Square, u64)]) -> Pairs {
        Pairs {
            squares: pairs.iter().map(|&(square, _)| square).collect(),
            bytes: pairs.iter().map(|&(square, _)| square.index()).collect(),
            occs: pairs.iter().map(|&(_, occ)| occ).collect(),
            expected: Slider::ALL
                .map(|slider| pairs.iter().map(|&(square, occ)| reference::attacks(slider, square, occ)).collect()),
        }
    }

    fn random(length: usize) -> Pairs {
        let mut random = Random(length as u64);
        let pairs: Vec<(Square, u64)> = (0..length).map(|_| (random.square(), random.board())).collect();
        Pairs::new(&pairs)
    }

    fn expected(&self, slider: Slider) -> &[u64] {
        &self.expected[Slider::ALL.iter().position(|&s| s == slider).expect("one of the three")]
    }

    fn len(&self) -> usize {
        self.squares.len()
    }
}

fn canaries(length: usize) -> Box<[u64]> {
    vec![CANARY; length].into_boxed_slice()
}

/// Calls `test` for every backend and slider.
fn for_each(mut test: impl FnMut(Backend, Slider)) {
    for backend in Backend::available() {
        for slider in Slider::ALL {
            test(backend, slider);
        }
    }
}

#[test]
fn every_required_backend_is_tested() {
    assert!(!common::backends("driver").is_empty());
}

#[test]
fn every_length_that_matters_is_right() {
    for &(length, why) in LENGTHS {
        let pairs = Pairs::random(length);
        for_each(|backend, slider| {
            let mut out = canaries(length);
            assert_eq!(backend.batch_attacks(slider, &pairs.squares, &pairs.occs, &mut out), Ok(()));
            assert_eq!(*out, *pairs.expected(slider), "{backend}, {slider}, squares, length {length}: {why}");
            let mut out = canaries(length);
            assert_eq!(backend.batch_attacks(slider, &pairs.bytes, &pairs.occs, &mut out), Ok(()));
            assert_eq!(*out, *pairs.expected(slider), "{backend}, {slider}, bytes, length {length}: {why}");
        });
    }
}

#[test]
fn every_length_up_to_300_is_right() {
    for length in 0..=300 {
        let pairs = Pairs::random(length);
        for_each(|backend, slider| {
            let mut out = canaries(length);
            assert_eq!(backend.batch_attacks(slider, &pairs.squares, &pairs.occs, &mut out), Ok(()));
            assert_eq!(*out, *pairs.expected(slider), "{backend}, {slider}, length {length}");
        });
    }
}

/// The sub-slices end where their allocations end, and begin at every place within a cache line.
#[test]
fn sub_slices_at_every_offset_are_right() {
    for length in [1, 15, 16, 17, 31, 32, 33, 65, 97] {
        let pairs = Pairs::random(length);
        for square_offset in 0..64 {
            let bytes: Box<[u8]> = [&vec![255; square_offset], &*pairs.bytes].concat().into();
            let squares: Box<[Square]> = [&vec![Square::H8; square_offset], &*pairs.squares].concat().into();
            for occ_offset in 0..8 {
                let occs: Box<[u64]> = [&vec![!0; occ_offset], &*pairs.occs].concat().into();
                for out_offset in 0..8 {
                    for_each(|backend, slider| {
                        let offsets = (square_offset, occ_offset, out_offset);
                        let mut out = canaries(out_offset + length);
                        // By turns: both forms at every offset would take twice the time.
                        let result = if (occ_offset + out_offset) % 2 == 0 {
                            let bytes = &bytes[square_offset..];
                            backend.batch_attacks(slider, bytes, &occs[occ_offset..], &mut out[out_offset..])
                        } else {
                            let squares = &squares[square_offset..];
                            backend.batch_attacks(slider, squares, &occs[occ_offset..], &mut out[out_offset..])
                        };
                        assert_eq!(result, Ok(()), "{backend}, {slider}, length {length}, offsets {offsets:?}");
                        let (before, out) = out.split_at(out_offset);
                        assert!(
                            before.iter().all(|&word| word == CANARY),
                            "{backend}, {slider}, {offsets:?}: {before:x?}"
                        );
                        assert_eq!(
                            out,
                            pairs.expected(slider),
                            "{backend}, {slider}, length {length}, offsets {offsets:?}"
                        );
                    });
                }
            }
        }
    }
}

#[test]
fn nothing_around_out_is_written() {
    const ROOM: usize = 64;
    for length in 0..=200 {
        let pairs = Pairs::random(length);
        for_each(|backend, slider| {
            let mut out = canaries(ROOM + length + ROOM);
            let middle = &mut out[ROOM..ROOM + length];
            assert_eq!(backend.batch_attacks(slider, &pairs.bytes, &pairs.occs, middle), Ok(()));
            let (before, rest) = out.split_at(ROOM);
            let (middle, after) = rest.split_at(length);
            assert!(
                before.iter().all(|&word| word == CANARY),
                "{backend}, {slider}, length {length}, before: {before:x?}"
            );
            assert!(
                after.iter().all(|&word| word == CANARY),
                "{backend}, {slider}, length {length}, after: {after:x?}"
            );
            assert_eq!(middle, pairs.expected(slider), "{backend}, {slider}, length {length}");
        });
    }
}

/// From 2 Mi pairs on, vector backends stream whole cache lines of `out`, whatever its alignment. The pairs before the
/// first and after the last block are written with ordinary stores.
#[test]
fn large_arrays_are_right_at_every_alignment() {
    const ROOM: usize = 8;
    for length in [(1 << 21) - 1, 1 << 21, (1 << 21) + 63] {
        let pairs = Pairs::random(length);
        for offset in 0..8 {
            for_each(|backend, slider| {
                let mut out = canaries(ROOM + offset + length + ROOM);
                let (before, rest) = out.split_at_mut(ROOM + offset);
                let (middle, after) = rest.split_at_mut(length);
                assert_eq!(backend.batch_attacks(slider, &pairs.squares, &pairs.occs, middle), Ok(()));
                let what = format!("{backend}, {slider}, length {length}, offset {offset}");
                assert!(before.iter().chain(&*after).all(|&word| word == CANARY), "{what}: written outside");
                assert!(middle == pairs.expected(slider), "{what}: wrong attack sets");
            });
        }
    }
}

#[test]
fn a_bad_square_at_any_place_is_an_error_and_nothing_is_written() {
    for length in (1..=130).chain([511, 512, 513, 1_025]) {
        let pairs = Pairs::random(length);
        let mut bytes = pairs.bytes.clone();
        for index in 0..length {
            let square = if index % 2 == 0 { 64 } else { 255 };
            let good = std::mem::replace(&mut bytes[index], square);
            for backend in Backend::available() {
                let slider = Slider::ALL[index % 3];
                let mut out = canaries(length);
                let result = backend.batch_attacks(slider, &bytes, &pairs.occs, &mut out);
                assert_eq!(result, Err(BatchError::SquareOutOfRange { index, square }), "{backend}, length {length}");
                assert!(out.iter().all(|&word| word == CANARY), "{backend}, length {length}, bad square at {index}");
            }
            bytes[index] = good;
        }
    }
}

#[test]
fn every_byte_from_64_on_is_a_bad_square() {
    for square in 64..=255 {
        for backend in Backend::available() {
            let mut out = [CANARY];
            let result = backend.batch_attacks(Slider::Queen, &[square], &[0], &mut out);
            assert_eq!((result, out), (Err(BatchError::SquareOutOfRange { index: 0, square }), [CANARY]));
        }
    }
}

#[test]
fn lengths_that_differ_are_an_error_in_every_way_and_nothing_is_written() {
    let lengths = [0, 1, 16, 31, 32, 33, 64, 65];
    for squares in lengths {
        for occupancies in lengths {
            for out in lengths.into_iter().filter(|&out| squares != occupancies || occupancies != out) {
                for_each(|backend, slider| {
                    let expected = Err(BatchError::LengthMismatch { squares, occupancies, out });
                    let mut buffer = canaries(out);
                    let occs = vec![0; occupancies].into_boxed_slice();
                    let valid = vec![Square::E4; squares].into_boxed_slice();
                    assert_eq!(backend.batch_attacks(slider, &valid, &occs, &mut buffer), expected, "{backend}");
                    // If the squares are bad as well, the error is about the lengths.
                    let bad = vec![64_u8; squares].into_boxed_slice();
                    assert_eq!(backend.batch_attacks(slider, &bad, &occs, &mut buffer), expected, "{backend}");
                    assert!(buffer.iter().all(|&word| word == CANARY), "{backend}: {squares}, {occupancies}, {out}");
                });
            }
        }
    }
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

    #[test]
    fn both_forms_agree_with_the_reference(pairs in any_pairs()) {
        let pairs = Pairs::new(&pairs);
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let (mut by_square, mut by_byte) = (canaries(pairs.len()), canaries(pairs.len()));
                prop_assert_eq!(backend.batch_attacks(slider, &pairs.squares, &pairs.occs, &mut by_square), Ok(()));
                prop_assert_eq!(backend.batch_attacks(slider, &pairs.bytes, &pairs.occs, &mut by_byte), Ok(()));
                prop_assert_eq!(&*by_square, pairs.expected(slider), "{}, {}, squares", backend, slider);
                prop_assert_eq!(&*by_byte, pairs.expected(slider), "{}, {}, bytes", backend, slider);
            }
        }
    }

    #[test]
    fn any_sub_slice_of_any_length_is_right_and_nothing_around_it_is_written(
        pairs in any_pairs(),
        (before_squares, before_occs, before_out) in (0_usize..80, 0_usize..10, 0_usize..10),
        after in 0_usize..10,
    ) {
        let pairs = Pairs::new(&pairs);
        let bytes = [&vec![255; before_squares], &*pairs.bytes, &vec![255; after]].concat();
        let occs = [&vec![!0; before_occs], &*pairs.occs, &vec![!0; after]].concat();
        let bytes = &bytes[before_squares..][..pairs.len()];
        let occs = &occs[before_occs..][..pairs.len()];
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let mut buffer = canaries(before_out + pairs.len() + after);
                let out = &mut buffer[before_out..][..pairs.len()];
                prop_assert_eq!(backend.batch_attacks(slider, bytes, occs, out), Ok(()));
                prop_assert_eq!(&*out, pairs.expected(slider), "{}, {}", backend, slider);
                out.fill(CANARY);
                prop_assert!(buffer.iter().all(|&word| word == CANARY), "{}, {}: written outside", backend, slider);
            }
        }
    }

    #[test]
    fn the_place_in_the_array_makes_no_difference(pairs in any_pairs(), shift in 0_usize..300) {
        let mut rotated = pairs.clone();
        let shift = shift.checked_rem(pairs.len()).unwrap_or(0);
        rotated.rotate_left(shift);
        let (pairs, rotated) = (Pairs::new(&pairs), Pairs::new(&rotated));
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let (mut whole, mut turned) = (canaries(pairs.len()), canaries(pairs.len()));
                prop_assert_eq!(backend.batch_attacks(slider, &pairs.squares, &pairs.occs, &mut whole), Ok(()));
                prop_assert_eq!(backend.batch_attacks(slider, &rotated.squares, &rotated.occs, &mut turned), Ok(()));
                turned.rotate_right(shift);
                prop_assert_eq!(&whole, &turned, "{}, {}, rotated by {}", backend, slider, shift);
                for (index, &together) in whole.iter().enumerate() {
                    let mut alone = [CANARY];
                    let one = index..index + 1;
                    let result = backend.batch_attacks(slider, &pairs.squares[one.clone()], &pairs.occs[one], &mut alone);
                    prop_assert_eq!((result, alone), (Ok(()), [together]), "{}, {}, index {}", backend, slider, index);
                }
            }
        }
    }

    #[test]
    fn the_sliders_own_bit_makes_no_difference(pairs in any_pairs()) {
        let with = Pairs::new(&pairs.iter().map(|&(sq, occ)| (sq, occ | sq.bitboard())).collect::<Vec<_>>());
        let without = Pairs::new(&pairs.iter().map(|&(sq, occ)| (sq, occ & !sq.bitboard())).collect::<Vec<_>>());
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let (mut a, mut b) = (canaries(with.len()), canaries(with.len()));
                prop_assert_eq!(backend.batch_attacks(slider, &with.squares, &with.occs, &mut a), Ok(()));
                prop_assert_eq!(backend.batch_attacks(slider, &without.squares, &without.occs, &mut b), Ok(()));
                prop_assert_eq!(&a, &b, "{}, {}", backend, slider);
                let own = with.squares.iter().zip(&a).any(|(square, attacks)| attacks & square.bitboard() != 0);
                prop_assert!(!own, "{}, {}: a slider attacks its own square", backend, slider);
            }
        }
    }

    #[test]
    fn the_first_of_many_bad_squares_is_named(
        mut bytes in prop::collection::vec(0_u8..64, 1..=700),
        bad in prop::collection::vec((any::<prop::sample::Index>(), 64_u8..), 1..5),
    ) {
        for (index, square) in bad {
            let index = index.index(bytes.len());
            bytes[index] = square;
        }
        let index = bytes.iter().position(|&byte| byte >= 64).expect("at least one was placed");
        let expected = Err(BatchError::SquareOutOfRange { index, square: bytes[index] });
        let bytes = bytes.into_boxed_slice();
        let occs = vec![0; bytes.len()].into_boxed_slice();
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let mut out = canaries(bytes.len());
                prop_assert_eq!(backend.batch_attacks(slider, &bytes, &occs, &mut out), expected, "{}", backend);
                prop_assert!(out.iter().all(|&word| word == CANARY), "{}, {}", backend, slider);
            }
        }
    }
}
