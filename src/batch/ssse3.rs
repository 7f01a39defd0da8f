#![doc = include_str!("../../asm-notes/ssse3.md")]

pub(super) mod text;

use core::arch::x86_64::*;

use crate::Square;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::Task;
use crate::batch::kernel::rank_slices;
use crate::batch::kernel::slider_sets::{Shifts, SliderSets};
use crate::batch::simd::{Boards, Bytes, Prefetch};
use crate::batch::vector::Never;
use crate::batch::{scalar, vector};

/// How many boards a block has.
const BOARDS: usize = 16;

token! {
    /// Proof that the CPU has SSSE3.
    Ssse3, "ssse3"
}

entries! {
    Ssse3, "ssse3", BOARDS, scalar,
    bishop: rank_slices::Bishop<Ssse3>, Never;
    rook: rank_slices::Rook<Ssse3>, Never;
    queen: rank_slices::Queen<Ssse3>, Never;
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "ssse3")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    vector::attack_sets::<BOARDS, _>(SliderSets(Ssse3::plain(), Shifts), sets, out, stream);
}

/// The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "ssse3")]
pub(super) fn perform(task: impl Task) {
    task.perform();
}

operations! {
    "ssse3",

    impl Bytes for Ssse3 {
        const TERNARY_LOGIC: bool = false;
        type Vector = __m128i;

        fn splat(self, byte: u8) -> __m128i { _mm_set1_epi8(byte as i8) }
        fn and(self, a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(a, b) }
        fn and_not(self, a: __m128i, b: __m128i) -> __m128i { _mm_andnot_si128(b, a) }
        fn or(self, a: __m128i, b: __m128i) -> __m128i { _mm_or_si128(a, b) }
        fn xor(self, a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
        fn add(self, a: __m128i, b: __m128i) -> __m128i { _mm_add_epi8(a, b) }
        fn sub(self, a: __m128i, b: __m128i) -> __m128i { _mm_sub_epi8(a, b) }
        fn average(self, a: __m128i, b: __m128i) -> __m128i { _mm_avg_epu8(a, b) }
        fn max(self, a: __m128i, b: __m128i) -> __m128i { _mm_max_epu8(a, b) }
        fn eighth(self, a: __m128i) -> __m128i { _mm_srli_epi16::<3>(a) }
        fn sixteenth(self, a: __m128i) -> __m128i { _mm_srli_epi16::<4>(a) }
        fn shift_1_and(self, a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(_mm_srli_epi16::<1>(a), b) }
        fn shift_2_and(self, a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(_mm_srli_epi16::<2>(a), b) }
        fn shift_4_and(self, a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(_mm_srli_epi16::<4>(a), b) }
        fn lookup(self, table: [u8; 16], a: __m128i) -> __m128i { _mm_shuffle_epi8(bytemuck::cast(table), a) }
        fn lanes_of(self, a: __m128i, number: u8) -> __m128i { _mm_cmpeq_epi8(a, _mm_set1_epi8(number as i8)) }
    }

    impl Boards<BOARDS> for Ssse3 {
        // In one group of 16 lanes, block order is the order of the boards.
        fn load_squares(self, squares: &[u8; BOARDS]) -> __m128i { bytemuck::cast(*squares) }
        fn load_boards(self, boards: &[u64; BOARDS]) -> [__m128i; 8] { bytemuck::cast(*boards) }
        fn store_boards(self, boards: &mut [u64; BOARDS], vectors: [__m128i; 8], traffic: Traffic) {
            if traffic.streams() {
                stream!(_mm_stream_si128, boards, vectors.into_iter().enumerate());
            } else {
                *boards = bytemuck::cast(vectors);
            }
        }
        fn interleave(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
            (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b))
        }
    }

    impl Prefetch for Ssse3 {}
}
