//! Who attacks whom.

use core::ops::Range;

use super::Whose;
use super::products::{king_attacks, knight_attacks, pawn_attacks};
use crate::position::{Color, Piece, Positions};
use crate::{Backend, Slider, Square};

/// A piece attacks another, or defends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threat {
    /// The colour of the attacker.
    pub by: Color,
    /// What it is.
    pub attacker: Piece,
    /// Where it stands.
    pub from: Square,
    /// Where the victim stands.
    pub to: Square,
    /// What that is.
    pub victim: Piece,
    /// The victim's colour.
    pub of: Color,
}

/// The threats of an array of positions, one after the other.
#[derive(Clone, Debug)]
pub struct Threats {
    threats: Vec<Threat>,
    offsets: Vec<usize>,
}

impl Threats {
    /// Those of no positions.
    pub fn new() -> Threats {
        Threats { threats: Vec::new(), offsets: vec![0] }
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The threats of position `index`.
    ///
    /// # Panics
    ///
    /// If there is no position `index`.
    pub fn of(&self, index: usize) -> &[Threat] {
        &self.threats[self.offsets[index]..self.offsets[index + 1]]
    }

    /// The threats of all positions.
    pub fn all(&self) -> &[Threat] {
        &self.threats
    }

    /// Where the threats of each position begin in [`all`](Threats::all), and, as one element more, where those of the last
    /// end.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}

impl Default for Threats {
    fn default() -> Threats {
        Threats::new()
    }
}

/// How many positions are taken at a time, so that their sliders stay in the cache.
const CHUNK: usize = 256;

static KNIGHT_ATTACKS: [u64; 64] = {
    let mut attacks = [0; 64];
    let mut at = 0;
    while at < 64 {
        attacks[at] = knight_attacks(1 << at);
        at += 1;
    }
    attacks
};

static KING_ATTACKS: [u64; 64] = {
    let mut attacks = [0; 64];
    let mut at = 0;
    while at < 64 {
        attacks[at] = king_attacks(1 << at);
        at += 1;
    }
    attacks
};

/// The sliders of one kind in a chunk of positions, one after the other, with what each attacks.
#[derive(Default)]
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
            for square in squares(board) {
                self.squares.push(square);
                self.occs.push(occ);
            }
        }
        self.attacks.resize(self.squares.len(), 0);
        let done = backend.batch_attacks(slider, &self.squares, &self.occs, &mut self.attacks);
        done.expect("one square, one occupancy and one attack set for each slider");
    }
}

pub(super) fn fill(backend: Backend, positions: &Positions, color: Color, victims: Whose, out: &mut Threats) {
    out.threats.clear();
    out.offsets.clear();
    out.offsets.push(0);
    let mut sliders: [Sliders; 3] = Default::default();
    for start in (0..positions.len()).step_by(CHUNK) {
        let chunk = start..positions.len().min(start + CHUNK);
        for ((sliders, slider), piece) in sliders.iter_mut().zip(Slider::ALL).zip(SLIDERS) {
            let boards = &positions.pieces(color, piece)[chunk.clone()];
            sliders.find(backend, slider, boards, &positions.occupancies()[chunk.clone()]);
        }
        list(positions, chunk, color, victims, sliders.each_ref().map(|sliders| &*sliders.attacks), out);
    }
}

/// The pieces of `Slider::ALL`.
const SLIDERS: [Piece; 3] = [Piece::Bishop, Piece::Rook, Piece::Queen];

/// Adds the threats of a chunk, whose sliders attack `sliders`, one set for each that the boards hold.
fn list(
    positions: &Positions,
    chunk: Range<usize>,
    color: Color,
    victims: Whose,
    sliders: [&[u64]; 3],
    out: &mut Threats,
) {
    let mut sliders = sliders.map(|attacks| attacks.iter());
    let white = if color == Color::White { !0 } else { 0 };
    for index in chunk {
        let (own, enemy) = (positions.color(color)[index], positions.color(color.other())[index]);
        let wanted = match victims {
            Whose::Own => own,
            Whose::Enemy => enemy,
            Whose::Any => own | enemy,
        };
        // No piece of these kinds stands on a square that holds a pawn; so what is none of them is a pawn.
        let kinds = Piece::ALL
            .map(|piece| positions.pieces(Color::White, piece)[index] | positions.pieces(Color::Black, piece)[index]);
        let mut add = |attacker: Piece, from: Square, attacks: u64| {
            for to in squares(attacks & wanted) {
                let has = |piece: Piece| kinds[piece as usize] >> to.index() & 1;
                let number: u64 = Piece::ALL.into_iter().map(|piece| piece as u64 * has(piece)).sum();
                let victim = Piece::ALL[number as usize];
                let of = if own & to.bitboard() != 0 { color } else { color.other() };
                out.threats.push(Threat { by: color, attacker, from, to, victim, of });
            }
        };
        let of = |piece: Piece| squares(positions.pieces(color, piece)[index]);
        for from in of(Piece::Pawn) {
            let [east, west] = pawn_attacks(from.bitboard(), white);
            add(Piece::Pawn, from, east | west);
        }
        for from in of(Piece::Knight) {
            add(Piece::Knight, from, KNIGHT_ATTACKS[usize::from(from.index())]);
        }
        for (attacks, piece) in sliders.iter_mut().zip(SLIDERS) {
            for (from, &attacks) in of(piece).zip(attacks) {
                add(piece, from, attacks);
            }
        }
        for from in of(Piece::King) {
            add(Piece::King, from, KING_ATTACKS[usize::from(from.index())]);
        }
        out.offsets.push(out.threats.len());
    }
}

/// The squares of a bitboard, a1 first.
fn squares(mut board: u64) -> impl Iterator<Item = Square> {
    core::iter::from_fn(move || {
        // At 64 there is no square, and none left.
        let square = Square::new(board.trailing_zeros() as u8)?;
        board &= board - 1;
        Some(square)
    })
}
