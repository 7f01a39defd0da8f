//! What the pieces of whole arrays of positions attack: a batch function for each product.
//!
//! Each takes [`Positions`] and a slice with an element a position, or a value that it fills anew. All pieces take
//! part, pinned ones as well, and whose turn it is makes no difference: an attack is a square that a piece bears on,
//! not a legal move.
//!
//! Laws, as for [`batch_attacks`](crate::batch_attacks): on an error nothing is written, no positions are fine, and every
//! backend gives the same. The functions here use the backend that fits this CPU; [`Backend`] has each as a method.
//! Time is linear in the number of positions. But for [`threats`](threats()), whose time depends on the pieces as well, nothing
//! is allocated and no branch or address depends on the boards.
//!
//! ```
//! use slider_attacks::analysis;
//! use slider_attacks::position::{Color, Positions};
//!
//! let mut positions = Positions::new();
//! positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 b Q -\n4k3/4r3/8/8/4N3/8/8/4K3 w - -\n")?;
//! let mut maps = vec![0; positions.len()];
//! analysis::attack_maps(&positions, Color::White, &mut maps)?;
//! let mut pinned = vec![0; positions.len()];
//! analysis::pinned(&positions, Color::White, &mut pinned)?;
//!
//! assert_eq!(maps[0], 0x0101_0101_0101_393e); // a rook on a1 and a king on e1
//! assert_eq!(pinned, [0, 1 << 28]); // the knight on e4
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lanes;
mod products;
mod threats;

use core::fmt;

pub use threats::{Threat, Threats};

use crate::Backend;
use crate::position::{Color, Positions};

/// Whose pieces: of a piece that looks at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    /// Those of its own colour.
    Own,
    /// Those of the other colour.
    Enemy,
    /// All.
    Any,
}

impl Whose {
    /// The three of them, in the order of the declaration.
    pub const ALL: [Whose; 3] = [Whose::Own, Whose::Enemy, Whose::Any];

    /// `"own"`, `"enemy"` or `"any"`.
    pub const fn name(self) -> &'static str {
        match self {
            Whose::Own => "own",
            Whose::Enemy => "enemy",
            Whose::Any => "any",
        }
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is not one element of `out` a position. When there is one, nothing has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LengthMismatch {
    /// How many positions there were.
    pub positions: usize,
    /// How many there was room for.
    pub out: usize,
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lengths differ: {} positions, room for {}", self.positions, self.out)
    }
}

impl core::error::Error for LengthMismatch {}

/// Declares a product twice, as a method of [`Backend`] and as a function that calls it on the active one.
macro_rules! product {
    (
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $type:ty),*; $out:ty) => $backend:pat, $product:expr
    ) => {
        $(#[$doc])*
        pub fn $name(positions: &Positions, $($argument: $type,)* out: &mut [$out]) -> Result<(), LengthMismatch> {
            Backend::active().$name(positions, $($argument,)* out)
        }

        impl Backend {
            #[doc = concat!("[`analysis::", stringify!($name), "`](crate::analysis::", stringify!($name), ") on this backend.")]
            ///
            /// # Errors
            ///
            /// If there is not one element of `out` a position.
            pub fn $name(
                self,
                positions: &Positions,
                $($argument: $type,)*
                out: &mut [$out],
            ) -> Result<(), LengthMismatch> {
                if positions.len() != out.len() {
                    return Err(LengthMismatch { positions: positions.len(), out: out.len() });
                }
                let $backend = self;
                $product(positions, out);
                Ok(())
            }
        }
    };
}

product! {
    /// The squares that the pieces of `color` attack: `out[i]` is the union over sliders, knights, king and pawns of
    /// position *i*.
    ///
    /// A piece attacks a square whatever stands there, so a piece of its own that it defends counts, and pawns attack
    /// their two diagonal squares whether or not there is something to take.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    attack_maps(color: Color; u64) => backend, |positions, out| {
        lanes::boards(backend, products::AttackMap, positions, color, out)
    }
}

product! {
    /// How many pieces of `color` attack each square: `out[i][square]` in position *i*, a1 = 0, b1 = 1, … h8 = 63.
    ///
    /// What attacks a square is as in [`attack_maps`]: where that has a bit, here is not 0.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    attacker_counts(color: Color; [u8; 64]) => backend, |positions, out| {
        lanes::counts(backend, products::AttackerCounts, positions, color, out)
    }
}

product! {
    /// How many squares each piece attacks that no piece of its own colour stands on: `out[i][square]` for the piece on
    /// `square` in position *i*, of either colour; 0 on an empty square.
    ///
    /// Sliders, knights and kings could go there, were it not for checks and pins. Pawns count the squares that they attack,
    /// not those that they could advance to.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    mobility(; [u8; 64]) => backend, |positions, out| {
        lanes::counts(backend, products::Mobility, positions, Color::White, out)
    }
}

product! {
    /// The pieces that give check to the king of `color`: `out[i]` holds the pieces of the other colour that attack its
    /// square in position *i*.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    checkers(color: Color; u64) => backend, |positions, out| {
        lanes::boards(backend, products::Checkers, positions, color, out)
    }
}

product! {
    /// The pieces of `color` that are pinned to their king: `out[i]` holds those of position *i* that stand alone
    /// between it and a slider of the other colour, on a line along which that slider moves.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    pinned(color: Color; u64) => backend, |positions, out| {
        lanes::boards(backend, products::Pinned, positions, color, out)
    }
}

product! {
    /// What the sliders of `color` see through a piece: `out[i]` is the union over the sliders of position *i*, and over
    /// the directions in which the first piece is one of `through`, of the squares behind that piece, up to and including
    /// the next.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    xray_attacks(color: Color, through: Whose; u64) => backend, |positions, out| {
        lanes::boards(backend, products::XRays { through }, positions, color, out)
    }
}

product! {
    /// The pieces of `color` that hang: `out[i]` holds those of position *i* that the other colour attacks and no piece of
    /// `color` defends.
    ///
    /// A king defends and attacks as the other pieces do, but is itself never in the set: attacked, it is in check. Whether
    /// an attacker is pinned, or whether it pays to take, is not asked.
    ///
    /// # Errors
    ///
    /// If there is not one element of `out` a position.
    hanging(color: Color; u64) => backend, |positions, out| {
        lanes::boards(backend, products::Hanging, positions, color, out)
    }
}

/// Who attacks whom: for every piece of `color`, the pieces among `victims` that it attacks, own ones being defended
/// rather. `out` is filled anew, and keeps the room it has.
///
/// The threats of a position are ordered by the kind of the attacker, pawns first, then by the attacker's square, then by
/// the victim's.
///
/// # Example
///
/// ```
/// use slider_attacks::Square;
/// use slider_attacks::analysis::{self, Threat, Threats, Whose};
/// use slider_attacks::position::{Color, Piece, Positions};
///
/// let mut positions = Positions::new();
/// positions.push(b"4k3/8/8/p7/8/8/8/R3K3 w Q -")?;
/// let mut threats = Threats::new();
/// analysis::threats(&positions, Color::White, Whose::Enemy, &mut threats);
///
/// let rook_takes = Threat { attacker: Piece::Rook, from: Square::A1, to: Square::A5, victim: Piece::Pawn, by: Color::White, of: Color::Black };
/// assert_eq!(threats.of(0), [rook_takes]);
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
pub fn threats(positions: &Positions, color: Color, victims: Whose, out: &mut Threats) {
    Backend::active().threats(positions, color, victims, out);
}

impl Backend {
    /// [`analysis::threats`](crate::analysis::threats()) on this backend.
    pub fn threats(self, positions: &Positions, color: Color, victims: Whose, out: &mut Threats) {
        threats::fill(self, positions, color, victims, out);
    }
}
