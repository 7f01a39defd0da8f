//! What the backends are measured against, and how: shared by the command `bench` and by the benchmarks of the library,
//! which include this folder by its path. (`mod.rs`, so that the files beside it are found from there as well.)

mod free_loop;
mod full_tables;
mod memory;
pub mod turns;

use slider_attacks::{Backend, Slider, Square};

/// A loop over whole arrays, which are of the same length.
pub type Run = Box<dyn Fn(&[Square], &[u64], &mut [u64])>;

/// A way to compute attack sets of one slider, or only to move their memory.
pub struct Contestant {
    pub name: &'static str,
    pub run: Run,
    /// It writes `occs[i] ^ squares[i]`: it shows what moving the data costs.
    pub moves_memory_only: bool,
    /// It takes minutes where others take seconds.
    #[allow(dead_code, reason = "the command has no such contestant, the benchmarks have")]
    pub is_slow: bool,
}

impl Contestant {
    pub fn new(name: &'static str, run: Run) -> Contestant {
        Contestant { name, run, moves_memory_only: false, is_slow: false }
    }

    /// This backend through its batch call.
    pub fn backend(backend: Backend, slider: Slider) -> Contestant {
        let run: Run = Box::new(move |squares, occs, out| {
            backend.batch_attacks(slider, squares, occs, out).expect("the slices are of one length");
        });
        Contestant::new(backend.name(), run)
    }
}

/// The rivals of the backends that this CPU can run: the loops that the compiler vectorises, PEXT with full tables, and
/// the memory roofline with and without stores past the cache.
pub fn rivals(slider: Slider) -> Vec<Contestant> {
    let rivals = free_loop::runs(slider).into_iter().chain(full_tables::run(slider).map(|run| ("pext_full", run)));
    let mut rivals: Vec<Contestant> = rivals.map(|(name, run)| Contestant::new(name, run)).collect();
    let memory = memory::runs().into_iter();
    rivals.extend(memory.map(|(name, run)| Contestant { moves_memory_only: true, ..Contestant::new(name, run) }));
    rivals
}

/// Random squares, and boards with about 16 pieces; the same in every run.
pub fn random_pairs(length: usize) -> (Vec<Square>, Vec<u64>) {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let mut state = 0_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..length).map(|_| (Square::ALL[(next() % 64) as usize], next() & next())).unzip()
}
