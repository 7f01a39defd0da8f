//! What the test programs share: the backends that a run covers, and a source of random boards.

#![allow(dead_code, reason = "each test program uses a part of this module")]

use std::fmt::Arguments;
use std::io::Write;

use slider_attacks::{Backend, ParseBackendError, Square};

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
