#![doc = include_str!("../../asm-notes/bmi2.md")]

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use crate::line::Lines;
use crate::{Square, reference};

/// `[file][occupancy]`: attacks along the first rank, one byte each. 2 KB.
static FIRST_RANK: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut file = 0;
    while file < 8 {
        let mut occ = 0;
        while occ < 256 {
            table[file][occ] = reference::rank_attacks(Square::ALL[file], occ as u64) as u8;
            occ += 1;
        }
        file += 1;
    }
    table
};

/// The attacks along `line`, other than a rank, of the slider that is the line's square number `place`,
/// counted from its lowest rank.
#[inline]
#[target_feature(enable = "bmi2")]
fn line_attacks(occ: u64, line: u64, place: u8) -> u64 {
    let collapsed = _pext_u64(occ, line) as u8;
    let solved = FIRST_RANK[usize::from(place & 7)][usize::from(collapsed)];
    _pdep_u64(u64::from(solved), line)
}

/// Rank and file. A rank is dense already: shifting does for it what PEXT and PDEP do.
#[inline]
#[target_feature(enable = "bmi2")]
fn rook_attacks(sq: Square, occ: u64) -> u64 {
    let rank_start = sq.index() & 0o70;
    let rank_occ = (occ >> rank_start) as u8;
    let rank = u64::from(FIRST_RANK[usize::from(sq.file())][usize::from(rank_occ)]) << rank_start;
    rank | line_attacks(occ, Lines::through(sq).file, sq.rank())
}

/// Both diagonals. A diagonal begins on the first rank or on the A-file, an anti-diagonal on the first
/// rank or on the H-file, whichever is nearer.
#[inline]
#[target_feature(enable = "bmi2")]
fn bishop_attacks(sq: Square, occ: u64) -> u64 {
    let lines = Lines::through(sq);
    line_attacks(occ, lines.diagonal, sq.rank().min(sq.file()))
        | line_attacks(occ, lines.anti_diagonal, sq.rank().min(7 - sq.file()))
}

/// All four lines.
#[inline]
#[target_feature(enable = "bmi2")]
fn queen_attacks(sq: Square, occ: u64) -> u64 {
    rook_attacks(sq, occ) | bishop_attacks(sq, occ)
}

one_by_one! { #[target_feature(enable = "bmi2")] bishop bishop_attacks, rook rook_attacks, queen queen_attacks }
