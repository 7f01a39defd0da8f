//! What the backends are measured against: the ray walk, one call per pair, the loops that the compiler vectorises, PEXT
//! with full tables, and the memory roofline; and the pairs that they are measured on.

#![allow(missing_docs, reason = "for the benchmarks only")]

mod free_loop;
mod full_tables;
mod memory;

use std::hint::black_box;
use std::process::Command;

use slider_attacks::{Backend, Cpu, Slider, Square, reference};
pub use turns;

/// A loop over whole arrays of the same length.
pub type Run = Box<dyn Fn(&[Square], &[u64], &mut [u64])>;

/// A way to compute attack sets of one slider, or only to move their memory.
pub struct Contestant {
    pub name: &'static str,
    pub run: Run,
    /// It only writes `occs[i] ^ squares[i]`, which shows what moving the data costs.
    pub moves_memory_only: bool,
    /// It takes minutes where the others take seconds.
    pub is_slow: bool,
}

impl Contestant {
    pub fn new(name: &'static str, run: Run) -> Contestant {
        Contestant { name, run, moves_memory_only: false, is_slow: false }
    }
}

/// All contestants that this CPU can run: the ray walk, the library's function for one pair in a loop, the backends, and
/// their rivals.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let mut contestants = vec![Contestant { is_slow: true, ..Contestant::new("ray_walk", ray_walk(slider)) }];
    contestants.push(Contestant::new("per_pair", per_pair(slider)));
    contestants.extend(Backend::available().map(|backend| {
        let run: Run = Box::new(move |squares, occs, out| {
            backend.batch_attacks(slider, squares, occs, out).expect("the slices have the same length");
        });
        Contestant::new(backend.name(), run)
    }));
    #[cfg(feature = "rayon")]
    contestants.push(Contestant::new("par", par_run(slider)));
    let loops = free_loop::runs(slider).into_iter().chain(full_tables::run(slider).map(|run| ("pext_full", run)));
    contestants.extend(loops.map(|(name, run)| Contestant::new(name, run)));
    let memory = memory::runs().into_iter();
    contestants.extend(memory.map(|(name, run)| Contestant { moves_memory_only: true, ..Contestant::new(name, run) }));
    contestants
}

fn ray_walk(slider: Slider) -> Run {
    Box::new(move |squares, occs, out| {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = reference::attacks(slider, square, occ);
        }
    })
}

/// The loop that a caller with only a few pairs writes.
fn per_pair(slider: Slider) -> Run {
    macro_rules! run {
        ($attacks:ident) => {
            Box::new(|squares, occs, out| {
                for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                    *out = slider_attacks::$attacks(square, occ);
                }
            })
        };
    }
    match slider {
        Slider::Bishop => run!(bishop_attacks),
        Slider::Rook => run!(rook_attacks),
        Slider::Queen => run!(queen_attacks),
    }
}

/// The active backend on all cores.
#[cfg(feature = "rayon")]
fn par_run(slider: Slider) -> Run {
    let backend = Backend::active();
    Box::new(move |squares, occs, out| {
        backend.par_batch_attacks(slider, squares, occs, out).expect("the slices have the same length");
    })
}

/// The squares on which a blocker makes a difference: the rays without their last squares.
pub fn relevant_blockers(slider: Slider, square: Square) -> u64 {
    let rays = reference::attacks(slider, square, 0);
    (0..64).map(|bit| rays & 1 << bit).filter(|&blocker| reference::attacks(slider, square, blocker) != rays).sum()
}

/// Calls of a small size go through this many pairs, so that a benchmark of size 1 does not repeat one pair. A branch
/// predictor can still learn that many pairs by heart: on a Zen 5, the ray walk takes 6 ns per bishop here and 28 ns in
/// larger arrays. Use its figures from 65,536 pairs on.
const POOL: usize = 4_096;

/// Pairs to compute, and how many of them a call takes.
pub struct Pairs {
    pub squares: Vec<Square>,
    pub occs: Vec<u64>,
    pub size: usize,
}

impl Pairs {
    /// Random squares and boards with about 16 pieces, for calls of `size` pairs each.
    pub fn random(size: usize) -> Pairs {
        let (squares, occs) = turns::random_pairs(size.max(POOL - POOL % size));
        Pairs { squares, occs, size }
    }

    /// The same with sorted squares. The boards stay random.
    pub fn sorted(mut self) -> Pairs {
        self.squares.sort_unstable();
        self
    }

    /// The same boards with all sliders on one square.
    pub fn all_on(mut self, square: Square) -> Pairs {
        self.squares.fill(square);
        self
    }

    /// The same squares with one occupancy for all.
    pub fn all_with(mut self, occ: u64) -> Pairs {
        self.occs.fill(occ);
        self
    }

    /// The number of pairs that a pass computes.
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// Makes one pass over all pairs, in calls of `size` pairs.
    pub fn pass(&self, contestant: &Contestant, out: &mut [u64]) {
        let calls = self.squares.chunks_exact(self.size).zip(self.occs.chunks_exact(self.size));
        for ((squares, occs), out) in calls.zip(out.chunks_exact_mut(self.size)) {
            (contestant.run)(black_box(squares), black_box(occs), black_box(&mut *out));
            black_box(out);
        }
    }

    /// Panics if `contestant` computes a wrong attack set.
    pub fn check(&self, slider: Slider, contestant: &Contestant) {
        let mut out = vec![0; self.len()];
        self.pass(contestant, &mut out);
        for ((&square, &occ), &out) in self.squares.iter().zip(&self.occs).zip(&out) {
            let expected = match contestant.moves_memory_only {
                true => occ ^ u64::from(square.index()),
                false => reference::attacks(slider, square, occ),
            };
            assert_eq!(out, expected, "{} for the {slider} on {square}, occupancy {occ:#x}", contestant.name);
        }
    }
}

/// Memory that a caller touches between calls: 1 MiB, about the size of a second-level cache.
pub struct WorkingSet(Vec<u64>);

impl WorkingSet {
    /// Allocates a working set.
    #[expect(clippy::new_without_default, reason = "nothing asks for a default")]
    pub fn new() -> WorkingSet {
        WorkingSet(vec![1; (1 << 20) / 8])
    }

    /// Reads and writes one word of each cache line.
    pub fn touch(&mut self) {
        black_box(&mut self.0).iter_mut().step_by(8).for_each(|word| *word += 1);
    }
}

/// Brings pairs into the cache, like a caller that has just written them.
pub fn just_written(squares: &[Square], occs: &[u64]) {
    black_box(squares.iter().zip(occs).fold(0, |sum, (square, occ)| sum ^ occ ^ u64::from(square.index())));
}

/// The machine and the compiler, to print above the figures.
pub fn machine() -> String {
    let rustc = Command::new("rustc").arg("-V").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    format!("{}\n{} (the one in PATH)", Cpu::detect(), rustc.as_deref().map_or("rustc unknown", str::trim))
}
