//! What both benchmarks share: the pairs and the contestants.

mod full_tables;

use std::hint::black_box;

use slider_attacks::{Backend, Slider, Square, reference};

/// Calls of a small size go through this many pairs, so that a size-1 benchmark is not one pair a thousand times
/// over. It is not enough to keep a branch predictor from learning the pairs by heart: on a Zen 5 the ray
/// walk takes 6 ns a bishop here and 28 ns in larger arrays. Take its figures from 65,536 pairs on.
const POOL: usize = 4_096;

/// Pairs to compute, and how many of them a call takes.
pub struct Pairs {
    pub squares: Vec<Square>,
    pub occs: Vec<u64>,
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

    /// The same with the squares in order; the boards stay random.
    #[allow(dead_code, reason = "one of the two benchmarks uses it")]
    pub fn sorted(mut self) -> Pairs {
        self.squares.sort_unstable();
        self
    }

    /// How many pairs a pass computes.
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// One pass over all pairs, in calls of the size in question.
    pub fn pass(&self, contestant: &Contestant, out: &mut [u64]) {
        let calls = self.squares.chunks_exact(self.size).zip(self.occs.chunks_exact(self.size));
        for ((squares, occs), out) in calls.zip(out.chunks_exact_mut(self.size)) {
            (contestant.run)(black_box(squares), black_box(occs), black_box(&mut *out));
            black_box(out);
        }
    }

    /// Panics unless `contestant` computes what it should.
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

type Run = Box<dyn Fn(&[Square], &[u64], &mut [u64])>;

/// A way to compute attack sets of one slider.
pub struct Contestant {
    pub name: &'static str,
    pub run: Run,
    /// It computes something else: it shows what moving the data costs.
    pub moves_memory_only: bool,
    /// It takes minutes where others take seconds.
    pub is_slow: bool,
}

/// All that this CPU can run: the ray walk, the backends, a loop with PEXT and full tables, and the roofline.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let new = |name, run| Contestant { name, run, moves_memory_only: false, is_slow: false };
    let mut contestants = vec![Contestant { is_slow: true, ..new("ray_walk", ray_walk(slider)) }];
    contestants.extend(Backend::available().map(|backend| new(backend.name(), backend_run(backend, slider))));
    #[cfg(feature = "rayon")]
    contestants.push(new("par", par_run(slider)));
    contestants.extend(full_tables::run(slider).map(|run| new("pext_full", run)));
    contestants.push(Contestant { moves_memory_only: true, ..new("memory", Box::new(move_memory)) });
    contestants
}

fn ray_walk(slider: Slider) -> Run {
    Box::new(move |squares, occs, out| {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = reference::attacks(slider, square, occ);
        }
    })
}

fn backend_run(backend: Backend, slider: Slider) -> Run {
    Box::new(move |squares, occs, out| {
        backend.batch_attacks(slider, squares, occs, out).expect("the slices are of one length");
    })
}

/// The active backend on all cores.
#[cfg(feature = "rayon")]
fn par_run(slider: Slider) -> Run {
    let backend = Backend::active();
    Box::new(move |squares, occs, out| {
        backend.par_batch_attacks(slider, squares, occs, out).expect("the slices are of one length");
    })
}

/// The roofline: 17 bytes moved a pair, and nearly nothing done. The compiler vectorises it with what every
/// x86-64 CPU has, which is enough where memory is the limit.
fn move_memory(squares: &[Square], occs: &[u64], out: &mut [u64]) {
    for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
        *out = occ ^ u64::from(square.index());
    }
}

/// The SplitMix64 generator (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
