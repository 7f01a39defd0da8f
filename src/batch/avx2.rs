#![doc = include_str!("../../asm-notes/avx2.md")]

use core::arch::x86_64::*;

use crate::Square;
use crate::batch::blocks::for_each_block;
use crate::batch::kernel::slider_sets::SliderSets;
use crate::batch::kernel::{lines, rank_slices};
use crate::batch::simd::{Boards, Bytes};

/// Proof that the CPU has AVX2.
#[derive(Clone, Copy)]
struct Avx2(());

entries! { "avx2", Avx2(()), 32, lines::BYTE_SWAP }

/// Each method's body becomes an inner function with AVX2 enabled, where the intrinsics are safe to call.
macro_rules! avx2 {
    ($($(#[$attribute:meta])* fn $name:ident($self:ident $(, $arg:ident: $type:ty)*) -> $ret:ty $body:block)*) => {$(
        #[inline(always)]
        fn $name($self $(, $arg: $type)*) -> $ret {
            #[inline]
            #[target_feature(enable = "avx2")]
            fn inner($($arg: $type),*) -> $ret $body
            // SAFETY: `Avx2` is only made by the entries, which require AVX2 of their caller, and for tests by `simd`, which asks
            // the CPU.
            unsafe { inner($($arg),*) }
        }
    )*};
}

impl Bytes for Avx2 {
    const TERNARY_LOGIC: bool = false;

    type Vector = __m256i;

    avx2! {
        fn splat(self, byte: u8) -> __m256i { _mm256_set1_epi8(byte as i8) }
        fn and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn and_not(self, a: __m256i, b: __m256i) -> __m256i { _mm256_andnot_si256(b, a) }
        fn or(self, a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        fn xor(self, a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi8(a, b) }
        fn sub(self, a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi8(a, b) }
        fn average(self, a: __m256i, b: __m256i) -> __m256i { _mm256_avg_epu8(a, b) }
        fn max(self, a: __m256i, b: __m256i) -> __m256i { _mm256_max_epu8(a, b) }
        fn eighth(self, a: __m256i) -> __m256i { _mm256_srli_epi16::<3>(a) }
        fn sixteenth(self, a: __m256i) -> __m256i { _mm256_srli_epi16::<4>(a) }
        fn shift_1_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<1>(a), b) }
        fn shift_2_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<2>(a), b) }
        fn shift_4_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<4>(a), b) }
        fn lookup(self, table: [u8; 16], a: __m256i) -> __m256i {
            let table: __m128i = bytemuck::cast(table);
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), a)
        }
        fn lanes_of(self, a: __m256i, number: u8) -> __m256i { _mm256_cmpeq_epi8(a, _mm256_set1_epi8(number as i8)) }
    }
}

impl Boards<32> for Avx2 {
    avx2! {
        fn load_squares(self, squares: &[u8; 32]) -> __m256i {
            // Even pairs of boards belong to the lower half of the vector, odd pairs to the upper.
            const PAIRS: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
            let pairs = _mm256_broadcastsi128_si256(bytemuck::cast(PAIRS));
            let squares: __m256i = bytemuck::cast(*squares);
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(squares, pairs))
        }
        fn load_boards(self, boards: &[u64; 32]) -> [__m256i; 8] { bytemuck::cast(*boards) }
        fn interleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
            (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b))
        }
        fn fence(self) -> () { _mm_sfence() }
    }

    #[inline(always)]
    fn store_boards(self, boards: &mut [u64; 32], vectors: [__m256i; 8], stream: bool) {
        match bytemuck::try_cast_mut::<_, [__m256i; 8]>(boards) {
            Ok(aligned) if stream => {
                for (to, vector) in aligned.iter_mut().zip(vectors) {
                    // SAFETY: `to` is a reference to a vector, so it may be written and is aligned. The entry
                    // fences before it returns.
                    unsafe { _mm256_stream_si256(to, vector) };
                }
            }
            _ => *boards = bytemuck::cast(vectors),
        }
    }
}
