//! Sets of sliders: every backend gives the union of what the sliders of the set attack, under the laws of a batch call.

use crate::common::{self, Random, check, check_error};
use slider_attacks::verify::verify;
use slider_attacks::{BatchError, Slider, SliderArrays, Square, batch_attack_sets, reference, set_attacks};

/// The specification: each slider by itself.
fn union(orthogonal: u64, diagonal: u64, occ: u64) -> u64 {
    let of = |slider, set: u64| {
        Square::ALL
            .into_iter()
            .filter(move |square| set & square.bitboard() != 0)
            .fold(0, |attacks, square| attacks | reference::attacks(slider, square, occ))
    };
    of(Slider::Rook, orthogonal) | of(Slider::Bishop, diagonal)
}

/// Boards with few and many sliders. All, some or none are in the occupancy.
pub fn random_sets(length: usize) -> [Vec<u64>; 3] {
    let mut random = Random(length as u64);
    let mut sets = [const { Vec::new() }; 3];
    for row in 0..length {
        let mut thin = |times: usize| (0..times).fold(!0, |board, _| board & random.next());
        let (orthogonal, diagonal, occ) = (thin(1 + row % 6), thin(1 + row / 6 % 6), thin(1 + row / 36 % 4));
        let occ = match row % 3 {
            0 => occ | orthogonal | diagonal,
            1 => occ,
            _ => occ & !orthogonal & !diagonal,
        };
        for (boards, board) in sets.iter_mut().zip([orthogonal, diagonal, occ]) {
            boards.push(board);
        }
    }
    sets
}

pub fn arrays([orthogonal, diagonal, occupancies]: [&[u64]; 3]) -> SliderArrays<'_> {
    SliderArrays { orthogonal, diagonal, occupancies }
}

#[test]
fn every_backend_gives_the_union_at_any_length() {
    let sets = random_sets(2_000);
    let expected: Vec<u64> = (0..2_000).map(|row| union(sets[0][row], sets[1][row], sets[2][row])).collect();
    for (row, &expected) in expected.iter().enumerate() {
        assert_eq!(set_attacks(sets[0][row], sets[1][row], sets[2][row]), expected, "row {row}");
    }
    for backend in common::backends("sets") {
        for length in (0..=300).chain([1_000, 1_999]) {
            let rows = (length % 7).min(2_000 - length)..;
            let sets = sets.each_ref().map(|boards| &boards[rows.clone()][..length]);
            check(format_args!("{backend}, {length} boards"), &expected[rows][..length], (3, 5), |out| {
                backend.batch_attack_sets(arrays(sets), out)
            });
        }
    }
}

/// One slider of each kind on every square, over every subset of its rays.
#[test]
fn every_backend_agrees_with_the_reference_on_single_sliders() {
    for backend in common::backends("sets, single sliders") {
        for (square, slider) in Square::ALL.into_iter().flat_map(|square| Slider::ALL.map(|slider| (square, slider))) {
            let verified = verify(backend.name(), slider, square, |occs, out| {
                let (set, none) = (vec![square.bitboard(); occs.len()], vec![0; occs.len()]);
                let (orthogonal, diagonal) = match slider {
                    Slider::Rook => (&set, &none),
                    Slider::Bishop => (&none, &set),
                    Slider::Queen => (&set, &set),
                };
                backend.batch_attack_sets(arrays([orthogonal, diagonal, occs]), out).expect("lengths are equal");
            });
            verified.unwrap_or_else(|mismatch| panic!("\n{mismatch}"));
        }
    }
}

/// Arrays that are long enough to be streamed.
#[test]
fn large_arrays_at_any_alignment() {
    let length = (1 << 21) + 33;
    let sets = random_sets(4_099).map(|boards| boards.into_iter().cycle().take(length).collect::<Vec<u64>>());
    let expected: Vec<u64> = (0..length).map(|row| set_attacks(sets[0][row], sets[1][row], sets[2][row])).collect();
    for backend in common::backends("sets, large").into_iter().skip(1) {
        for offset in [0, 1, 7] {
            check(format_args!("{backend}, offset {offset}"), &expected, (offset, 8 - offset), |out| {
                backend.batch_attack_sets(arrays(sets.each_ref().map(Vec::as_slice)), out)
            });
        }
    }
}

#[test]
fn lengths_that_differ_are_an_error_and_nothing_is_written() {
    for lengths in [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [70, 70, 70, 64], [64, 64, 63, 64]] {
        let [orthogonal, diagonal, occupancies, out] = lengths;
        let error = BatchError::SetLengthMismatch { orthogonal, diagonal, occupancies, out };
        check_error(format_args!("{lengths:?}"), error, out, |out| {
            let boards = [0; 70];
            batch_attack_sets(arrays([orthogonal, diagonal, occupancies].map(|length| &boards[..length])), out)
        });
    }
    let message = BatchError::SetLengthMismatch { orthogonal: 1, diagonal: 2, occupancies: 3, out: 4 }.to_string();
    assert_eq!(message, "lengths differ: 1 orthogonal sets, 2 diagonal sets, 3 occupancies, room for 4 attack sets");
}
