//! The names of the language: products, pieces, squares and functions; and the nearest one to a name that is none of them.

use slider_attacks::Square;
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{Product, ProductColumn};

use crate::expression::{KingStep, PlayedKind, SetExpr, all_pieces};
use crate::parse::InfixSign;

/// The words that are compared with words.
pub const TURN: &str = "turn";
/// The phase of the game.
pub const PHASE: &str = "phase";
/// The pieces on the board.
pub const MATERIAL: &str = "material";

/// The functions, and how each is written.
pub const FUNCTIONS: [(&str, &str); 25] = [
    ("count", "count(set)"),
    ("sum", "sum(white_attackers, set)"),
    ("max", "max(white_attackers, set)"),
    ("abs", "abs(number)"),
    ("north", "north(set)"),
    ("south", "south(set)"),
    ("east", "east(set)"),
    ("west", "west(set)"),
    ("northeast", "northeast(set)"),
    ("northwest", "northwest(set)"),
    ("southeast", "southeast(set)"),
    ("southwest", "southwest(set)"),
    ("flipped", "flipped(set)"),
    ("between", "between(set, set)"),
    ("attacks_of", "attacks_of(queen, set)"),
    ("files", "files(\"a-c\")"),
    ("ranks", "ranks(\"2-4\")"),
    ("starts_with", "starts_with(ECO, \"B\")"),
    ("either", "either(condition)"),
    ("mirrored", "mirrored(condition)"),
    ("after", "after(condition)"),
    ("count_moves", "count_moves(condition)"),
    ("if", "if(condition, number, number)"),
    ("board", "board(\"8/8/8/3pP3/8/8/8/8\")"),
    ("imbalance", "imbalance(\"BvN\")"),
];

/// The moves that inputs record.
pub const PLAYED: [(&str, PlayedKind); 3] = [
    ("move_captures", PlayedKind::Captures),
    ("move_promotes", PlayedKind::Promotes),
    ("move_checks", PlayedKind::Checks),
];

/// Who is to move.
pub const TO_MOVE: [(&str, Color); 2] = [("white_to_move", Color::White), ("black_to_move", Color::Black)];

/// Sets that are the same for all boards.
const AREAS: [(&str, u64); 5] =
    [("light", LIGHT), ("dark", !LIGHT), ("center", 0x0000_0018_1800_0000), ("all_squares", !0), ("no_squares", 0)];
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;

/// Sets of pieces of both colours, and of all pieces.
const BOTH: [(&str, Piece); 6] = [
    ("pawns", Piece::Pawn),
    ("knights", Piece::Knight),
    ("bishops", Piece::Bishop),
    ("rooks", Piece::Rook),
    ("queens", Piece::Queen),
    ("kings", Piece::King),
];
const OTHERS: [&str; 4] = ["white", "black", "occupied", "empty"];

/// The column of a product.
pub fn product_column(name: &str) -> Option<&'static ProductColumn> {
    columns().find(|column| column.name() == name)
}

fn columns() -> impl Iterator<Item = &'static ProductColumn> {
    Product::ALL.iter().flat_map(|product| product.columns())
}

/// The product that a column belongs to.
pub fn product_of(column: &ProductColumn) -> Option<Product> {
    let has_it = |product: &&Product| product.columns().iter().any(|other| std::ptr::eq(other, column));
    Product::ALL.iter().find(has_it).copied()
}

/// What a column of a side is called for the other side; the column itself if it is of no side.
pub fn of_other_side(column: &'static ProductColumn) -> &'static ProductColumn {
    let other = match column.name().split_once('_') {
        Some(("white", rest)) => format!("black_{rest}"),
        Some(("black", rest)) => format!("white_{rest}"),
        _ => return column,
    };
    product_column(&other).unwrap_or(column)
}

/// Whether a key is the same if colours are swapped.
pub fn is_canonical(column: &ProductColumn) -> bool {
    column.name() == "canonical_key"
}

/// The set of this name, if it needs no product.
pub fn set(name: &str) -> Option<SetExpr> {
    let both = |piece| {
        let [white, black] = Color::ALL.map(|color| Box::new(SetExpr::Pieces(color, piece)));
        SetExpr::Infix(InfixSign::Either, white, black)
    };
    let of_side = || all_pieces().find(|&(color, piece)| name == format!("{color}_{piece}s"));
    Some(match name {
        "white" => SetExpr::Side(Color::White),
        "black" => SetExpr::Side(Color::Black),
        "occupied" => SetExpr::Occupied,
        "empty" => SetExpr::Complement(Box::new(SetExpr::Occupied)),
        _ => {
            if let Some((_, area)) = AREAS.iter().find(|(area, _)| *area == name) {
                SetExpr::Constant(*area)
            } else if let Some((_, piece)) = BOTH.iter().find(|(pieces, _)| *pieces == name) {
                both(*piece)
            } else if let Some((color, piece)) = of_side() {
                SetExpr::Pieces(color, piece)
            } else {
                SetExpr::Constant(square(name)?.bitboard())
            }
        }
    })
}

/// The square of this name.
pub fn square(name: &str) -> Option<Square> {
    // Names have two small letters; `parse` may take others.
    let is_name = matches!(name.as_bytes(), [b'a'..=b'h', b'1'..=b'8']);
    if is_name { name.parse().ok() } else { None }
}

/// The direction of a function.
pub fn step(function: &str) -> Option<KingStep> {
    let (ranks, files) = match function {
        "north" => (1, 0),
        "south" => (-1, 0),
        "east" => (0, 1),
        "west" => (0, -1),
        "northeast" => (1, 1),
        "northwest" => (1, -1),
        "southeast" => (-1, 1),
        "southwest" => (-1, -1),
        _ => return None,
    };
    Some(KingStep { ranks, files })
}

/// All names that stand without brackets, but those of squares.
fn values() -> impl Iterator<Item = &'static str> {
    let words = [TURN, PHASE, MATERIAL, "true", "false"];
    let sets = AREAS.iter().map(|(name, _)| *name).chain(BOTH.iter().map(|(name, _)| *name)).chain(OTHERS);
    let truths = PLAYED.iter().map(|(name, _)| *name).chain(TO_MOVE.iter().map(|(name, _)| *name));
    words.into_iter().chain(sets).chain(truths).chain(columns().map(ProductColumn::name))
}

/// The name of the language that is most like another one, if one is.
pub fn nearest(name: &str) -> Option<&'static str> {
    nearest_of(name, values())
}

/// The same among functions.
pub fn nearest_function(name: &str) -> Option<&'static str> {
    nearest_of(name, FUNCTIONS.iter().map(|(name, _)| *name).chain([MATERIAL]))
}

/// `: did you mean …?`, if there is a name that is like another one.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

fn nearest_of(wanted: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    /// Longer names are not compared.
    const LONGEST: usize = 64;
    let lower = wanted.to_ascii_lowercase(); // names are ASCII
    let wanted: Vec<char> = lower.chars().take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let most = if wanted.len() < 3 { 0 } else { (wanted.len() / 4).max(1) };
    let ranked = names.map(|name| (distance(&wanted, name), name)).filter(|(distance, _)| *distance <= most);
    ranked.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How many letters are to be added, removed, replaced, or swapped with the next one, to make one text of another.
fn distance(one: &[char], other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut rows: [Vec<usize>; 2] = [Vec::new(), (0..=other.len()).collect()];
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at + 1];
        for (place, found) in other.iter().enumerate() {
            let replaced = rows[1][place] + usize::from(letter != found);
            let mut least = replaced.min(rows[1][place + 1] + 1).min(row[place] + 1);
            if at > 0 && place > 0 && one[at - 1] == *found && other[place - 1] == *letter {
                least = least.min(rows[0][place - 1] + 1);
            }
            row.push(least);
        }
        rows.swap(0, 1);
        rows[1] = row;
    }
    rows[1][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> =
            values().chain(Square::ALL.iter().map(|_| "")).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        // The squares of pieces are products as well.
        let is_twice = |pair: &&[&str]| pair[0] == pair[1];
        assert_eq!(names.windows(2).filter(is_twice).count(), 0, "{names:?}");
        assert!(values().all(|name| square(name).is_none()));
    }

    #[test]
    fn the_nearest_name_is_found() {
        for (wanted, expected) in [
            ("white_pined", Some("white_pinned")),
            ("White_Pinned", Some("white_pinned")),
            ("whtie", Some("white")),
            ("ply", None),
            ("WhiteElo", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted), expected, "{wanted}");
        }
        assert_eq!(nearest_function("conut"), Some("count"));
        assert_eq!(nearest(&"x".repeat(1 << 20)), None);
    }

    #[test]
    fn sides_are_exchanged() {
        for column in columns() {
            let other = of_other_side(column);
            assert_eq!(other.kind(), column.kind());
            assert!(std::ptr::eq(of_other_side(other), column), "{}", column.name());
            let has_side = column.name().starts_with("white_") || column.name().starts_with("black_");
            assert_eq!(has_side, !std::ptr::eq(other, column), "{}", column.name());
        }
    }

    #[test]
    fn steps_stay_on_the_board() {
        assert_eq!(step("north").unwrap().of(1), 1 << 8);
        assert_eq!(step("southwest").unwrap().of(1 << 9 | 1 << 8 | 1 << 1), 1);
        assert_eq!(step("east").unwrap().of(1 << 7), 0);
        assert_eq!(step("northwest").unwrap().of(1 << 63 | 1), 0);
    }
}
