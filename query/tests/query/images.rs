//! `either(c)` and `mirrored(c)` hold where `c` holds for the board or for its mirror image.

use slider_attacks::flip::{flip_vertical, mirror_horizontal};
use slider_attacks::position::{Castling, Color, Piece, Position, Positions};
use slider_attacks_arrow::{ColumnKind, Product};

use crate::{Random, positions, rows};

/// The positions with colours swapped, upside down.
fn swapped(all: &Positions) -> Positions {
    let image = |row: usize| {
        let of = |color: Color| Piece::ALL.map(|piece| flip_vertical(all.pieces(color.other(), piece)[row]));
        let castling: Castling = exchanged(&all.castling()[row].to_string()).parse().unwrap();
        let square = all.en_passant()[row].map(|square| square.bitboard().swap_bytes().trailing_zeros() as u8);
        let square = square.and_then(slider_attacks::Square::new);
        Position::new(Color::ALL.map(of), all.side_to_move()[row].other(), castling, square).unwrap()
    };
    (0..all.len()).map(image).collect()
}

/// The letters of the other colour, in the order of FEN.
fn exchanged(castling: &str) -> String {
    let (black, white): (String, String) = castling.chars().partition(|letter| letter.is_ascii_uppercase());
    let letters = white.to_ascii_uppercase() + &black.to_ascii_lowercase();
    if letters.contains('-') { "-".to_owned() } else { letters }
}

/// The positions with left and right exchanged, and nobody may castle.
fn mirrored(all: &Positions) -> Positions {
    let image = |row: usize| {
        let of = |color: Color| Piece::ALL.map(|piece| mirror_horizontal(all.pieces(color, piece)[row]));
        let square = all.en_passant()[row].map(|square| slider_attacks::Square::ALL[usize::from(square.index() ^ 7)]);
        Position::new(Color::ALL.map(of), all.side_to_move()[row], Castling::NONE, square).unwrap()
    };
    (0..all.len()).map(image).collect()
}

/// The same positions; nobody may castle.
fn without_castling(all: &Positions) -> Positions {
    mirrored(&mirrored(all))
}

/// A random set.
fn set(random: &mut Random, depth: usize) -> String {
    let columns: Vec<&str> = Product::ALL
        .iter()
        .flat_map(|product| product.columns())
        .filter(|column| column.kind() == ColumnKind::Bitboard)
        .map(|column| column.name())
        .collect();
    if depth == 0 || random.below(4) == 0 {
        return match random.below(4) {
            0 => (*random.one_of(&["white", "black", "occupied", "empty", "pawns", "light", "center", "e4", "a7"]))
                .to_owned(),
            1 => (*random.one_of(&[
                "files(\"a-c\")",
                "ranks(\"2-4\")",
                "ranks(7)",
                "files(h)",
                "0xff00ff",
                "targets[e2]",
            ]))
            .to_owned(),
            _ => (*random.one_of(&columns)).to_owned(),
        };
    }
    let steps = ["north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest", "flipped"];
    match random.below(6) {
        0 => format!("{}({})", random.one_of(&steps), set(random, depth - 1)),
        1 => format!("between({}, {})", set(random, depth - 1), set(random, depth - 1)),
        2 => {
            let pieces = ["white_pawn", "black_pawn", "knight", "bishop", "rook", "queen", "king"];
            format!("attacks_of({}, {})", random.one_of(&pieces), set(random, depth - 1))
        }
        3 => format!("~({})", set(random, depth - 1)),
        _ => {
            let sign = *random.one_of(&["&", "|", "^", "-"]);
            format!("({} {sign} {})", set(random, depth - 1), set(random, depth - 1))
        }
    }
}

fn number(random: &mut Random, depth: usize) -> String {
    let numbers = ["white_attackers", "black_attackers", "mobility", "white_gains", "black_gains", "safe_mobility"];
    let singles = ["legal_moves", "in_check", "checkmate", "insufficient_material", "count(moves)", "count(threats)"];
    let all = *random.one_of(&numbers);
    match random.below(7) {
        0 => (*random.one_of(&singles)).to_owned(),
        1 => format!("{all}[{}]", random.one_of(&["e4", "d5", "a1", "g7"])),
        2 => format!("sum({all}, {})", set(random, 1)),
        3 => format!("max({all}, {})", set(random, 1)),
        4 if depth > 0 => format!("(abs({}) * 2 - if(in_check, {}, 1))", number(random, depth - 1), number(random, 0)),
        _ => format!("count({})", set(random, depth)),
    }
}

/// A random condition.
fn truth(random: &mut Random, depth: usize) -> String {
    if depth > 0 {
        let [one, other] = [0, 1].map(|_| truth(random, depth - 1));
        match random.below(6) {
            0 => return format!("({one} and {other})"),
            1 => return format!("({one} or {other})"),
            2 => return format!("not {one}"),
            3 => return format!("either({one})"),
            _ => {}
        }
    }
    let relation = *random.one_of(&["=", "!=", "<", "<=", ">", ">="]);
    match random.below(9) {
        0 => (*random.one_of(&["turn = white", "black_to_move", "phase = endgame", "phase != opening"])).to_owned(),
        1 => (*random.one_of(&[
            "board(\"8/8/8/3pP3/8/8/8/8\")",
            "board(\"6k1/5ppp/8/8/8/8/8/8\")",
            "imbalance(\"PvN\")",
            "imbalance(\"v\")",
            "material = \"KRkr\"",
        ]))
        .to_owned(),
        2 if random.below(3) == 0 => format!("after({} {relation} {})", number(random, 0), random.below(4)),
        2 if random.below(3) == 0 => format!("count_moves({}) > 1", set(random, 1)),
        3 => format!("{} = {}", set(random, 2), set(random, 2)),
        4 | 5 => set(random, 3),
        _ => format!("{} {relation} {}", number(random, 2), random.below(6)),
    }
}

#[test]
fn a_condition_or_its_image_holds() {
    let mut random = Random(77);
    let (all, few) = (positions(600, 3), without_castling(&positions(600, 4)));
    let (swapped, mirrored) = (swapped(&all), mirrored(&few));
    let (mut found, mut counts) = (0, [0, 0]);
    for _ in 0..400 {
        let text = truth(&mut random, 2);
        for (function, board, image) in [("either", &all, &swapped), ("mirrored", &few, &mirrored)] {
            let expected: Vec<bool> =
                rows(&text, board).into_iter().zip(rows(&text, image)).map(|(one, other)| one || other).collect();
            let holds = rows(&format!("{function}({text})"), board);
            assert_eq!(holds, expected, "{function}({text})");
            found += 1;
            holds.iter().for_each(|&holds| counts[usize::from(holds)] += 1);
        }
    }
    assert!(found == 800 && counts.iter().all(|&count| count > 50_000), "{counts:?}");
}
