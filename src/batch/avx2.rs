#![doc = include_str!("../../asm-notes/avx2.md")]

use core::arch::x86_64::*;

use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::kernel::slider_sets::SliderSets;
use crate::batch::kernel::{lines, rank_slices};
use crate::batch::simd::{Boards, Bytes, Prefetch};
use crate::{Slider, Square};

/// How many boards a block has.
const BOARDS: usize = 32;

vector_backend! {
    /// Proof that the CPU has AVX2.
    token: Avx2,
    features: "avx2",
    vector: __m256i,
    boards: BOARDS,
    stream: _mm256_stream_si256,
    kernel: rank_slices,
    short: lines::BYTE_SWAP,

    impl Bytes {
        const TERNARY_LOGIC: bool = false;

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

    impl Boards {
        fn load_squares(self, squares: &[u8; BOARDS]) -> __m256i {
            // Even pairs of boards belong to the lower half of the vector, odd pairs to the upper.
            const PAIRS: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
            let pairs = _mm256_broadcastsi128_si256(bytemuck::cast(PAIRS));
            let squares: __m256i = bytemuck::cast(*squares);
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(squares, pairs))
        }
        fn load_boards(self, boards: &[u64; BOARDS]) -> [__m256i; 8] { bytemuck::cast(*boards) }
        fn interleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
            (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b))
        }
    }

    impl Prefetch {
        fn prefetch_line(self, address: *const u8) -> () {
            _mm_prefetch::<_MM_HINT_T0>(address.cast())
        }
    }
}
