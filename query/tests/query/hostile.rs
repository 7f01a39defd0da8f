//! Any text is a condition or an error, in bounded time.

use std::sync::LazyLock;

use slider_attacks::position::Positions;
use slider_attacks_query::PositionQuery;

use crate::{Random, plan, positions};

const VALID: [&str; 12] = [
    "either(white_pinned & white_queens) and count(occupied) < 20",
    "after(checkmate) or count_moves(in_check = 1) >= 2 + 3 * abs(-1)",
    "not (starts_with(ECO, \"B\", 'C4') and ply in (1, 2, \"x\")) or `the name` != 0x5",
    "board(\"8/8/8/3pP3/8/8/8/8\") and imbalance(\"BvN\") and material = \"KRPkr\"",
    "sum(white_attackers, attacks_of(king, black_kings)) > max(black_attackers, between(e1, e8))",
    "mirrored(north(files(\"a-c\")) | ~ranks(7) ^ south(light - dark)) = false",
    "turn = white and phase != endgame and move_captures and legal_moves not in (1)",
    "white_attackers[e4] = 3 and targets[e2] & e4 and polyglot_key = 0x463b96181691fc9c",
    "evals.0.cp > 30 and quiet = true and WhiteElo - BlackElo > 200.5",
    "either(either(mirrored(white & e4)))",
    "count(mating_moves) = 1 and threats",
    "a1 | b2 & c3 - d4",
];

/// Parses a text, and evaluates it if it is a condition.
fn attempt(text: &str) -> bool {
    static FEW: LazyLock<Positions> = LazyLock::new(|| positions(3, 9));
    match text.parse::<PositionQuery>() {
        Ok(query) => {
            assert_eq!(query.rows(&plan(), &*FEW, &()).len(), 3);
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(error.column >= 1 && error.column <= text.len() + 1 && message.len() < 800, "{text}: {message}");
            assert!(!message.contains(char::is_control), "{message:?}");
            false
        }
    }
}

#[test]
fn parts_of_conditions_in_any_order_end_well() {
    let mut random = Random(1);
    let mut valid = 0;
    let words: Vec<String> = VALID.iter().flat_map(|text| pieces(text)).collect();
    for _ in 0..20_000 {
        let text: Vec<&str> = (0..1 + random.below(9)).map(|_| random.one_of(&words).as_str()).collect();
        valid += usize::from(attempt(&text.join(" ")));
    }
    assert!(valid > 300, "{valid}");
}

/// Names, numbers, texts and signs.
fn pieces(text: &str) -> Vec<String> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if first.is_alphanumeric() => {
                rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
            }
            _ => 1,
        };
        if first != ' ' {
            all.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    all
}

#[test]
fn changed_conditions_end_well() {
    let mut random = Random(2);
    for text in VALID {
        text.parse::<PositionQuery>().ok();
        for _ in 0..2_000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, *random.one_of(b"()[]&|^~+-*=<>!,\"'`. 0aez_\\")),
                    _ => bytes.rotate_left(at),
                }
            }
            attempt(&String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn any_bytes_end_well() {
    let mut random = Random(3);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
        attempt(&String::from_utf8_lossy(&bytes));
    }
}

/// The most that a text may ask for ends in good time, on a stack of the size that threads have.
#[test]
fn the_largest_conditions_end() {
    let one_of_many = vec!["white_pinned[e4]"; 800].join(" or ");
    let in_a_row = vec!["white_attacks"; 257].join(" ^ ");
    let doubled = format!("{}white_forks | black_forks{}", "either(mirrored(".repeat(5), "))".repeat(5));
    let nested = format!("{}white{}", "not (".repeat(31), ")".repeat(31));
    let difference = format!("{} > 0", vec!["ply"; 257].join(" - "));
    for text in [difference, one_of_many, in_a_row, doubled, nested, "after(after(checkmate))".to_owned()] {
        assert!(attempt(&text), "{text}");
    }
}
