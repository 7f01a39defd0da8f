//! The entries of vector backends, and what a call does on its way from there to the loop over blocks.
//!
//! There is one entry per slider. None is generic and none is inlined, so that the code in `asm-notes/` is the code
//! that runs. What they do is written once, in generic functions: [`attacks`] and those below it. The macros declare the
//! functions of a backend that enable its instruction set, and each of these calls one of the generic functions.

use super::blocks::{Kernel, for_each_block};
use super::entries::Planes;
use super::kernel::{bit_matrix, lines};
use super::scalar;
use super::simd::{BitPlanes, Rows};
use crate::Square;

/// Minimum length of a call whose arrays the vector backends prefetch: 64 Ki pairs, which are 1.1 MiB. In the first-level
/// cache, the requests take 2 to 3 % of the time.
const FAR_LENGTH: usize = 1 << 16;

/// What an entry does: it computes the call itself, or hands it to one of the functions behind it.
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
        return short.attacks(squares, occs, out);
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

    /// Computes one of them.
    fn attacks(self, squares: &[Square], occs: &[u64], out: &mut [u64]);
}

/// Not at all: all short calls go to `rest`.
pub(super) struct Never;

impl<const N: usize> Short<N> for Never {
    const BELOW: usize = 0;

    #[inline(always)]
    fn attacks(self, _: &[Square], _: &[u64], _: &mut [u64]) {}
}

/// All calls shorter than a block, with a kernel of [`lines`]. So there are none for `rest`.
pub(super) struct Lines<K>(pub(super) K);

impl<const N: usize, K> Short<N> for Lines<K>
where
    K: for<'a> Kernel<{ lines::BOARDS }, Input<'a> = (&'a [u8], &'a [u64])>,
{
    const BELOW: usize = N;

    #[inline(always)]
    fn attacks(self, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        blocks(arrays(squares, occs, out), self.0, false, false);
    }
}

/// Calls of one or two vectors of `FEW` boards, as bit matrices. Longer ones, but shorter than a block, take two vectors at
/// a time if they have `TWO_FROM` pairs or more.
pub(super) struct Vectors<K, const FEW: usize, const TWO_FROM: usize>(K);

impl<S, const ROOK: bool, const BISHOP: bool, const FEW: usize, const TWO_FROM: usize>
    Vectors<bit_matrix::Few<S, ROOK, BISHOP>, FEW, TWO_FROM>
where
    S: Rows<FEW, 1> + Rows<FEW, 2>,
{
    /// With the vectors of `simd`.
    #[inline(always)]
    pub(super) fn over(simd: S) -> Self {
        Vectors(bit_matrix::Few::over(simd))
    }

    /// Computes calls of two vectors or more. For steps of two vectors there is `in_loop`.
    #[inline(always)]
    pub(super) fn many_attacks(self, in_loop: Self, ((squares, occs), out): Arrays<'_>) {
        self.0.many_attacks::<FEW, TWO_FROM>(in_loop.0, squares, occs, out);
    }
}

impl<S, const ROOK: bool, const BISHOP: bool, const FEW: usize, const TWO_FROM: usize, const N: usize> Short<N>
    for Vectors<bit_matrix::Few<S, ROOK, BISHOP>, FEW, TWO_FROM>
where
    S: Rows<FEW, 1> + Rows<FEW, 2>,
{
    const BELOW: usize = 2 * FEW + 1;

    #[inline(always)]
    fn attacks(self, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let ((squares, occs), out) = arrays(squares, occs, out);
        self.0.attacks::<FEW, TWO_FROM>(squares, occs, out);
    }
}

/// The input of a kernel, and where its output goes.
type Arrays<'a> = ((&'a [u8], &'a [u64]), &'a mut [u64]);

/// The pairs as arrays for a kernel.
///
/// They are of one length already. This tells the compiler, which then checks only one of them for each block.
#[inline(always)]
pub(super) fn arrays<'a>(squares: &'a [Square], occs: &'a [u64], out: &'a mut [u64]) -> Arrays<'a> {
    ((bytemuck::cast_slice(&squares[..out.len()]), &occs[..out.len()]), out)
}

/// Computes a call of at least `N` pairs, block by block.
#[inline(always)]
pub(super) fn blocks<const N: usize, K>((input, out): Arrays<'_>, kernel: K, prefetch: bool, stream: bool)
where
    K: for<'a> Kernel<N, Input<'a> = (&'a [u8], &'a [u64])>,
{
    for_each_block(kernel, input, out, prefetch, stream);
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
    for (chunk, out) in out.chunks_mut(FEW).take(64 / FEW).enumerate() {
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
        $($name:ident $slider:ident: $kernel:ty, $short:expr;)*) => {
        $(
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

        /// Streams long arrays: `out` is aligned to a cache line and consists of whole blocks.
        #[target_feature(enable = $features)]
        pub(super) fn stream(slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) {
            match slider {
                $(Slider::$slider => far::$name(squares, occs, out, true),)*
            }
        }

        mod blocks {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    let arrays = vector::arrays(squares, occs, out);
                    vector::blocks::<$boards, _>(arrays, <$kernel>::over($token::new()), false, false);
                }
            )*
        }

        mod far {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64], stream: bool) {
                    let arrays = vector::arrays(squares, occs, out);
                    vector::blocks::<$boards, _>(arrays, <$kernel>::over($token::new()), true, stream);
                }
            )*
        }
    };
}

/// Declares the functions for the rest of the short calls, with bit matrices.
macro_rules! few {
    ($token:ident, $features:literal, $($name:ident: $few:ty;)*) => {
        mod few {
            use super::*;

            $(
                #[inline(never)]
                #[target_feature(enable = $features)]
                pub(super) fn $name(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                    let arrays = vector::arrays(squares, occs, out);
                    let in_loop = <$few>::over($token::new());
                    <$few>::over($token::plain()).many_attacks(in_loop, arrays);
                }
            )*
        }
    };
}
