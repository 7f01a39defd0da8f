//! Bit matrices: a board, as it lies in memory, is a matrix of 8 × 8 bits, and one instruction asks eight questions about
//! each of four or eight boards.
//!
//! **The product.** `vgf2p8affineqb` takes two vectors. In each 64-bit lane, one of them holds a board, whose bytes are
//! its ranks. Each byte of the other is a question: a set of files. The answer to a question is a byte, with one bit for
//! each rank: whether an odd number of the squares where these files cross that rank are occupied. The answer lists the
//! ranks upside down: its bit 0 is rank 8, and its bit 7 is rank 1.
//!
//! If at most one square of each rank matters, odd means occupied, and the answer is that line of squares, packed into one
//! byte. Here is a rook on d4, which asks about its file with the byte `. . . 1 . . . .`:
//!
//! ```text
//!                        ranks 1 to 8
//! 8  . . . 1 . . 1 .        1
//! 7  . 1 . . . . . .        .
//! 6  . . . 1 1 . . .        1      packed, from bit 0:
//! 5  . . . . . . . .   ->   .      1 . 1 . r . 1 .
//! 4  1 . . r . . 1 .        r
//! 3  . . . . . . . .        .
//! 2  . . . 1 . . . .        1
//! 1  1 . . . . . . .        .
//!    a b c d e f g h
//! ```
//!
//! A line in one byte is solved by [two subtractions](solve), one of them in the reversed byte. Reversing is a product too,
//! with a constant.
//!
//! The diagonals are packed in the same way, two rays of each in one byte. Without the squares off the lines of the slider
//! (its *star*), each rank has at most one square east of the slider's file, and at most one west of it. So *all files to
//! the east* and *all files to the west* are the questions. A bishop on d4:
//!
//! ```text
//!    board            within the star    east   west
//! 8  1 . 1 . 1 . . .   . . . . . . . .    .      .
//! 7  . . . . . . 1 .   . . . . . . 1 .    1      .
//! 6  . 1 . 1 . . . .   . 1 . . . . . .    .      1
//! 5  . . . . . . . .   . . . . . . . .    .      .
//! 4  . . 1 B . . . .   . . . . . . . .    .      .
//! 3  . . . . 1 . . .   . . . . 1 . . .    1      .
//! 2  . 1 . . . . . .   . 1 . . . . . .    .      1
//! 1  . . . 1 . . . 1   . . . . . . . .    .      .
//!    a b c d e f g h   a b c d e f g h
//! ```
//!
//! The answers are solved like a file: from the slider's rank upwards to e5, f6 and g7 with the piece there, downwards to
//! e3. And the way back to a board is again a product. The attack set has, on each rank, the files of each question whose
//! solved answer has that rank: a sum over questions of (rank in the answer) × (file in the question). Turned so that
//! questions and answers are columns, the answers times the questions are just that. What it gives on the wrong squares of
//! a rank, the star takes away.
//!
//! A slider's own rank is a byte of the board already. It is fetched by a shuffle and solved. On the way back it is one
//! more question, which holds the solved rank; its answer is the one rank of the slider. So a rook has two questions, a
//! bishop has two, and a queen has four (east, west, file and rank).
//!
//! **Packing.** A lane has room for eight questions. So boards share lanes: eight of a rook's first question, four bishops
//! or two queens ([`Blocks`](crate::batch::simd::Blocks)). The product of a lane is with one board, so the vector of
//! questions is multiplied by each of its groups, and the answers of each group are taken from its own bytes. The rest of
//! the work is done once for all of them. Calls shorter than a block have all questions of one board in a lane
//! ([`Few`]).
//!
//! Sources: the instruction is described in Intel's Software Developer's Manual under GF2P8AFFINEQB. Solving a line is
//! [Hyperbola Quintessence](https://www.chessprogramming.org/Hyperbola_Quintessence), and one byte for a line is
//! [Kindergarten Bitboards](https://www.chessprogramming.org/Kindergarten_Bitboards). Questions and products are this
//! library's own.

use core::hint::black_box;

use crate::batch::blocks::{Kernel, Streamed, block};
use crate::batch::simd::{Matrices, Packs, Prefetch, Ranks, Rows};

/// The attack sets of a block, on their way to be streamed.
#[repr(align(64))]
struct Buffer<const N: usize>([u64; N]);

/// Queen attacks.
#[derive(Clone, Copy)]
pub(crate) struct Queen<S>(S);
/// Rook attacks.
#[derive(Clone, Copy)]
pub(crate) struct Rook<S>(S);
/// Bishop attacks.
#[derive(Clone, Copy)]
pub(crate) struct Bishop<S>(S);

macro_rules! kernels {
    ($($kernel:ident $attacks:ident $($trait:ident <$rows:literal>),*;)*) => {$(
        impl<S> $kernel<S> {
            /// The kernel over the vectors of `simd`.
            #[inline(always)]
            pub(crate) fn over(simd: S) -> Self {
                $kernel(simd)
            }
        }

        impl<const N: usize, S> Kernel<N> for $kernel<S>
        where
            S: Matrices<Squares = [u8; N], Boards = [u64; N]> + Prefetch $(+ $trait<$rows>)*,
        {
            /// The numbers of the squares, and the occupancies.
            type Input<'a> = (&'a [u8], &'a [u64]);

            #[inline(always)]
            fn attacks(self, (squares, occs): Self::Input<'_>, start: usize, out: &mut [u64; N], streamed: Streamed) {
                let simd = self.0;
                let (squares, occs): (&[u8; N], &[u64; N]) = (block(squares, start), block(occs, start));
                if streamed.is_far() {
                    simd.prefetch_after(squares);
                    simd.prefetch_after(occs);
                }
                // Each result is stored as soon as it is there: eight of them do not fit the registers beside all else.
                // So what is to be streamed goes through a buffer, which stays in the cache.
                if streamed.is_true() {
                    let mut buffer = Buffer([0; N]);
                    $attacks(simd, squares, occs, black_box(&mut buffer.0));
                    simd.copy(out, &buffer.0, streamed);
                } else {
                    $attacks(simd, squares, occs, out);
                }
            }
        }
    )*};
}

kernels! {
    Queen queen_attacks Packs<4>, Ranks<4>;
    Rook rook_attacks Ranks<1>;
    Bishop bishop_attacks Packs<2>;
}

/// The kernel for fewer boards than a block, one in each lane: for a slider that moves along rank and file (`ROOK`), along
/// the diagonals (`BISHOP`), or both.
#[derive(Clone, Copy)]
pub(crate) struct Few<S, const ROOK: bool, const BISHOP: bool>(S);

/// Queens, rooks and bishops, fewer than a block.
pub(crate) type FewQueen<S> = Few<S, true, true>;
pub(crate) type FewRook<S> = Few<S, true, false>;
pub(crate) type FewBishop<S> = Few<S, false, true>;

impl<const N: usize, S: Rows<N>, const ROOK: bool, const BISHOP: bool> Kernel<N> for Few<S, ROOK, BISHOP> {
    /// The numbers of the squares, and the occupancies.
    type Input<'a> = (&'a [u8], &'a [u64]);

    const SPILLS: bool = false;

    #[inline(always)]
    fn attacks(self, (squares, occs): Self::Input<'_>, start: usize, out: &mut [u64; N], _: Streamed) {
        let simd = self.0;
        let squares = simd.load_few_squares(block(squares, start));
        let boards = simd.load_few(block(occs, start));
        simd.store_few(out, self.lane_attacks(squares, boards));
    }
}

impl<S, const ROOK: bool, const BISHOP: bool> Few<S, ROOK, BISHOP> {
    /// The kernel over the vectors of `simd`.
    #[inline(always)]
    pub(crate) fn over(simd: S) -> Self {
        Few(simd)
    }

    /// The attack sets of one slider per lane: `squares` has the number of its square in every byte.
    #[inline(always)]
    pub(crate) fn lane_attacks<const N: usize>(self, squares: S::Vector, boards: S::Vector) -> S::Vector
    where
        S: Rows<N>,
    {
        let simd = self.0;
        let rows = simd.rows_by_file(const { few_rows(ROOK, BISHOP) }, squares);
        if !ROOK {
            let star = simd.star_of_lane::<false>(squares);
            let answers = simd.product::<0>(rows, simd.and(boards, star));
            let (twice, mirrored_twice) = (simd.by_rank(MIRRORED_TWICE, squares), simd.by_rank(TWICE, squares));
            let answers = solve(simd, answers, twice, mirrored_twice);
            let [code, columns] = columns_of::<0, S>(simd, answers, rows);
            return simd.and(simd.product::<0>(code, columns), star);
        }
        let [twice, mirrored_twice] = simd.doubles(squares);
        let star = if BISHOP { simd.star_of_lane::<true>(squares) } else { boards };
        let answers = simd.product::<0>(rows, simd.and(boards, star));
        // The fourth row is the rank itself, which the fifth row attacks with. That row is not asked, and solving nothing
        // gives all but the slider's rank. Flipped, that is its answer.
        let answers = solve(simd, simd.with_rank(answers, squares, boards), twice, mirrored_twice);
        let [code, columns] = columns_of::<0x08, S>(simd, answers, simd.with_fourth(rows, answers));
        let attacks = simd.product::<0>(code, columns);
        if BISHOP { simd.and(attacks, star) } else { attacks }
    }
}

/// The rows of a slider on each file: what is east of it, what is west of it, and its file itself.
const fn few_rows(rook: bool, bishop: bool) -> [u64; 8] {
    let mut rows = [0; 8];
    let mut file = 0;
    while file < 8 {
        if bishop {
            rows[file] |= EAST >> (8 * file) & 0xff | (WEST >> (8 * file) & 0xff) << 8;
        }
        if rook {
            rows[file] |= (BIT >> (8 * file) & 0xff) << 16;
        }
        file += 1;
    }
    rows
}

/// The lane whose row *j* has bit *7 - j*. Its product with a matrix has the columns of the matrix as its rows.
const TO_COLUMNS: u64 = 0x0102_0408_1020_4080;
/// The matrix that reverses the bits of each row.
const REVERSE: u64 = 0x8040_2010_0804_0201;

/// Tables of eight bytes, by the number *n* of a file or rank: bit *n*.
const BIT: u64 = 0x8040_2010_0804_0201;
/// Bit *7 - n*: bit *n* of a byte that is upside down.
const MIRRORED: u64 = 0x0102_0408_1020_4080;
/// The double of each, cut to a byte.
pub(crate) const TWICE: u64 = 0x0080_4020_1008_0402;
pub(crate) const MIRRORED_TWICE: u64 = 0x0204_0810_2040_8000;
/// The bits above bit *n*, which are the files east of it, and those below.
const EAST: u64 = 0x0080_c0e0_f0f8_fcfe;
const WEST: u64 = 0x7f3f_1f0f_0703_0100;

/// Writes the attack sets of rooks.
#[inline(always)]
pub(crate) fn rook_attacks<S: Ranks<1>>(simd: S, squares: &S::Squares, occs: &S::Boards, out: &mut S::Boards) {
    let squares = simd.load_squares(squares);
    let boards = all_boards(simd, occs);
    let file = simd.by_file(BIT, squares);
    let rank = simd.by_rank(MIRRORED, squares);
    let along_rank = simd.ranks(squares, &boards);
    let along_rank = solve(simd, along_rank, simd.add(file, file), simd.by_file(MIRRORED_TWICE, squares));
    let along_file = simd.times(file, &boards);
    let along_file = solve(simd, along_file, simd.add(rank, rank), simd.by_rank(TWICE, squares));
    // The file attacks all ranks of its answer, the solved rank only the slider's.
    let answers = simd.pairs(along_file, rank);
    let rows = simd.pairs(file, along_rank);
    for parity in 0..2 {
        let [code, columns] = columns_of::<0, S>(simd, answers[parity], rows[parity]);
        for place in 0..4 {
            simd.store(out, 2 * place + parity, spread::<2, S>(simd, code, columns, place));
        }
    }
}

/// Writes the attack sets of bishops.
#[inline(always)]
pub(crate) fn bishop_attacks<S: Packs<2>>(simd: S, squares: &S::Squares, occs: &S::Boards, out: &mut S::Boards) {
    let squares = simd.load_squares(squares);
    let rows = simd.packs([simd.by_file(EAST, squares), simd.by_file(WEST, squares)]);
    let block = Crossed::new(simd, squares, occs);
    // Not a loop, because the compiler would not unroll it.
    block.attacks::<0, false>(0, rows[0], out);
    block.attacks::<0, false>(1, rows[1], out);
}

/// Writes the attack sets of queens.
#[inline(always)]
pub(crate) fn queen_attacks<S: Packs<4> + Ranks<4>>(
    simd: S,
    squares: &S::Squares,
    occs: &S::Boards,
    out: &mut S::Boards,
) {
    let squares = simd.load_squares(squares);
    let file = simd.by_file(BIT, squares);
    let along_rank = simd.ranks(squares, &all_boards(simd, occs));
    let along_rank = solve(simd, along_rank, simd.add(file, file), simd.by_file(MIRRORED_TWICE, squares));
    let rows = simd.packs([simd.by_file(EAST, squares), simd.by_file(WEST, squares), file, along_rank]);
    let block = Crossed::new(simd, squares, occs);
    block.attacks::<0x11, true>(0, rows[0], out);
    block.attacks::<0x11, true>(1, rows[1], out);
    block.attacks::<0x11, true>(2, rows[2], out);
    block.attacks::<0x11, true>(3, rows[3], out);
}

/// A block of sliders whose lines cross the ranks.
struct Crossed<'a, const ROWS: usize, S: Packs<ROWS>> {
    simd: S,
    squares: S::Vector,
    occs: &'a S::Boards,
    /// The doubles of the sliders' ranks: upside down, and reversed.
    twice: S::Vector,
    mirrored_twice: S::Vector,
}

impl<'a, const ROWS: usize, S: Packs<ROWS>> Crossed<'a, ROWS, S> {
    #[inline(always)]
    fn new(simd: S, squares: S::Vector, occs: &'a S::Boards) -> Self {
        let (twice, mirrored_twice) = (simd.by_rank(MIRRORED_TWICE, squares), simd.by_rank(TWICE, squares));
        Crossed { simd, squares, occs, twice, mirrored_twice }
    }

    /// Writes the attack sets of the groups in a pack with these rows.
    #[inline(always)]
    fn attacks<const FLIPPED: i32, const QUEEN: bool>(&self, pack: usize, rows: S::Vector, out: &mut S::Boards) {
        let simd = self.simd;
        let (mut boards, mut stars) = ([rows; 8], [rows; 8]);
        for place in 0..8 / ROWS {
            let group = simd.group(pack, place);
            stars[place] = simd.star::<QUEEN>(self.squares, group);
            boards[place] = simd.and(simd.board(self.occs, group), stars[place]);
        }
        let answers = simd.times(rows, &boards);
        let (twice, mirrored_twice) = (simd.copies(pack, self.twice), simd.copies(pack, self.mirrored_twice));
        let answers = solve(simd, answers, twice, mirrored_twice);
        let [code, columns] = columns_of::<FLIPPED, S>(simd, answers, rows);
        for (place, &star) in stars.iter().enumerate().take(8 / ROWS) {
            let attacks = simd.and(spread::<ROWS, S>(simd, code, columns, place), star);
            simd.store(out, simd.group(pack, place), attacks);
        }
    }
}

/// All groups of boards.
#[inline(always)]
fn all_boards<S: Matrices>(simd: S, boards: &S::Boards) -> [S::Vector; 8] {
    let mut groups = [simd.board(boards, 0); 8];
    for (number, group) in groups.iter_mut().enumerate() {
        *group = simd.board(boards, number);
    }
    groups
}

/// The attacks along one line in each byte, both ways, whatever the bit of the slider itself is: `twice` is the double of
/// the slider, `mirrored_twice` the double of the slider in the reversed byte.
#[inline(always)]
fn solve<S: Matrices>(simd: S, occ: S::Vector, twice: S::Vector, mirrored_twice: S::Vector) -> S::Vector {
    let reverse = simd.splat(REVERSE);
    let up = simd.sub(occ, twice);
    let down = simd.sub(simd.product::<0>(occ, reverse), mirrored_twice);
    simd.xor(up, simd.product::<0>(down, reverse))
}

/// The columns of both, which `spread` multiplies. The answers are upside down, so theirs are in the order of the ranks.
#[inline(always)]
fn columns_of<const FLIPPED: i32, S: Matrices>(simd: S, answers: S::Vector, rows: S::Vector) -> [S::Vector; 2] {
    let to_columns = simd.splat(TO_COLUMNS);
    [simd.product::<FLIPPED>(to_columns, answers), simd.product::<0>(to_columns, rows)]
}

/// The boards whose `ROWS` rows are in place `place`: the union of the rows, each on the ranks that its answer tells.
#[inline(always)]
fn spread<const ROWS: usize, S: Matrices>(simd: S, code: S::Vector, columns: S::Vector, place: usize) -> S::Vector {
    let rows = (0xff << (8 - ROWS) & 0xff_u64) >> (place * ROWS);
    simd.product::<0>(simd.and(code, simd.splat(0x0101_0101_0101_0101 * rows)), columns)
}
