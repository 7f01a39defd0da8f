//! The entries of vector backends, and the path of a call from an entry to the loop over blocks.
//!
//! There is one entry per slider. None is generic and none is inlined, so that the code in `asm-notes/` is the code
//! that runs. Their bodies are written once, in generic functions: [`attacks`] and those below it. The macros declare
//! the functions of a backend that enable its instruction set, and each of these calls one of the generic functions.

use super::blocks::{Kernel, for_each_block};
use super::entries::Planes;
use super::kernel::few_boards::Few;
use super::kernel::lines;
use super::scalar;
use super::simd::{BitPlanes, Rows};
use crate::Square;

/// Minimum length of a call whose arrays the vector backends prefetch: 64 Ki pairs, which are 1.1 MiB. In the first-level
/// cache, the requests take 2 to 3 % of the time.
const FAR_LENGTH: usize = 1 << 16;

/// The body of an entry: computes the call itself, or passes it to one of the functions behind it.
///
/// The stack frame that blocks need takes time to set up. So short calls are computed by the entry (`short`), or if it
/// does not, by a function for calls with fewer pairs than a block has (`rest`). The others go to `blocks`, or if they
/// are long to `far`, which prefetches.
#[inline(always)]
pub(super) fn attacks<const N: usize, S: Short<N>>(
    squares: &[Square],
    occs: &[u64],
    out: &mut [u64],
    short: S,
    rest: impl FnOnce(&[Square], &[u64], &mut [u64]),
    blocks: impl FnOnce(&[Square], &[u64], &mut [u64]),
    far: impl FnOnce(&[Square], &[u64], &mut [u64]),
) {
    if out.len() < S::BELOW {
        return short.compute(squares, occs, out);
    }
    if out.len() < N {
        return rest(squares, occs, out);
    }
    if out.len() >= FAR_LENGTH {
        return far(squares, occs, out);
    }
    blocks(squares, occs, out);
}

/// How an entry computes short calls by itself, where a block has `N` boards.
pub(super) trait Short<const N: usize> {
    /// The length from which on a call is not one of these.
    const BELOW: usize;

    /// Computes the attack sets of one of them.
    fn compute(self, squares: &[Square], occs: &[u64], out: &mut [u64]);
}

/// Not at all: all short calls go to `rest`.
pub(super) struct Never;

impl<const N: usize> Short<N> for Never {
    const BELOW: usize = 0;

    #[inline(always)]
    fn compute(self, _: &[Square], _: &[u64], _: &mut [u64]) {}
}

/// All calls shorter than a block, with a kernel of [`lines`]. So there are none for `rest`.
pub(super) struct Lines<K>(pub(super) K);

impl<const N: usize, K> Short<N> for Lines<K>
where
    K: for<'a> Kernel<{ lines::BOARDS }, Input<'a> = (&'a [u8], &'a [u64])>,
{
    const BELOW: usize = N;

    #[inline(always)]
    fn compute(self, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let (pairs, out) = arrays(squares, occs, out);
        for_each_block(self.0, pairs, out, false, false);
    }
}

/// Calls of one or two vectors.
impl<S, const ROOK: bool, const BISHOP: bool, const FEW: usize, const TWO_FROM: usize, const N: usize> Short<N>
    for Few<S, ROOK, BISHOP, FEW, TWO_FROM>
where
    S: Rows<FEW, 1> + Rows<FEW, 2>,
{
    const BELOW: usize = 2 * FEW + 1;

    #[inline(always)]
    fn compute(self, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let ((squares, occs), out) = arrays(squares, occs, out);
        self.attacks(squares, occs, out);
    }
}

/// The input of a kernel, and where its output goes.
type PairArrays<'a> = ((&'a [u8], &'a [u64]), &'a mut [u64]);

/// The pairs as arrays for a kernel.
///
/// They already have the same length. Stating it lets the compiler check only one of them for each block.
#[inline(always)]
pub(super) fn arrays<'a>(squares: &'a [Square], occs: &'a [u64], out: &'a mut [u64]) -> PairArrays<'a> {
    ((bytemuck::cast_slice(&squares[..out.len()]), &occs[..out.len()]), out)
}

/// Computes the attack sets of sets of sliders: block by block, or one by one if there is no whole block.
#[inline(always)]
pub(super) fn attack_sets<const N: usize, K>(kernel: K, sets: [&[u64]; 3], out: &mut [u64], stream: bool)
where
    K: for<'a> Kernel<N, Input<'a> = [&'a [u64]; 3]>,
{
    if out.len() < N {
        return scalar::attack_sets(sets, out, stream);
    }
    for_each_block(kernel, sets.map(|boards| &boards[..out.len()]), out, true, stream);
}

/// Writes the numbers of as many positions as `out` has, at most 64, `FEW` of them at a time.
#[inline(always)]
pub(super) fn numbers<const FEW: usize>(simd: impl BitPlanes<FEW>, planes: &Planes, out: &mut [[u8; 64]]) {
    let mut last = [[0; 64]; FEW];
    for (chunk, out) in (0..64 / FEW).zip(out.chunks_mut(FEW)) {
        let planes = planes.each_ref().map(|plane| &plane.as_chunks().0[chunk]);
        simd.numbers(planes, out.first_chunk_mut().unwrap_or(&mut last));
    }
    let (_, rest) = out.as_chunks_mut::<FEW>();
    rest.copy_from_slice(&last[..rest.len()]);
}

/// Declares the entries of a vector backend and the functions behind them: for each slider, with its kernel and with what
/// the entry does with short calls. The functions for the rest of the short calls are those of the module `$rest`.
macro_rules! entries {
    ($token:ident, $features:literal, $boards:ident, $rest:ident,
        $($name:ident: $kernel:ty, $short:expr;)*) => {
        $(
            /// The entry for one slider.
            #[inline(never)]
            #[target_feature(enable = $features)]
            pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                vector::attacks::<$boards, _>(
                    squares,
                    occs,
                    out,
                    $short,
                    |squares, occs, out| $rest::$name(squares, occs, out),
                    |squares, occs, out| blocks::$name(squares, occs, out),
                    |squares, occs, out| far::$name(squares, occs, out, false),
                );
            }
        )*

        /// Long arrays whose attack sets are streamed: `out` is aligned to a cache line and consists of whole blocks.
        pub(super) mod stream {
            use super::*;

            $(
                #[target_feature(enable = $features)]
                pub(in super::super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    far::$name(squares, occs, out, true);
                }
            )*
        }

        /// Calls of a block and more.
        mod blocks {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    let (pairs, out) = vector::arrays(squares, occs, out);
                    for_each_block::<$boards, _>(<$kernel>::over($token::new()), pairs, out, false, false);
                }
            )*
        }

        /// Long calls: these prefetch, and can stream.
        mod far {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64], stream: bool) {
                    let (pairs, out) = vector::arrays(squares, occs, out);
                    for_each_block::<$boards, _>(<$kernel>::over($token::new()), pairs, out, true, stream);
                }
            )*
        }
    };
}

/// Declares the functions for the rest of the short calls, with bit matrices.
#[cfg(target_arch = "x86_64")]
macro_rules! few {
    ($token:ident, $features:literal, $($name:ident: $few:ty;)*) => {
        /// Calls of more than two vectors, but less than a block.
        mod few {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    let ((squares, occs), out) = vector::arrays(squares, occs, out);
                    let in_loop = <$few>::over($token::new());
                    <$few>::over($token::plain()).many_attacks(in_loop, squares, occs, out);
                }
            )*
        }
    };
}
