//! Hyperbola quintessence (<https://www.chessprogramming.org/Hyperbola_Quintessence>): `o - r` borrows up to the next blocker,
//! the same subtraction on the reversed board borrows down to the next one below. The bits that the two change are the
//! attack set. On files and diagonals, a byte swap reverses the line.

use slider_attacks::{Slider, Square, reference};

use crate::contest::{Contestant, Group, Run, loops};

/// The lines through a square, without the square itself.
#[repr(C, align(32))]
struct Masks {
    diagonal: u64,
    anti_diagonal: u64,
    file: u64,
    /// The fourth lane of the vector form.
    none: u64,
}

static MASKS: [Masks; 64] = {
    let mut masks = [const { Masks { diagonal: 0, anti_diagonal: 0, file: 0, none: 0 } }; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::ALL[index];
        masks[index].diagonal = reference::diagonal_attacks(square, 0);
        masks[index].anti_diagonal = reference::anti_diagonal_attacks(square, 0);
        masks[index].file = reference::file_attacks(square, 0);
        index += 1;
    }
    masks
};

/// Rank attacks by the six inner squares and the file.
static RANKS: [[u8; 8]; 64] = {
    let mut ranks = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let mut file = 0;
        while file < 8 {
            ranks[inner][file] = reference::rank_attacks(Square::ALL[file], (inner << 1) as u64) as u8;
            file += 1;
        }
        inner += 1;
    }
    ranks
};

pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let new = |name, how, needs, bytes, run: Run| Contestant {
        name,
        group: Group::Method,
        how,
        needs,
        table_bytes: Some(bytes),
        run,
    };
    let bytes = size_of_val(&MASKS) + size_of_val(&RANKS);
    let mut contestants = vec![
        new("hyperbola", "`o - r` and byte swaps, masks and ranks from tables", "-", bytes, tables::run(slider)),
        new("hyperbola_bare", "`o - r` and byte swaps, no tables", "-", 0, computed::run(slider)),
    ];
    #[cfg(target_arch = "x86_64")]
    contestants.extend(avx2::run(slider).map(|run| {
        let bytes = bytes + size_of_val(&avx2::SLIDERS);
        new("hyperbola_avx2", "file and diagonals of a pair in one vector", "AVX2", bytes, run)
    }));
    contestants
}

/// The masks of a square. `& 63` lets the compiler see that the index is in bounds.
#[inline(always)]
fn masks(square: Square) -> &'static Masks {
    &MASKS[usize::from(square.index() & 63)]
}

/// The attacks along a file or a diagonal with the mask `line`.
#[inline(always)]
fn along(line: u64, square: Square, occ: u64) -> u64 {
    let blockers = occ & line;
    let up = blockers.wrapping_sub(1 << (square.index() & 63));
    let down = blockers.swap_bytes().wrapping_sub(1 << (square.index() & 63 ^ 56));
    (up ^ down.swap_bytes()) & line
}

/// The attacks along the rank, from the table.
#[inline(always)]
fn along_rank(square: Square, occ: u64) -> u64 {
    let start = square.index() & 56;
    u64::from(RANKS[(occ >> start >> 1 & 63) as usize][usize::from(square.file())]) << start
}

loops! {
    mod tables {
        use super::{along, along_rank, masks};
    }
    rook |square, occ| along(masks(square).file, square, occ) | along_rank(square, occ),
    bishop |square, occ| {
        along(masks(square).diagonal, square, occ) | along(masks(square).anti_diagonal, square, occ)
    },
    queen |square, occ| rook(square, occ) | bishop(square, occ),
}

loops! {
    mod computed {
        use super::along;

        /// The attacks along the rank: upwards by subtraction, downwards from the highest blocker below.
        #[inline(always)]
        fn along_rank(square: Square, occ: u64) -> u64 {
            let (start, slider) = (square.index() & 56, 1_u64 << square.file());
            let rank = occ >> start & 0xff & !slider;
            let up = (rank ^ rank.wrapping_sub(slider)) & !(slider | (slider - 1)) & 0xff;
            let highest_below = 1 << (63 - (rank & (slider - 1) | 1).leading_zeros());
            (up | (slider - highest_below)) << start
        }

        /// The diagonal from a1 to h8, moved by whole ranks, and the anti-diagonal likewise.
        #[inline(always)]
        fn diagonals(square: Square) -> (u64, u64) {
            let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
            // Both shifts, one of them by zero: a branch here would be mispredicted half of the time.
            let moved = |line: u64, ranks: i32| line << (8 * ranks.max(0)) >> (8 * (-ranks).max(0));
            let own = !(1 << (square.index() & 63));
            (moved(0x8040_2010_0804_0201, rank - file) & own, moved(0x0102_0408_1020_4080, rank + file - 7) & own)
        }

        /// The file: rotating it by whole ranks changes nothing.
        #[inline(always)]
        fn file(square: Square) -> u64 {
            0x0101_0101_0101_0101_u64.rotate_left(u32::from(square.index())) & !(1 << (square.index() & 63))
        }
    }
    rook |square, occ| along(file(square), square, occ) | along_rank(square, occ),
    bishop |square, occ| {
        let (diagonal, anti_diagonal) = diagonals(square);
        along(diagonal, square, occ) | along(anti_diagonal, square, occ)
    },
    queen |square, occ| rook(square, occ) | bishop(square, occ),
}

/// One pair per vector: diagonal, anti-diagonal and file in lanes of 64 bits. A bishop needs half a vector.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use core::arch::x86_64::*;

    use slider_attacks::{Slider, Square};

    use super::{Masks, along_rank, masks};
    use crate::contest::{Run, four_per_step};

    /// The slider, and the slider on the reversed board. For the queen, a broadcast from memory costs less than a shift and a
    /// broadcast from a register; for the bishop it costs more.
    pub static SLIDERS: [[i64; 2]; 64] = {
        let mut sliders = [[0; 2]; 64];
        let mut index = 0;
        while index < 64 {
            sliders[index] = [1 << index, 1 << (index ^ 56)];
            index += 1;
        }
        sliders
    };

    pub fn run(slider: Slider) -> Option<Run> {
        if !is_x86_feature_detected!("avx2") {
            return None;
        }
        Some(match slider {
            // The file has nothing to share a vector with, so this would be `tables`.
            Slider::Rook => return None,
            // SAFETY: the CPU has AVX2, as checked above. The same holds for the queen.
            Slider::Bishop => Box::new(|squares, occs, out| unsafe { bishops(squares, occs, out) }),
            // SAFETY: as above.
            Slider::Queen => Box::new(|squares, occs, out| unsafe { queens(squares, occs, out) }),
        })
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn queens(squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let swap = _mm256_broadcastsi128_si256(swap_bytes());
        four_per_step(squares, occs, out, |square, occ| {
            let [slider, slider_reversed] = SLIDERS[usize::from(square.index() & 63)];
            let lines: *const Masks = masks(square);
            // SAFETY: `Masks` has 32 bytes and is aligned to 32.
            let lines = unsafe { _mm256_load_si256(lines.cast()) };
            let blockers = _mm256_and_si256(_mm256_set1_epi64x(occ as i64), lines);
            let up = _mm256_sub_epi64(blockers, _mm256_set1_epi64x(slider));
            let reversed = _mm256_shuffle_epi8(blockers, swap);
            let down = _mm256_sub_epi64(reversed, _mm256_set1_epi64x(slider_reversed));
            let attacks = _mm256_and_si256(_mm256_xor_si256(up, _mm256_shuffle_epi8(down, swap)), lines);
            let halves = _mm_or_si128(_mm256_castsi256_si128(attacks), _mm256_extracti128_si256::<1>(attacks));
            both_lanes(halves) | along_rank(square, occ)
        });
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn bishops(squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let swap = swap_bytes();
        four_per_step(squares, occs, out, |square, occ| {
            let lines: *const Masks = masks(square);
            // SAFETY: both diagonals are the first 16 bytes of `Masks`, which is aligned to 32.
            let lines = unsafe { _mm_load_si128(lines.cast()) };
            let blockers = _mm_and_si128(_mm_set1_epi64x(occ as i64), lines);
            let up = _mm_sub_epi64(blockers, _mm_set1_epi64x(1 << (square.index() & 63)));
            let reversed = _mm_shuffle_epi8(blockers, swap);
            let down = _mm_sub_epi64(reversed, _mm_set1_epi64x(1 << (square.index() & 63 ^ 56)));
            both_lanes(_mm_and_si128(_mm_xor_si128(up, _mm_shuffle_epi8(down, swap)), lines))
        });
    }

    /// The shuffle that reverses the bytes of each lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn swap_bytes() -> __m128i {
        _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn both_lanes(lanes: __m128i) -> u64 {
        _mm_cvtsi128_si64(_mm_or_si128(lanes, _mm_unpackhi_epi64(lanes, lanes))) as u64
    }
}
