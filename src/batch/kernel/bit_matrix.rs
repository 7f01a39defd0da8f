//! Bit matrices: in memory, a board is a matrix of 8 × 8 bits, and one instruction asks eight questions about each of
//! four or eight boards.
//!
//! **The product.** `vgf2p8affineqb` multiplies matrices of bits. It works on each 64-bit lane of two vectors by
//! itself. The lane of one vector is a board: byte *r* is its rank *r*, counted from 0, and bit *f* of it is the square
//! on file *f*. Each byte of the other lane is a *question*, a set of files: bit *f* is set if file *f* belongs to it.
//! The result has one byte for each question, the *answer*. It has one bit for each rank, which is set if the
//! question's files hold an odd number of pieces on that rank. Why odd? Bits are multiplied by "and" and added by
//! "exclusive or". The answer lists the ranks upside down: its bit 0 is rank 8, and its bit 7 is rank 1. (In the name,
//! GF2 are the numbers modulo two. *Affine* means that the instruction can also flip chosen bits of every answer. Only
//! the slider's own rank needs that.)
//!
//! If each rank has at most one square that matters, odd means occupied. So the answer is a line of squares, packed
//! into one byte. Here a rook on d4 asks about its file. The question is the byte `. . . 1 . . . .`, from bit 0, the
//! A-file:
//!
//! ```text
//!                      answer
//! 8  . . . 1 . . 1 .     1      bit 0
//! 7  . 1 . . . . . .     .
//! 6  . . . 1 1 . . .     1
//! 5  . . . . . . . .     .             the same byte, from bit 0:
//! 4  1 . . r . . 1 .     r      bit 4  1 . 1 . r . 1 .
//! 3  . . . . . . . .     .
//! 2  . . . 1 . . . .     1
//! 1  1 . . . . . . .     .      bit 7
//!    a b c d e f g h
//! ```
//!
//! **Solving.** To *solve* a line is to turn its pieces into the squares that the slider attacks. A subtraction does it
//! in one direction, towards the higher bits: taking away twice the slider's bit flips the bits above the slider up to
//! the first piece, and no others. That is how borrowing works. For the other direction, the byte is reversed, so that
//! the bits below the slider are above it, and reversed again afterwards. Exclusive or of both results removes the line
//! itself and leaves the flipped bits: the attacks ([`solve`]). The rook again, whose bit may be set or not:
//!
//! ```text
//! bit                          0 1 2 3 4 5 6 7
//! line                         1 . 1 . r . 1 .
//! minus twice the slider       1 . 1 . r 1 . .      bits 5 and 6 are flipped
//! the same, reversed, back     1 . . 1 r . 1 .      bits 3 and 2 are flipped
//! exclusive or                 . . 1 1 . 1 1 .      d6, d5, d3 and d2
//! ```
//!
//! Reversing is a product as well. The second operand is a board with a1, b2 and so on up to h8 occupied. There, the
//! answer to a question is the question, upside down.
//!
//! **Diagonals.** The *star* of a bishop is the set of squares that it attacks on an empty board. Only pieces on the
//! star matter, so all others are taken off. Then each rank has at most one piece east of the bishop's file, and at
//! most one west of it. So a bishop asks two questions: *all files to the east* and *all files to the west*. Each
//! answer holds two rays, one upwards and one downwards. A bishop on d4, with both answers and their solved form:
//!
//! ```text
//!    board            within the star     east   west   solved: east   west
//! 8  1 . 1 . 1 . . .   . . . . . . . .     .      .               .      .
//! 7  . . . . . . 1 .   . . . . . . 1 .     1      .               1      .
//! 6  . 1 . 1 . . . .   . 1 . . . . . .     .      1               1      1
//! 5  . . . . . . . .   . . . . . . . .     .      .               1      1
//! 4  . . 1 B . . . .   . . . . . . . .     .      .               .      .
//! 3  . . . . 1 . . .   . . . . 1 . . .     1      .               1      1
//! 2  . 1 . . . . . .   . 1 . . . . . .     .      1               .      1
//! 1  . . . 1 . . . 1   . . . . . . . .     .      .               .      .
//!    a b c d e f g h   a b c d e f g h
//! ```
//!
//! East, that is e5, f6 and g7 with its piece, and e3 with its piece. West, it is c5 and b6, c3 and b2.
//!
//! **The way back** to a board is again a product. On each rank, it takes the files of those questions whose solved
//! answer has that rank. On rank 5, both answers have a bit, so it takes e to h and a to c. The star has only c5 and e5
//! on that rank, and these are its attacks there. So the star is applied once more at the end.
//!
//! For this product, both operands are turned over, so that rows become columns ([`columns_of`]). Before, byte *q* of a
//! lane was the answer to question *q*. Now byte *r* lists the questions with rank *r* in their answers. Likewise, a
//! byte of the second operand lists the questions with a certain file. Rank and file meet in an attacked square if
//! these two bytes have an odd number of questions in common. It is never more than one, because the questions whose
//! answers have one rank do not share a file. Turning over is also a product with a constant.
//!
//! **The slider's own rank** is a byte of the board already. So no question is asked: a shuffle fetches the byte, and
//! it is solved like any line. On the way back, it takes part like a question: its files are the solved rank, and its
//! answer is the one rank of the slider. No other answer has that rank once it is solved, because solving clears the
//! slider's bit. For the same reason it does no harm that a queen's star has the queen's own rank as well, where more
//! than one piece may stand east of it. So a rook has two questions (file and rank), a bishop has two (east and west),
//! and a queen has four (east, west, file and rank). A rook needs no star, because both of its questions hold its own
//! squares only.
//!
//! **Packing.** A product answers eight questions, more than a slider has. So several boards share a lane: four
//! bishops, two queens, or eight rooks with one question each, the file (see [`Blocks`](crate::batch::simd::Blocks)).
//! But the second operand of a product has only one board in each lane. So the same vector of questions is multiplied
//! by a vector with the first of these boards, by one with the second, and so on. From each product only those bytes
//! are kept that ask about its own board, and together they are one vector of answers. Solving and turning over are
//! then done once for all boards of the lane. On the way back, each board has a product of its own, in which the other
//! boards' answers are masked away ([`spread`]). There a rook has its rank as well, so four rooks share a lane, in two
//! vectors.
//!
//! Calls shorter than a block have too few boards for that: see [few boards](super::few_boards).
//!
//! In the code, questions and answers are *rows*, because they are rows of matrices.
//!
//! Sources: the instruction is described in Intel's Software Developer's Manual under GF2P8AFFINEQB. Solving a line is
//! [Hyperbola Quintessence](https://www.chessprogramming.org/Hyperbola_Quintessence), and one byte for a line is
//! [Kindergarten Bitboards](https://www.chessprogramming.org/Kindergarten_Bitboards). Questions and products are this
//! library's own.

use crate::batch::blocks::{Kernel, Traffic};
use crate::batch::simd::{Matrices, Packs, Prefetch, Ranks};
use crate::table::{each, eight};

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
            fn attacks(self, input: Self::Input<'_>, start: usize, out: &mut [u64; N], traffic: Traffic) {
                let simd = self.0;
                let (squares, occs) = simd.block_of_pairs(input, start, traffic);
                // Each result is stored as soon as it is ready: eight of them do not fit the registers in addition to
                // everything else. So the code exists twice, to ask once for each block and not for each store whether
                // to stream.
                if traffic.streams() {
                    $attacks(simd, squares, occs, out, traffic);
                } else {
                    $attacks(simd, squares, occs, out, Traffic::PLAIN);
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

/// A constant lane, for turning a matrix over: row *j* has bit *7 - j*. In its product with a matrix, row *j* is column
/// *7 - j* of the matrix, upside down: bit *i* of it is bit *7 - j* of row *7 - i*.
const TO_COLUMNS: u64 = 0x0102_0408_1020_4080;
/// The matrix that reverses the bits of each row: row *n* has bit *n*, so a row that is asked about it gets itself as the
/// answer, upside down.
const REVERSE: u64 = 0x8040_2010_0804_0201;

/// Tables of eight bytes, by the number *n* of a file or rank: bit *n*.
pub(super) const BIT: u64 = 0x8040_2010_0804_0201;
/// Bit *7 - n*: bit *n* of a byte that is upside down.
pub(crate) const MIRRORED: u64 = 0x0102_0408_1020_4080;
/// The double of each, cut to a byte.
pub(crate) const TWICE: u64 = 0x0080_4020_1008_0402;
pub(crate) const MIRRORED_TWICE: u64 = 0x0204_0810_2040_8000;
/// The bits above bit *n*, which are the files east of it, and those below.
pub(super) const EAST: u64 = 0x0080_c0e0_f0f8_fcfe;
pub(super) const WEST: u64 = 0x7f3f_1f0f_0703_0100;

/// Writes the attack sets of rooks.
#[inline(always)]
pub(crate) fn rook_attacks<S: Ranks<1>>(
    simd: S,
    squares: &S::Squares,
    occs: &S::Boards,
    out: &mut S::Boards,
    traffic: Traffic,
) {
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
    each! { parity in 0 1 => {
        let [code, columns] = columns_of::<0, S>(simd, answers[parity], rows[parity]);
        each! { place in 0 1 2 3 => {
            simd.store(out, 2 * place + parity, spread(simd, code, columns, 2, place), traffic);
        } }
    } }
}

/// Writes the attack sets of bishops.
#[inline(always)]
pub(crate) fn bishop_attacks<S: Packs<2>>(
    simd: S,
    squares: &S::Squares,
    occs: &S::Boards,
    out: &mut S::Boards,
    traffic: Traffic,
) {
    let squares = simd.load_squares(squares);
    let rows = simd.packs([simd.by_file(EAST, squares), simd.by_file(WEST, squares)]);
    Crossed::<false, 2, S>::new(simd, squares, occs, rows).attacks::<0>(0, out, traffic);
}

/// Writes the attack sets of queens.
#[inline(always)]
pub(crate) fn queen_attacks<S: Packs<4> + Ranks<4>>(
    simd: S,
    squares: &S::Squares,
    occs: &S::Boards,
    out: &mut S::Boards,
    traffic: Traffic,
) {
    let squares = simd.load_squares(squares);
    let file = simd.by_file(BIT, squares);
    let along_rank = simd.ranks(squares, &all_boards(simd, occs));
    let along_rank = solve(simd, along_rank, simd.add(file, file), simd.by_file(MIRRORED_TWICE, squares));
    let rows = simd.packs([simd.by_file(EAST, squares), simd.by_file(WEST, squares), file, along_rank]);
    let block = Crossed::<true, 4, S>::new(simd, squares, occs, rows);
    // Nobody asks about the rank, so `times` gives zero as its answer. Solved, zero is every rank but the slider's,
    // because no piece stops a ray. 0x11 flips the answers to the fourth and the eighth question, which leaves the
    // slider's rank. That is how the solved rank gets to its place.
    block.attacks::<0x11>(0, out, traffic);
    block.attacks::<0x11>(2, out, traffic);
}

/// A block of sliders whose lines cross the ranks.
struct Crossed<'a, const QUEEN: bool, const ROWS: usize, S: Packs<ROWS>> {
    simd: S,
    squares: S::Vector,
    occs: &'a S::Boards,
    /// The packs of questions.
    rows: [S::Vector; ROWS],
    /// The bit of the slider's rank in an answer, which is upside down: one byte for each board, in the order of the
    /// squares. A queen's is doubled.
    slider: S::Vector,
    /// Twice its bit in the reversed answer, for queens.
    mirrored_twice: S::Vector,
}

impl<'a, const QUEEN: bool, const ROWS: usize, S: Packs<ROWS>> Crossed<'a, QUEEN, ROWS, S> {
    #[inline(always)]
    fn new(simd: S, squares: S::Vector, occs: &'a S::Boards, rows: [S::Vector; ROWS]) -> Self {
        let slider = simd.by_rank(if QUEEN { MIRRORED_TWICE } else { MIRRORED }, squares);
        Crossed { simd, squares, occs, rows, slider, mirrored_twice: simd.by_rank(TWICE, squares) }
    }

    /// Writes the attack sets of the groups in a pack and the next one.
    ///
    /// Both are asked before one is solved. Solving is a chain of dependent instructions, and the questions of the
    /// other pack do not wait for it.
    #[inline(always)]
    fn attacks<const FLIPPED: i32>(&self, pack: usize, out: &mut S::Boards, traffic: Traffic) {
        let (first, second) = (self.ask(pack), self.ask(pack + 1));
        self.write::<FLIPPED>(pack, first, out, traffic);
        self.write::<FLIPPED>(pack + 1, second, out, traffic);
    }

    /// The answers to a pack, and the stars of its groups; only the first `8 / ROWS` of these are used.
    #[inline(always)]
    fn ask(&self, pack: usize) -> (S::Vector, [S::Vector; 8]) {
        let (simd, rows) = (self.simd, self.rows[pack]);
        let (mut boards, mut stars) = ([rows; 8], [rows; 8]);
        each! { place in 0 1 2 3 4 5 6 7 => if place < 8 / ROWS {
            let group = simd.group(pack, place);
            stars[place] = simd.star::<QUEEN>(self.squares, group);
            boards[place] = simd.and(simd.board(self.occs, group), stars[place]);
        } }
        (simd.times(rows, &boards), stars)
    }

    /// Writes the attack sets of the groups in a pack.
    #[inline(always)]
    fn write<const FLIPPED: i32>(
        &self,
        pack: usize,
        answers: (S::Vector, [S::Vector; 8]),
        out: &mut S::Boards,
        traffic: Traffic,
    ) {
        let (simd, (answers, stars)) = (self.simd, answers);
        let slider = simd.copies(pack, self.slider);
        // A bishop's star does not have its own rank. So its bit is not set in any answer, and the subtraction may begin
        // at that bit in place of the next: it flips the bit in both directions, and exclusive or flips it back.
        let mirrored =
            if QUEEN { simd.copies(pack, self.mirrored_twice) } else { simd.product::<0>(slider, simd.splat(REVERSE)) };
        let answers = solve(simd, answers, slider, mirrored);
        let [code, columns] = columns_of::<FLIPPED, S>(simd, answers, self.rows[pack]);
        each! { place in 0 1 2 3 4 5 6 7 => if place < 8 / ROWS {
            let attacks = simd.and(spread(simd, code, columns, ROWS, place), stars[place]);
            simd.store(out, simd.group(pack, place), attacks, traffic);
        } }
    }
}

/// All groups of boards.
#[inline(always)]
fn all_boards<S: Matrices>(simd: S, boards: &S::Boards) -> [S::Vector; 8] {
    eight!(group => simd.board(boards, group))
}

/// The attacks along one line in each byte, both ways, whatever the bit of the slider itself is: `twice` is the double of
/// the slider, `mirrored_twice` the double of the slider in the reversed byte.
#[inline(always)]
pub(super) fn solve<S: Matrices>(simd: S, occ: S::Vector, twice: S::Vector, mirrored_twice: S::Vector) -> S::Vector {
    let reverse = simd.splat(REVERSE);
    let up = simd.sub(occ, twice);
    let down = simd.sub(simd.product::<0>(occ, reverse), mirrored_twice);
    simd.xor(up, simd.product::<0>(down, reverse))
}

/// The answers and the questions, turned over, for `spread`. In both, bit *7 - q* belongs to question *q*. Byte *r* of
/// the first result has rank *r*: the answers were upside down, and turning over sets that right. Byte *7 - f* of the
/// second has file *f*, because the product will list it upside down once more. `FLIPPED` are the bits of the questions
/// whose answers are flipped.
#[inline(always)]
pub(super) fn columns_of<const FLIPPED: i32, S: Matrices>(
    simd: S,
    answers: S::Vector,
    rows: S::Vector,
) -> [S::Vector; 2] {
    let to_columns = simd.splat(TO_COLUMNS);
    [simd.product::<FLIPPED>(to_columns, answers), simd.product::<0>(to_columns, rows)]
}

/// The attack sets of the boards in place `place` of a pack, in which each has this number of rows: on each rank, the
/// files of the questions whose answers have that rank. `code` and `columns` are the results of [`columns_of`]. Only
/// the bits of this board's questions are kept. They are counted from the topmost bit down.
#[inline(always)]
pub(super) fn spread<S: Matrices>(
    simd: S,
    code: S::Vector,
    columns: S::Vector,
    rows: usize,
    place: usize,
) -> S::Vector {
    let rows = (0xff << (8 - rows) & 0xff_u64) >> (place * rows);
    simd.product::<0>(simd.and(code, simd.splat(0x0101_0101_0101_0101 * rows)), columns)
}
