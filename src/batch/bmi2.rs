#![doc = include_str!("../../asm-notes/bmi2.md")]

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use crate::batch::kernel::nibbles::{MORE, PackedBoard, words};
use crate::line::{Line, next_subset};
use crate::table::table;
use crate::{Slider, Square, reference};

/// `[place][occupancy]`: attacks along a line of eight squares, one bit per square. 2 KB.
///
/// [`first_rank`](crate::methods::first_rank) has the same table with the indexes swapped. With that table, queens take
/// 1.09 times as long and rooks 0.87 times (Zen 5).
static LINE_ATTACKS: [[u8; 256]; 8] =
    table!(place < 8 => table!(occ < 256 => reference::rank_attacks(Square::ALL[place], occ as u64) as u8));

/// The data of a square that the lookup for a bishop needs.
#[derive(Clone, Copy)]
struct Bishop {
    /// The squares it attacks on an empty board: at most 13.
    rays: u64,
    /// The rays without the edge of the board, where pieces make no difference.
    inner: u64,
    /// Where the attack sets of this square begin in [`BISHOP_ATTACKS`].
    start: usize,
}

const EDGE: u64 = 0xff81_8181_8181_81ff;

/// By square. 1.5 KB.
static BISHOPS: [Bishop; 64] = {
    let mut bishops = [Bishop { rays: 0, inner: 0, start: 0 }; 64];
    let (mut index, mut start) = (0, 0);
    while index < 64 {
        let rays = reference::attacks(Slider::Bishop, Square::ALL[index], 0);
        bishops[index] = Bishop { rays, inner: rays & !EDGE, start };
        start += 1 << bishops[index].inner.count_ones();
        index += 1;
    }
    bishops
};

/// For each square and each subset of its inner rays, the attack set, with one bit per square of the rays.
/// 5,248 entries, 10.25 KB.
static BISHOP_ATTACKS: [u16; 5_248] = {
    let mut table = [0; 5_248];
    let mut index = 0;
    while index < 64 {
        let Bishop { rays, inner, start } = BISHOPS[index];
        let (mut entry, mut occ) = (start, 0_u64);
        loop {
            let attacks = reference::attacks(Slider::Bishop, Square::ALL[index], occ);
            let (mut rest, mut bit) = (rays, 0);
            while rest != 0 {
                table[entry] |= ((attacks >> rest.trailing_zeros() & 1) as u16) << bit;
                rest &= rest - 1;
                bit += 1;
            }
            occ = next_subset(occ, inner);
            entry += 1;
            if occ == 0 {
                break;
            }
        }
        index += 1;
    }
    table
};

/// Rank and file. The bits of a rank are contiguous, so shifts replace PEXT and PDEP.
#[inline]
#[target_feature(enable = "bmi2")]
fn rook_attacks(sq: Square, occ: u64) -> u64 {
    let (file, rank) = (usize::from(sq.file()), usize::from(sq.rank()));
    let rank_start = sq.rank_start();
    let along_rank = LINE_ATTACKS[file][usize::from((occ >> rank_start) as u8)];
    let line = Line::File.through(sq);
    let along_file = LINE_ATTACKS[rank][usize::from(_pext_u64(occ, line) as u8)];
    u64::from(along_rank) << rank_start | _pdep_u64(u64::from(along_file), line)
}

/// Both diagonals at once.
#[inline]
#[target_feature(enable = "bmi2")]
fn bishop_attacks(sq: Square, occ: u64) -> u64 {
    let Bishop { rays, inner, start } = BISHOPS[usize::from(sq.index())];
    _pdep_u64(u64::from(BISHOP_ATTACKS[start + _pext_u64(occ, inner) as usize]), rays)
}

/// All four lines.
#[inline]
#[target_feature(enable = "bmi2")]
fn queen_attacks(sq: Square, occ: u64) -> u64 {
    rook_attacks(sq, occ) | bishop_attacks(sq, occ)
}

one_by_one! {
    #[target_feature(enable = "bmi2")]
    fn bishop = bishop_attacks;
    #[target_feature(enable = "bmi2")]
    fn rook = rook_attacks;
    #[target_feature(enable = "bmi2")]
    fn queen = queen_attacks;
}

/// Writes the planes of records. Twelve instructions: PEXT gathers, PDEP spreads.
#[inline(never)]
#[target_feature(enable = "bmi2")]
pub(super) fn unpack(records: &[PackedBoard], [ones, twos, fours, eights]: [&mut [u64]; 4]) {
    const LOWEST: u64 = 0x1111_1111_1111_1111;
    for ((((record, ones), twos), fours), eights) in records.iter().zip(ones).zip(twos).zip(fours).zip(eights) {
        let [occupied, low, high] = words(record);
        let plane = |bit: u32| {
            let mask = LOWEST << bit;
            _pdep_u64(_pext_u64(low, mask) | _pext_u64(high, mask) << 16 | MORE, occupied)
        };
        (*ones, *twos, *fours, *eights) = (plane(0), plane(1), plane(2), plane(3));
    }
}
