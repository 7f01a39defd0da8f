//! The handle of a backend, and how a call reaches its entry.

use core::fmt;
use core::ops::Range;
use core::str::FromStr;
use std::sync::OnceLock;

use super::entries::{MIN_ENTRY_LENGTH, Planes, Task};
#[cfg(feature = "rayon")]
use super::parallel;
use super::scalar;
use super::select::{Cpu, Kind};
use crate::square::{all_on_board, checked};
use crate::{BatchError, Slider, Square, SquareIndex};

/// A way to compute attack sets that this CPU can run.
///
/// There is no way to make a `Backend` if the CPU lacks its instructions, so having one proves that it can run.
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
pub struct Backend(Kind); // only `if_can_run` makes one of a kind other than `Scalar`

/// Calls an entry of the backend if it is one of `$kind`, or else does `$otherwise`.
///
/// On architectures other than x86-64, `$otherwise` is all that is compiled.
macro_rules! enter {
    ($backend:expr, [$($kind:ident $module:ident),*], $entry:ident $arguments:tt, $otherwise:expr) => {
        match $backend.0 {
            $(
                // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
                #[cfg(target_arch = "x86_64")]
                Kind::$kind => unsafe { super::$module::$entry $arguments },
            )*
            _ => $otherwise,
        }
    };
}

impl Backend {
    /// The backend that the crate's batch functions use. It is chosen once per process; [`Cpu`] tells the reason.
    pub fn active() -> Backend {
        static ACTIVE: OnceLock<Backend> = OnceLock::new();
        *ACTIVE.get_or_init(|| {
            let (kind, _) = Cpu::detect().choice();
            Backend::if_can_run(kind).expect("the choice is among the backends that can run")
        })
    }

    /// All backends that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Backend> {
        Kind::ALL.iter().filter_map(|&kind| Backend::if_can_run(kind))
    }

    /// Kindergarten bitboards, one pair after the other. Runs everywhere.
    pub const fn scalar() -> Backend {
        Backend(Kind::Scalar)
    }

    /// PEXT and PDEP in place of multiplications, one pair after the other.
    pub fn bmi2() -> Option<Backend> {
        Backend::if_can_run(Kind::Bmi2)
    }

    /// 16 boards at a time as rank slices, on CPUs and under hypervisors without AVX2.
    pub fn ssse3() -> Option<Backend> {
        Backend::if_can_run(Kind::Ssse3)
    }

    /// 32 boards at a time as rank slices.
    pub fn avx2() -> Option<Backend> {
        Backend::if_can_run(Kind::Avx2)
    }

    /// 32 boards at a time as bit matrices. Needs AVX2 and GFNI.
    pub fn avx2_gfni() -> Option<Backend> {
        Backend::if_can_run(Kind::Avx2Gfni)
    }

    /// 64 boards at a time as rank slices. Needs AVX-512 F, BW, DQ, VL and CD.
    pub fn avx512() -> Option<Backend> {
        Backend::if_can_run(Kind::Avx512)
    }

    /// 64 boards at a time as bit matrices. Needs AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, and GFNI.
    pub fn avx512_gfni() -> Option<Backend> {
        Backend::if_can_run(Kind::Avx512Gfni)
    }

    fn if_can_run(kind: Kind) -> Option<Backend> {
        kind.can_run().then_some(Backend(kind))
    }

    /// `"scalar"`, `"bmi2"`, `"ssse3"`, `"avx2"`, `"avx2-gfni"`, `"avx512"` or `"avx512-gfni"`. [`FromStr`] reads the
    /// same names.
    pub const fn name(self) -> &'static str {
        self.0.name()
    }

    /// Writes the attack set of a `slider` on `squares[i]` with the pieces `occs[i]` to `out[i]`, for
    /// every `i`.
    ///
    /// Like [`batch_attacks`](crate::batch_attacks), with this backend and for this slider.
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
        self.batch_attacks_or(slider, squares, occs, out, |squares, occs, out| {
            Backend::scalar().enter(slider, squares, occs, out);
        })
    }

    /// [`Backend::batch_attacks`] for a slider that is known where this is compiled: calls that are too short for a backend
    /// are computed in the caller's code. With a slider that is not known, that code would slow down all other calls.
    #[inline(always)]
    pub(super) fn batch_attacks_of<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        self.batch_attacks_or(slider, squares, occs, out, |squares, occs, out| {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = slider.attacks(square, occ);
            }
        })
    }

    #[inline(always)]
    fn batch_attacks_or<S: SquareIndex>(
        self,
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
            self.run(slider, squares, occs, out, out.len());
        }
        Ok(())
    }

    /// Writes the union of what the sliders in `orthogonal[i]` and `diagonal[i]` attack with the pieces `occs[i]` to
    /// `out[i]`, for every `i`.
    ///
    /// Like [`batch_attack_sets`](crate::batch_attack_sets), with this backend. `scalar` and `bmi2` fill the rays of one
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
        if out.len() < MIN_STREAMED_LENGTH {
            self.enter_sets(sets, out, false);
        } else {
            for (part, stream) in parts(out) {
                self.enter_sets(sets.map(|boards| &boards[part.clone()]), &mut out[part], stream);
            }
        }
        Ok(())
    }

    fn enter_sets(self, sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
        enter!(
            self,
            [Ssse3 ssse3, Avx2 avx2, Avx2Gfni avx2_gfni, Avx512 avx512, Avx512Gfni avx512_gfni],
            attack_sets(sets, out, stream),
            scalar::attack_sets(sets, out, stream)
        );
    }

    /// Like [`Backend::batch_attacks`], on several cores: see [`par_batch_attacks`](crate::par_batch_attacks).
    ///
    /// # Errors
    ///
    /// The same as those of [`Backend::batch_attacks`].
    #[cfg(feature = "rayon")]
    pub fn par_batch_attacks<S: SquareIndex>(
        self,
        slider: Slider,
        squares: &[S],
        occs: &[u64],
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let call_length = out.len();
        if call_length < parallel::MIN_PARALLEL_LENGTH {
            return self.batch_attacks(slider, squares, occs, out);
        }
        lengths_match(squares.len(), occs, out)?;
        let squares = checked(squares, |bytes| parallel::test_all(bytes, all_on_board))?;
        let length = parallel::chunk_length(call_length);
        let chunks = squares.chunks(length).zip(occs.chunks(length)).zip(out.chunks_mut(length));
        parallel::share(chunks, |((squares, occs), out)| self.run(slider, squares, occs, out, call_length));
        Ok(())
    }

    /// Performs `task` with the vector instructions of this backend, if it has any.
    pub(crate) fn perform(self, task: impl Task) {
        enter!(
            self,
            [Ssse3 ssse3, Avx2 avx2, Avx2Gfni avx2, Avx512 avx512, Avx512Gfni avx512],
            perform(task),
            task.perform()
        );
    }

    /// Writes the numbers of as many positions as `out` has, at most 64. In a task, this has the vector instructions of the
    /// backend that performs it.
    #[inline(always)]
    pub(crate) fn numbers(self, planes: &Planes, out: &mut [[u8; 64]]) {
        enter!(
            self,
            [Avx2Gfni avx2_gfni, Avx512Gfni avx512_gfni],
            numbers(planes, out),
            scalar::numbers(planes, out)
        );
    }

    /// Computes the attack sets of a call of `call_length`, or of a chunk of it. The slices have the same length.
    #[inline(always)]
    fn run(self, slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64], call_length: usize) {
        if call_length < MIN_STREAMED_LENGTH {
            self.enter(slider, squares, occs, out);
        } else {
            self.enter_in_parts(slider, squares, occs, out);
        }
    }

    #[cold]
    fn enter_in_parts(self, slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        for (part, stream) in parts(out) {
            let (squares, occs, out) = (&squares[part.clone()], &occs[part.clone()], &mut out[part]);
            if stream && !out.is_empty() {
                self.stream(slider, squares, occs, out);
            } else {
                self.enter(slider, squares, occs, out);
            }
        }
    }

    /// Calls the entry that streams, if the backend has one.
    fn stream(self, slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        enter!(
            self,
            [Ssse3 ssse3, Avx2 avx2, Avx2Gfni avx2_gfni, Avx512 avx512, Avx512Gfni avx512_gfni],
            stream(slider, squares, occs, out),
            self.enter(slider, squares, occs, out)
        );
    }

    /// Calls the entry for `slider`.
    #[inline]
    fn enter(self, slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let backend = if squares.len() < MIN_ENTRY_LENGTH { Backend::scalar() } else { self };
        let entries = &ENTRIES[backend.0 as usize];
        let entry = entries[slider as usize];
        // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
        unsafe { entry(squares, occs, out) };
    }
}

/// An entry of a backend for one slider. One argument more, which does not fit the registers, takes 1 ns for each call.
type Entry = unsafe fn(&[Square], &[u64], &mut [u64]);

/// The entries of each kind, in the order of the kinds. Two matches, one within the other, take 2 ns longer for each call.
static ENTRIES: [[Entry; 3]; Kind::ALL.len()] = {
    macro_rules! entries {
        ($($module:ident)*) => {
            [$([super::$module::bishop as Entry, super::$module::rook as Entry, super::$module::queen as Entry]),*]
        };
    }
    #[cfg(target_arch = "x86_64")]
    let all = entries! { scalar bmi2 ssse3 avx2 avx2_gfni avx512 avx512_gfni };
    #[cfg(not(target_arch = "x86_64"))]
    let all = entries! { scalar scalar scalar scalar scalar scalar scalar };
    all
};

/// The parts of the output of a long call, and whether each is to be streamed: written with non-temporal stores, which
/// bypass the cache.
///
/// The streamed part begins at a cache line and consists of whole blocks, whatever the backend. So no backend writes
/// twice to what it has streamed. What is not streamed has a whole block as well, so that it is not too short for the
/// backend's own kernel.
fn parts(out: &[u64]) -> [(Range<usize>, bool); 3] {
    /// A cache line in bytes, and a multiple of the length of every block.
    const LINE_AND_BLOCK: usize = 64;
    let and_a_block = |rest: usize, most: usize| if rest == 0 { 0 } else { most.min(rest + LINE_AND_BLOCK) };
    let head = and_a_block(out.as_ptr().align_offset(LINE_AND_BLOCK), out.len());
    let rest = out.len() - head;
    let tail = out.len() - and_a_block(rest % LINE_AND_BLOCK, rest);
    [(0..head, false), (head..tail, true), (tail..out.len(), false)]
}

/// Minimum length of a call whose attack sets are streamed: 2 Mi pairs, which are 34 MiB of squares, occupancies and
/// attack sets together.
///
/// The call alone is faster with streaming stores from 64 Ki pairs on (Zen 5, 1 MiB of second-level and 32 MiB of
/// third-level cache). But a caller that reads the attack sets afterwards then finds them in memory, not in the
/// cache: the call and one reading pass together took 1.2 times as long at 64 Ki and 256 Ki pairs, 1.0 to 1.1 at 1 Mi,
/// and 0.8 at 4 Mi (AVX-512 queens; builds with and without streaming took turns).
const MIN_STREAMED_LENGTH: usize = 1 << 21;

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
    /// There is no backend of this name.
    Unknown,
    /// There is one, but this CPU or its operating system cannot run it.
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
        let kind: Kind = text.parse().map_err(|_| ParseBackendError::Unknown)?;
        Backend::if_can_run(kind).ok_or(ParseBackendError::Unavailable(kind.name()))
    }
}

#[test]
fn a_streamed_part_is_aligned_and_consists_of_whole_blocks() {
    let boards = [0; 400];
    for (offset, length) in (0..8).flat_map(|offset| (0..=300).map(move |length| (offset, length))) {
        let out = &boards[offset..][..length];
        let [(head, _), (body, _), (tail, _)] = parts(out);
        assert_eq!(parts(out).map(|(_, stream)| stream), [false, true, false]);
        assert_eq!((head.start, head.end, body.end, tail.end), (0, body.start, tail.start, length));
        assert_eq!((out[body.clone()].as_ptr().align_offset(64) * body.len().min(1), body.len() % 64), (0, 0));
        assert!(head.len() < 72 && tail.len() < 128, "{head:?} {tail:?}");
        let is_long = |part: &Range<usize>| part.is_empty() || part.len() >= 64;
        assert!(length < 200 || [head, body, tail].iter().all(is_long), "{offset}, {length}");
    }
}

/// What begins or ends within a line or a block is stored in the ordinary way.
#[test]
fn entries_that_stream_are_right_wherever_the_output_begins_and_ends() {
    const MOST: usize = 200;
    let occs: [u64; MOST] = core::array::from_fn(|at| 0x0123_4567_89ab_cdef_u64.wrapping_mul(2 * at as u64 + 1));
    let squares: [Square; MOST] = core::array::from_fn(|at| Square::ALL[at * 11 % 64]);
    let check = |attacks: [u64; MOST], compute: &dyn Fn(Backend, &mut [u64])| {
        for (offset, length) in (0..8).flat_map(|offset| (64..=MOST).map(move |length| (offset, length))) {
            for backend in Backend::available() {
                let mut out = [!0; 8 + MOST + 8];
                compute(backend, &mut out[offset..][..length]);
                assert_eq!(out[offset..][..length], attacks[..length], "{backend}, {length} pairs from {offset}");
                let around = out[..offset].iter().chain(&out[offset + length..]);
                assert!(around.into_iter().all(|&board| board == !0), "{backend}, {length} pairs from {offset}");
            }
        }
    };
    for slider in Slider::ALL {
        check(core::array::from_fn(|at| slider.attacks(squares[at], occs[at])), &|backend, out| {
            backend.stream(slider, &squares[..out.len()], &occs[..out.len()], out);
        });
    }
    let sliders = occs.map(u64::swap_bytes);
    let sets = [&occs, &sliders, &occs];
    check(core::array::from_fn(|at| crate::set_attacks(occs[at], sliders[at], occs[at])), &|backend, out| {
        backend.enter_sets(sets.map(|boards| &boards[..out.len()]), out, true);
    });
}

/// Every bit by itself, and then random ones for any number of positions.
///
/// The first is enough, because numbers are linear in their planes, modulo two: shuffles only move bytes, and a product is
/// linear in the matrix.
#[test]
fn numbers_have_the_bits_of_their_planes() {
    const BLOCK: usize = 64;
    const BLANK: [u8; 64] = [99; 64];
    let check = |planes: &Planes, len: usize, expected: &[[u8; 64]; BLOCK]| {
        for backend in Backend::available() {
            let mut out = [BLANK; BLOCK];
            backend.numbers(planes, &mut out[..len]);
            assert_eq!(out[..len], expected[..len], "{backend}");
            assert_eq!(out[len..], [BLANK; BLOCK][len..], "{backend}");
        }
    };
    let (mut planes, mut expected): (Planes, _) = ([[0; BLOCK]; 5], [[0; 64]; BLOCK]);
    check(&planes, BLOCK, &expected);
    for bit in 0..5 {
        for lane in 0..BLOCK {
            for square in 0..64 {
                planes[bit][lane] = 1 << square;
                expected[lane][square] = 1 << bit;
                check(&planes, BLOCK, &expected);
                expected[lane][square] = 0;
            }
            planes[bit][lane] = 0;
        }
    }
    let mut state = 1_u64;
    for len in 0..=BLOCK {
        for board in planes.as_flattened_mut() {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            *board = state;
        }
        let bit = |bit: usize, lane: usize, square: usize| ((planes[bit][lane] >> square & 1) as u8) << bit;
        expected =
            core::array::from_fn(|lane| core::array::from_fn(|square| (0..5).map(|at| bit(at, lane, square)).sum()));
        check(&planes, len, &expected);
    }
}

/// The tokens of the vector operations, if this CPU can run them, for tests of these operations.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) mod simd {
    use super::Kind;
    use crate::batch::{avx2, avx2_gfni, avx512, avx512_gfni, ssse3};

    macro_rules! tokens {
        ($($name:ident $kind:ident)*) => {$(
            pub(crate) fn $name() -> Option<$name::$kind> {
                // SAFETY: `can_run` has just checked that the CPU has the features.
                Kind::$kind.can_run().then(|| unsafe { $name::$kind::new() })
            }
        )*};
    }

    tokens! { ssse3 Ssse3 avx2 Avx2 avx2_gfni Avx2Gfni avx512 Avx512 avx512_gfni Avx512Gfni }
}
