//! What the benchmarks share: the pairs and the contestants.

#[path = "../../cli/src/rivals/mod.rs"]
mod rivals;

use std::hint::black_box;

use slider_attacks::{Backend, Slider, Square, reference};

pub use rivals::{Contestant, turns};

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
        let (squares, occs) = rivals::random_pairs(length);
        Pairs { squares, occs, size }
    }

    /// The same with the squares in order; the boards stay random.
    pub fn sorted(mut self) -> Pairs {
        self.squares.sort_unstable();
        self
    }

    /// The same boards with all sliders on one square.
    pub fn all_on(mut self, square: Square) -> Pairs {
        self.squares.fill(square);
        self
    }

    /// The same squares with all boards alike.
    pub fn all_with(mut self, occ: u64) -> Pairs {
        self.occs.fill(occ);
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

/// All that this CPU can run: the ray walk, the library's function for one pair in a loop, the backends, and their
/// rivals.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let mut contestants = vec![Contestant { is_slow: true, ..Contestant::new("ray_walk", ray_walk(slider)) }];
    contestants.push(Contestant::new("per_pair", per_pair(slider)));
    contestants.extend(Backend::available().map(|backend| Contestant::backend(backend, slider)));
    #[cfg(feature = "rayon")]
    contestants.push(Contestant::new("par", par_run(slider)));
    contestants.extend(rivals::rivals(slider));
    contestants
}

fn ray_walk(slider: Slider) -> rivals::Run {
    Box::new(move |squares, occs, out| {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = reference::attacks(slider, square, occ);
        }
    })
}

/// What a caller writes who has a few pairs only.
fn per_pair(slider: Slider) -> rivals::Run {
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

/// What a caller touches of its own between calls: 1 MiB, as much as many a second-level cache holds.
pub struct WorkingSet(Vec<u64>);

impl WorkingSet {
    pub fn new() -> WorkingSet {
        WorkingSet(vec![1; (1 << 20) / 8])
    }

    /// Reads and writes it, one word of each line of the cache, which has eight.
    pub fn touch(&mut self) {
        black_box(&mut self.0).iter_mut().step_by(8).for_each(|word| *word += 1);
    }
}

/// Brings pairs into the cache, as a caller does who has just written them.
pub fn just_written(squares: &[Square], occs: &[u64]) {
    black_box(squares.iter().zip(occs).fold(0, |sum, (square, occ)| sum ^ occ ^ u64::from(square.index())));
}

/// The active backend on all cores.
#[cfg(feature = "rayon")]
fn par_run(slider: Slider) -> rivals::Run {
    let backend = Backend::active();
    Box::new(move |squares, occs, out| {
        backend.par_batch_attacks(slider, squares, occs, out).expect("the slices are of one length");
    })
}
