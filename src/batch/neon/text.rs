//! The operations on text with Advanced SIMD: four vectors of two ranks each.

use core::arch::aarch64::*;

use super::Neon;
use crate::batch::kernel::fen_board::{BITS, KIND, OF_UPPER, SLOTS, SMALL};
use crate::batch::text::{TextBytes, TextTask, eight, starts};

/// Reads text.
#[inline(never)]
#[target_feature(enable = "neon")]
pub(in crate::batch) fn read<T: TextTask>(task: T) -> T::Output {
    task.perform(Neon::plain())
}

type V = uint8x16_t;

/// Maps each of four parts. The compiler does not inline `[0, 1, 2, 3].map`.
#[inline(always)]
fn parts(part: impl Fn(usize) -> V) -> [V; 4] {
    [part(0), part(1), part(2), part(3)]
}

/// The first 32 bytes of a text, and another 32 bytes of it.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    quarters: [V; 4],
    /// Where the third quarter begins.
    from: u32,
}

/// The sums of the bytes in each lane, four vectors at a time: the lanes in their order, a byte for each.
#[inline]
#[target_feature(enable = "neon")]
fn sums_of_lanes(a: [V; 4], b: [V; 4]) -> [u64; 2] {
    let four = |[a, b, c, d]: [V; 4]| vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    bytemuck::cast(vpaddq_u8(four(a), four(b)))
}

/// Bit *i* of each half for byte *i* of two vectors, whose bytes are all ones or zero.
#[inline]
#[target_feature(enable = "neon")]
fn mask(bytes: [V; 4]) -> u64 {
    const BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    let bits = bytes.map(|part| vandq_u8(part, bytemuck::cast(BIT)));
    sums_of_lanes(bits, bits)[0]
}

impl Start {
    /// The mask of the bytes that pass `test`.
    #[inline]
    #[target_feature(enable = "neon")]
    fn mask(self, found: [V; 4]) -> u64 {
        let bits = mask(found);
        bits & 0xffff_ffff | bits >> 32 << self.from
    }
}

operations! {
    "neon",

    impl TextBytes for Neon {
        type Start = Start;
        type Ranks = [V; 4];

        fn start(self, text: &[u8]) -> Start {
            let half = |from: usize| -> [V; 2] { bytemuck::cast::<[u8; 32], _>(*text[from..].first_chunk().expect("it is longer")) };
            let from = text.len().min(64) - 32;
            let ([a, b], [c, d]) = (half(0), half(from));
            Start { quarters: [a, b, c, d], from: from as u32 }
        }
        fn at_most(self, start: Start, most: u8) -> u64 { start.mask(start.quarters.map(|part| vcleq_u8(part, vdupq_n_u8(most)))) }
        fn equal(self, start: Start, byte: u8) -> u64 { start.mask(start.quarters.map(|part| vceqq_u8(part, vdupq_n_u8(byte)))) }
        fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize {
            let after: &[u8; 64] = text[board..].first_chunk().expect("a board has at most half of these bytes");
            let quarters: [V; 4] = bytemuck::cast(*after);
            board + mask(quarters.map(|part| vcleq_u8(part, vdupq_n_u8(most)))).trailing_zeros() as usize
        }
        fn ranks(self, text: &[u8], _start: Start, slashes: u64) -> [V; 4] {
            let starts = starts(slashes);
            let rank = |number: usize| eight(text, starts[8 - number]);
            parts(|part| bytemuck::cast([rank(2 * part + 1), rank(2 * part + 2)]))
        }
        fn codes(self, ranks: [V; 4]) -> ([V; 4], [V; 4]) {
            let small = ranks.map(|part| vorrq_u8(part, vdupq_n_u8(SMALL)));
            let slots = small.map(|small| {
                let slot = veorq_u8(small, vqtbl1q_u8(bytemuck::cast(OF_UPPER), vshrq_n_u8::<4>(small)));
                // Past the table if the byte is not ASCII.
                vandq_u8(slot, vdupq_n_u8(0x8f))
            });
            let codes = slots.map(|slots| vqtbl1q_u8(bytemuck::cast(SLOTS.1), slots));
            let expected = slots.map(|slots| vqtbl1q_u8(bytemuck::cast(SLOTS.0), slots));
            let known = parts(|part| vceqq_u8(expected[part], small[part]));
            (codes, known)
        }
        fn and(self, a: [V; 4], b: u8) -> [V; 4] { a.map(|part| vandq_u8(part, vdupq_n_u8(b))) }
        fn sub(self, a: [V; 4], b: [V; 4]) -> [V; 4] { parts(|part| vsubq_u8(a[part], b[part])) }
        fn sums(self, a: [V; 4], first: u8) -> [V; 4] {
            a.map(|part| {
                let shifted = |sums: V, by: i64| vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(sums), vdupq_n_s64(by)));
                let sums = vaddq_u8(part, vreinterpretq_u8_u64(vdupq_n_u64(first.into())));
                let sums = vaddq_u8(sums, shifted(sums, 8));
                let sums = vaddq_u8(sums, shifted(sums, 16));
                vaddq_u8(sums, shifted(sums, 32))
            })
        }
        fn high(self, a: [V; 4]) -> u64 { mask(a.map(|part| vcgeq_u8(part, vdupq_n_u8(0x80)))) }
        fn all_right(self, places: [V; 4], sums: [V; 4], known: [V; 4]) -> bool {
            let right = parts(|part| {
                let counts = vandq_u8(known[part], vcleq_u8(sums[part], vdupq_n_u8(0x80)));
                vorrq_u8(counts, vcgeq_u8(places[part], vdupq_n_u8(0x80)))
            });
            vminvq_u8(vandq_u8(vandq_u8(right[0], right[1]), vandq_u8(right[2], right[3]))) == 0xff
        }
        fn bits(self, a: [V; 4]) -> [V; 4] {
            a.map(|part| vqtbl1q_u8(bytemuck::cast(BITS), vandq_u8(part, vdupq_n_u8(0x8f))))
        }
        fn planes(self, bits: [V; 4], codes: [V; 4], ranks: [V; 4]) -> [u64; 4] {
            let kind = |bit: u32| parts(|part| {
                vandq_u8(bits[part], vtstq_u8(codes[part], vdupq_n_u8(1 << (KIND + bit))))
            });
            // Small letters, and bytes without a code.
            let black = parts(|part| vandq_u8(bits[part], vcgtq_u8(ranks[part], vdupq_n_u8(0x5f))));
            let ([ones, twos], [fours, black]) = (sums_of_lanes(kind(0), kind(1)), sums_of_lanes(kind(2), black));
            [ones, twos, fours, black]
        }
    }
}
