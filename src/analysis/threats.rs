//! Threats: each attacker with each of its victims.

use core::ops::{Index, Range};

use super::Side;
use super::products::{king_attacks, knight_attacks, pawn_attacks};
use crate::position::{Color, Piece, PositionSlice};
use crate::table::table;
use crate::{Backend, ListsIter, Slider, Square, Squares};

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
/// Memory is 6 bytes per threat and 8 per position, and some for the sliders of a few hundred positions.
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
/// assert_eq!((threats.offsets(), threats.as_slice()), (&[0, 2, 2][..], &threats[0]));
/// for (position, threats) in positions.iter().zip(&threats) {
///     assert!(threats.iter().all(|threat| position.piece_at(threat.victim_square) == Some(threat.victim)));
/// }
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Threats {
    threats: Vec<Threat>,
    offsets: Vec<usize>,
    /// Those of the last chunk, by colour and kind, kept for their memory.
    sliders: Vec<[Sliders; 3]>,
}

impl Threats {
    /// The threats of no positions, to be filled by [`Backend::threats`].
    #[must_use]
    pub fn new() -> Threats {
        Threats { threats: Vec::new(), offsets: vec![0], sliders: Vec::new() }
    }

    /// The threats of all positions, one position after the other.
    #[must_use]
    pub fn as_slice(&self) -> &[Threat] {
        &self.threats
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The threats of each position.
    #[must_use]
    pub fn iter(&self) -> ListsIter<'_, Threat> {
        ListsIter::new(&self.threats, &self.offsets)
    }

    /// One element more than there are positions: the threats of position *i* are those from `offsets()[i]` to
    /// `offsets()[i + 1]` of [`as_slice`](Threats::as_slice).
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}

impl PartialEq for Threats {
    fn eq(&self, other: &Threats) -> bool {
        self.threats == other.threats && self.offsets == other.offsets
    }
}

impl Eq for Threats {}

impl Default for Threats {
    fn default() -> Threats {
        Threats::new()
    }
}

impl<'a> IntoIterator for &'a Threats {
    type Item = &'a [Threat];
    type IntoIter = ListsIter<'a, Threat>;

    fn into_iter(self) -> ListsIter<'a, Threat> {
        self.iter()
    }
}

/// The threats of one position. Panics if there is no position with this index.
impl Index<usize> for Threats {
    type Output = [Threat];

    fn index(&self, position: usize) -> &[Threat] {
        &self.threats[self.offsets[position]..self.offsets[position + 1]]
    }
}

/// The number of positions that are processed at a time, so that their sliders stay in the cache.
const CHUNK: usize = 256;

/// By square.
static KNIGHT_ATTACKS: [u64; 64] = table!(square < 64 => knight_attacks(1 << square));
/// By square.
static KING_ATTACKS: [u64; 64] = table!(square < 64 => king_attacks(1 << square));

/// The sliders of one kind and colour in a chunk of positions, in order, with the attack set of each.
#[derive(Clone, Debug, Default)]
struct Sliders {
    squares: Vec<Square>,
    occs: Vec<u64>,
    attacks: Vec<u64>,
}

impl Sliders {
    fn find(&mut self, backend: Backend, slider: Slider, boards: &[u64], occs: &[u64]) {
        self.squares.clear();
        self.occs.clear();
        for (&board, &occ) in boards.iter().zip(occs) {
            for square in Squares::from(board) {
                self.squares.push(square);
                self.occs.push(occ);
            }
        }
        self.attacks.resize(self.squares.len(), 0);
        let done = backend.batch_slider_attacks(slider, &self.squares, &self.occs, &mut self.attacks);
        done.expect("one square, one occupancy and one attack set for each slider");
    }
}

pub(super) fn fill(backend: Backend, positions: PositionSlice<'_>, colors: &[Color], victims: Side, out: &mut Threats) {
    out.threats.clear();
    out.offsets.clear();
    out.offsets.push(0);
    let mut sliders = core::mem::take(&mut out.sliders);
    sliders.resize_with(colors.len(), Default::default);
    for start in (0..positions.len()).step_by(CHUNK) {
        let chunk = start..positions.len().min(start + CHUNK);
        for (sliders, &color) in sliders.iter_mut().zip(colors) {
            for ((sliders, slider), piece) in sliders.iter_mut().zip(Slider::ALL).zip(SLIDERS) {
                let boards = &positions.pieces(color, piece)[chunk.clone()];
                sliders.find(backend, slider, boards, &positions.occupancies()[chunk.clone()]);
            }
        }
        list(positions, chunk, colors, victims, &sliders, out);
    }
    out.sliders = sliders;
}

/// The pieces of `Slider::ALL`.
const SLIDERS: [Piece; 3] = [Piece::Bishop, Piece::Rook, Piece::Queen];

/// Adds the threats of a chunk. `sliders` holds the sliders of each of `colors` in the chunk, by kind.
fn list(
    positions: PositionSlice<'_>,
    chunk: Range<usize>,
    colors: &[Color],
    victims: Side,
    sliders: &[[Sliders; 3]],
    out: &mut Threats,
) {
    let mut sliders: Vec<_> =
        sliders.iter().map(|kinds| kinds.each_ref().map(|sliders| sliders.attacks.iter())).collect();
    for index in chunk {
        // Each square holds at most one piece, so the number of its kind is the sum below. For a pawn it is 0.
        let kinds = Piece::ALL
            .map(|piece| positions.pieces(Color::White, piece)[index] | positions.pieces(Color::Black, piece)[index]);
        for (sliders, &color) in sliders.iter_mut().zip(colors) {
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
                    out.threats.push(Threat { attacker: (color, attacker), attacker_square, victim, victim_square });
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
            for (attacks, piece) in sliders.iter_mut().zip(SLIDERS) {
                for (from, &attacks) in own(piece).zip(attacks) {
                    add(piece, from, attacks);
                }
            }
            for from in own(Piece::King) {
                add(Piece::King, from, KING_ATTACKS[usize::from(from.index())]);
            }
        }
        out.offsets.push(out.threats.len());
    }
}
