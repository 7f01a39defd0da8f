//! The operations that other crates of the workspace write work on single bits over, such as the decoding of records.
//!
//! They are hidden from the documentation, because they may change in any version.

#[cfg(target_arch = "x86_64")]
use super::backend::select::BackendKind;
use crate::Backend;
use crate::table::table;

/// Operations on the bits of a set.
pub trait BitOperations: Copy {
    /// The bit of `set` with a number, from 0, in ascending order. `number` is below their count. `pdep`.
    fn numbered(self, set: u64, number: u32) -> u64;
}

/// Work on one set after the other.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables
/// the instructions on single bits.
pub trait BitTask {
    /// The result.
    type Output;

    /// Does the work.
    fn perform(self, bits: impl BitOperations) -> Self::Output;
}

impl Backend {
    /// Performs `task` with the instructions on single bits, where this backend has them.
    #[doc(hidden)]
    #[inline]
    pub fn work_on_bits<T: BitTask>(self, task: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        if self.kind() != BackendKind::Ssse3 && self.kind().reads_text() {
            return if self.kind().spreads_bits() {
                // SAFETY: `reads_text` has checked AVX2 and the instructions on single bits.
                unsafe { x86::with_pdep(task) }
            } else {
                // SAFETY: as above.
                unsafe { x86::without_pdep(task) }
            };
        }
        task.perform(BitCounts)
    }
}

/// Operations without an instruction for them.
#[derive(Clone, Copy)]
struct BitCounts;

/// One in each byte.
const EACH: u64 = u64::from_le_bytes([1; 8]);

impl BitOperations for BitCounts {
    #[inline(always)]
    fn numbered(self, set: u64, number: u32) -> u64 {
        let pairs = set - (set >> 1 & (EACH * 0x55));
        let fours = (pairs & (EACH * 0x33)) + (pairs >> 2 & (EACH * 0x33));
        // The counts up to the end of each rank.
        let sums = ((fours + (fours >> 4)) & (EACH * 0x0f)).wrapping_mul(EACH);
        // The ranks with more of them up to their end.
        let upper = EACH * 0x80;
        let more = ((sums | upper) - EACH * u64::from(number + 1)) & upper;
        let start = more.trailing_zeros() & 0x38;
        let before = (sums << 8 >> start) as u8;
        let bits = (set >> start) as u8;
        u64::from(OF_BYTE[usize::from(bits)][(number as u8).wrapping_sub(before) as usize % 8]) << start
    }
}

/// The set bits of each byte, by their numbers.
static OF_BYTE: [[u8; 8]; 256] = table!(byte < 256 => {
    let (mut bits, mut rest, mut number) = ([0; 8], byte as u64, 0);
    while rest != 0 {
        bits[number] = (rest & rest.wrapping_neg()) as u8;
        rest &= rest - 1;
        number += 1;
    }
    bits
});

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::_pdep_u64;

    use super::{BitCounts, BitOperations, BitTask};

    token! {
        /// Proof that the CPU has AVX2 and the instructions on single bits.
        Pdep, "avx2,bmi1,bmi2,lzcnt,popcnt"
    }

    operations! {
        "avx2,bmi1,bmi2,lzcnt,popcnt",
        impl BitOperations for Pdep {
            fn numbered(self, set: u64, number: u32) -> u64 {
                _pdep_u64(1 << (number % 64), set)
            }
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub fn with_pdep<T: BitTask>(task: T) -> T::Output {
        task.perform(Pdep::new())
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub fn without_pdep<T: BitTask>(task: T) -> T::Output {
        task.perform(BitCounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered(u64);

    impl BitTask for Numbered {
        type Output = Vec<u64>;

        #[inline(always)]
        fn perform(self, bits: impl BitOperations) -> Vec<u64> {
            (0..self.0.count_ones()).map(|number| bits.numbered(self.0, number)).collect()
        }
    }

    #[test]
    fn bits_by_their_numbers() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            state ^ state >> 32
        };
        for round in 0..10_000 {
            let set = match round {
                0..64 => 1 << round,
                64 => !0,
                65..1_000 => random() | random(),
                1_000..5_000 => random(),
                _ => random() & random() & random(),
            };
            let (mut rest, mut expected) = (set, Vec::new());
            while rest != 0 {
                expected.push(rest & rest.wrapping_neg());
                rest &= rest - 1;
            }
            for backend in Backend::available() {
                assert_eq!(backend.work_on_bits(Numbered(set)), expected, "{backend}: {set:#x}");
            }
        }
    }
}
