//! The attacks of whole sets of sliders on one board, by filling.
//!
//! A ray is filled in three steps that double its length (Kogge and Stone's parallel prefix, "Kogge-Stone Algorithm" in
//! the field's literature): the sliders are smeared over the empty squares of a direction, and the smear, shifted once more,
//! is what they attack there. Eight directions, no tables, no branches; the compiler vectorises loops over it.

/// The union of what the sliders of a board attack: those in `orthogonal` along ranks and files, those in `diagonal`
/// along diagonals. Queens stand in both.
///
/// Every slider attacks up to and including the first occupied square in each direction. Sliders need not be in `occ`;
/// one that is not in it does not block the others.
///
/// ```
/// use slider_attacks::{Square, bishop_attacks, rook_attacks, set_attacks};
///
/// let (rook, bishop, occ) = (Square::A1, Square::E4, 0x00ff_0000_1000_ff01);
/// let set = set_attacks(rook.bitboard(), bishop.bitboard(), occ);
/// assert_eq!(set, rook_attacks(rook, occ) | bishop_attacks(bishop, occ));
/// ```
#[inline]
pub const fn set_attacks(orthogonal: u64, diagonal: u64, occ: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    up::<8>(orthogonal, occ, !0)
        | down::<8>(orthogonal, occ, !0)
        | up::<1>(orthogonal, occ, NOT_A)
        | down::<1>(orthogonal, occ, NOT_H)
        | up::<9>(diagonal, occ, NOT_A)
        | down::<9>(diagonal, occ, NOT_H)
        | up::<7>(diagonal, occ, NOT_H)
        | down::<7>(diagonal, occ, NOT_A)
}

/// The attacks in the direction that adds `STEP` to a square; `on_board` are the squares that it does not come round the
/// edge to.
#[inline(always)]
const fn up<const STEP: u32>(sliders: u64, occ: u64, on_board: u64) -> u64 {
    let (mut fill, mut free) = (sliders, !occ & on_board);
    fill |= free & fill << STEP;
    free &= free << STEP;
    fill |= free & fill << (2 * STEP);
    free &= free << (2 * STEP);
    fill |= free & fill << (4 * STEP);
    fill << STEP & on_board
}

/// The same in the direction that subtracts it.
#[inline(always)]
const fn down<const STEP: u32>(sliders: u64, occ: u64, on_board: u64) -> u64 {
    let (mut fill, mut free) = (sliders, !occ & on_board);
    fill |= free & fill >> STEP;
    free &= free >> STEP;
    fill |= free & fill >> (2 * STEP);
    free &= free >> (2 * STEP);
    fill |= free & fill >> (4 * STEP);
    fill >> STEP & on_board
}
