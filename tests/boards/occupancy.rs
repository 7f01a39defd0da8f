//! Every form of the collapsed line, for every line of every square, over all occupancies of the line.

use slider_attacks::Square;
use slider_attacks::line::Line;
use slider_attacks::methods::occupancy::*;
use slider_attacks::verify::subsets;

/// What is meant by collapsed files and ranks: the bit with the number of its file or rank for each occupied square.
fn collapsed(line: u64, number: fn(Square) -> u8) -> u8 {
    Square::ALL.into_iter().filter(|sq| line & sq.bitboard() != 0).map(|sq| 1 << number(sq)).sum()
}

/// Checks every form for every one of these lines of each square.
fn check(lines: [Line; 3], number: fn(Square) -> u8, forms: &[fn(u64) -> u8]) {
    for (sq, line) in Square::ALL.into_iter().flat_map(|sq| lines.map(|line| (sq, line))) {
        for occ in subsets(line.through(sq)) {
            for (at, form) in forms.iter().enumerate() {
                assert_eq!(form(occ), collapsed(occ, number), "form {at}, {line} of {sq}, {occ:#018x}");
            }
        }
    }
}

#[test]
fn collapsed_files_of_every_line() {
    check(
        [Line::Rank, Line::Diagonal, Line::AntiDiagonal],
        Square::file,
        &[files_by_shifts, files_by_shifts_32, files_by_multiplication, files_by_multiplication_32],
    );
}

#[test]
fn collapsed_ranks_of_every_line() {
    check(
        [Line::File, Line::Diagonal, Line::AntiDiagonal],
        Square::rank,
        &[ranks_by_shifts, ranks_by_multiplication, ranks_by_multiplication_32],
    );
}

#[test]
fn the_file_of_every_square_whatever_stands_beside_it() {
    let forms: [fn(Square, u64) -> u8; 3] = [file_by_shifts, file_by_multiplication, file_by_multiplication_32];
    for sq in Square::ALL {
        let file = Line::File.through(sq);
        for (occ, noise) in subsets(file).flat_map(|occ| [0, u64::MAX, 0x5aa5_0ff0_9669_c33c].map(|noise| (occ, noise)))
        {
            let all = occ | noise & !file;
            for (at, form) in forms.iter().enumerate() {
                assert_eq!(form(sq, all), collapsed(occ, Square::rank), "form {at}, {sq}, {all:#018x}");
            }
        }
    }
}
