//! File bits: rooks on boards as they lie in memory, without a transposition.
//!
//! The eight bytes of a board are its ranks, so a file has one bit in each of them. Eight boards, one from each group
//! (see [`Groups`]), give up one bit each: byte *r*, bit *g* of the *file bits* is the square on rank *r* of the file
//! that the rook of group *g* is on. So one vector has the files of a whole block. A step along a file is the same for
//! all of them: a shift by one byte.
//!
//! **From boards to file bits.** The bit of the rook's file, in all bytes of its board, is compared with the board.
//! That gives all ones in each byte where a piece stands on the file. The average of this and of the earlier groups'
//! result is half of that result, with a new bit on top. After eight groups the first is at bit 0. The rooks themselves
//! get there in the same way, from a comparison of their ranks with the numbers of the bytes.
//!
//! ```text
//!    board of group 2     the file   compared   file bits (from bit 0, group 0)
//! 8  . . . 1 . . 1 .         1       11111111          . . 1 . . . . .
//! 7  . 1 . . . . . .         .       ........          . . . . . . . .
//! 6  . . . 1 1 . . .         1       11111111          . . 1 . . . . .
//! 5  . . . . . . . .         .       ........          . . . . . . . .
//! 4  1 . . r . . 1 .         .       ........          . . . . . . . .
//! 3  . . . . . . . .         .       ........          . . . . . . . .
//! 2  . . . 1 . . . .         1       11111111          . . 1 . . . . .
//! 1  1 . . . . . . .         .       ........          . . . . . . . .
//!    a b c d e f g h
//! ```
//!
//! **Solving.** In both directions, a rook runs through free squares in three steps that double its way: by one rank,
//! by two if two squares are free, by four if four are. One more step reaches the piece that stops it.
//!
//! **The rank** is a byte of the board already. The bytes of all boards are packed into one vector, and solved as in
//! [rank slices](super::rank_slices).
//!
//! **The way back** is short: each board has its solved rank in the byte of that rank and the bit of its file in all
//! others ([`Groups::spread_either`]), and keeps of these the bytes whose bit is set in the solved file bits, or which
//! are the slider's rank.
//!
//! Sources: the fill in three steps is the
//! [Kogge-Stone Algorithm](https://www.chessprogramming.org/Kogge-Stone_Algorithm). The file bits are this library's
//! own.

use super::rank_slices::{FILE_BIT, Sides, Slices};
use crate::batch::blocks::{Kernel, Traffic};
use crate::batch::simd::{Boards, Groups};
use crate::table::eight;

/// Rook attacks.
#[derive(Clone, Copy)]
pub(crate) struct Rook<S>(S);

impl<const N: usize, S: Boards<N> + Groups> Kernel<N> for Rook<S> {
    /// The numbers of the squares, and the occupancies.
    type Input<'a> = (&'a [u8], &'a [u64]);

    #[inline(always)]
    fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], traffic: Traffic) {
        let simd = self.0;
        let (squares, occs) = simd.block_of_pairs(input, start, traffic);
        let attacks = self.group_attacks(simd.load_squares(squares), &GroupsInMemory(occs));
        simd.store_boards(out, attacks, traffic);
    }
}

impl<S: Groups> Rook<S> {
    /// The kernel over the vectors of `simd`.
    #[inline(always)]
    pub(crate) fn over(simd: S) -> Self {
        Rook(simd)
    }

    /// The attack sets of eight groups of boards. The numbers of the squares are in block order.
    #[inline(always)]
    pub(crate) fn group_attacks(self, squares: S::Vector, boards: &impl GroupByGroup<S>) -> Slices<S> {
        let simd = self.0;
        let mut lines = BlockLines {
            simd,
            file: simd.lookup(FILE_BIT, squares),
            rank: simd.eighth(simd.and(squares, simd.splat(0o70))),
            on_rank: [squares; 8],
            sliders: simd.splat(0),
            occupied: simd.splat(0),
        };
        // Not a loop, because the compiler would not unroll it.
        let pairs = [
            lines.add_pair(0, [boards.group(simd, 0), boards.group(simd, 1)]),
            lines.add_pair(2, [boards.group(simd, 2), boards.group(simd, 3)]),
            lines.add_pair(4, [boards.group(simd, 4), boards.group(simd, 5)]),
            lines.add_pair(6, [boards.group(simd, 6), boards.group(simd, 7)]),
        ];
        let along_rank = Sides::new(simd, lines.file).attacks(simd, simd.join_pairs(pairs));
        let along_file = simd.or(lines.sliders, file_attacks(simd, lines.sliders, lines.occupied));
        let squares = simd.spread_either(lines.file, along_rank, lines.on_rank);
        eight!(group => simd.where_bit(squares[group], along_file, group))
    }
}

/// The boards of a block, taken group by group.
pub(crate) trait GroupByGroup<S: Groups> {
    /// The boards of this group.
    fn group(&self, simd: S, number: usize) -> S::Vector;
}

impl<S: Groups> GroupByGroup<S> for Slices<S> {
    #[inline(always)]
    fn group(&self, _: S, number: usize) -> S::Vector {
        self[number]
    }
}

/// Boards that are loaded where they are used. All at once, they would not stay in registers.
struct GroupsInMemory<'a, const N: usize>(&'a [u64; N]);

impl<const N: usize, S: Boards<N> + Groups> GroupByGroup<S> for GroupsInMemory<'_, N> {
    #[inline(always)]
    fn group(&self, simd: S, number: usize) -> S::Vector {
        simd.load_boards(self.0)[number]
    }
}

/// The files and ranks of a block, after some of its groups.
struct BlockLines<S: Groups> {
    simd: S,
    /// The bits of the sliders' files and the numbers of their ranks, in block order.
    file: S::Vector,
    rank: S::Vector,
    /// For each group, all ones in the bytes that are the sliders' ranks.
    on_rank: Slices<S>,
    /// File bits: the sliders, and the occupied squares. The last group is in the topmost bit. After eight groups, the
    /// first is in the lowest bit, which is zero until then.
    sliders: S::Vector,
    occupied: S::Vector,
}

impl<S: Groups> BlockLines<S> {
    /// Adds the files of two groups, and returns the sliders' ranks there.
    #[inline(always)]
    fn add_pair(&mut self, group: usize, boards: [S::Vector; 2]) -> S::Vector {
        self.add(group, boards[0]);
        self.add(group + 1, boards[1]);
        self.simd.pair_of_ranks(self.rank, boards)
    }

    #[inline(always)]
    fn add(&mut self, group: usize, board: S::Vector) {
        let simd = self.simd;
        let file = simd.spread(self.file, group);
        self.occupied = simd.push(self.occupied, simd.equal(simd.and(board, file), file));
        self.on_rank[group] = simd.equal(simd.spread(self.rank, group), simd.splat_lanes([0, 1, 2, 3, 4, 5, 6, 7]));
        self.sliders = simd.push(self.sliders, self.on_rank[group]);
    }
}

/// The attacks of the sliders along their files. Each bit is a board by itself.
#[inline(always)]
fn file_attacks<S: Groups>(simd: S, sliders: S::Vector, occupied: S::Vector) -> S::Vector {
    // Whether a piece is on this square or the one below; or on this one or one of the three below.
    let of_two = simd.or(occupied, simd.up::<8>(occupied));
    let of_four = simd.or(of_two, simd.up::<16>(of_two));
    let up = simd.or_and_not(sliders, simd.up::<8>(sliders), occupied);
    let up = simd.or_and_not(up, simd.up::<16>(up), of_two);
    let up = simd.or_and_not(up, simd.up::<32>(up), of_four);
    // The same with squares above.
    let (of_two, of_four) = (simd.down::<8>(of_two), simd.down::<24>(of_four));
    let down = simd.or_and_not(sliders, simd.down::<8>(sliders), occupied);
    let down = simd.or_and_not(down, simd.down::<16>(down), of_two);
    let down = simd.or_and_not(down, simd.down::<32>(down), of_four);
    simd.or(simd.up::<8>(up), simd.down::<8>(down))
}
