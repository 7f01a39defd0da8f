//! Backends: a kernel or a scalar method bound to an instruction set, and the choice among them.

use core::fmt;
use core::str::FromStr;
use std::sync::OnceLock;

use super::entries::Task;
#[cfg(feature = "rayon")]
use super::parallel;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, bmi2, ssse3};
use super::{scalar, select};
use crate::{BatchError, Slider, Square, SquareIndex, set_attacks};

/// The vector operations of each instruction set, if this CPU can run it.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) mod simd {
    use super::{Kind, avx2, avx512, ssse3};
    use crate::batch::simd::Boards;

    pub(crate) fn ssse3() -> Option<impl Boards<16>> {
        Kind::Ssse3.can_run().then(ssse3::simd)
    }

    pub(crate) fn avx2() -> Option<impl Boards<32>> {
        Kind::Avx2.can_run().then(avx2::simd)
    }

    pub(crate) fn avx512() -> Option<impl Boards<64>> {
        Kind::Avx512.can_run().then(avx512::simd)
    }
}

/// A way to compute attack sets that this CPU can run.
///
/// Holding one is the proof: there is no way to make a `Backend` that the CPU lacks the instructions for.
///
/// ```
/// use slider_attacks::{Backend, Slider};
///
/// let occs = [0x00ff_0000_0000_ff00; 3];
/// let mut expected = [0; 3];
/// Backend::scalar().batch_attacks(Slider::Queen, &[0, 27, 63], &occs, &mut expected)?;
/// for backend in Backend::available() {
///     let mut out = [0; 3];
///     backend.batch_attacks(Slider::Queen, &[0, 27, 63], &occs, &mut out)?;
///     assert_eq!(out, expected, "{backend}");
/// }
/// # Ok::<(), slider_attacks::BatchError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Backend(Kind);

/// Every backend there is, slowest first. One that is not `Scalar` is only wrapped in a [`Backend`] by
/// [`Backend::if_can_run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Bmi2,
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kind {
    pub(crate) const ALL: &[Kind] = &[
        Kind::Scalar,
        #[cfg(target_arch = "x86_64")]
        Kind::Bmi2,
        #[cfg(target_arch = "x86_64")]
        Kind::Ssse3,
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2,
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512,
    ];

    const fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 => "bmi2",
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 => "ssse3",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    /// The fewest pairs that the entries take.
    const fn least(self) -> usize {
        match self {
            Kind::Scalar => 0,
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 => 0,
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 => 16,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => 8,
        }
    }

    /// Whether the CPU has the instructions and the operating system saves the registers they use.
    ///
    /// The standard library's macro asks for both. Where the operating system has not enabled the AVX
    /// state it reports `bmi2` as absent as well on some CPUs, which costs such a machine nothing but speed.
    fn can_run(self) -> bool {
        match self {
            Kind::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 => is_x86_feature_detected!("bmi2"),
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 => is_x86_feature_detected!("ssse3"),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
        }
    }
}

impl Backend {
    /// The backend that the crate's batch functions use: chosen once per process, for the reason that
    /// [`Cpu`](crate::Cpu) tells.
    pub fn active() -> Backend {
        static ACTIVE: OnceLock<Backend> = OnceLock::new();
        *ACTIVE.get_or_init(|| select::Cpu::detect().choice().backend)
    }

    /// All backends that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Backend> {
        Kind::ALL.iter().filter_map(|&kind| Backend::if_can_run(kind))
    }

    /// Kindergarten bitboards, one pair after the other. Runs everywhere.
    pub const fn scalar() -> Backend {
        Backend(Kind::Scalar)
    }

    /// PEXT and PDEP in place of the multiplication, one pair after the other.
    pub fn bmi2() -> Option<Backend> {
        Backend::named("bmi2")
    }

    /// 16 boards at a time as rank slices, on CPUs and under hypervisors without AVX2.
    pub fn ssse3() -> Option<Backend> {
        Backend::named("ssse3")
    }

    /// 32 boards at a time as rank slices.
    pub fn avx2() -> Option<Backend> {
        Backend::named("avx2")
    }

    /// 64 boards at a time as rank slices. Needs AVX-512 F, BW, DQ, VL and CD.
    pub fn avx512() -> Option<Backend> {
        Backend::named("avx512")
    }

    fn named(name: &str) -> Option<Backend> {
        name.parse().ok()
    }

    pub(crate) fn if_can_run(kind: Kind) -> Option<Backend> {
        kind.can_run().then_some(Backend(kind))
    }

    /// `"scalar"`, `"bmi2"`, `"ssse3"`, `"avx2"` or `"avx512"`; [`FromStr`] takes the same.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    /// Writes the attack set of a `slider` on `squares[i]` with the pieces `occs[i]` to `out[i]`, for
    /// every `i`.
    ///
    /// As [`batch_attacks`](crate::batch_attacks), with this backend and for this slider.
    ///
    /// # Errors
    ///
    /// The lengths differ, or a square is 64 or more. Then nothing has been written to `out`.
    #[inline]
    pub fn batch_attacks<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let squares = checked(squares, occs, out, S::check)?;
        if squares.len() < FEW {
            // Here, in the caller's code, because a call and the ways to it take as long as a pair or two.
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = slider.attacks(square, occ);
            }
        } else {
            self.run(slider, squares, occs, out, out.len());
        }
        Ok(())
    }

    /// Writes the union of what the sliders in `orthogonal[i]` and `diagonal[i]` attack with the pieces `occs[i]` to
    /// `out[i]`, for every `i`.
    ///
    /// As [`batch_attack_sets`](crate::batch_attack_sets), with this backend. `scalar` and `bmi2` fill the rays of one
    /// board after the other.
    ///
    /// # Errors
    ///
    /// The lengths differ. Then nothing has been written to `out`.
    pub fn batch_attack_sets(
        self,
        orthogonal: &[u64],
        diagonal: &[u64],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let sets = [orthogonal, diagonal, occs];
        if sets.iter().any(|boards| boards.len() != out.len()) {
            let (orthogonal, diagonal, occupancies, out) = (orthogonal.len(), diagonal.len(), occs.len(), out.len());
            return Err(BatchError::SetLengthMismatch { orthogonal, diagonal, occupancies, out });
        }
        match self.0 {
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 if out.len() >= 16 => unsafe { ssse3::attack_sets(sets, out) },
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if out.len() >= 32 => unsafe { avx2::attack_sets(sets, out) },
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if out.len() >= 64 => unsafe { avx512::attack_sets(sets, out) },
            _ => {
                for (((&orthogonal, &diagonal), &occ), out) in orthogonal.iter().zip(diagonal).zip(occs).zip(out) {
                    *out = set_attacks(orthogonal, diagonal, occ);
                }
            }
        }
        Ok(())
    }

    /// As [`Backend::batch_attacks`], on several cores: see [`par_batch_attacks`](crate::par_batch_attacks).
    ///
    /// # Errors
    ///
    /// As [`Backend::batch_attacks`].
    #[cfg(feature = "rayon")]
    pub fn par_batch_attacks<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let whole = out.len();
        if whole < parallel::FROM {
            return self.batch_attacks(slider, squares, occs, out);
        }
        let squares = checked(squares, occs, out, S::par_check)?;
        let chunk = parallel::chunk(whole);
        let chunks = squares.chunks(chunk).zip(occs.chunks(chunk)).zip(out.chunks_mut(chunk));
        parallel::share(chunks, |((squares, occs), out)| self.run(slider, squares, occs, out, whole));
        Ok(())
    }

    /// Does `task` in this backend's instruction set, if it has vectors.
    pub(crate) fn perform(self, task: impl Task) {
        match self.0 {
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 => unsafe { ssse3::perform(task) },
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::perform(task) },
            // SAFETY: as in `run`.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::perform(task) },
            _ => task.perform(),
        }
    }

    /// Where a batch call for single sliders enters a backend. The slices are of the same length: those of a call with
    /// `whole` pairs, or a chunk of them.
    fn run(self, slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64], whole: usize) {
        let kind = if squares.len() < self.0.least() { Kind::Scalar } else { self.0 };
        macro_rules! enter {
            ($backend:ident) => {
                match slider {
                    Slider::Bishop => $backend::bishop(squares, occs, out, whole),
                    Slider::Rook => $backend::rook(squares, occs, out, whole),
                    Slider::Queen => $backend::queen(squares, occs, out, whole),
                }
            };
        }
        match kind {
            Kind::Scalar => enter!(scalar),
            // SAFETY: a `Backend` of a kind other than `Scalar` is only made by `if_can_run`, so this CPU,
            // under this operating system, can run the kind's instructions. So for those below.
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 => unsafe { enter!(bmi2) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Ssse3 => unsafe { enter!(ssse3) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { enter!(avx2) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { enter!(avx512) },
        }
    }
}

/// From this many pairs on a call enters its backend. Fewer are done one by one, as the scalar backend does them, before
/// the first vector is filled.
const FEW: usize = 8;

/// The squares, checked by `check`, if the three slices of a call are of one length.
#[inline(always)]
fn checked<'a, S>(
    squares: &'a [S],
    occs: &[u64],
    out: &[u64],
    check: impl FnOnce(&'a [S]) -> Result<&'a [Square], (usize, u8)>,
) -> Result<&'a [Square], BatchError> {
    if squares.len() != occs.len() || occs.len() != out.len() {
        let (squares, occupancies, out) = (squares.len(), occs.len(), out.len());
        return Err(BatchError::LengthMismatch { squares, occupancies, out });
    }
    check(squares).map_err(|(index, square)| BatchError::SquareOutOfRange { index, square })
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({self})")
    }
}

/// The text was not the name of a backend that can run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseBackendError {
    /// There is no backend of this name on this architecture.
    Unknown,
    /// There is one, but this CPU, or its operating system, cannot run it.
    Unavailable(&'static str),
}

impl fmt::Display for ParseBackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseBackendError::Unknown => f.write_str("expected one of ")?,
            ParseBackendError::Unavailable(name) => {
                write!(f, "this CPU cannot run {name}; it can run ")?;
            }
        }
        let names: Vec<&str> = match self {
            ParseBackendError::Unknown => Kind::ALL.iter().map(|kind| kind.name()).collect(),
            ParseBackendError::Unavailable(_) => Backend::available().map(Backend::name).collect(),
        };
        f.write_str(&names.join(", "))
    }
}

impl core::error::Error for ParseBackendError {}

impl FromStr for Backend {
    type Err = ParseBackendError;

    fn from_str(text: &str) -> Result<Backend, ParseBackendError> {
        let kind = Kind::ALL.iter().find(|kind| kind.name() == text).ok_or(ParseBackendError::Unknown)?;
        Backend::if_can_run(*kind).ok_or(ParseBackendError::Unavailable(kind.name()))
    }
}
