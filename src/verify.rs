//! Every backend against the reference, exhaustively.
//!
//! An attack set depends on the squares of the slider's rays alone, and the lines of a queen do not
//! depend on each other. So it is enough to go through every subset of a rook's rays and every subset
//! of a bishop's rays on each of the 64 squares: 1,048,576 and 71,168 boards. The squares that a walk
//! does not vary are filled with pseudo-random pieces, so that a kernel that looks at one of them is
//! caught.

use core::fmt;

use crate::diagram::Diagram;
use crate::line::subsets;
use crate::{Backend, Slider, Square, reference};

/// How many (square, occupancy) pairs [`occupancies`] yields over all 64 squares.
pub const CASES: usize = 1_048_576 + 71_168;

/// A backend gave another attack set than the reference. Its `Display` draws the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The backend that is wrong.
    pub backend: Backend,
    /// The slider.
    pub slider: Slider,
    /// Where the slider stands.
    pub square: Square,
    /// All pieces on the board.
    pub occupancy: u64,
    /// What the reference says.
    pub expected: u64,
    /// What the backend says.
    pub actual: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { backend, slider, square, occupancy, expected, actual } = *self;
        let letter = slider.name().as_bytes()[0].to_ascii_uppercase() as char;
        writeln!(f, "{backend} is wrong for the {slider} on {square}, occupancy {occupancy:#018x}")?;
        write!(f, "{:<21}{:<21}{:<21}difference", "occupancy", "reference", backend.name())?;
        let [occupancy, expected, actual, difference] =
            [occupancy, expected, actual, expected ^ actual].map(|b| Diagram::new(b).mark(square, letter));
        for (((o, e), a), d) in occupancy.lines().zip(expected.lines()).zip(actual.lines()).zip(difference.lines()) {
            write!(f, "\n{o}   {e}   {a}   {d}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Mismatch {}

/// The occupancies to try with a slider on `square`: every subset of the rook's rays, then every subset
/// of the bishop's rays, rays up to and including the board's edge.
pub fn occupancies(square: Square) -> impl Iterator<Item = u64> {
    [Slider::Rook, Slider::Bishop].into_iter().flat_map(move |slider| {
        let rays = reference::attacks(slider, square, 0);
        let mut state = u64::from(square.index());
        subsets(rays).map(move |subset| subset | (splitmix(&mut state) & !rays))
    })
}

/// Compares `backend` with the reference for one slider on one square, over all [`occupancies`], and
/// tells how many there were.
///
/// # Errors
///
/// The first difference.
pub fn verify(backend: Backend, slider: Slider, square: Square) -> Result<usize, Mismatch> {
    let occupancies: Vec<u64> = occupancies(square).collect();
    let mut out = vec![0; occupancies.len()];
    backend
        .batch_attacks(slider, &vec![square; occupancies.len()], &occupancies, &mut out)
        .expect("the lengths are equal and the square is on the board");
    for (&occupancy, &actual) in occupancies.iter().zip(&out) {
        let expected = reference::attacks(slider, square, occupancy);
        if actual != expected {
            return Err(Mismatch { backend, slider, square, occupancy, expected, actual });
        }
    }
    Ok(occupancies.len())
}

/// The SplitMix64 generator (Steele, Lea and Flood, 2014): a small, well-mixed source of boards.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
