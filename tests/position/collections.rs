//! Positions and squares as collections: iterators, and what they are collected into.

use crate::common::Random;
use slider_attacks::position::{Position, Positions};
use slider_attacks::{Square, Squares};

const SAMPLE: &str = include_str!("../data/sample.epd");

fn sample() -> Positions {
    let mut positions = Positions::new();
    positions.read_lines(SAMPLE.as_bytes()).unwrap();
    positions
}

#[test]
fn positions_are_collected_as_they_were() {
    let positions = sample();
    assert_eq!(positions.iter().len(), positions.len());
    assert_eq!(positions.iter().collect::<Positions>(), positions);
    let mut twice = positions.clone();
    twice.extend(positions.slice(3..7));
    let mut expected = positions.clone();
    (3..7).for_each(|index| expected.push_fen(positions.fen(index).as_bytes()).unwrap());
    assert_eq!(twice, expected);
    let reversed: Positions = positions.iter().rev().collect();
    assert_eq!(reversed.iter().rev().collect::<Positions>(), positions);
    assert_eq!(positions.iter().nth(5), positions.get(5));
    assert_eq!(positions.get(positions.len()), None);
}

#[test]
fn a_position_has_what_its_array_has() {
    let positions = sample();
    for (index, position) in positions.iter().enumerate() {
        assert_eq!(position.occupancy(), positions.occupancies()[index]);
        assert_eq!(position.castling(), positions.castling()[index]);
        assert_eq!(position.en_passant(), positions.en_passant()[index]);
        assert_eq!(position.to_string(), positions.fen(index));
        assert_eq!(position.to_string().parse(), Ok(position));
        for square in Square::ALL {
            let piece = position.piece_at(square);
            assert_eq!(piece, positions.piece_at(index, square));
            assert_eq!(piece.is_some(), position.occupancy() & square.bitboard() != 0);
            if let Some((color, piece)) = piece {
                assert_ne!(position.pieces(color, piece) & position.color(color) & square.bitboard(), 0);
            }
        }
    }
}

#[test]
fn a_text_is_the_position_that_an_array_reads() {
    for text in ["", "4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - -; bm Ke2;", " 4k3/8/8/8/8/8/8/R3K3 b Q - 3 9"] {
        let mut positions = Positions::new();
        let pushed = positions.push_fen(text.as_bytes());
        assert_eq!(text.parse::<Position>(), pushed.map(|()| positions.get(0).unwrap()), "{text:?}");
    }
}

#[test]
fn squares_come_in_order_from_both_ends() {
    let mut random = Random(2);
    let boards = [0, 1, 1 << 63, u64::MAX].into_iter().chain((0..1_000).map(|_| random.next() & random.next()));
    for board in boards.collect::<Vec<_>>() {
        let expected: Vec<Square> = Square::ALL.into_iter().filter(|square| board >> square.index() & 1 == 1).collect();
        assert_eq!(Squares::from(board).collect::<Vec<_>>(), expected);
        assert_eq!(Squares::from(board).len(), expected.len());
        assert_eq!(Squares::from(board).rev().collect::<Vec<_>>(), expected.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(expected.iter().copied().collect::<Squares>().bitboard(), board);
        let (mut ends, mut from_ends) = (Squares::from(board), Vec::new());
        while let Some(square) = ends.next() {
            from_ends.extend([Some(square), ends.next_back()].into_iter().flatten());
        }
        from_ends.sort();
        assert_eq!(from_ends, expected);
    }
}
