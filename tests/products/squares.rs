//! Counts and sums by square, and bitboards as numbers, on every backend, against plain loops.

use crate::common::{self, Random};
use slider_attacks::analysis::{count_squares, sum_squares};
use slider_attacks::{Backend, BatchError};

fn counts(boards: &[u64]) -> [u64; 64] {
    let mut counts = [0; 64];
    for board in boards {
        for (square, count) in counts.iter_mut().enumerate() {
            *count += board >> square & 1;
        }
    }
    counts
}

fn sums(numbers: &[[u8; 64]]) -> [u64; 64] {
    let mut sums = [0; 64];
    for numbers in numbers {
        for (sum, &number) in sums.iter_mut().zip(numbers) {
            *sum += u64::from(number);
        }
    }
    sums
}

/// Random boards with about one in 1, 2, 4 or 8 squares set, or none.
fn boards(random: &mut Random, length: usize) -> Vec<u64> {
    let densities = [0, 1, 2, 3, 9];
    let density = densities[random.below(densities.len())];
    let board = |random: &mut Random| (0..density).fold(!0, |board, _| board & random.next());
    (0..length).map(|_| if density == 9 { 0 } else { board(random) }).collect()
}

fn numbers(random: &mut Random, length: usize) -> Vec<[u8; 64]> {
    (0..length).map(|_| std::array::from_fn(|_| random.next() as u8)).collect()
}

#[test]
fn all_lengths() {
    let mut random = Random(1);
    for length in 0..=2_000 {
        let boards = boards(&mut random, length);
        let expected = counts(&boards);
        for backend in Backend::available() {
            assert_eq!(backend.count_squares(&boards), expected, "{backend}, {length} boards");
        }
        assert_eq!(count_squares(&boards), expected);
    }
    for length in (0..70).chain([256, 257, 258, 514, 515, 2_000]) {
        let numbers = numbers(&mut random, length);
        let expected = sums(&numbers);
        for backend in Backend::available() {
            assert_eq!(backend.sum_squares(&numbers), expected, "{backend}, {length} numbers");
        }
        assert_eq!(sum_squares(&numbers), expected);
    }
}

/// As numbers of 1, 2, 4, 8 and 16 bytes, and as what is no number.
#[test]
fn boards_are_unpacked() {
    fn check<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(columns: &[Vec<u64>], values: [T; 2]) {
        let (slices, positions): (Vec<&[u64]>, _) = (columns.iter().map(Vec::as_slice).collect(), columns[0].len());
        let boards = (0..positions).flat_map(|position| columns.iter().map(move |column| column[position]));
        let expected: Vec<[T; 64]> =
            boards.map(|board| std::array::from_fn(|square| values[usize::from(board >> square & 1 == 1)])).collect();
        for backend in Backend::available() {
            let mut out = vec![[values[0]; 64]; expected.len()];
            backend.unpack_boards(&slices, values, &mut out).expect("the lengths match");
            assert_eq!(out, expected, "{backend}, {positions} positions, {} columns", columns.len());
        }
    }
    let mut random = Random(9);
    for positions in (0..40).chain([63, 64, 65, 200]) {
        for count in [1, 2, 3, 12, 14] {
            let columns: Vec<_> = (0..count).map(|_| boards(&mut random, positions)).collect();
            check(&columns, [0_u8, 1]);
            check(&columns, [7_i16, -1]);
            check(&columns, [0.0_f32, 1.0]);
            check(&columns, [f64::MIN, f64::MAX]);
            check(&columns, [[1_u8, 2, 3], [4, 5, 6]]);
            check(&columns, [0_u128, 1]);
        }
    }
}

#[test]
fn boards_without_room_are_not_unpacked() {
    let (three, two): (&[u64], &[u64]) = (&[!0; 3], &[!0; 2]);
    for backend in Backend::available() {
        for (columns, room) in [
            (&[three, three][..], 5),
            (&[three, three], 7),
            (&[three, two], 6),
            (&[two, three], 4),
            (&[three], 0),
            (&[], 1),
        ] {
            let mut out = vec![[3_u8; 64]; room];
            let error = backend.unpack_boards(columns, [0, 1], &mut out).expect_err("the lengths do not match");
            assert!(matches!(error, BatchError::PositionLengthMismatch { .. }), "{error}");
            assert!(out.as_flattened().iter().all(|&number| number == 3), "{backend} wrote on an error");
        }
        backend.unpack_boards::<u8>(&[], [0, 1], &mut []).expect("there is nothing to unpack");
        backend.unpack_boards::<u8>(&[&[], &[]], [0, 1], &mut []).expect("there is nothing to unpack");
    }
}

#[test]
fn slices_from_any_place() {
    let mut random = Random(2);
    let all: Vec<u64> = (0..600).map(|_| random.board()).collect();
    for start in 0..70 {
        for length in [1, 63, 64, 191, 192, 193, 300, 512] {
            let boards = &all[start..start + length];
            let expected = counts(boards);
            for backend in Backend::available() {
                assert_eq!(backend.count_squares(boards), expected, "{backend}, {length} boards from {start}");
            }
        }
    }
}

/// What is counted in bytes is emptied before a byte is full: every square of every board, and one square of one board.
#[test]
fn no_counter_overflows() {
    for length in [100_000, 16_256, 16_257, 16_320, 16_321, 32_512, 32_513] {
        let full = vec![!0; length];
        let highest = vec![[255; 64]; length.min(2_000)];
        for backend in Backend::available() {
            assert_eq!(backend.count_squares(&full), [length as u64; 64], "{backend}, {length} full boards");
            assert_eq!(backend.sum_squares(&highest), [255 * highest.len() as u64; 64], "{backend}");
        }
    }
}

#[test]
fn every_bit_by_itself() {
    for length in [20, 64, 192, 257] {
        let mut boards = vec![0; length];
        for at in 0..length {
            for square in 0..64 {
                boards[at] = 1 << square;
                let mut expected = [0; 64];
                expected[square] = 1;
                for backend in Backend::available() {
                    assert_eq!(backend.count_squares(&boards), expected, "{backend}, square {square} of board {at}");
                }
            }
            boards[at] = 0;
        }
    }
}

#[test]
fn groups() {
    let mut random = Random(3);
    for (length, rooms) in [(0, 1..2), (7, 1..4), (1_000, 1..5), (20_000, 2..4)] {
        for room in rooms.map(|at| [1, 2, 40, 900, 9_000][at]) {
            let (boards, numbers) = (boards(&mut random, length), numbers(&mut random, length.min(1_000)));
            let any: Vec<u32> = (0..length).map(|_| random.below(room) as u32).collect();
            let mut sorted = any.clone();
            sorted.sort_unstable();
            let last = vec![room as u32 - 1; length];
            // Runs, some of them short.
            let runs: Vec<u32> = any.iter().flat_map(|&group| vec![group; group as usize % 40]).take(length).collect();
            let runs = if runs.len() == length { runs } else { any.clone() };
            let expect = |groups: &[u32], of: &dyn Fn(usize) -> [u64; 64], before: &[[u64; 64]]| {
                let mut all = before.to_vec();
                for (at, &group) in groups.iter().enumerate() {
                    all[group as usize].iter_mut().zip(of(at)).for_each(|(all, one)| *all += one);
                }
                all
            };
            let before: Vec<[u64; 64]> = (0..room).map(|group| [group as u64; 64]).collect();
            for groups in [any, sorted, last, runs] {
                let expected = expect(&groups, &|at| counts(&boards[at..=at]), &before);
                let some = &groups[..numbers.len()];
                let expected_sums = expect(some, &|at| sums(&numbers[at..=at]), &before);
                for backend in Backend::available() {
                    let mut out = before.clone();
                    backend.count_squares_by(&boards, &groups, &mut out).unwrap();
                    assert!(out == expected, "{backend}, {length} boards in {room} groups");
                    let mut out = before.clone();
                    backend.sum_squares_by(&numbers, some, &mut out).unwrap();
                    assert!(out == expected_sums, "{backend}, {length} numbers in {room} groups");
                }
            }
        }
    }
}

#[test]
fn on_an_error_nothing_is_added() {
    for backend in common::backends("squares") {
        let check = |boards: usize, groups: &[u32], room: usize, error: BatchError| {
            let mut out = vec![[7; 64]; room];
            assert_eq!(backend.count_squares_by(&vec![!0; boards], groups, &mut out), Err(error));
            assert_eq!(backend.sum_squares_by(&vec![[9; 64]; boards], groups, &mut out), Err(error));
            assert!(out.iter().flatten().all(|&count| count == 7), "{backend}: {error}");
        };
        check(3, &[0, 0], 1, BatchError::GroupLengthMismatch { elements: 3, groups: 2 });
        check(0, &[9], 1, BatchError::GroupLengthMismatch { elements: 0, groups: 1 });
        check(1, &[0], 0, BatchError::GroupOutOfRange { index: 0, group: 0, room: 0 });
        for at in 0..200 {
            let mut groups = vec![1; 200];
            groups[at..].fill(2);
            check(200, &groups, 2, BatchError::GroupOutOfRange { index: at, group: 2, room: 2 });
        }
        check(2, &[0, u32::MAX], 5, BatchError::GroupOutOfRange { index: 1, group: u32::MAX, room: 5 });
        assert_eq!(backend.count_squares_by(&[], &[], &mut []), Ok(()));
    }
    let error = BatchError::GroupOutOfRange { index: 3, group: 7, room: 5 };
    assert_eq!(error.to_string(), "group 7 at index 3 is not below 5, the number of groups in out");
    let error = BatchError::GroupLengthMismatch { elements: 3, groups: 2 };
    assert_eq!(error.to_string(), "lengths differ: 3 elements, 2 groups");
}
