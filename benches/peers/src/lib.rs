//! What the backends are measured against: the ray walk, one call per pair, the loops that the compiler vectorises, PEXT
//! with full tables, and the memory roofline; and the pairs that they are measured on.

#![allow(missing_docs, reason = "for the benchmarks only")]
#![allow(unsafe_code, reason = "rivals are built for other CPUs, and look up tables unchecked")]

#[cfg(target_arch = "x86_64")]
mod free_loop;
#[cfg(target_arch = "x86_64")]
mod full_tables;
mod memory;

use std::hint::black_box;
use std::process::Command;

use slider_attacks::{Backend, Cpu, Slider, Square, reference};
pub use timing;

/// A loop over whole arrays of the same length.
pub type Run = Box<dyn Fn(&[Square], &[u64], &mut [u64])>;

/// What a contestant is. A chart draws the groups in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The ray walk, which takes minutes where the others take seconds.
    Walk,
    /// It only writes `occs[i] ^ squares[i]`, which shows what moving the data costs.
    Memory,
    /// A method without a crate.
    Method,
    /// A published crate.
    Crate,
    /// A backend of this library, or its function for one pair in a loop.
    Backend,
}

/// A way to compute attack sets of one slider, or only to move their memory.
pub struct Contestant {
    pub name: &'static str,
    pub group: Group,
    /// How it finds an attack set.
    pub how: &'static str,
    /// The instructions that it needs and that not every x86-64 CPU has.
    pub needs: &'static str,
    /// The size of its tables for a queen, if known: 0 means no lookups by data. Vector kernels have constants all the same.
    pub table_bytes: Option<usize>,
    pub run: Run,
}

/// The number of sets of relevant blockers over all squares: 102,400 for a rook and 5,248 for a bishop.
pub const SUBSETS: usize = 102_400 + 5_248;

/// All contestants that this CPU can run: the ray walk, the library's function for one pair in a loop, the backends, and
/// their rivals.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let ray_walk = one_by_one(move |square, occ| reference::attacks(slider, square, occ));
    let mut runs = vec![("ray_walk", ray_walk), ("per_pair", per_pair(slider))];
    runs.extend(Backend::available().map(|backend| {
        let run: Run = Box::new(move |squares, occs, out| {
            backend.batch_slider_attacks(slider, squares, occs, out).expect("the slices have the same length");
        });
        (backend.name(), run)
    }));
    #[cfg(feature = "rayon")]
    runs.push(("par", par_run(slider)));
    #[cfg(target_arch = "x86_64")]
    runs.extend(free_loop::runs(slider).into_iter().chain(full_tables::run(slider).map(|run| ("pext_full", run))));
    runs.extend(memory::runs());
    runs.into_iter().map(|(name, run)| described(name, slider, run)).collect()
}

fn described(name: &'static str, slider: Slider, run: Run) -> Contestant {
    use Group::{Backend, Memory, Method, Walk};
    const AVX512: &str = "AVX-512 F, BW, DQ, VL, CD";
    const AVX512_GFNI: &str = "AVX-512 with VBMI, VBMI2, GFNI";
    let (group, how, needs, table_bytes) = match name {
        "ray_walk" => (Walk, "square by square", "-", 0),
        "per_pair" => (Backend, "one call per pair", "-", 8_192 + 2_048),
        "scalar" => (Backend, "kindergarten", "-", 8_192 + 2_048),
        "bmi2" => (Backend, "PEXT, PDEP on the lines", "BMI2", 14_080 + 2_048),
        "ssse3" => (Backend, "rank slices of 16 boards", "SSSE3", 0),
        "avx2" if slider == Slider::Rook => (Backend, "file bits of 32 boards", "AVX2", 0),
        "avx2" => (Backend, "rank slices of 32 boards", "AVX2", 0),
        "avx2-gfni" => (Backend, "bit matrices, 32 boards", "AVX2, GFNI", 0),
        "avx512" => (Backend, "rank slices of 64 boards", AVX512, 0),
        "avx512-gfni" => (Backend, "bit matrices, 64 boards", AVX512_GFNI, 0),
        "par" => (Backend, "the chosen backend on all cores", "-", 0),
        "free_avx2" => (Method, "plain loop, vectorised by the compiler", "AVX2, BMI2", 0),
        "free_avx2_gfni" => (Method, "plain loop, vectorised by the compiler", "AVX2, BMI2, GFNI", 0),
        "free_256" => (Method, "plain loop, vectorised in 256 bits", AVX512, 0),
        "free_512" => (Method, "plain loop, vectorised in 512 bits", AVX512, 0),
        "free_512_gfni" => (Method, "plain loop, vectorised in 512 bits", AVX512_GFNI, 0),
        "pext_full" => (Method, "PEXT, load 8 bytes", "BMI2", 8 * SUBSETS + 128 * 16),
        "memory" => (Memory, "`occs[i] ^ squares[i]`, plain stores", "-", 0),
        "memory_nt" => (Memory, "`occs[i] ^ squares[i]`, past the cache", "-", 0),
        name => panic!("say here what {name} is"),
    };
    Contestant { name, group, how, needs, table_bytes: Some(table_bytes), run }
}

/// A loop over a function of one pair.
pub fn one_by_one(attacks: impl Fn(Square, u64) -> u64 + 'static) -> Run {
    Box::new(move |squares, occs, out| {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = attacks(square, occ);
        }
    })
}

/// The loop that a caller with only a few pairs writes.
fn per_pair(slider: Slider) -> Run {
    match slider {
        Slider::Bishop => one_by_one(slider_attacks::bishop_attacks),
        Slider::Rook => one_by_one(slider_attacks::rook_attacks),
        Slider::Queen => one_by_one(slider_attacks::queen_attacks),
    }
}

/// The active backend on all cores.
#[cfg(feature = "rayon")]
fn par_run(slider: Slider) -> Run {
    let backend = Backend::active();
    Box::new(move |squares, occs, out| {
        backend.par_batch_slider_attacks(slider, squares, occs, out).expect("the slices have the same length");
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
        let (squares, occs) = timing::random_pairs(size.max(POOL - POOL % size));
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
            let expected = match contestant.group {
                Group::Memory => occ ^ u64::from(square.index()),
                _ => reference::attacks(slider, square, occ),
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
