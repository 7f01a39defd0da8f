#![doc = include_str!("../../asm-notes/scalar.md")]

use crate::methods::fill_up::{bishop_attacks, queen_attacks, rook_attacks};
use crate::{Square, set_attacks};

one_by_one! { bishop bishop_attacks, rook rook_attacks, queen queen_attacks }

#[inline(never)]
pub(super) fn attack_sets([orthogonal, diagonal, occs]: [&[u64]; 3], out: &mut [u64], _stream: bool) {
    for (((&orthogonal, &diagonal), &occ), out) in orthogonal.iter().zip(diagonal).zip(occs).zip(out) {
        *out = set_attacks(orthogonal, diagonal, occ);
    }
}
