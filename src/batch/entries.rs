//! Code shared by the entries of all backends.

/// Minimum length of a call that enters a vector backend. Shorter calls are computed pair by pair: in the caller's code,
/// because entering a backend takes as long as a pair or two, or by the scalar backend if the slider is not known there.
pub(crate) const MIN_ENTRY_LENGTH: usize = 8;

/// Numbers below 32 for the squares of 64 positions, as the bits of the numbers: `planes[bit][position]` is a bitboard.
/// Lowest bits come first.
pub(crate) type Planes = [[u64; 64]; 5];

/// Work to do in the instruction set of a backend: loops that the compiler vectorises.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables
/// the instructions.
pub(crate) trait Task {
    /// Whether it moves bytes within vectors. If not, SSSE3 has nothing for it that SSE2, which every x86-64 CPU has, lacks: the
    /// same code serves both.
    const MOVES_BYTES: bool = true;

    /// Does the work.
    fn perform(self);
}

/// Calls `write` with each board of some columns of one length, and with its place in `out`: the boards of a position follow each
/// other.
#[inline(always)]
pub(crate) fn for_each_board<T>(columns: &[&[u64]], out: &mut [T], mut write: impl FnMut(u64, &mut T)) {
    for (position, out) in out.chunks_exact_mut(columns.len().max(1)).enumerate() {
        for (column, out) in columns.iter().zip(out) {
            write(column[position], out);
        }
    }
}

/// Prefetches the cache line at `address`, which may be any address.
#[inline(always)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "other architectures prefetch by themselves")
)]
pub(crate) fn prefetch(address: *const u64) {
    // SAFETY: every CPU of this architecture has SSE. A prefetch reads nothing that a program sees, and never faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
}

/// Declares the entries of a backend that takes one pair after the other.
macro_rules! one_by_one {
    ($($(#[$feature:meta])? fn $name:ident = $attacks:ident;)*) => {$(
        #[inline(never)]
        $(#[$feature])?
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = $attacks(square, occ);
            }
        }
    )*};
}
