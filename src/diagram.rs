//! Drawing bitboards as people see them: an 8x8 board with rank 8 at the top.

use core::fmt;

use crate::Square;

/// A drawing of a bitboard, for documentation, failure messages and the command. Its `Display` draws it.
///
/// Occupied squares are `1` and empty ones `.`; one square can be marked with a letter.
///
/// ```
/// use slider_attacks::{Square, diagram::Diagram, rook_attacks};
///
/// let attacks = rook_attacks(Square::D4, Square::D7.bitboard() | Square::B4.bitboard());
/// assert_eq!(
///     Diagram::new(attacks).mark(Square::D4, 'R').to_string(),
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
pub struct Diagram {
    squares: u64,
    mark: Option<(Square, char)>,
}

impl Diagram {
    /// A drawing of these squares.
    pub const fn new(squares: u64) -> Diagram {
        Diagram { squares, mark: None }
    }

    /// The same drawing with `letter` on `square`, whether the square is occupied or not.
    pub const fn mark(self, square: Square, letter: char) -> Diagram {
        Diagram { mark: Some((square, letter)), ..self }
    }

    /// The nine lines of the drawing: ranks 8 to 1, then the names of the files. All have 18 characters.
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

impl fmt::Display for Diagram {
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
