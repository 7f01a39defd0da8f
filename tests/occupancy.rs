//! Every form of the collapsed line, for every line of every square, over all occupancies of the line.

use slider_attacks::line::Line;
use slider_attacks::verify::subsets;
use slider_attacks::{Square, methods::occupancy};

/// What is meant by collapsed files: bit *f* for the occupied square on file *f*.
fn by_file(line: u64) -> u8 {
    Square::ALL.into_iter().filter(|sq| line & sq.bitboard() != 0).map(|sq| 1 << sq.file()).sum()
}

/// What is meant by collapsed ranks: bit *r* for the occupied square on rank *r*.
fn by_rank(line: u64) -> u8 {
    Square::ALL.into_iter().filter(|sq| line & sq.bitboard() != 0).map(|sq| 1 << sq.rank()).sum()
}

#[test]
fn collapsed_files_of_every_line() {
    for sq in Square::ALL {
        let lines = [Line::Rank, Line::Diagonal, Line::AntiDiagonal].map(|line| line.through(sq));
        for occ in lines.into_iter().flat_map(subsets) {
            let expected = by_file(occ);
            assert_eq!(occupancy::files_by_shifts(occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::files_by_shifts_32(occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::files_by_multiplication(occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::files_by_multiplication_32(occ), expected, "{sq} {occ:#018x}");
        }
    }
}

#[test]
fn collapsed_ranks_of_every_line() {
    for sq in Square::ALL {
        let lines = [Line::File, Line::Diagonal, Line::AntiDiagonal].map(|line| line.through(sq));
        for occ in lines.into_iter().flat_map(subsets) {
            let expected = by_rank(occ);
            assert_eq!(occupancy::ranks_by_shifts(occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::ranks_by_multiplication(occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::ranks_by_multiplication_32(occ), expected, "{sq} {occ:#018x}");
        }
    }
}

#[test]
fn the_file_of_every_square_whatever_stands_beside_it() {
    for sq in Square::ALL {
        let file = Line::File.through(sq);
        for (occ, noise) in subsets(file).flat_map(|occ| [(occ, 0), (occ, u64::MAX), (occ, 0x5aa5_0ff0_9669_c33c)]) {
            let (expected, occ) = (by_rank(occ), occ | noise & !file);
            assert_eq!(occupancy::file_by_shifts(sq, occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::file_by_multiplication(sq, occ), expected, "{sq} {occ:#018x}");
            assert_eq!(occupancy::file_by_multiplication_32(sq, occ), expected, "{sq} {occ:#018x}");
        }
    }
}
