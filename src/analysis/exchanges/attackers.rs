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
//! | each worth at least as much as the piece and a defender | a pawn, a knight or a bishop | it is safe |
//! | two or more | one, worth as much as an attacker, or the king | it is lost |
//!
//! What remains is played: one or two of 50 moves in a position, and one of eleven captures. Those are squares with attackers behind
//! other ones, promotions, and many attackers on both sides. If pinned pieces stay, no table knows what those that may be pinned
//! do, so the squares that they attack are played, too.

use super::{LAST_RANKS, PieceValues, WideValues, each, mask};
use crate::analysis::lanes::{BLOCK, PositionArrays, SidePieces, SideView, kinds};
use crate::analysis::products::{attacks, king_attacks, pawn_attacks};
use crate::batch::lists::rows;
use crate::rays::{E, N, NE, NW, S, SE, SW, W, each_direction, ray, step};

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
    /// Where pawns capture and become queens, or may do so.
    #[inline(always)]
    pub fn promoting(&self) -> u64 {
        (self.kinds[0] | self.pinned) & LAST_RANKS
    }

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
            ($_at:expr, $by:expr, $knights_by:expr, $kind:expr, $pieces:ident, $sliders:ident, $pawns:expr) => {
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
        each_direction!(
            direction,
            [3, rooks, orthogonal, 0],
            [2, bishops, diagonal, white_pawns],
            [2, bishops, diagonal, black_pawns]
        );
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

/// The number of rows that only moves need.
pub(super) const OF_MOVES: usize = 6;

rows! {
    /// The attackers of one side of a block of positions. Loops that do not keep them for others are too long for the compiler to make
    /// vectors of.
    pub(super) struct AttackerRows<const N: usize> {
        pub kinds: [[u64; BLOCK]; 6],
        /// By one piece or more, two or more.
        counts: [[u64; BLOCK]; 2],
        behind: [u64; BLOCK],
        pinned: [u64; BLOCK],
        /// What only moves need, or nothing: the pairs, the squares that three or more attack, and those in `faced`.
        of_moves: [[u64; BLOCK]; N],
    }
}

impl<const N: usize> AttackerRows<N> {
    /// Finds the attackers of `own`. With `PINS`, those in `held` may be pinned.
    #[inline(always)]
    pub fn fill<const PINS: bool>(
        &mut self,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        lanes: usize,
        held: &[u64; BLOCK],
    ) {
        for lane in 0..lanes {
            let held = if PINS { held[lane] } else { 0 };
            let of_lane = Attackers::new(&block.board(lane), kinds(&block.own, lane), held);
            for (row, one) in self.kinds.iter_mut().zip(of_lane.kinds) {
                row[lane] = one;
            }
            let ([knights, bishops, rooks, queens], [one, two, three]) = (of_lane.pairs, of_lane.counts);
            for (row, one) in self.counts.iter_mut().zip([one, two]) {
                row[lane] = one;
            }
            for (row, one) in self.of_moves.iter_mut().zip([knights, bishops, rooks, queens, three, of_lane.faced]) {
                row[lane] = one;
            }
            self.behind[lane] = of_lane.behind;
            if PINS {
                self.pinned[lane] = of_lane.pinned;
            }
        }
    }

    #[inline(always)]
    pub fn get<const PINS: bool>(&self, lane: usize) -> Attackers {
        let ([one, two], mut of_moves) = (each(&self.counts, lane), [0; OF_MOVES]);
        for (of_lane, row) in of_moves.iter_mut().zip(&self.of_moves) {
            *of_lane = row[lane];
        }
        let [knights, bishops, rooks, queens, three, faced] = of_moves;
        Attackers {
            kinds: each(&self.kinds, lane),
            pairs: [knights, bishops, rooks, queens],
            counts: [one, two, three],
            behind: self.behind[lane],
            faced,
            pinned: if PINS { self.pinned[lane] } else { 0 },
        }
    }
}

rows! {
    /// The squares that pieces of the least valuable kinds attack: of none, of one, … of all but the king.
    pub(super) struct RankedRows {
        rows: [[u64; BLOCK]; 6],
    }
}

impl RankedRows {
    /// The squares that pieces of some worth among `attackers` attack.
    #[inline(always)]
    pub fn fill<const N: usize>(
        &mut self,
        attackers: &AttackerRows<N>,
        lanes: usize,
        comparisons: &Comparisons,
    ) -> AttacksByWorth<'_> {
        let RankedRows { rows } = self;
        rows[0] = [0; BLOCK];
        let mut squares = [0; BLOCK];
        for (row, kind) in rows[1..].iter_mut().zip(comparisons.order) {
            let attacked = squares.iter_mut().zip(&attackers.kinds[kind]);
            for ((squares, attacked), row) in attacked.zip(row).take(lanes) {
                *squares |= attacked;
                *row = *squares;
            }
        }
        let Comparisons { less, no_more, in_profit, .. } = *comparisons;
        AttacksByWorth {
            less: less.map(|row| &rows[row]),
            no_more: no_more.map(|row| &rows[row]),
            in_profit: in_profit.map(|of_kind| of_kind.map(|row| &rows[row])),
        }
    }
}

/// Attacks by pieces of some worth, by the kind of another piece, the king aside.
#[derive(Clone, Copy)]
pub(super) struct AttacksByWorth<'a> {
    /// By those that are worth less than it.
    pub less: [&'a [u64; BLOCK]; 5],
    /// By those that are worth no more.
    pub no_more: [&'a [u64; BLOCK]; 5],
    /// By those that are worth less than it and a pawn, a knight, a bishop. If it is captured by one that is worth as much or more,
    /// and such a piece recaptures, nothing is gained.
    pub in_profit: [[&'a [u64; BLOCK]; 3]; 5],
}

/// What pieces are worth next to each other. Masks are all ones where it holds, else zero.
pub(super) struct Comparisons {
    /// The kinds, the least valuable first.
    order: [usize; 5],
    /// The numbers of kinds that are worth less, as rows of [`RankedRows`]: see [`AttacksByWorth`].
    less: [usize; 5],
    no_more: [usize; 5],
    in_profit: [[usize; 3]; 5],
    /// Whether a piece is worth more than its captor, by more than what was captured before: `[captor][captured]`, for each kind.
    /// The last of `captured` is nothing.
    lost_for: [[[u64; 6]; 5]; 5],
    /// Whether a piece is worth more than what was captured.
    pub more_than: [[u64; 6]; 5],
}

impl Comparisons {
    pub fn new(&WideValues { values: PieceValues(values), order, .. }: &WideValues) -> Comparisons {
        let [p, n, b, r, q] = values;
        let captured = [p, n, b, r, q, 0];
        let below = |worth| values.iter().filter(|&&value| value < worth).count();
        Comparisons {
            order,
            less: values.map(below),
            no_more: values.map(|value| below(value + 1)),
            in_profit: values.map(|value| [p, n, b].map(|recaptor| below(value + recaptor))),
            lost_for: values.map(|piece| values.map(|captor| captured.map(|before| mask(piece > captor + before)))),
            more_than: values.map(|piece| captured.map(|before| mask(piece > before))),
        }
    }
}

/// The exchanges after the moves of a position to each square.
pub(super) struct Contest<'a> {
    comparisons: &'a Comparisons,
    attackers: Attackers,
    defenders: Attackers,
    by_worth: &'a AttacksByWorth<'a>,
    lane: usize,
    /// What a move captures, with nothing as the last.
    captured: [u64; 6],
}

/// What is known of a piece that has moved to each square.
#[derive(Clone, Copy)]
pub(super) struct KnownOutcome {
    /// It is not lost.
    pub safe: u64,
    /// It is lost.
    pub lost: u64,
}

impl<'a> Contest<'a> {
    /// Of moves that the pieces of `attackers` answer, and those of `defenders` make.
    #[inline(always)]
    pub fn new<const PINS: bool>(
        comparisons: &'a Comparisons,
        [attackers, defenders]: [&AttackerRows<OF_MOVES>; 2],
        by_worth: &'a AttacksByWorth<'a>,
        captured: [u64; 6],
        lane: usize,
    ) -> Contest<'a> {
        let (attackers, defenders) = (attackers.get::<PINS>(lane), defenders.get::<PINS>(lane));
        Contest { comparisons, attackers, defenders, by_worth, lane, captured }
    }

    /// For pieces of one kind. One of the defenders has moved to the square, and defends it no more.
    #[inline(always)]
    pub fn decide<const KIND: usize>(&self) -> KnownOutcome {
        let Contest { comparisons, attackers, defenders, by_worth, lane, captured } = self;
        let [promoting, promoting_back] = [attackers.promoting(), defenders.promoting()];
        let [_, some, others] = defenders.counts;
        let mut of_kinds = defenders.kinds;
        of_kinds[KIND] = defenders.pairs[KIND - 1];
        let (mut more, mut lesser, mut dearly, mut refuted) = (0, 0, of_kinds[5], 0);
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
        for (defended, no_more) in of_kinds.iter().zip(by_worth.no_more) {
            dearly |= defended & no_more[*lane];
        }
        for (defended, in_profit) in of_kinds.iter().zip(by_worth.in_profit[KIND]) {
            refuted |= defended & !in_profit[*lane];
        }
        let [one, two, _] = attackers.counts;
        // A knight opens no line to the square to which it goes.
        let opened = if KIND == 1 { 0 } else { attackers.behind };
        // An attacker that the move has let through may be followed by a defender.
        let alone = one & !some & !attackers.behind;
        // A piece that comes from behind may leave a line to the next one.
        let outnumbered = two & some & !others & dearly & !(attackers.behind | promoting_back);
        let behind = attackers.behind | defenders.behind;
        let unclear = attackers.pinned | promoting | promoting_back;
        let once = one & !two & some & !(behind | unclear | lesser);
        let attacked = one | attackers.pinned | opened;
        KnownOutcome {
            safe: !attacked | !(more | promoting) | once | refuted & !(opened | unclear),
            lost: lesser | more & !promoting & !(defenders.behind | defenders.pinned) & (alone | outnumbered),
        }
    }
}
