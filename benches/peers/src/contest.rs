//! Contestants, the pairs they compute, and how they are checked and timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use slider_attacks::{Backend, Slider, Square, reference};

use crate::{crates, full_tables, hyperbola, magics};

/// Computes the attack sets of one slider for arrays of pairs.
pub type Run = Box<dyn Fn(&[Square], &[u64], &mut [u64])>;

/// Who a contestant belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// A backend of this library.
    Backend,
    /// A published crate.
    Crate,
    /// A well-known method, written here.
    Method,
    /// It moves the data and computes something else.
    Memory,
}

/// A way to compute attack sets of one slider.
pub struct Contestant {
    pub name: &'static str,
    pub group: Group,
    /// The version of a crate; empty for others.
    pub version: &'static str,
    /// How it finds the attack set of a pair.
    pub how: &'static str,
    /// The instructions beyond the x86-64 baseline.
    pub needs: &'static str,
    /// Bytes of its tables for a queen, if they are known.
    pub table_bytes: Option<usize>,
    pub run: Run,
}

impl Contestant {
    /// A published crate, in the version that was linked.
    pub fn of_crate(
        name: &'static str,
        how: &'static str,
        needs: &'static str,
        table_bytes: Option<usize>,
        run: Run,
    ) -> Contestant {
        Contestant { name, group: Group::Crate, version: locked_version(name), how, needs, table_bytes, run }
    }

    /// A method without a crate.
    pub fn method(
        name: &'static str,
        how: &'static str,
        needs: &'static str,
        table_bytes: usize,
        run: Run,
    ) -> Contestant {
        Contestant { name, group: Group::Method, version: "", how, needs, table_bytes: Some(table_bytes), run }
    }

    fn backend(backend: Backend, slider: Slider) -> Contestant {
        let (how, needs, table_bytes) = match backend.name() {
            "scalar" => ("kindergarten", "-", 8_192 + 2_048),
            "bmi2" => ("PEXT, PDEP on the lines", "BMI2", 14_336 + 2_048),
            "avx2" => ("rank slices of 32 boards", "AVX2", 0),
            "avx512" => ("rank slices of 64 boards", "AVX-512", 0),
            name => unreachable!("tell of {name} here"),
        };
        Contestant {
            name: backend.name(),
            group: Group::Backend,
            version: "",
            how,
            needs,
            table_bytes: Some(table_bytes),
            run: Box::new(move |squares, occs, out| {
                backend.batch_attacks(slider, squares, occs, out).expect("the slices are of one length");
            }),
        }
    }
}

/// The version of a crate as `Cargo.lock` has it.
fn locked_version(name: &str) -> &'static str {
    let lock = include_str!("../../../Cargo.lock");
    lock.split_once(&format!("name = \"{name}\"\nversion = \""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .expect("every crate linked is in the lock file")
        .0
}

/// Everything that this CPU can run, for one slider.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let mut contestants: Vec<Contestant> =
        Backend::available().map(|backend| Contestant::backend(backend, slider)).collect();
    contestants.extend(crates::contestants(slider));
    contestants.extend(full_tables::run(slider).map(|run| {
        Contestant::method("pext", "PEXT, full tables, a plain loop", "BMI2", 8 * 107_648 + 128 * 16, run)
    }));
    contestants.push(magics::contestant(slider));
    contestants.extend(hyperbola::contestants(slider));
    contestants.push(Contestant {
        group: Group::Memory,
        ..Contestant::method("memory", "occs[i] ^ squares[i]", "-", 0, memory::run(slider))
    });
    contestants
}

/// Declares a module with a loop for each slider, in functions of their own that a disassembly shows by name, and
/// `run`, which chooses among them.
macro_rules! loops {
    (
        mod $name:ident { $($items:tt)* }
        $($slider:ident |$square:ident, $occ:ident| $attacks:expr,)*
    ) => {
        mod $name {
            use slider_attacks::{Slider, Square};

            $($items)*

            $(
                #[inline(always)]
                fn $slider($square: Square, $occ: u64) -> u64 {
                    $attacks
                }
            )*

            mod each {
                use super::*;

                $(
                    #[inline(never)]
                    pub fn $slider(squares: &[Square], occs: &[u64], out: &mut [u64]) {
                        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                            *out = super::$slider(square, occ);
                        }
                    }
                )*
            }

            pub fn run(slider: Slider) -> crate::contest::Run {
                Box::new(match slider {
                    Slider::Rook => each::rook,
                    Slider::Bishop => each::bishop,
                    Slider::Queen => each::queen,
                })
            }
        }
    };
}
pub(crate) use loops;

loops! {
    mod memory {}
    rook |square, occ| occ ^ u64::from(square.index()),
    bishop |square, occ| rook(square, occ),
    queen |square, occ| rook(square, occ),
}

/// Calls of a small size go through this many pairs, so that a call of one pair is not the same pair a thousand times.
const POOL: usize = 4_096;

/// Pairs to compute, and how many of them a call takes.
pub struct Pairs {
    squares: Vec<Square>,
    occs: Vec<u64>,
    pub size: usize,
}

impl Pairs {
    /// Random squares, boards with about 16 pieces, for calls of `size` pairs each.
    pub fn random(size: usize) -> Pairs {
        let length = size.max(POOL - POOL % size);
        let mut random = Random(size as u64);
        let squares = (0..length).map(|_| Square::ALL[(random.next() % 64) as usize]).collect();
        let occs = (0..length).map(|_| random.next() & random.next()).collect();
        Pairs { squares, occs, size }
    }

    /// One pass over all pairs, in calls of the size in question.
    fn pass(&self, contestant: &Contestant, out: &mut [u64]) {
        let calls = self.squares.chunks_exact(self.size).zip(self.occs.chunks_exact(self.size));
        for ((squares, occs), out) in calls.zip(out.chunks_exact_mut(self.size)) {
            (contestant.run)(black_box(squares), black_box(occs), black_box(&mut *out));
            black_box(out);
        }
    }

    /// Panics unless every contestant computes what the ray walk does.
    pub fn check(&self, slider: Slider, contestants: &[Contestant]) {
        let pairs = || self.squares.iter().zip(&self.occs);
        let expected: Vec<u64> = pairs().map(|(&square, &occ)| reference::attacks(slider, square, occ)).collect();
        let mut out = vec![0; expected.len()];
        for contestant in contestants {
            out.fill(!0);
            self.pass(contestant, &mut out);
            for (((&square, &occ), &expected), &out) in pairs().zip(&expected).zip(&out) {
                let expected = match contestant.group {
                    Group::Memory => occ ^ u64::from(square.index()),
                    _ => expected,
                };
                assert_eq!(out, expected, "{}: {slider} on {square}, occupancy {occ:#x}", contestant.name);
            }
        }
    }
}

/// What one contestant needed for a pair, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Timing {
    pub least: f64,
    pub median: f64,
}

/// How long a contestant computes before it is the next one's turn.
const TURN: Duration = Duration::from_micros(200);
const LEAST_ROUNDS: usize = 7;

/// Times the contestants, who take turns of about 200 microseconds (or one pass, if that takes longer) for about
/// `length`, but for seven rounds at least. Whatever slows the machine down slows all of them down.
pub fn time(pairs: &Pairs, contestants: &[Contestant], length: Duration) -> Vec<Timing> {
    let mut out = vec![0; pairs.squares.len()];
    // How many passes make a turn, found with caches and predictors warm.
    let passes: Vec<u32> = contestants
        .iter()
        .map(|contestant| {
            pairs.pass(contestant, &mut out);
            let start = Instant::now();
            pairs.pass(contestant, &mut out);
            let pass = start.elapsed().max(Duration::from_nanos(1));
            (TURN.as_secs_f64() / pass.as_secs_f64()).ceil() as u32
        })
        .collect();
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); contestants.len()];
    let start = Instant::now();
    for round in 0.. {
        if round >= LEAST_ROUNDS && start.elapsed() >= length {
            break;
        }
        for turn in 0..contestants.len() {
            // Each round begins with another contestant.
            let at = (round + turn) % contestants.len();
            let start = Instant::now();
            for _ in 0..passes[at] {
                pairs.pass(&contestants[at], &mut out);
            }
            let pairs_timed = pairs.squares.len() as f64 * f64::from(passes[at]);
            turns[at].push(start.elapsed().as_secs_f64() * 1e9 / pairs_timed);
        }
    }
    let timing = |mut turns: Vec<f64>| {
        turns.sort_by(f64::total_cmp);
        Timing { least: turns[0], median: turns[turns.len() / 2] }
    };
    turns.into_iter().map(timing).collect()
}

/// The SplitMix64 generator (Steele, Lea and Flood, 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
