//! The specification: the ray walk of [`crate::reference`], on squares and boards whose values are not known.

use std::ops::{BitAnd, BitOr, Not};

use crate::{Slider, Square};

const ROOK: [(i8, i8); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const BISHOP: [(i8, i8); 4] = [(-1, -1), (1, 1), (1, -1), (-1, 1)];

/// The attack set of `slider`, square by square. `stands` tells whether the slider stands on a square, and `occupied`
/// whether a piece does.
///
/// A `Bit` may be known, unknown, or a word with one bit per board. `no` is false.
pub(super) fn attacks<Bit>(slider: Slider, stands: [Bit; 64], occupied: [Bit; 64], no: Bit) -> [Bit; 64]
where
    Bit: Copy + BitAnd<Output = Bit> + BitOr<Output = Bit> + Not<Output = Bit>,
{
    let directions = match slider {
        Slider::Rook => ROOK.to_vec(),
        Slider::Bishop => BISHOP.to_vec(),
        Slider::Queen => [ROOK, BISHOP].concat(),
    };
    let mut attacks = [no; 64];
    for from in Square::ALL {
        for &(file_step, rank_step) in &directions {
            let mut reached = stands[usize::from(from.index())];
            for to in ray(from, file_step, rank_step) {
                attacks[to] = attacks[to] | reached;
                reached = reached & !occupied[to];
            }
        }
    }
    attacks
}

/// The numbers of the squares in a direction, to the edge of the board.
fn ray(from: Square, file_step: i8, rank_step: i8) -> impl Iterator<Item = usize> {
    let (file, rank) = (from.file() as i8, from.rank() as i8);
    (1..8)
        .map(move |steps| (file + steps * file_step, rank + steps * rank_step))
        .take_while(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank))
        .map(|(file, rank)| (8 * rank + file) as usize)
}

mod tests {
    use super::*;
    use crate::reference;
    use crate::verify::occupancies;

    /// The same walk, over one bit of each of 64 boards, gives what the reference gives.
    #[test]
    fn the_walk_is_the_reference() {
        let pairs: Vec<(Square, u64)> =
            Square::ALL.into_iter().flat_map(|sq| occupancies(sq).map(move |occ| (sq, occ))).collect();
        assert_eq!(pairs.len(), 1_048_576 + 71_168);
        for slider in Slider::ALL {
            for pairs in pairs.chunks(64) {
                let stands = |square: usize| bits(pairs, |(sq, _)| sq.index() as usize == square);
                let occupied = |square: usize| bits(pairs, |(_, occ)| occ >> square & 1 == 1);
                let attacks = attacks(slider, std::array::from_fn(stands), std::array::from_fn(occupied), 0_u64);
                for (board, &(sq, occ)) in pairs.iter().enumerate() {
                    let attacks = (0..64).fold(0, |all, square| all | (attacks[square] >> board & 1) << square);
                    assert_eq!(attacks, reference::attacks(slider, sq, occ), "{slider} on {sq}, {occ:#018x}");
                }
            }
        }
    }

    /// The bit of each pair.
    fn bits(pairs: &[(Square, u64)], bit: impl Fn((Square, u64)) -> bool) -> u64 {
        pairs.iter().enumerate().fold(0, |bits, (at, &pair)| bits | u64::from(bit(pair)) << at)
    }
}
