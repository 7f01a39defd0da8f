//! Blocks of positions, one per lane, in the form that all sets need.

use core::ops::Range;

use slider_attacks::Backend;
use slider_attacks::position::{Color, Piece, PositionSlice};

use crate::layout::Mirror;
use crate::order::ViewOrder;
use crate::tables::ENEMY;

/// How many positions a block has.
pub(crate) const LANES: usize = 64;

/// How many pieces of a block are computed at a time: those of some 20 positions in games.
pub(crate) const PIECES: usize = 512;

/// How one perspective sees a board.
#[derive(Clone, Copy, Default)]
pub(crate) struct View {
    /// What to XOR with the numbers of pieces: [`ENEMY`] for Black.
    pub flip: u8,
    /// What to XOR with squares.
    pub turn: u8,
}

/// The positions of a block.
pub(crate) struct FeatureBlock {
    /// Their number.
    pub len: usize,
    /// By colour and kind.
    pub pieces: [[[u64; LANES]; 6]; 2],
    pub occupied: [u64; LANES],
    /// For each position, the number of the piece on each square that is not empty.
    pub numbers: [[u8; 64]; LANES],
    /// What to XOR with the numbers of pieces for the first perspective.
    flips: [u8; LANES],
}

impl FeatureBlock {
    pub(crate) fn new() -> FeatureBlock {
        FeatureBlock {
            len: 0,
            pieces: [[[0; LANES]; 6]; 2],
            occupied: [0; LANES],
            numbers: [[0; 64]; LANES],
            flips: [0; LANES],
        }
    }

    /// Takes as many positions as these are, at most 64.
    #[inline(always)]
    pub(crate) fn load(&mut self, backend: Backend, positions: PositionSlice<'_>, perspective: ViewOrder) {
        let len = positions.len();
        self.len = len;
        for color in Color::ALL {
            for piece in Piece::ALL {
                let boards = &mut self.pieces[color as usize][piece as usize];
                boards[..len].copy_from_slice(positions.pieces(color, piece));
            }
        }
        self.occupied[..len].copy_from_slice(positions.occupancies());
        for (flip, &side) in self.flips.iter_mut().zip(positions.side_to_move()) {
            *flip = match (perspective, side) {
                (ViewOrder::Mover, Color::Black) => ENEMY,
                _ => 0,
            };
        }
        let mut planes = [[0; LANES]; 5];
        for lane in 0..LANES {
            let [_, knights, bishops, rooks, queens, kings] =
                core::array::from_fn(|kind| self.pieces[0][kind][lane] | self.pieces[1][kind][lane]);
            planes[0][lane] = knights | rooks | kings;
            planes[1][lane] = bishops | rooks;
            planes[2][lane] = queens | kings;
            planes[3][lane] = self.pieces[1].iter().map(|boards| boards[lane]).fold(0, |all, board| all | board);
        }
        backend.square_numbers(&planes, &mut self.numbers[..len]);
    }

    /// The first of these positions, as many as there is room for.
    #[inline(always)]
    pub(crate) fn round(&self, start: usize) -> Range<usize> {
        let (mut end, mut pieces) = (start, 0);
        while end < self.len && pieces <= PIECES - 64 {
            pieces += self.occupied[end].count_ones() as usize;
            end += 1;
        }
        start..end
    }

    /// Both views of a position. Their own kings are on their sides of the board.
    #[inline(always)]
    pub(crate) fn views(&self, lane: usize, mirror: Mirror) -> [View; 2] {
        // Not with `map`, into which the compiler inlines nothing that has more features. The same holds in all vector
        // code.
        [self.view(lane, mirror, self.flips[lane]), self.view(lane, mirror, self.flips[lane] ^ ENEMY)]
    }

    #[inline(always)]
    fn view(&self, lane: usize, mirror: Mirror, flip: u8) -> View {
        const KINGSIDE: u64 = 0xf0f0_f0f0_f0f0_f0f0;
        let is_kingside = self.pieces[usize::from(flip / ENEMY) % 2][Piece::King as usize][lane] & KINGSIDE != 0;
        let is_mirrored = match mirror {
            Mirror::Never => false,
            Mirror::ToQueenside => is_kingside,
            Mirror::ToKingside => !is_kingside,
        };
        View { flip, turn: (flip * 7) | if is_mirrored { 7 } else { 0 } }
    }

    /// The square of the king of this perspective, as it sees it.
    #[inline(always)]
    pub(crate) fn king(&self, lane: usize, view: View) -> u8 {
        let king = self.pieces[usize::from(view.flip / ENEMY) % 2][Piece::King as usize][lane];
        (king.trailing_zeros() as u8 ^ view.turn) % 64
    }
}

/// A set without its first squares: without all of them, unless there are more than a step takes.
#[inline(always)]
pub(crate) fn without_first(mut set: u64, count: usize) -> u64 {
    if set.count_ones() as usize == count {
        return 0;
    }
    for _ in 0..count {
        set &= set - 1;
    }
    set
}
