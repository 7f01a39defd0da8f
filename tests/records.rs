//! Records of engines become planes, and planes become positions: on every backend, the same as with plain loops.

mod common;

use common::Random;
use slider_attacks::position::{Castling, Color, PlanesError, Positions};
use slider_attacks::{Backend, Square};

/// The planes of one record, square by square.
fn planes_of(record: &[u8; 32]) -> [u64; 4] {
    let (mut planes, mut piece) = ([0; 4], 0);
    for square in 0..64 {
        if record[square / 8] >> (square % 8) & 1 == 0 {
            continue;
        }
        let number = if piece < 32 { record[8 + piece / 2] >> (4 * (piece % 2)) & 0xf } else { 15 };
        for (bit, plane) in planes.iter_mut().enumerate() {
            *plane |= u64::from(number >> bit & 1) << square;
        }
        piece += 1;
    }
    planes
}

/// `unpack_records` with some backend, between values that must not change.
fn assert_unpacked(records: &[[u8; 32]]) {
    for backend in Backend::available() {
        let mut planes = [(); 4].map(|()| vec![99; records.len() + 2]);
        let inner = planes.each_mut().map(|plane| &mut plane[1..=records.len()]);
        backend.unpack_records(records, inner).expect("the lengths are the same");
        for (bit, plane) in planes.iter().enumerate() {
            assert_eq!((plane[0], plane[records.len() + 1]), (99, 99), "{backend}");
            for (record, &plane) in records.iter().zip(&plane[1..]) {
                assert_eq!(plane, planes_of(record)[bit], "{backend}, bit {bit} of {record:?}");
            }
        }
    }
}

/// Any bytes, with few pieces to 64.
#[test]
fn any_bytes_in_any_number() {
    let mut random = Random(1);
    for count in (0..70).chain([1_000]) {
        let records: Vec<[u8; 32]> = (0..count)
            .map(|_| {
                let mut record = [0; 32];
                record.as_chunks_mut().0.iter_mut().for_each(|word| *word = random.next().to_le_bytes());
                let mask = match random.next() % 4 {
                    0 => random.next() & random.next(),
                    1 => random.next() | random.next(),
                    2 => !0,
                    _ => random.next(),
                };
                for (byte, mask) in record.iter_mut().zip(mask.to_le_bytes()) {
                    *byte &= mask;
                }
                record
            })
            .collect();
        assert_unpacked(&records);
    }
}

/// Every bit of a number alone, on every square that it can come to.
#[test]
fn every_bit_of_every_number() {
    for bit in 0..128 {
        let records: Vec<[u8; 32]> = (0..=64)
            .map(|empty| {
                let mut record = [0; 32];
                record[..8].copy_from_slice(&u64::MAX.checked_shl(empty).unwrap_or(0).to_le_bytes());
                record[8 + bit / 8] = 1 << (bit % 8);
                record
            })
            .collect();
        assert_unpacked(&records);
    }
}

/// Numbers from 1 to 6, one king of each colour, in any number of boards: as `push_boards` adds them.
#[test]
fn boards_of_planes() {
    let mut random = Random(2);
    for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 700] {
        let (mut expected, mut planes) = (Positions::new(), [(); 4].map(|()| Vec::new()));
        for _ in 0..count {
            let mut boards = [[0; 6]; 2];
            let kings = [random.below(64), random.below(63)];
            let kings = [kings[0], (kings[0] + 1 + kings[1]) % 64];
            for square in 0..64 {
                match kings.iter().position(|&king| king == square) {
                    Some(color) => boards[color][5] |= 1 << square,
                    None if random.below(2) == 0 => boards[random.below(2)][random.below(5)] |= 1 << square,
                    None => {}
                }
            }
            let has = |bit: usize| {
                let kinds = (0..6).filter(|kind| (kind + 1) >> bit & 1 != 0);
                kinds.fold(0, |all, kind| all | boards[0][kind] | boards[1][kind])
            };
            let black = boards[1].iter().fold(0, |all, board| all | board);
            for (all, plane) in planes.iter_mut().zip([has(0), has(1), has(2), black]) {
                all.push(plane);
            }
            expected.push_boards(boards, Color::Black, Castling::NONE, None).expect("it is a position");
        }
        let (sides, castling) = (vec![Color::Black; count], vec![Castling::NONE; count]);
        let push = |backend: Backend, planes: &[Vec<u64>; 4], squares: &[Option<Square>], positions: &mut Positions| {
            backend.push_planes(planes.each_ref().map(|plane| &plane[..]), &sides, &castling, squares, positions)
        };
        for backend in Backend::available() {
            let (mut positions, squares) = (Positions::new(), vec![None; count]);
            push(backend, &planes, &squares, &mut positions).expect("they are positions");
            assert!(positions == expected, "{backend}, {count}");
            // What is wrong with one of them: a number that is 7, a colour without a piece, no king, a square.
            for round in 0..if count == 0 { 0 } else { 8 } {
                let index = random.below(count);
                let (mut wrong, mut squares) = (planes.clone(), squares.clone());
                let occupied = wrong[0][index] | wrong[1][index] | wrong[2][index];
                match round % 4 {
                    0 => (0..3).for_each(|plane| wrong[plane][index] |= 1),
                    1 => wrong[3][index] |= !occupied,
                    2 => wrong[1][index] &= !(wrong[2][index] & wrong[3][index]),
                    _ => squares[index] = Some(Square::E4),
                }
                let before = positions.clone();
                match push(backend, &wrong, &squares, &mut positions) {
                    Err(PlanesError::Board { index: at, .. }) if at == index => {}
                    result => panic!("{backend}, {count}, round {round}, board {index}: {result:?}"),
                }
                assert!(positions == before, "{backend}, {count}, round {round}");
            }
        }
    }
}

#[test]
fn lengths_that_differ() {
    for backend in Backend::available() {
        for short in 0..4 {
            let mut planes: [Vec<u64>; 4] = core::array::from_fn(|plane| vec![99; 3 - usize::from(plane == short)]);
            let result = backend.unpack_records(&[[!0; 32]; 3], planes.each_mut().map(|plane| &mut plane[..]));
            assert_eq!(result, Err(PlanesError::LengthMismatch));
            assert!(planes.iter().flatten().all(|&plane| plane == 99));
        }
    }
}
