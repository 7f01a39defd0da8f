//! The content of PGN files, and the result of each.

use slider_attacks::position::Positions;
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Error, Eval, GameChoice, PgnOptions, Ply, PositionBuffer, Tags, Visitor};
use slider_attacks_games::tags;

/// All that is read of a text, as text.
#[derive(Default)]
struct All {
    options: PgnOptions,
    games: Vec<Game>,
    skips: bool,
    boards: PositionBuffer,
    positions: Positions,
}

#[derive(Default, Debug, PartialEq, Eq, Clone)]
struct Game {
    tags: Vec<(String, String)>,
    /// The moves that led to each position; the first one is empty.
    moves: Vec<String>,
    plies: Vec<u32>,
    depths: Vec<u32>,
    evals: Vec<Option<Eval>>,
    clocks: Vec<Option<u32>>,
    fens: Vec<String>,
    result: Option<String>,
    error: Option<String>,
    is_ended: bool,
}

impl<'t> Visitor<'t> for All {
    fn game(&mut self, number: u64, tags: Tags<'t>) -> GameChoice {
        assert!(self.games.last().is_none_or(|game| game.is_ended));
        self.games.push(Game::default());
        assert_eq!(number, self.games.len() as u64);
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        self.games.last_mut().expect("it is there").tags =
            tags.iter().map(|(name, value)| (text(name), text(value))).collect();
        if self.skips { GameChoice::Skip } else { GameChoice::Positions }
    }

    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        self.boards.push(board, &mut self.positions);
        let game = self.games.last_mut().expect("a game has begun");
        game.moves.push(String::from_utf8_lossy(ply.text).into_owned());
        game.plies.push(ply.ply);
        game.depths.push(ply.depth);
        game.evals.push(ply.eval());
        game.clocks.push(ply.clock());
        game.fens.push(board.to_string());
        true
    }

    fn end(&mut self, result: Option<&'t [u8]>, error: Option<Error<'t>>) {
        let game = self.games.last_mut().expect("a game has begun");
        assert!(!game.is_ended);
        game.is_ended = true;
        game.result = result.map(|result| String::from_utf8_lossy(result).into_owned());
        game.error = error.map(|error| error.to_string());
    }
}

fn read_with(text: &[u8], variations: bool) -> Vec<Game> {
    let mut all = All::default();
    all.options.variations = variations;
    pgn::read(text, all.options, &mut all);
    all.boards.flush(&mut all.positions);
    assert!(all.games.last().is_none_or(|game| game.is_ended));
    // The arrays hold the same positions.
    let fens = all.games.iter().flat_map(|game| &game.fens);
    let short = fens.map(|fen| fen.rsplitn(3, ' ').nth(2).expect("there are counters"));
    assert!(short.eq((0..all.positions.len()).map(|at| all.positions.fen(at))));
    // Games that are passed over have the same tags.
    let mut skipped = All { skips: true, ..All::default() };
    pgn::read(text, skipped.options, &mut skipped);
    if all.games.iter().all(|game| !game.tags.is_empty()) {
        assert_eq!(skipped.games.len(), all.games.len(), "{}", String::from_utf8_lossy(text));
        assert!(skipped.games.iter().zip(&all.games).all(|(skipped, game)| skipped.tags == game.tags));
    }
    all.games
}

fn read(text: &[u8]) -> Vec<Game> {
    read_with(text, false)
}

/// The moves of each game, its result or error.
fn summary(text: &str) -> Vec<String> {
    let line = |game: Game| {
        let end = game.error.or(game.result).unwrap_or_default();
        format!("{}: {end}", game.moves[1.min(game.moves.len())..].join(" "))
    };
    read(text.as_bytes()).into_iter().map(line).collect()
}

#[test]
fn what_files_hold() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        (" \r\n\t\n", &[]),
        ("\u{feff}[Event \"a\"]\n\n1. e4 *", &["e4: *"]),
        ("1. e4 e5 2. Nf3 1-0", &["e4 e5 Nf3: 1-0"]),
        ("1.e4 e5 2.Nf3 1/2-1/2\n", &["e4 e5 Nf3: 1/2-1/2"]),
        ("1. e4 {comment} 1... e5 *", &["e4 e5: *"]),
        ("1.e4{a}e5{b}2.Nf3{c}*", &["e4 e5 Nf3: *"]),
        ("e4 e5 Nf3", &["e4 e5 Nf3: "]),
        ("1 e4 e5 2 Nf3 0-1", &["e4 e5 Nf3: 0-1"]),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *", &["e4 e5 Nf3 Nc6 Bb5 a6 O-O: *"]),
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. 0-0 0-1", &["e4 e5 Nf3 Nc6 Bb5 a6 0-0: 0-1"]),
        ("1. e4! e5?! 2. Nf3!! $1 $12 d6 ?! 3. d4 ± *", &["e4 e5 Nf3 d6 d4: *"]),
        ("1. e4 N e5 e.p. 2.d4 exd4 N 0-1", &["e4 e5 d4 exd4: 0-1"]),
        ("1. e4!1-0", &["e4: 1-0"]),
        ("1. e4 e5 2.Nf3 Nf6 3.d3 d6 4.Be2 Be7 5.0-0 {x} 5...0-0 *", &["e4 e5 Nf3 Nf6 d3 d6 Be2 Be7 0-0 0-0: *"]),
        ("1. e4 (1. d4 1-0) e5 * 1. c4 *", &["e4 e5: *", "c4: *"]),
        (
            "1. e4 Ke4 (1. d4 1-0) 1-0 1. d4 *",
            &["e4: line 1, column 7, ply 1: expected a legal move, found \"Ke4\"", "d4: *"],
        ),
        ("1. e4 \x01* 1. d4 *\n\x1a", &["e4: *", "d4: *"]),
        ("[White \"a\"]\n\n1. e4 1-0 1-0\0\0", &["e4: 1-0"]),
        (
            "[White \"a\"]\n\n1. e4 1-0 Ke4",
            &["e4: line 3, column 11, ply 1: expected tags or the end after the result, found \"Ke4\""],
        ),
        ("\u{feff}1. e5 *", &[": line 1, column 4, ply 0: expected a legal move, found \"e5\""]),
        (
            "[FEN \"4k3/8/8/8/8/8/8/r5KR w H - 0 1\"]\n\n1. O-O *",
            &[": line 3, column 4, ply 0: expected a legal move, found \"O-O\""],
        ),
        ("[FEN \"4k3/8/8/8/8/8/8/r5KR w H - 0 1\"\n\n1. Kh2 *", &["Kh2: *"]),
        ("[FEN \"4k3/8/8/8/8/8/8/r5KR w H - 0 1\"] ; one\n\n1. Kh2 *", &["Kh2: *"]),
        ("[Variant \"Classical\"]\n\n1. e4 *", &["e4: *"]),
        ("1. e4! e5?! 2. Nf3!! $1 $12 d6 ?! 3. d4 +/- = *", &["e4 e5 Nf3 d6 d4: *"]),
        ("1. e4 (1. d4 d5 (1... Nf6 2. c4 {a (b} ) 2. c4) 1... e5 *", &["e4 e5: *"]),
        ("1. e4 (1. d4 {)} ; )\n ) e5 *", &["e4 e5: *"]),
        ("; before\n1. e4 ; 1... d5\n% e5\ne5 *", &["e4 e5: *"]),
        ("1. e4 e5\r\n2. Nf3\r\n\r\n*\r\n", &["e4 e5 Nf3: *"]),
        ("1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 a7a6 4. e1g1 *", &["e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1: *"]),
        ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 *", &["e2-e4 e7-e5 Ng1-f3 Nb8-c6 Bf1-b5: *"]),
        ("1. e4 -- 2. e5 Z0 3. e6 *", &["e4 -- e5 Z0 e6: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6 e.p. *", &["e4 d5 e5 f5 exf6: *"]),
        ("[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n", &["e4: 1-0", "d4: 0-1"]),
        ("[Event \"a\"]\n1. e4\n[Event \"b\"]\n1. d4\n", &["e4: ", "d4: "]),
        ("[Event \"a\"]\n\n*\n\n[Event \"b\"]\n\n[Event \"c\"]\n1. d4\n", &[": *", ": ", "d4: "]),
        ("1. e4 1-0\n1. d4 0-1\n* 1. c4", &["e4: 1-0", "d4: 0-1", ": *", "c4: "]),
        (
            "[Event \"a\"]\n\n1. e4 1-0 1. d4 *\n\n[Event \"b\"]\n\n1. c4 *",
            &["e4: line 3, column 14, ply 1: expected tags or the end after the result, found \"d4\"", "c4: *"],
        ),
        ("[Event \"a\"]\n\n1. e4 1-0 {after} ; more\n\n[Event \"b\"]\n\n1. c4 *", &["e4: 1-0", "c4: *"]),
        (
            "[Event \"a\"]\n\n1. e4 e5 2. Ke3 d5 *\n\n[Event \"b\"]\n\n1. c4 *",
            &["e4 e5: line 3, column 13, ply 2: expected a legal move, found \"Ke3\"", "c4: *"],
        ),
        (
            "1. e4 e5 2. Ke3 d5 *\n1. c4 *",
            &["e4 e5: line 1, column 13, ply 2: expected a legal move, found \"Ke3\"", "c4: *"],
        ),
        (
            "[Event \"a\"]\n\n1. e4 {no end\n\n[Event \"b\"]\n\n1. c4 *",
            &["e4: line 3, column 7, ply 1: expected a comment or variation that ends, found \"{no\"", "c4: *"],
        ),
        ("1. e4 {no end", &["e4: line 1, column 7, ply 1: expected a comment or variation that ends, found \"{no\""]),
        ("1. e4 (1. d4", &["e4: line 1, column 7, ply 1: expected a comment or variation that ends, found \"(1.\""]),
        ("1. e4 ) e5 *", &["e4: line 1, column 7, ply 1: expected a move, found \")\""]),
        ("1. e4 }", &["e4: line 1, column 7, ply 1: expected a move, found \"}\""]),
        ("1. e4 {[%clk 0:01]\n[%eval 0.1]\n[White says \"no\"} e5 *", &["e4 e5: *"]),
        ("[White \"Jos\u{e9} \\\"Pepe\\\"\"] [Black \"b\"]\n\n1. e4 *", &["e4: *"]),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N Kd7 *", &["a8=N Kd7: *"]),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8Q+ Kd7 *", &["a8Q+ Kd7: *"]),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8(Q)+ Kd7 *", &["a8(Q) Kd7: *"]),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8(Q)", &["a8(Q): "]),
        ("1. Nf3(N) Nf6 (1... d5(N)) 2. g3 *", &["Nf3 Nf6 g3: *"]),
        (
            "[SetUp \"1\"]\n[FEN \"nonsense\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. c4 *",
            &[
                ": line 2, column 7, ply 0: tag FEN: column 2: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'o'",
                "c4: *",
            ],
        ),
        (
            "[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. c4 *",
            &[": line 1, column 11, ply 0: expected chess or Chess960, found \"Atomic\"", "c4: *"],
        ),
        (
            "[Variant \"Chess960\"]\n[FEN \"1r2k1r1/pp4pp/8/8/8/8/PP4PP/1R2K1R1 w GBgb - 0 1\"]\n\n1. O-O O-O-O *",
            &["O-O O-O-O: *"],
        ),
        (
            "[Event \"a\"]\n[NoQuotes]\n[Site \"b\"]\n\n1. e4 *",
            &[": line 2, column 1, ply 0: expected a tag such as [White \"Name\"], found \"[NoQuotes]\""],
        ),
    ];
    for &(text, expected) in cases {
        let found = summary(text);
        let fixed: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
        assert_eq!(found, fixed, "{text}");
    }
}

#[test]
fn what_people_write() {
    let pawn = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]";
    let castles = "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4.";
    let after_result =
        |at: &str, found: &str| format!("e4: {at}: expected tags or the end after the result, found {found:?}");
    let cases: &[(String, &[&str])] = &[
        // Tags and moves in one line, and comments after tags.
        ("[Event \"x\"] [White \"w\"] [Result \"1-0\"] 1. e4 e5 1-0".into(), &["e4 e5: 1-0"]),
        ("[Event \"x\"]1. e4 e5 1-0".into(), &["e4 e5: 1-0"]),
        ("[Event \"x\"]\n[White \"w\"] 1. e4 e5 1-0\n[Event \"y\"] 1. d4 *".into(), &["e4 e5: 1-0", "d4: *"]),
        ("[Event \"x\"] {a [b \"c\"]} [White \"w\"] ; [d \"e\"]\n\n1. e4 *".into(), &["e4: *"]),
        (format!("[Event \"a \"b\" c\"] {pawn} 1. e3 *"), &["e3: *"]),
        (format!("[Source \"C:\\games\\\"]\n{pawn}\n1. e3 *"), &["e3: *"]),
        (format!("[Source \"C:\\games\\\"] {pawn} 1. e3 *"), &["e3: *"]),
        ("[Source \"C:\\games\\\"] 1. e3 *".into(), &["e3: *"]),
        ("[Event \"x\"] 1. e4 1-0\n[Event \"y\"]\n[Event \"z\"] 1. d4 *".into(), &["e4: 1-0", "d4: *"]),
        (
            "[Event \"x\"] 1. e4 1-0 [Event \"y\"] 1. d4 *".into(),
            &[&after_result("line 1, column 23, ply 1", "[Event")],
        ),
        // Blank lines and comments between tags.
        (format!("[Event \"a\"]\n{pawn}\n\n[White \"w\"]\n\n1. e4 *"), &["e4: *"]),
        (format!("[Event \"a\"]\n\n\n{pawn}\n\n1. e3 *"), &["e3: *"]),
        (format!("[Event \"a\"]\n% a line\n; another \n{pawn}\n\n1. e3 *"), &["e3: *"]),
        (format!("[Event \"a\"]\n{{ of two\nlines }}\n{pawn}\n\n1. e3 *"), &["e3: *"]),
        (format!("[Event \"a\"]\n{{ of two\n\n% }} {pawn}\n\n1. e3 *"), &["e3: *"]),
        ("[Event \"a\"]\n\n[Event \"b\"]\n\n[Event \"c\"]\n".into(), &[": ", ": ", ": "]),
        ("[White \"a\"]\n\n[White \"b\"]\n[Black \"c\"]\n\n[Black \"d\"]\n".into(), &[": ", ": ", ": "]),
        ("[White \"a\"]\n{ one }\n[White \"b\"]\n; two\n[White \"c\"]\n".into(), &[": ", ": ", ": "]),
        ("[White \"a\"]\n[White \"b\"]\n*".into(), &[": *"]),
        ("[White \"a\"]\n\n*\n\n[Black \"b\"]\n\n*".into(), &[": *", ": *"]),
        (
            "[White \"a\"]\n\n$1\n[Black \"b\"]\n\n1. e4".into(),
            &[": line 3, column 1, ply 0: expected a move, found \"$1\"", "e4: "],
        ),
        // Lines of signs between tags, and malformed tags: the moves never start elsewhere without an error.
        (format!("[Event \"a\"]\n{pawn}\n-----\n[White \"w\"]\n\n1. e3 *"), &["e3: *"]),
        (format!("[Event \"a\"]\n{pawn}\n=====\n\n...\n[White \"w\"]\n\n1. e3 *"), &["e3: *"]),
        (
            format!("[Event \"a\"]\n{pawn}\n[Round 1]\n[White \"w\"]\n\n1. e3 *\n\n[Event \"b\"]\n\n1. d4 *"),
            &[": line 3, column 1, ply 0: expected a tag such as [White \"Name\"], found \"[Round 1]\"", "d4: *"],
        ),
        (
            "[White \"w\" 1. e4 e5 *\n\n[White \"x] 1. d4 *\n".into(),
            &[
                ": line 1, column 9, ply 0: expected a tag such as [White \"Name\"], found \"w\\\" 1. e4 e5 *\"",
                ": line 3, column 9, ply 0: expected a tag such as [White \"Name\"], found \"x] 1. d4 *\"",
            ],
        ),
        ("[White \"w\"\n[Black \"b]\n\n1. e4 *".into(), &["e4: *"]),
        // The first tag counts, in any case.
        (format!("{pawn}\n[FEN \"4k3/8/8/8/8/4P3/8/4K3 w - - 0 1\"]\n\n1. e3 *"), &["e3: *"]),
        (format!("{}\n\n1. e3 *", pawn.replace("FEN", "fen")), &["e3: *"]),
        (
            "[variant \"Crazyhouse\"]\n\n1. e4 *".into(),
            &[": line 1, column 11, ply 0: expected chess or Chess960, found \"Crazyhouse\""],
        ),
        // Text attached to a sign is not part of it, and the letter of a piece is not a sign.
        ("1. e4±e5 *".into(), &[": line 1, column 4, ply 0: expected a move, found \"e4±e5\""]),
        ("1. e4 e5±1-0".into(), &["e4: line 1, column 7, ply 1: expected a move, found \"e5±1-0\""]),
        ("1. e4 e5½-½".into(), &["e4: line 1, column 7, ply 1: expected a move, found \"e5½-½\""]),
        ("1. ｅ４ *".into(), &[": line 1, column 4, ply 0: expected a move, found \"ｅ４\""]),
        ("1. N\u{200b}f3 *".into(), &[": line 1, column 4, ply 0: expected a move, found \"N\\u{200b}f3\""]),
        ("1. N f3 *".into(), &[": line 1, column 4, ply 0: expected a move, found \"N\""]),
        ("1. e4 N f6 *".into(), &["e4 f6: *"]),
        ("1. e4 e5 ½\n\n1. d4 *".into(), &["e4 e5: 1/2-1/2", "d4: *"]),
        ("1. e4 e5 1－0".into(), &["e4 e5: 1-0"]),
        (
            "[White \"a\"]\n{ no end\n[Black \"b\"]\n\n1. e4".into(),
            &[": line 2, column 1, ply 0: expected a comment or variation that ends, found \"{\"", "e4: "],
        ),
        // Line ends.
        ("[Event \"a\"]\r[Site \"s\"]\r\r1. e4 e5 *\r\r[Event \"b\"]\r\r1. d4 *\r".into(), &["e4 e5: *", "d4: *"]),
        ("1. e4 ; c4\re5 ; x\r\n% y\r2. Nf3 *".into(), &["e4 e5 Nf3: *"]),
        (
            "[A \"b\"]\r\r1. e4\r\ne5\n\n2. Ke3 *\r[A \"c\"]\n".into(),
            &["e4 e5: line 6, column 4, ply 2: expected a legal move, found \"Ke3\"", ": "],
        ),
        // Indented.
        ("  [Event \"a\"]\n\t[White \"w\"]\n\n  1. e4 *\n\n  [Event \"b\"]\n\n  1. d4\n".into(), &["e4: *", "d4: "]),
        ("[ Event \"a\" ]\n[White\t\"b\"]\n[Black\"c\"]\n\n1. e4 *\n\n[ Event\"b\"]\n*".into(), &["e4: *", ": *"]),
        (format!("[Event \"a\"]\n  {}\n  % line\n1. e3 *", pawn.replace('[', "[ ")), &["e3: *"]),
        // Results.
        ("1. e4 e5 1/2 - 1/2 1. d4 *".into(), &["e4 e5: 1/2-1/2", "d4: *"]),
        ("1. e4 e5 1/2 -\n1/2\n".into(), &["e4 e5: 1/2-1/2"]),
        ("1. e4 e5 1/2 1. d4 1/2\n".into(), &["e4 e5: 1/2-1/2", "d4: 1/2-1/2"]),
        ("1. e4 e5 1 - 0 1. d4 0 -1 1. c4 1 : 0".into(), &["e4 e5: 1-0", "d4: 0-1", "c4: 1-0"]),
        (
            "1. e4 1:0 1. d4 0:1 1. c4 ½-½ 1. b4 ½:½ 1. a4 1/2:1/2".into(),
            &["e4: 1-0", "d4: 0-1", "c4: 1/2-1/2", "b4: 1/2-1/2", "a4: 1/2-1/2"],
        ),
        (
            "1. e4 1–0 1. d4 0—1 1. c4 ½−½ 1. b4 ½ ‐ ½ 1. a4 1‒0 1. a3 1―0".into(),
            &["e4: 1-0", "d4: 0-1", "c4: 1/2-1/2", "b4: 1/2-1/2", "a4: 1-0", "a3: 1-0"],
        ),
        ("1 e4 e5 2 -- Nf6 3 Nf3 - 0-1".into(), &["e4 e5 -- Nf6 Nf3: 0-1"]),
        ("1. e4 1-1".into(), &["e4: line 1, column 7, ply 1: expected a move, found \"1-1\""]),
        ("1. e4 1-0-0".into(), &["e4: line 1, column 7, ply 1: expected a move, found \"1-0-0\""]),
        // Both players lost.
        ("[White \"w\"]\n[Result \"0-0\"]\n\n0-0\n\n[White \"x\"]\n\n1. e4 *\n".into(), &[": 0-0", "e4: *"]),
        ("1. e4 e5 0-0 {both} 1. d4 0–0\n1. c4 0 - 0".into(), &["e4 e5: 0-0", "d4: 0-0", "c4: 0-0"]),
        (format!("[A \"b\"]\n\n{castles} 0-0 0-0 5. d3 0-0\n"), &["e4 e5 Nf3 Nf6 Be2 Be7 0-0 0-0 d3: 0-0"]),
        (format!("{castles} 0-0 {{the last}}\n1. e4 *"), &["e4 e5 Nf3 Nf6 Be2 Be7 0-0: ", "e4: *"]),
        (format!("{castles} 0–0 O—O 5. d3 *"), &["e4 e5 Nf3 Nf6 Be2 Be7 0–0 O—O d3: *"]),
        ("1. e4 e5 2. 0-0 d6 *".into(), &["e4 e5: line 1, column 13, ply 2: expected a legal move, found \"0-0\""]),
        ("1. e4 e5 2. 0-0-0 *".into(), &["e4 e5: line 1, column 13, ply 2: expected a legal move, found \"0-0-0\""]),
        ("1. e4 (1. d4 0-0) e5 *".into(), &["e4 e5: *"]),
        // En passant.
        ("1. e4 d5 2. e5 f5 3. exf6e.p. *".into(), &["e4 d5 e5 f5 exf6: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6ep Nc6 4. d4 *".into(), &["e4 d5 e5 f5 exf6 Nc6 d4: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6 ep *".into(), &["e4 d5 e5 f5 exf6: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6 (e.p.) *".into(), &["e4 d5 e5 f5 exf6: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6(ep) *".into(), &["e4 d5 e5 f5 exf6: *"]),
        ("1. e4 d5 2. e5 f5 3. exf6e.p.! *".into(), &["e4 d5 e5 f5 exf6: *"]),
        // Dots, figurines and spaces of Unicode.
        ("1…e5".into(), &[": line 1, column 5, ply 0: expected a legal move, found \"e5\""]),
        ("1. e4 1…e5 2.… … 3…♘f3 ♞c6 4. ♗\u{fe0e}b5 *".into(), &["e4 e5 ♘f3 ♞c6 ♗\u{fe0e}b5: *"]),
        (
            "1.\u{a0}e4\u{2003}e5\u{3000}2.\u{200b}Nf3\u{feff}Nc6\u{2060}\u{202f}3.\u{205f}Bb5\u{200e}*".into(),
            &["e4 e5 Nf3 Nc6 Bb5: *"],
        ),
        ("\u{a0}[Event \"a\u{a0}b\"]\u{2003}\n\u{3000}[White\u{a0}\"c\"\u{a0}]\n\n1. e4 *".into(), &["e4: *"]),
        // Wrappers.
        ("[pgn]\n[White \"w\"]\n\n1. e4 *\n[/pgn]".into(), &["e4: *"]),
        (
            "[PGN][White \"w\"] 1. e4[/PGN]\n[pgn]1. d4 d5[/pgn]\n [Pgn] 1. c4 1-0 [/Pgn]\n".into(),
            &["e4: ", "d4 d5: ", "c4: 1-0"],
        ),
        ("[pgn] [White \"w\"] [Black \"b\"]\n\n[Site \"s\"]\n1. e4 [/pgn]\n[pgn]\n[/pgn]\n".into(), &["e4: "]),
        (
            "[Event \"a\"]\n\n1. Ke4 *\n[/pgn]\n[pgn]\n1. d4 * 1. c4".into(),
            &[": line 3, column 4, ply 0: expected a legal move, found \"Ke4\"", "d4: *", "c4: "],
        ),
        ("1. e4 [pgn] e5 (1... c5 [/pgn]) 2. Nf3 [/pgn] 1. d4".into(), &["e4 e5 Nf3: ", "d4: "]),
        // Signs.
        (
            "1. e4 e5 2. Nf3+- Nc6= 3. Bb5N a6+/- 4. Ba4± Nf6∞ 5. d3⩲ d6!? 6. c4=/∞ g6$1 7. Nc3 =∞ *".into(),
            &["e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 d3 d6 c4 g6 Nc3: *"],
        ),
        ("1. f3 e5 2. g4N Qh4#!! 0-1".into(), &["f3 e5 g4 Qh4#: 0-1"]),
        (
            "[FEN \"2r1k3/1P4P1/8/8/8/8/6P1/4K3 w - - 0 1\"]\n\n1. bxc8=N+ Kd8 2. g8Q=+- Kc7 3. g4N *".into(),
            &["bxc8=N+ Kd8 g8Q Kc7 g4: *"],
        ),
        (
            "[FEN \"4k3/1P4P1/8/8/8/8/6P1/4K3 w - - 0 1\"]\n\n1. b8=Q+- Ke7 2. g8=N+N Ke6 *".into(),
            &["b8=Q Ke7 g8=N+ Ke6: *"],
        ),
        ("1. e4=N *".into(), &[": line 1, column 4, ply 0: expected a move, found \"e4=N\""]),
        ("1. \u{41a}f3 *".into(), &[": line 1, column 4, ply 0: expected a move, found \"\u{41a}f3\""]),
    ];
    for (text, expected) in cases {
        assert_eq!(summary(text), *expected, "{text:?}");
        // Line ends may be any.
        if !text.contains('\r') {
            for line_end in ["\r\n", "\r"] {
                let text = text.replace('\n', line_end);
                assert_eq!(summary(&text), *expected, "{text:?}");
            }
        }
    }
    // In Latin-1.
    let latin = b"1.\xa0e4\xa0e5 2.\xa0Nf3\xb1 \xbd-\xbd";
    let game = &read(latin)[0];
    assert_eq!((game.moves.join(" ").as_str(), game.result.as_deref()), (" e4 e5 Nf3", Some("1/2-1/2")));
}

#[test]
fn tags_that_set_positions_up_are_noticed() {
    for text in ["[FEN \"", "a\n[fen \"", "[ Fen\"", "[\u{a0}\t FEN"] {
        assert!(tags::may_have_fen(text.as_bytes()), "{text}");
    }
    for text in ["", "[", "[FE", "fen", "[Opening \"Sicilian Defense\"]\n\n1. f4 Nf6 {FEN}"] {
        assert!(!tags::may_have_fen(text.as_bytes()), "{text}");
    }
}

#[test]
fn results_of_tags_are_read() {
    for (text, expected) in [
        ("1-0", Some("1-0")),
        (" 0 - 1 ", Some("0-1")),
        ("½–½", Some("1/2-1/2")),
        ("1/2", Some("1/2-1/2")),
        ("0-0", Some("0-0")),
        ("*", Some("*")),
        ("", None),
        ("?", None),
        ("1", None),
        ("1-0 x", None),
        ("0-0-0", None),
        ("½", Some("1/2-1/2")),
        ("1/2 -", Some("1/2-1/2")),
    ] {
        assert_eq!(pgn::result(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn tags_have_names_and_values() {
    let text =
        b"[White \"Jos\xe9 \\\"Pepe\\\" \\\\\"] [Black  \"b\" ]\n[Site \"a \"b\" c\"]\n[Round \"1\n[Empty \"\"]\n\n*";
    struct Values(Vec<Option<String>>);
    impl<'t> Visitor<'t> for Values {
        fn game(&mut self, _: u64, tags: Tags<'t>) -> GameChoice {
            let names = ["White", "Black", "Site", "Round", "Empty", "None"];
            self.0 = names.map(|name| tags.get(name).map(|value| value.into_owned())).to_vec();
            GameChoice::Stop
        }

        fn position(&mut self, _: &Board, _: &Ply<'t>) -> bool {
            unreachable!("it stops before")
        }

        fn end(&mut self, _: Option<&'t [u8]>, _: Option<Error<'t>>) {}
    }
    let mut values = Values(Vec::new());
    pgn::read(text, PgnOptions::default(), &mut values);
    let expected = [Some("Jos\u{e9} \"Pepe\" \\"), Some("b"), Some("a \"b\" c"), Some("1"), Some(""), None];
    assert_eq!(values.0, expected.map(|value| value.map(str::to_owned)));
}

#[test]
fn comments_say_evaluations_and_clocks() {
    let comments = [
        ("{ [%eval 0.17] [%clk 0:00:30] }", Some(Eval::Centipawns(17)), Some(30_000)),
        ("{ [%clk 1:02:03] } { [%eval #-4] }", Some(Eval::Mate(-4)), Some(3_723_000)),
        ("{ Good. [%eval -12.5,20] text }", Some(Eval::Centipawns(-1_250)), None),
        // Whole numbers with a depth are centipawns, as ChessBase writes them.
        ("{[%eval 23,14]}", Some(Eval::Centipawns(23)), None),
        ("{[%eval -17,27] [%eval +5, 9]}", Some(Eval::Centipawns(5)), None),
        ("{[%eval -170,27]}", Some(Eval::Centipawns(-170)), None),
        ("{[%eval 0.23,14]}", Some(Eval::Centipawns(23)), None),
        ("{[%eval 23]}", Some(Eval::Centipawns(2_300)), None),
        ("{[%eval 2,x]}", Some(Eval::Centipawns(200)), None),
        ("{[%eval 2.,14]}", Some(Eval::Centipawns(200)), None),
        ("{[%eval #-4,20]}", Some(Eval::Mate(-4)), None),
        ("{[%clk 10:00:59.9]}", None, Some(36_059_900)),
        ("{[%clk 1:30]}", None, Some(90_000)),
        ("{ [%eval +3] } { Mistake. } {[%clk 0:00:01 ]}", Some(Eval::Centipawns(300)), Some(1_000)),
        ("{ [%eval .5] [%clk x] }", Some(Eval::Centipawns(50)), None),
        // The last one counts.
        ("{ [%eval 1] [%eval -2] [%evals }", Some(Eval::Centipawns(-200)), None),
        ("{ [%eval 1] [%eval #] }", None, None),
        ("{ [%eval 99999999999] [%clk 99999999999:00] }", None, None),
        ("{ [%evalx 1] [% eval 1] [%clk0:00:01] }", None, None),
        ("{ [%clk ] [%eval 3x] }", None, None),
        ("{ [%clk :] [%eval 0.3} ", None, None),
        ("{[%eval\n0.175] [%clk  0:03:00]}", Some(Eval::Centipawns(17)), Some(180_000)),
        ("(1. d4) {[%eval 0.3]}", Some(Eval::Centipawns(30)), None),
        ("{[%eval 23 ,14]}", Some(Eval::Centipawns(23)), None),
        ("\u{a0}{[%eval 0.3] [%clk 0:03:00]}", Some(Eval::Centipawns(30)), Some(180_000)),
        ("N \u{2009}\u{200b}{[%eval 0.3]}", Some(Eval::Centipawns(30)), None),
        ("; [%eval 1.0]\n", None, None),
    ];
    for suffix in ["ep", "e.p.", "", "ep "] {
        let game = &read(format!("1. e4 a6 2. e5 f5 3. exf6 {suffix}{{[%eval 0.3]}} *").as_bytes())[0];
        assert_eq!(game.evals.last(), Some(&Some(Eval::Centipawns(30))), "{suffix}");
    }
    for (comment, eval, clock) in comments {
        let game = &read(format!("1. e4 {comment} e5 *").as_bytes())[0];
        assert_eq!((game.evals[1], game.clocks[1]), (eval, clock), "{comment}");
        assert_eq!((game.evals[0], game.clocks[0]), (None, None));
    }
    // They are said of the move before them, and not of a move in a variation.
    let game = &read(b"1. e4 { [%clk 0:00:09] } ( 1. d4 { [%clk 0:00:08] [%eval 5] } ) 1... e5 *")[0];
    assert_eq!((&game.clocks[..], &game.evals[..]), (&[None, Some(9_000), None][..], &[None; 3][..]));
}

#[test]
fn variations_are_read_if_they_are_asked_for() {
    let text = b"1. e4 {a} (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *";
    let game = &read_with(text, true)[0];
    let found: Vec<String> = game
        .moves
        .iter()
        .zip(&game.plies)
        .zip(&game.depths)
        .map(|((mv, ply), depth)| format!("{mv} {ply} {depth}"))
        .collect();
    assert_eq!(
        found,
        [" 0 0", "e4 1 0", "d4 1 1", "d5 2 1", "Nf6 2 2", "c4 3 2", "c4 3 1", "c4 1 1", "e5 2 0", "Nf3 3 0"]
    );
    // An annotation is no move; a result ends no game in a variation; before the first move, there is nothing to vary.
    for text in [
        "1. e4 N (1. d4 d5) e5 *",
        "1. e4 (1. d4 d5 *) e5 *",
        "(1. d4 d5) 1. e4 (1. d4 d5) e5 *",
        "1. e4 ((1. c4) 1. d4 d5) e5 *",
    ] {
        let game = &read_with(text.as_bytes(), true)[0];
        assert_eq!(
            (game.moves.join(" ").trim(), game.result.as_deref()),
            ("e4 d4 d5 e5", Some("*")),
            "{text}: {game:?}"
        );
    }
    for (text, error) in [
        ("1. e4 (1. d4 *", "line 1, column 15, ply 1: expected a comment or variation that ends, found the end"),
        ("1. e4 (1. Ke3) *", "line 1, column 11, ply 0: expected a legal move, found \"Ke3)\""),
    ] {
        assert_eq!(read_with(text.as_bytes(), true)[0].error.as_deref(), Some(error), "{text}");
    }
    let deep = "1. e4 ".to_owned() + &"(1. d4 ".repeat(100_000);
    assert!(read_with(deep.as_bytes(), true)[0].error.as_deref().is_some_and(|error| error.contains("at most 255")));
    assert!(read(deep.as_bytes())[0].error.as_deref().is_some_and(|error| error.contains("that ends")));
}

/// A text with all kinds of things, of several games.
fn mixed() -> Vec<u8> {
    let text = "\u{feff}[Event \"a\"]\n[White \"b\"]\n\n1. e4 { [%eval 0.17] [%clk 0:00:30] } 1... e5 { [%clk 0:00:30] } 2. Nf3 $1 Nc6!? (2... d6 3. d4 (3. Bc4)) 3. Bb5 a6\n\
        4. O-O ; rest\n% line\nNf6 5. Re1 -- 1-0\n\n[Event \"c\"]\r\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\r\n\r\n1. a8=Q+ Kd7 2. Qd5+ {\n[Not \"tags\n} Ke7 1/2-1/2\r\n\r\n\
        [Event \"d\"]\n\n1. d4 d5 2. Kd5 *\n\n[Event \"e\"]\n\n1. c4 { no end\n\n[Event \"f\"]\n\n1. Nf3 *\n";
    text.as_bytes().to_vec()
}

/// A text that is cut off gives the same games up to there.
#[test]
fn a_text_may_end_anywhere() {
    let text = mixed();
    for variations in [false, true] {
        let whole = read_with(&text, variations);
        for end in 0..text.len() {
            let part = read_with(&text[..end], variations);
            assert!(part.len() <= whole.len());
            for (at, game) in part.iter().enumerate() {
                // The last move may be cut off as well.
                let same = if at + 1 == part.len() { game.fens.len().saturating_sub(1) } else { whole[at].fens.len() };
                assert_eq!(game.fens[..same], whole[at].fens[..same], "{end}");
            }
        }
    }
}

/// An input is read in blocks, which may end anywhere.
#[test]
fn an_input_is_read_as_its_text() {
    let games = "[Event \"a\"]\n[White \"b\"]\n\n1. e4 (1. d4 d5) e5 {\n[no tag]\n} 2. Nf3 *\n\n\
        [Event \"c\"]\r\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\r\n\r\n1. a8=Q+ Kd7 2. Qd5+ 1/2-1/2\r\n\r\n";
    let (games, options) = (games.repeat(600_000 / games.len()), PgnOptions::new().with_variations(true));
    let mut expected = All { options, ..All::default() };
    pgn::read(games.as_bytes(), options, &mut expected);
    expected.boards.flush(&mut expected.positions);
    for shift in (0..200).step_by(3) {
        let (text, mut positions) = (format!("\u{feff}; {}\n{games}", "x".repeat(shift)), Positions::new());
        let read = pgn::read_positions(text.as_bytes(), options, &mut positions).unwrap();
        assert_eq!((read, &positions), (positions.len(), &expected.positions), "{shift}");

        let wrong = text + "[Event \"wrong\"]\n\n1. e4 e5\n2. Ke3 *";
        let error = pgn::read_positions(wrong.as_bytes(), options, &mut positions).unwrap_err();
        let place = format!("line {}, column 4, ply 2", wrong.lines().count());
        assert_eq!(error.to_string(), place + ": expected a legal move, found \"Ke3\"");
        assert_eq!(positions.len(), read, "{shift}");
    }
    // A long game, and games without tags.
    let long = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(30_000);
    for text in [format!("[White \"A\"]\n\n{long}*\n\n[White \"B\"]\n\n1. e4 *\n"), format!("{long}*\n\n1. e4 *\n")] {
        let mut positions = Positions::new();
        assert_eq!(pgn::read_positions(text.as_bytes(), options, &mut positions).unwrap(), 120_003);
    }
}

/// Whatever the bytes are, reading ends, and boards are positions.
#[test]
fn bytes_may_be_anything() {
    let (text, mut state) = (mixed(), 1_u64);
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let pieces = b"[]{}();%$\"\n\r .-*#+!?=xOQKRBNabefgh1234567890/\\\x00\xff";
    for round in 0..20_000 {
        let mut text = text.clone();
        for _ in 0..1 + random(8) {
            let at = random(text.len());
            match random(4) {
                0 => text[at] = pieces[random(pieces.len())],
                1 => text.insert(at, pieces[random(pieces.len())]),
                2 => drop(text.drain(at..(at + random(20)).min(text.len()))),
                _ => {
                    let part = text[at..(at + random(60)).min(text.len())].to_vec();
                    let to = random(text.len());
                    text.splice(to..to, part);
                }
            }
        }
        read_with(&text, round % 2 == 0);
    }
}

/// Time is linear: each of these would take minutes otherwise.
#[test]
fn long_texts_take_no_longer() {
    for part in [
        "{",
        "(",
        ")",
        "[",
        "[A",
        "[A \"",
        "\n[A \"b\" ",
        "\n[",
        "\n\n[A \"\"]",
        ";",
        "%",
        "\n%",
        "1.",
        "1",
        "$",
        "e4",
        "e4 ",
        "-- ",
        "{}",
        "()",
        "\"",
        "\\",
        "{[%clk ",
        "{[%eval 1",
        "x * ",
        "1. e5 * ",
        "[a \"b\"]",
        "[A \"x\"] [",
        "[A \"x\"]\n\n[B \"y\"]\n{}",
        "[A \"\\\"]{}",
        "[A \"\\\"]x",
        "\n  [A \"b\"]  ",
        "\r[A \"b\"]\r\r",
        "\n[pgn]",
        "[pgn][",
        "[/pgn]",
        "\u{a0}[",
        "\u{feff}",
        "0-0 ",
        "0-0 {} ",
        "0-0 $1 ",
        "1 - ",
        "1/2 -",
        "1/2\u{2003}",
        "\u{2013}",
        "1\u{2026}",
        "Nf3+-",
        "N\u{d7}",
    ] {
        for variations in [false, true] {
            let mut all = Counter(0);
            let options = PgnOptions::new().with_variations(variations);
            pgn::read(part.repeat((1 << 20) / part.len()).as_bytes(), options, &mut all);
        }
    }
    // Tags of many names, each after a gap.
    let tags: String = (0..60_000).map(|number| format!("[A{number} \"\"]\n\n")).collect();
    assert_eq!(summary(&tags), [": "]);
    struct Counter(u64);
    impl<'t> Visitor<'t> for Counter {
        fn position(&mut self, _: &Board, _: &Ply<'t>) -> bool {
            self.0 += 1;
            true
        }

        fn end(&mut self, _: Option<&'t [u8]>, _: Option<Error<'t>>) {}
    }
}

#[test]
fn games_begin_where_they_are_told_to() {
    const START: &str = "4k3/8/8/8/8/8/4P3/4K3 b - - 7 30";
    let own = "\n\n[FEN \"4k3/8/8/8/8/8/3P4/4K3 w - -\"]\n\n1. d4 *\n";
    for text in
        ["1... Kd7 (1... Ke7) 2. e4 *", "[White \"A\"]\n\n1... Kd7 2. e4 1-0", "[Variant \"Chess960\"]\n\nKd7 2. e4 *"]
    {
        let (first, mut told) = (START.parse().expect("it is FEN"), All::default());
        pgn::read_from(&first, (text.to_owned() + own).as_bytes(), told.options, &mut told);
        let tag = format!("[FEN \"{START}\"]\n");
        let tagged = if text.starts_with('[') { tag + text } else { format!("{tag}\n{text}") };
        let tagged = read((tagged + own).as_bytes());
        let what = |game: &Game| (game.fens.clone(), game.moves.clone(), game.result.clone(), game.error.clone());
        assert!(told.games.iter().map(what).eq(tagged.iter().map(what)), "{text}");
        assert_eq!((told.games[0].fens.len(), told.games[0].fens[0].as_str()), (3, START));
    }
}

/// After a malformed game with tags, games without tags are not lost in silence.
#[test]
fn games_that_are_left_out_with_a_malformed_one() {
    let lost = "; the moves after its result are left out, too";
    for (moves, is_lost) in [
        ("1. e4 Ke4 1-0\n\n1. d4 *", true),
        ("1. e4 Ke4 1-0 {a game} d4 d5 *", true),
        ("1. e4 (1. d4 Ke4 1-0\n\n1. c4 *", true),
        ("1. e4 Ke4 (1. d4 1-0) 1... e5 1-0", false),
        ("1. e4 Ke4 2. d4 1-0 ; a comment\n1-0 $1", false),
        ("1. e4 Ke4 1-0\nOh! Nf3+?! *", true),
        ("1. e4 Ke4", false),
        ("1. e4 Ke4 1-0\nwww.chess.com", false),
        ("1. e4 Ke4\n[/pgn]\nsome words", false),
    ] {
        let text = format!("[Event \"a\"]\n\n{moves}\n\n[Event \"b\"]\n\n1. c4 *\n");
        let games = read(text.as_bytes());
        let errors: Vec<Option<&str>> = games.iter().map(|game| game.error.as_deref()).collect();
        let [Some(error), None] = errors[..] else { panic!("{moves}: {errors:?}") };
        assert_eq!(error.ends_with(lost), is_lost, "{moves}: {error}");
    }
}
