//! What is said of a text that is no condition.

use slider_attacks_query::PositionQuery;

fn message(text: &str) -> String {
    match text.parse::<PositionQuery>() {
        Ok(query) => panic!("{text} is a condition: {query:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn errors_name_the_column_and_what_was_expected() {
    let operand = "expected a name, a number, a text or a bracket, found";
    for (text, expected) in [
        // Words and signs.
        ("", "column 1: expected a condition, found none".to_owned()),
        ("  ", "column 1: expected a condition, found none".to_owned()),
        ("white & ", format!("column 9: {operand} the end")),
        ("white & & black", format!("column 9: {operand} `&`")),
        ("and white", format!("column 1: {operand} `and`")),
        ("white and", format!("column 10: {operand} the end")),
        ("(white", "column 7: expected `)` to close the bracket, found the end".to_owned()),
        ("white)", "column 6: expected an operator or the end, found `)`".to_owned()),
        ("white black", "column 7: expected an operator or the end, found `black`".to_owned()),
        ("white \"x\"", "column 7: expected an operator or the end, found the text \"x\"".to_owned()),
        ("white `x`", "column 7: expected an operator or the end, found the column `x`".to_owned()),
        ("white `x\ny`", "column 7: expected an operator or the end, found the column `x\\ny`".to_owned()),
        ("white 5", "column 7: expected an operator or the end, found the number 5".to_owned()),
        ("white 0x5", "column 7: expected an operator or the end, found the number 0x5".to_owned()),
        ("white && black", "column 7: unknown operator `&&`: write `and`".to_owned()),
        ("white || black", "column 7: unknown operator `||`: write `or`".to_owned()),
        ("!white", "column 1: unknown operator `!`: write `not`".to_owned()),
        ("ply <> 3", "column 5: unknown operator `<>`: write `!=`".to_owned()),
        ("white ; black", "column 7: unexpected character ';'".to_owned()),
        ("ECO = \"B", "column 7: expected \" at the end of the text".to_owned()),
        ("ECO = 'B\\'", "column 7: expected ' at the end of the text".to_owned()),
        ("`a", "column 1: expected a backquote at the end of the name of a column".to_owned()),
        ("`` > 1", "column 1: expected the name of a column between the backquotes".to_owned()),
        ("ply > 2x", "column 7: expected a number, such as 20, 0.5 or 0x8100000000000081, found `2x`".to_owned()),
        ("ply > 1.2.3", "column 7: expected a number, such as 20, 0.5 or 0x8100000000000081, found `1.2.3`".to_owned()),
        (
            "white & 0x12345678123456781",
            "column 9: expected a number, such as 20, 0.5 or 0x8100000000000081, found `0x12345678123456781`".to_owned(),
        ),
        ("1 < 2 < 3", "column 7: comparisons cannot follow each other: join them with `and`".to_owned()),
        ("ply in 3", "column 8: expected `(` and a list after `in`, found the number 3".to_owned()),
        ("ply in ()", "column 1: expected values in the list after `in`, found none".to_owned()),
        ("ply in (1 2)", "column 11: expected `)` or `,`, found the number 2".to_owned()),
        ("count(white", "column 12: expected `)` or `,`, found the end".to_owned()),
        ("white[e4", "column 9: expected `]` after the square, found the end".to_owned()),
        // Names.
        ("white_pined", "column 1: unknown name `white_pined`: did you mean `white_pinned`?".to_owned()),
        ("ply > 1 and white_pined & white", "column 13: unknown set `white_pined`: did you mean `white_pinned`?".to_owned()),
        ("count(nothing_like_it)", "column 7: unknown set `nothing_like_it`".to_owned()),
        ("white = blak", "column 9: unknown set `blak`: did you mean `black`?".to_owned()),
        ("coutn(white) > 1", "column 1: unknown function `coutn`: did you mean `count`?".to_owned()),
        ("quite_different(white)", "column 1: unknown function `quite_different`".to_owned()),
        ("white(e4)", "column 1: `white` is no function: write it without brackets".to_owned()),
        ("white_pinned(e4)", "column 1: `white_pinned` is no function: write it without brackets".to_owned()),
        ("white_atackers[e4] > 1", "column 1: unknown name `white_atackers`: did you mean `white_attackers`?".to_owned()),
        ("ply", "column 1: `ply` is a value of the input: compare it, as in `ply > 0`".to_owned()),
        ("`white`", "column 1: `white` is a value of the input: compare it, as in `white > 0`".to_owned()),
        // Types.
        ("5", "column 1: expected a condition, found a number; compare it, as in `… > 0`".to_owned()),
        ("count(white) + 1", "column 1: expected a condition, found a number; compare it, as in `… > 0`".to_owned()),
        ("\"text\"", "column 1: expected a condition, found the text \"text\"".to_owned()),
        (
            "white_attackers",
            "column 1: expected a condition, found `white_attackers`, which has 64 numbers; name a square, as in \
             white_attackers[e4], or write sum(white_attackers, set) or max(white_attackers, set)"
                .to_owned(),
        ),
        (
            "targets & e4",
            "column 1: expected a set, found `targets`, which has 64 sets; name a square, as in targets[e4]".to_owned(),
        ),
        (
            "moves > 3",
            "column 1: expected a number, found `moves`, which is a list; write count(moves), or after(…) for what holds \
             after a move"
                .to_owned(),
        ),
        (
            "threats & e4",
            "column 1: expected a set, found `threats`, which is a list; write count(threats), or use the hanging pieces \
             and forks"
                .to_owned(),
        ),
        (
            "position_key",
            "column 1: expected a condition, found `position_key`, which is a key; compare it, as in position_key = \
             0x463b96181691fc9c"
                .to_owned(),
        ),
        ("turn", "column 1: expected a condition, found `turn`; write `turn = white` or `turn = black`".to_owned()),
        ("phase and white", "column 1: expected a condition, found `phase`; write `phase = endgame`".to_owned()),
        ("not material", "column 5: expected a condition, found `material`; write `material = \"KRPkr\"`".to_owned()),
        ("turn = e4", "column 8: expected `white` or `black` as the side to move".to_owned()),
        ("turn < white", "column 8: these have no order: expected `=` or `!=`".to_owned()),
        ("phase = start", "column 9: expected one of opening, middlegame, endgame".to_owned()),
        ("material = KRk", "column 12: expected the letters of all pieces, such as \"KRPkr\"".to_owned()),
        ("white < black", "column 9: sets have no order: expected `=` or `!=`".to_owned()),
        ("position_key < 0x5", "column 16: keys have no order: expected `=` or `!=`".to_owned()),
        ("white > 3", "column 1: cannot compare a set with a number: write count(…)".to_owned()),
        ("3 < white", "column 5: cannot compare a number with a set: write count(…)".to_owned()),
        ("ply + white > 3", "column 7: expected a number, found a set: write count(…)".to_owned()),
        ("white & 3", "column 9: expected a set, found a number".to_owned()),
        ("white & checkmate", "column 9: expected a set, found a number".to_owned()),
        ("white & (turn = white)", "column 10: `&` expects a set, found a condition; join conditions with `and`".to_owned()),
        ("(turn = white) | white", "column 2: `|` expects a set, found a condition; join conditions with `or`".to_owned()),
        ("\"a\" = \"b\"", "column 1: expected a value of the input to compare with a text, found another text".to_owned()),
        ("legal_moves = \"b\"", "column 15: expected a number, found the text \"b\"".to_owned()),
        ("flag < true", "column 8: expected `=` or `!=` between truth values".to_owned()),
        ("(ply > 1) = 3", "column 2: expected a number, found a condition".to_owned()),
        (
            "e4 in (e4, e5)",
            "column 1: `in` looks for numbers and texts in a list; squares that two sets share are `a & b`".to_owned(),
        ),
        ("ply in (1, ply)", "column 12: expected a number or a text in quotation marks".to_owned()),
        ("position_key in (5)", "column 18: expected a key, such as 0x463b96181691fc9c".to_owned()),
        // Functions.
        ("count() > 1", "column 1: expected count(set)".to_owned()),
        ("between(e1)", "column 1: expected between(set, set)".to_owned()),
        ("count(turn = white)", "column 7: expected a set to count, found a condition; count_moves counts moves".to_owned()),
        ("sum(white, e4) > 1", "column 5: expected a product with 64 numbers, such as white_attackers, found a set".to_owned()),
        ("white[z9]", "column 7: expected a square from a1 to h8".to_owned()),
        ("white[3]", "column 7: expected a square from a1 to h8".to_owned()),
        ("legal_moves[e4]", "column 1: a number has no squares".to_owned()),
        (
            "attacks_of(pawn, e4)",
            "column 12: expected a kind of piece: white_pawn, black_pawn, knight, bishop, rook, queen or king".to_owned(),
        ),
        ("files(\"a-z\")", "column 7: expected files from a to h, such as \"a-c\" or \"a,h\", found \"a-z\"".to_owned()),
        ("files(\"c-a\")", "column 7: expected files from a to h, such as \"a-c\" or \"a,h\", found \"c-a\"".to_owned()),
        ("ranks(9)", "column 7: expected ranks from 1 to 8, such as \"2-4\" or 7, found \"9\"".to_owned()),
        ("ranks(1 = 1)", "column 7: expected ranks from 1 to 8, such as \"2-4\" or 7".to_owned()),
        ("starts_with(ECO)", "column 1: expected starts_with(ECO, \"B\")".to_owned()),
        ("starts_with(white, \"B\")", "column 13: expected a value of the input, such as ECO".to_owned()),
        ("starts_with(ECO, 5)", "column 18: expected a text in quotation marks".to_owned()),
        ("board(5)", "column 7: expected a text in quotation marks".to_owned()),
        (
            "board(\"8/8\")",
            "column 7: expected eight ranks as in FEN, such as \"8/8/8/3pP3/8/8/8/8\", found \"8/8\"".to_owned(),
        ),
        (
            "board(\"9/8/8/8/8/8/8/8\")",
            "column 7: expected eight ranks as in FEN, such as \"8/8/8/3pP3/8/8/8/8\", found \"9/8/8/8/8/8/8/8\"".to_owned(),
        ),
        (
            "board(\"8/8/8/8/8/8/8/7\")",
            "column 7: expected eight ranks as in FEN, such as \"8/8/8/3pP3/8/8/8/8\", found \"8/8/8/8/8/8/8/7\"".to_owned(),
        ),
        ("material(\"KX\")", "column 10: expected the letters of all pieces, such as \"KRPkr\", found \"KX\"".to_owned()),
        ("material(\"KK\")", "column 10: expected one king of each colour, found \"KK\"".to_owned()),
        (
            "imbalance(\"BN\")",
            "column 11: expected what White has more, `v`, and what Black has more, such as \"BvN\", found \"BN\"".to_owned(),
        ),
        (
            "imbalance(\"KvN\")",
            "column 11: expected what White has more, `v`, and what Black has more, such as \"BvN\", found \"KvN\"".to_owned(),
        ),
        // Images and moves.
        (
            "either(ply > 1)",
            "column 8: a value of the input has no mirror image: write this condition outside of either(…)".to_owned(),
        ),
        (
            "mirrored(white and ply in (1))",
            "column 20: a value of the input has no mirror image: write this condition outside of mirrored(…)".to_owned(),
        ),
        (
            "either(polyglot_key = 0x5)",
            "column 8: `polyglot_key` has no mirror image: write this condition outside of either(…)".to_owned(),
        ),
        (
            "mirrored(canonical_key = 0x5)",
            "column 10: `canonical_key` has no mirror image: write this condition outside of mirrored(…)".to_owned(),
        ),
        ("after(after(after(white)))", "column 13: moves are nested more than 2 levels deep".to_owned()),
        ("after(move_checks)", "column 7: `move_checks` is about the recorded move: write it outside of after(…)".to_owned()),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn columns_count_bytes() {
    assert_eq!(message("`Größe` > 1 and white_pined & white"), message("`Grossse` > 1 and white_pined & white"));
    assert!(message("Größe > 1 ; 3").starts_with("column 13:"));
}

#[test]
fn size_is_bounded() {
    let nested = |depth: usize| format!("{}white{}", "(".repeat(depth), ")".repeat(depth));
    assert!(nested(60).parse::<PositionQuery>().is_ok());
    assert_eq!(message(&nested(70)), "column 66: nested more than 64 levels deep");
    assert!(message(&"not ".repeat(1000)).ends_with("nested more than 64 levels deep"));
    assert!(message(&"~".repeat(10_000)).ends_with("nested more than 64 levels deep"));
    assert!(message(&"(".repeat(10_000)).ends_with("nested more than 64 levels deep"));
    let row = |count: usize, joined: &str| vec!["e4"; count].join(joined);
    assert!(row(257, "|").parse::<PositionQuery>().is_ok());
    assert!(message(&row(258, "|")).ends_with("more than 256 operators between sets and numbers"));
    assert!(row(2000, " or ").parse::<PositionQuery>().is_ok());
    assert_eq!(message(&row(6000, "|")), "column 16385: a condition has at most 16384 bytes");
    let doubled = |depth: usize| format!("{}white{}", "either(".repeat(depth), ")".repeat(depth));
    assert!(doubled(11).parse::<PositionQuery>().is_ok());
    assert!(message(&doubled(20)).contains("more than 16384 parts"));
    let listed =
        |count: usize| format!("{} in ({})", row(60, "+").replace("e4", "count(e4)"), vec!["1"; count].join(","));
    assert!(listed(80).parse::<PositionQuery>().is_ok());
    assert!(message(&listed(2000)).contains("more than 16384 parts"));
}
