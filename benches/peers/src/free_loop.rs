//! What the compiler gives for free: a plain loop over the pairs, without tables, which it vectorises. The masks of the
//! lines are computed from the square, and both rays of a line are found by subtraction.
//!
//! There are five builds of the loop, each in its strongest form (rustc 1.95.0, nanoseconds per queen, rook and bishop in
//! calls of 4,096 pairs, on Zen 5 and on Granite Rapids):
//!
//! | build | equivalent flags | Zen 5 | Granite Rapids |
//! |---|---|---|---|
//! | `free_avx2` | `target-cpu=haswell` | 1.29, 0.75, 0.77 | 1.64, 0.88, 0.91 |
//! | `free_avx2_gfni` | `target-cpu=alderlake` | | 1.39, 0.65, 0.89 |
//! | `free_256` | `target-cpu=native` on a CPU with AVX-512, `+prefer-256-bit` | 0.89, 0.41, 0.56 | 1.14, 0.48, 0.68 |
//! | `free_512` | the same with `-prefer-256-bit` | 0.48, 0.23, 0.30 | 0.86, 0.39, 0.53 |
//! | `free_512_gfni` | the same with GFNI | | 0.81, 0.41, 0.51 |
//!
//! GFNI alone changes nothing: the compiler then makes the same instructions of the same loop. It makes `vgf2p8affineqb` of
//! bits that are reversed in their byte, so the rank is written so. In 256 bits with AVX-512, that takes 2 % more time than
//! leading zeros. With bits reversed in the whole board, two instructions, queens take 4 and 6 % more.
//!
//! Tried and slower, at 512 bits: diagonal masks made by shifting the main diagonal both ways, 0.66 for queens; each ray on
//! its own, 0.55; the file with byte swaps, 0.49, and 0.24 for rooks. Without AVX-512: the rank with reversed bits, 1.45 for
//! queens, or with the exponent of a float, 1.41; leading zeros, which AVX2 cannot count, 2.9.

use core::hint::black_box;

use slider_attacks::{Backend, Slider, Square};

use crate::Run;

const A_FILE: u64 = 0x0101_0101_0101_0101;
/// The squares 9, 18, … 63 and 7, 14, … 49 above a1, and the same numbers below h8. Bits that a shift carries around
/// the edge of the board are masked off.
const NORTH_EAST: u64 = 0x8040_2010_0804_0200;
const NORTH_WEST: u64 = 0x0002_0408_1020_4080;
const SOUTH_WEST: u64 = 0x0040_2010_0804_0201;
const SOUTH_EAST: u64 = 0x0102_0408_1020_4000;

/// The obstruction difference: from the lowest blocker above the slider down to the highest one below, or to the
/// end of the line. With AVX-512 CD, leading zeros are one vector instruction.
#[inline(always)]
fn by_leading_zeros(above: u64, below: u64, line: u64) -> u64 {
    let highest_below = 1 << 63 >> (below | 1).leading_zeros();
    (above ^ above.wrapping_sub(highest_below)) & line
}

/// `o ^ (o - 2r)`, on the board for the upper ray and upside down for the lower one. The slider is not among the
/// blockers, so `o - r` is enough. Works for lines that cross each rank once, without the slider's own square.
#[inline(always)]
fn by_byte_swap(slider: u64, occ: u64, line: u64) -> u64 {
    let blockers = occ & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.swap_bytes().wrapping_sub(slider.swap_bytes()).swap_bytes();
    (up ^ down) & line
}

/// The same along the slider's rank, whose bits are reversed in their byte: with GFNI, that is one vector instruction.
#[inline(always)]
fn by_reversed_byte(slider: u64, occ: u64, line: u64) -> u64 {
    let reversed = |board: u64| board.reverse_bits().swap_bytes();
    let blockers = occ & line;
    let up = blockers.wrapping_sub(slider);
    let down = reversed(reversed(blockers).wrapping_sub(reversed(slider)));
    (up ^ down) & line
}

/// What the loops are made of: shifts and byte swaps only, leading zeros, or bits reversed in their bytes.
const PLAIN: u8 = 0;
const LEADING_ZEROS: u8 = 1;
const REVERSED: u8 = 2;

#[inline(always)]
fn rook<const FORM: u8>(square: u64, occ: u64) -> u64 {
    let slider = 1_u64 << square;
    let below = slider - 1;
    let above = !(slider | below);
    let file = A_FILE.rotate_left(square as u32);
    let rank = 0xff_u64 << (square & 56);
    if FORM == LEADING_ZEROS {
        let line = |line| by_leading_zeros(occ & above & line, occ & below & line, line);
        return (line(file) | line(rank)) & !slider;
    }
    let along_file = by_byte_swap(slider, occ, file & !slider);
    if FORM == REVERSED {
        return along_file | by_reversed_byte(slider, occ, rank & !slider);
    }
    let blockers_east = occ & above & rank;
    let east = blockers_east ^ blockers_east.wrapping_sub(slider << 1);
    let mut behind_west = occ & below & rank;
    behind_west |= behind_west >> 1;
    behind_west |= behind_west >> 2;
    behind_west |= behind_west >> 4;
    along_file | rank & (above & east | below & !(behind_west >> 1))
}

#[inline(always)]
fn bishop<const FORM: u8>(square: u64, occ: u64) -> u64 {
    let from_h8 = square ^ 63;
    let west = A_FILE.rotate_left(square as u32) - A_FILE;
    let (north_east, south_west) = (NORTH_EAST << square & !west, SOUTH_WEST >> from_h8 & west);
    let (north_west, south_east) = (NORTH_WEST << square & west, SOUTH_EAST >> from_h8 & !west);
    let (diagonal, anti_diagonal) = (north_east | south_west, north_west | south_east);
    if FORM == LEADING_ZEROS {
        by_leading_zeros(occ & north_east, occ & south_west, diagonal)
            | by_leading_zeros(occ & north_west, occ & south_east, anti_diagonal)
    } else {
        let slider = 1 << square;
        by_byte_swap(slider, occ, diagonal) | by_byte_swap(slider, occ, anti_diagonal)
    }
}

#[inline(always)]
fn queen<const FORM: u8>(square: u64, occ: u64) -> u64 {
    rook::<FORM>(square, occ) | bishop::<PLAIN>(square, occ)
}

/// The loop in the widest vectors that the features allow.
macro_rules! widest {
    ($features:literal, $form:ident, $($slider:ident),*) => {$(
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub fn $slider(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            for ((square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = super::$slider::<$form>(u64::from(square.index()), occ);
            }
        }
    )*};
}

/// The loop in vectors of 256 bits. Only a flag for the whole build (`+prefer-256-bit`) keeps the compiler from wider
/// vectors. So the loop takes four pairs per step, and `black_box` keeps the compiler from merging steps. The
/// instructions are the ones that the flag gives.
macro_rules! in_256_bits {
    ($features:literal, $form:ident, $($slider:ident),*) => {$(
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub fn $slider(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            let (squares, squares_left) = squares.as_chunks::<4>();
            let (occs, occs_left) = occs.as_chunks::<4>();
            let (out, out_left) = out.as_chunks_mut::<4>();
            for ((squares, occs), out) in squares.iter().zip(occs).zip(out) {
                let mut attacks = [0; 4];
                for at in 0..4 {
                    attacks[at] = super::$slider::<$form>(u64::from(squares[at].index()), occs[at]);
                }
                *out = attacks;
                black_box(());
            }
            for ((square, &occ), out) in squares_left.iter().zip(occs_left).zip(out_left) {
                *out = super::$slider::<$form>(u64::from(square.index()), occ);
            }
        }
    )*};
}

mod free_avx2 {
    use super::*;
    widest! { "avx2,bmi2,lzcnt", PLAIN, bishop, rook, queen }
}
mod free_avx2_gfni {
    use super::*;
    widest! { "avx2,bmi2,lzcnt,gfni", REVERSED, bishop, rook, queen }
}
mod free_256 {
    use super::*;
    in_256_bits! { "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi2,lzcnt", LEADING_ZEROS, bishop, rook, queen }
}
mod free_512 {
    use super::*;
    widest! { "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi2,lzcnt", LEADING_ZEROS, bishop, rook, queen }
}
mod free_512_gfni {
    use super::*;
    widest! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,gfni,bmi2,lzcnt", REVERSED, bishop, rook, queen
    }
}

pub fn runs(slider: Slider) -> Vec<(&'static str, Run)> {
    macro_rules! run {
        ($build:ident) => {{
            let run: Run = match slider {
                // SAFETY: the CPU has the features of the build: `run!` is used below only after a check. The same
                // holds for the two calls below.
                Slider::Bishop => Box::new(|squares, occs, out| unsafe { $build::bishop(squares, occs, out) }),
                // SAFETY: as above.
                Slider::Rook => Box::new(|squares, occs, out| unsafe { $build::rook(squares, occs, out) }),
                // SAFETY: as above.
                Slider::Queen => Box::new(|squares, occs, out| unsafe { $build::queen(squares, occs, out) }),
            };
            (stringify!($build), run)
        }};
    }
    let mut runs = Vec::new();
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
        runs.push(run!(free_avx2));
        // These backends check for the same features.
        if Backend::avx2_gfni().is_some() {
            runs.push(run!(free_avx2_gfni));
        }
        if Backend::avx512().is_some() {
            runs.extend([run!(free_256), run!(free_512)]);
        }
        if Backend::avx512_gfni().is_some() {
            runs.push(run!(free_512_gfni));
        }
    }
    runs
}
