//! No access outside the slices of a call. Each slice lies directly before or after a guard page, and an access to that
//! page ends the process. Reads are caught as well as writes, even those of gathers. An address sanitizer notices neither
//! in vector instructions that the compiler does not know as memory accesses.
//!
//! A prefetch of such a page is allowed, and does nothing.

#![cfg(unix)]
#![expect(unsafe_code, reason = "pages that must not be touched come from the C library")]

use std::process::Command;
use std::ptr::null_mut;

use slider_attacks::position::Positions;
use slider_attacks::{Backend, BatchError, Slider, SliderArrays, Square, set_attacks};

use crate::common::{self, Call, Pairs, Random, for_each, forms};

/// Memory between two guard pages.
struct Guarded {
    start: *mut u8,
    page: usize,
    /// How many bytes between the two pages may be used: whole pages.
    room: usize,
}

/// The end of its memory at which a slice lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The byte before it must not be touched.
    Start,
    /// The byte after it must not be touched.
    End,
}

impl Guarded {
    /// Room for at least `length` bytes.
    fn new(length: usize) -> Guarded {
        // SAFETY: it only asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("pages have a size");
        let room = length.max(1).next_multiple_of(page);
        // SAFETY: new memory at an address of the system's choice; nothing is replaced.
        let start = unsafe {
            libc::mmap(null_mut(), room + 2 * page, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0)
        };
        assert_ne!(start, libc::MAP_FAILED);
        let start: *mut u8 = start.cast();
        // SAFETY: these are whole pages of the memory that has just been made.
        let result = unsafe { libc::mprotect(start.add(page).cast(), room, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(result, 0);
        Guarded { start, page, room }
    }

    /// `length` bytes at one end.
    fn bytes(&mut self, length: usize, place: Place) -> &mut [u8] {
        // SAFETY: the pages between the first and the last may be read and written, are initialised with zeros, and are
        // borrowed as long as `self` is.
        let all = unsafe { std::slice::from_raw_parts_mut(self.start.add(self.page), self.room) };
        match place {
            Start => &mut all[..length],
            End => &mut all[self.room - length..],
        }
    }

    /// The same for boards. Pages begin and end at multiples of eight bytes.
    fn boards(&mut self, length: usize, place: Place) -> &mut [u64] {
        bytemuck::cast_slice_mut(self.bytes(8 * length, place))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` made it with this length, and nobody borrows it any more.
        unsafe { libc::munmap(self.start.cast(), self.room + 2 * self.page) };
    }
}

/// Calls every backend for every slider on random pairs of this length, with the three slices at every combination of
/// `places`, in every form, and compares the results with the reference.
fn check(length: usize, memory: &mut [Guarded; 3], places: &[[Place; 3]]) {
    let pairs = Pairs::random(length);
    let expected = Slider::ALL.map(|slider| pairs.expected(slider));
    #[allow(unused_mut, reason = "without the feature rayon")]
    let mut forms: Vec<Call> = forms!(batch_slider_attacks).into();
    #[cfg(feature = "rayon")]
    forms.push(forms!(par_batch_slider_attacks)[1]);
    let [squares, occs, out] = memory;
    for &place in places {
        let squares = squares.bytes(length, place[0]);
        let occs = occs.boards(length, place[1]);
        let out = out.boards(length, place[2]);
        squares.copy_from_slice(&pairs.squares);
        occs.copy_from_slice(&pairs.occs);
        for_each(|backend, slider| {
            for (form, call) in forms.iter().enumerate() {
                let what = format_args!("{backend}, {slider}, length {length}, {place:?}, form {form}");
                out.fill(0);
                assert_eq!(call(backend, slider, squares, occs, out), Ok(()), "{what}");
                assert!(*out == *expected[slider as usize], "{what}");
            }
        });
    }
}

fn memory(longest: usize) -> [Guarded; 3] {
    [longest, 8 * longest, 8 * longest].map(Guarded::new)
}

use Place::{End, Start};

/// All at one end, or one of them at the other.
const EVERY_PLACE: [[Place; 3]; 8] = [
    [Start, Start, Start],
    [End, End, End],
    [Start, End, End],
    [End, Start, End],
    [End, End, Start],
    [End, Start, Start],
    [Start, End, Start],
    [Start, Start, End],
];

#[test]
fn no_call_touches_what_lies_around_its_slices() {
    common::backends("guard pages");
    let mut memory = memory(4_097);
    for length in (0..=200).chain([255, 256, 257, 511, 512, 513, 1_025, 4_095, 4_096, 4_097]) {
        check(length, &mut memory, &EVERY_PLACE);
    }
}

/// Calls whose attack sets are streamed, and calls that threads share.
#[test]
fn large_arrays_touch_nothing_around_them() {
    const LONGEST: usize = (1 << 21) + 63;
    let mut memory = memory(LONGEST);
    for length in [(1 << 15) + 1, (1 << 17) + 65, LONGEST] {
        check(length, &mut memory, &EVERY_PLACE[..2]);
    }
}

#[test]
fn an_error_touches_nothing_around_the_slices() {
    let [squares, occs, out] = &mut memory(600);
    for length in (1..=200).chain([511, 512, 513, 600]) {
        for place in [Start, End] {
            for (index, square) in [(0, 64), (length - 1, 255)] {
                let (squares, occs, out) =
                    (squares.bytes(length, place), occs.boards(length, place), out.boards(length, place));
                squares.fill(0);
                squares[index] = square;
                for backend in Backend::available() {
                    let result = backend.batch_slider_attacks(Slider::Queen, squares, occs, out);
                    assert_eq!(result, Err(BatchError::SquareOutOfRange { index, square }), "{backend}, {length}");
                }
            }
        }
    }
}

#[test]
fn sets_touch_nothing_around_their_slices() {
    let mut random = Random(5);
    let mut memory: [Guarded; 4] = [8 * 600; 4].map(Guarded::new);
    for length in (0..=200).chain([255, 256, 257, 600]) {
        for place in [[Start; 4], [End; 4], [Start, End, Start, End], [End, Start, End, Start]] {
            let [orthogonal, diagonal, occs, out] = &mut memory;
            let orthogonal = orthogonal.boards(length, place[0]);
            let diagonal = diagonal.boards(length, place[1]);
            let occs = occs.boards(length, place[2]);
            let out = out.boards(length, place[3]);
            for boards in [&mut *orthogonal, &mut *diagonal, &mut *occs] {
                boards.iter_mut().for_each(|board| *board = random.board());
            }
            for backend in Backend::available() {
                out.fill(0);
                let sliders = SliderArrays { orthogonal, diagonal, occupancies: occs };
                assert_eq!(backend.batch_attack_sets(sliders, out), Ok(()));
                for (index, &attacks) in out.iter().enumerate() {
                    let expected = set_attacks(orthogonal[index], diagonal[index], occs[index]);
                    assert_eq!(attacks, expected, "{backend}, length {length}, {place:?}, index {index}");
                }
            }
        }
    }
}

/// Lines of many lengths, with ends of both kinds, and some that are not positions in their usual form.
const LINES: &str = "k7/8/8/8/8/8/8/K7 w - -\n\
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\r\n\
    8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - e3 bm Qd1+; id \"a name that takes more bytes than the other fields\";\n\
    k7/44/8/8/8/8/8/K7  w qK a6;\n\
    rnbqkbnr/pppppppp/rnbqqbnr/pppppppp/PPPPPPPP/RNBQQBNR/PPPPPPPP/RNBQKBNR w KQHGFEDCBAkqhgfedcba a3 0 1\n\
    r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq h6 12 345\n";

/// Texts that begin and end at any byte of a line, at a guard page, and after or before other lines.
#[test]
fn readers_of_lines_touch_nothing_around_their_text() {
    let others = LINES.lines().next().expect("there are lines").to_owned() + "\n";
    let mut memory = Guarded::new(LINES.len() + 70 * others.len());
    for (cut, lines) in (0..=LINES.len()).flat_map(|cut| [0, 1, 9, 70].map(|lines| (cut, lines))) {
        if lines > 1 && cut % 5 != 0 {
            continue;
        }
        let others = others.repeat(lines);
        for (place, text) in [(End, others.clone() + &LINES[..cut]), (Start, LINES[cut..].to_owned() + &others)] {
            let guarded = memory.bytes(text.len(), place);
            guarded.copy_from_slice(text.as_bytes());
            let apart = [b"8/8\n", text.as_bytes(), b"8/8\n"].concat();
            let apart = &apart[4..4 + text.len()];
            for backend in Backend::available() {
                let [guarded, apart] = [&*guarded, apart].map(|text| {
                    let (mut read, mut pushed) = (Positions::new(), Positions::new());
                    let result = backend.read_lines(text, &mut read);
                    let bytes = [usize::MAX, 2].map(|most| backend.push_lines(text, most, &mut pushed));
                    (result, bytes, read, pushed)
                });
                assert!(guarded == apart, "{backend}, {place:?}, {text:?}");
            }
        }
    }
}

/// Texts that are read one by one, and parts of a text: the first or the last lies at a guard page.
#[test]
fn readers_of_texts_touch_nothing_around_them() {
    let mut memory = Guarded::new(400);
    for (line, place) in LINES.lines().flat_map(|line| [(line, Start), (line, End)]) {
        for length in 0..=line.len() {
            let text = if place == End { &line[..length] } else { &line[length..] }.as_bytes();
            let guarded = memory.bytes(text.len(), place);
            guarded.copy_from_slice(text);
            let apart = [b"8/8", text, b"8/8"].concat();
            let many = if length % 8 == 0 { 70 } else { 9 };
            // A text among others, the whole text again and again, and parts of it.
            let whole = 0..text.len();
            let parts = [0..0, 0..text.len() / 2, text.len() / 2..text.len(), text.len()..text.len()];
            for (backend, count) in Backend::available().flat_map(|backend| [1, many].map(|count| (backend, count))) {
                let [guarded, apart] = [&*guarded, &apart[3..3 + text.len()]].map(|text| {
                    let mut read = Positions::new();
                    let mut results = vec![
                        backend.push_fens([LINES.as_bytes(), text], &mut read),
                        backend.push_fens(std::iter::repeat_n(text, count), &mut read),
                        backend.push_fens_in(text, std::iter::repeat_n(whole.clone(), count), &mut read),
                    ];
                    for part in &parts {
                        results.push(backend.push_fens([&text[part.clone()]], &mut read));
                        results.push(backend.push_fens_in(text, [part.clone(), whole.clone()], &mut read));
                    }
                    (results, read)
                });
                assert!(guarded == apart, "{backend}, {place:?}, {}", text.escape_ascii());
            }
        }
    }
}

/// Reads the byte before, or the byte after, the memory that may be used.
fn touch(place: Place) {
    let mut memory = Guarded::new(1);
    let bytes = memory.bytes(1, place).as_ptr();
    let beyond = if place == Start { bytes.wrapping_sub(1) } else { bytes.wrapping_add(1) };
    // SAFETY: this is not safe: it must end the process. The byte belongs to the mapping, so nothing else is read if it
    // does not.
    let byte = unsafe { beyond.read_volatile() };
    println!("read {byte}");
}

#[test]
#[ignore = "ends the process, which the test below checks"]
fn touch_the_page_before() {
    touch(Start);
}

#[test]
#[ignore = "ends the process, which the test below checks"]
fn touch_the_page_after() {
    touch(End);
}

/// If this did not hold, the tests above could not fail.
#[test]
fn touching_a_guard_page_ends_the_process() {
    for name in ["touch_the_page_before", "touch_the_page_after"] {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
        let output = child
            .args(["--ignored", "--exact", "--nocapture", &format!("guard_pages::{name}")])
            .output()
            .expect("it starts again");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("running 1 test"), "{name}: {output:?}");
        assert!(!output.status.success() && !stdout.contains("read "), "{name}: {output:?}");
        // A panic would also be a failure, but with status 101.
        assert_ne!(output.status.code(), Some(101), "{name}: {output:?}");
    }
}
