//! What contestants are, and the loop that most of them run.

pub use peers::{Contestant, Group, Run};
use slider_attacks::Square;

/// The version of the linked crate; empty for contestants that are not crates.
pub fn version(contestant: &Contestant) -> &'static str {
    let lock = include_str!("../../../Cargo.lock");
    let entry = format!("name = \"{}\"\nversion = \"", contestant.name);
    match lock.split_once(&entry) {
        Some((_, rest)) if contestant.group == Group::Crate => rest.split('"').next().unwrap_or_default(),
        _ => "",
    }
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
