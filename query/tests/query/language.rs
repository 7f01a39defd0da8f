//! What conditions mean.

use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks_arrow::{ColumnKind, Plan, Product, Values};
use slider_attacks_query::PHASES;

use crate::{NamedTexts, holds, plan, positions, query, rows};

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const PINNED: &str = "4k3/4r3/8/8/8/8/4Q3/4K3 b - -";
const MATE: &str = "7k/R7/6K1/8/8/8/8/8 w - -";

#[test]
fn conditions_hold_as_they_say() {
    for (text, fen, expected) in [
        // Sets and areas.
        ("white_pinned & white_queens", PINNED, true),
        ("black_pinned - e7", PINNED, false),
        ("count(occupied) = 32", INITIAL, true),
        ("count(~occupied) = 32 and count(empty) = 32", INITIAL, true),
        ("count(pawns) = 16 and pawns = (white_pawns | black_pawns)", INITIAL, true),
        ("white = ranks(\"1-2\") and black = ranks(\"7,8\")", INITIAL, true),
        ("files(\"a-c,h\") = (files(a) | files(b) | files(c) | files(\"h\"))", INITIAL, true),
        ("ranks(7) & black_pawns = black_pawns", INITIAL, true),
        ("light & dark", INITIAL, false),
        ("light = ~dark and a1 & dark and h1 & light", INITIAL, true),
        ("center = (d4 | e4 | d5 | e5) and 0xff = ranks(1)", INITIAL, true),
        ("north(white_pawns) = ranks(3) and south(black_pawns) = ranks(6)", INITIAL, true),
        ("east(h4) or west(a4) or north(a8) or southwest(a2)", INITIAL, false),
        ("northeast(e4) = f5 and northwest(e4) = d5 and southeast(e4) = f3", INITIAL, true),
        ("flipped(white) = black", INITIAL, true),
        ("between(e1, e8) = files(e) - e1 - e8", INITIAL, true),
        ("between(e1, f3)", INITIAL, false),
        ("attacks_of(knight, b1) = (a3 | c3 | d2)", INITIAL, true),
        ("attacks_of(queen, d1) = white_attacks & (c1 | e1 | c2 | d2 | e2)", INITIAL, true),
        ("attacks_of(king, black_kings) & black_pawns", INITIAL, true),
        ("attacks_of(white_pawn, a2) = b3 and attacks_of(black_pawn, h7) = g6", INITIAL, true),
        ("white_knights[g1] and not white_knights[f3]", INITIAL, true),
        ("white_knights - b1 = g1 and white_knights ^ b1 = g1", INITIAL, true),
        ("no_squares", INITIAL, false),
        ("count(all_squares) = 64", INITIAL, true),
        // Numbers.
        ("white_attackers[f3] = 3 and black_attackers[f6] = 3", INITIAL, true),
        ("sum(white_attackers, ranks(3)) = 18 and max(white_attackers, ranks(3)) = 3", INITIAL, true),
        ("max(white_attackers, no_squares) = 0", INITIAL, true),
        ("legal_moves = 20 and count(moves) = 20 and count(threats) = 0", INITIAL, true),
        ("legal_moves and not in_check and not checkmate", INITIAL, true),
        ("2 + 3 * 4 = 14 and (2 + 3) * 4 = 20 and 7 - 2 - 1 = 4", INITIAL, true),
        ("-2 < 1 and abs(-2) = 2 and abs(3 - 5) = 2 and 0.5 * 4 = 2", INITIAL, true),
        ("if(turn = white, 3, count(kings)) = 3 and if(in_check, 1, 2) = 2", INITIAL, true),
        ("if(in_check, 1, if(white_pinned, 2, 3)) = 2", PINNED, true),
        ("count(white) - count(black) >= 1", PINNED, false),
        ("count(mating_moves) = 1 and mating_moves", MATE, true),
        ("count(targets[e2]) = 2 and targets[b1] = (a3 | c3)", INITIAL, true),
        ("legal_moves in (19, 20)", INITIAL, true),
        ("legal_moves not in (19, 20)", INITIAL, false),
        // The game.
        ("turn = white and white_to_move and turn != black", INITIAL, true),
        ("black_to_move and \"black\" = turn", PINNED, true),
        ("phase = opening and phase != endgame", INITIAL, true),
        ("phase in (endgame, \"middlegame\")", PINNED, true),
        ("material = \"KQkr\" and material(\"Qr\")", PINNED, true),
        ("material(\"KRkq\")", PINNED, false),
        ("imbalance(\"Qvr\") and imbalance(\"QvR\")", PINNED, true),
        ("imbalance(\"v\")", INITIAL, true),
        ("imbalance(\"v\")", PINNED, false),
        ("board(\"8/4r3/8/8/8/8/4Q3/8\")", PINNED, true),
        ("board(\"8/4R3/8/8/8/8/4Q3/8\")", PINNED, false),
        ("board(\"8/8/8/8/8/8/8/8\")", PINNED, true),
        // Keys.
        ("polyglot_key = 0x463b96181691fc9c", INITIAL, true),
        ("polyglot_key in (0x1, 0x463b96181691fc9c) and polyglot_key != 0x2", INITIAL, true),
        // Moves.
        ("after(checkmate)", MATE, true),
        ("count_moves(checkmate) = 1 and count_moves(true) = legal_moves", MATE, true),
        ("after(checkmate)", INITIAL, false),
        ("after(white_pawns & e4 and turn = black)", INITIAL, true),
        ("after(after(black_pawns & e5 and white_pawns & e4))", INITIAL, true),
        ("count_moves(count_moves(true) = 20) = 20", INITIAL, true),
        // Images.
        ("either(black_pinned & black_queens)", PINNED, true),
        ("either(turn = white)", PINNED, true),
        ("mirrored(white_queens & d2)", PINNED, true),
        ("either(mirrored(black_queens & d7))", PINNED, true),
        ("either(board(\"8/4q3/8/8/8/8/4R3/8\"))", PINNED, true),
        ("either(material = \"KRkq\") and either(imbalance(\"RvQ\"))", PINNED, true),
        ("either(canonical_key = 0x0)", PINNED, false),
        // What binds how strongly.
        ("true or true and false", INITIAL, true),
        ("(true or true) and false", INITIAL, false),
        ("not false and false", INITIAL, false),
        ("not (false and false)", INITIAL, true),
        ("not 1 = 2", INITIAL, true),
        ("not not true", INITIAL, true),
        ("a1 | b1 & no_squares", INITIAL, true),
        ("(a1 | b1) & no_squares", INITIAL, false),
        ("a1 | b1 ^ b1 & b1 = a1", INITIAL, true),
        ("a1 & b1 - b1 = no_squares", INITIAL, true),
        ("~a1 & a1 = no_squares", INITIAL, true),
    ] {
        assert_eq!(holds(text, fen), expected, "{text} of {fen}");
    }
}

#[test]
fn values_of_the_input_compare_as_text_or_as_numbers() {
    let texts: &[(&str, &[Option<&str>])] = &[
        ("ply", &[Some("10"), Some("9"), None, Some("?")]),
        ("ECO", &[Some("B20"), Some("C42"), None, Some("")]),
        ("WhiteElo", &[Some("2700"), Some(" 2500.5 "), Some("-"), None]),
        ("BlackElo", &[Some("900"), Some("2600"), Some("1"), None]),
        ("Date", &[Some("2024.05.01"), Some("2023.??.??"), None, Some("2024")]),
        ("quiet", &[Some("true"), Some("False"), None, Some("yes")]),
        ("evals.0.cp", &[Some("-31"), Some("+31"), Some("inf"), Some("nan")]),
        ("the name", &[Some("a"), Some("b"), Some("`"), None]),
        ("turn", &[Some("1"), Some("2"), Some("3"), Some("4")]),
        ("next_uci", &[Some("e2e4"), Some("e7e5"), Some("a1a1"), None]),
    ];
    let mut all = Positions::new();
    (0..4).for_each(|_| all.push_fen(INITIAL).unwrap());
    for (text, expected) in [
        ("ply > 9", [true, false, false, false]),
        ("9 < ply", [true, false, false, false]),
        ("ply > \"9\"", [false, false, false, true]),
        ("ply != 9", [true, false, false, false]),
        ("not ply = 9", [true, false, true, true]),
        ("ply + 1 = 10", [false, true, false, false]),
        ("-ply = -9", [false, true, false, false]),
        ("ply * count(kings) >= 20", [true, false, false, false]),
        ("ply in (9, \"10\")", [true, true, false, false]),
        ("ply not in (9, \"10\")", [false, false, true, true]),
        ("ECO in (\"B20\", 'B21')", [true, false, false, false]),
        ("starts_with(ECO, \"B\", \"C4\")", [true, true, false, false]),
        ("ECO = \"\"", [false, false, false, true]),
        ("ECO != \"B20\"", [false, true, false, true]),
        ("WhiteElo > 2500", [true, true, false, false]),
        ("WhiteElo > BlackElo", [true, false, false, false]),
        ("ECO > ply", [false; 4]),
        ("ECO = ECO", [true, true, false, false]),
        ("WhiteElo - BlackElo > 200", [true, false, false, false]),
        ("Date >= \"2024\"", [true, false, false, true]),
        ("Date < \"2024.01.01\"", [false, true, false, true]),
        ("quiet = true", [true, false, false, false]),
        ("quiet != true", [false, true, false, false]),
        ("evals.0.cp < 0 or evals.0.cp > 30", [true, true, false, false]),
        ("evals.0.cp = evals.0.cp", [true, true, true, true]),
        ("`the name` >= \"a\"", [true, true, false, false]),
        ("`turn` >= 3", [false, false, true, true]),
        ("white and ply = 10 or black and ply = 9", [true, true, false, false]),
        ("after(ply = 10) or legal_moves = 20 and ply = 9", [true, true, false, false]),
        ("move_captures or move_promotes or move_checks", [false; 4]),
        ("count_moves(WhiteElo > 2600) = 20", [true, false, false, false]),
    ] {
        let query = query(text);
        let found = query.rows(&plan(), &all, &NamedTexts(texts, query.inputs().to_vec()));
        assert_eq!(found, expected, "{text}");
    }
    assert_eq!(query("ply > 1 and ECO = \"x\" or ply < 3").inputs(), ["ply", "ECO"]);
    assert!(query("move_checks").asks_for_played_move() && !query("checkmate").asks_for_played_move());
    assert_eq!(query("move_checks").inputs(), ["next_uci"]);
}

#[test]
fn recorded_moves_are_of_their_kinds() {
    for (fen, uci, expected) in [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", [true, false, false]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", [true, false, false]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - -", "e5d6", [false, false, false]),
        ("7k/P7/8/8/8/8/8/4K3 w - -", "a7a8q", [false, true, true]),
        ("1n5k/P7/8/8/8/8/8/4K3 w - -", "a7b8n", [true, true, false]),
        ("5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", [false, false, true]),
        ("5k2/8/8/8/8/8/8/4K2R w K -", "e1h1", [false, false, true]),
        ("4k3/8/8/8/8/8/8/4K2R w K -", "h1h8", [false, false, true]),
    ] {
        let mut one = Positions::new();
        one.push_fen(fen).unwrap();
        let inputs: &[(&str, &[Option<&str>])] = &[("next_uci", &[Some(uci)])];
        let found = ["move_captures", "move_promotes", "move_checks"].map(|text| {
            let inputs = NamedTexts(inputs, vec!["next_uci".to_owned()]);
            query(text).rows(&plan(), &one, &inputs)[0]
        });
        assert_eq!(found, expected, "{uci} in {fen}");
    }
}

/// Every product is a name, with the values that a plan computes, also where only few rows are left for it.
#[test]
fn products_have_their_values() {
    let all = positions(1500, 11);
    let few: Vec<bool> = rows("count(occupied) < 12", &all);
    for product in Product::ALL {
        let values = Plan::new([*product]).values(&all);
        for (column, values) in product.columns().iter().zip(values) {
            let name = column.name();
            let (text, expected): (String, Vec<bool>) = match values {
                Values::Boards(keys) if column.kind() == ColumnKind::Key => {
                    (format!("{name} in ({:#x}, 0x1)", keys[700]), keys.iter().map(|key| *key == keys[700]).collect())
                }
                Values::Boards(sets) => {
                    let set = sets[700];
                    (format!("{name} = {set:#x}"), sets.iter().map(|other| *other == set).collect())
                }
                Values::Numbers(numbers) => {
                    let sums = numbers.iter().map(|numbers| numbers[20..30].iter().map(|&n| u32::from(n)).sum::<u32>());
                    (format!("sum({name}, {:#x}) > 3", (1_u64 << 30) - (1 << 20)), sums.map(|sum| sum > 3).collect())
                }
                Values::Number(numbers) => {
                    (format!("{name} = {}", numbers[700]), numbers.iter().map(|other| *other == numbers[700]).collect())
                }
                Values::Sets(sets) => (
                    format!("{name}[e2] = {:#x}", sets[0][12]),
                    sets.iter().map(|other| other[12] == sets[0][12]).collect(),
                ),
                Values::Moves { offsets, .. } | Values::Threats { offsets, .. } => {
                    (format!("count({name}) > 2"), offsets.windows(2).map(|ends| ends[1] - ends[0] > 2).collect())
                }
                other => panic!("the test must know {other:?}"),
            };
            assert_eq!(rows(&text, &all), expected, "{text}");
            let both: Vec<bool> = few.iter().zip(&expected).map(|(few, holds)| *few && *holds).collect();
            assert_eq!(rows(&format!("count(occupied) < 12 and {text}"), &all), both, "{text}");
            let either: Vec<bool> = few.iter().zip(&expected).map(|(few, holds)| *few || *holds).collect();
            assert_eq!(rows(&format!("{text} or count(occupied) < 12"), &all), either, "{text}");
        }
    }
}

#[test]
fn pieces_phases_and_sides_are_those_of_the_positions() {
    let all = positions(3000, 5);
    for color in Color::ALL {
        for piece in Piece::ALL {
            let expected: Vec<bool> = all.pieces(color, piece).iter().map(|set| set.count_ones() > 1).collect();
            assert_eq!(rows(&format!("count({color}_{piece}s) > 1"), &all), expected);
        }
        let expected: Vec<bool> = all.side_to_move().iter().map(|side| *side == color).collect();
        assert_eq!(rows(&format!("turn = {color}"), &all), expected);
    }
    let phases = PHASES.map(|phase| rows(&format!("phase = {phase}"), &all));
    assert!((0..all.len()).all(|row| phases.iter().filter(|phase| phase[row]).count() == 1));
    assert!(phases.iter().all(|phase| phase.contains(&true)));
    // Blocks follow each other, and so do the moves of their rows.
    let moves = Plan::new([Product::LegalMoves]).values(&all);
    let Values::Number(moves) = &moves[0] else { panic!("a number") };
    let expected: Vec<bool> = moves.iter().map(|&moves| moves > 30).collect();
    assert_eq!(rows("count_moves(true) > 30", &all), expected);
}
