//! The handle of a backend, and its batch calls with their checks.

pub(crate) mod names;
#[cfg(feature = "rayon")]
pub(crate) mod parallel;
mod parts;
pub(crate) mod select;

use core::sync::atomic::{Ordering, compiler_fence};
use std::sync::OnceLock;

use super::enter::entries;
use super::entries::MIN_ENTRY_LENGTH;
use crate::square::{all_on_board, checked};
use crate::{BatchError, Slider, SliderArrays, Square, SquareIndex};
use select::{BackendKind, Cpu};

/// An implementation of attack sets that this CPU can run.
///
/// A `Backend` cannot be constructed if the CPU lacks its instructions, so a value proves that it can run.
///
/// `scalar` and `bmi2` look lines up in tables of 10 and 16 KB. Vector backends have no lookups by data: they read the same
/// constants in each call, 0.4 to 2.7 KB per slider.
///
/// ```
/// use slider_attacks::{Backend, Slider};
///
/// let occs = [0x00ff_0000_0000_ff00; 3];
/// let mut expected = [0; 3];
/// Backend::scalar().batch_slider_attacks(Slider::Queen, &[0, 27, 63], &occs, &mut expected)?;
/// for backend in Backend::available() {
///     let mut out = [0; 3];
///     backend.batch_slider_attacks(Slider::Queen, &[0, 27, 63], &occs, &mut out)?;
///     assert_eq!(out, expected, "{backend}");
/// }
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend(BackendKind); // only `if_can_run` makes one of a kind other than `Scalar`

impl Backend {
    /// The backend that the crate's batch functions use. It is chosen once per process; [`Cpu`] reports the reason.
    ///
    /// ```
    /// use slider_attacks::{Backend, Slider};
    ///
    /// let mut out = [0];
    /// Backend::active().batch_slider_attacks(Slider::Rook, &[0], &[0x0108], &mut out)?;
    /// assert_eq!(out, [0x010e]);
    /// # Ok::<(), slider_attacks::BatchError>(())
    /// ```
    pub fn active() -> Backend {
        static ACTIVE: OnceLock<Backend> = OnceLock::new();
        *ACTIVE.get_or_init(|| {
            let (kind, _) = Cpu::detect().choice();
            Backend::if_can_run(kind).expect("the choice is among the backends that can run")
        })
    }

    /// All backends that this CPU can run, slowest first.
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// assert_eq!(Backend::available().next(), Some(Backend::scalar()));
    /// assert!(Backend::available().any(|backend| backend == Backend::active()));
    /// ```
    pub fn available() -> impl Iterator<Item = Backend> {
        BackendKind::ALL.iter().filter_map(|&kind| Backend::if_can_run(kind))
    }

    /// Kindergarten bitboards, one pair at a time. Runs everywhere.
    #[must_use]
    pub const fn scalar() -> Backend {
        Backend(BackendKind::Scalar)
    }

    /// PEXT and PDEP in place of multiplications, one pair at a time.
    #[must_use]
    pub fn bmi2() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Bmi2)
    }

    /// 16 boards at a time as rank slices, on CPUs and under hypervisors without AVX2.
    #[must_use]
    pub fn ssse3() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Ssse3)
    }

    /// 32 boards at a time as rank slices.
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// let backend = Backend::avx2().unwrap_or(Backend::scalar()); // `None` where the CPU lacks the instructions
    /// assert!(["avx2", "scalar"].contains(&backend.name()));
    /// ```
    #[must_use]
    pub fn avx2() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Avx2)
    }

    /// 32 boards at a time as bit matrices. Needs AVX2 and GFNI.
    #[must_use]
    pub fn avx2_gfni() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Avx2Gfni)
    }

    /// 64 boards at a time as rank slices. Needs AVX-512 F, BW, DQ, VL and CD.
    #[must_use]
    pub fn avx512() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Avx512)
    }

    /// 64 boards at a time as bit matrices. Needs AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, and GFNI.
    #[must_use]
    pub fn avx512_gfni() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Avx512Gfni)
    }

    /// 16 boards at a time, on ARM: Advanced SIMD, which all of its 64-bit CPUs have.
    #[must_use]
    pub fn neon() -> Option<Backend> {
        Backend::if_can_run(BackendKind::Neon)
    }

    /// `"scalar"`, `"bmi2"`, `"ssse3"`, `"avx2"`, `"avx2-gfni"`, `"avx512"`, `"avx512-gfni"` or `"neon"`. [`FromStr`](core::str::FromStr) reads
    /// the same names.
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// assert_eq!("scalar".parse(), Ok(Backend::scalar()));
    /// assert_eq!("avx2".parse().ok(), Backend::avx2()); // an error where it cannot run
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }

    pub(super) fn if_can_run(kind: BackendKind) -> Option<Backend> {
        kind.can_run().then_some(Backend(kind))
    }

    /// The kind of the backend. This CPU and its operating system can run it.
    #[inline(always)]
    pub(super) const fn kind(self) -> BackendKind {
        self.0
    }

    /// Writes the attack set of a `slider` on `squares[i]` with the pieces `occs[i]` to `out[i]`, for
    /// every `i`.
    ///
    /// With [`Slider::Queen`] and [`Backend::active`], this is [`batch_attacks`](crate::batch_attacks), which describes
    /// the rest. Its name differs, because that function computes queens and takes no slider.
    ///
    /// # Errors
    ///
    /// The lengths differ, or a square is 64 or more. Then nothing has been written to `out`.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::{Backend, Slider, Square};
    ///
    /// let mut out = [0; 3];
    /// for (slider, out) in Slider::ALL.iter().zip(out.chunks_mut(1)) {
    ///     Backend::active().batch_slider_attacks(*slider, &[Square::A1], &[0x0302], out)?;
    /// }
    /// assert_eq!(out, [0x0200, 0x0102, 0x0302]); // a bishop, a rook and a queen on a1, with pieces on b1, a2 and b2
    /// # Ok::<(), slider_attacks::BatchError>(())
    /// ```
    #[inline]
    pub fn batch_slider_attacks<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let scalar = |squares: &[Square], occs: &[u64], out: &mut [u64]| {
            Backend::scalar().enter(entries(slider), squares, occs, out);
        };
        Backend::batch_attacks_or(|| self, slider, squares, occs, out, scalar)
    }

    /// [`Backend::batch_slider_attacks`] with the active backend, for a slider known at compile time: calls that are too short
    /// for a backend are computed in the caller's code. With a slider known only at run time, that code would slow down all
    /// other calls.
    #[inline(always)]
    pub(super) fn batch_attacks_of<S: SquareIndex>(
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        // Short calls need not ask which backend is active: one pair takes 0.8 to 0.9 of the time.
        Backend::batch_attacks_or(Backend::active, slider, squares, occs, out, |squares, occs, out| {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = slider.attacks(square, occ);
                // Where the whole program is built for a CPU with gathers, the compiler would vectorise the loop with them,
                // and one pair would take three times as long.
                compiler_fence(Ordering::SeqCst);
            }
        })
    }

    #[inline(always)]
    fn batch_attacks_or<S: SquareIndex>(
        backend: impl FnOnce() -> Backend,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
        short: impl FnOnce(&[Square], &[u64], &mut [u64]),
    ) -> Result<(), BatchError> {
        lengths_match(squares.len(), occs, out)?;
        let squares = checked(squares, all_on_board)?;
        if squares.len() < MIN_ENTRY_LENGTH {
            short(squares, occs, out);
        } else {
            backend().run(entries(slider), squares, occs, out, out.len());
        }
        Ok(())
    }

    /// Writes the union of the attacks of all sliders on board *i* to `out[i]`, for every *i*.
    ///
    /// Like [`batch_attack_sets`](crate::batch_attack_sets), with this backend. `scalar` and `bmi2` fill the rays of
    /// one board at a time.
    ///
    /// # Errors
    ///
    /// The lengths differ. Then nothing has been written to `out`.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::{Backend, SliderArrays};
    ///
    /// let queens = SliderArrays { orthogonal: &[0x81], diagonal: &[0x81], occupancies: &[0x81] }; // on a1 and h1
    /// let mut out = [0];
    /// Backend::scalar().batch_attack_sets(queens, &mut out)?;
    /// assert_eq!(out, [0x81c3_a599_99a5_c3ff]);
    /// # Ok::<(), slider_attacks::BatchError>(())
    /// ```
    #[inline]
    pub fn batch_attack_sets(self, sliders: SliderArrays<'_>, out: &mut [u64]) -> Result<(), BatchError> {
        self.run_sets(arrays(sliders, out)?, out, out.len());
        Ok(())
    }

    /// [`Backend::batch_slider_attacks`] on several cores: see [`par_batch_attacks`](crate::par_batch_attacks).
    ///
    /// # Errors
    ///
    /// The same as those of [`Backend::batch_slider_attacks`].
    #[cfg(feature = "rayon")]
    pub fn par_batch_slider_attacks<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let call_length = out.len();
        if call_length < parallel::MIN_PARALLEL_LENGTH {
            return self.batch_slider_attacks(slider, squares, occs, out);
        }
        lengths_match(squares.len(), occs, out)?;
        let squares = checked(squares, |bytes| parallel::test_all(bytes, all_on_board))?;
        let length = parallel::chunk_length(call_length);
        let chunks = squares.chunks(length).zip(occs.chunks(length)).zip(out.chunks_mut(length));
        parallel::share(chunks, |((squares, occs), out)| self.run(entries(slider), squares, occs, out, call_length));
        Ok(())
    }

    /// [`Backend::batch_attack_sets`] on several cores: see [`par_batch_attacks`](crate::par_batch_attacks).
    ///
    /// # Errors
    ///
    /// The same as those of [`Backend::batch_attack_sets`].
    #[cfg(feature = "rayon")]
    pub fn par_batch_attack_sets(self, sliders: SliderArrays<'_>, out: &mut [u64]) -> Result<(), BatchError> {
        let call_length = out.len();
        if call_length < parallel::MIN_PARALLEL_LENGTH {
            return self.batch_attack_sets(sliders, out);
        }
        let length = parallel::chunk_length(call_length);
        let [orthogonal, diagonal, occs] = arrays(sliders, out)?.map(|boards| boards.chunks(length));
        let chunks = orthogonal.zip(diagonal).zip(occs).zip(out.chunks_mut(length));
        parallel::share(chunks, |(((orthogonal, diagonal), occs), out)| {
            self.run_sets([orthogonal, diagonal, occs], out, call_length);
        });
        Ok(())
    }
}

/// The arrays of a call, if they have the same length.
#[inline(always)]
fn arrays<'a>(sliders: SliderArrays<'a>, out: &[u64]) -> Result<[&'a [u64]; 3], BatchError> {
    let SliderArrays { orthogonal, diagonal, occupancies } = sliders;
    let arrays = [orthogonal, diagonal, occupancies];
    if arrays.iter().all(|boards| boards.len() == out.len()) {
        return Ok(arrays);
    }
    let [orthogonal, diagonal, occupancies] = arrays.map(<[u64]>::len);
    Err(BatchError::SetLengthMismatch { orthogonal, diagonal, occupancies, out: out.len() })
}

/// Checks that the three slices of a call have the same length.
#[inline(always)]
fn lengths_match(squares: usize, occs: &[u64], out: &[u64]) -> Result<(), BatchError> {
    let (occupancies, out) = (occs.len(), out.len());
    if squares == occupancies && occupancies == out {
        Ok(())
    } else {
        Err(BatchError::LengthMismatch { squares, occupancies, out })
    }
}
