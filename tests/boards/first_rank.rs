//! The first-rank lookups over all their inputs.

use slider_attacks::methods::first_rank;
use slider_attacks::{Square, reference};

#[test]
fn both_tables_for_all_files_and_occupancies() {
    for sq in Square::ALL {
        for occ in 0..=255 {
            let expected = reference::rank_attacks(Square::ALL[usize::from(sq.file())], u64::from(occ)) as u8;
            assert_eq!(first_rank::attacks_256(sq, occ), expected, "{sq} {occ:#010b}");
            assert_eq!(first_rank::attacks_64(sq, occ), expected, "{sq} {occ:#010b}");
        }
    }
}

#[test]
fn rank_attacks_for_all_squares_and_occupancies() {
    for sq in Square::ALL {
        for occ in 0..=255_u64 {
            for noise in [0, u64::MAX, 0x5aa5_0ff0_9669_c33c] {
                let rank_start = 8 * sq.rank();
                let occ = noise & !(0xff << rank_start) | occ << rank_start;
                let expected = reference::rank_attacks(sq, occ);
                assert_eq!(first_rank::rank_attacks(sq, occ), expected, "{sq} {occ:#018x}");
            }
        }
    }
}
