//! Exhaustive comparison of any code that computes attack sets with the [`reference`](mod@reference).
//!
//! An attack set depends on the squares of the slider's rays alone, and the lines of a queen do not depend on each
//! other. So it is enough to try every subset of a rook's rays and every subset of a bishop's rays on each of the 64
//! squares: 1,048,576 and 71,168 boards. The squares off these rays are filled with pseudo-random pieces, to catch code
//! that depends on them. So a queen sees every subset of its rook's rays and every subset of its bishop's rays, each
//! with some pieces on its other rays, and not all 2^27 subsets of both together.
//!
//! `slider-attacks verify` runs this comparison for every backend, and `slider-attacks methods --verify` for the
//! [`methods`](crate::methods).

use core::fmt;

use crate::diagram::Diagram;
use crate::line::next_subset;
use crate::{Slider, Square, reference};

/// An attack set that differs from the reference's. Its `Display` draws the boards.
///
/// ```
/// use slider_attacks::{Slider, Square, verify::verify};
///
/// let mismatch = verify("nothing", Slider::Rook, Square::A1, |_, _| {}).unwrap_err(); // `out` is left zero
/// assert_eq!((mismatch.actual(), mismatch.expected() & 0xff), (0, 0xfe));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mismatch {
    name: String,
    slider: Slider,
    square: Square,
    occupancy: u64,
    expected: u64,
    actual: u64,
}

impl Mismatch {
    /// The slider.
    #[must_use]
    pub const fn slider(&self) -> Slider {
        self.slider
    }

    /// The square of the slider.
    #[must_use]
    pub const fn square(&self) -> Square {
        self.square
    }

    /// The pieces on the board.
    #[must_use]
    pub const fn occupancy(&self) -> u64 {
        self.occupancy
    }

    /// The attack set of the reference.
    #[must_use]
    pub const fn expected(&self) -> u64 {
        self.expected
    }

    /// The attack set that was computed.
    #[must_use]
    pub const fn actual(&self) -> u64 {
        self.actual
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { ref name, slider, square, occupancy, expected, actual } = *self;
        let letter = slider.name().as_bytes()[0].to_ascii_uppercase() as char;
        writeln!(f, "{name} is wrong for the {slider} on {square}, occupancy {occupancy:#018x}")?;
        write!(f, "{:<21}{:<21}{name:<21}difference", "occupancy", "reference")?;
        let [occupancy, expected, actual, difference] =
            [occupancy, expected, actual, expected ^ actual].map(|b| Diagram::new(b).mark(square, letter));
        for (((o, e), a), d) in occupancy.lines().zip(expected.lines()).zip(actual.lines()).zip(difference.lines()) {
            write!(f, "\n{o}   {e}   {a}   {d}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Mismatch {}

/// Every subset of `mask`, the empty one first, `mask` itself last: two to the power of its number of bits.
///
/// ```
/// assert_eq!(slider_attacks::verify::subsets(0b101).collect::<Vec<_>>(), [0, 0b001, 0b100, 0b101]);
/// ```
pub fn subsets(mask: u64) -> impl Iterator<Item = u64> {
    core::iter::successors(Some(0), move |&subset| (subset != mask).then(|| next_subset(subset, mask)))
}

/// The occupancies to try with a slider on `square`: every subset of a rook's rays, then every subset of a bishop's
/// rays, both up to and including the edge of the board. Over all squares these are 1,119,744.
///
/// ```
/// use slider_attacks::{Square, verify::occupancies};
///
/// assert_eq!(Square::ALL.iter().map(|&square| occupancies(square).count()).sum::<usize>(), 1_119_744);
/// ```
pub fn occupancies(square: Square) -> impl Iterator<Item = u64> {
    [Slider::Rook, Slider::Bishop].into_iter().flat_map(move |slider| {
        let rays = reference::attacks(slider, square, 0);
        let mut noise = 1 + u64::from(square.index());
        subsets(rays).map(move |subset| {
            noise = noise.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
            subset | (noise & !rays)
        })
    })
}

/// Compares attack sets with the reference, for one slider on one square, over all [`occupancies`]. Returns the number
/// of occupancies.
///
/// `attacks(occs, out)` is called once. It writes to each element of `out`, which is as long as `occs`, the attack set
/// of `slider` on `square` with the pieces of the element of `occs` at the same index. A [`Mismatch`] names the
/// compared code as `name`.
///
/// # Errors
///
/// The first attack set that differs from the reference's.
///
/// # Example
///
/// ```
/// use slider_attacks::verify::verify;
/// use slider_attacks::{Backend, Slider, Square};
///
/// let cases = verify("scalar", Slider::Queen, Square::D4, |occs, out| {
///     let squares = vec![Square::D4; occs.len()];
///     Backend::scalar().batch_slider_attacks(Slider::Queen, &squares, occs, out).unwrap();
/// })?;
/// assert_eq!(cases, (1 << 14) + (1 << 13));
/// # Ok::<(), slider_attacks::verify::Mismatch>(())
/// ```
pub fn verify(
    name: &str,
    slider: Slider,
    square: Square,
    attacks: impl FnOnce(&[u64], &mut [u64]),
) -> Result<usize, Mismatch> {
    let occs: Vec<u64> = occupancies(square).collect();
    let mut out = vec![0; occs.len()];
    attacks(&occs, &mut out);
    for (&occupancy, &actual) in occs.iter().zip(&out) {
        let expected = reference::attacks(slider, square, occupancy);
        if actual != expected {
            return Err(Mismatch { name: name.to_owned(), slider, square, occupancy, expected, actual });
        }
    }
    Ok(occs.len())
}
