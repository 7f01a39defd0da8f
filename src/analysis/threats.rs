//! Threats: each attacker with each of its victims.

use core::ops::Range;

use super::Side;
use super::products::{king_attacks, knight_attacks, pawn_attacks};
use crate::position::{Color, Piece, PositionSlice};
use crate::table::table;
use crate::{Backend, Lists, Slider, Square, Squares};

/// One piece attacks another, or defends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threat {
    /// The piece that attacks.
    pub attacker: (Color, Piece),
    /// Its square.
    pub attacker_square: Square,
    /// The piece that is attacked.
    pub victim: (Color, Piece),
    /// Its square.
    pub victim_square: Square,
}

/// The threats of an array of positions: `threats[i]` are those of position *i*.
///
/// Memory is 6 bytes per threat and 8 per position.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::analysis::{Side, Threats};
/// use slider_attacks::position::{Color, Positions};
///
/// let mut positions = Positions::new();
/// positions.push_fens(["4k3/8/8/p7/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"])?;
/// let mut threats = Threats::new();
/// Backend::active().threats(&positions, &[Color::White], Side::Any, &mut threats);
/// assert!(threats.iter().map(<[_]>::len).eq([2, 0])); // the rook attacks the pawn, and defends the king
/// for (position, threats) in positions.iter().zip(&threats) {
///     assert!(threats.iter().all(|threat| position.piece_at(threat.victim_square) == Some(threat.victim)));
/// }
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
pub type Threats = Lists<Threat>;

/// The number of positions that are processed at a time, so that their sliders stay in the cache.
const CHUNK: usize = 256;

/// By square.
static KNIGHT_ATTACKS: [u64; 64] = table!(square < 64 => knight_attacks(1 << square));
/// By square.
static KING_ATTACKS: [u64; 64] = table!(square < 64 => king_attacks(1 << square));

/// The sliders of a chunk, those of each kind and colour in order, with the attack set of each.
#[derive(Default)]
struct Sliders {
    squares: Vec<Square>,
    occs: Vec<u64>,
    attacks: Vec<u64>,
}

impl Sliders {
    /// Adds the sliders of one kind and colour, and returns where they are.
    fn add(&mut self, backend: Backend, slider: Slider, boards: &[u64], occs: &[u64]) -> Range<usize> {
        let start = self.squares.len();
        for (&board, &occ) in boards.iter().zip(occs) {
            for square in Squares::from(board) {
                self.squares.push(square);
                self.occs.push(occ);
            }
        }
        self.attacks.resize(self.squares.len(), 0);
        let (squares, occs, attacks) = (&self.squares[start..], &self.occs[start..], &mut self.attacks[start..]);
        let done = backend.batch_slider_attacks(slider, squares, occs, attacks);
        done.expect("one square, one occupancy and one attack set for each slider");
        start..self.squares.len()
    }
}

pub(super) fn fill(backend: Backend, positions: PositionSlice<'_>, colors: &[Color], victims: Side, out: &mut Threats) {
    out.clear();
    let (mut sliders, mut places) = (Sliders::default(), Vec::new());
    for start in (0..positions.len()).step_by(CHUNK) {
        let chunk = start..positions.len().min(start + CHUNK);
        let occs = &positions.occupancies()[chunk.clone()];
        sliders.squares.clear();
        sliders.occs.clear();
        places.clear();
        for &color in colors {
            let mut add = |slider: Slider, piece: Piece| {
                sliders.add(backend, slider, &positions.pieces(color, piece)[chunk.clone()], occs)
            };
            places.push([0, 1, 2].map(|kind| add(Slider::ALL[kind], SLIDERS[kind])));
        }
        list(positions, chunk, colors, victims, &sliders.attacks, &mut places, out);
    }
}

/// The pieces of `Slider::ALL`.
const SLIDERS: [Piece; 3] = [Piece::Bishop, Piece::Rook, Piece::Queen];

/// Adds the threats of a chunk. `places` are those of the sliders of each of `colors` in `attacks`, by kind.
fn list(
    positions: PositionSlice<'_>,
    chunk: Range<usize>,
    colors: &[Color],
    victims: Side,
    attacks: &[u64],
    places: &mut [[Range<usize>; 3]],
    out: &mut Threats,
) {
    let (threats, offsets) = out.parts_mut();
    for index in chunk {
        // Each square holds at most one piece, so the number of its kind is the sum below. For a pawn it is 0.
        let kinds = Piece::ALL
            .map(|piece| positions.pieces(Color::White, piece)[index] | positions.pieces(Color::Black, piece)[index]);
        for (places, &color) in places.iter_mut().zip(colors) {
            let (own, enemy) = (positions.color(color)[index], positions.color(color.other())[index]);
            let wanted = match victims {
                Side::Own => own,
                Side::Enemy => enemy,
                Side::Any => own | enemy,
            };
            let mut add = |attacker: Piece, attacker_square: Square, attacks: u64| {
                for victim_square in Squares::from(attacks & wanted) {
                    let has = |piece: Piece| kinds[piece as usize] >> victim_square.index() & 1;
                    let number: u64 = Piece::ALL.into_iter().map(|piece| piece as u64 * has(piece)).sum();
                    let side = if own & victim_square.bitboard() != 0 { color } else { color.other() };
                    let victim = (side, Piece::ALL[number as usize]);
                    threats.push(Threat { attacker: (color, attacker), attacker_square, victim, victim_square });
                }
            };
            let own = |piece: Piece| Squares::from(positions.pieces(color, piece)[index]);
            let white = if color == Color::White { !0 } else { 0 };
            for from in own(Piece::Pawn) {
                let [east, west] = pawn_attacks(from.bitboard(), white);
                add(Piece::Pawn, from, east | west);
            }
            for from in own(Piece::Knight) {
                add(Piece::Knight, from, KNIGHT_ATTACKS[usize::from(from.index())]);
            }
            for (places, piece) in places.iter_mut().zip(SLIDERS) {
                for (from, place) in own(piece).zip(places) {
                    add(piece, from, attacks[place]);
                }
            }
            for from in own(Piece::King) {
                add(Piece::King, from, KING_ATTACKS[usize::from(from.index())]);
            }
        }
        offsets.push(threats.len());
    }
}
