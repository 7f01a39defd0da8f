//! Checkers and pinned pieces along the lines of kings, position by position.
//!
//! In 17 to 18 % of the positions of games, and in 27 % of those of random games, an enemy slider stands on a line with the king. A
//! table finds these, and only there, the pieces between the slider and the king are looked at. So the time depends on the position:
//! with AVX-512, pinned pieces take 1.5 times as long as from rays if each position has such a slider, and 50 ns with 22 sliders on
//! lines. Nanoseconds per position for one colour, next to rays in all directions, which take the same time for any position (Granite
//! Rapids, November 2026, 10,240 positions of games in calls of 1,024, minima):
//!
//! | product | lines | rays, 128 bits | AVX2 | AVX-512 |
//! |---|---|---|---|---|
//! | checkers | 2.7 | 7.0 | 3.6 | 2.1 |
//! | pinned | 1.8 | 9.1 | 4.7 | 2.6 |
//! | both | 2.8 | 13 | 7.0 | 4.8 |
//!
//! No CPU predicts which positions these are, so a first loop without branches lists them. A loop that looks along the lines at once takes
//! as long if a benchmark repeats 4,096 positions, which the CPU learns, and twice as long for more of them.

use super::lanes::{BLOCK, HAS_BLOCKS, LANES, PositionArrays, rounds};
use super::threats::{BLACK, REACH};
use crate::Backend;
use crate::position::{Color, Piece, PositionSlice};

const FULL: &str = "there is one element per position";
const KNIGHT: usize = Piece::Knight as usize;
const BISHOP: usize = Piece::Bishop as usize;
const ROOK: usize = Piece::Rook as usize;
const KING: usize = Piece::King as usize;

/// A product that can be computed so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnLines {
    Checkers,
    Pinned,
}

impl OnLines {
    /// Whether this takes less time than the loop of the backend. Inlined, so that no loop is compiled for pinned pieces.
    #[inline(always)]
    pub fn is_faster(self, backend: Backend) -> bool {
        self == OnLines::Pinned || backend.words() < 8
    }

    /// Computes the product of `positions`, as seen from `color`.
    pub fn fill(self, positions: PositionSlice<'_>, color: Color, out: &mut [u64]) {
        let columns = PositionArrays::new(positions, color);
        match self {
            OnLines::Checkers => scan_all::<true, false>(&columns, [out, &mut []]),
            OnLines::Pinned => scan_all::<false, true>(&columns, [&mut [], out]),
        }
    }
}

/// Computes the checkers and the pinned pieces of `positions`, as seen from `color`.
pub(super) fn fill_both(positions: PositionSlice<'_>, color: Color, outs: [&mut [u64]; 2]) {
    scan_all::<true, true>(&PositionArrays::new(positions, color), outs);
}

/// Writes the checkers with `CHECKERS`, and the pinned pieces with `PINNED`.
#[inline(never)]
fn scan_all<const CHECKERS: bool, const PINNED: bool>(
    columns: &PositionArrays<'_, [u64]>,
    [checkers, pinned]: [&mut [u64]; 2],
) {
    let columns = columns.of_one_length();
    let len = columns.own[0].len();
    let full = if HAS_BLOCKS { len - len % BLOCK } else { 0 };
    macro_rules! scan {
        ($lanes:expr, $start:expr) => {
            // A product that is not wanted has no room. Nothing is written for it.
            let mut unused = [[0; $lanes]; 2];
            let [no_checkers, no_pinned] = &mut unused;
            let checkers = if CHECKERS { checkers[$start..].first_chunk_mut().expect(FULL) } else { no_checkers };
            let pinned = if PINNED { pinned[$start..].first_chunk_mut().expect(FULL) } else { no_pinned };
            columns.round::<{ $lanes }>($start).scan::<CHECKERS, PINNED>(checkers, pinned);
        };
    }
    for start in (0..full).step_by(BLOCK) {
        scan!(BLOCK, start);
    }
    if len < LANES {
        for start in full..len {
            scan!(1, start);
        }
    } else {
        for start in rounds(full..len) {
            scan!(LANES, start);
        }
    }
}

impl<const N: usize> PositionArrays<'_, [u64; N]> {
    /// Writes the products of a round of at most 256 positions.
    #[inline(always)]
    fn scan<const CHECKERS: bool, const PINNED: bool>(&self, checkers: &mut [u64; N], pinned: &mut [u64; N]) {
        let [_, _, _, _, _, king, own] = self.own;
        let [pawns, knights, bishops, rooks, queens, enemy_king, enemy] = self.enemy;
        let pawn = if self.white != 0 { 0 } else { BLACK };
        // The sliders on lines with the king, and the lanes that have some.
        let (mut sliders, mut lanes, mut count) = ([0; N], [0; N], 0);
        for lane in 0..N {
            let from = &REACH[first_square(king[lane])];
            sliders[lane] = from[ROOK] & (rooks[lane] | queens[lane]) | from[BISHOP] & (bishops[lane] | queens[lane]);
            if CHECKERS {
                checkers[lane] =
                    from[pawn] & pawns[lane] | from[KNIGHT] & knights[lane] | from[KING] & enemy_king[lane];
            }
            if PINNED {
                pinned[lane] = 0;
            }
            lanes[count % N] = lane as u8;
            count += usize::from(sliders[lane] != 0);
        }
        for lane in lanes[..count].iter().map(|&lane| usize::from(lane) % N) {
            let (king, occupied, mut sliders) = (king[lane], own[lane] | enemy[lane], sliders[lane]);
            let from = &REACH[first_square(king)];
            let (mut found_checkers, mut found_pinned) = (0, 0);
            loop {
                let (square, slider) = (first_square(sliders), sliders & sliders.wrapping_neg());
                let kind = if from[ROOK] & slider != 0 { ROOK } else { BISHOP };
                // Of the squares that both see, those between them.
                let between = from[kind] & REACH[square][kind] & (king.max(slider) - king.min(slider)) & occupied;
                found_checkers |= if between == 0 { slider } else { 0 };
                found_pinned |= if between & between.wrapping_sub(1) == 0 { between } else { 0 };
                sliders ^= slider;
                if sliders == 0 {
                    break;
                }
            }
            if CHECKERS {
                checkers[lane] |= found_checkers;
            }
            if PINNED {
                pinned[lane] = found_pinned & own[lane];
            }
        }
    }
}

/// The lowest square of a set that is not empty. The compiler sees that it is on the board.
#[inline(always)]
const fn first_square(set: u64) -> usize {
    (set | 1 << 63).trailing_zeros() as usize
}
