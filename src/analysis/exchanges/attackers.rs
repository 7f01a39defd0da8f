//! Which exchanges are decided by the pieces that attack and defend a square, without being played.
//!
//! Sets of squares decide most exchanges, one position per lane, all squares at once. The other side captures a piece, which
//! stands on the square or has moved there, perhaps with a capture:
//!
//! | attackers | defenders | |
//! |---|---|---|
//! | none | | it is safe |
//! | | | it is safe if the move has captured as much |
//! | one that is worth less, by more than what the move has captured | | it is lost |
//! | some | none | it is lost |
//! | one, and none behind another piece | some, the same | it is safe, unless it is lost by the third row |
//! | two or more | one, worth as much as an attacker, or the king | it is lost |
//!
//! What remains is played: one or two of 50 moves in a position, and one of four captures. Those are squares with attackers behind
//! other ones, promotions, and many attackers on both sides. If pinned pieces stay, no table knows what those that may be pinned
//! do, so the squares that they attack are played, too.

use super::{LAST_RANKS, PieceValues, each, mask};
use crate::analysis::lanes::{BLOCK, PositionArrays, SidePieces, SideView, kinds};
use crate::analysis::products::{attacks, king_attacks, pawn_attacks, union};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, ray, step};

/// Pieces by their kind: pawns, knights, bishops, rooks, queens, and the king.
pub(super) type Kinds = [u64; 6];

/// The squares that the pieces of one side attack in a position.
#[derive(Clone, Copy)]
pub(super) struct Attackers {
    /// By pieces of each kind.
    pub kinds: [u64; 6],
    /// By two or more knights, bishops, rooks, queens.
    pub pairs: [u64; 4],
    /// By one piece or more, two or more, three or more.
    pub counts: [u64; 3],
    /// By a slider, once another piece has left the line between, of either side, to capture on the square.
    pub behind: u64,
    /// The sliders of the other side that sliders attack along lines on which both move.
    pub faced: u64,
    /// By pieces that may be pinned, which are in `faced` and `behind`, but not in the others.
    pub pinned: u64,
}

impl Attackers {
    /// The attacks of the pieces of `own`, seen from them. Those of `held` may be pinned.
    #[inline(always)]
    pub fn new(board: &SideView, own: Kinds, held: u64) -> Attackers {
        let SideView { own: side, enemy, white } = *board;
        let empty = board.empty();
        let mut free = own;
        for pieces in &mut free {
            *pieces &= !held;
        }
        let [pawns, knights, bishops, rooks, queens, king] = free;
        let [mut kinds, mut pairs] = [[0; 6]; 2];
        let (mut counts, mut behind, mut faced) = ([0; 3], 0, 0);
        macro_rules! add {
            ($kind:expr, $squares:expr) => {
                let squares = $squares;
                pairs[$kind] |= kinds[$kind] & squares;
                kinds[$kind] |= squares;
                counts[2] |= counts[1] & squares;
                counts[1] |= counts[0] & squares;
                counts[0] |= squares;
            };
        }
        let (kings, all_pawns) = (side.king | enemy.king, side.pawns | enemy.pawns);
        let white_pawns = all_pawns & (side.all & white | enemy.all & !white);
        let black_pawns = all_pawns ^ white_pawns;
        macro_rules! direction {
            ($by:expr, $knights_by:expr, $kind:expr, $pieces:ident, $sliders:ident, $pawns:expr) => {
                let (pieces, of_queens) = (ray::<{ $by }>($pieces, empty), ray::<{ $by }>(queens, empty));
                add!($kind, pieces);
                add!(4, of_queens);
                add!(1, step::<{ $knights_by }>(knights));
                let seen = pieces | of_queens | ray::<{ $by }>(side.$sliders & held, empty);
                faced |= seen & enemy.$sliders;
                behind |= ray::<{ $by }>(seen & (side.$sliders | enemy.$sliders), empty)
                    | step::<{ $by }>(seen & (kings | $pawns));
            };
        }
        direction!(N, N + NE, 3, rooks, orthogonal, 0);
        direction!(S, N + NW, 3, rooks, orthogonal, 0);
        direction!(E, S + SE, 3, rooks, orthogonal, 0);
        direction!(W, S + SW, 3, rooks, orthogonal, 0);
        direction!(NE, E + NE, 2, bishops, diagonal, white_pawns);
        direction!(NW, W + NW, 2, bishops, diagonal, white_pawns);
        direction!(SE, E + SE, 2, bishops, diagonal, black_pawns);
        direction!(SW, W + SW, 2, bishops, diagonal, black_pawns);
        let [east, west] = pawn_attacks(pawns, white);
        add!(0, east);
        add!(0, west);
        add!(5, king_attacks(king));
        let [pawns, knights, bishops, rooks, queens, king] = own;
        let [orthogonal, diagonal] = [(rooks | queens) & held, (bishops | queens) & held];
        let held = SidePieces {
            pawns: pawns & held,
            knights: knights & held,
            orthogonal,
            diagonal,
            king: king & held,
            all: held,
        };
        let [_, knights, bishops, rooks, queens, _] = pairs;
        let pinned = attacks(&held, empty, white);
        Attackers { kinds, pairs: [knights, bishops, rooks, queens], counts, behind, faced, pinned }
    }
}

/// The attackers of one side of a block of positions. Loops that do not keep them for others are too long for the compiler to make
/// vectors of.
#[repr(align(64))] // as for shared rows
pub(super) struct AttackerRows {
    pub kinds: [[u64; BLOCK]; 6],
    pairs: [[u64; BLOCK]; 4],
    counts: [[u64; BLOCK]; 3],
    behind: [u64; BLOCK],
    faced: [u64; BLOCK],
    pinned: [u64; BLOCK],
}

impl AttackerRows {
    pub const NONE: AttackerRows = {
        const ZERO: [u64; BLOCK] = [0; BLOCK];
        AttackerRows { kinds: [ZERO; 6], pairs: [ZERO; 4], counts: [ZERO; 3], behind: ZERO, faced: ZERO, pinned: ZERO }
    };

    /// Finds the attackers of `own`. With `PINS`, those in `held` may be pinned. Without `MOVES`, what only moves need is left out.
    #[inline(always)]
    pub fn fill<const PINS: bool, const MOVES: bool>(
        &mut self,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        held: &[u64; BLOCK],
    ) {
        for lane in 0..BLOCK {
            let held = if PINS { held[lane] } else { 0 };
            let of_lane = Attackers::new(&block.board(lane), kinds(&block.own, lane), held);
            for (row, one) in self.kinds.iter_mut().zip(of_lane.kinds) {
                row[lane] = one;
            }
            let (pairs, counts) = if MOVES { (4, 3) } else { (0, 2) };
            for (row, one) in self.pairs[..pairs].iter_mut().zip(of_lane.pairs) {
                row[lane] = one;
            }
            for (row, one) in self.counts[..counts].iter_mut().zip(of_lane.counts) {
                row[lane] = one;
            }
            self.behind[lane] = of_lane.behind;
            if MOVES {
                self.faced[lane] = of_lane.faced;
            }
            if PINS {
                self.pinned[lane] = of_lane.pinned;
            }
        }
    }

    #[inline(always)]
    pub fn get(&self, lane: usize) -> Attackers {
        Attackers {
            kinds: each(&self.kinds, lane),
            pairs: each(&self.pairs, lane),
            counts: each(&self.counts, lane),
            behind: self.behind[lane],
            faced: self.faced[lane],
            pinned: self.pinned[lane],
        }
    }
}

/// What pieces are worth next to each other: all ones where it holds, else zero.
pub(super) struct Comparisons {
    /// Whether a piece is worth more than its captor, by more than what was captured before: `[captor][captured]`, for each kind.
    /// The last of `captured` is nothing.
    lost_for: [[[u64; 6]; 5]; 5],
    /// Whether a piece is worth more than what was captured.
    more_than: [[u64; 6]; 5],
    /// Whether another piece is worth as much: `[other]`.
    at_least: [[u64; 5]; 5],
}

impl Comparisons {
    pub fn new(PieceValues(values): PieceValues) -> Comparisons {
        let [p, n, b, r, q] = values;
        let captured = [p, n, b, r, q, 0];
        Comparisons {
            lost_for: values.map(|piece| values.map(|captor| captured.map(|before| mask(piece > captor + before)))),
            more_than: values.map(|piece| captured.map(|before| mask(piece > before))),
            at_least: values.map(|piece| values.map(|other| mask(other >= piece))),
        }
    }
}

/// The exchanges of a position.
pub(super) struct Contest<'a> {
    pub comparisons: &'a Comparisons,
    pub attackers: Attackers,
    pub defenders: Attackers,
    /// What a move to each square captures, with nothing as the last. Nothing at all if no move leads to the exchange.
    pub captured: [u64; 6],
    /// Where pawns of the attackers capture and become queens, and those of the defenders.
    promoting: [u64; 2],
    /// By the kind of a defender: where an attacker is worth no more.
    cheaply: [u64; 5],
}

/// What is known of a piece on each square.
#[derive(Clone, Copy)]
pub(super) struct KnownOutcome {
    /// It is not lost.
    pub safe: u64,
    /// It is lost for a piece that is worth less.
    pub lesser: u64,
    /// The same, and the exchange ends there.
    pub traded: u64,
    /// It is lost for nothing.
    pub full: u64,
}

impl<'a> Contest<'a> {
    /// The pieces of `board.own` attack, those of `board.enemy` defend.
    #[inline(always)]
    pub fn new(
        board: &SideView,
        comparisons: &'a Comparisons,
        attackers: Attackers,
        defenders: Attackers,
        captured: [u64; 6],
    ) -> Contest<'a> {
        let promoting = [
            union(pawn_attacks(board.own.pawns, board.white)) & LAST_RANKS,
            union(pawn_attacks(board.enemy.pawns, !board.white)) & LAST_RANKS,
        ];
        let mut cheaply = [0; 5];
        for (attacked, at_least) in attackers.kinds.iter().zip(&comparisons.at_least) {
            for (cheaply, at_least) in cheaply.iter_mut().zip(at_least) {
                *cheaply |= attacked & at_least;
            }
        }
        Contest { comparisons, attackers, defenders, captured, promoting, cheaply }
    }

    /// For pieces of one kind. With `MOVES`, one of the defenders has moved to the square, and defends it no more.
    #[inline(always)]
    pub fn decide<const KIND: usize, const MOVES: bool>(&self) -> KnownOutcome {
        let Contest { comparisons, attackers, defenders, captured, promoting: [promoting, promoting_back], cheaply } =
            self;
        let [some, others] = if MOVES { [1, 2] } else { [0, 1] }.map(|at| defenders.counts[at]);
        let mut of_kinds = defenders.kinds;
        if MOVES {
            of_kinds[KIND] = defenders.pairs[KIND - 1];
        }
        let (mut more, mut lesser, mut dearly) = (0, 0, of_kinds[5]);
        for (captured, more_than) in captured.iter().zip(comparisons.more_than[KIND]) {
            more |= captured & more_than;
        }
        for (attacked, lost_for) in attackers.kinds.iter().zip(&comparisons.lost_for[KIND]) {
            let mut squares = 0;
            for (captured, lost_for) in captured.iter().zip(lost_for) {
                squares |= captured & lost_for;
            }
            lesser |= attacked & squares;
        }
        lesser &= !promoting_back;
        for (defended, cheaply) in of_kinds.iter().zip(cheaply) {
            dearly |= defended & cheaply;
        }
        let [one, two, _] = attackers.counts;
        let hidden = defenders.behind | defenders.pinned;
        // An attacker that the move has let through may be followed by a defender.
        let alone = one & !some & !(if MOVES { attackers.behind } else { 0 });
        // A piece that comes from behind may leave a line to the next one.
        let outnumbered = two & some & !others & dearly & !(attackers.behind | promoting_back);
        let behind = attackers.behind | defenders.behind;
        let once = one & !two & some & !(behind | attackers.pinned | promoting | promoting_back);
        // A knight opens no line to the square to which it goes.
        let attacked = one | attackers.pinned | if MOVES && KIND != 1 { attackers.behind } else { 0 };
        KnownOutcome {
            safe: !attacked | !(more | promoting) | once & !lesser,
            lesser,
            traded: once & lesser,
            full: more & !promoting & !hidden & (alone | outnumbered),
        }
    }
}
