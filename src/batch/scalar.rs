#![doc = include_str!("../../asm-notes/scalar.md")]

use crate::batch::entries::Planes;
use crate::flip::flip_diagonal;
use crate::methods::fill_up::{bishop_attacks, queen_attacks, rook_attacks};
use crate::{Square, set_attacks};

one_by_one! {
    fn bishop = bishop_attacks;
    fn rook = rook_attacks;
    fn queen = queen_attacks;
}

#[inline(never)]
pub(super) fn attack_sets([orthogonal, diagonal, occs]: [&[u64]; 3], out: &mut [u64], _stream: bool) {
    for (((&orthogonal, &diagonal), &occ), out) in orthogonal.iter().zip(diagonal).zip(occs).zip(out) {
        *out = set_attacks(orthogonal, diagonal, occ);
    }
}

/// Writes the numbers of as many positions as `out` has, at most 64. Inlined into loops that the compiler vectorises.
///
/// The bytes of one rank, one per plane, are the rows of a board of bits. Flipping it about its diagonal makes the
/// numbers its rows.
#[inline(always)]
pub(super) fn numbers(planes: &Planes, out: &mut [[u8; 64]]) {
    for (position, out) in out.iter_mut().enumerate() {
        let planes = planes.each_ref().map(|plane| plane[position]);
        let mut ranks = [0; 8];
        for (rank, numbers) in ranks.iter_mut().enumerate() {
            let [ones, twos, fours, eights, sixteens] = planes.map(|plane| plane >> (8 * rank) & 0xff);
            *numbers = flip_diagonal(ones | twos << 8 | fours << 16 | eights << 24 | sixteens << 32);
        }
        *out = bytemuck::cast(ranks.map(u64::to_le));
    }
}
