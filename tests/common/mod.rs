//! Utilities of the test programs: the tested backends, random boards, and the laws of a batch call.

#![allow(dead_code, unused_imports, unused_macros, reason = "each test program uses a part of this module")]

use std::fmt::Arguments;
use std::io::Write;

use slider_attacks::{Backend, BatchError, ParseBackendError, Slider, Square, reference};

/// The variable with the names of the backends that must run, separated by commas.
const REQUIRE: &str = "REQUIRE_BACKENDS";

/// The backends to test: all that this CPU can run. Prints their names on standard error, with the name of the `test`.
///
/// # Panics
///
/// If `REQUIRE_BACKENDS` names one that is not among them, or does not exist.
pub fn backends(test: &str) -> Vec<Backend> {
    let backends: Vec<Backend> = Backend::available().collect();
    let names: Vec<&str> = backends.iter().map(|backend| backend.name()).collect();
    say(format_args!("{test}: backends that run: {}", names.join(", ")));
    let required = std::env::var_os(REQUIRE).unwrap_or_default();
    let required = required.to_str().unwrap_or_else(|| panic!("{REQUIRE} is not valid UTF-8: {required:?}"));
    if let Err(complaint) = require(required, |name| name.parse::<Backend>().map(|_| ())) {
        panic!("{REQUIRE}={required}: {complaint}");
    }
    backends
}

/// Checks a list of backend names, separated by commas, with `find`. An empty list requires nothing.
pub fn require(list: &str, find: impl Fn(&str) -> Result<(), ParseBackendError>) -> Result<(), String> {
    if list.trim().is_empty() {
        return Ok(());
    }
    let complaints: Vec<String> = list
        .split(',')
        .map(str::trim)
        .filter_map(|name| Some((name, find(name).err()?)))
        .map(|(name, error)| match error {
            ParseBackendError::Unavailable(_) => format!("the required backend {name} did not run: {error}"),
            _ => format!("there is no backend {name:?}: {error}"),
        })
        .collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("; ")) }
}

/// Writes a line to standard error itself, because the test harness captures what `println!` and `eprintln!` write.
pub fn say(line: Arguments<'_>) {
    // A test does not fail because standard error is closed.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The SplitMix64 generator: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014,
/// <https://doi.org/10.1145/2660193.2660195>.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Any of the 64 squares.
    pub fn square(&mut self) -> Square {
        Square::ALL[self.below(64)]
    }

    /// A board with about 16 pieces.
    pub fn board(&mut self) -> u64 {
        self.next() & self.next()
    }
}

/// The number of boards that `verify` tries: every subset of the rays of a rook, then of a bishop, over all squares.
pub const CASES: usize = 1_048_576 + 71_168;

/// Calls `test` for every backend and slider.
pub fn for_each(mut test: impl FnMut(Backend, Slider)) {
    for backend in Backend::available() {
        Slider::ALL.into_iter().for_each(|slider| test(backend, slider));
    }
}

/// One form of a batch call. It takes the squares as bytes and hands them on as they are, or as `Square`s.
pub type Call = fn(Backend, Slider, &[u8], &[u64], &mut [u64]) -> Result<(), BatchError>;

/// Both forms of a method of `Backend`, bytes first.
macro_rules! forms {
    ($method:ident) => {{
        let forms: [crate::common::Call; 2] = [
            |backend, slider, squares, occs, out| backend.$method(slider, squares, occs, out),
            |backend, slider, squares, occs, out| {
                backend.$method(slider, bytemuck::checked::cast_slice::<u8, Square>(squares), occs, out)
            },
        ];
        forms
    }};
}
pub(crate) use forms;

/// Pairs in buffers of exactly their length, so that an address sanitizer notices an access one element beyond.
pub struct Pairs {
    pub squares: Box<[u8]>,
    pub occs: Box<[u64]>,
}

impl Pairs {
    /// Random pairs; the same for the same length.
    pub fn random(length: usize) -> Pairs {
        let mut random = Random(length as u64);
        (0..length).map(|_| (random.square(), random.board())).collect()
    }

    /// The attack sets that the reference gives.
    pub fn expected(&self, slider: Slider) -> Vec<u64> {
        let squares = self.squares.iter().map(|&square| Square::ALL[usize::from(square)]);
        squares.zip(&self.occs).map(|(square, &occ)| reference::attacks(slider, square, occ)).collect()
    }
}

impl FromIterator<(Square, u64)> for Pairs {
    fn from_iter<T: IntoIterator<Item = (Square, u64)>>(pairs: T) -> Pairs {
        let (squares, occs): (Vec<u8>, Vec<u64>) = pairs.into_iter().map(|(sq, occ)| (sq.index(), occ)).unzip();
        Pairs { squares: squares.into(), occs: occs.into() }
    }
}

/// The content of `out` before a call. No attack set has all of these bits.
pub const CANARY: u64 = 0xdead_beef_dead_beef;

/// Makes a call whose `out` begins after `before` elements of its buffer and ends before the last `after`. It must write
/// `expected` there, and nothing around it.
pub fn check(
    what: Arguments<'_>,
    expected: &[u64],
    (before, after): (usize, usize),
    call: impl FnOnce(&mut [u64]) -> Result<(), BatchError>,
) {
    let mut buffer = vec![CANARY; before + expected.len() + after].into_boxed_slice();
    let out = &mut buffer[before..][..expected.len()];
    assert_eq!(call(out), Ok(()), "{what}");
    let wrong = out.iter().zip(expected).position(|(actual, expected)| actual != expected);
    assert_eq!(wrong, None, "{what}: the index of a wrong attack set");
    out.fill(CANARY);
    assert!(buffer.iter().all(|&word| word == CANARY), "{what}: written outside");
}

/// Makes a call that must fail and write nothing.
pub fn check_error(
    what: Arguments<'_>,
    error: BatchError,
    room: usize,
    call: impl FnOnce(&mut [u64]) -> Result<(), BatchError>,
) {
    let mut out = vec![CANARY; room].into_boxed_slice();
    assert_eq!(call(&mut out), Err(error), "{what}");
    assert!(out.iter().all(|&word| word == CANARY), "{what}: written on an error");
}

/// Three lengths that are not all the same are an error in every way. If the squares are bad as well, the error is about
/// the lengths.
pub fn check_lengths_that_differ(lengths: &[usize], [bytes, typed]: [Call; 2]) {
    let triples =
        lengths.iter().flat_map(|&a| lengths.iter().flat_map(move |&b| lengths.iter().map(move |&c| [a, b, c])));
    for [squares, occupancies, out] in triples.filter(|[a, b, c]| a != b || b != c) {
        let error = BatchError::LengthMismatch { squares, occupancies, out };
        let occs = vec![0; occupancies].into_boxed_slice();
        for (call, square) in [(bytes, 28), (typed, 28), (bytes, 64)] {
            let squares = vec![square; squares].into_boxed_slice();
            for_each(|on, slider| {
                check_error(format_args!("{on}, {slider}"), error, out, |out| call(on, slider, &squares, &occs, out));
            });
        }
    }
}
