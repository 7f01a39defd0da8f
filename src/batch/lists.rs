//! The operations that lists of moves are written over, and how their work reaches a backend.
//!
//! As for kernels, all methods of an implementation are `#[inline(always)]`.

/// Lists of the squares of a set, in ascending order.
pub(crate) trait SquareLists: Copy {
    /// Writes the squares of `set`. What follows them may be overwritten.
    fn squares(self, set: u64, out: &mut [u8; 64]);
    /// Writes the moves from `start` to the squares of `set`, at most 32, as [`Move`](crate::moves::Move) has them. What
    /// follows them may be overwritten.
    fn moves(self, start: u8, set: u64, out: &mut [u16; 32]);
}

/// Work to do with lists of squares.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables the
/// instructions.
pub(crate) trait ListTask {
    /// Does the work.
    fn perform(self, simd: impl SquareLists);
}

/// One square after the other.
#[derive(Clone, Copy)]
pub(crate) struct OneByOne;

/// How many squares are written between two checks whether any are left. Most pieces have no more moves. The checks are what
/// takes time: the CPU cannot foresee how many there will be.
const STEP: usize = 4;

impl SquareLists for OneByOne {
    #[inline(always)]
    fn squares(self, set: u64, out: &mut [u8; 64]) {
        write(set, out, |square| square as u8);
    }

    #[inline(always)]
    fn moves(self, start: u8, set: u64, out: &mut [u16; 32]) {
        write(set, out, |square| u16::from(start) | (square as u16) << 6);
    }
}

#[inline(always)]
fn write<T>(mut set: u64, out: &mut [T], element: impl Fn(u32) -> T) {
    for out in out.as_chunks_mut::<STEP>().0 {
        for out in out {
            *out = element(set.trailing_zeros());
            set &= set.wrapping_sub(1);
        }
        if set == 0 {
            return;
        }
    }
}
