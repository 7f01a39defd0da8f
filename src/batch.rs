//! The public batch functions: whole arrays through the backend that fits this CPU.
//!
//! | where | what |
//! |---|---|
//! | `backend` | the handle [`Backend`] and its batch calls, which check the arrays |
//! | `backend/names` | the names of backends, and how they are read |
//! | `backend/select` | which backends can run, which one is chosen, and why |
//! | `backend/parts` | cuts long calls into parts and streams one of them |
//! | `backend/parallel` | one call on several cores |
//! | `enter` | how a call reaches the entry of its backend |
//! | `scalar`, `bmi2` | backends that compute one pair at a time |
//! | `ssse3`, `avx2`, `avx2_gfni`, `avx512`, `avx512_gfni`; `neon` | vector backends: an instruction set, operation by operation |
//! | `entries` | code shared by the entries of all backends |
//! | `vector` | the entries of vector backends, and the path of a call from an entry to the loop over blocks |
//! | `token` | the token of a vector backend, which proves its instruction set, and how operations use it |
//! | `blocks` | the loop that feeds arrays to a kernel block by block, and streams long results |
//! | `simd` | the operations that kernels are written over |
//! | `text` | the operations that readers of text are written over, implemented in `ssse3/text`, `avx2/text`, `avx512_gfni/text` and `neon/text` |
//! | `lists` | the operations that lists of moves are written over, implemented there and in `avx512_gfni/lists` |
//! | `squares` | the operations that other crates write lists of squares over |
//! | `kernel` | the algorithms: `rank_slices`, `chosen_slices`, `file_bits`, `bit_matrix`, `slider_sets`; for short calls `lines` and `few_boards`; for FEN `fen_board`; for records of engines `nibbles` |
//!
//! To follow [`batch_attacks`] on AVX2, go from definition to definition. `batch.rs`, this file, calls
//! `Backend::batch_attacks_of` in `batch/backend.rs`, which checks the arrays. `Backend::run` in `batch/backend/parts.rs` cuts long
//! calls into parts, and `Backend::enter` in `batch/enter.rs` calls the entry `avx2::queen`. `batch/avx2.rs` declares it,
//! with its kernel. It calls `attacks` in `batch/vector.rs`, which computes short calls at once and hands the others to the
//! loop in `batch/blocks.rs`. For each block of 32 boards, the loop calls the kernel in `batch/kernel/rank_slices.rs`.
//! (The operations that the kernel uses are one or two instructions each: `batch/avx2.rs` lists them.)

pub(crate) mod backend;
pub(crate) mod enter;
#[macro_use]
pub(crate) mod entries;
pub(crate) mod lists;
pub(crate) mod scalar;
pub(crate) mod squares;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "no other backend reads text")
)]
pub(crate) mod text;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[macro_use]
mod token;

pub(crate) mod bits;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no backend of another architecture needs all of it")
)]
#[macro_use]
mod vector;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_gfni;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_gfni;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod blocks;
#[cfg(target_arch = "x86_64")]
mod bmi2;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no backend of another architecture needs all of it")
)]
pub(crate) mod simd;
#[cfg(target_arch = "x86_64")]
mod ssse3;

/// Algorithms written once over the vector operations of [`simd`] and [`text`].
#[forbid(unsafe_code)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no backend of another architecture needs all of it")
)]
pub(crate) mod kernel {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod bit_matrix;
    #[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "only ARM has instructions that choose bits"))]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod chosen_slices;
    pub(crate) mod fen_board;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod few_boards;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod file_bits;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod lines;
    pub(crate) mod nibbles;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod rank_slices;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) mod slider_sets;
}

use crate::{Backend, BatchError, Slider, SquareIndex};

/// The attack sets of queens: `out[i]` is set to the squares that a queen on `squares[i]` attacks with the pieces
/// `occs[i]` on the board.
///
/// The queen attacks along all four lines, up to and including the first occupied square in each direction. Its own
/// square is never in its attack set, and its own bit in the occupancy makes no difference. Bit *i* of a `u64` is
/// square *i*: a1 = 0, b1 = 1, … h8 = 63.
///
/// The slices must have the same length. Any length and any alignment will do. `squares` is a slice of `u8` (checked
/// before anything is computed, at the speed of memory) or of [`Square`](crate::Square) (nothing to check). Time is
/// linear in the length. With a vector backend, calls of 8 pairs or more (16 for `ssse3` and `neon`) take the same time whatever
/// the squares and occupancies are.
///
/// [`Backend::batch_slider_attacks`] takes the slider as an argument, and the backend.
///
/// # Errors
///
/// [`BatchError::LengthMismatch`] if the lengths differ, [`BatchError::SquareOutOfRange`] for the first square that is
/// 64 or more. On an error nothing has been written to `out`.
///
/// # Example
///
/// ```
/// let mut out = [0; 2];
/// slider_attacks::batch_attacks(&[0, 27], &[0x0000_0000_0000_0100, 0], &mut out)?;
/// // A queen on a1 behind a piece on a2; a queen on d4, alone.
/// assert_eq!(out, [0x8040_2010_0804_03fe, 0x8849_2a1c_f71c_2a49]);
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[inline]
pub fn batch_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    batch_queen_attacks(squares, occs, out)
}

/// The attack sets of queens: [`batch_attacks`] under its full name.
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
///
/// # Example
///
/// ```
/// use slider_attacks::Square;
///
/// let mut out = [0];
/// slider_attacks::batch_queen_attacks(&[Square::A1], &[0x0000_0000_0000_0302], &mut out)?;
/// assert_eq!(out, [0x0000_0000_0000_0302]); // to b1, a2 and b2
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[inline]
pub fn batch_queen_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    Backend::batch_attacks_of(Slider::Queen, squares, occs, out)
}

/// The input of [`batch_attack_sets`]: three arrays with one bitboard per board. The fields are named because arrays of
/// the same type are easily swapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SliderArrays<'a> {
    /// The sliders that attack along ranks and files: rooks and queens.
    pub orthogonal: &'a [u64],
    /// The sliders that attack along diagonals: bishops and queens.
    pub diagonal: &'a [u64],
    /// The occupied squares.
    pub occupancies: &'a [u64],
}

/// The attack sets of whole sets of sliders, one element per board: `out[i]` is set to the union of the attacks of the
/// sliders in `orthogonal[i]` along ranks and files and of those in `diagonal[i]` along diagonals, with the pieces
/// `occupancies[i]` on the board. Queens are in both sets. [`set_attacks`](crate::set_attacks) does the same for one
/// board.
///
/// A slider that is not in the occupancy does not block the others. Time is linear in the length, and does not depend
/// on the number of sliders. Fewer boards than a block of a vector backend (16 to 64) are computed one by one.
///
/// # Errors
///
/// [`BatchError::SetLengthMismatch`] if the lengths differ; then nothing has been written to `out`.
///
/// # Example
///
/// ```
/// // Rooks on a1 and h1, a bishop on c1; pieces on these and on d1 and b2.
/// use slider_attacks::{SliderArrays, batch_attack_sets};
///
/// let sliders = SliderArrays { orthogonal: &[0x81], diagonal: &[0x04], occupancies: &[0x028d] };
/// let mut out = [0];
/// batch_attack_sets(sliders, &mut out)?;
/// assert_eq!(out, [0x8181_81c1_a191_8b7e]);
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[inline]
pub fn batch_attack_sets(sliders: SliderArrays<'_>, out: &mut [u64]) -> Result<(), BatchError> {
    Backend::active().batch_attack_sets(sliders, out)
}

/// The attack sets of rooks, along rank and file; otherwise like [`batch_attacks`].
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
///
/// # Example
///
/// ```
/// use slider_attacks::Square;
///
/// let mut out = [0];
/// slider_attacks::batch_rook_attacks(&[Square::A1], &[0x0000_0000_0000_0108], &mut out)?;
/// assert_eq!(out, [0x0000_0000_0000_010e]);
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[inline]
pub fn batch_rook_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    Backend::batch_attacks_of(Slider::Rook, squares, occs, out)
}

/// The attack sets of bishops, along both diagonals; otherwise like [`batch_attacks`].
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
///
/// # Example
///
/// ```
/// use slider_attacks::Square;
///
/// let mut out = [0];
/// slider_attacks::batch_bishop_attacks(&[Square::A1], &[0x0000_0000_0804_0000], &mut out)?;
/// assert_eq!(out, [0x0000_0000_0004_0200]);
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[inline]
pub fn batch_bishop_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    Backend::batch_attacks_of(Slider::Bishop, squares, occs, out)
}

/// [`batch_attacks`] on several cores, with the same results and the same errors. Needs the feature `rayon`.
///
/// The calling thread and threads of the rayon pool share the work: together, as many threads as the pool has. The pool
/// is the one in which the call is made, or else the global one. The call returns when all threads are done. Calls of
/// fewer than 32 Ki pairs, and calls in a pool of one thread, are computed on the calling thread alone.
///
/// # Errors
///
/// The same as those of [`batch_attacks`]. On an error nothing has been written to `out`, whichever thread found it.
///
/// # Example
///
/// ```
/// let squares = vec![27; 100_000];
/// let occs = vec![0; 100_000];
/// let mut out = vec![0; 100_000];
/// slider_attacks::par_batch_attacks(&squares, &occs, &mut out)?;
/// assert!(out.iter().all(|&attacks| attacks == 0x8849_2a1c_f71c_2a49)); // a queen on d4, alone
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[cfg(feature = "rayon")]
#[inline]
pub fn par_batch_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    par_batch_queen_attacks(squares, occs, out)
}

/// [`par_batch_attacks`] under its full name.
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
#[cfg(feature = "rayon")]
#[inline]
pub fn par_batch_queen_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    Backend::active().par_batch_slider_attacks(Slider::Queen, squares, occs, out)
}

/// [`batch_rook_attacks`] on several cores; otherwise like [`par_batch_attacks`].
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
#[cfg(feature = "rayon")]
#[inline]
pub fn par_batch_rook_attacks<S: SquareIndex>(squares: &[S], occs: &[u64], out: &mut [u64]) -> Result<(), BatchError> {
    Backend::active().par_batch_slider_attacks(Slider::Rook, squares, occs, out)
}

/// [`batch_bishop_attacks`] on several cores; otherwise like [`par_batch_attacks`].
///
/// # Errors
///
/// The same as those of [`batch_attacks`].
#[cfg(feature = "rayon")]
#[inline]
pub fn par_batch_bishop_attacks<S: SquareIndex>(
    squares: &[S],
    occs: &[u64],
    out: &mut [u64],
) -> Result<(), BatchError> {
    Backend::active().par_batch_slider_attacks(Slider::Bishop, squares, occs, out)
}

/// [`batch_attack_sets`] on several cores; otherwise like [`par_batch_attacks`].
///
/// # Errors
///
/// The same as those of [`batch_attack_sets`].
///
/// # Example
///
/// ```
/// use slider_attacks::{SliderArrays, par_batch_attack_sets};
///
/// let (rooks, occs, mut out) = (vec![1; 100_000], vec![0; 100_000], vec![0; 100_000]);
/// let sliders = SliderArrays { orthogonal: &rooks, diagonal: &vec![0; 100_000], occupancies: &occs };
/// par_batch_attack_sets(sliders, &mut out)?;
/// assert!(out.iter().all(|&attacks| attacks == 0x0101_0101_0101_01fe)); // a rook on a1, alone
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[cfg(feature = "rayon")]
#[inline]
pub fn par_batch_attack_sets(sliders: SliderArrays<'_>, out: &mut [u64]) -> Result<(), BatchError> {
    Backend::active().par_batch_attack_sets(sliders, out)
}
