//! The operations on text with AVX2: two vectors of four ranks each.

use core::arch::x86_64::*;

use crate::batch::kernel::fen_board::{BITS, BY_PLANE, KIND, OF_UPPER, SLOTS, SMALL};
use crate::batch::lists::FILES;
use crate::batch::text::{BOARD_ROOM, BoardText, BoardTextTask, LETTERS, TextBytes, TextTask, eight, starts, written};
use crate::table::table;

token! {
    /// Proof that the CPU has AVX2, and the instructions on single bits that came with it.
    Avx2Text, "avx2,bmi1,bmi2,lzcnt,popcnt"
}

/// Reads text.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::batch) fn read<T: TextTask>(task: T) -> T::Output {
    task.perform(Avx2Text::new())
}

/// Writes boards.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in crate::batch) fn write(task: impl BoardTextTask) {
    task.perform(Avx2Text::new());
}

/// By byte of a vector with a bit for each: the byte of its bit, the bit, and its number from 1.
const BYTE: [u8; 32] = table!(at < 32 => (at / 8) as u8);
const BIT: [u8; 32] = table!(at < 32 => 1 << (at % 8));
const NUMBER: [u8; 32] = table!(at < 32 => (at % 8) as u8 + 1);

type V = __m256i;

/// The first 32 bytes of a text, and another 32 bytes of it.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    halves: [V; 2],
    /// Where the second half begins.
    from: u32,
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(table: [u8; 16]) -> V {
    _mm256_broadcastsi128_si256(bytemuck::cast(table))
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask([low, high]: [V; 2], from: u32) -> u64 {
    let bits = |half| u64::from(_mm256_movemask_epi8(half) as u32);
    bits(low) | bits(high) << from
}

#[inline]
#[target_feature(enable = "avx2")]
fn at_most(bytes: V, most: u8) -> V {
    _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(most as i8)), bytes)
}

/// The bits of each plane in the lower bytes of each lane, plane by plane.
#[inline]
#[target_feature(enable = "avx2")]
fn unions(bits: V, codes: V, ranks: V) -> V {
    let union = |bits| _mm256_sad_epu8(bits, _mm256_setzero_si256());
    let has = |bit: u32| _mm256_and_si256(codes, _mm256_set1_epi8(1 << (KIND + bit)));
    let kind = |bit| union(_mm256_sign_epi8(bits, has(bit)));
    // Small letters, and bytes without a code.
    let black = union(_mm256_and_si256(bits, _mm256_cmpgt_epi8(ranks, _mm256_set1_epi8(0x5f))));
    let low = _mm256_or_si256(kind(0), _mm256_slli_epi64::<8>(kind(1)));
    let high = _mm256_or_si256(kind(2), _mm256_slli_epi64::<8>(black));
    _mm256_or_si256(low, _mm256_slli_epi64::<16>(high))
}

operations! {
    "avx2,bmi1,bmi2,lzcnt,popcnt",

    impl TextBytes for Avx2Text {
        type Start = Start;
        type Ranks = [V; 2];

        fn start(self, text: &[u8]) -> Start {
            let half = |from: usize| -> V { bytemuck::cast::<[u8; 32], _>(*text[from..].first_chunk().expect("it is longer")) };
            let from = text.len().min(64) - 32;
            Start { halves: [half(0), half(from)], from: from as u32 }
        }
        fn at_most(self, start: Start, most: u8) -> u64 { mask(start.halves.map(|half| at_most(half, most)), start.from) }
        fn equal(self, start: Start, byte: u8) -> u64 {
            mask(start.halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8))), start.from)
        }
        fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize {
            let after: &[u8; 64] = text[board..].first_chunk().expect("a board has at most half of these bytes");
            let halves: [V; 2] = bytemuck::cast(*after);
            let in_half = |half| _mm256_movemask_epi8(at_most(half, most)) as u32;
            match in_half(halves[0]) {
                0 => board + 32 + in_half(halves[1]).trailing_zeros() as usize,
                found => board + found.trailing_zeros() as usize,
            }
        }
        fn ranks(self, text: &[u8], _start: Start, slashes: u64) -> [V; 2] {
            let [r8, r7, r6, r5, r4, r3, r2, r1] = starts(slashes).map(|start| eight(text, start));
            [_mm256_set_epi64x(r6, r5, r2, r1), _mm256_set_epi64x(r8, r7, r4, r3)]
        }
        fn codes(self, ranks: [V; 2]) -> ([V; 2], [V; 2]) {
            let small = ranks.map(|half| _mm256_or_si256(half, _mm256_set1_epi8(SMALL as i8)));
            let slots = small.map(|small| {
                let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(small), _mm256_set1_epi8(15));
                _mm256_xor_si256(small, _mm256_shuffle_epi8(splat(OF_UPPER), upper))
            });
            let codes = slots.map(|slots| _mm256_shuffle_epi8(splat(SLOTS.1), slots));
            let expected = slots.map(|slots| _mm256_shuffle_epi8(splat(SLOTS.0), slots));
            let known = [0, 1].map(|half| _mm256_cmpeq_epi8(expected[half], small[half]));
            (codes, known)
        }
        fn and(self, a: [V; 2], b: u8) -> [V; 2] { a.map(|half| _mm256_and_si256(half, _mm256_set1_epi8(b as i8))) }
        fn sub(self, a: [V; 2], b: [V; 2]) -> [V; 2] {
            [_mm256_sub_epi8(a[0], b[0]), _mm256_sub_epi8(a[1], b[1])]
        }
        fn sums(self, a: [V; 2], first: u8) -> [V; 2] {
            a.map(|half| {
                let sums = _mm256_add_epi8(half, _mm256_set1_epi64x(first.into()));
                let sums = _mm256_add_epi8(sums, _mm256_slli_epi64::<8>(sums));
                let sums = _mm256_add_epi8(sums, _mm256_slli_epi64::<16>(sums));
                _mm256_add_epi8(sums, _mm256_slli_epi64::<32>(sums))
            })
        }
        fn high(self, a: [V; 2]) -> u64 { mask(a, 32) }
        fn all_right(self, places: [V; 2], sums: [V; 2], known: [V; 2]) -> bool {
            let right = [0, 1].map(|half| {
                let above = _mm256_sub_epi8(sums[half], _mm256_set1_epi8(1)); // 128 and more if the sum is more than 128
                _mm256_or_si256(_mm256_andnot_si256(above, known[half]), places[half])
            });
            _mm256_movemask_epi8(_mm256_and_si256(right[0], right[1])) == !0
        }
        fn bits(self, a: [V; 2]) -> [V; 2] { a.map(|half| _mm256_shuffle_epi8(splat(BITS), half)) }
        fn planes(self, bits: [V; 2], codes: [V; 2], ranks: [V; 2]) -> [u64; 4] {
            let low = unions(bits[0], codes[0], ranks[0]);
            let high = unions(bits[1], codes[1], ranks[1]);
            let all = _mm256_or_si256(low, _mm256_slli_epi64::<32>(high));
            let by_plane = _mm256_shuffle_epi8(all, splat(BY_PLANE));
            bytemuck::cast(_mm256_permutevar8x32_epi32(by_plane, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
        }
    }

    impl BoardText for Avx2Text {
        fn board(self, planes: [u64; 4], out: &mut [u8; BOARD_ROOM]) -> usize {
            let [ones, twos, fours, black] = planes.map(u64::swap_bytes);
            let occupied = ones | twos | fours;
            let mut text = [[0_u64; 4]; 2];
            // Not with `map`, into which the compiler inlines nothing that has more features.
            for (half, from) in text.iter_mut().zip([0_u32, 32]) {
                let squares = |plane: u64| {
                    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((plane >> from) as i32), bytemuck::cast(BYTE));
                    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bytemuck::cast(BIT)), bytemuck::cast(BIT))
                };
                let bit = |plane: u64, bit: i8| _mm256_and_si256(squares(plane), _mm256_set1_epi8(bit));
                let low = _mm256_or_si256(bit(ones, 1), bit(twos, 2));
                let pieces = _mm256_or_si256(low, _mm256_or_si256(bit(fours, 4), bit(black, 8)));
                let (occupied, numbers) = (squares(occupied), bytemuck::cast(NUMBER));
                // The number of each square in its rank less that of the last piece before it.
                let last = _mm256_and_si256(occupied, numbers);
                let last = _mm256_max_epu8(last, _mm256_slli_epi64::<8>(last));
                let last = _mm256_max_epu8(last, _mm256_slli_epi64::<16>(last));
                let last = _mm256_max_epu8(last, _mm256_slli_epi64::<32>(last));
                let digits = _mm256_sub_epi8(_mm256_add_epi8(numbers, _mm256_set1_epi8(b'0' as i8)), last);
                let letters = _mm256_shuffle_epi8(splat(LETTERS), pieces);
                *half = bytemuck::cast(_mm256_blendv_epi8(digits, letters, occupied));
            }
            let mut at = 0;
            for (&text, written) in text.as_flattened().iter().zip(written(occupied).to_le_bytes()) {
                let files = _mm_set_epi64x(0, i64::from_ne_bytes(FILES[usize::from(written)]));
                let text: [u64; 2] = bytemuck::cast(_mm_shuffle_epi8(_mm_set_epi64x(0, text as i64), files));
                let out: &mut [u8; 9] = out[at..].first_chunk_mut().expect("earlier ranks have nine bytes at most");
                out[..8].copy_from_slice(&text[0].to_ne_bytes());
                let len = written.count_ones() as usize;
                out[len] = b'/';
                at += len + 1;
            }
            at - 1
        }
    }
}
