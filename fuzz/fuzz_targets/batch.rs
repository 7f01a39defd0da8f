//! Batch calls of any length, at any place within their buffers, with good and bad squares and with lengths that differ.
//! Every backend must agree with the ray walk. Nothing may be written outside `out`, and nothing at all on an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slider_attacks::{Backend, BatchError, Slider, SliderArrays, Square, reference, set_attacks};

#[path = "../../tests/common/mod.rs"]
mod common;

fuzz_target!(|data: &[u8]| {
    let [slider, square_offset, occ_offset, out_offset, shorter, repeat, pairs @ ..] = data else { return };
    let slider = Slider::ALL[usize::from(slider % 3)];
    let offsets = [square_offset % 64, occ_offset % 8, out_offset % 8].map(usize::from);
    // Nine bytes per pair. A short input is repeated, because the fuzzer would never find inputs for the longer calls.
    let pairs: Vec<(u8, u64)> =
        pairs.as_chunks::<9>().0.iter().map(|&[square, occ @ ..]| (square, u64::from_le_bytes(occ))).collect();
    let pairs: Vec<(u8, u64)> = pairs.repeat(usize::from(repeat % 16) + 1);
    let length = pairs.len();
    let squares: Vec<u8> = vec![255; offsets[0]].into_iter().chain(pairs.iter().map(|pair| pair.0)).collect();
    let occs: Vec<u64> = vec![!0; offsets[1]].into_iter().chain(pairs.iter().map(|pair| pair.1)).collect();
    let (mut squares, mut occs) = (&squares[offsets[0]..], &occs[offsets[1]..]);
    let mut room = length;
    // In most calls, all lengths are equal. In the others, one of the three slices lacks an element.
    if length > 0 {
        match shorter {
            253 => squares = &squares[1..],
            254 => occs = &occs[1..],
            255 => room -= 1,
            _ => {}
        }
    }
    let expected = if squares.len() != occs.len() || occs.len() != room {
        Err(BatchError::LengthMismatch { squares: squares.len(), occupancies: occs.len(), out: room })
    } else if let Some(index) = squares.iter().position(|&square| square >= 64) {
        Err(BatchError::SquareOutOfRange { index, square: squares[index] })
    } else {
        let squares = squares.iter().map(|&square| Square::new(square).expect("all are below 64"));
        Ok(squares.zip(occs).map(|(square, &occ)| reference::attacks(slider, square, occ)).collect::<Vec<u64>>())
    };
    let room_around = (offsets[2], 8);
    for backend in Backend::available() {
        let what = format_args!("{backend}, {slider}");
        let call = |out: &mut [u64]| backend.batch_slider_attacks(slider, squares, occs, out);
        match &expected {
            Ok(attacks) => common::check(what, attacks, room_around, call),
            Err(error) => common::check_error(what, *error, room, call),
        }
        let flipped: Vec<u64> = occs.iter().map(|occ| occ.swap_bytes()).collect();
        let sets: Vec<u64> = occs.iter().zip(&flipped).map(|(&occ, &flipped)| set_attacks(occ, flipped, occ)).collect();
        common::check(format_args!("{backend}, sets"), &sets, room_around, |out| {
            backend.batch_attack_sets(SliderArrays { orthogonal: occs, diagonal: &flipped, occupancies: occs }, out)
        });
    }
});
