//! The entries of the backends: the functions that enable an instruction set.

/// Declares the entries of a backend that takes one pair after the other.
macro_rules! one_by_one {
    (#[$feature:meta] $($name:ident $attacks:ident),*) => {$(
        #[inline(never)]
        #[$feature]
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64], _whole: usize) {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = $attacks(square, occ);
            }
        }
    )*};
    ($($name:ident $attacks:ident),*) => {
        one_by_one! { #[doc(hidden)] $($name $attacks),* }
    };
}

/// Declares the entries of a vector backend: one function a slider, none generic, none inlined, so that
/// the code in `asm-notes/` is the code that runs.
#[cfg(target_arch = "x86_64")]
macro_rules! entries {
    ($features:literal, $simd:expr, $boards:literal $(, $few:path)?) => {
        /// The vector operations themselves, for tests of them. The CPU must have the features.
        #[cfg(test)]
        pub(super) fn simd() -> impl Boards<$boards> {
            $simd
        }

        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64]) {
            for_each_block::<$boards, _>(SliderSets($simd), sets, out, out.len());
        }

        /// The compiler makes vectors of the loops of the task.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn perform(task: impl crate::batch::entries::Task) {
            task.perform();
        }

        entries! { @ bishop Bishop, $features, $simd, $boards $(, $few)? }
        entries! { @ rook Rook, $features, $simd, $boards $(, $few)? }
        entries! { @ queen Queen, $features, $simd, $boards $(, $few)? }
    };
    (@ $name:ident $kernel:ident, $features:literal, $simd:expr, $boards:literal $(, $few:path)?) => {
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64], whole: usize) {
            debug_assert!(squares.len() == occs.len() && occs.len() == out.len());
            let squares = bytemuck::cast_slice(squares);
            $(if squares.len() < $boards {
                return for_each_block(lines::$kernel::<{ $few }>, (squares, occs), out, 0);
            })?
            for_each_block::<$boards, _>(rank_slices::$kernel::over($simd), (squares, occs), out, whole);
        }
    };
}

/// Something to do in the instruction set of a backend: loops that the compiler makes vectors of. The implementation is
/// `#[inline(always)]`, as is all that it calls, so that it dissolves into the entry that enables the instructions.
pub(crate) trait Task {
    /// Does it.
    fn perform(self);
}
