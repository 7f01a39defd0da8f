//! Which moves lose the piece that moves, by an exchange on the square where it arrives.
//!
//! A move is the first capture of an exchange, of a piece or of nothing. So it becomes a capture of the piece that has
//! moved, in the position after the move. The other side must gain more than the move itself has captured.
//!
//! ```text
//!  attackers of both sides     by kind and number, one position per lane
//!   ▼
//!  squares by kind of piece    where it is safe, where it is lost, and where that is not decided
//!   ▼
//!  numbers                     of safe squares that each piece reaches, one position per lane
//!   ▼
//!  undecided moves             resolved with the captures of all positions, eight at a time
//! ```
//!
//! A move may begin and end pins. So the pins of an exchange are found again after the move, for a group of captures at a time, unless
//! none of its pieces may be pinned: scalar code would take twice as long.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use super::attackers::{AttackerRows, AttacksByWorth, Comparisons, Contest, OF_MOVES};
use super::{
    Captures, ExchangeBlock, ExchangeMemory, ExchangeRules, GROUP, ONE_FORM, Outcomes, Pinned, Place, WideValues, each,
    lanes_in_use, mask, tell, with_targets,
};
use crate::analysis::lanes::{
    self, BLOCK, Bitboard, HAS_BLOCKS, PaddedLanes, PositionArrays, SidePieces, SideView, kinds, lengths_match,
};
use crate::analysis::products::{BitSum, PinnedPieces, diagonal_attacks, orthogonal_attacks, seen_through};
use crate::analysis::shared::SharedSets;
use crate::batch::entries::{Planes, Task};
use crate::batch::lists::room;
use crate::line::Line;
use crate::position::{Color, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, each_direction, knight_attacks, ray, shifted, step};
use crate::{Backend, BatchError, Square, Squares, bishop_attacks, queen_attacks, rook_attacks};

impl Outcomes<'_> {
    /// The pieces whose moves are asked for.
    #[inline(always)]
    fn movers(&self, position: usize) -> u64 {
        if let Outcomes::Trapped(trapped) = self { trapped[position] } else { !0 }
    }

    /// Records safe moves of the piece on `from`.
    #[inline(always)]
    fn add(&mut self, position: usize, from: Square, safe: u64) {
        match self {
            Outcomes::Trapped(trapped) if safe != 0 => trapped[position] &= !from.bitboard(),
            Outcomes::SafeMoves(moves) => moves[position][usize::from(from.index())] += safe.count_ones() as u8,
            _ => {}
        }
    }
}

/// The knights, bishops, rooks and queens of `own` that `enemy` attacks, and that cannot go to a square without attackers. With `PINS`,
/// pinned pieces cannot go to any.
#[derive(Clone, Copy)]
struct CorneredPieces<const PINS: bool>;

impl<const PINS: bool> Bitboard for CorneredPieces<PINS> {
    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let (own, empty) = (&board.own, board.empty());
        // A slider that moves away from an attacker on its line stays attacked.
        let behind = seen_through(sets.turned().rays(), own.orthogonal, own.diagonal, empty);
        let attacked = sets.turned().attacked();
        let calm = !(attacked | behind | own.all | board.enemy.king);
        let free = own.knights & knight_attacks(calm)
            | own.diagonal & diagonal_attacks(calm, empty)
            | own.orthogonal & orthogonal_attacks(calm, empty);
        let bound = if PINS { PinnedPieces.compute(board, sets) } else { 0 };
        attacked & (own.knights | own.diagonal | own.orthogonal) & (!free | bound)
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
    match rules.pinned {
        Pinned::Capture => lanes::fill(backend, CorneredPieces::<false>, positions, color, out)?,
        Pinned::Stay => lanes::fill(backend, CorneredPieces::<true>, positions, color, out)?,
    }
    let columns = PositionArrays::new(positions, color.other());
    narrow(&columns, out, |some, cornered| {
        tell(backend, some, rules, &mut [Outcomes::Wins(cornered)]);
    });
    narrow(&columns, out, |some, lost| tell_moves(backend, some, rules, Outcomes::Trapped(lost)));
    Ok(())
}

/// Brings the positions whose set is not empty together to blocks, for `work` to remove squares from their sets. It takes all
/// positions as they are if most have some.
fn narrow(
    columns: &PositionArrays<'_, [u64]>,
    sets: &mut [u64],
    mut work: impl FnMut(PositionArrays<'_, [u64]>, &mut [u64]),
) {
    if 4 * sets.iter().filter(|&&set| set != 0).count() > 3 * sets.len() {
        return work(PositionArrays { ..*columns }, sets);
    }
    let mut lanes = MaybeUninit::uninit();
    let lanes: &mut PaddedLanes = room(&mut lanes);
    let (mut indexes, mut some, mut len) = ([0; BLOCK], [0; BLOCK], 0);
    for index in 0..sets.len() {
        if sets[index] != 0 {
            let [own, enemy] = &mut *lanes;
            for (lane, column) in own.iter_mut().chain(enemy).zip(columns.own.iter().chain(&columns.enemy)) {
                lane[len] = column[index];
            }
            (indexes[len], some[len], len) = (index, sets[index], len + 1);
        }
        if len == BLOCK || len != 0 && index + 1 == sets.len() {
            let [own, enemy] = [0, 1].map(|side| lanes[side].each_ref().map(|lanes| &lanes[..len]));
            work(PositionArrays { own, enemy, white: columns.white }, &mut some[..len]);
            for (&index, &set) in indexes[..len].iter().zip(&some) {
                sets[index] = set;
            }
            len = 0;
        }
    }
}

/// The number of safe moves of each piece, of both colours.
pub(in crate::analysis) fn safe_mobility(
    backend: Backend,
    positions: PositionSlice<'_>,
    rules: ExchangeRules,
    out: &mut [[u8; 64]],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    tell_moves(backend, PositionArrays::new(positions, Color::Black), rules, Outcomes::SafeMoves(out));
    Ok(())
}

/// Records the moves of `enemy`, or of both.
fn tell_moves(backend: Backend, columns: PositionArrays<'_, [u64]>, rules: ExchangeRules, out: Outcomes<'_>) {
    let (values, stay) = (WideValues::new(rules.values), rules.pinned == Pinned::Stay);
    if stay || ONE_FORM {
        backend.perform(MovesTask::<true> { backend, columns, values, stay, out });
    } else {
        backend.perform(MovesTask::<false> { backend, columns, values, stay, out });
    }
}

/// The moves of the pieces of the other colour, or of both. With `PINS`, pinned pieces may have to stay on the line of the pin.
struct MovesTask<'a, const PINS: bool> {
    backend: Backend,
    columns: PositionArrays<'a, [u64]>,
    values: WideValues,
    stay: bool,
    out: Outcomes<'a>,
}

impl<const PINS: bool> Task for MovesTask<'_, PINS> {
    #[inline(always)]
    fn perform(self) {
        let MovesTask { backend, columns, values, stay, mut out } = self;
        let counts = matches!(out, Outcomes::SafeMoves(_));
        let sides = if counts { 2 } else { 1 };
        let comparisons = Comparisons::new(&values);
        let mut memory = ExchangeMemory::<OF_MOVES>::new();
        let ExchangeMemory { rows, attackers, ranked, padded } = &mut memory;
        let (rows, attackers, ranked, padded) = (room(rows), room(attackers), room(ranked), room(padded));
        // Not made by `room`: then, the compiler makes no vectors of the loop that decides.
        let mut moves = [const { MoveSets::NONE }; 2];
        let mut captures = Captures::new(out.most(), true);
        let len = out.len();
        for start in (0..len).step_by(BLOCK) {
            let block = columns.block(start, padded);
            let blocks = [block.turned(), block];
            let places = start..len.min(start + BLOCK);
            let lanes = lanes_in_use(places.len());
            rows.fill::<PINS>(&blocks[1], lanes, stay);
            for side in 0..sides {
                let block = &blocks[1 - side];
                if PINS && stay {
                    moves[side].hold(block, lanes);
                }
                // The attackers of the one side are the defenders of the other.
                if PINS || side == 0 {
                    for (attackers, block) in attackers.iter_mut().zip(&blocks) {
                        attackers.fill::<PINS>(block, lanes, &moves[side].held);
                    }
                }
                let by_worth = ranked.fill(&attackers[1 - side], lanes, &comparisons);
                let sides = [&attackers[1 - side], &attackers[side]];
                moves[side].decide::<PINS>(block, lanes, &comparisons, &by_worth, sides);
            }
            match &mut out {
                Outcomes::SafeMoves(out) => {
                    let planes = safe_planes::<PINS>(&blocks[0], places.len(), &moves, &rows.pinned);
                    backend.numbers(&planes, &mut out[places.clone()]);
                }
                Outcomes::Trapped(trapped) => {
                    let with_safe_moves = with_safe_moves::<PINS>(&blocks[0], &moves[0], &rows.pinned);
                    for (trapped, safe) in trapped[places.clone()].iter_mut().zip(with_safe_moves) {
                        *trapped &= !safe;
                    }
                }
                Outcomes::Wins(_) | Outcomes::Gains(_) => {}
            }
            if PINS {
                for side in 0..sides {
                    add_pinned(&blocks[1 - side], rows, &moves[side], places.clone(), &mut out);
                }
            }
            for side in 0..sides {
                let block = &blocks[1 - side];
                let mut undecided = UndecidedMoves { lane: 0, kind: 0, targets: 0, target: Square::A1, from: 0 };
                loop {
                    let next = undecided.next::<PINS>(block, rows, &moves[side], &places, &mut out);
                    if let Some(from) = next {
                        let (lane, square) = (undecided.lane, undecided.target);
                        captures.push::<PINS>(rows, block, lane, Place { side: 0, position: start + lane, square });
                        captures.play(from, undecided.kind, moves[side].held[lane], &values);
                    } else if places.end < len || side + 1 < sides || captures.len == 0 {
                        break;
                    }
                    if captures.len == GROUP || next.is_none() {
                        captures.resolve::<PINS>(&values, slice::from_mut(&mut out));
                    }
                }
            }
        }
    }
}

/// What is known of the moves of the pieces of `enemy`, the other colour: knights, bishops, rooks, queens.
#[repr(align(64))] // as for shared rows
struct MoveSets {
    safe: [[u64; BLOCK]; 4],
    /// The squares that pieces of the kind reach, and where it is not decided whether they are lost.
    undecided: [[u64; BLOCK]; 4],
    /// The union of these.
    any: [u64; BLOCK],
    /// The squares that `own` attacks, except from behind other pieces.
    attacked: [u64; BLOCK],
    /// The pieces of `enemy` whose moves open a line to squares that they go to.
    faced: [u64; BLOCK],
    /// The pieces of both sides that may be pinned after a move.
    held: [u64; BLOCK],
}

impl MoveSets {
    const NONE: MoveSets = {
        const ZERO: [u64; BLOCK] = [0; BLOCK];
        MoveSets { safe: [ZERO; 4], undecided: [ZERO; 4], any: ZERO, attacked: ZERO, faced: ZERO, held: ZERO }
    };

    /// Finds the pieces that may be pinned after a move of `enemy`.
    #[inline(always)]
    fn hold(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, lanes: usize) {
        for lane in 0..lanes {
            let SideView { own, enemy, .. } = block.board(lane);
            let empty = !(own.all | enemy.all);
            self.held[lane] = pinned_before_or_after_move(&own, &enemy, enemy.all, empty)
                | pinned_before_or_after_move(&enemy, &own, enemy.all, empty);
        }
    }

    /// Decides about the moves of `enemy`, with the attackers and the defenders.
    #[inline(always)]
    fn decide<const PINS: bool>(
        &mut self,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        lanes: usize,
        comparisons: &Comparisons,
        by_worth: &AttacksByWorth<'_>,
        [attackers, defenders]: [&AttackerRows<OF_MOVES>; 2],
    ) {
        for lane in 0..lanes {
            let board = block.board(lane);
            let [pawns, knights, bishops, rooks, queens, _] = kinds(&block.own, lane);
            let captured = [pawns, knights, bishops, rooks, queens, board.empty()];
            let contest = Contest::new::<PINS>(comparisons, [attackers, defenders], by_worth, captured, lane);
            let decided = [contest.decide::<1>(), contest.decide::<2>(), contest.decide::<3>(), contest.decide::<4>()];
            let (attackers, defenders) = (attackers.get::<PINS>(lane), defenders.get::<PINS>(lane));
            let [_, knights, bishops, rooks, queens, _] = defenders.kinds;
            let (mut any, targets) = (0, !(board.enemy.all | board.own.king));
            for (kind, (decided, reached)) in decided.iter().zip([knights, bishops, rooks, queens]).enumerate() {
                let undecided = targets & (reached | defenders.pinned) & !(decided.safe | decided.lost);
                any |= undecided;
                self.safe[kind][lane] = decided.safe & targets;
                self.undecided[kind][lane] = undecided;
            }
            self.any[lane] = any;
            self.attacked[lane] = attackers.counts[0] | attackers.pinned;
            self.faced[lane] = attackers.faced;
        }
    }
}

/// The numbers of safe squares that pieces of both sides reach, except for pinned ones. `moves` are those of `own`, and those of
/// `enemy`.
#[inline(always)]
fn safe_planes<const PINS: bool>(
    block: &PositionArrays<'_, [u64; BLOCK]>,
    len: usize,
    moves: &[MoveSets; 2],
    pinned: &[u64; BLOCK],
) -> Planes {
    /// Of one position, without vectors.
    #[inline(never)]
    fn of_single(empty: u64, kinds: [[u64; 6]; 2], safe: [[u64; 4]; 2]) -> [u64; 5] {
        safe_numbers(empty, kinds, safe)
    }

    let mut planes: Planes = [[0; BLOCK]; 5];
    macro_rules! lane {
        ($lane:expr, $numbers:ident) => {
            let free = if PINS { !pinned[$lane] } else { !0 };
            let kinds = [free_kinds(&block.own, $lane, free), free_kinds(&block.enemy, $lane, free)];
            let safe = [each(&moves[0].safe, $lane), each(&moves[1].safe, $lane)];
            for (plane, sum) in planes.iter_mut().zip($numbers(block.board($lane).empty(), kinds, safe)) {
                plane[$lane] = sum;
            }
        };
    }
    // All lanes, not only those in use, or the compiler makes no vectors of the loop that decides.
    if HAS_BLOCKS && len == 1 {
        lane!(0, of_single);
    } else {
        for lane in 0..BLOCK {
            lane!(lane, safe_numbers);
        }
    }
    planes
}

/// The numbers of safe squares that pieces reach in one position.
#[inline(always)]
fn safe_numbers(empty: u64, [own, enemy]: [[u64; 6]; 2], [safe, other_safe]: [[u64; 4]; 2]) -> [u64; 5] {
    let mut sum = BitSum::default();
    let [_, knights, bishops, rooks, queens, _] = own;
    let [_, other_knights, other_bishops, other_rooks, other_queens, _] = enemy;
    macro_rules! direction {
        ($_at:expr, $by:expr, $knights_by:expr, $pieces:ident, $other_pieces:ident, $kind:expr) => {
            // The squares that are reached in one step, two, … seven steps back from the safe squares.
            let next = step::<{ -$by }>(empty);
            let mut free = step::<{ -$by }>(!0);
            let mut back = [safe[$kind], safe[3], other_safe[$kind], other_safe[3]];
            let mut steps = [0; 7];
            for steps in &mut steps {
                for back in &mut back {
                    *back = shifted::<{ -$by }, 1>(*back);
                }
                let [to, to_queens, other_to, other_to_queens] = back;
                let reached =
                    $pieces & to | queens & to_queens | $other_pieces & other_to | other_queens & other_to_queens;
                *steps = free & reached;
                free = next & shifted::<{ -$by }, 1>(free);
            }
            let leaps =
                knights & step::<{ -$knights_by }>(safe[0]) | other_knights & step::<{ -$knights_by }>(other_safe[0]);
            let [one, two, three, four, five, six, seven] = steps;
            sum.add([one, two, three, four, five, six, seven, leaps]);
        };
    }
    each_direction!(direction, [rooks, other_rooks, 2], [bishops, other_bishops, 1], [bishops, other_bishops, 1]);
    sum.0
}

/// The pieces of `own` that reach a safe square, except for pinned ones.
#[inline(always)]
fn with_safe_moves<const PINS: bool>(
    block: &PositionArrays<'_, [u64; BLOCK]>,
    moves: &MoveSets,
    pinned: &[u64; BLOCK],
) -> [u64; BLOCK] {
    let mut pieces = [0; BLOCK];
    for lane in 0..BLOCK {
        let (empty, safe) = (block.board(lane).empty(), each(&moves.safe, lane));
        let free = if PINS { !pinned[lane] } else { !0 };
        pieces[lane] = with_targets(kinds(&block.own, lane), safe, empty) & free;
    }
    pieces
}

/// The pieces of one colour by kind, of those in `free`.
#[inline(always)]
fn free_kinds(pieces: &[&[u64; BLOCK]; 7], lane: usize, free: u64) -> [u64; 6] {
    let mut kinds = kinds(pieces, lane);
    for pieces in &mut kinds {
        *pieces &= free;
    }
    kinds
}

/// Where a piece of a kind goes from a square, or comes from.
#[inline(always)]
fn reached(kind: usize, square: Square, occupied: u64) -> u64 {
    match kind {
        1 => knight_attacks(square.bitboard()),
        2 => bishop_attacks(square, occupied),
        3 => rook_attacks(square, occupied),
        _ => queen_attacks(square, occupied),
    }
}

/// The line through a pinned piece and its king.
#[inline(always)]
fn line_of_pin(from: Square, king: u64) -> u64 {
    Line::ALL.map(|line| line.through(from)).into_iter().find(|line| line & king != 0).unwrap_or(!0)
}

/// Records the safe moves of the pinned pieces of `enemy`.
fn add_pinned(
    block: &PositionArrays<'_, [u64; BLOCK]>,
    rows: &ExchangeBlock,
    moves: &MoveSets,
    places: Range<usize>,
    out: &mut Outcomes<'_>,
) {
    for (lane, position) in places.enumerate() {
        for kind in 1..5 {
            for from in Squares::from(block.enemy[kind][lane] & rows.pinned[lane]) {
                let line = line_of_pin(from, block.enemy[5][lane]);
                let safe = reached(kind, from, rows.occupied[lane]) & line & moves.safe[kind - 1][lane];
                out.add(position, from, safe);
            }
        }
    }
}

/// The moves of a block that are not decided, one after the other.
struct UndecidedMoves {
    lane: usize,
    kind: usize,
    /// Where pieces of this kind may go after `target`.
    targets: u64,
    target: Square,
    /// The pieces that go to `target` next.
    from: u64,
}

impl UndecidedMoves {
    /// The next piece that moves to `target`. Records moves that are safe after all, because the piece opens no line.
    #[inline(always)]
    fn next<const PINS: bool>(
        &mut self,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        rows: &ExchangeBlock,
        moves: &MoveSets,
        places: &Range<usize>,
        out: &mut Outcomes<'_>,
    ) -> Option<Square> {
        loop {
            let lane = self.lane;
            if let Some(from) = Squares::from(self.from).next() {
                self.from &= self.from - 1;
                return Some(from);
            }
            if let Some(target) = Squares::from(self.targets).next() {
                self.targets &= self.targets - 1;
                let (position, king) = (places.start + lane, block.enemy[5][lane]);
                let mut from = block.enemy[self.kind][lane] & reached(self.kind, target, rows.occupied[lane]);
                from &= out.movers(position);
                if PINS {
                    let bound = |&from: &Square| line_of_pin(from, king) & target.bitboard() == 0;
                    from &= !Squares::from(from & rows.pinned[lane]).filter(bound).map(Square::bitboard).sum::<u64>();
                }
                if moves.attacked[lane] & target.bitboard() == 0 {
                    for from in Squares::from(from & !moves.faced[lane]) {
                        out.add(position, from, target.bitboard());
                    }
                    from &= moves.faced[lane];
                }
                (self.target, self.from) = (target, from);
            } else if self.kind < 4 && moves.any[lane] != 0 {
                let movers = block.enemy[self.kind + 1][lane] & out.movers(places.start + lane);
                self.targets = moves.undecided[self.kind][lane] & mask(movers != 0);
                self.kind += 1;
            } else if lane + 1 < places.len() {
                (self.lane, self.kind) = (lane + 1, 0);
            } else {
                return None;
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
        ($_at:expr, $by:expr, $_knights_by:expr, $sliders:ident) => {
            let (from_king, from_sliders) = (ray::<{ $by }>(own.king, empty), ray::<{ -$by }>(enemy.$sliders, empty));
            let behind = ray::<{ $by }>(from_king & movers, empty);
            let before = ray::<{ -$by }>(from_sliders & movers, empty);
            between |= from_king & (from_sliders | before) | behind & from_sliders;
        };
    }
    each_direction!(direction, [orthogonal], [diagonal], [diagonal]);
    own.all & between
}

impl Captures {
    /// Makes the last one a capture of the piece on `from` after its move to the square. It is listed with `from`. Which of the pieces
    /// that may be pinned then are is found later.
    #[inline(always)]
    fn play(&mut self, from: Square, kind: usize, may_be_pinned: u64, values: &WideValues) {
        let at = (self.len - 1) % GROUP;
        let (target, from_board) = (self.targets[at], from.bitboard());
        self.places[at].square = from;
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
