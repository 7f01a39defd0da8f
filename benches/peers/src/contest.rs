//! The contestants and their descriptions.

pub use rivals::Run;
use slider_attacks::{Slider, Square};

use crate::{crates, hyperbola, magics};

/// The kind of a contestant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// A backend of this library.
    Backend,
    /// A published crate.
    Crate,
    /// A method without a crate.
    Method,
    /// Neither: it moves the data and computes next to nothing.
    Memory,
}

/// A way to compute attack sets of one slider, with its description.
pub struct Contestant {
    pub inner: rivals::Contestant,
    pub group: Group,
    /// How it finds an attack set.
    pub how: &'static str,
    /// The instructions that it needs and that not every x86-64 CPU has.
    pub needs: &'static str,
    /// The size of its tables for a queen, if known.
    pub table_bytes: Option<usize>,
}

impl Contestant {
    pub fn new(
        name: &'static str,
        group: Group,
        how: &'static str,
        needs: &'static str,
        table_bytes: Option<usize>,
        run: Run,
    ) -> Contestant {
        Contestant { inner: rivals::Contestant::new(name, run), group, how, needs, table_bytes }
    }

    pub fn name(&self) -> &'static str {
        self.inner.name
    }

    /// The version of the linked crate; empty for the others.
    pub fn version(&self) -> &'static str {
        let lock = include_str!("../../../Cargo.lock");
        match self.group {
            Group::Crate => lock
                .split_once(&format!("name = \"{}\"\nversion = \"", self.name()))
                .and_then(|(_, rest)| rest.split_once('"'))
                .map_or("", |(version, _)| version),
            _ => "",
        }
    }

    /// A contestant that takes part in the benchmarks of the library too.
    fn from_rivals(inner: rivals::Contestant) -> Contestant {
        use Group::{Backend, Memory, Method};
        const AVX512: &str = "AVX-512 F, BW, DQ, VL, CD";
        let (group, how, needs, table_bytes) = match inner.name {
            "per_pair" => (Backend, "one call per pair", "-", 8_192 + 2_048),
            "scalar" => (Backend, "kindergarten", "-", 8_192 + 2_048),
            "bmi2" => (Backend, "PEXT, PDEP on the lines", "BMI2", 14_080 + 2_048),
            "ssse3" => (Backend, "rank slices of 16 boards", "SSSE3", 0),
            "avx2" => (Backend, "rank slices of 32 boards", "AVX2", 0),
            "avx2-gfni" => (Backend, "bit matrices, 32 boards", "AVX2, GFNI", 0),
            "avx512" => (Backend, "rank slices of 64 boards", AVX512, 0),
            "avx512-gfni" => (Backend, "bit matrices, 64 boards", "AVX-512 VBMI, VBMI2 also, GFNI", 0),
            "free_avx2" => (Method, "plain loop, vectorised by the compiler", "AVX2, BMI2", 0),
            "free_256" => (Method, "plain loop, vectorised in 256 bits", AVX512, 0),
            "free_512" => (Method, "plain loop, vectorised in 512 bits", AVX512, 0),
            "pext_full" => (Method, "PEXT, load 8 bytes", "BMI2", 8 * SUBSETS + 128 * 16),
            "memory" => (Memory, "`occs[i] ^ squares[i]`, plain stores", "-", 0),
            "memory_nt" => (Memory, "`occs[i] ^ squares[i]`, past the cache", "-", 0),
            name => panic!("say here what {name} is"),
        };
        Contestant { inner, group, how, needs, table_bytes: Some(table_bytes) }
    }
}

/// The number of sets of relevant blockers over all squares: 102,400 for a rook and 5,248 for a bishop.
pub const SUBSETS: usize = 102_400 + 5_248;

/// All that this CPU can run, for one slider. The ray walk does not take part: the others are checked against it.
pub fn contestants(slider: Slider) -> Vec<Contestant> {
    let rivals = rivals::contestants(slider).into_iter().filter(|inner| !inner.is_slow);
    let mut contestants: Vec<Contestant> = rivals.map(Contestant::from_rivals).collect();
    contestants.extend(crates::contestants(slider));
    contestants.push(magics::contestant(slider));
    contestants.extend(hyperbola::contestants(slider));
    contestants
}

/// The loop of every contestant that computes one pair at a time. When it builds for some CPUs, the compiler unrolls a
/// plain loop like this, which makes some crates up to a tenth faster and none slower.
#[inline(always)]
pub fn four_per_step(squares: &[Square], occs: &[u64], out: &mut [u64], attacks: impl Fn(Square, u64) -> u64) {
    let (squares, squares_left) = squares.as_chunks::<4>();
    let (occs, occs_left) = occs.as_chunks::<4>();
    let (out, out_left) = out.as_chunks_mut::<4>();
    for ((squares, occs), out) in squares.iter().zip(occs).zip(out) {
        for at in 0..4 {
            out[at] = attacks(squares[at], occs[at]);
        }
    }
    for ((&square, &occ), out) in squares_left.iter().zip(occs_left).zip(out_left) {
        *out = attacks(square, occ);
    }
}

/// Declares a module with a loop per slider, each in a function of its own that a disassembly shows by name, and `run`, which
/// chooses among them.
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
                        crate::contest::four_per_step(squares, occs, out, super::$slider);
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
