//! Lists of squares with AVX-512, VBMI and VBMI2: `vpcompressb` leaves those of a set next to each other.

use core::arch::x86_64::*;

use crate::batch::lists::{ListOperations, ListTask, PieceSets, SIDE, SquareListing};
use crate::batch::squares::{SquareTask, SquareVectors};
use crate::line::A_FILE;
use crate::table::table;

token! {
    /// Proof that the CPU has AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, and the instructions on single bits.
    Avx512Lists, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
}

/// Lists moves.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::batch) fn list(task: impl ListTask) {
    task.perform(Avx512Lists::new());
}

/// Does work on the squares of sets.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::batch) fn work_on_squares(task: impl SquareTask) {
    task.perform_on_vectors(Avx512Lists::new());
}

type V = __m512i;

/// How many pieces a vector has.
const FEW: usize = 8;

const SQUARES: [u8; 64] = table!(square < 64 => square as u8);
/// By number of a file and of a rank.
const FILES: [u64; 8] = table!(file < 8 => A_FILE << file);
const RANKS: [u64; 8] = table!(rank < 8 => 0xff << (8 * rank));
/// The attacks of a knight on a1, where squares off the board are those at its other end.
const LEAPS: u64 = 1 << 6 | 1 << 10 | 1 << 15 | 1 << 17 | 1 << 47 | 1 << 49 | 1 << 54 | 1 << 58;
/// By number of a file and of a rank: those at most two away.
const NEAR_FILES: [u64; 8] = table!(file < 8 => {
    let (mut near, mut other) = (0, 0);
    while other < 8 {
        near |= if other <= file + 2 && file <= other + 2 { FILES[other] } else { 0 };
        other += 1;
    }
    near
});
const NEAR_RANKS: [u64; 8] = table!(rank < 8 => {
    let (mut near, mut other) = (0, 0);
    while other < 8 {
        near |= if other <= rank + 2 && rank <= other + 2 { RANKS[other] } else { 0 };
        other += 1;
    }
    near
});
/// The bytes of lanes in their order, and upside down. A shuffle counts them from the first of two lanes.
const ORDERS: [[u8; 64]; 2] = [table!(at < 64 => at as u8 % 16), table!(at < 64 => (at as u8 % 16) ^ 7)];

/// [`PieceSets::targets`] of eight pieces.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn targets(sets: &PieceSets, lane: usize, squares: [u8; FEW], attacks: [u64; FEW]) -> [u64; FEW] {
    let splat = |set: u64| _mm512_set1_epi64(set as i64);
    let square = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(squares)));
    let rank = _mm512_srli_epi64::<3>(square);
    let attacks: V = bytemuck::cast(attacks);
    let piece = _mm512_rolv_epi64(splat(1), square);
    let has = |pieces: u64| _mm512_test_epi64_mask(piece, splat(pieces));
    // Of the indexes, the last three bits count.
    let lines = _mm512_or_si512(
        _mm512_permutexvar_epi64(square, bytemuck::cast(FILES)),
        _mm512_permutexvar_epi64(rank, bytemuck::cast(RANKS)),
    );
    let orthogonal = _mm512_maskz_and_epi64(has(sets.orthogonal[lane]), lines, attacks);
    let diagonal = _mm512_maskz_andnot_epi64(has(sets.diagonal[lane]), lines, attacks);
    let leaps = _mm512_maskz_ternarylogic_epi64::<0x80>(
        has(sets.knights[lane]),
        _mm512_rolv_epi64(splat(LEAPS), square),
        _mm512_permutexvar_epi64(square, bytemuck::cast(NEAR_FILES)),
        _mm512_permutexvar_epi64(rank, bytemuck::cast(NEAR_RANKS)),
    );
    let pieces = _mm512_ternarylogic_epi64::<0xfe>(orthogonal, diagonal, leaps);
    let king = _mm512_maskz_mov_epi64(has(sets.king[lane]), splat(sets.king_targets[lane]));
    // `a | b & c`
    let all = _mm512_ternarylogic_epi64::<0xf8>(king, pieces, splat(sets.targets[lane]));
    let all = _mm512_ternarylogic_epi64::<0xf8>(all, _mm512_slli_epi64::<8>(piece), splat(sets.one[lane]));
    let all = _mm512_ternarylogic_epi64::<0xf8>(all, _mm512_slli_epi64::<16>(piece), splat(sets.two[lane]));
    let all = _mm512_ternarylogic_epi64::<0xf8>(all, _mm512_slli_epi64::<9>(piece), splat(sets.east[lane]));
    let all = _mm512_ternarylogic_epi64::<0xf8>(all, _mm512_slli_epi64::<7>(piece), splat(sets.west[lane]));
    bytemuck::cast(_mm512_shuffle_epi8(all, bytemuck::cast(ORDERS[sets.black[lane] as usize % 2])))
}

operations! {
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt",

    impl SquareListing for Avx512Lists {
        fn squares(self, set: u64, out: &mut [u8; 64]) {
            *out = bytemuck::cast(_mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES)));
        }
        fn few_squares(self, set: u64, out: &mut [u8; 32]) {
            let squares = _mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES));
            *out = bytemuck::cast(_mm512_castsi512_si256(squares));
        }
    }

    impl SquareVectors for Avx512Lists {
        type Vector = V;

        fn squares_of(self, set: u64) -> V { _mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES)) }
        fn load(self, bytes: &[u8; 64]) -> V { bytemuck::cast(*bytes) }
        fn load_words(self, words: &[u16; 32]) -> V { bytemuck::cast(*words) }
        fn store(self, a: V, out: &mut [u8; 64]) { *out = bytemuck::cast(a) }
        fn store_half(self, a: V, out: &mut [u8; 32]) { *out = bytemuck::cast(_mm512_castsi512_si256(a)) }
        fn store_eight(self, a: V, out: &mut [u8; 8]) {
            *out = _mm_cvtsi128_si64(_mm512_castsi512_si128(a)).to_le_bytes();
        }
        fn splat(self, byte: u8) -> V { _mm512_set1_epi8(byte as i8) }
        fn splat_word(self, word: u16) -> V { _mm512_set1_epi16(word as i16) }
        fn and(self, a: V, b: V) -> V { _mm512_and_si512(a, b) }
        fn xor(self, a: V, b: V) -> V { _mm512_xor_si512(a, b) }
        fn add(self, a: V, b: V) -> V { _mm512_add_epi8(a, b) }
        fn sub(self, a: V, b: V) -> V { _mm512_sub_epi8(a, b) }
        fn min(self, a: V, b: V) -> V { _mm512_min_epu8(a, b) }
        fn max(self, a: V, b: V) -> V { _mm512_max_epu8(a, b) }
        fn add_words(self, a: V, b: V) -> V { _mm512_add_epi16(a, b) }
        fn times_words(self, a: V, b: V) -> V { _mm512_mullo_epi16(a, b) }
        fn shift_words<const BITS: u32>(self, a: V) -> V { _mm512_slli_epi16::<BITS>(a) }
        fn half_words(self, a: V) -> V { _mm512_srli_epi16::<1>(a) }
        fn lookup(self, table: V, at: V) -> V { _mm512_permutexvar_epi8(at, table) }
        fn lookup_two(self, tables: [V; 2], at: V) -> V { _mm512_permutex2var_epi8(tables[0], at, tables[1]) }
        fn widen(self, a: V) -> V { _mm512_cvtepu8_epi16(_mm512_castsi512_si256(a)) }
        fn add_where(self, a: V, chosen: V, word: u16) -> V {
            let chosen = _mm256_movepi8_mask(_mm512_castsi512_si256(chosen));
            _mm512_mask_add_epi16(a, chosen, a, _mm512_set1_epi16(word as i16))
        }
        fn keep(self, words: V, drop: V, count: usize) -> (V, usize) {
            let kept = _bzhi_u32(!_mm256_movepi8_mask(_mm512_castsi512_si256(drop)), count.min(32) as u32);
            (_mm512_maskz_compress_epi16(kept, words), kept.count_ones() as usize)
        }
        fn store_eight_sums(self, a: V, words: [u16; 2], out: &mut [u16; 8]) {
            let words = _mm_set1_epi32(bytemuck::cast(words));
            *out = bytemuck::cast(_mm_add_epi16(_mm_cvtepu8_epi16(_mm512_castsi512_si128(a)), words));
        }
        fn store_words(self, a: V, out: &mut [u16; 32]) { *out = bytemuck::cast(a) }
        fn store_long(self, a: V, chosen: V, bases: [u32; 2], out: &mut [u32; 32]) {
            let chosen = _mm512_test_epi16_mask(chosen, chosen);
            let [base, other] = bases.map(|base| _mm512_set1_epi32(base as i32));
            let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(a));
            let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(a));
            let low = _mm512_add_epi32(low, _mm512_mask_blend_epi32(chosen as u16, base, other));
            let high = _mm512_add_epi32(high, _mm512_mask_blend_epi32((chosen >> 16) as u16, base, other));
            *out = bytemuck::cast([low, high]);
        }
    }

    impl ListOperations for Avx512Lists {
        fn few_or_none(self, set: u64, out: &mut [u8; 8]) {
            let squares = _mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES));
            *out = _mm_cvtsi128_si64(_mm512_castsi512_si128(squares)).to_le_bytes();
        }
        fn targets(self, sets: &PieceSets, lane: usize, squares: &[u8; SIDE], attacks: &[u64; SIDE]) -> [u64; SIDE] {
            let (squares, attacks) = (squares.as_chunks().0, attacks.as_chunks().0);
            // Not with `map`, into which the compiler inlines nothing that has more features.
            let first = targets(sets, lane, squares[0], attacks[0]);
            bytemuck::cast([first, targets(sets, lane, squares[1], attacks[1])])
        }
    }
}
