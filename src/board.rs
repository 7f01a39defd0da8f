//! Bitboards as people see them: an 8x8 board with rank 8 on top. Also the walk over all subsets of one.

use core::fmt;

use crate::Square;

/// Draws a bitboard, for documentation, failure messages and the command.
///
/// Occupied squares are `1`, empty ones `.`; one square can be marked with a letter of its own.
///
/// ```
/// use slider_attacks::{Square, board::Board, rook_attacks};
///
/// let attacks = rook_attacks(Square::D4, Square::D7.bitboard() | Square::B4.bitboard());
/// assert_eq!(
///     Board::new(attacks).mark(Square::D4, 'R').to_string(),
///     "\
/// 8  . . . . . . . .
/// 7  . . . 1 . . . .
/// 6  . . . 1 . . . .
/// 5  . . . 1 . . . .
/// 4  . 1 1 R 1 1 1 1
/// 3  . . . 1 . . . .
/// 2  . . . 1 . . . .
/// 1  . . . 1 . . . .
///    a b c d e f g h"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Board {
    squares: u64,
    mark: Option<(Square, char)>,
}

impl Board {
    /// A board that shows these squares.
    pub const fn new(squares: u64) -> Board {
        Board { squares, mark: None }
    }

    /// The same board with `letter` on `square`, whether the square is occupied or not.
    pub const fn mark(self, square: Square, letter: char) -> Board {
        Board { mark: Some((square, letter)), ..self }
    }

    /// The nine lines of the drawing: ranks 8 to 1, then the names of the files. All are equally wide.
    pub fn lines(self) -> impl Iterator<Item = String> {
        let rank_line = move |rank: u8| {
            (0..8).fold(format!("{} ", rank + 1), |mut line, file| {
                let square = Square::ALL[usize::from(8 * rank + file)];
                line.push(' ');
                line.push(match self.mark {
                    Some((marked, letter)) if marked == square => letter,
                    _ if self.squares & square.bitboard() != 0 => '1',
                    _ => '.',
                });
                line
            })
        };
        (0..8).rev().map(rank_line).chain(["   a b c d e f g h".to_owned()])
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.lines().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&line)?;
        }
        Ok(())
    }
}

/// Every subset of `mask`, the empty one first, `mask` itself last: 2 to the number of its bits.
///
/// ```
/// assert_eq!(slider_attacks::board::subsets(0b101).collect::<Vec<_>>(), [0, 0b001, 0b100, 0b101]);
/// ```
pub fn subsets(mask: u64) -> impl Iterator<Item = u64> {
    core::iter::successors(Some(0), move |&subset| (subset != mask).then(|| next_subset(subset, mask)))
}

/// The subset of `mask` that comes after `subset` in the order in which PEXT numbers them; after the last the empty one.
#[inline(always)]
pub(crate) const fn next_subset(subset: u64, mask: u64) -> u64 {
    // Minus the mask is plus one and plus all the bits outside it, over which the carry ripples.
    subset.wrapping_sub(mask) & mask
}
