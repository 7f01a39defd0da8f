//! Which moves lose the piece that moves, by an exchange on the square where it arrives.
//!
//! A move is the first capture of an exchange, of a piece or of nothing. So it becomes a capture of the piece that has
//! moved, in the position after the move, and is resolved with the others, eight at a time. The other side must gain
//! more than the move itself has captured.
//!
//! Most squares need no exchange:
//!
//! - those that the other side neither attacks nor would attack if the piece were gone;
//! - empty ones that a piece attacks which is worth less: it captures, and then at most that piece is lost, unless a
//!   pawn recaptures and becomes a queen.
//!
//! The second saves a quarter of the time for all pieces (742 ns to 560), and costs trapped pieces 4 % (AVX2, Zen 3). If pinned
//! pieces stay, it holds only for those that no move can pin by opening a line; without it, safe moves take 1.5 times as long then.
//!
//! A move may begin and end pins. So the pins of an exchange are found again after the move, for a group of captures at a time, unless
//! none of its pieces may be pinned: scalar code would take twice as long.

use super::{Captures, ExchangeBlock, ExchangeRules, GROUP, LAST_RANKS, Outcomes, WideValues, mask, tell};
use crate::analysis::Side;
use crate::analysis::lanes::{BLOCK, Bitboard, PaddedLanes, PositionArrays, SidePieces, SideView};
use crate::analysis::products::{
    XRays, attacks, diagonal_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union,
};
use crate::batch::entries::Task;
use crate::line::Line;
use crate::position::{Color, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, ray};
use crate::{Backend, BatchError, Square, bishop_attacks, queen_attacks, rook_attacks};

impl Outcomes<'_> {
    /// The pieces whose moves are asked for, among those that may be.
    #[inline(always)]
    fn movers(&self, position: usize, pieces: u64) -> u64 {
        if let Outcomes::Trapped(trapped) = self { trapped[position] } else { pieces }
    }

    /// Records safe moves of the piece on `from` that need no exchange. Returns whether its other moves still matter.
    #[inline(always)]
    fn add(&mut self, position: usize, from: Square, safe: u64) -> bool {
        match self {
            Outcomes::Trapped(trapped) if safe != 0 => trapped[position] &= !from.bitboard(),
            Outcomes::SafeMoves(moves) => moves[position][usize::from(from.index())] += safe.count_ones() as u8,
            _ => {}
        }
        safe == 0 || !matches!(self, Outcomes::Trapped(_))
    }
}

/// The pieces of `color` that are lost where they stand, and wherever they move.
pub(in crate::analysis) fn trapped(
    backend: Backend,
    positions: PositionSlice<'_>,
    color: Color,
    rules: ExchangeRules,
    out: &mut [u64],
) -> Result<(), BatchError> {
    super::wins(backend, positions, color.other(), rules, out)?;
    let pawns = positions.pieces(color, crate::position::Piece::Pawn);
    for (out, pawns) in out.iter_mut().zip(pawns) {
        *out &= !pawns;
    }
    tell(backend, positions, color.other(), rules, Outcomes::Trapped(out))
}

/// The number of safe moves of each piece, of both colours.
pub(in crate::analysis) fn safe_mobility(
    backend: Backend,
    positions: PositionSlice<'_>,
    rules: ExchangeRules,
    out: &mut [[u8; 64]],
) -> Result<(), BatchError> {
    if positions.len() != out.len() {
        return Err(BatchError::PositionLengthMismatch { positions: positions.len(), out: out.len() });
    }
    out.fill([0; 64]);
    // The other side is the one that captures.
    Color::ALL
        .into_iter()
        .try_for_each(|color| tell(backend, positions, color.other(), rules, Outcomes::SafeMoves(out)))
}

/// All moves of the pieces of the other colour. With `PINS`, pinned pieces stay on the line of the pin.
pub(super) struct MovesTask<'a, const PINS: bool> {
    pub columns: PositionArrays<'a, [u64]>,
    pub values: WideValues,
    pub out: Outcomes<'a>,
}

impl<const PINS: bool> Task for MovesTask<'_, PINS> {
    #[inline(always)]
    fn perform(self) {
        let MovesTask { columns, values, mut out } = self;
        let (mut rows, mut captures) = (ExchangeBlock::new(), Captures::new(columns.white, out.most(), true));
        let mut padded: PaddedLanes = [[[0; BLOCK]; 7]; 2];
        // The squares that need an exchange, or make the piece lost, and those where it is lost for sure, by its kind.
        let (mut risky, mut lost) = ([0; BLOCK], [[0; BLOCK]; 5]);
        // The pieces of both sides that may be pinned after a move.
        let mut pinned_then = [0; BLOCK];
        let lesser = values.of_kind.map(|worth| values.of_kind.map(|other| mask(other < worth)));
        let len = out.len();
        for start in (0..len).step_by(BLOCK) {
            let block = columns.block(start, &mut padded);
            rows.fill::<PINS>(&block);
            for (lane, risky) in risky.iter_mut().enumerate() {
                let board = block.board(lane);
                *risky =
                    attacks(&board.own, board.empty(), board.white) | XRays { through: Side::Enemy }.compute(&board);
            }
            for lane in 0..BLOCK {
                let board = block.board(lane);
                let (own, empty) = (&board.own, board.empty());
                let free = if PINS {
                    let SideView { own, enemy, .. } = &board;
                    let pinned = pinned_before_or_after_move(own, enemy, enemy.all, empty);
                    pinned_then[lane] = pinned | pinned_before_or_after_move(enemy, own, enemy.all, empty);
                    !pinned
                } else {
                    !0
                };
                let (orthogonal, diagonal) = (own.orthogonal & free, own.diagonal & free);
                let queens = orthogonal & diagonal;
                let reach = [
                    union(pawn_attacks(own.pawns & free, board.white)),
                    knight_attacks(own.knights & free),
                    diagonal_attacks(diagonal & !queens, empty),
                    orthogonal_attacks(orthogonal & !queens, empty),
                    orthogonal_attacks(queens, empty) | diagonal_attacks(queens, empty),
                ];
                let promoting = union(pawn_attacks(board.enemy.pawns, !board.white)) & LAST_RANKS;
                for (lost, lesser) in lost.iter_mut().zip(&lesser) {
                    let mut captured = 0;
                    for (reach, lesser) in reach.iter().zip(lesser) {
                        captured |= reach & lesser;
                    }
                    lost[lane] = captured & empty & !promoting;
                }
            }
            for position in start..len.min(start + BLOCK) {
                let (lane, is_last) = (position - start, position + 1 == len);
                let SideView { own, enemy, .. } = block.board(lane);
                let occupied = rows.occupied[lane];
                let mut movers = out.movers(position, enemy.all & !enemy.pawns & !enemy.king);
                // The piece that moves, and its other destinations.
                let (mut from, mut kind, mut to) = (Square::A1, 0, 0);
                while movers != 0 || to != 0 || is_last && captures.len != 0 {
                    if to == 0 && movers != 0 {
                        from = Square::ALL[movers.trailing_zeros() as usize % 64];
                        movers &= movers - 1;
                        kind = (1..5).find(|&kind| rows.kinds[kind][lane] & from.bitboard() != 0).unwrap_or(4);
                        to = !(enemy.all | own.king | lost[kind][lane])
                            & match kind {
                                1 => knight_attacks(from.bitboard()),
                                2 => bishop_attacks(from, occupied),
                                3 => rook_attacks(from, occupied),
                                _ => queen_attacks(from, occupied),
                            };
                        if PINS && rows.pinned[lane] & from.bitboard() != 0 {
                            let lines = Line::ALL.map(|line| line.through(from));
                            to &= lines.into_iter().find(|line| line & enemy.king != 0).unwrap_or(!0);
                        }
                        let is_asked = out.add(position, from, to & !risky[lane]);
                        to &= if is_asked { risky[lane] } else { 0 };
                    }
                    if to != 0 {
                        let square = to.trailing_zeros() as u8;
                        to &= to - 1;
                        captures.push::<PINS>(&rows, lane, (position, square));
                        captures.play(from, kind, pinned_then[lane], &values);
                    }
                    if captures.len == GROUP || is_last && movers == 0 && to == 0 && captures.len != 0 {
                        captures.resolve::<PINS>(&values, &mut out);
                    }
                }
            }
        }
    }
}

/// The pieces of `own` that stand between their king and a slider of `enemy`, alone or with one of `movers`, which may move away.
/// After a move, no others are pinned, except by the piece that has moved: they may capture it.
#[inline(always)]
fn pinned_before_or_after_move(own: &SidePieces, enemy: &SidePieces, movers: u64, empty: u64) -> u64 {
    let mut between = 0;
    macro_rules! direction {
        ($by:expr, $sliders:ident) => {
            let (from_king, from_sliders) = (ray::<{ $by }>(own.king, empty), ray::<{ -$by }>(enemy.$sliders, empty));
            let behind = ray::<{ $by }>(from_king & movers, empty);
            let before = ray::<{ -$by }>(from_sliders & movers, empty);
            between |= from_king & (from_sliders | before) | behind & from_sliders;
        };
    }
    direction!(N, orthogonal);
    direction!(S, orthogonal);
    direction!(E, orthogonal);
    direction!(W, orthogonal);
    direction!(NE, diagonal);
    direction!(NW, diagonal);
    direction!(SE, diagonal);
    direction!(SW, diagonal);
    own.all & between
}

impl Captures {
    /// Makes the last one a capture of the piece on `from` after its move to the square. It is listed with `from`. Which of the pieces
    /// that may be pinned then are is found later.
    #[inline(always)]
    fn play(&mut self, from: Square, kind: usize, may_be_pinned: u64, values: &WideValues) {
        let at = (self.len - 1) % GROUP;
        let (target, from_board) = (self.targets[at], from.bitboard());
        self.places[at].1 = from.index();
        self.own[at] &= !target;
        self.pinned[at] = may_be_pinned;
        self.occupied[at] &= !from_board;
        for (lanes, worth) in self.kinds.iter_mut().zip(values.of_kind) {
            if lanes[at] & target != 0 {
                self.floors[at] = worth;
            }
            lanes[at] &= !(from_board | target);
        }
        self.kinds[kind][at] |= target;
    }
}
