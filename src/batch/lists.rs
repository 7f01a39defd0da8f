//! The operations that lists of moves are written over, and how their work reaches a backend.
//!
//! As for kernels, all methods of an implementation are `#[inline(always)]`.

use core::mem::MaybeUninit;

use crate::line::A_FILE;
use crate::rays::{N, NE, NW, knight_attacks, shifted};
use crate::table::table;

/// How many pieces of one position are computed at a time: in games, no side has more.
pub(crate) const SIDE: usize = 16;

/// How many squares sets have at most that usually have one or none.
pub(crate) const FEW: usize = 8;

/// How many positions a block has.
pub(crate) const LANES: usize = 64;

/// The attacks of a knight on a1 and on h8. Those to the other side of the board are squares at its other edge.
const LEAPS_UP: u64 = 1 << 6 | 1 << 10 | 1 << 15 | 1 << 17;
const LEAPS_DOWN: u64 = LEAPS_UP.reverse_bits();
/// Two files further to the east, it is the files from C to H. No knight leaps from one half of the board to the edge of the other half.
const A_TO_F: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Lists of the squares of sets, in ascending order.
pub trait SquareListing: Copy {
    /// Writes the squares of `set`. What follows them may be overwritten. `vpcompressb`.
    fn squares(self, set: u64, out: &mut [u8; 64]);
    /// Writes the squares of a set that usually has few, and at most 32.
    fn few_squares(self, set: u64, out: &mut [u8; 32]);
}

/// The sets that lists are made from.
pub(crate) trait ListOperations: SquareListing {
    /// Whether vectors shift each of their words by another number. If not, one piece at a time takes less time.
    const SHIFTS_WORDS: bool = true;

    /// Writes the squares of a set that usually has one or none, and at most eight. What follows them may be overwritten.
    #[inline(always)]
    fn few_or_none(self, mut set: u64, out: &mut [u8; FEW]) {
        for out in out.as_chunks_mut::<2>().0 {
            for out in out {
                *out = set.trailing_zeros() as u8;
                set &= set.wrapping_sub(1);
            }
            if set == 0 {
                return;
            }
        }
    }

    /// [`PieceSets::targets`] for pieces of one position.
    #[inline(always)]
    fn targets(self, sets: &PieceSets, lane: usize, squares: &[u8; SIDE], attacks: &[u64; SIDE]) -> [u64; SIDE] {
        let mut targets = [0; SIDE];
        for ((targets, &square), &attacks) in targets.iter_mut().zip(squares).zip(attacks) {
            *targets = sets.targets(lane, square, attacks);
        }
        targets
    }
}

rows! {
    /// The sets of a block of positions that decide where pieces may go, as the side to move sees them.
    pub(crate) struct PieceSets {
        /// All ones if Black is to move.
        pub black: [u64; LANES],
        /// Rooks and queens of the side to move, and bishops and queens.
        pub orthogonal: [u64; LANES],
        pub diagonal: [u64; LANES],
        /// Knights that are not pinned.
        pub knights: [u64; LANES],
        pub king: [u64; LANES],
        /// Where pieces other than the king may go.
        pub targets: [u64; LANES],
        /// Where pawns go that advance one square or two, and where they capture to the east and to the west.
        pub one: [u64; LANES],
        pub two: [u64; LANES],
        pub east: [u64; LANES],
        pub west: [u64; LANES],
        /// Where the king goes.
        pub king_targets: [u64; LANES],
    }
}

impl PieceSets {
    /// The squares to which the piece on `square` may go, as White sees them. `attacks` are those of a queen there, or along the
    /// line of its pin.
    #[inline(always)]
    fn targets(&self, lane: usize, square: u8, attacks: u64) -> u64 {
        let lines = A_FILE << (square % 8) | 0xff << (square / 8 * 8);
        let leaps = (LEAPS_UP << (square % 64) | LEAPS_DOWN >> (63 - square % 64)) & A_TO_F << (square >> 1 & 2);
        self.targets_of(lane, [1 << (square % 64), lines, leaps], attacks)
    }

    /// The same with a table, for one piece without vectors.
    #[inline(always)]
    pub(crate) fn single_targets(&self, lane: usize, square: u8, attacks: u64) -> u64 {
        self.targets_of(lane % LANES, PATTERNS[usize::from(square % 64)], attacks)
    }

    /// The same for a piece, the lines through its square, and the leaps of a knight from there.
    #[inline(always)]
    fn targets_of(&self, lane: usize, [piece, lines, leaps]: [u64; 3], attacks: u64) -> u64 {
        let has = |pieces: u64| u64::from(pieces & piece != 0).wrapping_neg();
        let slides = attacks & (lines & has(self.orthogonal[lane]) | !lines & has(self.diagonal[lane]));
        let leaps = leaps & has(self.knights[lane]);
        // Only a pawn on this square goes to these squares: no other piece stands behind them.
        let advances = shifted::<N, 1>(piece) & self.one[lane]
            | shifted::<N, 2>(piece) & self.two[lane]
            | shifted::<NE, 1>(piece) & self.east[lane]
            | shifted::<NW, 1>(piece) & self.west[lane];
        let king = self.king_targets[lane] & has(self.king[lane]);
        let (targets, black) = ((slides | leaps) & self.targets[lane] | advances | king, self.black[lane]);
        targets & !black | targets.swap_bytes() & black
    }
}

/// By square: its bit, the lines through it, and the leaps of a knight.
static PATTERNS: [[u64; 3]; 64] = table!(square < 64 => {
    let piece = 1 << square;
    [piece, A_FILE << (square % 8) | 0xff << (square / 8 * 8), knight_attacks(piece)]
});

/// Work to do with lists of squares.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables the
/// instructions.
pub(crate) trait ListTask {
    /// Does the work.
    fn perform(self, simd: impl ListOperations);
}

/// Types that any bytes are a value of.
///
/// # Safety
///
/// Any bytes are a value.
pub(crate) unsafe trait AnyBytes {}

// SAFETY: any bytes are an integer.
unsafe impl AnyBytes for u8 {}
// SAFETY: as above.
unsafe impl AnyBytes for u16 {}
// SAFETY: as above.
unsafe impl AnyBytes for u64 {}
// SAFETY: as above.
unsafe impl AnyBytes for usize {}
// SAFETY: an array has no other bytes than its elements.
unsafe impl<T: AnyBytes, const N: usize> AnyBytes for [T; N] {}

/// Declares a struct of arrays, which [`room`] makes.
macro_rules! rows {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident $(<const $n:ident: usize $(= $usual:ident)?>)? {
            $($(#[$of_field:meta])* $field_visible:vis $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$attribute])*
        #[repr(align(64))] // a vector of 64 bytes that lies in two cache lines takes longer
        $visible struct $name $(<const $n: usize $(= $usual)?>)? {
            $($(#[$of_field])* $field_visible $field: $type,)+
        }

        // SAFETY: any bytes are a value of each field, which the compiler checks here.
        #[allow(unsafe_code, trivial_bounds, reason = "any arrays are sound here")]
        unsafe impl $(<const $n: usize>)? $crate::batch::lists::AnyBytes for $name $(<$n>)?
        where
            $($type: $crate::batch::lists::AnyBytes,)+
        {
        }
    };
}
pub(crate) use rows;

/// Memory that is overwritten before anybody relies on its values. Short calls would spend most of their time on clearing it.
#[inline(always)]
pub(crate) fn room<T: AnyBytes>(memory: &mut MaybeUninit<T>) -> &mut T {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        // SAFETY: there are no instructions. The compiler does not know that, and takes the memory for written.
        unsafe { core::arch::asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags)) };
        // SAFETY: to the compiler, all of it has been written, and any bytes are values.
        unsafe { memory.assume_init_mut() }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    {
        *memory = MaybeUninit::zeroed();
        // SAFETY: zeros are a value, as any bytes are.
        unsafe { memory.assume_init_mut() }
    }
}

/// The same for a vector. Products into cleared vectors take 1.03 to 1.2 times as long.
#[must_use]
pub fn room_vec<T: bytemuck::Pod>(len: usize) -> Vec<T> {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut memory = Vec::with_capacity(len);
        // SAFETY: there are no instructions. The compiler does not know that, and takes the memory for written.
        unsafe { core::arch::asm!("/* {0} */", in(reg) memory.as_mut_ptr(), options(nostack, preserves_flags)) };
        // SAFETY: there is room for `len` elements. To the compiler, all of them have been written, and any bytes are values.
        unsafe { memory.set_len(len) };
        memory
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    vec![bytemuck::Zeroable::zeroed(); len]
}

/// Lists without instructions for them.
#[derive(Clone, Copy)]
pub(crate) struct OneByOne<const SHIFTS_WORDS: bool>;

/// By the squares of a rank: their files, in order.
pub(super) static FILES: [[u8; 8]; 256] = table!(set < 256 => {
    let (mut files, mut file, mut len) = ([0; 8], 0, 0);
    while file < 8 {
        if set >> file & 1 != 0 {
            files[len] = file;
            len += 1;
        }
        file += 1;
    }
    files
});

/// How many squares are written between two checks whether any are left. Most pieces have no more moves. The checks are what
/// takes time: the CPU cannot foresee how many there will be.
const STEP: usize = 8;

impl<const SHIFTS_WORDS: bool> ListOperations for OneByOne<SHIFTS_WORDS> {
    const SHIFTS_WORDS: bool = SHIFTS_WORDS;
}

impl<const SHIFTS_WORDS: bool> SquareListing for OneByOne<SHIFTS_WORDS> {
    /// Rank by rank, by a table: no branch depends on the set.
    #[inline(always)]
    fn squares(self, set: u64, out: &mut [u8; 64]) {
        let mut len = 0;
        for (rank, squares) in set.to_le_bytes().into_iter().enumerate() {
            let files = u64::from_ne_bytes(FILES[usize::from(squares)]);
            let out = out[len..].first_chunk_mut().expect("earlier ranks have eight squares at most");
            *out = (files + rank as u64 * 0x0808_0808_0808_0808).to_ne_bytes();
            len += squares.count_ones() as usize;
        }
    }

    #[inline(always)]
    fn few_squares(self, mut set: u64, out: &mut [u8; 32]) {
        for out in out.as_chunks_mut::<STEP>().0 {
            for out in out {
                *out = set.trailing_zeros() as u8;
                set &= set.wrapping_sub(1);
            }
            if set == 0 {
                return;
            }
        }
    }
}
