//! The operations on text with AVX-512, VBMI, VBMI2 and GFNI: one vector of eight ranks, rank 8 first.

use core::arch::x86_64::*;

use crate::batch::kernel::fen_board::{BITS, KIND, code};
use crate::batch::text::{BOARD_ROOM, BoardText, BoardTextTask, LETTERS, TextBytes, TextTask, written};
use crate::table::table;

token! {
    /// Proof that the CPU has AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, GFNI, and the instructions on single bits.
    Avx512Text, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt"
}

/// Reads text.
#[inline(never)]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::batch) fn read<T: TextTask>(task: T) -> T::Output {
    task.perform(Avx512Text::new())
}

/// Writes boards.
#[inline(never)]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt"
)]
pub(in crate::batch) fn write(task: impl BoardTextTask) {
    task.perform(Avx512Text::new());
}

/// The placeholder of a byte without a code: its number of squares makes the sum too large.
const NONE: u8 = 15;
/// The bit of black letters.
const BLACK: u8 = 0x80;

/// By byte, below 128: its code, with the bit of black letters.
const CODES: [[u8; 64]; 2] = {
    let mut codes = [[NONE; 64]; 2];
    let mut byte = 0;
    while byte < 128 {
        if let Some(code) = code(byte as u8) {
            codes[byte / 64][byte % 64] = code | if (byte as u8).is_ascii_lowercase() { BLACK } else { 0 };
        }
        byte += 1;
    }
    codes
};

const NUMBERS: [u8; 64] = table!(at < 64 => at as u8);
const OF_LANE: [u8; 64] = table!(at < 64 => (at / 8) as u8);
const IN_LANE: [u8; 64] = table!(at < 64 => (at % 8) as u8);
/// The bytes of a plane, rank 1 first.
const BY_PLANE: [u8; 64] = table!(at < 64 => (8 * (7 - at % 8) + KIND as usize + at / 8 % 4) as u8);

/// Four ranks and the slashes after them: the bytes of the ranks, and for each byte the square, or any where a slash is.
const IN_RANKS: u64 = 0x7_fbfd_feff;
const WITH_SLASHES: [u8; 64] = table!(at < 64 => (at / 9 * 8 + at % 9) as u8);

type V = __m512i;

operations! {
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt",

    impl TextBytes for Avx512Text {
        type Start = V;
        type Ranks = V;

        fn start(self, text: &[u8]) -> V {
            match text.first_chunk::<64>() {
                Some(text) => bytemuck::cast(*text),
                // SAFETY: The mask has only the bytes of the text, and masked-off bytes are not accessed.
                None => unsafe { _mm512_maskz_loadu_epi8(_bzhi_u64(!0, text.len() as u32), text.as_ptr().cast()) },
            }
        }
        fn at_most(self, start: V, most: u8) -> u64 { _mm512_cmple_epu8_mask(start, _mm512_set1_epi8(most as i8)) }
        fn equal(self, start: V, byte: u8) -> u64 { _mm512_cmpeq_epi8_mask(start, _mm512_set1_epi8(byte as i8)) }
        fn first_after(self as simd, text: &[u8; 128], _board: usize, most: u8) -> usize {
            let halves: [V; 2] = bytemuck::cast(*text);
            let [low, high] = halves.map(|half| simd.at_most(half, most));
            let in_high = if low == 0 { high.trailing_zeros() } else { 0 };
            (low.trailing_zeros() + in_high) as usize
        }
        fn ranks(self, _text: &[u8], start: V, slashes: u64) -> V {
            let places = _mm512_maskz_compress_epi8(slashes, bytemuck::cast(NUMBERS));
            // The first rank begins at 0, each other one after a slash.
            let starts = _mm_slli_epi64::<8>(_mm512_castsi512_si128(places));
            let starts = _mm_add_epi8(starts, _mm_set1_epi64x(0x0101_0101_0101_0100));
            let starts = _mm512_shuffle_epi8(_mm512_broadcastq_epi64(starts), bytemuck::cast(OF_LANE));
            _mm512_permutexvar_epi8(_mm512_add_epi8(starts, bytemuck::cast(IN_LANE)), start)
        }
        fn codes(self, ranks: V) -> (V, V) {
            let [low, high]: [V; 2] = bytemuck::cast(CODES);
            (_mm512_permutex2var_epi8(low, ranks, high), ranks)
        }
        fn and(self, a: V, b: u8) -> V { _mm512_and_si512(a, _mm512_set1_epi8(b as i8)) }
        fn sub(self, a: V, b: V) -> V { _mm512_sub_epi8(a, b) }
        fn sums(self, a: V, first: u8) -> V {
            let sums = _mm512_add_epi8(a, _mm512_set1_epi64(first.into()));
            let sums = _mm512_add_epi8(sums, _mm512_slli_epi64::<8>(sums));
            let sums = _mm512_add_epi8(sums, _mm512_slli_epi64::<16>(sums));
            _mm512_add_epi8(sums, _mm512_slli_epi64::<32>(sums))
        }
        fn high(self, a: V) -> u64 { _mm512_movepi8_mask(a) }
        fn all_right(self, places: V, sums: V, known: V) -> bool {
            let above = _mm512_sub_epi8(sums, _mm512_set1_epi8(1)); // 128 and more if the sum is more than 128
            // Bytes above, or outside ASCII, that have a place on the board.
            let wrong = _mm512_ternarylogic_epi64::<0x54>(above, known, places);
            _mm512_movepi8_mask(wrong) == 0
        }
        fn bits(self, a: V) -> V { _mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytemuck::cast(BITS)), a) }
        fn planes(self, bits: V, codes: V, _ranks: V) -> [u64; 4] {
            // The codes as a matrix with one row per byte of text, and one column per bit. Transposed, it has one row per bit.
            // Multiplied by the matrix of the bits, a row becomes their union. A product answers with the parity of the bits
            // that a row has in common with the rows of a matrix, from its last row on: so the bits are transposed first,
            // upside down.
            let columns = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64), codes);
            let bits = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x0102_0408_1020_4080), bits);
            let planes = _mm512_gf2p8affine_epi64_epi8::<0>(columns, bits);
            let by_plane = _mm512_permutexvar_epi8(bytemuck::cast(BY_PLANE), planes);
            bytemuck::cast(_mm512_castsi512_si256(by_plane))
        }
    }

    impl BoardText for Avx512Text {
        fn board(self, planes: [u64; 4], out: &mut [u8; BOARD_ROOM]) -> usize {
            let [ones, twos, fours, black] = planes.map(u64::swap_bytes);
            let occupied = ones | twos | fours;
            let bit = |plane: u64, bit: i8| _mm512_maskz_mov_epi8(plane, _mm512_set1_epi8(bit));
            let pieces = _mm512_ternarylogic_epi64::<0xfe>(bit(ones, 1), bit(twos, 2), bit(fours, 4));
            let pieces = _mm512_or_si512(pieces, bit(black, 8));
            // The number of each square in its rank, from 1, less that of the last piece before it.
            let numbers = _mm512_add_epi8(bytemuck::cast(IN_LANE), _mm512_set1_epi8(1));
            let last = _mm512_maskz_mov_epi8(occupied, numbers);
            let last = _mm512_max_epu8(last, _mm512_slli_epi64::<8>(last));
            let last = _mm512_max_epu8(last, _mm512_slli_epi64::<16>(last));
            let last = _mm512_max_epu8(last, _mm512_slli_epi64::<32>(last));
            let digits = _mm512_sub_epi8(_mm512_add_epi8(numbers, _mm512_set1_epi8(b'0' as i8)), last);
            let letters = _mm512_broadcast_i32x4(bytemuck::cast(LETTERS));
            let text = _mm512_mask_shuffle_epi8(digits, occupied, letters, pieces);
            // Four ranks at a time, as slashes are added.
            let written = written(occupied);
            let mut at = 0;
            for (half, written) in [written as u32, (written >> 32) as u32].into_iter().enumerate() {
                let places = _mm512_add_epi8(bytemuck::cast(WITH_SLASHES), _mm512_set1_epi8(32 * half as i8));
                let slashes = _mm512_set1_epi8(b'/' as i8);
                let ranks = _mm512_mask_permutexvar_epi8(slashes, IN_RANKS, places, text);
                let bytes = _pdep_u64(written.into(), IN_RANKS) | 1 << 8 | 1 << 17 | 1 << 26 | 1 << 35;
                let ranks = _mm512_maskz_compress_epi8(bytes, ranks);
                let out: &mut [u8; 64] = out[at..].first_chunk_mut().expect("four ranks have 36 bytes at most");
                *out = bytemuck::cast(ranks);
                at += bytes.count_ones() as usize;
            }
            at - 1
        }
    }
}
