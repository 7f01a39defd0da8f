//! The laws of the batch call when several cores share it: those of `driver`, for every backend, at the lengths where
//! something changes.

mod common;

use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use slider_attacks::{Backend, BatchError, Slider, Square, reference};

use common::Random;

/// Minimum length for parallel execution.
const MIN_PARALLEL_LENGTH: usize = 1 << 15;
/// How many pairs a thread computes at a time, in the shorter arrays.
const CHUNK: usize = 1 << 13;
/// How many squares a thread checks at a time.
const CHECK_CHUNK: usize = 1 << 17;

/// The content of `out` before a call. No attack set has all of these bits.
const CANARY: u64 = 0xdead_beef_dead_beef;

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
    (3 * CHECK_CHUNK + 4_321, "larger chunks, more of each kind than threads, and rests"),
];
const LONGEST: usize = 3 * CHECK_CHUNK + 4_321;

struct Pairs {
    squares: Vec<Square>,
    bytes: Vec<u8>,
    occs: Vec<u64>,
}

impl Pairs {
    fn random(length: usize) -> Pairs {
        let mut random = Random(length as u64);
        let squares: Vec<Square> = (0..length).map(|_| random.square()).collect();
        let bytes = squares.iter().map(|square| square.index()).collect();
        let occs = (0..length).map(|_| random.board()).collect();
        Pairs { squares, bytes, occs }
    }

    fn expected(&self, slider: Slider) -> Vec<u64> {
        self.squares.iter().zip(&self.occs).map(|(&square, &occ)| reference::attacks(slider, square, occ)).collect()
    }
}

/// A pool of this many threads, however many cores the machine has.
fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of a few threads")
}

/// The attack sets of a call whose `out` lies between canaries.
fn par_batch(backend: Backend, slider: Slider, pairs: &Pairs, length: usize, offset: usize) -> Vec<u64> {
    const ROOM: usize = 8;
    let call = |bytes: bool| {
        let mut out = vec![CANARY; ROOM + offset + length + ROOM];
        let (before, rest) = out.split_at_mut(ROOM + offset);
        let (middle, after) = rest.split_at_mut(length);
        let occs = &pairs.occs[..length];
        let result = match bytes {
            true => backend.par_batch_attacks(slider, &pairs.bytes[..length], occs, middle),
            false => backend.par_batch_attacks(slider, &pairs.squares[..length], occs, middle),
        };
        assert_eq!(result, Ok(()), "{backend}, {slider}, length {length}, offset {offset}");
        assert!(
            before.iter().chain(&*after).all(|&word| word == CANARY),
            "{backend}, {slider}, length {length}, offset {offset}: written outside"
        );
        middle.to_vec()
    };
    let out = call(true);
    assert!(out == call(false), "{backend}, {slider}, length {length}, offset {offset}: the forms differ");
    out
}

#[test]
fn every_length_that_matters_is_right() {
    let pairs = Pairs::random(LONGEST);
    let pool = pool(3);
    for slider in Slider::ALL {
        let expected = pairs.expected(slider);
        for backend in common::backends("par") {
            for (turn, &(length, why)) in LENGTHS.iter().enumerate() {
                let offset = turn % 8;
                let outside = par_batch(backend, slider, &pairs, length, offset);
                assert!(outside == expected[..length], "{backend}, {slider}, length {length}: {why}");
                let inside = pool.install(|| par_batch(backend, slider, &pairs, length, offset));
                assert!(inside == expected[..length], "{backend}, {slider}, in a pool, length {length}: {why}");
            }
        }
    }
}

/// From 2 Mi pairs on all chunks are streamed, even the last one, which may be shorter than a block.
#[test]
fn large_arrays_are_right_at_every_alignment() {
    let length = (1 << 21) + 63;
    let pairs = Pairs::random(length);
    let pool = pool(2);
    for backend in Backend::available() {
        for slider in Slider::ALL {
            let mut expected = vec![0; length];
            backend.batch_attacks(slider, &pairs.squares, &pairs.occs, &mut expected).expect("the arguments are right");
            for offset in 0..8 {
                for length in [length - 63, length] {
                    let out = pool.install(|| par_batch(backend, slider, &pairs, length, offset));
                    assert!(out == expected[..length], "{backend}, {slider}, length {length}, offset {offset}");
                }
            }
        }
    }
}

#[test]
fn pools_of_any_size_and_many_callers_at_once_are_right() {
    let length = MIN_PARALLEL_LENGTH + 5 * CHUNK + 17;
    let pairs = Pairs::random(length);
    let expected = pairs.expected(Slider::Queen);
    for threads in 1..=5 {
        let out = pool(threads).install(|| par_batch(Backend::active(), Slider::Queen, &pairs, length, 0));
        assert!(out == expected, "{threads} threads");
    }
    let call = || {
        for _ in 0..20 {
            assert!(par_batch(Backend::active(), Slider::Queen, &pairs, length, 0) == expected);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(call))));
    pool(2).scope(|scope| (0..4).for_each(|_| scope.spawn(|_| call())));
}

#[test]
fn a_bad_square_at_any_border_is_an_error_and_nothing_is_written() {
    let borders = [0, CHUNK, MIN_PARALLEL_LENGTH, CHECK_CHUNK, 2 * CHECK_CHUNK, 3 * CHECK_CHUNK, LONGEST];
    let mut places: Vec<usize> =
        borders.iter().flat_map(|&border| border.saturating_sub(2)..(border + 2).min(LONGEST)).collect();
    places.dedup();
    let pairs = Pairs::random(LONGEST);
    let pool = pool(3);
    let mut out = vec![CANARY; LONGEST];
    for length in [MIN_PARALLEL_LENGTH, CHECK_CHUNK + 1, LONGEST] {
        let mut bytes = pairs.bytes[..length].to_vec();
        for &index in places.iter().filter(|&&index| index < length) {
            let good = bytes.clone();
            bytes[index] = if index % 2 == 0 { 64 } else { 255 };
            // There is a later one as well. It must not be reported, although another thread may find it first.
            bytes[length - 1] = bytes[length - 1].max(100);
            let expected = Err(BatchError::SquareOutOfRange { index, square: bytes[index] });
            for backend in Backend::available() {
                let (slider, out) = (Slider::ALL[index % 3], &mut out[..length]);
                let occs = &pairs.occs[..length];
                assert_eq!(backend.par_batch_attacks(slider, &bytes, occs, out), expected, "{backend}, {length}");
                let inside = pool.install(|| backend.par_batch_attacks(slider, &bytes, occs, out));
                assert_eq!(inside, expected, "{backend}, in a pool, {length}");
                assert!(out.iter().all(|&word| word == CANARY), "{backend}, length {length}, bad square at {index}");
            }
            bytes = good;
        }
    }
}

#[test]
fn lengths_that_differ_are_an_error_in_every_way_and_nothing_is_written() {
    let lengths = [0, 1, MIN_PARALLEL_LENGTH, MIN_PARALLEL_LENGTH + 1];
    for squares in lengths {
        for occupancies in lengths {
            for out in lengths.into_iter().filter(|&out| squares != occupancies || occupancies != out) {
                let expected = Err(BatchError::LengthMismatch { squares, occupancies, out });
                let (valid, bad) = (vec![Square::E4; squares], vec![64_u8; squares]);
                let (occs, mut buffer) = (vec![0; occupancies], vec![CANARY; out]);
                for backend in Backend::available() {
                    for slider in Slider::ALL {
                        assert_eq!(
                            backend.par_batch_attacks(slider, &valid, &occs, &mut buffer),
                            expected,
                            "{backend}"
                        );
                        assert_eq!(backend.par_batch_attacks(slider, &bad, &occs, &mut buffer), expected, "{backend}");
                    }
                }
                assert!(buffer.iter().all(|&word| word == CANARY), "{squares}, {occupancies}, {out}");
            }
        }
    }
}

/// An entry point without its slider.
type Call = fn(&[u8], &[u64], &mut [u64]) -> Result<(), BatchError>;

#[test]
fn the_functions_of_the_crate_are_for_the_sliders_they_name() {
    let calls: [(Call, Slider); 4] = [
        (slider_attacks::par_batch_attacks, Slider::Queen),
        (slider_attacks::par_batch_queen_attacks, Slider::Queen),
        (slider_attacks::par_batch_rook_attacks, Slider::Rook),
        (slider_attacks::par_batch_bishop_attacks, Slider::Bishop),
    ];
    let pairs = Pairs::random(MIN_PARALLEL_LENGTH);
    for (call, slider) in calls {
        let mut out = vec![CANARY; MIN_PARALLEL_LENGTH];
        assert_eq!(call(&pairs.bytes, &pairs.occs, &mut out), Ok(()));
        assert!(out == pairs.expected(slider), "{slider}");
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
        let mut pairs = Pairs::random(before_squares.max(before_occs) + length);
        let bad = bad.map(|(index, square)| (index.index(length), square));
        if let Some((index, square)) = bad {
            pairs.bytes[before_squares + index] = square;
        }
        let bytes = &pairs.bytes[before_squares..][..length];
        let squares = &pairs.squares[before_squares..][..length];
        let occs = &pairs.occs[before_occs..][..length];
        let pool = pool(threads);
        for backend in Backend::available() {
            for slider in Slider::ALL {
                let mut buffer = vec![CANARY; before_out + length + 8];
                let out = &mut buffer[before_out..][..length];
                let result = pool.install(|| backend.par_batch_attacks(slider, bytes, occs, out));
                if let Some((index, square)) = bad {
                    prop_assert_eq!(result, Err(BatchError::SquareOutOfRange { index, square }));
                } else {
                    prop_assert_eq!(result, Ok(()));
                    let right = squares.iter().zip(occs).map(|(&sq, &occ)| reference::attacks(slider, sq, occ));
                    prop_assert!(right.eq(out.iter().copied()), "{}, {}", backend, slider);
                    out.fill(CANARY);
                }
                prop_assert!(buffer.iter().all(|&word| word == CANARY), "{}, {}: written outside", backend, slider);
            }
        }
    }
}
