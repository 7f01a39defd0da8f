//! Several products at once: what they have in common is computed once per block or round of positions.
//!
//! Most sets begin with the attacks of sliders, and many continue with rays from a king, or from pieces that others look for.
//! Such rows are written to a block in the first-level cache, where the loops of the products read them:
//!
//! | rows of a side | boards | read by |
//! |---|---|---|
//! | [`rays`](SharedSets::rays), [`attacked`](SharedSets::attacked) | 9 | all |
//! | [`king_rays`](SharedSets::king_rays) | 8 | checkers, pinned pieces, safe checks |
//! | [`target_rays`](SharedSets::target_rays) | 16 | forks, discovered attacks |
//! | [`value_rays`](SharedSets::value_rays) | 24 | skewers, relative pins |
//!
//! A product says with [`Bitboard::NEEDS`] which of the last three it reads, and products that read the same follow each other.
//! Rays of kings, if any product reads them, are found with the attacks; those of targets and values then take their rows. Rows
//! are found for both sides at once, except for those of values, because rays of one direction, east aside, have four or five of
//! 11 to 13 operations in common. The way of a ray through the cache takes two.
//!
//! A product alone computes the same sets in registers: then, they are those of a [`SideView`].

use super::exchanges::each;
use super::lanes::{
    self, BLOCK, Bitboard, HAS_BLOCKS, LANES, PaddedRound, PositionArrays, SideView, copy_round, lengths_match,
};
use super::products::{self, attacks, by_leapers, rays};
use super::tactics::{self, Targets};
use super::{Side, king, king_lines};
use crate::batch::entries::Task;
use crate::position::{Color, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, each_direction, ray};
use crate::{Backend, BatchError};

/// The squares seen in each direction: north, south, east, west, north-east, north-west, south-east, south-west.
pub(super) type Rays = [u64; 8];

/// Sets of a position that several products begin with, as seen from one colour.
pub(super) trait SharedSets: Copy {
    /// Seen from the other colour.
    fn turned(self) -> Self;
    /// What the sliders of `own` attack.
    fn rays(self) -> Rays;
    /// The squares that `own` attacks.
    fn attacked(self) -> u64;
    /// What sliders on the square of the king of `own` would attack.
    fn king_rays(self) -> Rays;
    /// The same for the pieces of `own` that enemy rooks and bishops look for, and those that queens look for.
    fn target_rays(self) -> [Rays; 2];
    /// The same for the pieces of `own` other than the king: all, those whose value has its lower bit set, and its higher bit.
    fn value_rays(self) -> [Rays; 3];
}

impl SharedSets for SideView {
    #[inline(always)]
    fn turned(self) -> Self {
        SideView::turned(&self)
    }

    #[inline(always)]
    fn rays(self) -> Rays {
        rays(self.own.orthogonal, self.own.diagonal, self.empty())
    }

    #[inline(always)]
    fn attacked(self) -> u64 {
        attacks(&self.own, self.empty(), self.white)
    }

    #[inline(always)]
    fn king_rays(self) -> Rays {
        rays(self.own.king, self.own.king, self.empty())
    }

    #[inline(always)]
    fn target_rays(self) -> [Rays; 2] {
        Targets::valuable_or_loose(&self.own, self.attacked()).rays(self.empty())
    }

    #[inline(always)]
    fn value_rays(self) -> [Rays; 3] {
        let [all, low, high] = tactics::values(&self.own);
        [rays(all, all, self.empty()), rays(low, low, self.empty()), rays(high, high, self.empty())]
    }
}

/// Which rows a product reads, apart from rays and attacks: those of `own`, or of `enemy`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    Attacks,
    KingRays,
    EnemyKingRays,
    EnemyTargetRays,
    ValueRays,
    EnemyValueRays,
}

/// The rows that are in the shared block now: of both sides, or of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    KingRays,
    Attacks,
    TargetRays,
    ValueRays(Color),
}

impl Needs {
    /// The rows, for a product that is seen from `color`.
    fn turn(self, color: Color) -> Turn {
        match self {
            Needs::Attacks => Turn::Attacks,
            Needs::KingRays | Needs::EnemyKingRays => Turn::KingRays,
            Needs::EnemyTargetRays => Turn::TargetRays,
            Needs::ValueRays | Needs::EnemyValueRays => Turn::ValueRays(self.side(color)),
        }
    }

    /// The side whose rows are read.
    fn side(self, color: Color) -> Color {
        match self {
            Needs::Attacks | Needs::KingRays | Needs::ValueRays => color,
            Needs::EnemyKingRays | Needs::EnemyTargetRays | Needs::EnemyValueRays => color.other(),
        }
    }
}

/// Declares the products that share work: the name, with an option if there is one, and the computation.
macro_rules! set_products {
    ($($(#[$doc:meta])+ $name:ident $(($option:ident: $type:ty))? = $product:expr;)+) => {
        /// A product of one set per position that shares work with others: see [`Backend::sets`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum SetProduct {
            $($(#[$doc])+ $name $(($type))?,)+
        }

        impl SetProduct {
            #[inline(always)]
            fn visit<V: SetVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $(SetProduct::$name $(($option))? => visitor.visit($product),)+
                }
            }

            #[inline(always)]
            fn rows(self) -> Needs {
                struct NeedsOf;
                impl SetVisitor for NeedsOf {
                    type Output = Needs;
                    #[inline(always)]
                    fn visit<P: Bitboard>(self, _: P) -> Needs {
                        P::NEEDS
                    }
                }
                self.visit(NeedsOf)
            }

            /// What it begins with, apart from the attacks of both sides: the name of the rays, and the side of the pieces that
            /// they begin on. For each full block of 64 positions, and for fewer if there are many requests, [`Backend::sets`]
            /// computes these once for all products that need the same. Requests of one product alone share nothing, except for
            /// hanging, overloaded and discovered pieces.
            ///
            /// - `king_rays`: what a queen on the square of the king would attack. Checkers and pinned pieces of a colour are found
            ///   together along the lines of its king instead, unless safe checks and further products share a block;
            /// - `target_rays`: what queens on the squares of the pieces that forks and discovered attacks look for would attack;
            /// - `value_rays`: what queens on the squares of pieces, and of those of some values, would attack.
            ///
            /// ```
            /// use slider_attacks::analysis::SetProduct;
            /// use slider_attacks::position::Color;
            ///
            /// assert_eq!(SetProduct::Pinned.needs(Color::White), Some(("king_rays", Color::White)));
            /// assert_eq!(SetProduct::SafeChecks.needs(Color::White), Some(("king_rays", Color::Black)));
            /// assert_eq!(SetProduct::Hanging.needs(Color::White), None);
            /// ```
            pub fn needs(self, color: Color) -> Option<(&'static str, Color)> {
                let (rows, side) = (self.rows(), self.rows().side(color));
                let name = match rows.turn(color) {
                    Turn::Attacks => return None,
                    Turn::KingRays => "king_rays",
                    Turn::TargetRays => "target_rays",
                    Turn::ValueRays(_) => "value_rays",
                };
                Some((name, side))
            }
        }
    };
}

set_products! {
    /// [`attack_maps`](Backend::attack_maps).
    AttackMap = products::AttackMap;
    /// [`checkers`](Backend::checkers).
    Checkers = products::Checkers;
    /// [`pinned`](Backend::pinned).
    Pinned = products::PinnedPieces;
    /// [`xray_attacks`](Backend::xray_attacks) through pieces of this side.
    XRays(through: Side) = products::XRays { through };
    /// [`hanging`](Backend::hanging).
    Hanging = products::Hanging;
    /// [`forks`](Backend::forks).
    Forks = tactics::Forks;
    /// [`skewers`](Backend::skewers).
    Skewers = tactics::Skewers;
    /// [`relatively_pinned`](Backend::relatively_pinned).
    RelativelyPinned = tactics::RelativelyPinned;
    /// [`discovered`](Backend::discovered).
    Discovered = tactics::Discovered;
    /// [`batteries`](Backend::batteries).
    Batteries = tactics::Batteries;
    /// [`overloaded`](Backend::overloaded).
    Overloaded = tactics::Overloaded;
    /// [`safe_checks`](Backend::safe_checks).
    SafeChecks = king::SafeChecks;
}

impl SetProduct {
    /// Whether the same product of the other colour shares enough with it: forks and safe checks gain with AVX2, and lose with
    /// AVX-512.
    fn shares_with_itself(self) -> bool {
        matches!(self, SetProduct::Hanging | SetProduct::Discovered | SetProduct::Overloaded)
    }
}

/// What is done with the computation of a product.
trait SetVisitor {
    type Output;
    fn visit<P: Bitboard>(self, product: P) -> Self::Output;
}

/// A product, the colour that it is seen from, and one element per position for the results.
#[derive(Debug)]
pub struct SetRequest<'a> {
    /// The product.
    pub product: SetProduct,
    /// The colour.
    pub color: Color,
    /// The results.
    pub out: &'a mut [u64],
}

impl SetRequest<'_> {
    #[inline(always)]
    fn turn(&self) -> Turn {
        self.product.rows().turn(self.color)
    }

    /// By turn, rows and colour, and pinned pieces last, as one number, which takes fewer instructions to compare.
    #[inline(always)]
    fn order(&self) -> u8 {
        let rows = self.product.rows();
        let turn = match rows.turn(self.color) {
            Turn::KingRays => 0,
            Turn::Attacks => 1,
            Turn::TargetRays => 2,
            Turn::ValueRays(color) => 3 + color as u8,
        };
        turn << 5 | (rows as u8) << 2 | (self.color as u8) << 1 | u8::from(self.product == SetProduct::Pinned)
    }
}

/// As many sets of both colours take less time together in a round of two positions or more than one after the other.
const MANY: usize = 8;

/// Computes the sets of all requests, and leaves them in another order.
pub(super) fn fill(
    backend: Backend,
    positions: PositionSlice<'_>,
    requests: &mut [SetRequest<'_>],
) -> Result<(), BatchError> {
    requests.iter().try_for_each(|request| lengths_match(positions, request.out.len()))?;
    // Always, so that their order does not depend on the length. Checkers and pinned pieces come first, by colour, and then safe checks.
    requests.sort_unstable_by_key(SetRequest::order);
    let alone = |SetRequest { product, color, out }: &mut SetRequest<'_>, start| {
        let positions = positions.slice(start..positions.len());
        product.visit(Alone { backend, positions, color: *color, out: &mut out[start..] })
    };
    let is_shared = |a: SetProduct, b: SetProduct| a != b || a.shares_with_itself();
    let shares = |requests: &[SetRequest<'_>]| {
        requests.iter().skip(1).any(|request| is_shared(requests[0].product, request.product))
    };
    // Along lines, they take less time than from rays, unless safe checks find the rays of kings with the attacks that others share.
    let of_pins = requests.partition_point(|request| request.product.rows() == Needs::KingRays);
    let rest = &requests[of_pins..];
    let by_rays = shares(rest) && rest[0].turn() == Turn::KingRays;
    let (on_lines, requests) = requests.split_at_mut(if by_rays { 0 } else { of_pins });
    for one_color in on_lines.chunk_by_mut(|a, b| a.color == b.color) {
        if let [checkers, pinned] = one_color
            && checkers.product != pinned.product
        {
            king_lines::fill_both(positions, checkers.color, [&mut *checkers.out, &mut *pinned.out]);
        } else {
            one_color.iter_mut().try_for_each(|request| alone(request, 0))?;
        }
    }
    let rest = positions.len() % BLOCK;
    // With AVX-512, several rounds take longer.
    let most = if backend.words() < 8 { BLOCK } else { LANES };
    let is_of_both = requests.iter().any(|request| request.color != requests[0].color);
    let shares_rest = requests.len() >= MANY && is_of_both && (2..=most).contains(&rest);
    let shared = match positions.len() {
        _ if !HAS_BLOCKS || !shares(requests) => 0,
        all if shares_rest => all,
        all => all - rest,
    };
    if shared != 0 {
        let mut columns = PositionArrays::new(positions.slice(0..shared), Color::White);
        let mut padded = PaddedRound::new();
        columns.fill_round(&mut padded);
        backend.perform(SharedTask { columns: &columns, len: shared, requests: &mut *requests });
    }
    if shared == positions.len() { Ok(()) } else { requests.iter_mut().try_for_each(|request| alone(request, shared)) }
}

/// Computes a product that shares nothing.
struct Alone<'a> {
    backend: Backend,
    positions: PositionSlice<'a>,
    color: Color,
    out: &'a mut [u64],
}

impl SetVisitor for Alone<'_> {
    type Output = Result<(), BatchError>;

    fn visit<P: Bitboard>(self, product: P) -> Result<(), BatchError> {
        lanes::fill(self.backend, product, self.positions, self.color, self.out)
    }
}

/// Sets of full blocks of positions, and of the rest in rounds.
struct SharedTask<'a, 'b> {
    /// White's pieces are `own`.
    columns: &'a PositionArrays<'a, [u64]>,
    len: usize,
    requests: &'a mut [SetRequest<'b>],
}

impl Task for SharedTask<'_, '_> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let SharedTask { columns, len, requests } = self;
        let columns = columns.of_one_length();
        let full = len - len % BLOCK;
        if full != 0 {
            perform_rounds::<BLOCK>(&columns, (0..full).step_by(BLOCK), &mut *requests);
        }
        if full != len {
            perform_rounds::<LANES>(&columns, lanes::rounds(full..len), requests);
        }
    }
}

/// Computes all sets of the rounds that begin here.
#[inline(always)]
fn perform_rounds<const ROUND: usize>(
    columns: &PositionArrays<'_, [u64]>,
    starts: impl Iterator<Item = usize>,
    requests: &mut [SetRequest<'_>],
) {
    let mut rows = SetRows::<ROUND>::NONE;
    let needs_kings = requests.iter().any(|request| request.turn() == Turn::KingRays);
    for start in starts {
        let round = columns.round::<ROUND>(start);
        let turned = round.turned();
        let sides = [round, turned];
        if needs_kings {
            rows.fill_attacks::<true>(&sides[0]);
        } else {
            rows.fill_attacks::<false>(&sides[0]);
        }
        let mut turn = Turn::Attacks;
        for request in &mut *requests {
            if turn != request.turn() {
                turn = request.turn();
                rows.fill_turn(&sides, turn);
            }
            let (side, out) = (request.color as usize, &mut request.out[start..]);
            request.product.visit(FromRows { block: &sides[side], rows: &rows, side, out });
        }
    }
}

/// Computes a product of a round.
struct FromRows<'a, const ROUND: usize> {
    block: &'a PositionArrays<'a, [u64; ROUND]>,
    rows: &'a SetRows<ROUND>,
    side: usize,
    out: &'a mut [u64],
}

impl<const ROUND: usize> SetVisitor for FromRows<'_, ROUND> {
    type Output = ();

    #[inline(always)]
    fn visit<P: Bitboard>(self, product: P) {
        let FromRows { block, rows, side, out } = self;
        // A separate array, so that the compiler sees that no store changes later reads.
        let mut results = [0; ROUND];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = product.compute(&block.board(lane), SharedLane { rows, side, lane });
        }
        copy_round(&results, out);
    }
}

/// The rows of a block, those of White first.
#[repr(align(64))] // a vector of 64 bytes that lies in two cache lines takes longer
struct SetRows<const ROUND: usize> {
    attacked: [[u64; ROUND]; 2],
    /// Of the sliders of both sides, and then the rows that take turns.
    rays: [[[u64; ROUND]; 8]; 6],
}

impl<const ROUND: usize> SetRows<ROUND> {
    const NONE: Self = SetRows { attacked: [[0; ROUND]; 2], rays: [[[0; ROUND]; 8]; 6] };

    /// Finds the attacks, and with `KINGS` the rays of [`Turn::KingRays`] as well, because they have more in common.
    #[inline(always)]
    fn fill_attacks<const KINGS: bool>(&mut self, block: &PositionArrays<'_, [u64; ROUND]>) {
        for lane in 0..ROUND {
            let board = block.board(lane);
            let (SideView { own, enemy, .. }, empty) = (&board, board.empty());
            let (white, black) = ([own.orthogonal, own.diagonal], [enemy.orthogonal, enemy.diagonal]);
            let [by_white, by_black] = if KINGS {
                let kings = [[own.king; 2], [enemy.king; 2]];
                let [by_white, by_black, _, _] = set(&mut self.rays, lane, [white, black, kings[0], kings[1]], empty);
                [by_white, by_black]
            } else {
                set(&mut self.rays, lane, [white, black], empty)
            };
            self.attacked[0][lane] = by_white | by_leapers(own, !0);
            self.attacked[1][lane] = by_black | by_leapers(enemy, 0);
        }
    }

    #[inline(always)]
    fn fill_turn(&mut self, sides: &[PositionArrays<'_, [u64; ROUND]>; 2], turn: Turn) {
        let rows = &mut self.rays[2..];
        match turn {
            Turn::Attacks | Turn::KingRays => {} // from the start
            Turn::TargetRays => {
                for lane in 0..ROUND {
                    let board = sides[0].board(lane);
                    let [white, black] = &self.attacked;
                    let [of_pieces, of_queens] = Targets::valuable_or_loose(&board.own, white[lane]).sliders();
                    let [by_pieces, by_queens] = Targets::valuable_or_loose(&board.enemy, black[lane]).sliders();
                    set(rows, lane, [of_pieces, of_queens, by_pieces, by_queens], board.empty());
                }
            }
            Turn::ValueRays(color) => {
                for lane in 0..ROUND {
                    let board = sides[color as usize].board(lane);
                    let [all, low, high] = tactics::values(&board.own);
                    set(rows, lane, [[all; 2], [low; 2], [high; 2]], board.empty());
                }
            }
        }
    }
}

/// Writes the rays of a lane from sets of rooks and bishops, and returns their unions. One direction after the other, for what the rays
/// of a direction have in common.
#[inline(always)]
fn set<const M: usize, const ROUND: usize>(
    rows: &mut [[[u64; ROUND]; 8]],
    lane: usize,
    from: [[u64; 2]; M],
    empty: u64,
) -> [u64; M] {
    let mut unions = [0; M];
    macro_rules! direction {
        ($at:expr, $by:expr, $_knights_by:expr,) => {
            for ((union, row), from) in unions.iter_mut().zip(&mut *rows).zip(from) {
                let ray = ray::<{ $by }>(from[$at / 4], empty);
                *union |= ray;
                row[$at][lane] = ray;
            }
        };
    }
    each_direction!(direction, [], [], []);
    unions
}

/// The sets of one position of a block. Those that take turns are those of the right side, or not read.
#[derive(Clone, Copy)]
struct SharedLane<'a, const ROUND: usize> {
    rows: &'a SetRows<ROUND>,
    side: usize,
    lane: usize,
}

impl<const ROUND: usize> SharedSets for SharedLane<'_, ROUND> {
    #[inline(always)]
    fn turned(self) -> Self {
        SharedLane { side: 1 - self.side, ..self }
    }

    #[inline(always)]
    fn rays(self) -> Rays {
        each(&self.rows.rays[self.side], self.lane)
    }

    #[inline(always)]
    fn attacked(self) -> u64 {
        self.rows.attacked[self.side][self.lane]
    }

    #[inline(always)]
    fn king_rays(self) -> Rays {
        each(&self.rows.rays[2 + self.side], self.lane)
    }

    #[inline(always)]
    fn target_rays(self) -> [Rays; 2] {
        let [of_pieces, of_queens] = &self.rows.rays.as_chunks().0[1 + self.side];
        [each(of_pieces, self.lane), each(of_queens, self.lane)]
    }

    #[inline(always)]
    fn value_rays(self) -> [Rays; 3] {
        let [_, _, all, low, high, _] = &self.rows.rays;
        [each(all, self.lane), each(low, self.lane), each(high, self.lane)]
    }
}
