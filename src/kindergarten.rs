//! Kindergarten bitboards: slider attacks by mask, collapse, solve and spread.
//!
//! Gerd Isenberg's method answers "what does a slider attack along this line?" in four steps. Each
//! backend of this library does the same four, whatever its instructions:
//!
//! | step | scalar ([`fill_up`]) | BMI2 | vectors (rank slices) |
//! |---|---|---|---|
//! | **mask** the line | `occ & line` | the mask operand of `pext` | lanes whose rank is the slider's; bits west and east of it |
//! | **collapse** it to a dense occupancy | a multiplication sums one bit a file into the top byte | `pext` | an or over the eight slices for the rank; the other lines are walked where they lie |
//! | **solve** that | a table of first-rank attacks | the same table | subtract and compare bytes for the rank; seven steps up and down for the others |
//! | **spread** the answer over the line | eight copies in the table, `& line` | the same, or `pdep` | select the slider's rank again; the others are already in place |
//!
//! A vector of bytes does in one addition of bytes what the multiplication does in the scalar code, and
//! where the scalar code turns a file into a rank, the vector code transposes the boards so that files
//! and diagonals become runs of registers.
//!
//! Methods, one file each, all with the same functions:
//!
//! - [`fill_up`]: the classic form, 4 KB for rank, diagonal and anti-diagonal together and 4 KB for the
//!   file. The scalar backend.

pub mod fill_up;
