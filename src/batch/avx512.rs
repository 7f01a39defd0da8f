#![doc = include_str!("../../asm-notes/avx512.md")]

use core::arch::x86_64::*;

use crate::Square;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::Task;
use crate::batch::kernel::lines::LEADING_ZEROS;
use crate::batch::kernel::slider_sets::{Shifts, SliderSets};
use crate::batch::kernel::{lines, rank_slices};
use crate::batch::lists::{ListTask, OneByOne};
use crate::batch::simd::{Boards, Bytes, Prefetch};
use crate::batch::vector::Lines;
use crate::batch::{scalar, vector};

/// How many boards a block has.
const BOARDS: usize = 64;

token! {
    /// Proof that the CPU has AVX-512 F, BW, CD, DQ and VL.
    Avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
}

entries! {
    Avx512, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl", BOARDS, scalar,
    bishop: rank_slices::Bishop<Avx512>, Lines(lines::Bishop::<LEADING_ZEROS>);
    rook: rank_slices::Rook<Avx512>, Lines(lines::Rook::<LEADING_ZEROS>);
    queen: rank_slices::Queen<Avx512>, Lines(lines::Queen::<LEADING_ZEROS>);
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    vector::attack_sets::<BOARDS, _>(SliderSets(Avx512::plain(), Shifts), sets, out, stream);
}

/// The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub(super) fn perform(task: impl Task) {
    task.perform();
}

/// Lists moves. The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn list(task: impl ListTask) {
    task.perform(OneByOne::<true>);
}

operations! {
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl",

    impl Bytes for Avx512 {
        const TERNARY_LOGIC: bool = true;
        type Vector = __m512i;

        fn splat(self, byte: u8) -> __m512i { _mm512_set1_epi8(byte as i8) }
        fn and(self, a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(a, b) }
        fn and_not(self, a: __m512i, b: __m512i) -> __m512i { _mm512_andnot_si512(b, a) }
        fn or(self, a: __m512i, b: __m512i) -> __m512i { _mm512_or_si512(a, b) }
        fn xor(self, a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
        fn add(self, a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi8(a, b) }
        fn sub(self, a: __m512i, b: __m512i) -> __m512i { _mm512_sub_epi8(a, b) }
        fn average(self, a: __m512i, b: __m512i) -> __m512i { _mm512_avg_epu8(a, b) }
        fn max(self, a: __m512i, b: __m512i) -> __m512i { _mm512_max_epu8(a, b) }
        fn eighth(self, a: __m512i) -> __m512i { _mm512_srli_epi16::<3>(a) }
        fn sixteenth(self, a: __m512i) -> __m512i { _mm512_srli_epi16::<4>(a) }
        fn shift_1_and(self, a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(_mm512_srli_epi16::<1>(a), b) }
        fn shift_2_and(self, a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(_mm512_srli_epi16::<2>(a), b) }
        fn shift_4_and(self, a: __m512i, b: __m512i) -> __m512i { _mm512_and_si512(_mm512_srli_epi16::<4>(a), b) }
        fn lookup(self, table: [u8; 16], a: __m512i) -> __m512i {
            let table: __m128i = bytemuck::cast(table);
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), a)
        }
        fn lanes_of(self, a: __m512i, number: u8) -> __m512i {
            let mut table = [0; 16];
            table[usize::from(number)] = !0;
            let table: __m128i = bytemuck::cast::<[u8; 16], _>(table);
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), a)
        }
        fn or3(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_ternarylogic_epi64::<0xfe>(a, b, c) }
        fn or_and(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_ternarylogic_epi64::<0xf8>(a, b, c) }
        fn or_and_not(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            _mm512_ternarylogic_epi64::<0xf4>(a, b, c)
        }
        fn or_or_not(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            _mm512_ternarylogic_epi64::<0xfd>(a, b, c)
        }
        fn either_and_not(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            _mm512_ternarylogic_epi64::<0x54>(a, b, c)
        }
        fn xor_or(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i { _mm512_ternarylogic_epi64::<0xbe>(a, b, c) }
    }

    impl Boards<BOARDS> for Avx512 {
        fn load_squares(self, squares: &[u8; BOARDS]) -> __m512i {
            // A quarter of the vector takes every fourth pair of boards.
            const PAIRS: [u16; 32] = {
                let mut pairs = [0; 32];
                let mut to = 0;
                while to < 32 {
                    pairs[to] = (4 * (to % 8) + to / 8) as u16;
                    to += 1;
                }
                pairs
            };
            _mm512_permutexvar_epi16(bytemuck::cast(PAIRS), bytemuck::cast(*squares))
        }
        fn load_boards(self, boards: &[u64; BOARDS]) -> [__m512i; 8] { bytemuck::cast(*boards) }
        fn store_boards(self, boards: &mut [u64; BOARDS], vectors: [__m512i; 8], traffic: Traffic) {
            if traffic.streams() {
                stream!(_mm512_stream_si512, boards, vectors.into_iter().enumerate());
            } else {
                *boards = bytemuck::cast(vectors);
            }
        }
        fn interleave(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
            (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b))
        }
    }

    impl Prefetch for Avx512 {
        fn prefetch_line(self, address: *const u8) {
            _mm_prefetch::<_MM_HINT_T0>(address.cast())
        }
    }
}
