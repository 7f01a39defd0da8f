//! The operations on text with SSSE3: four vectors of two ranks each.

use core::arch::x86_64::*;

use super::Ssse3;
use crate::batch::kernel::fen_board::{BITS, BY_PLANE, KIND, OF_UPPER, SLOTS, SMALL};
use crate::batch::text::{TextBytes, TextTask, eight, starts};

/// Reads text.
#[inline(never)]
#[target_feature(enable = "ssse3")]
pub(in crate::batch) fn read<T: TextTask>(task: T) -> T::Output {
    task.perform(Ssse3::plain())
}

type V = __m128i;

/// The first 32 bytes of a text, and another 32 bytes of it.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    quarters: [V; 4],
    /// Where the third quarter begins.
    from: u32,
}

#[inline]
#[target_feature(enable = "ssse3")]
fn splat(table: [u8; 16]) -> V {
    bytemuck::cast(table)
}

#[inline]
#[target_feature(enable = "ssse3")]
fn mask([a, b, c, d]: [V; 4], from: u32) -> u64 {
    let bits = |quarter| u64::from(_mm_movemask_epi8(quarter) as u32);
    bits(a) | bits(b) << 16 | (bits(c) | bits(d) << 16) << from
}

#[inline]
#[target_feature(enable = "ssse3")]
fn at_most(bytes: V, most: u8) -> V {
    _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most as i8)), bytes)
}

/// The bits of each plane in the lower bytes of each lane, plane by plane.
#[inline]
#[target_feature(enable = "ssse3")]
fn unions(bits: V, codes: V, ranks: V) -> V {
    let union = |bits| _mm_sad_epu8(bits, _mm_setzero_si128());
    let has = |bit: u32| _mm_and_si128(codes, _mm_set1_epi8(1 << (KIND + bit)));
    let kind = |bit| union(_mm_sign_epi8(bits, has(bit)));
    // Small letters, and bytes without a code.
    let black = union(_mm_and_si128(bits, _mm_cmpgt_epi8(ranks, _mm_set1_epi8(0x5f))));
    let low = _mm_or_si128(kind(0), _mm_slli_epi64::<8>(kind(1)));
    let high = _mm_or_si128(kind(2), _mm_slli_epi64::<8>(black));
    _mm_or_si128(low, _mm_slli_epi64::<16>(high))
}

/// The planes of four ranks, 32 bits each.
#[inline]
#[target_feature(enable = "ssse3")]
fn four(low: V, high: V) -> V {
    _mm_shuffle_epi8(_mm_or_si128(low, _mm_slli_epi64::<32>(high)), splat(BY_PLANE))
}

operations! {
    "ssse3",

    impl TextBytes for Ssse3 {
        type Start = Start;
        type Ranks = [V; 4];

        fn start(self, text: &[u8]) -> Start {
            let half = |from: usize| -> [V; 2] { bytemuck::cast::<[u8; 32], _>(*text[from..].first_chunk().expect("it is longer")) };
            let from = text.len().min(64) - 32;
            let ([a, b], [c, d]) = (half(0), half(from));
            Start { quarters: [a, b, c, d], from: from as u32 }
        }
        fn at_most(self, start: Start, most: u8) -> u64 { mask(start.quarters.map(|part| at_most(part, most)), start.from) }
        fn equal(self, start: Start, byte: u8) -> u64 {
            mask(start.quarters.map(|part| _mm_cmpeq_epi8(part, _mm_set1_epi8(byte as i8))), start.from)
        }
        fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize {
            let after: &[u8; 64] = text[board..].first_chunk().expect("a board has at most half of these bytes");
            let quarters: [V; 4] = bytemuck::cast(*after);
            board + mask(quarters.map(|part| at_most(part, most)), 32).trailing_zeros() as usize
        }
        fn ranks(self, text: &[u8], _start: Start, slashes: u64) -> [V; 4] {
            let [r8, r7, r6, r5, r4, r3, r2, r1] = starts(slashes).map(|start| eight(text, start));
            [_mm_set_epi64x(r2, r1), _mm_set_epi64x(r4, r3), _mm_set_epi64x(r6, r5), _mm_set_epi64x(r8, r7)]
        }
        fn codes(self, ranks: [V; 4]) -> ([V; 4], [V; 4]) {
            let small = ranks.map(|part| _mm_or_si128(part, _mm_set1_epi8(SMALL as i8)));
            let slots = small.map(|small| {
                let upper = _mm_and_si128(_mm_srli_epi16::<4>(small), _mm_set1_epi8(15));
                _mm_xor_si128(small, _mm_shuffle_epi8(splat(OF_UPPER), upper))
            });
            let codes = slots.map(|slots| _mm_shuffle_epi8(splat(SLOTS.1), slots));
            let expected = slots.map(|slots| _mm_shuffle_epi8(splat(SLOTS.0), slots));
            let known = [0, 1, 2, 3].map(|part| _mm_cmpeq_epi8(expected[part], small[part]));
            (codes, known)
        }
        fn and(self, a: [V; 4], b: u8) -> [V; 4] { a.map(|part| _mm_and_si128(part, _mm_set1_epi8(b as i8))) }
        fn sub(self, a: [V; 4], b: [V; 4]) -> [V; 4] { [0, 1, 2, 3].map(|part| _mm_sub_epi8(a[part], b[part])) }
        fn sums(self, a: [V; 4], first: u8) -> [V; 4] {
            a.map(|part| {
                let sums = _mm_add_epi8(part, _mm_set1_epi64x(first.into()));
                let sums = _mm_add_epi8(sums, _mm_slli_epi64::<8>(sums));
                let sums = _mm_add_epi8(sums, _mm_slli_epi64::<16>(sums));
                _mm_add_epi8(sums, _mm_slli_epi64::<32>(sums))
            })
        }
        fn high(self, a: [V; 4]) -> u64 { mask(a, 32) }
        fn all_right(self, places: [V; 4], sums: [V; 4], known: [V; 4]) -> bool {
            let right = [0, 1, 2, 3].map(|part| {
                let above = _mm_sub_epi8(sums[part], _mm_set1_epi8(1)); // 128 and more if the sum is more than 128
                _mm_or_si128(_mm_andnot_si128(above, known[part]), places[part])
            });
            let all = _mm_and_si128(_mm_and_si128(right[0], right[1]), _mm_and_si128(right[2], right[3]));
            _mm_movemask_epi8(all) == 0xffff
        }
        fn bits(self, a: [V; 4]) -> [V; 4] { a.map(|part| _mm_shuffle_epi8(splat(BITS), part)) }
        fn planes(self, bits: [V; 4], codes: [V; 4], ranks: [V; 4]) -> [u64; 4] {
            let low = four(unions(bits[0], codes[0], ranks[0]), unions(bits[1], codes[1], ranks[1]));
            let high = four(unions(bits[2], codes[2], ranks[2]), unions(bits[3], codes[3], ranks[3]));
            bytemuck::cast([_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high)])
        }
    }
}
