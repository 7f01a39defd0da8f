//! Products as plain arithmetic on 64-bit words, a position a lane.
//!
//! A product is written for one position, without branches; the loops here run it over blocks of positions, and the
//! compiler makes vectors of the blocks, in the instruction set of the backend.

use crate::Backend;
use crate::batch::entries::Task;
use crate::position::{Color, Piece, Positions};

/// The pieces of one colour in one position.
#[derive(Clone, Copy)]
pub(super) struct Men {
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
pub(super) struct Board {
    pub own: Men,
    pub enemy: Men,
    /// All ones if that colour is white, else zero.
    pub white: u64,
}

impl Board {
    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.own.all | self.enemy.all
    }

    #[inline(always)]
    pub fn empty(&self) -> u64 {
        !self.occupied()
    }
}

/// A product of one bitboard a position.
pub(super) trait Bitboard: Copy {
    fn of(self, board: &Board) -> u64;
}

/// A product of a number below 32 a square: the bits of the numbers, lowest first, a bitboard each.
pub(super) trait Numbers: Copy {
    fn of(self, board: &Board) -> [u64; 5];
}

/// How many positions a turn of the loops takes. Eight would fill a vector of AVX-512.
const BLOCK: usize = 64;

/// One bitboard a position.
pub(super) fn boards(backend: Backend, product: impl Bitboard, positions: &Positions, color: Color, out: &mut [u64]) {
    backend.perform(Loop { columns: Columns::new(positions, color), product, out });
}

/// One number a square.
pub(super) fn counts(
    backend: Backend,
    product: impl Numbers,
    positions: &Positions,
    color: Color,
    out: &mut [[u8; 64]],
) {
    backend.perform(Loop { columns: Columns::new(positions, color), product, out });
}

struct Loop<'a, P, T> {
    columns: Columns<'a>,
    product: P,
    out: &'a mut [T],
}

impl<P: Bitboard> Task for Loop<'_, P, u64> {
    #[inline(always)]
    fn perform(self) {
        let Loop { columns, product, out } = self;
        let mut padded = [[[0; BLOCK]; 7]; 2];
        let mut start = 0;
        for out in out.chunks_mut(BLOCK) {
            let block = columns.block(start, &mut padded);
            // A place of its own, so that the compiler sees that no store changes what is still to be read.
            let mut results = [0; BLOCK];
            for (lane, result) in results.iter_mut().enumerate() {
                *result = product.of(&block.board(lane));
            }
            out.copy_from_slice(&results[..out.len()]);
            start += BLOCK;
        }
    }
}

impl<P: Numbers> Task for Loop<'_, P, [u8; 64]> {
    #[inline(always)]
    fn perform(self) {
        let Loop { columns, product, out } = self;
        let mut padded = [[[0; BLOCK]; 7]; 2];
        let mut start = 0;
        for out in out.chunks_mut(BLOCK) {
            let block = columns.block(start, &mut padded);
            let mut planes = [[0; BLOCK]; 5];
            for lane in 0..BLOCK {
                let of_lane = product.of(&block.board(lane));
                for (plane, of_lane) in planes.iter_mut().zip(of_lane) {
                    plane[lane] = of_lane;
                }
            }
            for (lane, out) in out.iter_mut().enumerate() {
                *out = numbers(planes.each_ref().map(|plane| plane[lane]));
            }
            start += BLOCK;
        }
    }
}

/// The numbers whose bits stand in `planes`, lowest first.
///
/// The bytes of a rank, one a plane, are the rows of a board of bits; reflected in its diagonal, its rows are the numbers.
#[inline(always)]
fn numbers(planes: [u64; 5]) -> [u8; 64] {
    let mut ranks = [0; 8];
    for (rank, numbers) in ranks.iter_mut().enumerate() {
        let bytes = planes.map(|plane| plane >> (8 * rank) & 0xff);
        let [ones, twos, fours, eights, sixteens] = bytes;
        *numbers = transposed(ones | twos << 8 | fours << 16 | eights << 24 | sixteens << 32);
    }
    bytemuck::cast(ranks.map(u64::to_le))
}

/// Bit *j* of byte *i* as bit *i* of byte *j*.
#[inline(always)]
fn transposed(mut board: u64) -> u64 {
    let mut swap = |mask: u64, by: u32| {
        let differ = (board ^ board >> by) & mask;
        board ^= differ ^ differ << by;
    };
    swap(0x00aa_00aa_00aa_00aa, 7);
    swap(0x0000_cccc_0000_cccc, 14);
    swap(0x0000_0000_f0f0_f0f0, 28);
    board
}

/// The arrays of one colour.
struct MenColumns<'a> {
    pieces: [&'a [u64]; 6],
    all: &'a [u64],
}

/// The arrays that products are made of.
struct Columns<'a> {
    own: MenColumns<'a>,
    enemy: MenColumns<'a>,
    white: u64,
}

impl<'a> Columns<'a> {
    fn new(positions: &'a Positions, color: Color) -> Columns<'a> {
        let of = |color| MenColumns {
            pieces: Piece::ALL.map(|piece| positions.pieces(color, piece)),
            all: positions.color(color),
        };
        let white = if color == Color::White { !0 } else { 0 };
        Columns { own: of(color), enemy: of(color.other()), white }
    }

    /// The block that begins with position `start`. The last one, if it is not full, stands in `padded`.
    #[inline(always)]
    fn block<'b>(&self, start: usize, padded: &'b mut [[[u64; BLOCK]; 7]; 2]) -> Block<'b>
    where
        'a: 'b,
    {
        let [own, enemy] = padded;
        Block { own: self.own.block(start, own), enemy: self.enemy.block(start, enemy), white: self.white }
    }
}

impl<'a> MenColumns<'a> {
    #[inline(always)]
    fn block<'b>(&self, start: usize, padded: &'b mut [[u64; BLOCK]; 7]) -> [&'b [u64; BLOCK]; 7]
    where
        'a: 'b,
    {
        let [pawns, knights, bishops, rooks, queens, king] = self.pieces;
        let columns = [pawns, knights, bishops, rooks, queens, king, self.all].map(|column| &column[start..]);
        if self.all.len() - start >= BLOCK {
            return columns.map(|column| column.first_chunk().expect("the columns are of one length"));
        }
        for (padded, column) in padded.iter_mut().zip(columns) {
            padded[..column.len()].copy_from_slice(column);
        }
        padded.each_ref()
    }
}

/// The positions of a turn of the loops.
struct Block<'a> {
    own: [&'a [u64; BLOCK]; 7],
    enemy: [&'a [u64; BLOCK]; 7],
    white: u64,
}

impl Block<'_> {
    #[inline(always)]
    fn board(&self, lane: usize) -> Board {
        Board { own: men(&self.own, lane), enemy: men(&self.enemy, lane), white: self.white }
    }
}

#[inline(always)]
fn men(block: &[&[u64; BLOCK]; 7], lane: usize) -> Men {
    let [pawns, knights, bishops, rooks, queens, king, all] = block.map(|column| column[lane]);
    Men { pawns, knights, orthogonal: rooks | queens, diagonal: bishops | queens, king, all }
}
