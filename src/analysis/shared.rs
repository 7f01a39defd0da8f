//! Several products at once: what they have in common is computed once per block of positions.
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
//! The last three take turns in the same rows: a product says with [`Bitboard::NEEDS`] which it reads, and products that read the
//! same follow each other. A ray takes some 13 operations, its way through the cache two.
//!
//! A product alone computes the same sets in registers: then, they are those of a [`SideView`].

use super::exchanges::each;
use super::lanes::{self, BLOCK, Bitboard, HAS_BLOCKS, PositionArrays, SideView, lengths_match};
use super::products::{self, attacks, rays};
use super::tactics::{self, Targets};
use super::{Side, king};
use crate::batch::entries::Task;
use crate::position::{Color, PositionSlice};
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
        let [low, high] = tactics::value_bits(&self.own).map(|pieces| pieces & !self.own.king);
        let all = self.own.all & !self.own.king;
        [rays(all, all, self.empty()), rays(low, low, self.empty()), rays(high, high, self.empty())]
    }
}

/// Which rows a product reads, apart from rays and attacks: those of `own`, or of `enemy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Needs {
    Attacks,
    KingRays,
    EnemyKingRays,
    EnemyTargetRays,
    ValueRays,
    EnemyValueRays,
}

/// The rows that are in the shared block now, and their side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Attacks,
    KingRays(Color),
    TargetRays(Color),
    ValueRays(Color),
}

impl Turn {
    fn new(needs: Needs, color: Color) -> Turn {
        match needs {
            Needs::Attacks => Turn::Attacks,
            Needs::KingRays => Turn::KingRays(color),
            Needs::EnemyKingRays => Turn::KingRays(color.other()),
            Needs::EnemyTargetRays => Turn::TargetRays(color.other()),
            Needs::ValueRays => Turn::ValueRays(color),
            Needs::EnemyValueRays => Turn::ValueRays(color.other()),
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
            fn turn(self, color: Color) -> Turn {
                struct NeedsOf(Color);
                impl SetVisitor for NeedsOf {
                    type Output = Turn;
                    #[inline(always)]
                    fn visit<P: Bitboard>(self, _: P) -> Turn {
                        Turn::new(P::NEEDS, self.0)
                    }
                }
                self.visit(NeedsOf(color))
            }

            /// What it begins with, apart from the attacks of both sides: the name of the rays, and the side of the pieces that
            /// they begin on. For each full block of 64 positions, [`Backend::sets`] computes these once for all products
            /// that need the same.
            ///
            /// - `king_rays`: what a queen on the square of the king would attack;
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
                match self.turn(color) {
                    Turn::Attacks => None,
                    Turn::KingRays(color) => Some(("king_rays", color)),
                    Turn::TargetRays(color) => Some(("target_rays", color)),
                    Turn::ValueRays(color) => Some(("value_rays", color)),
                }
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
        self.product.turn(self.color)
    }
}

/// Computes the sets of all requests, and leaves them in another order.
pub(super) fn fill(
    backend: Backend,
    positions: PositionSlice<'_>,
    requests: &mut [SetRequest<'_>],
) -> Result<(), BatchError> {
    requests.iter().try_for_each(|request| lengths_match(positions, request.out.len()))?;
    let shares = requests.iter().any(|request| request.product != requests[0].product);
    let full = if HAS_BLOCKS && shares { positions.len() / BLOCK * BLOCK } else { 0 };
    requests.sort_unstable_by_key(SetRequest::turn); // always, so that their order does not depend on the length
    if full != 0 {
        let columns = PositionArrays::new(positions.slice(0..full), Color::White);
        backend.perform(SharedTask { columns, len: full, requests: &mut *requests });
    }
    let rest = positions.slice(full..positions.len());
    let mut alone = requests.iter_mut().filter(|_| !rest.is_empty());
    alone.try_for_each(|SetRequest { product, color, out }| {
        product.visit(Alone { backend, positions: rest, color: *color, out: &mut out[full..] })
    })
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

/// Full blocks of positions.
struct SharedTask<'a, 'b> {
    /// White's pieces are `own`.
    columns: PositionArrays<'a, [u64]>,
    len: usize,
    requests: &'a mut [SetRequest<'b>],
}

impl Task for SharedTask<'_, '_> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let SharedTask { columns, len, requests } = self;
        let columns = columns.of_one_length();
        let mut rows = SetRows::NONE;
        for start in (0..len).step_by(BLOCK) {
            let block = columns.round::<BLOCK>(start);
            let turned = block.turned();
            let sides = [block, turned];
            rows.fill_attacks(&sides);
            let mut turn = Turn::Attacks;
            for request in &mut *requests {
                if turn != request.turn() {
                    turn = request.turn();
                    rows.fill_turn(&sides, turn);
                }
                let (side, out) = (request.color as usize, &mut request.out[start..start + BLOCK]);
                request.product.visit(FromRows { block: &sides[side], rows: &rows, side, out });
            }
        }
    }
}

/// Computes a product of a block.
struct FromRows<'a> {
    block: &'a PositionArrays<'a, [u64; BLOCK]>,
    rows: &'a SetRows,
    side: usize,
    out: &'a mut [u64],
}

impl SetVisitor for FromRows<'_> {
    type Output = ();

    #[inline(always)]
    fn visit<P: Bitboard>(self, product: P) {
        let FromRows { block, rows, side, out } = self;
        // A separate array, so that the compiler sees that no store changes later reads.
        let mut results = [0; BLOCK];
        for (lane, result) in results.iter_mut().enumerate() {
            *result = product.compute(&block.board(lane), SharedLane { rows, side, lane });
        }
        out.copy_from_slice(&results);
    }
}

/// The rows of a block, those of White first.
#[repr(align(64))] // a vector of 64 bytes that lies in two cache lines takes longer
struct SetRows {
    rays: [[[u64; BLOCK]; 8]; 2],
    attacked: [[u64; BLOCK]; 2],
    /// The rows that take turns.
    others: [[[u64; BLOCK]; 8]; 3],
}

impl SetRows {
    const NONE: SetRows = {
        const ZERO: [[u64; BLOCK]; 8] = [[0; BLOCK]; 8];
        SetRows { rays: [ZERO; 2], attacked: [[0; BLOCK]; 2], others: [ZERO; 3] }
    };

    #[inline(always)]
    fn fill_attacks(&mut self, sides: &[PositionArrays<'_, [u64; BLOCK]>; 2]) {
        for (side, block) in sides.iter().enumerate() {
            for lane in 0..BLOCK {
                let board = block.board(lane);
                set(&mut self.rays[side], lane, board.rays());
                self.attacked[side][lane] = board.attacked();
            }
        }
    }

    #[inline(always)]
    fn fill_turn(&mut self, sides: &[PositionArrays<'_, [u64; BLOCK]>; 2], turn: Turn) {
        match turn {
            Turn::Attacks => {}
            Turn::KingRays(color) => {
                for lane in 0..BLOCK {
                    set(&mut self.others[0], lane, sides[color as usize].board(lane).king_rays());
                }
            }
            Turn::TargetRays(color) => {
                for lane in 0..BLOCK {
                    let board = sides[color as usize].board(lane);
                    let targets = Targets::valuable_or_loose(&board.own, self.attacked[color as usize][lane]);
                    let [of_pieces, of_queens] = targets.rays(board.empty());
                    set(&mut self.others[0], lane, of_pieces);
                    set(&mut self.others[1], lane, of_queens);
                }
            }
            Turn::ValueRays(color) => {
                for lane in 0..BLOCK {
                    let [all, low, high] = sides[color as usize].board(lane).value_rays();
                    set(&mut self.others[0], lane, all);
                    set(&mut self.others[1], lane, low);
                    set(&mut self.others[2], lane, high);
                }
            }
        }
    }
}

/// Writes the rays of a lane.
#[inline(always)]
fn set(rows: &mut [[u64; BLOCK]; 8], lane: usize, rays: Rays) {
    for (row, ray) in rows.iter_mut().zip(rays) {
        row[lane] = ray;
    }
}

/// The sets of one position of a block. Those that take turns are those of the right side, or not read.
#[derive(Clone, Copy)]
struct SharedLane<'a> {
    rows: &'a SetRows,
    side: usize,
    lane: usize,
}

impl SharedSets for SharedLane<'_> {
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
        each(&self.rows.others[0], self.lane)
    }

    #[inline(always)]
    fn target_rays(self) -> [Rays; 2] {
        [each(&self.rows.others[0], self.lane), each(&self.rows.others[1], self.lane)]
    }

    #[inline(always)]
    fn value_rays(self) -> [Rays; 3] {
        let [all, low, high] = &self.rows.others;
        [each(all, self.lane), each(low, self.lane), each(high, self.lane)]
    }
}
