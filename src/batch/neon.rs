#![doc = include_str!("../../asm-notes/neon.md")]

pub(super) mod text;

use core::arch::aarch64::*;
use core::arch::asm;

use crate::Square;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::Task;
use crate::batch::kernel::chosen_slices;
use crate::batch::kernel::slider_sets::{Products, SliderSets};
use crate::batch::simd::{Boards, Bytes, Choices, Mirrors, Prefetch};
use crate::batch::vector::Never;
use crate::batch::{scalar, vector};

/// How many boards a block has.
const BOARDS: usize = 16;

token! {
    /// Proof that the CPU has Advanced SIMD.
    Neon, "neon"
}

entries! {
    Neon, "neon", BOARDS, scalar,
    bishop: chosen_slices::Bishop<Neon>, Never;
    rook: chosen_slices::Rook<Neon>, Never;
    queen: chosen_slices::Queen<Neon>, Never;
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "neon")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    vector::attack_sets::<BOARDS, _>(SliderSets(Neon::plain(), Products(Neon::plain())), sets, out, stream);
}

/// The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "neon")]
pub(super) fn perform(task: impl Task) {
    task.perform();
}

operations! {
    "neon",

    impl Bytes for Neon {
        const TERNARY_LOGIC: bool = false;
        type Vector = uint8x16_t;

        fn splat(self, byte: u8) -> uint8x16_t { vdupq_n_u8(byte) }
        fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vandq_u8(a, b) }
        fn and_not(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vbicq_u8(a, b) }
        fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vorrq_u8(a, b) }
        fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { veorq_u8(a, b) }
        fn add(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vaddq_u8(a, b) }
        fn sub(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vsubq_u8(a, b) }
        fn average(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vrhaddq_u8(a, b) }
        fn max(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vmaxq_u8(a, b) }
        fn eighth(self, a: uint8x16_t) -> uint8x16_t { vshrq_n_u8::<3>(a) }
        fn sixteenth(self, a: uint8x16_t) -> uint8x16_t { vshrq_n_u8::<4>(a) }
        fn shift_1_and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vandq_u8(vshrq_n_u8::<1>(a), b) }
        fn shift_2_and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vandq_u8(vshrq_n_u8::<2>(a), b) }
        fn shift_4_and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vandq_u8(vshrq_n_u8::<4>(a), b) }
        // TBL gives zero for numbers past the table, from 16 on.
        fn lookup(self, table: [u8; 16], a: uint8x16_t) -> uint8x16_t {
            vqtbl1q_u8(bytemuck::cast(table), vandq_u8(a, vdupq_n_u8(15)))
        }
        fn lanes_of(self, a: uint8x16_t, number: u8) -> uint8x16_t { vceqq_u8(a, vdupq_n_u8(number)) }
    }

    impl Boards<BOARDS> for Neon {
        // In one group of 16 lanes, block order is the order of the boards.
        fn load_squares(self, squares: &[u8; BOARDS]) -> uint8x16_t { bytemuck::cast(*squares) }
        fn load_boards(self, boards: &[u64; BOARDS]) -> [uint8x16_t; 8] { bytemuck::cast(*boards) }
        // Stores that bypass the cache are left to the CPU, which detects writes of whole lines by itself.
        fn store_boards(self, boards: &mut [u64; BOARDS], vectors: [uint8x16_t; 8], _traffic: Traffic) {
            *boards = bytemuck::cast(vectors);
        }
        fn interleave(self, a: uint8x16_t, b: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
            (vzip1q_u8(a, b), vzip2q_u8(a, b))
        }
        // Each round leaves every other byte of two vectors.
        fn rank(self, boards: [uint8x16_t; 8], number: usize) -> uint8x16_t {
            let [a, b, c, d, e, f, g, h] = boards;
            let (a, b, c, d) = match number & 1 {
                0 => (vuzp1q_u8(a, b), vuzp1q_u8(c, d), vuzp1q_u8(e, f), vuzp1q_u8(g, h)),
                _ => (vuzp2q_u8(a, b), vuzp2q_u8(c, d), vuzp2q_u8(e, f), vuzp2q_u8(g, h)),
            };
            let (a, b) = match number & 2 {
                0 => (vuzp1q_u8(a, b), vuzp1q_u8(c, d)),
                _ => (vuzp2q_u8(a, b), vuzp2q_u8(c, d)),
            };
            if number & 4 == 0 { vuzp1q_u8(a, b) } else { vuzp2q_u8(a, b) }
        }
    }

    impl Choices for Neon {
        // From the intrinsic, the compiler makes plain logic, with more instructions: for all sliders 1.03 to 1.08 of the
        // time (llvm-mca, Neoverse V2), written as `b ^ (a ^ b) & mask`, and up to 1.15 as it is.
        fn choose(self, mask: uint8x16_t, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            let mut chosen = b;
            // SAFETY: the instruction is part of Advanced SIMD, and changes nothing but this register.
            unsafe {
                asm!(
                    "bit {chosen:v}.16b, {a:v}.16b, {mask:v}.16b",
                    chosen = inout(vreg) chosen, a = in(vreg) a, mask = in(vreg) mask,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            chosen
        }
        fn mirrored(self, a: uint8x16_t) -> uint8x16_t { vrbitq_u8(a) }
    }

    impl Mirrors for Neon {
        type Vector = uint8x16_t;

        fn reversed(self, a: uint8x16_t) -> uint8x16_t { vrbitq_u8(a) }
        fn reversed_twice(self, a: uint8x16_t) -> uint8x16_t {
            let reversed = vrbitq_u8(a);
            vaddq_u8(reversed, reversed)
        }
        fn half(self, a: uint8x16_t) -> uint8x16_t { vshrq_n_u8::<1>(a) }
    }

    impl Prefetch for Neon {}
}
