//! Conversion of training records to planes and of planes to positions, on every backend, compared with plain loops.

use crate::common::Random;
use slider_attacks::Backend;
use slider_attacks::position::PlanesError;

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
