//! Every flip, mirror and rotation against its square map, and the laws that hold between them.
//!
//! All of these functions are linear: the image of a board is the union of the images of its squares. So the 64 boards of
//! one square suffice, and random boards check the linearity.

use proptest::prelude::*;
use slider_attacks::Square;
use slider_attacks::diagram::Diagram;
use slider_attacks::flip::{self, alternatives, lines, square, square::by_multiplication};
use slider_attacks::line::Line;
use slider_attacks::verify::subsets;

/// Moves every square of the board as the map says.
fn moved(board: u64, map: fn(Square) -> Square) -> u64 {
    Square::ALL.into_iter().filter(|sq| board & sq.bitboard() != 0).fold(0, |all, sq| all | map(sq).bitboard())
}

/// Declares two tests per group of forms: one of the 64 boards with a single square, and one of random boards.
macro_rules! same_as_the_square_map {
    ($($map:ident: $($form:expr),+;)*) => {
        mod single_squares {
            use super::*;

            $(#[test]
            fn $map() {
                $(for sq in Square::ALL {
                    let (board, expected) = ($form(sq.bitboard()), square::$map(sq).bitboard());
                    assert_eq!(board, expected, "{}, {sq}\n{}", stringify!($form), Diagram::new(board));
                })+
            }
            )*
        }
        mod random_boards {
            use super::*;

            proptest! {
                $(#[test]
                fn $map(board: u64, other: u64) {
                    $(
                        prop_assert_eq!($form(board), moved(board, square::$map), "{}", stringify!($form));
                        prop_assert_eq!($form(board | other), $form(board) | $form(other), "{}", stringify!($form));
                    )+
                }
                )*
            }
        }
    };
}

same_as_the_square_map! {
    flip_vertical: flip::flip_vertical, alternatives::flip_vertical_by_bytes,
        alternatives::flip_vertical_by_delta_swaps, |board| flip::flip_mirror_or_reverse(board, true, false);
    mirror_horizontal: flip::mirror_horizontal, alternatives::mirror_horizontal_by_multiply_add,
        alternatives::mirror_horizontal_by_rotations, |board| flip::flip_mirror_or_reverse(board, false, true);
    rotate_180: flip::rotate_180, alternatives::rotate_180_by_delta_swaps,
        alternatives::rotate_180_by_flip_and_mirror, |board| flip::flip_mirror_or_reverse(board, true, true);
    flip_diagonal: flip::flip_diagonal;
    flip_anti_diagonal: flip::flip_anti_diagonal;
    rotate_90_clockwise: flip::rotate_90_clockwise, alternatives::rotate_90_clockwise_by_anti_diagonal;
    rotate_90_anti_clockwise: flip::rotate_90_anti_clockwise, alternatives::rotate_90_anti_clockwise_by_anti_diagonal;
    pseudo_rotate_45_clockwise: flip::pseudo_rotate_45_clockwise;
    pseudo_rotate_45_anti_clockwise: flip::pseudo_rotate_45_anti_clockwise;
    undo_pseudo_rotate_45_clockwise: flip::undo_pseudo_rotate_45_clockwise;
    undo_pseudo_rotate_45_anti_clockwise: flip::undo_pseudo_rotate_45_anti_clockwise;
}

/// The square maps themselves, in words of file and rank.
#[test]
fn square_maps_are_what_they_are_called() {
    for sq in Square::ALL {
        let (file, rank) = (sq.file(), sq.rank());
        let at = |file: u8, rank: u8| Square::from_file_rank(file, rank).unwrap();
        assert_eq!(square::flip_vertical(sq), at(file, 7 - rank));
        assert_eq!(square::mirror_horizontal(sq), at(7 - file, rank));
        assert_eq!(square::rotate_180(sq), at(7 - file, 7 - rank));
        assert_eq!(square::flip_diagonal(sq), at(rank, file));
        assert_eq!(square::flip_anti_diagonal(sq), at(7 - rank, 7 - file));
        assert_eq!(square::rotate_90_clockwise(sq), at(rank, 7 - file));
        assert_eq!(square::rotate_90_anti_clockwise(sq), at(7 - rank, file));
        assert_eq!(square::pseudo_rotate_45_clockwise(sq), at(file, (8 + rank - file) % 8));
        assert_eq!(square::pseudo_rotate_45_anti_clockwise(sq), at(file, (1 + rank + file) % 8));
        assert_eq!(square::undo_pseudo_rotate_45_clockwise(sq), at(file, (rank + file) % 8));
        assert_eq!(square::undo_pseudo_rotate_45_anti_clockwise(sq), at(file, (7 + rank - file) % 8));
    }
}

#[test]
fn square_maps_by_multiplication() {
    macro_rules! same {
        ($($map:ident)*) => {
            $(for sq in Square::ALL {
                assert_eq!(by_multiplication::$map(sq), square::$map(sq), "{}, {sq}", stringify!($map));
            })*
        };
    }
    same! {
        flip_diagonal flip_anti_diagonal rotate_90_clockwise rotate_90_anti_clockwise
        pseudo_rotate_45_clockwise pseudo_rotate_45_anti_clockwise
        undo_pseudo_rotate_45_clockwise undo_pseudo_rotate_45_anti_clockwise
    }
}

/// With the plus sign that the document prints, the maps are those of the inverses.
#[test]
fn printed_pseudo_rotation_maps_have_the_wrong_sign() {
    let clockwise = |sq: Square| (sq.index() + 8 * sq.file()) & 63;
    let anti_clockwise = |sq: Square| (sq.index() + 8 * (sq.file() ^ 7)) & 63;
    assert_ne!(clockwise(Square::D4), Square::D1.index());
    assert_ne!(anti_clockwise(Square::C6), Square::C1.index());
    for sq in Square::ALL {
        assert_eq!(clockwise(square::pseudo_rotate_45_clockwise(sq)), sq.index());
        assert_eq!(anti_clockwise(square::pseudo_rotate_45_anti_clockwise(sq)), sq.index());
    }
}

/// A diagonal lies in one rank after the pseudo-rotation, each square on its own file.
#[test]
fn pseudo_rotations_lay_diagonals_on_ranks() {
    for sq in Square::ALL {
        let diagonal = flip::pseudo_rotate_45_clockwise(Line::Diagonal.through(sq));
        let anti_diagonal = flip::pseudo_rotate_45_anti_clockwise(Line::AntiDiagonal.through(sq));
        for (line, rotated, target) in [
            (Line::Diagonal, diagonal, square::pseudo_rotate_45_clockwise(sq)),
            (Line::AntiDiagonal, anti_diagonal, square::pseudo_rotate_45_anti_clockwise(sq)),
        ] {
            assert_eq!(rotated, lines::line_to_first_rank(line.through(sq)) << (8 * target.rank()), "{sq}");
        }
    }
}

type Turn = fn(u64) -> u64;

proptest! {
    /// Every product of two symmetries that is a rotation or nothing at all, and the inverses of the pseudo-rotations.
    #[test]
    fn one_after_the_other(board: u64) {
        use flip::*;
        let nothing = |board| flip_mirror_or_reverse(board, false, false);
        let (v, h, d, a) = (flip_vertical, mirror_horizontal, flip_diagonal, flip_anti_diagonal);
        let (cw, acw, half) = (rotate_90_clockwise, rotate_90_anti_clockwise, rotate_180);
        let (pcw, pacw) = (pseudo_rotate_45_clockwise, pseudo_rotate_45_anti_clockwise);
        let (undo_pcw, undo_pacw) = (undo_pseudo_rotate_45_clockwise, undo_pseudo_rotate_45_anti_clockwise);
        prop_assert_eq!(nothing(board), board);
        let laws: [(Turn, &[[Turn; 2]]); 4] = [
            (cw, &[[d, v], [v, a], [a, h], [h, d]]),
            (acw, &[[v, d], [a, v], [h, a], [d, h]]),
            (half, &[[h, v], [v, h], [a, d], [d, a], [cw, cw], [acw, acw]]),
            (nothing, &[
                [v, v], [h, h], [half, half], [d, d], [a, a], [acw, cw], [cw, acw],
                [pcw, undo_pcw], [undo_pcw, pcw], [pacw, undo_pacw], [undo_pacw, pacw],
            ]),
        ];
        for (whole, pairs) in laws {
            for (at, [first, second]) in pairs.iter().enumerate() {
                prop_assert_eq!(second(first(board)), whole(board), "number {}", at);
            }
        }
    }
}

#[test]
fn the_two_pseudo_rotations_do_not_undo_each_other() {
    let there = flip::pseudo_rotate_45_clockwise(Square::B1.bitboard());
    assert_ne!(flip::pseudo_rotate_45_anti_clockwise(there), Square::B1.bitboard());
}

#[test]
fn a_file_to_first_rank_and_back_over_all_occupancies() {
    for file in subsets(Line::File.through(Square::A1)) {
        let rank = lines::a_file_to_first_rank_reversed(file);
        assert_eq!(rank, flip::rotate_90_anti_clockwise(file));
        assert_eq!(lines::first_rank_to_a_file_reversed(rank), file);
    }
    for rank in 0..256 {
        let file = lines::first_rank_to_a_file_reversed(rank);
        assert_eq!(file, flip::rotate_90_clockwise(rank));
        assert_eq!(lines::a_file_to_first_rank_reversed(file), rank);
    }
}

#[test]
fn h_file_to_first_rank_over_all_occupancies() {
    for file in subsets(Line::File.through(Square::H1)) {
        let rank = lines::h_file_to_first_rank(file);
        assert_eq!(rank, flip::rotate_90_clockwise(file));
        // About the diagonal, the H-file goes to the eighth rank.
        assert_eq!(rank << 56, flip::flip_diagonal(file));
    }
}

#[test]
fn lines_to_first_rank_and_back_over_all_occupancies() {
    for sq in Square::ALL {
        for line in [Line::Rank, Line::Diagonal, Line::AntiDiagonal].map(|line| line.through(sq)) {
            for occ in subsets(line) {
                let files = moved(occ, |sq| Square::ALL[usize::from(sq.file())]);
                assert_eq!(lines::line_to_first_rank(occ), files, "{sq}");
                assert_eq!(lines::first_rank_to_line(files, line), occ, "{sq}");
            }
        }
    }
}

#[test]
fn byte_reversal_of_all_bytes() {
    use alternatives::*;
    let forms: [fn(u8) -> u8; 5] = [
        flip::reverse_byte,
        reverse_byte_by_multiplication,
        reverse_byte_by_multiplication_32,
        reverse_byte_by_multiplication_32_top,
        reverse_byte_by_lookup,
    ];
    for byte in 0..=255_u8 {
        let expected = (0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| 0x80 >> bit).sum::<u8>();
        assert_eq!(forms.map(|form| form(byte)), [expected; 5], "{byte:#010b}");
    }
}

#[test]
fn printed_byte_reversal_is_right_for_16_bytes() {
    let printed =
        |byte: u32| ((byte * 0x0802) & 0x0002_2110 | (byte * 0x8020) & 0x0008_8440).wrapping_mul(0x1010_1000) >> 24;
    assert_eq!((0..=255_u8).filter(|&byte| printed(byte.into()) == byte.reverse_bits().into()).count(), 16);
}

/// The constants of the general flip, as the document computes them and as it prints them.
#[test]
fn printed_masks_of_the_general_flip_lost_digits() {
    let masks = [0, 1, 2, 3, 4, 5].map(|swap: u32| u64::MAX / ((1 << (1 << swap)) + 1));
    assert_eq!(masks[..3], [0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f]);
    assert_eq!(masks[3..], [0x00ff_00ff_00ff_00ff, 0x0000_ffff_0000_ffff, 0x0000_0000_ffff_ffff]);
    assert_ne!(masks[3], 0x0ff_0ff0_ff0f_f0ff);
    assert_ne!(masks[4], 0x000f_ffff_000f_ffff);
}
