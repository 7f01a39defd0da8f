//! Lists of squares with AVX-512, VBMI and VBMI2: `vpcompressb` leaves those of a set next to each other.

use core::arch::x86_64::*;

use crate::batch::lists::{ListTask, SquareLists};
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

const SQUARES: [u8; 64] = table!(square < 64 => square as u8);

operations! {
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt",

    impl SquareLists for Avx512Lists {
        fn squares(self, set: u64, out: &mut [u8; 64]) {
            *out = bytemuck::cast(_mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES)));
        }
        fn moves(self, start: u8, set: u64, out: &mut [u16; 32]) {
            let to = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(set, bytemuck::cast(SQUARES)));
            let to = _mm512_slli_epi16::<6>(_mm512_cvtepu8_epi16(to));
            *out = bytemuck::cast(_mm512_or_si512(to, _mm512_set1_epi16(start.into())));
        }
    }
}
