//! How a call reaches an entry of its backend.

use bytemuck::Pod;

use super::backend::select::BackendKind;
use super::entries::{MIN_ENTRY_LENGTH, Planes, Task};
use super::kernel::nibbles::{PackedBoard, Unpack};
use super::lists::ListTask;
use super::scalar;
use super::text::{BoardTextTask, TextTask};
use crate::{Backend, Slider, Square};

/// Calls an entry of the backend if it is a kind that names a module, or else does `$otherwise`.
///
/// The kinds of x86-64 come first, then those of ARM, then those that have no such entry. Each kind stands in one of the
/// lists: the match has no wildcard, so a backend that the lists lack does not compile.
macro_rules! enter {
    ($backend:expr, [$($kind:ident $module:ident),*; $($on_arm:ident $module_on_arm:ident),*; $($without:ident)|+],
        $entry:ident $arguments:tt, $otherwise:expr) => {
        #[allow(unused_labels, reason = "on other architectures, no kind breaks it")]
        'enter: {
            match $backend.kind() {
                $(
                    // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
                    #[cfg(target_arch = "x86_64")]
                    BackendKind::$kind => break 'enter unsafe { super::$module::$entry $arguments },
                    #[cfg(not(target_arch = "x86_64"))]
                    BackendKind::$kind => {}
                )*
                $(
                    // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
                    #[cfg(target_arch = "aarch64")]
                    BackendKind::$on_arm => break 'enter unsafe { super::$module_on_arm::$entry $arguments },
                    #[cfg(not(target_arch = "aarch64"))]
                    BackendKind::$on_arm => {}
                )*
                $(BackendKind::$without)|+ => {}
            }
            $otherwise
        }
    };
}

impl Backend {
    /// Streams long arrays: `out` is aligned to a cache line and consists of whole blocks. A backend that cannot stream computes
    /// them like all others.
    pub(super) fn stream(self, entries: &SliderEntries, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
        unsafe { (entries[self.kind() as usize].stream)(squares, occs, out) };
    }

    /// Calls the entry for a slider.
    #[inline]
    pub(super) fn enter(self, entries: &SliderEntries, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        let backend = if squares.len() < MIN_ENTRY_LENGTH { Backend::scalar() } else { self };
        // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
        unsafe { (entries[backend.kind() as usize].call)(squares, occs, out) };
    }

    /// Calls the entry for sets of sliders. With `stream`, it streams if `out` consists of whole cache lines and whole blocks.
    pub(super) fn enter_sets(self, sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
        enter!(
            self,
            [Ssse3 ssse3, Avx2 avx2, Avx2Gfni avx2_gfni, Avx512 avx512, Avx512Gfni avx512_gfni; Neon neon; Scalar | Bmi2],
            attack_sets(sets, out, stream),
            scalar::attack_sets(sets, out, stream)
        );
    }

    /// Performs `task` with the vector instructions of this backend, if it has any.
    pub(crate) fn perform<T: Task>(self, task: T) {
        if T::MOVES_BYTES {
            enter!(
                self,
                [Ssse3 ssse3, Avx2 avx2, Avx2Gfni avx2, Avx512 avx512, Avx512Gfni avx512; Neon neon; Scalar | Bmi2],
                perform(task),
                scalar::perform(task)
            );
        } else {
            enter!(
                self,
                [Avx2 avx2, Avx2Gfni avx2, Avx512 avx512, Avx512Gfni avx512; Neon neon; Scalar | Bmi2 | Ssse3],
                perform(task),
                scalar::perform(task)
            );
        }
    }

    /// Performs `task`, which counts the squares of sets, also with the instructions of AVX-512 for that, if the CPU has them.
    pub(crate) fn perform_counts<T: Task>(self, task: T) {
        #[cfg(target_arch = "x86_64")]
        if self.kind() == BackendKind::Avx512Gfni && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, and the line above
            // the instructions that count.
            return unsafe { super::avx512_gfni::perform_counts(task) };
        }
        self.perform(task);
    }

    /// Performs `task`, which takes one position after the other, with the instructions on single bits where they are.
    pub(crate) fn perform_by_bits<T: Task>(self, task: T) {
        #[cfg(target_arch = "x86_64")]
        if self.kind() != BackendKind::Ssse3 && self.kind().reads_text() {
            // SAFETY: `reads_text` has checked AVX2 and the instructions on single bits.
            return unsafe { super::avx2::perform_by_bits(task) };
        }
        scalar::perform(task);
    }

    /// Does the work on text with the vector instructions of this backend. Without any, the task comes back.
    pub(crate) fn read<T: TextTask>(self, task: T) -> Result<T::Output, T> {
        #[cfg(target_arch = "x86_64")]
        if self.kind().reads_text() {
            match self.kind() {
                // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, which needs
                // no more than SSSE3.
                BackendKind::Ssse3 => return Ok(unsafe { super::ssse3::text::read(task) }),
                BackendKind::Avx2 | BackendKind::Avx2Gfni | BackendKind::Avx512 => {
                    // SAFETY: `reads_text` has checked AVX2 and the instructions on single bits.
                    return Ok(unsafe { super::avx2::text::read(task) });
                }
                // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, and
                // `reads_text` that it has the instructions on single bits.
                BackendKind::Avx512Gfni => return Ok(unsafe { super::avx512_gfni::text::read(task) }),
                BackendKind::Scalar | BackendKind::Bmi2 | BackendKind::Neon => {}
            }
        }
        #[cfg(target_arch = "aarch64")]
        if self.kind() == BackendKind::Neon {
            // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, which needs no
            // more than Advanced SIMD.
            return Ok(unsafe { super::neon::text::read(task) });
        }
        Err(task)
    }

    /// Writes boards as text with the vector instructions of this backend, where it has any for that.
    pub(crate) fn write_boards(self, task: impl BoardTextTask) {
        #[cfg(target_arch = "x86_64")]
        if self.kind() != BackendKind::Ssse3 && self.kind().reads_text() {
            return if self.kind() == BackendKind::Avx512Gfni {
                // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, and
                // `reads_text` that it has the instructions on single bits.
                unsafe { super::avx512_gfni::text::write(task) }
            } else {
                // SAFETY: `reads_text` has checked AVX2 and the instructions on single bits.
                unsafe { super::avx2::text::write(task) }
            };
        }
        scalar::write(task);
    }

    /// Lists moves with the vector instructions of this backend, if it has any, and with those on single bits that come with them.
    pub(crate) fn list(self, task: impl ListTask) {
        #[cfg(target_arch = "x86_64")]
        if self.kind().reads_text() {
            match self.kind() {
                // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind, and
                // `reads_text` that it has the instructions on single bits. The same holds below.
                BackendKind::Avx2 | BackendKind::Avx2Gfni => return unsafe { super::avx2::list(task) },
                // SAFETY: as above.
                BackendKind::Avx512 => return unsafe { super::avx512::list(task) },
                // SAFETY: as above.
                BackendKind::Avx512Gfni => return unsafe { super::avx512_gfni::lists::list(task) },
                BackendKind::Scalar | BackendKind::Bmi2 | BackendKind::Ssse3 | BackendKind::Neon => {}
            }
        }
        scalar::list(task);
    }

    /// Whether lists of squares are made with AVX-512, VBMI and VBMI2, and the instructions on single bits.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn lists_with_vectors(self) -> bool {
        self.kind() == BackendKind::Avx512Gfni && self.kind().reads_text()
    }

    /// Writes the planes of as many boards as there are records. All lengths are the same.
    pub(crate) fn unpack(self, records: &[PackedBoard], planes: [&mut [u64]; 4]) {
        match self.kind() {
            // SAFETY: `Backend::if_can_run` has checked that this CPU and its operating system can run this kind.
            #[cfg(target_arch = "x86_64")]
            BackendKind::Bmi2 => unsafe { super::bmi2::unpack(records, planes) },
            // SAFETY: `spreads_bits` has checked AVX2 and BMI2.
            #[cfg(target_arch = "x86_64")]
            kind if kind.spreads_bits() => unsafe { super::avx2::unpack(records, planes) },
            _ => self.perform(Unpack { records, planes }),
        }
    }

    /// Writes one of two values for each square of the boards of `columns`, which have one board per position: `out` has the first
    /// position in all columns, then the second.
    pub(crate) fn squares<T: Pod>(self, columns: &[&[u64]], values: [T; 2], out: &mut [[T; 64]]) {
        #[cfg(target_arch = "x86_64")]
        if self.kind().has_avx2() {
            macro_rules! of_size {
                ($($size:literal)*) => {
                    match size_of::<T>() {
                        $($size => {
                            let (values, out) = (bytemuck::cast::<_, [[u8; $size]; 2]>(values), bytemuck::cast_slice_mut(out));
                            // SAFETY: the CPU has AVX2.
                            return unsafe { super::avx2::squares(columns, values, out) };
                        })*
                        _ => {}
                    }
                };
            }
            of_size!(1 2 4 8);
        }
        scalar::squares(columns, values, out);
    }

    /// How many words of 64 bits a vector has with which this backend performs tasks.
    pub(crate) fn words(self) -> usize {
        match self.kind() {
            // The compiler vectorises what it compiles without features.
            BackendKind::Scalar | BackendKind::Bmi2 | BackendKind::Ssse3 | BackendKind::Neon => 2,
            BackendKind::Avx2 | BackendKind::Avx2Gfni => 4,
            BackendKind::Avx512 | BackendKind::Avx512Gfni => 8,
        }
    }

    /// Whether [`numbers`](Backend::numbers) takes an instruction for eight squares at once.
    pub(crate) fn has_matrices(self) -> bool {
        matches!(self.kind(), BackendKind::Avx2Gfni | BackendKind::Avx512Gfni)
    }

    /// Writes the squares of each position whose numbers, which are below 128, are not 0. Both lengths are the same.
    #[doc(hidden)]
    pub fn nonzero_squares(self, numbers: &[[u8; 64]], out: &mut [u64]) {
        assert_eq!(numbers.len(), out.len());
        debug_assert!(numbers.as_flattened().iter().all(|&number| number < 128));
        #[cfg(target_arch = "x86_64")]
        if self.kind().has_avx2() {
            // SAFETY: the CPU has AVX2.
            return unsafe { super::avx2::nonzero_squares(numbers, out) };
        }
        scalar::nonzero_squares(numbers, out);
    }

    /// Writes the numbers of as many positions as `out` has, at most 64. In a task, this has the vector instructions of the
    /// backend that performs it.
    #[inline(always)]
    pub(crate) fn numbers(self, planes: &Planes, out: &mut [[u8; 64]]) {
        enter!(
            self,
            [Avx2Gfni avx2_gfni, Avx512Gfni avx512_gfni;; Scalar | Bmi2 | Ssse3 | Avx2 | Avx512 | Neon],
            numbers(planes, out),
            scalar::numbers(planes, out)
        );
    }
}

/// An entry of a backend for one slider. One argument more, which does not fit the registers, takes 1 ns for each call.
type Entry = unsafe fn(&[Square], &[u64], &mut [u64]);

pub(super) struct SliderEntry {
    call: Entry,
    stream: Entry,
}

/// The entries of each kind for one slider, in the order of the kinds. Two matches, one within the other, take 2 ns longer for
/// each call.
pub(super) type SliderEntries = [SliderEntry; BackendKind::ALL.len()];

/// The entries for a slider. Where it is known, a program gets the code for no other: 40 of 140 KB.
#[inline(always)]
pub(super) fn entries(slider: Slider) -> &'static SliderEntries {
    match slider {
        Slider::Bishop => &BISHOP,
        Slider::Rook => &ROOK,
        Slider::Queen => &QUEEN,
    }
}

macro_rules! entries {
    ($($name:ident $slider:ident)*) => {$(
        static $name: SliderEntries = {
            macro_rules! plain {
                ($module:ident) => {
                    SliderEntry { call: super::$module::$slider, stream: super::$module::$slider }
                };
            }
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            macro_rules! streaming {
                ($module:ident) => {
                    SliderEntry { call: super::$module::$slider, stream: super::$module::stream::$slider }
                };
            }
            #[cfg(target_arch = "x86_64")]
            let all = [
                plain!(scalar), plain!(bmi2), streaming!(ssse3), streaming!(avx2), streaming!(avx2_gfni), streaming!(avx512),
                streaming!(avx512_gfni), plain!(scalar),
            ];
            #[cfg(target_arch = "aarch64")]
            let all = [
                plain!(scalar), plain!(scalar), plain!(scalar), plain!(scalar), plain!(scalar), plain!(scalar),
                plain!(scalar), streaming!(neon),
            ];
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            let all = [const { plain!(scalar) }; BackendKind::ALL.len()];
            all
        };
    )*};
}

entries! { BISHOP bishop ROOK rook QUEEN queen }

/// Parts that begin or end within a line or a block are stored in the ordinary way.
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
            backend.stream(entries(slider), &squares[..out.len()], &occs[..out.len()], out);
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

#[test]
fn squares_whose_number_is_not_zero() {
    let mut state = 1_u64;
    let numbers: [[u8; 64]; 100] = core::array::from_fn(|_| {
        core::array::from_fn(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            if state >> 62 == 0 { 0 } else { (state >> 40) as u8 % 128 }
        })
    });
    let squares = numbers.map(|numbers| (0..64).filter(|&at| numbers[at] != 0).fold(0, |all, at| all | 1 << at));
    for backend in Backend::available() {
        let mut out = [0; 100];
        backend.nonzero_squares(&numbers, &mut out);
        assert_eq!(out, squares, "{backend}");
    }
}

/// The tokens of the vector operations, if this CPU can run them, for tests of these operations.
#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod simd {
    use super::BackendKind;
    #[cfg(target_arch = "aarch64")]
    use crate::batch::neon;
    #[cfg(target_arch = "x86_64")]
    use crate::batch::{avx2, avx2_gfni, avx512, avx512_gfni, ssse3};

    macro_rules! tokens {
        ($($name:ident $kind:ident)*) => {$(
            pub(crate) fn $name() -> Option<$name::$kind> {
                // SAFETY: `can_run` has just checked that the CPU has the features.
                BackendKind::$kind.can_run().then(|| unsafe { $name::$kind::new() })
            }
        )*};
    }

    #[cfg(target_arch = "aarch64")]
    tokens! { neon Neon }
    #[cfg(target_arch = "x86_64")]
    tokens! { ssse3 Ssse3 avx2 Avx2 avx2_gfni Avx2Gfni avx512 Avx512 avx512_gfni Avx512Gfni }
}
