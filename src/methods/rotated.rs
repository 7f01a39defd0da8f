//! Rotated bitboards: turn the board until the line is a rank, and solve that.
//!
//! This is the older answer, from before 64-bit multiplications were fast. On a board that is flipped about the
//! diagonal, files are ranks. On a board that is [pseudo-rotated](crate::flip#pseudo-rotation) by 45° clockwise,
//! diagonals are ranks; anti-clockwise, anti-diagonals are. So the occupancy of the line is a byte, the [first-rank
//! lookup](crate::methods::first_rank::rank_attacks) answers, and the answer is turned back. A bishop on e4, its
//! diagonal b1–h7:
//!
//! ```text
//! board               pseudo-rotated      solved              turned back
//! . . . . . . . .     . . 1 . B . 1 .     . . x x . x x .     . . . . . . . .
//! . 1 . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . . . .
//! . . . . . . 1 .     . 1 . . . . . .     . . . . . . . .     . . . . . . x .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . x . .
//! . . . . B . . .     . . . . . . . 1     . . . . . . . .     . . . . . . . .
//! . . . . . . . 1     . . . . . . . .     . . . . . . . .     . . . x . . . .
//! . . 1 . . . . .     . . . . . . . .     . . . . . . . .     . . x . . . . .
//! . . . . . . . .     . . . . . . . .     . . . . . . . .     . . . . . . . .
//! ```
//!
//! Two diagonals share a rank of the pseudo-rotated board (here a8 comes before b1), and a ray may run from one into
//! the other. The line mask removes that at the end.
//!
//! Engines kept the three turned boards next to the real one and changed all four with every move, so that an attack
//! set was one lookup. Here nothing is kept, so that all methods have the same signature: every call turns the board,
//! which makes this method slow.
//!
//! Cost of a queen: 4 lookups, 101 shifts and logic. Tables: 512 bytes.
//!
//! Source: "Occupancy of any Line", section "Rotated Bitboards", <https://www.chessprogramming.org/Occupancy_of_any_Line>;
//! "Rotated Bitboards", <https://www.chessprogramming.org/Rotated_Bitboards>; "Flipping Mirroring and Rotating",
//! <https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>.

use super::first_rank;
use super::steps::{Step, StepValue};
use crate::Square;
use crate::flip::{
    flip_diagonal, pseudo_rotate_45_anti_clockwise, pseudo_rotate_45_clockwise, square,
    undo_pseudo_rotate_45_anti_clockwise, undo_pseudo_rotate_45_clockwise,
};
use crate::line::Line;

pub use crate::methods::first_rank::rank_attacks;

/// Attacks along the file: a rank of the board flipped about the diagonal.
#[inline]
#[must_use]
pub const fn file_attacks(sq: Square, occ: u64) -> u64 {
    flip_diagonal(rank_attacks(square::flip_diagonal(sq), flip_diagonal(occ)))
}

/// Attacks along the diagonal: a rank of the board pseudo-rotated clockwise.
#[inline]
#[must_use]
pub const fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let attacks = rank_attacks(square::pseudo_rotate_45_clockwise(sq), pseudo_rotate_45_clockwise(occ));
    undo_pseudo_rotate_45_clockwise(attacks) & Line::Diagonal.through(sq)
}

/// Attacks along the anti-diagonal: a rank of the board pseudo-rotated anti-clockwise.
#[inline]
#[must_use]
pub const fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    let attacks = rank_attacks(square::pseudo_rotate_45_anti_clockwise(sq), pseudo_rotate_45_anti_clockwise(occ));
    undo_pseudo_rotate_45_anti_clockwise(attacks) & Line::AntiDiagonal.through(sq)
}

/// The steps that follow the masked line.
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    type Turn = (&'static str, fn(Square) -> Square, fn(u64) -> u64, fn(u64) -> u64);
    let (caption, turn_square, turn, turn_back): Turn = match line {
        Line::Rank => return first_rank::steps(sq, occ),
        Line::File => ("flipped", square::flip_diagonal, flip_diagonal, flip_diagonal),
        Line::Diagonal => (
            "pseudo-rotated",
            square::pseudo_rotate_45_clockwise,
            pseudo_rotate_45_clockwise,
            undo_pseudo_rotate_45_clockwise,
        ),
        Line::AntiDiagonal => (
            "pseudo-rotated",
            square::pseudo_rotate_45_anti_clockwise,
            pseudo_rotate_45_anti_clockwise,
            undo_pseudo_rotate_45_anti_clockwise,
        ),
    };
    let (turned_sq, turned) = (turn_square(sq), turn(occ));
    let mut steps = vec![Step::word(caption, turned)];
    steps.extend(
        first_rank::steps(turned_sq, turned).into_iter().filter(|step| !matches!(step.value, StepValue::Squares(_))),
    );
    let solved = rank_attacks(turned_sq, turned);
    let back = turn_back(solved);
    steps.extend([Step::word("on its rank", solved), Step::squares("turned back", back)]);
    if line != Line::File {
        steps.push(Step::squares("& line  attacks", back & line.through(sq)));
    }
    steps
}

sliders! {}
