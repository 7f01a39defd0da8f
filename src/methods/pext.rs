//! PEXT and PDEP: two instructions that collapse and spread a line, with a table of bytes.
//!
//! PEXT gathers the bits under a mask, in order, and PDEP puts bits back under a mask. With the line as the mask, they
//! replace the multiplications of other methods, for files as well as diagonals. The diagonal c1–h6, with a bishop on
//! e3 and pieces on d2 and g5:
//!
//! ```text
//! occupancy           line                PEXT, solved        PDEP under the line
//! . . . . . . . .     . . . . . . . .                         . . . . . . . .
//! . . . . . . . .     . . . . . . . .                         . . . . . . . .
//! . . . . . . . .     . . . . . . . 1                         . . . . . . . .
//! . . . . . . 1 .     . . . . . . 1 .                         . . . . . . x .
//! . . . . . . . .     . . . . . 1 . .                         . . . . . x . .
//! . . . . B . . .     . . . . 1 . . .     c d e f g h         . . . . . . . .
//! . . . 1 . . . .     . . . 1 . . . .     . 1 B . 1 .         . . . x . . . .
//! . . . . . . . .     . . 1 . . . . .     . x . x x .         . . . . . . . .
//! ```
//!
//! The bits come out dense: a line shorter than eight squares ends below bit 7, and the slider's place is its number on the
//! line, not its file. The table is still that of eight squares. PDEP drops what the table holds beyond the end of the line.
//!
//! On AMD before Zen 3, and on Hygon, the two instructions are microcoded and slow.
//!
//! Cost of a queen: 3 PEXT, 3 PDEP, 4 lookups, 5 shifts and logic, and 5 more for the places on the lines. Tables: 2 KB.
//!
//! With the occupancy as the first index of the table and the file as the second, as in the source, a loop over queens
//! takes 2.25 ns per queen; the other way round, it takes 2.68 ns (AMD EPYC of family 0x1a, rustc 1.95, 4096 pairs in
//! cache). The backend `bmi2` looks up both diagonals of a bishop at once, in a larger table.
//!
//! Source: "BMI2", <https://www.chessprogramming.org/BMI2>; the table is that of "First Rank Attacks", section "One Byte Only",
//! <https://www.chessprogramming.org/First_Rank_Attacks>.
//!
//! # Safety
//!
//! The CPU must have BMI2. All of these functions are safe to call from a function that enables it; from other functions, the
//! call is unsafe. The entry `pext` of [`Method::ALL`] asks the CPU before each call, and the backend
//! [`bmi2`](crate::Backend::bmi2) asks once. The two instructions are not `const fn`, so neither are these functions.

#![allow(clippy::missing_safety_doc, reason = "one section says it for all functions, and they are not `unsafe fn`")]

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use super::Method;
use super::steps::Step;
use crate::Square;
use crate::line::Line;
use crate::methods::first_rank::{self, by_occupancy};

/// The attacks along `line`, which is not a rank, of a slider on its square number `place`, counted from the lowest rank.
#[inline]
#[target_feature(enable = "bmi2")]
fn line_attacks(occ: u64, line: u64, place: u8) -> u64 {
    let collapsed = _pext_u64(occ, line) as u8;
    let solved = by_occupancy(place & 7, collapsed);
    _pdep_u64(u64::from(solved), line)
}

/// Attacks along the rank. A rank is dense already, so shifts replace PEXT and PDEP.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn rank_attacks(sq: Square, occ: u64) -> u64 {
    let rank_start = sq.rank_start();
    let rank_occ = (occ >> rank_start) as u8;
    u64::from(by_occupancy(sq.file(), rank_occ)) << rank_start
}

/// Attacks along the file.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn file_attacks(sq: Square, occ: u64) -> u64 {
    line_attacks(occ, Line::File.through(sq), sq.rank())
}

/// Attacks along the diagonal, whose first square is on the first rank or on the A-file.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn diagonal_attacks(sq: Square, occ: u64) -> u64 {
    line_attacks(occ, Line::Diagonal.through(sq), diagonal_place(sq))
}

/// Attacks along the anti-diagonal, whose first square is on the first rank or on the H-file.
#[inline]
#[target_feature(enable = "bmi2")]
#[must_use]
pub fn anti_diagonal_attacks(sq: Square, occ: u64) -> u64 {
    line_attacks(occ, Line::AntiDiagonal.through(sq), anti_diagonal_place(sq))
}

/// The steps that follow the masked line.
#[target_feature(enable = "bmi2")]
pub(super) fn steps(line: Line, sq: Square, occ: u64) -> Vec<Step> {
    let place = match line {
        Line::Rank => {
            let rank_occ = (occ >> sq.rank_start()) as u8;
            return vec![
                Step::index("shifted  index", rank_occ.into(), 8),
                Step::row("looked-up byte", by_occupancy(sq.file(), rank_occ)),
                Step::squares("shifted  attacks", rank_attacks(sq, occ)),
            ];
        }
        Line::File => sq.rank(),
        Line::Diagonal => diagonal_place(sq),
        Line::AntiDiagonal => anti_diagonal_place(sq),
    };
    let mask = line.through(sq);
    let collapsed = _pext_u64(occ, mask) as u8;
    vec![
        Step::squares("mask of PEXT", mask),
        Step::index("PEXT  index", collapsed.into(), 8),
        Step::index("place on the line", place.into(), 3),
        Step::row("looked-up byte", by_occupancy(place & 7, collapsed)),
        Step::squares("PDEP  attacks", line_attacks(occ, mask, place)),
    ]
}

#[inline(always)]
fn diagonal_place(sq: Square) -> u8 {
    sq.rank().min(sq.file())
}

#[inline(always)]
fn anti_diagonal_place(sq: Square) -> u8 {
    sq.rank().min(7 - sq.file())
}

sliders! { #[target_feature(enable = "bmi2")] pub fn }

/// The functions above for callers that have not checked the CPU. These check it on each call.
macro_rules! checked {
    ($($name:ident($($argument:ident: $type:ty),+) -> $result:ty;)+) => {
        mod checked {
            use super::{Line, Square, Step};

            $(pub(super) fn $name($($argument: $type),+) -> $result {
                assert!(super::can_run(), "this CPU cannot run pext");
                // SAFETY: the CPU has BMI2, as the line above has made sure.
                unsafe { super::$name($($argument),+) }
            })+
        }
    };
}

checked! {
    rank_attacks(sq: Square, occ: u64) -> u64;
    file_attacks(sq: Square, occ: u64) -> u64;
    diagonal_attacks(sq: Square, occ: u64) -> u64;
    anti_diagonal_attacks(sq: Square, occ: u64) -> u64;
    bishop_attacks(sq: Square, occ: u64) -> u64;
    rook_attacks(sq: Square, occ: u64) -> u64;
    queen_attacks(sq: Square, occ: u64) -> u64;
    steps(line: Line, sq: Square, occ: u64) -> Vec<Step>;
}

fn can_run() -> bool {
    is_x86_feature_detected!("bmi2")
}

impl Method {
    pub(super) const PEXT: Method = Method {
        can_run,
        ..method!(
            checked,
            "pext",
            size_of_val(&first_rank::BY_OCCUPANCY),
            "3 pext, 3 pdep, 4 lookups, 10 other",
            "First Rank Attacks, One Byte Only"
        )
    };
}
