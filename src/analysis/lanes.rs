//! Products as plain arithmetic on 64-bit words, one position per lane.
//!
//! A product is written for one position, without branches. The loops here run it over blocks of positions, and the
//! compiler turns the blocks into vectors, in the instruction set of the backend. With GFNI, the last step of products of
//! numbers is an entry of the backend ([`Backend::numbers`]).

use crate::batch::entries::{Planes, Task};
use crate::position::{Color, Piece, PositionSlice};
use crate::{Backend, BatchError};

/// The pieces of one colour in one position.
#[derive(Clone, Copy)]
pub(super) struct SidePieces {
    pub pawns: u64,
    pub knights: u64,
    /// Rooks and queens.
    pub orthogonal: u64,
    /// Bishops and queens.
    pub diagonal: u64,
    pub king: u64,
    /// All of them.
    pub all: u64,
}

/// One position, seen from one colour.
#[derive(Clone, Copy)]
pub(super) struct SideView {
    pub own: SidePieces,
    pub enemy: SidePieces,
    /// All ones if that colour is white, else zero.
    pub white: u64,
}

impl SideView {
    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.own.all | self.enemy.all
    }

    #[inline(always)]
    pub fn empty(&self) -> u64 {
        !self.occupied()
    }

    /// Seen from the other colour.
    #[inline(always)]
    pub fn turned(&self) -> SideView {
        SideView { own: self.enemy, enemy: self.own, white: !self.white }
    }
}

/// A product of one bitboard per position.
pub(super) trait Bitboard: Copy {
    fn compute(self, board: &SideView) -> u64;
}

/// A product of one number per square, below 32: the bits of the numbers as bitboards, lowest bits first.
pub(super) trait Numbers: Copy {
    fn compute(self, board: &SideView) -> [u64; 5];
}

/// The number of positions per round of the loops, which is that of [`Planes`]. Eight would fill a vector of AVX-512.
///
/// A round always computes all lanes. If it stopped after the vector of the last position, a map of one position would take 0.76 of
/// the time (AVX2 0.44), and long calls 1.3 to 1.8 times as long (AVX2 1.1), because the compiler would not know the number of rounds.
pub(super) const BLOCK: usize = 64;

/// Computes a product of all positions, as seen from `color`.
pub(super) fn fill<P: Bitboard>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: &mut [u64],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    backend.perform(Loop { columns: PositionArrays::new(positions, color), product, out });
    Ok(())
}

struct Loop<'a, P> {
    columns: PositionArrays<'a, [u64]>,
    product: P,
    out: &'a mut [u64],
}

impl<P: Bitboard> Task for Loop<'_, P> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let Loop { columns, product, out } = self;
        let mut padded = [[[0; BLOCK]; 7]; 2];
        let mut start = 0;
        for out in out.chunks_mut(BLOCK) {
            let block = columns.block(start, &mut padded);
            // A separate array, so that the compiler sees that no store changes later reads.
            let mut results = [0; BLOCK];
            for (lane, result) in results.iter_mut().enumerate() {
                *result = product.compute(&block.board(lane));
            }
            out.copy_from_slice(&results[..out.len()]);
            start += BLOCK;
        }
    }
}

/// Where numbers go: one of each square, or the bits of the numbers, lowest bits first.
enum NumbersOut<'a> {
    Squares(&'a mut [[u8; 64]]),
    Planes([&'a mut [u64]; 5]),
}

/// Both kinds of output share one task, because its code is long and compiled once per instruction set.
struct NumbersLoop<'a, P> {
    backend: Backend,
    columns: PositionArrays<'a, [u64]>,
    product: P,
    out: NumbersOut<'a>,
}

impl<P: Numbers> Task for NumbersLoop<'_, P> {
    #[inline(always)]
    fn perform(self) {
        let NumbersLoop { backend, columns, product, mut out } = self;
        let mut padded = [[[0; BLOCK]; 7]; 2];
        let len = columns.own[0].len();
        for start in (0..len).step_by(BLOCK) {
            let block = columns.block(start, &mut padded);
            let mut planes: Planes = [[0; BLOCK]; 5];
            for lane in 0..BLOCK {
                let of_lane = product.compute(&block.board(lane));
                for (plane, of_lane) in planes.iter_mut().zip(of_lane) {
                    plane[lane] = of_lane;
                }
            }
            let places = start..len.min(start + BLOCK);
            match &mut out {
                NumbersOut::Squares(out) => backend.numbers(&planes, &mut out[places]),
                NumbersOut::Planes(out) => {
                    for (out, plane) in out.iter_mut().zip(&planes) {
                        out[places.clone()].copy_from_slice(&plane[..places.len()]);
                    }
                }
            }
        }
    }
}

/// Computes a product of numbers of all positions, as seen from `color`.
pub(super) fn fill_numbers<P: Numbers>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: &mut [[u8; 64]],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    let (columns, out) = (PositionArrays::new(positions, color), NumbersOut::Squares(out));
    backend.perform(NumbersLoop { backend, columns, product, out });
    Ok(())
}

/// The same as the bits of the numbers, lowest bits first.
pub(super) fn fill_planes<P: Numbers>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: [&mut [u64]; 5],
) -> Result<(), BatchError> {
    out.iter().try_for_each(|out| lengths_match(positions, out.len()))?;
    let (columns, out) = (PositionArrays::new(positions, color), NumbersOut::Planes(out));
    backend.perform(NumbersLoop { backend, columns, product, out });
    Ok(())
}

pub(super) fn lengths_match(positions: PositionSlice<'_>, out: usize) -> Result<(), BatchError> {
    let positions = positions.len();
    if positions == out { Ok(()) } else { Err(BatchError::PositionLengthMismatch { positions, out }) }
}

/// The arrays that products are computed from, or a block of each: for each colour, its pieces by kind, and all of them.
pub(super) struct PositionArrays<'a, T: ?Sized> {
    pub own: [&'a T; 7],
    pub enemy: [&'a T; 7],
    pub white: u64,
}

impl<'a> PositionArrays<'a, [u64]> {
    pub fn new(positions: PositionSlice<'a>, color: Color) -> Self {
        let columns = |color| {
            let [pawns, knights, bishops, rooks, queens, king] = Piece::ALL.map(|piece| positions.pieces(color, piece));
            [pawns, knights, bishops, rooks, queens, king, positions.color(color)]
        };
        let white = if color == Color::White { !0 } else { 0 };
        PositionArrays { own: columns(color), enemy: columns(color.other()), white }
    }

    /// The block that begins with position `start`. The last block is copied to `padded` if it is not full.
    #[inline(always)]
    pub fn block<'b>(&self, start: usize, [own, enemy]: &'b mut PaddedLanes) -> PositionArrays<'b, [u64; BLOCK]>
    where
        'a: 'b,
    {
        PositionArrays { own: block(self.own, start, own), enemy: block(self.enemy, start, enemy), white: self.white }
    }
}

pub(super) type PaddedLanes = [[[u64; BLOCK]; 7]; 2];

#[inline(always)]
fn block<'a>(columns: [&'a [u64]; 7], start: usize, padded: &'a mut [[u64; BLOCK]; 7]) -> [&'a [u64; BLOCK]; 7] {
    let columns = columns.map(|column| &column[start..]);
    if columns[0].len() >= BLOCK {
        return columns.map(|column| column.first_chunk().expect("the columns are of one length"));
    }
    for (padded, column) in padded.iter_mut().zip(columns) {
        padded[..column.len()].copy_from_slice(column);
    }
    padded.each_ref()
}

impl PositionArrays<'_, [u64; BLOCK]> {
    /// Seen from the other colour.
    #[inline(always)]
    pub fn turned(&self) -> Self {
        PositionArrays { own: self.enemy, enemy: self.own, white: !self.white }
    }

    #[inline(always)]
    pub fn board(&self, lane: usize) -> SideView {
        SideView { own: pieces(&self.own, lane), enemy: pieces(&self.enemy, lane), white: self.white }
    }
}

#[inline(always)]
fn pieces(block: &[&[u64; BLOCK]; 7], lane: usize) -> SidePieces {
    let [pawns, knights, bishops, rooks, queens, king, all] = block.map(|column| column[lane]);
    SidePieces { pawns, knights, orthogonal: rooks | queens, diagonal: bishops | queens, king, all }
}

/// The pieces of one colour by kind, the king last.
#[inline(always)]
pub(super) fn kinds(block: &[&[u64; BLOCK]; 7], lane: usize) -> [u64; 6] {
    let [pawns, knights, bishops, rooks, queens, king, _] = block.map(|column| column[lane]);
    [pawns, knights, bishops, rooks, queens, king]
}
