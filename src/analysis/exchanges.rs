//! Material won by the captures on a square, by the swap algorithm.
//!
//! ```text
//!  a block of positions        what the attackers and defenders of each square decide, one position per lane
//!   ▼
//!  a list of other captures    each with the pieces of its position, and the lines through its square
//!   ▼
//!  eight captures at a time    one capture per lane; each round, the side to move captures with its least valuable piece
//! ```
//!
//! All loops over lanes are without branches, so that the compiler makes vectors of them. A round finds all sliders on the
//! four lines again.
//!
//! These loops are long, and compiled once per instruction set. So the requested output is a value, not a type
//! parameter, and the captures are resolved in one place: as types and in two places, it took 2.6 times as many bytes
//! with AVX2, in about the same time.
//!
//! # Bounds in place of a list of gains
//!
//! The usual form keeps the gain of each capture, and chooses backwards in the end. Here, each lane has two bounds of
//! the result: the guaranteed outcomes of the two sides. The side to move may stop, so it has at least the balance so
//! far; and it cannot win more than the piece that stands on the square, or nothing if it has no attacker. Where the
//! bounds meet, the result is known, mostly long before the attackers are used up. Without the rule on missing
//! attackers, it takes 1.3 times as long. To find out only whether a capture wins, begin with the bounds 0 and 1.
//!
//! The numbers are small integers as `f64`: lanes of 64 bits, for which every instruction set has a minimum and a maximum.
//!
//! With AVX2 on Zen 3, groups of 4 take as long as groups of 8, and groups of 16 take 1.08 times as long, because a
//! group goes on until its last lane is done. Keeping undefended pieces in a separate list takes 1.09 times as long,
//! because it needs another attack map.

mod attackers;
mod moves;

use attackers::{AttackerRows, AttacksByWorth, Comparisons, RankedRows};
pub(super) use moves::{safe_mobility, trapped};

use core::fmt;
use core::mem::MaybeUninit;
use core::str::FromStr;

use super::lanes::{BLOCK, Bitboard, LANES, PaddedLanes, PositionArrays, SidePieces, SideView, kinds, lengths_match};
use super::moves::mask;
use super::products::{PinnedPieces, diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks};
use crate::batch::entries::Task;
use crate::batch::lists::{room, rows};
use crate::line::Line;
use crate::position::{Color, PositionSlice};
use crate::{Backend, BatchError, Square, Squares};

/// The values of pieces in an exchange: by default 1 for a pawn, 3 for a knight and for a bishop, 5 for a rook, 9 for a
/// queen.
///
/// ```
/// use slider_attacks::analysis::PieceValues;
///
/// let values: PieceValues = "1,3,4,5,9".parse()?; // bishops are worth more than knights
/// assert_eq!(Some(values), PieceValues::new([1, 3, 4, 5, 9]));
/// assert_eq!((values.get(), PieceValues::new([1, 3, 3, 5, 64])), ([1, 3, 4, 5, 9], None));
/// # Ok::<(), slider_attacks::analysis::ParseValuesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceValues([u8; 5]);

impl PieceValues {
    /// The most that a piece can be worth, so that a gain is below 128.
    pub const MOST: u8 = 63;

    /// The values of a pawn, a knight, a bishop, a rook and a queen, or `None` if one is above [`MOST`](Self::MOST).
    #[must_use]
    pub const fn new(values: [u8; 5]) -> Option<PieceValues> {
        let mut at = 0;
        while at < values.len() {
            if values[at] > PieceValues::MOST {
                return None;
            }
            at += 1;
        }
        Some(PieceValues(values))
    }

    /// The values of a pawn, a knight, a bishop, a rook and a queen.
    #[must_use]
    pub const fn get(self) -> [u8; 5] {
        self.0
    }

    /// The number of bits of the largest.
    fn bits(self) -> usize {
        self.0.into_iter().fold(0, |all, value| all | value).checked_ilog2().map_or(0, |bit| bit as usize + 1)
    }
}

/// Five numbers with commas between them, as in `1,3,3,5,9`.
impl fmt::Display for PieceValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [pawn, knight, bishop, rook, queen] = self.0;
        write!(f, "{pawn},{knight},{bishop},{rook},{queen}")
    }
}

impl FromStr for PieceValues {
    type Err = ParseValuesError;

    fn from_str(text: &str) -> Result<PieceValues, ParseValuesError> {
        let refused = || ParseValuesError(text.to_owned());
        let mut values = [0; 5];
        let mut numbers = text.split(',');
        for value in &mut values {
            let number = numbers.next().ok_or_else(refused)?;
            let is_number = matches!(number.as_bytes(), [b'0'..=b'9'] | [b'1'..=b'9', b'0'..=b'9']);
            *value = number.parse().ok().filter(|_| is_number).ok_or_else(refused)?;
        }
        PieceValues::new(values).filter(|_| numbers.next().is_none()).ok_or_else(refused)
    }
}

crate::error::parse_error! {
    /// The text does not have the values of pieces.
    ParseValuesError,
    "expected five numbers from 0 to {most}, for pawn, knight, bishop, rook and queen, such as {usual}",
    most = PieceValues::MOST, usual = PieceValues::default()
}

impl Default for PieceValues {
    fn default() -> PieceValues {
        PieceValues([1, 3, 3, 5, 9])
    }
}

/// The rules of an exchange.
///
/// ```
/// use slider_attacks::analysis::{ExchangeRules, Pinned};
///
/// let rules = ExchangeRules { pinned: Pinned::Stay, ..ExchangeRules::default() };
/// assert_eq!(rules.values.to_string(), "1,3,3,5,9");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExchangeRules {
    /// The values of the pieces.
    pub values: PieceValues,
    /// The role of pinned pieces.
    pub pinned: Pinned,
}

/// The role of a piece pinned to its king in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pinned {
    /// It captures like all others.
    #[default]
    Capture,
    /// It captures only on the line of the pin, as the board is before the first capture. Where a move leads to the
    /// exchange, that is the board after the move. Elsewhere, the piece only keeps the enemy king from capturing.
    Stay,
}

crate::error::names! { Pinned, 2: Capture "capture", Stay "stay" }

/// The requested output for the captures of each position.
enum Outcomes<'a> {
    /// The squares with a gain, of those that the set holds before.
    Wins(&'a mut [u64]),
    /// The gain on each square.
    Gains(&'a mut [[u8; 64]]),
    /// The pieces without a safe move, of those that the set holds before.
    Trapped(&'a mut [u64]),
    /// The number of safe moves of each piece.
    SafeMoves(&'a mut [[u8; 64]]),
}

impl Outcomes<'_> {
    fn len(&self) -> usize {
        match self {
            Outcomes::Wins(boards) | Outcomes::Trapped(boards) => boards.len(),
            Outcomes::Gains(numbers) | Outcomes::SafeMoves(numbers) => numbers.len(),
        }
    }

    /// The largest gain that is distinguished from smaller ones.
    fn most(&self) -> f64 {
        if matches!(self, Outcomes::Gains(_)) { f64::INFINITY } else { 1.0 }
    }

    /// Records the gain of a capture. If its square is the origin of a move, the move is safe where the gain is 0.
    #[inline(always)]
    fn set(&mut self, &Place { position, square, .. }: &Place, gain: u64) {
        let at = usize::from(square.index());
        match self {
            Outcomes::Gains(gains) => gains[position][at] = gain as u8,
            Outcomes::Wins(boards) | Outcomes::Trapped(boards) => boards[position] &= !((gain ^ 1) << at),
            Outcomes::SafeMoves(moves) => moves[position][at] += 1 - gain as u8,
        }
    }
}

/// The gain of each capture of `color`.
pub(super) fn gains(
    backend: Backend,
    positions: PositionSlice<'_>,
    color: Color,
    rules: ExchangeRules,
    out: &mut [[u8; 64]],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    tell(backend, PositionArrays::new(positions, color), rules, &mut [Outcomes::Gains(out)]);
    Ok(())
}

/// The gain of each capture of White, and of Black.
pub(super) fn gains_of_both(
    backend: Backend,
    positions: PositionSlice<'_>,
    rules: ExchangeRules,
    out: [&mut [[u8; 64]]; 2],
) -> Result<(), BatchError> {
    out.iter().try_for_each(|out| lengths_match(positions, out.len()))?;
    tell(backend, PositionArrays::new(positions, Color::White), rules, &mut out.map(Outcomes::Gains));
    Ok(())
}

/// The pieces whose capture by `color` has a gain.
pub(super) fn wins(
    backend: Backend,
    positions: PositionSlice<'_>,
    color: Color,
    rules: ExchangeRules,
    out: &mut [u64],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    out.fill(!0);
    tell(backend, PositionArrays::new(positions, color), rules, &mut [Outcomes::Wins(out)]);
    Ok(())
}

/// Records the captures of `own`, and then those of `enemy` if there is a second element of `outs`.
fn tell(backend: Backend, columns: PositionArrays<'_, [u64]>, rules: ExchangeRules, outs: &mut [Outcomes<'_>]) {
    let (values, stay) = (WideValues::new(rules.values), rules.pinned == Pinned::Stay);
    if stay || ONE_FORM {
        backend.perform(AllExchanges::<true> { backend, columns, values, stay, outs });
    } else {
        backend.perform(AllExchanges::<false> { backend, columns, values, stay, outs });
    }
}

/// Whether [`Pinned::Capture`] also uses the code for [`Pinned::Stay`], with empty sets of pinned pieces. That saves 10 KB of the page.
const ONE_FORM: bool = cfg!(target_arch = "wasm32");

/// All captures. With `PINS`, pinned pieces may have to stay.
struct AllExchanges<'a, 'b, const PINS: bool> {
    backend: Backend,
    columns: PositionArrays<'a, [u64]>,
    values: WideValues,
    stay: bool,
    outs: &'a mut [Outcomes<'b>],
}

impl<const PINS: bool> Task for AllExchanges<'_, '_, PINS> {
    #[inline(always)]
    fn perform(self) {
        let AllExchanges { backend, columns, values, stay, outs } = self;
        let (len, is_of_gains) = (outs[0].len(), matches!(outs[0], Outcomes::Gains(_)));
        let comparisons = Comparisons::new(&values);
        let mut memory = ExchangeMemory::<0>::new();
        let ExchangeMemory { rows, attackers, ranked, padded } = &mut memory;
        let (rows, attackers, ranked, padded) = (room(rows), room(attackers), room(ranked), room(padded));
        let mut sets = MaybeUninit::uninit();
        let sets: &mut CaptureSets = room(&mut sets);
        sets.planes = [[0; BLOCK]; VALUE_BITS];
        let mut captures = Captures::new(outs[0].most(), false);
        for start in (0..len).step_by(BLOCK) {
            let block = columns.block(start, padded);
            let blocks = [block.turned(), block];
            let places = start..len.min(start + BLOCK);
            let lanes = lanes_in_use(places.len());
            rows.fill::<PINS>(&blocks[1], lanes, stay);
            for (attackers, block) in attackers.iter_mut().zip(&blocks) {
                attackers.fill::<PINS>(block, lanes, &rows.pinned);
            }
            for side in 0..outs.len() {
                let block = &blocks[1 - side];
                let by_worth = ranked.fill(&attackers[1 - side], lanes, &comparisons);
                sets.decide::<PINS>(
                    block,
                    lanes,
                    &comparisons,
                    &by_worth,
                    [&attackers[1 - side], &attackers[side]],
                    is_of_gains,
                );
                match &mut outs[side] {
                    Outcomes::Wins(wins) => sets.write_wins(&mut wins[places.clone()]),
                    Outcomes::Gains(gains) => {
                        sets.fill_planes(&block.enemy, lanes, &attackers[1 - side].kinds, values.values);
                        let gains = &mut gains[places.clone()];
                        if backend.has_matrices() {
                            sets.write_planes(backend, gains);
                        } else if values.values.bits() <= 4 {
                            sets.write_gains::<4>(gains);
                        } else {
                            sets.write_gains::<VALUE_BITS>(gains);
                        }
                    }
                    Outcomes::Trapped(_) | Outcomes::SafeMoves(_) => {}
                }
                let mut undecided = UndecidedCaptures::new(&sets.targets, places.len());
                loop {
                    let next = undecided.next();
                    if let Some((lane, target)) = next {
                        captures.push::<PINS>(
                            rows,
                            block,
                            lane,
                            Place { side, position: start + lane, square: target },
                        );
                    } else if places.end < len || side + 1 < outs.len() || captures.len == 0 {
                        break;
                    }
                    if captures.len == GROUP || next.is_none() {
                        captures.resolve::<PINS>(&values, outs);
                    }
                }
            }
        }
    }
}

/// The number of lanes that this many positions of a block take, in full vectors of all instruction sets. Short calls
/// compute no others.
#[inline(always)]
fn lanes_in_use(positions: usize) -> usize {
    positions.next_multiple_of(LANES).min(BLOCK)
}

/// The captures of a block that are not decided, one after the other.
struct UndecidedCaptures<'a> {
    targets: &'a [u64; BLOCK],
    /// The lanes that have some, after this one.
    lanes: u64,
    lane: usize,
    of_lane: u64,
}

impl<'a> UndecidedCaptures<'a> {
    #[inline(always)]
    fn new(targets: &'a [u64; BLOCK], len: usize) -> Self {
        let mut lanes = 0;
        for (lane, &targets) in targets.iter().enumerate() {
            lanes |= u64::from(targets != 0) << lane;
        }
        UndecidedCaptures { targets, lanes: lanes & !0 >> (BLOCK - len), lane: 0, of_lane: 0 }
    }

    /// The lane, and the square.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Square)> {
        if self.of_lane == 0 {
            self.lane = Squares::from(self.lanes).next()?.index().into();
            self.lanes &= self.lanes - 1;
            self.of_lane = self.targets[self.lane];
        }
        let square = Squares::from(self.of_lane).next()?;
        self.of_lane &= self.of_lane - 1;
        Some((self.lane, square))
    }
}

/// The values of pieces, as 64-bit numbers.
struct WideValues {
    values: PieceValues,
    of_kind: [f64; 5],
    /// The kinds, the least valuable first.
    order: [usize; 5],
    queen: f64,
    /// The gain of a promotion to a queen.
    promotion: f64,
}

impl WideValues {
    fn new(values: PieceValues) -> WideValues {
        let mut order = [0, 1, 2, 3, 4];
        order.sort_by_key(|&kind| values.0[kind]);
        let of_kind = values.0.map(f64::from);
        WideValues { values, of_kind, order, queen: of_kind[4], promotion: of_kind[4] - of_kind[0] }
    }
}

/// Memory that nobody clears.
struct ExchangeMemory<const OF_MOVES: usize> {
    rows: MaybeUninit<ExchangeBlock>,
    attackers: MaybeUninit<[AttackerRows<OF_MOVES>; 2]>,
    ranked: MaybeUninit<RankedRows>,
    padded: MaybeUninit<PaddedLanes>,
}

impl<const OF_MOVES: usize> ExchangeMemory<OF_MOVES> {
    #[inline(always)]
    const fn new() -> Self {
        ExchangeMemory {
            rows: MaybeUninit::uninit(),
            attackers: MaybeUninit::uninit(),
            ranked: MaybeUninit::uninit(),
            padded: MaybeUninit::uninit(),
        }
    }
}

rows! {
    /// What captures need of a block of positions.
    struct ExchangeBlock {
        occupied: [u64; BLOCK],
        pinned: [u64; BLOCK],
        /// Pawns, knights, bishops, rooks, queens, of both colours.
        kinds: [[u64; BLOCK]; 5],
    }
}

impl ExchangeBlock {
    #[inline(always)]
    fn fill<const PINS: bool>(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, lanes: usize, stay: bool) {
        if PINS && stay {
            for lane in 0..lanes {
                let board = block.board(lane);
                self.pinned[lane] = pinned(board) | pinned(board.turned());
            }
        } else if PINS {
            self.pinned = [0; BLOCK];
        }
        for lane in 0..lanes {
            self.occupied[lane] = block.own[6][lane] | block.enemy[6][lane];
        }
        for (kind, (own, enemy)) in self.kinds.iter_mut().zip(block.own.iter().zip(&block.enemy)) {
            for lane in 0..lanes {
                kind[lane] = own[lane] | enemy[lane];
            }
        }
    }
}

rows! {
    /// What is decided about the captures of `own` in a block of positions.
    struct CaptureSets {
        /// The pieces whose capture is not decided.
        targets: [u64; BLOCK],
        /// Those that are lost for nothing, and those that are lost for a lesser piece.
        full: [u64; BLOCK],
        lesser: [u64; BLOCK],
        /// The bits of the gains, lowest first.
        planes: [[u64; BLOCK]; VALUE_BITS],
    }
}

impl CaptureSets {
    /// Decides what the attackers and the defenders decide.
    #[inline(always)]
    fn decide<const PINS: bool>(
        &mut self,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        lanes: usize,
        comparisons: &Comparisons,
        by_worth: &AttacksByWorth<'_>,
        [attackers, defenders]: [&AttackerRows<0>; 2],
        is_of_gains: bool,
    ) {
        let exact = mask(is_of_gains);
        for lane in 0..lanes {
            let victims = kinds(&block.enemy, lane);
            let (attackers, defenders) = (attackers.get::<PINS>(lane), defenders.get::<PINS>(lane));
            let ([one, two, _], [some, others, _]) = (attackers.counts, defenders.counts);
            let [promoting, promoting_back] = [attackers.promoting(), defenders.promoting()];
            let (mut all, mut more, mut lesser, mut refuted, mut dearly) = (0, promoting, 0, 0, defenders.kinds[5]);
            for (kind, victims) in victims.into_iter().take(5).enumerate() {
                all |= victims;
                more |= victims & comparisons.more_than[kind][5];
                lesser |= victims & by_worth.less[kind][lane];
                dearly |= defenders.kinds[kind] & by_worth.no_more[kind][lane];
                let mut by = 0;
                for (defended, in_profit) in defenders.kinds.iter().zip(by_worth.in_profit[kind]) {
                    by |= defended & !in_profit[lane];
                }
                refuted |= victims & by;
            }
            lesser &= !promoting_back;
            let behind = attackers.behind | defenders.behind;
            let unclear = attackers.pinned | promoting | promoting_back;
            let once = one & !two & some & !(behind | unclear);
            // A piece that comes from behind may leave a line to the next one.
            let outnumbered = two & some & !others & dearly & !(attackers.behind | promoting_back);
            let hidden = defenders.behind | defenders.pinned;
            let safe = !(one | attackers.pinned) | !more | once & !lesser | refuted & !unclear;
            lesser &= all & (once | !exact);
            let full = all & more & !promoting & !hidden & (one & !some | outnumbered);
            self.lesser[lane] = lesser;
            self.full[lane] = full;
            self.targets[lane] = all & !(safe | lesser | full);
        }
    }

    /// Removes the captures that have no gain from `wins`, and those that are not in it from the undecided ones.
    #[inline(always)]
    fn write_wins(&mut self, wins: &mut [u64]) {
        let CaptureSets { targets, full, lesser, .. } = self;
        for (wins, (targets, (full, lesser))) in wins.iter_mut().zip(targets.iter_mut().zip(full.iter().zip(lesser))) {
            *wins &= full | *lesser | *targets;
            *targets &= *wins;
        }
    }

    /// Subtracts the values of the lesser pieces from those of the captured ones, bit by bit, all squares at once.
    #[inline(always)]
    fn fill_planes(
        &mut self,
        victims: &[&[u64; BLOCK]; 7],
        lanes: usize,
        captors: &[[u64; BLOCK]; 6],
        values: PieceValues,
    ) {
        let mut borrow = [0; BLOCK];
        let (bits, PieceValues(values)) = (values.bits(), values);
        for (bit, plane) in self.planes[..bits].iter_mut().enumerate() {
            let has_bit = values.map(|value| mask(value >> bit & 1 != 0));
            for lane in 0..lanes {
                let (mut won, mut lost) = (0, 0);
                for (kind, has_bit) in has_bit.into_iter().enumerate() {
                    won |= victims[kind][lane] & has_bit;
                    lost |= captors[kind][lane] & has_bit;
                }
                won &= self.full[lane] | self.lesser[lane];
                lost &= self.lesser[lane];
                plane[lane] = won ^ lost ^ borrow[lane];
                borrow[lane] = !won & (lost | borrow[lane]) | lost & borrow[lane];
            }
        }
    }

    /// Writes all numbers of the planes.
    #[inline(always)]
    fn write_planes(&self, backend: Backend, gains: &mut [[u8; 64]]) {
        let [low @ .., highest] = &self.planes;
        backend.numbers(low, gains);
        if highest[..gains.len()].iter().any(|&squares| squares != 0) {
            for (gains, squares) in gains.iter_mut().zip(highest) {
                Squares::from(*squares).for_each(|square| gains[usize::from(square.index())] += 1 << (VALUE_BITS - 1));
            }
        }
    }

    /// Writes the gains, which have this many bits, one by one. Two squares at a time, needed or not: branches on their
    /// number would be hard to predict.
    #[inline(always)]
    fn write_gains<const BITS: usize>(&self, gains: &mut [[u8; 64]]) {
        for (lane, gains) in gains.iter_mut().enumerate() {
            *gains = [0; 64];
            let mut squares = self.full[lane] | self.lesser[lane];
            loop {
                for _ in 0..2 {
                    // Of a1, if there is no square left.
                    let (at, mut gain) = (squares.trailing_zeros() % 64, 0);
                    for (bit, plane) in self.planes[..BITS].iter().enumerate() {
                        gain |= (plane[lane] >> at & 1) << bit;
                    }
                    gains[at as usize] = gain as u8;
                    squares &= squares.wrapping_sub(1);
                }
                if squares == 0 {
                    break;
                }
            }
        }
    }
}

/// The number of bits of a value.
const VALUE_BITS: usize = PieceValues::MOST.ilog2() as usize + 1;

/// The knights, bishops, rooks and queens that reach a square in `targets`, by kind.
#[inline(always)]
fn with_targets(pieces: [u64; 6], targets: [u64; 4], empty: u64) -> u64 {
    let ([_, knights, bishops, rooks, queens, _], [to, to_bishops, to_rooks, to_queens]) = (pieces, targets);
    knights & knight_attacks(to)
        | bishops & diagonal_attacks(to_bishops, empty)
        | rooks & orthogonal_attacks(to_rooks, empty)
        | queens & (diagonal_attacks(to_queens, empty) | orthogonal_attacks(to_queens, empty))
}

/// The number of captures that are resolved at a time.
const GROUP: usize = 8;

type Lanes<T = u64> = [T; GROUP];

/// Where the gain of a capture is recorded.
#[derive(Clone, Copy)]
struct Place {
    /// Of the outcomes.
    side: usize,
    position: usize,
    square: Square,
}

/// Some captures, one per lane.
struct Captures {
    /// How many there are.
    len: usize,
    places: Lanes<Place>,
    targets: Lanes,
    own: Lanes,
    /// All ones if `own` are white, else zero.
    white: Lanes,
    occupied: Lanes,
    pinned: Lanes,
    kinds: [Lanes; 5],
    /// The lines through the target, in the order of [`Line`].
    lines: [Lanes; 4],
    /// The other side's earlier winnings: gains count from there on.
    floors: Lanes<f64>,
    /// Whether a move leads to each, which may change the pins.
    follow_moves: bool,
    /// The largest gain that is distinguished from smaller ones.
    most: f64,
}

impl Captures {
    fn new(most: f64, follow_moves: bool) -> Captures {
        const ZERO: Lanes = [0; GROUP];
        Captures {
            len: 0,
            places: [Place { side: 0, position: 0, square: Square::A1 }; GROUP],
            targets: ZERO,
            own: ZERO,
            white: ZERO,
            occupied: ZERO,
            pinned: ZERO,
            kinds: [ZERO; 5],
            lines: [ZERO; 4],
            floors: [0.0; GROUP],
            follow_moves,
            most,
        }
    }

    #[inline(always)]
    fn push<const PINS: bool>(
        &mut self,
        rows: &ExchangeBlock,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        lane: usize,
        place: Place,
    ) {
        let at = self.len % GROUP;
        self.places[at] = place;
        self.targets[at] = place.square.bitboard();
        self.own[at] = block.own[6][lane];
        self.white[at] = block.white;
        self.occupied[at] = rows.occupied[lane];
        if PINS {
            self.pinned[at] = rows.pinned[lane];
        }
        for (kind, row) in self.kinds.iter_mut().zip(&rows.kinds) {
            kind[at] = row[lane];
        }
        for (lanes, line) in self.lines.iter_mut().zip(Line::ALL) {
            lanes[at] = line.through(place.square);
        }
        self.floors[at] = 0.0;
        self.len += 1;
    }

    /// Computes the outcomes, and begins anew.
    #[inline(always)]
    fn resolve<const PINS: bool>(&mut self, values: &WideValues, outs: &mut [Outcomes<'_>]) {
        const ZERO: Lanes = [0; GROUP];
        const NONE: Lanes<f64> = [0.0; GROUP];
        // By their values. A copy, so that the compiler sees that no store changes later reads.
        let ordered = values.order.map(|kind| self.kinds[kind]);
        let worths = values.order.map(|kind| values.of_kind[kind]);
        // `leapers` are the pawns, knights and kings that attack the target, `allowed` the pieces that may capture.
        let [mut occupied, mut orthogonal, mut diagonal, mut leapers, mut allowed, mut attackers, mut mover] =
            [ZERO; 7];
        // Of a capture: who makes it, whether it is a king, whether the side stops instead, whether the other side can go on.
        let [mut from, mut kings, mut stops, mut promotes, mut goes_on] = [ZERO; 5];
        let mut next_worth = NONE;
        // The bounds, as the side to move sees them, its balance, and the piece on the target.
        let [mut low, mut high, mut balance, mut worth, mut promotion] = [NONE; 5];
        let (most, queen, upgrade) = (self.most, values.queen, values.promotion);

        if PINS && self.follow_moves && self.pinned.iter().any(|&pinned| pinned != 0) {
            for lane in 0..GROUP {
                self.pinned[lane] = self.pinned_after_move(lane);
            }
        }
        for lane in 0..GROUP {
            let (target, own) = (self.targets[lane], self.own[lane]);
            let [pawns, knights, bishops, rooks, queens] = each(&self.kinds, lane);
            let kings = self.occupied[lane] & !(pawns | knights | bishops | rooks | queens);
            let mut value = 0.0;
            for kind in 0..5 {
                value = number(mask(self.kinds[kind][lane] & target != 0), values.of_kind[kind], value);
            }
            let [own_east, own_west] = pawn_attacks(target, !self.white[lane]);
            let [enemy_east, enemy_west] = pawn_attacks(target, self.white[lane]);
            let of_pawns = (own_east | own_west) & own | (enemy_east | enemy_west) & !own;
            let leaping = of_pawns & pawns | knight_attacks(target) & knights | king_attacks(target) & kings;
            let occ = self.occupied[lane] & !target;
            let lines = each(&self.lines, lane);
            let mut free = !0;
            if PINS {
                for side in [own, !own] {
                    let mut on_line = 0;
                    for line in lines {
                        on_line |= line & mask(line & kings & side != 0);
                    }
                    free &= !(self.pinned[lane] & side & !on_line);
                }
            }
            let more = number(mask(target & LAST_RANKS != 0), upgrade, 0.0);
            occupied[lane] = occ;
            orthogonal[lane] = rooks | queens;
            diagonal[lane] = bishops | queens;
            leapers[lane] = leaping;
            allowed[lane] = free;
            attackers[lane] = occ & (leaping | seen(occ, target, lines, rooks | queens, bishops | queens));
            mover[lane] = own;
            worth[lane] = value;
            promotion[lane] = more;
            let floor = self.floors[lane];
            low[lane] = floor;
            high[lane] = max(floor, min(value + max(more, 0.0), floor + most));
        }

        let mut sign = 1.0;
        loop {
            let mut open = 0;
            for lane in 0..GROUP {
                open |= mask(low[lane] < high[lane]);
            }
            if open == 0 {
                break;
            }
            // Three loops take 0.96 of the time of one.
            for lane in 0..GROUP {
                let pool = attackers[lane] & mover[lane] & allowed[lane];
                let (mut chosen, mut value, mut king) = (pool, 0.0, pool);
                for kind in (0..5).rev() {
                    let some = pool & ordered[kind][lane];
                    chosen = choose(mask(some != 0), some, chosen);
                    value = number(mask(some != 0), worths[kind], value);
                    king &= !ordered[kind][lane];
                }
                from[lane] = chosen & chosen.wrapping_neg();
                next_worth[lane] = value;
                kings[lane] = king;
            }
            for lane in 0..GROUP {
                let (target, own) = (self.targets[lane], mover[lane]);
                let occ = occupied[lane] & !from[lane];
                let lines = each(&self.lines, lane);
                let attack = occ & (leapers[lane] | seen(occ, target, lines, orthogonal[lane], diagonal[lane]));
                occupied[lane] = occ;
                attackers[lane] = attack;
                mover[lane] = !own;
                // A king stays where it is if the square is defended.
                stops[lane] = mask(from[lane] == 0) | mask(from[lane] & kings[lane] != 0) & mask(attack & !own != 0);
                goes_on[lane] = mask(attack & !own & allowed[lane] != 0);
                promotes[lane] = mask(from[lane] & self.kinds[0][lane] != 0) & mask(target & LAST_RANKS != 0);
            }
            for lane in 0..GROUP {
                let (lowest, highest, sum, prize, more) =
                    (low[lane], high[lane], balance[lane], worth[lane], promotion[lane]);
                let gained = prize + number(promotes[lane], upgrade, 0.0);
                let prize = number(promotes[lane], queen, next_worth[lane]);
                // From here on as the other side sees it.
                let (lowest, highest) = (-number(stops[lane], lowest, highest), -lowest);
                let sum = -sum - gained;
                let best = sum + number(goes_on[lane], prize + max(more, 0.0), 0.0);
                worth[lane] = prize;
                balance[lane] = sum;
                low[lane] = max(lowest, min(sum, highest));
                high[lane] = max(lowest, min(best, highest));
            }
            sign = -sign;
        }
        for (at, place) in self.places[..self.len].iter().enumerate() {
            outs[place.side].set(place, integer(sign * low[at] - self.floors[at]));
        }
        self.len = 0;
    }
}

impl Captures {
    /// The pieces of both sides that are pinned once the piece on the target has moved there.
    #[inline(always)]
    fn pinned_after_move(&self, lane: usize) -> u64 {
        let [pawns, knights, bishops, rooks, queens] = each(&self.kinds, lane);
        let kings = self.occupied[lane] & !(pawns | knights | bishops | rooks | queens);
        let occupied = self.occupied[lane] | self.targets[lane];
        let [own, enemy] = [self.own[lane], !self.own[lane]].map(|side| SidePieces {
            pawns: pawns & side,
            knights: knights & side,
            orthogonal: (rooks | queens) & side,
            diagonal: (bishops | queens) & side,
            king: kings & side,
            all: occupied & side,
        });
        let white = self.white[lane];
        pinned(SideView { own, enemy, white }) | pinned(SideView { own: enemy, enemy: own, white: !white })
    }
}

/// The pieces of `own` that are pinned.
#[inline(always)]
fn pinned(board: SideView) -> u64 {
    PinnedPieces.compute(&board, board)
}

/// The element of a lane in several arrays.
#[inline(always)]
pub(super) fn each<const N: usize, const LANES: usize>(lanes: &[[u64; LANES]; N], lane: usize) -> [u64; N] {
    let mut of_lane = [0; N];
    for (one, lanes) in of_lane.iter_mut().zip(lanes) {
        *one = lanes[lane];
    }
    of_lane
}

/// The sliders that see `target` along one of `lines`, which are its rank, its file, its diagonal and its anti-diagonal.
#[inline(always)]
fn seen(occ: u64, target: u64, lines: [u64; 4], orthogonal: u64, diagonal: u64) -> u64 {
    let [rank, file, diagonals, anti_diagonals] = lines;
    (along_rank(occ & rank, target) & rank | along(occ & file, target) & file) & orthogonal
        | (along(occ & diagonals, target) & diagonals | along(occ & anti_diagonals, target) & anti_diagonals) & diagonal
}

/// Where pawns become queens: the first and the eighth rank.
const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

#[inline(always)]
fn choose(mask: u64, a: u64, b: u64) -> u64 {
    a & mask | b & !mask
}

#[inline(always)]
fn number(mask: u64, a: f64, b: f64) -> f64 {
    f64::from_bits(choose(mask, a.to_bits(), b.to_bits()))
}

/// A non-negative integer without its exponent: next to `LARGE`, no bits are left for fractions.
#[inline(always)]
fn integer(number: f64) -> u64 {
    const LARGE: f64 = (1_u64 << 52) as f64;
    (number + LARGE).to_bits() ^ LARGE.to_bits()
}

#[inline(always)]
fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The attacks of a slider on `target` along a line with one square per rank at most, among other squares. `occ` are
/// the other pieces on the line. Subtracting the target's bit changes all bits up to the next piece; with the ranks
/// reversed, the same leads down the board.
#[inline(always)]
fn along(occ: u64, target: u64) -> u64 {
    let up = occ.wrapping_sub(target);
    let down = occ.swap_bytes().wrapping_sub(target.swap_bytes()).swap_bytes();
    up ^ down
}

/// The same on a rank, where the bits below are smeared downwards instead.
#[inline(always)]
fn along_rank(occ: u64, target: u64) -> u64 {
    let up = occ ^ occ.wrapping_sub(target);
    let below = target.wrapping_sub(1);
    let mut blocked = occ & below;
    blocked |= blocked >> 1;
    blocked |= blocked >> 2;
    blocked |= blocked >> 4;
    up | below & !(blocked >> 1)
}
